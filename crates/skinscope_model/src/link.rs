//! Bone links: joints between a joint and its parent, each of which turns by a share of what the joint turns by, so that no two
//! neighbours turn far against each other and the skin between them keeps its volume.
//!
//! A link is a sibling of its joint. It is driven: whatever the joint does, the link follows ([`ModelParts::drive_links`]). A file has the links
//! as plain joints with keys in its clips, and says in their extras what drives them.

use std::collections::HashMap;
use std::f32::consts::PI;
use std::ops::Range;
use std::sync::Arc;

use glam::{Affine3A, Quat, Vec3};
use skinscope_base::math::Transform;

use super::builder::ensure;
use super::{
    BuildError, Channel, Clip, ClipChange, ClipId, Interpolation, LocalPose, Model, ModelParts, NodeId, NodeMembers,
    Path, Property, Sampler, SkinId, Values, WeightChange,
};

/// What turns a link: all numbers are in the space of the node that the link and its joint hang on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkDrive {
    /// The share of the turn of its joint that it makes, 0…1.
    pub share: f32,
    /// Where it stands between the node above and its joint: 1 is at the joint.
    pub along: f32,
    /// The rotation of the joint from which turns count: that in which it was bound.
    pub from: Quat,
    /// The axis, of unit length, about which it takes the twist of its joint alone; `None`: it takes a share of the whole turn.
    pub axis: Option<Vec3>,
}

impl LinkDrive {
    /// Returns whether its numbers can drive a link.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let is_share = |number: f32| (0.0..=1.0).contains(&number);
        let is_unit = self.axis.is_none_or(|axis| axis.is_finite() && (axis.length() - 1.0).abs() < 1e-3);
        let is_turn = self.from.is_finite() && (self.from.length() - 1.0).abs() < 1e-3;
        is_share(self.share) && is_share(self.along) && is_unit && is_turn
    }

    /// Returns the rotation of the link where its joint has this one.
    #[must_use]
    pub fn rotation(&self, joint: Quat) -> Quat {
        match self.axis {
            None => (self.from * part(self.from.inverse() * joint, self.share)).normalize(),
            Some(axis) => Quat::from_axis_angle(axis, self.share * twist_about(joint * self.from.inverse(), axis)),
        }
    }

    /// Returns the transform of the link where its joint has this one. Its own scale stays.
    #[must_use]
    pub fn transform(&self, joint: Transform, scale: Vec3) -> Transform {
        let translation = joint.translation * self.along;
        Transform { translation, rotation: self.rotation(joint.rotation), scale }
    }
}

/// Returns a share of a turn, about the same axis, by the shorter way.
fn part(turn: Quat, share: f32) -> Quat {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let sine = turn.xyz().length();
    let Some(axis) = turn.xyz().try_normalize() else { return Quat::IDENTITY };
    Quat::from_axis_angle(axis, 2.0 * sine.atan2(turn.w) * share)
}

/// Returns the angle of a turn about an axis of unit length, radians −π…π: its twist, where the swing that is left turns about an axis
/// perpendicular to it.
#[must_use]
pub fn twist_about(turn: Quat, axis: Vec3) -> f32 {
    let angle = 2.0 * turn.xyz().dot(axis).atan2(turn.w);
    if angle > PI {
        angle - 2.0 * PI
    } else if angle < -PI {
        angle + 2.0 * PI
    } else {
        angle
    }
}

/// A joint that follows another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The link.
    pub node: NodeId,
    /// The joint that it follows; both hang on one node.
    pub of: NodeId,
    /// How it follows.
    pub drive: LinkDrive,
    /// Whether it was made after the file was read, so that the file does not have it.
    pub is_new: bool,
    /// How many times meshes had gained skins since the file was read when it was made ([`Model::bindings`]): those of later times may have it
    /// as a joint, those before do not name it.
    pub made_after: usize,
}

/// A link that a model gains.
#[derive(Clone, Debug, PartialEq)]
pub struct NewLink {
    /// The name of the node, which is not empty.
    pub name: String,
    /// How it follows its joint.
    pub drive: LinkDrive,
}

