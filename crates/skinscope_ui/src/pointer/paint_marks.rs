//! What is seen of painting at the pointer, beside the ring on the surface, which is part of the picture: the weight under it, why a stroke has
//! changed nothing, and the menu of a right click.

use egui::accesskit::Role;
use egui::{Area, Color32, Id, Label, Order, Popup, Pos2, Rect, RichText, Sense, Ui, WidgetInfo, vec2};
use glam::{Vec2, Vec3};
use skinscope_base::math::length;
use skinscope_inspect::VertexRef;
use skinscope_model::NodeId;
use skinscope_session::{BrushKey, Command, PaintCommand, PaintHit, PaintNote, SelectionCommand, Session, ToolCommand};
use skinscope_weights::Brush;

use super::{Held, Pointing};
use crate::card::primitive_of;
use crate::theme::{self, BODY, SMALL, colors};
use crate::vertex_weights::weights_of;
use crate::{context_menu, widgets};

/// How far the pointer goes from the card of a note before that goes, points.
const NEAR: f32 = 120.0;
/// The width of the card of a note, points.
const CARD: f32 = 270.0;
/// The width of a name in the menu, points: names of one rig often differ only in their middle.
const NAME: f32 = 180.0;
/// How many joints of a vertex the menu lists.
const MOST_JOINTS: usize = 6;
/// Where words stand beside the pointer, points.
const BESIDE: egui::Vec2 = vec2(18.0, 16.0);

/// Says what is to be known of the place where the pointer is.
pub(super) fn paint(pointing: &Pointing<'_>, held: Option<&Held>) {
    let hovered = pointing.response.hover_pos();
    let latest = pointing.ui.input(|i| i.pointer.latest_pos());
    let pixel = match held {
        Some(Held::Brush(drag)) => Some(drag.from),
        Some(_) => latest.map(|at| pointing.pixel_in_half(at)),
        None => hovered.map(|at| pointing.pixel_in_half(at)),
    };
    let Some(pixel) = pixel else { return };
    let at = pointing.point(pixel);
    let hit = pointing.session.paint_hit(pixel);
    let lines = match held {
        Some(Held::Brush(drag)) => vec![(brush_text(pointing.session, drag.key), colors(pointing.ui).text)],
        _ => lines(pointing, hit.as_ref(), held.is_some()),
    };
    words(pointing, at, &lines);
}

/// Returns the radius of the brush at a place of the surface as it is seen, pixels.
pub(super) fn radius_in_pixels(session: &Session, hit: &PaintHit) -> Option<f32> {
    let (view, radius) = (session.view(), session.paint_radius() as f32);
    let across = Vec3::from(view.world_from_view().matrix3.x_axis) * radius;
    let seen = view.projector();
    Some(seen.project(hit.position)?.distance(seen.project(hit.position + across)?))
}

/// Says how large or strong the brush is while that follows the pointer.
fn brush_text(session: &Session, key: BrushKey) -> String {
    match key {
        BrushKey::DragStrength => format!("Strength {:.2}", session.painting().settings().strength),
        _ => format!("Radius {}", length(session.paint_radius())),
    }
}

/// Says what the painted joint weighs under the pointer, before the stroke and now, and what the stroke has to say.
fn lines(pointing: &Pointing<'_>, hit: Option<&PaintHit>, is_painting: bool) -> Vec<(String, Color32)> {
    let (session, c) = (pointing.session, colors(pointing.ui));
    let mut out = Vec::new();
    if let (Some(hit), Some(model)) = (hit, session.model()) {
        let paints_mask = session.painting().paints_mask();
        let joint = session.view().selected.filter(|node| model.is_joint(*node) && !paints_mask);
        let number = primitive_of(model, hit.vertex).map(|primitive| hit.vertex.stored(primitive));
        let before = session.model_before_gesture().filter(|_| is_painting);
        let before = before.filter(|_| joint.is_some());
        let before = before.map(|model| weight_of(model, hit.vertex, &session.painted_joints()));
        let now = joint.map(|_| shown(f64::from(hit.weight)));
        let is_of_joint = session.painting().brush().is_some_and(Brush::is_of_joint);
        out.extend(match (now, before.filter(|before| (before - f64::from(hit.weight)).abs() >= 0.000_5)) {
            (Some(now), Some(before)) => Some((format!("{} → {now}", shown(before)), c.text)),
            (Some(now), None) => Some((now, c.text)),
            (None, _) if paints_mask => Some((format!("mask {}", shown(f64::from(hit.weight))), c.text)),
            (None, _) => is_of_joint.then(|| ("no joint selected".to_owned(), c.amber)),
        });
        out.extend(number.map(|number| (format!("vertex {number}"), c.dim)));
    }
    if let Some(note) = session.painting().note().filter(|note| is_painting && !note.text.is_empty()) {
        out.push((note.text.clone(), c.amber));
    }
    out
}

