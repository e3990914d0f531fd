//! Finds the part of large meshes that one picture needs, where the processor draws it. Its driver takes every triangle
//! through all stages and stores it in memory before it finds that no sample of a pixel lies in it. With a million
//! triangles on fifty thousand pixels, that is so for most of them. Here the vertices are deformed once more on all
//! cores (some nanoseconds each), and triangles that face away, lie outside the picture or cover no sample are left
//! out, with the vertices that only they use: those are not even packed and uploaded. Such a copy on the device is good
//! for one picture only.
//!
//! The picture stays the same, pixel for pixel. A triangle is left out only if it covers no sample even when its
//! corners lie some hundredths of a pixel from where they were found, and those that are kept are in their stored
//! order.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use glam::{Mat4, Vec2, Vec3, Vec4};

use super::super::items::common_side;
use super::super::layouts::PrimitiveKey;
use super::super::primitive::meeting;
use super::super::scene::Part;
use super::super::target::SAMPLES;
use super::super::upload::clip_from_world;
use crate::deform::packed::{VertexLayout, layout_of, stored_weights};
use crate::deform::{Batch, BatchInfluences, BatchOut, Deformer, pack};
use crate::frame::Frame;
use crate::math::Projection;
use crate::model::{
    AlphaMode, Influences, InfluencesRef, Instance, InstanceId, Model, Primitive, PrimitiveRef, Run, Topology,
};
use crate::parallel;

/// Fewer triangles than this are drawn faster than tested.
const MANY: usize = 1 << 16;
/// How many triangles or vertices one thread works on at a time.
const CHUNK: usize = 1 << 14;
/// In pixels. A triangle that is wider or higher is drawn without looking for a sample in it.
const LARGE: f32 = 6.0;
/// How far a position on the device may be off, as a multiple of the float epsilon times the largest numbers that it is
/// computed from.
const STEPS: f32 = 16.0;

/// The positions of the samples in a pixel, in pixels from its top left. WebGPU prescribes them.
const FOUR: [Vec2; 4] =
    [Vec2::new(0.375, 0.125), Vec2::new(0.875, 0.375), Vec2::new(0.125, 0.625), Vec2::new(0.625, 0.875)];
const ONE: [Vec2; 1] = [Vec2::splat(0.5)];

/// The size and samples of a picture, and how its device rounds.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct View {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// The number of samples in a pixel.
    pub samples: u32,
    /// The device moves corners to multiples of this, in pixels.
    pub grid: f32,
}

/// The parts of large primitives that `frame` shows. Primitives that are not in the list are drawn whole.
pub(in super::super) fn parts(frame: &Frame, view: View) -> HashMap<PrimitiveKey, Part> {
    let display = &frame.display;
    let Some(model) = &frame.model else { return HashMap::new() };
    // Overlays, edges and dots also show what belongs to hidden triangles.
    let is_plain = frame.overlay().is_none() && display.mesh && !display.wireframe && display.dots.is_none();
    // Vertices that are deformed before drawing are deformed only once, for all bands of the picture, so leaving some
    // out gains nothing.
    let ahead = matches!(frame.deformer, Deformer::Compute | Deformer::Processor);
    if !is_plain || ahead || frame.compared.is_some() || frame.members > 1 || !frame.marked.is_empty() {
        return HashMap::new();
    }
    let mut drawn: HashMap<usize, Vec<InstanceId>> = HashMap::new();
    for id in &frame.draws {
        drawn.entry(model.instances[id.index()].mesh.index()).or_default().push(*id);
    }
    let mut out = HashMap::new();
    for (mesh, ids) in drawn {
        // Several instances would each show another part.
        let [id] = ids[..] else { continue };
        if model.instances[id.index()].copy_count() > 1 {
            continue;
        }
        for (n, p) in model.meshes[mesh].primitives.iter().enumerate() {
            if is_large(model, frame, p)
                && let Some(part) = part(frame, model, view, (id, n))
            {
                out.insert((mesh, n), part);
            }
        }
    }
    out
}

/// Whether the primitive has so many triangles that testing them can pay, and nothing is seen through it.
fn is_large(model: &Model, frame: &Frame, p: &Primitive) -> bool {
    let is_solid = p.material_in(frame.variant).is_none_or(|m| {
        let m = &model.materials[m.index()];
        m.alpha != AlphaMode::Blend && m.transmission.is_none()
    });
    is_solid && p.topology == Topology::Triangles && p.indices.len() / 3 > MANY && p.morphs.is_empty()
}

