//! `skinscope bind`: weights that are found from the mesh and its joints are whole, and nothing else of the file changes.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

mod bad;
mod bare;
mod made;
mod options;
mod same;
mod window;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use skinscope::bind::{BINDERS, RULES};

use crate::common;
use crate::fix::made::{F32, U8, U16, one};
use crate::fix::reader::{File, differences};
use crate::fix::run::captured;
use crate::fix::{contents, said};
use made::Rig;

/// The joints of a vertex with what is stored as their weights; those without weight are left out. Sorted by joint.
type Row = Vec<(u16, f64)>;

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bind").join(name);
    let _absent = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A folder with a character in `a.glb`.
fn with(name: &str, rig: &Rig) -> PathBuf {
    let folder = folder(name);
    rig.write(&folder.join("a.glb"));
    folder
}

/// Binds `a.glb` into `out.glb`, which must go well, and looks at all weights. Returns what is printed as JSON.
fn bound(folder: &Path, options: &[&str]) -> Value {
    bound_file(folder, ["a.glb", "out.glb"], options)
}

/// Binds a file into another one.
fn bound_file(folder: &Path, [model, out]: [&str; 2], options: &[&str]) -> Value {
    let done = captured(folder, &[&["bind", model, "-o", out, "--json"], options].concat());
    let what = folder.file_name().unwrap().to_string_lossy().into_owned();
    assert!(done.status.success(), "{what} {options:?}: {}", said(&done));
    let told: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert!(!told["skins"].as_array().unwrap().is_empty(), "{what} {options:?}: nothing was bound");
    let most = options.iter().position(|option| *option == "--max-influences");
    let most = most.map_or(4, |at| options[at + 1].parse().unwrap());
    look_at_weights(&format!("{what} {options:?}"), &folder.join(out), most);
    told
}

/// Binding is refused with exit code 2 and with these words, and no file changes.
fn refused(folder: &Path, options: &[&str], words: &str) {
    let before = contents(folder);
    let done = captured(folder, &[&["bind", "a.glb", "-o", "out.glb", "--json"], options].concat());
    let what = folder.file_name().unwrap().to_string_lossy().into_owned();
    assert_eq!(done.status.code(), Some(2), "{what} {options:?}: {}", said(&done));
    let why = said(&done);
    assert!(!why.trim().is_empty() && why.contains(words), "{what} {options:?}: it does not say \"{words}\": {why}");
    assert!(done.stdout.is_empty() && contents(folder) == before, "{what} {options:?}: something was written");
}

/// All rows of the primitives that have weights, by mesh and number.
fn all_rows(path: &Path) -> BTreeMap<(usize, usize), Vec<Row>> {
    let file = File::open(path);
    let rows = |(mesh, primitive): (usize, usize)| {
        let pairs = file.pairs(mesh, primitive).unwrap();
        let slots = pairs.joints.chunks(pairs.slots).zip(pairs.numbers.chunks(pairs.slots));
        let row = |(joints, numbers): (&[u16], &[f64])| {
            let mut row: Row = joints.iter().copied().zip(numbers.iter().copied()).filter(|s| s.1 != 0.0).collect();
            row.sort_by_key(|slot| slot.0);
            row
        };
        ((mesh, primitive), slots.map(row).collect())
    };
    file.skinned().into_iter().map(rows).collect()
}

/// The rows of the first primitive, whose weights are floats.
fn rows(folder: &Path, name: &str) -> Vec<Row> {
    all_rows(&folder.join(name)).remove(&(0, 0)).unwrap()
}

/// The weight of a joint in a row.
fn weight(row: &Row, joint: u16) -> f64 {
    row.iter().filter(|slot| slot.0 == joint).map(|slot| slot.1).sum()
}

/// The largest difference of a weight between vertices with the same number.
fn difference(a: &[Row], b: &[Row]) -> f64 {
    assert_eq!(a.len(), b.len());
    let of = |(a, b): (&Row, &Row)| {
        let joints: BTreeSet<u16> = a.iter().chain(b).map(|slot| slot.0).collect();
        joints.into_iter().map(|joint| (weight(a, joint) - weight(b, joint)).abs()).fold(0.0, f64::max)
    };
    a.iter().zip(b).map(of).fold(0.0, f64::max)
}

/// Every vertex has weights that sum to 1, integers exactly, of at most so many joints of its skin; those at one place have one row.
fn look_at_weights(what: &str, path: &Path, most: usize) {
    let file = File::open(path);
    let joints = file.root["skins"].as_array().unwrap().iter().map(|skin| skin["joints"].as_array().unwrap().len());
    let joints = joints.max().unwrap();
    let all = all_rows(path);
    assert!(!all.is_empty(), "{what}: no weights");
    for ((mesh, primitive), rows) in all {
        let component = file.pairs(mesh, primitive).unwrap().component;
        let whole = one(component);
        for (vertex, row) in rows.iter().enumerate() {
            let sum: f64 = row.iter().map(|slot| slot.1).sum();
            let is_whole = if component == F32 { (sum - 1.0).abs() < 1e-6 } else { sum == whole };
            assert!(is_whole, "{what}: vertex {vertex} of mesh {mesh} sums to {sum} of {whole}");
            assert!(row.len() <= most, "{what}: vertex {vertex} of mesh {mesh} has {} joints", row.len());
            let is_fine = |slot: &(u16, f64)| slot.1 > 0.0 && usize::from(slot.0) < joints;
            assert!(row.iter().all(is_fine), "{what}: vertex {vertex} of mesh {mesh}: {row:?}");
            assert!(row.windows(2).all(|two| two[0].0 != two[1].0), "{what}: vertex {vertex}: a joint twice");
        }
        let position = file.attribute(mesh, primitive, "POSITION").unwrap();
        let mut at_place: BTreeMap<Vec<u8>, &Row> = BTreeMap::new();
        for (place, row) in file.elements(position).unwrap().into_iter().zip(&rows) {
            let first = at_place.entry(place).or_insert(row);
            assert!(*first == row, "{what}: two rows at one place: {first:?}, {row:?}");
        }
    }
}

