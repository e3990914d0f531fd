//! Files that mutants descend from: one made here, the built-in character, `tests/fixtures`, and the corpus where it is.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use skinscope::import::{Options, Progress, import_bytes};

use super::document::Document;
use super::mutate::Seed;

/// Larger files say nothing more, and take the time of a thousand small ones.
const LARGEST: u64 = 1 << 20;

/// All seeds, in an order that is the same on every machine.
pub fn all(corpus: Option<&Path>) -> Vec<Seed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("assets/character.glb")];
    files.extend(listed(&root.join("tests/fixtures")));
    for folder in ["malformed", "models"] {
        files.extend(corpus.map(|c| listed(&c.join(folder))).unwrap_or_default());
    }
    let mut seeds = vec![seed("whole".into(), whole().glb(), None)];
    for path in files {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        seeds.push(seed(name, bytes, path.parent()));
    }
    seeds
}

fn seed(name: String, bytes: Vec<u8>, folder: Option<&Path>) -> Seed {
    let document = Document::parse(&bytes, folder);
    // Of several files one is made, that of the model.
    let whole = document.as_ref().map(Document::glb);
    let opens = import_bytes(whole.as_ref().unwrap_or(&bytes), &name, &Options::default(), &Progress::silent()).is_ok();
    Seed { name, bytes, document, opens }
}

/// The models in a folder and below it, sorted; none where it is not there.
fn listed(folder: &Path) -> Vec<PathBuf> {
    files(folder, &["glb", "gltf"])
}

/// Files with one of these endings in a folder and below it, sorted.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let fits = |p: &Path| endings.iter().any(|e| p.extension().is_some_and(|x| x == *e));
    let (mut open, mut out) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = open.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()) {
            let Ok(facts) = path.symlink_metadata() else { continue };
            if facts.is_dir() {
                open.push(path);
            } else if facts.is_file() && facts.len() <= LARGEST && fits(&path) {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

const U8: u32 = 5121;
const U16: u32 = 5123;
const F32: u32 = 5126;

impl Document {
    fn push(&mut self, list: &str, item: Value) -> usize {
        let list = self.root[list].as_array_mut().unwrap();
        list.push(item);
        list.len() - 1
    }

    /// A view of `bytes`, aligned to four.
    pub fn view(&mut self, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let offset = self.bin.len();
        self.bin.extend_from_slice(bytes);
        self.push("bufferViews", json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }))
    }

    fn accessor(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        let view = self.view(bytes);
        self.push("accessors", json!({ "bufferView": view, "componentType": component, "type": kind, "count": count }))
    }

    fn floats(&mut self, kind: &str, count: usize, values: &[f32]) -> usize {
        self.accessor(bytemuck::cast_slice(values), F32, kind, count)
    }

    /// A document with empty lists.
    pub fn new() -> Self {
        let root = json!({ "asset": { "version": "2.0" }, "bufferViews": [], "accessors": [], "animations": [] });
        Self { root, bin: Vec::new() }
    }
}

