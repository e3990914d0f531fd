//! Claims of the book on smooth skinning about speed, measured now on a model in its pose: what rigid parts save, which loop is faster,
//! how much a palette of 3×4 matrices saves, a fast inverse square root, whether a graphics device reads a palette faster from a
//! uniform buffer than from a storage buffer, and how much faster it is than the processor.
//!
//! Beside them stands what each method and each mode of normals costs for a vertex ([`costs`]).
//!
//! Both ways of each claim but the last two are plain loops on one core, as the text has them; what the program draws with is faster than
//! all of them. Those of the last two are a device's work, which someone who knows devices hands in ([`Benchmark::compare_buffers`],
//! [`Benchmark::compare_device`]). Both ways take turns, so that what else the machine does falls on both.

mod costs;
mod loops;
mod roots;

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use glam::{Affine3A, Vec3};
use skinscope_base::words::counted;
use skinscope_deform::PaletteBuffer;
use skinscope_model::Model;

pub use self::costs::{Cost, CostOf, costs, distance_from_definition};
use self::loops::{Vertices, rows, unit_exact, unit_fast};
pub use self::roots::{Root, RootFigures, RootsOnDevice, directions};
use crate::WeightStats;

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
    /// The time of each way in the turn with the median ratio, seconds for all vertices: their quotient is that ratio.
    pub secs: [f64; 2],
    /// The time of the first way over that of the second, in each turn: the least, the lower quartile, the median, the upper quartile and
    /// the greatest.
    pub ratio: [f64; 5],
    /// The largest distance between both results: metres for positions, and for normals of unit length.
    pub apart: f64,
    /// The largest distance of each result from the definition of the method in double precision, metres; `None` where that is not
    /// compared.
    pub from_exact: Option<[f64; 2]>,
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
    /// The largest distance of the vertices of each, the processor's first, from those of the definition in double precision, metres.
    pub from_exact: [f64; 2],
    /// Lets the processor move all vertices so many times. Returns the seconds of one time.
    pub processor: &'a mut dyn FnMut(usize) -> f64,
    /// Lets the device move all vertices so many times. Returns the seconds of one time, or what went wrong.
    pub device: &'a mut dyn FnMut(usize) -> Result<f64, String>,
}

/// All claims about speed, measured on one model in one pose.
#[derive(Clone, Debug, PartialEq)]
pub struct Benchmark {
    /// How many stored vertices of skins follow one joint alone, and how many are blended, as the overlay *Rigid and blended* shows and
    /// counts them: by the weights that are not zero.
    pub vertices: [usize; 2],
    /// How many stored vertices lie in parts without a skin, which one matrix moves as a whole.
    pub unskinned: usize,
    /// How many triangles of skins have three corners that follow one and the same joint alone, and how many have not.
    pub triangles: [usize; 2],
    /// How many draw calls the skins take, as their primitives are, and parted: one for what is blended of each, and one for each joint that
    /// rigid triangles of it follow.
    pub draw_calls: [usize; 2],
    /// Pairs of joint and weight for each vertex, those without weight included.
    pub per_vertex: usize,
    /// How many matrices the palette has, and what they take as 3×4 and as 4×4 matrices, bytes.
    pub palette: (usize, [usize; 2]),
    /// The claims that were measured.
    pub measured: Vec<Measured>,
    /// The claims that could not be measured here.
    pub not_measured: Vec<NotMeasured>,
    /// What each method and each mode of normals costs for a vertex.
    pub costs: Vec<Cost>,
    /// The ways to scale a direction to length one: those of the processor, then those of a graphics device.
    pub roots: Vec<Root>,
}

impl Benchmark {
    /// How many parts a whole benchmark has: four claims that the processor measures alone, the costs, and what a device takes part in.
    pub const PARTS: usize = 6;

    /// Measures a model with these skinning matrices ([`skinscope_deform::palettes`]) and morph weights. Takes some seconds for a small
    /// model. `None` where it was cancelled, or where the model has no vertices.
    #[must_use]
    pub fn of(model: &Model, pose: (&[Affine3A], &[f32]), cancel: &AtomicBool) -> Option<Self> {
        Self::of_telling(model, pose, cancel, &|_| {})
    }

