//! Work off the UI thread: loading a file, asking for one.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::deform::Method;
use crate::import::{ImportError, Options, Progress};
use crate::inspect::Inspection;
use crate::inspect::check::CheckOptions;
use crate::inspect::rom::{self, RomOptions, RomReport};
use crate::model::Model;
use crate::output::say;
use crate::session::{Document, Normalised, Source};

use super::ui::fonts;

/// Messages from jobs in the background.
pub(super) enum Report {
    /// 0…1, and what is being done. While images arrive: that one more has.
    Progress(f32, String),
    /// The model can be drawn; its images may still be on their way.
    Opened(Box<Document>),
    /// The load ended: all warnings there were, or why nothing was opened.
    Loaded(Result<Vec<String>, ImportError>),
    /// The images of the open model have arrived while another file is being read: all warnings there were.
    Completed(Vec<String>),
    /// The checker has looked at a model.
    Inspected(Arc<Model>, Box<Inspection>),
    /// So much of the range of motion is measured, 0…1.
    Measuring(f32),
    /// The range of motion of a model is measured.
    Measured(Arc<Model>, Box<RomReport>),
    /// The weights of a model are normalised.
    Normalised(Arc<Model>, Box<Normalised>),
    /// The pointer finds vertices of a model.
    Pickable(Arc<Model>),
    /// The user chose a file.
    Chosen(PathBuf),
    /// The fonts of the system were searched.
    Fonts(fonts::FontSearch),
}

/// Background jobs and their reports; `wake` makes the event loop look at them.
pub(super) struct Jobs {
    sender: Sender<(u64, Report)>,
    receiver: Receiver<(u64, Report)>,
    wake: Arc<dyn Fn() + Send + Sync>,
    /// Reports of other loads are dropped.
    current: u64,
    cancel: Arc<AtomicBool>,
    /// The load of the open model, where its images still arrive while another file is read that may yet fail.
    behind: Option<(u64, Arc<AtomicBool>)>,
    /// Ends the inspection under way.
    inspection: Arc<AtomicBool>,
    /// Ends the range of motion under way.
    motion: Arc<AtomicBool>,
    /// Its number; reports of others are dropped.
    motion_id: u64,
    /// The model whose weights are being normalised, and what ends that.
    normalising: Option<(Weak<Model>, Arc<AtomicBool>)>,
}

/// Added to the numbers of ranges of motion: loads are not so many.
const MOTION: u64 = 1 << 63;

impl Jobs {
    pub(super) fn new(wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        let (sender, receiver) = channel();
        Self {
            sender,
            receiver,
            wake,
            current: 0,
            cancel: Arc::default(),
            behind: None,
            inspection: Arc::default(),
            motion: Arc::default(),
            motion_id: MOTION,
            normalising: None,
        }
    }

    /// Loads `source` on a thread; a load under way is cancelled. Where that is down to the images of the open model
    /// (`is_open`) it goes on until `source` is open.
    pub(super) fn load(&mut self, source: Source, options: Options, is_open: bool) {
        if is_open {
            self.behind = Some((self.current, std::mem::take(&mut self.cancel)));
            self.current += 1;
        } else {
            self.cancel();
            self.cancel = Arc::default();
        }
        let (id, sender, wake, cancel) =
            (self.current, self.sender.clone(), Arc::clone(&self.wake), Arc::clone(&self.cancel));
        self.spawn("load", move || {
            let report = |report| {
                // The window may be gone by now.
                let _gone = sender.send((id, report)).is_err();
                wake();
            };
            let tell = |fraction: f32, stage: &str| report(Report::Progress(fraction, stage.to_owned()));
            let progress = Progress { report: &tell, cancel: &cancel };
            let opened = &mut |document| report(Report::Opened(Box::new(document)));
            let loaded = source.load_showing(&options, &progress, opened);
            report(Report::Loaded(loaded));
        });
    }

