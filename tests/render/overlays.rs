//! Things that are drawn over the surface, and things that the surface is drawn over.

use std::sync::Arc;

use glam::{Vec3, Vec4};
use skinscope::frame::{Background, Bone, Frame, Grid, Line};
use skinscope::model::{AlphaMode, Material, MaterialId, Model};

use crate::scenes::{self, Plate, near};
use crate::{SIZE, Stage};

on_stages! {
    bones_shine_through_the_surface_but_not_through_each_other,
    lines_are_as_wide_as_they_say_and_lie_over_everything,
    blended_parts_are_drawn_from_back_to_front_whatever_their_order,
    the_ground_fades_out_and_carries_a_shadow,
    bones_that_fade_are_the_fainter_the_farther_away,
    of_a_translucent_skin_the_nearest_layer_is_seen_and_what_lies_behind_it,
    bones_are_seen_in_a_translucent_skin_as_in_an_opaque_one,
}

const BLUE: [f32; 4] = [0.0, 0.2, 1.0, 1.0];
const RED: [f32; 4] = [1.0, 0.1, 0.0, 1.0];

/// Along x through the middle, `z` metres nearer to the eye than the plate.
fn bone(z: f32, color: [f32; 4]) -> Bone {
    Bone { head: Vec3::new(-0.8, 0.0, z), tail: Vec3::new(0.8, 0.0, z), radius: 0.3, color, ..Bone::default() }
}

fn bones_shine_through_the_surface_but_not_through_each_other(stage: &Stage) {
    let shows = |bones: Vec<Bone>| {
        let picture = stage.draw(&Frame { bones, ..Plate::default().frame() });
        // Off the middle, where two facets meet in an edge.
        picture.at(SIZE / 2, SIZE / 2 + 3)
    };
    let [r, _, b, a] = shows(vec![bone(-0.5, BLUE)]);
    assert!(b > r + 60 && a == 255, "{r} {b}: seen though it lies behind the plate");
    for bones in [[bone(-0.5, BLUE), bone(0.5, RED)], [bone(0.5, RED), bone(-0.5, BLUE)]] {
        let [r, _, b, _] = shows(bones.to_vec());
        assert!(r > b + 60, "{r} {b}: the nearer one hides the other");
    }
    let plate = shows(Vec::new());
    assert_eq!(shows(vec![bone(f32::NAN, BLUE)]), plate);
    let point = Bone { tail: bone(0.0, BLUE).head, ..bone(0.0, BLUE) };
    assert_eq!(shows(vec![point]), plate, "a bone without length is nothing");
}

fn lines_are_as_wide_as_they_say_and_lie_over_everything(stage: &Stage) {
    for width in [1.0, 4.0, 9.0] {
        let mut frame = Plate::default().frame();
        frame.display.background = Background::Solid([0.0; 3]);
        frame.display.mesh = width != 4.0;
        let line = |z| Line { from: Vec3::new(-0.7, 0.0, z), to: Vec3::new(0.7, 0.0, z), width, color: RED };
        frame.lines = vec![line(-1.0)];
        let picture = stage.draw(&frame);
        let red = |[r, _, b, _]: [u8; 4]| f32::from(r.saturating_sub(b)) / 255.0;
        let rows: f32 = (0..SIZE).map(|y| red(picture.at(SIZE / 2, y))).sum();
        assert!((rows - width).abs() < 0.75, "{width} pixels wide: {rows}");
        assert!(red(picture.at(1, SIZE / 2)) < 0.01, "it ends");
        // One that passes the eye is cut, not turned over; one behind the eye is not seen.
        frame.lines = vec![Line { from: Vec3::new(0.0, 0.0, 20.0), to: Vec3::new(0.0, 0.0, 30.0), ..line(0.0) }];
        frame.display.mesh = false;
        let behind = stage.draw(&frame);
        assert!(behind.rgba.as_chunks().0.iter().all(|p| red(*p) < 0.01));
    }
}

fn blended_parts_are_drawn_from_back_to_front_whatever_their_order(stage: &Stage) {
    let glass = |r, g, b| {
        let base_color = Vec4::new(r, g, b, 0.5);
        Material { base_color, metallic: 0.0, alpha: AlphaMode::Blend, ..Material::default() }
    };
    let draw = |near_first: bool| {
        let plain = Plate { material: glass(1.0, 0.0, 0.0), ..Plate::default() }.model();
        let mut parts = (**plain).clone();
        parts.materials.push(glass(0.0, 0.0, 1.0));
        let mut nearer = parts.meshes[0].primitives[0].clone();
        nearer.material = Some(MaterialId(1));
        nearer.positions.iter_mut().for_each(|p| p.z += 0.5);
        let place = if near_first { 0 } else { 1 };
        parts.meshes[0].primitives.insert(place, nearer);
        let model = Arc::new(Model::build(parts).unwrap());
        stage.middle(&Frame { model: Some(model), ..Plate::default().frame() })
    };
    let picture = draw(true);
    assert_eq!(picture, draw(false));
    assert!(picture[2] > picture[0] + 30, "{picture:?}: blue is in front");
    assert!(picture[3].abs_diff(191) <= 2, "{picture:?}: a quarter shines through two halves");
}

