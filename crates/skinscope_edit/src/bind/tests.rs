//! Tests of the operation that finds weights.

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::{Affine3A, Vec3};
use skinscope_base::parallel::JobContext;
use skinscope_bind::{BINDERS, BindSettings, RULES, ShapeForm};
use skinscope_inspect::VertexSet;
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Instance, InstanceId, MeshId, Model, ModelParts, NodeId, SkinId};

use super::{BareScope, Folded, WORDS, bind_bare, bind_settings, put_bind_settings, set_bind_mesh, set_bind_root};
use crate::{Outcome, Refusal, Settings, Sheet, Table, Task, apply, compute_outcome, operation};

fn outcome(model: &Model, binding: &BindSettings, locked: &[NodeId]) -> Outcome {
    let mut settings = Settings::default();
    put_bind_settings(&mut settings, binding);
    let locked: BTreeSet<NodeId> = locked.iter().copied().collect();
    let task = Task { operation: operation("bind").unwrap(), settings, within: None, locked: Arc::new(locked) };
    compute_outcome(model, &task, &JobContext::of_waiting()).unwrap()
}

#[test]
fn every_method_is_a_word_of_the_operation_and_settings_come_back_as_they_were_put() {
    let words: Vec<_> = WORDS.iter().map(|word| (word.id, word.label, word.help)).collect();
    let binders: Vec<_> = BINDERS.iter().map(|binder| (binder.id, binder.label, binder.help)).collect();
    assert_eq!(words, binders);
    let mut settings = Settings::default();
    assert_eq!(bind_settings(&settings), BindSettings::default());
    for binder in BINDERS {
        let numbers = binder.parameters.iter().map(|p| (p.id.to_owned(), p.range[1]));
        let wanted = BindSettings {
            method: binder.id.to_owned(),
            most: 6,
            smooth: 3,
            rigid_pieces: true,
            rules_off: RULES.iter().take(1).map(|rule| rule.id.to_owned()).collect(),
            values: numbers.collect(),
            envelopes: [("Arm.L".to_owned(), [0.25, 2.0])].into(),
        };
        put_bind_settings(&mut settings, &wanted);
        assert_eq!(bind_settings(&settings), wanted);
    }
}

#[test]
fn a_tube_is_bound_to_its_joints_and_locked_joints_keep_their_weights() {
    let model = tube(Tube { joints: 3, ..Tube::default() });
    for binder in BINDERS {
        let wanted = BindSettings { method: binder.id.to_owned(), ..BindSettings::default() };
        let out = outcome(&model, &wanted, &[]);
        assert_eq!(out.refused, None, "{}", binder.id);
        let [skin] = out.bound.as_slice() else { panic!("{}: one skin", binder.id) };
        assert!(skin.joints == 3 && skin.joints_used >= 2, "{}: {skin:?}", binder.id);
        let bound = model.with_skinning(&out.change()).unwrap();
        let sheet = Sheet::of(&bound);
        assert!((0..sheet.tables[0].vertices()).all(|row| (sheet.tables[0].sum(row) - 1.0).abs() < 1e-6));
        let joint = model.skins[0].joints[1];
        let held = outcome(&model, &wanted, &[joint]);
        let kept = model.with_skinning(&held.change()).unwrap();
        let weight = |model: &Model, vertex: usize| {
            let (mut shares, sheet) = (Vec::new(), Sheet::of(model));
            sheet.tables[0].shares(vertex, &mut shares);
            shares.iter().filter(|(key, _)| *key == joint.0).map(|(_, weight)| *weight).sum::<f64>()
        };
        for vertex in 0..sheet.tables[0].vertices() {
            assert_eq!(weight(&kept, vertex).to_bits(), weight(&model, vertex).to_bits(), "{}", binder.id);
        }
    }
}

