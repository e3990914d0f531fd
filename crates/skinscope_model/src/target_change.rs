//! What makes the morph targets of a model those of another one of its file again, as a step of a history does. It holds only what the model lacks,
//! so that it is as large as what it changes.

use std::sync::Arc;

use super::builder::ensure;
use super::shape_change::{add_keys, has_keys, remap_keys, set_rest};
use super::{
    BindingChange, BuildError, Channel, Clip, Interpolation, Mesh, MeshId, Model, ModelParts, MorphTarget, NodeId,
    Path, Retargeted, Sampler, Values,
};

/// A change of morph targets, of the keys of their weights and of what drives them: from one model of a file to another one with the same nodes,
/// meshes and skins ([`Model::targets_back_to`]).
#[derive(Clone, Debug)]
pub struct TargetChange {
    meshes: Vec<MeshTargets>,
    clips: Vec<ClipKeys>,
    /// The names of the clips that the other model has.
    names: Vec<String>,
    retargeted: Vec<Retargeted>,
    drivers: Option<Arc<str>>,
    /// The same list in memory says that the layout is the same one ([`Model::shares_all_but_edits`]).
    bindings: Arc<Vec<Arc<BindingChange>>>,
    /// Whether the file was written and read again since, so that it has other targets by now, and other lists of keys.
    is_reread: bool,
}

/// All morph targets of a mesh, and the weights of the instances that show it at rest.
#[derive(Clone, Debug)]
struct MeshTargets {
    mesh: MeshId,
    targets: Vec<(String, Offsets)>,
    /// By the index of the instance.
    weights: Vec<(usize, Vec<f32>)>,
}

/// Where the offsets of a target are.
#[derive(Clone, Debug)]
enum Offsets {
    /// The model that is changed has them, in the target of this index. The indices of a mesh rise.
    There(usize),
    /// Here: those of each primitive of the mesh.
    Own(Vec<MorphTarget>),
}

/// The channels of a clip, with the key times and samplers that follow the first ones, which stay.
#[derive(Clone, Debug)]
struct ClipKeys {
    clip: usize,
    channels: Vec<Channel>,
    times: (usize, Vec<Vec<f32>>),
    samplers: (usize, Vec<Sampler>),
    /// The keys of morph weights that differ, as they are, whatever lists the clip has.
    weights: Vec<WeightKeys>,
}

/// The keys of the morph weights of a node.
#[derive(Clone, Debug, PartialEq)]
struct WeightKeys {
    node: NodeId,
    times: Vec<f32>,
    interpolation: Interpolation,
    /// The number of weights of a key, and the weights key after key.
    values: (usize, Vec<f32>),
}

impl TargetChange {
    /// Returns the meshes whose morph targets it changes.
    pub fn meshes(&self) -> impl Iterator<Item = MeshId> {
        self.meshes.iter().map(|of| of.mesh)
    }

    /// Must be called when a model that the change led to, or a later one, was written into the file, and that was read again, with the same
    /// nodes, meshes and vertices: from then on the change is one of the file as it is now.
    pub fn follow_file(&mut self) {
        self.is_reread = true;
    }

    /// Returns the size of its lists of offsets and keys in memory, bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let offsets = |offsets: &Offsets| match offsets {
            Offsets::There(_) => 0,
            Offsets::Own(own) => own.iter().map(bytes_of_target).sum::<usize>(),
        };
        let targets = self.meshes.iter().flat_map(|of| &of.targets).map(|(_, of)| offsets(of)).sum::<usize>();
        targets + self.clips.iter().map(ClipKeys::bytes).sum::<usize>()
    }
}

fn bytes_of_target(target: &MorphTarget) -> usize {
    [&target.positions, &target.normals, &target.tangents].iter().map(|list| size_of_val(&list[..])).sum()
}

