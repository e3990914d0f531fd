//! The card in the lower right corner: what the pointer is over, and what moves it.

use egui::accesskit::Role;
use egui::{Align2, CornerRadius, Rect, Sense, Ui, WidgetInfo, pos2, vec2};

use super::inspector::title;
use super::theme::{self, BODY, colors};
use super::viewport::corner_plate;
use super::widgets::{figure, grouped, paint_line, shortened};
use crate::inspect::Hit;
use crate::model::{Model, NodeId};
use crate::session::Session;

/// Influences written out; the rest is counted.
const SHOWN: usize = 5;

/// A vertex with its influences, else the joint whose bone is under the pointer.
pub(super) fn show(ui: &mut Ui, rect: Rect, session: &Session, vertex: Option<Hit>) {
    let Some(model) = session.model() else { return };
    if let Some(hit) = vertex {
        let normalised = session.edits.normalise_weights;
        corner_plate(ui, rect, Align2::RIGHT_BOTTOM, 248.0, "hover", |ui| vertex_card(ui, model, hit, normalised));
    } else if let Some(node) = session.view.hovered.filter(|n| Some(*n) != session.view.selected) {
        corner_plate(ui, rect, Align2::RIGHT_BOTTOM, 248.0, "hover", |ui| joint_card(ui, session, model, node));
    }
}

fn vertex_card(ui: &mut Ui, model: &Model, hit: Hit, normalised: bool) {
    let c = colors(ui);
    let Some(instance) = model.instances.get(hit.instance.index()) else { return };
    let mesh = &model.meshes[instance.mesh.index()];
    let Some(primitive) = mesh.primitives.get(hit.primitive) else { return };
    // A vertex split for tangents is the file's vertex that it copies.
    let split = hit.vertex.checked_sub(primitive.stored_vertices);
    let stored = split.and_then(|i| primitive.split_from.get(i)).map_or(hit.vertex, |v| *v as usize);
    ui.spacing_mut().item_spacing.y = 0.0;
    let (head, _) = ui.allocate_exact_size(vec2(ui.available_width(), 22.0), Sense::hover());
    let name = ui.painter().layout_no_wrap(format!("Vertex {stored}"), theme::strong(BODY), c.text);
    let left = head.left() + name.size().x + 8.0;
    let owner = if mesh.name.is_empty() { &model.skeleton.names[instance.node.index()] } else { &mesh.name };
    let (owner, _) = shortened(ui, owner, theme::regular(BODY), c.text, head.right() - left);
    paint_line(ui, name, head.left(), head.center().y, c.text);
    paint_line(ui, owner, left, head.center().y, c.text);
    let (Some(skin), Some(influences)) = (instance.skin, &primitive.influences) else {
        figure(ui, "Moved by", &model.skeleton.names[instance.node.index()]);
        return;
    };
    let (joints, weights) = influences.of(hit.vertex);
    let nodes = &model.skins[skin.index()].joints;
    let mut all: Vec<(f32, NodeId)> =
        joints.iter().zip(weights).filter(|(_, w)| **w != 0.0).map(|(j, w)| (*w, nodes[*j as usize])).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (weight, node) in all.iter().take(SHOWN) {
        influence(ui, &model.skeleton.names[node.index()], *weight);
    }
    if all.len() > SHOWN {
        let rest: f32 = all[SHOWN..].iter().map(|(w, _)| w).sum();
        influence(ui, &format!("{} more", all.len() - SHOWN), rest);
    }
    let label = if normalised { "Sum, normalised" } else { "Sum" };
    figure(ui, label, &format!("{:.3}", weights.iter().sum::<f32>()));
}

/// A joint, a bar, a weight.
fn influence(ui: &mut Ui, name: &str, weight: f32) {
    const BAR: f32 = 56.0;
    const FIGURE: f32 = 44.0;
    let c = colors(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 22.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{name}: {weight:.3}")));
    let y = rect.center().y;
    let (galley, _) = shortened(ui, name, theme::regular(BODY), c.text, rect.width() - BAR - FIGURE - 16.0);
    paint_line(ui, galley, rect.left(), y, c.text);
    let bar = Rect::from_min_size(pos2(rect.right() - FIGURE - BAR, y - 2.5), vec2(BAR, 5.0));
    ui.painter().rect_filled(bar, CornerRadius::same(2), c.line);
    let filled = bar.with_max_x(bar.left() + BAR * weight.clamp(0.0, 1.0));
    ui.painter().rect_filled(filled, CornerRadius::same(2), c.accent);
    let figure = ui.painter().layout_no_wrap(format!("{weight:.3}"), theme::regular(BODY), c.text);
    let x = rect.right() - figure.size().x;
    paint_line(ui, figure, x, y, c.text);
}

fn joint_card(ui: &mut Ui, session: &Session, model: &Model, node: NodeId) {
    let (Some(document), Some(name)) = (&session.document, model.skeleton.names.get(node.index())) else { return };
    title(ui, name);
    ui.spacing_mut().item_spacing.y = 0.0;
    if let Some(humanoid) = model.humanoid(node) {
        figure(ui, "Humanoid", humanoid);
    }
    if let Some(parent) = model.skeleton.parents[node.index()] {
        figure(ui, "Child of", &model.skeleton.names[parent.index()]);
    }
    let stats = document.stats.nodes[node.index()];
    if stats.vertices > 0 {
        figure(ui, "Vertices moved", &grouped(stats.vertices));
        figure(ui, "Largest weight", &format!("{:.3}", stats.largest));
    }
    key_count(ui, session, node);
}

fn key_count(ui: &mut Ui, session: &Session, node: NodeId) {
    let Some((model, clip)) = session.model().zip(session.playback.clip) else { return };
    let clip = &model.clips[clip.index()];
    let channels = clip.channels.iter().filter(|c| c.node == node);
    let keys = channels.map(|c| clip.times[clip.samplers[c.sampler].times].len()).max().unwrap_or(0);
    if keys > 0 {
        figure(ui, "Keys in this clip", &grouped(keys));
    }
}
