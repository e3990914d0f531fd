//! Matches the joints of two models: by a mapping of the user, by the names of humanoid rigs, and by the names of
//! nodes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;
use skinscope_model::{Model, NodeId};

use super::file::{FileError, json_of, read_bytes};
use super::spelling::{Part, by_spelling, spelled};
use super::{Keys, NameError, find_node};

/// A mapping from the joints of another file to those of a model, as the user states it. As a file it is one JSON
/// object from names there to names here; `null` says that a joint has no counterpart:
///
/// ```text
/// {"Hips_Ctrl": "mixamorig:Hips", "Cape_01": null}
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct NameMap {
    pairs: BTreeMap<String, Option<String>>,
}

/// The reason why a mapping does not fit two models.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MapError {
    /// The name is not in the other file.
    #[error("the mapping of \"{0}\": in the other file {1}")]
    There(String, NameError),
    /// The name is not in the model.
    #[error("the mapping of \"{0}\": in the model {1}")]
    Here(String, NameError),
    /// Two joints have the same counterpart.
    #[error("the mapping gives \"{0}\" and \"{1}\" one counterpart")]
    Twice(String, String),
}

/// The matches that the user states: nodes of another model with their counterparts in a model. `None` says that a node
/// has no counterpart.
pub type NodeMap = BTreeMap<NodeId, Option<NodeId>>;

impl NameMap {
    /// Reads a mapping from a file.
    ///
    /// # Errors
    /// The file cannot be read; those of [`NameMap::parse`].
    pub fn read(path: &Path) -> Result<Self, FileError> {
        Self::parse(&read_bytes(path)?)
    }

    /// Parses the bytes of a file.
    ///
    /// # Errors
    /// The bytes are no JSON, or something else than an object whose values are texts and `null`.
    pub fn parse(bytes: &[u8]) -> Result<Self, FileError> {
        let root = json_of(bytes)?;
        let wrong = |location: String, expected: &str, found: &Value| {
            let found = match found {
                Value::Object(_) => "an object".to_owned(),
                Value::Array(_) => "a list".to_owned(),
                other => other.to_string(),
            };
            FileError::Content { location, expected: expected.to_owned(), found }
        };
        let Value::Object(members) = &root else {
            return Err(wrong("the file".into(), "an object of names", &root));
        };
        let mut out = Self::default();
        for (from, to) in members {
            match to {
                Value::String(to) => out.set(from, Some(to)),
                Value::Null => out.set(from, None),
                other => return Err(wrong(format!("{from:?}"), "a name or null", other)),
            }
        }
        Ok(out)
    }

    /// Returns the text of the file, which ends with a line break.
    #[must_use]
    pub fn text(&self) -> String {
        let quoted = |text: &String| Value::from(text.as_str()).to_string();
        let line = |(from, to): (&String, &Option<String>)| {
            format!("  {}: {}", quoted(from), to.as_ref().map_or_else(|| "null".to_owned(), quoted))
        };
        match self.pairs.is_empty() {
            true => "{}\n".to_owned(),
            false => format!("{{\n{}\n}}\n", self.pairs.iter().map(line).collect::<Vec<_>>().join(",\n")),
        }
    }

    /// Sets the counterpart of a joint of the other file; `None` or an empty name says that it has none.
    pub fn set(&mut self, from: &str, to: Option<&str>) {
        self.pairs.insert(from.to_owned(), to.filter(|name| !name.is_empty()).map(str::to_owned));
    }

    /// Removes the entry of a joint, which is then matched by its name.
    pub fn forget(&mut self, from: &str) {
        self.pairs.remove(from);
    }

    /// Adds the entries of another mapping, which replace those of the same joints.
    pub fn extend(&mut self, other: Self) {
        self.pairs.extend(other.pairs);
    }

    /// Adds the entries of another mapping, as [`NameMap::extend`] does, and removes the entries of other joints with
    /// the same counterparts.
    pub fn correct(&mut self, other: Self) {
        let is_free = |here: &Option<String>| here.is_none() || !other.pairs.values().any(|new| new == here);
        self.pairs.retain(|_, here| is_free(here));
        self.extend(other);
    }

    /// Returns the entries: names there with those here, in rising order.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.pairs.iter().map(|(from, to)| (from.as_str(), to.as_deref()))
    }

    /// Returns whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Returns the entries whose names are in the model `from`.
    #[must_use]
    pub fn in_file(&self, from: &Model) -> Self {
        let is_there = |name: &str| !matches!(find_node(from, name), Err(NameError::Unknown { .. }));
        Self {
            pairs: self.pairs.iter().filter(|(name, _)| is_there(name)).map(|(a, b)| (a.clone(), b.clone())).collect(),
        }
    }

    /// Finds the nodes of `from` and `to` that the entries name.
    ///
    /// # Errors
    /// No node or several nodes have a name, or two joints have the same counterpart.
    pub fn find(&self, from: &Model, to: &Model) -> Result<NodeMap, MapError> {
        let mut out = NodeMap::new();
        let mut taken: BTreeMap<NodeId, &str> = BTreeMap::new();
        for (name, other) in self.pairs() {
            let there = find_node(from, name).map_err(|error| MapError::There(name.to_owned(), error))?;
            let here = other.map(|other| find_node(to, other).map_err(|error| MapError::Here(name.to_owned(), error)));
            let here = here.transpose()?;
            if let Some(before) = here.and_then(|here| taken.insert(here, name)) {
                return Err(MapError::Twice(before.to_owned(), name.to_owned()));
            }
            out.insert(there, here);
        }
        Ok(out)
    }
}

