//! A session with what the window does for it, at once and without threads.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use skinscope::deform::METHODS;
use skinscope::edit::{Donor, ExampleMesh, MeshPoints, Settings, Sheet, transfer_pairs};
use skinscope::examples::{Lesson, Start, example, example_beside};
use skinscope::export::resting_points;
use skinscope::import::{Options, Progress};
use skinscope::inspect::Inspection;
use skinscope::inspect::check::CheckOptions;
use skinscope::inspect::rom;
use skinscope::pose::NameMap;
use skinscope::session::{
    ClipNames, ClipNamesCommand, Command, ComparedFile, Document, Effect, FileCommand, FileUse, InspectionCommand,
    LibraryCommand, RecordedSource, SaveKind, SculptCommand, Session, SessionFile, Source, TakenClips, ToolCommand,
    is_session,
};
use skinscope::writeback::{Destination, Origin, Recompression, Stamps, prepare};

use super::state;

pub(super) struct Stage {
    session: Session,
    /// Where scripts write.
    folder: PathBuf,
    /// What was opened last.
    source: Source,
    /// What a file was asked for.
    asked: Option<FileUse>,
    /// How weights are being saved.
    saving: Option<SaveKind>,
    recompression: Recompression,
    /// The joints of the file whose clips were taken last.
    names: Option<ClipNames>,
}

impl Stage {
    pub fn open(source: &RecordedSource, folder: PathBuf) -> Self {
        let (mut session, saving) = (Session::default(), None);
        // As in the window; what it then waits for is done after each command.
        session.defer_work();
        let (asked, recompression) = (None, Recompression::None);
        let mut out = Self { session, folder, source: Source::BuiltIn, asked, saving, recompression, names: None };
        let opened = match source {
            RecordedSource::BuiltIn => out.load(Source::BuiltIn),
            RecordedSource::File(path) => out.load(Source::File(path.clone())),
            RecordedSource::Page(path) => out.load(Source::Page(path.clone())),
            RecordedSource::Session(path) => out.open_session(path),
            RecordedSource::Example { id, sliders } => {
                let mut start = Start::of(example(id).unwrap());
                sliders.iter().for_each(|(slider, value)| _ = start.settings.set(slider, *value));
                out.load(Source::Example(start))
            }
        };
        opened.unwrap();
        out.work();
        out
    }

    pub fn into_session(self) -> Session {
        self.session
    }

    pub fn state(&self) -> String {
        state::of(&self.session)
    }

    /// Carries a command out with all that follows from it. Returns what the session asked for, and what came of it.
    pub fn carry_out(&mut self, command: Command) -> String {
        let command = match command {
            // No text has the model that weights are taken from: the one that was read last stays.
            Command::Tool(ToolCommand::Set(settings)) if settings.donor.is_none() => {
                let donor = self.session.tools().settings.donor.clone();
                ToolCommand::Set(Arc::new(Settings { donor, ..Settings::clone(&settings) })).into()
            }
            other => other,
        };
        let effect = self.session.apply(command);
        let said = effect.map_or_else(String::new, |effect| {
            let asked = format!("asks {effect:?}");
            let done = match effect {
                Effect::File(command) => self.file(command),
                Effect::Inspection(command) => self.inspect(command),
                Effect::Library(LibraryCommand::Keep(name)) => self.keep_pose(&name),
                Effect::Library(_) | Effect::Window(_) => Ok(String::new()),
            };
            let done = done.unwrap_or_else(|why| format!("refused: {why}"));
            format!("{asked}; {done}; ").replace('\n', " ")
        });
        self.work();
        said
    }

    fn load(&mut self, source: Source) -> Result<String, String> {
        let document = read(&source)?;
        self.source = source;
        self.session.open(document);
        Ok(String::new())
    }

    fn open_session(&mut self, path: &Path) -> Result<String, String> {
        let mut file = SessionFile::read(path).map_err(|error| error.to_string())?;
        let found = file.find_model(path).map_err(|error| error.to_string())?;
        let document = read(&found.source)?;
        self.source = found.source;
        Ok(self.session.open_with_session(document, &file).join(" "))
    }

