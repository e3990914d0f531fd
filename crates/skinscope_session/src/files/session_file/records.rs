//! The parts of a session file, as they stand in it. Nodes are named by their keys ([`skinscope_anim::pose::Keys`]).

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use skinscope_anim::pose::NameMap;
use skinscope_anim::pose::controls::Slider;

use super::{Number, SessionFile, absolute, numbers, values};
use crate::ClipFile;

/// A file of the model, its own or one that it names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct FileRecord {
    /// The path from the folder of the session file, or an absolute one, with `/` between its parts.
    pub path: String,
    /// The length in bytes.
    pub size: u64,
    /// What [`super::model_files::hash_of`] makes of its bytes; empty where it was not known.
    pub hash: String,
}

/// A file whose clips were taken.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ClipFileRecord {
    /// The path from the folder of the session file, or an absolute one, with `/` between its parts.
    pub path: String,
    /// Which of its joints are which of the model, as people have said it; `null`: it has no counterpart.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub joints: BTreeMap<String, Option<String>>,
    /// The names of the clips that were taken of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clips: Vec<String>,
}

impl ClipFileRecord {
    /// Makes the record of a file; `None` where its path is no text.
    pub fn of(file: &ClipFile) -> Option<Self> {
        let own = |(there, here): (&str, Option<&str>)| (there.to_owned(), here.map(str::to_owned));
        Some(Self {
            path: absolute(Some(&file.path))?,
            joints: file.mapping.pairs().map(own).collect(),
            clips: file.taken.clone(),
        })
    }

    pub fn file(&self) -> ClipFile {
        let mut mapping = NameMap::default();
        self.joints.iter().for_each(|(there, here)| mapping.set(there, here.as_deref()));
        ClipFile {
            path: PathBuf::from(&self.path),
            mapping,
            taken: self.clips.clone(),
            is_new: !self.joints.is_empty(),
        }
    }
}

/// The edited channels of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct EditRecord {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translation: Option<[Number; 3]>,
    /// What is added to the translation, where it leads too far for 32 bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub far: Option<[f64; 3]>,
    /// The rotation as a quaternion x, y, z, w.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation: Option<[Number; 4]>,
    /// The rotation as angles X, Y, Z in degrees, where it was typed or set by sliders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angles: Option<[Number; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<[Number; 3]>,
}

/// The edited inverse bind matrix of a joint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct BindRecord {
    /// The skin's number in the file.
    pub skin: u32,
    /// The index of the joint in the skin.
    #[serde(rename = "place")]
    pub joint_index: usize,
    pub joint: String,
    /// The matrix without its last row, column after column.
    pub matrix: [Number; 12],
    /// The matrix that the file had, in the same way; `None` where that was not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored: Option<[Number; 12]>,
}

impl BindRecord {
    /// Returns whether another record is of another joint, or of another skin, or has the same matrix.
    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        (self.skin, self.joint_index, &self.joint) != (other.skin, other.joint_index, &other.joint)
            || self.matrix == other.matrix
    }
}

/// The matrix of a joint that stays where it is over the clip, in world space.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct HeldRecord {
    /// The matrix without its last row, column after column.
    pub matrix: [Number; 12],
}

/// The limits of a joint, degrees from rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct LimitsRecord {
    pub least: [Number; 3],
    pub most: [Number; 3],
}

/// A slider that controls read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SliderRecord {
    pub name: String,
    pub least: Number,
    pub most: Number,
    pub default: Number,
    pub value: Number,
}

impl SliderRecord {
    pub fn of(slider: &Slider) -> Self {
        let [least, most, default, value] = numbers([slider.least, slider.most, slider.default, slider.value]);
        Self { name: slider.name.clone(), least, most, default, value }
    }

    pub fn slider(&self) -> Slider {
        let [least, most, default, value] = values([self.least, self.most, self.default, self.value]);
        Slider { name: self.name.clone(), least, most, default, value }
    }
}

/// Clip and time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct PlaybackRecord {
    /// What is shown: `rest`, `bind` or `clip`.
    pub pose: String,
    /// The name of the clip, and its number in the file, which tells it from others of its name.
    pub clip: Option<String>,
    pub clip_number: usize,
    /// Seconds.
    pub time: Number,
    pub playing: bool,
    pub speed: Number,
    #[serde(rename = "loop")]
    pub loop_mode: String,
    /// Whether a ping-pong clip is on its way back.
    pub returning: bool,
    pub fps: Number,
    /// Whether root motion is taken out.
    pub in_place: bool,
    /// The clip that the pose goes over into, and the one that is added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fade: Option<LayerRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub add: Option<LayerRecord>,
}

/// A clip that is blended over another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct LayerRecord {
    /// The name of the clip, and its number, which tells it from others of its name.
    pub clip: String,
    pub clip_number: usize,
    /// Its share, 0…1.
    pub weight: Number,
    /// When the share begins to rise, and how long it takes, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rise: Option<[Number; 2]>,
}

/// The user's camera.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct CameraRecord {
    /// The point that it turns about, world, metres.
    pub target: [Number; 3],
    /// Radians about +Y.
    pub yaw: Number,
    /// Radians up from the horizon.
    pub pitch: Number,
    /// Metres from the target.
    pub distance: Number,
    pub orthographic: bool,
    /// The number of the file's camera that is looked through instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<usize>,
}

/// What is shown, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ViewRecord {
    pub scene: usize,
    pub variant: Option<String>,
    pub selected: Option<String>,
    pub hidden: Vec<String>,
    pub overlay: Option<String>,
    pub look: String,
    #[serde(skip_serializing_if = "EnvironmentRecord::is_usual")]
    pub environment: EnvironmentRecord,
    pub tone_map: String,
    pub ramp: String,
    pub influence_limit: usize,
    /// The greatest distance on the scale of distances, metres, where it does not follow the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance_scale: Option<Number>,
    /// Method and pass, such as `linear+mush`.
    pub method: String,
    pub normals: String,
    pub parameters: BTreeMap<String, Number>,
    pub comparison: Option<ComparisonRecord>,
    /// The layers that are on.
    pub on: Vec<String>,
    pub bone_shape: String,
    pub bone_size: Number,
    /// How many onion skins there are on each side, and the frames from one to the next, where that is not the usual.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub onion: Option<(u32, Number)>,
    pub deforming_only: Option<bool>,
    pub skin_opacity: Number,
    pub lights: String,
    pub crowd: u32,
    /// How often what is shown is subdivided, and whether before it is skinned, where that is not the usual.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subdivision: Option<(u32, bool)>,
    /// What a drag in the picture does, and along which axes.
    pub tool: String,
    pub axes: String,
}

/// The model beside the one that the file is about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct BesideRecord {
    /// The session of that model.
    pub session: SessionFile,
    pub same_place: bool,
    pub gap: Number,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub same_height: bool,
    pub same_time: bool,
    /// Whether that model is the first one, in whose space the floor is.
    pub is_first: bool,
}

/// The environment of the look of that name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct EnvironmentRecord {
    /// The path of the file: from the folder of the session file, or absolute. `None`: the program's own room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Degrees about +Y.
    pub rotation: Number,
    /// Stops.
    pub exposure: Number,
}

impl EnvironmentRecord {
    fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

/// The second side of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ComparisonRecord {
    pub method: String,
    pub normals: String,
    /// `shown`, `stored`, or the runtime ([`skinscope_edit::Packing::id`]).
    pub weights: String,
    pub swapped: bool,
    pub layout: String,
    pub split: Number,
}
