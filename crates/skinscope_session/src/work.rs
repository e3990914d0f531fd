//! Work that takes longer than a picture may wait, such as trying a tool on a large model or measuring a clip: one door for all of it.
//!
//! A session whose owner can work in the background ([`Session::defer_work`]) says what it needs ([`Session::wanted`]). The owner
//! has each piece done on another thread ([`Session::begin`], [`Run`]), and brings the result back ([`Session::done`]), which is
//! taken where it is still of use. Without such an owner a session does the same work when it is asked for.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Weak};

use skinscope_base::parallel::JobContext;
use skinscope_deform::DataSource;
use skinscope_edit::{self as edit, Packing, Task, compute_outcome};
use skinscope_model::Model;
use skinscope_paint::{Canvas, LayerId};

use crate::painting::LayerCopy;
use crate::view::environment;
use crate::{
    Command, ComparisonCommand, CurvesKey, EditCommand, EnvironmentCommand, LayerCommand, MEASURES_PER_SECOND,
    MeasureCurves, PaintCommand, PlaceCommand, PlacedTask, Session, ShapeCommand, SideWeights, ToolCommand,
    ViewCommand, WorstMomentKey, WorstPose, comparison, painting,
};

/// A model that work is about: only the very same one equals it. It does not keep the model.
#[derive(Clone, Debug)]
pub struct ModelKey(Weak<Model>);

impl ModelKey {
    /// Returns the key of a model.
    #[must_use]
    pub fn of(model: &Arc<Model>) -> Self {
        Self(Arc::downgrade(model))
    }

    fn upgrade(&self) -> Option<Arc<Model>> {
        self.0.upgrade()
    }

    fn is(&self, model: &Arc<Model>) -> bool {
        std::ptr::eq(self.0.as_ptr(), Arc::as_ptr(model))
    }
}

impl PartialEq for ModelKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.ptr_eq(&other.0)
    }
}

/// A piece of work: what is wanted, and of what. The result of one serves every other that equals it.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// The changes that divide the weights of this model by their sums.
    NormaliseWeights(ModelKey),
    /// What a tool would do to the weights of this model.
    TryTool(ModelKey, Box<Task>),
    /// What a runtime makes of the weights of this model.
    PackWeights(ModelKey, Packing),
    /// How many vertices of this model have how many influences.
    CountWeights(ModelKey),
    /// The moment of this clip at which both sides of this comparison are farthest apart.
    FindWorstMoment(Box<WorstMomentKey>),
    /// The measures of a clip over time.
    MeasureClip(CurvesKey),
    /// The measures of the pose that is shown when the work begins, of this model. A later pose does not cancel it: otherwise a clip that
    /// plays would never be measured.
    MeasurePose(ModelKey),
    /// What a deformation method computes once for this model.
    PrepareMethod(&'static DataSource, ModelKey),
    /// The weights of meshes of this model for joints that are placed by hand.
    BindPlaced(ModelKey, Box<PlacedTask>),
    /// What the links that a joint has gained in this model have done to the volume of the skin.
    MeasureLinks(ModelKey),
    /// The shapes that were asked for when so many had been before.
    MakeShapes(u64),
    /// The canvas on which weights of this model are painted.
    PreparePainting(ModelKey),
    /// The copy of a layer of weights for another model.
    CopyLayer {
        /// The layer.
        layer: LayerId,
        /// Whether it comes from the model beside the open one; otherwise it goes there.
        comes: bool,
        /// The model that has it.
        from: ModelKey,
        /// The model that gets it.
        to: ModelKey,
    },
    /// The picture of the surroundings in this file.
    ReadEnvironment(PathBuf),
}

