//! Figures of a rig at rest: how each joint stands relative to how it was bound, and what its own transform holds.

use glam::{Affine3A, DAffine3, DVec3, Vec3};
use skinscope_base::math::{Aabb, BEYOND_SENSE, Stretch, angle_degrees};
use skinscope_model::{Mesh, Model, NodeId, Skin};

/// Lengths that differ by less than this share of the size are the same.
pub(crate) const SAME_POSITION: f64 = 0.01;
/// Directions that differ by less than this are the same, degrees.
pub(crate) const SAME_DIRECTION: f64 = 1.0;
/// Scales that differ by less than this share are the same.
pub(crate) const SAME_SCALE: f64 = 0.01;
/// A singular value below this share of the greatest is zero but for the rounding of 32-bit floats.
const FLAT: f64 = 1e-6;

/// The difference between a joint at rest and the joint as it was bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// The distance from where the joint was bound to where it rests, metres.
    pub metres: f64,
    /// The angle between the two orientations, degrees 0…180.
    pub degrees: f64,
    /// Lengths at rest divided by lengths as bound: the least and the greatest ratio; both are 1 where nothing is
    /// scaled.
    pub scale: [f64; 2],
    /// Whether one of the two is a mirror image.
    pub is_mirrored: bool,
}

impl Drift {
    /// Returns whether the joint rests as it was bound, in a skin of this `size` (metres): within 1 % of the size, 1°
    /// and 1 % of scale.
    #[must_use]
    pub fn is_small(&self, size: f64) -> bool {
        let scaled = self.scale[0] < 1.0 - SAME_SCALE || self.scale[1] > 1.0 + SAME_SCALE;
        !self.is_mirrored && !scaled && self.metres <= size * SAME_POSITION && self.degrees <= SAME_DIRECTION
    }
}

/// A skin's bind pose compared with the rest pose.
///
/// At rest `world · inverse bind` carries the mesh as it was bound to where a joint shows it. Joints that rest as they
/// were bound share that matrix, whatever it is: an exporter may turn or scale all. `common` is the one that most of
/// them share.
#[derive(Clone, Debug)]
pub struct SkinBinding {
    /// The matrix `model_from_mesh` that most joints share, without joints whose numbers are absurd; where less than
    /// half share one, that of the topmost joint (the first in node order), as in [`Model::bind_pose`]. `None` where no
    /// joint can be inverted.
    pub common: Option<DAffine3>,
    /// How many joints agree with `common`.
    pub agreeing: usize,
    /// The size at rest, metres: the diagonal of the box around the vertices that the skin may move; of its joints
    /// where it has none.
    pub size: f64,
    /// The drift of each of [`Skin::joints`]; `None` for a joint whose inverse bind or rest matrix is not finite or
    /// cannot be inverted.
    pub drift: Vec<Option<Drift>>,
}

impl SkinBinding {
    /// Computes the figures of all skins of a model, by their number; `rest` holds `model_from_node` of every node at rest.
    /// The cost is linear in joints and vertices.
    #[must_use]
    pub fn of_all(model: &Model, rest: &[Affine3A]) -> Vec<Self> {
        let sizes = mesh_sizes(model);
        model.skins.iter().zip(sizes).map(|(skin, size)| Self::of(skin, rest, size)).collect()
    }

