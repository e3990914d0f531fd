//! A drag that the window has recorded, and the same from the command line.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use skinscope::edit::Sheet;
use skinscope::inspect::VertexRef;
use skinscope::model::NodeId;
use skinscope::pose::{PoseFile, capture, resolve};
use skinscope::session::{
    ChannelValue, Command, Document, EditCommand, PaintCommand, PaintSettings, PlaybackCommand, PoseSource,
    SelectionCommand, Session, VertexDragCommand, command_line, read_command,
};
use skinscope::solve::shown_by;
use skinscope::writeback::{Destination, Origin, Recompression, Stamps, prepare};

use super::{between, folder, ok};
use crate::common;

/// Carries out commands as they stand in the lines of a recording.
fn replayed(session: &mut Session, commands: Vec<Command>) {
    for command in commands {
        session.apply(read_command(&command_line(&command)).unwrap());
    }
}

#[test]
fn a_recorded_drag_and_the_command_line_write_the_same_bytes() {
    let folder = folder("recorded");
    let path = folder.join("a.glb");
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/figure.glb"), &path).unwrap();
    let (stamps, model) = (Stamps::of(&path), common::open(&folder, "a.glb"));
    let mut session = Session::default();
    session.open(Document::new(Arc::clone(&model), Vec::new(), None));
    let still = [PlaybackCommand::SetPlaying(false), PlaybackCommand::SetPose(PoseSource::Rest)];
    replayed(&mut session, still.map(Command::from).into());
    let at = Sheet::of(&model).tables[0].primitives[0];
    let (mesh, instance) = (model.file_mesh(at.mesh).0, shown_by(&model, at).unwrap());
    let (mut options, mut vertex) = (Vec::new(), None);
    for (name, degrees) in [("one", glam::Vec3::new(0.0, 0.0, 40.0)), ("two", glam::Vec3::new(30.0, 20.0, 0.0))] {
        let file = folder.join(format!("{name}.pose.json"));
        session.apply(EditCommand::Edit(NodeId(33), ChannelValue::Rotation(degrees)));
        session.apply(EditCommand::EndEdit);
        session.update_pose();
        fs::write(&file, capture(&model, &session.pose().local, "").text()).unwrap();
        // The pose is the one that the file says, to the bit.
        let said = resolve(&model, &PoseFile::read(&file).unwrap());
        let mut pose = model.skeleton.rest.clone();
        said.apply(&mut pose);
        session.apply(EditCommand::SetPose(Arc::new(said)));
        session.update_pose();
        assert!(session.pose().local.transforms == pose.transforms, "{name}");
        let (row, place) = between(&model, &pose, vertex);
        vertex = Some(row);
        let pinned = VertexRef { instance, primitive: at.primitive, vertex: row };
        let drag = |command: VertexDragCommand| Command::from(PaintCommand::DragVertex(command));
        let commands = vec![
            PaintCommand::Set(PaintSettings { radius: 0.08, ..PaintSettings::default() }).into(),
            SelectionCommand::Pin(Some(pinned)).into(),
            drag(VertexDragCommand::Use(true)),
            EditCommand::BeginEdit.into(),
            drag(VertexDragCommand::To(place.map(|number| number + 0.01))),
            drag(VertexDragCommand::To(place)),
            EditCommand::EndEdit.into(),
        ];
        replayed(&mut session, commands);
        let [x, y, z] = place;
        options.push(format!("--vertex={mesh},{},{row}={x},{y},{z}@{}", at.primitive, file.display()));
    }
    assert_eq!(session.painting().vertex_drag().pins().len(), 2);
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    ok(&folder, &[&["solve", "a.glb", "-o", "program.glb", "--radius", "0.08"][..], &options].concat());
    // As the window saves it.
    let (sheet, target) = (Sheet::of(session.model().unwrap()), folder.join("window.glb"));
    let origin = Origin::File(&path, &stamps);
    prepare(origin, &sheet, Recompression::None, Destination::To(&target)).unwrap().write().unwrap();
    let [before, window, program] =
        ["a.glb", "window.glb", "program.glb"].map(|name| fs::read(folder.join(name)).unwrap());
    assert!(window != before && window == program);
}
