//! Joints that were placed by hand in a mesh without a skin: checked, made nodes, and bound.

use std::collections::{BTreeSet, HashMap};

use glam::DAffine3;
use skinscope_base::math::Aabb;
use skinscope_base::parallel::JobContext;
use skinscope_bind::{BindProblem, BindSettings, Joint};
use skinscope_model::{Model, NodeId, SkinId};

use super::bare::{BareBinding, Placed, bare_instances, reports};
use super::placed_axes::{PlacedAxes, new_nodes};
use super::placed_joint::PlacedJoint;
use super::report::BoundSkin;
use crate::{MeshBinding, Refusal};

/// Makes the refusal of a skeleton.
fn refused<T>(why: String) -> Result<T, Refusal> {
    Err(Refusal::NoSkeleton(why))
}

/// Returns the indices of joints parents first, depth first, as nodes are stored.
///
/// # Errors
/// The joints do not make one tree, or a name or a place cannot be used; the message says which.
pub(super) fn check_placed(joints: &[PlacedJoint]) -> Result<Vec<usize>, Refusal> {
    let (roots, children) = roots_and_children(joints)?;
    match roots.as_slice() {
        [] if joints.is_empty() => refused("no joint was placed".to_owned()),
        // Whatever hangs on nothing hangs in a circle.
        [] => refused("every joint has a parent, so that none is the root".to_owned()),
        [_] => in_order(joints, &roots, &children),
        [first, second, ..] => {
            let [a, b] = [first, second].map(|index| joints[*index].name.as_str());
            refused(format!("“{a}” and “{b}” have no parent, and one joint has to be above all others"))
        }
    }
}

/// Checks joints that make a skeleton only once more is done to them: there may be several trees, or none.
///
/// # Errors
/// A name, a place or a parent cannot be used; the message says which.
pub(super) fn check_listed(joints: &[PlacedJoint]) -> Result<(), Refusal> {
    let (roots, children) = roots_and_children(joints)?;
    in_order(joints, &roots, &children).map(drop)
}

/// Returns the joints without a parent, and the children of each joint.
fn roots_and_children(joints: &[PlacedJoint]) -> Result<(Vec<usize>, Vec<Vec<usize>>), Refusal> {
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); joints.len()];
    let mut roots: Vec<usize> = Vec::new();
    for (index, joint) in joints.iter().enumerate() {
        let name = joint.name.as_str();
        if name.trim().is_empty() {
            return refused(format!("joint {index} has no name"));
        }
        if known.insert(name, index).is_some() {
            return refused(format!("two joints have the name “{name}”"));
        }
        if !Aabb::is_near(joint.position) {
            return refused(format!("joint “{name}” stands at no place"));
        }
        match joint.parent {
            None => roots.push(index),
            Some(parent) if parent < joints.len() => children[parent].push(index),
            Some(_) => return refused(format!("the parent of joint “{name}” is not there")),
        }
    }
    Ok((roots, children))
}

/// Returns the indices of the joints at and below some roots, parents first, depth first.
fn in_order(joints: &[PlacedJoint], roots: &[usize], children: &[Vec<usize>]) -> Result<Vec<usize>, Refusal> {
    let mut order: Vec<usize> = Vec::with_capacity(joints.len());
    let mut open: Vec<usize> = roots.iter().rev().copied().collect();
    while let Some(index) = open.pop() {
        order.push(index);
        open.extend(children[index].iter().rev());
    }
    if order.len() < joints.len() {
        let reached: BTreeSet<usize> = order.iter().copied().collect();
        let lost = (0..joints.len()).find(|index| !reached.contains(index)).unwrap_or_default();
        return refused(format!("joint “{}” hangs on itself, by way of its parents", joints[lost].name));
    }
    Ok(order)
}

/// Finds the weights of meshes that have no skin for joints that were placed by hand: these become nodes with such axes, and the meshes gain a
/// skin. Everything stays where it is at rest. `meshes` are numbers of the file; `None`: all that have no skin.
///
/// # Errors
/// The joints do not make one tree, no mesh is without a skin, a mesh is shown by several nodes, or no weights can be found.
pub fn bind_placed(
    model: &Model,
    (joints, axes): (&[PlacedJoint], PlacedAxes),
    meshes: Option<&BTreeSet<u32>>,
    settings: &BindSettings,
    context: &JobContext,
) -> Result<BareBinding, Refusal> {
    let order = check_placed(joints)?;
    let instances = bare_instances(model, meshes)?;
    let worlds: Vec<DAffine3> = model.skeleton.worlds(&model.skeleton.rest);
    let surface = Placed::of(model, &instances, &worlds);
    let (nodes, rest) = new_nodes(joints, &order, axes);
    let first = model.skeleton.len();
    let ids: Vec<NodeId> = (first..first + nodes.len()).map(NodeId::from_index).collect();
    let heads = nodes.iter().zip(&order).zip(&rest).map(|((node, index), rest)| Joint {
        name: node.name.clone(),
        parent: node.parent,
        head: joints[*index].position.as_dvec3(),
        axes: rest.matrix3,
        may_bind: true,
    });
    let problem = BindProblem { joints: heads.collect(), points: surface.points, triangles: surface.triangles };
    let bound = skinscope_bind::bind(&problem, settings, context)?;
    let number = SkinId::from_index(model.skins.len());
    let report = BoundSkin::of(number, &surface.stored, (&ids, &problem.joints), &bound);
    let row = |place: &u32| bound.rows[*place as usize].clone();
    let parts = surface.parts.iter().map(|(id, places)| (*id, places.iter().map(row).collect())).collect();
    let (most, root) = (settings.most, ids.first().copied());
    let binding = MeshBinding { instances, nodes, joints: ids, root, most, parts, ..MeshBinding::default() };
    let change = binding.change(model)?;
    let bound = reports(model, &change, &surface.parts, (report, &bound));
    Ok(BareBinding { change, bound })
}
