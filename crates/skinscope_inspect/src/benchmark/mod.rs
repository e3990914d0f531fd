//! Claims of the book on smooth skinning about speed, measured now on a model in its pose: what rigid parts save, which loop is faster,
//! how much a palette of 3×4 matrices saves, a fast inverse square root, whether a graphics device reads a palette faster from a
//! uniform buffer than from a storage buffer, and how much faster it is than the processor.
//!
//! Both ways of each claim but the last two are plain loops on one core, as the text has them; what the program draws with is faster than
//! all of them. Those of the last two are a device's work, which someone who knows devices hands in ([`Benchmark::compare_buffers`],
//! [`Benchmark::compare_device`]). Both ways take turns, so that what else the machine does falls on both.

mod loops;

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use glam::{Affine3A, Vec3};
use skinscope_base::words::counted;
use skinscope_deform::PaletteBuffer;
use skinscope_model::Model;

use self::loops::{Vertices, rows, unit_exact, unit_fast};

/// How often both ways take turns: one more than a multiple of four, so that quartiles are turns.
const ROUNDS: usize = 17;
/// How long each way is repeated in a turn, seconds.
const TURN_SECS: f64 = 0.004;

/// A claim about speed, and what was measured of it.
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
    /// What ran both ways, and how it was timed.
    pub runs_on: String,
}

/// A claim that could not be measured here.
#[derive(Clone, Debug, PartialEq)]
pub struct NotMeasured {
    /// The name for programs.
    pub id: &'static str,
    /// Both ways in words.
    pub ways: [&'static str; 2],
    /// What the text says about it.
    pub claim: &'static str,
    /// The reason, as a sentence without its full stop.
    pub why: String,
}

/// A graphics device that moves all vertices of a model in its pose.
pub struct BuffersOnDevice<'a> {
    /// What the device is, and how it is timed.
    pub name: String,
    /// The largest distance between the vertices that it makes of both buffers, metres.
    pub apart: f64,
    /// Moves all vertices so many times with the palette in a buffer of this kind. Returns the seconds of one time, or what went wrong.
    pub secs: &'a mut dyn FnMut(PaletteBuffer, usize) -> Result<f64, String>,
}

/// All vertices of a model in its pose: moved by the processor as the program does it, and by a graphics device.
pub struct ProcessorAndDevice<'a> {
    /// The processor and the device in words, and how the device is timed.
    pub name: String,
    /// The largest distance between the vertices of both, metres.
    pub apart: f64,
    /// Lets the processor move all vertices so many times. Returns the seconds of one time.
    pub processor: &'a mut dyn FnMut(usize) -> f64,
    /// Lets the device move all vertices so many times. Returns the seconds of one time, or what went wrong.
    pub device: &'a mut dyn FnMut(usize) -> Result<f64, String>,
}

/// All claims about speed, measured on one model in one pose.
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
    /// The claims that were measured.
    pub measured: Vec<Measured>,
    /// The claims that could not be measured here.
    pub not_measured: Vec<NotMeasured>,
}

impl Benchmark {
    /// Measures a model with these skinning matrices ([`skinscope_deform::palettes`]). Takes about a second for a small model. `None` where it
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
            not_measured: Vec::new(),
        })
    }

    /// Compares a palette in a uniform buffer with one in a storage buffer on a device, and adds the row. Where there is no device, or the
    /// palette does not fit, `device` is the reason, as a sentence without its full stop, and the row says that. `None` where it was
    /// cancelled.
    pub fn compare_buffers(&mut self, device: Result<BuffersOnDevice<'_>, String>, cancel: &AtomicBool) -> Option<()> {
        let measured = device.and_then(|BuffersOnDevice { name, apart, secs }| {
            const KINDS: [PaletteBuffer; 2] = [PaletteBuffer::Uniform, PaletteBuffer::Storage];
            let spread = in_turns(&mut |way, times| secs(KINDS[way], times), cancel)?;
            Ok(spread.map(|spread| (spread, apart, name)))
        });
        self.add(BUFFERS, measured)
    }

    /// Compares the program's own way on the processor with a graphics device, and adds the row. Where there is no device, `both` is the
    /// reason, as a sentence without its full stop, and the row says that. `None` where it was cancelled.
    pub fn compare_device(&mut self, both: Result<ProcessorAndDevice<'_>, String>, cancel: &AtomicBool) -> Option<()> {
        let measured = both.and_then(|ProcessorAndDevice { name, apart, processor, device }| {
            let mut secs = |way, times| if way == 0 { Ok(processor(times)) } else { device(times) };
            Ok(in_turns(&mut secs, cancel)?.map(|spread| (spread, apart, name)))
        });
        self.add(DEVICE, measured)
    }

    /// Adds the row of a claim that a device takes part in; `None` where it was cancelled.
    fn add(&mut self, (id, ways, claim): Text, measured: Result<Option<(Spread, f64, String)>, String>) -> Option<()> {
        match measured {
            Ok(measured) => {
                let ((secs, ratio), apart, runs_on) = measured?;
                self.measured.push(Measured { id, ways, claim, secs, ratio, apart, runs_on });
            }
            Err(why) => self.not_measured.push(NotMeasured { id, ways, claim, why }),
        }
        Some(())
    }

    /// Says in lines how many vertices and triangles are rigid, and how large the palette is.
    #[must_use]
    pub fn counts(&self) -> [String; 3] {
        let share = |[rigid, blended]: [usize; 2]| {
            let all = rigid + blended;
            let follow = if rigid == 1 { "follows" } else { "follow" };
            format!("{rigid} of {all} {follow} one joint alone ({:.1} %)", 100.0 * rigid as f64 / all.max(1) as f64)
        };
        let (matrices, [three, four]) = self.palette;
        [
            format!("vertices: {}; {} pairs of joint and weight for each", share(self.vertices), self.per_vertex),
            format!("triangles: {}", share(self.triangles)),
            format!("palette: {}, {three} bytes as 3×4, {four} as 4×4", counted(matrices, "matrix", "matrices")),
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
        format!("{first:.1} µs against {second:.1} µs for all vertices on {}; {apart}", self.runs_on)
    }
}