/// Returns for each node of `from`, by index, its counterpart in `to`.
///
/// The matches of `mapping` come first. Then follow the bones of humanoids, where both models are one
/// ([`Model::rig`]): by what the files say, else by the names of families of programs. Then come the names of nodes
/// (`Keys::matches_spelled`), none of which makes one bone of another one ([`may_be_one`]); then names of nodes that
/// are the name of a bone of the other file. A name that fits several nodes matches none of them.
#[must_use]
pub fn counterparts(from: &Model, to: &Model, mapping: &NodeMap) -> Vec<Option<NodeId>> {
    let mut found = Found { of: vec![None; from.skeleton.len()], taken: BTreeSet::new(), mapping };
    for (there, here) in mapping {
        found.of[there.index()] = *here;
        found.taken.extend(*here);
    }
    if let (Some(theirs), Some(ours)) = (from.rig(), to.rig()) {
        theirs.pairs(ours).into_iter().for_each(|(there, here)| found.add(there, here));
    }
    let (keys_there, keys_here) = (Keys::of(from), Keys::of(to));
    let nodes = || (0..from.skeleton.len()).map(NodeId::from_index);
    // What stands for an expression is no joint, whatever it is called.
    let is_expression = |node: &NodeId| from.expression_nodes.iter().any(|(other, _)| other == node);
    let is_joint = |node: &NodeId| found.is_open(*node) && !is_expression(node);
    let open: Vec<&str> = nodes().filter(is_joint).map(|node| keys_there.key(node)).collect();
    let are_alike = have_names_in_common([from, to], &keys_there, &keys_here);
    for (key, here) in keys_here.matches_spelled(&open, &found.taken) {
        if let Some(there) = keys_there.find(key).filter(|there| may_be([from, to], *there, here, are_alike)) {
            found.add(there, here);
        }
    }
    let names = |model: &Model, keys: &Keys| -> BTreeMap<String, NodeId> {
        let all = (0..model.skeleton.len()).map(|i| (i, keys.key(NodeId::from_index(i))));
        let alone =
            by_spelling(all, Part::Whole).into_iter().filter_map(|(name, at)| Some((name, NodeId::from_index(at?))));
        alone.collect()
    };
    // The other file may have only some joints of a humanoid, which are called as its bones are.
    let (rig, is_theirs, of_nodes) = match (from.rig(), to.rig()) {
        (Some(theirs), None) if !from.humanoid.is_empty() => (theirs, true, names(to, &keys_here)),
        (None, Some(ours)) if !to.humanoid.is_empty() => (ours, false, names(from, &keys_there)),
        _ => return found.of,
    };
    for (bone, node) in rig.bones() {
        let Some(other) = spelled(bone, Part::Whole).and_then(|name| of_nodes.get(&name)) else { continue };
        let (there, here) = if is_theirs { (node, *other) } else { (*other, node) };
        found.add(there, here);
    }
    found.of
}

/// The counterparts that were found so far.
struct Found<'m> {
    of: Vec<Option<NodeId>>,
    taken: BTreeSet<NodeId>,
    mapping: &'m NodeMap,
}

impl Found<'_> {
    fn is_open(&self, there: NodeId) -> bool {
        self.of[there.index()].is_none() && !self.mapping.contains_key(&there)
    }

    fn add(&mut self, there: NodeId, here: NodeId) {
        if self.is_open(there) && self.taken.insert(here) {
            self.of[there.index()] = Some(here);
        }
    }
}

/// Returns whether two nodes may be one joint as far as humanoids tell: two nodes that are bones, but not the same one,
/// are not, however alike their names are.
#[must_use]
pub fn may_be_one(from: &Model, there: NodeId, to: &Model, here: NodeId) -> bool {
    match (from.rig(), to.rig()) {
        (Some(theirs), Some(ours)) => !(theirs.knows(there) && ours.knows(here)),
        _ => true,
    }
}

/// Returns whether the names of two nodes may make them one joint. Where only one of the models is a humanoid its bones
/// are found by names where both skeletons have most names in common (`are_alike`).
fn may_be([from, to]: [&Model; 2], there: NodeId, here: NodeId, are_alike: bool) -> bool {
    let is_bone = match (from.rig(), to.rig()) {
        (Some(theirs), None) => theirs.knows(there),
        (None, Some(ours)) => ours.knows(here),
        _ => return may_be_one(from, there, to, here),
    };
    are_alike || !is_bone
}

