//! Takes what egui has laid out, and decides what of it is painted, and where.

use std::ops::Range;

use egui::Color32;
use egui::epaint::{ClippedPrimitive, ClippedShape, Mesh, Primitive};

use super::damage::{Canvas, Damage, SeenShape, around, seen_shapes, whole, within};
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
    /// The parts of the kept panels that are made transparent before they are painted, in pixels.
    pub emptied: Vec<[u32; 4]>,
    /// Whether all of the kept panels is painted anew, on a transparent ground.
    pub clears: bool,
    /// What lies over the last picture that was new, and moves with what it shows.
    held: Vec<ClippedShape>,
}

/// What egui has laid out for a window of `size` pixels, with the picture in `area`.
pub(crate) struct LaidOut {
    pub output: egui::FullOutput,
    pub area: ViewportArea,
    pub size: [u32; 2],
}

impl LaidOut {
    /// Returns the rectangle of the picture, in pixels of the window.
    pub fn viewport(&self) -> [u32; 4] {
        pixels(self.area.rect, self.size, self.output.pixels_per_point)
    }
}

impl UiPaintJobs {
    /// Takes what egui has laid out. `is_new`: the picture below is the one that it was laid out for; else what moves with the
    /// picture stays where it was. With `kept`, only what has changed of the panels, and of the opaque plate over the picture, is
    /// painted again; it tells whether what else lies over the picture can be blended from there.
    pub fn take(
        &mut self,
        egui: &egui::Context,
        laid_out: LaidOut,
        is_new: bool,
        kept: Option<&mut dyn FnMut() -> bool>,
    ) {
        self.viewport = laid_out.viewport();
        let LaidOut { mut output, area, size } = laid_out;
        let scale = output.pixels_per_point;
        self.textures.append(output.textures_delta);
        self.scale = scale;
        self.opaque = [0; 4];
        self.shapes.clear();
        self.changed = 0;
        self.blended.clear();
        self.emptied.clear();
        self.clears = false;
        self.hold(&mut output.shapes, area.in_picture, (area.rect, is_new));
        let Some(can_blend) = kept else {
            self.shapes = egui.tessellate(output.shapes, scale);
            return;
        };
        let base = Color32::BLACK;
        let except = points(self.viewport, scale);
        self.opaque = pixels_inside(area.opaque.intersect(except), scale);
        let opaque = points(self.opaque, scale);
        let canvas = Canvas { size, scale, except, opaque, base };
        let shapes = seen_shapes(output.shapes);
        let over: Vec<SeenShape> =
            around(except, opaque).into_iter().flat_map(|place| within(&shapes, place)).collect();
        let places = self.damage.places(canvas, &shapes);
        self.clears = places.contains(&whole(canvas));
        if self.clears {
            self.over.forget();
        }
        let OverPaint { direct, kept, emptied, blended } = self.over.take(over, scale, can_blend);
        let ground = ClippedShape::new(whole(canvas), egui::Shape::rect_filled(whole(canvas).expand(2.0), 0.0, base));
        let ground = seen_shapes(vec![ground]);
        // Behind the picture the ground stays transparent.
        for place in places
            .into_iter()
            .flat_map(|place| around(place, place.intersect(except)).into_iter().chain([place.intersect(opaque)]))
            .filter(egui::Rect::is_positive)
        {
            let parts = within(&ground, place).chain(within(&shapes, place)).map(|s| s.shape);
            self.shapes.extend(egui.tessellate(parts.collect(), scale));
        }
        self.shapes.extend(egui.tessellate(kept, scale));
        self.changed = self.shapes.len();
        self.shapes.extend(egui.tessellate(direct, scale));
        let in_pixels = |places: Vec<egui::Rect>| {
            let parts = places.into_iter().map(|place| pixels(place.intersect(except), size, scale));
            parts.filter(|[_, _, width, height]| width * height > 0).collect()
        };
        self.blended = in_pixels(blended);
        self.emptied = in_pixels(emptied.into_iter().flat_map(|p| around(p, p.intersect(opaque))).collect());
        self.damage.remember(canvas, shapes);
    }

