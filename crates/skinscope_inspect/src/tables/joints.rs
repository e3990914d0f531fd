//! The joint table: the effect of each joint on the vertices.

use std::cmp::Ordering;
use std::sync::atomic::{self, AtomicBool};

use glam::{Affine3A, Vec3};
use skinscope_anim::local_to_model;
use skinscope_base::math::Aabb;
use skinscope_model::{Model, NodeId, SkinId};

use super::VertexTable;
use crate::pick::carrier;
use crate::rig::{Drift, RestFigures, SkinBinding};

/// The effect of a joint on the mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointFigures {
    /// How many stored vertices it moves with a weight other than zero.
    pub vertices: usize,
    /// The sum of its weights.
    pub sum: f64,
    /// Its largest weight.
    pub largest: f32,
    /// The box around the vertices that it moves, in the bind pose: model space, metres.
    pub bounds: Aabb,
}

impl JointFigures {
    /// Returns the mean of its weights over the vertices that it moves.
    #[must_use]
    pub fn mean(&self) -> f64 {
        if self.vertices == 0 { 0.0 } else { self.sum / self.vertices as f64 }
    }

    fn add(&mut self, other: &Self) {
        self.vertices += other.vertices;
        self.sum += other.sum;
        self.largest = self.largest.max(other.largest);
        self.bounds = self.bounds.union(other.bounds);
    }
}

/// One joint: of one skin, or over all skins that refer to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointRow {
    /// The joint.
    pub node: NodeId,
    /// The skin, or the first of those that refer to it.
    pub skin: SkinId,
    /// The joint's index in that skin.
    pub slot: usize,
    /// How many skins the row is about.
    pub skins: usize,
    /// Steps from the root of the hierarchy.
    pub depth: usize,
    /// The effect of the joint.
    pub figures: JointFigures,
    /// Whether neither it nor any node below it moves a vertex in any skin.
    pub unused: bool,
    /// The difference between its rest and how the skin bound it; `None` where that is not known.
    pub drift: Option<Drift>,
    /// Whether it does not rest as it was bound, by the tolerances for a skin of this size (see [`Drift::is_small`]).
    pub drifts: bool,
    /// The angle of its own rotation at rest, degrees.
    pub rest_degrees: f64,
    /// Whether that angle is not zero (see [`RestFigures::is_turned`]).
    pub is_turned: bool,
}

/// Every joint of a model.
#[derive(Clone, Debug, Default)]
pub struct JointTable {
    /// The rows over all skins, one for each joint in node order. Meshes without a skin count for the joint that they
    /// hang on.
    all: Vec<JointRow>,
    /// The rows by skin and index in it.
    by_skin: Vec<Vec<JointRow>>,
}

/// The columns by which the joint table can be sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the titles of the columns")]
pub enum JointColumn {
    Name,
    Slot,
    Node,
    Parent,
    Depth,
    Vertices,
    Sum,
    Largest,
    Mean,
    Size,
    Drift,
    DriftAngle,
    Rest,
    Unused,
}

impl JointTable {
    /// Counts every weight. Returns `None` once `cancel` is set.
    #[must_use]
    pub fn of(model: &Model, vertices: &VertexTable, cancel: &AtomicBool) -> Option<Self> {
        let by_skin = count(model, vertices, cancel)?;
        let count = model.skeleton.len();
        let mut nodes = rigid(model);
        for (skin, figures) in model.skins.iter().zip(&by_skin) {
            for (joint, figures) in skin.joints.iter().zip(figures) {
                nodes[joint.index()].add(figures);
            }
        }
        // Children come after their parents, so one pass backwards finds which nodes move something below.
        let mut moves: Vec<bool> = nodes.iter().map(|n| n.vertices > 0).collect();
        let mut depth = vec![0; count];
        for n in (0..count).rev() {
            if let Some(parent) = model.skeleton.parents[n] {
                moves[parent.index()] |= moves[n];
            }
        }
        for n in 0..count {
            depth[n] = model.skeleton.parents[n].map_or(0, |p| depth[p.index()] + 1);
        }
        let mut rest = Vec::new();
        local_to_model(&model.skeleton, &model.skeleton.rest, &mut rest);
        let bindings = SkinBinding::of_all(model, &rest);
        let row = |skin: usize, slot: usize, node: NodeId, figures: JointFigures| {
            let binding = &bindings[skin];
            let drift = binding.drift[slot];
            let own = RestFigures::of(model, &rest, node);
            JointRow {
                node,
                skin: SkinId::from_index(skin),
                slot,
                skins: 1,
                depth: depth[node.index()],
                figures,
                unused: !moves[node.index()],
                drift,
                drifts: drift.is_some_and(|d| !d.is_small(binding.size)),
                rest_degrees: own.rotation_degrees,
                is_turned: own.is_turned(),
            }
        };
        let mut by_node: Vec<Option<JointRow>> = vec![None; count];
        let mut rows = Vec::new();
        for (i, (skin, figures)) in model.skins.iter().zip(&by_skin).enumerate() {
            let joints = skin.joints.iter().zip(figures).enumerate();
            rows.push(joints.map(|(slot, (node, f))| row(i, slot, *node, *f)).collect());
            for (slot, node) in skin.joints.iter().enumerate() {
                match &mut by_node[node.index()] {
                    Some(first) => first.skins += usize::from(first.skin.index() != i),
                    entry => *entry = Some(row(i, slot, *node, nodes[node.index()])),
                }
            }
        }
        Some(Self { all: by_node.into_iter().flatten().collect(), by_skin: rows })
    }

