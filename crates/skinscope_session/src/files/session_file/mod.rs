//! Session files: `NAME.skinscope.json`, all that was made and set with a model.
//!
//! ```text
//! {"skinscope_session": 1,
//!  "model": [{"path": "character.glb", "size": 123456, "hash": "fnv1a64:…"}],
//!  "joints": {"LowerArm.L": {"angles": [0, 0, 40]}}, "morphs": {"Face": {"smile": 0.4}},
//!  "held": {"Foot.L": {"matrix": [12 numbers]}}, "weights": […], "binds": […],
//!  "meshes": […], "paths": {"#12": "root/Arm/Hand"}, "marked": […], "clips": […],
//!  "clip_files": [{"path": "walks.glb", "joints": {"Hips_Ctrl": "Hips", "Cape": null}, "clips": ["Walk"]}],
//!  "sliders": [{"name": "Flex", "least": 0, "most": 1, "default": 0, "value": 0.5}],
//!  "drivers": ["angle('LowerArm.L', 'y') = 120 * slider('Flex')"],
//!  "symmetric": false, "obey_limits": true, "limits": {"Shin.L": {"least": [0, 0, 0], "most": [130, 0, 0]}},
//!  "unlimited": ["Toe.L"],
//!  "pins": ["Foot.L"], "pairs": {"Hand.L": "Claw.R", "Tail": null}, "locked": [], "envelopes": {"Arm.L": [0.8, 1.6]},
//!  "playback": {…}, "camera": {…}, "view": {…},
//!  "beside": {"session": {"model": […], …}, "same_place": false, "gap": 0.15, "same_height": true, "same_time": true, "is_first": false},
//!  "set_aside": [{"model": "character.glb", "meshes": […], "weights": […]}]}
//! ```
//!
//! Edited and marked vertices are recorded with what tells them from others ([`skinscope_edit::VertexIdentity`]), so that they are found where
//! the model's file has them in another order. `set_aside` has the work that does not fit the model.
//!
//! `bindings` has the links that joints gained, the morph targets that meshes have in place of those of their file, and the skins that meshes
//! gained, with the nodes that were made for them: they come before
//! everything else, since what was made later may name these nodes.
//!
//! `placed` has the joints that were placed by hand in meshes without a skin, and are not bound yet; `placing` has how they are bound.
//!
//! `weight_layers` has the layers that make the weights together, where there are some.
//!
//! `beside` has the session of a second model, which stands in the same picture.
//!
//! `model` lists the model's file and those that it names; a file without any is about the built-in character. A member that is
//! missing has the value that a window starts with. Numbers are f32, and are read back to the bit. What
//! `drivers` say is explained at [`skinscope_anim::pose::controls`]. Members that are unknown are
//! ignored.

mod bindings;
mod clips;
mod layout;
mod links;
mod model_files;
mod number;
mod records;
mod shapes;
mod vertices;
mod work;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

pub(crate) use bindings::{BindingRecord, Rebinding};
pub(crate) use clips::ClipRecord;
pub use model_files::SessionModel;
pub use number::Number;
pub(crate) use number::{numbers, values};
pub(crate) use records::{
    BesideRecord, BindRecord, CameraRecord, ClipFileRecord, ComparisonRecord, EditRecord, EnvironmentRecord,
    FileRecord, HeldRecord, LayerRecord, LimitsRecord, PlaybackRecord, SliderRecord, ViewRecord,
};
use serde::{Deserialize, Serialize};
use skinscope_anim::pose::FileError;
use skinscope_base::{encoding, file_kind, json};
use skinscope_edit::PlacedJoint;
use skinscope_paint::LayersForm;
pub(crate) use vertices::{MeshRecord, WeightsRecord};
pub(crate) use work::absolute;
pub use work::{WorkContents, WorkRecord};

use crate::placing::placed_how::PlacedHow;

/// The version that is written, and the latest that is read.
const VERSION: u64 = 1;

/// The most bytes of a file that are read or written.
const MOST_BYTES: usize = 256 << 20;

/// The most commas of a file that is read: each value but the first of a list costs one, so that few bytes cannot fill
/// the memory.
const MOST_COMMAS: usize = 2_000_000;

/// The ending of session files.
pub const SESSION_ENDING: &str = ".skinscope.json";

