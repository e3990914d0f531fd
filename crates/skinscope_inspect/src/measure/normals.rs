//! Normal error: the angle between the normals that a method carries and those that are computed anew from the posed
//! triangles.
//!
//! The method is given normals that were computed from the triangles at rest, not those of the file. So what an artist did to
//! the normals is no error, and the bind pose has none.

use glam::Vec3;
use skinscope_base::math::{Csr, Weld};
use skinscope_deform::{JointNormals, TurnNormal, triangle_normal};
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
    /// The triangles around each group, once for each of their corners there.
    faces: Csr,
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
        // Adding zero turns −0 into +0.
        let bits = |normal: &Vec3| (*normal + Vec3::ZERO).to_array().map(f32::to_bits);
        let key = |v: usize| match p.normals.get(v) {
            Some(normal) => (topology.welded[v], Some(bits(normal))),
            None => (v as u32, None),
        };
        let Weld { group: group_of, first } =
            Weld::by_key((0..p.stored_vertices).map(key), &|| false).unwrap_or_default();
        let corners = (0..).zip(&topology.corners).flat_map(|(face, t)| t.map(|v| (group_of[v as usize], face)));
        let faces = Csr::new(first.len(), corners);
        Self { group_of, faces }
    }

    /// Returns the sum of `normal` over the triangles of each group.
    fn sums(&self, normal: &(impl Fn(u32) -> Vec3 + Sync)) -> Vec<Vec3> {
        let mut out = vec![Vec3::ZERO; self.faces.row_count()];
        let mut nothing = vec![(); chunks(out.len())];
        spread(0, &mut out, &mut nothing, &|start, sums, _: &mut ()| {
            for (i, sum) in (start..).zip(sums) {
                *sum = self.faces.row(i).iter().map(|face| normal(*face)).sum::<Vec3>().normalize_or_zero();
            }
        });
        out
    }

    /// Returns the normals that are computed from the triangles at rest, for each group.
    pub fn at_rest(&self, topology: &MeasuredTopology, rest: &RestSizes) -> Vec<Vec3> {
        self.sums(&|face| triangle_normal(topology.welded_corners[face as usize], &rest.positions))
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
    let mut carried = vec![Vec3::ZERO; normals.len()];
    posed.carry(rest, start..start + normals.len(), normals, (&mut carried, &mut []));
    carried
}