    /// Returns the rows of one skin, or of all joints.
    #[must_use]
    pub fn rows(&self, skin: Option<SkinId>) -> &[JointRow] {
        skin.map_or(&self.all, |s| self.by_skin.get(s.index()).map_or(&[], Vec::as_slice))
    }

    /// Returns the rows with `search` in their name, sorted; equal rows stay in the order of the nodes.
    #[must_use]
    pub fn select(
        &self,
        model: &Model,
        skin: Option<SkinId>,
        search: &str,
        order: Option<(JointColumn, bool)>,
    ) -> Vec<JointRow> {
        let wanted = search.trim().to_lowercase();
        let has = |name: &str| name.to_lowercase().contains(&wanted);
        let found =
            |row: &&JointRow| has(&model.skeleton.names[row.node.index()]) || model.humanoid(row.node).is_some_and(has);
        let mut rows: Vec<JointRow> = self.rows(skin).iter().filter(found).copied().collect();
        if let Some((column, descending)) = order {
            rows.sort_by(|a, b| {
                let order = column.compare(model, a, b);
                if descending { order.reverse() } else { order }
            });
        }
        rows
    }
}

impl JointColumn {
    fn compare(self, model: &Model, a: &JointRow, b: &JointRow) -> Ordering {
        let skeleton = &model.skeleton;
        let name = |node: NodeId| &skeleton.names[node.index()];
        let parent = |row: &JointRow| skeleton.parents[row.node.index()];
        let size = |row: &JointRow| row.figures.bounds.diagonal();
        // A value that is not known sorts after the largest.
        let drift = |row: &JointRow, of: fn(&Drift) -> f64| row.drift.as_ref().map_or(-1.0, of);
        match self {
            Self::Name => name(a.node).to_lowercase().cmp(&name(b.node).to_lowercase()),
            Self::Slot => (a.skin, a.slot).cmp(&(b.skin, b.slot)),
            Self::Node => skeleton.file_index[a.node.index()].cmp(&skeleton.file_index[b.node.index()]),
            Self::Parent => parent(a).map(name).cmp(&parent(b).map(name)),
            Self::Depth => a.depth.cmp(&b.depth),
            Self::Vertices => a.figures.vertices.cmp(&b.figures.vertices),
            Self::Sum => a.figures.sum.total_cmp(&b.figures.sum),
            Self::Largest => a.figures.largest.total_cmp(&b.figures.largest),
            Self::Mean => a.figures.mean().total_cmp(&b.figures.mean()),
            Self::Size => size(a).total_cmp(&size(b)),
            Self::Drift => drift(a, |d| d.metres).total_cmp(&drift(b, |d| d.metres)),
            Self::DriftAngle => drift(a, |d| d.degrees).total_cmp(&drift(b, |d| d.degrees)),
            Self::Rest => a.rest_degrees.total_cmp(&b.rest_degrees),
            Self::Unused => a.unused.cmp(&b.unused),
        }
    }
}

/// Returns the lengths to which a matrix scales each axis, and its determinant.
#[must_use]
pub fn scale_of(matrix: &Affine3A) -> (Vec3, f32) {
    let m = matrix.matrix3;
    (Vec3::new(m.x_axis.length(), m.y_axis.length(), m.z_axis.length()), m.determinant())
}

