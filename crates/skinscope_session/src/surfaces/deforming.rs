//! How the open model is deformed: the method, its parameters, the pass after it, and the data that both have worked out for the
//! model. Such data is cached beside the model while the session stays with it; the application computes it in the background
//! ([`crate::Deforming::wanted_data`]), and until it is there the model is shown without it, by the default method.

use std::sync::{Arc, Weak};

use skinscope_base::parallel::JobContext;
use skinscope_deform::{
    self as deform, DataSource, Deformation, METHODS, Method, MethodData, NORMAL_MODES, NormalMode, PASSES, Pass,
    SUBDIVISIONS, Subdivision,
};
use skinscope_inspect::Overlay;
use skinscope_model::Model;

use crate::{Compared, Document, Session, View};

/// How one side of a picture is deformed: a row of each table of `deform`.
#[derive(Clone, Copy, Debug)]
pub struct MethodChoice {
    /// The method.
    pub method: &'static Method,
    /// The pass that comes after it, if any.
    pub pass: Option<&'static Pass>,
    /// The source of the normals.
    pub normals: &'static NormalMode,
}

impl PartialEq for MethodChoice {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.method, other.method)
            && self.pass.map(|pass| pass.id) == other.pass.map(|pass| pass.id)
            && self.normals.id == other.normals.id
    }
}

impl MethodChoice {
    /// Makes the choice of a method with its own normals, and no pass after it.
    #[must_use]
    pub fn of(method: &'static Method) -> Self {
        Self { method, pass: None, normals: NORMAL_MODES[0] }
    }

    /// Returns the name in the window, such as "Linear blend + delta mush".
    #[must_use]
    pub fn label(&self) -> String {
        let pass = self.pass.map_or_else(String::new, |pass| format!(" + {}", pass.label.to_lowercase()));
        format!("{}{pass}", self.method.label)
    }

    /// Returns the name on the command line, such as `linear+mush`.
    #[must_use]
    pub fn id(&self) -> String {
        let pass = self.pass.map_or_else(String::new, |pass| format!("+{}", pass.id));
        format!("{}{pass}", self.method.id)
    }

    /// Finds the choice that has this [`MethodChoice::id`].
    #[must_use]
    pub fn named(id: &str) -> Option<Self> {
        let (method, pass) = id.split_once('+').map_or((id, None), |(method, pass)| (method, Some(pass)));
        let pass = match pass {
            Some(id) => Some(deform::pass(id)?),
            None => None,
        };
        Some(Self { pass, ..Self::of(deform::method(method)?) })
    }
}

/// How what is shown is subdivided, by Loop's rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Subdivide {
    /// How often, up to [`skinscope_deform::MOST_LEVELS`]; 0: it is not.
    pub levels: u32,
    /// Whether the model is subdivided at rest, with its weights, and skinned then; else its skinned surface is subdivided.
    pub is_first: bool,
}

impl Subdivide {
    /// Returns what a session file keeps of it; nothing where it is the usual.
    pub(crate) fn kept(self) -> Option<(u32, bool)> {
        (self != Self::default()).then_some((self.levels, self.is_first))
    }
}

/// The data that methods and passes have computed.
#[derive(Clone, Debug, Default)]
pub(crate) struct DataCache(Vec<CachedData>);

#[derive(Clone, Debug)]
struct CachedData {
    source: &'static DataSource,
    /// The model that it is about, weights included.
    model: Weak<Model>,
    data: Arc<MethodData>,
}

/// How both sides of the picture are deformed: the models, the method of each, and the data that methods need.
#[derive(Clone, Copy, Debug)]
pub struct Deforming<'a> {
    pub(crate) document: Option<&'a Document>,
    pub(crate) model: Option<&'a Arc<Model>>,
    pub(crate) view: &'a View,
    pub(crate) compared: &'a Compared,
    pub(crate) methods: &'a DataCache,
}

impl View {
    pub(crate) fn set_method(&mut self, id: &'static str) {
        self.method = deform::method(id).unwrap_or(self.method);
    }

    pub(crate) fn set_pass(&mut self, id: Option<&'static str>) {
        self.pass = id.and_then(deform::pass);
    }

    pub(crate) fn set_normals(&mut self, id: &'static str) {
        self.normals = deform::normal_mode(id).unwrap_or(self.normals);
    }

