//! Measures one posed primitive: passes over its triangles, edges and hinges, each on all cores. Sums are taken over pieces of
//! fixed length in their order, so that the same pose gives the same numbers on any machine.

use std::sync::atomic::AtomicBool;

use glam::{DVec3, Mat3A, Vec3, Vec3A, Vec4};
use skinscope_base::parallel;
use skinscope_deform::{Batch, BatchInfluences, BatchOut, Deformation, Deformed, DeformedAttributes};
use skinscope_model::{InfluencesRef, Run};

use super::rest::{RestSizes, close, origin, sixfold};
use super::topology::MeasuredTopology;
use super::{VertexMeasure, Wanted};

/// A primitive as posed, with what moved it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Posed<'a> {
    pub deformed: &'a Deformed,
    pub influences: InfluencesRef<'a>,
    /// The packed matrices of its skin.
    pub palette: &'a [Vec4],
    pub method: Deformation<'a>,
    /// What the method has computed for each vertex; empty where it needs nothing.
    pub vectors: &'a [Vec4],
}

impl<'a> Posed<'a> {
    /// Returns the vertices of `run` as the method takes them, with these normals (mesh space).
    pub(super) fn batch(&self, rest: &'a RestSizes, run: &Run<'a>, normals: &'a [Vec3]) -> Batch<'a> {
        let vertices = run.vertices.clone();
        Batch {
            positions: &rest.positions[vertices.clone()],
            normals,
            tangents: &[],
            movers: BatchInfluences::from(run),
            values: self.method.values,
            vectors: self.vectors.get(vertices).unwrap_or_default(),
        }
    }

    /// Lets the method carry the normals of the vertices in `range`. `normals` (mesh space) and `carried` are theirs, as is `carries`, the
    /// matrices that carry normals; both results are either as long as `range` or empty, where they are not needed.
    pub(super) fn carry(
        &self,
        rest: &'a RestSizes,
        range: std::ops::Range<usize>,
        normals: &'a [Vec3],
        (carried, carries): (&mut [Vec3], &mut [Mat3A]),
    ) {
        let mut positions = vec![Vec3::ZERO; range.len()];
        for run in self.influences.runs(range.clone()) {
            let here = run.vertices.start - range.start..run.vertices.end - range.start;
            let batch = self.batch(rest, &run, normals.get(here.clone()).unwrap_or_default());
            let lists = &mut BatchOut {
                positions: &mut positions[here.clone()],
                normals: carried.get_mut(here.clone()).unwrap_or_default(),
                carries: carries.get_mut(here).unwrap_or_default(),
                ..BatchOut::default()
            };
            (self.method.deform_all)(self.palette, &batch, lists);
        }
    }
}

/// Which parts of a surface are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Readings {
    edges: bool,
    /// The triangles: their normals, areas and volumes.
    faces: bool,
    /// Whether each triangle is inverted.
    sides: bool,
    folds: bool,
    normals: bool,
}

impl Readings {
    /// Returns what has to be read for what is wanted.
    pub fn of(wanted: Wanted) -> Self {
        let none = Self { edges: false, faces: false, sides: false, folds: false, normals: false };
        match wanted.vertices.filter(|_| wanted.overlay_only) {
            None => Self { edges: true, faces: true, sides: true, folds: true, normals: true },
            Some(VertexMeasure::Stretch) => Self { edges: true, ..none },
            Some(VertexMeasure::Area) => Self { faces: true, ..none },
            Some(VertexMeasure::Inverted) => Self { faces: true, sides: true, ..none },
            Some(VertexMeasure::Fold) => Self { faces: true, folds: true, ..none },
            Some(VertexMeasure::NormalError) => Self { faces: true, normals: true, ..none },
        }
    }

    /// Returns the lists that are read of a surface whose vertices are deformed each alone.
    pub fn attributes(self) -> DeformedAttributes {
        let Self { sides, normals, .. } = self;
        DeformedAttributes { normals, determinants: sides || normals, carries: sides, ..DeformedAttributes::NONE }
    }
}

