//! The surface of everything that is drawn, which is deformed once and then read by the passes of a picture, picking,
//! readouts, measures and export. Most methods deform each vertex alone; those that need its neighbours change the
//! whole surface afterwards ([`Method::pass`]).

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use glam::{Affine3A, Vec3, Vec4};
use skinscope_base::math::cofactor;
use skinscope_base::parallel::{self, JobContext};
use skinscope_model::{InstanceId, Model};

use super::surface::{deform_rigid, fill_normals};
use super::{DataSource, Deformation, Deformed, DeformedAttributes, MethodData, SplitModel, deform_primitive, pack};

/// The input of deforming a surface.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceInput<'a> {
    /// The model.
    pub model: &'a Model,
    /// The instances that are drawn, each once.
    pub draws: &'a [InstanceId],
    /// The skinning matrices `model_from_mesh`, laid out by [`Model::palette_layout`].
    pub palettes: &'a [Affine3A],
    /// The morph weights of the whole pose ([`skinscope_model::LocalPose::morph_weights`]).
    pub morph_weights: &'a [f32],
    /// The method that deforms vertices.
    pub method: Deformation<'a>,
}

impl SurfaceInput<'_> {
    /// Returns the data that method and pass need and that the input does not have.
    fn missing_data(&self) -> (Option<MethodData>, Option<MethodData>) {
        let waiting = JobContext::of_waiting();
        let make = |source: Option<&DataSource>, is_there: bool| {
            source.filter(|_| !is_there).and_then(|source| (source.make)(self.model, &waiting))
        };
        let of_method = make(self.method.method.data, self.method.data.is_some());
        let of_pass = self.method.pass.and_then(|applied| make(applied.pass.data, applied.data.is_some()));
        (of_method, of_pass)
    }
}

/// The surface of everything that is drawn, deformed by one method in one pose.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// The parts, by instance in the order of drawing, then by primitive.
    pub parts: Vec<SurfacePart>,
    /// The model whose vertices these are, where the method has copied some of the one that it was given.
    split: Option<Arc<SplitModel>>,
    /// For each instance: the index of its first part, or [`NOT_DRAWN`].
    first: Vec<u32>,
}

const NOT_DRAWN: u32 = u32::MAX;

/// A deformed primitive of an instance.
#[derive(Clone, Debug, Default)]
pub struct SurfacePart {
    /// The instance that draws it.
    pub instance: InstanceId,
    /// The index of the primitive in the instance's mesh.
    pub primitive: usize,
    /// The deformed vertices: in model space, or in mesh space where there are copies.
    pub deformed: Deformed,
    /// `model_from_mesh` of every copy; empty where there are none, so that `deformed` is in model space.
    pub copies: Vec<Affine3A>,
}

impl Surface {
    /// Deforms everything that is drawn, on all cores. A primitive with copies is deformed once. Normals, tangents and
    /// determinants are computed too ([`DeformedAttributes::ALL`]).
    #[must_use]
    pub fn of(input: &SurfaceInput) -> Self {
        let mut out = Self::default();
        out.deform(input, DeformedAttributes::ALL);
        out
    }

    /// Does the same as [`Surface::of`] in the memory of this surface, which is overwritten, with the lists in
    /// `attributes`. Passes may need more of them than positions ([`DeformedAttributes::ALL`]).
    pub fn deform(&mut self, input: &SurfaceInput, attributes: DeformedAttributes) {
        let (of_method, of_pass) = input.missing_data();
        let mut whole = *input;
        whole.method.data = whole.method.data.or(of_method.as_ref());
        if let Some(pass) = &mut whole.method.pass {
            pass.data = pass.data.or(of_pass.as_ref());
        }
        let input = &whole;
        let split = input.method.data.and_then(|data| data.split.clone());
        let SurfaceInput { model, draws, palettes, morph_weights, method } = *input;
        let model = split.as_ref().map_or(model, |split| &*split.model);
        let mut packed: Vec<Vec4> = Vec::new();
        pack(&method, palettes, &mut packed);
        let mut first = vec![NOT_DRAWN; model.instances.len()];
        let mut primitives = Vec::new();
        for id in draws {
            first[id.index()] = primitives.len() as u32;
            let mesh = model.instances[id.index()].mesh;
            primitives.extend((0..model.meshes[mesh.index()].primitives.len()).map(|primitive| (*id, primitive)));
        }
        let used: Vec<_> = std::mem::take(&mut self.parts).into_iter().map(|part| Mutex::new(part.deformed)).collect();
        let deform = |i: usize| {
            let (instance, primitive) = primitives[i];
            let count = model.instances[instance.index()].copies.len();
            let used =
                used.get(i).map(|part| std::mem::take(&mut *part.lock().unwrap_or_else(PoisonError::into_inner)));
            let mut deformed = Deformed { attributes, ..used.unwrap_or_default() };
            if count == 0 {
                deform_primitive(model, instance, primitive, &packed, morph_weights, method, &mut deformed);
            } else {
                let here = &Affine3A::IDENTITY;
                deform_rigid(model, instance, primitive, here, morph_weights, method, &mut deformed);
            }
            let (first, _) = model.binding(instance, primitive);
            let copies = palettes[first as usize..].iter().take(count).copied().collect();
            SurfacePart { instance, primitive, deformed, copies }
        };
        let never = AtomicBool::new(false);
        let parts = parallel::map(primitives.len(), &never, &deform).unwrap_or_default();
        *self = Self { parts, first, split };
        if let Some(pass) = method.method.pass {
            pass(input, self);
        }
        // A pass makes normals of its own; those of the triangles are of the surface that it makes.
        let comes_last = method.normals.fits_all;
        if let Some(source) = method.normal_mode().filter(|_| !comes_last) {
            source.apply(input, self);
        }
        if let Some(applied) = method.pass {
            (applied.pass.run)(input, self);
        }
        if let Some(source) = method.normal_mode().filter(|_| comes_last) {
            source.apply(input, self);
        }
        let split = self.split.clone();
        let model = split.as_ref().map_or(input.model, |split| &*split.model);
        for part in &mut self.parts {
            let mesh = model.instances[part.instance.index()].mesh;
            fill_normals(&model.meshes[mesh.index()].primitives[part.primitive], &mut part.deformed);
        }
    }

