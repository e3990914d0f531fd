//! Nodes: where joints hang, how they are scaled, what they are called, whether anything needs them.

use glam::{DMat4, DQuat, DVec3};
use serde_json::{Value, json};

use super::binds::set_binds;
use crate::defects::document::Document;
use crate::defects::plant::{Edit, Kind, Plant, defect, near_miss};
use crate::defects::random::Random;
use crate::defects::rig::{Rig, local, parents, world};

type Case = Option<(Document, Plant)>;

pub static KINDS: &[&Kind] = &[
    &defect("hierarchy", "skeleton names another branch", wrong_skeleton),
    &defect("hierarchy", "a root of its own", |r, n| detached(r, n, true)),
    &defect("hierarchy", "outside the scene", |r, n| detached(r, n, false)),
    &defect("hierarchy", "all joints outside the scene", no_skeleton_in_scene),
    &defect("hierarchy", "beside the skeleton's root", beside),
    &near_miss("hierarchy", "the skinned mesh below a joint", mesh_below),
    &near_miss("hierarchy", "no skeleton given", |r, _| skeleton(r, None)),
    &near_miss("hierarchy", "skeleton is above all joints", |r, _| skeleton_above(r)),
    &defect("scale-non-uniform", "one axis a little longer", |r, n| scaled(r, n, DVec3::new(1.0, 1.05, 1.0), false)),
    &defect("scale-non-uniform", "one axis twice as long", |r, n| scaled(r, n, DVec3::new(2.0, 1.0, 1.0), false)),
    &defect("scale-non-uniform", "as a matrix", |r, n| scaled(r, n, DVec3::new(1.0, 1.0, 0.5), true)),
    &defect("scale-non-uniform", "above all joints", |r, _| scaled_above(r, DVec3::new(1.0, 1.5, 1.0))),
    &defect("scale-non-uniform", "bound like that", bound_scaled),
    &near_miss("scale-non-uniform", "uniform, above all joints", |r, _| silent(scaled_above(r, DVec3::splat(2.5)))),
    &near_miss("scale-non-uniform", "the skinned mesh's node", |r, _| mesh_scaled(r, json!([1.0, 2.0, 3.0]))),
    &near_miss("scale-non-uniform", "below a joint, not one", prop_scaled),
    &near_miss("scale-non-uniform", "off by a rounding", |r, n| {
        silent(scaled(r, n, DVec3::new(1.0, 1.00001, 0.99999), false))
    }),
    &defect("scale-negative", "one axis", |r, n| scaled(r, n, DVec3::new(-1.0, 1.0, 1.0), false)),
    &defect("scale-negative", "all axes", |r, n| scaled(r, n, DVec3::splat(-1.0), false)),
    &defect("scale-negative", "as a matrix", |r, n| scaled(r, n, DVec3::new(1.0, -1.0, 1.0), true)),
    &defect("scale-negative", "above all joints", |r, _| scaled_above(r, DVec3::new(1.0, 1.0, -1.0))),
    &near_miss("scale-negative", "the skinned mesh's node", |r, _| mesh_scaled(r, json!([-1.0, 1.0, 1.0]))),
    &near_miss("scale-negative", "half a turn, as a matrix", |r, _| half_turn(r)),
    &defect("name-duplicate", "two joints", |r, n| same_name(r, n, 2, true)),
    &defect("name-duplicate", "three joints", |r, n| same_name(r, n, 3, true)),
    &defect("name-duplicate", "a joint and a new node", same_name_below),
    &defect("name-duplicate", "any two nodes", |r, n| same_name(r, n, 2, false)),
    &near_miss("name-duplicate", "no names", |r, n| names(r, n, |_, _| Value::Null)),
    &near_miss("name-duplicate", "empty names", |r, n| names(r, n, |_, _| json!(""))),
    &near_miss("name-duplicate", "other case", |r, n| names(r, n, |i, _| json!(["Arm", "arm", "ARM", "aRm"].get(i)))),
    &near_miss("name-duplicate", "the number of one without", |r, n| {
        names(r, n, |i, of| if i == 0 { json!(format!("node {}", of[1])) } else { Value::Null })
    }),
    &near_miss("name-duplicate", "mesh and node", mesh_names),
    &defect("joint-unused", "a new one", |r, n| new_joints(r, n, 1)),
    &defect("joint-unused", "a new chain", |r, n| new_joints(r, n, 3)),
    &defect("joint-unused", "its weights are gone", |r, n| unused(r, n, 1)),
    &defect("joint-unused", "the weights of a branch are gone", |r, n| unused(r, n, 4)),
    &near_miss("joint-unused", "its child is used", between),
    &near_miss("joint-unused", "it carries something rigid", carrying),
];

