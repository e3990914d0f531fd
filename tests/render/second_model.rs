//! Two models in one picture land where each of them would alone, and hide each other by depth.

use std::sync::Arc;

use glam::Vec3;
use skinscope::frame::{Background, Frame, SceneColors};
use skinscope::model::Model;
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::render::{Picture, render_image};
use skinscope::session::{
    Arrangement, BesideCommand, CameraCommand, Document, PlaybackCommand, Session, Toggle, ViewCommand, ViewFrom,
};

use crate::Stage;

on_stages! {
    two_models_are_drawn_as_each_would_be_alone,
    what_is_nearer_hides_the_other_model,
    models_change_places_without_another_upload,
    a_picture_without_a_second_model_is_as_before,
}

const SIZE: [u32; 2] = [180, 120];

fn tube_of(joints: usize, length: f32) -> Model {
    tube(Tube { joints, length, radius: 0.25, ..Tube::default() })
}

fn open(model: Model) -> Session {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(model), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    for toggle in [Toggle::Bones, Toggle::Grid, Toggle::Ground] {
        session.apply(ViewCommand::Set(toggle, false));
    }
    session.apply(CameraCommand::SetViewport(glam::Vec2::new(SIZE[0] as f32, SIZE[1] as f32)));
    session.apply(CameraCommand::LookFrom(ViewFrom::Front));
    session.apply(CameraCommand::FrameAll);
    session.update_pose();
    session
}

/// A tube of two metres, and beside it one of one metre, at half of their clips, seen from the front.
fn pair() -> Session {
    let mut session = open(tube_of(3, 2.0));
    session.put_beside(open(tube_of(5, 1.0)), Arrangement::default());
    session.apply(PlaybackCommand::Seek(0.5));
    session.apply(CameraCommand::FrameAll);
    session.update_pose();
    session
}

fn built(session: &Session) -> Frame {
    let mut frame = Frame::default();
    session.build_frame(&mut frame, &SceneColors::DARK);
    frame.display.background = Background::Solid([0.0; 3]);
    frame.beside.iter_mut().for_each(|other| other.display.background = frame.display.background);
    frame
}

fn draw(stage: &Stage, frame: &Frame) -> Picture {
    render_image(&stage.gpu, &mut stage.renderer.borrow_mut(), frame, SIZE).unwrap()
}

fn pixels() -> impl Iterator<Item = (u32, u32)> {
    (0..SIZE[0]).flat_map(|x| (0..SIZE[1]).map(move |y| (x, y)))
}

fn is_black(pixel: [u8; 4]) -> bool {
    pixel[..3] == [0; 3]
}

/// The frame of the second model alone.
fn alone(frame: &Frame) -> Frame {
    frame.beside[0].clone()
}

fn two_models_are_drawn_as_each_would_be_alone(stage: &Stage) {
    for bones in [false, true] {
        let mut session = pair();
        session.apply(ViewCommand::Set(Toggle::Bones, bones));
        session.update_pose();
        let frame = built(&session);
        assert_eq!(frame.beside[0].bones.is_empty(), !bones);
        let first = Frame { beside: Vec::new(), ..frame.clone() };
        let (both, first, second) = (draw(stage, &frame), draw(stage, &first), draw(stage, &alone(&frame)));
        let (mut of_first, mut of_second) = (0, 0);
        for (x, y) in pixels() {
            let [one, other] = [&first, &second].map(|picture| picture.at(x, y));
            assert!(is_black(one) || is_black(other), "{x}, {y}: side by side nothing overlaps");
            let want = if is_black(one) { other } else { one };
            assert_eq!(both.at(x, y), want, "{x}, {y}, bones: {bones}");
            of_first += usize::from(!is_black(one));
            of_second += usize::from(!is_black(other));
        }
        assert!(of_first > 500 && of_second > 200, "{of_first} {of_second}");
        // The second one is where its session says.
        let at = session.view().project(session.beside_standing().unwrap().place(Vec3::Y * 0.5)).unwrap();
        assert!(!is_black(second.at(at.x as u32, at.y as u32)));
    }
}

fn what_is_nearer_hides_the_other_model(stage: &Stage) {
    let mut session = pair();
    session.apply(BesideCommand::ToggleSamePlace);
    session.update_pose();
    let frame = built(&session);
    let second = alone(&frame);
    // One tube is moved towards the camera by two metres, so that it covers the other one where both are.
    for (nearer, moved) in [("second", 2.0), ("first", -2.0)] {
        let mut moving = frame.clone();
        moving.beside[0].camera.world_from_view.translation.z -= moved;
        let both = draw(stage, &moving);
        let alone = draw(stage, &Frame { camera: moving.beside[0].camera, ..second.clone() });
        let first = draw(stage, &Frame { beside: Vec::new(), ..moving.clone() });
        let (front, back) = if nearer == "second" { (&alone, &first) } else { (&first, &alone) };
        let (mut covered, mut seen) = (0, 0);
        for (x, y) in pixels() {
            let inside = |picture: &Picture| {
                let around = [(0, 0), (1, 0), (0, 1), (2, 0), (0, 2)];
                around
                    .iter()
                    .all(|(dx, dy)| x + dx < SIZE[0] && y + dy < SIZE[1] && !is_black(picture.at(x + dx, y + dy)))
                    && around.iter().all(|(dx, dy)| x >= *dx && y >= *dy && !is_black(picture.at(x - dx, y - dy)))
            };
            if inside(front) {
                assert_eq!(both.at(x, y), front.at(x, y), "{nearer} is nearer at {x}, {y}");
                covered += usize::from(inside(back));
            } else if is_black(front.at(x, y)) && !is_black(back.at(x, y)) {
                seen += usize::from(both.at(x, y) == back.at(x, y));
            }
        }
        assert!(covered > 50, "{nearer}: {covered} pixels are covered, {seen} seen");
    }
}

fn models_change_places_without_another_upload(stage: &Stage) {
    let mut session = pair();
    let at_first = stage.gpu.uploads().buffers;
    let before = draw(stage, &built(&session));
    let for_both = stage.gpu.uploads().buffers - at_first;
    session.apply(BesideCommand::Activate);
    session.update_pose();
    let after = draw(stage, &built(&session));
    let more = stage.gpu.uploads().buffers - at_first - for_both;
    assert!(4 * more < for_both, "both copies stay on the device: {more} buffers after {for_both}");
    let off = pixels().filter(|(x, y)| before.at(*x, *y).iter().zip(after.at(*x, *y)).any(|(a, b)| a.abs_diff(b) > 2));
    assert!(off.count() <= 4, "the picture is the same");
}

fn a_picture_without_a_second_model_is_as_before(stage: &Stage) {
    let mut session = open(tube_of(3, 2.0));
    let before = draw(stage, &built(&session));
    session.open_beside(Document::new(Arc::new(tube_of(5, 1.0)), vec![], None));
    assert!(draw(stage, &built(&session)).rgba != before.rgba);
    session.apply(BesideCommand::Close);
    session.apply(CameraCommand::FrameAll);
    session.update_pose();
    assert!(draw(stage, &built(&session)).rgba == before.rgba, "to the byte");
}
