//! Corrective shapes in the inspector: they are made in the pose that is shown, and get other names or go.

use std::collections::BTreeMap;

use egui::accesskit::Role;
use egui::{Align, Id, Label, Layout, Margin, Rect, RichText, ScrollArea, TextEdit, Ui, WidgetInfo, vec2};
use skinscope_model::{Model, NodeId};
use skinscope_session::shaping::TargetName;
use skinscope_session::{Command, Document, EditCommand, FileCommand, FileUse, Session, ShapeCommand, ShapeSettings};

use super::theme::{ROW, colors};
use super::widgets::{chip, counted, error_line, icon_button, link, search_field, section, text_button};
use super::{copied, icons};

/// The names of no more joints than this are in one line.
const IN_LINE: usize = 3;
/// So many rows of a list are in sight.
const ROWS: f32 = 6.0;
/// The least number of joints for which their list has a search.
const SEARCH_FROM: usize = 10;

/// The state of the shapes in the inspector.
#[derive(Debug, Default)]
pub(super) struct ShapesPanel {
    is_open: bool,
    /// The shape that gets another name, and what was typed.
    renamed: Option<(TargetName, String)>,
    /// What driving joints are looked for by.
    search: String,
}

/// Morph targets that get another name, or go, together.
struct Targets<'m> {
    name: &'m str,
    which: TargetName,
    /// What tells them from others of the name.
    label: String,
}

/// Says for a moment which shapes were made, wherever that was asked for.
pub(super) fn follow_made(ui: &Ui, session: &Session) {
    let key = Id::unique("shapes that were made");
    let made = session.tools().shapes.as_ref().and_then(|told| told.as_ref().ok()?.first().cloned());
    let known: Option<String> = ui.data(|data| data.get_temp::<Option<String>>(key)).flatten();
    if made == known {
        return;
    }
    ui.data_mut(|data| data.insert_temp(key, made.clone()));
    if let Some(made) = made {
        copied::say(ui, made);
    }
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
    if session.tools().makes_shapes() {
        note(ui, "Changing shapes…");
        if link(ui, "Cancel", "Cancel changing shapes").clicked() {
            push(commands, ShapeCommand::Cancel);
        }
        return;
    }
    make(ui, session, model, (&mut panel.search, &mut *commands));
    match &session.tools().shapes {
        Some(Ok(lines)) => lines.iter().for_each(|line| note(ui, line)),
        Some(Err(why)) => {
            ui.horizontal_top(|ui| error_line(ui, why));
        }
        None => {}
    }
    targets_of(model).iter().for_each(|targets| row(ui, targets, panel, commands));
}

/// Returns the morph targets of all meshes by their names: one row for all of a name, but for each alone where a mesh has several of it.
fn targets_of(model: &Model) -> Vec<Targets<'_>> {
    let mut named: BTreeMap<&str, Vec<[u32; 2]>> = BTreeMap::new();
    for (mesh, of) in model.file_meshes() {
        for (target, name) in (0..).zip(&of.morph_names) {
            named.entry(name).or_default().push([mesh.0, target]);
        }
    }
    named.into_iter().flat_map(|(name, places)| rows_of(name, places)).collect()
}

/// Returns the rows of the targets of a name, whose meshes and numbers are given in the order of the meshes.
fn rows_of(name: &str, places: Vec<[u32; 2]>) -> Vec<Targets<'_>> {
    if places.windows(2).all(|two| two[0][0] != two[1][0]) {
        return vec![Targets { name, which: TargetName::from(name), label: name.to_owned() }];
    }
    let alone = |[mesh, target]: [u32; 2]| Targets {
        name,
        which: TargetName::At([mesh, target]),
        label: format!("{name} ({mesh},{target})"),
    };
    places.into_iter().map(alone).collect()
}

