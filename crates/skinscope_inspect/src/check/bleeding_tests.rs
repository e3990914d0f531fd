//! Tests of the rule about weights across a gap, on a tube that is bent to two legs side by side.

use glam::{Affine3A, Vec3};
use skinscope_model::ModelParts;
use skinscope_model::test_shapes::Tube;

use super::mesh_tests::{found, parts_of, plant, skin, summaries};

/// Half the distance of the legs' axes, metres: between legs with a radius of 0.25 is a gap of 0.2.
const HALF: f32 = 0.35;
/// Where the bend begins and where it ends, metres along the tube.
const BEND: [f32; 2] = [2.45, 3.55];

/// Returns where the axis of the legs is, and the direction to the inside of the bend, so many metres along the tube.
fn axis(along: f32) -> (Vec3, Vec3) {
    let [begin, end] = BEND;
    if along <= begin {
        (Vec3::new(-HALF, along, 0.0), Vec3::X)
    } else if along >= end {
        (Vec3::new(HALF, begin - (along - end), 0.0), Vec3::NEG_X)
    } else {
        let angle = (along - begin) / (end - begin) * std::f32::consts::PI;
        let inside = Vec3::new(angle.cos(), -angle.sin(), 0.0);
        (Vec3::new(0.0, begin, 0.0) - inside * HALF, inside)
    }
}

/// Returns two legs that are joined at their upper ends: six joints, of which 0 is the lower half of the left leg and 5 that of the right
/// leg; and the vertices of the left one on the side of the gap, 0.3 to 0.7 m above its end.
fn legs() -> (ModelParts, Vec<u32>) {
    let mut parts = parts_of(Tube { joints: 6, rings: 49, sides: 16, length: 6.0, radius: 0.25, influences: 2 });
    let mut inner = Vec::new();
    for (vertex, at) in (0..).zip(&mut skin(&mut parts).positions) {
        if at.x > 0.2 && (0.3..0.7).contains(&at.y) {
            inner.push(vertex);
        }
        let (middle, inside) = axis(at.y);
        *at = middle + inside * at.x + Vec3::Z * at.z;
    }
    for (along, bind) in [0.0, 1.0, 2.0, 3.0, 4.0, 5.0].into_iter().zip(&mut parts.skins[0].inverse_bind) {
        *bind = Affine3A::from_translation(-axis(along).0);
    }
    (parts, inner)
}

#[test]
fn a_leg_that_follows_the_other_leg_is_found_exactly_and_the_legs_themselves_are_not() {
    let (clean, inner) = legs();
    assert_eq!(found(clean, "bleeding"), []);
    assert!(inner.len() >= 6, "{}", inner.len());
    for weight in [0.05, 0.3, 0.9] {
        let (mut parts, _) = legs();
        inner.iter().for_each(|vertex| plant(skin(&mut parts), *vertex as usize, 5, weight));
        let findings = found(parts, "bleeding");
        assert_eq!(summaries(&findings), [(0, 0, inner.clone(), vec![6])], "{weight}");
        assert!(findings[0].message.contains("across a gap"), "{}", findings[0].message);
    }
}

#[test]
fn weights_that_fade_out_over_the_surface_and_traces_are_not_across_a_gap() {
    let (clean, inner) = legs();
    // The joint above it on the same leg.
    let mut parts = clean.clone();
    inner.iter().for_each(|vertex| plant(skin(&mut parts), *vertex as usize, 1, 0.3));
    assert_eq!(found(parts, "bleeding"), []);
    // Too little to be seen.
    let mut parts = clean;
    inner.iter().for_each(|vertex| plant(skin(&mut parts), *vertex as usize, 5, 0.02));
    assert_eq!(found(parts, "bleeding"), []);
}
