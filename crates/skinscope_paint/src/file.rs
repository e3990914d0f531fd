//! Files of strokes: `NAME.strokes.json`.
//!
//! ```text
//! {"schema": 1, "strokes": [{"brush": "add", "joint": "LeftArm", "radius": 0.1, "dabs": [{"vertex": [0, 0, 1239]}]}]}
//! ```
//!
//! They name joints, clips and poses as people do. `docs/paint.md` says what each key means.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use skinscope_base::{encoding, file_kind};

use super::located::{StrokesError, kind, object, wrong};

/// The version that is written, and the only one that can be read.
const SCHEMA: u64 = 1;

/// The contents of a file of strokes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StrokesFile {
    /// The strokes, in the order in which they are carried out.
    pub strokes: Vec<StrokeForm>,
}

/// A stroke as it is written; what is left out has its default value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StrokeForm {
    /// The brush, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brush: Option<String>,
    /// The joint that is painted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// Joints that are painted as one with it: `"joint"` is then a list, which begins with the joint itself.
    #[serde(skip)]
    pub with: Vec<String>,
    /// The joint that gets what the other one loses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The weight that is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The factor by which weights are scaled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factor: Option<f64>,
    /// How much of the change is done; 1 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strength: Option<f64>,
    /// How far a dab reaches, metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// The falloff, by its id; `smooth` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub falloff: Option<String>,
    /// How distances are measured; `surface` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<String>,
    /// Whether dabs add up; false by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accumulate: Option<bool>,
    /// The least weight; 0 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<f64>,
    /// The largest weight; 1 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<f64>,
    /// Whether the other joints follow; true by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normalise: Option<bool>,
    /// The most joints of a vertex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_influences: Option<i64>,
    /// The joints that stay as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locked: Option<Vec<String>>,
    /// The axis across which the other side is painted too, or `auto`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mirror: Option<String>,
    /// The eye towards which a surface must look to be painted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub front_faces: Option<EyeForm>,
    /// The vertices that may change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mask: Option<MaskForm>,
    /// A pose file, by its path from the folder of the strokes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pose: Option<String>,
    /// The clip, by its name or number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clip: Option<Named>,
    /// The moment of the clip, seconds; 0 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// The method that deforms the surface; `linear` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The touches of the brush.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dabs: Option<Vec<DabForm>>,
}

/// A touch of a brush as it is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DabForm {
    /// The vertex that it touches: mesh, primitive and vertex of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertex: Option<[u64; 3]>,
    /// The place that it touches, scene's space, metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<[f64; 3]>,
    /// The vertices that it touches, in place of both, each with its share of the strength: mesh, primitive and vertex of the file, and the share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<Vec<(u64, u64, u64, f64)>>,
    /// The factor of the strength; 1 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pressure: Option<f64>,
    /// The moment of the clip, where it is another than the stroke's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
}

/// A thing of the model, by its number from 0 or by its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a name, or a number from 0")]
pub enum Named {
    /// The number.
    Number(u64),
    /// The name.
    Name(String),
}

/// An eye as it is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EyeForm {
    /// Its place, scene's space, metres.
    pub eye: [f64; 3],
    /// The greatest angle between a normal and the direction to the eye, degrees; 90 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<f64>,
}

/// A set of vertices as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaskForm {
    /// The vertices of each primitive.
    pub vertices: Vec<Marked>,
}

/// Vertices of one primitive as they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marked {
    /// The mesh of the file.
    pub mesh: u64,
    /// The index of the primitive in it.
    pub primitive: u64,
    /// The vertices.
    pub vertices: Vec<u64>,
}

impl StrokesFile {
    /// Parses the bytes of a file: text in UTF-8 or, with a byte order mark, in UTF-16.
    ///
    /// # Errors
    /// The bytes are no JSON, or something stands where nothing of its kind can.
    pub fn parse(bytes: &[u8]) -> Result<Self, StrokesError> {
        let root = json_of(bytes)?;
        let Value::Object(members) = &root else {
            return Err(wrong("the file", format!("expected an object, found {}", kind(&root))));
        };
        if let Some(key) = members.keys().find(|key| !["schema", "strokes"].contains(&key.as_str())) {
            return Err(wrong(key, "this key is unknown; expected schema and strokes"));
        }
        if members.get("schema").and_then(Value::as_f64) != Some(SCHEMA as f64) {
            let found = members.get("schema").map_or_else(|| "nothing".to_owned(), kind);
            return Err(wrong("schema", format!("expected {SCHEMA}, found {found}")));
        }
        let Some(strokes) = members.get("strokes").and_then(Value::as_array) else {
            let found = members.get("strokes").map_or_else(|| "nothing".to_owned(), kind);
            return Err(wrong("strokes", format!("expected a list, found {found}")));
        };
        let read = strokes.iter().enumerate().map(|(number, stroke)| stroke_of(stroke, &format!("strokes[{number}]")));
        Ok(Self { strokes: read.collect::<Result<_, _>>()? })
    }

