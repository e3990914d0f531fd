//! Draws the depths that shadows are computed from on the processor, all views at once. A driver that draws on the
//! processor takes every triangle of every view through all of its stages on one thread; here vertices are deformed
//! once, and a triangle of a view takes some nanoseconds. Triangles much smaller than a texel are drawn as points, the
//! fewer of them the smaller they are, so that a model of any size takes about the same time.

use std::sync::atomic::AtomicBool;

use glam::{Affine3A, Vec2, Vec3, Vec4};
use skinscope_base::parallel;
use skinscope_deform::{Deformation, Deformed, DeformedAttributes, deform_primitive, pack};
use skinscope_frame::Frame;
use skinscope_model::{AlphaMode, InstanceId, Model, Primitive, Topology};

use super::super::layouts::ShadowView;

/// The surfaces of a posed model that cast shadows, world space.
#[derive(Debug, Default)]
pub(in super::super) struct Casters {
    triangles: Vec<[Vec3; 3]>,
    /// The middles of triangles that are small; a share of them stands for all.
    points: Vec<Vec3>,
}

/// Whether the processor can draw the depths of a model: where alpha cuts holes, it would have to read textures.
pub(in super::super) fn can_cast(frame: &Frame, model: &Model) -> bool {
    let is_masked = |p: &Primitive| {
        p.material_in(frame.variant).is_some_and(|m| matches!(model.materials[m.index()].alpha, AlphaMode::Mask { .. }))
    };
    let meshes = frame.draws.iter().map(|id| &model.meshes[model.instances[id.index()].mesh.index()]);
    !meshes.flat_map(|mesh| &mesh.primitives).any(is_masked)
}

impl Casters {
    /// The surfaces that `frame` draws solid. `texel`: the size of a texel of the finest view, metres.
    pub fn of(frame: &Frame, model: &Model, texel: f32) -> Self {
        let mut out = Self::default();
        let mut packed: Vec<Vec4> = Vec::new();
        pack(frame.method, &frame.palettes, &mut packed);
        let mut deformed = Deformed::of(DeformedAttributes::NONE);
        for id in &frame.draws {
            let instance = &model.instances[id.index()];
            for (n, p) in model.meshes[instance.mesh.index()].primitives.iter().enumerate() {
                if p.topology != Topology::Triangles || !is_solid(frame, model, p) {
                    continue;
                }
                let known = frame.surfaces.first().and_then(|surface| surface.part(*id, n));
                if let Some(part) = known {
                    let still = [Affine3A::IDENTITY];
                    let copies = if part.copies.is_empty() { &still[..] } else { &part.copies };
                    out.add(p, &part.deformed.positions, copies, texel);
                    continue;
                }
                let method = Deformation { values: frame.parameters, ..frame.method.into() };
                deform_primitive(model, *id, n, &packed, &frame.morph_weights, method, &mut deformed);
                out.add(p, &deformed.positions, &from_first_copy(frame, model, *id, n), texel);
            }
        }
        out
    }

    /// Adds the copies of a primitive. `copies`: the matrix that takes `positions` to each of them.
    fn add(&mut self, p: &Primitive, positions: &[Vec3], copies: &[Affine3A], texel: f32) {
        for matrix in copies {
            let at = |v: u32| matrix.transform_point3(positions.get(v as usize).copied().unwrap_or_default());
            for (number, corners) in (0..).zip(p.indices.as_chunks::<3>().0) {
                let [a, b, c] = corners.map(at);
                let longest = a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a));
                let size = longest.sqrt() / texel;
                if size >= SMALL {
                    self.triangles.push([a, b, c]);
                } else if is_kept(number, size) {
                    self.points.push((a + b + c) / 3.0);
                }
            }
        }
    }

    /// The depths in each of some views of `side` × `side` texels, two bytes each, the higher one first: 0 is nearest to
    /// the light, and 65 535 where nothing is.
    pub fn depths(&self, views: &[ShadowView], side: u32) -> Vec<Vec<u8>> {
        let draw = |i: usize| self.view(&views[i], side as usize);
        // Nothing cancels it, so there is always a result.
        parallel::map(views.len(), &AtomicBool::new(false), &draw).unwrap_or_default()
    }

    fn view(&self, view: &ShadowView, side: usize) -> Vec<u8> {
        let mut depths = vec![u16::MAX; side * side];
        let [x, y, z] = [view.x, view.y, view.z].map(Vec4::from);
        // The twin of `in_tile` in shaders/shadow/caster.wgsl.
        let half = 0.5 * side as f32;
        let seen = |p: Vec3| {
            let p = p.extend(1.0);
            let p = Vec3::new(x.dot(p), y.dot(p), z.dot(p)).clamp(Vec3::NEG_ONE, Vec3::ONE);
            Vec3::new(half + half * p.x, half - half * p.y, 32767.5 - 32767.5 * p.z)
        };
        for corners in &self.triangles {
            triangle(&mut depths, side, corners.map(seen));
        }
        for point in &self.points {
            let p = seen(*point);
            let [column, row] = [p.x, p.y].map(|at| (at as usize).min(side - 1));
            let nearest = &mut depths[row * side + column];
            *nearest = (*nearest).min(p.z as u16);
        }
        depths.into_iter().flat_map(u16::to_be_bytes).collect()
    }
}

