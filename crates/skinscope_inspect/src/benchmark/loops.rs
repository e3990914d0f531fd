//! The loops that the benchmark compares: plain ones, as a text writes them, each in two ways that give the same vertices.

use std::collections::BTreeSet;

use glam::{Affine3A, Vec2, Vec3, Vec4};
use skinscope_model::{Model, PrimitiveRef};

/// A joint and a weight: the joint is an index in the palette of the whole model.
type Pair = (u32, f32);

/// A matrix by its rows: three of them, or four with the last row 0 0 0 1.
type Rows<const N: usize> = [Vec4; N];

/// All vertices of a model in lists that the loops read.
#[derive(Clone, Debug, Default)]
pub(super) struct Vertices {
    /// Positions and normals in mesh space.
    pub(super) at: Vec<[Vec3; 2]>,
    /// So many pairs for each vertex, those without weight included.
    pub(super) pairs: Vec<Pair>,
    pub(super) per_vertex: usize,
    /// The vertices that one joint alone moves (one weight is not zero), that joint and its weight.
    pub(super) rigid: Vec<(u32, Pair)>,
    /// All others.
    pub(super) blended: Vec<u32>,
    /// For each matrix of the palette: the vertices that it moves, and their weights.
    pub(super) by_joint: Vec<Vec<Pair>>,
    /// How many triangles of skins have corners that follow one and the same joint alone, and how many have not.
    pub(super) triangles: [usize; 2],
    /// How many draw calls the surface takes as it is, and how many once it is parted: for each draw as it was one for what is blended, and
    /// one for each joint that rigid triangles follow.
    pub(super) draw_calls: [usize; 2],
}

