//! Tests of the tools that change inverse bind matrices.

use std::sync::Arc;

use skinscope_model::NodeId;

use crate::tests::tools::open;
use crate::*;

/// The vertices of the surface that is shown.
fn surface(session: &mut Session) -> Vec<glam::Vec3> {
    session.update_pose();
    let instance = skinscope_model::InstanceId(0);
    let surface = session.surfaces().surface().unwrap();
    let part = surface.part(instance, 0).unwrap();
    let count = session.model().unwrap().meshes[0].primitives[0].stored_vertices as u32;
    (0..count).map(|v| part.position(v as usize, 0).unwrap()).collect()
}

fn farthest(a: &[glam::Vec3], b: &[glam::Vec3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

#[test]
fn a_mesh_that_is_bound_here_has_its_own_shape_here_and_all_that_is_one_step() {
    let mut session = open();
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    let stored = surface(&mut session);
    let bend = |session: &mut Session, degrees: f32| {
        let turned = ChannelValue::Rotation(glam::Vec3::new(0.0, 0.0, degrees));
        session.apply(EditCommand::Edit(NodeId(5), turned));
        session.apply(EditCommand::EndEdit);
    };
    bend(&mut session, 40.0);
    let bent = surface(&mut session);
    assert!(farthest(&stored, &bent) > 0.1);
    session.apply(ToolCommand::Choose(Some("bind-here")));
    let outcome = session.tools().outcome().unwrap();
    // Joints from the bent one on stand elsewhere.
    let moved = session.model().unwrap().skins[0].joints.iter().filter(|joint| joint.0 >= 5).count();
    assert!(moved > 3);
    assert_eq!((outcome.vertices, outcome.binds.len()), (0, moved));
    assert!(farthest(&surface(&mut session), &stored) < 1e-5, "what is tried is seen");
    // Another pose is bound only when it is taken.
    assert!(!session.edited_weights().binds_elsewhere());
    bend(&mut session, 70.0);
    session.update_pose();
    assert!(session.edited_weights().binds_elsewhere() && farthest(&surface(&mut session), &stored) > 0.05);
    session.apply(ToolCommand::TakePose);
    assert!(farthest(&surface(&mut session), &stored) < 1e-5);
    session.apply(ToolCommand::Apply);
    assert_eq!((session.unsaved().unsaved_vertices(), session.unsaved().unsaved_binds()), (0, moved));
    assert!(session.unsaved().has_unsaved_skinning() && session.unsaved().has_work());
    // The other side of a comparison has the matrices of the file, and the members of a crowd have the edited ones.
    session.apply(ComparisonCommand::Set(true));
    session.apply(ComparisonCommand::SetMethod("linear"));
    session.apply(ComparisonCommand::SetWeights(SideWeights::Stored));
    session.update_pose();
    let apart = session.surfaces().compared_surfaces().unwrap().distance.worst;
    assert!(apart > 0.1, "{apart}");
    session.apply(ViewCommand::SetCrowd(3));
    session.update_pose();
    let comparison = *session.deforming().comparison().unwrap();
    let of = |session: &Session, member: usize| session.surfaces().compared_surface(&comparison, member).unwrap();
    let at = |surface: &skinscope_deform::Surface| {
        surface.part(skinscope_model::InstanceId(0), 0).unwrap().position(400, 0).unwrap()
    };
    let apart =
        |session: &Session, m: usize| at(&of(session, m)).distance(at(&session.surfaces().member_surface(m).unwrap()));
    assert!((apart(&session, 2) - apart(&session, 0)).abs() < 1e-4 && apart(&session, 0) > 0.05);
    session.apply(ViewCommand::SetCrowd(1));
    session.apply(ComparisonCommand::Set(false));
    // Bound at rest again, all is as stored.
    session.apply(ToolCommand::Choose(Some("inverse-binds")));
    session.apply(ToolCommand::Apply);
    assert!(session.unsaved().unsaved_binds() <= moved);
    let (now, file) = (session.model().unwrap(), session.document().unwrap().stored());
    let matrices = now.skins[0].inverse_bind.iter().zip(&file.skins[0].inverse_bind);
    assert!(matrices.into_iter().all(|(a, b)| a.abs_diff_eq(*b, 1e-4)), "most joints were bound elsewhere meanwhile");
    session.apply(EditCommand::Undo);
    session.apply(EditCommand::Undo);
    assert!(!session.unsaved().has_unsaved_skinning());
    assert!(Arc::ptr_eq(session.model().unwrap(), session.document().unwrap().stored()));
}

#[test]
fn matrices_stay_where_no_vertex_of_their_skin_may_change() {
    let mut session = open();
    session.apply(EditCommand::Edit(NodeId(5), ChannelValue::Rotation(glam::Vec3::new(0.0, 0.0, 40.0))));
    session.apply(ToolCommand::SetScope(Scope::Marked));
    session.apply(ToolCommand::Choose(Some("bind-here")));
    assert!(session.tools().outcome().unwrap().is_empty());
    session.apply(ToolCommand::SetScope(Scope::All));
    assert!(session.tools().outcome().unwrap().binds.len() > 3);
}
