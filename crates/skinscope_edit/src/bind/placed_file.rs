//! Files of joints that were placed by hand: `{"schema": 1, "joints": [{"name": "Hips", "position": [0, 1, 0], "parent": null}]}`. Positions
//! are in the scene's space, metres; a parent is a name, or an index of the list.

use glam::Vec3;
use serde::{Deserialize, Serialize};
use skinscope_base::encoding;

use super::placed::{check_listed, check_placed};
use super::placed_joint::PlacedJoint;

/// The version that is written, and the only one that can be read.
const SCHEMA: u64 = 1;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileForm {
    schema: u64,
    joints: Vec<JointForm>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JointForm {
    name: String,
    position: [f32; 3],
    #[serde(default)]
    parent: Option<ParentForm>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected the name of a joint, its index, or null")]
enum ParentForm {
    Name(String),
    Index(usize),
}

/// Reads joints from the bytes of a file, which make a skeleton.
///
/// # Errors
/// Says what is wrong with the file, or why its joints make no skeleton.
pub fn placed_from_text(bytes: &[u8]) -> Result<Vec<PlacedJoint>, String> {
    let joints = listed_in(bytes)?;
    check_placed(&joints).map_err(|why| why.to_string())?;
    Ok(joints)
}

/// Reads joints that are worked on from the bytes of a file: they may be in several trees, as [`placed_to_text`] writes them.
///
/// # Errors
/// Says what is wrong with the file or with a joint.
pub fn unfinished_from_text(bytes: &[u8]) -> Result<Vec<PlacedJoint>, String> {
    let joints = listed_in(bytes)?;
    check_listed(&joints).map_err(|why| why.to_string())?;
    Ok(joints)
}

/// Returns the joints that a file lists.
fn listed_in(bytes: &[u8]) -> Result<Vec<PlacedJoint>, String> {
    let FileForm { schema, joints: forms } =
        serde_json::from_slice(&encoding::utf8(bytes)).map_err(|error| error.to_string())?;
    if schema != SCHEMA {
        return Err(format!("schema: expected {SCHEMA}, found {schema}"));
    }
    let mut joints = Vec::with_capacity(forms.len());
    for (index, form) in forms.iter().enumerate() {
        let parent = match &form.parent {
            None => None,
            Some(ParentForm::Index(parent)) => Some(*parent),
            Some(ParentForm::Name(name)) => {
                let found = forms.iter().position(|other| other.name == *name);
                Some(found.ok_or_else(|| format!("joints[{index}].parent: no joint has the name “{name}”"))?)
            }
        };
        joints.push(PlacedJoint { name: form.name.clone(), position: Vec3::from(form.position), parent });
    }
    Ok(joints)
}

/// Returns joints as the text of a file, a line for each.
#[must_use]
pub fn placed_to_text(joints: &[PlacedJoint]) -> String {
    let line = |joint: &PlacedJoint| {
        let parent = joint.parent.and_then(|parent| joints.get(parent));
        let parent = parent.map(|parent| ParentForm::Name(parent.name.clone()));
        let form = JointForm { name: joint.name.clone(), position: joint.position.to_array(), parent };
        serde_json::to_string(&form).unwrap_or_default()
    };
    let lines: Vec<String> = joints.iter().map(line).collect();
    format!("{{\"schema\": {SCHEMA}, \"joints\": [\n{}\n]}}\n", lines.join(",\n"))
}
