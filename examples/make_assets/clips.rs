//! The four clips: each a pose as a function of time, stored as keys.

use std::f32::consts::{PI, TAU};

use glam::{Quat, Vec3, Vec4, vec3};

use crate::keys::{Path, Track, lines, rotations, splines, vectors};
use crate::pose::{Pose, Side};
use crate::skeleton::Skeleton;

/// A clip to be stored.
pub struct Clip {
    pub name: &'static str,
    pub tracks: Vec<Track>,
}

const BOTH: [Side; 2] = [Side::Left, Side::Right];

/// All clips, in the order of the file.
pub fn all(skeleton: &Skeleton) -> Vec<Clip> {
    vec![
        keyed("Idle", 5.0, Keys::Splines, skeleton, idle),
        // Planted feet allow no rounding: a key for each thirtieth of a second, as if captured.
        keyed("Walk", WALK_SECS, Keys::Lines, skeleton, walk),
        keyed("Wave", 3.0, Keys::Splines, skeleton, wave),
        keyed("Bend", 6.0, Keys::Splines, skeleton, bend),
    ]
}

/// How a motion becomes keys.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keys {
    /// 30 a second.
    Lines,
    /// Only where needed.
    Splines,
}

/// Turns below this are none, radians; about the error of a spline's keys too.
const STILL: f32 = 2e-3;

fn keyed(name: &'static str, secs: f32, keys: Keys, skeleton: &Skeleton, pose: fn(&Skeleton, f32) -> Pose<'_>) -> Clip {
    let rate = if keys == Keys::Lines { 30.0 } else { 60.0 };
    let steps = (secs * rate).round();
    let step = secs / steps;
    let poses: Vec<Pose> = (0..=steps as usize).map(|i| pose(skeleton, i as f32 * step)).collect();
    let track = |joint, path, samples: Vec<Vec4>| match keys {
        Keys::Lines => lines(joint, path, step, samples),
        Keys::Splines => {
            let name = &skeleton.joints[joint].name;
            let tolerance = match path {
                Path::Scale => 0.02,
                // What a planted foot hangs on: a millimetre at the end of the leg.
                _ if ["Hips", "UpperLeg", "LowerLeg", "Foot"].iter().any(|part| name.starts_with(part)) => 0.15 * STILL,
                _ => 0.75 * STILL,
            };
            splines(joint, path, step, &samples, tolerance)
        }
    };
    let mut tracks = vec![track(0, Path::Translation, vectors(poses.iter().map(|p| p.hips)))];
    if poses.iter().any(|p| p.eyes != 1.0) {
        let scales = vectors(poses.iter().map(|p| vec3(1.0, p.eyes, 1.0)));
        tracks.push(track(skeleton.id("Eyes"), Path::Scale, scales));
    }
    for joint in 0..skeleton.joints.len() {
        let still = |at: Quat| poses.iter().all(|p| p.rotations[joint].angle_between(at) < STILL);
        if still(skeleton.local_rotation(joint)) {
            continue;
        }
        let samples = rotations(poses.iter().map(|p| p.rotations[joint]));
        tracks.push(if still(poses[0].rotations[joint]) {
            lines(joint, Path::Rotation, step, samples[..1].to_vec())
        } else {
            track(joint, Path::Rotation, samples)
        });
    }
    Clip { name, tracks }
}

fn x(angle: f32) -> Quat {
    Quat::from_rotation_x(angle)
}
fn y(angle: f32) -> Quat {
    Quat::from_rotation_y(angle)
}
fn z(angle: f32) -> Quat {
    Quat::from_rotation_z(angle)
}

/// 0 before `from`, 1 after `to`, smooth between.
fn ease(t: f32, from: f32, to: f32) -> f32 {
    let t = ((t - from) / (to - from)).clamp(0.0, 1.0);
    t * t * t * (t * (6.0 * t - 15.0) + 10.0)
}