impl Model {
    /// Returns the change that makes its morph targets those of `before`, a model of the same file with the same nodes, meshes and skins.
    #[must_use]
    pub fn targets_back_to(&self, before: &Self) -> TargetChange {
        let meshes = self.meshes.iter().zip(&before.meshes).enumerate();
        let meshes = meshes.filter_map(|(at, (now, then))| {
            let targets = targets_of(now, then);
            let stays = |(at, (name, offsets)): (usize, &(String, Offsets))| {
                matches!(offsets, Offsets::There(from) if *from == at) && *name == now.morph_names[at]
            };
            if targets.len() == now.morph_names.len() && targets.iter().enumerate().all(stays) {
                return None;
            }
            let mesh = MeshId::from_index(at);
            let shows = before.instances.iter().enumerate().filter(|(_, instance)| instance.mesh == mesh);
            let weights = shows.map(|(at, instance)| (at, instance.morph_weights.clone())).collect();
            Some(MeshTargets { mesh, targets, weights })
        });
        let clips = self.clips.iter().zip(&before.clips).enumerate();
        TargetChange {
            meshes: meshes.collect(),
            clips: clips.filter_map(|(at, (now, then))| ClipKeys::between(at, now, then)).collect(),
            names: before.clips.iter().map(|clip| clip.name.clone()).collect(),
            retargeted: before.retargeted.clone(),
            drivers: before.source.kept_shapes.clone(),
            bindings: Arc::clone(&before.shared.bindings),
            is_reread: false,
        }
    }

    /// Returns the same model with other morph targets. Weights and matrices stay as they are edited, and so do clips that have come since the
    /// change was noted, whose keys of weights follow the targets.
    ///
    /// # Errors
    /// The change is of another model.
    pub fn with_targets_changed(&self, change: &TargetChange) -> Result<Self, BuildError> {
        let mut parts = self.shared.parts.clone();
        for of in &change.meshes {
            of.put(&mut parts)?;
        }
        for (at, clip) in parts.clips.iter_mut().enumerate() {
            let own = change.clips.iter().find(|of| of.clip == at && change.names.get(at) == Some(&clip.name));
            match own {
                Some(of) if change.is_reread => of.put_weights(clip),
                Some(of) if of.fits(clip) => of.put(clip),
                _ => {}
            }
        }
        change.meshes.iter().for_each(|of| of.put_keys(&mut parts));
        set_rest(&mut parts);
        parts.retargeted = match change.is_reread {
            true => change.in_file(self, &parts),
            false => change.retargeted.clone(),
        };
        parts.source.kept_shapes.clone_from(&change.drivers);
        let mut built = Self::build(parts)?;
        if let Some(shared) = Arc::get_mut(&mut built.shared) {
            shared.reading = Arc::clone(&self.shared.reading);
            shared.bindings = match change.is_reread {
                // Another list in memory says that the layout is another one.
                true => Arc::new(self.shared.bindings.to_vec()),
                false => Arc::clone(&change.bindings),
            };
        }
        Self { edits: self.edits.clone(), ..built }.with_binds(&self.edited_skinning().binds)
    }
}

/// Finds the targets of a mesh among those that it has now; those that are not there are copied.
fn targets_of(now: &Mesh, then: &Mesh) -> Vec<(String, Offsets)> {
    let count = now.morph_names.len();
    let mut next = 0;
    let mut of = |(at, name): (usize, &String)| {
        let named = (next..count).find(|other| now.morph_names[*other] == *name);
        // It may have another name now.
        let mut likely = named.into_iter().chain((next < count).then_some(next));
        let offsets = match likely.find(|other| has_same_offsets((now, *other), (then, at))) {
            Some(other) => {
                next = other + 1;
                Offsets::There(other)
            }
            None => Offsets::Own(then.primitives.iter().map(|primitive| primitive.morphs[at].clone()).collect()),
        };
        (name.clone(), offsets)
    };
    then.morph_names.iter().enumerate().map(&mut of).collect()
}

fn has_same_offsets((a, of_a): (&Mesh, usize), (b, of_b): (&Mesh, usize)) -> bool {
    a.primitives.len() == b.primitives.len()
        && a.primitives.iter().zip(&b.primitives).all(|(a, b)| {
            let (a, b) = (&a.morphs[of_a], &b.morphs[of_b]);
            (&a.positions, &a.normals, &a.tangents) == (&b.positions, &b.normals, &b.tangents)
        })
}

