//! Example meshes: each is what the surface should be in a pose, and says so of the primitives of a model that it shows.

use std::sync::Arc;

use glam::DVec3;
use skinscope_model::{LocalPose, Model, PrimitiveId};
use skinscope_weights::Table;

use crate::example::{Deviation, Example};
use crate::layout::{Layout, LayoutError};
use crate::motion::Posed;
use crate::whole::PrimitiveExamples;

/// Numbers of poses that differ by no more count as the same.
const SAME: f32 = 1e-6;

/// The vertices of a mesh, in the scene, metres.
#[derive(Clone, Debug, Default)]
pub struct MeshPoints(pub Arc<[DVec3]>);

impl PartialEq for MeshPoints {
    /// Two are the same only where they are one piece of memory.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// What the surface should be in a pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExampleMesh {
    /// What it is called.
    pub name: String,
    /// Where the vertices should be.
    pub points: MeshPoints,
    /// The pose.
    pub pose: Arc<LocalPose>,
    /// What the pose is called.
    pub pose_name: String,
    /// Whether it is kept aside: it is compared, and not used.
    pub is_held_out: bool,
}

/// Why nothing can be solved from example meshes.
#[derive(Clone, Debug, PartialEq)]
pub enum ExampleError {
    /// There is none, or all are kept aside.
    NoneLeft,
    /// The vertices are to be found by place, and no example has the rest pose.
    NoRest,
    /// The pose of the example with this number is one of another model.
    OtherPose(usize),
    /// A mesh does not fit the model.
    Unfit {
        /// The number of the example.
        mesh: usize,
        /// Why it does not fit.
        why: LayoutError,
    },
}

/// How the vertices of a model are found in example meshes.
#[derive(Clone, Copy, Debug, Default)]
pub struct MeshOrder {
    /// The primitive that the meshes show; `None`: their number of vertices tells.
    pub primitive: Option<PrimitiveId>,
    /// Whether vertices are found by where they rest in the example of the rest pose, whose order the others have; else all have the order of
    /// the file.
    pub by_place: bool,
}

/// The examples of each primitive that some meshes show.
#[derive(Clone, Debug)]
pub struct ExampleSet<'m> {
    shown: Vec<Shown<'m>>,
}

/// The examples of one mesh.
#[derive(Clone, Debug)]
struct Shown<'m> {
    is_held_out: bool,
    parts: Vec<(PrimitiveId, Example<'m>)>,
}

impl<'m> ExampleSet<'m> {
    /// Finds the vertices of a model, whose weights are in `tables`, in example meshes.
    ///
    /// # Errors
    /// There is nothing to solve from, or a mesh does not fit.
    pub fn new(
        model: &'m Model,
        tables: &[Table],
        meshes: &[ExampleMesh],
        order: MeshOrder,
    ) -> Result<Self, ExampleError> {
        if meshes.iter().all(|mesh| mesh.is_held_out) {
            return Err(ExampleError::NoneLeft);
        }
        let rest = &model.skeleton.rest;
        let is_of_model = |pose: &LocalPose| {
            pose.transforms.len() == rest.transforms.len() && pose.morph_weights.len() == rest.morph_weights.len()
        };
        if let Some(other) = meshes.iter().position(|mesh| !is_of_model(&mesh.pose)) {
            return Err(ExampleError::OtherPose(other));
        }
        let first = match order.by_place {
            true => meshes.iter().position(|mesh| is_same(&mesh.pose, rest)).ok_or(ExampleError::NoRest)?,
            false => 0,
        };
        let unfit = |mesh: usize, why: LayoutError| ExampleError::Unfit { mesh, why };
        let points = &meshes[first].points.0;
        let layout = match order.by_place {
            true => Layout::by_place(model, order.primitive, &|at| table_of(tables, at), points),
            false => Layout::in_order(model, order.primitive, points.len()),
        };
        let layout = layout.map_err(|why| unfit(first, why))?;
        let mut shown = Vec::with_capacity(meshes.len());
        for (number, mesh) in meshes.iter().enumerate() {
            let parts = layout.examples(&Posed::new(model, &mesh.pose), &mesh.points.0);
            let parts = parts.map_err(|why| unfit(number, why))?;
            shown.push(Shown { is_held_out: mesh.is_held_out, parts });
        }
        Ok(Self { shown })
    }

    /// Returns the examples that are used, by primitive.
    #[must_use]
    pub fn used(&self) -> Vec<PrimitiveExamples<'m>> {
        let mut out: Vec<PrimitiveExamples<'m>> = Vec::new();
        for (at, example) in self.shown.iter().filter(|shown| !shown.is_held_out).flat_map(|shown| &shown.parts) {
            match out.iter_mut().find(|(known, _)| known == at) {
                Some((_, examples)) => examples.push(example.clone()),
                None => out.push((*at, vec![example.clone()])),
            }
        }
        out
    }

    /// Returns for each mesh how far the weights of these tables leave the surface from it.
    #[must_use]
    pub fn deviations(&self, tables: &[Table]) -> Vec<Deviation> {
        let of_one = |shown: &Shown<'m>| {
            let mut distances = Vec::new();
            for (at, example) in &shown.parts {
                if let Some(table) = table_of(tables, *at) {
                    example.distances(table, &mut distances);
                }
            }
            Deviation::of(&mut distances)
        };
        self.shown.iter().map(of_one).collect()
    }
}

