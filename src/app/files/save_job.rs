//! Saving a model, as far as it is done beside the pictures.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::saved_layers::SavedLayers;
use crate::app::ui::SaveSummary;
use crate::edit::Sheet;
use crate::import::{ImportError, Options, Progress};
use crate::model::Model;
use crate::paint::Painted;
use crate::session::{Document, Session, SessionSnapshot, Source, WorkContents};
use crate::writeback::{Destination, Origin, Prepared, Recompression, SaveError, Saved, Stamps, prepare};

/// A model that was written into its own file, which was not read again yet, and what its files were like then.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    model: Arc<Model>,
    stamps: Stamps,
}

impl Written {
    /// Returns what its files were like once they were written.
    pub fn stamps(&self) -> &Stamps {
        &self.stamps
    }
}

/// What it takes to save a model.
pub(crate) struct SaveJob {
    pub model: Arc<Model>,
    /// What brushes have painted on it, in double precision, so that it is rounded once.
    pub painted: Option<Painted>,
    /// The file that it was read from; `None`: the built-in character.
    pub path: Option<PathBuf>,
    /// That file and those that it names, before they were read.
    pub stamps: Stamps,
    /// An earlier state of the model that is in its file by now, where that was not read again yet.
    pub written: Option<Written>,
    /// Whether what meshopt had compressed is compressed again.
    pub recompression: Recompression,
    /// Whether files with other names (hard links) stay one each.
    pub keeps_links: bool,
    /// What becomes of layers of weights in the extras of the file.
    pub layers: SavedLayers,
    /// All that was made on the model, for the case that its file is another by now.
    pub work: Option<SessionSnapshot>,
    /// How that is read then.
    pub options: Options,
}

impl SaveJob {
    /// Computes the files. Where the file of the model was changed outside and another one is to be written, that gets the file as it is now, with the
    /// edits carried over.
    ///
    /// # Errors
    /// The same as those of [`prepare`]; and the file has no place for all edits any more.
    pub fn prepare(&self, target: &Path) -> Result<Prepared, SaveError> {
        let destination = if self.is_own(target) { Destination::InPlace } else { Destination::To(target) };
        let is_other = matches!(destination, Destination::To(_));
        let prepared = match (&self.path, &self.written) {
            (Some(path), Some(written)) => self.prepare_on_written(path, written, destination),
            (Some(path), None) => self.prepare_model(&self.model, Origin::File(path, &self.stamps), destination),
            (None, _) => {
                let built_in = Source::BuiltIn.built_in_bytes().unwrap_or_default();
                self.prepare_model(&self.model, Origin::Bytes(built_in), destination)
            }
        };
        match prepared {
            Err(SaveError::Stale(_)) if is_other => self.prepare_on_changed(target),
            prepared => prepared,
        }
    }

    /// Writes the files that were computed for `target`. Where the model's own file is among them, the next save of the model begins
    /// with what is returned.
    ///
    /// # Errors
    /// The same as those of [`Prepared::write`].
    pub fn write(&self, prepared: Prepared, target: &Path) -> Result<(Saved, Option<Written>), SaveError> {
        let saved = prepared.write()?;
        let before = self.written.as_ref().map_or(&self.stamps, |written| &written.stamps);
        let written = self
            .is_own(target)
            .then(|| Written { model: Arc::clone(&self.model), stamps: before.once_written(&saved.written) });
        Ok((saved, written))
    }

    /// Whether the model was read from this file.
    fn is_own(&self, target: &Path) -> bool {
        let same = |path: &PathBuf| {
            path == target || path.canonicalize().ok().is_some_and(|p| target.canonicalize().ok() == Some(p))
        };
        self.path.as_ref().is_some_and(same)
    }

    fn prepare_model(
        &self,
        model: &Model,
        origin: Origin<'_>,
        destination: Destination<'_>,
    ) -> Result<Prepared, SaveError> {
        self.prepare_layered((model, &self.layers), origin, destination)
    }

