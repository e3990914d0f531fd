//! The panel of findings and the range of motion.

use skinscope::inspect::check::{Finding, FindingPose, Measure, Report, Severity, Share};
use skinscope::inspect::rom::{RomOptions, RomReport};
use skinscope::inspect::{Inspection, VertexPart, VertexSet};
use skinscope::model::{MeshId, WeightChange};
use skinscope::session::ToolCommand;

use super::*;

pub(super) fn finding(rule: &'static str, severity: Severity, vertices: Vec<u32>, joint: u32) -> Finding {
    Finding {
        rule,
        severity,
        mesh: Some(MeshId(0)),
        primitive: Some(0),
        vertices,
        joints: vec![NodeId(joint)],
        message: format!("What {rule} says."),
        fix: "What to do.".into(),
        measure: Some(Measure { what: "so much", value: 12.345, unit: "mm" }),
        pose: FindingPose::Turned { joint: NodeId(joint), axis: Vec3::Z, angle: 1.0 },
    }
}

/// A tube with these findings of the checker.
fn inspected(findings: Vec<Finding>) -> Session {
    let mut session = session(3);
    let model = Arc::clone(session.model().unwrap());
    session.inspected(&model, Inspection { report: Report { findings, ..Report::default() }, ..Inspection::default() });
    session
}

pub(super) fn three() -> Session {
    inspected(vec![
        finding("weights-zero", Severity::Error, vec![3, 4], 1),
        finding("name-duplicate", Severity::Warning, vec![], 2),
        finding("joint-unused", Severity::Info, vec![7], 3),
    ])
}

pub(super) fn shown(session: Session) -> Harness<'static, App> {
    window(session, UiState::default(), Status::default())
}

const ERROR: &str = "No weights, joint 0 · 2 vertices";
const WARNING: &str = "Same name twice, joint 1";

#[test]
fn a_check_can_be_stopped_and_asked_for_again() {
    let mut harness = window(session(2), UiState::default(), Status { checking: true, ..Status::default() });
    harness.get_by_label("checking…");
    click(&mut harness, "Stop checking");
    assert!(has(&harness, &Command::Inspection(InspectionCommand::CancelInspect)));
    let mut harness = shown(session(2));
    harness.get_by_label("not checked");
    click(&mut harness, "Check the model");
    assert!(has(&harness, &Command::Inspection(InspectionCommand::Inspect)));
}

#[test]
fn findings_are_counted_listed_worst_first_and_filtered() {
    let mut session = three();
    session.warn(&["clip 2: has no keys".into()]);
    let mut harness = shown(session);
    harness.get_by_label("1 error · 2 warnings");
    let top = |harness: &Harness<'_, App>, label: &str| harness.get_by_label(label).rect().top();
    assert!(top(&harness, ERROR) < top(&harness, WARNING));
    assert!(top(&harness, WARNING) < top(&harness, "clip 2: has no keys"));
    click(&mut harness, "Show warnings");
    assert!(harness.query_by_label(WARNING).is_none() && harness.query_by_label("clip 2: has no keys").is_none());
    harness.get_by_label(ERROR);
    click(&mut harness, "Show warnings");
    harness.get_by_label(WARNING);
}

#[test]
fn shares_of_the_surface_that_are_not_zero_stand_below_the_heading() {
    let mut session = session(3);
    let model = Arc::clone(session.model().unwrap());
    let share = |gate, percent| Share { gate, percent, vertices: 2 };
    let shares = vec![share("unweighted", 0.83), share("bleeding", 0.0), share("seams", 2.5)];
    let findings = vec![finding("weights-zero", Severity::Error, vec![3, 4], 1)];
    let report = Report { findings, shares, ..Report::default() };
    session.inspected(&model, Inspection { report, ..Inspection::default() });
    let harness = shown(session);
    let rect = |label: &str| harness.get_by_label(label).rect();
    let line = rect("Unweighted surface 0.83 % · Open seams 2.5 %");
    assert!(line.top() >= rect("1 error").bottom() && line.bottom() <= rect(ERROR).top(), "{line:?}");
    assert!(shown(three()).query_by_label_contains("Unweighted surface").is_none());
}

