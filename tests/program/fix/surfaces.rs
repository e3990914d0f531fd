//! Where the surface goes on and where it only touches itself.

use serde_json::json;

use crate::fix::compare::same_dense;
use crate::fix::made::{COLUMNS, Doc, F32, Layout, ROWS, VERTICES, pairs};
use crate::fix::operations::cut;
use crate::fix::reader::File;
use crate::fix::{folder, reference, report};

/// Gives the vertices of a primitive of a document other positions.
pub fn put_positions(doc: &mut Doc, primitive: usize, positions: &[[f32; 3]]) {
    let accessor = doc.root["meshes"][0]["primitives"][primitive]["attributes"]["POSITION"].as_u64().unwrap() as usize;
    let view = doc.root["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
    let start = doc.root["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize;
    let bytes: Vec<u8> = positions.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
    doc.bin[start..start + bytes.len()].copy_from_slice(&bytes);
    for (name, pick) in [("min", f32::min as fn(f32, f32) -> f32), ("max", f32::max)] {
        let of = |axis: usize| positions.iter().map(|p| p[axis]).reduce(pick).unwrap();
        doc.root["accessors"][accessor][name] = json!([of(0), of(1), of(2)]);
    }
}

/// Two sheets, each with positions of its own.
fn two(place: [&dyn Fn(usize) -> [f32; 3]; 2]) -> Doc {
    let mut doc = Doc::new(&pairs(F32, 1, false, 5), Layout::Plain);
    doc.add_beside(&pairs(F32, 1, false, 6));
    for (primitive, place) in place.into_iter().enumerate() {
        put_positions(&mut doc, primitive, &(0..VERTICES).map(place).collect::<Vec<_>>());
    }
    doc
}

/// A profile of four rows drawn out along x.
fn drawn(profile: [[f32; 2]; ROWS]) -> impl Fn(usize) -> [f32; 3] {
    move |vertex| {
        let [y, z] = profile[vertex / COLUMNS];
        [(vertex % COLUMNS) as f32 * 0.5, y, z]
    }
}

#[test]
fn lips_that_touch_are_smoothed_each_alone() {
    // Both come from in front to where they touch, and go back into the mouth; one above, one below.
    let upper = drawn([[2.0, 1.0], [0.0, 0.0], [2.0, -1.0], [4.0, -1.0]]);
    let lower = drawn([[-4.0, -1.0], [-2.0, -1.0], [0.0, 0.0], [-2.0, 1.0]]);
    let folder = folder("lips");
    let doc = two([&upper, &lower]);
    std::fs::write(folder.join("a.glb"), doc.glb()).unwrap();
    for times in [1, 3] {
        report(&folder, &["a.glb", "-o", "out.glb", "--smooth", &times.to_string()]);
        let (old, new) = (File::open(&folder.join("a.glb")), File::open(&folder.join("out.glb")));
        for primitive in [0, 1] {
            let before = reference::vertices(&old.pairs(0, primitive).unwrap());
            let expected = cut(reference::smooth(&before, times), 4);
            same_dense(&format!("lip {primitive}, {times} times"), &new.pairs(0, primitive).unwrap(), &expected);
        }
    }
}

#[test]
fn a_seam_that_is_smoothed_stays_closed() {
    let folder = folder("smooth seam");
    // Flat, and folded by a right angle along the border of the two sheets.
    for (name, lift) in [("flat", 0.0), ("fold", 1.0)] {
        let left = |v: usize| [(v % COLUMNS) as f32, (v / COLUMNS) as f32, 0.0];
        let right = |v: usize| {
            let along = (v % COLUMNS) as f32;
            [(COLUMNS - 1) as f32 + along * (1.0 - lift), (v / COLUMNS) as f32, along * lift]
        };
        std::fs::write(folder.join("a.glb"), two([&left, &right]).glb()).unwrap();
        report(&folder, &["a.glb", "-o", "out.glb", "--smooth", "2"]);
        let new = File::open(&folder.join("out.glb"));
        let [a, b] = [0, 1].map(|primitive| reference::vertices(&new.pairs(0, primitive).unwrap()));
        for row in 0..ROWS {
            let (last, first) = (row * COLUMNS + COLUMNS - 1, row * COLUMNS);
            let [one, other] = [reference::dense(&a[last]), reference::dense(&b[first])];
            assert!(one.iter().zip(&other).all(|(x, y)| (x - y).abs() < 1e-6), "{name}, row {row}: {one:?}, {other:?}");
        }
    }
}
