//! Tests of what is measured over a clip: its moments, the worst of them, and where a click on it goes.

use glam::Quat;
use skinscope_inspect::check::FindingPose;
use skinscope_inspect::measure::{MEASURES, SurfaceMeasures, measure};
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Channel, Clip, Interpolation, NodeId, Path, Sampler, Values};

use crate::tests::sessions::still_session;
use crate::*;

/// A tube of five joints in a clip that begins at 1 s and ends at 2 s. It says how far each joint is turned against the one before, in
/// degrees about an axis, at the first and at the second of its two keys.
fn turned(axis: glam::Vec3, interpolation: Interpolation, degrees: [[f32; 2]; 4]) -> Session {
    let model = tube(Tube { joints: 5, rings: 41, sides: 12, radius: 0.2, length: 2.5, ..Tube::default() });
    let keys = |degrees: [f32; 2]| degrees.map(|degrees| Quat::from_axis_angle(axis, degrees.to_radians())).to_vec();
    let clip = Clip {
        name: "Late".into(),
        channels: (0..4).map(|i| Channel { node: NodeId(2 + i), path: Path::Rotation, sampler: i as usize }).collect(),
        samplers: degrees
            .map(|degrees| Sampler { times: 0, interpolation, values: Values::Quat(keys(degrees).into()) })
            .into(),
        times: vec![vec![1.0, 2.0]],
        start_secs: 1.0,
        end_secs: 2.0,
        ..Clip::default()
    };
    let model = model.with_clips(vec![clip]).unwrap();
    let mut session = still_session(model);
    session.apply(PlaybackCommand::StepClip(1));
    session.apply(PlaybackCommand::SetPlaying(false));
    session.update_pose();
    assert_eq!(session.playback().clip.map(|clip| clip.index()), Some(1));
    session
}

#[test]
fn a_clip_that_begins_late_is_measured_from_its_first_key_to_its_last() {
    let session = turned(glam::Vec3::X, Interpolation::Linear, [[0.0, 40.0]; 4]);
    let curves = session.measure_clip(10.0, MeasureCurves::WANTED, &mut |_| true).unwrap();
    let times: Vec<f32> = curves.moments.iter().map(|moment| moment.0).collect();
    assert_eq!(times.len(), 11);
    assert!((0_u8..).zip(&times).all(|(i, time)| (time - 1.0 - 0.1 * f32::from(i)).abs() < 1e-5), "{times:?}");
    // What is measured of a moment is what the pose of that moment is measured as.
    let mut session = session;
    for (time, measures) in curves.moments.iter().step_by(5) {
        session.apply(PlaybackCommand::Seek(*time));
        session.update_pose();
        assert_eq!(&session.measurements().measure_as(MeasureCurves::WANTED).unwrap().measures, measures, "{time} s");
    }
}

#[test]
fn the_worst_moment_is_the_one_with_the_worst_number_and_of_several_the_first() {
    let moment = |(i, stretch): (usize, f32)| {
        let measures = SurfaceMeasures { stretch: [1.0, stretch], ..SurfaceMeasures::default() };
        (0.5 + i as f32, measures)
    };
    let curves = |stretch: &[f32]| MeasureCurves {
        key: None,
        moments: stretch.iter().copied().enumerate().map(moment).collect(),
        complete: true,
    };
    let longest = measure("stretch_max").unwrap();
    assert_eq!(curves(&[1.0, 1.5, 2.0, 1.75]).worst(longest), Some((2, 2.0)));
    assert_eq!(curves(&[1.0, 1.5, 1.5, 1.25]).worst(longest), Some((1, 1.5)));
    // Half as long is as bad as twice as long.
    assert_eq!(curves(&[1.0, 1.5, 0.5, 1.25]).worst(longest), Some((2, 0.5)));
    assert_eq!(curves(&[]).worst(longest), None);
}