#[test]
fn a_click_shows_a_finding_with_its_words_and_another_returns() {
    let mut session = three();
    session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::X * 30.0)));
    session.apply(EditCommand::EndEdit);
    let before = (Arc::clone(session.edits()), session.view().orbit, session.view().overlay);
    let mut harness = shown(session);
    let orbit = harness.state().session.view().orbit;
    click(&mut harness, ERROR);
    assert!(has(&harness, &Command::Finding(FindingCommand::ShowFinding(0))));
    let open = format!("{ERROR}. What weights-zero says.");
    let row = harness.get_by_label(&open);
    assert!(row.rect().height() > 60.0, "its message and what to do stand below it");
    let view = harness.state().session.view();
    assert_eq!((view.finding, view.marked.of(MeshId(0), 0)), (Some(0), &[3, 4][..]));
    click(&mut harness, WARNING);
    assert_eq!(harness.state().session.view().finding, Some(1));
    click(&mut harness, &format!("{WARNING}. What name-duplicate says."));
    assert!(has(&harness, &Command::Finding(FindingCommand::LeaveFinding)));
    let session = &harness.state().session;
    assert_eq!((session.view().finding, session.view().selected), (None, None));
    assert!(session.view().marked.is_empty() && *session.edits() == before.0 && session.view().overlay == before.2);
    assert_eq!(session.view().orbit, orbit);
}

#[test]
fn a_finding_is_framed_beside_what_stands_over_the_picture() {
    let mut session = three();
    session.apply(ViewCommand::SetPoseTool(skinscope::session::PoseTool::Turn));
    let mut harness = shown(session);
    // 1600×900 pixels at 150 %, with the margin of the test's window.
    harness.set_size(vec2(1083.0, 616.0));
    harness.run();
    click(&mut harness, ERROR);
    harness.run();
    let App { session, picture, .. } = harness.state();
    let [least, greatest] = session.view().clear_part().unwrap();
    let joint = Vec3::from(session.pose().model[1].translation);
    let at = session.view().project(joint).unwrap();
    assert!(at.cmpge(least).all() && at.cmple(greatest).all(), "{at} is not within {least} and {greatest}");
    let part = [least, greatest].map(|corner| picture.min + vec2(corner.x, corner.y));
    let part = egui::Rect::from_min_max(part[0], part[1]);
    for label in ["Bones", "Camera only", "Local axes", "Fold legend", "Unfold legend", "Perspective"] {
        for control in harness.query_all_by_label(label).filter(|node| picture.contains_rect(node.rect())) {
            assert!(!control.rect().shrink(1.0).intersects(part), "{label}: {:?} and {part:?}", control.rect());
        }
    }
    // Who moves the camera keeps it.
    harness.state_mut().session.apply(CameraCommand::Orbit(glam::Vec2::new(20.0, 0.0)));
    let moved = harness.state().session.view().orbit;
    harness.set_size(vec2(1400.0, 800.0));
    harness.run();
    assert_eq!(harness.state().session.view().orbit, moved);
}

#[test]
fn an_edit_dims_the_findings_that_it_could_touch_and_no_others_until_they_were_looked_for_again() {
    let mut harness = window(three(), UiState::default(), Status { checking: true, ..Status::default() });
    let rows = |harness: &Harness<'_, App>| -> Vec<String> {
        let rows = harness.get_all_by_role(Role::ListBoxOption);
        rows.filter_map(|row| row.accesskit_node().label()).collect()
    };
    let before = rows(&harness);
    assert_eq!(before.len(), 3);
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    change.push(4, &[1], &[1.0]);
    harness.state_mut().session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    harness.run();
    let now = rows(&harness);
    // The edited vertex has joints 0 and 1, and joint 2, which moves nothing, is not asked for.
    assert_eq!(now[0], "No weights, being looked for again · joint 0 · 2 vertices");
    assert_eq!(now[1..], before[1..]);
    harness.state_mut().status.checking = false;
    harness.run();
    assert!(rows(&harness)[0].contains("not looked for since the last edit"));
    let model = Arc::clone(harness.state().session.edited_weights().edited_model().unwrap());
    let found = harness.state().session.document().unwrap().findings().cloned().collect();
    let report = Report { findings: found, ..Report::default() };
    harness.state_mut().session.inspected(&model, Inspection { report, ..Inspection::default() });
    harness.run();
    assert_eq!(rows(&harness), before);
}

