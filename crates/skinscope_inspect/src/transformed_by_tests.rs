//! Checks the operation that Lewis (Skinning math tutorial, 2005) calls `transformed-by(p, bone)`: a point that hangs on
//! bone 1 is carried as each other bone alone would carry it, for bones that rest turned. It is compared with trigonometry
//! in f64.
//!
//! The tutorial's bones rest without rotation, so that its `(T1 T2)⁻¹` may be taken apart in either order. Here it
//! may not: `(A B)⁻¹ = B⁻¹ A⁻¹`.

use glam::{Affine3A, Quat, Vec3};
use skinscope_anim::local_to_model;
use skinscope_deform::palettes;
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{LocalPose, Model, ModelParts};

/// The lengths of bones 1 and 2, along their own x.
const LENGTHS: [f64; 2] = [1.5, 0.8];
/// The local rotations about z at rest and animated, radians.
const REST: [f64; 3] = [0.3, 0.9, -0.5];
const POSED: [f64; 3] = [-0.7, 1.6, 0.4];

/// Returns origin and direction of each bone of a planar chain, summed up along it.
fn chain(turns: [f64; 3]) -> [([f64; 2], f64); 3] {
    let mut out = [([0.0, 0.0], turns[0]); 3];
    for i in 1..3 {
        let ([x, y], angle) = out[i - 1];
        let at = [x + LENGTHS[i - 1] * angle.cos(), y + LENGTHS[i - 1] * angle.sin()];
        out[i] = (at, angle + turns[i]);
    }
    out
}

fn turned([x, y]: [f64; 2], angle: f64) -> [f64; 2] {
    let (sin, cos) = angle.sin_cos();
    [x * cos - y * sin, x * sin + y * cos]
}

fn turn(radians: f64) -> Affine3A {
    Affine3A::from_quat(Quat::from_rotation_z(radians as f32))
}

fn step(metres: f64) -> Affine3A {
    Affine3A::from_translation(Vec3::X * metres as f32)
}

/// Makes three bones; the inverse binds are products of local inverses in the given order.
fn model(inverse_bind: [Affine3A; 3]) -> Model {
    let mut parts: ModelParts = (*tube(Tube { joints: 3, ..Tube::default() })).clone();
    parts.skeleton.rest = pose(&parts.skeleton.rest, REST);
    parts.skins[0].inverse_bind = inverse_bind.to_vec();
    Model::build(parts).unwrap()
}

/// Makes a pose; nodes 1 to 3 are the bones.
fn pose(like: &LocalPose, turns: [f64; 3]) -> LocalPose {
    let mut out = like.clone();
    for (i, angle) in turns.into_iter().enumerate() {
        out.transforms[i + 1].rotation = Quat::from_rotation_z(angle as f32);
        out.transforms[i + 1].translation = Vec3::X * if i == 0 { 0.0 } else { LENGTHS[i - 1] as f32 };
    }
    out
}

/// Returns `B⁻¹ A⁻¹`: what was done last is undone first.
fn right_order() -> [Affine3A; 3] {
    let undo = |i: usize| turn(-REST[i]);
    let first = undo(0);
    let second = undo(1) * step(-LENGTHS[0]) * first;
    [first, second, undo(2) * step(-LENGTHS[1]) * second]
}

/// Returns the positions to which each bone carries a point `p` of bone 1's own space in the pose.
fn carried(model: &Model, p: [f64; 2], turns: [f64; 3]) -> [Vec3; 3] {
    let (mut world, mut palette) = (Vec::new(), Vec::new());
    local_to_model(&model.skeleton, &pose(&model.skeleton.rest, turns), &mut world);
    palettes(model, &world, &mut palette);
    let [x, y] = turned(p, REST[0]);
    let at_rest = Vec3::new(x as f32, y as f32, 0.0);
    [0, 1, 2].map(|bone| palette[bone].transform_point3(at_rest))
}

#[test]
fn each_bone_alone_carries_a_point_as_trigonometry_says() {
    let p = [0.9, -0.35];
    let got = carried(&model(right_order()), p, POSED);
    let (rest, posed) = (chain(REST), chain(POSED));
    let [x, y] = turned(p, REST[0]);
    for bone in 0..3 {
        let ([ox, oy], from) = rest[bone];
        let ([tx, ty], to) = posed[bone];
        let [dx, dy] = turned([x - ox, y - oy], to - from);
        let want = Vec3::new((tx + dx) as f32, (ty + dy) as f32, 0.0);
        assert!((got[bone] - want).length() < 2e-6, "bone {bone}: {} for {want}", got[bone]);
    }
    // Bone 1 leaves the point where it hangs: p' = (W1 animated)⁻¹ p is p itself.
    let back = turned([f64::from(got[0].x), f64::from(got[0].y)], -POSED[0]);
    assert!((back[0] - p[0]).abs() < 1e-6 && (back[1] - p[1]).abs() < 1e-6);
}

#[test]
fn at_rest_every_bone_leaves_the_point_where_it_is() {
    let p = [0.9, -0.35];
    let [x, y] = turned(p, REST[0]);
    for got in carried(&model(right_order()), p, REST) {
        assert!((got - Vec3::new(x as f32, y as f32, 0.0)).length() < 1e-6);
    }
}

#[test]
fn inverses_in_the_wrong_order_carry_it_elsewhere() {
    let undo = |i: usize| turn(-REST[i]);
    let first = undo(0);
    let second = first * step(-LENGTHS[0]) * undo(1);
    let wrong = model([first, second, second * step(-LENGTHS[1]) * undo(2)]);
    let (got, want) = (carried(&wrong, [0.9, -0.35], POSED), carried(&model(right_order()), [0.9, -0.35], POSED));
    assert!((got[0] - want[0]).length() < 1e-6);
    assert!((got[1] - want[1]).length() > 0.3 && (got[2] - want[2]).length() > 0.3, "{got:?} {want:?}");
}

#[test]
fn the_bind_pose_of_turned_bones_is_their_rest_pose() {
    let model = model(right_order());
    for (bind, rest) in model.bind_pose().transforms.iter().zip(&model.skeleton.rest.transforms) {
        assert!(
            (bind.translation - rest.translation).length() < 1e-6
                && bind.rotation.dot(rest.rotation).abs() > 1.0 - 1e-6
        );
    }
}
