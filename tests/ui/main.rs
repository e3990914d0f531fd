//! The panels as a user meets them: found by name, clicked, dragged and typed into. No window, no GPU.
#![cfg(feature = "app")]
#![expect(clippy::unwrap_used, reason = "a broken panel should stop the test")]

mod findings;
mod focus;
mod keyboard;
mod names;
mod overlays;
mod panels;
mod tables;
mod tools;

use std::sync::Arc;

use egui::accesskit::{Action, Role};
use egui::{Event, Key, Modifiers, PointerButton, Pos2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use glam::Vec3;
use skinscope::app::ui::{self, Loading, Saved, Status, UiState, icons, theme};
use skinscope::deform::{PaletteBuffer, PaletteLimits};
use skinscope::model::shapes::{Tube, tube};
use skinscope::model::{Camera, CameraId, ClipId, Lens, Light, LightId, LightKind, Model, ModelParts, NodeId};
use skinscope::session::{
    Antialiasing, COMMANDS, CameraCommand, ChannelValue, Command, Document, EditCommand, Effect, FileCommand,
    FindingCommand, InspectionCommand, Lighting, LoopMode, PlaybackCommand, PoseSource, SelectionCommand, Session,
    Toggle, ViewCommand, ViewFrom, WindowCommand,
};

/// The application without its window.
struct App {
    session: Session,
    ui: UiState,
    status: Status,
    /// All that was asked for so far.
    commands: Vec<Command>,
    /// Where the picture is.
    picture: egui::Rect,
}

impl App {
    fn frame(&mut self, ui: &mut egui::Ui) {
        let mut commands = Vec::new();
        self.picture = ui::show(ui, &self.session, &mut self.ui, &self.status, &mut commands).rect;
        for command in commands {
            if let Some(Effect::Window(command)) = self.session.apply(command.clone()) {
                self.ui.carry_out(&command);
            }
            self.commands.push(command);
        }
        self.session.update_pose();
    }
}

/// A tube of `joints` joints, paused at 0 s.
fn session(joints: usize) -> Session {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(tube(Tube { joints, rings: 12, ..Tube::default() })), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    session
}

fn window(session: Session, ui: UiState, status: Status) -> Harness<'static, App> {
    let app = App { session, ui, status, commands: Vec::new(), picture: egui::Rect::ZERO };
    let mut harness = Harness::builder()
        .with_size(vec2(1280.0, 720.0))
        .with_step_dt(0.05)
        .with_max_steps(40)
        .with_context_setup(ui::install)
        .build_ui_state(|ui, app: &mut App| app.frame(ui), app);
    harness.run();
    harness.state_mut().commands.clear();
    harness
}

fn open(joints: usize) -> Harness<'static, App> {
    window(session(joints), UiState::default(), Status::default())
}

fn selected(joints: usize, node: u32) -> Harness<'static, App> {
    let mut session = session(joints);
    session.apply(SelectionCommand::Select(Some(NodeId(node))));
    window(session, UiState::default(), Status::default())
}

fn click(harness: &mut Harness<'_, App>, label: &str) {
    harness.get_by_label(label).click();
    harness.run();
}

/// Presses at the first point and drags to the others, a frame each.
fn drag(harness: &mut Harness<'_, App>, points: &[Pos2], button: PointerButton) {
    let press = |pos, pressed| Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE };
    harness.event(Event::PointerMoved(points[0]));
    harness.run();
    harness.event(press(points[0], true));
    harness.run();
    for point in &points[1..] {
        harness.event(Event::PointerMoved(*point));
        harness.run();
    }
    harness.event(press(points[points.len() - 1], false));
    harness.run();
}

fn has(harness: &Harness<'_, App>, wanted: &Command) -> bool {
    harness.state().commands.contains(wanted)
}

#[test]
fn weights_and_dominant_are_switched_in_the_menu_bar() {
    let mut harness = open(3);
    click(&mut harness, "Weights");
    assert!(has(&harness, &Command::View(ViewCommand::ToggleOverlay("weights"))));
    harness.get_by_label_contains("Weight of joint ");
    click(&mut harness, "Dominant");
    assert!(has(&harness, &Command::View(ViewCommand::ToggleOverlay("dominant"))));
    click(&mut harness, "Shared in black");
    assert!(
        has(&harness, &Command::View(ViewCommand::Toggle(Toggle::SharedBlack)))
            && harness.state().session.view().shared_black
    );
}

/// Thirty cameras make a menu that no window holds: its last row is reached by scrolling, and it stays inside the window.
#[test]
fn a_menu_longer_than_the_window_scrolls() {
    let mut parts: ModelParts = (*tube(Tube { joints: 32, rings: 12, ..Tube::default() })).clone();
    let lens = Lens::Perspective { fov_y: 0.8, aspect: None, near: 0.1, far: None };
    parts.cameras = (0..30).map(|i| Camera { name: format!("Camera of shot {i}"), lens }).collect();
    parts.camera_nodes = (0..30).map(|i| (NodeId(i + 1), CameraId(i))).collect();
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    let mut harness = window(session, UiState::default(), Status::default());
    harness.set_size(vec2(1280.0, 500.0));
    harness.run();
    click(&mut harness, "View");
    click(&mut harness, "Views");
    const LAST: &str = "Camera of shot 11";
    let last = |harness: &Harness<'_, App>| harness.get_by_label(LAST).rect();
    assert!(last(&harness).bottom() > 500.0, "the menu is long enough to show something");
    harness.get_by_label("Camera of shot 7");
    harness.get_by_label(LAST).scroll_to_me();
    harness.run();
    harness.run();
    assert!(last(&harness).bottom() <= 500.0, "{}", last(&harness));
    click(&mut harness, LAST);
    assert!(has(&harness, &Command::Camera(CameraCommand::SetCamera(Some(11)))), "the click landed");
}

#[test]
fn cameras_and_lights_of_the_file_are_chosen_in_the_view_menu() {
    let mut parts: ModelParts = (*tube(Tube { joints: 3, rings: 12, ..Tube::default() })).clone();
    let lens = Lens::Perspective { fov_y: 0.8, aspect: None, near: 0.1, far: None };
    parts.cameras = vec![Camera { name: "close".into(), lens }, Camera { name: String::new(), lens }];
    parts.camera_nodes = vec![(NodeId(1), CameraId(0)), (NodeId(2), CameraId(1))];
    let (name, kind, color) = (String::new(), LightKind::Point, Vec3::ONE);
    parts.lights = vec![Light { name, kind, color, intensity: 1.0, range: None }];
    parts.light_nodes = vec![(NodeId(1), LightId(0))];
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    let mut harness = window(session, UiState::default(), Status::default());
    harness.set_size(vec2(1280.0, 1400.0));
    harness.run();
    click(&mut harness, "View");
    click(&mut harness, "Views");
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Camera joint 1");
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Camera close").click();
    harness.run();
    assert_eq!(harness.state().session.view().through.map(|t| t.index), Some(0));
    click(&mut harness, "View");
    click(&mut harness, "Lights");
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Lights of the file").click();
    harness.run();
    assert_eq!(harness.state().session.view().lighting, Lighting::File);
    // Under the triad stands what is looked through; a click leaves it.
    harness.get_by_role_and_label(Role::Button, "Camera close").click();
    harness.run();
    assert_eq!(harness.state().session.view().through, None);
    harness.get_by_role_and_label(Role::Button, "Perspective");
    // A file without lights is lit by the studio, whatever was chosen before.
    let mut harness = open(3);
    harness.set_size(vec2(1280.0, 1400.0));
    harness.run();
    click(&mut harness, "View");
    click(&mut harness, "Lights");
    assert!(
        harness.get_by_role_and_label(Role::MenuItemCheckBox, "Lights of the file").accesskit_node().is_disabled(),
        "nothing to choose"
    );
}

