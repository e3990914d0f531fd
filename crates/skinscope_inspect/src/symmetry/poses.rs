//! The mirror of poses: the plane of symmetry of the mesh in the world, where the model rests, and the pairs of all nodes.

use glam::{DAffine3, DVec3, Vec3};
use skinscope_anim::pose::{self, Axis, world_matrices};
use skinscope_base::math::{Aabb, Grid, Plane};
use skinscope_model::{JointPairs, Model, NodeId};

use super::body::{self, Body};
use super::plane::{LEAST_JOINTS, Mirror, POINT_REACH, Search};
use crate::rig::SkinBinding;

/// Normals whose cosine is at least this are those of one plane, but for rounding.
const SAME_NORMAL: f64 = 1.0 - 1e-7;
/// Where the model does not rest as it was bound, a plane that lies within 30° of an axis lies across it.
const ROUGHLY: f64 = 0.866;

/// Joints stand beside the plane of the mesh if they are farther from it than this, as a share of the size.
const BESIDE: f32 = 1e-4;

/// Why no pose of a model can be mirrored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPlane {
    /// The axis across which a plane was asked for; `None` for any.
    pub axis: Option<Axis>,
    /// The axis across which left and right lie instead.
    pub other: Option<Axis>,
}

impl std::fmt::Display for NoPlane {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let across = self.axis.map(|axis| format!(" across {}", axis.name())).unwrap_or_default();
        write!(f, "no plane of symmetry was found{across}: neither the mesh nor its joints have a mirror image")?;
        self.other.map_or(Ok(()), |other| write!(f, " (left and right lie across {})", other.name()))
    }
}

/// Finds the mirror of the poses of a model. Its plane is the plane of symmetry of the mesh, which findings and tools use too, where
/// the mesh rests; of a mesh that has none, or of a model without skins, the plane that mirrors its joints. The joints of the mesh have
/// the partners that they have there, and all other nodes are paired in the same way where they rest. A node without a
/// partner is its own.
///
/// Without an `axis` of the world it is the plane between left and right, wherever it lies. Across X there must be a plane.
/// Across Y and Z, where most models have neither left nor right, each node is its own partner and the plane goes through
/// `middle`, unless left and right lie there.
pub fn of_poses(model: &Model, axis: Option<Axis>, middle: Vec3) -> Result<pose::Mirror, NoPlane> {
    let resting = Resting::of(model);
    let sided = || resting.mirror(None).filter(pose::Mirror::has_pairs);
    let is_across =
        |mirror: &pose::Mirror, axis: Axis| mirror.normal().dot(axis.direction().as_dvec3()).abs() >= SAME_NORMAL;
    match axis {
        None | Some(Axis::X) => resting.mirror(axis).ok_or_else(|| {
            let sided = axis.and_then(|_| sided());
            let other =
                Axis::ALL.into_iter().find(|other| sided.as_ref().is_some_and(|sided| is_across(sided, *other)));
            NoPlane { axis, other }
        }),
        Some(axis) => {
            let found = sided().filter(|mirror| is_across(mirror, axis));
            Ok(found.unwrap_or_else(|| pose::Mirror::alone(model, axis, middle)))
        }
    }
}

/// A model as it rests.
struct Resting<'m> {
    model: &'m Model,
    /// Where each node rests in the world.
    at: Vec<DVec3>,
    /// For each skin where its mesh rests.
    bindings: Vec<SkinBinding>,
    /// The diagonal of the box around all nodes.
    size: f32,
    pairs: JointPairs,
}

/// The plane of symmetry of a body, in the world.
struct Found {
    plane: WorldPlane,
    is_sided: bool,
    /// Its joints, each with its partner.
    partners: Vec<(NodeId, Option<NodeId>)>,
    points: usize,
    size: f64,
}

#[derive(Clone, Copy)]
struct WorldPlane {
    normal: DVec3,
    point: DVec3,
}

impl WorldPlane {
    fn offset(&self) -> f64 {
        self.normal.dot(self.point)
    }

    /// Returns whether two planes are one, within `near`.
    fn is_same(&self, other: &Self, near: f64) -> bool {
        self.normal.dot(other.normal).abs() >= SAME_NORMAL && self.normal.dot(other.point - self.point).abs() <= near
    }

    fn single(&self) -> Plane {
        Plane { normal: self.normal.as_vec3(), offset: self.offset() as f32 }
    }
}

