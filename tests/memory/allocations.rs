//! Nothing is allocated after the first frame on the way from a clip to packed palettes, nor on that from a session to
//! a frame, crowds included. The allocator itself counts.
#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

use std::sync::Arc;

use skinscope::anim::{self, SampleScratch};
use skinscope::deform;
use skinscope::frame::{self, SceneColors};
use skinscope::model::test_shapes::{Tube, obstacle_course, tube};
use skinscope::model::{
    Change, InstanceId, Interpolation, LocalPose, Model, NodeId, Property, PropertyChannel, Sampler, Values,
};
use skinscope::session::{
    ChannelValue, ControlCommand, Document, EditCommand, PlaybackCommand, SelectionCommand, Session, Toggle,
    ViewCommand,
};

use crate::counting::{allocations, alone};

/// All that a frame keeps between frames.
#[derive(Default)]
struct Frame {
    scratch: SampleScratch,
    changes: Vec<Change>,
    hidden: Vec<bool>,
    draws: Vec<InstanceId>,
    pose: LocalPose,
    matrices: Vec<glam::Affine3A>,
    palettes: Vec<glam::Affine3A>,
    packed: Vec<glam::Vec4>,
}

fn frame(model: &Model, method: &deform::Method, time_secs: f32, f: &mut Frame) {
    anim::reset_to_rest(&model.skeleton, &mut f.pose);
    anim::sample(model, &model.clips[0], time_secs, &mut f.scratch, &mut f.pose);
    anim::sample_properties(&model.clips[0], time_secs, &mut f.scratch, &mut f.changes);
    anim::drawn(model, 0, &f.changes, &mut f.hidden, &mut f.draws);
    anim::local_to_model(&model.skeleton, &f.pose, &mut f.matrices);
    deform::palettes(model, &f.matrices, &mut f.palettes);
    deform::pack(method, &f.palettes, &mut f.packed);
}

fn counted(model: &Model) {
    for method in deform::METHODS {
        let mut f = Frame::default();
        let start = allocations();
        frame(model, method, 0.0, &mut f);
        assert!(allocations() > start, "the first frame allocates, so the counter counts");
        let start = allocations();
        for i in 0..100 {
            frame(model, method, i as f32 * 0.02, &mut f);
        }
        assert_eq!(allocations() - start, 0, "{}, {}", model.source.name, method.id);
    }
}

/// The obstacle course, whose first node is hidden in the second half of the clip.
fn blinking() -> Model {
    let mut parts = (*obstacle_course()).clone();
    let clip = &mut parts.clips[0];
    clip.times.push(vec![0.0, 1.0]);
    let values = Values::Weights { count: 1, values: vec![1.0, 0.0] };
    clip.samplers.push(Sampler { times: clip.times.len() - 1, interpolation: Interpolation::Step, values });
    let sampler = clip.samplers.len() - 1;
    clip.properties = vec![PropertyChannel { property: Property::Visible(NodeId(0)), sampler }];
    Model::build(parts).unwrap()
}

#[test]
fn frames_after_the_first_allocate_nothing() {
    let _alone = alone();
    counted(&obstacle_course());
    counted(&tube(Tube { joints: 70, influences: 4, ..Tube::default() }));
    counted(&blinking());
}

/// A session that plays, all that it draws over the model included.
fn played(model: Model, members: u32) {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(model), Vec::new(), None));
    session.apply(ViewCommand::SetCrowd(members));
    session.apply(ViewCommand::ToggleOverlay("weights"));
    session.apply(SelectionCommand::Select(Some(NodeId(1))));
    session.apply(EditCommand::Edit(NodeId(1), ChannelValue::Rotation(glam::Vec3::Y)));
    session.apply(ViewCommand::Set(Toggle::Axes, true));
    let name = session.model().unwrap().skeleton.names[1].clone();
    for line in [
        "angle('_', 'x') = 9 * sin(90 * time()) + slider('Slider')",
        "scale('_', 'y') = 1 + clamp(bend('_') + place('_', 'y'))",
    ] {
        session.apply(ControlCommand::AddSlider);
        session.apply(ControlCommand::AddDriver(line.replace('_', &name)));
    }
    let mut picture = frame::Frame::default();
    let mut shown = frame::Frame::default();
    let mut next = || {
        session.apply(PlaybackCommand::Advance(0.03));
        session.update_pose();
        assert!(session.pose().control_value(0).is_some() && session.pose().control_value(1).is_some());
        session.build_frame(&mut picture, &SceneColors::DARK);
        shown.clone_from(&picture);
        assert_eq!(shown.members, members);
        assert!(!shown.bones.is_empty() && !shown.lines.is_empty());
    };
    next();
    next();
    let start = allocations();
    (0..100).for_each(|_| next());
    assert_eq!(allocations() - start, 0, "{members} of {}", session.model().unwrap().source.name);
}

#[test]
fn a_session_that_plays_allocates_nothing_nor_does_a_crowd() {
    let _alone = alone();
    for members in [1, 30] {
        played(obstacle_course(), members);
        played(tube(Tube { joints: 70, influences: 4, ..Tube::default() }), members);
        played(blinking(), members);
    }
}
