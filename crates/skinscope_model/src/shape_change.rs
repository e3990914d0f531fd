//! Gives meshes other morph targets: new ones after those that they have, and without some of these. What has a number for each target follows:
//! the weights of nodes and of the rest pose, and the keys of clips.

use std::sync::Arc;

use super::builder::ensure;
use super::{
    BuildError, Channel, Clip, ClipId, InstanceId, Interpolation, LocalPose, MeshId, Model, ModelParts, MorphTarget,
    NodeId, Path, Primitive, Sampler, Values, Wide,
};

/// A morph target that a mesh has from now on.
#[derive(Clone, Debug, Default)]
pub struct ShapeTarget {
    /// The name, which is not empty.
    pub name: String,
    /// The index of the morph target of the mesh that it is; `None`: it is a new one.
    pub from: Option<usize>,
    /// What a new one adds to each primitive of the mesh, for the vertices of the file alone ([`Primitive::stored_vertices`]). Each list is empty
    /// or has all of them.
    pub offsets: Vec<MorphTarget>,
}

/// Keys of the weights of all morph targets that the mesh of an instance has from now on, in place of those that a clip has.
#[derive(Clone, Debug)]
pub struct ShapeTrack {
    /// The clip.
    pub clip: ClipId,
    /// The instance that shows the mesh.
    pub instance: InstanceId,
    /// The key times, seconds, strictly rising.
    pub times: Vec<f32>,
    /// The way between keys.
    pub interpolation: Interpolation,
    /// The weights of all targets, key after key; with splines in-tangents, values and out-tangents of each key.
    pub values: Vec<f32>,
}

/// The morph targets that some meshes have from now on.
#[derive(Clone, Debug, Default)]
pub struct ShapeChange {
    /// All targets of each of these meshes: those that stay, in their order, then new ones.
    pub meshes: Vec<(MeshId, Vec<ShapeTarget>)>,
    /// Keys of their weights. Where there are none for a clip, its keys stay as they are, without those of targets that go, and with zeros for
    /// new ones.
    pub tracks: Vec<ShapeTrack>,
    /// The text of what drives shapes, all of those of the model.
    pub drivers: Option<Arc<str>>,
}

/// A mesh whose morph targets, or the keys of their weights, are others than those of its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retargeted {
    /// The mesh.
    pub mesh: MeshId,
    /// The names that the targets of the file have.
    pub names: Vec<String>,
    /// The index of each target in the file; `None`: the file does not have it. Those that it has come first, and their indices rise.
    pub from: Vec<Option<usize>>,
    /// Whether clips have other keys of their weights.
    pub has_other_keys: bool,
}

impl Retargeted {
    /// Returns whether the mesh, whose targets have these names, is another one than that of the file.
    pub(super) fn differs(&self, names: &[String]) -> bool {
        let are_all = self.from.iter().copied().eq((0..self.names.len()).map(Some));
        self.has_other_keys || !are_all || self.names != names
    }
}

