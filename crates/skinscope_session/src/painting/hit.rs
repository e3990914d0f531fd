//! What lies under the pointer that paints: the place of the surface, and the ring of the brush around it.

use glam::{Vec2, Vec3};
use skinscope_base::math::Ray;
use skinscope_inspect::{Hit, VertexRef};
use skinscope_paint::scene_origin;

use super::hand::Hand;
use crate::Session;

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
    /// The painted joint's weight at that vertex now; 0 where no joint is painted.
    pub weight: f32,
}

/// How far apart points of the picture are whose places tell the normal, pixels.
const STEP: f32 = 3.0;
/// How far apart these places may be, as a share of the size of the model: farther ones are on something else.
const REACH: f32 = 0.05;
/// How far a ring is above the surface, as a share of its radius.
const LIFT: f32 = 0.02;

impl Session {
    /// Returns the place of the surface under a point of the viewport, pixels from its top left. `None` where none is shown there, or a
    /// large model is not ready for the question yet.
    #[must_use]
    pub fn paint_hit(&self, at: Vec2) -> Option<PaintHit> {
        let model = self.model()?;
        let picking = self.picking();
        // The other side of a comparison shows weights that are not painted.
        let hit = picking.vertex_near_at_hand(at).filter(|_| !self.deforming().is_second_at(at))?;
        let joint = Hand::of(self, false, false).and_then(|hand| hand.joint);
        let toward_eye = -self.view.ray(at).direction;
        let reach = REACH * self.pose.opened_bounds.diagonal();
        let beside = |by: Vec2| {
            let found = picking.vertex_near_at_hand(at + by)?.position - hit.position;
            (found.length() < reach).then_some(found)
        };
        let normal = beside(Vec2::new(STEP, 0.0)).zip(beside(Vec2::new(0.0, STEP)));
        let normal = normal.and_then(|(a, b)| a.cross(b).try_normalize()).unwrap_or(toward_eye);
        let normal = if normal.dot(toward_eye) < 0.0 { -normal } else { normal };
        let scene = hit.position.as_dvec3() + scene_origin(model, joint, &self.pose.local);
        let weight = self.weight_at(&hit).unwrap_or(0.0);
        Some(PaintHit { position: hit.position, normal, scene: scene.to_array(), vertex: hit.vertex_ref(), weight })
    }

    /// Returns the selected joint's weight at the vertex that was hit.
    fn weight_at(&self, hit: &Hit) -> Option<f32> {
        let (model, joint) = (self.model()?, self.view.selected?);
        let instance = model.instances.get(hit.instance.index())?;
        let skin = model.skins.get(instance.skin?.index())?;
        let primitive = model.meshes.get(instance.mesh.index())?.primitives.get(hit.primitive)?;
        let vertex = primitive.stored_vertex(hit.vertex as u32);
        let (joints, weights) = model.influences(instance.mesh, hit.primitive)?.of(vertex as usize);
        let own = joints.iter().zip(weights).filter(|(slot, _)| skin.joints.get(usize::from(**slot)) == Some(&joint));
        Some(own.map(|(_, weight)| *weight).sum())
    }

    /// Returns a circle of a radius (metres) around a place, laid on the surface where that is near: points, the first of which comes last
    /// again.
    pub(crate) fn ring_around(&self, hit: &PaintHit, radius: f32, points: usize) -> Vec<Vec3> {
        let (across, along) = hit.normal.any_orthonormal_pair();
        let index = self.document.as_ref().and_then(|document| document.pick_index_at_hand());
        // With a method that needs its neighbours every ray would look at every triangle.
        let posed = self.surfaces().posed().filter(|posed| !posed.method.needs_surface()).zip(index);
        let point = |number: usize| {
            let turn = std::f32::consts::TAU * (number % points) as f32 / points as f32;
            let flat = hit.position + radius * (turn.cos() * across + turn.sin() * along);
            let ray = Ray { origin: flat + radius * hit.normal, direction: -hit.normal };
            let found = posed.as_ref().and_then(|(posed, index)| index.pick(posed, &self.pose.draws, ray));
            let found = found.filter(|found| found.distance < 2.0 * radius);
            found.map_or(flat, |found| found.position) + LIFT * radius * hit.normal
        };
        (0..=points).map(point).collect()
    }
}
