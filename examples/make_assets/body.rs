//! The form of the character: one smooth solid. Every number here is a decision about looks, in metres.
//!
//! ```text
//! 1.66  crown      1.24  shoulders    0.895 hips    0.095 ankle
//! 1.36  chin       1.00  waist        0.478 knee    0     ground
//! ```

use glam::{Vec3, vec3};

use crate::sdf::{blend, blend_intersection, ellipsoid, round_cone, rounded_box};
use crate::skeleton::{SHOULDER, arm_rotation, flip};

/// Middle of the head.
pub const HEAD: Vec3 = vec3(0.0, 1.508, 0.006);
/// Half extents of the head.
pub const HEAD_RADII: Vec3 = vec3(0.146, 0.148, 0.142);

/// Distance to the skin. Mirror-symmetric.
pub fn body(p: Vec3) -> f32 {
    let left = if p.x < 0.0 { flip(p) } else { p };
    let trunk = blend(torso(left), leg(left), 0.055);
    // Near the crotch both thighs count.
    let trunk = if left.x < 0.06 { blend(trunk, leg(flip(left)), 0.03) } else { trunk };
    let with_head = blend(trunk, head(left), 0.03);
    blend(with_head, arm(left), 0.05)
}

/// Only the head, for what is worn on it.
pub fn head(p: Vec3) -> f32 {
    let cranium = ellipsoid(p, HEAD, HEAD_RADII);
    let jaw = ellipsoid(p, HEAD + vec3(0.0, -0.050, 0.016), vec3(0.118, 0.098, 0.118));
    let skull = blend(cranium, jaw, 0.05);
    let neck = round_cone(p, vec3(0.0, 1.24, -0.014), vec3(0.0, 1.40, -0.004), 0.062, 0.052);
    blend(skull, neck, 0.03)
}

fn torso(p: Vec3) -> f32 {
    let chest = ellipsoid(p, vec3(0.0, 1.155, -0.004), vec3(0.166, 0.150, 0.112));
    let collar = round_cone(p, vec3(0.03, 1.232, -0.012), SHOULDER - vec3(0.02, 0.0, 0.0), 0.062, 0.060);
    let belly = ellipsoid(p, vec3(0.0, 1.000, 0.006), vec3(0.132, 0.150, 0.101));
    let pelvis = ellipsoid(p, vec3(0.0, 0.895, 0.0), vec3(0.148, 0.110, 0.108));
    let seat = ellipsoid(p, vec3(0.068, 0.872, -0.040), vec3(0.078, 0.084, 0.072));
    let upper = blend(chest, collar, 0.06);
    let lower = blend(pelvis, seat, 0.05);
    blend(blend(upper, belly, 0.09), lower, 0.09)
}

fn leg(p: Vec3) -> f32 {
    let hip = vec3(0.083, 0.840, 0.0);
    let knee = vec3(0.098, 0.478, 0.008);
    let ankle = vec3(0.104, 0.100, -0.014);
    let thigh = round_cone(p, hip, knee, 0.083, 0.055);
    let calf = round_cone(p, vec3(0.099, 0.385, -0.008), ankle, 0.058, 0.040);
    let shin = round_cone(p, knee, vec3(0.101, 0.34, 0.002), 0.053, 0.050);
    let limb = blend(blend(thigh, shin, 0.03), calf, 0.05);
    blend(limb, boot(p), 0.025)
}

fn boot(p: Vec3) -> f32 {
    let shaft = round_cone(p, vec3(0.102, 0.205, -0.012), vec3(0.104, 0.09, -0.014), 0.058, 0.050);
    let heel = ellipsoid(p, vec3(0.104, 0.045, -0.026), vec3(0.050, 0.064, 0.056));
    let instep = round_cone(p, vec3(0.104, 0.086, 0.000), vec3(0.113, 0.046, 0.112), 0.052, 0.044);
    let toe = ellipsoid(p, vec3(0.115, 0.032, 0.118), vec3(0.056, 0.048, 0.074));
    let foot = blend(blend(heel, instep, 0.04), toe, 0.05);
    let sole = blend_intersection(foot, -p.y, 0.022);
    blend(shaft, sole, 0.04)
}

fn arm(p: Vec3) -> f32 {
    // Arm space: X along the arm, Y out of the back of the hand, Z to the thumb.
    let p = arm_rotation().inverse() * (p - SHOULDER);
    let elbow = vec3(0.255, 0.0, -0.008);
    let wrist = vec3(0.490, 0.0, 0.0);
    let deltoid = ellipsoid(p, vec3(0.010, 0.004, 0.0), vec3(0.075, 0.064, 0.066));
    let upper = round_cone(p, Vec3::ZERO, elbow, 0.054, 0.041);
    let fore = round_cone(p, elbow, wrist, 0.042, 0.031);
    let swell = ellipsoid(p, vec3(0.325, 0.0, 0.0), vec3(0.085, 0.045, 0.046));
    let limb = blend(blend(deltoid, upper, 0.04), blend(fore, swell, 0.03), 0.03);
    blend(limb, hand(p), 0.02)
}

fn hand(p: Vec3) -> f32 {
    let cuff = round_cone(p, vec3(0.455, 0.0, 0.0), vec3(0.495, 0.0, 0.0), 0.043, 0.035);
    let palm = rounded_box(p, vec3(0.548, 0.0, 0.0), vec3(0.050, 0.021, 0.044), 0.020);
    let finger = |z: f32, length: f32, spread: f32| {
        let base = vec3(0.575, 0.0, z);
        round_cone(p, base, base + vec3(length, 0.0, spread), 0.0150, 0.0128)
    };
    let fingers = blend(finger(0.029, 0.078, 0.007), finger(0.0, 0.088, 0.0), 0.006);
    let fingers = blend(fingers, finger(-0.029, 0.070, -0.007), 0.006);
    let thumb = round_cone(p, vec3(0.520, -0.006, 0.026), vec3(0.573, -0.011, 0.082), 0.0170, 0.0140);
    let hand = blend(blend(palm, fingers, 0.014), thumb, 0.016);
    blend(cuff, hand, 0.02)
}
