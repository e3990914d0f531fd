//! Computations that a panel needs: each is done once, in the background where it may take long.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use egui::Ui;
use skinscope_base::parallel::Job;

/// The answer to the last question of a kind.
#[derive(Debug)]
pub(super) struct BackgroundQuery<Q, A> {
    done: Option<(Q, A)>,
    under_way: Option<(Q, Job<Option<A>>)>,
}

impl<Q, A> Default for BackgroundQuery<Q, A> {
    fn default() -> Self {
        Self { done: None, under_way: None }
    }
}

impl<Q, A> BackgroundQuery<Q, A> {
    /// Returns the last answer, which may be that to an earlier question.
    pub(super) fn latest(&self) -> Option<&A> {
        self.done.as_ref().map(|(_, answer)| answer)
    }

    /// Removes and returns the answer that has arrived, so that the same question can be asked again.
    pub(super) fn finish(&mut self) -> Option<A> {
        self.done.take().map(|(_, answer)| answer)
    }

    /// Returns whether an answer is under way.
    pub(super) fn is_under_way(&self) -> bool {
        self.under_way.is_some()
    }
}

impl<Q: PartialEq, A: Send + 'static> BackgroundQuery<Q, A> {
    /// Asks `question`, unless it is already answered or under way: `answer` computes it at once where that is `quick`,
    /// else on a thread. An answer that is no longer wanted should give up when its flag is set, and return nothing.
    pub(super) fn ask(
        &mut self,
        ui: &Ui,
        question: Q,
        quick: bool,
        answer: impl FnOnce(&AtomicBool) -> Option<A> + Send + 'static,
    ) {
        self.take(ui);
        if self.under_way.as_ref().is_some_and(|u| u.0 == question) {
            return;
        }
        self.under_way = None;
        if self.done.as_ref().is_some_and(|d| d.0 == question) {
            return;
        }
        if quick {
            self.done = answer(&AtomicBool::new(false)).map(|a| (question, a));
            return;
        }
        let ctx = ui.ctx().clone();
        let wake = Arc::new(move || ctx.request_repaint());
        let job = Job::start("tables", wake, move |context| answer(context.cancel_flag()));
        self.under_way = Some((question, job));
        self.take(ui);
    }

    /// Takes the answer that has arrived, and asks for another frame soon where none has.
    pub(super) fn take(&mut self, ui: &Ui) {
        let Some((_, job)) = &self.under_way else { return };
        if !job.is_done() {
            return ui.ctx().request_repaint_after(Duration::from_millis(15));
        }
        let answer = job.take().flatten();
        self.done = self.under_way.take().and_then(|(question, _)| Some((question, answer?)));
    }
}
