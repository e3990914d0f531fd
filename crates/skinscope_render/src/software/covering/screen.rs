//! Where the vertices of a primitive are in the picture, and how far from there the device may put them.

use std::ops::Range;

use glam::{Mat4, Vec2, Vec3, Vec4};
use skinscope_base::math::Projection;
use skinscope_base::parallel;
use skinscope_deform::packed::{VertexLayout, stored_weights};
use skinscope_deform::{Batch, BatchInfluences, BatchOut};
use skinscope_frame::{Camera, Frame};
use skinscope_model::{InfluencesRef, PrimitiveRef, Run};

use super::super::super::target::SAMPLES;
use super::super::super::upload::clip_from_world;

/// How many triangles or vertices one thread works on at a time.
pub(super) const CHUNK: usize = 1 << 14;
/// How far a position on the device may be off, as a multiple of the float epsilon times the largest numbers that it is
/// computed from.
const STEPS: f32 = 16.0;

/// The positions of the samples in a pixel, in pixels from its top left. WebGPU prescribes them.
pub(super) const FOUR: [Vec2; 4] =
    [Vec2::new(0.375, 0.125), Vec2::new(0.875, 0.375), Vec2::new(0.125, 0.625), Vec2::new(0.625, 0.875)];
pub(super) const ONE: [Vec2; 1] = [Vec2::splat(0.5)];

/// The size and samples of a picture, and how its device rounds.
#[derive(Clone, Copy, Debug)]
pub(in super::super::super) struct View {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// The number of samples in a pixel.
    pub samples: u32,
    /// The device moves corners to multiples of this, in pixels.
    pub grid: f32,
}

impl View {
    /// The positions of the samples in a pixel; with one sample, it stands four times.
    pub(crate) fn sample_positions(&self) -> [Vec2; 4] {
        if self.samples == SAMPLES { FOUR } else { [ONE[0]; 4] }
    }
}

/// The positions of a primitive's vertices in the picture.
pub(super) struct ScreenPositions {
    /// x and y in pixels from the top left; z is the depth in clip space after division by w, and grows towards the eye.
    pub points: Vec<Vec3>,
    /// How far from there a vertex may be on the device, in pixels.
    pub margin: f32,
    /// How far its depth may be off.
    pub depth_margin: f32,
}

impl ScreenPositions {
    /// `None` where some vertices are beside the eye or behind it, or rounding errors are too large. The influences are
    /// those of the primitive, with the layout that they have on the device; `None` for a rigid primitive.
    pub fn of(
        frame: &Frame,
        view: View,
        p: PrimitiveRef<'_>,
        (palette, influences): (&[Vec4], Option<(InfluencesRef<'_>, VertexLayout)>),
    ) -> Option<Self> {
        let clip = clip_from_world(&frame.camera, view.size);
        let half = Vec2::new(view.size[0] as f32, view.size[1] as f32) * 0.5;
        let pieces = parallel::by_chunk(p.positions.len(), CHUNK, &|range: Range<usize>| {
            let mut positions = vec![Vec3::ZERO; range.len()];
            let source = &p.positions[range.clone()];
            let mut deform = |vertices: Range<usize>, movers: BatchInfluences<'_>| {
                let positions_of = &p.positions[vertices.clone()];
                let values = frame.parameters;
                let batch =
                    Batch { positions: positions_of, normals: &[], tangents: &[], movers, values, vectors: &[] };
                let positions = &mut positions[vertices.start - range.start..vertices.end - range.start];
                (frame.method.deform_all)(palette, &batch, &mut BatchOut { positions, ..BatchOut::default() });
            };
            match influences {
                None => deform(range.clone(), BatchInfluences::One),
                // The weights are exactly those on the device: on a wide surface their rounding can be seen.
                Some((i, layout)) => {
                    let mut weights = Vec::new();
                    for run in i.runs(range.clone()) {
                        stored_weights(&i, layout, run.vertices.clone(), &mut weights);
                        let weights = if weights.is_empty() { run.weights } else { &weights };
                        deform(run.vertices.clone(), BatchInfluences::from(&Run { weights, ..run }));
                    }
                }
            }
            ScreenPart::of(source, &positions, clip, half)
        });
        let nearest = pieces.iter().map(|p| p.nearest).fold(f32::INFINITY, f32::min);
        let reach = pieces.iter().map(|p| p.reach).fold(0.0, f32::max);
        if !(nearest > 0.0 && nearest.is_finite()) {
            return None;
        }
        let eye = frame.camera.world_from_view.translation.length();
        let pixels_per_metre = match frame.camera.projection {
            Projection::Perspective { fov_y } => half.y / (0.5 * fov_y).tan() / nearest,
            Projection::Orthographic { height } => 2.0 * half.y / height,
        };
        let rounding = STEPS * f32::EPSILON * (reach + eye) * pixels_per_metre;
        let margin = view.grid + rounding;
        // With larger rounding errors nothing is certain.
        (margin < 0.25).then(|| Self {
            points: pieces.iter().flat_map(|p| &p.points).copied().collect(),
            margin,
            depth_margin: depth_margin(frame, view, nearest, STEPS * f32::EPSILON * (reach + eye)),
        })
    }
}

/// How far the depth of a vertex may be off, whose distance from the eye is at least `nearest` and may be off by
/// `error`, both in metres.
fn depth_margin(frame: &Frame, view: View, nearest: f32, error: f32) -> f32 {
    let Camera { projection, near, far, .. } = frame.camera;
    let aspect = view.size[0] as f32 / view.size[1] as f32;
    let clip_from_view = projection.clip_from_view(aspect, near, far);
    // A depth is a / w + b with perspective, and a · w + b without.
    let per_metre = match projection {
        Projection::Perspective { .. } => clip_from_view.w_axis.z / nearest / nearest,
        Projection::Orthographic { .. } => clip_from_view.z_axis.z,
    };
    per_metre.abs() * error + STEPS * f32::EPSILON
}

/// The positions of some vertices in the picture.
#[derive(Default)]
struct ScreenPart {
    /// As in [`ScreenPositions`].
    points: Vec<Vec3>,
    /// The least distance from the eye: w in clip space, which perspective divides by.
    nearest: f32,
    /// The largest stored coordinate plus the largest deformed one.
    reach: f32,
}

impl ScreenPart {
    pub fn of(source: &[Vec3], positions: &[Vec3], clip: Mat4, half: Vec2) -> Self {
        let (mut nearest, mut stored, mut reach) = (f32::INFINITY, Vec3::ZERO, Vec3::ZERO);
        let points = source.iter().zip(positions).map(|(from, to)| {
            stored = stored.max(from.abs());
            reach = reach.max(to.abs());
            let at = clip * to.extend(1.0);
            nearest = nearest.min(at.w);
            (half + half * Vec2::new(at.x, -at.y) / at.w).extend(at.z / at.w)
        });
        let points = points.collect();
        Self { points, nearest, reach: stored.max_element() + reach.max_element() }
    }
}
