//! What measures depend on: measures are shown only where the state that is shown has the same key.

use std::sync::{Arc, Weak};

use skinscope_anim::Layers;
use skinscope_deform::ParameterSettings;
use skinscope_inspect::measure::Wanted;
use skinscope_model::{ClipId, Model};

use crate::{Edits, MethodChoice};

/// The pose, method and model that measures belong to, and what was asked.
#[derive(Clone, Debug)]
pub struct MeasureKey {
    pub(super) model: Weak<Model>,
    /// Counts the poses of the session.
    pub(super) pose: u64,
    /// How the surface is deformed.
    pub(super) choice: MethodChoice,
    pub(super) wanted: Wanted,
}

impl MeasureKey {
    /// Returns what was asked.
    #[must_use]
    pub fn wanted(&self) -> Wanted {
        self.wanted
    }
}

impl PartialEq for MeasureKey {
    fn eq(&self, other: &Self) -> bool {
        self.model.ptr_eq(&other.model)
            && (self.pose, self.wanted) == (other.pose, other.wanted)
            && self.choice == other.choice
    }
}

/// What the measures of a clip depend on.
#[derive(Clone, Debug)]
pub struct CurvesKey {
    pub(super) model: Weak<Model>,
    pub(super) clip: ClipId,
    pub(super) choice: MethodChoice,
    pub(super) parameters: ParameterSettings,
    pub(super) edits: Arc<Edits>,
    /// The clips that are blended over the one that is shown.
    pub(super) layers: Layers,
    /// Whether root motion is removed.
    pub(super) in_place: bool,
}

impl PartialEq for CurvesKey {
    fn eq(&self, other: &Self) -> bool {
        self.model.ptr_eq(&other.model)
            && (self.clip, self.choice) == (other.clip, other.choice)
            && (self.layers, self.in_place) == (other.layers, other.in_place)
            && self.parameters == other.parameters
            && (Arc::ptr_eq(&self.edits, &other.edits) || self.edits == other.edits)
    }
}

/// What the moment of a clip depends on at which both sides of a comparison are farthest apart.
#[derive(Clone, Debug)]
pub struct WorstMomentKey {
    /// The first side.
    pub(super) shown: CurvesKey,
    /// The model of the second side.
    pub(super) compared: Weak<Model>,
    /// How the second side is deformed.
    pub(super) choice: MethodChoice,
}

impl PartialEq for WorstMomentKey {
    fn eq(&self, other: &Self) -> bool {
        self.shown == other.shown && self.compared.ptr_eq(&other.compared) && self.choice == other.choice
    }
}
