//! Commands about files: what is opened, read, written and exported.

use std::path::PathBuf;

use crate::command::answers::{RecoveryAnswer, SaveKind, UnsavedAnswer};
use crate::command::ids::Id;
use crate::files::export::{ExportKind, ExportSettings};
use crate::playback::clip_names::ClipNamesCommand;

/// Commands about files, and the program as a whole.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum FileCommand {
    /// Ask for a file, then open it.
    OpenDialog,
    /// Open this file.
    Open(PathBuf),
    /// Open the model that comes so many files after the open one in its folder, by name; after the last one comes the first.
    StepInFolder(i32),
    /// Ask for the file whose weights [`skinscope_edit::Settings::donor`] has, with the system's dialog.
    ChooseDonor,
    /// Read that file.
    ReadDonor(PathBuf),
    /// Ask for a mesh that weights are to be solved from, with the system's dialog.
    ChooseExample,
    /// Read meshes of what the surface should be, and let the tool that solves weights use them ([`crate::SculptCommand::Add`]). A pose file
    /// among these files is the pose of the mesh that has its name; all others have the pose that is shown.
    ReadExamples(Vec<PathBuf>),
    /// Read which of its joints are which from this file ([`skinscope_anim::pose::NameMap`]).
    ReadDonorMap(PathBuf),
    /// Write that into this file.
    WriteDonorMap(PathBuf),
    /// Give the meshes that have no skin the joints and weights of the model beside ([`skinscope_edit::dress()`]), as one step; where all meshes
    /// of the open model have a skin and stand where they are worn, let the tool *Transfer* take its weights.
    WeightsFromBeside,
    /// Ask for the picture of the surroundings that lights the model.
    ChooseEnvironment,
    /// Open the character that comes with the program.
    OpenBuiltIn,
    /// Open an example, given by [`skinscope_examples::Example::id`].
    OpenExample(#[serde(deserialize_with = "crate::command::ids::id")] Id),
    /// Open the example so many rows after the one that is shown, or of a user's own page the next one in its folder; both go round.
    StepExample(i32),
    /// Read the open file again.
    Reload,
    /// Ask for a file, then compare the open one with it.
    CompareDialog,
    /// Compare the open file with this one, as the second side of the picture ([`crate::Session::compare_file`]).
    Compare(PathBuf),
    /// Ask for a file, then open it beside the open model, as a model of its own.
    BesideDialog,
    /// Open this file beside the open model ([`crate::Session::open_beside`]).
    OpenBeside(PathBuf),
    /// Open the first of these files, and once it is shown let the second stand beside it, or play on it where it has clips alone (`.vrma`).
    OpenPair(PathBuf, PathBuf),
    /// Stop the load that is under way.
    CancelLoad,
    /// Say what writing the edited weights into the open file, or into another one, would change.
    Save(SaveKind),
    /// Write this file: the answer to [`FileCommand::Save`].
    SaveTo(PathBuf),
    /// Compress what meshopt had compressed again (`true`), or store it plain.
    Recompress(bool),
    /// Let files that have other names (hard links) stay one each (`true`), or leave to those names what was there.
    KeepLinks(bool),
    /// Let the file that is written keep the layers of weights in its extras (`true`), or only what they make together.
    KeepLayers(bool),
    /// The answer to the question what becomes of edits that are not saved.
    AnswerUnsaved(UnsavedAnswer),
    /// The answer to the offer of edits that an earlier run has left behind.
    AnswerRecovery(RecoveryAnswer),
    /// Read the open file again, which has changed, and carry unsaved work over (`true`), or keep what is open.
    AnswerChanged(bool),
    /// Ask for a file, to write or to read.
    AskForFile(FileUse),
    /// Choose the file that a dialog asks for, also that of [`FileCommand::Save`], with the system's dialog.
    ChooseFile,
    /// This is the file that was asked for; what is in it, or whether it is replaced, will be said.
    NameFile(PathBuf),
    /// Correct the pose that was read for the other rest pose of the model that it was made on (`true`), or not.
    CorrectPose(bool),
    /// Write the pose or the session that is shown into this file.
    WriteFile(PathBuf),
    /// Close the dialog that asks for a file, also that of [`FileCommand::Save`]; nothing is read or written.
    CloseFile,
    /// Open the model of this session file, with all that the session keeps.
    OpenSession(PathBuf),
    /// Export into this file, in the background: the answer to [`FileUse::Export`].
    ExportTo(PathBuf, Box<ExportSettings>),
    /// Give up what is being exported.
    StopExport,
    /// Put the picture that is shown on the clipboard.
    CopyPicture,
    /// Ask for a file whose clips are played on the open model, with the system's dialog.
    ChooseClips,
    /// Play the clips of this file on the open model ([`crate::TakenClips`]).
    TakeClips(PathBuf),
    /// Do the same; this says which joints are which.
    TakeClipsBy(PathBuf, skinscope_anim::pose::NameMap),
    /// Commands about which joints of another file's clips are which of the open model.
    ClipNames(ClipNamesCommand),
    /// Do nothing with the file that was dropped on the window.
    LeaveDropped,
    /// Close the window.
    Quit,
}

/// What a file is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum FileUse {
    /// The pose that is shown is written into it.
    SavePose,
    /// Its pose is shown.
    LoadPose,
    /// All that was made and set is written into it ([`crate::SessionFile`]).
    SaveSession,
    /// Its model is opened, with all that it keeps.
    OpenSession,
    /// The strokes that were recorded are written into it, as `skinscope paint` takes them.
    SaveStrokes,
    /// The joints that are placed by hand are written into it, as `skinscope bind --skeleton` takes them.
    SavePlaced,
    /// Its joints are placed in place of those that there are.
    LoadPlaced,
    /// It is a mesh that has the surface as it should be in the pose that is shown: a corrective shape is made of it.
    LoadSculpt,
    /// A picture, the posed mesh or a film is written into it.
    Export(ExportKind),
}

impl FileUse {
    /// Whether the file is written, in place of being read.
    #[must_use]
    pub fn writes(self) -> bool {
        !matches!(self, Self::LoadPose | Self::OpenSession | Self::LoadPlaced | Self::LoadSculpt)
    }
}
