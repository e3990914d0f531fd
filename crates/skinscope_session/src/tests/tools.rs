//! Tests of tools that change weights.

use std::collections::BTreeSet;
use std::sync::Arc;

use skinscope_edit::{Amount, Axis, OPERATIONS, REPAIRED, Settings, Sheet, operation};
use skinscope_inspect::check::CheckOptions;
use skinscope_inspect::{Inspection, VertexSet};
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{MeshId, NodeId, WeightChange, WeightFormat};

use crate::*;

struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as u32) % end
    }
}

/// Opens a tube of twelve joints, of which eight move each vertex.
pub(super) fn open() -> Session {
    let mut session = Session::default();
    let model = tube(Tube { joints: 12, rings: 40, influences: 8, ..Tube::default() });
    session.open(Document::new(Arc::new(model), Vec::new(), None));
    session
}

/// Random pairs for some vertices, sums off, joints twice.
fn soiled(random: &mut Random, session: &Session) -> EditCommand {
    let count = session.model().unwrap().meshes[0].primitives[0].stored_vertices as u32;
    let mut out = WeightChange::new(MeshId(0), 0, 8);
    let mut vertex = random.below(20);
    while vertex < count {
        let none = random.below(20) == 0;
        let mut weight = || if none { 0.0 } else { random.below(1000) as f32 / 2500.0 };
        let weights: Vec<f32> = (0..8).map(|_| weight()).collect();
        let pairs = weights.into_iter().map(|weight| (random.below(12) as u16, weight));
        let (joints, weights): (Vec<u16>, Vec<f32>) = pairs.unzip();
        out.push(vertex, &joints, &weights);
        vertex += 1 + random.below(12);
    }
    EditCommand::ChangeWeights(Arc::new(vec![out]))
}

/// The pairs of every vertex as bits.
fn bits(session: &Session) -> Vec<(u16, u32)> {
    let model = session.model().unwrap();
    model.influences(MeshId(0), 0).unwrap().all().map(|(joint, weight)| (joint, weight.to_bits())).collect()
}

fn settings(random: &mut Random) -> Arc<Settings> {
    Arc::new(Settings {
        threshold: f64::from(random.below(30)) / 100.0,
        limit: 1 + random.below(6) as usize,
        best: random.below(4) == 0,
        format: [WeightFormat::U8, WeightFormat::U16, WeightFormat::F32][random.below(3) as usize],
        axis: [Axis::X, Axis::Y, Axis::Z][random.below(3) as usize],
        from_negative: random.below(2) == 0,
        times: 1 + random.below(3) as usize,
        strength: f64::from(random.below(11)) / 10.0,
        joint: Some(NodeId(1 + random.below(12))),
        spread: random.below(2) == 0,
        other: Some(NodeId(1 + random.below(12))),
        amount: [Amount::To(0.5), Amount::Add(0.1), Amount::Times(2.0)][random.below(3) as usize],
        follow: random.below(4) != 0,
        copied: (1..4).map(|n| (NodeId(n + random.below(9)), 0.25)).collect(),
        pairs: Vec::new(),
        donor: None,
        names: skinscope_anim::pose::NameMap::default(),
        examples: Arc::default(),
        pose: None,
        poses: Vec::new(),
        rules: REPAIRED.to_vec(),
        values: std::collections::BTreeMap::new(),
    })
}

fn some_vertices(random: &mut Random, session: &Session) -> Arc<VertexSet> {
    let count = session.model().unwrap().meshes[0].primitives[0].stored_vertices as u32;
    let chosen = (0..count).filter(|_| random.below(3) == 0).map(|v| (MeshId(0), 0, v)).collect();
    Arc::new(VertexSet::from_vertices(chosen))
}

/// The weight of a joint for every vertex.
fn weights_of(session: &Session, joint: NodeId) -> Vec<f64> {
    let sheet = Sheet::of(session.model().unwrap());
    let table = &sheet.tables[0];
    let of = |row| {
        let mut shares = Vec::new();
        table.shares(row, &mut shares);
        shares.iter().find(|(key, _)| *key == joint.0).map_or(0.0, |(_, weight)| *weight)
    };
    (0..table.vertices()).map(of).collect()
}

