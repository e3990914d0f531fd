//! Checks what must hold for every file, however broken: import ends with an error of one line, or with a model that
//! can be posed, drawn and saved.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use skinscope::anim::{self, SampleScratch};
use skinscope::deform::METHODS;
use skinscope::export;
use skinscope::frame::{Frame, SceneColors};
use skinscope::import::{ImportError, Options, Progress, import_bytes};
use skinscope::inspect::{WeightStats, check};
use skinscope::model::{LocalPose, Model};
use skinscope::session::{Document, PlaybackCommand, PoseSource, Session};

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Opened,
    Refused,
}

/// Opens `bytes` and does with them what the program does. Panics where a rule is broken.
pub fn survive(bytes: &[u8]) -> Outcome {
    let import = match import_bytes(bytes, "mutant", &Options::default(), &Progress::silent()) {
        Ok(import) => import,
        Err(error) => {
            assert!(!matches!(error, ImportError::Internal), "a panic inside the importer");
            readable(&error.to_string());
            return Outcome::Refused;
        }
    };
    let warnings: Vec<String> = import.warnings.iter().map(ToString::to_string).collect();
    warnings.iter().for_each(|line| readable(line));
    let model = Arc::new(import.model);
    clips(&model);
    session(Document::new(Arc::clone(&model), warnings, None));
    count(&model);
    check(&model);
    Outcome::Opened
}

/// One line that says something, without what could confuse a terminal, and no longer than a reader bears.
pub fn readable(line: &str) {
    assert!(!line.trim().is_empty(), "an empty message");
    assert!(!line.chars().any(char::is_control), "control characters in: {line:?}");
    assert!(
        !line.contains(['\u{202e}', '\u{2028}', '\u{2029}']),
        "characters that reorder or break lines in: {line:?}"
    );
    assert!(line.chars().count() < 1000, "{} characters: {line}", line.chars().count());
}

/// Odd times of every clip, and times that no clip has.
fn clips(model: &Model) {
    let (mut scratch, mut pose, mut matrices) = (SampleScratch::default(), LocalPose::default(), Vec::new());
    for clip in model.clips.iter().take(4) {
        let (start, end) = (clip.start_secs, clip.end_secs);
        for time in [start, end, 0.5 * (start + end), -1.0, 0.0, end.next_up(), 1e-40, f32::MAX, f32::MIN] {
            anim::reset_to_rest(&model.skeleton, &mut pose);
            anim::sample(model, clip, time, &mut scratch, &mut pose);
            anim::local_to_model(&model.skeleton, &pose, &mut matrices);
        }
    }
}

/// The window's way and that of `render` and `bake`: bind pose, rest, clip, palettes, deformation, bounds, pictures, files.
fn session(document: Document) {
    let model = Arc::clone(&document.model);
    let mut session = Session::default();
    session.open(document);
    looks(&session);
    for source in [PoseSource::Bind, PoseSource::Rest] {
        session.apply(PlaybackCommand::SetPose(source));
        session.update_pose();
        looks(&session);
    }
    session.apply(PlaybackCommand::Seek(0.3));
    session.update_pose();
    let drawn: usize = model.instances.iter().map(|i| vertices(&model, i.mesh.index()) * i.copy_count()).sum();
    // A mesh may be shown thousands of times; what is done for each is seen in a few.
    if drawn > 200_000 {
        return;
    }
    for method in METHODS {
        let surface = export::baked_surface(&model, &session.pose().draws, &session.pose().local, method);
        if method.id == METHODS[0].id {
            let mut sink = std::io::sink();
            // A format may refuse (a GLB holds 4 GiB); what counts is that it ends.
            let _refused = export::write_ply(&surface, &mut sink).is_err();
            let _refused = export::write_obj(&model, &surface, &mut sink).is_err();
            let _refused = export::write_glb(&model, &surface, &mut sink).is_err();
        }
    }
}

fn vertices(model: &Model, mesh: usize) -> usize {
    model.meshes[mesh].primitives.iter().map(|p| p.positions.len()).sum()
}

/// The camera stays one that can look, whatever the model.
fn looks(session: &Session) {
    let bounds = session.extents().bounds();
    assert!(!bounds.min.is_nan() && !bounds.max.is_nan(), "a box without bounds: {bounds:?}");
    let mut frame = Frame::default();
    session.build_frame(&mut frame, &SceneColors::DARK);
    let camera = frame.camera;
    assert!(camera.world_from_view.is_finite() && camera.near.is_finite() && camera.far.is_finite(), "{camera:?}");
    assert!(camera.near < camera.far, "{camera:?}");
}

/// Every rule ends, and what it finds is there and can be read.
fn check(model: &Model) {
    let report = check::check(model, &check::CheckOptions::default(), &AtomicBool::new(false)).unwrap();
    for finding in &report.findings {
        readable(&finding.message);
        readable(&finding.fix);
        let of = finding.mesh.zip(finding.primitive);
        let stored = of.map_or(0, |(mesh, primitive)| model.meshes[mesh.index()].primitives[primitive].stored_vertices);
        let inside = finding.vertices.last().is_none_or(|v| (*v as usize) < stored);
        assert!(
            inside && finding.vertices.is_sorted_by(|a, b| a < b),
            "{} tells vertices that are not there",
            finding.rule
        );
        assert!(
            finding.joints.iter().all(|n| n.index() < model.skeleton.len()),
            "{}: a joint is not there",
            finding.rule
        );
        assert!(finding.measure.is_none_or(|m| m.value.is_finite()), "{} measures what is no number", finding.rule);
        let turned = matches!(finding.pose, check::FindingPose::Turned { axis, .. } if !axis.is_normalized());
        assert!(!turned, "{}: an axis of no length", finding.rule);
    }
}

fn count(model: &Model) {
    let stats = WeightStats::of(model);
    assert_eq!(stats.nodes.len(), model.skeleton.len());
    assert!(stats.nodes.iter().all(|n| !n.sum.is_nan() && n.largest.is_finite()), "weights that are no numbers");
}
