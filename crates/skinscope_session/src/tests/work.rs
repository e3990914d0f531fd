//! Tests of the door for work that takes long.

use std::sync::Arc;

use skinscope_base::parallel::JobContext;
use skinscope_edit::{Packing, RUNTIMES, packed};
use skinscope_model::test_shapes::{Tube, obstacle_course, tube};
use skinscope_model::{Clip, ClipId, MeshId, Model, WeightChange};

use crate::tests::sessions::still_session;
use crate::{
    ComparisonCommand, Document, EditCommand, MeasureCommand, PlaybackCommand, Session, SideWeights, ToolCommand,
    ViewCommand, Work,
};

fn deferring() -> Session {
    let mut session = still_session(obstacle_course());
    session.defer_work();
    session
}

/// A session that waits for every kind of work at once.
fn busy() -> Session {
    let mut session = Session::default();
    session.defer_work();
    let mut parts = (*tube(Tube { joints: 3, rings: 400, sides: 130, ..Tube::default() })).clone();
    let weights = &mut parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().weights;
    weights.iter_mut().for_each(|w| *w *= 0.5);
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
    session
}

fn unity() -> Packing {
    RUNTIMES.iter().find(|runtime| runtime.id == "unity-2").unwrap().packing
}

fn run(session: &mut Session, work: &Work) {
    let done = session.begin(work).unwrap()(&JobContext::of_waiting()).unwrap();
    session.done(done);
}

fn bits(model: &Model) -> Vec<(u16, u32)> {
    let influences = model.influences(MeshId(0), 0).unwrap();
    let of = |v: usize| {
        let (joints, weights) = influences.of(v);
        joints.iter().copied().zip(weights.iter().map(|w| w.to_bits())).collect::<Vec<_>>()
    };
    (0..influences.vertices()).flat_map(of).collect()
}

#[test]
fn what_is_wanted_is_said_until_it_is_done_and_a_session_that_does_not_defer_work_waits_for_nothing() {
    let mut session = deferring();
    assert!(session.wanted().is_empty());
    session.apply(ToolCommand::Choose(Some("smooth")));
    session.apply(ViewCommand::SetMethod("polar"));
    session.apply(MeasureCommand::TogglePanel);
    session.apply(ComparisonCommand::Set(true));
    session.apply(ComparisonCommand::PreviewAs(unity()));
    session.apply(ComparisonCommand::ToWorstMoment);
    let wanted = session.wanted();
    assert_eq!(wanted.len(), 6, "{wanted:?}");
    for (i, work) in wanted.iter().enumerate() {
        assert!(wanted[..i].iter().all(|other| !work.is_of_kind(other) && work != other), "{work:?}");
        assert!(session.wanted().contains(work), "the same until something changes: {work:?}");
    }
    session.do_wanted();
    assert!(
        session.wanted().is_empty() && session.tools().is_trying() && session.deforming().packed_figures().is_some()
    );
    assert!(session.measurements().measured_clip().is_some() && session.measurements().measures().is_some());
    assert!(
        session.deforming().shown_method().id == "polar"
            && !session.compared().is_seeking_worst()
            && session.view().pinned.is_some()
    );
    let mut at_once = still_session(obstacle_course());
    at_once.apply(ToolCommand::Choose(Some("smooth")));
    assert!(at_once.wanted().is_empty() && at_once.tools().is_trying());
}

#[test]
fn each_command_that_a_notice_names_takes_the_wish_back() {
    let mut session = busy();
    session.apply(EditCommand::NormaliseWeights);
    let cancel = |session: &mut Session, wish: Work| {
        let (said, command) = wish.notice().unwrap();
        assert!(session.wanted().contains(&wish), "{said}");
        session.apply(command);
        assert!(!session.wanted().iter().any(|work| work.is_of_kind(&wish)), "{said}");
    };
    let wish = session.wanted().remove(0);
    assert!(matches!(wish, Work::NormaliseWeights(_)));
    cancel(&mut session, wish);
    for (command, kind) in [
        (ToolCommand::Choose(Some("smooth")).into(), "Smooth"),
        (ComparisonCommand::PreviewAs(unity()).into(), "Computing the weights"),
        (crate::Command::View(ViewCommand::SetMethod("polar")), "Computing "),
    ] {
        session.apply(command);
        let wish = session.wanted().into_iter().find(|work| work.notice().is_some()).unwrap();
        assert!(wish.notice().unwrap().0.starts_with(kind), "{wish:?}");
        cancel(&mut session, wish);
    }
}