#[test]
fn a_skin_that_was_bound_in_another_pose_has_a_repair() {
    let long = "The rest pose of the skin is another than the pose in which it was bound. ".repeat(8);
    let mut session = inspected(vec![
        Finding { message: long, ..finding("inverse-bind-mismatch", Severity::Info, vec![], 1) },
        finding("inverse-bind-non-rigid", Severity::Info, vec![], 1),
    ]);
    session.apply(FindingCommand::ShowFinding(1));
    let mut harness = shown(session);
    assert!(harness.query_by_label("Repair…").is_none());
    harness.get_by_label("Inverse binds…");
    harness.state_mut().session.apply(FindingCommand::ShowFinding(0));
    harness.run();
    // It is in sight, however long the text is.
    let [button, below] = ["Repair…", "Run range of motion"].map(|name| harness.get_by_label(name).rect());
    assert!(button.bottom() < below.top(), "{button:?} {below:?}");
    click(&mut harness, "Repair…");
    assert!(has(&harness, &Command::Tool(ToolCommand::Repair { finding: 0, all: false })));
    assert_eq!(harness.state().session.tools().operation.map(|o| o.id), Some("inverse-binds"));
}

#[test]
fn findings_are_reached_by_the_keyboard() {
    let mut harness = shown(three());
    harness.get_by_label(ERROR).focus();
    harness.run();
    harness.key_press(Key::Tab);
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert!(has(&harness, &Command::Finding(FindingCommand::ShowFinding(1))), "{:?}", harness.state().commands);
}

#[test]
fn ten_thousand_findings_are_a_few_rows() {
    let numbered = |i: usize| Finding {
        message: format!("This is number {i}."),
        ..finding("weights-zero", Severity::Error, vec![1, 2], 1)
    };
    let many = (0..10_000).map(numbered).collect();
    let mut harness = shown(inspected(many));
    harness.get_by_label("10\u{2009}000 errors");
    let rows = |harness: &Harness<'_, App>| harness.get_all_by_role(Role::ListBoxOption).count();
    assert!((4..20).contains(&rows(&harness)), "{}", rows(&harness));
    harness.state_mut().session.apply(FindingCommand::ShowFinding(7000));
    harness.run();
    harness.run();
    harness.get_by_label(&format!("{ERROR}. This is number 7000."));
}

#[test]
fn the_range_of_motion_runs_shows_how_far_it_is_and_is_cancelled() {
    let mut harness = shown(session(3));
    click(&mut harness, "Run range of motion");
    assert!(has(&harness, &Command::Inspection(InspectionCommand::RunRom(RomOptions::default()))));
    click(&mut harness, "Reach: ±90°");
    click(&mut harness, "±45°");
    click(&mut harness, "Run range of motion");
    let wanted = RomOptions { degrees: 45.0, step_degrees: 15.0, ..RomOptions::default() };
    assert!(has(&harness, &Command::Inspection(InspectionCommand::RunRom(wanted))));
    harness.state_mut().status.rom = Some(0.42);
    harness.run();
    harness.get_by_label("Range of motion · 42 %");
    harness.get_by_role(Role::ProgressIndicator);
    click(&mut harness, "Cancel");
    assert!(has(&harness, &Command::Inspection(InspectionCommand::CancelRom)));
}

