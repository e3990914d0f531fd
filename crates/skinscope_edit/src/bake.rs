//! The operation that brings into plain weights what another deformation method does better, for programs that blend linearly.
//!
//! In many poses the surface by the method is what linear blending is to come near: the weights are those with the least sum of the squares
//! of the distances (`skinscope_solve`). What is left is told for each vertex.

use std::sync::Arc;

use skinscope_anim::drawn_at_rest;
use skinscope_deform::{Deformation, METHODS, PASSES, ParameterSettings};
use skinscope_inspect::PerVertex;
use skinscope_model::{LocalPose, Model};
use skinscope_solve::{
    Gain, Joints, LeftOver, PoseKind, ShownPrimitive, SolveSettings, Solved, as_stored, left_over, method_examples,
    poses_of, room_for_poses, shown_primitives, solve_all,
};
use skinscope_weights::Table;

use super::operation_row::Group;
use super::{
    ChoiceKind, ChoiceWord, NumberKind, Operation, OptionForm, Parameter, ParameterKind, Refusal, Settings, Sheet,
    check_one_skin,
};

/// Which method.
static FROM: Parameter = Parameter {
    id: "bake-from",
    label: "Method",
    help: "The method that linear blending is to come near",
    kind: ParameterKind::Choice(ChoiceKind { words: &WORDS, ..ChoiceKind::ROW }),
    ..Parameter::ROW
};

/// Delta mush after linear blending, and then the methods in the order of [`METHODS`], but for linear blending itself; a test keeps that none
/// is missing.
static WORDS: [ChoiceWord; 7] = [
    ChoiceWord {
        id: "mush",
        label: "Delta mush",
        help: "Linear blending, then a pass that evens out creases, bulges and poor weights",
    },
    word(1),
    word(2),
    word(3),
    word(4),
    word(5),
    word(6),
];

const fn word(at: usize) -> ChoiceWord {
    let method = METHODS[at % METHODS.len()];
    ChoiceWord { id: method.id, label: method.label, help: method.help }
}

/// Whether delta mush comes after the method.
static MUSH: Parameter = Parameter {
    id: "bake-mush",
    label: "After it",
    help: "What comes after the method",
    kind: ParameterKind::Choice(ChoiceKind {
        words: &[
            ChoiceWord { id: "", label: "Nothing after it", help: "Take the method alone" },
            ChoiceWord { id: "mush", label: "Mush after it", help: "Take the method with delta mush after it" },
        ],
        ..ChoiceKind::ROW
    }),
    option: OptionForm::Own {
        name: "bake-mush",
        value: "",
        help: "With --bake-method: take the method with delta mush after it",
    },
};

/// The kinds of poses, in the order of the words of [`OVER`]; after them come the poses that were kept.
const KINDS: [PoseKind; 3] = [PoseKind::All, PoseKind::Turned, PoseKind::Clips];

/// In which poses.
static OVER: Parameter = Parameter {
    id: "bake-over",
    label: "Poses",
    help: "The poses in which linear blending is to come near the method",
    kind: ParameterKind::Choice(ChoiceKind {
        words: &[
            ChoiceWord {
                id: "all",
                label: "Turns and clips",
                help: "Joints that are turned, and moments of all clips",
            },
            ChoiceWord { id: "turns", label: "Turns", help: "Each joint turned by 45° and 90° about its axes" },
            ChoiceWord { id: "clips", label: "Clips", help: "Moments of all clips" },
            ChoiceWord { id: "kept", label: "Poses kept", help: "The poses that you keep, and no others" },
        ],
        ..ChoiceKind::ROW
    }),
    option: OptionForm::Own {
        name: "bake-over",
        value: "POSES",
        help: "With --bake-method: over these poses, turns, clips or, as without it, all of both",
    },
};

/// In how many poses.
static POSES: Parameter = Parameter {
    id: "bake-poses",
    label: "Most poses",
    help: "No more poses are chosen than this",
    kind: ParameterKind::Number(NumberKind {
        range: [1.0, 360.0],
        slider: [12.0, 360.0],
        default: 120.0,
        decimals: 0,
        ..NumberKind::ROW
    }),
    option: OptionForm::Own {
        name: "bake-poses",
        value: "N",
        help: "With --bake-method: in no more than N poses, 120 without it",
    },
};

/// The most joints of a vertex.
static MOST: Parameter = Parameter {
    id: "bake-most",
    label: "Influences",
    help: "The most joints of a vertex",
    kind: ParameterKind::Number(NumberKind {
        range: [1.0, 255.0],
        slider: [1.0, 8.0],
        default: 4.0,
        decimals: 0,
        ..NumberKind::ROW
    }),
    option: OptionForm::Own {
        name: "bake-influences",
        value: "N",
        help: "With --bake-method: at most N joints for a vertex, 4 without it",
    },
};