fn silent(case: Case) -> Case {
    let (file, mut plant) = case?;
    plant.joints.clear();
    plant.also.clear();
    Some((file, plant))
}

/// Stores `parent_from_node` as translation, rotation and scale.
pub fn set_local(file: &mut Document, node: usize, m: DMat4) {
    let (scale, rotation, translation) = m.to_scale_rotation_translation();
    let node = file.root["nodes"][node].as_object_mut().unwrap();
    node.remove("matrix");
    node.insert("translation".into(), json!(translation.to_array()));
    node.insert("rotation".into(), json!(rotation.normalize().to_array()));
    node.insert("scale".into(), json!(scale.to_array()));
}

fn set_matrix(file: &mut Document, node: usize, m: DMat4) {
    let node = file.root["nodes"][node].as_object_mut().unwrap();
    ["translation", "rotation", "scale"].iter().for_each(|key| drop(node.remove(*key)));
    node.insert("matrix".into(), json!(m.to_cols_array()));
}

fn scene(file: &mut Document) -> &mut Vec<Value> {
    let scene = file.root["scene"].as_u64().unwrap_or(0) as usize;
    file.root["scenes"][scene]["nodes"].as_array_mut().unwrap()
}

/// Puts a new node above everything that the scene shows.
pub fn wrap(file: &mut Document, m: DMat4) -> usize {
    let roots = scene(file).clone();
    let node = file.push("nodes", json!({ "name": "wrapper", "children": roots }));
    set_local(file, node, m);
    *scene(file) = vec![json!(node)];
    node
}

/// Takes a node from its parent or the scene.
fn orphan(file: &mut Document, node: usize) {
    for parent in 0..file.list("nodes").len() {
        let parent = file.root["nodes"][parent].as_object_mut().unwrap();
        if let Some(children) = parent.get_mut("children").and_then(Value::as_array_mut) {
            children.retain(|c| *c != json!(node));
            if children.is_empty() {
                parent.remove("children");
            }
        }
    }
    scene(file).retain(|c| *c != json!(node));
}

fn add_child(file: &mut Document, parent: usize, child: usize) {
    let node = &mut file.root["nodes"][parent];
    if node["children"].is_null() {
        node["children"] = json!([]);
    }
    node["children"].as_array_mut().unwrap().push(json!(child));
}

/// A joint that is not above all others.
fn inner(rig: &Rig, random: &mut Random) -> Option<u32> {
    let fits = |j: &u32| rig.parent(*j).is_some() && rig.subtree(*j).len() * 2 < rig.joints.len();
    (0..100).map(|_| random.below(rig.joints.len()) as u32).find(fits)
}

fn nodes(rig: &Rig, joints: &[u32]) -> Vec<usize> {
    joints.iter().map(|j| rig.joints[*j as usize]).collect()
}

fn skeleton(rig: &Rig, node: Option<usize>) -> Case {
    let mut edit = Edit::new(rig);
    let skin = edit.file.root["skins"][rig.skin].as_object_mut().unwrap();
    skin.remove("skeleton");
    if let Some(node) = node {
        skin.insert("skeleton".into(), json!(node));
    }
    edit.done()
}

fn skeleton_above(rig: &Rig) -> Case {
    let mut edit = Edit::new(rig);
    let node = wrap(&mut edit.file, DMat4::IDENTITY);
    edit.file.root["skins"][rig.skin]["skeleton"] = json!(node);
    edit.done()
}

fn wrong_skeleton(rig: &Rig, random: &mut Random) -> Case {
    let joint = inner(rig, random)?;
    let (file, mut plant) = skeleton(rig, Some(rig.joints[joint as usize]))?;
    let inside = rig.subtree(joint);
    let outside: Vec<u32> = (0..rig.joints.len() as u32).filter(|j| !inside.contains(j)).collect();
    plant.joints = nodes(rig, &outside);
    Some((file, plant))
}