    /// Returns the text of the file, each stroke on a line of its own. A number that is not finite, which JSON does not have, becomes null,
    /// as if it were left out.
    #[must_use]
    pub fn text(&self) -> String {
        let lines: Vec<String> = self.strokes.iter().map(line_of).collect();
        format!("{{\"schema\": {SCHEMA}, \"strokes\": [\n{}\n]}}\n", lines.join(",\n"))
    }
}

/// Returns the number that is read where this one is written in a file of strokes: nearly the same one. What is written down while it is painted
/// is painted with this one, so that the file says the same to the bit.
#[must_use]
pub fn written(number: f64) -> f64 {
    // Numbers of so few digits are read as they are.
    const DIGITS: f64 = 1e9;
    let short = if number.abs() < 1e5 { (number * DIGITS).round() / DIGITS } else { number };
    let read = |number: f64| serde_json::from_str::<f64>(&serde_json::to_string(&number).ok()?).ok();
    let mut out = short;
    for _ in 0..4 {
        match read(out) {
            Some(again) if again.to_bits() != out.to_bits() => out = again,
            _ => break,
        }
    }
    out
}

fn json_of(bytes: &[u8]) -> Result<Value, StrokesError> {
    let text = encoding::utf8(bytes);
    serde_json::from_slice(&text).map_err(|error| {
        let kind = file_kind::of_start(&text[..text.len().min(file_kind::START)]);
        let why = kind.map_or_else(|| error.to_string(), |kind| kind.to_string());
        StrokesError::Unreadable(format!("this is no JSON: {why}"))
    })
}

/// Returns the text of a stroke.
fn line_of(stroke: &StrokeForm) -> String {
    if stroke.with.is_empty() {
        return serde_json::to_string(stroke).unwrap_or_default();
    }
    let mut value = serde_json::to_value(stroke).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        let joints: Vec<Value> = stroke.joint.iter().chain(&stroke.with).map(|name| name.as_str().into()).collect();
        fields.insert("joint".to_owned(), joints.into());
    }
    value.to_string()
}

/// Reads a stroke whose joint is a list of several.
fn stroke_of_several(value: &Value, joints: &[Value], location: &str) -> Result<StrokeForm, StrokesError> {
    let names: Option<Vec<String>> = joints.iter().map(|name| name.as_str().map(str::to_owned)).collect();
    let Some((first, with)) = names.as_deref().and_then(<[String]>::split_first) else {
        return Err(wrong(format!("{location}.joint"), "expected the name of a joint, or a list of names"));
    };
    let mut of_one = value.clone();
    if let Some(fields) = of_one.as_object_mut() {
        fields.insert("joint".to_owned(), first.as_str().into());
    }
    Ok(StrokeForm { with: with.to_vec(), ..stroke_of(&of_one, location)? })
}

