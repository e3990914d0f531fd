//! The joints that mirroring exchanges: those that are paired by names and positions, and those that the user pairs.

use egui::{Align, Id, Layout, RichText, ScrollArea, Ui, vec2};
use skinscope_edit::{Mirroring, Settings};
use skinscope_model::{Model, NodeId};
use skinscope_session::Session;

use super::fold::fold;
use super::joint::joint;
use super::quiet_text;
use crate::icons;
use crate::theme::{self, colors};
use crate::widgets::{counted, elided, icon_button, link, paint_line, section, text_button};

/// The greatest height of the list, points.
const HEIGHT: f32 = 180.0;
/// How many pairs are listed at once; more are folded.
const FEW: usize = 6;

pub(super) fn show(ui: &mut Ui, session: &Session, now: &mut Settings) {
    let Some(model) = session.model() else { return };
    let mirrored = session.tools().outcome().and_then(|outcome| outcome.mirrored.as_ref());
    plane(ui, model, mirrored);
    let pairs = mirrored.map(|mirrored| mirrored.pairs.as_slice()).unwrap_or_default();
    section(ui, "Pairs of joints", |ui| {
        if !now.pairs.is_empty() && link(ui, "As found", "Pair joints by their names and places alone").clicked() {
            now.pairs.clear();
        }
    });
    if pairs.is_empty() && mirrored.is_some() {
        quiet_text(ui, "No joint has a partner on the other side by its name or place. Pair them here.");
    }
    let id = ui.scope_id().with("folded pairs of joints");
    let mut is_open: bool = ui.data(|d| d.get_temp(id)).unwrap_or_default();
    let name = format!("{} that weights go across", counted(pairs.len(), "pair", "pairs"));
    let is_long = pairs.len() > FEW;
    if is_long && fold(ui, &name, "Part pairs that are none", is_open) {
        is_open = !is_open;
        ui.data_mut(|d| d.insert_temp(id, is_open));
    }
    let listed: &[[NodeId; 2]] = if is_long && !is_open { &[] } else { pairs };
    let mut removed = None;
    ScrollArea::vertical().max_height(HEIGHT).id_salt("pairs").show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for pair in listed {
            let is_given = now.pairs.iter().position(|other| other == pair || [other[1], other[0]] == *pair);
            if line(ui, model, *pair, is_given.is_some()) {
                removed = Some(*pair);
            }
        }
    });
    if let Some([a, b]) = removed {
        let before = now.pairs.len();
        now.pairs.retain(|pair| !pair.contains(&a) && !pair.contains(&b));
        // Where names or positions pair them, each becomes its own partner.
        if now.pairs.len() == before {
            now.pairs.extend([[a, a], [b, b]]);
        }
    }
    make(ui, session, now);
}

/// Shows about which plane weights are mirrored, and which meshes have none.
fn plane(ui: &mut Ui, model: &Model, mirrored: Option<&Mirroring>) {
    let Some(mirrored) = mirrored else { return };
    if !mirrored.planes.is_empty() {
        quiet_text(ui, &format!("Plane of symmetry: {}.", mirrored.plane_texts().join(", ")));
    }
    if !mirrored.without_plane.is_empty() {
        let names: Vec<&str> = mirrored
            .without_plane
            .iter()
            .take(4)
            .filter_map(|mesh| Some(model.meshes.get(mesh.index())?.name.as_str()))
            .collect();
        let meshes = counted(mirrored.without_plane.len(), "mesh has", "meshes have");
        quiet_text(ui, &format!("{meshes} no plane across this axis: {}.", names.join(", ")));
    }
}

/// Shows a row for a pair; returns true when it is to be separated.
fn line(ui: &mut Ui, model: &Model, pair: [NodeId; 2], is_given: bool) -> bool {
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
            let ink = if is_given { c.accent } else { c.text };
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

/// Shows the fields that pair two joints, which are chosen by selecting them.
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
        let text = "Pairs in colour are yours and hold whatever names and places say.";
        ui.label(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).dim));
    }
}
