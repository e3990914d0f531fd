//! Tests of tools that change weights.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::*;
use crate::edit::{Axis, OPERATIONS, REPAIRED, Settings, Sheet, operation};
use crate::inspect::VertexSet;
use crate::model::shapes::{Tube, tube};
use crate::model::{MeshId, NodeId, WeightChange, WeightFormat};

struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as u32) % end
    }
}

fn open() -> Session {
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
        rules: REPAIRED.to_vec(),
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
        assert!(session.tools().operation.is_none() && !session.is_trying());
        // What is done is what was shown.
        assert!(bits(&session) == shown, "{}", operation.id);
        if shown != states[states.len() - 1] {
            used.insert(operation.id);
            states.push(shown);
        }
    }
    // The tube has no seam.
    assert_eq!(used.len() + 1, all.len(), "operations that change nothing are not tried: {used:?}");
    for want in states.iter().rev().skip(1) {
        session.apply(EditCommand::Undo);
        assert!(bits(&session) == *want);
    }
    assert!(!session.history().can_undo() && session.model().unwrap().weight_edits().is_empty());
    for want in &states[1..] {
        session.apply(EditCommand::Redo);
        assert!(bits(&session) == *want);
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
        assert!(session.is_trying() && !Arc::ptr_eq(session.model().unwrap(), &base));
        assert!(Arc::ptr_eq(session.edited_model().unwrap(), &base) && session.tools().open);
        assert_eq!(session.history().weight_bytes(), steps.weight_bytes());
        session.apply(end);
        assert!(Arc::ptr_eq(session.model().unwrap(), &base) && !session.is_trying());
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
    let bytes = session.history().weight_bytes();
    for operation in OPERATIONS.iter().filter(|operation| operation.is_of_weights()) {
        let undone = session.clone();
        session.apply(ToolCommand::Set(Arc::new(Settings { threshold: 0.1, limit: 2, ..Settings::default() })));
        session.apply(ToolCommand::Choose(Some(operation.id)));
        let outcome = Arc::clone(session.outcome().unwrap());
        assert_eq!(outcome.figures[0].vertices, marked.len());
        let now = session.model().unwrap();
        let (a, b) = (before.influences(MeshId(0), 0).unwrap(), now.influences(MeshId(0), 0).unwrap());
        let differs = |v: &u32| !crate::model::is_same_row(a.of(*v as usize), b.of(*v as usize));
        let changed: Vec<u32> = (0..a.vertices() as u32).filter(differs).collect();
        assert!(changed.iter().all(|v| marked.contains(MeshId(0), 0, *v)), "{}", operation.id);
        assert_eq!(outcome.vertices, changed.len(), "{}", operation.id);
        assert_eq!(outcome.changes.is_empty(), changed.is_empty());
        session.apply(ToolCommand::Apply);
        if !changed.is_empty() {
            assert_eq!(session.history().weight_bytes() - bytes, changed.len() * (4 + 8 * 6), "{}", operation.id);
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
        changed += session.outcome().unwrap().vertices;
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
    let outcome = session.outcome().unwrap();
    assert_eq!((outcome.vertices, session.is_trying()), (0, true));
}

#[test]
fn a_patient_session_leaves_tools_to_others_and_applies_when_they_are_done() {
    let mut session = open();
    session.be_patient();
    let before = Arc::clone(session.model().unwrap());
    session.apply(ToolCommand::Choose(Some("smooth")));
    let (base, task) = session.wanted_task().unwrap();
    assert!(Arc::ptr_eq(&base, &before) && std::ptr::eq(task.operation, operation("smooth").unwrap()));
    session.apply(ToolCommand::Apply);
    assert!(session.awaits_task() && !session.history().can_undo());
    // What was worked out for other settings is not taken.
    let context = crate::parallel::JobContext::of_waiting();
    let mut other = task.clone();
    other.settings.times = 9;
    session.worked_out(&base, &other, crate::edit::work_out(&base, &other, &context));
    assert!(!session.is_trying() && Arc::ptr_eq(session.model().unwrap(), &before));
    session.worked_out(&base, &task, crate::edit::work_out(&base, &task, &context));
    assert!(session.history().can_undo() && !session.awaits_task() && !session.is_trying());
    assert!(!Arc::ptr_eq(session.model().unwrap(), &before));
    let stopped = crate::parallel::Job::start("test", Arc::new(|| ()), move |context| {
        while !context.is_cancelled() {
            std::thread::yield_now();
        }
        crate::edit::work_out(&base, &task, context).is_none()
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
