//! Computes the centres of rotation of vertices (Le and Hodgins, "Real-time Skeletal Skinning with Optimized Centers of
//! Rotation", 2016, eq. 1 and 4). The centre of a vertex is the mean position of the triangles with weights similar to
//! its own.
//!
//! Let `P` be the weights of a vertex, `Q` the mean weights of a triangle, `a` its area and `m` its centroid. Then the
//! centre is `Σ s(P, Q) a m / Σ s(P, Q) a` with the similarity `s(P, Q) = Σ_{j<k} Pⱼ Pₖ Qⱼ Qₖ exp(−(Pⱼ Qₖ − Pₖ Qⱼ)² /
//! σ²)`. Only triangles that share two joints with the vertex count, so they are listed by pair of joints. Long lists
//! are first summed in cells of `Qⱼ` and `Qₖ`, each with its own mean; terms whose exponential is less than the
//! rounding of the largest one are not computed.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use glam::{DVec3, Vec3, Vec4};
use skinscope_base::parallel::{self, JobContext};
use skinscope_model::{InfluencesRef, MeshId, Model, PrimitiveId, Topology};

use super::packed::merged;
use super::{DataSource, MethodData};

/// Returns centres as vectors: xyz is the position in mesh space, metres, and w is 1; zeros where a vertex has no
/// centre.
pub(super) static CENTRES: DataSource = DataSource { label: "centres of rotation", make };

/// The `σ` of the similarity.
const SIGMA: f64 = 0.1;
/// A vertex has no centre where the sum of its similarities, each times an area, is no more than this share of all areas.
const LEAST: f64 = 1e-24;
/// Lists of more triangles than this are summed up in cells.
const MANY: usize = 2048;
/// How many cells there are along each weight.
const CELLS: f32 = 128.0;
/// Terms that are smaller than the largest by this exponent are left out.
const BEYOND: f32 = 32.0;
/// How many distinct weights one thread takes at a time.
const CHUNK: usize = 64;

/// The weights of a vertex or triangle by joint. Joints are distinct and rising, and the weights sum to one.
type Shares = Vec<(u16, f32)>;

/// The primitives that a skin moves, each once.
type SkinPrimitives = Vec<PrimitiveId>;

fn make(model: &Model, job: &JobContext) -> Option<MethodData> {
    let mut out = MethodData::default();
    for instance in &model.instances {
        out.vectors.push(vec![Arc::from([]); model.meshes[instance.mesh.index()].primitives.len()]);
    }
    let skins: Vec<SkinPrimitives> = (0..model.skins.len()).map(|skin| primitives_of(model, skin)).collect();
    for (skin, primitives) in skins.iter().enumerate() {
        let centres = of_skin(model, primitives, job, (skin, skins.len()))?;
        let all = model.instances.iter().zip(&mut out.vectors);
        for (instance, lists) in all.filter(|(i, _)| i.skin.is_some_and(|s| s.index() == skin)) {
            for (&PrimitiveId { mesh, primitive }, centres) in primitives.iter().zip(&centres) {
                if mesh == instance.mesh {
                    lists[primitive] = Arc::clone(centres);
                }
            }
        }
    }
    Some(out)
}

fn primitives_of(model: &Model, skin: usize) -> SkinPrimitives {
    let with_skin = model.instances.iter().filter(|i| i.skin.is_some_and(|s| s.index() == skin));
    let mut meshes: Vec<MeshId> = with_skin.map(|i| i.mesh).collect();
    meshes.sort_unstable();
    meshes.dedup();
    let primitives = |mesh: &MeshId| {
        let mesh = *mesh;
        let count = model.meshes[mesh.index()].primitives.len();
        (0..count).filter(move |p| model.influences(mesh, *p).is_some()).map(move |p| PrimitiveId::new(mesh, p))
    };
    meshes.iter().flat_map(primitives).collect()
}

