//! A gradient of the brush in the hand: the press says where it has its strength, and the drag goes to where nothing is left of it. Both may be
//! beside the model.

use egui::{CursorIcon, Pos2, Stroke};
use glam::{Vec2, Vec3};
use skinscope_session::{Command, PaintCommand, PaintDrag, PaintHit, PaintPlace, Session};

use super::{Held, PointerTool, Pointing, paint, paint_marks};
use crate::theme::colors;

/// The least distance of both ends of a gradient, points: a shorter drag is a click.
const LEAST: f32 = 3.0;

pub(super) static GRADIENT: PointerTool = PointerTool {
    id: "paint-gradient",
    label: "Painting a gradient",
    hint: "Drag from the strength of the brush to none, Alt-click takes the weight, middle-drag turns, Esc ends",
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
    /// Where in the picture the button went down, pixels, and the place of the surface there; `None`: it was beside the model.
    pixel: Vec2,
    hit: Option<PaintHit>,
    /// The place with the strength of the brush, and the one where nothing is left of it; `None` as long as the pointer has not gone far.
    ends: Option<[PaintPlace; 2]>,
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
    let hit = pointing.session.paint_hit(pixel);
    Some(Held::Gradient(Box::new(GradientDrag { pixel, hit, ends: None })))
}

fn moved(pointing: &Pointing<'_>, held: &mut Held, commands: &mut Vec<Command>) {
    let Held::Gradient(drag) = held else { return };
    let Some(pixel) = paint::latest(pointing) else { return };
    paint::hover(pointing, Some(pixel), commands);
    let is_far = pixel.distance(drag.pixel) >= LEAST * pointing.scale();
    let ends = || pointing.session.gradient_ends(drag.hit.as_ref(), [drag.pixel, pixel]);
    drag.ends = is_far.then(ends).flatten();
}

fn release(pointing: &Pointing<'_>, held: Held, commands: &mut Vec<Command>) {
    let Held::Gradient(drag) = held else { return };
    let Some([from, until]) = drag.ends.map(|ends| ends.map(|end| end.scene)) else { return };
    let radial = pointing.session.painting().settings().drag == PaintDrag::Radial;
    commands.push(PaintCommand::Gradient { from, until, radial }.into());
}

/// Draws the line from the strength of the brush to none, and of a gradient around a place the circle at which nothing is left.
fn show(pointing: &Pointing<'_>, held: Option<&Held>) {
    let Some(Held::Gradient(drag)) = held else { return paint_marks::paint(pointing, held) };
    let seen = |at: Vec3| pointing.session.view().project(at).map(|pixel| pointing.point(pixel));
    let [from, until] = match drag.ends {
        Some(ends) => ends.map(|end| seen(end.position)),
        None => [Some(pointing.point(drag.pixel)), None],
    };
    let Some(from) = from else { return };
    let (painter, ink) = (pointing.ui.painter(), colors(pointing.ui).accent);
    let stroke = Stroke::new(1.5, ink);
    painter.circle_filled(from, 4.0, ink);
    let Some(until) = until else { return };
    painter.line_segment([from, until], stroke);
    painter.circle_stroke(until, 4.0, stroke);
    if pointing.session.painting().settings().drag == PaintDrag::Radial {
        painter.circle_stroke(from, from.distance(until), stroke);
    }
}