    /// Compares one skin. `mesh_size`: the size of the vertices that the skin may move, in mesh space.
    fn of(skin: &Skin, rest: &[Affine3A], mesh_size: Option<f64>) -> Self {
        let placements: Vec<Option<JointPlacement>> =
            (0..skin.joints.len()).map(|j| JointPlacement::of(skin, j, rest)).collect();
        let known: Vec<&JointPlacement> = placements.iter().flatten().collect();
        let mesh_size = mesh_size.filter(|s| *s > 0.0);
        let joints_size = bounds(known.iter().map(|p| p.rest)).map_or(0.0, diagonal);
        let size = |placement: &JointPlacement| mesh_size.map_or(joints_size, |s| s * placement.scale);
        let agreeing = |of: &JointPlacement| known.iter().filter(|p| p.drift_from(of).is_small(size(of))).count();
        // A joint at an absurd position takes those below it along, and they are not right for being many.
        let sane: Vec<&JointPlacement> = known.iter().copied().filter(|p| p.is_sane()).collect();
        let candidates = if sane.is_empty() { &known } else { &sane };
        let mut best = candidates.iter().min_by_key(|p| p.node).map(|p| (agreeing(p), *p));
        // A tie stays with the topmost joint.
        if let Some(voted) = vote(candidates, size)
            && let Some((most, placement)) = &mut best
            && agreeing(voted) > *most
            && agreeing(voted) * 2 >= candidates.len()
        {
            (*most, *placement) = (agreeing(voted), voted);
        }
        let Some((agreeing, placement)) = best else {
            return Self { common: None, agreeing: 0, size: joints_size, drift: vec![None; placements.len()] };
        };
        let drift = placements.iter().map(|p| p.as_ref().map(|p| p.drift_from(placement))).collect();
        Self { common: Some(placement.shown), agreeing, size: size(placement), drift }
    }

    /// Returns how many joints have a drift, which are those that can be compared.
    #[must_use]
    pub fn compared(&self) -> usize {
        self.drift.iter().flatten().count()
    }
}

/// A joint as it was bound and as it rests, in f64.
#[derive(Debug)]
struct JointPlacement {
    node: NodeId,
    /// The joint's position at rest, world space.
    rest: DVec3,
    /// The joint's position as it was bound, mesh space.
    bound: DVec3,
    /// `world · inverse bind`: takes the mesh as bound to where this joint shows it.
    shown: DAffine3,
    mesh_from_shown: DAffine3,
    /// The length at rest of a metre of the mesh.
    scale: f64,
}

impl JointPlacement {
    fn of(skin: &Skin, joint: usize, rest: &[Affine3A]) -> Option<Self> {
        let node = skin.joints[joint];
        let inverse_bind = inverse_bind(skin, joint).filter(|m| !is_singular(m))?;
        let world = rest[node.index()].as_daffine3();
        let shown = world * inverse_bind;
        if !shown.is_finite() || is_singular(&shown) {
            return None;
        }
        let (bound, mesh_from_shown) = (inverse_bind.inverse().translation, shown.inverse());
        let scale = shown.matrix3.determinant().abs().cbrt();
        Some(Self { node, rest: world.translation, bound, shown, mesh_from_shown, scale })
    }

    /// Returns whether the joint rests at a position and with a scale that a model may have.
    fn is_sane(&self) -> bool {
        self.rest.abs().max_element() < BEYOND_SENSE && (1.0 / BEYOND_SENSE..BEYOND_SENSE).contains(&self.scale)
    }

    /// Returns the difference of this joint from where `common` shows it as bound.
    fn drift_from(&self, common: &JointPlacement) -> Drift {
        let moved = self.shown * common.mesh_from_shown;
        let stretch = Stretch::of(moved.matrix3);
        let [most, _, least] = stretch.lengths;
        Drift {
            metres: self.rest.distance(common.shown.transform_point3(self.bound)),
            degrees: stretch.degrees().unwrap_or(180.0),
            scale: [least, most],
            is_mirrored: stretch.is_mirrored,
        }
    }
}

/// Returns a joint that agrees with more than half of all, if there is any such joint (Boyer and Moore's majority
/// vote): one pass, however many joints a file has.
fn vote<'a>(placements: &[&'a JointPlacement], size: impl Fn(&JointPlacement) -> f64) -> Option<&'a JointPlacement> {
    let (mut candidate, mut lead) = (None::<&JointPlacement>, 0_usize);
    for &placement in placements {
        match candidate {
            Some(c) if lead > 0 => {
                let agrees = placement.drift_from(c).is_small(size(c));
                lead = if agrees { lead + 1 } else { lead - 1 };
            }
            _ => (candidate, lead) = (Some(placement), 1),
        }
    }
    candidate
}