    /// Ends the load of a model that is open already: the images that are not there yet are left out.
    pub(super) fn stop_images(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    /// The current load is open: nobody waits for the images of the model before it.
    pub(super) fn opened(&mut self) {
        if let Some((_, cancel)) = self.behind.take() {
            cancel.store(true, Ordering::Relaxed);
        }
    }

    /// The pointer shall find vertices of `document` as soon as it comes.
    pub(super) fn prepare_picking(&self, document: &Document) {
        let (prepare, model) = (document.prepare_picking(), Arc::clone(document.stored()));
        let (sender, wake) = (self.sender.clone(), Arc::clone(&self.wake));
        self.spawn("picking", move || {
            prepare();
            let _gone = sender.send((u64::MAX, Report::Pickable(model))).is_err();
            wake();
        });
    }

    /// Normalises the weights of a document, unless that is under way; what was begun for another one is given up.
    pub(super) fn normalise(&mut self, document: &Document) {
        let stored = document.stored();
        if self.normalising.as_ref().is_some_and(|(of, _)| of.ptr_eq(&Arc::downgrade(stored))) {
            return;
        }
        self.stop_normalising();
        let cancel = Arc::new(AtomicBool::new(false));
        self.normalising = Some((Arc::downgrade(stored), Arc::clone(&cancel)));
        let (normalise, model) = (document.normalise(), Arc::clone(stored));
        let (sender, wake) = (self.sender.clone(), Arc::clone(&self.wake));
        self.spawn("normalise", move || {
            if let Some(made) = normalise(&cancel) {
                let _gone = sender.send((u64::MAX, Report::Normalised(model, Box::new(made)))).is_err();
                wake();
            }
        });
    }

    /// Nobody wants normalised weights any more, or they are there.
    pub(super) fn stop_normalising(&mut self) {
        if let Some((_, cancel)) = self.normalising.take() {
            cancel.store(true, Ordering::Relaxed);
        }
    }

    /// Stops the load under way; its reports are not seen any more.
    pub(super) fn cancel(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
        self.current += 1;
    }

    /// Looks for what is wrong with a model, for runtimes that use so many influences of a vertex; what was begun for another one is given up.
    pub(super) fn inspect(&mut self, model: Arc<Model>, limit: usize) {
        self.inspection.store(true, Ordering::Relaxed);
        self.inspection = Arc::default();
        let (sender, wake, cancel) = (self.sender.clone(), Arc::clone(&self.wake), Arc::clone(&self.inspection));
        self.spawn("inspect", move || {
            let options = CheckOptions { limit, ..CheckOptions::default() };
            if let Some(inspection) = Inspection::of(&model, &options, &cancel) {
                let _gone = sender.send((u64::MAX, Report::Inspected(model, Box::new(inspection)))).is_err();
                wake();
            }
        });
    }

    /// Stops looking.
    pub(super) fn stop_inspection(&mut self) {
        self.inspection.store(true, Ordering::Relaxed);
    }

    /// Measures the range of motion of a model; what was begun before is given up.
    pub(super) fn drive(&mut self, model: Arc<Model>, options: RomOptions, method: &'static Method) {
        self.stop_motion();
        self.motion = Arc::default();
        let (sender, wake, cancel) = (self.sender.clone(), Arc::clone(&self.wake), Arc::clone(&self.motion));
        let id = self.motion_id;
        self.spawn("range of motion", move || {
            let report = |report| {
                let _gone = sender.send((id, report)).is_err();
                wake();
            };
            // A hundredth more is seen, a thousandth is not.
            let shown = Mutex::new(0);
            let progress = |fraction: f32| {
                let percent = (100.0 * fraction) as u32;
                // Held while it is said, so that what is heard only rises.
                let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
                if *shown < percent {
                    *shown = percent;
                    report(Report::Measuring(fraction));
                }
            };
            let plan = rom::plan(&model, &options);
            if let Some(measured) = rom::run(&model, &plan, method, &progress, &cancel) {
                report(Report::Measured(model, Box::new(measured)));
            }
        });
    }

    /// Stops the range of motion under way; its reports are not seen any more.
    pub(super) fn stop_motion(&mut self) {
        self.motion.store(true, Ordering::Relaxed);
        self.motion_id += 1;
    }

    /// Looks for fonts of the system that have these letters.
    pub(super) fn find_fonts(&self, letters: BTreeSet<char>) {
        let (sender, wake) = (self.sender.clone(), Arc::clone(&self.wake));
        self.spawn("fonts", move || {
            let found = fonts::search(&fonts::FontFolders::System, &letters);
            let _gone = sender.send((u64::MAX, Report::Fonts(found))).is_err();
            wake();
        });
    }

    /// Asks for a file with the system's dialog ([`has_dialog`]).
    pub(super) fn ask_for_file(&self, folder: Option<PathBuf>) {
        let mut dialog = rfd::AsyncFileDialog::new()
            .add_filter("glTF models", &["glb", "gltf", "vrm"])
            .add_filter("All files", &["*"]);
        if let Some(folder) = folder {
            dialog = dialog.set_directory(folder);
        }
        // Made here: some systems want dialogs to begin on the main thread.
        let file = dialog.pick_file();
        let (sender, wake) = (self.sender.clone(), Arc::clone(&self.wake));
        self.spawn("file dialog", move || {
            if let Some(file) = pollster::block_on(file) {
                let _gone = sender.send((u64::MAX, Report::Chosen(file.path().to_owned()))).is_err();
                wake();
            }
        });
    }

    fn spawn(&self, name: &str, work: impl FnOnce() + Send + 'static) {
        if let Err(error) = std::thread::Builder::new().name(name.into()).spawn(work) {
            say(format_args!("could not start a thread ({name}): {error}"));
        }
    }

    /// The next report that still counts.
    pub(super) fn next(&self) -> Option<Report> {
        loop {
            let (id, report) = self.receiver.try_recv().ok()?;
            if id == self.current || id == self.motion_id || id == u64::MAX {
                return Some(report);
            }
            if let Report::Loaded(Ok(warnings)) = report
                && self.behind.as_ref().is_some_and(|(behind, _)| *behind == id)
            {
                return Some(Report::Completed(warnings));
            }
        }
    }
}

/// Whether the system can ask for a file. Linux needs a desktop portal (over D-Bus) or zenity, and without them the dialog
/// would end like one that was cancelled.
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

