//! Statistics of weights, counted once for each model.

use std::collections::HashSet;

use skinscope_model::{Model, NodeId};

use super::Counted;
use super::pick::carrier;
use crate::tables::SkinData;

/// The effect of a joint on the mesh, over all skins and instances that use it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointStats {
    /// How many vertices it moves with a weight other than zero.
    pub vertices: usize,
    /// The sum of its weights.
    pub sum: f64,
    /// Its largest weight.
    pub largest: f32,
    /// How many of `vertices` have 1, 2, 3, 4 and more influences in all.
    pub by_influences: [usize; 5],
}

impl JointStats {
    fn add_rigid(&mut self, vertices: usize) {
        self.vertices += vertices;
        self.sum += vertices as f64;
        self.largest = if vertices > 0 { 1.0 } else { self.largest };
        self.by_influences[0] += vertices;
    }
}

/// Statistics of the weights of a whole model.
#[derive(Clone, Debug, Default)]
pub struct WeightStats {
    /// The figures of each node. Rigid parts count for the joint that carries them, and for the node that they hang on where that is
    /// another one; other nodes that are no joint have zeros.
    pub nodes: Vec<JointStats>,
    /// How many skinned vertices have 0, 1, 2, 3, 4 and more influences.
    pub by_influences: [usize; 6],
    /// How many skinned vertices have more than 1, 2, … 8 influences.
    pub over: [usize; LIMITS],
    /// The largest share of a vertex's weights that is lost in a runtime that keeps its 1, 2, … 8 largest.
    pub lost: [f64; LIMITS],
    /// How many vertices rigid parts have, which no skin moves.
    pub rigid: usize,
    /// The most influences of a vertex.
    pub most: usize,
    /// Skinned vertices whose weights do not sum to one, with the least and the greatest of their sums.
    pub uneven: Option<(usize, [f64; 2])>,
    /// The memory that the skins take.
    pub data: SkinData,
    /// For each node: whether some vertex follows it, by a weight or as a part of a rigid mesh that hangs on it.
    pub deforming: Vec<bool>,
    /// The node whose weights have the largest sum over all vertices, the first of several; those of a rigid part count as one,
    /// for the joint that it hangs on. `None` where nothing moves any.
    pub heaviest: Option<NodeId>,
    /// Whether many joints move nothing: a fifth of all or more, and six at least.
    pub many_idle: bool,
}

/// A rig has many joints that move nothing where there are this many, and this share of all.
const MANY_IDLE: (usize, f32) = (6, 0.2);

/// The limits of influences that are counted: 1, 2, … 8.
pub const LIMITS: usize = 8;

impl WeightStats {
    /// Returns how many skinned vertices have more influences than `limit`.
    #[must_use]
    pub fn over(&self, limit: usize) -> usize {
        self.over[limit.clamp(1, LIMITS) - 1]
    }

    /// Returns how many skinned vertices have some influences, and no more than `limit`.
    #[must_use]
    pub fn within(&self, limit: usize) -> usize {
        self.by_influences[1..].iter().sum::<usize>() - self.over(limit)
    }

    /// Returns how many vertices a row of a legend counts, where a runtime can use `limit` influences; `None` for a row
    /// that counts nothing.
    #[must_use]
    pub fn counted(&self, counted: &Counted, limit: usize) -> Option<usize> {
        Some(match counted {
            Counted::Nothing => return None,
            Counted::Influences(numbers) => self.by_influences[numbers.clone()].iter().sum(),
            Counted::WithinLimit => self.within(limit),
            Counted::OverLimit => self.over(limit),
            Counted::Rigid => self.rigid,
        })
    }

