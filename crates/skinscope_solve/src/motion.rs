//! How a pose moves a primitive: where each joint alone would take each of its vertices.

use std::borrow::Cow;

use glam::{Affine3A, DAffine3, DVec3, Vec3};
use skinscope_anim::{local_to_model, origin_shift};
use skinscope_base::math::Aabb;
use skinscope_deform::morphed;
use skinscope_model::{InstanceId, LocalPose, MeshId, Model, PrimitiveId};
use skinscope_weights::Table;

/// A model in a pose: the matrices of its nodes. All its primitives are moved by the same.
#[derive(Clone, Debug)]
pub struct Posed<'m> {
    model: &'m Model,
    nodes: Vec<Affine3A>,
    morph_weights: Vec<f32>,
    shift: DVec3,
}

impl<'m> Posed<'m> {
    /// Poses a model.
    #[must_use]
    pub fn new(model: &'m Model, pose: &LocalPose) -> Self {
        let (mut nodes, mut pose) = (Vec::new(), pose.clone());
        model.drive_links(&mut pose);
        local_to_model(&model.skeleton, &pose, &mut nodes);
        Self { model, nodes, morph_weights: pose.morph_weights.clone(), shift: origin_shift(&model.skeleton, &pose) }
    }

    /// Returns `model_from_node` of every node.
    pub(crate) fn nodes(&self) -> &[Affine3A] {
        &self.nodes
    }

    /// Returns how the pose moves a primitive of an instance; `None` where no skin moves it.
    #[must_use]
    pub fn motion(&self, instance: InstanceId, primitive: usize) -> Option<Motion<'m>> {
        let model = self.model;
        let source = model.instances.get(instance.index())?;
        let skin = model.skins.get(source.skin?.index())?;
        let mesh = model.meshes[source.mesh.index()].primitives.get(primitive)?;
        let matrix = |(joint, inverse): (&skinscope_model::NodeId, &Affine3A)| {
            double(self.nodes[joint.index()]) * double(*inverse)
        };
        let matrices = skin.joints.iter().zip(&skin.inverse_bind).map(matrix).collect();
        let weights = self.morph_weights.get(source.morph_offset..).unwrap_or_default();
        let weights = &weights[..weights.len().min(source.morph_weights.len())];
        let rest = if weights.iter().all(|weight| *weight == 0.0) {
            Cow::Borrowed(&mesh.positions[..])
        } else {
            let mut out = Vec::new();
            morphed(mesh, weights, &mut out);
            Cow::Owned(out)
        };
        let origin = model.origin_of_instance(instance) + self.shift;
        Some(Motion { matrices, rest, origin })
    }
}

fn double(matrix: Affine3A) -> DAffine3 {
    DAffine3::from_cols_array(&matrix.to_cols_array().map(f64::from))
}

/// How a pose moves a primitive.
#[derive(Clone, Debug)]
pub struct Motion<'m> {
    /// The skinning matrices of the joints of the skin, in its order.
    matrices: Vec<DAffine3>,
    /// The positions in mesh space, morph targets applied.
    rest: Cow<'m, [Vec3]>,
    origin: DVec3,
}

impl Motion<'_> {
    /// Returns how many vertices it has.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.rest.len()
    }

    /// Returns the place in the scene, metres, from which its positions are counted: zero but for models far away.
    #[must_use]
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// Returns where a joint of the skin, by its index there, would take a vertex if it had all of its weight.
    #[must_use]
    pub fn ghost(&self, joint: usize, vertex: usize) -> DVec3 {
        self.matrices[joint].transform_point3(self.rest[vertex].as_dvec3())
    }

    /// Returns where several joints alone would each take a vertex. Linear blending puts it at the sum of these ghosts, each times the weight
    /// of its joint.
    pub fn ghosts(&self, joints: &[usize], vertex: usize) -> impl Iterator<Item = DVec3> {
        joints.iter().map(move |joint| self.ghost(*joint, vertex))
    }

    /// Returns where linear blending puts a vertex by the weights of a row, as they are.
    #[must_use]
    pub fn blended(&self, table: &Table, vertex: usize) -> DVec3 {
        let term = |slot: usize| {
            let (joint, weight) = (usize::from(table.shown_joint(slot)), table.weights[slot]);
            if weight == 0.0 || joint >= self.matrices.len() { DVec3::ZERO } else { self.ghost(joint, vertex) * weight }
        };
        table.slots(vertex).map(term).sum()
    }
}

/// Returns the first instance of a scene, in depth-first order of its nodes, that draws a primitive with a skin; without a scene that
/// draws it, the first of the file.
#[must_use]
pub fn shown_by(model: &Model, at: PrimitiveId) -> Option<InstanceId> {
    let draws = |mesh: MeshId, skin: Option<skinscope_model::SkinId>| mesh == at.mesh && skin.is_some();
    let mut shown = model.instances_in_scene(model.default_scene);
    let first = shown.find(|(_, instance)| draws(instance.mesh, instance.skin)).map(|(id, _)| id);
    let all = || model.instances.iter().position(|instance| draws(instance.mesh, instance.skin));
    first.or_else(|| all().map(InstanceId::from_index))
}

/// Returns the diagonal of the bounds of some points, metres.
pub(crate) fn diagonal(points: impl Iterator<Item = DVec3>) -> f64 {
    let bounds = Aabb::from_points(points.map(|point| point.as_vec3()));
    let size = (bounds.max - bounds.min).as_dvec3().length();
    if size.is_finite() && size > 0.0 { size } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use skinscope_anim::pose::rotate;
    use skinscope_deform::{METHODS, Surface, SurfaceInput, palettes};
    use skinscope_model::NodeId;
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::tests::table_of;

    #[test]
    fn linear_blending_is_the_sum_of_ghosts_by_their_weights() {
        let model = tube(Tube { joints: 3, influences: 3, ..Tube::default() });
        let mut pose = model.skeleton.rest.clone();
        rotate(&mut pose, NodeId(2), Vec3::new(40.0, 10.0, -20.0));
        let posed = Posed::new(&model, &pose);
        let at = PrimitiveId::new(MeshId::from_index(0), 0);
        let instance = shown_by(&model, at).unwrap();
        let motion = posed.motion(instance, 0).unwrap();
        let mut matrices = Vec::new();
        palettes(&model, &posed.nodes, &mut matrices);
        let surface = Surface::of(&SurfaceInput {
            model: &model,
            draws: &[instance],
            palettes: &matrices,
            morph_weights: &pose.morph_weights,
            method: METHODS[0].into(),
        });
        let drawn = &surface.part(instance, 0).unwrap().deformed.positions;
        let table = table_of(&model);
        assert!(motion.vertices() == drawn.len() && motion.origin() == DVec3::ZERO);
        for (vertex, at) in drawn.iter().enumerate() {
            assert!(motion.blended(&table, vertex).distance(at.as_dvec3()) < 1e-5);
            let ghosts: Vec<DVec3> = motion.ghosts(&[0, 1, 2], vertex).collect();
            for (joint, ghost) in ghosts.iter().enumerate() {
                let point = model.meshes[0].primitives[0].positions[vertex];
                assert!(ghost.distance(matrices[joint].transform_point3(point).as_dvec3()) < 1e-5);
            }
        }
    }
}
