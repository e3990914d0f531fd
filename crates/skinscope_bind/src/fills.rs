//! Small holes, which are closed where heat flows, so that a missing triangle changes hardly anything.

use std::collections::BTreeMap;

use glam::DVec3;
use skinscope_base::math::DisjointSets;

use crate::shape::{Shape, half_cotangents};

/// What closes the holes: edges with their weights. Places after those of the shape are middles of holes.
#[derive(Default)]
pub(crate) struct Fills {
    /// Two places, and the weight of the edge.
    pub edges: Vec<(u32, u32, f64)>,
    /// How many middles there are.
    pub middles: usize,
}

/// A hole has at least so many edges and at most so many.
const EDGES: [usize; 2] = [3, 16];
/// No place of it is farther from their mean than half of this.
const WIDEST: f64 = 0.06;

/// Finds the small holes of a surface: groups of border edges that touch.
pub fn fills(shape: &Shape) -> Fills {
    let mut sets = DisjointSets::new(shape.points.len());
    shape.borders.iter().for_each(|[a, b]| sets.join(*a, *b));
    let mut groups: BTreeMap<u32, Vec<[u32; 2]>> = BTreeMap::new();
    for edge in &shape.borders {
        groups.entry(sets.root(edge[0])).or_default().push(*edge);
    }
    let mut out = Fills::default();
    for edges in groups.into_values().filter(|edges| (EDGES[0]..=EDGES[1]).contains(&edges.len())) {
        let mut places: Vec<u32> = edges.iter().flatten().copied().collect();
        places.sort_unstable();
        places.dedup();
        let at = |place: u32| shape.points[place as usize];
        let mean = places.iter().map(|place| at(*place)).sum::<DVec3>() / places.len() as f64;
        if places.iter().any(|place| 2.0 * at(*place).distance(mean) > WIDEST) {
            continue;
        }
        let mut add = |corners: [u32; 3], points: [DVec3; 3]| {
            for (corner, half) in half_cotangents(points).into_iter().enumerate() {
                out.edges.push((corners[(corner + 1) % 3], corners[(corner + 2) % 3], half));
            }
        };
        if let ([a, b, c], 3) = (&places[..], edges.len()) {
            add([*a, *b, *c], [at(*a), at(*b), at(*c)]);
            continue;
        }
        let middle = edges.iter().flatten().map(|place| at(*place)).sum::<DVec3>() / (2 * edges.len()) as f64;
        let number = (shape.points.len() + out.middles) as u32;
        edges.iter().for_each(|[a, b]| add([*a, *b, number], [at(*a), at(*b), middle]));
        out.middles += 1;
    }
    out
}
