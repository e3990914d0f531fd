//! Ids of what stands in tables, as commands carry them: of methods, overlays, tools, measures, examples and their parts. A text that
//! names one is read back to the row's own id.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use skinscope_deform::{METHODS, NORMAL_MODES, PASSES};
use skinscope_edit::OPERATIONS;
use skinscope_examples::{SCENES, interned_text};
use skinscope_frame::{LOOKS, TONE_MAPS};
use skinscope_inspect::{OVERLAYS, measure::MEASURES};

/// The id of a row of a table, or of a part of what the row describes. It is a type of its own name since serde would borrow a
/// plain text from what is read.
pub(crate) type Id = &'static str;

/// Every id that a command may carry.
fn all() -> impl Iterator<Item = Id> {
    let parameters = METHODS.iter().flat_map(|m| m.parameters).chain(PASSES.iter().flat_map(|p| p.parameters));
    let methods =
        METHODS.iter().map(|m| m.id).chain(PASSES.iter().map(|p| p.id)).chain(NORMAL_MODES.iter().map(|n| n.id));
    let parts = |scene: &&'static skinscope_examples::Scene| {
        scene.sliders.iter().copied().chain(scene.symbols.iter().map(|s| s.id)).collect::<Vec<Id>>()
    };
    methods
        .chain(parameters.map(|p| p.id))
        .chain(OVERLAYS.iter().map(|o| o.id))
        .chain(LOOKS.iter().map(|look| look.id))
        .chain(TONE_MAPS.iter().map(|map| map.id))
        .chain(OPERATIONS.iter().map(|o| o.id))
        .chain(MEASURES.iter().map(|m| m.id))
        .chain(SCENES.iter().map(|scene| scene.id))
        .chain(SCENES.iter().flat_map(parts))
}

fn known<E: Error>(text: &str) -> Result<Id, E> {
    all()
        .find(|id| *id == text)
        .or_else(|| interned_text(text))
        .ok_or_else(|| E::custom(format!("nothing has the id \"{text}\"")))
}

/// Reads an id.
pub(crate) fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Id, D::Error> {
    known(&String::deserialize(deserializer)?)
}

/// Reads an id, or none.
pub(crate) fn optional<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Id>, D::Error> {
    Option::<String>::deserialize(deserializer)?.map(|text| known(&text)).transpose()
}