#[test]
fn random_edits_of_all_operations_undone_and_redone_give_the_same_bits() {
    let mut session = open();
    let mut random = Random(7);
    let mut states = vec![bits(&session)];
    let mut used = BTreeSet::new();
    let all: Vec<_> = OPERATIONS.iter().filter(|operation| operation.is_of_weights()).collect();
    for round in 0..60 {
        if round % 3 == 0 {
            let change = soiled(&mut random, &session);
            session.apply(change);
            states.push(bits(&session));
        }
        session.apply(SelectionCommand::Mark(some_vertices(&mut random, &session)));
        session.apply(SelectionCommand::Select(Some(NodeId(random.below(12)))));
        session.apply(ToolCommand::SetScope([Scope::All, Scope::Joint, Scope::Marked][random.below(3) as usize]));
        session.apply(ToolCommand::Set(settings(&mut random)));
        if random.below(4) == 0 {
            session.apply(ToolCommand::ToggleLock(NodeId(random.below(12))));
        }
        let operation = all[round % all.len()];
        session.apply(ToolCommand::Choose(Some(operation.id)));
        let shown = bits(&session);
        session.apply(ToolCommand::Apply);
        if session.tools().outcome().is_some_and(|outcome| outcome.refused.is_some()) {
            session.apply(ToolCommand::Cancel);
        }
        assert!(!session.tools().is_trying());
        // What is done is what was shown.
        assert!(bits(&session) == shown, "{}", operation.id);
        if shown != states[states.len() - 1] {
            used.insert(operation.id);
            states.push(shown);
        }
    }
    // The tube has no seam, there is no file to transfer from, and there are no examples.
    assert_eq!(used.len() + 3, all.len(), "operations that change nothing are not tried: {used:?}");
    // Steps of marks lie between those of weights.
    let step = |session: &mut Session, command: &EditCommand, now: &_| {
        while bits(session) == *now && (session.history.can_undo() || session.history.can_redo()) {
            session.apply(command.clone());
        }
    };
    for pair in states.windows(2).rev() {
        step(&mut session, &EditCommand::Undo, &pair[1]);
        assert!(bits(&session) == pair[0]);
    }
    while session.history.can_undo() {
        session.apply(EditCommand::Undo);
    }
    assert!(session.view().marked.is_empty() && session.model().unwrap().weight_edits().is_empty());
    for pair in states.windows(2) {
        step(&mut session, &EditCommand::Redo, &pair[0]);
        assert!(bits(&session) == pair[1]);
    }
    assert!(!session.history().can_redo());
}

#[test]
fn what_is_tried_is_no_step_and_ends_with_undo_cancel_and_the_panel() {
    let mut session = open();
    let mut random = Random(3);
    let change = soiled(&mut random, &session);
    session.apply(change);
    let base = Arc::clone(session.model().unwrap());
    let steps = session.history().clone();
    let ends: [Command; 3] =
        [ToolCommand::Cancel.into(), ToolCommand::TogglePanel.into(), ToolCommand::Choose(None).into()];
    for end in ends {
        session.apply(ToolCommand::Choose(Some("smooth")));
        assert!(session.tools().is_trying() && !Arc::ptr_eq(session.model().unwrap(), &base));
        assert!(Arc::ptr_eq(session.edited_weights().edited_model().unwrap(), &base) && session.tools().open);
        assert_eq!(session.history().skinning_bytes(), steps.skinning_bytes());
        session.apply(end);
        assert!(Arc::ptr_eq(session.model().unwrap(), &base) && !session.tools().is_trying());
    }
    session.apply(ToolCommand::Choose(Some("smooth")));
    session.apply(EditCommand::Undo);
    assert!(session.model().unwrap().weight_edits().is_empty());
}