    /// Counts stored vertices (not those split for tangents): once for each skin that moves them, however many nodes show them and however
    /// many lists name them; of rigid parts once for each node.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        let nodes = vec![JointStats::default(); model.skeleton.len()];
        let mut out = Self { nodes, data: SkinData::of(model), ..Self::default() };
        let mut sizes = Vec::new();
        let mut seen = HashSet::new();
        for instance in &model.instances {
            let is_first = seen.insert((instance.mesh, instance.skin));
            for (list, primitive) in model.primitives(instance.mesh).enumerate() {
                if model.counted_in(instance.mesh, list, instance.skin).is_some() {
                    continue;
                }
                let skin = instance.skin.map(|s| &model.skins[s.index()]);
                let (Some(skin), Some(influences)) = (skin, primitive.influences) else {
                    out.rigid += primitive.stored_vertices;
                    let carrier = carrier(model, instance.node);
                    out.nodes[carrier.index()].add_rigid(primitive.stored_vertices);
                    if carrier != instance.node {
                        out.nodes[instance.node.index()].add_rigid(primitive.stored_vertices);
                    }
                    continue;
                };
                if !is_first {
                    continue;
                }
                for vertex in 0..primitive.stored_vertices {
                    let (joints, weights) = influences.of(vertex);
                    out.count(&skin.joints, joints, weights, &mut sizes);
                    if !influences.sums_to_one(vertex) {
                        let sum = influences.sum(vertex);
                        let (n, [least, most]) = out.uneven.unwrap_or((0, [sum; 2]));
                        out.uneven = Some((n + 1, [least.min(sum), most.max(sum)]));
                    }
                }
            }
        }
        out.count_movers(model);
        out
    }

    /// Completes the figures of each node once all vertices are counted.
    fn count_movers(&mut self, model: &Model) {
        let mut sums: Vec<f64> = self.nodes.iter().map(|n| n.sum).collect();
        // What hangs on a node is carried by the joint above it.
        for instance in model.instances.iter().filter(|i| carrier(model, i.node) != i.node) {
            sums[instance.node.index()] = 0.0;
        }
        self.deforming = sums.iter().map(|sum| *sum != 0.0).collect();
        self.heaviest = heaviest(&sums);
        let joints = || (0..model.skeleton.len()).filter(|n| model.is_joint(NodeId::from_index(*n)));
        let idle = joints().filter(|n| !self.deforming[*n]).count();
        self.many_idle = idle >= MANY_IDLE.0 && idle as f32 >= MANY_IDLE.1 * joints().count() as f32;
    }

    /// Counts one vertex; `sizes` is reusable memory.
    fn count(&mut self, nodes: &[NodeId], joints: &[u16], weights: &[f32], sizes: &mut Vec<f64>) {
        let used = weights.iter().filter(|w| **w != 0.0).count();
        self.by_influences[used.min(5)] += 1;
        self.most = self.most.max(used);
        if used > 1 {
            self.count_lost(weights, sizes);
        }
        for (i, (joint, weight)) in joints.iter().zip(weights).enumerate() {
            if *weight == 0.0 {
                continue;
            }
            let node = &mut self.nodes[nodes[*joint as usize].index()];
            node.sum += f64::from(*weight);
            node.largest = node.largest.max(*weight);
            // A joint listed twice in a vertex still moves one vertex.
            let again = joints[..i].iter().zip(weights).any(|(j, w)| j == joint && *w != 0.0);
            if !again {
                node.vertices += 1;
                node.by_influences[used.clamp(1, 5) - 1] += 1;
            }
        }
    }
}

/// Returns the index of the largest sum, the first of several.
fn heaviest(sums: &[f64]) -> Option<NodeId> {
    let all = sums.iter().enumerate().filter(|(_, sum)| **sum > 0.0);
    // Of equal ones `max_by` returns the last.
    all.rev().max_by(|a, b| a.1.total_cmp(b.1)).map(|(i, _)| NodeId::from_index(i))
}

impl WeightStats {
    /// Counts what each limit takes away from one vertex.
    fn count_lost(&mut self, weights: &[f32], sizes: &mut Vec<f64>) {
        sizes.clear();
        sizes.extend(weights.iter().filter(|w| **w != 0.0).map(|w| f64::from(w.abs())));
        sizes.sort_unstable_by(|a, b| b.total_cmp(a));
        let whole: f64 = sizes.iter().sum();
        let mut left = whole;
        for (limit, size) in sizes.iter().take(LIMITS.min(sizes.len() - 1)).enumerate() {
            left -= size;
            self.over[limit] += 1;
            self.lost[limit] = self.lost[limit].max(left / whole);
        }
    }
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;

    /// Two sets of four weights, the largest ones in the second.
    #[test]
    fn a_limit_keeps_the_largest_weights_wherever_they_are_stored() {
        let weights = [0.05, 0.10, 0.0, 0.15, 0.30, 0.0, 0.25, 0.15];
        let nodes: Vec<NodeId> = (0..8).map(NodeId).collect();
        let mut stats = WeightStats { nodes: vec![JointStats::default(); 8], ..WeightStats::default() };
        stats.count(&nodes, &[0, 1, 2, 3, 4, 5, 6, 7], &weights, &mut Vec::new());
        let lost = [0.70, 0.45, 0.30, 0.15, 0.05, 0.0, 0.0, 0.0];
        assert!(stats.lost.iter().zip(lost).all(|(a, b)| (a - b).abs() < 1e-6), "{:?}", stats.lost);
        assert_eq!((stats.over, stats.most), ([1, 1, 1, 1, 1, 0, 0, 0], 6));
        // Weights that do not sum to one lose a share of what they sum to, and the worst vertex counts.
        stats.count(&nodes, &[0, 1, 2, 3, 4, 5, 6, 7], &weights.map(|w| 3.0 * w), &mut Vec::new());
        stats.count(&nodes, &[0, 1, 2, 3], &[0.1, 0.2, 0.3, 0.4], &mut Vec::new());
        assert!(stats.lost.iter().zip(lost).all(|(a, b)| (a - b).abs() < 1e-6), "{:?}", stats.lost);
    }

