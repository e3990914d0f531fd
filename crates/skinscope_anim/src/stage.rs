//! Evaluates everything but the meshes at one time: which instances are shown, the lights and the cameras, after nodes
//! and animated properties were applied.

use glam::{Affine3A, Mat3A};
use skinscope_model::{CameraId, Change, InstanceId, Lens, Light, LightId, Model, NodeId, Property};

/// Writes the visible instances of a scene to `out`, in node order, after the visibility in `changes` was applied.
/// `hidden` is memory that is reused from call to call.
pub fn drawn(model: &Model, scene: usize, changes: &[Change], hidden: &mut Vec<bool>, out: &mut Vec<InstanceId>) {
    out.clear();
    hidden.clear();
    let changed = changes.iter().any(|(p, _)| matches!(p, Property::Visible(_)));
    if changed || !model.hidden.is_empty() {
        hidden.resize(model.skeleton.len(), false);
        model.hidden.iter().for_each(|n| hidden[n.index()] = true);
        for (property, value) in changes {
            if let Property::Visible(node) = property {
                hidden[node.index()] = value.x < 0.5;
            }
        }
        for i in 0..hidden.len() {
            hidden[i] |= model.skeleton.parents[i].is_some_and(|p| hidden[p.index()]);
        }
    }
    let shown = |node: NodeId| hidden.get(node.index()).is_none_or(|h| !h);
    out.extend(model.instances_in_scene(scene).filter(|(_, i)| shown(i.node)).map(|(id, _)| id));
}

/// Returns the instances of a scene that the file shows, without any animation.
#[must_use]
pub fn drawn_at_rest(model: &Model, scene: usize) -> Vec<InstanceId> {
    let mut out = Vec::new();
    drawn(model, scene, &[], &mut Vec::new(), &mut out);
    out
}

/// Returns a light with the animated properties in `changes` applied; the name of the result is empty.
#[must_use]
pub fn light(model: &Model, id: LightId, changes: &[Change]) -> Light {
    let mut out = Light { name: String::new(), ..model.lights[id.index()] };
    for (property, value) in changes {
        if let Property::Light(changed, property) = property
            && *changed == id
        {
            out.set(*property, *value);
        }
    }
    out
}

/// Returns the lens of a camera with the animated properties in `changes` applied.
#[must_use]
pub fn lens(model: &Model, id: CameraId, changes: &[Change]) -> Lens {
    let mut out = model.cameras[id.index()].lens;
    for (property, value) in changes {
        if let Property::Camera(changed, property) = property
            && *changed == id
        {
            out.set(*property, value.x);
        }
    }
    out
}

/// Returns the frame of a light or camera at a node, which has this world matrix: without scale or shear, looking along
/// the node's −Z, with the node's +Y up as far as possible. `None` where the matrix has no such direction (zero scale).
#[must_use]
pub fn looking(world_from_node: &Affine3A) -> Option<Affine3A> {
    let back = world_from_node.matrix3.z_axis.try_normalize()?;
    let right = world_from_node.matrix3.y_axis.cross(back).try_normalize()?;
    let axes = Mat3A::from_cols(right, back.cross(right), back);
    world_from_node
        .translation
        .is_finite()
        .then_some(Affine3A { matrix3: axes, translation: world_from_node.translation })
}
