//! The button that makes the pose a key, and the caret next to the list of clips. The caret opens the name and the keys
//! of a clip that the file does not have, and the clips that are blended with it.

use egui::{Label, Popup, PopupCloseBehavior, Rect, RectAlign, RichText, ScrollArea, TextEdit, Ui, pos2};
use skinscope_anim::pose::Axis;
use skinscope_model::{Clip, ClipId, ClipSource};
use skinscope_session::{Command, KeyingCommand, PlaybackCommand, Session, refusal};

use super::bones::caret_button;
use super::clip_layers;
use super::icons;
use super::theme::{self, ROW, SMALL, colors};
use super::widgets::{NumberField, counted, icon_button, text_button, tip};

/// The width of both in the row of the timeline, points.
pub(super) const WIDTH: f32 = 86.0;
/// The width of the caret alone, points, where keys are made in the menu.
pub(super) const CARET: f32 = 26.0;
/// The width of the panel that the caret opens, points.
const PANEL: f32 = 250.0;
/// The height of what stays free above that panel: the menus and the frame of the panel, points.
const ABOVE: f32 = 64.0;

/// What the user has typed as the name of a clip.
#[derive(Debug, Default)]
pub(super) struct ClipPanel {
    of: Option<(ClipId, String)>,
    name: String,
    /// Whether the panel opens in the next frame, and whether its field of the name gets the keyboard.
    opens: bool,
    takes_keys: bool,
}

impl ClipPanel {
    /// Opens the panel in the next frame, where the name can be typed.
    pub(super) fn ask_for_name(&mut self) {
        (self.opens, self.takes_keys) = (true, true);
    }
}

/// Shows the button that makes a key.
pub(super) fn show_key(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let command = Command::Keying(KeyingCommand::KeyPose);
    let why = refusal(&command, session);
    let key = ui.add_enabled_ui(why.is_none(), |ui| text_button(ui, None, "Key", false)).inner;
    let key = key.on_disabled_hover_text(why.unwrap_or_default());
    if key.on_hover_text(tip(&command)).clicked() {
        commands.push(command);
    }
}

/// Shows the caret that opens the panel.
pub(super) fn show(ui: &mut Ui, session: &Session, state: &mut ClipPanel, commands: &mut Vec<Command>) {
    let help = "The clip that is shown: its name, its keys, and clips that are blended with it";
    let response = caret_button(ui, "Keys and layers of the clip", help);
    if std::mem::take(&mut state.opens) {
        Popup::open_id(ui.ctx(), Popup::default_response_id(&response));
    }
    // It stands at the edge of the window, where it covers no figure, and scrolls where it has more than there is room for.
    let window = ui.ctx().content_rect();
    let edge = window.right() - f32::from(theme::MARGIN);
    let anchor = Rect::from_min_max(pos2(edge - PANEL, ui.max_rect().top() - 8.0), pos2(edge, ui.max_rect().top()));
    let room = anchor.top() - window.top() - ABOVE;
    let popup = Popup::menu(&response).anchor(anchor).align(RectAlign::TOP_END).align_alternatives(&[]);
    popup.close_behavior(PopupCloseBehavior::CloseOnClickOutside).show(|ui| {
        ui.set_width(PANEL);
        // A menu would stretch the lines of texts.
        ui.vertical(|ui| {
            let area = ScrollArea::vertical().id_salt("clip panel").max_height(room).min_scrolled_height(room);
            area.show(ui, |ui| {
                // The bar stands beside the controls.
                ui.set_width(PANEL - 10.0);
                contents(ui, session, state, commands);
            });
        });
    });
}

fn contents(ui: &mut Ui, session: &Session, state: &mut ClipPanel, commands: &mut Vec<Command>) {
    let Some((model, id)) = session.model().zip(session.playback().clip) else { return };
    let Some(clip) = model.clips.get(id.index()) else { return };
    ui.spacing_mut().item_spacing.y = 6.0;
    let say = |ui: &mut Ui, words: &str| {
        let dim = colors(ui).dim;
        ui.add(Label::new(RichText::new(words).font(theme::regular(SMALL)).color(dim)).wrap());
    };
    if clip.is_added() {
        name(ui, (id, clip), state, commands);
    } else {
        ui.add(Label::new(&clip.name).truncate()).on_hover_text(&clip.name);
        say(ui, "This clip is one of the file. Key makes the pose that is shown the first key of a new clip.");
    }
    if clip.source == ClipSource::Keyed {
        keys(ui, session, clip, commands);
        say(ui, "Go to another time, change the pose, and press Key. Diamonds can be dragged.");
    }
    if clip.is_added() {
        say(ui, "The file does not have this clip yet: Save writes it.");
        if text_button(ui, None, "Remove clip", false).clicked() {
            commands.push(KeyingCommand::RemoveClip(id).into());
            ui.close();
        }
    }
    mirror(ui, session, commands);
    ui.separator();
    clip_layers::show(ui, session, commands);
}

