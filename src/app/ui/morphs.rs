//! Sliders of morph targets: those of the selected node's mesh, or of the whole model.

use egui::Ui;

use super::theme::{ROW, colors};
use super::value_row::ValueRow;
use super::widgets::{link, section};
use crate::model::NodeId;
use crate::session::{Command, Session};

/// Shows nothing where there is no target.
pub(super) fn show(ui: &mut Ui, session: &Session, node: Option<NodeId>, commands: &mut Vec<Command>) {
    let Some(model) = session.model() else { return };
    let c = colors(ui);
    for instance in model.instances.iter().filter(|i| node.is_none_or(|n| i.node == n)) {
        let mesh = &model.meshes[instance.mesh.index()];
        if mesh.morph_names.is_empty() {
            continue;
        }
        let owner = &model.skeleton.names[instance.node.index()];
        let title = if node.is_some() { "Morph targets".to_owned() } else { format!("Morph targets of {owner}") };
        let places = instance.morph_offset..instance.morph_offset + mesh.morph_names.len();
        let edited: Vec<usize> = session.edits.morphs.range(places.clone()).map(|(place, _)| *place).collect();
        section(ui, &title, |ui| {
            if !edited.is_empty() && link(ui, "Reset", &format!("Reset morph targets of {owner}")).clicked() {
                commands.extend(edited.iter().map(|place| Command::ResetMorph(*place)));
            }
        });
        for (place, name) in places.zip(&mesh.morph_names) {
            let Some(&value) = session.pose.local.morph_weights.get(place) else { continue };
            let value = if value.is_finite() { value } else { 0.0 };
            // Hundreds of rows cost nothing where they are not seen.
            let rect = egui::Rect::from_min_size(ui.cursor().min, egui::vec2(ui.available_width(), ROW));
            if !ui.is_rect_visible(rect) {
                ui.allocate_space(rect.size());
                continue;
            }
            let is_edited = session.edits.morphs.contains_key(&place);
            let row = ValueRow {
                name: &format!("{name} of {owner}"),
                label: name,
                label_width: 92.0,
                color: if is_edited { c.amber } else { c.text },
                value,
                range: value.min(0.0)..=value.max(1.0),
                home: 0.0,
                decimals: 2,
                unit: "",
                edited: is_edited,
            };
            // Two nodes may share their names.
            let change = ui.push_id(place, |ui| row.show(ui)).inner;
            if let Some(weight) = change.value {
                commands.push(Command::EditMorph(place, weight));
            }
            if change.ended {
                commands.push(Command::EndEdit);
            }
        }
    }
}
