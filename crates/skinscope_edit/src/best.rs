//! Chooses the few joints, and their weights, that keep the surface nearest to where all joints put it.
//!
//! For each vertex the positions to which its joints would carry it are computed in many poses: moments of all clips, and
//! the rest pose with each of its joints turned. With `d_j` the position by joint `j` less the position by all joints,
//! weights `w` that sum to one put the vertex off by `Σ w_j d_j`; the sum of its squares over all poses is `wᵀ H w`
//! with `H_jk = Σ d_j · d_k`. Of all choices of N joints the one with the least is chosen (Le and Deng, "Smooth Skinning
//! Decomposition with Rigid Bones", 2012, choose and fit weights likewise).

use std::f32::consts::FRAC_PI_4;

use glam::{Affine3A, DVec3, Quat, Vec3};
use skinscope_anim::{SampleScratch, local_to_model, reset_to_rest, sample};
use skinscope_model::{LocalPose, Model, NodeId, PrimitiveId, Skin};

use super::table::Table;
use super::weld::unit_shares;
use super::{Sheet, weld};

/// How many moments of all clips together are used.
const MOMENTS: usize = 64;
/// Up to this many choices of joints, all are tried. Where there are more, joints are left out one after the other.
const MOST_CHOICES: usize = 500;
/// A share of the trace of `H` that is added to its diagonal, so that joints that move alike do not get weights without
/// bounds.
const STIFF: f64 = 1e-9;

/// Gives vertices that more than `most` joints move the joints and weights that fit best.
pub(super) fn choose(sheet: &mut Sheet, rows: &[Vec<usize>], most: usize) {
    let model = sheet.model;
    let poses = poses(model);
    for (table, rows) in sheet.tables.iter_mut().zip(rows) {
        let Some(PrimitiveId { mesh, primitive }) = table.primitives.first().copied() else { continue };
        let skin = model.instances.iter().filter(|i| i.mesh == mesh).filter_map(|i| i.skin);
        let skin = skin.map(|s| &model.skins[s.index()]).min_by_key(|skin| skin.joints.len());
        let Some(skin) = skin else { continue };
        let turned: Vec<Vec<Affine3A>> = skin.joints.iter().map(|joint| turns(model, &poses[0], *joint)).collect();
        let positions = &model.meshes[mesh.index()].primitives[primitive].positions;
        for row in rows {
            if sheet.context.is_cancelled() {
                return;
            }
            let shares = unit_shares(table, *row);
            if shares.len() > most {
                let motion = Motion { model, skin, poses: &poses, turned: &turned, position: positions[*row] };
                if let Some(new) = motion.best(table, &shares, most) {
                    table.put_in_order(*row, &new);
                }
            }
        }
    }
}

/// Returns `model_from_node` of every node: in the rest pose first, then at moments of all clips.
fn poses(model: &Model) -> Vec<Vec<Affine3A>> {
    let mut rest = Vec::new();
    local_to_model(&model.skeleton, &model.skeleton.rest, &mut rest);
    let mut out = vec![rest];
    let (mut scratch, mut pose) = (SampleScratch::default(), LocalPose::default());
    let each = (MOMENTS / model.clips.len().max(1)).max(2);
    for clip in model.clips.iter().take(MOMENTS) {
        for moment in 0..each {
            let time = clip.start_secs + clip.duration_secs() * moment as f32 / (each - 1) as f32;
            reset_to_rest(&model.skeleton, &mut pose);
            sample(model, clip, time, &mut scratch, &mut pose);
            let mut nodes = Vec::new();
            local_to_model(&model.skeleton, &pose, &mut nodes);
            out.push(nodes);
        }
    }
    out
}

/// Returns the matrices that, multiplied from the left to those of a joint and of all below it, turn it by ±45° and
/// ±90° about its axes.
fn turns(model: &Model, rest: &[Affine3A], joint: NodeId) -> Vec<Affine3A> {
    let skeleton = &model.skeleton;
    let own = skeleton.rest.transforms[joint.index()];
    let parent = skeleton.parents[joint.index()].map_or(Affine3A::IDENTITY, |p| rest[p.index()]);
    let frame = parent * Affine3A::from_rotation_translation(own.rotation, own.translation);
    let back = frame.inverse();
    let about = |axis| [-2.0, -1.0, 1.0, 2.0].map(|n| Affine3A::from_quat(Quat::from_axis_angle(axis, n * FRAC_PI_4)));
    [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(about).map(|turn| frame * turn * back).collect()
}

/// The positions to which the joints of a vertex carry it, in all poses.
struct Motion<'m> {
    model: &'m Model,
    skin: &'m Skin,
    poses: &'m [Vec<Affine3A>],
    /// The matrices of the turns, by index in the skin.
    turned: &'m [Vec<Affine3A>],
    position: Vec3,
}

impl Motion<'_> {
    /// Returns the best `most` of some joints, in their order, with weights that sum to one; `None` where their motion
    /// is not finite.
    fn best(&self, table: &Table, shares: &[(u32, f64)], most: usize) -> Option<Vec<(u32, f64)>> {
        let indices: Vec<usize> =
            shares.iter().map(|(key, _)| table.joint_of(*key).map(usize::from)).collect::<Option<_>>()?;
        if indices.iter().any(|index| *index >= self.skin.joints.len()) {
            return None;
        }
        let h = self.errors(&indices, shares);
        let choice = fit(&h, most).filter(|w| w.iter().all(|w| w.is_finite()))?;
        let new = shares.iter().zip(choice).map(|((key, _), weight)| (*key, weight)).filter(|s| s.1 > 0.0);
        Some(weld::cut(new.collect(), most))
    }

    /// Returns `H`, row after row.
    fn errors(&self, indices: &[usize], shares: &[(u32, f64)]) -> Vec<Vec<f64>> {
        let count = indices.len();
        let mut h = vec![vec![0.0; count]; count];
        let bound: Vec<Vec3> =
            indices.iter().map(|index| self.skin.inverse_bind[*index].transform_point3(self.position)).collect();
        let mut add = |at: &dyn Fn(usize) -> Vec3| {
            let at: Vec<DVec3> = (0..count).map(|j| at(j).as_dvec3()).collect();
            let all: DVec3 = at.iter().zip(shares).map(|(p, (_, weight))| *p * *weight).sum();
            for j in 0..count {
                for k in 0..=j {
                    let error = (at[j] - all).dot(at[k] - all);
                    h[j][k] += error;
                    if j != k {
                        h[k][j] += error;
                    }
                }
            }
        };
        let node = |j: usize| self.skin.joints[indices[j]].index();
        for pose in self.poses {
            add(&|j| pose[node(j)].transform_point3(bound[j]));
        }
        for index in indices {
            let joint = self.skin.joints[*index];
            let hangs = joint.index()..self.model.skeleton.subtree_end(joint);
            for turn in &self.turned[*index] {
                add(&|j| {
                    let rest = self.poses[0][node(j)].transform_point3(bound[j]);
                    if hangs.contains(&node(j)) { turn.transform_point3(rest) } else { rest }
                });
            }
        }
        h
    }
}

/// Returns the weights, of which `most` are above zero and whose sum is one, with the least `wᵀ H w`.
fn fit(h: &[Vec<f64>], most: usize) -> Option<Vec<f64>> {
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
