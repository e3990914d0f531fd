//! `KHR_mesh_quantization`: every format of its tables (sections *Extending Mesh Attributes* and *Extending Morph Target
//! Attributes*), with values written out.

use glam::{Vec2, Vec3, Vec4};

use super::*;

/// Returns the numbers of three elements of three, in the units of a format, and the largest number.
fn stored(component: u32) -> ([i32; 9], f32) {
    match component {
        I8 => ([127, -127, 0, -128, 64, 1, 2, 3, -4], 127.0),
        U8 => ([255, 0, 128, 1, 2, 3, 4, 5, 6], 255.0),
        I16 => ([32767, -32767, 0, -32768, 16384, 1, 2, 3, -4], 32767.0),
        _ => ([65535, 0, 32768, 1, 2, 3, 4, 5, 6], 65535.0),
    }
}

/// Returns the value of such a number, normalised or plain.
fn meant(number: i32, most: f32, normalized: bool) -> f32 {
    if normalized { (number as f32 / most).max(-1.0) } else { number as f32 }
}

/// Adds three elements of `width` numbers out of `numbers`, each padded to four bytes.
fn padded(doc: &mut Doc, component: u32, normalized: bool, numbers: &[i32], width: usize) -> usize {
    let size = if matches!(component, I8 | U8) { 1 } else { 2 };
    let stride = (width * size).next_multiple_of(4);
    let mut bytes = Vec::new();
    for element in numbers.chunks(width) {
        let start = bytes.len();
        element.iter().for_each(|n| bytes.extend_from_slice(&n.to_le_bytes()[..size]));
        bytes.resize(start + stride, 0xEE);
    }
    let kind = format!("VEC{width}");
    let index = doc.accessor(&bytes, component, &kind, numbers.len() / width);
    let view = doc.root["accessors"][index]["bufferView"].as_u64().unwrap() as usize;
    doc.root["bufferViews"][view]["byteStride"] = json!(stride);
    doc.root["accessors"][index]["normalized"] = json!(normalized);
    index
}

/// Makes a triangle with one attribute more, in a file that announces the extension.
fn triangle(doc: Doc, name: &str, accessor: usize, target: bool) -> Doc {
    let mut doc = doc;
    let position = doc.floats("VEC3", 3, &SQUARE[..9]);
    let mut primitive = json!({ "attributes": { "POSITION": position } });
    if target {
        primitive["targets"] = json!([{ name: accessor }]);
    } else {
        primitive["attributes"][name] = json!(accessor);
    }
    let mut doc = doc.with_primitive(primitive);
    doc.root["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
    doc.root["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    doc
}

#[test]
fn positions_and_coordinates_come_in_every_format_of_the_extension() {
    for component in [I8, U8, I16, U16] {
        for normalized in [false, true] {
            let (numbers, most) = stored(component);
            let want = numbers.map(|n| meant(n, most, normalized));
            let mut doc = Doc::new();
            let position = padded(&mut doc, component, normalized, &numbers, 3);
            let primitive = triangle(doc, "POSITION", position, false).primitive();
            let want3: Vec<Vec3> = want.as_chunks::<3>().0.iter().map(|v| Vec3::from_array(*v)).collect();
            assert_eq!(primitive.positions, want3, "{component} {normalized}");
            let mut doc = Doc::new();
            let uv = padded(&mut doc, component, normalized, &numbers[..6], 2);
            let primitive = triangle(doc, "TEXCOORD_0", uv, false).primitive();
            let want2: Vec<Vec2> = want[..6].as_chunks::<2>().0.iter().map(|v| Vec2::from_array(*v)).collect();
            assert_eq!(primitive.uvs[0], want2, "{component} {normalized}");
        }
    }
}

#[test]
fn directions_come_in_signed_fractions_of_both_widths() {
    for (component, most, half) in [(I8, 127, 64), (I16, 32767, 16384)] {
        let mut doc = Doc::new();
        let normal = padded(&mut doc, component, true, &[0, most, 0, -most, 0, 0, half, 0, half], 3);
        let normals = triangle(doc, "NORMAL", normal, false).primitive().normals;
        let slant = Vec3::new(1.0, 0.0, 1.0).normalize();
        assert!(normals[0] == Vec3::Y && normals[1] == Vec3::NEG_X, "{normals:?}");
        assert!(normals[2].distance(slant) < 1e-6, "{normals:?}");
        let mut doc = Doc::new();
        let numbers = [most, 0, 0, most, 0, 0, -most, -most, 0, most, 0, most];
        let tangent = padded(&mut doc, component, true, &numbers, 4);
        let normal = doc.floats("VEC3", 3, &[0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        let mut doc = triangle(doc, "TANGENT", tangent, false);
        doc.root["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = json!(normal);
        let tangents = doc.primitive().tangents;
        let want = [Vec4::new(1.0, 0.0, 0.0, 1.0), Vec4::new(0.0, 0.0, -1.0, -1.0), Vec4::new(0.0, 1.0, 0.0, 1.0)];
        assert_eq!(tangents, want);
        for name in ["NORMAL", "TANGENT"] {
            let mut doc = Doc::new();
            let plain = padded(&mut doc, component, false, &numbers, if name == "NORMAL" { 3 } else { 4 });
            let error = triangle(doc, name, plain, false).import().map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
        }
    }
}

#[test]
fn displacements_come_in_every_format_of_the_extension() {
    for component in [I8, I16] {
        let (numbers, most) = stored(component);
        for normalized in [false, true] {
            let want = numbers.map(|n| meant(n, most, normalized));
            let want: Vec<Vec3> = want.as_chunks::<3>().0.iter().map(|v| Vec3::from_array(*v)).collect();
            let mut doc = Doc::new();
            let target = padded(&mut doc, component, normalized, &numbers, 3);
            let morphs = triangle(doc.clone(), "POSITION", target, true).primitive().morphs;
            assert_eq!(morphs[0].positions, want, "{component} {normalized}");
            if normalized {
                let of = |name: &str| triangle(doc.clone(), name, target, true).primitive().morphs.remove(0);
                assert_eq!((of("NORMAL").normals, of("TANGENT").tangents), (want.clone(), want), "{component}");
            }
        }
    }
}
