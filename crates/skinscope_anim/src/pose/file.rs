//! Pose files: `NAME.pose.json`.
//!
//! ```text
//! {"skinscope_pose": 1, "name": "…", "model": "…",
//!  "joints": {"LowerArm.L": {"rotation": [x, y, z, w], "translation": [x, y, z], "scale": [x, y, z]}},
//!  "morphs": {"Face": {"smile": 0.4}}}
//! {"skinscope_pose": 1, "clip": "Walk", "time": 0.5}
//! ```
//!
//! The values are local, as in glTF, and the file has only those that differ from rest, or from a moment of a clip of the model
//! that it names. Numbers are f32, except
//! translations, which may lead to positions far away and are f64. They are stored as they were read, and written with
//! enough digits to be read back to the bit, by readers of f32 (where they fit) and of f64.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Read;
use std::path::Path;

use serde_json::{Map, Value};
use skinscope_base::{encoding, file_kind};

use super::moment::ClipMoment;

/// The version that is written, which is also the latest that can be read.
pub const VERSION: u64 = 1;

/// What a pose file has.
const MEMBERS: [&str; 7] = ["skinscope_pose", "name", "model", "clip", "time", "joints", "morphs"];

/// What a pose may say of a node.
const CHANNELS: [&str; 3] = ["rotation", "translation", "scale"];

/// The most bytes of a file that are read; no pose needs as many.
const MOST_BYTES: usize = 64 << 20;

/// The contents of a pose file. Nodes are named by their keys ([`super::Keys`]).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseFile {
    /// The name of the pose.
    pub name: String,
    /// The file name of the model for which it was made.
    pub model: String,
    /// The moment of a clip of the model at which all that the file does not say is; `None`: it is as at rest.
    pub moment: Option<ClipMoment>,
    /// The values of nodes, by key, in the order in which they are written.
    pub joints: Vec<(String, Channels)>,
    /// The weights of morph targets: by key of the node, then by name of the target.
    pub morphs: Vec<(String, Vec<(String, f32)>)>,
}

/// The local values of a node that a pose sets; `None` where it does not set one.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Channels {
    /// The rotation, a quaternion x, y, z, w of any length except 0.
    pub rotation: Option<[f32; 4]>,
    /// The translation in metres, in the space of the parent. In a file it is that of the model's file, and in the
    /// result of [`super::resolve`] that of poses of the model ([`skinscope_model::Far`]).
    pub translation: Option<[f64; 3]>,
    /// The scale factors along the node's axes.
    pub scale: Option<[f32; 3]>,
}

/// The reason why a file cannot be read as a pose, a mapping or a session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// The file cannot be read at all.
    #[error("{0}")]
    Read(String),
    /// The file is no JSON; the message of the parser says where.
    #[error("this is no JSON: {0}")]
    Json(String),
    /// A value has the wrong type or range; the message of the parser says what and where.
    #[error("{0}")]
    Value(String),
    /// A value is not what is expected there.
    #[error("{location}: expected {expected}, found {found}")]
    Content {
        /// The location as a path within the file, such as `joints."Arm".rotation[2]`.
        location: String,
        /// What was expected there.
        expected: String,
        /// What is there.
        found: String,
    },
}

/// Reads JSON of any program: with a byte order mark too, and in UTF-16.
pub(super) fn json_of(bytes: &[u8]) -> Result<Value, FileError> {
    let text = encoding::utf8(bytes);
    serde_json::from_slice(&text).map_err(|error| {
        let kind = file_kind::of_start(&text[..text.len().min(file_kind::START)]);
        FileError::Json(kind.map_or_else(|| error.to_string(), |kind| kind.to_string()))
    })
}

impl PoseFile {
    /// Reads a pose file.
    ///
    /// # Errors
    /// The file cannot be read; those of [`PoseFile::parse`].
    pub fn read(path: &Path) -> Result<Self, FileError> {
        Self::parse(&read_bytes(path)?)
    }

