//! What each option of `skinscope bind` does.

use glam::Vec3;
use serde_json::{Value, json};
use skinscope::bind::BINDERS;

use super::made::Rig;
use super::{all_rows, bound, difference, refused, rows, weight, with};

/// The number of a joint of the tube in its skin.
const ROOT: u16 = 0;
/// The number of a joint of the tube in its skin.
const LOWER: u16 = 1;
/// The number of a joint of the tube in its skin.
const TIP: u16 = 3;

#[test]
fn one_mesh_alone_is_bound() {
    let folder = with("mesh", &Rig { meshes: 2, ..Rig::tube() });
    for binder in BINDERS {
        let told = bound(&folder, &["--method", binder.id, "--mesh", "1"]);
        let [before, after] = ["a.glb", "out.glb"].map(|name| all_rows(&folder.join(name)));
        assert!(before[&(0, 0)] == after[&(0, 0)], "{}: the other mesh has changed", binder.id);
        assert!(before[&(1, 0)] != after[&(1, 0)], "{}: nothing has changed", binder.id);
        let changed = before[&(1, 0)].iter().zip(&after[&(1, 0)]).filter(|(before, after)| before != after).count();
        assert_eq!(told["changed"], changed, "{}", binder.id);
    }
    bound(&folder, &["--mesh", "0", "--mesh", "1"]);
    let after = all_rows(&folder.join("out.glb"));
    assert!(after[&(0, 0)] == after[&(1, 0)], "both stand at one place");
    refused(&folder, &["--mesh", "7"], "the file has no mesh 7");
}

#[test]
fn a_locked_joint_keeps_its_weights() {
    let folder = with("lock", &Rig::tube());
    for binder in BINDERS {
        bound(&folder, &["--method", binder.id, "--lock", "lower"]);
        let rows = rows(&folder, "out.glb");
        assert!(rows.iter().all(|row| weight(row, LOWER) == 0.5), "{}", binder.id);
    }
    refused(&folder, &["--lock", "elbow"], "elbow");
    refused(&folder, &["--lock", "show 0"], "--lock: ");
    let all = ["--lock", "root", "--lock", "lower", "--lock", "upper", "--lock", "tip"];
    refused(&folder, &all, "no joint may get weight");
}

/// Whether the report says that a rule applied to a joint.
fn has_applied(told: &Value, rule: &str, joint: &str) -> bool {
    let rules = told["skins"][0]["rules"].as_array().unwrap();
    rules.contains(&json!({ "rule": rule, "joint": joint }))
}

#[test]
fn a_rule_applies_until_it_is_switched_off() {
    let folder = with("rules", &Rig::tube());
    for binder in BINDERS {
        for (rule, name, joint) in [("helpers", "tip", TIP), ("roots", "root", ROOT)] {
            let largest = || rows(&folder, "out.glb").iter().map(|row| weight(row, joint)).fold(0.0, f64::max);
            let told = bound(&folder, &["--method", binder.id]);
            assert!(has_applied(&told, rule, name) && largest() == 0.0, "{}, {rule}: {told}", binder.id);
            let told = bound(&folder, &["--method", binder.id, "--without", rule]);
            assert!(!has_applied(&told, rule, name), "{}, {rule}: {told}", binder.id);
            assert!(largest() > 0.3, "{}, {rule}: {name} has at most {}", binder.id, largest());
        }
    }
    refused(&folder, &["--without", "gravity"], "gravity");
}

#[test]
fn every_number_of_a_method_can_be_set_within_its_range() {
    let folder = with("numbers", &Rig::tube());
    for binder in BINDERS {
        for parameter in binder.parameters {
            let [least, most] = parameter.range;
            // The finest voxels take long, and find the same.
            let finest = if parameter.id == "resolution" { parameter.default } else { most };
            let set = |value: f64| format!("{}={value}", parameter.id);
            let at = |value: f64| {
                bound(&folder, &["--method", binder.id, "--set", &set(value)]);
                rows(&folder, "out.glb")
            };
            let change = difference(&at(least), &at(finest));
            assert!(change > 0.01 || parameter.id == "resolution", "{}: {} does nothing", binder.id, parameter.id);
            refused(&folder, &["--method", binder.id, "--set", &set(most + 1.0)], parameter.id);
        }
    }
    refused(&folder, &["--set", "gravity=9.81"], "gravity");
    refused(&folder, &["--set", "heat=warm"], "warm");
    refused(&folder, &["--set", "heat=NaN"], "heat");
    refused(&folder, &["--set", "heat"], "NAME=N");
    // A number of another method would do nothing.
    refused(&folder, &["--set", "inner=1"], "envelope");
    refused(&folder, &["--method", "voxel", "--set", "heat=12"], "voxel");
    refused(&folder, &["--method", "magic"], "magic");
}

