//! An open file.

pub(crate) mod lesson;
pub(crate) mod lesson_commands;
pub(crate) mod opening;
pub(crate) mod page_file;
pub(crate) mod source;
pub(crate) mod warnings;

pub use self::lesson::ExampleCommand;
pub use self::page_file::is_page;
pub use self::source::Source;
pub use self::warnings::DocumentWarning;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use glam::Vec3;
use skinscope_anim::pose::{Axis, Mirror};
use skinscope_base::math::Aabb;
use skinscope_examples::Lesson;
use skinscope_inspect::check::{Finding, Touched};
use skinscope_inspect::rom::RomReport;
use skinscope_inspect::symmetry::{self, NoPlane};
use skinscope_inspect::{Inspection, PickIndex, TexelDensity, WeightStats};
use skinscope_model::Model;
use skinscope_paint::{KeptError, KeptLayers, kept_layers};
use skinscope_solve::{DrivenShapes, KeptShapesError, kept_shapes};

use crate::document::warnings::WeightWarnings;
use crate::surfaces::tangents::ComputedTangents;
use crate::{PlaybackCommand, PoseSource, Session, Toggle};

/// An open file.
#[derive(Clone, Debug)]
pub struct Document {
    /// The model that is shown: the file as it is stored, or with edited weights.
    pub model: Arc<Model>,
    /// Import's warnings about repairs and omissions, a line each.
    pub warnings: Vec<String>,
    /// The path of the file; `None`: the built-in character.
    pub path: Option<PathBuf>,
    /// The checker's findings, once it has run. After an edit of weights they are those from before, until it has run
    /// again.
    pub inspection: Option<Arc<Inspection>>,
    /// The findings of a range of motion, once one was run, with the weights of that time.
    pub rom: Option<Arc<RomReport>>,
    /// The model that [`Document::inspection`] is about, and the one that [`Document::rom`] is about.
    found_in: [Option<Arc<Model>>; 2],
    /// The pick index of the stored model; it serves edited ones too.
    pick_index: Arc<OnceLock<PickIndex>>,
    /// The model as stored.
    stored: CountedModel,
    /// The model with edited weights and matrices, where some are edited.
    edited: Option<CountedModel>,
    /// The figures of the weights that were counted last.
    last_counted: Arc<OnceLock<WeightStats>>,
    /// Whether another thread counts the weights that are shown.
    waits: bool,
    /// The box that [`Document::rest_bounds`] returns, once it was computed.
    rest_bounds: Arc<OnceLock<Aabb>>,
    /// Left and right of the model, once they were looked for.
    mirror: FoundMirror,
    /// The example that it is.
    lesson: Option<Lesson>,
    /// The files that its page is read from: the page itself, and the model that it names.
    page_files: Vec<PathBuf>,
    /// The warnings about the weights that are shown, once they were asked for.
    weight_warnings: Arc<OnceLock<WeightWarnings>>,
    /// The tangents that the file does not have, once they were asked for.
    tangents: Arc<OnceLock<ComputedTangents>>,
    /// The texel density, once it was asked for and all images were there.
    texel_density: Arc<OnceLock<Option<TexelDensity>>>,
    /// Whether its file has the bytes of the built-in character, once it was asked for.
    copies_built_in: Arc<OnceLock<bool>>,
    /// The layers of weights that its file keeps, once they were asked for.
    kept_layers: Arc<OnceLock<Result<Option<KeptLayers>, KeptError>>>,
    /// What brings in the corrective shapes that its file has, once it was asked for.
    kept_shapes: Arc<OnceLock<Result<Vec<DrivenShapes>, KeptShapesError>>>,
}

/// Left and right of a model, once they were looked for.
pub(super) type FoundMirror = Arc<OnceLock<ModelMirror>>;

/// Left and right of a model.
#[derive(Clone, Debug)]
pub(super) struct ModelMirror {
    /// The plane and the partners; without a plane of symmetry each node is its own, across X.
    pub mirror: Mirror,
    /// Why there is no plane of symmetry.
    pub without: Option<NoPlane>,
}

/// Up to so many vertices, work on each of them takes no noticeable time.
const VERTICES_IN_NO_TIME: usize = 50_000;

/// A model with the figures of its weights, which are counted when first asked for.
#[derive(Clone, Debug)]
struct CountedModel {
    model: Arc<Model>,
    stats: Arc<OnceLock<WeightStats>>,
}

impl CountedModel {
    fn new(model: Arc<Model>) -> Self {
        Self { model, stats: Arc::default() }
    }

    fn stats(&self) -> &WeightStats {
        self.stats.get_or_init(|| WeightStats::of(&self.model))
    }
}

