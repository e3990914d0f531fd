//! Meshes that gain a skin: the joints are the nodes that were there, all else stays, and at rest everything stands where it stood.

use std::fs;
use std::path::Path;

use glam::{Affine3A, Vec3};
use serde_json::Value;
use skinscope::anim::{local_to_model, reset_to_rest};
use skinscope::bind::BINDERS;
use skinscope::import::{Options, Progress, import_file};
use skinscope::model::LocalPose;

use super::made::Rig;
use super::{all_rows, bound, bound_file, difference, folder, rows, weight, with};
use crate::fix::reader::File;

/// Where all vertices of the first mesh are at rest.
fn at_rest(path: &Path) -> Vec<Vec3> {
    let model = import_file(path, &Options::default(), &Progress::silent()).unwrap().model;
    let (mut pose, mut nodes) = (LocalPose::default(), Vec::<Affine3A>::new());
    reset_to_rest(&model.skeleton, &mut pose);
    local_to_model(&model.skeleton, &pose, &mut nodes);
    let instance = &model.instances[0];
    let positions = &model.meshes[instance.mesh.index()].primitives[0].positions;
    let Some(skin) = instance.skin.map(|skin| &model.skins[skin.index()]) else {
        return positions.iter().map(|point| nodes[instance.node.index()].transform_point3(*point)).collect();
    };
    let influences = model.influences(instance.mesh, 0).unwrap();
    let place = |(vertex, point): (usize, &Vec3)| {
        let (joints, weights) = influences.of(vertex);
        let moved = |(joint, weight): (&u16, &f32)| {
            let joint = usize::from(*joint);
            (nodes[skin.joints[joint].index()] * skin.inverse_bind[joint]).transform_point3(*point) * *weight
        };
        joints.iter().zip(weights).map(moved).sum::<Vec3>()
    };
    positions.iter().enumerate().map(place).collect()
}

fn stands_where_it_stood(what: &str, [before, after]: [&Path; 2]) {
    let [before, after] = [before, after].map(at_rest);
    assert_eq!(before.len(), after.len(), "{what}");
    // The whole is at most six metres long.
    let far = before.iter().zip(&after).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(far < 2e-5, "{what}: a vertex is {far} m away");
}

/// The names of the joints of the first skin.
fn joints(file: &File) -> Vec<String> {
    let joints = file.root["skins"][0]["joints"].as_array().unwrap().iter();
    let name =
        |joint: &Value| file.root["nodes"][joint.as_u64().unwrap() as usize]["name"].as_str().unwrap().to_owned();
    joints.map(name).collect()
}

/// All that the file had is there as it was, but for what the node with the mesh and the mesh gain.
fn nothing_is_lost(what: &str, before: &File, after: &File) {
    let list = |file: &File, key: &str| file.root[key].as_array().cloned().unwrap_or_default();
    for (old, new) in list(before, "nodes").iter().zip(list(after, "nodes")) {
        assert_eq!(old["name"], new["name"], "{what}");
        assert!(old.get("mesh").is_some() || *old == new, "{what}: {old} became {new}");
    }
    assert_eq!(before.root["animations"], after.root["animations"], "{what}");
    for accessor in 0..before.accessors() {
        assert!(before.elements(accessor) == after.elements(accessor), "{what}: accessor {accessor} has changed");
    }
    let primitive = |file: &File| file.root["meshes"][0]["primitives"][0].clone();
    let (old, new) = (primitive(before), primitive(after));
    assert_eq!((&old["indices"], &old["mode"]), (&new["indices"], &new["mode"]), "{what}");
    assert_eq!(old["attributes"]["POSITION"], new["attributes"]["POSITION"], "{what}");
    for name in ["JOINTS_0", "WEIGHTS_0"] {
        let accessor = after.attribute(0, 0, name).unwrap();
        assert_eq!(after.root["accessors"][accessor]["count"], 189, "{what}: {name}");
    }
}

