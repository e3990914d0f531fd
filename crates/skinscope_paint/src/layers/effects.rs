//! Effects of layers: what is done to all that a layer has painted, or to what all layers make together, each time that weights are composed.
//!
//! An effect never changes what was painted, so that it can be switched off again. It works where layers have weights: one that is shown
//! has painted there or, for a mirror image, on the other side. Joints that were locked when it was added keep their weights.

use std::collections::BTreeSet;

use skinscope_anim::pose::Axis;
use skinscope_edit::{ChoiceKind, ChoiceWord, NumberKind, OptionForm, Parameter, ParameterKind};
use skinscope_weights::{Kernel, Reads, kernels};

use super::{Layer, LayerId, LayerStack};

/// The axes, in the order of their words.
const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

/// So many times all effects of a stack are done at most, one after the other, whether they are on or off: each time begins with what the one before
/// has made, and more of them would need more memory than a thread has for that.
const MOST_TIMES: usize = 400;

/// A kind of effect.
#[derive(Debug)]
pub struct EffectKind {
    /// Its name in commands and files.
    pub id: &'static str,
    /// Its name in the window.
    pub label: &'static str,
    /// What it does, in a sentence without a full stop.
    pub help: &'static str,
    /// What can be set of it.
    pub parameters: &'static [&'static Parameter],
    pub(crate) work: EffectWork,
}

/// How an effect works; values are in the order of its parameters.
#[derive(Debug)]
pub(crate) enum EffectWork {
    /// A kernel changes each row, which is given the values.
    Kernel {
        kernel: &'static Kernel,
        strength: fn(&[f64]) -> f64,
        /// How often one after the other.
        times: fn(&[f64]) -> usize,
    },
    /// Rows of one side become the mirror images of the other one: across an axis, and whether from its negative side.
    Mirror(fn(&[f64]) -> (Axis, bool)),
}

/// All kinds of effects, in the order in which they are shown.
pub static EFFECTS: &[&EffectKind] = &[&MIRROR, &SMOOTH, &PRUNE, &LIMIT];

static MIRROR: EffectKind = EffectKind {
    id: "mirror",
    label: "Mirror",
    help: "Show on one side the mirror image of the other, with the joints that are their partners there",
    parameters: &[&AXIS, &SIDE],
    work: EffectWork::Mirror(|values| {
        let [axis, side] = [0, 1].map(|at| values.get(at).copied().unwrap_or(0.0));
        (AXES.get(axis as usize).copied().unwrap_or_default(), side >= 1.0)
    }),
};

static AXIS: Parameter = Parameter {
    id: "axis",
    label: "Axis",
    help: "The axis that the plane of symmetry is at right angles to",
    kind: ParameterKind::Choice(ChoiceKind {
        words: &[
            ChoiceWord { id: "x", label: "X", help: "Across the plane of symmetry at right angles to X" },
            ChoiceWord { id: "y", label: "Y", help: "Across the plane of symmetry at right angles to Y" },
            ChoiceWord { id: "z", label: "Z", help: "Across the plane of symmetry at right angles to Z" },
        ],
        ..ChoiceKind::ROW
    }),
    option: OptionForm::None,
};

static SIDE: Parameter = Parameter {
    id: "side",
    label: "Side",
    help: "Which side is shown on the other one too",
    kind: ParameterKind::Choice(ChoiceKind {
        words: &[
            ChoiceWord { id: "+", label: "+ to −", help: "Paint on the positive side: the negative one follows" },
            ChoiceWord { id: "-", label: "− to +", help: "Paint on the negative side: the positive one follows" },
        ],
        ..ChoiceKind::ROW
    }),
    option: OptionForm::None,
};

static SMOOTH: EffectKind = EffectKind {
    id: "smooth",
    label: "Smooth",
    help: "Bring the weights towards those of the vertices around",
    parameters: &[&STRENGTH, &PASSES],
    work: EffectWork::Kernel {
        kernel: &kernels::SMOOTH,
        strength: |values| values.first().copied().unwrap_or(0.0),
        times: |values| values.get(1).map_or(1, |times| *times as usize),
    },
};

static STRENGTH: Parameter = Parameter {
    id: "strength",
    label: "Strength",
    help: "How far it goes each time: 0 stays, 1 is the mean of the vertices around",
    kind: ParameterKind::Number(NumberKind { default: 0.5, ..NumberKind::ROW }),
    option: OptionForm::None,
};

static PASSES: Parameter = Parameter {
    id: "passes",
    label: "Times",
    help: "How often it is done, one after the other",
    kind: ParameterKind::Number(NumberKind {
        range: [1.0, 20.0],
        slider: [1.0, 20.0],
        default: 1.0,
        decimals: 0,
        ..NumberKind::ROW
    }),
    option: OptionForm::None,
};

