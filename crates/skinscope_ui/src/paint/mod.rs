//! The panel of brushes that paint weights: which brush is in the hand, what it is set to, and what the last stroke has done. Opening it takes the
//! brush that was in the hand last, closing it puts the brush down.

mod brushes;
mod effects;
mod fold;
mod joints;
mod layers;
mod pictures;
mod report;
mod settings;
mod vertex;

use egui::{Align, Frame, Layout, Margin, RichText, ScrollArea, Ui};
use skinscope_session::{
    BrushKey, Command, PaintCommand, PaintSettings, Panel, Session, VertexDragCommand, ViewCommand, WindowCommand,
    refusal,
};
use skinscope_weights::{BRUSHES, Brush, LAYER_BRUSHES};

use super::icons;
use super::search_list::SearchList;
use super::theme::{self, MARGIN, colors};
use super::widgets::{icon_button, quiet_text, text_button, tip};

/// The height of the strip with the buttons, points.
const FOOT: f32 = 46.0;
/// By how much a key makes the brush wider.
const STEP: f64 = 1.2;

/// What the window knows of painting.
#[derive(Debug, Default)]
pub(super) struct PaintPanel {
    /// Whether the panel is open.
    pub is_open: bool,
    /// The keys that were pressed since the last pass.
    asked: Vec<BrushKey>,
    /// The brush that was in the hand last.
    last: Option<&'static Brush>,
    /// Whether the panel was open in the last pass, and whether a brush was in the hand or vertices were dragged.
    before: (bool, bool),
    painted: SearchList,
    to: SearchList,
    layers: layers::LayerList,
    folds: fold::Folds,
}

impl PaintPanel {
    /// Notes that a key of the brush was pressed.
    pub fn ask(&mut self, key: BrushKey) {
        self.asked.push(key);
    }

    /// Returns the command that takes the brush that was in the hand last, or the first one where that one has nothing to paint on.
    fn take(&self, session: &Session) -> Option<Command> {
        let hold = |brush: &'static Brush| Command::from(PaintCommand::Hold(Some(brush.id.to_owned())));
        let last = self.last.map(hold).filter(|command| refusal(command, session).is_none());
        last.or_else(|| BRUSHES.first().copied().map(hold))
    }
}

/// Does what keys have asked for since the last pass, and keeps panel and hand together: who opens the panel has a brush in the hand, who takes a
/// brush or drags vertices sees its panel and the weights, and who closes the panel does neither.
pub(super) fn follow(session: &Session, panel: &mut PaintPanel, commands: &mut Vec<Command>) {
    let brush = session.painting().brush();
    panel.last = brush.or(panel.last);
    let can_take = |command: &Command| refusal(command, session).is_none();
    for key in std::mem::take(&mut panel.asked) {
        match (key, brush) {
            (BrushKey::Take, Some(_)) => commands.push(PaintCommand::Hold(None).into()),
            (BrushKey::Take, None) => commands.extend(panel.take(session).filter(can_take)),
            (BrushKey::Wider, Some(_)) => commands.push(sized(session, STEP)),
            (BrushKey::Narrower, Some(_)) => commands.push(sized(session, 1.0 / STEP)),
            (BrushKey::Gradient, Some(_)) => {
                let before = session.painting().settings();
                let settings = PaintSettings { drag: before.drag.next(), ..before.clone() };
                commands.push(PaintCommand::Set(settings).into());
            }
            _ => {}
        }
    }
    let drags = session.painting().vertex_drag().is_on();
    let was = std::mem::replace(&mut panel.before, (panel.is_open, brush.is_some() || drags));
    match (was, panel.before) {
        ((false, _), (true, false)) => commands.extend(panel.take(session).filter(can_take)),
        ((true, _), (false, true)) if drags => {
            commands.push(PaintCommand::DragVertex(VertexDragCommand::Use(false)).into());
        }
        ((true, _), (false, true)) => commands.push(PaintCommand::Hold(None).into()),
        ((_, false), (_, true)) => {
            (panel.is_open, panel.before.0) = (true, true);
            if session.view().overlay.is_none() {
                commands.push(ViewCommand::SetOverlay(Some("weights")).into());
            }
        }
        _ => {}
    }
}

/// Returns the command that makes the brush so many times as wide.
fn sized(session: &Session, times: f64) -> Command {
    let radius = (session.paint_radius() * times).clamp(1e-6, 1e6);
    PaintCommand::Set(PaintSettings { radius, ..session.painting().settings().clone() }).into()
}

