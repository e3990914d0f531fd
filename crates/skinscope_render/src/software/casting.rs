//! Draws the depths that shadows are computed from on the processor, all views at once. A driver that draws on the
//! processor takes every triangle of every view through all of its stages on one thread; here vertices are deformed
//! once, and a triangle of a view takes some nanoseconds. Triangles much smaller than a texel are drawn as points, the
//! fewer of them the smaller they are, so that a model of any size takes about the same time.

use std::sync::atomic::AtomicBool;

use glam::{Affine3A, Mat3, Vec2, Vec3};
use skinscope_base::parallel;
use skinscope_frame::Frame;
use skinscope_model::{AlphaMode, InstanceId, Model, Primitive, Topology};

use super::super::posed_positions::visit_posed;

/// The surfaces of a posed model that cast shadows, in the space where the sphere around it is the unit sphere.
#[derive(Debug, Default)]
pub(in super::super) struct Casters {
    /// The corners of `triangles`, each once, so that a view projects it once.
    corners: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// The middles of triangles that are small; a share of them stands for all.
    points: Vec<Vec3>,
}

/// Whether the processor can draw the depths of a model: where alpha cuts holes, it would have to read textures.
pub(in super::super) fn can_cast(frame: &Frame, model: &Model) -> bool {
    // Primitives whose vertices are in another one have a material of their own, and are asked too.
    let is_masked = |p: &Primitive| {
        p.material_in(frame.variant).is_some_and(|m| matches!(model.materials[m.index()].alpha, AlphaMode::Mask { .. }))
    };
    let meshes = frame.draws.iter().map(|id| &model.meshes[model.instances[id.index()].mesh.index()]);
    !meshes.flat_map(|mesh| &mesh.primitives).any(is_masked)
}

impl Casters {
    /// The surfaces that `frame` draws solid. `sphere`: centre and radius, world space, metres; `texel`: the size of a texel
    /// of the finest view, radii.
    pub fn of(frame: &Frame, model: &Model, (center, radius): (Vec3, f32), texel: f32) -> Self {
        let mut out = Self::default();
        let in_sphere = Affine3A::from_scale(Vec3::splat(1.0 / radius)) * Affine3A::from_translation(-center);
        let solid = |id: InstanceId, n: usize| {
            let mesh = &model.meshes[model.instances[id.index()].mesh.index()];
            mesh.parts(n).filter(|part| is_solid(frame, model, &mesh.primitives[part.primitive]))
        };
        let casts = |id, n, p: &Primitive| p.topology == Topology::Triangles && solid(id, n).next().is_some();
        visit_posed(frame, model, casts, |id, n, p, positions, copies| {
            for part in solid(id, n) {
                let matrices = copies.iter().map(|copy| in_sphere * *copy);
                out.add(&p.indices[part.indices], positions, matrices, texel);
            }
        });
        out
    }

