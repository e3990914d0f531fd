//! Deforms whole primitives: morph targets, then skinning, then normals where the file has none. Baking, picking and
//! framing use this CPU reference.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::{Affine3A, Mat3A, Vec3, Vec4};
use skinscope_base::parallel::{self, in_pieces};
use skinscope_model::{InfluencesRef, InstanceId, Model, Primitive, Topology};

use super::{Batch, BatchInfluences, BatchOut, Deformation, Method};

/// The lists that are computed for a deformed primitive in addition to positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeformedAttributes {
    /// Whether to compute [`Deformed::normals`].
    pub normals: bool,
    /// Whether to compute [`Deformed::tangents`].
    pub tangents: bool,
    /// Whether to compute [`Deformed::determinants`]; they are also computed where normals come from the triangles.
    pub determinants: bool,
    /// Whether to compute [`Deformed::carries`].
    pub carries: bool,
}

impl DeformedAttributes {
    /// Positions only.
    pub const NONE: Self = Self { normals: false, tangents: false, determinants: false, carries: false };
    /// All lists that are drawn or exported.
    pub const ALL: Self = Self { normals: true, tangents: true, determinants: true, carries: false };
}

impl Default for DeformedAttributes {
    fn default() -> Self {
        Self::ALL
    }
}

/// A deformed primitive in model space. Its memory is reused from call to call.
#[derive(Clone, Debug, Default)]
pub struct Deformed {
    /// The lists to compute; the others stay empty.
    pub attributes: DeformedAttributes,
    /// The positions, metres, one for each vertex, those split off for tangents included.
    pub positions: Vec<Vec3>,
    /// The normals, one for each vertex: of unit length, or zero where there is no direction. Where the file stores no
    /// normals they are the normalised sum of the deformed triangles around the vertex, weighted by area; in a [`super::Surface`] also
    /// where nothing is left of a blended normal ([`Deformed::filled`]).
    pub normals: Vec<Vec3>,
    /// The tangents, as many as the primitive has: xyz of unit length or zero, w the handedness, which a mirror
    /// reverses.
    pub tangents: Vec<Vec4>,
    /// The determinants, one for each vertex; see [`super::DeformedVertex::determinant`].
    pub determinants: Vec<f32>,
    /// The matrices that transform normals, one for each vertex; see [`BatchOut::carries`]. Passes over the whole
    /// surface do not change them.
    pub carries: Vec<Mat3A>,
    /// The vertices of whose blended normal nothing is left, and which have that of the triangles around them in its place, rising; of a
    /// [`super::Surface`] alone.
    pub filled: Vec<u32>,
}

impl Deformed {
    /// Makes an empty surface that will have the lists in `attributes`.
    #[must_use]
    pub fn of(attributes: DeformedAttributes) -> Self {
        Self { attributes, ..Self::default() }
    }

    /// Returns whether nothing is left of the blended normal of a vertex: it has none, or one of the triangles in its place.
    #[must_use]
    pub fn is_normal_lost(&self, vertex: usize) -> bool {
        self.normals.get(vertex) == Some(&Vec3::ZERO)
            || !self.filled.is_empty() && self.filled.binary_search(&(vertex as u32)).is_ok()
    }

    /// Returns whether the surface is mirrored at a triangle, so that its winding is the opposite of that in the file.
    /// Where the three vertices disagree, the majority decides.
    #[must_use]
    pub fn is_mirrored(&self, triangle: [u32; 3]) -> bool {
        triangle.into_iter().filter(|v| self.determinants[*v as usize] < 0.0).count() >= 2
    }
}

/// Deforms the primitive with index `primitive` of an instance, and writes it to `out`. `packed` is the palette of the
/// whole model ([`super::palettes`]), packed for `method`; `morph_weights` are those of the whole pose
/// ([`skinscope_model::LocalPose::morph_weights`]). For an instance with copies the result is the first one; the
/// following matrices of the palette move the others. Each vertex is deformed alone: for a method that needs more
/// ([`Deformation::needs_surface`]) use a [`super::Surface`].
pub fn deform_primitive<'a>(
    model: &Model,
    instance: InstanceId,
    primitive: usize,
    packed: &[Vec4],
    morph_weights: &[f32],
    method: impl Into<Deformation<'a>>,
    out: &mut Deformed,
) {
    let method = method.into();
    let bound = palette_of(model, (instance, primitive), packed, &method);
    deform_with(model, (instance, primitive), bound, morph_weights, method, out);
}

