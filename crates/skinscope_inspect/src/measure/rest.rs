//! The sizes of a surface at rest, against which a pose is measured.

use glam::{DVec3, Vec3};
use skinscope_base::math::Aabb;
use skinscope_deform::{Borders, ENCLOSED, triangle_normal};

use super::topology::MeasuredTopology;

/// The sizes at rest, morphs included.
#[derive(Clone, Debug, Default)]
pub(super) struct RestSizes {
    /// The positions of the stored vertices in mesh space, metres.
    pub positions: Vec<Vec3>,
    /// The reciprocal of the length of each edge; 0 where it is too short to be measured.
    pub per_length: Vec<f32>,
    /// The reciprocal of twice the area of each triangle; 0 where it is too thin to be measured.
    pub per_area: Vec<f32>,
    /// The unit normal of each triangle, or zero.
    pub normals: Vec<Vec3>,
    /// The angle between the normals of each hinge, radians; `NAN` where one of its triangles is not measured.
    pub bends: Vec<f32>,
    /// The area of all triangles.
    pub area: f64,
    /// The signed volume of each part and of each piece; `None` where it encloses none.
    pub part_volumes: Vec<Option<f64>>,
    pub piece_volumes: Vec<Option<f64>>,
}

/// The same as [`ENCLOSED`] for a closed part, whose volume is as exact as rounding allows.
const ENCLOSED_CLOSED: f64 = 1e-9;
/// Edges, and heights of triangles, shorter than this share of the diagonal are not measured.
const LEAST: f32 = 1e-5;

impl RestSizes {
    /// Measures positions in mesh space. `scale` is how many times as large the rest pose shows the mesh.
    pub fn new(topology: &MeasuredTopology, mut positions: Vec<Vec3>, scale: f32) -> Self {
        if scale != 1.0 {
            positions.iter_mut().for_each(|p| *p *= scale);
        }
        let least = LEAST * Aabb::from_points(positions.iter().copied()).diagonal();
        let length = |[a, b]: [u32; 2]| positions[a as usize].distance(positions[b as usize]);
        let reciprocal = |size: f32, counts: bool| if counts && size.is_finite() { 1.0 / size } else { 0.0 };
        let per_length = topology.edges.iter().map(|ends| {
            let length = length(*ends);
            reciprocal(length, length > 0.0 && length >= least)
        });
        let crosses: Vec<Vec3> = topology.welded_corners.iter().map(|t| triangle_normal(*t, &positions)).collect();
        let per_area = topology.welded_corners.iter().zip(&crosses).map(|([a, b, c], cross)| {
            let longest = length([*a, *b]).max(length([*b, *c])).max(length([*c, *a]));
            let doubled = cross.length();
            reciprocal(doubled, doubled > 0.0 && doubled >= least * longest)
        });
        let per_area: Vec<f32> = per_area.collect();
        let bends = topology.hinges.iter().map(|hinge| {
            let [a, b] = hinge.map(|f| f as usize);
            let measured = per_area[a] > 0.0 && per_area[b] > 0.0;
            if measured { crosses[a].angle_between(crosses[b]) } else { f32::NAN }
        });
        let mut pieces = vec![(0.0, 0.0); topology.pieces.len()];
        let origin = origin(topology, &positions);
        for ((corners, piece), cross) in topology.welded_corners.iter().zip(&topology.piece_of).zip(&crosses) {
            let (area, volume) = &mut pieces[*piece as usize];
            *area += 0.5 * f64::from(cross.length());
            *volume += sixfold(positions[corners[0] as usize], *cross, origin);
        }
        let mut parts = vec![(0.0, 0.0); topology.parts.len()];
        for (piece, (area, volume)) in topology.pieces.iter().zip(&pieces) {
            let of = &mut parts[piece.part as usize];
            *of = (of.0 + area, of.1 + volume);
        }
        let volumes = |borders: &Borders, sums: &[(f64, f64)], closed: &dyn Fn(usize) -> bool| {
            let mut all: Vec<f64> = sums.iter().map(|(_, volume)| *volume).collect();
            close(borders, &positions, origin, &mut Vec::new(), &mut all);
            let enclosed = all.iter().zip(sums).enumerate().map(|(i, (volume, (area, _)))| {
                let share = if closed(i) { ENCLOSED_CLOSED } else { ENCLOSED };
                Some(volume / 6.0).filter(|v| v.abs() > share * area.powf(1.5))
            });
            enclosed.collect()
        };
        let part_volumes = volumes(&topology.part_borders, &parts, &|i| topology.parts[i].closed);
        let open: Vec<bool> = {
            let mut open = vec![false; pieces.len()];
            topology.piece_borders.edges.iter().for_each(|edge| open[edge.group as usize] = true);
            open
        };
        let piece_volumes = volumes(&topology.piece_borders, &pieces, &|i| !open[i]);
        Self {
            per_length: per_length.collect(),
            bends: bends.collect(),
            normals: crosses.iter().map(|n| n.normalize_or_zero()).collect(),
            area: pieces.iter().map(|(area, _)| area).sum(),
            part_volumes,
            piece_volumes,
            per_area,
            positions,
        }
    }
}

/// The point that volumes are summed about: near the surface, since far from it the terms would cancel to rounding errors.
pub(super) fn origin(topology: &MeasuredTopology, positions: &[Vec3]) -> DVec3 {
    let first = topology.welded_corners.first().and_then(|t| positions.get(t[0] as usize));
    first.map_or(DVec3::ZERO, |p| p.as_dvec3())
}

/// Returns six times the signed volume between a triangle and `origin`: a corner of it times the normal that [`triangle_normal`] returns, since
/// `a · (b × c) = a · ((b − a) × (c − a))`.
#[inline]
pub(super) fn sixfold(corner: Vec3, cross: Vec3, origin: DVec3) -> f64 {
    (corner.as_dvec3() - origin).dot(cross.as_dvec3())
}

/// Closes the borders of groups of triangles: adds six times the volume of their fans to the sums of the groups.
pub(super) fn close(
    borders: &Borders,
    positions: &[Vec3],
    origin: DVec3,
    middles: &mut Vec<(DVec3, f64)>,
    sums: &mut [f64],
) {
    let at = |v: u32| positions[v as usize].as_dvec3() - origin;
    borders.close(at, middles, |group, volume| sums[group as usize] += volume);
}