impl MeshTargets {
    /// Gives the mesh its targets, and the instances that show it the weights of these at rest.
    fn put(&self, parts: &mut ModelParts) -> Result<(), BuildError> {
        let location = || format!("mesh {}", self.mesh.0);
        let Some(mesh) = parts.meshes.get_mut(self.mesh.index()) else {
            return ensure(false, location, "it is not there");
        };
        let (count, primitives) = (mesh.morph_names.len(), mesh.primitives.len());
        let fits = |(_, offsets): &(String, Offsets)| match offsets {
            Offsets::There(at) => *at < count,
            Offsets::Own(own) => own.len() == primitives,
        };
        ensure(self.targets.iter().all(fits), location, "its morph targets are others than those that change")?;
        mesh.morph_names = self.targets.iter().map(|(name, _)| name.clone()).collect();
        for (number, primitive) in mesh.primitives.iter_mut().enumerate() {
            let mut before = std::mem::take(&mut primitive.morphs);
            let of = |(_, offsets): &(String, Offsets)| match offsets {
                Offsets::There(at) => std::mem::take(&mut before[*at]),
                Offsets::Own(own) => own[number].clone(),
            };
            primitive.morphs = self.targets.iter().map(of).collect();
        }
        for (at, weights) in &self.weights {
            if let Some(instance) = parts.instances.get_mut(*at).filter(|instance| instance.mesh == self.mesh) {
                instance.morph_weights.clone_from(weights);
            }
        }
        Ok(())
    }

    /// Returns the index of each target in the file, by that of those that the changed model has. Those of the file come first, so that one that
    /// stands behind another target is as good as new.
    fn places(&self, place: impl Fn(usize) -> Option<usize>) -> Vec<Option<usize>> {
        let of_file = |(_, offsets): &(String, Offsets)| match offsets {
            Offsets::There(at) => place(*at),
            Offsets::Own(_) => None,
        };
        let mut out: Vec<Option<usize>> = self.targets.iter().map_while(of_file).map(Some).collect();
        out.resize(self.targets.len(), None);
        out
    }

    /// Gives the clips whose keys are still of the targets from before as many numbers as there are targets now: zeros for new ones.
    fn put_keys(&self, parts: &mut ModelParts) {
        let from: Vec<Option<usize>> = self
            .targets
            .iter()
            .map(|(_, offsets)| if let Offsets::There(at) = offsets { Some(*at) } else { None })
            .collect();
        let ModelParts { instances, clips, .. } = parts;
        for node in instances.iter().filter(|instance| instance.mesh == self.mesh).map(|instance| instance.node) {
            for clip in clips.iter_mut().filter(|clip| has_other_width(clip, node, from.len())) {
                remap_keys(clip, node, &from);
            }
        }
    }
}

/// Returns whether the keys of the weights of a node have another number of weights than this.
fn has_other_width(clip: &Clip, node: NodeId, width: usize) -> bool {
    let mut own = clip.channels.iter().filter(|channel| channel.node == node && channel.path == Path::Weights);
    own.any(
        |channel| matches!(&clip.samplers[channel.sampler].values, Values::Weights { count, .. } if *count != width),
    )
}

impl ClipKeys {
    /// Returns what makes a clip what it was; `None` where it is that.
    fn between(clip: usize, now: &Clip, then: &Clip) -> Option<Self> {
        let times = now.times.iter().zip(&then.times).take_while(|(a, b)| a == b).count();
        let is_same = |(a, b): &(&Sampler, &Sampler)| {
            (a.times, a.interpolation) == (b.times, b.interpolation) && a.values == b.values
        };
        let samplers = now.samplers.iter().zip(&then.samplers).take_while(is_same).count();
        let has_same_times = times == now.times.len() && times == then.times.len();
        let has_same_samplers = samplers == now.samplers.len() && samplers == then.samplers.len();
        let stays = has_same_times && has_same_samplers && now.channels == then.channels;
        (!stays).then(|| Self {
            clip,
            channels: then.channels.clone(),
            times: (times, then.times[times..].to_vec()),
            samplers: (samplers, then.samplers[samplers..].to_vec()),
            weights: WeightKeys::others(then, &WeightKeys::all_of(now)),
        })
    }

    fn fits(&self, clip: &Clip) -> bool {
        clip.times.len() >= self.times.0 && clip.samplers.len() >= self.samplers.0
    }

    fn put(&self, clip: &mut Clip) {
        clip.channels.clone_from(&self.channels);
        clip.times.splice(self.times.0.., self.times.1.iter().cloned());
        clip.samplers.splice(self.samplers.0.., self.samplers.1.iter().cloned());
    }

