//! What is known of transferred weights while they are transferred.

use std::collections::BTreeSet;

use skinscope_model::PrimitiveId;
use skinscope_weights::Shares;

use crate::Transferred;

/// The weights that a welded vertex takes.
#[derive(Clone, Debug, Default)]
pub(super) struct Taken {
    /// Keys of joints, the largest share first; none where the welded vertex stays as it is.
    pub shares: Shares,
    pub is_inpainted: bool,
    /// Whether the weights are those of the layer below it.
    pub is_layered: bool,
    /// Whether some of the weights go to joints that have no counterpart here.
    pub is_partial: bool,
    /// The distance to the point whose weights it takes, else to the closest point of the other surface; `None` where there is none.
    pub distance: Option<f64>,
    /// Where the other surface has vertices at the same place that face alike: what each member takes of the one that is most like it. Empty
    /// elsewhere.
    pub own: Vec<Shares>,
}

/// What is reported, while it is counted.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub report: Transferred,
    pub sum: f64,
    pub missing: Missing,
}

/// What has no counterpart here of what was wanted.
#[derive(Debug, Default)]
pub(super) struct Missing {
    /// The nodes of the other model without a counterpart whose weights were wanted.
    pub nodes: BTreeSet<u32>,
    /// Whether a vertex, since this was last set to false, was to get some of their weights.
    pub is_partial: bool,
}

impl Report {
    /// Counts a vertex: its primitive, its number there, and the number of its piece.
    pub fn count(&mut self, taken: &Taken, at: Option<(PrimitiveId, usize)>, piece: usize) {
        let Some(distance) = taken.distance else { return };
        let report = &mut self.report;
        report.vertices += 1;
        self.sum += distance;
        report.inpainted += usize::from(taken.is_inpainted);
        report.layered += usize::from(taken.is_layered);
        report.unmatched += usize::from(taken.shares.is_empty());
        if report.at.is_none() || distance > report.largest {
            (report.largest, report.at) = (distance, at);
        }
        let Some((primitive, _)) = at else { return };
        let part = report.parts.entry(primitive).or_default();
        part.vertices += 1;
        part.sum += distance;
        part.inpainted += usize::from(taken.is_inpainted);
        part.layered += usize::from(taken.is_layered);
        part.unmatched += usize::from(taken.shares.is_empty());
        part.pieces.insert(piece);
        if part.at.is_none() || distance > part.largest {
            (part.largest, part.at) = (distance, at);
        }
    }
}
