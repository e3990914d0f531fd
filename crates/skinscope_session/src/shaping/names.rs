//! Which morph targets are meant: by their name, or by their numbers where several targets of a mesh have one name.

use std::collections::BTreeSet;
use std::fmt;

use skinscope_model::{MeshId, Model};

use super::ShapeError;

/// No message lists more names than this.
const MOST_LISTED: usize = 16;

/// A morph target of a mesh of the file, by its index there.
pub(super) type Target = (MeshId, usize);

/// Which morph targets are meant.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum TargetName {
    /// All targets of this name, one in each mesh that has it: a shape of several meshes has one name in all of them.
    Name(String),
    /// One target: the numbers of the mesh in the file and of the target in it, from 0.
    At([u32; 2]),
}

impl From<&str> for TargetName {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl fmt::Display for TargetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::At([mesh, target]) => write!(f, "{mesh},{target}"),
        }
    }
}

impl TargetName {
    /// Reads `NAME` or `MESH,TARGET`. What is the name of a target is that, whatever it looks like.
    #[must_use]
    pub fn read(model: &Model, text: &str) -> Self {
        let is_name = model.meshes.iter().any(|mesh| mesh.morph_names.iter().any(|name| name == text));
        let numbers = text.split_once(',').and_then(|(m, t)| Some([m.trim().parse().ok()?, t.trim().parse().ok()?]));
        match numbers.filter(|_| !is_name) {
            Some(numbers) => Self::At(numbers),
            None => Self::from(text),
        }
    }

    /// Returns the name of the targets that are meant; `None` where there are none.
    #[must_use]
    pub fn in_model<'m>(&'m self, model: &'m Model) -> Option<&'m str> {
        match self {
            Self::Name(name) => Some(name),
            Self::At([mesh, target]) => {
                let of = model.file_meshes().find(|(id, _)| id.0 == *mesh);
                of.and_then(|(_, of)| of.morph_names.get(*target as usize)).map(String::as_str)
            }
        }
    }

    /// Finds the targets that are meant.
    ///
    /// # Errors
    /// There is none, or several targets of one mesh have the name.
    pub(super) fn find(&self, model: &Model) -> Result<BTreeSet<Target>, ShapeError> {
        let name = match self {
            Self::Name(name) => name,
            Self::At([mesh, target]) => {
                let none = || ShapeError(format!("the file has no morph target {mesh},{target}"));
                self.in_model(model).ok_or_else(none)?;
                return Ok(BTreeSet::from([(MeshId(*mesh), *target as usize)]));
            }
        };
        check_name(model, name)?;
        let mut out = BTreeSet::new();
        for (mesh, of) in model.file_meshes() {
            let own: Vec<usize> = (0..of.morph_names.len()).filter(|at| of.morph_names[*at] == *name).collect();
            if let [first, second, ..] = own[..] {
                let why = "several morph targets of a mesh are called so: say which by the numbers of the mesh and of the target";
                return Err(ShapeError(format!("\"{name}\": {why}, such as {0},{first} or {0},{second}", mesh.0)));
            }
            out.extend(own.into_iter().map(|at| (mesh, at)));
        }
        Ok(out)
    }
}

/// Checks that a mesh has a morph target of a name.
pub(super) fn check_name(model: &Model, name: &str) -> Result<(), ShapeError> {
    let all: BTreeSet<&str> = model.meshes.iter().flat_map(|mesh| &mesh.morph_names).map(String::as_str).collect();
    if all.contains(name) {
        return Ok(());
    }
    let mut known: Vec<&str> = all.iter().take(MOST_LISTED).copied().collect();
    known.extend((all.len() > MOST_LISTED).then_some("…"));
    let known = if known.is_empty() { "there is none".to_owned() } else { format!("there are {}", known.join(", ")) };
    Err(ShapeError(format!("no shape is called \"{name}\": {known}")))
}
