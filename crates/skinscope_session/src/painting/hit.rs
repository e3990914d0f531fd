//! What lies under the pointer that paints: the place of the surface, and the ring of the brush around it.

use glam::{Vec2, Vec3};
use skinscope_base::math::Projection;
use skinscope_inspect::{Hit, VertexRef};
use skinscope_model::{NodeId, PrimitiveId};
use skinscope_paint::{Distance, Reach, scene_origin};

use super::hand::Hand;
use crate::{Brushwork, Session};

/// The place of the surface under a point of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaintHit {
    /// The place, model space, metres.
    pub position: Vec3,
    /// The unit normal of the surface there, towards the eye.
    pub normal: Vec3,
    /// The same place in the scene's space of the file, metres: what a dab is given.
    pub scene: [f64; 3],
    /// The nearest vertex of the triangle.
    pub vertex: VertexRef,
    /// The painted joint's weight at that vertex now, with that of joints which are painted as one with it; 0 where no joint is painted. While a
    /// mask is painted, the mask there.
    pub weight: f32,
}

/// A place at which a gradient begins or ends, on the surface or beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaintPlace {
    /// The place, model space, metres.
    pub position: Vec3,
    /// The same place in the scene's space of the file, metres: what a gradient is given.
    pub scene: [f64; 3],
}

/// How far apart points of the picture are whose places tell the normal, pixels.
const STEP: f32 = 3.0;
/// How far apart these places may be, as a share of the size of the model: farther ones are on something else.
const REACH: f32 = 0.05;
/// How far a ring is above the surface, as a share of the radius of the brush.
const LIFT: f32 = 0.02;
/// How many pieces a flat circle has.
const PIECES: usize = 48;

impl Session {
    /// Returns the place of the surface under a point of the viewport, pixels from its top left. `None` where none is shown there, or a
    /// large model is not ready for the question yet.
    #[must_use]
    pub fn paint_hit(&self, at: Vec2) -> Option<PaintHit> {
        self.brushwork().paint_hit(at)
    }

    /// Returns the ends of a gradient that is dragged from one point of the viewport to another, pixels from its top left; `hit` is the place of
    /// the surface under the first one as the drag began. An end beside the model lies in the plane parallel to the picture through the other end
    /// or, where both lie beside it, through the pivot of the camera. `None` where that is behind the eye.
    #[must_use]
    pub fn gradient_ends(&self, hit: Option<&PaintHit>, [from, until]: [Vec2; 2]) -> Option<[PaintPlace; 2]> {
        let brushwork = self.brushwork();
        let ends = [hit.copied(), brushwork.paint_hit(until)].map(|hit| hit.map(|hit| hit.position));
        let through = ends[0].or(ends[1]).unwrap_or_else(|| brushwork.pivot());
        let place = |known: Option<Vec3>, at: Vec2| {
            let position = known.or_else(|| brushwork.in_plane(through, at))?;
            Some(PaintPlace { position, scene: brushwork.in_scene(position) })
        };
        Some([place(ends[0], from)?, place(ends[1], until)?])
    }
}