impl Vertices {
    /// Collects the vertices of all instances as they are drawn; of an instance that is drawn many times the first.
    pub(super) fn of(model: &Model) -> Self {
        let mut out = Self { by_joint: vec![Vec::new(); model.palette_layout().len as usize], ..Self::default() };
        let parts = |i: usize| {
            model.primitives(model.instances[i].mesh).map(move |primitive| (i, primitive)).collect::<Vec<_>>()
        };
        let parts: Vec<(usize, PrimitiveRef<'_>)> = (0..model.instances.len()).flat_map(parts).collect();
        let widths = parts.iter().filter_map(|(_, primitive)| primitive.influences.map(|i| i.per_vertex));
        out.per_vertex = widths.max().unwrap_or(1).max(1);
        for (instance, primitive) in parts {
            out.add(model, instance, &primitive);
        }
        out
    }

    /// Counts rigid and blended triangles, and the draw calls of a primitive whose vertices follow these joints alone, or several.
    fn count(&mut self, primitive: &PrimitiveRef<'_>, joint_of: &[Option<u32>]) {
        let mut rigid = BTreeSet::new();
        let mut is_blended = false;
        for corners in primitive.indices.as_chunks::<3>().0 {
            let [a, b, c] = corners.map(|corner| joint_of[corner as usize]);
            match a.filter(|_| a == b && b == c) {
                Some(joint) => _ = rigid.insert(joint),
                None => is_blended = true,
            }
            self.triangles[usize::from(!(a.is_some() && a == b && b == c))] += 1;
        }
        let parted = rigid.len() + usize::from(is_blended);
        self.draw_calls[0] += usize::from(parted > 0);
        self.draw_calls[1] += parted;
    }

    fn add(&mut self, model: &Model, instance: usize, primitive: &PrimitiveRef<'_>) {
        let layout = model.palette_layout();
        let skin = model.instances[instance].skin;
        let mut joint_of = Vec::new();
        for vertex in 0..primitive.vertex_count() {
            let stored = primitive.stored_vertex(vertex as u32) as usize;
            let at = self.at.len() as u32;
            let normal = primitive.normals.get(vertex).copied().unwrap_or(Vec3::Y);
            self.at.push([primitive.positions[vertex], normal]);
            let begin = self.pairs.len();
            match (skin, primitive.influences) {
                (Some(skin), Some(influences)) => {
                    let (joints, weights) = influences.of(stored);
                    let base = layout.skins[skin.index()];
                    self.pairs
                        .extend(joints.iter().zip(weights).map(|(joint, weight)| (base + u32::from(*joint), *weight)));
                }
                _ => self.pairs.push((layout.rigid[instance].unwrap_or(layout.instances[instance]), 1.0)),
            }
            let own = &self.pairs[begin..];
            for (joint, weight) in own.iter().filter(|pair| pair.1 != 0.0) {
                self.by_joint[*joint as usize].push((at, *weight));
            }
            let mut used = own.iter().filter(|pair| pair.1 != 0.0);
            let alone = used.next().copied().filter(|_| used.next().is_none());
            match alone {
                Some(pair) => self.rigid.push((at, pair)),
                None => self.blended.push(at),
            }
            joint_of.push(alone.map(|pair| pair.0));
            self.pairs.resize(begin + self.per_vertex, (0, 0.0));
        }
        if skin.is_some() && primitive.influences.is_some() {
            self.count(primitive, &joint_of);
        }
    }

    fn pairs_of(&self, vertex: usize) -> &[Pair] {
        &self.pairs[vertex * self.per_vertex..][..self.per_vertex]
    }

    /// Blends the matrices of every vertex, whether one joint moves it or several: all pairs, as they are stored.
    pub(super) fn blend_all<const N: usize>(&self, palette: &[Rows<N>], out: &mut [[Vec3; 2]]) {
        for (vertex, out) in out.iter_mut().enumerate() {
            *out = moved(&self.blended_matrix(palette, vertex), self.at[vertex]);
        }
    }

    /// Moves what one joint moves by its matrix, and blends the others alone.
    pub(super) fn partitioned<const N: usize>(&self, palette: &[Rows<N>], out: &mut [[Vec3; 2]]) {
        for (vertex, (joint, weight)) in &self.rigid {
            let vertex = *vertex as usize;
            out[vertex] = moved(&palette[*joint as usize], self.at[vertex]).map(|vector| vector * *weight);
        }
        for vertex in &self.blended {
            let vertex = *vertex as usize;
            out[vertex] = moved(&self.blended_matrix(palette, vertex), self.at[vertex]);
        }
    }

    fn blended_matrix<const N: usize>(&self, palette: &[Rows<N>], vertex: usize) -> Rows<N> {
        let mut sum = [Vec4::ZERO; N];
        for (joint, weight) in self.pairs_of(vertex) {
            let matrix = &palette[*joint as usize];
            for (sum, row) in sum.iter_mut().zip(matrix) {
                *sum += *row * *weight;
            }
        }
        sum
    }

    /// Vertex by vertex: sums up what each joint makes of it, and writes it once.
    pub(super) fn by_vertex(&self, palette: &[Rows<3>], out: &mut [[Vec3; 2]]) {
        for (vertex, out) in out.iter_mut().enumerate() {
            let mut sum = [Vec3::ZERO; 2];
            for (joint, weight) in self.pairs_of(vertex).iter().filter(|pair| pair.1 != 0.0) {
                add(&mut sum, &palette[*joint as usize], self.at[vertex], *weight);
            }
            *out = sum;
        }
    }

    /// Joint by joint: adds to every vertex what this joint makes of it.
    pub(super) fn by_joint(&self, palette: &[Rows<3>], out: &mut [[Vec3; 2]]) {
        out.fill([Vec3::ZERO; 2]);
        for (matrix, moved) in palette.iter().zip(&self.by_joint) {
            for (vertex, weight) in moved {
                let vertex = *vertex as usize;
                add(&mut out[vertex], matrix, self.at[vertex], *weight);
            }
        }
    }
}

fn add(sum: &mut [Vec3; 2], matrix: &Rows<3>, at: [Vec3; 2], weight: f32) {
    let [position, normal] = moved(matrix, at);
    sum[0] += position * weight;
    sum[1] += normal * weight;
}

/// Moves a position and a direction. The fourth row of a 4×4 matrix is multiplied too, though what it gives is not used.
fn moved<const N: usize>(rows: &Rows<N>, [position, normal]: [Vec3; 2]) -> [Vec3; 2] {
    let (p, n) = (position.extend(1.0), normal.extend(0.0));
    let dots = |v: Vec4| Vec3::new(rows[0].dot(v), rows[1].dot(v), rows[2].dot(v));
    if N == 4 {
        std::hint::black_box(Vec2::new(rows[N - 1].dot(p), rows[N - 1].dot(n)));
    }
    [dots(p), dots(n)]
}

/// Returns a palette as three rows, or four.
pub(super) fn rows<const N: usize>(palette: &[Affine3A]) -> Vec<Rows<N>> {
    let of = |matrix: &Affine3A| {
        let (m, t) = (matrix.matrix3, matrix.translation);
        let row = |i: usize| match i {
            0..3 => Vec4::new(m.x_axis[i], m.y_axis[i], m.z_axis[i], t[i]),
            _ => Vec4::W,
        };
        std::array::from_fn(row)
    };
    palette.iter().map(of).collect()
}

/// Scales directions to length one by a square root and a division.
pub(super) fn unit_exact(directions: &[Vec3], out: &mut [Vec3]) {
    for (direction, out) in directions.iter().zip(out) {
        *out = *direction * (1.0 / direction.length_squared().sqrt());
    }
}

/// The same by the bits of the number: the inverse square root of Quake III, with one step of Newton's method.
pub(super) fn unit_fast(directions: &[Vec3], out: &mut [Vec3]) {
    for (direction, out) in directions.iter().zip(out) {
        *out = *direction * fast_inverse_root(direction.length_squared());
    }
}

/// The same with two steps.
pub(super) fn unit_twice(directions: &[Vec3], out: &mut [Vec3]) {
    for (direction, out) in directions.iter().zip(out) {
        let squared = direction.length_squared();
        *out = *direction * newton_step(squared, fast_inverse_root(squared));
    }
}

/// Returns about `1 / √x`, 0.18 % off at most.
fn fast_inverse_root(x: f32) -> f32 {
    newton_step(x, f32::from_bits(0x5f37_59df - (x.to_bits() >> 1)))
}

/// Returns a better guess at `1 / √x`.
fn newton_step(x: f32, guess: f32) -> f32 {
    guess * (1.5 - 0.5 * x * guess * guess)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fast_inverse_root_is_as_near_as_is_known_of_it() {
        // Lomont 2003: the largest relative error after one step is 0.175 %.
        let worst =
            (0..20_000).map(|i| 1.0 + 3.0 * i as f32 / 20_000.0).map(|x| (fast_inverse_root(x) * x.sqrt() - 1.0).abs());
        let worst = worst.fold(0.0, f32::max);
        assert!((0.001_6..0.001_76).contains(&worst), "{worst}");
    }
}
