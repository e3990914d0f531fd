//! Finds nodes, clips, cameras and variants by what the user calls them.

use super::{CliError, printable};
use crate::model::{ClipId, Model, NodeId};
use crate::pose;

/// Finds the node that a name means (see [`pose::find_node`]).
pub(super) fn find_node(model: &Model, wanted: &str) -> Result<NodeId, CliError> {
    pose::find_node(model, wanted).map_err(|error| CliError::Usage(printable(&error.to_string())))
}

/// Two joints, `JOINT=OTHER`. Their names may hold `=`, so that only a model says where the text is split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Two(String);

/// Parses two joints.
pub(super) fn parse_two(text: &str) -> Result<Two, String> {
    if text.contains('=') { Ok(Two(text.to_owned())) } else { Err("expected JOINT=OTHER".to_owned()) }
}

impl Two {
    /// Finds both nodes: the text is split where `find` finds what stands before and what stands after. Where no split names two, the
    /// reason is that of the last one.
    pub fn find(&self, find: impl Fn(&str) -> Result<NodeId, CliError>) -> Result<[NodeId; 2], CliError> {
        let mut last = Err(CliError::Usage(format!("{}: expected JOINT=OTHER", printable(&self.0))));
        let mut found: Vec<[NodeId; 2]> = Vec::new();
        for (joint, other) in splits(&self.0, '=') {
            last = find(joint).and_then(|joint| Ok([joint, find(other)?]));
            found.extend(last.as_ref().ok());
        }
        match found[..] {
            [] => last,
            [one] => Ok(one),
            _ => Err(CliError::Usage(printable(&format!(
                "\"{}\" names two joints in several ways; say them by their numbers, such as #3=#7",
                self.0
            )))),
        }
    }
}

/// Returns what stands before and after each of a sign in a text.
pub(super) fn splits(text: &str, sign: char) -> impl Iterator<Item = (&str, &str)> {
    text.match_indices(sign).map(|(at, sign)| (&text[..at], &text[at + sign.len()..]))
}

/// Finds the pairs of nodes that `--pair` names; `find` finds one. Each is in one pair at most, and may be its own partner.
pub(super) fn find_pairs(
    model: &Model,
    named: &[Two],
    find: impl Fn(&str) -> Result<NodeId, CliError>,
) -> Result<Vec<[NodeId; 2]>, CliError> {
    let mut out: Vec<[NodeId; 2]> = Vec::new();
    for two in named {
        let pair = two.find(&find)?;
        if let Some(node) = out.iter().flatten().find(|node| pair.contains(node)) {
            let name = printable(&model.skeleton.names[node.index()]);
            return Err(CliError::Usage(format!("\"{name}\" has two partners; name each joint in one --pair")));
        }
        out.push(pair);
    }
    Ok(out)
}

/// Finds a clip by its name or number.
pub(super) fn find_clip(model: &Model, wanted: &str) -> Result<ClipId, CliError> {
    let names: Vec<&str> = model.clips.iter().map(|clip| clip.name.as_str()).collect();
    find_named(["clip", "clips"], &names, wanted).map(ClipId::from_index)
}

/// Finds the thing of this name, else that of this number (see [`pose::find_named`]).
pub(super) fn find_named(what: [&str; 2], names: &[&str], wanted: &str) -> Result<usize, CliError> {
    pose::find_named(what, names, wanted).map_err(|why| CliError::Usage(printable(&why)))
}
