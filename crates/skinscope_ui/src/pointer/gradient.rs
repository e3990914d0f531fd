//! A gradient of the brush in the hand: the press says where its strength is full, and the drag goes to where nothing is left of it.

use egui::{CursorIcon, Pos2, Stroke};
use glam::{DVec3, Vec2, Vec3};
use skinscope_session::{Command, PaintCommand, PaintDrag, PaintHit, Session};

use super::{Held, PointerTool, Pointing, paint, paint_marks};
use crate::theme::colors;

/// The least distance of both ends of a gradient, points: a shorter drag is a click.
const LEAST: f32 = 3.0;

pub(super) static GRADIENT: PointerTool = PointerTool {
    id: "paint-gradient",
    label: "Painting a gradient",
    hint: "Drag from full strength to none, Alt-click takes the weight, middle-drag turns, Esc ends",
    note: paint::note,
    cursor: CursorIcon::Crosshair,
    owns_picture: true,
    at_once: true,
    is_chosen,
    press,
    moved,
    release,
    keeps: |session, _, _| is_chosen(session),
    click: paint::click,
    wheel: paint::wheel,
    paint: show,
};

/// A gradient under way.
#[derive(Debug)]
pub(super) struct GradientDrag {
    /// The place with the full strength, and where in the picture the button went down there, pixels.
    from: PaintHit,
    pixel: Vec2,
    /// The place where nothing is left of it, model space, metres.
    until: Option<Vec3>,
}

fn is_chosen(session: &Session) -> bool {
    session.painting().brush().is_some() && session.painting().settings().drag != PaintDrag::Stroke
}

fn press(pointing: &Pointing<'_>, at: Pos2, commands: &mut Vec<Command>) -> Option<Held> {
    let pixel = pointing.pixel_in_half(at);
    if pointing.ui.input(|i| i.modifiers.alt) {
        commands.push(PaintCommand::Sample(pixel).into());
        return None;
    }
    paint_marks::forget_note(pointing.ui);
    let from = pointing.session.paint_hit(pixel)?;
    Some(Held::Gradient(Box::new(GradientDrag { from, pixel, until: None })))
}

fn moved(pointing: &Pointing<'_>, held: &mut Held, _commands: &mut Vec<Command>) {
    let Held::Gradient(drag) = held else { return };
    let Some(pixel) = paint::latest(pointing) else { return };
    let is_far = pixel.distance(drag.pixel) >= LEAST * pointing.scale();
    drag.until = is_far.then(|| place_at(pointing.session, &drag.from, pixel)).flatten();
}

/// Returns the place under a pixel: on the surface, or beside it as far from the eye as the first place.
fn place_at(session: &Session, from: &PaintHit, pixel: Vec2) -> Option<Vec3> {
    if let Some(hit) = session.paint_hit(pixel) {
        return Some(hit.position);
    }
    let view = session.view();
    let (ray, ahead) = (view.ray(pixel), -Vec3::from(view.world_from_view().matrix3.z_axis));
    let along = (from.position - ray.origin).dot(ahead) / ray.direction.dot(ahead);
    let at = ray.origin + along * ray.direction;
    at.is_finite().then_some(at)
}

fn release(pointing: &Pointing<'_>, held: Held, commands: &mut Vec<Command>) {
    let Held::Gradient(drag) = held else { return };
    let Some(until) = drag.until else { return };
    let from = drag.from.scene;
    let until = (DVec3::from_array(from) + (until - drag.from.position).as_dvec3()).to_array();
    let radial = pointing.session.painting().settings().drag == PaintDrag::Radial;
    commands.push(PaintCommand::Gradient { from, until, radial }.into());
}

/// Draws the line from the full strength to none, and of a gradient around a place the circle at which nothing is left.
fn show(pointing: &Pointing<'_>, held: Option<&Held>) {
    let Some(Held::Gradient(drag)) = held else { return paint_marks::paint(pointing, held) };
    let seen = |at: Vec3| pointing.session.view().project(at).map(|pixel| pointing.point(pixel));
    let (Some(from), Some(until)) = (seen(drag.from.position), drag.until.and_then(seen)) else { return };
    let (painter, ink) = (pointing.ui.painter(), colors(pointing.ui).accent);
    let stroke = Stroke::new(1.5, ink);
    painter.line_segment([from, until], stroke);
    painter.circle_filled(from, 4.0, ink);
    painter.circle_stroke(until, 4.0, stroke);
    if pointing.session.painting().settings().drag == PaintDrag::Radial {
        painter.circle_stroke(from, from.distance(until), stroke);
    }
}
