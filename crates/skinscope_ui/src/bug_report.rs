//! The text for a report of a bug: version, device, figures of the open model and what is set. It has no name of a file, a node or a clip, so
//! that it can be sent to anybody.

use std::fmt::Write;

use skinscope_base::math::lengths;
use skinscope_session::Session;

use super::preferences::PREFERENCES;
use super::saved::Saved;
use super::summary;

/// Returns the text. `adapter` is the graphics device; empty: none was opened.
#[must_use]
pub fn bug_report(session: &Session, saved: &Saved, adapter: &str) -> String {
    let mut out =
        format!("Skinscope {} on {}, {}\n", env!("CARGO_PKG_VERSION"), std::env::consts::OS, std::env::consts::ARCH);
    let device = if adapter.is_empty() { "none was opened" } else { adapter };
    line(&mut out, "Graphics", device);
    match session.document() {
        None => line(&mut out, "Model", "none"),
        Some(document) => {
            let figures = summary::counts(&document.model);
            let figures: Vec<String> =
                figures.iter().map(|(what, count)| format!("{} {count}", what.to_lowercase())).collect();
            line(&mut out, "Model", &figures.join(", "));
            line(&mut out, "Most influences of a vertex", &document.stats().most.to_string());
            line(&mut out, "Warnings of the import", &document.warnings.len().to_string());
            if let Some(bounds) = document.rest_bounds_at_hand().filter(|bounds| !bounds.is_empty()) {
                line(&mut out, "Size", &lengths(bounds.size().to_array().map(f64::from)));
            }
        }
    }
    let view = session.view();
    line(&mut out, "Overlay", view.overlay.map_or("none", |overlay| overlay.id));
    line(&mut out, "Method", view.method.id);
    let chosen: Vec<String> = PREFERENCES.iter().map(|p| format!("{}={}", p.id, p.chosen(saved).id)).collect();
    line(&mut out, "Preferences", &chosen.join(" "));
    out
}

fn line(out: &mut String, what: &str, text: &str) {
    // Writing to a string cannot fail.
    let _written = writeln!(out, "{what}: {text}");
}
