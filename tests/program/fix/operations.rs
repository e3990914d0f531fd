//! Compares operations with their references, over every layout, component type and number of influences.

use std::path::Path;

use serde_json::json;

use crate::fix::compare::{Case, Documents, Expected, compare, exact};
use crate::fix::made::{Doc, F32, JOINTS, LAYOUTS, Layout, Pairs, U8, U16, VERTICES, one, pairs};
use crate::fix::reader::File;
use crate::fix::reference::{self, Vertex};
use crate::fix::{folder, report, run};

#[test]
fn without_an_operation_every_layout_stays_as_it_is() {
    nothing(Documents::Few);
}

#[test]
#[ignore = "full: 120 documents in two containers are written"]
fn without_an_operation_every_document_stays_as_it_is() {
    nothing(Documents::All);
}

fn nothing(documents: Documents) {
    for case in documents.cases() {
        let folder = case.folder("nothing");
        std::fs::write(folder.join("a.glb"), case.doc.glb()).unwrap();
        std::fs::write(folder.join("b.gltf"), case.doc.data_uri()).unwrap();
        for (model, out) in [("a.glb", "out.glb"), ("b.gltf", "out.gltf")] {
            let told = report(&folder, &[model, "-o", out]);
            let nothing = json!({ "vertices": 0, "accessors": [], "bytes": 0, "json_values": 0 });
            assert_eq!(told, json!({ "schema": 1, "changed": nothing, "operations": [] }));
            let [old, new] = [model, out].map(|name| std::fs::read(folder.join(name)).unwrap());
            assert_eq!(old, new, "{}", case.name);
        }
    }
}

#[test]
fn normalise_divides_by_the_sum() {
    normalise(Documents::Few);
}

#[test]
#[ignore = "full: 120 documents in three containers are written"]
fn normalise_divides_by_the_sum_in_every_document() {
    normalise(Documents::All);
}

fn normalise(documents: Documents) {
    exact(documents, "normalise", &["--normalise"], None, &|all, component| reference::normalise(all, component));
}

#[test]
fn prune_takes_small_joints() {
    prune(Documents::Few);
}

#[test]
#[ignore = "full: 120 documents in three containers are written twice"]
fn prune_takes_small_joints_in_every_document() {
    prune(Documents::All);
}

fn prune(documents: Documents) {
    // Of many vertices the largest is below one half too, and stays.
    for below in [0.15, 0.5] {
        let text = below.to_string();
        let name = format!("prune{text}");
        exact(documents, &name, &["--prune", &text], None, &|all, _| reference::prune(all, below));
    }
}

#[test]
fn limit_keeps_the_largest_in_front() {
    limit(Documents::Few);
}

#[test]
#[ignore = "full: 120 documents in three containers are written five times"]
fn limit_keeps_the_largest_in_front_in_every_document() {
    limit(Documents::All);
}

fn limit(documents: Documents) {
    for most in [1, 2, 3, 4, 6] {
        let text = most.to_string();
        let name = format!("limit{most}");
        exact(documents, &name, &["--limit", &text], None, &|all, _| reference::limit(all, most));
    }
}

#[test]
fn quantise_sums_exactly() {
    quantise(Documents::Few);
}

#[test]
#[ignore = "full: 90 documents in three containers are written"]
fn quantise_sums_exactly_from_every_type_in_every_layout() {
    quantise(Documents::All);
}

fn quantise(documents: Documents) {
    for (n, (name, component)) in [("u8", U8), ("u16", U16), ("f32", F32)].into_iter().enumerate() {
        // Where nothing is a number there is no sum: only what is clean is asked.
        for (c, from) in [U8, U16, F32].into_iter().enumerate() {
            for (l, layout) in LAYOUTS.into_iter().enumerate() {
                // Of the few each type is made of each in three layouts or four, all of them together.
                if documents == Documents::Few && (l + n) % 3 != c {
                    continue;
                }
                let before = pairs(from, 1 + c % 2, false, 40 + c as u64);
                let mut vertices = reference::vertices(&before);
                vertices.iter_mut().for_each(|v| v.touched = component != F32);
                let expected = reference::store(&vertices, before.slots, component);
                let case = Case::new(documents, format!("{name}-{from}-{layout:?}"), &before, layout);
                compare("quantise", &case, &["--quantise", name], &Expected::Pairs(expected));
            }
        }
    }
}