/// The keys of a link in a clip of the file.
#[derive(Clone, Debug)]
pub struct LinkTrack {
    /// The clip.
    pub clip: ClipId,
    /// The index of the link in [`LinkChange::links`].
    pub link: usize,
    /// What the keys are of: translation or rotation.
    pub path: Path,
    /// The key times, seconds, strictly rising.
    pub times: Vec<f32>,
    /// The way between keys.
    pub interpolation: Interpolation,
    /// The keys.
    pub values: Values,
}

/// The links that a joint gains.
#[derive(Clone, Debug)]
pub struct LinkChange {
    /// The joint, which hangs on another node.
    pub of: NodeId,
    /// The links, as they follow each other from the node above to the joint.
    pub links: Vec<NewLink>,
    /// The skins that gain all links as joints, after those that they have, each with the inverse bind matrices of them.
    pub skins: Vec<(SkinId, Vec<Affine3A>)>,
    /// New weights of vertices, in which a link has the number that it gets in its skin.
    pub weights: Vec<WeightChange>,
    /// What the clips do to the links.
    pub tracks: Vec<LinkTrack>,
}

impl Model {
    /// Returns the same model with links for a joint. Nodes that come after all that is below the parent of the joint get other ids: the
    /// links stand before them. All ids up to there stay, and so do the numbers of joints in skins.
    ///
    /// # Errors
    /// Something does not fit, and the message says what: the joint hangs on nothing or has links already, a skin is not there, the model stands
    /// so far away that its places were shifted.
    pub fn with_links(&self, change: &LinkChange) -> Result<Self, BuildError> {
        let whole = || "links".to_owned();
        ensure(self.skeleton.far.is_none(), whole, "the model stands so far away that its places were shifted")?;
        check_change(self, change)?;
        let mut parts = self.shared.parts.clone();
        let Some(above) = self.skeleton.parents[change.of.index()] else {
            return ensure(false, whole, "the joint hangs on no node").map(|()| self.twin());
        };
        let at = self.skeleton.subtree_end(above);
        insert_nodes(&mut parts, change, (above, at), self.bindings().len())?;
        for (skin, binds) in &change.skins {
            let skin = &mut parts.skins[skin.index()];
            skin.joints.extend((at..at + change.links.len()).map(NodeId::from_index));
            skin.inverse_bind.extend_from_slice(binds);
        }
        for track in &change.tracks {
            let clip = &mut parts.clips[track.clip.index()];
            clip.times.push(track.times.clone());
            let times = clip.times.len() - 1;
            let (interpolation, values) = (track.interpolation, track.values.clone());
            clip.samplers.push(Sampler { times, interpolation, values });
            let node = NodeId::from_index(at + track.link);
            clip.channels.push(Channel { node, path: track.path, sampler: clip.samplers.len() - 1 });
        }
        let mut built = Self::build(parts)?;
        if let Some(shared) = Arc::get_mut(&mut built.shared) {
            shared.reading = Arc::clone(&self.shared.reading);
            // Another list in memory says that the layout is another one.
            let moved = |node: NodeId| moved_node(node, at, change.links.len());
            shared.bindings = Arc::new(self.bindings().iter().map(|binding| binding.following(&moved)).collect());
        }
        let edited = Self { edits: self.edits.clone(), ..built }.with_binds(&self.edited_skinning().binds)?;
        edited.with_weights(&change.weights)
    }
}

impl Model {
    /// Returns for each of [`Model::bindings`] the numbers that the nodes which came with it have in [`crate::Skeleton::file_index`]. Their ids may
    /// have moved since, where joints gained links.
    #[must_use]
    pub fn bound_nodes(&self) -> Vec<Range<u32>> {
        let links = |times: usize| self.new_links().filter(|link| link.made_after == times).count() as u32;
        let mut end = self.skeleton.file_index.iter().max().map_or(0, |last| last + 1);
        let mut out = Vec::with_capacity(self.bindings().len());
        for (index, binding) in self.bindings().iter().enumerate().rev() {
            let last = end.saturating_sub(links(index + 1));
            let first = last.saturating_sub(binding.nodes.len() as u32);
            out.push(first..last);
            end = first;
        }
        out.reverse();
        out
    }