/// Returns the centres of the vertices of each of `primitives`. `turn` is the number of the skin and how many there are.
fn of_skin(
    model: &Model,
    primitives: &SkinPrimitives,
    job: &JobContext,
    turn: (usize, usize),
) -> Option<Vec<Arc<[Vec4]>>> {
    let mut pairs = Pairs::default();
    // Vertices of the same weights have the same centre.
    let mut distinct: Vec<Shares> = Vec::new();
    let mut known: HashMap<Vec<(u16, u32)>, u32> = HashMap::new();
    let mut numbers: Vec<Vec<u32>> = Vec::new();
    for &PrimitiveId { mesh, primitive } in primitives {
        let source = &model.meshes[mesh.index()].primitives[primitive];
        let Some(influences) = model.influences(mesh, primitive) else { continue };
        let mut of_vertex = Vec::with_capacity(source.positions.len());
        for vertex in 0..source.positions.len() {
            let shares = shares_of(influences, vertex);
            let key = shares.iter().map(|(joint, share)| (*joint, share.to_bits())).collect();
            let number = *known.entry(key).or_insert_with(|| {
                distinct.push(shares);
                distinct.len() as u32 - 1
            });
            of_vertex.push(number);
        }
        if source.topology == Topology::Triangles {
            for (i, corners) in source.indices.as_chunks::<3>().0.iter().enumerate() {
                if i % 4096 == 0 && job.is_cancelled() {
                    return None;
                }
                let at = corners.map(|v| source.positions[v as usize]);
                pairs.add(*corners, at, corners.map(|v| distinct[of_vertex[v as usize] as usize].as_slice()));
            }
        }
        numbers.push(of_vertex);
    }
    pairs.gather();
    let (done, count) = (AtomicUsize::new(0), distinct.len().div_ceil(CHUNK));
    let centres = parallel::map(count, job.cancel_flag(), &|i| {
        let mut scratch = Vec::new();
        let shares = distinct[i * CHUNK..].iter().take(CHUNK);
        let out: Vec<Vec4> = shares.map(|shares| pairs.centre(shares, &mut scratch)).collect();
        let share = (done.fetch_add(1, Ordering::Relaxed) + 1) as f32 / count as f32;
        if job.set_fraction((turn.0 as f32 + share) / turn.1 as f32) {
            job.wake();
        }
        out
    })?;
    let centres = centres.concat();
    Some(numbers.iter().map(|list| list.iter().map(|n| centres[*n as usize]).collect()).collect())
}

/// Returns the weights of a vertex over their sum.
fn shares_of(influences: InfluencesRef<'_>, vertex: usize) -> Shares {
    let (joints, weights) = influences.of(vertex);
    let sum: f64 = weights.iter().map(|w| f64::from(*w)).sum();
    if sum == 0.0 {
        return Shares::new();
    }
    let slots = joints.iter().zip(weights).filter(|(_, w)| **w != 0.0);
    merged(slots.map(|(joint, weight)| (*joint, (f64::from(*weight) / sum) as f32)).collect())
}

/// A triangle, or a cell of triangles, for one pair of joints.
#[derive(Clone, Copy, Default)]
struct Item {
    /// The weights for both joints.
    weights: [f32; 2],
    /// The product `Qⱼ Qₖ a`.
    size: f32,
    /// The middle times `size`.
    moment: Vec3,
}

/// All triangles of a skin by the pairs of joints that they share.
#[derive(Default)]
struct Pairs {
    lists: HashMap<(u16, u16), Vec<Item>>,
    /// The area of all triangles.
    area: f64,
}

