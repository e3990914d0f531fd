//! Tests of what the session shows of a finding, and of leaving it.

use glam::Vec3;
use skinscope_inspect::check::{Finding, FindingPose, Report, Severity};
use skinscope_inspect::rom::RomReport;
use skinscope_inspect::{Inspection, VertexPart, VertexRef, VertexSet};
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{InstanceId, MeshId, NodeId};

use crate::tests::sessions::tube_session;
use crate::*;

fn finding(pose: FindingPose) -> Finding {
    Finding {
        rule: "rogue-vertices",
        severity: Severity::Warning,
        mesh: Some(MeshId(0)),
        primitive: Some(0),
        vertices: vec![1, 5],
        joints: vec![NodeId(2)],
        message: String::new(),
        fix: String::new(),
        measure: None,
        pose,
    }
}

#[test]
fn a_finding_is_posed_exactly_marked_selected_and_framed_and_can_be_undone() {
    let mut session = tube_session();
    session.apply(EditCommand::Edit(NodeId(3), ChannelValue::Rotation(Vec3::Y * 40.0)));
    let (joint, angle) = (NodeId(2), 1.0);
    let findings = vec![finding(FindingPose::Rest), finding(FindingPose::Turned { joint, axis: Vec3::Z, angle })];
    let model = Arc::clone(session.model().unwrap());
    let inspection = Inspection { report: Report { findings, ..Report::default() }, ..Inspection::default() };
    session.inspected(&Arc::new(Model::build((**model).clone()).unwrap()), inspection.clone());
    assert!(session.document.as_ref().unwrap().inspection.is_none(), "of another model");
    session.inspected(&model, inspection);
    let before = session.view.orbit;
    session.apply(FindingCommand::ShowFinding(1));
    assert_eq!((session.playback.playing, session.playback.source), (false, PoseSource::Rest));
    assert_eq!((session.view.selected, session.view.finding), (Some(joint), Some(1)));
    assert_eq!(session.view.marked.of(MeshId(0), 0), [1, 5]);
    assert_ne!(session.view.orbit, before);
    let rest = &model.skeleton.rest.transforms;
    let local = &session.pose.local.transforms;
    let wanted = rest[2].rotation * glam::Quat::from_rotation_z(1.0);
    assert!(local[2].rotation.dot(wanted).abs() > 1.0 - 1e-6 && local[3] == rest[3]);
    session.apply(EditCommand::Undo);
    assert!(session.edits.nodes.contains_key(&NodeId(3)) && !session.edits.nodes.contains_key(&joint));
    session.apply(FindingCommand::ShowFinding(7));
    assert_eq!(session.view.finding, Some(1), "there is no eighth");
}

#[test]
fn a_finding_shows_the_joint_and_the_overlay_that_its_text_is_about() {
    let mut session = tube_session();
    session.view.set(Toggle::Bones, false);
    session.apply(SelectionCommand::Select(Some(NodeId(1))));
    let of = |rule, joints: &[u32], message: &str, pose| Finding {
        rule,
        joints: joints.iter().map(|j| NodeId(*j)).collect(),
        message: message.into(),
        ..finding(pose)
    };
    let turned = FindingPose::Turned { joint: NodeId(3), axis: Vec3::X, angle: 0.5 };
    let findings = vec![
        of("asymmetry", &[1, 2, 3], "Vertex 7 has 0.620 of \"joint 2\", but 0.1 of \"joint 1\".", FindingPose::Rest),
        of("seam-weights", &[1, 2, 3], "The seam opens.", turned),
        of("weights-zero", &[], "2 vertices have no weight.", FindingPose::Rest),
        of("name-duplicate", &[2], "Two joints are \"joint 1\".", FindingPose::Rest),
    ];
    let wanted = [
        (Some(NodeId(3)), Some("asymmetry")),
        (Some(NodeId(3)), Some("weights")),
        (None, Some("alarms")),
        (Some(NodeId(2)), None),
    ];
    let model = Arc::clone(session.model().unwrap());
    session.inspected(&model, Inspection { report: Report { findings, ..Report::default() }, ..Inspection::default() });
    for (place, wanted) in wanted.into_iter().enumerate() {
        session.apply(FindingCommand::ShowFinding(place));
        assert_eq!((session.view.selected, session.view.overlay.map(|o| o.id)), wanted, "finding {place}");
        assert_eq!(session.view.is_on(Toggle::Bones), wanted.0.is_some(), "the joint is seen");
    }
    session.apply(FindingCommand::LeaveFinding);
    assert_eq!(
        (session.view.selected, session.view.overlay, session.view.is_on(Toggle::Bones)),
        (Some(NodeId(1)), None, false)
    );
}

