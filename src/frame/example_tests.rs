//! Tests of what a frame shows of an example.

use super::{Frame, SceneColors};
use crate::examples::{self, Start};
use crate::import::{Options, Progress};
use crate::session::{Session, Source};

#[test]
fn lines_that_lead_to_words_are_left_to_those_who_write_the_words() {
    let mut session = Session::default();
    let source = Source::Example(Start::of(examples::example("muscle").unwrap()));
    session.open(source.load(&Options::default(), &Progress::silent()).unwrap());
    session.update_pose();
    let marks = session.example_marks();
    let mut frame = Frame::default();
    frame.build(&session, &SceneColors::DARK);
    let is_drawn = |ends: &[glam::Vec3]| frame.lines.iter().any(|line| ends == [line.from, line.to]);
    assert!(marks.iter().any(|mark| mark.leads), "the example has a name that stands aside");
    for mark in marks.iter().filter(|mark| mark.points.len() > 1) {
        assert!(mark.points.windows(2).all(|ends| is_drawn(ends) != mark.leads), "{mark:?}");
    }
}
