//! Moves models that are far from the origin of their file near to it ([`skinscope_model::Far`]). A float is too coarse
//! for their positions, but the numbers of the JSON text are decimals, so that they are read once more in f64.

use std::sync::Arc;

use glam::{Affine3A, DAffine3, DMat3, DMat4, DQuat, DVec3, Vec3};
use gltf::json;
use skinscope_base::math::{Aabb, length};
use skinscope_model::{
    Base, Channel, Clip, Far, FarFigure, FarMesh, FarTrack, Interpolation, ModelParts, NEAR, NodeId, Path, SkinId,
    Values,
};

use super::Warnings;

/// A figure is far away where its centre is farther from the origin than this many times its size (and than this many
/// metres): from there on the steps between floats are visible. Files nearer than that are read without changes.
const FAR: f64 = 32.0;

/// A node belongs to the figure where it is within this many sizes of the figure's centre.
const AT: f64 = 16.0;

/// A coordinate of fewer sizes than this is not changed, so that a figure on the ground of a map stays on the ground.
const KEPT: f64 = 8.0;

/// A figure that is far from the first one is shown this many sizes away from it: beside it, but apart.
const SHOWN: f64 = 6.0;

/// The positions of figures that are far away, and the transforms of the nodes in f64.
#[derive(Debug)]
pub(super) struct Placing {
    /// The first figure, whose origin is that of the model, and those that are far from it.
    figures: Vec<Figure>,
    /// `parent_from_node` of each node of the file.
    locals: Vec<DAffine3>,
}

