//! The undo history: the steps of the pose, of the skinning, of clips and of marks, in one order.

use std::sync::Arc;

use skinscope_anim::Layers;
use skinscope_edit::PlacedJoint;
use skinscope_inspect::VertexSet;
use skinscope_model::{ClipChange, ClipId, Model, NodeId, SkinningChange, TargetChange};
use skinscope_paint::{KeptLayers, LayerStack};

use crate::Edits;

/// The steps to go back to, of the pose, of the skinning, of clips and of marks in one order. Pose edits that follow each other without the
/// end of a drag are one step.
#[derive(Clone, Debug, Default)]
pub struct History {
    past: Vec<Step>,
    future: Vec<Step>,
    step_is_open: bool,
    /// Whether the last step is one of layers, to which the next change of layers belongs.
    layers_are_open: bool,
    /// The gesture that is under way, of which everything that changes is one step.
    gesture: Option<OpenGesture>,
    /// The number of the last stroke that was recorded ([`History::note_strokes`]).
    strokes: usize,
}

/// The steps of a gesture that is under way: those of [`History::past`] from `first` on, one of each kind at most.
#[derive(Clone, Debug)]
struct OpenGesture {
    first: usize,
    /// The steps forward from before the gesture, which are there again where nothing changes.
    future: Vec<Step>,
    /// The step from before the gesture that it has taken the place of.
    replaced: Option<Step>,
    /// The model from before the gesture.
    model: Arc<Model>,
}

/// The state that one step back, or forward again, restores.
#[derive(Clone, Debug)]
enum Step {
    /// All edits of the pose: a few bytes for each edited channel.
    Pose(Arc<Edits>),
    /// The pairs of the vertices and the matrices of the joints that the step changed, and of no others, with the number of the last stroke that
    /// was recorded.
    Skinning(SkinningChange, usize),
    /// A change of the added clips, with all edits of the pose, the clip that is shown and those blended over it.
    Clips(ClipChange, Arc<Edits>, Option<ClipId>, Layers),
    /// The clips that are blended over the one that is shown.
    Layers(Layers),
    /// The vertices that are marked.
    Marks(Marks),
    /// The layers of weights, with the number of the last stroke that was recorded; what the layers make of the weights of the model is a change
    /// of the skinning.
    WeightLayers(LayerStack, usize),
    /// The layers of the file of which it is asked what becomes of them.
    AskedLayers(Option<Arc<KeptLayers>>),
    /// The joints that are placed by hand.
    Placed(Arc<Vec<PlacedJoint>>),
    /// The model with other skins that meshes gained since its file was read, or other nodes, with all edits of the pose, which name these. It
    /// shares no list with the one that is shown.
    Bindings(Arc<Model>, Arc<Edits>),
    /// The morph targets that the step changed, and the keys of their weights, with all edits of the pose, which name them by their places.
    Targets(TargetChange, Arc<Edits>),
    /// What a gesture has changed of several of these, the first change first.
    Several(Vec<Step>),
}

/// Marked vertices, and whether they were marked by hand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    pub vertices: Arc<VertexSet>,
    pub by_hand: bool,
}

/// What steps change.
#[derive(Debug)]
pub(crate) struct Changed<'a> {
    pub edits: &'a mut Arc<Edits>,
    pub model: &'a mut Arc<Model>,
    /// The clip that is shown.
    pub clip: &'a mut Option<ClipId>,
    /// The clips that are blended over it.
    pub layers: &'a mut Layers,
    pub marks: &'a mut Marks,
    pub weight_layers: &'a mut LayerStack,
    pub asked_layers: &'a mut Option<Arc<KeptLayers>>,
    pub placed: &'a mut Arc<Vec<PlacedJoint>>,
    /// The number of the last stroke that is recorded.
    pub strokes: &'a mut usize,
}

/// How many steps are stored.
const MAX_STEPS: usize = 1000;
/// How many of them may be steps of marks, since each may hold a number for every vertex.
const MAX_MARKS: usize = 200;

impl Step {
    /// The step itself, or the steps that it holds.
    fn parts(&self) -> &[Self] {
        if let Self::Several(parts) = self { parts } else { std::slice::from_ref(self) }
    }