/// Up from 0 to 1 and back down.
fn hump(t: f32, [up, top, down, end]: [f32; 4]) -> f32 {
    ease(t, up, top) - ease(t, down, end)
}

/// Arms hanging, hands loose, feet flat where they rest.
fn standing(skeleton: &Skeleton) -> Pose<'_> {
    let mut pose = Pose::rest(skeleton);
    for side in BOTH {
        pose.turn_side(side, "UpperArm", x(0.06) * z(-1.36) * x(0.1));
        pose.turn_side(side, "LowerArm", y(-0.22));
        pose.turn_side(side, "Hand", z(-0.06) * y(-0.06));
        pose.curl(side, 0.28);
    }
    pose
}

/// Both feet flat on the ground where they rest.
fn plant_both(pose: &mut Pose) {
    let ankle = ankle(pose.skeleton);
    for side in BOTH {
        pose.plant(side, ankle, Quat::IDENTITY);
    }
}

/// The left ankle at rest.
fn ankle(skeleton: &Skeleton) -> Vec3 {
    skeleton.joints[skeleton.id("Foot.L")].position
}

/// How open the eyes are at `t` when they close for a moment at `at`.
fn blink(t: f32, at: f32) -> f32 {
    1.0 - 0.92 * hump(t, [at - 0.10, at - 0.02, at + 0.02, at + 0.14])
}

fn idle(skeleton: &Skeleton, t: f32) -> Pose<'_> {
    let mut pose = standing(skeleton);
    let breath = (TAU * t / 2.5).sin();
    let sway = (TAU * t / 5.0).sin();
    let slow = (TAU * t / 5.0 + 0.9).sin();
    // A look to one side, then a shorter one to the other.
    let glance = hump(t, [0.5, 1.1, 1.9, 2.6]) - 0.7 * hump(t, [2.7, 3.2, 3.8, 4.5]);
    pose.eyes = blink(t, 0.75) * blink(t, 2.75) * blink(t, 3.15);
    pose.hips += vec3(0.020 * sway, -0.009 - 0.003 * breath, 0.004 * slow);
    pose.turn("Hips", z(0.028 * sway) * y(0.03 * slow));
    pose.turn("Spine", z(-0.024 * sway) * x(0.01 * breath));
    pose.turn("Chest", x(-0.016 * breath) * z(-0.014 * sway) * y(0.03 * glance));
    pose.turn("UpperChest", x(-0.022 * breath));
    pose.turn("Neck", x(0.018 * breath) * y(0.09 * glance));
    let nod = (TAU * t / 2.5 - 0.6).sin();
    pose.turn("Head", x(0.015 * nod - 0.02) * y(0.20 * glance) * z(0.02 * sway - 0.05 * glance));
    for (side, sign) in [(Side::Left, 1.0), (Side::Right, -1.0)] {
        let lag = (TAU * t / 2.5 - 0.5).sin();
        pose.turn_side(side, "Shoulder", z(0.022 * breath));
        pose.turn_side(side, "UpperArm", x(0.06 + 0.025 * slow * sign) * z(-1.36 + 0.018 * lag) * x(0.1));
        pose.turn_side(side, "LowerArm", y(-0.24 - 0.03 * lag));
        pose.curl(side, 0.28 + 0.04 * lag);
    }
    plant_both(&mut pose);
    pose
}

/// Seconds of a whole cycle: two steps.
const WALK_SECS: f32 = 1.1;
/// Metres the ground passes in one cycle.
const STRIDE: f32 = 0.92;
/// Part of a cycle that a foot stands.
const STANCE: f32 = 0.62;

