//! The shape of a problem in a form of its own: in the unit of its size, and in an order that the caller's numbering does not change.

use glam::DVec3;
use skinscope_base::math::Csr;

use crate::progress::Progress;
use crate::{BindError, BindProblem};

/// The surface and the joints in units of [`Shape::size`] around the middle of the surface.
pub struct Shape {
    /// The length that is 1 here, in the unit of the problem: twice the distance of the farthest place from the middle, about the length of a body.
    pub size: f64,
    /// The places of the surface, sorted by position.
    pub points: Vec<DVec3>,
    /// For each point of the problem its place.
    pub place_of: Vec<u32>,
    /// The triangles with three different places, each set of three places once, sorted.
    pub triangles: Vec<[u32; 3]>,
    /// A third of the area of the triangles around each place.
    pub areas: Vec<f64>,
    /// The mean of these areas.
    pub mean_area: f64,
    /// For each place its neighbours along edges, rising, with the clamped weight of the Laplacian.
    pub edges: Csr<(u32, f32)>,
    /// Whether an edge at each place has one triangle alone.
    pub is_border: Vec<bool>,
    /// Those edges.
    pub borders: Vec<[u32; 2]>,
    /// The joints.
    pub heads: Vec<DVec3>,
}

/// Cotangents are not below the first, so that wide angles push nothing away, and not above the second, which only triangles with hardly any
/// area reach.
const COTANGENTS: [f64; 2] = [0.02, 50.0];

impl Shape {
    /// Makes the shape of a problem that was checked.
    pub fn of(problem: &BindProblem, progress: Progress) -> Result<Self, BindError> {
        let (points, place_of) = places(&problem.points);
        progress.at(0.3)?;
        let triangles = triangles(problem, &place_of);
        progress.at(0.5)?;
        let area = |[a, b, c]: [u32; 3]| {
            let [a, b, c] = [a, b, c].map(|at| points[at as usize]);
            0.5 * (b - a).cross(c - a).length()
        };
        let whole: f64 = triangles.iter().map(|t| area(*t)).sum();
        if whole <= 0.0 || !whole.is_finite() {
            return Err(BindError::NoSurface);
        }
        // The mean over the surface: how finely a part of it is divided does not count.
        let middle = |t: &[u32; 3]| t.map(|at| points[at as usize]).iter().sum::<DVec3>() / 3.0;
        let centre = triangles.iter().map(|t| middle(t) * area(*t)).sum::<DVec3>() / whole;
        let corners = triangles.iter().flatten();
        let size = 2.0 * corners.map(|at| points[*at as usize].distance(centre)).fold(0.0, f64::max);
        if size <= 0.0 || !size.is_finite() {
            return Err(BindError::NoSurface);
        }
        let own = |p: DVec3| (p - centre) / size;
        let heads = problem.joints.iter().map(|joint| own(joint.head)).collect();
        let points: Vec<DVec3> = points.into_iter().map(own).collect();
        let out = Self::with(points, place_of, triangles, heads, size);
        progress.at(1.0)?;
        Ok(out)
    }

    fn with(points: Vec<DVec3>, place_of: Vec<u32>, triangles: Vec<[u32; 3]>, heads: Vec<DVec3>, size: f64) -> Self {
        let count = points.len();
        let mut out = Self {
            size,
            place_of,
            areas: vec![0.0; count],
            mean_area: 0.0,
            edges: Csr::default(),
            is_border: vec![false; count],
            borders: Vec::new(),
            heads,
            triangles,
            points,
        };
        out.add_edges();
        out.mean_area = out.areas.iter().sum::<f64>() / count as f64;
        out
    }

    /// Returns the area around a place as equations have it, which is never 0.
    pub fn mass(&self, place: u32) -> f64 {
        self.areas[place as usize].max(1e-9 * self.mean_area)
    }

