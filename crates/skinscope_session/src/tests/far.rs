//! Poses far from the origin: edited, mirrored, copied and saved with all their digits.

use std::sync::Arc;

use glam::{DVec3, Vec3};
use skinscope_anim::pose::{capture, resolve};
use skinscope_import::{Options, Progress};
use skinscope_model::{Model, ModelParts, NodeId, Path, Values};

use crate::tests::sessions::still_session;
use crate::{
    ChannelKind, ChannelValue, Document, EditCommand, PlaybackCommand, PoseSource, PosingCommand, SelectionCommand,
    Session, SessionFile, Source,
};

/// How far the clip leads, metres: between the steps of floats.
const AWAY: DVec3 = DVec3::new(98_304.0, 0.0, 65_536.0);

/// The built-in character with its clip, whose hips are `away` from where they were.
fn model(away: DVec3) -> Model {
    let document = Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap();
    let mut parts: ModelParts = (**document.model).clone();
    let clip = &mut parts.clips[0];
    let channel = *clip.channels.iter().find(|c| c.path == Path::Translation).unwrap();
    let sampler = &mut clip.samplers[channel.sampler];
    // On a grid that floats hold there, so that both clips are the same one.
    if let Values::Vec3(keys) = &mut sampler.values {
        *keys = keys.iter().map(|v| (v * 128.0).round() / 128.0).collect();
    }
    sampler.shift_keys(away);
    Model::build(parts).unwrap()
}

fn session(away: DVec3) -> Session {
    let mut session = still_session(model(away));
    session.apply(PlaybackCommand::SetPose(PoseSource::Clip));
    session.apply(PlaybackCommand::Seek(0.3));
    let arm = node(&session, "UpperArm.L");
    session.apply(EditCommand::Edit(arm, ChannelValue::Rotation(Vec3::new(0.0, 20.0, 50.0))));
    session.apply(EditCommand::EndEdit);
    session.update_pose();
    session
}

fn node(session: &Session, name: &str) -> NodeId {
    NodeId::from_index(session.model().unwrap().skeleton.names.iter().position(|n| n == name).unwrap())
}

/// The positions of the hips and all that is below them, in the world.
fn positions(session: &mut Session) -> Vec<DVec3> {
    session.update_pose();
    let pose = session.pose();
    let hips = node(session, "Hips");
    let below = hips.index()..session.model().unwrap().skeleton.subtree_end(hips);
    pose.model[below].iter().map(|matrix| matrix.translation.as_dvec3() + pose.shift).collect()
}

/// Returns the largest distance between positions and those near the origin, moved.
fn apart(far: &[DVec3], near: &[DVec3], moved: DVec3) -> f64 {
    far.iter().zip(near).map(|(far, near)| far.distance(*near + moved)).fold(0.0, f64::max)
}

#[test]
fn a_pose_far_away_is_mirrored_flipped_and_undone_as_one_near_the_origin() {
    let (mut near, mut far) = (session(DVec3::ZERO), session(AWAY));
    let start = positions(&mut far);
    let first = positions(&mut near);
    assert!(apart(&start, &first, AWAY) < 1e-6, "{start:?} {first:?}");
    let mirrored = AWAY * DVec3::new(-1.0, 1.0, 1.0);
    for session in [&mut near, &mut far] {
        session.apply(PosingCommand::Mirror);
    }
    let once = positions(&mut far);
    assert!(apart(&once, &positions(&mut near), mirrored) < 2e-5, "{}", apart(&once, &positions(&mut near), mirrored));
    // It stays where it is while the clip goes on, and is mirrored back.
    far.apply(PosingCommand::Mirror);
    assert!(apart(&positions(&mut far), &start, DVec3::ZERO) < 2e-5);
    far.apply(EditCommand::Undo);
    assert_eq!(positions(&mut far), once);
    far.apply(EditCommand::Undo);
    assert_eq!(positions(&mut far), start);
    assert_eq!(far.edits().nodes.len(), 1);
    // A limb is exchanged with the other one, and the rest stays far away.
    let arm = node(&far, "UpperArm.L");
    near.apply(EditCommand::Undo);
    for session in [&mut near, &mut far] {
        session.apply(SelectionCommand::Select(Some(arm)));
        session.apply(PosingCommand::Flip);
    }
    assert!(apart(&positions(&mut far), &positions(&mut near), AWAY) < 2e-5);
}