#[test]
fn humanoid_names_stand_beside_the_joints_and_are_found() {
    let mut parts: ModelParts = (*tube(Tube { joints: 3, rings: 12, ..Tube::default() })).clone();
    parts.humanoid = vec![(NodeId(1), "hips".into()), (NodeId(2), "leftUpperLeg".into())];
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    let mut harness = window(session, UiState::default(), Status::default());
    harness.get_by_label("Search nodes").focus();
    harness.run();
    harness.get_by_label("Search nodes").type_text("upperleg");
    harness.run();
    assert!(harness.query_by_label("joint 2").is_none());
    click(&mut harness, "joint 1, leftUpperLeg");
    assert_eq!(harness.state().session.view().selected, Some(NodeId(2)));
    harness.get_by_label_contains("leftUpperLeg · joint 1 of skin");
}

#[test]
fn sums_that_are_not_one_are_shown_with_the_switch_that_divides_by_them() {
    let mut parts: ModelParts = (*tube(Tube { joints: 3, rings: 12, ..Tube::default() })).clone();
    let weights = &mut parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().weights;
    weights.iter_mut().for_each(|w| *w *= 0.5);
    let vertices = parts.meshes[0].primitives[0].stored_vertices;
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    let mut harness = window(session, UiState::default(), Status::default());
    // The switch stands below the window's edge.
    harness.set_size(vec2(1280.0, 1400.0));
    harness.run();
    harness.get_by_label(&format!("Weights not summing to one: {vertices} vertices"));
    harness.get_by_label("Their sums: 0.500 to 0.500");
    click(&mut harness, "Fold root");
    click(&mut harness, "Normalise weights");
    assert!(
        has(&harness, &Command::Edit(EditCommand::NormaliseWeights))
            && harness.state().session.document().is_some_and(|d| d.stats().uneven.is_none())
    );
    harness.run();
    // The figures are those of the edited weights, and what was folded stays so.
    harness.get_by_label(&format!("Edited weights: {vertices} vertices"));
    assert!(harness.query_by_label("Their sums: 0.500 to 0.500").is_none());
    harness.get_by_label("Unfold root");
    // A model whose sums are one has nothing to switch.
    let harness = open(3);
    assert!(harness.query_by_label("Normalise weights").is_none());
}

#[test]
fn the_method_is_chosen_from_its_table() {
    let other = skinscope::deform::METHODS[1];
    // In the menu bar and nowhere else, whatever is selected.
    let mut harness = open(3);
    assert!(harness.query_by_label(other.label).is_none() && harness.query_by_label("Linear blend").is_none());
    click(&mut harness, "Deformation method: Linear blend");
    click(&mut harness, other.label);
    assert_eq!(harness.state().session.view().method.id, other.id);
}

#[test]
fn dragging_a_slider_to_its_end_is_one_edit_that_ends() {
    let mut harness = selected(3, 2);
    let rail = harness.get_by_label("Rotation X").rect();
    drag(&mut harness, &[rail.center(), rail.center() + vec2(20.0, 0.0), rail.right_center()], PointerButton::Primary);
    let commands = &harness.state().commands;
    let edits: Vec<_> = commands.iter().filter(|c| matches!(c, Command::Edit(EditCommand::Edit(..)))).collect();
    assert_eq!(
        *edits[edits.len() - 1],
        Command::Edit(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(180.0, 0.0, 0.0))))
    );
    assert!(edits.len() >= 2, "every move of the drag shows");
    let ends = commands.iter().filter(|c| **c == Command::Edit(EditCommand::EndEdit)).count();
    assert_eq!((commands.last(), ends), (Some(&Command::Edit(EditCommand::EndEdit)), 1));
    let session = &mut harness.state_mut().session;
    session.apply(EditCommand::Undo);
    assert!(session.edits().is_empty(), "one drag is one step");
}

#[test]
fn a_typed_value_is_an_edit_even_while_the_clip_plays() {
    let mut harness = selected(3, 2);
    harness.state_mut().session.apply(PlaybackCommand::TogglePlay);
    click(&mut harness, "Rotation Y value");
    harness.state_mut().session.apply(PlaybackCommand::Seek(0.3));
    harness.event(Event::Text("−12,5".into()));
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    let commands = &harness.state().commands;
    let [
        ..,
        Command::Edit(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(degrees))),
        Command::Edit(EditCommand::EndEdit),
    ] = commands.as_slice()
    else {
        unreachable!("{commands:?}")
    };
    assert_eq!(degrees.y, -12.5);
    // The clip's own turn about X at 0.3 s of 0.5 s to 30 degrees stays in what the edit holds.
    assert!((degrees.x - 18.0).abs() < 0.5, "{degrees}");
}

#[test]
fn escape_leaves_a_typed_value_alone() {
    let mut harness = selected(3, 2);
    click(&mut harness, "Translation X value");
    harness.event(Event::Text("5".into()));
    harness.run();
    harness.key_press(Key::Escape);
    harness.run();
    assert!(harness.state().session.edits().is_empty());
}

#[test]
fn arrows_on_a_focused_slider_step_by_a_degree() {
    let mut harness = selected(3, 2);
    harness.get_by_label("Rotation Z").focus();
    harness.run();
    harness.key_press(Key::ArrowRight);
    harness.run();
    assert_eq!(
        harness.state().commands,
        [
            Command::Edit(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(0.0, 0.0, 1.0)))),
            Command::Edit(EditCommand::EndEdit)
        ]
    );
}

#[test]
fn an_edited_channel_can_be_reset() {
    let mut harness = selected(3, 2);
    assert!(harness.query_by_label("Reset rotation").is_none());
    harness.state_mut().session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::X)));
    harness.run();
    click(&mut harness, "Reset rotation");
    assert!(harness.state().session.edits().is_empty());
}

#[test]
fn a_click_in_the_outliner_selects() {
    let mut harness = open(4);
    click(&mut harness, "joint 2");
    assert_eq!(harness.state().session.view().selected, Some(NodeId(3)));
    harness.get_by_label_contains("joint 2 of skin tube · child of joint 1");
    // What the pointer is over is said, so that the picture can show it.
    assert!(has(&harness, &Command::Selection(SelectionCommand::Hover(Some(NodeId(3))))));
}

#[test]
fn the_search_keeps_matches_and_what_they_hang_on() {
    let mut harness = open(12);
    click(&mut harness, "Search nodes");
    harness.event(Event::Text("joint 3".into()));
    harness.run();
    harness.get_by_label("joint 3");
    harness.get_by_label("joint 1");
    assert!(harness.query_by_label("joint 5").is_none());
    click(&mut harness, "Clear search");
    harness.get_by_label("joint 5");
}

