//! The operation that finds the weights which bring the posed surface nearest to example meshes (`skinscope_solve`).

use skinscope_model::PrimitiveId;
use skinscope_solve::{ExampleError, ExampleMesh, ExampleSet, LayoutError, MeshOrder};
use skinscope_weights::Table;

use super::operation_row::Group;
use super::search::FOR_EXAMPLES;
use super::solved_examples::SolvedExamples;
use super::{ChoiceKind, ChoiceWord, Operation, OptionForm, Parameter, ParameterKind, Refusal, Settings, Sheet};

/// The example meshes, each with its pose.
static EXAMPLES: Parameter = Parameter {
    id: "solve-examples",
    label: "Examples",
    help: "What the surface should be in some poses",
    kind: ParameterKind::Examples,
    ..Parameter::ROW
};

/// How the vertices are found in the meshes.
static ORDER: Parameter = Parameter {
    id: "solve-order",
    label: "Vertices",
    help: "How the vertices are found in the meshes",
    kind: ParameterKind::Choice(ChoiceKind {
        words: &[
            ChoiceWord { id: "", label: "In order", help: "The meshes have the vertices in the order of the file" },
            ChoiceWord {
                id: "place",
                label: "By place",
                help: "Match the vertices by where they are in the example whose pose is the rest pose; the others have its order",
            },
        ],
        ..ChoiceKind::ROW
    }),
    option: OptionForm::Own {
        name: "solve-by-place",
        value: "",
        help: "With --solve: match the vertices by where they are in the example whose pose is the rest pose",
    },
};

/// The operation that finds weights from example meshes.
pub static SOLVE: Operation = Operation {
    id: "solve",
    label: "Solve from examples",
    tool: "Solve from examples",
    short: "Solve",
    icon: "CUBE",
    group: Group::Copy,
    place: 3,
    help: "Find the weights that bring the posed surface nearest to meshes of how it should look in some poses",
    more: ": NAME.pose.json with NAME.ply, NAME.obj or NAME.glb in a folder. `skinscope solve` says more of it",
    argument: "DIR",
    parameters: &[&EXAMPLES, &ORDER, &FOR_EXAMPLES.most, &FOR_EXAMPLES.joints, &FOR_EXAMPLES.keep],
    pairs: Some(|settings| if settings.examples.is_empty() { 1 } else { FOR_EXAMPLES.settings(settings).most }),
    by_result: true,
    run: run_on,
    ..Operation::ROW
};

/// Finds the vertices of a sheet's model in the examples; none where there are no examples.
fn examples_of<'m>(sheet: &Sheet<'m>, settings: &Settings) -> Result<Option<ExampleSet<'m>>, Refusal> {
    let meshes: &[ExampleMesh] = &settings.examples;
    if meshes.is_empty() {
        return Ok(None);
    }
    let name = |example: usize| meshes.get(example).map_or("", |mesh| mesh.name.as_str());
    let order = MeshOrder { primitive: None, by_place: ORDER.choice(settings) == 1 };
    let found = |order: MeshOrder| ExampleSet::new(sheet.model, &sheet.tables, meshes, order);
    // Where the number of vertices does not tell, those that may change do.
    let set = found(order).or_else(|why| match only_open(sheet) {
        Some(primitive) => found(MeshOrder { primitive: Some(primitive), ..order }).map_err(|_| why),
        None => Err(why),
    });
    let set = set.map_err(|why| {
        Refusal::Examples(match why {
            ExampleError::NoneLeft => "every example is kept aside, so that none is left to solve from".to_owned(),
            ExampleError::NoRest => {
                "no example has the rest pose, in which the places of vertices are compared".to_owned()
            }
            ExampleError::OtherPose(example) => format!(
                "the pose of “{}” is one of a model with other nodes or shapes; take the pose again",
                name(example)
            ),
            ExampleError::Unfit { mesh, why: why @ LayoutError::Several(_) } => {
                format!("“{}”: {why}, by letting only vertices of that one change", name(mesh))
            }
            ExampleError::Unfit { mesh, why } => format!("“{}”: {why}", name(mesh)),
        })
    })?;
    Ok(Some(set))
}

/// Returns the primitive that has all vertices which may change, where not all may.
fn only_open(sheet: &Sheet) -> Option<PrimitiveId> {
    let is_open = |(number, table): &(usize, &Table)| {
        !sheet.bounds.is_open() && (0..table.vertices()).any(|row| sheet.bounds.has(*number, row))
    };
    let mut open = sheet.tables.iter().enumerate().filter(is_open);
    let first = open.next().and_then(|(_, table)| table.primitives.first().copied());
    first.filter(|_| open.next().is_none())
}