#[test]
fn more_joints_than_the_file_has_pairs_for_make_room() {
    let model = tube(Tube { joints: 12, ..Tube::default() });
    let mut settings = Settings::default();
    put_bind_settings(&mut settings, &BindSettings { most: 7, smooth: 200, ..BindSettings::default() });
    let mut sheet = Sheet::of(&model);
    apply(operation("bind").unwrap(), &mut sheet, &settings);
    assert_eq!(sheet.tables[0].per_vertex, 8);
    let most = (0..sheet.tables[0].vertices()).map(|row| sheet.tables[0].filled(row)).max().unwrap();
    assert!((5..=7).contains(&most), "{most}");
    let out = outcome(&model, &BindSettings { most: 7, smooth: 200, ..BindSettings::default() }, &[]);
    assert_eq!(out.figures[1].most, most);
}

#[test]
fn no_vertex_gets_more_joints_than_asked_for_though_some_of_them_are_locked() {
    // The first and the last joint have half of everything.
    let mut parts: ModelParts = (*tube(Tube { joints: 6, ..Tube::default() })).clone();
    let influences = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
    let per_vertex = influences.per_vertex;
    for (joints, weights) in influences.joints.chunks_mut(per_vertex).zip(influences.weights.chunks_mut(per_vertex)) {
        joints.copy_from_slice(&[0, 5, 2, 0]);
        weights.copy_from_slice(&[0.25, 0.25, 0.5, 0.0]);
    }
    let model = Model::build(parts).unwrap();
    let locked = [0, 5].map(|joint| model.skins[0].joints[joint]);
    for most in [1, 2, 3, 4, 8] {
        let wanted = BindSettings { most, smooth: 100, ..BindSettings::default() };
        let out = outcome(&model, &wanted, &locked);
        let bound = model.with_skinning(&out.change()).unwrap();
        let (sheet, mut shares) = (Sheet::of(&bound), Vec::new());
        let mut used = BTreeSet::new();
        for row in 0..sheet.tables[0].vertices() {
            sheet.tables[0].shares(row, &mut shares);
            // Someone has to have what the locked joints leave.
            assert!(shares.len() <= most.max(3), "{most}: vertex {row} has {} joints", shares.len());
            assert!((sheet.tables[0].sum(row) - 1.0).abs() < 1e-6, "{most}: vertex {row}");
            used.extend(shares.iter().map(|(key, _)| *key));
        }
        assert_eq!(out.bound[0].joints_used, used.len(), "{most}: those that are locked have weight too");
    }
}

#[test]
fn joints_that_no_matrix_places_are_refused_and_one_of_them_gets_nothing() {
    let mut parts: ModelParts = (*tube(Tube { joints: 4, ..Tube::default() })).clone();
    let flat = Affine3A::from_scale(Vec3::ZERO);
    parts.skins[0].inverse_bind[2] = flat;
    let out = outcome(&Model::build(parts.clone()).unwrap(), &BindSettings::default(), &[]);
    assert_eq!((out.refused, out.bound[0].joints), (None, 3));
    parts.skins[0].inverse_bind.fill(flat);
    let name = parts.skins[0].name.clone();
    let out = outcome(&Model::build(parts).unwrap(), &BindSettings::default(), &[]);
    assert_eq!((out.refused, out.changes.len()), (Some(Refusal::Unbound(name)), 0));
}

#[test]
fn what_a_method_looks_at_is_told_in_the_space_of_each_joint() {
    let model = tube(Tube { joints: 3, ..Tube::default() });
    let envelopes = [(model.skeleton.names[model.skins[0].joints[1].index()].clone(), [0.7, 1.9])].into();
    let wanted = BindSettings { method: "envelope".to_owned(), envelopes, ..BindSettings::default() };
    let out = outcome(&model, &wanted, &[]);
    let shapes = &out.bound[0].shapes;
    assert!(!shapes.is_empty());
    for shape in shapes {
        let ShapeForm::Capsule(capsule) = shape.form else { panic!("no capsule") };
        assert!(capsule.ends[0].length() < 1e-6, "a bone begins at its joint: {}", capsule.ends[0]);
        let is_own = shape.node == model.skins[0].joints[1];
        assert_eq!(capsule.shares, if is_own { [0.7, 1.9] } else { [0.5, 1.2] });
    }
    let heat = outcome(&model, &BindSettings::default(), &[]);
    assert!(heat.bound[0].shapes.is_empty());
}

