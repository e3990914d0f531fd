//! Tests of skins and influences.

use glam::Vec3;
use serde_json::json;
use skinscope_model::{MeshId, Model, WeightFormat};

use super::*;
use crate::Limits;

/// Makes four vertices with `joints` bytes and `weights` of each set, on a skin of two joints.
fn skinned(sets: &[(&[u8; 16], &[f32; 16])]) -> Doc {
    let mut doc = Doc::new();
    let position = doc.floats("VEC3", 3, &SQUARE);
    let mut attributes = json!({ "POSITION": position });
    for (n, (joints, weights)) in sets.iter().enumerate() {
        let joints = doc.accessor(&joints[..], U8, "VEC4", 4);
        let weights = doc.floats("VEC4", 4, &weights[..]);
        attributes[format!("JOINTS_{n}")] = json!(joints);
        attributes[format!("WEIGHTS_{n}")] = json!(weights);
    }
    let mut doc = doc.with_primitive(json!({ "attributes": attributes, "mode": 5 }));
    doc.root["nodes"] = json!([{ "mesh": 0, "skin": 0 }, { "children": [2] }, {}]);
    doc.root["skins"] = json!([{ "joints": [2, 1] }]);
    doc
}

const HALVES: [f32; 16] = [0.5, 0.5, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0];
const BOTH: [u8; 16] = [0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];

