//! Range of motion: every joint is turned through its limits (or the file's own clips are played), the deformed surface
//! is measured at each step, and the worst poses become findings.
//!
//! A joint that turns moves everything below it rigidly, so only the skin that is shared between that part and the rest
//! of the body changes its shape: nothing else is deformed or measured. Work is shared among all cores by joint; the
//! results are in the order of the plan, so that any number of threads finds the same. A run with a time limit
//! ([`Stop::until`]) lists what it found by then, and says how many poses it did not reach.

mod drive;
mod rules;
mod surface;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use glam::Vec3;
pub use rules::{ROM_RULES, RomRule};
use skinscope_base::parallel;
use skinscope_deform::Method;
use skinscope_model::{ClipId, Model, NodeId};

use self::drive::{DriveCallbacks, Worker};
use self::rules::Worst;
use self::surface::Skinned;
use crate::check::{Finding, FindingPose, Report};

/// The range, the steps and the length of the list.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RomOptions {
    /// The angle to which each joint is turned to both sides, about each of its axes, degrees.
    pub degrees: f32,
    /// The angle from one pose to the next, degrees.
    pub step_degrees: f32,
    /// Whether the file's clips are played instead, at 30 poses a second.
    pub clips: bool,
    /// How many findings of each rule are listed: the worst ones.
    pub worst: usize,
}

impl Default for RomOptions {
    fn default() -> Self {
        Self { degrees: 90.0, step_degrees: 30.0, clips: false, worst: 6 }
    }
}

impl RomOptions {
    /// Returns limits that can be used: to each side no more than half a turn, steps from one degree up.
    #[must_use]
    pub fn clamped(self) -> Self {
        let within = |value: f32, otherwise: f32| if value.is_finite() { value.clamp(1.0, 180.0) } else { otherwise };
        let defaults = Self::default();
        Self {
            degrees: within(self.degrees, defaults.degrees),
            step_degrees: within(self.step_degrees, defaults.step_degrees),
            ..self
        }
    }
}

/// A joint, or a clip, and the number of poses that it is driven through.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Drive {
    what: Driven,
    poses: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Driven {
    Joint(NodeId),
    Clip {
        clip: ClipId,
        /// The first time of the clip, seconds; f64, since the keys of a file may lie so far apart that f32 overflows.
        start: f64,
        length: f64,
    },
}

/// The poses that will be measured. It takes a few bytes for each joint, however many poses those have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    drives: Vec<Drive>,
    /// The angles by which each joint is turned about each of its axes, radians.
    turns: Vec<f32>,
    worst: usize,
    clips: bool,
}

impl Plan {
    /// Returns how many poses there are in all.
    #[must_use]
    pub fn poses(&self) -> usize {
        self.drives.iter().map(|d| d.poses).sum()
    }

    /// Returns how many joints (or clips) are driven.
    #[must_use]
    pub fn len(&self) -> usize {
        self.drives.len()
    }

    /// Returns whether nothing moves.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.drives.is_empty()
    }

    /// All of them, drive after drive.
    pub fn all(&self) -> impl Iterator<Item = FindingPose> {
        self.drives.iter().flat_map(|drive| (0..drive.poses).map(|number| self.pose(drive, number)))
    }

    /// Returns a pose of a drive, by its number.
    fn pose(&self, drive: &Drive, number: usize) -> FindingPose {
        match drive.what {
            Driven::Joint(joint) => {
                let axis = [Vec3::X, Vec3::Y, Vec3::Z][number % 3];
                FindingPose::Turned { joint, axis, angle: self.turns[number / 3] }
            }
            Driven::Clip { clip, start, length } => {
                let moments = (drive.poses - 1).max(1) as f64;
                FindingPose::Clip { clip, time_secs: (start + length * number as f64 / moments) as f32 }
            }
        }
    }
}

/// What ends a run before it is done.
#[derive(Clone, Copy, Debug)]
pub struct Stop<'a> {
    /// Once this is set the run ends without a result.
    pub cancel: &'a AtomicBool,
    /// The moment at which the run ends at the latest, with what it has measured; `None`: it takes the time that it
    /// needs.
    pub until: Option<Instant>,
}

