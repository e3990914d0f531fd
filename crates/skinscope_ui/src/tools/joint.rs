//! A joint that a tool asks for.

use egui::Ui;
use skinscope_model::NodeId;
use skinscope_session::Session;

use crate::widgets::{describe, figure, link};

/// Shows a joint by its name, with a button that takes the selected one.
pub(super) fn joint(ui: &mut Ui, session: &Session, label: &str, joint: &mut Option<NodeId>) {
    let Some(model) = session.model() else { return };
    let name = joint.and_then(|node| model.skeleton.names.get(node.index())).map_or("none", String::as_str);
    let selected = session.view().selected.filter(|node| model.is_joint(*node));
    figure(ui, label, name);
    ui.add_enabled_ui(selected.is_some() && selected != *joint, |ui| {
        let name = format!("{label}: take the selected joint");
        let button = link(ui, "Take the selected joint", &name).on_disabled_hover_text("Select another joint");
        describe(&button, "The tool works with the joint that is selected now");
        if button.clicked() {
            *joint = selected;
        }
    });
}
