//! The head of the page of an example: its title, its question, and what puts its sliders back.

use egui::{Align, Label, Layout, RichText, Ui};
use skinscope_examples::Lesson;
use skinscope_session::{Command, ExampleCommand, Session, Toggle, ViewCommand, WindowCommand};

use super::TextSize;
use crate::theme::{self, BODY, colors};
use crate::widgets::{icon_button, link, scaled_chip, scaled_link, tip};
use crate::{icons, menu};

/// Shows title and question of a page, and in a presentation the controls that it asks for.
pub(super) fn show(ui: &mut Ui, session: &Session, lesson: &Lesson, text: TextSize, commands: &mut Vec<Command>) {
    let scale = text.scale;
    ui.horizontal_top(|ui| {
        ui.with_layout(Layout::right_to_left(Align::TOP), |ui| {
            if !text.presents {
                let close = icon_button(ui, icons::CLOSE, "Close the page", 20.0, false);
                if close.on_hover_text(tip(&ExampleCommand::TogglePage.into())).clicked() {
                    commands.push(ExampleCommand::TogglePage.into());
                }
                let large = Command::from(WindowCommand::ToggleLargeText);
                let name = if scale > 1.0 { "Usual text" } else { "Large text" };
                if link(ui, name, name).on_hover_text(tip(&large)).clicked() {
                    commands.push(large);
                }
                ui.add_space(6.0);
            }
            let reset = scaled_link(ui, "Reset", "Reset the sliders", scale);
            if reset.on_hover_text("Put all sliders back, and give all joints back to them").clicked() {
                commands.push(ExampleCommand::Reset.into());
            }
            ui.with_layout(Layout::top_down(Align::LEFT), |ui| {
                let title = RichText::new(lesson.example().title).font(theme::strong(17.0 * scale));
                ui.add(Label::new(title.color(colors(ui).text)).wrap());
            });
        });
    });
    let question = RichText::new(lesson.example().question).font(theme::regular((BODY + 1.0) * scale));
    ui.add(Label::new(question.color(colors(ui).dim)).wrap());
    ui.add_space(2.0);
    if text.presents {
        asked_controls(ui, session, lesson, scale, commands);
    }
}

/// Shows the controls that a page asks for and that a presentation has no menus for.
fn asked_controls(ui: &mut Ui, session: &Session, lesson: &Lesson, scale: f32, commands: &mut Vec<Command>) {
    let asks = |words: &str| lesson.example().page.try_this.iter().any(|line| line.contains(words));
    let (edges, method) = (asks("edges of the triangles"), asks("another method"));
    if !edges && !method {
        return;
    }
    ui.horizontal(|ui| {
        if method {
            menu::method(ui, session, scale, commands);
        }
        if edges {
            let command = Command::View(ViewCommand::Toggle(Toggle::Wireframe));
            let is_on = session.view().is_on(Toggle::Wireframe);
            if scaled_chip(ui, "Wireframe", is_on, scale).on_hover_text(tip(&command)).clicked() {
                commands.push(command);
            }
        }
    });
}
