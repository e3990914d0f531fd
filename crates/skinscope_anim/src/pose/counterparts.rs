//! Matches the joints of two models: by a mapping of the user, by the names of humanoid rigs, and by the names of
//! nodes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;
use skinscope_model::{Model, NodeId};

use super::file::{FileError, read_bytes};
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
        let root: Value = serde_json::from_slice(bytes).map_err(|e| FileError::Json(e.to_string()))?;
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
/// The matches of `mapping` come first. Then follow the names of humanoid rigs (VRM and VRM animations), where
/// both files have them; then the names of nodes ([`Keys::matches_spelled`]); then names of nodes that are the humanoid
/// name of a node of the other file. A name that fits several nodes matches none of them.
#[must_use]
pub fn counterparts(from: &Model, to: &Model, mapping: &NodeMap) -> Vec<Option<NodeId>> {
    let mut out: Vec<Option<NodeId>> = vec![None; from.skeleton.len()];
    let mut taken = BTreeSet::new();
    for (there, here) in mapping {
        out[there.index()] = *here;
        taken.extend(*here);
    }
    let add = |there: NodeId, here: NodeId, out: &mut Vec<Option<NodeId>>, taken: &mut BTreeSet<NodeId>| {
        if out[there.index()].is_none() && !mapping.contains_key(&there) && taken.insert(here) {
            out[there.index()] = Some(here);
        }
    };
    let (theirs, ours) = (humanoid(from), humanoid(to));
    for (name, there) in &theirs {
        if let Some(here) = ours.get(name) {
            add(*there, *here, &mut out, &mut taken);
        }
    }
    let (keys_there, keys_here) = (Keys::of(from), Keys::of(to));
    let open: Vec<&str> = (0..out.len())
        .map(NodeId::from_index)
        .filter(|node| out[node.index()].is_none() && !mapping.contains_key(node))
        .map(|node| keys_there.key(node))
        .collect();
    for (key, here) in keys_here.matches_spelled(&open, &taken) {
        if let Some(there) = keys_there.find(key) {
            add(there, here, &mut out, &mut taken);
        }
    }
    let names = |model: &Model, keys: &Keys| -> BTreeMap<String, NodeId> {
        let all = (0..model.skeleton.len()).map(|i| (i, keys.key(NodeId::from_index(i))));
        let alone =
            by_spelling(all, Part::Whole).into_iter().filter_map(|(name, at)| Some((name, NodeId::from_index(at?))));
        alone.collect()
    };
    if theirs.is_empty() != ours.is_empty() {
        let (roles, of_nodes) =
            if ours.is_empty() { (&theirs, names(to, &keys_here)) } else { (&ours, names(from, &keys_there)) };
        for (role, node) in roles {
            let Some(other) = spelled(role, Part::Whole).and_then(|name| of_nodes.get(&name)) else { continue };
            let (there, here) = if ours.is_empty() { (*node, *other) } else { (*other, *node) };
            add(there, here, &mut out, &mut taken);
        }
    }
    out
}

/// Returns the nodes of a humanoid rig by their names in VRM 1.0. The bones of a thumb have other names in VRM 0.x: the
/// proximal bone there is the metacarpal here.
pub(super) fn humanoid(model: &Model) -> BTreeMap<String, NodeId> {
    let is_older = model.humanoid.iter().any(|(_, name)| name.ends_with("ThumbIntermediate"));
    let newer = |name: &String| match is_older {
        true => name.replace("ThumbProximal", "ThumbMetacarpal").replace("ThumbIntermediate", "ThumbProximal"),
        false => name.clone(),
    };
    model.humanoid.iter().map(|(node, name)| (newer(name), *node)).collect()
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
}