#[test]
fn skins_without_matrices_bind_where_they_stand() {
    let model = skinned(&[(&BOTH, &HALVES)]).import().unwrap().model;
    let skin = &model.skins[0];
    assert_eq!(skin.joints.iter().map(|j| j.index()).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(skin.inverse_bind, [glam::Affine3A::IDENTITY; 2]);
    let influences = model.meshes[0].primitives[0].stored_influences.as_ref().unwrap();
    assert_eq!((influences.per_vertex, influences.format), (4, WeightFormat::F32));
    assert_eq!(influences.of(2), (&[1, 0, 0, 0][..], &[0.5, 0.5, 0.0, 0.0][..]));
}

#[test]
fn inverse_bind_matrices_are_read_by_columns() {
    let mut doc = skinned(&[(&BOTH, &HALVES)]);
    let mut matrices = glam::Mat4::from_translation(Vec3::new(1.0, 2.0, 3.0)).to_cols_array().to_vec();
    matrices.extend(glam::Mat4::from_scale(Vec3::splat(2.0)).to_cols_array());
    let accessor = doc.floats("MAT4", 16, &matrices);
    doc.root["skins"][0]["inverseBindMatrices"] = json!(accessor);
    let model = doc.import().unwrap().model;
    assert_eq!(model.skins[0].inverse_bind[0].translation.to_array(), [1.0, 2.0, 3.0]);
    assert_eq!(model.skins[0].inverse_bind[1].matrix3.y_axis.y, 2.0);
}

#[test]
fn several_sets_stand_side_by_side_for_each_vertex() {
    let quarter = HALVES.map(|w| w * 0.5);
    let doc = skinned(&[(&BOTH, &quarter), (&[1; 16], &quarter)]);
    let import = doc.import().unwrap();
    assert_eq!(import.warnings, []);
    let influences = import.model.meshes[0].primitives[0].stored_influences.clone().unwrap();
    assert_eq!(influences.per_vertex, 8);
    let want = (&[0, 1, 0, 0, 1, 1, 1, 1][..], &[0.25, 0.25, 0.0, 0.0, 0.25, 0.25, 0.0, 0.0][..]);
    assert_eq!(influences.of(1), want);
}

#[test]
fn joints_beyond_the_skin_are_errors_unless_they_weigh_nothing() {
    let mut joints = BOTH;
    joints[2 * 4 + 1] = 7;
    let error = skinned(&[(&joints, &HALVES)]).error();
    let want =
        "mesh 0, primitive 0, vertex 2: expected joints below 2, as skin 0 has them, found joint 7 with weight 0.5";
    assert!(error.starts_with(want), "{error}");
    joints[2 * 4 + 1] = 0;
    joints[2 * 4 + 3] = 7;
    let doc = skinned(&[(&joints, &HALVES)]);
    assert_eq!(doc.warnings(), ["mesh 0, primitive 0: 1 joint number beyond skin 0 has weight 0; read as joint 0"]);
    let model = doc.import().unwrap().model;
    assert_eq!(model.meshes[0].primitives[0].stored_influences.as_ref().unwrap().of(2).0, [1, 0, 0, 0]);
}

/// Where its weight moves the vertex, a joint that is not there is an error; where the weight is not finite it moves
/// nothing, and both are kept as they are stored.
#[test]
fn weights_that_are_no_numbers_and_their_joints_are_kept_as_evidence() {
    let (mut joints, mut weights) = (BOTH, HALVES);
    weights[1] = f32::NAN;
    weights[2 * 4] = f32::NEG_INFINITY;
    weights[3 * 4 + 3] = f32::INFINITY;
    joints[3 * 4 + 3] = 9;
    joints[4 + 2] = 2;
    let import = skinned(&[(&joints, &weights)]).import().unwrap();
    let influences = import.model.meshes[0].primitives[0].stored_influences.as_ref().unwrap();
    let kept: Vec<_> = influences.not_finite.iter().map(|n| (n.vertex, n.slot, n.value.to_bits())).collect();
    let want = [(0, 1, f32::NAN), (2, 0, f32::NEG_INFINITY), (3, 3, f32::INFINITY)];
    assert_eq!(kept, want.map(|(v, s, w)| (v, s, w.to_bits())));
    let kept: Vec<_> = influences.out_of_range.iter().map(|o| (o.vertex, o.slot, o.joint)).collect();
    assert_eq!(kept, [(1, 2, 2), (3, 3, 9)]);
    assert_eq!(influences.of(3), (&[1, 0, 0, 0][..], &[0.5, 0.5, 0.0, 0.0][..]));
    let normalised = import.model.with_weights(&import.model.normalised_weights()).unwrap();
    let kept = normalised.influences(MeshId(0), 0).unwrap();
    // Nothing is kept of vertices that have other weights now.
    assert_eq!((kept.not_finite.len(), kept.of(0).1), (1, &[1.0, 0.0, 0.0, 0.0][..]));
    // Negative weights move their vertex too.
    weights[3 * 4 + 3] = -0.25;
    let error = skinned(&[(&joints, &weights)]).error();
    assert!(
        error.contains("vertex 3: expected joints below 2") && error.contains("joint 9 with weight -0.25"),
        "{error}"
    );
}

#[test]
fn what_is_kept_of_broken_weights_counts_against_the_memory() {
    /// Returns the least limit under which the file opens.
    fn least(doc: &Doc) -> u64 {
        let opens = |decoded_bytes: &u64| {
            let limits = Limits { decoded_bytes: *decoded_bytes, ..Limits::default() };
            import_bytes(&doc.glb(), "", &Options { limits, ..Options::default() }, &Progress::silent()).is_ok()
        };
        let (mut below, mut enough) = (0, 1 << 20);
        while enough - below > 1 {
            let middle = (below + enough) / 2;
            *(if opens(&middle) { &mut enough } else { &mut below }) = middle;
        }
        enough
    }
    let nothing = skinned(&[(&[0; 16], &[0.0; 16])]);
    let broken = skinned(&[(&[9; 16], &[f32::NAN; 16])]);
    // Twelve bytes are charged for each of 16 weights, and for each of 16 joints.
    assert_eq!(least(&broken) - least(&nothing), 2 * 16 * 12);
}

#[test]
fn sets_may_be_stored_differently() {
    let half = HALVES.map(|w| w * 0.5);
    let mut doc = skinned(&[(&BOTH, &half), (&[1; 16], &half)]);
    let bytes = [[128, 0, 0, 0]; 4].concat();
    let weights = doc.accessor(&bytes, U8, "VEC4", 4);
    doc.root["accessors"][weights]["normalized"] = json!(true);
    let mut kept = |set: &str| {
        let attributes = &mut doc.root["meshes"][0]["primitives"][0]["attributes"];
        attributes[set] = json!(weights);
        let model = doc.import().unwrap().model;
        let influences = model.meshes[0].primitives[0].stored_influences.clone().unwrap();
        (
            influences.format,
            influences.formats.clone(),
            influences.as_stored().format_of(3),
            influences.as_stored().format_of(4),
        )
    };
    let (u8, f32) = (WeightFormat::U8, WeightFormat::F32);
    assert_eq!(kept("WEIGHTS_0"), (f32, vec![u8, f32], u8, f32));
    assert_eq!(kept("WEIGHTS_1"), (u8, vec![], u8, u8));
}

#[test]
fn inverse_bind_matrices_that_are_not_finite_are_named() {
    let mut doc = skinned(&[(&BOTH, &HALVES)]);
    let mut matrices = glam::Mat4::IDENTITY.to_cols_array().repeat(2);
    matrices[16 + 5] = f32::NAN;
    let accessor = doc.floats("MAT4", 16, &matrices);
    doc.root["skins"][0]["inverseBindMatrices"] = json!(accessor);
    let skin = doc.import().unwrap().model.skins[0].clone();
    assert_eq!((skin.not_finite, skin.inverse_bind), (vec![1], vec![glam::Affine3A::IDENTITY; 2]));
}

#[test]
fn the_smallest_of_several_skins_counts() {
    let mut doc = skinned(&[(&BOTH, &HALVES)]);
    doc.root["skins"] = json!([{ "joints": [2, 1] }, { "joints": [2] }]);
    doc.root["nodes"] = json!([{ "mesh": 0, "skin": 0 }, { "children": [2] }, {}, { "mesh": 0, "skin": 1 }]);
    assert!(doc.error().contains("as skin 1 has them"), "{}", doc.error());
}

#[test]
fn sets_that_do_not_pair_are_named() {
    let mut doc = skinned(&[(&BOTH, &HALVES), (&BOTH, &HALVES)]);
    let attributes = doc.root["meshes"][0]["primitives"][0]["attributes"].as_object_mut().unwrap();
    attributes.remove("WEIGHTS_1");
    assert!(doc.error().contains("found JOINTS_0 JOINTS_1 with WEIGHTS_0"), "{}", doc.error());
    let attributes = doc.root["meshes"][0]["primitives"][0]["attributes"].as_object_mut().unwrap();
    attributes.remove("JOINTS_0");
    attributes.remove("WEIGHTS_0");
    attributes.insert("WEIGHTS_1".into(), json!(2));
    assert!(doc.error().contains("numbered from 0"), "{}", doc.error());
}

#[test]
fn weights_are_kept_as_stored_and_their_sums_listed() {
    let mut weights = HALVES;
    weights[4] = 0.75;
    let doc = skinned(&[(&BOTH, &weights)]);
    let model = doc.import().unwrap().model;
    assert_eq!(model.meshes[0].primitives[0].stored_influences.as_ref().unwrap().of(1).1, [0.75, 0.5, 0.0, 0.0]);
    let want = "mesh 0, primitive 0: 1 of 4 vertices has weights that do not sum to one (1.25); drawn as stored unless normalised";
    assert_eq!(doc.warnings(), [want]);
    weights[1] = 0.37;
    weights[8] = 0.50009;
    let want = "mesh 0, primitive 0: 2 of 4 vertices have weights that do not sum to one (0.87 to 1.25); drawn as stored unless normalised";
    assert_eq!(skinned(&[(&BOTH, &weights)]).warnings(), [want]);
}

/// Normalised integers must sum to one exactly: 254 of 255 is a finding, where floats as near as that are none.
#[test]
fn weights_in_integers_must_sum_to_one_exactly() {
    let mut doc = skinned(&[(&BOTH, &HALVES)]);
    let stored = |doc: &mut Doc, third: u8| {
        let bytes = [[128, 127, 0, 0], [100, 155, 0, 0], [255, 0, 0, 0], [third, 127, 0, 0]].concat();
        let weights = doc.accessor(&bytes, U8, "VEC4", 4);
        doc.root["accessors"][weights]["normalized"] = json!(true);
        doc.root["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = json!(weights);
        doc.warnings()
    };
    assert!(stored(&mut doc, 128).is_empty());
    let want = "mesh 0, primitive 0: 1 of 4 vertices has weights that do not sum to one (0.996); drawn as stored unless normalised";
    assert_eq!(stored(&mut doc, 127), [want]);
}

#[test]
fn normalised_weights_sum_to_one_and_the_stored_ones_stay() {
    // The sums are 1.25, 0.87, 0 and 1; the last has a negative weight.
    let weights = [0.5, 0.75, 0.0, 0.0, 0.5, 0.37, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.5, -0.5, 0.0, 0.0];
    let stored = skinned(&[(&BOTH, &weights)]).import().unwrap().model;
    let normalised = stored.with_weights(&stored.normalised_weights()).unwrap();
    let of = |model: &Model, v: usize| {
        let influences = model.influences(MeshId(0), 0).unwrap();
        (influences.of(v).1.to_vec(), influences.sums_to_one(v))
    };
    assert_eq!(of(&normalised, 0), (vec![0.4, 0.6, 0.0, 0.0], true));
    assert_eq!(of(&normalised, 1), (vec![(0.5_f32 / 0.87), 0.37 / 0.87, 0.0, 0.0], true));
    assert_eq!(of(&normalised, 2), (vec![0.0; 4], false));
    assert_eq!(of(&normalised, 3), (vec![1.5, -0.5, 0.0, 0.0], true));
    assert_eq!(of(&stored, 0), (vec![0.5, 0.75, 0.0, 0.0], false));
}

/// Four vertices that two nodes show with two skins, whose joints stand in another order.
fn shown_twice() -> Doc {
    let mut doc = skinned(&[(&BOTH, &HALVES)]);
    doc.root["nodes"].as_array_mut().unwrap().push(json!({ "mesh": 0, "skin": 1 }));
    doc.root["skins"].as_array_mut().unwrap().push(json!({ "joints": [1, 2] }));
    doc
}

#[test]
fn a_mesh_is_parted_for_the_joints_of_each_skin_unless_an_extension_names_it() {
    let meshes = |doc: &Doc| {
        let model = doc.import().unwrap().model;
        model.instances.iter().map(|instance| instance.mesh.0).collect::<Vec<_>>()
    };
    assert_eq!(meshes(&shown_twice()), [0, 1]);
    let mut named = shown_twice();
    named.root["extensionsUsed"] = json!(["EXT_of_a_mesh"]);
    named.root["extensions"] = json!({ "EXT_of_a_mesh": { "mesh": 0 } });
    assert_eq!(meshes(&named), [0, 0]);
    named.root["extensions"] = json!({ "EXT_of_a_mesh": { "target": "/meshes/0/extras" } });
    assert_eq!(meshes(&named), [0, 0]);
    named.root["extensions"] = json!({ "EXT_of_a_mesh": { "mesh": 1, "target": "/nodes/0" } });
    assert_eq!(meshes(&named), [0, 1], "it names something else");
}
