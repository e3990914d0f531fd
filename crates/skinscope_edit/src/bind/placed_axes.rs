//! The axes of joints that are placed by hand: those of the scene, or along the bones.

use glam::{DAffine3, DMat3, DQuat, DVec3};
use skinscope_base::math::Transform;
use skinscope_model::NewNode;

use super::placed_joint::PlacedJoint;

/// Which way the axes of placed joints point at rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlacedAxes {
    /// Y points along the bone to the first child, and Z as nearly to +Z of the scene as it can. A joint at the end of a chain has the axes of its
    /// parent.
    #[default]
    Bone,
    /// They are those of the scene.
    World,
}

/// All axes that joints can have, each with the word for it, its label and what it means.
pub const PLACED_AXES: [(PlacedAxes, &str, &str, &str); 2] = [
    (PlacedAxes::Bone, "bone", "Along bones", "Y points along the bone to the first child, as in Blender"),
    (PlacedAxes::World, "world", "Of the scene", "The axes are those of the scene, and no joint is rotated at rest"),
];

/// Joints that are nearer to each other than this, metres, have no bone between them.
const SAME_PLACE: f64 = 1e-9;
/// A bone is along +Z of the scene where the cosine of the angle between them is larger than this.
const ALONG: f64 = 0.99;

/// Makes the nodes of joints in this order, parents first, with the matrices that bring their spaces into the scene at rest.
pub(super) fn new_nodes(joints: &[PlacedJoint], order: &[usize], axes: PlacedAxes) -> (Vec<NewNode>, Vec<DAffine3>) {
    let mut place = vec![0; joints.len()];
    order.iter().enumerate().for_each(|(at, index)| place[*index] = at);
    let (mut nodes, mut worlds) = (Vec::with_capacity(order.len()), Vec::<DAffine3>::with_capacity(order.len()));
    let mut turns: Vec<DQuat> = Vec::with_capacity(order.len());
    for index in order {
        let PlacedJoint { name, position, parent } = &joints[*index];
        let parent = parent.map(|parent| place[parent]);
        let above = parent.map_or(DAffine3::IDENTITY, |parent| worlds[parent]);
        let turn = match axes {
            PlacedAxes::World => DQuat::IDENTITY,
            PlacedAxes::Bone => {
                along_bone(joints, *index).unwrap_or_else(|| parent.map_or(DQuat::IDENTITY, |parent| turns[parent]))
            }
        };
        turns.push(turn);
        // Relative to what the parent is once it is rounded, so that long chains end where they were placed.
        let (_, above_turn, _) = above.to_scale_rotation_translation();
        let rotation = match axes {
            PlacedAxes::World => DQuat::IDENTITY,
            PlacedAxes::Bone => (above_turn.inverse() * turn).normalize(),
        };
        let translation = above.inverse().transform_point3(position.as_dvec3());
        let rest =
            Transform { translation: translation.as_vec3(), rotation: rotation.as_quat(), ..Transform::IDENTITY };
        let rounded = rest.rotation.as_dquat().normalize();
        worlds.push(above * DAffine3::from_rotation_translation(rounded, rest.translation.as_dvec3()));
        nodes.push(NewNode { name: name.clone(), parent, below: None, rest });
    }
    (nodes, worlds)
}

