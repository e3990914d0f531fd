//! The command line as a user meets it: the real program, its exit codes, and what it prints and writes.

#![cfg(feature = "app")]
#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn skinscope(arguments: &[&str]) -> Output {
    // No display: whatever needs one must say so, and nothing else may want one.
    Command::new(env!("CARGO_BIN_EXE_skinscope"))
        .args(arguments)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .unwrap()
}

fn ok(arguments: &[&str]) -> String {
    let out = skinscope(arguments);
    assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// Fails with `code`, one line on standard error that holds `words`.
fn fails(arguments: &[&str], code: i32, words: &[&str]) {
    let out = skinscope(arguments);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(code), "{arguments:?}: {said}");
    for word in words {
        assert!(said.contains(word), "{arguments:?} does not say \"{word}\": {said}");
    }
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    let _absent = std::fs::remove_file(&path);
    path
}

fn picture(arguments: &[&str], name: &str) -> Option<image::RgbaImage> {
    let path = scratch(name);
    let mut all = vec!["render", "-o", path.to_str().unwrap()];
    all.extend(arguments);
    let out = skinscope(&all);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    if out.status.code() == Some(2) && said.contains("no graphics adapter") {
        common::skipped("no graphics adapter");
        return None;
    }
    assert!(out.status.success(), "{all:?}: {said}");
    Some(image::open(&path).unwrap().into_rgba8())
}

#[test]
fn help_reads_like_documentation() {
    let help = ok(&["--help"]);
    for word in ["render", "bake", "info", "view", "Exit codes", "MODEL"] {
        assert!(help.contains(word), "{word}");
    }
    for sub in ["render", "bake", "pose", "info", "view"] {
        assert!(ok(&[sub, "--help"]).len() > 500, "{sub}");
    }
}

