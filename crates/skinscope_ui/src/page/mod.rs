//! The page of an example beside the picture: its sliders, texts with formulas that follow them, and what a letter is that was pressed.

mod chart;
mod equation;
mod handles;
mod marks;

use egui::{Align, Frame, Label, Layout, Margin, RichText, ScrollArea, Ui};
pub(super) use handles::show as show_handles;
pub(super) use marks::show as show_marks;
use skinscope_examples::{Block, Formula, Lesson, Moment, Slider, Symbol, Unit, formula_lines, letter, written};
use skinscope_session::{Command, ExampleCommand, Session, WindowCommand};

use super::icons;
use super::theme::{self, BODY, MARGIN, colors};
use super::value_row::ValueRow;
use super::widgets::{icon_button, link, section, segments, tip};

/// The width of the page, points.
const WIDTH: f32 = 404.0;
/// The width of the page where text is large, points.
const LARGE_WIDTH: f32 = 600.0;
/// The scale of large text.
const LARGE: f32 = 1.5;
/// The picture keeps at least this part of the window.
const PICTURE: f32 = 0.42;

/// Returns the width of the page in a window so wide, points.
pub(super) fn width(window: f32, large: bool) -> f32 {
    (if large { LARGE_WIDTH } else { WIDTH }).min((1.0 - PICTURE) * window)
}

pub(super) fn show(ui: &mut Ui, session: &Session, large: bool, commands: &mut Vec<Command>) {
    let Some(lesson) = session.lesson() else { return };
    let scale = if large { LARGE } else { 1.0 };
    let side = Margin::symmetric(MARGIN, 0);
    let head_frame = Frame::NONE.inner_margin(Margin { left: MARGIN, right: MARGIN, top: 10, bottom: 6 });
    egui::Panel::top("page head").resizable(false).frame(head_frame).show(ui, |ui| {
        head(ui, lesson, scale, commands);
        for slider in lesson.example().sliders {
            slider_row(ui, lesson, slider, scale, commands);
        }
        if !session.edits().is_empty() {
            let text = "The pose was changed by hand; the numbers are those of the sliders.";
            let text = RichText::new(text).font(theme::regular(12.0 * scale)).color(colors(ui).amber);
            ui.add(Label::new(text).wrap());
        }
    });
    let foot_frame = Frame::NONE.fill(colors(ui).raised).inner_margin(Margin::symmetric(MARGIN, 8));
    egui::Panel::bottom("page foot").resizable(false).frame(foot_frame).show(ui, |ui| foot(ui, lesson, scale));
    ScrollArea::vertical().auto_shrink(false).id_salt(lesson.example().id).show(ui, |ui| {
        Frame::NONE.inner_margin(side).show(ui, |ui| {
            ui.set_width(ui.available_width());
            body(ui, session, lesson, scale, commands);
        });
    });
}

fn paragraph(ui: &mut Ui, text: &str, scale: f32) {
    let text = RichText::new(text).font(theme::regular((BODY + 1.0) * scale)).color(colors(ui).text);
    ui.add(Label::new(text).wrap());
}

fn head(ui: &mut Ui, lesson: &Lesson, scale: f32, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        let caption = RichText::new("EXAMPLE").font(theme::strong(theme::SMALL)).color(colors(ui).dim);
        ui.label(caption.extra_letter_spacing(0.6));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
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
            let reset = link(ui, "Reset", "Reset the sliders");
            if reset.on_hover_text("Put all sliders back, and give all joints back to them").clicked() {
                commands.push(ExampleCommand::Reset.into());
            }
        });
    });
    let title = RichText::new(lesson.example().title).font(theme::strong(17.0 * scale)).color(colors(ui).text);
    ui.add(Label::new(title).wrap());
    let question = RichText::new(lesson.example().question).font(theme::regular((BODY + 1.0) * scale));
    ui.add(Label::new(question.color(colors(ui).dim)).wrap());
    ui.add_space(4.0);
}

fn slider_row(ui: &mut Ui, lesson: &Lesson, slider: &'static Slider, scale: f32, commands: &mut Vec<Command>) {
    let c = colors(ui);
    let value = lesson.moment().settings().get(slider.id);
    let (decimals, unit) = match slider.unit {
        Unit::Degrees => (1, "°"),
        Unit::Metres => (3, " m"),
        Unit::Seconds => (2, " s"),
        Unit::MetresPerSecond => (3, " m/s"),
        Unit::Decimals(decimals) => (usize::from(decimals), ""),
        Unit::Number | Unit::Percent => (3, ""),
    };
    let font = theme::regular(BODY * scale);
    let label = ui.add(Label::new(RichText::new(slider.label).font(font).color(c.text)).wrap());
    label.on_hover_text(slider.help);
    if !slider.choices.is_empty() {
        let values: Vec<(&str, f32)> = slider.values().collect();
        let shown: Vec<_> = values.iter().map(|(name, at)| (*name, *at == value, slider.help.to_owned())).collect();
        if let Some(chosen) = segments(ui, &shown) {
            commands.push(ExampleCommand::SetSlider(slider.id, values[chosen].1).into());
        }
        return;
    }
    let row = ValueRow {
        name: slider.label,
        label: "",
        label_width: 0.0,
        color: c.accent,
        value,
        range: slider.range[0]..=slider.range[1],
        home: slider.range[0],
        decimals,
        unit,
        edited: value != slider.default,
    };
    if let Some(value) = row.show(ui).value {
        commands.push(ExampleCommand::SetSlider(slider.id, value).into());
    }
}

