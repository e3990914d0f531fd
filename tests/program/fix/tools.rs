//! Operations with numbers and names of the user's: a typed weight, and the best choice of joints.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{Affine3A, DVec3, Quat, Vec3};
use serde_json::json;
use skinscope::anim::{SampleScratch, local_to_model, reset_to_rest, sample};
use skinscope::import::{Options, Progress};
use skinscope::model::{LocalPose, MeshId, Model};
use skinscope::session::Source;

use crate::fix::compare::{Documents, Expected, compare};
use crate::fix::made::{COLUMNS, Doc, F32, JOINTS, Layout, ROWS, Random, VERTICES, pairs, position};
use crate::fix::operations::cut;
use crate::fix::reader::File;
use crate::fix::surfaces::put_positions;
use crate::fix::{fix, folder, reference, report};

pub fn load(path: &Path) -> Arc<Model> {
    Arc::clone(Source::File(path.to_owned()).load(&Options::default(), &Progress::silent()).unwrap().stored())
}

/// The weights of a vertex whose joint is given a weight: the others keep their proportions and the sum; where no pair is
/// free the smallest gives its own up; where nothing else could take the rest all stays.
fn given(own: &[f64], joint: usize, wanted: f64, slots: usize) -> Vec<f64> {
    let mut out = own.to_vec();
    if (own[joint] - wanted).abs() < 1e-7 {
        return out;
    }
    out[joint] = 0.0;
    let most = if wanted > 0.0 { slots - 1 } else { slots };
    while out.iter().filter(|w| **w > 0.0).count() > most {
        let used = (0..out.len()).filter(|j| out[*j] > 0.0);
        let least = used.min_by(|a, b| out[*a].total_cmp(&out[*b])).unwrap();
        out[least] = 0.0;
    }
    let others: f64 = out.iter().sum();
    if others == 0.0 {
        return if wanted >= 1.0 { unit(joint, own.len()) } else { own.to_vec() };
    }
    out.iter_mut().for_each(|w| *w *= (1.0 - wanted) / others);
    out[joint] = wanted;
    out
}

fn unit(joint: usize, count: usize) -> Vec<f64> {
    (0..count).map(|j| f64::from(u8::from(j == joint))).collect()
}

#[test]
fn a_typed_weight_is_given_and_the_others_follow() {
    set(Documents::Few);
}

#[test]
#[ignore = "full: 60 documents in three containers are written six times"]
fn a_typed_weight_is_given_and_the_others_follow_in_every_document() {
    set(Documents::All);
}

fn set(documents: Documents) {
    type Meant = fn(f64) -> f64;
    let typed: [(&str, Meant); 6] = [
        ("0.4", |_| 0.4),
        ("25%", |_| 0.25),
        ("+0.15", |w| w + 0.15),
        ("-0.3", |w| w - 0.3),
        ("*2", |w| w * 2.0),
        ("1", |_| 1.0),
    ];
    let joint = JOINTS.iter().position(|name| *name == "hand.L").unwrap();
    for (i, (text, meant)) in typed.into_iter().enumerate() {
        for case in documents.clean() {
            let of = |vertex: &reference::Vertex| {
                let own = reference::dense(vertex);
                Some(given(&own, joint, meant(own[joint]).clamp(0.0, 1.0), case.before.slots))
            };
            let expected = reference::vertices(&case.before).iter().map(of).collect();
            let argument = format!("hand.L={text}");
            compare(&format!("set{i}"), &case, &["--set", &argument], &Expected::Dense(expected));
        }
    }
}

/// `model_from_node` of all nodes: at rest, at moments of all clips, and at rest with one joint turned.
struct Poses {
    rest: Vec<Affine3A>,
    clips: Vec<Vec<Affine3A>>,
    /// By joint of the skin.
    turned: Vec<Vec<Vec<Affine3A>>>,
}