/// The joints that a vertex may have.
static AMONG: Parameter = Parameter {
    id: "bake-joints",
    label: "Joints",
    help: "The joints that a vertex may have",
    kind: ParameterKind::Choice(ChoiceKind {
        words: &[
            ChoiceWord { id: "kept", label: "Own joints", help: "The joints that the vertex has" },
            ChoiceWord {
                id: "near",
                label: "Near joints",
                help: "Those that the vertex and its neighbours have, and the parents and children of all these",
            },
            ChoiceWord { id: "all", label: "All joints", help: "All joints of the skin" },
        ],
        default: 1,
        ..ChoiceKind::ROW
    }),
    option: OptionForm::Own {
        name: "bake-joints",
        value: "JOINTS",
        help: "With --bake-method: among these joints, kept (those that the vertex has), all or, as without it, near",
    },
};

/// How strongly the weights of before are kept.
static KEEP: Parameter = Parameter {
    id: "bake-keep",
    label: "Keep",
    help: "How strongly the weights of before are kept, against distances that are measured by the size of the surface",
    kind: ParameterKind::Number(NumberKind {
        range: [0.0, 1.0],
        slider: [0.0, 0.001],
        default: 1e-6,
        decimals: 6,
        ..NumberKind::ROW
    }),
    option: OptionForm::Own {
        name: "bake-keep",
        value: "LAMBDA",
        help: "With --bake-method: keep the weights of before so strongly, 0 to 1, 1e-6 without it",
    },
};

/// The poses that were kept, and whether the result is a layer.
static DETAILS: Parameter = Parameter {
    id: "bake-details",
    label: "Poses kept",
    help: "The poses that were kept, in which linear blending is to come near the method",
    kind: ParameterKind::Baking,
    option: OptionForm::None,
};

/// The operation that finds the weights whose linear blending comes nearest to another method.
pub(crate) static BAKE_METHOD: Operation = Operation {
    id: "bake-method",
    label: "Bake a method into weights",
    tool: "Bake method",
    icon: "COOKING_POT",
    group: Group::Bind,
    place: 3,
    help: "Find the weights whose linear blending comes nearest to another deformation method over many poses",
    more: "; bake-weights says more about it",
    argument: "METHOD",
    parameters: &[&FROM, &MUSH, &OVER, &POSES, &MOST, &AMONG, &KEEP, &DETAILS],
    refuse: |sheet, settings| can_bake(sheet, settings),
    pairs: Some(|settings| MOST.number(settings) as usize),
    by_result: true,
    run: run_on,
    ..Operation::ROW
};

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

/// Returns whether the poses that were kept are those in which a method is baked.
#[must_use]
pub fn bakes_kept_poses(settings: &Settings) -> bool {
    OVER.choice(settings) == KINDS.len()
}

/// Returns those of the kept poses that are poses of a model.
fn kept_poses<'s>(model: &Model, settings: &'s Settings) -> impl Iterator<Item = &'s Arc<LocalPose>> {
    let rest = &model.skeleton.rest;
    let (nodes, weights) = (rest.transforms.len(), rest.morph_weights.len());
    settings.poses.iter().filter(move |pose| pose.transforms.len() == nodes && pose.morph_weights.len() == weights)
}

/// Returns the poses in which a method is baked into the weights of some primitives.
fn poses(model: &Model, settings: &Settings, of: &[ShownPrimitive]) -> Vec<LocalPose> {
    match KINDS.get(OVER.choice(settings)) {
        Some(kind) => poses_of(model, *kind, room_for_poses(model, of).min(POSES.number(settings) as usize)),
        None => kept_poses(model, settings).map(|pose| LocalPose::clone(pose)).collect(),
    }
}

/// Returns the primitives of which a vertex may change, each with the instance that shows it.
fn open_primitives(sheet: &Sheet) -> Vec<ShownPrimitive> {
    let mut of = shown_primitives(sheet.model, &sheet.tables);
    of.retain(|(_, at)| {
        let table = sheet.table_of(*at);
        table.is_some_and(|table| (0..sheet.tables[table].vertices()).any(|row| sheet.bounds.has(table, row)))
    });
    of
}

