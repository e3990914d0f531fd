//! The settings of the chosen tool.

use std::sync::Arc;

use egui::{Label, RichText, Ui, vec2};
use skinscope_edit::{Amount, Axis, Changes, Operation, REPAIRED, Setting, Settings};
use skinscope_inspect::rule_words;
use skinscope_model::WeightFormat;
use skinscope_session::{Command, Session, ToolCommand};

use super::fold::fold;
use super::joint::joint;
use super::{donor, pairs, quiet_text};
use crate::theme::{self, ROW, colors};
use crate::value_row::ValueRow;
use crate::widgets::{
    chip, counted, describe, figure, focus_ring, paint_line, paint_switch, press, section, segments, text_button,
};

/// The width of the labels, points.
const LABEL: f32 = 66.0;

pub(super) fn show(ui: &mut Ui, session: &Session, operation: &Operation, commands: &mut Vec<Command>) {
    let before = &session.tools().settings;
    let mut now = Settings::clone(before);
    ui.add_space(6.0);
    for setting in operation.settings {
        show_setting(ui, session, *setting, &mut now, commands);
    }
    if operation.changes == Changes::Binds {
        quiet_text(ui, SKINS);
    }
    if now != **before {
        commands.push(ToolCommand::Set(Arc::new(now)).into());
    }
}

/// Shows one setting; what the user changes of it is in `now` afterwards.
fn show_setting(ui: &mut Ui, session: &Session, setting: Setting, now: &mut Settings, commands: &mut Vec<Command>) {
    match setting {
        Setting::Threshold => {
            let help = "Weights below it go, and the others of the vertex take their share";
            let threshold = number(ui, ("Threshold", help), now.threshold, 0.0..=0.2, 0.01, 3);
            now.threshold = threshold.map_or(now.threshold, |v| v.clamp(0.0, 1.0));
        }
        Setting::Limit => {
            let help = "How many joints may move a vertex";
            let limit = number(ui, ("Joints", help), now.limit as f64, 1.0..=8.0, 4.0, 0);
            now.limit = limit.map_or(now.limit, |v| v.round().clamp(1.0, 256.0) as usize);
        }
        Setting::Best => {
            let best = "Keep the joints, and fit the weights, that hold the surface nearest in motion";
            either(ui, [("Largest", "Keep the largest weights"), ("Best", best)], &mut now.best);
        }
        Setting::Format => format(ui, now),
        Setting::Axis => axis(ui, now),
        Setting::Side => {
            ui.add_space(4.0);
            let ways = [
                ("+ to −", "Copy the positive side to the negative one"),
                ("− to +", "Copy the negative side to the positive one"),
            ];
            either(ui, ways, &mut now.from_negative);
        }
        Setting::Pairs => pairs::show(ui, session, now),
        Setting::Times => {
            let help = "How often each vertex takes the mean of its neighbours' weights";
            let times = number(ui, ("Times", help), now.times as f64, 1.0..=30.0, 1.0, 0);
            now.times = times.map_or(now.times, |v| v.round().clamp(1.0, 1000.0) as usize);
        }
        Setting::Strength => {
            let help = "How far it goes there each time: 0 stays, 1 is the mean";
            let strength = number(ui, ("Strength", help), now.strength, 0.0..=1.0, 0.5, 2);
            now.strength = strength.map_or(now.strength, |v| v.clamp(0.0, 1.0));
        }
        Setting::Amount => weight(ui, now),
        Setting::Joint => joint(ui, session, "Joint", &mut now.joint),
        Setting::Spread => {
            let parent = "Its weight goes to the nearest joint above it";
            let spread = "Its weight goes to the other joints of each vertex; one that it moves alone takes the weights of the nearest";
            either(ui, [("To parent", parent), ("Spread", spread)], &mut now.spread);
        }
        Setting::Other => joint(ui, session, "By", &mut now.other),
        Setting::Copied => copied(ui, session, commands),
        Setting::Donor => donor::show(ui, session, now, commands),
        Setting::Pose => bound(ui, session, commands),
        Setting::Rules => rules(ui, session, now),
    }
}