#[test]
fn weights_of_a_runtime_are_those_computed_at_once_and_of_no_use_for_other_weights() {
    let mut session = deferring();
    session.apply(ComparisonCommand::PreviewAs(unity()));
    let first = session.wanted().remove(0);
    let late = session.begin(&first).unwrap();
    // The weights change meanwhile.
    let before = Arc::clone(session.model().unwrap());
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    change.push(5, &[0, 1, 2], &[0.5, 0.3, 0.2]);
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    let second = session.wanted().into_iter().find(|work| work.is_of_kind(&first)).unwrap();
    assert!(first != second);
    let done = late(&JobContext::of_waiting()).unwrap();
    session.done(done);
    assert!(session.deforming().packed_figures().is_none() && session.wanted().contains(&second), "it came too late");
    run(&mut session, &second);
    let at_once = |model: &Arc<Model>| packed(model, unity(), &JobContext::of_waiting()).unwrap();
    let (model, figures) = at_once(session.model().unwrap());
    assert_eq!(session.deforming().packed_figures(), Some(&figures));
    assert_eq!(bits(session.deforming().compared_model().unwrap()), bits(&model));
    assert_ne!(bits(&model), bits(&at_once(&before).0), "the edit is seen in what is packed");
}

#[test]
fn work_that_is_cancelled_says_nothing() {
    let mut session = busy();
    session.apply(EditCommand::NormaliseWeights);
    session.apply(ViewCommand::SetMethod("polar"));
    session.apply(ToolCommand::Choose(Some("smooth")));
    session.apply(PlaybackCommand::SetPlaying(false));
    let context = JobContext::of_waiting();
    context.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
    let wanted: Vec<Work> = session.wanted().into_iter().filter(|work| work.notice().is_some()).collect();
    assert!(wanted.len() >= 2, "{wanted:?}");
    for work in wanted {
        assert!(session.begin(&work).unwrap()(&context).is_none(), "{work:?}");
    }
}

#[test]
fn what_is_normalised_when_another_file_is_opened_ends_and_lands_on_no_other_model() {
    let mut session = busy();
    session.apply(EditCommand::NormaliseWeights);
    let work = session.wanted().into_iter().find(|work| matches!(work, Work::NormaliseWeights(_))).unwrap();
    let late = session.begin(&work).unwrap()(&JobContext::of_waiting()).unwrap();
    // The other model is another object with the same vertices, so that the changes would fit it.
    let other = busy();
    let other = Document::new(Arc::clone(other.document().unwrap().stored()), Vec::new(), Some("other.glb".into()));
    let stored = bits(&other.model);
    session.open(other);
    assert!(!session.is_normalising(), "nobody has asked for that in this file");
    assert!(!session.wanted().iter().any(|work| matches!(work, Work::NormaliseWeights(_))));
    assert!(session.begin(&work).is_none(), "its model is no longer open");
    session.done(late);
    assert_eq!(bits(session.model().unwrap()), stored, "it came too late");
    session.do_wanted();
    assert!(bits(session.model().unwrap()) == stored && !session.unsaved().has_unsaved_work());
}

/// Returns a session that seeks the worst moment of a comparison and waits for the measures of its pose, with both pieces of work.
fn measured(model: Model) -> (Session, [Work; 2]) {
    let mut session = still_session(model);
    session.defer_work();
    session.apply(ViewCommand::SetOverlay(Some("stretch")));
    session.apply(ComparisonCommand::Set(true));
    session.apply(ComparisonCommand::ToWorstMoment);
    let wanted = session.wanted();
    let find = |is_it: fn(&Work) -> bool| wanted.iter().find(|work| is_it(work)).unwrap().clone();
    let works =
        [find(|work| matches!(work, Work::FindWorstMoment(_))), find(|work| matches!(work, Work::MeasurePose(_)))];
    (session, works)
}