/// A pair whose weight is rounded to nothing names the first joint.
#[test]
fn pairs_that_rounding_empties_name_no_joint() {
    empty(Documents::Few);
}

/// The same of one and two sets.
#[test]
#[ignore = "full: 60 documents in three containers are written"]
fn pairs_that_rounding_empties_name_no_joint_in_every_layout() {
    empty(Documents::All);
}

fn empty(documents: Documents) {
    let changes = [("u8", U8, U16, 33.0), ("u8", U8, F32, 5e-4), ("u16", U16, F32, 2e-6)];
    for (c, (name, component, from, little)) in changes.into_iter().enumerate() {
        for (l, layout) in LAYOUTS.into_iter().enumerate() {
            for sets in [1, 2] {
                // Of the few each layout has one of the changes, in one or two sets.
                if documents == Documents::Few && (l % 3 != c || l % 2 != sets % 2) {
                    continue;
                }
                let mut before = pairs(from, sets, false, 70 + sets as u64);
                let mut emptied = 0;
                for own in 0..VERTICES {
                    let slots = own * before.slots..(own + 1) * before.slots;
                    let used: Vec<usize> = slots.filter(|at| before.numbers[*at] > 0.0).collect();
                    // The smallest of two or more is nearly nothing, and the largest has what it had.
                    let by = |a: &&usize, b: &&usize| before.numbers[**a].total_cmp(&before.numbers[**b]);
                    let (least, most) = (*used.iter().min_by(by).unwrap(), *used.iter().max_by(by).unwrap());
                    if least != most {
                        let less = f64::from(little as f32);
                        before.numbers[most] = before.numbers[most] + before.numbers[least] - less;
                        before.numbers[most] = f64::from(before.numbers[most] as f32);
                        before.numbers[least] = less;
                        emptied += usize::from(before.joints[least] != 0);
                    }
                }
                let mut vertices = reference::vertices(&before);
                vertices.iter_mut().for_each(|v| v.touched = true);
                let expected = reference::store(&vertices, before.slots, component);
                let lost = before.joints.iter().zip(&expected.joints).filter(|(a, b)| a != b).count();
                assert!(emptied > 10 && lost > emptied / 2, "{emptied}, {lost}");
                let case = Case::new(documents, format!("{name}-{from}-{sets}-{layout:?}"), &before, layout);
                compare("emptied", &case, &["--quantise", name], &Expected::Pairs(expected));
            }
        }
    }
}

#[test]
fn operations_follow_one_another_and_are_rounded_once() {
    chain(Documents::Few);
}

#[test]
#[ignore = "full: 120 documents in three containers are written"]
fn operations_follow_one_another_and_are_rounded_once_in_every_document() {
    chain(Documents::All);
}

fn chain(documents: Documents) {
    let chain = |all: &mut [Vertex], component: u32| {
        reference::normalise(all, component);
        reference::prune(all, 0.1);
        reference::limit(all, 2);
        all.iter_mut().for_each(|v| v.touched = true);
    };
    // In another order than that in which they run.
    let arguments = ["--quantise", "u8", "--limit", "2", "--prune", "0.1", "--normalise"];
    exact(documents, "chain", &arguments, Some(U8), &chain);
}

#[test]
fn hammer_takes_the_nearest_good_vertex() {
    hammer(Documents::Few);
}

#[test]
#[ignore = "full: 120 documents are written"]
fn hammer_takes_the_nearest_good_vertex_in_every_document() {
    hammer(Documents::All);
}

