//! Tests of extensions: which ones the file asks for, and how each is handled.

use glam::Vec3;
use serde_json::json;

use super::*;
use crate::{EXTENSIONS, Support};

/// Two nodes, the second below the first.
fn pair(extensions: Value) -> Doc {
    let mut doc = Doc::new();
    doc.root["nodes"] = json!([{ "name": "J_Bip_C_Hips", "children": [1] }, { "name": "J_Bip_C_Spine" }]);
    let names: Vec<String> = extensions.as_object().unwrap().keys().cloned().collect();
    doc.root["extensionsUsed"] = json!(names);
    doc.root["extensionsRequired"] = json!(names);
    doc.root["extensions"] = extensions;
    doc
}

#[test]
fn vrm_files_open_and_name_their_joints() {
    let old = json!({ "VRM": { "humanoid": { "humanBones": [
        { "bone": "spine", "node": 1 }, { "bone": "hips", "node": 0 }, { "bone": "jaw", "node": -1 },
    ] } } });
    let new =
        json!({ "VRMC_vrm": { "humanoid": { "humanBones": { "hips": { "node": 0 }, "spine": { "node": 1 } } } } });
    let clip = json!({ "VRMC_vrm_animation": new["VRMC_vrm"].clone() });
    for extensions in [old, new, clip] {
        let import = pair(extensions.clone()).import().unwrap();
        assert_eq!(import.warnings.len(), 1, "what is not shown of {extensions}");
        let named: Vec<_> = import.model.humanoid.iter().map(|(n, name)| (n.0, name.as_str())).collect();
        assert_eq!(named, [(0, "hips"), (1, "spine")], "{extensions}");
    }
}

#[test]
fn of_a_file_of_both_versions_of_vrm_the_newer_one_names_the_joints() {
    let older = json!({ "humanoid": { "humanBones": [{ "bone": "chest", "node": 1 }] } });
    let newer = json!({ "humanoid": { "humanBones": { "hips": { "node": 0 } } } });
    for newer_name in ["VRMC_vrm", "VRMC_vrm_animation"] {
        let model = pair(json!({ "VRM": older, newer_name: newer })).import().unwrap().model;
        let named: Vec<_> = model.humanoid.iter().map(|(n, name)| (n.0, name.as_str())).collect();
        assert_eq!(named, [(0, "hips")], "{newer_name}");
    }
}

#[test]
fn humanoid_names_of_nodes_that_are_not_there_are_left_out_and_listed() {
    let bones = json!({
        "hips": { "node": 0 }, "spine": { "node": 7 }, "head": { "node": "two" }, "neck": {}, "chest": { "node": 0 },
    });
    let doc = pair(json!({ "VRMC_vrm": { "humanoid": { "humanBones": bones } } }));
    let import = doc.import().unwrap();
    assert_eq!(import.model.humanoid.len(), 1);
    let said = doc.warnings().join("\n");
    for line in [
        "VRMC_vrm, humanoid bone \"spine\": expected a node below 2, found \"7\"",
        "VRMC_vrm, humanoid bone \"head\": expected a node below 2",
        "VRMC_vrm, humanoid bone \"neck\": expected a node below 2, found none",
        "node 0 has another name already",
    ] {
        assert!(said.contains(line), "{line} in:\n{said}");
    }
    for odd in [json!(3), json!([1, "x", null]), json!([{ "bone": 3, "node": 0 }]), json!(null), json!("hips")] {
        let doc = pair(json!({ "VRM": { "humanoid": { "humanBones": odd } } }));
        assert!(doc.import().unwrap().model.humanoid.is_empty());
    }
}

