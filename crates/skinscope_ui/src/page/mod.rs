//! The page of an example beside the picture: its sliders, texts with formulas that follow them, and what a letter is that was pressed.

mod chart;
mod equation;
mod equation_text;
mod formula_copy;
mod handles;
mod head;
mod marks;
mod math_box;

use std::sync::Arc;

use egui::accesskit::Role;
use egui::{
    Align, Frame, Galley, Label, Layout, Margin, Rect, RichText, ScrollArea, Sense, Ui, UiBuilder, Vec2, WidgetInfo,
    vec2,
};
pub(super) use equation::ABOUT_LETTER;
pub use formula_copy::formula_svg;
pub(super) use handles::show as show_handles;
pub(super) use marks::show as show_marks;
use skinscope_examples::{Block, Formula, Lesson, Moment, Slider, Symbol, Unit, formula_lines, letter, written};
use skinscope_session::{Command, ExampleCommand, Session};

use super::theme::{self, BODY, MARGIN, colors};
use super::value_row::ValueRow;
use super::widgets::{paint_line, section_scaled, segments};

/// The width of the page, points.
const WIDTH: f32 = 404.0;
/// The width of the page where text is large, points.
const LARGE_WIDTH: f32 = 600.0;
/// The scale of large text.
const LARGE: f32 = 1.5;
/// The picture keeps at least this part of the window.
const PICTURE: f32 = 0.42;
/// The size of the smallest window that a presentation fills with text of the scale [`LARGE`], points; in a larger one text grows with it.
const SMALL_SCREEN: Vec2 = vec2(1280.0, 720.0);
/// The most by which text grows with the screen.
const MOST_GROWTH: f32 = 2.5;
/// The part of a slider's row that its name may take; a longer name has a line of its own.
const NAME_PART: f32 = 0.52;

/// The room that each of two formulas side by side has beside its letters, points.
const PAIRED: f32 = 12.0;
/// The size of the letters of formulas, points.
const FORMULA: f32 = 16.0;
/// The scales of text that a page in a picture without a window is tried with.
const STILL_SCALES: [f32; 9] = [2.0, 1.75, 1.5, 1.3, 1.15, 1.0, 0.9, 0.82, 0.75];

/// Shows an equation that is written as one line of text, as formulas are printed.
pub(super) fn show_equation(ui: &mut Ui, text: &str) {
    equation::show(ui, &equation_text::printed(text), FORMULA, None, &|_| String::new(), &|_, _| {});
}

/// How large a page is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TextSize {
    /// The scale of all text.
    scale: f32,
    /// The width of the page where the window has room for it, points.
    width: f32,
    /// Whether the page is a part of a presentation, which has no room for what only concerns the panel.
    presents: bool,
}

impl TextSize {
    /// Returns the size of the text that the user has chosen, or that of a presentation, which fills a window of this size (points).
    pub(super) fn of(large: bool, presents: bool, window: Vec2) -> Self {
        if presents {
            let growth = (window / SMALL_SCREEN).min_elem().clamp(1.0, MOST_GROWTH);
            return Self { scale: LARGE * growth, width: LARGE_WIDTH * growth, presents };
        }
        if large { STILL } else { Self::USUAL }
    }

    /// The size that a page has at first.
    pub(super) const USUAL: Self = Self { scale: 1.0, width: WIDTH, presents: false };

    /// Returns the scale of the words in the picture beside the page, which grow less than the page.
    pub(super) fn of_words(self) -> f32 {
        self.scale.powf(0.83)
    }
}

/// The size of the text of a page that is a picture's.
pub(super) const STILL: TextSize = TextSize { scale: LARGE, width: LARGE_WIDTH, presents: false };

/// Returns the width of the page in a window so wide, points.
pub(super) fn width(window: f32, text: TextSize) -> f32 {
    text.width.min((1.0 - PICTURE) * window)
}

