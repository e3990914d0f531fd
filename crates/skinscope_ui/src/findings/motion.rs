//! The range of motion in the panel of findings: the button that runs it, the choice of the range, and its progress.

use egui::{Align, Color32, Label, Layout, RichText, Ui};
use skinscope_inspect::rom::RomOptions;
use skinscope_session::{Command, Document, InspectionCommand};

use super::row::TEXT;
use crate::theme::{self, BODY, MARGIN, SMALL, colors};
use crate::tour::Named;
use crate::widgets::{counted, drop_down, progress_bar, text_button};

/// The range through which joints are driven.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum MotionRange {
    /// This angle to both sides, degrees.
    Degrees(f32),
    /// The motion of the file's clips.
    Clips,
}

/// The choices of [`MotionRange::Degrees`].
const DEGREES: [f32; 6] = [30.0, 45.0, 60.0, 90.0, 120.0, 180.0];

impl Default for MotionRange {
    fn default() -> Self {
        Self::Degrees(RomOptions::default().degrees)
    }
}

impl MotionRange {
    fn label(self) -> String {
        match self {
            Self::Degrees(degrees) => format!("±{degrees:.0}°"),
            Self::Clips => "Clips".to_owned(),
        }
    }

    fn options(self) -> RomOptions {
        let defaults = RomOptions::default();
        match self {
            // There are at least three steps to each side.
            Self::Degrees(degrees) => {
                RomOptions { degrees, step_degrees: (degrees / 3.0).min(defaults.step_degrees), ..defaults }
            }
            Self::Clips => RomOptions { clips: true, ..defaults },
        }
    }
}

/// The label of the button that runs the range of motion.
const RUN: &str = "Run range of motion";
/// The greatest and the least width of the choice of the range, points.
const RANGE_WIDTH: f32 = 84.0;
const LEAST_RANGE: f32 = 72.0;

/// Returns whether the panel is too narrow for the button and the choice next to it, so that one is below the other.
pub(super) fn stacks(ui: &Ui) -> bool {
    let text = ui.painter().layout_no_wrap(RUN.to_owned(), theme::regular(BODY), Color32::WHITE).size().x;
    // There are margins around the text, and around the choice.
    let button = text + 20.0;
    let available = ui.max_rect().width().min(ui.clip_rect().width());
    available < button + ui.spacing().item_spacing.x + LEAST_RANGE + 2.0 * f32::from(MARGIN)
}

pub(super) fn measuring(ui: &mut Ui, fraction: f32, commands: &mut Vec<Command>) {
    let c = colors(ui);
    ui.horizontal(|ui| {
        // The button gets its room first: a narrow panel cuts the words of the choice.
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if text_button(ui, None, "Cancel", false).on_hover_text("Stop measuring").clicked() {
                commands.push(InspectionCommand::CancelRom.into());
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let text = format!("Range of motion · {:.0} %", 100.0 * fraction.clamp(0.0, 1.0));
                ui.add(Label::new(RichText::new(text).font(theme::regular(TEXT)).color(c.text)).truncate());
            });
        });
    });
    progress_bar(ui, "Range of motion", fraction);
}

/// Shows the button and the choice of the range; returns true where the button was pressed.
pub(super) fn ready(
    ui: &mut Ui,
    document: &Document,
    narrow: bool,
    range: &mut MotionRange,
    commands: &mut Vec<Command>,
) -> bool {
    let c = colors(ui);
    let has_clips = !document.model.clips.is_empty();
    if !has_clips && *range == MotionRange::Clips {
        *range = MotionRange::default();
    }
    let tip = match *range {
        MotionRange::Degrees(degrees) => format!(
            "Turn every joint by up to {degrees:.0}° to both sides about each of its axes, and list where the skin suffers most"
        ),
        MotionRange::Clips => "Play every clip of the file, and list where the skin suffers most".to_owned(),
    };
    let mut pressed = false;
    let choice = |ui: &mut Ui| {
        let run = text_button(ui, None, RUN, false).on_hover_text(tip);
        Named::Motion.is_at(ui, run.rect);
        if run.clicked() {
            commands.push(InspectionCommand::RunRom(range.options()).into());
            pressed = true;
        }
        let width = ui.available_width().clamp(LEAST_RANGE, RANGE_WIDTH);
        let help = "How far each joint is turned while the skin is measured, or the clips of the file that are played";
        drop_down(ui, "Reach", &range.label(), width, help, |ui| {
            let clips = has_clips.then_some(MotionRange::Clips);
            for reach in DEGREES.map(MotionRange::Degrees).into_iter().chain(clips) {
                if ui.selectable_label(reach == *range, reach.label()).clicked() {
                    *range = reach;
                }
            }
        });
    };
    if narrow {
        ui.vertical(choice);
    } else {
        ui.horizontal(choice);
    }
    if let Some(report) = &document.rom {
        let driven = if report.clips { ("clip", "clips") } else { ("joint", "joints") };
        let text = format!(
            "{} of {} measured",
            counted(report.poses, "pose", "poses"),
            counted(report.driven, driven.0, driven.1)
        );
        ui.label(RichText::new(text).size(SMALL).color(c.dim));
    }
    pressed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ninety_degrees_are_driven_as_on_the_command_line() {
        assert_eq!(MotionRange::default().options(), RomOptions::default());
        assert_eq!(MotionRange::Degrees(45.0).options().step_degrees, 15.0);
        assert!(MotionRange::Clips.options().clips);
    }
}
