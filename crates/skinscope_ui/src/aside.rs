//! Edits that the open model has no counterpart for, listed in the inspector while nothing is selected.

use egui::{Label, RichText, Ui};
use skinscope_session::{AsideCommand, Command, FileCommand, FileUse, Session};

use super::theme::{self, colors};
use super::widgets::{chip, counted, section};

/// How many things are listed of each model.
const MOST_LISTED: usize = 12;

/// Lists what is set aside, with what can be done with it.
pub(super) fn show(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let all = session.files().set_aside();
    if all.is_empty() {
        return;
    }
    let count = all.iter().map(|work| work.contents().count()).sum();
    section(ui, "Set aside", |_| {});
    let c = colors(ui);
    let text = format!(
        "{} without a place in the model as it is now. Taken up when a model that fits is opened.",
        counted(count, "edit", "edits")
    );
    ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(c.amber)).wrap());
    for (at, work) in all.iter().enumerate() {
        ui.add_space(4.0);
        let words = format!("{}: {}", work.model(), work.contents().words().join(", "));
        ui.add(Label::new(RichText::new(words).font(theme::strong(12.0)).color(c.text)).wrap());
        for line in work.lines(MOST_LISTED) {
            ui.add(Label::new(RichText::new(line).font(theme::regular(12.0)).color(c.dim)).wrap());
        }
        ui.horizontal_wrapped(|ui| {
            let contents = work.contents();
            if contents.vertices + contents.marks > 0 {
                let help = "Mark the vertices of the open model that are nearest to where those were, and frame them";
                if chip(ui, "Show where", false).on_hover_text(help).clicked() {
                    commands.push(AsideCommand::Show(at).into());
                }
            }
            let help = "Take up what fits the open model, whatever model it was made on";
            if chip(ui, "Take up", false).on_hover_text(help).clicked() {
                commands.push(AsideCommand::Restore(at).into());
            }
            let help = "Save a session file, which keeps them";
            if chip(ui, "Save session…", false).on_hover_text(help).clicked() {
                commands.push(FileCommand::AskForFile(FileUse::SaveSession).into());
            }
            if chip(ui, "Forget", false).on_hover_text("Give them up: they are lost").clicked() {
                commands.push(AsideCommand::Forget(at).into());
            }
        });
    }
}
