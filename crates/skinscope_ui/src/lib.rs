//! The panels: they read the session and push commands, so nothing here changes what is open. Owns only the state of
//! the window itself: which panels are shown and how large, theme, search text, open dialogs. Knows nothing of the GPU.

#![forbid(unsafe_code)]

mod aside;
mod asked_file;
mod background_query;
mod bidi;
mod bones;
mod card;
mod clip_layers;
mod clip_names;
mod clip_panel;
mod comparison;
mod controls;
mod copied;
mod crowd;
mod deformation;
mod dialogs;
mod dropped;
mod explain;
mod explain_text;
mod exports;
mod finder;
mod findings;
mod focus;
pub mod fonts;
mod ghosts;
mod gizmo;
pub mod icons;
mod inspector;
mod keys;
mod legend;
mod marks;
mod matrices;
mod measures;
mod menu;
mod menu_state;
mod morphs;
mod names;
mod normal_modes;
mod outliner;
mod outliner_row;
mod over;
mod page;
mod palette;
mod pose_library;
mod recent;
mod ruler;
mod rules;
mod runtime;
mod save_status;
mod saved;
mod saving;
mod search_list;
mod status;
mod summary;
mod table;
mod table_cells;
mod table_state;
mod tables;
pub mod theme;
mod timeline;
mod tools;
mod triad;
mod value_row;
mod viewport;
mod widgets;

use std::path::PathBuf;
use std::sync::{Arc, Weak};

pub use asked_file::{AskedFile, AskedStage, PoseReport, SessionReport};
use egui::accesskit::Action;
use egui::containers::panel::PanelState;
use egui::{Frame, Id, IdSalt, Margin, Pos2, Rect, Theme, Ui, Vec2, vec2};
pub use keys::{mark_number_pad, turns};
pub use over::{Over, show_over};
pub use pose_library::{LibraryPose, PoseLibrary};
pub use save_status::{ChangedStatus, RecoveryOffer, SaveStage, SaveStatus, SaveSummary, UnsavedStatus};
pub use saved::Saved;
use skinscope_base::math::Ramp;
use skinscope_deform::PaletteLimits;
use skinscope_model::{Model, NodeId};
use skinscope_session::{
    ClipNames, Command, Document, Keymap, Panel, SelectionCommand, Session, ViewCommand, WindowCommand,
};
pub use tables::{DeviceBenchmark, MeasuresOnDevice};
pub use viewport::ViewportArea;

use self::focus::FocusRegion;

/// A load under way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loading {
    /// The name of the file.
    pub name: String,
    /// The share that is done, 0…1.
    pub fraction: f32,
    /// The present step.
    pub stage: String,
    /// Whether the model is shown already, while its images are still on their way.
    pub is_open: bool,
}

/// Work that takes long and is done beside the pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct BackgroundStatus {
    /// The name of the work.
    pub what: String,
    /// The share that is done, 0…1; `None` where that is not known.
    pub fraction: Option<f32>,
    /// The command that stops it, where it can be stopped.
    pub cancel: Option<Command>,
}

/// Messages of the application to the panels, set for each frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// A load under way; its *Cancel* sends [`skinscope_session::FileCommand::CancelLoad`].
    pub loading: Option<Loading>,
    /// Whether the open model is being inspected; *Stop* sends [`skinscope_session::InspectionCommand::CancelInspect`].
    pub checking: bool,
    /// Other work that takes long.
    pub work: Option<BackgroundStatus>,
    /// An error message that says what went wrong, where, and what to do. Closing it sends [`skinscope_session::FileCommand::CancelLoad`].
    pub error: Option<String>,
    /// The share of a range of motion that is measured, 0…1; its *Cancel* sends
    /// [`skinscope_session::InspectionCommand::CancelRom`].
    pub rom: Option<f32>,
    /// The share of a clip that is measured, 0…1.
    pub curves: Option<f32>,
    /// How much of a clip was looked at for the worst moment of a comparison, 0…1.
    pub worst: Option<f32>,
    /// The name of the GPU, for the About dialog.
    pub adapter: String,
    /// A model is about to be saved; its *Save* sends [`skinscope_session::FileCommand::SaveTo`], closing the dialog [`skinscope_session::FileCommand::CloseFile`].
    pub saving: Option<SaveStatus>,
    /// Edits would be lost; the answer is [`skinscope_session::FileCommand::AnswerUnsaved`].
    pub unsaved: Option<UnsavedStatus>,
    /// The open file has changed while there is unsaved work; the answer is [`skinscope_session::FileCommand::AnswerChanged`].
    pub changed: Option<ChangedStatus>,
    /// Edits of an earlier run; the answer is [`skinscope_session::FileCommand::AnswerRecovery`].
    pub recovery: Option<RecoveryOffer>,
    /// A file is asked for, to be written or read; closing the dialog sends [`skinscope_session::FileCommand::CloseFile`].
    pub asked_file: Option<AskedFile>,
    /// The poses of the library, while it is shown.
    pub library: PoseLibrary,
    /// A model that was dropped beside the open one; the user is asked what it is for.
    pub dropped: Option<PathBuf>,
    /// Which joints are which of the clips that were taken last; the dialog shows it while it says so.
    pub clip_names: Option<ClipNames>,
    /// The last short message ([`Status::say`], [`Status::warn`]).
    pub notice: Notice,
    /// How many joint matrices its buffers hold; `None` while there is no GPU.
    pub palette_limits: Option<PaletteLimits>,
}

