//! Compares pictures of one device that is treated as what it is, and as a graphics card.

use std::sync::Arc;

use skinscope_frame::{Background, Frame};
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{InstanceId, Model};

use super::super::pipeline_kind::{Cull, Kind};
use super::super::{Backend, Gpu, Picture, Renderer, SAMPLES, render_image};
use super::Software;

/// What a renderer did for a software device.
#[derive(Debug, PartialEq, Eq)]
struct Taken {
    /// A background was stored to be copied.
    backdrop: bool,
    /// The pose chose a pipeline that culls.
    culled: bool,
    /// A pipeline was made for only what is shown.
    fixed: bool,
    late_depth: bool,
    /// No more of the model was uploaded than the picture shows.
    covering: bool,
    /// The program waited for the device between portions.
    waited: bool,
}

/// A tube of 409 600 triangles before a background that is drawn: at four samples it is more than one portion.
fn frame(model: Model) -> Frame {
    let (mut matrices, mut palettes) = (Vec::new(), Vec::new());
    skinscope_anim::local_to_model(&model.skeleton, &model.skeleton.rest, &mut matrices);
    skinscope_deform::palettes(&model, &matrices, &mut palettes);
    let mut frame = Frame { palettes, draws: vec![InstanceId(0)], model: Some(Arc::new(model)), ..Frame::default() };
    frame.camera.world_from_view.translation = glam::Vec3A::new(0.0, 1.0, 4.5);
    frame.display.background = Background::Studio { inner: [0.3, 0.32, 0.36], outer: [0.1, 0.1, 0.12] };
    frame
}

/// Draws the frame; returns the picture, and what was done for it.
fn draw(gpu: &Gpu, frame: &Frame, samples: u32) -> (Picture, Taken) {
    let mut renderer = Renderer::new(gpu);
    renderer.set_samples(samples);
    let waits = gpu.waits();
    let picture = render_image(gpu, &mut renderer, frame, [96, 64]).unwrap();
    let surfaces = || renderer.pipelines.kinds().filter(|(kind, _)| matches!(kind, Kind::Surface { .. }));
    assert!(surfaces().count() > 0);
    let taken = Taken {
        backdrop: renderer.backdrop.is_some(),
        culled: surfaces().any(|(kind, _)| matches!(kind, Kind::Surface { cull, .. } if *cull != Cull::None)),
        fixed: surfaces().any(|(_, shape)| shape.is_some_and(|shape| shape.shown.is_some())),
        late_depth: renderer.pipelines.late_depth.is_some() || renderer.pipelines.linking.late_depth,
        covering: renderer.first.resident.is_part(),
        waited: gpu.waits() > waits,
    };
    (picture, taken)
}

#[test]
fn a_graphics_card_takes_none_of_these_ways_and_makes_the_same_picture() {
    let frame = frame(tube(Tube { rings: 801, sides: 256, ..Tube::default() }));
    for backend in [Backend::Vulkan, Backend::Gl] {
        let (Ok(gpu), Ok(card)) = (Gpu::headless(backend), Gpu::headless(backend)) else { continue };
        let is_software = gpu.software != Software::default();
        let card = card.taken_for(wgpu::DeviceType::DiscreteGpu);
        for samples in [1, SAMPLES] {
            let (picture, taken) = draw(&gpu, &frame, samples);
            let (on_card, taken_on_card) = draw(&card, &frame, samples);
            let case = format!("{backend:?}, {samples}");
            let none = Taken {
                backdrop: false,
                culled: false,
                fixed: false,
                late_depth: false,
                covering: false,
                waited: false,
            };
            assert_eq!(taken_on_card, none, "{case}");
            if is_software {
                // With OpenGL some of them are not used.
                let is_vulkan = backend == Backend::Vulkan;
                let late_depth = taken.late_depth;
                assert!(late_depth || !is_vulkan, "{case}");
                let backdrop = is_vulkan && samples == 1;
                let all = Taken {
                    backdrop,
                    culled: true,
                    fixed: true,
                    late_depth,
                    covering: is_vulkan,
                    waited: taken.waited,
                };
                assert_eq!(taken, all, "{case}");
            }
            let far = |(a, b): &(&u8, &u8)| a.abs_diff(**b) > 1;
            let far = picture.rgba.iter().zip(&on_card.rgba).filter(far).count();
            assert_eq!(far, 0, "{case}: numbers of the picture that are not the same");
            let colours: std::collections::BTreeSet<_> = picture.rgba.as_chunks::<4>().0.iter().collect();
            assert!(colours.len() > 200, "{case}: something is drawn");
        }
    }
}