#[test]
fn characters_of_the_old_vrm_face_the_other_way() {
    let (old, new) = (json!({ "specVersion": "0.0" }), json!({ "specVersion": "1.0" }));
    for (extensions, front) in [
        (json!({ "VRM": old }), Vec3::NEG_Z),
        (json!({ "VRMC_vrm": new }), Vec3::Z),
        (json!({ "VRM": old, "VRMC_vrm": new }), Vec3::Z),
        (json!({ "VRMC_vrm_animation": new }), Vec3::Z),
        (json!({ "KHR_mesh_quantization": {} }), Vec3::Z),
        (json!({ "VRM": 3 }), Vec3::Z),
    ] {
        assert_eq!(pair(extensions.clone()).import().unwrap().model.front(), front, "{extensions}");
    }
}

#[test]
fn harmless_extensions_open_even_where_required() {
    for extension in EXTENSIONS.iter().filter(|e| e.support != Support::Shown) {
        let doc = pair(json!({ extension.name: {} }));
        let said = doc.warnings();
        match extension.support {
            Support::DrawnWithout(what) => {
                assert!(said.len() == 1 && said[0].contains(extension.name) && said[0].contains(what), "{said:?}");
            }
            _ => assert!(said.is_empty(), "{said:?}"),
        }
    }
    let doc = pair(json!({ "ACME_unknown": {} }));
    assert!(doc.error().contains("extension ACME_unknown is required"), "{}", doc.error());
}

/// Two eyes below a head, and a knee with custom properties.
fn eyes(extensions: Value, turned: bool) -> Doc {
    let mut doc = pair(extensions);
    let mut left = json!({ "name": "eye" });
    if turned {
        left["rotation"] = json!([0.5, 0.5, 0.5, 0.5]);
    }
    let knee = json!({ "use_ik_limit_x": true, "ik_min_x": -0.1, "ik_max_x": 2.0, "use_ik_limit_y": 0, "ik_min_y": 0.3,
        "use_ik_limit_z": 1, "ik_max_z": 0.5, "ik_stiffness_x": 0.5 });
    doc.root["nodes"] = json!([{ "name": "head", "children": [1, 2, 3] }, left, { "name": "other eye" },
        { "name": "knee", "extras": knee }]);
    doc
}

#[test]
fn eyes_and_bones_with_limits_have_them() {
    let named = json!({ "leftEye": { "node": 1 }, "rightEye": { "node": 2 } });
    let range = |most: f32| json!({ "inputMaxValue": 90, "outputScale": most });
    let look = json!({ "type": "bone", "rangeMapHorizontalInner": range(8.0), "rangeMapHorizontalOuter": range(12.0),
        "rangeMapVerticalDown": range(10.0), "rangeMapVerticalUp": range(6.0) });
    let new = json!({ "VRMC_vrm": { "humanoid": { "humanBones": named }, "lookAt": look } });
    let range = |most: f32| json!({ "xRange": 90, "yRange": most });
    let old = json!({ "VRM": {
        "humanoid": { "humanBones": [{ "bone": "leftEye", "node": 1 }, { "bone": "rightEye", "node": 2 }] },
        "firstPerson": { "lookAtTypeName": "Bone", "lookAtHorizontalInner": range(8.0), "lookAtHorizontalOuter": range(12.0),
            "lookAtVerticalDown": range(10.0), "lookAtVerticalUp": range(6.0) },
    } });
    let limits = |doc: Doc| {
        let model = doc.import().unwrap().model;
        model.limits.iter().map(|(node, l)| (node.0, l.least.to_array(), l.most.to_array())).collect::<Vec<_>>()
    };
    let degrees = |radians: f32| radians.to_degrees();
    let knee = (3, [degrees(-0.1), -90.0, -180.0], [degrees(2.0), 90.0, degrees(0.5)]);
    // The left eye is on the side of +X where a character faces +Z, and of −X where it faces −Z: outwards is to its left, about +Y.
    let [left, right] = [(1, [-6.0, -8.0, 0.0], [10.0, 12.0, 0.0]), (2, [-6.0, -12.0, 0.0], [10.0, 8.0, 0.0])];
    assert_eq!(limits(eyes(new.clone(), false)), [left, right, knee]);
    assert_eq!(limits(eyes(new.clone(), true)), [right, knee], "the axes of the left eye are not those of the world");
    let [left, right] = [(1, [-10.0, -8.0, 0.0], [6.0, 12.0, 0.0]), (2, [-10.0, -12.0, 0.0], [6.0, 8.0, 0.0])];
    assert_eq!(limits(eyes(old, false)), [left, right, knee]);
    let mut odd = new.clone();
    odd["VRMC_vrm"]["lookAt"]["type"] = json!("expression");
    assert_eq!(limits(eyes(odd, false)), [knee]);
    let mut odd = new;
    odd["VRMC_vrm"]["lookAt"]["rangeMapVerticalUp"]["outputScale"] = json!("ten");
    assert_eq!(limits(eyes(odd, false)), [knee]);
    assert!(limits(pair(json!({}))).is_empty());
}

