//! The ring of the brush on the surface: how far it reaches, and where half of its strength is left.

use glam::Vec3;
use skinscope_frame::{Frame, Line};
use skinscope_weights::Falloff;
use skinscope_weights::brush::falloff;

use super::SceneColors;
use crate::{Brushwork, PaintDrag};

/// The widths of the ring, of the one within, and of what sets the ring off from the surface; pixels.
const RING: f32 = 2.0;
const HALF: f32 = 1.25;
const EDGE: f32 = 2.0;
/// How much of the colour the ring within has.
const FAINT: f32 = 0.55;

/// Adds the ring of the brush in the hand around what is under the pointer, unless drags paint gradients, which have no radius.
pub(super) fn add_ring(frame: &mut Frame, brushwork: Brushwork<'_>, colors: &SceneColors) {
    let painting = brushwork.painting;
    let has_ring = painting.brush().is_some() && painting.settings().drag == PaintDrag::Stroke;
    let Some(at) = painting.hover().filter(|_| has_ring) else { return };
    let Some(hit) = brushwork.paint_hit(at) else { return };
    let [ink, edge] = colors.pinned;
    let half = falloff(&painting.settings().falloff).and_then(half_way);
    let shares: Vec<f64> = std::iter::once(1.0).chain(half).collect();
    let rings = brushwork.rings(&hit, &shares);
    let mut add = |ring: &[[Vec3; 2]], width: f32, color: [f32; 4]| {
        frame.lines.extend(ring.iter().map(|[from, to]| Line { from: *from, to: *to, width, color }));
    };
    for (number, ring) in rings.iter().enumerate() {
        if number == 0 {
            add(ring, RING + EDGE, edge);
            add(ring, RING, ink);
        } else {
            add(ring, HALF, [ink[0], ink[1], ink[2], FAINT * ink[3]]);
        }
    }
}

/// Returns the share of the radius at which half of the strength is left; `None` where there is none within it.
fn half_way(falloff: &Falloff) -> Option<f64> {
    let (mut near, mut far) = (0.0, 1.0);
    for _ in 0..20 {
        let middle: f64 = 0.5 * (near + far);
        if falloff.at(middle) > 0.5 { near = middle } else { far = middle }
    }
    (near < 0.999).then_some(near)
}

#[cfg(test)]
mod tests {
    use skinscope_weights::FALLOFFS;

    use super::*;

    #[test]
    fn half_of_the_strength_is_left_at_the_ring_within() {
        for falloff in FALLOFFS {
            match half_way(falloff) {
                Some(half) => assert!((falloff.at(half) - 0.5).abs() < 1e-3, "{}", falloff.id),
                None => assert_eq!(falloff.id, "constant"),
            }
        }
    }
}
