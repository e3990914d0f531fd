//! Tests of extensions: which ones the file asks for, and how each is handled.

use serde_json::json;

use super::*;
use crate::import::{EXTENSIONS, Support};

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
