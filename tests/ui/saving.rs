//! The dialogs about edits that are in no file.

use std::path::PathBuf;

use skinscope::app::ui::{
    ChangedStatus, RecoveryOffer, SaveFailure, SaveStage, SaveStatus, SaveSummary, ThenCloses, UnsavedStatus,
};
use skinscope::model::{MeshId, WeightChange};
use skinscope::session::{RecoveryAnswer, SaveKind, UnsavedAnswer, UnsavedWork};

use super::*;

fn summary() -> SaveSummary {
    SaveSummary {
        vertices: 5000,
        meshes: vec![("body".into(), 4900), ("eyes".into(), 100)],
        joints: (0..12).map(|joint| format!("joint {joint}")).collect(),
        binds: 0,
        clips: 0,
        shapes: 0,
        coarse: Vec::new(),
        links: Vec::new(),
        accessors: vec![2, 3],
        bytes: 20_480,
        json_values: 3,
        unpacked: vec![("Draco", 2)],
        recompressed: 0,
        files: vec!["tube.bin".into(), "tube.gltf".into()],
        replaced: vec!["tube.gltf".into()],
    }
}

/// The same where no weights change.
fn no_weights() -> SaveSummary {
    SaveSummary { vertices: 0, meshes: Vec::new(), joints: Vec::new(), ..summary() }
}

/// The stage in which people are asked.
fn ready(summary: SaveSummary) -> SaveStage {
    SaveStage::Ready(Box::new(summary))
}

fn saving(kind: SaveKind, stage: SaveStage) -> Harness<'static, App> {
    let target = PathBuf::from("/models/tube.gltf");
    let saving = SaveStatus {
        kind,
        name: "tube.gltf".into(),
        target,
        has_dialog: true,
        recompresses: false,
        keeps_links: false,
        keeps_layers: None,
        work: UnsavedWork::default(),
        lost_steps: 0,
        stage,
    };
    shown(saving)
}

fn shown(saving: SaveStatus) -> Harness<'static, App> {
    let status = Status { saving: Some(saving), ..Status::default() };
    let app =
        App { session: session(3), ui: UiState::default(), status, commands: Vec::new(), picture: egui::Rect::ZERO };
    let mut harness = Harness::builder()
        .with_size(vec2(1280.0, 720.0))
        .with_context_setup(ui::install)
        .build_ui_state(|ui, app: &mut App| app.frame(ui), app);
    // What is under way turns and turns: it never comes to rest.
    harness.run_steps(4);
    harness.state_mut().commands.clear();
    harness
}

fn sent(harness: &Harness<'_, App>) -> Vec<FileCommand> {
    let file = |command: &Command| if let Command::File(command) = command { Some(command.clone()) } else { None };
    harness.state().commands.iter().filter_map(file).collect()
}

fn key(harness: &mut Harness<'_, App>, key: Key, modifiers: Modifiers) {
    harness.key_press_modifiers(modifiers, key);
    harness.run_steps(4);
}

#[test]
fn keys_and_menu_ask_to_save() {
    let mut harness = open(3);
    key(&mut harness, Key::S, Modifiers::COMMAND);
    key(&mut harness, Key::S, Modifiers::COMMAND | Modifiers::SHIFT);
    click(&mut harness, "File");
    click(&mut harness, "Save a copy…");
    let kinds = [SaveKind::InPlace, SaveKind::As, SaveKind::Copy].map(FileCommand::Save);
    assert_eq!(sent(&harness), kinds);
}

