//! The card in the lower right corner, which describes what the pointer is over, and what moves it.

use egui::accesskit::Role;
use egui::{Align2, CornerRadius, Rect, RichText, Sense, Ui, WidgetInfo, pos2, vec2};
use skinscope_inspect::measure::VertexMeasure;
use skinscope_inspect::symmetry::{NO_IMAGE, why_not_judged};
use skinscope_inspect::{Hit, VertexRef};
use skinscope_model::{InfluencesRef, Model, NodeId, Primitive, WeightFormat};
use skinscope_session::Session;

use super::icons;
use super::theme::{self, BODY, colors};
use super::widgets::{corner_plate, figure, grouped, number, paint_line, shortened, title};

/// The most influences that are listed; where there are more, one fewer is listed and the rest is counted.
const SHOWN: usize = 8;
/// The width of the card, points.
const WIDTH: f32 = 288.0;

/// Shows a vertex with its influences, else the joint whose bone is under the pointer.
pub(super) fn show(ui: &mut Ui, rect: Rect, session: &Session, vertex: Option<Hit>, is_second: bool) {
    let Some(model) = session.model() else { return };
    if let Some(hit) = vertex {
        corner_plate(ui, rect, Align2::RIGHT_BOTTOM, WIDTH, "hover", |ui| {
            vertex_card(ui, session, hit.vertex_ref(), is_second);
        });
    } else if let Some(node) = session.view().hovered.filter(|n| Some(*n) != session.view().selected) {
        corner_plate(ui, rect, Align2::RIGHT_BOTTOM, 248.0, "hover", |ui| joint_card(ui, session, model, node));
    }
}

fn vertex_card(ui: &mut Ui, session: &Session, vertex: VertexRef, is_second: bool) {
    let Some((mesh, primitive)) = session.model().and_then(|m| Some((mesh_of(m, vertex)?, primitive_of(m, vertex)?)))
    else {
        return;
    };
    let c = colors(ui);
    ui.spacing_mut().item_spacing.y = 0.0;
    let (head, response) = ui.allocate_exact_size(vec2(ui.available_width(), 22.0), Sense::hover());
    let number = format!("Vertex {}", vertex.stored(primitive));
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{number} of {mesh}")));
    let name = ui.painter().layout_no_wrap(number, theme::strong(BODY), c.text);
    let left = head.left() + name.size().x + 8.0;
    let (owner, _) = shortened(ui, &mesh, theme::regular(BODY), c.dim, head.right() - left);
    paint_line(ui, name, head.left(), head.center().y, c.text);
    paint_line(ui, owner, left, head.center().y, c.dim);
    influences(ui, session, vertex, is_second);
    if let Some(text) = mirror_image(session, vertex) {
        figure(ui, "Mirror image", &text);
    }
    if let Some(angle) = tangent(session, vertex, is_second) {
        figure(ui, "Tangent", &angle);
    }
    if let Some((label, text)) = measured(session, vertex) {
        figure(ui, label, &text);
    }
    if session.view().pinned != Some(vertex) || session.deforming().explains_second() != is_second {
        ui.add_space(2.0);
        let hint = "Click to pin it and see why it is here";
        ui.label(RichText::new(hint).font(theme::regular(theme::SMALL)).color(c.dim));
    }
}

/// Returns the angle between the tangent of a vertex and its normal as text; `None` where the file has no tangents.
fn tangent(session: &Session, vertex: VertexRef, is_second: bool) -> Option<String> {
    let directions = session.picking().directions(vertex, is_second)?;
    directions.tangent?;
    Some(match directions.angle() {
        Some(degrees) => format!("{degrees:.1}° from the normal"),
        None => "no direction".to_owned(),
    })
}

/// Returns the name and the value, at a vertex, of the measure that the overlay shows.
fn measured(session: &Session, vertex: VertexRef) -> Option<(&'static str, String)> {
    let measure = session.measurements().shown_measure()?;
    let pose = session.measurements().measures().filter(|pose| pose.key.wanted().vertices == Some(measure))?;
    let model = session.model()?;
    let mesh = model.instances.get(vertex.instance.index())?.mesh;
    let stored = vertex.stored(primitive_of(model, vertex)?);
    let value = *pose.values.of(mesh, vertex.primitive).get(stored)?;
    let text = match measure {
        VertexMeasure::Stretch | VertexMeasure::Area if value <= 0.0 => "not measured".to_owned(),
        VertexMeasure::Stretch | VertexMeasure::Area => format!("{value:.3}×"),
        VertexMeasure::Inverted if value > 0.0 => "inverted".to_owned(),
        VertexMeasure::Inverted => "in order".to_owned(),
        VertexMeasure::NormalError if value < 0.0 => "no normal".to_owned(),
        VertexMeasure::Fold | VertexMeasure::NormalError => format!("{value:.1}°"),
    };
    Some((session.view().overlay?.label, text))
}

