//! A list that may be another one for every picture. It is sent to the device only where it differs from the last one,
//! and its memory is used again.

use super::error::GpuError;
use super::gpu::{Gpu, MIN_BUFFER};

/// A list in a device buffer that grows when it has to.
#[derive(Debug)]
pub(super) struct BufferVec<T> {
    pub buffer: wgpu::Buffer,
    usage: wgpu::BufferUsages,
    /// The least size of the buffer in bytes, however short the list is. Set before [`BufferVec::write_buffer`].
    pub least: u64,
    /// The entries of the next picture. To be filled before [`BufferVec::write_buffer`].
    pub next: Vec<T>,
    /// The entries that the buffer holds.
    uploaded: Vec<T>,
    /// How many times the buffer was written.
    revision: u64,
}

impl<T: bytemuck::NoUninit> BufferVec<T> {
    /// An empty list whose buffer has room for `least` bytes. `what` is the buffer's label, and names it in errors.
    pub fn new(gpu: &Gpu, what: &str, usage: wgpu::BufferUsages, least: u64) -> Result<Self, GpuError> {
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        let buffer = gpu.empty_buffer(what, least.max(MIN_BUFFER), usage)?;
        Ok(Self { buffer, usage, least, next: Vec::new(), uploaded: Vec::new(), revision: 0 })
    }

    /// Writes `next` into the buffer if it differs from the list that is there; where it does not fit, a larger buffer
    /// replaces the old one. Returns true where that happened. `what` names the buffer in errors.
    pub fn write_buffer(&mut self, gpu: &Gpu, what: &dyn Fn() -> String) -> Result<bool, GpuError> {
        let bytes: &[u8] = bytemuck::cast_slice(&self.next);
        let need = (bytes.len() as u64).next_multiple_of(4).max(self.least).max(MIN_BUFFER);
        let grows = need > self.buffer.size();
        if !grows && bytes == bytemuck::cast_slice::<T, u8>(&self.uploaded) {
            return Ok(false);
        }
        if grows {
            // The new buffer has room for half as much again, so that it grows seldom; where that cannot be had, only
            // the exact size.
            let what = what();
            let make = |size| gpu.empty_buffer(&what, size, self.usage);
            self.buffer = make((need + need / 2).next_multiple_of(4)).or_else(|_: GpuError| make(need))?;
        }
        if !bytes.is_empty() {
            gpu.write(&self.buffer, bytes);
        }
        std::mem::swap(&mut self.next, &mut self.uploaded);
        self.revision += 1;
        Ok(grows)
    }

    /// How many times another list was written.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// How many entries the buffer holds.
    pub fn count(&self) -> u32 {
        self.uploaded.len() as u32
    }
}