#[test]
fn a_step_changes_the_vertices_of_its_scope_alone_and_says_what() {
    let mut session = open();
    let mut random = Random(11);
    let change = soiled(&mut random, &session);
    session.apply(change);
    let marked = some_vertices(&mut random, &session);
    session.apply(SelectionCommand::Mark(Arc::clone(&marked)));
    session.apply(ToolCommand::SetScope(Scope::Marked));
    let before = Arc::clone(session.model().unwrap());
    let bytes = session.history().skinning_bytes();
    for operation in OPERATIONS.iter().filter(|operation| operation.is_of_weights()) {
        let undone = session.clone();
        session.apply(ToolCommand::Set(Arc::new(Settings { threshold: 0.1, limit: 2, ..Settings::default() })));
        session.apply(ToolCommand::Choose(Some(operation.id)));
        let outcome = Arc::clone(session.tools().outcome().unwrap());
        assert_eq!(outcome.figures[0].vertices, marked.len());
        let now = session.model().unwrap();
        let (a, b) = (before.influences(MeshId(0), 0).unwrap(), now.influences(MeshId(0), 0).unwrap());
        let differs = |v: &u32| !skinscope_model::is_same_row(a.of(*v as usize), b.of(*v as usize));
        let changed: Vec<u32> = (0..a.vertices() as u32).filter(differs).collect();
        assert!(changed.iter().all(|v| marked.contains(MeshId(0), 0, *v)), "{}", operation.id);
        assert_eq!(outcome.vertices, changed.len(), "{}", operation.id);
        assert_eq!(outcome.changes.is_empty(), changed.is_empty());
        session.apply(ToolCommand::Apply);
        if !changed.is_empty() {
            assert_eq!(session.history().skinning_bytes() - bytes, changed.len() * (4 + 8 * 6), "{}", operation.id);
            session = undone.clone();
        }
    }
}

#[test]
fn locked_joints_keep_their_weights_whatever_tool_is_used() {
    let mut session = open();
    let mut random = Random(5);
    let change = soiled(&mut random, &session);
    session.apply(change);
    // Vertices without weight and sums that are off first.
    for operation in ["hammer", "normalise"] {
        session.apply(ToolCommand::Choose(Some(operation)));
        session.apply(ToolCommand::Apply);
    }
    let locked = [NodeId(3), NodeId(4)];
    locked.iter().for_each(|node| _ = session.apply(ToolCommand::ToggleLock(*node)));
    let before = locked.map(|node| weights_of(&session, node));
    let mut changed = 0;
    for operation in OPERATIONS.iter().filter(|operation| operation.is_of_weights() && operation.id != "quantise") {
        session.apply(ToolCommand::Set(Arc::new(Settings {
            threshold: 0.2,
            limit: 3,
            times: 3,
            ..Settings::default()
        })));
        session.apply(ToolCommand::Choose(Some(operation.id)));
        changed += session.tools().outcome().unwrap().vertices;
        session.apply(ToolCommand::Apply);
        for (node, before) in locked.iter().zip(&before) {
            for (vertex, (a, b)) in weights_of(&session, *node).iter().zip(before).enumerate() {
                assert!((a - b).abs() < 1e-6, "{}: vertex {vertex}, joint {}: {b} became {a}", operation.id, node.0);
            }
        }
        let sheet = Sheet::of(session.model().unwrap());
        let sums = (0..sheet.tables[0].vertices()).map(|row| sheet.tables[0].sum(row));
        assert!(sums.into_iter().all(|sum| (sum - 1.0).abs() < 1e-5), "{}", operation.id);
    }
    assert!(changed > 100);
    // With all joints locked nothing can change, and that is said.
    (0..12).filter(|n| *n != 3 && *n != 4).for_each(|n| _ = session.apply(ToolCommand::ToggleLock(NodeId(n))));
    session.apply(ToolCommand::Choose(Some("smooth")));
    let outcome = session.tools().outcome().unwrap();
    assert_eq!((outcome.vertices, session.tools().is_trying()), (0, true));
}

