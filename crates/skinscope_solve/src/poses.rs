//! Poses that show how a model moves, and the surface that a method makes of it in them.

use glam::Vec3;
use skinscope_anim::pose::rotate;
use skinscope_anim::{SampleScratch, drawn_at_rest, reset_to_rest, sample};
use skinscope_base::parallel::JobContext;
use skinscope_deform::{DataSource, Deformation, DeformedAttributes, MethodData, Surface, SurfaceInput, palettes};
use skinscope_model::{InstanceId, LocalPose, Model, NodeId};

use crate::example::Example;
use crate::motion::Posed;

/// The turns of each joint about its own axes, degrees: those about all axes come before those by other angles.
const TURNS: [Vec3; 12] = [
    Vec3::new(90.0, 0.0, 0.0),
    Vec3::new(0.0, -90.0, 0.0),
    Vec3::new(0.0, 0.0, 90.0),
    Vec3::new(-90.0, 0.0, 0.0),
    Vec3::new(0.0, 90.0, 0.0),
    Vec3::new(0.0, 0.0, -90.0),
    Vec3::new(45.0, 0.0, 0.0),
    Vec3::new(0.0, -45.0, 0.0),
    Vec3::new(0.0, 0.0, 45.0),
    Vec3::new(-45.0, 0.0, 0.0),
    Vec3::new(0.0, 45.0, 0.0),
    Vec3::new(0.0, 0.0, -45.0),
];
/// One of this many poses comes from the clips, where there are any.
const CLIP_SHARE: usize = 4;

/// Which poses show how a model moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PoseKind {
    /// Joints that are turned, and moments of the clips.
    #[default]
    All,
    /// Joints that are turned alone.
    Turned,
    /// Moments of the clips alone.
    Clips,
}

/// Returns no more than `most` poses: the joints of all skins turned from rest, one at a time, about each of their axes, and moments of all
/// clips. Where the joints are more than there is room for, they are thinned out evenly.
#[must_use]
pub fn typical_poses(model: &Model, most: usize) -> Vec<LocalPose> {
    poses_of(model, PoseKind::All, most)
}

/// Returns no more than `most` poses of a kind, as [`typical_poses`] does.
#[must_use]
pub fn poses_of(model: &Model, kind: PoseKind, most: usize) -> Vec<LocalPose> {
    let of_clips = match kind {
        PoseKind::All if !model.clips.is_empty() => most / CLIP_SHARE,
        PoseKind::Clips if !model.clips.is_empty() => most,
        _ => 0,
    };
    let mut joints: Vec<NodeId> = model.skins.iter().flat_map(|skin| skin.joints.iter().copied()).collect();
    joints.sort_unstable();
    joints.dedup();
    let of_joints = if kind == PoseKind::Clips { 0 } else { most - of_clips };
    let first: Vec<NodeId> = thinned(joints.len(), of_joints).map(|at| joints[at]).collect();
    let turned = TURNS.iter().flat_map(|turn| first.iter().map(move |joint| (*joint, *turn)));
    let mut out: Vec<LocalPose> = turned
        .take(of_joints)
        .map(|(joint, turn)| {
            let mut pose = model.skeleton.rest.clone();
            rotate(&mut pose, joint, turn);
            pose
        })
        .collect();
    let each = of_clips.div_ceil(model.clips.len().max(1)).max(1);
    let mut scratch = SampleScratch::default();
    for number in thinned(each * model.clips.len(), of_clips) {
        let clip = &model.clips[number / each];
        let share = (number % each) as f32 / (each.max(2) - 1) as f32;
        let mut pose = LocalPose::default();
        reset_to_rest(&model.skeleton, &mut pose);
        sample(model, clip, clip.start_secs + (clip.end_secs - clip.start_secs) * share, &mut scratch, &mut pose);
        out.push(pose);
    }
    out
}

/// Returns up to `most` of `count` numbers, evenly spread.
fn thinned(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let taken = count.min(most);
    (0..taken).map(move |number| number * count / taken)
}

/// Deforms a model by a method, with or without a pass after it, in one pose after the other: what another method makes of a pose is the
/// target of the weights that are to come nearest to it.
#[derive(Debug)]
pub struct MethodSurface<'m> {
    model: &'m Model,
    deformation: Deformation<'m>,
    of_method: Option<MethodData>,
    of_pass: Option<MethodData>,
    draws: Vec<InstanceId>,
    surface: Surface,
}

