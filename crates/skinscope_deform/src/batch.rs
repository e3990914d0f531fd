//! Deforms many vertices, four at once: each lane of a [`Vec4`] is another vertex, so that the arithmetic on blended
//! matrices costs a quarter. A method defines how the influences of one vertex are summed and which matrix follows from
//! the sum ([`BlendKernel`]); everything else is here, once for all methods.
//!
//! The result of a vertex depends only on that vertex: not on its neighbours, its lane or the length of the list.

use glam::{BVec4A, Mat3A, Mat4, Vec3, Vec3A, Vec4};
use skinscope_model::Run;

use super::{DeformedVertex, Method, MethodInput, ParameterValues, Vertex};

/// Vertices to deform. Each list is as long as `positions`, or empty where its result is not needed.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// Positions in mesh space, metres, with morph targets applied.
    pub positions: &'a [Vec3],
    /// Normals in mesh space, of any length.
    pub normals: &'a [Vec3],
    /// Tangents in mesh space: xyz of any length, w the handedness.
    pub tangents: &'a [Vec4],
    /// The joints that move the vertices.
    pub movers: BatchInfluences<'a>,
    /// The values of the method's parameters ([`super::Method::parameters`]).
    pub values: ParameterValues,
    /// The data that the method computed for each vertex in advance ([`super::Method::data`]); empty where it has none.
    pub vectors: &'a [Vec4],
}

impl<'a> Batch<'a> {
    /// The vertices from `start` to `end`, with those lists that `out` asks for.
    pub(super) fn range(&self, start: usize, end: usize, out: &BatchOut) -> Batch<'a> {
        fn part<T>(list: &[T], start: usize, count: usize) -> &[T] {
            if count == 0 { &[] } else { &list[start..start + count] }
        }
        Batch {
            positions: &self.positions[start..end],
            normals: part(self.normals, start, out.normals.len()),
            tangents: part(self.tangents, start, out.tangents.len()),
            movers: self.movers.range(start, end),
            values: self.values,
            vectors: part(self.vectors, start, if self.vectors.is_empty() { 0 } else { end - start }),
        }
    }
}

/// The joints that move vertices, with their weights.
#[derive(Clone, Copy, Debug)]
pub enum BatchInfluences<'a> {
    /// The first matrix of the palette moves all vertices.
    One,
    /// Each vertex has its own joints, as indices into the palette.
    Each {
        /// The number of pairs of each vertex; not zero.
        per_vertex: usize,
        /// The joint of each pair: `per_vertex` for each vertex.
        joints: &'a [u16],
        /// The weight of each pair, in the order of `joints`.
        weights: &'a [f32],
    },
}

impl<'a> BatchInfluences<'a> {
    /// Returns the influences of the vertices `start` to `end` − 1.
    #[must_use]
    pub fn range(self, start: usize, end: usize) -> Self {
        match self {
            Self::One => Self::One,
            Self::Each { per_vertex: n, joints, weights } => {
                Self::Each { per_vertex: n, joints: &joints[start * n..end * n], weights: &weights[start * n..end * n] }
            }
        }
    }
}

/// The lists that deformed vertices are written to, in model space. Each is as long as the positions of the batch, or
/// empty where it is not needed; normals and tangents can only be computed where the batch has them.
#[derive(Debug, Default)]
pub struct BatchOut<'a> {
    /// Positions, metres.
    pub positions: &'a mut [Vec3],
    /// Normals, of unit length or zero where there is no direction.
    pub normals: &'a mut [Vec3],
    /// Tangents: xyz of unit length or zero, w the handedness, which a mirror reverses.
    pub tangents: &'a mut [Vec4],
    /// The determinants; see [`DeformedVertex::determinant`].
    pub determinants: &'a mut [f32],
    /// The matrices that transform normals from mesh space to model space, for each vertex: the cofactors of the
    /// vertex's linear map `L`, negated where its determinant is negative. Normals transformed by them may have any
    /// length.
    pub carries: &'a mut [Mat3A],
}

