//! The borders of groups of triangles, and the triangle fans that close them.

use glam::DVec3;
use skinscope_base::math::DisjointSets;

/// The open edges of groups of triangles, joined to borders: open edges of one group that share an end belong to one
/// border.
#[derive(Clone, Debug, Default)]
pub struct Borders {
    /// The open edges.
    pub edges: Vec<BorderEdge>,
    /// The number of borders.
    pub count: usize,
}

/// An open edge: only one triangle of its group has it.
#[derive(Clone, Copy, Debug)]
pub struct BorderEdge {
    /// The vertices at its ends, in the order in which its triangle has them.
    pub ends: [u32; 2],
    /// The group of its triangle.
    pub group: u32,
    /// The index of the border that it belongs to.
    pub border: u32,
}

impl Borders {
    /// Joins open edges, given as group and end vertices, to borders. `point` returns the point of a vertex: edges are
    /// joined where their ends have the same point.
    #[must_use]
    pub fn new(open: &[(u32, [u32; 2])], point: &dyn Fn(u32) -> u32) -> Self {
        let ends = open.iter().flat_map(|(group, ends)| ends.map(|end| (*group, point(end))));
        let mut corners: Vec<(u32, u32)> = ends.collect();
        corners.sort_unstable();
        corners.dedup();
        let corner = |group: u32, end: u32| corners.binary_search(&(group, point(end))).unwrap_or_default() as u32;
        let mut sets = DisjointSets::new(corners.len());
        for (group, [a, b]) in open {
            sets.join(corner(*group, *a), corner(*group, *b));
        }
        let (border_of, count) = sets.numbered();
        let edge = |(group, ends): &(u32, [u32; 2])| BorderEdge {
            ends: *ends,
            group: *group,
            border: border_of[corner(*group, ends[0]) as usize],
        };
        Self { edges: open.iter().map(edge).collect(), count }
    }

    /// Closes each border by a fan of triangles around the mean of its vertices. For each edge it calls `take` with the
    /// edge's group and six times the signed volume between the new triangle and the origin. `at` returns the position
    /// of a vertex; `middles` is memory that is reused from call to call.
    pub fn close(&self, at: impl Fn(u32) -> DVec3, middles: &mut Vec<(DVec3, f64)>, mut take: impl FnMut(u32, f64)) {
        middles.clear();
        middles.resize(self.count, (DVec3::ZERO, 0.0));
        for BorderEdge { ends: [start, _], border, .. } in &self.edges {
            let middle = &mut middles[*border as usize];
            *middle = (middle.0 + at(*start), middle.1 + 1.0);
        }
        for edge in &self.edges {
            let (total, count) = middles[edge.border as usize];
            let [a, b] = edge.ends.map(&at);
            // The fan runs along the side in the other direction.
            take(edge.group, b.dot(a.cross(total / count)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square one unit above the origin, whose last side ends in another vertex at the first one's point; a side of another group
    /// touches it there.
    #[test]
    fn sides_of_one_group_that_touch_are_a_border_and_its_fan_closes_it() {
        let open = [(0, [0, 1]), (1, [0, 2]), (0, [1, 2]), (0, [2, 3]), (0, [3, 4])];
        let borders = Borders::new(&open, &|vertex| vertex % 4);
        assert_eq!(borders.edges.iter().map(|edge| edge.border).collect::<Vec<_>>(), [0, 1, 0, 0, 0]);
        assert_eq!(borders.count, 2);
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]];
        let at = |vertex: u32| glam::DVec2::from(corners[vertex as usize]).extend(1.0);
        let mut sums = [0.0; 2];
        borders.close(at, &mut Vec::new(), |group, volume| sums[group as usize] += volume);
        // Six times the volume of a pyramid of height 1 over a square of side 1, which the fan sees from below.
        assert!((sums[0] + 2.0).abs() < 1e-12, "{sums:?}");
    }
}