impl<'m> MethodSurface<'m> {
    /// Computes what the method needs to know of a model. Returns `None` where the job was cancelled.
    #[must_use]
    pub fn new(model: &'m Model, deformation: Deformation<'m>, context: &JobContext) -> Option<Self> {
        let make = |source: Option<&'static DataSource>, is_there: bool| match source.filter(|_| !is_there) {
            Some(source) => (source.make)(model, context).map(Some),
            None => Some(None),
        };
        let of_method = make(deformation.method.data, deformation.data.is_some())?;
        let pass = deformation.pass;
        let of_pass = make(pass.and_then(|pass| pass.pass.data), pass.is_some_and(|pass| pass.data.is_some()))?;
        let draws = drawn_at_rest(model, model.default_scene);
        Some(Self { model, deformation, of_method, of_pass, draws, surface: Surface::default() })
    }

    /// Deforms the model in a pose, and returns it as an example of each of some primitives, each as an instance draws it; `None` in place
    /// of one that is not drawn with a skin.
    pub fn examples(&mut self, pose: &LocalPose, of: &[(InstanceId, usize)]) -> Vec<Option<Example<'m>>> {
        let posed = Posed::new(self.model, pose);
        let mut matrices = Vec::new();
        palettes(self.model, posed.nodes(), &mut matrices);
        let mut method = self.deformation;
        method.data = method.data.or(self.of_method.as_ref());
        if let Some(pass) = &mut method.pass {
            pass.data = pass.data.or(self.of_pass.as_ref());
        }
        let (model, draws) = (self.model, &self.draws[..]);
        let input = SurfaceInput { model, draws, palettes: &matrices, morph_weights: &pose.morph_weights, method };
        self.surface.deform(&input, DeformedAttributes::ALL);
        let of_one = |(instance, primitive): &(InstanceId, usize)| {
            let drawn = &self.surface.part(*instance, *primitive)?.deformed.positions;
            let mesh = model.instances[instance.index()].mesh;
            let stored = model.meshes[mesh.index()].primitives[*primitive].stored_vertices;
            let targets: Vec<Vec3> = drawn.iter().take(stored).copied().collect();
            Some(Example::of_surface(posed.motion(*instance, *primitive)?, targets))
        };
        of.iter().map(of_one).collect()
    }
}

#[cfg(test)]
mod tests {
    use skinscope_deform::{METHODS, PASSES, ParameterSettings};
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;

    #[test]
    fn poses_turn_each_joint_and_follow_the_clips() {
        let model = tube(Tube { joints: 3, ..Tube::default() });
        let poses = typical_poses(&model, 100);
        assert_eq!(poses.len(), 3 * TURNS.len() + 25);
        let is_moved = |pose: &LocalPose, node: usize| {
            pose.transforms[node].rotation != model.skeleton.rest.transforms[node].rotation
        };
        assert!((1..4).all(|node| poses[..36].iter().filter(|pose| is_moved(pose, node)).count() == TURNS.len()));
        assert!((2..4).all(|node| is_moved(&poses[48], node)), "the clip turns all joints but the first");
        let few = typical_poses(&model, 2);
        assert!(few.len() == 2 && typical_poses(&model, 0).is_empty());
        let (turned, of_clips) = (poses_of(&model, PoseKind::Turned, 100), poses_of(&model, PoseKind::Clips, 30));
        assert!(turned[..] == poses[..36] && of_clips.len() == 30);
        let mut parts = skinscope_model::ModelParts::clone(&model);
        parts.clips.clear();
        let still = Model::build(parts).unwrap();
        assert!(poses_of(&still, PoseKind::Clips, 30).is_empty());
    }

    #[test]
    fn the_targets_of_linear_blending_are_where_the_weights_put_the_vertices() {
        let model = tube(Tube::default());
        let of = [(InstanceId::from_index(0), 0)];
        let context = JobContext::of_waiting();
        let table = crate::tests::table_of(&model);
        let furthest = |deformation: Deformation<'_>| {
            let mut surface = MethodSurface::new(&model, deformation, &context).unwrap();
            let mut distances = Vec::new();
            for pose in typical_poses(&model, 30) {
                surface.examples(&pose, &of)[0].as_ref().unwrap().distances(&table, &mut distances);
            }
            distances.into_iter().fold(0.0, f64::max)
        };
        assert!(furthest(METHODS[0].into()) < 1e-5);
        let mush = Deformation::from(METHODS[0]).then(PASSES[0], &ParameterSettings::default());
        assert!(furthest(mush) > 0.01 && furthest(METHODS[1].into()) > 0.01);
    }
}
