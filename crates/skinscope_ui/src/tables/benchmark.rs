//! The benchmark of the open model: it runs in the background once it is asked for, and shows each ratio with its
//! spread in a table.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use egui::{Align, Frame, Label, Layout, Margin, RichText, ScrollArea, Ui, vec2};
use glam::Affine3A;
use skinscope_base::words::sentence_case;
use skinscope_inspect::benchmark::{Benchmark, CostOf, RootFigures};
use skinscope_model::{LocalPose, Model};
use skinscope_session::Session;

use super::{Tab, bar};
use crate::background_query::BackgroundQuery;
use crate::theme::{self, MARGIN, colors};
use crate::widgets::{progress_bar, text_button};

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
            benchmark.compare_device(Err("there is no graphics device".to_owned()), cancel)?;
            benchmark.add_device_roots(Err("there is no graphics device".to_owned()), cancel)
        };
        Self(Arc::new(none))
    }
}

/// State of the page for the open model.
#[derive(Debug, Default)]
pub(super) struct BenchmarkState {
    /// How often it was asked for; 0: never.
    asked: u32,
    /// How many parts of the run that is under way are done.
    done: Arc<AtomicUsize>,
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
        state.done = Arc::default();
        let done = Arc::clone(&state.done);
        let (model, palette) = (Arc::clone(model), session.pose().palettes.clone());
        let (local, on_device) = (session.pose().local.clone(), on_device.clone());
        state.run.ask(ui, state.asked, false, move |cancel| {
            let tell = |parts| done.store(parts, Ordering::Relaxed);
            let mut benchmark = Benchmark::of_telling(&model, (&palette, &local.morph_weights), cancel, &tell);
            if let Some(benchmark) = &mut benchmark {
                (on_device.0)(benchmark, &model, (&palette, &local), cancel)?;
            }
            Some(benchmark)
        });
    }
    let is_running = is_running && !cancelled || pressed;
    Frame::NONE.inner_margin(Margin::symmetric(MARGIN, 4)).show(ui, |ui| {
        if is_running {
            let done = state.done.load(Ordering::Relaxed) as f32;
            progress_bar(ui, "Benchmark measured", done / Benchmark::PARTS as f32);
            ui.add_space(4.0);
        }
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| match state.run.latest() {
            Some(Some(benchmark)) => {
                if is_running {
                    note(ui, "Measuring… The figures below are of the last time.");
                }
                figures(ui, benchmark);
            }
            Some(None) => note(ui, "This model has no vertices, so that there is nothing to measure."),
            None if is_running => note(ui, "Measuring…"),
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

/// The titles of the columns, and the share of the width that each has.
const COLUMNS: [(&str, f32); 4] = [("What", 0.24), ("The text says", 0.24), ("Measured", 0.34), ("Spread", 0.18)];
/// The space between two columns, points.
const COLUMN_GAP: f32 = 16.0;

/// Shows one row, whose cells wrap in their columns.
fn row(ui: &mut Ui, cells: [RichText; 4]) {
    let width = (ui.available_width() - 3.0 * COLUMN_GAP).max(0.0);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = COLUMN_GAP;
        for (cell, (_, share)) in cells.into_iter().zip(COLUMNS) {
            ui.allocate_ui_with_layout(vec2(share * width, 0.0), Layout::top_down(Align::Min), |ui| {
                ui.set_width(share * width);
                ui.add(Label::new(cell).wrap());
            });
        }
    });
    ui.add_space(4.0);
}

fn figures(ui: &mut Ui, benchmark: &Benchmark) {
    let c = colors(ui);
    let head = |title: &str| RichText::new(title).font(theme::strong(theme::SMALL)).color(c.dim);
    let name = |words: &str| RichText::new(sentence_case(words)).font(theme::strong(theme::BODY)).color(c.text);
    let text = |words: &str| RichText::new(sentence_case(words)).color(c.text);
    let dim = |words: &str| RichText::new(sentence_case(words)).color(c.dim);
    let against = |ways: [&str; 2]| name(&format!("{} against {}", ways[0], ways[1]));
    row(ui, COLUMNS.map(|(title, _)| head(title)));
    for one in &benchmark.measured {
        let measured = format!("{}.\n{}.", one.verdict_text(), sentence_case(&one.times_text()));
        row(ui, [against(one.ways), dim(one.claim), text(&measured), dim(&one.spread_text())]);
    }
    for one in &benchmark.not_measured {
        row(ui, [against(one.ways), dim(one.claim), text(&one.text()), dim("")]);
    }
    for (of, title) in
        [(CostOf::Method, "A vertex by each method"), (CostOf::Normals, "A vertex by each mode of normals")]
    {
        ui.add_space(4.0);
        row(ui, [title, "", "On all cores", "Spread"].map(head));
        for cost in benchmark.costs.iter().filter(|cost| cost.of == of) {
            let [_, lower, median, upper, _] = cost.ns;
            let exact =
                cost.from_exact.map_or_else(String::new, |m| format!("; {m:.1e} m from double precision at most"));
            let spread = format!("half of all turns {lower:.1}–{upper:.1}");
            row(ui, [name(cost.label), dim(""), text(&format!("{median:.1} ns{exact}")), dim(&spread)]);
        }
    }
    ui.add_space(4.0);
    row(ui, ["A direction scaled to length one", "Error, at most", "Time", "Spread"].map(head));
    for root in &benchmark.roots {
        let cells = match &root.measured {
            Ok(RootFigures { ns: [_, lower, median, upper, _], error, runs_on }) => [
                dim(&format!("{error:.1e}")),
                text(&format!("{median:.2} ns on {runs_on}")),
                dim(&format!("half of all turns {lower:.2}–{upper:.2}")),
            ],
            Err(_) => [dim(""), text(&root.text()), dim("")],
        };
        let [error, time, spread] = cells;
        row(ui, [name(root.way), error, time, spread]);
    }
    ui.add_space(4.0);
    for line in benchmark.counts() {
        note(ui, &line);
    }
}
