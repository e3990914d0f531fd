//! Finds triangles that lie wholly behind others. Where the processor draws, a hidden triangle costs nearly as much as
//! one that is seen: with several samples per pixel Mesa's driver shades it before it compares depths. Here the
//! triangles that certainly hide what lies behind them are rasterised on all cores, at the samples that the device will
//! use and without colours. A triangle is then hidden where every sample that it may cover has something nearer.
//!
//! Both ways err on the side of drawing. A triangle hides a sample only where it covers it even if its corners lie a
//! little elsewhere on the device, and it counts as farther than it is by what that may change. A triangle that may be
//! hidden is taken to be larger and nearer by the same amounts.
//!
//! Depths are those of clip space after division by w: the larger the nearer (1 is the near plane), and affine in
//! pixels for both projections.

use std::sync::atomic::AtomicBool;

use glam::{BVec4A, Vec2, Vec3, Vec4};
use skinscope_base::parallel;

use super::screen::View;

/// A picture of more pixels is drawn without this test, whose memory would be more than 64 MiB.
const MOST_PIXELS: usize = 1 << 22;
/// How many bands of rows each core rasterises.
const BANDS: usize = 4;
/// Where the triangles have less than this many times the area that they lie on, hardly any is hidden.
const LEAST_LAYERS: f32 = 1.25;
/// The width of the squares, in pixels, that the area below triangles is counted in.
const SQUARE: f32 = 8.0;

/// Triangles in the picture.
#[derive(Clone, Copy)]
pub(super) struct Triangles<'a> {
    /// The corners: x and y in pixels from the top left, z the depth.
    pub points: &'a [Vec3],
    pub triangles: &'a [[u32; 3]],
    /// How far from there they may be on the device, in pixels and in depth.
    pub margin: f32,
    pub depth_margin: f32,
}

impl Triangles<'_> {
    fn corners(&self, triangle: [u32; 3]) -> [Vec3; 3] {
        triangle.map(|v| self.points[v as usize])
    }
}

/// A surface that nothing is seen through.
#[derive(Clone, Copy)]
pub(super) struct Occluder<'a> {
    pub triangles: Triangles<'a>,
    /// The winding of triangles that are drawn, for a single-sided surface: true where it is kept, as in
    /// [`super::coverage::CoverageTest::side`]. `None` where both sides are drawn.
    pub side: Option<bool>,
}

/// The nearest certain depth of each sample.
pub(super) struct NearestDepths {
    view: View,
    samples: [Vec2; 4],
    /// How many rows each band has; the last one may have fewer.
    rows: usize,
    /// Of each band, the depths of the four samples of each pixel, row by row.
    bands: Vec<Vec<Vec4>>,
}