    /// Does the same as [`Benchmark::of`], and tells after each part how many of [`Benchmark::PARTS`] are done; the device's is left.
    #[must_use]
    pub fn of_telling(
        model: &Model,
        (palette, morph_weights): (&[Affine3A], &[f32]),
        cancel: &AtomicBool,
        tell: &dyn Fn(usize),
    ) -> Option<Self> {
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
            one.map(|one| {
                measured.push(one);
                tell(measured.len());
            })
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
        tell(measured.len());
        let costs = costs(model, (palette, morph_weights), &[CostOf::Method, CostOf::Normals], cancel)?;
        let roots = roots::by_processor(cancel)?;
        tell(measured.len() + 1);
        let counts = WeightStats::of(model);
        Some(Self {
            vertices: [counts.by_influences[1], counts.by_influences[2..].iter().sum()],
            unskinned: counts.rigid,
            triangles: vertices.triangles,
            draw_calls: vertices.draw_calls,
            per_vertex: vertices.per_vertex,
            palette: (palette.len(), [palette.len() * 48, palette.len() * 64]),
            measured,
            not_measured: Vec::new(),
            costs,
            roots,
        })
    }

    /// Compares a palette in a uniform buffer with one in a storage buffer on a device, and adds the row. Where there is no device, or the
    /// palette does not fit, `device` is the reason, as a sentence without its full stop, and the row says that. `None` where it was
    /// cancelled.
    pub fn compare_buffers(&mut self, device: Result<BuffersOnDevice<'_>, String>, cancel: &AtomicBool) -> Option<()> {
        let measured = device.and_then(|BuffersOnDevice { name, apart, secs }| {
            const KINDS: [PaletteBuffer; 2] = [PaletteBuffer::Uniform, PaletteBuffer::Storage];
            let spread = in_turns(&mut |way, times| secs(KINDS[way], times), cancel)?;
            Ok(spread.map(|spread| (spread, apart, None, name)))
        });
        self.add(BUFFERS, measured)
    }

    /// Compares the program's own way on the processor with a graphics device, and adds the row. Where there is no device, `both` is the
    /// reason, as a sentence without its full stop, and the row says that. `None` where it was cancelled.
    pub fn compare_device(&mut self, both: Result<ProcessorAndDevice<'_>, String>, cancel: &AtomicBool) -> Option<()> {
        let measured = both.and_then(|ProcessorAndDevice { name, apart, from_exact, processor, device }| {
            let mut secs = |way, times| if way == 0 { Ok(processor(times)) } else { device(times) };
            Ok(in_turns(&mut secs, cancel)?.map(|spread| (spread, apart, Some(from_exact), name)))
        });
        self.add(DEVICE, measured)
    }

    /// Adds the row of a claim that a device takes part in; `None` where it was cancelled.
    fn add(&mut self, (id, ways, claim): Text, measured: Result<Option<OnDevice>, String>) -> Option<()> {
        match measured {
            Ok(measured) => {
                let ((secs, ratio), apart, from_exact, runs_on) = measured?;
                self.measured.push(Measured { id, ways, claim, secs, ratio, apart, from_exact, runs_on });
            }
            Err(why) => self.not_measured.push(NotMeasured { id, ways, claim, why }),
        }
        Some(())
    }

    /// Says in lines how many vertices and triangles are rigid, how many draw calls it takes to part them, and how large the palette is.
    #[must_use]
    pub fn counts(&self) -> [String; 4] {
        let parts = match self.unskinned {
            0 => String::new(),
            1 => "; 1 more lies in a part without a skin".to_owned(),
            n => format!("; {n} more lie in parts without a skin"),
        };
        let share = |[rigid, blended]: [usize; 2]| {
            let all = rigid + blended;
            let follow = if rigid == 1 { "follows" } else { "follow" };
            format!("{rigid} of {all} {follow} one joint alone ({:.1} %)", 100.0 * rigid as f64 / all.max(1) as f64)
        };
        let (matrices, [three, four]) = self.palette;
        [
            format!(
                "vertices of skins: {}; {} pairs of joint and weight for each{parts}",
                share(self.vertices),
                self.per_vertex
            ),
            format!("triangles of skins: {}", share(self.triangles)),
            format!(
                "draw calls of skins: {} as they are; {} with what follows one joint parted, one for each joint and one for what is blended",
                self.draw_calls[0], self.draw_calls[1]
            ),
            format!("palette: {}, {three} bytes as 3×4, {four} as 4×4", counted(matrices, "matrix", "matrices")),
        ]
    }
}

