//! Takes what egui has laid out, and decides what of it is painted, and where.

use egui::Color32;
use egui::epaint::{ClippedPrimitive, ClippedShape};

use super::damage::{Canvas, Damage, around, whole, within};
use super::over::{Over, OverPaint};
use crate::app::ui::ViewportArea;

/// The result of egui's last pass, as far as it is to be painted.
#[derive(Default)]
pub(crate) struct UiPaintJobs {
    /// The changed parts of the panels, then the shapes that lie over the picture.
    pub shapes: Vec<ClippedPrimitive>,
    /// How many of `shapes` are for the panels.
    pub changed: usize,
    pub textures: egui::TexturesDelta,
    pub scale: f32,
    /// The rectangle of the picture, in pixels of the window.
    pub viewport: [u32; 4],
    /// The part of the picture that an opaque plate covers, which is kept with the panels.
    pub opaque: [u32; 4],
    damage: Damage,
    over: Over,
    /// The parts of the kept panels that are blended over the picture, in pixels.
    pub blended: Vec<[u32; 4]>,
    /// Whether all of the kept panels is painted anew, on a transparent ground.
    pub clears: bool,
}

impl UiPaintJobs {
    /// Takes what egui has laid out for a window of `size` pixels, with the picture in `area`. With `kept`, only what has
    /// changed of the panels, and of the opaque plate over the picture, is painted again; it tells whether what else lies
    /// over the picture can be blended from there.
    pub fn take(
        &mut self,
        egui: &egui::Context,
        output: egui::FullOutput,
        area: ViewportArea,
        size: [u32; 2],
        kept: Option<&mut dyn FnMut() -> bool>,
    ) {
        let scale = output.pixels_per_point;
        self.textures.append(output.textures_delta);
        self.scale = scale;
        self.viewport = pixels(area.rect, size, scale);
        self.opaque = [0; 4];
        self.shapes.clear();
        self.changed = 0;
        self.blended.clear();
        self.clears = false;
        let Some(can_blend) = kept else {
            self.shapes = egui.tessellate(output.shapes, scale);
            return;
        };
        let base = Color32::BLACK;
        let except = points(self.viewport, scale);
        self.opaque = pixels_inside(area.opaque.intersect(except), scale);
        let opaque = points(self.opaque, scale);
        let canvas = Canvas { size, scale, except, opaque, base };
        let ground = ClippedShape::new(whole(canvas), egui::Shape::rect_filled(whole(canvas).expand(2.0), 0.0, base));
        let over: Vec<ClippedShape> =
            around(except, opaque).into_iter().flat_map(|place| within(&output.shapes, place)).collect();
        let mut places = self.damage.take(canvas, &output.shapes);
        if places.contains(&whole(canvas)) {
            self.over.forget();
        }
        let how = self.over.take(&over, scale, can_blend);
        if matches!(how, OverPaint::Keep(_)) {
            places = vec![whole(canvas)];
        }
        self.clears = places.contains(&whole(canvas));
        // Behind the picture the ground stays transparent.
        for place in places
            .into_iter()
            .flat_map(|place| around(place, place.intersect(except)).into_iter().chain([place.intersect(opaque)]))
        {
            let parts = within(std::slice::from_ref(&ground), place).chain(within(&output.shapes, place));
            self.shapes.extend(egui.tessellate(parts.collect(), scale));
        }
        if matches!(how, OverPaint::Keep(_)) {
            self.shapes.extend(egui.tessellate(over.clone(), scale));
        }
        self.changed = self.shapes.len();
        match how {
            OverPaint::Directly => self.shapes.extend(egui.tessellate(over, scale)),
            OverPaint::Keep(places) | OverPaint::Blend(places) => {
                let parts = places.iter().map(|place| pixels(place.intersect(except), size, scale));
                self.blended.extend(parts.filter(|[_, _, width, height]| width * height > 0));
            }
        }
    }

    /// Notes that it was not shown.
    pub fn forget(&mut self) {
        self.damage.forget();
        self.over.forget();
    }
}

/// Returns a rectangle of points as x, y, width, height in pixels inside a window of `size`.
fn pixels(area: egui::Rect, [width, height]: [u32; 2], scale: f32) -> [u32; 4] {
    let clamp = |v: f32, max: u32| (v * scale).round().clamp(0.0, max as f32) as u32;
    let (x, y) = (clamp(area.min.x, width), clamp(area.min.y, height));
    let (right, bottom) = (clamp(area.max.x, width), clamp(area.max.y, height));
    [x, y, right.saturating_sub(x), bottom.saturating_sub(y)]
}

/// Returns the whole pixels inside a rectangle of points as x, y, width and height.
fn pixels_inside(area: egui::Rect, scale: f32) -> [u32; 4] {
    if !area.is_positive() {
        return [0; 4];
    }
    let (min, max) = ((area.min * scale).ceil(), (area.max * scale).floor());
    [min.x, min.y, (max.x - min.x).max(0.0), (max.y - min.y).max(0.0)].map(|v| v as u32)
}

/// Returns x, y, width and height in pixels as a rectangle of points.
fn points(pixels: [u32; 4], scale: f32) -> egui::Rect {
    let [x, y, width, height] = pixels.map(|v| v as f32 / scale);
    egui::Rect::from_min_size(egui::pos2(x, y), egui::vec2(width, height))
}