/// Returns how the weights of a vertex differ from those of its mirror image, where the overlay shows that.
fn mirror_image(session: &Session, vertex: VertexRef) -> Option<String> {
    session.view().overlay.filter(|o| o.id == "asymmetry")?;
    let model = session.model()?;
    let values = session.edited_weights().inspected_values()?;
    let instance = model.instances.get(vertex.instance.index())?;
    if instance.skin.is_none() || primitive_of(model, vertex)?.stored_influences.is_none() {
        return Some("none: not skinned".to_owned());
    }
    let mesh = instance.mesh;
    let stored = vertex.stored(primitive_of(model, vertex)?);
    let difference = *values.asymmetry.of(mesh, vertex.primitive).get(stored)?;
    Some(match difference {
        NO_IMAGE => "none: not judged".to_owned(),
        d if d < 0.0 => format!("not judged: {}", why_not_judged(d).unwrap_or_default()),
        d if d < 0.0005 => "the same weights".to_owned(),
        d => format!("differs by {:.1} %", 100.0 * d),
    })
}

/// Returns the name of a mesh: its own, or that of its node where it has none.
pub(super) fn mesh_of(model: &Model, vertex: VertexRef) -> Option<String> {
    let instance = model.instances.get(vertex.instance.index())?;
    let name = &model.meshes[instance.mesh.index()].name;
    Some(if name.is_empty() { &model.skeleton.names[instance.node.index()] } else { name }.clone())
}

pub(super) fn primitive_of(model: &Model, vertex: VertexRef) -> Option<&Primitive> {
    let instance = model.instances.get(vertex.instance.index())?;
    let primitive = model.meshes[instance.mesh.index()].primitives.get(vertex.primitive)?;
    (vertex.vertex < primitive.vertex_count()).then_some(primitive)
}

/// Returns the weights of the primitive of a vertex; `None` where it is rigid.
pub(super) fn influences_of(model: &Model, vertex: VertexRef) -> Option<InfluencesRef<'_>> {
    primitive_of(model, vertex)?;
    model.influences(model.instances[vertex.instance.index()].mesh, vertex.primitive)
}

/// Returns the weight that the file stores for a joint of a vertex as text, from the slot of the shown influence or
/// else from any slot; empty where the file has no such pair.
pub(super) fn stored_weight(stored: &InfluencesRef<'_>, vertex: usize, (joint, slot): (u16, usize)) -> String {
    let (joints, weights) = stored.of(vertex);
    let is_it = |slot: &usize| joints.get(*slot) == Some(&joint) && weights[*slot] != 0.0;
    let slot = Some(slot).filter(is_it).or_else(|| (0..joints.len()).find(is_it));
    slot.map(|slot| weight_text(stored.format_of(slot), weights[slot])).unwrap_or_default()
}

