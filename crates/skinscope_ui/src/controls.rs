//! The user's own controls in the inspector: sliders that pose the model, and while they are edited the lines of text
//! that say what they drive.

use egui::accesskit::Role;
use egui::text::CCursor;
use egui::{
    Label, Margin, Popup, PopupCloseBehavior, Rect, RichText, Shape, Stroke, TextEdit, Ui, WidgetInfo, pos2, vec2,
};
use skinscope_anim::pose::controls::{Channel, Fault, Preset, Slider, quoted};
use skinscope_base::math::{Transform, length};
use skinscope_model::NodeId;
use skinscope_session::{ChannelKind, Command, ControlCommand, EditCommand, Session};

use super::icons;
use super::theme::{self, ROW, SMALL, colors};
use super::value_row::ValueRow;
use super::widgets::{NumberField, counted, icon_button, link, number, section};

/// The names of axes, as people read them.
const AXES: [&str; 3] = ["X", "Y", "Z"];

/// The state of the controls in the inspector.
#[derive(Debug, Default)]
pub(super) struct ControlsPanel {
    /// Whether names, ranges and lines are shown.
    is_edited: bool,
    /// The slider whose name is typed, and the name so far.
    name: Option<(usize, String)>,
}

/// Shows sliders, and what they drive.
pub(super) fn show(ui: &mut Ui, session: &Session, panel: &mut ControlsPanel, commands: &mut Vec<Command>) {
    let controls = &session.edits().controls;
    section(ui, "Controls", |ui| {
        if !controls.is_empty() {
            let (text, name) = if panel.is_edited { ("Done", "Done with controls") } else { ("Edit", "Edit controls") };
            if link(ui, text, name)
                .on_hover_text("Names and ranges of sliders, and the lines that they drive")
                .clicked()
            {
                panel.is_edited = !panel.is_edited;
            }
        }
        add(ui, session, panel, commands);
        if !controls.is_at_default()
            && link(ui, "Reset", "Reset sliders")
                .on_hover_text("Give all sliders the values that they have at first")
                .clicked()
        {
            commands.push(ControlCommand::ResetSliders.into());
        }
    });
    let is_edited = panel.is_edited && !controls.is_empty();
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        for (i, slider) in controls.sliders.iter().enumerate() {
            row(ui, session, i, slider, commands);
            if is_edited {
                range(ui, i, slider, panel, commands);
            }
        }
    });
    if is_edited {
        for (i, text) in controls.drivers.iter().enumerate() {
            line(ui, session, i, text, commands);
        }
        return;
    }
    let idle = (0..controls.drivers.len()).filter(|i| session.pose().control_program().fault(*i).is_some()).count();
    if idle > 0 {
        ui.horizontal(|ui| {
            let words = format!("{} not act.", counted(idle, "control does", "controls do"));
            ui.label(RichText::new(words).color(colors(ui).red));
            if link(ui, "Show why", "Show why controls do not act").clicked() {
                panel.is_edited = true;
            }
        });
    }
}

/// Shows the menu that adds sliders and lines.
fn add(ui: &mut Ui, session: &Session, panel: &mut ControlsPanel, commands: &mut Vec<Command>) {
    let help = "A slider, or a line of text by which sliders and joints drive a joint";
    let response = link(ui, "Add", "Add a control").on_hover_text(help);
    Popup::menu(&response).close_behavior(PopupCloseBehavior::CloseOnClick).show(|ui| {
        let mut chosen = None;
        let mut entry = |ui: &mut Ui, text: &str, help: &str, command: Result<ControlCommand, &str>| {
            let response = ui.add_enabled(command.is_ok(), egui::Button::new(text));
            let why = command.as_ref().err().copied().unwrap_or_default();
            if response.on_hover_text(help).on_disabled_hover_text(why).clicked() {
                chosen = command.ok();
            }
        };
        entry(ui, "Slider", "A number from 0 to 1 that lines read", Ok(ControlCommand::AddSlider));
        let text = new_line(session);
        let help = "A line of text that sets a number of the selected joint";
        entry(ui, "Line", help, text.map(ControlCommand::AddDriver).ok_or("Select a joint first"));
        ui.separator();
        for preset in Preset::ALL {
            let is_possible = session.control_state().preset(preset).map(|_| ControlCommand::AddPreset(preset));
            entry(ui, preset.label(), preset.help(), is_possible);
        }
        if let Some(command) = chosen {
            panel.is_edited = true;
            commands.push(command.into());
        }
    });
}

