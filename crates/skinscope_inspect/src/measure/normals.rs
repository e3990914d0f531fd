//! Normal error: the angle between the normals that a method carries and those that are computed anew from the posed
//! triangles.
//!
//! The method is given normals that were computed from the triangles at rest, not those of the file. So what an artist did to
//! the normals is no error, and the bind pose has none.

use std::collections::HashMap;

use glam::Vec3;
use skinscope_deform::{BatchOut, JointNormals, TurnNormal};
use skinscope_model::Primitive;

use super::read::{Posed, chunks, spread};
use super::rest::RestSizes;
use super::topology::MeasuredTopology;

/// The vertices that share a normal: those with one stored position and one stored normal, so that seams of texture
/// coordinates are smooth and hard edges are hard. Where the file has no normals each vertex stands alone.
#[derive(Clone, Debug, Default)]
pub(super) struct NormalGroups {
    /// For each stored vertex: its group.
    group_of: Vec<u32>,
    /// For each group: where its triangles begin in `faces`; one more than there are groups.
    starts: Vec<u32>,
    faces: Vec<u32>,
}

/// The normal error of a primitive.
#[derive(Clone, Debug, Default)]
pub(super) struct NormalReading {
    /// The largest error, degrees, and its stored vertex.
    pub worst: (f32, u32),
    /// The sum over all vertices that have a normal.
    pub sum: f64,
    pub count: usize,
    /// How many normals come out with a length of zero.
    pub zero: usize,
}

#[derive(Clone, Debug, Default)]
struct Sums(NormalReading);

impl NormalGroups {
    pub fn new(p: &Primitive, topology: &MeasuredTopology) -> Self {
        let mut first: HashMap<(u32, [u32; 3]), u32> = HashMap::new();
        let mut count = 0;
        let group_of: Vec<u32> = (0..p.stored_vertices)
            .map(|v| {
                let new = |count: &mut u32| {
                    *count += 1;
                    *count - 1
                };
                let Some(normal) = p.normals.get(v) else { return new(&mut count) };
                // Adding zero turns −0 into +0.
                let key = (topology.welded[v], (*normal + Vec3::ZERO).to_array().map(f32::to_bits));
                *first.entry(key).or_insert_with(|| new(&mut count))
            })
            .collect();
        let mut starts = vec![0_u32; count as usize + 1];
        let groups = |t: &[u32; 3]| t.map(|v| group_of[v as usize]);
        topology.corners.iter().flat_map(groups).for_each(|g| starts[g as usize + 1] += 1);
        for i in 0..count as usize {
            starts[i + 1] += starts[i];
        }
        let (mut next, mut faces) = (starts.clone(), vec![0; 3 * topology.corners.len()]);
        for (face, corners) in (0..).zip(&topology.corners) {
            for group in groups(corners) {
                faces[next[group as usize] as usize] = face;
                next[group as usize] += 1;
            }
        }
        Self { group_of, starts, faces }
    }

    /// Returns the sum of `normal` over the triangles of each group.
    fn sums(&self, normal: &(impl Fn(u32) -> Vec3 + Sync)) -> Vec<Vec3> {
        let mut out = vec![Vec3::ZERO; self.starts.len().saturating_sub(1)];
        let mut nothing = vec![(); chunks(out.len())];
        spread(0, &mut out, &mut nothing, &|start, sums, _: &mut ()| {
            for (i, sum) in (start..).zip(sums) {
                let faces = &self.faces[self.starts[i] as usize..self.starts[i + 1] as usize];
                *sum = faces.iter().map(|face| normal(*face)).sum::<Vec3>().normalize_or_zero();
            }
        });
        out
    }

    /// Returns the normals that are computed from the triangles at rest, for each group.
    pub fn at_rest(&self, topology: &MeasuredTopology, rest: &RestSizes) -> Vec<Vec3> {
        self.sums(&|face| super::rest::cross(topology.places[face as usize], &rest.positions))
    }

