//! The joints of a surface as a binder is told of them: where they were bound, in the space of the surface.

use glam::DAffine3;
use skinscope_bind::Joint;
use skinscope_inspect::rig::inverse_bind;
use skinscope_model::{Model, NodeId, SkinId};
use skinscope_weights::RestSurface;

use crate::refusal::skins_of;
use crate::{Refusal, Sheet};

/// The joints of a surface.
pub(super) struct Skeleton {
    /// The skins of the surface.
    pub skins: Vec<SkinId>,
    /// The node of each joint.
    pub nodes: Vec<NodeId>,
    /// The joints.
    pub joints: Vec<Joint>,
}

/// Returns the joints of all skins that move a surface, each once; `None` where no skin does.
///
/// # Errors
/// No matrix says where a joint was bound.
pub(super) fn of_surface(sheet: &Sheet, surface: &RestSurface) -> Result<Option<Skeleton>, Refusal> {
    let model = sheet.model;
    let mut skins: Vec<SkinId> = Vec::new();
    for part in &surface.parts {
        for (_, mesh, skin) in skins_of(model, &sheet.tables[part.table]) {
            if mesh == part.primitive.mesh && !skins.contains(&skin) {
                skins.push(skin);
            }
        }
    }
    let Some(first) = skins.first().copied() else { return Ok(None) };
    let mut placed: Vec<(NodeId, DAffine3)> = Vec::new();
    for skin in skins.iter().copied() {
        let joints = &model.skins[skin.index()].joints;
        let of = |index: usize| {
            let edited = sheet.binds.get(&(skin.index(), index)).copied();
            edited.or_else(|| inverse_bind(&model.skins[skin.index()], index)).map(|bind| bind.inverse())
        };
        let found: Vec<(NodeId, DAffine3)> = joints
            .iter()
            .enumerate()
            .filter_map(|(index, node)| Some((*node, of(index).filter(|matrix| matrix.is_finite())?)))
            .collect();
        // Skins of one surface bind the joints that they share alike, but for one matrix.
        let shared = found.iter().find_map(|(node, here)| {
            let (_, there) = placed.iter().find(|(known, _)| known == node)?;
            Some(*there * here.inverse())
        });
        let to_first = shared.filter(|matrix| matrix.is_finite()).unwrap_or(DAffine3::IDENTITY);
        let new = found.into_iter().filter(|(node, _)| placed.iter().all(|(known, _)| known != node));
        let new: Vec<_> = new.map(|(node, here)| (node, to_first * here)).collect();
        placed.extend(new);
    }
    if placed.is_empty() {
        return Err(Refusal::Unbound(model.skins[first.index()].name.clone()));
    }
    let nodes: Vec<NodeId> = placed.iter().map(|(node, _)| *node).collect();
    let bound: Vec<DAffine3> = placed.iter().map(|(_, matrix)| *matrix).collect();
    let locked = |node: NodeId| sheet.bounds.locked.contains(&node.0);
    Ok(Some(Skeleton { joints: joints(model, &nodes, &bound, &|node| !locked(node)), nodes, skins }))
}

/// Returns joints with the matrices that bring their spaces into that of the surface, each with the nearest one above it.
pub(super) fn joints(
    model: &Model,
    nodes: &[NodeId],
    bound: &[DAffine3],
    may_bind: &dyn Fn(NodeId) -> bool,
) -> Vec<Joint> {
    let parents = &model.skeleton.parents;
    let number = |node: NodeId| nodes.iter().position(|joint| *joint == node);
    let above =
        |node: NodeId| std::iter::successors(parents[node.index()], |node| parents[node.index()]).find_map(number);
    let names = &model.skeleton.names;
    let of = |(node, matrix): (&NodeId, &DAffine3)| Joint {
        name: names.get(node.index()).cloned().unwrap_or_default(),
        parent: above(*node),
        head: matrix.translation,
        axes: matrix.matrix3,
        may_bind: may_bind(*node),
    };
    nodes.iter().zip(bound).map(of).collect()
}
