//! Tests that edits follow their vertices, and that those without a vertex are set aside.

use std::collections::BTreeMap;

use glam::Vec3;
use skinscope_base::math::test_random::Random;
use skinscope_model::test_shapes::{Tube, tube, with_vertices};
use skinscope_model::{Material, MaterialId, ModelParts};

use super::*;

fn model() -> Model {
    tube(Tube { joints: 6, ..Tube::default() })
}

/// What was made on `model`: each of these vertices follows its joint alone.
fn made(model: &Model, edits: &[(u32, u16)]) -> Vec<EditedVertices> {
    let vertices: Vec<u32> = edits.iter().map(|(vertex, _)| *vertex).collect();
    let keys = Keys::of(model);
    vec![EditedVertices {
        list: Identities::of(model).list(model, MeshId(0), 0, &vertices),
        skin: model.skins[0].joints.iter().map(|joint| keys.key(*joint).to_owned()).collect(),
        per_vertex: 1,
        joints: edits.iter().map(|(_, joint)| *joint).collect(),
        weights: vec![1.0; edits.len()],
    }]
}

fn carried(edits: &[EditedVertices], from: &Model, to: &Model) -> Carried {
    let paths = paths_of(from, edits.iter().flat_map(|edit| &edit.skin).map(String::as_str));
    carry(edits, &MadeOn { meshes: Identities::of(from).meshes, paths }, to)
}

/// The joint of each edited vertex, by its position.
fn by_position(model: &Model, changes: &[WeightChange]) -> Vec<([u32; 3], u16)> {
    let mut out = Vec::new();
    for change in changes {
        let positions = &model.meshes[change.mesh.index()].primitives[change.primitive].positions;
        for (i, v) in change.vertices.iter().enumerate() {
            assert_eq!(change.row(i).1[0], 1.0);
            out.push((positions[*v as usize].to_array().map(f32::to_bits), change.row(i).0[0]));
        }
    }
    out.sort_unstable();
    out
}

fn shuffled(count: u32, random: &mut Random) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, (random.unit() * i as f32) as usize);
    }
    order
}

fn count(model: &Model) -> u32 {
    model.meshes[0].primitives[0].stored_vertices as u32
}

#[test]
fn edits_follow_vertices_that_stand_in_another_order() {
    let model = model();
    let edits: Vec<(u32, u16)> = (0..count(&model)).step_by(5).map(|v| (v, (v % 6) as u16)).collect();
    let edits = made(&model, &edits);
    let mut random = Random(3);
    let there = carried(&edits, &model, &model);
    assert!(there.aside.is_empty() && there.repainted == 0);
    for _ in 0..5 {
        let other = with_vertices(&model, &shuffled(count(&model), &mut random));
        let moved = carried(&edits, &model, &other);
        assert!(moved.aside.is_empty() && moved.repainted == 0 && moved.by_number == 0);
        assert_eq!(by_position(&other, &moved.weights), by_position(&model, &there.weights));
        assert_ne!(moved.weights, there.weights);
    }
}

#[test]
fn every_copy_of_a_split_vertex_gets_its_edit_and_a_vertex_that_is_gone_is_set_aside() {
    let model = model();
    let edits = made(&model, &[(3, 5), (40, 2), (41, 1)]);
    let mut order: Vec<u32> = (0..count(&model)).filter(|v| *v != 41).collect();
    order.extend([3, 3]);
    let other = with_vertices(&model, &order);
    let moved = carried(&edits, &model, &other);
    assert_eq!(moved.aside, [(0, 2, SetAside::Gone)]);
    let positions = by_position(&other, &moved.weights);
    assert_eq!(positions.iter().filter(|(_, joint)| *joint == 5).count(), 3);
    assert_eq!(positions.iter().filter(|(_, joint)| *joint == 2).count(), 1);
    assert_eq!(positions.len(), 4);
    // Those that are set aside are carried once their vertices are back.
    let left = [edits[0].only(&[2])];
    let back = carried(&left, &model, &model);
    assert_eq!((back.weights[0].vertices.clone(), back.weights[0].joints.clone()), (vec![41], vec![1]));
}

/// The model with twins of some vertices, which have every number in common with them.
fn with_twins(model: &Model, of: &[u32]) -> Model {
    let order: Vec<u32> = (0..count(model)).chain(of.iter().copied()).collect();
    with_vertices(model, &order)
}