/// The matrices that take the first copy of a primitive of an instance to each of them.
fn from_first_copy(frame: &Frame, model: &Model, id: InstanceId, primitive: usize) -> Vec<Affine3A> {
    let (first, _) = model.binding(id, primitive);
    let count = model.instances[id.index()].copies.len();
    let matrices = frame.palettes.get(first as usize..first as usize + count).unwrap_or_default();
    let Some(back) = matrices.first().map(Affine3A::inverse) else { return vec![Affine3A::IDENTITY] };
    matrices.iter().map(|matrix| *matrix * back).collect()
}

/// Triangles with no edge longer than this, in texels, are drawn as points.
const SMALL: f32 = 0.5;

/// Whether a small triangle is drawn: of a dense surface about ten for each texel are. `size`: its longest edge, texels.
fn is_kept(number: u32, size: f32) -> bool {
    let share = size * size / (SMALL * SMALL);
    // A multiplicative hash (Knuth) spreads those that are kept.
    (number.wrapping_mul(0x9e37_79b1) >> 8) as f32 <= share * (1 << 24) as f32
}

/// Whether nothing is seen through a primitive.
fn is_solid(frame: &Frame, model: &Model, p: &Primitive) -> bool {
    p.material_in(frame.variant).is_none_or(|m| {
        let m = &model.materials[m.index()];
        m.alpha != AlphaMode::Blend && m.transmission.is_none()
    })
}

/// Draws the depths of a triangle at the middles of the texels that it covers. The corners are x and y in texels, and the
/// depth.
fn triangle(depths: &mut [u16], side: usize, [a, b, c]: [Vec3; 3]) {
    let (low, high) = (a.min(b).min(c), a.max(b).max(c));
    let first = |low: f32| (low - 0.5).ceil().max(0.0) as usize;
    let end = |high: f32| ((high + 0.5).floor().max(0.0) as usize).min(side);
    let (columns, rows) = (first(low.x)..end(high.x), first(low.y)..end(high.y));
    if columns.is_empty() || rows.is_empty() {
        return;
    }
    let (ab, ac) = (b - a, c - a);
    let area = ab.x * ac.y - ab.y * ac.x;
    if area.abs() < 1e-9 {
        return;
    }
    let per_area = 1.0 / area;
    // The shares of b and of c, and how they change from column to column and from row to row.
    let across = Vec2::new(ac.y, -ab.y) * per_area;
    let down = Vec2::new(-ac.x, ab.x) * per_area;
    let start = Vec2::new(columns.start as f32 + 0.5 - a.x, rows.start as f32 + 0.5 - a.y);
    let mut of_row = across * start.x + down * start.y;
    for row in rows {
        let mut shares = of_row;
        for depth in &mut depths[row * side + columns.start..row * side + columns.end] {
            if shares.x >= 0.0 && shares.y >= 0.0 && shares.x + shares.y <= 1.0 {
                *depth = (*depth).min((a.z + shares.x * ab.z + shares.y * ac.z + 0.5) as u16);
            }
            shares += across;
        }
        of_row += down;
    }
}