/// 64 moments of all clips together, ends included; every joint by 45° and 90° both ways about its axes.
fn poses(model: &Model) -> Poses {
    let skeleton = &model.skeleton;
    let nodes = |pose: &LocalPose| {
        let mut out = Vec::new();
        local_to_model(skeleton, pose, &mut out);
        out
    };
    let mut clips = Vec::new();
    let (mut scratch, mut pose) = (SampleScratch::default(), LocalPose::default());
    let each = (64 / model.clips.len().max(1)).max(2);
    for clip in &model.clips {
        for moment in 0..each {
            reset_to_rest(skeleton, &mut pose);
            let time = clip.start_secs + clip.duration_secs() * moment as f32 / (each - 1) as f32;
            sample(model, clip, time, &mut scratch, &mut pose);
            clips.push(nodes(&pose));
        }
    }
    let mut turned = Vec::new();
    for joint in &model.skins[0].joints {
        let mut all = Vec::new();
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            for degrees in [-90.0_f32, -45.0, 45.0, 90.0] {
                let mut pose = skeleton.rest.clone();
                let rotation = &mut pose.transforms[joint.index()].rotation;
                *rotation *= Quat::from_axis_angle(axis, degrees.to_radians());
                all.push(nodes(&pose));
            }
        }
        turned.push(all);
    }
    Poses { rest: nodes(&skeleton.rest), clips, turned }
}

/// Joints of a vertex, each once, with their shares of its weight.
fn shares(model: &Model, vertex: usize) -> Vec<(usize, f64)> {
    let (joints, weights) = model.influences(MeshId(0), 0).unwrap().of(vertex);
    let mut out: Vec<(usize, f64)> = Vec::new();
    for (joint, weight) in joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
        match out.iter_mut().find(|(j, _)| j == &usize::from(*joint)) {
            Some((_, sum)) => *sum += f64::from(*weight),
            None => out.push((usize::from(*joint), f64::from(*weight))),
        }
    }
    let sum: f64 = out.iter().map(|(_, weight)| weight).sum();
    out.iter_mut().for_each(|(_, weight)| *weight /= sum);
    out
}

/// Where each joint of the skin carries a vertex.
fn carried(model: &Model, nodes: &[Affine3A], vertex: usize, joint: usize) -> DVec3 {
    let skin = &model.skins[0];
    let position = model.meshes[0].primitives[0].positions[vertex];
    let bound = skin.inverse_bind[joint].transform_point3(position);
    nodes[skin.joints[joint].index()].transform_point3(bound).as_dvec3()
}

/// Squared distances, summed over poses, between where the weights `new` and `all` put a vertex.
fn error(at: &[Vec<DVec3>], all: &[(usize, f64)], new: &[(usize, f64)]) -> f64 {
    let put = |pose: &[DVec3], list: &[(usize, f64)]| list.iter().map(|(j, w)| pose[*j] * *w).sum::<DVec3>();
    at.iter().map(|pose| put(pose, all).distance_squared(put(pose, new))).sum()
}

/// The two joints and weights with the least error, by trying all pairs: between two points the best place is the foot of
/// a perpendicular.
fn best_two(at: &[Vec<DVec3>], all: &[(usize, f64)]) -> f64 {
    let mut least = f64::INFINITY;
    for (i, (a, _)) in all.iter().enumerate() {
        for (b, _) in &all[..i] {
            let (mut along, mut length) = (0.0, 0.0);
            for pose in at {
                let wanted: DVec3 = all.iter().map(|(j, w)| pose[*j] * *w).sum();
                let side = pose[*a] - pose[*b];
                along += side.dot(wanted - pose[*b]);
                length += side.length_squared();
            }
            let share = if length > 0.0 { (along / length).clamp(0.0, 1.0) } else { 0.5 };
            least = least.min(error(at, all, &[(*a, share), (*b, 1.0 - share)]));
        }
    }
    least
}

#[test]
fn the_best_limit_is_the_least_squares_one_and_keeps_the_surface_nearer_than_the_plain_one() {
    best_limit(&folder("best"), &[character()]);
}

#[test]
#[ignore = "full: most vertices of two models are moved by more than two joints, and every two of them are tried"]
fn the_best_limit_is_the_least_squares_one_in_every_model() {
    let mut files = vec![character()];
    let corpus = crate::common::corpus().map(|corpus| corpus.join("models"));
    files.extend(corpus.into_iter().flat_map(|c| ["CesiumMan.glb", "Fox.glb"].map(|name| c.join(name))));
    best_limit(&folder("best of every model"), &files);
}

fn character() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb")
}

