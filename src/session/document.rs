//! An open file, and where it comes from.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::{PlaybackCommand, PoseSource, Session};
use crate::anim;
use crate::import::{self, ImportError, Options, Progress, Warning};
use crate::inspect::check::{Finding, extent_at_rest, stray_warning};
use crate::inspect::rom::RomReport;
use crate::inspect::{Inspection, PickIndex, WeightStats};
use crate::math::Aabb;
use crate::model::Model;

/// The character that comes with the program (`examples/make_assets` writes it).
static BUILT_IN: &[u8] = include_bytes!("../../assets/character.glb");

/// An open file.
#[derive(Clone, Debug)]
pub struct Document {
    /// The model that is shown: the file as it is stored, or with its weights normalised (`show_normalised`).
    pub model: Arc<Model>,
    /// Import's warnings about repairs and omissions, a line each.
    pub warnings: Vec<String>,
    /// `None`: the built-in character.
    pub path: Option<PathBuf>,
    /// The checker's findings in the model as stored, once it has looked.
    pub inspection: Option<Arc<Inspection>>,
    /// The findings of a range of motion of the model as stored, once one was run.
    pub rom: Option<Arc<RomReport>>,
    /// The pick index of the stored model; it serves the normalised one too.
    pick_index: Arc<OnceLock<PickIndex>>,
    /// The model as stored.
    stored: CountedModel,
    /// The model with normalised weights; made when first asked for.
    normalised: Option<CountedModel>,
    /// See [`Document::rest_bounds`].
    rest_bounds: Arc<OnceLock<Aabb>>,
}

/// Work on each of so many vertices takes no noticeable time.
const VERTICES_IN_NO_TIME: usize = 50_000;

/// A model with its weights normalised, and those counted ([`Document::normalise`]).
#[derive(Clone, Debug)]
pub struct Normalised(CountedModel);

/// A model and its weights, counted when first asked for.
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

impl Document {
    /// Opens a model that was imported.
    #[must_use]
    pub fn new(model: Arc<Model>, warnings: Vec<String>, path: Option<PathBuf>) -> Self {
        let stored = CountedModel::new(model);
        let model = Arc::clone(&stored.model);
        let pick_index = Arc::default();
        let rest_bounds = Arc::default();
        Self { model, warnings, path, inspection: None, rom: None, pick_index, stored, normalised: None, rest_bounds }
    }

    /// The box around the stored model in its rest pose, as deformed, in world space; its default scene, worked out when
    /// first asked for. Empty where there is nothing to see.
    #[must_use]
    pub fn rest_bounds(&self) -> Aabb {
        *self.rest_bounds.get_or_init(|| {
            let mut session = Session::default();
            session.view.scene = self.stored().default_scene;
            session.document = Some(Self::new(Arc::clone(self.stored()), Vec::new(), None));
            session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
            session.update_pose();
            session.bounds()
        })
    }

    /// The weights of [`Document::model`], counted when first asked for.
    #[must_use]
    pub fn stats(&self) -> &WeightStats {
        let shown = self.normalised.as_ref().filter(|normalised| Arc::ptr_eq(&normalised.model, &self.model));
        shown.unwrap_or(&self.stored).stats()
    }

    /// The model as the file has it, whatever is shown.
    #[must_use]
    pub fn stored(&self) -> &Arc<Model> {
        &self.stored.model
    }

