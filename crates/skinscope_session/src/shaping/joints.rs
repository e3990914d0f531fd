//! Which joints bring in which shapes.

use std::collections::BTreeSet;

use glam::{Quat, Vec3};
use skinscope_model::{LocalPose, MeshId, Model, NodeId, PrimitiveId};
use skinscope_solve::{DrivenShapes, Driver, DriverError, ShapeDriver, shown_by};

use super::change::kept_of;
use super::{Shape, ShapeError};

/// A joint that turns by less than this in a pose, radians, drives no shape of it unless it is named.
const TURNED: f32 = 0.0175;
/// A joint of no more than this share of the weight of a dragged vertex drives no shape of it.
const MOVES: f32 = 0.03;

/// Joints that bring in some shapes together.
struct Group {
    joints: BTreeSet<NodeId>,
    /// By their numbers.
    shapes: Vec<usize>,
}

/// Makes what brings in some shapes: the joints that are named, together; without them, those of each shape, so that what has nothing to do with
/// each other, such as both elbows, is there at the same time. In the poses of shapes that the meshes have already, there is none of the new ones.
///
/// # Errors
/// A shape would never show, or nothing tells two of them apart.
pub fn drivers(model: &Model, shapes: &[Shape], named: Option<Vec<NodeId>>) -> Result<Vec<ShapeDriver>, ShapeError> {
    let groups = match named {
        Some(joints) => vec![Group { joints: joints.into_iter().collect(), shapes: (0..shapes.len()).collect() }],
        None => groups(model, shapes),
    };
    let kept = kept_of(model)?;
    let made = |Group { joints, shapes: own }: Group| -> Result<ShapeDriver, ShapeError> {
        let of_group: Vec<&Shape> = own.iter().map(|at| &shapes[*at]).collect();
        let driver = driver(model, joints.into_iter().collect(), &of_group)?;
        let driver = apart_from((model, &kept), driver, &of_group);
        Ok(ShapeDriver { driver, shapes: own })
    };
    groups.into_iter().map(made).collect()
}

/// Lets there be none of some shapes in the poses of those that their meshes have already.
pub(super) fn apart_from((model, kept): (&Model, &[DrivenShapes]), driver: Driver, shapes: &[&Shape]) -> Driver {
    let moved = shapes.iter().flat_map(|shape| &shape.parts).filter(|part| part.back.moved() > 0);
    let meshes: BTreeSet<MeshId> = moved.map(|part| model.file_mesh(part.at.mesh)).collect();
    let is_of = |of: &&DrivenShapes| meshes.contains(&model.file_mesh(model.instances[of.instance.index()].mesh));
    let own = &driver;
    let seen = move |of: &DrivenShapes| -> Vec<Vec<Quat>> {
        let examples = of.driver.rotations().1.iter();
        examples.filter_map(|example| own.rotations_in(&of.driver, example)).collect()
    };
    let others: Vec<Vec<Quat>> = kept.iter().filter(is_of).flat_map(seen).collect();
    driver.without(others)
}

/// Lets shapes that a model has be as much there in a pose as their drivers say.
pub fn bring_in(model: &Model, kept: &[DrivenShapes], pose: &mut LocalPose) {
    let mut weights = Vec::new();
    for shapes in kept {
        shapes.driver.weights(pose, &mut weights);
        let first = model.instances[shapes.instance.index()].morph_offset;
        for ((target, _), weight) in shapes.targets.iter().zip(&weights) {
            pose.morph_weights[first + target] = *weight as f32;
        }
    }
}

/// Returns whether two poses turn a joint differently.
fn is_turned(a: &LocalPose, b: &LocalPose, joint: NodeId) -> bool {
    let rotation = |pose: &LocalPose| pose.transforms[joint.index()].rotation;
    let (a, b) = (rotation(a), rotation(b));
    let chord = |b: Quat| (a - b).length();
    // Both quaternions of a rotation are one.
    4.0 * (0.5 * chord(b).min(chord(-b))).min(1.0).asin() > TURNED
}

/// Returns whether two poses have the same rotations.
pub(super) fn are_alike(a: &LocalPose, b: &LocalPose) -> bool {
    (0..a.transforms.len()).all(|node| !is_turned(a, b, NodeId::from_index(node)))
}

/// Returns the joint that turns a node: a link is turned by its joint.
fn joint_of(model: &Model, node: NodeId) -> NodeId {
    model.links.iter().find(|link| link.node == node).map_or(node, |link| link.of)
}

