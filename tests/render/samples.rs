//! A picture of one sample per pixel is the same as one of four except for its edges, though it is drawn in other ways:
//! the background is copied, what lies behind glass is copied, and nothing is resolved.

use glam::{Quat, Vec3};
use skinscope::frame::{Background, Bone, Frame};
use skinscope::math::Transform;
use skinscope::model::{Material, Transmission};
use skinscope::render::{Picture, Renderer, SAMPLES, render_image};

use crate::glass::before;
use crate::layers::{dark, plate};
use crate::pictures::busy;
use crate::scenes::{Plate, near};
use crate::{SIZE, Stage};

on_stages! {
    edges_are_hard_in_one_sample_and_smooth_again_in_four,
    one_sample_shows_what_four_show_but_for_edges,
    a_background_that_is_copied_is_the_one_that_was_drawn,
    glass_shows_what_is_behind_it_in_one_sample_too,
    nothing_of_the_scene_hides_bones_however_far_they_are,
}

/// Pixels that are not the same.
fn other(a: &Picture, b: &Picture) -> usize {
    let pixels = a.rgba.as_chunks::<4>().0.iter().zip(b.rgba.as_chunks::<4>().0);
    if (a.width, a.height) == (b.width, b.height) { pixels.filter(|(a, b)| a != b).count() } else { usize::MAX }
}

fn alphas(picture: &Picture) -> Vec<u8> {
    let mut levels: Vec<u8> = picture.rgba.as_chunks::<4>().0.iter().map(|p| p[3]).collect();
    levels.sort_unstable();
    levels.dedup();
    levels
}

fn edges_are_hard_in_one_sample_and_smooth_again_in_four(stage: &Stage) {
    let rotation = Quat::from_rotation_z(0.3);
    let frame = Plate { transform: Transform { rotation, ..Transform::IDENTITY }, ..Plate::default() }.frame();
    for (samples, levels) in [(1, 2), (SAMPLES, 5), (1, 2)] {
        stage.renderer.borrow_mut().set_samples(samples);
        assert_eq!(alphas(&stage.draw(&frame)).len(), levels, "{samples} samples");
    }
}

fn one_sample_shows_what_four_show_but_for_edges(stage: &Stage) {
    let [one, four] = [1, SAMPLES].map(|samples| {
        let renderer = &mut *stage.renderer.borrow_mut();
        renderer.set_samples(samples);
        render_image(&stage.gpu, renderer, &busy(), [160, 120]).unwrap()
    });
    let pixels = one.rgba.as_chunks::<4>().0.iter().zip(four.rgba.as_chunks::<4>().0);
    let other = pixels.filter(|(a, b)| !near(**a, **b, 24)).count();
    // Wireframe and grid are edges.
    assert!(other * 5 < 160 * 120, "{other} pixels");
    // The corners show the background alone.
    for (x, y) in [(0, 0), (159, 0)] {
        assert!(near(one.at(x, y), four.at(x, y), 1), "{:?} {:?}", one.at(x, y), four.at(x, y));
    }
}

fn a_background_that_is_copied_is_the_one_that_was_drawn(stage: &Stage) {
    let dark = busy();
    let mut light = busy();
    light.display.background = Background::Studio { inner: [0.9, 0.9, 0.8], outer: [0.6, 0.7, 0.6] };
    let gpu = &stage.gpu;
    let renderer = &mut *stage.renderer.borrow_mut();
    renderer.set_samples(1);
    let mut draw = |frame: &Frame, size| render_image(gpu, renderer, frame, size).unwrap();
    let first = draw(&dark, [80, 60]);
    let mut moved = busy();
    moved.bones.clear();
    assert!(other(&draw(&moved, [80, 60]), &first) > 0);
    assert_eq!(other(&draw(&dark, [80, 60]), &first), 0);
    let (bright, large) = (draw(&light, [80, 60]), draw(&dark, [90, 50]));
    let anew = |frame: &Frame, size| {
        let mut renderer = Renderer::new(gpu);
        renderer.set_samples(1);
        render_image(gpu, &mut renderer, frame, size).unwrap()
    };
    assert_eq!(other(&bright, &anew(&light, [80, 60])), 0, "{}", gpu.info.name);
    assert_eq!(other(&large, &anew(&dark, [90, 50])), 0);
    // A large picture is drawn in bands, each with its own part of the background.
    let mut bare = busy();
    bare.display.grid = None;
    let banded = draw(&bare, [512, 480]);
    renderer.set_samples(SAMPLES);
    let smooth = render_image(gpu, renderer, &bare, [512, 480]).unwrap();
    for y in 0..480 {
        let (a, b) = (banded.at(1, y), smooth.at(1, y));
        assert!(near(a, b, 1), "row {y}: {a:?} {b:?}");
    }
}

fn glass_shows_what_is_behind_it_in_one_sample_too(stage: &Stage) {
    let unlit = Material { base_color: Vec3::new(0.6, 0.3, 0.1).extend(1.0), unlit: true, ..Material::default() };
    let clear = Material { roughness: 0.0, transmission: Some(Transmission { factor: 1.0, texture: None }), ..dark() };
    let clear = Material { base_color: glam::Vec4::ONE, ..clear };
    stage.renderer.borrow_mut().set_samples(1);
    let bare = stage.middle(&plate(unlit.clone()));
    let seen = stage.middle(&before(clear, unlit, Vec::new()));
    assert!(near(seen, bare, 2), "{seen:?} for {bare:?}");
}

fn nothing_of_the_scene_hides_bones_however_far_they_are(stage: &Stage) {
    let bone = |z: f32| Bone {
        head: Vec3::new(0.0, -0.4, z),
        tail: Vec3::new(0.0, 0.4, z),
        radius: 0.15,
        color: [0.0, 1.0, 0.0, 1.0],
        ..Bone::default()
    };
    for samples in [1, SAMPLES] {
        stage.renderer.borrow_mut().set_samples(samples);
        let green = |z: Option<f32>| {
            let frame = Frame { bones: z.map(bone).into_iter().collect(), ..Plate::default().frame() };
            let [r, g, b, _] = stage.draw(&frame).at(SIZE / 2 + 2, SIZE / 2 + 2);
            g > r.max(b).saturating_add(40)
        };
        assert!(!green(None) && green(Some(0.3)) && green(Some(-0.5)), "{samples} samples");
    }
}
