//! The radii of the envelopes of the selected joint, and how well they fit the surface.

use egui::Ui;
use skinscope_edit::{ENVELOPE_RANGES, Settings, bind_method, bind_settings};
use skinscope_session::{Session, with_radius};

use super::quiet_text;
use crate::theme::colors;
use crate::value_row::ValueRow;
use crate::widgets::{figure, link, section};

/// The width of the labels, points.
const LABEL: f32 = 66.0;

/// Shows what is set of the selected joint while weights are found by envelopes.
pub(super) fn show(ui: &mut Ui, session: &Session, now: &mut Settings) {
    if bind_method(now).id != "envelope" {
        return;
    }
    let score = session.view().selected.and_then(|node| Some((node, session.edited_weights().envelope_score(node)?)));
    let Some((node, score)) = score else {
        let text = "Select a joint with an envelope to give it radii of its own, here or by a drag in the picture.";
        return quiet_text(ui, text);
    };
    let name = session.model().and_then(|model| model.skeleton.names.get(node.index())).map_or("", String::as_str);
    let mut resets = false;
    section(ui, "Envelope of the joint", |ui| {
        if session.has_own_envelope(now, node) {
            resets = link(ui, "As others", "As others").on_hover_text("Take the radii of the method").clicked();
        }
    });
    figure(ui, "Joint", name);
    let radii = bind_settings(now).envelope_of(name);
    let home = bind_settings(now).envelope_of("");
    let mut changed = None;
    for (is_outer, label) in [(false, "Inner"), (true, "Outer")] {
        let end = usize::from(is_outer);
        let [least, most] = ENVELOPE_RANGES[end];
        let row = ValueRow {
            name: &format!("{label} radius of the joint"),
            help: "The radius of the envelopes of this joint, as a share of the distance of the surface; the partner on the other side follows where editing is symmetric",
            label,
            label_width: LABEL,
            color: colors(ui).dim,
            value: radii[end] as f32,
            range: least as f32..=most as f32,
            home: home[end] as f32,
            decimals: 2,
            unit: "",
            edited: radii[end] != home[end],
        };
        if let Some(value) = row.show(ui).value {
            changed = Some(with_radius(radii, is_outer, f64::from(value)));
        }
    }
    figure(ui, "Vertices within", &format!("{:.0} % of {}", score.percent(), score.next))
        .on_hover_text("Of the vertices that have no bone nearer, so many lie within the outer radius");
    if resets {
        session.put_envelope(now, node, None);
    } else if changed.is_some() {
        session.put_envelope(now, node, changed);
    }
}
