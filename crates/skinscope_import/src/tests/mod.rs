//! Tests of import on small documents made by hand. The expected values are written out, not computed.

mod accessors;
mod archives;
mod clips;
mod copies;
mod draco;
mod extensions;
mod far;
mod files;
mod images;
mod layers;
mod lights;
mod materials;
mod meshopt;
mod nodes;
mod pointers;
mod primitives;
mod quantized;
mod sharing;
mod skins;
mod sparse;
mod spellings;

use serde_json::{Value, json};
use skinscope_model::Primitive;

use super::error::Warnings;
use super::limits::Budget;
use super::{Import, ImportError, Options, Progress, import_bytes, views};

/// A glTF document under construction, with one buffer.
#[derive(Clone)]
pub(super) struct Doc {
    pub root: Value,
    pub bin: Vec<u8>,
}

impl Doc {
    pub(super) fn new() -> Self {
        let root = json!({ "asset": { "version": "2.0" }, "bufferViews": [], "accessors": [] });
        Self { root, bin: Vec::new() }
    }

    fn push(&mut self, list: &str, item: Value) -> usize {
        let list = self.root[list].as_array_mut().unwrap();
        list.push(item);
        list.len() - 1
    }

    /// Adds a view of `bytes`, aligned to four.
    pub(super) fn view(&mut self, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let offset = self.bin.len();
        self.bin.extend_from_slice(bytes);
        self.push("bufferViews", json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }))
    }

    /// Adds an accessor over all of a new view of `bytes`.
    pub(super) fn accessor(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        let view = self.view(bytes);
        let item = json!({ "bufferView": view, "componentType": component, "type": kind, "count": count });
        self.push("accessors", item)
    }

    /// Adds an accessor of floats; `width` of them make one element of `kind`.
    pub(super) fn floats(&mut self, kind: &str, width: usize, values: &[f32]) -> usize {
        self.accessor(bytemuck::cast_slice(values), F32, kind, values.len() / width)
    }

    pub(super) fn shorts(&mut self, kind: &str, width: usize, values: &[u16]) -> usize {
        self.accessor(bytemuck::cast_slice(values), U16, kind, values.len() / width)
    }

    /// Adds one mesh of one primitive on one node.
    pub(super) fn with_primitive(mut self, primitive: Value) -> Self {
        self.root["meshes"] = json!([{ "primitives": [primitive] }]);
        self.root["nodes"] = json!([{ "mesh": 0 }]);
        self
    }

    /// Returns the finished GLB; its binary chunk is buffer 0.
    pub(super) fn glb(&self) -> Vec<u8> {
        let mut root = self.root.clone();
        if root["buffers"].is_null() {
            root["buffers"] = json!([{ "byteLength": self.bin.len() }]);
        }
        let mut text = root.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut bin = self.bin.clone();
        bin.resize(bin.len().next_multiple_of(4), 0);
        let mut out = Vec::new();
        let total = 12 + 8 + text.len() + 8 + bin.len();
        for word in [0x4654_6C67, 2, total as u32, text.len() as u32, 0x4E4F_534A] {
            out.extend_from_slice(&u32::to_le_bytes(word));
        }
        out.extend_from_slice(&text);
        for word in [bin.len() as u32, 0x004E_4942] {
            out.extend_from_slice(&u32::to_le_bytes(word));
        }
        out.extend_from_slice(&bin);
        out
    }

    pub(super) fn import(&self) -> Result<Import, ImportError> {
        import_bytes(&self.glb(), "test", &Options::default(), &Progress::silent())
    }

    /// Imports a file without warnings and returns its only primitive.
    pub(super) fn primitive(&self) -> Primitive {
        let import = self.import().unwrap();
        assert_eq!(import.warnings, []);
        import.model.meshes[0].primitives[0].clone()
    }

    /// Returns the error's one line.
    pub(super) fn error(&self) -> String {
        self.import().unwrap_err().to_string()
    }

    /// Returns all warnings, line by line.
    pub(super) fn warnings(&self) -> Vec<String> {
        self.import().unwrap().warnings.iter().map(ToString::to_string).collect()
    }
}

pub(super) const I8: u32 = 5120;
pub(super) const U8: u32 = 5121;
pub(super) const I16: u32 = 5122;
pub(super) const U16: u32 = 5123;
pub(super) const U32: u32 = 5125;
pub(super) const F32: u32 = 5126;

/// Corners of a unit square, the last two above the first.
pub(super) const SQUARE: [f32; 12] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0];

#[test]
fn a_panic_ends_the_import_and_not_the_program() {
    let list: [u8; 0] = [];
    let beyond = list.len() + 3;
    let result = super::isolated(|| {
        std::hint::black_box(list[beyond]);
        Err(ImportError::Cancelled)
    });
    assert!(matches!(result, Err(ImportError::Internal)));
}