impl Pairs {
    fn add(&mut self, corners: [u32; 3], [a, b, c]: [Vec3; 3], shares: [&[(u16, f32)]; 3]) {
        if corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0] {
            return;
        }
        let area = 0.5 * (b.as_dvec3() - a.as_dvec3()).cross(c.as_dvec3() - a.as_dvec3()).length();
        let middle = (a + b + c) / 3.0;
        self.area += area;
        let all = merged(shares.concat());
        for (i, (j, first)) in all.iter().enumerate() {
            for (k, second) in &all[i + 1..] {
                let weights = [first / 3.0, second / 3.0];
                let size = weights[0] * weights[1] * area as f32;
                self.lists.entry((*j, *k)).or_default().push(Item { weights, size, moment: middle * size });
            }
        }
    }

    /// Sums up long lists in cells.
    fn gather(&mut self) {
        for list in self.lists.values_mut().filter(|list| list.len() > MANY) {
            let mut cells: HashMap<[u32; 2], (DVec3, f64, [f64; 2])> = HashMap::new();
            let (positive, mut rest): (Vec<Item>, Vec<Item>) = list.iter().partition(|i| i.size > 0.0);
            for item in positive {
                let cell = cells.entry(item.weights.map(|w| (w * CELLS) as u32)).or_default();
                let size = f64::from(item.size);
                cell.0 += item.moment.as_dvec3();
                cell.1 += size;
                cell.2[0] += size * f64::from(item.weights[0]);
                cell.2[1] += size * f64::from(item.weights[1]);
            }
            rest.retain(|item| item.size != 0.0);
            rest.extend(cells.values().map(|(moment, size, weights)| Item {
                weights: weights.map(|w| (w / size) as f32),
                size: *size as f32,
                moment: moment.as_vec3(),
            }));
            // The order of a hash map differs from run to run; sums must not.
            rest.sort_by(|a, b| a.weights[0].total_cmp(&b.weights[0]).then(a.weights[1].total_cmp(&b.weights[1])));
            *list = rest;
        }
    }

    /// Returns the centre of a vertex with these weights and 1, or zeros where it has none.
    fn centre(&self, shares: &[(u16, f32)], scratch: &mut Vec<f32>) -> Vec4 {
        const PER_SQUARE: f32 = (1.0 / (SIGMA * SIGMA)) as f32;
        let (mut size, mut moment) = (0.0_f64, DVec3::ZERO);
        for (i, (j, first)) in shares.iter().enumerate() {
            for (k, second) in &shares[i + 1..] {
                let Some(list) = self.lists.get(&(*j, *k)) else { continue };
                scratch.clear();
                scratch.extend(list.iter().map(|item| {
                    let apart = first * item.weights[1] - second * item.weights[0];
                    apart * apart * PER_SQUARE
                }));
                let least = scratch.iter().fold(f32::INFINITY, |least, e| least.min(*e));
                let both = f64::from(*first) * f64::from(*second);
                for (item, exponent) in list.iter().zip(&*scratch).filter(|(_, e)| **e < least + BEYOND) {
                    let factor = both * f64::from(-*exponent).exp();
                    size += factor * f64::from(item.size);
                    moment += item.moment.as_dvec3() * factor;
                }
            }
        }
        if size > LEAST * self.area { (moment / size).as_vec3().extend(1.0) } else { Vec4::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;

    /// Weights by joint, in double precision.
    type Exact = Vec<(u16, f64)>;

    fn exact_shares(influences: InfluencesRef<'_>, vertex: usize) -> Exact {
        let (joints, weights) = influences.of(vertex);
        let sum: f64 = weights.iter().map(|w| f64::from(*w)).sum();
        joints.iter().zip(weights).map(|(j, w)| (*j, f64::from(*w) / sum)).collect()
    }

    fn share(of: &Exact, joint: u16) -> f64 {
        of.iter().filter(|(j, _)| *j == joint).map(|(_, w)| w).sum()
    }

    /// Sums over all triangles as the definition says, without lists and cells.
    fn brute(joints: u16, shares: &Exact, triangles: &[(Exact, f64, DVec3)]) -> Option<DVec3> {
        let (mut size, mut moment, mut areas) = (0.0, DVec3::ZERO, 0.0);
        for (of_triangle, area, middle) in triangles {
            let mut similarity = 0.0;
            for j in 0..joints {
                for k in j + 1..joints {
                    let [pj, pk] = [share(shares, j), share(shares, k)];
                    let [qj, qk] = [share(of_triangle, j), share(of_triangle, k)];
                    similarity += pj * pk * qj * qk * (-(pj * qk - pk * qj).powi(2) / (SIGMA * SIGMA)).exp();
                }
            }
            size += similarity * area;
            moment += *middle * (similarity * area);
            areas += area;
        }
        (size > LEAST * areas).then(|| moment / size)
    }

    #[test]
    fn centres_are_those_of_the_whole_sum() {
        // Few triangles are kept one by one, many are summed up in cells first.
        for (rings, influences) in [(24, 2), (150, 4)] {
            let joints = 4;
            let model = tube(Tube { joints, rings, sides: 32, influences, ..Tube::default() });
            let made = make(&model, &JobContext::of_waiting()).unwrap();
            let p = &model.meshes[0].primitives[0];
            let weights = model.influences(MeshId(0), 0).unwrap();
            let triangles: Vec<(Exact, f64, DVec3)> = (p.indices.as_chunks::<3>().0.iter())
                .map(|corners| {
                    let [a, b, c] = corners.map(|v| p.positions[v as usize].as_dvec3());
                    let mut shares: Exact = corners.iter().flat_map(|v| exact_shares(weights, *v as usize)).collect();
                    shares.iter_mut().for_each(|(_, w)| *w /= 3.0);
                    (shares, 0.5 * (b - a).cross(c - a).length(), (a + b + c) / 3.0)
                })
                .collect();
            let (mut with, mut worst) = (0, 0.0_f64);
            for vertex in (0..p.positions.len()).step_by(29) {
                let got = made.vectors[0][0][vertex];
                let want = brute(joints as u16, &exact_shares(weights, vertex), &triangles);
                assert_eq!(got.w != 0.0, want.is_some(), "{vertex}");
                if let Some(want) = want {
                    worst = worst.max(got.truncate().as_dvec3().distance(want));
                    with += 1;
                }
            }
            // The tube is 2 m long.
            assert!(with > 10 && worst < 2.0 * 1e-3, "{rings}: {with} centres, {worst} m off");
        }
    }
}
