//! Joints that are placed by hand in a mesh without a skin, with a pointer.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use skinscope::anim::{SampleScratch, local_to_model, reset_to_rest, sample};
use skinscope::edit::Sheet;
use skinscope::import::{Options, Progress, import_file};
use skinscope::inspect::check::{CheckOptions, Severity, check};
use skinscope::model::{Instance, LocalPose, MeshId};
use skinscope::pose::NameMap;
use skinscope::session::{PlaceCommand, Source, TakenClips};
use skinscope::writeback::{Destination, Origin, Recompression, Stamps, prepare};

use super::*;
use crate::common::validator;

/// A tube without a skin, from its front, with the tool in the hand.
fn placing() -> Harness<'static, App> {
    let mut parts: ModelParts = (*tube(Tube { joints: 4, ..Tube::default() })).clone();
    parts.skins.clear();
    parts.instances[0].skin = None;
    parts.meshes[0].primitives[0].stored_influences = None;
    let mut harness = open_model(parts);
    harness.state_mut().session.apply(CameraCommand::LookFrom(ViewFrom::Front));
    harness.state_mut().session.apply(CameraCommand::FrameAll);
    harness.state_mut().session.apply(PlaceCommand::Use(true));
    harness.run();
    harness.get_by_label_contains("Placing joints");
    harness
}

/// The point of the screen where a place of the scene is seen.
fn seen(harness: &Harness<'_, App>, place: Vec3) -> Pos2 {
    let at = harness.state().session.view().project(place).unwrap();
    harness.state().picture.min + vec2(at.x, at.y)
}

fn click_on(harness: &mut Harness<'_, App>, at: Pos2) {
    for pressed in [true, false] {
        let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
        harness.event(Event::PointerMoved(at));
        harness.event(Event::PointerButton { pos: at, button, pressed, modifiers });
        harness.step();
    }
    harness.run();
}

fn joints(harness: &Harness<'_, App>) -> Vec<(String, Option<usize>)> {
    let joints = harness.state().session.placing().joints();
    joints.iter().map(|joint| (joint.name.clone(), joint.parent)).collect()
}

#[test]
fn clicks_place_a_chain_that_is_dragged_bound_and_undone() {
    let mut harness = placing();
    for up in [0.3, 1.0, 1.7] {
        let at = seen(&harness, Vec3::new(0.01, up, 0.0));
        click_on(&mut harness, at);
    }
    let chain =
        [("Joint", None), ("Joint2", Some(0_usize)), ("Joint3", Some(1))].map(|(name, of)| (name.to_owned(), of));
    assert_eq!(joints(&harness), chain);
    let placed = |harness: &Harness<'_, App>, index: usize| harness.state().session.placing().joints()[index].position;
    assert!(placed(&harness, 1).distance(Vec3::Y) < 0.03);
    // A click on a joint selects it, and a drag moves it and not the camera.
    let (from, orbit) = (seen(&harness, placed(&harness, 1)), harness.state().session.view().orbit);
    click_on(&mut harness, from);
    assert_eq!((harness.state().session.placing().selected(), joints(&harness).len()), (Some(1), 3));
    let to = seen(&harness, Vec3::new(0.0, 1.2, 0.0));
    drag(&mut harness, &[from, from.lerp(to, 0.5), to], PointerButton::Primary);
    assert!((placed(&harness, 1).y - 1.2).abs() < 0.05, "{}", placed(&harness, 1));
    assert_eq!(harness.state().session.view().orbit, orbit);
    harness.state_mut().session.apply(EditCommand::Undo);
    harness.run();
    assert!(placed(&harness, 1).distance(Vec3::Y) < 0.03, "a drag is one step");
    click(&mut harness, "Bind to joints");
    let bound = harness.state().session.model().unwrap().skins.len();
    assert_eq!((bound, harness.state().session.placing().is_on()), (1, false));
    harness.state_mut().session.apply(EditCommand::Undo);
    harness.run();
    assert!(harness.state().session.model().unwrap().skins.is_empty());
    assert_eq!(joints(&harness), chain);
}

#[test]
fn the_inspector_of_a_model_without_a_skin_offers_to_place_joints() {
    let mut harness = placing();
    harness.state_mut().session.apply(PlaceCommand::Use(false));
    harness.run();
    assert!(!harness.state().session.placing().is_on());
    click(&mut harness, "Place joints");
    assert!(harness.state().session.placing().is_on());
}