#[test]
fn escape_clears_the_search_and_then_leaves_it() {
    let mut harness = open(12);
    click(&mut harness, "Search nodes");
    harness.event(Event::Text("joint 3".into()));
    harness.run();
    assert!(harness.query_by_label("joint 5").is_none());
    harness.key_press(Key::Escape);
    harness.run();
    harness.get_by_label("joint 5");
    assert!(harness.get_by_label("Search nodes").is_focused());
    harness.key_press(Key::Escape);
    harness.run();
    assert!(!harness.get_by_label("Search nodes").is_focused());
}

#[test]
fn folding_hides_children_until_one_is_selected_elsewhere() {
    let mut harness = open(5);
    click(&mut harness, "Fold joint 1");
    assert!(harness.query_by_label("joint 2").is_none());
    harness.state_mut().session.apply(SelectionCommand::Select(Some(NodeId(4))));
    harness.run();
    assert!(
        harness.query_all_by_role(Role::TreeItem).any(|n| n.accesskit_node().label().as_deref() == Some("joint 3"))
    );
}

#[test]
fn a_selection_made_elsewhere_is_scrolled_to_and_long_trees_stay_cheap() {
    let mut harness = open(3000);
    let rows = |h: &Harness<'_, App>| h.query_all_by_role(Role::TreeItem).count();
    assert!(rows(&harness) < 40, "{} rows", rows(&harness));
    harness.state_mut().session.apply(SelectionCommand::Select(Some(NodeId(2500))));
    harness.run();
    let row = harness.get_by_role_and_label(Role::TreeItem, "joint 2499").rect();
    assert!(row.top() > 80.0 && row.bottom() < 560.0, "{row:?}");
    assert!(rows(&harness) < 40, "{} rows", rows(&harness));
}

#[test]
fn dragging_on_the_timeline_scrubs_even_while_playing() {
    for playing in [false, true] {
        let mut harness = open(3);
        harness.state_mut().session.apply(PlaybackCommand::SetPlaying(playing));
        let area = harness.get_by_label("Time").rect();
        // The ends of the clip (0 s and 1 s) stand twelve points inside the area.
        let at = |secs: f32| egui::pos2(area.left() + 12.0 + secs * (area.width() - 24.0), area.bottom() - 10.0);
        drag(&mut harness, &[at(0.25), at(0.5), at(0.75)], PointerButton::Primary);
        let sought: Vec<f32> = harness
            .state()
            .commands
            .iter()
            .filter_map(|c| if let Command::Playback(PlaybackCommand::Seek(secs)) = c { Some(*secs) } else { None })
            .collect();
        for want in [0.25, 0.5, 0.75] {
            assert!(sought.iter().any(|s| (s - want).abs() < 1e-3), "{want} s in {sought:?}");
        }
        assert_eq!(harness.state().session.playback().playing, playing, "playback goes on after a scrub");
    }
}

/// Presses at `from` and lets go at `to`, all in one frame.
fn flick(harness: &mut Harness<'_, App>, from: Pos2, to: Pos2) {
    let button = PointerButton::Primary;
    let press = |pos, pressed| Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE };
    harness.event(Event::PointerMoved(from));
    harness.run_steps(2);
    harness.state_mut().commands.clear();
    harness.input_mut().events.extend([press(from, true), Event::PointerMoved(to), press(to, false)]);
    harness.run_steps(3);
}

#[test]
fn a_press_on_a_slider_that_is_over_within_a_frame_counts() {
    for moved in [false, true] {
        let mut harness = selected(3, 2);
        let rail = harness.get_by_label("Rotation X").rect();
        let end = rail.right_center() - vec2(1.0, 0.0);
        flick(&mut harness, if moved { rail.center() + vec2(30.0, 0.0) } else { end }, end);
        let wanted = Command::Edit(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(180.0, 0.0, 0.0))));
        let asked: Vec<_> = harness
            .state()
            .commands
            .iter()
            .filter(|c| matches!(c, Command::Edit(EditCommand::Edit(..)) | Command::Edit(EditCommand::EndEdit)))
            .collect();
        assert_eq!(asked, [&wanted, &Command::Edit(EditCommand::EndEdit)], "moved: {moved}");
    }
}

#[test]
fn what_a_drag_moves_as_it_lets_go_is_kept() {
    let mut harness = selected(3, 2);
    let rail = harness.get_by_label("Rotation X").rect();
    let button = PointerButton::Primary;
    let press = |pos, pressed| Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE };
    harness.event(Event::PointerMoved(rail.center()));
    harness.run();
    harness.event(press(rail.center(), true));
    harness.run();
    harness.event(Event::PointerMoved(rail.center() + vec2(20.0, 0.0)));
    harness.run();
    let end = rail.right_center() + vec2(40.0, 0.0);
    harness.input_mut().events.extend([Event::PointerMoved(end), press(end, false)]);
    harness.run();
    let [.., edit, Command::Edit(EditCommand::EndEdit)] = harness.state().commands.as_slice() else { unreachable!() };
    assert_eq!(*edit, Command::Edit(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(180.0, 0.0, 0.0)))));
    assert_eq!(harness.state().commands.iter().filter(|c| **c == Command::Edit(EditCommand::EndEdit)).count(), 1);
}

#[test]
fn a_press_on_the_ruler_that_is_over_within_a_frame_counts() {
    for (playing, from) in [(false, 0.75), (true, 0.75), (false, 0.25), (true, 0.25)] {
        let mut harness = open(3);
        harness.state_mut().session.apply(PlaybackCommand::SetPlaying(playing));
        let area = harness.get_by_label("Time").rect();
        let at = |secs: f32| egui::pos2(area.left() + 12.0 + secs * (area.width() - 24.0), area.bottom() - 10.0);
        flick(&mut harness, at(from), at(0.75));
        let sought: Vec<f32> = harness
            .state()
            .commands
            .iter()
            .filter_map(|c| if let Command::Playback(PlaybackCommand::Seek(secs)) = c { Some(*secs) } else { None })
            .collect();
        assert!(sought.len() == 1 && (sought[0] - 0.75).abs() < 1e-3, "playing: {playing}, from {from}: {sought:?}");
    }
}

#[test]
fn transport_buttons_send_what_they_say() {
    let mut harness = open(3);
    let buttons = [
        ("To start", Command::Playback(PlaybackCommand::ToStart)),
        ("Previous key", Command::Playback(PlaybackCommand::PreviousKey)),
        ("Previous frame", Command::Playback(PlaybackCommand::StepFrames(-1))),
        ("Next frame", Command::Playback(PlaybackCommand::StepFrames(1))),
        ("Next key", Command::Playback(PlaybackCommand::NextKey)),
        ("To end", Command::Playback(PlaybackCommand::ToEnd)),
        ("Play", Command::Playback(PlaybackCommand::TogglePlay)),
        ("Pause", Command::Playback(PlaybackCommand::TogglePlay)),
        ("Rest pose", Command::Playback(PlaybackCommand::SetPose(PoseSource::Rest))),
        ("Look from above (+Y)", Command::Camera(CameraCommand::LookFrom(ViewFrom::Top))),
        ("Perspective", Command::Camera(CameraCommand::ToggleOrthographic)),
    ];
    for (label, command) in buttons {
        harness.state_mut().commands.clear();
        click(&mut harness, label);
        assert!(has(&harness, &command), "{label} sent {:?}", harness.state().commands);
    }
}

