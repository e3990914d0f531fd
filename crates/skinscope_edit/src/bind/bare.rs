//! Binds meshes that have no skin: their weights are found where they stand at rest, and they gain a skin.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DAffine3, DVec3, Vec3};
use skinscope_base::math::{Weld, WeldRule};
use skinscope_base::parallel::JobContext;
use skinscope_bind::{BindProblem, BindSettings, Bound, Joint};
use skinscope_inspect::VertexSet;
use skinscope_model::{BindingChange, InstanceId, MeshId, Model, NewSkin, NodeId, PrimitiveId, SkinId};

use super::{BoundSkin, bones};
use crate::refusal::{mesh_name, name};
use crate::{MeshBinding, Refusal};

/// What a model would gain, and what is reported of it.
#[derive(Clone, Debug)]
pub struct BareBinding {
    /// The skin, with the weights of all vertices.
    pub change: BindingChange,
    /// The report of each skin.
    pub bound: Vec<BoundSkin>,
}

/// Which of the meshes without a skin are bound, and to which joints.
#[derive(Clone, Copy, Debug, Default)]
pub struct BareScope<'a> {
    /// The numbers of the meshes in the file; `None`: all that have no skin.
    pub meshes: Option<&'a BTreeSet<u32>>,
    /// The vertices whose weights are found; `None`: all. A mesh without one of them gains no skin, and the other vertices of a mesh that has
    /// some follow the root of the joints as a whole, so that they stay as stiff as they are without a skin.
    pub within: Option<&'a VertexSet>,
    /// The nodes of joints that get no weight.
    pub locked: Option<&'a BTreeSet<u32>>,
}

/// Finds the weights of meshes that have no skin, as they stand at rest in the world. The joints are `root` and the nodes below it that
/// show no mesh; where a skin of the model has `root` as a joint, they are its joints, and the meshes gain that skin if it shows them at
/// rest where they are; if not, those of its joints that stand in the tree of `root` are meant. Else meshes at several places gain a skin each.
///
/// # Errors
/// No mesh of the scope is without a skin, a mesh is shown by several nodes, or no weights can be found.
pub fn bind_bare(
    model: &Model,
    root: NodeId,
    scope: BareScope<'_>,
    settings: &BindSettings,
    context: &JobContext,
) -> Result<BareBinding, Refusal> {
    let instances = instances_within(model, &scope)?;
    let (nodes, skin) = joints_below(model, root);
    let skin = skin.filter(|skin| instances.iter().all(|id| model.can_join(*id, *skin)));
    // A skin of its own has joints of one tree.
    let nodes = if skin.is_some() { nodes } else { of_one_tree(model, root, nodes) };
    let worlds = model.skeleton.worlds(&model.skeleton.rest);
    let surface = Placed::of(model, &instances, &worlds);
    let bound: Vec<DAffine3> = nodes.iter().map(|node| worlds[node.index()]).collect();
    let is_free = |node: NodeId| scope.locked.is_none_or(|locked| !locked.contains(&node.0));
    let joints: Vec<Joint> = bones::joints(model, &nodes, &bound, &is_free);
    let problem = BindProblem { joints, points: surface.points, triangles: surface.triangles };
    let mut bound = skinscope_bind::bind(&problem, settings, context)?;
    if let Some(within) = scope.within {
        let first = nodes.iter().position(|node| *node == root && is_free(*node));
        let first = first.or_else(|| nodes.iter().position(|node| is_free(*node))).unwrap_or_default();
        let is_within = places_of(&surface.parts, bound.rows.len(), within);
        for (row, _) in bound.rows.iter_mut().zip(is_within).filter(|(_, is_within)| !is_within) {
            *row = vec![(first as u32, 1.0)];
        }
    }
    let number = skin.unwrap_or(SkinId::from_index(model.skins.len()));
    let report = BoundSkin::of(number, &surface.stored, (&nodes, &problem.joints), &bound);
    let row = |place: &u32| bound.rows[*place as usize].clone();
    let parts = surface.parts.iter().map(|(id, places)| (*id, places.iter().map(row).collect())).collect();
    let (most, root) = (settings.most, common_root(model, &nodes));
    let binding = MeshBinding { instances, joints: nodes, root, most, parts, ..MeshBinding::default() };
    let mut change = binding.change(model)?;
    if let Some(skin) = skin {
        change.skins.clear();
        change.joining = change.instances.drain(..).map(|(id, _)| (id, skin)).collect();
    }
    let bound = reports(model, &change, &surface.parts, (report, &bound));
    Ok(BareBinding { change, bound })
}

