//! Taking hold of a vertex in the picture, and where the pointer drags it to.

use glam::{Vec2, Vec3};
use skinscope_inspect::{Explanation, PosedModel, VertexRef};
use skinscope_paint::scene_origin;

use crate::{Brushwork, Session};

/// How near to the pinned vertex the pointer has to be to take hold of it and of no other one, pixels.
const REACH: f32 = 12.0;

/// A vertex that the pointer has taken hold of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VertexGrip {
    vertex: VertexRef,
    /// Where it was drawn then: model space, metres.
    position: Vec3,
    /// From the pointer to where it was seen, pixels.
    offset: Vec2,
}

impl VertexGrip {
    /// Returns the vertex.
    #[must_use]
    pub fn vertex(&self) -> VertexRef {
        self.vertex
    }
}

impl Session {
    /// Returns the vertex that the pointer takes hold of at a point of the viewport, pixels from its top left: the pinned one where it is near, or
    /// else that of the surface there. `None` where none is that a skin moves.
    #[must_use]
    pub fn grip_vertex(&self, at: Vec2) -> Option<VertexGrip> {
        self.brushwork().grip_vertex(at)
    }

    /// Returns where a vertex is to be that is dragged to a point of the viewport, in the scene's space of the file: as far from the eye as it was.
    #[must_use]
    pub fn vertex_dragged_to(&self, grip: &VertexGrip, at: Vec2) -> Option<[f64; 3]> {
        let model = self.model()?;
        let ahead = -Vec3::from(self.view.world_from_view().matrix3.z_axis);
        let ray = self.view.ray(at + grip.offset);
        let along = (grip.position - ray.origin).dot(ahead) / ray.direction.dot(ahead);
        let to = ray.origin + along * ray.direction;
        let scene = to.as_dvec3() + scene_origin(model, None, &self.pose.local);
        scene.is_finite().then(|| scene.to_array())
    }
}

impl Brushwork<'_> {
    fn grip_vertex(self, at: Vec2) -> Option<VertexGrip> {
        if self.picking.deforming.is_second_at(at) {
            return None;
        }
        let pinned = self.view.pinned.filter(|_| !self.view.pinned_second);
        let near = pinned.and_then(|vertex| self.grip(vertex, at)).filter(|grip| grip.offset.length() <= REACH);
        near.or_else(|| {
            let hit = self.picking.vertex_near_at_hand(at).filter(|hit| hit.copy == 0)?;
            self.grip(hit.vertex_ref(), at)
        })
    }

    /// Takes hold of a vertex with the pointer at this point.
    fn grip(self, vertex: VertexRef, at: Vec2) -> Option<VertexGrip> {
        let explain = |posed: &PosedModel<'_>| Explanation::of(posed, vertex, 0);
        let found = self.picking.surfaces.on_side(false, explain).flatten().filter(|found| found.skinned)?;
        let position = found.position.as_vec3();
        let offset = self.view.project(position)? - at;
        Some(VertexGrip { vertex, position, offset })
    }
}
