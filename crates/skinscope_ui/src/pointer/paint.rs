//! Painting weights: a press touches the skin, a drag touches it once in each step of its way. Keys and the wheel make the brush wider or
//! stronger.

use std::time::Duration;

use egui::{CursorIcon, Event, Id, Key, Pos2};
use glam::{DVec3, Vec2};
use skinscope_model::NodeId;
use skinscope_paint::{Layer, LayerStack};
use skinscope_session::{BrushKey, Command, Keymap, PaintCommand, PaintDab, PaintSettings, Session};
use skinscope_weights::Need;

use super::stroke_way::StrokeWay;
use super::{Held, PointerTool, Pointing, camera, paint_marks};
use crate::widgets::counted;

/// The time between two touches of an airbrush that rests, seconds.
const AIRBRUSH: f64 = 0.05;
/// The most places that the surface is looked for at in one pass.
const MOST_PLACES: f32 = 32.0;
/// The least distance of places at which the surface is looked for, pixels.
const LEAST_APART: f32 = 2.0;
/// How far the pointer goes while the radius becomes e times as large, and while the strength goes from 0 to 1, points.
const PER_RADIUS: f32 = 120.0;
const PER_STRENGTH: f32 = 200.0;
/// How far the wheel scrolls while the strength goes from 0 to 1, points.
const PER_WHEEL: f32 = 800.0;
/// The longest name of a joint or of a layer that is said in the line over the picture, letters.
const LONGEST_NAME: usize = 32;

pub(super) static PAINT: PointerTool = PointerTool {
    id: "paint",
    label: "Painting",
    hint: "Ctrl does the opposite, Shift smooths, Alt-click takes the weight, middle-drag turns, Esc ends",
    note,
    cursor: CursorIcon::Crosshair,
    owns_picture: true,
    at_once: true,
    is_chosen: |session| session.painting().brush().is_some(),
    press,
    moved,
    release: |_, _, _| {},
    keeps: |session, _, _| session.painting().brush().is_some(),
    click,
    wheel,
    paint: paint_marks::paint,
};

/// A stroke under way.
#[derive(Debug)]
pub(super) struct StrokeHold {
    /// Its way over the surface; `None`: the pointer is beside the model.
    way: Option<StrokeWay>,
    /// Where the pointer was last, pixels.
    pixel: Vec2,
    /// When the surface was touched last, seconds.
    touched: f64,
    /// How hard a pen is pressed, 0 to 1.
    pressure: f64,
    /// Which keys were held as it began: they hold for the whole stroke.
    flips: bool,
    smooths: bool,
}

impl StrokeHold {
    fn dab(&self, at: DVec3) -> Command {
        let Self { pressure, flips, smooths, .. } = *self;
        PaintCommand::Dab(PaintDab { position: at.to_array(), pressure, flips, smooths }).into()
    }

    /// Goes on to a place of the surface, or beside it.
    fn go_to(&mut self, to: Option<DVec3>, step: f64, touched: &mut Vec<DVec3>) {
        match (&mut self.way, to) {
            (Some(way), Some(to)) => way.go_to(to, step, touched),
            (way, Some(to)) => {
                *way = Some(StrokeWay::new(to));
                touched.push(to);
            }
            (way, None) => *way = None,
        }
    }
}

/// The radius or the strength of the brush while it follows the pointer.
#[derive(Debug)]
pub(super) struct BrushDrag {
    pub key: BrushKey,
    /// Where the pointer was when it began, pixels.
    pub from: Vec2,
    before: PaintSettings,
    /// The radius as it was, metres.
    radius: f64,
}

impl BrushDrag {
    /// Returns the command that gives the brush back as it was.
    pub fn give_up(&self) -> Command {
        PaintCommand::Set(self.before.clone()).into()
    }

    /// Returns the settings where the pointer is so many points to the right of where it was.
    fn to(&self, points: f32) -> PaintSettings {
        let mut settings = self.before.clone();
        match self.key {
            BrushKey::DragStrength => {
                settings.strength = rounded(self.before.strength + f64::from(points / PER_STRENGTH)).clamp(0.0, 1.0);
            }
            _ => settings.radius = radius_within(self.radius * f64::from(points / PER_RADIUS).exp()),
        }
        settings
    }
}

/// Keeps a radius within what can be meant.
fn radius_within(radius: f64) -> f64 {
    radius.clamp(1e-6, 1e6)
}

/// Rounds a strength to what is shown of it.
fn rounded(strength: f64) -> f64 {
    (strength * 100.0).round() / 100.0
}

/// Lets the radius or the strength follow the pointer, because its key was pressed.
pub(super) fn begin_by_key(pointing: &Pointing<'_>, key: BrushKey) -> Option<Held> {
    let session = pointing.session;
    session.painting().brush()?;
    let from = latest(pointing).unwrap_or_else(|| pointing.pixel_in_half(pointing.response.rect.center()));
    let before = session.painting().settings().clone();
    Some(Held::Brush(Box::new(BrushDrag { key, from, before, radius: session.paint_radius() })))
}

