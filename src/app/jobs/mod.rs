//! Work off the UI thread: one door for all of it. A job is started with what it is for and returns what the event loop does next
//! with its result. The loads of models have a way of their own, since they report before they end.

mod background;
pub(super) mod take_results;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::{Duration, Instant};

use winit::event_loop::ActiveEventLoop;

use super::App;
use super::files::load_job::{Load, LoadReport};
use crate::import::Options;
use crate::parallel::{Job, JobContext};
use crate::session::{Command, Session, Source, Work};

/// What the event loop does with the result of a job.
pub(crate) type ResultHandler = Box<dyn FnOnce(&mut App, &ActiveEventLoop) + Send>;

/// All work of the window in the background.
pub(crate) struct Jobs {
    /// Wakes the event loop, which then collects results.
    wake: Arc<dyn Fn() + Send + Sync>,
    /// The load under way.
    load: Option<Load>,
    /// The load of the open model, while its images still arrive and another file is read that may yet fail.
    earlier_load: Option<Load>,
    /// The work that the session waits for.
    works: Vec<RunningWork>,
    /// All other jobs.
    running: Vec<(Kind, Job<Option<ResultHandler>>)>,
}

/// A piece of work of the session that has begun.
struct RunningWork {
    work: Work,
    since: Instant,
    job: Job<Option<ResultHandler>>,
    /// Nobody wants it any more. It is kept until it has ended, so that few threads are busy with what nobody wants.
    is_cancelled: bool,
}

/// How long work of the session goes on before the window says so.
const NOTICED: Duration = Duration::from_millis(300);

/// What a job is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Prepares to find vertices under the pointer.
    Picking,
    Inspection,
    RangeOfMotion,
    Fonts,
    FileDialog,
    /// Reads the file that the open one is compared with.
    OtherFile,
    /// Reads the file that stands beside the open one.
    SecondModel,
    /// Reads a file to take weights from.
    Donor,
    /// Reads meshes that weights are solved from.
    Examples,
    /// Reads a file to take clips from.
    Clips,
    /// Reads or writes a pose or session file that was asked for.
    NamedFile,
    /// Reads a session file that is to be opened.
    Session,
    /// Reads the poses of a folder.
    Library,
    /// Draws pictures of poses.
    PosePictures,
    /// Reads or draws pictures of the files that were opened last.
    RecentPicture,
    /// Computes what saving would change.
    SavePlan,
    Save,
    Autosave,
    Export,
    /// Draws a picture for the clipboard.
    Picture,
    /// Waits until files differ from what they were.
    Watch,
}

impl Jobs {
    pub fn new(wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        Self { wake, load: None, earlier_load: None, works: Vec::new(), running: Vec::new() }
    }

    /// Starts a job beside all others.
    pub fn start(&mut self, kind: Kind, work: impl FnOnce(&JobContext) -> Option<ResultHandler> + Send + 'static) {
        let name = format!("{kind:?}");
        self.running.push((kind, Job::start(&name, Arc::clone(&self.wake), work)));
    }

    /// Starts a job in place of those for the same, of which nothing is heard any more.
    pub fn restart(&mut self, kind: Kind, work: impl FnOnce(&JobContext) -> Option<ResultHandler> + Send + 'static) {
        self.stop(kind);
        self.start(kind, work);
    }

    /// Cancels all jobs for this; nothing of them is heard any more.
    pub fn stop(&mut self, kind: Kind) {
        self.running.retain(|(of, _)| *of != kind);
    }