impl<'a> BatchOut<'a> {
    /// Splits each list into that of the first `count` vertices and that of the others.
    #[must_use]
    pub fn split_at(self, count: usize) -> (Self, Self) {
        fn halves<T>(list: &mut [T], at: usize) -> (&mut [T], &mut [T]) {
            let at = at.min(list.len());
            list.split_at_mut(at)
        }
        let (positions, normals) = (halves(self.positions, count), halves(self.normals, count));
        let (tangents, determinants) = (halves(self.tangents, count), halves(self.determinants, count));
        let carries = halves(self.carries, count);
        let of = |positions, normals, tangents, determinants, carries| BatchOut {
            positions,
            normals,
            tangents,
            determinants,
            carries,
        };
        (
            of(positions.0, normals.0, tangents.0, determinants.0, carries.0),
            of(positions.1, normals.1, tangents.1, determinants.1, carries.1),
        )
    }
}

impl<'a> From<&Run<'a>> for BatchInfluences<'a> {
    fn from(run: &Run<'a>) -> Self {
        BatchInfluences::Each { per_vertex: run.per_vertex, joints: run.joints, weights: run.weights }
    }
}

/// The part of a method that differs from other methods: it sums the influences of a vertex, and turns the sums of four
/// vertices into four matrices. Sums the pairs of a vertex. With `careful` it skips pairs with weight 0, whose matrices
/// may then have any numbers, NaN included; without it all matrices must be finite, and the result is the same to the
/// bit.
pub(super) trait BlendKernel {
    /// The sum over the influences of one vertex.
    type Sum: Copy;

    /// Whether [`Lanes::vectors`] are read.
    const READS_VECTORS: bool = false;

    /// Sums up the pairs of a vertex. `careful` skips pairs without weight, whose matrices may then be anything, NaN
    /// too; without it all matrices must be finite, and the result is the same to the bit.
    fn sum(palette: &[Vec4], joints: &[u16], weights: &[f32], careful: bool) -> Self::Sum;

    /// Returns `model_from_mesh` of four vertices.
    fn matrices(sums: [Self::Sum; 4], lanes: &Lanes) -> Matrices;
}

/// The data of four vertices in addition to their influences.
pub(super) struct Lanes {
    /// The values of the method's parameters.
    pub values: ParameterValues,
    /// The data that the method computed for each of the four vertices in advance; zero where it has none.
    pub vectors: [Vec4; 4],
}

impl Lanes {
    #[inline(always)]
    fn of<B: BlendKernel>(batch: &Batch, from: [usize; 4]) -> Self {
        let vector = |v: usize| batch.vectors.get(v).copied().unwrap_or(Vec4::ZERO);
        let vectors = if B::READS_VECTORS { from.map(vector) } else { [Vec4::ZERO; 4] };
        Self { values: batch.values, vectors }
    }
}

/// Four 3×4 matrices: by row, then by column; each number is a vector with a lane for each vertex.
pub(super) type Matrices = [[Vec4; 4]; 3];

/// Four vectors: x, y and z, each with a lane for each vertex.
type Vectors = [Vec4; 3];

/// Deforms a batch.
pub(super) fn deform_all<B: BlendKernel>(palette: &[Vec4], batch: &Batch, out: &mut BatchOut) {
    match batch.movers {
        BatchInfluences::One => {
            let sum = B::sum(palette, &[0], &[1.0], true);
            groups::<B>(batch, out, &|_, _| sum);
        }
        BatchInfluences::Each { per_vertex: 4, joints, weights } => {
            // The compiler unrolls loops over a length that it knows.
            let (joints, weights) = (joints.as_chunks::<4>().0, weights.as_chunks::<4>().0);
            groups::<B>(batch, out, &|v, careful| B::sum(palette, &joints[v], &weights[v], careful));
        }
        BatchInfluences::Each { per_vertex: n, joints, weights } => {
            let of = |v: usize| v * n..(v + 1) * n;
            groups::<B>(batch, out, &|v, careful| B::sum(palette, &joints[of(v)], &weights[of(v)], careful));
        }
    }
}