impl Model {
    /// Returns the same model with other morph targets. All ids stay.
    ///
    /// # Errors
    /// Something does not fit, and the message says what: a target that is not there, another number of offsets or keys than there are vertices
    /// or targets, an expression or a clip that would be left without what it moves.
    pub fn with_shapes(&self, change: &ShapeChange) -> Result<Self, BuildError> {
        let whole = || "morph targets".to_owned();
        let is_bound = !self.bindings().is_empty();
        ensure(!is_bound, whole, "meshes gained skins that are not saved yet: save them first")?;
        for (at, (mesh, targets)) in change.meshes.iter().enumerate() {
            let twice = change.meshes[..at].iter().any(|(other, _)| other == mesh);
            ensure(!twice, || format!("mesh {}", mesh.0), "it is given morph targets twice")?;
            check_targets(self, *mesh, targets)?;
        }
        for track in &change.tracks {
            let instance = self.instances.get(track.instance.index());
            let is_given = |instance: &super::Instance| change.meshes.iter().any(|(mesh, _)| *mesh == instance.mesh);
            let fits = instance.is_some_and(is_given) && track.clip.index() < self.clips.len();
            ensure(fits, || format!("clip {}", track.clip.0), "it or the mesh whose weights it moves is not there")?;
        }
        let mut parts = self.shared.parts.clone();
        for (mesh, targets) in &change.meshes {
            let others = change.tracks.iter().any(|track| self.instances[track.instance.index()].mesh == *mesh);
            let keeps_all = keeps_all(targets, self.meshes[mesh.index()].morph_names.len());
            let has_other_keys = others || !keeps_all && has_keys(&parts, *mesh);
            note(&mut parts, *mesh, targets, has_other_keys);
            set_targets(&mut parts, *mesh, targets);
            for at in (0..parts.instances.len()).filter(|at| parts.instances[*at].mesh == *mesh).collect::<Vec<_>>() {
                set_keys(&mut parts, InstanceId::from_index(at), (targets, keeps_all), change)?;
            }
        }
        set_rest(&mut parts);
        let ModelParts { retargeted, meshes, .. } = &mut parts;
        retargeted.retain(|of| of.differs(&meshes[of.mesh.index()].morph_names));
        parts.source.kept_shapes.clone_from(&change.drivers);
        let mut built = Self::build(parts)?;
        if let Some(shared) = Arc::get_mut(&mut built.shared) {
            shared.reading = Arc::clone(&self.shared.reading);
            // Another list in memory says that the layout is another one.
            shared.bindings = Arc::new(self.shared.bindings.to_vec());
        }
        Self { edits: self.edits.clone(), ..built }.with_binds(&self.edited_skinning().binds)
    }

    /// Returns whether both models have the morph targets of their file, or come from one reading of it and have the same other ones.
    #[must_use]
    pub fn has_shapes_of(&self, other: &Self) -> bool {
        let are_of_file = self.retargeted.is_empty() && other.retargeted.is_empty();
        are_of_file || self.shares_all_but_edits(other)
    }

    /// Returns for the index of each morph weight of a pose the one that it has in another model of the file, whose instances are the same;
    /// `None` where that lacks the target.
    #[must_use]
    pub fn morphs_in(&self, other: &Self) -> Vec<Option<usize>> {
        let mut out = Vec::with_capacity(self.skeleton.rest.morph_weights.len());
        for (own, its) in self.instances.iter().zip(&other.instances) {
            let (targets, others) = (self.targets_of(own.mesh), other.targets_of(its.mesh));
            let (from, to) = (targets.iter().map(|(from, _)| *from), others.iter().map(|(from, _)| *from));
            let is_renamed = from.eq(to);
            let place = |(at, target): (usize, &(Option<usize>, &str))| match is_renamed {
                true => Some(its.morph_offset + at),
                false => others.iter().position(|other| other == target).map(|at| its.morph_offset + at),
            };
            out.extend(targets.iter().enumerate().map(place));
        }
        out
    }

    /// Returns a pose as one of another model of the file, whose nodes and morph targets may be others: what this one lacks is as at rest there.
    #[must_use]
    pub fn pose_in(&self, other: &Self, pose: &LocalPose) -> LocalPose {
        let nodes = self.nodes_in(other);
        let find = |node: NodeId| nodes.get(node.index()).copied().flatten();
        let mut out = other.skeleton.rest.clone();
        for (transform, place) in pose.transforms.iter().zip(&nodes) {
            if let Some(own) = place.and_then(|node| out.transforms.get_mut(node.index())) {
                *own = *transform;
            }
        }
        for (weight, place) in pose.morph_weights.iter().zip(self.morphs_in(other)) {
            if let Some(own) = place.and_then(|at| out.morph_weights.get_mut(at)) {
                *own = *weight;
            }
        }
        let Wide { offsets, rotations } = &pose.wide;
        out.wide = Wide {
            offsets: offsets.iter().filter_map(|(node, by)| Some((find(*node)?, *by))).collect(),
            rotations: rotations.iter().filter_map(|(node, turn)| Some((find(*node)?, *turn))).collect(),
        };
        out
    }

