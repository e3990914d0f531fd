//! The range of motion on the command line: its arguments, its progress, and its result.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::{Value, json};

use super::super::measurable_methods;
use crate::deform::{METHODS, method};
use crate::inspect::check::Report;
use crate::inspect::rom::{self, ROM_RULES, RomOptions, RomReport, Stop};
use crate::model::Model;
use crate::parallel::JobContext;
use crate::pose::{self, PoseFile};
use crate::words::counted;

#[derive(Debug, Args)]
pub(super) struct RomArgs {
    /// Also turn every joint through its limits and list where the skin suffers most: rules rom-…
    #[arg(long)]
    rom: bool,
    /// How far joints are turned to both sides about each of their axes, 1 to 180
    #[arg(long, value_name = "DEGREES", default_value = "90", value_parser = degrees, requires = "rom")]
    rom_degrees: f32,
    /// Degrees from one pose to the next, 1 to 180
    #[arg(long, value_name = "DEGREES", default_value = "30", value_parser = degrees, requires = "rom")]
    rom_step: f32,
    /// Play the file's clips instead of turning joints
    #[arg(long, requires = "rom", conflicts_with_all = ["rom_degrees", "rom_step"])]
    rom_clips: bool,
    /// Turn the joints from the pose of this file on (`skinscope pose` makes them), and not from rest
    #[arg(long, value_name = "FILE", allow_hyphen_values = true, requires = "rom", conflicts_with = "rom_clips")]
    pose: Option<PathBuf>,
    /// How vertices are deformed in the range of motion
    #[arg(long, value_name = "METHOD", value_parser = measurable_methods(), default_value = METHODS[0].id, requires = "rom")]
    rom_method: String,
    /// How long the range of motion of one file may take, or `unlimited`; what is not measured by then is said to be missing
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = seconds)]
    rom_seconds: Seconds,
}

impl RomArgs {
    /// Returns the arguments of the usual range of motion, which may take so many seconds.
    pub(super) fn within(seconds: f64) -> Self {
        let RomOptions { degrees, step_degrees, clips, .. } = RomOptions::default();
        Self {
            rom: true,
            rom_degrees: degrees,
            rom_step: step_degrees,
            rom_clips: clips,
            pose: None,
            rom_method: METHODS[0].id.to_owned(),
            rom_seconds: Seconds(Some(seconds)),
        }
    }

    /// Returns the path of the pose file, if one is named.
    pub(super) fn pose_file(&self) -> Option<&Path> {
        self.pose.as_deref()
    }
}

/// Returns the model as it rests in a pose, and the keys of the pose that the model has no node for. `None` where the
/// model cannot have the pose.
pub(super) fn posed(model: &Model, file: &PoseFile) -> Option<(Model, Vec<String>)> {
    let resolved = pose::resolve(model, file);
    let mut rest = model.skeleton.rest.clone();
    resolved.apply(&mut rest);
    for transform in &mut rest.transforms {
        transform.rotation = pose::unit(transform.rotation).unwrap_or_default();
    }
    Some((model.with_rest(&rest)?, resolved.unmatched))
}

/// The longest time that something may take, seconds; `None`: any time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seconds(pub(super) Option<f64>);

pub(super) fn seconds(text: &str) -> Result<Seconds, String> {
    if text == "unlimited" {
        return Ok(Seconds(None));
    }
    // The limit is a year, which every clock can add to now.
    let most = 365.25 * 24.0 * 3600.0;
    let value = text.parse().ok().filter(|value| *value > 0.0 && *value <= most);
    value.map(|value| Seconds(Some(value))).ok_or_else(|| "neither a number of seconds nor `unlimited`".to_owned())
}

fn degrees(text: &str) -> Result<f32, String> {
    let value: f32 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (1.0..=180.0).contains(&value) { Ok(value) } else { Err("not between 1 and 180".to_owned()) }
}

/// The result of a range of motion.
#[derive(Debug)]
pub(super) struct Measured {
    poses: usize,
    planned: usize,
    driven: usize,
    clips: bool,
    complete: bool,
    /// The seconds that it was allowed.
    seconds: Option<f64>,
}

impl Measured {
    /// Returns the sentence that not everything was measured, and the sentence what to do about it; `None` where
    /// everything was measured.
    pub(super) fn shortfall(&self) -> Option<[String; 2]> {
        let Self { poses, planned, seconds, .. } = self;
        let seconds = seconds.filter(|_| !self.complete)?;
        let message = format!(
            "The range of motion is not done within its {seconds} s: {poses} of {} {} measured, and what is \
             listed is the worst of those.",
            counted(*planned, "pose", "poses"),
            if *poses == 1 { "was" } else { "were" },
        );
        let fewer = if self.clips { "" } else { ", or fewer poses with --rom-step and --rom-degrees" };
        Some([message, format!("Allow more time with --rom-seconds{fewer}.")])
    }

    /// Returns the result as a field of a file's JSON.
    pub(super) fn json(&self) -> Value {
        let Self { poses, planned, driven, clips, complete, seconds } = self;
        let driven_what = if *clips { "clips" } else { "joints" };
        json!({ "complete": complete, "poses": poses, "planned": planned, driven_what: driven, "seconds": seconds })
    }
}

/// Adds the findings of the range of motion to a report, where it or one of its rules was asked for. Where `rules`
/// names some of its rules, only those are listed. `say` is called with the progress.
pub(super) fn add(
    args: &RomArgs,
    rules: Option<&[String]>,
    model: &Model,
    say: &(dyn Fn(&str) + Sync),
    report: &mut Report,
) -> Option<Measured> {
    let named = |id: &str| rules.is_some_and(|rules| rules.iter().any(|rule| rule == id));
    let some_named = ROM_RULES.iter().any(|rule| named(rule.id));
    if !args.rom && !some_named {
        return None;
    }
    let RomArgs { rom_degrees: degrees, rom_step: step_degrees, rom_clips: clips, rom_seconds, .. } = *args;
    let Seconds(seconds) = rom_seconds;
    let began = Instant::now();
    let until = seconds.and_then(|seconds| began.checked_add(Duration::from_secs_f64(seconds)));
    say("planning the range of motion");
    let plan = rom::plan(model, &RomOptions { degrees, step_degrees, clips, ..RomOptions::default() });
    let of = seconds.map(|seconds| format!(" of {seconds:.0}")).unwrap_or_default();
    let progress = |fraction: f32| {
        let percent = 100.0 * fraction;
        say(&format!("range of motion {percent:.0} %, {}{of} s", began.elapsed().as_secs()));
    };
    let method = method(&args.rom_method).unwrap_or(METHODS[0]);
    // Nobody has a use for the report of work that is cancelled.
    let context = JobContext::of_waiting();
    let mut found = rom::run_until(model, &plan, method, &progress, &Stop { cancel: context.cancel_flag(), until })
        .unwrap_or_default();
    if some_named {
        found.findings.retain(|f| named(f.rule));
    }
    found.add_to(report);
    let complete = found.is_complete();
    let RomReport { poses, planned, driven, clips, .. } = found;
    Some(Measured { poses, planned, driven, clips, complete, seconds })
}
