//! A list that goes to the device with every picture, but only where it differs from the last one. Its memory is used again.

use super::error::GpuError;
use super::gpu::{Gpu, MIN_BUFFER};

/// A list in a buffer, which grows by need.
#[derive(Debug)]
pub(super) struct Sent<T> {
    pub buffer: wgpu::Buffer,
    usage: wgpu::BufferUsages,
    /// Bytes that the buffer has room for beyond the list.
    spare: u64,
    /// To be filled before [`Sent::send`].
    pub next: Vec<T>,
    /// What the buffer holds.
    held: Vec<T>,
}

impl<T: bytemuck::NoUninit> Sent<T> {
    /// Empty. Behind any list the buffer keeps `spare` bytes that may be bound, but hold nothing.
    pub fn new(gpu: &Gpu, what: &str, usage: wgpu::BufferUsages, spare: u64) -> Result<Self, GpuError> {
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        let buffer = gpu.empty_buffer(what, MIN_BUFFER + spare, usage)?;
        Ok(Self { buffer, usage, spare, next: Vec::new(), held: Vec::new() })
    }

    /// Writes `next`, where it is another list than the last one, into the buffer or into a larger one that takes its place;
    /// true where it did that.
    pub fn send(&mut self, gpu: &Gpu, what: &dyn Fn() -> String) -> Result<bool, GpuError> {
        let bytes: &[u8] = bytemuck::cast_slice(&self.next);
        let grows = bytes.len() as u64 + self.spare > self.buffer.size();
        if !grows && bytes == bytemuck::cast_slice::<T, u8>(&self.held) {
            return Ok(false);
        }
        if grows {
            // Half as much again, so that it grows seldom; exactly, where only that fits.
            let need = (bytes.len() as u64).next_multiple_of(4).max(MIN_BUFFER);
            let what = what();
            let roomy = (need + need / 2).next_multiple_of(4) + self.spare;
            let roomy = gpu.empty_buffer(&what, roomy, self.usage);
            self.buffer = roomy.or_else(|_| gpu.empty_buffer(&what, need + self.spare, self.usage))?;
        }
        if !bytes.is_empty() {
            gpu.write(&self.buffer, bytes);
        }
        std::mem::swap(&mut self.next, &mut self.held);
        Ok(grows)
    }

    /// How many entries the buffer holds.
    pub fn count(&self) -> u32 {
        self.held.len() as u32
    }
}