impl Method {
    /// Deforms one vertex, with the same result to the bit as [`Method::deform_all`]. `palette` is packed by this
    /// method; `joints` are indices into it, `weights` belong to them, and `v` is in mesh space. Parameters have their
    /// defaults.
    #[must_use]
    pub fn deform(&self, palette: &[Vec4], joints: &[u16], weights: &[f32], v: Vertex) -> DeformedVertex {
        self.deform_with(&MethodInput::of(self), palette, (joints, weights), v)
    }

    /// Does the same as [`Method::deform`] with the parameters and the data of the vertex in `input`.
    #[must_use]
    pub fn deform_with(
        &self,
        input: &MethodInput,
        palette: &[Vec4],
        (joints, weights): (&[u16], &[f32]),
        v: Vertex,
    ) -> DeformedVertex {
        let tangent = [v.tangent.extend(0.0)];
        let batch = Batch {
            positions: &[v.position],
            normals: &[v.normal],
            tangents: &tangent,
            movers: BatchInfluences::Each { per_vertex: joints.len(), joints, weights },
            values: input.values,
            vectors: input.vector.as_slice(),
        };
        let (mut position, mut normal, mut tangent, mut determinant) =
            ([Vec3::ZERO], [Vec3::ZERO], [Vec4::ZERO], [0.0]);
        let mut out = BatchOut {
            positions: &mut position,
            normals: &mut normal,
            tangents: &mut tangent,
            determinants: &mut determinant,
            ..BatchOut::default()
        };
        (self.deform_all)(palette, &batch, &mut out);
        let vertex = Vertex { position: position[0], normal: normal[0], tangent: tangent[0].truncate() };
        DeformedVertex { vertex, determinant: determinant[0] }
    }
}

#[inline(always)]
fn groups<B: BlendKernel>(batch: &Batch, out: &mut BatchOut, sum: &impl Fn(usize, bool) -> B::Sum) {
    let count = batch.positions.len();
    let whole = count / 4;
    let (positions, normals) = (batch.positions.as_chunks::<4>().0, batch.normals.as_chunks::<4>().0);
    let tangents = batch.tangents.as_chunks::<4>().0;
    let out_positions = out.positions.as_chunks_mut::<4>().0;
    let (out_normals, out_tangents) = (out.normals.as_chunks_mut::<4>().0, out.tangents.as_chunks_mut::<4>().0);
    let out_determinants = out.determinants.as_chunks_mut::<4>().0;
    let out_carries = out.carries.as_chunks_mut::<4>().0;
    for g in 0..whole {
        let from = [4 * g, 4 * g + 1, 4 * g + 2, 4 * g + 3];
        let lanes = Lanes::of::<B>(batch, from);
        let (m, at) = deformed_four::<B>(from, &positions[g], sum, &lanes);
        store(at, &mut out_positions[g]);
        let wants_determinant = out_determinants.get_mut(g);
        if out_normals.is_empty() && out_tangents.is_empty() && wants_determinant.is_none() && out_carries.is_empty() {
            continue;
        }
        let (cofactors, determinant) = cofactors(&m);
        if let Some(out) = out_carries.get_mut(g) {
            *out = carrying(&cofactors, determinant);
        }
        if let Some(out) = out_normals.get_mut(g) {
            store(unit(transformed(&cofactors, load(&normals[g])), determinant), out);
        }
        if let Some(out) = out_tangents.get_mut(g) {
            *out = carried(&m, determinant, &tangents[g]);
        }
        if let Some(out) = wants_determinant {
            *out = determinant.to_array();
        }
    }
    if count > whole * 4 {
        rest::<B>(batch, out, whole * 4, sum);
    }
}