#[test]
fn meshes_are_chosen_from_a_list_where_several_have_no_skin() {
    let mut parts: ModelParts = (*tube(Tube { joints: 4, ..Tube::default() })).clone();
    parts.skins.clear();
    parts.instances[0].skin = None;
    parts.meshes[0].primitives[0].stored_influences = None;
    let mut cape = parts.meshes[0].clone();
    cape.name = "A cape of its own".to_owned();
    parts.meshes.push(cape);
    parts.instances.push(Instance { node: NodeId(3), mesh: MeshId(1), ..parts.instances[0].clone() });
    let mut harness = open_model(parts);
    harness.state_mut().session.apply(PlaceCommand::Use(true));
    harness.run();
    click(&mut harness, "Meshes to bind: All 2 meshes");
    click(&mut harness, "A cape of its own");
    harness.get_by_label("Meshes to bind: 1 of 2 meshes");
    click(&mut harness, "Humanoid");
    click(&mut harness, "Bind to joints");
    let model = Arc::clone(harness.state().session.model().unwrap());
    let skinned: Vec<bool> = model.instances.iter().map(|instance| instance.skin.is_some()).collect();
    assert_eq!(skinned, [false, true]);
}

#[test]
fn the_plate_mirrors_names_hangs_and_deletes() {
    let mut harness = placing();
    click(&mut harness, "Humanoid");
    assert_eq!(joints(&harness).len(), 19);
    click(&mut harness, "Select Spine");
    assert_eq!(harness.state().session.placing().selected(), Some(1));
    // What is chosen in the list below the name is written beside it.
    harness.get_by_label("Hangs on");
    harness.get_by_role_and_label(Role::TextInput, "Name of the joint").click();
    harness.run();
    harness.event(Event::Text("2".to_owned()));
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    let renamed = joints(&harness)[1].0.clone();
    assert!(renamed != "Spine" && renamed.contains('2'), "{renamed}");
    click(&mut harness, "Delete the joint");
    assert_eq!((joints(&harness).len(), joints(&harness)[1].clone()), (18, ("Chest".to_owned(), Some(0))));
    harness.get_by_role_and_label(Role::Button, "Mirror").click();
    harness.run();
    assert!(!harness.state().session.placing().mirrors());
    // Two trees are no skeleton, and the plate says so.
    harness.state_mut().session.apply(PlaceCommand::Hang(1, None));
    harness.run();
    click(&mut harness, "Bind to joints");
    harness.get_by_label_contains("one joint has to be above all others");
    harness.key_press(Key::Escape);
    harness.run();
    assert!(!harness.state().session.placing().is_on());
    assert_eq!(joints(&harness).len(), 18, "the joints stay");
}

/// The body of the built-in character at a node, without joints, weights and clips, in a file of its own.
fn figure() -> [PathBuf; 2] {
    let character = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
    let file = std::fs::read(&character).unwrap();
    let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let (text, rest) = file[20..].split_at(length);
    let mut root: serde_json::Value = serde_json::from_slice(text).unwrap();
    for list in ["skins", "animations"] {
        root.as_object_mut().unwrap().remove(list);
    }
    root["nodes"] = serde_json::json!([{ "name": "Body", "mesh": 0 }]);
    root["scenes"] = serde_json::json!([{ "nodes": [0] }]);
    for primitive in root["meshes"][0]["primitives"].as_array_mut().unwrap() {
        let attributes = primitive["attributes"].as_object_mut().unwrap();
        attributes.retain(|name, _| !name.starts_with("JOINTS_") && !name.starts_with("WEIGHTS_"));
    }
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut out = file[..8].to_vec();
    for word in [20 + text.len() + rest.len(), text.len()] {
        out.extend_from_slice(&(word as u32).to_le_bytes());
    }
    out.extend_from_slice(b"JSON");
    out.extend_from_slice(&text);
    out.extend_from_slice(rest);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("placed in a window");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("figure.glb");
    std::fs::write(&path, out).unwrap();
    [path, character]
}

fn read(path: &Path) -> Arc<Model> {
    import_file(path, &Options::default(), &Progress::silent()).unwrap().model
}