#[test]
fn loop_mode_speed_and_frame_rate_are_chosen_from_lists() {
    let mut harness = open(3);
    click(&mut harness, "At the end: Loop");
    click(&mut harness, "Ping-pong");
    click(&mut harness, "Frame rate: 30 fps");
    click(&mut harness, "24 fps");
    click(&mut harness, "Speed: 1×");
    click(&mut harness, "−1×");
    let playback = harness.state().session.playback();
    assert_eq!((playback.loop_mode, playback.fps, playback.speed), (LoopMode::PingPong, 24.0, -1.0));
}

#[test]
fn long_lists_of_clips_are_searched() {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(with_clips(76)), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    let mut harness = window(session, UiState::default(), Status::default());
    // The search has the focus as the list opens.
    click(&mut harness, "Clip: Clip 0");
    harness.event(Event::Text("73".into()));
    harness.run();
    let row = harness
        .get_all_by_role(Role::Button)
        .find(|n| n.accesskit_node().label().is_some_and(|label| label.starts_with("Clip 73")));
    row.unwrap().click();
    harness.run();
    assert_eq!(harness.state().session.playback().clip, Some(ClipId(73)));
}

/// A tube whose clip is there `count` times.
fn with_clips(count: usize) -> Model {
    let model = tube(Tube::default());
    let clip = |i: usize| skinscope::model::Clip { name: format!("Clip {i}"), ..model.clips[0].clone() };
    Model::build(ModelParts { clips: (0..count).map(clip).collect(), ..ModelParts::clone(&model) }).unwrap()
}

#[test]
fn scenes_are_chosen_above_the_tree() {
    let model = tube(Tube { joints: 3, ..Tube::default() });
    let mut parts = ModelParts::clone(&model);
    let mut other = parts.scenes[0].clone();
    other.name = "Backstage".into();
    other.contains = vec![true, true, false, false];
    let mut empty = other.clone();
    empty.name = "Empty".into();
    empty.roots.clear();
    empty.contains = vec![false; 4];
    parts.scenes.extend([other, empty]);
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    let mut harness = window(session, UiState::default(), Status::default());
    harness.get_by_label("joint 2");
    click(&mut harness, "Scene: Scene 0");
    click(&mut harness, "Backstage");
    assert_eq!(harness.state().session.view().scene, 1);
    harness.get_by_label("joint 0");
    assert!(harness.query_by_label("joint 2").is_none());
    click(&mut harness, "Scene: Backstage");
    click(&mut harness, "Empty");
    harness.get_by_label("This scene has no nodes.");
}

#[test]
fn material_variants_are_chosen_while_nothing_is_selected() {
    let shown = |harness: &Harness<'_, App>| harness.state().session.view().variant;
    let mut parts: ModelParts = (*tube(Tube::default())).clone();
    assert!(open(2).query_by_label_contains("Material variant").is_none(), "a file without variants has no list");
    parts.variants = vec!["Leather".into(), "Velvet".into()];
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    let mut harness = window(session, UiState::default(), Status::default());
    click(&mut harness, "Material variant: As stored");
    click(&mut harness, "Velvet");
    assert!(has(&harness, &Command::View(ViewCommand::SetVariant(Some(1)))) && shown(&harness) == Some(1));
    click(&mut harness, "Material variant: Velvet");
    click(&mut harness, "Leather");
    assert_eq!(shown(&harness), Some(0));
    click(&mut harness, "Material variant: Leather");
    click(&mut harness, "As stored");
    assert_eq!(shown(&harness), None);
}

#[test]
fn morph_targets_have_sliders_that_can_be_reset() {
    let model = tube(Tube::default());
    let mut parts = ModelParts::clone(&model);
    parts.meshes[0].morph_names = vec!["Smile".into(), "Blink".into()];
    parts.meshes[0].primitives[0].morphs = vec![skinscope::model::MorphTarget::default(); 2];
    parts.instances[0].morph_weights = vec![0.0, 0.25];
    parts.skeleton.rest.morph_weights = vec![0.0, 0.25];
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    let mut harness = window(session, UiState::default(), Status::default());
    let rail = harness.get_by_label("Blink of root").rect();
    drag(&mut harness, &[rail.center(), rail.right_center()], PointerButton::Primary);
    assert_eq!(harness.state().session.pose().local.morph_weights, [0.0, 1.0]);
    assert_eq!(harness.state().commands.last(), Some(&Command::Edit(EditCommand::EndEdit)));
    click(&mut harness, "Reset morph targets of root");
    assert_eq!(harness.state().session.pose().local.morph_weights, [0.0, 0.25]);
}

#[test]
fn files_without_a_clip_say_what_to_do() {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(with_clips(0)), vec![], None));
    let harness = window(session, UiState::default(), Status::default());
    harness.get_by_label_contains("This file has no clips.");
    assert!(harness.query_by_label("Clip").is_none(), "there is no clip pose to choose");
}

#[test]
fn menus_hold_every_command_with_its_key() {
    let mut harness = open(3);
    for title in ["File", "Edit", "View", "Overlay", "Playback", "Help"] {
        click(&mut harness, title);
        let menu: Vec<_> = COMMANDS.iter().filter(|row| format!("{:?}", row.menu) == title).collect();
        assert!(!menu.is_empty());
        let mut found: Vec<String> = Vec::new();
        let listed = |harness: &Harness<'_, App>| {
            let items = [Role::MenuItem, Role::MenuItemCheckBox].map(|role| harness.query_all_by_role(role));
            items.into_iter().flatten().filter_map(|n| n.accesskit_node().label()).collect::<Vec<_>>()
        };
        found.extend(listed(&harness));
        for submenu in ["Views", "Lights", "Crowd", "Panels", "Bones and skin"].into_iter().filter(|_| title == "View")
        {
            // The picture has a button of the same name.
            harness.get_by_role_and_label(Role::MenuItem, submenu).click();
            harness.run();
            found.extend(listed(&harness));
        }
        for row in menu {
            assert!(found.iter().any(|f| f == row.label), "{title} › {}", row.label);
        }
        harness.key_press(Key::Escape);
        harness.run();
    }
    click(&mut harness, "View");
    let item = harness.get_by_role_and_label(Role::MenuItemCheckBox, "Wireframe");
    item.click();
    harness.run();
    assert!(harness.state().session.view().wireframe);
    assert!(harness.query_by_role_and_label(Role::MenuItemCheckBox, "Wireframe").is_none(), "the menu closes");
}

#[test]
fn the_list_of_keys_is_complete() {
    let mut harness = open(3);
    harness.state_mut().ui.carry_out(&WindowCommand::ShowShortcuts);
    harness.run();
    for row in COMMANDS.iter() {
        let Some(shortcut) = row.shortcut else { continue };
        harness.get_by_label(&format!("{shortcut}: {}", row.label));
    }
    // Nothing behind it answers to keys.
    harness.key_press(Key::W);
    harness.run();
    assert!(harness.state().commands.is_empty());
    click(&mut harness, "Close");
    assert!(harness.query_by_label("F1: Keys").is_none());
    harness.key_press(Key::W);
    harness.run();
    assert_eq!(harness.state().commands, [Command::View(ViewCommand::ToggleOverlay("weights"))]);
}