#[test]
fn equal_vertices_are_matched_in_the_same_order_and_only_where_they_are_as_many_as_before() {
    let single = model();
    let twins = with_twins(&single, &[7]);
    let last = count(&single);
    let edits = made(&twins, &[(7, 5)]);
    assert_eq!(edits[0].list.copies[0].full, 2);
    assert_eq!(carried(&edits, &twins, &twins).weights[0].vertices, [7]);
    // In another order nobody knows which of the two was the first.
    let mut order: Vec<u32> = (0..=last).rev().collect();
    order.swap(0, last as usize - 7);
    let moved = carried(&edits, &twins, &with_vertices(&twins, &order));
    assert_eq!((moved.weights.len(), moved.aside), (0, vec![(0, 0, SetAside::Ambiguous)]));
    // Where one of them is gone nobody knows whether it is the one that was edited.
    assert_eq!(carried(&edits, &twins, &single).aside, [(0, 0, SetAside::Ambiguous)]);
    // If both were edited alike it does not matter.
    let both = made(&twins, &[(7, 5), (last, 5)]);
    assert_eq!(carried(&both, &twins, &single).weights[0].vertices, [7]);
    let apart = made(&twins, &[(7, 5), (last, 4)]);
    assert_eq!(carried(&apart, &twins, &single).aside.len(), 2);
}

/// The model with other stored weights of some vertices.
fn repainted(model: &Model, vertices: &[u32]) -> Model {
    let mut parts: ModelParts = (**model).clone();
    let stored = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
    for v in vertices {
        let at = *v as usize * stored.per_vertex;
        (stored.weights[at], stored.weights[at + 1]) = (0.125, 0.875);
    }
    Model::build(parts).unwrap()
}

#[test]
fn stored_weights_that_changed_outside_leave_the_edit_on_its_vertex_where_that_is_clear() {
    let single = model();
    let edits = made(&single, &[(7, 5), (8, 4)]);
    let mut random = Random(8);
    let order = shuffled(count(&single), &mut random);
    let other = with_vertices(&repainted(&single, &[7]), &order);
    let moved = carried(&edits, &single, &other);
    assert_eq!((moved.repainted, moved.aside.len()), (1, 0));
    assert_eq!(by_position(&other, &moved.weights), by_position(&single, &carried(&edits, &single, &single).weights));
    // Of twins that both were repainted each is known by its index, as long as nothing else tells that the order is another.
    let twins = with_twins(&single, &[7]);
    let edits = made(&twins, &[(7, 5)]);
    let both = repainted(&twins, &[7, count(&single)]);
    assert_eq!(carried(&edits, &twins, &both).weights[0].vertices, [7]);
    let reversed: Vec<u32> = (0..count(&twins)).rev().collect();
    assert_eq!(carried(&edits, &twins, &with_vertices(&both, &reversed)).aside, [(0, 0, SetAside::Ambiguous)]);
    // Twins that exchanged their weights have exchanged their indices.
    let differ = repainted(&twins, &[7]);
    let edits = made(&differ, &[(7, 5)]);
    let exchanged = repainted(&twins, &[count(&single)]);
    assert_eq!(carried(&edits, &differ, &exchanged).weights[0].vertices, [count(&single)]);
}

/// Two tubes in meshes of these names, the second of which has vertices in common with the first, as levels of detail have.
fn two(names: [&str; 2], vertices: [&[u32]; 2]) -> Model {
    let model = model();
    let mut parts: ModelParts = (*with_vertices(&model, vertices[0])).clone();
    let second = &*with_vertices(&model, vertices[1]);
    parts.meshes.push(second.meshes[0].clone());
    for (mesh, name) in parts.meshes.iter_mut().zip(names) {
        mesh.name = name.into();
    }
    let mut instance = parts.instances[0].clone();
    instance.mesh = MeshId(1);
    parts.instances.push(instance);
    Model::build(parts).unwrap()
}

