//! Draco primitives: what else stands in the file, and what happens when it does not fit the stream. That the streams
//! decode right is shown in `tests/packed.rs`, on files of another encoder.

use super::*;

const DRACO: &str = "KHR_draco_mesh_compression";

/// Makes a figure whose stream has all attributes and 587 vertices, with one morph target beside it.
fn figure() -> Doc {
    let glb = include_bytes!("../../../../tests/fixtures/figure_draco_morph.glb");
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    Doc { root: serde_json::from_slice(&glb[20..20 + length]).unwrap(), bin: glb[20 + length + 8..].to_vec() }
}

impl Doc {
    fn described(&mut self) -> &mut Value {
        &mut self.root["meshes"][0]["primitives"][0]["extensions"][DRACO]
    }

    /// Returns the accessor of an attribute.
    fn of(&mut self, name: &str) -> &mut Value {
        let index = self.root["meshes"][0]["primitives"][0]["attributes"][name].as_u64().unwrap();
        &mut self.root["accessors"][index as usize]
    }
}

#[test]
fn integers_take_the_width_of_their_accessor() {
    let plain = figure().primitive();
    let mut doc = figure();
    assert_eq!(doc.of("JOINTS_0")["componentType"], json!(U8));
    doc.of("JOINTS_0")["componentType"] = json!(U16);
    let wide = doc.primitive();
    assert_eq!(wide.stored_influences.unwrap().joints, plain.stored_influences.as_ref().unwrap().joints);
    // The accessor says whether integers are fractions.
    let mut doc = figure();
    doc.of("WEIGHTS_0")["normalized"] = json!(false);
    assert!(doc.error().contains("WEIGHTS_0: expected VEC4 of f32, normalized u8, normalized u16"), "{}", doc.error());
}

#[test]
fn the_stream_counts_where_nothing_beside_it_does() {
    let mut doc = figure();
    doc.of("NORMAL")["count"] = json!(500);
    let indices = doc.root["meshes"][0]["primitives"][0]["indices"].as_u64().unwrap() as usize;
    doc.root["accessors"][indices]["count"] = json!(3);
    let import = doc.import().unwrap();
    let primitive = &import.model.meshes[0].primitives[0];
    assert_eq!((primitive.normals.len(), primitive.indices.len()), (587, 3168));
    let location = "mesh 0, primitive 0, KHR_draco_mesh_compression";
    let said = [
        format!("{location}: NORMAL has 587 elements in the stream, its accessor states 500"),
        format!("{location}: indices has 3168 elements in the stream, its accessor states 3"),
    ];
    assert_eq!(doc.warnings(), said);
    // A morph target beside the stream must have as many vertices.
    let mut doc = figure();
    let target = doc.root["meshes"][0]["primitives"][0]["targets"][0]["POSITION"].as_u64().unwrap() as usize;
    doc.root["accessors"][target]["count"] = json!(586);
    let error = doc.error();
    assert!(
        error.contains("morph target 0, POSITION: expected 587 elements") && error.contains("found 586"),
        "{error}"
    );
}

#[test]
fn what_does_not_fit_the_stream_is_named() {
    let error = |change: &dyn Fn(&mut Doc)| {
        let mut doc = figure();
        change(&mut doc);
        let error = doc.error();
        assert!(error.starts_with("mesh 0, primitive 0, KHR_draco_mesh_compression: expected"), "{error}");
        error
    };
    assert!(error(&|d| d.described()["attributes"]["NORMAL"] = json!(77)).contains("an attribute 77 for NORMAL"));
    assert!(
        error(&|d| d.described()["attributes"]["NORMAL"] = json!("x")).contains("a number for attribute \"NORMAL\"")
    );
    assert!(error(&|d| d.described()["attributes"] = json!(null)).contains("an object \"attributes\""));
    assert!(error(&|d| d.described()["bufferView"] = json!(99)).contains("found view 99"));
    assert!(error(&|d| d.described()["bufferView"] = json!(-1)).contains("a number for bufferView"));
    assert!(error(&|d| d.described()["bufferView"] = json!(0)).contains("a Draco stream in the"));
    assert!(error(&|d| d.of("NORMAL")["type"] = json!("VEC2")).contains("2 components in NORMAL, found 3"));
    assert!(error(&|d| d.root["meshes"][0]["primitives"][0]["mode"] = json!(1)).contains("mode 4 (triangles)"));
    // Attributes that the primitive does not name mean nothing.
    let mut doc = figure();
    doc.described()["attributes"]["TEXCOORD_5\n"] = json!(4);
    assert!(doc.warnings()[0].ends_with(r#"holds "TEXCOORD_5\n", which the primitive does not have; it was ignored"#));
}

#[test]
fn strips_come_back_as_triangles() {
    let mut doc = figure();
    doc.root["meshes"][0]["primitives"][0]["mode"] = json!(5);
    assert_eq!(doc.primitive().indices, figure().primitive().indices);
}

#[test]
fn plain_data_replaces_a_stream_that_is_not_required_and_does_not_decode() {
    let mut doc = Doc::new();
    let position = doc.floats("VEC3", 3, &SQUARE);
    let indices = doc.shorts("SCALAR", 1, &[0, 1, 2]);
    let stream = doc.view(b"DRACO is not what this is");
    let described = json!({ DRACO: { "bufferView": stream, "attributes": { "POSITION": 0 } } });
    let attributes = json!({ "POSITION": position });
    let mut doc = doc.with_primitive(json!({ "attributes": attributes, "indices": indices, "extensions": described }));
    doc.root["extensionsUsed"] = json!([DRACO]);
    let import = doc.import().unwrap();
    assert_eq!(import.model.meshes[0].primitives[0].indices, [0, 1, 2]);
    let said = doc.warnings();
    assert!(said.len() == 1 && said[0].starts_with("mesh 0, primitive 0: is shown from its data without"), "{said:?}");
    doc.root["extensionsRequired"] = json!([DRACO]);
    assert!(doc.error().contains("a Draco stream in the 25 bytes of buffer view 2"), "{}", doc.error());
    doc.root["extensionsRequired"] = json!([]);
    doc.root["accessors"][indices].as_object_mut().unwrap().remove("bufferView");
    assert!(doc.error().contains("a Draco stream in the 25 bytes of buffer view 2"), "{}", doc.error());
}
