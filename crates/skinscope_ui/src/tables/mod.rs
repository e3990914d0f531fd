//! The tables below the picture: joints, vertices, palette, skins. Figures and weights are those that the file stores,
//! whatever the picture shows. Owns searches, filters and orders; the rows come from [`skinscope_inspect::tables`].

mod benchmark;
mod curves;
mod joints;
mod palette;
mod poses;
mod skins;
mod text;
mod vertex_cells;
mod vertex_columns;
mod vertex_edit;
mod vertex_filters;
mod vertices;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use egui::{Align, Frame, Layout, Margin, RichText, Ui, vec2};
use skinscope_inspect::check::{CheckOptions, RepairTool};
use skinscope_inspect::tables::{JointTable, SkinSummary, VertexTable, skin_summaries};
use skinscope_model::{BindEdits, Model, NodeId, Skin, SkinId, WeightEdits};
use skinscope_session::{Command, Session};

pub use self::benchmark::{DeviceBenchmark, MeasuresOnDevice};
use super::background_query::BackgroundQuery;
use super::table::Column;
use super::theme::{self, MARGIN, colors};
use super::widgets::{drop_down, segments, text_button};
use super::{Status, UiState};

/// A table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Tab {
    #[default]
    Joints,
    Vertices,
    Palette,
    Skins,
    Curves,
    Poses,
    Benchmark,
}

const TABS: [(Tab, &str, &str); 7] = [
    (Tab::Joints, "Joints", "What each joint does to the vertices"),
    (Tab::Vertices, "Vertices", "Which joints move each vertex, and how much"),
    (Tab::Palette, "Palette", "World, inverse bind and skinning matrix of each joint, as they are now"),
    (Tab::Skins, "Skins", "What each skin holds, and how its influences are spread"),
    (Tab::Curves, "Curves", "How the clip moves the selected joint, over time"),
    (Tab::Poses, "Poses", "The pose files of a folder: a click shows one"),
    (Tab::Benchmark, "Benchmark", "What a textbook says about the speed of skinning, measured on this model"),
];

/// How many tables there are.
pub(super) const COUNT: usize = TABS.len();

/// Returns the name of each table, with what it shows.
pub(super) fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABS.iter().map(|(_, name, help)| (*name, *help))
}

/// State of the tables for the open model.
#[derive(Debug, Default)]
pub(super) struct Tables {
    tab: Tab,
    base: BackgroundQuery<Counted, TableData>,
    joints: joints::JointTableState,
    vertices: vertices::VertexTableState,
    palette: palette::PaletteTableState,
    skins: skins::SkinTableState,
    curves: curves::Curves,
    poses: poses::Poses,
    benchmark: benchmark::BenchmarkState,
}

/// The edits of weights and inverse bind matrices that something was counted with.
#[derive(Clone, Debug, Default)]
struct Counted(WeightEdits, BindEdits);

impl PartialEq for Counted {
    /// Weights are the same where they are one piece of memory.
    fn eq(&self, other: &Self) -> bool {
        self.0.is_same(&other.0) && self.1 == other.1
    }
}

/// Data that all tables start from. It is computed once for each model, and again when its weights or matrices change.
#[derive(Debug)]
struct TableData {
    counted: Counted,
    vertices: Arc<VertexTable>,
    joints: JointTable,
    skins: Vec<SkinSummary>,
    /// The most influences of a vertex.
    most: usize,
    /// For each skin: its joints with their slots in it, sorted by node.
    slots: Vec<Vec<(NodeId, u16)>>,
}

impl TableData {
    fn of(model: &Model, cancel: &AtomicBool) -> Option<Self> {
        let vertices = Arc::new(VertexTable::of(model));
        let joints = JointTable::of(model, &vertices, cancel)?;
        let slots = |skin: &Skin| {
            let mut slots: Vec<(NodeId, u16)> = skin.joints.iter().copied().zip(0..=u16::MAX).collect();
            slots.sort_unstable();
            slots
        };
        let influences = vertices.parts.iter().filter_map(|p| p.influences(model));
        let most = influences.map(|i| i.most_used()).max().unwrap_or(0);
        let skins = skin_summaries(model, &vertices, CheckOptions::default().limit);
        let counted = Counted(model.weight_edits().clone(), model.bind_edits().clone());
        Some(Self { counted, vertices, joints, skins, most, slots: model.skins.iter().map(slots).collect() })
    }

    fn slot(&self, skin: SkinId, node: NodeId) -> Option<u16> {
        let slots = &self.slots[skin.index()];
        slots.binary_search_by_key(&node, |s| s.0).ok().map(|at| slots[at].1)
    }
}