/// A joint hangs nowhere; it stays where it was in space.
fn detached(rig: &Rig, random: &mut Random, in_scene: bool) -> Case {
    let joint = inner(rig, random)?;
    let node = rig.joints[joint as usize];
    let mut edit = Edit::new(rig);
    orphan(&mut edit.file, node);
    set_local(&mut edit.file, node, rig.world[node]);
    if in_scene {
        scene(&mut edit.file).push(json!(node));
    }
    edit.plant.joints = nodes(rig, &rig.subtree(joint));
    edit.done()
}

/// Nodes that carry skinned meshes.
fn carriers(rig: &Rig) -> Vec<usize> {
    let nodes = rig.file.list("nodes");
    (0..nodes.len()).filter(|n| !nodes[*n]["skin"].is_null() && !nodes[*n]["mesh"].is_null()).collect()
}

fn no_skeleton_in_scene(rig: &Rig, _: &mut Random) -> Case {
    let mut edit = Edit::new(rig);
    let carriers = carriers(rig);
    carriers.iter().for_each(|n| orphan(&mut edit.file, *n));
    *scene(&mut edit.file) = carriers.iter().map(|n| json!(n)).collect();
    edit.plant.joints.clone_from(&rig.joints);
    edit.done()
}

fn beside(rig: &Rig, random: &mut Random) -> Case {
    let joint = inner(rig, random)?;
    let root = rig.path(joint)[0];
    if rig.subtree(root).len() != rig.joints.len() {
        return None;
    }
    let mut edit = Edit::new(rig);
    let node = rig.joints[joint as usize];
    orphan(&mut edit.file, node);
    set_local(&mut edit.file, node, rig.world[node]);
    scene(&mut edit.file).push(json!(node));
    wrap(&mut edit.file, DMat4::IDENTITY);
    for skin in 0..edit.file.list("skins").len() {
        edit.file.root["skins"][skin]["skeleton"] = json!(rig.joints[root as usize]);
    }
    edit.plant.joints = nodes(rig, &rig.subtree(joint));
    edit.done()
}

fn mesh_below(rig: &Rig, random: &mut Random) -> Case {
    let mut edit = Edit::new(rig);
    for node in carriers(rig) {
        // Whatever hangs on the mesh's own node could be the joints.
        if !rig.file.list("nodes")[node]["children"].is_null() {
            return None;
        }
        orphan(&mut edit.file, node);
        add_child(&mut edit.file, rig.joints[random.below(rig.joints.len())], node);
    }
    edit.done()
}

fn scaled(rig: &Rig, random: &mut Random, scale: DVec3, as_matrix: bool) -> Case {
    let joint = random.below(rig.joints.len());
    let node = rig.joints[joint];
    let mut edit = Edit::new(rig);
    let m = local(&edit.file.list("nodes")[node]) * DMat4::from_scale(scale);
    if as_matrix {
        set_matrix(&mut edit.file, node, m);
    } else {
        set_local(&mut edit.file, node, m);
        // A mirror along another axis and a turn say the same; the file shall say this one.
        if scale.min_element() < 0.0 {
            let now = local(&rig.file.list("nodes")[node]);
            set_local(&mut edit.file, node, now);
            let old = now.to_scale_rotation_translation().0;
            edit.file.root["nodes"][node]["scale"] = json!((old * scale).to_array());
        }
    }
    edit.plant.joints = vec![node];
    // Rest and bind part company.
    edit.plant.also = vec!["inverse-bind-mismatch"];
    edit.done()
}

fn scaled_above(rig: &Rig, scale: DVec3) -> Case {
    let mut edit = Edit::new(rig);
    let node = wrap(&mut edit.file, DMat4::IDENTITY);
    edit.file.root["nodes"][node]["scale"] = json!(scale.to_array());
    edit.plant.joints = vec![node];
    edit.done()
}

/// A joint with a non-uniform scale, and binds that were made so.
fn bound_scaled(rig: &Rig, random: &mut Random) -> Case {
    let (mut file, mut plant) = scaled(rig, random, DVec3::new(1.0, 1.3, 1.0), false)?;
    let new = world(&file, &parents(&file));
    let rebound = |(joint, node): (usize, &usize)| new[*node].inverse() * rig.world[*node] * rig.inverse_bind[joint];
    let binds: Vec<DMat4> = rig.joints.iter().enumerate().map(rebound).collect();
    set_binds(rig, &mut file, &binds, true);
    plant.also = vec!["inverse-bind-non-rigid"];
    Some((file, plant))
}

