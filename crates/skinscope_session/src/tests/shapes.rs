//! Tests of corrective shapes that are made in the background, and of what their steps hold.

use std::sync::Arc;

use glam::Vec3;
use skinscope_base::parallel::JobContext;
use skinscope_inspect::Inspection;
use skinscope_inspect::check::CheckOptions;
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Clip, MeshId, Model, ModelParts, NodeId, Path, PrimitiveId, Sampler, WeightChange};

use crate::tests::sessions::still_session;
use crate::{
    ChannelValue, Command, Document, EditCommand, Examination, PlaybackCommand, PoseSource, Session, ShapeCommand,
    ShapeSettings, ViewCommand, Work,
};

fn bend(session: &mut Session, degrees: f32) {
    session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::X * degrees)));
    session.apply(EditCommand::EndEdit);
    session.update_pose();
}

/// A bent tube that dual quaternions show.
fn bent() -> Session {
    let mut session = still_session(tube(Tube { rings: 41, ..Tube::default() }));
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    bend(&mut session, 60.0);
    session.apply(ViewCommand::SetMethod("dual-quaternion"));
    session
}

fn shape(session: &mut Session, command: ShapeCommand) {
    session.apply(EditCommand::Shape(command));
}

fn of_drawn(name: &str) -> ShapeCommand {
    ShapeCommand::OfMethod(ShapeSettings { name: name.into(), ..ShapeSettings::default() })
}

fn names(session: &Session) -> Vec<String> {
    session.model().unwrap().meshes[0].morph_names.clone()
}

/// All that shapes may change of a model, as text.
fn state(model: &Model) -> String {
    let mesh = &model.meshes[0];
    let clips: Vec<_> = model.clips.iter().map(|clip| (&clip.channels, &clip.samplers, &clip.times)).collect();
    let kept = (&model.retargeted, &model.source.kept_shapes, &model.skeleton.rest.morph_weights);
    format!("{:?} {:?} {clips:?} {kept:?}", mesh.morph_names, mesh.primitives[0].morphs)
}

fn wanted(session: &mut Session) -> Option<Work> {
    session.wanted().into_iter().find(|work| matches!(work, Work::MakeShapes(_)))
}

fn refusal(session: &Session) -> String {
    session.tools().shapes.clone().and_then(Result::err).unwrap_or_default()
}

#[test]
fn shapes_that_are_made_in_the_background_are_those_made_at_once_in_one_step() {
    let (mut session, mut at_once) = (bent(), bent());
    session.defer_work();
    let commands = [
        of_drawn("one"),
        ShapeCommand::Rename("one".into(), "elbow".into()),
        ShapeCommand::OfOffsets(
            ShapeSettings { name: "dent".into(), ..ShapeSettings::default() },
            Arc::new(vec![(PrimitiveId::new(MeshId(0), 0), vec![(70, [0.0, 0.0, 0.05])])]),
        ),
        ShapeCommand::Remove("elbow".into()),
    ];
    for command in commands {
        let before = Arc::clone(session.model().unwrap());
        shape(&mut session, command.clone());
        assert!(Arc::ptr_eq(session.model().unwrap(), &before) && session.tools().makes_shapes(), "{command:?}");
        session.do_wanted();
        assert!(!session.tools().makes_shapes());
        shape(&mut at_once, command.clone());
        assert_eq!(session.tools().shapes, at_once.tools().shapes, "{command:?}");
        assert!(state(session.model().unwrap()) == state(at_once.model().unwrap()), "{command:?}");
        let after = state(session.model().unwrap());
        session.apply(EditCommand::Undo);
        assert!(state(session.model().unwrap()) == state(&before), "{command:?} is one step");
        session.apply(EditCommand::Redo);
        assert!(state(session.model().unwrap()) == after, "{command:?}");
    }
}

#[test]
fn a_model_that_was_checked_is_looked_at_again_once_it_has_other_shapes() {
    let mut session = bent();
    let inspect = |session: &mut Session| {
        let model = Arc::clone(session.edited_weights().edited_model().unwrap());
        let flag = std::sync::atomic::AtomicBool::new(false);
        session.inspected(&model, Inspection::of(&model, &CheckOptions::default(), &flag).unwrap());
    };
    shape(&mut session, of_drawn("one"));
    assert_eq!(session.take_examination(), None, "nobody has asked for a check");
    inspect(&mut session);
    let settings = ShapeSettings { name: "dent".into(), ..ShapeSettings::default() };
    let by = Arc::new(vec![(PrimitiveId::new(MeshId(0), 0), vec![(70, [0.0, 0.0, 0.05])])]);
    shape(&mut session, ShapeCommand::OfOffsets(settings, by));
    let told = session.tools().shapes.clone().unwrap().unwrap();
    assert!(told[0].starts_with("Made the shape dent: ") && told[0].contains(", brought in by "), "{told:?}");
    assert_eq!(session.take_examination(), Some(Examination::Check));
    inspect(&mut session);
    session.apply(EditCommand::Undo);
    assert_eq!(session.take_examination(), Some(Examination::Check));
}

