//! Clips of another file on a model: `--clips-from`.

use std::path::Path;

use serde_json::Value;

use crate::cli::{called, common, fails, ok, scratch};

/// The bytes of the posed surface.
fn baked(name: &str, arguments: &[&str]) -> Vec<u8> {
    let path = scratch(name);
    let all = [&["bake"], arguments, &["-o", path.to_str().unwrap()]].concat();
    ok(&all);
    std::fs::read(path).unwrap()
}

#[test]
fn clips_of_the_same_skeleton_pose_it_alike() {
    let character = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/character.glb");
    // The name is taken, so that the clip of the other file has the file's name too.
    let other = ["--clips-from", character, "--clip", "Wave (character.glb)", "--time", "0.7"];
    assert_eq!(baked("clips_a.ply", &other), baked("clips_b.ply", &["--clip", "Wave", "--time", "0.7"]));
    let (code, printed, said) = called(&[&["measure"], &other[..], &["--json"]].concat());
    assert!(code == 0 && said.contains("clips of character.glb"), "{said}");
    let report: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(report["clip"], "Wave (character.glb)");
}

#[test]
fn clips_that_do_not_open_and_outputs_over_their_file_are_refused() {
    let path = scratch("clips_c.png");
    let out = path.to_str().unwrap();
    let character = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/character.glb");
    fails(&["render", "--clips-from", "no_such.glb", "-o", out], 1, &["no_such.glb"]);
    let copy = scratch("clips_d.glb");
    std::fs::copy(character, &copy).unwrap();
    let copy = copy.to_str().unwrap();
    fails(&["bake", "--clips-from", copy, "-o", copy], 2, &["no output replaces what is read"]);
    assert!(!path.exists());
}

#[test]
fn clips_of_a_model_of_the_corpus_that_fit_nothing_are_refused() {
    let Some(corpus) = common::corpus() else { return };
    let (fox, path) = (corpus.join("models/Fox.glb"), scratch("clips_fox.png"));
    let out = path.to_str().unwrap();
    fails(&["render", "--clips-from", fox.to_str().unwrap(), "-o", out], 2, &["in this model"]);
    assert!(!path.exists());
}

#[test]
fn clips_are_mirrored_key_by_key_and_what_has_no_sides_is_said() {
    let character = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/character.glb");
    let path = scratch("clips_mirrored.glb");
    let out = path.to_str().unwrap();
    fails(&["clip", character, "-o", out, "--clip", "Wave"], 2, &["--mirror"]);
    fails(&["clip", character, "-o", out, "--mirror", "x", "--clip", "Wove"], 2, &["Wave"]);
    assert!(!path.exists());
    let report: Value =
        serde_json::from_str(&ok(&["clip", character, "-o", out, "--mirror", "x", "--clip", "Wave", "--json"]))
            .unwrap();
    assert_eq!(report["clips"], serde_json::json!(["Wave mirrored"]));
    let (json, _) = chunks(&path);
    let clips = json["animations"].as_array().unwrap();
    let (own, image) = (clips.iter().find(|clip| clip["name"] == "Wave").unwrap(), clips.last().unwrap());
    assert_eq!(image["name"], "Wave mirrored");
    assert_eq!(own["channels"].as_array().unwrap().len(), image["channels"].as_array().unwrap().len());
    // The mirror image of a pose of the clip is the pose of the mirror image.
    let (pose, mirrored) = (scratch("clips_wave.pose.json"), scratch("clips_wave_mirrored.pose.json"));
    let (pose, mirrored) = (pose.to_str().unwrap(), mirrored.to_str().unwrap());
    ok(&["pose", character, "-o", pose, "--clip", "Wave", "--time", "0.7", "--mirror", "x"]);
    ok(&["pose", out, "-o", mirrored, "--clip", "Wave mirrored", "--time", "0.7"]);
    let [wanted, got] =
        [pose, mirrored].map(|path| -> Value { serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap() });
    let mut compared = 0;
    for (joint, channels) in wanted["joints"].as_object().unwrap() {
        let Some(wanted) = channels.get("rotation") else { continue };
        let numbers = |value: &Value| -> [f64; 4] { serde_json::from_value(value.clone()).unwrap() };
        let (wanted, got) = (numbers(wanted), numbers(&got["joints"][joint]["rotation"]));
        let dot: f64 = wanted.iter().zip(&got).map(|(a, b)| a * b).sum();
        assert!(dot.abs() > 1.0 - 1e-6, "{joint}: {wanted:?} {got:?}");
        compared += 1;
    }
    assert!(compared > 30, "{compared}");
    let (code, _, said) = called(&["clip", character, "-o", out, "--mirror", "y", "--clip", "Wave", "--json"]);
    assert!(code == 0 && said.contains("has a partner on the other side"), "{said}");
}

