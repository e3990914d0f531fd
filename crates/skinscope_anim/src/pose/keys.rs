//! The keys of nodes: the unique names that pose files and commands use for them.

use std::collections::{BTreeSet, HashMap};

use skinscope_model::{Model, NodeId};

use super::spelling::{WAYS, by_spelling};

/// The key of each node: its name where no other node has it, else `#12`, its index in the file.
#[derive(Clone, Debug)]
pub struct Keys {
    of_node: Vec<String>,
    /// The node of each key, as it is written.
    nodes: HashMap<String, NodeId>,
    /// The nodes whose key is their name, by the name without its prefix, and by the same in lower case; `None` where
    /// several nodes share it.
    bare: HashMap<String, Option<NodeId>>,
    folded: HashMap<String, Option<NodeId>>,
    /// The nodes whose key is no name.
    numbered: BTreeSet<usize>,
}

impl Keys {
    /// Makes the keys of a model's nodes.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        let skeleton = &model.skeleton;
        let unnamed = |i: usize| model.source.origins.nodes.get(i).is_some_and(|members| members.unnamed);
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for i in (0..skeleton.len()).filter(|i| !unnamed(*i)) {
            *counts.entry(&skeleton.names[i]).or_default() += 1;
        }
        let number = |i: usize| format!("#{}", skeleton.file_index[i]);
        let is_alone = |i: usize| !unnamed(i) && counts.get(skeleton.names[i].as_str()) == Some(&1);
        let mut by_number: BTreeSet<usize> = (0..skeleton.len()).filter(|i| !is_alone(*i)).collect();
        // Where node 12 needs the key `#12` and another node is really called that, the other one gets its own number
        // too; and so on.
        let named: HashMap<&str, usize> =
            (0..skeleton.len()).filter(|i| is_alone(*i)).map(|i| (skeleton.names[i].as_str(), i)).collect();
        let mut open: Vec<usize> = by_number.iter().copied().collect();
        while let Some(i) = open.pop() {
            if let Some(taken) = named.get(number(i).as_str()).filter(|taken| by_number.insert(**taken)) {
                open.push(*taken);
            }
        }
        let key = |i: usize| if by_number.contains(&i) { number(i) } else { skeleton.names[i].clone() };
        let of_node: Vec<String> = (0..skeleton.len()).map(key).collect();
        let nodes = of_node.iter().enumerate().map(|(i, key)| (key.clone(), NodeId::from_index(i))).collect();
        let mut out = Self { of_node, nodes, bare: HashMap::new(), folded: HashMap::new(), numbered: by_number };
        for i in 0..skeleton.len() {
            if out.numbered.contains(&i) {
                continue;
            }
            let (name, node) = (bare(&skeleton.names[i]), NodeId::from_index(i));
            let alone = |entry: &mut Option<NodeId>| *entry = None;
            out.bare.entry(name.to_owned()).and_modify(alone).or_insert(Some(node));
            out.folded.entry(name.to_lowercase()).and_modify(alone).or_insert(Some(node));
        }
        out
    }

    /// Returns the key of a node, which no other node has.
    #[must_use]
    pub fn key(&self, node: NodeId) -> &str {
        &self.of_node[node.index()]
    }

    /// Returns the node with exactly this key.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<NodeId> {
        self.nodes.get(key).copied()
    }

    /// Finds the nodes that keys of another model refer to. A key refers to the node with the same key, else to the one
    /// whose name is the same without a prefix up to the last `:` on either side, else to the one where only case
    /// differs. A name that fits several nodes finds none, and no two keys find the same node.
    #[must_use]
    pub fn matches<'a>(&self, keys: impl Iterator<Item = &'a str> + Clone) -> HashMap<&'a str, NodeId> {
        let mut found = HashMap::new();
        let mut taken = BTreeSet::new();
        type Way<'a> = &'a dyn Fn(&str) -> Option<NodeId>;
        let ways: [Way<'_>; 3] = [&|key| self.find(key), &|key| self.bare.get(bare(key)).copied().flatten(), &|key| {
            self.folded.get(&bare(key).to_lowercase()).copied().flatten()
        }];
        for way in ways {
            for key in keys.clone() {
                if !found.contains_key(key)
                    && let Some(node) = way(key).filter(|node| !taken.contains(node))
                {
                    taken.insert(node);
                    found.insert(key, node);
                }
            }
        }
        found
    }

    /// Does the same as [`Keys::matches`], and then also finds other spellings of a name: without the prefix of a known
    /// program, with other separators, and with a number at the end as converters append it to each name
    /// (`mixamorigLeftArm`, `mixamorig1:LeftArm`, `mixamorig:LeftArm_07`). A spelling that several names have on either
    /// side finds none. `taken` are nodes that it does not return.
    #[must_use]
    pub(crate) fn matches_spelled<'a>(&self, keys: &[&'a str], taken: &BTreeSet<NodeId>) -> HashMap<&'a str, NodeId> {
        let mut found = self.matches(keys.iter().copied());
        found.retain(|_, node| !taken.contains(node));
        let mut taken: BTreeSet<NodeId> = taken.iter().chain(found.values()).copied().collect();
        let is_number = |key: &str| key.strip_prefix('#').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
        let theirs = || keys.iter().copied().enumerate().filter(|(_, key)| !is_number(key));
        let ours = || self.of_node.iter().map(String::as_str).enumerate().filter(|(i, _)| !self.numbered.contains(i));
        for (there, here) in WAYS {
            let ours = by_spelling(ours(), here);
            for (name, at) in by_spelling(theirs(), there) {
                let (Some(at), Some(Some(node))) = (at, ours.get(&name)) else { continue };
                let node = NodeId::from_index(*node);
                if !found.contains_key(keys[at]) && taken.insert(node) {
                    found.insert(keys[at], node);
                }
            }
        }
        found
    }
}