    fn prepare_layered(
        &self,
        (model, layers): (&Model, &SavedLayers),
        origin: Origin<'_>,
        destination: Destination<'_>,
    ) -> Result<Prepared, SaveError> {
        let mut sheet = Sheet::of(model);
        if let Some(painted) = self.painted.as_ref().filter(|_| std::ptr::eq(model, &raw const *self.model)) {
            painted.write_into(&mut sheet);
        }
        sheet.layers = layers.in_file(model);
        Ok(prepare(origin, &sheet, self.recompression, destination)?
            .keeping_what_is_replaced()
            .keeping_links(self.keeps_links))
    }

    /// Computes the files where an earlier state of the model was saved already. The file is read again, since it may have other meshes,
    /// accessors and clips now; what was made since is written into it.
    fn prepare_on_written(
        &self,
        path: &Path,
        written: &Written,
        destination: Destination<'_>,
    ) -> Result<Prepared, SaveError> {
        if let Some(stale) = written.stamps.paths().find(|path| !written.stamps.is_as_read(path)) {
            return Err(SaveError::Stale(stale.to_owned()));
        }
        let read = self.read(path)?;
        let mut session = Session::default();
        session.open(Document::new(Arc::clone(&self.model), Vec::new(), Some(path.to_owned())));
        session.files_mut().note_model_saved(path.to_owned(), Arc::clone(&written.model));
        session.open(read);
        self.prepare_model(edited(&session, path)?, Origin::File(path, &written.stamps), destination)
    }

    fn prepare_on_changed(&self, target: &Path) -> Result<Prepared, SaveError> {
        let (Some(path), Some(work)) = (&self.path, &self.work) else {
            return Err(SaveError::Stale(target.to_owned()));
        };
        let mut stamps = Stamps::of(path);
        let document = self.read(path)?;
        stamps.add(document.files());
        let mut session = Session::default();
        session.open_with_session(document, &work.file());
        // Layers that do not fit the file as it is now are none of it.
        let layers = match &self.layers {
            SavedLayers::Kept(_) => SavedLayers::Kept(session.painting().layers().clone()),
            other => other.clone(),
        };
        let model = edited(&session, path)?;
        self.prepare_layered((model, &layers), Origin::File(path, &stamps), Destination::To(target))
    }

    fn read(&self, path: &Path) -> Result<Document, SaveError> {
        let unreadable =
            |error: ImportError| SaveError::Unmatched { path: path.to_owned(), left: format!("any edit: {error}") };
        Source::File(path.to_owned()).load(&self.options, &Progress::silent()).map_err(unreadable)
    }
}

/// Returns the model that is open in `session`, if nothing had to be set aside of what its file is to hold.
fn edited<'s>(session: &'s Session, path: &Path) -> Result<&'s Arc<Model>, SaveError> {
    let left: Vec<String> = session
        .files()
        .set_aside()
        .iter()
        .map(|work| WorkContents { posed: 0, ruled: 0, marks: 0, ..work.contents() })
        .flat_map(|contents| contents.words())
        .collect();
    if !left.is_empty() {
        return Err(SaveError::Unmatched { path: path.to_owned(), left: left.join(", ") });
    }
    session.edited_weights().edited_model().ok_or_else(|| SaveError::Stale(path.to_owned()))
}

