//! Finds nodes by names that a user writes: on the command line, in a field of the window, in a control.

use skinscope_model::{Model, NodeId};

use super::keys::{Keys, bare};

/// The most nodes of one name that a message lists.
const MOST_CHOICES: usize = 12;
/// How many names that are near to an unknown one a message lists.
const NEAREST: usize = 3;
/// The most characters of a name that are compared.
const LONGEST: usize = 64;

/// The reason why a name refers to no node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Several nodes have the name.
    #[error("several nodes are called \"{name}\"; {}", self.advice())]
    Several {
        /// The name, as given.
        name: String,
        /// The keys of these nodes, in the order of the nodes.
        keys: Vec<String>,
    },
    /// No node has the name.
    #[error("there is no joint \"{name}\"; {}", self.advice())]
    Unknown {
        /// The name, as given.
        name: String,
        /// The keys whose names are most similar to it, the most similar first.
        nearest: Vec<String>,
        /// The number of joints of the model.
        joints: usize,
    },
}

impl NameError {
    /// Returns the second half of the error's sentence, which says which names exist.
    #[must_use]
    pub fn advice(&self) -> String {
        match self {
            Self::Several { keys, .. } => format!("say which: {}", listed(keys)),
            Self::Unknown { nearest, joints, .. } => near(nearest, *joints),
        }
    }
}

fn listed(keys: &[String]) -> String {
    let more = keys.len().saturating_sub(MOST_CHOICES);
    let first = keys[..keys.len() - more].join(", ");
    if more == 0 { first } else { format!("{first} and {more} more") }
}

fn near(nearest: &[String], joints: usize) -> String {
    let nearest = nearest.join(", ");
    match joints {
        0 if nearest.is_empty() => "the model has no node".to_owned(),
        0 => format!("the model has no joint, and the nodes with the nearest names are {nearest}"),
        1 => format!("the only joint is {nearest}"),
        _ => format!("the nearest of {joints} joints are {nearest}"),
    }
}

/// Finds the node that `name` refers to: the one that has it as its key (its name where no other node has that, else
/// `#12`, its index in the file), else the one with the index `#12` or `12`.
///
/// # Errors
/// Several nodes have the name, or none.
pub fn find_node(model: &Model, name: &str) -> Result<NodeId, NameError> {
    find_key(model, &Keys::of(model), name)
}

/// Does the same as [`find_node`] with the keys of the model, which a caller computes once for many names.
///
/// # Errors
/// The same as those of [`find_node`].
pub fn find_key(model: &Model, keys: &Keys, name: &str) -> Result<NodeId, NameError> {
    let skeleton = &model.skeleton;
    let nodes = || (0..skeleton.len()).map(NodeId::from_index);
    let at_index = |index: u32| nodes().find(|node| skeleton.file_index[node.index()] == index);
    let numbered = |digits: &str| digits.parse().ok().and_then(at_index);
    if let Some(node) = keys.find(name).or_else(|| numbered(name.strip_prefix('#')?)) {
        return Ok(node);
    }
    // Names that were made up for nodes without one are shown to people as well.
    let same: Vec<NodeId> = nodes().filter(|node| skeleton.names[node.index()] == name).collect();
    match same[..] {
        [node] => Ok(node),
        [] => numbered(name).ok_or_else(|| unknown(model, keys, name)),
        _ => {
            let keys = same.into_iter().map(|node| keys.key(node).to_owned()).collect();
            Err(NameError::Several { name: name.to_owned(), keys })
        }
    }
}

fn unknown(model: &Model, keys: &Keys, name: &str) -> NameError {
    let nodes = || (0..model.skeleton.len()).map(NodeId::from_index);
    let joints = nodes().filter(|node| model.is_joint(*node)).count();
    let offered = nodes().filter(|node| joints == 0 || model.is_joint(*node));
    let nearest = nearest_names(name, offered.map(|node| keys.key(node)));
    NameError::Unknown { name: name.to_owned(), nearest, joints }
}