/// Writes a weight with three digits; what rounds to zero has no sign.
fn shown(weight: f64) -> String {
    // Adding zero turns −0 into +0.
    format!("{:.3}", (weight * 1e3).round() / 1e3 + 0.0)
}

/// Returns the weight of joints together at a vertex of a model.
fn weight_of(model: &skinscope_model::Model, vertex: VertexRef, joints: &[NodeId]) -> f64 {
    let weights = weights_of(model, vertex).unwrap_or_default();
    weights.into_iter().filter(|(node, _)| joints.contains(node)).map(|(_, weight)| weight).sum()
}

/// Writes lines on a plate beside the pointer, within the picture.
fn words(pointing: &Pointing<'_>, at: Pos2, lines: &[(String, Color32)]) {
    let ui = pointing.ui;
    if lines.is_empty() {
        return;
    }
    let galleys: Vec<_> = lines
        .iter()
        .enumerate()
        .map(|(i, (text, ink))| {
            let font = if i == 0 { theme::strong(BODY) } else { theme::regular(SMALL) };
            ui.painter().layout(text.clone(), font, *ink, CARD)
        })
        .collect();
    let width = galleys.iter().fold(0.0_f32, |most, galley| most.max(galley.size().x));
    let height: f32 = galleys.iter().map(|galley| galley.size().y).sum();
    let place = Rect::from_min_size(at + BESIDE, vec2(width, height) + vec2(16.0, 10.0));
    let rect = within(place, pointing.response.rect);
    ui.painter().rect_filled(rect, theme::RADIUS, theme::opaque(colors(ui).plate));
    let mut top = rect.min + vec2(8.0, 5.0);
    for (galley, (_, ink)) in galleys.into_iter().zip(lines) {
        let height = galley.size().y;
        ui.painter().galley(top, galley, *ink);
        top.y += height;
    }
    let mark = ui.interact(rect, ui.scope_id().with("weight at the pointer"), Sense::empty());
    let text = lines.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join(", ");
    mark.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("At the pointer: {text}")));
}

/// Moves a rectangle into another one.
fn within(rect: Rect, outer: Rect) -> Rect {
    let over = (rect.max - outer.max).max(egui::Vec2::ZERO);
    let under = (outer.min - (rect.min - over)).max(egui::Vec2::ZERO);
    rect.translate(under - over)
}

/// The card that says what the last stroke had to say.
#[derive(Clone, Debug)]
struct Card {
    text: String,
    /// Where it is, points.
    at: Pos2,
    /// Whether the pointer has left it, or one of its buttons was pressed.
    is_gone: bool,
}

fn card_id() -> Id {
    Id::unique("card of the last stroke")
}

/// Lets the next stroke say what it has to say at its own place.
pub(super) fn forget_note(ui: &Ui) {
    ui.data_mut(|d| d.remove::<Card>(card_id()));
}

/// Shows why the last stroke has changed nothing, with what can be done about it, as long as the pointer is near.
pub(super) fn note_card(pointing: &Pointing<'_>, commands: &mut Vec<Command>) {
    let (ui, id) = (pointing.ui, card_id());
    let note = pointing.session.painting().note().filter(|note| !note.text.is_empty());
    let Some(note) = note else { return forget_note(ui) };
    let pointer = ui.input(|i| i.pointer.latest_pos());
    let known: Option<Card> = ui.data(|d| d.get_temp(id));
    let known = known.filter(|card| card.text == note.text);
    let is_new = known.is_none();
    let mut card = known.unwrap_or_else(|| {
        let at = pointer.unwrap_or(pointing.response.rect.center()) + BESIDE;
        Card { text: note.text.clone(), at, is_gone: false }
    });
    if !card.is_gone {
        let area = Area::new(id.with("area")).order(Order::Foreground).fixed_pos(card.at);
        let area = area.constrain_to(pointing.response.rect).fade_in(false);
        let shown = area.show(ui.ctx(), |ui| {
            // It lies over the words beside the pointer, which must not shine through.
            let plate = widgets::plate(ui).fill(theme::opaque(colors(ui).plate));
            plate.show(ui, |ui| contents(ui, note, commands)).inner
        });
        // Where it lies is not known before its size is, which the first pass finds.
        let is_near = is_new || pointer.is_none_or(|at| shown.response.rect.expand(NEAR).contains(at));
        card.is_gone = shown.inner || !is_near;
    }
    ui.data_mut(|d| d.insert_temp(id, card));
}