#[test]
fn the_family_of_a_humanoid_is_told_with_its_bones() {
    let character = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/character.glb");
    let report: Value = serde_json::from_str(&ok(&["info", character, "--json"])).unwrap();
    let node = report["humanoid"]["bones"]["leftLowerLeg"].as_u64().unwrap();
    let row = report["nodes"].as_array().unwrap().iter().find(|row| row["index"] == node).unwrap();
    assert_eq!((&row["name"], &row["humanoid"]), (&"LowerLeg.L".into(), &"leftLowerLeg".into()));
    let text = ok(&["info", character]);
    assert!(text.contains("humanoid    humanoid bone names: hips Hips, "), "{text}");
}

/// The JSON and the binary chunk of a GLB.
fn chunks(path: &Path) -> (Value, Vec<u8>) {
    let bytes = std::fs::read(path).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let json = word(12);
    (serde_json::from_slice(&bytes[20..20 + json]).unwrap(), bytes[28 + json..28 + json + word(20 + json)].to_vec())
}

#[test]
fn a_clip_of_poses_is_appended_and_all_else_stays() {
    let character = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/character.glb");
    let (pose, path) = (scratch("clips_bow.pose.json"), scratch("clips_bow.glb"));
    let (pose, out) = (pose.to_str().unwrap(), path.to_str().unwrap());
    ok(&["pose", character, "-o", pose, "--rotate", "Spine=30,0,0", "--rotate", "UpperArm.L=0,20,50"]);
    let keys = [format!("0.5={pose}"), format!("0.5={pose}"), "0=rest".to_owned()];
    fails(&["clip", character, "-o", out, "--key", &keys[0], "--key", &keys[1]], 2, &["do not rise"]);
    fails(&["clip", character, "-o", out, "--key", &keys[0], "--name", "Wave"], 2, &["there is a clip \"Wave\""]);
    fails(&["clip", character, "-o", out], 2, &["--key"]);
    assert!(!path.exists());
    let arguments = ["clip", character, "-o", out, "--name", "Bow", "--key", &keys[2], "--key", &keys[0], "--json"];
    let report: Value = serde_json::from_str(&ok(&arguments)).unwrap();
    assert_eq!(report["clips"], serde_json::json!(["Bow"]));
    // At its moment the clip is the pose, to the byte of the baked surface.
    let posed = baked("clips_posed.ply", &[character, "--pose", pose]);
    assert_eq!(baked("clips_keyed.ply", &[out, "--clip", "Bow", "--time", "0.5"]), posed);
    let ((old, old_bytes), (new, new_bytes)) = (chunks(character.as_ref()), chunks(&path));
    assert_eq!(new_bytes[..old_bytes.len()], old_bytes, "old bytes of the buffer have changed");
    for (key, value) in old.as_object().unwrap() {
        match key.as_str() {
            "buffers" => {}
            "accessors" | "bufferViews" | "animations" => {
                let (old, new) = (value.as_array().unwrap(), new[key].as_array().unwrap());
                assert!(new.len() > old.len() && new[..old.len()] == old[..], "{key}");
            }
            _ => assert_eq!(&new[key], value, "{key}"),
        }
    }
    let input = new["animations"].as_array().unwrap().last().unwrap()["samplers"][0]["input"].as_u64().unwrap();
    let times = &new["accessors"][input as usize];
    assert_eq!((&times["min"], &times["max"]), (&serde_json::json!([0]), &serde_json::json!([0.5])));
}

#[test]
fn clips_of_another_file_are_appended_and_play_as_there() {
    let character = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/character.glb");
    let path = scratch("clips_taken.glb");
    let out = path.to_str().unwrap();
    ok(&["clip", character, "-o", out, "--clips-from", character]);
    let taken = baked("clips_e.ply", &[out, "--clip", "Walk (character.glb)", "--time", "0.4"]);
    assert_eq!(taken, baked("clips_f.ply", &[character, "--clip", "Walk", "--time", "0.4"]));
}

/// The places and normals of all vertices of a baked surface.
fn numbers(bytes: &[u8]) -> Vec<f32> {
    let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let count: usize =
        head.lines().find_map(|line| line.strip_prefix("element vertex ")).unwrap().trim().parse().unwrap();
    let floats = bytes[end..end + 24 * count].as_chunks().0.iter();
    floats.map(|b| f32::from_le_bytes(*b)).collect()
}