/// The measures of a primitive in one pose. Welded vertices are numbered as by [`MeasuredTopology`].
#[derive(Clone, Debug, Default)]
pub(super) struct PrimitiveReading {
    /// The shortest and the longest edge, posed over rest; both 1 where no edge is measured.
    pub stretch: [f32; 2],
    pub stretch_sum: f64,
    /// How many edges are measured.
    pub edges: usize,
    /// The triangles with the least and the greatest area, posed over rest.
    pub triangle: [f32; 2],
    /// The area as posed, square metres; `None` where no triangles were read.
    pub area: Option<f64>,
    pub inverted: usize,
    pub folds: usize,
    /// The sharpest fold, radians.
    pub sharpest: f32,
    /// The signed volume of each part, its borders closed, cubic metres.
    pub part_volumes: Vec<f64>,
    pub piece_volumes: Vec<f64>,
    /// Welded vertices at which the shortest and longest edges, the least and largest triangles, an inverted triangle and the sharpest fold
    /// are.
    pub at_stretch: [Option<u32>; 2],
    pub at_triangle: [Option<u32>; 2],
    pub at_inverted: Option<u32>,
    pub at_fold: Option<u32>,
}

/// Reusable memory; after a reading it holds what overlays show.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// The normal of each triangle as posed; its length is twice the area.
    pub normals: Vec<Vec3>,
    /// The length of each edge, posed over rest; 0 where it is not measured.
    pub ratios: Vec<f32>,
    /// The inverted triangles.
    pub inverted: Vec<u32>,
    /// For each stored vertex: the matrix that carries normals with it.
    carries: Vec<Mat3A>,
    /// Whether any vertex is mirrored.
    pub is_mirrored: bool,
    middles: Vec<(DVec3, f64)>,
}

/// How many triangles, edges or hinges one thread measures at a time.
const CHUNK: usize = 1 << 13;

/// The cosine below which a triangle is inverted: above it rounding decides.
const INVERTED: f32 = -0.01;
/// The least height of a triangle whose side can be determined, as a share of its longest side.
const NEEDLE: f32 = 1e-3;
/// A fold is an edge whose triangles' normals are at least this far apart as posed...
const FOLD: f32 = 150.0;
/// ...and at least this much farther than at rest, degrees.
const FOLDED_BY: f32 = 60.0;
/// The share of its rest area below which a triangle has no side to fold to.
const COLLAPSED: f32 = 0.01;

/// The least and the greatest ratio that was seen, each with the number of its item.
#[derive(Clone, Copy, Debug)]
struct Range {
    least: (f32, u32),
    most: (f32, u32),
}

impl Default for Range {
    fn default() -> Self {
        Self { least: (f32::INFINITY, u32::MAX), most: (f32::NEG_INFINITY, u32::MAX) }
    }
}

impl Range {
    #[inline]
    fn add(&mut self, ratio: f32, item: u32) {
        if ratio < self.least.0 {
            self.least = (ratio, item);
        }
        if ratio > self.most.0 {
            self.most = (ratio, item);
        }
    }

    fn join(&mut self, other: &Self) {
        self.add(other.least.0, other.least.1);
        self.add(other.most.0, other.most.1);
    }

    /// Returns both ratios with the numbers of their items; 1 and none where nothing was seen.
    fn ends(&self) -> ([f32; 2], [Option<u32>; 2]) {
        if self.least.0 > self.most.0 {
            return ([1.0; 2], [None; 2]);
        }
        ([self.least.0, self.most.0], [self.least, self.most].map(|(_, item)| Some(item).filter(|i| *i != u32::MAX)))
    }
}

#[derive(Clone, Debug, Default)]
struct EdgeSums {
    range: Range,
    sum: f64,
    count: usize,
}