/// Returns the report of each skin that meshes gain, where `whole` is that of all of them; `parts` has the place of each of their vertices.
pub(super) fn reports(
    model: &Model,
    change: &BindingChange,
    parts: &[(PrimitiveId, Vec<u32>)],
    (whole, bound): (BoundSkin, &Bound),
) -> Vec<BoundSkin> {
    if change.skins.len() < 2 {
        return vec![whole];
    }
    let of = |(number, skin): (usize, &NewSkin)| {
        let shown = change.instances.iter().filter(|(_, of)| *of == number);
        let meshes: BTreeSet<MeshId> = shown.map(|(id, _)| model.instances[id.index()].mesh).collect();
        let (mut stored, mut used) = (vec![0; bound.rows.len()], BTreeSet::new());
        for place in parts.iter().filter(|(id, _)| meshes.contains(&id.mesh)).flat_map(|(_, places)| places) {
            stored[*place as usize] += 1;
            let row = bound.rows[*place as usize].iter();
            used.extend(row.filter(|(_, share)| *share > 0.0).map(|(joint, _)| *joint));
        }
        let id = SkinId::from_index(model.skins.len() + number);
        let part = whole.part((id, &skin.joints), &stored, &bound.island_of);
        // What was looked at around the joints of all of them is drawn once.
        let shapes = if number == 0 { whole.shapes.clone() } else { Vec::new() };
        BoundSkin { joints_used: used.len(), shapes, ..part }
    };
    change.skins.iter().enumerate().map(of).collect()
}

/// Returns the instances that are bound: of each mesh the one node that shows it.
pub(super) fn bare_instances(model: &Model, meshes: Option<&BTreeSet<u32>>) -> Result<Vec<InstanceId>, Refusal> {
    instances_within(model, &BareScope { meshes, ..BareScope::default() })
}

/// Returns the instances that a scope has.
fn instances_within(model: &Model, scope: &BareScope<'_>) -> Result<Vec<InstanceId>, Refusal> {
    let is_asked = |mesh: MeshId| scope.meshes.is_none_or(|meshes| meshes.contains(&model.file_mesh(mesh).0));
    let mut by_mesh: BTreeMap<MeshId, Vec<InstanceId>> = BTreeMap::new();
    for (index, instance) in model.instances.iter().enumerate().filter(|(_, i)| is_asked(i.mesh)) {
        if instance.skin.is_none() {
            by_mesh.entry(instance.mesh).or_default().push(InstanceId::from_index(index));
        }
    }
    if by_mesh.is_empty() {
        return Err(Refusal::NoBareMesh);
    }
    if let Some(within) = scope.within {
        by_mesh.retain(|mesh, _| within.parts.iter().any(|part| part.mesh == *mesh && !part.vertices.is_empty()));
        if by_mesh.is_empty() {
            return Err(Refusal::NoBareVertex);
        }
    }
    let mut out = Vec::new();
    for (mesh, shown) in by_mesh {
        let [one] = shown.as_slice() else {
            let nodes = shown.iter().take(2).map(|id| name(model, model.instances[id.index()].node));
            let nodes: Vec<String> = nodes.collect();
            return Err(Refusal::ShownTwice { mesh: mesh_name(model, mesh.index()), nodes });
        };
        out.push(*one);
    }
    Ok(out)
}

/// Returns for each place of a surface whether one of the vertices there is among these.
fn places_of(parts: &[(PrimitiveId, Vec<u32>)], count: usize, within: &VertexSet) -> Vec<bool> {
    let mut out = vec![false; count];
    for part in &within.parts {
        let id = PrimitiveId::new(part.mesh, part.primitive);
        let Some((_, places)) = parts.iter().find(|(of, _)| *of == id) else { continue };
        for place in part.vertices.iter().filter_map(|vertex| places.get(*vertex as usize)) {
            out[*place as usize] = true;
        }
    }
    out
}

/// Returns the joints that meshes without a skin are bound to, where they hang on a node.
#[must_use]
pub fn bare_joints(model: &Model, root: NodeId) -> Vec<NodeId> {
    joints_below(model, root).0
}

