//! The numbers of single vertices that overlays show of a reading: each vertex has the worst of the edges and triangles around
//! it.

use std::ops::Range;

use glam::Vec3;
use skinscope_base::parallel;

use super::read::Memory;
use super::rest::RestSizes;
use super::topology::MeasuredTopology;
use crate::VertexMeasure;

/// Returns which of two numbers of a measure is worse.
pub(super) fn worse(measure: VertexMeasure, a: f32, b: f32) -> f32 {
    match measure {
        VertexMeasure::Stretch | VertexMeasure::Area => farther(a, b),
        VertexMeasure::Inverted | VertexMeasure::Fold | VertexMeasure::NormalError => a.max(b),
    }
}

/// The ratio of an edge without length, or a triangle without area: it is as small as overlays tell, and not unmeasured.
const LEAST_RATIO: f32 = 1e-6;

/// Returns the ratio that is farther from 1, where doubling and halving are as far; what is not above 0 stands for none.
fn farther(a: f32, b: f32) -> f32 {
    let size = |ratio: f32| if ratio < 1.0 { 1.0 / ratio } else { ratio };
    if a > 0.0 && (b <= 0.0 || size(a) >= size(b)) { a } else { b }
}

/// Returns a measure of the last reading for each stored vertex. By welded vertex first: both sides of a seam look alike.
pub(super) fn values(
    measure: VertexMeasure,
    topology: &MeasuredTopology,
    rest: &RestSizes,
    memory: &Memory,
) -> Vec<f32> {
    let count = topology.welded.len();
    let of_welded = match measure {
        VertexMeasure::Stretch => by_welded_vertex(count, topology.edges.len(), farther, &|items, out| {
            let edges = topology.edges[items.clone()].iter().zip(&memory.ratios[items.clone()]);
            for ((ends, ratio), per_length) in edges.zip(&rest.per_length[items]) {
                if *per_length > 0.0 && ratio.is_finite() {
                    for end in ends {
                        let value = &mut out[topology.welded[*end as usize] as usize];
                        *value = farther(*value, ratio.max(LEAST_RATIO));
                    }
                }
            }
        }),
        VertexMeasure::Area => by_welded_vertex(count, topology.welded_corners.len(), farther, &|items, out| {
            let faces = topology.welded_corners[items.clone()].iter().zip(&memory.normals[items.clone()]);
            for ((corners, normal), per_area) in faces.zip(&rest.per_area[items]) {
                let ratio = normal.length() * per_area;
                if *per_area > 0.0 && ratio.is_finite() {
                    let ratio = ratio.max(LEAST_RATIO);
                    for welded in corners {
                        let value = &mut out[*welded as usize];
                        *value = farther(*value, ratio);
                    }
                }
            }
        }),
        VertexMeasure::Inverted => {
            let mut out = vec![0.0; count];
            for welded in memory.inverted.iter().flat_map(|face| topology.welded_corners[*face as usize]) {
                out[welded as usize] = 1.0;
            }
            out
        }
        VertexMeasure::Fold => by_welded_vertex(count, topology.hinges.len(), f32::max, &|items, out| {
            let hinges = topology.hinges[items.clone()].iter().zip(&topology.hinge_ends[items.clone()]);
            for ((hinge, ends), at_rest) in hinges.zip(&rest.bends[items]) {
                let [a, b]: [Vec3; 2] = hinge.map(|f| memory.normals[f as usize]);
                let dot = a.dot(b);
                let flat = dot > 0.0 && dot * dot > 0.99 * a.length_squared() * b.length_squared();
                if flat || at_rest.is_nan() {
                    continue;
                }
                let by = (a.angle_between(b) - at_rest).to_degrees();
                if by.is_finite() {
                    for end in ends {
                        let value = &mut out[*end as usize];
                        *value = value.max(by);
                    }
                }
            }
        }),
        VertexMeasure::NormalError => vec![0.0; count],
    };
    let none = if matches!(measure, VertexMeasure::Stretch | VertexMeasure::Area) { -1.0 } else { 0.0 };
    let of = |welded: &u32| of_welded[*welded as usize];
    topology.welded.iter().map(of).map(|value| if value == 0.0 { none } else { value }).collect()
}

/// Fewer items take less time than a second list.
const FEW: usize = 1 << 14;

/// Returns a number for each welded vertex, from items that each touch a few of them: `put` writes those of some items to a list that is 0
/// at first. Two halves of the items are written at once, and `join` combines their numbers.
fn by_welded_vertex(
    count: usize,
    items: usize,
    join: fn(f32, f32) -> f32,
    put: &(impl Fn(Range<usize>, &mut [f32]) + Sync),
) -> Vec<f32> {
    let mut out = vec![0.0; count];
    if items <= FEW {
        put(0..items, &mut out);
        return out;
    }
    let (half, mut other) = (items / 2, vec![0.0; count]);
    parallel::both(|| put(0..half, &mut out), || put(half..items, &mut other));
    out.iter_mut().zip(&other).for_each(|(a, b)| *a = join(*a, *b));
    out
}