    /// Returns the index in the file and the name of each target of a mesh.
    fn targets_of(&self, mesh: MeshId) -> Vec<(Option<usize>, &str)> {
        let of = self.retargeted.iter().find(|of| of.mesh == self.file_mesh(mesh));
        let names = self.meshes[mesh.index()].morph_names.iter().enumerate();
        names
            .map(|(at, name)| match of {
                // A target of the file may have another name by now.
                Some(of) => match of.from.get(at).copied().flatten() {
                    Some(file) => (Some(file), ""),
                    None => (None, name.as_str()),
                },
                None => (Some(at), ""),
            })
            .collect()
    }
}

/// Returns whether a mesh with so many targets keeps them all, and gains none.
fn keeps_all(targets: &[ShapeTarget], count: usize) -> bool {
    targets.len() == count && targets.iter().enumerate().all(|(at, target)| target.from == Some(at))
}

fn check_targets(model: &Model, mesh: MeshId, targets: &[ShapeTarget]) -> Result<(), BuildError> {
    let location = || format!("mesh {}", mesh.0);
    let Some(of) = model.meshes.get(mesh.index()) else { return ensure(false, location, "it is not there") };
    let is_one = !model.is_parted(mesh);
    ensure(is_one, location, "nodes show it with several skins, and its morph targets would be those of all")?;
    let is_pointed = model.source.pointed_weights.contains(&mesh.index());
    let stays = !is_pointed || keeps_all(targets, of.morph_names.len());
    ensure(stays, location, "a clip names its weights by a pointer, so that it keeps as many morph targets as it has")?;
    let kept: Vec<usize> = targets.iter().map_while(|target| target.from).collect();
    let are_first = targets[kept.len()..].iter().all(|target| target.from.is_none());
    let rising = kept.windows(2).all(|two| two[0] < two[1]) && kept.last().is_none_or(|at| *at < of.morph_names.len());
    ensure(are_first && rising, location, "the targets that it keeps are not there, or are in another order")?;
    for target in targets {
        let of_target = || format!("morph target \"{}\"", target.name);
        ensure(!target.name.is_empty(), of_target, "it has no name")?;
        if target.from.is_none() {
            let fits = |(primitive, offsets): (&Primitive, &MorphTarget)| {
                [&offsets.positions, &offsets.normals, &offsets.tangents].iter().all(|list| {
                    list.is_empty() || primitive.shares.is_none() && list.len() == primitive.stored_vertices
                })
            };
            let fits =
                target.offsets.len() == of.primitives.len() && of.primitives.iter().zip(&target.offsets).all(fits);
            ensure(fits, of_target, "it does not have an offset for each vertex")?;
        }
    }
    let shows = |node: NodeId| model.instances.iter().any(|i| i.node == node && i.mesh == mesh);
    for bind in model.expressions.iter().flat_map(|expression| &expression.binds).filter(|bind| shows(bind.node)) {
        let stays = kept.get(bind.target) == Some(&bind.target);
        ensure(
            stays,
            location,
            "an expression of the file names its morph targets by their numbers, which would be others",
        )?;
    }
    Ok(())
}

/// Returns whether a clip has keys of the weights of a mesh.
pub(super) fn has_keys(parts: &ModelParts, mesh: MeshId) -> bool {
    let shows = |node: NodeId| parts.instances.iter().any(|instance| instance.mesh == mesh && instance.node == node);
    let mut channels = parts.clips.iter().flat_map(|clip| &clip.channels);
    channels.any(|channel| channel.path == Path::Weights && shows(channel.node))
}

/// Notes what the targets are in the file.
fn note(parts: &mut ModelParts, mesh: MeshId, targets: &[ShapeTarget], has_other_keys: bool) {
    match parts.retargeted.iter_mut().find(|of| of.mesh == mesh) {
        Some(of) => {
            let from = |target: &ShapeTarget| of.from.get(target.from?).copied().flatten();
            let from: Vec<Option<usize>> = targets.iter().map(from).collect();
            of.from = from;
            of.has_other_keys |= has_other_keys;
        }
        None => {
            let names = parts.meshes[mesh.index()].morph_names.clone();
            let from = targets.iter().map(|target| target.from).collect();
            parts.retargeted.push(Retargeted { mesh, names, from, has_other_keys });
            parts.retargeted.sort_by_key(|of| of.mesh);
        }
    }
}

