//! How light changes materials: how far a picture is from the base colours of its model, compared with what three.js
//! shows of the same model from the same place, and what metals have to reflect.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{Affine3A, Mat3, Vec3};
use serde_json::Value;
use skinscope::deform::METHODS;
use skinscope::frame::{Background, Camera, Display, Frame, SceneColors};
use skinscope::import::{Options, Progress, import_file};
use skinscope::math::Projection;
use skinscope::model::{Filter, Material, Model, ModelParts, TextureSampler};
use skinscope::render::{Picture, render_image};
use skinscope::session::{CameraCommand, Document, PlaybackCommand, Session, Toggle, ViewCommand, ViewFrom};

use crate::materials::{image, slot};
use crate::scenes::{self, Plate};
use crate::{Stage, common, on_shared_stage};

on_stages! {
    a_coloured_ball_keeps_its_colour_up_to_its_edge,
    metals_reflect_light_and_dark_with_soft_edges,
    the_floor_carries_the_contact_shadow_in_both_themes,
    a_transparent_picture_has_no_floor_and_lines_only_with_the_grid,
    every_filter_of_a_file_reads_as_it_says,
}

/// Figures that `benches/picture/compare.sh` measured of three.js, with the cameras.
const THREE: &str = include_str!("../fixtures/picture/three.json");
/// Pixels each way.
const SIDE: u32 = 256;

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Where a model of the comparison is, if it is one of the repository.
fn own(file: &str) -> Option<PathBuf> {
    [here("tests/fixtures/picture").join(file), here("assets").join(file)].into_iter().find(|p| p.is_file())
}

/// A model of the comparison; `None` where it is one of the corpus, which is not there.
fn open(file: &str) -> Option<Arc<Model>> {
    let path = own(file).or_else(|| Some(common::corpus()?.join("models").join(file)))?;
    Some(import_file(&path, &Options::default(), &Progress::silent()).unwrap().model)
}

/// The same model without light.
fn unlit(model: &Arc<Model>) -> Arc<Model> {
    let mut parts: ModelParts = (***model).clone();
    parts.materials.iter_mut().for_each(|m| m.unlit = true);
    Arc::new(Model::build(parts).unwrap())
}

fn point(row: &Value, key: &str) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|i| row[key][i].as_f64().unwrap() as f32))
}

/// The model at rest, with nothing behind it, from where three.js saw it.
fn seen(model: &Arc<Model>, row: &Value) -> Frame {
    let (eye, target) = (point(row, "eye"), point(row, "target"));
    let back = (eye - target).normalize();
    let right = Vec3::Y.cross(back).normalize();
    let axes = Mat3::from_cols(right, back.cross(right), back);
    let away = eye.distance(target);
    let camera = Camera {
        world_from_view: Affine3A::from_mat3_translation(axes, eye),
        projection: Projection::Perspective { fov_y: (row["fov"].as_f64().unwrap() as f32).to_radians() },
        near: 0.05 * away,
        far: 5.0 * away,
    };
    let display = Display { background: Background::Transparent, ..Display::default() };
    let pose = scenes::pose(model, None, 0.0);
    Frame { camera, display, ..scenes::frame(model, &pose, METHODS[0]) }
}

fn draw(stage: &Stage, frame: &Frame, side: u32) -> Picture {
    render_image(&stage.gpu, &mut stage.renderer.borrow_mut(), frame, [side, side]).unwrap()
}

/// The saturation of HSV.
fn saturation([r, g, b, _]: [u8; 4]) -> f32 {
    let most = r.max(g).max(b);
    if most == 0 { 0.0 } else { f32::from(most - r.min(g).min(b)) / f32::from(most) }
}