/// Returns a name without its prefix, such as `mixamorig:`.
pub(super) fn bare(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, rest)| rest)
}

/// Makes a model that is a chain of nodes of these names; a node with `None` has no name.
#[cfg(test)]
pub(super) fn named(names: &[Option<&str>]) -> Model {
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{NodeMembers, Origins};
    let mut parts = (*tube(Tube { joints: names.len() - 1, ..Tube::default() })).clone();
    let name = |(i, name): (usize, &Option<&str>)| name.map_or(format!("node {i}"), str::to_owned);
    parts.skeleton.names = names.iter().enumerate().map(name).collect();
    let members = |name: &Option<&str>| NodeMembers { unnamed: name.is_none(), ..NodeMembers::default() };
    let nodes = names.iter().map(members).collect();
    parts.source.origins = std::sync::Arc::new(Origins { nodes, ..Origins::default() });
    Model::build(parts).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(names: &[Option<&str>]) -> Vec<String> {
        let keys = Keys::of(&named(names));
        let all: Vec<String> = (0..names.len()).map(|i| keys.key(NodeId::from_index(i)).to_owned()).collect();
        for (i, key) in all.iter().enumerate() {
            assert_eq!(keys.find(key), Some(NodeId::from_index(i)), "{key}");
        }
        all
    }

    #[test]
    fn a_key_is_a_name_that_one_node_has_else_its_number() {
        assert_eq!(all(&[Some("a"), Some("b"), Some("a"), None]), ["#0", "b", "#2", "#3"]);
        // The name that was made up for node 1 is the real name of node 2.
        assert_eq!(all(&[Some("a"), None, Some("node 1")]), ["a", "#1", "node 1"]);
        // Names that look like numbers stay, unless another node needs that number.
        assert_eq!(all(&[Some("#2"), Some("#7"), Some("c")]), ["#2", "#7", "c"]);
        assert_eq!(all(&[Some("#2"), Some("#0"), None]), ["#0", "#1", "#2"]);
    }

    #[test]
    fn other_models_are_matched_by_name_then_without_prefix_then_without_case() {
        let keys =
            Keys::of(&named(&[Some("mixamorig:Hips"), Some("Spine"), Some("head"), Some("a:Arm"), Some("b:Arm")]));
        let wanted = ["Hips", "rig:spine", "Spine", "x:y:HEAD", "Arm", "b:Arm", "Tail", "#1"];
        let found = keys.matches(wanted.into_iter());
        let node = |key: &str| found.get(key).map(|n| n.0);
        assert_eq!(wanted.map(node), [Some(0), None, Some(1), Some(2), None, Some(4), None, None]);
    }

    #[test]
    fn other_spellings_of_a_name_are_found_where_they_leave_no_doubt() {
        let keys = Keys::of(&named(&[
            Some("mixamorig:Hips"),
            Some("mixamorig:Spine"),
            Some("mixamorig:Spine1"),
            Some("Tail_01"),
            Some("Tail_02"),
            Some("Arm"),
        ]));
        let found = |wanted: &[&'static str]| {
            let found = keys.matches_spelled(wanted, &BTreeSet::new());
            wanted.iter().map(|key| found.get(key).map(|n| n.0)).collect::<Vec<_>>()
        };
        assert_eq!(found(&["mixamorigHips", "mixamorig1Spine", "mixamorig:Spine1_03"]), [Some(0), Some(1), Some(2)]);
        // Both tails are one without their numbers, and two bones there are one arm.
        assert_eq!(found(&["Tail", "Arm_1", "Arm_2", "#5"]), [None; 4]);
        assert_eq!(found(&["Arm_7", "Spine_2", "Spine1_4"]), [Some(5), Some(1), Some(2)]);
        assert_eq!(keys.matches_spelled(&["Arm", "arm_2"], &BTreeSet::from([NodeId(5)])).len(), 0);
    }
}
