//! The benchmark of the open model: it runs beside the pictures once it is asked for, and says each ratio with its spread.

use std::sync::Arc;

use egui::{Frame, Label, Margin, RichText, ScrollArea, Ui};

use super::{Tab, bar};
use crate::app::ui::background_query::BackgroundQuery;
use crate::app::ui::theme::{self, MARGIN, colors};
use crate::app::ui::widgets::text_button;
use crate::inspect::benchmark::Benchmark;
use crate::session::Session;

/// State of the page for the open model.
#[derive(Debug, Default)]
pub(super) struct BenchmarkState {
    /// How often it was asked for; 0: never.
    asked: u32,
    run: BackgroundQuery<u32, Option<Benchmark>>,
}

/// Shows the page.
pub(super) fn show(ui: &mut Ui, session: &Session, tab: &mut Tab, state: &mut BenchmarkState) {
    state.run.take(ui);
    let mut pressed = false;
    let label = if state.asked == 0 { "Measure" } else { "Measure again" };
    let is_running = state.run.is_under_way();
    bar(
        ui,
        tab,
        150.0,
        |ui| {
            let text = if is_running { "Measuring…" } else { label };
            let button = ui.add_enabled_ui(!is_running, |ui| text_button(ui, None, text, false)).inner;
            let help = "Run the loops now, beside the pictures, on the model in its pose; it takes about a second";
            pressed = button.on_hover_text(help).clicked();
        },
        None,
    );
    if let Some(model) = session.model().filter(|_| pressed) {
        state.asked += 1;
        let (model, palette) = (Arc::clone(model), session.pose().palettes.clone());
        state.run.ask(ui, state.asked, false, move |cancel| Some(Benchmark::of(&model, &palette, cancel)));
    }
    Frame::NONE.inner_margin(Margin::symmetric(MARGIN, 4)).show(ui, |ui| {
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| match state.run.latest() {
            Some(Some(benchmark)) => figures(ui, benchmark),
            Some(None) => note(ui, "This model has no vertices, so that there is nothing to measure."),
            None if is_running || pressed => note(ui, "Measuring…"),
            None => note(
                ui,
                "What a textbook says about speed, measured on this model: what parting rigid vertices saves, which loop is faster, \
                 3×4 against 4×4 matrices, and a fast inverse square root.",
            ),
        });
    });
}

fn note(ui: &mut Ui, text: &str) {
    ui.add(Label::new(RichText::new(text).color(colors(ui).dim)).wrap());
}

fn figures(ui: &mut Ui, benchmark: &Benchmark) {
    let c = colors(ui);
    for one in &benchmark.measured {
        let title = format!("{} against {}: {}", one.ways[0], one.ways[1], one.ratio_text());
        ui.add(Label::new(RichText::new(title).font(theme::strong(theme::BODY)).color(c.text)).wrap());
        note(ui, &format!("{}. The text: {}.", one.times_text(), one.claim));
        ui.add_space(4.0);
    }
    for line in benchmark.counts() {
        note(ui, &line);
    }
}
