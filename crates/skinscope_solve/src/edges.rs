//! The edges of a convex hull, to be drawn.

use glam::DVec3;

/// Directions whose angles differ by no more count as the same.
const SAME: f64 = 1e-9;
/// Points that are nearer to each other than this share of the size of all count as one.
const NEAR: f64 = 1e-9;
/// Of more points than these the edges are not looked for: the time rises with the third power of their number.
const MOST: usize = 64;

/// Returns the edges of the convex hull of some points, as pairs of their numbers. Two points make an edge where a plane through both has all
/// others on one side: seen along the line through both, all others lie within less than half a turn. Points of one plane, or of one line, have
/// edges too. More than 64 points have none.
#[must_use]
pub fn hull_edges(points: &[DVec3]) -> Vec<[usize; 2]> {
    let mut out = Vec::new();
    if points.len() > MOST || !points.iter().all(|point| point.is_finite()) {
        return out;
    }
    let Some(first) = points.first() else { return out };
    let size = points.iter().map(|point| point.distance(*first)).fold(0.0, f64::max);
    let is_new = |number: &usize| !points[..*number].iter().any(|other| other.distance(points[*number]) <= NEAR * size);
    let numbers: Vec<usize> = (0..points.len()).filter(is_new).collect();
    let mut angles = Vec::new();
    for (place, a) in numbers.iter().enumerate() {
        for b in &numbers[place + 1..] {
            let (from, along) = (points[*a], (points[*b] - points[*a]).normalize());
            let (x, y) = along.any_orthonormal_pair();
            angles.clear();
            for other in numbers.iter().filter(|other| *other != a && *other != b) {
                let (x, y) = ((points[*other] - from).dot(x), (points[*other] - from).dot(y));
                if x.hypot(y) > NEAR * size {
                    angles.push(y.atan2(x));
                }
            }
            if widest_gap(&mut angles) > std::f64::consts::PI + SAME {
                out.push([*a, *b]);
            }
        }
    }
    out
}

/// Returns the widest angle that has no direction in it.
fn widest_gap(angles: &mut [f64]) -> f64 {
    angles.sort_unstable_by(f64::total_cmp);
    let around = match (angles.first(), angles.last()) {
        (Some(first), Some(last)) => first + std::f64::consts::TAU - last,
        _ => std::f64::consts::TAU,
    };
    angles.windows(2).map(|pair| pair[1] - pair[0]).fold(around, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hull;
    use crate::tests::Random;

    #[test]
    fn simple_hulls_have_the_edges_that_one_knows() {
        let corner = |n: usize| DVec3::new((n & 1) as f64, (n >> 1 & 1) as f64, (n >> 2) as f64);
        let mut cube: Vec<DVec3> = (0..8).map(corner).collect();
        cube.push(DVec3::splat(0.5));
        let edges = hull_edges(&cube);
        assert!(edges.len() == 12 && edges.iter().all(|[a, b]| (a ^ b).is_power_of_two() && *b < 8), "{edges:?}");
        // A square with its middle, a line of two, and a point alone.
        let square = [corner(0), corner(1), corner(2), corner(3), DVec3::new(0.5, 0.5, 0.0)];
        assert_eq!(hull_edges(&square), [[0, 1], [0, 2], [1, 3], [2, 3]]);
        assert_eq!(hull_edges(&square[..2]), [[0, 1]]);
        assert_eq!(hull_edges(&square[..3]), [[0, 1], [0, 2], [1, 2]]);
        // Points of one place are one.
        assert_eq!(hull_edges(&[corner(0), corner(0), corner(1)]), [[0, 2]]);
        assert!(hull_edges(&[corner(0)]).is_empty() && hull_edges(&[]).is_empty());
        assert!(hull_edges(&vec![DVec3::ZERO; MOST + 1]).is_empty());
    }

    #[test]
    fn points_inside_are_at_no_edge_and_those_outside_are() {
        let mut random = Random::default();
        for count in 4..13 {
            for _ in 0..20 {
                let points: Vec<DVec3> = (0..count).map(|_| random.vector()).collect();
                let edges = hull_edges(&points);
                let is_inside = |number: usize| {
                    let mut others = points.clone();
                    others.remove(number);
                    hull(&others, points[number]).distance < 1e-4
                };
                let at_edge = |number: usize| edges.iter().any(|edge| edge.contains(&number));
                let wrong = (0..count).filter(|number| is_inside(*number) == at_edge(*number)).count();
                assert_eq!(wrong, 0, "{count}");
                let corners = (0..count).filter(|number| at_edge(*number)).count();
                // Of triangles alone, by Euler's formula.
                assert_eq!(edges.len(), 3 * corners - 6);
            }
        }
    }
}
