//! The numbers of single vertices that overlays show of a reading: each vertex has the worst of the edges and triangles around
//! it.

use glam::Vec3;

use super::read::Memory;
use super::rest::RestSizes;
use super::topology::MeasuredTopology;

/// The numbers of a posed surface that overlays show, for each stored vertex of a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VertexMeasure {
    /// The length of the edge at the vertex that is stretched or squeezed most, posed over rest; −1 where none is measured.
    Stretch,
    /// The area of the triangle at the vertex that has changed most, posed over rest; −1 where none is measured.
    Area,
    /// 1 at the corners of inverted triangles, else 0.
    Inverted,
    /// By how many degrees the sharpest edge at the vertex bends farther than at rest.
    Fold,
    /// The angle of the normal to the one that is computed from the posed triangles, degrees; −1 where there is none.
    NormalError,
}

impl VertexMeasure {
    /// Returns which of two numbers is worse.
    pub(super) fn worse(self, a: f32, b: f32) -> f32 {
        match self {
            Self::Stretch | Self::Area => farther(a, b),
            Self::Inverted | Self::Fold | Self::NormalError => a.max(b),
        }
    }
}

/// Returns the ratio that is farther from 1, where doubling and halving are as far; what is not above 0 stands for none.
fn farther(a: f32, b: f32) -> f32 {
    let size = |ratio: f32| if ratio < 1.0 { 1.0 / ratio } else { ratio };
    if a > 0.0 && (b <= 0.0 || size(a) >= size(b)) { a } else { b }
}

/// Writes a measure of the last reading for each stored vertex to `out`.
pub(super) fn values(
    measure: VertexMeasure,
    topology: &MeasuredTopology,
    rest: &RestSizes,
    memory: &Memory,
    out: &mut Vec<f32>,
) {
    // By place first: both sides of a seam look alike.
    let mut of_place = vec![0.0_f32; topology.welded.len()];
    match measure {
        VertexMeasure::Stretch => {
            for (ends, ratio) in topology.edges.iter().zip(&memory.ratios).filter(|(_, ratio)| ratio.is_finite()) {
                for end in ends {
                    let value = &mut of_place[topology.welded[*end as usize] as usize];
                    *value = farther(*value, *ratio);
                }
            }
        }
        VertexMeasure::Area => {
            for ((places, normal), per_area) in topology.places.iter().zip(&memory.normals).zip(&rest.per_area) {
                let ratio = normal.length() * per_area;
                if *per_area > 0.0 && ratio.is_finite() {
                    // A triangle without area is as small as the scale goes, and not unmeasured.
                    let ratio = ratio.max(1e-6);
                    for place in places {
                        let value = &mut of_place[*place as usize];
                        *value = farther(*value, ratio);
                    }
                }
            }
        }
        VertexMeasure::Inverted => {
            for place in memory.inverted.iter().flat_map(|face| topology.places[*face as usize]) {
                of_place[place as usize] = 1.0;
            }
        }
        VertexMeasure::Fold => {
            for (hinge, at_rest) in topology.hinges.iter().zip(&rest.bends) {
                let [a, b]: [Vec3; 2] = hinge.faces.map(|f| memory.normals[f as usize]);
                let dot = a.dot(b);
                let flat = dot > 0.0 && dot * dot > 0.99 * a.length_squared() * b.length_squared();
                if flat || at_rest.is_nan() {
                    continue;
                }
                let by = (a.angle_between(b) - at_rest).to_degrees();
                if by.is_finite() {
                    for end in hinge.ends {
                        let value = &mut of_place[end as usize];
                        *value = value.max(by);
                    }
                }
            }
        }
        VertexMeasure::NormalError => {}
    }
    out.clear();
    let none = if matches!(measure, VertexMeasure::Stretch | VertexMeasure::Area) { -1.0 } else { 0.0 };
    let of = |place: &u32| of_place[*place as usize];
    out.extend(topology.welded.iter().map(of).map(|value| if value == 0.0 { none } else { value }));
}
