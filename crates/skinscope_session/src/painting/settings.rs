//! What brushes are set to.

use serde::{Deserialize, Serialize};
use skinscope_model::NodeId;
use skinscope_paint::{Distance, FrontFaces, MirrorAxis};
use skinscope_weights::brush::falloff;
use skinscope_weights::{FALLOFFS, exact};

/// The least distance of dabs as a share of the radius: nearer ones would never end.
const LEAST_SPACING: f64 = 0.01;

/// What a drag over the picture paints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PaintDrag {
    /// A stroke along its way.
    #[default]
    Stroke,
    /// A gradient from its first place to its last one.
    Linear,
    /// A gradient around its first place, as far as its last one.
    Radial,
}

impl PaintDrag {
    /// Returns the one that comes next, which goes round.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Stroke => Self::Linear,
            Self::Linear => Self::Radial,
            Self::Radial => Self::Stroke,
        }
    }
}

/// The settings of all brushes; each brush reads those that it needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PaintSettings {
    /// The joint that gets what the painted one loses.
    pub to: Option<NodeId>,
    /// The weight that is set.
    #[serde(with = "exact")]
    pub value: f64,
    /// The factor by which weights are scaled.
    #[serde(with = "exact")]
    pub factor: f64,
    /// How much of the change a dab does at its centre, 0 to 1.
    #[serde(with = "exact")]
    pub strength: f64,
    /// How far a dab reaches, metres; 0 stands for a share of the size of the model ([`crate::Session::paint_radius`]).
    #[serde(with = "exact")]
    pub radius: f64,
    /// How a dab becomes weaker away from its centre, by the id in [`skinscope_weights::FALLOFFS`].
    pub falloff: String,
    /// How that distance is measured. In the picture it is as long as it is seen to be at the place under the pointer.
    pub distance: Distance,
    /// Whether each dab changes what the dabs before it have left; else each vertex changes once, by its strongest dab.
    pub accumulate: bool,
    /// Whether dabs go on while the pointer rests.
    pub airbrush: bool,
    /// What a drag over the picture paints.
    pub drag: PaintDrag,
    /// How far dabs of a stroke are from each other, as a share of the radius.
    #[serde(with = "exact")]
    pub spacing: f64,
    /// The brush takes no weight below this.
    #[serde(with = "exact")]
    pub floor: f64,
    /// The brush takes no weight above this.
    #[serde(with = "exact")]
    pub ceiling: f64,
    /// Whether the other joints follow, so that the sum of a vertex stays.
    pub normalise: bool,
    /// The most joints that a changed vertex keeps; `None`: as many as the file has room for.
    pub max_influences: Option<usize>,
    /// Whether each dab acts on the other side of the model too.
    pub mirror: Option<MirrorAxis>,
    /// Whether only what looks towards the eye is painted.
    pub front_only: bool,
    /// The greatest angle between the surface and the view at which that is so, degrees: 90 for all that looks towards the eye at all.
    #[serde(with = "exact")]
    pub front_angle: f64,
    /// Whether only marked vertices are painted.
    pub only_marked: bool,
    /// Whether brushes paint the mask of the layer that is worked on, and not weights; without a layer they paint weights.
    pub mask: bool,
}

/// The least angle to the view, degrees: within a smaller one nothing is painted.
const LEAST_ANGLE: f64 = 1.0;

impl Default for PaintSettings {
    fn default() -> Self {
        Self {
            to: None,
            value: 0.5,
            factor: 0.5,
            strength: 0.5,
            radius: 0.0,
            falloff: FALLOFFS[0].id.to_owned(),
            distance: Distance::Surface,
            accumulate: false,
            airbrush: false,
            drag: PaintDrag::Stroke,
            spacing: 0.25,
            floor: 0.0,
            ceiling: 1.0,
            normalise: true,
            max_influences: Some(4),
            mirror: None,
            front_only: true,
            front_angle: FrontFaces::USUAL_ANGLE,
            only_marked: false,
            mask: false,
        }
    }
}

impl PaintSettings {
    /// Returns these settings, with those from before in place of what cannot be: numbers that are not finite or out of their range, a falloff
    /// that there is not. The model has so many nodes.
    pub(super) fn usable(self, before: &Self, nodes: usize) -> Self {
        let share = |now: f64, before: f64| if now.is_finite() { now.clamp(0.0, 1.0) } else { before };
        let length = |now: f64, before: f64| if now.is_finite() { now.max(0.0) } else { before };
        let is_known = falloff(&self.falloff).is_some();
        Self {
            to: self.to.filter(|node| node.index() < nodes),
            value: share(self.value, before.value),
            factor: length(self.factor, before.factor),
            strength: share(self.strength, before.strength),
            radius: length(self.radius, before.radius),
            falloff: if is_known { self.falloff } else { before.falloff.clone() },
            spacing: length(self.spacing, before.spacing).max(LEAST_SPACING),
            floor: share(self.floor, before.floor),
            ceiling: share(self.ceiling, before.ceiling),
            front_angle: if self.front_angle.is_finite() {
                self.front_angle.clamp(LEAST_ANGLE, 180.0)
            } else {
                before.front_angle
            },
            max_influences: self.max_influences.map(|most| most.max(1)),
            ..self
        }
    }
}