    fn parts_mut(&mut self) -> &mut [Self] {
        match self {
            Self::Several(parts) => parts,
            one => std::slice::from_mut(one),
        }
    }

    fn skinning(&self) -> impl Iterator<Item = &SkinningChange> {
        self.parts().iter().filter_map(|step| if let Self::Skinning(change, _) = step { Some(change) } else { None })
    }

    /// Adds a later step of the same gesture, where both are of one kind; else returns it.
    fn add(&mut self, later: Self) -> Option<Self> {
        match (self, later) {
            (Self::Skinning(own, _), Self::Skinning(later, _)) => own.add_absent(later),
            // These hold what there was before, and what the gesture began with counts. The change of clips is made up when the gesture ends.
            (Self::Pose(_), Self::Pose(_))
            | (Self::Clips(..), Self::Clips(..))
            | (Self::Layers(_), Self::Layers(_))
            | (Self::Marks(_), Self::Marks(_))
            | (Self::WeightLayers(..), Self::WeightLayers(..))
            | (Self::AskedLayers(_), Self::AskedLayers(_))
            | (Self::Placed(_), Self::Placed(_))
            | (Self::Bindings(..), Self::Bindings(..)) => {}
            (_, later) => return Some(later),
        }
        None
    }

    /// Carries the step out, and returns the one that leads back.
    fn take(self, now: &mut Changed<'_>) -> Self {
        match self {
            Self::Pose(other) => Self::Pose(std::mem::replace(now.edits, other)),
            Self::Skinning(change, strokes) => {
                let before = now.model.skinning_before(&change);
                // Weights and matrices that were there once fit the model.
                if let Ok(changed) = now.model.with_skinning(&change) {
                    *now.model = Arc::new(changed);
                }
                Self::Skinning(before, std::mem::replace(now.strokes, strokes))
            }
            Self::Clips(change, edits, clip, layers) => {
                let before = now.model.clips_before(&change);
                let Ok(changed) = now.model.with_clips_changed(&change) else {
                    return Self::Clips(change, edits, clip, layers);
                };
                *now.model = Arc::new(changed);
                let (edits, clip) = (std::mem::replace(now.edits, edits), std::mem::replace(now.clip, clip));
                Self::Clips(before, edits, clip, std::mem::replace(now.layers, layers))
            }
            Self::Layers(layers) => Self::Layers(std::mem::replace(now.layers, layers)),
            Self::Marks(marks) => Self::Marks(std::mem::replace(now.marks, marks)),
            Self::WeightLayers(layers, strokes) => {
                let before = std::mem::replace(now.weight_layers, layers);
                Self::WeightLayers(before, std::mem::replace(now.strokes, strokes))
            }
            Self::AskedLayers(asked) => Self::AskedLayers(std::mem::replace(now.asked_layers, asked)),
            Self::Placed(joints) => Self::Placed(std::mem::replace(now.placed, joints)),
            Self::Bindings(other, edits) => {
                // Clips may have come since, and they stay.
                let is_moved = |(i, to): (usize, &Option<NodeId>)| to.is_some_and(|to| to.index() != i);
                let has_moved = now.model.nodes_in(&other).iter().enumerate().any(is_moved);
                let has_clips = !(now.model.added_clips().is_empty() && other.added_clips().is_empty());
                let other = match other.has_same_added_clips(now.model) {
                    _ if has_moved && has_clips => other.with_clips_of(now.model).map_or(other, Arc::new),
                    true => other,
                    false => other.with_clips_changed(&other.clips_back_to(now.model)).map_or(other, Arc::new),
                };
                Self::Bindings(std::mem::replace(now.model, other), std::mem::replace(now.edits, edits))
            }
            Self::Targets(change, edits) => {
                let Ok(changed) = now.model.with_targets_changed(&change) else {
                    return Self::Targets(change, edits);
                };
                let before = changed.targets_back_to(now.model);
                *now.model = Arc::new(changed);
                Self::Targets(before, std::mem::replace(now.edits, edits))
            }
            Self::Several(parts) => Self::Several(parts.into_iter().rev().map(|part| part.take(now)).collect()),
        }
    }
}