#[test]
fn joints_that_a_skin_lacks_are_those_above_them_there_and_the_largest_comes_first() {
    let model = tube(Tube { joints: 4, ..Tube::default() });
    let nodes = model.skins[0].joints.clone();
    // A skin with the first and the last but one of the joints.
    let table = Table { keys: [0, 2].map(|joint: usize| nodes[joint].0).to_vec(), ..Table::default() };
    let shares = Folded::new(&model, &nodes).shares(&table, 0, &[(2, 0.4), (1, 0.35), (0, 0.25)]);
    assert_eq!(shares, [(nodes[0].0, 0.6), (nodes[2].0, 0.4)]);
}

#[test]
fn no_room_is_made_for_more_joints_than_there_are() {
    let model = tube(Tube { joints: 3, ..Tube::default() });
    let mut settings = Settings::default();
    put_bind_settings(&mut settings, &BindSettings { most: 255, ..BindSettings::default() });
    let mut sheet = Sheet::of(&model);
    apply(operation("bind").unwrap(), &mut sheet, &settings);
    assert_eq!(sheet.tables[0].per_vertex, 4);
}

#[test]
fn a_mesh_without_a_skin_joins_that_of_its_joints_where_it_stands_so_and_gains_its_own_elsewhere() {
    let mut parts: ModelParts = (*tube(Tube { joints: 4, ..Tube::default() })).clone();
    // One more tube in the same place, and one that hangs on a joint.
    for (mesh, node) in [(1, 0), (2, 3)] {
        let mut bare = parts.meshes[0].clone();
        bare.primitives[0].stored_influences = None;
        parts.meshes.push(bare);
        let shown = Instance { node: NodeId(node), mesh: MeshId(mesh), skin: None, ..parts.instances[0].clone() };
        parts.instances.push(shown);
    }
    let model = Model::build(parts).unwrap();
    let change = |meshes: &[u32]| {
        let meshes: BTreeSet<u32> = meshes.iter().copied().collect();
        let settings = BindSettings::default();
        let scope = BareScope { meshes: Some(&meshes), ..BareScope::default() };
        let found = bind_bare(&model, NodeId(1), scope, &settings, &JobContext::of_waiting()).unwrap();
        let told: Vec<u32> = found.bound.iter().map(|skin| skin.skin.0).collect();
        let first = if found.change.skins.is_empty() { 0 } else { 1 };
        let gained = (first..first + found.change.skins.len().max(1) as u32).collect::<Vec<_>>();
        assert_eq!(told, gained, "one report for each skin");
        let vertices: usize = found.bound.iter().map(|skin| skin.vertices).sum();
        assert_eq!(vertices, meshes.len() * model.meshes[0].primitives[0].stored_vertices);
        found.change
    };
    let joins = change(&[1]);
    assert_eq!((joins.skins.len(), &joins.joining[..]), (0, &[(InstanceId(1), SkinId(0))][..]));
    assert_eq!(model.with_bindings(&joins).unwrap().instances[1].skin, Some(SkinId(0)));
    for (meshes, skins) in [(&[2][..], 1), (&[1, 2][..], 2)] {
        let own = change(meshes);
        assert_eq!((own.skins.len(), own.instances.len(), own.joining.len()), (skins, meshes.len(), 0));
        let bound = model.with_bindings(&own).unwrap();
        assert_eq!(bound.skins.len(), 1 + skins);
        assert!(bound.skins.iter().all(|skin| skin.joints == model.skins[0].joints));
        assert_eq!(bound.instances[2].skin, Some(SkinId(skins as u32)));
    }
}

