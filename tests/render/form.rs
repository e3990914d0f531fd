//! Measures in pictures of real models and of the built-in character whether the form of a body is visible under the
//! colours of an overlay.

use std::sync::Arc;

use glam::Vec4;
use skinscope::frame::{Background, Frame, SceneColors};
use skinscope::import::{Options, Progress};
use skinscope::model::{Material, Model};
use skinscope::render::{Picture, render_image};
use skinscope::session::{CameraCommand, Document, PlaybackCommand, Session, Source};

use crate::scenes::overlay;
use crate::{Stage, common, on_shared_stage, stages};

/// Pixels each way.
pub const SIDE: u32 = 320;
/// Two models of the corpus: one skinned mesh with a texture, and many parts in plain colours.
pub const TWO: [&str; 2] = ["CesiumMan.glb", "RobotExpressive.glb"];
/// Models of the corpus, those of [`TWO`] among them.
pub const ALL: [&str; 8] = [
    "CesiumMan.glb",
    "Fox.glb",
    "RiggedFigure.glb",
    "RobotExpressive.glb",
    "KayKit_Knight.glb",
    "WebXR_hand.glb",
    "Tube8Influences.glb",
    "RiggedSimple_draco.glb",
];

/// The built-in character, and these models where the corpus is there: paused within their first clip, all in view.
pub fn sessions(models: &[&'static str]) -> Vec<(&'static str, Session)> {
    let mut sources = vec![("built-in", Source::BuiltIn)];
    if !models.is_empty()
        && let Some(corpus) = common::corpus()
    {
        sources.extend(models.iter().map(|name| (*name, Source::File(corpus.join("models").join(name)))));
    }
    let open = |(name, source): (&'static str, Source)| {
        let mut session = Session::default();
        session.open(source.load(&Options::default(), &Progress::silent()).unwrap());
        stand(&mut session);
        (name, session)
    };
    sources.into_iter().map(open).collect()
}

/// Pauses a model that was just opened within its first clip, all in view.
fn stand(session: &mut Session) {
    session.apply(PlaybackCommand::Seek(0.4));
    session.apply(PlaybackCommand::SetPlaying(false));
    session.update_pose();
    session.apply(CameraCommand::SetViewport(glam::Vec2::splat(SIDE as f32)));
    session.apply(CameraCommand::FrameAll);
}

/// The surface alone, before nothing.
pub fn frame_of(session: &Session) -> Frame {
    let mut frame = Frame::default();
    session.build_frame(&mut frame, &SceneColors::DARK);
    frame.display.background = Background::Transparent;
    frame.display.grid = None;
    frame.bones.clear();
    frame
}

pub fn draw(stage: &Stage, frame: &Frame) -> Picture {
    render_image(&stage.gpu, &mut stage.renderer.borrow_mut(), frame, [SIDE; 2]).unwrap()
}

/// Linear, of an sRGB byte.
pub fn linear(c: u8) -> f64 {
    let c = f64::from(c) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

/// CIE L*a*b* of an sRGB pixel (D65, as in IEC 61966-2-1 and CIE 15).
fn lab([r, g, b, _]: [u8; 4]) -> [f64; 3] {
    let [r, g, b] = [r, g, b].map(linear);
    let x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505;
    let y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    let z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089;
    let [x, y, z] = [x, y, z].map(|t: f64| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// What is wholly covered.
fn body(picture: &Picture) -> impl Iterator<Item = [u8; 4]> {
    picture.rgba.as_chunks::<4>().0.iter().copied().filter(|p| p[3] == 255)
}

fn deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

/// The same with one plain grey material, as a file has it that says `baseColorFactor: [0.5, 0.5, 0.5, 1]`.
fn in_grey(session: &Session) -> Session {
    let mut parts = (***session.model().unwrap()).clone();
    let grey = Material { base_color: Vec4::new(0.5, 0.5, 0.5, 1.0), metallic: 0.0, ..Material::default() };
    parts.materials.fill(grey);
    for primitive in parts.meshes.iter_mut().flat_map(|m| &mut m.primitives) {
        primitive.colors.clear();
    }
    let mut out = session.clone();
    out.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
    stand(&mut out);
    out
}

fn compare_with_grey(stage: &Stage, all: &[(&'static str, Session)]) {
    for (name, session) in all {
        let mut frame = frame_of(session);
        frame.display.overlay = overlay("weights");
        // Nothing is selected: the weight is zero all over.
        frame.display.selected = None;
        let zero: Vec<[f64; 3]> = body(&draw(stage, &frame)).map(lab).collect();
        let shaded: Vec<f64> = body(&draw(stage, &frame_of(&in_grey(session)))).map(|p| lab(p)[0]).collect();
        let lightness: Vec<f64> = zero.iter().map(|p| p[0]).collect();
        let ratio = deviation(&lightness) / deviation(&shaded);
        let chroma = zero.iter().map(|[_, a, b]| a.hypot(*b)).fold(0.0, f64::max);
        println!("{:?} {name}: {ratio:.2} of the deviation in grey, chroma {chroma:.0}", stage.gpu.info.backend);
        assert!(zero.len() > 1000 && chroma < 40.0, "{name}: chroma {chroma}");
        assert!(ratio >= 2.0 / 3.0, "{name}: {ratio} of the deviation of lightness in grey");
    }
}

#[test]
fn where_the_weight_is_zero_the_form_shows_as_in_grey() {
    on_shared_stage(|stage| compare_with_grey(stage, &sessions(&TWO)));
}

#[test]
#[ignore = "full: opens and draws nine models, on both backends"]
fn where_the_weight_is_zero_the_form_of_every_model_shows_as_in_grey_on_both_backends() {
    let all = sessions(&ALL);
    stages().for_each(|stage| compare_with_grey(&stage, &all));
}

fn compare_with_background(stage: &Stage, all: &[(&'static str, Session)]) {
    // That of `render`.
    let behind = lab([0x2a, 0x2e, 0x37, 255])[0];
    for (name, session) in all {
        let mut frame = frame_of(session);
        frame.display.overlay = overlay("dominant");
        let picture = draw(stage, &frame);
        let (dark, all) = body(&picture).fold((0, 0), |(dark, all), p| (dark + u32::from(lab(p)[0] < behind), all + 1));
        let share = f64::from(dark) / f64::from(all);
        println!("{:?} {name}: {:.1} % darker", stage.gpu.info.backend, 100.0 * share);
        assert!(share <= 0.15, "{name}: {:.1} % of the body are darker than the background", 100.0 * share);
    }
}

#[test]
fn dominant_joints_are_no_darker_than_what_lies_behind() {
    on_shared_stage(|stage| compare_with_background(stage, &sessions(&TWO)));
}

#[test]
#[ignore = "full: opens and draws nine models, on both backends"]
fn dominant_joints_of_every_model_are_no_darker_than_what_lies_behind_on_both_backends() {
    let all = sessions(&ALL);
    stages().for_each(|stage| compare_with_background(&stage, &all));
}