#[test]
fn the_panel_says_what_will_change_and_waits_for_an_answer() {
    let mut harness = saving(SaveKind::InPlace, ready(summary()));
    for line in [
        "Weights of body: 4\u{2009}900 vertices",
        "Weights of eyes: 100 vertices",
        "12 joints: joint 0, joint 1, joint 2, joint 3 and 8 more",
        "In the file: 20\u{2009}480 bytes in accessors 2, 3, and 3 values of its JSON text. All other bytes stay as they are.",
        "2 accessors were compressed by Draco, and will be stored plain.",
        "tube.bin: new",
        "tube.gltf: replaced; kept as .bak",
    ] {
        harness.get_by_label(line);
    }
    // Keys are not for what is behind it.
    key(&mut harness, Key::W, Modifiers::NONE);
    key(&mut harness, Key::Z, Modifiers::COMMAND);
    assert!(harness.state().commands.is_empty());
    key(&mut harness, Key::Escape, Modifiers::NONE);
    click(&mut harness, "Save");
    key(&mut harness, Key::Enter, Modifiers::NONE);
    let save = FileCommand::SaveTo("/models/tube.gltf".into());
    assert_eq!(sent(&harness), [FileCommand::CloseFile, save.clone(), save]);
}

#[test]
fn where_the_file_has_all_that_belongs_in_it_what_else_is_unsaved_is_said_and_a_session_keeps_it() {
    let same = || saving(SaveKind::InPlace, ready(SaveSummary::default()));
    let with = |keeps_layers: Option<bool>, work: UnsavedWork| {
        let status = same().state().status.saving.clone().unwrap();
        shown(SaveStatus { keeps_layers, work, ..status })
    };
    let mut harness = with(Some(false), UnsavedWork { posed: 3, layers: 2, ..UnsavedWork::default() });
    harness.get_by_label_contains("A session file keeps what is listed here");
    harness.get_by_label("• 3 posed nodes and morph targets");
    harness.get_by_label("• 2 layers of weights");
    click(&mut harness, "Save session…");
    assert_eq!(sent(&harness), [FileCommand::AnswerUnsaved(UnsavedAnswer::SaveSession)]);
    // Weights that differ by less than the file can say are unsaved to no purpose.
    let harness = with(None, UnsavedWork { vertices: 5, ..UnsavedWork::default() });
    harness.get_by_label_contains("as exactly as it stores them");
    assert!(harness.query_by_label("Save session…").is_none() && harness.query_by_label("Not in the file").is_none());
    // What goes into the file is not listed among what does not.
    let status = saving(SaveKind::InPlace, ready(summary())).state().status.saving.clone().unwrap();
    let work = UnsavedWork { vertices: 5, layers: 2, posed: 1, ..UnsavedWork::default() };
    let harness = shown(SaveStatus { keeps_layers: Some(true), work, ..status });
    harness.get_by_label("• 1 posed node or morph target");
    assert!(harness.query_by_label("• 2 layers of weights").is_none());
    harness.get_by_label("Save");
}

#[test]
fn another_file_is_typed_or_chosen() {
    let mut harness = saving(SaveKind::As, ready(SaveSummary { files: vec!["tube.gltf".into()], ..summary() }));
    click(&mut harness, "Browse…");
    let field = harness.get_by_label("File to write");
    field.focus();
    harness.run();
    key(&mut harness, Key::A, Modifiers::COMMAND);
    harness.event(Event::Text("/tmp/other.gltf".into()));
    harness.run();
    click(&mut harness, "Save");
    assert_eq!(sent(&harness), [FileCommand::ChooseFile, FileCommand::SaveTo("/tmp/other.gltf".into())]);
}