impl Brushwork<'_> {
    /// Returns the place of the surface under a point of the viewport.
    pub(crate) fn paint_hit(self, at: Vec2) -> Option<PaintHit> {
        let picking = self.picking;
        // The other side of a comparison shows weights that are not painted.
        let hit = picking.vertex_near_at_hand(at).filter(|_| !picking.deforming.is_second_at(at))?;
        let toward_eye = -self.view.ray(at).direction;
        let reach = REACH * self.pose.opened_bounds.diagonal();
        let beside = |by: Vec2| {
            let found = picking.vertex_near_at_hand(at + by)?.position - hit.position;
            (found.length() < reach).then_some(found)
        };
        let normal = beside(Vec2::new(STEP, 0.0)).zip(beside(Vec2::new(0.0, STEP)));
        let normal = normal.and_then(|(a, b)| a.cross(b).try_normalize()).unwrap_or(toward_eye);
        let normal = if normal.dot(toward_eye) < 0.0 { -normal } else { normal };
        let scene = self.in_scene(hit.position);
        let weight = self.weight_at(&hit).unwrap_or(0.0);
        Some(PaintHit { position: hit.position, normal, scene, vertex: hit.vertex_ref(), weight })
    }

    /// Returns a place of model space in the scene's space of the file, metres.
    fn in_scene(self, position: Vec3) -> [f64; 3] {
        let joint = Hand::of(self, false, false).and_then(|hand| hand.joint);
        let origin = self.model.map(|model| scene_origin(model, joint, &self.pose.local));
        (position.as_dvec3() + origin.unwrap_or_default()).to_array()
    }

    /// Returns the point that the camera turns about, or the middle of the model where it is a camera of the file; model space, metres.
    fn pivot(self) -> Vec3 {
        match self.view.through {
            Some(_) => self.pose.opened_bounds.center(),
            None => self.view.orbit.target,
        }
    }

    /// Returns what is seen at a point of the viewport of the plane through a place which is parallel to the picture; `None` behind the eye.
    fn in_plane(self, through: Vec3, at: Vec2) -> Option<Vec3> {
        let (ray, ahead) = (self.view.ray(at), -Vec3::from(self.view.world_from_view().matrix3.z_axis));
        let along = (through - ray.origin).dot(ahead) / ray.direction.dot(ahead);
        let place = ray.origin + along * ray.direction;
        (place.is_finite() && self.view.project(place).is_some()).then_some(place)
    }

    /// Returns the weight of the joints that are painted as one at the vertex that was hit.
    fn weight_at(self, hit: &Hit) -> Option<f32> {
        let (model, painted) = (self.model?, self.painted_joints());
        let instance = model.instances.get(hit.instance.index())?;
        if self.painting.paints_mask() {
            let primitive = model.meshes.get(instance.mesh.index())?.primitives.get(hit.primitive)?;
            let at = PrimitiveId::new(instance.mesh, hit.primitive);
            let canvas = self.painting.easel.canvas.as_ref()?;
            return canvas.mask_share(at, primitive.stored_vertex(hit.vertex as u32));
        }
        let skin = model.skins.get(instance.skin?.index())?;
        let primitive = model.meshes.get(instance.mesh.index())?.primitives.get(hit.primitive)?;
        let vertex = primitive.stored_vertex(hit.vertex as u32);
        let (joints, weights) = model.influences(instance.mesh, hit.primitive)?.of(vertex as usize);
        let is_painted = |slot: u16| skin.joints.get(usize::from(slot)).is_some_and(|joint| painted.contains(joint));
        let own = joints.iter().zip(weights).filter(|(slot, _)| is_painted(**slot));
        // The sum of nothing is −0.
        Some(own.map(|(_, weight)| *weight).sum::<f32>() + 0.0)
    }

    /// Returns the lines on the surface at some shares of the radius of the brush around a place, as pieces: where a dab there ends, and where both
    /// sides are painted also on the other side. They are a little nearer to the eye than the surface is.
    pub(crate) fn rings(self, hit: &PaintHit, shares: &[f64]) -> Vec<Vec<[Vec3; 2]>> {
        let is_seen = self.painting.settings.distance == Distance::Screen;
        let outline = if is_seen { None } else { self.outline_at(hit, shares) };
        let mut out = outline.unwrap_or_default();
        out.resize(shares.len(), Vec::new());
        // A circle of the picture looks the same wherever it is on the way to the eye, and stands before what it touches.
        let flat = PaintHit { normal: if is_seen { self.toward_eye(hit.position) } else { hit.normal }, ..*hit };
        let lift = if is_seen { 1.0 } else { LIFT };
        for (ring, share) in out.iter_mut().zip(shares) {
            if ring.is_empty() {
                // No vertex is that near, or nothing is known of the surface yet.
                *ring = circle(&flat, (share * self.paint_radius()) as f32);
            }
            let points = ring.iter_mut().flatten();
            points.for_each(|point| *point += self.toward_eye(*point) * lift * self.paint_radius() as f32);
        }
        out
    }

    fn outline_at(self, hit: &PaintHit, shares: &[f64]) -> Option<Vec<Vec<[Vec3; 2]>>> {
        let (canvas, posed) = (self.painting.easel.canvas.as_ref()?, self.picking.surfaces.posed()?);
        canvas.outline(&self.reach(), &posed, hit.position, shares)
    }

    /// Returns how far the brush in the hand reaches.
    fn reach(self) -> Reach {
        let settings = &self.painting.settings;
        let joint = Hand::of(self, false, false).and_then(|hand| hand.joint);
        Reach { joint, radius: self.paint_radius(), distance: settings.distance, mirror: settings.mirror }
    }

    /// Returns the joints that move what the brush is over, the one with the greatest weight first; none where it is over nothing, or nothing
    /// is known of the surface yet.
    pub(super) fn under_brush(self) -> Vec<NodeId> {
        let movers = || {
            let hit = self.paint_hit(self.painting.hover?)?;
            let (canvas, posed) = (self.painting.easel.canvas.as_ref()?, self.picking.surfaces.posed()?);
            canvas.movers(&self.reach(), &posed, hit.position)
        };
        movers().unwrap_or_default()
    }

    /// Returns the direction from a place to the eye.
    fn toward_eye(self, place: Vec3) -> Vec3 {
        let from_view = self.view.world_from_view();
        match self.view.projection() {
            Projection::Orthographic { .. } => Vec3::from(from_view.matrix3.z_axis),
            Projection::Perspective { .. } => (Vec3::from(from_view.translation) - place).normalize_or_zero(),
        }
    }
}

/// Returns a flat circle around a place, as pieces.
fn circle(hit: &PaintHit, radius: f32) -> Vec<[Vec3; 2]> {
    let (across, along) = hit.normal.any_orthonormal_pair();
    let point = |number: usize| {
        let turn = std::f32::consts::TAU * (number % PIECES) as f32 / PIECES as f32;
        hit.position + radius * (turn.cos() * across + turn.sin() * along)
    };
    (0..PIECES).map(|number| [point(number), point(number + 1)]).collect()
}
