//! How long the device takes for the passes of a picture, by its own clock, where it has one. Nothing waits for the answer, which comes some
//! pictures later.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use skinscope_base::trace::{DevicePass, DeviceSpan};

use super::Renderer;
use super::gpu::Gpu;

/// No picture is measured.
const IDLE: u8 = 0;
/// A picture is measured, and its moments are not in memory yet.
const ASKED: u8 = 1;
/// The moments of a picture are in memory.
const READY: u8 = 2;

/// The most moments that one clock notes: one before the first pass, and one after each.
const MOMENTS: usize = DevicePass::ALL.len();
/// Their bytes.
const BYTES: u64 = (MOMENTS * size_of::<u64>()) as u64;

/// Measures one picture at a time, pass after pass.
#[derive(Debug)]
pub(super) struct DeviceClock {
    moments: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    mapped: wgpu::Buffer,
    state: Arc<AtomicU8>,
    /// True while the commands of a picture are recorded that is measured.
    is_recording: bool,
    /// What was drawn between two moments of that picture; `None` where nothing was.
    passes: Vec<Option<DevicePass>>,
    /// When its commands were given to the device.
    submitted: Instant,
}

impl DeviceClock {
    /// Returns `None` where the device has no clock, or no compute passes, which note the moments.
    fn of(gpu: &Gpu) -> Option<Self> {
        use wgpu::BufferUsages as U;
        let can_compute =
            gpu.adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS);
        if !can_compute || !gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY) {
            return None;
        }
        let (ty, count) = (wgpu::QueryType::Timestamp, MOMENTS as u32);
        let moments = wgpu::QuerySetDescriptor { label: Some("passes"), ty, count };
        let moments = gpu.scope(|| gpu.device.create_query_set(&moments)).ok()?;
        let resolved = gpu.empty_buffer("moments", BYTES, U::QUERY_RESOLVE | U::COPY_SRC).ok()?;
        let mapped = gpu.empty_buffer("moments in memory", BYTES, U::MAP_READ | U::COPY_DST).ok()?;
        let (state, passes, submitted) = (Arc::default(), Vec::new(), Instant::now());
        Some(Self { moments, resolved, mapped, state, is_recording: false, passes, submitted })
    }

    /// Notes a moment, by its number.
    fn note_moment(&self, encoder: &mut wgpu::CommandEncoder, moment: usize) {
        let is_first = moment == 0;
        let timestamp_writes = Some(wgpu::ComputePassTimestampWrites {
            query_set: &self.moments,
            beginning_of_pass_write_index: is_first.then_some(0),
            end_of_pass_write_index: (!is_first).then_some(moment as u32),
        });
        drop(encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("moment"), timestamp_writes }));
    }

    /// Begins to measure the commands that follow, unless others are being measured.
    fn begin(&mut self, encoder: &mut wgpu::CommandEncoder) {
        self.is_recording = self.state.load(Ordering::Acquire) == IDLE;
        self.passes.clear();
        if self.is_recording {
            self.note_moment(encoder, 0);
        }
    }

    /// Notes that a pass ends here; `None`: one that this picture does not have.
    fn end_pass(&mut self, encoder: &mut wgpu::CommandEncoder, pass: Option<DevicePass>) {
        if self.is_recording {
            self.passes.push(pass);
            self.note_moment(encoder, self.passes.len());
        }
    }

    /// Brings the moments to where they can be read, after the last pass.
    fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.resolve_query_set(&self.moments, 0..self.passes.len() as u32 + 1, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.mapped, 0, BYTES);
    }

    /// Asks for the moments, after the commands were submitted.
    fn ask(&mut self) {
        (self.is_recording, self.submitted) = (false, Instant::now());
        self.state.store(ASKED, Ordering::Release);
        let state = Arc::clone(&self.state);
        self.mapped.map_async(wgpu::MapMode::Read, .., move |result| {
            // Where the device is lost nothing is measured any more.
            if result.is_ok() {
                state.store(READY, Ordering::Release);
            }
        });
    }

    /// Adds what the passes of the last measured picture took, unless that is not known yet or was taken before.
    fn take(&mut self, gpu: &Gpu, out: &mut Vec<DeviceSpan>) {
        if self.state.load(Ordering::Acquire) == ASKED {
            // It does not wait. Where the device is lost, nothing is measured any more.
            let _any = gpu.device.poll(wgpu::PollType::Poll);
        }
        if self.state.load(Ordering::Acquire) != READY {
            return;
        }
        let moments: Option<[u64; MOMENTS]> = (|| {
            let bytes = self.mapped.get_mapped_range(..).ok()?;
            Some(bytemuck::pod_read_unaligned(bytes.get(..BYTES as usize)?))
        })();
        self.mapped.unmap();
        self.state.store(IDLE, Ordering::Release);
        let Some(moments) = moments else { return };
        let period = f64::from(gpu.queue.get_timestamp_period()) * 1e-9;
        // A clock that runs backwards measures nothing.
        let since = |from: u64, to: u64| Duration::from_secs_f64(to.saturating_sub(from) as f64 * period);
        for (pass, pair) in self.passes.iter().zip(moments.windows(2)) {
            let Some(pass) = *pass else { continue };
            let (start, duration) = (self.submitted + since(moments[0], pair[0]), since(pair[0], pair[1]));
            if !duration.is_zero() {
                out.push(DeviceSpan { pass, start, duration });
            }
        }
    }
}