fn mesh_scaled(rig: &Rig, scale: Value) -> Case {
    let mut edit = Edit::new(rig);
    for node in carriers(rig) {
        if !rig.file.list("nodes")[node]["children"].is_null() {
            return None;
        }
        set_local(&mut edit.file, node, local(&rig.file.list("nodes")[node]));
        edit.file.root["nodes"][node]["scale"] = scale.clone();
    }
    edit.done()
}

/// A node for something held in a hand.
fn prop(file: &mut Document, parent: usize, node: Value) -> usize {
    let node = file.push("nodes", node);
    add_child(file, parent, node);
    node
}

fn prop_scaled(rig: &Rig, random: &mut Random) -> Case {
    let mut edit = Edit::new(rig);
    let parent = rig.joints[random.below(rig.joints.len())];
    prop(&mut edit.file, parent, json!({ "name": "a prop", "scale": [1.0, -4.0, 2.0] }));
    edit.done()
}

fn half_turn(rig: &Rig) -> Case {
    let mut edit = Edit::new(rig);
    let node = wrap(&mut edit.file, DMat4::IDENTITY);
    set_matrix(&mut edit.file, node, DMat4::from_quat(DQuat::from_rotation_y(std::f64::consts::PI)));
    edit.done()
}

fn some_nodes(rig: &Rig, random: &mut Random, count: usize, joints: bool) -> Vec<usize> {
    let all: Vec<usize> = if joints { rig.joints.clone() } else { (0..rig.parents.len()).collect() };
    let mut out: Vec<usize> = Vec::new();
    while out.len() < count.min(all.len()) {
        let node = random.pick(&all);
        if !out.contains(&node) {
            out.push(node);
        }
    }
    out
}

fn same_name(rig: &Rig, random: &mut Random, count: usize, joints: bool) -> Case {
    let mut edit = Edit::new(rig);
    let list = some_nodes(rig, random, count, joints);
    for node in &list {
        edit.file.root["nodes"][*node]["name"] = json!("Knee");
    }
    edit.plant.joints = list;
    edit.done()
}

fn same_name_below(rig: &Rig, random: &mut Random) -> Case {
    let mut edit = Edit::new(rig);
    let [a, b] = some_nodes(rig, random, 2, true)[..] else { return None };
    edit.file.root["nodes"][a]["name"] = json!("Elbow");
    let new = prop(&mut edit.file, b, json!({ "name": "Elbow" }));
    edit.plant.joints = vec![a, new];
    edit.done()
}

fn names(rig: &Rig, random: &mut Random, name: fn(usize, &[usize]) -> Value) -> Case {
    let mut edit = Edit::new(rig);
    let list = some_nodes(rig, random, 4, true);
    for (i, node) in list.iter().enumerate() {
        match name(i, &list) {
            Value::Null => drop(edit.file.root["nodes"][*node].as_object_mut().unwrap().remove("name")),
            name => edit.file.root["nodes"][*node]["name"] = name,
        }
    }
    edit.done()
}

fn mesh_names(rig: &Rig, random: &mut Random) -> Case {
    let mut edit = Edit::new(rig);
    let name = json!("Thing");
    edit.file.root["nodes"][some_nodes(rig, random, 1, true)[0]]["name"] = name.clone();
    edit.file.root["meshes"][0]["name"] = name.clone();
    edit.file.root["skins"][rig.skin]["name"] = name;
    edit.done()
}

/// Another joint for every skin, bound where it stands.
fn new_joint(rig: &Rig, file: &mut Document, parent: u32, node: usize, binds: &mut Vec<DMat4>) {
    // world · inverse bind as of the joint above it.
    let common = rig.world[rig.joints[parent as usize]] * rig.inverse_bind[parent as usize];
    let world = world(file, &parents(file));
    binds.push(world[node].inverse() * common);
    for skin in 0..file.list("skins").len() {
        file.root["skins"][skin]["joints"].as_array_mut().unwrap().push(json!(node));
    }
}

fn new_joints(rig: &Rig, random: &mut Random, count: usize) -> Case {
    let mut edit = Edit::new(rig);
    let parent = random.below(rig.joints.len()) as u32;
    let (mut binds, mut above) = (rig.inverse_bind.clone(), rig.joints[parent as usize]);
    for i in 0..count {
        let node = json!({ "name": format!("new {i}"), "translation": [0.0, rig.size * 0.03, 0.0] });
        let node = prop(&mut edit.file, above, node);
        new_joint(rig, &mut edit.file, parent, node, &mut binds);
        edit.plant.joints.push(node);
        above = node;
    }
    set_binds(rig, &mut edit.file, &binds, true);
    edit.done()
}