impl History {
    /// Must be called when other strokes may have been recorded: steps of weights lead back to the number of the last one from before them.
    pub(crate) fn note_strokes(&mut self, number: usize) {
        self.strokes = number;
    }

    /// Must be called before `edits` change.
    pub(crate) fn before_change(&mut self, edits: &Arc<Edits>) {
        self.future.clear();
        if !std::mem::replace(&mut self.step_is_open, true) {
            self.push(Step::Pose(Arc::clone(edits)));
        }
    }

    /// Must be called when weights or inverse bind matrices have changed; `before` is the change that undoes it.
    pub(crate) fn skinning_changed(&mut self, before: SkinningChange) {
        self.future.clear();
        self.close_step();
        self.push(Step::Skinning(before, self.strokes));
    }

    /// Must be called when added clips have changed: with the change that undoes it, and the edits and what played from before.
    pub(crate) fn clips_changed(&mut self, before: ClipChange, edits: Arc<Edits>, played: (Option<ClipId>, Layers)) {
        self.future.clear();
        self.close_step();
        self.push(Step::Clips(before, edits, played.0, played.1));
    }

    /// Must be called when other clips are blended over the one that plays; `before` are those from before. Changes that follow each other
    /// without [`History::close_step`] are one step.
    pub(crate) fn layers_changed(&mut self, before: Layers) {
        self.future.clear();
        if !self.layers_are_open {
            self.close_step();
            self.push(Step::Layers(before));
            self.layers_are_open = true;
        }
    }

    /// Must be called when other vertices are marked; `before` are those from before.
    pub(crate) fn marks_changed(&mut self, before: Marks) {
        self.future.clear();
        self.close_step();
        let is_of_marks = |step: &Step| matches!(step, Step::Marks(_));
        if self.past.iter().filter(|step| is_of_marks(step)).count() >= MAX_MARKS
            && let Some(oldest) = self.past.iter().position(is_of_marks)
            && self.gesture.as_ref().is_none_or(|gesture| oldest < gesture.first)
        {
            self.past.remove(oldest);
            self.gesture.iter_mut().for_each(|gesture| gesture.first -= 1);
        }
        self.push(Step::Marks(before));
    }

    /// Must be called when the layers of weights have changed; `before` are those from before. Where it is `of_last`, the weights that they
    /// make have changed just before, and both are one step.
    pub(crate) fn weight_layers_changed(&mut self, before: LayerStack, of_last: bool) {
        if of_last && self.gesture.is_none() {
            match self.past.pop() {
                Some(step @ Step::Skinning(..)) => {
                    self.past.push(Step::Several(vec![step, Step::WeightLayers(before, self.strokes)]));
                }
                other => self.past.extend(other),
            }
            return;
        }
        self.future.clear();
        self.close_step();
        self.push(Step::WeightLayers(before, self.strokes));
    }

    /// Must be called when it is asked no more what becomes of layers that the file keeps, which are these.
    pub(crate) fn asked_layers_changed(&mut self, before: Arc<KeptLayers>) {
        self.future.clear();
        self.close_step();
        self.push(Step::AskedLayers(Some(before)));
    }

    /// Must be called when other joints are placed by hand; `before` are those from before.
    pub(crate) fn placed_changed(&mut self, before: Arc<Vec<PlacedJoint>>) {
        self.future.clear();
        self.close_step();
        self.push(Step::Placed(before));
    }

    /// Must be called when meshes have gained skins, and the like; `before` is the model from before with the edits of its pose, `layers` are its
    /// layers of weights where there are none any more, and `asked` are those of its file of which nothing is asked any more.
    pub(crate) fn bindings_changed(
        &mut self,
        before: (Arc<Model>, Arc<Edits>),
        layers: Option<LayerStack>,
        asked: Option<Arc<KeptLayers>>,
    ) {
        self.future.clear();
        self.close_step();
        let layers = layers.map(|layers| Step::WeightLayers(layers, self.strokes)).into_iter();
        let asked = asked.map(|asked| Step::AskedLayers(Some(asked)));
        let mut steps: Vec<Step> = layers.chain(asked).collect();
        if steps.is_empty() || self.gesture.is_some() {
            steps.into_iter().for_each(|step| self.push(step));
            self.push(Step::Bindings(before.0, before.1));
        } else {
            steps.push(Step::Bindings(before.0, before.1));
            self.push(Step::Several(steps));
        }
    }

