//! Checks the pictures that `skinscope render` writes.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::cli::variants::with_variants;
use crate::cli::{common, fails, ok, scratch, skinscope};

/// Renders into the file `name`. `None` where there is no graphics adapter.
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

/// The middle of the picture of a file with variants. `None` where there is no graphics adapter.
fn middle(file: &str, name: &str, more: &[&str]) -> Option<[u8; 4]> {
    let all = [&[file, "--view", "front", "--size", "64x64"], more].concat();
    Some(picture(&all, name)?.get_pixel(30, 34).0)
}

#[test]
fn a_variant_is_drawn_by_its_name() {
    let path = with_variants();
    let file = path.to_str().unwrap();
    let middle = |more: &[&str]| middle(file, "variant.png", more);
    let Some(plain) = middle(&[]) else { return };
    assert_eq!(plain, [255, 0, 0, 255]);
    assert_eq!(middle(&["--variant", "Green one"]), Some([0, 255, 0, 255]));
    let missing = &["render", file, "-o", "x.png", "--variant", "Blue"];
    fails(missing, 2, &["there is no variant \"Blue\"", "Green one, 1st"]);
    fails(&["render", "-o", "x.png", "--variant", "Blue"], 2, &["the file has no variant"]);
}

#[test]
#[ignore = "full: it draws three pictures by processes of their own"]
fn a_variant_is_drawn_by_its_number_and_one_that_maps_nothing_changes_nothing() {
    let path = with_variants();
    let middle = |more: &[&str]| middle(path.to_str().unwrap(), "variant_number.png", more);
    let Some(plain) = middle(&[]) else { return };
    assert_eq!(middle(&["--variant", "0"]), Some([0, 255, 0, 255]));
    assert_eq!(middle(&["--variant", "1st"]), Some(plain), "a variant that maps nothing changes nothing");
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

/// The built-in character from its right side.
fn from_the_right(arguments: &[&str], name: &str) -> Option<image::RgbaImage> {
    picture(&[&["--size", "160x240", "--view", "right"], arguments].concat(), name)
}

#[test]
fn clips_pose() {
    let Some(rest) = from_the_right(&[], "rest.png") else { return };
    assert!(rest != from_the_right(&["--clip", "Walk", "--time", "0.25"], "walk.png").unwrap());
}

#[test]
#[ignore = "full: it draws four pictures by processes of their own"]
fn time_clamps_to_the_clip() {
    let shot = from_the_right;
    let Some(end) = shot(&["--clip", "Bend", "--time", "9999"], "end.png") else { return };
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

/// The background of pictures that are counted.
const BLUE: [u8; 4] = [0x20, 0x40, 0x60, 255];

/// Draws the skeleton in each of these ways: no two pictures are alike, and none is that of octahedra.
fn skeletons_differ(name: &str, ways: &[&[&str]]) {
    let shot = |arguments: &[&str], name: &str| {
        let look = ["--skeleton", "--size", "200x300", "--view", "front", "--background", "#204060"];
        picture(&[&look[..], arguments].concat(), name)
    };
    let Some(plain) = shot(&[], &format!("{name}.png")) else { return };
    let mut seen = vec![plain];
    for (i, arguments) in ways.iter().enumerate() {
        let picture = shot(arguments, &format!("{name}_{i}.png")).unwrap();
        assert!(seen.iter().all(|other| *other != picture), "{arguments:?}");
        seen.push(picture);
    }
}

#[test]
fn skeleton_and_skin_look_as_they_are_asked_to() {
    skeletons_differ("octahedra", &[&["--bones", "sticks"], &["--hide", "Head"], &["--joint", "Head"]]);
    let nothing = ["--size", "200x300", "--view", "front", "--background", "#204060", "--skin-opacity", "0"];
    let Some(nothing) = picture(&nothing, "nothing.png") else { return };
    assert!(nothing.pixels().all(|p| p.0 == BLUE), "a skin that cannot be seen");
    fails(&["render", "-o", "x.png", "--skin-opacity", "2"], 2, &["0 to 1"]);
    fails(&["render", "-o", "x.png", "--bone-size", "9"], 2, &["0.25 to 4"]);
    fails(&["render", "-o", "x.png", "--hide", "No such node"], 2, &["No such node"]);
}

#[test]
#[ignore = "full: it draws seven pictures by processes of their own"]
fn every_look_of_skeleton_and_skin_is_another_picture() {
    skeletons_differ(
        "skeletons",
        &[
            &["--bones", "sticks"],
            &["--bones", "lines"],
            &["--bone-size", "3"],
            &["--hide", "Head"],
            &["--skin-opacity", "0.4"],
            &["--joint", "Head"],
        ],
    );
}

#[test]
fn negative_eyes_look_from_the_other_side() {
    let from = |eye: &str, name: &str| {
        picture(&["--size", "200x300", "--eye", eye, "--target", "0,0.9,0", "--fov", "40"], name)
    };
    let Some(front) = from("0,1,4", "front.png") else { return };
    assert!(front != from("0,1,-4", "back.png").unwrap());
}

#[test]
#[ignore = "full: it draws two pictures by processes of their own"]
fn a_picture_shows_the_method_that_was_asked_for() {
    let bent = ["--size", "200x300", "--clip", "Bend", "--time", "1"];
    let Some(method) = picture(&[&bent[..], &["--method", "dual-quaternion"]].concat(), "dq.png") else { return };
    assert!(method != picture(&bent, "lbs.png").unwrap());
}

/// The built-in character on blue, 240 × 180 pixels.
fn on_blue(more: &[&str], name: &str) -> Option<image::RgbaImage> {
    picture(&[&["--size", "240x180", "--background", "#204060"], more].concat(), name)
}

#[test]
fn ground_and_projection_are_drawn_where_they_are_asked_for() {
    let Some(plain) = on_blue(&[], "asked_plain.png") else { return };
    let is_background = |picture: &image::RgbaImage, x, y| picture.get_pixel(x, y).0 == BLUE;
    let ground = on_blue(&["--grid"], "asked_grid.png").unwrap();
    // It reaches the lower edge and both sides, and not the sky.
    for x in [2, 120, 237] {
        assert!(
            is_background(&plain, x, 177) && !is_background(&ground, x, 177) && is_background(&ground, x, 2),
            "{x}"
        );
    }
    let ortho = on_blue(&["--ortho", "--grid"], "asked_ortho.png").unwrap();
    assert!(ortho != ground && !is_background(&ortho, 2, 177));
    fails(&["render", "-o", "x.png", "--frame-joint", "Haed"], 2, &["Haed", "Head"]);
}

#[test]
fn the_floor_of_a_light_page_is_light_and_that_of_a_dark_page_is_not_black() {
    let page = |color: &str, name| picture(&["--size", "240x180", "--ground", "--background", color], name);
    let Some(white) = page("#ffffff", "floor_white.png") else { return };
    let black = page("#000000", "floor_black.png").unwrap();
    let floor = |picture: &image::RgbaImage, x: u32| picture.get_pixel(x, 150).0[..3].to_vec();
    for x in [30, 210] {
        let [on_white, on_black] = [&white, &black].map(|picture| floor(picture, x));
        assert!(on_white.iter().all(|c| *c >= 0xe8), "{x}: {on_white:?}");
        assert!(on_black.iter().any(|c| *c > 0x08), "{x}: {on_black:?}");
    }
}

#[test]
#[ignore = "full: it draws four pictures by processes of their own"]
fn axes_are_drawn_and_a_joint_is_framed_where_they_are_asked_for() {
    let Some(plain) = on_blue(&[], "framed_plain.png") else { return };
    assert!(on_blue(&["--axes"], "framed_axes.png").unwrap() != plain);
    // A head fills more of the picture than it does in that of the whole figure.
    let dark = |picture: &image::RgbaImage| picture.pixels().filter(|p| p.0[..3].iter().all(|c| *c < 0x18)).count();
    let head = on_blue(&["--frame-joint", "Head", "--view", "front"], "framed_head.png").unwrap();
    assert!(dark(&head) > 2 * dark(&on_blue(&["--view", "front"], "framed_front.png").unwrap()), "the visor");
}

/// The weights of the built-in character on blue.
fn weights(more: &[&str], name: &str) -> Option<image::RgbaImage> {
    let look = ["--size", "480x360", "--overlay", "weights", "--background", "#204060"];
    picture(&[&look[..], more].concat(), name)
}

/// How many of the pixels in some places differ.
fn differs(a: &image::RgbaImage, b: &image::RgbaImage, at: fn(u32, u32) -> bool) -> usize {
    a.enumerate_pixels().zip(b.pixels()).filter(|((x, y, a), b)| at(*x, *y) && *a != *b).count()
}

#[test]
fn legend_and_names_are_painted_where_they_are_asked_for() {
    let Some(plain) = weights(&[], "over_plain.png") else { return };
    let corner = |x: u32, y: u32| x < 240 && y > 250;
    let outside = |x: u32, y: u32| x >= 260 || y <= 200;
    let legend = weights(&["--legend"], "over_legend.png").unwrap();
    assert!(differs(&plain, &legend, corner) > 5000 && differs(&plain, &legend, outside) == 0);
    let names = weights(&["--names"], "over_names.png").unwrap();
    assert!(differs(&plain, &names, |_, _| true) > 500);
    assert!(names.pixels().all(|p| p.0[3] == 255));
    fails(&["render", "-o", "x.png", "--size", "4000x100", "--supersample", "4"], 2, &["2048 pixels"]);
}

#[test]
#[ignore = "full: it draws a picture of nine times the pixels"]
fn supersampling_changes_edges_alone() {
    let Some(plain) = weights(&[], "smooth_plain.png") else { return };
    // There it makes more shades.
    let smooth = weights(&["--supersample", "3"], "smooth_super.png").unwrap();
    let changed = differs(&plain, &smooth, |_, _| true);
    assert!((300..20_000).contains(&changed), "{changed}");
}

/// The system's graphics libraries look for a Wayland display, and complain where a process has no folder for its socket.
#[test]
fn libraries_of_the_system_say_nothing_where_there_is_no_runtime_folder() {
    let out = scratch("quiet.png");
    let words = ["render", "-o", out.to_str().unwrap(), "--size", "16x16"];
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_skinscope"));
    command.args(words).env_remove("XDG_RUNTIME_DIR").env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    let said = String::from_utf8_lossy(&command.output().unwrap().stderr).into_owned();
    if said.contains("no graphics adapter") {
        return common::skipped("no graphics adapter");
    }
    assert_eq!(said, "");
}

#[test]
fn a_second_model_stands_beside_the_first_in_one_picture() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let other = scratch("second_model.glb");
    std::fs::copy(folder.join("figure.glb"), &other).unwrap();
    let other = other.to_str().unwrap();
    let usual = ["--size", "240x120", "--background", "#000000", "--view", "front"];
    let drawn = |more: &[&str], name| {
        let picture = picture(&[&usual[..], more].concat(), name)?;
        let columns: Vec<u32> =
            (0..240).filter(|x| (0..120).any(|y| picture.get_pixel(*x, y).0[..3] != [0; 3])).collect();
        Some((picture, columns))
    };
    let Some((alone, narrow)) = drawn(&[], "second_alone.png") else { return };
    let (both, wide) = drawn(&["--beside", other, "--no-side-names"], "second_both.png").unwrap();
    assert!(wide.windows(2).any(|pair| pair[1] > pair[0] + 1), "there is room between them: {wide:?}");
    assert!(wide.last().unwrap() - wide[0] > narrow.last().unwrap() - narrow[0]);
    let (named, _) = drawn(&["--beside", other], "second_named.png").unwrap();
    assert!(both != named && both != alone);
    let far = drawn(&["--beside", other, "--no-side-names", "--gap", "1"], "second_far.png").unwrap().1;
    let room = |columns: &[u32]| columns.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
    assert!(room(&far) > room(&wide), "{far:?}");
    let same = drawn(&["--beside", other, "--no-side-names", "--same-place"], "second_same.png").unwrap().1;
    assert_eq!(room(&same), 1, "{same:?}");
    let alike = drawn(&["--beside", other, "--no-side-names", "--same-height"], "second_alike.png").unwrap().0;
    assert!(alike != both, "the second one is drawn in another size");
    fails(&["render", "-o", "x.png", "--same-height"], 2, &["--beside"]);
    fails(&["render", "-o", "x.png", "--beside", "no_such.glb"], 1, &["no_such.glb"]);
    fails(&["render", "-o", "x.png", "--beside", other, "--compare", "linear"], 2, &["--compare"]);
    fails(&["render", "-o", "x.png", "--beside", other, "--beside-clip", "No such"], 2, &["No such"]);
    fails(&["render", "-o", "x.png", "--beside-clip", "0"], 2, &["--beside"]);
}