/// The part of a primitive that the picture shows; `None` where the camera is too near to tell, or little would be left
/// out.
fn part(frame: &Frame, model: &Model, view: View, (id, n): (InstanceId, usize)) -> Option<Part> {
    let Instance { mesh, skin, .. } = &model.instances[id.index()];
    let p = model.primitive(*mesh, n);
    let (first, influences) = model.binding(id, n);
    let joints = skin.filter(|_| influences.is_some()).map_or(1, |skin| model.skins[skin.index()].joints.len());
    let matrices = frame.palettes.get(first as usize..)?.get(..joints)?;
    let layout = layout_of(p);
    let mut palette = Vec::new();
    pack(frame.method, matrices, &mut palette);
    let places = ScreenPositions::of(frame, view, &p, (&palette, influences.map(|i| (i, layout))))?;
    // Back faces are left out where the painter culls them: where all of the surface is known to have one winding.
    let is_double_sided = p.material_in(frame.variant).is_some_and(|m| model.materials[m.index()].double_sided);
    let side = if is_double_sided {
        None
    } else {
        meeting(p).and_then(|pairs| common_side(matrices, influences.is_none(), &pairs, frame.method))
    };
    let look = CoverageTest { view, margin: places.margin, side };
    let triangles = p.indices.as_chunks::<3>().0;
    let kept = by_chunk(triangles.len(), &|range| {
        let at = |t: &&[u32; 3]| look.may_show(t.map(|v| places.pixels[v as usize]));
        triangles[range].iter().filter(at).copied().collect::<Vec<_>>()
    });
    let kept = kept.concat();
    (kept.len() * 4 < triangles.len() * 3).then(|| Part { primitive: gathered(p, &kept), layout })
}

/// The positions of a primitive's vertices in the picture.
struct ScreenPositions {
    /// In pixels from the top left.
    pixels: Vec<Vec2>,
    /// How far from there a vertex may be on the device, in pixels.
    margin: f32,
}

