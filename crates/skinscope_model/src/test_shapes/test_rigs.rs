//! Skeletons of named joints at given places, for tests of what goes by names.

use glam::{Affine3A, Quat, Vec3};
use skinscope_base::math::Transform;

use crate::{
    Influences, Instance, LocalPose, Mesh, MeshId, Model, ModelParts, NodeId, Primitive, Scene, Skeleton, Skin, SkinId,
    SourceInfo, Topology, WeightFormat,
};

/// A joint of [`rigged`].
#[derive(Clone, Debug)]
pub struct Joint {
    /// The name of the node.
    pub name: String,
    /// The index of its parent.
    pub parent: Option<usize>,
    /// Where it rests in the world, metres.
    pub place: Vec3,
    /// How it is turned at rest, in the world.
    pub turned: Quat,
}

/// Makes a skeleton of joints, which may be in any order in which parents come first, with one small triangle on each.
///
/// # Panics
/// A parent comes after its child.
#[must_use]
pub fn rigged(joints: &[Joint]) -> Model {
    let order = order_of(&joints.iter().map(|joint| joint.parent).collect::<Vec<_>>());
    let joints: Vec<Joint> =
        order.iter().map(|(old, parent)| Joint { parent: *parent, ..joints[*old].clone() }).collect();
    let local = |joint: &Joint| {
        let above = joint.parent.map(|parent| &joints[parent]);
        let (place, turned) = above.map_or((Vec3::ZERO, Quat::IDENTITY), |above| (above.place, above.turned));
        let rotation = (turned.inverse() * joint.turned).normalize();
        Transform { translation: turned.inverse() * (joint.place - place), rotation, ..Transform::IDENTITY }
    };
    let count = joints.len();
    let skeleton = Skeleton {
        parents: joints.iter().map(|joint| joint.parent.map(NodeId::from_index)).collect(),
        names: joints.iter().map(|joint| joint.name.clone()).collect(),
        file_index: (0..count as u32).collect(),
        rest: LocalPose { transforms: joints.iter().map(local).collect(), ..LocalPose::default() },
        ..Skeleton::default()
    };
    let inverse = |joint: &Joint| Affine3A::from_rotation_translation(joint.turned, joint.place).inverse();
    let skin = Skin {
        joints: (0..count).map(NodeId::from_index).collect(),
        inverse_bind: joints.iter().map(inverse).collect(),
        ..Skin::default()
    };
    let corners = [Vec3::ZERO, Vec3::X * 0.02, Vec3::Y * 0.02];
    let primitive = Primitive {
        positions: joints.iter().flat_map(|joint| corners.map(|corner| joint.place + corner)).collect(),
        indices: (0..3 * count as u32).collect(),
        topology: Topology::Triangles,
        stored_vertices: 3 * count,
        ..Primitive::default()
    };
    let influences = Influences {
        per_vertex: 4,
        joints: (0..count as u16).flat_map(|joint| [joint; 12]).collect(),
        weights: [1.0, 0.0, 0.0, 0.0].repeat(3 * count),
        format: WeightFormat::F32,
        ..Influences::default()
    };
    let parts = ModelParts {
        source: SourceInfo { name: "rig".into(), version: "2.0".into(), ..SourceInfo::default() },
        scenes: vec![Scene { name: String::new(), roots: vec![NodeId(0)], contains: vec![true; count] }],
        skins: vec![skin],
        meshes: vec![Mesh {
            name: "body".into(),
            primitives: vec![Primitive { stored_influences: Some(influences), ..primitive }],
            ..Mesh::default()
        }],
        instances: vec![Instance { node: NodeId(0), mesh: MeshId(0), skin: Some(SkinId(0)), ..Instance::default() }],
        skeleton,
        ..ModelParts::default()
    };
    super::build(parts)
}

/// Returns the order depth first: for each place the old index, and the new index of its parent.
fn order_of(parents: &[Option<usize>]) -> Vec<(usize, Option<usize>)> {
    fn add(node: usize, above: Option<usize>, parents: &[Option<usize>], out: &mut Vec<(usize, Option<usize>)>) {
        let own = out.len();
        out.push((node, above));
        for child in (0..parents.len()).filter(|child| parents[*child] == Some(node)) {
            add(child, Some(own), parents, out);
        }
    }
    let mut out = Vec::new();
    for root in (0..parents.len()).filter(|node| parents[*node].is_none()) {
        add(root, None, parents, &mut out);
    }
    out
}
