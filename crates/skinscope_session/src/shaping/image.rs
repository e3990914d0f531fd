//! The mirror image of a shape that a model has.

use glam::DVec3;
use skinscope_base::parallel::JobContext;
use skinscope_deform::{Deformation, METHODS};
use skinscope_edit::mirrored_name;
use skinscope_model::{Model, NodeId};
use skinscope_solve::{Driver, PosedSkin};

use super::change::kept_of;
use super::joints::apart_from;
use super::names::check_name;
use super::shape::{shape, skinned};
use super::{Shape, ShapeError, Sides, Targets};

/// Makes the mirror image of a shape that a model has: in the mirrored pose, brought in by the joints of the other side. Vertices that have no
/// mirror image stay.
///
/// # Errors
/// There is no such shape, no joint brings it in, or its pose is its own mirror image.
pub fn mirror_image(
    model: &Model,
    sides: &Sides,
    name: &str,
    context: &JobContext,
) -> Result<(Shape, Driver), ShapeError> {
    check_name(model, name)?;
    let refused = |why: &str| ShapeError(format!("{name}: {why}"));
    let kept = kept_of(model)?;
    let all = kept.iter().flat_map(|of| of.targets.iter().enumerate().map(move |(at, target)| (of, at, target)));
    let own: Vec<_> = all.filter(|(_, _, (_, own))| own == name).collect();
    let Some((of, at, _)) = own.first() else {
        return Err(refused("no joint brings it in, so that it has no pose whose mirror image could be made"));
    };
    let (_, examples) = of.driver.rotations();
    let mut pose = model.skeleton.rest.clone();
    for (joint, rotation) in of.driver.joints().iter().zip(&examples[*at]) {
        pose.transforms[joint.index()].rotation = *rotation;
    }
    let linear = Deformation::from(METHODS[0]);
    let mut targets: Vec<Targets> = Vec::new();
    for (instance, at) in skinned(model) {
        // Of several instances that show a mesh one is enough.
        let shows = |id: skinscope_model::InstanceId| model.instances[id.index()].mesh == at.mesh;
        let Some((_, _, (target, _))) = own.iter().find(|(of, ..)| shows(of.instance)) else { continue };
        let morph = &model.meshes[at.mesh.index()].primitives[at.primitive].morphs[*target];
        let of = (instance, at.primitive);
        let Some(skin) = PosedSkin::new(model, &pose, of, linear, context) else { continue };
        let posed = if morph.positions.is_empty() { skin.as_it_is() } else { skin.posed(&morph.positions) };
        targets.push(((instance, at), posed.iter().map(|point| point.as_dvec3()).collect::<Vec<DVec3>>()));
    }
    let mirrored = sides.mirrored(model, &pose, &targets);
    let (other, targets) = mirrored.ok_or_else(|| refused("its pose is its own mirror image"))?;
    let called = mirrored_name(name).unwrap_or_else(|| format!("{name} mirrored"));
    let made = shape(model, (called, other), &targets, (linear, true), context)?;
    let joints: Vec<NodeId> = of.driver.joints().iter().map(|joint| sides.partner(*joint)).collect();
    let driver = Driver::of_poses(joints, &model.skeleton.rest, &[&made.pose]);
    let driver = driver.map_err(|why| ShapeError(why.to_string()))?;
    let driver = apart_from((model, &kept), driver, &[&made]);
    Ok((made, driver))
}