/// The content of a session file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionFile {
    pub(crate) skinscope_session: u64,
    /// The model's own file, then those that it names; none for the built-in character.
    pub(crate) model: Vec<FileRecord>,
    pub(crate) joints: BTreeMap<String, EditRecord>,
    pub(crate) morphs: BTreeMap<String, BTreeMap<String, Number>>,
    /// Joints that stay where they are over the clip.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) held: BTreeMap<String, HeldRecord>,
    pub(crate) weights: Vec<WeightsRecord>,
    /// Clips that the file of the model does not have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) clips: Vec<ClipRecord>,
    /// The files whose clips were taken.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) clip_files: Vec<ClipFileRecord>,
    pub(crate) binds: Vec<BindRecord>,
    /// Skins that meshes gained.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) bindings: Vec<BindingRecord>,
    /// The meshes of the model, where vertices are edited or marked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) meshes: Vec<MeshRecord>,
    /// The paths of the nodes whose keys are numbers.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) paths: BTreeMap<String, String>,
    /// Vertices that were marked by hand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) marked: Vec<WeightsRecord>,
    /// The layers of weights, which make those of the model together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) weight_layers: Option<LayersForm>,
    /// Joints that were placed by hand and are no nodes yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) placed: Vec<PlacedJoint>,
    /// How these are bound.
    #[serde(skip_serializing_if = "PlacedHow::is_usual")]
    pub(crate) placing: PlacedHow,
    /// Work that does not fit the model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) set_aside: Vec<WorkRecord>,
    /// Sliders, and the lines of what they and joints drive.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) sliders: Vec<SliderRecord>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) drivers: Vec<String>,
    pub(crate) symmetric: bool,
    pub(crate) obey_limits: bool,
    pub(crate) limits: BTreeMap<String, LimitsRecord>,
    /// Joints whose limits of the model's file the user has taken away; `None`: an earlier version, which did not record them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unlimited: Option<Vec<String>>,
    pub(crate) pins: Vec<String>,
    /// Nodes whose partner the user has changed, with the partner that they have now.
    pub(crate) pairs: BTreeMap<String, Option<String>>,
    /// Joints whose weights no tool changes.
    pub(crate) locked: Vec<String>,
    /// The inner and the outer radius of the envelopes of joints, by which *Auto bind* finds weights.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) envelopes: BTreeMap<String, [f64; 2]>,
    pub(crate) playback: PlaybackRecord,
    /// `None`: the whole model is framed.
    pub(crate) camera: Option<CameraRecord>,
    pub(crate) view: ViewRecord,
    /// The model beside it, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) beside: Option<Box<BesideRecord>>,
    /// Whether the model's files are known to be others than when the session was saved.
    #[serde(skip)]
    pub(crate) has_other_model: bool,
}

impl Default for SessionFile {
    fn default() -> Self {
        Self {
            skinscope_session: VERSION,
            model: Vec::new(),
            joints: BTreeMap::new(),
            morphs: BTreeMap::new(),
            held: BTreeMap::new(),
            weights: Vec::new(),
            clips: Vec::new(),
            clip_files: Vec::new(),
            binds: Vec::new(),
            bindings: Vec::new(),
            meshes: Vec::new(),
            paths: BTreeMap::new(),
            marked: Vec::new(),
            weight_layers: None,
            placed: Vec::new(),
            placing: PlacedHow::default(),
            set_aside: Vec::new(),
            has_other_model: false,
            sliders: Vec::new(),
            drivers: Vec::new(),
            symmetric: false,
            obey_limits: true,
            limits: BTreeMap::new(),
            unlimited: None,
            pins: Vec::new(),
            pairs: BTreeMap::new(),
            locked: Vec::new(),
            envelopes: BTreeMap::new(),
            playback: PlaybackRecord::default(),
            camera: None,
            view: ViewRecord::default(),
            beside: None,
        }
    }
}

/// How much a session file keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionContents {
    /// Vertices with edited weights.
    pub vertices: usize,
    /// Joints with edited inverse bind matrices.
    pub binds: usize,
    /// Meshes that gained a skin.
    pub bindings: usize,
    /// Meshes with other morph targets.
    pub shapes: usize,
    /// Nodes and morph targets with an edited pose.
    pub posed: usize,
    /// Clips that the file of the model does not have.
    pub clips: usize,
    /// Sliders and controls.
    pub controls: usize,
    /// Joints with limits.
    pub limits: usize,
    /// Pinned joints.
    pub pins: usize,
    /// Joints that stay where they are over the clip.
    pub held: usize,
    /// Nodes whose partner the user has changed.
    pub pairs: usize,
    /// Nodes that are hidden, with all below them.
    pub hidden: usize,
    /// Things that were made that do not fit the model.
    pub set_aside: usize,
}

/// Returns whether a file is a session file, by its name.
#[must_use]
pub fn is_session(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase());
    name.is_some_and(|name| name.ends_with(SESSION_ENDING))
}