#[test]
fn a_mesh_is_found_by_content_or_name_and_a_level_of_detail_is_left_alone() {
    let all: Vec<u32> = (0..count(&model())).collect();
    let half: Vec<u32> = all.iter().copied().filter(|v| v % 2 == 1).collect();
    for names in [["high", "low"], ["", ""]] {
        let before = two(names, [&all, &half]);
        let edits = made(&before, &[(7, 5), (9, 3)]);
        // The meshes have changed their order, and the vertices of the first too.
        let reversed: Vec<u32> = all.iter().copied().rev().collect();
        let after = two([names[1], names[0]], [&half, &reversed]);
        let moved = carried(&edits, &before, &after);
        assert!(moved.aside.is_empty());
        assert_eq!(
            (moved.weights.len(), moved.weights[0].mesh, &moved.weights[0].joints[..]),
            (1, MeshId(1), &[3, 5][..])
        );
    }
    // The vertex is gone from its own mesh, and that of the other one is another.
    let before = two(["high", "low"], [&all, &half]);
    let less: Vec<u32> = all.iter().copied().filter(|v| *v != 7).collect();
    let after = two(["high", "low"], [&less, &half]);
    let moved = carried(&made(&before, &[(7, 5), (9, 3)]), &before, &after);
    assert_eq!((moved.aside, moved.vertices.len()), (vec![(0, 0, SetAside::Gone)], 1));
}

#[test]
fn a_copy_in_a_new_mesh_is_left_alone_unless_the_mesh_has_not_all_of_its_vertices_any_more() {
    let all: Vec<u32> = (0..count(&model())).collect();
    let before = with_vertices(&model(), &all);
    let edits = made(&before, &[(7, 5), (9, 3)]);
    let name = before.meshes[0].name.clone();
    for names in [[name.as_str(), "copy"], ["copy", name.as_str()]] {
        let moved = carried(&edits, &before, &two(names, [&all, &all]));
        let own = names.iter().position(|n| *n == name).unwrap();
        assert_eq!((moved.weights.len(), moved.weights[0].mesh.index(), moved.elsewhere), (1, own, 0));
        // So too where its order is another, and where weights have changed.
        let reversed: Vec<u32> = all.iter().copied().rev().collect();
        let moved = carried(&edits, &before, &repainted(&two(names, [&reversed, &reversed]), &[0]));
        assert_eq!((moved.weights.len(), moved.weights[0].mesh.index(), moved.aside.len()), (1, own, 0));
    }
    // Some of its vertices are in a new mesh now, and one is in both.
    let upper: Vec<u32> = all.iter().copied().filter(|v| *v != 9).collect();
    let moved = carried(&edits, &before, &two([&name, "part"], [&upper, &[7, 9, 10]]));
    assert_eq!((moved.weights.len(), moved.vertices.len(), moved.elsewhere, moved.aside.len()), (2, 3, 1, 0));
}

/// A mesh with two equal primitives of these materials, as surfaces that are seen from both sides have.
fn with_sides(materials: [&str; 2]) -> Model {
    let mut parts: ModelParts = (*model()).clone();
    for (i, name) in materials.into_iter().enumerate() {
        parts.materials.push(Material { name: name.into(), ..Material::default() });
        let mut side = parts.meshes[0].primitives[0].clone();
        side.material = Some(MaterialId::from_index(i));
        parts.meshes[0].primitives.push(side);
    }
    parts.meshes[0].primitives.remove(0);
    Model::build(parts).unwrap()
}

#[test]
fn equal_vertices_of_two_primitives_are_distinguished_by_their_materials() {
    let before = with_sides(["front", "back"]);
    let edits = made(&before, &[(7, 5)]);
    assert_eq!((edits[0].list.copies[0].full, edits[0].list.material.as_str()), (2, "front"));
    for (materials, primitive) in [(["front", "back"], 0), (["back", "front"], 1), (["new", "newer"], 0)] {
        let moved = carried(&edits, &before, &with_sides(materials));
        assert_eq!((moved.weights.len(), moved.weights[0].primitive, moved.vertices.len()), (1, primitive, 1));
        // So too where the stored weights have changed outside.
        let mut parts: ModelParts = (*with_sides(materials)).clone();
        for primitive in &mut parts.meshes[0].primitives {
            let weights = &mut primitive.stored_influences.as_mut().unwrap().weights;
            (weights[28], weights[29]) = (0.125, 0.875);
        }
        let moved = carried(&edits, &before, &Model::build(parts).unwrap());
        assert_eq!((moved.weights[0].primitive, moved.repainted), (primitive, 1));
    }
    // Without names the order is all that there is.
    let nameless = with_sides(["material 0", "material 1"]);
    let edits = made(&nameless, &[(7, 5)]);
    assert_eq!((edits[0].list.material.as_str(), carried(&edits, &nameless, &nameless).weights[0].primitive), ("", 0));
}

