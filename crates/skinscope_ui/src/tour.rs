//! The first steps: five things to try on the built-in character. They are offered at the first start, can be left at once, and come again
//! only from the menu. A ring is around the control that a step names, until it is done.

mod named;

use egui::{Align, Align2, CornerRadius, Id, Label, LayerId, Layout, Order, Rect, RichText, Stroke, StrokeKind, Ui};
use skinscope_session::{
    CameraCommand, Command, FileCommand, FindingCommand, InspectionCommand, Panel, PlaybackCommand, Session,
    ViewCommand, WindowCommand, row_of,
};

pub(super) use self::named::Named;

use super::theme::{self, colors};
use super::widgets::{corner_plate, icon_button, text_button, tip};
use super::{UiState, icons};

/// The width of the plate, points.
const WIDTH: f32 = 236.0;
/// How wide the line of the ring is, and how far the ring is from what it is around, points.
const RING: f32 = 2.0;

/// A step.
struct Step {
    title: &'static str,
    /// Returns what is to be done, by what the window shows.
    text: fn(&UiState) -> String,
    /// The control that it names.
    named: Named,
    /// Returns whether it was done, by what is so now or by what was just asked for.
    is_done: fn(&Session, &[Command]) -> bool,
}

static STEPS: [Step; 5] = [
    Step {
        title: "Turn the character",
        text: |_| "Drag with the left button in the picture. The wheel comes nearer, Home shows all again.".to_owned(),
        named: Named::Picture,
        is_done: |_, commands| commands.iter().any(|c| matches!(c, Command::Camera(CameraCommand::Orbit(_)))),
    },
    Step {
        title: "Scrub through the clip",
        text: |state| {
            let timeline = shown(state.saved.timeline, Panel::Timeline, "the timeline");
            format!("Drag in {timeline}. Space plays and pauses.")
        },
        named: Named::Timeline,
        is_done: |_, commands| commands.iter().any(|c| matches!(c, Command::Playback(PlaybackCommand::Seek(_)))),
    },
    Step {
        title: "See the weights",
        text: |_| {
            let key = keys(&ViewCommand::ToggleOverlay("weights").into());
            format!(
                "Press {key}, or choose Weights in the menu Overlay. Then click a bone: the colours are the weights of its joint."
            )
        },
        named: Named::Overlays,
        is_done: |session, _| session.view().overlay.is_some_and(|overlay| overlay.id == "weights"),
    },
    Step {
        title: "Pose a joint",
        text: |state| {
            let inspector = shown(state.saved.inspector, Panel::Inspector, "the inspector");
            format!("With a bone selected drag a ring, or a slider of Rotation in {inspector}. Ctrl+Z takes it back.")
        },
        named: Named::Rotation,
        is_done: |session, _| !session.edits().nodes.is_empty(),
    },
    Step {
        title: "Check the skin",
        text: |state| {
            let nodes = shown(state.saved.outliner, Panel::Outliner, "the list of nodes");
            format!(
                "Findings stand below {nodes}. Press Run range of motion there: it bends every joint and lists where the skin suffers."
            )
        },
        named: Named::Motion,
        is_done: |_, commands| {
            commands.iter().any(|command| {
                matches!(
                    command,
                    Command::Inspection(InspectionCommand::RunRom(_))
                        | Command::Finding(FindingCommand::ShowFinding(_))
                )
            })
        },
    },
];

/// Returns the key of a command, as the keymap has it.
fn keys(command: &Command) -> String {
    row_of(command).and_then(|row| row.keys()).map_or_else(String::new, |shortcut| shortcut.to_string())
}

/// Returns the name of a panel, with the key that shows it where it is closed.
fn shown(is_open: bool, panel: Panel, name: &str) -> String {
    match is_open {
        true => name.to_owned(),
        false => format!("{name} ({} shows it)", keys(&WindowCommand::TogglePanel(panel).into())),
    }
}

/// Which step is shown.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tour {
    /// The step; `None`: no step is shown.
    step: Option<usize>,
    /// Whether it was done.
    is_done: bool,
    /// Whether the first step is to be shown as soon as the built-in character is.
    is_offered: bool,
}

impl Tour {
    /// Shows the first step once the built-in character is open.
    pub(super) fn offer(&mut self) {
        self.is_offered = true;
    }

    /// Shows the first step now.
    pub(super) fn begin(&mut self) {
        *self = Self { step: Some(0), ..Self::default() };
    }

    fn go_to(&mut self, step: usize) {
        *self = Self { step: (step < STEPS.len()).then_some(step), ..Self::default() };
    }
}