#[test]
fn what_failed_is_said_and_nothing_is_lost() {
    let why = "could not write /models/tube.gltf: no space left on device".to_owned();
    let failed = |other_file_helps| SaveStage::Failed(SaveFailure { why: why.clone(), other_file_helps });
    let mut harness = saving(SaveKind::InPlace, failed(true));
    harness.get_by_label(&why);
    harness.get_by_label("Nothing was written. The edits are still here.");
    click(&mut harness, "Save as…");
    assert_eq!(sent(&harness), [FileCommand::Save(SaveKind::As)]);
    // Where no other file helps there is no button for one.
    for kind in [SaveKind::InPlace, SaveKind::As] {
        let mut harness = saving(kind, failed(false));
        assert!(harness.query_by_label("Save as…").is_none() && harness.query_by_label("Save").is_none());
        click(&mut harness, "Save session…");
        assert_eq!(sent(&harness), [FileCommand::AnswerUnsaved(UnsavedAnswer::SaveSession)]);
    }
    // While files are being written there is nothing to press, and Escape does not hide that.
    let mut harness = saving(SaveKind::InPlace, SaveStage::Writing);
    key(&mut harness, Key::Escape, Modifiers::NONE);
    key(&mut harness, Key::Enter, Modifiers::NONE);
    assert!(sent(&harness).is_empty() && harness.query_by_label("Cancel").is_none());
    // What is not worked out yet is not taken.
    let mut harness = saving(SaveKind::InPlace, SaveStage::Planning);
    key(&mut harness, Key::Enter, Modifiers::NONE);
    assert!(sent(&harness).is_empty());
    // Nothing to save is said.
    let mut harness = saving(SaveKind::InPlace, ready(SaveSummary::default()));
    harness.get_by_label_contains("there is nothing to save");
    click(&mut harness, "Close");
    assert_eq!(sent(&harness), [FileCommand::CloseFile]);
}

/// The question on the way out, with this work unsaved.
fn leaving(work: UnsavedWork) -> Harness<'static, App> {
    let status = Status { unsaved: Some(unsaved(work)), ..Status::default() };
    window(session(3), UiState::default(), status)
}

/// What is asked on the way out of a model whose file keeps no layers.
fn unsaved(work: UnsavedWork) -> UnsavedStatus {
    let then = ThenCloses::Window;
    UnsavedStatus { name: "tube.glb".into(), is_session: false, has_file: true, keeps_layers: false, work, then }
}

#[test]
fn layers_that_the_file_keeps_can_be_saved_into_it_on_the_way_out() {
    let work = UnsavedWork { layers: 2, ..UnsavedWork::default() };
    let mut harness = leaving(work);
    harness.get_by_label("Save the layers of tube.glb?");
    assert!(harness.query_by_label("Save…").is_none(), "the file keeps none");
    harness.state_mut().status.unsaved = Some(UnsavedStatus { keeps_layers: true, ..unsaved(work) });
    harness.run_steps(4);
    click(&mut harness, "Save…");
    assert_eq!(sent(&harness), [FileCommand::AnswerUnsaved(UnsavedAnswer::Save)]);
}

#[test]
fn a_pose_and_what_else_no_model_file_takes_is_saved_in_a_session() {
    let work = UnsavedWork { posed: 3, limits: 1, set_aside: 2, ..UnsavedWork::default() };
    let mut harness = leaving(work);
    harness.get_by_label("Save the work of tube.glb?");
    for words in ["3 posed nodes", "1 joint with limits", "2 things that were set aside"] {
        harness.get_by_label_contains(words);
    }
    assert!(harness.query_by_label("Save…").is_none());
    click(&mut harness, "Save session…");
    key(&mut harness, Key::Enter, Modifiers::NONE);
    assert_eq!(sent(&harness), [UnsavedAnswer::SaveSession; 2].map(FileCommand::AnswerUnsaved));
    // Where there is no file to name, Enter loses nothing.
    let unsaved = UnsavedStatus { name: String::new(), has_file: false, ..unsaved(work) };
    let status = Status { unsaved: Some(unsaved), ..Status::default() };
    let mut harness = window(session(3), UiState::default(), status);
    key(&mut harness, Key::Enter, Modifiers::NONE);
    assert!(sent(&harness).is_empty());
}

#[test]
fn the_question_on_the_way_out_is_not_hidden_behind_another_dialog() {
    let mut harness = saving(
        SaveKind::InPlace,
        SaveStage::Failed(SaveFailure { why: "changed on disk".into(), other_file_helps: true }),
    );
    let work = UnsavedWork { vertices: 1, ..UnsavedWork::default() };
    harness.state_mut().status.unsaved = Some(unsaved(work));
    harness.run_steps(4);
    harness.get_by_label("Save the weights of tube.glb?");
}