#[test]
fn the_nodes_become_joints_and_the_rest_stays() {
    let folder = with("gained", &Rig::bare());
    for binder in BINDERS {
        for (root, names) in
            [("root", &["root", "lower", "upper", "tip"][..]), ("lower", &["lower", "upper", "tip"][..])]
        {
            let told = bound(&folder, &["--method", binder.id, "--joints", root]);
            let what = format!("{}, {root}", binder.id);
            let [before, after] = ["a.glb", "out.glb"].map(|name| File::open(&folder.join(name)));
            assert_eq!(joints(&after), names, "{what}");
            assert_eq!(told["skins"][0]["joints"], names.len(), "{what}");
            assert_eq!(told["skins"][0]["skin"], 0, "{what}");
            assert_eq!(told["changed"], 189, "{what}");
            nothing_is_lost(&what, &before, &after);
            stands_where_it_stood(&what, [&folder.join("a.glb"), &folder.join("out.glb")]);
        }
    }
}

#[test]
fn a_file_in_parts_gains_the_same_as_one_in_one_piece() {
    let (folder, rig) = (folder("parts"), Rig::bare());
    rig.write(&folder.join("a.glb"));
    rig.write_text(&folder.join("a.gltf"));
    for binder in BINDERS {
        let options = ["--method", binder.id, "--joints", "root"];
        bound(&folder, &options);
        bound_file(&folder, ["a.gltf", "out.gltf"], &options);
        let [before, after] = ["a.gltf", "out.gltf"].map(|name| File::open(&folder.join(name)));
        nothing_is_lost(binder.id, &before, &after);
        stands_where_it_stood(binder.id, [&folder.join("a.gltf"), &folder.join("out.gltf")]);
        assert_eq!(difference(&rows(&folder, "out.glb"), &rows(&folder, "out.gltf")), 0.0, "{}", binder.id);
        assert!(fs::read(folder.join("tube.bin")).unwrap().len() % 4 == 0, "{}", binder.id);
    }
}

#[test]
fn a_mesh_that_stands_elsewhere_and_larger_stays_there() {
    // What stands here is where the joints are, once the node has moved it.
    let place = (Vec3::new(1.0, -0.5, 0.25), 2.0);
    let mut rig = Rig { place, ..Rig::bare() };
    rig.points.iter_mut().for_each(|point| *point = (*point - place.0) / place.1);
    let folder = folder("elsewhere");
    Rig::bare().write(&folder.join("a.glb"));
    rig.write(&folder.join("b.glb"));
    for binder in BINDERS {
        let options = ["--method", binder.id, "--joints", "root"];
        bound(&folder, &options);
        bound_file(&folder, ["b.glb", "b_out.glb"], &options);
        stands_where_it_stood(binder.id, [&folder.join("b.glb"), &folder.join("b_out.glb")]);
        let change = difference(&rows(&folder, "out.glb"), &rows(&folder, "b_out.glb"));
        assert!(change <= 1e-4, "{}: {change}", binder.id);
    }
}

#[test]
fn one_mesh_of_several_gains_a_skin() {
    let folder = with("one of several", &Rig { meshes: 3, ..Rig::bare() });
    for meshes in [&["--mesh", "1"][..], &["--mesh", "0", "--mesh", "2"], &[]] {
        bound(&folder, &[&["--joints", "root"], meshes].concat());
        let with_weights: Vec<String> = all_rows(&folder.join("out.glb")).keys().map(|at| at.0.to_string()).collect();
        let asked: Vec<&str> = meshes.iter().copied().filter(|word| *word != "--mesh").collect();
        let wanted = if asked.is_empty() { vec!["0", "1", "2"] } else { asked };
        assert_eq!(with_weights, wanted);
    }
}

#[test]
fn a_locked_joint_gets_no_weight_of_a_mesh_that_gains_a_skin() {
    let folder = with("locked bare", &Rig::bare());
    for binder in BINDERS {
        bound(&folder, &["--method", binder.id, "--joints", "root", "--lock", "lower"]);
        let used: Vec<usize> = (0..4)
            .filter(|joint| rows(&folder, "out.glb").iter().any(|row| weight(row, *joint as u16) > 0.0))
            .collect();
        assert!(!used.is_empty() && !used.contains(&1), "{}: {used:?}", binder.id);
    }
}

#[test]
fn what_is_bound_once_can_be_bound_again_by_its_skin() {
    let folder = with("again bare", &Rig::bare());
    for binder in BINDERS {
        bound(&folder, &["--method", binder.id, "--joints", "root"]);
        bound_file(&folder, ["out.glb", "again.glb"], &["--method", binder.id]);
        let change = difference(&rows(&folder, "out.glb"), &rows(&folder, "again.glb"));
        assert!(change <= 1e-4, "{}: {change}", binder.id);
    }
}
