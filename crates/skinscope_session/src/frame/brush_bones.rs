//! Bones while a brush is in the hand: thin lines, so that they hide no weights.

use skinscope_frame::{BoneShape, Frame, Line};

use super::SceneColors;

/// How much of its colour a bone keeps whose joint is not painted.
const FAINT: f32 = 0.35;
/// The widths of the dot at the painted joint, and of what sets it off from the surface; pixels.
const DOT: f32 = 6.0;
const RIM: f32 = 3.0;

/// Draws the bones of a frame as thin lines: that of the painted joint, which is the outlined one, in full colour with a dot at the joint,
/// and the others faintly, but for those below it where they are painted too.
pub(super) fn thin_bones(frame: &mut Frame, paints_below: bool, colors: &SceneColors) {
    for bone in &mut frame.bones {
        bone.shape = BoneShape::Lines;
        if std::mem::take(&mut bone.outlined) {
            for (width, color) in [(DOT + RIM, colors.pinned[1]), (DOT, bone.color)] {
                frame.lines.push(Line { from: bone.head, to: bone.head, width, color });
            }
        } else if !(paints_below && bone.color == colors.below_selected) {
            bone.color[3] *= FAINT;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use skinscope_model::NodeId;
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::{Document, PaintCommand, SelectionCommand, Session, Toggle, ViewCommand};

    fn built(session: &mut Session) -> Frame {
        session.update_pose();
        let mut frame = Frame::default();
        session.build_frame(&mut frame, &SceneColors::DARK);
        frame
    }

    #[test]
    fn bones_are_thin_and_faint_while_a_brush_is_in_the_hand_and_that_of_the_painted_joint_is_found() {
        let mut session = Session::default();
        session.open(Document::new(Arc::new(tube(Tube { joints: 3, ..Tube::default() })), Vec::new(), None));
        session.apply(SelectionCommand::Select(Some(NodeId(2))));
        let usual = built(&mut session);
        session.apply(PaintCommand::Hold(Some("add".to_owned())));
        let painting = built(&mut session);
        assert_eq!(painting.bones.len(), usual.bones.len());
        assert!(painting.bones.iter().all(|bone| bone.shape == BoneShape::Lines && !bone.outlined));
        let strengths = |frame: &Frame| frame.bones.iter().map(|bone| bone.color[3]).collect::<Vec<_>>();
        let [above, own, below] = strengths(&painting)[..] else { panic!("three bones") };
        assert!(own == 1.0 && above < 0.2 && below < 0.3, "{above} {own} {below}");
        let head = usual.bones[1].head;
        let dots = |frame: &Frame| frame.lines.iter().filter(|line| line.from == head && line.to == head).count();
        assert_eq!((dots(&usual), dots(&painting)), (0, 2));
        // Joints that are painted along with it are seen as well as before.
        session.apply(ViewCommand::Toggle(Toggle::WithChildren));
        assert_eq!(strengths(&built(&mut session))[2], strengths(&usual)[2]);
        session.apply(ViewCommand::Toggle(Toggle::WithChildren));
        // What was set for posing is there again without the brush.
        session.apply(PaintCommand::Hold(None));
        assert_eq!(built(&mut session).bones, usual.bones);
    }
}
