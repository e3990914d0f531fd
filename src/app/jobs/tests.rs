//! Tests of what jobs in the background report.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use base64::Engine;
use winit::event_loop::ActiveEventLoop;

use super::take_results::find_fonts;
use crate::app::App;
use crate::app::files::load_job::LoadReport;
use crate::app::jobs::{Jobs, Kind, ResultHandler};
use crate::app::ui::fonts;
use crate::edit::{LinkSettings, RUNTIMES, Settings as ToolSettings};
use crate::import::{Options, Progress};
use crate::model::test_shapes::{Tube, tube};
use crate::model::{BlockFormats, MeshId, Model, NodeId, WeightChange};
use crate::parallel::JobContext;
use crate::session::{
    ComparisonCommand, Document, EditCommand, EnvironmentCommand, LayerCommand, MeasureCommand, PaintCommand,
    PlaceCommand, Session, ShapeCommand, ShapeSettings, Source, ToolCommand, ViewCommand, Work,
};

static KTX2: &[u8] = include_bytes!("../../../tests/fixtures/textures/uastc_mips.ktx2");

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
            LoadReport::Opened(document) => document,
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

/// Returns the next report of a load other than progress.
fn next(jobs: &mut Jobs) -> LoadReport {
    let start = Instant::now();
    loop {
        match jobs.next_load() {
            Some(LoadReport::Progress(..)) => {}
            Some(report) => return report,
            None => std::thread::sleep(Duration::from_millis(5)),
        }
        assert!(start.elapsed() < Duration::from_secs(60), "waited a minute for a report");
    }
}

