//! While a clip plays, what the renderer allocates for a picture does not depend on how much the picture shows: neither
//! on the members of a crowd nor on the surfaces, except for lists of wgpu that grow by doubling. The allocator itself
//! counts; what wgpu allocates for its commands counts too, and is the same for each picture.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::sync::Arc;

use skinscope::frame::{Frame, SceneColors};
use skinscope::model::test_shapes::obstacle_course;
use skinscope::model::{AlphaMode, Light, LightId, LightKind, Model, NodeId, Transmission};
use skinscope::render::{Backend, Gpu, GpuError, Renderer, ShadowViews};
use skinscope::session::{Document, Lighting, PlaybackCommand, SelectionCommand, Session, Toggle, ViewCommand};

use crate::common;
use crate::counting::{allocations, alone};

/// Skins, morph targets, rigid parts, glass, what blends, lights that move; each primitive `times` times.
fn model(times: usize) -> Arc<Model> {
    let mut parts = (*obstacle_course()).clone();
    for mesh in &mut parts.meshes {
        mesh.primitives = mesh.primitives.iter().cycle().take(times * mesh.primitives.len()).cloned().collect();
    }
    let mut materials = parts.materials.iter_mut();
    if let Some(material) = materials.next() {
        material.transmission = Some(Transmission { factor: 0.5, ..Transmission::default() });
    }
    materials.for_each(|m| m.alpha = AlphaMode::Blend);
    let kind = LightKind::Point;
    parts.lights = vec![Light { kind, color: glam::Vec3::ONE, intensity: 3.0, range: None, name: String::new() }];
    parts.light_nodes = vec![(NodeId(4), LightId(0))];
    Arc::new(Model::build(parts).unwrap())
}

/// What a few pictures of a clip cost.
#[derive(Clone, Copy, Debug)]
struct Cost {
    /// The fewest allocations of a picture: sometimes wgpu makes a list longer.
    least: usize,
    /// Surfaces that a picture is made of.
    surfaces: usize,
}

fn play(gpu: &Gpu, times: usize, members: u32, overlay: Option<&'static str>) -> Cost {
    let mut session = Session::default();
    session.open(Document::new(model(times), Vec::new(), None));
    session.apply(ViewCommand::SetCrowd(members));
    session.apply(ViewCommand::SetLighting(Lighting::Both));
    session.apply(SelectionCommand::Select(Some(NodeId(4))));
    session.apply(PlaybackCommand::Seek(0.5));
    session.apply(ViewCommand::Set(Toggle::Axes, true));
    session.apply(ViewCommand::SetOverlay(overlay));
    let (mut frame, mut renderer) = (Frame::default(), Renderer::new(gpu));
    // A window of a software device draws no shadows while a clip plays.
    renderer.set_shadows(ShadowViews::NONE);
    let mut counts = Vec::new();
    for _ in 0..8 {
        session.apply(PlaybackCommand::Advance(0.01));
        session.update_pose();
        session.build_frame(&mut frame, &SceneColors::DARK);
        let start = allocations();
        renderer.draw(gpu, &frame, [64, 64]).unwrap();
        counts.push(allocations() - start);
        gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        let start = allocations();
        renderer.draw(gpu, &frame, [64, 64]).unwrap();
        assert_eq!(allocations() - start, 0, "a picture that is there already is not drawn again");
    }
    assert!(gpu.take_error().is_none());
    // After two pictures all that is kept is there.
    let least = counts[2..].iter().copied().min().unwrap();
    Cost { least, surfaces: renderer.surfaces() }
}

#[test]
fn what_a_picture_allocates_grows_neither_with_a_crowd_nor_with_what_is_drawn() {
    costs_no_more(&[None]);
}

#[test]
#[ignore = "full: draws three hundred figures under each overlay on a software device"]
fn overlays_make_what_a_picture_allocates_grow_no_faster() {
    costs_no_more(&[None, Some("dominant"), Some("weights")]);
}

fn costs_no_more(overlays: &[Option<&'static str>]) {
    let _alone = alone();
    let gpu = match Gpu::headless(Backend::Auto) {
        Ok(gpu) => gpu,
        Err(error @ GpuError::NoAdapter { .. }) => return common::skipped(&error.to_string()),
        Err(error) => panic!("{error}"),
    };
    for overlay in overlays.iter().copied() {
        let [one, few, many] = [1, 9, 300].map(|members| play(&gpu, 1, members, overlay));
        assert_eq!((few.least, many.least), (one.least, one.least), "1, 9 and 300 members, {overlay:?}");
        let tenfold = play(&gpu, 10, 1, overlay);
        // wgpu's own lists grow by doubling; a list of ours for each surface would be one for each.
        let (more, surfaces) = (tenfold.least.saturating_sub(one.least), tenfold.surfaces - one.surfaces);
        assert!(surfaces >= 20 && more < surfaces / 2, "{more} for {surfaces} surfaces more, {overlay:?}");
        // 108 with wgpu 30, one of them ours: the list of surfaces.
        assert!(one.least <= 150, "{} allocations of a picture, {overlay:?}", one.least);
    }
}
