//! The words by which session files name choices.

use super::{Lighting, LoopMode, Orientation, PoseSource, PoseTool};

/// Words with what they mean.
pub(super) type Words<T> = &'static [(&'static str, T)];

pub(super) const SOURCES: Words<PoseSource> =
    &[("rest", PoseSource::Rest), ("bind", PoseSource::Bind), ("clip", PoseSource::Clip)];

pub(super) const LOOPS: Words<LoopMode> =
    &[("once", LoopMode::Once), ("loop", LoopMode::Loop), ("ping-pong", LoopMode::PingPong)];

pub(super) const LIGHTS: Words<Lighting> =
    &[("studio", Lighting::Studio), ("file", Lighting::File), ("both", Lighting::Both)];

pub(super) const TOOLS: Words<PoseTool> = &[
    ("select", PoseTool::Select),
    ("move", PoseTool::Move),
    ("turn", PoseTool::Turn),
    ("scale", PoseTool::Scale),
    ("pull", PoseTool::Pull),
];

pub(super) const AXES: Words<Orientation> =
    &[("local", Orientation::Local), ("parent", Orientation::Parent), ("world", Orientation::World)];

/// Returns the word for a value; every value of these tables has one.
pub(super) fn word<T: PartialEq>(words: Words<T>, value: &T) -> String {
    words.iter().find(|(_, known)| known == value).map_or_else(String::new, |(word, _)| (*word).to_owned())
}

/// Returns what a word means.
pub(super) fn meaning<T: Copy>(words: Words<T>, word: &str) -> Option<T> {
    words.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
}