/// Shows the buttons that add the mirror image of the clip.
fn mirror(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.label("Mirror");
        let ways = [
            ("Sides", None, "Add this clip once more with left and right exchanged; keys stay keys"),
            ("Y", Some(Axis::Y), "Add this clip once more, upside down: each joint is mirrored by itself"),
            (
                "Z",
                Some(Axis::Z),
                "Add this clip once more with front and back exchanged: each joint is mirrored by itself",
            ),
        ];
        for (label, axis, help) in ways {
            let command = Command::Keying(KeyingCommand::MirrorClip(axis));
            let why = refusal(&command, session);
            let button = ui.add_enabled_ui(why.is_none(), |ui| text_button(ui, None, label, false)).inner;
            button.widget_info(|| {
                egui::WidgetInfo::labeled(egui::accesskit::Role::Button, why.is_none(), format!("Mirror {label}"))
            });
            if button.on_disabled_hover_text(why.unwrap_or_default()).on_hover_text(help).clicked() {
                commands.push(command);
                ui.close();
            }
        }
    });
}

/// Shows the name, which can be typed.
fn name(ui: &mut Ui, (id, clip): (ClipId, &Clip), state: &mut ClipPanel, commands: &mut Vec<Command>) {
    if state.of.as_ref().is_none_or(|of| *of != (id, clip.name.clone())) {
        state.of = Some((id, clip.name.clone()));
        state.name.clone_from(&clip.name);
    }
    let field = TextEdit::singleline(&mut state.name).desired_width(ui.available_width());
    let response = ui.add(field).on_hover_text("The name of the clip");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::TextInput, true, "Name of the clip"));
    if !ui.is_sizing_pass() && std::mem::take(&mut state.takes_keys) {
        response.request_focus();
    }
    if response.has_focus() {
        return;
    }
    let is_left = response.lost_focus() && !ui.input(|i| i.key_pressed(egui::Key::Escape));
    if is_left && state.name != clip.name {
        commands.push(KeyingCommand::Rename(id, state.name.clone()).into());
    }
    // What it is called in the end may be another name, and what was given up is not shown again.
    state.of = None;
}

/// Lists the keys: their times can be typed, and each can be shown or removed.
fn keys(ui: &mut Ui, session: &Session, clip: &Clip, commands: &mut Vec<Command>) {
    let times: Vec<f32> = clip.times.concat();
    ui.label(RichText::new(counted(times.len(), "key", "keys")).font(theme::strong(SMALL)));
    let now = session.clip_keys().key_near(session.playback().time_secs);
    ScrollArea::vertical().id_salt("keys").max_height(8.0 * ROW).show(ui, |ui| {
        ui.set_width(ui.available_width());
        for (i, secs) in times.iter().enumerate() {
            ui.horizontal(|ui| {
                if ui.selectable_label(now == Some(*secs), format!("Key {}", i + 1)).on_hover_text("Go to it").clicked()
                {
                    commands.push(PlaybackCommand::Seek(*secs).into());
                }
                let field = NumberField {
                    name: &format!("Time of key {}", i + 1),
                    help: "When the pose of this key is shown, seconds",
                    value: *secs,
                    range: 0.0..=f32::MAX,
                    is_bounded: true,
                    per_point: 0.0,
                    decimals: 3,
                    is_short: false,
                    unit: " s",
                    width: 84.0,
                    edited: false,
                };
                if let Some(to) = field.show(ui).value {
                    commands.push(KeyingCommand::MoveKey(*secs, to).into());
                    commands.push(PlaybackCommand::Seek(to).into());
                }
                let remove = icon_button(ui, icons::CLOSE, &format!("Remove key {}", i + 1), 22.0, false);
                if remove.on_hover_text("Take it out").clicked() {
                    commands.push(KeyingCommand::RemoveKey(*secs).into());
                }
            });
        }
    });
}
