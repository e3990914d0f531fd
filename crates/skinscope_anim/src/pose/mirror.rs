//! Mirrors poses: each side gets the pose of the other.

use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};
use skinscope_model::{LocalPose, Model, NodeId, Skeleton};

use super::reach::nearest_rotation;
use super::world;
use crate::far::{self, stretch};

/// Differences from rest below this share of the model's size are rounding errors.
const ROUNDING: f64 = 3e-6;

/// An axis of the world, to which a mirror plane is perpendicular.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Axis {
    #[default]
    X,
    Y,
    Z,
}

/// A mirror plane, and the partner of each node of a model.
#[derive(Clone, Debug)]
pub struct Mirror {
    /// The normal of the plane in the world, of unit length.
    normal: DVec3,
    /// The distance of the plane from the origin along the normal, in metres.
    offset: f64,
    partners: Vec<NodeId>,
}

impl Mirror {
    /// Makes the mirror with a plane with this `normal` (of unit length) through `point` (world space of the model at
    /// rest, metres). `partners` has for each node its partner on the other side, or the node itself where it has none.
    /// `skinscope_inspect::symmetry` finds both from the mesh.
    #[must_use]
    pub fn new(normal: DVec3, point: DVec3, partners: Vec<NodeId>) -> Self {
        let offset = normal.dot(point);
        Self { normal, offset: if offset.is_finite() { offset } else { 0.0 }, partners }
    }

    /// Makes the mirror with a plane through `point` perpendicular to an axis, in which no node of a model has a
    /// partner.
    #[must_use]
    pub fn alone(model: &Model, axis: Axis, point: Vec3) -> Self {
        let own = (0..model.skeleton.len()).map(NodeId::from_index).collect();
        Self::new(axis.direction().as_dvec3(), point.as_dvec3(), own)
    }

    /// Returns the normal of the plane in the world, of unit length.
    #[must_use]
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// Returns the distance of the plane from the origin along the normal, in metres.
    #[must_use]
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// Returns whether any node has a partner on the other side.
    #[must_use]
    pub fn has_pairs(&self) -> bool {
        self.partners.iter().enumerate().any(|(node, partner)| partner.index() != node)
    }

    /// Returns the partner of a node, or the node itself where it has none.
    #[must_use]
    pub fn partner(&self, node: NodeId) -> NodeId {
        self.partners[node.index()]
    }

    /// Returns the same mirror for a model of `count` nodes, in which `find` finds those that this one is about. Nodes that are new there have no
    /// partner.
    #[must_use]
    pub fn for_nodes(&self, count: usize, find: &dyn Fn(NodeId) -> Option<NodeId>) -> Self {
        let mut partners: Vec<NodeId> = (0..count).map(NodeId::from_index).collect();
        for (node, partner) in self.partners.iter().enumerate() {
            if let (Some(node), Some(partner)) = (find(NodeId::from_index(node)), find(*partner))
                && let Some(own) = partners.get_mut(node.index())
            {
                *own = partner;
            }
        }
        Self { partners, ..self.clone() }
    }

    /// Returns whether each node has the same partner in both mirrors.
    #[must_use]
    pub fn has_same_pairs(&self, other: &Self) -> bool {
        self.partners == other.partners
    }

    /// Makes two nodes partners of each other; their previous partners then have none. Given one node twice, it removes
    /// the node's partner.
    pub fn pair(&mut self, a: NodeId, b: NodeId) {
        for node in [a, b] {
            let before = self.partners[node.index()];
            self.partners[before.index()] = before;
            self.partners[node.index()] = node;
        }
        (self.partners[a.index()], self.partners[b.index()]) = (b, a);
    }

    /// Exchanges both sides of a pose: the partner of a node moves from its rest as the mirror image of the node does,
    /// `W′ₚ = S · Wⱼ · Wⱼ,rest⁻¹ · S · Wₚ,rest` with the reflection `S` and world matrices `W`. The shear that a
    /// mirrored scale may cause is lost. Morph weights stay as they are.
    pub fn exchange(&self, model: &Model, pose: &mut LocalPose) {
        *pose = self.exchanged(model, pose);
    }