/// Words of `text` however its lines are broken.
fn flowing(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn help_lists_what_the_readme_and_the_options_promise() {
    // The README's table of commands names options; each is in the help of its command.
    let readme = include_str!("../README.md");
    let mut options = 0;
    for name in ["render", "bake", "pose", "info", "check", "fix", "diff", "view"] {
        let help = flowing(&ok(&["help", name]));
        let start = if name == "view" { "| `skinscope [view]".to_owned() } else { format!("| `skinscope {name} ") };
        let row = readme.lines().find(|line| line.starts_with(&start)).unwrap();
        for option in row.split([' ', '`', ':']).filter(|word| word.starts_with("--")) {
            // Those whose value may be left out are followed by a bracket.
            let has = |after| help.contains(&format!("{option}{after}"));
            assert!(has(' ') || has('['), "`help {name}` does not have {option}");
            options += 1;
        }
    }
    assert!(options > 25, "{options}");
    // Operations stand in the order in which they run.
    let (fix, mut after) = (flowing(&ok(&["help", "fix"])), 0);
    for operation in skinscope::edit::OPERATIONS {
        let argument = if operation.argument.is_empty() { String::new() } else { format!(" <{}>", operation.argument) };
        let words = flowing(&format!("--{}{argument} {}", operation.id, operation.help));
        let at = fix[after..].find(&words);
        assert!(at.is_some(), "`help fix` does not have, or not in its place: {words}\n{fix}");
        after += at.unwrap();
    }
    for rule in skinscope::edit::REPAIRED {
        assert!(fix.contains(rule), "{rule}");
    }
    let render = flowing(&ok(&["help", "render"]));
    for overlay in skinscope::inspect::OVERLAYS {
        assert!(render.contains(&flowing(&format!("- {}: {}", overlay.id, overlay.help))), "{}: {render}", overlay.id);
    }
    for (name, help) in [("render", &render), ("bake", &flowing(&ok(&["help", "bake"])))] {
        for method in skinscope::deform::METHODS {
            assert!(help.contains(&flowing(&format!("- {}: {}", method.id, method.help))), "{name}: {}", method.id);
        }
        for words in ["Exit codes: 0", "`skinscope info MODEL` lists the names", "never over one"] {
            assert!(help.contains(words), "{name}: {words}");
        }
    }
    for side in
        ["front: From +Z", "back: From −Z", "left: From −X", "right: From +X", "top: From +Y", "persp: From the front"]
    {
        assert!(render.contains(side), "{side}");
    }
    assert!(render.contains("Examples: skinscope render character.glb"));
}

#[test]
fn exit_codes_tell_bad_files_from_bad_usage() {
    fails(&["info", "no_such_file.glb"], 1, &["no_such_file.glb"]);
    fails(&["no_such_file.glb"], 1, &["no_such_file.glb"]);
    fails(&["render", "no_such_file.glb", "-o", "x.png"], 1, &["no_such_file.glb"]);
    fails(&["render"], 2, &["--output"]);
    fails(&["render", "-o", "x.jpeg"], 2, &[".png"]);
    fails(&["render", "-o", "x.png", "--time", "1"], 2, &["--clip"]);
    fails(&["render", "-o", "x.png", "--clip", "No such clip"], 2, &["Walk"]);
    fails(&["render", "-o", "x.png", "--heatmap", "No such joint"], 2, &["Head"]);
    fails(&["bake", "-o", "x.fbx"], 2, &[".ply", ".stl"]);
    fails(&["bake", "-o", "/no/such/folder/x.ply"], 2, &["/no/such/folder"]);
    fails(&["render", "-o", "x.png", "--eye", "0,1,4", "--fov", "-10"], 2, &["degrees"]);
    fails(&["render", "-o", "x.png", "--clip", "-1"], 2, &["no clip \"-1\""]);
    fails(&["render", "-o", "x.png", "--size", "9000x9000"], 2, &["8192"]);
    let bad = scratch("bad.glb");
    std::fs::write(&bad, b"glTF but not really").unwrap();
    fails(&["info", bad.to_str().unwrap()], 1, &["bad.glb"]);
}

#[test]
fn a_picture_says_as_json_which_buffer_its_palette_was_read_from() {
    for (asked, used) in [("auto", "storage"), ("uniform", "uniform"), ("storage", "storage")] {
        let path = scratch(&format!("palette_{asked}.png"));
        let name = path.to_str().unwrap();
        let out = skinscope(&["render", "-o", name, "--size", "32x24", "--palette", asked, "--json"]);
        if String::from_utf8_lossy(&out.stderr).contains("no graphics adapter") {
            return common::skipped("no graphics adapter");
        }
        let report: Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!((&report["file"], &report["size"]), (&name.into(), &serde_json::json!([32, 24])));
        let palette = &report["palette"];
        assert_eq!((&palette["asked"], &palette["used"]), (&asked.into(), &used.into()));
        let number = |name: &str| palette[name].as_u64().unwrap();
        assert_eq!(number("bytes"), number("matrices") * number("bytes_per_matrix"));
        let info: Value = serde_json::from_str(&ok(&["info", "--json"])).unwrap();
        assert_eq!(info["palette"]["matrices"], palette["matrices"]);
        assert_eq!(info["palette"]["methods"][0]["bytes"], palette["bytes"]);
    }
    fails(&["render", "-o", "x.png", "--palette", "texture"], 2, &["expected auto, uniform or storage"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_success() {
    for (command, name) in [("bake", "full.ply"), ("render", "full.png")] {
        let path = scratch(name);
        std::os::unix::fs::symlink("/dev/full", &path).unwrap();
        // Small enough to fit the writer's buffer: only the last flush meets the disk.
        let mut arguments = vec![command, "-o", path.to_str().unwrap()];
        if command == "render" {
            arguments.extend(["--size", "32x32"]);
        }
        fails(&arguments, 2, &["full."]);
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_file_without_a_mesh_is_drawn_as_its_skeleton() {
    let path = scratch("bare.gltf");
    let bare =
        r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"children":[1]},{"translation":[0,1,0]}]}"#;
    std::fs::write(&path, bare).unwrap();
    let Some(drawn) = picture(&[path.to_str().unwrap(), "--size", "200x200", "--background", "#000000"], "bare.png")
    else {
        return;
    };
    let bright = drawn.pixels().filter(|p| p.0[0] > 40).count();
    assert!(bright > 200, "{bright}");
}

/// A quad whose material is red, and in its variants green and the same red.
fn with_variants() -> PathBuf {
    let corners: Vec<u8> = [[-1.0_f32, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
        .iter()
        .flat_map(|[x, y]| [*x, *y, 0.0])
        .flat_map(f32::to_le_bytes)
        .collect();
    let bytes: Vec<u8> = corners.into_iter().chain([0, 1, 2, 0, 2, 3]).collect();
    let uri = format!("data:;base64,{}", base64(&bytes));
    let unlit = |color: [f32; 4]| {
        let extensions = serde_json::json!({ "KHR_materials_unlit": {} });
        serde_json::json!({ "pbrMetallicRoughness": { "baseColorFactor": color }, "extensions": extensions })
    };
    let mappings = serde_json::json!([{ "variants": [0], "material": 1 }]);
    let file = serde_json::json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": ["KHR_materials_variants", "KHR_materials_unlit"],
        "extensions": { "KHR_materials_variants": { "variants": [{ "name": "Green one" }, { "name": "1st" }] } },
        "buffers": [{ "byteLength": 54, "uri": uri }],
        "bufferViews": [{ "buffer": 0, "byteLength": 48 }, { "buffer": 0, "byteOffset": 48, "byteLength": 6 }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4, "min": [-1, -1, 0], "max": [1, 1, 0] },
            { "bufferView": 1, "componentType": 5121, "type": "SCALAR", "count": 6 },
        ],
        "materials": [unlit([1.0, 0.0, 0.0, 1.0]), unlit([0.0, 1.0, 0.0, 1.0])],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1, "material": 0,
            "extensions": { "KHR_materials_variants": { "mappings": mappings } } }] }],
        "nodes": [{ "mesh": 0 }],
        "scenes": [{ "nodes": [0] }],
    });
    let path = scratch(&format!("variants-{:?}.gltf", std::thread::current().id()));
    std::fs::write(&path, file.to_string()).unwrap();
    path
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[test]
fn a_variant_is_drawn_by_its_name_or_number() {
    let path = with_variants();
    let file = path.to_str().unwrap();
    let middle = |more: &[&str]| {
        let mut all = vec![file, "--view", "front", "--size", "64x64"];
        all.extend(more);
        Some(picture(&all, "variant.png")?.get_pixel(30, 34).0)
    };
    let Some(plain) = middle(&[]) else { return };
    assert_eq!(plain, [255, 0, 0, 255]);
    assert_eq!(middle(&["--variant", "Green one"]), Some([0, 255, 0, 255]));
    assert_eq!(middle(&["--variant", "0"]), Some([0, 255, 0, 255]));
    assert_eq!(middle(&["--variant", "1st"]), Some(plain), "a variant that maps nothing changes nothing");
    let missing = &["render", file, "-o", "x.png", "--variant", "Blue"];
    fails(missing, 2, &["there is no variant \"Blue\"", "Green one, 1st"]);
    fails(&["render", "-o", "x.png", "--variant", "Blue"], 2, &["the file has no variants"]);
}

