//! Brushes: painting weights with the pointer, the panel of brushes, and what is said at the pointer.

use skinscope::app::ui::{AskedFile, AskedStage};
use skinscope::model::MeshId;
use skinscope::session::{BrushKey, FileUse, PaintCommand, PaintSettings, Panel, ToolCommand, refusal};

use super::paint_screen::unfold;
use super::*;

/// The joint that is painted, "joint 2", by its node and by its slot in the skin.
const PAINTED: (NodeId, u16) = (NodeId(3), 2);

/// A tube whose third joint is painted with a wide brush.
pub(super) fn held(brush: &str) -> Harness<'static, App> {
    held_with(brush, UiState::default())
}

fn held_with(brush: &str, ui: UiState) -> Harness<'static, App> {
    let mut session = session(6);
    session.apply(SelectionCommand::Select(Some(PAINTED.0)));
    session.apply(PaintCommand::Set(PaintSettings { radius: 0.3, ..PaintSettings::default() }));
    let mut harness = window(session, ui, Status::default());
    // Who takes a brush sees its panel, before all others.
    harness.state_mut().session.apply(PaintCommand::Hold(Some(brush.to_owned())));
    harness.run();
    harness.run();
    harness.state_mut().commands.clear();
    harness
}

/// The weights of the painted joint at all vertices, as bits.
pub(super) fn weights(harness: &Harness<'_, App>) -> Vec<u32> {
    let model = harness.state().session.model().unwrap();
    let influences = model.influences(MeshId(0), 0).unwrap();
    let weight = |vertex: usize| {
        let (joints, weights) = influences.of(vertex);
        let own = joints.iter().zip(weights).filter(|(joint, _)| **joint == PAINTED.1);
        own.map(|(_, weight)| *weight).sum::<f32>().to_bits()
    };
    (0..influences.vertices()).map(weight).collect()
}

fn total(weights: &[u32]) -> f32 {
    weights.iter().map(|bits| f32::from_bits(*bits)).sum()
}

/// A point of the skin in the picture, points.
pub(super) fn on_skin(harness: &Harness<'_, App>) -> Pos2 {
    let app = harness.state();
    let at = app.session.view().project(Vec3::new(0.0, 0.9, 0.0)).unwrap();
    app.picture.min + vec2(at.x, at.y)
}

fn button(harness: &mut Harness<'_, App>, at: Pos2, pressed: bool, modifiers: Modifiers) {
    harness.event(Event::PointerMoved(at));
    harness.run();
    harness.event_modifiers(
        Event::PointerButton { pos: at, button: PointerButton::Primary, pressed, modifiers },
        modifiers,
    );
    harness.run();
}

pub(super) fn click_at(harness: &mut Harness<'_, App>, at: Pos2) {
    button(harness, at, true, Modifiers::NONE);
    button(harness, at, false, Modifiers::NONE);
}

fn dabs(harness: &Harness<'_, App>) -> usize {
    harness.state().commands.iter().filter(|c| matches!(c, Command::Paint(PaintCommand::Dab(_)))).count()
}

fn turns_camera(harness: &Harness<'_, App>) -> bool {
    harness.state().commands.iter().any(|c| matches!(c, Command::Camera(CameraCommand::Orbit(_))))
}