static PRUNE: EffectKind = EffectKind {
    id: "prune",
    label: "Prune",
    help: "Take away the joints whose weight is small, but not the largest of a vertex; the others take their share",
    parameters: &[&THRESHOLD],
    work: EffectWork::Kernel { kernel: &kernels::PRUNE, strength: |_| 1.0, times: |_| 1 },
};

static THRESHOLD: Parameter = Parameter {
    id: "threshold",
    label: "Threshold",
    help: "Weights below it go, and the others of the vertex take their share",
    kind: ParameterKind::Number(NumberKind { slider: [0.0, 0.2], default: 0.01, decimals: 3, ..NumberKind::ROW }),
    option: OptionForm::None,
};

static LIMIT: EffectKind = EffectKind {
    id: "limit",
    label: "Limit",
    help: "Keep the largest joints of a vertex alone, which take the share of the others",
    parameters: &[&MOST],
    work: EffectWork::Kernel { kernel: &kernels::LIMIT, strength: |_| 1.0, times: |_| 1 },
};

static MOST: Parameter = Parameter {
    id: "most-joints",
    label: "Joints",
    help: "How many joints may move a vertex",
    kind: ParameterKind::Number(NumberKind {
        range: [1.0, 65535.0],
        slider: [1.0, 8.0],
        default: 4.0,
        decimals: 0,
        ..NumberKind::ROW
    }),
    option: OptionForm::None,
};

/// An effect of a layer or of all layers.
#[derive(Clone, Debug)]
pub struct LayerEffect {
    kind: &'static EffectKind,
    is_on: bool,
    /// The values of its parameters, in their order.
    values: Vec<f64>,
    /// The joints that were locked when it was added, by their keys.
    held: BTreeSet<u32>,
}

impl LayerEffect {
    /// Makes an effect with the usual values; `None` where there is no such kind.
    pub(crate) fn new(id: &str, held: BTreeSet<u32>) -> Option<Self> {
        let kind = EFFECTS.iter().copied().find(|kind| kind.id == id)?;
        let usual = |parameter: &&Parameter| match &parameter.kind {
            ParameterKind::Number(number) => number.default,
            ParameterKind::Choice(choice) => choice.default as f64,
            _ => 0.0,
        };
        Some(Self { kind, is_on: true, values: kind.parameters.iter().map(usual).collect(), held })
    }

    /// Returns its kind.
    #[must_use]
    pub fn kind(&self) -> &'static EffectKind {
        self.kind
    }

    /// Returns whether it is on.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Returns the values of its parameters, in their order: numbers, and the places of words.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns the joints whose weights it leaves, by their keys.
    pub(crate) fn held(&self) -> &BTreeSet<u32> {
        &self.held
    }

    /// Returns how often it is done, one after the other.
    pub(crate) fn times(&self) -> usize {
        match &self.kind.work {
            EffectWork::Kernel { times, .. } => times(&self.values),
            EffectWork::Mirror(_) => 1,
        }
    }

    /// Whether it reads the vertices around one.
    pub(crate) fn reads_around(&self) -> bool {
        matches!(&self.kind.work, EffectWork::Kernel { kernel, .. } if kernel.reads == Reads::Neighbours)
    }

    /// Returns the axis across which it mirrors, and whether from its negative side; `None` where it does not.
    pub(crate) fn across(&self) -> Option<(Axis, bool)> {
        match &self.kind.work {
            EffectWork::Kernel { .. } => None,
            EffectWork::Mirror(across) => Some(across(&self.values)),
        }
    }

    /// Returns how many joints it leaves a row at most; `None` where it does not limit them.
    pub(crate) fn most_joints(&self) -> Option<usize> {
        std::ptr::eq(self.kind, &LIMIT).then(|| self.values.first().map_or(usize::MAX, |most| *most as usize))
    }

    /// Whether it shows one side on the other.
    #[must_use]
    pub fn is_mirror(&self) -> bool {
        matches!(self.kind.work, EffectWork::Mirror(_))
    }

    /// Switches it on or off; returns whether that is another state.
    pub(crate) fn set_on(&mut self, is_on: bool) -> bool {
        std::mem::replace(&mut self.is_on, is_on) != is_on
    }

    /// Gives a parameter the nearest value that it may have; returns whether that is another one.
    pub(crate) fn set(&mut self, parameter: &str, value: f64) -> bool {
        let at = self.kind.parameters.iter().position(|known| known.id == parameter);
        let Some((at, row)) = at.and_then(|at| Some((at, *self.kind.parameters.get(at)?))) else { return false };
        let value = match &row.kind {
            ParameterKind::Number(number) => number.fitted(value),
            ParameterKind::Choice(choice) if value >= 0.0 && (value as usize) < choice.words.len() => value.trunc(),
            _ => return false,
        };
        self.values.get_mut(at).is_some_and(|known| std::mem::replace(known, value) != value)
    }

    fn is_same_as(&self, other: &Self) -> bool {
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<u64>>();
        self.kind.id == other.kind.id
            && self.is_on == other.is_on
            && bits(&self.values) == bits(&other.values)
            && self.held == other.held
    }
}

