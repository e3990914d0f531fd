//! Joints that are placed by hand, drawn as the bones that they are going to be.

use skinscope_frame::{Bone, Frame, Line};
use skinscope_inspect::BoneShape;

use super::SceneColors;
use crate::{Placing, View};

/// How thick a bone is, as a share of its length and as one of the size of the model.
const THICK: [f32; 2] = [0.1, 0.02];
/// How wide the dot of a joint is, pixels.
const DOT: f32 = 7.0;

/// Adds a bone from each placed joint to every one that hangs on it, and a dot for each.
pub(super) fn add_placed(frame: &mut Frame, placing: &Placing, view: &View, size: f32, colors: &SceneColors) {
    let joints = placing.joints();
    for (index, joint) in joints.iter().enumerate() {
        let is_selected = placing.selected() == Some(index);
        let color = if is_selected { colors.selected } else { colors.bone };
        frame.lines.push(Line { from: joint.position, to: joint.position, width: DOT, color });
        let Some(above) = joint.parent.and_then(|parent| joints.get(parent)) else { continue };
        let length = above.position.distance(joint.position);
        if length == 0.0 {
            continue;
        }
        let radius = match view.bone_shape {
            BoneShape::Octahedra => (THICK[0] * length).min(THICK[1] * size),
            BoneShape::Sticks | BoneShape::Lines => 0.003 * size,
        };
        frame.bones.push(Bone {
            head: above.position,
            tail: joint.position,
            radius: radius * view.bone_size,
            color,
            shape: view.bone_shape,
            outlined: is_selected,
            fades: false,
        });
    }
}