    /// Returns the pose that [`Mirror::exchange`] would make.
    #[must_use]
    pub fn exchanged(&self, model: &Model, pose: &LocalPose) -> LocalPose {
        let skeleton = &model.skeleton;
        // The plane is relative to where the model rests, and so are all places here, however far the pose leads.
        let (rest, now) = (world(skeleton, &skeleton.rest), in_rest_space(skeleton, pose));
        let reflect = self.reflection();
        let size = rest.iter().map(|m| m.translation.distance(rest[0].translation)).fold(0.0, f64::max);
        let mut out = pose.clone();
        let mut wanted: Vec<DAffine3> = Vec::with_capacity(skeleton.len());
        for p in 0..skeleton.len() {
            let j = self.partners[p].index();
            let moved = now[j] * rest[j].inverse();
            let goal = if moved.is_finite() { reflect * moved * reflect * rest[p] } else { rest[p] };
            let parent = skeleton.parents[p].map_or(DAffine3::IDENTITY, |parent| wanted[parent.index()]);
            let swing = far::swing_of(skeleton, &out, NodeId::from_index(p));
            let moved_offset = reflect.matrix3 * far::offset_in_world(skeleton, pose, NodeId::from_index(j));
            let offset = far::offset_below(skeleton, &out, NodeId::from_index(p), moved_offset);
            let mut local = parent.inverse() * DAffine3 { translation: goal.translation - swing, ..goal };
            local.translation -= offset;
            let from = &skeleton.rest.transforms[p];
            // The stored shear stays, and the signs of the scale where they can.
            let shear = shear_of(model, p);
            let own = local.matrix3 * shear.inverse();
            let mut signs = from.scale.as_dvec3().map(|s| if s < 0.0 { -1.0 } else { 1.0 });
            if own.determinant() * signs.x * signs.y * signs.z < 0.0 {
                signs.x = -signs.x;
            }
            let scale = DVec3::new(own.x_axis.length(), own.y_axis.length(), own.z_axis.length()) * signs;
            let axes = DMat3::from_cols(own.x_axis * signs.x, own.y_axis * signs.y, own.z_axis * signs.z);
            let to = &mut out.transforms[p];
            if let Some(rotation) = nearest_rotation(axes).filter(|_| local.is_finite()) {
                let near = ROUNDING * size * parent.inverse().matrix3.x_axis.length().max(f64::MIN_POSITIVE);
                let rests = (from.translation.as_dvec3(), from.rotation.as_dquat().normalize(), from.scale.as_dvec3());
                to.translation = if local.translation.distance(rests.0) <= near {
                    from.translation
                } else {
                    local.translation.as_vec3()
                };
                to.scale = if (scale - rests.2).abs().max_element() <= ROUNDING * rests.2.abs().max_element() {
                    from.scale
                } else {
                    scale.as_vec3()
                };
                to.rotation = if same(rotation, rests.1) { from.rotation } else { rotation.as_quat() };
                out.wide.set_offset(NodeId::from_index(p), offset);
            }
            let made = super::local(skeleton, &out, p);
            let mut made = skeleton.parents[p].map_or(made, |parent| wanted[parent.index()] * made);
            made.translation += swing + far::offset_in_world(skeleton, &out, NodeId::from_index(p));
            wanted.push(made);
        }
        out
    }

    /// Exchanges the poses of a limb (a node with all nodes below it) and of its partner, each relative to its parent.
    /// The rest of the pose does not change.
    #[must_use]
    pub fn flipped(&self, model: &Model, pose: &LocalPose, limb: NodeId) -> LocalPose {
        let all = self.exchanged(model, pose);
        let mut out = pose.clone();
        let heads = [limb, self.partner(limb)];
        let mut inside: Vec<bool> = Vec::with_capacity(model.skeleton.len());
        for (i, parent) in model.skeleton.parents.iter().enumerate() {
            inside.push(heads.contains(&NodeId::from_index(i)) || parent.is_some_and(|p| inside[p.index()]));
            if inside[i] {
                out.transforms[i] = all.transforms[i];
                out.wide.set_offset(NodeId::from_index(i), all.wide.offset(NodeId::from_index(i)));
            }
        }
        out
    }

    /// Returns the reflection in the plane.
    pub(super) fn reflection(&self) -> DAffine3 {
        let n = self.normal;
        let flip = DMat3::from_cols(n * n.x, n * n.y, n * n.z) * 2.0;
        DAffine3 { matrix3: DMat3::IDENTITY - flip, translation: 2.0 * self.offset * n }
    }
}

impl Axis {
    /// All axes.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    /// Returns the unit vector along it.
    #[must_use]
    pub fn direction(self) -> Vec3 {
        match self {
            Self::X => Vec3::X,
            Self::Y => Vec3::Y,
            Self::Z => Vec3::Z,
        }
    }

    /// Returns its name, a small letter.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
        }
    }
}

/// Returns the shear that the file gives a node; the identity for most.
fn shear_of(model: &Model, node: usize) -> DMat3 {
    let scale = &model.skeleton.rest.transforms[node].scale;
    match model.skeleton.residual(node) {
        Some(_) => {
            DMat3::from_diagonal(scale.as_dvec3()).inverse() * stretch(&model.skeleton, &model.skeleton.rest, node)
        }
        None => DMat3::IDENTITY,
    }
}

/// Returns `model_from_node` of every node in f64, parents first, relative to the origin of the rest pose.
fn in_rest_space(skeleton: &Skeleton, pose: &LocalPose) -> Vec<DAffine3> {
    let mut out = world(skeleton, pose);
    let origin = far::origin_shift(skeleton, pose);
    out.iter_mut().for_each(|m| m.translation += origin);
    out
}

