//! How far a binding is, and whether anybody still waits for it.

use skinscope_base::parallel::JobContext;

use crate::BindError;

/// The parts of a binding by the share of the work that is done when they end.
const STAGES: [(f32, &str); 4] =
    [(0.1, "Reading the shape"), (0.85, "Finding weights"), (0.97, "Applying the rules"), (1.0, "Rounding")];

/// Returns what a binding does while this share of it is done, 0…1.
#[must_use]
pub fn stage(fraction: f32) -> &'static str {
    STAGES.iter().find(|(end, _)| fraction < *end).map_or(STAGES[3].1, |(_, name)| name)
}

/// A part of the work: from one share of the whole to another.
#[derive(Clone, Copy)]
pub struct Progress<'c> {
    context: &'c JobContext,
    from: f32,
    to: f32,
}

impl<'c> Progress<'c> {
    /// The whole work.
    pub fn new(context: &'c JobContext) -> Self {
        Self { context, from: 0.0, to: 1.0 }
    }

    /// Returns the work of a stage, by its index in [`STAGES`].
    pub(crate) fn of_stage(self, stage: usize) -> Self {
        let from = if stage == 0 { 0.0 } else { STAGES[stage - 1].0 };
        Self { from, to: STAGES[stage].0, ..self }
    }

    /// Returns a part of this work.
    pub fn part(self, from: f32, to: f32) -> Self {
        let at = |share: f32| self.from + (self.to - self.from) * share;
        Self { context: self.context, from: at(from), to: at(to) }
    }

    /// Reports the share that is done, and returns an error where the job was cancelled.
    pub fn at(self, share: f32) -> Result<(), BindError> {
        if self.context.set_fraction(self.from + (self.to - self.from) * share) {
            self.context.wake();
        }
        if self.context.is_cancelled() { Err(BindError::Cancelled) } else { Ok(()) }
    }

    /// Whether the job was cancelled.
    pub fn is_cancelled(self) -> bool {
        self.context.is_cancelled()
    }

    /// Calls `work` for every index below `count` on all cores and returns the results in order.
    pub fn map<T: Send>(self, count: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Result<Vec<T>, BindError> {
        let out = skinscope_base::parallel::map(count, self.context.cancel_flag(), work);
        out.filter(|_| !self.is_cancelled()).ok_or(BindError::Cancelled)
    }

    /// Calls `work` for chunks of `size` of `count` things on all cores, and joins the results in order.
    pub fn by_chunk<T: Send>(
        self,
        count: usize,
        size: usize,
        work: &(dyn Fn(std::ops::Range<usize>) -> Vec<T> + Sync),
    ) -> Result<Vec<T>, BindError> {
        let chunks = count.div_ceil(size);
        let done = std::sync::atomic::AtomicUsize::new(0);
        let of = |chunk: usize| {
            let out = work(chunk * size..((chunk + 1) * size).min(count));
            let done = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
            let _cancelled = self.at(done as f32 / chunks as f32);
            out
        };
        Ok(self.map(chunks, &of)?.into_iter().flatten().collect())
    }
}
