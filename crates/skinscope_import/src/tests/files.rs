//! A model read from a file, piece by piece, is the one that is read from memory.

use std::fs::{self, File};
use std::path::PathBuf;

use skinscope_model::Origins;

use super::super::bytes::{Bytes, OpenFile};
use super::super::{import_file, named_files};
use super::*;

/// A folder that is removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("skinscope-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _may_stay = fs::remove_dir_all(&self.0);
    }
}

/// Makes triangles of so many vertices that every list takes several pieces, in all the ways in which lists are stored.
fn long() -> Doc {
    const COUNT: usize = 50_001;
    let mut doc = Doc::new();
    let value = |i: usize, k: usize| (i * 7 + k * 3) as f32 * 0.25;
    // Positions and normals stand side by side, 28 bytes a vertex, after 8 bytes of something else.
    let mut mixed = vec![0_u8; 8];
    for i in 0..COUNT {
        let floats = [value(i, 0), value(i, 1), value(i, 2), 0.0, 1.0, 0.0, f32::NAN];
        mixed.extend_from_slice(bytemuck::cast_slice(&floats));
    }
    let mixed = doc.view(&mixed);
    doc.root["bufferViews"][mixed]["byteStride"] = json!(28);
    for offset in [8, 20] {
        doc.push(
            "accessors",
            json!({ "bufferView": mixed, "byteOffset": offset, "componentType": F32, "type": "VEC3", "count": COUNT }),
        );
    }
    let uvs: Vec<u16> = (0..COUNT * 2).map(|i| (i * 13) as u16).collect();
    let uvs = doc.shorts("VEC2", 2, &uvs);
    doc.root["accessors"][uvs]["normalized"] = json!(true);
    let indices: Vec<u32> = (0..COUNT as u32).rev().collect();
    let indices = doc.accessor(bytemuck::cast_slice(&indices), U32, "SCALAR", COUNT);
    // Every third vertex is displaced, the others stay.
    let (at, by): (Vec<u32>, Vec<f32>) = (0..COUNT as u32).step_by(3).map(|i| (i, value(i as usize, 5))).unzip();
    let by: Vec<f32> = by.iter().flat_map(|v| [*v, -*v, 1.0]).collect();
    let sparse = json!({
        "count": at.len(),
        "indices": { "bufferView": doc.view(bytemuck::cast_slice(&at)), "componentType": U32 },
        "values": { "bufferView": doc.view(bytemuck::cast_slice(&by)) },
    });
    let sparse =
        doc.push("accessors", json!({ "componentType": F32, "type": "VEC3", "count": COUNT, "sparse": sparse }));
    doc.with_primitive(json!({
        "attributes": { "POSITION": 0, "NORMAL": 1, "TEXCOORD_0": uvs },
        "indices": indices,
        "targets": [{ "POSITION": sparse }],
    }))
}

/// Describes the whole model but for where its text and its buffers lie.
fn said(import: Result<Import, ImportError>) -> String {
    let import = import.unwrap();
    let Origins { json, buffers, .. } = &*import.model.source.origins;
    let lies = format!("json: {json:?}, buffers: {buffers:?}, ");
    let said = format!("{:?} {:?}", *import.model, import.warnings);
    assert!(said.contains(&lies));
    said.replace(&lies, "")
}