/// The data that every table reads.
#[derive(Clone, Copy)]
struct TableContext<'a> {
    session: &'a Session,
    /// The model as stored.
    model: &'a Arc<Model>,
    base: &'a TableData,
}

/// The most weights that are counted within a frame; more are counted on a thread.
const QUICK: usize = 60_000;

impl Tables {
    /// Discards everything about the last model, since another one is open.
    pub(super) fn forget(&mut self) {
        *self = Self { tab: self.tab, ..Self::default() };
    }

    /// Returns whether the library of poses is chosen.
    pub(super) fn shows_poses(&self) -> bool {
        self.tab == Tab::Poses
    }

    /// Chooses the library of poses.
    pub(super) fn choose_poses(&mut self) {
        self.tab = Tab::Poses;
    }

    /// Chooses a table by its place in [`names`].
    pub(super) fn choose_at(&mut self, place: usize) {
        if let Some((tab, ..)) = TABS.get(place) {
            self.tab = *tab;
        }
    }

    /// Chooses the table of joints, with the rows of one skin.
    pub(super) fn choose_joints_of(&mut self, skin: SkinId) {
        self.tab = Tab::Joints;
        self.joints.choose_skin(skin);
    }

    /// Chooses the table that a finding is looked at in.
    pub(super) fn choose_for(&mut self, tool: RepairTool) {
        match tool {
            RepairTool::Joints => self.tab = Tab::Joints,
            RepairTool::Vertices => self.tab = Tab::Vertices,
            RepairTool::Operation(_) => {}
        }
    }
}

pub(super) fn show(ui: &mut Ui, session: &Session, state: &mut UiState, status: &Status, commands: &mut Vec<Command>) {
    let tables = &mut state.tables;
    let Some(document) = session.document() else {
        return empty(ui, &mut tables.tab, "Open a file to see its joints and weights as tables.");
    };
    let model = &document.model;
    if tables.tab == Tab::Curves {
        return curves::show(ui, session, &mut tables.tab, &mut tables.curves, commands);
    }
    if tables.tab == Tab::Poses {
        return poses::show(ui, session, &mut tables.tab, &mut tables.poses, &status.library, commands);
    }
    if tables.tab == Tab::Benchmark {
        return benchmark::show(ui, session, &mut tables.tab, &mut tables.benchmark, &state.on_device);
    }
    if model.skins.is_empty() {
        return empty(ui, &mut tables.tab, "This model has no skin, so there are no joints and no weights to list.");
    }
    let quick = model.drawn_vertices() <= QUICK;
    let counted = Arc::clone(model);
    tables.base.ask(ui, Counted(model.weight_edits().clone(), model.bind_edits().clone()), quick, move |cancel| {
        TableData::of(&counted, cancel)
    });
    let Some(base) = tables.base.latest() else {
        return empty(ui, &mut tables.tab, "Counting weights…");
    };
    let given = TableContext { session, model, base };
    let (tab, hovered) = (&mut tables.tab, &mut state.hovered);
    match *tab {
        Tab::Joints => joints::show(ui, given, tab, &mut tables.joints, hovered, commands),
        Tab::Vertices => vertices::show(ui, given, tab, &mut tables.vertices, commands),
        Tab::Palette => palette::show(ui, given, tab, &mut tables.palette, hovered, commands),
        Tab::Skins => skins::show(ui, given, tab, &mut tables.skins, commands),
        Tab::Curves | Tab::Poses | Tab::Benchmark => {}
    }
}

/// Shows a line that says why there is no table.
fn empty(ui: &mut Ui, tab: &mut Tab, why: &str) {
    bar(ui, tab, 0.0, |_| {}, None);
    Frame::NONE.inner_margin(Margin::symmetric(MARGIN, 8)).show(ui, |ui| {
        ui.label(RichText::new(why).color(colors(ui).dim));
    });
    ui.take_available_space();
}

/// The width of the choice of table with the space after it, points.
const TABS_WIDTH: f32 = 482.0;
/// The least room for filters beside that choice; with less they have a row of their own, points.
const LEAST_FILTERS: f32 = 200.0;

/// Returns how much room filters have in the row of the choice of table, or else in a row of their own, points.
fn room_of_filters(ui: &Ui, status: &StatusText) -> f32 {
    let row = ui.available_width() - 2.0 * f32::from(MARGIN);
    let beside = row - TABS_WIDTH - status.width();
    match beside {
        beside if beside >= LEAST_FILTERS => beside,
        beside if beside >= 0.0 => row,
        _ => row - status.width(),
    }
}