/// A figure, which stands within one range of floats.
#[derive(Clone, Debug)]
struct Figure {
    /// Its skins, by index; empty for the first figure, which has all that no other has.
    skins: Vec<usize>,
    /// The position of the highest node that stands at the figure, in the file's world, metres.
    position: DVec3,
    /// The offset from positions in the model's world to those in the file's world, metres.
    origin: DVec3,
    /// The size of the figure, metres; 1 at least.
    size: f64,
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

/// Finds out whether figures of a document are far from the origin or from each other, and where; `None`: all are near.
/// The text is read again only where one is far. The document need not have been checked.
pub(super) fn placing(root: &json::Root, text: &str) -> Option<Placing> {
    #[derive(Default, serde::Deserialize)]
    #[serde(default)]
    struct Document {
        nodes: Vec<NodeTransform>,
    }
    let parents = parents(root);
    let mut nodes = figure(root);
    let rough: Vec<DAffine3> = root.nodes.iter().map(|node| NodeTransform::of(node).local()).collect();
    let rough = worlds(root, &parents, &rough);
    let mut is_far = far_away(&rough, &nodes).is_some();
    if !is_far {
        // Figures far from each other have no position in common: the largest one is the first.
        nodes = largest_figure(root)?;
        is_far = far_away(&rough, &nodes).is_some_and(|(middle, _)| middle.abs().max_element() > NEAR);
    }
    let others = other_figures(root, &rough, &nodes);
    if !is_far && others.is_empty() {
        return None;
    }
    let document: Document = serde_json::from_str(text).ok()?;
    let locals: Vec<DAffine3> = document.nodes.iter().map(NodeTransform::local).collect();
    if locals.len() != root.nodes.len() {
        return None;
    }
    let worlds = worlds(root, &parents, &locals);
    let mut first = stand(&worlds, &parents, &nodes)?;
    if is_far {
        far_away(&worlds, &nodes)?;
        let is_kept = first.position.abs().cmple(DVec3::splat(KEPT * first.size));
        first.origin = DVec3::select(is_kept, DVec3::ZERO, first.position);
    }
    let mut figures = vec![first];
    for skins in others {
        let joints: Vec<usize> = skins.iter().flat_map(|skin| joints_of(root, *skin)).collect();
        let Some(own) = stand(&worlds, &parents, &joints) else { continue };
        let origin = origin_beside(&figures[0], &own, figures.len());
        figures.push(Figure { skins, origin, ..own });
    }
    Some(Placing { figures, locals })
}

/// Returns where the figure of some nodes stands; its origin is not known yet.
fn stand(worlds: &[DAffine3], parents: &[Option<usize>], nodes: &[usize]) -> Option<Figure> {
    let (middle, size) = spread(worlds, nodes)?;
    // The highest node that stands at the figure bears the position.
    let is_there = |node: &usize| worlds[*node].translation.distance(middle) <= 0.25 * AT * size;
    let first = nodes.iter().copied().find(is_there);
    let above = std::iter::successors(first, |node| parents[*node]).take(worlds.len());
    let position = above.filter(is_there).map(|node| worlds[node].translation).last()?;
    Some(Figure { skins: Vec::new(), position, origin: DVec3::ZERO, size })
}

/// Returns the origin of a figure that is far from the first one: in the model it is beside that one, in the same
/// direction. `number` counts these figures from 1, so that no two have one position.
fn origin_beside(first: &Figure, own: &Figure, number: usize) -> DVec3 {
    let size = first.size.max(own.size);
    let away = own.position - first.position;
    let is_far = away.abs().cmpgt(DVec3::splat(KEPT * size));
    let direction = DVec3::select(is_far, away, DVec3::ZERO).normalize_or(DVec3::X);
    let shown = (first.position - first.origin + direction * (SHOWN * size * number as f64)).round();
    // Heights stay as they are, so that all figures stand on the same ground.
    DVec3::select(is_far, own.position - shown, first.origin)
}

/// Returns the skins, by index, of each figure that is far from the first one, whose nodes are `first`.
fn other_figures(root: &json::Root, worlds: &[DAffine3], first: &[usize]) -> Vec<Vec<usize>> {
    if root.skins.len() < 2 {
        return Vec::new();
    }
    let Some(first) = spread(worlds, first) else { return Vec::new() };
    let mut out: Vec<((DVec3, f64), Vec<usize>)> = Vec::new();
    for skin in 0..root.skins.len() {
        let joints: Vec<usize> = joints_of(root, skin).collect();
        let Some((middle, size)) = spread(worlds, &joints) else { continue };
        let is_beside = |(other, of): (DVec3, f64)| middle.distance(other) <= NEAR.max(FAR * size.max(of));
        if is_beside(first) || middle.abs().max_element() >= f64::from(Aabb::FAR) {
            continue;
        }
        match out.iter_mut().find(|(other, _)| is_beside(*other)) {
            Some((_, skins)) => skins.push(skin),
            None => out.push(((middle, size), vec![skin])),
        }
    }
    out.into_iter().map(|(_, skins)| skins).collect()
}

/// Returns the joints of a skin, by index, that are nodes of the document.
fn joints_of(root: &json::Root, skin: usize) -> impl Iterator<Item = usize> {
    root.skins[skin].joints.iter().map(|joint| joint.value()).filter(|node| *node < root.nodes.len())
}

/// The nodes that a figure is made of: all joints, or where there are none those that show a mesh.
fn figure(root: &json::Root) -> Vec<usize> {
    let mut out: Vec<usize> = (0..root.skins.len()).flat_map(|skin| joints_of(root, skin)).collect();
    if out.is_empty() {
        out = (0..root.nodes.len()).filter(|node| root.nodes[*node].mesh.is_some()).collect();
    }
    out
}

/// The joints of the skin with the most, the first of these; `None`: there are not several skins.
fn largest_figure(root: &json::Root) -> Option<Vec<usize>> {
    let skins = Some(&root.skins).filter(|skins| skins.len() > 1)?;
    let most = (0..skins.len()).rev().max_by_key(|skin| skins[*skin].joints.len())?;
    Some(joints_of(root, most).collect())
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
    let (middle, size) = spread(worlds, figure)?;
    let distance = middle.abs().max_element();
    (distance > FAR * size && distance < f64::from(Aabb::FAR)).then_some((middle, size))
}

/// Returns the centre and the size of a figure, metres; `None`: it has no nodes, or a position is not finite.
fn spread(worlds: &[DAffine3], figure: &[usize]) -> Option<(DVec3, f64)> {
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
    Some((middle, size))
}

/// Subtracts the position of the figure from the nodes that have it in their translations. Keys that animate these
/// nodes stay as they are.
///
/// Nodes above that add nothing to what the model shows are passed over, so that the position is subtracted where it
/// was added, and the nodes below have translations that a float can represent.
pub(super) fn bring_near(placing: &Placing, parts: &mut ModelParts, warnings: &Warnings) {
    let [first, others @ ..] = &*placing.figures else { return };
    let found = bases(&placing.figures, &placing.locals, parts).map(|bases| (bases, others));
    // What a clip brings to the first figure belongs to it, however far away it rests.
    let apart = found.filter(|(bases, _)| others.is_empty() || !leads_away(bases, first, parts));
    let alone = || {
        let is_far = first.origin != DVec3::ZERO;
        let bases = is_far.then(|| bases(&placing.figures[..1], &placing.locals, parts))??;
        Some((bases, &others[..0]))
    };
    let Some((bases, others)) = apart.or_else(alone) else { return };
    for base in &bases {
        let transform = &mut parts.skeleton.rest.transforms[base.node.index()];
        let stored = placing.locals[parts.skeleton.file_index[base.node.index()] as usize].translation;
        // What is left over from rounding in f64 is nothing.
        let near = stored - base.by;
        let is_left = near.abs().cmpgt(stored.abs() * 1e-14);
        transform.translation = DVec3::select(is_left, near, DVec3::ZERO).as_vec3();
    }
    mark_keys(parts, &bases);
    warn_of_distances(first, others, &bases, parts, warnings);
    let figure = |of: &Figure| FarFigure {
        skins: of.skins.iter().map(|skin| SkinId::from_index(*skin)).collect(),
        position: of.position,
        origin: of.origin,
    };
    let others = others.iter().map(figure).collect();
    parts.skeleton.far = Some(Arc::new(Far { origin: first.origin, bases, others }));
}

/// Warns of the figures that are far from the first one, since they are shown near it.
fn warn_of_distances(first: &Figure, others: &[Figure], bases: &[Base], parts: &ModelParts, warnings: &Warnings) {
    let skeleton = &parts.skeleton;
    for other in others {
        let [away, shown] =
            [other.position - first.position, other.position - other.origin - first.position + first.origin];
        let name = other.skins.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let mut message = format!(
            "stands {} from the first figure, too far for one picture: it is shown {} from it, in the same direction. Its numbers are \
             exact, and files that are written hold the whole distance",
            length(away.length()),
            length(shown.length())
        );
        let own = bases.iter().filter(|base| base.origin == other.origin).map(|base| base.node);
        let parent = |node: &NodeId| skeleton.parents[node.index()];
        let above: Vec<NodeId> = own.flat_map(|node| std::iter::successors(parent(&node), parent)).collect();
        let is_turning = |c: &Channel| matches!(c.path, Path::Rotation | Path::Scale) && above.contains(&c.node);
        if let Some(clip) = parts.clips.iter().find(|clip| clip.channels.iter().any(is_turning)) {
            let most = away.abs().max_element() as f32;
            let step = length(f64::from(most.next_up() - most));
            message += &format!(
                ", but for clips that turn what it stands on (\"{}\"), where they are kept to {step}",
                clip.name
            );
        }
        let kind = if other.skins.len() == 1 { "skin" } else { "skins" };
        warnings.add(format!("{kind} {name}"), message);
    }
}

/// Returns whether a clip moves nodes of other figures than the first by more than floats can tell.
fn leads_away(bases: &[Base], first: &Figure, parts: &ModelParts) -> bool {
    let skeleton = &parts.skeleton;
    let of_others: Vec<std::ops::Range<usize>> = bases
        .iter()
        .filter(|base| base.origin != first.origin)
        .map(|base| base.node.index()..skeleton.subtree_end(base.node))
        .collect();
    let leads = |clip: &Clip, channel: &Channel| {
        let sampler = &clip.samplers[channel.sampler];
        let Values::Vec3(keys) = &sampler.values else { return false };
        let (width, first) = if sampler.interpolation == Interpolation::CubicSpline { (3, 1) } else { (1, 0) };
        let rest = skeleton.rest.transforms[channel.node.index()].translation;
        let scale = skeleton.scale_above(channel.node);
        let is_far = |key: Vec3| f64::from((key - rest).abs().max_element()) * scale > NEAR;
        (first..keys.len()).step_by(width).any(|key| is_far(keys.get(key)))
    };
    let is_theirs = |node: NodeId| of_others.iter().any(|range| range.contains(&node.index()));
    let moves = |c: &&Channel| c.path == Path::Translation && is_theirs(c.node);
    parts.clips.iter().any(|clip| clip.channels.iter().filter(moves).any(|channel| leads(clip, channel)))
}

/// What is known of a node on the way down from the roots.
#[derive(Clone, Copy, Debug)]
struct Passed {
    /// The matrix of the node in the file's world.
    world: DAffine3,
    /// The offset that was subtracted from its position, in the file's world.
    taken: DVec3,
    /// Whether the position was subtracted from this node or one above.
    is_borne: bool,
}

/// Returns what to take off which nodes; `None` where a node above is flat, so that no translation below it moves things as far.
fn bases(figures: &[Figure], locals: &[DAffine3], parts: &ModelParts) -> Option<Vec<Base>> {
    let skeleton = &parts.skeleton;
    let bears = bears_something(parts);
    let mut out: Vec<Base> = Vec::new();
    let mut passed: Vec<Passed> = Vec::with_capacity(skeleton.len());
    for (i, bears) in bears.into_iter().enumerate() {
        let top = Passed { world: DAffine3::IDENTITY, taken: DVec3::ZERO, is_borne: false };
        let above = skeleton.parents[i].map_or(top, |parent| passed[parent.index()]);
        let world = above.world * locals[skeleton.file_index[i] as usize];
        let at = world.translation;
        let node = NodeId::from_index(i);
        let is_leaf = skeleton.parents.get(i + 1) != Some(&Some(node));
        let nearest = |a: &&Figure, b: &&Figure| at.distance(a.position).total_cmp(&at.distance(b.position));
        let figure = figures.iter().min_by(nearest)?;
        let is_first = figure.skins.is_empty();
        let middle = if figures.len() == 1 { figure.origin } else { figure.position };
        let is_there = at.distance(middle) <= AT * figure.size;
        let is_near = at.abs().max_element() <= FAR * figure.size && (is_first || !is_there);
        let is_passed = !bears && (is_near || !is_there && !is_leaf);
        let taken = match is_passed {
            // Below a node that bears the position of one figure only those of another one have their own.
            _ if above.is_borne && (figure.origin == above.taken || !is_there) => above.taken,
            true if above.is_borne => above.taken,
            true if is_near => DVec3::ZERO,
            true => at,
            false => figure.origin,
        };
        passed.push(Passed { world, taken, is_borne: above.is_borne || !is_passed });
        if taken != above.taken {
            let parent = above.world;
            let by = parent.matrix3.inverse() * (taken - above.taken);
            if !by.is_finite() || DMat3::determinant(&parent.matrix3) == 0.0 {
                return None;
            }
            out.push(Base { node, by, origin: taken });
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
        for (_, primitive) in parts.meshes[instance.mesh.index()].vertex_lists() {
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

/// Takes the position off skinned meshes whose own positions lie far from the origin of mesh space, and lets the inverse bind matrices take it
/// in. All skinned meshes of a figure have one position, so that skins may move several of them and meshes may have several skins.
pub(super) fn bring_meshes_near(placing: Option<&Placing>, parts: &mut ModelParts) {
    let others = placing.map_or(&[][..], |placing| placing.figures.get(1..).unwrap_or_default());
    let figure_of = |skin: SkinId| others.iter().position(|other| other.skins.contains(&skin.index()));
    bring_meshes_of_figure_near(parts, &|skin| figure_of(skin).is_none());
    (0..others.len()).for_each(|other| bring_meshes_of_figure_near(parts, &|skin| figure_of(skin) == Some(other)));
}

fn bring_meshes_of_figure_near(parts: &mut ModelParts, is_own: &dyn Fn(SkinId) -> bool) {
    let mut bounds = Aabb::EMPTY;
    let (mut meshes, mut skins) = (vec![false; parts.meshes.len()], vec![false; parts.skins.len()]);
    for instance in &parts.instances {
        let Some(skin) = instance.skin.filter(|skin| is_own(*skin)) else { continue };
        meshes[instance.mesh.index()] = true;
        skins[skin.index()] = true;
    }
    let of_skinned = |mesh: &usize| meshes[*mesh];
    for mesh in (0..parts.meshes.len()).filter(of_skinned) {
        for (_, primitive) in parts.meshes[mesh].vertex_lists() {
            // Few meshes lie so far away that all their vertices have to be looked at.
            let first = primitive.positions.first().map_or(0.0, |first| first.abs().max_element());
            if primitive.stored_influences.is_none() || f64::from(first) <= KEPT {
                return;
            }
            primitive.positions.iter().for_each(|position| bounds.include(*position));
        }
    }
    let is_moved_alone =
        |instance: &skinscope_model::Instance| instance.skin.is_some_and(is_own) || !meshes[instance.mesh.index()];
    let has_binds = (0..skins.len()).filter(|skin| skins[*skin]).all(|skin| !parts.skins[skin].binds_missing);
    let (middle, size) = (bounds.center().as_dvec3(), f64::from(bounds.diagonal()));
    let is_far = !bounds.is_empty() && middle.abs().max_element() > FAR * size;
    if !is_far || !has_binds || !parts.instances.iter().all(is_moved_alone) {
        return;
    }
    let offset = DVec3::select(middle.abs().cmpgt(DVec3::splat(KEPT * size)), middle, DVec3::ZERO);
    for (mesh, _) in parts.meshes.iter_mut().zip(&meshes).filter(|(_, is_skinned)| **is_skinned) {
        mesh.offset = offset;
        let positions = mesh.primitives.iter_mut().flat_map(|primitive| &mut primitive.positions);
        positions.for_each(|position| *position = (position.as_dvec3() - offset).as_vec3());
    }
    for (skin, _) in parts.skins.iter_mut().zip(&skins).filter(|(_, is_used)| **is_used) {
        let stored = skin.inverse_bind.clone();
        for (joint, bind) in skin.inverse_bind.iter_mut().enumerate() {
            if !skin.not_finite.contains(&joint) {
                *bind = (bind.as_daffine3() * DAffine3::from_translation(offset)).as_affine3a();
            }
        }
        skin.far = Some(Arc::new(FarMesh { offset, stored }));
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
