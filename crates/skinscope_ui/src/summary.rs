//! The inspector while nothing is selected: the model in figures, and the colours of weights.

use egui::{Label, RichText, Ui};
use glam::DVec3;
use skinscope_base::math::lengths;
use skinscope_model::{Model, NodeId};
use skinscope_session::{Command, EditCommand, Session, ViewCommand};

use super::theme::{self, colors};
use super::widgets::{BY_INFLUENCES, chip, counted, drop_down, figure, grouped, histogram, section, tip, title};
use super::{legend, placing};

pub(super) fn head(ui: &mut Ui, session: &Session) {
    let Some(document) = session.document() else { return };
    let c = colors(ui);
    let name = &document.model.source.name;
    title(ui, name);
    let text = match document.model.clips.is_empty() {
        true => "This file has no clips. Click a bone, the skin or a node to pose it and see its weights.",
        false => "Click a bone, the skin or a node to pose it and see its weights.",
    };
    ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(c.dim)).wrap());
}

/// Shows how large the model is, at rest.
pub(super) fn size(ui: &mut Ui, session: &Session) {
    let Some(bounds) = session.document().map(|d| d.rest_bounds_at_hand()) else { return };
    if bounds.is_some_and(|b| b.is_empty()) {
        return;
    }
    let size = bounds.map_or_else(|| "…".to_owned(), |b| lengths(b.size().to_array().map(f64::from)));
    ui.add_space(2.0);
    figure(ui, "Size of the model", &size)
        .on_hover_text("Width (X) × height (Y) × depth (Z) in the rest pose, as deformed");
    let origin = session.surfaces().origin();
    if origin != DVec3::ZERO {
        let DVec3 { x, y, z } = origin;
        figure(ui, "Stands far away, at", &format!("{x}, {y}, {z}"))
            .on_hover_text("X, Y and Z in metres. Places in the window are counted from there; OBJ, GLB and pose files hold the whole places");
    }
}

/// Shows the file's material variants, where it has any.
pub(super) fn variants(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let Some(model) = session.model().filter(|m| !m.variants.is_empty()) else { return };
    section(ui, "Material variant", |_| {});
    let now = session.view().variant;
    let name = |v: Option<usize>| v.and_then(|v| model.variants.get(v)).map_or("As stored", String::as_str);
    let width = ui.available_width();
    drop_down(ui, "Material variant", name(now), width, "Show the materials of another variant of the file", |ui| {
        for variant in std::iter::once(None).chain((0..model.variants.len()).map(Some)) {
            if ui.selectable_label(variant == now, name(variant)).clicked() {
                commands.push(ViewCommand::SetVariant(variant).into());
            }
        }
    });
    ui.add_space(4.0);
}

/// Returns how much of everything a model has, each with its name.
pub(super) fn counts(model: &Model) -> [(&'static str, usize); 9] {
    let joints = (0..model.skeleton.len()).filter(|n| model.is_joint(NodeId::from_index(*n))).count();
    let triangles: usize = model
        .instances
        .iter()
        .flat_map(|i| &model.meshes[i.mesh.index()].primitives)
        .filter(|p| p.topology == skinscope_model::Topology::Triangles)
        .map(|p| p.indices.len() / 3)
        .sum();
    [
        ("Vertices", model.drawn_vertices()),
        ("Triangles", triangles),
        ("Nodes", model.skeleton.len()),
        ("Joints", joints),
        ("Skins", model.skins.len()),
        ("Meshes", model.file_meshes().count()),
        ("Materials", model.materials.len()),
        ("Images", model.images.len()),
        ("Clips", model.clips.len()),
    ]
}

pub(super) fn figures(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let Some(document) = session.document() else { return };
    let model = &document.model;
    section(ui, "Model", |_| {});
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (label, n) in counts(model) {
            figure(ui, label, &grouped(n));
        }
    });
    section(ui, "Skinning", |_| {});
    let stats = document.stats();
    if stats.by_influences.iter().any(|n| *n > 0) {
        figure(ui, "Most influences of a vertex", &grouped(stats.most));
        ui.add_space(4.0);
        histogram(ui, "Skinned vertices by influences", &BY_INFLUENCES, &stats.by_influences);
        ui.add_space(4.0);
        let needs = &stats.data;
        figure(ui, "Influences of a vertex, mean", &format!("{:.2}", needs.mean()));
        figure(ui, "Influences used", &grouped(needs.used));
        figure(ui, "Influences stored", &grouped(needs.stored));
        figure(ui, "Skinning data", &bytes(needs.bytes))
            .on_hover_text("Joint numbers, weights as stored, and 64 bytes for each inverse bind matrix");
    } else {
        ui.label(RichText::new("No vertex is skinned.").color(colors(ui).dim));
        placing::offer(ui, session, commands);
    }
    uneven_sums(ui, session, commands);
    section(ui, "Heat map colours", |_| {});
    legend::ramps(ui, session, commands);
}

/// Shows the facts that the file gives about itself.
pub(super) fn file(ui: &mut Ui, session: &Session) {
    let Some(model) = session.model() else { return };
    section(ui, "File", |_| {});
    let source = &model.source;
    figure(ui, "glTF", &source.version);
    let lines = [("Generator", &source.generator), ("Copyright", &source.copyright)];
    for (label, text) in lines {
        if let Some(text) = text {
            figure(ui, label, text);
        }
    }
    if !source.extensions_used.is_empty() {
        figure(ui, "Extensions", &source.extensions_used.join(", "));
    }
}

/// Shows how many sums of weights are not one, with the button that divides by them; and how many vertices were edited.
fn uneven_sums(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let c = colors(ui);
    let edited = session.model().map_or(0, |model| model.weight_edits().count(model));
    if edited > 0 {
        ui.add_space(4.0);
        figure(ui, "Edited weights", &counted(edited, "vertex", "vertices"));
    }
    let Some((vertices, [least, most])) = session.document().and_then(|d| d.stats().uneven) else { return };
    ui.add_space(4.0);
    figure(ui, "Weights not summing to one", &counted(vertices, "vertex", "vertices"));
    figure(ui, "Their sums", &format!("{least:.3} to {most:.3}"));
    ui.add_space(2.0);
    let command = Command::Edit(EditCommand::NormaliseWeights);
    if chip(ui, "Normalise weights", session.is_normalising()).on_hover_text(tip(&command)).clicked() {
        commands.push(command);
    }
    let text = "Picture, figures and export have the weights as they are.";
    ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(c.dim)).wrap());
}

/// Writes a number of bytes for people to read.
pub(super) fn bytes(n: usize) -> String {
    match n {
        0..1024 => format!("{n} B"),
        1024..1_048_576 => format!("{:.1} KiB", n as f64 / 1024.0),
        _ => format!("{:.1} MiB", n as f64 / 1_048_576.0),
    }
}