#[test]
fn a_search_or_a_measurement_of_another_model_is_cancelled_and_its_late_result_is_not_shown() {
    let (mut session, works) = measured(obstacle_course());
    let late: Vec<_> =
        works.iter().map(|work| session.begin(work).unwrap()(&JobContext::of_waiting()).unwrap()).collect();
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    change.push(5, &[0, 1, 2], &[0.5, 0.3, 0.2]);
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    let wanted = session.wanted();
    for work in &works {
        assert!(!wanted.contains(work) && session.begin(work).is_none(), "its model is not shown any more: {work:?}");
        assert!(wanted.iter().any(|other| other.is_of_kind(work)), "it is wanted of the edited model: {work:?}");
    }
    let before = (session.playback().time_secs, session.view().pinned);
    late.into_iter().for_each(|done| session.done(done));
    assert!(session.compared().is_seeking_worst() && session.measurements().measures().is_none());
    assert_eq!((session.playback().time_secs, session.view().pinned), before);
    session.do_wanted();
    assert!(!session.compared().is_seeking_worst() && session.measurements().measures().is_some());
    // Another file ends the search.
    session.apply(ComparisonCommand::ToWorstMoment);
    session.open(Document::new(Arc::new(obstacle_course()), Vec::new(), Some("other.glb".into())));
    assert!(!session.compared().is_seeking_worst());
}

#[test]
fn a_search_for_the_worst_moment_is_one_of_its_clip_methods_edits_and_blended_clips() {
    use skinscope_anim::{Additive, Layers};
    let mut parts = (*obstacle_course()).clone();
    let other_clip = ClipId::from_index(parts.clips.len());
    parts.clips.push(Clip { name: "other".to_owned(), ..parts.clips[0].clone() });
    let (session, [search, _]) = measured(Model::build(parts).unwrap());
    let added = Layers { add: Some(Additive { clip: other_clip, weight: 0.5 }), ..Layers::default() };
    let changes: [crate::Command; 7] = [
        PlaybackCommand::SetClip(other_clip).into(),
        PlaybackCommand::SetLayers(added).into(),
        PlaybackCommand::ToggleInPlace.into(),
        ComparisonCommand::SetNormals("blended-inverse-transpose").into(),
        ViewCommand::SetMethod("dual-quaternion").into(),
        ViewCommand::SetParameter("mush-iterations", 2.0).into(),
        EditCommand::EditMorph(0, 0.75).into(),
    ];
    for change in changes {
        let mut session = session.clone();
        let late = session.begin(&search).unwrap()(&JobContext::of_waiting()).unwrap();
        session.apply(change.clone());
        session.update_pose();
        let now = session.wanted().into_iter().find(|work| work.is_of_kind(&search)).unwrap();
        assert!(now != search, "{change:?}");
        let time_secs = session.playback().time_secs;
        session.done(late);
        assert!(session.compared().is_seeking_worst() && session.playback().time_secs == time_secs, "{change:?}");
    }
    // Without a clip there is no such moment, and nothing is sought any more.
    let mut session = session;
    session.apply(PlaybackCommand::SetPose(crate::PoseSource::Rest));
    assert!(!session.wanted().iter().any(|work| work.is_of_kind(&search)) && !session.compared().is_seeking_worst());
}

#[test]
fn what_is_measured_is_measured_again_of_another_model_by_another_method_and_for_another_overlay() {
    let mut session = deferring();
    session.apply(MeasureCommand::TogglePanel);
    session.do_wanted();
    assert!(session.wanted().is_empty() && session.measurements().measured_clip().is_some());
    let mut weights = WeightChange::new(MeshId(0), 0, 4);
    weights.push(5, &[0, 1, 2], &[0.5, 0.3, 0.2]);
    let changes: [(crate::Command, bool); 3] = [
        (ViewCommand::SetMethod("dual-quaternion").into(), true),
        (EditCommand::ChangeWeights(Arc::new(vec![weights])).into(), true),
        (ViewCommand::SetOverlay(Some("stretch")).into(), false),
    ];
    for (change, has_other_clip) in changes {
        let mut session = session.clone();
        session.apply(change.clone());
        session.update_pose();
        let wanted = session.wanted();
        assert!(wanted.iter().any(|work| matches!(work, Work::MeasurePose(_))), "{change:?}");
        assert_eq!(wanted.iter().any(|work| matches!(work, Work::MeasureClip(_))), has_other_clip, "{change:?}");
        session.do_wanted();
        assert!(session.wanted().is_empty() && session.measurements().measured_clip().is_some(), "{change:?}");
    }
}

