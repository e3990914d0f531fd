//! Another deformation method as what linear blending is to come near to: where it has the surface in many poses, and how far linear blending
//! stays from that.

use skinscope_base::parallel::JobContext;
use skinscope_deform::Deformation;
use skinscope_model::{InstanceId, LocalPose, Model, PrimitiveId};
use skinscope_weights::Table;

use crate::motion::shown_by;
use crate::poses::MethodSurface;
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

/// Returns the primitives of some tables that a skin moves, each with the instance that shows it.
#[must_use]
pub fn shown_primitives(model: &Model, tables: &[Table]) -> Vec<ShownPrimitive> {
    let all = tables.iter().flat_map(|table| &table.primitives).copied();
    all.filter_map(|at| Some((shown_by(model, at)?, at))).collect()
}

/// Returns in how many poses some primitives can be looked at, by the memory that this takes.
#[must_use]
pub fn room_for_poses(model: &Model, of: &[ShownPrimitive]) -> usize {
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

/// How far the weights of a primitive leave each of its vertices from where examples have it, metres.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOver {
    /// The primitive.
    pub primitive: PrimitiveId,
    /// The root of the mean of the squares over the examples, by vertex of the file.
    pub rms: Vec<f32>,
    /// The largest distance in any example.
    pub largest: Vec<f32>,
}

/// Returns what the weights of some tables leave of the way to examples, of each primitive that has any. Returns `None` where the job was
/// cancelled.
#[must_use]
pub fn left_over(examples: &[PrimitiveExamples], tables: &[Table], context: &JobContext) -> Option<Vec<LeftOver>> {
    let mut out = Vec::new();
    let mut own = Vec::new();
    for (primitive, examples) in examples.iter().filter(|(_, examples)| !examples.is_empty()) {
        let Some(table) = tables.iter().find(|table| table.primitives.contains(primitive)) else { continue };
        let mut sums: Vec<(f64, f64)> = Vec::new();
        for example in examples {
            if context.is_cancelled() {
                return None;
            }
            own.clear();
            example.distances(table, &mut own);
            sums.resize(own.len(), (0.0, 0.0));
            for ((squares, largest), distance) in sums.iter_mut().zip(&own) {
                *squares += distance * distance;
                *largest = largest.max(*distance);
            }
        }
        let count = examples.len() as f64;
        let rms = sums.iter().map(|(squares, _)| (squares / count).sqrt() as f32).collect();
        let largest = sums.iter().map(|(_, largest)| *largest as f32).collect();
        out.push(LeftOver { primitive: *primitive, rms, largest });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use skinscope_deform::METHODS;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{ModelParts, Scene};

    use super::*;
    use crate::tests::table_of;
    use crate::typical_poses;

    #[test]
    fn what_is_left_of_a_method_is_told_for_each_vertex() {
        let model = tube(Tube::default());
        let tables = [table_of(&model)];
        let of = shown_primitives(&model, &tables);
        assert!(of.len() == 1 && room_for_poses(&model, &of) == MOST_POSES);
        let context = JobContext::of_waiting();
        let poses = typical_poses(&model, 30);
        let left = |deformation: Deformation<'_>| {
            let examples = method_examples(&model, deformation, &of, &poses, &context).unwrap();
            assert_eq!(examples[0].1.len(), poses.len());
            let mut all = left_over(&examples, &tables, &context).unwrap();
            let mut distances = Vec::new();
            examples[0].1.iter().for_each(|example| example.distances(&tables[0], &mut distances));
            (all.remove(0), distances)
        };
        let (dual, distances) = left(METHODS[1].into());
        assert_eq!((dual.rms.len(), dual.largest.len()), (tables[0].vertices(), tables[0].vertices()));
        let of_vertex = |vertex: usize| distances.iter().skip(vertex).step_by(tables[0].vertices());
        for (vertex, (rms, largest)) in dual.rms.iter().zip(&dual.largest).enumerate() {
            let squares: f64 = of_vertex(vertex).map(|distance| distance * distance).sum();
            let most = of_vertex(vertex).copied().fold(0.0, f64::max);
            assert!((f64::from(*rms) - (squares / poses.len() as f64).sqrt()).abs() < 1e-6, "{vertex}");
            assert!((f64::from(*largest) - most).abs() < 1e-6, "{vertex}");
        }
        assert!(dual.largest.iter().any(|largest| *largest > 0.01));
        let (linear, _) = left(METHODS[0].into());
        assert!(linear.largest.iter().all(|largest| *largest < 1e-5), "linear blending leaves nothing of itself");
    }

    #[test]
    fn what_the_scene_does_not_show_has_no_example() {
        let shown = tube(Tube::default());
        let mut parts = ModelParts::clone(&shown);
        parts.scenes[0] = Scene { contains: vec![false; shown.skeleton.len()], ..Scene::default() };
        let hidden = Model::build(parts).unwrap();
        let of = shown_primitives(&hidden, &[table_of(&hidden)]);
        let poses = typical_poses(&hidden, 3);
        let context = JobContext::of_waiting();
        let examples = method_examples(&hidden, METHODS[1].into(), &of, &poses, &context).unwrap();
        assert!(examples.iter().all(|(_, examples)| examples.is_empty()));
        assert_eq!(left_over(&examples, &[table_of(&hidden)], &context), Some(Vec::new()));
    }
}
