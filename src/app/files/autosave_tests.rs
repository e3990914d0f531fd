//! Tests of when edits are written down for the case of a crash, and of what an earlier run has left.

use std::sync::Arc;

use glam::Vec3;

use super::*;
use crate::import::{Options, Progress};
use crate::model::test_shapes::{Tube, tube};
use crate::model::{MeshId, Model, ModelParts, NodeId, WeightChange};
use crate::session::{ChannelValue, Document, EditCommand, PlaceCommand};

fn autosave(name: &str, folder: &Path, secs: u64) -> Autosave {
    let every = Some(Duration::from_secs(secs));
    Autosave { folder: Some(folder.to_owned()), name: name.to_owned(), ..Autosave::new(every) }
}

fn session() -> Session {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(tube(Tube { joints: 12, ..Tube::default() })), Vec::new(), None));
    session
}

fn edit(session: &mut Session, vertex: u32) {
    let mut change = WeightChange::new(MeshId(0), 0, 8);
    change.push(vertex, &[3, 4, 5, 6, 7], &[0.1, 0.2, 0.3, 0.3, 0.1]);
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
}

#[test]
fn edits_are_written_once_they_are_a_minute_old_and_again_when_they_change() {
    let folder = std::env::temp_dir().join(format!("skinscope_autosave_{}", std::process::id()));
    let mut autosave = autosave("1-1", &folder, 60);
    let (mut session, start) = (session(), Instant::now());
    let at = |secs| start + Duration::from_secs(secs);
    assert!(matches!(autosave.step(&session, None, at(0)), Err(None)));
    edit(&mut session, 3);
    assert!(matches!(autosave.step(&session, None, at(10)), Err(Some(due)) if due == at(70)));
    // The pose of a clip that plays is no edit.
    edit(&mut session, 4);
    assert!(matches!(autosave.step(&session, None, at(60)), Err(Some(due)) if due == at(70)));
    let (snapshot, path) = autosave.step(&session, None, at(70)).unwrap();
    snapshot.write(&path).unwrap();
    assert!(matches!(autosave.step(&session, None, at(200)), Err(None)));
    session.apply(EditCommand::Edit(NodeId(1), ChannelValue::Rotation(Vec3::new(1.0, 20.0, 3.0))));
    assert!(matches!(autosave.step(&session, None, at(300)), Err(Some(due)) if due == at(360)));
    // Its own file is not offered, and that of a run that goes on is not either.
    assert!(autosave.latest_leftover().is_none());
    let other = self::autosave("2-2", &folder, 60);
    assert!(other.latest_leftover().is_none());
    // All is taken back.
    (0..3).for_each(|_| _ = session.apply(EditCommand::Undo));
    assert!(matches!(autosave.step(&session, None, at(400)), Err(None)) && !path.exists());
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_could_not_be_written_is_tried_again_and_an_older_file_goes_with_the_edits() {
    let folder = std::env::temp_dir().join(format!("skinscope_full_{}", std::process::id()));
    let mut autosave = autosave("1-1", &folder, 60);
    let (mut session, start) = (session(), Instant::now());
    let at = |secs| start + Duration::from_secs(secs);
    edit(&mut session, 3);
    let (snapshot, path) = autosave.at_once(&session, None).unwrap();
    snapshot.write(&path).unwrap();
    edit(&mut session, 4);
    autosave.at_once(&session, None).unwrap();
    // The disk is full.
    autosave.failed(at(10));
    assert!(matches!(autosave.step(&session, None, at(20)), Err(Some(due)) if due == at(70)));
    assert!(autosave.step(&session, None, at(70)).is_ok());
    autosave.failed(at(71));
    (0..2).for_each(|_| _ = session.apply(EditCommand::Undo));
    assert!(autosave.step(&session, None, at(80)).is_err() && !path.exists());
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_is_set_aside_stays_written_down_whatever_is_opened() {
    let folder = std::env::temp_dir().join(format!("skinscope_aside_{}", std::process::id()));
    let mut autosave = autosave("1-1", &folder, 0);
    let mut session = Session::default();
    let document = |joints| {
        let model = Arc::new(tube(Tube { joints, ..Tube::default() }));
        Document::new(model, Vec::new(), Some("model.glb".into()))
    };
    session.open(document(12));
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    change.push(3, &[11], &[1.0]);
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    // The file has lost that joint, so that the edit has no place in it.
    session.open(document(5));
    assert_eq!((session.unsaved().unsaved_vertices(), session.files().set_aside().len()), (0, 1));
    let (snapshot, path) = autosave.step(&session, None, Instant::now()).unwrap();
    snapshot.write(&path).unwrap();
    let start = crate::examples::Start::of(crate::examples::SCENES[0].example());
    session.open(Source::Example(start).load(&Options::default(), &Progress::silent()).unwrap());
    // It may not have been written yet when the example was opened.
    fs::remove_file(&path).unwrap();
    let (snapshot, path) = autosave.step(&session, None, Instant::now()).unwrap();
    snapshot.write(&path).unwrap();
    assert!(autosave.step(&session, None, Instant::now()).is_err() && path.exists());
    drop(autosave);
    // Offered and taken, it is set aside again, and has its place once the joint is back.
    let leftover = self::autosave("2-2", &folder, 0).latest_leftover().unwrap();
    assert_eq!((leftover.offer().set_aside, leftover.offer().name.as_str()), (1, "tube"));
    assert_eq!(leftover.source(), Source::File(std::path::absolute("model.glb").unwrap()));
    let mut next = Session::default();
    next.open(document(5));
    next.restore(&leftover.read().unwrap());
    assert_eq!((next.unsaved().unsaved_vertices(), next.files().set_aside().len()), (0, 1));
    next.open(document(12));
    assert_eq!((next.unsaved().unsaved_vertices(), next.files().set_aside().len()), (1, 0));
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_a_run_has_left_is_offered_once_and_comes_back_to_the_bit() {
    let folder = std::env::temp_dir().join(format!("skinscope_left_{}", std::process::id()));
    let mut before = session();
    (0..40).for_each(|vertex| edit(&mut before, 3 * vertex));
    before.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(1.0, 20.0, 3.3))));
    let mut crashed = autosave("1-1", &folder, 60);
    let (snapshot, path) = crashed.at_once(&before, None).unwrap();
    snapshot.write(&path).unwrap();
    drop(crashed);
    fs::write(folder.join("7-7.edits"), "no head").unwrap();
    let next = autosave("2-2", &folder, 60);
    let leftover = next.latest_leftover().unwrap();
    assert_eq!((leftover.offer().vertices, leftover.offer().posed, leftover.source()), (40, 1, Source::BuiltIn));
    assert!(next.latest_leftover().is_none(), "two runs would offer it");
    let mut session = session();
    assert!(session.restore(&leftover.read().unwrap()).is_empty());
    assert_eq!(session.edits(), before.edits());
    assert_eq!(session.model().unwrap().weight_edits(), before.model().unwrap().weight_edits());
    leftover.remove();
    assert!(next.latest_leftover().is_none() && !path.exists());
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn joints_that_were_placed_and_meshes_that_were_bound_to_them_are_counted() {
    let folder = std::env::temp_dir().join(format!("skinscope_placed_{}", std::process::id()));
    let mut parts: ModelParts = (*tube(Tube { joints: 4, ..Tube::default() })).clone();
    parts.skins.clear();
    parts.instances[0].skin = None;
    parts.meshes[0].primitives[0].stored_influences = None;
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
    session.apply(PlaceCommand::Use(true));
    let mut found = Vec::new();
    for (run, command) in [("1-1", PlaceCommand::Humanoid), ("2-2", PlaceCommand::Bind)] {
        session.apply(command);
        let (snapshot, path) = autosave(run, &folder, 60).at_once(&session, None).unwrap();
        snapshot.write(&path).unwrap();
        let mut next = autosave("9-9", &folder, 60);
        let offer = next.find_leftover().unwrap();
        found.push((offer.placed, offer.bindings));
        assert!(next.discard_leftover());
    }
    assert_eq!(found, [(19, 0), (0, 1)]);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_latest_edits_are_offered_first_and_only_their_own_model_takes_them() {
    let folder = std::env::temp_dir().join(format!("skinscope_latest_{}", std::process::id()));
    for (run, vertices, time) in [("1-1", 1, 100), ("2-2", 2, 300), ("3-3", 3, 200)] {
        let mut session = session();
        (0..vertices).for_each(|vertex| edit(&mut session, vertex));
        let (snapshot, path) = autosave(run, &folder, 60).at_once(&session, None).unwrap();
        snapshot.write(&path).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let (head, rest) = text.split_once('\n').unwrap();
        let head = Head { time, ..serde_json::from_str(head).unwrap() };
        fs::write(&path, format!("{}\n{rest}", serde_json::to_string(&head).unwrap())).unwrap();
    }
    let mut next = autosave("9-9", &folder, 60);
    for vertices in [2, 3, 1] {
        assert_eq!(next.find_leftover().map(|offer| offer.vertices), Some(vertices));
        assert!(next.take_leftover(&Source::File("other.glb".into())).is_none());
        assert!(next.discard_leftover());
    }
    assert!(next.find_leftover().is_none() && !next.discard_leftover());
    fs::remove_dir_all(&folder).unwrap();
}
