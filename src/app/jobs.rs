//! Work off the UI thread: loading a file, asking for one.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use crate::import::{ImportError, Options, Progress};
use crate::session::{Document, Source};

/// What comes back.
pub(super) enum Report {
    /// 0…1, and what is being done. While images arrive: that one more has.
    Progress(f32, String),
    /// The model can be drawn; its images may still be on their way.
    Opened(Box<Document>),
    /// The load ended: all warnings there were, or why nothing was opened.
    Loaded(Result<Vec<String>, ImportError>),
    /// The images of the open model have arrived while another file is being read: all warnings there were.
    Completed(Vec<String>),
    /// The user chose a file.
    Chosen(PathBuf),
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
}

impl Jobs {
    pub(super) fn new(wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver, wake, current: 0, cancel: Arc::default(), behind: None }
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

    /// Stops the load under way; its reports are not seen any more.
    pub(super) fn cancel(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
        self.current += 1;
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
            eprintln!("skinscope: could not start a thread ({name}): {error}");
        }
    }

    /// The next report that still counts.
    pub(super) fn next(&self) -> Option<Report> {
        loop {
            let (id, report) = self.receiver.try_recv().ok()?;
            if id == self.current || id == u64::MAX {
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