    /// Parses the bytes of a pose file.
    ///
    /// # Errors
    /// The bytes are no JSON, the version is later than [`VERSION`], a number is not finite, a rotation has length 0,
    /// or a value has the wrong type.
    pub fn parse(bytes: &[u8]) -> Result<Self, FileError> {
        if bytes.len() > MOST_BYTES {
            return Err(FileError::Read(format!("more than {MOST_BYTES} bytes are too many for a pose")));
        }
        let root = json_of(bytes)?;
        let root = object(&root, "the file")?;
        match root.get("skinscope_pose") {
            Some(Value::Number(version)) if version.as_f64() == Some(VERSION as f64) => {}
            Some(Value::Number(version)) if version.as_f64().is_some_and(|v| v > VERSION as f64) => {
                let found = format!("{version}: a later version of Skinscope made this file");
                return Err(content("skinscope_pose", &format!("version {VERSION}"), &found));
            }
            other => return Err(content("skinscope_pose", &format!("version {VERSION}"), &kind(other))),
        }
        // Remarks of others may stand there, but values that would be ignored are most likely misspelt.
        let is_unknown = |(key, value): &(&String, &Value)| {
            !MEMBERS.contains(&key.as_str()) && (value.is_object() || value.is_array())
        };
        if let Some((key, _)) = root.iter().find(is_unknown) {
            return Err(content("the file", &format!("lists among {}", MEMBERS[5..].join(", ")), &format!("{key:?}")));
        }
        let (name, model, moment) = (text(root, "name")?, text(root, "model")?, moment(root)?);
        let mut out = Self { name, model, moment, ..Self::default() };
        for (key, node) in members(root, "joints", "joints")? {
            let location = format!("joints.{key:?}");
            let node = object(node, &location)?;
            if let Some(other) = node.keys().find(|channel| !CHANNELS.contains(&channel.as_str())) {
                return Err(content(
                    &location,
                    &format!("channels among {}", CHANNELS.join(", ")),
                    &format!("{other:?}"),
                ));
            }
            let rotation = numbers::<_, 4>(node, "rotation", &location, number)?;
            if rotation.is_some_and(|q| q.iter().all(|v| *v == 0.0)) {
                return Err(content(&format!("{location}.rotation"), "a rotation", "one of length 0"));
            }
            let channels = Channels {
                rotation,
                translation: numbers(node, "translation", &location, wide_number)?,
                scale: numbers(node, "scale", &location, number)?,
            };
            out.joints.push((key.clone(), channels));
        }
        for (key, targets) in members(root, "morphs", "morphs")? {
            let location = format!("morphs.{key:?}");
            let weight = |(name, value): (&String, &Value)| {
                number(value, &format!("{location}.{name:?}")).map(|weight| (name.clone(), weight))
            };
            let targets = object(targets, &location)?.iter().map(weight).collect::<Result<_, _>>()?;
            out.morphs.push((key.clone(), targets));
        }
        Ok(out)
    }

    /// Returns the text of the file, which ends with a line break. A number that is not finite, which JSON cannot
    /// express, is left out with its channel.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = format!("{{\n  \"skinscope_pose\": {VERSION},\n");
        // Writing to a String cannot fail.
        let _infallible = writeln!(out, "  \"name\": {},\n  \"model\": {},", quoted(&self.name), quoted(&self.model));
        if let Some(ClipMoment { clip, time }) = self.moment.as_ref().filter(|moment| moment.time.is_finite()) {
            let _infallible = writeln!(out, "  \"clip\": {},\n  \"time\": {},", quoted(clip), digits(*time));
        }
        let joints: Vec<String> = self.joints.iter().filter_map(|(key, channels)| joint_line(key, channels)).collect();
        block(&mut out, "joints", &joints);
        out += ",\n";
        let morphs: Vec<String> = self.morphs.iter().map(|(key, targets)| morph_line(key, targets)).collect();
        block(&mut out, "morphs", &morphs);
        out += "\n}\n";
        out
    }
}