fn farthest(a: &[u8], b: &[u8]) -> f32 {
    numbers(a).iter().zip(numbers(b)).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
fn clips_are_laid_over_another_one() {
    let idle = ["--clip", "Idle", "--time", "0.7"];
    let plain = baked("clips_idle.ply", &idle);
    let over = |name: &str, more: &[&str]| baked(name, &[&idle[..], more].concat());
    let wave = baked("clips_wave.ply", &["--clip", "Wave", "--time", "0.7"]);
    let whole = over("clips_whole.ply", &["--blend-clip", "Wave=1"]);
    assert!(farthest(&whole, &wave) < 1e-4 && farthest(&plain, &wave) > 0.05);
    let part = over("clips_part.ply", &["--blend-clip", "Wave=0.3"]);
    let [near, far] = [farthest(&part, &plain), farthest(&part, &wave)];
    assert!(near > 0.01 && near < 0.6 * far, "{near} {far}");
    // Three tenths of its rise are over.
    let rising = over("clips_rising.ply", &["--blend-clip", "Wave=1", "--fade-in", "0.64,0.2"]);
    assert!(farthest(&rising, &part) < 1e-4);
    assert_eq!(over("clips_later.ply", &["--blend-clip", "Wave=1", "--fade-in", "0.8,0.2"]), plain);
    let added = over("clips_added.ply", &["--add-clip", "Wave=0.3"]);
    assert!(farthest(&added, &plain) > 0.01);
    // A pose file of it says the same.
    let pose = scratch("clips_added.pose.json");
    let pose = pose.to_str().unwrap();
    let character = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/character.glb");
    ok(&[&["pose", character, "-o", pose], &idle[..], &["--add-clip", "Wave=0.3"]].concat());
    assert!(farthest(&baked("clips_posed_added.ply", &["--pose", pose]), &added) < 1e-4);
    let path = scratch("clips_refused.ply");
    let out = path.to_str().unwrap();
    fails(&[&["bake", "-o", out], &idle[..], &["--blend-clip", "Wave"]].concat(), 2, &["expected NAME=PART"]);
    fails(&[&["bake", "-o", out], &idle[..], &["--add-clip", "Nod=1"]].concat(), 2, &["there is no clip"]);
    fails(&["bake", "-o", out, "--add-clip", "Wave=1"], 2, &["--clip"]);
    assert!(!path.exists());
}

/// The character with other names of two joints.
fn renamed(file: &str) -> std::path::PathBuf {
    let path = scratch(file);
    let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/character.glb")).unwrap();
    // The names stay as long as they are, so that no length changes.
    let swap = |bytes: Vec<u8>, from: &str, to: &str| {
        let mut out = bytes;
        let (from, to) = (format!("\"{from}\""), format!("\"{to}\""));
        assert_eq!(from.len(), to.len());
        for at in 0..out.len() - from.len() {
            if out[at..].starts_with(from.as_bytes()) {
                out[at..at + to.len()].copy_from_slice(to.as_bytes());
            }
        }
        out
    };
    std::fs::write(&path, swap(swap(bytes, "UpperArm.L", "OberarmLin"), "UpperArm.R", "OberarmRec")).unwrap();
    path
}

#[test]
fn people_say_which_joints_of_the_clips_are_which_and_see_it() {
    let character = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/character.glb");
    let (other, map) = (renamed("clips_renamed.glb"), scratch("clips_names.map.json"));
    let (other, map) = (other.to_str().unwrap(), map.to_str().unwrap());
    let from = ["--clips-from", other, "--clip", "Wave (clips_renamed.glb)", "--time", "0.7"];
    let wanted = baked("clips_map_a.ply", &["--clip", "Wave", "--time", "0.7"]);
    let unnamed = baked("clips_map_b.ply", &[&from[..], &["--write-map", map]].concat());
    assert!(farthest(&unnamed, &wanted) > 0.05);
    let seen: Value = common::json(map.as_ref());
    assert_eq!((&seen["OberarmLin"], &seen["UpperLeg.L"]), (&Value::Null, &Value::from("UpperLeg.L")));
    std::fs::write(map, r#"{"OberarmLin": "UpperArm.L", "OberarmRec": null}"#).unwrap();
    // The last word is right.
    let said = ["--map", map, "--map", "OberarmRec=UpperArm.R"];
    assert_eq!(baked("clips_map_c.ply", &[&from[..], &said].concat()), wanted);
    let (path, out) = (scratch("clips_map.ply"), scratch("clips_map.ply"));
    let out = out.to_str().unwrap();
    let refused = |code: u8, more: &[&str], words: &[&str]| {
        fails(&[&["bake", character, "-o", out], more].concat(), code, words);
    };
    refused(2, &[&from[..], &["--map", "OberarmLinks=UpperArm.L"]].concat(), &["OberarmLinks", "OberarmLin,"]);
    refused(2, &[&from[..], &["--map", "OberarmLin=UpperArm"]].concat(), &["UpperArm.L"]);
    refused(2, &["--map", "OberarmLin=UpperArm.L"], &["--clips-from"]);
    refused(1, &[&from[..], &["--map", "no_such.map.json"]].concat(), &["no_such.map.json"]);
    std::fs::write(map, "[1]").unwrap();
    refused(1, &[&from[..], &["--map", map]].concat(), &["an object of names"]);
    refused(2, &[&from[..], &["--write-map", other]].concat(), &["no output replaces what is read"]);
    // Nor what is read later, nor the output itself.
    let pose = scratch("clips_map.pose.json");
    std::fs::write(&pose, r#"{"skinscope_pose": 1, "joints": {"Head": {"scale": [2, 2, 2]}}}"#).unwrap();
    let (before, name) = (std::fs::read(&pose).unwrap(), pose.to_str().unwrap());
    let mapped = [&from[..], &["--pose", name, "--write-map", name]].concat();
    refused(2, &mapped, &["no output replaces what is read"]);
    assert_eq!(std::fs::read(&pose).unwrap(), before);
    refused(2, &[&from[..], &["--write-map", out]].concat(), &["--write-map and --output name one file"]);
    assert!(!path.exists());
    // Weights are transferred between the same joints.
    let fixed = scratch("clips_map_fixed.glb");
    let fix = ["fix", character, "-o", fixed.to_str().unwrap(), "--transfer", other];
    fails(&[&fix[..], &["--map", "Oberarm=UpperArm.L"]].concat(), 2, &["OberarmLin"]);
    let told = |more: &[&str]| called(&[&fix[..], more].concat()).1;
    assert!(told(&[]).contains("OberarmLin"));
    assert!(!told(&["--map", "OberarmLin=UpperArm.L", "--map", "OberarmRec=UpperArm.R"]).contains("Oberarm"));
}

#[test]
fn where_no_joint_has_a_counterpart_the_nearest_names_of_both_files_are_told() {
    let Some(corpus) = common::corpus() else { return };
    let (fox, path) = (corpus.join("models/Fox.glb"), scratch("clips_near.ply"));
    let arguments = ["bake", "--clips-from", fox.to_str().unwrap(), "-o", path.to_str().unwrap()];
    fails(&arguments, 2, &["\"b_", "there is nearest to", "--map"]);
}

#[test]
fn a_mapping_is_proposed_of_what_something_speaks_for_and_says_where_that_is_little() {
    let Some(models) = common::corpus().map(|corpus| corpus.join("models")) else { return };
    let file = |name: &str| models.join(name).to_str().unwrap().to_owned();
    let out = scratch("proposed.glb");
    let refusal = |from: &str, to: &str, map: &Path| {
        let (from, to) = (file(from), file(to));
        let arguments = ["clip", &to, "--clips-from", &from, "--write-map", map.to_str().unwrap()];
        let (code, _, said) = called(&[&arguments[..], &["-o", out.to_str().unwrap()]].concat());
        assert_eq!(code, 2, "{said}");
        said
    };
    // The feet of the robot hang on the ground beside it, and the names of the other figure number its joints.
    let map = scratch("proposed_none.map.json");
    let text = refusal("RobotExpressive.glb", "CesiumMan.glb", &map);
    assert!(!text.contains("neck_joint_1\","), "{text}");
    if !text.contains("no mapping is proposed") {
        assert!(text.contains("nothing tells of the others"), "{text}");
    }
    let map = scratch("proposed_words.map.json");
    let text = refusal("RobotExpressive.glb", "KayKit_Knight.glb", &map);
    assert!(text.contains("is proposed"), "{text}");
    let seen: Value = common::json(&map);
    for (there, here) in
        [("UpperArmL", "upperarm.l"), ("LowerArmR", "lowerarm.r"), ("FootL", "foot.l"), ("Head", "head")]
    {
        assert_eq!(seen[there], Value::from(here), "{seen}");
    }
    assert_eq!((&seen["Body"], &seen["PoleTargetL"]), (&Value::Null, &Value::Null), "{seen}");
    // Both stand on two legs that are alike.
    let map = scratch("proposed_shape.map.json");
    refusal("KayKit_Knight.glb", "CesiumMan.glb", &map);
    let seen: Value = common::json(&map);
    assert_eq!((&seen["head"], &seen["foot.l"]), (&"Skeleton_neck_joint_2".into(), &"leg_joint_L_3".into()), "{seen}");
}
