//! Measures what an import has allocated at once, counted by the allocator itself: a file is never in memory together
//! with what it becomes.
#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

use std::path::{Path, PathBuf};

use glam::{Vec2, Vec3};
use serde_json::{Value, json};
use skinscope::export::glb::{Elements, GlbWriter};
use skinscope::import::{Import, Options, Progress, import_bytes, import_file};

use crate::counting::{self, alone};

/// The result, and the most bytes that lived at once beyond those before.
fn counted(import: impl FnOnce() -> Import) -> (Import, usize) {
    counting::restart();
    let before = counting::peak();
    let import = import();
    (import, counting::peak() - before)
}

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("import_memory");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

const VERTICES: usize = 200_000;

/// Points with a direction and a place in a picture, as floats in lists of their own.
fn cloud(writer: &mut GlbWriter) -> Value {
    let positions: Vec<Vec3> = (0..VERTICES).map(|i| Vec3::new(i as f32, (i % 7) as f32, 1.0)).collect();
    let indices: Vec<u32> = (0..VERTICES as u32).collect();
    json!({
        "attributes": {
            "POSITION": writer.push(Elements::Attribute3(&positions)),
            "NORMAL": writer.push(Elements::Attribute3(&vec![Vec3::Y; VERTICES])),
            "TEXCOORD_0": writer.push(Elements::Attribute2(&vec![Vec2::ONE; VERTICES])),
        },
        "indices": writer.push(Elements::Indices(&indices)),
        "mode": 0,
    })
}

fn document(primitive: Value) -> serde_json::Map<String, Value> {
    let root =
        json!({ "nodes": [{ "mesh": 0 }], "meshes": [{ "primitives": [primitive] }], "scenes": [{ "nodes": [0] }] });
    root.as_object().unwrap().clone()
}

/// Lists of 12 + 12 + 8 + 4 bytes a vertex.
const LISTS: usize = VERTICES * 36;

/// What may come on top, whatever the size of the file: a piece of it for each list that is being read, the document,
/// names.
const BESIDE: usize = 512 << 10;

#[test]
fn vertices_take_their_own_room_and_no_more() {
    let _alone = alone();
    let mut writer = GlbWriter::new();
    let primitive = cloud(&mut writer);
    let glb = writer.finish(document(primitive)).unwrap();
    assert!(glb.len() > LISTS, "the file holds the lists as they are");
    let path = file("cloud.glb", &glb);
    let silent = Progress::silent();
    let (import, peak) = counted(|| import_file(&path, &Options::default(), &silent).unwrap());
    assert_eq!(import.model.meshes[0].primitives[0].positions[VERTICES - 1].x, (VERTICES - 1) as f32);
    assert!(peak >= LISTS, "the counter counts: {peak}");
    assert!(peak <= LISTS + BESIDE, "{peak} bytes from a file, {LISTS} stay");
    // The same where the file is in memory: it is borrowed.
    let (_, peak) = counted(|| import_bytes(&glb, "cloud", &Options::default(), &silent).unwrap());
    assert!(peak <= LISTS + BESIDE, "{peak} bytes from memory, {LISTS} stay");
}

#[test]
fn a_png_becomes_its_picture_and_nothing_else() {
    let _alone = alone();
    const SIDE: usize = 1024;
    // Three channels of noise: no smaller in the file than decoded.
    let mut state = 1_u32;
    let noise = (0..SIDE * SIDE * 3).map(|_| {
        state = state.wrapping_mul(0x915F_77F5).wrapping_add(0x1234_567B);
        (state >> 24) as u8
    });
    let mut png = std::io::Cursor::new(Vec::new());
    let picture = image::RgbImage::from_raw(SIDE as u32, SIDE as u32, noise.collect()).unwrap();
    picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
    assert!(png.get_ref().len() >= SIDE * SIDE * 3);
    let path = file("noise.png", png.get_ref());
    let mut root = document(json!({ "attributes": {}, "material": 0 }));
    root.insert("asset".into(), json!({ "version": "2.0" }));
    root.insert("images".into(), json!([{ "uri": "noise.png" }]));
    root.insert("textures".into(), json!([{ "source": 0 }]));
    root.insert("materials".into(), json!([{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }]));
    let path = path.with_file_name("noise.gltf");
    std::fs::write(&path, Value::Object(root).to_string()).unwrap();
    let (import, peak) = counted(|| import_file(&path, &Options::default(), &Progress::silent()).unwrap());
    let pixels = import.model.images[0].pixels().unwrap();
    assert_eq!(pixels.levels()[0][..4], [picture[(0, 0)].0[0], picture[(0, 0)].0[1], picture[(0, 0)].0[2], 255]);
    assert!(peak >= SIDE * SIDE * 4, "the counter counts: {peak}");
    assert!(peak <= SIDE * SIDE * 4 + (1 << 20), "{peak} bytes, {} stay", SIDE * SIDE * 4);
}