#[test]
fn a_session_that_defers_work_leaves_tools_to_others_and_applies_when_they_are_done() {
    let mut session = open();
    session.defer_work();
    let before = Arc::clone(session.model().unwrap());
    session.apply(ToolCommand::Choose(Some("smooth")));
    let (base, task) = session.skinning().wanted_task().unwrap();
    assert!(Arc::ptr_eq(&base, &before) && std::ptr::eq(task.operation, operation("smooth").unwrap()));
    session.apply(ToolCommand::Apply);
    assert!(session.tools().awaits_task() && !session.history.can_undo());
    // What was computed for other settings is not taken.
    let context = skinscope_base::parallel::JobContext::of_waiting();
    let mut other = task.clone();
    other.settings.times = 9;
    session.take_outcome(&base, &other, skinscope_edit::compute_outcome(&base, &other, &context));
    assert!(!session.tools().is_trying() && Arc::ptr_eq(session.model().unwrap(), &before));
    session.take_outcome(&base, &task, skinscope_edit::compute_outcome(&base, &task, &context));
    assert!(session.history.can_undo() && !session.tools().awaits_task() && !session.tools().is_trying());
    assert!(!Arc::ptr_eq(session.model().unwrap(), &before));
    let stopped = skinscope_base::parallel::Job::start("test", Arc::new(|| ()), move |context| {
        while !context.is_cancelled() {
            std::thread::yield_now();
        }
        skinscope_edit::compute_outcome(&base, &task, context).is_none()
    });
    stopped.cancel();
    let result = loop {
        if let Some(result) = stopped.take() {
            break result;
        }
        std::thread::yield_now();
    };
    assert!(result);
}

#[test]
fn joints_are_removed_replaced_and_copied() {
    let mut session = open();
    let sums = |session: &Session| {
        let sheet = Sheet::of(session.model().unwrap());
        (0..sheet.tables[0].vertices()).all(|row| (sheet.tables[0].sum(row) - 1.0).abs() < 1e-5)
    };
    let joint = NodeId(5);
    let parent = session.model().unwrap().skeleton.parents[5].unwrap();
    let (own, above) = (weights_of(&session, joint), weights_of(&session, parent));
    assert!(own.iter().any(|weight| *weight > 0.05));
    for spread in [false, true] {
        session.apply(ToolCommand::Set(Arc::new(Settings { joint: Some(joint), spread, ..Settings::default() })));
        session.apply(ToolCommand::Choose(Some("remove-joint")));
        assert!(weights_of(&session, joint).iter().all(|weight| *weight == 0.0) && sums(&session));
        let now = weights_of(&session, parent);
        let moved = (0..own.len()).all(|v| (now[v] - own[v] - above[v]).abs() < 1e-6);
        assert_eq!(moved, !spread);
        session.apply(ToolCommand::Cancel);
    }
    let settings = Settings { joint: Some(joint), other: Some(NodeId(9)), ..Settings::default() };
    session.apply(ToolCommand::Set(Arc::new(settings)));
    session.apply(ToolCommand::Choose(Some("replace-joint")));
    let (before, now) = (weights_of(&open(), NodeId(9)), weights_of(&session, NodeId(9)));
    assert!((0..own.len()).all(|v| (now[v] - own[v] - before[v]).abs() < 1e-6) && sums(&session));
    session.apply(ToolCommand::Cancel);
    // The weights of one vertex for another.
    let vertex = |v| Arc::new(VertexSet::from_vertices(vec![(MeshId(0), 0, v)]));
    session.apply(ToolCommand::SetScope(Scope::Marked));
    session.apply(SelectionCommand::Mark(vertex(3)));
    session.apply(ToolCommand::Copy);
    session.apply(SelectionCommand::Mark(vertex(300)));
    session.apply(ToolCommand::Choose(Some("paste")));
    session.apply(ToolCommand::Apply);
    for node in (0..13).map(NodeId) {
        let weights = weights_of(&session, node);
        assert!((weights[3] - weights[300]).abs() < 1e-6);
    }
    session.apply(SelectionCommand::Mark(Arc::new(VertexSet::from_vertices(vec![
        (MeshId(0), 0, 3),
        (MeshId(0), 0, 200),
    ]))));
    let means: Vec<f64> = (0..13).map(NodeId).map(|n| weights_of(&session, n)).map(|w| 0.5 * (w[3] + w[200])).collect();
    session.apply(ToolCommand::Choose(Some("average")));
    for (node, mean) in means.iter().enumerate() {
        let weights = weights_of(&session, NodeId(node as u32));
        assert!((weights[3] - mean).abs() < 1e-6 && (weights[200] - mean).abs() < 1e-6);
    }
}