fn brush(harness: &Harness<'_, App>) -> Option<&'static str> {
    harness.state().session.painting().brush().map(|brush| brush.id)
}

pub(super) fn undo(harness: &mut Harness<'_, App>) {
    harness.state_mut().session.apply(EditCommand::Undo);
    harness.run();
}

#[test]
fn a_drag_paints_along_its_way_and_is_one_step() {
    let mut harness = held("add");
    let before = weights(&harness);
    let at = on_skin(&harness);
    // One event takes the pointer over several steps of the brush.
    drag(&mut harness, &[at, at - vec2(0.0, 100.0)], PointerButton::Primary);
    assert!(total(&weights(&harness)) > total(&before) + 0.1);
    assert!(dabs(&harness) > 2 && !turns_camera(&harness), "{} dabs", dabs(&harness));
    let begins = |c: &&Command| **c == Command::Edit(EditCommand::BeginEdit);
    assert_eq!(harness.state().commands.iter().filter(begins).count(), 1);
    undo(&mut harness);
    assert!(weights(&harness) == before && !harness.state().session.history().can_undo());
    assert_eq!(brush(&harness), Some("add"), "it stays in the hand");
}

#[test]
fn a_click_paints_once_even_where_press_and_release_come_together() {
    let mut harness = held("add");
    let (before, at) = (weights(&harness), on_skin(&harness));
    click_at(&mut harness, at);
    assert!(dabs(&harness) == 1 && weights(&harness) != before);
    undo(&mut harness);
    assert!(weights(&harness) == before && !harness.state().session.history().can_undo());
    let press =
        |pressed| Event::PointerButton { pos: at, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE };
    harness.input_mut().events.extend([press(true), press(false)]);
    harness.step();
    harness.run();
    assert!(dabs(&harness) == 2 && weights(&harness) != before);
    undo(&mut harness);
    assert!(weights(&harness) == before && !harness.state().session.history().can_undo());
}

#[test]
fn escape_in_the_middle_gives_the_stroke_up_and_once_more_puts_the_brush_down() {
    let mut harness = held("add");
    let (before, at) = (weights(&harness), on_skin(&harness));
    button(&mut harness, at, true, Modifiers::NONE);
    harness.event(Event::PointerMoved(at - vec2(0.0, 60.0)));
    harness.run();
    assert!(weights(&harness) != before);
    harness.key_press(Key::Escape);
    harness.run();
    assert!(weights(&harness) == before);
    // The button is still down, and paints nothing any more.
    let so_far = dabs(&harness);
    harness.event(Event::PointerMoved(at - vec2(0.0, 90.0)));
    harness.run();
    button(&mut harness, at, false, Modifiers::NONE);
    assert!(weights(&harness) == before && dabs(&harness) == so_far);
    assert!(!harness.state().session.history().can_undo() && brush(&harness) == Some("add"));
    harness.key_press(Key::Escape);
    harness.run();
    assert_eq!(brush(&harness), None);
    assert_eq!(harness.state().session.view().selected, Some(PAINTED.0));
}

#[test]
fn ctrl_takes_away_and_shift_smooths() {
    for (modifiers, flips) in [(Modifiers::COMMAND, true), (Modifiers::SHIFT, false)] {
        let mut harness = held("add");
        let (before, at) = (weights(&harness), on_skin(&harness));
        button(&mut harness, at, true, modifiers);
        button(&mut harness, at, false, Modifiers::NONE);
        let said = harness.state().commands.iter().find_map(|c| match c {
            Command::Paint(PaintCommand::Dab(dab)) => Some((dab.flips, dab.smooths)),
            _ => None,
        });
        assert_eq!(said, Some((flips, !flips)));
        assert!(!flips || total(&weights(&harness)) < total(&before) - 0.05);
    }
}

#[test]
fn alt_and_a_click_take_the_weight() {
    let mut harness = held("replace");
    let at = on_skin(&harness);
    button(&mut harness, at, true, Modifiers::ALT);
    button(&mut harness, at, false, Modifiers::NONE);
    let sampled = harness.state().commands.iter().any(|c| matches!(c, Command::Paint(PaintCommand::Sample(_))));
    assert!(sampled && dabs(&harness) == 0 && !harness.state().session.history().can_undo());
}

#[test]
fn a_locked_joint_says_so_at_the_pointer_and_its_button_unlocks_it() {
    let mut harness = held("add");
    harness.state_mut().session.apply(ToolCommand::ToggleLock(PAINTED.0));
    harness.run();
    let (before, at) = (weights(&harness), on_skin(&harness));
    click_at(&mut harness, at);
    assert!(weights(&harness) == before);
    harness.get_by_label("joint 2 is locked");
    // It stays while the pointer goes to its button.
    harness.get_by_role_and_label(Role::Button, "Unlock joint 2").click();
    harness.run();
    assert!(harness.state().session.tools().locked.is_empty());
    assert!(harness.query_by_label("joint 2 is locked").is_none());
    click_at(&mut harness, at);
    assert!(weights(&harness) != before);
}

#[test]
fn the_weight_is_said_at_the_pointer_before_and_after() {
    let mut harness = held("add");
    let at = on_skin(&harness);
    harness.event(Event::PointerMoved(at));
    harness.run();
    let said = |harness: &Harness<'_, App>| {
        harness.get_by_label_contains("At the pointer: ").accesskit_node().value().unwrap_or_default()
    };
    assert!(!said(&harness).contains('→'), "{}", said(&harness));
    button(&mut harness, at, true, Modifiers::NONE);
    assert!(said(&harness).contains(" → ") && said(&harness).contains("vertex "), "{}", said(&harness));
    button(&mut harness, at, false, Modifiers::NONE);
}

