//! The table of methods.

use crate::bones::Bones;
use crate::islands::Islands;
use crate::progress::Progress;
use crate::rows::{self, Rows};
use crate::shape::Shape;
use crate::surface::Surface;
use crate::{BindError, BindSettings, BindShape, Fallback, Joint};

/// A method that finds weights. A new one is a file with such a row, and a line in [`BINDERS`](crate::BINDERS).
#[derive(Debug)]
pub struct Binder {
    /// The name on the command line.
    pub id: &'static str,
    /// The name in the window.
    pub label: &'static str,
    /// A sentence that says what it does and what it is good for.
    pub help: &'static str,
    /// The paper that describes it; empty where there is none.
    pub source: &'static str,
    /// The numbers that can be set.
    pub parameters: &'static [BinderParameter],
    /// Gives every place of the surface shares of joints. Places that get none are given those of the places around them.
    pub(crate) run: fn(&mut Body, &BindSettings, Progress) -> Result<Found, BindError>,
}

/// A number of a method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BinderParameter {
    /// Its name, which no other parameter of a method has.
    pub id: &'static str,
    /// What it is called in the window.
    pub label: &'static str,
    /// A sentence that says what it does.
    pub help: &'static str,
    /// The least and the largest value.
    pub range: [f64; 2],
    /// The value where none is set.
    pub default: f64,
    /// How many decimals are shown; with 0 only whole numbers make sense.
    pub decimals: u8,
}

/// Everything that methods look at.
pub struct Body<'s> {
    pub shape: &'s Shape,
    /// It is forgotten while equations are solved.
    pub surface: Surface<'s>,
    pub islands: &'s Islands,
    pub bones: &'s Bones,
    pub joints: &'s [Joint],
}

impl Body<'_> {
    /// Returns the rows half the way to the mean of their neighbours. `importance` says how much a neighbour counts by the weight of the edge to
    /// it.
    pub fn smoothed(
        &self,
        rows: &Rows,
        importance: &(dyn Fn(f64) -> f64 + Sync),
        progress: Progress,
    ) -> Result<Rows, BindError> {
        let row = |place: usize| {
            let around = self.shape.edges.row(place);
            let sum: f64 = around.iter().map(|(_, weight)| importance(f64::from(*weight))).sum();
            let part =
                |(next, weight): &(u32, f32)| (&rows[*next as usize][..], 0.5 * importance(f64::from(*weight)) / sum);
            let own = if around.is_empty() { 1.0 } else { 0.5 };
            rows::sum(std::iter::once((&rows[place][..], own)).chain(around.iter().map(part)))
        };
        progress.by_chunk(rows.len(), 1024, &|range| range.map(row).collect())
    }
}

/// What a method finds.
#[derive(Debug, Default)]
pub struct Found {
    /// For each place shares of joints, which need not sum to 1; none where it found nothing.
    pub rows: Rows,
    /// The pieces that it could not bind by itself.
    pub fallback: Vec<Fallback>,
    /// What it looked at, in the space of the shape.
    pub shapes: Vec<BindShape>,
}