impl Stop<'_> {
    fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Returns whether no more time than `reserve` is left.
    fn is_late(&self, reserve: Duration) -> bool {
        self.until.is_some_and(|until| Instant::now() + reserve >= until)
    }

    fn is_over(&self) -> bool {
        self.is_cancelled() || self.is_late(Duration::ZERO)
    }
}

/// The findings of the range of motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RomReport {
    /// The findings: worst first, then in the order of [`ROM_RULES`], the worst of each rule first.
    pub findings: Vec<Finding>,
    /// How many poses were measured.
    pub poses: usize,
    /// How many poses were planned, which are more where the time was too short.
    pub planned: usize,
    /// How many joints (or clips) were driven.
    pub driven: usize,
    /// Whether the file's clips were played instead of turning joints.
    pub clips: bool,
}

/// The most moments of one clip that are measured; a longer clip is measured in larger steps.
const MOST_MOMENTS: usize = 3600;
/// How many poses each second of a clip has.
const RATE: f64 = 30.0;
/// How many poses of a clip one core measures before it takes the next piece of work.
const SLICE: usize = 8;

/// Plans the poses of a model: all its joints that move skin through their limits, or all its clips.
#[must_use]
pub fn plan(model: &Model, options: &RomOptions) -> Plan {
    let options = options.clamped();
    let turns = turns(&options);
    let drives = if options.clips {
        (0..model.clips.len()).map(|i| clip_drive(model, ClipId::from_index(i))).collect()
    } else {
        let drive = |joint| Drive { what: Driven::Joint(joint), poses: 3 * turns.len() };
        surface::moving_joints(model).into_iter().map(drive).collect()
    };
    Plan { drives, turns, worst: options.worst, clips: options.clips }
}

/// Returns angles in radians, the smallest first, each to both sides; the limit itself is always one of them.
fn turns(options: &RomOptions) -> Vec<f32> {
    let steps = (options.degrees / options.step_degrees).ceil() as usize;
    let angle = |i: usize| (i as f32 * options.step_degrees).min(options.degrees);
    let both = |degrees: f32| [degrees, -degrees].map(f32::to_radians);
    (1..=steps).flat_map(|i| both(angle(i))).collect()
}

fn clip_drive(model: &Model, clip: ClipId) -> Drive {
    let source = &model.clips[clip.index()];
    let (start, length) = (f64::from(source.start_secs), f64::from(source.end_secs) - f64::from(source.start_secs));
    let moments = (length * RATE).ceil().clamp(0.0, MOST_MOMENTS as f64) as usize;
    Drive { what: Driven::Clip { clip, start, length }, poses: moments + 1 }
}

/// A piece of work: some poses of one drive.
struct Task {
    drive: usize,
    poses: std::ops::Range<usize>,
}

/// Measures every pose of `plan`, on all cores. `progress` is called with the share that is done (0…1), from any
/// thread. Returns `None` once `cancel` is set.
#[must_use]
pub fn run(
    model: &Model,
    plan: &Plan,
    method: &'static Method,
    progress: &(dyn Fn(f32) + Sync),
    cancel: &AtomicBool,
) -> Option<RomReport> {
    run_until(model, plan, method, progress, &Stop { cancel, until: None })
}

/// Does the same as [`run`] until `stop` ends it: faults found by then are listed, and [`RomReport::planned`] is more than
/// [`RomReport::poses`].
#[must_use]
pub fn run_until(
    model: &Model,
    plan: &Plan,
    method: &'static Method,
    progress: &(dyn Fn(f32) + Sync),
    stop: &Stop,
) -> Option<RomReport> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    run_on(threads, model, plan, method, progress, stop)
}