/// Deforms the primitive with index `primitive` of an instance rigidly, by `matrix` (`model_from_mesh`) alone.
pub(crate) fn deform_rigid<'a>(
    model: &Model,
    instance: InstanceId,
    primitive: usize,
    matrix: &Affine3A,
    morph_weights: &[f32],
    method: impl Into<Deformation<'a>>,
    out: &mut Deformed,
) {
    let method = method.into();
    let mut palette = Vec::new();
    super::pack(&method, std::slice::from_ref(matrix), &mut palette);
    deform_with(model, (instance, primitive), (&palette, None), morph_weights, method, out);
}

/// Returns the matrices that may move a primitive, and the influences that share them out.
pub(super) fn palette_of<'a>(
    model: &'a Model,
    (instance, primitive): (InstanceId, usize),
    packed: &'a [Vec4],
    method: &Method,
) -> (&'a [Vec4], Option<InfluencesRef<'a>>) {
    let (first, influences) = model.binding(instance, primitive);
    let skin = model.instances[instance.index()].skin.filter(|_| influences.is_some());
    let joints = skin.map_or(1, |skin| model.skins[skin.index()].joints.len());
    let stride = method.vec4s_per_joint;
    (&packed[first as usize * stride..][..joints * stride], influences)
}

/// Deforms a primitive whose vertices are moved by `palette`, by the shares in `influences`; `None`: by its first matrix.
pub(super) fn deform_with(
    model: &Model,
    (instance, primitive): (InstanceId, usize),
    (palette, influences): (&[Vec4], Option<InfluencesRef<'_>>),
    morph_weights: &[f32],
    method: Deformation<'_>,
    out: &mut Deformed,
) {
    let deformer = PrimitiveDeformer::new(model, (instance, primitive), (palette, influences), morph_weights, method);
    let p = deformer.p;
    let DeformedAttributes { normals, tangents, determinants, carries } = out.attributes;
    let sides = determinants || (normals && p.normals.is_empty());
    let (count, fit) = (p.positions.len(), |wanted: bool, stored: usize| if wanted { stored } else { 0 });
    out.positions.resize(count, Vec3::ZERO);
    out.normals.resize(fit(normals, p.normals.len()), Vec3::ZERO);
    out.tangents.resize(fit(tangents, p.tangents.len()), Vec4::ZERO);
    out.determinants.resize(fit(sides, count), 0.0);
    out.carries.resize(fit(carries, count), Mat3A::ZERO);
    let lists = BatchOut {
        positions: &mut out.positions,
        normals: &mut out.normals,
        tangents: &mut out.tangents,
        determinants: &mut out.determinants,
        carries: &mut out.carries,
    };
    deformer.spread(0, lists);
    if normals && p.normals.is_empty() {
        normals_from_triangles(p, out);
    }
}

/// Deforms the vertices of a primitive, all of them or some.
pub(super) struct PrimitiveDeformer<'a> {
    pub(super) p: &'a Primitive,
    weights: &'a [f32],
    /// Whether any morph weight is not zero.
    morphs: bool,
    influences: Option<InfluencesRef<'a>>,
    palette: &'a [Vec4],
    method: Deformation<'a>,
    /// The data that the method computed for each vertex in advance.
    vectors: &'a [Vec4],
}

/// How many vertices one thread deforms at a time; fewer take less time than it takes to wake another thread.
pub(super) const PIECE: usize = 1 << 14;

/// How many vertices are deformed together by questions that do not keep them.
const SHEET: usize = 2048;

/// How many vertices are morphed before they are deformed: few enough to stay in the cache.
const BLOCK: usize = 256;

