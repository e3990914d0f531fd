//! What is reported of weights that were found from examples.

use skinscope_solve::{Deviation, Solved};

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

/// What was found from examples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolvedExamples {
    /// Each example, in the order in which they are given.
    pub examples: Vec<ComparedExample>,
    /// How many places have changed, stay, or have a choice of joints that is not proven to be the best.
    pub solved: Solved,
}
