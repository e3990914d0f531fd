//! Measures in pictures, along the selected bone, whether it stands out from what lies beneath it.

use glam::Vec2;
use skinscope::frame::{Background, Frame, SceneColors};
use skinscope::inspect::BoneShape;
use skinscope::model::NodeId;
use skinscope::render::{Picture, render_image};
use skinscope::session::{SelectionCommand, Session, ViewCommand};

use crate::form::{ALL, SIDE, TWO, draw, linear, sessions};
use crate::{Stage, on_shared_stage, stages};

/// Relative luminance (WCAG 2.2) of a pixel.
fn luminance([r, g, b, _]: [u8; 4]) -> f64 {
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

/// WCAG 2.2, 1…21.
fn contrast(a: [u8; 4], b: [u8; 4]) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn frame(session: &Session, palette: &SceneColors) -> Frame {
    let mut frame = Frame::default();
    session.build_frame(&mut frame, palette);
    frame.display.grid = None;
    // That of `render`.
    frame.display.background = Background::Solid([0.165, 0.180, 0.216]);
    frame
}

/// Samples along a bone, both ends included.
const PLACES: usize = 33;
/// How far beside its line a bone is looked for, pixels: a thin one reaches to here with the two lines around it.
const REACH: i32 = 5;

/// The worst contrast along a bone between a picture without bones and one with them: at each place the best of what lies
/// beside its line. `end`: how much of either end is left out.
fn along([before, after]: [&Picture; 2], head: Vec2, tail: Vec2, end: f32) -> f64 {
    let across = (tail - head).perp().normalize();
    let last = Vec2::splat(SIDE as f32 - 1.0);
    let places = (0..PLACES).map(|i| head.lerp(tail, end + (1.0 - 2.0 * end) * i as f32 / (PLACES - 1) as f32));
    let best = places.map(|p| {
        let beside = (-REACH..=REACH).map(|i| (p + across * i as f32).clamp(Vec2::ZERO, last).as_uvec2());
        beside.map(|at| contrast(before.at(at.x, at.y), after.at(at.x, at.y))).fold(0.0, f64::max)
    });
    best.fold(f64::MAX, f64::min)
}

/// Bones that are long enough in the picture to have a core at all, at most so many of them: node, head and tail.
fn joints(session: &Session, most: usize) -> Vec<(NodeId, Vec2, Vec2)> {
    let seen = session.pose().bones.iter().filter_map(|bone| {
        let (head, tail) = (session.view().project(bone.head)?, session.view().project(bone.tail)?);
        (head.distance(tail) >= LEAST).then_some((bone.node, head, tail))
    });
    let seen: Vec<_> = seen.collect();
    seen.iter().step_by(seen.len().div_ceil(most).max(1)).copied().collect()
}

/// The shortest bone that is measured, pixels: that of a finger in a picture of 320 pixels.
const LEAST: f32 = 6.0;

/// Measures at most so many bones of a model, in one shape.
fn worst(stage: &Stage, (name, session): &mut (&'static str, Session), shape: BoneShape, most: usize) {
    let mut least = f64::MAX;
    for id in [None, Some("weights"), Some("dominant"), Some("influences")] {
        for palette in [SceneColors::DARK, SceneColors::LIGHT] {
            for (node, head, tail) in joints(session, most) {
                session.apply(ViewCommand::SetOverlay(id));
                session.apply(ViewCommand::SetBoneShape(shape));
                session.apply(SelectionCommand::Select(Some(node)));
                session.update_pose();
                // Where sticks meet that are all selected, they are one bright spot within one black line.
                let meets = if shape == BoneShape::Octahedra { 0.0 } else { REACH as f32 / head.distance(tail) };
                let with = frame(session, &palette);
                let bare = Frame { bones: Vec::new(), ..with.clone() };
                let found = along([&draw(stage, &bare), &draw(stage, &with)], head, tail, meets.min(0.4));
                assert!(found >= 3.0, "{name}, {id:?}, {shape:?}, joint {}: {found:.2} to 1", node.0);
                least = least.min(found);
            }
        }
    }
    println!("{:?} {name}, {shape:?}: at least {least:.2} to 1", stage.gpu.info.backend);
}

#[test]
fn the_selected_bone_stands_out_from_whatever_lies_beneath() {
    on_shared_stage(|stage| {
        let mut all = sessions(&[]);
        let character = &mut all[0];
        worst(stage, character, BoneShape::Octahedra, 2);
        worst(stage, character, BoneShape::Sticks, 1);
        worst(stage, character, BoneShape::Lines, 1);
    });
}

/// A wider picture of the same height shows more to the left and right, and bones of the same size in pixels.
#[test]
fn bones_are_as_thick_in_a_wide_picture() {
    on_shared_stage(|stage| {
        let (_, session) = &mut sessions(&[])[0];
        session.apply(ViewCommand::SetBoneShape(BoneShape::Octahedra));
        session.update_pose();
        let with = frame(session, &SceneColors::DARK);
        let bare = Frame { bones: Vec::new(), ..with.clone() };
        let covered = |size: [u32; 2]| {
            let [a, b] = [&bare, &with]
                .map(|frame| render_image(&stage.gpu, &mut stage.renderer.borrow_mut(), frame, size).unwrap());
            let pixels = a.rgba.as_chunks::<4>().0.iter().zip(b.rgba.as_chunks::<4>().0);
            pixels.filter(|(a, b)| a != b).count() as f64
        };
        let (square, wide) = (covered([SIDE; 2]), covered([2 * SIDE, SIDE]));
        assert!(square > 500.0 && (wide / square - 1.0).abs() < 0.03, "{square} and {wide} pixels");
    });
}

#[test]
#[ignore = "full: draws 1 700 pictures of nine models"]
fn the_selected_bone_of_every_model_stands_out_from_whatever_lies_beneath_on_both_backends() {
    let mut all = sessions(&ALL);
    for stage in stages() {
        for model in &mut all {
            worst(&stage, model, BoneShape::Octahedra, 5);
        }
        worst(&stage, &mut all[0], BoneShape::Sticks, 5);
        worst(&stage, &mut all[0], BoneShape::Lines, 5);
    }
}

fn compare_end_bones(all: Vec<(&'static str, Session)>) {
    let mut seen = 0;
    for (name, session) in all {
        let model = session.model().unwrap();
        for bone in &session.pose().bones {
            let is_joint = |n: NodeId| model.is_joint(n);
            let last = (0..model.skeleton.len()).all(|n| model.skeleton.parents[n] != Some(bone.node));
            let follows = model.skeleton.parents[bone.node.index()].is_some_and(is_joint);
            if last && follows {
                let share = bone.head.distance(bone.tail) / session.pose().opened_bounds.diagonal();
                assert!(share <= 0.031, "{name}: {share} of the diagonal");
                seen += 1;
            }
        }
    }
    assert!(seen >= 3, "only {seen} bones end somewhere");
}

#[test]
fn end_bones_are_short() {
    compare_end_bones(sessions(&TWO));
}

#[test]
#[ignore = "full: opens nine models"]
fn end_bones_of_every_model_are_short() {
    compare_end_bones(sessions(&ALL));
}
