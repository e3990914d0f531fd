//! Meshes that gain a skin, and why some cannot.

use super::*;
use crate::test_shapes::{Tube, tube};

/// The tube without a skin, and the influences that it had.
fn bare(change: impl FnOnce(&mut ModelParts)) -> (Model, Influences) {
    let mut parts: ModelParts = (*tube(Tube { joints: 4, ..Tube::default() })).clone();
    parts.skins.clear();
    parts.instances[0].skin = None;
    let influences = parts.meshes[0].primitives[0].stored_influences.take().unwrap();
    change(&mut parts);
    (Model::build(parts).unwrap(), influences)
}

fn joints(ids: std::ops::Range<u32>) -> NewSkin {
    NewSkin { name: "new".into(), joints: ids.map(NodeId).collect(), root: None, worn: None }
}

/// Binds the first instance to the joints that the tube had.
fn binding(influences: &Influences) -> BindingChange {
    BindingChange {
        skins: vec![joints(1..5)],
        primitives: vec![(PrimitiveId::default(), influences.clone())],
        instances: vec![(InstanceId(0), 0)],
        ..BindingChange::default()
    }
}

/// What is said where a changed binding is refused.
fn refused(parts: impl FnOnce(&mut ModelParts), change: impl FnOnce(&mut BindingChange)) -> String {
    let (model, influences) = bare(parts);
    let mut wanted = binding(&influences);
    change(&mut wanted);
    model.with_bindings(&wanted).err().map_or_else(|| "nothing".into(), |error| error.to_string())
}

#[test]
fn a_mesh_without_a_skin_gains_the_one_that_it_had() {
    let skinned = tube(Tube { joints: 4, ..Tube::default() });
    let (model, influences) = bare(|_| {});
    let bound = model.with_bindings(&binding(&influences)).unwrap();
    assert_eq!(bound.skins[0].joints, skinned.skins[0].joints);
    for (new, old) in bound.skins[0].inverse_bind.iter().zip(&skinned.skins[0].inverse_bind) {
        assert!(new.abs_diff_eq(*old, 1e-6), "{new:?} {old:?}");
    }
    let (new, old) = (bound.influences(MeshId(0), 0).unwrap(), skinned.influences(MeshId(0), 0).unwrap());
    assert!((0..old.vertices()).all(|v| new.of(v).1 == old.of(v).1));
    assert_eq!((bound.meshes.len(), bound.parted.len(), bound.instances[0].skin), (1, 0, Some(SkinId(0))));
    assert_eq!(bound.palette_layout().len, 4);
}

#[test]
fn a_mesh_is_shown_where_it_is_worn() {
    let (model, influences) = bare(|_| {});
    let worn = Transform { translation: Vec3::X, scale: Vec3::splat(2.0), ..Transform::IDENTITY };
    let mut change = binding(&influences);
    change.skins[0].worn = Some(worn);
    let bound = model.with_bindings(&change).unwrap();
    let worlds = bound.skeleton.worlds(&bound.skeleton.rest);
    for (joint, bind) in bound.skins[0].joints.iter().zip(&bound.skins[0].inverse_bind) {
        let shown = worlds[joint.index()] * bind.as_daffine3();
        assert!(shown.abs_diff_eq(worn.to_affine().as_daffine3(), 1e-5), "{shown}");
    }
}

#[test]
fn a_bound_model_is_of_the_same_file_and_has_another_layout() {
    let (model, influences) = bare(|_| {});
    let bound = model.with_bindings(&binding(&influences)).unwrap();
    assert!(bound.is_of_one_file(&model) && !bound.shares_all_but_edits(&model));
    // Later edits and clips leave it so.
    let clip = Clip { name: "more".into(), ..model.clips[0].clone() };
    let later = bound.with_clips(vec![clip]).unwrap();
    assert!(later.shares_all_but_edits(&bound) && later.is_of_one_file(&model));
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    change.push(3, &[1, 2], &[0.5, 0.5]);
    let edited = bound.with_weights(&[change]).unwrap();
    assert!(edited.shares_all_but_edits(&bound) && !edited.shares_all_but_edits(&model));
    // Edits that were there before a second mesh is bound stay.
    let (two, influences) = bare(|parts| {
        parts.meshes.push(parts.meshes[0].clone());
        parts.instances.push(Instance { mesh: MeshId(1), ..parts.instances[0].clone() });
    });
    let first = two.with_bindings(&binding(&influences)).unwrap();
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    change.push(3, &[1, 2], &[0.5, 0.5]);
    let edited = first.with_weights(&[change]).unwrap();
    let mut second = binding(&influences);
    (second.primitives[0].0.mesh, second.instances[0].0) = (MeshId(1), InstanceId(1));
    let both = edited.with_bindings(&second).unwrap();
    assert_eq!(both.influences(MeshId(0), 0).unwrap().of(3), edited.influences(MeshId(0), 0).unwrap().of(3));
    assert_eq!((both.skins.len(), both.weight_edits().count(&both)), (2, 1));
}

