//! The meshes that the tool *Solve* finds weights from, each with its pose, and how far the surface is from them.

use egui::{Align, Label, Layout, RichText, Role, TextEdit, Ui, WidgetInfo};
use skinscope_edit::{Deviation, ExampleMesh, SolvedExamples};
use skinscope_session::{Command, FileCommand, SculptCommand, Session, ToolCommand};

use super::quiet_text;
use crate::icons;
use crate::theme::{self, colors};
use crate::widgets::{chip, counted, describe, figure, icon_button, link, section, text_button};

/// What is said while there is no example.
const NONE: &str = "Drop meshes on the window, PLY, OBJ or GLB: each is what the surface should be in the pose that is shown. A file \
    NAME.pose.json that is dropped with them is the pose of the mesh of that name.";

/// Shows the examples, and a field for the path of another one.
pub(super) fn show(ui: &mut Ui, session: &Session, examples: &[ExampleMesh], commands: &mut Vec<Command>) {
    let clip = session.model().zip(session.playback().clip);
    let clip = clip.and_then(|(model, clip)| Some(model.clips.get(clip.index())?.name.as_str()));
    let mut asked = None;
    section(ui, "Examples", |ui| {
        if !examples.is_empty() && link(ui, "Clear", "Leave all examples out").clicked() {
            asked = Some(SculptCommand::Clear);
        }
    });
    if examples.is_empty() {
        quiet_text(ui, NONE);
    }
    for (number, example) in examples.iter().enumerate() {
        asked = row(ui, (number, example), clip).or(asked);
    }
    commands.extend(asked.map(|asked| Command::from(ToolCommand::Sculpts(asked))));
    path(ui, commands);
}

/// Shows an example; returns what is to be done with it. `clip` is the one that could give it a pose.
fn row(ui: &mut Ui, (number, example): (usize, &ExampleMesh), clip: Option<&str>) -> Option<SculptCommand> {
    let ExampleMesh { name, pose_name, is_held_out, .. } = example;
    let mut asked = None;
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let remove = icon_button(ui, icons::CLOSE, &format!("Leave {name} out"), 20.0, false);
            if remove.on_hover_text("Solve without this example").clicked() {
                asked = Some(SculptCommand::Remove(number));
            }
            let aside = chip(ui, "Aside", *is_held_out);
            let help = format!("Keep {name} aside: it is compared, and not used");
            if aside.on_hover_text(help).clicked() {
                asked = Some(SculptCommand::ToggleAside(number));
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| ui.add(Label::new(name.as_str()).truncate()));
        });
    });
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let help = format!("Let {name} have the pose that is shown now");
            if link(ui, "Pose of now", &help).on_hover_text(help.as_str()).clicked() {
                asked = Some(SculptCommand::TakePose(number));
            }
            if let Some(clip) = clip {
                let help = format!("Let {name} have the pose of {clip} at its present time, without edits");
                if link(ui, "Clip time", &help).on_hover_text(help.as_str()).clicked() {
                    asked = Some(SculptCommand::TakeClip(number));
                }
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let pose = RichText::new(pose_name.as_str()).font(theme::regular(12.0)).color(colors(ui).dim);
                ui.add(Label::new(pose).truncate());
            });
        });
    });
    asked
}

/// Shows the field for the path of a mesh, and the button for the system's dialog.
fn path(ui: &mut Ui, commands: &mut Vec<Command>) {
    let id = ui.scope_id().with("example path");
    let mut text: String = ui.data(|d| d.get_temp(id)).unwrap_or_default();
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        let width = ui.available_width() - 96.0;
        let field = ui.add(TextEdit::singleline(&mut text).desired_width(width).hint_text("Path of a mesh"));
        field.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Mesh to solve from"));
        describe(&field, "The path of a mesh that the surface should be in the pose that is shown");
        if field.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter)) && !text.trim().is_empty() {
            commands.push(FileCommand::ReadExamples(vec![text.trim().into()]).into());
            text.clear();
        }
        let browse = text_button(ui, None, "Browse…", false).on_hover_text("Choose a mesh to solve from");
        if browse.clicked() {
            commands.push(FileCommand::ChooseExample.into());
        }
    });
    ui.data_mut(|d| d.insert_temp(id, text));
}

/// Shows how far the surface is from each example before and after.
pub(super) fn report(ui: &mut Ui, found: &SolvedExamples) {
    section(ui, "To the examples", |_| {});
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for example in &found.examples {
            let aside = if example.is_held_out { ", kept aside" } else { "" };
            let change = |of: fn(&Deviation) -> f64| {
                format!("{:.3} → {:.3} mm", 1e3 * of(&example.before), 1e3 * of(&example.after))
            };
            figure(ui, &format!("{}{aside}: rms", example.name), &change(|of| of.rms));
            figure(ui, "95 % are below", &change(|of| of.p95));
            figure(ui, "Largest distance", &change(|of| of.largest));
        }
    });
    let mut notes = Vec::new();
    if found.solved.stuck > 0 {
        let stays = counted(found.solved.stuck, "place stays", "places stay");
        notes.push(format!("{stays}: locked joints leave nothing, or no room for another joint."));
    }
    if found.solved.unproven > 0 {
        let have = counted(found.solved.unproven, "place has", "places have");
        notes.push(format!("{have} a good choice of joints that is not proven to be the best."));
    }
    for note in notes {
        let text = RichText::new(note).font(theme::regular(12.0)).color(colors(ui).amber);
        ui.add_space(4.0);
        ui.add(Label::new(text).wrap());
    }
}