#[test]
fn what_takes_long_says_what_it_does_and_can_be_stopped() {
    let work = |fraction, cancel| ui::BackgroundStatus { what: "Collecting the edges".into(), fraction, cancel };
    let cancel = Command::View(ViewCommand::Toggle(Toggle::Wireframe));
    let status = |work| Status { work: Some(work), ..Status::default() };
    let mut harness = window(session(2), UiState::default(), status(work(Some(0.25), Some(cancel.clone()))));
    harness.get_by_label("Collecting the edges · 25 %");
    click(&mut harness, "Cancel");
    assert!(has(&harness, &cancel));
    let harness = window(session(2), UiState::default(), status(work(Some(1.0), None)));
    harness.get_by_label("Collecting the edges · 100 %");
    assert!(harness.query_by_label("Cancel").is_none());
}

#[test]
fn about_names_version_and_licences() {
    let mut harness = open(3);
    harness.state_mut().ui.carry_out(&WindowCommand::ShowAbout);
    harness.run();
    harness.get_by_label_contains(env!("CARGO_PKG_VERSION"));
    harness.get_by_label_contains("SIL Open Font License");
    harness.key_press(Key::Escape);
    harness.run();
    assert!(harness.query_by_label_contains("SIL Open Font License").is_none());
}

#[test]
fn panels_are_hidden_shown_and_remembered() {
    let mut harness = open(3);
    let before = harness.state().picture;
    for panel in
        [skinscope::session::Panel::Outliner, skinscope::session::Panel::Inspector, skinscope::session::Panel::Timeline]
    {
        harness.state_mut().ui.carry_out(&WindowCommand::TogglePanel(panel));
    }
    harness.run();
    let after = harness.state().picture;
    assert!(after.width() > before.width() + 400.0 && after.height() > before.height() + 100.0);
    assert!(has(
        &harness,
        &Command::Camera(CameraCommand::SetViewport(glam::Vec2::new(after.width(), after.height())))
    ));
    harness.state_mut().ui.carry_out(&WindowCommand::ToggleTheme);
    harness.run();
    let saved = harness.state().ui.saved();
    assert!(saved.light && !saved.outliner && !saved.inspector && !saved.timeline);
    let text = serde_json::to_string(&saved).unwrap();
    assert_eq!(serde_json::from_str::<Saved>(&text).unwrap(), saved);
    assert_eq!(serde_json::from_str::<Saved>("{}").unwrap(), Saved::default());
}

#[test]
fn remembered_sizes_come_back() {
    let saved = Saved { outliner_width: 300.0, inspector_width: 340.0, viridis: true, ..Saved::default() };
    let harness = window(session(3), UiState::new(saved), Status::default());
    let picture = harness.state().picture;
    let usual = open(3).state().picture;
    let (left, right) = (300.0 - Saved::default().outliner_width, 340.0 - Saved::default().inspector_width);
    let moved = [picture.left() - usual.left() - left, usual.right() - picture.right() - right];
    assert!(moved.iter().all(|m| m.abs() < 1.0), "{picture:?}, usually {usual:?}");
    assert_eq!(harness.state().session.view().ramp, skinscope::math::Ramp::Viridis);
    let saved = harness.state().ui.saved();
    assert_eq!((saved.ramp.as_str(), saved.viridis), ("viridis", false));
    let again = UiState::new(Saved { ramp: "maya".into(), ..Saved::default() });
    let harness = window(session(3), again, Status::default());
    assert_eq!(harness.state().session.view().ramp, skinscope::math::Ramp::Maya);
}

/// What the settings file can say at most (see `app/settings.rs`).
#[test]
fn panels_of_any_remembered_size_leave_room_for_the_picture() {
    for size in [0.0, -32_767.0, 32_767.0, 1e-30] {
        let saved = Saved {
            tables: true,
            outliner_width: size,
            inspector_width: size,
            tables_height: size,
            findings_height: size,
            ..Saved::default()
        };
        let mut harness = window(session(3), UiState::new(saved), Status::default());
        let picture = harness.state().picture;
        assert!(picture.width() > 200.0 && picture.height() >= 0.0, "{size}: {picture:?}");
        // A panel can be dragged back to a usual size.
        let height = picture.center().y;
        let edge = egui::pos2(picture.left() - 2.0, height);
        drag(&mut harness, &[edge, egui::pos2(200.0, height), egui::pos2(300.0, height)], PointerButton::Primary);
        let width = harness.state().ui.saved().outliner_width;
        assert!((width - 300.0).abs() < 20.0, "{size}: {width}");
    }
}

#[test]
fn a_small_window_does_not_change_what_sizes_are_remembered() {
    let wanted = Saved { outliner_width: 300.0, inspector_width: 340.0, ..Saved::default() };
    let mut harness = window(session(3), UiState::new(wanted.clone()), Status::default());
    let picture = harness.state().picture;
    harness.set_size(vec2(300.0, 200.0));
    harness.run();
    harness.set_size(vec2(1280.0, 720.0));
    harness.run();
    assert_eq!(harness.state().ui.saved(), wanted);
    assert_eq!(harness.state().picture, picture);
    // What is dragged is remembered.
    let edge = egui::pos2(picture.left() - 2.0, 300.0);
    drag(&mut harness, &[edge, edge + vec2(20.0, 0.0), edge + vec2(40.0, 0.0)], PointerButton::Primary);
    let width = harness.state().ui.saved().outliner_width;
    assert!((width - 340.0).abs() < 4.0, "{width}");
    assert!((harness.state().picture.left() - picture.left() - (width - 300.0)).abs() < 1.0);
}

#[test]
fn in_the_smallest_window_nothing_lies_over_anything_else() {
    let mut harness = open(3);
    harness.set_size(vec2(640.0, 400.0));
    harness.run();
    let rows: [&[&str]; 2] = [
        &["File", "Edit", "View", "Overlay", "Playback", "Help", "Deformation method: Linear blend"],
        &["To end", "Clip: ", "0.000 s / ", "Frame rate: 30 fps", "At the end: Loop", "Speed: 1×"],
    ];
    for row in rows {
        let mut end = 0.0;
        for label in row {
            let rect = harness.get_all_by_label_contains(label).next().unwrap().rect();
            assert!(rect.left() >= end && rect.right() <= 640.0, "{label} at {rect:?}, after {end}");
            end = rect.right();
        }
    }
    assert!(harness.query_by_label("Shaded").is_none(), "the menu has it too");
}

#[test]
fn the_folder_of_the_last_file_is_remembered() {
    let mut session = session(3);
    let mut document = session.document().cloned().unwrap();
    document.path = Some("/models/hero/hero.glb".into());
    session.open(document);
    let mut harness = window(session, UiState::default(), Status::default());
    let folder = Some(std::path::PathBuf::from("/models/hero"));
    assert_eq!(harness.state().ui.saved().last_folder, folder);
    // The built-in character lies in no folder.
    harness.state_mut().session = self::session(4);
    harness.run();
    assert_eq!(harness.state().ui.saved().last_folder, folder);
}

