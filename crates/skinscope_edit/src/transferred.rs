//! What is reported of weights that were transferred.

use std::collections::{BTreeMap, BTreeSet};

use skinscope_model::PrimitiveId;

/// How far the vertices of a model are from the points whose weights they took, and which weights could not be taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transferred {
    /// How many vertices were compared.
    pub vertices: usize,
    /// The mean distance to the point whose weights a vertex takes, metres; to the closest one where it takes those around it.
    pub mean: f64,
    /// The largest distance, metres.
    pub largest: f64,
    /// The largest change of the weight of a joint; 0 where the vertices had these weights.
    pub change: f64,
    /// The vertex with the largest distance: its primitive, and its number there.
    pub at: Option<(PrimitiveId, usize)>,
    /// How many vertices stay as they are because no joint here answers to the name of one that moves the other surface there.
    pub unmatched: usize,
    /// How many vertices took their weights from those around them, since no point of the other surface that faces as they do lies near.
    pub inpainted: usize,
    /// How many vertices took the weights of another piece of the same model that lies between them and the other surface.
    pub layered: usize,
    /// How many pieces the surfaces have that no edge joins.
    pub islands: usize,
    /// The names of the joints of the other model whose weights had no joint to go to here, in the order of that model.
    pub missing: Vec<String>,
    /// The same by the primitives whose vertices were compared, without those that others of them share.
    pub(crate) parts: BTreeMap<PrimitiveId, TransferredPart>,
}

/// What was counted of the vertices of a primitive.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TransferredPart {
    pub vertices: usize,
    /// The sum of all distances, metres.
    pub sum: f64,
    pub largest: f64,
    pub at: Option<(PrimitiveId, usize)>,
    pub unmatched: usize,
    pub inpainted: usize,
    pub layered: usize,
    /// The pieces that its vertices are of, by their numbers among all.
    pub pieces: BTreeSet<usize>,
}

impl Transferred {
    /// Returns the same of some parts alone. The change and the missing names are those of all.
    pub(crate) fn of_parts(&self, parts: &[&TransferredPart]) -> Self {
        let mut out = Self { change: self.change, missing: self.missing.clone(), ..Self::default() };
        let (mut sum, mut pieces) = (0.0, BTreeSet::<usize>::new());
        for part in parts {
            out.vertices += part.vertices;
            out.unmatched += part.unmatched;
            out.inpainted += part.inpainted;
            out.layered += part.layered;
            sum += part.sum;
            pieces.extend(&part.pieces);
            if out.at.is_none() || part.largest > out.largest {
                (out.largest, out.at) = (part.largest, part.at);
            }
        }
        out.mean = sum / out.vertices.max(1) as f64;
        out.islands = pieces.len();
        out
    }
}
