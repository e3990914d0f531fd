//! The rig of [`super::corrective_shape`]: a body of two shapes, an arm that is skinned plainly, and one with a corrective shape.

use glam::{DVec3, Mat3, Quat, Vec2, Vec3};
use skinscope_model::{LocalPose, Model, NodeId, Skeleton};

use super::Settings;
use super::moment::Moment;
use super::rig::{Rig, Shape, change, eased, mixed};

/// The radius of the arms, metres.
pub(super) const RADIUS: f32 = 0.2;
/// Their height; the joint is half way up.
pub(super) const HEIGHT: f32 = 2.0;
/// Half of the length over which the weights change.
const ZONE: f32 = 0.4;
pub(super) const RINGS: usize = 41;
pub(super) const SIDES: usize = 32;
/// The ring at the joint.
pub(super) const RING: usize = RINGS / 2;
/// The vertex of a ring on the outer side of the bend.
pub(super) const OUTER: usize = SIDES * 3 / 4;
/// Where the arms stand along x: the plain one and the corrected one.
pub(super) const AT: [f32; 2] = [-0.75, 1.15];
/// The angle at which the corrective shape was made, degrees.
pub(super) const MADE_AT: f32 = 120.0;
/// The middle of the body of two shapes, and its sizes.
const BODY: [f32; 3] = [-1.95, 1.0, 0.0];
const BODY_HEIGHT: f32 = 1.2;
const BODY_RADIUS: f32 = 0.3;
/// The marked vertex of the body: high up at the left, where both shapes move it outwards.
pub(super) const MARKED: usize = 30 * SIDES + OUTER;

/// The instances, in the order of drawing; with it the indices of the morph weights.
pub(super) const SHAPES: usize = 0;
pub(super) const PLAIN: usize = 1;
pub(super) const CORRECTED: usize = 2;

/// ```text
/// root ─┬─ body                             two shapes
///       ├─ plain arm ── plain elbow
///       └─ corrected arm ── corrected elbow    one shape
/// ```
pub(super) fn model(_: &Settings) -> Model {
    let mut rig = Rig::new("Shapes and poses");
    let body = rig.joint("body", NodeId(0), BODY);
    let arms = [("plain arm", "plain elbow"), ("corrected arm", "corrected elbow")].map(|(arm, elbow)| {
        let x = AT[usize::from(arm != "plain arm")];
        let base = rig.joint(arm, NodeId(0), [x, 0.0, 0.0]);
        [base, rig.joint(elbow, base, [0.0, HEIGHT / 2.0, 0.0])]
    });
    let body = rig.skin(&[body]);
    let half = BODY_HEIGHT / 2.0;
    let wide = |y: f32| Vec2::splat(BODY_RADIUS * (1.0 - (y / half).powi(2) * 0.75).sqrt());
    let shape = Shape::tube([-half, half], RINGS, SIDES, wide).at(BODY).painted(|_| 0xa9b7a0);
    let middle = Vec3::from(BODY);
    // The upper half swells away from the axis; the body bows to its left, farther the higher.
    let swollen = move |p: Vec3| {
        let d = p - middle;
        Vec3::new(d.x, 0.0, d.z) * 0.9 * eased(-0.1, 0.35, d.y)
    };
    let bowed = move |p: Vec3| Vec3::NEG_X * 0.4 * ((p.y - middle.y) / half + 1.0).powi(2) / 4.0;
    let shape = shape.weighted(|_| vec![(0, 1.0)]).morphed("swollen", swollen).morphed("bowed", bowed);
    rig.skinned("body", body, shape);
    for (arm, joints) in arms.into_iter().enumerate() {
        let skin = rig.skin(&joints);
        let shape = Shape::tube([0.0, HEIGHT], RINGS, SIDES, |_| Vec2::splat(RADIUS));
        let shape = shape.painted(|p| mixed(0x7fa6d6, 0xe6c07a, share(p.y))).at(Vec3::X * AT[arm]);
        let shape = shape.weighted(|p| vec![(0, 1.0 - share(p.y)), (1, share(p.y))]);
        let shape = if arm == 0 { shape } else { shape.morphed("corrective", correction) };
        rig.skinned(["plain arm", "corrected arm"][arm], skin, shape);
    }
    rig.build()
}

/// The weight of the elbow's joint at a height.
fn share(y: f32) -> f32 {
    eased(-ZONE, ZONE, y - HEIGHT / 2.0)
}

/// What the corrective shape adds to a vertex of the right arm, so that in the pose in which it was made each vertex is turned about the
/// joint by its share of the bend. What is wanted in the pose goes back to rest by the inverse of the blended matrix. Towards the inner
/// side of the bend, where the skin would run through itself, there is less and less of it.
fn correction(p: Vec3) -> Vec3 {
    let (bend, share) = (-MADE_AT.to_radians(), share(p.y));
    let d = p - Vec3::new(AT[1], HEIGHT / 2.0, 0.0);
    let wanted = Quat::from_rotation_z(bend * share) * d;
    let blended = Mat3::IDENTITY * (1.0 - share) + Mat3::from_rotation_z(bend) * share;
    (blended.inverse() * wanted - d) * (1.0 - eased(0.0, RADIUS, d.x))
}

pub(super) fn pose(settings: &Settings, skeleton: &Skeleton, local: &mut LocalPose) {
    let phi = settings.get("phi").to_radians();
    for elbow in ["plain elbow", "corrected elbow"] {
        change(skeleton, local, elbow, |t| t.rotation = Quat::from_rotation_z(-phi));
    }
    let near = |angle: f32| (-(angle / settings.get("sigma").to_radians()).powi(2)).exp();
    let made_at = MADE_AT.to_radians();
    let (g0, g1, e) = (near(phi), near(phi - made_at), near(made_at));
    local.morph_weights.copy_from_slice(&[settings.get("a"), settings.get("b"), (g1 - e * g0) / (1.0 - e * e)]);
}

pub(super) fn angle(moment: &Moment) -> f64 {
    moment.slider("phi").to_radians()
}

pub(super) fn made_at() -> f64 {
    f64::from(MADE_AT).to_radians()
}

/// The radial basis function of an angle.
pub(super) fn basis(moment: &Moment, angle: f64) -> f64 {
    (-(angle / moment.slider("sigma").to_radians()).powi(2)).exp()
}

pub(super) fn stored(moment: &Moment) -> DVec3 {
    moment.stored_vertex(SHAPES, MARKED)
}

/// By how much a shape of the body moves its marked vertex.
pub(super) fn displacement(moment: &Moment, shape: usize) -> DVec3 {
    moment.model().meshes[SHAPES].primitives[0].morphs[shape].positions[MARKED].as_dvec3()
}

/// The joint of an arm, and the outer vertex of the ring there.
pub(super) fn waist(moment: &Moment, arm: usize) -> [DVec3; 2] {
    let joint = moment.exact_node(["plain elbow", "corrected elbow"][arm]).translation;
    [joint, moment.vertex("linear", PLAIN + arm, RING * SIDES + OUTER)]
}

pub(super) fn width(moment: &Moment, arm: usize) -> f64 {
    let [joint, outer] = waist(moment, arm);
    joint.distance(outer)
}