/// Reads a file, up to one byte more than a pose may have, so that a longer one is recognised, even from a device that
/// never ends.
pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>, FileError> {
    let unreadable = |error: std::io::Error| FileError::Read(error.to_string());
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

fn block(out: &mut String, name: &str, lines: &[String]) {
    if lines.is_empty() {
        *out += &format!("  \"{name}\": {{}}");
    } else {
        *out += &format!("  \"{name}\": {{\n    {}\n  }}", lines.join(",\n    "));
    }
}

fn joint_line(key: &str, channels: &Channels) -> Option<String> {
    let said = |name: &str, digits: Vec<String>| Some(format!("\"{name}\": [{}]", digits.join(", ")));
    let list = |name: &str, values: Option<&[f32]>| {
        let values = values.filter(|values| values.iter().all(|v| v.is_finite()))?;
        said(name, values.iter().map(|v| digits(*v)).collect())
    };
    let wide_list = |name: &str, values: Option<[f64; 3]>| {
        let values = values.filter(|values| values.iter().all(|v| v.is_finite()))?;
        said(name, values.iter().map(|v| wide_digits(*v)).collect())
    };
    let Channels { rotation, translation, scale } = channels;
    let said = [
        list("rotation", rotation.as_ref().map(|v| &v[..])),
        wide_list("translation", *translation),
        list("scale", scale.as_ref().map(|v| &v[..])),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    (!said.is_empty()).then(|| format!("{}: {{{}}}", quoted(key), said.join(", ")))
}

fn morph_line(key: &str, targets: &[(String, f32)]) -> String {
    let finite = targets.iter().filter(|(_, weight)| weight.is_finite());
    let said: Vec<String> = finite.map(|(name, w)| format!("{}: {}", quoted(name), digits(*w))).collect();
    format!("{}: {{{}}}", quoted(key), said.join(", "))
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Returns the shortest digits that give this number again, whether they are read as f32 or as f64 that is rounded to
/// f32.
fn digits(value: f32) -> String {
    let short = format!("{value:?}");
    let read = serde_json::from_str::<f64>(&short).map(|wide| (wide as f32).to_bits());
    if read.ok() == Some(value.to_bits()) { short } else { format!("{:?}", f64::from(value)) }
}

/// Returns the shortest digits that give this number again; those of a float where it is one.
fn wide_digits(value: f64) -> String {
    let single = value as f32;
    if f64::from(single) == value { digits(single) } else { format!("{value:?}") }
}

fn content(location: &str, expected: &str, found: &str) -> FileError {
    FileError::Content { location: location.to_owned(), expected: expected.to_owned(), found: found.to_owned() }
}

/// Describes the kind of a value in a few words.
fn kind(value: Option<&Value>) -> String {
    match value {
        None => "nothing".into(),
        Some(Value::Null) => "null".into(),
        Some(Value::Bool(value)) => value.to_string(),
        Some(Value::Number(value)) => value.to_string(),
        Some(Value::String(_)) => "a text".into(),
        Some(Value::Array(list)) => format!("a list of {}", list.len()),
        Some(Value::Object(_)) => "an object".into(),
    }
}

fn object<'a>(value: &'a Value, location: &str) -> Result<&'a Map<String, Value>, FileError> {
    value.as_object().ok_or_else(|| content(location, "an object", &kind(Some(value))))
}

/// Returns the members of an object, sorted by key; a missing object has none.
fn members<'a>(
    root: &'a Map<String, Value>,
    name: &str,
    location: &str,
) -> Result<BTreeMap<&'a String, &'a Value>, FileError> {
    root.get(name).map_or(Ok(BTreeMap::new()), |value| Ok(object(value, location)?.iter().collect()))
}

/// Reads a text, which may be missing.
fn text(root: &Map<String, Value>, name: &str) -> Result<String, FileError> {
    match root.get(name) {
        None => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        other => Err(content(name, "a text", &kind(other))),
    }
}

/// Reads the moment of a clip, which may be missing. A clip is named, or has a number.
fn moment(root: &Map<String, Value>) -> Result<Option<ClipMoment>, FileError> {
    let clip = match root.get("clip") {
        None => return Ok(None),
        Some(Value::String(name)) => name.clone(),
        Some(Value::Number(index)) if index.is_u64() => format!("#{index}"),
        other => return Err(content("clip", "the name or the number of a clip", &kind(other))),
    };
    let time = root.get("time").map_or(Ok(0.0), |time| number(time, "time"))?;
    Ok(Some(ClipMoment { clip, time }))
}

fn number(value: &Value, location: &str) -> Result<f32, FileError> {
    let read = value.as_f64().map(|wide| wide as f32).filter(|v| v.is_finite());
    read.ok_or_else(|| content(location, "a number that an f32 can hold", &kind(Some(value))))
}

/// Reads a number of which f32 may hold too little. The digits of a float give that float, as they are written.
fn wide_number(value: &Value, location: &str) -> Result<f64, FileError> {
    let single = number(value, location)?;
    let wide = value.as_f64().unwrap_or_default();
    // The JSON reader may miss the last bit.
    let is_single = |same: f64| (same - wide).abs() <= 2.0 * f64::EPSILON * wide.abs();
    Ok(if digits(single).parse().is_ok_and(is_single) { f64::from(single) } else { wide })
}