/// Says why there is no method that could be baked.
fn can_bake(sheet: &Sheet, settings: &Settings) -> Result<(), Refusal> {
    let (model, of) = (sheet.model, shown_primitives(sheet.model, &sheet.tables));
    let drawn = drawn_at_rest(model, model.default_scene);
    if !of.iter().any(|(instance, _)| drawn.contains(instance)) {
        return Err(Refusal::NothingShown);
    }
    if AMONG.choice(settings) > 0 {
        open_primitives(sheet).iter().try_for_each(|(_, at)| check_one_skin(sheet, *at))?;
    }
    match OVER.choice(settings) {
        at if at == KINDS.len() && kept_poses(model, settings).next().is_none() => Err(Refusal::NoKeptPose),
        at if KINDS.get(at) == Some(&PoseKind::Clips) && model.clips.is_empty() => Err(Refusal::NoClip),
        _ => Ok(()),
    }
}

/// Returns the method, and its id with that of what comes after it.
fn method(settings: &Settings) -> (Deformation<'static>, String) {
    // The first word is linear blending with what comes after it.
    let chosen = FROM.choice(settings);
    let method = METHODS.get(chosen).copied().unwrap_or(METHODS[0]);
    let deformation = Deformation::from(method);
    match PASSES.first().filter(|_| chosen == 0 || MUSH.choice(settings) == 1) {
        Some(pass) => (deformation.then(pass, &ParameterSettings::default()), format!("{}+{}", method.id, pass.id)),
        None => (deformation, method.id.to_owned()),
    }
}

fn run_on(sheet: &mut Sheet, settings: &Settings) {
    sheet.baked = bake(sheet, settings);
}

/// Finds the weights. Returns `None` where the job was cancelled.
fn bake(sheet: &mut Sheet, settings: &Settings) -> Option<Baked> {
    let (model, context) = (sheet.model, sheet.context.clone());
    // What no vertex may change of takes no time.
    let of = open_primitives(sheet);
    let poses = poses(model, settings, &of);
    let (deformation, from) = method(settings);
    let mut examples = method_examples(model, deformation, &of, &poses, &context.part(0.2, 0.5))?;
    examples.retain(|(_, examples)| !examples.is_empty());
    let joints = [Joints::Kept, Joints::Near, Joints::All];
    let joints = joints.get(AMONG.choice(settings)).copied().unwrap_or_default();
    let search = SolveSettings { most: MOST.number(settings) as usize, joints, keep: KEEP.number(settings) };
    let before = sheet.tables.clone();
    let surfaces = sheet.surfaces().to_vec();
    let (all, part) = ((&surfaces[..], &mut sheet.tables[..]), context.part(0.5, 0.75));
    let solved = solve_all(model, all, &examples, &sheet.bounds, &search, &part)?;
    // What is told is of the weights that there will be.
    sheet.hold(&before, false);
    let after: Vec<Table> = sheet.tables.iter().map(as_stored).collect();
    let compared = examples.iter().filter_map(|(at, examples)| {
        let table = sheet.table_of(*at)?;
        Some((&examples[..], &before[table], &after[table]))
    });
    let gain = Gain::of(compared, &context)?;
    let left = left_values(model, &left_over(&examples, &after, &context)?);
    Some(Baked { from, poses: poses.len(), gain, solved, left })
}

#[cfg(test)]
mod tests {
    use skinscope_anim::pose::rotate;
    use skinscope_base::parallel::JobContext;
    use skinscope_inspect::VertexSet;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{Instance, MeshId, ModelParts, NodeId, Scene, Skin, SkinId};

    use super::*;
    use crate::{Outcome, Task, compute_outcome, operation};

    /// A tube whose vertices blend between neighbouring joints.
    fn model() -> Model {
        tube(Tube { joints: 4, rings: 24, influences: 2, ..Tube::default() })
    }

    fn few(over: usize) -> Settings {
        let mut out = Settings::default();
        POSES.set_number(&mut out, 24.0);
        OVER.set_choice(&mut out, over);
        out
    }

    fn tried(model: &Model, settings: &Settings, within: Option<VertexSet>) -> Outcome {
        let operation = operation("bake-method").unwrap();
        let task = Task { operation, settings: settings.clone(), within: within.map(Arc::new), locked: Arc::default() };
        compute_outcome(model, &task, &JobContext::of_waiting()).unwrap()
    }

    #[test]
    fn every_method_but_linear_blending_is_a_word() {
        let ids: Vec<&str> = METHODS.iter().skip(1).map(|method| method.id).collect();
        assert_eq!(WORDS.iter().skip(1).map(|word| word.id).collect::<Vec<_>>(), ids);
        assert_eq!((WORDS[0].id, PASSES[0].id), ("mush", "mush"));
        let mut settings = Settings::default();
        assert_eq!(method(&settings).1, "linear+mush");
        FROM.set_choice(&mut settings, 1);
        assert_eq!(method(&settings).1, "dual-quaternion");
        MUSH.set_choice(&mut settings, 1);
        assert_eq!(method(&settings).1, "dual-quaternion+mush");
    }

