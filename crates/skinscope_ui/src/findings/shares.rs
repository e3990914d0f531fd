//! The line that says how much of the surface is at fault, in the figures that `check --fail-over` limits.

use egui::{Label, RichText, Ui};
use skinscope_inspect::check::{gate, percent_text};
use skinscope_session::Document;

use super::row::TEXT;
use crate::theme::{self, colors};

/// The height of the line, points.
pub(super) const LINE: f32 = 20.0;

/// What the line says.
pub(super) struct Shares {
    /// The shares of which there is some.
    text: String,
    /// All of them, with what each measures.
    all: String,
}

/// Returns the line about the model as it was checked last; `None` where nothing of its surface is at fault.
pub(super) fn of(document: &Document) -> Option<Shares> {
    let shares = &document.inspection.as_ref()?.report.shares;
    let (mut text, mut all) = (Vec::new(), Vec::new());
    for share in shares {
        let Some(gate) = gate(share.gate) else { continue };
        let said = format!("{} {}", gate.label, percent_text(share.percent));
        all.push(format!("{said}: {}", gate.help));
        if share.percent > 0.0 {
            text.push(said);
        }
    }
    (!text.is_empty()).then(|| Shares { text: text.join(" · "), all: all.join("\n") })
}

/// Shows the line; what has no room, and all other shares, are in its tooltip.
pub(super) fn show(ui: &mut Ui, shares: &Shares) {
    let text = RichText::new(&shares.text).font(theme::regular(TEXT)).color(colors(ui).dim);
    ui.allocate_ui(egui::vec2(ui.available_width(), LINE), |ui| {
        ui.add(Label::new(text).truncate()).on_hover_text(&shares.all);
    });
}
