//! Where some joints can take a vertex: the convex hull of the places to which each would take it alone.

use glam::DVec3;
use skinscope_weights::least_squares::{ActiveSet, Quadratic};

/// The point of a hull that is nearest to another point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hull {
    /// The weights, one for each ghost, that put the vertex there.
    pub weights: Vec<f64>,
    /// The nearest point; the point itself where that lies inside.
    pub nearest: DVec3,
    /// How far away it is.
    pub distance: f64,
}

/// Returns the point of the convex hull of `ghosts` that is nearest to `target`: linear blending can put the vertex anywhere in this hull and
/// nowhere else. Without ghosts the vertex is nowhere.
#[must_use]
pub fn hull(ghosts: &[DVec3], target: DVec3) -> Hull {
    let mut weights = vec![0.0; ghosts.len()];
    // Differences are measured by the largest one, so that the size of the model does not count.
    let size = ghosts.iter().map(|ghost| ghost.distance(target)).fold(0.0, f64::max);
    let scale = if size > 0.0 && size.is_finite() { 1.0 / size } else { 1.0 };
    let differences: Vec<DVec3> = ghosts.iter().map(|ghost| (*ghost - target) * scale).collect();
    let all: Vec<usize> = (0..ghosts.len()).collect();
    let mut q = Quadratic::default();
    q.reset(ghosts.len());
    q.add(&differences);
    q.finish();
    let mut solver = ActiveSet::default();
    solver.minimise(&q, &all);
    solver.set.iter().zip(&solver.weights).for_each(|(j, weight)| weights[*j] = *weight);
    let nearest = ghosts.iter().zip(&weights).map(|(ghost, weight)| *ghost * *weight).sum::<DVec3>();
    Hull { weights, nearest, distance: if ghosts.is_empty() { f64::INFINITY } else { nearest.distance(target) } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Random;

    #[test]
    fn two_joints_reach_a_segment() {
        let (a, b) = (DVec3::new(1.0, 0.0, 0.0), DVec3::new(1.0, 2.0, 0.0));
        let on = hull(&[a, b], DVec3::new(1.0, 0.5, 0.0));
        assert!(on.distance < 1e-7 && (on.weights[1] - 0.25).abs() < 1e-9, "{on:?}");
        let beside = hull(&[a, b], DVec3::new(4.0, 1.5, 4.0));
        assert!((beside.distance - 5.0).abs() < 1e-9 && (beside.weights[1] - 0.75).abs() < 1e-9, "{beside:?}");
        let beyond = hull(&[a, b], DVec3::new(1.0, 5.0, 4.0));
        assert!((beyond.distance - 5.0).abs() < 1e-12 && beyond.nearest == b && beyond.weights == [0.0, 1.0]);
        let alone = hull(&[a], a);
        assert_eq!((alone.weights, alone.distance), (vec![1.0], 0.0));
        assert_eq!(hull(&[], a).distance, f64::INFINITY);
        // Joints that all leave the vertex where it should be.
        let still = hull(&[a; 6], a);
        assert!(still.distance < 1e-12 && (still.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{still:?}");
    }

    #[test]
    fn three_joints_reach_a_triangle_and_weights_are_its_coordinates() {
        let corners = [DVec3::ZERO, DVec3::new(3.0, 0.0, 0.0), DVec3::new(0.0, 4.0, 0.0)];
        for size in [1e-3, 1.0, 1e3] {
            let ghosts = corners.map(|corner| corner * size);
            let inside = hull(&ghosts, DVec3::new(0.6, 1.6, 0.0) * size);
            let wanted = [0.4, 0.2, 0.4];
            assert!(inside.distance < 1e-7 * size);
            assert!(inside.weights.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-7), "{inside:?}");
            // Over the triangle, and beyond its long side: (3, 4)/5·k from the foot of the height.
            let over = hull(&ghosts, DVec3::new(0.6, 1.6, 2.0) * size);
            assert!((over.distance - 2.0 * size).abs() < 1e-9 * size);
            let foot = DVec3::new(1.5, 2.0, 0.0);
            let beyond = hull(&ghosts, (foot + DVec3::new(4.0, 3.0, 0.0)) * size);
            assert!((beyond.distance - 5.0 * size).abs() < 1e-9 * size && beyond.weights[0] == 0.0, "{beyond:?}");
        }
    }

    #[test]
    fn points_of_the_hull_are_reached_and_others_by_its_nearest_point() {
        let mut random = Random::default();
        for count in 2..9 {
            for _ in 0..50 {
                let ghosts: Vec<DVec3> = (0..count).map(|_| random.vector()).collect();
                let shares: Vec<f64> = (0..count).map(|_| random.number().abs()).collect();
                let sum: f64 = shares.iter().sum();
                let inside: DVec3 = ghosts.iter().zip(&shares).map(|(g, w)| *g * (w / sum)).sum();
                assert!(hull(&ghosts, inside).distance < 1e-5);
                let target = random.vector() * 4.0;
                let Hull { nearest, distance, .. } = hull(&ghosts, target);
                // The plane through the nearest point has the hull on its other side.
                let beyond = |g: &DVec3| (*g - nearest).dot(target - nearest) > 1e-6 * (1.0 + distance);
                assert!(!ghosts.iter().any(beyond));
            }
        }
    }
}
