//! The order of triangles and vertices on the device, chosen so that a deformed vertex is still in the device's cache
//! when the next triangle needs it. Users see the order of the model; this one exists only in the device's copy.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use skinscope_model::{Primitive, Topology};

/// The vertex in each slot of the device's copy. Clones share their lists.
#[derive(Clone, Debug, Default)]
pub struct VertexOrder(Arc<OrderLists>);

#[derive(Debug, Default)]
struct OrderLists {
    /// The vertex in each slot; empty where each vertex is in the slot with its own index.
    vertices: Vec<u32>,
    /// The slot of each vertex, computed on the first call of [`VertexOrder::slot`].
    slots: OnceLock<Vec<u32>>,
}

impl VertexOrder {
    /// Returns the vertex in a slot.
    #[must_use]
    pub fn vertex(&self, slot: usize) -> usize {
        self.0.vertices.get(slot).map_or(slot, |v| *v as usize)
    }

    /// Returns whether the order is that of the model: each vertex is in the slot with its own index.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.0.vertices.is_empty()
    }

    /// Returns the slot of a vertex; the inverse of [`VertexOrder::vertex`]. The first call computes a list of all
    /// slots.
    #[must_use]
    pub fn slot(&self, vertex: usize) -> usize {
        let slots = self.0.slots.get_or_init(|| {
            let mut slots = vec![0; self.0.vertices.len()];
            for (slot, vertex) in self.0.vertices.iter().enumerate() {
                slots[*vertex as usize] = slot as u32;
            }
            slots
        });
        slots.get(vertex).map_or(vertex, |slot| *slot as usize)
    }

    /// Converts a list by vertex to a list by slot.
    #[must_use]
    pub fn arranged<'a, T: Copy>(&self, by_vertex: &'a [T]) -> Cow<'a, [T]> {
        if self.is_own() {
            return Cow::Borrowed(by_vertex);
        }
        Cow::Owned(self.0.vertices.iter().map(|v| by_vertex[*v as usize]).collect())
    }
}

/// The assumed size of the device's cache, in vertices.
const CACHE: u32 = 16;
/// An order is good where each vertex is deformed no more often than this on average; the best orders come to 1.1 to
/// 1.2.
const GOOD: f32 = 1.3;
/// Below this many indices no order costs anything.
const SMALL: usize = 3 * 1024;

/// Above this many indices the search takes longer than a picture or two gain from it.
const CHEAP: usize = 3 * 100_000;

/// Returns whether [`improved`] costs little beside the upload of the primitive.
pub(crate) fn is_cheap(p: &Primitive) -> bool {
    p.indices.len() <= CHEAP
}

/// Finds a better order of the triangles, and that of the vertices by their first use in it (stored ones before those
/// that were split off from them); `None` where the present one is good enough.
pub(crate) fn improved(p: &Primitive) -> Option<(Vec<u32>, VertexOrder)> {
    let count = p.positions.len();
    if p.topology != Topology::Triangles || p.indices.len() < SMALL {
        return None;
    }
    if meshopt::analyze_vertex_cache(&p.indices, count, CACHE, 0, 0).atvr <= GOOD {
        return None;
    }
    // Each part of the list keeps its triangles.
    let better = |list: &[u32]| meshopt::optimize_vertex_cache_fifo(list, count, CACHE);
    let mut indices = match &p.parts[..] {
        [] => better(&p.indices),
        parts => parts.iter().flat_map(|part| better(&p.indices[part.indices.clone()])).collect(),
    };
    let order = order_of_use(&mut indices, count, p.stored_vertices.min(count));
    Some((indices, order))
}

