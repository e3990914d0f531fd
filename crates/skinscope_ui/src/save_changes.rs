//! What saving changes, as the dialog that saves says it: first what a person has made, then where in the file that goes.

use egui::{Label, RichText, Ui};
use skinscope_session::SaveKind;

use super::SaveSummary;
use super::theme::colors;
use super::widgets::{counted, figure, grouped, quiet_text, section};

/// So many meshes have a line of their own, and so many joints are named.
const MOST_MESHES: usize = 6;
const MOST_NAMES: usize = 4;

/// Whether anything in the file will be another.
pub(super) fn differs(summary: &SaveSummary) -> bool {
    summary.vertices > 0 || !summary.accessors.is_empty() || summary.json_values > 0
}

/// Lists what will change, where something does, and the files that are written.
pub(super) fn show(ui: &mut Ui, summary: &SaveSummary, kind: SaveKind) {
    if differs(summary) {
        section(ui, "What changes", |_| {});
        weights(ui, summary);
        if summary.binds > 0 {
            figure(ui, "Inverse bind matrices", &grouped(summary.binds));
        }
        if summary.clips > 0 {
            figure(ui, "New clips", &grouped(summary.clips));
        }
        if summary.shapes > 0 {
            figure(ui, "Morph targets", &grouped(summary.shapes));
        }
        for coarse in &summary.coarse {
            ui.add(Label::new(RichText::new(format!("Note that {coarse}.")).color(colors(ui).amber)).wrap());
        }
        quiet_text(ui, &in_file(summary));
        for (packing, accessors) in &summary.unpacked {
            let what = match *packing {
                "sparse" => "stored sparse".to_owned(),
                packing => format!("compressed by {packing}"),
            };
            let those = counted(*accessors, "accessor was", "accessors were");
            let amber = colors(ui).amber;
            let line = format!("{those} {what}, and will be stored plain.");
            ui.add(Label::new(RichText::new(line).color(amber)).wrap());
        }
    }
    if kind != SaveKind::InPlace || differs(summary) {
        section(ui, "Files", |_| {});
        for file in &summary.files {
            let has_backup = summary.replaced.contains(file);
            figure(ui, file, if has_backup { "replaced; kept as .bak" } else { "new" });
        }
    }
}

/// Says how many vertices of which meshes get other weights, and of which joints.
fn weights(ui: &mut Ui, summary: &SaveSummary) {
    for (mesh, vertices) in summary.meshes.iter().take(MOST_MESHES) {
        figure(ui, &format!("Weights of {mesh}"), &vertices_of(*vertices));
    }
    let rest = summary.meshes.get(MOST_MESHES..).unwrap_or_default();
    if !rest.is_empty() {
        let meshes = format!("Weights of {}", counted(rest.len(), "more mesh", "more meshes"));
        figure(ui, &meshes, &vertices_of(rest.iter().map(|(_, vertices)| vertices).sum()));
    }
    if !summary.joints.is_empty() {
        let names = figure(ui, &counted(summary.joints.len(), "joint", "joints"), &some_of(&summary.joints));
        names.on_hover_text(summary.joints.join(", "));
    }
}

fn vertices_of(count: usize) -> String {
    let word = if count == 1 { "vertex" } else { "vertices" };
    format!("{} {word}", grouped(count))
}

/// Returns the first of some names, and how many more there are.
fn some_of(names: &[String]) -> String {
    let shown = names.iter().take(MOST_NAMES).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST_NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Says where in the file the changes go.
fn in_file(summary: &SaveSummary) -> String {
    let bytes = match summary.accessors.as_slice() {
        [] => None,
        accessors => Some(format!("{} bytes in {}", grouped(summary.bytes as usize), numbers(accessors))),
    };
    let values = match summary.json_values {
        0 => None,
        values => Some(counted(values as usize, "value of its JSON text", "values of its JSON text")),
    };
    let what: Vec<String> = bytes.into_iter().chain(values).collect();
    match what.is_empty() {
        true => "All other bytes stay as they are.".to_owned(),
        false => format!("In the file: {}. All other bytes stay as they are.", what.join(", and ")),
    }
}

/// Returns accessors by their indices in the file: `accessor 5`, `accessors 2, 3`.
fn numbers(accessors: &[usize]) -> String {
    let list: Vec<String> = accessors.iter().take(6).map(ToString::to_string).collect();
    let word = if accessors.len() == 1 { "accessor" } else { "accessors" };
    let more = if accessors.len() > 6 { ", …" } else { "" };
    format!("{word} {}{more}", list.join(", "))
}