/// Whether two lists of effects are one.
pub(super) fn are_same_effects(a: &[LayerEffect], b: &[LayerEffect]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same_as(b))
}

impl LayerStack {
    /// Returns the effects of what all layers make together, the first one first.
    #[must_use]
    pub fn effects(&self) -> &[LayerEffect] {
        &self.effects
    }

    /// Returns the effects of a layer or, for `None`, of what all layers make together.
    #[must_use]
    pub fn effects_of(&self, of: Option<LayerId>) -> &[LayerEffect] {
        match of {
            Some(id) => self.layer(id).map(Layer::effects).unwrap_or_default(),
            None => &self.effects,
        }
    }

    /// Whether any effect has a say in what the layers make.
    #[must_use]
    pub fn has_effects(&self) -> bool {
        let any_on = |effects: &[LayerEffect]| effects.iter().any(LayerEffect::is_on);
        self.may_have_effects
            && !self.layers.is_empty()
            && (any_on(&self.effects)
                || self.layers.iter().any(|layer| any_on(layer.effects()) && self.is_shown(layer)))
    }

    /// Whether any effect has a say in what lies below the layer that brushes paint in.
    pub(crate) fn has_effects_below(&self) -> bool {
        if !self.has_effects() {
            return false;
        }
        let number = self.active_layer().map_or(0, |(number, _)| number);
        let any_on = |effects: &[LayerEffect]| effects.iter().any(LayerEffect::is_on);
        let mut below = self.layers.iter().take(number);
        below.any(|layer| any_on(layer.effects()) && self.is_shown(layer))
            || number >= self.effected_count() && any_on(&self.effects)
    }

    /// Returns how many times effects could be done in addition to those that there are.
    #[must_use]
    pub fn room_for_effects(&self) -> usize {
        MOST_TIMES.saturating_sub(self.times_of_effects())
    }

    /// Whether effects would be done more often than is possible: in a file that lies.
    pub(super) fn has_too_many_effects(&self) -> bool {
        self.times_of_effects() > MOST_TIMES
    }

    fn times_of_effects(&self) -> usize {
        let of_layers = self.layers.iter().flat_map(|layer| layer.effects());
        of_layers.chain(&self.effects).map(LayerEffect::times).fold(0, usize::saturating_add)
    }

    /// Adds an effect after the others of a layer or, for `None`, of what all layers make together. The joints `held`, by their keys, keep their
    /// weights. Returns whether there is such a kind and such a layer, and room for another effect.
    pub fn add_effect(&mut self, of: Option<LayerId>, kind: &str, held: BTreeSet<u32>) -> bool {
        let has_room = !self.is_empty() && self.room_for_effects() > 0;
        let Some(effect) = LayerEffect::new(kind, held).filter(|_| has_room) else { return false };
        self.may_have_effects = true;
        self.change_effects(of, |effects| {
            effects.push(effect);
            true
        })
    }

    /// Removes an effect by its place.
    pub fn remove_effect(&mut self, of: Option<LayerId>, place: usize) -> bool {
        self.change_effects(of, |effects| {
            let is_there = place < effects.len();
            if is_there {
                effects.remove(place);
            }
            is_there
        })
    }

    /// Moves an effect to another place among those of its layer: the first one works first.
    pub fn move_effect(&mut self, of: Option<LayerId>, place: usize, to: usize) -> bool {
        self.change_effects(of, |effects| {
            let to = to.min(effects.len().saturating_sub(1));
            let moves = place < effects.len() && place != to;
            if moves {
                let effect = effects.remove(place);
                effects.insert(to, effect);
            }
            moves
        })
    }

    /// Switches an effect on or off.
    pub fn switch_effect(&mut self, of: Option<LayerId>, place: usize, is_on: bool) -> bool {
        self.change_effects(of, |effects| effects.get_mut(place).is_some_and(|effect| effect.set_on(is_on)))
    }

    /// Gives a parameter of an effect, by its id, the nearest value that it may have. One by which effects would be done too many times stays.
    pub fn set_effect(&mut self, of: Option<LayerId>, place: usize, parameter: &str, value: f64) -> bool {
        let room = self.room_for_effects();
        let set = |effect: &mut LayerEffect| {
            let mut other = effect.clone();
            let is_other = other.set(parameter, value) && other.times() <= effect.times() + room;
            if is_other {
                *effect = other;
            }
            is_other
        };
        self.change_effects(of, |effects| effects.get_mut(place).is_some_and(set))
    }

    fn change_effects(&mut self, of: Option<LayerId>, change: impl FnOnce(&mut Vec<LayerEffect>) -> bool) -> bool {
        match of {
            Some(id) => self.change(id, |layer| change(&mut layer.effects)),
            None => change(&mut self.effects),
        }
    }
}
