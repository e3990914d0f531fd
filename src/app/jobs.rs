//! Work off the UI thread, each piece a [`Job`]: loading a file, asking for one, checking and measuring a model, and
//! more. The event loop collects the reports of all of them in one place.

mod files;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::file_dialog;
use super::load_job::Load;
use super::report::{ReadClips, Report};
use super::ui::fonts;
use crate::deform::{DataSource, Method};
use crate::edit::{self, Packing, Task, work_out};
use crate::import::{Options, Progress};
use crate::inspect::Inspection;
use crate::inspect::check::CheckOptions;
use crate::inspect::rom::{self, RomOptions};
use crate::model::Model;
use crate::parallel::{Job, JobContext};
use crate::pose::NameMap;
use crate::session::{
    ClipNames, ComparedFile, CurvesKey, Document, MEASURES_PER_SECOND, MeasureCurves, Measurers, PoseToMeasure,
    Session, Source, TakenClips,
};
use crate::writeback::Stamps;

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

/// How long a tool works before the window says so.
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
    /// Works out what a runtime makes of the weights of this model.
    Packing(Weak<Model>, Packing, Instant),
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
    /// Reading the file that the open one is compared with.
    OtherFile,
    /// Reads a file to take weights from.
    Donor,
    /// Reads a file to take clips from.
    Clips,
    /// Reading or writing a pose or session file that was asked for.
    NamedFile,
    /// Reading a session file that is to be opened.
    Session,
    /// Reads the poses of a folder.
    Library,
    /// Draws pictures of poses.
    PosePictures,
    SavePlan,
    Save,
    Autosave,
    /// Exports a file of this name.
    Export(String),
    /// Draws a picture for the clipboard.
    Picture,
    /// Waiting until files differ from what they were.
    Watch(Stamps),
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
        self.load = Some(Load::start(source, options, Arc::clone(&self.wake)));
    }

    /// Ends the load of a model that is already open: the images that are not there yet are left out.
    pub(super) fn stop_images(&self) {
        if let Some(load) = &self.load {
            load.cancel();
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

    /// Measures the rest pose of `document`, and prepares to find its vertices under the pointer.
    pub(super) fn prepare_document(&mut self, document: &Document) {
        let (prepare, model) = (document.prepare(), Arc::clone(document.stored()));
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

    /// Stops working out what a tool would do.
    pub(super) fn stop_tool(&mut self) {
        self.running.retain(|(kind, _)| !matches!(kind, Kind::Tool(..)));
    }

    /// Returns the name of the tool that is being worked out and the share that is done, 0…1, once it has taken long
    /// enough to be noticed.
    pub(super) fn working_tool(&self) -> Option<(&'static str, f32)> {
        self.running.iter().find_map(|(kind, job)| match kind {
            Kind::Tool(_, task, since) if since.elapsed() >= NOTICED => Some((task.operation.label, job.fraction())),
            _ => None,
        })
    }

    /// Works out what a runtime makes of the weights of a model, unless that is under way; what was begun for anything else
    /// is given up.
    pub(super) fn pack(&mut self, model: Arc<Model>, packing: Packing) {
        let weak = Arc::downgrade(&model);
        let is_it = |kind: &Kind| matches!(kind, Kind::Packing(of, by, _) if of.ptr_eq(&weak) && *by == packing);
        if self.running.iter().any(|(kind, _)| is_it(kind)) {
            return;
        }
        self.stop_packing();
        self.start(Kind::Packing(weak.clone(), packing, Instant::now()), "pack weights", move |context| {
            let made = edit::packed(&model, packing, context)?;
            Some(Report::Packed(model, packing, Box::new(made)))
        });
    }

    /// Stops working out what a runtime makes of weights.
    pub(super) fn stop_packing(&mut self) {
        self.running.retain(|(kind, _)| !matches!(kind, Kind::Packing(..)));
    }

    /// Returns the share of that which is done, 0…1, once it has taken long enough to be noticed.
    pub(super) fn packing(&self) -> Option<f32> {
        self.running.iter().find_map(|(kind, job)| match kind {
            Kind::Packing(_, _, since) if since.elapsed() >= NOTICED => Some(job.fraction()),
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

    /// Stops working out the data of a method.
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

    /// Measures a pose. `measurers` are what measured those before.
    pub(super) fn measure_pose(&mut self, pose: PoseToMeasure, mut measurers: Measurers) {
        self.start(Kind::Measures, "measure", move |context| {
            let measured = pose.measure(&mut measurers, &|| context.is_cancelled());
            Some(Report::SurfaceMeasured(measured.map(|measured| Box::new((measurers, measured)))))
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

    /// Reads the file that `open` is to be compared with; one that is being read for that is given up.
    pub(super) fn read_other(&mut self, path: PathBuf, options: Options, open: &Arc<Model>) {
        self.running.retain(|(kind, _)| !matches!(kind, Kind::OtherFile));
        let open = Arc::downgrade(open);
        self.start(Kind::OtherFile, "other file", move |context| {
            let source = Source::File(path);
            let name = source.name();
            let progress = Progress { report: &|_, _| {}, cancel: context.cancel_flag() };
            let read = source.load(&options, &progress).map_err(|error| error.to_string());
            let file = read.map(|document| ComparedFile { model: Arc::clone(document.stored()), name: name.clone() });
            Some(Report::OtherRead(open, file.map_err(|why| format!("Could not open {name}.\n{why}"))))
        });
    }

    /// Whether a file is being read to compare the open one with.
    pub(super) fn is_reading_other(&self) -> bool {
        self.running.iter().any(|(kind, _)| matches!(kind, Kind::OtherFile))
    }

    /// Reads a file whose clips are to be played on `open`, with joints that are counterparts by a mapping; one that is being read for that
    /// is given up.
    pub(super) fn take_clips(&mut self, (path, said): (PathBuf, NameMap), options: Options, open: Arc<Model>) {
        self.running.retain(|(kind, _)| !matches!(kind, Kind::Clips));
        self.start(Kind::Clips, "clips", move |context| {
            let source = Source::File(path.clone());
            let name = source.name();
            let progress = Progress { report: &|_, _| {}, cancel: context.cancel_flag() };
            let read = source.load(&options, &progress).map_err(|error| format!("{name}: {error}"));
            let other = read.as_ref().ok().map(|document| Arc::clone(document.stored()));
            let taken = read.and_then(|document| TakenClips::of(&open, document.stored(), &name, &said));
            let read = ReadClips { path, other, said, before: Vec::new(), taken };
            Some(Report::ClipsTaken(Arc::downgrade(&open), Box::new(read)))
        });
    }

    /// Takes the clips of a file that was read before once more, with another mapping.
    pub(super) fn retake_clips(&mut self, names: &ClipNames, open: Arc<Model>) {
        self.running.retain(|(kind, _)| !matches!(kind, Kind::Clips));
        let ClipNames { path, other, said, taken, .. } = names.clone();
        let name = names.name();
        self.start(Kind::Clips, "clips", move |_| {
            let (before, taken) = (taken, TakenClips::of(&open, &other, &name, &said));
            let read = ReadClips { path, other: Some(other), said, before, taken };
            Some(Report::ClipsTaken(Arc::downgrade(&open), Box::new(read)))
        });
    }

    /// Whether a file is being read whose clips are wanted.
    pub(super) fn is_taking_clips(&self) -> bool {
        self.running.iter().any(|(kind, _)| matches!(kind, Kind::Clips))
    }

    /// Asks for a file with the system's dialog ([`file_dialog::has_dialog`]); `chosen` is the report of its path.
    pub(super) fn ask_for_file(&mut self, folder: Option<PathBuf>, chosen: fn(PathBuf) -> Report) {
        let choose = file_dialog::ask_for_file(folder);
        self.start(Kind::FileDialog, "file dialog", move |_| choose().map(chosen));
    }

    /// Reads a file whose weights are to be transferred; one that was begun before is given up.
    pub(super) fn read_donor(&mut self, path: PathBuf, options: Options) {
        self.running.retain(|(kind, _)| !matches!(kind, Kind::Donor));
        self.start(Kind::Donor, "read donor", move |context| {
            let progress = Progress { report: &|_, _| (), cancel: context.cancel_flag() };
            let read = Source::File(path.clone()).load(&options, &progress);
            (!context.is_cancelled()).then(|| Report::DonorRead(read.map_err(|error| (path, error)).map(Box::new)))
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
        if let Some(Ok(warnings)) = self.earlier_load.take_if(|load| load.is_done()).and_then(Load::into_result) {
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
