//! Animations: key times, values, channels.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use glam::{Quat, Vec3};
use gltf::json;
use gltf::json::accessor::Type;
use gltf::json::animation::{Interpolation as JsonInterpolation, Property};
use gltf::json::validation::Checked;
use skinscope_base::words::counted;
use skinscope_model::{
    Channel, Clip, ClipOrigin, Instance, Interpolation, NodeId, Path, PropertyChannel, Sampler, SamplerOrigin, Values,
};

use super::accessor::Accessor;
use super::element::{Format, format};
use super::key_values::{KeyLayout, hold, keep};
use super::nodes::{Nodes, unit};
use super::pointers::{PointerChannel, Target, World};
use super::{ImportError, Reader, key_times};

/// Vectors and weights may be floats or normalised integers.
const VALUE: &[Format] = &[format::F32, format::I8_UNIT, format::U8_UNIT, format::I16_UNIT, format::U16_UNIT];

/// Formats of properties: those of values, and plain bytes, which hold whether something is shown.
const PROPERTY: &[Format] =
    &[format::F32, format::I8_UNIT, format::U8_UNIT, format::I16_UNIT, format::U16_UNIT, format::U8];

/// The warning about a channel whose sampler has no key left.
const NO_KEYS: &str = "has no key with a finite time and was ignored";

/// A clip that is longer than this (seconds) is more likely a broken number than a performance: a day.
const LONG_SECS: f32 = 86_400.0;

/// Reads all animations, in file order, with the locations of their keys in the file.
pub(super) fn read(
    reader: &Reader,
    world: &mut World,
    instances: &[Instance],
) -> Result<(Vec<Clip>, Vec<ClipOrigin>), ImportError> {
    let mut out = Vec::with_capacity(reader.root.animations.len());
    let mut origins = Vec::with_capacity(reader.root.animations.len());
    for (index, animation) in reader.root.animations.iter().enumerate() {
        if reader.progress.is_cancelled() {
            return Err(ImportError::Cancelled);
        }
        let name = animation.name.clone().filter(|n| !n.is_empty()).unwrap_or_else(|| format!("Clip {index}"));
        let mut clip = ClipReader {
            reader,
            nodes: world.nodes,
            instances,
            animation,
            index,
            times: HashMap::new(),
            kept: Vec::new(),
            falling: HashMap::new(),
            samplers: HashMap::new(),
            properties: HashMap::new(),
            of_matrices: BTreeSet::new(),
            moved: HashSet::new(),
            clip: Clip { name, ..Clip::default() },
            origin: ClipOrigin::default(),
        };
        for channel in 0..animation.channels.len() {
            clip.channel(channel)?;
        }
        clip.pointers(reader.pointers.get(index).map_or(&[], Vec::as_slice), world)?;
        origins.push(std::mem::take(&mut clip.origin));
        out.push(clip.finish());
    }
    Ok((out, origins))
}

struct ClipReader<'r, 'a> {
    reader: &'r Reader<'a>,
    nodes: &'r Nodes,
    instances: &'r [Instance],
    animation: &'r json::Animation,
    index: usize,
    /// For each file accessor of key times, and each sampler of which keys without a usable value were left out: the index in `clip.times`.
    times: HashMap<(usize, Option<usize>), usize>,
    /// The times as they are stored of accessors whose times do not rise.
    falling: HashMap<usize, Arc<[f32]>>,
    /// For each list of times: the indices in the file of the remaining keys, rising, where some had to be dropped.
    kept: Vec<Option<Arc<[u32]>>>,
    /// For each file sampler and kind of values: the index in `clip.samplers`.
    samplers: HashMap<(usize, Path), usize>,
    /// For each file sampler and number of components: the index in `clip.samplers`.
    properties: HashMap<(usize, usize), usize>,
    /// The nodes with a matrix that channels move, by their index in the file.
    of_matrices: BTreeSet<u32>,
    /// The targets that channels move so far.
    moved: HashSet<Target>,
    clip: Clip,
    /// The locations in the file of the parts of `clip`, in the same order.
    origin: ClipOrigin,
}