#[test]
fn every_method_gives_every_vertex_whole_weights_in_the_form_of_the_file() {
    for component in [F32, U8, U16] {
        let folder = with(&format!("whole-{component}"), &Rig { component, ..Rig::tube() });
        for binder in BINDERS {
            let told = bound(&folder, &["--method", binder.id]);
            assert_eq!(told["method"], binder.id);
            assert_eq!(told["skins"][0]["joints"], 4, "{}", binder.id);
            let [before, after] = ["a.glb", "out.glb"].map(|name| File::open(&folder.join(name)));
            assert_eq!(differences(&before.root, &after.root), [""; 0], "{}: the JSON text", binder.id);
            let changed = ["JOINTS_0", "WEIGHTS_0"].map(|name| before.attribute(0, 0, name).unwrap());
            for accessor in (0..before.accessors()).filter(|accessor| !changed.contains(accessor)) {
                let same = before.elements(accessor) == after.elements(accessor);
                assert!(same, "{}: accessor {accessor} has changed", binder.id);
            }
        }
    }
}

#[test]
fn the_weights_follow_the_joints_that_are_near() {
    let folder = with("near", &Rig::tube());
    for binder in BINDERS {
        bound(&folder, &["--method", binder.id]);
        let (rows, rig) = (rows(&folder, "out.glb"), Rig::tube());
        for (row, at) in rows.iter().zip(&rig.points) {
            // The root and the tip have no weight; the others part where the upper one begins.
            let wanted = if at.y < 1.0 { 1 } else { 2 };
            let is_clear = at.y < 1.0 || at.y > 2.2;
            assert!(!is_clear || weight(row, wanted) > 0.6, "{}: {row:?} at {at}", binder.id);
        }
    }
}

#[test]
fn the_report_has_the_fields_that_are_promised() {
    let mut rig = Rig::tube();
    rig.add_box(glam::Vec3::new(0.6, 1.0, 0.0), 0.03);
    let folder = with("report", &rig);
    for binder in BINDERS {
        let told = bound(&folder, &["--method", binder.id]);
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<String>>();
        let expected = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<BTreeSet<String>>();
        assert_eq!(told["schema"], 1);
        assert!(keys(&told).is_superset(&expected(&["schema", "method", "seconds", "skins", "changed"])), "{told}");
        assert!(told["seconds"].as_f64().unwrap() >= 0.0);
        let skins = told["skins"].as_array().unwrap();
        assert_eq!(skins.len(), 1);
        let skin = &skins[0];
        let fields = ["skin", "vertices", "joints", "joints_used", "islands", "fallback", "rules"];
        assert_eq!(keys(skin), expected(&fields));
        let figures = ["skin", "vertices", "joints", "islands"].map(|field| skin[field].as_u64().unwrap());
        assert_eq!(figures, [0, rig.points.len() as u64, 4, 2], "{}", binder.id);
        let used: BTreeSet<u16> = rows(&folder, "out.glb").iter().flatten().map(|slot| slot.0).collect();
        assert_eq!(skin["joints_used"], used.len(), "{}", binder.id);
        for fallback in skin["fallback"].as_array().unwrap() {
            assert_eq!(keys(fallback), expected(&["island", "vertices", "method", "reason"]));
        }
        for rule in skin["rules"].as_array().unwrap() {
            assert!(keys(rule).is_subset(&expected(&["rule", "joint", "island"])), "{rule}");
            assert!(RULES.iter().any(|known| rule["rule"] == known.id), "{rule}");
            let is_named = |name: &Value| rig.joints.iter().any(|joint| name == joint.name.as_str());
            assert!(rule.get("joint").is_none_or(is_named), "{rule}");
        }
        let [before, after] = ["a.glb", "out.glb"].map(|name| rows(&folder, name));
        let changed = before.iter().zip(&after).filter(|(before, after)| before != after).count();
        assert_eq!(told["changed"], changed, "{}", binder.id);
    }
}

#[test]
fn people_are_told_the_same() {
    let folder = with("text", &Rig::tube());
    let done = captured(&folder, &["bind", "a.glb", "-o", "out.glb"]);
    assert!(done.status.success(), "{}", said(&done));
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    for words in ["skin 0, heat: 189 vertices in 1 piece, 2 of 4 joints have weight", "Helper joints: tip", "wrote "] {
        assert!(text.contains(words), "\"{words}\" is not in: {text}");
    }
}

#[test]
fn meshes_of_the_corpus_are_bound_whole() {
    let Some(corpus) = common::corpus() else { return };
    let folder = folder("corpus");
    for name in ["box_seams", "dirty", "shells", "inside_out"] {
        let path = corpus.join(format!("bind/{name}.glb"));
        if !path.is_file() {
            common::skipped(&format!("there is no {}", path.display()));
            continue;
        }
        fs::copy(path, folder.join("a.glb")).unwrap();
        let told = bound(&folder, &[]);
        assert!(told["skins"][0]["joints_used"].as_u64().unwrap() >= 2, "{name}: {told}");
    }
}
