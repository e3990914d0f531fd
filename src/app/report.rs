//! What jobs in the background tell the event loop.

use std::path::PathBuf;
use std::sync::{Arc, Weak};

use super::export_job::ExportFailure;
use super::session_files::ReadSession;
use super::ui::{PoseLibrary, PoseReport, SaveSummary, SessionReport, fonts};
use crate::deform::{DataSource, MethodData};
use crate::edit::{Outcome, PackedFigures, Packing, Task};
use crate::import::ImportError;
use crate::inspect::Inspection;
use crate::inspect::rom::RomReport;
use crate::model::{Model, WeightChange};
use crate::pose::NameMap;
use crate::session::{
    ComparedFile, Document, KeptSession, MeasureCurves, MeasuredPose, Measurers, TakenClips, WorstPose,
};
use crate::writeback::{SaveError, Saved, Stamps};

/// A file whose clips were wanted.
pub(super) struct ReadClips {
    pub path: PathBuf,
    /// What is in it; `None` where it could not be read.
    pub other: Option<Arc<Model>>,
    /// Which joints are which, as people say it.
    pub said: NameMap,
    /// The names of the clips that were taken of it before, which these replace.
    pub before: Vec<String>,
    /// Its clips, or why there are none.
    pub taken: Result<TakenClips, String>,
}

/// Messages from jobs in the background.
pub(super) enum Report {
    /// The share of a load that is done, 0…1, and what is being done. While images arrive: one more is there.
    Progress(f32, String),
    /// The model can be drawn; its images may still be on their way.
    Opened(Box<Document>),
    /// The load is about to end without a model: the files that the model's own one names, as they were before it was given up.
    Awaited(Stamps),
    /// The load has ended, with all its warnings or with the reason why nothing was opened.
    Loaded(Result<Vec<String>, ImportError>),
    /// The images of the open model have arrived while another file is being read; with all warnings.
    Completed(Vec<String>),
    /// The checker has looked at a model.
    Inspected(Arc<Model>, Box<Inspection>),
    /// The share of the range of motion that is measured, 0…1.
    Measuring(f32),
    /// The range of motion of a model is measured.
    Measured(Arc<Model>, Box<RomReport>),
    /// The changes that normalise the weights of a model.
    Normalised(Arc<Model>, Vec<WeightChange>),
    /// What a tool would do to the weights of a model; `None` where that was stopped.
    WorkedOut(Arc<Model>, Box<Task>, Option<Box<Outcome>>),
    /// What a runtime makes of the weights of a model, and what that costs.
    Packed(Arc<Model>, Packing, Box<(Model, PackedFigures)>),
    /// What a method has worked out for a model.
    Prepared(&'static DataSource, Arc<Model>, MethodData),
    /// The weights of a model are counted.
    Counted,
    /// The measures of a pose, and what measures the next ones; `None` where that was stopped.
    SurfaceMeasured(Option<Box<(Measurers, MeasuredPose)>>),
    /// The measures of a clip.
    ClipMeasured(Option<MeasureCurves>),
    /// The worst moment of a comparison; `None` where there is none.
    Worst(Option<WorstPose>),
    /// Vertices of a model can be found under the pointer.
    Pickable(Arc<Model>),
    /// The user chose a file to open.
    Chosen(PathBuf),
    /// The user chose a file to compare the open one with.
    ChosenToCompare(PathBuf),
    /// That file was read, while this model was open, or why it could not be.
    OtherRead(Weak<Model>, Result<ComparedFile, String>),
    /// The user chose a file to take clips from.
    ClipsChosen(PathBuf),
    /// The clips of a file were read, for this model.
    ClipsTaken(Weak<Model>, Box<ReadClips>),
    /// The user chose a file to take weights from.
    DonorChosen(PathBuf),
    /// A file to take weights from was read, or not.
    DonorRead(Result<Box<Document>, (PathBuf, ImportError)>),
    /// What saving would change, or why that cannot be.
    SavePlanned(Result<SaveSummary, SaveError>),
    /// The user chose the file to save to.
    TargetChosen(PathBuf),
    /// This model has been written, or not, and why.
    FilesSaved(Arc<Model>, Result<Saved, SaveError>),
    /// Edits have been written down for the case of a crash, into this file, or not.
    WrittenDown(PathBuf, std::io::Result<()>),
    /// The user chose a pose or session file.
    NamedFileChosen(PathBuf),
    /// What is in a pose file, or why it cannot be read.
    PoseRead(PathBuf, Result<Box<PoseReport>, String>),
    /// The user chose the folder of the library of poses.
    PoseFolderChosen(PathBuf),
    /// What is in the library of poses.
    LibraryRead(Box<PoseLibrary>),
    /// The pictures of poses are drawn, or not, and why.
    PosesDrawn(Result<(), String>),
    /// A pose has been written into this file, or not, and why.
    PoseSaved(PathBuf, Result<(), String>),
    /// What is in a session file, or why it cannot be read.
    SessionSeen(PathBuf, Result<SessionReport, String>),
    /// This session file is to be opened, or why it cannot be.
    SessionRead(PathBuf, Result<Box<ReadSession>, String>),
    /// A session has been written into this file, or not, and why.
    SessionSaved(PathBuf, Box<KeptSession>, Result<(), String>),
    /// The open file, or one that it names, has changed; these are the stamps of the files now.
    FilesChanged(Stamps),
    /// The user chose the file of an export.
    ExportChosen(PathBuf),
    /// This file has been exported, or not.
    Exported(PathBuf, Result<(), ExportFailure>),
    /// The picture for the clipboard, of this size, has been drawn, or not, and why.
    PictureDrawn([u32; 2], Result<Vec<u8>, String>),
    /// The fonts of the system were searched.
    Fonts(fonts::FontSearch),
}