/// Shows the panel. `has_tabs`: tabs above it close it.
pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    panel: &mut PaintPanel,
    has_tabs: bool,
    commands: &mut Vec<Command>,
) {
    // Under a tab the head of the first section brings its own distance.
    let margin = Margin { left: MARGIN, right: MARGIN, top: if has_tabs { 0 } else { 10 }, bottom: 8 };
    egui::Panel::bottom("flood").exact_size(FOOT).frame(Frame::NONE).show(ui, |ui| {
        Frame::NONE.inner_margin(Margin::symmetric(MARGIN, 8)).show(ui, |ui| foot(ui, session, commands));
    });
    ScrollArea::vertical().auto_shrink(false).id_salt("paint").show(ui, |ui| {
        Frame::NONE.inner_margin(margin).show(ui, |ui| {
            ui.set_width(ui.available_width());
            head(ui, has_tabs, commands);
            contents(ui, session, panel, commands);
        });
    });
}

fn contents(ui: &mut Ui, session: &Session, panel: &mut PaintPanel, commands: &mut Vec<Command>) {
    if session.model().is_none() {
        return quiet_text(ui, "Open a file to paint its weights.");
    }
    brushes::show(ui, session, commands);
    let brush = session.painting().brush();
    let drags = brush.is_none() && session.painting().vertex_drag().is_on();
    match brush {
        Some(brush) => description(ui, &sentence(brush)),
        None if drags => vertex::show(ui, session, commands),
        None => description(ui, "No brush is in the hand: the pointer moves the camera and selects."),
    }
    let before = session.painting().settings();
    let mut now = before.clone();
    // Where one paints is in sight beside what is painted; what is set of a layer stands below what is set of a touch or a drag.
    if drags {
        settings::of_drag(ui, session, &mut now);
        layers::show(ui, session, commands);
    } else {
        joints::show(ui, session, &mut now, (&mut panel.painted, &mut panel.to), commands);
        layers::show(ui, session, commands);
        settings::show(ui, session, &mut panel.folds, brush, &mut now);
    }
    if now != *before {
        commands.push(PaintCommand::Set(now).into());
    }
    layers::in_hand(ui, session, &mut panel.layers, commands);
    if !session.painting().layers().is_empty() {
        effects::show(ui, session.painting().layers(), commands);
    }
    joints::locks(ui, session, commands);
    report::show(ui, session, commands);
}

/// Says what a brush does.
fn sentence(brush: &Brush) -> String {
    format!("{}.", brush.help)
}

/// Says what the brush in the hand does, in the room that any brush needs, so that what is below keeps its place as another one is taken.
fn description(ui: &mut Ui, text: &str) {
    let (width, ink) = (ui.available_width(), colors(ui).dim);
    let height = |text: String| ui.painter().layout(text, theme::regular(12.0), ink, width).size().y;
    let sentences = BRUSHES.iter().chain(LAYER_BRUSHES).map(|brush| sentence(brush));
    let two_lines = height("A\nA".to_owned());
    let most = sentences.map(height).fold(two_lines, f32::max);
    ui.scope(|ui| {
        ui.set_min_height(2.0 + most);
        quiet_text(ui, text);
    });
}

/// Shows the title of the panel, and what closes it, unless the tabs above it do.
fn head(ui: &mut Ui, has_tabs: bool, commands: &mut Vec<Command>) {
    // A tab names the panel too.
    if has_tabs {
        return;
    }
    ui.horizontal(|ui| {
        ui.set_min_height(20.0);
        ui.label(RichText::new("Paint weights").font(theme::strong(15.0)));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let close = icon_button(ui, icons::CLOSE, "Close the brushes", 20.0, false);
            if close.on_hover_text("Put the brush down, and close its panel").clicked() {
                commands.push(WindowCommand::TogglePanel(Panel::Paint).into());
            }
        });
    });
}

/// Shows what paints without a drag, and what puts the brush down.
fn foot(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        let flood = Command::Paint(PaintCommand::Flood);
        let why = refusal(&flood, session);
        let response = ui.add_enabled_ui(why.is_none(), |ui| text_button(ui, None, "Flood", false)).inner;
        if response.on_hover_text(tip(&flood)).on_disabled_hover_text(why.unwrap_or_default()).clicked() {
            commands.push(flood);
        }
        let is_held = session.painting().brush().is_some();
        let response = ui.add_enabled_ui(is_held, |ui| text_button(ui, None, "Put down", false)).inner;
        let help = "Put the brush down: the pointer moves the camera and selects again";
        if response.on_hover_text(help).on_disabled_hover_text("No brush is in the hand").clicked() {
            commands.push(PaintCommand::Hold(None).into());
        }
    });
}