fn run_on(
    threads: usize,
    model: &Model,
    plan: &Plan,
    method: &'static Method,
    progress: &(dyn Fn(f32) + Sync),
    stop: &Stop,
) -> Option<RomReport> {
    let report =
        |findings, poses| RomReport { findings, poses, planned: plan.poses(), driven: plan.len(), clips: plan.clips };
    let Some(skinned) = Skinned::all(model, method, &|| stop.is_over()) else {
        return (!stop.is_cancelled()).then(|| report(Vec::new(), 0));
    };
    let slots = drive::slots(model);
    let mut tasks = Vec::new();
    for (i, drive) in plan.drives.iter().enumerate() {
        let step = if matches!(drive.what, Driven::Clip { .. }) { SLICE } else { drive.poses.max(1) };
        let starts = (0..drive.poses).step_by(step);
        tasks.extend(starts.map(|from| Task { drive: i, poses: from..(from + step).min(drive.poses) }));
    }
    let (total, done) = (plan.poses().max(1), AtomicUsize::new(0));
    let tick = || progress(done.fetch_add(1, Ordering::Relaxed) as f32 / total as f32);
    // The worst poses are posed once more to be described, which takes as long again: that time is reserved.
    let (slowest, rounds) = (AtomicU64::new(0), (plan.worst * ROM_RULES.len()).div_ceil(threads) as u32);
    let budget = stop.until.map(|until| until.saturating_duration_since(Instant::now()));
    let reserve = || {
        let needed = Duration::from_nanos(slowest.load(Ordering::Relaxed)) * rounds;
        needed.min(budget.unwrap_or_default() / 2)
    };
    let ends = || stop.is_cancelled() || stop.until.is_some() && stop.is_late(reserve());
    let note = |took: Duration| _ = slowest.fetch_max(took.as_nanos() as u64, Ordering::Relaxed);
    let (idle, new) = (Mutex::new(Vec::new()), || Worker::new(model, method, &skinned, &slots));
    let found = parallel::map_at_once(threads, tasks.len(), stop.cancel, &|i| {
        let Task { drive, poses } = &tasks[i];
        if ends() {
            return Vec::new();
        }
        let hooks = DriveCallbacks { tick: &tick, ends: &ends, note: &note };
        with(&idle, &new, |worker| worker.drive(plan, &plan.drives[*drive], poses.clone(), &hooks))
    })?;
    // A drive that was told to stop has left poses out.
    if stop.is_cancelled() {
        return None;
    }
    // Slices of one drive are merged again, the earlier pose first where two are equally bad.
    let mut worst: Vec<(usize, usize, Worst)> = Vec::new();
    for (task, found) in tasks.iter().zip(found) {
        for (unit, new) in found {
            let mut of_drive = worst.iter_mut().rev().take_while(|(drive, ..)| *drive == task.drive);
            match of_drive.find(|(_, of, _)| *of == unit) {
                Some((_, _, old)) => old.merge(new),
                None => worst.push((task.drive, unit, new)),
            }
        }
    }
    let chosen = rules::rank(&worst, plan.worst);
    let findings = parallel::map_at_once(threads, chosen.len(), stop.cancel, &|i| {
        let ranked = &chosen[i];
        if stop.is_over() {
            return None;
        }
        let (drive, unit, worst) = &worst[ranked.row];
        let (drive, at) = (&plan.drives[*drive], worst.pose(ranked.rule));
        let pose = plan.pose(drive, at);
        let fault = with(&idle, &new, |worker| worker.fault(drive.what, *unit, pose, ranked.rule));
        fault.map(|fault| rules::finding(model, &skinned[*unit], ranked, pose, fault))
    })?;
    let mut findings: Vec<Finding> = findings.into_iter().flatten().collect();
    findings.sort_by_key(|f| std::cmp::Reverse(f.severity));
    let report = report(findings, done.load(Ordering::Relaxed));
    if report.is_complete() {
        progress(1.0);
    }
    Some(report)
}

impl RomReport {
    /// Returns whether all planned poses were measured.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.poses == self.planned
    }

    /// Adds its findings to those of the checker, worst first.
    pub fn add_to(&self, report: &mut Report) {
        report.findings.extend_from_slice(&self.findings);
        report.findings.sort_by_key(|f| std::cmp::Reverse(f.severity));
    }
}

/// Runs `work` with an idle worker, or a new one: there are as many as threads.
fn with<'a, T>(
    idle: &Mutex<Vec<Worker<'a>>>,
    new: &dyn Fn() -> Worker<'a>,
    work: impl FnOnce(&mut Worker<'a>) -> T,
) -> T {
    let taken = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let mut worker = taken.unwrap_or_else(new);
    let result = work(&mut worker);
    idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
    result
}
