//! CPU deformation, nanoseconds per vertex, against a plain copy of the same bytes: positions, normals, joints and weights
//! are read, positions and normals written.
//!
//! CPU time but for the last row of each size, where two threads are held against one: there a burst on each takes turns, and
//! wall time counts, so that it only tells something on a quiet machine.
//!
//! Arguments choose among the sizes: `10000`, `100000`, `1000000`; none: all of them.

#![expect(clippy::unwrap_used, reason = "the parts made here hold every invariant")]

#[expect(dead_code, reason = "one of its two clocks is enough")]
mod clock;

use std::hint::black_box;
use std::time::Instant;

use clock::cpu_ns;
use glam::{Affine3A, Quat, Vec3, Vec4};
use skinscope::deform::{self, Deformed, DeformedAttributes, Method};
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{Influences, InstanceId, Model, Primitive};

const ROUNDS: usize = 9;
const JOINTS: usize = 70;
/// Of a few milliseconds at most, on one thread and on two in turn.
const BURSTS: usize = 40;

/// Positions and normals; where nobody asks, which side a surface shows is not kept.
const SURFACE: DeformedAttributes =
    DeformedAttributes { normals: true, tangents: false, determinants: false, carries: false };

fn main() {
    let asked: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    for (rings, count) in [(200, 10_000), (2_000, 100_000), (20_000, 1_000_000)] {
        if asked.is_empty() || asked.contains(&count) {
            measure(rings, count);
        }
    }
}

/// A case: its name, and what it does once.
type Case<'a> = (String, Box<dyn FnMut() + Send + 'a>);

fn measure(rings: usize, count: usize) {
    let matrices: Vec<Affine3A> = (0..JOINTS).map(matrix).collect();
    let models: Vec<(usize, Model)> = [1, 4, 8].map(|influences| (influences, model(rings, influences))).into();
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let mut copied = Deformed::default();
    let mut by_bones = ByBones::new(&models[1].1, &matrices);
    let floor = &models[1].1.meshes[0].primitives[0];
    let mut cases: Vec<Case> = vec![("copy".into(), Box::new(move || copy(floor, &mut copied)))];
    for method in deform::METHODS {
        for (influences, model) in &models {
            let mut case = |parts, what: &str| {
                let mut job = Job::new(model, method, &matrices, parts);
                cases.push((format!("{} {influences}: {what}", method.id), Box::new(move || job.run())));
            };
            case(SURFACE, "positions, normals");
            if *influences == 4 {
                case(DeformedAttributes::NONE, "positions");
                case(DeformedAttributes::ALL, "positions, normals, tangents, determinants");
            }
        }
    }
    cases.push(("linear 4, bone by bone: positions, normals".into(), Box::new(move || by_bones.run())));
    let figures = one.install(|| paired(count, &mut cases));
    let floor = figures[0].clone();
    for ((case, _), figure) in cases.iter().zip(&figures) {
        let ratios = figure.iter().zip(&floor).map(|(ns, floor)| ns / floor).collect();
        let (ns, ratio) = (median(figure.clone()), median(ratios));
        println!(
            "{{\"bench\":\"deform\",\"case\":\"{case}\",\"vertices\":{count},\"cpu_ns_per_vertex\":{ns:.3},\
             \"ratio_to_copy\":{ratio:.3}}}"
        );
    }
    drop(cases);
    for method in deform::METHODS {
        two_threads(method, &models[1].1, &matrices, count);
    }
}

/// CPU nanoseconds per vertex of every case, in rounds in which all take turns.
fn paired(count: usize, cases: &mut [Case]) -> Vec<Vec<f64>> {
    let calls = (2_000_000 / count).max(1);
    let mut out = vec![Vec::new(); cases.len()];
    for round in 0..=ROUNDS {
        for ((_, run), figures) in cases.iter_mut().zip(&mut out) {
            let start = cpu_ns();
            (0..calls).for_each(|_| run());
            let ns = (cpu_ns() - start) as f64 / (calls * count) as f64;
            // The first warms up.
            if round > 0 {
                figures.push(ns);
            }
        }
    }
    out
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn two_threads(method: &'static Method, model: &Model, matrices: &[Affine3A], count: usize) {
    let pools = [1, 2].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap());
    let mut job = Job::new(model, method, matrices, SURFACE);
    let mut walls = [Vec::new(), Vec::new()];
    let mut cpu = [0_u64; 2];
    let mut ratios = Vec::new();
    let calls = (200_000 / count).max(1);
    for round in 0..=BURSTS {
        let mut wall = |i: usize| {
            let (start, start_cpu) = (Instant::now(), cpu_ns());
            pools[i].install(|| (0..calls).for_each(|_| job.run()));
            let wall = start.elapsed().as_secs_f64() * 1e9 / (calls * count) as f64;
            cpu[i] += cpu_ns() - start_cpu;
            wall
        };
        let (one, two) = (wall(0), wall(1));
        if round > 0 {
            walls[0].push(one);
            walls[1].push(two);
            ratios.push(one / two);
        }
    }
    let [one, two] = walls.map(median);
    let [cpu, cpu_of_two] = cpu.map(|ns| ns as f64 / ((BURSTS + 1) * calls * count) as f64);
    println!(
        "{{\"bench\":\"deform\",\"case\":\"{} 4, two threads: positions, normals\",\"vertices\":{count},\
         \"one_thread_cpu_ns_per_vertex\":{cpu:.3},\"two_threads_cpu_ns_per_vertex\":{cpu_of_two:.3},\
         \"one_thread_wall_ns_per_vertex\":{one:.3},\"two_threads_wall_ns_per_vertex\":{two:.3},\"faster\":{:.3}}}",
        method.id,
        median(ratios)
    );
}

