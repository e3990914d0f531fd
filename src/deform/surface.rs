//! Whole primitives: morph, then skin, then normals for those who store none. The CPU reference that bake, picking and
//! framing use.

use glam::{Affine3A, Vec3, Vec4};

use super::{Method, Vertex};
use crate::math::Aabb;
use crate::model::{Influences, InstanceId, Model, Primitive, Topology};

/// A deformed primitive in model space; its lists are reused from call to call.
#[derive(Clone, Debug, Default)]
pub struct Deformed {
    /// One for each vertex, split ones included.
    pub positions: Vec<Vec3>,
    /// One for each vertex; unit, or zero where there is none. Where the file stores no normals: the normalised sum of
    /// the deformed triangles around the vertex, weighted by area.
    pub normals: Vec<Vec3>,
    /// As many as the primitive has: xyz unit or zero, w the handedness, which a mirror turns over.
    pub tangents: Vec<Vec4>,
    /// One for each vertex, see [`super::Moved::determinant`].
    pub determinants: Vec<f32>,
}

impl Deformed {
    /// True where the surface of a triangle is mirrored, so that its winding says the opposite of what the file meant.
    /// Among vertices that disagree the greater part decides.
    #[must_use]
    pub fn is_mirrored(&self, triangle: [u32; 3]) -> bool {
        triangle.into_iter().filter(|v| self.determinants[*v as usize] < 0.0).count() >= 2
    }
}

/// Deforms primitive number `primitive` of an instance. `packed` is the palette packed for `method`, `morph_weights`
/// are those of the whole pose ([`crate::model::LocalPose::morph_weights`]). Of an instance with copies this is the first;
/// the others are moved by the matrices that follow in the palette.
pub fn deform_primitive(
    model: &Model,
    instance: InstanceId,
    primitive: usize,
    packed: &[Vec4],
    morph_weights: &[f32],
    method: &Method,
    out: &mut Deformed,
) {
    let (first, influences) = model.binding(instance, primitive);
    let palette = &packed[first as usize * method.vec4s_per_joint..];
    deform_with(model, (instance, primitive), (palette, influences), morph_weights, method, out);
}

/// Deforms primitive number `primitive` of an instance that is rigid there, moved by `matrix` alone.
pub fn deform_rigid(
    model: &Model,
    instance: InstanceId,
    primitive: usize,
    matrix: &Affine3A,
    morph_weights: &[f32],
    method: &Method,
    out: &mut Deformed,
) {
    let mut palette = Vec::new();
    super::pack(method, std::slice::from_ref(matrix), &mut palette);
    deform_with(model, (instance, primitive), (&palette, None), morph_weights, method, out);
}

fn deform_with(
    model: &Model,
    (instance, primitive): (InstanceId, usize),
    (palette, influences): (&[Vec4], Option<&Influences>),
    morph_weights: &[f32],
    method: &Method,
    out: &mut Deformed,
) {
    let source = &model.instances[instance.index()];
    let p = &model.meshes[source.mesh.index()].primitives[primitive];
    let weights = &morph_weights[source.morph_offset..][..source.morph_weights.len()];
    morph(p, weights, out);
    out.determinants.clear();
    for (i, position) in out.positions.iter_mut().enumerate() {
        let (joints, weights) = influences.map_or((RIGID.0, RIGID.1), |list| list.of(i));
        let normal = out.normals.get(i).copied().unwrap_or_default();
        let tangent = out.tangents.get(i).map_or(Vec3::ZERO, |t| t.truncate());
        let moved = (method.deform)(palette, joints, weights, Vertex { position: *position, normal, tangent });
        *position = moved.vertex.position;
        if let Some(normal) = out.normals.get_mut(i) {
            *normal = moved.vertex.normal;
        }
        if let Some(t) = out.tangents.get_mut(i) {
            *t = moved.vertex.tangent.extend(if moved.determinant < 0.0 { -t.w } else { t.w });
        }
        out.determinants.push(moved.determinant);
    }
    if p.normals.is_empty() {
        normals_from_triangles(p, out);
    }
}

/// Deforms single positions of a primitive, to the bit as [`deform_primitive`] does.
#[derive(Debug)]
pub struct VertexDeformer<'a> {
    primitive: &'a Primitive,
    influences: Option<&'a Influences>,
    /// From the primitive's first matrix.
    palette: &'a [Vec4],
    /// Targets at work.
    morphs: Vec<(&'a [Vec3], f32)>,
    method: &'a Method,
}

