//! Claims of the book on smooth skinning about speed, measured now on a model in its pose: what rigid parts save, which loop is faster,
//! how much a palette of 3×4 matrices saves, and a fast inverse square root.
//!
//! Both ways of each claim are plain loops on one core, as the text has them; what the program draws with is faster than all of them. They
//! take turns, so that what else the machine does falls on both.

mod loops;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use glam::{Affine3A, Vec3};

use self::loops::{Vertices, rows, unit_exact, unit_fast};
use crate::model::Model;

/// How often both ways take turns.
const ROUNDS: usize = 15;
/// How long each way is repeated in a turn, seconds.
const TURN_SECS: f64 = 0.004;

/// A claim, measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The name for programs.
    pub id: &'static str,
    /// Both ways in words.
    pub ways: [&'static str; 2],
    /// What the text says about it.
    pub claim: &'static str,
    /// The median time of each way, seconds for all vertices.
    pub secs: [f64; 2],
    /// The time of the first way over that of the second, in each turn: the least, the lower quartile, the median, the upper quartile and
    /// the greatest.
    pub ratio: [f64; 5],
    /// The largest distance between both results: metres for positions, and for normals of unit length.
    pub apart: f64,
}

/// What was measured on a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Benchmark {
    /// How many vertices follow one joint alone with a weight of one, and how many are blended.
    pub vertices: [usize; 2],
    /// How many triangles have three corners that follow one and the same joint alone, and how many have not.
    pub triangles: [usize; 2],
    /// Pairs of joint and weight for each vertex, those without weight included.
    pub per_vertex: usize,
    /// How many matrices the palette has, and what they take as 3×4 and as 4×4 matrices, bytes.
    pub palette: (usize, [usize; 2]),
    /// The claims.
    pub measured: Vec<Measured>,
}

impl Benchmark {
    /// Measures a model with these skinning matrices ([`crate::deform::palettes`]). Takes about a second for a small model. `None` where it
    /// was cancelled, or where the model has no vertices.
    #[must_use]
    pub fn of(model: &Model, palette: &[Affine3A], cancel: &AtomicBool) -> Option<Self> {
        let vertices = Vertices::of(model);
        if vertices.at.is_empty() {
            return None;
        }
        let (three, four) = (rows::<3>(palette), rows::<4>(palette));
        let blank = vec![[Vec3::ZERO; 2]; vertices.at.len()];
        let positions = |a: &Out, b: &Out| largest(a.iter().zip(b).map(|(a, b)| a[0].distance(b[0])));
        let mut measured = Vec::new();
        let mut compare = |text: Text, first: &dyn Fn(&mut Out), second: &dyn Fn(&mut Out)| {
            let one = turns(text, [first, second], &blank, &positions, cancel);
            one.map(|one| measured.push(one))
        };
        compare(PARTITION, &|out: &mut Out| vertices.blend_all(&three, out), &|out: &mut Out| {
            vertices.partitioned(&three, out)
        })?;
        compare(LOOPS, &|out: &mut Out| vertices.by_joint(&three, out), &|out: &mut Out| {
            vertices.by_vertex(&three, out)
        })?;
        compare(PALETTES, &|out: &mut Out| vertices.blend_all(&four, out), &|out: &mut Out| {
            vertices.blend_all(&three, out)
        })?;
        let mut deformed = blank.clone();
        vertices.blend_all(&three, &mut deformed);
        let normals: Vec<Vec3> = deformed.iter().map(|v| v[1]).filter(|n| n.length_squared() > 1e-12).collect();
        let unit = |a: &[Vec3], b: &[Vec3]| largest(a.iter().zip(b).map(|(a, b)| a.distance(*b)));
        let ways: [Way<'_, Vec3>; 2] =
            [&|out: &mut [Vec3]| unit_exact(&normals, out), &|out: &mut [Vec3]| unit_fast(&normals, out)];
        measured.push(turns(ROOTS, ways, &vec![Vec3::ZERO; normals.len()], &unit, cancel)?);
        Some(Self {
            vertices: [vertices.rigid.len(), vertices.blended.len()],
            triangles: vertices.triangles,
            per_vertex: vertices.per_vertex,
            palette: (palette.len(), [palette.len() * 48, palette.len() * 64]),
            measured,
        })
    }
}

impl Benchmark {
    /// Says in lines how many vertices and triangles are rigid, and how large the palette is.
    #[must_use]
    pub fn counts(&self) -> [String; 3] {
        let share = |[rigid, blended]: [usize; 2]| {
            let all = rigid + blended;
            format!("{rigid} of {all} follow one joint alone ({:.1} %)", 100.0 * rigid as f64 / all.max(1) as f64)
        };
        let (matrices, [three, four]) = self.palette;
        [
            format!("vertices: {}; {} pairs of joint and weight for each", share(self.vertices), self.per_vertex),
            format!("triangles: {}", share(self.triangles)),
            format!("palette: {matrices} matrices, {three} bytes as 3×4, {four} as 4×4"),
        ]
    }
}

impl Measured {
    /// Writes the ratio with its spread.
    #[must_use]
    pub fn ratio_text(&self) -> String {
        let [least, lower, median, upper, greatest] = self.ratio;
        format!("{median:.2} (half of all turns {lower:.2}–{upper:.2}, all {least:.2}–{greatest:.2})")
    }

