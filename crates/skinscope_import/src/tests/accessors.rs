//! Tests of accessors: conversion, strides, sparse elements, ranges.

use std::collections::BTreeMap;

use bytemuck::Pod;
use gltf::json::Index;
use serde_json::json;

use super::super::Limits;
use super::super::accessor::Store;
use super::super::bytes::Bytes;
use super::*;

/// Reads accessor `index` through a store of its own, as `N` floats in each element.
fn read<T: Pod, const N: usize>(doc: &Doc, index: u32) -> Result<Vec<T>, ImportError> {
    let mut root = doc.root.clone();
    root["buffers"] = json!([{ "byteLength": doc.bin.len() }]);
    let root = serde_json::from_value(root).unwrap();
    let buffers = [Bytes::Memory(&doc.bin)];
    let budget = Budget::new("bytes", 1 << 20);
    let (views, _) = views::read(&root, &buffers, &budget, &Warnings::default(), &Progress::silent())?;
    let store = Store::new((&root, &BTreeMap::new()), &views, &Limits::default(), &budget, &Warnings::default())?;
    let location = || "test".to_owned();
    store.floats::<T, N>(store.accessor(Index::new(index), &location)?, &location)
}

fn scalars(doc: &Doc) -> Vec<f32> {
    read::<f32, 1>(doc, 0).unwrap()
}

/// Reads one accessor of scalars.
fn scalar(component: u32, bytes: &[u8], count: usize, normalized: bool) -> Doc {
    let mut doc = Doc::new();
    doc.accessor(bytes, component, "SCALAR", count);
    doc.root["accessors"][0]["normalized"] = json!(normalized);
    doc
}

#[test]
fn integers_convert_as_the_specification_says() {
    // By glTF 2.0, 3.11 it is c / max, and no less than -1.
    let bytes = |values: &[i8]| values.iter().map(|v| v.to_le_bytes()[0]).collect::<Vec<u8>>();
    assert_eq!(scalars(&scalar(I8, &bytes(&[-128, -127, 0, 127]), 4, true)), [-1.0, -1.0, 0.0, 1.0]);
    assert_eq!(scalars(&scalar(I8, &bytes(&[-128, 5]), 2, false)), [-128.0, 5.0]);
    assert_eq!(scalars(&scalar(U8, &[0, 51, 255], 3, true)), [0.0, 0.2, 1.0]);
    assert_eq!(scalars(&scalar(U8, &[0, 51, 255], 3, false)), [0.0, 51.0, 255.0]);
    let shorts: [i16; 3] = [-32768, -32767, 32767];
    assert_eq!(scalars(&scalar(I16, bytemuck::cast_slice(&shorts), 3, true)), [-1.0, -1.0, 1.0]);
    let shorts: [u16; 3] = [0, 13107, 65535];
    assert_eq!(scalars(&scalar(U16, bytemuck::cast_slice(&shorts), 3, true)), [0.0, 0.2, 1.0]);
    assert_eq!(scalars(&scalar(F32, bytemuck::cast_slice(&[1.5_f32, -2.0]), 2, false)), [1.5, -2.0]);
}

/// ```text
/// bytes  0   4   8   12  16  20  24  28
///        .   p0x p0y .   .   p1x p1y          stride 16, offset 4
/// ```
#[test]
fn strided_elements_are_picked_and_the_last_may_end_early() {
    let mut doc = Doc::new();
    let numbers: [f32; 7] = [9.0, 1.0, 2.0, 9.0, 9.0, 3.0, 4.0];
    doc.accessor(bytemuck::cast_slice(&numbers), F32, "VEC2", 2);
    doc.root["bufferViews"][0]["byteStride"] = json!(16);
    doc.root["accessors"][0]["byteOffset"] = json!(4);
    assert_eq!(read::<[f32; 2], 2>(&doc, 0).unwrap(), [[1.0, 2.0], [3.0, 4.0]]);
    // One element more would end 16 bytes beyond the view.
    doc.root["accessors"][0]["count"] = json!(3);
    let error = read::<[f32; 2], 2>(&doc, 0).unwrap_err().to_string();
    assert!(error.contains("accessor 0: expected 44 bytes") && error.contains("found 28 bytes"), "{error}");
}

