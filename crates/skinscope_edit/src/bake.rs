//! The operation that brings into plain weights what another deformation method does better, for programs that blend linearly.
//!
//! In many poses the surface by the method is what linear blending is to come near: the weights are those with the least sum of the squares
//! of the distances (`skinscope_solve`). What is left is told for each vertex.

use std::sync::Arc;

use skinscope_deform::{Deformation, METHODS, PASSES, ParameterSettings};
use skinscope_model::{LocalPose, Model};
use skinscope_solve::{PoseKind, ShownPrimitive, method_poses, shown_primitives};

use super::baked::{Baked, Baking, left_values};
use super::operation_row::Group;
use super::refusal::check_joints;
use super::search::FOR_METHOD;
use super::{
    ChoiceKind, ChoiceWord, NumberKind, Operation, OptionForm, Parameter, ParameterKind, Refusal, Settings, Sheet,
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
    parameters: &[&FROM, &MUSH, &OVER, &POSES, &FOR_METHOD.most, &FOR_METHOD.joints, &FOR_METHOD.keep, &DETAILS],
    refuse: |sheet, settings| can_bake(sheet, settings),
    pairs: Some(|settings| FOR_METHOD.settings(settings).most),
    by_result: true,
    run: run_on,
    ..Operation::ROW
};

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
        Some(kind) => method_poses(model, of, *kind, POSES.number(settings) as usize),
        None => kept_poses(model, settings).map(|pose| LocalPose::clone(pose)).collect(),
    }
}

/// Keeps those of some primitives of which a vertex may change: what none may change of takes no time.
fn open_primitives(sheet: &Sheet, mut of: Vec<ShownPrimitive>) -> Vec<ShownPrimitive> {
    of.retain(|(_, at)| {
        let table = sheet.table_of(*at);
        table.is_some_and(|table| (0..sheet.tables[table].vertices()).any(|row| sheet.bounds.has(table, row)))
    });
    of
}

/// Says why there is no method that could be baked.
fn can_bake(sheet: &Sheet, settings: &Settings) -> Result<(), Refusal> {
    let (model, [shown, _]) = (sheet.model, shown_primitives(sheet.model, &sheet.tables));
    if shown.is_empty() {
        return Err(Refusal::NothingShown);
    }
    check_joints(sheet, FOR_METHOD.settings(settings).joints, open_primitives(sheet, shown).iter().map(|(_, at)| *at))?;
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
    let model = sheet.model;
    let [shown, _] = shown_primitives(model, &sheet.tables);
    let of = open_primitives(sheet, shown);
    let poses = poses(model, settings, &of);
    let (deformation, from) = method(settings);
    let baking = Baking { deformation, of: &of, poses: &poses, search: FOR_METHOD.settings(settings) };
    sheet.baked = baking.run(sheet).map(|found| Baked {
        from,
        poses: poses.len(),
        gain: found.gain,
        solved: found.solved,
        left: left_values(model, &found.left),
    });
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
        FOR_METHOD.joints.set_choice(&mut settings, 0);
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