impl Work {
    /// Returns whether both answer the same question, though perhaps of different models or settings: only the newer is of use.
    #[must_use]
    pub fn is_of_kind(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// Returns what is said while it goes on, and the command that cancels it; `None` for what is done without a word, or has a
    /// progress bar of its own.
    #[must_use]
    pub fn notice(&self) -> Option<(String, Command)> {
        match self {
            Self::NormaliseWeights(_) => Some(("Normalising weights".to_owned(), EditCommand::NormaliseWeights.into())),
            Self::TryTool(_, task) => Some((task.operation.label.to_owned(), ToolCommand::Cancel.into())),
            Self::BindPlaced(..) => Some(("Binding".to_owned(), PlaceCommand::CancelBind.into())),
            Self::MakeShapes(_) => {
                Some(("Changing shapes".to_owned(), EditCommand::Shape(ShapeCommand::Cancel).into()))
            }
            Self::CopyLayer { .. } => {
                Some(("Copying a layer".to_owned(), PaintCommand::Layer(LayerCommand::CancelCopy).into()))
            }
            Self::PackWeights(..) => {
                let cancel = ComparisonCommand::SetWeights(SideWeights::Shown);
                Some(("Computing the weights of the runtime".to_owned(), cancel.into()))
            }
            Self::PrepareMethod(source, _) => {
                Some((format!("Computing {}", source.label), ViewCommand::GiveUpData.into()))
            }
            Self::ReadEnvironment(_) => {
                let cancel = ViewCommand::Environment(EnvironmentCommand::Show(None));
                Some(("Reading the environment".to_owned(), cancel.into()))
            }
            Self::CountWeights(_)
            | Self::FindWorstMoment(_)
            | Self::MeasureClip(_)
            | Self::MeasurePose(_)
            | Self::MeasureLinks(_)
            | Self::PreparePainting(_) => None,
        }
    }

    /// Returns the stage of the work where so much of it is done, 0…1; `None` where it has none.
    #[must_use]
    pub fn stage(&self, fraction: f32) -> Option<&'static str> {
        match self {
            Self::TryTool(_, task) if task.operation.finds_weights() => Some(edit::stage_of_binding(fraction)),
            Self::BindPlaced(..) => Some(edit::bind_stage(fraction)),
            _ => None,
        }
    }
}

/// A piece of work that is ready to run on any thread. It returns `None` where it was cancelled or could not be done.
pub type Run = Box<dyn FnOnce(&JobContext) -> Option<Done> + Send>;

/// The result of a piece of work, for [`Session::done`].
pub struct Done(Box<dyn FnOnce(&mut Session) + Send>);

impl Done {
    fn of(take: impl FnOnce(&mut Session) + Send + 'static) -> Self {
        Self(Box::new(take))
    }
}

impl fmt::Debug for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Done").finish_non_exhaustive()
    }
}

impl Session {
    /// From now on work that takes long is left to the owner of this session, who does it in the background: see [`Session::wanted`].
    /// Without this it is done at once.
    pub fn defer_work(&mut self) {
        self.defers_work = true;
    }

    /// Returns the work that a session that defers work waits for, at most one piece of each kind. What was begun and is no longer among it
    /// can be cancelled. While a gesture has changed the weights ([`Session::waits_for_commit`]) it is what was wanted when that began, so that
    /// nothing of it is cancelled before the gesture ends, and nothing at all where it is given up. While one changes what weights are found by
    /// ([`Session::waits_to_find`]) nobody finds any.
    pub fn wanted(&mut self) -> Vec<Work> {
        if !self.defers_work {
            return Vec::new();
        }
        let mut wanted = match self.wanted_before_gesture() {
            Some(wanted) => wanted,
            None => self.wanted_of_models(),
        };
        wanted.extend(self.environments.wanted(self.view()).map(Work::ReadEnvironment));
        wanted
    }

