//! A list that goes to the device with every picture, but only where it differs from the last one. Its memory is used again.

use super::error::GpuError;
use super::gpu::{Gpu, MIN_BUFFER};

/// A list in a buffer, which grows by need.
#[derive(Debug)]
pub(super) struct BufferVec<T> {
    pub buffer: wgpu::Buffer,
    usage: wgpu::BufferUsages,
    /// Bytes that the buffer has at least, however short the list is. Set before [`BufferVec::write_buffer`].
    pub least: u64,
    /// To be filled before [`BufferVec::write_buffer`].
    pub next: Vec<T>,
    /// The entries that the buffer holds.
    held: Vec<T>,
    /// How often it was written.
    revision: u64,
}

impl<T: bytemuck::NoUninit> BufferVec<T> {
    /// Empty, with room for a list of `least` bytes.
    pub fn new(gpu: &Gpu, what: &str, usage: wgpu::BufferUsages, least: u64) -> Result<Self, GpuError> {
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        let buffer = gpu.empty_buffer(what, least.max(MIN_BUFFER), usage)?;
        Ok(Self { buffer, usage, least, next: Vec::new(), held: Vec::new(), revision: 0 })
    }

    /// Writes `next`, where it is another list than the last one, into the buffer or into a larger one that takes its place;
    /// true where it did that.
    pub fn write_buffer(&mut self, gpu: &Gpu, what: &dyn Fn() -> String) -> Result<bool, GpuError> {
        let bytes: &[u8] = bytemuck::cast_slice(&self.next);
        let need = (bytes.len() as u64).next_multiple_of(4).max(self.least).max(MIN_BUFFER);
        let grows = need > self.buffer.size();
        if !grows && bytes == bytemuck::cast_slice::<T, u8>(&self.held) {
            return Ok(false);
        }
        if grows {
            // Half as much again, so that it grows seldom; exactly, where only that fits.
            let what = what();
            let make = |size| gpu.empty_buffer(&what, size, self.usage);
            self.buffer = make((need + need / 2).next_multiple_of(4)).or_else(|_: GpuError| make(need))?;
        }
        if !bytes.is_empty() {
            gpu.write(&self.buffer, bytes);
        }
        std::mem::swap(&mut self.next, &mut self.held);
        self.revision += 1;
        Ok(grows)
    }

    /// How often another list was written.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// How many entries the buffer holds.
    pub fn count(&self) -> u32 {
        self.held.len() as u32
    }
}
