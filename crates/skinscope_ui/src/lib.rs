//! The panels: they read the session and push commands, so nothing here changes what is open. Owns only the state of
//! the window itself: which panels are shown and how large, theme, search text, open dialogs. Knows nothing of the GPU.

#![forbid(unsafe_code)]

mod aside;
mod asked_file;
mod background_query;
mod beside;
mod bidi;
mod bones;
mod bug_report;
mod card;
mod clear_part;
mod clip_layers;
mod clip_names;
mod clip_panel;
mod comparison;
mod context_menu;
mod controls;
mod copied;
mod crowd;
mod deformation;
mod dialogs;
mod docking;
mod dropped;
mod environment;
mod explain;
mod explain_rows;
mod explain_text;
mod exports;
mod finder;
mod finder_places;
mod finder_words;
mod findings;
mod focus;
pub mod fonts;
mod frame_costs;
mod gesture;
mod ghosts;
mod help_card;
pub mod icons;
mod inspector;
mod kept;
mod keys;
mod legend;
mod legend_place;
mod legend_scale;
mod links;
mod manual;
mod manual_panel;
mod marks;
mod matrices;
mod measures;
mod menu;
mod menu_scroll;
mod menu_state;
mod menu_surface;
mod message_log;
mod morphs;
mod names;
mod normal_modes;
mod notice;
mod outliner;
mod outliner_row;
mod over;
mod page;
mod paint;
mod palette;
mod panel_size;
mod panels;
mod placing;
mod pointer;
mod pose_library;
mod preferences;
mod preferences_dialog;
mod preferences_effect;
mod recent;
mod repair_words;
mod ruler;
mod rules;
mod runtime;
mod save_changes;
mod save_status;
mod saved;
mod saving;
mod scales;
mod search_list;
mod shapes;
mod statistics;
mod status;
mod summary;
mod table;
mod table_cells;
mod table_state;
mod tables;
pub mod theme;
mod timeline;
mod tools;
mod topics;
mod tour;
mod triad;
mod value_row;
mod vertex_weights;
mod viewport;
mod widgets;

use std::path::PathBuf;
use std::sync::{Arc, Weak};

pub use asked_file::{AskedFile, AskedStage, PoseReport, SessionReport};
pub use bug_report::{bug_report, bug_report_lines};
pub use docking::arrangement::{Arrangement, NamedLayout};
pub use docking::layouts::{choose_layout, layout_names};
use egui::Ui;
pub use exports::film_reel;
pub use frame_costs::{CostSummary, FrameCost, FrameCosts};
pub use keys::{mark_number_pad, take_by_place, turns};
pub use names::NameCount;
pub use notice::Notice;
pub use over::{Over, show_over};
pub use page::formula_svg;
pub use pose_library::{LibraryPose, PoseLibrary};
pub use preferences::{PREFERENCES, Preference, PreferenceChoice, preference};
pub use recent::RecentPicture;
pub use save_status::{
    ChangedStatus, RecoveryOffer, SaveFailure, SaveStage, SaveStatus, SaveSummary, ThenCloses, UnsavedStatus,
};
pub use saved::{AtStart, MouseHabit, Saved};
use skinscope_base::math::Ramp;
use skinscope_deform::PaletteLimits;
use skinscope_model::{Model, NodeId};
use skinscope_session::{
    BrushKey, ClipNames, Command, DockPanel, Document, Panel, SelectionCommand, Session, ViewCommand, WindowCommand,
};
pub use status::{BackgroundStatus, Loading};
pub use tables::{DeviceBenchmark, MeasuresOnDevice};
pub use topics::{TOPICS, Topic, topic_of};
pub use viewport::ViewportArea;

use self::dialogs::Dialog;
use self::focus::FocusRegion;

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
    /// The share of the volume around new bone links that is measured, 0…1.
    pub links: Option<f32>,
    /// The share of a clip that was searched for the worst moment of a comparison, 0…1.
    pub worst: Option<f32>,
    /// The name of the GPU, for the About dialog.
    pub adapter: String,
    /// A model is about to be saved; its *Save* sends [`skinscope_session::FileCommand::SaveTo`], closing the dialog [`skinscope_session::FileCommand::CloseFile`].
    pub saving: Option<SaveStatus>,
    /// Edits that would be lost; the answer of the user is [`skinscope_session::FileCommand::AnswerUnsaved`].
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
    /// A second file that was dropped together with that model.
    pub dropped_second: Option<PathBuf>,
    /// The mapping of joints of the clips that were added last; the dialog is shown while it says so.
    pub clip_names: Option<ClipNames>,
    /// The last short message ([`Status::say`], [`Status::warn`]).
    pub notice: Notice,
    /// What the last frames cost, while that is measured.
    pub costs: Option<Arc<FrameCosts>>,
    /// How many joint matrices its buffers hold; `None` while there is no GPU.
    pub palette_limits: Option<PaletteLimits>,
}