/// The clocks of a window: one for pictures, and one for the panels and what brings both to the window.
#[derive(Debug)]
pub(super) struct DeviceClocks {
    pub picture: DeviceClock,
    panels: DeviceClock,
}

/// Begins to measure the picture whose commands follow, where that is wanted.
pub(super) fn begin_picture(clocks: &mut Option<DeviceClocks>, encoder: &mut wgpu::CommandEncoder) {
    if let Some(clocks) = clocks {
        clocks.picture.begin(encoder);
    }
}

/// Notes that a pass of the picture ends here, where that is measured; `None`: one that this picture does not have.
pub(super) fn note(clocks: &mut Option<DeviceClocks>, encoder: &mut wgpu::CommandEncoder, pass: Option<DevicePass>) {
    if let Some(clocks) = clocks {
        clocks.picture.end_pass(encoder, pass);
    }
}

/// Submits commands, the last of which are those of the pass `last`.
pub(super) fn submit_measured(
    gpu: &Gpu,
    mut encoder: wgpu::CommandEncoder,
    clock: Option<&mut DeviceClock>,
    last: DevicePass,
) {
    let mut clock = clock.filter(|clock| clock.is_recording);
    if let Some(clock) = &mut clock {
        clock.end_pass(&mut encoder, Some(last));
        clock.resolve(&mut encoder);
    }
    gpu.queue.submit([encoder.finish()]);
    if let Some(clock) = clock {
        clock.ask();
    }
}

/// Measures passes.
impl Renderer {
    /// Measures what passes take on the device from now on, or no longer. Devices without a clock measure nothing.
    pub fn measure_device(&mut self, gpu: &Gpu, is_on: bool) {
        if is_on != self.device_clocks.is_some() {
            let clock = || DeviceClock::of(gpu);
            let both = || Some(DeviceClocks { picture: clock()?, panels: clock()? });
            self.device_clocks = is_on.then(both).flatten();
        }
    }

    /// Returns whether the device has a clock, while passes are measured.
    #[must_use]
    pub fn has_device_clock(&self) -> bool {
        self.device_clocks.is_some()
    }

    /// Takes what the passes of the last pictures and panels took on the device, as far as it is known: each of them at most once.
    pub fn take_device_spans(&mut self, gpu: &Gpu) -> Vec<DeviceSpan> {
        let mut spans = Vec::new();
        if let Some(clocks) = &mut self.device_clocks {
            clocks.picture.take(gpu, &mut spans);
            clocks.panels.take(gpu, &mut spans);
        }
        spans
    }

    /// Begins to measure the commands of panels, which follow, where passes are measured.
    pub fn begin_panels(&mut self, encoder: &mut wgpu::CommandEncoder) {
        if let Some(clocks) = &mut self.device_clocks {
            clocks.panels.begin(encoder);
        }
    }