/// Returns the axes of a joint whose Y points at its first child that stands elsewhere; `None` where it has none.
fn along_bone(joints: &[PlacedJoint], index: usize) -> Option<DQuat> {
    let head = joints[index].position.as_dvec3();
    let children = joints.iter().filter(|joint| joint.parent == Some(index));
    let mut bones = children.map(|child| child.position.as_dvec3() - head);
    let along = bones.find(|bone| bone.length() > SAME_PLACE)?.normalize();
    // A leg that is lifted until it points ahead has its Z up.
    let ahead = if along.z.abs() > ALONG { DVec3::Y * along.z.signum() } else { DVec3::Z };
    let z = (ahead - along * ahead.dot(along)).normalize();
    let turn = DQuat::from_mat3(&DMat3::from_cols(along.cross(z), along, z));
    turn.is_finite().then_some(turn)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    fn joint(name: &str, position: [f32; 3], parent: Option<usize>) -> PlacedJoint {
        PlacedJoint { name: name.to_owned(), position: Vec3::from(position), parent }
    }

    /// A body with two arms that slope down, a leg that points down, and a foot that points ahead.
    fn body() -> Vec<PlacedJoint> {
        vec![
            joint("Hips", [0.0, 1.0, 0.02], None),
            joint("Chest", [0.0, 1.4, -0.01], Some(0)),
            joint("Arm.L", [0.2, 1.5, 0.0], Some(1)),
            joint("Hand.L", [0.6, 1.1, 0.1], Some(2)),
            joint("Arm.R", [-0.2, 1.5, 0.0], Some(1)),
            joint("Hand.R", [-0.6, 1.1, 0.1], Some(4)),
            joint("Leg", [0.1, 0.9, 0.0], Some(0)),
            joint("Foot", [0.1, 0.1, 0.0], Some(6)),
            joint("Toes", [0.1, 0.1, 0.2], Some(7)),
            joint("Twin", [0.1, 0.1, 0.2], Some(8)),
        ]
    }

    #[test]
    fn y_points_at_the_first_child_and_a_leaf_has_the_axes_of_its_parent() {
        let joints = body();
        let order: Vec<usize> = (0..joints.len()).collect();
        let (nodes, worlds) = new_nodes(&joints, &order, PlacedAxes::Bone);
        let at = |index: usize| joints[index].position.as_dvec3();
        for (joint, child) in [(0, 1), (1, 2), (2, 3), (4, 5), (6, 7), (7, 8)] {
            let along = (at(child) - at(joint)).normalize();
            let y = worlds[joint].matrix3.y_axis;
            assert!(y.dot(along) > 1.0 - 1e-9, "{}: {y}", joints[joint].name);
        }
        for (leaf, parent) in [(3, 2), (8, 7), (9, 8)] {
            assert!(worlds[leaf].matrix3.abs_diff_eq(worlds[parent].matrix3, 1e-6), "{}", joints[leaf].name);
        }
        for (world, joint) in worlds.iter().zip(&joints) {
            let far = world.translation.distance(joint.position.as_dvec3());
            assert!(far < 1e-6 && (world.matrix3.determinant() - 1.0).abs() < 1e-6, "{}: {far}", joint.name);
        }
        // Both sides are mirror images, but for X, which is turned round.
        let [left, right] = [2, 4].map(|index: usize| worlds[index].matrix3);
        let mirrored = |v: DVec3| DVec3 { x: -v.x, ..v };
        assert!(mirrored(left.y_axis).abs_diff_eq(right.y_axis, 1e-6));
        assert!(mirrored(left.z_axis).abs_diff_eq(right.z_axis, 1e-6));
        assert!(worlds[6].matrix3.z_axis.z > 0.99 && worlds[7].matrix3.z_axis.y > 0.99);
        assert_eq!(nodes[3].parent, Some(2));
        let (nodes, worlds) = new_nodes(&joints, &order, PlacedAxes::World);
        assert!(nodes.iter().all(|node| node.rest.rotation == Transform::IDENTITY.rotation));
        assert!(worlds.iter().all(|world| world.matrix3 == DMat3::IDENTITY));
    }

    #[test]
    fn a_joint_alone_has_the_axes_of_the_scene() {
        let joints = [joint("alone", [0.3, 2.0, -1.0], None)];
        let (nodes, worlds) = new_nodes(&joints, &[0], PlacedAxes::Bone);
        assert_eq!(nodes[0].rest.rotation, Transform::IDENTITY.rotation);
        assert!(worlds[0].translation.distance(joints[0].position.as_dvec3()) < 1e-9);
    }
}