/// Returns whether a skeleton of which only one model is a humanoid has the names of at least half of its bones, or the
/// humanoid those of half of the other skeleton.
fn have_names_in_common([from, to]: [&Model; 2], keys_there: &Keys, keys_here: &Keys) -> bool {
    let (rig, own, other, others) = match (from.rig(), to.rig()) {
        (Some(theirs), None) => (theirs, keys_there, keys_here, to),
        (None, Some(ours)) => (ours, keys_here, keys_there, from),
        _ => return true,
    };
    let bones: Vec<&str> = rig.bones().map(|(_, node)| own.key(node)).collect();
    let joints = (0..others.skeleton.len()).filter(|i| others.is_joint(NodeId::from_index(*i))).count();
    let count = if joints == 0 { others.skeleton.len() } else { joints };
    2 * other.matches(bones.iter().copied()).len() >= bones.len().min(count)
}

#[cfg(test)]
mod tests {
    use super::super::keys::named;
    use super::*;

    /// A chain of nodes of these names and humanoid names.
    fn rig(rows: &[(&str, &str)]) -> Model {
        let model = named(&rows.iter().map(|(name, _)| Some(*name)).collect::<Vec<_>>());
        let mut parts = (*model).clone();
        let of = |(i, (_, role)): (usize, &(&str, &str))| {
            (!role.is_empty()).then(|| (NodeId::from_index(i), (*role).to_owned()))
        };
        parts.humanoid = rows.iter().enumerate().filter_map(of).collect();
        Model::build(parts).unwrap()
    }

    fn found(from: &Model, to: &Model) -> Vec<Option<u32>> {
        counterparts(from, to, &NodeMap::new()).into_iter().map(|node| node.map(|node| node.0)).collect()
    }

    #[test]
    fn humanoid_names_lead_and_the_thumbs_of_the_older_version_are_named_anew() {
        let older = rig(&[
            ("Root", ""),
            ("J_Bip_C_Hips", "hips"),
            ("a", "leftThumbProximal"),
            ("b", "leftThumbIntermediate"),
            ("c", "leftThumbDistal"),
            ("Tail", ""),
        ]);
        let newer = rig(&[
            ("c", "leftThumbMetacarpal"),
            ("b", "leftThumbProximal"),
            ("a", "leftThumbDistal"),
            ("tail_01", ""),
            ("Hips", "hips"),
        ]);
        assert_eq!(found(&older, &newer), [None, Some(4), Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!(found(&newer, &older), [Some(2), Some(3), Some(4), Some(5), Some(1)]);
    }

    #[test]
    fn a_mapping_that_corrects_another_takes_its_counterparts_and_leaves_joints_without_one_alone() {
        let mut map = NameMap::parse(br#"{"Cape": null, "Hips_Ctrl": "Hips", "Root": "Spine"}"#).unwrap();
        map.correct(NameMap::parse(br#"{"Pelvis": "Hips", "Tail": null}"#).unwrap());
        let wanted = [("Cape", None), ("Pelvis", Some("Hips")), ("Root", Some("Spine")), ("Tail", None)];
        assert_eq!(map.pairs().collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn nodes_that_are_called_as_a_humanoid_bone_are_that_bone() {
        let plain = rig(&[("mixamorig:Hips", ""), ("left_upper_arm", ""), ("Cape", "")]);
        let humanoid = rig(&[("J_Bip_C_Hips", "hips"), ("J_Bip_L_UpperArm", "leftUpperArm"), ("Cape", "")]);
        assert_eq!(found(&plain, &humanoid), [Some(0), Some(1), Some(2)]);
        assert_eq!(found(&humanoid, &plain), [Some(0), Some(1), Some(2)]);
        // What people say leads.
        let mapping = NodeMap::from([(NodeId(0), Some(NodeId(2))), (NodeId(1), None)]);
        assert_eq!(counterparts(&plain, &humanoid, &mapping), [Some(NodeId(2)), None, None]);
    }

    #[test]
    fn a_name_of_no_family_makes_no_bone_of_a_joint_that_only_looks_like_it() {
        let humanoid = rig(&[
            ("Hips", "hips"),
            ("Left leg", "leftUpperLeg"),
            ("Left knee", "leftLowerLeg"),
            ("Left arm", "leftUpperArm"),
            ("Left elbow", "leftLowerArm"),
        ]);
        let other = rig(&[("root_bone", ""), ("leg_1", ""), ("LeftLeg", ""), ("arm_1", ""), ("arm_2", "")]);
        assert_eq!(found(&other, &humanoid), [None; 5]);
        // The same skeleton from a program that spells names otherwise.
        let same = rig(&[("hips", ""), ("Left leg", ""), ("left knee", ""), ("Left arm", ""), ("Left_elbow", "")]);
        assert_eq!(found(&same, &humanoid), [0, 1, 2, 3, 4].map(Some));
    }
}