/// Shows how a shape is made, and what makes it.
fn make(ui: &mut Ui, session: &Session, model: &Model, (search, commands): (&mut String, &mut Vec<Command>)) {
    let before = &session.tools().shape_settings;
    let mut settings = before.clone();
    let field = TextEdit::singleline(&mut settings.name)
        .desired_width(ui.available_width())
        .margin(Margin::symmetric(6, 3))
        .hint_text("Name of the shape");
    let response = ui.push_id("shape", |ui| ui.add(field)).inner;
    response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Name of the shape"));
    ui.add_space(4.0);
    drivers(ui, session, model, (&mut settings, search));
    ui.add_space(4.0);
    if let Some(why) = session.document().and_then(Document::unfit_shapes) {
        ui.horizontal_top(|ui| error_line(ui, &format!("No shape can be made beside it: {why}")));
        let help = "Leave out what drives shapes and does not fit the model: their morph targets and keys stay, and no joint brings them in";
        if chip(ui, "Drop unfit drivers", settings.drops_unfit).on_hover_text(help).clicked() {
            settings.drops_unfit = !settings.drops_unfit;
        }
        ui.add_space(4.0);
    }
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
fn drivers(ui: &mut Ui, session: &Session, model: &Model, (settings, search): (&mut ShapeSettings, &mut String)) {
    match &settings.joints[..] {
        [] => note(ui, "The joints that the pose turns bring it in."),
        few if few.len() <= IN_LINE => {
            let names: Vec<&str> = few.iter().map(|node| name_of(model, *node)).collect();
            note(ui, &format!("Brought in by {} alone.", names.join(", ")));
        }
        _ => joint_list(ui, model, settings, search),
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

fn name_of(model: &Model, node: NodeId) -> &str {
    model.skeleton.names.get(node.index()).map_or("?", String::as_str)
}

/// Lists the joints that bring the shape in, of which some rows are in sight; each can be left out.
fn joint_list(ui: &mut Ui, model: &Model, settings: &mut ShapeSettings, search: &mut String) {
    let count = settings.joints.len();
    note(ui, &format!("Brought in by {} alone:", counted(count, "joint", "joints")));
    if count < SEARCH_FROM {
        search.clear();
    } else {
        let id = ui.make_persistent_id("driving joints");
        search_field(ui, id, search, "Search driving joints", f32::INFINITY, false);
    }
    let wanted = search.trim().to_lowercase();
    let is_found = |node: &NodeId| name_of(model, *node).to_lowercase().contains(&wanted);
    let found: Vec<NodeId> = settings.joints.iter().copied().filter(is_found).collect();
    if found.is_empty() {
        note(ui, "No joint has that in its name.");
    }
    let mut left_out = None;
    let list = ScrollArea::vertical().id_salt("driving joints").max_height(ROWS * ROW);
    list.show_rows(ui, ROW, found.len(), |ui, range| {
        for node in &found[range] {
            let name = name_of(model, *node);
            ui.allocate_ui_with_layout(vec2(ui.available_width(), ROW), Layout::right_to_left(Align::Center), |ui| {
                if icon_button(ui, icons::CLOSE, &format!("Leave {name} out"), 20.0, false).clicked() {
                    left_out = Some(*node);
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| ui.add(Label::new(name).truncate()));
            });
        }
    });
    settings.joints.retain(|node| Some(*node) != left_out);
}

/// Shows a shape, and what becomes of it.
fn row(ui: &mut Ui, targets: &Targets<'_>, panel: &mut ShapesPanel, commands: &mut Vec<Command>) {
    let Targets { name, which, label } = targets;
    // Hundreds of rows cost nothing where they are not visible.
    let rect = Rect::from_min_size(ui.cursor().min, vec2(ui.available_width(), ROW));
    if !ui.is_rect_visible(rect.expand(2.0 * ROW)) {
        ui.allocate_space(rect.size());
        return;
    }
    let typed = panel.renamed.take_if(|renamed| renamed.0 == *which);
    let Some((of, mut typed)) = typed else {
        ui.horizontal(|ui| {
            ui.set_min_size(vec2(0.0, ROW));
            ui.add(Label::new(label.as_str()).truncate());
            if link(ui, "Rename", &format!("Rename {label}")).clicked() {
                panel.renamed = Some((which.clone(), (*name).to_owned()));
            }
            let help = "Make its mirror image, in the mirrored pose, which the joints of the other side bring in";
            if link(ui, "Mirror", &format!("Mirror {label}")).on_hover_text(help).clicked() {
                push(commands, ShapeCommand::Mirror((*name).to_owned()));
            }
            let help = "Take the morph target away, with its weights in all clips";
            if link(ui, "Remove", &format!("Remove {label}")).on_hover_text(help).clicked() {
                push(commands, ShapeCommand::Remove(which.clone()));
            }
        });
        return;
    };
    let field = TextEdit::singleline(&mut typed).desired_width(ui.available_width()).margin(Margin::symmetric(6, 3));
    let response = ui.push_id(("renamed", label), |ui| ui.add(field)).inner;
    response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "New name of the shape"));
    if response.lost_focus() {
        let is_given_up = ui.input(|input| input.key_pressed(egui::Key::Escape));
        if typed != *name && !is_given_up {
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
