//! Measures how a pose changes a surface: how much edges and triangles stretch, how the volume changes, which triangles are
//! inverted, and where the surface folds back on itself.
//!
//! A [`Patch`] is a part of a [`MeshTopology`] with its measures at rest; [`Patch::measure`] compares a posed surface
//! with them, and allocates nothing once its scratch memory has grown. Sums are computed in f64, in the order of the
//! file: the same positions give the same bytes.
//!
//! The measures of a whole surface (`skinscope_inspect::measure`) are computed by other code, on purpose. A patch is read
//! thousands of times by the range of motion, one joint and one core at a time, and calls back for each fault; its ratios are
//! quotients, and its edges join vertices of the file. A whole surface is read once a picture on all cores; its ratios are
//! products with reciprocals that were computed at rest, its edges join welded vertices, it asks the matrices of the corners for
//! the side of a triangle, and its sums are taken over pieces of fixed length. Each of these differences changes the last bits of
//! results that reference data and reports have, so that one loop for both would be neither one's numbers. What has the same bits
//! in both is shared: [`triangle_normal`], the closing of borders, and [`MeshTopology`].

use glam::{DVec3, Vec3};

use super::borders::Borders;
use super::mesh_topology::{MeshTopology, NONE, sides};

/// The limits beyond which an edge or triangle of a posed surface counts as a fault. Ratios are posed over rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The ratio of lengths from which an edge is a fault.
    pub stretch: f32,
    /// The least and the largest ratio of a triangle's area that is no fault.
    pub area: [f32; 2],
    /// The angle between the normals of two triangles from which their edge is a fold, radians: 0 is flat, π is folded
    /// shut.
    pub fold: f32,
    /// The increase of this angle from rest that makes a fold a fault, radians.
    pub folded_by: f32,
}

/// A kind of fault of one edge or triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The edge is too long.
    Stretch,
    /// The triangle lost or gained too much area.
    Area,
    /// The triangle is inverted: its front faces away from the direction in which its corners carry its normal.
    Inverted,
    /// Two triangles at an edge lie almost on each other.
    Fold,
}

/// The measures of a patch in one pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measures {
    /// The least and the largest ratio of an edge's length, posed over rest; 1 where there are no edges.
    pub stretch: [f32; 2],
    /// The least and the greatest ratio of a triangle's area, posed over rest; 1 where there are no triangles.
    pub triangle: [f32; 2],
    /// The ratio of the volume of the patch, posed over rest; `None` where it does not enclose one in both. Each border
    /// is closed by a triangle fan around the mean of its vertices.
    pub volume: Option<f64>,
    /// The number of inverted triangles.
    pub inverted: usize,
    /// The number of edges at which the surface folds back on itself.
    pub folds: usize,
    /// The largest angle of these folds, radians; π is folded shut.
    pub sharpest: f32,
}

/// A posed surface to measure.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredSurface<'a> {
    /// The positions of the stored vertices, in model space, metres; only those of the patch are read.
    pub positions: &'a [Vec3],
    /// The direction, of any length, in which the front of each triangle of the patch ([`Patch::triangles`]) should
    /// face: its normal at rest, transformed by the blended matrices of its corners. It rotates with the triangle.
    pub facing: &'a [Vec3],
}

/// Memory that [`Patch::measure`] reuses from call to call.
#[derive(Clone, Debug, Default)]
pub struct MeasureScratch {
    /// The normal of each triangle; its length is twice the area.
    normals: Vec<Vec3>,
    middles: Vec<(DVec3, f64)>,
}