/// Finds the weights. The vertices are found in the meshes once: where they cannot be, the operation says so when it has run.
fn run_on(sheet: &mut Sheet, settings: &Settings) {
    let found = examples_of(sheet, settings).and_then(|set| match set {
        Some(set) => SolvedExamples::find(sheet, (&settings.examples, &set), &FOR_EXAMPLES.settings(settings)),
        None => Ok(None),
    });
    match found {
        Ok(found) => sheet.solved = found,
        Err(why) => sheet.not_done = Some(why),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{Instance, InstanceId, Model, ModelParts, NodeId, Skin, SkinId};
    use skinscope_solve::{MeshPoints, Posed, as_stored};

    use super::*;
    use crate::{apply, check_applied};

    /// The surface of a tube at rest, as what it should be while a joint is turned.
    fn settings(model: &Model) -> Settings {
        let sheet = Sheet::of(model);
        let motion = Posed::new(model, &model.skeleton.rest).motion(InstanceId::from_index(0), 0).unwrap();
        let points = (0..sheet.tables[0].vertices()).map(|vertex| motion.blended(&sheet.tables[0], vertex)).collect();
        let mut pose = model.skeleton.rest.clone();
        skinscope_anim::pose::rotate(&mut pose, model.skins[0].joints[1], glam::Vec3::new(0.0, 0.0, 40.0));
        let example = ExampleMesh { points: MeshPoints(points), pose: Arc::new(pose), ..ExampleMesh::default() };
        Settings { examples: Arc::new(vec![example]), ..Settings::default() }
    }

    #[test]
    fn vertices_out_of_bounds_keep_their_weights_and_what_is_told_holds_for_them_too() {
        let model = tube(Tube { joints: 4, ..Tube::default() });
        let settings = settings(&model);
        let mut sheet = Sheet::of(&model);
        let before = sheet.tables[0].clone();
        let count = before.vertices();
        sheet.bounds.rows = vec![(0..count).map(|row| row % 2 == 0).collect()];
        let applied = apply(&SOLVE, &mut sheet, &settings);
        assert!(applied.vertices > 0);
        let table = &sheet.tables[0];
        assert!((0..count).all(|row| row % 2 == 0 || table.has_same_pairs(row, &before)));
        let told = sheet.solved.clone().unwrap().examples.remove(0);
        let set = ExampleSet::new(&model, &sheet.tables, &settings.examples, MeshOrder::default()).unwrap();
        let left = set.deviations(&sheet.tables.iter().map(as_stored).collect::<Vec<_>>())[0];
        assert!((told.after.rms - left.rms).abs() < 1e-9 && told.after.rms < told.before.rms, "{told:?}");
    }

    #[test]
    fn without_examples_nothing_is_done_and_one_that_does_not_fit_is_refused() {
        let model = tube(Tube::default());
        let tried = |settings: &Settings| {
            let mut sheet = Sheet::of(&model);
            let applied = apply(&SOLVE, &mut sheet, settings);
            assert!(sheet.solved.is_none() && applied.vertices == 0);
            check_applied(&SOLVE, &sheet, settings, &applied)
        };
        assert_eq!(tried(&Settings::default()), Ok(()));
        let mut settings = settings(&model);
        let example = &mut Arc::make_mut(&mut settings.examples)[0];
        (example.name, example.points) = ("elbow".to_owned(), MeshPoints(Arc::from([glam::DVec3::ZERO])));
        let why = tried(&settings).unwrap_err().to_string();
        assert!(why.starts_with("“elbow”: it has 1 vertices, and "), "{why}");
        ORDER.set_choice(&mut settings, 1);
        let why = tried(&settings).unwrap_err().to_string();
        assert!(why.contains("no example has the rest pose"), "{why}");
    }

    #[test]
    fn a_mesh_that_two_skins_show_keeps_its_joints_or_is_refused() {
        let mut parts = ModelParts::clone(&tube(Tube { joints: 4, ..Tube::default() }));
        let joints: Vec<NodeId> = parts.skins[0].joints.iter().rev().copied().collect();
        parts.skins.push(Skin { joints, name: "other".into(), ..parts.skins[0].clone() });
        parts.instances.push(Instance { skin: Some(SkinId(1)), ..parts.instances[0].clone() });
        let shared = Model::build(parts).unwrap();
        let mut settings = settings(&shared);
        let refused = |settings: &Settings| {
            let mut sheet = Sheet::of(&shared);
            let applied = apply(&SOLVE, &mut sheet, settings);
            check_applied(&SOLVE, &sheet, settings, &applied).err()
        };
        assert!(matches!(refused(&settings), Some(Refusal::SharedMesh { .. })));
        FOR_EXAMPLES.joints.set_choice(&mut settings, 0);
        assert_eq!(refused(&settings), None);
    }
}