fn the_ground_fades_out_and_carries_a_shadow(stage: &Stage) {
    let mut frame = Frame { camera: scenes::front(), ..Frame::default() };
    // From straight above.
    frame.camera.world_from_view =
        glam::Affine3A::from_rotation_x(-std::f32::consts::FRAC_PI_2) * glam::Affine3A::from_translation(Vec3::Z * 5.0);
    let plain = [0.5; 3];
    frame.display.background = Background::Solid(plain);
    let grid = Grid {
        spacing: 100.0,
        height: 0.0,
        radius: 0.8,
        shadow: Vec4::ZERO,
        color: [1.0; 3],
        lines: true,
        floor: [0.0; 4],
    };
    frame.display.grid = Some(grid);
    let bare = stage.draw(&frame);
    let between = (SIZE / 2 + 9, SIZE / 2 + 9);
    assert!(near(bare.at(between.0, between.1), [128, 128, 128, 255], 1), "nothing between the lines");
    let axis = |x: u32| bare.at(x, SIZE / 2)[0];
    assert!(axis(SIZE / 2 + 4) > 135 && axis(SIZE - 3).abs_diff(128) < 3, "the x axis is red and fades out");
    frame.display.grid = Some(Grid { shadow: Vec4::new(0.0, 0.0, 0.5, 0.5), ..grid });
    let shadowed = stage.draw(&frame);
    assert!(shadowed.at(between.0, between.1)[0] < 122);
    assert!(near(shadowed.at(2, 2), bare.at(2, 2), 1), "but not everywhere");
}

fn bones_that_fade_are_the_fainter_the_farther_away(stage: &Stage) {
    let bones = |fades| {
        let place = |y: f32, z: f32| Vec3::new(0.0, y, z);
        let made = |y: f32, z: f32| Bone {
            head: place(y, z) - Vec3::X * 0.4,
            tail: place(y, z) + Vec3::X * 0.4,
            fades,
            ..bone(z, BLUE)
        };
        let near_and_far = vec![made(0.4, 0.5), made(-0.4, -0.5)];
        let picture = stage.draw(&Frame { bones: near_and_far, ..Plate::default().frame() });
        let row = |y: f32| picture.at(SIZE / 2 - 4, ((0.5 - 0.5 * y) * SIZE as f32) as u32);
        [row(0.4 - 0.06), row(-0.4 - 0.06)].map(|[r, _, b, _]| i32::from(b) - i32::from(r))
    };
    let [near, far] = bones(false);
    assert!((near - far).abs() < 30, "{near} {far}: as strong everywhere");
    let [near, far] = bones(true);
    assert!(near > 120 && far < near - 40, "{near} {far}");
}

fn of_a_translucent_skin_the_nearest_layer_is_seen_and_what_lies_behind_it(stage: &Stage) {
    for shown in [None, scenes::overlay("weights")] {
        let draw = |opacity: f32, layers: usize, members: u32| {
            let mut parts = (**Plate::default().model()).clone();
            for i in 1..layers {
                // Behind the first, of a material of its own.
                let color = Vec4::new(1.0, 0.0, 0.0, 1.0);
                parts.materials.push(Material { base_color: color, metallic: 0.0, ..Material::default() });
                let mut layer = parts.meshes[0].primitives[0].clone();
                layer.material = Some(MaterialId(i as u32));
                layer.positions.iter_mut().for_each(|p| p.z -= 0.3 * i as f32);
                parts.meshes[0].primitives.push(layer);
            }
            let model = Arc::new(Model::build(parts).unwrap());
            let mut frame = Frame { model: Some(model), ..Plate::default().frame() };
            // A crowd one behind the other.
            let own = frame.palettes.clone();
            for member in 1..members {
                let back = glam::Affine3A::from_translation(Vec3::NEG_Z * 0.7 * member as f32);
                frame.palettes.extend(own.iter().map(|matrix| back * *matrix));
            }
            frame.members = members;
            frame.display.overlay = shown;
            frame.display.skin_opacity = opacity;
            frame.display.background = Background::Solid([0.0, 0.5, 0.0]);
            stage.middle(&frame)
        };
        let linear = |c: u8| crate::form::linear(c);
        let (opaque, behind) = (draw(1.0, 1, 1), [0, 128, 0, 255]);
        assert!(near(draw(0.0, 3, 1), behind, 1), "what cannot be seen is not drawn");
        for (layers, members) in [(1, 1), (3, 1), (2, 3)] {
            let seen = draw(0.4, layers, members);
            for i in 0..3 {
                let want = 0.4 * linear(opaque[i]) + 0.6 * linear(behind[i]);
                assert!((linear(seen[i]) - want).abs() < 0.015, "{layers} layers of {members}: {seen:?}");
            }
        }
    }
}

fn bones_are_seen_in_a_translucent_skin_as_in_an_opaque_one(stage: &Stage) {
    for opacity in [0.2, 1.0] {
        let mut frame = Frame { bones: vec![bone(-0.5, BLUE)], ..Plate::default().frame() };
        frame.display.skin_opacity = opacity;
        let [r, _, b, _] = stage.draw(&frame).at(SIZE / 2, SIZE / 2 + 3);
        assert!(b > r + 60, "{opacity}: {r} {b}");
    }
}