/// Waits for the next result of a job.
fn next_result(jobs: &mut Jobs) -> ResultHandler {
    let start = Instant::now();
    loop {
        if let Some(handler) = jobs.next() {
            return handler;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "waited a minute for a result");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn fonts_are_searched_on_a_thread_of_their_own() {
    let (mut jobs, letters) = (jobs(), BTreeSet::from(['ש']));
    let nowhere = fonts::FontFolders::Folder(PathBuf::from("no such folder"));
    let wanted = letters.clone();
    jobs.start(Kind::Fonts, move |_| find_fonts(&wanted));
    let _handler = next_result(&mut jobs);
    assert_eq!(fonts::searches(), 0, "the thread of the window searched");
    // The instrument itself.
    assert_eq!(fonts::search(&nowhere, &letters).missing.len(), 1);
    assert_eq!(fonts::searches(), 1);
}

#[test]
fn a_job_that_was_stopped_or_replaced_is_not_heard() {
    let mut jobs = jobs();
    let heard = Arc::new(AtomicUsize::new(0));
    let slow = |context: &JobContext, heard: &Arc<AtomicUsize>, by: usize| {
        while !context.is_cancelled() {
            std::thread::yield_now();
        }
        heard.fetch_add(by, Ordering::Relaxed);
        Some(Box::new(|_: &mut App, _: &ActiveEventLoop| ()) as ResultHandler)
    };
    for by in [1, 10] {
        let heard = Arc::clone(&heard);
        jobs.restart(Kind::RangeOfMotion, move |context| slow(context, &heard, by));
    }
    assert!(jobs.is_running(Kind::RangeOfMotion) && !jobs.is_running(Kind::Inspection));
    jobs.stop(Kind::RangeOfMotion);
    assert!(!jobs.is_running(Kind::RangeOfMotion));
    let start = Instant::now();
    while heard.load(Ordering::Relaxed) != 11 {
        assert!(start.elapsed() < Duration::from_secs(60), "both have stopped");
        std::thread::yield_now();
    }
    assert!(jobs.next().is_none(), "nobody wants to hear of them");
    // Another one is.
    jobs.start(Kind::RangeOfMotion, |context| {
        context.set_fraction(0.5);
        Some(Box::new(|_, _| ()))
    });
    let _handler = next_result(&mut jobs);
    assert!(!jobs.is_running(Kind::RangeOfMotion) && jobs.next().is_none());
}

#[test]
fn of_each_kind_of_work_one_piece_runs_and_the_next_begins_once_that_has_ended() {
    let document = Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap();
    let mut session = Session::default();
    session.open(document);
    session.defer_work();
    session.apply(ToolCommand::Choose(Some("smooth")));
    session.apply(MeasureCommand::TogglePanel);
    let (mut jobs, mut begun) = (jobs(), Vec::new());
    let mut follow = |jobs: &mut Jobs, session: &mut Session, may: bool| {
        jobs.follow(session, &mut |work| {
            if may {
                begun.push(work.clone());
            }
            may
        });
        begun.len()
    };
    assert_eq!(follow(&mut jobs, &mut session, false), 0);
    let wanted = session.wanted().len();
    assert_eq!(follow(&mut jobs, &mut session, true), wanted, "the tool, the clip and the pose");
    assert_eq!(follow(&mut jobs, &mut session, true), wanted, "each is under way");
    assert!(jobs.work_fraction(|work| matches!(work, Work::TryTool(..))).is_some());
    // What a tool is to do changes: the old work is cancelled and said no more of; the new work waits for its end.
    let settings = ToolSettings { times: 7, ..ToolSettings::clone(&session.tools().settings) };
    session.apply(ToolCommand::Set(Arc::new(settings)));
    follow(&mut jobs, &mut session, false);
    assert!(jobs.work_fraction(|work| matches!(work, Work::TryTool(..))).is_none() && jobs.notice().is_none());
    let start = Instant::now();
    while follow(&mut jobs, &mut session, true) == wanted {
        let _result = jobs.next();
        assert!(start.elapsed() < Duration::from_secs(60), "waited a minute for the end of what was cancelled");
        std::thread::sleep(Duration::from_millis(5));
    }
    session.apply(ToolCommand::Cancel);
    session.apply(MeasureCommand::TogglePanel);
    follow(&mut jobs, &mut session, true);
    assert!(jobs.work_fraction(|_| true).is_none(), "nothing is wanted any more");
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
    let LoadReport::Loaded(Ok(warnings)) = next(&mut jobs) else { panic!("not loaded") };
    assert!(missing(&document) >= 2 && warnings[0].contains("because loading was stopped"), "{warnings:?}");
}

#[test]
fn images_go_on_arriving_while_a_file_is_read_that_then_fails() {
    let (mut jobs, slow) = (jobs(), Slow::new("failed"));
    let document = slow.open(&mut jobs);
    jobs.load(Source::File("no such file.glb".into()), Options::default(), true);
    assert!(matches!(next(&mut jobs), LoadReport::Loaded(Err(_))));
    slow.go_on.store(true, Ordering::Relaxed);
    let LoadReport::Completed(warnings) = next(&mut jobs) else { panic!("not completed") };
    assert_eq!((missing(&document), warnings), (0, Vec::new()));
}

#[test]
fn images_stop_arriving_once_another_file_is_open() {
    let (mut jobs, slow) = (jobs(), Slow::new("replaced"));
    let document = slow.open(&mut jobs);
    jobs.load(Source::BuiltIn, Options::default(), true);
    assert!(matches!(next(&mut jobs), LoadReport::Opened(_)));
    jobs.opened();
    slow.go_on.store(true, Ordering::Relaxed);
    assert!(matches!(next(&mut jobs), LoadReport::Loaded(Ok(_))));
    let start = Instant::now();
    while document.model.images.iter().any(crate::model::Image::is_pending) {
        assert!(start.elapsed() < Duration::from_secs(60), "waited a minute for the images to be given up");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(missing(&document) >= 2);
    assert!(jobs.next_load().is_none(), "nobody wants to hear of the old model");
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
    let LoadReport::Awaited(stamps) = next(&mut jobs) else { panic!("nothing is awaited") };
    assert!(matches!(next(&mut jobs), LoadReport::Loaded(Err(_))));
    let files: Vec<_> = stamps.paths().map(|file| file.file_name().unwrap()).collect();
    assert_eq!(files, ["model_v2.bin"]);
    assert_eq!(stamps.taken_again(), stamps);
    // When it comes, that is a change.
    std::fs::write(&buffer, [0; 4]).unwrap();
    assert_ne!(stamps.taken_again(), stamps);
    load(&mut jobs);
    assert!(matches!(next(&mut jobs), LoadReport::Opened(_)));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_file_whose_buffer_still_grows_opens_once_that_is_whole_and_says_what_it_waits_for() {
    let folder = std::env::temp_dir().join(format!("skinscope_growing_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let [path, buffer] = ["model.gltf", "model.bin"].map(|name| folder.join(name));
    let text = r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":4,"uri":"model.bin"}],"nodes":[{"name":"a"}]}"#;
    std::fs::write(&path, text).unwrap();
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(3600);
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(long_ago).unwrap();
    std::fs::write(&buffer, [0; 3]).unwrap();
    let mut jobs = jobs();
    jobs.load(Source::File(path.clone()), Options::default(), false);
    let start = Instant::now();
    loop {
        match jobs.next_load() {
            Some(LoadReport::Progress(_, stage)) if stage.starts_with("Waiting") => break,
            Some(LoadReport::Progress(..)) | None => std::thread::sleep(Duration::from_millis(1)),
            Some(_) => panic!("it was read as it is"),
        }
        assert!(start.elapsed() < Duration::from_secs(60), "nothing is waited for");
    }
    std::fs::write(&buffer, [0; 4]).unwrap();
    let LoadReport::Written(stamps) = next(&mut jobs) else { panic!("it was not waited for") };
    assert_eq!(stamps, crate::writeback::Stamps::of(&path));
    assert!(matches!(next(&mut jobs), LoadReport::Opened(_)));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Numbers the kinds of work of a session. A new kind does not compile before it stands here, and
/// `no_work_of_any_kind_is_taken_that_was_cancelled` does not pass before it is begun there.
fn number(work: &Work) -> usize {
    match work {
        Work::NormaliseWeights(_) => 0,
        Work::TryTool(..) => 1,
        Work::PackWeights(..) => 2,
        Work::CountWeights(_) => 3,
        Work::FindWorstMoment(_) => 4,
        Work::MeasureClip(_) => 5,
        Work::MeasurePose(_) => 6,
        Work::PrepareMethod(..) => 7,
        Work::ReadEnvironment(_) => 8,
        Work::PreparePainting(_) => 9,
        Work::BindPlaced(..) => 10,
        Work::CopyLayer { .. } => 11,
        Work::MeasureLinks(_) => 12,
        Work::MakeShapes(_) => 13,
    }
}

/// Returns the kind of job that comes after this one, so that all of them follow from the first. A new kind does not compile before it has its
/// position here.
fn kind_after(kind: Kind) -> Option<Kind> {
    Some(match kind {
        Kind::Picking => Kind::Inspection,
        Kind::Inspection => Kind::RangeOfMotion,
        Kind::RangeOfMotion => Kind::Fonts,
        Kind::Fonts => Kind::FileDialog,
        Kind::FileDialog => Kind::OtherFile,
        Kind::OtherFile => Kind::SecondModel,
        Kind::SecondModel => Kind::Donor,
        Kind::Donor => Kind::Examples,
        Kind::Examples => Kind::Clips,
        Kind::Clips => Kind::NamedFile,
        Kind::NamedFile => Kind::Session,
        Kind::Session => Kind::Library,
        Kind::Library => Kind::PosePictures,
        Kind::PosePictures => Kind::RecentPicture,
        Kind::RecentPicture => Kind::SavePlan,
        Kind::SavePlan => Kind::Save,
        Kind::Save => Kind::Autosave,
        Kind::Autosave => Kind::Export,
        Kind::Export => Kind::Picture,
        Kind::Picture => Kind::Watch,
        Kind::Watch => return None,
    })
}

/// A patient session with a tube of so many rings, whose weights do not sum to one.
fn halved(rings: usize) -> Session {
    let mut parts = (*tube(Tube { joints: 3, rings, sides: 130, ..Tube::default() })).clone();
    let weights = &mut parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().weights;
    weights.iter_mut().for_each(|weight| *weight *= 0.5);
    let mut session = Session::default();
    session.defer_work();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
    session
}

#[test]
fn no_work_of_any_kind_is_taken_that_was_cancelled() {
    let mut large = halved(400);
    large.apply(EditCommand::NormaliseWeights);
    let mut small = halved(3);
    small.apply(ToolCommand::Choose(Some("smooth")));
    small.apply(ViewCommand::SetMethod("polar"));
    small.apply(PlaceCommand::Bind);
    small.apply(MeasureCommand::TogglePanel);
    small.apply(ComparisonCommand::Set(true));
    small.apply(ComparisonCommand::PreviewAs(RUNTIMES[0].packing));
    small.apply(ComparisonCommand::ToWorstMoment);
    small.apply(ViewCommand::Environment(EnvironmentCommand::Show(Some("no such sky.hdr".into()))));
    // What was edited has to be counted anew.
    let mut edited = halved(400);
    edited.apply(EditCommand::NormaliseWeights);
    for work in edited.wanted() {
        let run = edited.begin(&work).unwrap();
        edited.done(run(&JobContext::of_waiting()).unwrap());
    }
    edited.apply(PaintCommand::Hold(Some("add".to_owned())));
    // A layer is copied to the model beside.
    let mut copying = halved(3);
    copying.apply(PaintCommand::Layer(LayerCommand::Add(String::new())));
    let layer = copying.painting().layers().active().unwrap();
    copying.open_beside(Document::new(Arc::new(tube(Tube::default())), Vec::new(), None));
    copying.apply(PaintCommand::Layer(LayerCommand::CopyToOther(layer)));
    // The volume around new links is measured.
    let mut linked = halved(3);
    let settings = LinkSettings { angle: Some(120.0), ..LinkSettings::default() };
    linked.apply(EditCommand::InsertLinks(NodeId(2), settings));
    // A shape is made of the drawn surface.
    let mut shaped = halved(3);
    shaped.apply(ViewCommand::SetMethod("polar"));
    let of_joint = ShapeSettings { joints: vec![NodeId(2)], ..ShapeSettings::default() };
    shaped.apply(EditCommand::Shape(ShapeCommand::OfMethod(of_joint)));
    let mut begun = BTreeSet::new();
    for session in [&mut large, &mut small, &mut edited, &mut copying, &mut linked, &mut shaped] {
        let mut jobs = jobs();
        jobs.follow(session, &mut |_| true);
        begun.extend(jobs.works.iter().map(|running| number(&running.work)));
        for running in &jobs.works {
            let same = running.work.clone();
            assert!(running.work == same, "work of kind {} is another than itself", number(&same));
        }
        jobs.follow(session, &mut |_| true);
        assert!(jobs.works.iter().all(|running| !running.is_cancelled), "all of it is still wanted");
        let start = Instant::now();
        while !jobs.works.iter().all(|running| running.job.is_done()) {
            assert!(start.elapsed() < Duration::from_secs(60), "waited a minute for the work");
            std::thread::sleep(Duration::from_millis(5));
        }
        // Each result is there, and nothing of it is wanted any more.
        jobs.follow(&mut Session::default(), &mut |_| true);
        assert!(jobs.next().is_none() && jobs.works.is_empty(), "it was cancelled");
    }
    assert_eq!(begun, (0..14).collect(), "every kind is begun");
}

#[test]
fn two_hundred_changes_of_weights_in_a_gesture_start_no_job_and_cancel_none() {
    let mut session = halved(3);
    session.apply(ViewCommand::SetMethod("polar"));
    session.apply(MeasureCommand::TogglePanel);
    session.apply(ComparisonCommand::PreviewAs(RUNTIMES[0].packing));
    let (mut jobs, mut asked) = (jobs(), 0);
    jobs.follow(&mut session, &mut |_| true);
    let under_way = jobs.works.len();
    assert!(under_way > 2, "{under_way}");
    session.apply(EditCommand::BeginEdit);
    for i in 0..200 {
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        let share = 0.25 + i as f32 / 500.0;
        change.push(i % 40, &[0, 1], &[share, 1.0 - share]);
        session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
        session.update_pose();
        jobs.follow(&mut session, &mut |_| {
            asked += 1;
            true
        });
    }
    let cancelled = |jobs: &Jobs| jobs.works.iter().filter(|running| running.is_cancelled).count();
    assert_eq!((asked, cancelled(&jobs), jobs.works.len()), (0, 0, under_way));
    session.apply(EditCommand::EndEdit);
    jobs.follow(&mut session, &mut |_| true);
    assert_eq!(cancelled(&jobs), under_way, "all of it was about the weights from before");
    let start = Instant::now();
    while cancelled(&jobs) == jobs.works.len() {
        let _result = jobs.next();
        jobs.follow(&mut session, &mut |_| true);
        assert!(start.elapsed() < Duration::from_secs(60), "waited a minute for the work on the new weights");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn no_job_of_any_kind_is_taken_that_was_stopped_or_replaced() {
    let all: Vec<Kind> = std::iter::successors(Some(Kind::Picking), |kind| kind_after(*kind)).collect();
    let mut jobs = jobs();
    let wait = |jobs: &Jobs| {
        while !jobs.running.iter().all(|(_, job)| job.is_done()) {
            std::thread::yield_now();
        }
    };
    for kind in all {
        let done = |_: &JobContext| Some(Box::new(|_: &mut App, _: &ActiveEventLoop| ()) as ResultHandler);
        jobs.start(kind, done);
        wait(&jobs);
        jobs.stop(kind);
        assert!(jobs.next().is_none(), "{kind:?} was stopped");
        jobs.start(kind, done);
        wait(&jobs);
        jobs.restart(kind, done);
        wait(&jobs);
        assert!(jobs.next().is_some() && jobs.next().is_none(), "{kind:?} was replaced");
    }
}
