//! Moves models that are far from the origin of their file near to it ([`skinscope_model::Far`]). A float is too coarse
//! for their positions, but the numbers of the JSON text are decimals, so that they are read once more in f64.

use std::sync::Arc;

use glam::{Affine3A, DAffine3, DMat3, DMat4, DQuat, DVec3, Vec3};
use gltf::json;
use skinscope_base::math::{Aabb, length};
use skinscope_model::{Base, Far, FarMesh, FarTrack, ModelParts, NEAR, NodeId, Path};

use super::Warnings;

/// A figure is far away where its centre is farther from the origin than this many times its size (and than this many
/// metres): from there on the steps between floats are visible. Files nearer than that are read without changes.
const FAR: f64 = 32.0;

/// A node belongs to the figure where it is within this many sizes of the figure's centre.
const AT: f64 = 16.0;

/// A coordinate of fewer sizes than this is not changed, so that a figure on the ground of a map stays on the ground.
const KEPT: f64 = 8.0;

/// The position of a figure that is far away, and the transforms of the nodes in f64.
#[derive(Debug)]
pub(super) struct Placing {
    /// The position that becomes the origin, metres.
    origin: DVec3,
    /// The size of the figure, metres; 1 at least.
    size: f64,
    /// `parent_from_node` of each node of the file.
    locals: Vec<DAffine3>,
}

/// The members of a node that say where it stands.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default)]
struct NodeTransform {
    translation: Option<[f64; 3]>,
    rotation: Option<[f64; 4]>,
    scale: Option<[f64; 3]>,
    matrix: Option<[f64; 16]>,
}

impl NodeTransform {
    /// Returns the transform as the parser read it.
    fn of(node: &json::Node) -> Self {
        Self {
            translation: node.translation.map(|t| t.map(f64::from)),
            rotation: node.rotation.map(|r| r.0.map(f64::from)),
            scale: node.scale.map(|s| s.map(f64::from)),
            matrix: node.matrix.map(|m| m.map(f64::from)),
        }
    }

    fn local(&self) -> DAffine3 {
        if let Some(matrix) = &self.matrix {
            return DAffine3::from_mat4(DMat4::from_cols_array(matrix));
        }
        let turn = self.rotation.map_or(DQuat::IDENTITY, DQuat::from_array);
        let turn = if turn.length() > 0.0 { turn.normalize() } else { DQuat::IDENTITY };
        let scale = self.scale.map_or(DVec3::ONE, DVec3::from_array);
        DAffine3::from_scale_rotation_translation(scale, turn, self.translation.map_or(DVec3::ZERO, DVec3::from_array))
    }
}

/// Finds out whether the figure of a document is far from the origin, and where; `None`: it is near. The text is read
/// again only where it is far. The document need not have been checked.
pub(super) fn placing(root: &json::Root, text: &str) -> Option<Placing> {
    #[derive(Default, serde::Deserialize)]
    #[serde(default)]
    struct Document {
        nodes: Vec<NodeTransform>,
    }
    let count = root.nodes.len();
    let parents = parents(root);
    let mut figure = figure(root);
    let rough: Vec<DAffine3> = root.nodes.iter().map(|node| NodeTransform::of(node).local()).collect();
    let rough = worlds(root, &parents, &rough);
    if far_away(&rough, &figure).is_none() {
        // Figures far from each other have no position in common: that of the largest one is taken.
        figure = largest_figure(root)?;
        far_away(&rough, &figure).filter(|(middle, _)| middle.abs().max_element() > NEAR)?;
    }
    let document: Document = serde_json::from_str(text).ok()?;
    let locals: Vec<DAffine3> = document.nodes.iter().map(NodeTransform::local).collect();
    if locals.len() != count {
        return None;
    }
    let worlds = worlds(root, &parents, &locals);
    let (middle, size) = far_away(&worlds, &figure)?;
    // The highest node that stands at the figure bears the position.
    let is_there = |node: &usize| worlds[*node].translation.distance(middle) <= 0.25 * AT * size;
    let first = figure.iter().copied().find(is_there);
    let above = std::iter::successors(first, |node| parents[*node]).take(count);
    let bearer = above.filter(is_there).map(|node| worlds[node].translation).last()?;
    let origin = DVec3::select(bearer.abs().cmpgt(DVec3::splat(KEPT * size)), bearer, DVec3::ZERO);
    Some(Placing { origin, size, locals })
}