/// Deforms the last one to three vertices, filled up to four by repeating the last.
#[inline(never)]
fn rest<B: BlendKernel>(batch: &Batch, out: &mut BatchOut, start: usize, sum: &impl Fn(usize, bool) -> B::Sum) {
    let last = batch.positions.len() - 1;
    let from = [0, 1, 2, 3].map(|lane| (start + lane).min(last));
    let here = from.map(|v| batch.positions[v]);
    let lanes = Lanes::of::<B>(batch, from);
    let matrices = |careful: bool| {
        let first = sum(start, careful);
        let mut sums = [first; 4];
        for lane in 1..=last - start {
            sums[lane..].fill(sum(start + lane, careful));
        }
        B::matrices(sums, &lanes)
    };
    let mut m = matrices(false);
    let mut at = moved(&m, load(&here));
    if (at[0] + at[1] + at[2]).is_nan() {
        m = matrices(true);
        at = moved(&m, load(&here));
    }
    let mut four = [Vec3::ZERO; 4];
    store(at, &mut four);
    out.positions[start..].copy_from_slice(&four[..=last - start]);
    if out.normals.is_empty() && out.tangents.is_empty() && out.determinants.is_empty() && out.carries.is_empty() {
        return;
    }
    let (cofactors, determinant) = cofactors(&m);
    if !out.carries.is_empty() {
        out.carries[start..].copy_from_slice(&carrying(&cofactors, determinant)[..=last - start]);
    }
    if !out.normals.is_empty() {
        let normals = from.map(|v| batch.normals[v]);
        store(unit(transformed(&cofactors, load(&normals)), determinant), &mut four);
        out.normals[start..].copy_from_slice(&four[..=last - start]);
    }
    if !out.tangents.is_empty() {
        let four = carried(&m, determinant, &from.map(|v| batch.tangents[v]));
        out.tangents[start..].copy_from_slice(&four[..=last - start]);
    }
    if !out.determinants.is_empty() {
        out.determinants[start..].copy_from_slice(&determinant.to_array()[..=last - start]);
    }
}

/// Returns the matrices of four vertices and the deformed positions.
#[inline(always)]
fn deformed_four<B: BlendKernel>(
    from: [usize; 4],
    at: &[Vec3; 4],
    sum: &impl Fn(usize, bool) -> B::Sum,
    lanes: &Lanes,
) -> (Matrices, Vectors) {
    let [a, b, c, d] = from;
    let m = B::matrices([sum(a, false), sum(b, false), sum(c, false), sum(d, false)], lanes);
    let out = moved(&m, load(at));
    // Zero times a number that is not finite is NaN, and each number of a matrix goes into the position.
    if (out[0] + out[1] + out[2]).is_nan() {
        return again::<B>(from, at, sum, lanes);
    }
    (m, out)
}

#[cold]
#[inline(never)]
fn again<B: BlendKernel>(
    [a, b, c, d]: [usize; 4],
    at: &[Vec3; 4],
    sum: &impl Fn(usize, bool) -> B::Sum,
    lanes: &Lanes,
) -> (Matrices, Vectors) {
    let m = B::matrices([sum(a, true), sum(b, true), sum(c, true), sum(d, true)], lanes);
    (m, moved(&m, load(at)))
}

#[inline(always)]
fn moved([x, y, z]: &Matrices, p: Vectors) -> Vectors {
    let at = |row: &[Vec4; 4]| (row[0] * p[0] + row[1] * p[1]) + (row[2] * p[2] + row[3]);
    [at(x), at(y), at(z)]
}

/// Returns cofactor matrices, which transform normals (see [`skinscope_base::math::cofactor`]), and determinants.
#[inline(always)]
fn cofactors([a, b, c]: &Matrices) -> ([Vectors; 3], Vec4) {
    let rows = [cross(b, c), cross(c, a), cross(a, b)];
    let determinant = a[0] * rows[0][0] + a[1] * rows[0][1] + a[2] * rows[0][2];
    (rows, determinant)
}

