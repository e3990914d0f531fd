//! Takes a glTF file apart into its JSON and the bytes of its first buffer, and puts it together again, well or badly.

use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

const JSON_CHUNK: u32 = 0x4E4F_534A;
const BIN_CHUNK: u32 = 0x004E_4942;

/// The two parts of a file.
#[derive(Clone)]
pub struct Document {
    pub root: Value,
    /// The first buffer.
    pub bin: Vec<u8>,
}

impl Document {
    /// Of a GLB, or of a `.gltf` whose first buffer is a data URI or a file in `folder` itself (some of the corpus name
    /// others). `None`: `bytes` are neither.
    pub fn parse(bytes: &[u8], folder: Option<&Path>) -> Option<Self> {
        if !bytes.starts_with(b"glTF") {
            let mut root: Value = serde_json::from_slice(bytes).ok()?;
            let uri = root.get_mut("buffers")?.get_mut(0)?.as_object_mut()?.remove("uri")?;
            let uri = uri.as_str()?;
            let bin = match uri.split_once("base64,") {
                Some((_, text)) => BASE64_STANDARD.decode(text).ok()?,
                None if !uri.contains(['/', '%', ':']) => std::fs::read(folder?.join(uri)).ok()?,
                None => return None,
            };
            return Some(Self { root, bin });
        }
        let word = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes).map(|w| w as usize);
        let json_end = 20 + word(12)?;
        let root = serde_json::from_slice(bytes.get(20..json_end)?).ok()?;
        let bin = match word(json_end) {
            Some(length) => bytes.get(json_end + 8..json_end + 8 + length)?.to_vec(),
            None => Vec::new(),
        };
        Some(Self { root, bin })
    }

    /// A GLB.
    pub fn glb(&self) -> Vec<u8> {
        let mut text = self.root.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut bin = self.bin.clone();
        bin.resize(bin.len().next_multiple_of(4), 0);
        let total = 12 + 8 + text.len() + 8 + bin.len();
        let mut out = Vec::with_capacity(total);
        for word in [0x4654_6C67, 2, total as u32, text.len() as u32, JSON_CHUNK] {
            out.extend_from_slice(&u32::to_le_bytes(word));
        }
        out.extend_from_slice(&text);
        for word in [bin.len() as u32, BIN_CHUNK] {
            out.extend_from_slice(&u32::to_le_bytes(word));
        }
        out.extend_from_slice(&bin);
        out
    }

    /// The JSON of a `.gltf`, with the first buffer as a data URI.
    pub fn gltf(&self) -> Vec<u8> {
        let mut root = self.root.clone();
        if let Some(buffer) = root.get_mut("buffers").and_then(|b| b.get_mut(0)).and_then(Value::as_object_mut) {
            let uri = format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(&self.bin));
            buffer.insert("uri".into(), json!(uri));
        }
        root.to_string().into_bytes()
    }
}
