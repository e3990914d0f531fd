//! A session file whose model was written anew: its edits are on their vertices, and what has no place is told.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::Vec3;
use skinscope::export::write_skinned_glb;
use skinscope::import::{Options, Progress};
use skinscope::model::test_shapes::{Tube, tube, with_vertices};
use skinscope::model::{MeshId, Model, NodeId, WeightChange};
use skinscope::session::{ChannelValue, EditCommand, PlaybackCommand, PoseSource, Session, Source};

use crate::cli::{called, scratch};

fn write(model: &Model, path: &Path) {
    let mut bytes = Vec::new();
    write_skinned_glb(model, 0, &model.skeleton.rest, &mut bytes).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// The lines of the vertices of a baked session, sorted, and what was said.
fn baked(session: &Path, name: &str) -> (Vec<String>, String) {
    let out = scratch(name);
    let (code, _, said) = called(&["bake", session.to_str().unwrap(), "-o", out.to_str().unwrap()]);
    assert_eq!(code, 0, "{said}");
    let text = std::fs::read_to_string(out).unwrap();
    let mut lines: Vec<String> = text.lines().filter(|line| line.starts_with("v ")).map(str::to_owned).collect();
    lines.sort_unstable();
    (lines, said)
}

/// A session of the model at `path` in which twenty vertices follow a joint that is turned.
fn session(path: &Path) -> PathBuf {
    let mut session = Session::default();
    session.open(Source::File(path.to_owned()).load(&Options::default(), &Progress::silent()).unwrap());
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    (60..80).for_each(|v| change.push(v, &[3], &[1.0]));
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    session.apply(EditCommand::Edit(NodeId(4), ChannelValue::Rotation(Vec3::X * 40.0)));
    assert_eq!(session.unsaved().unsaved_vertices(), 20);
    let kept = path.with_extension("skinscope.json");
    let mut file = session.unsaved().snapshot().unwrap().file();
    file.set_model(&kept, [path], |_| true).unwrap();
    std::fs::write(&kept, file.text().unwrap()).unwrap();
    kept
}

#[test]
fn the_edits_of_a_session_follow_their_vertices_into_another_export_of_the_model() {
    let model = tube(Tube { joints: 4, ..Tube::default() });
    let count = model.meshes[0].primitives[0].stored_vertices as u32;
    let path = scratch("carried.glb");
    write(&model, &path);
    let session = session(&path);
    let (before, said) = baked(&session, "carried_before.obj");
    assert_eq!(said, "");
    write(&with_vertices(&model, &(0..count).rev().collect::<Vec<u32>>()), &path);
    let (after, said) = baked(&session, "carried_after.obj");
    assert_eq!(before, after);
    assert!(said.contains("has changed since the session was saved") && !said.contains("Set aside"), "{said}");
    // One of the vertices is gone.
    write(&with_vertices(&model, &(0..count).filter(|v| *v != 65).collect::<Vec<u32>>()), &path);
    let (without, said) = baked(&session, "carried_without.obj");
    assert!(without.iter().all(|line| before.contains(line)) && without.len() + 1 == before.len());
    assert!(said.contains("vertex 65: joint 3 1.000"), "{said}");
}
