//! Weights from examples, as the operation and `skinscope solve` both find them, and what is reported of them.

use skinscope_solve::{Deviation, ExampleMesh, ExampleSet, SolveSettings, Solved, as_stored};
use skinscope_weights::Table;

use super::refusal::check_joints;
use super::search::solve;
use super::{Refusal, Sheet};

/// How far the surface is from an example before and after.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComparedExample {
    /// What the example is called.
    pub name: String,
    /// Whether it was kept aside.
    pub is_held_out: bool,
    /// How far the surface was from it.
    pub before: Deviation,
    /// How far it would be.
    pub after: Deviation,
}

impl ComparedExample {
    /// Compares the weights of before and after with the meshes of which a set was made; those of after as they will be stored.
    fn all(meshes: &[ExampleMesh], set: &ExampleSet, [before, after]: [&[Table]; 2]) -> Vec<Self> {
        let after: Vec<Table> = after.iter().map(as_stored).collect();
        let deviations = set.deviations(before).into_iter().zip(set.deviations(&after));
        let compared = meshes.iter().zip(deviations).map(|(mesh, (before, after))| Self {
            name: mesh.name.clone(),
            is_held_out: mesh.is_held_out,
            before,
            after,
        });
        compared.collect()
    }
}

/// What was found from examples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolvedExamples {
    /// Each example, in the order in which they are given.
    pub examples: Vec<ComparedExample>,
    /// How many places have changed, stay, or have a choice of joints that is not proven to be the best.
    pub solved: Solved,
}

impl SolvedExamples {
    /// Finds the weights that bring the surface nearest to the meshes of which a set was made, within the bounds of a sheet, which then has them.
    /// Returns `None` where the job of the sheet was cancelled.
    ///
    /// # Errors
    /// Vertices may get other joints than their own, and a mesh is shown by skins whose joints differ.
    pub fn find(
        sheet: &mut Sheet,
        (meshes, set): (&[ExampleMesh], &ExampleSet),
        search: &SolveSettings,
    ) -> Result<Option<Self>, Refusal> {
        let used = set.used();
        check_joints(sheet, search.joints, used.iter().map(|(at, _)| *at))?;
        let context = sheet.context.part(0.2, 0.8);
        let Some((before, solved)) = solve(sheet, &used, search, &context) else { return Ok(None) };
        let examples = ComparedExample::all(meshes, set, [&before, &sheet.tables]);
        Ok(Some(Self { examples, solved }))
    }
}
