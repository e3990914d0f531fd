//! A file that is being read in the background.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use super::file_changes::{is_fresh, wait_until_whole};
use crate::import::{ImportError, Options, Progress};
use crate::parallel::Job;
use crate::session::{Document, Source};
use crate::writeback::Stamps;

/// How much later than they are written files may say that they were.
const CLOCK: Duration = Duration::from_secs(2);

/// What a load reports.
pub(crate) enum LoadReport {
    /// The share that is done, 0…1, and what is being done. While images arrive: one more is there.
    Progress(f32, String),
    /// The file was waited for because it was still being written: what it was like before it was read.
    Written(Stamps),
    /// The model can be drawn; its images may still be on their way.
    Opened(Box<Document>),
    /// The load is about to end without a model: the files that the model's own one names, as they were before it was given up.
    Awaited(Stamps),
    /// The load has ended, with all its warnings or with the reason why nothing was opened.
    Loaded(Result<Vec<String>, ImportError>),
    /// The images of the open model have arrived while another file is being read; with all warnings.
    Completed(Vec<String>),
}

/// A file that is being read. It can be drawn before the job is done, since its images arrive last.
pub(crate) struct Load {
    job: Job<Result<Vec<String>, ImportError>>,
    /// The model, until it is reported.
    opened: Arc<Mutex<Option<Box<Document>>>>,
    /// The files that a file which could not be opened names, until they are reported.
    awaited: Arc<Mutex<Option<Stamps>>>,
    /// What a file was like that was waited for, until it is reported.
    written: Arc<Mutex<Option<Stamps>>>,
    /// The stage that the load is in, in words.
    stage: Arc<Mutex<String>>,
    /// The fraction and stage that were reported last.
    reported: (f32, String),
}

impl Load {
    /// Begins to read `source`. `wake` wakes the event loop, which then asks for the next report.
    pub(crate) fn start(source: Source, options: Options, wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        let (opened, awaited, stage, written) =
            (Arc::<Mutex<_>>::default(), Arc::<Mutex<_>>::default(), Arc::<Mutex<_>>::default(), Arc::default());
        let (document, named, said) = (Arc::clone(&opened), Arc::clone(&awaited), Arc::clone(&stage));
        let waited = Arc::clone(&written);
        let begun = SystemTime::now();
        let job = Job::start("load", wake, move |context| {
            let tell = |fraction: f32, stage: &str| {
                stage.clone_into(&mut lock(&said));
                context.set_fraction(fraction);
                // A new image is reported too, though it changes neither.
                context.wake();
            };
            let waits = || tell(0.0, "Waiting until the file is written completely");
            if source.path().is_some_and(|path| is_fresh(&path)) {
                *lock(&waited) = wait_until_whole(&source, &options, &waits, context);
            }
            let progress = Progress { report: &tell, cancel: context.cancel_flag() };
            let shown = &mut |loaded| {
                *lock(&document) = Some(Box::new(loaded));
                context.wake();
            };
            let mut loaded = source.load_showing(&options, &progress, shown);
            // A buffer may still be growing though the file that names it is whole.
            if loaded.is_err()
                && source.is_cut_off(&options)
                && let Some(stamps) = wait_until_whole(&source, &options, &waits, context)
            {
                *lock(&waited) = Some(stamps);
                loaded = source.load_showing(&options, &progress, shown);
            }
            if source.path().is_none() || loaded.is_ok() || context.is_cancelled() {
                return loaded;
            }
            let mut stamps = Stamps::default();
            stamps.add(source.named_files(&options).iter().map(PathBuf::as_path));
            // A file that came while the load was failing will not change again.
            let is_late = begun.checked_sub(CLOCK).is_some_and(|time| stamps.are_there_and_newer(time));
            let loaded = if is_late { source.load_showing(&options, &progress, shown) } else { loaded };
            if loaded.is_err() && stamps != Stamps::default() {
                *lock(&named) = Some(stamps);
            }
            loaded
        });
        Self { job, opened, awaited, written, stage, reported: (0.0, String::new()) }
    }

    /// Asks the load to end soon. What was read until then is reported.
    pub(crate) fn cancel(&self) {
        self.job.cancel();
    }

    /// Returns whether the load has ended.
    pub(crate) fn is_done(&self) -> bool {
        self.job.is_done()
    }

    /// Returns all warnings of a load that has ended, or the reason why nothing was opened.
    pub(crate) fn into_result(self) -> Option<Result<Vec<String>, ImportError>> {
        self.job.take()
    }

    /// Returns the next report of a load.
    pub(crate) fn next(&mut self) -> Option<LoadReport> {
        // This is asked first: the model is there before the job is done.
        let is_done = self.job.is_done();
        let now = (self.job.fraction(), lock(&self.stage).clone());
        if now != self.reported {
            self.reported.clone_from(&now);
            return Some(LoadReport::Progress(now.0, now.1));
        }
        if let Some(stamps) = lock(&self.written).take() {
            return Some(LoadReport::Written(stamps));
        }
        if let Some(document) = lock(&self.opened).take() {
            return Some(LoadReport::Opened(document));
        }
        if let Some(stamps) = lock(&self.awaited).take_if(|_| is_done) {
            return Some(LoadReport::Awaited(stamps));
        }
        is_done.then(|| self.job.take()).flatten().map(LoadReport::Loaded)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