fn walk(skeleton: &Skeleton, t: f32) -> Pose<'_> {
    let mut pose = standing(skeleton);
    let phase = t / WALK_SECS;
    let wave = |shift: f32| (TAU * (phase - shift)).cos();
    let bob = (2.0 * TAU * (phase - 0.31)).cos();
    pose.hips += vec3(0.020 * wave(0.30), -0.030 + 0.016 * bob, 0.0);
    pose.turn("Hips", y(-0.13 * wave(0.0)) * z(0.045 * wave(0.30)) * x(0.05));
    pose.turn("Spine", y(0.09 * wave(0.02)) * z(-0.03 * wave(0.32)) * x(0.01));
    pose.turn("Chest", y(0.09 * wave(0.03)) * z(-0.02 * wave(0.33)) * x(-0.01 + 0.015 * bob));
    pose.turn("UpperChest", y(0.06 * wave(0.04)));
    pose.turn("Neck", y(-0.06 * wave(0.04)) * x(-0.02));
    pose.turn("Head", y(-0.05 * wave(0.04)) * z(0.015 * wave(0.35)) * x(-0.03 - 0.02 * bob));
    for (side, shift) in [(Side::Left, 0.0), (Side::Right, 0.5)] {
        let swing = wave(shift + 0.03);
        let late = wave(shift + 0.09);
        pose.turn_side(side, "Shoulder", y(0.05 * swing));
        pose.turn_side(side, "UpperArm", x(0.02 + 0.46 * swing) * z(-1.33) * x(0.1));
        pose.turn_side(side, "LowerArm", y(-0.42 + 0.20 * late));
        pose.turn_side(side, "Hand", y(-0.04 + 0.06 * late) * z(-0.08));
        pose.curl(side, 0.38);
        let step = step(skeleton, (phase + shift).rem_euclid(1.0));
        pose.plant(side, step.ankle, x(step.pitch));
        pose.turn_side(side, "Toes", x(step.toes));
    }
    pose
}

/// The left foot at a moment of its cycle.
struct Step {
    ankle: Vec3,
    /// About X: positive is toes down.
    pitch: f32,
    /// About X, of the toes: negative is bent up.
    toes: f32,
}

/// Heel strike at 0, flat from 0.1, heel off from 0.36, toe off at `STANCE`, then through the air.
fn step(skeleton: &Skeleton, phase: f32) -> Step {
    if phase <= STANCE {
        return stance(skeleton, phase);
    }
    let h = (phase - STANCE) / (1.0 - STANCE);
    let (from, to) = (stance(skeleton, STANCE), stance(skeleton, 0.0));
    // The foot leaves and lands with the speed it has on the ground.
    let slope = |at: f32| {
        let (a, b) = (stance(skeleton, at), stance(skeleton, at + 0.004));
        ((b.ankle - a.ankle) / 0.004, (b.pitch - a.pitch) / 0.004)
    };
    let (leave, land) = (slope(STANCE - 0.004), slope(0.0));
    let span = 1.0 - STANCE;
    let (h2, h3) = (h * h, h * h * h);
    let basis = [2.0 * h3 - 3.0 * h2 + 1.0, h3 - 2.0 * h2 + h, 3.0 * h2 - 2.0 * h3, h3 - h2];
    let mut ankle =
        from.ankle * basis[0] + leave.0 * (span * basis[1]) + to.ankle * basis[2] + land.0 * (span * basis[3]);
    ankle.y += 0.052 * (PI * h.powf(0.8)).sin().powi(2);
    let pitch = from.pitch * basis[0] + leave.1 * (span * basis[1]) + to.pitch * basis[2] + land.1 * (span * basis[3]);
    Step { ankle, pitch, toes: from.toes * (1.0 - ease(h, 0.0, 0.5)) }
}

/// The foot on the ground rolls over its heel, then over its ball.
fn stance(skeleton: &Skeleton, phase: f32) -> Step {
    let rest = ankle(skeleton);
    let ball = skeleton.joints[skeleton.id("Toes.L")].position;
    let heel = vec3(rest.x, 0.012, rest.z - 0.062);
    let strike = -0.34 * (1.0 - ease(phase, -0.06, 0.12));
    let off = 0.82 * ((phase - 0.34).max(0.0) / (STANCE - 0.34)).powi(2);
    let (pivot, pitch) = if strike < 0.0 { (heel, strike) } else { (ball, off) };
    let pitch = if strike < 0.0 { strike } else { pitch };
    let carried = STRIDE * (0.5 * STANCE - phase) + 0.01;
    let ankle = pivot + x(pitch) * (rest - pivot) + Vec3::Z * carried;
    Step { ankle: vec3(rest.x - 0.022, ankle.y, ankle.z), pitch, toes: -off }
}

