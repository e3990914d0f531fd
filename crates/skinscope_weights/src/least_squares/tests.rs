//! What the tests of several files share, and the solver beside a search through all choices.

use glam::DVec3;

use super::{Quadratic, Subset};

/// Numbers that look random, and are the same in each run.
#[derive(Debug, Default)]
pub(super) struct Random(u64);

impl Random {
    /// Returns a number from −1 to 1.
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1_u64 << 30) as f64 - 1.0
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }
}

/// Makes the equations of a few examples of a vertex with `count` joints.
pub(super) fn random_quadratic(random: &mut Random, count: usize) -> Quadratic {
    let mut q = Quadratic::default();
    q.reset(count);
    for _ in 0..3 + count / 3 {
        let shift = random.vector() * 0.3;
        let differences: Vec<DVec3> = (0..count).map(|_| random.vector() + shift).collect();
        q.add(&differences);
    }
    (0..count).for_each(|j| q.hold(j, 1.0 / count as f64, 1e-4));
    q.finish();
    q
}

/// How far weights put a vertex off, squared, over all poses.
fn error(poses: &[Vec<DVec3>], weights: &[(usize, f64)]) -> f64 {
    let off = |pose: &Vec<DVec3>| weights.iter().map(|(j, weight)| pose[*j] * *weight).sum::<DVec3>();
    poses.iter().map(|pose| off(pose).length_squared()).sum()
}

/// Returns the weights of a set of joints that sum to one with the least error, negative ones too, from the equations of Lagrange by
/// elimination; `None` where they are not the only ones.
fn stationary(poses: &[Vec<DVec3>], set: &[usize]) -> Option<Vec<(usize, f64)>> {
    let n = set.len();
    let dot = |j: usize, k: usize| poses.iter().map(|pose| pose[j].dot(pose[k])).sum::<f64>();
    // Each row has the products with the other joints, 1 for the sum of the weights, and the right side.
    let mut rows: Vec<Vec<f64>> = set
        .iter()
        .map(|j| set.iter().map(|k| dot(*j, *k)).chain([1.0, 0.0]).collect::<Vec<f64>>())
        .chain([[vec![1.0; n], vec![0.0, 1.0]].concat()])
        .collect();
    for i in 0..=n {
        let pivot = (i..=n).max_by(|a, b| rows[*a][i].abs().total_cmp(&rows[*b][i].abs()))?;
        rows.swap(i, pivot);
        let first = rows[i].clone();
        if first[i].abs() < 1e-9 {
            return None;
        }
        for (_, row) in rows.iter_mut().enumerate().filter(|(r, _)| *r != i) {
            let times = row[i] / first[i];
            row.iter_mut().zip(&first).for_each(|(a, b)| *a -= times * b);
        }
    }
    let found: Vec<f64> = (0..n).map(|i| rows[i][n + 1] / rows[i][i]).collect();
    let sum: f64 = found.iter().sum();
    Some(set.iter().copied().zip(found.iter().map(|weight| weight / sum)).collect())
}

/// Returns the least error of all weights of at most `most` joints. The best ones are stationary for the joints that they have, so that it
/// is enough to try every set of joints, and to leave out those with a negative weight.
fn search(poses: &[Vec<DVec3>], count: usize, most: usize) -> f64 {
    let sets = (1_u32..1 << count).filter(|bits| bits.count_ones() as usize <= most);
    let value = |bits: u32| {
        let set: Vec<usize> = (0..count).filter(|j| bits >> j & 1 == 1).collect();
        let weights = stationary(poses, &set)?;
        weights.iter().all(|(_, weight)| *weight >= 0.0).then(|| error(poses, &weights))
    };
    sets.filter_map(value).fold(f64::INFINITY, f64::min)
}

fn equations(poses: &[Vec<DVec3>], count: usize) -> Quadratic {
    let mut q = Quadratic::default();
    q.reset(count);
    poses.iter().for_each(|pose| q.add(pose));
    q.finish();
    q
}

#[test]
fn the_weights_of_a_few_joints_are_no_worse_than_those_of_any_other_choice() {
    let mut random = Random::default();
    let mut subset = Subset::default();
    for count in [2, 3, 5, 8] {
        for round in 0..24 {
            let mut poses: Vec<Vec<DVec3>> =
                (0..1 + round % 6).map(|_| (0..count).map(|_| random.vector()).collect()).collect();
            for pose in &mut poses {
                match round % 4 {
                    // Two joints that move alike, and one that moves nothing.
                    1 => pose[1] = pose[0],
                    2 => pose[0] = DVec3::ZERO,
                    // All to one side, so that no weights bring the vertex back.
                    3 => pose.iter_mut().for_each(|d| d.x = d.x.abs() + 0.5),
                    _ => {}
                }
            }
            let q = equations(&poses, count);
            for most in 1..=count.min(4) {
                assert!(subset.find(&q, most, 0.0), "few joints are always proven");
                let best = &subset.best;
                assert!((1..=most).contains(&best.len()) && best.iter().all(|(_, weight)| *weight > 0.0));
                assert!((best.iter().map(|(_, weight)| *weight).sum::<f64>() - 1.0).abs() < 1e-12);
                let (found, least) = (error(&poses, best), search(&poses, count, most));
                assert!(found <= least + 1e-12 * q.scale().max(1.0), "{count} {round} {most}: {found} {least}");
            }
        }
    }
}

#[test]
fn joints_that_move_alike_and_vertices_that_nothing_moves_have_a_solution() {
    let mut subset = Subset::default();
    let alike = vec![DVec3::X, DVec3::X, DVec3::NEG_X];
    subset.find(&equations(std::slice::from_ref(&alike), 3), 2, 0.0);
    assert!(subset.best.len() == 2 && error(&[alike], &subset.best) < 1e-20, "{:?}", subset.best);
    for count in 1..9 {
        let q = equations(&[vec![DVec3::ZERO; count]], count);
        for most in 1..=count {
            subset.find(&q, most, 0.0);
            let sum: f64 = subset.best.iter().map(|(_, weight)| *weight).sum();
            assert!(subset.best.len() <= most && (sum - 1.0).abs() < 1e-12, "{count} {most}: {:?}", subset.best);
        }
    }
}