impl Status {
    /// Returns whether a dialog about files waits for an answer, beside the one about a file that was dropped.
    fn asks_about_files(&self) -> bool {
        let asks_to_save = self.saving.is_some() || self.unsaved.is_some();
        asks_to_save || self.changed.is_some() || self.recovery.is_some() || self.asked_file.is_some()
    }
}

/// The state of the window itself.
#[derive(Debug, Default)]
pub struct UiState {
    saved: Saved,
    started: bool,
    tour: tour::Tour,
    log: message_log::MessageLog,
    /// Whether the text for a report of a bug is to be copied.
    copies_report: bool,
    /// Whether the system says that its theme is light.
    system_light: bool,
    dialog: Option<Dialog>,
    manual: manual_panel::Manual,
    shows_manual: bool,
    paint: paint::PaintPanel,
    help: help_card::HelpCard,
    /// The pictures of files that were opened last.
    recent_pictures: recent::RecentPictures,
    /// Whether the picture and the page of an example fill the screen, without any other panel.
    presents: bool,
    saving: saving::SaveDialog,
    asked_file: asked_file::FileDialog,
    clip_names: clip_names::NamesDialog,
    finder: finder::Finder,
    /// Whether the key is down that shows the stored weights.
    holds_stored: bool,
    /// The model that the panels were built for: the file's model, and the one that is shown of it.
    model: Weak<Model>,
    shown_model: Weak<Model>,
    outliner: outliner::Outliner,
    findings: findings::Findings,
    inspector: inspector::Inspector,
    timeline: timeline::Timeline,
    tables: tables::Tables,
    /// The function that measures the part of the benchmark that needs a graphics device.
    on_device: MeasuresOnDevice,
    focus: focus::Focus,
    dock: docking::DockState,
    /// The panels that are shown again as they were.
    kept: kept::KeptPanels,
    /// Whether a text field had the focus when the last pass ended.
    in_text: bool,
    viewport: viewport::Viewport,
    pointer_drag: gesture::PointerDrag,
    comparison: comparison::Plate,
    placing: placing::JointPlate,
    normal_times: normal_modes::NormalTimes,
    /// The node that the pointer is over this frame, in whatever panel.
    hovered: Option<NodeId>,
    /// How many pixels a point had in the last pass; 0 before the first.
    pixels_per_point: f32,
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

    /// Offers the first steps once the built-in character is open, unless they were seen before.
    #[must_use]
    pub fn offering_first_steps(mut self) -> Self {
        if !self.saved.tour_seen {
            self.tour.offer();
        }
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
        !self.is_light()
    }

    fn is_light(&self) -> bool {
        if self.saved.system_theme { self.system_light } else { self.saved.light }
    }

    /// Returns how many pixels a point had in the last pass; 0 before the first.
    #[must_use]
    pub fn pixels_per_point(&self) -> f32 {
        self.pixels_per_point
    }

    /// Returns whether what frames cost is shown.
    #[must_use]
    pub fn shows_statistics(&self) -> bool {
        self.saved.statistics
    }

    /// Returns whether the open file is read again once it has changed.
    #[must_use]
    pub fn follows_files(&self) -> bool {
        self.saved.watch
    }