#[test]
fn sparse_elements_replace_those_of_the_base_or_zeros() {
    let mut doc = Doc::new();
    doc.floats("SCALAR", 1, &[1.0, 2.0, 3.0, 4.0]);
    let indices = doc.view(&[1, 3]);
    let values = doc.view(bytemuck::cast_slice(&[20.0_f32, 40.0]));
    doc.root["accessors"][0]["sparse"] = json!({
        "count": 2,
        "indices": { "bufferView": indices, "componentType": U8 },
        "values": { "bufferView": values },
    });
    assert_eq!(scalars(&doc), [1.0, 20.0, 3.0, 40.0]);
    doc.root["accessors"][0].as_object_mut().unwrap().remove("bufferView");
    assert_eq!(scalars(&doc), [0.0, 20.0, 0.0, 40.0]);
    doc.root["accessors"][0]["count"] = json!(3);
    let error = read::<f32, 1>(&doc, 0).unwrap_err().to_string();
    assert!(error.starts_with("accessor 0, sparse indices: expected indices below 3, found 3"), "{error}");
}

#[test]
fn sparse_elements_begin_where_their_offsets_say() {
    let mut doc = Doc::new();
    doc.floats("SCALAR", 1, &[1.0, 2.0, 3.0, 4.0]);
    let indices = doc.view(&[0, 2, 1, 3]);
    let values = doc.view(bytemuck::cast_slice(&[7.0_f32, 20.0, 40.0]));
    doc.root["accessors"][0]["sparse"] = json!({
        "count": 2,
        "indices": { "bufferView": indices, "byteOffset": 2, "componentType": U8 },
        "values": { "bufferView": values, "byteOffset": 4 },
    });
    assert_eq!(scalars(&doc), [1.0, 20.0, 3.0, 40.0]);
}

#[test]
fn ranges_are_exact_and_cannot_overflow() {
    let doc = scalar(F32, &[0; 12], 3, false);
    assert_eq!(scalars(&doc), [0.0; 3]);
    let fails = |change: &dyn Fn(&mut Value)| {
        let mut doc = doc.clone();
        change(&mut doc.root);
        assert!(read::<f32, 1>(&doc, 0).is_err(), "{}", doc.root);
    };
    fails(&|r| r["accessors"][0]["count"] = json!(4));
    fails(&|r| r["accessors"][0]["byteOffset"] = json!(1));
    fails(&|r| r["accessors"][0]["byteOffset"] = json!(u64::MAX - 3));
    fails(&|r| r["accessors"][0]["count"] = json!(u64::MAX));
    fails(&|r| r["bufferViews"][0]["byteLength"] = json!(13));
    fails(&|r| r["bufferViews"][0]["byteOffset"] = json!(u64::MAX));
    fails(&|r| r["bufferViews"][0]["byteStride"] = json!(2));
    fails(&|r| r["bufferViews"][0]["byteStride"] = json!(0));
    fails(&|r| r["accessors"][0]["componentType"] = json!(5124));
    fails(&|r| r["accessors"][0]["bufferView"] = json!(1));
}

#[test]
fn zeros_and_all_decoded_bytes_are_bounded() {
    let mut doc = Doc::new();
    doc.root["accessors"] = json!([{ "componentType": F32, "type": "SCALAR", "count": (16 << 20) + 1 }]);
    assert!(matches!(read::<f32, 1>(&doc, 0), Err(ImportError::Limit { limit: 0x0400_0000, .. })));
    doc.root["accessors"][0]["count"] = json!((1 << 18) + 1);
    assert!(matches!(read::<f32, 1>(&doc, 0), Err(ImportError::Limit { limit: 0x10_0000, .. })));
    doc.root["accessors"][0]["count"] = json!(1 << 18);
    assert_eq!(read::<f32, 1>(&doc, 0).unwrap().len(), 1 << 18);
}

