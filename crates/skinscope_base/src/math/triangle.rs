//! The closest point of a triangle.

use glam::DVec3;

/// Returns the shares of the corners of a triangle at its closest point to `p` (Ericson, "Real-Time Collision Detection",
/// 5.1.5). Where the triangle has no area it is the closest point of its sides.
#[must_use]
pub fn closest_on_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> [f64; 3] {
    let (ab, ac) = (b - a, c - a);
    let normal = ab.cross(ac);
    let area = normal.length_squared();
    if area > 0.0 {
        // Shares by areas: those of the point in the plane of the triangle.
        let share = |from: DVec3, to: DVec3| (to - from).cross(p - from).dot(normal) / area;
        let inside = [share(b, c), share(c, a), share(a, b)];
        if inside.iter().all(|s| (0.0..=1.0).contains(s)) {
            let sum: f64 = inside.iter().sum();
            return inside.map(|s| s / sum);
        }
    }
    let on_side = |from: DVec3, to: DVec3| {
        let side = to - from;
        let length = side.length_squared();
        let share = if length > 0.0 { ((p - from).dot(side) / length).clamp(0.0, 1.0) } else { 0.0 };
        ((from + side * share).distance_squared(p), share)
    };
    let sides = [(a, b), (b, c), (c, a)].map(|(from, to)| on_side(from, to));
    let nearest = (0..3).min_by(|i, j| sides[*i].0.total_cmp(&sides[*j].0)).unwrap_or(0);
    let mut out = [0.0; 3];
    (out[nearest], out[(nearest + 1) % 3]) = (1.0 - sides[nearest].1, sides[nearest].1);
    out
}