fn body(ui: &mut Ui, session: &Session, lesson: &Lesson, scale: f32, commands: &mut Vec<Command>) {
    let page = &lesson.example().page;
    ui.spacing_mut().item_spacing.y = 6.0 * scale;
    let list = |ui: &mut Ui, title: &str, lines: &[&str], numbered: bool| {
        section(ui, title, |_| {});
        for (i, line) in lines.iter().enumerate() {
            ui.horizontal_top(|ui| {
                let mark = if numbered { format!("{}.", i + 1) } else { "·".into() };
                ui.label(RichText::new(mark).font(theme::strong((BODY + 1.0) * scale)).color(colors(ui).accent));
                paragraph(ui, line, scale);
            });
        }
    };
    list(ui, "Try this", page.try_this, true);
    ui.add_space(4.0);
    for block in page.blocks {
        match block {
            Block::Text(text) => paragraph(ui, text, scale),
            Block::Formula(formula) => formula_block(ui, lesson, formula, scale, commands),
            Block::Chart(chart) => chart::show(ui, chart, lesson, scale, session.view().method.label, commands),
        }
    }
    list(ui, "What to see", page.what_to_see, false);
    section(ui, "Where it comes from", |_| {});
    for source in page.sources {
        let text = format!("{}: {}", source.text, source.section);
        let text = RichText::new(text).font(theme::regular(12.0 * scale)).color(colors(ui).dim);
        ui.add(Label::new(text).wrap());
    }
    ui.add_space(12.0);
}

fn formula_block(ui: &mut Ui, lesson: &Lesson, formula: &'static Formula, scale: f32, commands: &mut Vec<Command>) {
    let shown = lesson.shown().map(|symbol| symbol.id);
    let lines = formula_lines(formula, lesson.moment(), 0);
    let words =
        |id: &str| lesson.moment().symbol(id).map_or_else(String::new, |symbol| sentence(symbol, lesson.moment()));
    let explain = |ui: &mut Ui, id: &str| {
        if let Some(symbol) = lesson.moment().symbol(id) {
            ui.set_max_width(320.0 * scale);
            explanation(ui, symbol, lesson.moment(), scale);
        }
    };
    if let Some(pressed) = equation::show(ui, &lines, 16.0 * scale, shown, &words, &explain) {
        commands.push(ExampleCommand::PointAt((shown != Some(pressed)).then_some(pressed)).into());
    }
    if !formula.note.is_empty() {
        let note = RichText::new(formula.note).font(theme::regular(12.0 * scale)).color(colors(ui).dim);
        ui.add(Label::new(note).wrap());
    }
}

/// Says what a symbol is, with its value where that is a number.
fn sentence(symbol: &Symbol, moment: &Moment) -> String {
    let value = symbol.value(moment).number().map(|number| written(number, symbol.unit, 0));
    let value = value.map_or_else(String::new, |value| format!(" Now {value}."));
    format!("{} is {}.{value}", letter(symbol).line(), symbol.words)
}

/// Shows the same sentence, with the letter as formulas have it.
fn explanation(ui: &mut Ui, symbol: &Symbol, moment: &Moment, scale: f32) {
    ui.horizontal_top(|ui| {
        equation::letter(ui, &letter(symbol), 16.0 * scale);
        let text = sentence(symbol, moment);
        let rest = text.split_once(' ').map_or(text.as_str(), |(_, rest)| rest);
        ui.add(Label::new(RichText::new(rest).font(theme::regular(BODY * scale)).color(colors(ui).text)).wrap());
    });
}

/// Says what the symbol is that is pointed at.
fn foot(ui: &mut Ui, lesson: &Lesson, scale: f32) {
    match lesson.shown() {
        Some(symbol) => explanation(ui, symbol, lesson.moment(), scale),
        None => {
            let text = "Press a letter of a formula to see in the picture what it is.";
            let text = RichText::new(text).font(theme::regular(BODY * scale)).color(colors(ui).dim);
            ui.add(Label::new(text).wrap());
        }
    }
}