#[test]
fn a_finding_is_repaired_by_its_tool_on_its_vertices_or_on_all_of_its_rule() {
    let mut session = open();
    let mut change = WeightChange::new(MeshId(0), 0, 8);
    [40, 90, 140].into_iter().for_each(|v| change.push(v, &[0], &[0.0]));
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    let inspect = |session: &mut Session| {
        let model = Arc::clone(session.edited_weights().edited_model().unwrap());
        let flag = std::sync::atomic::AtomicBool::new(false);
        session.inspected(&model, Inspection::of(&model, &CheckOptions::default(), &flag).unwrap());
    };
    inspect(&mut session);
    let index_of = |session: &Session, rule| session.document().unwrap().findings().position(|f| f.rule == rule);
    let finding = index_of(&session, "weights-zero").unwrap();
    session.apply(ToolCommand::Repair { finding, all: false });
    let outcome = session.tools().outcome().unwrap();
    assert_eq!((outcome.vertices, session.tools().scope), (3, Scope::Finding));
    assert_eq!(outcome.found, [("weights-zero", [3, 0])]);
    session.apply(ToolCommand::Repair { finding, all: true });
    assert_eq!((session.tools().scope, session.tools().outcome().unwrap().vertices), (Scope::All, 3));
    session.apply(ToolCommand::Apply);
    inspect(&mut session);
    assert_eq!(index_of(&session, "weights-zero"), None);
}

#[test]
fn a_tool_that_cannot_be_done_stays_and_says_why() {
    let mut session = open();
    let before = bits(&session);
    let give = |joint: u32| {
        let settings = Settings { joint: Some(NodeId(joint)), amount: Amount::To(0.5), ..Settings::default() };
        ToolCommand::Set(Arc::new(settings))
    };
    session.apply(ToolCommand::Choose(Some("set")));
    // Node 0 is no joint.
    session.apply(give(0));
    session.apply(ToolCommand::Apply);
    assert!(session.tools().open && session.tools().operation.is_some_and(|operation| operation.id == "set"));
    let refused = session.tools().outcome().and_then(|outcome| outcome.refused.clone());
    assert!(refused.is_some_and(|why| why.to_string().contains("is no joint")));
    assert!(bits(&session) == before && !session.tools().awaits_task() && !session.history.can_undo());
    // With other settings it is done.
    session.apply(give(3));
    assert!(!session.history.can_undo(), "nobody has asked for it again");
    session.apply(ToolCommand::Apply);
    assert!(session.tools().rests() && bits(&session) != before);
}

#[test]
fn a_tool_stays_when_it_is_applied_and_tries_again_once_something_is_another() {
    let mut session = open();
    session.apply(ToolCommand::Choose(Some("smooth")));
    session.apply(ToolCommand::Apply);
    let once = bits(&session);
    let stays =
        |session: &Session| session.tools().operation.is_some_and(|o| o.id == "smooth") && session.tools().rests();
    assert!(stays(&session) && !session.tools().is_trying());
    // The same once more, where that is asked for.
    session.apply(ToolCommand::Apply);
    let twice = bits(&session);
    assert!(stays(&session) && twice != once);
    session.apply(EditCommand::Undo);
    assert!(bits(&session) == once && !session.tools().is_trying(), "what was taken back is not tried at once");
    session.apply(ToolCommand::Apply);
    assert!(bits(&session) == twice);
    // Another setting is tried, and so is the one from before after it.
    let settings = Arc::clone(&session.tools().settings);
    session.apply(ToolCommand::Set(Arc::new(Settings { times: 5, ..Settings::clone(&settings) })));
    assert!(session.tools().is_trying() && !session.tools().rests());
    session.apply(ToolCommand::Set(settings));
    assert!(session.tools().is_trying() && !session.tools().rests());
    session.apply(ToolCommand::Cancel);
    assert!(session.tools().operation.is_none() && !session.tools().rests() && bits(&session) == twice);
}

#[test]
fn a_tool_that_others_carry_out_stays_too() {
    let mut session = open();
    session.defer_work();
    session.apply(ToolCommand::Choose(Some("smooth")));
    session.apply(ToolCommand::Apply);
    session.do_wanted();
    assert!(session.tools().rests() && session.history.can_undo() && session.wanted().is_empty());
}