#[test]
fn a_search_for_the_worst_moment_is_one_of_the_weights_of_the_second_side() {
    let mut session = deferring();
    let mut weights = WeightChange::new(MeshId(0), 0, 4);
    weights.push(5, &[0, 1, 2], &[0.5, 0.3, 0.2]);
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![weights])));
    session.apply(ComparisonCommand::Set(true));
    session.apply(ComparisonCommand::ToWorstMoment);
    let search = |session: &mut Session| {
        session.wanted().into_iter().find(|work| matches!(work, Work::FindWorstMoment(_))).unwrap()
    };
    let first = search(&mut session);
    session.apply(ComparisonCommand::SetWeights(SideWeights::Stored));
    assert!(search(&mut session) != first, "the second side has the weights of the file now");
}

#[test]
fn the_weights_of_another_runtime_and_the_data_of_another_model_are_other_work() {
    let mut session = deferring();
    session.apply(ViewCommand::SetMethod("polar"));
    let wanted = |session: &mut Session, is_it: fn(&Work) -> bool| session.wanted().into_iter().find(is_it).unwrap();
    let packs = |work: &Work| matches!(work, Work::PackWeights(..));
    let prepares = |work: &Work| matches!(work, Work::PrepareMethod(..));
    let other = RUNTIMES.iter().find(|runtime| runtime.id == "unity-1").unwrap().packing;
    session.apply(ComparisonCommand::PreviewAs(unity()));
    let (packing, data) = (wanted(&mut session, packs), wanted(&mut session, prepares));
    session.apply(ComparisonCommand::PreviewAs(other));
    assert!(wanted(&mut session, packs) != packing && wanted(&mut session, prepares) == data);
    let mut weights = WeightChange::new(MeshId(0), 0, 4);
    weights.push(5, &[0, 1, 2], &[0.5, 0.3, 0.2]);
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![weights])));
    assert!(wanted(&mut session, prepares) != data);
}

#[test]
fn work_waits_for_the_end_of_a_gesture_that_changes_weights_and_follows_one_that_changes_the_pose() {
    let mut session = deferring();
    session.apply(ViewCommand::SetMethod("polar"));
    session.apply(MeasureCommand::TogglePanel);
    session.apply(ComparisonCommand::PreviewAs(unity()));
    let first = session.wanted();
    assert!(first.len() > 3, "{}", first.len());
    let of_pose = |work: &&Work| matches!(work, Work::MeasurePose(_));
    // A drag of a slider of the pose: its measures follow, and so do the curves of the clip, which are others then.
    session.apply(EditCommand::BeginEdit);
    session.apply(EditCommand::EditMorph(0, 0.75));
    session.update_pose();
    let dragged = session.wanted();
    assert!(session.has_gesture() && !session.waits_for_commit() && dragged != first);
    let measures = dragged.iter().find(of_pose).unwrap();
    assert!(first.contains(measures) && session.begin(measures).is_some());
    session.apply(EditCommand::CancelEdit);
    session.update_pose();
    assert!(session.wanted() == first);
    let weigh = |session: &mut Session, share: f32| {
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        change.push(5, &[0, 1], &[share, 1.0 - share]);
        session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
        session.update_pose();
    };
    session.apply(EditCommand::BeginEdit);
    for share in [0.3, 0.4, 0.55] {
        weigh(&mut session, share);
        assert!(session.waits_for_commit() && session.wanted() == first, "{share}");
        assert!(first.iter().all(|work| session.begin(work).is_none()), "{share}");
    }
    session.do_wanted();
    session.apply(EditCommand::EndEdit);
    let second = session.wanted();
    assert!(!session.waits_for_commit() && second.len() == first.len());
    assert!(second.iter().all(|work| !first.contains(work)), "all of it is about the new weights");
    // Where the gesture is given up, what was under way is still wanted.
    session.apply(EditCommand::BeginEdit);
    weigh(&mut session, 0.7);
    assert!(session.waits_for_commit() && session.wanted() == second);
    session.apply(EditCommand::CancelEdit);
    assert!(!session.waits_for_commit() && session.wanted() == second);
    assert!(second.iter().all(|work| session.begin(work).is_some()));
    session.do_wanted();
    assert!(session.wanted().is_empty());
}