/// The nodes that a figure is made of: all joints, or where there are none those that show a mesh.
fn figure(root: &json::Root) -> Vec<usize> {
    let inside = |node: &usize| *node < root.nodes.len();
    let joints = root.skins.iter().flat_map(|skin| &skin.joints).map(|joint| joint.value());
    let mut out: Vec<usize> = joints.filter(inside).collect();
    if out.is_empty() {
        out = (0..root.nodes.len()).filter(|node| root.nodes[*node].mesh.is_some()).collect();
    }
    out
}

/// The joints of the skin with the most, the first of these; `None`: there are not several skins.
fn largest_figure(root: &json::Root) -> Option<Vec<usize>> {
    let skins = Some(&root.skins).filter(|skins| skins.len() > 1)?;
    let most = skins.iter().rev().max_by_key(|skin| skin.joints.len())?;
    let inside = |node: &usize| *node < root.nodes.len();
    Some(most.joints.iter().map(|joint| joint.value()).filter(inside).collect())
}

fn parents(root: &json::Root) -> Vec<Option<usize>> {
    let mut out = vec![None; root.nodes.len()];
    for (node, children) in root.nodes.iter().enumerate() {
        for child in children.children.iter().flatten() {
            if let Some(slot) = out.get_mut(child.value()) {
                *slot = Some(node);
            }
        }
    }
    out
}

/// Returns `world_from_node` of every node; NaN for nodes that are their own ancestors.
fn worlds(root: &json::Root, parents: &[Option<usize>], locals: &[DAffine3]) -> Vec<DAffine3> {
    let mut out = vec![DAffine3::NAN; locals.len()];
    let mut open: Vec<usize> = (0..locals.len()).filter(|node| parents[*node].is_none()).collect();
    let mut seen = vec![false; locals.len()];
    while let Some(node) = open.pop() {
        // A node may be listed twice among the children of its parent.
        if std::mem::replace(&mut seen[node], true) {
            continue;
        }
        out[node] = parents[node].map_or(DAffine3::IDENTITY, |parent| out[parent]) * locals[node];
        // Of several parents, which no file may have, only the last one counts.
        let children = root.nodes[node].children.iter().flatten().map(|child| child.value());
        open.extend(children.filter(|child| parents.get(*child) == Some(&Some(node))));
    }
    out
}

/// Returns the middle and the size of a figure that stands far away; `None`: it is near, or beyond all that can be shown. A few nodes that
/// stand elsewhere, such as a root joint at the origin, do not count.
fn far_away(worlds: &[DAffine3], figure: &[usize]) -> Option<(DVec3, f64)> {
    let positions: Vec<DVec3> = figure.iter().map(|node| worlds[*node].translation).collect();
    if positions.is_empty() || !positions.iter().all(|position| position.is_finite()) {
        return None;
    }
    let at = |share: f64, mut values: Vec<f64>| {
        values.sort_unstable_by(f64::total_cmp);
        values[((values.len() - 1) as f64 * share).round() as usize]
    };
    let middle =
        DVec3::from_array([0, 1, 2].map(|axis| at(0.5, positions.iter().map(|position| position[axis]).collect())));
    let size = (2.0 * at(0.75, positions.iter().map(|position| position.distance(middle)).collect())).max(1.0);
    let distance = middle.abs().max_element();
    (distance > FAR * size && distance < f64::from(Aabb::FAR)).then_some((middle, size))
}

/// Subtracts the position of the figure from the nodes that have it in their translations. Keys that animate these
/// nodes stay as they are.
///
/// Nodes above that add nothing to what the model shows are passed over, so that the position is subtracted where it
/// was added, and the nodes below have translations that a float can represent.
pub(super) fn bring_near(placing: &Placing, parts: &mut ModelParts) {
    let Some(bases) = bases(placing, parts) else { return };
    for base in &bases {
        let transform = &mut parts.skeleton.rest.transforms[base.node.index()];
        let stored = placing.locals[parts.skeleton.file_index[base.node.index()] as usize].translation;
        // What is left over from rounding in f64 is nothing.
        let near = stored - base.by;
        let is_left = near.abs().cmpgt(stored.abs() * 1e-14);
        transform.translation = DVec3::select(is_left, near, DVec3::ZERO).as_vec3();
    }
    mark_keys(parts, &bases);
    parts.skeleton.far = Some(Arc::new(Far { origin: placing.origin, bases }));
}

