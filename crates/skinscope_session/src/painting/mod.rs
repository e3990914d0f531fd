//! Painting weights on the surface as it is shown: the brush in the hand, its settings, and the strokes so far.
//!
//! The strokes are carried out by [`skinscope_paint`], as those of a file are, so that the strokes that are recorded
//! ([`Painting::recorded`]) give the same weights on the command line.

pub(crate) mod paint_commands;
mod settings;

pub use self::paint_commands::{PaintCommand, PaintDab};
pub use self::settings::PaintSettings;

use glam::{Vec2, Vec3};
use skinscope_inspect::VertexRef;
use skinscope_paint::{StrokeReport, StrokesFile};
use skinscope_weights::Brush;

use crate::{Command, Session};

/// The brush in the hand, its settings, and what was painted.
#[derive(Clone, Debug, Default)]
pub struct Painting {
    brush: Option<&'static Brush>,
    settings: PaintSettings,
    /// The place of the picture that the pointer is over.
    hover: Option<Vec2>,
    note: Option<PaintNote>,
    is_painting: bool,
    last: Option<StrokeReport>,
    recorded: StrokesFile,
}

/// What is said at the pointer: why a dab has changed nothing, or less than was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct PaintNote {
    /// The reason, such as "Hips is locked".
    pub text: String,
    /// What can be done about it: a label for each command.
    pub ways: Vec<(String, Command)>,
}

/// The place of the surface under a point of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaintHit {
    /// The place, model space, metres.
    pub position: Vec3,
    /// The unit normal of the surface there, towards the eye.
    pub normal: Vec3,
    /// The same place in the scene's space of the file, metres: what a dab is given.
    pub scene: [f64; 3],
    /// The nearest vertex of the triangle.
    pub vertex: VertexRef,
    /// The painted joint's weight at that vertex now; 0 where no joint is painted.
    pub weight: f32,
}

impl Painting {
    /// Returns the brush in the hand; `None`: the pointer paints nothing.
    #[must_use]
    pub fn brush(&self) -> Option<&'static Brush> {
        self.brush
    }

    /// Returns the settings of all brushes.
    #[must_use]
    pub fn settings(&self) -> &PaintSettings {
        &self.settings
    }

    /// Returns the place of the picture that the pointer is over, pixels from its top left.
    #[must_use]
    pub fn hover(&self) -> Option<Vec2> {
        self.hover
    }

    /// Returns what the last dab has to say at the pointer.
    #[must_use]
    pub fn note(&self) -> Option<&PaintNote> {
        self.note.as_ref()
    }

    /// Returns whether a stroke has begun and has not ended.
    #[must_use]
    pub fn is_painting(&self) -> bool {
        self.is_painting
    }

    /// Returns what the stroke has done that is under way, or that was the last one.
    #[must_use]
    pub fn last_stroke(&self) -> Option<&StrokeReport> {
        self.last.as_ref()
    }

    /// Returns the strokes that were painted so far, without those that were undone.
    #[must_use]
    pub fn recorded(&self) -> &StrokesFile {
        &self.recorded
    }
}

impl Session {
    /// Returns the brush in the hand, its settings, and what was painted.
    #[must_use]
    pub fn painting(&self) -> &Painting {
        &self.painting
    }

    /// Tells that the pointer is over a point of the viewport, pixels from its top left, or over nothing that could be painted: the ring of
    /// the brush is drawn there. [`PaintCommand::Hover`] does the same.
    pub fn hover_paint(&mut self, at: Option<Vec2>) {
        self.painting.hover = at;
    }

    /// Returns how far a dab reaches, metres: the radius of the settings or, where that is 0, a share of the size of the model.
    #[must_use]
    pub fn paint_radius(&self) -> f64 {
        self.painting.settings.radius
    }

    /// Returns the place of the surface under a point of the viewport, pixels from its top left. `None` where none is shown there, or a
    /// large model is not ready for the question yet.
    #[must_use]
    pub fn paint_hit(&self, at: Vec2) -> Option<PaintHit> {
        _ = at;
        None
    }
}