#[test]
fn the_mouse_turns_moves_zooms_and_picks() {
    let mut harness = open(3);
    let center = harness.state().picture.center();
    let away = center + vec2(30.0, 10.0);
    drag(&mut harness, &[center, away], PointerButton::Primary);
    let turned = |c: &Command| matches!(c, Command::Camera(CameraCommand::Orbit(delta)) if delta.x > 0.0);
    assert!(harness.state().commands.iter().any(turned));
    harness.state_mut().commands.clear();
    for button in [PointerButton::Middle, PointerButton::Secondary] {
        drag(&mut harness, &[center, away], button);
    }
    let commands = &harness.state().commands;
    assert!(commands.iter().filter(|c| matches!(c, Command::Camera(CameraCommand::Pan(_)))).count() >= 2);
    assert!(!commands.iter().any(|c| matches!(
        c,
        Command::Camera(CameraCommand::Orbit(_)) | Command::Selection(SelectionCommand::PickAt(_))
    )));
    harness.event(Event::PointerMoved(center));
    harness.run();
    harness.event(Event::MouseWheel {
        unit: egui::MouseWheelUnit::Line,
        delta: vec2(0.0, 1.0),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Wheel,
        modifiers: Modifiers::NONE,
    });
    harness.run();
    let picture = center - harness.state().picture.min;
    let picture = glam::Vec2::new(picture.x, picture.y);
    assert!(
        harness
            .state()
            .commands
            .iter()
            .any(|c| matches!(c, Command::Camera(CameraCommand::Zoom(steps, at)) if *steps > 0.0 && *at == picture))
    );
    harness.state_mut().commands.clear();
    drag(&mut harness, &[center], PointerButton::Primary);
    let inside = center - harness.state().picture.min;
    assert!(has(&harness, &Command::Selection(SelectionCommand::PickAt(glam::Vec2::new(inside.x, inside.y)))));
    assert!(!harness.state().commands.iter().any(|c| matches!(c, Command::Camera(CameraCommand::Orbit(_)))));
}

#[test]
fn hovering_a_bone_says_whose_it_is() {
    let mut harness = open(3);
    let app = harness.state();
    let head = Vec3::from(app.session.pose().model[2].translation);
    let tail = Vec3::from(app.session.pose().model[3].translation);
    let at = app.session.view().project(head.lerp(tail, 0.5)).unwrap();
    let point = app.picture.min + vec2(at.x, at.y);
    harness.event(Event::PointerMoved(point));
    harness.run();
    assert_eq!(harness.state().session.view().hovered, Some(NodeId(2)));
    harness.get_by_label("Child of: joint 0");
    harness.event(Event::PointerGone);
    harness.run();
    assert_eq!(harness.state().session.view().hovered, None);
}

#[test]
fn hovering_the_skin_shows_the_vertex_and_what_moves_it() {
    let mut harness = open(3);
    let app = harness.state();
    // Near the silhouette, low on the tube: far from the bones, and moved by the first joint most.
    let beside = app.session.view().orbit.rotation() * Vec3::X * 0.2;
    let at = app.session.view().project(Vec3::new(0.0, 0.1, 0.0) + beside).unwrap();
    let point = app.picture.min + vec2(at.x, at.y);
    harness.event(Event::PointerMoved(point));
    harness.run();
    assert_eq!(harness.state().session.view().hovered, Some(NodeId(1)));
    harness.get_by_label("Sum: 1.000");
    harness.get_by_label("Linear blend: p = Σ w M v");
    let influence =
        |n: &egui_kittest::Node<'_>| n.accesskit_node().value().is_some_and(|v| v.starts_with("joint 0: 0."));
    assert_eq!(harness.query_all_by_role(Role::Label).filter(influence).count(), 1);
}

/// A point of the skin that is far from all bones, points.
fn beside_the_bones(app: &App) -> Pos2 {
    let beside = app.session.view().orbit.rotation() * Vec3::X * 0.2;
    let at = app.session.view().project(Vec3::new(0.0, 0.9, 0.0) + beside).unwrap();
    app.picture.min + vec2(at.x, at.y)
}

/// The numbers after a label.
fn numbers(harness: &Harness<'_, App>, label: &str) -> Vec<f64> {
    let nodes = harness.query_all_by_role(Role::Label);
    let values: Vec<String> = nodes.filter_map(|n| n.accesskit_node().value()).collect();
    let start = format!("{label}: ");
    let line = values.iter().find_map(|v| v.strip_prefix(&start)).unwrap();
    line.split(", ").map(|n| n.replace('−', "-").parse().unwrap()).collect()
}

#[test]
fn a_pinned_vertex_is_explained_by_numbers_that_add_up() {
    let mut harness = open(3);
    harness.state_mut().session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(40.0, 10.0, 0.0))));
    harness.run();
    let point = beside_the_bones(harness.state());
    drag(&mut harness, &[point], PointerButton::Primary);
    harness.run();
    let app = harness.state();
    let explained = app.session.explanation().unwrap();
    assert!(explained.terms.len() >= 2 && app.session.view().selected == Some(explained.terms[0].node));
    harness.get_by_label("Unpin the vertex");
    // The sum as it is written: each weight times where its joint alone would carry the vertex.
    let mut sum = [0.0; 3];
    for (i, term) in explained.terms.iter().enumerate() {
        let label = format!("{}{:.6} ·", if i == 0 { "" } else { "+ " }, term.weight);
        let alone = numbers(&harness, &label);
        (0..3).for_each(|axis| sum[axis] += term.weight * alone[axis]);
    }
    let written = numbers(&harness, "= p");
    for axis in 0..3 {
        // One in the last of four places.
        assert!((sum[axis] - written[axis]).abs() < 1.01e-4, "{sum:?} for {written:?}");
        assert!((written[axis] - explained.position[axis]).abs() < 0.51e-4);
    }
    // The other method has other words, which add up as well.
    harness.state_mut().session.apply(ViewCommand::SetMethod("dual-quaternion"));
    harness.run();
    let (turned, by, now) = (numbers(&harness, "R v"), numbers(&harness, "+ t"), numbers(&harness, "= p"));
    assert!((0..3).all(|i| (turned[i] + by[i] - now[i]).abs() < 1.01e-4) && now != written);
    // Every method says what it does, and with the matrices the blended one.
    click(&mut harness, "Show the skinning matrix of each joint, and the blended one");
    for method in skinscope::deform::METHODS {
        harness.state_mut().session.apply(ViewCommand::SetMethod(method.id));
        harness.run();
        harness.get_by_label(method.text.explanation);
        assert!(harness.query_all_by_label_contains("Blended matrix").next().is_some(), "{}", method.id);
        let (written, explained) = (numbers(&harness, "= p"), harness.state().session.explanation().unwrap());
        assert!((0..3).all(|i| (written[i] - explained.position[i]).abs() < 0.51e-4), "{}", method.id);
    }
    click(&mut harness, "Hide the skinning matrices");
    harness.state_mut().session.apply(ViewCommand::SetMethod("linear"));
    harness.run();
    // In another space: that of the whole, where the root stands at the origin.
    let main = &harness.state().session.model().unwrap().skeleton.names[explained.terms[0].node.index()].clone();
    click(&mut harness, &format!("Space: {main}"));
    click(&mut harness, "World");
    assert_eq!(numbers(&harness, "p"), written);
    // The joint's page, and back; a joint that is selected elsewhere turns the page.
    click(&mut harness, "Joint");
    harness.get_by_label("Rotation X");
    click(&mut harness, "Vertex");
    // What is copied is said.
    for (button, what) in [("Copy as text", "as text"), ("Copy as TSV", "as a table")] {
        // It may stand below what the panel shows.
        harness.get_by_label(button).click_accesskit();
        harness.run();
        harness.get_by_label(&format!("Copied vertex {} {what}", explained.number));
    }
    click(&mut harness, "Unpin the vertex");
    assert!(harness.state().session.view().pinned.is_none());
    harness.get_by_label("Rotation X");
}