    /// Chooses what is ready, so that nothing is chosen any more that needs data which is being computed.
    pub(crate) fn give_up_data(&mut self, (shown, compared): (MethodChoice, Option<MethodChoice>)) {
        (self.method, self.pass) = (shown.method, shown.pass);
        if let Some((comparison, choice)) = self.comparison.as_mut().zip(compared) {
            comparison.choice = choice;
        }
    }

    pub(crate) fn set_parameter(&mut self, id: &'static str, value: f32) {
        let all = METHODS.iter().flat_map(|m| m.parameters).chain(PASSES.iter().flat_map(|p| p.parameters));
        if let Some(parameter) = all.into_iter().find(|parameter| parameter.id == id) {
            self.parameters.set(parameter, value);
        }
    }
}

impl<'a> Deforming<'a> {
    /// Returns the method by which the model is shown: the one that is chosen, or the default as long as that one's data is missing.
    #[must_use]
    pub fn shown_method(self) -> &'static Method {
        self.ready(self.view.choice(), self.shown_model()).method
    }

    /// Returns the method that is shown, with everything that it needs.
    #[must_use]
    pub fn deformation(self) -> Deformation<'a> {
        self.deformation_of(self.view.choice(), self.shown_model())
    }

    /// Returns how a model is deformed that is shown, or compared with what is shown.
    #[must_use]
    pub(crate) fn deformation_of(self, choice: MethodChoice, model: Option<&Arc<Model>>) -> Deformation<'a> {
        let MethodChoice { method, pass, normals } = self.ready(choice, model);
        let mut out = Deformation::with(method, &self.view.parameters);
        out.normals = normals;
        out.data = method.data.and_then(|source| self.data_of(source, model));
        if let Some(pass) = pass {
            out = out.then(pass, &self.view.parameters);
            let data = pass.data.and_then(|source| self.data_of(source, model));
            out.pass.iter_mut().for_each(|applied| applied.data = data);
        }
        out
    }

    /// Returns why what is shown is not subdivided so often, in words for the user; `None` where it is.
    #[must_use]
    pub fn subdivision_refusal(self, levels: u32) -> Option<String> {
        let Some(model) = self.shown_model() else { return Some("no model is open".into()) };
        if self.comparison().is_some() {
            return Some("while two sides are compared nothing is subdivided".into());
        }
        if self.view.crowd > 1 {
            return Some("a crowd is not subdivided".into());
        }
        if self.deformation().data.is_some_and(|data| data.split.is_some()) {
            return Some("the surface of rigid parts comes apart, so that it is not subdivided".into());
        }
        Subdivision::refusal(model, levels)
    }

    /// Returns the source of the subdivided model that is to be shown, and what is subdivided; `None` where nothing is, or it is refused.
    fn chosen_subdivision(self) -> Option<(&'static DataSource, &'a Arc<Model>)> {
        let levels = self.view.subdivision.levels;
        let source = SUBDIVISIONS.get((levels as usize).checked_sub(1)?).copied()?;
        if self.subdivision_refusal(levels).is_some() {
            return None;
        }
        Some((source, self.shown_model()?))
    }

    /// Returns the subdivided model that is shown; `None` where the model itself is, or the other is still being worked out.
    #[must_use]
    pub fn subdivision(self) -> Option<&'a Arc<Subdivision>> {
        let (source, model) = self.chosen_subdivision()?;
        self.data_of(source, Some(model))?.subdivision.as_ref()
    }

    /// Returns the model as it is drawn: the one that is shown, that subdivided, or one with copies of the vertices that the method has at several
    /// positions.
    #[must_use]
    pub fn drawn_model(self) -> Option<&'a Arc<Model>> {
        let subdivided = self.subdivision().map(|subdivision| subdivision.model());
        let split = self.deformation().data.and_then(|data| data.split.as_ref());
        subdivided.or_else(|| split.map(|split| &split.model)).or_else(|| self.shown_model())
    }

    /// Returns `choice` without the method or pass whose data for this model is missing; the default method then stands for the chosen
    /// one.
    #[must_use]
    pub fn ready(self, choice: MethodChoice, model: Option<&Arc<Model>>) -> MethodChoice {
        let has = |source: Option<&'static DataSource>| source.is_none_or(|s| self.data_of(s, model).is_some());
        let method = if has(choice.method.data) { choice.method } else { METHODS[0] };
        MethodChoice { method, pass: choice.pass.filter(|pass| has(pass.data)), ..choice }
    }

    fn data_of(self, source: &'static DataSource, model: Option<&Arc<Model>>) -> Option<&'a MethodData> {
        let model = Arc::as_ptr(model?);
        let is_it = |cached: &&CachedData| std::ptr::eq(cached.source, source) && cached.model.as_ptr() == model;
        self.methods.0.iter().find(is_it).map(|cached| &*cached.data)
    }

    /// Returns the data of a source for a model.
    pub(crate) fn cached_data(self, source: &'static DataSource, model: &Arc<Model>) -> Option<Arc<MethodData>> {
        let is_it = |cached: &&CachedData| {
            std::ptr::eq(cached.source, source) && std::ptr::eq(cached.model.as_ptr(), Arc::as_ptr(model))
        };
        self.methods.0.iter().find(is_it).map(|cached| Arc::clone(&cached.data))
    }

    /// Returns everything that is deformed: what is shown, and what it is compared with.
    pub(crate) fn sides(self) -> impl Iterator<Item = (MethodChoice, &'a Arc<Model>)> {
        let here = self.view.choice();
        let shown = self.shown_model().map(move |model| (here, model));
        let compared = self.comparison().zip(self.compared_model()).map(|(c, model)| (c.choice, model));
        let is_of_both = |overlay: &&Overlay| overlay.values.is_some_and(|values| values.deforms_compared);
        let changed = self.view.overlay.filter(is_of_both).and_then(|_| Some([self.model?, self.compared_with()?]));
        let changed = changed.into_iter().flatten().map(move |model| (here, model));
        shown.into_iter().chain(compared).chain(changed)
    }

    /// Returns the source of the data that the chosen methods and the pass need for what is shown, or compared with it, and that is not
    /// there yet. It becomes [`Work::PrepareMethod`](crate::Work), or is computed by [`Session::prepare`].
    #[must_use]
    pub fn wanted_data(self) -> Option<(&'static DataSource, Arc<Model>)> {
        let sources = |(choice, model): (MethodChoice, _)| {
            [(choice.method.data, model), (choice.pass.and_then(|pass| pass.data), model)]
        };
        let of_methods = self.sides().flat_map(sources).filter_map(|(source, model)| Some((source?, model)));
        let mut wanted = of_methods.chain(self.chosen_subdivision());
        let missing = wanted.find(|(source, model)| self.data_of(source, Some(*model)).is_none());
        missing.map(|(source, model)| (source, Arc::clone(model)))
    }

    /// Returns the data that is of use, with what [`crate::Deforming::wanted_data`] asked for.
    pub(crate) fn data_with(self, source: &'static DataSource, model: &Arc<Model>, data: MethodData) -> DataCache {
        // The data of a model with other weights is of no use any more.
        let used: Vec<*const Model> = self.sides().map(|(_, model)| Arc::as_ptr(model)).collect();
        let known = self.methods.0.iter().filter(|cached| used.contains(&cached.model.as_ptr())).cloned();
        let new = CachedData { source, model: Arc::downgrade(model), data: Arc::new(data) };
        DataCache(known.chain([new]).collect())
    }

    /// Returns what is chosen for what is shown, and for what it is compared with, without methods and passes whose data is missing.
    pub(crate) fn ready_choices(self) -> (MethodChoice, Option<MethodChoice>) {
        let compared = self.comparison().map(|comparison| self.ready(comparison.choice, self.compared_model()));
        (self.ready(self.view.choice(), self.shown_model()), compared)
    }
}

