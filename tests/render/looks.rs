//! Compares looks with colours that were computed by hand, and what they have in common: holes stay, nothing is seen
//! through, overlays come first, and nothing is compiled twice.

use std::sync::Arc;

use glam::{Quat, Vec4};
use skinscope::deform::METHODS;
use skinscope::frame::{Frame, LOOKS, look};
use skinscope::math::Transform;
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{AlphaMode, Material, MaterialId, Model, ModelParts, Topology};

use crate::scenes::{self, Plate, overlay, pose};
use crate::{SIZE, Stage};

on_stages! {
    colours_of_the_surface_are_those_of_the_file,
    normals_and_tangents_are_colours_of_the_world,
    what_bulges_is_orange_and_what_is_hollow_is_blue,
    back_faces_are_orange_where_the_material_hides_them,
    every_look_keeps_holes_and_shows_nothing_through_the_surface,
    every_look_has_a_picture_of_its_own_under_overlays_and_compiles_once,
    every_look_draws_lines_and_points,
}

/// The middle of a frame in a look.
fn seen(stage: &Stage, id: &str, mut frame: Frame) -> [u8; 4] {
    frame.display.look = look(id).unwrap();
    stage.middle(&frame)
}

fn srgb(linear: f32) -> f32 {
    if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

fn is_near(pixel: [u8; 4], color: [f32; 3]) -> bool {
    pixel[3] == 255 && (0..3).all(|i| (f32::from(pixel[i]) - 255.0 * color[i]).abs() < 2.5)
}

fn colours_of_the_surface_are_those_of_the_file(stage: &Stage) {
    let plate = |metallic, roughness| Plate {
        material: Material { base_color: Vec4::new(0.25, 0.5, 0.75, 1.0), metallic, roughness, ..Material::default() },
        ..Plate::default()
    };
    let pixel = seen(stage, "base-color", plate(0.0, 0.5).frame());
    assert!(is_near(pixel, [0.25, 0.5, 0.75].map(srgb)), "{pixel:?}");
    let pixel = seen(stage, "roughness", plate(0.0, 0.5).frame());
    assert!(is_near(pixel, [0.525; 3]), "{pixel:?}");
    let pixel = seen(stage, "roughness", plate(1.0, 1.0).frame());
    assert!(is_near(pixel, [1.0, 0.56, 0.30]), "metal: {pixel:?}");
    let mut parts = (*plate(0.0, 1.0).model()).clone();
    parts.meshes[0].primitives[0].colors = vec![Vec4::new(0.2, 0.9, 0.4, 1.0); 4];
    let frame = Frame { model: Some(Arc::new(Model::build(parts).unwrap())), ..Plate::default().frame() };
    let pixel = seen(stage, "vertex-colors", frame);
    assert!(is_near(pixel, [0.2, 0.9, 0.4].map(srgb)), "{pixel:?}");
}

fn normals_and_tangents_are_colours_of_the_world(stage: &Stage) {
    let turned = |radians| Transform { rotation: Quat::from_rotation_z(radians), ..Transform::IDENTITY };
    let pixel = seen(stage, "normals", Plate::default().frame());
    assert!(is_near(pixel, [0.5, 0.5, 1.0]), "{pixel:?}");
    for tangents in [true, false] {
        let pixel = |radians| {
            seen(stage, "tangents", Plate { tangents, transform: turned(radians), ..Plate::default() }.frame())
        };
        // The texture of the plate is mirrored, so the colours are darker: 0.35 of the light.
        let dark = |srgb_value: f32| srgb(0.35 * ((srgb_value + 0.055) / 1.055).powf(2.4));
        let along_x = pixel(0.0);
        assert!(is_near(along_x, [dark(1.0), dark(0.5), dark(0.5)]), "{tangents}: {along_x:?}");
        let along_y = pixel(std::f32::consts::FRAC_PI_2);
        assert!(is_near(along_y, [dark(0.5), dark(1.0), dark(0.5)]), "{tangents}: {along_y:?}");
    }
}

/// A tube whose inside is seen, if it is `hollow`, or its outside.
fn round(hollow: bool) -> Frame {
    let mut parts = ModelParts::clone(&tube(Tube { rings: 24, sides: 64, ..Tube::default() }));
    parts.materials = vec![Material { base_color: Vec4::new(0.7, 0.6, 0.3, 1.0), ..Material::default() }];
    let primitive = &mut parts.meshes[0].primitives[0];
    primitive.material = Some(MaterialId(0));
    primitive.colors = vec![Vec4::new(0.3, 0.8, 0.9, 1.0); primitive.positions.len()];
    if hollow {
        primitive.indices.as_chunks_mut::<3>().0.iter_mut().for_each(|t| t.swap(0, 1));
        primitive.normals.iter_mut().for_each(|n| *n = -*n);
    }
    let model = Arc::new(Model::build(parts).unwrap());
    let mut frame = scenes::frame(&model, &pose(&model, None, 0.0), METHODS[0]);
    frame.camera.world_from_view.translation = glam::Vec3A::new(0.0, 1.0, 4.0);
    // As thin as a finger beside its model.
    frame.display.model_size = 40.0;
    frame
}

fn what_bulges_is_orange_and_what_is_hollow_is_blue(stage: &Stage) {
    let [r, _, b, _] = seen(stage, "curvature", round(false)).map(i32::from);
    assert!(r > b + 30, "outside: {r} {b}");
    let [r, _, b, _] = seen(stage, "curvature", round(true)).map(i32::from);
    assert!(b > r + 30, "inside: {r} {b}");
    let [r, g, b, _] = seen(stage, "curvature", Plate::default().frame()).map(i32::from);
    assert!((r - b).abs() < 6 && (r - g).abs() < 6, "flat: {r} {g} {b}");
    let bright = |hollow| i32::from(seen(stage, "cavity", round(hollow))[1]);
    assert!(bright(false) > bright(true) + 20, "ridges are lighter than grooves");
}

fn back_faces_are_orange_where_the_material_hides_them(stage: &Stage) {
    let turned = Transform { rotation: Quat::from_rotation_y(std::f32::consts::PI), ..Transform::IDENTITY };
    let plate = |transform| Plate { transform, ..Plate::default() }.frame();
    assert_eq!(seen(stage, "clay", plate(turned))[3], 0, "a single-sided surface has no back");
    let [r, g, b, a] = seen(stage, "back-faces", plate(turned)).map(i32::from);
    assert!(a == 255 && r > g + 60 && g > b, "{r} {g} {b} {a}");
    let [r, g, b, a] = seen(stage, "back-faces", plate(Transform::IDENTITY)).map(i32::from);
    assert!(a == 255 && (r - g).abs() < 12 && (r - b).abs() < 12, "{r} {g} {b} {a}");
}

fn every_look_keeps_holes_and_shows_nothing_through_the_surface(stage: &Stage) {
    for look in LOOKS.iter().filter(|look| look.wgsl.is_some()) {
        let plate = |alpha| Plate {
            material: Material { base_color: Vec4::new(1.0, 1.0, 1.0, 0.3), alpha, ..Material::default() },
            ..Plate::default()
        };
        let alpha = |alpha| seen(stage, look.id, plate(alpha).frame())[3];
        assert_eq!(alpha(AlphaMode::Mask { cutoff: 0.5 }), 0, "{}", look.id);
        assert_eq!(alpha(AlphaMode::Blend), 255, "{}", look.id);
    }
}

fn every_look_has_a_picture_of_its_own_under_overlays_and_compiles_once(stage: &Stage) {
    let mut frame = round(false);
    let mut pictures = Vec::new();
    let show = |frame: &Frame| stage.draw(frame).rgba;
    for look in LOOKS {
        frame.display.look = look;
        let picture = show(&frame);
        assert!(pictures.iter().all(|other| *other != picture), "{} looks like another", look.id);
        pictures.push(picture);
    }
    let compiled = stage.gpu.pipelines_of_window();
    for (look, picture) in LOOKS.iter().zip(&pictures) {
        frame.display.look = look;
        assert!(show(&frame) == *picture, "{}", look.id);
    }
    assert_eq!(stage.gpu.pipelines_of_window(), compiled);
    frame.display.overlay = overlay("influences");
    let over: Vec<_> = LOOKS
        .iter()
        .map(|look| {
            frame.display.look = look;
            show(&frame)
        })
        .collect();
    assert!(over.iter().all(|picture| *picture == over[0]), "an overlay colours the surface in every look");
}

fn every_look_draws_lines_and_points(stage: &Stage) {
    for look in LOOKS {
        for topology in [Topology::Lines, Topology::Points] {
            for normals in [true, false] {
                let mut frame = Plate { topology, normals, ..Plate::default() }.frame();
                frame.display.look = look;
                let picture = stage.draw(&frame);
                let drawn = (0..SIZE * SIZE).filter(|i| picture.at(i % SIZE, i / SIZE)[3] > 0).count();
                assert!(drawn > 0, "{} of {topology:?}", look.id);
            }
        }
    }
}
