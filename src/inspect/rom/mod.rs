//! Range of motion: every joint is driven through its limits (or the file's own clips are played), the deformed surface is
//! measured at each step, and the worst poses become findings.
//!
//! A joint that turns moves all below it rigidly, so only the skin that is shared between that part and the rest of the body
//! changes its shape: nothing else is deformed or measured. Work is shared among all cores by joint; the results stand in
//! the order of the plan, whoever did them, so that any number of threads finds the same.

mod drive;
mod rules;
mod surface;
#[cfg(test)]
mod tests;

pub use rules::{ROM_RULES, RomRule};

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use glam::Vec3;

use self::drive::{Worker, Worst};
use self::surface::Skinned;
use crate::deform::Method;
use crate::inspect::check::{Finding, FindingPose, Report};
use crate::model::{ClipId, Model, NodeId};
use crate::parallel;

/// How far and how finely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RomOptions {
    /// Each joint is turned so far to both sides, about each of its axes.
    pub degrees: f32,
    /// From one pose to the next.
    pub step_degrees: f32,
    /// Play the file's clips instead, at 30 poses a second.
    pub clips: bool,
    /// How many findings of each rule are listed: the worst.
    pub worst: usize,
}

impl Default for RomOptions {
    fn default() -> Self {
        Self { degrees: 90.0, step_degrees: 30.0, clips: false, worst: 6 }
    }
}

impl RomOptions {
    /// Limits that can be used: to each side no more than half a turn, steps from one degree up.
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

/// A joint, or a clip, and the poses that it is driven through.
#[derive(Clone, Debug, PartialEq)]
struct Drive {
    what: Driven,
    poses: Vec<FindingPose>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Driven {
    Joint(NodeId),
    Clip(ClipId),
}

/// Every pose that will be measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    drives: Vec<Drive>,
    worst: usize,
    clips: bool,
}

impl Plan {
    /// Poses in all.
    #[must_use]
    pub fn poses(&self) -> usize {
        self.drives.iter().map(|d| d.poses.len()).sum()
    }

    /// Joints (or clips) that are driven.
    #[must_use]
    pub fn len(&self) -> usize {
        self.drives.len()
    }

    /// Nothing moves.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.drives.is_empty()
    }
}

/// What the range of motion showed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RomReport {
    /// Worst first, then in the order of [`ROM_RULES`], the worst of each rule first.
    pub findings: Vec<Finding>,
    /// Poses that were measured.
    pub poses: usize,
    /// Joints (or clips) that were driven.
    pub driven: usize,
    /// The file's clips were played; no joint was driven through its limits.
    pub clips: bool,
}

/// Moments of one clip that are measured at most; a longer clip is looked at less often.
const MOST_MOMENTS: usize = 3600;
/// Poses for each second of a clip.
const RATE: f64 = 30.0;
/// Poses of a clip that one core measures before it asks for more.
const SLICE: usize = 8;

/// The poses of a model: all its joints that move skin through their limits, or all its clips.
#[must_use]
pub fn plan(model: &Model, options: &RomOptions) -> Plan {
    let options = options.clamped();
    let drives = if options.clips {
        (0..model.clips.len()).map(|i| clip_drive(model, ClipId::from_index(i))).collect()
    } else {
        let turns = turns(&options);
        surface::moving_joints(model).into_iter().map(|joint| joint_drive(joint, &turns)).collect()
    };
    Plan { drives, worst: options.worst, clips: options.clips }
}

/// Angles in radians, the smallest first, each to both sides; the limit itself is always one.
fn turns(options: &RomOptions) -> Vec<f32> {
    let steps = (options.degrees / options.step_degrees).ceil() as usize;
    let angle = |i: usize| (i as f32 * options.step_degrees).min(options.degrees);
    let both = |degrees: f32| [degrees, -degrees].map(f32::to_radians);
    (1..=steps).flat_map(|i| both(angle(i))).collect()
}

