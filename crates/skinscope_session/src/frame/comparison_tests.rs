//! Tests of what a frame shows of a comparison.

use skinscope_frame::{Frame, SideLayout};
use skinscope_model::test_shapes::obstacle_course;

use super::SceneColors;
use crate::tests::sessions::still_session;
use crate::{ComparisonCommand, ComparisonLayout, Session};

fn built(session: &Session) -> Frame {
    let mut frame = Frame::default();
    session.build_frame(&mut frame, &SceneColors::DARK);
    frame
}

#[test]
fn a_frame_has_both_sides_as_the_comparison_says() {
    let mut session = still_session(obstacle_course());
    let alone = built(&session);
    assert!(alone.compared.is_none() && session.deforming().comparison().is_none());
    session.apply(ComparisonCommand::Toggle);
    session.apply(ComparisonCommand::SetMethod("dual-quaternion"));
    session.apply(ComparisonCommand::SetSplit(0.3));
    let split = built(&session);
    let other = split.compared.as_deref().unwrap();
    assert_eq!((split.method.id, other.frame.method.id), ("linear", "dual-quaternion"));
    assert_eq!(
        (other.layout, &other.frame.palettes, other.frame.camera),
        (SideLayout::Split(0.3), &alone.palettes, alone.camera)
    );
    assert!(other.frame.compared.is_none() && other.frame.shows_model_of(&split));
    session.apply(ComparisonCommand::Swap);
    let swapped = built(&session);
    assert_eq!(swapped.method.id, "dual-quaternion");
    assert_eq!(swapped.compared.as_deref().map(|c| c.frame.method.id), Some("linear"));
    session.apply(ComparisonCommand::SetLayout(ComparisonLayout::SideBySide));
    assert_eq!(built(&session).compared.map(|c| c.layout), Some(SideLayout::SideBySide));
    // Blinking pictures have one side at a time.
    session.apply(ComparisonCommand::SetLayout(ComparisonLayout::Blink));
    for (turns, method) in [(0, "dual-quaternion"), (1, "linear"), (2, "dual-quaternion")] {
        let shown = built(&session);
        assert_eq!((shown.method.id, shown.compared.is_none()), (method, true), "{turns}");
        session.apply(ComparisonCommand::Blink);
    }
    for bad in [f32::NAN, f32::INFINITY] {
        session.apply(ComparisonCommand::SetSplit(bad));
    }
    session.apply(ComparisonCommand::SetSplit(7.0));
    assert_eq!(session.deforming().comparison().map(|c| c.split), Some(1.0));
    session.apply(ComparisonCommand::Toggle);
    assert!(built(&session).compared.is_none());
}

#[test]
fn frames_are_the_same_picture_only_where_all_of_them_is_the_same() {
    let mut session = still_session(obstacle_course());
    session.apply(ComparisonCommand::Toggle);
    let frame = built(&session);
    assert!(frame.is_same_picture(&frame.clone()) && frame.is_same_picture(&built(&session)));
    let changes: [fn(&mut Frame); 6] = [
        |frame| frame.studio = !frame.studio,
        |frame| frame.members += 1,
        |frame| frame.palettes[0].translation.x += 1.0,
        |frame| frame.compared = None,
        |frame| frame.compared.as_deref_mut().unwrap().layout = SideLayout::SideBySide,
        |frame| frame.compared.as_deref_mut().unwrap().frame.display.wireframe = true,
    ];
    for (i, change) in changes.into_iter().enumerate() {
        let mut other = frame.clone();
        change(&mut other);
        assert!(!frame.is_same_picture(&other) && !other.is_same_picture(&frame), "{i}");
    }
}

#[test]
fn a_side_whose_data_is_missing_is_shown_by_the_default_method() {
    let mut session = still_session(obstacle_course());
    session.apply(ComparisonCommand::Toggle);
    session.apply(ComparisonCommand::SetMethod("polar"));
    session.apply(ComparisonCommand::SetPass(Some("mush")));
    let sides = |session: &Session| {
        let shown = built(session);
        let other = &shown.compared.as_deref().unwrap().frame;
        [(&shown, shown.method.id), (other, other.method.id)]
            .map(|(frame, id)| (id, frame.surfaces.len(), frame.needs_processor.is_some()))
    };
    assert_eq!(sides(&session), [("linear", 0, false); 2]);
    session.prepare();
    assert_eq!(sides(&session), [("linear", 0, false), ("polar", 1, true)], "the left side stays with the shader");
}