fn hammer(documents: Documents) {
    for case in documents.cases() {
        let (name, before) = (&case.name, &case.before);
        let vertices = reference::vertices(before);
        let folder = case.folder("hammer");
        std::fs::write(folder.join("a.glb"), case.doc.glb()).unwrap();
        report(&folder, &["a.glb", "-o", "out.glb", "--hammer"]);
        let new = File::open(&folder.join("out.glb")).pairs(0, 0).unwrap();
        let bad = reference::nearest_good(&vertices);
        assert_eq!(bad.is_empty(), !case.is_unclean, "{name}");
        for v in 0..VERTICES {
            let slots = |p: &Pairs, v: usize| {
                let of = v * p.slots..(v + 1) * p.slots;
                p.joints[of.clone()].iter().copied().zip(p.numbers[of].iter().map(|n| n.to_bits())).collect::<Vec<_>>()
            };
            match bad.iter().find(|(b, _)| *b == v) {
                None => assert_eq!(slots(&new, v), slots(before, v), "{name}: vertex {v} has weights of its own"),
                Some((_, from)) => {
                    let own = reference::dense(&reference::vertices(&new)[v]);
                    let fits = |g: &usize| {
                        let source = reference::dense(&vertices[*g]);
                        let sum: f64 = source.iter().sum();
                        let step = if before.component == F32 { 1e-6 } else { 1.001 / one(before.component) };
                        own.iter().zip(source).all(|(a, b)| (a - b / sum).abs() <= step)
                    };
                    assert!(from.iter().any(fits), "{name}: vertex {v} has {own:?}, not those of {from:?}");
                }
            }
        }
    }
}

/// Cut to so many joints; most vertices are clear.
pub fn cut(dense: Vec<Vec<f64>>, slots: usize) -> Vec<Option<Vec<f64>>> {
    let is_clear = |w: &Vec<f64>| {
        let mut sorted: Vec<f64> = w.iter().copied().filter(|w| *w > 0.0).collect();
        sorted.sort_by(|a, b| b.total_cmp(a));
        sorted.len() <= slots || sorted[slots - 1] - sorted[slots] > 1e-6
    };
    let out: Vec<_> = dense.into_iter().map(|w| is_clear(&w).then(|| reference::cut(w, slots))).collect();
    assert!(out.iter().flatten().count() >= VERTICES * 3 / 4);
    out
}

#[test]
fn smooth_is_the_mean_of_neighbours() {
    smooth(Documents::Few);
}

#[test]
#[ignore = "full: 60 documents in three containers are written twice"]
fn smooth_is_the_mean_of_neighbours_in_every_document() {
    smooth(Documents::All);
}

fn smooth(documents: Documents) {
    for times in [1, 3] {
        for case in documents.clean() {
            let dense = reference::smooth(&reference::vertices(&case.before), times);
            let expected = cut(dense, case.before.slots);
            let text = times.to_string();
            compare(&format!("smooth{times}"), &case, &["--smooth", &text], &Expected::Dense(expected));
        }
    }
}

#[test]
fn mirror_copies_one_side_to_the_other() {
    mirror(Documents::Few);
}

#[test]
#[ignore = "full: 60 documents in three containers are written three times"]
fn mirror_copies_one_side_to_the_other_in_every_document() {
    mirror(Documents::All);
}

fn mirror(documents: Documents) {
    for (side, from_negative) in [("x", false), ("x:+", false), ("x:-", true)] {
        for case in documents.clean() {
            let dense = reference::mirror(&reference::vertices(&case.before), from_negative);
            let expected = cut(dense, case.before.slots);
            let name = format!("mirror{}", side.replace(':', "_"));
            compare(&name, &case, &["--mirror", side], &Expected::Dense(expected));
        }
    }
}