#[test]
fn a_glb_and_a_gltf_with_its_bin_are_what_their_bytes_are() {
    let (doc, folder) = (long(), Folder::new("files"));
    let from = |path: &std::path::Path| said(import_file(path, &Options::default(), &Progress::silent()));
    let primitive = doc.primitive();
    // Two values are written out: vertex 40 000 lies in another piece than vertex 0, and only every third is displaced.
    assert_eq!(primitive.positions[40_000], glam::Vec3::new(70_000.0, 70_000.75, 70_001.5));
    assert_eq!((primitive.indices[0], primitive.indices[50_000]), (50_000, 0));
    assert_eq!(primitive.uvs[0][40_000].y, f32::from((80_001 * 13) as u16) / 65_535.0);
    assert_eq!(primitive.morphs[0].positions[39_999], glam::Vec3::new(70_002.0, -70_002.0, 1.0));
    assert_eq!(primitive.morphs[0].positions[40_000], glam::Vec3::ZERO);
    let glb = doc.glb();
    let memory = said(import_bytes(&glb, "long.glb", &Options::default(), &Progress::silent()));
    assert_eq!(from(&folder.write("long.glb", &glb)), memory);
    // The file is longer than one that is read as a whole.
    assert!(doc.bin.len() > 1 << 20);
    let mut root = doc.root.clone();
    root["buffers"] = json!([{ "byteLength": doc.bin.len(), "uri": "long.bin" }]);
    let bin = folder.write("long.bin", &doc.bin);
    let gltf = folder.write("long.gltf", root.to_string().as_bytes());
    // Both are the same but that one names a file, which no output may replace, and where its bytes lie.
    let (read, named) = (from(&gltf), format!("files: [{:?}]", bin.canonicalize().unwrap()));
    assert!(memory.contains("files: []") && read.contains(&named));
    assert!(read.replace("long.gltf", "long.glb").replace(&named, "files: []") == memory);
}

#[test]
fn a_file_that_shrinks_while_it_is_read_is_an_error() {
    let folder = Folder::new("shrinks");
    let path = folder.write("short.bin", &[7; 100_000]);
    let file = OpenFile { file: File::open(path).unwrap().into(), name: "short.bin".into() };
    let bytes = |length| Bytes::File { file: &file, start: 0, length };
    assert_eq!(bytes(100_000).read().unwrap()[..], [7; 100_000]);
    let error = bytes(100_001).read().unwrap_err().to_string();
    assert!(error.starts_with("short.bin: cannot be read (it became shorter"), "{error}");
}

#[test]
fn parts_lie_inside() {
    let whole = Bytes::Memory(&[1, 2, 3, 4]);
    assert_eq!(whole.part(1, 2).unwrap().read().unwrap()[..], [2, 3]);
    assert_eq!(whole.part(4, 0).unwrap().len(), 0);
    assert!(whole.part(3, 2).is_none() && whole.part(u64::MAX, 2).is_none());
    assert!(whole.part(1, 2).unwrap().part(1, 2).is_none());
}

#[test]
fn chunks_without_end_are_cut_short() {
    let doc = Doc::new();
    let mut glb = doc.glb();
    for _ in 0..2000 {
        glb.extend_from_slice(&[0, 0, 0, 0, b'J', b'U', b'N', b'K']);
    }
    let length = glb.len() as u32;
    glb[8..12].copy_from_slice(&length.to_le_bytes());
    let import = import_bytes(&glb, "test", &Options::default(), &Progress::silent()).unwrap();
    let last = import.warnings.iter().rfind(|w| w.location == "GLB container").unwrap();
    assert_eq!(last.message, "what follows its first 1000 chunks was ignored");
}

#[test]
fn the_files_that_an_import_waits_for_are_known_before_they_are_there() {
    let folder = Folder::new("awaited");
    let text = r#"{"asset": {"version": "2.0"}, "buffers": [{"byteLength": 4, "uri": "model%20v2.bin"},
        {"byteLength": 1, "uri": "data:;base64,AA=="}], "images": [{"uri": "skin.png"}]}"#;
    let path = folder.write("model.gltf", text.as_bytes());
    let options = Options::default();
    let import = || import_file(&path, &options, &Progress::silent());
    assert!(import().is_err());
    let named = named_files(&path, &options);
    let names: Vec<_> = named.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["model v2.bin", "skin.png"]);
    folder.write("model v2.bin", &[0; 4]);
    assert_eq!(import().unwrap().model.source.files, named);
    folder.write("model.gltf", &text.as_bytes()[..40]);
    assert!(named_files(&path, &options).is_empty());
    assert!(named_files(&folder.0.join("missing.gltf"), &options).is_empty());
}

