//! What examples draw over the picture.

use glam::{DAffine3, DVec3, Vec3};

/// Something that is drawn over the picture, in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// The points of a line, metres; one alone is a dot.
    pub points: Vec<Vec3>,
    /// Its width, or the dot's, in pixels of a window at scale 1; 0 draws nothing.
    pub width: f32,
    /// The colour of the line or dot.
    pub ink: MarkInk,
    /// Words beside its last point, which windows show.
    pub label: String,
    /// Whether the line only leads to the words: it is drawn with them, and not where there are none.
    pub leads: bool,
}

/// The colours of marks, by role; the theme has the colours themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkInk {
    /// The colour of what is pointed at.
    Accent,
    /// A faint colour, for lines that help to see something else.
    Dim,
    /// The first of two or three that differ by colour.
    First,
    /// The second colour.
    Second,
    /// The third colour.
    Third,
}

impl Mark {
    /// Makes a dot.
    #[must_use]
    pub fn dot(at: Vec3, ink: MarkInk, label: impl Into<String>) -> Self {
        Self { points: vec![at], width: 12.0, ink, label: label.into(), leads: false }
    }

    /// Makes a line through points.
    #[must_use]
    pub fn line(points: Vec<Vec3>, ink: MarkInk, label: impl Into<String>) -> Self {
        Self { points, width: 3.0, ink, label: label.into(), leads: false }
    }

    /// Makes the strong line between two positions that a letter stands for.
    #[must_use]
    pub fn span([from, to]: [Vec3; 2], label: impl Into<String>) -> Self {
        Self::line(vec![from, to], MarkInk::Accent, label).wide(5.0)
    }

    /// Makes words next to a position, without a dot.
    #[must_use]
    pub fn name(at: Vec3, words: impl Into<String>) -> Self {
        Self::dot(at, MarkInk::Dim, words).wide(0.0)
    }

    /// Makes words that stand `aside` of a position (metres), with a thin line that leads to them.
    #[must_use]
    pub fn named_aside(anchor: Vec3, aside: Vec3, words: impl Into<String>) -> Self {
        Self { leads: true, ..Self::line(vec![anchor, anchor + aside], MarkInk::Dim, words).wide(1.0) }
    }

    /// Makes a thin circle through a point, about an axis (unit length) through its center.
    #[must_use]
    pub fn circle(center: Vec3, from: Vec3, axis: Vec3) -> Self {
        const STEPS: usize = 96;
        let turn = |i: usize| glam::Quat::from_axis_angle(axis, std::f32::consts::TAU * i as f32 / STEPS as f32);
        let at = |i: usize| center + turn(i) * (from - center);
        Self::line((0..=STEPS).map(at).collect(), MarkInk::Dim, "").wide(1.5)
    }

    /// Makes an arc that begins at `from` and turns by an angle (radians) about an axis (unit length) through `center`. Its label
    /// stands at the middle of it.
    #[must_use]
    pub fn arc(center: Vec3, from: Vec3, axis: Vec3, angle: f32, ink: MarkInk, label: impl Into<String>) -> Vec<Self> {
        const STEPS: usize = 32;
        let at =
            |i: usize| center + glam::Quat::from_axis_angle(axis, angle * i as f32 / STEPS as f32) * (from - center);
        let half = Self::line((0..=STEPS / 2).map(at).collect(), ink, label);
        vec![half, Self::line((STEPS / 2..=STEPS).map(at).collect(), ink, "")]
    }

    /// Makes the axes X and Y of a frame, so long (metres), with a dot at its origin.
    #[must_use]
    pub fn frame(m: DAffine3, length: f64, ink: MarkInk, label: impl Into<String>) -> Vec<Self> {
        let origin = m.translation.as_vec3();
        let end = |axis: DVec3| m.transform_point3(axis * length).as_vec3();
        let line = |axis| Self::line(vec![origin, end(axis)], ink, "");
        vec![line(DVec3::X), line(DVec3::Y), Self::dot(origin, ink, label)]
    }

    /// Returns the mark with this width, in pixels of a window at scale 1.
    #[must_use]
    pub fn wide(self, width: f32) -> Self {
        Self { width, ..self }
    }
}
