//! The normal and the tangent of one deformed vertex, as the picture has them.

use glam::{Vec3, Vec4};
use skinscope_base::math::cofactor;
use skinscope_deform::{self as deform, MethodInput, Vertex};

use super::{PosedModel, VertexRef};

/// The directions of a deformed vertex, model space: of unit length, or zero where there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VertexDirections {
    /// The normal.
    pub normal: Vec3,
    /// The tangent with its handedness; `None` where the primitive has none.
    pub tangent: Option<Vec4>,
}

impl VertexDirections {
    /// Returns the directions of `vertex` in copy number `copy` (0 where its instance has none); `None` where the model has no such vertex, or its normal is
    /// that of the triangles around it and these are not at hand.
    #[must_use]
    pub fn of(posed: &PosedModel, vertex: VertexRef, copy: usize) -> Option<Self> {
        let PosedModel { model, palettes, method, .. } = *posed;
        let instance = model.instances.get(vertex.instance.index())?;
        let primitive = model.meshes[instance.mesh.index()].primitives.get(vertex.primitive)?;
        if let Some(surface) = posed.whole(&[vertex.instance]) {
            let part = surface.part(vertex.instance, vertex.primitive)?;
            let normal = *part.deformed.normals.get(vertex.vertex)?;
            // What is drawn by the triangles because nothing is left of the blended normal is shown as lost.
            let normal = if part.deformed.is_normal_lost(vertex.vertex) { Vec3::ZERO } else { normal };
            let tangent = part.deformed.tangents.get(vertex.vertex).copied();
            let Some(by) = part.copies.get(copy) else { return Some(Self { normal, tangent }) };
            let side = if by.matrix3.determinant() < 0.0 { -1.0 } else { 1.0 };
            let turned = |t: Vec4| {
                let along = by.transform_vector3(t.truncate()).normalize_or_zero();
                along.extend(t.w * side)
            };
            let normal = (cofactor(by.matrix3) * normal * side).normalize_or_zero();
            return Some(Self { normal, tangent: tangent.map(turned) });
        }
        let weights = &posed.morph_weights[instance.morph_offset..][..instance.morph_weights.len()];
        let targets = || primitive.morphs.iter().zip(weights);
        let normal = *primitive.normals.get(vertex.vertex)?;
        let normal =
            targets().filter_map(|(t, w)| Some(*t.normals.get(vertex.vertex)? * *w)).fold(normal, |a, b| a + b);
        let stored = primitive.tangents.get(vertex.vertex).copied();
        let tangent = stored.unwrap_or(Vec4::ZERO).truncate();
        let tangent =
            targets().filter_map(|(t, w)| Some(*t.tangents.get(vertex.vertex)? * *w)).fold(tangent, |a, b| a + b);
        let (first, influences) = model.binding(vertex.instance, vertex.primitive);
        let skin = instance.skin.filter(|_| influences.is_some());
        let count = skin.map_or(1, |skin| model.skins[skin.index()].joints.len());
        let first = first as usize + if skin.is_none() && copy < instance.copies.len() { copy } else { 0 };
        let mut packed = Vec::new();
        deform::pack(&method, palettes.get(first..first + count)?, &mut packed);
        let pairs = influences.map_or((&[0_u16][..], &[1.0_f32][..]), |i| i.of(vertex.vertex));
        let input = MethodInput { values: method.values, ..MethodInput::of(method.method) };
        let from = Vertex { position: *primitive.positions.get(vertex.vertex)?, normal, tangent };
        let out = method.deform_with(&input, &packed, pairs, from);
        let side = if out.determinant < 0.0 { -1.0 } else { 1.0 };
        Some(Self { normal: out.vertex.normal, tangent: stored.map(|t| out.vertex.tangent.extend(t.w * side)) })
    }

    /// Returns the angle between tangent and normal, degrees; `None` where one of them has no direction.
    #[must_use]
    pub fn angle(&self) -> Option<f32> {
        let tangent = self.tangent?.truncate();
        let known = tangent != Vec3::ZERO && self.normal != Vec3::ZERO;
        known.then(|| self.normal.cross(tangent).length().atan2(self.normal.dot(tangent)).to_degrees())
    }
}