/// Returns the three of `names` with the smallest edit distance from `name`, the nearest first. Prefixes up to the last
/// `:` and case make no difference.
pub fn nearest_names<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let folded = |name: &str| -> Vec<char> { bare(name).to_lowercase().chars().take(LONGEST).collect() };
    let wanted = folded(name);
    let mut all: Vec<(usize, &str)> = names.map(|name| (distance(&wanted, &folded(name)), name)).collect();
    all.sort_by_key(|(distance, _)| *distance);
    all.into_iter().take(NEAREST).map(|(_, name)| name.to_owned()).collect()
}

/// Returns the `most` of `theirs` that are most similar to one of `ours`, the most similar first, each with the names
/// that [`nearest_names`] finds for it. At most 200 of either list are compared.
pub fn near_misses(theirs: &[&str], ours: &[&str], most: usize) -> Vec<(String, Vec<String>)> {
    const COMPARED: usize = 200;
    let folded = |name: &str| -> Vec<char> { bare(name).to_lowercase().chars().take(LONGEST).collect() };
    let ours = &ours[..ours.len().min(COMPARED)];
    let all: Vec<Vec<char>> = ours.iter().map(|name| folded(name)).collect();
    let nearest = |name: &str| all.iter().map(|other| distance(&folded(name), other)).min();
    let mut out: Vec<_> = theirs.iter().take(COMPARED).filter_map(|name| Some((nearest(name)?, *name))).collect();
    out.sort_by_key(|(distance, _)| *distance);
    let with_nearest = |(_, name): (usize, &str)| (name.to_owned(), nearest_names(name, ours.iter().copied()));
    out.into_iter().take(most).map(with_nearest).collect()
}

/// Returns the Levenshtein distance of two texts, by the rows of Wagner and Fischer, "The String-to-String Correction Problem" (1974).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, one) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, other) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(one != other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::super::keys::named;
    use super::*;

    fn found(names: &[Option<&str>], wanted: &str) -> Result<u32, String> {
        find_node(&named(names), wanted).map(|node| node.0).map_err(|error| error.to_string())
    }

    #[test]
    fn a_name_that_one_node_has_means_it_and_one_that_several_have_is_refused_with_their_indices() {
        let names = [Some("Root"), Some("Tip"), Some("Root"), Some("Tip"), None, Some("7")];
        assert_eq!(found(&names, "#3"), Ok(3));
        assert_eq!((found(&names, "7"), found(&names, "2"), found(&names, "node 4")), (Ok(5), Ok(2), Ok(4)));
        assert_eq!(found(&names, "Tip"), Err("several nodes are called \"Tip\"; say which: #1, #3".into()));
        let many = [Some("Bone"); 20];
        let said = found(&many, "Bone").unwrap_err();
        assert!(said.ends_with("say which: #0, #1, #2, #3, #4, #5, #6, #7, #8, #9, #10, #11 and 8 more"), "{said}");
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_nearest_ones_and_their_number() {
        let names =
            [None, Some("rig:LeftHand"), Some("rig:LeftFoot"), Some("rig:RightHand"), Some("Head"), Some("Spine")];
        let said = found(&names, "lefthend").unwrap_err();
        let joints = 5;
        assert_eq!(
            said,
            format!(
                "there is no joint \"lefthend\"; the nearest of {joints} joints are rig:LeftHand, rig:LeftFoot, rig:RightHand"
            )
        );
        assert_eq!(distance(&['a', 'b', 'c'], &['b', 'c', 'd']), 2);
        assert_eq!((distance(&[], &['a']), distance(&['a'], &[])), (1, 1));
    }

    #[test]
    fn near_misses_are_reported_the_nearest_first_and_no_more_than_are_asked_for() {
        let ours = ["LeftHand", "LeftFoot", "Head"];
        let theirs = ["Tail", "rig:LeftHnd", "Hed", "LeftFoot", "LefHnd"];
        let reported = near_misses(&theirs, &ours, 4);
        let names: Vec<&str> = reported.iter().map(|(name, _)| name.as_str()).collect();
        // Those that are as near as each other stay in the order of the file.
        assert_eq!(names, ["LeftFoot", "rig:LeftHnd", "Hed", "LefHnd"]);
        assert_eq!((&reported[1].1[0][..], &reported[2].1[0][..]), ("LeftHand", "Head"));
        assert!(reported.iter().all(|(_, nearest)| nearest.len() == 3));
        assert!(near_misses(&theirs, &[], 4).is_empty());
    }
}
