//! The operation that finds the weights which bring the posed surface nearest to example meshes (`skinscope_solve`).

use std::collections::BTreeSet;

use skinscope_model::PrimitiveId;
use skinscope_solve::{
    ExampleError, ExampleMesh, ExampleSet, Joints, LayoutError, MeshOrder, SolveSettings, as_stored, solve_all,
};
use skinscope_weights::Table;

use super::operation_row::Group;
use super::solved_examples::{ComparedExample, SolvedExamples};
use super::{
    ChoiceKind, ChoiceWord, NumberKind, Operation, OptionForm, Parameter, ParameterKind, Refusal, Settings, Sheet,
    check_one_skin,
};

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

/// The joints that a vertex may have.
static JOINTS: Parameter = Parameter {
    id: "solve-joints",
    label: "Joints",
    help: "The joints that a vertex may have",
    kind: ParameterKind::Choice(ChoiceKind {
        words: &[
            ChoiceWord { id: "kept", label: "Kept", help: "The joints that the vertex has" },
            ChoiceWord {
                id: "near",
                label: "Near",
                help: "Also those of its neighbours, and the parents and children of all these",
            },
            ChoiceWord { id: "all", label: "Whole skin", help: "All joints of the skin" },
        ],
        default: 1,
        ..ChoiceKind::ROW
    }),
    option: OptionForm::Own {
        name: "solve-joints",
        value: "JOINTS",
        help: "With --solve: the joints that a vertex may have: kept, near or all",
    },
};

/// The most joints of a vertex.
static MOST: Parameter = Parameter {
    id: "solve-most",
    label: "Influences",
    help: "The most joints of a vertex, of which the best are chosen",
    kind: ParameterKind::Number(NumberKind {
        range: [1.0, 255.0],
        slider: [1.0, 8.0],
        default: 4.0,
        decimals: 0,
        ..NumberKind::ROW
    }),
    option: OptionForm::Own {
        name: "solve-influences",
        value: "N",
        help: "With --solve: at most N joints for a vertex",
    },
};

/// How strongly the weights of before are kept.
static KEEP: Parameter = Parameter {
    id: "solve-keep",
    label: "Keep",
    help: "How strongly the weights of before are kept where the examples hardly tell",
    kind: ParameterKind::Number(NumberKind {
        range: [0.0, 1.0],
        slider: [0.0, 0.001],
        default: 1e-6,
        decimals: 6,
        ..NumberKind::ROW
    }),
    option: OptionForm::Own {
        name: "solve-keep",
        value: "LAMBDA",
        help: "With --solve: how strongly the weights of before are kept, from 0 to 1",
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
    parameters: &[&EXAMPLES, &ORDER, &JOINTS, &MOST, &KEEP],
    refuse: |sheet, settings| examples_of(sheet, settings).map(|_| ()),
    pairs: Some(|settings| if settings.examples.is_empty() { 1 } else { MOST.number(settings) as usize }),
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
    if JOINTS.choice(settings) > 0 {
        set.used().iter().try_for_each(|(at, _)| check_one_skin(sheet, *at))?;
    }
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

fn run_on(sheet: &mut Sheet, settings: &Settings) {
    // What does not fit was refused before.
    let Ok(Some(set)) = examples_of(sheet, settings) else { return };
    let joints = [Joints::Kept, Joints::Near, Joints::All][JOINTS.choice(settings).min(2)];
    let search = SolveSettings { most: MOST.number(settings) as usize, joints, keep: KEEP.number(settings) };
    let (surfaces, before) = (sheet.surfaces().to_vec(), sheet.tables.clone());
    let locked: BTreeSet<u32> = sheet.bounds.locked.iter().copied().collect();
    let (model, context) = (sheet.model, sheet.context.part(0.2, 0.8));
    let solved = solve_all(model, (&surfaces, &mut sheet.tables), &set.used(), &locked, &search, &context);
    let Some(solved) = solved else { return };
    // Vertices out of bounds get their weights back after this, and what is told holds for them too.
    for (number, (table, old)) in sheet.tables.iter_mut().zip(&before).enumerate() {
        if table.per_vertex == old.per_vertex {
            let closed = (0..table.vertices()).filter(|row| !sheet.bounds.has(number, *row));
            closed.collect::<Vec<_>>().into_iter().for_each(|row| table.give_back(row, old));
        }
    }
    let after: Vec<Table> = sheet.tables.iter().map(as_stored).collect();
    let deviations = set.deviations(&before).into_iter().zip(set.deviations(&after));
    let compared = settings.examples.iter().zip(deviations).map(|(mesh, (before, after))| ComparedExample {
        name: mesh.name.clone(),
        is_held_out: mesh.is_held_out,
        before,
        after,
    });
    sheet.solved = Some(SolvedExamples { examples: compared.collect(), solved });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{InstanceId, Model};
    use skinscope_solve::{MeshPoints, Posed};

    use super::*;
    use crate::apply;

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
        let mut sheet = Sheet::of(&model);
        assert_eq!(apply(&SOLVE, &mut sheet, &Settings::default()).vertices, 0);
        assert!(sheet.solved.is_none() && crate::check(&SOLVE, &sheet, &Settings::default()).is_ok());
        let mut settings = settings(&model);
        let example = &mut Arc::make_mut(&mut settings.examples)[0];
        (example.name, example.points) = ("elbow".to_owned(), MeshPoints(Arc::from([glam::DVec3::ZERO])));
        let why = crate::check(&SOLVE, &sheet, &settings).unwrap_err().to_string();
        assert!(why.starts_with("“elbow”: it has 1 vertices, and "), "{why}");
        ORDER.set_choice(&mut settings, 1);
        let why = crate::check(&SOLVE, &sheet, &settings).unwrap_err().to_string();
        assert!(why.contains("no example has the rest pose"), "{why}");
    }
}