/// A short message; each is shown once, for a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notice {
    /// How many messages there were before it, and it.
    number: u64,
    text: String,
    /// Whether something was not done, or not as a whole.
    is_warning: bool,
}

impl Status {
    /// Says what was done, beside a tick.
    pub fn say(&mut self, text: String) {
        self.notice = Notice { number: self.notice.number + 1, text, is_warning: false };
    }

    /// Says what was not done, or not as a whole, beside the sign of a warning.
    pub fn warn(&mut self, text: String) {
        self.notice = Notice { number: self.notice.number + 1, text, is_warning: true };
    }
}

/// The dialogs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialog {
    Keys,
    About,
}

/// The state of the window itself.
#[derive(Debug, Default)]
pub struct UiState {
    saved: Saved,
    started: bool,
    dialog: Option<Dialog>,
    saving: saving::SaveDialog,
    asked_file: asked_file::FileDialog,
    clip_names: clip_names::NamesDialog,
    finder: finder::Finder,
    /// The key is held that shows the stored weights.
    holds_stored: bool,
    /// The model that the panels were built for: the file's model, and the one that is shown of it.
    model: Weak<Model>,
    shown_model: Weak<Model>,
    outliner: outliner::Outliner,
    findings: findings::Findings,
    inspector: inspector::Inspector,
    timeline: timeline::Timeline,
    tables: tables::Tables,
    /// Does the part of the benchmark that needs a graphics device.
    on_device: MeasuresOnDevice,
    focus: focus::Focus,
    /// Whether a text field had the focus when the last pass ended.
    in_text: bool,
    viewport: viewport::Viewport,
    /// The node that the pointer is over this frame, in whatever panel.
    hovered: Option<NodeId>,
}

impl UiState {
    /// Starts with the settings of the last run.
    #[must_use]
    pub fn new(saved: Saved) -> Self {
        Self { saved, ..Self::default() }
    }

    /// Sets what does the part of the benchmark that needs a graphics device. Without it the benchmark says that there is none.
    #[must_use]
    pub fn measuring_on(mut self, device: MeasuresOnDevice) -> Self {
        self.on_device = device;
        self
    }

    /// Returns the settings that should be remembered.
    #[must_use]
    pub fn saved(&self) -> Saved {
        self.saved.clone()
    }

    /// Returns whether the theme is dark.
    #[must_use]
    pub fn is_dark(&self) -> bool {
        !self.saved.light
    }

    /// Returns whether the open file is read again once it has changed.
    #[must_use]
    pub fn follows_files(&self) -> bool {
        self.saved.watch
    }

    /// Returns whether the library of poses is shown.
    #[must_use]
    pub fn shows_poses(&self) -> bool {
        self.saved.tables && self.tables.shows_poses()
    }

    /// Takes another folder for the library of poses; `None`: that of the open model.
    pub fn set_pose_folder(&mut self, folder: Option<PathBuf>) {
        self.saved.pose_folder = folder;
    }

    /// Carries out a command about the window itself.
    pub fn carry_out(&mut self, command: &WindowCommand) {
        match command {
            WindowCommand::ToggleTheme => self.saved.light = !self.saved.light,
            WindowCommand::TogglePanel(panel) => {
                let shown = self.shown(*panel);
                *shown = !*shown;
            }
            WindowCommand::FindNode => {
                self.saved.outliner = true;
                self.focus.by_key = true;
                self.outliner.find();
            }
            WindowCommand::ToggleWatch => self.saved.watch = !self.saved.watch,
            WindowCommand::ToggleLargeText => self.saved.large_text = !self.saved.large_text,
            WindowCommand::ToggleMayaKeys => self.saved.maya_keys = !self.saved.maya_keys,
            WindowCommand::FindAnything => self.finder.open = true,
            WindowCommand::Grab(tool) => self.viewport.gizmo.ask(*tool),
            WindowCommand::ShowPoses => {
                self.saved.tables = true;
                self.tables.choose_poses();
            }
            WindowCommand::ShowShortcuts => self.dialog = Some(Dialog::Keys),
            WindowCommand::ShowAbout => self.dialog = Some(Dialog::About),
        }
    }

