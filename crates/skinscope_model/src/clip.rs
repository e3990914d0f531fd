//! Clips: channels that refer to samplers, samplers that refer to key times.

use glam::{Quat, Vec3};

use super::{FarTrack, Keys, NodeId, Property, Tracks};

/// An animation: curves over time for properties of nodes, materials, lights and cameras.
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
    /// The time of the earliest key, seconds.
    pub start_secs: f32,
    /// The time of the latest key, seconds.
    pub end_secs: f32,
    /// The origin of the clip: the file, another file, or poses of the user.
    pub source: ClipSource,
    /// The same channels in the layout that sampling reads; empty until the builder has made it.
    pub tracks: Tracks,
    /// The channels that f32 is too coarse for; [`super::Model::build`] finds them.
    pub far: Vec<FarTrack>,
}

/// The origin of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClipSource {
    /// It is an animation of the file.
    #[default]
    File,
    /// It was copied from another file after this one was read ([`super::Model::with_clips`]).
    Taken,
    /// It was made after the file was read, of poses at key times. All its channels have the same key times and linear
    /// interpolation.
    Keyed,
}

impl Clip {
    /// Returns whether the clip was added after the file was read, so that the file does not have it.
    #[must_use]
    pub fn is_added(&self) -> bool {
        self.source != ClipSource::File
    }

    /// Returns whether both clips have one name, the same channels and the same keys. Their origins and the layout of
    /// their keys in memory may differ.
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

    /// Returns the time from 0 s to the last key, seconds. The timeline of a clip starts at 0 s, whenever the first key
    /// comes.
    #[must_use]
    pub fn duration_secs(&self) -> f32 {
        self.end_secs
    }
}

/// The property of a node that a channel animates (glTF 2.0, 3.11). `Weights` are morph weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names of glTF 2.0")]
pub enum Path {
    Translation,
    Rotation,
    Scale,
    Weights,
}

/// An animated property of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The animated node.
    pub node: NodeId,
    /// The animated property.
    pub path: Path,
    /// Index into [`Clip::samplers`].
    pub sampler: usize,
}

/// An animated property of a material, light, camera or node (`KHR_animation_pointer`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PropertyChannel {
    /// The animated property, with the object that has it.
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

/// A curve: values at key times.
#[derive(Clone, Debug)]
pub struct Sampler {
    /// Index into [`Clip::times`].
    pub times: usize,
    /// The interpolation between keys.
    pub interpolation: Interpolation,
    /// One value for each key; with [`Interpolation::CubicSpline`] three: in-tangent, value, out-tangent.
    pub values: Values,
}

/// Values of a sampler.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Translations (metres, in the space of the node's parent) or scales.
    Vec3(Keys<Vec3>),
    /// Rotations, as unit quaternions; the tangents of splines have any length.
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
