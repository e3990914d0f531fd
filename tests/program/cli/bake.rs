//! Checks the meshes that `skinscope bake` writes.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli::{common, fails, ok, scratch, skinscope};

#[test]
fn a_baked_ply_holds_the_reference_positions_of_the_corpus() {
    let Some(corpus) = common::corpus() else { return };
    let header: Value =
        serde_json::from_slice(&std::fs::read(corpus.join("reference/CesiumMan.2.json")).unwrap()).unwrap();
    let time = header["time"].to_string();
    let model = corpus.join("models/CesiumMan.glb");
    for backend in ["cpu", "gpu"] {
        let path = scratch(&format!("cesium_{backend}.ply"));
        let arguments = [
            "bake",
            model.to_str().unwrap(),
            "-o",
            path.to_str().unwrap(),
            "--clip",
            "0",
            "--time",
            &time,
            "--backend",
            backend,
        ];
        let out = skinscope(&arguments);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        if backend == "gpu" && said.contains("no graphics adapter") {
            return common::skipped("no graphics adapter");
        }
        assert!(out.status.success(), "{said}");
        let bytes = std::fs::read(&path).unwrap();
        let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
        let vertices = bytes[end..].chunks_exact(24);
        let f = |c: &[u8]| f32::from_le_bytes(c.try_into().unwrap());
        let reference = std::fs::read(corpus.join("reference/CesiumMan.2.f32")).unwrap();
        let count = header["totalVertices"].as_u64().unwrap() as usize;
        let mut worst = 0.0_f32;
        for (ours, theirs) in vertices.take(count).zip(reference.chunks_exact(12)) {
            for axis in 0..3 {
                worst = worst.max((f(&ours[axis * 4..][..4]) - f(&theirs[axis * 4..][..4])).abs());
            }
        }
        assert!(worst < 2e-5 * 2.0, "{backend}: {worst} m");
    }
}

#[test]
fn a_held_hand_is_baked_where_it_is_held() {
    let bake = |name: &str, extra: &[&str]| {
        let path = scratch(name);
        let pose = ["--clip", "Walk", "--time", "0.3"];
        ok(&[&["bake", "-o", path.to_str().unwrap()], &pose[..], extra].concat());
        let text = std::fs::read_to_string(path).unwrap();
        let places = text.lines().filter_map(|line| line.strip_prefix("v "));
        places.map(|line| line.split(' ').map(|n| n.parse::<f32>().unwrap()).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    let near = |all: &[Vec<f32>]| {
        let off = |p: &Vec<f32>| ((p[0] - 0.3).powi(2) + (p[1] - 1.1).powi(2) + (p[2] - 0.35).powi(2)).sqrt();
        all.iter().map(off).fold(f32::MAX, f32::min)
    };
    let free = bake("hold_free.obj", &[]);
    // At the moment at which it is held nothing moves.
    let still = bake("hold_still.obj", &["--hold", "Hand.L"]);
    let worst =
        free.iter().zip(&still).flat_map(|(a, b)| a.iter().zip(b)).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst < 2e-5, "{worst}");
    let held = bake("hold_placed.obj", &["--hold", "Hand.L=0.3,1.1,0.35"]);
    assert!(near(&held) < 0.08 && near(&free) > 0.15, "{} {}", near(&held), near(&free));
    fails(&["bake", "-o", "x.obj", "--hold", "Elbow=1,2,3"], 2, &["no joint \"Elbow\""]);
}

#[test]
fn bakes_in_every_format() {
    for (ending, start) in [("ply", &b"ply\nformat binary_little_endian"[..]), ("obj", b"#"), ("glb", b"glTF")] {
        let path = scratch(&format!("posed.{ending}"));
        ok(&["bake", "-o", path.to_str().unwrap(), "--clip", "Bend", "--time", "1", "--method", "dual-quaternion"]);
        assert!(std::fs::read(&path).unwrap().starts_with(start), "{ending}");
    }
    // What was baked opens again, with as many vertices.
    let count = |arguments: &[&str]| {
        let report: Value = serde_json::from_str(&ok(arguments)).unwrap();
        report["counts"]["vertices"].clone()
    };
    assert_eq!(count(&["info", "--json", scratch_path("posed.glb").to_str().unwrap()]), count(&["info", "--json"]));
}

fn scratch_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli").join(name)
}

