//! The undo history of the view: what is shown and how, apart from the history of edits, so that going back to an earlier overlay takes no
//! edit back.

use std::collections::BTreeSet;
use std::sync::Arc;

use skinscope_base::math::Ramp;
use skinscope_deform::{Deformer, PaletteBuffer, PaletteRows, ParameterSettings};
use skinscope_frame::{Look, ToneMap};
use skinscope_inspect::{BoneShape, Overlay};
use skinscope_model::NodeId;

use crate::menus::toggles::Toggles;
use crate::{
    Antialiasing, EnvironmentCommand, EnvironmentView, Lighting, MethodChoice, Onion, Subdivide, View, ViewCommand,
};

/// How many steps are stored.
pub(crate) const MOST_STEPS: usize = 1000;

macro_rules! settings {
    ($($field:ident: $type:ty,)*) => {
        /// The settings of a [`View`] that steps of its history restore. Camera, selection and scene are not among them.
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) struct ViewSettings {
            /// All switches, so that each is covered.
            toggles: Toggles,
            choice: MethodChoice,
            $($field: $type,)*
        }

        impl ViewSettings {
            /// Returns the settings of a view.
            pub(crate) fn of(view: &View) -> Self {
                Self { toggles: view.toggles, choice: view.choice(), $($field: view.$field.clone(),)* }
            }

            /// Returns these settings with those as in `to` that differ between `from` and `to`.
            fn with_change(&self, from: &Self, to: &Self) -> Self {
                Self {
                    toggles: self.toggles.with_change(from.toggles, to.toggles),
                    choice: if from.choice == to.choice { self.choice } else { to.choice },
                    $($field: if from.$field == to.$field { self.$field.clone() } else { to.$field.clone() },)*
                }
            }

            /// Gives a view these settings.
            pub(crate) fn show(self, view: &mut View) {
                view.toggles = self.toggles;
                MethodChoice { method: view.method, pass: view.pass, normals: view.normals } = self.choice;
                $(view.$field = self.$field;)*
            }
        }
    };
}

settings! {
    overlay: Option<&'static Overlay>,
    look: &'static Look,
    tone_map: &'static ToneMap,
    environment: EnvironmentView,
    ramp: Ramp,
    parameters: ParameterSettings,
    onion: Onion,
    bone_shape: BoneShape,
    bone_size: f32,
    deforming_only: Option<bool>,
    hidden: Arc<BTreeSet<NodeId>>,
    skin_opacity: f32,
    distance_scale: Option<f32>,
    lighting: Lighting,
    antialiasing: Antialiasing,
    palette_buffer: PaletteBuffer,
    palette_rows: PaletteRows,
    deformer: Deformer,
    subdivision: Subdivide,
    influence_limit: usize,
}

/// A change of the view.
#[derive(Clone, Debug)]
struct ViewStep {
    before: ViewSettings,
    after: ViewSettings,
}

/// The value that a slider changes. Changes of one value that follow each other are one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DraggedValue {
    BoneSize,
    Onion,
    SkinOpacity,
    InfluenceLimit,
    EnvironmentRotation,
    EnvironmentExposure,
    /// A parameter of a method or pass, by its id.
    Parameter(&'static str),
}

impl DraggedValue {
    /// Returns the value that a command changes as one of many while a slider is dragged; `None` for every other command.
    pub(crate) fn of(command: &ViewCommand) -> Option<Self> {
        match command {
            ViewCommand::SetBoneSize(_) => Some(Self::BoneSize),
            ViewCommand::SetOnion(_) => Some(Self::Onion),
            ViewCommand::SetSkinOpacity(_) => Some(Self::SkinOpacity),
            ViewCommand::SetInfluenceLimit(_) => Some(Self::InfluenceLimit),
            ViewCommand::Environment(EnvironmentCommand::Turn(_)) => Some(Self::EnvironmentRotation),
            ViewCommand::Environment(EnvironmentCommand::Expose(_)) => Some(Self::EnvironmentExposure),
            ViewCommand::SetParameter(id, _) => Some(Self::Parameter(id)),
            _ => None,
        }
    }
}

/// The changes of the view that can be undone and redone: switches, overlay, method, hidden nodes and all other settings that a
/// [`ViewCommand`] changes, except the scene, the material variant, the crowd and the tool. A step restores what it has changed and nothing
/// else. The history ends when another file is opened.
#[derive(Clone, Debug, Default)]
pub(crate) struct ViewHistory {
    past: Arc<Vec<ViewStep>>,
    future: Arc<Vec<ViewStep>>,
    /// The value that the last step has changed, where the next change of it belongs to the same step.
    dragged: Option<DraggedValue>,
}

impl ViewHistory {
    /// Adds the step from `before` to the settings of `view`, unless they are the same.
    pub(crate) fn add(&mut self, before: ViewSettings, view: &View, dragged: Option<DraggedValue>) {
        let after = ViewSettings::of(view);
        if before == after {
            return;
        }
        self.future = Arc::default();
        let past = Arc::make_mut(&mut self.past);
        match past.last_mut().filter(|_| dragged.is_some() && self.dragged == dragged) {
            Some(step) => step.after = after,
            None => {
                if past.len() == MOST_STEPS {
                    past.remove(0);
                }
                past.push(ViewStep { before, after });
            }
        }
        self.dragged = dragged;
    }

    /// Goes back to before the last step. Steps that would change nothing now are passed over. Returns whether the view has changed.
    pub(crate) fn undo(&mut self, view: &mut View) -> bool {
        self.dragged = None;
        take_step(Arc::make_mut(&mut self.past), Arc::make_mut(&mut self.future), view, |step, now| {
            now.with_change(&step.after, &step.before)
        })
    }

    /// Repeats the step that was undone last, as [`ViewHistory::undo`] goes back.
    pub(crate) fn redo(&mut self, view: &mut View) -> bool {
        self.dragged = None;
        take_step(Arc::make_mut(&mut self.future), Arc::make_mut(&mut self.past), view, |step, now| {
            now.with_change(&step.before, &step.after)
        })
    }

    /// Gives the nodes that steps hide the ids that they have in a newer version of the file. Nodes without one are left out.
    pub(crate) fn follow_nodes(&mut self, find: impl Fn(NodeId) -> Option<NodeId>) {
        for step in Arc::make_mut(&mut self.past).iter_mut().chain(Arc::make_mut(&mut self.future)) {
            for settings in [&mut step.before, &mut step.after] {
                settings.hidden = Arc::new(settings.hidden.iter().filter_map(|node| find(*node)).collect());
            }
        }
    }

    /// Returns whether there is a step back that would change `view`.
    #[must_use]
    pub fn can_undo(&self, view: &View) -> bool {
        let now = ViewSettings::of(view);
        self.past.iter().any(|step| now.with_change(&step.after, &step.before) != now)
    }

    /// Returns whether there is a step forward that would change `view`.
    #[must_use]
    pub fn can_redo(&self, view: &View) -> bool {
        let now = ViewSettings::of(view);
        self.future.iter().any(|step| now.with_change(&step.before, &step.after) != now)
    }
}

/// Moves steps from `source` to `target` up to the first that changes `view`, and shows what `changed` makes of it. Returns whether there was one.
fn take_step(
    source: &mut Vec<ViewStep>,
    target: &mut Vec<ViewStep>,
    view: &mut View,
    changed: impl Fn(&ViewStep, &ViewSettings) -> ViewSettings,
) -> bool {
    let now = ViewSettings::of(view);
    while let Some(step) = source.pop() {
        let next = changed(&step, &now);
        target.push(step);
        if next != now {
            next.show(view);
            return true;
        }
    }
    false
}