    /// Whether the application waits for an answer before anything else.
    fn is_asked(status: &Status) -> bool {
        let saves = status.saving.is_some() || status.unsaved.is_some() || status.recovery.is_some();
        let saves = saves || status.changed.is_some();
        let asks_names = status.clip_names.as_ref().is_some_and(|names| names.is_shown);
        let asks = status.asked_file.is_some() || status.dropped.is_some();
        saves || asks || asks_names
    }

    fn shown(&mut self, panel: Panel) -> &mut bool {
        match panel {
            Panel::Outliner => &mut self.saved.outliner,
            Panel::Inspector => &mut self.saved.inspector,
            Panel::Timeline => &mut self.saved.timeline,
            Panel::Tables => &mut self.saved.tables,
        }
    }

    /// Discards what was built for another model.
    fn follow(&mut self, session: &Session) {
        let shown = session.model().map(Arc::downgrade).unwrap_or_default();
        if !shown.ptr_eq(&self.shown_model) {
            self.viewport = viewport::Viewport::default();
            self.shown_model = shown;
        }
        let now = session.document().map(|d| Arc::downgrade(d.stored())).unwrap_or_default();
        if !now.ptr_eq(&self.model) {
            self.outliner = outliner::Outliner::default();
            self.findings = findings::Findings::default();
            self.inspector = inspector::Inspector::default();
            self.timeline = timeline::Timeline::default();
            self.tables.forget();
            let folder = session.document().and_then(|d| d.path.as_ref()?.parent().map(PathBuf::from));
            self.saved.last_folder = folder.or(self.saved.last_folder.take());
            let file =
                |document: &Document| document.path.as_deref().or_else(|| document.page_file()).map(PathBuf::from);
            if let Some(path) = &session.document().and_then(file) {
                recent::remember(&mut self.saved.recent, path);
            }
            self.model = now;
        }
    }
}

/// Width of the panel of tools, points.
const TOOLS_WIDTH: f32 = 312.0;
/// Width of a window in which inspector and tools both have room, points.
const BOTH: f32 = 1500.0;

/// Width of a window beside the page of an example in which outliner and inspector have room too, points.
const BESIDE_PAGE: f32 = 1400.0;

/// The least height of the picture that tables leave, points.
const LEAST_PICTURE: f32 = 120.0;

fn panel_id(ui: &Ui, panel: &str) -> Id {
    ui.scope_id().with_salt(IdSalt::new(panel))
}

/// Gives a panel the size that the user wants, which egui forgets wherever a small window has no room for it.
fn want_size(ui: &Ui, panel: &str, size: Vec2) {
    let state = PanelState { outer_rect: Rect::from_min_size(Pos2::ZERO, size) };
    ui.data_mut(|d| d.insert_persisted(panel_id(ui, panel), state));
}

/// Returns whether the user changes the panel's size, by its edge or through a screen reader.
fn was_dragged(ui: &Ui, panel: &str) -> bool {
    let edge = panel_id(ui, panel).with("__resize");
    // The edge can be moved by the mouse alone.
    focus::pass_over(ui, edge);
    let asked = ui.input(|i| {
        [Action::Increment, Action::Decrement, Action::SetValue]
            .iter()
            .any(|a| i.has_accesskit_action_request(edge, *a))
    });
    asked || ui.ctx().read_response(edge).is_some_and(|r| r.dragged() || r.drag_stopped())
}

/// Installs fonts, styles and text from right to left; once for each context.
pub fn install(ctx: &egui::Context) {
    theme::install(ctx);
    ctx.add_plugin(bidi::RightToLeft);
}