pub(super) fn show(ui: &mut Ui, session: &Session, text: TextSize, commands: &mut Vec<Command>) {
    let Some(lesson) = session.lesson() else { return };
    let scale = text.scale;
    let side = Margin::symmetric(MARGIN, 0);
    let head_frame = Frame::NONE.inner_margin(Margin { left: MARGIN, right: MARGIN, top: 10, bottom: 6 });
    egui::Panel::top("page head").resizable(false).frame(head_frame).show(ui, |ui| {
        head::show(ui, session, lesson, text, commands);
        // Rows are as high as what stands in them, so that all of it has one middle.
        (ui.spacing_mut().item_spacing.y, ui.spacing_mut().interact_size.y) = (3.0 * scale, theme::ROW * scale);
        let sliders = || lesson.example().sliders.iter().filter(|slider| !slider.in_picture);
        // All rails begin where the widest of the names ends that stand before them.
        let most = NAME_PART * ui.available_width();
        let widths = sliders().map(|slider| name_of(ui, slider, scale).size().x);
        let names = widths.filter(|width| *width <= most).fold(0.0, f32::max);
        for slider in sliders() {
            slider_row(ui, lesson, slider, (scale, names), commands);
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
            body(ui, session, lesson, text, commands);
        });
    });
}

fn paragraph(ui: &mut Ui, text: &str, scale: f32) {
    let text = RichText::new(text).font(theme::regular((BODY + 1.0) * scale)).color(colors(ui).text);
    ui.add(Label::new(text).wrap());
}

/// Lays out the name of a slider.
fn name_of(ui: &Ui, slider: &Slider, scale: f32) -> Arc<Galley> {
    ui.painter().layout_no_wrap(slider.label.to_owned(), theme::regular(BODY * scale), colors(ui).text)
}

/// Shows a slider; a name that is no wider than `names` (points) stands before its rail, and a longer one above it.
fn slider_row(
    ui: &mut Ui,
    lesson: &Lesson,
    slider: &'static Slider,
    (scale, names): (f32, f32),
    commands: &mut Vec<Command>,
) {
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
    if !slider.choices.is_empty() {
        let label = ui.add(Label::new(RichText::new(slider.label).font(font).color(c.text)).wrap());
        label.on_hover_text(slider.help);
        let values: Vec<(&str, f32)> = slider.values().collect();
        let shown: Vec<_> = values.iter().map(|(name, at)| (*name, *at == value, slider.help.to_owned())).collect();
        if let Some(chosen) = segments(ui, &shown) {
            commands.push(ExampleCommand::SetSlider(slider.id, values[chosen].1).into());
        }
        return;
    }
    let row = ValueRow {
        name: slider.label,
        help: slider.help,
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
    let name = name_of(ui, slider, scale);
    let change = if name.size().x <= names {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP;
            let (rect, label) = ui.allocate_exact_size(vec2(names, theme::ROW * scale), Sense::hover());
            label.widget_info(|| WidgetInfo::labeled(Role::Label, true, slider.label));
            paint_line(ui, name, rect.left(), rect.center().y, c.text);
            label.on_hover_text(slider.help);
            row.show_scaled(ui, scale)
        })
        .inner
    } else {
        let label = ui.add(Label::new(RichText::new(slider.label).font(font).color(c.text)).wrap());
        label.on_hover_text(slider.help);
        row.show_scaled(ui, scale)
    };
    if let Some(value) = change.value {
        commands.push(ExampleCommand::SetSlider(slider.id, value).into());
    }
}

fn body(ui: &mut Ui, session: &Session, lesson: &Lesson, text: TextSize, commands: &mut Vec<Command>) {
    let page = &lesson.example().page;
    let scale = text.scale;
    ui.spacing_mut().item_spacing.y = 6.0 * scale;
    // Who presents knows what to try; the formulas are what everybody looks at.
    if !text.presents {
        list(ui, "Try this", page.try_this, true, scale);
        ui.add_space(4.0);
    }
    for part in page.blocks {
        block(ui, session, lesson, part, scale, commands);
    }
    if text.presents {
        list(ui, "Try this", page.try_this, true, scale);
    }
    list(ui, "What to see", page.what_to_see, false, scale);
    section_scaled(ui, "Where it comes from", scale, |_| {});
    for source in page.sources {
        let text = format!("{}: {}", source.text, source.section);
        let text = RichText::new(text).font(theme::regular(12.0 * scale)).color(colors(ui).dim);
        ui.add(Label::new(text).wrap());
    }
    ui.add_space(12.0);
}