/// A skinned, morphed, textured, normal-mapped square, with clips of every interpolation and path.
pub fn whole() -> Document {
    let mut doc = Document::new();
    let square = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0];
    let position = doc.floats("VEC3", 4, &square);
    let normal = doc.floats("VEC3", 4, &[0.0, 0.0, 1.0].repeat(4));
    let uv = doc.floats("VEC2", 4, &[0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    let joints = doc.accessor(&[0, 1, 0, 0].repeat(4), U8, "VEC4", 4);
    let weights = doc.accessor(&[128, 127, 0, 0].repeat(4), U8, "VEC4", 4);
    doc.root["accessors"][weights]["normalized"] = json!(true);
    let indices = doc.accessor(bytemuck::cast_slice(&[0_u16, 1, 2, 1, 3, 2]), U16, "SCALAR", 6);
    let identity = glam::Mat4::IDENTITY.to_cols_array();
    let bind = doc.floats("MAT4", 2, &identity.repeat(2));
    let (at, by) = (doc.view(&[0, 3]), doc.view(bytemuck::cast_slice(&[1.0_f32; 6])));
    let morph = json!({ "componentType": F32, "type": "VEC3", "count": 4, "sparse": {
        "count": 2, "indices": { "bufferView": at, "componentType": U8 }, "values": { "bufferView": by },
    } });
    let morph = doc.push("accessors", morph);
    let picture = doc.view(&picture(image::ImageFormat::Png));
    let photo = doc.view(&picture_of(image::DynamicImage::new_rgb8(16, 9), image::ImageFormat::Jpeg));
    doc.root["images"] = json!([{ "bufferView": picture, "mimeType": "image/png" }, { "bufferView": photo }]);
    doc.root["samplers"] = json!([{ "magFilter": 9728, "minFilter": 9986, "wrapS": 33071, "wrapT": 33648 }]);
    doc.root["textures"] = json!([{ "source": 0, "sampler": 0 }, { "source": 1 }]);
    doc.root["materials"] = json!([{
        "normalTexture": { "index": 0, "scale": 0.5 }, "occlusionTexture": { "index": 1, "strength": 0.5 },
        "pbrMetallicRoughness": { "baseColorTexture": { "index": 1 }, "baseColorFactor": [1, 1, 1, 0.5] },
        "alphaMode": "MASK", "alphaCutoff": 0.3, "emissiveFactor": [1, 0, 0],
    }]);
    let attributes =
        json!({ "POSITION": position, "NORMAL": normal, "TEXCOORD_0": uv, "JOINTS_0": joints, "WEIGHTS_0": weights });
    doc.root["meshes"] = json!([{
        "primitives": [{ "attributes": attributes, "indices": indices, "material": 0, "targets": [{ "POSITION": morph }] }],
        "weights": [0.25], "extras": { "targetNames": ["smile"] },
    }]);
    doc.root["nodes"] = json!([
        { "mesh": 0, "skin": 0 }, { "children": [2], "rotation": [0, 0, 0, 1], "scale": [1, 2, 1] },
        { "matrix": identity }, { "camera": 0 },
    ]);
    doc.root["cameras"] = json!([{ "type": "perspective", "perspective": { "yfov": 0.7, "znear": 0.1 } }]);
    doc.root["scenes"] = json!([{ "nodes": [0, 1] }, { "nodes": [3], "name": "other" }]);
    doc.root["scene"] = json!(0);
    doc.root["skins"] = json!([{ "joints": [1, 2], "inverseBindMatrices": bind, "skeleton": 1 }]);
    animate(&mut doc);
    doc.root["buffers"] = json!([{ "byteLength": doc.bin.len() }]);
    doc
}

fn animate(doc: &mut Document) {
    let times = doc.floats("SCALAR", 2, &[0.0, 1.0]);
    let turns = doc.floats("VEC4", 2, &[0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    let smiles = doc.floats("SCALAR", 2, &[0.0, 1.0]);
    let moves = doc.floats("VEC3", 6, &[0.5; 18]);
    doc.push(
        "animations",
        json!({
            "samplers": [
                { "input": times, "output": turns }, { "input": times, "output": smiles, "interpolation": "STEP" },
                { "input": times, "output": moves, "interpolation": "CUBICSPLINE" },
            ],
            "channels": [
                { "sampler": 0, "target": { "node": 1, "path": "rotation" } },
                { "sampler": 1, "target": { "node": 0, "path": "weights" } },
                { "sampler": 2, "target": { "node": 3, "path": "translation" } },
                { "sampler": 2, "target": { "node": 1, "path": "scale" } },
            ],
        }),
    );
}

/// Payloads of pictures of every kind: those of `tests/fixtures`, and some made here.
pub fn pictures() -> Vec<Vec<u8>> {
    let kinds = [(1, image::ImageFormat::WebP), (2, image::ImageFormat::Png)];
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let payload = |kind: u8, bytes: Vec<u8>| {
        let mut out = vec![0; super::payload::HEAD];
        (out[0], out[1]) = (2, kind);
        out.extend(bytes);
        out
    };
    let mut out: Vec<Vec<u8>> = kinds.into_iter().map(|(kind, format)| payload(kind, picture(format))).collect();
    out.push(payload(3, picture_of(image::DynamicImage::new_rgb8(16, 9), image::ImageFormat::Jpeg)));
    for (kind, ending) in ["ktx2", "webp", "png", "jpg"].into_iter().enumerate() {
        let read = |path| std::fs::read(path).map(|bytes| payload(kind as u8, bytes));
        out.extend(files(&fixtures, &[ending]).into_iter().flat_map(read));
    }
    out
}

/// A small picture with an alpha channel.
pub fn picture(format: image::ImageFormat) -> Vec<u8> {
    let pixels = image::RgbaImage::from_fn(4, 4, |x, y| image::Rgba([x as u8 * 60, y as u8 * 60, 128, 200]));
    picture_of(pixels.into(), format)
}

fn picture_of(pixels: image::DynamicImage, format: image::ImageFormat) -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    pixels.write_to(&mut out, format).unwrap();
    out.into_inner()
}