/// Shows the choice of table, its filters (as wide as `wanted` points), how many rows there are, and Copy; returns true
/// when that was pressed.
fn bar(ui: &mut Ui, tab: &mut Tab, wanted: f32, filters: impl FnOnce(&mut Ui), status: Option<&StatusText>) -> bool {
    let mut copy = false;
    Frame::NONE.inner_margin(Margin { left: MARGIN, right: MARGIN, top: 8, bottom: 6 }).show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(8.0, 6.0);
        let right = status.map_or(0.0, StatusText::width);
        let one_row = ui.available_width() >= TABS_WIDTH + wanted + right;
        let mut status = status;
        let mut filters = Some(filters);
        ui.horizontal(|ui| {
            ui.set_min_height(26.0);
            let tabs = TABS.map(|(t, text, tip)| (text, t == *tab, tip.to_owned()));
            if let Some(chosen) = segments(ui, &tabs) {
                *tab = TABS[chosen].0;
            }
            ui.add_space(4.0);
            if one_row && let Some(filters) = filters.take() {
                filters(ui);
            }
            if ui.available_width() >= right
                && let Some(status) = status.take()
            {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| copy = copy_button(ui, status));
            }
        });
        if filters.is_some() || status.is_some() {
            ui.horizontal_wrapped(|ui| {
                if let Some(filters) = filters {
                    filters(ui);
                }
                if let Some(status) = status {
                    copy = copy_button(ui, status);
                }
            });
        }
    });
    copy
}

/// The text that the bar shows about the rows.
struct StatusText {
    /// The number of rows, such as "12 of 41 joints".
    rows: String,
    /// The reason why they cannot be copied.
    no_copy: Option<String>,
}

impl StatusText {
    /// Returns about how wide it is with the button beside it, points.
    fn width(&self) -> f32 {
        80.0 + 6.5 * self.rows.chars().count() as f32
    }
}

fn copy_button(ui: &mut Ui, status: &StatusText) -> bool {
    let c = colors(ui);
    let button = ui.add_enabled_ui(status.no_copy.is_none(), |ui| text_button(ui, None, "Copy", false)).inner;
    let tip = "Copy the rows of this table, as filtered, with a header line: paste them into a spreadsheet (Ctrl+C copies \
               the selected rows)";
    let button = button.on_hover_text(tip).on_disabled_hover_text(status.no_copy.as_deref().unwrap_or_default());
    ui.label(RichText::new(&status.rows).font(theme::regular(12.0)).color(c.dim));
    button.clicked()
}

/// Shows the choice of a skin, where there are several.
fn choose_skin(ui: &mut Ui, model: &Model, now: &mut Option<SkinId>) {
    if model.skins.len() < 2 {
        return;
    }
    let shown = name_of_choice(model, *now);
    drop_down(ui, "Skin", &shown, 120.0, ROWS_OF_SKIN, |ui| skin_rows(ui, model, now));
}

const ROWS_OF_SKIN: &str = "Show the rows of one skin, or of all";

/// Returns the name of a skin whose rows are shown; `None`: of all.
fn name_of_choice(model: &Model, skin: Option<SkinId>) -> String {
    skin.map_or_else(|| "All skins".to_owned(), |s| skin_name(model, s))
}

/// Shows all skins as a list, of which one is chosen.
fn skin_rows(ui: &mut Ui, model: &Model, now: &mut Option<SkinId>) {
    for skin in std::iter::once(None).chain((0..model.skins.len()).map(|i| Some(SkinId::from_index(i)))) {
        if ui.selectable_label(skin == *now, name_of_choice(model, skin)).clicked() {
            *now = skin;
        }
    }
}

/// Returns the name of a skin, with its number where there are several.
fn skin_name(model: &Model, skin: SkinId) -> String {
    match (model.skins[skin.index()].name.as_str(), model.skins.len()) {
        ("", _) => format!("Skin {}", skin.0),
        (name, 1) => name.to_owned(),
        (name, _) => format!("{} {name}", skin.0),
    }
}

/// Makes a column of numbers.
fn number_column(title: &str, width: f32, help: &str) -> Column {
    let (title, help) = (title.to_owned(), help.to_owned());
    Column { title, help, width, right: true, sorts: true, ..Column::default() }
}

/// Makes a column of words.
fn text_column(title: &str, width: f32, help: &str) -> Column {
    Column { right: false, ..number_column(title, width, help) }
}

/// Returns the next order after a click on a column: numbers begin with the largest first, words with the smallest,
/// then comes the reverse, then none.
fn next_order<C: Copy + PartialEq>(now: Option<(C, bool)>, column: C, descends: bool) -> Option<(C, bool)> {
    match now {
        Some((same, way)) if same == column => (way == descends).then_some((column, !descends)),
        _ => Some((column, descends)),
    }
}