    /// Returns the work that reads a model.
    pub(crate) fn wanted_of_models(&mut self) -> Vec<Work> {
        let mut wanted = Vec::new();
        if let Some(document) = self.document() {
            let model = ModelKey::of(&document.model);
            if self.is_normalising() {
                wanted.push(Work::NormaliseWeights(model.clone()));
            }
            if document.lacks_stats() {
                wanted.push(Work::CountWeights(model));
            }
        }
        if let Some((source, model)) = self.deforming().wanted_data() {
            wanted.push(Work::PrepareMethod(source, ModelKey::of(&model)));
        }
        // The picture shows the other model too; all other work of it waits until it is the active one.
        let of_other = self.beside().and_then(|beside| beside.other.deforming().wanted_data());
        if let Some((source, model)) = of_other.filter(|_| !wanted.iter().any(|w| matches!(w, Work::PrepareMethod(..))))
        {
            wanted.push(Work::PrepareMethod(source, ModelKey::of(&model)));
        }
        let tried = self.skinning().wanted_task();
        if let Some((model, task)) = tried.filter(|_| !self.waits_to_find()) {
            wanted.push(Work::TryTool(ModelKey::of(&model), Box::new(task)));
        }
        if let Some((task, model)) = self.placing.task().zip(self.edited_weights().edited_model()) {
            wanted.push(Work::BindPlaced(ModelKey::of(model), Box::new(task.clone())));
        }
        if let Some((number, _)) = self.tools.wanted_shapes() {
            wanted.push(Work::MakeShapes(number));
        }
        if let Some(task) = self.wanted_link_task() {
            wanted.push(Work::MeasureLinks(ModelKey::of(&task.after)));
        }
        if let Some((model, packing)) = self.deforming().wanted_packing() {
            wanted.push(Work::PackWeights(ModelKey::of(&model), packing));
        }
        match self.measurements().wanted_worst_moment() {
            Some(key) => wanted.push(Work::FindWorstMoment(Box::new(key))),
            // Without a clip or a comparison there is no such moment.
            None => self.compared.is_seeking_worst = false,
        }
        if let Some(key) = self.measurements().wanted_curves() {
            wanted.push(Work::MeasureClip(key));
        }
        if let Some(model) = painting::wanted_canvas(self.painting(), self.edited_weights()) {
            wanted.push(Work::PreparePainting(ModelKey::of(&model)));
        }
        if let Some((copy, task)) = self.wanted_layer_copy() {
            let LayerCopy { layer, comes } = copy;
            let (from, to) = (ModelKey::of(&task.from), ModelKey::of(&task.to));
            wanted.push(Work::CopyLayer { layer, comes, from, to });
        }
        if let Some(model) = self.measurements().wanted_pose() {
            wanted.push(Work::MeasurePose(ModelKey(model)));
        }
        wanted
    }

    /// Returns whether a piece of work may begin now. While a gesture has changed the weights ([`Session::waits_for_commit`]) whatever reads a
    /// model waits for its end: each change would make all of it of no use.
    #[must_use]
    pub fn may_begin(&self, work: &Work) -> bool {
        !self.waits_for_commit() || matches!(work, Work::ReadEnvironment(_))
    }

