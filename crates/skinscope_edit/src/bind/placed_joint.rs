//! A joint that was placed by hand.

use glam::Vec3;

/// A joint that stands in a mesh and is no node yet.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct PlacedJoint {
    /// Its name, which no other one of the list has.
    pub name: String,
    /// Where it stands at rest, in the scene's space, metres.
    #[serde(with = "skinscope_base::text_form::vector")]
    pub position: Vec3,
    /// The joint that it hangs on, by its index in the list; `None`: it is the root.
    pub parent: Option<usize>,
}