/// Returns what to subtract from which nodes; `None` where a node above is flat, so that no translation below it moves
/// things as far.
fn bases(placing: &Placing, parts: &ModelParts) -> Option<Vec<Base>> {
    let skeleton = &parts.skeleton;
    let bears = bears_something(parts);
    let mut out: Vec<Base> = Vec::new();
    // For each node that was passed by: its matrix in the file's world, and what was taken off its position. Nodes below others have none.
    let mut passed: Vec<Option<(DAffine3, DVec3)>> = Vec::with_capacity(skeleton.len());
    for (i, bears) in bears.into_iter().enumerate() {
        let above = match skeleton.parents[i] {
            None => Some((DAffine3::IDENTITY, DVec3::ZERO)),
            Some(parent) => passed[parent.index()],
        };
        let Some((parent, taken)) = above else {
            passed.push(None);
            continue;
        };
        let world = parent * placing.locals[skeleton.file_index[i] as usize];
        let at = world.translation;
        let node = NodeId::from_index(i);
        let is_leaf = skeleton.parents.get(i + 1) != Some(&Some(node));
        let is_near = at.abs().max_element() <= FAR * placing.size;
        let is_there = at.distance(placing.origin) <= AT * placing.size;
        let is_passed = !bears && (is_near || !is_there && !is_leaf);
        let origin = match is_passed {
            true if is_near => DVec3::ZERO,
            true => at,
            false => placing.origin,
        };
        passed.push(is_passed.then_some((world, origin)));
        if origin != taken {
            let by = parent.matrix3.inverse() * (origin - taken);
            if !by.is_finite() || DMat3::determinant(&parent.matrix3) == 0.0 {
                return None;
            }
            out.push(Base { node, by, origin });
        }
    }
    (!out.is_empty()).then_some(out)
}

/// Returns for each node whether its own position counts: something that is shown follows it, or a clip moves it.
fn bears_something(parts: &ModelParts) -> Vec<bool> {
    let mut out = vec![false; parts.skeleton.len()];
    let mut mark = |node: NodeId| out[node.index()] = true;
    parts.light_nodes.iter().for_each(|(node, _)| mark(*node));
    parts.camera_nodes.iter().for_each(|(node, _)| mark(*node));
    let channels = parts.clips.iter().flat_map(|clip| &clip.channels);
    channels.filter(|channel| channel.path != Path::Weights).for_each(|channel| mark(channel.node));
    for instance in &parts.instances {
        let skin = instance.skin.map(|skin| &parts.skins[skin.index()]);
        for primitive in &parts.meshes[instance.mesh.index()].primitives {
            match (skin, &primitive.stored_influences) {
                (Some(skin), Some(influences)) => {
                    let pairs = influences.joints.iter().zip(&influences.weights);
                    let weighted = pairs.filter(|(_, weight)| **weight != 0.0).map(|(joint, _)| *joint);
                    weighted.filter_map(|joint| skin.joints.get(usize::from(joint))).for_each(|joint| mark(*joint));
                }
                _ => mark(instance.node),
            }
        }
    }
    out
}

/// Marks the keys of nodes from which a position was subtracted to be sampled in f64; the keys stay those of the file.
fn mark_keys(parts: &mut ModelParts, bases: &[Base]) {
    for clip in &mut parts.clips {
        let is_at_base = |node: NodeId| bases.binary_search_by_key(&node, |base| base.node).is_ok();
        let moving = clip.channels.iter().filter(|c| c.path == Path::Translation && is_at_base(c.node));
        clip.far = moving.map(|c| FarTrack::of(c.node, c.path, c.sampler)).collect();
    }
}