#[test]
fn a_loose_piece_follows_one_joint_where_that_is_asked_for() {
    let mut rig = Rig::tube();
    let pieces = [(0.5, 1.55), (0.55, 0.9)].map(|(x, y)| rig.add_box(Vec3::new(x, y, 0.0), 0.05));
    let folder = with("pieces", &rig);
    for binder in BINDERS {
        let told = bound(&folder, &["--method", binder.id, "--rigid-pieces"]);
        assert_eq!(told["skins"][0]["islands"], 3, "{}", binder.id);
        let rows = rows(&folder, "out.glb");
        for piece in &pieces {
            let first = &rows[piece.start];
            assert!(first.len() == 1 && first[0].1 == 1.0, "{}: {first:?}", binder.id);
            assert!(rows[piece.clone()].iter().all(|row| row == first), "{}: it bends", binder.id);
        }
    }
}

#[test]
fn no_vertex_has_more_joints_than_asked_for() {
    let folder = with("influences", &Rig::chain(12));
    let used = |options: &[&str]| {
        bound(&folder, options);
        rows(&folder, "out.glb").iter().map(Vec::len).max().unwrap()
    };
    for binder in BINDERS {
        for (most, wanted) in [("1", 1..=1), ("2", 2..=2), ("8", 3..=8)] {
            let used = used(&["--method", binder.id, "--smooth", "100", "--max-influences", most]);
            assert!(wanted.contains(&used), "{}: {used} of {most}", binder.id);
        }
    }
    // More than the file has slots for: it gains a set.
    assert!(used(&["--smooth", "300", "--max-influences", "8"]) > 4, "a long smoothing mixes many joints");
    for most in ["0", "256", "many"] {
        refused(&folder, &["--max-influences", most], "--max-influences");
    }
}

#[test]
fn smoothing_spreads_the_weights() {
    let folder = with("smooth", &Rig::tube());
    for binder in BINDERS {
        let of = |rounds: &str| {
            bound(&folder, &["--method", binder.id, "--smooth", rounds]);
            let rows = rows(&folder, "out.glb");
            let shared = rows.iter().filter(|row| row.len() > 1).count();
            (rows, shared)
        };
        let ((plain, few), (smooth, many)) = (of("0"), of("20"));
        assert!(difference(&plain, &smooth) > 0.01 && many > few, "{}: {few} and {many} vertices share", binder.id);
    }
}

#[test]
fn envelopes_of_a_joint_have_the_radii_that_are_asked_for() {
    let folder = with("envelopes", &Rig::tube());
    let method = ["--method", "envelope", "--without", "mirrored"];
    let shares = |options: &[&str]| {
        bound(&folder, &[&method, options].concat());
        rows(&folder, "out.glb").iter().map(|row| weight(row, LOWER)).sum::<f64>()
    };
    let usual = shares(&[]);
    let wide = shares(&["--envelope", "lower=1.5,4"]);
    let narrow = shares(&["--envelope", "lower=0.1,0.6", "--envelope", "upper=0.5,1.2"]);
    assert!(narrow < usual && usual < wide, "{narrow}, {usual}, {wide}");
    refused(&folder, &["--envelope", "lower=0.5,1.2"], "--method envelope");
    for (wrong, words) in [
        ("elbow=0.5,1.2", "elbow"),
        ("lower", "JOINT=INNER,OUTER"),
        ("lower=0.5", "JOINT=INNER,OUTER"),
        ("lower=wide,1.2", "wide"),
        ("lower=1.2,0.5", "larger"),
        ("lower=0.5,99", "outer radius"),
    ] {
        refused(&folder, &["--method", "envelope", "--envelope", wrong], words);
    }
}
