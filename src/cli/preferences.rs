//! `skinscope preferences`: lists and sets what the dialog *Preferences* of the window does.

use clap::Args;

use super::{CliError, print};
use crate::app;

/// List the preferences of the window, or set some
///
/// Each line has a preference, its value, and the values that it can have. With --json: schema (1) and preferences, an array of objects with
/// id, value, choices, label and help. A window that is open keeps its own, and writes them when it closes.
#[derive(Clone, Debug, Args)]
pub(super) struct PreferencesArgs {
    /// Set a preference to one of its values, such as theme=light; several may be set at once
    #[arg(value_name = "NAME=VALUE", value_parser = parse_change)]
    changes: Vec<(String, String)>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What the arrangement of the panels is called among the preferences.
const LAYOUT: &str = "Layout of the panels";
/// What it is.
const HELP: &str = "Where the panels are and which are open, in the next window; empty: as the last window left them";

pub(super) fn run(args: &PreferencesArgs) -> Result<(), CliError> {
    let rows = app::preferences(&args.changes).map_err(CliError::Usage)?;
    let (layouts, layout) = app::layouts();
    let words = |preference: &app::ui::Preference| -> Vec<_> { preference.choices().iter().map(|c| c.id).collect() };
    if args.json {
        let row = |(preference, value): &(&app::ui::Preference, &str)| {
            let choices = words(preference);
            let (id, label, help) = (preference.id, preference.label, preference.help);
            serde_json::json!({ "id": id, "value": value, "choices": choices, "label": label, "help": help })
        };
        let layout =
            serde_json::json!({ "id": "layout", "value": layout, "choices": layouts, "label": LAYOUT, "help": HELP });
        let rows: Vec<_> = rows.iter().map(row).chain([layout]).collect();
        let report = serde_json::json!({ "schema": 1, "preferences": rows });
        return print(&format!("{report:#}\n"));
    }
    let line = |(preference, value): &(&app::ui::Preference, &str)| {
        format!("{:8} {:10} {}: {}\n", preference.id, value, preference.label, words(preference).join(", "))
    };
    let layout = format!("{:8} {:10} {LAYOUT}: {}\n", "layout", layout, layouts.join(", "));
    print(&(rows.iter().map(line).collect::<String>() + &layout))
}

fn parse_change(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    pair.ok_or_else(|| "expected NAME=VALUE, such as theme=light".into())
}