/// Two primitives side by side: the vertices of their common border lie in one place.
#[test]
fn seams_get_the_mean_of_both_sides() {
    for component in [U8, U16, F32] {
        let [left, right] = [pairs(component, 1, false, 5), pairs(component, 1, false, 6)];
        let mut doc = Doc::new(&left, Layout::Plain);
        doc.add_beside(&right);
        let folder = folder(&format!("seams/{component}"));
        std::fs::write(folder.join("a.glb"), doc.glb()).unwrap();
        report(&folder, &["a.glb", "-o", "out.glb", "--weld-seams"]);
        let new = File::open(&folder.join("out.glb"));
        let both = [new.pairs(0, 0).unwrap(), new.pairs(0, 1).unwrap()];
        let vertices = [reference::vertices(&left), reference::vertices(&right)];
        for (p, old) in [&left, &right].into_iter().enumerate() {
            for v in 0..VERTICES {
                // The last column of the left one is the first of the right one.
                let (column, row) = (v % crate::fix::made::COLUMNS, v / crate::fix::made::COLUMNS);
                let is_border = column == if p == 0 { crate::fix::made::COLUMNS - 1 } else { 0 };
                let slots = v * 4..v * 4 + 4;
                if !is_border {
                    assert_eq!(both[p].numbers[slots.clone()], old.numbers[slots.clone()], "{component}: {p}, {v}");
                    assert_eq!(both[p].joints[slots.clone()], old.joints[slots], "{component}: {p}, {v}");
                    continue;
                }
                let first = row * crate::fix::made::COLUMNS;
                let last = first + crate::fix::made::COLUMNS - 1;
                let (a, b) = (reference::dense(&vertices[0][last]), reference::dense(&vertices[1][first]));
                let sums = [a.iter().sum::<f64>(), b.iter().sum::<f64>()];
                let mean = a.iter().zip(&b).map(|(a, b)| (a / sums[0] + b / sums[1]) / 2.0).collect();
                let expected = reference::cut(mean, 4);
                let found = reference::dense(&reference::vertices(&both[p])[v]);
                let step = if component == F32 { 1e-7 } else { 1.001 / one(component) };
                let near = (0..JOINTS.len()).all(|j| (found[j] - expected[j]).abs() <= step);
                assert!(near, "{component}: {p}, {v}: {found:?}, not {expected:?}");
            }
        }
        let twins = |row: usize| {
            let (a, b) = (row * 5 + 4, row * 5);
            (both[0].numbers[a * 4..a * 4 + 4] == both[1].numbers[b * 4..b * 4 + 4], a, b)
        };
        (0..crate::fix::made::ROWS).for_each(|row| assert!(twins(row).0, "{component}: {:?}", twins(row)));
    }
}