#[test]
fn a_changed_file_is_offered_and_not_taken() {
    let work = UnsavedWork { vertices: 172, ..UnsavedWork::default() };
    let changed = Some(ChangedStatus { name: "tube.glb".into(), work, is_trying: false });
    let status = || Status { changed: changed.clone(), ..Status::default() };
    let mut harness = window(session(3), UiState::default(), status());
    harness.get_by_label("tube.glb has changed");
    harness.get_by_label_contains("172 vertices");
    click(&mut harness, "Keep mine");
    click(&mut harness, "Take it and carry my edits over");
    key(&mut harness, Key::Escape, Modifiers::NONE);
    assert_eq!(sent(&harness), [false, true, false].map(FileCommand::AnswerChanged));
}

#[test]
fn what_is_set_aside_is_listed_with_what_can_be_done_with_it() {
    let document = |joints| {
        let model = tube(Tube { joints, rings: 12, ..Tube::default() });
        Document::new(Arc::new(model), vec![], Some("/models/tube.glb".into()))
    };
    let mut session = Session::default();
    session.open(document(6));
    session.apply(PlaybackCommand::SetPlaying(false));
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    change.push(3, &[5], &[1.0]);
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    session.open(document(3));
    let mut harness = window(session, UiState::default(), Status::default());
    harness.get_by_label_contains("1 edit without a place");
    harness.get_by_label("tube, vertex 3: joint 5 1.000");
    click(&mut harness, "Show where");
    assert_eq!(harness.state().session.view().marked.len(), 1);
    click(&mut harness, "Take up");
    assert_eq!(harness.state().session.files().set_aside().len(), 1, "it does not fit");
    click(&mut harness, "Forget");
    assert!(harness.state().session.files().set_aside().is_empty());
}

#[test]
fn edits_are_not_lost_without_a_question() {
    let mut harness = leaving(UnsavedWork { vertices: 1, ..UnsavedWork::default() });
    harness.get_by_label("Save the weights of tube.glb?");
    harness.get_by_label_contains("1 vertex with other weights than the file");
    harness.get_by_label_contains("The window closes");
    click(&mut harness, "Discard");
    click(&mut harness, "Cancel");
    key(&mut harness, Key::Escape, Modifiers::NONE);
    key(&mut harness, Key::Enter, Modifiers::NONE);
    let answers = [UnsavedAnswer::Discard, UnsavedAnswer::Cancel, UnsavedAnswer::Cancel, UnsavedAnswer::Save];
    assert_eq!(sent(&harness), answers.map(FileCommand::AnswerUnsaved));
}

#[test]
fn clips_that_no_file_has_are_named_where_they_would_be_lost_and_where_they_are_saved() {
    let mut harness = leaving(UnsavedWork { clips: 2, ..UnsavedWork::default() });
    harness.get_by_label("Save the new clips of tube.glb?");
    harness.get_by_label_contains("2 new clips");
    click(&mut harness, "Save…");
    assert_eq!(sent(&harness), [FileCommand::AnswerUnsaved(UnsavedAnswer::Save)]);
    let clips = SaveSummary { clips: 2, unpacked: Vec::new(), ..no_weights() };
    let clips = SaveSummary { coarse: vec!["keys are rounded by up to 4 mm".into()], ..clips };
    let mut harness = saving(SaveKind::InPlace, ready(clips));
    harness.get_by_label("Note that keys are rounded by up to 4 mm.");
    harness.get_by_label("New clips: 2");
    assert!(harness.query_by_label_contains("Weights of").is_none());
    click(&mut harness, "Save");
    assert_eq!(sent(&harness), [FileCommand::SaveTo("/models/tube.gltf".into())]);
}

