//! What *Auto bind* looks at: it is drawn and follows the pose, radii of a joint are set with those of its partner, and session files keep them.

use std::sync::Arc;

use glam::{DVec3, Vec2, Vec3};
use skinscope_edit::{BindSettings, JointShape, Settings, ShapeForm, bind_envelopes, put_bind_settings};
use skinscope_frame::Frame;
use skinscope_model::NodeId;
use skinscope_model::test_shapes::{Tube, tube};

use crate::frame::SceneColors;
use crate::*;

fn opened() -> Session {
    let mut session = Session::default();
    let model = tube(Tube { joints: 4, rings: 20, ..Tube::default() });
    session.open(Document::new(Arc::new(model), Vec::new(), None));
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    session
}

/// A session that tries to bind the tube by a method.
fn tried(method: &str) -> Session {
    let mut session = opened();
    let mut settings = Settings::default();
    put_bind_settings(&mut settings, &BindSettings { method: method.to_owned(), ..BindSettings::default() });
    session.apply(ToolCommand::Set(Arc::new(settings)));
    session.apply(ToolCommand::Choose(Some("bind")));
    session.update_pose();
    session
}

fn set(session: &mut Session, node: NodeId, radii: Option<[f64; 2]>) {
    let mut settings = Settings::clone(&session.tools().settings);
    session.put_envelope(&mut settings, node, radii);
    session.apply(ToolCommand::Set(Arc::new(settings)));
}

fn lines(session: &Session) -> usize {
    let mut frame = Frame::default();
    session.build_frame(&mut frame, &SceneColors::DARK);
    frame.lines.len()
}

/// Where the shape of a joint is.
fn place(shape: &JointShape) -> DVec3 {
    match shape.form {
        ShapeForm::Capsule(capsule) => capsule.ends[0],
        ShapeForm::Plane(plane) => plane.at,
    }
}

#[test]
fn shapes_are_drawn_at_their_joints_in_every_pose_as_long_as_the_tool_is_chosen() {
    for (method, count) in [("envelope", 4), ("line", 3), ("heat", 0)] {
        let mut session = tried(method);
        let are_at_joints = |session: &Session| {
            let shapes = session.edited_weights().bind_shapes();
            assert_eq!(shapes.len(), count, "{method}");
            for shape in shapes {
                let joint = session.pose().model[shape.node.index()].translation;
                let off = place(&shape).distance(Vec3::from(joint).as_dvec3());
                assert!(off < 1e-4, "{method}: {off}");
            }
        };
        are_at_joints(&session);
        session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(40.0, 0.0, 0.0))));
        session.apply(EditCommand::EndEdit);
        session.update_pose();
        are_at_joints(&session);
        let with = lines(&session);
        session.apply(ToolCommand::Cancel);
        session.update_pose();
        assert!(session.edited_weights().bind_shapes().is_empty());
        assert_eq!(lines(&session) < with, count > 0, "{method}");
    }
}

#[test]
fn a_radius_follows_the_pointer_and_takes_the_other_one_along() {
    let mut session = tried("envelope");
    session.apply(CameraCommand::SetViewport(Vec2::new(640.0, 480.0)));
    assert!(session.edited_weights().envelope_handles().is_empty(), "no joint is selected");
    session.apply(SelectionCommand::Select(Some(NodeId(3))));
    let handles = session.edited_weights().envelope_handles();
    let [inner, outer] = handles.as_slice() else { panic!("{} handles", handles.len()) };
    assert!(!inner.is_outer && outer.is_outer && inner.at().distance(outer.at()) > 5.0);
    for handle in [inner, outer] {
        assert_eq!(handle.shares_at(handle.at()), [0.5, 1.2]);
    }
    assert_eq!(outer.shares_at(outer.middle + outer.unit * 2.0), [0.5, 2.0]);
    assert_eq!(inner.shares_at(inner.middle + inner.unit * 2.0), [2.0, 2.01]);
    let [least, most] = outer.shares_at(outer.middle - outer.unit);
    assert!(least < most && most == 0.1, "it does not turn over");
    set(&mut session, NodeId(3), Some([0.5, 2.0]));
    assert!(session.edited_weights().envelope_handles().iter().all(|handle| handle.shares == [0.5, 2.0]));
}

#[test]
fn a_joint_and_its_partner_have_one_envelope_where_editing_is_symmetric_and_the_score_follows_it() {
    let mut session = tried("envelope");
    session.apply(PosingCommand::SetPartner(NodeId(2), Some(NodeId(3))));
    let of = |session: &Session| bind_envelopes(&session.tools().settings);
    set(&mut session, NodeId(2), Some([0.1, 0.5]));
    assert_eq!(of(&session).into_iter().collect::<Vec<_>>(), [("joint 1".to_owned(), [0.1, 0.5])]);
    assert!(session.has_own_envelope(&session.tools().settings, NodeId(2)));
    let [narrow, usual] = [2, 3].map(|node| session.edited_weights().envelope_score(NodeId(node)).unwrap());
    assert!(narrow.percent() < 1.0 && usual.percent() > 99.0, "{narrow:?}, {usual:?}");
    set(&mut session, NodeId(2), None);
    assert!(of(&session).is_empty());
    if !session.rules().symmetric {
        session.apply(PosingCommand::ToggleSymmetric);
    }
    set(&mut session, NodeId(2), Some([0.4, 1.5]));
    assert_eq!(of(&session).len(), 2);
}

#[test]
fn a_session_file_keeps_the_radii_of_joints_and_another_model_has_none_of_them() {
    let mut session = tried("envelope");
    set(&mut session, NodeId(2), Some([0.4, 1.5]));
    let file = session.unsaved().snapshot().unwrap().file();
    let text = serde_json::to_string(&file).unwrap();
    let file: SessionFile = serde_json::from_str(&text).unwrap();
    let mut again = opened();
    again.restore(&file);
    let of = |session: &Session| bind_envelopes(&session.tools().settings);
    assert_eq!(of(&again), of(&session));
    assert_eq!(of(&again).len(), 1);
    let model = tube(Tube { joints: 3, ..Tube::default() });
    again.open(Document::new(Arc::new(model), Vec::new(), None));
    assert!(of(&again).is_empty());
}