/// Returns the joints that hang on a node, and the skin that has it as a joint where there is one.
fn joints_below(model: &Model, root: NodeId) -> (Vec<NodeId>, Option<SkinId>) {
    if let Some(skin) = model.skins.iter().position(|skin| skin.joints.contains(&root)) {
        return (model.skins[skin].joints.clone(), Some(SkinId::from_index(skin)));
    }
    let shows: BTreeSet<NodeId> = model.instances.iter().map(|instance| instance.node).collect();
    let parents = &model.skeleton.parents;
    // Parents come before their children, so that what hangs on the root is known in one pass.
    let mut is_below = vec![false; model.skeleton.len()];
    let mut has_joint_below = vec![false; model.skeleton.len()];
    for node in (0..model.skeleton.len()).map(NodeId::from_index) {
        is_below[node.index()] = node == root || parents[node.index()].is_some_and(|parent| is_below[parent.index()]);
    }
    for node in (0..model.skeleton.len()).rev().map(NodeId::from_index) {
        has_joint_below[node.index()] |= !shows.contains(&node);
        if let Some(parent) = parents[node.index()].filter(|_| has_joint_below[node.index()]) {
            has_joint_below[parent.index()] = true;
        }
    }
    let is_joint = |node: &NodeId| is_below[node.index()] && (*node == root || has_joint_below[node.index()]);
    ((0..model.skeleton.len()).map(NodeId::from_index).filter(is_joint).collect(), None)
}

/// Returns a node with those above it, up to the root of its tree.
fn upwards(model: &Model, node: NodeId) -> impl Iterator<Item = NodeId> {
    std::iter::successors(Some(node), |node| model.skeleton.parents[node.index()])
}

/// Returns those of some joints that stand in the tree of a node.
fn of_one_tree(model: &Model, root: NodeId, mut nodes: Vec<NodeId>) -> Vec<NodeId> {
    let top = upwards(model, root).last();
    nodes.retain(|node| upwards(model, *node).last() == top);
    nodes
}

/// Returns the lowest node that some joints are at or below; `None` where they stand in several trees.
fn common_root(model: &Model, nodes: &[NodeId]) -> Option<NodeId> {
    let is_above = |root: &NodeId| nodes.iter().all(|node| upwards(model, *node).any(|above| above == *root));
    upwards(model, *nodes.first()?).find(is_above)
}

/// The surface of several meshes as it stands in the world.
pub(super) struct Placed {
    pub points: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
    /// For each primitive with vertices of its own, the place of each of them.
    pub parts: Vec<(PrimitiveId, Vec<u32>)>,
    /// For each place how many vertices the file has there.
    pub stored: Vec<usize>,
}

impl Placed {
    pub fn of(model: &Model, instances: &[InstanceId], worlds: &[DAffine3]) -> Self {
        let mut points: Vec<DVec3> = Vec::new();
        let mut triangles: Vec<[u32; 3]> = Vec::new();
        let mut starts: Vec<(PrimitiveId, std::ops::Range<usize>)> = Vec::new();
        for instance in instances.iter().map(|id| &model.instances[id.index()]) {
            let world = worlds[instance.node.index()];
            for (number, primitive) in model.meshes[instance.mesh.index()].primitives.iter().enumerate() {
                if primitive.shares.is_some() {
                    continue;
                }
                let first = points.len();
                let stored = &primitive.positions[..primitive.stored_vertices];
                points.extend(stored.iter().map(|point| world.transform_point3(point.as_dvec3())));
                triangles.extend(primitive.stored_triangles().map(|corners| corners.map(|v| first as u32 + v)));
                starts.push((PrimitiveId::new(instance.mesh, number), first..points.len()));
            }
        }
        let single: Vec<Vec3> = points.iter().map(|point| point.as_vec3()).collect();
        let weld = Weld::new(&single, WeldRule::Near, &|| false).unwrap_or_default();
        let place = |vertex: u32| weld.group[vertex as usize];
        let parts = starts.into_iter().map(|(id, range)| (id, range.map(|vertex| place(vertex as u32)).collect()));
        let mut stored = vec![0; weld.first.len()];
        weld.group.iter().for_each(|place| stored[*place as usize] += 1);
        Self {
            stored,
            parts: parts.collect(),
            triangles: triangles.into_iter().map(|corners| corners.map(place)).collect(),
            points: weld.first.iter().map(|vertex| points[*vertex as usize]).collect(),
        }
    }
}
