//! Tests of what jobs in the background report.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use base64::Engine;

use super::jobs::Jobs;
use super::report::Report;
use super::ui::fonts;
use crate::edit::{RUNTIMES, packed};
use crate::import::{Options, Progress};
use crate::inspect::rom::{self, RomOptions};
use crate::model::{BlockFormats, MeshId, Model, WeightChange};
use crate::parallel::JobContext;
use crate::session::{ComparisonCommand, Document, EditCommand, Session, Source};

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
    assert_eq!(fonts::searches(), 0, "the thread of the window searched");
    // The instrument itself.
    let nowhere = fonts::FontFolders::Folder(PathBuf::from("no such folder"));
    assert_eq!(fonts::search(&nowhere, &BTreeSet::from(['ש'])).missing.len(), 1);
    assert_eq!(fonts::searches(), 1);
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

#[test]
fn weights_of_a_runtime_are_those_worked_out_at_once_and_given_up_for_other_weights() {
    let mut jobs = jobs();
    let document = Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap();
    let mut session = Session::default();
    session.open(document);
    session.be_patient();
    let packing = RUNTIMES.iter().find(|runtime| runtime.id == "unity-2").unwrap().packing;
    session.apply(ComparisonCommand::PreviewAs(packing));
    let (first, _) = session.wanted_packing().unwrap();
    jobs.pack(Arc::clone(&first), packing);
    // The weights change meanwhile: what was begun for the first ones says nothing.
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    change.push(5, &[0, 1, 2], &[0.5, 0.3, 0.2]);
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    let (edited, _) = session.wanted_packing().unwrap();
    assert!(!Arc::ptr_eq(&first, &edited));
    for _ in 0..2 {
        jobs.pack(Arc::clone(&edited), packing);
    }
    let Report::Packed(of, by, made) = next(&mut jobs) else { panic!("not packed") };
    assert!(Arc::ptr_eq(&of, &edited) && by == packing);
    let bits = |model: &Model| -> Vec<(u16, u32)> {
        let influences = model.influences(MeshId(0), 0).unwrap();
        let of = |v: usize| {
            let (joints, weights) = influences.of(v);
            joints.iter().copied().zip(weights.iter().map(|w| w.to_bits())).collect::<Vec<_>>()
        };
        (0..influences.vertices()).flat_map(of).collect()
    };
    let at_once = |model: &Arc<Model>| packed(model, packing, &JobContext::of_waiting()).unwrap();
    let expected = at_once(&edited);
    assert_eq!((made.1, bits(&made.0)), (expected.1, bits(&expected.0)));
    assert_ne!(bits(&made.0), bits(&at_once(&first).0), "the edit is seen in what is packed");
    // A result that came too late is not taken, and the other one is.
    session.packed(&first, packing, at_once(&first));
    assert!(session.packed_figures().is_none() && session.wanted_packing().is_some());
    session.packed(&of, by, *made);
    assert_eq!(session.packed_figures(), Some(&expected.1));
    assert!(session.wanted_packing().is_none());
    assert_eq!(bits(session.compared_model().unwrap()), bits(&expected.0));
    // What was stopped says nothing: the next report is of something else.
    jobs.pack(edited, packing);
    jobs.stop_packing();
    jobs.find_fonts(BTreeSet::from(['a']));
    assert!(matches!(next(&mut jobs), Report::Fonts(_)));
}

#[test]
fn a_load_that_fails_tells_the_files_that_it_waits_for_and_sees_those_that_come_meanwhile() {
    let folder = std::env::temp_dir().join(format!("skinscope_awaited_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let [path, buffer] = ["model.gltf", "model_v2.bin"].map(|name| folder.join(name));
    let text =
        r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":4,"uri":"model_v2.bin"}],"nodes":[{"name":"a"}]}"#;
    std::fs::write(&path, text).unwrap();
    let mut jobs = jobs();
    let load = |jobs: &mut Jobs| jobs.load(Source::File(path.clone()), Options::default(), false);
    load(&mut jobs);
    let Report::Awaited(stamps) = next(&mut jobs) else { panic!("nothing is awaited") };
    assert!(matches!(next(&mut jobs), Report::Loaded(Err(_))));
    let files: Vec<_> = stamps.paths().map(|file| file.file_name().unwrap()).collect();
    assert_eq!(files, ["model_v2.bin"]);
    assert_eq!(stamps.taken_again(), stamps);
    // When it comes, that is a change.
    std::fs::write(&buffer, [0; 4]).unwrap();
    assert_ne!(stamps.taken_again(), stamps);
    load(&mut jobs);
    assert!(matches!(next(&mut jobs), Report::Opened(_)));
    std::fs::remove_dir_all(&folder).unwrap();
}