impl Session {
    /// Computes on this thread everything that the chosen methods and the pass need.
    pub fn prepare(&mut self) {
        while let Some((source, model)) = self.deforming().wanted_data() {
            let Some(data) = (source.make)(&model, &JobContext::of_waiting()) else { return };
            self.keep_data(source, &model, data);
        }
        if let Some(beside) = &mut self.beside {
            beside.other.prepare();
        }
    }

    /// Keeps the data of a source for a model. What is shown is deformed anew.
    pub(crate) fn keep_data(&mut self, source: &'static DataSource, model: &Arc<Model>, data: MethodData) {
        self.methods = self.deforming().data_with(source, model, data);
        self.pose.forget_surfaces();
    }
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{MeshId, WeightChange};

    use super::*;
    use crate::{ComparisonCommand, Document, EditCommand, PlaybackCommand, SideWeights, ViewCommand};

    fn open() -> Session {
        let mut session = Session::default();
        session.open(Document::new(Arc::new(tube(Tube { joints: 4, ..Tube::default() })), Vec::new(), None));
        session.apply(PlaybackCommand::SetPlaying(false));
        session.apply(PlaybackCommand::Seek(0.5));
        session.update_pose();
        session
    }

    #[test]
    fn until_the_data_of_a_method_is_there_the_default_is_shown() {
        for id in ["centres-of-rotation", "polar", "rigid"] {
            let mut session = open();
            session.apply(ViewCommand::SetMethod(id));
            assert_eq!((session.view().method.id, session.deforming().shown_method().id), (id, METHODS[0].id));
            assert!(session.deforming().deformation().needs_processor().is_none());
            let (source, model) = session.deforming().wanted_data().unwrap();
            assert!(
                Arc::ptr_eq(&model, session.model().unwrap())
                    && std::ptr::eq(source, session.view().method.data.unwrap())
            );
            session.prepare();
            assert_eq!(session.deforming().shown_method().id, id);
            assert!(
                session.deforming().deformation().needs_processor().is_some()
                    && session.deforming().wanted_data().is_none()
            );
        }
    }

