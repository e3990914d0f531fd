//! The form of the character: one smooth solid. Every number here is a decision about looks, in metres.
//!
//! ```text
//! 1.66  crown      1.24  shoulders    0.895 hips    0.095 ankle
//! 1.36  chin       1.00  waist        0.478 knee    0     ground
//! ```

use glam::{Vec3, vec3};

use crate::sdf::{blend, blend_intersection, ellipsoid, round_cone, rounded_box, rounded_cylinder};
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
    let neck = round_cone(p, vec3(0.0, 1.24, -0.014), vec3(0.0, 1.40, -0.004), 0.058, 0.049);
    blend(skull, neck, 0.03)
}

fn torso(p: Vec3) -> f32 {
    let chest = ellipsoid(p, vec3(0.0, 1.150, -0.004), vec3(0.162, 0.150, 0.112));
    let collar = round_cone(p, vec3(0.03, 1.234, -0.012), SHOULDER - vec3(0.012, 0.002, 0.0), 0.060, 0.050);
    let belly = ellipsoid(p, vec3(0.0, 1.000, 0.006), vec3(0.132, 0.150, 0.101));
    let pelvis = ellipsoid(p, vec3(0.0, 0.895, 0.0), vec3(0.146, 0.110, 0.108));
    let seat = ellipsoid(p, vec3(0.066, 0.872, -0.038), vec3(0.078, 0.084, 0.072));
    let upper = blend(chest, collar, 0.06);
    let lower = blend(pelvis, seat, 0.05);
    blend(blend(upper, belly, 0.09), lower, 0.09)
}

fn leg(p: Vec3) -> f32 {
    let hip = vec3(0.083, 0.840, 0.0);
    let knee = vec3(0.097, 0.478, 0.010);
    let ankle = vec3(0.104, 0.100, -0.014);
    let thigh = round_cone(p, hip, knee, 0.084, 0.050);
    let shin = round_cone(p, knee, ankle, 0.049, 0.038);
    let calf = ellipsoid(p, vec3(0.101, 0.350, -0.016), vec3(0.051, 0.110, 0.052));
    let limb = blend(blend(thigh, shin, 0.03), calf, 0.04);
    blend(limb, boot(p), 0.008)
}

fn boot(p: Vec3) -> f32 {
    let shaft = rounded_cylinder(p, vec3(0.102, 0.250, -0.014), vec3(0.104, 0.070, -0.012), 0.0565, 0.012);
    let heel = ellipsoid(p, vec3(0.104, 0.045, -0.026), vec3(0.052, 0.064, 0.056));
    let instep = round_cone(p, vec3(0.104, 0.094, 0.000), vec3(0.113, 0.048, 0.112), 0.052, 0.044);
    let sole = round_cone(p, vec3(0.104, 0.036, -0.020), vec3(0.114, 0.034, 0.110), 0.048, 0.050);
    let toe = ellipsoid(p, vec3(0.116, 0.034, 0.124), vec3(0.058, 0.050, 0.070));
    let foot = blend(blend(heel, instep, 0.03), blend(sole, toe, 0.03), 0.03);
    let foot = blend_intersection(foot, -p.y, 0.022);
    blend(shaft, foot, 0.04)
}

fn arm(p: Vec3) -> f32 {
    // Arm space: X along the arm, Y out of the back of the hand, Z to the thumb.
    let p = arm_rotation().inverse() * (p - SHOULDER);
    let elbow = vec3(0.255, 0.0, -0.008);
    let wrist = vec3(0.490, 0.0, 0.0);
    let deltoid = ellipsoid(p, vec3(0.014, 0.0, 0.0), vec3(0.072, 0.054, 0.060));
    let upper = round_cone(p, Vec3::ZERO, elbow, 0.050, 0.038);
    let fore = round_cone(p, elbow, wrist, 0.038, 0.030);
    let swell = ellipsoid(p, vec3(0.330, 0.0, 0.0), vec3(0.090, 0.043, 0.044));
    let limb = blend(blend(deltoid, upper, 0.04), blend(fore, swell, 0.03), 0.03);
    blend(limb, glove(p), 0.006)
}

fn glove(p: Vec3) -> f32 {
    let cuff = rounded_cylinder(p, vec3(0.436, 0.0, 0.0), vec3(0.492, 0.0, 0.0), 0.0425, 0.011);
    let palm = rounded_box(p, vec3(0.548, 0.0, 0.0), vec3(0.052, 0.0235, 0.0445), 0.0225);
    let finger = |z: f32, length: f32, spread: f32| {
        let base = vec3(0.575, 0.0, z);
        round_cone(p, base, base + vec3(length, 0.0, spread), 0.0142, 0.0122)
    };
    let fingers = blend(finger(0.030, 0.078, 0.008), finger(0.0, 0.088, 0.0), 0.004);
    let fingers = blend(fingers, finger(-0.030, 0.070, -0.008), 0.004);
    let thumb = round_cone(p, vec3(0.520, -0.006, 0.026), vec3(0.562, -0.013, 0.086), 0.0175, 0.0145);
    let hand = blend(blend(palm, fingers, 0.012), thumb, 0.018);
    blend(cuff, hand, 0.036)
}