#[test]
fn joints_are_found_by_name_and_one_that_is_missing_sets_the_edit_aside() {
    let model = model();
    let edits = made(&model, &[(7, 5), (8, 0)]);
    let mut parts: ModelParts = (*model).clone();
    parts.skins[0].joints.reverse();
    parts.skins[0].inverse_bind.reverse();
    let stored = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
    stored.joints.iter_mut().for_each(|joint| *joint = 5 - *joint);
    let moved = carried(&edits, &model, &Model::build(parts.clone()).unwrap());
    assert_eq!((moved.repainted, &moved.weights[0].joints[..]), (0, &[0, 5][..]));
    parts.skeleton.names[6] = "other".into();
    let moved = carried(&edits, &model, &Model::build(parts).unwrap());
    assert_eq!(moved.aside, [(0, 0, SetAside::NoJoint("joint 5".into()))]);
}

#[test]
fn joints_of_one_name_are_found_by_their_path_and_not_by_their_number() {
    // Two arms of equally named joints, one below each of two shoulders.
    let arms = |names: [&str; 2]| {
        let mut parts: ModelParts = (*model()).clone();
        parts.skeleton.parents = [None, Some(0), Some(1), Some(2), Some(1), Some(4), Some(5)]
            .iter()
            .map(|parent| parent.map(NodeId::from_index))
            .collect();
        let all = ["root", "spine", names[0], "arm", names[1], "arm", "tip"];
        parts.skeleton.names = all.map(str::to_owned).to_vec();
        Model::build(parts).unwrap()
    };
    let before = arms(["left", "right"]);
    let edits = made(&before, &[(7, 2), (8, 4)]);
    assert_eq!((edits[0].skin[2].as_str(), edits[0].skin[4].as_str()), ("#3", "#5"));
    assert_eq!(carried(&edits, &before, &before).weights[0].joints, [2, 4]);
    let moved = carried(&edits, &before, &arms(["right", "left"]));
    assert_eq!((moved.weights[0].joints.as_slice(), moved.aside.len()), (&[4, 2][..], 0));
    let gone = carried(&edits, &before, &arms(["other", "right"]));
    assert_eq!(gone.aside, [(0, 0, SetAside::NoJoint("#3".into()))]);
}

#[test]
fn without_identities_numbers_count_where_the_vertices_are_as_many() {
    let model = model();
    let mut edits = made(&model, &[(7, 5)]);
    edits[0].list.identities.clear();
    let moved = carried(&edits, &model, &model);
    assert_eq!((moved.by_number, &moved.weights[0].vertices[..]), (1, &[7][..]));
    let less: Vec<u32> = (1..count(&model)).collect();
    assert_eq!(carried(&edits, &model, &with_vertices(&model, &less)).aside, [(0, 0, SetAside::OtherCount)]);
}

#[test]
fn identities_are_those_that_session_files_have() {
    let model = model();
    let list = Identities::of(&model).list(&model, MeshId(0), 0, &[0, 77, 9999]);
    assert_eq!((list.vertices.len(), list.positions[1]), (2, model.meshes[0].primitives[0].positions[77]));
    let hashes: BTreeMap<u64, u64> = list.identities.iter().map(|i| (i.geometry, i.full)).collect();
    assert_eq!(hashes.len(), 2);
    // The order of pairs and pairs without weight make no difference, nor does the sign of 0.
    let mut parts: ModelParts = (*model).clone();
    let primitive = &mut parts.meshes[0].primitives[0];
    let stored = primitive.stored_influences.as_mut().unwrap();
    stored.joints.chunks_mut(4).for_each(|row| row.swap(0, 1));
    stored.weights.chunks_mut(4).for_each(|row| row.swap(0, 1));
    stored.joints.chunks_mut(4).for_each(|row| row[3] = 2);
    primitive.normals[0] *= Vec3::new(1.0, -1.0, 1.0);
    let other = Model::build(parts).unwrap();
    assert_eq!(Identities::of(&other).list(&other, MeshId(0), 0, &[0, 77]).identities, list.identities);
    assert!(is_same_order(&model, &other, [MeshId(0)], false) && !is_same_order(&model, &other, [MeshId(0)], true));
}