/// All that a joint and those below it move goes to the joint above.
fn unused(rig: &Rig, random: &mut Random, most: usize) -> Case {
    let moving = |j: &u32| {
        let subtree = rig.subtree(*j);
        let few = subtree.len() <= most && (most == 1 || subtree.len() > 1);
        few && rig.parent(*j).is_some() && subtree.iter().any(|s| !rig.region(*s).is_empty())
    };
    let joint = (0..60).map(|_| random.below(rig.joints.len()) as u32).find(moving)?;
    let (gone, up) = (rig.subtree(joint), rig.parent(joint)?);
    let hanging = rig.file.list("nodes").iter().enumerate().any(|(n, node)| {
        let above = std::iter::successors(Some(n), |n| rig.parents[*n]).any(|a| a == rig.joints[joint as usize]);
        above && !node["mesh"].is_null()
    });
    if hanging {
        return None;
    }
    let mut edit = Edit::new(rig);
    for part in 0..rig.parts.len() {
        let w = edit.weights(part);
        for v in 0..w.vertices() as u32 {
            let share: f64 = w.shares(v).iter().filter(|(j, _)| gone.contains(j) || **j == up).map(|p| p.1).sum();
            if w.shares(v).keys().any(|j| gone.contains(j)) {
                let rest: Vec<_> = w.pairs(v).into_iter().filter(|(j, _)| !gone.contains(j)).collect();
                w.set(v as usize, &rest);
                let total = w.one();
                if rest.iter().all(|(j, _)| *j == up) {
                    w.set(v as usize, &[(up, total)]);
                } else {
                    let sum: f64 = rest.iter().filter(|(j, _)| *j != up).map(|p| p.1).sum();
                    let mut all: Vec<_> = rest.iter().filter(|(j, _)| *j != up).copied().collect();
                    all.push((up, total - sum));
                    w.set(v as usize, &all);
                }
                debug_assert!(share > 0.0, "an unused joint had a share");
            }
        }
    }
    edit.plant.joints = nodes(rig, &gone);
    edit.plant.also = vec!["asymmetry", "rogue-vertices"];
    edit.done()
}

/// A joint that moves nothing, between two that do.
fn between(rig: &Rig, random: &mut Random) -> Case {
    let used = |j: &u32| rig.parent(*j).is_some() && !rig.region(*j).is_empty();
    let joint = (0..60).map(|_| random.below(rig.joints.len()) as u32).find(used)?;
    let up = rig.parent(joint)?;
    let mut edit = Edit::new(rig);
    let node = rig.joints[joint as usize];
    let above = rig.parents[node]?;
    orphan(&mut edit.file, node);
    let new = prop(&mut edit.file, above, json!({ "name": "between", "children": [node] }));
    let mut binds = rig.inverse_bind.clone();
    new_joint(rig, &mut edit.file, up, new, &mut binds);
    set_binds(rig, &mut edit.file, &binds, true);
    edit.done()
}

/// A joint that moves no vertex of a skin, and holds a mesh that is not skinned.
fn carrying(rig: &Rig, random: &mut Random) -> Case {
    let mut edit = Edit::new(rig);
    let parent = random.below(rig.joints.len()) as u32;
    let holder = prop(&mut edit.file, rig.joints[parent as usize], json!({ "name": "holder" }));
    let mut binds = rig.inverse_bind.clone();
    new_joint(rig, &mut edit.file, parent, holder, &mut binds);
    set_binds(rig, &mut edit.file, &binds, true);
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y].map(|p| p * rig.size * 0.05);
    let mesh = edit.file.push("meshes", json!({ "primitives": [] }));
    let pairs = vec![vec![(0, 1.0)]; 3];
    let place =
        super::surface::add_primitive(&mut edit.file, mesh, &corners, &pairs, &[[0, 1, 2]], crate::defects::file::F32);
    let attributes = edit.file.root["meshes"][place.0]["primitives"][0]["attributes"].as_object_mut().unwrap();
    attributes.retain(|name, _| name == "POSITION");
    prop(&mut edit.file, holder, json!({ "name": "held", "mesh": mesh }));
    edit.done()
}
