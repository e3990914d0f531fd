//! Helpers of the rules about joints: they name joints and skins, and merge findings that are the same in several
//! skins.

use std::collections::HashMap;

use skinscope_base::words::counted;
use skinscope_model::{ClipId, MeshId, NodeId, SkinId};

use super::{Finding, FindingPose, Measure, Rule, Severity, Subject};

/// The most joints that a sentence names; the others are counted.
const NAMED: usize = 4;
/// The most letters of a name.
const LETTERS: usize = 48;

/// Returns a name of the file in quotes; long ones are cut, and control characters are removed.
pub(super) fn quoted(name: &str) -> String {
    let obeyed = |c: char| c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let clean = |c| if obeyed(c) { '\u{fffd}' } else { c };
    let mut out: String = name.chars().take(LETTERS).map(clean).collect();
    if name.chars().nth(LETTERS).is_some() {
        out.push('…');
    }
    format!("\"{out}\"")
}

impl Subject<'_> {
    /// Returns the name of a node, in quotes; long ones are cut, and control characters are removed.
    pub(super) fn name(&self, node: NodeId) -> String {
        quoted(&self.model.skeleton.names[node.index()])
    }

    /// Returns what a mesh is called: its name in quotes, or `mesh 3` where it has none.
    pub(super) fn mesh_name(&self, mesh: MeshId) -> String {
        match self.model.meshes[mesh.index()].name.as_str() {
            "" => format!("mesh {}", self.model.file_mesh(mesh).0),
            name => quoted(name),
        }
    }

    /// Returns a moment of a clip in words: `0.350 s of "Run"`.
    pub(super) fn moment(&self, clip: ClipId, time_secs: f32) -> String {
        format!("{time_secs:.3} s of {}", quoted(&self.model.clips[clip.index()].name))
    }

    /// Returns the names of some nodes: `"a", "b", "c" and 7 more`.
    pub(super) fn names(&self, nodes: &[NodeId]) -> String {
        let shown = if nodes.len() <= NAMED + 1 { nodes.len() } else { NAMED };
        let names = nodes[..shown].iter().map(|n| self.name(*n)).collect();
        listed(names, nodes.len() - shown)
    }
}

/// Joins items: `a, b and c`, or `a, b, c and 7 more`.
fn listed(mut items: Vec<String>, more: usize) -> String {
    if more > 0 {
        items.push(format!("{more} more"));
    }
    match items.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => items.concat(),
    }
}

/// Joins items, of many the first: `a, b, c, d and 7 more`.
pub(super) fn some_of(mut items: Vec<String>) -> String {
    let shown = if items.len() <= NAMED + 1 { items.len() } else { NAMED };
    let more = items.len() - shown;
    items.truncate(shown);
    listed(items, more)
}

/// Names skins: `skin 0`, `skins 0 and 2`.
pub(super) fn skins(ids: &[SkinId]) -> String {
    let numbers: Vec<String> = ids.iter().take(NAMED).map(|s| s.0.to_string()).collect();
    let (many, more) = (if ids.len() == 1 { "" } else { "s" }, ids.len() - numbers.len());
    format!("skin{many} {}", listed(numbers, more))
}

/// Counts joints: `1 joint`, `3 joints`.
pub(super) fn joints(count: usize) -> String {
    counted(count, "joint", "joints")
}

/// Writes a number with three digits after the point, without zeros at the end; as a power of ten where nobody would
/// read so many digits.
pub(super) fn number(value: f32) -> String {
    if value.abs() >= 1e6 {
        return format!("{value:e}");
    }
    let text = format!("{value:.3}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".into() } else { short.into() }
}

/// Makes a finding about joints, whose `joints` are put in order.
pub(super) fn finding(
    rule: &Rule,
    severity: Severity,
    mut joints: Vec<NodeId>,
    (message, fix): (String, impl Into<String>),
    measure: Option<Measure>,
) -> Finding {
    joints.sort_unstable();
    joints.dedup();
    Finding {
        rule: rule.id,
        severity,
        mesh: None,
        primitive: None,
        vertices: Vec::new(),
        joints,
        message,
        fix: fix.into(),
        measure,
        pose: FindingPose::Rest,
    }
}

/// Groups skins that have the same fault, in the order of the first of each: several skins often share one armature,
/// and its faults are reported once. `of` returns the fault of a skin, and `None` where there is none.
pub(super) fn by_skins<T: std::hash::Hash + Eq + Clone>(
    subject: &Subject,
    mut of: impl FnMut(SkinId) -> Option<T>,
) -> Vec<(T, Vec<SkinId>)> {
    let mut indices: HashMap<T, usize> = HashMap::new();
    let mut out: Vec<(T, Vec<SkinId>)> = Vec::new();
    for skin in (0..subject.model.skins.len()).map(SkinId::from_index) {
        let Some(said) = of(skin) else { continue };
        let index = *indices.entry(said.clone()).or_insert(out.len());
        match out.get_mut(index) {
            Some((_, skins)) => skins.push(skin),
            None => out.push((said, vec![skin])),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_like_sentences() {
        let items = |n: usize| ["a", "b", "c"][..n].iter().map(|s| (*s).to_owned()).collect();
        assert_eq!(listed(items(1), 0), "a");
        assert_eq!(listed(items(2), 0), "a and b");
        assert_eq!(listed(items(3), 7), "a, b, c and 7 more");
        assert_eq!(skins(&[SkinId(3)]), "skin 3");
        assert_eq!(skins(&[0, 2, 5].map(SkinId)), "skins 0, 2 and 5");
        assert_eq!((joints(1), joints(2)), ("1 joint".into(), "2 joints".into()));
        assert_eq!([1.0, -0.0001, 0.25, 100.0, 1e20].map(number), ["1", "0", "0.25", "100", "1e20"]);
    }
}
