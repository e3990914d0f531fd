//! The dialogs that let pictures, meshes and films leave the window.

use std::path::PathBuf;

use skinscope::app::ui::{AskedFile, AskedStage};
use skinscope::session::{ExportKind, ExportSettings, FileUse, PictureLayers};

use super::*;

fn asked(kind: ExportKind, name: &str, stage: AskedStage) -> Harness<'static, App> {
    asked_of(session(3), kind, name, stage)
}

fn asked_of(mut session: Session, kind: ExportKind, name: &str, stage: AskedStage) -> Harness<'static, App> {
    let usage = FileUse::Export(kind);
    let asked = AskedFile { usage, path: PathBuf::from(name), has_dialog: true, offered: Vec::new(), stage };
    session.apply(ViewCommand::ToggleOverlay("weights"));
    let mut harness = window(session, UiState::default(), Status::default());
    harness.state_mut().status.asked_file = Some(asked);
    harness.run();
    harness.state_mut().commands.clear();
    harness
}

fn sent(harness: &Harness<'_, App>) -> Vec<FileCommand> {
    let file = |command: &Command| if let Command::File(command) = command { Some(command.clone()) } else { None };
    harness.state().commands.iter().filter_map(file).collect()
}

const NEW: AskedStage = AskedStage::Writable { replaces: false };

#[test]
fn the_menu_asks_for_what_leaves_the_window() {
    let mut harness = open(3);
    for label in ["Save picture…", "Copy picture", "Export posed mesh…", "Record film…"] {
        click(&mut harness, "File");
        harness.get_by_label(label).scroll_to_me();
        harness.run();
        click(&mut harness, label);
    }
    let export = |kind| FileCommand::AskForFile(FileUse::Export(kind));
    let wanted =
        [export(ExportKind::Picture), FileCommand::CopyPicture, export(ExportKind::Mesh), export(ExportKind::Film)];
    assert_eq!(sent(&harness), wanted);
}

#[test]
fn a_picture_has_the_size_and_looks_that_were_chosen() {
    let mut harness = asked(ExportKind::Picture, "/pictures/tube.png", NEW);
    // It begins with the size of the picture in the window.
    let viewport = harness.state().session.view().viewport;
    for label in ["2×", "Transparent", "With legend"] {
        click(&mut harness, label);
    }
    // Keys are not for what is behind it.
    harness.key_press(Key::W);
    harness.run();
    click(&mut harness, "Save");
    let settings = ExportSettings {
        size: [viewport.x as u32, viewport.y as u32],
        supersampling: 2,
        transparent: true,
        legend: false,
        layers: Some(PictureLayers { grid: true, bones: true, ..PictureLayers::default() }),
        ..ExportSettings::default()
    };
    assert_eq!(sent(&harness), [FileCommand::ExportTo("/pictures/tube.png".into(), Box::new(settings))]);
    harness.key_press(Key::Escape);
    harness.run();
    assert_eq!(sent(&harness).last(), Some(&FileCommand::CloseFile));
}

#[test]
fn a_film_shows_the_clip_or_a_turn_and_never_nothing() {
    let mut harness = asked(ExportKind::Film, "/films/tube.webp", NEW);
    click(&mut harness, "The whole clip");
    assert!(harness.query_by_label("Record").is_none(), "it would show nothing");
    harness.key_press(Key::Enter);
    harness.run();
    assert!(sent(&harness).is_empty());
    click(&mut harness, "A turn");
    harness.key_press(Key::Enter);
    harness.run();
    let Some(FileCommand::ExportTo(path, settings)) = sent(&harness).pop() else { panic!("nothing is recorded") };
    assert_eq!((path, settings.plays, settings.turns), (PathBuf::from("/films/tube.webp"), false, true));
}

#[test]
fn a_film_has_the_part_the_degrees_and_the_length_that_were_typed() {
    let type_into = |harness: &mut Harness<'_, App>, name: &str, text: &str| {
        harness.get_by_label(name).click();
        harness.run();
        harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
        harness.event(Event::Text(text.into()));
        harness.run();
        harness.key_press(Key::Tab);
        harness.run();
    };
    let recorded = |harness: &mut Harness<'_, App>| {
        click(harness, "Record");
        let Some(FileCommand::ExportTo(_, settings)) = sent(harness).pop() else { panic!("nothing is recorded") };
        settings
    };
    let mut harness = asked(ExportKind::Film, "/films/tube.webp", NEW);
    click(&mut harness, "A part of it");
    type_into(&mut harness, "Last picture", "9");
    type_into(&mut harness, "First picture", "4");
    click(&mut harness, "A turn");
    type_into(&mut harness, "Degrees of the turn", "-90");
    let settings = recorded(&mut harness);
    assert_eq!((settings.plays, settings.frames, settings.turns, settings.degrees), (true, Some([4, 9]), true, -90.0));
    click(&mut harness, "A part of it");
    type_into(&mut harness, "Length of the turn", "2.5");
    let settings = recorded(&mut harness);
    assert_eq!((settings.plays, settings.frames, settings.length_secs), (false, None, 2.5));
}

