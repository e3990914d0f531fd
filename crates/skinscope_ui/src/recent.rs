//! The files that were opened last: in the menu, and where nothing is open.

use std::path::{Path, PathBuf};

use egui::{RichText, Ui};
use skinscope_session::{Command, FileCommand};

use super::theme::{self, colors};
use super::widgets::{link, section};

/// How many files are remembered.
const MOST: usize = 10;
/// How many of them are shown where nothing is open.
const SHOWN: usize = 5;

/// Puts a file at the head of the list.
pub(super) fn remember(recent: &mut Vec<PathBuf>, path: &Path) {
    // A path that depends on where the program was started means nothing the next time.
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    recent.retain(|known| *known != path);
    recent.insert(0, path);
    recent.truncate(MOST);
}

/// Returns the name of a file, with its folder where another one of the list has the same name.
pub(super) fn name(recent: &[PathBuf], path: &Path) -> String {
    let last = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let own = last(path);
    let folder = path.parent().map(last).unwrap_or_default();
    let is_alone = recent.iter().filter(|other| last(other) == own).count() < 2;
    if is_alone || folder.is_empty() { own } else { format!("{own} ({folder})") }
}

/// Shows the last of them as links, where nothing is open.
pub(super) fn show_on_start(ui: &mut Ui, recent: &[PathBuf], commands: &mut Vec<Command>) {
    if recent.is_empty() {
        return;
    }
    ui.add_space(10.0);
    section(ui, "Opened last", |_| {});
    for path in recent.iter().take(SHOWN) {
        let name = name(recent, path);
        let folder = path.parent().unwrap_or(Path::new("")).display().to_string();
        ui.horizontal(|ui| {
            if link(ui, &name, &format!("Open {name}")).on_hover_text(path.display().to_string()).clicked() {
                commands.push(FileCommand::Open(path.clone()).into());
            }
            let text = RichText::new(folder).font(theme::regular(12.0)).color(colors(ui).dim);
            ui.add(egui::Label::new(text).truncate());
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_were_opened_last_come_first_and_once() {
        let mut recent = Vec::new();
        for i in 0..MOST + 2 {
            remember(&mut recent, Path::new(&format!("/models/{i}.glb")));
        }
        remember(&mut recent, Path::new("/models/5.glb"));
        assert_eq!(
            (recent.len(), recent[0].as_path(), recent[1].as_path()),
            (MOST, Path::new("/models/5.glb"), Path::new("/models/11.glb"))
        );
        assert_eq!(recent.iter().filter(|path| path.ends_with("5.glb")).count(), 1);
        remember(&mut recent, Path::new("/others/5.glb"));
        assert_eq!(name(&recent, &recent[0]), "5.glb (others)");
        assert_eq!(name(&recent, &recent[2]), "11.glb");
    }
}