#[test]
fn what_is_given_up_leaves_nothing_and_others_wait_until_then() {
    let mut session = bent();
    session.defer_work();
    let before = Arc::clone(session.model().unwrap());
    shape(&mut session, of_drawn("one"));
    let work = wanted(&mut session).unwrap();
    let late = session.begin(&work).unwrap();
    shape(&mut session, of_drawn("two"));
    assert!(refusal(&session).contains("being made already") && wanted(&mut session) == Some(work.clone()));
    let (said, cancel) = work.notice().unwrap();
    assert_eq!((&said[..], &cancel), ("Changing shapes", &Command::from(EditCommand::Shape(ShapeCommand::Cancel))));
    session.apply(cancel);
    assert!(wanted(&mut session).is_none() && session.begin(&work).is_none());
    let done = late(&JobContext::of_waiting()).unwrap();
    session.done(done);
    assert!(Arc::ptr_eq(session.model().unwrap(), &before) && !session.tools().makes_shapes());
    // A job that was cancelled says nothing at all.
    shape(&mut session, of_drawn("one"));
    let work = wanted(&mut session).unwrap();
    let context = JobContext::of_waiting();
    context.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(session.begin(&work).unwrap()(&context).is_none());
}

#[test]
fn a_model_that_has_changed_meanwhile_is_not_replaced_and_that_is_said() {
    let mut session = bent();
    session.defer_work();
    shape(&mut session, of_drawn("one"));
    let work = wanted(&mut session).unwrap();
    let late = session.begin(&work).unwrap();
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    change.push(330, &[0], &[1.0]);
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    let edited = Arc::clone(session.model().unwrap());
    assert!(refusal(&session).contains("the model has changed") && wanted(&mut session).is_none());
    let done = late(&JobContext::of_waiting()).unwrap();
    session.done(done);
    assert!(Arc::ptr_eq(session.model().unwrap(), &edited) && names(&session).is_empty());
    // What was made of the pose that was shown then is of use though the pose is another one.
    shape(&mut session, of_drawn("one"));
    bend(&mut session, 20.0);
    session.do_wanted();
    assert_eq!(names(&session), ["one"]);
}

#[test]
fn what_is_made_during_a_drag_is_shown_when_that_ends() {
    let mut session = bent();
    session.defer_work();
    shape(&mut session, of_drawn("one"));
    let work = wanted(&mut session).unwrap();
    let late = session.begin(&work).unwrap();
    session.apply(EditCommand::BeginEdit);
    session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::X * 10.0)));
    let done = late(&JobContext::of_waiting()).unwrap();
    session.done(done);
    assert!(names(&session).is_empty() && session.tools().makes_shapes() && wanted(&mut session).is_none());
    session.apply(EditCommand::EndEdit);
    assert!(names(&session) == ["one"] && !session.tools().makes_shapes());
    session.apply(EditCommand::Undo);
    assert!(names(&session).is_empty());
    session.update_pose();
    let turned = session.pose().local.transforms[2].rotation;
    assert!(
        turned.dot(glam::Quat::from_rotation_x(10_f32.to_radians())).abs() > 1.0 - 1e-5,
        "the drag is another step"
    );
}

#[test]
fn a_step_holds_the_targets_and_keys_that_it_changed_and_no_model() {
    let mut session = bent();
    shape(&mut session, of_drawn("one"));
    bend(&mut session, -60.0);
    shape(&mut session, of_drawn("two"));
    let model = Arc::clone(session.model().unwrap());
    let primitive = &model.meshes[0].primitives[0];
    let offsets = 2 * size_of::<Vec3>() * primitive.positions.len();
    let made = session.history().target_bytes();
    shape(&mut session, ShapeCommand::Rename("two".into(), "other".into()));
    assert_eq!(session.history().target_bytes(), made, "a name has neither offsets nor keys");
    session.apply(EditCommand::Undo);
    session.apply(EditCommand::Undo);
    let undone = session.history().target_bytes();
    assert!(undone >= made + offsets, "{undone} {made} {offsets}: what was made is kept for redo");
    let keys: usize = model.clips.iter().flat_map(|clip| &clip.times).map(|times| size_of_val(&times[..])).sum();
    assert!(undone < made + offsets + 16 * keys + 4096, "{undone} {made} {offsets} {keys}");
    session.apply(EditCommand::Redo);
    assert!(state(session.model().unwrap()) == state(&model));
    assert!(session.model().unwrap().shares_all_but_edits(&model));
}

#[test]
fn a_gesture_with_several_changes_of_shapes_is_one_step() {
    let mut session = bent();
    let before = Arc::clone(session.model().unwrap());
    session.apply(EditCommand::BeginEdit);
    shape(&mut session, of_drawn("one"));
    shape(&mut session, ShapeCommand::Rename("one".into(), "elbow".into()));
    session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::X * -40.0)));
    shape(&mut session, of_drawn("back"));
    session.apply(EditCommand::EndEdit);
    let after = Arc::clone(session.model().unwrap());
    assert_eq!(names(&session), ["elbow", "back"]);
    session.apply(EditCommand::Undo);
    assert!(state(session.model().unwrap()) == state(&before));
    session.apply(EditCommand::Redo);
    assert!(state(session.model().unwrap()) == state(&after));
}