/// A part of a surface with its measures at rest.
#[derive(Clone, Debug, Default)]
pub struct Patch {
    faces: Vec<Face>,
    /// How many of `faces` are measured; the others only lie across an edge.
    measured: usize,
    edges: Vec<Edge>,
    hinges: Vec<Hinge>,
    borders: Borders,
    volume: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Face {
    corners: [u32; 3],
    /// Twice the area at rest; 0 where the triangle is too thin to be measured.
    doubled_area: f32,
    /// +1 where the triangle looks in the direction of its `facing` at rest, −1 where it looks against it, 0 where that
    /// cannot be determined.
    side: f32,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    ends: [u32; 2],
    length: f32,
}

#[derive(Clone, Copy, Debug)]
struct Hinge {
    faces: [u32; 2],
    ends: [u32; 2],
    /// The angle between the normals at rest, radians.
    bend: f32,
}

/// The least volume of an open surface that counts as enclosed, as a share of area^1.5: a sphere has 0.094, a sheet 0.
pub const ENCLOSED: f64 = 0.04;

/// Cosines of two normals below this are rounding errors.
const FLAT: f32 = 0.01;

impl Patch {
    /// Makes a patch of the triangles and edges of `topology` whose vertices `takes` accepts. `rest` are the positions
    /// at rest; `facing` is called with the triangles once they are known, and returns their
    /// [`MeasuredSurface::facing`] at rest. Edges and heights of triangles that are shorter than `least` (metres) at
    /// rest are ignored, since their ratios are noise.
    #[must_use]
    pub fn new(
        topology: &MeshTopology,
        rest: &[Vec3],
        least: f32,
        takes: &dyn Fn(&[u32]) -> bool,
        facing: &mut dyn FnMut(&[[u32; 3]]) -> Vec<Vec3>,
    ) -> Self {
        let mut index_of = vec![NONE; topology.triangles.len()];
        let mut chosen: Vec<u32> = (0..topology.triangles.len() as u32).collect();
        chosen.retain(|t| takes(&topology.triangles[*t as usize]));
        for (i, t) in chosen.iter().enumerate() {
            index_of[*t as usize] = i as u32;
        }
        let measured = chosen.len();
        // Triangles across the border bend with those inside.
        for i in 0..measured {
            for other in topology.across()[chosen[i] as usize] {
                if other != NONE && index_of[other as usize] == NONE {
                    index_of[other as usize] = chosen.len() as u32;
                    chosen.push(other);
                }
            }
        }
        let corners: Vec<[u32; 3]> = chosen.iter().map(|t| topology.triangles[*t as usize]).collect();
        let facing = facing(&corners);
        let mut out = Self { measured, ..Self::default() };
        out.faces =
            corners.iter().zip(facing).map(|(corners, facing)| Face::new(*corners, rest, least, facing)).collect();
        let edges = topology.vertex_edges().iter().filter(|ends| takes(&ends[..]));
        out.edges = edges.map(|ends| Edge { ends: *ends, length: length(*ends, rest) }).collect();
        out.edges.retain(|e| e.length >= least && e.length.is_finite());
        out.join(topology, &chosen, &index_of, rest);
        out.rest(rest);
        out
    }

    /// Finds the edges between two triangles, and the borders.
    fn join(&mut self, topology: &MeshTopology, chosen: &[u32], index_of: &[u32], rest: &[Vec3]) {
        let mut open: Vec<(u32, [u32; 2])> = Vec::new();
        for (i, t) in chosen[..self.measured].iter().enumerate() {
            for (ends, other) in sides(topology.triangles[*t as usize]).into_iter().zip(topology.across()[*t as usize])
            {
                let other = if other == NONE { NONE } else { index_of[other as usize] };
                if other == NONE || other as usize >= self.measured {
                    open.push((0, ends));
                }
                let twice = other != NONE && (other as usize) < self.measured && other < i as u32;
                if other != NONE && !twice {
                    let faces = [i as u32, other];
                    let [a, b] = faces.map(|f| triangle_normal(self.faces[f as usize].corners, rest));
                    let thin = faces.iter().any(|f| self.faces[*f as usize].doubled_area == 0.0);
                    if !thin {
                        self.hinges.push(Hinge { faces, ends, bend: a.angle_between(b) });
                    }
                }
            }
        }
        self.borders = Borders::new(&open, &|vertex| topology.point(vertex));
    }