#[test]
fn shapes_that_no_file_has_are_named_where_they_would_be_lost_and_where_they_are_saved() {
    let mut harness = leaving(UnsavedWork { shapes: 1, ..UnsavedWork::default() });
    harness.get_by_label_contains("1 mesh with other morph targets");
    click(&mut harness, "Save…");
    assert_eq!(sent(&harness), [FileCommand::AnswerUnsaved(UnsavedAnswer::Save)]);
    let shapes = SaveSummary { shapes: 2, ..no_weights() };
    let harness = saving(SaveKind::InPlace, ready(shapes));
    harness.get_by_label("Morph targets: 2");
    assert!(harness.query_by_label_contains("Weights of").is_none());
}

#[test]
fn steps_that_saving_ends_are_counted_before_and_a_copy_ends_none() {
    let with = |kind: SaveKind, summary: SaveSummary, lost_steps: usize| {
        let before = saving(kind, ready(summary));
        let status = before.state().status.saving.clone().unwrap();
        shown(SaveStatus { lost_steps, ..status })
    };
    let says = |harness: &Harness<'_, App>| harness.query_by_label_contains("can be taken back any more").is_some();
    with(SaveKind::InPlace, summary(), 1).get_by_label_contains("1 step of Undo ends here");
    with(SaveKind::As, summary(), 3).get_by_label_contains("3 steps of Undo end here");
    assert!(!says(&with(SaveKind::Copy, summary(), 3)) && !says(&with(SaveKind::As, summary(), 0)));
    let same = SaveSummary { vertices: 0, accessors: Vec::new(), json_values: 0, ..summary() };
    assert!(!says(&with(SaveKind::InPlace, same, 3)), "nothing is saved");
}

#[test]
fn edits_of_an_earlier_run_are_offered() {
    let offer = RecoveryOffer {
        name: "tube.glb".into(),
        file: Some("/models/tube.glb".into()),
        vertices: 5,
        clips: 2,
        binds: 0,
        bindings: 1,
        shapes: 0,
        placed: 19,
        posed: 2,
        controls: 3,
        ruled: 1,
        set_aside: 4,
        marks: 0,
        names: 0,
        age_secs: 7300,
    };
    let status = Status { recovery: Some(offer), ..Status::default() };
    let mut harness = window(session(3), UiState::default(), status);
    harness.get_by_label("/models/tube.glb");
    harness.get_by_label_contains("2 hours ago: the weights of 5 vertices, 2 new clips, the skin of 1 mesh, 19 placed joints, the pose of 2 nodes and morph targets, 3 sliders and controls, limits, pins or pairs of 1 joint, 4 things that were set aside.");
    click(&mut harness, "Discard");
    click(&mut harness, "Later");
    key(&mut harness, Key::Escape, Modifiers::NONE);
    key(&mut harness, Key::Enter, Modifiers::NONE);
    let answers = [RecoveryAnswer::Discard, RecoveryAnswer::Later, RecoveryAnswer::Later, RecoveryAnswer::Restore];
    assert_eq!(sent(&harness), answers.map(FileCommand::AnswerRecovery));
}

#[test]
fn what_meshopt_compressed_can_be_compressed_again() {
    let label = "Compress again by meshopt";
    // What Draco compressed cannot.
    assert!(saving(SaveKind::InPlace, ready(summary())).query_by_label(label).is_none());
    let unpacked = SaveSummary { unpacked: vec![("meshopt", 2)], ..summary() };
    let mut harness = saving(SaveKind::InPlace, ready(unpacked));
    harness.get_by_label(label).click();
    harness.run_steps(4);
    assert_eq!(sent(&harness), [FileCommand::Recompress(true)]);
    let again = SaveSummary { unpacked: Vec::new(), recompressed: 2, ..summary() };
    harness.state_mut().commands.clear();
    if let Some(saving) = &mut harness.state_mut().status.saving {
        (saving.stage, saving.recompresses) = (ready(again), true);
    }
    harness.run_steps(4);
    let line = "2 accessors are compressed by meshopt again, without loss.";
    assert!(harness.query_by_label(line).is_some() || harness.query_by_value(line).is_some());
    harness.get_by_label(label).click();
    harness.run_steps(4);
    assert_eq!(sent(&harness), [FileCommand::Recompress(false)]);
}

