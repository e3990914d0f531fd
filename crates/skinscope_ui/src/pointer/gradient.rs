//! A gradient of the brush in the hand: the press says where it has its strength, and the drag goes to where nothing is left of it. Both may be
//! beside the model.

use egui::accesskit::Role;
use egui::{CursorIcon, Id, Pos2, Rect, Sense, Stroke, Ui, WidgetInfo, vec2};
use glam::{Vec2, Vec3};
use skinscope_session::{Command, PaintCommand, PaintDrag, PaintHit, PaintPlace, Session};
use skinscope_weights::FALLOFFS;
use skinscope_weights::brush::falloff;

use super::{Held, PointerTool, Pointing, paint, paint_marks};
use crate::theme::{self, SMALL, colors};

/// The least distance of both ends of a gradient, points: a shorter drag is a click.
const LEAST: f32 = 3.0;
/// The least distance at which strengths on the way are said and not only those at its ends, points.
const LONG: f32 = 160.0;
/// How far beside the way a strength stands, points.
const BESIDE: f32 = 18.0;
/// How much of the colour the lines between both ends have.
const FAINT: f32 = 0.5;

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

/// Draws the way from the strength of the brush to none with what is left of it on the way, and where each of these strengths is: planes across the
/// way, or circles around the place where it begins.
fn show(pointing: &Pointing<'_>, held: Option<&Held>) {
    let Some(Held::Gradient(drag)) = held else { return paint_marks::paint(pointing, held) };
    let (painter, ink) = (pointing.ui.painter(), colors(pointing.ui).accent);
    let Some(ends) = drag.ends.map(|ends| ends.map(|end| end.position)) else {
        painter.circle_filled(pointing.point(drag.pixel), 4.0, ink);
        return;
    };
    let seen = |at: Vec3| pointing.session.view().project(at).map(|pixel| pointing.point(pixel));
    let Some(from) = seen(ends[0]) else { return };
    painter.circle_filled(from, 4.0, ink);
    let Some(until) = seen(ends[1]) else { return };
    let (way, settings) = (until - from, pointing.session.painting().settings());
    painter.line_segment([from, until], Stroke::new(1.5, ink));
    painter.circle_stroke(until, 4.0, Stroke::new(1.5, ink));
    let falls = falloff(&settings.falloff).unwrap_or(FALLOFFS[0]);
    let shares: &[f32] = if way.length() < LONG { &[0.0, 1.0] } else { &[0.0, 0.25, 0.5, 0.75, 1.0] };
    let mut said = Vec::new();
    for share in shares {
        let place = ends[0].lerp(ends[1], *share);
        let Some(at) = seen(place) else { continue };
        let ink = if *share > 0.0 && *share < 1.0 { ink.gamma_multiply(FAINT) } else { ink };
        if settings.drag == PaintDrag::Radial {
            painter.circle_stroke(from, from.distance(at), Stroke::new(1.5, ink));
        } else {
            let across = across(pointing.session, ends);
            if let (Some(a), Some(b)) = (seen(place - across), seen(place + across)) {
                painter.line_segment([a, b], Stroke::new(1.5, ink));
            }
        }
        let strength = format!("{:.2}", settings.strength * falls.at(f64::from(*share)));
        write(pointing.ui, at + way.normalized().rot90() * BESIDE, &strength);
        said.push(strength);
    }
    let mark = pointing.ui.interact(
        Rect::from_two_pos(from, until).expand(4.0),
        Id::unique("gradient under way"),
        Sense::empty(),
    );
    let text = format!("Strength along the gradient: {}", said.join(", "));
    mark.widget_info(|| WidgetInfo::labeled(Role::Label, true, text.clone()));
}

/// Returns half of a line across the way of a gradient as it is seen, as long as the way: the gradient is the same all along it.
fn across(session: &Session, [from, until]: [Vec3; 2]) -> Vec3 {
    let toward_eye = Vec3::from(session.view().world_from_view().matrix3.z_axis);
    let way = until - from;
    0.5 * way.length() * way.cross(toward_eye).normalize_or_zero()
}

/// Writes a strength on a plate.
fn write(ui: &Ui, middle: Pos2, text: &str) {
    let c = colors(ui);
    let galley = ui.painter().layout_no_wrap(text.to_owned(), theme::strong(SMALL), c.text);
    let place = Rect::from_center_size(middle, galley.size());
    ui.painter().rect_filled(place.expand2(vec2(4.0, 2.0)), theme::RADIUS, theme::opaque(c.plate));
    ui.painter().galley(place.min, galley, c.text);
}