/// The last part of a path.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// What saving will change, for the panel.
pub(crate) fn summary(prepared: &Prepared) -> SaveSummary {
    let changes = prepared.changes();
    let files: Vec<&Path> = prepared.files().collect();
    SaveSummary {
        links: prepared.links().iter().map(|(path, count)| (name_of(path), *count)).collect(),
        vertices: changes.vertices,
        meshes: changes.meshes.clone(),
        joints: changes.joints.clone(),
        binds: changes.binds,
        clips: changes.clips,
        shapes: changes.shapes,
        coarse: changes.coarse.clone(),
        accessors: changes.accessors.iter().copied().collect(),
        bytes: changes.bytes,
        json_values: changes.json_values,
        unpacked: changes.unpacked.iter().map(|(packing, n)| (*packing, *n)).collect(),
        recompressed: changes.recompressed,
        files: files.iter().map(|file| name_of(file)).collect(),
        replaced: files.iter().filter(|file| file.exists()).map(|file| name_of(file)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use glam::Vec2;

    use super::*;
    use crate::export::write_skinned_glb;
    use crate::model::test_shapes::{Tube, tube};
    use crate::model::{MeshId, NodeId, PrimitiveId, WeightChange};
    use crate::paint::{Canvas, parse};
    use crate::session::{
        CameraCommand, ChannelValue, EditCommand, MarkCommand, MarkMode, MarkShape, PaintCommand, PaintDab,
        PaintSettings, PlaybackCommand, PoseSource, SelectionCommand, ShapeCommand, ShapeSettings, ToolCommand,
    };

    /// The model with all weight of a vertex given to a joint.
    fn with_edit(model: &Model, vertex: u32, joint: u16) -> Arc<Model> {
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        change.push(vertex, &[joint], &[1.0]);
        Arc::new(model.with_weights(&[change]).unwrap())
    }

    fn first_joint(model: &Model, vertex: usize) -> u16 {
        model.influences(MeshId(0), 0).unwrap().of(vertex).0[0]
    }

    #[test]
    fn a_model_is_saved_again_before_its_file_was_read_again_unless_another_program_changed_that() {
        let path = std::env::temp_dir().join(format!("skinscope_save_job_{}.glb", std::process::id()));
        fs::write(&path, Source::BuiltIn.built_in_bytes().unwrap()).unwrap();
        let read = || Source::File(path.clone()).load(&Options::default(), &Progress::silent()).unwrap();
        let opened = Arc::clone(read().stored());
        let stored = first_joint(&opened, 9);
        let job = |model: &Arc<Model>, written: Option<Written>, stamps: &Stamps| {
            job_without_work(model, &path, (stamps, written))
        };
        let stamps = Stamps::of(&path);
        let clip = crate::model::Clip { name: "Taken".to_owned(), ..opened.clips[0].clone() };
        let once = with_edit(&opened.with_clips(vec![clip]).unwrap(), 3, 2);
        let first = job(&once, None, &stamps);
        let (_, written) = first.write(first.prepare(&path).unwrap(), &path).unwrap();
        // It is saved twice more, with an edit each time.
        let twice = with_edit(&once, 9, stored + 1);
        let second = job(&twice, written, &stamps);
        let (saved, written) = second.write(second.prepare(&path).unwrap(), &path).unwrap();
        assert_eq!(saved.changes.vertices, 1, "the first edit is in the file already");
        let now = read();
        assert_eq!([3, 9].map(|vertex| first_joint(now.stored(), vertex)), [2, stored + 1]);
        assert_eq!(now.stored().clips.len(), opened.clips.len() + 1, "a clip is written once");
        let third = job(&opened, written.clone(), &stamps);
        let (_, written) = third.write(third.prepare(&path).unwrap(), &path).unwrap();
        assert_eq!(first_joint(read().stored(), 9), stored, "what was taken back is written too");
        // Another program writes the file.
        std::thread::sleep(std::time::Duration::from_millis(20));
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes).unwrap();
        assert!(matches!(job(&twice, written, &stamps).prepare(&path), Err(SaveError::Stale(_))));
        for ending in ["", ".bak", ".bak1", ".bak2"] {
            fs::remove_file(format!("{}{ending}", path.display())).unwrap();
        }
    }

    /// The bytes of a file with a tube of four joints.
    fn tube_glb() -> Vec<u8> {
        let tube = tube(Tube { joints: 4, ..Tube::default() });
        let mut bytes = Vec::new();
        write_skinned_glb(&tube, 0, &tube.skeleton.rest, &mut bytes).unwrap();
        bytes
    }

    /// A tube of four joints in a file.
    fn write_tube(path: &Path) {
        fs::write(path, tube_glb()).unwrap();
    }

    /// The tube as JSON text at `path`, with its buffer in a file of its own at `buffer`.
    fn write_tube_in_two_files(path: &Path, buffer: &Path) {
        let glb = tube_glb();
        let chunk = |at: usize| {
            let length = u32::from_le_bytes(*glb[at..].first_chunk().unwrap()) as usize;
            &glb[at + 8..at + 8 + length]
        };
        let json = chunk(12);
        let mut root: serde_json::Value = serde_json::from_slice(json).unwrap();
        root["buffers"][0]["uri"] = name_of(buffer).into();
        fs::write(buffer, chunk(20 + json.len())).unwrap();
        fs::write(path, root.to_string()).unwrap();
    }

    #[test]
    fn a_file_of_text_is_as_it_was_written_where_its_buffer_alone_was_written_since() {
        let folder = std::env::temp_dir().join(format!("skinscope_save_two_files_{}", std::process::id()));
        fs::create_dir_all(folder.join("beside")).unwrap();
        let [path, buffer] = ["tube.gltf", "tube.bin"].map(|name| folder.join(name));
        write_tube_in_two_files(&path, &buffer);
        let mut stamps = Stamps::of(&path);
        stamps.add([buffer.as_path()]);
        let opened = Arc::clone(read(&path).stored());
        // The first time a clip is saved too, of which the text says something; the other edits are in the buffer alone.
        let clip = crate::model::Clip { name: "Taken".to_owned(), ..tube(Tube::default()).clips[0].clone() };
        let mut model = Arc::new(opened.with_clips(vec![clip]).unwrap());
        let mut written = None;
        // It is the same file, however its path is written.
        let target = folder.join("beside").join("..").join("tube.gltf");
        for (vertex, files) in [(3, 2), (9, 1), (12, 1)] {
            model = with_edit(&model, vertex, 2);
            let job = job_without_work(&model, &path, (&stamps, written));
            let (saved, after) = job.write(job.prepare(&target).unwrap(), &target).unwrap();
            assert_eq!(saved.written.len(), files, "{vertex}: {:?}", saved.written);
            written = after;
        }
        let now = read(&path);
        assert_eq!([3, 9, 12].map(|vertex| first_joint(now.stored(), vertex)), [2; 3]);
        fs::remove_dir_all(folder).unwrap();
    }

    fn read(path: &Path) -> Document {
        Source::File(path.to_owned()).load(&Options::default(), &Progress::silent()).unwrap()
    }

    /// What it takes to save a model whose file was like this when it was read, and which was written since.
    fn job_without_work(model: &Arc<Model>, path: &Path, (stamps, written): (&Stamps, Option<Written>)) -> SaveJob {
        SaveJob {
            model: Arc::clone(model),
            painted: None,
            path: Some(path.to_owned()),
            stamps: stamps.clone(),
            written,
            recompression: Recompression::None,
            keeps_links: false,
            layers: SavedLayers::default(),
            work: None,
            options: Options::default(),
        }
    }

    /// What it takes to save what was made in `session` on the file at `path`, which was like this when it was read.
    fn job_of(session: &Session, path: &Path, stamps: &Stamps) -> SaveJob {
        let model = session.edited_weights().edited_model().unwrap();
        let (work, painted) = (session.unsaved().snapshot(), session.painted_weights().cloned());
        SaveJob { work, painted, ..job_without_work(model, path, (stamps, None)) }
    }

    fn give(session: &mut Session, vertex: u32, joint: u16) {
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        change.push(vertex, &[joint], &[1.0]);
        session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    }

    #[test]
    fn what_was_painted_is_saved_with_the_bytes_that_its_strokes_give_on_the_command_line() {
        let folder = std::env::temp_dir().join(format!("skinscope_save_painted_{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("figure.glb");
        // Its weights are integers of 8 bits.
        let figure = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/figure_quantized.glb");
        fs::copy(figure, &path).unwrap();
        let (mut session, stamps) = (Session::default(), Stamps::of(&path));
        session.open(read(&path));
        session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
        let stored = Arc::clone(session.document().unwrap().stored());
        session.apply(SelectionCommand::Select(Some(stored.skins[0].joints[3])));
        for (brush, normalise) in [("add", true), ("smooth", true), ("subtract", false), ("smooth", true)] {
            session.apply(PaintCommand::Hold(Some(brush.to_owned())));
            let settings = PaintSettings { radius: 0.3, normalise, front_only: false, ..PaintSettings::default() };
            session.apply(PaintCommand::Set(settings));
            session.update_pose();
            let places = session.surfaces().surface().unwrap().parts[0].deformed.positions.clone();
            session.apply(EditCommand::BeginEdit);
            for place in places.iter().step_by(40) {
                let position = place.as_dvec3().to_array();
                let dab = PaintDab { position, pressure: 0.7, flips: false, smooths: false };
                session.apply(PaintCommand::Dab(dab));
            }
            session.apply(EditCommand::EndEdit);
        }
        let [by_window, by_file] = ["window.glb", "file.glb"].map(|name| folder.join(name));
        let job = job_of(&session, &path, &stamps);
        assert!(job.painted.is_some() && session.painting().recorded().strokes.len() == 4);
        job.write(job.prepare(&by_window).unwrap(), &by_window).unwrap();
        let text = session.painting().recorded().text();
        let script = parse(text.as_bytes(), &folder, &stored).unwrap_or_else(|why| panic!("{why}"));
        let mut canvas = Canvas::new(Arc::clone(&stored));
        script.strokes.iter().for_each(|stroke| _ = canvas.paint(stroke).unwrap());
        let destination = Destination::To(&by_file);
        let origin = Origin::File(&path, &stamps);
        prepare(origin, &canvas.sheet(&stored), Recompression::None, destination).unwrap().write().unwrap();
        let files = [&path, &by_window, &by_file].map(|path| fs::read(path).unwrap());
        assert!(files[0] != files[1] && files[1] == files[2]);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn under_another_name_a_file_is_saved_as_another_program_left_it_with_the_edits_on_it() {
        let path = std::env::temp_dir().join(format!("skinscope_save_changed_{}.glb", std::process::id()));
        let target = path.with_extension("copy.glb");
        write_tube(&path);
        let (mut session, stamps) = (Session::default(), Stamps::of(&path));
        session.open(read(&path));
        give(&mut session, 3, 2);
        // Another program gives another vertex to another joint.
        std::thread::sleep(std::time::Duration::from_millis(20));
        let mut other = Session::default();
        other.open(read(&path));
        give(&mut other, 9, 3);
        let elsewhere = job_of(&other, &path, &stamps);
        elsewhere.write(elsewhere.prepare(&path).unwrap(), &path).unwrap();
        let changed = fs::read(&path).unwrap();
        let job = job_of(&session, &path, &stamps);
        assert!(matches!(job.prepare(&path), Err(SaveError::Stale(_))), "the file itself is not written over");
        let (_, own) = job.write(job.prepare(&target).unwrap(), &target).unwrap();
        assert!(own.is_none(), "it is not the model's own file");
        let saved = read(&target);
        assert_eq!([3, 9].map(|vertex| first_joint(saved.stored(), vertex)), [2, 3]);
        assert_eq!(fs::read(&path).unwrap(), changed);
        let without_edits = SaveJob { work: None, ..job };
        assert!(
            matches!(without_edits.prepare(&target), Err(SaveError::Stale(_))),
            "no edit is left out without a word"
        );
        [path.clone(), target, PathBuf::from(format!("{}.bak", path.display()))].iter().for_each(|file| {
            fs::remove_file(file).unwrap();
        });
    }

    #[test]
    fn a_shape_that_was_saved_is_taken_back_and_the_next_save_writes_that() {
        let path = std::env::temp_dir().join(format!("skinscope_save_shape_{}.glb", std::process::id()));
        write_tube(&path);
        let mut session = Session::default();
        session.open(read(&path));
        session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
        session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(glam::Vec3::X * 40.0)));
        session.apply(EditCommand::EndEdit);
        session.update_pose();
        let turned = session.pose().local.transforms[2].rotation;
        let by = Arc::new(vec![(PrimitiveId::new(MeshId(0), 0), vec![(9, [0.0, 0.0, 0.05])])]);
        let settings = ShapeSettings { name: "dent".into(), ..ShapeSettings::default() };
        session.apply(EditCommand::Shape(ShapeCommand::OfOffsets(settings, by)));
        let names = |model: &Model| model.meshes[0].morph_names.clone();
        let save = |session: &mut Session| {
            let job = job_of(session, &path, &Stamps::of(&path));
            job.write(job.prepare(&path).unwrap(), &path).unwrap();
            session.files_mut().note_model_saved(path.clone(), Arc::clone(&job.model));
            session.open(read(&path));
            session.update_pose();
            assert!(!session.unsaved().has_unsaved_skinning());
            assert_eq!(session.pose().local.transforms[2].rotation, turned, "the pose stays");
        };
        save(&mut session);
        assert_eq!(names(read(&path).stored()), ["dent"]);
        for step in [EditCommand::Undo, EditCommand::Redo, EditCommand::Undo] {
            let wanted: &[&str] = if step == EditCommand::Undo { &[] } else { &["dent"] };
            session.apply(step);
            assert_eq!(names(session.model().unwrap()), wanted);
        }
        save(&mut session);
        assert!(names(read(&path).stored()).is_empty());
        session.apply(EditCommand::Redo);
        assert_eq!(names(session.model().unwrap()), ["dent"]);
        save(&mut session);
        assert_eq!(names(read(&path).stored()), ["dent"]);
        for ending in ["", ".bak", ".bak1", ".bak2"] {
            fs::remove_file(format!("{}{ending}", path.display())).unwrap();
        }
    }

    /// Marks all vertices, first those that are seen and then the others, so that they count as marked by hand.
    fn mark_all(session: &mut Session) {
        session.apply(CameraCommand::SetViewport(Vec2::new(600.0, 500.0)));
        session.apply(CameraCommand::FrameAll);
        session.update_pose();
        let everywhere = MarkShape::Box(Vec2::ZERO, Vec2::new(600.0, 500.0));
        session.apply(MarkCommand::In(everywhere.clone(), MarkMode::Replace));
        session.apply(MarkCommand::ToggleThrough);
        session.apply(MarkCommand::In(everywhere, MarkMode::Add));
    }

    #[test]
    fn only_what_a_model_file_holds_keeps_it_from_being_saved_when_it_has_no_place() {
        let path = std::env::temp_dir().join(format!("skinscope_save_lost_{}.glb", std::process::id()));
        let target = path.with_extension("copy.glb");
        write_tube(&path);
        let (mut session, stamps) = (Session::default(), Stamps::of(&path));
        session.open(read(&path));
        let last = session.model().unwrap().skeleton.names.iter().position(|name| name == "joint 3").unwrap();
        let last = NodeId::from_index(last);
        give(&mut session, 3, 1);
        session.apply(EditCommand::Edit(last, ChannelValue::Rotation(glam::Vec3::new(1.0, 20.0, 3.0))));
        session.apply(ToolCommand::ToggleLock(last));
        mark_all(&mut session);
        // Another program renames that joint, and moves a vertex.
        std::thread::sleep(std::time::Duration::from_millis(20));
        let mut bytes = fs::read(&path).unwrap();
        let at = bytes.windows(7).position(|window| window == b"joint 3").unwrap();
        bytes[at..at + 7].copy_from_slice(b"another");
        let position = session.model().unwrap().meshes[0].primitives[0].positions[43];
        let position: Vec<u8> = position.to_array().into_iter().flat_map(f32::to_le_bytes).collect();
        let at = bytes.windows(12).position(|window| *window == position[..]).unwrap();
        bytes[at..at + 4].copy_from_slice(&0.125_f32.to_le_bytes());
        fs::write(&path, &bytes).unwrap();
        // Pose, lock and mark have no node or vertex there any more, and no model's file holds them.
        let mut reopened = Session::default();
        reopened.open_with_session(read(&path), &session.unsaved().snapshot().unwrap().file());
        let contents = reopened.files().set_aside()[0].contents();
        assert_eq!(contents, WorkContents { posed: 1, ruled: 1, marks: 1, ..WorkContents::default() });
        let prepared = job_of(&session, &path, &stamps).prepare(&target).unwrap();
        assert_eq!(prepared.changes().vertices, 1);
        // It holds weights.
        give(&mut session, 17, 3);
        let Err(SaveError::Unmatched { left, .. }) = job_of(&session, &path, &stamps).prepare(&target) else {
            panic!("an edit was left out without a word");
        };
        assert_eq!(left, "1 vertex with edited weights");
        fs::remove_file(path).unwrap();
    }
}
