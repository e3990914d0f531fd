//! The dialog that saves the layout of the panels under a name, and renames and deletes layouts.

use egui::{Key, Label, RichText, ScrollArea, TextEdit, Ui};
use skinscope_session::{Command, WindowCommand};

use super::layouts::refused_name;
use crate::saved::Saved;
use crate::theme::{BODY, colors, regular};
use crate::widgets::{chip, dialog_head, section, text_button};

/// The width of the dialog, points.
const WIDTH: f32 = 440.0;

/// The state of the dialog.
#[derive(Debug, Default)]
pub(crate) struct LayoutDialog {
    /// The name that is typed.
    name: String,
    /// The layout that is being renamed, with the name that is typed for it.
    renamed: Option<(String, String)>,
    /// The layout of which it is asked whether it is to be deleted.
    deleted: Option<String>,
    is_open: bool,
}

/// Shows the dialog; returns true when it was closed.
pub(crate) fn show(ui: &mut Ui, saved: &Saved, state: &mut LayoutDialog, commands: &mut Vec<Command>) -> bool {
    ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 64.0));
    let opens = !std::mem::replace(&mut state.is_open, true);
    let mut close = dialog_head(ui, "Save layout");
    ui.add_space(8.0);
    let why = refused_name(saved, &state.name, None);
    ui.horizontal(|ui| {
        let field = TextEdit::singleline(&mut state.name).desired_width(WIDTH - 110.0).hint_text("Name");
        let field = ui.add(field).accessible_name("Name of the layout").on_hover_text("What the layout is called");
        if opens {
            field.request_focus();
        }
        let entered = field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
        let button = ui.add_enabled_ui(why.is_none(), |ui| text_button(ui, None, "Save", true)).inner;
        let button = button.on_hover_text("Save the layout under this name");
        if why.is_none() && (entered || button.clicked()) {
            commands.push(WindowCommand::SaveLayout(state.name.trim().to_owned()).into());
            close = true;
        }
    });
    let typed = state.name.trim();
    let replaces = saved.layouts.iter().any(|layout| layout.name.to_lowercase() == typed.to_lowercase());
    let note = match why {
        Some(why) if !typed.is_empty() => why,
        None if replaces => "It takes the place of the layout of this name.".to_owned(),
        _ => "Where every panel is, how large, and which are open.".to_owned(),
    };
    ui.add(Label::new(RichText::new(note).color(colors(ui).dim)).wrap());
    if !saved.layouts.is_empty() {
        section(ui, "Saved layouts", |_| {});
        let most = (ui.ctx().content_rect().height() - 320.0).max(120.0);
        ScrollArea::vertical().max_height(most).show(ui, |ui| {
            for layout in &saved.layouts {
                close |= row(ui, saved, &layout.name, state, commands);
            }
        });
    }
    if close {
        *state = LayoutDialog::default();
    }
    close
}

/// Shows a layout of the user; returns true where it was chosen.
fn row(ui: &mut Ui, saved: &Saved, name: &str, state: &mut LayoutDialog, commands: &mut Vec<Command>) -> bool {
    let mut chosen = false;
    ui.horizontal(|ui| {
        if let Some((_, typed)) = state.renamed.as_mut().filter(|(renamed, _)| renamed == name) {
            let field = ui.add(TextEdit::singleline(typed).desired_width(180.0));
            let field =
                field.accessible_name(format!("New name of {name}")).on_hover_text("What it is called from now on");
            field.request_focus();
            let entered = ui.input(|i| i.key_pressed(Key::Enter));
            let why = refused_name(saved, typed, Some(name));
            let button = ui.add_enabled_ui(why.is_none(), |ui| chip(ui, "Rename", false)).inner;
            let button = button.on_hover_text("Give it this name");
            if why.is_none() && (entered || button.clicked()) {
                commands.push(WindowCommand::RenameLayout(name.to_owned(), typed.trim().to_owned()).into());
                state.renamed = None;
            } else if chip(ui, "Keep the name", false).on_hover_text("Leave its name as it was").clicked() {
                state.renamed = None;
            }
            return;
        }
        let shown = RichText::new(name).font(regular(BODY)).color(colors(ui).text);
        ui.add_sized([180.0, 22.0], Label::new(shown).truncate().halign(egui::Align::Min));
        if chip(ui, "Use", saved.layout_name == name).on_hover_text(format!("Arrange the panels as {name}")).clicked() {
            commands.push(WindowCommand::ChooseLayout(name.to_owned()).into());
            chosen = true;
        }
        if chip(ui, "Rename…", false).on_hover_text("Give it another name").clicked() {
            state.renamed = Some((name.to_owned(), name.to_owned()));
        }
        if state.deleted.as_deref() == Some(name) {
            if chip(ui, "Delete it for good", false).on_hover_text("It cannot be brought back").clicked() {
                commands.push(WindowCommand::DeleteLayout(name.to_owned()).into());
                state.deleted = None;
            }
        } else if chip(ui, "Delete…", false).on_hover_text("Forget this layout; the panels stay").clicked() {
            state.deleted = Some(name.to_owned());
        }
    });
    chosen
}