/// Shows everything around and over the picture. `commands` receives what the user asks for, in order.
pub fn show(
    ui: &mut Ui,
    session: &Session,
    state: &mut UiState,
    status: &Status,
    commands: &mut Vec<Command>,
) -> ViewportArea {
    let theme = if state.saved.light { Theme::Light } else { Theme::Dark };
    if !state.started || ui.ctx().theme() != theme {
        ui.ctx().set_theme(theme);
    }
    ui.set_style(ui.ctx().style_of(theme));
    let keymap = if state.saved.maya_keys { Keymap::Maya } else { Keymap::Blender };
    keymap.choose();
    state.follow(session);
    let pass = keys::begin(ui, state, status);
    if !state.started {
        state.started = true;
        let before = std::mem::take(&mut state.saved.viridis).then_some(Ramp::Viridis);
        if let Some(ramp) = Ramp::choice(&state.saved.ramp).or(before) {
            commands.push(ViewCommand::SetRamp(ramp).into());
        }
    } else {
        let ramp = session.view().ramp;
        state.saved.ramp = if ramp == Ramp::default() { String::new() } else { ramp.id().to_owned() };
    }
    state.hovered = None;
    let mut shown_so_far = focus::FocusCounter::new(ui);
    menu::show(ui, session, state, commands);
    shown_so_far.shown(ui, FocusRegion::Menu);
    let c = theme::colors(ui);
    let frame = Frame::NONE.fill(c.panel).inner_margin(Margin::symmetric(theme::MARGIN, 0));
    let saved = state.saved.clone();
    if let Some(height) = timeline::height(session).filter(|_| saved.timeline) {
        let panel = egui::Panel::bottom("timeline").resizable(false).frame(frame).exact_size(height);
        panel.show(ui, |ui| timeline::show(ui, session, state, commands));
        shown_so_far.shown(ui, FocusRegion::Timeline);
    }
    let frame = Frame::NONE.fill(c.panel);
    // The page of an example needs room beside the picture.
    let window = ui.ctx().content_rect().width();
    let page_width = session.shows_page().then(|| page::width(window, saved.large_text));
    let has_room = page_width.is_none_or(|page| window - page >= BESIDE_PAGE);
    if saved.outliner && has_room {
        let panel = egui::Panel::left("outliner").frame(frame).size_range(180.0..=480.0);
        want_size(ui, "outliner", vec2(saved.outliner_width, 0.0));
        let shown = panel.show(ui, |ui| outliner::show(ui, session, state, status, commands));
        if was_dragged(ui, "outliner") {
            state.saved.outliner_width = shown.response.rect.width();
        }
        shown_so_far.shown(ui, FocusRegion::Outliner);
    }
    let tools_open = session.tools().open;
    let beside = tools_open || session.measuring().open;
    // A narrow window has room for one of them beside the picture.
    if saved.inspector && has_room && (!beside || ui.ctx().content_rect().width() >= BOTH) {
        let panel = egui::Panel::right("inspector").frame(frame).size_range(264.0..=480.0);
        want_size(ui, "inspector", vec2(saved.inspector_width, 0.0));
        let shown = panel.show(ui, |ui| inspector::show(ui, session, state, status, commands));
        if was_dragged(ui, "inspector") {
            state.saved.inspector_width = shown.response.rect.width();
        }
        shown_so_far.shown(ui, FocusRegion::Inspector);
    }
    if tools_open && (!session.measuring().open || ui.ctx().content_rect().width() >= BOTH) {
        let panel = egui::Panel::right("tools").resizable(false).frame(frame).exact_size(TOOLS_WIDTH);
        panel.show(ui, |ui| tools::show(ui, session, commands));
        shown_so_far.shown(ui, FocusRegion::Tools);
    }
    // A narrow window has room for one of them; the measures came last.
    let measures_open = session.measuring().open;
    if measures_open {
        let panel = egui::Panel::right("deformation").resizable(false).frame(frame).exact_size(TOOLS_WIDTH);
        panel.show(ui, |ui| measures::show(ui, session, status, commands));
        shown_so_far.shown(ui, FocusRegion::Deformation);
    }
    if let Some(width) = page_width {
        let panel = egui::Panel::right("page").resizable(false).frame(frame).exact_size(width);
        panel.show(ui, |ui| page::show(ui, session, saved.large_text, commands));
        shown_so_far.shown(ui, FocusRegion::Page);
    }
    // This panel is the last, so that its room comes from the picture alone.
    if saved.tables {
        let most = (ui.available_height() - LEAST_PICTURE).clamp(140.0, 640.0);
        let panel = egui::Panel::bottom("tables").resizable(true).frame(frame).size_range(140.0..=most);
        want_size(ui, "tables", vec2(0.0, saved.tables_height.min(most)));
        let shown = panel.show(ui, |ui| tables::show(ui, session, state, status, commands));
        if was_dragged(ui, "tables") {
            state.saved.tables_height = shown.response.rect.height();
        }
        shown_so_far.shown(ui, FocusRegion::Tables);
    }
    let area = viewport::show(ui, session, state, status, commands);
    shown_so_far.shown(ui, FocusRegion::View);
    shown_so_far.done(&mut state.focus);
    if state.hovered != session.view().hovered {
        commands.push(SelectionCommand::Hover(state.hovered).into());
    }
    dialogs::show(ui, state, status);
    finder::show(ui, session, state, status, commands);
    saving::show(ui, state, status, commands);
    asked_file::show(ui, session, state, status, commands);
    dropped::show(ui, status, commands);
    clip_names::show(ui, session, state, status, commands);
    keys::end(ui, pass, state, status, commands);
    area
}