/// Returns the joints that drive a shape of dragged vertices of the file: those that move one of them by more than 3 % of its weight and that the
/// pose turns. Where it turns none of these, the nearest joints above them that it turns.
pub(crate) fn joints_of_dragged(model: &Model, pose: &LocalPose, dragged: &[(PrimitiveId, usize)]) -> BTreeSet<NodeId> {
    let mut own = BTreeSet::new();
    for (at, vertex) in dragged {
        let skin = shown_by(model, *at).and_then(|instance| model.instances[instance.index()].skin);
        let influences = model.influences(at.mesh, at.primitive).filter(|all| *vertex < all.vertices());
        let Some((skin, influences)) = skin.map(|skin| &model.skins[skin.index()]).zip(influences) else { continue };
        let (joints, weights) = influences.of(*vertex);
        let least = MOVES * weights.iter().sum::<f32>();
        let pairs = joints.iter().zip(weights).filter(|(_, weight)| **weight > least);
        own.extend(
            pairs.filter_map(|(joint, _)| skin.joints.get(usize::from(*joint)).map(|node| joint_of(model, *node))),
        );
    }
    let is_turned = |joint: &NodeId| is_turned(&model.skeleton.rest, pose, *joint);
    let turned: BTreeSet<NodeId> = own.iter().copied().filter(is_turned).collect();
    if !turned.is_empty() {
        return turned;
    }
    let parents = &model.skeleton.parents;
    let above =
        |joint: &NodeId| std::iter::successors(parents[joint.index()], |above| parents[above.index()]).find(is_turned);
    own.iter().filter_map(above).collect()
}

/// Returns the joints that drive a shape: those that the moved vertices follow and that the pose turns, else all joints that the pose turns. Of a
/// drag those of the dragged vertices count.
fn driving_joints(model: &Model, shape: &Shape) -> BTreeSet<NodeId> {
    if !shape.dragged.is_empty() {
        return joints_of_dragged(model, &shape.pose, &shape.dragged);
    }
    let (mut followed, mut all) = (BTreeSet::new(), BTreeSet::new());
    let joint_of = |node: NodeId| joint_of(model, node);
    for part in &shape.parts {
        let skin = model.instances[part.instance.index()].skin.map(|skin| &model.skins[skin.index()]);
        let influences = model.influences(part.at.mesh, part.at.primitive);
        let Some((skin, influences)) = skin.zip(influences) else { continue };
        all.extend(skin.joints.iter().copied().map(joint_of));
        for (vertex, _) in part.back.offsets.iter().enumerate().filter(|(_, offset)| **offset != Vec3::ZERO) {
            let (joints, weights) = influences.of(vertex);
            let pairs = joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
            followed.extend(pairs.filter_map(|(joint, _)| skin.joints.get(usize::from(*joint)).copied().map(joint_of)));
        }
    }
    let is_turned = |joint: &NodeId| is_turned(&model.skeleton.rest, &shape.pose, *joint);
    followed.retain(is_turned);
    all.retain(is_turned);
    if followed.is_empty() { all } else { followed }
}

/// Brings shapes together of which one's pose turns a joint that drives the other.
fn groups(model: &Model, shapes: &[Shape]) -> Vec<Group> {
    let rest = &model.skeleton.rest;
    let turns = |group: &Group, joints: &BTreeSet<NodeId>| {
        let mut poses = group.shapes.iter().map(|at| &shapes[*at].pose);
        poses.any(|pose| joints.iter().any(|joint| is_turned(rest, pose, *joint)))
    };
    let mut out: Vec<Group> = Vec::new();
    for (at, shape) in shapes.iter().enumerate() {
        let mut group = Group { joints: driving_joints(model, shape), shapes: vec![at] };
        // A group that has grown may meet another one.
        while let Some(other) = out.iter().position(|other| turns(&group, &other.joints) || turns(other, &group.joints))
        {
            let other = out.remove(other);
            group.joints.extend(other.joints);
            group.shapes.extend(other.shapes);
        }
        group.shapes.sort_unstable();
        out.push(group);
    }
    out
}

/// Makes the driver of some shapes.
fn driver(model: &Model, joints: Vec<NodeId>, shapes: &[&Shape]) -> Result<Driver, ShapeError> {
    let poses: Vec<&LocalPose> = shapes.iter().map(|shape| &shape.pose).collect();
    let name = |at: usize| shapes.get(at).map_or("", |shape| shape.name.as_str());
    let why = match Driver::of_poses(joints, &model.skeleton.rest, &poses) {
        Ok(driver) => return Ok(driver),
        Err(DriverError::Count) => format!(
            "{}: its pose turns no joint that could bring it in, so that the shape would never show; other joints have to be named",
            name(0)
        ),
        Err(DriverError::Alike(one, None)) => format!(
            "{}: the driving joints are turned as at rest in its pose, so that it would never show; others have to be named",
            name(one)
        ),
        Err(DriverError::Alike(one, Some(other))) => format!(
            "{} and {}: the driving joints are turned alike in both poses, so that nothing tells them apart; others have to be named",
            name(other),
            name(one)
        ),
        Err(error) => error.to_string(),
    };
    Err(ShapeError(why))
}
