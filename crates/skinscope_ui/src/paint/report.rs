//! What the last stroke has done, and the strokes that were recorded.

use egui::{Label, RichText, Ui};
use skinscope_session::{Command, FileCommand, FileUse, PaintCommand, Session};

use crate::theme::{self, colors};
use crate::widgets::{counted, figure, grouped, link, section, tip};

pub(super) fn show(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let painting = session.painting();
    if let Some(report) = painting.last_stroke() {
        section(ui, "Last stroke", |_| {});
        ui.scope(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            figure(ui, "Vertices touched", &grouped(report.vertices));
            figure(ui, "Changed", &grouped(report.changed));
            if report.partial > 0 {
                figure(ui, "In part", &grouped(report.partial)).on_hover_text(
                    "They got a part of the change alone, since others had no more weight to take or to give",
                );
            }
        });
        for (why, vertices) in &report.stuck {
            let text = format!("{}: {}.", counted(*vertices, "vertex stays", "vertices stay"), why.text());
            ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).amber)).wrap());
        }
    }
    let unpaired = painting.last_stroke().and_then(|report| report.unpaired).filter(|unpaired| *unpaired > 0);
    if let Some(unpaired) = unpaired {
        let vertices = counted(unpaired, "vertex has", "vertices have");
        let text = format!("{vertices} no partner on the other side, which is not painted there.");
        ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).amber)).wrap());
    }
    let recorded = painting.recorded_count();
    if recorded > 0 {
        section(ui, "Strokes", |ui| {
            let help = "Forget the strokes that were recorded; the weights stay";
            if link(ui, "Forget", "Forget the recorded strokes").on_hover_text(help).clicked() {
                commands.push(PaintCommand::Forget.into());
            }
            let save = Command::File(FileCommand::AskForFile(FileUse::SaveStrokes));
            if link(ui, "Save…", "Save the recorded strokes").on_hover_text(tip(&save)).clicked() {
                commands.push(save);
            }
        });
        figure(ui, "Recorded", &counted(recorded, "stroke", "strokes"));
    }
}