    #[test]
    fn baked_weights_come_nearer_to_the_method_and_what_is_left_is_told_by_vertex() {
        let model = model();
        let outcome = tried(&model, &few(0), None);
        let baked = outcome.baked.clone().unwrap();
        assert!(baked.poses > 12 && baked.poses <= 24 && baked.from == "linear+mush");
        let gained = baked.gain.percent().unwrap();
        assert!(gained > 0.0 && gained < 100.0 && outcome.vertices > 0, "{gained}");
        let [rms, largest] = baked.left.each_ref().map(|left| left.of(MeshId(0), 0));
        let count = model.meshes[0].primitives[0].stored_vertices;
        assert!(rms.len() == count && rms.iter().zip(largest).all(|(rms, most)| *rms >= 0.0 && rms <= most));
        // The figures of all vertices are those of the whole.
        let squares: f64 = rms.iter().map(|mm| f64::from(*mm).powi(2)).sum();
        let all = (squares / count as f64).sqrt();
        assert!((all - 1e3 * baked.gain.after.rms).abs() < 1e-3 * all, "{all}");
        let most = f64::from(largest.iter().copied().fold(0.0, f32::max));
        assert!((most - 1e3 * baked.gain.after.largest).abs() < 1e-3 * most, "{most}");
    }

    #[test]
    fn vertices_out_of_bounds_keep_their_weights_and_are_told_as_they_stay() {
        let model = model();
        let few_vertices = VertexSet::from_vertices((0..40).map(|vertex| (MeshId(0), 0, vertex)).collect());
        let outcome = tried(&model, &few(0), Some(few_vertices));
        let all = tried(&model, &few(0), None);
        let changed = outcome.changes.iter().flat_map(|change| &change.vertices);
        assert!(outcome.vertices > 0 && changed.into_iter().all(|vertex| *vertex < 40));
        let gained = |outcome: &Outcome| outcome.baked.as_ref().unwrap().gain.percent().unwrap();
        assert!(gained(&outcome) > 0.0 && gained(&outcome) < gained(&all));
    }

    #[test]
    fn the_poses_are_those_that_are_asked_for() {
        let model = model();
        let mut settings = few(3);
        assert_eq!(tried(&model, &settings, None).refused, Some(Refusal::NoKeptPose));
        let mut bent = model.skeleton.rest.clone();
        rotate(&mut bent, NodeId(2), glam::Vec3::X * 80.0);
        settings.poses = vec![Arc::new(bent), Arc::default()];
        assert!(bakes_kept_poses(&settings));
        let one = tried(&model, &settings, None).baked.unwrap();
        assert_eq!(one.poses, 1, "a pose of another model is none");
        assert!(one.gain.percent() > tried(&model, &few(0), None).baked.unwrap().gain.percent());
        let mut parts = ModelParts::clone(&model);
        parts.clips.clear();
        let still = Model::build(parts).unwrap();
        assert_eq!(tried(&still, &few(2), None).refused, Some(Refusal::NoClip));
        parts = ModelParts::clone(&model);
        parts.scenes[0] = Scene { contains: vec![false; model.skeleton.len()], ..Scene::default() };
        let hidden = Model::build(parts).unwrap();
        assert_eq!(tried(&hidden, &few(0), None).refused, Some(Refusal::NothingShown));
    }

    #[test]
    fn a_mesh_that_two_skins_show_keeps_its_joints_or_is_refused() {
        let mut parts = ModelParts::clone(&model());
        let joints: Vec<NodeId> = parts.skins[0].joints.iter().rev().copied().collect();
        parts.skins.push(Skin { joints, name: "other".into(), ..parts.skins[0].clone() });
        parts.instances.push(Instance { skin: Some(SkinId(1)), ..parts.instances[0].clone() });
        let shared = Model::build(parts).unwrap();
        let mut settings = few(1);
        assert!(matches!(tried(&shared, &settings, None).refused, Some(Refusal::SharedMesh { .. })));
        AMONG.set_choice(&mut settings, 0);
        assert_eq!(tried(&shared, &settings, None).refused, None);
    }

    #[test]
    fn a_job_that_is_cancelled_bakes_nothing() {
        let model = model();
        let task = Task {
            operation: operation("bake-method").unwrap(),
            settings: few(0),
            within: None,
            locked: Arc::default(),
        };
        let job = skinscope_base::parallel::Job::start("test", Arc::new(|| ()), move |context| {
            while !context.is_cancelled() {
                std::thread::yield_now();
            }
            compute_outcome(&model, &task, context).is_none()
        });
        job.cancel();
        let is_none = loop {
            if let Some(is_none) = job.take() {
                break is_none;
            }
            std::thread::yield_now();
        };
        assert!(is_none);
    }
}
