//! The normals of the points of a subdivided surface. Each point sums the triangles around it by itself, so that all cores work on one pose
//! without waiting for each other, and the sums are the same for any number of threads.

use glam::Vec3;
use skinscope_base::math::Csr;
use skinscope_base::parallel::in_pieces;

/// How many points one thread works on at a time.
const PIECE: usize = 4096;

/// For each point of a surface the other two corners of every triangle around it, in the order of its winding.
#[derive(Debug, Default)]
pub(super) struct Fans(Csr<[u32; 2]>);

impl Fans {
    /// Finds them in the triangles of a surface of so many points.
    pub fn of(points: usize, triangles: impl Iterator<Item = [u32; 3]> + Clone) -> Self {
        Self(Csr::new(points, triangles.flat_map(|[a, b, c]| [(a, [b, c]), (b, [c, a]), (c, [a, b])])))
    }

    /// Writes the normals of all points: the sum of the triangles around each, weighted by area, of unit length or zero.
    pub fn normals_into(&self, points: &[Vec3], out: &mut Vec<Vec3>) {
        out.resize(self.0.row_count(), Vec3::ZERO);
        in_pieces(out, PIECE, &|start, normals| {
            for (point, normal) in (start..).zip(normals) {
                let at = points[point];
                let of = |[b, c]: &[u32; 2]| (points[*b as usize] - at).cross(points[*c as usize] - at);
                *normal = self.0.row(point).iter().map(of).sum::<Vec3>().normalize_or_zero();
            }
        });
    }

    /// Returns the normals of all points.
    pub fn normals(&self, points: &[Vec3]) -> Vec<Vec3> {
        let mut out = Vec::new();
        self.normals_into(points, &mut out);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles that share an edge, a corner of its own, and a point that no triangle has.
    #[test]
    fn a_normal_is_the_sum_of_the_triangles_around_a_point_by_their_areas() {
        let points = [Vec3::ZERO, Vec3::X, Vec3::Y * 3.0, Vec3::new(0.0, 1.0, -1.0), Vec3::Z];
        let triangles = [[0_u32, 1, 2], [0, 2, 3], [1, 1, 0]];
        let fans = Fans::of(points.len(), triangles.into_iter());
        let of = |[a, b, c]: [u32; 3]| {
            let [a, b, c] = [a, b, c].map(|corner| points[corner as usize]);
            (b - a).cross(c - a)
        };
        let [first, second] = [of(triangles[0]), of(triangles[1])];
        let both = (first + second).normalize();
        let want = [both, first.normalize(), both, second.normalize(), Vec3::ZERO];
        let found = fans.normals(&points);
        assert_eq!(found.len(), want.len());
        assert!(found.iter().zip(&want).all(|(a, b)| a.distance(*b) < 1e-6), "{found:?}");
        // A list that was longer is as long as it has to be, and holds nothing from before.
        let mut list = vec![Vec3::ONE; 9];
        fans.normals_into(&points, &mut list);
        assert_eq!(list, found);
    }
}