impl Measured {
    /// Returns the index of the faster way; `None` where half of all turns do not agree on one.
    #[must_use]
    pub fn better(&self) -> Option<usize> {
        let [_, lower, _, upper, _] = self.ratio;
        match (lower > 1.0, upper < 1.0) {
            (true, _) => Some(1),
            (_, true) => Some(0),
            _ => None,
        }
    }

    /// Says which way is faster, how many times as fast, and with which spread.
    #[must_use]
    pub fn ratio_text(&self) -> String {
        format!("{} ({})", self.verdict_text(), self.spread_text())
    }

    /// Says which way is faster, and how many times as fast.
    #[must_use]
    pub fn verdict_text(&self) -> String {
        let median = self.ratio_of_better()[2];
        match self.better() {
            Some(way) => format!("faster: {}, {median:.2} times as fast", self.ways[way]),
            None => format!("neither is faster for certain: the second is {median:.2} times as fast"),
        }
    }

    /// Says between which ratios half of all turns lie, and all of them.
    #[must_use]
    pub fn spread_text(&self) -> String {
        let [a, lower, _, upper, b] = self.ratio_of_better();
        let ([lower, upper], [least, greatest]) = ([lower.min(upper), lower.max(upper)], [a.min(b), a.max(b)]);
        format!("half of all turns {lower:.2}–{upper:.2}, all {least:.2}–{greatest:.2}")
    }

    /// The ratio as that of the faster way, which is above one; that of the second where neither is faster for certain.
    fn ratio_of_better(&self) -> [f64; 5] {
        if self.better() == Some(0) { self.ratio.map(|r| 1.0 / r.max(1e-12)) } else { self.ratio }
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
        let exact = self.from_exact.map_or_else(String::new, |[first, second]| {
            format!(", and {first:.1e} and {second:.1e} m from double precision")
        });
        format!(
            "{first:.1} µs against {second:.1} µs for all vertices, in the turn with the median ratio, on {}; {apart}{exact}",
            self.runs_on
        )
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
    Some(Measured { id, ways, claim, secs, ratio, apart, from_exact: None, runs_on: "one core".to_owned() })
}

/// The seconds of two ways in the turn with the median ratio, and the spread of their ratio ([`Measured::ratio`]).
type Spread = ([f64; 2], [f64; 5]);

/// What a device took part in: the spread, the distance of both results, those from double precision, and what ran them.
type OnDevice = (Spread, f64, Option<[f64; 2]>, String);

/// Returns the least, the lower quartile, the median, the upper quartile and the greatest of [`ROUNDS`] numbers.
fn quartiles(mut list: Vec<f64>) -> [f64; 5] {
    list.sort_by(f64::total_cmp);
    [0, 1, 2, 3, 4].map(|quarter| list[quarter * (ROUNDS - 1) / 4])
}

/// Lets two ways take turns. `secs` runs the first (0) or the second (1) way so many times, and returns the seconds of one time. `None` where
/// it was cancelled.
fn in_turns<E>(secs: &mut dyn FnMut(usize, usize) -> Result<f64, E>, cancel: &AtomicBool) -> Result<Option<Spread>, E> {
    let mut repeats = [1; 2];
    for way in [0, 1] {
        repeats[way] = (TURN_SECS / secs(way, 1)?.max(1e-9)).clamp(1.0, 10_000.0) as usize;
    }
    let mut rounds: Vec<([f64; 2], f64)> = Vec::new();
    for _ in 0..ROUNDS {
        if cancel.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let times = [secs(0, repeats[0])?, secs(1, repeats[1])?];
        rounds.push((times, times[0] / times[1].max(1e-12)));
    }
    rounds.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (times, _) = rounds[ROUNDS / 2];
    Ok(Some((times, quartiles(rounds.into_iter().map(|round| round.1).collect()))))
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
mod tests;