#[test]
fn a_channel_that_is_given_back_leads_as_far_as_the_clip() {
    let mut far = session(AWAY);
    let start = positions(&mut far);
    far.apply(PosingCommand::Mirror);
    for node in far.edits().nodes.keys().copied().collect::<Vec<_>>() {
        far.apply(SelectionCommand::Select(Some(node)));
        far.apply(EditCommand::ResetJoint);
    }
    assert!(far.edits().is_empty());
    let arm = node(&far, "UpperArm.L");
    far.apply(EditCommand::Edit(arm, ChannelValue::Rotation(Vec3::new(0.0, 20.0, 50.0))));
    assert_eq!(positions(&mut far), start);
}

#[test]
fn a_pose_far_away_is_copied_and_comes_from_files_with_all_digits() {
    let mut far = session(AWAY);
    let start = positions(&mut far);
    far.apply(PosingCommand::Copy);
    let model = Arc::clone(far.model().unwrap());
    let file = capture(&model, &far.pose().local, "far");
    // From the rest pose, which is near, and from another moment of the clip.
    for source in [PoseSource::Rest, PoseSource::Clip] {
        far.apply(EditCommand::ResetAll);
        far.apply(PlaybackCommand::SetPose(source));
        far.apply(PlaybackCommand::Seek(0.1));
        far.apply(PosingCommand::Paste);
        let off = apart(&positions(&mut far), &start, DVec3::ZERO);
        assert!(off < 2e-5, "{source:?} {off}");
        far.apply(EditCommand::ResetAll);
        far.apply(EditCommand::SetPose(Arc::new(resolve(&model, &file))));
        let off = apart(&positions(&mut far), &start, DVec3::ZERO);
        assert!(off < 2e-5, "{source:?} {off}");
    }
    // A pose near the origin is near it over a clip that leads far away.
    let near = capture(&model, &session(DVec3::ZERO).pose().local, "near");
    far.apply(EditCommand::SetPose(Arc::new(resolve(&model, &near))));
    assert!(apart(&positions(&mut far), &start, -AWAY) < 2e-5);
    // Mirrored it stays there.
    far.apply(PosingCommand::Mirror);
    assert!(positions(&mut far)[0].length() < 2.0, "{}", positions(&mut far)[0]);
    far.apply(EditCommand::ResetChannel(node(&far, "Hips"), ChannelKind::Translation));
    let edit = far.edits().nodes.get(&node(&far, "Hips")).copied().unwrap_or_default();
    assert_eq!((edit.translation, edit.far), (None, None));
    assert!(positions(&mut far)[0].length() > AWAY.length() - 2.0);
}

#[test]
fn what_is_done_to_one_side_far_away_is_done_to_the_other() {
    let mut far = session(AWAY);
    far.apply(EditCommand::ResetAll);
    far.apply(PosingCommand::ToggleSymmetric);
    let hips = node(&far, "Hips");
    far.update_pose();
    let to = far.pose().local.transforms[hips.index()].translation + Vec3::X;
    far.apply(EditCommand::Edit(hips, ChannelValue::Translation(to)));
    // The hips are their own partner: they stay where they were moved, and no edit of their own side is doubled.
    let moved = positions(&mut far)[0];
    far.apply(EditCommand::ResetAll);
    assert!((moved - positions(&mut far)[0]).distance(DVec3::X) < 1e-4);
}

#[test]
fn a_session_file_has_all_digits_of_a_pose_far_away() {
    let mut far = session(AWAY);
    far.apply(PosingCommand::Mirror);
    let wanted = positions(&mut far);
    let text = far.unsaved().snapshot().unwrap().file().text().unwrap();
    let read = SessionFile::parse(text.as_bytes()).unwrap();
    let mut again = Session::default();
    let document = Document::new(Arc::clone(far.model().unwrap()), Vec::new(), None);
    assert_eq!(again.open_with_session(document, &read), [""; 0]);
    assert_eq!(again.edits(), far.edits());
    assert!(apart(&positions(&mut again), &wanted, DVec3::ZERO) < 1e-9);
    // Near the origin no file says anything of it.
    let near = session(DVec3::ZERO);
    assert!(!near.unsaved().snapshot().unwrap().file().text().unwrap().contains("\"far\""));
}
