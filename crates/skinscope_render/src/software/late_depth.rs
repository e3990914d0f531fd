//! Makes Mesa's driver for the processor test depths after shading: see shaders/software/late_depth.wgsl.
//!
//! The driver (22.3) binds all storage buffers of the fragment stage again for every draw. Where a draw may write to a
//! buffer that waiting triangles use, it first draws everything that is waiting, and waits until that is done. With one
//! buffer for all draws this happened at each of them: the threads handed 500 parts to one another 500 times, and 7 000
//! context switches took 7 % of the processor time. With a buffer for each draw the triangles of all parts waited in
//! memory, and twice as many pages were touched for the first time. So draws take turns with a few buffers: a small
//! amount of memory is used over and over, and only every eighth draw waits. Processor time relative to one buffer,
//! medians of unpaired rounds while other programs ran: 0.96 to 0.99 with 500 parts, 0.92 with 2 000, and 1.00 with 33;
//! with a buffer for each draw it was 1.05, 0.98 and 1.02.

use std::cell::Cell;

use super::super::bindings::{entry, storage};
use super::super::gpu::{Gpu, MIN_BUFFER};

/// The index of the bind group. The groups before it are those of all devices.
pub(in super::super) const GROUP: u32 = 4;

/// With several samples per pixel the driver draws what is waiting after this many draws.
pub(in super::super) const DRAWS_AT_ONCE: usize = 8;

/// The buffers that are never written.
#[derive(Debug)]
pub(in super::super) struct LateDepth {
    pub layout: wgpu::BindGroupLayout,
    /// The bind groups, each with a buffer of its own.
    groups: [wgpu::BindGroup; DRAWS_AT_ONCE],
    /// The index of the group that the next draw binds.
    next: Cell<usize>,
}

impl LateDepth {
    /// `None` where the device does not need it, or has no room for one more group.
    pub fn new(gpu: &Gpu) -> Option<Self> {
        let has_room = gpu.device.limits().max_bind_groups > GROUP;
        (gpu.software.late_depth && has_room).then(|| {
            let label = Some("late depth");
            let entries = [storage(0, wgpu::ShaderStages::FRAGMENT, false)];
            let layout =
                gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
            let usage = wgpu::BufferUsages::STORAGE;
            let options = wgpu::BufferDescriptor { label, size: MIN_BUFFER, usage, mapped_at_creation: false };
            let groups = std::array::from_fn(|_| {
                let buffer = gpu.device.create_buffer(&options);
                let entries = [entry(0, buffer.as_entire_binding())];
                gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label, layout: &layout, entries: &entries })
            });
            Self { layout, groups, next: Cell::new(0) }
        })
    }

    /// The group that the next draw of a surface binds.
    pub(crate) fn take_group(&self) -> &wgpu::BindGroup {
        let next = self.next.get();
        self.next.set((next + 1) % DRAWS_AT_ONCE);
        &self.groups[next]
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Backend;
    use super::*;

    #[test]
    fn draws_take_turns_with_a_few_buffers() {
        let Ok(gpu) = Gpu::headless(Backend::Vulkan) else { return };
        let Some(late_depth) = LateDepth::new(&gpu) else {
            assert!(!gpu.software.late_depth);
            return;
        };
        let taken: Vec<_> = (0..2 * DRAWS_AT_ONCE).map(|_| late_depth.take_group().clone()).collect();
        for (i, a) in taken.iter().enumerate() {
            for (j, b) in taken.iter().enumerate() {
                assert_eq!(a == b, i % DRAWS_AT_ONCE == j % DRAWS_AT_ONCE, "{i} and {j}");
            }
        }
    }
}
