//! Corrective shapes in the inspector: they are made in the pose that is shown, and get other names or go.

use std::collections::BTreeSet;

use egui::accesskit::Role;
use egui::{Label, Margin, Rect, RichText, TextEdit, Ui, WidgetInfo, vec2};
use skinscope_model::{Model, NodeId};
use skinscope_session::{Command, EditCommand, FileCommand, FileUse, Session, ShapeCommand, ShapeSettings};

use super::theme::{ROW, colors};
use super::widgets::{chip, error_line, link, section, text_button};

/// The state of the shapes in the inspector.
#[derive(Debug, Default)]
pub(super) struct ShapesPanel {
    is_open: bool,
    /// The shape that gets another name, and what was typed.
    renamed: Option<(String, String)>,
}

fn push(commands: &mut Vec<Command>, command: ShapeCommand) {
    commands.push(EditCommand::Shape(command).into());
}

/// Shows how shapes are made, and those that there are, where a skin moves a mesh.
pub(super) fn show(ui: &mut Ui, session: &Session, panel: &mut ShapesPanel, commands: &mut Vec<Command>) {
    let Some(model) = session.model().filter(|model| model.instances.iter().any(|i| i.skin.is_some())) else { return };
    section(ui, "Shapes", |ui| {
        let (text, name) = if panel.is_open { ("Close", "Close shapes") } else { ("Edit", "Edit shapes") };
        let help = "Corrective shapes: morph targets that put the surface right in a pose, and that joints bring in";
        if link(ui, text, name).on_hover_text(help).clicked() {
            panel.is_open = !panel.is_open;
        }
    });
    if !panel.is_open {
        return;
    }
    make(ui, session, model, commands);
    match &session.tools().shapes {
        Some(Ok(lines)) => lines.iter().for_each(|line| note(ui, line)),
        Some(Err(why)) => {
            ui.horizontal_top(|ui| error_line(ui, why));
        }
        None => {}
    }
    let names: BTreeSet<&str> = model.meshes.iter().flat_map(|mesh| &mesh.morph_names).map(String::as_str).collect();
    names.into_iter().for_each(|name| row(ui, name, panel, commands));
}

/// Shows how a shape is made, and what makes it.
fn make(ui: &mut Ui, session: &Session, model: &Model, commands: &mut Vec<Command>) {
    let before = &session.tools().shape_settings;
    let mut settings = before.clone();
    let field = TextEdit::singleline(&mut settings.name)
        .desired_width(ui.available_width())
        .margin(Margin::symmetric(6, 3))
        .hint_text("Name of the shape");
    let response = ui.push_id("shape", |ui| ui.add(field)).inner;
    response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Name of the shape"));
    ui.add_space(4.0);
    drivers(ui, session, model, &mut settings);
    ui.add_space(4.0);
    let help = "Make its mirror image too, which the joints of the other side bring in";
    if chip(ui, "Both sides", settings.both_sides).on_hover_text(help).clicked() {
        settings.both_sides = !settings.both_sides;
    }
    ui.add_space(4.0);
    let help = "Make a shape, in one step that can be undone, by which linear blending, or the method without the pass, gives this surface in the pose that is shown";
    if text_button(ui, None, "Shape of the drawn surface", false).on_hover_text(help).clicked() {
        push(commands, ShapeCommand::OfMethod(settings.clone()));
    }
    ui.add_space(4.0);
    let help = "Make a shape of a mesh that has the surface as it should be in the pose that is shown: PLY, OBJ or GLB with the vertices as they are exported, in their order";
    if text_button(ui, None, "Shape from a mesh…", false).on_hover_text(help).clicked() {
        commands.push(FileCommand::AskForFile(FileUse::LoadSculpt).into());
    }
    if settings != *before {
        push(commands, ShapeCommand::Set(settings));
    }
}

/// Shows which joints bring the shape in.
fn drivers(ui: &mut Ui, session: &Session, model: &Model, settings: &mut ShapeSettings) {
    let name = |node: &NodeId| model.skeleton.names.get(node.index()).map_or("?", String::as_str);
    if settings.joints.is_empty() {
        note(ui, "The joints that the pose turns bring it in.");
    } else {
        let names: Vec<&str> = settings.joints.iter().map(name).collect();
        note(ui, &format!("Brought in by {} alone.", names.join(", ")));
    }
    ui.horizontal(|ui| {
        let other = session.view().selected.filter(|node| !settings.joints.contains(node));
        if let Some(node) = other.filter(|node| model.is_joint(*node)) {
            let help =
                "Let the rotation of the selected joint bring it in, alone or together with those that were chosen";
            if link(ui, "Add the selected joint", "Add the selected joint").on_hover_text(help).clicked() {
                settings.joints.push(node);
            }
        }
        if !settings.joints.is_empty() && link(ui, "As the pose turns", "Joints as the pose turns").clicked() {
            settings.joints.clear();
        }
    });
}

/// Shows a shape, and what becomes of it.
fn row(ui: &mut Ui, name: &str, panel: &mut ShapesPanel, commands: &mut Vec<Command>) {
    // Hundreds of rows cost nothing where they are not visible.
    let rect = Rect::from_min_size(ui.cursor().min, vec2(ui.available_width(), ROW));
    if !ui.is_rect_visible(rect.expand(2.0 * ROW)) {
        ui.allocate_space(rect.size());
        return;
    }
    let typed = panel.renamed.take_if(|renamed| renamed.0 == name);
    let Some((of, mut typed)) = typed else {
        ui.horizontal(|ui| {
            ui.set_min_size(vec2(0.0, ROW));
            ui.add(Label::new(name).truncate());
            if link(ui, "Rename", &format!("Rename {name}")).clicked() {
                panel.renamed = Some((name.to_owned(), name.to_owned()));
            }
            let help = "Make its mirror image, in the mirrored pose, which the joints of the other side bring in";
            if link(ui, "Mirror", &format!("Mirror {name}")).on_hover_text(help).clicked() {
                push(commands, ShapeCommand::Mirror(name.to_owned()));
            }
            let help = "Take the morph target away, with its weights in all clips";
            if link(ui, "Remove", &format!("Remove {name}")).on_hover_text(help).clicked() {
                push(commands, ShapeCommand::Remove(name.to_owned()));
            }
        });
        return;
    };
    let field = TextEdit::singleline(&mut typed).desired_width(ui.available_width()).margin(Margin::symmetric(6, 3));
    let response = ui.push_id(("renamed", name), |ui| ui.add(field)).inner;
    response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "New name of the shape"));
    if response.lost_focus() {
        let is_given_up = ui.input(|input| input.key_pressed(egui::Key::Escape));
        if typed != of && !is_given_up {
            push(commands, ShapeCommand::Rename(of, typed));
        }
        return;
    }
    if !response.has_focus() {
        response.request_focus();
    }
    panel.renamed = Some((of, typed));
}

fn note(ui: &mut Ui, text: &str) {
    ui.add(Label::new(RichText::new(text).color(colors(ui).dim)).wrap());
}