impl<'a> VertexDeformer<'a> {
    /// For primitive number `primitive` of an instance; arguments as of [`deform_primitive`].
    #[must_use]
    pub fn new(
        model: &'a Model,
        (instance, primitive): (InstanceId, usize),
        packed: &'a [Vec4],
        morph_weights: &[f32],
        method: &'a Method,
    ) -> Self {
        let (first, influences) = model.binding(instance, primitive);
        let palette = &packed[first as usize * method.vec4s_per_joint..];
        Self::with(model, (instance, primitive), (palette, influences), morph_weights, method)
    }

    /// For a primitive that is rigid, moved by the one matrix in `packed`; arguments as of [`deform_rigid`].
    #[must_use]
    pub fn rigid(
        model: &'a Model,
        place: (InstanceId, usize),
        packed: &'a [Vec4],
        morph_weights: &[f32],
        method: &'a Method,
    ) -> Self {
        Self::with(model, place, (packed, None), morph_weights, method)
    }

    fn with(
        model: &'a Model,
        (instance, primitive): (InstanceId, usize),
        (palette, influences): (&'a [Vec4], Option<&'a Influences>),
        morph_weights: &[f32],
        method: &'a Method,
    ) -> Self {
        let source = &model.instances[instance.index()];
        let primitive = &model.meshes[source.mesh.index()].primitives[primitive];
        let weights = &morph_weights[source.morph_offset..][..source.morph_weights.len()];
        let targets = primitive.morphs.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
        let morphs = targets.map(|(target, weight)| (target.positions.as_slice(), *weight)).collect();
        Self { primitive, influences, palette, morphs, method }
    }

    /// Where vertex number `vertex` is.
    #[must_use]
    pub fn position(&self, vertex: usize) -> Vec3 {
        let mut position = self.primitive.positions[vertex];
        for (by, weight) in &self.morphs {
            if let Some(by) = by.get(vertex) {
                position += *by * *weight;
            }
        }
        let (joints, weights) = self.influences.map_or((RIGID.0, RIGID.1), |list| list.of(vertex));
        (self.method.deform)(self.palette, joints, weights, Vertex { position, ..Vertex::default() }).vertex.position
    }
}

/// A skin of one joint.
const RIGID: (&[u16], &[f32]) = (&[0], &[1.0]);

/// The positions that the file stores plus the weighted displacements, in mesh space; zero weights cost nothing.
pub fn morphed(p: &Primitive, weights: &[f32], out: &mut Vec<Vec3>) {
    out.clone_from(&p.positions);
    for (target, weight) in p.morphs.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
        displace(out, &target.positions, *weight);
    }
}

/// What the file stores plus the weighted displacements.
fn morph(p: &Primitive, weights: &[f32], out: &mut Deformed) {
    morphed(p, weights, &mut out.positions);
    out.normals.clone_from(&p.normals);
    out.tangents.clone_from(&p.tangents);
    for (target, weight) in p.morphs.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
        displace(&mut out.normals, &target.normals, *weight);
        for (tangent, by) in out.tangents.iter_mut().zip(&target.tangents) {
            *tangent += (*by * *weight).extend(0.0);
        }
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

/// The box around the deformed vertices of what is drawn, for framing: raw bounds say nothing about a skinned model. Empty
/// where there are no vertices. `palettes` are those of [`super::palettes`].
#[must_use]
pub fn bounds(
    model: &Model,
    draws: &[InstanceId],
    palettes: &[Affine3A],
    morph_weights: &[f32],
    method: &Method,
) -> Aabb {
    let mut packed = Vec::new();
    super::pack(method, palettes, &mut packed);
    let mut deformed = Deformed::default();
    let mut out = Aabb::EMPTY;
    for id in draws {
        let instance = &model.instances[id.index()];
        for primitive in 0..model.meshes[instance.mesh.index()].primitives.len() {
            if instance.copies.is_empty() {
                deform_primitive(model, *id, primitive, &packed, morph_weights, method, &mut deformed);
                out = out.union(Aabb::from_points(deformed.positions.iter().copied()));
                continue;
            }
            // Every method moves what one joint moves by that joint's matrix.
            deform_rigid(model, *id, primitive, &Affine3A::IDENTITY, morph_weights, method, &mut deformed);
            let (first, _) = model.binding(*id, primitive);
            for matrix in &palettes[first as usize..][..instance.copies.len()] {
                out = out.union(Aabb::from_points(deformed.positions.iter().map(|p| matrix.transform_point3(*p))));
            }
        }
    }
    out
}