    #[test]
    fn a_tube_with_two_influences_everywhere() {
        let shape = Tube { joints: 2, rings: 5, sides: 8, influences: 2, ..Tube::default() };
        let stats = WeightStats::of(&tube(shape));
        assert_eq!(stats.by_influences, [0, 0, 40, 0, 0, 0]);
        assert_eq!((stats.most, stats.nodes[0].vertices, stats.nodes[1].vertices), (2, 0, 40));
        // Weights of a vertex sum to one, and the tube is symmetric about its middle: half for each joint.
        assert!((stats.nodes[1].sum - 20.0).abs() < 1e-4 && (stats.nodes[2].sum - 20.0).abs() < 1e-4);
        assert_eq!(stats.nodes[1].by_influences, [0, 40, 0, 0, 0]);
        assert_eq!(
            (stats.heaviest.is_some(), &stats.deforming[..], stats.many_idle),
            (true, &[false, true, true][..], false)
        );
        assert_eq!(heaviest(&[0.0, 3.0, 3.0]), Some(NodeId(1)), "the first of the two");
        assert_eq!(heaviest(&[0.0; 3]), None);
    }

    #[test]
    fn rigid_parts_are_counted_apart() {
        let mut parts = (*tube(Tube { joints: 2, rings: 5, sides: 8, ..Tube::default() })).clone();
        assert_eq!(WeightStats::of(&Model::build(parts.clone()).unwrap()).rigid, 0);
        let rigid = skinscope_model::Instance { skin: None, ..parts.instances[0].clone() };
        parts.instances.push(rigid);
        let stats = WeightStats::of(&Model::build(parts).unwrap());
        assert_eq!((stats.rigid, stats.by_influences.iter().sum::<usize>()), (40, 40));
    }

    #[test]
    fn a_joint_moves_the_rigid_parts_that_it_carries() {
        let mut parts = (*tube(Tube { joints: 2, rings: 5, sides: 8, influences: 1, ..Tube::default() })).clone();
        let part = NodeId::from_index(parts.skeleton.len());
        parts.skeleton.names.push("Plate".into());
        parts.skeleton.parents.push(Some(NodeId(2)));
        parts.skeleton.file_index.push(part.0);
        parts.skeleton.rest.transforms.push(Default::default());
        parts.scenes[0].contains.push(true);
        // The skin moves no vertex by its last joint, below which a plate hangs on a node of its own.
        let influences = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
        influences.joints.fill(0);
        parts.instances.push(skinscope_model::Instance { node: part, skin: None, ..parts.instances[0].clone() });
        let model = Model::build(parts).unwrap();
        let stats = WeightStats::of(&model);
        let moved = |node: NodeId| (stats.nodes[node.index()].vertices, stats.deforming[node.index()]);
        assert_eq!((moved(NodeId(2)), moved(part)), ((40, true), (40, false)));
        let vertices = crate::tables::VertexTable::of(&model);
        let table =
            crate::tables::JointTable::of(&model, &vertices, &std::sync::atomic::AtomicBool::new(false)).unwrap();
        for row in table.rows(None) {
            assert_eq!((row.figures.vertices, row.unused), (moved(row.node).0, false));
        }
    }

    #[test]
    fn a_vertex_that_several_nodes_show_by_one_skin_counts_once() {
        let mut parts = (*tube(Tube { joints: 2, rings: 5, sides: 8, influences: 2, ..Tube::default() })).clone();
        let alone = WeightStats::of(&Model::build(parts.clone()).unwrap());
        parts.instances.push(parts.instances[0].clone());
        let twice = WeightStats::of(&Model::build(parts).unwrap());
        assert_eq!((twice.by_influences, twice.data.vertices), (alone.by_influences, 40));
        assert_eq!(twice.nodes[1].vertices, alone.nodes[1].vertices);
    }

    #[test]
    fn a_joint_listed_twice_moves_a_vertex_once() {
        let mut stats = WeightStats { nodes: vec![JointStats::default(); 2], ..WeightStats::default() };
        stats.count(&[NodeId(1)], &[0, 0], &[0.5, 0.25], &mut Vec::new());
        assert_eq!((stats.nodes[1].vertices, stats.nodes[1].sum, stats.nodes[1].largest), (1, 0.75, 0.5));
    }
}