    /// Submits the commands of panels.
    pub fn submit_panels(&mut self, gpu: &Gpu, encoder: wgpu::CommandEncoder) {
        let clock = self.device_clocks.as_mut().map(|clocks| &mut clocks.panels);
        submit_measured(gpu, encoder, clock, DevicePass::Panels);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use skinscope_frame::{Background, Frame};
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{InstanceId, Material, MaterialId, Model, ModelParts, Transmission};

    use super::super::{Backend, Gpu, Renderer};
    use super::*;

    /// A picture of a tube of glass or of none, with shadows or without.
    fn picture(is_glass: bool, shadows: bool) -> Frame {
        let mut parts: ModelParts = (*tube(Tube::default())).clone();
        if is_glass {
            let transmission = Some(Transmission { factor: 1.0, texture: None });
            parts.materials = vec![Material { transmission, ..Material::default() }];
            parts.meshes[0].primitives[0].material = Some(MaterialId(0));
        }
        let model = Arc::new(Model::build(parts).unwrap());
        let (mut matrices, mut palettes) = (Vec::new(), Vec::new());
        skinscope_anim::local_to_model(&model.skeleton, &model.skeleton.rest, &mut matrices);
        skinscope_deform::palettes(&model, &matrices, &mut palettes);
        let draws = vec![InstanceId(0)];
        let mut frame = Frame { model: Some(model), draws, palettes, studio: true, ..Frame::default() };
        frame.display.shadows = shadows;
        frame.display.background = Background::Studio { inner: [0.3, 0.32, 0.36], outer: [0.1, 0.1, 0.12] };
        frame.camera.world_from_view.translation = glam::Vec3A::new(0.0, 1.0, 4.5);
        frame
    }

    fn drawn(gpu: &Gpu, renderer: &mut Renderer, frame: &Frame, side: u32) -> Vec<DevicePass> {
        renderer.draw(gpu, frame, [side, side]).unwrap();
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        renderer.begin_panels(&mut encoder);
        renderer.submit_panels(gpu, encoder);
        gpu.wait().unwrap();
        let spans = renderer.take_device_spans(gpu);
        assert!(spans.iter().all(|span| !span.duration.is_zero()), "{spans:?}");
        let picture: Vec<_> = spans.iter().filter(|span| span.pass != DevicePass::Panels).collect();
        for pair in picture.windows(2) {
            let between = pair[1].start.duration_since(pair[0].start + pair[0].duration);
            assert!(pair[0].start + pair[0].duration <= pair[1].start, "{between:?}: {spans:?}");
        }
        picture.iter().map(|span| span.pass).collect()
    }

    #[test]
    fn passes_are_measured_while_that_is_wanted_where_the_device_has_a_clock() {
        use DevicePass::{BehindGlass, Picture, Shadows};
        for backend in [Backend::Vulkan, Backend::Gl] {
            let Ok(mut gpu) = Gpu::headless(backend) else { continue };
            // A card draws the depths of shadows itself.
            gpu.software.casting = false;
            let mut renderer = Renderer::new(&gpu);
            assert!(drawn(&gpu, &mut renderer, &picture(false, false), 64).is_empty(), "nothing is measured unasked");
            renderer.measure_device(&gpu, true);
            let has_clock = renderer.has_device_clock();
            assert_eq!(has_clock, DeviceClock::of(&gpu).is_some());
            for (n, (is_glass, shadows, wanted)) in [
                (false, false, vec![Picture]),
                (false, true, vec![Shadows, Picture]),
                (true, false, vec![BehindGlass, Picture]),
            ]
            .into_iter()
            .enumerate()
            {
                let passes = drawn(&gpu, &mut renderer, &picture(is_glass, shadows), 65 + n as u32);
                assert_eq!(passes, if has_clock { wanted } else { Vec::new() }, "{backend:?} {is_glass} {shadows}");
            }
            assert!(renderer.take_device_spans(&gpu).is_empty(), "each is taken once");
            renderer.measure_device(&gpu, false);
            assert!(drawn(&gpu, &mut renderer, &picture(false, false), 80).is_empty());
            assert!(gpu.take_error().is_none());
        }
    }
}
