//! Deforms whole primitives: morph, then skin, then normals where none are stored. This is the CPU reference that bake,
//! picking and framing use.

use std::borrow::Cow;

use glam::{Affine3A, Vec3, Vec4};

use super::{Batch, BatchInfluences, BatchOut, Deformation, Method, Surface, SurfaceInput};
use crate::math::Aabb;
use crate::model::{InfluencesRef, InstanceId, Model, Primitive, Topology};
use crate::parallel;

/// The lists of a deformed primitive that are wanted beside its positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Whether [`Deformed::normals`] is wanted.
    pub normals: bool,
    /// Whether [`Deformed::tangents`] is wanted.
    pub tangents: bool,
    /// Whether [`Deformed::determinants`] is wanted; it is also there where normals come from the triangles.
    pub determinants: bool,
}

impl Parts {
    /// Positions only.
    pub const NONE: Self = Self { normals: false, tangents: false, determinants: false };
    /// All lists.
    pub const ALL: Self = Self { normals: true, tangents: true, determinants: true };
}

impl Default for Parts {
    fn default() -> Self {
        Self::ALL
    }
}

/// A deformed primitive in model space; its lists are reused from call to call.
#[derive(Clone, Debug, Default)]
pub struct Deformed {
    /// The lists that are asked for; the others stay empty.
    pub parts: Parts,
    /// The positions, one for each vertex, split ones included.
    pub positions: Vec<Vec3>,
    /// The normals, one for each vertex: of unit length, or zero where there is no direction. Where the file stores no
    /// normals they are the normalised sum of the deformed triangles around the vertex, weighted by area.
    pub normals: Vec<Vec3>,
    /// The tangents, as many as the primitive has: xyz unit or zero, w the handedness, which a mirror reverses.
    pub tangents: Vec<Vec4>,
    /// The determinants, one for each vertex; see [`super::DeformedVertex::determinant`].
    pub determinants: Vec<f32>,
}

impl Deformed {
    /// Makes an empty surface for the lists in `parts`.
    #[must_use]
    pub fn of(parts: Parts) -> Self {
        Self { parts, ..Self::default() }
    }

    /// Returns whether the surface is mirrored at a triangle, so that its winding is the opposite of what the file
    /// meant. Where its vertices disagree the majority decides.
    #[must_use]
    pub fn is_mirrored(&self, triangle: [u32; 3]) -> bool {
        triangle.into_iter().filter(|v| self.determinants[*v as usize] < 0.0).count() >= 2
    }
}

/// Deforms primitive number `primitive` of an instance. `packed` is the palette packed for `method`, `morph_weights`
/// are those of the whole pose ([`crate::model::LocalPose::morph_weights`]). For an instance with copies the result is
/// the first one; the others are moved by the matrices that follow in the palette. Each vertex is placed alone: a method that needs more
/// ([`Deformation::needs_surface`]) is asked for a [`Surface`].
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

/// Deforms primitive number `primitive` of an instance that is rigid there, moved by `matrix` alone.
pub fn deform_rigid<'a>(
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
fn palette_of<'a>(
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

fn deform_with(
    model: &Model,
    (instance, primitive): (InstanceId, usize),
    (palette, influences): (&[Vec4], Option<InfluencesRef<'_>>),
    morph_weights: &[f32],
    method: Deformation<'_>,
    out: &mut Deformed,
) {
    let work = Work::new(model, (instance, primitive), (palette, influences), morph_weights, method);
    let p = work.p;
    let Parts { normals, tangents, determinants } = out.parts;
    let sides = determinants || (normals && p.normals.is_empty());
    let (count, fit) = (p.positions.len(), |wanted: bool, stored: usize| if wanted { stored } else { 0 });
    out.positions.resize(count, Vec3::ZERO);
    out.normals.resize(fit(normals, p.normals.len()), Vec3::ZERO);
    out.tangents.resize(fit(tangents, p.tangents.len()), Vec4::ZERO);
    out.determinants.resize(fit(sides, count), 0.0);
    let lists = BatchOut {
        positions: &mut out.positions,
        normals: &mut out.normals,
        tangents: &mut out.tangents,
        determinants: &mut out.determinants,
        ..BatchOut::default()
    };
    work.spread(0, lists);
    if normals && p.normals.is_empty() {
        normals_from_triangles(p, out);
    }
}

/// Deforms a part of a primitive.
struct Work<'a> {
    p: &'a Primitive,
    weights: &'a [f32],
    /// Whether any morph weight is not zero.
    morphs: bool,
    influences: Option<InfluencesRef<'a>>,
    palette: &'a [Vec4],
    method: Deformation<'a>,
    /// What the method has worked out for each vertex.
    vectors: &'a [Vec4],
}