    /// Returns the corners of a triangle.
    pub fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.triangles[triangle as usize].map(|at| self.points[at as usize])
    }

    /// Returns the numbers of the neighbours of a place.
    pub fn neighbours(&self, place: u32) -> impl Iterator<Item = u32> {
        self.edges.row(place as usize).iter().map(|(next, _)| *next)
    }

    /// Whether a triangle has the place.
    pub(crate) fn is_of_surface(&self, place: u32) -> bool {
        !self.edges.row(place as usize).is_empty()
    }

    /// Finds the edges with their weights, the borders and the areas.
    fn add_edges(&mut self) {
        // Both ends with the lower one first, and half the cotangent across.
        let mut sides: Vec<([u32; 2], f64)> = Vec::with_capacity(3 * self.triangles.len());
        for triangle in &self.triangles {
            let at = triangle.map(|place| self.points[place as usize]);
            let twice = (at[1] - at[0]).cross(at[2] - at[0]).length();
            for (corner, half) in half_cotangents(at).into_iter().enumerate() {
                self.areas[triangle[corner] as usize] += twice / 6.0;
                let [from, to] = [triangle[(corner + 1) % 3], triangle[(corner + 2) % 3]];
                sides.push(([from.min(to), from.max(to)], half));
            }
        }
        // Equal edges by their weights, so that sums do not depend on the order of triangles.
        sides.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut edges: Vec<([u32; 2], f32)> = Vec::with_capacity(sides.len() / 2 + 1);
        for edge in sides.chunk_by(|a, b| a.0 == b.0) {
            let [a, b] = edge[0].0;
            if edge.len() == 1 {
                self.borders.push([a, b]);
                self.is_border[a as usize] = true;
                self.is_border[b as usize] = true;
            }
            edges.push(([a, b], edge.iter().map(|side| side.1).sum::<f64>() as f32));
        }
        drop(sides);
        // Sorted as they are, each place gets the lower neighbours first, and then the higher ones.
        let links = edges.iter().flat_map(|([a, b], weight)| [(*a, (*b, *weight)), (*b, (*a, *weight))]);
        self.edges = Csr::new(self.points.len(), links);
    }
}

/// Returns half the clamped cotangent of the angle at each corner of a triangle. Without area the sign alone counts.
pub(crate) fn half_cotangents(at: [DVec3; 3]) -> [f64; 3] {
    let twice = (at[1] - at[0]).cross(at[2] - at[0]).length().max(f64::MIN_POSITIVE);
    [0, 1, 2].map(|corner| {
        let dot = (at[(corner + 1) % 3] - at[corner]).dot(at[(corner + 2) % 3] - at[corner]);
        0.5 * (dot / twice).clamp(COTANGENTS[0], COTANGENTS[1])
    })
}

/// Returns the different positions, sorted, and for each point its place among them.
fn places(points: &[DVec3]) -> (Vec<DVec3>, Vec<u32>) {
    // Adding zero turns −0 into +0.
    let at = |point: u32| (points[point as usize] + DVec3::ZERO).to_array();
    let order =
        |a: &[f64; 3], b: &[f64; 3]| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])).then(a[2].total_cmp(&b[2]));
    let mut sorted: Vec<u32> = (0..points.len() as u32).collect();
    sorted.sort_unstable_by(|a, b| order(&at(*a), &at(*b)).then(a.cmp(b)));
    let (mut out, mut place_of): (Vec<DVec3>, Vec<u32>) = (Vec::new(), vec![0; points.len()]);
    for group in sorted.chunk_by(|a, b| at(*a) == at(*b)) {
        group.iter().for_each(|point| place_of[*point as usize] = out.len() as u32);
        out.push(DVec3::from_array(at(group[0])));
    }
    (out, place_of)
}

/// Returns the triangles as places: those with three different ones, sorted, each once whichever way it is turned.
fn triangles(problem: &BindProblem, place_of: &[u32]) -> Vec<[u32; 3]> {
    let from_lowest = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|point| place_of[point as usize]);
        if a < b && a < c {
            [a, b, c]
        } else if b < c {
            [b, c, a]
        } else {
            [c, a, b]
        }
    };
    let mut out: Vec<[u32; 3]> = problem.triangles.iter().map(from_lowest).collect();
    out.retain(|[a, b, c]| a != b && b != c && c != a);
    let set = |[a, b, c]: [u32; 3]| [a, b.min(c), b.max(c)];
    out.sort_unstable_by_key(|t| (set(*t), *t));
    out.dedup_by_key(|t| set(*t));
    out
}