#[inline(always)]
fn cross(a: &[Vec4; 4], b: &[Vec4; 4]) -> Vectors {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Cofactors as four matrices, negative where the determinant is.
#[inline(always)]
fn carrying(rows: &[Vectors; 3], determinant: Vec4) -> [Mat3A; 4] {
    let side = Vec4::select(determinant.cmplt(Vec4::ZERO), Vec4::NEG_ONE, Vec4::ONE);
    let column = |j: usize| transposed([rows[0][j] * side, rows[1][j] * side, rows[2][j] * side, Vec4::ZERO]);
    let (x, y, z) = (column(0), column(1), column(2));
    [0, 1, 2, 3]
        .map(|lane| Mat3A::from_cols(Vec3A::from_vec4(x[lane]), Vec3A::from_vec4(y[lane]), Vec3A::from_vec4(z[lane])))
}

#[inline(always)]
fn transformed(rows: &[Vectors; 3], v: Vectors) -> Vectors {
    let dot = |row: &Vectors| row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
    [dot(&rows[0]), dot(&rows[1]), dot(&rows[2])]
}

/// Scales vectors to length one, or to zero where that is impossible, and reverses them where the determinant is
/// negative.
#[inline(always)]
fn unit(v: Vectors, determinant: Vec4) -> Vectors {
    let per_length = Vec4::ONE / sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    let known = per_length.cmplt(Vec4::INFINITY) & per_length.cmpgt(Vec4::ZERO);
    let signed = Vec4::select(determinant.cmplt(Vec4::ZERO), -per_length, per_length);
    let scale = Vec4::select(known, signed, Vec4::ZERO);
    // A vector that is not finite has no direction either.
    let scaled = |v: Vec4| zero_where((v * scale).is_nan_mask(), v * scale);
    [scaled(v[0]), scaled(v[1]), scaled(v[2])]
}

#[inline(always)]
fn carried(m: &Matrices, determinant: Vec4, tangents: &[Vec4; 4]) -> [Vec4; 4] {
    let [x, y, z, w] = transposed(*tangents);
    let [[a, b, c, _], [d, e, f, _], [g, h, i, _]] = *m;
    let [x, y, z] = unit(transformed(&[[a, b, c], [d, e, f], [g, h, i]], [x, y, z]), Vec4::ONE);
    transposed([x, y, z, Vec4::select(determinant.cmplt(Vec4::ZERO), -w, w)])
}

#[inline(always)]
fn sqrt(v: Vec4) -> Vec4 {
    Vec4::new(v.x.sqrt(), v.y.sqrt(), v.z.sqrt(), v.w.sqrt())
}

/// Replaces lanes by zero where the mask is true.
#[inline(always)]
pub(super) fn zero_where(mask: BVec4A, v: Vec4) -> Vec4 {
    Vec4::select(mask, Vec4::ZERO, v)
}

#[inline(always)]
pub(super) fn transposed(rows: [Vec4; 4]) -> [Vec4; 4] {
    let m = Mat4::from_cols(rows[0], rows[1], rows[2], rows[3]).transpose();
    [m.x_axis, m.y_axis, m.z_axis, m.w_axis]
}

#[inline(always)]
fn load(four: &[Vec3; 4]) -> Vectors {
    let [a, b, c]: [Vec4; 3] = bytemuck::cast(*four);
    [Vec4::new(a.x, a.w, b.z, c.y), Vec4::new(a.y, b.x, b.w, c.z), Vec4::new(a.z, b.y, c.x, c.w)]
}

#[inline(always)]
fn store([x, y, z]: Vectors, out: &mut [Vec3; 4]) {
    let rows = [Vec4::new(x.x, y.x, z.x, x.y), Vec4::new(y.y, z.y, x.z, y.z), Vec4::new(z.z, x.w, y.w, z.w)];
    *out = bytemuck::cast(rows);
}