#[test]
fn the_skin_answers_while_a_clip_plays_and_through_bones_with_a_key_held() {
    let mut harness = open(3);
    harness.state_mut().session.apply(PlaybackCommand::SetPlaying(true));
    let point = beside_the_bones(harness.state());
    harness.event(Event::PointerMoved(point));
    harness.step();
    harness.step();
    harness.get_by_label("Sum: 1.000");
    harness.state_mut().session.apply(PlaybackCommand::SetPlaying(false));
    // Over a bone: the bone; with the key held the vertex before it.
    let app = harness.state();
    let head = Vec3::from(app.session.pose().model[2].translation);
    let at = app.session.view().project(head + Vec3::Y * 0.3).unwrap();
    let point = app.picture.min + vec2(at.x, at.y);
    harness.event(Event::PointerMoved(point));
    harness.run();
    assert!(harness.query_by_label("Sum: 1.000").is_none());
    harness.event(Event::ModifiersChanged(Modifiers::COMMAND));
    harness.run();
    harness.get_by_label("Sum: 1.000");
}

#[test]
fn a_double_click_frames_what_is_selected() {
    let mut harness = selected(3, 2);
    let center = harness.state().picture.center();
    for pressed in [true, false, true, false] {
        let press =
            Event::PointerButton { pos: center, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE };
        harness.event(press);
        harness.step();
    }
    harness.run();
    assert!(has(&harness, &Command::Camera(CameraCommand::FrameSelected)));
}

#[test]
fn nothing_open_says_what_to_do() {
    let mut harness = window(Session::default(), UiState::default(), Status::default());
    harness.get_by_label("Drop a .glb here, or File › Open");
    click(&mut harness, "Open built-in character");
    assert!(has(&harness, &Command::File(FileCommand::OpenBuiltIn)));
}

#[test]
fn loading_can_be_cancelled_and_errors_closed() {
    let loading = Loading { name: "dragon.glb".into(), fraction: 0.4, stage: "Decoding images".into(), is_open: false };
    let status = Status { loading: Some(loading), ..Status::default() };
    let mut harness = window(session(3), UiState::default(), status);
    harness.get_by_label("Decoding images · 40 %");
    click(&mut harness, "Cancel");
    assert!(has(&harness, &Command::File(FileCommand::CancelLoad)));
    harness.state_mut().commands.clear();
    let error = "dragon.glb: accessor 12 lies beyond its buffer; export the file again";
    harness.state_mut().status = Status { error: Some(error.into()), ..Status::default() };
    harness.run();
    harness.get_by_label(error);
    // Low in the picture, so that the figure stands clear of it.
    let (plate, picture) = (harness.get_by_label(error).rect(), harness.state().picture);
    assert!(plate.top() > picture.bottom() - 80.0 && plate.bottom() < picture.bottom(), "{plate:?} in {picture:?}");
    // The old model is still there.
    harness.get_by_label("joint 1");
    click(&mut harness, "Close the message");
    assert!(has(&harness, &Command::File(FileCommand::CancelLoad)));
}

#[test]
fn warnings_of_the_import_are_listed() {
    let mut session = session(3);
    session.warn(&["skin 0: one weight was negative".into(), "clip 2: has no keys".into()]);
    let harness = window(session, UiState::default(), Status::default());
    harness.get_by_label("2 warnings");
    harness.get_by_label("skin 0: one weight was negative");
}

#[test]
fn a_name_of_eighty_characters_moves_no_panel() {
    let model = tube(Tube::default());
    let mut parts = ModelParts::clone(&model);
    let long = "a".repeat(76) + "_end";
    parts.skeleton.names[1] = long.clone();
    parts.source.name = long.clone();
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(SelectionCommand::Select(Some(NodeId(1))));
    session.apply(ViewCommand::ToggleOverlay("weights"));
    session.apply(ViewCommand::Toggle(Toggle::Names));
    let harness = window(session, UiState::default(), Status::default());
    assert_eq!(harness.state().picture, open(3).state().picture);
}

#[test]
fn everything_that_can_be_clicked_has_a_name() {
    let mut all: Vec<(&str, Harness<'static, App>)> = vec![
        ("nothing selected", open(3)),
        ("a joint selected", selected(3, 2)),
        ("nothing open", window(Session::default(), UiState::default(), Status::default())),
    ];
    let mut keys = open(3);
    keys.state_mut().ui.carry_out(&WindowCommand::ShowShortcuts);
    keys.run();
    all.push(("keys", keys));
    for (what, harness) in &all {
        let mut seen = 0;
        for node in harness.root().children_recursive() {
            let node = node.accesskit_node();
            if node.is_hidden()
                || !(node.data().supports_action(Action::Click) || egui::accessibility::is_input(node.role()))
            {
                continue;
            }
            seen += 1;
            // What a text says is its value.
            let text = if node.role() == Role::Label { node.value() } else { node.label() };
            let named = text.is_some_and(|text| !text.trim().is_empty());
            // The backdrop of a dialog takes clicks and is no control; scroll bars belong to what they scroll.
            let is_no_control = matches!(node.role(), Role::GenericContainer | Role::Unknown | Role::ScrollBar);
            assert!(named || is_no_control, "{what}: a {:?} at {:?} has no name", node.role(), node.raw_bounds());
        }
        assert!(seen >= 10, "{what}: only {seen} controls were seen");
    }
}

#[test]
fn an_idle_window_asks_for_no_frame() {
    for (what, mut harness) in
        [("open", selected(3, 2)), ("empty", window(Session::default(), UiState::default(), Status::default()))]
    {
        // Long after the last input.
        for _ in 0..20 {
            harness.step();
        }
        let delay = harness.output().viewport_output[&egui::ViewportId::ROOT].repaint_delay;
        assert_eq!(delay, std::time::Duration::MAX, "{what}");
        assert!(harness.state().commands.is_empty(), "{what}: {:?}", harness.state().commands);
    }
}

#[test]
fn every_glyph_is_in_the_bundled_fonts() {
    let harness = open(3);
    let fonts = [theme::regular(13.0), theme::strong(13.0)];
    harness.ctx.fonts_mut(|f| {
        for icon in icons::ALL {
            assert!(f.has_glyphs(&theme::icon(14.0), icon), "icon {icon:?}");
        }
        for row in COMMANDS.iter() {
            let keys = row.shortcut.map(|s| s.to_string()).unwrap_or_default();
            for font in &fonts {
                assert!(f.has_glyphs(font, &format!("{}{}{keys}", row.label, row.help)), "{}", row.label);
            }
        }
        for font in &fonts {
            assert!(f.has_glyphs(font, "−×°·›…–\u{2009}°ÄéßŁżΩλЖя→"), "signs and letters");
            assert!(!f.has_glyph(font, '\u{1F600}'), "a missing glyph is seen as missing");
            let widths: Vec<f32> = ('0'..='9').map(|c| f.glyph_width(font, c)).collect();
            assert!(widths.iter().all(|w| (w - widths[0]).abs() < 0.03), "figures are tabular: {widths:?}");
        }
    });
}