/// Returns the stored inverse bind matrix of a joint; `None` where the file's numbers are not finite.
#[must_use]
pub fn inverse_bind(skin: &Skin, joint: usize) -> Option<DAffine3> {
    let stored = skin.not_finite.binary_search(&joint).is_err();
    stored.then(|| skin.inverse_bind[joint].as_daffine3()).filter(DAffine3::is_finite)
}

/// Returns whether a matrix flattens space, so that it cannot be inverted. Its scale does not matter: small units are
/// no defect.
#[must_use]
pub(crate) fn is_singular(m: &DAffine3) -> bool {
    let [most, _, least] = Stretch::of(m.matrix3).lengths;
    least <= most * FLAT || !most.is_finite() || !least.is_finite()
}

/// The least and the greatest corner of a box.
type Bounds = [DVec3; 2];

/// Returns for each skin the diagonal of the box around the mass of the vertices that it may move, mesh space; `None`
/// where it has none.
fn mesh_sizes(model: &Model) -> Vec<Option<f64>> {
    let of_mesh = |mesh: &Mesh| {
        let primitives = mesh.primitives.iter().filter(|p| p.stored_influences.is_some());
        let points: Vec<Vec3> = primitives.flat_map(|p| &p.positions[..p.stored_vertices]).copied().collect();
        let mass = Aabb::around_mass(&points);
        (!mass.is_empty()).then(|| [mass.min, mass.max].map(|corner| corner.as_dvec3()))
    };
    let meshes: Vec<Option<Bounds>> = model.meshes.iter().map(of_mesh).collect();
    let mut skins: Vec<Option<Bounds>> = vec![None; model.skins.len()];
    for instance in &model.instances {
        if let (Some(skin), Some(more)) = (instance.skin, meshes[instance.mesh.index()]) {
            let all = &mut skins[skin.index()];
            *all = bounds(all.iter().flatten().copied().chain(more));
        }
    }
    skins.into_iter().map(|b| b.map(diagonal)).collect()
}

fn bounds(points: impl Iterator<Item = DVec3>) -> Option<Bounds> {
    points.fold(None, |b, p| Some(b.map_or([p, p], |[least, most]: Bounds| [least.min(p), most.max(p)])))
}

fn diagonal([least, most]: Bounds) -> f64 {
    (most - least).length()
}

/// Figures of a node's stored transform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestFigures {
    /// The angle of the local rotation, degrees 0…180. "The rest position typically has most rotations set to zero"
    /// (Lewis, Skinning math tutorial): clips and scripts that assume so fail where it is not.
    pub rotation_degrees: f64,
    /// The local scale, as stored; for a stored matrix, the scale that remains beside rotation and shear.
    pub local_scale: Vec3,
    /// The lengths that the node's three unit axes have in the world.
    pub world_scale: Vec3,
    /// Whether the stored matrix is more than a translation, rotation and scale.
    pub has_shear: bool,
}

impl RestFigures {
    /// Computes the figures of one node; `rest` holds `model_from_node` of every node at rest.
    #[must_use]
    pub fn of(model: &Model, rest: &[Affine3A], node: NodeId) -> Self {
        let transform = model.skeleton.rest.transforms[node.index()];
        let world = rest[node.index()].matrix3;
        Self {
            rotation_degrees: angle_degrees(transform.rotation.as_dquat()),
            local_scale: transform.scale,
            world_scale: Vec3::new(world.x_axis.length(), world.y_axis.length(), world.z_axis.length()),
            has_shear: model.skeleton.residual(node.index()).is_some(),
        }
    }

    /// Returns whether the rest rotation differs from the identity by more than 0.1°, which rounding in an exporter
    /// does not cause.
    #[must_use]
    pub fn is_turned(&self) -> bool {
        self.rotation_degrees > 0.1
    }
}