/// Shows lines below a title, with numbers or dots before them.
fn list(ui: &mut Ui, title: &str, lines: &[&str], numbered: bool, scale: f32) {
    section_scaled(ui, title, scale, |_| {});
    for (i, line) in lines.iter().enumerate() {
        ui.horizontal_top(|ui| {
            let mark = if numbered { format!("{}.", i + 1) } else { "·".into() };
            ui.label(RichText::new(mark).font(theme::strong((BODY + 1.0) * scale)).color(colors(ui).accent));
            paragraph(ui, line, scale);
        });
    }
}

fn block(
    ui: &mut Ui,
    session: &Session,
    lesson: &Lesson,
    block: &'static Block,
    scale: f32,
    commands: &mut Vec<Command>,
) {
    match block {
        Block::Text(text) => paragraph(ui, text, scale),
        Block::Formula(formula) => formula_block(ui, lesson, formula, scale, commands),
        Block::Chart(chart) => chart::show(ui, chart, lesson, scale, session.view().method.label, commands),
    }
}

/// Shows the page in a picture without a window, in `rect`: question, values of the sliders, texts and formulas, and what to see, as
/// large as it all fits. Where even the smallest letters do not fit, the last parts are left out; of ours only those of
/// *Three bones* and *Shapes and poses* need that at 1280×720.
pub(super) fn show_still(ui: &mut Ui, session: &Session, rect: Rect) {
    let Some(lesson) = session.lesson() else { return };
    ui.painter().rect_filled(rect, 0.0, colors(ui).panel);
    let inner = rect.shrink2(vec2(0.04 * rect.width(), 0.025 * rect.height()));
    let Some(still) = still_of(ui, session, lesson, inner) else { return };
    let mut ui = ui.new_child(UiBuilder::new().max_rect(inner));
    still_parts(&mut ui, session, lesson, still);
}

/// How a page is written into a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Still {
    scale: f32,
    /// How many parts are written: the blocks, and after the last one what to see.
    parts: usize,
    /// Whether two short formulas that follow each other stand side by side.
    paired: bool,
}

/// Returns how the page fits into `inner`: as large as all of it does, with formulas side by side where it would become small, and else
/// without its last parts. `None` where not even the first one does.
fn still_of(ui: &mut Ui, session: &Session, lesson: &Lesson, inner: Rect) -> Option<Still> {
    let parts = lesson.example().page.blocks.len() + 1;
    let all = |paired: bool| STILL_SCALES.into_iter().map(move |scale| Still { scale, parts, paired });
    let large = all(false).filter(|still| still.scale >= 1.0);
    // A text that leads to a formula goes with it.
    let blocks = lesson.example().page.blocks;
    let leads = |parts: &usize| matches!(blocks[parts - 1], Block::Text(text) if text.ends_with(':'));
    let least = STILL_SCALES[STILL_SCALES.len() - 1];
    let cut = (1..parts).rev().filter(|parts| !leads(parts)).map(|parts| Still { scale: least, parts, paired: true });
    large.chain(all(true).filter(|still| still.scale <= 1.0)).chain(cut).find(|still| {
        let id = ("probe", still.scale.to_bits(), still.parts, still.paired);
        let mut probe = ui.new_child(UiBuilder::new().max_rect(inner).invisible().id_salt(id));
        still_parts(&mut probe, session, lesson, *still);
        probe.min_rect().height() <= inner.height()
    })
}

/// Shows the first parts of a page below its question.
fn still_parts(ui: &mut Ui, session: &Session, lesson: &Lesson, Still { scale, parts, paired }: Still) {
    let c = colors(ui);
    let example = lesson.example();
    ui.spacing_mut().item_spacing.y = 6.0 * scale;
    let line = |ui: &mut Ui, text: &str, font, color| {
        ui.add(Label::new(RichText::new(text).font(font).color(color)).wrap());
    };
    line(ui, example.title, theme::strong(17.0 * scale), c.text);
    line(ui, example.question, theme::regular((BODY + 1.0) * scale), c.dim);
    let value = |slider: &Slider| {
        let value = lesson.moment().settings().get(slider.id);
        let named = slider.values().find(|(_, at)| *at == value).map(|(name, _)| name.to_owned());
        let number = if slider.unit == Unit::Degrees { value.to_radians() } else { value };
        let text = named.unwrap_or_else(|| written(f64::from(number), slider.unit, 0));
        format!("{}: {text}", slider.label)
    };
    let values = example.sliders.iter().filter(|slider| !slider.in_picture).map(value).collect::<Vec<_>>();
    line(ui, &values.join("   "), theme::strong(BODY * scale), c.accent);
    let mut rest = &example.page.blocks[..parts.min(example.page.blocks.len())];
    while let [first, after @ ..] = rest {
        rest = match (first, after) {
            (Block::Formula(one), [Block::Formula(other), after @ ..])
                if paired && show_pair(ui, lesson, [one, other], scale) =>
            {
                after
            }
            _ => {
                block(ui, session, lesson, first, scale, &mut Vec::new());
                after
            }
        };
    }
    if parts > example.page.blocks.len() {
        list(ui, "What to see", example.page.what_to_see, false, scale);
    } else {
        line(
            ui,
            "The page goes on. A picture that is higher for its width has all of it.",
            theme::regular(12.0 * scale),
            c.dim,
        );
    }
}

