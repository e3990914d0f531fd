//! The panels as a user meets them: found by name, clicked, dragged and typed into. No window, no GPU.
#![expect(clippy::unwrap_used, reason = "a broken panel should stop the test")]

mod accessibility;
mod baking;
mod binding;
mod clip_names;
#[path = "../common/mod.rs"]
mod common;
mod comparison;
mod context_menu;
mod controls;
mod curves;
mod deformation;
mod docking;
mod editing;
mod examples;
mod exports;
mod finder;
mod findings;
mod focus;
mod gestures;
mod gizmo;
mod keyboard;
mod keying;
mod layers;
mod layout;
mod links;
mod manual;
mod methods;
mod names;
mod overlays;
mod paint;
mod paint_screen;
mod panels;
mod placing;
mod poses;
mod preferences;
mod recent;
mod room;
mod rules;
mod saving;
mod second_model;
mod sessions;
mod shapes;
mod solving;
mod spreadsheet;
mod statistics;
mod tables;
mod timeline;
mod tools;
mod tour;
mod untouched;
mod vertex_drag;
mod view_menu;
mod viewport;

use std::sync::Arc;

use egui::accesskit::{Action, Role};
use egui::{Event, Key, Modifiers, PointerButton, Pos2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use glam::Vec3;
use skinscope::app::ui::{self, Loading, Saved, Status, UiState, icons, theme};
use skinscope::deform::{PaletteBuffer, PaletteLimits, PaletteRows};
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{Camera, CameraId, ClipId, Lens, Light, LightId, LightKind, Model, ModelParts, NodeId};
use skinscope::session::{
    Antialiasing, COMMANDS, CameraCommand, ChannelValue, Command, Document, EditCommand, Effect, EnvironmentCommand,
    FileCommand, FindingCommand, InspectionCommand, Lighting, LoopMode, PlaybackCommand, PoseSource, SelectionCommand,
    Session, Toggle, ViewCommand, ViewFrom, WindowCommand,
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

/// Opens a model whose clip stands still.
fn open_model(parts: ModelParts) -> Harness<'static, App> {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    window(session, UiState::default(), Status::default())
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

/// Returns how often a sign is painted by itself and whole.
fn signs(harness: &Harness<'_, App>, sign: &str) -> usize {
    fn count(shape: &egui::Shape, sign: &str) -> usize {
        match shape {
            egui::Shape::Text(text) => usize::from(text.galley.text() == sign && !text.galley.elided),
            egui::Shape::Vec(shapes) => shapes.iter().map(|shape| count(shape, sign)).sum(),
            _ => 0,
        }
    }
    harness.output().shapes.iter().map(|clipped| count(&clipped.shape, sign)).sum()
}

/// Returns all texts that are painted, with the rectangles of their letters.
fn painted_texts(harness: &Harness<'_, App>) -> Vec<(String, egui::Rect)> {
    fn add(shape: &egui::Shape, out: &mut Vec<(String, egui::Rect)>) {
        match shape {
            egui::Shape::Text(text) => out.push((text.galley.text().to_owned(), text.visual_bounding_rect())),
            egui::Shape::Vec(shapes) => shapes.iter().for_each(|shape| add(shape, out)),
            _ => {}
        }
    }
    let mut out = Vec::new();
    harness.output().shapes.iter().for_each(|clipped| add(&clipped.shape, &mut out));
    out
}

/// Fails where two texts that are painted within `area` overlap.
fn assert_texts_are_apart(harness: &Harness<'_, App>, area: egui::Rect) {
    let texts: Vec<_> = painted_texts(harness)
        .into_iter()
        .filter(|(text, rect)| !text.is_empty() && area.contains(rect.center()))
        .collect();
    assert!(texts.len() > 1, "{texts:?}");
    for (i, (text, rect)) in texts.iter().enumerate() {
        for (other, of_other) in &texts[..i] {
            assert!(!rect.shrink(0.5).intersects(of_other.shrink(0.5)), "{other:?} {of_other:?}, {text:?} {rect:?}");
        }
    }
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

/// A tube whose clip is there `count` times.
fn with_clips(count: usize) -> Model {
    let model = tube(Tube::default());
    let clip = |i: usize| skinscope::model::Clip { name: format!("Clip {i}"), ..model.clips[0].clone() };
    Model::build(ModelParts { clips: (0..count).map(clip).collect(), ..ModelParts::clone(&model) }).unwrap()
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