fn best_limit(folder: &Path, files: &[PathBuf]) {
    for file in files.iter().filter(|file| file.exists()) {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        fs::copy(file, folder.join(&name)).unwrap();
        let limit = |out: &str, extra: &[&str]| {
            report(folder, &[&[&name, "-o", out, "--limit", "2", "--quantise", "f32"], extra].concat());
            load(&folder.join(out))
        };
        let (model, plain, best) = (load(file), limit("plain.glb", &[]), limit("best.glb", &["--best"]));
        let poses = poses(&model);
        let joints = model.skins[0].joints.len();
        let (mut of_clips, mut of_all, mut limited) = ([0.0; 2], [0.0; 2], 0);
        for vertex in 0..model.meshes[0].primitives[0].stored_vertices {
            let all = shares(&model, vertex);
            let new = [shares(&plain, vertex), shares(&best, vertex)];
            if all.len() <= 2 {
                continue;
            }
            limited += 1;
            assert!(new.iter().all(|new| new.len() <= 2), "{name}: vertex {vertex}");
            let place = |nodes: &Vec<Affine3A>| {
                (0..joints).map(|joint| carried(&model, nodes, vertex, joint)).collect::<Vec<DVec3>>()
            };
            let clips: Vec<Vec<DVec3>> = poses.clips.iter().map(place).collect();
            let rom = all.iter().flat_map(|(joint, _)| &poses.turned[*joint]).map(place);
            let every: Vec<Vec<DVec3>> = clips.iter().cloned().chain([place(&poses.rest)]).chain(rom).collect();
            for side in 0..2 {
                of_clips[side] += error(&clips, &all, &new[side]);
                of_all[side] += error(&every, &all, &new[side]);
            }
            // Nothing is nearer than the least squares, and the program finds it but for rounding.
            let (found, least) = (error(&every, &all, &new[1]), best_two(&every, &all));
            let size = every.iter().flatten().map(|p| p.length_squared()).fold(0.0, f64::max);
            let rounding = 1e-10 * size * every.len() as f64;
            assert!(found <= least * 1.001 + rounding, "{name}: vertex {vertex}: {found}, but {least} is possible");
            assert!(least <= error(&every, &all, &new[0]) + rounding, "{name}: vertex {vertex}: the reference");
        }
        assert!(limited > 20, "{name}: {limited}");
        assert!(of_clips[1] <= of_clips[0], "{name}: over the clips {of_clips:?}");
        assert!(of_all[1] < 0.95 * of_all[0], "{name}: over all poses {of_all:?}");
    }
}

/// The closest point of a triangle by its normal equations, or by those of its sides: shares of the corners, and distance.
pub fn closest(p: DVec3, corners: [DVec3; 3]) -> ([f64; 3], f64) {
    let mut tried: Vec<[f64; 3]> = Vec::new();
    let (u, v, w) = (corners[1] - corners[0], corners[2] - corners[0], p - corners[0]);
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let determinant = uu * vv - uv * uv;
    let (a, b) = ((vv * u.dot(w) - uv * v.dot(w)) / determinant, (uu * v.dot(w) - uv * u.dot(w)) / determinant);
    if a >= 0.0 && b >= 0.0 && a + b <= 1.0 {
        tried.push([1.0 - a - b, a, b]);
    }
    for i in 0..3 {
        let (from, to) = (corners[i], corners[(i + 1) % 3]);
        let share = ((p - from).dot(to - from) / (to - from).length_squared()).clamp(0.0, 1.0);
        let mut shares = [0.0; 3];
        (shares[i], shares[(i + 1) % 3]) = (1.0 - share, share);
        tried.push(shares);
    }
    let distance = |s: &[f64; 3]| (corners[0] * s[0] + corners[1] * s[1] + corners[2] * s[2]).distance(p);
    let best = tried.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap();
    (best, distance(&best))
}