/// Two nodes, the second with a mesh of two morph targets.
fn face(extensions: Value) -> Doc {
    let mut doc = Doc::new();
    let position = doc.floats("VEC3", 3, &SQUARE);
    let mut doc = doc.with_primitive(json!({
        "attributes": { "POSITION": position }, "mode": 0, "targets": [{ "POSITION": position }, {}],
    }));
    doc.root["nodes"] = json!([{ "name": "hips" }, { "name": "face", "mesh": 0 }]);
    let names: Vec<String> = extensions.as_object().unwrap().keys().cloned().collect();
    doc.root["extensionsUsed"] = json!(names);
    doc.root["extensions"] = extensions;
    doc
}

#[test]
fn expressions_of_both_versions_of_vrm_are_read_with_the_targets_that_they_move() {
    use skinscope_model::{ExpressionGroup, MorphBind, NodeId, Override};
    let newer = face(json!({ "VRMC_vrm": { "expressions": {
        "preset": { "happy": { "overrideBlink": "block", "overrideMouth": "none", "morphTargetBinds": [
            { "node": 1, "index": 1, "weight": 0.5 }, { "node": 1, "index": 7, "weight": 1 }, { "node": 0, "index": 0, "weight": 1 },
        ] } },
        "custom": { "wink": { "isBinary": true, "morphTargetBinds": [{ "node": 1, "index": 0, "weight": 1 }] } },
    } } }));
    let older = face(json!({ "VRM": { "blendShapeMaster": { "blendShapeGroups": [
        { "name": "Joy", "presetName": "joy", "binds": [{ "mesh": 0, "index": 1, "weight": 50 }, { "mesh": 4, "index": 0, "weight": 50 }] },
        { "name": "wink", "presetName": "unknown", "isBinary": true, "binds": [{ "mesh": 0, "index": 0, "weight": 100 }] },
    ] } } }));
    let bind = |target, weight| vec![MorphBind { node: NodeId(1), target, weight }];
    for (doc, overrides) in [(newer, vec![(ExpressionGroup::Blink, Override::Block)]), (older, Vec::new())] {
        let model = doc.import().unwrap().model;
        let found: Vec<_> = model.expressions.iter().map(|e| (e.name.as_str(), e.is_binary, e.binds.clone())).collect();
        assert_eq!(found, [("happy", false, bind(1, 0.5)), ("wink", true, bind(0, 1.0))]);
        assert_eq!(model.expressions[0].overrides, overrides);
    }
    let said = face(
        json!({ "VRMC_vrm": { "expressions": { "custom": { "odd": { "morphTargetBinds": [{ "node": 0 }, 3] } } } } }),
    );
    let said = said.warnings().join("\n");
    assert!(said.contains("expression \"odd\": names a morph target that is not there"), "{said}");
    let animation =
        json!({ "expressions": { "preset": { "aa": { "node": 1 } }, "custom": { "gone": { "node": 9 } } } });
    let doc = face(json!({ "VRMC_vrm_animation": animation }));
    assert_eq!(doc.import().unwrap().model.expression_nodes, [(NodeId(1), "aa".to_owned())]);
    assert!(doc.warnings().join("\n").contains("expression \"gone\": expected a node below 2"));
}