/// Gives a mesh its targets, and the instances that show it the weights of these at rest: none of new ones.
fn set_targets(parts: &mut ModelParts, mesh: MeshId, targets: &[ShapeTarget]) {
    let of = &mut parts.meshes[mesh.index()];
    of.morph_names = targets.iter().map(|target| target.name.clone()).collect();
    for (number, primitive) in of.primitives.iter_mut().enumerate() {
        let morph = |target: &ShapeTarget| match target.from {
            Some(at) => primitive.morphs[at].clone(),
            None => with_copies(primitive, &target.offsets[number]),
        };
        primitive.morphs = targets.iter().map(morph).collect();
    }
    for instance in parts.instances.iter_mut().filter(|instance| instance.mesh == mesh) {
        let weight = |target: &ShapeTarget| target.from.map_or(0.0, |at| instance.morph_weights[at]);
        instance.morph_weights = targets.iter().map(weight).collect();
    }
}

/// Returns offsets of the vertices of the file with those of the vertices that were split off from them.
fn with_copies(primitive: &Primitive, offsets: &MorphTarget) -> MorphTarget {
    let all = |list: &[glam::Vec3]| {
        let copies = primitive.split_from.iter().filter_map(|from| list.get(*from as usize));
        list.iter().chain(copies).copied().collect()
    };
    MorphTarget { positions: all(&offsets.positions), normals: all(&offsets.normals), tangents: all(&offsets.tangents) }
}

/// Counts the weights of all instances anew.
pub(super) fn set_rest(parts: &mut ModelParts) {
    let rest = &mut parts.skeleton.rest.morph_weights;
    rest.clear();
    for instance in &mut parts.instances {
        instance.morph_offset = rest.len();
        rest.extend_from_slice(&instance.morph_weights);
    }
}

/// Gives clips the keys of the weights of an instance.
fn set_keys(
    parts: &mut ModelParts,
    id: InstanceId,
    (targets, keeps_all): (&[ShapeTarget], bool),
    change: &ShapeChange,
) -> Result<(), BuildError> {
    let node = parts.instances[id.index()].node;
    let is_own = |channel: &Channel| channel.node == node && channel.path == Path::Weights;
    for (at, clip) in parts.clips.iter_mut().enumerate() {
        if targets.is_empty() {
            let before = clip.channels.len();
            remap_keys(clip, node, &[]);
            let is_left = clip.channels.len() == before || !(clip.channels.is_empty() && clip.properties.is_empty());
            ensure(is_left, || format!("clip \"{}\"", clip.name), "it moves nothing but morph targets that would go")?;
            continue;
        }
        let given = change.tracks.iter().find(|track| track.clip.index() == at && track.instance == id);
        if let Some(track) = given {
            let sampler =
                add_keys(clip, track.times.clone(), track.interpolation, (targets.len(), track.values.clone()));
            let mut own = clip.channels.iter_mut().filter(|channel| is_own(channel)).peekable();
            if own.peek().is_none() {
                clip.channels.push(Channel { node, path: Path::Weights, sampler });
            } else {
                own.for_each(|channel| channel.sampler = sampler);
            }
        } else if !keeps_all {
            let from: Vec<Option<usize>> = targets.iter().map(|target| target.from).collect();
            remap_keys(clip, node, &from);
        }
    }
    Ok(())
}

/// Gives the keys of the weights of a node a number for each of its targets: that of the target that it was, or 0. Without a target the node has
/// no keys.
pub(super) fn remap_keys(clip: &mut Clip, node: NodeId, from: &[Option<usize>]) {
    let is_own = |channel: &Channel| channel.node == node && channel.path == Path::Weights;
    if from.is_empty() {
        clip.channels.retain(|channel| !is_own(channel));
        return;
    }
    let own: Vec<usize> = (0..clip.channels.len()).filter(|at| is_own(&clip.channels[*at])).collect();
    for channel in own {
        let Sampler { times, interpolation, values } = clip.samplers[clip.channels[channel].sampler].clone();
        let Values::Weights { count, values } = values else { continue };
        let row = |row: &[f32]| -> Vec<f32> {
            from.iter().map(|from| from.and_then(|at| row.get(at).copied()).unwrap_or(0.0)).collect()
        };
        let values = values.chunks(count.max(1)).flat_map(row).collect();
        let values = Values::Weights { count: from.len(), values };
        clip.samplers.push(Sampler { times, interpolation, values });
        clip.channels[channel].sampler = clip.samplers.len() - 1;
    }
}