#[derive(Clone, Debug, Default)]
struct FaceSums {
    range: Range,
    /// For each piece of the chunk: its number, twice the area, and six times the volume.
    pieces: Vec<(u32, f64, f64)>,
    inverted: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct HingeSums {
    count: usize,
    /// The angle of the sharpest fold, and the number of its hinge.
    sharpest: (f32, u32),
}

/// Measures a pose, as far as it is to be read; what is not has the numbers of rest.
pub(super) fn read(
    topology: &MeasuredTopology,
    rest: &RestSizes,
    posed: Posed<'_>,
    readings: Readings,
    memory: &mut Memory,
) -> PrimitiveReading {
    let mut out = PrimitiveReading { stretch: [1.0; 2], triangle: [1.0; 2], ..PrimitiveReading::default() };
    if readings.edges {
        read_edges(topology, rest, posed, memory, &mut out);
    }
    memory.is_mirrored = posed.deformed.determinants.iter().any(|d| *d < 0.0);
    if readings.sides && posed.deformed.carries.is_empty() {
        read_carries(rest, posed, memory);
    }
    if readings.faces {
        read_faces(topology, rest, posed, readings.sides, memory, &mut out);
    }
    if readings.folds {
        read_folds(topology, rest, memory, &mut out);
    }
    out
}

fn read_edges(
    topology: &MeasuredTopology,
    rest: &RestSizes,
    posed: Posed<'_>,
    memory: &mut Memory,
    out: &mut PrimitiveReading,
) {
    let positions = &posed.deformed.positions;
    memory.ratios.resize(topology.edges.len(), 0.0);
    let mut sums = vec![EdgeSums::default(); chunks(topology.edges.len())];
    spread(0, &mut memory.ratios, &mut sums, &|start, ratios, sums: &mut EdgeSums| {
        let edges = &topology.edges[start..];
        for (i, ((ratio, [a, b]), per_length)) in
            (start as u32..).zip(ratios.iter_mut().zip(edges).zip(&rest.per_length[start..]))
        {
            *ratio = positions[*a as usize].distance(positions[*b as usize]) * per_length;
            if *per_length > 0.0 && ratio.is_finite() {
                sums.range.add(*ratio, i);
                sums.sum += f64::from(*ratio);
                sums.count += 1;
            }
        }
    });
    let mut range = Range::default();
    for chunk in &sums {
        range.join(&chunk.range);
        out.stretch_sum += chunk.sum;
        out.edges += chunk.count;
    }
    let (stretch, at) = range.ends();
    (out.stretch, out.at_stretch) = (stretch, at.map(|edge| edge.map(|e| topology.edges[e as usize][0])));
}

fn read_faces(
    topology: &MeasuredTopology,
    rest: &RestSizes,
    posed: Posed<'_>,
    with_sides: bool,
    memory: &mut Memory,
    out: &mut PrimitiveReading,
) {
    let positions = &posed.deformed.positions;
    let origin = origin(topology, positions);
    let carries = if posed.deformed.carries.is_empty() { &memory.carries } else { &posed.deformed.carries };
    let (is_mirrored, has_pass) = (memory.is_mirrored, posed.method.has_pass());
    memory.normals.resize(topology.welded_corners.len(), Vec3::ZERO);
    let mut sums = vec![FaceSums::default(); chunks(topology.welded_corners.len())];
    spread(0, &mut memory.normals, &mut sums, &|start, normals, sums: &mut FaceSums| {
        let corners = topology.welded_corners[start..].iter().zip(&topology.piece_of[start..]);
        let mut of_piece = (u32::MAX, 0.0, 0.0);
        for (i, ((normal, (corners, piece)), per_area)) in
            (start as u32..).zip(normals.iter_mut().zip(corners).zip(&rest.per_area[start..]))
        {
            let ends = corners.map(|welded| positions[welded as usize]);
            *normal = (ends[1] - ends[0]).cross(ends[2] - ends[0]);
            let doubled = normal.length();
            if *piece != of_piece.0 {
                sums.pieces.push(std::mem::replace(&mut of_piece, (*piece, 0.0, 0.0)));
            }
            of_piece.1 += f64::from(doubled);
            of_piece.2 += sixfold(ends[0], *normal, origin);
            let ratio = doubled * per_area;
            if *per_area > 0.0 && ratio.is_finite() {
                sums.range.add(ratio, i);
            }
            let face = i as usize;
            if with_sides && (topology.is_blended[face] || has_pass) && *per_area != 0.0 {
                let corners = topology.corners[face];
                let [a, b, c] = corners.map(|v| carries[v as usize]);
                // What the cofactors of the corners make of the normal at rest, summed as the reference data has it: corners that
                // enlarge the triangle count more.
                let wanted = (a + b + c) * Vec3A::from(rest.normals[face]);
                let side = if is_mirrored && posed.deformed.is_mirrored(corners) { -1.0 } else { 1.0 };
                if is_inverted(side * wanted.dot(Vec3A::from(*normal)), wanted.length_squared(), doubled, ends) {
                    sums.inverted.push(i);
                }
            }
        }
        sums.pieces.push(of_piece);
    });
    let mut range = Range::default();
    let (mut pieces, mut area) = (vec![0.0; topology.pieces.len()], 0.0);
    memory.inverted.clear();
    for chunk in &sums {
        range.join(&chunk.range);
        memory.inverted.extend_from_slice(&chunk.inverted);
        for (piece, doubled, sixfold) in &chunk.pieces {
            if let Some(volume) = pieces.get_mut(*piece as usize) {
                area += 0.5 * doubled;
                *volume += sixfold;
            }
        }
    }
    out.area = Some(area);
    let (triangle, at) = range.ends();
    (out.triangle, out.at_triangle) = (triangle, at.map(|face| face.map(|f| topology.welded_corners[f as usize][0])));
    out.inverted = memory.inverted.len();
    let size = |face: &&u32| memory.normals[**face as usize].length_squared();
    let largest = memory.inverted.iter().max_by(|a, b| size(a).total_cmp(&size(b)));
    out.at_inverted = largest.map(|face| topology.welded_corners[*face as usize][0]);
    let mut parts = vec![0.0; topology.parts.len()];
    for (piece, volume) in topology.pieces.iter().zip(&pieces) {
        parts[piece.part as usize] += volume;
    }
    close(&topology.part_borders, positions, origin, &mut memory.middles, &mut parts);
    close(&topology.piece_borders, positions, origin, &mut memory.middles, &mut pieces);
    let sixth = |volumes: Vec<f64>| volumes.into_iter().map(|v| v / 6.0).collect();
    (out.part_volumes, out.piece_volumes) = (sixth(parts), sixth(pieces));
}

/// Works out the matrix that carries normals with each vertex.
fn read_carries(rest: &RestSizes, posed: Posed<'_>, memory: &mut Memory) {
    let count = rest.positions.len();
    memory.carries.resize(count, Mat3A::ZERO);
    let mut nothing = vec![(); chunks(count)];
    spread(0, &mut memory.carries, &mut nothing, &|start, carries, _: &mut ()| {
        posed.carry(rest, start..start + carries.len(), &[], (&mut [], carries));
    });
}

/// Returns whether a triangle faces away from where the matrices of its corners carry its normal at rest: `along` is the product of its
/// normal, which has the length `doubled`, and of that one, whose square is given.
#[inline]
fn is_inverted(along: f32, wanted_squared: f32, doubled: f32, [a, b, c]: [Vec3; 3]) -> bool {
    // Most triangles are in order, and where they are it shows here.
    if along >= 0.0 {
        return false;
    }
    let is_away = along < INVERTED * doubled * wanted_squared.sqrt();
    let longest = || a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a));
    is_away && doubled > NEEDLE * longest()
}