    /// Returns the normals that are computed from the posed triangles, for each group. `faces` are the posed normals of triangles, as
    /// long as twice their areas; `is_mirrored`: some vertices are.
    pub fn posed(&self, topology: &MeasuredTopology, posed: Posed<'_>, faces: &[Vec3], is_mirrored: bool) -> Vec<Vec3> {
        self.sums(&|face| {
            let mirrored = is_mirrored && posed.deformed.is_mirrored(topology.corners[face as usize]);
            if mirrored { -faces[face as usize] } else { faces[face as usize] }
        })
    }

    /// Measures the error of each stored vertex: how far what carries the normals `at_rest` has them from `truth`, those of the posed
    /// triangles. `errors` receives it in degrees, −1 where a vertex has no normal.
    pub fn read(
        &self,
        rest: &RestSizes,
        [at_rest, truth]: [&[Vec3]; 2],
        posed: Posed<'_>,
        carrier: Carrier<'_>,
        errors: &mut Vec<f32>,
    ) -> NormalReading {
        let count = self.group_of.len();
        errors.resize(count, 0.0);
        let mut sums = vec![Sums::default(); chunks(count)];
        spread(0, errors, &mut sums, &|start, errors, sums: &mut Sums| {
            let end = start + errors.len();
            let normals: Vec<Vec3> = self.group_of[start..end].iter().map(|g| at_rest[*g as usize]).collect();
            let carried = match carrier {
                Carrier::Method => by_method(rest, posed, start, &normals),
                Carrier::Joints(turn, joints) => (start..)
                    .zip(&normals)
                    .map(|(v, n)| turn(joints, posed.influences.of(v), (*n).into()).normalize_or_zero().into())
                    .collect(),
                Carrier::Triangles => self.group_of[start..end].iter().map(|g| truth[*g as usize]).collect(),
            };
            for (vertex, (error, (carried, at_rest))) in
                (start..).zip(errors.iter_mut().zip(carried.iter().zip(&normals)))
            {
                let truth = truth[self.group_of[vertex] as usize];
                sums.0.zero += usize::from(*carried == Vec3::ZERO && *at_rest != Vec3::ZERO);
                if truth == Vec3::ZERO || *carried == Vec3::ZERO || !carried.is_finite() || !truth.is_finite() {
                    *error = -1.0;
                    continue;
                }
                // The arc cosine is too coarse near zero.
                *error = carried.cross(truth).length().atan2(carried.dot(truth)).to_degrees();
                sums.0.sum += f64::from(*error);
                sums.0.count += 1;
                if *error > sums.0.worst.0 {
                    sums.0.worst = (*error, vertex as u32);
                }
            }
        });
        sums.into_iter().fold(NormalReading::default(), |out, Sums(part)| NormalReading {
            worst: if part.worst.0 > out.worst.0 { part.worst } else { out.worst },
            sum: out.sum + part.sum,
            count: out.count + part.count,
            zero: out.zero + part.zero,
        })
    }
}

/// How a normal of the rest surface becomes that of the posed one.
#[derive(Clone, Copy, Debug)]
pub(super) enum Carrier<'a> {
    /// The method carries it.
    Method,
    /// It is turned with the joints of its vertex; all joints of the skin are given.
    Joints(TurnNormal, &'a [JointNormals]),
    /// It is computed from the posed triangles.
    Triangles,
}

/// Carries normals of the vertices from `start` on by the method.
fn by_method(rest: &RestSizes, posed: Posed<'_>, start: usize, normals: &[Vec3]) -> Vec<Vec3> {
    let (mut positions, mut carried) = (vec![Vec3::ZERO; normals.len()], vec![Vec3::ZERO; normals.len()]);
    for run in posed.influences.runs(start..start + normals.len()) {
        let here = run.vertices.start - start..run.vertices.end - start;
        let batch = posed.batch(rest, &run, &normals[here.clone()]);
        let lists = &mut BatchOut {
            positions: &mut positions[here.clone()],
            normals: &mut carried[here],
            ..BatchOut::default()
        };
        (posed.method.deform_all)(posed.palette, &batch, lists);
    }
    carried
}
