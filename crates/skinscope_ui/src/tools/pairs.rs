//! The joints that mirroring exchanges: those whose names say so, and those that the user pairs.

use egui::{Align, Id, Layout, RichText, ScrollArea, Ui, vec2};

use super::joint::joint;
use super::said;
use crate::icons;
use crate::theme::{self, colors};
use crate::widgets::{elided, icon_button, link, paint_line, section, text_button};
use skinscope_edit::{Settings, joint_pairs};
use skinscope_model::{Model, NodeId};
use skinscope_session::Session;

/// Points of the list at most.
const HEIGHT: f32 = 180.0;

pub(super) fn show(ui: &mut Ui, session: &Session, now: &mut Settings) {
    let Some(model) = session.model() else { return };
    let joints: Vec<NodeId> = model.skins.iter().flat_map(|skin| skin.joints.iter().copied()).collect();
    let pairs = joint_pairs(model, joints, &now.pairs);
    section(ui, "Pairs of joints", |ui| {
        if !now.pairs.is_empty() && link(ui, "By names", "Pair joints by their names alone").clicked() {
            now.pairs.clear();
        }
    });
    if pairs.is_empty() {
        said(ui, "No joint has the name of another one with left and right exchanged. Pair them here.");
    }
    let mut gone = None;
    ScrollArea::vertical().max_height(HEIGHT).id_salt("pairs").show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for pair in &pairs {
            let told = now.pairs.iter().position(|other| other == pair || [other[1], other[0]] == *pair);
            if line(ui, model, *pair, told.is_some()) {
                gone = Some(*pair);
            }
        }
    });
    if let Some([a, b]) = gone {
        now.pairs.retain(|pair| !pair.contains(&a) && !pair.contains(&b));
        // Where their names pair them, each is told to be its own partner.
        if joint_pairs(model, vec![a, b], &now.pairs) == [[a, b]] {
            now.pairs.extend([[a, a], [b, b]]);
        }
    }
    make(ui, session, now);
}

/// A row for a pair; true when it is to be parted.
fn line(ui: &mut Ui, model: &Model, pair: [NodeId; 2], told: bool) -> bool {
    let c = colors(ui);
    let names = pair.map(|node| model.skeleton.names.get(node.index()).map_or("", String::as_str));
    let text =
        if pair[0] == pair[1] { format!("{} alone", names[0]) } else { format!("{} ↔ {}", names[0], names[1]) };
    let mut parted = false;
    ui.horizontal(|ui| {
        ui.set_min_height(22.0);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let part = format!("Part {text}");
            parted = icon_button(ui, icons::CLOSE, &part, 20.0, false).on_hover_text("These are no partners").clicked();
            let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 20.0), egui::Sense::hover());
            let ink = if told { c.accent } else { c.text };
            let (galley, cut) = elided(ui, &text, theme::regular(12.0), ink, rect.width());
            paint_line(ui, galley, rect.left(), rect.center().y, ink);
            response.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Label, true, &text));
            if cut {
                response.on_hover_text(&text);
            }
        });
    });
    parted
}

/// Pairs two joints that are chosen by selecting them.
fn make(ui: &mut Ui, session: &Session, now: &mut Settings) {
    let id = Id::unique("new pair of joints");
    let mut two: [Option<NodeId>; 2] = ui.data(|d| d.get_temp(id)).unwrap_or_default();
    ui.add_space(4.0);
    joint(ui, session, "First", &mut two[0]);
    joint(ui, session, "Second", &mut two[1]);
    let chosen = match two {
        [Some(a), Some(b)] => Some([a, b]),
        _ => None,
    };
    ui.add_enabled_ui(chosen.is_some(), |ui| {
        let help = "Mirroring exchanges these two joints; twice the same one is exchanged with none";
        let response = text_button(ui, None, "Pair", false).on_hover_text(help);
        if response.on_disabled_hover_text("Select a joint, take it, and then its partner").clicked()
            && let Some([a, b]) = chosen
        {
            now.pairs.retain(|pair| !pair.contains(&a) && !pair.contains(&b));
            now.pairs.push([a, b]);
            two = [None, None];
        }
    });
    ui.data_mut(|d| d.insert_temp(id, two));
    if !now.pairs.is_empty() {
        let text = "Pairs in colour are yours and hold whatever the names say.";
        ui.label(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).dim));
    }
}
