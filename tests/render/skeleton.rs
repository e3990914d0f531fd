//! Whether the selected bone stands out from what lies beneath it, measured along the bone in pictures.

use glam::Vec2;
use skinscope::frame::{Background, Frame, Palette};
use skinscope::inspect::BoneShape;
use skinscope::model::NodeId;
use skinscope::render::Picture;
use skinscope::session::{SelectionCommand, Session, ViewCommand};

use crate::form::{SIDE, draw, linear, sessions};
use crate::{Stage, stages};

/// Relative luminance (WCAG 2.2) of a pixel.
fn luminance([r, g, b, _]: [u8; 4]) -> f64 {
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

/// WCAG 2.2, 1…21.
fn contrast(a: [u8; 4], b: [u8; 4]) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn frame(session: &Session, palette: &Palette) -> Frame {
    let mut frame = Frame::default();
    frame.build(session, palette);
    frame.display.grid = None;
    // That of `render`.
    frame.display.background = Background::Solid([0.165, 0.180, 0.216]);
    frame
}

/// The worst contrast along a bone, but for the joints at its ends (a tenth, or six pixels, which is what their balls take): at each place the best of what lies no
/// more than six pixels beside its line, which is as wide as a bone and its lines are.
fn along(before: &Picture, after: &Picture, head: Vec2, tail: Vec2) -> f64 {
    let across = (tail - head).perp().normalize();
    let at = |p: Vec2| {
        let p = p.clamp(Vec2::ZERO, Vec2::splat(SIDE as f32 - 1.0)).as_uvec2();
        contrast(before.at(p.x, p.y), after.at(p.x, p.y))
    };
    let end = (6.0 / head.distance(tail)).max(0.1);
    let places = (0..=32).map(|i| head.lerp(tail, end + (1.0 - 2.0 * end) * i as f32 / 32.0));
    let best = places.map(|p| (-6..=6).map(|i| at(p + across * i as f32)).fold(0.0, f64::max));
    best.fold(f64::MAX, f64::min)
}

/// Joints whose bones are long enough in the picture to be measured, some of them: node, head and tail.
fn joints(session: &Session) -> Vec<(NodeId, Vec2, Vec2)> {
    let seen = session.pose().bones.iter().filter_map(|bone| {
        let (head, tail) = (session.view().project(bone.head)?, session.view().project(bone.tail)?);
        (head.distance(tail) >= 16.0).then_some((bone.node, head, tail))
    });
    let seen: Vec<_> = seen.collect();
    seen.iter().step_by(seen.len().div_ceil(4).max(1)).copied().collect()
}

fn worst(stage: &Stage, name: &str, session: &mut Session, shape: BoneShape) {
    for id in [None, Some("weights"), Some("dominant"), Some("influences")] {
        for palette in [Palette::DARK, Palette::LIGHT] {
            for (node, head, tail) in joints(session) {
                session.apply(ViewCommand::SetOverlay(id));
                session.apply(ViewCommand::SetBoneShape(shape));
                session.apply(SelectionCommand::Select(Some(node)));
                session.update_pose();
                let with = frame(session, &palette);
                let bare = Frame { bones: Vec::new(), ..with.clone() };
                let found = along(&draw(stage, &bare), &draw(stage, &with), head, tail);
                assert!(found >= 3.0, "{name}, {id:?}, {shape:?}, joint {}: {found:.2} to 1", node.0);
            }
        }
    }
}

#[test]
fn the_selected_bone_stands_out_from_whatever_lies_beneath() {
    let mut all = sessions();
    for stage in stages() {
        for (name, session) in &mut all {
            worst(&stage, name, session, BoneShape::Octahedra);
        }
        let (name, session) = &mut all[0];
        worst(&stage, name, session, BoneShape::Sticks);
        worst(&stage, name, session, BoneShape::Lines);
    }
}

#[test]
fn end_bones_are_short() {
    let mut seen = 0;
    for (name, session) in sessions() {
        let model = session.model().unwrap();
        for bone in &session.pose().bones {
            let is_joint = |n: NodeId| model.is_joint(n);
            let last = (0..model.skeleton.len()).all(|n| model.skeleton.parents[n] != Some(bone.node));
            let follows = model.skeleton.parents[bone.node.index()].is_some_and(is_joint);
            if last && follows {
                let share = bone.head.distance(bone.tail) / session.opened_bounds().diagonal();
                assert!(share <= 0.031, "{name}: {share} of the diagonal");
                seen += 1;
            }
        }
    }
    assert!(seen >= 3, "only {seen} bones end somewhere");
}
