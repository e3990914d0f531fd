//! A field for the path of a file, with a button for the system's dialog.

use std::path::{Path, PathBuf};

use egui::{Margin, RichText, TextEdit, Ui};
use skinscope_session::FileCommand;

use super::{describe, text_button};
use crate::icons;
use crate::theme::colors;

/// The path that the user is typing.
#[derive(Debug, Default)]
pub(in super::super) struct PathField {
    /// The path that the application named last.
    named: PathBuf,
    typed: String,
    /// Whether the field was shown in the last frame.
    is_open: bool,
}

impl PathField {
    /// Sets the path that the application names; the text that the user has typed remains where it is the same path.
    /// Returns whether the field opens.
    pub fn follow(&mut self, path: &Path) -> bool {
        let opens = !std::mem::replace(&mut self.is_open, true);
        if opens || self.named != path {
            self.named = path.to_owned();
            if opens || self.path() != path {
                self.typed = path.display().to_string();
            }
        }
        opens
    }

    /// Notes that the field is no longer shown.
    pub fn close(&mut self) {
        self.is_open = false;
    }

    /// Returns the path: the one that the application named, which may be no valid text, or the one that was typed
    /// instead.
    pub fn path(&self) -> PathBuf {
        if self.typed == self.named.display().to_string() { self.named.clone() } else { self.typed.trim().into() }
    }

    /// Shows the field by the name that assistive technology reads, with a hint while it is empty. Returns what the user does: types
    /// another path, or asks for the system's dialog, where there is one.
    pub fn show(&mut self, ui: &mut Ui, name: &str, hint: &str, has_dialog: bool) -> Option<FileCommand> {
        let mut command = None;
        ui.horizontal(|ui| {
            let browse = if has_dialog { 112.0 } else { 0.0 };
            let field = TextEdit::singleline(&mut self.typed)
                .margin(Margin::symmetric(8, 5))
                .hint_text(RichText::new(hint).color(colors(ui).dim))
                .desired_width(ui.available_width() - browse);
            let response = ui.add(field).accessible_name(name);
            describe(&response, "The path of the file or folder; it may be typed");
            if response.changed() {
                command = Some(FileCommand::NameFile(self.path()));
            }
            if has_dialog
                && text_button(ui, Some(icons::FOLDER), "Browse…", false)
                    .on_hover_text("Choose it in the dialog of the system")
                    .clicked()
            {
                command = Some(FileCommand::ChooseFile);
            }
        });
        ui.add_space(4.0);
        command
    }
}
