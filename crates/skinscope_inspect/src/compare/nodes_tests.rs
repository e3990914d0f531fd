//! Tests of how nodes are matched, and of what is no difference between two of them.

use std::sync::Arc;

use glam::{DVec3, Vec3};
use skinscope_base::math::Transform;
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{
    Base, Channel, Far, Instance, Interpolation, MeshId, Model, ModelParts, NodeId, Path, Sampler, Values,
};

use super::*;

/// Adds a node that rests at `x`.
fn add(parts: &mut ModelParts, name: &str, parent: Option<NodeId>, x: f32) -> NodeId {
    let node = NodeId::from_index(parts.skeleton.len());
    parts.skeleton.names.push(name.into());
    parts.skeleton.parents.push(parent);
    parts.skeleton.file_index.push(node.0);
    parts.skeleton.rest.transforms.push(Transform { translation: Vec3::X * x, ..Transform::IDENTITY });
    if parent.is_none() {
        parts.scenes[0].roots.push(node);
    }
    parts.scenes[0].contains.push(true);
    node
}

fn built(change: impl FnOnce(&mut ModelParts)) -> Model {
    let mut parts: ModelParts = (*tube(Tube { joints: 3, ..Tube::default() })).clone();
    change(&mut parts);
    Model::build(parts).unwrap()
}

/// A tube at one place far away, of which `base` was taken off, and a clip that leads its root a metre further.
fn far_away(base: f64) -> Model {
    built(|parts| {
        let origin = DVec3::X * base;
        let bases = vec![Base { node: NodeId(0), by: origin, origin }];
        parts.skeleton.far = Some(Arc::new(Far { origin, bases, others: Vec::new() }));
        let rest = (1_000_000.25 - base) as f32;
        parts.skeleton.rest.transforms[0].translation.x = rest;
        let (clip, channel) = (&mut parts.clips[0], Channel { node: NodeId(0), path: Path::Translation, sampler: 0 });
        let times = clip.samplers[0].times;
        let last = (clip.times[times].len() - 1) as f32;
        let keys = (0..clip.times[times].len()).map(|key| Vec3::X * (rest + key as f32 / last));
        let values = Values::Vec3(keys.collect());
        clip.channels.push(Channel { sampler: clip.samplers.len(), ..channel });
        clip.samplers.push(Sampler { times, interpolation: Interpolation::Linear, values });
    })
}

#[test]
fn what_was_taken_off_far_away_is_no_difference() {
    let (a, b) = (far_away(1_000_000.0), far_away(1_000_000.25));
    for found in [compare(&a, &b), compare(&b, &a)] {
        assert_eq!((found.nodes, found.clips), (Named::default(), Named::default()));
    }
    // Something else at the same numbers is one.
    let mut parts: ModelParts = (*b).clone();
    parts.skeleton.far.clone_from(&a.skeleton.far);
    let found = compare(&a, &Model::build(parts).unwrap());
    assert_eq!((found.nodes.changed.len(), found.clips.changed.len()), (1, 1));
}

#[test]
fn a_parent_at_another_index_is_the_same_one() {
    let [a, b] = [["one", "two"], ["two", "one"]].map(|names| {
        built(|parts| {
            for name in names {
                let arm = add(parts, name, Some(NodeId(0)), 0.5);
                add(parts, &format!("hand of {name}"), Some(arm), 0.25);
            }
        })
    });
    for found in [compare(&a, &b), compare(&b, &a)] {
        assert_eq!(found.nodes, Named::default());
    }
    // The hands at the other arms are others.
    let exchanged = built(|parts| {
        for (arm, hand) in [("one", "hand of two"), ("two", "hand of one")] {
            let arm = add(parts, arm, Some(NodeId(0)), 0.5);
            add(parts, hand, Some(arm), 0.25);
        }
    });
    assert_eq!(compare(&a, &exchanged).nodes.changed, ["hand of one", "hand of two"]);
}

#[test]
fn a_node_that_shows_another_mesh_under_another_name_is_another_one() {
    let with = |name: &'static str, length: f32| {
        built(|parts| {
            let mut mesh = tube(Tube { length, ..Tube::default() }).meshes[0].clone();
            mesh.name = name.into();
            mesh.primitives.iter_mut().for_each(|primitive| primitive.stored_influences = None);
            let mesh_id = MeshId::from_index(parts.meshes.len());
            parts.meshes.push(mesh);
            // Both rest at one position, which speaks for one node where nothing speaks against it.
            let node = add(parts, name, Some(NodeId(1)), 0.5);
            parts.instances.push(Instance { node, mesh: mesh_id, ..Instance::default() });
        })
    };
    let found = compare(&with("sword", 1.0), &with("cape", 3.0)).nodes;
    assert_eq!((found.removed, found.added, found.renamed.len()), (vec!["sword".into()], vec!["cape".into()], 0));
    let found = compare(&with("sword", 1.0), &with("blade", 1.0)).nodes;
    assert_eq!(found.renamed, [["sword", "blade"].map(String::from)]);
}

#[test]
fn of_nodes_that_may_both_be_a_renamed_one_it_is_the_first() {
    let with = |names: &[&str]| built(|parts| names.iter().for_each(|name| _ = add(parts, name, Some(NodeId(1)), 0.5)));
    let found = compare(&with(&["hold"]), &with(&["grip", "handle"])).nodes;
    assert_eq!((found.renamed, found.added), (vec![["hold", "grip"].map(String::from)], vec!["handle".to_owned()]));
}

#[test]
fn a_renamed_joint_is_known_by_its_bind_in_the_first_skin_that_has_it() {
    // It rests elsewhere too, so that the bind alone speaks for it.
    let with = |name: &str, x: f32, is_skinned_again: bool| {
        built(|parts| {
            let last = parts.skeleton.len() - 1;
            parts.skeleton.names[last] = name.into();
            parts.skeleton.rest.transforms[last].translation.x = x;
            if is_skinned_again {
                let mut skin = parts.skins[0].clone();
                skin.inverse_bind.iter_mut().for_each(|bind| bind.translation.x += 1.0);
                parts.skins.push(skin);
            }
        })
    };
    let (before, after) = (with("tip", 0.0, false), with("end", 0.5, true));
    assert_eq!(compare(&before, &after).nodes.renamed, [["tip", "end"].map(String::from)]);
    assert_eq!(compare(&after, &before).nodes.renamed, [["end", "tip"].map(String::from)]);
}