    /// Gives the clip the keys of morph weights alone, after those that it has. Keys that the other clip lacks are not taken out.
    fn put_weights(&self, clip: &mut Clip) {
        for keys in &self.weights {
            let sampler = add_keys(clip, keys.times.clone(), keys.interpolation, keys.values.clone());
            let is_own = |channel: &&mut Channel| channel.node == keys.node && channel.path == Path::Weights;
            let mut own = clip.channels.iter_mut().filter(is_own).peekable();
            if own.peek().is_none() {
                clip.channels.push(Channel { node: keys.node, path: Path::Weights, sampler });
            } else {
                own.for_each(|channel| channel.sampler = sampler);
            }
        }
    }

    fn bytes(&self) -> usize {
        let values = |sampler: &Sampler| match &sampler.values {
            Values::Vec3(keys) => keys.len() * size_of::<glam::Vec3>(),
            Values::Quat(keys) => keys.len() * size_of::<glam::Quat>(),
            Values::Weights { values, .. } => size_of_val(&values[..]),
        };
        let times = self.times.1.iter().map(|times| size_of_val(&times[..])).sum::<usize>();
        let weights = |keys: &WeightKeys| size_of_val(&keys.times[..]) + size_of_val(&keys.values.1[..]);
        let weights = self.weights.iter().map(weights).sum::<usize>();
        size_of_val(&self.channels[..]) + times + self.samplers.1.iter().map(values).sum::<usize>() + weights
    }
}

impl WeightKeys {
    /// Returns those of a clip that are not among some.
    fn others(clip: &Clip, some: &[Self]) -> Vec<Self> {
        Self::all_of(clip).into_iter().filter(|keys| !some.contains(keys)).collect()
    }

    /// Returns those of a clip; of several channels of one node the last one counts.
    fn all_of(clip: &Clip) -> Vec<Self> {
        let mut out: Vec<Self> = Vec::new();
        for channel in clip.channels.iter().filter(|channel| channel.path == Path::Weights) {
            let sampler = &clip.samplers[channel.sampler];
            let Values::Weights { count, values } = &sampler.values else { continue };
            out.retain(|keys| keys.node != channel.node);
            out.push(Self {
                node: channel.node,
                times: clip.times[sampler.times].clone(),
                interpolation: sampler.interpolation,
                values: (*count, values.clone()),
            });
        }
        out
    }
}

impl TargetChange {
    /// Returns what the morph targets of meshes are in the file that `now`, the model that is changed, was read from. `parts` are those of the
    /// model that it becomes.
    fn in_file(&self, now: &Model, parts: &ModelParts) -> Vec<Retargeted> {
        let of = |mesh: MeshId| {
            let known = now.retargeted.iter().find(|of| of.mesh == mesh);
            let targets = self.meshes.iter().find(|of| of.mesh == mesh);
            if targets.is_none() && !self.has_keys_of(now, mesh) {
                return known.cloned();
            }
            let names = &now.meshes[mesh.index()].morph_names;
            let place = |at: usize| known.map_or(Some(at), |of| of.from.get(at).copied().flatten());
            let from = targets.map_or_else(|| (0..names.len()).map(place).collect(), |of| of.places(place));
            Some(Retargeted {
                mesh,
                names: known.map_or_else(|| names.clone(), |of| of.names.clone()),
                from,
                has_other_keys: known.is_some_and(|of| of.has_other_keys)
                    || has_keys(&now.shared.parts, mesh)
                    || has_keys(parts, mesh),
            })
        };
        let all = (0..parts.meshes.len()).map(MeshId::from_index).filter_map(of);
        all.filter(|of| of.differs(&parts.meshes[of.mesh.index()].morph_names)).collect()
    }