fn read_folds(topology: &MeasuredTopology, rest: &RestSizes, memory: &Memory, out: &mut PrimitiveReading) {
    let (fold, folded_by) = (FOLD.to_radians(), FOLDED_BY.to_radians());
    let flat = fold.cos().powi(2);
    let of_chunk = |chunk: usize| {
        let mut sums = HingeSums::default();
        let hinges = topology.hinges[chunk * CHUNK..].iter().take(CHUNK);
        for (i, hinge) in ((chunk * CHUNK) as u32..).zip(hinges) {
            let [a, b] = hinge.map(|f| memory.normals[f as usize]);
            let dot = a.dot(b);
            // Most edges are flat, and an angle takes longer to compute than a product.
            let may_fold = dot < 0.0 && dot * dot >= 0.999 * flat * a.length_squared() * b.length_squared();
            if !may_fold || rest.bends[i as usize].is_nan() {
                continue;
            }
            let bend = a.angle_between(b);
            let collapsed = [a, b].iter().zip(hinge).any(|(n, f)| n.length() * rest.per_area[*f as usize] < COLLAPSED);
            if !collapsed && bend >= fold && bend - rest.bends[i as usize] >= folded_by {
                sums.count += 1;
                if bend > sums.sharpest.0 {
                    sums.sharpest = (bend, i);
                }
            }
        }
        sums
    };
    let all = parallel::map(chunks(topology.hinges.len()), &AtomicBool::new(false), &of_chunk).unwrap_or_default();
    for sums in all {
        out.folds += sums.count;
        if sums.sharpest.0 > out.sharpest {
            out.sharpest = sums.sharpest.0;
            out.at_fold = Some(topology.hinge_ends[sums.sharpest.1 as usize][0]);
        }
    }
}

/// How many pieces [`spread`] makes of so many items.
pub(super) fn chunks(items: usize) -> usize {
    items.div_ceil(CHUNK)
}

/// Calls `work` for pieces of `out` on all cores, with the number of the piece's first item and sums of its own.
pub(super) fn spread<T: Send, S: Send>(
    start: usize,
    out: &mut [T],
    sums: &mut [S],
    work: &(impl Fn(usize, &mut [T], &mut S) + Sync),
) {
    if out.len() <= CHUNK {
        if let Some(sums) = sums.first_mut() {
            work(start, out, sums);
        }
        return;
    }
    let half = (out.len() / 2).next_multiple_of(CHUNK);
    let (left, right) = out.split_at_mut(half);
    let (left_sums, right_sums) = sums.split_at_mut(half / CHUNK);
    parallel::both(|| spread(start, left, left_sums, work), || spread(start + half, right, right_sums, work));
}