#[test]
fn a_click_on_a_moment_pins_the_vertex_that_is_worst_then() {
    // At first the second joint is bent, in the end the last one.
    let mut session = turned(glam::Vec3::X, Interpolation::Linear, [[50.0, 0.0], [0.0; 2], [0.0; 2], [0.0, 90.0]]);
    session.apply(MeasureCommand::TogglePanel);
    let curves = session.measurements().measured_clip().unwrap().clone();
    let height = |session: &Session| {
        let at = session.view().pinned.unwrap();
        session.model().unwrap().meshes[0].primitives[0].positions[at.vertex].y
    };
    for id in ["stretch_max", "stretch_min", "triangle_max", "triangle_min", "normal_error_max"] {
        let measure = measure(id).unwrap();
        let (moment, _) = curves.worst(measure).unwrap();
        assert_eq!(moment + 1, curves.moments.len(), "{id}");
        session.apply(MeasureCommand::ShowMoment(measure.id, curves.moments[moment].0));
        assert_eq!(session.view().pinned, (measure.at)(&curves.moments[moment].1), "{id}");
        assert!((session.playback().time_secs - 2.0).abs() < 1e-5 && height(&session) > 1.5, "{id}");
        session.apply(MeasureCommand::ShowMoment(measure.id, 1.02));
        assert_eq!(session.view().pinned, (measure.at)(&curves.moments[1].1), "{id}");
        assert!((session.playback().time_secs - curves.moments[1].0).abs() < 1e-5 && height(&session) < 1.0, "{id}");
    }
    assert!(MEASURES.len() > 5);
}

#[test]
fn measures_that_were_taken_for_one_overlay_are_shown_for_no_other_and_not_in_the_panel() {
    let mut session = turned(glam::Vec3::X, Interpolation::Linear, [[90.0, 90.0]; 4]);
    session.defer_work();
    session.apply(ViewCommand::SetOverlay(Some("stretch")));
    session.do_wanted();
    let area = |session: &Session| session.measurements().measures().map(|pose| pose.measures.area);
    assert_eq!(area(&session), Some(1.0), "the area is not measured for the stretch");
    session.apply(ViewCommand::SetOverlay(Some("area")));
    assert_eq!(area(&session), None);
    session.do_wanted();
    let measured = area(&session).unwrap();
    assert!((measured - 1.0).abs() > 0.01, "{measured}");
    session.apply(MeasureCommand::TogglePanel);
    assert_eq!(area(&session), None, "the panel shows the stretch too");
    session.do_wanted();
    assert_eq!(area(&session), Some(measured));
    // What the panel has measured has what the overlay alone needs.
    session.apply(MeasureCommand::TogglePanel);
    assert_eq!(area(&session), Some(measured));
}

#[test]
fn the_worst_moment_of_a_comparison_is_the_one_with_the_largest_distance_not_the_largest_mean() {
    // First one joint is twisted far, then all of them less far: the mean is larger then, the largest distance is not.
    let twists = [[150.0, 100.0], [0.0, 100.0], [0.0, 100.0], [0.0, 100.0]];
    let mut session = turned(glam::Vec3::Y, Interpolation::Step, twists);
    session.apply(ComparisonCommand::Set(true));
    session.apply(ComparisonCommand::SetMethod("dual-quaternion"));
    let at = |session: &mut Session, time| {
        session.apply(PlaybackCommand::Seek(time));
        session.update_pose();
        session.surfaces().compared_surfaces().unwrap().distance
    };
    let (first, second) = (at(&mut session, 1.0), at(&mut session, 2.0));
    assert!(first.worst > 1.5 * second.worst && second.mean > 1.2 * first.mean, "{first:?} {second:?}");
    let worst = session.worst_moment(&mut |_| true).unwrap();
    let FindingPose::Clip { time_secs, .. } = worst.pose else { panic!("{worst:?}") };
    assert_eq!((time_secs, worst.distance), (1.0, first), "the clip begins at 1 s");
}