#[test]
fn the_vertices_of_tools_are_those_from_before_a_finding_once_it_is_repaired_or_left() {
    let mut session = open();
    let mut change = WeightChange::new(MeshId(0), 0, 8);
    [40, 90].into_iter().for_each(|v| change.push(v, &[0], &[0.0]));
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    let model = Arc::clone(session.edited_weights().edited_model().unwrap());
    let flag = std::sync::atomic::AtomicBool::new(false);
    session.inspected(&model, Inspection::of(&model, &CheckOptions::default(), &flag).unwrap());
    let finding = session.document().unwrap().findings().position(|f| f.rule == "weights-zero").unwrap();
    for before in [Scope::Joint, Scope::Marked, Scope::All] {
        session.apply(ToolCommand::SetScope(before));
        for all in [false, true, false] {
            session.apply(ToolCommand::Repair { finding, all });
            assert_eq!(session.tools().scope, if all { Scope::All } else { Scope::Finding });
        }
        session.apply(FindingCommand::LeaveFinding);
        assert_eq!(session.tools().scope, before, "the finding is left");
        session.apply(ToolCommand::Repair { finding, all: false });
        session.apply(ToolCommand::Apply);
        assert_eq!((session.tools().scope, session.tools().rests()), (before, true), "it is repaired");
        session.apply(EditCommand::Undo);
    }
    // What somebody has chosen since stays.
    session.apply(ToolCommand::Repair { finding, all: false });
    session.apply(ToolCommand::SetScope(Scope::Joint));
    session.apply(FindingCommand::LeaveFinding);
    assert_eq!(session.tools().scope, Scope::Joint);
}

#[test]
fn while_the_repair_of_rogue_vertices_is_tried_their_overlay_shows_what_would_be_left() {
    let mut session = Session::default();
    let model = tube(Tube { joints: 12, rings: 40, influences: 2, ..Tube::default() });
    let (joints, weights) = model.influences(MeshId(0), 0).unwrap().of(3);
    let (joints, weights) = ([&joints[..2], &[11]].concat(), [0.5 * weights[0], 0.5 * weights[1], 0.5]);
    session.open(Document::new(Arc::new(model), Vec::new(), None));
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    change.push(3, &joints, &weights);
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    let model = Arc::clone(session.model().unwrap());
    let flag = std::sync::atomic::AtomicBool::new(false);
    session.inspected(&model, Inspection::of(&model, &CheckOptions::default(), &flag).unwrap());
    let finding = session.document().unwrap().findings().position(|f| f.rule == "rogue-vertices").unwrap();
    session.apply(FindingCommand::ShowFinding(finding));
    assert_eq!(session.view().overlay.map(|overlay| overlay.id), Some("rogue"));
    let rogue = |session: &Session| {
        let values = session.edited_weights().inspected_values().unwrap().rogue.clone();
        values.values.iter().flatten().flatten().filter(|value| **value > 0.0).count()
    };
    assert_eq!(rogue(&session), 1);
    session.apply(ToolCommand::Repair { finding, all: false });
    assert!(session.tools().is_trying());
    assert_eq!(rogue(&session), 0, "the picture shows the weights that are tried");
    session.apply(ToolCommand::Cancel);
    assert_eq!(rogue(&session), 1);
    // Once it is applied they stay so, also before the model is inspected again.
    session.apply(ToolCommand::Repair { finding, all: false });
    session.apply(ToolCommand::Apply);
    assert_eq!(rogue(&session), 0);
}

#[test]
fn while_a_tool_is_tried_the_asymmetry_is_that_of_the_shown_weights() {
    let mut session = open();
    let model = Arc::clone(session.model().unwrap());
    session.inspected(&model, Inspection::default());
    let found = Arc::clone(session.edited_weights().inspected_values().unwrap());
    session.apply(ToolCommand::Choose(Some("smooth")));
    let tried = session.edited_weights().inspected_values().unwrap();
    assert_eq!(Some(&*tried.asymmetry), session.tools().outcome().unwrap().asymmetry.as_ref());
    assert!(!Arc::ptr_eq(tried, &found) && tried.asymmetry != found.asymmetry);
    session.apply(ToolCommand::Cancel);
    assert!(Arc::ptr_eq(session.edited_weights().inspected_values().unwrap(), &found));
}