#[test]
fn joints_of_one_tree_are_meant_where_a_skin_of_several_trees_cannot_be_joined() {
    let whole = tube(Tube { joints: 4, ..Tube::default() });
    let worlds = whole.skeleton.worlds(&whole.skeleton.rest);
    let mut parts: ModelParts = (*whole).clone();
    parts.skeleton.parents[3] = None;
    parts.skeleton.rest.transforms[3].translation = worlds[3].translation.as_vec3();
    parts.scenes[0].roots.push(NodeId(3));
    // The skin shows its mesh elsewhere than the other one stands.
    parts.skins[0].inverse_bind[0].translation.x += 0.5;
    let mut other = parts.meshes[0].clone();
    other.primitives[0].stored_influences = None;
    parts.meshes.push(other);
    parts.instances.push(Instance { mesh: MeshId(1), skin: None, ..parts.instances[0].clone() });
    let model = Model::build(parts).unwrap();
    for (root, joints) in [(NodeId(4), [NodeId(3), NodeId(4)]), (NodeId(2), [NodeId(1), NodeId(2)])] {
        let out =
            bind_bare(&model, root, BareScope::default(), &BindSettings::default(), &JobContext::of_waiting()).unwrap();
        let bound = model.with_bindings(&out.change).unwrap();
        assert_eq!((&bound.skins[1].joints[..], bound.skins[1].root), (&joints[..], Some(joints[0])));
    }
}

#[test]
fn each_skin_of_a_surface_is_reported_with_its_own_vertices_and_pieces() {
    let mut parts: ModelParts = (*tube(Tube { joints: 4, ..Tube::default() })).clone();
    let mut mesh = parts.meshes[0].clone();
    mesh.primitives[0].positions.iter_mut().for_each(|point| point.x += 1.0);
    parts.meshes.push(mesh);
    parts.skins.push(parts.skins[0].clone());
    let second = Instance { mesh: MeshId(1), skin: Some(SkinId(1)), ..parts.instances[0].clone() };
    parts.instances.push(second);
    let model = Model::build(parts).unwrap();
    let out = outcome(&model, &BindSettings::default(), &[]);
    let vertices = model.meshes[0].primitives[0].stored_vertices;
    let told: Vec<_> = out.bound.iter().map(|skin| (skin.skin, skin.vertices, skin.joints, skin.islands)).collect();
    assert_eq!(told, [(SkinId(0), vertices, 4, 1), (SkinId(1), vertices, 4, 1)]);
    for skin in &out.bound {
        assert!(skin.fallback.iter().all(|fallback| fallback.island == 0 && fallback.vertices == vertices));
        assert!(skin.joints_used > 0 && skin.rules.iter().all(|(rule, _)| rule.island.is_none_or(|at| at == 0)));
    }
}

/// Works the tool out with these settings, on these vertices.
fn tried(model: &Model, settings: &Settings, within: Option<VertexSet>, locked: &[NodeId]) -> Outcome {
    let locked = Arc::new(locked.iter().copied().collect());
    let (operation, settings) = (operation("bind").unwrap(), settings.clone());
    let task = Task { operation, settings, within: within.map(Arc::new), locked };
    compute_outcome(model, &task, &JobContext::of_waiting()).unwrap()
}