    /// Measures the volume at rest.
    fn rest(&mut self, rest: &[Vec3]) {
        let mut scratch = MeasureScratch::default();
        scratch.normals.extend(self.faces.iter().map(|f| triangle_normal(f.corners, rest)));
        let doubled_area: f64 = scratch.normals[..self.measured].iter().map(|n| f64::from(n.length())).sum();
        let volume = self.volume_of(rest, &mut scratch);
        self.volume = Some(volume).filter(|v| v.abs() > ENCLOSED * (0.5 * doubled_area).powf(1.5));
    }

    /// Returns the volume that it encloses at rest, cubic metres, closed by lids; `None` where it does not enclose one.
    #[must_use]
    pub fn rest_volume(&self) -> Option<f64> {
        self.volume
    }

    /// Returns whether there is nothing to measure.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.measured == 0 && self.edges.is_empty()
    }

    /// Returns the corners of its triangles, as vertices, in the order of [`MeasuredSurface::facing`].
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        self.faces.iter().map(|f| f.corners)
    }

    /// Returns all stored vertices whose positions are read, rising.
    #[must_use]
    pub fn vertices(&self) -> Vec<u32> {
        let of_faces = self.faces.iter().flat_map(|f| f.corners);
        sorted(of_faces.chain(self.edges.iter().flat_map(|e| e.ends)).collect())
    }

    /// Returns all stored vertices of measured triangles, rising.
    #[must_use]
    pub fn measured_vertices(&self) -> Vec<u32> {
        sorted(self.faces[..self.measured].iter().flat_map(|f| f.corners).collect())
    }

    /// Measures a pose and compares it with rest. `found` is called for each fault, with the vertices of its edge or
    /// triangle.
    pub fn measure(
        &self,
        posed: MeasuredSurface,
        limits: &Limits,
        scratch: &mut MeasureScratch,
        found: &mut dyn FnMut(Fault, &[u32]),
    ) -> Measures {
        let mut out =
            Measures { stretch: [1.0; 2], triangle: [1.0; 2], volume: None, inverted: 0, folds: 0, sharpest: 0.0 };
        self.measure_edges(posed, limits, &mut out, found);
        scratch.normals.clear();
        scratch.normals.extend(self.faces.iter().map(|f| triangle_normal(f.corners, posed.positions)));
        self.measure_faces(posed, limits, scratch, &mut out, found);
        self.measure_hinges(limits, scratch, &mut out, found);
        let volume = self.volume.map(|at_rest| self.volume_of(posed.positions, scratch) / at_rest);
        out.volume = volume.filter(|v| *v >= 0.0);
        out
    }

    fn measure_edges(
        &self,
        posed: MeasuredSurface,
        limits: &Limits,
        out: &mut Measures,
        found: &mut dyn FnMut(Fault, &[u32]),
    ) {
        let (mut longest, mut shortest) = (f32::NEG_INFINITY, f32::INFINITY);
        for edge in &self.edges {
            let ratio = length(edge.ends, posed.positions) / edge.length;
            if !ratio.is_finite() {
                continue;
            }
            (shortest, longest) = (shortest.min(ratio), longest.max(ratio));
            if ratio > limits.stretch {
                found(Fault::Stretch, &edge.ends);
            }
        }
        if shortest <= longest {
            out.stretch = [shortest, longest];
        }
    }

    fn measure_faces(
        &self,
        posed: MeasuredSurface,
        limits: &Limits,
        scratch: &MeasureScratch,
        out: &mut Measures,
        found: &mut dyn FnMut(Fault, &[u32]),
    ) {
        let (mut least, mut most) = (f32::INFINITY, f32::NEG_INFINITY);
        for ((face, normal), facing) in self.faces[..self.measured].iter().zip(&scratch.normals).zip(posed.facing) {
            if face.doubled_area == 0.0 || !normal.is_finite() {
                continue;
            }
            let ratio = normal.length() / face.doubled_area;
            (least, most) = (least.min(ratio), most.max(ratio));
            if ratio < limits.area[0] || ratio > limits.area[1] {
                found(Fault::Area, &face.corners);
            }
            if face.side * side(face.corners, *normal, *facing, posed.positions) < 0.0 {
                out.inverted += 1;
                found(Fault::Inverted, &face.corners);
            }
        }
        if least <= most {
            out.triangle = [least, most];
        }
    }

    fn measure_hinges(
        &self,
        limits: &Limits,
        scratch: &MeasureScratch,
        out: &mut Measures,
        found: &mut dyn FnMut(Fault, &[u32]),
    ) {
        let flat_enough = limits.fold.cos();
        for hinge in &self.hinges {
            let [a, b] = hinge.faces.map(|f| scratch.normals[f as usize]);
            let (dot, lengths) = (a.dot(b), (a.length_squared() * b.length_squared()).sqrt());
            // Most edges are flat, and an angle takes longer to compute than a product. A triangle without area has no
            // side to fold to.
            let collapsed = hinge.faces.iter().zip([a, b]).any(|(f, n)| {
                let at_rest = self.faces[*f as usize].doubled_area;
                n.length_squared() < 1e-4 * at_rest * at_rest
            });
            if collapsed || dot.is_nan() || dot > flat_enough * lengths {
                continue;
            }
            let bend = a.angle_between(b);
            if bend - hinge.bend >= limits.folded_by {
                out.folds += 1;
                out.sharpest = out.sharpest.max(bend);
                found(Fault::Fold, &hinge.ends);
            }
        }
    }

    /// Returns the volume by the divergence theorem: a sixth of the sum of `a · (b × c)` over a closed surface. Every
    /// border is closed by triangles around the middle of its vertices.
    fn volume_of(&self, positions: &[Vec3], scratch: &mut MeasureScratch) -> f64 {
        let Some(first) = self.faces.first() else { return 0.0 };
        // The origin of the sum is near the patch: far from it the terms cancel to rounding errors.
        let origin = positions[first.corners[0] as usize].as_dvec3();
        let at = |v: u32| positions[v as usize].as_dvec3() - origin;
        let mut sum = 0.0;
        for face in &self.faces[..self.measured] {
            let [a, b, c] = face.corners.map(at);
            sum += a.dot(b.cross(c));
        }
        self.borders.close(at, &mut scratch.middles, |_, volume| sum += volume);
        sum / 6.0
    }
}