/// Shows two choices, each with its tooltip; the second one sets the switch.
fn either(ui: &mut Ui, [off, on]: [(&str, &str); 2], switch: &mut bool) {
    let choices = [(off.0, !*switch, off.1.to_owned()), (on.0, *switch, on.1.to_owned())];
    if let Some(chosen) = segments(ui, &choices) {
        *switch = chosen == 1;
    }
}

/// Shows the choice of the format in which weights are rounded.
fn format(ui: &mut Ui, now: &mut Settings) {
    let formats = [WeightFormat::U8, WeightFormat::U16, WeightFormat::F32];
    let names = ["u8", "u16", "f32"];
    let choices = [0, 1, 2].map(|i| (names[i], now.format == formats[i], format!("Round as {} does", names[i])));
    if let Some(chosen) = segments(ui, &choices) {
        now.format = formats[chosen];
    }
    quiet_text(ui, "Weights are rounded here; the type in which the file stores them stays.");
}

/// Shows a number with a slider.
fn number(
    ui: &mut Ui,
    (name, help): (&str, &str),
    value: f64,
    range: std::ops::RangeInclusive<f32>,
    home: f32,
    decimals: usize,
) -> Option<f64> {
    let color = colors(ui).dim;
    let row = ValueRow {
        name,
        help,
        label: name,
        label_width: LABEL,
        color,
        value: value as f32,
        range: range.start().min(value as f32)..=range.end().max(value as f32),
        home,
        decimals,
        unit: "",
        edited: false,
    };
    row.show(ui).value.map(f64::from)
}

/// Shows a field for a weight, and whether the other weights of a vertex follow.
fn weight(ui: &mut Ui, now: &mut Settings) {
    let id = ui.scope_id().with("typed weight");
    let mut text: String = ui.data(|d| d.get_temp(id)).unwrap_or_default();
    ui.horizontal(|ui| {
        ui.label("Weight");
        let field = egui::TextEdit::singleline(&mut text).desired_width(96.0).hint_text("0.3  +0.1  *2  50%");
        let response = ui.add(field);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::TextInput, true, "Weight"));
        describe(&response, "The weight that the joint gets: 0.3 or 30% sets it, +0.1 and *2 change it");
        if response.changed()
            && let Some(amount) = Amount::parse(&text)
        {
            now.amount = amount;
        }
        ui.data_mut(|d| d.insert_temp(id, text.clone()));
        if chip(ui, "Keep sum", now.follow).on_hover_text(FOLLOW).clicked() {
            now.follow = !now.follow;
        }
    });
    if !text.is_empty() && Amount::parse(&text).is_none() {
        let why = "Not a weight, which is 0 to 1: 0.3, 30%, +0.1, -0.1 or *2.";
        ui.add(Label::new(RichText::new(why).font(theme::regular(12.0)).color(colors(ui).red)).wrap());
    }
}

/// The tooltip of the switch that makes the other weights of a vertex follow a typed one.
pub(crate) const FOLLOW: &str =
    "The other joints of a vertex make room for a weight that is typed, so that their sum stays";

/// Shows the weights that are pasted, and the button that copies them.
fn copied(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let copied = &session.tools().settings.copied;
    let Some(model) = session.model() else { return };
    if text_button(ui, None, "Copy from these vertices", false)
        .on_hover_text("Take the mean of the weights of the vertices that tools work on")
        .clicked()
    {
        commands.push(ToolCommand::Copy.into());
    }
    if copied.is_empty() {
        quiet_text(ui, "Nothing is copied yet: choose vertices, copy, choose others.");
    }
    for (node, weight) in copied.iter().take(8) {
        let name = model.skeleton.names.get(node.index()).map_or("", String::as_str);
        figure(ui, name, &format!("{weight:.4}"));
    }
}

/// The text that says what tools about inverse bind matrices change.
const SKINS: &str = "Works on all joints of the skins that move these vertices. The rest pose and the clips stay.";