#[test]
fn keys_and_the_wheel_change_the_size_and_the_strength() {
    let mut harness = held("add");
    let at = on_skin(&harness);
    harness.event(Event::PointerMoved(at));
    harness.run();
    let settings = |harness: &Harness<'_, App>| harness.state().session.painting().settings().clone();
    harness.key_press(Key::CloseBracket);
    harness.run();
    assert!(settings(&harness).radius > 0.3);
    harness.key_press(Key::OpenBracket);
    harness.run();
    assert!((settings(&harness).radius - 0.3).abs() < 1e-9);
    let wheel = |harness: &mut Harness<'_, App>, modifiers| {
        let delta = vec2(0.0, 1.0);
        let (unit, phase, source) = (egui::MouseWheelUnit::Line, egui::TouchPhase::Move, egui::MouseWheelSource::Wheel);
        harness.event_modifiers(Event::MouseWheel { unit, delta, phase, source, modifiers }, modifiers);
        harness.run();
    };
    wheel(&mut harness, Modifiers::COMMAND);
    assert!(settings(&harness).radius > 0.3);
    // A key lets it follow the pointer: a click keeps it, Escape gives it up. Neither paints.
    for (modifiers, ends_by_click) in
        [(Modifiers::NONE, true), (Modifiers::NONE, false), (Modifiers::SHIFT, true), (Modifiers::SHIFT, false)]
    {
        let before = settings(&harness);
        harness.event(Event::PointerMoved(at));
        harness.run();
        harness.key_press_modifiers(modifiers, Key::Z);
        harness.run();
        harness.event(Event::PointerMoved(at + vec2(-30.0, 0.0)));
        harness.run();
        let (now, strength) = (settings(&harness), modifiers == Modifiers::SHIFT);
        assert!(if strength { now.strength < before.strength } else { now.radius < before.radius }, "{modifiers:?}");
        if ends_by_click {
            click_at(&mut harness, at + vec2(-30.0, 0.0));
            assert_eq!(settings(&harness), now);
        } else {
            harness.key_press(Key::Escape);
            harness.run();
            assert_eq!(settings(&harness), before);
        }
        assert_eq!((brush(&harness), dabs(&harness)), (Some("add"), 0));
    }
}

#[test]
fn a_drag_paints_a_gradient_in_one_step_and_escape_gives_it_up() {
    let mut harness = held("replace");
    let (before, at) = (weights(&harness), on_skin(&harness));
    let gradients = |harness: &Harness<'_, App>| -> Vec<bool> {
        let radial = |command: &Command| match command {
            Command::Paint(PaintCommand::Gradient { radial, .. }) => Some(*radial),
            _ => None,
        };
        harness.state().commands.iter().filter_map(radial).collect()
    };
    for radial in [false, true] {
        harness.state_mut().ui.carry_out(&WindowCommand::Brush(BrushKey::Gradient));
        harness.run();
        harness.state_mut().commands.clear();
        drag(&mut harness, &[at, at - vec2(0.0, 100.0)], PointerButton::Primary);
        assert_eq!((gradients(&harness), dabs(&harness)), (vec![radial], 0));
        assert!(weights(&harness) != before && !turns_camera(&harness));
        undo(&mut harness);
        assert!(weights(&harness) == before && !harness.state().session.history().can_undo());
    }
    harness.state_mut().commands.clear();
    button(&mut harness, at, true, Modifiers::NONE);
    harness.event(Event::PointerMoved(at - vec2(0.0, 60.0)));
    harness.run();
    harness.key_press(Key::Escape);
    harness.run();
    button(&mut harness, at, false, Modifiers::NONE);
    assert!(gradients(&harness).is_empty() && weights(&harness) == before && brush(&harness) == Some("replace"));
    // Once more, and drags are strokes again.
    harness.state_mut().ui.carry_out(&WindowCommand::Brush(BrushKey::Gradient));
    harness.run();
    click_at(&mut harness, at);
    assert_eq!((gradients(&harness), dabs(&harness)), (Vec::new(), 1));
}

#[test]
fn the_legend_has_marks_at_floor_and_ceiling_while_a_brush_is_in_the_hand() {
    let mut harness = held("add");
    let settings = PaintSettings { floor: 0.25, ceiling: 0.8, ..PaintSettings::default() };
    harness.state_mut().session.apply(PaintCommand::Set(settings));
    harness.run();
    let rect = |harness: &Harness<'_, App>, label: &str| harness.get_by_label(label).rect();
    let floor = rect(&harness, "Floor of the brush: 0.25");
    assert!(floor.left() < rect(&harness, "Ceiling of the brush: 0.80").left());
    // A brush of the whole row has neither.
    harness.state_mut().session.apply(PaintCommand::Hold(Some("smooth".to_owned())));
    harness.run();
    assert!(harness.query_by_label_contains("of the brush: ").is_none());
}