    /// Returns what does a piece of work that [`Session::wanted`] has listed; `None` where that is not wanted any more, or may not begin yet
    /// ([`Session::may_begin`]).
    #[must_use]
    pub fn begin(&mut self, work: &Work) -> Option<Run> {
        if !self.may_begin(work) {
            return None;
        }
        match work {
            Work::NormaliseWeights(model) => {
                let model = model.upgrade()?;
                if !self.model().is_some_and(|open| Arc::ptr_eq(open, &model)) {
                    return None;
                }
                Some(Box::new(move |context| {
                    let changes = model.normalised_weights();
                    (!context.is_cancelled())
                        .then(|| Done::of(move |session| session.skinning().take_normalised(&model, &changes)))
                }))
            }
            Work::TryTool(model, task) => {
                let (model, task) = (model.upgrade()?, Task::clone(task));
                Some(Box::new(move |context| {
                    let outcome = compute_outcome(&model, &task, context)?;
                    Some(Done::of(move |session| session.take_outcome(&model, &task, Some(outcome))))
                }))
            }
            Work::BindPlaced(model, task) => {
                let (model, task) = (model.upgrade()?, PlacedTask::clone(task));
                Some(Box::new(move |context| {
                    let result = task.run(&model, context);
                    let take = move |session: &mut Session| session.take_bound(&model, &task, result);
                    (!context.is_cancelled()).then(|| Done::of(take))
                }))
            }
            Work::MakeShapes(number) => {
                let (_, task) = self.tools.wanted_shapes().filter(|(wanted, _)| wanted == number)?;
                let task = Arc::clone(task);
                Some(Box::new(move |context| {
                    let made = task.run(context)?;
                    Some(Done::of(move |session| session.take_shapes_made(&task, made)))
                }))
            }
            Work::MeasureLinks(model) => {
                let task = Arc::clone(self.wanted_link_task().filter(|task| model.is(&task.after))?);
                Some(Box::new(move |context| {
                    let volumes = task.run(context)?;
                    Some(Done::of(move |session| session.tools.take_link_volumes(&task, volumes)))
                }))
            }
            Work::PackWeights(model, packing) => {
                let (model, packing) = (model.upgrade()?, *packing);
                Some(Box::new(move |context| {
                    let made = edit::packed(&model, packing, context)?;
                    Some(Done::of(move |session| session.take_packed(&model, packing, made)))
                }))
            }
            Work::CountWeights(_) => {
                let count = self.document()?.count_weights();
                Some(Box::new(move |_| {
                    count();
                    // The next picture shows the figures.
                    Some(Done::of(|_| ()))
                }))
            }
            Work::FindWorstMoment(key) => {
                if self.measurements().wanted_worst_moment().as_ref() != Some(&**key) {
                    return None;
                }
                let (session, key) = (self.clone(), WorstMomentKey::clone(key));
                Some(Box::new(move |context| {
                    let worst = session.worst_moment(&mut |fraction| go_on(context, fraction));
                    let take = move |session: &mut Session| {
                        // Meanwhile the search may have been cancelled, or be one for another clip, model or method.
                        if session.measurements().wanted_worst_moment().as_ref() == Some(&key) {
                            session.compared.is_seeking_worst = false;
                            if let Some(moment) = worst.and_then(WorstPose::moment) {
                                comparison::to_worst(session, Some(moment));
                            }
                        }
                    };
                    (!context.is_cancelled()).then(|| Done::of(take))
                }))
            }
            Work::MeasureClip(_) => {
                let session = self.clone();
                Some(Box::new(move |context| {
                    let mut heard = |fraction| go_on(context, fraction);
                    let curves = session.measure_clip(MEASURES_PER_SECOND, MeasureCurves::WANTED, &mut heard);
                    let curves = curves.filter(|curves| curves.complete)?;
                    Some(Done::of(move |session| session.measuring.take_curves(curves)))
                }))
            }
            Work::MeasurePose(model) => {
                if !self.deforming().shown_model().is_some_and(|shown| model.is(shown)) {
                    return None;
                }
                let (pose, mut measurers) = self.measurements().begin()?;
                Some(Box::new(move |context| {
                    let measured = pose.measure(&mut measurers, &|| context.is_cancelled())?;
                    Some(Done::of(move |session| {
                        let sides = session.measurements().sides_of(&measured);
                        session.measuring.take_measures(sides, measured, measurers);
                    }))
                }))
            }
            Work::PreparePainting(model) => {
                let model = model.upgrade()?;
                Some(Box::new(move |context| {
                    let canvas = Canvas::prepared(model);
                    (!context.is_cancelled())
                        .then(|| Done::of(move |session| painting::take_canvas(&mut session.painter(), canvas)))
                }))
            }
            Work::CopyLayer { layer, comes, from, to } => {
                let (copy, task) = self.wanted_layer_copy()?;
                if copy != (LayerCopy { layer: *layer, comes: *comes }) || !from.is(&task.from) || !to.is(&task.to) {
                    return None;
                }
                Some(Box::new(move |context| {
                    let made = task.run(context);
                    (!context.is_cancelled()).then(|| Done::of(move |session| session.take_layer_copy(&task, made)))
                }))
            }
            Work::ReadEnvironment(path) => {
                let path = path.clone();
                Some(Box::new(move |context| {
                    let read = environment::read(&path, context.cancel_flag())?;
                    Some(Done::of(move |session| session.environments.take(path, read)))
                }))
            }
            Work::PrepareMethod(source, model) => {
                let (source, model) = (*source, model.upgrade()?);
                Some(Box::new(move |context| {
                    let data = (source.make)(&model, context)?;
                    Some(Done::of(move |session| session.showing_mut(&model).keep_data(source, &model, data)))
                }))
            }
        }
    }

    /// Takes the result of a piece of work, where it is still of use.
    pub fn done(&mut self, done: Done) {
        let tried = self.tried_skins();
        self.history.note_strokes(self.painting.last_recorded());
        (done.0)(self);
        self.follow_trial(tried);
    }

    /// Does all work that is wanted on this thread, also what is wanted only once other work is done.
    pub fn do_wanted(&mut self) {
        while let Some(done) = self.wanted().iter().find_map(|work| self.begin(work)?(&JobContext::of_waiting())) {
            self.done(done);
        }
    }
}

/// Reports the share that is done, and returns whether the work is still wanted.
fn go_on(context: &JobContext, fraction: f32) -> bool {
    if context.set_fraction(fraction) {
        context.wake();
    }
    !context.is_cancelled()
}