impl Session {
    /// Adds lines to the warnings of the open document; returns whether any was new.
    pub fn warn(&mut self, lines: &[String]) -> bool {
        let Some(document) = &mut self.document else { return false };
        let before = document.warnings.len();
        for line in lines {
            if !document.warnings.contains(line) {
                document.warnings.push(line.clone());
            }
        }
        document.warnings.len() > before
    }

    /// Returns the open file; `None` until something is open.
    #[must_use]
    pub fn document(&self) -> Option<&Document> {
        self.document.as_ref()
    }

    /// Returns the open model.
    #[must_use]
    pub fn model(&self) -> Option<&Arc<Model>> {
        self.document.as_ref().map(|d| &d.model)
    }
}

impl Document {
    /// Opens a model that was imported.
    #[must_use]
    pub fn new(model: Arc<Model>, warnings: Vec<String>, path: Option<PathBuf>) -> Self {
        let stored = CountedModel::new(model);
        let model = Arc::clone(&stored.model);
        let pick_index = Arc::default();
        let (rest_bounds, last_counted, mirror) = (Arc::default(), Arc::default(), Arc::default());
        let (inspection, rom, edited, waits) = (None, None, None, false);
        let found_in = [None, None];
        Self {
            model,
            warnings,
            path,
            inspection,
            rom,
            found_in,
            pick_index,
            stored,
            edited,
            last_counted,
            waits,
            rest_bounds,
            mirror,
            lesson: None,
            page_files: Vec::new(),
            weight_warnings: Arc::default(),
            tangents: Arc::default(),
            texel_density: Arc::default(),
            copies_built_in: Arc::default(),
            kept_layers: Arc::default(),
            kept_shapes: Arc::default(),
        }
    }

    /// Opens an example.
    #[must_use]
    pub fn of_lesson(lesson: Lesson) -> Self {
        Self { lesson: Some(lesson.clone()), ..Self::new(Arc::clone(lesson.moment().model()), Vec::new(), None) }
    }

    /// Opens an example whose page was read from these files, with the warnings about them.
    pub(super) fn of_page(lesson: Lesson, page_files: Vec<PathBuf>, warnings: Vec<String>) -> Self {
        Self { page_files, warnings, ..Self::of_lesson(lesson) }
    }

    /// Returns the same example at another moment of it.
    #[must_use]
    pub fn with_lesson(&self, lesson: Lesson) -> Self {
        Self::of_page(lesson, self.page_files.clone(), self.warnings.clone())
    }

    /// Returns the file of the page that is shown; `None`: no page is shown, or one of ours.
    #[must_use]
    pub fn page_file(&self) -> Option<&Path> {
        self.lesson.as_ref()?.example().file
    }

    /// Returns the example that it is, as it was when it was opened.
    #[must_use]
    pub fn lesson(&self) -> Option<&Lesson> {
        self.lesson.as_ref()
    }

    /// Returns the box around the stored model in its rest pose, as deformed, in world space: that of its default
    /// scene, computed when first asked for. Empty where there is nothing to see.
    #[must_use]
    pub fn rest_bounds(&self) -> Aabb {
        *self.rest_bounds.get_or_init(|| measure_rest(self.stored()))
    }

    /// Returns [`Document::rest_bounds`] if they are known or can be measured in no time.
    #[must_use]
    pub fn rest_bounds_at_hand(&self) -> Option<Aabb> {
        if self.is_large() { self.rest_bounds.get().copied() } else { Some(self.rest_bounds()) }
    }

    /// Returns the plane between left and right of the model, and the partner of each node; they are looked for when first
    /// asked for. Where there is no plane, each node is its own partner.
    #[must_use]
    pub fn mirror(&self) -> &Mirror {
        &self.model_mirror().mirror
    }

    /// Returns why the model has no plane between left and right, if it has none.
    #[must_use]
    pub(crate) fn without_mirror(&self) -> Option<NoPlane> {
        self.model_mirror().without
    }

    fn model_mirror(&self) -> &ModelMirror {
        self.mirror.get_or_init(|| {
            let model = self.stored();
            match symmetry::of_poses(model, None, Vec3::ZERO) {
                Ok(mirror) => ModelMirror { mirror, without: None },
                Err(why) => {
                    let middle =
                        Some(self.rest_bounds()).filter(|bounds| !bounds.is_empty()).map(|bounds| bounds.center());
                    let mirror = Mirror::alone(model, Axis::X, middle.unwrap_or_default());
                    ModelMirror { mirror, without: Some(why) }
                }
            }
        })
    }

    /// Returns the cell that [`Document::mirror`] fills.
    pub(super) fn found_mirror(&self) -> FoundMirror {
        Arc::clone(&self.mirror)
    }