/// Returns whether what follows the pointer ends by a key: kept (`true`) or given up (`false`).
pub(super) fn end_of_key(key: Key) -> Option<bool> {
    match key {
        Key::Escape => Some(false),
        Key::Enter | Key::Space => Some(true),
        _ => None,
    }
}

pub(super) fn latest(pointing: &Pointing<'_>) -> Option<Vec2> {
    pointing.ui.input(|i| i.pointer.latest_pos()).map(|at| pointing.pixel_in_half(at))
}

/// Returns how hard a pen is pressed, where the system says so in this pass.
fn pressure(pointing: &Pointing<'_>) -> Option<f64> {
    let force = pointing.ui.input(|i| {
        i.events.iter().rev().find_map(|event| match event {
            Event::Touch { force, .. } => *force,
            _ => None,
        })
    });
    force.map(|force| f64::from(force).clamp(0.01, 1.0))
}

/// Touches the surface where the button went down; with Alt it takes the weight there instead, and with B, where keys are as in Maya, the drag
/// changes the radius.
fn press(pointing: &Pointing<'_>, at: Pos2, commands: &mut Vec<Command>) -> Option<Held> {
    let (session, pixel) = (pointing.session, pointing.pixel_in_half(at));
    let (keys, now) = pointing.ui.input(|i| (i.modifiers, i.time));
    if keys.alt {
        commands.push(PaintCommand::Sample(pixel).into());
        return None;
    }
    if Keymap::chosen() == Keymap::Maya && pointing.ui.input(|i| i.key_down(Key::B)) {
        return begin_by_key(pointing, BrushKey::DragRadius);
    }
    paint_marks::forget_note(pointing.ui);
    hover(pointing, Some(pixel), commands);
    let (flips, smooths) = (keys.command, keys.shift);
    let pressure = pressure(pointing).unwrap_or(1.0);
    let mut stroke = StrokeHold { way: None, pixel, touched: now, pressure, flips, smooths };
    if let Some(hit) = session.paint_hit(pixel) {
        let place = DVec3::from(hit.scene);
        stroke.way = Some(StrokeWay::new(place));
        commands.push(stroke.dab(place));
    }
    Some(Held::Stroke(Box::new(stroke)))
}

/// Follows the pointer with the stroke, or with the brush that becomes wider or stronger.
fn moved(pointing: &Pointing<'_>, held: &mut Held, commands: &mut Vec<Command>) {
    match held {
        Held::Stroke(stroke) => {
            hover(pointing, latest(pointing), commands);
            paint_on(pointing, stroke, commands);
        }
        Held::Brush(drag) => {
            // The ring stays where it is.
            hover(pointing, Some(drag.from), commands);
            let to = latest(pointing).unwrap_or(drag.from);
            let settings = drag.to((to.x - drag.from.x) / pointing.scale());
            if settings != *pointing.session.painting().settings() {
                commands.push(PaintCommand::Set(settings).into());
            }
        }
        _ => {}
    }
}

/// Touches the surface along the way of the pointer since the last pass; an airbrush does so while the pointer rests, too.
fn paint_on(pointing: &Pointing<'_>, stroke: &mut StrokeHold, commands: &mut Vec<Command>) {
    let session = pointing.session;
    let settings = session.painting().settings();
    stroke.pressure = pressure(pointing).unwrap_or(stroke.pressure);
    let now = pointing.ui.input(|i| i.time);
    let mut places = Vec::new();
    if let Some(pixel) = latest(pointing).filter(|pixel| *pixel != stroke.pixel) {
        let from = std::mem::replace(&mut stroke.pixel, pixel);
        let spacing = settings.spacing.clamp(0.01, 10.0);
        let last = session.paint_hit(pixel);
        let seen = last.and_then(|hit| paint_marks::radius_in_pixels(session, &hit)).unwrap_or(0.0);
        let apart = (seen * spacing as f32).max(LEAST_APART);
        let count = (from.distance(pixel) / apart).ceil().clamp(1.0, MOST_PLACES);
        for i in 1..=count as u32 {
            let at = from.lerp(pixel, i as f32 / count);
            let hit = if i as f32 == count { last } else { session.paint_hit(at) };
            stroke.go_to(hit.map(|hit| DVec3::from(hit.scene)), spacing * session.paint_radius(), &mut places);
        }
    }
    if settings.airbrush {
        if places.is_empty() && now - stroke.touched >= AIRBRUSH {
            places.extend(session.paint_hit(stroke.pixel).map(|hit| DVec3::from(hit.scene)));
        }
        pointing.ui.ctx().request_repaint_after(Duration::from_secs_f64(AIRBRUSH));
    }
    if !places.is_empty() {
        stroke.touched = now;
    }
    commands.extend(places.into_iter().map(|place| stroke.dab(place)));
}

/// Tells the session which point of the picture the pointer is over, where that is another one.
pub(super) fn hover(pointing: &Pointing<'_>, at: Option<Vec2>, commands: &mut Vec<Command>) {
    if at != pointing.session.painting().hover() {
        commands.push(PaintCommand::Hover(at).into());
    }
}