/// The model as its file is read that it was saved into: clips have the keys that they use, each in a list of its own.
fn as_file(model: &Model) -> Document {
    let mut parts = ModelParts::clone(model);
    parts.retargeted.clear();
    for Clip { channels, times, samplers, .. } in &mut parts.clips {
        let (old_times, old) = (std::mem::take(times), std::mem::take(samplers));
        for channel in channels.iter_mut().rev() {
            let sampler = old[channel.sampler].clone();
            times.push(old_times[sampler.times].clone());
            channel.sampler = samplers.len();
            samplers.push(Sampler { times: times.len() - 1, ..sampler });
        }
    }
    Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), Some("saved.glb".into()))
}

/// Saves the model of a session, and reads it again.
fn save(session: &mut Session) {
    let model = Arc::clone(session.model().unwrap());
    let document = as_file(&model);
    session.files_mut().note_model_saved("saved.glb".into(), model);
    session.open(document);
    session.update_pose();
    assert!(!session.unsaved().has_unsaved_skinning());
}

/// The names and offsets of the morph targets, and the keys of their weights, whatever lists these are in.
fn shown(session: &Session) -> String {
    let model = session.model().unwrap();
    let offsets: Vec<_> = model.meshes[0].primitives[0].morphs.iter().map(|morph| &morph.positions).collect();
    let keys = |clip: &Clip| -> Vec<String> {
        let own = clip.channels.iter().filter(|channel| channel.path == Path::Weights);
        own.map(|channel| {
            let sampler = &clip.samplers[channel.sampler];
            format!("{:?} {:?}", clip.times[sampler.times], sampler.values)
        })
        .collect()
    };
    let keys: Vec<_> = model.clips.iter().map(keys).collect();
    format!("{:?} {offsets:?} {keys:?}", names(session))
}

#[test]
fn shapes_that_were_saved_are_taken_back_and_brought_back_like_others() {
    let mut session = bent();
    let mut states = vec![shown(&session)];
    shape(&mut session, of_drawn("one"));
    states.push(shown(&session));
    bend(&mut session, -60.0);
    shape(&mut session, of_drawn("two"));
    states.push(shown(&session));
    shape(&mut session, ShapeCommand::Rename("two".into(), "other".into()));
    states.push(shown(&session));
    shape(&mut session, ShapeCommand::Remove("one".into()));
    let last = shown(&session);
    let turned = session.pose().local.transforms[2].rotation;
    assert_eq!(session.history().steps_lost_by_saving(), 0);
    save(&mut session);
    assert!(shown(&session) == last && session.pose().local.transforms[2].rotation == turned);
    session.apply(EditCommand::Undo);
    assert!(shown(&session) == states[3], "the shape that was removed is there again");
    // The file has another one in its place, so that both are as good as new.
    let retargeted = session.model().unwrap().retargeted.clone();
    assert_eq!((retargeted.len(), &retargeted[0].names[..]), (1, &["other".to_owned()][..]));
    assert!(retargeted[0].from == [None, None] && retargeted[0].has_other_keys);
    session.apply(EditCommand::Undo);
    assert_eq!(names(&session), ["one", "two"]);
    // Saved again in the middle, steps lead on in both directions.
    save(&mut session);
    for (state, steps) in [(1, 1), (0, 2)] {
        (0..steps).for_each(|_| _ = session.apply(EditCommand::Undo));
        assert!(shown(&session) == states[state], "{state}");
    }
    let retargeted = session.model().unwrap().retargeted.clone();
    assert!(retargeted[0].from.is_empty() && retargeted[0].names == ["one", "two"]);
    for (state, steps) in [(1, 1), (2, 2), (3, 1)] {
        (0..steps).for_each(|_| _ = session.apply(EditCommand::Redo));
        assert!(shown(&session) == states[state], "{state}");
    }
    session.apply(EditCommand::Redo);
    assert!(shown(&session) == last);
    session.update_pose();
    assert_eq!(session.pose().local.morph_weights.len(), 1);
}

#[test]
fn steps_about_shapes_end_where_another_program_has_changed_the_mesh() {
    let mut session = bent();
    shape(&mut session, of_drawn("one"));
    let model = Arc::clone(session.model().unwrap());
    let mut parts = ModelParts::clone(as_file(&model).stored());
    parts.meshes[0].primitives[0].positions[7].x += 0.5;
    session.files_mut().note_model_saved("saved.glb".into(), model);
    let other = Arc::new(Model::build(parts).unwrap());
    session.open(Document::new(other, Vec::new(), Some("saved.glb".into())));
    assert!(!session.history().can_undo() && names(&session) == ["one"]);
}