fn is_built_in(session: &Session) -> bool {
    session.document().is_some_and(|document| document.is_built_in())
}

/// Looks whether the step was done, after all panels were shown and have asked for `commands`.
pub(super) fn follow(ui: &Ui, state: &mut UiState, session: &Session, commands: &[Command]) {
    let before = (state.tour.step, state.tour.is_done);
    if state.tour.is_offered && is_built_in(session) {
        state.tour.begin();
        // Whatever happens to it, it is not offered again.
        state.saved.tour_seen = true;
    }
    if let Some(step) = state.tour.step.and_then(|step| STEPS.get(step)) {
        state.tour.is_done |= (step.is_done)(session, commands);
    }
    if before != (state.tour.step, state.tour.is_done) {
        // The plate was shown before.
        ui.ctx().request_repaint();
    }
    mark(ui, state, session);
}

/// Draws a ring around the control that the step names. It lies below menus and dialogs.
fn mark(ui: &Ui, state: &UiState, session: &Session) {
    let step = state.tour.step.and_then(|step| STEPS.get(step)).filter(|_| !state.tour.is_done && !state.presents);
    let Some(step) = step.filter(|_| session.document().is_some()) else { return };
    let Some(place) = step.named.place(ui.ctx()) else { return };
    // Around the picture there is no room outside of it.
    let ring = if step.named == Named::Picture { place.shrink(RING) } else { place.expand(RING) };
    let painter = ui.ctx().layer_painter(LayerId::new(Order::Middle, Id::unique("ring of the first steps")));
    painter.rect_stroke(ring, CornerRadius::same(6), Stroke::new(RING, colors(ui).accent), StrokeKind::Middle);
}

/// Shows the step over the picture, which is all of `ui`; the plate lies within `rect`.
pub(super) fn show(ui: &mut Ui, rect: Rect, session: &Session, state: &mut UiState, commands: &mut Vec<Command>) {
    Named::Picture.is_at(ui, ui.max_rect());
    let Some(step) = state.tour.step else { return };
    let Some(shown) = STEPS.get(step) else { return };
    let text = (shown.text)(state);
    let mut next = None;
    corner_plate(ui, rect, Align2::RIGHT_BOTTOM, WIDTH, "first steps", |ui| {
        let c = colors(ui);
        ui.horizontal(|ui| {
            let count = format!("First steps · {} of {}", step + 1, STEPS.len());
            ui.label(RichText::new(count).font(theme::regular(12.0)).color(c.dim));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if icon_button(ui, icons::CLOSE, "Leave the first steps", 20.0, false)
                    .on_hover_text("Help › First steps shows them again")
                    .clicked()
                {
                    next = Some(STEPS.len());
                }
            });
        });
        ui.label(RichText::new(shown.title).font(theme::strong(15.0)).color(c.text));
        ui.add(Label::new(RichText::new(text).color(c.text)).wrap());
        ui.add_space(4.0);
        let model = session.model();
        let has = (model.is_some_and(|m| !m.skins.is_empty()), model.is_some_and(|m| !m.clips.is_empty()));
        // A model that has all they need hears it once.
        if !is_built_in(session) && (step == 0 || has != (true, true)) {
            let lacks = match has {
                _ if model.is_none() => "No model is open: the built-in character has all that the steps need.",
                (true, true) => "These steps suit the built-in character best.",
                (true, false) => "This model has no clip. The built-in character has all that the steps need.",
                (false, true) => "This model has no skin. The built-in character has all that the steps need.",
                (false, false) => {
                    "This model has no skin and no clip. The built-in character has all that the steps need."
                }
            };
            ui.add(Label::new(RichText::new(lacks).color(c.dim)).wrap());
            if text_button(ui, None, "Open built-in character", false)
                .on_hover_text(tip(&FileCommand::OpenBuiltIn.into()))
                .clicked()
            {
                commands.push(FileCommand::OpenBuiltIn.into());
            }
        }
        ui.horizontal(|ui| {
            let is_last = step + 1 == STEPS.len();
            let (label, help) = match (state.tour.is_done, is_last) {
                (true, false) => ("Done · Next", "To the next step"),
                (false, false) => ("Next", "To the next step, without this one"),
                (_, true) => ("Finish", "Help › First steps shows them again"),
            };
            if step > 0 && text_button(ui, None, "Back", false).on_hover_text("To the step before").clicked() {
                next = Some(step - 1);
            }
            if text_button(ui, None, label, state.tour.is_done).on_hover_text(help).clicked() {
                next = Some(step + 1);
            }
        });
    });
    if let Some(next) = next {
        state.tour.go_to(next);
    }
}
