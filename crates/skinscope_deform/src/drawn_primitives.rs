//! Visits all vertices of a pose without storing their positions.

use std::borrow::Cow;

use glam::{Affine3A, Vec3, Vec4};
use skinscope_base::math::Aabb;
use skinscope_base::parallel;
use skinscope_model::{InstanceId, Model, Primitive};

use super::surface::{PIECE, PrimitiveDeformer, deform_with, palette_of};
use super::{Deformation, Deformed, DeformedAttributes, Surface, SurfaceInput, VertexDeformer};

/// The posed instances that are drawn, whose vertices are visited without storing their positions.
pub(super) struct DrawnPrimitives<'a> {
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

impl<'a> DrawnPrimitives<'a> {
    /// Prepares the drawn instances. Vertices are read from `surface`, if it is given, which was deformed from `input`.
    /// Without it each vertex is deformed when it is visited, unless the method needs the whole surface for that.
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
        which: (InstanceId, usize),
        look: &(impl Fn(&mut T, usize, &[Vec3]) + Sync),
        join: &(impl Fn(T, T) -> T + Sync),
    ) -> T {
        let known = self.surface.as_ref().and_then(|surface| surface.part(which.0, which.1));
        if self.model.instances[which.0.index()].copies.is_empty() {
            if let Some(part) = known {
                return fold_known((0, &part.deformed.positions), look, join);
            }
            let bound = palette_of(self.model, which, &self.packed, &self.method);
            let deformer = PrimitiveDeformer::new(self.model, which, bound, self.morph_weights, self.method);
            return deformer.fold((0, deformer.p.positions.len()), look, join);
        }
        let mut deformed = Deformed::of(DeformedAttributes::NONE);
        if known.is_none() {
            deform_with(self.model, which, (&self.still, None), self.morph_weights, self.method, &mut deformed);
        }
        let stored = &known.map_or(&deformed, |part| &part.deformed).positions;
        let (mut out, mut positions) = (T::default(), Vec::new());
        for (copy, matrix) in self.copy_matrices(which).iter().enumerate() {
            positions.clear();
            positions.extend(stored.iter().map(|p| matrix.transform_point3(*p)));
            look(&mut out, copy * positions.len(), &positions);
        }
        out
    }

    /// Writes the deformed positions of some vertices of a primitive, numbered as by [`DrawnPrimitives::fold`].
    pub fn positions(&self, which: (InstanceId, usize), vertices: &[usize]) -> Vec<Vec3> {
        let count = self.primitive(which).positions.len();
        if let Some(part) = self.surface.as_ref().and_then(|surface| surface.part(which.0, which.1)) {
            let at = |v: &usize| part.position(v % count.max(1), v / count.max(1)).unwrap_or_default();
            return vertices.iter().map(at).collect();
        }
        let of_copy: Vec<u32> = vertices.iter().map(|v| (v % count.max(1)) as u32).collect();
        let mut out = Vec::new();
        if self.model.instances[which.0.index()].copies.is_empty() {
            let one = VertexDeformer::new(self.model, which, &self.packed, self.morph_weights, self.method);
            one.positions(&of_copy, &mut out);
            return out;
        }
        let one = VertexDeformer::rigid(self.model, which, &self.still, self.morph_weights, self.method);
        one.positions(&of_copy, &mut out);
        let matrices = self.copy_matrices(which);
        for (position, vertex) in out.iter_mut().zip(vertices) {
            *position = matrices[vertex / count.max(1)].transform_point3(*position);
        }
        out
    }
}

/// Does the same as [`PrimitiveDeformer::fold`] for positions that are known, the first of which has number `from`.
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

/// Returns the box in model space around the deformed vertices that are drawn, without those beyond [`Aabb::FAR`];
/// empty where there are no vertices. `palettes` are those of [`super::palettes`], and `morph_weights` those of the
/// whole pose. A camera that frames the model uses [`super::extent`] instead, which leaves out stray vertices.
#[must_use]
pub fn bounds<'a>(
    model: &'a Model,
    draws: &'a [InstanceId],
    palettes: &'a [Affine3A],
    morph_weights: &'a [f32],
    method: impl Into<Deformation<'a>>,
) -> Aabb {
    let method = method.into();
    let drawn = DrawnPrimitives::new(&SurfaceInput { model, draws, palettes, morph_weights, method }, None);
    let look = |bounds: &mut Aabb, _: usize, positions: &[Vec3]| {
        *bounds = bounds.union(Aabb::from_points(positions.iter().copied()));
    };
    drawn
        .primitives(draws)
        .into_iter()
        .map(|which| drawn.fold(which, &look, &Aabb::union))
        .fold(Aabb::EMPTY, Aabb::union)
}