/// Returns the table of a primitive.
#[must_use]
pub fn table_of(tables: &[Table], at: PrimitiveId) -> Option<&Table> {
    tables.iter().find(|table| table.primitives.contains(&at))
}

/// Returns whether two poses of a model are the same but for rounding.
fn is_same(a: &LocalPose, b: &LocalPose) -> bool {
    let mut pairs = a.transforms.iter().zip(&b.transforms);
    let mut weights = a.morph_weights.iter().zip(&b.morph_weights);
    pairs.all(|(a, b)| {
        a.translation.distance(b.translation) <= SAME * (1.0 + b.translation.length())
            && a.scale.distance(b.scale) <= SAME
            && a.rotation.dot(b.rotation).abs() >= 1.0 - SAME
    }) && weights.all(|(a, b)| (a - b).abs() <= SAME)
}

#[cfg(test)]
mod tests {
    use skinscope_anim::pose::rotate;
    use skinscope_base::parallel::JobContext;
    use skinscope_model::InstanceId;
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::tests::{surface_of, table_of as table_in};
    use crate::{SolveSettings, solve_all};

    /// A tube, and the surface in the rest pose and in two others, as the weights of the tube put it.
    fn examples(model: &Model) -> Vec<ExampleMesh> {
        let table = table_in(model);
        let mesh = |name: &str, degrees: f32| {
            let mut pose = model.skeleton.rest.clone();
            rotate(&mut pose, model.skins[0].joints[1], glam::Vec3::new(0.0, 0.0, degrees));
            let motion = Posed::new(model, &pose).motion(InstanceId::from_index(0), 0).unwrap();
            let points = (0..table.vertices()).map(|vertex| motion.blended(&table, vertex)).collect();
            let (name, pose) = (name.to_owned(), Arc::new(pose));
            ExampleMesh { name, points: MeshPoints(points), pose, ..ExampleMesh::default() }
        };
        vec![mesh("Rest", 0.0), mesh("Bent", 60.0), mesh("Back", -40.0)]
    }

    #[test]
    fn what_is_kept_aside_is_compared_and_not_used() {
        let model = tube(Tube::default());
        let mut meshes = examples(&model);
        meshes[2].is_held_out = true;
        let mut lost = [table_in(&model)];
        for row in 0..lost[0].vertices() {
            lost[0].put(row, &[(model.skins[0].joints[0].0, 1.0)]);
        }
        let set = ExampleSet::new(&model, &lost, &meshes, MeshOrder::default()).unwrap();
        let used = set.used();
        assert!(used.len() == 1 && used[0].1.len() == 2);
        let before = set.deviations(&lost);
        let settings = SolveSettings { joints: crate::Joints::All, ..SolveSettings::default() };
        let (surfaces, locked) = ([surface_of(&model)], std::collections::BTreeSet::new());
        let context = JobContext::of_waiting();
        solve_all(&model, (&surfaces, &mut lost), &used, &locked, &settings, &context).unwrap();
        let after = set.deviations(&lost);
        assert!(before[1].rms > 0.01 && before[2].rms > 0.01);
        assert!(after[1].rms < 0.01 * before[1].rms && after[2].rms < 0.1 * before[2].rms, "{after:?}");
    }

    #[test]
    fn examples_that_do_not_fit_are_refused() {
        let model = tube(Tube::default());
        let tables = [table_in(&model)];
        let meshes = examples(&model);
        let why = |meshes: &[ExampleMesh], by_place: bool| {
            let order = MeshOrder { by_place, ..MeshOrder::default() };
            ExampleSet::new(&model, &tables, meshes, order).map(|_| ()).unwrap_err()
        };
        assert_eq!(why(&[], false), ExampleError::NoneLeft);
        let aside = ExampleMesh { is_held_out: true, ..meshes[0].clone() };
        assert_eq!(why(&[aside], false), ExampleError::NoneLeft);
        assert_eq!(why(&meshes[1..], true), ExampleError::NoRest);
        let mut other = meshes.clone();
        Arc::make_mut(&mut other[1].pose).transforms.pop();
        assert_eq!(why(&other, false), ExampleError::OtherPose(1));
        other[1] = ExampleMesh { points: MeshPoints(Arc::from([DVec3::ZERO])), ..meshes[1].clone() };
        assert!(matches!(why(&other, false), ExampleError::Unfit { mesh: 1, .. }));
        let order = MeshOrder { by_place: true, ..MeshOrder::default() };
        assert!(ExampleSet::new(&model, &tables, &meshes, order).is_ok());
    }
}