fn joint_drive(joint: NodeId, turns: &[f32]) -> Drive {
    let about = |angle: f32| [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| FindingPose::Turned { joint, axis, angle });
    Drive { what: Driven::Joint(joint), poses: turns.iter().flat_map(|angle| about(*angle)).collect() }
}

fn clip_drive(model: &Model, clip: ClipId) -> Drive {
    let source = &model.clips[clip.index()];
    // In f64: the keys of a file may lie so far apart that f32 overflows.
    let (start, length) = (f64::from(source.start_secs), f64::from(source.end_secs) - f64::from(source.start_secs));
    let moments = (length * RATE).ceil().clamp(0.0, MOST_MOMENTS as f64) as usize;
    let at = |i: usize| (start + length * i as f64 / moments.max(1) as f64) as f32;
    let poses = (0..=moments).map(|i| FindingPose::Clip { clip, time_secs: at(i) }).collect();
    Drive { what: Driven::Clip(clip), poses }
}

/// A piece of work: some poses of one drive.
struct Task {
    drive: usize,
    poses: std::ops::Range<usize>,
}

/// Measures every pose of `plan`, on all cores. `progress` hears how much is done (0…1), from any thread. `None` once
/// `cancel` is set.
#[must_use]
pub fn run(
    model: &Model,
    plan: &Plan,
    method: &'static Method,
    progress: &(dyn Fn(f32) + Sync),
    cancel: &AtomicBool,
) -> Option<RomReport> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    run_on(threads, model, plan, method, progress, cancel)
}

fn run_on(
    threads: usize,
    model: &Model,
    plan: &Plan,
    method: &'static Method,
    progress: &(dyn Fn(f32) + Sync),
    cancel: &AtomicBool,
) -> Option<RomReport> {
    let skinned = Skinned::all(model, method);
    let mut tasks = Vec::new();
    for (i, drive) in plan.drives.iter().enumerate() {
        let step = if matches!(drive.what, Driven::Clip(_)) { SLICE } else { drive.poses.len().max(1) };
        let starts = (0..drive.poses.len()).step_by(step);
        tasks.extend(starts.map(|from| Task { drive: i, poses: from..(from + step).min(drive.poses.len()) }));
    }
    let (total, done) = (plan.poses().max(1), AtomicUsize::new(0));
    let tick = || progress(done.fetch_add(1, Ordering::Relaxed) as f32 / total as f32);
    let (idle, new) = (Mutex::new(Vec::new()), || Worker::new(model, method, &skinned, cancel));
    let found = parallel::map_at_once(threads, tasks.len(), cancel, &|i| {
        let Task { drive, poses } = &tasks[i];
        with(&idle, &new, |worker| worker.drive(&plan.drives[*drive], poses.clone(), &tick))
    })?;
    // A drive that was told to stop has left poses out.
    if cancel.load(Ordering::Relaxed) {
        return None;
    }
    // Slices of one drive become one again, the earlier pose first where two are equally bad.
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
    let findings = parallel::map_at_once(threads, chosen.len(), cancel, &|i| {
        let place = &chosen[i];
        let (drive, unit, worst) = &worst[place.row];
        let (drive, at) = (&plan.drives[*drive], worst.pose(place.rule));
        let fault = with(&idle, &new, |worker| worker.fault(drive, *unit, at, place.rule));
        fault.map(|fault| rules::finding(model, &skinned[*unit], place, drive.poses[at], fault))
    })?;
    let mut findings: Vec<Finding> = findings.into_iter().flatten().collect();
    findings.sort_by_key(|f| std::cmp::Reverse(f.severity));
    progress(1.0);
    Some(RomReport { findings, poses: plan.poses(), driven: plan.len(), clips: plan.clips })
}

impl RomReport {
    /// Adds its findings to those of the checker, worst first.
    pub fn add_to(&self, report: &mut Report) {
        report.findings.extend_from_slice(&self.findings);
        report.findings.sort_by_key(|f| std::cmp::Reverse(f.severity));
    }
}

/// Lends a worker that stands idle, or a new one: there are as many as threads.
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