#[test]
fn info_lists_variants_and_layers() {
    let path = with_variants();
    let file = path.to_str().unwrap();
    let report: Value = serde_json::from_str(&ok(&["info", "--json", file])).unwrap();
    assert_eq!(report["variants"], serde_json::json!(["Green one", "1st"]));
    let primitive = &report["meshes"][0]["primitives"][0];
    assert_eq!(primitive["variants"], serde_json::json!([{ "variant": 0, "material": 1 }]));
    assert_eq!(report["materials"][1]["layers"], serde_json::json!(["unlit"]));
    let text = ok(&["info", file]);
    assert!(text.contains("variants    0 \"Green one\"") && text.contains("\"material 1\": unlit"), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_display_the_window_says_what_to_do() {
    fails(&[], 2, &["display", "render"]);
}

#[test]
fn info_of_the_built_in_character() {
    let report: Value = serde_json::from_str(&ok(&["info", "--json"])).unwrap();
    assert_eq!(report["schema"], 1);
    let clips: Vec<&str> = report["clips"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(clips, ["Idle", "Walk", "Wave", "Bend"]);
    assert!(report["counts"]["joints"].as_u64().unwrap() >= 20);
    assert!(report["influences"]["most"].as_u64().unwrap() <= 4);
    let text = ok(&["info"]);
    assert!(text.contains("Walk") && text.contains("warnings    none"), "{text}");
}

#[test]
fn info_agrees_with_the_corpus_table() {
    let Some(corpus) = common::corpus() else { return };
    let table = std::fs::read_to_string(corpus.join("models.csv")).unwrap();
    for name in ["CesiumMan", "Fox", "KayKit_Knight"] {
        let row = table.lines().find(|l| l.starts_with(&format!("{name},"))).unwrap();
        let file = corpus.join(format!("models/{name}.glb"));
        let report: Value = serde_json::from_str(&ok(&["info", "--json", file.to_str().unwrap()])).unwrap();
        // Columns after the quoted licence differ in commas, so whole ",vertices,primitives,joints,skins,clips," is sought.
        let c = &report["counts"];
        let joints = report["skins"][0]["joints"].as_array().unwrap().len();
        let wanted = format!(",{},{},{joints},{},{},", c["vertices"], c["primitives"], c["skins"], c["clips"]);
        assert!(row.contains(&wanted), "{name}: {wanted} is not in {row}");
    }
}

/// Counted from the bytes of the files by other means.
#[test]
fn info_sums_up_each_skin() {
    let Some(corpus) = common::corpus() else { return };
    let report = |name: &str| -> Value {
        let file = corpus.join(format!("models/{name}.glb"));
        serde_json::from_str(&ok(&["info", "--json", file.to_str().unwrap()])).unwrap()
    };
    let cesium = report("CesiumMan");
    let skin = &cesium["skins"][0];
    assert_eq!(skin["influences"]["by_count"], serde_json::json!([0, 458, 1678, 717, 420, 0]));
    assert_eq!(cesium["influences"]["by_count"], skin["influences"]["by_count"]);
    let percent = skin["influences"]["percent"][2].as_f64().unwrap();
    assert!((percent - 100.0 * 1678.0 / 3273.0).abs() < 1e-9, "{percent}");
    assert_eq!((&skin["influences"]["used"], &skin["influences"]["stored"]), (&7645.into(), &(4 * 3273).into()));
    assert_eq!((&skin["over_4"], &skin["sum_not_one"], &skin["shared_with"]), (&0.into(), &0.into(), &0.into()));
    let tube = report("Tube8Influences");
    assert_eq!((&tube["skins"][0]["over_4"], &tube["skins"][0]["influences"]["most"]), (&1920.into(), &8.into()));
    let many = report("MultiSkin");
    let of = |field: &str| many["skins"].as_array().unwrap().iter().map(|s| s[field].clone()).collect::<Vec<_>>();
    assert_eq!(of("inverse_binds"), [true, true, true, false]);
    assert_eq!(
        (of("shared_with"), of("vertices")),
        (vec![3.into(); 4], vec![30.into(), 10.into(), 10.into(), 10.into()])
    );
    let file = corpus.join("models/MultiSkin.glb");
    let text = ok(&["info", file.to_str().unwrap()]);
    assert!(text.contains("no inverse bind matrices stored") && text.contains("skeleton shared with 3 more"), "{text}");
}

/// The weights are read again from the file's bytes, by nothing but what the report says.
#[test]
fn info_says_where_the_numbers_stand() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
    let bytes = std::fs::read(&file).unwrap();
    let report: Value = serde_json::from_str(&ok(&["info", "--json", file.to_str().unwrap()])).unwrap();
    let storage = &report["storage"];
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    let text = &bytes[number(&storage["json"]["offset"])..][..number(&storage["json"]["length"])];
    let document: Value = serde_json::from_slice(text).unwrap();
    let weights = &report["meshes"][0]["primitives"][0]["sets"][0]["weights"];
    assert_eq!(weights["accessor"], document["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"]);
    let accessor = &storage["accessors"][number(&weights["accessor"])];
    assert_eq!((&accessor["type"], &accessor["normalized"]), (&"VEC4".into(), &true.into()));
    let one = match accessor["component"].as_str() {
        Some("u8") => 255,
        Some("u16") => 65_535,
        other => panic!("weights of {other:?}"),
    };
    let width = if one == 255 { 1 } else { 2 };
    let elements = &accessor["elements"];
    let buffer = &storage["buffers"][number(&elements["buffer"])];
    assert_eq!(buffer["source"], "glb");
    let start = number(&buffer["file_offset"]) + number(&elements["offset"]);
    for vertex in 0..number(&accessor["count"]) {
        let element = &bytes[start + vertex * number(&elements["stride"])..][..4 * width];
        let sum: u32 = element.chunks(width).map(|b| b.iter().rev().fold(0, |n, b| n << 8 | u32::from(*b))).sum();
        assert_eq!(sum, one, "vertex {vertex}");
    }
    let skin = &report["skins"][0]["inverse_bind_accessor"];
    assert_eq!(skin, &document["skins"][0]["inverseBindMatrices"]);
    let sampler = &report["clips"][1]["stored"]["samplers"][0];
    assert_eq!(sampler["output"], document["animations"][1]["samplers"][number(&sampler["index"])]["output"]);
    let node = report["nodes"].as_array().unwrap().iter().find(|n| n["joint"] == true).unwrap();
    for member in node["members"].as_array().unwrap() {
        assert!(!document["nodes"][number(&node["index"])][member.as_str().unwrap()].is_null(), "{member}");
    }
    let text = ok(&["info", file.to_str().unwrap()]);
    assert!(
        text.lines().any(|l| l.starts_with("stored") && l.contains("weights u") && l.contains("accessors")),
        "{text}"
    );
}

#[test]
fn a_baked_ply_holds_the_reference_positions() {
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

#[test]
fn edges_are_smooth_unless_told_otherwise() {
    let alphas = |more: &[&str], name| -> Option<BTreeSet<u8>> {
        let all = [&["--size", "120x160", "--background", "transparent"], more].concat();
        Some(picture(&all, name)?.pixels().map(|p| p[3]).collect())
    };
    let Some(hard) = alphas(&["--msaa", "off"], "hard.png") else { return };
    assert_eq!(hard, BTreeSet::from([0, 255]));
    let smooth = alphas(&[], "smooth.png").unwrap();
    // So many of four samples are seen.
    assert_eq!(smooth.len(), 5, "{smooth:?}");
    assert_eq!(smooth, alphas(&["--msaa", "4"], "four.png").unwrap());
    fails(&["render", "-o", "x.png", "--msaa", "8"], 2, &["4 or off"]);
}

#[test]
fn pictures_show_the_model_on_the_background_that_was_asked_for() {
    let Some(plain) = picture(&["--size", "200x300", "--background", "#204060"], "plain.png") else { return };
    assert_eq!(plain.dimensions(), (200, 300));
    assert_eq!(plain.get_pixel(0, 0).0, [0x20, 0x40, 0x60, 255]);
    let drawn = plain.pixels().filter(|p| p.0 != [0x20, 0x40, 0x60, 255]).count();
    assert!((3000..30_000).contains(&drawn), "{drawn} pixels");
    assert!(plain.pixels().all(|p| p.0[3] == 255));
}

#[test]
fn a_transparent_background_writes_straight_alpha() {
    let Some(cut) = picture(&["--size", "200x300", "--background", "transparent"], "cut.png") else { return };
    assert_eq!(cut.get_pixel(0, 0).0, [0; 4]);
    let opaque = cut.pixels().filter(|p| p.0[3] == 255).count();
    let edge = cut.pixels().filter(|p| (1..255).contains(&p.0[3])).count();
    assert!(opaque > 3000 && edge > 50 && edge < opaque / 2, "{opaque} opaque, {edge} at the edge");
}

#[test]
fn time_clamps_and_clips_pose() {
    let shot = |arguments: &[&str], name: &str| {
        let mut all = vec!["--size", "160x240", "--view", "right"];
        all.extend(arguments);
        picture(&all, name)
    };
    let Some(rest) = shot(&[], "rest.png") else { return };
    let walking = shot(&["--clip", "Walk", "--time", "0.25"], "walk.png").unwrap();
    assert!(rest != walking);
    let end = shot(&["--clip", "Bend", "--time", "9999"], "end.png").unwrap();
    let before = shot(&["--clip", "3", "--time", "-5"], "before.png").unwrap();
    assert_eq!(before, shot(&["--clip", "Bend"], "start.png").unwrap());
    assert_eq!(end, shot(&["--clip", "Bend", "--time", "100"], "end2.png").unwrap());
}

#[test]
fn the_heat_map_is_red_where_the_joint_rules_and_blue_where_it_does_not() {
    let Some(map) =
        picture(&["--size", "200x300", "--heatmap", "Head", "--view", "front", "--ramp", "blender"], "heat.png")
    else {
        return;
    };
    let red = map.enumerate_pixels().filter(|(_, y, p)| *y < 90 && p.0[0] > 150 && p.0[2] < 90).count();
    let blue = map.enumerate_pixels().filter(|(_, y, p)| *y > 150 && p.0[2] > 150 && p.0[0] < 90).count();
    assert!(red > 200 && blue > 1000, "{red} red above, {blue} blue below");
}

#[test]
fn weights_without_a_joint_are_those_of_the_one_that_moves_most() {
    let all = ["--size", "200x300", "--view", "front", "--overlay", "weights"];
    let Some(map) = picture(&all, "most.png") else { return };
    let warm = map.pixels().filter(|p| p.0[0] > 180 && p.0[0] > p.0[2] + 60).count();
    let grey = map.pixels().filter(|p| p.0[0].abs_diff(p.0[2]) < 12 && p.0[0] > 60).count();
    assert!(warm > 300 && grey > 1000, "{warm} {grey}");
    fails(&["render", "-o", "x.png", "--influenced-only"], 2, &["which joint?"]);
    fails(&["render", "-o", "x.png", "--ramp", "rainbow"], 2, &["heat", "blender", "viridis", "maya", "grey"]);
}

#[test]
fn skeleton_and_skin_look_as_they_are_asked_to() {
    let shot = |arguments: &[&str], name: &str| {
        let mut all = vec!["--size", "200x300", "--view", "front", "--background", "#204060"];
        all.extend(arguments);
        picture(&all, name)
    };
    let Some(plain) = shot(&["--skeleton"], "octahedra.png") else { return };
    let mut seen = vec![plain];
    for (i, arguments) in [
        &["--skeleton", "--bones", "sticks"][..],
        &["--skeleton", "--bones", "lines"],
        &["--skeleton", "--bone-size", "3"],
        &["--skeleton", "--hide", "Head"],
        &["--skeleton", "--skin-opacity", "0.4"],
        &["--skeleton", "--joint", "Head"],
    ]
    .iter()
    .enumerate()
    {
        let picture = shot(arguments, &format!("skeleton_{i}.png")).unwrap();
        assert!(seen.iter().all(|other| *other != picture), "{arguments:?}");
        seen.push(picture);
    }
    let nothing = shot(&["--skin-opacity", "0"], "nothing.png").unwrap();
    assert!(nothing.pixels().all(|p| p.0 == [0x20, 0x40, 0x60, 255]), "a skin that cannot be seen");
    fails(&["render", "-o", "x.png", "--skin-opacity", "2"], 2, &["0 to 1"]);
    fails(&["render", "-o", "x.png", "--bone-size", "9"], 2, &["0.25 to 4"]);
    fails(&["render", "-o", "x.png", "--hide", "No such node"], 2, &["No such node"]);
}

#[test]
fn negative_eyes_look_from_the_other_side() {
    let from = |eye: &str, name: &str| {
        picture(&["--size", "200x300", "--eye", eye, "--target", "0,0.9,0", "--fov", "40"], name)
    };
    let Some(front) = from("0,1,4", "front.png") else { return };
    let back = from("0,1,-4", "back.png").unwrap();
    assert!(front != back);
    if let Some(method) =
        picture(&["--size", "200x300", "--clip", "Bend", "--time", "1", "--method", "dual-quaternion"], "dq.png")
    {
        assert!(method != picture(&["--size", "200x300", "--clip", "Bend", "--time", "1"], "lbs.png").unwrap());
    }
}

/// A texture that is missing and a node too far off, said by every subcommand that opens the file.
#[test]
fn warnings_are_said_whatever_is_done_with_the_file() {
    let path = scratch("warns.gltf");
    let text = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
        "nodes":[{"mesh":0,"translation":[1e30,0,0]}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0},"material":0}]}],
        "materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],
        "textures":[{"source":0}],"images":[{"uri":"gone.png"}],
        "accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3,"min":[0,0,0],"max":[1,1,0]}],
        "bufferViews":[{"buffer":0,"byteLength":36}],
        "buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}"#;
    std::fs::write(&path, text).unwrap();
    let model = path.to_str().unwrap();
    let baked = scratch("warns.ply");
    let shown = scratch("warns.png");
    let runs: [&[&str]; 3] = [
        &["bake", model, "-o", baked.to_str().unwrap()],
        &["info", model, "--load"],
        &["render", model, "-o", shown.to_str().unwrap(), "--size", "32x32"],
    ];
    for arguments in runs {
        let out = skinscope(arguments);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        if said.contains("no graphics adapter") {
            return common::skipped("no graphics adapter");
        }
        assert!(out.status.success(), "{arguments:?}: {said}");
        let warnings: Vec<&str> = said.lines().filter(|l| l.starts_with("skinscope: warning: ")).collect();
        assert!(warnings.iter().any(|w| w.contains("node 0: stands 1e30 m away")), "{arguments:?}: {said}");
        assert!(warnings.iter().any(|w| w.contains("gone.png")), "{arguments:?}: {said}");
    }
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
