//! Chooses the few joints, and their weights, that keep the surface nearest to where all joints put it.
//!
//! For each vertex the positions to which its joints would carry it are computed in many poses: moments of all clips, and
//! the rest pose with each of its joints turned. With `d_j` the position by joint `j` less the position by all joints,
//! weights `w` that sum to one put the vertex off by `Σ w_j d_j`. Of all choices of N joints the one with the least sum of its
//! squares over all poses is chosen, by [`Subset`] (Le and Deng, "Smooth Skinning Decomposition with Rigid Bones", 2012, choose
//! and fit weights likewise).

use std::f32::consts::FRAC_PI_4;

use glam::{Affine3A, DVec3, Quat, Vec3};
use skinscope_anim::{SampleScratch, local_to_model, reset_to_rest, sample};
use skinscope_model::{LocalPose, Model, NodeId, PrimitiveId, Skin};

use skinscope_weights::least_squares::{Quadratic, Subset};
use skinscope_weights::{Table, unit_shares};

use super::Sheet;

/// How many moments of all clips together are used.
const MOMENTS: usize = 64;

/// Gives vertices that more than `most` joints move the joints and weights that fit best.
pub(super) fn choose(sheet: &mut Sheet, rows: &[Vec<usize>], most: usize) {
    let model = sheet.model;
    let poses = poses(model);
    let mut solver = Solver::default();
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
                if let Some(new) = motion.best(&mut solver, table, &shares, most) {
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

/// What finds the weights of one vertex after the other.
#[derive(Default)]
struct Solver {
    quadratic: Quadratic,
    subset: Subset,
    /// By joint of the vertex: where it carries the vertex in a pose, and how far that is from where all do.
    at: Vec<DVec3>,
    off: Vec<DVec3>,
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
    fn best(&self, solver: &mut Solver, table: &Table, shares: &[(u32, f64)], most: usize) -> Option<Vec<(u32, f64)>> {
        let indices: Vec<usize> =
            shares.iter().map(|(key, _)| table.joint_of(*key).map(usize::from)).collect::<Option<_>>()?;
        if indices.iter().any(|index| *index >= self.skin.joints.len()) {
            return None;
        }
        self.errors(&indices, shares, solver)?;
        let Solver { quadratic, subset, .. } = solver;
        subset.find(quadratic, most, 0.0);
        subset.best.sort_unstable_by_key(|(j, _)| *j);
        let new: Vec<(u32, f64)> = subset.best.iter().map(|(j, weight)| (shares[*j].0, *weight)).collect();
        (!new.is_empty()).then_some(new)
    }

    /// Puts the equations of the vertex into `solver`; `None` where a joint carries it nowhere.
    fn errors(&self, indices: &[usize], shares: &[(u32, f64)], solver: &mut Solver) -> Option<()> {
        let Solver { quadratic, at, off, .. } = solver;
        let count = indices.len();
        let bound: Vec<Vec3> =
            indices.iter().map(|index| self.skin.inverse_bind[*index].transform_point3(self.position)).collect();
        quadratic.reset(count);
        let mut add = |place: &dyn Fn(usize) -> Vec3| {
            at.clear();
            at.extend((0..count).map(|j| place(j).as_dvec3()));
            let all: DVec3 = at.iter().zip(shares).map(|(p, (_, weight))| *p * *weight).sum();
            off.clear();
            off.extend(at.iter().map(|p| *p - all));
            quadratic.add(off);
            off.iter().all(|d| d.is_finite()).then_some(())
        };
        let node = |j: usize| self.skin.joints[indices[j]].index();
        for pose in self.poses {
            add(&|j| pose[node(j)].transform_point3(bound[j]))?;
        }
        for index in indices {
            let joint = self.skin.joints[*index];
            let hangs = joint.index()..self.model.skeleton.subtree_end(joint);
            for turn in &self.turned[*index] {
                add(&|j| {
                    let rest = self.poses[0][node(j)].transform_point3(bound[j]);
                    if hangs.contains(&node(j)) { turn.transform_point3(rest) } else { rest }
                })?;
            }
        }
        quadratic.finish();
        Some(())
    }
}
