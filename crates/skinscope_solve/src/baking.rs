//! Another deformation method as what linear blending is to come near to: where it has the surface in many poses.

use skinscope_anim::drawn_at_rest;
use skinscope_base::parallel::JobContext;
use skinscope_deform::Deformation;
use skinscope_model::{InstanceId, LocalPose, Model, PrimitiveId};
use skinscope_weights::Table;

use crate::motion::shown_by;
use crate::poses::{MethodSurface, PoseKind, poses_of};
use crate::whole::PrimitiveExamples;

/// No more poses are looked at than this.
const MOST_POSES: usize = 360;
/// No fewer, whatever memory they take.
const LEAST_POSES: usize = 24;
/// The targets of all poses take about this much memory at most, bytes.
const MEMORY: usize = 256 << 20;
/// The share of the work that is done when the method knows what it needs to of the model.
const PREPARED: f32 = 0.2;

/// A primitive, and the instance that shows it.
pub type ShownPrimitive = (InstanceId, PrimitiveId);

/// Returns the primitives of some tables that a skin moves, each with the instance that shows it: those that the scene shows, and those that it
/// does not show.
#[must_use]
pub fn shown_primitives(model: &Model, tables: &[Table]) -> [Vec<ShownPrimitive>; 2] {
    let drawn = drawn_at_rest(model, model.default_scene);
    let all = tables.iter().flat_map(|table| &table.primitives).copied();
    let all = all.filter_map(|at| Some((shown_by(model, at)?, at)));
    let (shown, hidden) = all.partition(|(instance, _)| drawn.contains(instance));
    [shown, hidden]
}

/// Returns poses of a kind in which a method is looked at: no more than `most`, and no more than there is memory for, by the vertices of the
/// primitives that are looked at.
#[must_use]
pub fn method_poses(model: &Model, of: &[ShownPrimitive], kind: PoseKind, most: usize) -> Vec<LocalPose> {
    poses_of(model, kind, room_for_poses(model, of).min(most))
}

/// Returns in how many poses some primitives can be looked at, by the memory that this takes.
fn room_for_poses(model: &Model, of: &[ShownPrimitive]) -> usize {
    let count = |at: &PrimitiveId| model.meshes[at.mesh.index()].primitives[at.primitive].stored_vertices;
    let vertices: usize = of.iter().map(|(_, at)| count(at)).sum();
    (MEMORY / (vertices.max(1) * size_of::<glam::Vec3>())).clamp(LEAST_POSES, MOST_POSES)
}

/// Returns where a method has some primitives in each of these poses; a primitive that the scene does not show has no example. Returns `None`
/// where the job was cancelled.
#[must_use]
pub fn method_examples<'m>(
    model: &'m Model,
    deformation: Deformation<'m>,
    of: &[ShownPrimitive],
    poses: &[LocalPose],
    context: &JobContext,
) -> Option<Vec<PrimitiveExamples<'m>>> {
    let mut surface = MethodSurface::new(model, deformation, &context.part(0.0, PREPARED))?;
    let drawn: Vec<(InstanceId, usize)> = of.iter().map(|(instance, at)| (*instance, at.primitive)).collect();
    let mut out: Vec<PrimitiveExamples<'m>> = of.iter().map(|(_, at)| (*at, Vec::new())).collect();
    for (number, pose) in poses.iter().enumerate() {
        if context.is_cancelled() {
            return None;
        }
        for ((_, examples), example) in out.iter_mut().zip(surface.examples(pose, &drawn)) {
            examples.extend(example);
        }
        let share = (number + 1) as f32 / poses.len() as f32;
        if context.set_fraction(PREPARED + (1.0 - PREPARED) * share) {
            context.wake();
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use skinscope_deform::METHODS;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{ModelParts, Scene};

    use super::*;
    use crate::gained;
    use crate::tests::table_of;

    #[test]
    fn what_is_left_of_a_method_is_told_for_each_vertex() {
        let model = tube(Tube::default());
        let tables = [table_of(&model)];
        let [of, hidden] = shown_primitives(&model, &tables);
        assert!(of.len() == 1 && hidden.is_empty() && room_for_poses(&model, &of) == MOST_POSES);
        let context = JobContext::of_waiting();
        let poses = method_poses(&model, &of, PoseKind::All, 30);
        let left = |deformation: Deformation<'_>| {
            let examples = method_examples(&model, deformation, &of, &poses, &context).unwrap();
            assert_eq!(examples[0].1.len(), poses.len());
            let (gain, mut all) = gained(&examples, [&tables; 2].map(|tables| &tables[..]), &context).unwrap();
            assert_eq!(gain.before, gain.after, "the weights are the same");
            all.remove(0)
        };
        let dual = left(METHODS[1].into());
        assert_eq!((dual.rms.len(), dual.largest.len()), (tables[0].vertices(), tables[0].vertices()));
        assert!(dual.rms.iter().zip(&dual.largest).all(|(rms, largest)| rms <= largest));
        assert!(dual.largest.iter().any(|largest| *largest > 0.01));
        let linear = left(METHODS[0].into());
        assert!(linear.largest.iter().all(|largest| *largest < 1e-5), "linear blending leaves nothing of itself");
    }

    #[test]
    fn there_are_no_more_poses_than_are_asked_for_and_than_there_is_memory_for() {
        let model = tube(Tube { joints: 4, ..Tube::default() });
        let [of, _] = shown_primitives(&model, &[table_of(&model)]);
        assert_eq!(method_poses(&model, &of, PoseKind::Turned, 7).len(), 7);
        // As many vertices as a million of these primitives have.
        let many = of.repeat(1_000_000);
        assert_eq!(method_poses(&model, &many, PoseKind::Clips, MOST_POSES).len(), LEAST_POSES);
    }

    #[test]
    fn what_the_scene_does_not_show_has_no_example() {
        let shown = tube(Tube::default());
        let mut parts = ModelParts::clone(&shown);
        parts.scenes[0] = Scene { contains: vec![false; shown.skeleton.len()], ..Scene::default() };
        let hidden = Model::build(parts).unwrap();
        let tables = [table_of(&hidden)];
        let [of, left_out] = shown_primitives(&hidden, &tables);
        assert!(of.is_empty() && left_out.len() == 1);
        let poses = method_poses(&hidden, &left_out, PoseKind::All, 3);
        let context = JobContext::of_waiting();
        let examples = method_examples(&hidden, METHODS[1].into(), &left_out, &poses, &context).unwrap();
        assert!(examples.iter().all(|(_, examples)| examples.is_empty()));
        let (gain, left) = gained(&examples, [&tables; 2].map(|tables| &tables[..]), &context).unwrap();
        assert!(left.is_empty() && gain == crate::Gain::default());
    }
}
