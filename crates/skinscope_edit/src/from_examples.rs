//! The operation that finds the weights which bring the posed surface nearest to example meshes (`skinscope_solve`).

use std::collections::BTreeSet;

use skinscope_solve::{ExampleError, ExampleMesh, ExampleSet, Joints, MeshOrder, SolveSettings, as_stored, solve_all};
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
    let set = ExampleSet::new(sheet.model, &sheet.tables, meshes, order);
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
            ExampleError::Unfit { mesh, why } => format!("“{}”: {why}", name(mesh)),
        })
    })?;
    if JOINTS.choice(settings) > 0 {
        set.used().iter().try_for_each(|(at, _)| check_one_skin(sheet, *at))?;
    }
    Ok(Some(set))
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