#[test]
fn transferred_weights_are_those_of_the_closest_point_by_trying_all_triangles() {
    let folder = folder("transfer");
    let mut random = Random(3);
    let mut near = |v: usize| {
        let [x, y, z] = position(v);
        // So little that no triangle of one faces another way than one of the other.
        let mut off = |most: f64| ((random.unit() * 2.0 - 1.0) * most) as f32;
        [x + off(0.06), y + off(0.06), z + off(0.04)]
    };
    let (to, from): (Vec<_>, Vec<_>) = (0..VERTICES).map(|v| (near(v), near(v))).unzip();
    let mut doc = Doc::new(&pairs(F32, 1, false, 21), Layout::Plain);
    put_positions(&mut doc, 0, &to);
    // The last joint of the donor has no counterpart here.
    doc.root["nodes"][JOINTS.len()]["name"] = json!("other");
    fs::write(folder.join("a.glb"), doc.glb()).unwrap();
    // The donor is in centimetres, which its inverse bind matrices bring to metres, and has its joints in another order.
    let given = pairs(F32, 1, false, 22);
    let mut donor = Doc::new(&given, Layout::Plain);
    put_positions(&mut donor, 0, &from.iter().map(|p| p.map(|c| c * 100.0)).collect::<Vec<_>>());
    let shifted = |joint: usize| (joint + 3) % JOINTS.len();
    (0..JOINTS.len()).for_each(|j| donor.root["nodes"][j + 1]["name"] = json!(JOINTS[shifted(j)]));
    let accessor = donor.root["skins"][0]["inverseBindMatrices"].as_u64().unwrap() as usize;
    let view = donor.root["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
    let start = donor.root["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize;
    for (matrix, number) in (0..JOINTS.len()).flat_map(|j| [0, 5, 10].map(|number| (j, number))) {
        let at = start + matrix * 64 + number * 4;
        donor.bin[at..at + 4].copy_from_slice(&0.01_f32.to_le_bytes());
    }
    fs::write(folder.join("donor.glb"), donor.glb()).unwrap();
    let told = report(&folder, &["a.glb", "-o", "out.glb", "--transfer", "donor.glb"]);

    let weights = reference::vertices(&given);
    let point = |p: [f32; 3]| DVec3::from_array(p.map(f64::from));
    let quads = (0..ROWS - 1).flat_map(|r| (0..COLUMNS - 1).map(move |c| r * COLUMNS + c));
    let triangles: Vec<[usize; 3]> =
        quads.flat_map(|a| [[a, a + 1, a + COLUMNS], [a + 1, a + COLUMNS + 1, a + COLUMNS]]).collect();
    let (mut expected, mut distances) = (Vec::new(), Vec::new());
    for at in &to {
        let all = triangles.iter().map(|t| (t, closest(point(*at), t.map(|v| point(from[v])))));
        let (triangle, (shares, distance)) = all.min_by(|a, b| a.1.1.total_cmp(&b.1.1)).unwrap();
        let mut dense = vec![0.0; JOINTS.len()];
        for (vertex, share) in triangle.iter().zip(shares) {
            let own = reference::dense(&weights[*vertex]);
            let sum: f64 = own.iter().sum();
            (0..JOINTS.len()).for_each(|j| dense[shifted(j)] += share * own[j] / sum);
        }
        dense[JOINTS.len() - 1] = 0.0;
        let sum: f64 = dense.iter().sum();
        expected.push(dense.iter().map(|w| w / sum).collect::<Vec<f64>>());
        distances.push(1e3 * distance);
    }
    let new = reference::vertices(&File::open(&folder.join("out.glb")).pairs(0, 0).unwrap());
    for (v, wanted) in cut(expected, 4).into_iter().enumerate() {
        let found = reference::dense(&new[v]);
        let same = |wanted: &Vec<f64>| found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(wanted.as_ref().is_none_or(same), "vertex {v}: {found:?}, not {wanted:?}");
    }
    let operation = &told["operations"][0];
    let number = |name: &str| operation["distance_mm"][name].as_f64().unwrap();
    let mean = distances.iter().sum::<f64>() / distances.len() as f64;
    assert!((number("mean") - mean).abs() < 1e-2, "{operation}: {mean}");
    assert!((number("largest") - distances.iter().copied().fold(0.0, f64::max)).abs() < 1e-2, "{operation}");
    assert_eq!((&operation["op"], &operation["unmatched"]), (&json!("transfer"), &json!(0)));
    // From itself nothing changes, and nothing is far.
    let own = report(&folder, &["a.glb", "-o", "same.glb", "--transfer", "a.glb"]);
    assert_eq!(own["changed"]["bytes"], json!(0), "{own}");
    assert!(own["operations"][0]["distance_mm"]["largest"].as_f64().unwrap() < 1e-3);
    // The donor is never written over, and must have weights.
    assert_eq!(fix(&folder, &["a.glb", "-o", "donor.glb", "--transfer", "donor.glb"]).status.code(), Some(2));
    assert_eq!(fix(&folder, &["a.glb", "-o", "b.glb", "--transfer", "absent.glb"]).status.code(), Some(1));
}

#[test]
fn pairs_that_are_told_are_mirrored_whatever_the_names_say() {
    mirror_pairs(Documents::Few);
    let folder = folder("pairs wrong");
    fs::write(folder.join("a.glb"), Doc::new(&pairs(F32, 1, false, 5), Layout::Plain).glb()).unwrap();
    for wrong in [&["--pair", "tail=spine"][..], &["--mirror", "x", "--pair", "tail=spine", "--pair", "tail=head"]] {
        let out = fix(&folder, &[&["a.glb", "-o", "out.glb"], wrong].concat());
        assert_eq!(out.status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
#[ignore = "full: 60 documents in three containers are written"]
fn pairs_that_are_told_are_mirrored_in_every_document() {
    mirror_pairs(Documents::All);
}

fn mirror_pairs(documents: Documents) {
    let index = |name: &str| JOINTS.iter().position(|j| *j == name).unwrap();
    let told = |joint: usize| match JOINTS[joint] {
        "spine" => index("tail"),
        "tail" => index("spine"),
        "arm.L" | "arm.R" => joint,
        _ => reference::partner(joint),
    };
    for case in documents.clean() {
        let dense = reference::mirror_by(&reference::vertices(&case.before), false, &told);
        let expected = Expected::Dense(cut(dense, case.before.slots));
        let pairs = ["--pair", "tail=spine", "--pair", "arm.L=arm.L", "--pair", "arm.R=arm.R"];
        compare("pairs", &case, &[&["--mirror", "x"][..], &pairs].concat(), &expected);
    }
}

#[test]
fn what_is_bound_here_has_its_stored_shape_in_that_pose() {
    let folder = folder("bind here");
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
    fs::copy(&built_in, folder.join("a.glb")).unwrap();
    let pose = ["--clip", "Wave", "--time", "0.5"];
    let told = report(&folder, &[&["a.glb", "-o", "out.glb", "--bind-here"], &pose[..]].concat());
    assert_eq!((&told["changed"]["vertices"], &told["operations"][0]["op"]), (&json!(0), &json!("bind-here")));
    assert_eq!(told["changed"]["accessors"].as_array().unwrap().len(), 1, "{told}");
    let (old, new) = (load(&folder.join("a.glb")), load(&folder.join("out.glb")));
    let clip = old.clips.iter().find(|clip| clip.name == "Wave").unwrap();
    let (mut scratch, mut posed, mut nodes, mut rest) =
        (SampleScratch::default(), LocalPose::default(), Vec::new(), Vec::new());
    reset_to_rest(&old.skeleton, &mut posed);
    sample(&old, clip, 0.5, &mut scratch, &mut posed);
    local_to_model(&old.skeleton, &posed, &mut nodes);
    local_to_model(&old.skeleton, &old.skeleton.rest, &mut rest);
    let (mut moved, mut joints) = (0, 0);
    for (joint, node) in new.skins[0].joints.iter().enumerate() {
        let now = nodes[node.index()] * new.skins[0].inverse_bind[joint];
        let then = rest[node.index()] * old.skins[0].inverse_bind[joint];
        assert!(now.abs_diff_eq(then, 1e-5), "joint {joint}: {now}, not {then}");
        moved += usize::from(!new.skins[0].inverse_bind[joint].abs_diff_eq(old.skins[0].inverse_bind[joint], 1e-4));
        joints += 1;
    }
    assert!(0 < moved && moved < joints, "{moved} of {joints} joints stand elsewhere");
    // Again it is bound there already.
    let again = report(&folder, &[&["out.glb", "-o", "again.glb", "--bind-here"], &pose[..]].concat());
    assert_eq!(again["changed"]["bytes"], json!(0), "{again}");
    // Without a pose it is the rest pose, in which this file is bound.
    let rest = report(&folder, &["a.glb", "-o", "rest.glb", "--bind-here"]);
    assert_eq!(rest["changed"]["bytes"], json!(0), "{rest}");
    assert_eq!(fix(&folder, &[&["a.glb", "-o", "b.glb"], &pose[..]].concat()).status.code(), Some(2));
}