/// Returns whether two quaternions are one rotation but for rounding to f32, whatever their signs.
fn same(a: DQuat, b: DQuat) -> bool {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    (a - b).length() < 1e-6
}

#[cfg(test)]
mod tests {
    use glam::Quat;
    use skinscope_base::math::Transform;
    use skinscope_model::LocalPose;

    use super::super::reach::tests::{body, node};
    use super::*;

    fn posed(model: &Model) -> LocalPose {
        let mut pose = model.skeleton.rest.clone();
        for (i, transform) in pose.transforms.iter_mut().enumerate() {
            let axis = Vec3::new((i as f32).sin(), (2.0 * i as f32).cos(), 0.5).normalize();
            transform.rotation = Quat::from_axis_angle(axis, 0.1 * i as f32);
        }
        pose.transforms[1].translation += Vec3::new(0.2, 0.1, -0.3);
        pose
    }

    /// The mirror of a body whose sides are told by `.L` and `.R`, across an axis; across Y and Z each node is its own partner.
    fn mirror_of(model: &Model, axis: Axis, point: Vec3) -> Mirror {
        let mut mirror = Mirror::alone(model, axis, point);
        let names = model.skeleton.names.iter().enumerate();
        for (left, name) in names.filter(|_| axis == Axis::X) {
            if let Some(name) = name.strip_suffix(".L") {
                mirror.pair(NodeId::from_index(left), node(model, &format!("{name}.R")));
            }
        }
        mirror
    }

    fn places(model: &Model, pose: &LocalPose) -> Vec<DVec3> {
        world(&model.skeleton, pose).iter().map(|m| m.translation).collect()
    }

    #[test]
    fn sides_are_exchanged_and_twice_is_none() {
        let model = body();
        let pose = posed(&model);
        let mirror = mirror_of(&model, Axis::X, Vec3::ZERO);
        assert_eq!(mirror.partner(node(&model, "Hand.L")), node(&model, "Hand.R"));
        assert_eq!(mirror.partner(node(&model, "Head")), node(&model, "Head"));
        let once = mirror.exchanged(&model, &pose);
        let (before, after) = (places(&model, &pose), places(&model, &once));
        for (p, at) in after.iter().enumerate() {
            let opposite = before[mirror.partner(NodeId::from_index(p)).index()] * DVec3::new(-1.0, 1.0, 1.0);
            assert!(at.distance(opposite) < 1e-5, "{}", model.skeleton.names[p]);
        }
        let mut twice = once;
        mirror.exchange(&model, &mut twice);
        for (now, first) in twice.transforms.iter().zip(&pose.transforms) {
            assert!((now.translation - first.translation).length() < 1e-5 && (now.scale - first.scale).length() < 1e-5);
            let same = first.rotation * now.rotation.dot(first.rotation).signum();
            assert!((now.rotation - same).length() < 1e-5);
        }
        let mut rest = model.skeleton.rest.clone();
        mirror.exchange(&model, &mut rest);
        assert_eq!(rest, model.skeleton.rest);
    }

    /// The body beside a lamp that nothing moves, posed, with its root moved by `offset`.
    fn posed_beside_a_lamp(offset: DVec3) -> (Model, LocalPose) {
        let mut parts: skinscope_model::ModelParts = (*body()).clone();
        let lamp = Transform { translation: Vec3::new(1.5, 3.0, 0.25), ..Transform::IDENTITY };
        parts.skeleton.file_index.push(parts.skeleton.len() as u32);
        parts.skeleton.parents.push(None);
        parts.skeleton.names.push("Lamp".into());
        parts.skeleton.rest.transforms.push(lamp);
        parts.scenes.iter_mut().for_each(|scene| scene.contains.push(true));
        let model = Model::build(parts).unwrap();
        let mut pose = posed(&model);
        let last = model.skeleton.len() - 1;
        pose.transforms[last] = lamp;
        pose.wide.set_offset(NodeId(0), offset);
        (model, pose)
    }

    /// The places of all nodes in the world.
    fn places_in_world(model: &Model, pose: &LocalPose) -> Vec<DVec3> {
        let shift = crate::origin_shift(&model.skeleton, pose);
        places(model, pose).iter().map(|place| *place + shift).collect()
    }

