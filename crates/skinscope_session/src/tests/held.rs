//! Joints that are held over a clip.

use glam::{Vec2, Vec3};
use skinscope_anim::pose::Limits;
use skinscope_model::{ClipId, LocalPose, NodeId};

use crate::tests::sessions::built_in_session;
use crate::{EditCommand, Onion, PlaybackCommand, PosingCommand, SelectionCommand, Session, Toggle, ViewCommand};

/// The moments of the clip that are looked at, seconds.
const MOMENTS: [f32; 7] = [0.0, 0.13, 0.2, 0.41, 0.55, 0.7, 0.93];
const LEG: [&str; 3] = ["UpperLeg.L", "LowerLeg.L", "Foot.L"];

/// The built-in character, which walks.
fn walking() -> Session {
    let mut session = built_in_session();
    let walk = session.model().unwrap().clips.iter().position(|clip| clip.name == "Walk").unwrap();
    session.apply(PlaybackCommand::SetClip(ClipId::from_index(walk)));
    session.apply(PlaybackCommand::SetPlaying(false));
    at(&mut session, 0.2);
    session
}

fn at(session: &mut Session, secs: f32) -> LocalPose {
    session.apply(PlaybackCommand::Seek(secs));
    session.update_pose();
    session.pose().local.clone()
}

fn node(session: &Session, name: &str) -> NodeId {
    let names = &session.model().unwrap().skeleton.names;
    NodeId::from_index(names.iter().position(|n| n == name).unwrap())
}

fn position(session: &Session, node: NodeId) -> Vec3 {
    session.pose().model[node.index()].translation.into()
}

#[test]
fn a_held_foot_stays_over_the_clip_and_its_leg_alone_turns() {
    let mut session = walking();
    let [thigh, shin, foot] = LEG.map(|name| node(&session, name));
    let wanted = session.pose().model[foot.index()];
    let before = MOMENTS.map(|secs| (at(&mut session, secs), position(&session, foot)));
    let way = before.iter().map(|(_, position)| position.distance(wanted.translation.into())).fold(0.0, f32::max);
    assert!(way > 0.1, "the clip moves the foot by {way} m");
    at(&mut session, 0.2);
    session.apply(PosingCommand::ToggleHeld(foot));
    for (secs, (free, _)) in MOMENTS.into_iter().zip(&before) {
        let now = at(&mut session, secs);
        let limb = position(&session, thigh).distance(position(&session, shin))
            + position(&session, shin).distance(position(&session, foot));
        let far = position(&session, thigh).distance(wanted.translation.into());
        if far < limb {
            assert!(session.pose().model[foot.index()].abs_diff_eq(wanted, 2e-5), "{secs} s");
        } else {
            let off = position(&session, foot).distance(wanted.translation.into());
            assert!(off < far - limb + 1e-4, "{secs} s: {off} m off, {far} of {limb}");
        }
        for (i, (now, free)) in now.transforms.iter().zip(&free.transforms).enumerate() {
            assert_eq!((now.translation, now.scale), (free.translation, free.scale), "node {i}");
            let is_leg = [thigh, shin, foot].contains(&NodeId::from_index(i));
            assert!(is_leg || now.rotation == free.rotation, "{secs} s, node {i}");
        }
    }
    // It is one step, and no other edit.
    assert!(session.edits().nodes.is_empty());
    session.apply(EditCommand::Undo);
    for (secs, (free, _)) in MOMENTS.into_iter().zip(&before) {
        assert_eq!(at(&mut session, secs), *free);
    }
    session.apply(EditCommand::Redo);
    session.apply(SelectionCommand::Select(Some(foot)));
    session.apply(EditCommand::ResetJoint);
    assert_eq!(at(&mut session, 0.55), before[4].0);
}

#[test]
fn held_hips_stay_and_what_hangs_on_them_comes_along() {
    let mut session = walking();
    let [hips, head] = ["Hips", "Head"].map(|name| node(&session, name));
    let wanted = session.pose().model[hips.index()];
    session.apply(PosingCommand::ToggleHeld(hips));
    for secs in MOMENTS {
        let now = at(&mut session, secs);
        assert!(session.pose().model[hips.index()].abs_diff_eq(wanted, 1e-5), "{secs} s");
        session.apply(EditCommand::Undo);
        let free = at(&mut session, secs);
        session.apply(EditCommand::Redo);
        assert_eq!(now.transforms[head.index()], free.transforms[head.index()]);
    }
}