/// How many vertices one thread deforms at a time; fewer take less time than it takes to wake another thread.
const PIECE: usize = 1 << 14;

/// How many vertices are deformed together by questions that do not keep them.
const SHEET: usize = 2048;

/// How many vertices are morphed before they are deformed: few enough to stay in the cache.
const BLOCK: usize = 256;

impl<'a> Work<'a> {
    fn new(
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

    /// Passes the vertices from `start` to `end` to `look` and keeps none of them; see [`Drawn::fold`].
    fn fold<T: Default + Send>(
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

    /// Does the same as [`Work::spread`], on this thread alone.
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

/// Deforms single positions of a primitive, to the bit as [`deform_primitive`] does; not for methods that need the surface as a
/// whole ([`Deformation::needs_surface`]).
#[derive(Debug)]
pub struct VertexDeformer<'a> {
    primitive: &'a Primitive,
    influences: Option<InfluencesRef<'a>>,
    /// The matrices from the primitive's first one on.
    palette: &'a [Vec4],
    /// The targets with a weight: their displacements and the weight.
    morphs: Vec<(&'a [Vec3], f32)>,
    method: Deformation<'a>,
}

impl<'a> VertexDeformer<'a> {
    /// Prepares primitive number `primitive` of an instance; the arguments are those of [`deform_primitive`].
    #[must_use]
    pub fn new(
        model: &'a Model,
        (instance, primitive): (InstanceId, usize),
        packed: &'a [Vec4],
        morph_weights: &[f32],
        method: impl Into<Deformation<'a>>,
    ) -> Self {
        let method = method.into();
        let bound = palette_of(model, (instance, primitive), packed, &method);
        Self::with(model, (instance, primitive), bound, morph_weights, method)
    }

    /// Prepares a primitive that is rigid, moved by the one matrix in `packed`; the arguments are those of
    /// [`deform_rigid`].
    #[must_use]
    pub fn rigid(
        model: &'a Model,
        place: (InstanceId, usize),
        packed: &'a [Vec4],
        morph_weights: &[f32],
        method: impl Into<Deformation<'a>>,
    ) -> Self {
        Self::with(model, place, (packed, None), morph_weights, method.into())
    }

    fn with(
        model: &'a Model,
        (instance, primitive): (InstanceId, usize),
        (palette, influences): (&'a [Vec4], Option<InfluencesRef<'a>>),
        morph_weights: &[f32],
        method: Deformation<'a>,
    ) -> Self {
        let source = &model.instances[instance.index()];
        let primitive = &model.meshes[source.mesh.index()].primitives[primitive];
        let weights = &morph_weights[source.morph_offset..][..source.morph_weights.len()];
        let targets = primitive.morphs.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
        let morphs = targets.map(|(target, weight)| (target.positions.as_slice(), *weight)).collect();
        Self { primitive, influences, palette, morphs, method }
    }

    /// Returns the deformed position of vertex number `vertex`, model space.
    #[must_use]
    pub fn position(&self, vertex: usize) -> Vec3 {
        let mut out = [Vec3::ZERO];
        let movers = self.influences.map_or(BatchInfluences::One, |list| {
            let (joints, weights) = list.of(vertex);
            BatchInfluences::Each { per_vertex: joints.len(), joints, weights }
        });
        self.deform(&[self.morphed(vertex)], movers, &mut out);
        out[0]
    }

    /// Writes the deformed positions of some vertices to `out`, model space.
    pub fn positions(&self, vertices: &[u32], out: &mut Vec<Vec3>) {
        let from: Vec<Vec3> = vertices.iter().map(|v| self.morphed(*v as usize)).collect();
        out.clear();
        out.resize(vertices.len(), Vec3::ZERO);
        let Some(list) = self.influences else { return self.deform(&from, BatchInfluences::One, out) };
        let (joints, weights) = list.gathered(vertices);
        let movers = BatchInfluences::Each { per_vertex: list.per_vertex, joints: &joints, weights: &weights };
        self.deform(&from, movers, out);
    }

    fn deform(&self, from: &[Vec3], movers: BatchInfluences, out: &mut [Vec3]) {
        let values = self.method.values;
        let batch = Batch { positions: from, normals: &[], tangents: &[], movers, values, vectors: &[] };
        (self.method.deform_all)(self.palette, &batch, &mut BatchOut { positions: out, ..BatchOut::default() });
    }

    fn morphed(&self, vertex: usize) -> Vec3 {
        let mut position = self.primitive.positions[vertex];
        for (by, weight) in &self.morphs {
            if let Some(by) = by.get(vertex) {
                position += *by * *weight;
            }
        }
        position
    }
}

/// Writes the stored positions plus the weighted displacements to `out`, in mesh space; targets of weight zero cost
/// nothing.
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

/// Writes the normals of a primitive that stores none: at each vertex the normalised sum over its deformed triangles.
/// The cross product of two edges is twice the area long, so plain sums weight by area.
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

/// The posed instances that are drawn, for questions about vertices whose positions are not kept.
pub(super) struct Drawn<'a> {
    pub model: &'a Model,
    palettes: &'a [Affine3A],
    packed: Vec<Vec4>,
    /// The identity matrix, packed.
    still: Vec<Vec4>,
    morph_weights: &'a [f32],
    method: Deformation<'a>,
    /// The surface from which vertices are read, where they are not deformed here.
    surface: Option<Cow<'a, Surface>>,
}

impl<'a> Drawn<'a> {
    /// Prepares the drawn instances. Vertices are read from `surface`, which was deformed from `input`, where it is
    /// given. Without it each is deformed when it is asked for, unless the method needs the whole surface for that.
    pub fn new(input: &SurfaceInput<'a>, surface: Option<&'a Surface>) -> Self {
        let SurfaceInput { model, palettes, morph_weights, method, .. } = *input;
        let (mut packed, mut still) = (Vec::new(), Vec::new());
        let whole = || method.needs_surface().then(|| Cow::Owned(Surface::of(input)));
        let surface = surface.map(Cow::Borrowed).or_else(whole);
        if surface.is_none() {
            super::pack(&method, palettes, &mut packed);
            super::pack(&method, &[Affine3A::IDENTITY], &mut still);
        }
        Self { model, palettes, packed, still, morph_weights, method, surface }
    }

    /// Returns the primitives of some instances.
    pub fn primitives(&self, draws: &[InstanceId]) -> Vec<(InstanceId, usize)> {
        let count = |id: &InstanceId| self.model.meshes[self.model.instances[id.index()].mesh.index()].primitives.len();
        draws.iter().flat_map(|id| (0..count(id)).map(|primitive| (*id, primitive))).collect()
    }

    /// Returns the primitive as stored.
    pub fn primitive(&self, (id, primitive): (InstanceId, usize)) -> &'a Primitive {
        &self.model.meshes[self.model.instances[id.index()].mesh.index()].primitives[primitive]
    }

    /// Returns how many times it is drawn.
    pub fn copies(&self, (id, _): (InstanceId, usize)) -> usize {
        self.model.instances[id.index()].copy_count()
    }

    /// Returns the matrices at which an instance with copies is drawn: every method moves a rigid vertex by its one
    /// joint's matrix.
    fn copy_matrices(&self, (id, primitive): (InstanceId, usize)) -> &'a [Affine3A] {
        let count = self.model.instances[id.index()].copies.len();
        let (first, _) = self.model.binding(id, primitive);
        &self.palettes[first as usize..][..count]
    }