fn wave(skeleton: &Skeleton, t: f32) -> Pose<'_> {
    let mut pose = standing(skeleton);
    let up = hump(t, [0.1, 0.75, 2.2, 2.9]);
    let greet = hump(t, [0.45, 0.85, 2.0, 2.5]);
    let swing = (TAU * (t - 0.75) / 0.5).sin() * greet;
    let mut raised = pose.clone();
    raised.turn_side(Side::Right, "Shoulder", z(0.30));
    raised.turn_side(Side::Right, "UpperArm", z(0.10) * y(-0.35) * x(-1.35));
    raised.turn_side(Side::Right, "LowerArm", y(-1.12 + 0.36 * swing) * x(-0.15));
    raised.turn_side(Side::Right, "Hand", y(0.20 * swing));
    raised.curl(Side::Right, 0.02);
    raised.hips += vec3(0.012, 0.0, 0.0);
    raised.turn("Spine", z(-0.04));
    raised.turn("Chest", z(-0.05) * y(-0.05));
    raised.turn("Neck", z(0.05 + 0.015 * swing));
    raised.turn("Head", z(0.11 + 0.02 * swing) * y(-0.08) * x(0.03));
    // Eyes that smile.
    raised.eyes = 0.72;
    pose = pose.lerp(&raised, up);
    pose.eyes *= blink(t, 0.42) * blink(t, 2.45);
    pose.hips.y -= 0.008;
    plant_both(&mut pose);
    pose
}

fn bend(skeleton: &Skeleton, t: f32) -> Pose<'_> {
    let mut pose = standing(skeleton);
    let out = hump(t, [0.0, 0.6, 5.3, 6.0]);
    let elbow = hump(t, [0.5, 1.0, 1.2, 1.7]);
    let knee = hump(t, [1.5, 2.1, 2.3, 2.9]);
    let fold = hump(t, [2.8, 3.4, 3.6, 4.2]);
    let twist = hump(t, [4.0, 4.4, 4.5, 4.85]) - hump(t, [4.6, 5.0, 5.1, 5.5]);
    let roll = hump(t, [2.7, 3.3, 4.4, 5.2]);
    for side in BOTH {
        let arm = z(-1.36).slerp(z(-0.12), out);
        pose.turn_side(side, "Shoulder", z(0.10 * out));
        pose.turn_side(side, "UpperArm", arm * x(0.1 - 0.5 * elbow));
        pose.turn_side(side, "LowerArm", y(-0.22 + 0.18 * out - 2.40 * elbow) * x(PI * roll));
        pose.curl(side, 0.28 * (1.0 - out) + 1.1 * elbow);
    }
    pose.hips.y -= 0.008 + 0.012 * knee;
    pose.hips.x += 0.055 * knee;
    pose.hips.z -= 0.10 * fold;
    pose.turn("Hips", x(0.35 * fold) * y(0.15 * twist));
    for (joint, part) in [("Spine", 0.34), ("Chest", 0.36), ("UpperChest", 0.26)] {
        pose.turn(joint, x(1.25 * part * fold) * y(1.3 * part * twist));
    }
    pose.turn("Neck", x(0.20 * fold) * y(0.30 * twist));
    pose.turn("Head", x(0.10 * fold) * y(0.30 * twist));
    plant_both(&mut pose);
    let mut lifted = pose.clone();
    lifted.turn_side(Side::Right, "UpperLeg", x(-1.45));
    lifted.turn_side(Side::Right, "LowerLeg", x(2.27));
    lifted.turn_side(Side::Right, "Foot", x(0.35));
    pose.lerp(&lifted, knee)
}