#[test]
fn of_two_nodes_that_show_a_mesh_one_gains_a_skin_and_the_other_shows_what_it_showed() {
    let twice = |parts: &mut ModelParts| parts.instances.push(parts.instances[0].clone());
    let (model, influences) = bare(twice);
    let one = model.with_bindings(&binding(&influences)).unwrap();
    assert_eq!(one.parted, [(MeshId(1), MeshId(0))]);
    assert_eq!(
        [0, 1].map(|i| (one.instances[i].mesh, one.instances[i].skin)),
        [(MeshId(1), Some(SkinId(0))), (MeshId(0), None)]
    );
    assert!(one.influences(MeshId(0), 0).is_none() && one.influences(MeshId(1), 0).is_some());
    // Both show one mesh where their joints are the same ones, and a mesh each where they are not.
    for (second, meshes) in [(joints(1..5), [MeshId(0); 2]), (joints(0..5), [MeshId(0), MeshId(1)])] {
        let mut change = binding(&influences);
        change.skins.push(second);
        change.instances.push((InstanceId(1), 1));
        let both = model.with_bindings(&change).unwrap();
        assert_eq!([0, 1].map(|i| both.instances[i].mesh), meshes);
    }
}

#[test]
fn a_mesh_gains_the_skin_of_another_one_where_that_leaves_it_in_its_place() {
    let (model, influences) = bare(|parts| {
        parts.meshes.push(parts.meshes[0].clone());
        parts.instances.push(Instance { mesh: MeshId(1), ..parts.instances[0].clone() });
    });
    let first = model.with_bindings(&binding(&influences)).unwrap();
    assert!(model.bindings().is_empty() && first.has_bindings_of(&first) && !first.has_bindings_of(&model));
    let joining = |skin: u32| BindingChange {
        primitives: vec![(PrimitiveId::new(MeshId(1), 0), influences.clone())],
        joining: vec![(InstanceId(1), SkinId(skin))],
        ..BindingChange::default()
    };
    let both = first.with_bindings(&joining(0)).unwrap();
    assert_eq!((both.skins.len(), both.bindings().len()), (1, 2));
    assert_eq!([0, 1].map(|i| both.instances[i].skin), [Some(SkinId(0)); 2]);
    assert_eq!(both.influences(MeshId(1), 0).unwrap().of(3), both.influences(MeshId(0), 0).unwrap().of(3));
    assert_eq!(both.gained_skins().count(), 1);
    let why = |model: &Model, change: &BindingChange| model.with_bindings(change).unwrap_err().to_string();
    assert!(why(&first, &joining(1)).contains("its skin is not there"));
    let mut twice = joining(0);
    twice.skins = vec![joints(1..5)];
    twice.instances = vec![(InstanceId(1), 0)];
    assert!(why(&first, &twice).contains("two skins"));
    // Joints that are bound elsewhere would carry it away.
    let matrix = Affine3A::from_translation(Vec3::new(0.0, 0.1, 0.0)) * first.skins[0].inverse_bind[2];
    let moved = first.with_binds(&[BindChange { skin: SkinId(0), joint: 2, matrix, restored: false }]).unwrap();
    assert!(why(&moved, &joining(0)).contains("needs one of its own"));
}

