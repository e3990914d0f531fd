//! Tests of the environment: which file it is of, how it is turned, and what becomes of it in session files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use skinscope_base::parallel::JobContext;
use skinscope_frame::Frame;

use crate::tests::sessions::tube_session;
use crate::*;

/// A folder with the picture `sky.hdr`, whose texels all have this radiance.
fn folder(name: &str, radiance: u8) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("skinscope-sky-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let folder = folder.canonicalize().unwrap();
    write(&folder.join("sky.hdr"), radiance);
    folder
}

fn write(path: &Path, radiance: u8) {
    let mut bytes = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 4\n".to_vec();
    // Shared exponent 128: the numbers are 256ths.
    bytes.extend([radiance, radiance, radiance, 128].repeat(8));
    std::fs::write(path, bytes).unwrap();
}

fn shown(session: &mut Session) -> Frame {
    let mut frame = Frame::default();
    session.update_pose();
    session.build_frame(&mut frame, &frame::SceneColors::DARK);
    frame
}

/// The radiance of the file that lights the picture; `None`: the program's own room does.
fn light(session: &mut Session) -> Option<f32> {
    Some((shown(session).environment?.at(0, 0).x * 256.0).round())
}

fn show(path: &Path) -> ViewCommand {
    ViewCommand::Environment(EnvironmentCommand::Show(Some(path.to_owned())))
}

#[test]
fn a_file_lights_the_model_in_its_look_and_is_undone_in_one_step() {
    let folder = folder("undo", 64);
    let mut session = tube_session();
    session.apply(ViewCommand::SetOverlay(Some("influences")));
    session.apply(show(&folder.join("sky.hdr")));
    assert!(session.view().look.is_environment() && session.view().overlay.is_none());
    assert_eq!(light(&mut session), Some(64.0));
    for degrees in [10.0, 100.0, 200.0] {
        session.apply(ViewCommand::Environment(EnvironmentCommand::Turn(degrees)));
    }
    session.apply(ViewCommand::Environment(EnvironmentCommand::Expose(99.0)));
    session.apply(ViewCommand::Environment(EnvironmentCommand::Expose(f32::NAN)));
    let settings = shown(&mut session).display.environment;
    assert!((settings.rotation + 160.0_f32.to_radians()).abs() < 1e-6 && settings.exposure == 8.0);
    assert!(settings.is_background);
    // A drag is one step.
    session.apply(ViewCommand::Undo);
    session.apply(ViewCommand::Undo);
    assert_eq!((session.view().environment.rotation, session.view().environment.exposure), (0.0, 0.0));
    // A file that changed meanwhile is not read again by undoing.
    write(&folder.join("sky.hdr"), 200);
    session.apply(ViewCommand::Undo);
    assert!(session.view().environment.file.is_none() && session.view().overlay.is_some());
    session.apply(ViewCommand::Redo);
    assert_eq!(light(&mut session), Some(64.0));
    session.apply(show(&folder.join("sky.hdr")));
    assert_eq!(light(&mut session), Some(200.0), "opened again");
    session.apply(ViewCommand::SetLook("clay"));
    assert_eq!(light(&mut session), None, "another look reads nothing");
    session.apply(ViewCommand::Environment(EnvironmentCommand::Show(None)));
    assert!(light(&mut session).is_none() && session.view().look.is_environment());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_session_file_finds_its_environment_beside_it() {
    let here = folder("kept", 32);
    let there = folder("moved", 96);
    let mut session = tube_session();
    session.apply(show(&here.join("sky.hdr")));
    session.apply(ViewCommand::Environment(EnvironmentCommand::Turn(-75.5)));
    session.apply(ViewCommand::Environment(EnvironmentCommand::Expose(1.25)));
    let mut file = session.unsaved().snapshot().unwrap().file();
    file.set_model(&here.join("work.skinscope.json"), [], |_| true).unwrap();
    let text = file.text().unwrap();
    assert!(text.contains("\"file\": \"sky.hdr\""), "{text}");
    // Files that are moved together still belong together.
    for (at, radiance) in [(&here, 32.0), (&there, 96.0)] {
        let mut read = SessionFile::parse(text.as_bytes()).unwrap();
        read.find_model(&at.join("work.skinscope.json")).unwrap();
        let mut session = tube_session();
        session.apply(ViewCommand::Environment(EnvironmentCommand::Expose(-3.0)));
        let document = session.document().unwrap().clone();
        assert_eq!(session.open_with_session(document, &read), [""; 0]);
        assert_eq!(light(&mut session), Some(radiance));
        let EnvironmentView { file, rotation, exposure } = &session.view().environment;
        assert_eq!((file.as_deref(), *rotation, *exposure), (Some(&*at.join("sky.hdr")), -75.5, 1.25));
        assert_eq!(session.take_environment_error(), None);
    }
    [here, there].iter().for_each(|folder| std::fs::remove_dir_all(folder).unwrap());
}

#[test]
fn a_file_that_is_missing_is_said_and_the_view_goes_on_to_name_it() {
    let folder = folder("missing", 32);
    let path = folder.join("none.hdr");
    let mut session = tube_session();
    session.apply(show(&path));
    assert_eq!(light(&mut session), None, "the program's own room");
    let error = session.take_environment_error().unwrap();
    assert!(error.contains("none.hdr") && error.contains("cannot be read"), "{error}");
    assert_eq!(session.take_environment_error(), None);
    assert_eq!(session.view().environment.file, Some(path.clone()));
    write(&path, 48);
    session.apply(show(&path));
    assert_eq!((light(&mut session), session.take_environment_error()), (Some(48.0), None));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_window_reads_it_in_the_background_and_can_give_up() {
    let folder = folder("beside", 32);
    let path = folder.join("sky.hdr");
    let mut session = tube_session();
    session.defer_work();
    session.do_wanted();
    session.apply(show(&path));
    assert_eq!(light(&mut session), None);
    let work = Work::ReadEnvironment(path.clone());
    assert!(session.wanted().contains(&work));
    let (_, cancel) = work.notice().unwrap();
    let run = session.begin(&work).unwrap();
    let done = run(&JobContext::of_waiting()).unwrap();
    session.done(done);
    assert!(!session.wanted().contains(&work));
    assert_eq!(light(&mut session), Some(32.0));
    let before = shown(&mut session).environment.unwrap();
    assert!(Arc::ptr_eq(&before, &shown(&mut session).environment.unwrap()), "the device keeps what it has");
    session.apply(show(&path));
    assert!(session.wanted().contains(&work), "asked for again");
    session.apply(cancel);
    assert!(!session.wanted().contains(&work) && session.view().environment.file.is_none());
    std::fs::remove_dir_all(folder).unwrap();
}