/// Shows each influence with name, bar, weight and what the file stores; then their sum, and the method's equation.
fn influences(ui: &mut Ui, session: &Session, vertex: VertexRef, is_second: bool) {
    let Some((document, model)) = session.document().zip(session.deforming().side_model(is_second)) else { return };
    let instance = &model.instances[vertex.instance.index()];
    let of = |model| influences_of(model, vertex);
    let (Some(skin), Some(used), Some(stored)) = (instance.skin, of(model), of(document.stored())) else {
        figure(ui, "Moved by", &model.skeleton.names[instance.node.index()]);
        return;
    };
    let nodes = &model.skins[skin.index()].joints;
    let (joints, weights) = used.of(vertex.vertex);
    let mut all: Vec<(f32, usize, NodeId)> = Vec::new();
    for (slot, (joint, weight)) in joints.iter().zip(weights).enumerate().filter(|(_, (_, w))| **w != 0.0) {
        all.push((*weight, slot, nodes[*joint as usize]));
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let shown = if all.len() > SHOWN { SHOWN - 1 } else { all.len() };
    for (weight, slot, node) in &all[..shown] {
        let name = &model.skeleton.names[node.index()];
        influence(ui, name, *weight, &stored_weight(&stored, vertex.vertex, (joints[*slot], *slot)));
    }
    if all.len() > shown {
        let rest: f32 = all[shown..].iter().map(|(w, ..)| w).sum();
        influence(ui, &format!("{} more", all.len() - shown), rest, "");
    }
    let label = if used.is_edited(vertex.vertex) { "Sum, edited" } else { "Sum" };
    sum(ui, label, used.sum(vertex.vertex), &stored, vertex.vertex);
    let applied = session.deforming().side_deformation(is_second);
    let method = applied.method;
    equation(ui, method.label, method.text.equation);
    if let Some(applied) = applied.pass {
        equation(ui, applied.pass.label, applied.pass.text.equation);
    }
}

/// Shows the name of a method and its equation, below each other where one row is too narrow for both.
fn equation(ui: &mut Ui, name: &str, text: &str) {
    let c = colors(ui);
    let width = |t: &str| ui.painter().layout_no_wrap(t.to_owned(), theme::regular(BODY), c.text).size().x;
    if width(name) + width(text) + 16.0 <= ui.available_width() {
        figure(ui, name, text);
        return;
    }
    ui.label(RichText::new(name).font(theme::regular(BODY)).color(c.dim));
    ui.label(RichText::new(text).font(theme::regular(BODY)).color(c.text));
}

/// Shows the sum of the weights as used, in amber where the stored weights do not sum to one.
pub(super) fn sum(ui: &mut Ui, label: &str, used: f64, stored: &InfluencesRef<'_>, vertex: usize) {
    let as_stored = stored.sum(vertex);
    if stored.sums_to_one(vertex) {
        figure(ui, label, &format!("{used:.3}"));
        return;
    }
    let c = colors(ui);
    let sum_text = format!("{used:.3}, stored {}: not one", weight_text(stored.format, as_stored as f32));
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 22.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{label}: {sum_text}")));
    let name = ui.painter().layout_no_wrap(label.to_owned(), theme::regular(BODY), c.dim);
    paint_line(ui, name, rect.left(), rect.center().y, c.dim);
    let sum_text = ui.painter().layout_no_wrap(sum_text, theme::regular(BODY), c.amber);
    let x = rect.right() - sum_text.size().x;
    ui.painter().text(
        pos2(x - 12.0, rect.center().y),
        Align2::CENTER_CENTER,
        icons::WARNING,
        theme::icon(13.0),
        c.amber,
    );
    paint_line(ui, sum_text, x, rect.center().y, c.amber);
}

/// Writes a weight as the file stores it: `158/255`, or `0.6196 f32`.
fn weight_text(format: WeightFormat, weight: f32) -> String {
    match format.one() {
        Some(one) => format!("{:.0}/{one}", f64::from(weight) * f64::from(one)),
        None => format!("{} f32", number(weight, 4)),
    }
}

/// Shows the name of a joint, a bar, the weight, and the stored weight.
fn influence(ui: &mut Ui, name: &str, weight: f32, stored: &str) {
    const BAR: f32 = 44.0;
    const FIGURE: f32 = 40.0;
    let c = colors(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 22.0), Sense::hover());
    let weight_text = number(weight, 3);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{name}: {weight_text} {stored}").trim()));
    let y = rect.center().y;
    let stored = ui.painter().layout_no_wrap(stored.to_owned(), theme::regular(theme::SMALL), c.dim);
    let column = ui.painter().layout_no_wrap("0.0000 f32".to_owned(), theme::regular(theme::SMALL), c.dim).size().x;
    let right = rect.right() - stored.size().x.max(column) - 8.0;
    let x = rect.right() - stored.size().x;
    paint_line(ui, stored, x, y, c.dim);
    let name_width = right - FIGURE - BAR - 8.0 - rect.left();
    let (galley, _) = shortened(ui, name, theme::regular(BODY), c.text, name_width);
    paint_line(ui, galley, rect.left(), y, c.text);
    let bar = Rect::from_min_size(pos2(right - FIGURE - BAR, y - 2.5), vec2(BAR, 5.0));
    ui.painter().rect_filled(bar, CornerRadius::same(2), c.line);
    let filled = bar.with_max_x(bar.left() + BAR * weight.clamp(0.0, 1.0));
    ui.painter().rect_filled(filled, CornerRadius::same(2), c.accent);
    let figure = ui.painter().layout_no_wrap(weight_text, theme::regular(BODY), c.text);
    let x = right - figure.size().x;
    paint_line(ui, figure, x, y, c.text);
}

fn joint_card(ui: &mut Ui, session: &Session, model: &Model, node: NodeId) {
    let (Some(document), Some(name)) = (session.document(), model.skeleton.names.get(node.index())) else { return };
    title(ui, name);
    ui.spacing_mut().item_spacing.y = 0.0;
    if let Some(humanoid) = model.humanoid(node) {
        figure(ui, "Humanoid", humanoid);
    }
    if let Some(parent) = model.skeleton.parents[node.index()] {
        figure(ui, "Child of", &model.skeleton.names[parent.index()]);
    }
    let stats = document.stats().nodes[node.index()];
    if stats.vertices > 0 {
        figure(ui, "Vertices moved", &grouped(stats.vertices));
        figure(ui, "Largest weight", &format!("{:.3}", stats.largest));
    }
    key_count(ui, session, node);
}

fn key_count(ui: &mut Ui, session: &Session, node: NodeId) {
    let Some((model, clip)) = session.model().zip(session.playback().clip) else { return };
    let clip = &model.clips[clip.index()];
    let channels = clip.channels.iter().filter(|c| c.node == node);
    let keys = channels.map(|c| clip.times[clip.samplers[c.sampler].times].len()).max().unwrap_or(0);
    if keys > 0 {
        figure(ui, "Keys in this clip", &grouped(keys));
    }
}