    #[test]
    fn a_pose_far_away_is_mirrored_to_the_other_side_of_the_plane_as_one_near_it() {
        let away = DVec3::new(98_304.125, -3.0, 12_288.5);
        let (model, near) = posed_beside_a_lamp(DVec3::ZERO);
        let (_, far) = posed_beside_a_lamp(away);
        let mirror = mirror_of(&model, Axis::X, Vec3::new(0.25, 0.0, 0.0));
        let mirrored = |pose: &LocalPose| places_in_world(&model, &mirror.exchanged(&model, pose));
        let lamp = model.skeleton.len() - 1;
        for (p, (far, near)) in mirrored(&far).iter().zip(mirrored(&near)).enumerate() {
            let moved = if p == lamp { DVec3::ZERO } else { away * DVec3::new(-1.0, 1.0, 1.0) };
            assert!(far.distance(near + moved) < 2e-5, "{}: {far} {near}", model.skeleton.names[p]);
        }
        let once = mirror.exchanged(&model, &far);
        assert!(once.transforms[0].translation.length() < 8.0, "{:?}", once.transforms[0]);
        let mut twice = once;
        mirror.exchange(&model, &mut twice);
        for (again, first) in places_in_world(&model, &twice).iter().zip(places_in_world(&model, &far)) {
            assert!(again.distance(first) < 2e-5, "{again} {first}");
        }
    }

    #[test]
    fn what_a_hand_holds_far_away_goes_to_the_other_hand() {
        let model = body();
        let mirror = mirror_of(&model, Axis::X, Vec3::ZERO);
        let [left, right] = ["Hand.L", "Hand.R"].map(|name| node(&model, name));
        let mut pose = posed(&model);
        pose.wide.set_offset(left, DVec3::new(65_536.0, 1_024.5, -8_192.25));
        let before = places_in_world(&model, &pose);
        let once = mirror.exchanged(&model, &pose);
        let after = places_in_world(&model, &once);
        for (p, at) in after.iter().enumerate() {
            let opposite = before[mirror.partner(NodeId::from_index(p)).index()] * DVec3::new(-1.0, 1.0, 1.0);
            assert!(at.distance(opposite) < 2e-5, "{}: {at} {opposite}", model.skeleton.names[p]);
        }
        assert!(once.wide.offset(left) == DVec3::ZERO && once.wide.offset(right).length() > 60_000.0);
        // A limb takes the place of the other one with its pose; what is no part of it keeps its own.
        pose.wide.set_offset(NodeId(0), DVec3::new(0.0, 0.0, 32_768.0));
        let all = mirror.exchanged(&model, &pose);
        let flipped = mirror.flipped(&model, &pose, node(&model, "LowerArm.R"));
        assert_eq!(
            [left, right].map(|hand| flipped.wide.offset(hand)),
            [left, right].map(|hand| all.wide.offset(hand))
        );
        assert_eq!(flipped.wide.offset(NodeId(0)), pose.wide.offset(NodeId(0)));
    }

    #[test]
    fn a_flipped_limb_is_that_of_the_other_side_and_the_rest_stays() {
        let model = body();
        let pose = posed(&model);
        let mirror = mirror_of(&model, Axis::X, Vec3::ZERO);
        let all = mirror.exchanged(&model, &pose);
        let flipped = mirror.flipped(&model, &pose, node(&model, "LowerArm.R"));
        for (i, name) in model.skeleton.names.iter().enumerate() {
            let is_limb = name.starts_with("LowerArm") || name.starts_with("Hand");
            let want = if is_limb { &all } else { &pose };
            assert_eq!(flipped.transforms[i], want.transforms[i], "{name}");
        }
        let twice = mirror.flipped(&model, &flipped, node(&model, "LowerArm.L"));
        for (now, first) in twice.transforms.iter().zip(&pose.transforms) {
            assert!(now.rotation.dot(first.rotation).abs() > 1.0 - 1e-6);
        }
    }

    #[test]
    fn the_formula_holds_for_every_node_and_axis() {
        let model = body();
        let pose = posed(&model);
        let (rest, now) = (world(&model.skeleton, &model.skeleton.rest), world(&model.skeleton, &pose));
        for (axis, flip) in [
            (Axis::X, DVec3::new(-1.0, 1.0, 1.0)),
            (Axis::Y, DVec3::new(1.0, -1.0, 1.0)),
            (Axis::Z, DVec3::new(1.0, 1.0, -1.0)),
        ] {
            let middle = Vec3::new(0.0, 0.9, 0.0);
            let mirror = mirror_of(&model, axis, middle);
            let centre = if axis == Axis::Y { DVec3::new(0.0, 1.8, 0.0) } else { DVec3::ZERO };
            let s = DAffine3 { matrix3: DMat3::from_diagonal(flip), translation: centre };
            let after = world(&model.skeleton, &mirror.exchanged(&model, &pose));
            for p in 0..after.len() {
                let j = mirror.partner(NodeId::from_index(p)).index();
                assert!(axis == Axis::X || j == p);
                let want = s * now[j] * rest[j].inverse() * s * rest[p];
                assert!(after[p].abs_diff_eq(want, 1e-5), "{axis:?} {}", model.skeleton.names[p]);
            }
        }
    }
}
