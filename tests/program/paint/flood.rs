//! `skinscope paint --flood`: a brush over all vertices, with full strength or by a gradient.

use std::path::Path;

use serde_json::{Value, json};

use super::{LOWER_ARM, ON_UPPER_ARM, UPPER_ARM, folder, rows, weight};
use crate::fix::run::captured;
use crate::fix::{contents, said};

/// Floods `a.glb` into `out.glb`; returns what is printed as JSON.
fn flooded(folder: &Path, options: &[&str]) -> Value {
    let arguments = [&["paint", "a.glb", "-o", "out.glb", "--json", "--flood"], options].concat();
    let out = captured(folder, &arguments);
    assert!(out.status.success(), "{options:?}: {}", said(&out));
    serde_json::from_slice(&out.stdout).unwrap()
}

#[test]
fn a_brush_over_all_reaches_each_vertex_that_a_joint_moves_and_no_other() {
    let folder = folder("flood");
    let options = ["add", "--joint", "LowerArm.L", "--strength", "0.25", "--only-joint", "UpperArm.L"];
    let told = flooded(&folder, &options);
    assert!(told["changed"].as_u64().unwrap() > 100, "{told}");
    let [before, after] = ["a.glb", "out.glb"].map(|name| rows(&folder.join(name)));
    for (vertex, ((_, old), (_, new))) in before.iter().zip(&after).enumerate() {
        if weight(old, UPPER_ARM) == 0.0 {
            assert!(old == new, "vertex {vertex} is not moved by the joint");
            continue;
        }
        let want = (weight(old, LOWER_ARM) + 0.25).min(1.0);
        assert!((weight(new, LOWER_ARM) - want).abs() < 2e-5, "vertex {vertex}: {old:?} {new:?}");
    }
}

#[test]
fn a_gradient_falls_from_one_place_to_the_other() {
    let folder = folder("gradient");
    // Along x from the middle of the body: the whole strength there, none from 0.5 m on.
    let places = ["--gradient", "linear", "--from", "0,0,0", "--until", "0.5,0,0"];
    let told = flooded(&folder, &[&["add", "--joint", "LowerArm.L"][..], &places].concat());
    assert_eq!(told["strokes"].as_array().unwrap().len(), 1, "{told}");
    let [before, after] = ["a.glb", "out.glb"].map(|name| rows(&folder.join(name)));
    let x = f64::from(before[ON_UPPER_ARM].0[0]);
    let want = 1.0 - x / 0.5;
    assert!((weight(&after[ON_UPPER_ARM].1, LOWER_ARM) - want).abs() < 1e-4, "{want}: {:?}", after[ON_UPPER_ARM].1);
    for ((at, old), (_, new)) in before.iter().zip(&after).filter(|((at, _), _)| at[0] > 0.501) {
        assert!(old == new, "{at:?} is beyond the gradient");
    }
}

#[test]
fn what_a_flood_lacks_or_does_not_know_is_refused() {
    let folder = folder("flood refused");
    std::fs::write(folder.join("out.glb"), "an earlier output").unwrap();
    let before = contents(&folder);
    for (options, words) in [
        (&["--flood", "add"][..], "--joint: the brush add needs it"),
        (&["--flood", "give", "--joint", "Hips"], "--to: the brush give needs it"),
        (&["--flood", "add", "--joint", "Elbow"], "--joint: there is no joint \"Elbow\""),
        (&["--flood", "smooth", "--lock", "Armature"], "--lock: \"Armature\" is no joint of a skin"),
        (&["--flood", "smooth", "--only-joint", "Armature"], "--only-joint: "),
        (&["--flood", "blur"], "blur"),
        (&["--flood", "smooth", "--gradient", "linear", "--from", "0,0,0"], "--until"),
        (&["--flood", "smooth", "--gradient", "radial", "--from", "0,1,0", "--until", "0,1,0"], "has no length"),
        (&["--flood", "smooth", "--strokes", "a.glb"], "--strokes"),
        (&["--flood", "smooth", "--strength", "NaN"], "--strength: NaN is not finite"),
        (&[], "--strokes"),
    ] {
        let out = captured(&folder, &[&["paint", "a.glb", "-o", "out.glb"], options].concat());
        assert_eq!(out.status.code(), Some(2), "{options:?}: {}", said(&out));
        assert!(said(&out).contains(words), "{options:?} does not say \"{words}\": {}", said(&out));
        assert!(contents(&folder) == before, "{options:?}");
    }
    let told = flooded(&folder, &["scale", "--joint", "Hips", "--factor", "1"]);
    assert_eq!(told["changed"], json!(0), "{told}");
}

#[test]
fn joints_that_are_painted_as_one_give_all_that_they_have_together() {
    let folder = folder("flood_with");
    let given = |with: &[&str]| {
        let options = [&["give", "--joint", "UpperArm.L", "--to", "Hips"], with].concat();
        flooded(&folder, &options)["changed"].as_u64().unwrap()
    };
    let (one, both) = (given(&[]), given(&["--with", "LowerArm.L"]));
    assert!(one > 0 && both > one, "{one} {both}");
}