#[test]
fn only_the_chosen_meshes_are_bound() {
    let mut parts: ModelParts = (*tube(Tube { joints: 4, ..Tube::default() })).clone();
    let again = parts.meshes[0].clone();
    parts.meshes.push(again);
    parts.instances.push(Instance { mesh: MeshId(1), ..parts.instances[0].clone() });
    let model = Model::build(parts.clone()).unwrap();
    let chosen = |model: &Model, root: Option<NodeId>, meshes: &[u32]| {
        let mut settings = Settings::default();
        set_bind_root(&mut settings, root);
        meshes.iter().for_each(|mesh| set_bind_mesh(&mut settings, *mesh, true));
        tried(model, &settings, None, &[])
    };
    let changed = |meshes: &[u32]| -> (BTreeSet<u32>, Option<Refusal>) {
        let outcome = chosen(&model, None, meshes);
        (outcome.changes.iter().map(|change| change.mesh.0).collect(), outcome.refused)
    };
    assert_eq!(changed(&[]), ([0, 1].into(), None));
    assert_eq!(changed(&[1]), ([1].into(), None));
    assert_eq!(changed(&[0, 1]), ([0, 1].into(), None));
    assert_eq!(changed(&[7]), (BTreeSet::new(), Some(Refusal::NoChosenSkin)));
    // Without skins.
    parts.skins.clear();
    parts.instances.iter_mut().for_each(|instance| instance.skin = None);
    parts.meshes.iter_mut().for_each(|mesh| mesh.primitives[0].stored_influences = None);
    let bare = Model::build(parts).unwrap();
    let gained = |meshes: &[u32]| -> Vec<InstanceId> {
        let outcome = chosen(&bare, Some(NodeId(1)), meshes);
        outcome.gained.map_or_else(Vec::new, |change| change.instances.iter().map(|(id, _)| *id).collect())
    };
    assert_eq!(gained(&[]), [InstanceId(0), InstanceId(1)]);
    assert_eq!(gained(&[1]), [InstanceId(1)]);
    assert_eq!(chosen(&bare, Some(NodeId(1)), &[7]).refused, Some(Refusal::NoBareMesh));
}

#[test]
fn of_a_mesh_without_a_skin_vertices_out_of_bounds_follow_the_root_and_locked_joints_get_nothing() {
    let mut parts: ModelParts = (*tube(Tube { joints: 4, ..Tube::default() })).clone();
    parts.skins.clear();
    parts.instances[0].skin = None;
    parts.meshes[0].primitives[0].stored_influences = None;
    let model = Model::build(parts).unwrap();
    let mut settings = Settings::default();
    set_bind_root(&mut settings, Some(NodeId(1)));
    let rows = |within: Option<VertexSet>, locked: &[NodeId]| -> Vec<Vec<(u16, f32)>> {
        let change = tried(&model, &settings, within, locked).gained.unwrap();
        let influences = &change.primitives[0].1;
        let row = |vertex: usize| {
            let (joints, weights) = influences.of(vertex);
            joints.iter().copied().zip(weights.iter().copied()).filter(|(_, weight)| *weight > 0.0).collect()
        };
        (0..influences.joints.len() / influences.per_vertex).map(row).collect()
    };
    let all = rows(None, &[]);
    let positions = &model.meshes[0].primitives[0].positions[..all.len()];
    let middle = positions.iter().map(|point| point.y).sum::<f32>() / all.len() as f32;
    let is_upper = |vertex: usize| positions[vertex].y > middle;
    let upper = (0..all.len()).filter(|vertex| is_upper(*vertex)).map(|vertex| (MeshId(0), 0, vertex as u32)).collect();
    let upper = VertexSet::from_vertices(upper);
    assert!(!upper.is_empty() && upper.len() < all.len());
    for (vertex, row) in rows(Some(upper), &[]).into_iter().enumerate() {
        let expected = if is_upper(vertex) { all[vertex].clone() } else { vec![(0, 1.0)] };
        assert!(row == expected, "vertex {vertex}: {row:?}");
    }
    let locked = rows(None, &[NodeId(2)]);
    assert!(all.iter().flatten().any(|(joint, _)| *joint == 1));
    assert!(locked.iter().flatten().all(|(joint, _)| *joint != 1), "a locked joint has got weight");
    let none = tried(&model, &settings, Some(VertexSet::default()), &[]);
    assert_eq!((none.gained, none.refused), (None, Some(Refusal::NoBareVertex)));
}