impl<'a> PrimitiveDeformer<'a> {
    pub(super) fn new(
        model: &'a Model,
        (instance, primitive): (InstanceId, usize),
        (palette, influences): (&'a [Vec4], Option<InfluencesRef<'a>>),
        morph_weights: &'a [f32],
        method: Deformation<'a>,
    ) -> Self {
        let source = &model.instances[instance.index()];
        let vectors =
            method.data.filter(|_| influences.is_some()).map_or(&[][..], |d| d.vectors_of(instance, primitive));
        let p = &model.meshes[source.mesh.index()].primitives[primitive];
        let weights = &morph_weights[source.morph_offset..][..source.morph_weights.len()];
        Self { p, weights, morphs: weights.iter().any(|w| *w != 0.0), influences, palette, method, vectors }
    }

    /// Passes the vertices from `start` to `end` to `look` and keeps none of them. `join` combines
    /// the results of the pieces, in their order.
    pub(super) fn fold<T: Default + Send>(
        &self,
        (start, end): (usize, usize),
        look: &(impl Fn(&mut T, usize, &[Vec3]) + Sync),
        join: &(impl Fn(T, T) -> T + Sync),
    ) -> T {
        if end - start > PIECE {
            let middle = (start + (end - start) / 2).next_multiple_of(4);
            let (mut a, mut b) = (T::default(), T::default());
            parallel::both(|| a = self.fold((start, middle), look, join), || b = self.fold((middle, end), look, join));
            return join(a, b);
        }
        let mut out = T::default();
        let mut positions = vec![Vec3::ZERO; (end - start).min(SHEET)];
        for from in (start..end).step_by(SHEET) {
            let positions = &mut positions[..(end - from).min(SHEET)];
            self.deform(from, &mut BatchOut { positions, ..BatchOut::default() });
            look(&mut out, from, positions);
        }
        out
    }

    /// Deforms the vertices from `start` on, as many as `out` has room for, on all cores.
    fn spread(&self, start: usize, mut out: BatchOut) {
        let count = out.positions.len();
        if count <= PIECE {
            self.deform(start, &mut out);
            return;
        }
        // Blocks are not split.
        let half = (count / 2).next_multiple_of(BLOCK);
        let (here, there) = out.split_at(half);
        parallel::both(|| self.spread(start, here), || self.spread(start + half, there));
    }

    /// Does the same as [`PrimitiveDeformer::spread`], on this thread alone.
    fn deform(&self, start: usize, out: &mut BatchOut) {
        let end = start + out.positions.len();
        let Some(influences) = self.influences else { return self.deform_run(start, BatchInfluences::One, out) };
        let mut left = std::mem::take(out);
        for run in influences.runs(start..end) {
            let (mut here, rest) = left.split_at(run.vertices.len());
            self.deform_run(run.vertices.start, BatchInfluences::from(&run), &mut here);
            left = rest;
        }
    }

    /// Deforms the vertices from `start` on; `movers` are the influences of these vertices.
    fn deform_run(&self, start: usize, movers: BatchInfluences, out: &mut BatchOut) {
        if self.morphs {
            return self.morph(start, movers, out);
        }
        let count = out.positions.len();
        let batch = Batch {
            positions: &self.p.positions[start..start + count],
            normals: part(&self.p.normals, start, out.normals.len()),
            tangents: part(&self.p.tangents, start, out.tangents.len()),
            movers,
            values: self.method.values,
            vectors: self.vectors_at(start, count),
        };
        (self.method.deform_all)(self.palette, &batch, out);
    }

    fn vectors_at(&self, start: usize, count: usize) -> &[Vec4] {
        part(self.vectors, start, if self.vectors.is_empty() { 0 } else { count })
    }