    /// Returns whether the window is to fill the screen, with the picture and the page of an example alone.
    #[must_use]
    pub fn presents(&self) -> bool {
        self.presents
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
            WindowCommand::ToggleTheme => {
                (self.saved.light, self.saved.system_theme) = (!self.is_light(), false);
            }
            WindowCommand::ShowManual(id) => {
                self.manual.open(id);
                self.shows_manual = true;
                self.saved.layout.bring_to_front(DockPanel::Manual);
                self.dock.ask(DockPanel::Manual);
                self.dock.last = Some(DockPanel::Manual);
            }
            WindowCommand::ShowFirstSteps => self.tour.begin(),
            WindowCommand::CopyBugReport => self.copies_report = true,
            WindowCommand::ShowPreferences => self.dialog = Some(Dialog::Preferences),
            WindowCommand::SetPreference(id, choice) => {
                if let Some(preference) = preference(id) {
                    preference.choose(&mut self.saved, choice);
                }
            }
            WindowCommand::MovePanel(..)
            | WindowCommand::ArrangePanels(_)
            | WindowCommand::ChooseLayout(_)
            | WindowCommand::SaveLayout(_)
            | WindowCommand::RenameLayout(..)
            | WindowCommand::DeleteLayout(_)
            | WindowCommand::ResetLayout
            | WindowCommand::ShowLayouts => docking::layouts::carry_out(self, command),
            WindowCommand::StepScale(steps) => {
                self.saved.scale = preferences::stepped_scale(self.saved.scale, *steps);
            }
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
            WindowCommand::TogglePresentation => self.presents = !self.presents,
            WindowCommand::ToggleMayaKeys => self.saved.maya_keys = !self.saved.maya_keys,
            WindowCommand::FindAnything => self.finder.open = true,
            WindowCommand::Grab(tool) => self.viewport.pointer.ask(*tool),
            WindowCommand::Brush(key) => match key {
                BrushKey::DragRadius | BrushKey::DragStrength => self.viewport.pointer.ask_brush(*key),
                BrushKey::Take | BrushKey::Wider | BrushKey::Narrower | BrushKey::Gradient => self.paint.ask(*key),
            },
            WindowCommand::ShowPoses => {
                self.saved.tables = true;
                self.dock.ask(DockPanel::Tables);
                self.tables.choose_poses();
            }
            WindowCommand::ShowShortcuts => self.dialog = Some(Dialog::Keys),
            WindowCommand::ShowAbout => self.dialog = Some(Dialog::About),
        }
    }

    /// Returns whether the application waits for an answer of the user before anything else.
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
            Panel::Statistics => &mut self.saved.statistics,
            Panel::Log => &mut self.saved.log,
            Panel::Manual => &mut self.shows_manual,
            Panel::Paint => &mut self.paint.is_open,
        }
    }

    /// Discards what was built for another model.
    fn follow(&mut self, session: &Session) {
        let shown = session.model().map(Arc::downgrade).unwrap_or_default();
        // A drag may change the model, and goes on over the one that it has changed.
        if !shown.ptr_eq(&self.shown_model) && !session.has_gesture() {
            self.viewport = viewport::Viewport::default();
            self.shown_model = shown;
        }
        let now = session.document().map(|d| Arc::downgrade(d.stored())).unwrap_or_default();
        if !now.ptr_eq(&self.model) {
            self.outliner = outliner::Outliner::default();
            self.findings = findings::Findings::default();
            self.inspector.forget_model();
            self.timeline = timeline::Timeline::default();
            self.tables.forget();
            self.log.forget_warnings();
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

/// Installs fonts, styles and text from right to left; once for each context.
pub fn install(ctx: &egui::Context) {
    theme::install(ctx);
    ctx.add_plugin(bidi::RightToLeft);
    // The keys for the size of the interface are commands, which are listed, remembered and found.
    ctx.options_mut(|options| options.zoom_with_keyboard = false);
}

/// Lets what opens, closes and scrolls fade and slide, or be there at once. It costs nothing where that is so already.
pub fn set_fading(ctx: &egui::Context, is_on: bool) {
    theme::set_fading(ctx, is_on);
}

/// Shows everything around and over the picture. `commands` receives what the user asks for, in order.
pub fn show(
    ui: &mut Ui,
    session: &Session,
    state: &mut UiState,
    status: &Status,
    commands: &mut Vec<Command>,
) -> ViewportArea {
    let first = commands.len();
    gesture::begin(ui.ctx(), state);
    preferences_effect::apply(ui, state);
    state.pixels_per_point = ui.pixels_per_point();
    state.follow(session);
    widgets::tell_apart(ui, session.model());
    state.log.look(session, status, ui.input(|i| i.time));
    if std::mem::take(&mut state.copies_report) {
        copied::copy(ui, bug_report(session, &state.saved, &status.adapter), "what a report of a bug needs");
    }
    help_card::begin(ui, state);
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
    dialogs::note_popups(ui.ctx());
    let mut widgets = focus::FocusCounter::new(ui);
    if !state.presents {
        menu::show(ui, session, state, commands);
    }
    widgets.shown(ui, FocusRegion::Menu);
    paint::follow(session, &mut state.paint, commands);
    panels::show(ui, session, state, status, commands, &mut widgets);
    let area = viewport::show(ui, session, state, status, commands);
    widgets.shown(ui, FocusRegion::View);
    widgets.done(&mut state.focus);
    docking::drag::show(ui, state, area.rect, commands);
    if state.hovered != session.view().hovered {
        commands.push(SelectionCommand::Hover(state.hovered).into());
    }
    context_menu::show_asked(ui, session, state, commands);
    dialogs::show(ui, state, status, commands);
    finder::show(ui, session, state, status, commands);
    saving::show(ui, state, status, commands);
    shapes::follow_made(ui, session);
    asked_file::show(ui, session, state, status, commands);
    dropped::show(ui, status, commands);
    clip_names::show(ui, session, state, status, commands);
    keys::end(ui, session, pass, state, status, commands);
    help_card::show(ui, session, state, commands);
    tour::follow(ui, state, session, commands);
    panels::show_hidden(state, commands);
    gesture::end(ui.ctx(), session, state, first, commands);
    area
}
