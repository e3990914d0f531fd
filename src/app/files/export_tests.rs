//! Tests of pictures and films that leave the window.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use super::*;
use crate::examples::Start;
use crate::import::{Options, Progress};
use crate::session::{ComparisonCommand, Source, ViewCommand};

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("skinscope_export_{}_{name}", std::process::id()));
    let _absent = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn job(kind: ExportKind, settings: ExportSettings) -> ExportJob {
    let mut session = Session::default();
    session.open(Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap());
    session.apply(ViewCommand::ToggleOverlay("weights"));
    session.update_pose();
    ExportJob {
        kind,
        session,
        settings,
        light: true,
        letters: None,
        units: Units::Metric,
        backend: Backend::Auto,
        texture_memory: None,
    }
}

#[test]
fn files_are_made_of_what_is_shown_and_a_film_that_is_cancelled_leaves_nothing() {
    let folder = folder("files");
    let context = JobContext::of_waiting();
    let mesh = folder.join("a.ply");
    job(ExportKind::Mesh, ExportSettings::default()).write(&mesh, &context).unwrap();
    assert!(fs::read(&mesh).unwrap().starts_with(b"ply"));
    if Gpu::headless(Backend::Auto).is_err() {
        return;
    }
    let settings = ExportSettings { size: [90, 120], transparent: true, supersampling: 2, ..ExportSettings::default() };
    let picture = folder.join("a.png");
    job(ExportKind::Picture, settings.clone()).write(&picture, &context).unwrap();
    let read = image::open(&picture).unwrap().into_rgba8();
    assert_eq!(read.dimensions(), (90, 120));
    let alphas: std::collections::BTreeSet<u8> = read.pixels().map(|p| p[3]).collect();
    assert!(alphas.contains(&0) && alphas.contains(&255) && alphas.len() > 6, "{alphas:?}");
    // The legend lies in the lower left corner, on a plate.
    assert!(read.get_pixel(10, 112)[3] > 0);
    let film = folder.join("a.gif");
    let settings = ExportSettings { supersampling: 1, plays: false, turns: true, fps: 1.0, ..settings };
    job(ExportKind::Film, settings.clone()).write(&film, &context).unwrap();
    assert!(fs::read(&film).unwrap().starts_with(b"GIF89a"));
    context.cancel_flag().store(true, Ordering::Relaxed);
    let other = folder.join("b.gif");
    let ended = job(ExportKind::Film, settings).write(&other, &context);
    assert!(matches!(ended, Err(ExportFailure::Cancelled)), "{ended:?}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn pictures_of_a_part_of_a_clip_have_its_numbers_and_moments_and_replace_nothing_that_is_read() {
    if Gpu::headless(Backend::Auto).is_err() {
        return;
    }
    let folder = folder("numbers");
    let part = ExportSettings { size: [40, 60], fps: 2.0, frames: Some([1, 2]), ..ExportSettings::default() };
    job(ExportKind::Film, part.clone()).write(&folder.join("%02d.png"), &JobContext::of_waiting()).unwrap();
    let mut names: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["01.png", "02.png"]);
    // Each shows the pose at its moment: that of picture 2 is another than that of picture 1.
    let read = |name: &str| image::open(folder.join(name)).unwrap().into_rgba8();
    assert_ne!(read("01.png"), read("02.png"));
    let alone = ExportSettings { frames: Some([2, 2]), ..part };
    job(ExportKind::Film, alone).write(&folder.join("b%d.png"), &JobContext::of_waiting()).unwrap();
    assert_eq!(read("b2.png"), read("02.png"));
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_film_has_the_pictures_that_the_command_line_would_draw() {
    let reel = |settings: ExportSettings| job(ExportKind::Film, settings).reel();
    let usual = ExportSettings { fps: 10.0, degrees: -90.0, length_secs: 2.0, ..ExportSettings::default() };
    let part = reel(ExportSettings { frames: Some([3, 7]), turns: true, ..usual.clone() });
    assert_eq!(part, Reel { first: 3, count: 5, fps: 10.0, plays: true, turn: Some(-90.0) });
    assert!(reel(usual.clone()).plays && reel(usual.clone()).first == 0 && reel(usual.clone()).turn.is_none());
    let turn = reel(ExportSettings { plays: false, turns: true, frames: Some([3, 7]), ..usual });
    assert_eq!(turn, Reel { first: 0, count: 20, fps: 10.0, plays: false, turn: Some(-90.0) });
}

#[test]
fn names_say_what_can_be_exported() {
    let fits = |kind, name: &str| check(kind, Path::new(name), &ExportSettings::default());
    assert!(fits(ExportKind::Picture, "a.PNG").is_ok() && fits(ExportKind::Mesh, "a.obj").is_ok());
    assert!(fits(ExportKind::Film, "a.webp").is_ok() && fits(ExportKind::Film, "f/%03d.png").is_ok());
    assert!(fits(ExportKind::Picture, "a.jpg").unwrap_err().contains(".png"));
    assert!(fits(ExportKind::Film, "a.png").unwrap_err().starts_with("Films are written as .gif"));
    assert!(fits(ExportKind::Mesh, "a").unwrap_err().contains(".stl"));
}

#[test]
fn a_film_shows_each_moment_of_its_clip_for_as_long_as_its_rate_says() {
    if Gpu::headless(Backend::Auto).is_err() {
        return;
    }
    let folder = folder("moments");
    let settings = ExportSettings { size: [40, 60], fps: 5.0, frames: Some([2, 4]), ..ExportSettings::default() };
    let film = folder.join("a.gif");
    job(ExportKind::Film, settings.clone()).write(&film, &JobContext::of_waiting()).unwrap();
    let mut decoder = gif::DecodeOptions::new().read_info(fs::File::open(&film).unwrap()).unwrap();
    let mut delays = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        delays.push(frame.delay);
    }
    assert_eq!(delays, [20; 3], "hundredths of a second");
    // Picture 2 is what a picture shows of a model whose clip stands at 2 / 5 s, whatever the clip does in the window.
    job(ExportKind::Film, settings.clone()).write(&folder.join("%d.png"), &JobContext::of_waiting()).unwrap();
    let mut still = job(ExportKind::Picture, settings);
    still.session.apply(PlaybackCommand::SetPlaying(false));
    still.session.apply(PlaybackCommand::Seek(0.4));
    let first = image::open(folder.join("2.png")).unwrap().into_rgba8();
    assert!(first.into_raw() == still.picture().unwrap(), "another moment");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_film_turns_the_model_about_its_middle_and_shows_nothing_of_the_pointer() {
    let settings = ExportSettings { size: [200, 100], turns: true, transparent: true, ..ExportSettings::default() };
    let mut job = job(ExportKind::Film, settings);
    // A raised arm moves the middle away from the origin.
    job.session.apply(PlaybackCommand::Seek(1.0));
    job.session.apply(SelectionCommand::Hover(Some(crate::model::NodeId::from_index(3))));
    job.session.apply(ComparisonCommand::Set(true));
    job.session.apply(ComparisonCommand::SetLayout(ComparisonLayout::SideBySide));
    job.stand_still();
    assert!(job.session.view().hovered.is_none());
    assert_eq!(job.session.view().viewport.x, 0.5 * job.style().picture_size()[0] as f32, "each side has half of it");
    let (reel, pivot) = (job.reel(), job.pivot());
    assert!(pivot.with_y(0.0).length() > 0.01, "{pivot}");
    let target = Target::of(Path::new("a.gif")).unwrap();
    let [start, quarter] = [0, reel.count / 4].map(|picture| job.film_frame(&target, &reel, picture, pivot));
    let seen = |frame: &Frame, at: Vec3| frame.camera.world_from_view.inverse().transform_point3(at);
    let radians = reel.turned(reel.count / 4);
    for at in [Vec3::X, Vec3::Z, Vec3::new(0.2, 0.7, -0.4)] {
        let turned = pivot + glam::Quat::from_rotation_y(radians) * at;
        let (film, expected) = (seen(&quarter, pivot + at), seen(&start, turned));
        assert!((film - expected).length() < 1e-4, "{at} is at {film}, not {expected}");
    }
    let compared = quarter.compared.as_ref().unwrap();
    assert_eq!(compared.frame.camera.world_from_view, quarter.camera.world_from_view);
    // Pixels of a GIF are transparent or not, which a soft shadow is neither of.
    let shadow = |target: &str| {
        let target = Target::of(Path::new(target)).unwrap();
        job.film_frame(&target, &reel, 0, pivot).display.grid.map(|grid| grid.shadow != glam::Vec4::ZERO)
    };
    assert_eq!([shadow("a.gif"), shadow("a.webp")], [Some(false), Some(true)]);
}

#[test]
fn words_are_in_a_picture_only_where_they_are_wanted_and_there_are_some() {
    let style = |legend, page| {
        let job = job(ExportKind::Picture, ExportSettings { legend, page, ..ExportSettings::default() });
        (job.style().legend, job.style().page)
    };
    // The weights are shown, and no page.
    assert_eq!([style(true, true), style(false, false)], [(true, false), (false, false)]);
    let mut example = job(ExportKind::Picture, ExportSettings { page: true, ..ExportSettings::default() });
    let start = Source::Example(Start::of(crate::examples::example("twist-bar").unwrap()));
    example.session.open(start.load(&Options::default(), &Progress::silent()).unwrap());
    assert!(example.style().page);
    example.settings.page = false;
    assert!(!example.style().page);
    let mut plain = job(ExportKind::Picture, ExportSettings { legend: true, ..ExportSettings::default() });
    plain.session.apply(ViewCommand::ToggleOverlay("weights"));
    assert!(!plain.style().legend);
    let mut light = job(ExportKind::Picture, ExportSettings::default());
    let shown = |job: &ExportJob| job.frame(0.0, Vec3::ZERO, true).display.background;
    assert_eq!(shown(&light), SceneColors::LIGHT.background);
    light.light = false;
    assert_eq!(shown(&light), SceneColors::DARK.background);
}

#[test]
fn a_film_that_is_hardly_meant_is_refused_before_anything_is_drawn() {
    let context = JobContext::of_waiting();
    context.cancel_flag().store(true, Ordering::Relaxed);
    let settings = ExportSettings { frames: Some([0, 30_000]), ..ExportSettings::default() };
    let ended = job(ExportKind::Film, settings).write(Path::new("never.webp"), &context);
    assert!(matches!(&ended, Err(ExportFailure::Failed(why)) if why.contains("30001 pictures")), "{ended:?}");
}