    /// Returns for each node the same one of another model of the file, by its index in the file; `None` where that lacks it.
    #[must_use]
    pub fn nodes_in(&self, other: &Self) -> Vec<Option<NodeId>> {
        let (own, others) = (&self.skeleton.file_index, &other.skeleton.file_index);
        let common = own.len().min(others.len());
        if own[..common] == others[..common] {
            return (0..own.len()).map(|i| (i < common).then(|| NodeId::from_index(i))).collect();
        }
        let places: HashMap<u32, NodeId> =
            others.iter().enumerate().map(|(i, index)| (*index, NodeId::from_index(i))).collect();
        own.iter().map(|index| places.get(index).copied()).collect()
    }

    /// Returns the same model with the added clips of another model of the file, whose nodes may have other ids. What they do to nodes that
    /// this one lacks is left out.
    ///
    /// # Errors
    /// A clip does not fit the model.
    pub fn with_clips_of(&self, other: &Self) -> Result<Self, BuildError> {
        let nodes = other.nodes_in(self);
        let follow = |node: &mut NodeId| {
            let found = nodes.get(node.index()).copied().flatten();
            *node = found.unwrap_or(*node);
            found.is_some()
        };
        let moved = |clip: &Clip| {
            let mut clip = clip.clone();
            clip.channels.retain_mut(|channel| follow(&mut channel.node));
            clip.far.retain_mut(|track| follow(&mut track.node));
            clip.properties.retain_mut(|channel| match &mut channel.property {
                Property::Visible(node) => follow(node),
                _ => true,
            });
            clip
        };
        let inserted = other.added_clips().iter().map(moved).collect();
        self.with_clips_changed(&ClipChange { at: 0, removed: self.added_clips().len(), inserted })
    }
}

fn check_change(model: &Model, change: &LinkChange) -> Result<(), BuildError> {
    let location = || "links".to_owned();
    ensure(change.of.index() < model.skeleton.len(), location, "their joint is not there")?;
    ensure(!change.links.is_empty(), location, "there are none")?;
    let has_some = model.links.iter().any(|link| link.of == change.of || link.node == change.of);
    ensure(!has_some, location, "the joint has links already, or is one")?;
    for (i, link) in change.links.iter().enumerate() {
        let of_link = || format!("link {i}");
        ensure(!link.name.is_empty(), of_link, "it has no name")?;
        ensure(link.drive.is_valid(), of_link, "what drives it is out of range")?;
    }
    ensure(!change.skins.is_empty(), location, "no skin gains them")?;
    for (at, (id, binds)) in change.skins.iter().enumerate() {
        let of_skin = || format!("skin {}", id.0);
        let Some(skin) = model.skins.get(id.index()) else { return ensure(false, of_skin, "it is not there") };
        let twice = change.skins[..at].iter().any(|(other, _)| other == id);
        ensure(!twice && binds.len() == change.links.len(), of_skin, "it does not gain each link once")?;
        ensure(skin.far.is_none(), of_skin, "it moves meshes that stand so far away that they were shifted")?;
        let count = skin.joints.len() + binds.len();
        ensure(count <= 1 << 16, of_skin, "it has more joints than numbers of 16 bits can name")?;
    }
    for track in &change.tracks {
        let of_clip = || format!("clip {}", track.clip.0);
        let fits = track.link < change.links.len() && track.clip.index() < model.clips.len();
        ensure(fits, of_clip, "it or the link that it moves is not there")?;
    }
    Ok(())
}

/// Returns the id of a node where so many nodes were inserted at the place `at` in the list of nodes.
fn moved_node(id: NodeId, at: usize, count: usize) -> NodeId {
    if id.index() < at { id } else { NodeId::from_index(id.index() + count) }
}