impl<'a> ClipReader<'_, 'a> {
    fn location(&self) -> String {
        format!("animation {} {}", self.index, super::error::quoted(&self.clip.name))
    }

    fn warn(&self, part: &str, message: impl Into<String>) {
        self.reader.warnings.add(format!("{}, {part}", self.location()), message);
    }

    fn channel(&mut self, number: usize) -> Result<(), ImportError> {
        let channel = &self.animation.channels[number];
        let part = format!("channel {number}");
        let location = || format!("{}, {part}", self.location());
        let node = self.nodes.id(channel.target.node, &location)?;
        let path = match channel.target.path {
            Checked::Valid(Property::Translation) => Path::Translation,
            Checked::Valid(Property::Rotation) => Path::Rotation,
            Checked::Valid(Property::Scale) => Path::Scale,
            Checked::Valid(Property::MorphTargetWeights) => Path::Weights,
            // Channels whose target is named by a pointer come after the plain ones.
            Checked::Invalid if self.reader.pointers.get(self.index).is_some_and(|p| !p.is_empty()) => return Ok(()),
            Checked::Invalid => {
                self.warn(&part, "moves something unknown and was ignored");
                return Ok(());
            }
        };
        let kept = self.reader.channels.get(self.index).and_then(|kept| kept.get(number));
        self.move_node(&part, kept.copied().unwrap_or(number), (node, path), channel.sampler.value())
    }

    /// Reads channels that name their target by a pointer; one warning counts those whose target does not exist or is
    /// not shown.
    fn pointers(&mut self, channels: &[PointerChannel], world: &mut World) -> Result<(), ImportError> {
        let mut unknown: Vec<&str> = Vec::new();
        for (number, PointerChannel { channel, sampler, pointer }) in channels.iter().enumerate() {
            let part = format!("pointer {number}");
            let Some(target) = world.find(pointer) else {
                unknown.push(pointer);
                continue;
            };
            let sampler = sampler.unwrap_or(usize::MAX);
            match target {
                Target::Node(node, path) => self.move_node(&part, *channel, (node, path), sampler)?,
                Target::Property(property) if self.moved.insert(target) => {
                    self.check_sampler(&part, sampler)?;
                    match self.property_sampler(sampler, property.components())? {
                        Some(sampler) => {
                            self.clip.properties.push(PropertyChannel { property, sampler });
                            self.origin.properties.push(*channel);
                        }
                        None => self.warn(&part, NO_KEYS),
                    }
                }
                Target::Property(_) => self.warn(&part, "moves what an earlier channel moves and was ignored"),
            }
        }
        if let Some(first) = unknown.first() {
            let (n, first) = (unknown.len(), super::error::quoted(first));
            let point = counted(n, "channel points", "channels point");
            let text = format!("{point} at what is not shown, such as {first}; what does so was ignored");
            self.reader.warnings.add(self.location(), text);
        }
        Ok(())
    }

    fn check_sampler(&self, part: &str, sampler: usize) -> Result<(), ImportError> {
        let have = self.animation.samplers.len();
        if sampler < have {
            return Ok(());
        }
        let found = if sampler == usize::MAX { "none".to_owned() } else { format!("sampler {sampler}") };
        Err(ImportError::invalid(format!("{}, {part}", self.location()), format!("a sampler below {have}"), found))
    }

    /// Reads a channel that moves a node; `channel` is its index in the file.
    fn move_node(
        &mut self,
        part: &str,
        channel: usize,
        (node, path): (NodeId, Path),
        sampler: usize,
    ) -> Result<(), ImportError> {
        self.check_sampler(part, sampler)?;
        let targets = match path {
            Path::Weights => {
                let shown = self.instances.binary_search_by_key(&node, |i| i.node);
                shown.map_or(0, |at| self.instances[at].morph_weights.len())
            }
            _ => 1,
        };
        if targets == 0 {
            self.warn(part, "moves morph weights of a node without morph targets and was ignored");
            return Ok(());
        }
        if !self.moved.insert(Target::Node(node, path)) {
            self.warn(part, "moves what an earlier channel moves and was ignored");
            return Ok(());
        }
        match self.sampler(sampler, path, targets)? {
            Some(sampler) => {
                self.clip.channels.push(Channel { node, path, sampler });
                self.origin.channels.push(channel);
                self.note_matrix(node, path);
            }
            None => self.warn(part, NO_KEYS),
        }
        Ok(())
    }

    /// Notes that a channel moves a node with a matrix, which glTF 2.0 (3.5.3) does not allow.
    fn note_matrix(&mut self, node: NodeId, path: Path) {
        let file = self.nodes.skeleton.file_index[node.index()];
        let has_matrix = self.reader.root.nodes.get(file as usize).is_some_and(|node| node.matrix.is_some());
        if has_matrix && path != Path::Weights {
            self.of_matrices.insert(file);
        }
    }

    /// Returns the clip's sampler for one of the file, which is read when it is first used; `None` where it has no
    /// usable key.
    fn sampler(&mut self, number: usize, path: Path, targets: usize) -> Result<Option<usize>, ImportError> {
        // Translations and scales are read alike, so one sampler serves both.
        let kind = if path == Path::Scale { Path::Translation } else { path };
        if let Some(known) = self.samplers.get(&(number, kind)) {
            let fits =
                !matches!(&self.clip.samplers[*known].values, Values::Weights { count, .. } if *count != targets);
            if fits {
                return Ok(Some(*known));
            }
        }
        let per_value = if path == Path::Weights { targets } else { 1 };
        let (interpolation, output, group) = self.keys(number, per_value)?;
        let (times, values) = self.values((number, kind), &output, KeyLayout { group, per_value })?;
        if self.clip.times[times].is_empty() {
            return Ok(None);
        }
        let at = self.push(number, Sampler { times, interpolation, values });
        self.samplers.insert((number, kind), at);
        Ok(Some(at))
    }

    /// Returns the clip's sampler for a property of `components` numbers; `None` where it has no usable key.
    fn property_sampler(&mut self, number: usize, components: usize) -> Result<Option<usize>, ImportError> {
        if let Some(known) = self.properties.get(&(number, components)) {
            return Ok(Some(*known));
        }
        let (interpolation, output, group) = self.keys(number, 1)?;
        let location = || format!("{}, sampler {number}, output", self.location());
        let kind = [Type::Scalar, Type::Vec2, Type::Vec3, Type::Vec4][components - 1];
        output.expect(&[kind], PROPERTY, &location)?;
        let store = self.reader.store;
        let mut values: Vec<f32> = match components {
            1 => store.floats::<f32, 1>(&output, &location)?,
            2 => store.floats::<[f32; 2], 2>(&output, &location)?.into_flattened(),
            3 => store.floats::<[f32; 3], 3>(&output, &location)?.into_flattened(),
            _ => store.floats::<[f32; 4], 4>(&output, &location)?.into_flattened(),
        };
        let layout = KeyLayout { group: group * components, per_value: components };
        let times = self.numbers(number, &mut values, layout, 0.0, |v| v.is_finite())?;
        if self.clip.times[times].is_empty() {
            return Ok(None);
        }
        let values = Values::Weights { count: components, values };
        let at = self.push(number, Sampler { times, interpolation, values });
        self.properties.insert((number, components), at);
        Ok(Some(at))
    }

    /// Adds sampler `number` of the file to the clip, and returns its index there.
    fn push(&mut self, number: usize, read: Sampler) -> usize {
        let stored = &self.animation.samplers[number];
        let kept = self.kept[read.times].clone();
        let (input, output) = (stored.input.value(), stored.output.value());
        self.origin.samplers.push(SamplerOrigin { sampler: number, input, output, kept });
        self.clip.samplers.push(read);
        self.clip.samplers.len() - 1
    }

    /// Returns how a sampler of the file interpolates, its output, and how many elements of the output belong to one key; `per_value`
    /// elements make one value.
    fn keys(&mut self, number: usize, per_value: usize) -> Result<(Interpolation, Accessor<'a>, usize), ImportError> {
        let sampler = &self.animation.samplers[number];
        let location = || format!("{}, sampler {number}", self.location());
        let interpolation = match sampler.interpolation {
            Checked::Valid(JsonInterpolation::Step) => Interpolation::Step,
            Checked::Valid(JsonInterpolation::Linear) => Interpolation::Linear,
            Checked::Valid(JsonInterpolation::CubicSpline) => Interpolation::CubicSpline,
            Checked::Invalid => {
                return Err(ImportError::invalid(location(), "LINEAR, STEP or CUBICSPLINE", "another interpolation"));
            }
        };
        let output = self.reader.store.accessor(sampler.output, &|| format!("{}, output", location()))?.clone();
        let stored_keys = self.input(sampler.input, number)?.count;
        let per_key = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let group = per_key * per_value;
        let want = stored_keys.saturating_mul(group);
        if output.count != want {
            let location = format!("{}, sampler {number}, output", self.location());
            let [values, keys] =
                [(want, "value"), (stored_keys, "key")].map(|(n, one)| counted(n, one, &format!("{one}s")));
            let expected = format!("{values} for {keys}");
            return Err(ImportError::invalid(location, expected, output.count.to_string()));
        }
        Ok((interpolation, output, group))
    }

    /// Returns the accessor of a sampler's key times.
    fn input(&self, input: json::Index<json::Accessor>, sampler: usize) -> Result<&Accessor<'a>, ImportError> {
        let location = || format!("{}, sampler {sampler}, input", self.location());
        let accessor = self.reader.store.accessor(input, &location)?;
        accessor.expect(&[Type::Scalar], &[format::F32], &location)?;
        if accessor.count == 0 {
            return Err(ImportError::invalid(location(), "one key at least", "none"));
        }
        Ok(accessor)
    }

    /// Returns the list of key times of a sampler (see [`key_times::rising`]). `unusable` says for each key of the file whether its value
    /// cannot be used; empty where each can.
    fn key_times(&mut self, sampler: usize, unusable: &[bool]) -> Result<usize, ImportError> {
        let input = self.animation.samplers[sampler].input;
        let of_clip = self.location();
        let location = || format!("{of_clip}, sampler {sampler}, input");
        if let Some(known) = self.times.get(&(input.value(), None))
            && (unusable.is_empty() || !self.falling.contains_key(&input.value()))
        {
            return Ok(*known);
        }
        let stored: Arc<[f32]> = match self.falling.get(&input.value()) {
            Some(stored) => Arc::clone(stored),
            None => {
                let times: Vec<f32> = self.reader.store.floats::<f32, 1>(self.input(input, sampler)?, &location)?;
                if let Some(first) = times.iter().find(|t| t.is_finite()).filter(|t| **t < 0.0) {
                    self.warn(&format!("sampler {sampler}"), format!("has its first key before 0, at {first} s"));
                }
                if key_times::are_rising(&times) {
                    return Ok(self.push_times((input.value(), None), times, None));
                }
                let times: Arc<[f32]> = times.into();
                self.falling.insert(input.value(), Arc::clone(&times));
                times
            }
        };
        // The memory is charged twice: while keys are collected, and where they stay.
        self.reader.decoded.charge(&location, stored.len() as u64, 2 * size_of::<u32>())?;
        let rising = key_times::rising(&stored, unusable);
        let of = (input.value(), rising.left_out_any().then_some(sampler));
        if let Some(known) = self.times.get(&of) {
            return Ok(*known);
        }
        rising.warnings().for_each(|text| self.warn(&format!("sampler {sampler}"), text));
        let kept = (rising.keys.len() < stored.len()).then(|| rising.keys.into());
        Ok(self.push_times(of, rising.times, kept))
    }

    fn push_times(&mut self, of: (usize, Option<usize>), times: Vec<f32>, kept: Option<Arc<[u32]>>) -> usize {
        self.kept.push(kept);
        self.clip.times.push(times);
        let at = self.clip.times.len() - 1;
        self.times.insert(of, at);
        at
    }

    /// Makes of the values in the file those of the keys that are left, and returns the list of their times. `none` stands in for values
    /// where no key has a good one.
    fn replaced<T: Copy>(
        &mut self,
        number: usize,
        values: &mut Vec<T>,
        (layout, is_rotation): (KeyLayout, bool),
        (none, zero): (T, T),
        good: impl Fn(&T, bool) -> bool,
    ) -> Result<usize, ImportError> {
        let unusable = layout.unusable(values, |value| good(value, false));
        let times = self.key_times(number, &unusable)?;
        keep(values, self.kept[times].as_deref(), layout.group);
        let replaced = hold(values, layout, good, (none, zero));
        replaced.warnings(is_rotation).for_each(|text| self.warn(&format!("sampler {number}"), text));
        Ok(times)
    }

    /// Does the same for values that are used as they are where they are finite, and 0 where no key has such a value.
    fn numbers<T: Copy>(
        &mut self,
        number: usize,
        values: &mut Vec<T>,
        layout: KeyLayout,
        zero: T,
        is_finite: impl Fn(&T) -> bool,
    ) -> Result<usize, ImportError> {
        self.replaced(number, values, (layout, false), (zero, zero), |value, _| is_finite(value))
    }

    /// Reads the values of a sampler in the form that its path needs, and returns them with the list of their times.
    fn values(
        &mut self,
        (number, kind): (usize, Path),
        output: &Accessor,
        layout: KeyLayout,
    ) -> Result<(usize, Values), ImportError> {
        let location = || format!("{}, sampler {number}, output", self.location());
        let store = self.reader.store;
        let unsigned = |kinds: &[Type]| output.expect(kinds, VALUE, &location);
        Ok(match kind {
            Path::Translation | Path::Scale => {
                unsigned(&[Type::Vec3])?;
                let mut values: Vec<Vec3> = store.floats::<Vec3, 3>(output, &location)?;
                let times = self.numbers(number, &mut values, layout, Vec3::ZERO, |v| v.is_finite())?;
                (times, Values::Vec3(values.into()))
            }
            Path::Rotation => {
                unsigned(&[Type::Vec4])?;
                let mut values: Vec<Quat> = store.floats::<Quat, 4>(output, &location)?;
                // With splines each key is in-tangent, value, out-tangent, and only the value is a rotation.
                let cubic = layout.group == 3;
                let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
                let good = |q: &Quat, is_tangent: bool| q.is_finite() && (is_tangent || *q != zero);
                let times = self.replaced(number, &mut values, (layout, true), (Quat::IDENTITY, zero), good)?;
                let rotations = values.iter_mut().enumerate().filter(|(i, _)| !cubic || i % 3 == 1);
                rotations.for_each(|(_, q)| *q = unit(*q).unwrap_or(Quat::IDENTITY));
                (times, Values::Quat(values.into()))
            }
            Path::Weights => {
                unsigned(&[Type::Scalar])?;
                let mut values: Vec<f32> = store.floats::<f32, 1>(output, &location)?;
                let times = self.numbers(number, &mut values, layout, 0.0, |v| v.is_finite())?;
                (times, Values::Weights { count: layout.per_value, values })
            }
        })
    }

    /// Warns of a clip that moves nothing, and of nodes with a matrix that it moves.
    fn warn_of_targets(&self) {
        let Self { clip, reader, .. } = self;
        if clip.channels.is_empty() && clip.properties.is_empty() {
            let text = match self.animation.channels.is_empty() {
                true => "has no channels, so that nothing moves while it plays",
                false => "has no channel that can be used, so that nothing moves while it plays",
            };
            reader.warnings.add(self.location(), text);
        }
        if let Some(first) = self.of_matrices.first() {
            let name = super::error::quoted(reader.root.nodes[*first as usize].name.as_deref().unwrap_or_default());
            let nodes = counted(self.of_matrices.len(), "node with a matrix", "nodes with a matrix");
            let such = if self.of_matrices.len() == 1 { "" } else { "such as " };
            let text = format!(
                "moves {nodes} ({such}node {first} {name}), which glTF does not allow; the translation, rotation and scale of the matrix are moved instead"
            );
            reader.warnings.add(self.location(), text);
        }
    }

    fn finish(self) -> Clip {
        self.warn_of_targets();
        let location = self.location();
        let mut clip = self.clip;
        // Lists of which no key is left belong to no sampler.
        let mut lists = 0;
        let next = |times: &Vec<f32>| {
            lists += usize::from(!times.is_empty());
            lists.saturating_sub(1)
        };
        let indices: Vec<usize> = clip.times.iter().map(next).collect();
        clip.samplers.iter_mut().for_each(|sampler| sampler.times = indices[sampler.times]);
        clip.times.retain(|times| !times.is_empty());
        let used: Vec<&Vec<f32>> = clip.samplers.iter().map(|s| &clip.times[s.times]).collect();
        let first = used.iter().filter_map(|t| t.first()).fold(f32::INFINITY, |a, b| a.min(*b));
        let last = used.iter().filter_map(|t| t.last()).fold(0.0_f32, |a, b| a.max(*b));
        clip.start_secs = if first.is_finite() { first.max(0.0) } else { 0.0 };
        clip.end_secs = last;
        if last > LONG_SECS {
            self.reader.warnings.add(location, format!("ends at {last} s"));
        }
        clip
    }
}