#[test]
fn a_part_begins_as_the_whole_clip_never_ends_before_it_begins_and_a_model_without_clips_turns() {
    let record = |harness: &mut Harness<'_, App>| {
        click(harness, "Record");
        let Some(FileCommand::ExportTo(_, settings)) = sent(harness).pop() else { panic!("nothing is recorded") };
        settings
    };
    let mut harness = asked(ExportKind::Film, "/films/tube.webp", NEW);
    click(&mut harness, "A part of it");
    assert_eq!(record(&mut harness).frames, Some([0, 29]), "a second has 30 pictures");
    for (name, text) in [("First picture", "4"), ("Last picture", "2")] {
        harness.get_by_label(name).click();
        harness.run();
        harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
        harness.event(Event::Text(text.into()));
        harness.run();
        harness.key_press(Key::Tab);
        harness.run();
    }
    assert_eq!(record(&mut harness).frames, Some([4, 4]));
    let mut parts = (*tube(Tube { joints: 3, ..Tube::default() })).clone();
    parts.clips.clear();
    let mut still = open_model(parts);
    still.state_mut().status.asked_file = harness.state().status.asked_file.clone();
    still.run();
    assert!(still.query_by_label("The whole clip").is_none());
    let settings = record(&mut still);
    assert_eq!((settings.plays, settings.turns), (false, true));
}

#[test]
fn what_cannot_be_written_is_said_and_a_name_can_be_typed() {
    let why = "Meshes are written as .glb, .obj, .ply or .stl.";
    let mut harness = asked(ExportKind::Mesh, "/meshes/tube.fbx", AskedStage::Unfit(why.into()));
    assert!(harness.query_by_label(why).is_some() || harness.query_by_value(why).is_some());
    assert!(harness.query_by_label("Export").is_none() && harness.query_by_label("2×").is_none());
    harness.get_by_label("File to write").click();
    harness.run();
    harness.key_press(Key::End);
    harness.event(Event::Text("x".into()));
    harness.run();
    click(&mut harness, "Browse…");
    let typed = FileCommand::NameFile("/meshes/tube.fbxx".into());
    assert_eq!(sent(&harness), [typed, FileCommand::ChooseFile]);
    let replaces = AskedStage::Writable { replaces: true };
    let harness = asked(ExportKind::Mesh, "/meshes/tube.glb", replaces);
    let line = "There is a file of this name. It will be replaced.";
    assert!(harness.query_by_label(line).is_some() || harness.query_by_value(line).is_some());
}

#[test]
fn files_that_were_opened_last_are_in_the_menu_and_where_nothing_is_open() {
    let recent = vec![PathBuf::from("/models/a.glb"), PathBuf::from("/models/b.glb")];
    let saved = Saved { recent, ..Saved::default() };
    let mut harness = window(Session::default(), UiState::new(saved.clone()), Status::default());
    click(&mut harness, "Open b.glb");
    assert_eq!(sent(&harness), [FileCommand::Open("/models/b.glb".into())]);
    let mut harness = window(session(3), UiState::new(saved), Status::default());
    click(&mut harness, "File");
    harness.get_by_label("Open recent").hover();
    harness.run();
    click(&mut harness, "a.glb");
    assert_eq!(sent(&harness), [FileCommand::Open("/models/a.glb".into())]);
    let step = |harness: &mut Harness<'static, App>| {
        for key in [Key::PageDown, Key::PageUp] {
            harness.key_press_modifiers(Modifiers::COMMAND, key);
            harness.run();
        }
    };
    // The model of the test has no file, and so no folder to step through.
    step(&mut harness);
    assert_eq!(sent(&harness), [FileCommand::Open("/models/a.glb".into())]);
    let mut of_folder = Session::default();
    let model = Arc::new(tube(Tube { joints: 3, ..Tube::default() }));
    of_folder.open(Document::new(model, vec![], Some("/models/a.glb".into())));
    of_folder.apply(PlaybackCommand::SetPlaying(false));
    let mut harness = window(of_folder, UiState::default(), Status::default());
    step(&mut harness);
    assert_eq!(sent(&harness), [FileCommand::StepInFolder(1), FileCommand::StepInFolder(-1)]);
}

#[test]
fn a_film_says_how_many_pictures_and_seconds_it_has() {
    let mut harness = asked(ExportKind::Film, "/films/tube.webp", NEW);
    let count = |harness: &Harness<'_, App>| {
        let texts = painted_texts(harness).into_iter().map(|(text, _)| text);
        texts.into_iter().find(|text| text.contains(" pictures, ")).unwrap_or_default()
    };
    let whole = count(&harness);
    click(&mut harness, "The whole clip");
    assert_eq!(count(&harness), "", "nothing is chosen");
    click(&mut harness, "A turn");
    assert_eq!(count(&harness), "120 pictures, 4.0 s");
    assert_ne!(whole, "");
}

#[test]
fn a_mesh_is_written_with_flat_normals_where_the_file_has_none_and_that_is_chosen() {
    let harness = asked(ExportKind::Mesh, "/meshes/tube.glb", NEW);
    assert!(harness.query_by_label("Flat").is_none(), "the tube has normals");
    let mut parts: ModelParts = (*tube(Tube { joints: 3, ..Tube::default() })).clone();
    parts.meshes[0].primitives[0].normals.clear();
    let mut bare = Session::default();
    bare.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
    bare.apply(PlaybackCommand::SetPlaying(false));
    let mut harness = asked_of(bare, ExportKind::Mesh, "/meshes/tube.glb", NEW);
    click(&mut harness, "Flat");
    click(&mut harness, "Export");
    let Some(FileCommand::ExportTo(_, settings)) = sent(&harness).pop() else { panic!("nothing is written") };
    assert!(settings.flat_normals);
}