#[test]
fn onion_skins_and_the_other_members_of_a_crowd_hold_as_well() {
    let mut session = walking();
    let foot = node(&session, "Foot.L");
    session.apply(PosingCommand::ToggleHeld(foot));
    session.apply(ViewCommand::Set(Toggle::Onion, true));
    session.apply(ViewCommand::SetOnion(Onion { shown: true, count: 2, step_frames: 4.0 }));
    session.apply(ViewCommand::SetCrowd(2));
    at(&mut session, 0.4);
    let skins = session.pose().onion_skins().to_vec();
    assert_eq!(skins.len(), 4);
    let (member, other) = (session.pose().crowd.palettes.clone(), session.playback().clone());
    let length = session.model().unwrap().clips[other.clip.unwrap().index()].duration_secs();
    for skin in skins {
        at(&mut session, skin.time_secs);
        let same = session.pose().palettes.iter().zip(&skin.palettes).all(|(a, b)| a.abs_diff_eq(*b, 1e-5));
        assert!(same, "{}", skin.time_secs);
    }
    at(&mut session, other.time_at(crate::pose::crowd::phase(1), length));
    let moved = member[0].translation - session.pose().palettes[0].translation;
    let same = session.pose().palettes.iter().zip(&member).all(|(a, b)| {
        a.matrix3.abs_diff_eq(b.matrix3, 1e-4) && (b.translation - a.translation).abs_diff_eq(moved, 1e-4)
    });
    assert!(same && moved.length() > 0.1, "the member stands aside by {moved}");
}

#[test]
fn limits_are_obeyed_by_the_leg_of_a_held_foot() {
    let mut session = walking();
    let [_, shin, foot] = LEG.map(|name| node(&session, name));
    session.apply(PosingCommand::ToggleHeld(foot));
    at(&mut session, 0.55);
    let wanted = session.edits().held[&foot];
    assert!(position(&session, foot).distance(wanted.translation.into()) < 1e-4);
    let rest = session.model().unwrap().skeleton.rest.transforms[shin.index()].rotation;
    let turns = |session: &Session| Limits::angles(rest, session.pose().local.transforms[shin.index()].rotation);
    let free = turns(&session);
    assert!(free.abs().max_element() > 5.0, "{free}");
    let most = Vec3::splat(2.0);
    session.apply(PosingCommand::SetLimits(shin, Some(Limits { least: -most, most })));
    session.update_pose();
    let limited = turns(&session);
    assert!(limited.abs().max_element() < 2.01, "{limited}");
    session.apply(PosingCommand::ToggleLimits);
    session.update_pose();
    assert!(turns(&session).abs_diff_eq(free, 1e-3));
}

#[test]
fn a_pull_moves_the_place_of_a_held_joint_for_the_whole_clip() {
    let mut session = walking();
    let hand = node(&session, "Hand.L");
    session.apply(PosingCommand::ToggleHeld(hand));
    session.update_pose();
    let before = session.edits().held[&hand];
    let from = session.view().project(position(&session, hand)).unwrap();
    let pull = session.gizmos().begin_pull(from).unwrap();
    assert_eq!(pull.joint(), hand);
    let to = from + Vec2::new(-6.0, -9.0);
    session.apply(session.gizmos().pull_to(&pull, to).unwrap());
    session.apply(EditCommand::EndEdit);
    let moved = session.edits().held[&hand];
    assert!(moved.translation != before.translation && moved.matrix3 == before.matrix3);
    for secs in MOMENTS {
        at(&mut session, secs);
        assert!(session.view().project(position(&session, hand)).unwrap().distance(to) < 0.5, "{secs} s");
    }
    assert!(session.edits().nodes.is_empty());
    // The pull is one step, and can be given up.
    session.apply(EditCommand::Undo);
    assert_eq!(session.edits().held[&hand], before);
    session.apply(session.gizmos().pull_to(&pull, to).unwrap());
    session.apply(EditCommand::CancelEdit);
    assert_eq!(session.edits().held[&hand], before);
}

#[test]
fn where_editing_is_symmetric_both_sides_are_held() {
    let mut session = walking();
    let [left, right] = ["Foot.L", "Foot.R"].map(|name| node(&session, name));
    session.apply(PosingCommand::ToggleSymmetric);
    session.apply(SelectionCommand::Select(Some(left)));
    session.apply(PosingCommand::ToggleHeldSelected);
    assert_eq!(session.edits().held.keys().copied().collect::<Vec<_>>(), [left.min(right), left.max(right)]);
    session.apply(PosingCommand::ToggleHeldSelected);
    assert!(session.edits().held.is_empty());
    session.apply(PosingCommand::ToggleHeld(NodeId(9999)));
    assert!(session.edits().held.is_empty());
}
