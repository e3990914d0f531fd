//! What makes Mesa's driver for the processor test depths after shading: see shaders/software/late_depth.wgsl.
//!
//! The driver (22.3) binds all storage buffers of the fragment stage anew for every draw, and where a draw may write to one that an
//! earlier draw of the same batch holds, it ends the batch. That is a gain too: a batch of one part needs little memory, which is
//! used again. 500 parts in a few batches (a buffer for each draw) took twice the page faults, and 1.06 of the time with four
//! samples a pixel, 1.26 with one.

use super::super::bindings::{entry, storage};
use super::super::gpu::{Gpu, MIN_BUFFER};

/// The group that the buffer is bound as. Behind those that all devices have.
pub(in super::super) const GROUP: u32 = 4;

/// The buffer that is never written.
#[derive(Debug)]
pub(in super::super) struct LateDepth {
    pub layout: wgpu::BindGroupLayout,
    pub group: wgpu::BindGroup,
}

impl LateDepth {
    /// `None` where the device does without, or has no room for one more group.
    pub fn new(gpu: &Gpu) -> Option<Self> {
        let has_room = gpu.device.limits().max_bind_groups > GROUP;
        (gpu.software.late_depth && has_room).then(|| {
            let label = Some("late depth");
            let entries = [storage(0, wgpu::ShaderStages::FRAGMENT, false)];
            let layout =
                gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
            let usage = wgpu::BufferUsages::STORAGE;
            let options = wgpu::BufferDescriptor { label, size: MIN_BUFFER, usage, mapped_at_creation: false };
            let buffer = gpu.device.create_buffer(&options);
            let entries = [entry(0, buffer.as_entire_binding())];
            let group =
                gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label, layout: &layout, entries: &entries });
            Self { layout, group }
        })
    }
}
