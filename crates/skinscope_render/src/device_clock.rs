//! How long the device takes for the commands of a picture, by its own clock, where it has one. Nothing waits for the answer, which comes some
//! pictures later.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::Renderer;
use super::gpu::Gpu;

/// No picture is measured.
const IDLE: u8 = 0;
/// A picture is measured, and its moments are not in memory yet.
const ASKED: u8 = 1;
/// The moments of a picture are in memory.
const READY: u8 = 2;

/// The bytes of both moments.
const BYTES: u64 = 16;

/// Measures one picture at a time.
#[derive(Debug)]
pub(super) struct DeviceClock {
    moments: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    mapped: wgpu::Buffer,
    state: Arc<AtomicU8>,
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
        let moments = wgpu::QuerySetDescriptor { label: Some("picture"), ty: wgpu::QueryType::Timestamp, count: 2 };
        let moments = gpu.scope(|| gpu.device.create_query_set(&moments)).ok()?;
        let resolved = gpu.empty_buffer("moments", BYTES, U::QUERY_RESOLVE | U::COPY_SRC).ok()?;
        let mapped = gpu.empty_buffer("moments in memory", BYTES, U::MAP_READ | U::COPY_DST).ok()?;
        Some(Self { moments, resolved, mapped, state: Arc::default() })
    }

    /// Notes a moment: 0 before the commands of a picture, 1 after them.
    fn note(&self, encoder: &mut wgpu::CommandEncoder, moment: u32) {
        let timestamp_writes = Some(wgpu::ComputePassTimestampWrites {
            query_set: &self.moments,
            beginning_of_pass_write_index: (moment == 0).then_some(0),
            end_of_pass_write_index: (moment == 1).then_some(1),
        });
        drop(encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("moment"), timestamp_writes }));
    }

    /// Begins to measure the picture whose commands follow. Returns false while another one is measured.
    pub(super) fn begin(&self, encoder: &mut wgpu::CommandEncoder) -> bool {
        let is_idle = self.state.load(Ordering::Acquire) == IDLE;
        if is_idle {
            self.note(encoder, 0);
        }
        is_idle
    }

    /// Ends measuring, after the commands of the picture.
    pub(super) fn end(&self, encoder: &mut wgpu::CommandEncoder) {
        self.note(encoder, 1);
        encoder.resolve_query_set(&self.moments, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.mapped, 0, BYTES);
    }

    /// Asks for the moments, after the commands were submitted.
    pub(super) fn ask(&self) {
        self.state.store(ASKED, Ordering::Release);
        let state = Arc::clone(&self.state);
        self.mapped.map_async(wgpu::MapMode::Read, .., move |result| {
            // Where the device is lost nothing is measured any more.
            if result.is_ok() {
                state.store(READY, Ordering::Release);
            }
        });
    }

    /// Takes what the last measured picture took, milliseconds; `None` while no picture has been measured since.
    fn take_ms(&self, gpu: &Gpu) -> Option<f32> {
        if self.state.load(Ordering::Acquire) == ASKED {
            // It does not wait.
            gpu.device.poll(wgpu::PollType::Poll).ok()?;
        }
        if self.state.load(Ordering::Acquire) != READY {
            return None;
        }
        let [begin, end]: [u64; 2] = {
            let bytes = self.mapped.get_mapped_range(..).ok()?;
            bytemuck::pod_read_unaligned(bytes.get(..BYTES as usize)?)
        };
        self.mapped.unmap();
        self.state.store(IDLE, Ordering::Release);
        let ms = end.saturating_sub(begin) as f64 * f64::from(gpu.queue.get_timestamp_period()) * 1e-6;
        (ms > 0.0).then_some(ms as f32)
    }
}

impl Renderer {
    /// Measures what pictures take on the device from now on, or no longer. Devices without a clock measure nothing.
    pub fn measure_device(&mut self, gpu: &Gpu, is_on: bool) {
        if is_on != self.device_clock.is_some() {
            self.device_clock = is_on.then(|| DeviceClock::of(gpu)).flatten();
        }
    }

    /// Takes what a picture took on the device, milliseconds: one of the last ones, each at most once.
    pub fn take_device_ms(&self, gpu: &Gpu) -> Option<f32> {
        self.device_clock.as_ref()?.take_ms(gpu)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use skinscope_frame::Frame;
    use skinscope_model::shapes::{Tube, tube};

    use super::super::{Backend, Gpu, Renderer};

    #[test]
    fn pictures_are_measured_while_that_is_wanted_where_the_device_has_a_clock() {
        let Ok(gpu) = Gpu::headless(Backend::Auto) else { return };
        let model = Arc::new(tube(Tube::default()));
        let mut renderer = Renderer::new(&gpu);
        let draw = |renderer: &mut Renderer, side: u32| {
            let frame = Frame { model: Some(Arc::clone(&model)), ..Frame::default() };
            renderer.draw(&gpu, &frame, [side, side]).unwrap();
            gpu.wait().unwrap();
            renderer.take_device_ms(&gpu)
        };
        assert_eq!(draw(&mut renderer, 64), None, "nothing is measured unasked");
        renderer.measure_device(&gpu, true);
        let has_clock = renderer.device_clock.is_some();
        let measured: Vec<f32> = (65..75).filter_map(|side| draw(&mut renderer, side)).collect();
        assert_eq!(!measured.is_empty(), has_clock, "{measured:?}");
        assert!(measured.iter().all(|ms| ms.is_finite() && *ms > 0.0), "{measured:?}");
        renderer.measure_device(&gpu, false);
        assert_eq!(draw(&mut renderer, 80), None);
        assert!(gpu.take_error().is_none());
    }
}