/// Counts the effect of each joint of each skin.
fn count(model: &Model, vertices: &VertexTable, cancel: &AtomicBool) -> Option<Vec<Vec<JointFigures>>> {
    let mut rest = Vec::new();
    local_to_model(&model.skeleton, &model.skeleton.rest, &mut rest);
    let mut out: Vec<Vec<JointFigures>> =
        model.skins.iter().map(|s| vec![JointFigures::default(); s.joints.len()]).collect();
    for part in &vertices.parts {
        let skin = &model.skins[part.skin.index()];
        let primitive = &model.meshes[part.mesh.index()].primitives[part.primitive];
        let Some(influences) = model.influences(part.mesh, part.primitive) else { continue };
        // The bind pose stands where `Model::bind_pose` has it.
        let first = (0..skin.joints.len()).min_by_key(|&j| skin.joints[j]).unwrap_or(0);
        let model_from_bind = rest[skin.joints[first].index()] * skin.inverse_bind[first];
        let figures = &mut out[part.skin.index()];
        for vertex in 0..part.vertices {
            if vertex % 65_536 == 0 && cancel.load(atomic::Ordering::Relaxed) {
                return None;
            }
            let at = model_from_bind.transform_point3(primitive.positions[vertex]);
            let (joints, weights) = influences.of(vertex);
            for (i, (joint, weight)) in joints.iter().zip(weights).enumerate().filter(|(_, (_, w))| **w != 0.0) {
                let figures = &mut figures[*joint as usize];
                figures.sum += f64::from(*weight);
                figures.largest = figures.largest.max(*weight);
                figures.bounds.include(at);
                // A joint listed twice in a vertex still moves one vertex.
                let again = joints[..i].iter().zip(weights).any(|(j, w)| j == joint && *w != 0.0);
                figures.vertices += usize::from(!again);
            }
        }
    }
    Some(out)
}