#[test]
fn digits_are_the_strength_while_a_brush_is_in_the_hand_and_views_else() {
    let mut harness = held("add");
    let strength = |harness: &Harness<'_, App>| harness.state().session.painting().settings().strength;
    let looks = |harness: &Harness<'_, App>| {
        harness.state().commands.iter().filter(|c| matches!(c, Command::Camera(CameraCommand::LookFrom(_)))).count()
    };
    for (key, wanted) in [(Key::Num1, 0.1), (Key::Num7, 0.7), (Key::Num0, 1.0)] {
        harness.key_press(key);
        harness.run();
        assert_eq!(strength(&harness), wanted);
    }
    assert_eq!(looks(&harness), 0);
    harness.state_mut().session.apply(PaintCommand::Hold(None));
    harness.run();
    harness.key_press(Key::Num1);
    harness.run();
    assert_eq!((looks(&harness), strength(&harness)), (1, 1.0));
}

#[test]
fn with_keys_as_in_maya_a_drag_with_b_changes_the_radius_and_paints_nothing() {
    let saved = Saved { maya_keys: true, ..Saved::default() };
    let mut harness = held_with("add", UiState::new(saved));
    let (before, at) = (weights(&harness), on_skin(&harness));
    let radius = |harness: &Harness<'_, App>| harness.state().session.painting().settings().radius;
    let bones = Command::View(ViewCommand::Toggle(Toggle::Bones));
    harness.key_down(Key::B);
    harness.run();
    drag(&mut harness, &[at, at + vec2(40.0, 0.0)], PointerButton::Primary);
    harness.key_up(Key::B);
    harness.run();
    assert!(radius(&harness) > 0.31, "{}", radius(&harness));
    assert!(dabs(&harness) == 0 && weights(&harness) == before && !has(&harness, &bones));
}

#[test]
fn the_panel_and_the_hand_go_together() {
    let mut chosen = session(6);
    chosen.apply(SelectionCommand::Select(Some(PAINTED.0)));
    let mut harness = window(chosen, UiState::default(), Status::default());
    harness.get_by_label("Symmetric");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num8);
    harness.run();
    assert_eq!(brush(&harness), Some("add"));
    harness.run();
    assert!(harness.query_by_label("Symmetric").is_none(), "it is about poses");
    assert_eq!(harness.state().session.view().overlay.map(|o| o.id), Some("weights"), "who paints sees the weights");
    click(&mut harness, "Smooth brush");
    assert_eq!(brush(&harness), Some("smooth"));
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num8);
    harness.run();
    assert!(brush(&harness).is_none() && harness.query_by_label("Smooth brush").is_none());
    // The brush that was in the hand last comes back, with its panel.
    harness.key_press(Key::J);
    harness.run();
    assert_eq!(brush(&harness), Some("smooth"));
    click(&mut harness, "Put down");
    assert_eq!(brush(&harness), None);
    harness.get_by_label("Smooth brush");
    // The key of the panel takes the brush again, and then closes the panel.
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num8);
    harness.run();
    harness.run();
    assert_eq!(brush(&harness), Some("smooth"));
    harness.get_by_label("Smooth brush");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num8);
    harness.run();
    assert!(brush(&harness).is_none() && harness.query_by_label("Smooth brush").is_none());
    assert!(has(&harness, &WindowCommand::TogglePanel(Panel::Paint).into()));
    assert!(has(&harness, &WindowCommand::Brush(BrushKey::Take).into()));
}

#[test]
fn strokes_that_were_painted_are_saved_into_a_file_that_is_asked_for() {
    let mut harness = held("add");
    let save = Command::File(FileCommand::AskForFile(FileUse::SaveStrokes));
    assert!(refusal(&save, &harness.state().session).is_some(), "nothing was painted");
    let at = on_skin(&harness);
    click_at(&mut harness, at);
    assert!(refusal(&save, &harness.state().session).is_none());
    harness.get_by_label("Save the recorded strokes").scroll_to_me();
    harness.run();
    click(&mut harness, "Save the recorded strokes");
    assert!(has(&harness, &save));
    let path: std::path::PathBuf = "/strokes/elbow.strokes.json".into();
    let stage = AskedStage::Writable { replaces: false };
    let asked =
        AskedFile { usage: FileUse::SaveStrokes, path: path.clone(), has_dialog: false, offered: Vec::new(), stage };
    let status = Status { asked_file: Some(asked), ..Status::default() };
    let mut harness = window(session(3), UiState::default(), status);
    assert!(harness.query_by_label("Save strokes").is_some() || harness.query_by_value("Save strokes").is_some());
    click(&mut harness, "Save");
    assert!(has(&harness, &FileCommand::WriteFile(path).into()));
}

