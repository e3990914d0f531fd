//! The effects of a layer of weights, and of all layers together: what can be added, switched, set and moved.

use egui::{Align2, Ui, vec2};
use skinscope_edit::{Parameter, ParameterKind};
use skinscope_paint::{EFFECTS, LayerEffect, LayerId, LayerStack};
use skinscope_session::{Command, LayerCommand, PaintCommand};

use crate::icons;
use crate::theme::{self, BODY, ROW, colors};
use crate::value_row::ValueRow;
use crate::widgets::{chip, chip_width, focus_ring, link, link_width, paint_line, press, section, segments, shortened};

/// The width of the switch before a name, points.
const SWITCH: f32 = 24.0;
/// The width of the labels, points.
const LABEL: f32 = 66.0;

/// Shows the effects of the layer that is painted in, and those of all layers together.
pub(super) fn show(ui: &mut Ui, layers: &LayerStack, commands: &mut Vec<Command>) {
    if let Some(layer) = layers.active().and_then(|id| layers.layer(id)) {
        section(ui, "Effects of the layer", |_| {});
        list(ui, layers, Some(layer.id()), commands);
    }
    section(ui, "Effects of all layers", |_| {});
    list(ui, layers, None, commands);
}

fn push(commands: &mut Vec<Command>, command: LayerCommand) {
    commands.push(PaintCommand::Layer(command).into());
}

fn list(ui: &mut Ui, layers: &LayerStack, of: Option<LayerId>, commands: &mut Vec<Command>) {
    let effects = layers.effects_of(of);
    for (place, effect) in effects.iter().enumerate() {
        ui.push_id(("effect", of.map(|id| id.0), place), |ui| {
            head(ui, (of, place, effects.len()), effect, commands);
            for (parameter, value) in effect.kind().parameters.iter().zip(effect.values()) {
                set(ui, (of, place), (effect.kind().label, parameter), *value, commands);
            }
        });
    }
    let whose = if of.is_some() { "the layer has" } else { "all layers have" };
    ui.push_id(("add", of.map(|id| id.0)), |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(6.0, 6.0);
            for kind in EFFECTS {
                let text = format!("+ {}", kind.label);
                if ui.available_size_before_wrap().x < chip_width(ui, &text) {
                    ui.end_row();
                }
                let help = format!("{}: in what {whose}, while you go on painting", kind.help);
                let response = ui.add_enabled_ui(layers.room_for_effects() > 0, |ui| chip(ui, &text, false)).inner;
                if response
                    .on_hover_text(help)
                    .on_disabled_hover_text("There are as many effects as there can be")
                    .clicked()
                {
                    push(commands, LayerCommand::AddEffect(of, kind.id.to_owned()));
                }
            }
        });
    });
}

/// Shows the switch of an effect, its name, and what moves or removes it.
fn head(
    ui: &mut Ui,
    (of, place, count): (Option<LayerId>, usize, usize),
    effect: &LayerEffect,
    commands: &mut Vec<Command>,
) {
    let c = colors(ui);
    let label = effect.kind().label;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        let text = format!("{} {label}", if effect.is_on() { "Switch off" } else { "Switch on" });
        let (rect, response) = press(ui, vec2(SWITCH, ROW), &text, Some(effect.is_on()));
        let icon = if effect.is_on() { icons::FILLED_CIRCLE } else { icons::CIRCLE };
        let ink = if effect.is_on() { c.text } else { c.dim };
        ui.painter().text(rect.center(), Align2::CENTER_CENTER, icon, theme::icon(11.0), ink);
        focus_ring(ui, rect, &response);
        if response.on_hover_text("Switch the effect on or off: what was painted stays").clicked() {
            push(commands, LayerCommand::SwitchEffect(of, place, !effect.is_on()));
        }
        // The links end where the values of the sliders do.
        let links = [("Up", place > 0), ("Down", place + 1 < count), ("Remove", true)];
        let shown = links.into_iter().filter(|(_, is_shown)| *is_shown);
        let links: f32 = shown.map(|(text, _)| ui.spacing().item_spacing.x + link_width(ui, text)).sum();
        let width = (ui.available_width() - links).max(40.0);
        let (rect, response) = ui.allocate_exact_size(vec2(width, ROW), egui::Sense::hover());
        let (galley, _) = shortened(ui, label, theme::regular(BODY), ink, width);
        paint_line(ui, galley, rect.left(), rect.center().y, ink);
        response.on_hover_text(effect.kind().help);
        if place > 0 && link(ui, "Up", &format!("Move {label} up")).on_hover_text("It works sooner").clicked() {
            push(commands, LayerCommand::MoveEffect(of, place, place - 1));
        }
        if place + 1 < count
            && link(ui, "Down", &format!("Move {label} down")).on_hover_text("It works later").clicked()
        {
            push(commands, LayerCommand::MoveEffect(of, place, place + 1));
        }
        if link(ui, "Remove", &format!("Remove {label}")).on_hover_text("What was painted stays").clicked() {
            push(commands, LayerCommand::RemoveEffect(of, place));
        }
    });
}

/// Shows a parameter of an effect: a slider, or a few words to choose from.
fn set(
    ui: &mut Ui,
    (of, place): (Option<LayerId>, usize),
    (effect, parameter): (&str, &Parameter),
    value: f64,
    commands: &mut Vec<Command>,
) {
    let command = |value: f64| LayerCommand::SetEffect(of, place, parameter.id.to_owned(), value);
    match &parameter.kind {
        ParameterKind::Number(kind) => {
            let [least, most] = kind.slider.map(|end| end as f32);
            let row = ValueRow {
                name: &format!("{effect} {}", parameter.label.to_lowercase()),
                help: parameter.help,
                label: parameter.label,
                label_width: LABEL,
                color: colors(ui).dim,
                value: value as f32,
                range: least.min(value as f32)..=most.max(value as f32),
                home: kind.default as f32,
                decimals: kind.decimals,
                unit: "",
                edited: false,
            };
            if let Some(value) = row.show(ui).value {
                // A number that was typed is meant as it reads, and not as the nearest of 32 bits.
                push(commands, command(value.to_string().parse().unwrap_or(f64::from(value))));
            }
        }
        ParameterKind::Choice(kind) => {
            let words = kind.words.iter().enumerate();
            let is_it = |index: usize| (index as f64 - value).abs() < 0.5;
            let choices: Vec<_> = words.map(|(at, word)| (word.label, is_it(at), word.help.to_owned())).collect();
            if let Some(chosen) = segments(ui, &choices) {
                push(commands, command(chosen as f64));
            }
            ui.add_space(4.0);
        }
        _ => {}
    }
}