impl<'m> Resting<'m> {
    fn of(model: &'m Model) -> Self {
        let skeleton = &model.skeleton;
        let nodes: Vec<NodeId> = (0..skeleton.len()).map(NodeId::from_index).collect();
        let rest: Vec<DAffine3> =
            world_matrices(model, &skeleton.rest, nodes.iter().copied()).into_iter().map(|(_, m)| m).collect();
        let single: Vec<_> = rest.iter().map(DAffine3::as_affine3a).collect();
        let at: Vec<DVec3> = rest.iter().map(|m| m.translation).collect();
        let known: Vec<Option<Vec3>> = at.iter().map(|p| Some(p.as_vec3()).filter(|p| p.is_finite())).collect();
        let size = Aabb::from_points(known.iter().flatten().copied()).diagonal();
        let pairs = JointPairs::of_model(model, &nodes, known);
        Self { model, at, bindings: SkinBinding::of_all(model, &single), size, pairs }
    }

    /// Finds the mirror across an axis, or across any.
    fn mirror(&self, axis: Option<Axis>) -> Option<pose::Mirror> {
        let mut bodies = body::each_found(self.model, |body| self.of_body(&body, axis).ok_or(())).0;
        bodies.sort_by_key(|body| std::cmp::Reverse((body.is_sided, body.points)));
        let Some(first) = bodies.first() else { return self.of_joints(axis) };
        let (mut plane, near) = (first.plane, first.size * f64::from(POINT_REACH));
        if bodies.iter().any(|body| !body.plane.is_same(&plane, near))
            && let Some(mirror) = self.of_joints(axis)
        {
            // Several figures, such as two beside each other, are mirrored together.
            return Some(mirror);
        }
        let mut partners: Vec<Option<NodeId>> = vec![None; self.at.len()];
        let mut is_given = vec![false; self.at.len()];
        for body in bodies.iter().filter(|body| body.plane.is_same(&plane, near)) {
            for (node, partner) in &body.partners {
                let partner =
                    partner.filter(|partner| !is_given[partner.index()] || partners[partner.index()] == Some(*node));
                if !is_given[node.index()] {
                    partners[node.index()] = partner;
                }
            }
            body.partners.iter().for_each(|(node, _)| is_given[node.index()] = true);
        }
        for (node, partner) in self.pairs.settled(plane.single(), self.size).into_iter().enumerate() {
            let partner = partner.map(usize::from).filter(|partner| !is_given[node] && !is_given[*partner]);
            partners[node] = partners[node].or(partner.map(NodeId::from_index));
        }
        // What a pose moves is joints: where all stand beside the plane of the mesh, they are mirrored about their own.
        let own = f64::from(self.pairs.own_offset(plane.single(), self.size));
        if (own - plane.offset()).abs() > f64::from(self.size) * f64::from(BESIDE) {
            plane.point += plane.normal * (own - plane.offset());
        }
        Some(mirror(plane, &partners))
    }

    /// Finds the plane of symmetry of a body, where it rests.
    fn of_body(&self, body: &Body, axis: Option<Axis>) -> Option<Found> {
        let binding = &self.bindings[body.skin.index()];
        let world = binding.common?;
        let grid = Grid::new(&body.points, body.size * POINT_REACH);
        let search = Search::new(self.model, body, &grid);
        let is_loose = binding.agreeing * 2 < binding.compared();
        let exact = axis.and_then(|axis| {
            let normal = world.matrix3.transpose() * axis.direction().as_dvec3();
            search.across(snapped(normal.normalize(), SAME_NORMAL).as_vec3()).ok()
        });
        let any = || search.any().filter(|found| axis.is_none() || is_loose && found.is_sided);
        let Mirror { plane, partners, is_sided } = exact.or_else(any)?;
        let normal = (world.matrix3.inverse().transpose() * plane.normal.as_dvec3()).normalize();
        let normal = snapped(normal, if is_loose { ROUGHLY } else { SAME_NORMAL });
        let across = axis.map(|axis| axis.direction().as_dvec3());
        if across.is_some_and(|across| normal.dot(across).abs() < SAME_NORMAL) {
            return None;
        }
        let middle = Aabb::around_mass(&body.points).center();
        let on_plane = middle - plane.normal * (plane.normal.dot(middle) - plane.offset);
        let point = world.transform_point3(on_plane.as_dvec3());
        let node = |index: usize| body.nodes[index];
        let partners = partners.iter().enumerate().map(|(j, k)| (node(j), k.map(|k| node(usize::from(k))))).collect();
        let plane = WorldPlane { normal: across.unwrap_or(normal), point };
        Some(Found { plane, is_sided, partners, points: body.points.len(), size: binding.size })
    }