    /// Must be called when meshes have other morph targets; `before` is the change that undoes it, with the edits of the pose from before.
    pub(crate) fn targets_changed(&mut self, before: TargetChange, edits: Arc<Edits>) {
        self.future.clear();
        self.close_step();
        self.push(Step::Targets(before, edits));
    }

    /// Must be called when another version of the file is shown, whose nodes and skins no step about those of the earlier one fits: no step
    /// leads back over one of these. Those about morph targets stay where `fits` says that the file has the targets that they led to.
    pub(crate) fn forget_bindings(&mut self, fits: impl Fn(&TargetChange) -> bool) {
        self.close_step();
        self.end_gesture(None);
        let is_of_version = |part: &Step| match part {
            Step::Bindings(..) => true,
            Step::Targets(change, _) => !fits(change),
            _ => false,
        };
        for steps in [&mut self.past, &mut self.future] {
            if let Some(last) = steps.iter().rposition(|step| step.parts().iter().any(is_of_version)) {
                steps.drain(..=last);
            }
            for part in steps.iter_mut().flat_map(Step::parts_mut) {
                if let Step::Targets(change, _) = part {
                    change.follow_file();
                }
            }
        }
    }

    /// Returns how many steps back are lost when the model is saved and its file is read again: those up to the last one about nodes and skins.
    #[must_use]
    pub fn steps_lost_by_saving(&self) -> usize {
        let binds = |step: &Step| step.parts().iter().any(|part| matches!(part, Step::Bindings(..)));
        self.past.iter().rposition(binds).map_or(0, |last| last + 1)
    }

    /// Must be called when the clips are others than before for another reason than a step: no step about them fits any more.
    pub(crate) fn forget_clips(&mut self) {
        self.close_step();
        self.end_gesture(None);
        let stays = |step: &Step| !step.parts().iter().any(|part| matches!(part, Step::Clips(..) | Step::Layers(_)));
        self.past.retain(stays);
        self.future.retain(stays);
    }

    /// Returns the changes of weights and matrices that steps hold.
    pub(crate) fn skinning(&self) -> impl Iterator<Item = &SkinningChange> {
        self.past.iter().chain(&self.future).flat_map(Step::skinning)
    }

    /// Must be called when another version of the file is shown: drops the steps whose changes of weights and matrices do not fit it any more,
    /// and those of marks, whose vertices may be others there, and of what is asked about the layers in the file, which is asked anew.
    pub(crate) fn keep_skinning(&mut self, fits: impl Fn(&SkinningChange) -> bool) {
        self.close_step();
        self.end_gesture(None);
        let is_of_version = |part: &Step| matches!(part, Step::Marks(_) | Step::AskedLayers(_));
        let stays = |step: &Step| !step.parts().iter().any(is_of_version) && step.skinning().all(&fits);
        self.past.retain(stays);
        self.future.retain(stays);
    }

    fn push(&mut self, mut step: Step) {
        self.layers_are_open = false;
        if let Some(gesture) = &mut self.gesture {
            let own = &mut self.past[gesture.first..];
            // Each change of targets is of the model that was there, so that none can be left out between others.
            let is_of_model = |step: &Step| matches!(step, Step::Bindings(..) | Step::Targets(..));
            let stands_alone = is_of_model(&step) && own.iter().any(|own| matches!(own, Step::Targets(..)));
            for own in own.iter_mut().filter(|_| !stands_alone) {
                match own.add(step) {
                    None => return,
                    Some(other) => step = other,
                }
            }
            if self.past.len() == MAX_STEPS && gesture.first > 0 {
                self.past.remove(0);
                gesture.first -= 1;
            }
        } else if self.past.len() == MAX_STEPS {
            self.past.remove(0);
        }
        self.past.push(step);
    }

    /// Begins a gesture: whatever changes until [`History::end_gesture`] is one step. `model` is the one that is shown.
    pub(crate) fn begin_gesture(&mut self, model: &Arc<Model>) {
        self.end_gesture(Some(model));
        self.close_step();
        let future = std::mem::take(&mut self.future);
        self.gesture = Some(OpenGesture { first: self.past.len(), future, replaced: None, model: Arc::clone(model) });
    }

