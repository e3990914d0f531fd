//! A small writer of binary glTF 2.0: one buffer, its views and accessors, and the container around them.
//!
//! The caller owns the document (nodes, meshes, materials …) as JSON and refers to accessors by the numbers it got from
//! [`GlbWriter::push`]; the writer adds `asset`, `buffers`, `bufferViews` and `accessors`.
//!
//! ```text
//! "glTF" 2 length │ length "JSON" … spaces │ length "BIN\0" … zeros      chunks are padded to 4 bytes
//! ```

use glam::{Mat4, Quat, Vec2, Vec3, Vec4};
use serde_json::{Map, Value, json};

/// Values of one accessor.
#[derive(Clone, Copy, Debug)]
pub enum Elements<'a> {
    /// Triangle, line or point indices; stored as u16 where they fit.
    Indices(&'a [u32]),
    /// `JOINTS_n`; stored as u8 where they fit.
    Joints(&'a [[u16; 4]]),
    /// `WEIGHTS_n` as fractions of 65 535; the caller ensures that sums are exact.
    Weights(&'a [[u16; 4]]),
    /// Vertex attributes of two components, such as `TEXCOORD_0`.
    Attribute2(&'a [Vec2]),
    /// Vertex attributes of three components, such as `POSITION`.
    Attribute3(&'a [Vec3]),
    /// Vertex attributes of four components, such as `TANGENT`.
    Attribute4(&'a [Vec4]),
    /// Key times or morph weights.
    Scalars(&'a [f32]),
    /// Translations and scales over time.
    Vec3s(&'a [Vec3]),
    /// Rotations over time, stored x y z w.
    Quats(&'a [Quat]),
    /// Inverse bind matrices.
    Matrices(&'a [Mat4]),
}

/// The reasons why a GLB cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GlbError {
    /// A number is NaN or infinite, which glTF cannot express.
    #[error("accessor {accessor} holds a number that is not finite, which glTF cannot store")]
    NotFinite {
        /// The number of the accessor, from [`GlbWriter::push`].
        accessor: usize,
    },
    /// The file would be longer than the 32-bit lengths of a GLB allow.
    #[error("the file would hold {bytes} bytes, more than the 4 294 967 295 that a GLB can; write a smaller part")]
    TooLarge {
        /// The bytes of the whole file.
        bytes: usize,
    },
    /// The JSON could not be written.
    #[error("the JSON of the file could not be written: {0}")]
    Json(String),
}

/// Collects accessors, then writes the file.
#[derive(Clone, Debug, Default)]
pub struct GlbWriter {
    bin: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    not_finite: Option<usize>,
}

const UNSIGNED_BYTE: u32 = 5121;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

impl GlbWriter {
    /// Makes a writer without accessors.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stores values and returns the number of their accessor.
    pub fn push(&mut self, elements: Elements<'_>) -> usize {
        match elements {
            Elements::Indices(v) if v.iter().all(|i| *i < 0xFFFF) => {
                let bytes = v.iter().flat_map(|i| (*i as u16).to_le_bytes());
                self.store(bytes, v.len(), UNSIGNED_SHORT, "SCALAR", Some(ELEMENT_ARRAY_BUFFER))
            }
            Elements::Indices(v) => {
                let bytes = v.iter().flat_map(|i| i.to_le_bytes());
                self.store(bytes, v.len(), UNSIGNED_INT, "SCALAR", Some(ELEMENT_ARRAY_BUFFER))
            }
            Elements::Joints(v) if v.iter().flatten().all(|j| *j <= 0xFF) => {
                let bytes = v.iter().flatten().map(|j| *j as u8);
                self.store(bytes, v.len(), UNSIGNED_BYTE, "VEC4", Some(ARRAY_BUFFER))
            }
            Elements::Joints(v) => {
                let bytes = v.iter().flatten().flat_map(|j| j.to_le_bytes());
                self.store(bytes, v.len(), UNSIGNED_SHORT, "VEC4", Some(ARRAY_BUFFER))
            }
            Elements::Weights(v) => {
                let bytes = v.iter().flatten().flat_map(|w| w.to_le_bytes());
                let index = self.store(bytes, v.len(), UNSIGNED_SHORT, "VEC4", Some(ARRAY_BUFFER));
                self.accessors[index]["normalized"] = json!(true);
                index
            }
            Elements::Attribute2(v) => self.floats(v.iter().map(Vec2::to_array), "VEC2", Some(ARRAY_BUFFER)),
            Elements::Attribute3(v) => self.floats(v.iter().map(Vec3::to_array), "VEC3", Some(ARRAY_BUFFER)),
            Elements::Attribute4(v) => self.floats(v.iter().map(Vec4::to_array), "VEC4", Some(ARRAY_BUFFER)),
            Elements::Scalars(v) => self.floats(v.iter().map(|s| [*s]), "SCALAR", None),
            Elements::Vec3s(v) => self.floats(v.iter().map(Vec3::to_array), "VEC3", None),
            Elements::Quats(v) => self.floats(v.iter().map(|q| q.to_array()), "VEC4", None),
            Elements::Matrices(v) => self.floats(v.iter().map(Mat4::to_cols_array), "MAT4", None),
        }
    }

    /// Stores bytes that no accessor reads, such as those of an image, and returns the number of their view.
    pub(crate) fn push_bytes(&mut self, bytes: &[u8]) -> usize {
        let offset = self.bin.len();
        self.bin.extend_from_slice(bytes);
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        self.views.push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }));
        self.views.len() - 1
    }

    /// Adds floats with their bounds, which `POSITION` and key times must have; elsewhere they do no harm.
    fn floats<const N: usize>(
        &mut self,
        values: impl Iterator<Item = [f32; N]> + Clone,
        kind: &str,
        target: Option<u32>,
    ) -> usize {
        let (mut low, mut high, mut count) = ([f32::INFINITY; N], [f32::NEG_INFINITY; N], 0);
        let mut finite = true;
        for value in values.clone() {
            for (i, x) in value.into_iter().enumerate() {
                finite &= x.is_finite();
                low[i] = low[i].min(x);
                high[i] = high[i].max(x);
            }
            count += 1;
        }
        let index = self.store(values.flatten().flat_map(f32::to_le_bytes), count, FLOAT, kind, target);
        if !finite {
            self.not_finite.get_or_insert(index);
        } else if count > 0 && N < 16 {
            self.accessors[index]["min"] = json!(low.to_vec());
            self.accessors[index]["max"] = json!(high.to_vec());
        }
        index
    }

    fn store(
        &mut self,
        bytes: impl Iterator<Item = u8>,
        count: usize,
        component: u32,
        kind: &str,
        target: Option<u32>,
    ) -> usize {
        let offset = self.bin.len();
        self.bin.extend(bytes);
        let mut view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": self.bin.len() - offset });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        // Every accessor starts at a multiple of its component's size.
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        self.views.push(view);
        self.accessors.push(json!({
            "bufferView": self.views.len() - 1, "componentType": component, "count": count, "type": kind,
        }));
        self.accessors.len() - 1
    }

    /// Returns the bytes of the file: `document` with `buffers`, `bufferViews` and `accessors` added, and missing
    /// members of `asset` filled in.
    ///
    /// # Errors
    /// A number is not finite, or the file would be longer than 4 GiB.
    pub fn finish(self, mut document: Map<String, Value>) -> Result<Vec<u8>, GlbError> {
        if let Some(accessor) = self.not_finite {
            return Err(GlbError::NotFinite { accessor });
        }
        let mut asset = match document.remove("asset") {
            Some(Value::Object(asset)) => asset,
            _ => Map::new(),
        };
        asset.insert("version".into(), json!("2.0"));
        asset.entry("generator").or_insert_with(|| json!(concat!("skinscope ", env!("CARGO_PKG_VERSION"))));
        document.insert("asset".into(), Value::Object(asset));
        if !self.bin.is_empty() {
            document.insert("buffers".into(), json!([{ "byteLength": self.bin.len() }]));
            document.insert("bufferViews".into(), Value::Array(self.views));
            document.insert("accessors".into(), Value::Array(self.accessors));
        }
        let mut text = serde_json::to_vec(&document).map_err(|e| GlbError::Json(e.to_string()))?;
        text.resize(text.len().next_multiple_of(4), b' ');
        let bin_chunk = if self.bin.is_empty() { 0 } else { 8 + self.bin.len() };
        let bytes = 12 + 8 + text.len() + bin_chunk;
        let length = u32::try_from(bytes).map_err(|_| GlbError::TooLarge { bytes })?;
        let mut out = Vec::with_capacity(bytes);
        out.extend(b"glTF");
        out.extend(2_u32.to_le_bytes());
        out.extend(length.to_le_bytes());
        out.extend((text.len() as u32).to_le_bytes());
        out.extend(b"JSON");
        out.extend(text);
        if !self.bin.is_empty() {
            out.extend((self.bin.len() as u32).to_le_bytes());
            out.extend(b"BIN\0");
            out.extend(self.bin);
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(json: Value) -> Map<String, Value> {
        json.as_object().unwrap().clone()
    }

    /// Returns the JSON and the binary chunk; the container is checked on the way.
    fn take_apart(file: &[u8]) -> (Value, &[u8]) {
        let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&file[..4], word(4), word(8)), (&b"glTF"[..], 2, file.len()));
        assert_eq!((word(12) % 4, &file[16..20]), (0, &b"JSON"[..]));
        let json = serde_json::from_slice(&file[20..20 + word(12)]).unwrap();
        let rest = &file[20 + word(12)..];
        if rest.is_empty() {
            return (json, rest);
        }
        assert_eq!(&rest[4..8], b"BIN\0");
        assert_eq!(u32::from_le_bytes(rest[..4].try_into().unwrap()) as usize, rest.len() - 8);
        (json, &rest[8..])
    }

    #[test]
    fn accessors_say_where_their_bytes_are() {
        let mut writer = GlbWriter::new();
        let indices = writer.push(Elements::Indices(&[0, 1, 2]));
        let positions = writer.push(Elements::Attribute3(&[Vec3::new(1.0, -2.0, 3.0), Vec3::new(0.5, 4.0, -1.0)]));
        let file = writer.finish(document(json!({ "asset": { "copyright": "mine" } }))).unwrap();
        let (json, bin) = take_apart(&file);
        assert_eq!((indices, positions), (0, 1));
        assert_eq!(json["asset"]["version"], "2.0");
        assert_eq!(json["asset"]["copyright"], "mine");
        // Three u16 and two bytes of padding come first, then six floats.
        assert_eq!(json["buffers"][0]["byteLength"], 32);
        assert_eq!(bin[..8], [0, 0, 1, 0, 2, 0, 0, 0]);
        assert_eq!(json["bufferViews"][0], json!({ "buffer": 0, "byteOffset": 0, "byteLength": 6, "target": 34963 }));
        assert_eq!(json["bufferViews"][1], json!({ "buffer": 0, "byteOffset": 8, "byteLength": 24, "target": 34962 }));
        assert_eq!(bin[8..12], 1.0_f32.to_le_bytes());
        assert_eq!(
            json["accessors"][1],
            json!({ "bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3",
                "min": [0.5, -2.0, -1.0], "max": [1.0, 4.0, 3.0] })
        );
    }

    #[test]
    fn small_numbers_take_small_types() {
        let mut writer = GlbWriter::new();
        writer.push(Elements::Indices(&[0xFFFE]));
        // 0xFFFF would be a primitive restart as u16.
        writer.push(Elements::Indices(&[0xFFFF]));
        writer.push(Elements::Joints(&[[255, 0, 0, 0]]));
        writer.push(Elements::Joints(&[[256, 0, 0, 0]]));
        writer.push(Elements::Weights(&[[65_535, 0, 0, 0]]));
        let file = writer.finish(Map::new()).unwrap();
        let (json, bin) = take_apart(&file);
        let types: Vec<u64> =
            json["accessors"].as_array().unwrap().iter().map(|a| a["componentType"].as_u64().unwrap()).collect();
        assert_eq!(types, [5123, 5125, 5121, 5123, 5123]);
        assert_eq!(json["accessors"][4]["normalized"], true);
        assert_eq!(bin.len(), 4 + 4 + 4 + 8 + 8);
    }

    #[test]
    fn every_view_starts_on_a_word() {
        let mut writer = GlbWriter::new();
        for n in 1..6 {
            writer.push(Elements::Indices(&vec![7; n]));
            writer.push(Elements::Scalars(&vec![0.5; n]));
        }
        let file = writer.finish(Map::new()).unwrap();
        let (json, _) = take_apart(&file);
        let views = json["bufferViews"].as_array().unwrap();
        assert!(views.iter().all(|v| v["byteOffset"].as_u64().unwrap() % 4 == 0));
    }

    #[test]
    fn what_is_not_finite_is_refused_by_name() {
        let mut writer = GlbWriter::new();
        writer.push(Elements::Scalars(&[1.0]));
        writer.push(Elements::Attribute3(&[Vec3::NAN]));
        assert_eq!(writer.finish(Map::new()), Err(GlbError::NotFinite { accessor: 1 }));
    }

    #[test]
    fn a_file_without_accessors_has_no_buffer() {
        let file = GlbWriter::new().finish(document(json!({ "nodes": [{ "name": "only" }] }))).unwrap();
        let (json, bin) = take_apart(&file);
        assert!(bin.is_empty() && json.get("buffers").is_none());
        assert_eq!(json["nodes"][0]["name"], "only");
    }
}