/// Shows what a note says and the ways out; returns whether one of them was taken.
fn contents(ui: &mut Ui, note: &PaintNote, commands: &mut Vec<Command>) -> bool {
    ui.set_max_width(CARD);
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 6.0);
    ui.add(Label::new(RichText::new(&note.text).font(theme::strong(BODY)).color(colors(ui).amber)).wrap());
    let mut is_taken = false;
    for (label, command) in &note.ways {
        let (short, _) = widgets::shortened_text(ui, label, theme::regular(BODY), CARD - 24.0);
        if widgets::text_button(ui, None, &short, false).on_hover_text(label).clicked() {
            commands.push(command.clone());
            is_taken = true;
        }
    }
    is_taken
}

/// Shows the menu of a right click: which joint is painted, and what else concerns the place.
pub(super) fn menu(pointing: &Pointing<'_>, commands: &mut Vec<Command>) {
    let (ui, response) = (pointing.ui, pointing.response);
    let id = Id::unique("menu of painting");
    if response.secondary_clicked() {
        let pixel = response.interact_pointer_pos().map(|at| pointing.pixel_in_half(at));
        let about = pixel.and_then(|pixel| Some((pointing.session.paint_hit(pixel)?.vertex, pixel)));
        ui.data_mut(|d| d.insert_temp::<Option<(VertexRef, Vec2)>>(id, about));
    } else if !Popup::is_any_open(ui.ctx()) {
        return;
    }
    let about: Option<(VertexRef, Vec2)> = ui.data(|d| d.get_temp::<Option<(VertexRef, Vec2)>>(id)).flatten();
    let rows = rows(pointing, about);
    let texts: Vec<(&str, &str)> = rows.iter().map(|row| (row.label.as_str(), row.help)).collect();
    let title = if about.is_some() { "Painting here" } else { "Painting" };
    if let Some(row) = context_menu::choose(response, title, &texts).and_then(|chosen| rows.get(chosen)) {
        commands.push(row.command.clone());
    }
}

/// A row of the menu.
struct Row {
    label: String,
    help: &'static str,
    command: Command,
}

fn rows(pointing: &Pointing<'_>, about: Option<(VertexRef, Vec2)>) -> Vec<Row> {
    let session = pointing.session;
    let mut out = Vec::new();
    if let (Some((vertex, pixel)), Some(model)) = (about, session.edited_weights().edited_model()) {
        let mut joints = weights_of(model, vertex).unwrap_or_default();
        joints.sort_by(|a, b| b.1.total_cmp(&a.1));
        let name = |node: NodeId| {
            let name = model.skeleton.names.get(node.index()).map_or("", String::as_str);
            widgets::shortened_text(pointing.ui, name, theme::regular(BODY), NAME).0
        };
        for (i, (node, weight)) in joints.iter().take(MOST_JOINTS).enumerate() {
            let name = name(*node);
            let (label, help) = match i {
                0 => (
                    format!("Paint this joint: {name} ({weight:.2})"),
                    "Select the joint that moves this place most, and paint it",
                ),
                _ => (
                    format!("Paint {name} ({weight:.2})"),
                    "Select this joint, which moves this place too, and paint it",
                ),
            };
            out.push(Row { label, help, command: SelectionCommand::Select(Some(*node)).into() });
        }
        if let Some((node, _)) = joints.first() {
            let verb = if session.tools().locked.contains(node) { "Unlock" } else { "Lock" };
            let help = "The weights of a joint that is locked stay, whatever is painted";
            let label = format!("{verb} {}", name(*node));
            out.push(Row { label, help, command: ToolCommand::ToggleLock(*node).into() });
        }
        let help = "Take the weight of the painted joint here as the one that Replace sets; Alt and a click do so too";
        out.push(Row { label: "Take the weight here".to_owned(), help, command: PaintCommand::Sample(pixel).into() });
    }
    let help = "Put the brush down: the pointer moves the camera and selects again";
    out.push(Row { label: "Put the brush down".to_owned(), help, command: PaintCommand::Hold(None).into() });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_of_nothing_has_no_sign() {
        let texts = [-0.0, -0.000_4, 0.0, 0.25, -0.25, 0.999_6].map(shown);
        assert_eq!(texts, ["0.000", "0.000", "0.000", "0.250", "-0.250", "1.000"]);
    }

    #[test]
    fn words_stay_in_the_picture() {
        let outer = Rect::from_min_max(Pos2::ZERO, egui::pos2(100.0, 100.0));
        let size = vec2(30.0, 20.0);
        for at in [egui::pos2(90.0, 95.0), egui::pos2(-5.0, 50.0), egui::pos2(20.0, 20.0)] {
            let rect = within(Rect::from_min_size(at, size), outer);
            assert!(outer.contains_rect(rect) && rect.size() == size, "{rect:?}");
        }
    }
}
