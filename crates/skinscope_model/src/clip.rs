//! Clips: channels that refer to samplers, samplers that refer to key times.

use glam::{Quat, Vec3};

use super::{FarTrack, Keys, NodeId, Property, Tracks};

/// An animation of the file.
#[derive(Clone, Debug, Default)]
pub struct Clip {
    /// The name of the clip; never empty (unnamed clips are called "Clip 3").
    pub name: String,
    /// The channels that move nodes, in file order.
    pub channels: Vec<Channel>,
    /// The channels that change anything else, in file order; each property appears once.
    pub properties: Vec<PropertyChannel>,
    /// The samplers, in file order.
    pub samplers: Vec<Sampler>,
    /// Lists of key times in seconds, strictly rising. In a built model no two lists are equal.
    pub times: Vec<Vec<f32>>,
    /// Earliest key, seconds.
    pub start_secs: f32,
    /// Latest key, seconds.
    pub end_secs: f32,
    /// Where the clip comes from.
    pub source: ClipSource,
    /// The same channels in the layout that sampling reads; empty until the builder has made it.
    pub tracks: Tracks,
    /// The channels of nodes that floats are too coarse for; the builder finds them.
    pub far: Vec<FarTrack>,
}

/// Where a clip comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClipSource {
    /// The file has it.
    #[default]
    File,
    /// It was taken from another file since this one was read ([`super::Model::with_clips`]).
    Taken,
    /// It was made since then, of poses at moments: all its channels have the same moments, and go straight from one to the next.
    Keyed,
}

impl Clip {
    /// Returns whether the file has no such clip: it was added since the file was read.
    #[must_use]
    pub fn is_added(&self) -> bool {
        self.source != ClipSource::File
    }

    /// Returns whether both have one name and move the same in the same way, wherever they come from and however their keys are laid
    /// out.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let keys = |clip: &Self, sampler: usize, other: &Self, of: usize| {
            let (a, b) = (&clip.samplers[sampler], &other.samplers[of]);
            let same_times = clip.times[a.times] == other.times[b.times];
            same_times && a.interpolation == b.interpolation && a.values == b.values
        };
        let base = |clip: &Self, of: &Channel| {
            clip.far.iter().find(|far| (far.node, far.path) == (of.node, of.path)).map(|far| far.base)
        };
        let channel = |(a, b): (&Channel, &Channel)| {
            (a.node, a.path) == (b.node, b.path)
                && keys(self, a.sampler, other, b.sampler)
                && base(self, a) == base(other, b)
        };
        let property = |(a, b): (&PropertyChannel, &PropertyChannel)| {
            a.property == b.property && keys(self, a.sampler, other, b.sampler)
        };
        self.name == other.name
            && (self.channels.len(), self.properties.len()) == (other.channels.len(), other.properties.len())
            && self.channels.iter().zip(&other.channels).all(channel)
            && self.properties.iter().zip(&other.properties).all(property)
    }

    /// Returns the seconds from zero to the last key: the file's own timeline starts at zero, whenever the first key
    /// comes.
    #[must_use]
    pub fn duration_secs(&self) -> f32 {
        self.end_secs
    }
}

/// The property of a node that a channel moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names of glTF 2.0")]
pub enum Path {
    Translation,
    Rotation,
    Scale,
    Weights,
}

/// One property of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The node that the channel moves.
    pub node: NodeId,
    /// The property that is moved.
    pub path: Path,
    /// Index into [`Clip::samplers`].
    pub sampler: usize,
}

/// One property of a material, light, camera or node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PropertyChannel {
    /// The property that is changed, and the object that has it.
    pub property: Property,
    /// Index into [`Clip::samplers`]; its values are [`Values::Weights`] with as many numbers as the property has components.
    pub sampler: usize,
}

/// The way in which values between keys are computed (glTF 2.0, appendix C).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of glTF 2.0")]
pub enum Interpolation {
    Step,
    #[default]
    Linear,
    CubicSpline,
}

/// Values over time.
#[derive(Clone, Debug)]
pub struct Sampler {
    /// Index into [`Clip::times`].
    pub times: usize,
    /// The way from one key to the next.
    pub interpolation: Interpolation,
    /// One value for each key; with [`Interpolation::CubicSpline`] three: in-tangent, value, out-tangent.
    pub values: Values,
}

/// Values of a sampler.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Translations and scales.
    Vec3(Keys<Vec3>),
    /// Rotations, as unit quaternions (tangents have any length).
    Quat(Keys<Quat>),
    /// Plain numbers, `count` for each key (or tangent), key after key: morph weights, or the components of a property.
    Weights {
        /// How many numbers each key (or tangent) has: one for each morph target or component.
        count: usize,
        /// The numbers of all keys, `count` for each.
        values: Vec<f32>,
    },
}

impl Values {
    pub(super) fn as_vectors(&mut self) -> Option<&mut Keys<Vec3>> {
        if let Self::Vec3(keys) = self { Some(keys) } else { None }
    }

    pub(super) fn as_quats(&mut self) -> Option<&mut Keys<Quat>> {
        if let Self::Quat(keys) = self { Some(keys) } else { None }
    }
}
