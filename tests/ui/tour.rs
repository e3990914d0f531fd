//! The first steps on the built-in character.

use skinscope::import::{Options, Progress};
use skinscope::session::Source;

use super::*;

fn built_in() -> Session {
    let mut session = Session::default();
    session.open(Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap());
    session.apply(PlaybackCommand::SetPlaying(false));
    session
}

fn offered(saved: Saved, session: Session) -> Harness<'static, App> {
    window(session, UiState::new(saved).offering_first_steps(), Status::default())
}

fn is_shown(harness: &Harness<'_, App>, number: usize) -> bool {
    let wanted = format!("First steps · {number} of 5");
    harness.query_by_label(&wanted).is_some() || harness.query_by_value(&wanted).is_some()
}

fn is_done(harness: &Harness<'_, App>) -> bool {
    harness.query_by_label("Done · Next").is_some()
}

#[test]
fn each_of_five_steps_is_done_by_what_it_asks_for_and_no_other() {
    let mut harness = offered(Saved::default(), built_in());
    let act = |harness: &mut Harness<'_, App>, step: usize| match step {
        1 => {
            let from = harness.state().picture.center() + vec2(-200.0, 150.0);
            drag(harness, &[from, from + vec2(20.0, 0.0), from + vec2(40.0, 5.0)], PointerButton::Primary);
        }
        2 => {
            let area = harness.get_by_label("Time").rect();
            let from = egui::pos2(area.center().x, area.bottom() - 10.0);
            drag(harness, &[from, from + vec2(40.0, 0.0), from + vec2(80.0, 0.0)], PointerButton::Primary);
        }
        3 => {
            harness.key_press(Key::W);
            harness.run();
        }
        _ => {
            let turned = ChannelValue::Rotation(Vec3::new(0.0, 20.0, 0.0));
            harness.state_mut().session.apply(EditCommand::Edit(NodeId(2), turned));
            harness.state_mut().session.apply(EditCommand::EndEdit);
            harness.run();
        }
    };
    for step in 1..5 {
        assert!(is_shown(&harness, step) && !is_done(&harness), "step {step}");
        act(&mut harness, step);
        assert!(is_done(&harness), "step {step} is done");
        click(&mut harness, "Done · Next");
    }
    assert!(is_shown(&harness, 5));
    click(&mut harness, "Finish");
    assert!((1..=5).all(|step| !is_shown(&harness, step)));
}

#[test]
fn they_can_be_left_are_not_offered_twice_and_come_again_from_the_menu() {
    let mut harness = offered(Saved::default(), built_in());
    assert!(harness.state().ui.saved().tour_seen, "seen is seen, also where the window ends now");
    click(&mut harness, "Leave the first steps");
    assert!(!is_shown(&harness, 1));
    let again = offered(harness.state().ui.saved(), built_in());
    assert!(!is_shown(&again, 1), "they were seen");
    let mut file = Session::default();
    let model = Arc::new(tube(Tube { joints: 3, ..Tube::default() }));
    file.open(Document::new(model, vec![], Some("a.glb".into())));
    file.apply(PlaybackCommand::SetPlaying(false));
    let waits = offered(Saved::default(), file.clone());
    assert!(!is_shown(&waits, 1) && !waits.state().ui.saved().tour_seen, "they wait for the built-in character");
    let mut other = window(file, UiState::default(), Status::default());
    assert!(!is_shown(&other, 1));
    other.state_mut().ui.carry_out(&WindowCommand::ShowFirstSteps);
    other.run();
    assert!(is_shown(&other, 1));
    click(&mut other, "Next");
    assert!(is_shown(&other, 2));
    let left = |name: &str| other.get_by_label(name).rect().left();
    assert!(left("Back") < left("Next"), "the way on is at the right");
    click(&mut other, "Back");
    assert!(is_shown(&other, 1));
    click(&mut other, "Open built-in character");
    assert!(has(&other, &Command::File(FileCommand::OpenBuiltIn)));
}

#[test]
fn steps_name_what_the_window_shows_and_lie_over_nothing() {
    let mut harness = offered(Saved { timeline: false, ..Saved::default() }, built_in());
    click(&mut harness, "Next");
    harness.get_by_label_contains("the timeline (Ctrl+3 shows it)");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num3);
    harness.run();
    harness.get_by_label_contains("Drag in the timeline. Space");
    // The card about what the pointer is over stands above it.
    let plate = |harness: &Harness<'_, App>| harness.get_by_label("First steps · 2 of 5").rect();
    let bone = |app: &App| app.session.model().unwrap().skeleton.names.iter().position(|n| n == "UpperArm.L").unwrap();
    let at = NodeId::from_index(bone(harness.state()));
    harness.state_mut().session.apply(SelectionCommand::Hover(Some(at)));
    harness.step();
    harness.step();
    let card = harness.query_all_by_label("UpperArm.L").map(|node| node.rect());
    let card =
        card.filter(|rect| harness.state().picture.contains_rect(*rect)).max_by(|a, b| a.left().total_cmp(&b.left()));
    if let Some(card) = card {
        assert!(card.bottom() < plate(&harness).top(), "{card:?} {:?}", plate(&harness));
    }
}

/// The rings of the first steps that are painted.
fn rings(harness: &Harness<'_, App>) -> Vec<egui::Rect> {
    let ring = |shape: &egui::Shape| match shape {
        egui::Shape::Rect(rect) if rect.stroke.width == 2.0 && rect.fill == egui::Color32::TRANSPARENT => {
            Some(rect.rect)
        }
        _ => None,
    };
    harness.output().shapes.iter().filter_map(|clipped| ring(&clipped.shape)).collect()
}

#[test]
fn a_ring_is_around_the_control_that_a_step_names_until_it_is_done() {
    let mut session = built_in();
    session.apply(SelectionCommand::Select(Some(NodeId(3))));
    let mut harness = offered(Saved::default(), session);
    let surrounds = |harness: &Harness<'_, App>, named: egui::Rect| {
        rings(harness).iter().any(|ring| ring.contains_rect(named) && ring.width() < named.width() + 40.0)
    };
    let picture = harness.state().picture.shrink(8.0);
    assert!(surrounds(&harness, picture), "{:?}", rings(&harness));
    for name in ["Time", "Overlay", "Rotation X value", "Run range of motion"] {
        click(&mut harness, "Next");
        let named = harness.get_by_label(name).rect();
        let is_slider = name.starts_with("Rotation");
        let is_there = rings(&harness).iter().any(|ring| ring.contains_rect(named));
        assert!(is_there && (is_slider || surrounds(&harness, named)), "{name} {named:?}: {:?}", rings(&harness));
        assert!(!surrounds(&harness, picture), "it is around one control alone");
    }
    click(&mut harness, "Back");
    let named = harness.get_by_label("Rotation X value").rect();
    let turned = ChannelValue::Rotation(Vec3::new(0.0, 20.0, 0.0));
    harness.state_mut().session.apply(EditCommand::Edit(NodeId(2), turned));
    harness.state_mut().session.apply(EditCommand::EndEdit);
    harness.run();
    assert!(is_done(&harness) && !rings(&harness).iter().any(|ring| ring.contains_rect(named)));
}

#[test]
fn the_file_of_the_built_in_character_counts_as_it() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
    let mut session = Session::default();
    session.open(Source::File(path).load(&Options::default(), &Progress::silent()).unwrap());
    session.apply(PlaybackCommand::SetPlaying(false));
    let harness = offered(Saved::default(), session);
    assert!(is_shown(&harness, 1), "they are offered");
    assert!(harness.query_by_label("Open built-in character").is_none());
}