    /// Adds the copies of some triangles. `copies`: the matrix that takes `positions` to each of them.
    fn add(&mut self, indices: &[u32], positions: &[Vec3], copies: impl Iterator<Item = Affine3A>, texel: f32) {
        // Where the corners of large triangles are in the list, counted from 1, for each vertex; 0 where they are not. All vertices that
        // are not there are at one place. Memory that is zero takes nothing until it is written to.
        let mut places = vec![0_u32; positions.len() + 1];
        let slot = |vertex: u32| (vertex as usize).min(positions.len());
        for matrix in copies {
            let first = self.triangles.len();
            let at = |v: u32| matrix.transform_point3(positions.get(v as usize).copied().unwrap_or_default());
            for (number, vertices) in (0..).zip(indices.as_chunks::<3>().0) {
                let [a, b, c] = vertices.map(at);
                let longest = a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a));
                let size = longest.sqrt() / texel;
                if size >= SMALL {
                    let mut place = |vertex: u32, corner: Vec3| {
                        let place = &mut places[slot(vertex)];
                        if *place == 0 {
                            self.corners.push(corner);
                            *place = self.corners.len() as u32;
                        }
                        *place - 1
                    };
                    let [i, j, k] = *vertices;
                    self.triangles.push([place(i, a), place(j, b), place(k, c)]);
                } else if is_kept(number, size) {
                    self.points.push((a + b + c) / 3.0);
                }
            }
            // The next copy has corners of its own.
            if self.triangles.len() > first {
                indices.iter().for_each(|vertex| places[slot(*vertex)] = 0);
            }
        }
    }

    /// The depths in the views with these parallel projections, whose z rises towards the light, in rows of `across` tiles of `side` × `side`
    /// texels, two bytes each, the lower one first: 0 is nearest to the light, and 65 535 where nothing is. `in_pairs`: each
    /// view with an odd index has the projection of the one before it, with the other sign of z.
    pub fn depths(&self, projections: &[Mat3], [across, side]: [u32; 2], in_pairs: bool) -> Vec<Vec<u16>> {
        let (across, side) = (across as usize, side as usize);
        let rows: Vec<&[Mat3]> = projections.chunks(across).collect();
        let draw = |i: usize| {
            let mut seen = Vec::with_capacity(self.corners.len());
            // Zeroed memory comes from the system as it is, and is filled by wide instructions.
            let mut depths = vec![0; across * side * side];
            depths.fill(u16::MAX);
            let stride = across * side;
            for (n, projection) in rows[i].iter().enumerate().step_by(if in_pairs { 2 } else { 1 }) {
                let mut tile = Tile { depths: &mut depths, stride, first: n * side, side };
                if in_pairs {
                    self.view::<true>(*projection, &mut seen, &mut tile);
                } else {
                    self.view::<false>(*projection, &mut seen, &mut tile);
                }
            }
            depths.iter_mut().for_each(|depth| *depth = depth.to_le());
            depths
        };
        // Nothing cancels it, so there is always a result.
        parallel::map(rows.len(), &AtomicBool::new(false), &draw).unwrap_or_default()
    }

    /// Draws a view into its tile. With `BOTH`, draws the opposite view into the next tile too. `corners` is memory that every view
    /// uses again.
    fn view<const BOTH: bool>(&self, projection: Mat3, corners: &mut Vec<Vec3>, tile: &mut Tile<'_>) {
        // The twin of `in_tile` in shaders/shadow/caster.wgsl.
        let half = 0.5 * tile.side as f32;
        let seen = |p: Vec3| {
            let p = (projection * p).clamp(Vec3::NEG_ONE, Vec3::ONE);
            Vec3::new(half + half * p.x, half - half * p.y, 32767.5 - 32767.5 * p.z)
        };
        corners.clear();
        corners.extend(self.corners.iter().map(|corner| seen(*corner)));
        for triangle in &self.triangles {
            tile.triangle::<BOTH>(triangle.map(|corner| corners[corner as usize]));
        }
        for point in &self.points {
            let p = seen(*point);
            let [column, row] = [p.x, p.y].map(|at| (at as usize).min(tile.side - 1));
            tile.add::<BOTH>(row * tile.stride + tile.first + column, p.z as u16);
        }
    }
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

/// The texels of a view, and, to the right of them, those of the opposite view.
struct Tile<'a> {
    /// A row of tiles.
    depths: &'a mut [u16],
    /// How many texels a row of texels has.
    stride: usize,
    /// The first column of the tile.
    first: usize,
    /// How many columns and rows it has.
    side: usize,
}

impl Tile<'_> {
    /// Draws one texel.
    fn add<const BOTH: bool>(&mut self, at: usize, depth: u16) {
        let nearest = &mut self.depths[at];
        *nearest = (*nearest).min(depth);
        if BOTH {
            let nearest = &mut self.depths[at + self.side];
            *nearest = (*nearest).min(u16::MAX - depth);
        }
    }

    /// Draws the depths of a triangle at the middles of the texels that it covers. The corners are x and y in texels, and
    /// the depth.
    fn triangle<const BOTH: bool>(&mut self, [a, b, c]: [Vec3; 3]) {
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let first = |low: f32| (low - 0.5).ceil().max(0.0) as usize;
        let end = |high: f32| ((high + 0.5).floor().max(0.0) as usize).min(self.side);
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
            for column in columns.clone() {
                if shares.x >= 0.0 && shares.y >= 0.0 && shares.x + shares.y <= 1.0 {
                    let depth = (a.z + shares.x * ab.z + shares.y * ac.z + 0.5) as u16;
                    self.add::<BOTH>(row * self.stride + self.first + column, depth);
                }
                shares += across;
            }
            of_row += down;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_that_triangles_share_are_projected_once_for_each_copy() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE];
        let mut casters = Casters::default();
        let copies = [Affine3A::IDENTITY, Affine3A::from_translation(Vec3::Z)];
        casters.add(&[0, 1, 2, 2, 1, 3], &positions, copies.into_iter(), 0.1);
        assert_eq!(casters.triangles, [[0, 1, 2], [2, 1, 3], [4, 5, 6], [6, 5, 7]]);
        assert_eq!(casters.corners[..4], positions);
        assert_eq!(casters.corners[4..], positions.map(|p| p + Vec3::Z));
        assert!(casters.points.is_empty());
    }
}