    /// Ends the gesture that is under way, if there is one: what it has changed is one step. `model` is the one that is shown; without it
    /// the changes of clips are those of the first command.
    pub(crate) fn end_gesture(&mut self, model: Option<&Arc<Model>>) {
        self.close_step();
        let Some(OpenGesture { first, future, replaced, model: before }) = self.gesture.take() else { return };
        let mut steps = self.past.split_off(first);
        for step in &mut steps {
            if let (Step::Clips(change, ..), Some(now)) = (step, model) {
                *change = now.clips_back_to(&before);
            }
        }
        if steps.is_empty() && replaced.is_none() {
            self.future = future;
        }
        self.past.extend(if steps.len() > 1 { Some(Step::Several(steps)) } else { steps.pop() });
    }

    /// Drops the steps of the gesture that is under way, as if it had never begun. What they have changed is given back by who began it.
    pub(crate) fn drop_gesture(&mut self) {
        self.close_step();
        if let Some(OpenGesture { first, future, replaced, .. }) = self.gesture.take() {
            self.past.truncate(first);
            self.past.extend(replaced);
            self.future = future;
        }
    }

    /// Ends the open step, as when a drag ends: the next edit is a new step.
    pub(crate) fn close_step(&mut self) {
        self.step_is_open = false;
        self.layers_are_open = false;
    }

    /// Whether a step is open, to which the next edit belongs.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.step_is_open
    }

    /// Takes back what the open step has changed, as if it had never begun.
    pub(crate) fn cancel_step(&mut self, edits: &mut Arc<Edits>) {
        if std::mem::take(&mut self.step_is_open)
            && let Some(Step::Pose(before)) = self.past.pop()
        {
            *edits = before;
        }
    }

    /// Takes the last step out, where it is one of the pose that leads back to these edits; returns whether it was.
    pub(crate) fn take_out(&mut self, before: &Arc<Edits>) -> bool {
        let is_it = matches!(self.past.last(), Some(Step::Pose(edits)) if Arc::ptr_eq(edits, before));
        if is_it {
            self.close_step();
            let step = self.past.pop();
            if let Some(gesture) = self.gesture.as_mut().filter(|gesture| self.past.len() < gesture.first) {
                (gesture.first, gesture.replaced) = (self.past.len(), step);
            }
        }
        is_it
    }

    /// Goes back one step.
    pub(crate) fn undo(&mut self, now: &mut Changed<'_>) {
        self.end_gesture(Some(now.model));
        if let Some(step) = self.past.pop() {
            self.future.push(step.take(now));
        }
    }

    /// Goes forward one step.
    pub(crate) fn redo(&mut self, now: &mut Changed<'_>) {
        self.end_gesture(Some(now.model));
        if let Some(step) = self.future.pop() {
            self.past.push(step.take(now));
        }
    }

    /// Returns the bytes of the weights and matrices that all steps hold.
    #[cfg(test)]
    pub(crate) fn skinning_bytes(&self) -> usize {
        self.skinning().map(SkinningChange::bytes).sum()
    }

    /// Returns the bytes of the morph targets and keys that all steps hold.
    #[cfg(test)]
    pub(crate) fn target_bytes(&self) -> usize {
        let all = self.past.iter().chain(&self.future).flat_map(Step::parts);
        all.map(|step| if let Step::Targets(change, _) = step { change.bytes() } else { 0 }).sum()
    }

    /// Returns whether there is a step back.
    #[must_use]
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Returns whether there is a step forward.
    #[must_use]
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }
}

impl History {
    /// Replaces the edits of the pose, as a step of its own.
    pub(crate) fn change_edits(&mut self, edits: &mut Arc<Edits>, changed: Edits) {
        if changed != **edits {
            self.close_step();
            self.drag_edits(edits, changed);
            self.close_step();
        }
    }

    /// Replaces the edits of the pose, as part of the step that is open.
    pub(crate) fn drag_edits(&mut self, edits: &mut Arc<Edits>, changed: Edits) {
        if changed != **edits {
            self.before_change(edits);
            *edits = Arc::new(changed);
        }
    }
}