/// Shows two formulas without notes side by side where each has room for one line. Returns whether it did.
fn show_pair(ui: &mut Ui, lesson: &Lesson, both: [&'static Formula; 2], scale: f32) -> bool {
    let lines = both.map(|formula| formula_lines(formula, lesson.moment(), 0));
    let [one, other] = lines.map(|lines| equation::width(ui, &lines, FORMULA * scale) + PAIRED * scale);
    let room = ui.available_width() - ui.spacing().item_spacing.x;
    if both.into_iter().any(|formula| !formula.note.is_empty()) || one + other > room {
        return false;
    }
    // Pairs below each other have their second formulas below each other.
    let left = one.max((0.5 * room).min(room - other));
    ui.horizontal_top(|ui| {
        for (formula, width) in both.into_iter().zip([left, room - left]) {
            ui.allocate_ui_with_layout(vec2(width, 0.0), Layout::top_down(Align::LEFT), |ui| {
                ui.set_width(width);
                formula_block(ui, lesson, formula, scale, &mut Vec::new());
            });
        }
    });
    true
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
    let (pressed, response) = equation::show(ui, &lines, FORMULA * scale, shown, &words, &explain);
    formula_copy::menu(ui, &response, &lines[..formula.terms.len()], &lines);
    if let Some(pressed) = pressed {
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
        equation::letter(ui, &letter(symbol), FORMULA * scale);
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

#[cfg(test)]
mod tests {
    use skinscope_examples::{SCENES, Start};
    use skinscope_session::Document;

    use super::*;

    #[test]
    fn every_page_fits_beside_a_picture_of_1280_by_720_but_two_which_need_1280_by_960() {
        let ctx = egui::Context::default();
        crate::install(&ctx);
        for scene in SCENES {
            let high = ["three-bones", "shapes-and-poses"];
            let height = if high.contains(&scene.id) { 960.0 } else { 720.0 };
            let inner = Rect::from_min_size(egui::pos2(727.0, 18.0), vec2(530.0, 0.95 * height));
            let mut session = Session::default();
            session.open(Document::of_lesson(Lesson::new(Start::of(scene.example()))));
            let mut still = None;
            // The fonts are there after the first pass.
            for _ in 0..2 {
                let mut output = ctx.run_ui(egui::RawInput::default(), |ui| {
                    still = still_of(ui, &session, session.lesson().unwrap(), inner);
                });
                output.textures_delta.clear();
            }
            let parts = scene.example().page.blocks.len() + 1;
            assert_eq!(still.map(|still| still.parts), Some(parts), "{}: {still:?}", scene.id);
        }
    }

    #[test]
    fn a_page_that_is_cut_says_that_it_goes_on() {
        let ctx = egui::Context::default();
        crate::install(&ctx);
        let scene = SCENES.iter().find(|scene| scene.id == "three-bones").unwrap();
        let mut session = Session::default();
        session.open(Document::of_lesson(Lesson::new(Start::of(scene.example()))));
        for (height, is_cut) in [(720.0, true), (960.0, false)] {
            let mut says = false;
            for _ in 0..2 {
                let rect = Rect::from_min_size(egui::pos2(704.0, 0.0), vec2(576.0, height));
                let mut output = ctx.run_ui(egui::RawInput::default(), |ui| show_still(ui, &session, rect));
                output.textures_delta.clear();
                says = output.shapes.iter().any(|shape| match &shape.shape {
                    egui::Shape::Text(text) => text.galley.text().starts_with("The page goes on"),
                    _ => false,
                });
            }
            assert_eq!(says, is_cut, "{height}");
        }
    }
}