/// Follows the pointer while nothing is held: says where it is, and shows the menu of a right click, and what the last stroke had to say.
pub(super) fn click(pointing: &Pointing<'_>, commands: &mut Vec<Command>) {
    let at = pointing.response.hover_pos().map(|at| pointing.pixel_in_half(at));
    hover(pointing, at, commands);
    paint_marks::menu(pointing, commands);
    paint_marks::note_card(pointing, commands);
}

/// What of the brush the wheel changes. It rolls on for some passes after the key was released with which it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wheel {
    Radius,
    Strength,
}

/// Makes the brush wider with Ctrl and stronger with Shift; else it moves the camera.
pub(super) fn wheel(pointing: &Pointing<'_>, commands: &mut Vec<Command>) {
    let (ui, id) = (pointing.ui, Id::unique("wheel of the brush"));
    let (keys, scroll, zoom) = ui.input(|i| (i.modifiers, i.smooth_scroll_delta(), i.zoom_delta()));
    let is_rolling = pointing.response.hovered() && (zoom != 1.0 || scroll != egui::Vec2::ZERO);
    let before: Option<Wheel> = ui.data(|d| d.get_temp::<Option<Wheel>>(id)).flatten();
    let now = match (is_rolling, keys.command, keys.shift) {
        (false, ..) => None,
        (true, true, _) => Some(Wheel::Radius),
        (true, false, true) => Some(Wheel::Strength),
        (true, false, false) => before,
    };
    if now != before {
        ui.data_mut(|d| d.insert_temp::<Option<Wheel>>(id, now));
    }
    let painting = pointing.session.painting();
    let mut settings = painting.settings().clone();
    match now {
        None => return camera::wheel(pointing, commands),
        Some(Wheel::Radius) if zoom.is_finite() && zoom != 1.0 => {
            settings.radius = radius_within(pointing.session.paint_radius() * f64::from(zoom));
        }
        Some(Wheel::Radius) => {}
        // With Shift the wheel scrolls across.
        Some(Wheel::Strength) => {
            settings.strength = (settings.strength + f64::from((scroll.x + scroll.y) / PER_WHEEL)).clamp(0.0, 1.0);
        }
    }
    if settings != *painting.settings() {
        commands.push(PaintCommand::Set(settings).into());
    }
}

/// Says which brush paints which joint in which layer, and whether sums are let go.
pub(super) fn note(session: &Session) -> String {
    let painting = session.painting();
    let Some(brush) = painting.brush() else { return String::new() };
    if painting.paints_mask() {
        let layers = painting.layers();
        let layer = layers.active().and_then(|id| layers.layer(id)).map(Layer::name).unwrap_or_default();
        return format!(": {}, the mask of {}", brush.label, shortened(layer));
    }
    let with = match session.painted_joints().len() {
        0 | 1 => String::new(),
        _ if !brush.is_of_joint() => String::new(),
        joints => format!(" with {} below", counted(joints - 1, "joint", "joints")),
    };
    let names = session.model().map(|model| &model.skeleton.names);
    let name = |node: Option<NodeId>| names.zip(node).and_then(|(names, node)| names.get(node.index()));
    let painted = session.view().selected;
    let to = painting.settings().to.filter(|to| brush.needs.contains(&Need::To) && Some(*to) != painted);
    let what = match (name(painted).filter(|_| brush.is_of_joint()), name(to)) {
        (Some(from), Some(to)) => format!("Give {}{with} → {}", shortened(from), shortened(to)),
        (Some(joint), None) => format!("{}, {}{with}", brush.label, shortened(joint)),
        (None, _) => brush.label.to_owned(),
    };
    let sums = if painting.settings().normalise { "" } else { ", sums are not kept" };
    format!(": {what}{}{sums}", place(painting.layers()))
}

/// Says in which layer brushes paint, where there are layers.
fn place(layers: &LayerStack) -> String {
    match layers.active().and_then(|id| layers.layer(id)) {
        Some(layer) => format!(" in {}", shortened(layer.name())),
        None if layers.is_empty() => String::new(),
        None => " in the base below the layers".to_owned(),
    }
}

/// Returns as much of a name as there is room for.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radius_and_strength_follow_the_pointer_and_come_back() {
        let before = PaintSettings::default();
        let of = |key| BrushDrag { key, from: Vec2::ZERO, before: before.clone(), radius: 0.1 };
        let wider = of(BrushKey::DragRadius).to(PER_RADIUS);
        assert!((wider.radius - 0.1 * std::f64::consts::E).abs() < 1e-9 && wider.strength == before.strength);
        assert!(of(BrushKey::DragRadius).to(-PER_RADIUS).radius < 0.1);
        assert_eq!(of(BrushKey::DragStrength).to(0.2 * PER_STRENGTH).strength, 0.7);
        assert_eq!(of(BrushKey::DragStrength).to(-1e6).strength, 0.0);
        assert_eq!(of(BrushKey::DragRadius).give_up(), PaintCommand::Set(before.clone()).into());
    }
}
