//! The surface of a body, at rest and in any pose, and how deep a point lies in it.

use glam::{DAffine3, DVec3};
use skinscope_model::{LocalPose, Model};
use skinscope_weights::{Shares, unit_shares};

use crate::closest::TriangleTree;
use crate::{Sheet, surface, transfer};

/// The surface of a body as it rests in the world.
#[derive(Debug)]
pub(super) struct BodySurface {
    points: Vec<DVec3>,
    /// For each point the nodes that move it.
    shares: Vec<Shares>,
    /// The triangles, which all face outwards as the body does.
    triangles: Vec<[u32; 3]>,
    /// The middle of each triangle at rest.
    middles: Vec<DVec3>,
}

/// The surface in a pose.
pub(super) struct Posed<'b> {
    surface: &'b BodySurface,
    points: Vec<DVec3>,
    /// The normals of the points, as long as the area around each.
    normals: Vec<DVec3>,
    tree: TriangleTree,
}

/// Where a point is, as the closest point of a surface tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Depth {
    /// The triangle of the closest point.
    pub triangle: u32,
    /// The distance to it, metres.
    pub distance: f64,
    /// Whether the point lies behind the surface.
    pub is_inside: bool,
}

impl Depth {
    /// How deep the point lies in the body; 0 outside of it.
    pub fn inside(&self) -> f64 {
        if self.is_inside { self.distance } else { 0.0 }
    }
}

impl BodySurface {
    /// Takes all surfaces of a model that skins move.
    pub fn of(body: &Model) -> Self {
        let sheet = Sheet::of(body);
        let worlds = transfer::factors(body);
        let (mut points, mut shares, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
        for surface in surface::all_apart(body, &sheet.tables) {
            let Some(first) = surface.parts.first() else { continue };
            let world = worlds[first.primitive.mesh.index()];
            let start = points.len() as u32;
            for (welded, at) in (0..).zip(&surface.positions) {
                points.push(world.transform_point3(at.as_dvec3()));
                let row = surface.members(welded).first().map(|vertex| surface.row(*vertex));
                shares.push(row.map(|at| unit_shares(&sheet.tables[at.table], at.row)).unwrap_or_default());
            }
            let is_mirrored = world.matrix3.determinant() < 0.0;
            let outward = |[a, b, c]: [u32; 3]| if is_mirrored { [a, c, b] } else { [a, b, c] };
            triangles.extend(surface.triangles.iter().map(|corners| outward(corners.map(|corner| start + corner))));
        }
        let middle = |[a, b, c]: &[u32; 3]| (points[*a as usize] + points[*b as usize] + points[*c as usize]) / 3.0;
        let middles: Vec<DVec3> = triangles.iter().map(middle).collect();
        Self { points, shares, triangles, middles }
    }

    /// Returns whether there are no triangles.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// Returns the corners of the box around the surface at rest.
    pub fn bounds(&self) -> [DVec3; 2] {
        let finite = || self.points.iter().filter(|point| point.is_finite());
        let low = finite().fold(DVec3::INFINITY, |low, point| low.min(*point));
        let high = finite().fold(DVec3::NEG_INFINITY, |high, point| high.max(*point));
        if low.x <= high.x { [low, high] } else { [DVec3::ZERO; 2] }
    }

    /// Returns the length of the diagonal of that box.
    pub fn size(&self) -> f64 {
        let [low, high] = self.bounds();
        (high - low).length()
    }

    /// Returns the middle of a triangle at rest.
    pub fn middle(&self, triangle: u32) -> DVec3 {
        self.middles[triangle as usize]
    }

    /// Returns the shares of the corners of a triangle.
    pub fn corners(&self, triangle: u32) -> [&Shares; 3] {
        self.triangles[triangle as usize].map(|corner| &self.shares[corner as usize])
    }

    /// Returns the surface at rest.
    pub fn at_rest(&self) -> Posed<'_> {
        self.with(self.points.clone())
    }

    /// Returns the surface where its nodes have moved so.
    pub fn posed(&self, motion: &[DAffine3]) -> Posed<'_> {
        self.with(self.points.iter().zip(&self.shares).map(|(point, shares)| moved(*point, shares, motion)).collect())
    }

    fn with(&self, points: Vec<DVec3>) -> Posed<'_> {
        let mut normals = vec![DVec3::ZERO; points.len()];
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|corner| points[corner as usize]);
            let normal = (b - a).cross(c - a);
            if normal.is_finite() {
                triangle.iter().for_each(|corner| normals[*corner as usize] += normal);
            }
        }
        let corners = self.triangles.iter().map(|triangle| triangle.map(|corner| points[corner as usize]));
        let tree = TriangleTree::new(corners.collect());
        Posed { surface: self, normals, tree, points }
    }
}

impl Posed<'_> {
    /// Returns the distance of a point to the surface; `None` where there is none.
    pub fn distance(&self, point: DVec3) -> Option<f64> {
        self.tree.closest(point).map(|found| found.distance)
    }

    /// Returns where a point lies, as the triangles tell that count; `None` where there are none.
    pub fn depth(&self, point: DVec3, counts: &dyn Fn(u32) -> bool) -> Option<Depth> {
        let found = self.tree.closest_where(point, &|found| counts(found.triangle))?;
        let corners = self.surface.triangles[found.triangle as usize];
        let (mut at, mut normal) = (DVec3::ZERO, DVec3::ZERO);
        for (corner, share) in corners.iter().zip(found.shares) {
            at += self.points[*corner as usize] * share;
            normal += self.normals[*corner as usize].normalize_or_zero() * share;
        }
        let is_inside = (point - at).dot(normal) < 0.0;
        Some(Depth { triangle: found.triangle, distance: found.distance, is_inside })
    }
}

/// Returns for each node of a body what brings it from rest into a pose, in the world.
pub(super) fn motion(body: &Model, rest: &[DAffine3], pose: &LocalPose) -> Vec<DAffine3> {
    let posed = body.skeleton.worlds(pose);
    let moves = |(now, rest): (&DAffine3, &DAffine3)| {
        let moves = *now * rest.inverse();
        if moves.is_finite() { moves } else { DAffine3::IDENTITY }
    };
    posed.iter().zip(rest).map(moves).collect()
}

/// Returns where a point is when the nodes that it follows have moved; one that follows none stays.
pub(super) fn moved(point: DVec3, shares: &[(u32, f64)], motion: &[DAffine3]) -> DVec3 {
    let (mut out, mut whole) = (DVec3::ZERO, 0.0);
    for (node, share) in shares {
        if let Some(moves) = motion.get(*node as usize) {
            out += moves.transform_point3(point) * *share;
            whole += share;
        }
    }
    if whole > 0.0 { out / whole } else { point }
}