impl NearestDepths {
    /// Rasterises the occluders. `None` where the picture is too large, or hardly anything can be hidden.
    pub fn of(view: View, occluders: &[Occluder<'_>]) -> Option<Self> {
        let [width, height] = view.size.map(|s| s as usize);
        if width.saturating_mul(height) > MOST_PIXELS || layers(view, occluders) < LEAST_LAYERS {
            return None;
        }
        let rows = height.div_ceil(parallel::cores() * BANDS).max(1);
        let mut depths = Self { view, samples: view.sample_positions(), rows, bands: Vec::new() };
        let band = |i: usize| {
            let first = i * rows;
            let end = (first + rows).min(height);
            let mut band = vec![Vec4::splat(-1.0); width * (end - first)];
            occluders.iter().for_each(|occluder| depths.fill(&mut band, first, *occluder));
            band
        };
        depths.bands = parallel::map(height.div_ceil(rows), &AtomicBool::new(false), &band)?;
        Some(depths)
    }

    /// Rasterises a surface into the band that begins with the row `first`.
    fn fill(&self, band: &mut [Vec4], first: usize, Occluder { triangles, side }: Occluder<'_>) {
        let width = self.view.size[0] as usize;
        let rows = [first as f32, (first + band.len() / width) as f32];
        for triangle in triangles.triangles {
            let corners = triangles.corners(*triangle);
            let ys = corners.map(|c| c.y);
            if ys.iter().all(|y| *y < rows[0]) || ys.iter().all(|y| *y > rows[1]) {
                continue;
            }
            let Some(shape) = Shape::of(corners, &triangles, self) else { continue };
            if side.is_some_and(|keeps_winding| keeps_winding == shape.is_clockwise) {
                continue;
            }
            let [from, to] = [shape.low.y.max(rows[0]), shape.high.y.min(rows[1] - 1.0)].map(|y| y as usize);
            for y in from..=to {
                let (left, right) = (shape.low.x as usize, (shape.high.x as usize).min(width - 1));
                let row = &mut band[(y - first) * width..][left..=right];
                for (x, depths) in (left..).zip(row) {
                    let at = Vec2::new(x as f32, y as f32);
                    let covered = shape.covered(at, 1.0);
                    *depths = Vec4::select(covered, depths.max(shape.depths(at) - shape.slack), *depths);
                }
            }
        }
    }

    /// Whether something lies before every sample that a triangle may cover. False for triangles that leave the
    /// picture.
    pub(crate) fn hides(&self, triangles: &Triangles<'_>, triangle: [u32; 3]) -> bool {
        let Some(shape) = Shape::of(triangles.corners(triangle), triangles, self) else { return false };
        let [width, height] = self.view.size.map(|s| s as usize);
        (shape.low.y as usize..=(shape.high.y as usize).min(height - 1)).all(|y| {
            let row = &self.bands[y / self.rows][y % self.rows * width..][..width];
            (shape.low.x as usize..=(shape.high.x as usize).min(width - 1)).all(|x| {
                let at = Vec2::new(x as f32, y as f32);
                !(shape.covered(at, -1.0) & row[x].cmple(shape.depths(at) + shape.slack)).any()
            })
        })
    }
}

/// About how many triangles lie on each pixel that has one: their area over that of the squares with a first corner. Each
/// covers a sample, so that those that are smaller than what belongs to a sample count as much as that.
fn layers(view: View, occluders: &[Occluder<'_>]) -> f32 {
    let of_a_sample = 1.0 / view.samples as f32;
    let [columns, rows] = view.size.map(|s| (s as f32 / SQUARE).ceil() as usize);
    let mut squares = vec![false; columns * rows];
    let (mut area, mut below) = (0.0, 0.0);
    for Occluder { triangles, side } in occluders {
        for triangle in triangles.triangles {
            let [a, b, c] = triangles.corners(*triangle).map(Vec3::truncate);
            let doubled = (b - a).perp_dot(c - a);
            if side.is_some_and(|keeps_winding| keeps_winding == (doubled > 0.0)) {
                continue;
            }
            // Negative numbers become zero.
            let at = (a / SQUARE).as_usizevec2();
            if at.x < columns && at.y < rows && doubled.is_finite() {
                area += (0.5 * doubled.abs()).max(of_a_sample);
                if !std::mem::replace(&mut squares[at.y * columns + at.x], true) {
                    below += SQUARE * SQUARE;
                }
            }
        }
    }
    if below > 0.0 { area / below } else { 0.0 }
}

/// A triangle, ready to be asked about samples.
struct Shape {
    /// The box of all that it may cover, in pixels.
    low: Vec2,
    high: Vec2,
    corners: [Vec2; 3],
    /// The edges, each from the corner of the same number, in the direction that has the inside on the positive side.
    edges: [Vec2; 3],
    /// What each edge function gains at each sample of a pixel over its top left.
    at_samples: [Vec4; 3],
    /// What moving a corner by the margin can change each edge function by.
    margins: [f32; 3],
    is_clockwise: bool,
    /// The depth at the first corner, how it changes with x and y, and what it gains at each sample.
    depth: f32,
    slope: Vec2,
    depth_at_samples: Vec4,
    /// How far the depth on the device may be from this one.
    slack: f32,
}

impl Shape {
    /// `None` for a triangle without area, one that leaves the picture, or one that is not certainly between the near
    /// plane and the far one: the device would give it other corners.
    fn of(
        corners: [Vec3; 3],
        triangles: &Triangles<'_>,
        NearestDepths { view, samples, .. }: &NearestDepths,
    ) -> Option<Self> {
        let [a, b, c] = corners.map(Vec3::truncate);
        let (margin, depth_margin) = (triangles.margin, triangles.depth_margin);
        // Twice the area; positive where the corners go clockwise as one sees them, since rows count downwards.
        let area = (b - a).perp_dot(c - a);
        let (low, high) = (a.min(b).min(c) - margin, a.max(b).max(c) + margin);
        let [width, height] = view.size.map(|s| s as f32);
        let is_inside = low.x >= 0.0 && low.y >= 0.0 && high.x <= width && high.y <= height;
        let is_between = corners.iter().all(|c| c.z > depth_margin && c.z < 1.0 - depth_margin);
        if !(area.is_normal() && is_inside && is_between) {
            return None;
        }
        let turn = area.signum();
        let edges = [b - a, c - b, a - c].map(|edge| edge * turn);
        let [to_b, to_c] = [corners[1].z - corners[0].z, corners[2].z - corners[0].z];
        let slope = Vec2::new(to_b * (c.y - a.y) - to_c * (b.y - a.y), to_c * (b.x - a.x) - to_b * (c.x - a.x)) / area;
        let at_samples = edges.map(|edge| Vec4::from_array(samples.map(|s| edge.perp_dot(s))));
        Some(Self {
            low,
            high,
            corners: [a, b, c],
            edges,
            at_samples,
            margins: edges.map(|edge| margin * edge.length()),
            is_clockwise: area > 0.0,
            depth: corners[0].z,
            slope,
            depth_at_samples: Vec4::from_array(samples.map(|s| slope.dot(s))),
            slack: 2.0 * margin * (slope.x.abs() + slope.y.abs()) + depth_margin,
        })
    }

    /// Which samples of the pixel `at` it covers: certainly with `sign` 1, and possibly with −1.
    fn covered(&self, at: Vec2, sign: f32) -> BVec4A {
        let inside = |i: usize| {
            let edge = self.edges[i].perp_dot(at - self.corners[i]) - sign * self.margins[i];
            (self.at_samples[i] + edge).cmpge(Vec4::ZERO)
        };
        inside(0) & inside(1) & inside(2)
    }

    /// The depth at each sample of the pixel `at`.
    fn depths(&self, at: Vec2) -> Vec4 {
        self.depth_at_samples + (self.depth + self.slope.dot(at - self.corners[0]))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::target::SAMPLES;
    use super::*;

    /// A plate before the others, whose diagonal is not near them.
    fn before(right: f32, top: f32) -> [Vec3; 4] {
        [[2.0, top], [right, top], [right, 46.0], [2.0, 46.0]].map(|[x, y]| Vec3::new(x, y, 0.5))
    }

    /// A square plate at a depth, as two triangles; clockwise as one sees it, since rows count downwards.
    fn plate(low: f32, high: f32, depth: f32) -> [Vec3; 4] {
        [[low, low], [high, low], [high, high], [low, high]].map(|[x, y]| Vec3::new(x, y, depth))
    }

    const CLOCKWISE: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];
    const TURNED: [[u32; 3]; 2] = [[0, 2, 1], [0, 3, 2]];

    fn of<'a>(points: &'a [Vec3], triangles: &'a [[u32; 3]]) -> Triangles<'a> {
        Triangles { points, triangles, margin: 1.0 / 128.0, depth_margin: 1e-5 }
    }

    fn depths(triangles: Triangles<'_>, side: Option<bool>, samples: u32) -> Option<NearestDepths> {
        let view = View { size: [64, 48], samples, grid: 1.0 / 256.0 };
        NearestDepths::of(view, &[Occluder { triangles, side }])
    }

    fn hides(depths: &Option<NearestDepths>, points: [Vec3; 4]) -> [bool; 2] {
        CLOCKWISE.map(|triangle| depths.as_ref().is_some_and(|d| d.hides(&of(&points, &CLOCKWISE), triangle)))
    }

    #[test]
    fn what_lies_wholly_behind_is_hidden() {
        let front = before(41.0, 28.0);
        for samples in [1, SAMPLES] {
            let depths = depths(of(&front, &CLOCKWISE), None, samples);
            assert_eq!(hides(&depths, plate(30.4, 38.2, 0.4)), [true; 2], "behind");
            assert_eq!(hides(&depths, plate(30.4, 38.2, 0.6)), [false; 2], "in front");
            assert_eq!(hides(&depths, plate(30.4, 38.2, 0.500_005)), [false; 2], "too near to tell");
            assert_eq!(hides(&depths, plate(30.4, 41.9, 0.4)), [false; 2], "beyond the border");
            assert_eq!(hides(&depths, plate(42.0, 47.0, 0.4)), [false; 2], "beside it");
            assert_eq!(hides(&depths, plate(-9.0, 70.0, 0.4)), [false; 2], "out of the picture");
        }
    }

    #[test]
    fn a_sample_within_the_margin_of_an_edge_is_covered_by_neither_side() {
        let sample = Vec2::new(20.0, 20.0) + 0.5;
        // The left edge passes a little before the sample, on it, and far enough before it.
        for (shift, covers) in [(0.004, false), (0.0, false), (-0.004, false), (0.02, true)] {
            let left = sample.x - shift;
            let front = [[left, 2.0], [60.0, 2.0], [60.0, 46.0], [left, 46.0]].map(|[x, y]| Vec3::new(x, y, 0.5));
            let depths = depths(of(&front, &CLOCKWISE), None, 1);
            let pixel = [[20.4, 20.4], [20.6, 20.4], [20.6, 20.6], [20.4, 20.6]].map(|[x, y]| Vec3::new(x, y, 0.4));
            assert_eq!(hides(&depths, pixel), [covers; 2], "{shift}");
        }
        // What is asked about may cover a sample that it misses by less than the margin.
        let depths = depths(of(&before(20.45, 3.0), &CLOCKWISE), None, 1);
        for (right, hidden) in [(20.495, false), (20.505, false), (20.48, true)] {
            assert_eq!(hides(&depths, plate(12.3, right, 0.4))[0], hidden, "{right}");
        }
    }

    #[test]
    fn sides_that_are_not_drawn_hide_nothing() {
        let (front, behind) = (before(41.0, 28.0), plate(30.4, 38.2, 0.4));
        for (triangles, side, hidden) in [
            (&CLOCKWISE, None, true),
            (&TURNED, None, true),
            (&CLOCKWISE, Some(false), true),
            (&CLOCKWISE, Some(true), false),
            (&TURNED, Some(true), true),
            (&TURNED, Some(false), false),
        ] {
            assert_eq!(
                hides(&depths(of(&front, triangles), side, SAMPLES), behind),
                [hidden; 2],
                "{triangles:?} {side:?}"
            );
        }
    }

    #[test]
    fn depths_of_a_slope_are_those_at_each_sample() {
        // The depth falls from 0.9 at the left to 0.1 at the right, by 0.02 a pixel.
        let slope = plate(4.0, 44.0, 0.0).map(|p| p.with_z(0.9 - 0.02 * (p.x - 4.0)));
        let depths = depths(of(&slope, &CLOCKWISE), None, SAMPLES);
        let parallel = |gap: f32| plate(30.4, 38.2, 0.0).map(|p| p.with_z(0.9 - 0.02 * (p.x - 4.0) - gap));
        assert_eq!(hides(&depths, parallel(0.002)), [true; 2]);
        assert_eq!(hides(&depths, parallel(0.000_5)), [false; 2], "less than moving a corner by the margin changes");
        assert_eq!(hides(&depths, plate(30.4, 38.2, 0.21)), [true; 2], "its right end is at 0.216");
        assert_eq!(hides(&depths, plate(30.4, 38.2, 0.25)), [false; 2]);
        // A surface that reaches beyond the near plane is cut open there.
        let near = slope.map(|p| p.with_z(p.z + 0.2));
        assert_eq!(hides(&self::depths(of(&near, &CLOCKWISE), None, SAMPLES), plate(30.4, 38.2, 0.1)), [false; 2]);
    }

    #[test]
    fn one_layer_large_pictures_and_pictures_of_nothing_are_not_tested() {
        let view = View { size: [4096, 4096], samples: 1, grid: 1.0 / 256.0 };
        let front = before(41.0, 28.0);
        let occluder = Occluder { triangles: of(&front, &CLOCKWISE), side: None };
        assert!(NearestDepths::of(view, &[occluder]).is_none());
        let small = View { size: [64, 48], samples: SAMPLES, ..view };
        assert!(NearestDepths::of(small, &[]).is_none() && NearestDepths::of(small, &[occluder]).is_some());
        // A mesh of many small triangles in one layer, and in two, of which one may face away.
        let points: Vec<Vec3> = (0..33 * 33).map(|i| Vec3::new((i % 33) as f32, (i / 33) as f32, 0.5)).collect();
        let square = |i: u32| [[i, i + 1, i + 34], [i, i + 34, i + 33]];
        let one: Vec<_> = (0..32 * 32).flat_map(|i| square(i / 32 * 33 + i % 32)).collect();
        let turned: Vec<_> = one.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
        let layers = |lists: &[&[[u32; 3]]], side| {
            let occluders: Vec<_> = lists.iter().map(|t| Occluder { triangles: of(&points, t), side }).collect();
            layers(small, &occluders)
        };
        assert_eq!([layers(&[&one], None), layers(&[&one, &turned], None)], [1.0, 2.0]);
        assert_eq!(layers(&[&one, &turned], Some(false)), 1.0);
        assert_eq!(
            self::layers(View { samples: 1, ..small }, &[Occluder { triangles: of(&points, &one), side: None }]),
            2.0
        );
    }
}