/// Adds the links below `above`, at the place `at` in the list of nodes, and lets all that names nodes follow.
fn insert_nodes(
    parts: &mut ModelParts,
    change: &LinkChange,
    (above, at): (NodeId, usize),
    made_after: usize,
) -> Result<(), BuildError> {
    let count = change.links.len();
    shift(parts, &|id| moved_node(id, at, count));
    let joint = parts.skeleton.rest.transforms[change.of.index()];
    let first = parts.skeleton.file_index.iter().max().map_or(0, |last| last + 1);
    // Where the origins say something about nodes, they say something about each of the file and each link. Those that came with skins stand
    // after all of them, and of these they say nothing.
    let known = parts.source.origins.nodes.len();
    for (i, link) in change.links.iter().enumerate() {
        let (place, node) = (at + i, NodeId::from_index(at + i));
        let skeleton = &mut parts.skeleton;
        skeleton.parents.insert(place, Some(above));
        skeleton.names.insert(place, link.name.clone());
        skeleton.file_index.insert(place, first + i as u32);
        skeleton.rest.transforms.insert(place, link.drive.transform(joint, Vec3::ONE));
        for scene in &mut parts.scenes {
            let is_shown = scene.contains.get(above.index()).copied().unwrap_or_default();
            ensure(place <= scene.contains.len(), || "scenes".to_owned(), "a scene does not know all nodes")?;
            scene.contains.insert(place, is_shown);
        }
        if known > 0 {
            let members = &mut Arc::make_mut(&mut parts.source.origins).nodes;
            members.insert(place.min(members.len()), NodeMembers::default());
        }
        parts.links.push(Link { node, of: change.of, drive: link.drive, is_new: true, made_after });
    }
    parts.links.sort_by_key(|link| link.node);
    Ok(())
}

/// Lets everything that names nodes name others.
fn shift(parts: &mut ModelParts, moved: &dyn Fn(NodeId) -> NodeId) {
    let all = |ids: &mut Vec<NodeId>| ids.iter_mut().for_each(|id| *id = moved(*id));
    let skeleton = &mut parts.skeleton;
    skeleton.parents.iter_mut().flatten().for_each(|id| *id = moved(*id));
    skeleton.residuals.iter_mut().for_each(|(id, _)| *id = moved(*id));
    parts.scenes.iter_mut().for_each(|scene| all(&mut scene.roots));
    parts.humanoid.iter_mut().for_each(|(id, _)| *id = moved(*id));
    parts.expressions.iter_mut().flat_map(|e| &mut e.binds).for_each(|bind| bind.node = moved(bind.node));
    parts.expression_nodes.iter_mut().for_each(|(id, _)| *id = moved(*id));
    parts.limits.iter_mut().for_each(|(id, _)| *id = moved(*id));
    for skin in &mut parts.skins {
        all(&mut skin.joints);
        skin.root = skin.root.map(moved);
    }
    all(&mut parts.hidden);
    all(&mut parts.instanced_skins);
    parts.light_nodes.iter_mut().for_each(|(id, _)| *id = moved(*id));
    parts.camera_nodes.iter_mut().for_each(|(id, _)| *id = moved(*id));
    parts.instances.iter_mut().for_each(|instance| instance.node = moved(instance.node));
    for clip in &mut parts.clips {
        clip.channels.iter_mut().for_each(|channel| channel.node = moved(channel.node));
        clip.far.iter_mut().for_each(|track| track.node = moved(track.node));
        for channel in &mut clip.properties {
            if let Property::Visible(id) = &mut channel.property {
                *id = moved(*id);
            }
        }
    }
    for link in &mut parts.links {
        (link.node, link.of) = (moved(link.node), moved(link.of));
    }
}

impl ModelParts {
    /// Lets all links follow their joints in a pose.
    pub fn drive_links(&self, pose: &mut LocalPose) {
        for link in &self.links {
            let Some(joint) = pose.transforms.get(link.of.index()).copied() else { continue };
            if let Some(own) = pose.transforms.get_mut(link.node.index()) {
                *own = link.drive.transform(joint, own.scale);
            }
        }
    }

    /// Returns the index after the last node that moves where a joint turns: that of its subtree, or of the subtree above where it has links,
    /// which turn with it.
    #[must_use]
    pub fn moved_end(&self, joint: NodeId) -> usize {
        let skeleton = &self.skeleton;
        let above = skeleton.parents[joint.index()].filter(|_| self.links.iter().any(|link| link.of == joint));
        skeleton.subtree_end(above.unwrap_or(joint))
    }

    /// Returns the links that were made since the file was read.
    pub fn new_links(&self) -> impl Iterator<Item = &Link> {
        self.links.iter().filter(|link| link.is_new)
    }
}

#[cfg(test)]
#[path = "link_tests.rs"]
mod tests;