    /// Keeps what moves with the picture in `rect` (`range` of `shapes`), or puts what was kept in its place.
    fn hold(&mut self, shapes: &mut Vec<ClippedShape>, range: Range<usize>, (rect, is_new): (egui::Rect, bool)) {
        let range = range.start.min(shapes.len())..range.end.min(shapes.len());
        if is_new {
            self.held.clear();
            self.held.extend_from_slice(shapes.get(range).unwrap_or_default());
        } else if range.start <= range.end {
            // A panel may have opened over where the picture was.
            let clipped = |s: &ClippedShape| ClippedShape { clip_rect: s.clip_rect.intersect(rect), ..s.clone() };
            shapes.splice(range, self.held.iter().map(clipped));
        }
    }

    /// Notes that it was not shown.
    pub fn forget(&mut self) {
        self.damage.forget();
        self.over.forget();
    }
}

/// Returns triangles that fill what `inner` leaves of `outer` (x, y, width and height in pixels) with a colour.
pub(crate) fn filled_around(outer: [u32; 4], inner: [u32; 4], color: Color32, scale: f32) -> Option<ClippedPrimitive> {
    let (outer, inner) = (points(outer, scale), points(inner, scale));
    let mut mesh = Mesh::default();
    around(outer, inner.intersect(outer)).into_iter().for_each(|part| mesh.add_colored_rect(part, color));
    let clip_rect = outer;
    (!mesh.is_empty()).then_some(ClippedPrimitive { clip_rect, primitive: Primitive::Mesh(mesh) })
}

/// Returns the part that two rectangles have in common; all are x, y, width and height in pixels.
pub(crate) fn common(a: [u32; 4], b: [u32; 4]) -> [u32; 4] {
    let side = |i: usize| {
        let from = a[i].max(b[i]);
        (from, (a[i] + a[i + 2]).min(b[i] + b[i + 2]).saturating_sub(from))
    };
    let ((x, width), (y, height)) = (side(0), side(1));
    [x, y, width, height]
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

#[cfg(test)]
mod tests {
    use egui::{Shape, pos2};

    use super::*;

    #[test]
    fn what_moves_with_the_picture_stays_while_the_picture_does() {
        let shape =
            |x: f32| ClippedShape::new(egui::Rect::EVERYTHING, Shape::circle_filled(pos2(x, 0.0), 1.0, Color32::RED));
        let at = |shapes: &[ClippedShape]| {
            shapes.iter().map(|s| s.shape.visual_bounding_rect().center().x).collect::<Vec<_>>()
        };
        let mut jobs = UiPaintJobs::default();
        let mut first = vec![shape(0.0), shape(10.0), shape(11.0), shape(1.0)];
        jobs.hold(&mut first, 1..3, (egui::Rect::EVERYTHING, true));
        assert_eq!(at(&first), [0.0, 10.0, 11.0, 1.0]);
        let rect = egui::Rect::from_min_size(pos2(5.0, 0.0), egui::vec2(90.0, 40.0));
        // The panels have changed, and there is one name only; the picture is still the old one.
        let mut later = vec![shape(2.0), shape(3.0), shape(20.0), shape(4.0)];
        jobs.hold(&mut later, 2..3, (rect, false));
        assert_eq!(at(&later), [2.0, 3.0, 10.0, 11.0, 4.0]);
        assert!(later[2].clip_rect == rect && later[4].clip_rect == egui::Rect::EVERYTHING, "the panel covers it");
        let mut last = vec![shape(2.0), shape(3.0), shape(20.0), shape(4.0)];
        jobs.hold(&mut last, 2..3, (rect, true));
        assert_eq!(at(&last), [2.0, 3.0, 20.0, 4.0]);
    }

    #[test]
    fn a_part_of_a_picture_that_is_elsewhere_is_shown_and_the_rest_is_filled() {
        // A panel at the left has opened, and one below has closed.
        let (old, new) = ([0, 20, 300, 100], [80, 20, 220, 140]);
        let shown = common(old, new);
        assert_eq!(shown, [80, 20, 220, 100]);
        let filled = filled_around(new, shown, Color32::RED, 1.0).map(|f| f.primitive);
        let Some(Primitive::Mesh(mesh)) = filled else { panic!("nothing is filled") };
        assert_eq!(mesh.calc_bounds(), points([80, 120, 220, 40], 1.0));
        assert!(filled_around(new, new, Color32::RED, 1.0).is_none());
        assert_eq!(common([0, 0, 10, 10], [20, 0, 10, 10])[2], 0);
    }
}