    /// Makes a surface of its parts, which stand in the order of drawing, for a model of so many instances. The vertices are those of the
    /// model in `split`.
    pub(super) fn of_parts(parts: Vec<SurfacePart>, instances: usize, split: Arc<SplitModel>) -> Self {
        let mut first = vec![NOT_DRAWN; instances];
        for (i, part) in parts.iter().enumerate().rev() {
            first[part.instance.index()] = i as u32;
        }
        Self { parts, split: Some(split), first }
    }

    /// Returns the same surface with the vertices of the model in `split`, which it was deformed from, unless the method has copied some of
    /// them.
    pub(super) fn with_split(self, split: &Arc<SplitModel>) -> Self {
        let split = self.split.or_else(|| Some(Arc::clone(split)));
        Self { split, ..self }
    }

    /// Returns a primitive of an instance; `None` where it is not drawn.
    #[must_use]
    pub fn part(&self, instance: InstanceId, primitive: usize) -> Option<&SurfacePart> {
        let first = *self.first.get(instance.index()).filter(|first| **first != NOT_DRAWN)?;
        self.parts.get(first as usize + primitive).filter(|p| p.instance == instance && p.primitive == primitive)
    }
}

impl Surface {
    /// Returns the model whose vertices these are: `model`, which the surface was deformed from, or where the method
    /// copied vertices a model with the copies after the original ones.
    #[must_use]
    pub fn model<'a>(&'a self, model: &'a Model) -> &'a Model {
        self.split.as_ref().map_or(model, |split| &*split.model)
    }

    /// Returns the model with copied vertices; `None` where the method copied none.
    #[must_use]
    pub fn split_model(&self) -> Option<&Arc<Model>> {
        self.split.as_ref().map(|split| &split.model)
    }

    /// Returns the original vertex, in the model that the surface was deformed from, of which `vertex` is a copy;
    /// `vertex` itself where it is no copy.
    #[must_use]
    pub fn original(&self, instance: InstanceId, primitive: usize, vertex: usize) -> usize {
        let Some(split) = &self.split else { return vertex };
        let Some(source) = split.model.instances.get(instance.index()) else { return vertex };
        let mesh = source.mesh.index();
        let copies = &split.copies_of[mesh][primitive];
        let count = split.model.meshes[mesh].primitives[primitive].positions.len() - copies.len();
        vertex.checked_sub(count).and_then(|copy| copies.get(copy)).map_or(vertex, |of| *of as usize)
    }

    /// The same as [`Surface::part`], to change it.
    pub(super) fn part_mut(&mut self, instance: InstanceId, primitive: usize) -> Option<&mut SurfacePart> {
        let first = *self.first.get(instance.index()).filter(|first| **first != NOT_DRAWN)?;
        self.parts.get_mut(first as usize + primitive).filter(|p| p.instance == instance && p.primitive == primitive)
    }
}

impl SurfacePart {
    /// Returns the position of a vertex of the copy with index `copy` (0 where there are no copies), in model space,
    /// metres; `None` where there is no such vertex.
    #[must_use]
    pub fn position(&self, vertex: usize, copy: usize) -> Option<Vec3> {
        let at = *self.deformed.positions.get(vertex)?;
        Some(self.copies.get(copy).map_or(at, |matrix| matrix.transform_point3(at)))
    }

    /// Returns the vertices of the copy with index `copy`, which must be below the number of copies, in model space.
    #[must_use]
    pub fn copy(&self, copy: usize) -> Deformed {
        let mut out = self.deformed.clone();
        let Some(m) = self.copies.get(copy) else { return out };
        let (cofactor, determinant) = (cofactor(m.matrix3), m.matrix3.determinant());
        let side = if determinant < 0.0 { -1.0 } else { 1.0 };
        out.positions.iter_mut().for_each(|p| *p = m.transform_point3(*p));
        out.normals.iter_mut().for_each(|n| *n = (cofactor * *n * side).normalize_or_zero());
        for tangent in &mut out.tangents {
            let along = m.transform_vector3(tangent.truncate()).normalize_or_zero();
            *tangent = along.extend(tangent.w * side);
        }
        out.determinants.iter_mut().for_each(|d| *d *= determinant);
        out
    }
}