/// Subtracts the position of the figure from the vertices of skinned meshes that are far from the origin of mesh space,
/// and multiplies it into the inverse bind matrices. One position is subtracted from all of them, so that skins may
/// move several meshes and meshes may have several skins.
pub(super) fn bring_meshes_near(parts: &mut ModelParts) {
    let mut bounds = Aabb::EMPTY;
    let (mut meshes, mut skins) = (vec![false; parts.meshes.len()], vec![false; parts.skins.len()]);
    for instance in &parts.instances {
        let Some(skin) = instance.skin else { continue };
        meshes[instance.mesh.index()] = true;
        skins[skin.index()] = true;
    }
    let of_skinned = |mesh: &usize| meshes[*mesh];
    for mesh in (0..parts.meshes.len()).filter(of_skinned) {
        for primitive in &parts.meshes[mesh].primitives {
            // Few meshes lie so far away that all their vertices have to be looked at.
            let first = primitive.positions.first().map_or(0.0, |first| first.abs().max_element());
            if primitive.stored_influences.is_none() || f64::from(first) <= KEPT {
                return;
            }
            primitive.positions.iter().for_each(|position| bounds.include(*position));
        }
    }
    let is_moved_alone =
        |instance: &skinscope_model::Instance| instance.skin.is_some() || !meshes[instance.mesh.index()];
    let has_binds = (0..skins.len()).filter(|skin| skins[*skin]).all(|skin| !parts.skins[skin].binds_missing);
    let (middle, size) = (bounds.center().as_dvec3(), f64::from(bounds.diagonal()));
    let is_far = !bounds.is_empty() && middle.abs().max_element() > FAR * size;
    if !is_far || !has_binds || !parts.instances.iter().all(is_moved_alone) {
        return;
    }
    let place = DVec3::select(middle.abs().cmpgt(DVec3::splat(KEPT * size)), middle, DVec3::ZERO);
    for (mesh, _) in parts.meshes.iter_mut().zip(&meshes).filter(|(_, is_skinned)| **is_skinned) {
        mesh.offset = place;
        let positions = mesh.primitives.iter_mut().flat_map(|primitive| &mut primitive.positions);
        positions.for_each(|position| *position = (position.as_dvec3() - place).as_vec3());
    }
    for (skin, _) in parts.skins.iter_mut().zip(&skins).filter(|(_, is_used)| **is_used) {
        let stored = skin.inverse_bind.clone();
        for (joint, bind) in skin.inverse_bind.iter_mut().enumerate() {
            if !skin.not_finite.contains(&joint) {
                *bind = (bind.as_daffine3() * DAffine3::from_translation(place)).as_affine3a();
            }
        }
        skin.far = Some(Arc::new(FarMesh { place, stored }));
    }
}

/// Warns of figures that are far from the origin of the model, such as the second one of a file with two: floats are
/// too coarse there.
pub(super) fn warn_of_coarse_positions(parts: &ModelParts, warnings: &Warnings) {
    let skeleton = &parts.skeleton;
    let mut worlds: Vec<Affine3A> = Vec::with_capacity(skeleton.len());
    for (i, parent) in skeleton.parents.iter().enumerate() {
        let local = skeleton.local_matrix(i, skeleton.rest.transforms[i]);
        worlds.push(parent.map_or(local, |parent| worlds[parent.index()] * local));
    }
    for (number, skin) in parts.skins.iter().enumerate() {
        let joints: Vec<Vec3> = skin.joints.iter().map(|joint| worlds[joint.index()].translation.into()).collect();
        if !joints.iter().all(|joint| joint.abs().max_element() > NEAR as f32) {
            continue;
        }
        let bounds = Aabb::around_mass(&joints);
        let (away, size) = (bounds.center().abs().max_element(), bounds.diagonal().max(1.0));
        if bounds.is_empty() || f64::from(away) < FAR * f64::from(size) || away >= Aabb::FAR {
            continue;
        }
        let step = f64::from(away.next_up() - away);
        let from = if skeleton.far.is_some() { "the first figure" } else { "the origin" };
        let message = format!(
            "stands {} from {from}, too far for floats: its positions are kept to {}",
            length(f64::from(away)),
            length(step)
        );
        warnings.add(format!("skin {number}"), message);
    }
}