fn linear(stored: u8) -> f32 {
    let c = f32::from(stored) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

/// Relative luminance of sRGB.
fn luminance([r, g, b, _]: [u8; 4]) -> f32 {
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

/// CIE L*.
fn lightness(rgba: [u8; 4]) -> f32 {
    let y = luminance(rgba);
    if y > 216.0 / 24389.0 { 116.0 * y.cbrt() - 16.0 } else { y * 24389.0 / 27.0 }
}

/// What is wholly covered in both pictures: base colour, then what is shown.
fn pairs(base: &Picture, lit: &Picture) -> Vec<([u8; 4], [u8; 4])> {
    let pairs = base.rgba.as_chunks().0.iter().copied().zip(lit.rgba.as_chunks().0.iter().copied());
    pairs.filter(|(b, l): &([u8; 4], [u8; 4])| b[3] == 255 && l[3] == 255).collect()
}

/// Of the pixels whose base colour is saturated, how many show less than 60 % of it. Per cent; none where no base colour is.
fn washed(pairs: &[([u8; 4], [u8; 4])]) -> Option<f32> {
    let strong: Vec<_> = pairs.iter().filter(|(base, _)| saturation(*base) >= 0.3).collect();
    let lost = strong.iter().filter(|(base, lit)| saturation(*lit) < 0.6 * saturation(*base)).count();
    (!strong.is_empty()).then(|| 100.0 * lost as f32 / strong.len() as f32)
}

/// The median change of lightness where the base colour is neither dark nor light.
fn midtones(pairs: &[([u8; 4], [u8; 4])]) -> Option<f32> {
    let middle = pairs.iter().filter(|(base, _)| (25.0..=80.0).contains(&lightness(*base)));
    let mut all: Vec<f32> = middle.map(|(base, lit)| lightness(*lit) - lightness(*base)).collect();
    all.sort_by(f32::total_cmp);
    all.get(all.len() / 2).copied()
}

/// Compares those models of which `takes` approves.
fn compare_with_three(stage: &Stage, takes: impl Fn(&str) -> bool) {
    let figures: Value = serde_json::from_str(THREE).unwrap();
    let mut off = Vec::new();
    for row in figures["rows"].as_array().unwrap() {
        let file = row["file"].as_str().unwrap();
        if !takes(file) {
            continue;
        }
        let Some(model) = open(file) else { continue };
        let base = draw(stage, &seen(&unlit(&model), row), SIDE);
        let lit = draw(stage, &seen(&model, row), SIDE);
        let pairs = pairs(&base, &lit);
        assert!(pairs.len() > 1000, "{file}: only {} pixels", pairs.len());
        if let (Some(washed), Some(three)) = (washed(&pairs), row["washed"].as_f64()) {
            eprintln!("{file}: {washed:.1} % have lost their colour, {three:.1} in three.js");
            assert!(washed <= three as f32 + 3.0, "{file}: {washed} % have lost their colour, {three} in three.js");
        }
        // Metals have no colour but what they reflect.
        if let Some(middle) = midtones(&pairs).filter(|_| file != "metals.glb") {
            eprintln!("{file}: midtones are {middle:+.1} L* off");
            assert!(middle.abs() < 11.0, "{file}: midtones are {middle} off");
            off.push(middle.abs());
        }
    }
    let mean = off.iter().sum::<f32>() / off.len() as f32;
    assert!(mean < 4.5, "midtones are {mean} L* off on average: {off:?}");
}

#[test]
fn colours_stay_as_saturated_as_in_three_js_and_midtones_nearer_to_the_base_colour() {
    on_shared_stage(|stage| compare_with_three(stage, |file| own(file).is_some()));
}

#[test]
#[ignore = "full: opens large models of the corpus too"]
fn colours_of_every_model_stay_as_saturated_as_in_three_js_and_midtones_nearer_to_the_base_colour() {
    on_shared_stage(|stage| compare_with_three(stage, |_| true));
}

/// A ball seen from straight ahead.
fn ball(change: impl Fn(&mut Material)) -> Frame {
    let mut parts: ModelParts = (**open("leather.glb").unwrap()).clone();
    parts.materials.iter_mut().for_each(change);
    let model = Arc::new(Model::build(parts).unwrap());
    let row = serde_json::json!({ "eye": [0.0, 0.9, 8.0], "target": [0.0, 0.9, 0.0], "fov": 16.0 });
    let mut frame = seen(&model, &row);
    // The first alone.
    frame.draws.truncate(1);
    frame
}

fn a_coloured_ball_keeps_its_colour_up_to_its_edge(stage: &Stage) {
    let red = |roughness: f32| {
        move |m: &mut Material| {
            m.base_color = glam::Vec4::new(0.35, 0.02, 0.02, 1.0);
            (m.roughness, m.metallic) = (roughness, 0.0);
        }
    };
    for roughness in [0.5, 0.75, 1.0] {
        let picture = draw(stage, &ball(red(roughness)), 128);
        // The outermost pixels of each row that are wholly covered.
        for y in (20..108).step_by(4) {
            let covered: Vec<u32> = (0..128).filter(|x| picture.at(*x, y)[3] == 255).collect();
            for x in [covered[0], covered[covered.len() - 1]] {
                let edge = saturation(picture.at(x, y));
                assert!(edge > 0.45, "roughness {roughness}: {edge} at {x}, {y}: {:?}", picture.at(x, y));
            }
        }
    }
}

fn metals_reflect_light_and_dark_with_soft_edges(stage: &Stage) {
    let steel = |m: &mut Material| {
        m.base_color = glam::Vec4::new(0.6, 0.6, 0.6, 1.0);
        (m.roughness, m.metallic) = (0.05, 1.0);
    };
    let picture = draw(stage, &ball(steel), 256);
    let at = |x: u32, y: u32| (picture.at(x, y)[3] == 255).then(|| lightness(picture.at(x, y)));
    let mut all: Vec<f32> = (0..256).flat_map(|y| (0..256).filter_map(move |x| at(x, y))).collect();
    all.sort_by(f32::total_cmp);
    let (dark, light) = (all[all.len() / 10], all[all.len() * 97 / 100]);
    assert!(light - dark > 30.0, "a tenth is darker than {dark}, and three hundredths lighter than {light}");
    // Not at the silhouette, where everything crowds: in the middle of the ball.
    let steps = (60..196).flat_map(|y| (60..196).filter_map(move |x| Some((at(x + 1, y)? - at(x, y)?).abs())));
    let steepest = steps.fold(0.0_f32, f32::max);
    assert!(steepest < 8.0, "an edge of {steepest} L* from one pixel to the next");
}

fn the_floor_carries_the_contact_shadow_in_both_themes(stage: &Stage) {
    let model = open("character.glb").unwrap();
    // At least so much lighter (L*) than in the shadow is the floor beside it; the light theme's was so before.
    // And so light is the floor at least: on a darker one the shadow is next to black.
    for (name, palette, least, floor) in
        [("dark", SceneColors::DARK, 14.0, 40.0), ("light", SceneColors::LIGHT, 14.0, 85.0)]
    {
        let mut session = Session::default();
        session.open(Document::new(Arc::clone(&model), Vec::new(), None));
        session.apply(PlaybackCommand::SetPlaying(false));
        session.update_pose();
        let mut frame = Frame::default();
        session.build_frame(&mut frame, &palette);
        (frame.draws, frame.bones, frame.lines) = (Vec::new(), Vec::new(), Vec::new());
        let ground = frame.display.grid.as_mut().unwrap();
        let [x, z, wide, _] = ground.shadow.to_array();
        // No lines.
        ground.spacing = 1e3;
        let reach = 3.0 * wide;
        let from_above = Affine3A::from_rotation_x(-std::f32::consts::FRAC_PI_4);
        frame.camera = Camera {
            world_from_view: Affine3A::from_translation(Vec3::new(x + 0.02, ground.height, z + 0.02))
                * from_above
                * Affine3A::from_translation(Vec3::Z * 10.0),
            projection: Projection::Orthographic { height: 2.0 * reach },
            near: 0.1,
            far: 40.0,
        };
        let picture = draw(stage, &frame, 128);
        let middle = (44..84).flat_map(|y| (44..84).map(move |x| (x, y)));
        let under = middle.map(|(x, y)| lightness(picture.at(x, y))).fold(100.0, f32::min);
        // As far beside the model as it is wide.
        let beside = lightness(picture.at(60 + 64 * 2 / 3, 60));
        eprintln!("{name}: L* {under:.1} in the shadow, {beside:.1} beside it");
        assert!(beside - under > least, "{name}: L* {under} in the shadow, {beside} beside it");
        assert!(beside > floor, "{name}: L* {beside} beside the shadow");
    }
}

/// The alphas of a picture of the ground from above, without a model.
fn alphas_of_ground(stage: &Stage, grid: Toggle, has_partial_alpha: Option<bool>) -> Vec<u8> {
    let mut session = Session::default();
    session.open(Document::new(open("character.glb").unwrap(), Vec::new(), None));
    session.apply(PlaybackCommand::SetPlaying(false));
    for toggle in [Toggle::Grid, Toggle::Ground] {
        session.apply(ViewCommand::Set(toggle, toggle == grid));
    }
    session.apply(CameraCommand::LookFrom(ViewFrom::Top));
    session.update_pose();
    let mut frame = Frame::default();
    session.build_frame(&mut frame, &SceneColors::DARK);
    (frame.draws, frame.bones, frame.lines) = (Vec::new(), Vec::new(), Vec::new());
    match has_partial_alpha {
        Some(partial) => frame.make_transparent(partial),
        None => frame.display.background = Background::Solid([1.0; 3]),
    }
    draw(stage, &frame, 96)
        .rgba
        .as_chunks::<4>()
        .0
        .iter()
        .map(|[r, _, _, a]| if has_partial_alpha.is_some() { *a } else { *r })
        .collect()
}

fn a_transparent_picture_has_no_floor_and_lines_only_with_the_grid(stage: &Stage) {
    let beside = |alphas: &[u8]| alphas[8 * 96 + 48];
    let most = |alphas: &[u8]| alphas.iter().copied().max().unwrap();
    let least = |alphas: &[u8]| alphas.iter().copied().min().unwrap();
    // On white, the floor darkens what lies beside the shadow.
    let opaque = alphas_of_ground(stage, Toggle::Ground, None);
    assert!(beside(&opaque) < 245 && least(&opaque) < 120, "{} {}", beside(&opaque), least(&opaque));
    let partial = alphas_of_ground(stage, Toggle::Ground, Some(true));
    assert!(beside(&partial) < 30 && most(&partial) > 128, "the shadow stays: {} {}", beside(&partial), most(&partial));
    let hard = alphas_of_ground(stage, Toggle::Ground, Some(false));
    assert_eq!(most(&hard), 0, "neither floor nor shadow nor lines");
    let lines = alphas_of_ground(stage, Toggle::Grid, Some(false));
    assert!(most(&lines) > 20, "lines are drawn with the grid: {}", most(&lines));
}

/// Filters without smaller levels read the largest alone: the one for what is smaller where it is smaller.
fn every_filter_of_a_file_reads_as_it_says(stage: &Stage) {
    let black_and_white = |x: u32, y: u32| if (x + y).is_multiple_of(2) { [255; 4] } else { [0, 0, 0, 255] };
    for (mag, min, mip) in [Filter::Nearest, Filter::Linear].into_iter().flat_map(|mag| {
        [Filter::Nearest, Filter::Linear]
            .into_iter()
            .flat_map(move |min| [None, Some(Filter::Nearest), Some(Filter::Linear)].map(move |mip| (mag, min, mip)))
    }) {
        // A plate of 1 m on half of the picture: texels that are larger than its pixels, and ones that are smaller.
        let shares = [4, 300].map(|texels| {
            let material = Material { unlit: true, base_color_texture: slot(0), ..Material::default() };
            let plate = Plate { material, images: vec![image(texels, black_and_white)], ..Plate::default() };
            let mut frame = plate.frame();
            let mut parts: ModelParts = (***frame.model.as_ref().unwrap()).clone();
            parts.textures[0].sampler = TextureSampler { mag, min, mip, ..TextureSampler::default() };
            frame.model = Some(Arc::new(Model::build(parts).unwrap()));
            let picture = draw(stage, &frame, 128);
            let inside = (40..88).flat_map(|y| (40..88).map(move |x| (x, y)));
            let all: Vec<u8> = inside.map(|(x, y)| picture.at(x, y)[0]).collect();
            all.iter().filter(|c| (1..255).contains(*c)).count() as f32 / all.len() as f32
        });
        let name = format!("{mag:?} {min:?} {mip:?}: {shares:?} of the pixels are neither black nor white");
        // Edges of texels fall between pixels, so that samples of one pixel may differ.
        assert!((shares[0] > 0.6) == (mag == Filter::Linear), "larger, {name}");
        let mixes = mip.is_some() || min == Filter::Linear;
        assert!((shares[1] > 0.6) == mixes, "smaller, {name}");
    }
}