    /// Finds the plane that mirrors the most joints, or nodes where there is no skin, if it mirrors most of them.
    fn of_joints(&self, axis: Option<Axis>) -> Option<pose::Mirror> {
        let skeleton = &self.model.skeleton;
        let skins = &self.model.skins;
        let counts = |node: NodeId| skins.is_empty() || self.model.is_joint(node);
        let counted: Vec<usize> = (0..skeleton.len()).filter(|node| counts(NodeId::from_index(*node))).collect();
        let finite = || self.at.iter().filter(|p| p.is_finite());
        let bounds = Aabb::from_points(finite().map(|p| p.as_vec3()));
        let mut best: Option<Candidate> = None;
        for axis in Axis::ALL.into_iter().filter(|other| axis.is_none_or(|axis| axis == *other)) {
            let normal = axis.direction().as_dvec3();
            let mut middles: Vec<f64> =
                self.pairs.named_pairs().iter().map(|[a, b]| normal.dot((a.as_dvec3() + b.as_dvec3()) * 0.5)).collect();
            middles.sort_by(f64::total_cmp);
            let through =
                [Some(0.0), middles.get(middles.len() / 2).copied(), Some(normal.dot(bounds.center().as_dvec3()))];
            for offset in through.into_iter().flatten().filter(|offset| offset.is_finite()) {
                let plane = WorldPlane { normal, point: normal * offset };
                let partners = self.pairs.settled(plane.single(), self.size);
                let paired = |node: &usize| partners[*node].map(usize::from);
                let count = counted.iter().filter(|node| paired(node).is_some()).count();
                let is_sided = counted.iter().any(|node| paired(node).is_some_and(|other| other != *node));
                let off = |node: &usize| {
                    let other = paired(node)?;
                    Some((normal.dot(self.at[*node] + self.at[other]) - 2.0 * offset).abs())
                };
                let off: f64 = counted.iter().filter_map(off).sum();
                let near = 1e-6 * f64::from(self.size) * count as f64;
                // Of planes that are as good the first is taken: they come in the order of how usual they are.
                let is_better = best.as_ref().is_none_or(|best| {
                    (is_sided, count) > (best.is_sided, best.count)
                        || (is_sided, count) == (best.is_sided, best.count) && off < best.off - near
                });
                if is_better && count > 0 && count as f32 >= LEAST_JOINTS * counted.len() as f32 {
                    best = Some(Candidate { is_sided, count, off, plane, partners });
                }
            }
        }
        let Candidate { plane, partners, .. } = best?;
        let partners: Vec<Option<NodeId>> =
            partners.into_iter().map(|k| k.map(|k| NodeId::from_index(usize::from(k)))).collect();
        Some(mirror(plane, &partners))
    }
}

/// A plane that may mirror the joints.
struct Candidate {
    /// Whether any joint has another one for its partner.
    is_sided: bool,
    /// How many joints have a partner.
    count: usize,
    /// How far partners are from being mirror images, metres along the normal, all joints together.
    off: f64,
    plane: WorldPlane,
    /// The partner of each node.
    partners: Vec<Option<u16>>,
}

/// Makes a mirror, in which nodes without a partner are their own. Partners name each other.
fn mirror(plane: WorldPlane, partners: &[Option<NodeId>]) -> pose::Mirror {
    let own = |(node, partner): (usize, &Option<NodeId>)| partner.unwrap_or_else(|| NodeId::from_index(node));
    pose::Mirror::new(plane.normal, plane.point, partners.iter().enumerate().map(own).collect())
}

/// Returns the axis that a unit vector points along, if it does so by at least this cosine, else the vector.
fn snapped(normal: DVec3, least: f64) -> DVec3 {
    let along =
        Axis::ALL.map(|axis| axis.direction().as_dvec3()).into_iter().find(|axis| axis.dot(normal).abs() >= least);
    along.unwrap_or(normal)
}