    /// Every file that the model is made of: its own, and those that its buffers and images name, whether they could be read
    /// or not. None for the built-in character.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.path.iter().chain(&self.stored.model.source.files).map(PathBuf::as_path)
    }

    /// All findings: those of the checker, then those of the range of motion.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        let checked = self.inspection.iter().flat_map(|i| &i.report.findings);
        checked.chain(self.rom.iter().flat_map(|r| &r.findings))
    }

    /// The stored weights, counted.
    #[must_use]
    pub fn stored_stats(&self) -> &WeightStats {
        self.stored.stats()
    }

    /// The index that finds the vertex under a ray; made when first asked for.
    #[must_use]
    pub fn pick_index(&self) -> &PickIndex {
        self.pick_index.get_or_init(|| PickIndex::of(&self.stored.model))
    }

    /// [`Document::pick_index`] if it is there or made in no time.
    #[must_use]
    pub fn pick_index_at_hand(&self) -> Option<&PickIndex> {
        if self.is_large() { self.pick_index.get() } else { Some(self.pick_index()) }
    }

    /// Makes [`Document::pick_index`]: for another thread, before it is asked for.
    pub fn prepare_picking(&self) -> impl FnOnce() + Send + 'static {
        let (place, model) = (Arc::clone(&self.pick_index), Arc::clone(&self.stored.model));
        move || _ = place.get_or_init(|| PickIndex::of(&model))
    }

    /// Shows the weights divided by their sums, or as they are stored. With `waits` those of a large model stay as they are
    /// stored until somebody has divided them.
    pub(super) fn show_normalised(&mut self, on: bool, waits: bool) {
        let normalised = || CountedModel::new(Arc::new(self.stored.model.with_normalised_weights()));
        let shown = match &self.normalised {
            Some(made) if on => made,
            None if on && !(waits && self.is_large()) => &*self.normalised.insert(normalised()),
            _ => &self.stored,
        };
        self.model = Arc::clone(&shown.model);
    }

    /// Divides the weights of the stored model by their sums: for another thread. `None` once its flag is set.
    pub fn normalise(&self) -> impl FnOnce(&AtomicBool) -> Option<Normalised> + Send + 'static {
        let stored = Arc::clone(&self.stored.model);
        move |cancel| {
            let made = CountedModel::new(Arc::new(stored.with_normalised_weights()));
            if !cancel.load(Ordering::Relaxed) {
                // Here, so that no picture waits for it.
                _ = made.stats();
            }
            (!cancel.load(Ordering::Relaxed)).then_some(Normalised(made))
        }
    }

    pub(super) fn keep_normalised(&mut self, normalised: Normalised) {
        self.normalised = Some(normalised.0);
    }

    pub(super) fn has_normalised(&self) -> bool {
        self.normalised.is_some()
    }

    /// True where work on all vertices takes longer than a picture may.
    fn is_large(&self) -> bool {
        self.stored.model.drawn_vertices() > VERTICES_IN_NO_TIME
    }
}

/// The thing to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The character that comes with the program.
    BuiltIn,
    /// A file.
    File(PathBuf),
}

impl Source {
    /// The file if one is named, else the built-in character.
    #[must_use]
    pub fn of(path: Option<PathBuf>) -> Self {
        path.map_or(Self::BuiltIn, Self::File)
    }

    /// For titles and messages.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::BuiltIn => "Built-in character".into(),
            Self::File(path) => {
                path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into())
            }
        }
    }

    /// Reads it.
    ///
    /// # Errors
    /// The file is bad; the message says what is wrong, where, and what to do.
    pub fn load(&self, options: &Options, progress: &Progress) -> Result<Document, ImportError> {
        let import = match self {
            Self::BuiltIn => import::import_bytes(BUILT_IN, &self.name(), options, progress)?,
            Self::File(path) => import::import_file(path, options, progress)?,
        };
        let mut warnings = lines(&import.warnings);
        warnings.extend(strays(&import.model));
        Ok(Document::new(import.model, warnings, self.path()))
    }

    /// Reads it, and gives it to `shown` once, as soon as it can be drawn; its images arrive while this goes on. Gives back
    /// all warnings in the end.
    ///
    /// # Errors
    /// The same as those of [`Source::load`], but none after `shown`.
    pub fn load_showing(
        &self,
        options: &Options,
        progress: &Progress,
        shown: &mut dyn FnMut(Document),
    ) -> Result<Vec<String>, ImportError> {
        let mut outside = None;
        let shown = &mut |model: Arc<Model>, warnings: Vec<Warning>| {
            outside = strays(&model);
            let warnings = lines(&warnings).into_iter().chain(outside.clone()).collect();
            let document = Document::new(model, warnings, self.path());
            // Here, so that no picture waits for it.
            _ = document.stats();
            shown(document);
        };
        let import = match self {
            Self::BuiltIn => import::import_bytes_showing(BUILT_IN, &self.name(), options, progress, shown)?,
            Self::File(path) => import::import_file_showing(path, options, progress, shown)?,
        };
        Ok(lines(&import.warnings).into_iter().chain(outside).collect())
    }

    fn path(&self) -> Option<PathBuf> {
        match self {
            Self::BuiltIn => None,
            Self::File(path) => Some(path.clone()),
        }
    }
}

/// The warning about vertices far outside of a model at rest, if there are any.
fn strays(model: &Model) -> Option<String> {
    let mut rest = Vec::new();
    anim::local_to_model(&model.skeleton, &model.skeleton.rest, &mut rest);
    stray_warning(model, &extent_at_rest(model, &rest))
}

fn lines(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}
