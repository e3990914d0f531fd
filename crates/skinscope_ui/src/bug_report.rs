//! The text for a report of a bug: version, device, figures of the open model and what is set. It has no name of a file, a node or a clip, so
//! that it can be sent to anybody.

use skinscope_base::math::lengths;
use skinscope_session::Session;

use super::preferences::PREFERENCES;
use super::saved::Saved;
use super::summary;

/// Returns the text. `adapter` is the graphics device; empty: none was opened.
#[must_use]
pub fn bug_report(session: &Session, saved: &Saved, adapter: &str) -> String {
    bug_report_lines(session, saved, adapter).into_iter().map(|(what, text)| format!("{what}: {text}\n")).collect()
}

/// Returns what stands in each line of the text, and its value.
#[must_use]
pub fn bug_report_lines(session: &Session, saved: &Saved, adapter: &str) -> Vec<(&'static str, String)> {
    let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    let mut out = vec![("Skinscope", format!("{} on {system}, {machine}", env!("CARGO_PKG_VERSION")))];
    out.push(("Graphics", if adapter.is_empty() { "none was opened" } else { adapter }.to_owned()));
    match session.document() {
        None => out.push(("Model", "none".to_owned())),
        Some(document) => {
            let figures = summary::counts(&document.model);
            let figures: Vec<String> =
                figures.iter().map(|(what, count)| format!("{} {count}", what.to_lowercase())).collect();
            out.push(("Model", figures.join(", ")));
            out.push(("Most influences of a vertex", document.stats().most.to_string()));
            out.push(("Warnings of the import", document.warnings.len().to_string()));
            if let Some(bounds) = document.rest_bounds_at_hand().filter(|bounds| !bounds.is_empty()) {
                out.push(("Size", lengths(bounds.size().to_array().map(f64::from))));
            }
        }
    }
    let view = session.view();
    out.push(("Overlay", view.overlay.map_or("none", |overlay| overlay.id).to_owned()));
    out.push(("Method", view.method.id.to_owned()));
    let chosen: Vec<String> = PREFERENCES.iter().map(|p| format!("{}={}", p.id, p.chosen(saved).id)).collect();
    out.push(("Preferences", chosen.join(" ")));
    out
}
