//! How joints that are placed by hand are bound: what session files keep of it beside the joints.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use skinscope_edit::{BINDERS, PlacedAxes};

/// How placed joints are bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct PlacedHow {
    /// The method that finds the weights, by its id.
    pub method: String,
    /// Which way the axes of the joints point once they are nodes.
    pub axes: PlacedAxes,
    /// The meshes that are bound, by their numbers in the file; where it is empty, all that have no skin.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub meshes: BTreeSet<u32>,
}

impl Default for PlacedHow {
    fn default() -> Self {
        let method = BINDERS.first().map(|binder| binder.id.to_owned()).unwrap_or_default();
        Self { method, axes: PlacedAxes::default(), meshes: BTreeSet::new() }
    }
}

impl PlacedHow {
    /// Returns whether nothing was chosen.
    pub(crate) fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// Chooses the method by its id, where there is such a one.
    pub(crate) fn set_method(&mut self, id: &str) {
        if BINDERS.iter().any(|binder| binder.id == id) {
            id.clone_into(&mut self.method);
        }
    }
}
