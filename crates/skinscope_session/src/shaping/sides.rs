//! The mirror images of sculpts: what is sculpted on one side is so on the other, in the mirrored pose.

use std::collections::HashMap;

use glam::{DVec3, Vec3};
use skinscope_anim::pose::{Axis, Mirror};
use skinscope_base::math::Aabb;
use skinscope_inspect::symmetry::{self, Mirrored};
use skinscope_model::{LocalPose, Model, NodeId, PrimitiveId};
use skinscope_solve::kept_shapes;

use super::joints::{are_alike, bring_in};
use super::{ShapeError, Targets};

/// A vertex of the file: its primitive, and its number there.
type Vertex = (PrimitiveId, usize);

/// Both sides of a model.
#[derive(Debug)]
pub struct Sides {
    mirror: Mirror,
    /// The vertex at the mirror image of each that has one.
    images: HashMap<Vertex, Vertex>,
}

impl Sides {
    /// Finds both sides by the mesh and its joints. `bounds` is the box around the model at rest.
    ///
    /// # Errors
    /// There is no plane of symmetry, or nothing has a left and a right side.
    pub fn of(model: &Model, bounds: Aabb) -> Result<Self, ShapeError> {
        let middle = if bounds.is_empty() { Vec3::ZERO } else { bounds.center() };
        let mirror = symmetry::of_poses(model, None, middle).map_err(|why| ShapeError(why.to_string()))?;
        let mut images = HashMap::new();
        for body in Axis::ALL.into_iter().flat_map(|axis| Mirrored::all(model, axis).0) {
            let mut partners = body.joints().iter().map(|joint| (joint, body.partner(*joint)));
            if partners.any(|(joint, partner)| partner.is_some_and(|partner| partner != *joint)) {
                add_images(&body, &mut images);
            }
        }
        match images.is_empty() {
            true => Err(ShapeError("no mesh has a left and a right side".to_owned())),
            false => Ok(Self { mirror, images }),
        }
    }

    /// Returns the joint on the other side, or the joint itself where there is none.
    pub(super) fn partner(&self, joint: NodeId) -> NodeId {
        self.mirror.partner(joint)
    }

    /// Returns the vertices of the file at the mirror images of some, where there are any.
    #[must_use]
    pub fn images_of(&self, vertices: &[(PrimitiveId, usize)]) -> Vec<(PrimitiveId, usize)> {
        vertices.iter().filter_map(|vertex| self.images.get(vertex).copied()).collect()
    }

    /// Returns the mirrored pose of a sculpt, and where the vertices should be in it; those that have no mirror image should be at no number.
    /// `None` where the pose is its own mirror image.
    #[must_use]
    pub fn mirrored(&self, model: &Model, pose: &LocalPose, targets: &[Targets]) -> Option<(LocalPose, Vec<Targets>)> {
        let mut other = self.mirror.exchanged(model, pose);
        bring_in(model, &kept_shapes(model).unwrap_or_default(), &mut other);
        if are_alike(pose, &other) {
            return None;
        }
        let (normal, offset) = (self.mirror.normal(), self.mirror.offset());
        let across = |point: DVec3| point - 2.0 * (normal.dot(point) - offset) * normal;
        let known: HashMap<PrimitiveId, &Vec<DVec3>> = targets.iter().map(|((_, at), list)| (*at, list)).collect();
        let image = |vertex: Vertex| {
            let (at, number) = self.images.get(&vertex)?;
            known.get(at)?.get(*number).map(|target| across(*target))
        };
        let of = |((instance, at), list): &Targets| -> Targets {
            let points = (0..list.len()).map(|number| image((*at, number)).unwrap_or(DVec3::NAN));
            ((*instance, *at), points.collect())
        };
        Some((other, targets.iter().map(of).collect()))
    }
}

fn add_images(body: &Mirrored, images: &mut HashMap<Vertex, Vertex>) {
    let place = |vertex: usize| {
        let is_in = |part: &&symmetry::BodyPart| (part.start..part.start + part.len).contains(&vertex);
        let part = body.parts().iter().find(is_in)?;
        Some((PrimitiveId::new(part.mesh, part.primitive), vertex - part.start))
    };
    body.each_image(|vertex, found| {
        let image = found.first().and_then(|image| place(*image as usize));
        if let Some((own, image)) = place(vertex).zip(image) {
            images.entry(own).or_insert(image);
        }
    });
}