#[test]
fn every_rule_about_vertices_has_an_overlay() {
    use skinscope_inspect::{check::RULES, overlay, overlay_of_rule, rom::ROM_RULES};
    let of_joints = [
        "inverse-bind-singular",
        "hierarchy",
        "inverse-bind-mismatch",
        "inverse-bind-non-rigid",
        "scale-non-uniform",
        "scale-negative",
        "name-duplicate",
        "joint-unused",
        "shoulder-clavicle",
        "forearm-twist",
        "sharp-bend",
        "morph-empty",
    ];
    for id in RULES.iter().map(|r| r.id).chain(ROM_RULES.iter().map(|r| r.id)) {
        match overlay_of_rule(id) {
            Some(shown) => assert!(overlay(shown).is_some(), "{id}: {shown}"),
            None => assert!(of_joints.contains(&id), "{id} has none"),
        }
    }
    // What the range of motion lists and the overlay that shows it are one thing, and have one name.
    let named = ROM_RULES.iter().filter(|rule| overlay_of_rule(rule.id) != Some("weights"));
    let labels: Vec<_> =
        named.map(|rule| (rule.label, overlay(overlay_of_rule(rule.id).unwrap()).unwrap().label)).collect();
    assert!(labels.len() == 4 && labels.iter().all(|(rule, shown)| rule == shown), "{labels:?}");
}

#[test]
fn every_rule_names_an_operation_that_is_there_and_a_sound_repair_where_one_is_made() {
    use skinscope_edit::{REPAIRED, operation};
    use skinscope_inspect::check::{RULES, RepairTool};
    use skinscope_inspect::{repair_of, rom::ROM_RULES};

    let rules = RULES.iter().map(|rule| (rule.id, rule.severity));
    for (id, severity) in rules.chain(ROM_RULES.iter().map(|rule| (rule.id, Severity::Warning))) {
        let repair = repair_of(&Finding { rule: id, severity, ..finding(FindingPose::Rest) });
        if let RepairTool::Operation(tool) = repair.tool {
            assert!(operation(tool).is_some(), "{id}: there is no operation {tool}");
        }
        assert_eq!(repair.is_sound(), REPAIRED.contains(&id), "{id}");
        let also = repair.also.is_none_or(|other| REPAIRED.contains(&other));
        assert!(also, "{id}: what is repaired with it is repaired at all");
    }
}

#[test]
fn after_a_finding_everything_stands_as_before() {
    let mut session = tube_session();
    session.apply(EditCommand::Edit(NodeId(3), ChannelValue::Rotation(Vec3::Y * 40.0)));
    session.apply(EditCommand::EndEdit);
    session.apply(SelectionCommand::Select(Some(NodeId(1))));
    session.apply(PlaybackCommand::Seek(0.25));
    let findings =
        [NodeId(2), NodeId(3)].map(|joint| finding(FindingPose::Turned { joint, axis: Vec3::X, angle: 0.5 }));
    let model = Arc::clone(session.model().unwrap());
    let measured = RomReport { findings: findings.to_vec(), ..Default::default() };
    session.measured(&model, measured);
    let stands = |s: &Session| {
        let View { orbit, overlay, selected, .. } = s.view;
        (s.pose.local.clone(), orbit, overlay, selected, s.playback.clone(), Arc::clone(&s.view.marked))
    };
    session.update_pose();
    let before = stands(&session);
    let escape = command_of(Shortcut { key: Key::Escape, ctrl: false, shift: false }).unwrap();
    for back in [&Command::Finding(FindingCommand::LeaveFinding), escape] {
        session.apply(FindingCommand::ShowFinding(0));
        session.apply(FindingCommand::ShowFinding(1));
        assert_ne!(stands(&session), before);
        session.apply(back.clone());
        assert_eq!((stands(&session), session.view.finding), (before.clone(), None));
    }
    session.apply(escape.clone());
    assert_eq!(session.view.selected, None, "nothing is left to go back to");
    // Where the checker's findings arrive later, places are different.
    session.apply(FindingCommand::ShowFinding(1));
    let report =
        Report { findings: vec![Finding { rule: "weights-sum", ..finding(FindingPose::Rest) }], ..Report::default() };
    session.inspected(&model, Inspection { report, ..Inspection::default() });
    assert_eq!(session.view.finding, Some(2), "it stays open in its new place");
    session.apply(FindingCommand::ShowFinding(1));
    session.measured(&model, RomReport::default());
    assert_eq!(session.view.finding, None);
}