#[test]
fn a_crowd_is_chosen_in_the_view_menu_and_says_whose_pose_is_shown() {
    let mut harness = open(3);
    assert!(harness.query_by_label_contains("is the one you pose").is_none());
    click(&mut harness, "View");
    click(&mut harness, "Crowd");
    click(&mut harness, "Crowd of 10");
    assert!(has(&harness, &Command::View(ViewCommand::SetCrowd(10))));
    assert_eq!(harness.state().session.crowd(), 10);
    harness.get_by_label("Crowd of 10: the first is the one you pose");
    click(&mut harness, "View");
    click(&mut harness, "Crowd");
    let item = harness.get_by_role_and_label(Role::MenuItemCheckBox, "Crowd of 10");
    assert_eq!(item.accesskit_node().toggled(), Some(egui::accesskit::Toggled::True));
    // Any other number, by keyboard.
    let field = harness.get_by_role_and_label(Role::SpinButton, "Crowd of");
    field.focus();
    harness.run();
    harness.key_press(Key::ArrowUp);
    harness.run();
    assert_eq!(harness.state().session.crowd(), 11);
    click(&mut harness, "No crowd");
    assert_eq!(harness.state().session.crowd(), 1);
    assert!(harness.query_by_label_contains("is the one you pose").is_none());
    // More than there may be of this model.
    let most = skinscope::session::most_members(&tube(Tube { joints: 4096, rings: 64, sides: 3, ..Tube::default() }));
    assert!(most < 1000);
    let mut large = Session::default();
    let model = tube(Tube { joints: 4096, rings: 64, sides: 3, ..Tube::default() });
    large.open(Document::new(Arc::new(model), vec![], None));
    large.apply(PlaybackCommand::SetPlaying(false));
    large.apply(ViewCommand::SetCrowd(1000));
    let mut harness = window(large, UiState::default(), Status::default());
    harness.get_by_label_contains(&format!("at most {most} of it can be shown"));
    click(&mut harness, "View");
    click(&mut harness, "Crowd");
    assert!(harness.get_by_label("Crowd of 1000").accesskit_node().is_disabled());
}

/// What is closed costs nothing: nothing of it is laid out, painted or told to screen readers, however large the model is.
#[test]
fn closed_panels_are_not_built() {
    use skinscope::session::Panel;
    let closed = Saved { outliner: false, inspector: false, timeline: false, tables: false, ..Saved::default() };
    let size =
        |harness: &Harness<'_, App>| (harness.root().children_recursive().count(), harness.output().shapes.len());
    let none = |joints| window(session(joints), UiState::new(closed.clone()), Status::default());
    let (small, large) = (none(3), none(300));
    assert_eq!(size(&small), size(&large), "nothing grows with the model");
    for (panel, label) in [
        (Panel::Outliner, "joint 1"),
        (Panel::Inspector, "Rest pose"),
        (Panel::Timeline, "Next frame"),
        (Panel::Tables, "Vertices"),
    ] {
        assert!(large.query_all_by_label(label).next().is_none(), "{label}");
        let mut ui = UiState::new(closed.clone());
        ui.carry_out(&WindowCommand::TogglePanel(panel));
        let opened = window(session(300), ui, Status::default());
        assert!(opened.query_all_by_label(label).next().is_some(), "{label}");
        let (nodes, shapes) = size(&opened);
        assert!(nodes > size(&large).0 && shapes > size(&large).1, "{panel:?}");
    }
}

#[test]
fn edges_are_smoothed_as_the_view_menu_says() {
    let mut harness = open(3);
    assert_eq!(harness.state().session.view().antialiasing, Antialiasing::Auto);
    for (choice, then) in [("4×", Antialiasing::Four), ("Off", Antialiasing::Off), ("Auto", Antialiasing::Auto)] {
        if harness.query_by_label("Anti-aliasing").is_none() {
            click(&mut harness, "View");
        }
        click(&mut harness, choice);
        assert_eq!(harness.state().session.view().antialiasing, then);
    }
}

#[test]
fn the_buffer_of_the_palette_is_chosen_in_the_inspector_which_says_what_fits() {
    let limits = Some(PaletteLimits { uniform: 16_384, storage: 1 << 27 });
    let status = Status { palette_limits: limits, ..Status::default() };
    // 300 matrices of 48 bytes are 14 400 bytes; of 80 bytes (dual quaternions), 24 000.
    let mut harness = window(session(300), UiState::default(), status);
    let says = |harness: &Harness<'_, App>, text: &str| harness.query_by_label_contains(text).is_some();
    assert!(says(&harness, "Read from: a storage buffer"));
    assert!(says(&harness, "Uniform holds: 341 in 16.0 KiB"));
    harness.get_by_label("Uniform").scroll_to_me();
    harness.run();
    click(&mut harness, "Uniform");
    assert_eq!(harness.state().session.view().palette_buffer, PaletteBuffer::Uniform);
    assert!(says(&harness, "Read from: a uniform buffer"));
    harness.state_mut().session.apply(ViewCommand::SetMethod("dual-quaternion"));
    harness.run();
    assert!(says(&harness, "Read from: a storage buffer") && says(&harness, "Not in a uniform buffer"));
}

#[test]
fn eyes_hide_joints_and_meshes_with_all_below_them() {
    let mut harness = open(4);
    let bones = |harness: &Harness<'_, App>| harness.state().session.pose().bones.len();
    assert_eq!(bones(&harness), 4);
    click(&mut harness, "Hide joint 1");
    assert!(has(&harness, &Command::View(ViewCommand::ToggleHidden(NodeId(2)))));
    harness.run();
    assert_eq!(bones(&harness), 1);
    assert_eq!(harness.state().session.view().selected, None, "a click on the eye is none on the row");
    // What hangs on it has an eye of its own.
    harness.get_by_label("Hide joint 2");
    click(&mut harness, "Show joint 1");
    harness.run();
    assert_eq!(bones(&harness), 4);
    click(&mut harness, "Hide root");
    harness.run();
    assert!(bones(&harness) == 0 && harness.state().session.pose().draws.is_empty());
}

#[test]
fn bones_and_skin_are_set_beside_the_switch() {
    let mut harness = open(3);
    click(&mut harness, "Bones and skin");
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Sticks").click();
    harness.run();
    assert!(has(&harness, &Command::View(ViewCommand::SetBoneShape(skinscope::inspect::BoneShape::Sticks))));
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Deforming joints only").click();
    harness.run();
    assert!(harness.state().session.deforming_only());
    for (name, key) in [("Skin opacity", Key::ArrowLeft), ("Bone size", Key::ArrowRight)] {
        harness.get_by_role_and_label(Role::Slider, name).focus();
        harness.run();
        harness.key_press(key);
        harness.run();
    }
    let view = harness.state().session.view();
    assert!(view.skin_opacity < 1.0 && view.bone_size > 1.0, "{} {}", view.skin_opacity, view.bone_size);
}