#[cfg(test)]
mod tests {
    use glam::{DMat3, DQuat, Quat};
    use skinscope_anim::local_to_model;
    use skinscope_model::ModelParts;
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;

    /// Makes six joints, a metre apart along +Y, on a tube of radius 0.25 m and length 6 m, and applies a change.
    fn binding(change: impl FnOnce(&mut ModelParts)) -> SkinBinding {
        let mut parts: ModelParts = (*tube(Tube { joints: 6, length: 6.0, ..Tube::default() })).clone();
        change(&mut parts);
        let model = Model::build(parts).unwrap();
        let mut rest = Vec::new();
        local_to_model(&model.skeleton, &model.skeleton.rest, &mut rest);
        SkinBinding::of_all(&model, &rest).remove(0)
    }

    fn near(drift: Option<Drift>, metres: f64, degrees: f64, scale: [f64; 2]) -> bool {
        let d = drift.unwrap();
        let close = |a: f64, b: f64| (a - b).abs() < 1e-5;
        close(d.metres, metres)
            && close(d.degrees, degrees)
            && close(d.scale[0], scale[0])
            && close(d.scale[1], scale[1])
    }

    #[test]
    fn an_untouched_rig_does_not_drift() {
        let b = binding(|_| {});
        assert_eq!((b.agreeing, b.compared()), (6, 6));
        assert!(b.drift.iter().all(|d| near(*d, 0.0, 0.0, [1.0, 1.0])));
        assert!((b.size - (36.0_f64 + 0.25 + 0.25).sqrt()).abs() < 1e-6, "{}", b.size);
    }

    #[test]
    fn a_transform_that_all_joints_share_is_the_common_one() {
        let odd = Affine3A::from_scale_rotation_translation(Vec3::splat(2.0), Quat::from_rotation_x(1.0), Vec3::Z);
        let b = binding(|p| p.skins[0].inverse_bind.iter_mut().for_each(|m| *m *= odd));
        assert_eq!(b.agreeing, 6);
        assert!(b.common.unwrap().abs_diff_eq(odd.as_daffine3(), 1e-6));
        // Sizes are measured at rest, where the mesh is twice as large.
        assert!((b.size - 2.0 * 36.5_f64.sqrt()).abs() < 1e-5);
    }

    #[test]
    fn one_joint_bound_elsewhere_drifts_alone_even_if_it_is_the_first() {
        for joint in [0, 3, 5] {
            // The joint was bound 0.5 m off and turned by 30° about itself.
            let b = binding(|p| {
                let bind = p.skins[0].inverse_bind[joint].inverse();
                let moved =
                    Affine3A::from_translation(Vec3::X * 0.5) * bind * Affine3A::from_rotation_z(30_f32.to_radians());
                p.skins[0].inverse_bind[joint] = moved.inverse();
            });
            assert_eq!(b.agreeing, 5);
            for (j, drift) in b.drift.iter().enumerate() {
                let (metres, degrees) = if j == joint { (0.5, 30.0) } else { (0.0, 0.0) };
                assert!(near(*drift, metres, degrees, [1.0, 1.0]), "{joint} {j} {drift:?}");
                assert_eq!(drift.unwrap().is_small(b.size), j != joint);
            }
        }
    }

    #[test]
    fn a_joint_that_rests_turned_carries_what_hangs_on_it() {
        // Joint 3 of 0…5 rests turned by 60° about Z: joints 4 and 5 stand 1 and 2 m further along; a chord of 60° is
        // the radius.
        let b = binding(|p| p.skeleton.rest.transforms[4].rotation = Quat::from_rotation_z(60_f32.to_radians()));
        let want = [(0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 60.0), (1.0, 60.0), (2.0, 60.0)];
        for (drift, (metres, degrees)) in b.drift.iter().zip(want) {
            assert!(near(*drift, metres, degrees, [1.0, 1.0]), "{drift:?}");
        }
        // Half of them agree: a tie, and the topmost joint is right.
        assert_eq!(b.agreeing, 3);
    }

