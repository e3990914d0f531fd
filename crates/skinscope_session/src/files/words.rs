//! The words by which session files name choices.

use crate::{Lighting, LoopMode, Orientation, PoseSource, PoseTool};

/// Words with what they mean.
pub(crate) type Words<T> = &'static [(&'static str, T)];

pub(crate) const SOURCES: Words<PoseSource> =
    &[("rest", PoseSource::Rest), ("bind", PoseSource::Bind), ("clip", PoseSource::Clip)];

pub(crate) const LOOPS: Words<LoopMode> =
    &[("once", LoopMode::Once), ("loop", LoopMode::Loop), ("ping-pong", LoopMode::PingPong)];

pub(crate) const LIGHTS: Words<Lighting> =
    &[("studio", Lighting::Studio), ("file", Lighting::File), ("both", Lighting::Both)];

pub(crate) const TOOLS: Words<PoseTool> = &[
    ("select", PoseTool::Select),
    ("move", PoseTool::Move),
    ("turn", PoseTool::Turn),
    ("scale", PoseTool::Scale),
    ("pull", PoseTool::Pull),
    ("look", PoseTool::Look),
];

pub(crate) const AXES: Words<Orientation> =
    &[("local", Orientation::Local), ("parent", Orientation::Parent), ("world", Orientation::World)];

/// Returns the word for a value; every value of these tables has one.
pub(crate) fn word<T: PartialEq>(words: Words<T>, value: &T) -> String {
    words.iter().find(|(_, known)| known == value).map_or_else(String::new, |(word, _)| (*word).to_owned())
}

/// Returns what a word means.
pub(crate) fn meaning<T: Copy>(words: Words<T>, word: &str) -> Option<T> {
    words.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
}