/// Where the joints of the first skin are at a moment of a clip, by name; `None`: at rest.
fn joints_at(model: &Model, moment: Option<(&str, f32)>) -> Vec<(String, Vec3)> {
    let (mut pose, mut nodes) = (LocalPose::default(), Vec::new());
    reset_to_rest(&model.skeleton, &mut pose);
    if let Some((name, time)) = moment {
        let clip = model.clips.iter().find(|clip| clip.name == name).unwrap();
        sample(model, clip, time, &mut SampleScratch::default(), &mut pose);
    }
    local_to_model(&model.skeleton, &pose, &mut nodes);
    let place =
        |node: &NodeId| (model.skeleton.names[node.index()].clone(), Vec3::from(nodes[node.index()].translation));
    model.skins[0].joints.iter().map(place).collect()
}

fn farthest(a: &[(String, Vec3)], b: &[(String, Vec3)]) -> f32 {
    assert!(a.iter().map(|(name, _)| name).eq(b.iter().map(|(name, _)| name)));
    a.iter().zip(b).map(|((_, a), (_, b))| a.distance(*b)).fold(0.0, f32::max)
}

#[test]
fn a_figure_gains_a_humanoid_by_the_pointer_plays_a_clip_of_another_file_and_is_saved() {
    let [path, other] = figure();
    let mut session = Session::default();
    session.open(Source::File(path.clone()).load(&Options::default(), &Progress::silent()).unwrap());
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(CameraCommand::LookFrom(ViewFrom::Front));
    let mut harness = window(session, UiState::default(), Status::default());
    click(&mut harness, "Place joints");
    harness.state_mut().session.apply(CameraCommand::FrameAll);
    harness.run();
    click(&mut harness, "Humanoid");
    harness.get_by_label_contains("plane of symmetry of the mesh");
    assert_eq!(joints(&harness).len(), 19);
    let place = |harness: &Harness<'_, App>, name: &str| {
        let joints = harness.state().session.placing().joints();
        joints.iter().find(|joint| joint.name == name).unwrap().position
    };
    for (name, partner) in [("Hand.R", Some("Hand.L")), ("LowerArm.R", Some("LowerArm.L")), ("Head", None)] {
        let wanted = place(&harness, name) + Vec3::Y * 0.08;
        let [from, to] = [place(&harness, name), wanted].map(|at| seen(&harness, at));
        drag(&mut harness, &[from, from.lerp(to, 0.5), to], PointerButton::Primary);
        assert!(place(&harness, name).distance(wanted) < 0.01, "{name} is not where it was dragged");
        if let Some(partner) = partner {
            let mirrored = Vec3 { x: -wanted.x, ..wanted };
            assert!(place(&harness, partner).distance(mirrored) < 0.01, "{partner} did not follow");
        }
    }
    click(&mut harness, "Bind to joints");
    let session = &mut harness.state_mut().session;
    assert_eq!((session.placing().refused(), session.placing().is_on()), (None, false));
    let taken = TakenClips::of(session.model().unwrap(), &read(&other), "character.glb", &NameMap::default()).unwrap();
    session.take_clips(&taken);
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(PlaybackCommand::Seek(0.25));
    session.update_pose();
    harness.run();
    let model = Arc::clone(harness.state().session.model().unwrap());
    assert_eq!((model.skins[0].joints.len(), model.clips.len()), (19, taken.clips.len()));
    let moment = Some(("Walk", 0.25));
    let moved = farthest(&joints_at(&model, None), &joints_at(&model, moment));
    assert!(moved > 0.05, "the clip moves no joint farther than {moved} m");
    let (new, stamps) = (path.with_file_name("bound.glb"), Stamps::of(&path));
    let origin = Origin::File(&path, &stamps);
    let prepared = prepare(origin, &Sheet::of(&model), Recompression::None, Destination::To(&new)).unwrap();
    let changes = prepared.write().unwrap().changes;
    assert_eq!((changes.skins, changes.nodes), (1, 19));
    let again = read(&new);
    assert!(farthest(&joints_at(&model, None), &joints_at(&again, None)) < 1e-5);
    assert!(farthest(&joints_at(&model, moment), &joints_at(&again, moment)) < 1e-4);
    let report = check(&again, &CheckOptions::default(), &AtomicBool::new(false)).unwrap();
    let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
    assert_eq!(errors.map(|finding| finding.rule).collect::<Vec<_>>(), Vec::<&str>::new());
    if validator::is_there() {
        let reports = validator::validate(&[path, new]).unwrap();
        let [before, after] = [0, 1].map(|file: usize| &reports[file]);
        let added: Vec<&String> = after.keys().filter(|code| !before.contains_key(*code)).collect();
        assert!(added.is_empty(), "the validator finds {added:?}");
    }
}
