//! Work off the UI thread, each piece a [`Job`]: loading a file, asking for one, checking and measuring a model, and
//! more. The event loop collects the reports of all of them in one place.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::deform::{DataSource, Method, MethodData};
use crate::edit::{Outcome, Task, work_out};
use crate::import::{ImportError, Options, Progress};
use crate::inspect::Inspection;
use crate::inspect::check::CheckOptions;
use crate::inspect::measure::Measurer;
use crate::inspect::rom::{self, RomOptions, RomReport};
use crate::model::{Model, WeightChange};
use crate::parallel::{Job, JobContext};
use crate::session::{
    CurvesKey, Document, MEASURES_PER_SECOND, MeasureCurves, MeasuredPose, PoseToMeasure, Session, Source, WorstPose,
};

use super::autosave::Snapshot;
use super::save_job::{SaveJob, summary};
use super::ui::{SaveSummary, fonts};
use crate::writeback::{Prepared, SaveError, Saved};

/// Messages from jobs in the background.
pub(super) enum Report {
    /// The share of a load that is done, 0…1, and what is being done. While images arrive: one more is there.
    Progress(f32, String),
    /// The model can be drawn; its images may still be on their way.
    Opened(Box<Document>),
    /// The load has ended, with all its warnings or with the reason why nothing was opened.
    Loaded(Result<Vec<String>, ImportError>),
    /// The images of the open model have arrived while another file is being read; with all warnings.
    Completed(Vec<String>),
    /// The checker has looked at a model.
    Inspected(Arc<Model>, Box<Inspection>),
    /// The share of the range of motion that is measured, 0…1.
    Measuring(f32),
    /// The range of motion of a model is measured.
    Measured(Arc<Model>, Box<RomReport>),
    /// The changes that normalise the weights of a model.
    Normalised(Arc<Model>, Vec<WeightChange>),
    /// What a tool would do to the weights of a model; `None` where that was stopped.
    WorkedOut(Arc<Model>, Box<Task>, Option<Box<Outcome>>),
    /// What a method has worked out for a model.
    Prepared(&'static DataSource, Arc<Model>, MethodData),
    /// The weights of a model are counted.
    Counted,
    /// The measures of a pose, and what measures the next one; `None` where that was stopped.
    SurfaceMeasured(Option<Box<(Measurer, MeasuredPose)>>),
    /// The measures of a clip.
    ClipMeasured(Option<MeasureCurves>),
    /// The worst moment of a comparison; `None` where there is none.
    Worst(Option<WorstPose>),
    /// Vertices of a model can be found under the pointer.
    Pickable(Arc<Model>),
    /// The user chose a file.
    Chosen(PathBuf),
    /// What saving would change, or why that cannot be.
    SavePlanned(Result<SaveSummary, SaveError>),
    /// The user chose the file to save to.
    TargetChosen(PathBuf),
    /// This model has been written, or not, and why.
    FilesSaved(Arc<Model>, Result<Saved, SaveError>),
    /// Edits have been written down for the case of a crash, into this file, or not.
    WrittenDown(PathBuf, std::io::Result<()>),
    /// The fonts of the system were searched.
    Fonts(fonts::FontSearch),
}

/// All work of the window in the background.
pub(super) struct Jobs {
    /// Wakes the event loop, which then collects reports.
    wake: Arc<dyn Fn() + Send + Sync>,
    /// The load under way.
    load: Option<Load>,
    /// The load of the open model, while its images still arrive and another file is read that may yet fail.
    earlier_load: Option<Load>,
    /// All other jobs.
    running: Vec<(Kind, Job<Option<Report>>)>,
    /// The share of the range of motion that was reported last, 0…1.
    measured: f32,
}

/// A file that is being read. It can be drawn before the job is done, since its images arrive last.
struct Load {
    job: Job<Result<Vec<String>, ImportError>>,
    /// The model, until it is reported.
    opened: Arc<Mutex<Option<Box<Document>>>>,
    /// The stage that the load is in, in words.
    stage: Arc<Mutex<String>>,
    /// The fraction and stage that were reported last.
    reported: (f32, String),
}

/// Work that takes no longer is not spoken of.
const NOTICED: Duration = Duration::from_millis(300);

/// The purpose of a job. Of some kinds only one job runs at a time.
#[derive(Clone)]
enum Kind {
    Picking,
    /// Normalises the weights of this model.
    Normalising(Weak<Model>),
    /// With the model whose weights a tool works on, what it does to them, and when that was begun.
    Tool(Weak<Model>, Box<Task>, Instant),
    /// With what is worked out for which model.
    Preparing(&'static DataSource, Weak<Model>),
    /// Counts the weights of this model.
    Counting(Weak<Model>),
    /// Looking for the worst moment of a comparison.
    Comparison,
    /// Measuring a pose.
    Measures,
    /// Measuring a clip.
    Curves(CurvesKey),
    Inspection,
    RangeOfMotion,
    Fonts,
    FileDialog,
    SavePlan,
    Save,
    Autosave,
}

impl Load {
    /// Returns the next report of a load.
    fn next(&mut self) -> Option<Report> {
        // This is asked first: the model is there before the job is done.
        let is_done = self.job.is_done();
        let now = (self.job.fraction(), lock(&self.stage).clone());
        if now != self.reported {
            self.reported.clone_from(&now);
            return Some(Report::Progress(now.0, now.1));
        }
        if let Some(document) = lock(&self.opened).take() {
            return Some(Report::Opened(document));
        }
        is_done.then(|| self.job.take()).flatten().map(Report::Loaded)
    }
}

fn lock<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Jobs {
    pub(super) fn new(wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        Self { wake, load: None, earlier_load: None, running: Vec::new(), measured: 0.0 }
    }

    /// Loads `source`; a load under way is cancelled. Where only the images of the open model (`is_open`) are missing
    /// it continues until `source` is open.
    pub(super) fn load(&mut self, source: Source, options: Options, is_open: bool) {
        let before = self.load.take();
        if is_open {
            self.earlier_load = before;
        }
        let (opened, stage) = (Arc::<Mutex<_>>::default(), Arc::<Mutex<_>>::default());
        let (document, said) = (Arc::clone(&opened), Arc::clone(&stage));
        let job = Job::start("load", Arc::clone(&self.wake), move |context| {
            let tell = |fraction: f32, stage: &str| {
                stage.clone_into(&mut lock(&said));
                context.set_fraction(fraction);
                // A new image is reported too, though it changes neither.
                context.wake();
            };
            let progress = Progress { report: &tell, cancel: context.cancel_flag() };
            let shown = &mut |loaded| {
                *lock(&document) = Some(Box::new(loaded));
                context.wake();
            };
            source.load_showing(&options, &progress, shown)
        });
        self.load = Some(Load { job, opened, stage, reported: (0.0, String::new()) });
    }

    /// Ends the load of a model that is already open: the images that are not there yet are left out.
    pub(super) fn stop_images(&self) {
        if let Some(load) = &self.load {
            load.job.cancel();
        }
    }

    /// Ends the load of the images of the model before, since the current one is open.
    pub(super) fn opened(&mut self) {
        self.earlier_load = None;
    }

    /// Cancels the load under way; nothing of it is reported any more.
    pub(super) fn cancel(&mut self) {
        self.load = None;
    }

    /// Prepares to find vertices of `document` under the pointer.
    pub(super) fn prepare_picking(&mut self, document: &Document) {
        let (prepare, model) = (document.prepare_picking(), Arc::clone(document.stored()));
        self.start(Kind::Picking, "picking", move |_| {
            prepare();
            Some(Report::Pickable(model))
        });
    }

    /// Normalises the weights of a document, unless that is under way; work for another one is cancelled.
    pub(super) fn normalise(&mut self, document: &Document) {
        let model = Arc::clone(&document.model);
        let is_it = |kind: &Kind| matches!(kind, Kind::Normalising(of) if of.ptr_eq(&Arc::downgrade(&model)));
        if self.running.iter().any(|(kind, _)| is_it(kind)) {
            return;
        }
        self.stop_normalising();
        self.start(Kind::Normalising(Arc::downgrade(&model)), "normalise", move |context| {
            let changes = model.normalised_weights();
            (!context.is_cancelled()).then(|| Report::Normalised(model, changes))
        });
    }

    /// Works out what a tool would do, unless that is under way; what was begun for anything else is given up.
    pub(super) fn work_out(&mut self, model: Arc<Model>, task: Task) {
        let weak = Arc::downgrade(&model);
        if self.running.iter().any(|(kind, _)| matches!(kind, Kind::Tool(of, t, _) if of.ptr_eq(&weak) && **t == task))
        {
            return;
        }
        self.stop_tool();
        self.start(Kind::Tool(weak, Box::new(task.clone()), Instant::now()), "tool", move |context| {
            let outcome = work_out(&model, &task, context);
            Some(Report::WorkedOut(model, Box::new(task), outcome.map(Box::new)))
        });
    }

    /// Nobody wants to know any more what a tool would do.
    pub(super) fn stop_tool(&mut self) {
        self.running.retain(|(kind, _)| !matches!(kind, Kind::Tool(..)));
    }

    /// What a tool does, and how far that is, once it has taken long enough to be noticed.
    pub(super) fn working_tool(&self) -> Option<(&'static str, f32)> {
        self.running.iter().find_map(|(kind, job)| match kind {
            Kind::Tool(_, task, since) if since.elapsed() >= NOTICED => Some((task.operation.label, job.fraction())),
            _ => None,
        })
    }

    /// Counts the weights of a document, unless that is under way; work for other weights is cancelled.
    pub(super) fn count_weights(&mut self, document: &Document) {
        let model = Arc::downgrade(&document.model);
        if self.running.iter().any(|(kind, _)| matches!(kind, Kind::Counting(of) if of.ptr_eq(&model))) {
            return;
        }
        self.running.retain(|(kind, _)| !matches!(kind, Kind::Counting(_)));
        let count = document.count_weights();
        self.start(Kind::Counting(model), "count weights", move |_| {
            count();
            Some(Report::Counted)
        });
    }

    /// Works out what a method needs for a model, unless that is under way; what was begun for another one is given up. Returns the
    /// share that is done, 0…1.
    pub(super) fn prepare(&mut self, source: &'static DataSource, model: &Arc<Model>) -> f32 {
        let is_it = |kind: &Kind| matches!(kind, Kind::Preparing(by, of) if std::ptr::eq(*by, source) && of.as_ptr() == Arc::as_ptr(model));
        if let Some((_, job)) = self.running.iter().find(|(kind, _)| is_it(kind)) {
            return job.fraction();
        }
        self.stop_preparing();
        let weak = Arc::downgrade(model);
        let model = Arc::clone(model);
        self.start(Kind::Preparing(source, weak), "method data", move |context| {
            let data = (source.make)(&model, context)?;
            Some(Report::Prepared(source, model, data))
        });
        0.0
    }

    /// Nobody wants the data of a method any more.
    pub(super) fn stop_preparing(&mut self) {
        self.running.retain(|(kind, _)| !matches!(kind, Kind::Preparing(..)));
    }

    /// Stops normalising weights.
    pub(super) fn stop_normalising(&mut self) {
        self.running.retain(|(kind, _)| !matches!(kind, Kind::Normalising(_)));
    }

    /// Inspects a model, for runtimes that use so many influences of a vertex; work for another one is cancelled.
    pub(super) fn inspect(&mut self, model: Arc<Model>, limit: usize) {
        self.stop_inspection();
        self.start(Kind::Inspection, "inspect", move |context| {
            let options = CheckOptions { limit, ..CheckOptions::default() };
            let inspection = Inspection::of(&model, &options, context.cancel_flag())?;
            Some(Report::Inspected(model, Box::new(inspection)))
        });
    }

    /// Stops the inspection.
    pub(super) fn stop_inspection(&mut self) {
        self.running.retain(|(kind, _)| !matches!(kind, Kind::Inspection));
    }

    /// Measures the range of motion of a model; an earlier measurement is cancelled.
    pub(super) fn drive(&mut self, model: Arc<Model>, options: RomOptions, method: &'static Method) {
        self.stop_motion();
        self.start(Kind::RangeOfMotion, "range of motion", move |context| {
            let progress = |fraction: f32| {
                if context.set_fraction(fraction) {
                    context.wake();
                }
            };
            let plan = rom::plan(&model, &options);
            let measured = rom::run(&model, &plan, method, &progress, context.cancel_flag())?;
            Some(Report::Measured(model, Box::new(measured)))
        });
    }

    /// Stops the range of motion under way; nothing of it is reported any more.
    pub(super) fn stop_motion(&mut self) {
        self.measured = 0.0;
        self.running.retain(|(kind, _)| !matches!(kind, Kind::RangeOfMotion));
    }

    /// Looks for the moment of the clip at which the two sides of a comparison are farthest apart, unless that is under way.
    pub(super) fn seek_worst(&mut self, session: &Session) {
        if self.seeking().is_some() {
            return;
        }
        let session = session.clone();
        self.start(Kind::Comparison, "worst moment", move |context| {
            let worst = session.worst_moment(&mut |fraction| {
                if context.set_fraction(fraction) {
                    context.wake();
                }
                !context.is_cancelled()
            });
            Some(Report::Worst(worst))
        });
    }

    /// How much of the clip was looked at for that, 0…1, while it is under way.
    pub(super) fn seeking(&self) -> Option<f32> {
        let seeking = self.running.iter().find(|(kind, _)| matches!(kind, Kind::Comparison));
        seeking.map(|(_, job)| job.fraction())
    }

    /// Gives that up; nothing of it is reported any more.
    pub(super) fn stop_seeking(&mut self) {
        self.running.retain(|(kind, _)| !matches!(kind, Kind::Comparison));
    }

    /// Measures a pose. `measurer` is what measured the one before.
    pub(super) fn measure_pose(&mut self, pose: PoseToMeasure, mut measurer: Option<Measurer>) {
        self.start(Kind::Measures, "measure", move |context| {
            let measured = pose.measure(&mut measurer, &|| context.is_cancelled());
            Some(Report::SurfaceMeasured(measurer.zip(measured).map(Box::new)))
        });
    }

    /// Returns whether a pose is being measured.
    pub(super) fn is_measuring_pose(&self) -> bool {
        self.running.iter().any(|(kind, _)| matches!(kind, Kind::Measures))
    }

    /// Measures the clip that is shown, unless that is under way. Another one is given up first, and this one is begun once that has
    /// ended: while a joint is dragged each picture asks for another, and few threads should be busy with what nobody wants.
    pub(super) fn measure_clip(&mut self, session: &Session) {
        let Some(key) = session.curves_key() else { return self.stop_measuring_clip() };
        if let Some((kind, job)) = self.running.iter().find(|(kind, _)| matches!(kind, Kind::Curves(_))) {
            if !matches!(kind, Kind::Curves(of) if *of == key) {
                job.cancel();
            }
            return;
        }
        let session = session.clone();
        self.start(Kind::Curves(key), "measure clip", move |context| {
            let curves = session.measure_clip(MEASURES_PER_SECOND, MeasureCurves::WANTED, &mut |fraction| {
                if context.set_fraction(fraction) {
                    context.wake();
                }
                !context.is_cancelled()
            });
            Some(Report::ClipMeasured(curves.filter(|curves| curves.complete)))
        });
    }

    /// Returns the share of the clip that is measured, 0…1, while that is under way.
    pub(super) fn measuring_clip(&self) -> Option<f32> {
        let measuring = self.running.iter().find(|(kind, _)| matches!(kind, Kind::Curves(_)));
        measuring.map(|(_, job)| job.fraction())
    }

    /// Stops measuring the clip.
    pub(super) fn stop_measuring_clip(&self) {
        for (_, job) in self.running.iter().filter(|(kind, _)| matches!(kind, Kind::Curves(_))) {
            job.cancel();
        }
    }

    /// Looks for fonts of the system that have these letters.
    pub(super) fn find_fonts(&mut self, letters: BTreeSet<char>) {
        let search = move |_: &JobContext| Some(Report::Fonts(fonts::search(&fonts::FontFolders::System, &letters)));
        self.start(Kind::Fonts, "fonts", search);
    }

    /// Asks for a file with the system's dialog ([`has_dialog`]).
    pub(super) fn ask_for_file(&mut self, folder: Option<PathBuf>) {
        let mut dialog = rfd::AsyncFileDialog::new()
            .add_filter("glTF models", &["glb", "gltf", "vrm"])
            .add_filter("All files", &["*"]);
        if let Some(folder) = folder {
            dialog = dialog.set_directory(folder);
        }
        // The dialog is made here: some systems want dialogs to begin on the main thread.
        let file = dialog.pick_file();
        self.start(Kind::FileDialog, "file dialog", move |_| {
            pollster::block_on(file).map(|file| Report::Chosen(file.path().to_owned()))
        });
    }

    /// Asks for the file to save to with the system's dialog ([`has_dialog`]).
    pub(super) fn ask_for_target(&mut self, proposed: &Path) {
        let mut dialog = rfd::AsyncFileDialog::new().add_filter("glTF models", &["glb", "gltf", "vrm"]);
        if let Some(folder) = proposed.parent().filter(|folder| folder.is_dir()) {
            dialog = dialog.set_directory(folder);
        }
        if let Some(name) = proposed.file_name() {
            dialog = dialog.set_file_name(name.to_string_lossy());
        }
        let file = dialog.save_file();
        self.start(Kind::FileDialog, "file dialog", move |_| {
            pollster::block_on(file).map(|file| Report::TargetChosen(file.path().to_owned()))
        });
    }

    /// Works out what saving would change; what was begun before is given up.
    pub(super) fn plan_save(&mut self, job: SaveJob, target: PathBuf) {
        self.running.retain(|(kind, _)| !matches!(kind, Kind::SavePlan));
        self.start(Kind::SavePlan, "plan save", move |_| {
            Some(Report::SavePlanned(job.prepare(&target).map(|prepared| summary(&prepared))))
        });
    }

    /// Writes the files of a model.
    pub(super) fn save(&mut self, job: SaveJob, target: PathBuf) {
        self.start(Kind::Save, "save", move |_| {
            let saved = job.prepare(&target).and_then(Prepared::write);
            Some(Report::FilesSaved(job.model, saved))
        });
    }

    /// Writes edits down for the case of a crash. They are written one after another.
    pub(super) fn write_down(&mut self, snapshot: Snapshot, path: PathBuf) {
        self.start(Kind::Autosave, "autosave", move |_| {
            let written = snapshot.write(&path);
            Some(Report::WrittenDown(path, written))
        });
    }

    fn start(&mut self, kind: Kind, name: &str, work: impl FnOnce(&JobContext) -> Option<Report> + Send + 'static) {
        self.running.push((kind, Job::start(name, Arc::clone(&self.wake), work)));
    }

    /// Returns the next report. A job that is done and has reported is removed.
    pub(super) fn next(&mut self) -> Option<Report> {
        if let Some(report) = self.load.as_mut().and_then(Load::next) {
            if matches!(report, Report::Loaded(_)) {
                self.load = None;
            }
            return Some(report);
        }
        if let Some(Ok(warnings)) =
            self.earlier_load.take_if(|load| load.job.is_done()).and_then(|load| load.job.take())
        {
            return Some(Report::Completed(warnings));
        }
        let motion = self.running.iter().find(|(kind, _)| matches!(kind, Kind::RangeOfMotion));
        if let Some(fraction) = motion.map(|(_, job)| job.fraction()).filter(|fraction| *fraction > self.measured) {
            self.measured = fraction;
            return Some(Report::Measuring(fraction));
        }
        while let Some(at) = self.running.iter().position(|(_, job)| job.is_done()) {
            let (_, job) = self.running.remove(at);
            if let Some(report) = job.take().flatten() {
                return Some(report);
            }
        }
        None
    }
}

/// Returns whether the system can ask for a file. Linux needs a desktop portal (over D-Bus) or zenity, and without them
/// the dialog would end like one that was cancelled.
pub(super) fn has_dialog() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let set = |name| std::env::var_os(name).filter(|v| !v.is_empty());
    let bus = set("XDG_RUNTIME_DIR").is_some_and(|folder| PathBuf::from(folder).join("bus").exists());
    let zenity =
        set("PATH").is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join("zenity").is_file()));
    set("DBUS_SESSION_BUS_ADDRESS").is_some() || bus || zenity
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use base64::Engine;

    use super::*;
    use crate::model::BlockFormats;

    static KTX2: &[u8] = include_bytes!("../../tests/fixtures/textures/uastc_mips.ktx2");

    /// A file with images that wait until `go_on`; there are more of them than threads.
    struct Slow {
        path: PathBuf,
        options: Options,
        go_on: Arc<AtomicBool>,
    }

    impl Slow {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("skinscope_{}_{name}.gltf", std::process::id()));
            let data = base64::engine::general_purpose::STANDARD.encode(KTX2);
            let count = std::thread::available_parallelism().map_or(1, usize::from) + 2;
            let image = format!(r#"{{"uri":"data:;base64,{data}"}}"#);
            let textures: Vec<String> = (0..count).map(|i| format!(r#"{{"source":{i}}}"#)).collect();
            let (images, textures) = (vec![image; count].join(","), textures.join(","));
            let json = format!(r#"{{"asset":{{"version":"2.0"}},"images":[{images}],"textures":[{textures}]}}"#);
            std::fs::write(&path, json).unwrap();
            let go_on = Arc::new(AtomicBool::new(false));
            let waiting = Arc::clone(&go_on);
            let ask = move || {
                while !waiting.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
                BlockFormats::default()
            };
            let options = Options { block_formats: Some(Arc::new(ask)), ..Options::default() };
            Self { path, options, go_on }
        }

        fn open(&self, jobs: &mut Jobs) -> Box<Document> {
            jobs.load(Source::File(self.path.clone()), self.options.clone(), false);
            match next(jobs) {
                Report::Opened(document) => document,
                _ => panic!("not opened"),
            }
        }
    }

    impl Drop for Slow {
        fn drop(&mut self) {
            self.go_on.store(true, Ordering::Relaxed);
            let _left = std::fs::remove_file(&self.path);
        }
    }

    fn jobs() -> Jobs {
        Jobs::new(Arc::new(|| {}))
    }

    /// Returns the next report other than progress.
    fn next(jobs: &mut Jobs) -> Report {
        let start = Instant::now();
        loop {
            match jobs.next() {
                Some(Report::Progress(..)) => {}
                Some(report) => return report,
                None => std::thread::sleep(Duration::from_millis(5)),
            }
            assert!(start.elapsed() < Duration::from_secs(60), "waited a minute for a report");
        }
    }

    #[test]
    fn fonts_are_searched_on_a_thread_of_their_own() {
        let mut jobs = jobs();
        jobs.find_fonts(BTreeSet::from(['ש']));
        assert!(matches!(next(&mut jobs), Report::Fonts(_)));
        assert_eq!(fonts::SEARCHES.get(), 0, "the thread of the window searched");
        // The instrument itself.
        let nowhere = fonts::FontFolders::Folder(PathBuf::from("no such folder"));
        assert_eq!(fonts::search(&nowhere, &BTreeSet::from(['ש'])).missing.len(), 1);
        assert_eq!(fonts::SEARCHES.get(), 1);
    }

    #[test]
    fn the_range_of_motion_is_that_of_the_command_line_and_a_stopped_one_says_nothing() {
        let mut jobs = jobs();
        let document = Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap();
        let (model, options, method) = (document.stored(), RomOptions::default(), crate::deform::METHODS[0]);
        jobs.drive(Arc::clone(model), options, method);
        jobs.stop_motion();
        jobs.drive(Arc::clone(model), options, method);
        let (start, mut last) = (Instant::now(), 0.0);
        let report = loop {
            match jobs.next() {
                Some(Report::Measuring(fraction)) => {
                    assert!(fraction > last);
                    last = fraction;
                }
                Some(Report::Measured(of, report)) => {
                    assert!(Arc::ptr_eq(&of, model));
                    break report;
                }
                Some(_) => panic!("another report"),
                None => std::thread::sleep(Duration::from_millis(5)),
            }
            assert!(start.elapsed() < Duration::from_secs(300), "waited five minutes for a report");
        };
        let plan = rom::plan(model, &options);
        assert_eq!(rom::run(model, &plan, method, &|_| {}, &AtomicBool::new(false)), Some(*report));
        assert!(last > 0.9 && jobs.next().is_none(), "the first one was stopped");
    }

    fn missing(document: &Document) -> usize {
        document.model.images.iter().filter(|i| i.pixels().is_none()).count()
    }

    #[test]
    fn a_model_opens_before_its_images_and_keeps_what_came_before_it_was_stopped() {
        let (mut jobs, slow) = (jobs(), Slow::new("stopped"));
        let document = slow.open(&mut jobs);
        assert!(document.model.images.iter().all(crate::model::Image::is_pending));
        jobs.stop_images();
        slow.go_on.store(true, Ordering::Relaxed);
        let Report::Loaded(Ok(warnings)) = next(&mut jobs) else { panic!("not loaded") };
        assert!(missing(&document) >= 2 && warnings[0].contains("because loading was stopped"), "{warnings:?}");
    }

    #[test]
    fn images_go_on_arriving_while_a_file_is_read_that_then_fails() {
        let (mut jobs, slow) = (jobs(), Slow::new("failed"));
        let document = slow.open(&mut jobs);
        jobs.load(Source::File("no such file.glb".into()), Options::default(), true);
        assert!(matches!(next(&mut jobs), Report::Loaded(Err(_))));
        slow.go_on.store(true, Ordering::Relaxed);
        let Report::Completed(warnings) = next(&mut jobs) else { panic!("not completed") };
        assert_eq!((missing(&document), warnings), (0, Vec::new()));
    }

    #[test]
    fn images_stop_arriving_once_another_file_is_open() {
        let (mut jobs, slow) = (jobs(), Slow::new("replaced"));
        let document = slow.open(&mut jobs);
        jobs.load(Source::BuiltIn, Options::default(), true);
        assert!(matches!(next(&mut jobs), Report::Opened(_)));
        jobs.opened();
        slow.go_on.store(true, Ordering::Relaxed);
        assert!(matches!(next(&mut jobs), Report::Loaded(Ok(_))));
        let start = Instant::now();
        while document.model.images.iter().any(crate::model::Image::is_pending) {
            assert!(start.elapsed() < Duration::from_secs(60), "waited a minute for the images to be given up");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(missing(&document) >= 2);
        assert!(jobs.next().is_none(), "nobody wants to hear of the old model");
    }
}