#[test]
fn inverse_binds_that_differ_are_set_and_no_others() {
    let pairs = pairs(F32, 1, false, 9);
    let mut doc = Doc::new(&pairs, Layout::Plain);
    let accessor = doc.root["skins"][0]["inverseBindMatrices"].as_u64().unwrap() as usize;
    let view = doc.root["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
    let start = doc.root["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize;
    let good = doc.bin.clone();
    // Joint 4 was bound half a metre off, and a little turned.
    for (place, value) in [(12, 0.5_f32), (13, -0.25), (0, 0.96), (1, 0.28), (4, -0.28), (5, 0.96)] {
        let at = start + 4 * 64 + place * 4;
        doc.bin[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    for extra in [&["--inverse-binds"][..], &["--rules", "inverse-bind-mismatch"]] {
        let folder = folder("binds");
        std::fs::write(folder.join("a.glb"), doc.glb()).unwrap();
        let told = report(&folder, &[&["a.glb", "-o", "out.glb"], extra].concat());
        assert_eq!((&told["changed"]["accessors"], &told["changed"]["vertices"]), (&json!([accessor]), &json!(0)));
        let new = File::open(&folder.join("out.glb"));
        let (old, new) = (&good[start..start + 640], &new.buffers[0][start..start + 640]);
        for (i, (a, b)) in old.chunks(4).zip(new.chunks(4)).enumerate() {
            let [a, b] = [a, b].map(|x| f32::from_le_bytes(x.try_into().unwrap()));
            assert!(
                (a - b).abs() < 1e-6 && (i / 16 == 4 || a.to_bits() == b.to_bits()),
                "{extra:?}: number {i}: {b}, not {a}"
            );
        }
        // What is right is left alone.
        let again = report(&folder, &[&["out.glb", "-o", "again.glb"], extra].concat());
        assert_eq!(again["changed"]["bytes"], json!(0), "{extra:?}");
    }
    // A skin without matrices gets them.
    doc.root["skins"][0].as_object_mut().unwrap().remove("inverseBindMatrices");
    let folder = folder("binds none");
    std::fs::write(folder.join("a.glb"), doc.glb()).unwrap();
    report(&folder, &["a.glb", "-o", "out.glb", "--inverse-binds"]);
    let new = File::open(&folder.join("out.glb"));
    let added = new.root["skins"][0]["inverseBindMatrices"].as_u64().unwrap() as usize;
    assert_eq!(
        (added, new.elements(added).unwrap().len()),
        (doc.root["accessors"].as_array().unwrap().len(), JOINTS.len())
    );
}

/// A vertex in the head follows a joint of the other end: afterwards it does not, and nothing is rogue.
#[test]
fn rogues_go_and_their_share_with_them() {
    rogues_go(&folder("rogues"), "u8");
}

#[test]
#[ignore = "full: the character is repaired and checked in each of three types"]
fn rogues_go_and_their_share_with_them_in_every_type() {
    for format in ["u8", "u16", "f32"] {
        rogues_go(&folder(&format!("rogues {format}")), format);
    }
}

fn rogues_go(folder: &Path, format: &str) {
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
    report(folder, &[built_in.to_str().unwrap(), "-o", "clean.glb", "--quantise", format]);
    let told = report(folder, &["clean.glb", "-o", "same.glb", "--remove-rogues", "--rules", "all"]);
    assert_eq!(told["changed"]["bytes"], json!(0), "{told}");
    let clean = File::open(&folder.join("clean.glb"));
    let old = clean.pairs(0, 0).unwrap();
    let position = clean.elements(clean.attribute(0, 0, "POSITION").unwrap()).unwrap();
    let height = |v: usize| crate::fix::reader::numbers(&position[v], F32)[1];
    let name = |node: &serde_json::Value| clean.root["nodes"][node.as_u64().unwrap() as usize]["name"].clone();
    let joints = clean.root["skins"][0]["joints"].as_array().unwrap();
    let foot = joints.iter().position(|j| name(j) == "Foot.L").unwrap() as u16;
    // Everything at the place of the highest vertex: half of it goes to the foot.
    let top = (0..position.len()).max_by(|a, b| height(*a).total_cmp(&height(*b))).unwrap();
    let at_top: Vec<usize> = (0..position.len()).filter(|v| position[*v] == position[top]).collect();
    let bytes = std::fs::read(folder.join("clean.glb")).unwrap();
    let mut planted = bytes.clone();
    let (joints, weights) = (clean.attribute(0, 0, "JOINTS_0").unwrap(), clean.attribute(0, 0, "WEIGHTS_0").unwrap());
    for v in &at_top {
        let slot = (0..4).find(|s| old.numbers[v * 4 + s] == 0.0).unwrap();
        let half = |n: &f64| if old.component == F32 { n * 0.5 } else { (n * 0.5).round() };
        let mut numbers: Vec<f64> = old.numbers[v * 4..v * 4 + 4].iter().map(half).collect();
        numbers[slot] = old.one() - numbers.iter().sum::<f64>();
        clean.put(&mut planted, joints, *v, slot, &crate::fix::made::number(f64::from(foot), clean.component(joints)));
        for (s, n) in numbers.iter().enumerate() {
            clean.put(&mut planted, weights, *v, s, &crate::fix::made::number(*n, old.component));
        }
    }
    std::fs::write(folder.join("planted.glb"), &planted).unwrap();
    for operation in [&["--remove-rogues"][..], &["--rules", "rogue-vertices"]] {
        let told = report(folder, &[&["planted.glb", "-o", "out.glb"], operation].concat());
        assert_eq!(told["changed"]["vertices"], json!(at_top.len()));
        let new = File::open(&folder.join("out.glb")).pairs(0, 0).unwrap();
        for v in 0..position.len() {
            let rounding = if old.component == F32 { 2e-7 } else { 2.0 / old.one() };
            let step = if at_top.contains(&v) { rounding } else { 0.0 };
            let [a, b] = [&old, &new].map(|p| reference_dense(p, v));
            let far = a
                .keys()
                .chain(b.keys())
                .any(|j| (a.get(j).copied().unwrap_or(0.0) - b.get(j).copied().unwrap_or(0.0)).abs() > step);
            assert!(!far, "vertex {v}: {b:?}, not {a:?}");
        }
        let found = skinscope_check(folder, "out.glb", "rogue-vertices");
        assert_eq!(found, 0);
    }
    assert_eq!(skinscope_check(folder, "planted.glb", "rogue-vertices"), 1);
}

fn reference_dense(pairs: &Pairs, vertex: usize) -> std::collections::BTreeMap<u16, f64> {
    let mut out = std::collections::BTreeMap::new();
    for at in vertex * pairs.slots..(vertex + 1) * pairs.slots {
        *out.entry(pairs.joints[at]).or_insert(0.0) += pairs.numbers[at] / pairs.one();
    }
    out
}

/// How many findings of a rule there are.
fn skinscope_check(folder: &Path, model: &str, rule: &str) -> usize {
    let arguments = ["check", model, "--json", "--fail-on", "never", "--rules", rule];
    let out = run::launched(folder, &arguments);
    let told: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    told["files"][0]["findings"].as_array().unwrap().len()
}