/// Reads a stroke; the error names the dab that is wrong, where one is.
fn stroke_of(value: &Value, location: &str) -> Result<StrokeForm, StrokesError> {
    if let Some(joints) = value.get("joint").and_then(Value::as_array) {
        return stroke_of_several(value, joints, location);
    }
    object(value, location).map_err(|error| {
        let mut dabs = value.get("dabs").and_then(Value::as_array).into_iter().flatten().enumerate();
        let first =
            |(number, dab): (usize, &Value)| object::<DabForm>(dab, &format!("{location}.dabs[{number}]")).err();
        dabs.find_map(first).unwrap_or(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        StrokesFile::parse(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_is_read_back() {
        let dab = DabForm { vertex: Some([0, 1, 77]), pressure: Some(0.25), ..DabForm::default() };
        let at = DabForm { position: Some([0.5, -1.25, 0.0]), time: Some(0.75), ..DabForm::default() };
        let listed = DabForm { weights: Some(vec![(0, 0, 7, 1.0), (0, 1, 2, 0.25)]), ..DabForm::default() };
        let marked = Marked { mesh: 0, primitive: 1, vertices: vec![3, 4] };
        let stroke = StrokeForm {
            brush: Some("add".into()),
            joint: Some("Arm \"L\"".into()),
            radius: Some(0.125),
            accumulate: Some(true),
            max_influences: Some(4),
            locked: Some(vec!["Hips".into()]),
            front_faces: Some(EyeForm { eye: [0.0, 1.0, 4.0], angle: Some(60.0) }),
            mask: Some(MaskForm { vertices: vec![marked] }),
            clip: Some(Named::Name("Walk".into())),
            dabs: Some(vec![dab, at, listed]),
            ..StrokeForm::default()
        };
        let with = vec!["Hand".into(), "#7".into()];
        let second =
            StrokeForm { joint: Some("Arm".into()), with, clip: Some(Named::Number(2)), ..StrokeForm::default() };
        let file = StrokesFile { strokes: vec![stroke, second] };
        let text = file.text();
        assert_eq!(StrokesFile::parse(text.as_bytes()), Ok(file.clone()));
        assert_eq!(text.lines().count(), 4, "{text}");
        assert!(text.contains("\"joint\":[\"Arm\",\"Hand\",\"#7\"]"), "{text}");
        assert!(text.contains("\"weights\":[[0,0,7,1.0],[0,1,2,0.25]]"), "{text}");
        assert!(!text.contains("falloff") && !text.contains("null"), "{text}");
        let utf16: Vec<u8> = [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        let marked: Vec<u8> = b"\xEF\xBB\xBF".iter().copied().chain(text.bytes()).collect();
        for bytes in [utf16, marked] {
            assert_eq!(StrokesFile::parse(&bytes), Ok(file.clone()));
        }
        let nulls =
            r#"{"schema": 1, "strokes": [{"mirror": null, "dabs": null, "front_faces": null, "radius": null}]}"#;
        let plain = StrokesFile { strokes: vec![StrokeForm::default()] };
        assert_eq!(StrokesFile::parse(nulls.as_bytes()), Ok(plain), "null is the same as left out");
    }

    #[test]
    fn what_was_written_once_is_read_to_the_bit() {
        let numbers = [0.1 + 0.2, 1.0 / 3.0, f64::from(0.3_f32), -1e-7 / 3.0, 123_456.789_012_345, -0.0];
        for number in numbers {
            let known = written(number);
            assert!((known - number).abs() <= 1e-9_f64.max(number.abs() * 1e-15), "{number} {known}");
            let stroke = StrokeForm { radius: Some(known), ..StrokeForm::default() };
            let text = StrokesFile { strokes: vec![stroke] }.text();
            let read = StrokesFile::parse(text.as_bytes()).unwrap().strokes[0].radius.unwrap();
            assert_eq!(read.to_bits(), known.to_bits(), "{number}: {text}");
        }
        assert!(written(f64::NAN).is_nan());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_stroke_and_key() {
        let with = |stroke: &str| refused(&format!("{{\"schema\":1,\"strokes\":[{{}},{{{stroke}}}]}}"));
        for (stroke, words) in [
            (r#""brushes":"add""#, "strokes[1].brushes: unknown field `brushes`"),
            (r#""brush":7"#, "strokes[1].brush: "),
            (r#""brush":"add","radius":"wide""#, "strokes[1].radius: "),
            (r#""joint":[]"#, "strokes[1].joint: expected the name of a joint, or a list of names"),
            (r#""joint":["Arm",7]"#, "strokes[1].joint: expected the name of a joint, or a list of names"),
            (r#""joint":["Arm"],"brushes":"add""#, "strokes[1].brushes: unknown field `brushes`"),
            (r#""max_influences":1.5"#, "strokes[1].max_influences: "),
            (r#""clip":-1"#, "strokes[1].clip: expected a name, or a number from 0"),
            (r#""front_faces":{}"#, "strokes[1].front_faces: "),
            (r#""mask":{"vertices":[{"mesh":0}]}"#, "strokes[1].mask: "),
            (r#""dabs":[{"vertex":[0,0,1]},{"vertex":[0,0]}]"#, "strokes[1].dabs[1].vertex: "),
            (r#""dabs":[{"place":[0,0,1]}]"#, "strokes[1].dabs[0].place: unknown field `place`"),
            (r#""dabs":[{"weights":[[0,0,1]]}]"#, "strokes[1].dabs[0].weights: "),
            (r#""dabs":[7]"#, "strokes[1].dabs[0]: expected an object, found 7"),
            (r#""dabs":7"#, "strokes[1].dabs: "),
        ] {
            let said = with(stroke);
            assert!(said.starts_with(words), "{stroke}: {said}");
        }
        for (text, words) in [
            ("[]", "the file: expected an object, found a list of 0"),
            ("{\"strokes\":[]}", "schema: expected 1, found nothing"),
            ("{\"schema\":2,\"strokes\":[]}", "schema: expected 1, found 2"),
            ("{\"schema\":1}", "strokes: expected a list, found nothing"),
            ("{\"schema\":1,\"strokes\":[],\"author\":1}", "author: this key is unknown"),
            ("{\"schema\":1,\"strokes\":[7]}", "strokes[0]: expected an object, found 7"),
            ("{\"schema\":1,\n\"strokes\":[{\"radius\":NaN}]}", "this is no JSON: expected value at line 2"),
        ] {
            let said = refused(text);
            assert!(said.starts_with(words), "{text}: {said}");
        }
    }
}