impl ScreenPositions {
    /// `None` where some vertices are beside the eye or behind it, or rounding errors are too large. The influences are
    /// those of the primitive, with the layout that they have on the device; `None` for a rigid primitive.
    fn of(
        frame: &Frame,
        view: View,
        p: &Primitive,
        (palette, influences): (&[Vec4], Option<(InfluencesRef<'_>, VertexLayout)>),
    ) -> Option<Self> {
        let clip = clip_from_world(&frame.camera, view.size);
        let half = Vec2::new(view.size[0] as f32, view.size[1] as f32) * 0.5;
        let pieces = by_chunk(p.positions.len(), &|range: Range<usize>| {
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
        (margin < 0.25).then(|| Self { pixels: pieces.iter().flat_map(|p| &p.pixels).copied().collect(), margin })
    }
}

/// The positions of some vertices in the picture.
#[derive(Default)]
struct ScreenPart {
    pixels: Vec<Vec2>,
    /// The least distance from the eye: w in clip space, which perspective divides by.
    nearest: f32,
    /// The largest stored coordinate plus the largest deformed one.
    reach: f32,
}

impl ScreenPart {
    fn of(source: &[Vec3], positions: &[Vec3], clip: Mat4, half: Vec2) -> Self {
        let (mut nearest, mut stored, mut reach) = (f32::INFINITY, Vec3::ZERO, Vec3::ZERO);
        let pixels = source.iter().zip(positions).map(|(from, to)| {
            stored = stored.max(from.abs());
            reach = reach.max(to.abs());
            let at = clip * to.extend(1.0);
            nearest = nearest.min(at.w);
            half + half * Vec2::new(at.x, -at.y) / at.w
        });
        let pixels = pixels.collect();
        Self { pixels, nearest, reach: stored.max_element() + reach.max_element() }
    }
}

/// The test whether a triangle covers a sample.
struct CoverageTest {
    view: View,
    /// How far a corner may be off, in pixels.
    margin: f32,
    /// For a single-sided surface, whether all of it has kept its winding (true) or reversed it (false); `None` keeps
    /// both sides.
    side: Option<bool>,
}

impl CoverageTest {
    /// False where a triangle with corners at `t`, or within [`CoverageTest::margin`] of there, certainly faces away,
    /// lies outside the picture, or covers no sample. True where a corner is not finite.
    fn may_show(&self, t: [Vec2; 3]) -> bool {
        let [a, b, c] = t;
        // Twice the area; positive where the corners go clockwise as one sees them, since rows count downwards.
        let area = (b - a).perp_dot(c - a);
        if !area.is_finite() {
            return true;
        }
        let m = self.margin;
        let (low, high) = (a.min(b).min(c) - m, a.max(b).max(c) + m);
        let [width, height] = self.view.size.map(|s| s as f32);
        if high.x < -1.0 || high.y < -1.0 || low.x > width + 1.0 || low.y > height + 1.0 {
            return false;
        }
        let sides = [b - a, c - b, a - c];
        if let Some(kept) = self.side {
            let longest = sides.iter().map(|s| s.length_squared()).fold(0.0, f32::max).sqrt();
            // It faces away so far that no corner can come to the other side of the edge opposite.
            let away = if kept { area } else { -area };
            if away > 2.0 * m * longest {
                return false;
            }
        }
        let size = high - low;
        // A triangle that the border cuts gets new corners, so it is kept.
        let is_small = size.x < LARGE && size.y < LARGE;
        if !(is_small && low.x >= 0.0 && low.y >= 0.0 && high.x <= width && high.y <= height) {
            return true;
        }
        let turn = if area < 0.0 { -1.0 } else { 1.0 };
        let corners = [a, b, c];
        let least = sides.map(|s| -m * s.length());
        let covers = |s: Vec2| {
            s.cmpge(low).all()
                && s.cmple(high).all()
                && (0..3).all(|i| turn * sides[i].perp_dot(s - corners[i]) >= least[i])
        };
        let samples = if self.view.samples == SAMPLES { &FOUR[..] } else { &ONE };
        let (first, last) = (low.floor().as_ivec2(), high.floor().as_ivec2());
        (first.y..=last.y)
            .any(|y| (first.x..=last.x).any(|x| samples.iter().any(|s| covers(Vec2::new(x as f32, y as f32) + *s))))
    }
}

/// A primitive of some triangles and the vertices that they use, in their stored order.
fn gathered(p: PrimitiveRef<'_>, triangles: &[[u32; 3]]) -> Primitive {
    let mut places = vec![u32::MAX; p.positions.len()];
    triangles.as_flattened().iter().for_each(|v| places[*v as usize] = 0);
    let mut used = Vec::new();
    for (vertex, place) in (0..).zip(&mut places).filter(|(_, place)| **place == 0) {
        *place = used.len() as u32;
        used.push(vertex);
    }
    let indices = triangles.as_flattened().iter().map(|v| places[*v as usize]).collect();
    let influences = p.influences.map(|i| {
        let (joints, weights) = i.gathered(&used);
        let (format, formats) = (i.format, i.formats.to_vec());
        Influences { joints, weights, per_vertex: i.per_vertex, format, formats, ..Influences::default() }
    });
    Primitive {
        topology: p.topology,
        source_mode: p.source_mode,
        material: p.material,
        variants: p.variants.clone(),
        indices,
        positions: rows(&p.positions, 1, &used),
        normals: rows(&p.normals, 1, &used),
        tangents: rows(&p.tangents, 1, &used),
        uvs: [0, 1].map(|set: usize| rows(&p.uvs[set], 1, &used)),
        colors: rows(&p.colors, 1, &used),
        stored_influences: influences,
        morphs: Vec::new(),
        stored_vertices: used.len(),
        split_from: Vec::new(),
    }
}

/// The rows of some vertices, of a list that has `width` entries for each, or none at all.
fn rows<T: Copy>(list: &[T], width: usize, vertices: &[u32]) -> Vec<T> {
    if list.is_empty() {
        return Vec::new();
    }
    let mut out = Vec::with_capacity(vertices.len() * width);
    vertices.iter().for_each(|v| out.extend_from_slice(&list[*v as usize * width..][..width]));
    out
}

/// Does `work` for each chunk of `count` things, on all cores.
fn by_chunk<T: Send>(count: usize, work: &(dyn Fn(Range<usize>) -> T + Sync)) -> Vec<T> {
    let chunk = |i: usize| work(i * CHUNK..((i + 1) * CHUNK).min(count));
    // Nothing cancels it, so there is always a result.
    parallel::map(count.div_ceil(CHUNK), &AtomicBool::new(false), &chunk).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(samples: u32, side: Option<bool>) -> CoverageTest {
        CoverageTest { view: View { size: [100, 80], samples, grid: 1.0 / 256.0 }, margin: 1.0 / 128.0, side }
    }

    /// A small triangle around a point, clockwise as one sees it (rows count downwards).
    fn around(at: Vec2, size: f32) -> [Vec2; 3] {
        [at + Vec2::new(0.0, -size), at + Vec2::new(size, size), at + Vec2::new(-size, size)]
    }

    #[test]
    fn a_triangle_is_drawn_if_it_may_cover_a_sample() {
        let (one, four) = (look(1, None), look(SAMPLES, None));
        let pixel = Vec2::new(17.0, 31.0);
        assert!(one.may_show(around(pixel + 0.5, 0.05)) && !four.may_show(around(pixel + 0.5, 0.05)));
        for sample in FOUR {
            assert!(four.may_show(around(pixel + sample, 0.02)) && !one.may_show(around(pixel + sample, 0.02)));
            // Beside the sample, within what rounding may do, and beyond.
            assert!(four.may_show(around(pixel + sample + Vec2::new(0.0, 0.025), 0.02)));
            assert!(!four.may_show(around(pixel + sample + Vec2::new(0.0, 0.04), 0.02)));
        }
        // A needle without area between the samples, and one through a sample.
        let needle = |y: f32| [pixel + Vec2::new(0.0, y), pixel + Vec2::new(3.0, y), pixel + Vec2::new(1.0, y)];
        assert!(!one.may_show(needle(0.3)) && one.may_show(needle(0.5)));
        // Large triangles, and those that are not finite, are kept without a test.
        assert!(one.may_show(around(pixel, 9.0)) && one.may_show([Vec2::NAN, pixel, pixel + 1.0]));
    }

    #[test]
    fn what_faces_away_or_lies_outside_is_left_out() {
        let front = around(Vec2::new(40.5, 40.5), 2.0);
        let back = [front[0], front[2], front[1]];
        for (side, clockwise, other) in [(None, true, true), (Some(true), false, true), (Some(false), true, false)] {
            let look = look(1, side);
            assert_eq!((look.may_show(front), look.may_show(back)), (clockwise, other), "{side:?}");
        }
        // This triangle is so thin that rounding may turn it over.
        let thin = [Vec2::new(40.0, 40.5), Vec2::new(43.0, 40.51), Vec2::new(43.0, 40.5)];
        let turned = [thin[0], thin[2], thin[1]];
        assert!(look(1, Some(true)).may_show(thin) && look(1, Some(true)).may_show(turned));
        let at = |x: f32, y: f32| look(1, None).may_show(around(Vec2::new(x, y), 1.0));
        assert!(at(0.0, 0.0) && at(100.0, 79.0) && at(99.5, 81.0));
        assert!(!at(-4.0, 40.0) && !at(104.0, 40.0) && !at(50.0, -4.0) && !at(50.0, 84.0));
    }

    #[test]
    fn gathered_vertices_stand_in_their_order() {
        let p = Primitive {
            positions: (0..6).map(|i| Vec3::splat(i as f32)).collect(),
            stored_influences: Some(Influences {
                per_vertex: 2,
                joints: (0..12).collect(),
                weights: (0..12).map(|i| i as f32).collect(),
                ..Influences::default()
            }),
            ..Primitive::default()
        };
        let part = gathered(p.as_stored(), &[[5, 1, 2], [2, 1, 4]]);
        assert_eq!(part.indices, [3, 0, 1, 1, 0, 2]);
        assert_eq!(part.positions, [1.0, 2.0, 4.0, 5.0].map(Vec3::splat));
        let influences = part.stored_influences.unwrap();
        assert_eq!((influences.joints, influences.weights[6]), (vec![2, 3, 4, 5, 8, 9, 10, 11], 10.0));
        assert!(part.normals.is_empty() && part.stored_vertices == 4);
    }
}