#[test]
fn joints_are_made_in_the_scenes_that_show_the_mesh() {
    let (model, influences) = bare(|_| {});
    let first = model.skeleton.len();
    let node = |name: &str, parent| NewNode { name: name.into(), parent, ..NewNode::default() };
    let mut change = binding(&influences);
    change.nodes = vec![node("a", None), node("b", Some(0)), node("c", Some(1)), node("d", Some(0))];
    change.skins = vec![joints(first as u32..first as u32 + 4)];
    let bound = model.with_bindings(&change).unwrap();
    let skeleton = &bound.skeleton;
    assert_eq!((skeleton.len(), skeleton.parents[first + 3]), (first + 4, Some(NodeId::from_index(first))));
    assert_eq!(bound.scenes[0].roots.last(), Some(&NodeId::from_index(first)));
    assert!(bound.scenes[0].contains[first..].iter().all(|is_in| *is_in));
    assert!((first..first + 4).all(|node| bound.is_joint(NodeId::from_index(node))));
    change.nodes[3].parent = Some(7);
    assert!(model.with_bindings(&change).is_err());
    change.nodes[3].parent = Some(0);
    // They hang on a node of the model where nothing of it follows what is below that node.
    let why = |change: &BindingChange| model.with_bindings(change).unwrap_err().to_string();
    for below in [NodeId(0), NodeId::from_index(first - 1)] {
        change.nodes[0].below = Some(below);
        let bound = model.with_bindings(&change).unwrap();
        assert_eq!(bound.skeleton.parents[first], Some(below));
        assert_eq!(bound.scenes[0].roots.len(), model.scenes[0].roots.len());
        assert!(bound.scenes[0].contains[first..].iter().all(|is_in| *is_in));
    }
    change.nodes[3] = NewNode { name: "d".into(), below: Some(NodeId(2)), ..NewNode::default() };
    change.nodes[0].below = None;
    assert!(why(&change).contains("it has no place there"));
    change.nodes[3] = NewNode { parent: Some(0), ..change.nodes[3].clone() };
    assert!(why(&change).contains("it has two parents"));
    change.nodes[3] = NewNode { name: "d".into(), below: Some(NodeId(99)), ..NewNode::default() };
    assert!(why(&change).contains("what it hangs on is not there"));
}

#[test]
fn what_cannot_be_bound_says_why() {
    let as_it_is = |_: &mut ModelParts| {};
    let says = |said: String, why: &str| assert!(said.contains(why), "\"{said}\" does not say \"{why}\"");
    says(refused(as_it_is, |_| {}), "nothing");
    says(refused(as_it_is, |c| c.instances.clear()), "no mesh gains a skin");
    says(refused(as_it_is, |c| c.instances.push((InstanceId(0), 0))), "two skins");
    says(refused(as_it_is, |c| c.instances[0].1 = 1), "its skin is not there");
    says(refused(as_it_is, |c| c.instances[0].0 = InstanceId(9)), "it is not there");
    says(refused(as_it_is, |c| c.primitives.clear()), "node \"root\": no part of its mesh is given weights");
    says(refused(|p| p.instances[0].copies = vec![Affine3A::IDENTITY; 2], |_| {}), "many copies");
    says(refused(as_it_is, |c| c.primitives[0].1.weights.truncate(4)), "do not fit its vertices");
    says(refused(as_it_is, |c| c.primitives[0].1.per_vertex = 3), "multiple of four");
    says(refused(as_it_is, |c| c.primitives[0].1.weights[0] = f32::NAN), "negative or no number");
    says(refused(as_it_is, |c| c.primitives[0].1.weights[0] += 0.5), "do not sum to one");
    says(refused(as_it_is, |c| c.skins[0].joints.truncate(1)), "a joint index lies beyond its skin");
    says(refused(as_it_is, |c| c.skins[0].joints.clear()), "it has no joints");
    says(refused(as_it_is, |c| c.skins[0].joints[1] = NodeId(1)), "names a joint twice");
    says(refused(as_it_is, |c| c.skins[0].joints[1] = NodeId(99)), "a node that is not there");
    says(refused(as_it_is, |c| c.skins[0].root = Some(NodeId(4))), "not all of its joints are below its root");
    says(refused(as_it_is, |c| c.skins.push(joints(1..3))), "no mesh gains it");
    says(refused(|p| p.skeleton.rest.transforms[1].scale.y = 0.0, |_| {}), "flat at rest");
    let other_tree = |c: &mut BindingChange| {
        c.nodes = vec![NewNode { name: "alone".into(), ..NewNode::default() }];
        c.skins[0].joints.push(NodeId(5));
    };
    says(refused(as_it_is, other_tree), "several trees");
    let twice = |c: &mut BindingChange| {
        let influences = &mut c.primitives[0].1;
        (influences.joints[0], influences.joints[1]) = (2, 2);
        (influences.weights[0], influences.weights[1]) = (0.5, 0.5);
        influences.weights[2..4].fill(0.0);
    };
    says(refused(as_it_is, twice), "it names a joint twice");
    // What has a skin is edited, and not bound.
    let (model, influences) = bare(|_| {});
    let bound = model.with_bindings(&binding(&influences)).unwrap();
    let again = bound.with_bindings(&binding(&influences)).unwrap_err().to_string();
    says(again, "has a skin already");
}