/// Shows the choice of the pose in which the mesh is bound.
fn bound(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let moved = session.edited_weights().binds_elsewhere();
    // Where nothing can be bound, the reason stands below.
    if session.tools().outcome().is_none_or(|outcome| outcome.refused.is_none()) {
        let pose = if moved { "the pose that was taken before" } else { "this pose" };
        quiet_text(ui, &format!("The mesh is bound in {pose}."));
    }
    let again = ui.add_enabled_ui(moved, |ui| text_button(ui, None, "Take this pose", false)).inner;
    let again = again.on_hover_text("Bind the mesh in the pose that is shown now");
    if again.on_disabled_hover_text("It is the pose that is shown").clicked() {
        commands.push(ToolCommand::TakePose.into());
    }
    ui.add_space(4.0);
}

/// Shows the choice of the axis that the plane of symmetry is at right angles to.
fn axis(ui: &mut Ui, now: &mut Settings) {
    let axes = [(Axis::X, "X"), (Axis::Y, "Y"), (Axis::Z, "Z")];
    let choices = axes
        .map(|(axis, name)| (name, now.axis == axis, format!("About the plane of symmetry at right angles to {name}")));
    if let Some(chosen) = segments(ui, &choices) {
        now.axis = axes[chosen].0;
    }
}

/// Shows which rules are repaired: a row for each that finds something, with the number of its findings; the others are folded.
fn rules(ui: &mut Ui, session: &Session, now: &mut Settings) {
    section(ui, "Rules", |_| {});
    let findings = || session.document().into_iter().flat_map(|document| document.findings());
    let count = |rule| findings().filter(|finding| finding.rule == rule).count();
    let rows = REPAIRED.iter().map(|rule| (*rule, count(*rule)));
    let (found, quiet): (Vec<_>, Vec<_>) = rows.partition(|(_, found)| *found > 0);
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 3.0;
        for (rule, count) in &found {
            rule_row(ui, rule, *count, now);
        }
        if found.is_empty() {
            let is_checked = session.document().is_some_and(|document| document.inspection.is_some());
            quiet_text(
                ui,
                match is_checked {
                    true => "The checker finds nothing that this repairs.",
                    false => "What the checker finds is listed here once it is done.",
                },
            );
        }
        let id = ui.scope_id().with("rules without findings");
        let mut is_open: bool = ui.data(|d| d.get_temp(id)).unwrap_or_default();
        let name = format!("{} without findings", counted(quiet.len(), "rule", "rules"));
        if !quiet.is_empty() && fold(ui, &name, "They are repaired too where something is found later", is_open) {
            is_open = !is_open;
            ui.data_mut(|d| d.insert_temp(id, is_open));
        }
        for (rule, count) in quiet.iter().filter(|_| is_open) {
            rule_row(ui, rule, *count, now);
        }
    });
}

/// Shows whether a rule is repaired, and how many findings it has.
fn rule_row(ui: &mut Ui, rule: &&'static str, found: usize, now: &mut Settings) {
    let c = colors(ui);
    let label = rule_words(rule).map_or(*rule, |(label, _)| label);
    let on = now.rules.contains(rule);
    let (rect, response) = press(ui, vec2(ui.available_width(), ROW), label, Some(on));
    paint_switch(ui, rect, on, response.hovered(), c.raised);
    let ink = if on { c.text } else { c.dim };
    let galley = ui.painter().layout_no_wrap(label.to_owned(), theme::regular(12.0), ink);
    paint_line(ui, galley, rect.left() + 10.0, rect.center().y, ink);
    if found > 0 {
        let galley = ui.painter().layout_no_wrap(found.to_string(), theme::regular(12.0), ink);
        let left = rect.right() - 10.0 - galley.size().x;
        paint_line(ui, galley, left, rect.center().y, ink);
    }
    focus_ring(ui, rect, &response);
    let response = response.on_hover_text(match found {
        0 => "The checker finds nothing by this rule".to_owned(),
        _ => counted(found, "finding", "findings"),
    });
    if response.clicked() {
        match on {
            true => now.rules.retain(|r| r != rule),
            false => now.rules.push(*rule),
        }
    }
}