    /// Cancels all jobs for this, and waits a moment until they have ended.
    pub fn end(&self, kind: Kind) {
        const MOST: Duration = Duration::from_secs(5);
        let start = Instant::now();
        for (_, job) in self.running.iter().filter(|(of, _)| *of == kind) {
            job.cancel();
            while !job.is_done() && start.elapsed() < MOST {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }

    /// Returns the share of a job for this that is done, 0…1; `None` where there is none.
    pub fn fraction(&self, kind: Kind) -> Option<f32> {
        self.running.iter().find(|(of, _)| *of == kind).map(|(_, job)| job.fraction())
    }

    /// Returns whether there is a job for this.
    pub fn is_running(&self, kind: Kind) -> bool {
        self.fraction(kind).is_some()
    }

    /// Begins the work that the session waits for and cancels what it does not wait for any more. `may_begin` is asked before a
    /// piece begins, and hears of each that does. Of each kind one piece runs at a time.
    pub fn follow(&mut self, session: &mut Session, may_begin: &mut dyn FnMut(&Work) -> bool) {
        let wanted = session.wanted();
        for running in &mut self.works {
            if !running.is_cancelled && !wanted.contains(&running.work) {
                running.is_cancelled = true;
                running.job.cancel();
            }
        }
        for work in wanted {
            let is_busy = self.works.iter().any(|running| running.work.is_of_kind(&work));
            if !is_busy
                && session.may_begin(&work)
                && may_begin(&work)
                && let Some(run) = session.begin(&work)
            {
                let of = work.clone();
                let run = move |context: &JobContext| {
                    let done = run(context)?;
                    Some(Box::new(move |app: &mut App, _: &ActiveEventLoop| app.work_done(&of, done)) as ResultHandler)
                };
                let job = Job::start("work", Arc::clone(&self.wake), run);
                self.works.push(RunningWork { work, since: Instant::now(), job, is_cancelled: false });
            }
        }
    }

    /// Returns the share of a piece of work of the session that is done, 0…1, of the first that `is_it` accepts.
    pub fn work_fraction(&self, is_it: impl Fn(&Work) -> bool) -> Option<f32> {
        let mut works = self.works.iter().filter(|running| !running.is_cancelled);
        works.find(|running| is_it(&running.work)).map(|running| running.job.fraction())
    }

    /// Returns what is said of the work of the session, once it has taken long enough to be noticed: in words, the share that is
    /// done, 0…1, and the command that cancels it.
    pub fn notice(&self) -> Option<(String, f32, Command)> {
        let mut works = self.works.iter().filter(|r| !r.is_cancelled && r.since.elapsed() >= NOTICED);
        works.find_map(|running| {
            let (mut words, cancel) = running.work.notice()?;
            let fraction = running.job.fraction();
            if let Some(stage) = running.work.stage(fraction) {
                words = format!("{words}: {}", stage.to_lowercase());
            }
            Some((words, fraction, cancel))
        })
    }

    /// Returns when to ask again for [`Jobs::notice`]; `None` where nothing is going on that is not noticed yet.
    pub fn next_notice(&self) -> Option<Instant> {
        let running = self.works.iter().filter(|r| !r.is_cancelled && r.work.notice().is_some());
        running.map(|r| r.since + NOTICED).filter(|at| *at > Instant::now()).min()
    }

    /// Loads `source`; a load under way is cancelled. Where only the images of the open model (`is_open`) are missing
    /// it continues until `source` is open.
    pub fn load(&mut self, source: Source, options: Options, is_open: bool) {
        let before = self.load.take();
        if is_open {
            self.earlier_load = before;
        }
        self.load = Some(Load::start(source, options, Arc::clone(&self.wake)));
    }

    /// Ends the load of a model that is already open: the images that are not there yet are left out.
    pub fn stop_images(&self) {
        if let Some(load) = &self.load {
            load.cancel();
        }
    }

    /// Ends the load of the images of the model before, since the current one is open.
    pub fn opened(&mut self) {
        self.earlier_load = None;
    }

    /// Cancels the load under way; nothing of it is reported any more.
    pub fn cancel_load(&mut self) {
        self.load = None;
    }

    /// Returns the next report of a load.
    pub fn next_load(&mut self) -> Option<LoadReport> {
        if let Some(report) = self.load.as_mut().and_then(Load::next) {
            if matches!(report, LoadReport::Loaded(_)) {
                self.load = None;
            }
            return Some(report);
        }
        let completed = self.earlier_load.take_if(|load| load.is_done()).and_then(Load::into_result);
        completed.and_then(Result::ok).map(LoadReport::Completed)
    }

    /// Returns what is to be done with the next result. A job that is done is removed.
    pub fn next(&mut self) -> Option<ResultHandler> {
        while let Some(at) = self.works.iter().position(|running| running.job.is_done()) {
            let running = self.works.remove(at);
            if let Some(handler) = running.job.take().flatten().filter(|_| !running.is_cancelled) {
                return Some(handler);
            }
        }
        while let Some(at) = self.running.iter().position(|(_, job)| job.is_done()) {
            let (_, job) = self.running.remove(at);
            if let Some(handler) = job.take().flatten() {
                return Some(handler);
            }
        }
        None
    }
}
