//! What the window binds is what the command binds: it is looked at in five poses before it is taken, taken, taken back, and saved.

use std::path::Path;

use glam::Vec3;
use skinscope::edit::{Settings, Sheet, set_bind_root, set_bind_rule};
use skinscope::import::{Options, Progress};
use skinscope::model::{InstanceId, NodeId};
use skinscope::session::{ChannelValue, EditCommand, PlaybackCommand, PoseSource, Session, Source, ToolCommand};
use skinscope::writeback::{Destination, Origin, Recompression, Stamps, prepare};

use super::made::Rig;
use super::{bound, difference, rows, with};

/// The positions of all vertices in one pose.
type Positions = Vec<Vec3>;

/// Opens a file as the window does, with its clip paused.
fn opened(path: &Path) -> Session {
    let mut session = Session::default();
    session.defer_work();
    session.open(Source::File(path.to_owned()).load(&Options::default(), &Progress::silent()).unwrap());
    session.apply(PlaybackCommand::SetPlaying(false));
    session
}

fn node(session: &Session, name: &str) -> NodeId {
    let names = &session.model().unwrap().skeleton.names;
    NodeId::from_index(names.iter().position(|other| other == name).unwrap())
}

/// Where the vertices of the tube are shown now.
fn surface(session: &mut Session) -> Positions {
    session.update_pose();
    session.do_wanted();
    session.update_pose();
    let surface = session.surfaces().surface().unwrap();
    let part = surface.part(InstanceId(0), 0).unwrap();
    let count = session.model().unwrap().meshes[0].primitives[0].stored_vertices;
    (0..count).map(|vertex| part.position(vertex, 0).unwrap()).collect()
}

/// Where they are at rest, in the middle and at the end of the clip, and with a joint that is bent to both sides.
fn in_five_poses(session: &mut Session) -> Vec<Positions> {
    let mut out = Vec::new();
    session.apply(PlaybackCommand::SetPose(PoseSource::Clip));
    for time in [0.5, 1.0] {
        session.apply(PlaybackCommand::Seek(time));
        out.push(surface(session));
    }
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    out.push(surface(session));
    let upper = node(session, "upper");
    for degrees in [60.0, -60.0] {
        session.apply(EditCommand::Edit(upper, ChannelValue::Rotation(Vec3::Z * degrees)));
        session.apply(EditCommand::EndEdit);
        out.push(surface(session));
    }
    session.apply(EditCommand::ResetAll);
    out
}

/// How far two surfaces are apart in the pose in which they are farthest apart.
fn apart(a: &[Positions], b: &[Positions]) -> f32 {
    let of = |(a, b): (&Positions, &Positions)| {
        assert_eq!(a.len(), b.len());
        a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
    };
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(of).fold(0.0, f32::max)
}

/// Writes the weights of a session into a copy of its file.
fn save(session: &Session, path: &Path, target: &Path) {
    let model = session.edited_weights().edited_model().unwrap();
    let stamps = Stamps::of(path);
    let sheet = Sheet::of(model);
    let prepared = prepare(Origin::File(path, &stamps), &sheet, Recompression::None, Destination::To(target));
    prepared.unwrap().write().unwrap();
}

/// Binds in a session: looked at in five poses, taken, taken back, looked at again and saved; it is what the command makes of the same file.
fn is_bound_as_by_the_command(name: &str, rig: &Rig, options: &[&str], set: &dyn Fn(&Session, &mut Settings)) {
    let folder = with(name, rig);
    let [file, command, saved] = ["a.glb", "out.glb", "saved.glb"].map(|name| folder.join(name));
    bound(&folder, options);
    let by_command = in_five_poses(&mut opened(&command));
    let mut session = opened(&file);
    let before = in_five_poses(&mut session);
    assert!(apart(&before, &by_command) > 0.05, "{name}: it would not be seen");
    let mut settings = Settings::clone(&session.tools().settings);
    set(&session, &mut settings);
    session.apply(ToolCommand::Choose(Some("bind")));
    session.apply(ToolCommand::Set(settings.into()));
    session.do_wanted();
    assert!(session.tools().is_trying() && !session.unsaved().has_unsaved_skinning(), "{name}");
    let far = apart(&in_five_poses(&mut session), &by_command);
    assert!(far < 1e-4, "{name}: before it is taken it is {far} m off");
    assert!(session.tools().is_trying() && !session.unsaved().has_unsaved_skinning(), "{name}: it is not taken yet");
    // Given up, the mesh is as it was.
    session.apply(ToolCommand::Cancel);
    assert!(apart(&in_five_poses(&mut session), &before) < 1e-6, "{name}: it was given up");
    session.apply(ToolCommand::Choose(Some("bind")));
    session.apply(ToolCommand::Apply);
    session.do_wanted();
    assert!(session.unsaved().has_unsaved_skinning() && !session.tools().is_trying(), "{name}: it is taken");
    session.apply(EditCommand::Undo);
    assert!(!session.unsaved().has_unsaved_skinning(), "{name}: it is taken back");
    session.apply(EditCommand::Redo);
    let far = apart(&in_five_poses(&mut session), &by_command);
    assert!(far < 1e-4, "{name}: once it is taken it is {far} m off");
    save(&session, &file, &saved);
    let change = difference(&rows(&folder, "saved.glb"), &rows(&folder, "out.glb"));
    assert!(change < 1e-6, "{name}: saved weights are {change} off");
    let far = apart(&in_five_poses(&mut opened(&saved)), &by_command);
    assert!(far < 1e-4, "{name}: the saved file is {far} m off");
}

#[test]
fn a_skinned_mesh_is_bound_in_the_window_as_by_the_command() {
    let options = ["--without", "helpers"];
    is_bound_as_by_the_command("window skinned", &Rig::tube(), &options, &|_, settings| {
        set_bind_rule(settings, "helpers", false);
    });
}

#[test]
fn a_mesh_without_a_skin_is_bound_in_the_window_as_by_the_command() {
    let options = ["--without", "helpers", "--joints", "root"];
    is_bound_as_by_the_command("window bare", &Rig::bare(), &options, &|session, settings| {
        set_bind_rule(settings, "helpers", false);
        set_bind_root(settings, Some(node(session, "root")));
    });
}