#[test]
fn a_tick_stands_beside_what_was_done_and_a_warning_beside_what_was_not_or_not_as_a_whole() {
    for (warns, role, wanted) in [(false, Role::Status, [1, 0]), (true, Role::Alert, [0, 1])] {
        let mut status = Status::default();
        let tell = if warns { Status::warn } else { Status::say };
        tell(&mut status, "Wrote a.stl".into());
        let harness = window(session(3), UiState::default(), status);
        harness.get_by_role_and_label(role, "Wrote a.stl");
        let plain = window(session(3), UiState::default(), Status::default());
        let more = |sign: &str| signs(&harness, sign) - signs(&plain, sign);
        assert_eq!([more(icons::CHECK), more(icons::WARNING)], wanted);
    }
}

#[test]
fn a_preview_that_would_end_is_named_where_the_file_has_changed() {
    let changed = ChangedStatus { name: "tube.glb".into(), work: UnsavedWork::default(), is_trying: true };
    let status = Status { changed: Some(changed), ..Status::default() };
    window(session(3), UiState::default(), status).get_by_label_contains("a tool that is not applied yet");
}

#[test]
fn the_question_about_a_dropped_file_waits_for_other_questions() {
    let work = UnsavedWork { vertices: 1, ..UnsavedWork::default() };
    let mut harness = leaving(work);
    harness.state_mut().status.dropped = Some("/models/walks.glb".into());
    harness.run_steps(4);
    assert!(harness.query_by_label_contains("walks.glb").is_none());
    key(&mut harness, Key::Escape, Modifiers::NONE);
    assert_eq!(sent(&harness), [FileCommand::AnswerUnsaved(UnsavedAnswer::Cancel)]);
    harness.state_mut().status.unsaved = None;
    harness.run_steps(4);
    harness.get_by_label("What is walks.glb for?");
}

#[test]
fn layers_are_kept_in_the_file_by_choice_where_there_are_some() {
    let mut harness = saving(SaveKind::InPlace, ready(summary()));
    assert!(harness.query_by_label("Keep layers in the file").is_none());
    for keeps in [false, true] {
        if let Some(saving) = &mut harness.state_mut().status.saving {
            saving.keeps_layers = Some(keeps);
        }
        harness.state_mut().commands.clear();
        harness.run_steps(2);
        assert_eq!(harness.query_by_label_contains("and not the layers").is_none(), keeps);
        click(&mut harness, "Keep layers in the file");
        assert_eq!(sent(&harness), [FileCommand::KeepLayers(!keeps)]);
    }
    // Layers alone are something to save, though no vertex and no accessor is another.
    let text = SaveSummary { json_values: 1, files: vec!["tube.gltf".into()], ..SaveSummary::default() };
    let mut harness = saving(SaveKind::InPlace, ready(text));
    harness.run_steps(1);
    assert!(harness.query_by_label("Save").is_some());
}

#[test]
fn a_file_with_other_names_is_said_and_stays_one_by_choice() {
    let linked = SaveSummary { links: vec![("tube.gltf".into(), 1)], ..summary() };
    let mut harness = saving(SaveKind::InPlace, ready(linked));
    harness.get_by_label("tube.gltf has 1 other name (hard links), which keeps what is there now.");
    click(&mut harness, "Keep it one file");
    assert_eq!(sent(&harness), [FileCommand::KeepLinks(true)]);
    if let Some(saving) = &mut harness.state_mut().status.saving {
        saving.keeps_links = true;
    }
    harness.run_steps(2);
    harness.get_by_label("tube.gltf has 1 other name (hard links), which gets the new contents too.");
    let mut plain = saving(SaveKind::InPlace, ready(summary()));
    plain.run_steps(1);
    assert!(plain.query_by_label("Keep it one file").is_none());
}
