//! The dialog *Preferences*: a row for each of the table, with a list of what can be chosen.

use egui::{RichText, Ui};
use skinscope_session::{Command, WindowCommand};

use super::preferences::PREFERENCES;
use super::saved::Saved;
use super::theme::colors;
use super::widgets::{dialog_head, drop_down};

/// The width of the dialog, points.
const WIDTH: f32 = 480.0;
/// The width of a list of choices, points.
const CHOICE: f32 = 220.0;

/// Shows the rows; returns true when the dialog was closed.
pub(super) fn show(ui: &mut Ui, saved: &Saved, commands: &mut Vec<Command>) -> bool {
    ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 64.0));
    let close = dialog_head(ui, "Preferences");
    ui.add_space(8.0);
    for preference in PREFERENCES {
        ui.horizontal(|ui| {
            let left = ui.cursor().left();
            ui.label(preference.label).on_hover_text(preference.help);
            ui.add_space((left + ui.max_rect().width() - CHOICE - ui.cursor().left()).max(0.0));
            let chosen = preference.chosen(saved);
            drop_down(ui, preference.label, chosen.label, CHOICE, preference.help, |ui| {
                for choice in preference.choices() {
                    if ui.selectable_label(choice == chosen, choice.label).clicked() && choice != chosen {
                        let command = WindowCommand::SetPreference(preference.id.to_owned(), choice.id.to_owned());
                        commands.push(command.into());
                    }
                }
            });
        });
        ui.add_space(4.0);
    }
    ui.add_space(4.0);
    let note =
        "They count from now on, and are remembered. The command “skinscope preferences” lists and sets them too.";
    ui.label(RichText::new(note).color(colors(ui).dim));
    close
}