    #[test]
    fn scale_and_mirrors_are_drift_too() {
        let b = binding(|p| {
            p.skins[0].inverse_bind[2] = Affine3A::from_scale(Vec3::splat(0.5)) * p.skins[0].inverse_bind[2]
        });
        assert!(near(b.drift[2], 0.0, 0.0, [0.5, 0.5]) && !b.drift[2].unwrap().is_small(b.size));
        let mirror = Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0));
        let b = binding(|p| p.skins[0].inverse_bind[2] = mirror * p.skins[0].inverse_bind[2]);
        assert!(b.drift[2].unwrap().is_mirrored && !b.drift[2].unwrap().is_small(b.size));
    }

    #[test]
    fn where_no_half_agrees_the_topmost_joint_is_right() {
        // Every joint rests turned by 10° against its parent: no two agree.
        let turn = Quat::from_rotation_x(10_f32.to_radians());
        let b = binding(|p| p.skeleton.rest.transforms[1..].iter_mut().for_each(|t| t.rotation = turn));
        assert_eq!((b.agreeing, b.compared()), (1, 6));
        assert!((b.drift[5].unwrap().degrees - 50.0).abs() < 1e-4);
        assert!(
            b.common.unwrap().matrix3.abs_diff_eq(DMat3::from_quat(DQuat::from_rotation_x(10_f64.to_radians())), 1e-6)
        );
    }

    #[test]
    fn what_cannot_be_inverted_has_no_drift() {
        let b = binding(|p| {
            p.skins[0].inverse_bind[1] = Affine3A::from_scale(Vec3::new(1.0, 0.0, 1.0));
            p.skins[0].not_finite = vec![4];
            p.skins[0].inverse_bind[4] = Affine3A::IDENTITY;
        });
        assert_eq!((b.drift[1], b.drift[4], b.compared(), b.agreeing), (None, None, 4, 4));
        let none = binding(|p| p.skins[0].inverse_bind.fill(Affine3A::ZERO));
        assert_eq!((none.common, none.compared()), (None, 0));
    }

    #[test]
    fn small_units_are_no_defect_and_flat_matrices_are() {
        let turn = Affine3A::from_rotation_y(0.7) * Affine3A::from_rotation_x(1.1);
        let scaled = |s: Vec3| is_singular(&(turn * Affine3A::from_scale(s) * turn).as_daffine3());
        assert!(!scaled(Vec3::splat(1e-12)) && !scaled(Vec3::new(1.0, 1e-3, 1.0)));
        assert!(scaled(Vec3::new(1.0, 0.0, 1.0)) && scaled(Vec3::ZERO) && scaled(Vec3::new(1.0, 1.0, 1e-9)));
    }

    #[test]
    fn the_figures_of_a_node_are_those_of_its_transform() {
        let mut parts: ModelParts = (*tube(Tube::default())).clone();
        let t = &mut parts.skeleton.rest.transforms;
        t[1].scale = Vec3::new(2.0, 1.0, 1.0);
        t[2].rotation = Quat::from_rotation_z(90_f32.to_radians());
        t[2].scale = Vec3::new(1.0, -3.0, 1.0);
        let model = Model::build(parts).unwrap();
        let mut rest = Vec::new();
        local_to_model(&model.skeleton, &model.skeleton.rest, &mut rest);
        let of = |node| RestFigures::of(&model, &rest, NodeId(node));
        assert!(!of(0).is_turned() && of(2).is_turned() && (of(2).rotation_degrees - 90.0).abs() < 1e-4);
        assert_eq!(of(2).local_scale, Vec3::new(1.0, -3.0, 1.0));
        // Its x points along its parent's y (kept), its y along the parent's −x (doubled).
        assert!((of(2).world_scale - Vec3::new(1.0, 6.0, 1.0)).length() < 1e-5 && !of(2).has_shear);
    }
}
