//! One row of the vertex spreadsheet: a stored vertex and its influences.

use skinscope_model::{InfluencesRef, Model, NodeId, WeightFormat};

use super::TablePart;
use crate::symmetry::{NO_IMAGE, why_not_judged};
use crate::{PerVertex, VertexRef};

/// One vertex of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The part of the model that it belongs to.
    pub part: TablePart,
    /// Its number in the file.
    pub vertex: usize,
}

/// An influence of a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The joint.
    pub node: NodeId,
    /// Its index in the skin.
    pub slot: u16,
    /// The weight that the file stores.
    pub weight: f32,
    /// The format in which it is stored.
    pub format: WeightFormat,
}

impl Row {
    /// Returns the vertex as drawn.
    #[must_use]
    pub fn vertex_ref(&self) -> VertexRef {
        VertexRef { instance: self.part.instance, primitive: self.part.primitive, vertex: self.vertex }
    }

    /// Returns its influences with a weight other than zero, the heaviest first.
    #[must_use]
    pub fn pairs(&self, model: &Model) -> Vec<Pair> {
        let Some(influences) = self.part.influences(model) else { return Vec::new() };
        let nodes = &model.skins[self.part.skin.index()].joints;
        let (joints, weights) = influences.of(self.vertex);
        let used = joints.iter().zip(weights).enumerate().filter(|(_, (_, w))| **w != 0.0);
        let pair = |(i, (slot, weight)): (usize, (&u16, &f32))| {
            let (node, format) = (nodes[*slot as usize], influences.format_of(i));
            Pair { node, slot: *slot, weight: *weight, format }
        };
        let mut out: Vec<Pair> = used.map(pair).collect();
        out.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        out
    }

    /// Returns how many of its weights are not zero.
    #[must_use]
    pub fn count(&self, model: &Model) -> usize {
        self.part.influences(model).map_or(0, |i| i.used(self.vertex))
    }

    /// Returns the sum of its weights.
    #[must_use]
    pub fn sum(&self, model: &Model) -> f64 {
        self.part.influences(model).map_or(0.0, |i| i.sum(self.vertex))
    }

    /// Returns whether the sum is one, see [`InfluencesRef::sums_to_one`].
    #[must_use]
    pub fn sums_to_one(&self, model: &Model) -> bool {
        self.part.influences(model).is_none_or(|i| i.sums_to_one(self.vertex))
    }

    /// Returns the largest difference between one of its weights and that of its mirror image, from `values` (see
    /// [`crate::InspectedValues::asymmetry`]); fails with why it was not compared with any.
    ///
    /// # Errors
    ///
    /// A few words, where the vertex was not compared.
    pub fn asymmetry(&self, values: &PerVertex) -> Result<f32, &'static str> {
        let value = values.of(self.part.mesh, self.part.primitive).get(self.vertex).copied().unwrap_or(NO_IMAGE);
        why_not_judged(value).map_or(Ok(value), Err)
    }

    /// Returns the weight of the vertex for a joint, which is given by its index in the skin.
    #[must_use]
    pub fn weight(&self, model: &Model, slot: u16) -> f32 {
        self.part.influences(model).map_or(0.0, |i| weight_of(i, self.vertex, slot))
    }
}

impl Pair {
    /// Returns the integer that the file stores for its weight; `None` where it stores floats.
    #[must_use]
    pub fn integer(&self) -> Option<u32> {
        let steps = match self.format {
            WeightFormat::U8 => 255.0,
            WeightFormat::U16 => 65_535.0,
            WeightFormat::F32 => return None,
        };
        Some((self.weight * steps).round() as u32)
    }
}

/// Returns the weight of a joint; a vertex may name it twice, and both weights count.
pub(super) fn weight_of(influences: InfluencesRef<'_>, vertex: usize, slot: u16) -> f32 {
    let (joints, weights) = influences.of(vertex);
    joints.iter().zip(weights).filter(|(j, _)| **j == slot).map(|(_, w)| *w).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_those_of_the_file() {
        let integer = |weight, format| Pair { node: NodeId(0), slot: 0, weight, format }.integer();
        assert_eq!(integer(158.0 / 255.0, WeightFormat::U8), Some(158));
        assert_eq!(integer(40_632.0 / 65_535.0, WeightFormat::U16), Some(40_632));
        assert_eq!(integer(0.62, WeightFormat::F32), None);
    }
}