/// Counts the rigid parts that each node carries: those that hang on it or on a node below it that is no joint.
fn rigid(model: &Model) -> Vec<JointFigures> {
    let mut bind = Vec::new();
    local_to_model(&model.skeleton, model.bind_pose(), &mut bind);
    let mut out = vec![JointFigures::default(); model.skeleton.len()];
    for instance in &model.instances {
        let lists = model.meshes[instance.mesh.index()].vertex_lists().map(|(_, primitive)| primitive);
        for primitive in lists.filter(|p| instance.skin.is_none() || p.stored_influences.is_none()) {
            let model_from_node = bind[instance.node.index()];
            let own = Aabb::from_points(primitive.positions.iter().copied());
            let whole = [Affine3A::IDENTITY];
            let copies = if instance.copies.is_empty() { &whole[..] } else { &instance.copies };
            let boxes = copies.iter().map(|copy| own.transformed(model_from_node * *copy));
            let vertices = primitive.stored_vertices;
            out[carrier(model, instance.node).index()].add(&JointFigures {
                vertices,
                sum: vertices as f64,
                largest: if vertices > 0 { 1.0 } else { 0.0 },
                bounds: boxes.filter(|_| !own.is_empty()).fold(Aabb::EMPTY, Aabb::union),
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{Instance, MeshId, ModelParts};

    use super::*;
    use crate::WeightStats;

    fn table(model: &Model) -> JointTable {
        JointTable::of(model, &VertexTable::of(model), &AtomicBool::new(false)).unwrap()
    }

    /// Makes a tube of four joints, 1 m each, whose vertices have one influence: the nearest joint's.
    fn model() -> Model {
        tube(Tube { joints: 4, rings: 9, sides: 4, length: 4.0, radius: 0.5, influences: 1 })
    }

    #[test]
    fn a_tube_of_four_joints() {
        let model = model();
        let rows = table(&model).rows(None).to_vec();
        // Rings at 0, 0.5, … 4: joint j is nearest where |y − (j + 0.5)| is least, the lower joint where it is a tie.
        let counted: Vec<_> = rows.iter().map(|r| (r.node.0, r.slot, r.depth, r.figures.vertices)).collect();
        assert_eq!(counted, [(1, 0, 1, 12), (2, 1, 2, 8), (3, 2, 3, 8), (4, 3, 4, 8)]);
        let last = rows[3].figures;
        assert_eq!((last.sum, last.largest, last.mean()), (8.0, 1.0, 1.0));
        assert!((last.bounds.min - Vec3::new(-0.5, 3.5, -0.5)).length() < 1e-6, "{:?}", last.bounds);
        assert!((last.bounds.max - Vec3::new(0.5, 4.0, 0.5)).length() < 1e-6, "{:?}", last.bounds);
        assert!(rows.iter().all(|r| !r.unused && r.skins == 1));
    }

    #[test]
    fn unused_is_who_moves_nothing_and_has_nobody_below_who_does() {
        let mut parts = ModelParts::clone(&model());
        let weights = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
        // Joints 1 and 3 give their weights to joint 2.
        weights.joints.iter_mut().for_each(|j| *j = if *j % 2 == 1 { 2 } else { *j });
        let model = Model::build(parts).unwrap();
        let table = table(&model);
        let unused: Vec<_> = table.rows(None).iter().map(|r| (r.figures.vertices, r.unused)).collect();
        assert_eq!(unused, [(12, false), (0, false), (24, false), (0, true)]);
    }

    #[test]
    fn joints_of_two_skins_are_one_row_with_the_sum_of_both() {
        let mut parts = ModelParts::clone(&model());
        let mut second = parts.skins[0].clone();
        second.joints.reverse();
        parts.skins.push(second);
        parts.instances.push(Instance { mesh: MeshId(0), skin: Some(SkinId(1)), ..Instance::default() });
        // A rigid mesh hangs on the last joint: 36 more vertices.
        parts.instances.push(Instance { node: NodeId(4), mesh: MeshId(0), ..Instance::default() });
        let model = Model::build(parts).unwrap();
        let table = table(&model);
        let counts = |skin| table.rows(skin).iter().map(|r| (r.node.0, r.slot, r.figures.vertices)).collect::<Vec<_>>();
        assert_eq!(counts(Some(SkinId(1))), [(4, 0, 12), (3, 1, 8), (2, 2, 8), (1, 3, 8)]);
        assert_eq!(counts(None), [(1, 0, 20), (2, 1, 16), (3, 2, 16), (4, 3, 56)]);
        assert!(table.rows(None).iter().all(|r| r.skins == 2));
        // The inspector's figures count the same.
        let stats = WeightStats::of(&model);
        for row in table.rows(None) {
            let other = stats.nodes[row.node.index()];
            assert_eq!((row.figures.vertices, row.figures.sum), (other.vertices, other.sum));
        }
    }

    #[test]
    fn rows_are_searched_and_ordered() {
        let model = model();
        let table = table(&model);
        let nodes = |search: &str, order| -> Vec<u32> {
            table.select(&model, None, search, order).iter().map(|r| r.node.0).collect()
        };
        assert_eq!(nodes("", None), [1, 2, 3, 4]);
        assert_eq!(nodes(" JOINT 2 ", None), [3]);
        assert_eq!(nodes("elbow", None), [0; 0]);
        assert_eq!(nodes("", Some((JointColumn::Name, true))), [4, 3, 2, 1]);
        // Equal figures stay in the order of the nodes in both directions.
        assert_eq!(nodes("", Some((JointColumn::Vertices, false))), [2, 3, 4, 1]);
        assert_eq!(nodes("", Some((JointColumn::Vertices, true))), [1, 2, 3, 4]);
        assert_eq!(nodes("", Some((JointColumn::Depth, true))), [4, 3, 2, 1]);
    }

    #[test]
    fn a_joint_that_was_bound_elsewhere_drifts_and_one_that_rests_turned_says_so() {
        let mut parts = ModelParts::clone(&model());
        let bind = parts.skins[0].inverse_bind[2].inverse();
        parts.skins[0].inverse_bind[2] = (Affine3A::from_translation(Vec3::X * 0.5) * bind).inverse();
        parts.skeleton.rest.transforms[4].rotation = glam::Quat::from_rotation_y(0.5);
        let model = Model::build(parts).unwrap();
        let table = table(&model);
        let rows = table.rows(None);
        assert_eq!(rows.iter().map(|r| r.drifts).collect::<Vec<_>>(), [false, false, true, true]);
        assert!((rows[2].drift.unwrap().metres - 0.5).abs() < 1e-5);
        assert!((rows[3].drift.unwrap().degrees - 0.5_f64.to_degrees()).abs() < 1e-4);
        assert_eq!(rows.iter().map(|r| r.is_turned).collect::<Vec<_>>(), [false, false, false, true]);
        assert!((rows[3].rest_degrees - 0.5_f64.to_degrees()).abs() < 1e-4);
        let first = |column| table.select(&model, None, "", Some((column, true)))[0].node.0;
        assert_eq!([JointColumn::Drift, JointColumn::DriftAngle, JointColumn::Rest].map(first), [3, 4, 4]);
    }

    #[test]
    fn a_matrix_tells_its_scale() {
        let m = Affine3A::from_scale(Vec3::new(2.0, 3.0, -4.0));
        assert_eq!(scale_of(&m), (Vec3::new(2.0, 3.0, 4.0), -24.0));
    }
}
