//! What is reported of weights that were mirrored.

use skinscope_anim::pose::Axis;
use skinscope_model::{MeshId, NodeId};

/// The planes across which weights were mirrored, the joints that were exchanged, and what had to stay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mirroring {
    /// The plane of symmetry of each mesh that has one.
    pub planes: Vec<MirrorPlane>,
    /// The meshes that have none, and stay as they are.
    pub without_plane: Vec<MeshId>,
    /// The joints that were exchanged, each pair once, the lower node first, rising; two of one node where the user made a
    /// joint its own partner.
    pub pairs: Vec<[NodeId; 2]>,
    /// How many vertices stay as they are although they have a mirror image, because a joint that moves them or their image
    /// stands at one side and has no partner.
    pub unpaired: usize,
}

/// A plane at right angles to an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MirrorPlane {
    /// The mesh that is symmetric about it.
    pub mesh: MeshId,
    /// The axis of mesh space that the plane is perpendicular to.
    pub axis: Axis,
    /// Its position along the axis, in the space and the unit of the mesh's stored positions.
    pub offset: f32,
}

impl Mirroring {
    /// Returns each plane once, as `x = 0.5`, with a joint's precision of five digits.
    #[must_use]
    pub fn plane_texts(&self) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for plane in &self.planes {
            let text = plane.to_string();
            if !out.contains(&text) {
                out.push(text);
            }
        }
        out
    }
}

impl std::fmt::Display for MirrorPlane {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Five digits that count, and no zeros after them; what is less than rounding is 0.
        let rounded = format!("{:.4e}", self.offset).parse::<f64>().unwrap_or_default();
        write!(f, "{} = {}", self.axis.name(), if rounded.abs() < 1e-6 { 0.0 } else { rounded })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_are_reported_once_and_shortly() {
        let plane = |mesh, offset| MirrorPlane { mesh: MeshId(mesh), axis: Axis::X, offset };
        let planes = vec![plane(0, 8191.5), plane(1, 8191.5), plane(2, -1e-9), plane(3, -0.123_456_7)];
        let text = Mirroring { planes, ..Mirroring::default() }.plane_texts();
        assert_eq!(text, ["x = 8191.5", "x = 0", "x = -0.12346"]);
    }
}