#[test]
fn nothing_is_painted_without_a_brush_and_other_tools_work_again_when_it_is_put_down() {
    let mut harness = held("add");
    let (before, at) = (weights(&harness), on_skin(&harness));
    harness.state_mut().session.apply(PaintCommand::Hold(None));
    harness.run();
    let way = [at, at + vec2(40.0, 0.0), at + vec2(60.0, 0.0)];
    // The rings of the selected joint take drags that begin on them.
    harness.state_mut().session.apply(SelectionCommand::Select(None));
    harness.run();
    drag(&mut harness, &way, PointerButton::Primary);
    assert!(turns_camera(&harness) && dabs(&harness) == 0 && weights(&harness) == before);
    let at = on_skin(&harness);
    click_at(&mut harness, at);
    assert!(harness.state().session.view().selected.is_some(), "a click selects");
    assert!(weights(&harness) == before);
    // A tool that is chosen over the picture takes the place of the brush, even the one that was chosen before.
    let mut harness = held("add");
    click(&mut harness, "Turn tool");
    assert_eq!(brush(&harness), None);
}

#[test]
fn a_right_click_offers_the_joint_that_moves_the_place_most() {
    let mut harness = held("add");
    harness.state_mut().session.apply(SelectionCommand::Select(Some(NodeId(6))));
    harness.run();
    let at = on_skin(&harness);
    drag(&mut harness, &[at, at], PointerButton::Secondary);
    harness.get_by_label_contains("Paint this joint: ").click();
    harness.run();
    let selected = harness.state().session.view().selected;
    assert!(selected == Some(NodeId(3)) || selected == Some(NodeId(4)), "{selected:?}");
    assert_eq!(brush(&harness), Some("add"));
}

/// Texts that begin in an area, and are cut.
fn cut_texts(harness: &Harness<'_, App>, area: egui::Rect) -> Vec<String> {
    fn add(shape: &egui::Shape, area: egui::Rect, out: &mut Vec<String>) {
        match shape {
            egui::Shape::Text(text) if text.galley.elided && area.contains(text.pos) => {
                out.push(text.galley.text().into())
            }
            egui::Shape::Vec(shapes) => shapes.iter().for_each(|shape| add(shape, area, out)),
            _ => {}
        }
    }
    let mut out = Vec::new();
    harness.output().shapes.iter().for_each(|clipped| add(&clipped.shape, area, &mut out));
    out
}

#[test]
fn the_panel_fits_a_small_window_at_either_size() {
    for scale in [100, 150] {
        for brush in ["add", "replace", "scale", "give", "smooth"] {
            let mut harness = held_with(brush, UiState::new(Saved { scale, ..Saved::default() }));
            harness.state_mut().session.apply(ToolCommand::ToggleLock(NodeId(5)));
            harness.run();
            ["Settings of the stroke", "Limits of the brush"].iter().for_each(|head| unfold(&mut harness, head));
            let names = [
                "Add brush",
                "Subtract brush",
                "Replace brush",
                "Scale brush",
                "Give brush",
                "Smooth brush",
                "Sharpen brush",
                "Average brush",
                "Falloff: Smooth",
                "Falloff: Constant",
                "Surface",
                "Space",
                "Screen",
                "Accumulate",
                "Airbrush",
                "Keep sums",
                "Front faces only",
                "Only marked",
                "Limit joints",
                "Auto",
                "Unlock the weights of joint 4",
                "Flood",
                "Put down",
            ];
            let left = harness.get_by_label("Add brush").rect().left().min(harness.get_by_label("Flood").rect().left());
            for name in names {
                let rect = harness.get_by_label(name).rect();
                assert!(rect.left() >= left - 60.0 && rect.right() <= 1280.0, "{scale} {brush}: {name} at {rect:?}");
            }
            // What stands below all else is in sight always.
            let bottom = harness.get_by_label("Flood").rect().bottom();
            assert!(bottom <= 720.0);
            // Below the bar and the tabs.
            let points = 100.0 / scale as f32;
            let from = Pos2::new(left * points - 1.0, 70.0);
            let area = egui::Rect::from_min_max(from, Pos2::new(1280.0, bottom) * points);
            // The timeline below is no part of the panel.
            let mut cut = cut_texts(&harness, area);
            cut.retain(|text| !text.contains("frame"));
            assert_eq!(cut, Vec::<String>::new(), "{scale} {brush}");
        }
    }
}