    /// The next report that is no progress.
    fn next(jobs: &Jobs) -> Report {
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
        let Report::Loaded(Ok(warnings)) = next(&jobs) else { panic!("not loaded") };
        assert!(missing(&document) >= 2 && warnings[0].contains("because loading was stopped"), "{warnings:?}");
    }

    #[test]
    fn images_go_on_arriving_while_a_file_is_read_that_then_fails() {
        let (mut jobs, slow) = (jobs(), Slow::new("failed"));
        let document = slow.open(&mut jobs);
        jobs.load(Source::File("no such file.glb".into()), Options::default(), true);
        assert!(matches!(next(&jobs), Report::Loaded(Err(_))));
        slow.go_on.store(true, Ordering::Relaxed);
        let Report::Completed(warnings) = next(&jobs) else { panic!("not completed") };
        assert_eq!((missing(&document), warnings), (0, Vec::new()));
    }

    #[test]
    fn images_stop_arriving_once_another_file_is_open() {
        let (mut jobs, slow) = (jobs(), Slow::new("replaced"));
        let document = slow.open(&mut jobs);
        jobs.load(Source::BuiltIn, Options::default(), true);
        assert!(matches!(next(&jobs), Report::Opened(_)));
        jobs.opened();
        slow.go_on.store(true, Ordering::Relaxed);
        assert!(matches!(next(&jobs), Report::Loaded(Ok(_))));
        let start = Instant::now();
        while document.model.images.iter().any(crate::model::Image::is_pending) {
            assert!(start.elapsed() < Duration::from_secs(60), "waited a minute for the images to be given up");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(missing(&document) >= 2);
        assert!(jobs.next().is_none(), "nobody wants to hear of the old model");
    }
}
