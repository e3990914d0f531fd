//! Finds nodes of another version of a file by the keys that pose files have, where keys are numbers too.

use std::collections::{BTreeMap, HashMap};

use skinscope_anim::pose::Keys;
use skinscope_model::{Model, NodeId};

/// Returns the names from the root down to a node, with `/` between them.
#[must_use]
pub fn path_of(model: &Model, node: NodeId) -> String {
    let above = std::iter::successors(Some(node), |node| model.skeleton.parents[node.index()]);
    let mut names: Vec<&str> = above.map(|node| model.skeleton.names[node.index()].as_str()).collect();
    names.reverse();
    names.join("/")
}

/// Returns the path of each of these keys that is a number since several nodes have its name, or none has one. In another version of the file that
/// number may be another node's.
#[must_use]
pub fn paths_of<'k>(model: &Model, named: impl Iterator<Item = &'k str>) -> BTreeMap<String, String> {
    let keys = Keys::of(model);
    let path = |key: &str| {
        let node = keys.find(key).filter(|node| model.skeleton.names[node.index()] != key)?;
        Some((key.to_owned(), path_of(model, node)))
    };
    named.filter(|key| key.starts_with('#')).filter_map(path).collect()
}

/// Finds the nodes of keys as [`Keys::matches`] does. One that is a number, whose path is given, means the node of that path, and among several that of
/// the number.
#[must_use]
pub fn find_nodes<'k>(
    model: &Model,
    named: impl Iterator<Item = &'k str> + Clone,
    paths: &BTreeMap<String, String>,
) -> HashMap<&'k str, NodeId> {
    let keys = Keys::of(model);
    let mut found = keys.matches(named.clone());
    if paths.is_empty() {
        return found;
    }
    let mut of_path: HashMap<String, Vec<NodeId>> = HashMap::new();
    for node in (0..model.skeleton.len()).map(NodeId::from_index) {
        of_path.entry(path_of(model, node)).or_default().push(node);
    }
    for key in named {
        let Some(path) = paths.get(key) else { continue };
        let nodes = of_path.get(path).map_or(&[][..], Vec::as_slice);
        let own = if let [one] = nodes { Some(*one) } else { keys.find(key).filter(|node| nodes.contains(node)) };
        match own {
            Some(node) => _ = found.insert(key, node),
            None => _ = found.remove(key),
        }
    }
    found
}
