//! Baking a method into plain weights, as the operation and `skinscope bake-weights` both do it: the weights are found, compared with the method,
//! and what they leave is told for each vertex.

use std::sync::Arc;

use skinscope_deform::Deformation;
use skinscope_inspect::PerVertex;
use skinscope_model::{LocalPose, Model};
use skinscope_solve::{Gain, LeftOver, ShownPrimitive, SolveSettings, Solved, as_stored, gained, method_examples};
use skinscope_weights::Table;

use super::refusal::check_joints;
use super::search::solve;
use super::{Refusal, Sheet};

/// A method that is baked into the weights of some primitives.
#[derive(Clone, Copy, Debug)]
pub struct Baking<'a> {
    /// The method.
    pub deformation: Deformation<'static>,
    /// The primitives, each with the instance that shows it.
    pub of: &'a [ShownPrimitive],
    /// The poses in which linear blending is to come near the method.
    pub poses: &'a [LocalPose],
    /// How the weights are looked for.
    pub search: SolveSettings,
}

/// What the weights reach that were found for a method.
#[derive(Clone, Debug, PartialEq)]
pub struct BakedWeights {
    /// How far linear blending is from the method before and after.
    pub gain: Gain,
    /// How many places have changed, stay, or have a choice of joints that is not proven to be the best.
    pub solved: Solved,
    /// How far each vertex stays from the method over the poses.
    pub left: Vec<LeftOver>,
}

impl Baking<'_> {
    /// Checks that the vertices may get the joints among which weights are looked for.
    ///
    /// # Errors
    /// A mesh is shown by skins whose joints differ.
    pub fn check(&self, sheet: &Sheet) -> Result<(), Refusal> {
        check_joints(sheet, self.search.joints, self.of.iter().map(|(_, at)| *at))
    }

    /// Finds the weights within the bounds of a sheet, which then has them, and tells what they reach as they will be stored. Returns `None`
    /// where the job of the sheet was cancelled.
    #[must_use]
    pub fn run(&self, sheet: &mut Sheet) -> Option<BakedWeights> {
        let (model, context) = (sheet.model, sheet.context.clone());
        let examples = method_examples(model, self.deformation, self.of, self.poses, &context.part(0.2, 0.5))?;
        let (before, solved) = solve(sheet, &examples, &self.search, &context.part(0.5, 0.75))?;
        let after: Vec<Table> = sheet.tables.iter().map(as_stored).collect();
        let (gain, left) = gained(&examples, [&before, &after], &context)?;
        Some(BakedWeights { gain, solved, left })
    }
}

/// What baking a method into weights reaches.
#[derive(Clone, Debug, PartialEq)]
pub struct Baked {
    /// The id of the method, and of what comes after it.
    pub from: String,
    /// In how many poses it was looked at.
    pub poses: usize,
    /// How far linear blending is from the method before and after.
    pub gain: Gain,
    /// How many places have changed, stay, or have a choice of joints that is not proven to be the best.
    pub solved: Solved,
    /// How far each vertex stays from the method over the poses, millimetres ([`left_values`]): the root of the mean of the squares, and the
    /// largest distance.
    pub left: [Arc<PerVertex>; 2],
}

/// Returns how far each vertex of a model stays from a method, millimetres: the root of the mean of the squares, and the largest distance.
/// Vertices of which that is not known have a number below zero.
#[must_use]
pub fn left_values(model: &Model, left: &[LeftOver]) -> [Arc<PerVertex>; 2] {
    [values_of(model, left, |left| left.rms.as_slice()), values_of(model, left, |left| left.largest.as_slice())]
}

/// Returns one of the lists of numbers, in millimetres.
fn values_of(model: &Model, left: &[LeftOver], list: fn(&LeftOver) -> &[f32]) -> Arc<PerVertex> {
    let mut out = nothing_left(model);
    for left in left {
        let of_mesh = out.values.get_mut(left.primitive.mesh.index());
        let Some(values) = of_mesh.and_then(|mesh| mesh.get_mut(left.primitive.primitive)) else { continue };
        for (value, metres) in values.iter_mut().zip(list(left)) {
            *value = if metres.is_finite() { 1e3 * metres } else { -1.0 };
        }
    }
    Arc::new(out)
}

/// Returns the numbers of vertices of which nothing is known: all are below zero.
#[must_use]
pub fn nothing_left(model: &Model) -> PerVertex {
    let of_mesh =
        |mesh: &skinscope_model::Mesh| mesh.primitives.iter().map(|p| vec![-1.0; p.stored_vertices]).collect();
    PerVertex { values: model.meshes.iter().map(of_mesh).collect() }
}
