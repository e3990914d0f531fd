//! The narrowest gap between two parts of a surface, which voxels must not bridge.

use glam::DVec3;

use crate::BindError;
use crate::binder::Body;
use crate::progress::Progress;

/// So many places are asked at the most.
const ASKED: usize = 4000;
/// This share of them may have a narrower gap: folds and the corners between parts.
const LEFT_OUT: f64 = 0.004;
/// A gap is closed by surfaces that face each other: the cosine of the angle between their normals, at the least.
const FACING: f64 = 0.7;

/// Returns the width of the narrowest gap, if it is less than `reach`.
pub fn narrowest(body: &Body, reach: f64, progress: Progress) -> Result<Option<f64>, BindError> {
    let shape = body.shape;
    let step = shape.triangles.len().div_ceil(ASKED);
    let asked = shape.triangles.len().div_ceil(step);
    let of = |range: std::ops::Range<usize>| range.filter_map(|at| gap(body, (at * step) as u32, reach)).collect();
    let mut found: Vec<(f64, f64)> = progress.by_chunk(asked, 64, &of)?;
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let area = |number: usize| {
        let [a, b, c] = shape.corners((number * step) as u32);
        (b - a).cross(c - a).length()
    };
    let whole: f64 = (0..asked).map(area).sum();
    let mut sum = 0.0;
    for (width, area) in found {
        sum += area;
        if sum > LEFT_OUT * whole {
            return Ok(Some(width));
        }
    }
    Ok(None)
}

/// Returns the width of the gap in front of the middle of a triangle, and the area of the triangle.
fn gap(body: &Body, triangle: u32, reach: f64) -> Option<(f64, f64)> {
    let [a, b, c] = body.shape.corners(triangle);
    let (middle, across) = ((a + b + c) / 3.0, (b - a).cross(c - a));
    let normal = across.try_normalize()?;
    let mut crossings = Vec::new();
    let mut least: Option<f64> = None;
    for side in [normal, -normal] {
        body.surface.crossings(middle + side * 1e-6, middle + side * reach, &mut crossings);
        let Some((share, other)) = crossings.iter().find(|(_, number)| *number != triangle).copied() else { continue };
        let [a, b, c] = body.shape.corners(other);
        let facing = (b - a).cross(c - a).normalize_or_zero().dot(side).abs();
        let width = share * reach;
        if facing < FACING || least.is_some_and(|least| least <= width) {
            continue;
        }
        // Outside, a line to far away crosses the surface an even number of times.
        let between = middle + side * (0.5 * width);
        let far =
            [DVec3::new(0.267, 0.535, 0.802), DVec3::new(-0.696, 0.123, 0.707), DVec3::new(0.577, -0.788, -0.214)];
        let is_outside = far.iter().filter(|along| {
            body.surface.crossings(between, between + **along * 10.0, &mut crossings);
            crossings.len() % 2 == 0
        });
        if is_outside.count() >= 2 {
            least = Some(width);
        }
    }
    least.map(|width| (width, across.length()))
}
