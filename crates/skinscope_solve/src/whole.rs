//! The weights of all surfaces of a model that examples are about.

use skinscope_base::parallel::JobContext;
use skinscope_model::{Model, PrimitiveId};
use skinscope_weights::{Bounds, RestSurface, Table, value};

use crate::example::Example;
use crate::rows::{Problem, SolveSettings, solve_rows};

/// A primitive, and examples of it.
pub type PrimitiveExamples<'m> = (PrimitiveId, Vec<Example<'m>>);

/// What solving a model has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Solved {
    /// How many places have other weights now.
    pub changed: usize,
    /// How many places stay because of locked joints.
    pub stuck: usize,
    /// How many places have a choice of joints that is good, but not proven to be the best.
    pub unproven: usize,
}

/// Solves every surface that has examples, and writes what was found into the tables. Returns `None`, and changes nothing, where the job was
/// cancelled.
pub fn solve_all(
    model: &Model,
    (surfaces, tables): (&[RestSurface], &mut [Table]),
    examples: &[PrimitiveExamples],
    bounds: &Bounds,
    settings: &SolveSettings,
    context: &JobContext,
) -> Option<Solved> {
    let of = |at: PrimitiveId| examples.iter().find(|(of, _)| *of == at).map(|(_, examples)| examples);
    let concerned = surfaces.iter().filter(|surface| surface.parts.iter().any(|part| of(part.primitive).is_some()));
    let concerned: Vec<&RestSurface> = concerned.collect();
    let mut found = Vec::new();
    for (number, surface) in concerned.iter().enumerate() {
        let share = |number: usize| number as f32 / concerned.len() as f32;
        let own: Vec<&[Example]> =
            surface.parts.iter().map(|part| of(part.primitive).map_or(&[][..], |examples| examples)).collect();
        let problem = Problem { model, surface, tables, examples: &own, bounds };
        found.push(solve_rows(&problem, settings, &context.part(share(number), share(number + 1)))?);
    }
    let mut out = Solved::default();
    for (surface, solution) in concerned.into_iter().zip(found) {
        out.changed += solution.apply(surface, tables);
        out.stuck += solution.stuck;
        out.unproven += solution.unproven;
    }
    Some(out)
}

/// Returns a table with its weights as they will be stored: rounded to what the file has room for.
#[must_use]
pub fn as_stored(table: &Table) -> Table {
    let stored = table.stored();
    let formats = &stored.formats;
    let weight = |(at, number): (usize, &u32)| value(*number, formats[at % table.per_vertex.max(1) / 4]);
    let weights = stored.numbers.iter().enumerate().map(weight).collect();
    Table { joints: stored.joints, weights, ..table.clone() }
}

#[cfg(test)]
mod tests {
    use skinscope_model::WeightFormat;
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::tests::{surface_of, table_of};

    #[test]
    fn what_is_stored_is_rounded() {
        let mut table = table_of(&tube(Tube { joints: 4, influences: 3, ..Tube::default() }));
        table.formats = vec![WeightFormat::U8];
        table.touched.fill(true);
        let stored = as_stored(&table);
        let steps = |weight: &f64| (weight * 255.0 - (weight * 255.0).round()).abs() < 1e-9;
        assert!(stored.weights.iter().all(steps) && !table.weights.iter().all(steps));
        assert!(stored.weights.iter().zip(&table.weights).all(|(a, b)| (a - b).abs() < 1.0 / 255.0));
    }

    #[test]
    fn without_examples_nothing_changes() {
        let model = tube(Tube::default());
        let surfaces = [surface_of(&model)];
        let mut tables = [table_of(&model)];
        let before = tables.clone();
        let mut solve = |examples: &[PrimitiveExamples]| {
            let context = JobContext::of_waiting();
            let settings = SolveSettings::default();
            let done = solve_all(&model, (&surfaces, &mut tables), examples, &Bounds::default(), &settings, &context);
            (done, tables == before)
        };
        assert_eq!(solve(&[]), (Some(Solved::default()), true));
        let at = before[0].primitives[0];
        assert_eq!(solve(&[(at, Vec::new())]), (Some(Solved::default()), true));
    }
}
