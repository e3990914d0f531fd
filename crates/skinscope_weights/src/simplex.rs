//! The weights of a few joints, none negative and one in sum, with the least error.
//!
//! The error is `wᵀ H w` with a symmetric matrix `H`, as of how far weights put a vertex off over many poses: Le and Deng, "Smooth Skinning
//! Decomposition with Rigid Bones" (2012).

/// Up to this many choices of joints, all are tried. Where there are more, joints are left out one after the other.
const MOST_CHOICES: usize = 500;
/// A share of the trace of `H` that is added to its diagonal, so that joints that move alike do not get weights without
/// bounds.
const STIFF: f64 = 1e-9;

/// Returns the weights, of which `most` are above zero and whose sum is one, with the least `wᵀ H w`; `h` has the rows of `H`. `None` where
/// no choice of joints has finite weights.
#[must_use]
pub fn fit(h: &[Vec<f64>], most: usize) -> Option<Vec<f64>> {
    let count = h.len();
    let mut best: Option<(f64, Vec<f64>)> = None;
    let mut keep_better = |set: &[usize]| {
        if let Some((error, weights)) = least(h, set)
            && best.as_ref().is_none_or(|(known, _)| error < *known)
        {
            best = Some((error, weights));
        }
    };
    if choices(count, most) <= MOST_CHOICES {
        let mut set: Vec<usize> = (0..most.min(count)).collect();
        loop {
            keep_better(&set);
            // The next set in lexicographic order.
            let Some(at) = (0..set.len()).rev().find(|i| set[*i] < count - set.len() + i) else { break };
            set[at] += 1;
            (at + 1..set.len()).for_each(|i| set[i] = set[i - 1] + 1);
        }
    } else {
        let mut set: Vec<usize> = (0..count).collect();
        while set.len() > most {
            let without = |out: usize| set.iter().copied().filter(|j| *j != out).collect::<Vec<_>>();
            let error = |out: usize| least(h, &without(out)).map_or(f64::INFINITY, |(error, _)| error);
            let out = set.iter().copied().min_by(|a, b| error(*a).total_cmp(&error(*b)))?;
            set = without(out);
        }
        keep_better(&set);
    }
    best.map(|(_, weights)| weights)
}

/// Returns how many sets of `most` out of `count` there are, or a larger number than is ever tried.
fn choices(count: usize, most: usize) -> usize {
    (0..most.min(count)).fold(1_usize, |n, i| (n.saturating_mul(count - i)) / (i + 1))
}

/// Returns the weights of some joints, none negative and one in sum, with the least `wᵀ H w`, and that value. A joint
/// whose weight would be negative is left out, the most negative first.
fn least(h: &[Vec<f64>], set: &[usize]) -> Option<(f64, Vec<f64>)> {
    let mut set = set.to_vec();
    let weights = loop {
        let found = solve(h, &set)?;
        let worst = (0..set.len()).min_by(|a, b| found[*a].total_cmp(&found[*b]))?;
        if found[worst] >= 0.0 {
            break found;
        }
        set.remove(worst);
    };
    let mut out = vec![0.0; h.len()];
    set.iter().zip(weights).for_each(|(j, weight)| out[*j] = weight);
    let error = (0..h.len()).map(|j| (0..h.len()).map(|k| out[j] * h[j][k] * out[k]).sum::<f64>()).sum();
    Some((error, out))
}

/// Returns `H⁻¹ 1 / (1ᵀ H⁻¹ 1)` of a part of `H`, which minimises `wᵀ H w` where the weights sum to one (Lagrange).
fn solve(h: &[Vec<f64>], set: &[usize]) -> Option<Vec<f64>> {
    let n = set.len();
    let stiff = STIFF * set.iter().map(|j| h[*j][*j]).sum::<f64>() + f64::MIN_POSITIVE;
    let mut rows: Vec<Vec<f64>> = set
        .iter()
        .enumerate()
        .map(|(i, j)| {
            let mut row: Vec<f64> = set.iter().map(|k| h[*j][*k]).collect();
            row[i] += stiff;
            row.push(1.0);
            row
        })
        .collect();
    for i in 0..n {
        let pivot = (i..n).max_by(|a, b| rows[*a][i].abs().total_cmp(&rows[*b][i].abs()))?;
        rows.swap(i, pivot);
        let first = rows[i].clone();
        if first[i] == 0.0 {
            return None;
        }
        for (_, row) in rows.iter_mut().enumerate().filter(|(r, _)| *r != i) {
            let times = row[i] / first[i];
            row.iter_mut().zip(&first).for_each(|(a, b)| *a -= times * b);
        }
    }
    let found: Vec<f64> = (0..n).map(|i| rows[i][n] / rows[i][i]).collect();
    let sum: f64 = found.iter().sum();
    (sum != 0.0 && sum.is_finite()).then(|| found.iter().map(|w| w / sum).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches all weights in steps of a 200th, by the definition.
    fn search(h: &[Vec<f64>], most: usize) -> f64 {
        const STEPS: usize = 200;
        let error =
            |w: &[f64]| (0..h.len()).map(|j| (0..h.len()).map(|k| w[j] * h[j][k] * w[k]).sum::<f64>()).sum::<f64>();
        let mut least = f64::INFINITY;
        for a in 0..=STEPS {
            for b in 0..=STEPS - a {
                let w = [a, b, STEPS - a - b].map(|n| n as f64 / STEPS as f64);
                if w.iter().filter(|w| **w > 0.0).count() <= most {
                    least = least.min(error(&w));
                }
            }
        }
        least
    }

    #[test]
    fn the_fit_is_no_worse_than_any_other_choice() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64 / (1 << 24) as f64 - 0.5
        };
        for _ in 0..40 {
            let vectors: Vec<Vec<f64>> = (0..3).map(|_| (0..12).map(|_| random()).collect()).collect();
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
            let h: Vec<Vec<f64>> = vectors.iter().map(|a| vectors.iter().map(|b| dot(a, b)).collect()).collect();
            for most in 1..=3 {
                let w = fit(&h, most).unwrap();
                assert!(w.iter().filter(|w| **w > 0.0).count() <= most && w.iter().all(|w| *w >= 0.0));
                assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                let error = (0..3).map(|j| (0..3).map(|k| w[j] * h[j][k] * w[k]).sum::<f64>()).sum::<f64>();
                assert!(error <= search(&h, most) + 1e-6, "{most}: {w:?}");
            }
        }
        assert_eq!((choices(8, 4), choices(4, 4), choices(12, 4)), (70, 1, 495));
    }

    #[test]
    fn joints_that_move_alike_have_one_solution() {
        let w = fit(&[vec![1.0, 1.0, -1.0], vec![1.0, 1.0, -1.0], vec![-1.0, -1.0, 1.0]], 2).unwrap();
        assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-9 && w.iter().all(|w| (0.0..=1.0).contains(w)), "{w:?}");
        // Where nothing moves any weights fit.
        assert!(fit(&[vec![0.0; 2], vec![0.0; 2]], 1).unwrap().contains(&1.0));
    }
}