impl Face {
    fn new(corners: [u32; 3], rest: &[Vec3], least: f32, facing: Vec3) -> Self {
        let normal = triangle_normal(corners, rest);
        let longest = sides(corners).into_iter().map(|s| length(s, rest)).fold(0.0, f32::max);
        let doubled_area = normal.length();
        let thick = doubled_area > least * longest && doubled_area.is_finite();
        let side = side(corners, normal, facing, rest);
        Self { corners, doubled_area: if thick { doubled_area } else { 0.0 }, side }
    }
}

/// Returns +1 where a triangle with this normal looks in the direction of `facing`, −1 where it looks against it, 0
/// where that cannot be determined.
fn side(corners: [u32; 3], normal: Vec3, facing: Vec3, positions: &[Vec3]) -> f32 {
    let longest = sides(corners).into_iter().map(|s| length(s, positions)).fold(0.0, f32::max);
    let (dot, size) = (normal.dot(facing), normal.length() * facing.length());
    // Rounding decides which side a needle shows.
    let needle = normal.length() <= 1e-3 * longest * longest;
    if needle || dot.is_nan() || dot.abs() <= FLAT * size { 0.0 } else { dot.signum() }
}

fn length([a, b]: [u32; 2], positions: &[Vec3]) -> f32 {
    positions[a as usize].distance(positions[b as usize])
}

/// Returns the normal of a triangle by the right-hand rule; its length is twice the area.
#[inline]
#[must_use]
pub fn triangle_normal(corners: [u32; 3], positions: &[Vec3]) -> Vec3 {
    let [a, b, c] = corners.map(|v| positions[v as usize]);
    (b - a).cross(c - a)
}

fn sorted(mut vertices: Vec<u32>) -> Vec<u32> {
    vertices.sort_unstable();
    vertices.dedup();
    vertices
}