/// A file of two triangles, each a mesh in a node of its own ("Head", "Teeth"), both with a morph target "Smile" that lifts
/// them by a metre; the first has "Blink" too, which lifts it by ten.
fn two_smiles() -> PathBuf {
    use base64::Engine;
    let triangle = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let lift = |by: f32| [0.0, by, 0.0].repeat(3);
    let floats: Vec<f32> = triangle.into_iter().chain(lift(1.0)).chain(lift(10.0)).collect();
    let bytes: Vec<u8> = floats.iter().flat_map(|f| f.to_le_bytes()).collect();
    let view = |i: usize| serde_json::json!({"buffer": 0, "byteOffset": i * 36, "byteLength": 36});
    let accessor = |i: usize| {
        serde_json::json!({"bufferView": i, "componentType": 5126, "count": 3, "type": "VEC3",
            "min": [0.0, 0.0, 0.0], "max": [1.0, 10.0, 0.0]})
    };
    let mesh = |targets: &[usize], names: &[&str]| {
        let targets: Vec<Value> = targets.iter().map(|t| serde_json::json!({"POSITION": t})).collect();
        serde_json::json!({"primitives": [{"attributes": {"POSITION": 0}, "targets": targets}],
            "extras": {"targetNames": names}})
    };
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
    let root = serde_json::json!({
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"name": "Head", "mesh": 0}, {"name": "Teeth", "mesh": 1}],
        "meshes": [mesh(&[1, 2], &["Smile", "Blink"]), mesh(&[1], &["Smile"])],
        "buffers": [{"byteLength": bytes.len(), "uri": format!("data:application/octet-stream;base64,{data}")}],
        "bufferViews": [view(0), view(1), view(2)],
        "accessors": [accessor(0), accessor(1), accessor(2)],
    });
    let path = scratch("smiles.gltf");
    std::fs::write(&path, root.to_string()).unwrap();
    path
}

#[test]
fn morph_targets_of_one_name_are_set_together_or_one_by_one() {
    let model = two_smiles();
    let model = model.to_str().unwrap();
    // The heights of the first vertex of both triangles.
    let heights = |morphs: &[&str]| -> Vec<f32> {
        let path = scratch("smiles.obj");
        let mut all = vec!["bake", model, "-o", path.to_str().unwrap()];
        morphs.iter().for_each(|m| all.extend(["--morph", m]));
        ok(&all);
        let text = std::fs::read_to_string(&path).unwrap();
        let vertices = text.lines().filter(|l| l.starts_with("v ")).step_by(3);
        vertices.map(|l| l.split_whitespace().nth(2).unwrap().parse().unwrap()).collect()
    };
    assert_eq!(heights(&[]), [0.0, 0.0]);
    assert_eq!(heights(&["Smile=0.5"]), [0.5, 0.5]);
    assert_eq!(heights(&["Teeth/Smile=1", "Blink=0.5"]), [5.0, 1.0]);
    fails(&["bake", model, "-o", "x.obj", "--morph", "Frown=1"], 2, &["no morph target \"Frown\"", "Blink, Smile"]);
    fails(&["bake", model, "-o", "x.obj", "--morph", "Smile"], 2, &["NAME=WEIGHT"]);
}

#[test]
fn a_morph_target_of_a_node_is_found_whichever_of_both_names_holds_a_slash() {
    let text = std::fs::read_to_string(two_smiles()).unwrap();
    let with = |nodes: [&str; 2], targets: [&str; 2]| {
        let mut root: Value = serde_json::from_str(&text).unwrap();
        for (i, node) in nodes.iter().enumerate() {
            root["nodes"][i]["name"] = serde_json::json!(node);
            root["meshes"][i]["extras"]["targetNames"][0] = serde_json::json!(targets[i]);
        }
        let path = scratch("slashes.gltf");
        std::fs::write(&path, root.to_string()).unwrap();
        path
    };
    let heights = |model: &Path, morph: &str| -> Vec<f32> {
        let path = scratch("slashes.obj");
        ok(&["bake", model.to_str().unwrap(), "-o", path.to_str().unwrap(), "--morph", morph]);
        let text = std::fs::read_to_string(&path).unwrap();
        let vertices = text.lines().filter(|l| l.starts_with("v ")).step_by(3);
        vertices.map(|l| l.split_whitespace().nth(2).unwrap().parse().unwrap()).collect()
    };
    // The first split names a target of another node, and no node.
    let model = with(["Head", "Teeth/Lower"], ["Lower/Smile", "Smile"]);
    assert_eq!(heights(&model, "Teeth/Lower/Smile=1"), [0.0, 1.0]);
    assert_eq!(heights(&model, "Head/Lower/Smile=1"), [1.0, 0.0]);
    // Both splits name a node, and one of the nodes has the target.
    let model = with(["Teeth", "Teeth/Lower"], ["Wide", "Smile"]);
    assert_eq!(heights(&model, "Teeth/Lower/Smile=1"), [0.0, 1.0]);
    let model = with(["Teeth", "Teeth/Lower"], ["Lower/Smile", "Smile"]);
    let model = model.to_str().unwrap();
    fails(&["bake", model, "-o", "x.obj", "--morph", "Teeth/Lower/Smile=1"], 2, &["in several ways"]);
    fails(&["bake", model, "-o", "x.obj", "--morph", "Nose/Smile=1"], 2, &["there is no joint \"Nose\""]);
}