    /// Returns whether it has keys of the weights of a mesh.
    fn has_keys_of(&self, model: &Model, mesh: MeshId) -> bool {
        let mut nodes = self.clips.iter().flat_map(|of| &of.weights).map(|keys| keys.node);
        nodes.any(|node| model.instances.iter().any(|instance| instance.mesh == mesh && instance.node == node))
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::test_shapes::obstacle_course;
    use crate::{Primitive, ShapeChange, ShapeTarget, WeightChange};

    /// Leaves some targets of the first mesh out, and adds one that moves everything along X.
    fn changed(model: &Model, without: &[usize], new: &str) -> Model {
        let mesh = &model.meshes[0];
        let kept = (0..mesh.morph_names.len()).filter(|at| !without.contains(at));
        let kept =
            kept.map(|at| ShapeTarget { name: mesh.morph_names[at].clone(), from: Some(at), ..ShapeTarget::default() });
        let offsets =
            |p: &Primitive| MorphTarget { positions: vec![Vec3::X; p.stored_vertices], ..MorphTarget::default() };
        let offsets = mesh.primitives.iter().map(offsets).collect();
        let new = ShapeTarget { name: new.to_owned(), from: None, offsets };
        let meshes = vec![(MeshId(0), kept.chain(Some(new)).collect())];
        model.with_shapes(&ShapeChange { meshes, drivers: Some("{}".into()), ..ShapeChange::default() }).unwrap()
    }

    /// All that the change may touch, as text.
    fn state(model: &Model) -> String {
        let mesh = &model.meshes[0];
        let morphs: Vec<_> = mesh.primitives.iter().map(|primitive| &primitive.morphs).collect();
        let clips: Vec<_> = model.clips.iter().map(|clip| (&clip.channels, &clip.samplers, &clip.times)).collect();
        let rest = (&model.skeleton.rest.morph_weights, &model.retargeted, &model.source.kept_shapes);
        format!("{:?} {morphs:?} {clips:?} {rest:?}", mesh.morph_names)
    }

    #[test]
    fn targets_change_back_and_forth_and_the_layout_is_the_same_one_again() {
        let model = obstacle_course();
        let other = changed(&model, &[0], "bulge");
        let back = other.targets_back_to(&model);
        let again = other.with_targets_changed(&back).unwrap();
        assert!(state(&again) == state(&model) && again.shares_all_but_edits(&model));
        let forth = again.targets_back_to(&other);
        let there = again.with_targets_changed(&forth).unwrap();
        assert!(state(&there) == state(&other) && there.shares_all_but_edits(&other));
        let of_target = |model: &Model, at: usize| -> usize {
            model.meshes[0].primitives.iter().map(|primitive| bytes_of_target(&primitive.morphs[at])).sum()
        };
        let keys = |change: &TargetChange| change.clips.iter().map(ClipKeys::bytes).sum::<usize>();
        assert_eq!(back.bytes(), of_target(&model, 0) + keys(&back), "the target that went");
        assert_eq!(forth.bytes(), of_target(&other, 1) + keys(&forth), "the target that came");
    }

    #[test]
    fn another_name_holds_no_offset_and_no_key() {
        let model = obstacle_course();
        let target = |(from, name): (usize, &str)| ShapeTarget {
            name: name.to_owned(),
            from: Some(from),
            ..ShapeTarget::default()
        };
        let meshes = vec![(MeshId(0), [(0, "grow"), (1, "lean")].map(target).to_vec())];
        let named = model.with_shapes(&ShapeChange { meshes, ..ShapeChange::default() }).unwrap();
        let back = named.targets_back_to(&model);
        assert_eq!(back.bytes(), 0);
        assert!(state(&named.with_targets_changed(&back).unwrap()) == state(&model));
    }

    #[test]
    fn edited_weights_and_clips_that_came_since_stay() {
        let model = obstacle_course();
        let other = changed(&model, &[], "bulge");
        let back = other.targets_back_to(&model);
        let clip = Clip { name: "Later".into(), ..other.clips[0].clone() };
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        change.push(3, &[0], &[1.0]);
        let later = other.with_clips(vec![clip]).unwrap().with_weights(&[change]).unwrap();
        let again = later.with_targets_changed(&back).unwrap();
        assert_eq!((again.clips.len(), &again.clips[model.clips.len()].name[..]), (model.clips.len() + 1, "Later"));
        assert!(again.weight_edits() == later.weight_edits() && again.meshes[0].morph_names == ["swell", "lean"]);
        assert!(again.clips[..model.clips.len()].iter().zip(&model.clips).all(|(a, b)| a.is_same(b)));
        let late = &again.clips[model.clips.len()];
        assert!(late.channels.iter().all(|channel| match &late.samplers[channel.sampler].values {
            Values::Weights { count, .. } => channel.path != Path::Weights || *count == 2,
            _ => true,
        }));
    }
}
