//! Operations that change weights: one file and one row of [`OPERATIONS`] each.
//!
//! An operation works on a [`Sheet`], a plain copy of all weights in double precision beside the rest surface, and knows
//! nothing of files, windows or sessions. What is stored is rounded once, when all operations are done ([`Stored`]).

mod best;
mod binds;
mod hammer;
mod limit;
mod mirror;
mod normalise;
mod prune;
mod quantise;
mod rogues;
mod rounding;
mod rules;
mod sheet;
mod smooth;
mod surface;
mod table;
mod weld;

pub use rounding::value;
pub use rules::REPAIRED;
pub use sheet::Sheet;
pub use surface::{Part, Surface};
pub use table::{Stored, Table};

use crate::model::WeightFormat;

/// Something that can be done to weights.
#[derive(Debug)]
pub struct Operation {
    /// The name on the command line and in JSON.
    pub id: &'static str,
    /// The name in menus.
    pub label: &'static str,
    /// One sentence: what it does.
    pub help: &'static str,
    /// The name of what follows the option on the command line; empty where nothing does.
    pub argument: &'static str,
    /// Changes the sheet.
    pub run: fn(&mut Sheet, &Settings),
}

/// Every operation, in the order in which `skinscope fix` carries them out.
pub static OPERATIONS: &[&Operation] = &[
    &normalise::NORMALISE,
    &prune::PRUNE,
    &limit::LIMIT,
    &quantise::QUANTISE,
    &rogues::REMOVE_ROGUES,
    &weld::WELD_SEAMS,
    &mirror::MIRROR,
    &smooth::SMOOTH,
    &hammer::HAMMER,
    &binds::INVERSE_BINDS,
    &rules::RULES,
];

/// An axis of mesh space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Axis {
    #[default]
    X,
    Y,
    Z,
}

/// The numbers that operations take; each reads those that it needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Prune: weights below this go.
    pub threshold: f64,
    /// Limit: the most joints of a vertex.
    pub limit: usize,
    /// Limit: choose joints and weights that keep the surface nearest, in place of the largest.
    pub best: bool,
    /// Quantise: how weights are to be stored.
    pub format: WeightFormat,
    /// Mirror: across the plane through 0 that this axis is at right angles to.
    pub axis: Axis,
    /// Mirror: the negative side is copied to the positive one, in place of the other way round.
    pub from_negative: bool,
    /// Smooth: how often.
    pub times: usize,
    /// Smooth: how far a vertex goes to the mean of its neighbours each time, 0 to 1.
    pub strength: f64,
    /// Rules: ids of the rules of the checker whose findings are repaired.
    pub rules: Vec<&'static str>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            threshold: 0.01,
            limit: 4,
            best: false,
            format: WeightFormat::U8,
            axis: Axis::X,
            from_negative: false,
            times: 1,
            strength: 0.5,
            rules: REPAIRED.to_vec(),
        }
    }
}

/// The operation with an id.
#[must_use]
pub fn operation(id: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().copied().find(|operation| operation.id == id)
}

/// Runs an operation; of how many vertices it changed what would be stored. Vertices of primitives that share their
/// weights count once.
pub fn apply(operation: &Operation, sheet: &mut Sheet, settings: &Settings) -> usize {
    let before = sheet.stored();
    (operation.run)(sheet, settings);
    let changed = |(table, before): (&Table, &Stored)| table.stored().changed_vertices(before, table.per_vertex).len();
    sheet.tables.iter().zip(&before).map(changed).sum()
}