    fn file(&mut self, command: FileCommand) -> Result<String, String> {
        match command {
            FileCommand::Open(path) | FileCommand::OpenSession(path) if is_session(&path) => self.open_session(&path),
            FileCommand::Open(path) => self.load(Source::File(path)),
            FileCommand::OpenBuiltIn => self.load(Source::BuiltIn),
            FileCommand::OpenExample(id) => self.load(Source::Example(Start::of(example(id).unwrap()))),
            FileCommand::StepExample(steps) => {
                let next = example_beside(self.session.lesson().map(Lesson::example), steps);
                self.load(Source::Example(Start::of(next)))
            }
            FileCommand::Reload => self.load(self.source.clone()),
            FileCommand::Compare(path) => {
                let source = Source::File(path);
                let (model, name) = (Arc::clone(read(&source)?.stored()), source.name());
                self.session.compare_file(ComparedFile { model, name }).map(|()| String::new())
            }
            FileCommand::OpenBeside(path) => {
                self.session.open_beside(read(&Source::File(path))?);
                Ok(String::new())
            }
            FileCommand::OpenPair(first, second) => {
                let said = self.load(Source::File(first))?;
                self.session.open_beside(read(&Source::File(second))?);
                Ok(said)
            }
            FileCommand::ReadDonor(path) => {
                let donor = Some(Donor(Arc::clone(read(&Source::File(path))?.stored())));
                let settings = Settings { donor, ..Settings::clone(&self.session.tools().settings) };
                self.session.apply(ToolCommand::Set(Arc::new(settings)));
                Ok(String::new())
            }
            FileCommand::ReadExamples(paths) => {
                // Scripts name models, which have the pose that is shown.
                let shown = self.session.shown_pose().ok_or("nothing is open")?;
                let mut meshes = Vec::new();
                for path in paths {
                    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
                    let points = MeshPoints(resting_points(read(&Source::File(path))?.stored()).into());
                    let (pose, pose_name) = (Arc::clone(&shown.pose), shown.name.clone());
                    meshes.push(ExampleMesh { name, points, pose, pose_name, is_held_out: false });
                }
                self.session.apply(ToolCommand::Sculpts(SculptCommand::Add { meshes }));
                Ok(String::new())
            }
            FileCommand::ReadDonorMap(path) => {
                let names = NameMap::read(&path).map_err(|error| error.to_string())?;
                let settings = Settings { names, ..Settings::clone(&self.session.tools().settings) };
                self.session.apply(ToolCommand::Set(Arc::new(settings)));
                Ok(String::new())
            }
            FileCommand::WriteDonorMap(path) => {
                let settings = &self.session.tools().settings;
                let (donor, model) = settings.donor.as_ref().zip(self.session.model()).ok_or("there is no donor")?;
                let pairs = transfer_pairs(model, &donor.0, &settings.names).map_err(|error| error.to_string())?;
                let mut map = NameMap::default();
                pairs.iter().for_each(|(there, here)| map.set(there, here.as_deref()));
                std::fs::write(path, map.text()).map_err(|error| error.to_string())?;
                Ok(String::new())
            }
            FileCommand::TakeClips(path) => self.take_clips(path, NameMap::default()),
            FileCommand::TakeClipsBy(path, map) => self.take_clips(path, map),
            FileCommand::ClipNames(command) => self.clip_names(command),
            FileCommand::Save(kind) => {
                self.saving = Some(kind);
                Ok(String::new())
            }
            FileCommand::Recompress(again) => {
                self.recompression = if again { Recompression::Meshopt } else { Recompression::None };
                Ok(String::new())
            }
            FileCommand::SaveTo(path) => self.save_to(&path),
            FileCommand::AskForFile(usage) => {
                self.asked = Some(usage);
                Ok(String::new())
            }
            FileCommand::WriteFile(path) => self.write_file(&path),
            // What is left asks the user, or draws.
            _ => Ok(String::new()),
        }
    }

    fn take_clips(&mut self, path: PathBuf, map: NameMap) -> Result<String, String> {
        let mut mapping = self.session.files().mapping_of(&path);
        mapping.correct(map);
        let other = Arc::clone(read(&Source::File(path.clone()))?.stored());
        let model = Arc::clone(self.session.model().ok_or("nothing is open")?);
        self.names = Some(ClipNames::new(path, other, mapping, &model));
        self.take_named(&[])
    }

    /// Takes the clips of the file whose names are known, in place of those that are called so.
    fn take_named(&mut self, before: &[String]) -> Result<String, String> {
        let (Some(names), Some(document)) = (&mut self.names, self.session.document()) else {
            return Err("no clips were taken".into());
        };
        let taken = TakenClips::of(document.stored(), &names.other, &names.name(), &names.mapping)?;
        names.taken = self.session.retake_clips(&taken, before);
        self.session.files_mut().store_clip_names(names);
        Ok(taken.sentence())
    }