/// Returns a line for the selected joint that changes nothing yet.
fn new_line(session: &Session) -> Option<String> {
    let node = session.view().selected?;
    let name = quoted(skinscope_anim::pose::Keys::of(session.model()?).key(node));
    let is_free = |axis: &usize| session.pose().control_program().driver_of(Channel::Angle(node, *axis)).is_none();
    let axis = AXES[(0..3).find(is_free).unwrap_or(0)].to_lowercase();
    let slider =
        session.edits().controls.sliders.first().map(|slider| format!(" + 90 * slider({})", quoted(&slider.name)));
    let own = format!("angle({name}, \"{axis}\")");
    Some(format!("{own} = posed({own}){}", slider.unwrap_or_default()))
}

/// Shows a slider.
fn row(ui: &mut Ui, session: &Session, index: usize, slider: &Slider, commands: &mut Vec<Command>) {
    let c = colors(ui);
    let driver = session.pose().control_program().driver_of(Channel::Slider(index));
    let reach = (slider.most - slider.least).max(1e-6);
    let row = ValueRow {
        name: &slider.name,
        help: "A slider of your own; the lines below it read its value",
        label: &slider.name,
        label_width: 92.0,
        color: if driver.is_some() { c.dim } else { c.accent },
        value: session.control_state().slider_value(index),
        range: slider.least..=slider.most.max(slider.least),
        home: slider.default,
        decimals: (2.0 - reach.log10()).ceil().clamp(0.0, 6.0) as usize,
        unit: "",
        edited: driver.is_none() && slider.value != slider.default,
    };
    let shown = ui.push_id(("slider", index), |ui| ui.add_enabled_ui(driver.is_none(), |ui| row.show(ui)));
    let shown = shown.inner;
    if let Some(driver) = driver {
        shown.response.on_hover_text(format!("Line {} moves this slider", driver + 1));
    }
    if let Some(value) = shown.inner.value {
        commands.push(ControlCommand::SetSlider(index, value).into());
    }
    if shown.inner.ended {
        commands.push(EditCommand::EndEdit.into());
    }
}

/// Shows name and range of a slider.
fn range(ui: &mut Ui, index: usize, slider: &Slider, panel: &mut ControlsPanel, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.set_height(ROW);
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.spacing_mut().button_padding.x = 3.0;
        let typed = panel.name.take().filter(|(of, _)| *of == index);
        let mut name = typed.map_or_else(|| slider.name.clone(), |(_, name)| name);
        let field = TextEdit::singleline(&mut name)
            .desired_width((ui.available_width() - 190.0).max(56.0))
            .margin(Margin::symmetric(6, 3));
        let response = ui.push_id(("name", index), |ui| ui.add(field)).inner;
        response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, format!("Name of {}", slider.name)));
        if response.has_focus() {
            panel.name = Some((index, name));
        } else if response.lost_focus() && name != slider.name && !ui.input(|i| i.key_pressed(egui::Key::Escape)) {
            commands.push(ControlCommand::RenameSlider(index, name).into());
        }
        let mut ends = [slider.least, slider.most, slider.default];
        let words = ["Least value", "Greatest value", "Value when reset"];
        let mut ended = false;
        let span = (slider.most - slider.least).abs().max(0.01);
        for (value, word) in ends.iter_mut().zip(words) {
            let field = NumberField {
                name: &format!("{word} of {}", slider.name),
                help: word,
                value: *value,
                range: *value - span..=*value + span,
                is_bounded: false,
                per_point: 0.01 * span,
                decimals: 3,
                is_short: true,
                unit: "",
                width: 44.0,
                edited: false,
            };
            let change = ui.push_id(("end", index), |ui| field.show(ui)).inner;
            ended |= change.ended;
            *value = change.value.unwrap_or(*value);
        }
        if ends != [slider.least, slider.most, slider.default] {
            commands.push(ControlCommand::SetRange(index, ends).into());
        }
        if ended {
            commands.push(EditCommand::EndEdit.into());
        }
        let remove = icon_button(ui, icons::CLOSE, &format!("Remove {}", slider.name), 22.0, false);
        if remove.on_hover_text("Take the slider out").clicked() {
            commands.push(ControlCommand::RemoveSlider(index).into());
        }
    });
    ui.add_space(5.0);
}