/// Reads a list of `N` numbers, which may be missing.
fn numbers<T: Copy + Default, const N: usize>(
    node: &Map<String, Value>,
    name: &str,
    location: &str,
    read: fn(&Value, &str) -> Result<T, FileError>,
) -> Result<Option<[T; N]>, FileError> {
    let Some(value) = node.get(name) else { return Ok(None) };
    let location = format!("{location}.{name}");
    let Some(list) = value.as_array().filter(|list| list.len() == N) else {
        return Err(content(&location, &format!("a list of {N} numbers"), &kind(Some(value))));
    };
    let mut out = [T::default(); N];
    for (i, (slot, value)) in out.iter_mut().zip(list).enumerate() {
        *slot = read(value, &format!("{location}[{i}]"))?;
    }
    Ok(Some(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_float_is_read_back_to_the_bit() {
        // The test walks over all exponents and signs with changing digits, the smallest and largest ones among them.
        let mut bits: u32 = 1;
        let mut values = vec![0.0, -0.0, 0.1, -1.0, 1e-45, f32::MIN_POSITIVE, f32::MAX, f32::MIN, 16_777_217.0];
        for _ in 0..200_000 {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            values.extend(Some(f32::from_bits(bits)).filter(|v| v.is_finite()));
        }
        for value in values {
            let text = digits(value);
            assert_eq!(text.parse::<f32>().unwrap().to_bits(), value.to_bits(), "{text}");
            assert_eq!((text.parse::<f64>().unwrap() as f32).to_bits(), value.to_bits(), "{text}");
            assert_eq!((serde_json::from_str::<f64>(&text).unwrap() as f32).to_bits(), value.to_bits(), "{text}");
        }
    }

    fn example() -> PoseFile {
        let channels = Channels { rotation: Some([0.0, -0.0, 0.0, 2.0]), ..Channels::default() };
        let moved = Channels {
            translation: Some([0.1_f32, 1e-30, -3.0].map(f64::from)),
            scale: Some([1.0, 2.0, 3.0]),
            rotation: None,
        };
        PoseFile {
            name: "wave \"hello\"".into(),
            model: "a.glb".into(),
            moment: Some(ClipMoment { clip: "Walk \"fast\"".into(), time: 0.3 }),
            joints: vec![("#12".into(), moved), ("Arm\n.L".into(), channels)],
            morphs: vec![("Face".into(), vec![("0".into(), 0.25), ("smile".into(), -0.4)])],
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let read = PoseFile::parse(example().text().as_bytes()).unwrap();
        assert_eq!(read, example());
        assert_eq!(read.text(), example().text());
        let empty = PoseFile::default();
        assert_eq!(PoseFile::parse(empty.text().as_bytes()), Ok(empty));
    }

    fn refused(text: &str) -> String {
        PoseFile::parse(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_is_said_with_its_location() {
        let with = |rest: &str| refused(&format!("{{\"skinscope_pose\":1,{rest}}}"));
        assert!(refused("{\"skinscope_pose\":2}").contains("skinscope_pose: expected version 1, found 2: a later"));
        assert!(refused("{}").contains("skinscope_pose: expected version 1, found nothing"));
        assert!(refused("[]").contains("the file: expected an object, found a list of 0"));
        assert!(refused("{\"skinscope_pose\":1,\n  oops").contains("line 2 column 3"));
        assert!(with("\"joints\":{\"a\":{\"rotation\":[NaN,0,0,1]}}").contains("line 1 column"));
        assert!(
            with("\"joints\":{\"a\":{\"rotation\":[0,0,0,0]}}").contains("joints.\"a\".rotation: expected a rotation")
        );
        assert!(with("\"joints\":{\"a\":{\"rotation\":[0,0,1]}}").contains("a list of 4 numbers, found a list of 3"));
        assert!(with("\"joints\":{\"a\":{\"scale\":[1,1e39,1]}}").contains("joints.\"a\".scale[1]: expected a number"));
        assert!(with("\"joints\":{\"a\":3}").contains("joints.\"a\": expected an object, found 3"));
        assert!(with("\"morphs\":{\"a\":{\"b\":\"c\"}}").contains("morphs.\"a\".\"b\": expected a number"));
        assert!(with("\"name\":7").contains("name: expected a text, found 7"));
        assert!(with("\"clip\":[1]").contains("clip: expected the name or the number of a clip, found a list of 1"));
        assert!(with("\"clip\":-1").contains("clip: expected the name or the number of a clip, found -1"));
        assert!(with("\"clip\":0,\"time\":\"late\"").contains("time: expected a number"));
        let numbered = PoseFile::parse(b"{\"skinscope_pose\":1,\"clip\":2}").unwrap();
        assert_eq!(numbered.moment, Some(ClipMoment { clip: "#2".into(), time: 0.0 }));
    }
}