/// A session with a finding in its rest pose and another that turns a joint.
fn with_findings() -> Session {
    let mut session = Session::default();
    let model = tube(Tube { joints: 3, ..Tube::default() });
    session.open(Document::new(Arc::new(model), Vec::new(), Some("model.glb".into())));
    let model = Arc::clone(session.model().unwrap());
    let turned = FindingPose::Turned { joint: NodeId(2), axis: Vec3::X, angle: 0.5 };
    let findings = vec![finding(FindingPose::Rest), finding(turned)];
    session.inspected(&model, Inspection { report: Report { findings, ..Report::default() }, ..Inspection::default() });
    session
}

#[test]
fn a_pose_is_unsaved_work_while_findings_are_shown_in_theirs() {
    let mut session = with_findings();
    session.apply(FindingCommand::ShowFinding(1));
    assert!(!session.unsaved().has_work() && !session.unsaved().has_unsaved_work(), "the pose of a finding is no work");
    session.apply(FindingCommand::LeaveFinding);
    session.apply(EditCommand::Edit(NodeId(3), ChannelValue::Rotation(Vec3::Y * 40.0)));
    session.apply(EditCommand::EndEdit);
    let joints = session.unsaved().snapshot().unwrap().file().joints;
    for place in [0, 1] {
        session.apply(FindingCommand::ShowFinding(place));
        assert!(session.unsaved().has_work() && session.unsaved().has_unsaved_work(), "finding {place}");
        assert_eq!((session.unsaved().unsaved_work().posed, session.unsaved().snapshot().unwrap().posed()), (1, 1));
        assert_eq!(session.unsaved().snapshot().unwrap().file().joints, joints);
    }
    // The file is read again meanwhile.
    let newer = Model::build((**session.document().unwrap().stored()).clone()).unwrap();
    session.open(Document::new(Arc::new(newer), Vec::new(), Some("model.glb".into())));
    assert_eq!(session.unsaved().snapshot().unwrap().file().joints, joints);
    assert_eq!(session.edits().nodes.keys().collect::<Vec<_>>(), [&NodeId(3)]);
}

#[test]
fn what_is_edited_further_in_the_pose_of_a_finding_is_work() {
    let mut session = with_findings();
    session.apply(FindingCommand::ShowFinding(1));
    session.apply(EditCommand::Edit(NodeId(3), ChannelValue::Rotation(Vec3::Y * 40.0)));
    session.apply(EditCommand::EndEdit);
    assert_eq!(session.unsaved().unsaved_work().posed, 2);
}

#[test]
fn marks_made_by_hand_are_kept_while_something_else_is_marked_for_a_look_and_come_back() {
    let mut session = with_findings();
    let by_hand = Arc::new(VertexSet::from_vertices((7..12).map(|v| (MeshId(0), 0, v)).collect()));
    session.apply(SelectionCommand::Mark(Arc::clone(&by_hand)));
    session.marking.by_hand = true;
    let mut change = skinscope_model::WeightChange::new(MeshId(0), 0, 1);
    change.push(3, &[2], &[1.0]);
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    let weights = session.unsaved().snapshot().unwrap().file().work("elsewhere.glb", None);
    session.apply(EditCommand::Undo);
    session.files.set_work_aside(weights, &mut Vec::new());
    for look in [Command::from(FindingCommand::ShowFinding(0)), AsideCommand::Show(0).into()] {
        session.apply(look);
        assert_ne!(session.view.marked, by_hand);
        assert_eq!((session.unsaved().unsaved_work().marks, session.unsaved().snapshot().unwrap().marks()), (5, 5));
        session.apply(FindingCommand::LeaveFinding);
        assert!(session.view.marked == by_hand && session.marking.by_hand);
    }
}