    fn clip_names(&mut self, command: ClipNamesCommand) -> Result<String, String> {
        let Some((names, model)) = self.names.as_mut().zip(self.session.model().map(Arc::clone)) else {
            return Err("no clips were taken".into());
        };
        match command {
            ClipNamesCommand::Say(there, here) => names.say(&there, here.as_deref(), &model),
            ClipNamesCommand::Forget(there) => names.forget(&there, &model),
            ClipNamesCommand::Propose => names.propose(&model),
            ClipNamesCommand::Take => {
                let before = names.taken.clone();
                return self.take_named(&before);
            }
            ClipNamesCommand::Read(path) => names.read(&path, &model),
            ClipNamesCommand::Write(path) => std::fs::write(path, names.text()).unwrap(),
            ClipNamesCommand::Show | ClipNamesCommand::Leave => {}
        }
        self.session.files_mut().store_clip_names(names);
        Ok(format!("{:?}", names.rows))
    }

    fn save_to(&mut self, target: &Path) -> Result<String, String> {
        let Some(model) = self.session.edited_weights().edited_model().map(Arc::clone) else {
            return Err("nothing is open".into());
        };
        let own = self.session.document().and_then(|document| document.path.clone());
        let built_in = Source::BuiltIn.built_in_bytes().unwrap_or_default();
        let stamps = own.as_deref().map(Stamps::of).unwrap_or_default();
        let origin = own.as_deref().map_or(Origin::Bytes(built_in), |path| Origin::File(path, &stamps));
        let prepared = prepare(origin, &Sheet::of(&model), self.recompression, Destination::To(target));
        let prepared = prepared.map_err(|error| error.to_string())?;
        let vertices = prepared.changes().vertices;
        prepared.write().map_err(|error| error.to_string())?;
        let written = state::hash(&std::fs::read(target).unwrap());
        if self.saving.take() == Some(SaveKind::As) {
            self.session.files_mut().note_model_saved(target.to_owned(), model);
            self.load(Source::File(target.to_owned()))?;
        }
        Ok(format!("wrote {vertices} vertices, {written}"))
    }

    fn write_file(&mut self, path: &Path) -> Result<String, String> {
        let text = match self.asked {
            Some(FileUse::SaveSession) => {
                let snapshot = self.session.unsaved().snapshot().ok_or("nothing is open")?;
                let mut file = snapshot.file();
                file.name_model(self.session.document().and_then(|document| document.path.as_deref()));
                let text = file.text().map_err(|error| error.to_string())?;
                self.session.files_mut().note_session_saved(Some(snapshot));
                text
            }
            Some(FileUse::SavePose) => {
                let text = self.session.pose_file("pose").ok_or("nothing is open")?.text();
                self.session.note_pose_saved();
                text
            }
            Some(FileUse::SaveStrokes) => self.session.painting().recorded().text(),
            Some(FileUse::SavePlaced) => skinscope::edit::placed_to_text(self.session.placing().joints()),
            _ => return Err("nothing is written".into()),
        };
        std::fs::write(path, &text).map_err(|error| error.to_string())?;
        Ok(format!("wrote {}", state::hash(text.as_bytes())))
    }

    fn keep_pose(&mut self, name: &str) -> Result<String, String> {
        let text = self.session.pose_file(name).ok_or("nothing is open")?.text();
        std::fs::write(self.folder.join(name), &text).map_err(|error| error.to_string())?;
        Ok(format!("wrote {}", state::hash(text.as_bytes())))
    }

    fn inspect(&mut self, command: InspectionCommand) -> Result<String, String> {
        let never = AtomicBool::new(false);
        match command {
            InspectionCommand::Inspect => {
                let Some(model) = self.session.edited_weights().edited_model().map(Arc::clone) else {
                    return Ok(String::new());
                };
                let options = CheckOptions { limit: self.session.view().influence_limit, ..CheckOptions::default() };
                let inspection = Inspection::of(&model, &options, &never).unwrap();
                self.session.inspected(&model, inspection);
            }
            InspectionCommand::RunRom(options) => {
                let Some(model) = self.session.model().map(Arc::clone) else { return Ok(String::new()) };
                let shown = self.session.deforming().shown_method();
                let method = if shown.data.is_none() { shown } else { METHODS[0] };
                let report = rom::run(&model, &rom::plan(&model, &options), method, &|_| (), &never).unwrap();
                self.session.measured(&model, report);
            }
            InspectionCommand::CancelRom | InspectionCommand::CancelInspect => {}
        }
        Ok(String::new())
    }

    /// Does what the window does beside its pictures.
    fn work(&mut self) {
        self.session.update_pose();
        self.session.do_wanted();
        // The next picture shows what that has changed.
        self.session.update_pose();
    }
}

fn read(source: &Source) -> Result<Document, String> {
    source.load(&Options::default(), &Progress::silent()).map_err(|error| format!("{}: {error}", source.name()))
}