#[test]
fn bytes_out_of_line_are_read_and_listed() {
    let mut doc = Doc::new();
    let position = doc.floats("VEC3", 3, &SQUARE);
    doc.bin.insert(0, 0);
    doc.root["bufferViews"][position]["byteOffset"] = json!(1);
    let doc = doc.with_primitive(json!({ "attributes": { "POSITION": position } , "mode": 5 }));
    assert_eq!(doc.import().unwrap().model.meshes[0].primitives[0].positions[3].to_array(), [1.0, 1.0, 0.0]);
    assert_eq!(doc.warnings(), ["accessor 0: its bytes start at 1, not aligned to its components"]);
}

#[test]
fn accessors_of_unknown_types_are_left_out_where_nothing_needs_them() {
    for (key, value, said) in [
        (
            "type",
            json!("VEC5"),
            "accessor 1: has \"VEC5\" and not type SCALAR, VEC2 to VEC4 or MAT2 to MAT4; it was left out",
        ),
        (
            "componentType",
            json!(5130),
            "accessor 1: has 5130 and not a componentType of glTF 2.0 (5120 to 5123, 5125, 5126); it was left out",
        ),
        (
            "sparse",
            json!({ "count": 1, "indices": { "bufferView": 0, "componentType": 5120 }, "values": { "bufferView": 0 } }),
            "accessor 1, sparse indices: has 5120 and not componentType 5121, 5123 or 5125; it was left out",
        ),
    ] {
        let mut doc = Doc::new();
        let position = doc.floats("VEC3", 3, &SQUARE);
        let odd = doc.floats("VEC3", 3, &SQUARE);
        doc.root["accessors"][odd][key] = value;
        let mut doc = doc.with_primitive(json!({ "attributes": { "POSITION": position }, "mode": 0 }));
        assert_eq!(doc.warnings(), [said]);
        doc.root["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = json!(odd);
        let error = doc.error();
        assert!(error.starts_with("accessor 1") && error.contains(": expected "), "{error}");
    }
}

#[test]
fn the_last_column_of_a_matrix_needs_no_padding() {
    for (component, kind, count, bytes) in
        [(U8, "MAT2", 1, 6), (I8, "MAT2", 3, 22), (U8, "MAT3", 2, 23), (U16, "MAT3", 2, 46), (F32, "MAT2", 2, 32)]
    {
        let mut doc = Doc::new();
        let position = doc.floats("VEC3", 3, &SQUARE);
        let mut doc = doc.with_primitive(json!({ "attributes": { "POSITION": position }, "mode": 0 }));
        let matrix = doc.accessor(&vec![1; bytes], component, kind, count);
        assert_eq!(doc.warnings(), [""; 0], "{kind} of {component}");
        doc.root["bufferViews"][matrix]["byteLength"] = json!(bytes - 1);
        assert!(doc.error().contains(&format!("expected {bytes} bytes")), "{}", doc.error());
    }
}

#[test]
fn a_buffer_without_data_is_no_fault_as_long_as_nothing_shown_needs_it() {
    let mut doc = Doc::new();
    let position = doc.floats("VEC3", 3, &SQUARE);
    let mut doc = doc.with_primitive(json!({ "attributes": { "POSITION": position }, "mode": 0 }));
    doc.root["buffers"] = json!([{ "byteLength": doc.bin.len() }, { "byteLength": 64 }]);
    let view = doc.push("bufferViews", json!({ "buffer": 1, "byteLength": 64 }));
    let accessor = json!({ "bufferView": view, "componentType": F32, "type": "VEC3", "count": 4 });
    let accessor = doc.push("accessors", accessor);
    doc.root["images"] = json!([{ "bufferView": view, "mimeType": "image/png" }]);
    let said = "buffer 1: has neither a URI nor data; what it holds is not read";
    assert_eq!(doc.warnings(), [said]);
    let mut shown = doc.clone();
    shown.root["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = json!(accessor);
    let error = shown.error();
    assert!(
        error.starts_with("accessor 1: expected data in buffer 1, found a buffer with neither a URI nor data"),
        "{error}"
    );
    // A texture that cannot be read is left out, as others are.
    doc.root["textures"] = json!([{ "source": 0 }]);
    doc.root["materials"] = json!([{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }]);
    let warnings = doc.warnings().join("\n");
    assert!(warnings.contains("image 0: was left out (its buffer 1 has neither a URI nor data)"), "{warnings}");
}