#[test]
fn only_findings_that_an_edit_could_touch_are_in_doubt_until_the_model_is_checked_again() {
    let mut session = tube_session();
    let model = Arc::clone(session.model().unwrap());
    let of = |rule, vertices: &[u32], joints: &[u32]| Finding {
        rule,
        vertices: vertices.to_vec(),
        joints: joints.iter().map(|j| NodeId(*j)).collect(),
        ..finding(FindingPose::Rest)
    };
    let report = |findings: &[Finding]| {
        let report = Report { findings: findings.to_vec(), ..Report::default() };
        Inspection { report, ..Inspection::default() }
    };
    let findings =
        [of("weights-sum", &[3, 4], &[]), of("weights-sum", &[40, 41], &[]), of("name-duplicate", &[], &[1])];
    session.inspected(&model, report(&findings));
    session.measured(&model, RomReport { findings: vec![of("rom-volume", &[3], &[2])], ..Default::default() });
    let doubts =
        |session: &Session| session.document.as_ref().unwrap().doubts(session.edited_weights().edited_model().unwrap());
    assert_eq!(doubts(&session), [false; 4]);
    session.apply(FindingCommand::ShowFinding(1));
    let mut change = skinscope_model::WeightChange::new(MeshId(0), 0, 4);
    change.push(3, &[1], &[1.0]);
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    assert_eq!(doubts(&session), [true, false, false, true]);
    assert_eq!(session.document.as_ref().unwrap().findings().count(), 4, "all of them stay listed");
    assert_eq!(session.view.finding, Some(1));
    // A late answer about the weights before the edit is none.
    session.inspected(&model, report(&[]));
    assert_eq!(doubts(&session), [true, false, false, true]);
    let edited = Arc::clone(session.edited_weights().edited_model().unwrap());
    session.inspected(&edited, report(&findings[1..]));
    assert_eq!(doubts(&session), [false, false, true], "the range of motion was not measured again");
    assert_eq!(session.view.finding, Some(0), "what was found again stays open");
    // Taking the edit back is another edit.
    session.apply(EditCommand::Undo);
    assert_eq!(doubts(&session), [false, false, false]);
    session.apply(EditCommand::Redo);
    assert_eq!(doubts(&session), [false, false, true]);
}

#[test]
fn vertices_that_are_not_there_are_neither_pinned_nor_marked() {
    let mut session = tube_session();
    let pin = |vertex| VertexRef { instance: InstanceId(0), primitive: 0, vertex };
    session.apply(SelectionCommand::Pin(Some(pin(3))));
    assert_eq!(session.view.pinned, Some(pin(3)));
    session.apply(SelectionCommand::Pin(Some(pin(1 << 30))));
    assert_eq!(session.view.pinned, None);
    let mark = |vertices| Arc::new(VertexSet { parts: vec![VertexPart { mesh: MeshId(0), primitive: 0, vertices }] });
    session.apply(SelectionCommand::Mark(mark(vec![0, 2])));
    session.apply(SelectionCommand::Mark(mark(vec![0, 1 << 30])));
    session.apply(SelectionCommand::Mark(mark(vec![2, 0])));
    assert_eq!(session.view.marked.of(MeshId(0), 0), [0, 2]);
    session.open(Document::new(Arc::new(tube(Tube::default())), Vec::new(), None));
    assert!(session.view.marked.is_empty());
}

#[test]
fn the_marks_of_a_finding_go_once_a_tool_has_repaired_it_and_those_from_before_come_back() {
    let mut session = tube_session();
    let own = Arc::new(VertexSet::from_vertices((7..12).map(|v| (MeshId(0), 0, v)).collect()));
    session.apply(SelectionCommand::Mark(Arc::clone(&own)));
    let mut change = skinscope_model::WeightChange::new(MeshId(0), 0, 4);
    change.push(40, &[0], &[0.0]);
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    let model = Arc::clone(session.model().unwrap());
    let found = Finding { rule: "weights-zero", vertices: vec![40], ..finding(FindingPose::Rest) };
    let report = Report { findings: vec![found], ..Report::default() };
    session.inspected(&model, Inspection { report, ..Inspection::default() });
    session.apply(ToolCommand::Repair { finding: 0, all: false });
    assert_eq!(session.view.marked.of(MeshId(0), 0), [40]);
    session.apply(ToolCommand::Apply);
    let changed = session.edited_weights().just_changed().map(|changed| (changed.vertices, changed.binds));
    assert_eq!(changed, Some((1, 0)));
    let repaired = Arc::clone(session.model().unwrap());
    session.inspected(&repaired, Inspection::default());
    assert!(session.view.finding.is_none() && session.view.marked == own);
    // Once the step is taken back, the tool can be applied again.
    session.apply(EditCommand::Undo);
    assert!(session.edited_weights().just_changed().is_none());
    session.apply(FindingCommand::LeaveFinding);
    assert!(session.view.marked == own);
}