/// Adds a sampler to a clip, and returns its index.
pub(super) fn add_keys(
    clip: &mut Clip,
    times: Vec<f32>,
    interpolation: Interpolation,
    (count, values): (usize, Vec<f32>),
) -> usize {
    clip.times.push(times);
    let times = clip.times.len() - 1;
    clip.samplers.push(Sampler { times, interpolation, values: Values::Weights { count, values } });
    clip.samplers.len() - 1
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::test_shapes::obstacle_course;

    /// What keeps the targets of the model's first mesh, but for those that are left out, and adds one that moves everything along X.
    fn change(model: &Model, without: &[usize], new: &[&str]) -> ShapeChange {
        let mesh = &model.meshes[0];
        let kept = (0..mesh.morph_names.len()).filter(|at| !without.contains(at));
        let kept =
            kept.map(|at| ShapeTarget { name: mesh.morph_names[at].clone(), from: Some(at), ..ShapeTarget::default() });
        let offsets =
            |p: &Primitive| MorphTarget { positions: vec![Vec3::X; p.stored_vertices], ..MorphTarget::default() };
        let new = new.iter().map(|name| ShapeTarget {
            name: (*name).to_owned(),
            from: None,
            offsets: mesh.primitives.iter().map(offsets).collect(),
        });
        ShapeChange { meshes: vec![(MeshId(0), kept.chain(new).collect())], ..ShapeChange::default() }
    }

    /// The keys of the weights of the first clip.
    fn keys(model: &Model) -> Vec<f32> {
        let clip = &model.clips[0];
        let channel = clip.channels.iter().find(|channel| channel.path == Path::Weights).unwrap();
        match &clip.samplers[channel.sampler].values {
            Values::Weights { values, .. } => values.clone(),
            _ => panic!("weights have numbers"),
        }
    }

    #[test]
    fn a_target_that_is_added_and_taken_away_again_leaves_all_others_as_they_were() {
        let model = obstacle_course();
        let more = model.with_shapes(&change(&model, &[], &["bulge"])).unwrap();
        assert_eq!(more.meshes[0].morph_names, ["swell", "lean", "bulge"]);
        assert_eq!(more.instances[0].morph_weights, [0.25, 0.0, 0.0]);
        assert_eq!((more.instances[1].morph_offset, more.skeleton.rest.morph_weights.len()), (3, 3));
        assert!(more.is_of_one_file(&model) && !more.shares_all_but_edits(&model) && !more.has_shapes_of(&model));
        let primitive = &more.meshes[0].primitives[0];
        assert!(primitive.morphs[2].positions.len() == primitive.positions.len());
        let [before, after] = [keys(&model), keys(&more)];
        assert!(before.chunks(2).zip(after.chunks(3)).all(|(two, three)| three[..2] == *two && three[2] == 0.0));
        assert_eq!(before.len() / 2, after.len() / 3);
        let back = more.with_shapes(&change(&more, &[2], &[])).unwrap();
        assert!(keys(&back) == before && back.meshes[0].morph_names == model.meshes[0].morph_names);
        assert_eq!(back.retargeted[0].from, [Some(0), Some(1)]);
        assert_eq!(more.morphs_in(&back), [Some(0), Some(1), None]);
        assert_eq!(back.morphs_in(&more), [Some(0), Some(1)]);
    }

    #[test]
    fn a_pose_keeps_the_weights_of_targets_that_have_other_places() {
        let model = obstacle_course();
        let other = model.with_shapes(&change(&model, &[0], &["bulge"])).unwrap();
        let mut pose = model.skeleton.rest.clone();
        pose.morph_weights.copy_from_slice(&[0.3, 0.7]);
        pose.transforms[3].translation.x += 1.0;
        let moved = model.pose_in(&other, &pose);
        assert!(moved.morph_weights == [0.7, 0.0] && moved.transforms == pose.transforms);
        assert_eq!(other.pose_in(&model, &moved).morph_weights, [0.25, 0.7], "what was not there is as at rest");
    }

    #[test]
    fn names_that_are_those_of_the_file_again_are_no_change() {
        let model = obstacle_course();
        let named = |model: &Model, name: &str| {
            let mut change = change(model, &[], &[]);
            change.meshes[0].1[0].name = name.to_owned();
            model.with_shapes(&change).unwrap()
        };
        let other = named(&model, "grow");
        assert!(other.retargeted.len() == 1 && !other.retargeted[0].has_other_keys);
        assert!(named(&other, "swell").retargeted.is_empty());
    }

    #[test]
    fn targets_of_the_file_go_and_what_is_left_is_known_by_where_it_was() {
        let model = obstacle_course();
        let less = model.with_shapes(&change(&model, &[0], &["bulge"])).unwrap();
        assert_eq!(
            (&less.retargeted[0].from[..], &less.retargeted[0].names[..]),
            (&[Some(1), None][..], &["swell".to_owned(), "lean".to_owned()][..])
        );
        assert!(less.retargeted[0].has_other_keys);
        assert!(keys(&model).chunks(2).zip(keys(&less).chunks(2)).all(|(was, is)| is == [was[1], 0.0]));
        let none = less.with_shapes(&change(&less, &[0, 1], &[])).unwrap();
        assert!(none.skeleton.rest.morph_weights.is_empty() && none.meshes[0].primitives[0].morphs.is_empty());
        assert!(none.clips[0].channels.iter().all(|channel| channel.path != Path::Weights));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let model = obstacle_course();
        let why = |edit: &dyn Fn(&mut ShapeChange)| {
            let mut change = change(&model, &[], &["bulge"]);
            edit(&mut change);
            model.with_shapes(&change).err().map_or_else(String::new, |error| error.what)
        };
        assert_eq!(why(&|_| {}), "");
        let mut parts = (*obstacle_course()).clone();
        parts.source.pointed_weights.push(0);
        let pointed = Model::build(parts).unwrap();
        assert!(pointed.with_shapes(&change(&pointed, &[], &["bulge"])).unwrap_err().what.contains("by a pointer"));
        assert!(pointed.with_shapes(&change(&pointed, &[], &[])).is_ok());
        assert!(why(&|change| change.meshes[0].1.swap(0, 1)).contains("another order"));
        assert!(why(&|change| change.meshes[0].1[1].from = Some(7)).contains("not there"));
        assert!(why(&|change| change.meshes[0].1[2].name.clear()).contains("no name"));
        assert!(why(&|change| _ = change.meshes[0].1[2].offsets[0].positions.pop()).contains("each vertex"));
        assert!(why(&|change| change.meshes.push(change.meshes[0].clone())).contains("twice"));
        let track = |count: usize| ShapeTrack {
            clip: ClipId(0),
            instance: InstanceId(0),
            times: vec![0.0, 1.0],
            interpolation: Interpolation::Linear,
            values: vec![0.5; count],
        };
        assert_eq!(why(&|change| change.tracks.push(track(6))), "");
        assert!(why(&|change| change.tracks.push(track(5))).contains("differ in number"));
        assert!(why(&|change| change.tracks.push(ShapeTrack { clip: ClipId(9), ..track(6) })).contains("not there"));
    }

    #[test]
    fn targets_that_expressions_name_keep_their_numbers() {
        let mut parts = (*obstacle_course()).clone();
        let binds = vec![crate::MorphBind { node: NodeId(1), target: 1, weight: 1.0 }];
        parts.expressions = vec![crate::Expression { name: "happy".into(), binds, ..crate::Expression::default() }];
        let model = Model::build(parts).unwrap();
        assert!(model.with_shapes(&change(&model, &[], &["bulge"])).is_ok());
        let why = model.with_shapes(&change(&model, &[0], &[])).unwrap_err().to_string();
        assert!(why.contains("an expression"), "{why}");
    }
}
