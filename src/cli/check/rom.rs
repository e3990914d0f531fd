//! The range of motion on the command line: its arguments, and how far it is.

use std::io::{IsTerminal, Write};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use clap::Args;

use super::super::method_names;
use crate::deform::{METHODS, method};
use crate::inspect::check::Report;
use crate::inspect::rom::{self, ROM_RULES, RomOptions};
use crate::model::Model;

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
    /// How vertices are deformed in the range of motion
    #[arg(long, value_name = "METHOD", value_parser = method_names(), default_value = "linear", requires = "rom")]
    rom_method: String,
}

fn degrees(text: &str) -> Result<f32, String> {
    let value: f32 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (1.0..=180.0).contains(&value) { Ok(value) } else { Err("not between 1 and 180".to_owned()) }
}

/// Adds what the range of motion shows to a report, where it or one of its rules was asked for. Where `rules` names some of
/// them, those alone. `shown`: how far it is, on standard error, where that is a terminal.
pub(super) fn add(args: &RomArgs, rules: Option<&[String]>, model: &Model, shown: bool, report: &mut Report) {
    let named = |id: &str| rules.is_some_and(|rules| rules.iter().any(|rule| rule == id));
    let some_named = ROM_RULES.iter().any(|rule| named(rule.id));
    if !args.rom && !some_named {
        return;
    }
    let RomArgs { rom_degrees: degrees, rom_step: step_degrees, rom_clips: clips, .. } = *args;
    let plan = rom::plan(model, &RomOptions { degrees, step_degrees, clips, ..RomOptions::default() });
    let shown = shown && std::io::stderr().is_terminal();
    let percent = Mutex::new(0);
    let progress = |fraction: f32| {
        let now = (100.0 * fraction) as u32;
        let mut last = percent.lock().unwrap_or_else(PoisonError::into_inner);
        if shown && now > *last {
            *last = now;
            // Nobody may be there to read it.
            let _gone = write!(std::io::stderr(), "\rrange of motion: {now} %\x1b[K").is_err();
        }
    };
    let method = method(&args.rom_method).unwrap_or(METHODS[0]);
    // Nothing cancels: there is always a report.
    let mut found = rom::run(model, &plan, method, &progress, &AtomicBool::new(false)).unwrap_or_default();
    if shown {
        let _gone = write!(std::io::stderr(), "\r\x1b[K").is_err();
    }
    if some_named {
        found.findings.retain(|f| named(f.rule));
    }
    found.add_to(report);
}