fn matrix(joint: usize) -> Affine3A {
    let turn = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), joint as f32 * 0.02);
    Affine3A::from_rotation_translation(turn, Vec3::new(0.01, 0.02, 0.0) * joint as f32)
}

/// A tube with tangents.
fn model(rings: usize, influences: usize) -> Model {
    let mut parts = (*tube(Tube { joints: JOINTS, rings, sides: 50, influences, ..Tube::default() })).clone();
    let p = &mut parts.meshes[0].primitives[0];
    p.tangents = p.normals.iter().map(|n| n.cross(Vec3::Y).extend(1.0)).collect();
    Model::build(parts).unwrap()
}

/// Deforms the one primitive of a model.
struct Job<'a> {
    model: &'a Model,
    method: &'static Method,
    packed: Vec<Vec4>,
    out: Deformed,
}

impl<'a> Job<'a> {
    fn new(model: &'a Model, method: &'static Method, matrices: &[Affine3A], parts: DeformedAttributes) -> Self {
        let mut packed = Vec::new();
        deform::pack(method, matrices, &mut packed);
        Self { model, method, packed, out: Deformed::of(parts) }
    }

    fn run(&mut self) {
        let Self { model, method, packed, out } = self;
        deform::deform_primitive(model, InstanceId(0), 0, packed, &[], *method, out);
        black_box(&*out);
    }
}

/// The floor: everything that deformation reads is read, everything that it writes is written.
#[inline(never)]
fn copy(p: &Primitive, out: &mut Deformed) {
    let influences = p.stored_influences.as_ref().unwrap();
    out.positions.resize(p.positions.len(), Vec3::ZERO);
    out.normals.resize(p.positions.len(), Vec3::ZERO);
    let pairs = influences.joints.as_chunks::<4>().0.iter().zip(influences.weights.as_chunks::<4>().0);
    let to = out.positions.iter_mut().zip(&mut out.normals);
    let (mut joints_read, mut weights_read) = (0_u64, Vec4::ZERO);
    for (((position, normal), (joints, weights)), (to, to_normal)) in
        p.positions.iter().zip(&p.normals).zip(pairs).zip(to)
    {
        (*to, *to_normal) = (*position, *normal);
        joints_read ^= bytemuck::cast::<[u16; 4], u64>(*joints);
        weights_read += Vec4::from_array(*weights);
    }
    black_box((joints_read, weights_read, &*out));
}

/// The other order: of each bone all the vertices that it moves. Each vertex is then read and written as often as it has
/// influences, and its blended matrix is never whole, so that its normal has to be carried by the matrices themselves.
struct ByBones {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    bones: Vec<(Affine3A, Vec<(u32, f32)>)>,
    out: Deformed,
}

impl ByBones {
    fn new(model: &Model, matrices: &[Affine3A]) -> Self {
        let p = &model.meshes[0].primitives[0];
        let influences: &Influences = p.stored_influences.as_ref().unwrap();
        let mut bones: Vec<(Affine3A, Vec<(u32, f32)>)> = matrices.iter().map(|m| (*m, Vec::new())).collect();
        for vertex in 0..p.positions.len() {
            let (joints, weights) = influences.of(vertex);
            for (joint, weight) in joints.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
                bones[usize::from(*joint)].1.push((vertex as u32, *weight));
            }
        }
        Self { positions: p.positions.clone(), normals: p.normals.clone(), bones, out: Deformed::default() }
    }

    #[inline(never)]
    fn run(&mut self) {
        let (positions, normals) = (&mut self.out.positions, &mut self.out.normals);
        positions.clear();
        positions.resize(self.positions.len(), Vec3::ZERO);
        normals.clear();
        normals.resize(self.positions.len(), Vec3::ZERO);
        for (matrix, vertices) in &self.bones {
            for (vertex, weight) in vertices {
                let v = *vertex as usize;
                positions[v] += matrix.transform_point3(self.positions[v]) * *weight;
                normals[v] += matrix.transform_vector3(self.normals[v]) * *weight;
            }
        }
        for normal in normals.iter_mut() {
            *normal = normal.normalize_or_zero();
        }
        black_box(&self.out);
    }
}
