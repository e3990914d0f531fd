//! A stroke as it is carried out: everything that a file names is found.

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::{DVec3, Vec3};
use skinscope_anim::pose::Axis;
use skinscope_deform::Method;
use skinscope_inspect::VertexSet;
use skinscope_model::{NodeId, PrimitiveId};
use skinscope_weights::{Brush, Falloff, RestSurface};

use super::posing::Posing;

/// How the distance from a dab's centre to a vertex is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Distance {
    /// The length of the shortest way over the posed surface.
    #[default]
    Surface,
    /// The length of the straight line.
    Volume,
    /// The distance in the picture. A file of strokes knows no picture: dabs that measure so list the vertices that they touch
    /// ([`Centre::Listed`]).
    Screen,
}

impl Distance {
    /// Those that a stroke in a file can name.
    pub const ALL: [Self; 2] = [Self::Surface, Self::Volume];

    /// Returns the name in files and on the command line.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Surface => "surface",
            Self::Volume => "volume",
            Self::Screen => "screen",
        }
    }
}

/// The plane across which the other side is painted too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names of axes say it")]
pub enum MirrorAxis {
    X,
    Y,
    Z,
    /// Across the axis that has a plane of symmetry.
    Auto,
}

impl MirrorAxis {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::X, Self::Y, Self::Z, Self::Auto];

    /// Returns the name in files and on the command line.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
            Self::Auto => "auto",
        }
    }

    /// Returns the axis, where one is named.
    #[must_use]
    pub const fn axis(self) -> Option<Axis> {
        match self {
            Self::X => Some(Axis::X),
            Self::Y => Some(Axis::Y),
            Self::Z => Some(Axis::Z),
            Self::Auto => None,
        }
    }
}

/// Only vertices whose posed normal looks towards an eye are painted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrontFaces {
    /// The place of the eye in the scene's space of the file, metres.
    pub eye: DVec3,
    /// The greatest angle between the normal and the direction to the eye, degrees: above 0, up to 180.
    pub angle: f64,
}

impl FrontFaces {
    /// The angle where none is said: all that looks towards the eye at all.
    pub const USUAL_ANGLE: f64 = 90.0;

    /// Returns whether a normal, of any length, is at less than the angle to the way from its vertex to the eye.
    pub(crate) fn sees(&self, normal: Vec3, to_eye: Vec3) -> bool {
        let along = normal.dot(to_eye);
        if self.angle == Self::USUAL_ANGLE {
            return along > 0.0;
        }
        along > self.angle.to_radians().cos() as f32 * normal.length() * to_eye.length()
    }
}

/// A vertex of the file that a dab touches. The primitive is that of the file's mesh which has the vertices
/// ([`skinscope_model::Mesh::holder`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// The primitive.
    pub primitive: PrimitiveId,
    /// The vertex, by its index in the file.
    pub vertex: u32,
    /// How much of the strength it gets, 0 to 1.
    pub share: f64,
}

/// Where a brush touches the surface.
#[derive(Clone, Debug, PartialEq)]
pub enum Centre {
    /// At a vertex, by its index in the file. The primitive is that of the file's mesh which has the vertices
    /// ([`skinscope_model::Mesh::holder`]).
    Vertex(PrimitiveId, u32),
    /// At the point of the surface that is nearest to this place in the scene's space of the file, metres.
    Position(DVec3),
    /// At these vertices alone, each with its share, whatever radius, falloff and distance the stroke has. Vertices of one place get the
    /// greatest share of theirs; those whose skin does not have the joint of the stroke are not touched.
    Listed(Arc<[Touch]>),
}

/// One touch of a brush.
#[derive(Clone, Debug, PartialEq)]
pub struct Dab {
    /// The centre.
    pub at: Centre,
    /// The factor of the stroke's strength.
    pub pressure: f64,
    /// The moment of the clip that the surface shows, seconds on its timeline; `None`: that of the stroke.
    pub time: Option<f64>,
}

/// What a brush does along a row of dabs.
#[derive(Clone, Debug)]
pub struct Stroke {
    /// The brush.
    pub brush: &'static Brush,
    /// The joint whose weight changes; it is there where the brush needs one.
    pub joint: Option<NodeId>,
    /// The joint that gets what the other one loses; it is there where the brush needs one.
    pub to: Option<NodeId>,
    /// The weight that a brush sets.
    pub value: f64,
    /// The factor by which a brush scales.
    pub factor: f64,
    /// How much of the change a dab does at its centre, before pressure.
    pub strength: f64,
    /// How far a dab reaches, metres; without end where there are no dabs.
    pub radius: f64,
    /// How a dab becomes weaker away from its centre.
    pub falloff: &'static Falloff,
    /// How that distance is measured.
    pub distance: Distance,
    /// Whether each dab changes what the dabs before it have left; else each vertex changes once, by its strongest dab.
    pub accumulate: bool,
    /// The brush takes no weight below this.
    pub floor: f64,
    /// The brush takes no weight above this.
    pub ceiling: f64,
    /// Whether the other joints follow, so that the sum of a vertex stays.
    pub normalise: bool,
    /// The most joints that a changed vertex keeps.
    pub max_influences: Option<usize>,
    /// Joints that are painted as one with the joint: the brush changes the sum of their weights, and each keeps its share of it.
    pub with: BTreeSet<NodeId>,
    /// Joints whose weights stay as they are.
    pub locked: BTreeSet<NodeId>,
    /// Whether each dab acts on the other side of the model too.
    pub mirror: Option<MirrorAxis>,
    /// Whether only what looks towards an eye is painted.
    pub front_faces: Option<FrontFaces>,
    /// The vertices that may change, those of every copy of a mesh ([`skinscope_model::part_meshes`]) included; `None`: all.
    pub mask: Option<VertexSet>,
    /// The method by which the surface is deformed.
    pub method: &'static Method,
    /// The pose in which the surface is painted.
    pub posing: Arc<Posing>,
    /// The touches, in their order; none where the brush acts on all vertices at once.
    pub dabs: Vec<Dab>,
}

impl Stroke {
    /// Whether a point may change as far as the mask says that by itself: where both sides are painted, each is looked up when it is known what is
    /// opposite.
    pub(crate) fn may_list(&self, rest: &RestSurface, point: u32) -> bool {
        self.mirror.is_some() || self.lists(rest, point)
    }

    /// Whether one of the vertices of a point is among those that may change.
    pub(crate) fn lists(&self, rest: &RestSurface, point: u32) -> bool {
        let Some(mask) = &self.mask else { return true };
        rest.members(point).iter().any(|vertex| {
            let (part, row) = rest.stored(*vertex);
            mask.contains(part.primitive.mesh, part.primitive.primitive, row as u32)
        })
    }
}