    /// Returns the figures of the weights of [`Document::model`], counted when first asked for. After an edit of a
    /// large model these are the figures from before it, as long as another thread counts ([`Document::lacks_stats`]).
    #[must_use]
    pub fn stats(&self) -> &WeightStats {
        if self.lacks_stats()
            && let Some(last) = self.last_counted.get()
        {
            return last;
        }
        self.edited.as_ref().unwrap_or(&self.stored).stats()
    }

    /// Returns the model as the file has it, whatever is shown.
    #[must_use]
    pub fn stored(&self) -> &Arc<Model> {
        &self.stored.model
    }

    /// Returns every file that the model is made of: its own, the page that names it, and those that its buffers and images name, whether they
    /// could be read or not. None for the built-in character.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.path.iter().chain(&self.page_files).chain(&self.stored.model.source.files).map(PathBuf::as_path)
    }

    /// Returns all findings: those of the checker, then those of the range of motion.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        let checked = self.inspection.iter().flat_map(|i| &i.report.findings);
        checked.chain(self.rom.iter().flat_map(|r| &r.findings))
    }

    /// Returns whether all findings are those of a model as it is: the checker has looked at it, and its range of motion was measured.
    #[must_use]
    pub fn is_examined(&self, model: &Arc<Model>) -> bool {
        self.found_in.iter().all(|found| found.as_ref().is_some_and(|found| Arc::ptr_eq(found, model)))
    }

    /// Takes the findings of the checker in a model.
    pub(super) fn take_inspection(&mut self, model: &Arc<Model>, inspection: Inspection) {
        self.inspection = Some(Arc::new(inspection));
        self.found_in[0] = Some(Arc::clone(model));
    }

    /// Takes the findings of a range of motion of a model.
    pub(super) fn take_rom(&mut self, model: &Arc<Model>, report: RomReport) {
        self.rom = Some(Arc::new(report));
        self.found_in[1] = Some(Arc::clone(model));
    }

    /// Returns for each of [`Document::findings`] whether the edits that `edited` has, and the model in which it was found has not, could
    /// have changed it. The others are as right as they were.
    #[must_use]
    pub fn doubts(&self, edited: &Model) -> Vec<bool> {
        let [checked, moved] = self.found_in.each_ref().map(|model| Touched::between(model.as_deref()?, edited));
        let may =
            |touched: &Option<Touched>, finding: &Finding| touched.as_ref().is_some_and(|t| t.may_change(finding));
        let of_check = self.inspection.iter().flat_map(|i| &i.report.findings).map(|f| may(&checked, f));
        let of_rom = self.rom.iter().flat_map(|r| &r.findings).map(|f| may(&moved, f));
        of_check.chain(of_rom).collect()
    }

    /// Returns the index that finds the vertex under a ray; it is made when first asked for.
    #[must_use]
    pub fn pick_index(&self) -> &PickIndex {
        self.pick_index.get_or_init(|| PickIndex::of(&self.stored.model))
    }

    /// Returns [`Document::pick_index`] if it exists or can be made in no time.
    #[must_use]
    pub(crate) fn pick_index_at_hand(&self) -> Option<&PickIndex> {
        if self.is_large() { self.pick_index.get() } else { Some(self.pick_index()) }
    }

    /// Returns the layers of weights that its file keeps, or why they are not taken. Checking whether they make the weights of a large file takes a
    /// while, so that it is done once, where the file is read.
    pub fn kept_layers(&self) -> &Result<Option<KeptLayers>, KeptError> {
        self.kept_layers.get_or_init(|| kept_layers(self.stored()))
    }

    /// Returns what brings in the corrective shapes that its file has; nothing where what the file keeps of that does not fit the model.
    #[must_use]
    pub fn kept_shapes(&self) -> &[DrivenShapes] {
        self.read_shapes().as_deref().unwrap_or_default()
    }

    /// Returns why nothing of what the file keeps of that can be used; `None` where it can. No shape can be made beside it.
    #[must_use]
    pub fn unfit_shapes(&self) -> Option<&KeptShapesError> {
        self.read_shapes().as_ref().err()
    }

    fn read_shapes(&self) -> &Result<Vec<DrivenShapes>, KeptShapesError> {
        self.kept_shapes.get_or_init(|| kept_shapes(self.stored()))
    }

    /// Returns a function that measures [`Document::rest_bounds`] and makes [`Document::pick_index`], for another thread
    /// to call before they are needed.
    pub fn prepare(&self) -> impl FnOnce() + Send + 'static {
        let (bounds, index) = (Arc::clone(&self.rest_bounds), Arc::clone(&self.pick_index));
        let model = Arc::clone(&self.stored.model);
        move || {
            bounds.get_or_init(|| measure_rest(&model));
            index.get_or_init(|| PickIndex::of(&model));
        }
    }

    /// Shows the same file with these weights, matrices and added clips. With `waits`, the figures are those of the weights before until another
    /// thread has counted these ([`Document::count_weights`]).
    pub(super) fn show_edited(&mut self, model: Arc<Model>, waits: bool) {
        if Arc::ptr_eq(&model, &self.model) {
            return;
        }
        self.weight_warnings = Arc::default();
        if model.is_of_one_file(&self.stored.model) && !model.shares_all_but_edits(&self.stored.model) {
            self.forget_findings_of(&model);
        }
        if !model.shares_clips(&self.stored.model) {
            self.stored.model = Arc::new(model.without_edits());
        }
        let edited = model.is_edited();
        let counted = self.shown_stats().get().is_some();
        if counted {
            self.last_counted = Arc::clone(self.shown_stats());
        }
        self.edited = edited.then(|| CountedModel::new(Arc::clone(&model)));
        self.model = if edited { model } else { Arc::clone(&self.stored.model) };
        self.waits = waits && self.is_large();
    }

    /// Forgets all that was found of the nodes, skins and meshes that the file had, since `model` has others of them: meshes gained skins.
    fn forget_findings_of(&mut self, model: &Model) {
        let warnings = std::mem::take(&mut self.warnings);
        *self = Self {
            lesson: self.lesson.take(),
            page_files: std::mem::take(&mut self.page_files),
            copies_built_in: Arc::clone(&self.copies_built_in),
            ..Self::new(Arc::new(model.without_edits()), warnings, self.path.take())
        };
    }

    /// Returns a line of [`Document::warnings`] as it is of the model that is shown; empty where there is no such line.
    #[must_use]
    pub fn current_warning(&self, index: usize) -> DocumentWarning<'_> {
        let Some(warning) = self.warnings.get(index) else { return DocumentWarning::default() };
        // Of a warning about anything else the weights need not be looked at.
        if !self.model.is_edited() || !warning.contains(" weights ") {
            return DocumentWarning { text: warning.into(), is_repaired: false };
        }
        let known = self.weight_warnings.get_or_init(|| WeightWarnings::of(self.stored(), &self.model));
        known.current(warning)
    }

    /// Returns how many lines of [`Document::warnings`] say what still holds.
    #[must_use]
    pub fn warnings_that_hold(&self) -> usize {
        (0..self.warnings.len()).filter(|i| !self.current_warning(*i).is_repaired).count()
    }

    /// Returns the lines of [`Document::warnings`] as they are of another model of the same file.
    #[must_use]
    pub fn warnings_of(&self, now: &Model) -> Vec<DocumentWarning<'static>> {
        let known = WeightWarnings::of(self.stored(), now);
        let current = |warning: &String| {
            let DocumentWarning { text, is_repaired } = known.current(warning);
            DocumentWarning { text: text.into_owned().into(), is_repaired }
        };
        self.warnings.iter().map(current).collect()
    }

    /// Returns the tangents of vertices that the file stores none for, computed when first asked for.
    pub(super) fn computed_tangents(&self) -> &ComputedTangents {
        self.tangents.get_or_init(|| ComputedTangents::of(&self.stored.model))
    }

    /// Returns how many texels lie on a metre of the stored surface, computed when first asked for; `None` where it has no
    /// texture, or images are still being decoded.
    pub(super) fn texel_density(&self) -> Option<TexelDensity> {
        let model = &self.stored.model;
        if model.images.iter().any(skinscope_model::Image::is_pending) {
            return None;
        }
        *self.texel_density.get_or_init(|| TexelDensity::of(model))
    }

    /// Returns whether the figures of the weights ([`Document::stats`]) are those from before the last edit.
    #[must_use]
    pub fn lacks_stats(&self) -> bool {
        self.waits && self.shown_stats().get().is_none()
    }

    /// Returns a function that counts the weights that are shown, for another thread to call.
    pub fn count_weights(&self) -> impl FnOnce() + Send + 'static {
        let (stats, model) = (Arc::clone(self.shown_stats()), Arc::clone(&self.model));
        move || _ = stats.get_or_init(|| WeightStats::of(&model))
    }

    fn shown_stats(&self) -> &Arc<OnceLock<WeightStats>> {
        &self.edited.as_ref().unwrap_or(&self.stored).stats
    }

    /// Returns whether work on all vertices takes longer than a picture may.
    pub(super) fn is_large(&self) -> bool {
        self.stored.model.drawn_vertices() > VERTICES_IN_NO_TIME
    }
}

/// Returns the box around the default scene of `model` in its rest pose, as deformed.
fn measure_rest(model: &Arc<Model>) -> Aabb {
    let mut session = Session::default();
    session.view.scene = model.default_scene;
    // Which joints deform the mesh is not counted, since no bone is shown.
    session.view.set(Toggle::Bones, false);
    session.document = Some(Document::new(Arc::clone(model), Vec::new(), None));
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    session.update_pose();
    session.extents().bounds()
}
