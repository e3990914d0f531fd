//! The benchmark of the open model: it runs in the background once it is asked for, and shows each ratio with its
//! spread.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use egui::{Frame, Label, Margin, RichText, ScrollArea, Ui};
use glam::Affine3A;
use skinscope_inspect::benchmark::{Benchmark, CostOf};
use skinscope_model::{LocalPose, Model};
use skinscope_session::Session;

use super::{Tab, bar};
use crate::background_query::BackgroundQuery;
use crate::theme::{self, MARGIN, colors};
use crate::widgets::text_button;

/// Adds what only a graphics device can measure to a benchmark of a model: with its skinning matrices and its pose. Returns `None` where it was
/// cancelled.
pub type DeviceBenchmark =
    dyn Fn(&mut Benchmark, &Arc<Model>, (&[Affine3A], &LocalPose), &AtomicBool) -> Option<()> + Send + Sync;

/// The part of the benchmark that the application does, since panels know no device.
#[derive(Clone)]
pub struct MeasuresOnDevice(pub Arc<DeviceBenchmark>);

impl fmt::Debug for MeasuresOnDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MeasuresOnDevice")
    }
}

impl Default for MeasuresOnDevice {
    /// Says that there is no device.
    fn default() -> Self {
        let none = |benchmark: &mut Benchmark, _: &Arc<Model>, _: (&[Affine3A], &LocalPose), cancel: &AtomicBool| {
            benchmark.compare_buffers(Err("there is no graphics device".to_owned()), cancel)?;
            benchmark.compare_device(Err("there is no graphics device".to_owned()), cancel)
        };
        Self(Arc::new(none))
    }
}

/// State of the page for the open model.
#[derive(Debug, Default)]
pub(super) struct BenchmarkState {
    /// How often it was asked for; 0: never.
    asked: u32,
    run: BackgroundQuery<u32, Option<Benchmark>>,
}

/// Shows the page.
pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    tab: &mut Tab,
    state: &mut BenchmarkState,
    on_device: &MeasuresOnDevice,
) {
    state.run.take(ui);
    let (mut pressed, mut cancelled) = (false, false);
    let label = if state.asked == 0 { "Measure" } else { "Measure again" };
    let is_running = state.run.is_under_way();
    bar(
        ui,
        tab,
        150.0,
        |ui| {
            if is_running {
                let cancel = text_button(ui, None, "Cancel", false);
                cancelled = cancel.on_hover_text("Stop measuring; figures of this model go").clicked();
                return;
            }
            let button = text_button(ui, None, label, false);
            let help = "Run it now, beside the pictures, on the model in its pose; it takes a second or two";
            pressed = button.on_hover_text(help).clicked();
        },
        None,
    );
    if cancelled {
        *state = BenchmarkState::default();
    }
    if let Some(model) = session.model().filter(|_| pressed) {
        state.asked += 1;
        let (model, palette) = (Arc::clone(model), session.pose().palettes.clone());
        let (local, on_device) = (session.pose().local.clone(), on_device.clone());
        state.run.ask(ui, state.asked, false, move |cancel| {
            let mut benchmark = Benchmark::of(&model, (&palette, &local.morph_weights), cancel);
            if let Some(benchmark) = &mut benchmark {
                (on_device.0)(benchmark, &model, (&palette, &local), cancel)?;
            }
            Some(benchmark)
        });
    }
    Frame::NONE.inner_margin(Margin::symmetric(MARGIN, 4)).show(ui, |ui| {
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| match state.run.latest() {
            Some(Some(benchmark)) => {
                if is_running && !cancelled {
                    note(ui, "Measuring… The figures below are of the last time.");
                }
                figures(ui, benchmark);
            }
            Some(None) => note(ui, "This model has no vertices, so that there is nothing to measure."),
            None if is_running && !cancelled || pressed => note(ui, "Measuring…"),
            None => note(
                ui,
                "What a textbook says about speed, measured on this model: what parting rigid vertices saves, which loop is faster, \
                 3×4 against 4×4 matrices, a fast inverse square root, a palette in a uniform buffer or in a storage buffer of the \
                 graphics device, and that device against the processor.",
            ),
        });
    });
}

fn note(ui: &mut Ui, text: &str) {
    ui.add(Label::new(RichText::new(text).color(colors(ui).dim)).wrap());
}

fn figures(ui: &mut Ui, benchmark: &Benchmark) {
    let c = colors(ui);
    let mut row = |title: String, words: String| {
        ui.add(Label::new(RichText::new(title).font(theme::strong(theme::BODY)).color(c.text)).wrap());
        note(ui, &words);
        ui.add_space(4.0);
    };
    for one in &benchmark.measured {
        let title = format!("{} against {}: {}", one.ways[0], one.ways[1], one.ratio_text());
        row(title, format!("{}. The text: {}.", one.times_text(), one.claim));
    }
    for one in &benchmark.not_measured {
        row(format!("{} against {}: {}", one.ways[0], one.ways[1], one.text()), format!("The text: {}.", one.claim));
    }
    for (of, title) in
        [(CostOf::Method, "A vertex by each method"), (CostOf::Normals, "A vertex by each mode of normals")]
    {
        let text = RichText::new(format!("{title}, on all cores")).font(theme::strong(theme::BODY)).color(c.text);
        ui.add(Label::new(text).wrap());
        for cost in benchmark.costs.iter().filter(|cost| cost.of == of) {
            let exact =
                cost.from_exact.map_or_else(String::new, |m| format!("; {m:.1e} m from double precision at most"));
            note(ui, &format!("{}: {}{exact}", cost.label, cost.text()));
        }
        ui.add_space(4.0);
    }
    for line in benchmark.counts() {
        note(ui, &line);
    }
}
