//! The canvas that strokes are painted on, and the weights that were on it before and after each stroke, for undo and redo to go back to.

use std::sync::Arc;

use skinscope_model::{Model, WeightEdits};
use skinscope_paint::{Brushing, Canvas, LayerStack, Painted, StrokeForm};

use super::stance::Stance;

/// How many states of the weights are kept: as many as the history has steps, and the first one.
const MOST_STATES: usize = 1001;

/// The canvas with what it needs to follow the weights of the model. A copy of a session makes a canvas of its own.
#[derive(Debug, Default)]
pub(super) struct Easel {
    pub canvas: Option<Canvas>,
    /// Whether the canvas has the weights that the model has. It has not after another tool has changed them, until it is
    /// used again.
    pub is_current: bool,
    states: Vec<State>,
    /// The number of the state that the model is in.
    now: usize,
    /// The stroke that is under way.
    pub stroke: Option<OpenStroke>,
}

impl Clone for Easel {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// A stroke that is under way.
#[derive(Debug)]
pub(super) struct OpenStroke {
    pub brushing: Brushing,
    /// The stroke as it is written down, with its dabs so far.
    pub form: StrokeForm,
    /// How the model stands.
    pub stance: Stance,
    /// Whether its first dab did the opposite of the brush.
    pub flips: bool,
    /// Whether its first dab smoothed.
    pub smooths: bool,
    /// Whether it paints the mask of the layer.
    pub is_mask: bool,
}

/// Weights that the model has had while there was a canvas.
#[derive(Clone, Debug)]
struct State {
    edits: WeightEdits,
    /// The layers that make them.
    layers: LayerStack,
    /// The same in double precision; `None` where the canvas was not made for them.
    painted: Option<Painted>,
    /// How many strokes were recorded up to there.
    strokes: usize,
}

impl Easel {
    /// Whether the canvas has the weights of a model.
    pub fn fits(&self, model: &Arc<Model>) -> bool {
        self.is_current && self.is_of(model)
    }

    /// Whether the canvas is that of a model, with its weights or waiting to be made for them.
    pub fn is_of(&self, model: &Arc<Model>) -> bool {
        self.canvas.as_ref().is_some_and(|canvas| Arc::ptr_eq(canvas.model(), model))
    }

    /// Returns what was painted on a model, in double precision, where the canvas has its weights and no stroke is under way.
    pub fn painted(&self, model: &Arc<Model>) -> Option<&Painted> {
        let state = self.states.get(self.now).filter(|_| self.fits(model) && self.stroke.is_none());
        state.and_then(|state| state.painted.as_ref())
    }

    /// Puts a canvas up that was made of the model that is open; `strokes` are recorded so far.
    pub(super) fn put_up(&mut self, canvas: Canvas, strokes: usize) {
        let (painted, layers) = (Some(canvas.painted()), canvas.layers().clone());
        match self.states.get_mut(self.now) {
            Some(state) => (state.painted, state.layers) = (painted, layers),
            None => self.states.push(State { edits: canvas.model().weight_edits().clone(), layers, painted, strokes }),
        }
        (self.canvas, self.is_current) = (Some(canvas), true);
    }

    /// Gives the canvas that is there the weights of the model that is open, in double precision, with their layers; returns whether one
    /// is there.
    pub fn renew(&mut self, model: &Arc<Model>, layers: &LayerStack) -> bool {
        let Some(canvas) = self.canvas.as_mut().filter(|canvas| canvas.model().shares_all_but_edits(model)) else {
            return false;
        };
        canvas.renew(Arc::clone(model), layers.clone());
        if let Some(state) = self.states.get_mut(self.now) {
            (state.painted, state.layers) = (Some(canvas.painted()), canvas.layers().clone());
        }
        self.is_current = true;
        true
    }

    /// Whether the canvas has other layers than these.
    pub(super) fn has_other_layers(&self, layers: &LayerStack) -> bool {
        self.is_current && self.canvas.as_ref().is_some_and(|canvas| !canvas.layers().is_same_as(layers))
    }

    /// Goes to the weights that the model has now, after something else than a dab has changed them or their layers, and returns how many
    /// strokes were recorded up to there: so many as are recorded now, where these weights are new here. Where they are those before or after a
    /// stroke, the canvas has them again to the bit.
    pub fn go_to(&mut self, model: &Arc<Model>, layers: &LayerStack, strokes: usize) -> usize {
        self.stroke = None;
        let Some(canvas) = &mut self.canvas else { return strokes };
        if !canvas.model().shares_all_but_edits(model) {
            // Something has gained a skin: other vertices are painted.
            *self = Self::default();
            return strokes;
        }
        // One step back and one forward are the likely ones.
        let mut order: Vec<usize> = (0..self.states.len()).collect();
        order.sort_by_key(|state| (state.abs_diff(self.now), *state));
        let is_it = |state: &State| state.layers.is_same_as(layers) && state.edits == *model.weight_edits();
        let found = order.into_iter().find(|state| is_it(&self.states[*state]));
        self.now = found.unwrap_or_else(|| {
            let (edits, layers) = (model.weight_edits().clone(), layers.clone());
            push(&mut self.states, State { edits, layers, painted: None, strokes })
        });
        let state = &self.states[self.now];
        self.is_current = state.painted.is_some();
        match &state.painted {
            Some(painted) => canvas.restore(painted, Arc::clone(model)),
            // So that it is known for which model it waits.
            None => canvas.adopt(model),
        }
        state.strokes
    }

    /// Notes the weights after a stroke, which is the last one of so many. Strokes that were undone cannot be redone any more.
    pub(super) fn note_stroke(&mut self, strokes: usize) {
        let Some(canvas) = &self.canvas else { return };
        self.states.truncate(self.now + 1);
        let (edits, layers) = (canvas.model().weight_edits().clone(), canvas.layers().clone());
        self.now = push(&mut self.states, State { edits, layers, painted: Some(canvas.painted()), strokes });
    }

    /// Notes the weights after something else than a stroke has changed them on the canvas, where they are others than before.
    pub(super) fn note_change(&mut self, strokes: usize) {
        let Some((canvas, state)) = self.canvas.as_ref().zip(self.states.get(self.now)) else { return };
        if state.edits != *canvas.model().weight_edits() || !state.layers.is_same_as(canvas.layers()) {
            self.note_stroke(strokes);
        }
    }

    /// Gives the canvas the weights from before the stroke that is under way, which has changed nothing.
    pub(super) fn forget_stroke(&mut self) {
        let painted = self.states.get(self.now).and_then(|state| state.painted.clone());
        if let (Some(canvas), Some(painted)) = (&mut self.canvas, painted) {
            let model = Arc::clone(canvas.model());
            canvas.restore(&painted, model);
        }
    }

    /// The number of strokes that are recorded up to now is another one.
    pub(super) fn forget_recorded(&mut self) {
        self.states.iter_mut().for_each(|state| state.strokes = 0);
    }
}

/// Adds a state after the others, of which the oldest goes where there are too many; returns its number.
fn push(states: &mut Vec<State>, state: State) -> usize {
    if states.len() >= MOST_STATES {
        states.remove(0);
    }
    states.push(state);
    states.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_no_more_than_the_history_has_steps() {
        let mut states = Vec::new();
        for strokes in 0..MOST_STATES + 3 {
            let (edits, layers) = (WeightEdits::default(), LayerStack::default());
            let number = push(&mut states, State { edits, layers, painted: None, strokes });
            assert!(states[number].strokes == strokes && states.len() <= MOST_STATES);
        }
        assert_eq!((states.len(), states[0].strokes), (MOST_STATES, 3));
    }
}