/// Shows a line: its text, and what it comes to or what is wrong with it.
fn line(ui: &mut Ui, session: &Session, index: usize, text: &str, commands: &mut Vec<Command>) {
    let c = colors(ui);
    let fault = session.pose().control_program().fault(index);
    ui.add_space(6.0);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let mut typed = text.to_owned();
        let field = TextEdit::multiline(&mut typed)
            .id_salt(("control", index))
            .font(theme::regular(12.0))
            .desired_rows(1)
            .desired_width(ui.available_width() - 44.0)
            .margin(Margin::symmetric(6, 4))
            .return_key(None);
        let output = field.show(ui);
        let response = output.response.response;
        response.widget_info(|| {
            let mut info = WidgetInfo::text_edit(true, text, text, "");
            info.label = Some(format!("Line {}", index + 1));
            info
        });
        if let Some(fault) = fault {
            underline(ui, text, fault, (&output.galley, output.galley_pos), response.rect);
        }
        let typed = typed.replace(['\n', '\r'], " ");
        if typed != text {
            commands.push(ControlCommand::SetDriver(index, typed).into());
        }
        if response.lost_focus() {
            commands.push(EditCommand::EndEdit.into());
        }
        let remove = icon_button(ui, icons::CLOSE, &format!("Remove line {}", index + 1), 22.0, false);
        if remove.on_hover_text("Take the line out").clicked() {
            commands.push(ControlCommand::RemoveDriver(index).into());
        }
    });
    let (words, ink) = match (fault, session.pose().control_value(index)) {
        (Some(fault), _) => (format!("Column {}: {}.", fault.column(text), fault.what), c.red),
        (None, Some(value)) => (format!("= {}", number(value as f32, 3)), c.dim),
        (None, None) => ("It comes to no number, and does not act.".to_owned(), c.amber),
    };
    let spoken = format!("Line {}: {words}", index + 1);
    let label = ui.add(Label::new(RichText::new(words).font(theme::regular(SMALL)).color(ink)).wrap());
    label.widget_info(|| WidgetInfo::labeled(Role::Label, true, &spoken));
}

/// Marks a fault in the text that is shown: a line under it, and a caret where it begins.
fn underline(ui: &Ui, text: &str, fault: &Fault, (galley, at): (&egui::Galley, egui::Pos2), clip: Rect) {
    let c = colors(ui);
    let characters = |byte: usize| text.get(..byte).map_or(0, |before| before.chars().count());
    let [from, to] = [fault.at.start, fault.at.end].map(|byte| galley.pos_from_cursor(CCursor::new(characters(byte))));
    let painter = ui.painter().with_clip_rect(clip.expand(6.0));
    let (start, y) = (at + from.min.to_vec2(), at.y + from.max.y - 1.0);
    // A fault that continues in another row is marked to the end of its first row.
    let end = if (to.min.y - from.min.y).abs() < 1.0 { at.x + to.min.x } else { clip.right() - 8.0 };
    painter.hline(start.x..=end.max(start.x + 5.0), y, Stroke::new(1.5, c.red));
    let tip = pos2(start.x, y + 1.0);
    let caret = vec![tip, tip + vec2(-3.5, 5.0), tip + vec2(3.5, 5.0)];
    painter.add(Shape::convex_polygon(caret, c.red, Stroke::NONE));
}

/// Returns the channel of a node that a control may drive, by axis.
fn channel_of(kind: ChannelKind, node: NodeId, axis: usize) -> Channel {
    match kind {
        ChannelKind::Rotation => Channel::Angle(node, axis),
        ChannelKind::Translation => Channel::Translation(node, axis),
        ChannelKind::Scale => Channel::Scale(node, axis),
    }
}

/// Returns the transform of a node that its sliders show: the one that is seen. A channel of which controls read how it is posed is
/// shown as it is posed, since that is what the sliders change.
pub(super) fn posed(session: &Session, node: NodeId) -> Option<Transform> {
    let mut now = *session.pose().local.transforms.get(node.index())?;
    let posed = session.pose().undriven().transforms.get(node.index())?;
    let program = session.pose().control_program();
    let is_read = |kind| (0..3).any(|axis| program.reads_posed(channel_of(kind, node, axis)));
    if is_read(ChannelKind::Rotation) {
        now.rotation = posed.rotation;
    }
    if is_read(ChannelKind::Translation) {
        now.translation = posed.translation;
    }
    if is_read(ChannelKind::Scale) {
        now.scale = posed.scale;
    }
    Some(now)
}

/// Says below the sliders of a channel which of its numbers are driven, and what they come to.
pub(super) fn driven(ui: &mut Ui, session: &Session, node: NodeId, kind: ChannelKind) {
    let unit = match kind {
        ChannelKind::Rotation => "° from rest",
        ChannelKind::Translation => " from rest",
        ChannelKind::Scale => " of rest",
    };
    let line = |axis: usize| session.pose().control_program().driver_of(channel_of(kind, node, axis));
    let driven_axes = (0..3).filter_map(|axis| {
        let line = line(axis)?;
        let value = session.pose().control_value(line)?;
        let value = if kind == ChannelKind::Translation { length(value) } else { number(value as f32, 2) };
        Some(format!("{} {value}{unit} by line {}", AXES[axis], line + 1))
    });
    let driven_axes: Vec<String> = driven_axes.collect();
    if !driven_axes.is_empty() {
        let words = format!("Driven: {}", driven_axes.join(", "));
        ui.add(Label::new(RichText::new(words).font(theme::regular(SMALL)).color(colors(ui).accent)).wrap());
    }
}