#[test]
fn what_the_range_of_motion_showed_stands_in_the_same_list() {
    let mut session = three();
    let model = Arc::clone(session.model().unwrap());
    let findings = vec![finding("rom-stretch", Severity::Info, vec![5], 2)];
    session.measured(&model, RomReport { findings, poses: 54, planned: 54, driven: 3, clips: false });
    let mut harness = shown(session);
    harness.get_by_label("54 poses of 3 joints measured");
    const STRETCHED: &str = "Edge stretch, joint 1 · 1 vertex";
    harness.get_by_label(STRETCHED).scroll_to_me();
    harness.run();
    click(&mut harness, STRETCHED);
    assert!(has(&harness, &Command::Finding(FindingCommand::ShowFinding(3))));
    assert_eq!(harness.state().session.view().marked.of(MeshId(0), 0), [5]);
    // Marks of someone else are no finding.
    let part = VertexPart { mesh: MeshId(0), primitive: 0, vertices: vec![1] };
    harness.state_mut().session.apply(SelectionCommand::Mark(Arc::new(VertexSet { parts: vec![part] })));
    harness.run();
    harness.get_by_label(STRETCHED);
}

#[test]
fn what_the_range_of_motion_found_stands_together_for_each_joint_and_numbers_say_what_they_are_of() {
    let mut session = three();
    let model = Arc::clone(session.model().unwrap());
    let turned = |rule, joint: u32, severity| {
        let pose = FindingPose::Turned { joint: NodeId(joint), axis: Vec3::X, angle: 1.0 };
        Finding { pose, ..finding(rule, severity, vec![5], joint) }
    };
    let findings = vec![
        turned("rom-stretch", 1, Severity::Info),
        turned("rom-fold", 2, Severity::Info),
        turned("rom-inverted", 1, Severity::Info),
    ];
    session.measured(&model, RomReport { findings, poses: 54, planned: 54, driven: 3, clips: false });
    let saved = Saved { findings_height: 900.0, ..Saved::default() };
    let mut harness = window(session, UiState::new(saved), Status::default());
    harness.set_size(vec2(1280.0, 1400.0));
    harness.run();
    let top = |harness: &Harness<'_, App>, label: &str| harness.get_by_label_contains(label).rect().top();
    let names = &model.skeleton.names;
    let [first, second] = [1, 2].map(|joint| format!("Range of motion of {}:", names[joint]));
    let order = [
        top(&harness, &first),
        top(&harness, "Edge stretch"),
        top(&harness, "Inverted triangles"),
        top(&harness, &second),
        top(&harness, "Fold, "),
    ];
    assert!(order.is_sorted(), "{order:?}");
    let said = harness.get_by_label_contains("Fold, ").accesskit_node().description().unwrap_or_default();
    assert!(said.contains("Here: so much 1"), "{said}");
    assert!(painted_texts(&harness).iter().any(|(text, _)| text == "so much"));
}

#[test]
fn a_warning_of_the_import_that_edits_have_repaired_says_so_and_counts_no_more() {
    let mut parts = ModelParts::clone(&tube(Tube { joints: 3, ..Tube::default() }));
    let primitive = &mut parts.meshes[0].primitives[0];
    let count = primitive.positions.len();
    let influences = primitive.stored_influences.as_mut().unwrap();
    let per_vertex = influences.per_vertex;
    influences.weights[..per_vertex].iter_mut().for_each(|weight| *weight *= 0.5);
    let line = format!(
        "mesh 0, primitive 0: 1 of {count} vertices has weights that do not sum to one (0.50); drawn as stored unless normalised"
    );
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![line.clone()], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    let mut harness = window(session, UiState::default(), Status::default());
    harness.get_by_label("1 warning");
    harness.get_by_label(&line);
    let mut change = WeightChange::new(MeshId(0), 0, per_vertex);
    change.push(0, &[1], &[1.0]);
    harness.state_mut().session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    harness.run();
    harness.get_by_label(&format!("Repaired by your edits: {line}"));
    assert!(harness.query_by_label("1 warning").is_none() && harness.query_by_label(&line).is_none());
}
