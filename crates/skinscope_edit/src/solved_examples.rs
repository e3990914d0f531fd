//! What is reported of weights that were found from examples.

use skinscope_solve::{Deviation, ExampleMesh, ExampleSet, Solved, as_stored};
use skinscope_weights::Table;

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
    #[must_use]
    pub fn all(meshes: &[ExampleMesh], set: &ExampleSet, [before, after]: [&[Table]; 2]) -> Vec<Self> {
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
