//! Signed distances: a few shapes, soft unions, and how to come to the surface. Negative inside, metres.

use glam::{Vec3, vec3};

/// Two balls and the cone that touches both (Quilez, "round cone").
pub fn round_cone(p: Vec3, a: Vec3, b: Vec3, ra: f32, rb: f32) -> f32 {
    let axis = b - a;
    let l2 = axis.length_squared();
    let dr = ra - rb;
    let a2 = l2 - dr * dr;
    let il2 = 1.0 / l2;
    let pa = p - a;
    let y = pa.dot(axis);
    let z = y - l2;
    let x2 = (pa * l2 - axis * y).length_squared();
    let y2 = y * y * l2;
    let z2 = z * z * l2;
    let k = dr.signum() * dr * dr * x2;
    if z.signum() * a2 * z2 > k {
        (x2 + z2).sqrt() * il2 - rb
    } else if y.signum() * a2 * y2 < k {
        (x2 + y2).sqrt() * il2 - ra
    } else {
        ((x2 * a2 * il2).sqrt() + y * dr) * il2 - ra
    }
}

/// Close to the distance near the surface, which is all that is asked of it here.
pub fn ellipsoid(p: Vec3, center: Vec3, radii: Vec3) -> f32 {
    let p = p - center;
    let k0 = (p / radii).length();
    let k1 = (p / (radii * radii)).length();
    if k1 < 1e-6 { -radii.min_element() } else { k0 * (k0 - 1.0) / k1 }
}

/// A box with all edges rounded; `half` includes the rounding.
pub fn rounded_box(p: Vec3, center: Vec3, half: Vec3, radius: f32) -> f32 {
    let q = (p - center).abs() - (half - Vec3::splat(radius));
    q.max(Vec3::ZERO).length() + q.max_element().min(0.0) - radius
}

/// A cylinder from `a` to `b` with its edges rounded.
pub fn rounded_cylinder(p: Vec3, a: Vec3, b: Vec3, radius: f32, rounding: f32) -> f32 {
    let axis = (b - a).normalize();
    let along = (p - (a + b) * 0.5).dot(axis).abs() - 0.5 * a.distance(b) + rounding;
    let out = (p - a).reject_from(axis).length() - radius + rounding;
    out.max(0.0).hypot(along.max(0.0)) + out.max(along).min(0.0) - rounding
}

/// Union that fills the crease over a width of about `k` metres; twice differentiable (cubic, Quilez).
pub fn blend(a: f32, b: f32, k: f32) -> f32 {
    let h = (k - (a - b).abs()).max(0.0) / k;
    a.min(b) - h * h * h * k / 6.0
}

/// Intersection with its edge rounded over about `k` metres.
pub fn blend_intersection(a: f32, b: f32, k: f32) -> f32 {
    -blend(-a, -b, k)
}

/// Something with a surface: the distance to it.
pub type Solid = fn(Vec3) -> f32;

/// Slope of the distance.
pub fn gradient(solid: Solid, p: Vec3) -> Vec3 {
    const STEP: f32 = 1e-3;
    let d = |axis: Vec3| solid(p + axis * STEP) - solid(p - axis * STEP);
    vec3(d(Vec3::X), d(Vec3::Y), d(Vec3::Z)) / (2.0 * STEP)
}

/// The surface point near `p`: a few Newton steps along the slope.
pub fn project(solid: Solid, p: Vec3) -> Vec3 {
    let mut p = p;
    for _ in 0..8 {
        let slope = gradient(solid, p);
        let step = slope * (solid(p) / slope.length_squared().max(0.05));
        p -= step.clamp_length_max(0.03);
    }
    p
}

/// Distance from an inner point to the surface along a unit direction, `most` at most.
pub fn cast(solid: Solid, from: Vec3, direction: Vec3, most: f32) -> f32 {
    let mut t = 0.0;
    for _ in 0..64 {
        t -= solid(from + direction * t);
        if t >= most {
            return most;
        }
    }
    t.max(1e-3)
}