#[test]
fn copies_of_vertices_have_their_weights_and_no_list_repeats_one_that_is_bound() {
    fn again<T: Copy>(list: &mut Vec<T>) {
        list.extend(list.get(3).copied());
    }
    let (model, influences) = bare(|parts| {
        parts.meshes.push(parts.meshes[0].clone());
        parts.meshes[1].primitives[0].repeats = Some(PrimitiveId::default());
        parts.instances.push(Instance { mesh: MeshId(1), ..parts.instances[0].clone() });
        let p = &mut parts.meshes[0].primitives[0];
        p.split_from.push(3);
        again(&mut p.positions);
        again(&mut p.normals);
        again(&mut p.tangents);
        again(&mut p.colors);
        p.uvs.iter_mut().for_each(again);
    });
    let bound = model.with_bindings(&binding(&influences)).unwrap();
    let stored = bound.meshes[0].primitives[0].stored_vertices;
    let rows = bound.influences(MeshId(0), 0).unwrap();
    assert_eq!((rows.vertices(), rows.of(stored)), (stored + 1, rows.of(3)));
    assert_eq!(bound.meshes[1].primitives[0].repeats, None);
}

/// One link of half the turn of a joint, in the first skin.
fn half_way(of: u32, name: &str) -> LinkChange {
    let drive = LinkDrive { share: 0.5, along: 1.0, from: Quat::IDENTITY, axis: None };
    LinkChange {
        of: NodeId(of),
        links: vec![NewLink { name: name.into(), drive }],
        skins: vec![(SkinId(0), vec![Affine3A::IDENTITY])],
        weights: Vec::new(),
        tracks: Vec::new(),
    }
}

#[test]
fn joints_of_the_file_and_joints_that_came_with_a_skin_gain_links_and_the_binding_follows() {
    let (model, influences) = bare(|parts| {
        parts.meshes.push(parts.meshes[0].clone());
        parts.instances.push(Instance { mesh: MeshId(1), ..parts.instances[0].clone() });
        Arc::make_mut(&mut parts.source.origins).nodes = vec![NodeMembers::default(); 5];
    });
    let node = |name: &str, parent, below| NewNode { name: name.into(), parent, below, ..NewNode::default() };
    let mut first = binding(&influences);
    first.nodes = vec![node("new arm", None, Some(NodeId(0))), node("new hand", Some(0), None)];
    first.skins[0].joints = [1, 2, 5, 6].map(NodeId).to_vec();
    let bound = model.with_bindings(&first).unwrap();
    let made = |model: &Model| model.bound_nodes().iter().map(|nodes| (nodes.start, nodes.end)).collect::<Vec<_>>();
    assert_eq!(made(&bound), [(5, 7)]);
    // A link of the file's own chain stands before the nodes that came with the skin.
    let linked = bound.with_links(&half_way(2, "file link")).unwrap();
    assert!(linked.is_of_one_file(&bound) && !linked.shares_all_but_edits(&bound));
    assert_eq!(linked.skeleton.file_index, [0, 1, 2, 3, 4, 7, 5, 6]);
    assert_eq!(linked.bindings()[0].skins[0].joints, [1, 2, 6, 7].map(NodeId));
    assert_eq!(linked.skins[0].joints, [1, 2, 6, 7, 5].map(NodeId));
    assert_eq!((made(&linked), linked.links[0].made_after), (vec![(5, 7)], 1));
    // A link of the new hand stands after it, and further skins and links come after both.
    let linked = linked.with_links(&half_way(7, "new link")).unwrap();
    let mut second = binding(&influences);
    (second.primitives[0].0.mesh, second.instances[0].0) = (MeshId(1), InstanceId(1));
    second.nodes = vec![node("late", None, Some(NodeId(0)))];
    let both = linked.with_bindings(&second).unwrap();
    assert_eq!(both.skeleton.names[5..], ["file link", "new arm", "new hand", "new link", "late"]);
    assert_eq!(made(&both), [(5, 7), (9, 10)]);
    let gained: Vec<&str> = both.gained_nodes().map(|node| both.skeleton.names[node.index()].as_str()).collect();
    assert_eq!(
        gained,
        ["new arm", "new hand", "file link", "new link", "late"],
        "in the order in which they were gained"
    );
}