    /// Morphs and deforms block by block.
    fn morph(&self, start: usize, movers: BatchInfluences, out: &mut BatchOut) {
        let (mut positions, mut normals) = ([Vec3::ZERO; BLOCK], [Vec3::ZERO; BLOCK]);
        let mut tangents = [Vec4::ZERO; BLOCK];
        let mut left = std::mem::take(out);
        let mut from = start;
        while !left.positions.is_empty() {
            let count = left.positions.len().min(BLOCK);
            let (mut here, rest) = left.split_at(count);
            let positions = &mut positions[..count];
            let (normals, tangents) = (&mut normals[..here.normals.len()], &mut tangents[..here.tangents.len()]);
            positions.copy_from_slice(&self.p.positions[from..from + count]);
            normals.copy_from_slice(part(&self.p.normals, from, normals.len()));
            tangents.copy_from_slice(part(&self.p.tangents, from, tangents.len()));
            for (target, weight) in self.p.morphs.iter().zip(self.weights).filter(|(_, weight)| **weight != 0.0) {
                displace(positions, target.positions.get(from..).unwrap_or_default(), *weight);
                displace(normals, target.normals.get(from..).unwrap_or_default(), *weight);
                for (tangent, by) in tangents.iter_mut().zip(target.tangents.get(from..).unwrap_or_default()) {
                    *tangent += (*by * *weight).extend(0.0);
                }
            }
            let batch = Batch {
                positions,
                normals,
                tangents,
                movers: movers.range(from - start, from - start + count),
                values: self.method.values,
                vectors: self.vectors_at(from, count),
            };
            (self.method.deform_all)(self.palette, &batch, &mut here);
            (left, from) = (rest, from + count);
        }
    }
}

/// Returns `count` items of a list, which may be empty where `count` is 0.
fn part<T>(list: &[T], start: usize, count: usize) -> &[T] {
    if count == 0 { &[] } else { &list[start..start + count] }
}

/// Writes the stored positions plus the weighted displacements of morph targets to `out`, in mesh space, metres.
/// Targets of weight 0 cost nothing.
pub fn morphed(p: &Primitive, weights: &[f32], out: &mut Vec<Vec3>) {
    out.clone_from(&p.positions);
    for (target, weight) in p.morphs.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
        displace(out, &target.positions, *weight);
    }
}

fn displace(vertices: &mut [Vec3], by: &[Vec3], weight: f32) {
    for (v, by) in vertices.iter_mut().zip(by) {
        *v += *by * weight;
    }
}

/// Replaces normals of length zero by the normalised sum over the deformed triangles around the vertex, weighted by area; vertices that
/// were split for their tangents have that of the vertex that is stored. Those are listed in [`Deformed::filled`].
pub(super) fn fill_normals(p: &Primitive, out: &mut Deformed) {
    out.filled.clear();
    if p.topology != Topology::Triangles || out.normals.is_empty() || out.determinants.len() != out.positions.len() {
        return;
    }
    let lost = AtomicBool::new(false);
    in_pieces(&mut out.normals, PIECE, &|_, normals| {
        if normals.contains(&Vec3::ZERO) {
            lost.store(true, Ordering::Relaxed);
        }
    });
    if !lost.into_inner() {
        return;
    }
    let mut sums = vec![Vec3::ZERO; p.stored_vertices];
    for triangle in p.indices.as_chunks().0 {
        let [a, b, c] = triangle.map(|v| out.positions[v as usize]);
        let normal = (b - a).cross(c - a) * if out.is_mirrored(*triangle) { -1.0 } else { 1.0 };
        triangle.iter().for_each(|vertex| sums[p.stored_vertex(*vertex) as usize] += normal);
    }
    for (vertex, normal) in (0_u32..).zip(&mut out.normals).filter(|(_, normal)| **normal == Vec3::ZERO) {
        *normal = sums[p.stored_vertex(vertex) as usize].normalize_or_zero();
        out.filled.push(vertex);
    }
}

/// Computes the normals of a primitive without stored normals, from its deformed positions: at each vertex the
/// normalised sum of the cross products of its triangles' edges. A cross product is twice the area long, so that the
/// sum is weighted by area.
pub fn normals_from_triangles(p: &Primitive, out: &mut Deformed) {
    out.normals.clear();
    out.normals.resize(out.positions.len(), Vec3::ZERO);
    if p.topology != Topology::Triangles {
        return;
    }
    for triangle in p.indices.as_chunks().0 {
        let [a, b, c] = triangle.map(|v| out.positions[v as usize]);
        let normal = (b - a).cross(c - a) * if out.is_mirrored(*triangle) { -1.0 } else { 1.0 };
        for v in triangle {
            out.normals[*v as usize] += normal;
        }
    }
    for normal in &mut out.normals {
        *normal = normal.normalize_or_zero();
    }
}