/// Numbers the vertices by the slot where `indices` first names them.
fn order_of_use(indices: &mut [u32], count: usize, stored: usize) -> VertexOrder {
    const UNSEEN: u32 = u32::MAX;
    let mut slots = vec![UNSEEN; count];
    let mut vertices = vec![0; count];
    let mut next = [0, stored];
    let mut slot_of = |vertex: u32| {
        let slot = &mut slots[vertex as usize];
        if *slot == UNSEEN {
            let next = &mut next[usize::from(vertex as usize >= stored)];
            *slot = *next as u32;
            vertices[*next] = vertex;
            *next += 1;
        }
        *slot
    };
    indices.iter_mut().for_each(|i| *i = slot_of(*i));
    // A vertex that no triangle uses comes last; it is still shown as a dot.
    (0..count as u32).for_each(|vertex| {
        slot_of(vertex);
    });
    VertexOrder(Arc::new(OrderLists { vertices, slots: OnceLock::new() }))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;

    /// Makes a tube whose triangles come in an order in which no two neighbours meet, with some vertices split off at
    /// the end and one that nothing uses.
    fn shuffled() -> Primitive {
        let model = tube(Tube { rings: 60, sides: 40, joints: 4, ..Tube::default() });
        let mut p = model.meshes[0].primitives[0].clone();
        let triangles = p.indices.len() / 3;
        // The step is coprime to the number of triangles (2 · 40 · 59).
        let shuffled = (0..triangles).map(|t| t * 1009 % triangles);
        p.indices = shuffled.flat_map(|t| p.indices[3 * t..3 * t + 3].to_vec()).collect();
        p.positions.push(p.positions[0]);
        p.stored_vertices = 2000;
        p
    }

    fn triangles(indices: &[u32]) -> BTreeSet<[u32; 3]> {
        // Triangles are rotated so that the smallest number comes first, which keeps the winding.
        let turned = |t: &[u32; 3]| {
            let least = (0..3).min_by_key(|i| t[*i]).unwrap();
            [t[least], t[(least + 1) % 3], t[(least + 2) % 3]]
        };
        indices.as_chunks().0.iter().map(turned).collect()
    }

    #[test]
    fn the_same_triangles_come_in_a_better_order() {
        let p = shuffled();
        let (indices, order) = improved(&p).unwrap();
        let named: Vec<u32> = indices.iter().map(|slot| order.vertex(*slot as usize) as u32).collect();
        assert_eq!(triangles(&named), triangles(&p.indices));
        assert_eq!(indices.len(), p.indices.len());
        let atvr = |indices: &[u32]| meshopt::analyze_vertex_cache(indices, p.positions.len(), CACHE, 0, 0).atvr;
        assert!(atvr(&p.indices) > 5.0 && atvr(&indices) < GOOD, "{} {}", atvr(&p.indices), atvr(&indices));
    }

    #[test]
    fn vertices_come_as_they_are_used_and_split_ones_after_all_others() {
        let p = shuffled();
        let (indices, order) = improved(&p).unwrap();
        let mut seen = [0, p.stored_vertices];
        for slot in &indices {
            let next = &mut seen[usize::from(*slot as usize >= p.stored_vertices)];
            assert!(*slot as usize <= *next, "{slot} before {next}");
            *next = (*next).max(*slot as usize + 1);
        }
        for slot in 0..p.positions.len() {
            assert_eq!(order.slot(order.vertex(slot)), slot);
            assert_eq!(order.vertex(slot) < p.stored_vertices, slot < p.stored_vertices);
        }
        let numbers: Vec<usize> = (0..p.positions.len()).collect();
        assert!(order.arranged(&numbers).iter().enumerate().all(|(slot, vertex)| order.vertex(slot) == *vertex));
    }

    #[test]
    fn a_good_order_stays() {
        let mut p = shuffled();
        let (indices, order) = improved(&p).unwrap();
        p.indices = indices.iter().map(|slot| order.vertex(*slot as usize) as u32).collect();
        assert!(improved(&p).is_none());
        p.topology = Topology::Lines;
        p.indices.reverse();
        assert!(improved(&p).is_none(), "lines stay as they are");
        let own = VertexOrder::default();
        assert!(own.is_own() && own.vertex(7) == 7 && own.slot(3) == 3 && *own.arranged(&[5, 6]) == [5, 6]);
    }
}