impl SessionFile {
    /// Reads a session file.
    ///
    /// # Errors
    /// The file cannot be read, and all of [`SessionFile::parse`].
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let unreadable = |error: std::io::Error| FileError::Read(error.to_string());
        if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
            return Err(FileError::Read("it is a folder or something else that is no file".into()));
        }
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path).map_err(unreadable)?;
        file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        Self::parse(&bytes)
    }

    /// Reads the bytes of a session file.
    ///
    /// # Errors
    /// Broken JSON, a later version, a value of the wrong kind, a number that 32 bits cannot hold, or more of it than a session
    /// has.
    pub fn parse(bytes: &[u8]) -> Result<Self, FileError> {
        if bytes.len() > MOST_BYTES {
            return Err(too_long());
        }
        let bytes = &*encoding::utf8(bytes);
        if let Some(kind) = file_kind::of_start(&bytes[..bytes.len().min(file_kind::START)]) {
            return Err(FileError::Json(kind.to_string()));
        }
        if bytes.iter().filter(|byte| **byte == b',').count() > MOST_COMMAS {
            return Err(FileError::Read(format!("more than {MOST_COMMAS} values are too many for a session")));
        }
        if bytes.trim_ascii_start().first().is_some_and(|byte| *byte == b'[') {
            let (location, found) = ("the file".into(), "a list".into());
            return Err(FileError::Content { location, expected: "an object".into(), found });
        }
        match Self::of_plain(bytes) {
            // The reader refuses some spellings of JSON that mean the same as others.
            Err(FileError::Value(why)) => {
                let plain = std::str::from_utf8(bytes).ok().and_then(json::plain);
                plain.map_or(Err(FileError::Value(why)), |plain| Self::of_plain(plain.text.as_bytes()))
            }
            read => read,
        }
    }

    /// Reads the bytes of a session file whose integers are written as such, and whose objects have each key once.
    fn of_plain(bytes: &[u8]) -> Result<Self, FileError> {
        #[derive(Deserialize)]
        struct Head {
            skinscope_session: Option<f64>,
        }
        let head: Head = serde_json::from_slice(bytes).map_err(wrong)?;
        let found = match head.skinscope_session {
            Some(version) if version == VERSION as f64 => return serde_json::from_slice(bytes).map_err(wrong),
            Some(version) if version > VERSION as f64 => {
                format!("{version}: a later version of Skinscope made this file")
            }
            Some(version) => version.to_string(),
            None => "nothing".into(),
        };
        let (location, expected) = ("skinscope_session".into(), format!("version {VERSION}"));
        Err(FileError::Content { location, expected, found })
    }

    /// Returns how much the file keeps.
    #[must_use]
    pub fn contents(&self) -> SessionContents {
        SessionContents {
            vertices: self.weights.iter().map(WeightsRecord::count).sum(),
            binds: self.binds.len(),
            bindings: self.bindings.iter().map(|binding| binding.meshes.len()).sum(),
            shapes: self.bindings.iter().map(|binding| binding.shapes.len()).sum(),
            posed: self.joints.len() + self.morphs.values().map(BTreeMap::len).sum::<usize>(),
            clips: self.clips.len(),
            controls: self.sliders.len() + self.drivers.len(),
            limits: self.limits.len(),
            pins: self.pins.len(),
            held: self.held.len(),
            pairs: self.pairs.len(),
            hidden: self.view.hidden.len(),
            set_aside: self.set_aside.iter().map(|work| work.contents().count()).sum(),
        }
    }

    /// Returns the text of the file, which ends with a line break.
    ///
    /// # Errors
    /// There are more edits than a session file may have.
    pub fn text(&self) -> Result<String, FileError> {
        let text = layout::text(self).map_err(wrong)?;
        if text.len() > MOST_BYTES { Err(too_long()) } else { Ok(text) }
    }

    /// Returns the text of the file in one line.
    ///
    /// # Errors
    /// There are more edits than a session file may have.
    pub fn line(&self) -> Result<String, FileError> {
        let text = serde_json::to_string(self).map_err(wrong)?;
        if text.len() > MOST_BYTES { Err(too_long()) } else { Ok(text) }
    }
}

fn too_long() -> FileError {
    FileError::Read(format!("more than {} MiB are too many for a session", MOST_BYTES >> 20))
}

fn wrong(error: serde_json::Error) -> FileError {
    match error.classify() {
        serde_json::error::Category::Data => FileError::Value(error.to_string()),
        _ => FileError::Json(error.to_string()),
    }
}
