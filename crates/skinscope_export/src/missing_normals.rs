//! The normals that a written mesh has where its file has none.

use glam::Vec3;
use skinscope_model::Topology;

use crate::BakedPrimitive;

/// What a written mesh has where its file has no normals. Programs show such a mesh with flat faces either way (glTF 2.0, 3.7.2.1); normals
/// that were averaged at its vertices would make it look rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingNormals {
    /// No normals, and the vertices in file order.
    #[default]
    None,
    /// The normals of the triangles, each of which has three vertices of its own then.
    Flat,
}

impl MissingNormals {
    /// Returns the primitives as they are written: those whose file has no normals have none either, or flat ones.
    #[must_use]
    pub fn apply(self, mut surface: Vec<BakedPrimitive>) -> Vec<BakedPrimitive> {
        for primitive in surface.iter_mut().filter(|primitive| primitive.made_normals) {
            // Tangents mean nothing without the normals that they stand on.
            primitive.tangents.clear();
            match (self, primitive.topology) {
                (Self::Flat, Topology::Triangles) => flatten(primitive),
                _ => primitive.normals.clear(),
            }
        }
        surface
    }
}

/// Gives each triangle three vertices of its own, which have its normal; one without area has the zero vector.
fn flatten(p: &mut BakedPrimitive) {
    fn at_corners<T: Copy>(values: &mut Vec<T>, corners: &[u32]) {
        *values = corners.iter().filter_map(|corner| values.get(*corner as usize).copied()).collect();
    }
    at_corners(&mut p.positions, &p.indices);
    p.uvs.iter_mut().for_each(|uvs| at_corners(uvs, &p.indices));
    at_corners(&mut p.colors, &p.indices);
    let normal = |[a, b, c]: [Vec3; 3]| (b - a).as_dvec3().cross((c - a).as_dvec3()).normalize_or_zero().as_vec3();
    p.normals = p.positions.as_chunks().0.iter().flat_map(|triangle| [normal(*triangle); 3]).collect();
    p.indices = (0..p.positions.len() as u32).collect();
    p.made_normals = false;
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;

    #[test]
    fn a_file_without_normals_gives_none_or_those_of_the_triangles() {
        let bent = BakedPrimitive {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
            normals: vec![Vec3::ONE; 4],
            uvs: [vec![Vec2::ZERO, Vec2::X, Vec2::Y, Vec2::ONE], Vec::new()],
            indices: vec![0, 1, 2, 0, 3, 1],
            made_normals: true,
            ..BakedPrimitive::default()
        };
        let own = BakedPrimitive { made_normals: false, ..bent.clone() };
        let line = BakedPrimitive { topology: Topology::Lines, indices: vec![0, 1], ..bent.clone() };
        let all = vec![bent, own.clone(), line];
        let none = MissingNormals::None.apply(all.clone());
        assert!(none[0].normals.is_empty() && none[2].normals.is_empty());
        assert_eq!((&none[0].positions, &none[0].indices), (&all[0].positions, &all[0].indices));
        let flat = MissingNormals::Flat.apply(all);
        assert_eq!(flat[0].normals, [[Vec3::Z; 3], [Vec3::Y; 3]].concat());
        assert_eq!(flat[0].positions, [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ZERO, Vec3::Z, Vec3::X]);
        assert_eq!(flat[0].uvs[0], [Vec2::ZERO, Vec2::X, Vec2::Y, Vec2::ZERO, Vec2::ONE, Vec2::X]);
        assert_eq!((&flat[0].indices[..], flat[2].normals.len()), (&[0, 1, 2, 3, 4, 5][..], 0));
        for written in [none, flat] {
            assert_eq!((&written[1].normals, &written[1].positions), (&own.normals, &own.positions));
        }
    }
}