    /// Calls `look` for all vertices of a primitive as posed, piece by piece on all cores, with the number of the first
    /// vertex of the piece: those of the second copy count on from those of the first. `join` combines the results of
    /// the pieces, in their order.
    pub fn fold<T: Default + Send>(
        &self,
        place: (InstanceId, usize),
        look: &(impl Fn(&mut T, usize, &[Vec3]) + Sync),
        join: &(impl Fn(T, T) -> T + Sync),
    ) -> T {
        let known = self.surface.as_ref().and_then(|surface| surface.part(place.0, place.1));
        if self.model.instances[place.0.index()].copies.is_empty() {
            if let Some(part) = known {
                return fold_known((0, &part.deformed.positions), look, join);
            }
            let bound = palette_of(self.model, place, &self.packed, &self.method);
            let work = Work::new(self.model, place, bound, self.morph_weights, self.method);
            return work.fold((0, work.p.positions.len()), look, join);
        }
        let mut deformed = Deformed::of(Parts::NONE);
        if known.is_none() {
            deform_with(self.model, place, (&self.still, None), self.morph_weights, self.method, &mut deformed);
        }
        let stored = &known.map_or(&deformed, |part| &part.deformed).positions;
        let (mut out, mut positions) = (T::default(), Vec::new());
        for (copy, matrix) in self.copy_matrices(place).iter().enumerate() {
            positions.clear();
            positions.extend(stored.iter().map(|p| matrix.transform_point3(*p)));
            look(&mut out, copy * positions.len(), &positions);
        }
        out
    }

