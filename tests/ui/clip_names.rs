//! The dialog that says which joints of another file's clips are which of the open model.

use egui_kittest::kittest::Queryable as _;
use skinscope::pose::NameMap;
use skinscope::session::{ClipNames, ClipNamesCommand};

use super::*;

#[test]
fn joints_of_clips_have_their_counterparts_which_can_be_said() {
    let mut parts = (*tube(Tube { joints: 3, ..Tube::default() })).clone();
    parts.skeleton.names[2] = "Elbow".into();
    let other = Arc::new(Model::build(parts).unwrap());
    let session = session(3);
    let model = Arc::clone(session.model().unwrap());
    let mut names = ClipNames::new("/models/walks.glb".into(), other, NameMap::default(), &model);
    assert_eq!(names.rows, [("Elbow".to_owned(), None), ("joint 2".to_owned(), Some("joint 2".to_owned()))]);
    names.mapping.set("Elbow", Some("joint 1"));
    names.match_joints(&model);
    assert_eq!(names.rows[0].1.as_deref(), Some("joint 1"));
    assert_eq!(NameMap::parse(names.text().as_bytes()).unwrap().pairs().count(), 2);
    names.is_shown = true;
    let status = Status { clip_names: Some(names), ..Status::default() };
    let mut harness = window(session, UiState::default(), status);
    let said = |line: &str| harness.query_by_label(line).is_some() || harness.query_by_value(line).is_some();
    assert!(said("Joints of the clips of walks.glb") && said("Elbow"));
    harness.get_by_role_and_label(Role::ComboBox, "Elbow").click();
    harness.run();
    harness.get_by_role_and_label(Role::Button, "None").click();
    harness.run();
    for label in ["Propose", "Save", "Load", "Take the clips", "Cancel"] {
        harness.get_by_role_and_label(Role::Button, label).click();
        harness.run();
    }
    harness.key_press(Key::Escape);
    harness.run();
    let sent = harness.state().commands.iter().filter_map(|command| match command {
        Command::File(FileCommand::ClipNames(command)) => Some(command.clone()),
        _ => None,
    });
    let file = || "/models/walks.map.json".into();
    assert_eq!(
        sent.collect::<Vec<_>>(),
        [
            ClipNamesCommand::Say("Elbow".into(), None),
            ClipNamesCommand::Propose,
            ClipNamesCommand::Write(file()),
            ClipNamesCommand::Read(file()),
            ClipNamesCommand::Take,
            ClipNamesCommand::Leave,
            ClipNamesCommand::Leave,
        ]
    );
}

#[test]
fn clips_of_which_no_joint_has_a_counterpart_cannot_be_taken() {
    let mut parts = (*tube(Tube { joints: 2, ..Tube::default() })).clone();
    for (i, name) in parts.skeleton.names.iter_mut().enumerate() {
        *name = format!("Knochen {i}");
    }
    let other = Arc::new(Model::build(parts).unwrap());
    let session = session(3);
    let model = Arc::clone(session.model().unwrap());
    let names = ClipNames::new("/models/walks.glb".into(), other, NameMap::default(), &model);
    let names = ClipNames { is_shown: true, ..names };
    let mut harness = window(session, UiState::default(), Status { clip_names: Some(names), ..Status::default() });
    assert!(harness.query_by_label("Take the clips").is_none());
    harness.key_press(Key::Enter);
    harness.run();
    assert!(!has(&harness, &FileCommand::ClipNames(ClipNamesCommand::Take).into()));
    click(&mut harness, "Cancel");
    assert!(has(&harness, &FileCommand::ClipNames(ClipNamesCommand::Leave).into()));
}

#[test]
fn one_joint_has_a_counterpart_and_two_have() {
    for (joints, line) in [
        (1, "1 of 1 joint that the clips move has a counterpart in the open model."),
        (2, "2 of 2 joints that the clips move have a counterpart in the open model."),
    ] {
        let session = session(3);
        let model = Arc::clone(session.model().unwrap());
        let mut names = ClipNames::new("/models/walks.glb".into(), Arc::clone(&model), NameMap::default(), &model);
        names.rows.truncate(joints);
        names.is_shown = true;
        let harness = window(session, UiState::default(), Status { clip_names: Some(names), ..Status::default() });
        assert!(harness.query_by_label(line).is_some() || harness.query_by_value(line).is_some(), "{line}");
    }
}
