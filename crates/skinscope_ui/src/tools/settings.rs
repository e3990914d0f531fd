//! The settings of the chosen tool.

use std::sync::Arc;

use egui::{Label, RichText, Ui, vec2};
use skinscope_edit::{
    Amount, Changes, ChoiceKind, NumberKind, Operation, Parameter, ParameterKind, REPAIRED, Settings,
};
use skinscope_inspect::rule_words;
use skinscope_session::{Command, Session, ToolCommand};

use super::fold::fold;
use super::joint::joint;
use super::{LABEL, baking, binding, donor, examples, pairs, quiet_text};
use crate::theme::{self, ROW, colors};
use crate::value_row::ValueRow;
use crate::widgets::{
    chip, counted, describe, figure, focus_ring, paint_line, paint_switch, press, section, text_button,
    wrapped_segments,
};

pub(super) fn show(ui: &mut Ui, session: &Session, operation: &Operation, commands: &mut Vec<Command>) {
    let before = &session.tools().settings;
    let mut now = Settings::clone(before);
    ui.add_space(6.0);
    let mut after_choice = false;
    for parameter in operation.parameters {
        let is_choice = matches!(parameter.kind, ParameterKind::Choice(_));
        if after_choice && is_choice {
            ui.add_space(4.0);
        }
        show_parameter(ui, session, parameter, &mut now, commands);
        after_choice = is_choice;
    }
    if operation.changes == Changes::Binds {
        quiet_text(ui, SKINS);
    }
    if now != **before {
        commands.push(ToolCommand::Set(Arc::new(now)).into());
    }
}

/// Shows one parameter; what the user changes of it is in `now` afterwards.
fn show_parameter(
    ui: &mut Ui,
    session: &Session,
    parameter: &Parameter,
    now: &mut Settings,
    commands: &mut Vec<Command>,
) {
    match &parameter.kind {
        ParameterKind::Number(kind) => number(ui, parameter, kind, now),
        ParameterKind::Choice(kind) => choice(ui, parameter, kind, now),
        ParameterKind::Joint(_) => {
            let mut chosen = parameter.joint(now);
            joint(ui, session, parameter.label, &mut chosen);
            parameter.set_joint(now, chosen);
        }
        ParameterKind::Amount => weight(ui, parameter, now),
        ParameterKind::Pairs => pairs::show(ui, session, now),
        ParameterKind::Copied => copied(ui, session, commands),
        ParameterKind::Donor => donor::show(ui, session, now, commands),
        ParameterKind::Examples => examples::show(ui, session, &now.examples, commands),
        ParameterKind::Pose => bound(ui, session, commands),
        ParameterKind::Rules => rules(ui, session, parameter, now),
        ParameterKind::Baking => baking::show(ui, session, parameter, now, commands),
        ParameterKind::Binding => binding::show(ui, session, parameter, now, commands),
    }
}

/// Shows the words of a choice, each with its tooltip.
fn choice(ui: &mut Ui, parameter: &Parameter, kind: &ChoiceKind, now: &mut Settings) {
    let before = parameter.choice(now);
    let words = kind.words.iter().enumerate();
    let choices: Vec<_> = words.map(|(index, word)| (word.label, index == before, word.help.to_owned())).collect();
    if let Some(chosen) = wrapped_segments(ui, &choices) {
        parameter.set_choice(now, chosen);
    }
    if !kind.note.is_empty() {
        quiet_text(ui, kind.note);
    }
}

/// Shows a number with a slider.
fn number(ui: &mut Ui, parameter: &Parameter, kind: &NumberKind, now: &mut Settings) {
    let color = colors(ui).dim;
    let value = parameter.number(now) as f32;
    let [least, most] = kind.slider.map(|end| end as f32);
    let row = ValueRow {
        name: parameter.label,
        help: parameter.help,
        label: parameter.label,
        label_width: LABEL,
        color,
        value,
        range: least.min(value)..=most.max(value),
        home: kind.default as f32,
        decimals: kind.decimals,
        unit: "",
        edited: false,
    };
    if let Some(value) = row.show(ui).value {
        parameter.set_number(now, f64::from(value));
    }
}

/// Shows a field for a weight, and whether the other weights of a vertex follow.
fn weight(ui: &mut Ui, parameter: &Parameter, now: &mut Settings) {
    let id = ui.scope_id().with("typed weight");
    let mut text: String = ui.data(|d| d.get_temp(id)).unwrap_or_default();
    ui.horizontal(|ui| {
        ui.label(parameter.label);
        let field = egui::TextEdit::singleline(&mut text).desired_width(96.0).hint_text("0.3  +0.1  *2  50%");
        let response = ui.add(field);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::TextInput, true, parameter.label));
        describe(&response, parameter.help);
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

/// Shows which rules are repaired: a row for each that finds something, with the number of its findings; the others are folded.
fn rules(ui: &mut Ui, session: &Session, parameter: &Parameter, now: &mut Settings) {
    section(ui, parameter.label, |_| {});
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