    /// Writes the deformed positions of some vertices of a primitive, numbered as by [`Drawn::fold`].
    pub fn positions(&self, place: (InstanceId, usize), vertices: &[usize]) -> Vec<Vec3> {
        let count = self.primitive(place).positions.len();
        if let Some(part) = self.surface.as_ref().and_then(|surface| surface.part(place.0, place.1)) {
            let at = |v: &usize| part.position(v % count.max(1), v / count.max(1)).unwrap_or_default();
            return vertices.iter().map(at).collect();
        }
        let of_copy: Vec<u32> = vertices.iter().map(|v| (v % count.max(1)) as u32).collect();
        let mut out = Vec::new();
        if self.model.instances[place.0.index()].copies.is_empty() {
            let one = VertexDeformer::new(self.model, place, &self.packed, self.morph_weights, self.method);
            one.positions(&of_copy, &mut out);
            return out;
        }
        let one = VertexDeformer::rigid(self.model, place, &self.still, self.morph_weights, self.method);
        one.positions(&of_copy, &mut out);
        let matrices = self.copy_matrices(place);
        for (position, vertex) in out.iter_mut().zip(vertices) {
            *position = matrices[vertex / count.max(1)].transform_point3(*position);
        }
        out
    }
}

/// Does the same as [`Work::fold`] for positions that are known, the first of which has number `from`.
fn fold_known<T: Default + Send>(
    (from, positions): (usize, &[Vec3]),
    look: &(impl Fn(&mut T, usize, &[Vec3]) + Sync),
    join: &(impl Fn(T, T) -> T + Sync),
) -> T {
    let mut out = T::default();
    if positions.len() > PIECE {
        let (left, right) = positions.split_at(positions.len() / 2);
        let mut other = T::default();
        parallel::both(
            || out = fold_known((from, left), look, join),
            || other = fold_known((from + left.len(), right), look, join),
        );
        return join(out, other);
    }
    look(&mut out, from, positions);
    out
}

/// Returns the box around the deformed vertices that are drawn, without those beyond [`Aabb::FAR`]. Empty where there
/// are no vertices. `palettes` are those of [`super::palettes`]. For framing there is [`super::extent`].
#[must_use]
pub fn bounds<'a>(
    model: &'a Model,
    draws: &'a [InstanceId],
    palettes: &'a [Affine3A],
    morph_weights: &'a [f32],
    method: impl Into<Deformation<'a>>,
) -> Aabb {
    let method = method.into();
    let drawn = Drawn::new(&SurfaceInput { model, draws, palettes, morph_weights, method }, None);
    let look = |bounds: &mut Aabb, _: usize, positions: &[Vec3]| {
        *bounds = bounds.union(Aabb::from_points(positions.iter().copied()));
    };
    drawn
        .primitives(draws)
        .into_iter()
        .map(|place| drawn.fold(place, &look, &Aabb::union))
        .fold(Aabb::EMPTY, Aabb::union)
}