impl NotMeasured {
    /// Returns a sentence that says that the claim was not measured, and why.
    #[must_use]
    pub fn text(&self) -> String {
        format!("not measured: {}", self.why)
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

const BUFFERS: Text = (
    "buffers",
    ["palette in a uniform buffer", "in a storage buffer"],
    "the matrices of the bones are uniforms of the vertex shader, of which there are few",
);

const DEVICE: Text = (
    "device",
    ["all vertices by the processor", "by the graphics device"],
    "skinning keeps nothing from one picture to the next, and the graphics hardware can do it",
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
    let spread = in_turns(&mut |way, times| Ok::<f64, Infallible>(timed(run[way], &mut out[way], times)), cancel);
    let Ok(spread) = spread;
    let (secs, ratio) = spread?;
    let apart = apart(&out[0], &out[1]);
    Some(Measured { id, ways, claim, secs, ratio, apart, runs_on: "one core".to_owned() })
}

/// The median seconds of two ways, and the spread of their ratio ([`Measured::ratio`]).
type Spread = ([f64; 2], [f64; 5]);

/// Lets two ways take turns. `secs` runs the first (0) or the second (1) way so many times, and returns the seconds of one time. `None` where
/// it was cancelled.
fn in_turns<E>(secs: &mut dyn FnMut(usize, usize) -> Result<f64, E>, cancel: &AtomicBool) -> Result<Option<Spread>, E> {
    let mut repeats = [1; 2];
    for way in [0, 1] {
        repeats[way] = (TURN_SECS / secs(way, 1)?.max(1e-9)).clamp(1.0, 10_000.0) as usize;
    }
    let mut rounds = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        if cancel.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let times = [secs(0, repeats[0])?, secs(1, repeats[1])?];
        rounds[0].push(times[0]);
        rounds[1].push(times[1]);
        rounds[2].push(times[0] / times[1].max(1e-12));
    }
    let [first, second, ratio] = rounds.map(|mut list| {
        list.sort_by(f64::total_cmp);
        [0, 1, 2, 3, 4].map(|quarter| list[quarter * (ROUNDS - 1) / 4])
    });
    Ok(Some(([first[2], second[2]], ratio)))
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
    use skinscope_anim as anim;
    use skinscope_deform as deform;
    use skinscope_model::shapes::{Tube, tube};

    use super::*;

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
    fn both_buffers_take_turns_on_a_device_and_what_cannot_be_measured_says_why() {
        let model = tube(Tube::default());
        let goes_on = AtomicBool::new(false);
        let mut benchmark = Benchmark::of(&model, &posed(&model), &goes_on).unwrap();
        // The uniform buffer of this device takes twice the time of the storage buffer.
        let mut asked = Vec::new();
        let mut secs = |buffer, times| {
            asked.push((buffer, times));
            Ok(if buffer == PaletteBuffer::Uniform { 2e-4 } else { 1e-4 })
        };
        let device = BuffersOnDevice { name: "a device".to_owned(), apart: 0.0, secs: &mut secs };
        benchmark.compare_buffers(Ok(device), &goes_on).unwrap();
        let row = benchmark.measured.last().unwrap();
        assert_eq!((row.id, row.secs), ("buffers", [2e-4, 1e-4]));
        assert!(row.ratio.iter().all(|ratio| (ratio - 2.0).abs() < 1e-12), "{row:?}");
        assert_eq!(
            row.times_text(),
            "200.0 µs against 100.0 µs for all vertices on a device; both results are the same"
        );
        // They take turns, and each turn takes about the same time.
        assert_eq!(asked.len(), 2 + 2 * ROUNDS);
        assert!(asked[2..].chunks(2).all(|turn| turn == [(PaletteBuffer::Uniform, 20), (PaletteBuffer::Storage, 40)]));
        // A device that fails while it measures is no other than one that is not there.
        let before = benchmark.measured.len();
        let mut fails = |_, _| Err("the device was lost".to_owned());
        let lost = BuffersOnDevice { name: String::new(), apart: 0.0, secs: &mut fails };
        benchmark.compare_buffers(Ok(lost), &goes_on).unwrap();
        benchmark.compare_buffers(Err("there is none".to_owned()), &goes_on).unwrap();
        assert_eq!(benchmark.measured.len(), before);
        let said: Vec<String> = benchmark.not_measured.iter().map(NotMeasured::text).collect();
        assert_eq!(said, ["not measured: the device was lost", "not measured: there is none"]);
        let mut secs = |_, _| Ok(1e-4);
        let device = BuffersOnDevice { name: String::new(), apart: 0.0, secs: &mut secs };
        assert_eq!(benchmark.compare_buffers(Ok(device), &AtomicBool::new(true)), None);
    }

    #[test]
    fn the_processor_and_a_device_take_turns() {
        let model = tube(Tube::default());
        let goes_on = AtomicBool::new(false);
        let mut benchmark = Benchmark::of(&model, &posed(&model), &goes_on).unwrap();
        let turns = std::cell::RefCell::new(Vec::new());
        let mut processor = |times| {
            turns.borrow_mut().push((0, times));
            3e-4
        };
        let mut device = |times| {
            turns.borrow_mut().push((1, times));
            Ok(1e-4)
        };
        let name = "two cores and a device".to_owned();
        let both = ProcessorAndDevice { name, apart: 2e-6, processor: &mut processor, device: &mut device };
        benchmark.compare_device(Ok(both), &goes_on).unwrap();
        let row = benchmark.measured.last().unwrap();
        assert_eq!((row.id, row.secs, row.apart), ("device", [3e-4, 1e-4], 2e-6));
        assert!(row.ratio.iter().all(|ratio| (ratio - 3.0).abs() < 1e-12), "{row:?}");
        assert!(turns.borrow()[2..].chunks(2).all(|turn| turn == [(0, 13), (1, 40)]), "{turns:?}");
        benchmark.compare_device(Err("there is none".to_owned()), &goes_on).unwrap();
        assert_eq!(benchmark.not_measured.last().map(|row| (row.id, row.text())), {
            Some(("device", "not measured: there is none".to_owned()))
        });
    }

    #[test]
    fn the_report_has_the_counts_of_the_shape_and_the_bytes_of_its_matrices() {
        // Four pairs are stored for each vertex, of which one or two are used.
        // One joint for each vertex: all of 90 are rigid, and the triangles between two joints' rings are not.
        let model = tube(Tube { joints: 3, rings: 9, sides: 10, influences: 1, ..Tube::default() });
        let rigid = Benchmark::of(&model, &posed(&model), &AtomicBool::new(false)).unwrap();
        assert_eq!((rigid.vertices, rigid.triangles, rigid.per_vertex), ([90, 0], [120, 40], 4));
        let model = tube(Tube { joints: 3, rings: 9, sides: 10, influences: 2, ..Tube::default() });
        let blended = Benchmark::of(&model, &posed(&model), &AtomicBool::new(false)).unwrap();
        assert_eq!((blended.vertices, blended.triangles, blended.per_vertex), ([0, 90], [0, 160], 4));
        // Three rows of four numbers of four bytes, and four rows.
        let bytes = |rows: usize| 3 * rows * 4 * size_of::<f32>();
        assert_eq!(rigid.palette, (3, [bytes(3), bytes(4)]));
        assert_eq!(
            rigid.counts(),
            [
                "vertices: 90 of 90 follow one joint alone (100.0 %); 4 pairs of joint and weight for each",
                "triangles: 120 of 160 follow one joint alone (75.0 %)",
                "palette: 3 matrices, 144 bytes as 3×4, 192 as 4×4",
            ]
        );
    }

    #[test]
    fn the_spread_of_a_ratio_has_its_quartiles() {
        // The second way always takes a second; the first takes 1 to 17 seconds, in no order.
        let mut turn = 0_usize;
        let mut asked = 0;
        let mut secs = |way, _| {
            asked += 1;
            if way == 1 || asked <= 2 {
                return Ok::<_, Infallible>(1.0);
            }
            turn += 1;
            Ok((turn * 7 % ROUNDS + 1) as f64)
        };
        let Ok(spread) = in_turns(&mut secs, &AtomicBool::new(false));
        let ([first, second], ratio) = spread.unwrap();
        // By counting: a quarter of the turns is below the lower quartile, half below the median, three quarters below the upper one.
        let all: Vec<f64> = (1..=ROUNDS).map(|n| n as f64).collect();
        let below = |r: f64| all.iter().filter(|one| **one < r).count();
        assert_eq!(ratio.map(below), [0, 4, 8, 12, 16], "{ratio:?}");
        assert_eq!([first, second], [9.0, 1.0]);
    }

    #[test]
    fn it_can_be_cancelled() {
        let model = tube(Tube::default());
        assert_eq!(Benchmark::of(&model, &posed(&model), &AtomicBool::new(true)), None);
    }
}