    /// Writes the times of both ways, and how far their results are apart.
    #[must_use]
    pub fn times_text(&self) -> String {
        let [first, second] = self.secs.map(|secs| secs * 1e6);
        let apart = if self.apart > 0.0 {
            format!("both results are {:.1e} apart at most", self.apart)
        } else {
            "both results are the same".to_owned()
        };
        format!("{first:.1} µs against {second:.1} µs for all vertices; {apart}")
    }
}

/// Positions and normals of all vertices.
type Out = [[Vec3; 2]];

/// Something that writes a result for all vertices.
type Way<'a, T> = &'a dyn Fn(&mut [T]);

/// The words of a claim.
type Text = (&'static str, [&'static str; 2], &'static str);

const PARTITION: Text = (
    "partition",
    ["all vertices blended", "rigid ones by one matrix"],
    "vertices of one joint need no blending: they can be parted from the others",
);
const LOOPS: Text =
    ("loops", ["joint by joint", "vertex by vertex"], "the loop over vertices is the faster one, by two to one");
const PALETTES: Text = (
    "palettes",
    ["4×4 matrices", "3×4 matrices"],
    "the last row of an affine matrix need be neither stored nor multiplied",
);
const ROOTS: Text = (
    "inverse-root",
    ["square root and division", "bits and one Newton step"],
    "normals can be scaled to length one with a fast inverse square root",
);

fn largest(distances: impl Iterator<Item = f32>) -> f64 {
    distances.fold(0.0, |most, d| f64::from(d).max(most))
}

/// Lets two ways take turns and compares what they made.
fn turns<T: Copy>(
    (id, ways, claim): Text,
    run: [Way<'_, T>; 2],
    blank: &[T],
    apart: &dyn Fn(&[T], &[T]) -> f64,
    cancel: &AtomicBool,
) -> Option<Measured> {
    let mut out = [blank.to_vec(), blank.to_vec()];
    let mut times = [0, 1].map(|way| timed(run[way], &mut out[way], 1));
    let repeats = times.map(|secs| (TURN_SECS / secs.max(1e-9)).clamp(1.0, 10_000.0) as usize);
    let mut rounds = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        times = [0, 1].map(|way| timed(run[way], &mut out[way], repeats[way]));
        rounds[0].push(times[0]);
        rounds[1].push(times[1]);
        rounds[2].push(times[0] / times[1].max(1e-12));
    }
    let [first, second, ratio] = rounds.map(|mut list| {
        list.sort_by(f64::total_cmp);
        [0, 1, 2, 3, 4].map(|quarter| list[quarter * (ROUNDS - 1) / 4])
    });
    let apart = apart(&out[0], &out[1]);
    Some(Measured { id, ways, claim, secs: [first[2], second[2]], ratio, apart })
}

/// Returns how long a way takes once, seconds, on average over so many times.
fn timed<T>(run: &dyn Fn(&mut [T]), out: &mut [T], times: usize) -> f64 {
    let begin = Instant::now();
    for _ in 0..times {
        run(std::hint::black_box(&mut *out));
    }
    begin.elapsed().as_secs_f64() / times as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim;
    use crate::deform;
    use crate::model::shapes::{Tube, tube};

    fn posed(model: &Model) -> Vec<Affine3A> {
        let mut local = model.skeleton.rest.clone();
        for (i, t) in local.transforms.iter_mut().enumerate() {
            t.rotation = glam::Quat::from_rotation_x(0.2 * i as f32);
        }
        let (mut nodes, mut palette) = (Vec::new(), Vec::new());
        anim::local_to_model(&model.skeleton, &local, &mut nodes);
        deform::palettes(model, &nodes, &mut palette);
        palette
    }

    #[test]
    fn both_ways_of_each_claim_give_the_same_and_are_those_of_the_program() {
        let model = tube(Tube { joints: 5, rings: 12, influences: 3, ..Tube::default() });
        let palette = posed(&model);
        let benchmark = Benchmark::of(&model, &palette, &AtomicBool::new(false)).unwrap();
        assert_eq!(benchmark.measured.len(), 4);
        for one in &benchmark.measured {
            let most = if one.id == "inverse-root" { 0.002 } else { 2e-6 };
            assert!(one.apart < most, "{}: {}", one.id, one.apart);
            assert!(one.ratio.is_sorted() && one.ratio[0] > 0.0 && one.secs.iter().all(|s| *s > 0.0), "{one:?}");
        }
        // The fast root is not the exact one.
        assert!(benchmark.measured[3].apart > 1e-4);
        // The plain loop puts vertices where the program's definition does.
        let vertices = Vertices::of(&model);
        let mut out = vec![[Vec3::ZERO; 2]; vertices.at.len()];
        vertices.by_vertex(&rows(&palette), &mut out);
        for (v, [position, _]) in out.iter().enumerate() {
            let (joints, weights) = model.meshes[0].primitives[0].stored_influences.as_ref().unwrap().of(v);
            let at = model.meshes[0].primitives[0].positions[v].as_dvec3();
            let wanted: glam::DVec3 = joints
                .iter()
                .zip(weights)
                .map(|(j, w)| {
                    let matrix =
                        glam::DAffine3::from_cols_array(&palette[usize::from(*j)].to_cols_array().map(f64::from));
                    matrix.transform_point3(at) * f64::from(*w)
                })
                .sum();
            assert!(position.as_dvec3().distance(wanted) < 1e-5, "{v}");
        }
    }

    #[test]
    fn rigid_and_blended_are_counted_as_in_closed_form() {
        // One joint for each vertex: all follow one alone. Rings of one joint make whole triangles, the rings between two do not.
        let model = tube(Tube { joints: 3, rings: 9, sides: 10, influences: 1, ..Tube::default() });
        let vertices = Vertices::of(&model);
        assert_eq!((vertices.rigid.len(), vertices.blended.len()), (90, 0));
        assert_eq!(vertices.triangles, [(8 - 2) * 20, 2 * 20]);
        // Two joints for each: weights of exactly one do not occur.
        let model = tube(Tube { joints: 3, rings: 9, sides: 10, influences: 2, ..Tube::default() });
        let vertices = Vertices::of(&model);
        assert_eq!((vertices.rigid.len(), vertices.blended.len()), (0, 90));
        assert_eq!(vertices.triangles, [0, 8 * 20]);
        assert_eq!(vertices.by_joint.iter().map(Vec::len).sum::<usize>(), 180, "each pair once");
    }

    #[test]
    fn it_can_be_cancelled() {
        let model = tube(Tube::default());
        assert_eq!(Benchmark::of(&model, &posed(&model), &AtomicBool::new(true)), None);
    }
}
