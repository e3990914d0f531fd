//! Dabs that measure distances in the picture: what is seen within a circle around the pointer is touched, whatever surface it is of.
//!
//! A file of strokes knows no picture, so such a dab lists the vertices that it touches with the share of the strength that each gets.

use std::collections::BTreeMap;

use glam::{DVec3, Vec2, Vec3};
use skinscope_model::PrimitiveId;
use skinscope_paint::{Centre, Touch, scene_origin, written};
use skinscope_weights::FALLOFFS;
use skinscope_weights::brush::falloff;

use super::PaintNote;
use super::hand::Hand;
use crate::{Brushwork, MarkShape, PaintCommand, PaintSettings};

/// Returns the vertices that a dab touches whose middle is at a place, scene's space of the file, metres. What the surface hides is left out where
/// front faces alone are painted. The error says that there are none.
pub(super) fn listed(brushwork: Brushwork<'_>, position: [f64; 3]) -> Result<Centre, PaintNote> {
    let touches = circle(brushwork, position).map(|circle| touches(brushwork, circle)).unwrap_or_default();
    if touches.is_empty() {
        return Err(nothing(brushwork));
    }
    Ok(Centre::Listed(touches.into()))
}

/// Returns the circle of the picture that a dab touches: its middle and its radius, pixels. `None` where it is behind the eye.
fn circle(brushwork: Brushwork<'_>, position: [f64; 3]) -> Option<(Vec2, f32)> {
    let joint = Hand::of(brushwork, false, false).and_then(|hand| hand.joint);
    let origin = scene_origin(brushwork.model?, joint, &brushwork.pose.local);
    let place = (DVec3::from_array(position) - origin).as_vec3();
    let projector = brushwork.view.projector();
    let across = Vec3::from(brushwork.view.world_from_view().matrix3.x_axis) * brushwork.paint_radius() as f32;
    let middle = projector.project(place)?;
    let radius = middle.distance(projector.project(place + across)?);
    (radius > 0.0 && radius.is_finite()).then_some((middle, radius))
}

fn touches(brushwork: Brushwork<'_>, (middle, radius): (Vec2, f32)) -> Vec<Touch> {
    let Some(model) = brushwork.model else { return Vec::new() };
    let settings = &brushwork.painting.settings;
    let shape = falloff(&settings.falloff).unwrap_or(FALLOFFS[0]);
    let seen = brushwork.picking.seen_within(&MarkShape::Circle(middle, radius), !settings.front_only);
    let mut shares: BTreeMap<(PrimitiveId, u32), f64> = BTreeMap::new();
    // The other side of a comparison shows weights that are not painted.
    let is_shown = |at: Vec2| !brushwork.picking.deforming.is_second_at(at);
    for (at, _, (mesh, primitive, vertex)) in seen.into_iter().filter(|(at, ..)| is_shown(*at)) {
        let mesh = model.file_mesh(mesh);
        let at_file = PrimitiveId::new(mesh, model.meshes[mesh.index()].holder(primitive));
        let share = written(shape.at(f64::from(at.distance(middle)) / f64::from(radius)).clamp(0.0, 1.0));
        if share > 0.0 {
            let known = shares.entry((at_file, vertex)).or_default();
            *known = known.max(share);
        }
    }
    shares.into_iter().map(|((primitive, vertex), share)| Touch { primitive, vertex, share }).collect()
}

fn nothing(brushwork: Brushwork<'_>) -> PaintNote {
    let radius = 2.0 * brushwork.paint_radius();
    let wider = PaintSettings { radius, ..brushwork.painting.settings.clone() };
    PaintNote {
        text: "No vertex is seen within the circle".to_owned(),
        ways: vec![("Make the brush twice as wide".to_owned(), PaintCommand::Set(wider).into())],
    }
}
