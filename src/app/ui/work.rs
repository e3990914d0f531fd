//! Work that a panel does beside the frame: once for each question, on a thread where it may take long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use egui::Ui;

use crate::output::say;

/// The answer to the last question of a kind.
#[derive(Debug)]
pub(super) struct Work<Q, A> {
    done: Option<(Q, A)>,
    under_way: Option<(Q, Receiver<A>, Arc<AtomicBool>)>,
}

impl<Q, A> Default for Work<Q, A> {
    fn default() -> Self {
        Self { done: None, under_way: None }
    }
}

impl<Q, A> Drop for Work<Q, A> {
    fn drop(&mut self) {
        self.give_up();
    }
}

impl<Q, A> Work<Q, A> {
    /// The last answer, which may be that to an earlier question.
    pub(super) fn latest(&self) -> Option<&A> {
        self.done.as_ref().map(|(_, answer)| answer)
    }

    /// Takes out the answer that has arrived: what was asked can be asked anew.
    pub(super) fn finish(&mut self) -> Option<A> {
        self.done.take().map(|(_, answer)| answer)
    }

    /// Somebody waits for an answer.
    pub(super) fn is_under_way(&self) -> bool {
        self.under_way.is_some()
    }

    fn give_up(&mut self) {
        if let Some((_, _, cancel)) = self.under_way.take() {
            cancel.store(true, Ordering::Relaxed);
        }
    }
}

impl<Q: PartialEq, A: Send + 'static> Work<Q, A> {
    /// Has `question` answered by `answer`, unless it is or is about to be: at once where that is `quick`, else on a thread.
    /// An answer that nobody waits for any more should give up when its flag is set, and return nothing.
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
        self.give_up();
        if self.done.as_ref().is_some_and(|d| d.0 == question) {
            return;
        }
        if quick {
            self.done = answer(&AtomicBool::new(false)).map(|a| (question, a));
            return;
        }
        let (sender, receiver) = channel();
        let cancel = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&cancel);
        let run = move || {
            if let Some(answer) = answer(&flag) {
                // The window may be gone by now.
                let _gone = sender.send(answer).is_err();
            }
        };
        match std::thread::Builder::new().name("tables".into()).spawn(run) {
            Ok(_) => self.under_way = Some((question, receiver, cancel)),
            Err(error) => say(format_args!("could not start a thread (tables): {error}")),
        }
        self.take(ui);
    }

    /// Takes the answer that has arrived, and looks again soon where none has.
    pub(super) fn take(&mut self, ui: &Ui) {
        let Some((_, receiver, _)) = &self.under_way else { return };
        match receiver.try_recv() {
            Ok(answer) => self.done = self.under_way.take().map(|(question, ..)| (question, answer)),
            Err(_) => ui.ctx().request_repaint_after(Duration::from_millis(15)),
        }
    }
}