    #[test]
    fn what_nobody_waits_for_any_more_is_not_chosen_any_more() {
        let mut session = open();
        session.apply(ViewCommand::SetMethod("polar"));
        session.apply(ViewCommand::SetPass(Some("mush")));
        session.apply(ViewCommand::GiveUpData);
        assert!(session.view().method.id == METHODS[0].id && session.view().pass.is_none());
        assert!(session.deforming().wanted_data().is_none());
        session.apply(ViewCommand::SetPass(Some("mush")));
        session.prepare();
        session.apply(ViewCommand::SetMethod("polar"));
        session.apply(ViewCommand::GiveUpData);
        assert!(session.view().method.id == METHODS[0].id && session.view().pass.is_some(), "mush has what it needs");
    }

    #[test]
    fn both_sides_of_a_comparison_have_what_they_need() {
        let mut session = open();
        session.apply(ComparisonCommand::Set(true));
        session.apply(ComparisonCommand::SetMethod("linear"));
        session.apply(ComparisonCommand::SetPass(Some("mush")));
        let worst = |session: &Session| session.surfaces().compared_surfaces().unwrap().distance.worst;
        assert_eq!(worst(&session), 0.0, "until the neighbours are known both are linear");
        session.prepare();
        assert!(worst(&session) > 1e-4);
        // Stored weights against edited ones: the data of each side is that of its own weights.
        session.apply(ComparisonCommand::SetPass(None));
        session.apply(ComparisonCommand::SetMethod("polar"));
        session.apply(ViewCommand::SetMethod("polar"));
        session.prepare();
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        (40..60).for_each(|v| change.push(v, &[0, 3], &[0.5, 0.5]));
        session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
        session.apply(ComparisonCommand::SetWeights(SideWeights::Stored));
        session.update_pose();
        session.prepare();
        let sides: Vec<_> = session.deforming().sides().map(|(choice, model)| (choice, Arc::clone(model))).collect();
        assert!(!Arc::ptr_eq(&sides[0].1, &sides[1].1));
        for (choice, model) in &sides {
            assert_eq!(session.deforming().ready(*choice, Some(model)).method.id, "polar");
            let data = session.deforming().deformation_of(*choice, Some(model)).data.unwrap();
            let own = (session.view().method.data.unwrap().make)(model, &JobContext::of_waiting()).unwrap();
            assert_eq!(data.vectors, own.vectors);
        }
        assert!(session.deforming().wanted_data().is_none() && worst(&session) > 1e-3);
    }

    #[test]
    fn a_choice_is_found_by_its_name() {
        for method in METHODS {
            for pass in PASSES.iter().copied().map(Some).chain([None]) {
                let choice = MethodChoice { pass, ..MethodChoice::of(method) };
                assert_eq!(MethodChoice::named(&choice.id()), Some(choice));
            }
        }
        assert!(MethodChoice::named("linear+").is_none() && MethodChoice::named("bent").is_none());
    }
}