#[test]
fn a_file_is_named_for_what_it_is_as_a_model_as_a_buffer_and_as_an_image() {
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n";
    let page = "<!DOCTYPE html>\n<html><body>Zoë</body></html>".as_bytes();
    let old = br#"{"asset": {"version": "1.0"}, "nodes": {"a": {"mesh": "b"}}, "meshes": {}}"#;
    let said =
        |bytes: &[u8]| import_bytes(bytes, "test", &Options::default(), &Progress::silent()).unwrap_err().to_string();
    for (bytes, name, advice) in [
        (&pointer[..], "a Git LFS pointer", "run `git lfs pull`"),
        (page, "a web page (HTML)", "download the file itself"),
        (b"Kaydara FBX Binary  \0\x1A\0", "an FBX file (binary)", "export it as glTF 2.0"),
        (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "a Wavefront OBJ file", "export it as glTF 2.0"),
        (old, "a glTF 1.0 file", "convert it to glTF 2.0"),
        (b"glTF\x01\0\0\0\x14\0\0\0\0\0\0\0\0\0\0\0", "a glTF 1.0 file", "convert it to glTF 2.0"),
        (br#"{"asset": {"version": "1.0"}}"#, "a glTF 1.0 file", "convert it to glTF 2.0"),
    ] {
        let said = said(bytes);
        assert!(said.contains(&format!("found {name}; ")) && said.contains(advice), "{said}");
    }
    let folder = std::env::temp_dir().join(format!("skinscope-named-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let open = |name: &str, bytes: &[u8], length: usize| {
        fs::write(folder.join("data.bin"), bytes).unwrap();
        fs::write(folder.join("skin.png"), bytes).unwrap();
        let mut doc = Doc::new();
        doc.root["buffers"] = json!([{ "byteLength": length, "uri": "data.bin" }]);
        doc.root["images"] = json!([{ "uri": "skin.png" }]);
        doc.root["textures"] = json!([{ "source": 0 }]);
        doc.root["materials"] = json!([{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }]);
        fs::write(folder.join(name), doc.root.to_string()).unwrap();
        import_file(&folder.join(name), &Options::default(), &Progress::silent())
    };
    // A pointer is one however short the buffer is that it stands for.
    for (bytes, length, name) in [
        (&pointer[..], 4096, "a Git LFS pointer"),
        (pointer, 16, "a Git LFS pointer"),
        (page, 16, "a web page (HTML)"),
        (b"\x1F\x8B\x08\0", 4096, "a gzip archive"),
    ] {
        let said = open("a.gltf", bytes, length).unwrap_err().to_string();
        let found = format!("found {name} of {} bytes; ", bytes.len());
        assert!(said.starts_with("buffer 0, \"data.bin\": expected the ") && said.contains(&found), "{said}");
    }
    // Numbers may begin as an archive does.
    let import = open("b.gltf", b"\x1F\x8B\x08\0", 4).unwrap();
    let warnings: Vec<String> = import.warnings.iter().map(ToString::to_string).collect();
    assert!(warnings.iter().any(|text| text.contains("it is a gzip archive and neither PNG")), "{warnings:?}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn pixels_that_were_freed_are_decoded_again_from_the_file() {
    let mut doc = Doc::new();
    let view = doc.view(include_bytes!("../../../../tests/fixtures/textures/picture.png"));
    doc.root["images"] = json!([{ "bufferView": view }, { "uri": "own.png" }]);
    doc.root["textures"] = json!([{ "source": 0 }, { "source": 1 }]);
    let folder = Folder::new("freed");
    folder.write("own.png", include_bytes!("../../../../tests/fixtures/textures/picture.png"));
    let path = folder.write("freed.glb", &doc.glb());
    let read = |frees_pixels| {
        let options = Options { frees_pixels, ..Options::default() };
        import_file(&path, &options, &Progress::silent()).unwrap().model
    };
    let (kept, freed) = (read(false), read(true));
    for (kept, freed) in kept.images.iter().zip(&freed.images) {
        kept.free();
        freed.free();
        assert!(kept.is_in_memory() && !freed.is_in_memory() && freed.has_pixels());
        assert!(freed.pixels().is_some() && freed.pixels() == kept.pixels() && freed.is_in_memory());
    }
}
