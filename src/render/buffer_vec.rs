//! A list that goes to the device with every picture, but only where it differs from the last one. Its memory is used again.

use super::error::GpuError;
use super::gpu::{Gpu, MIN_BUFFER};

/// A list in a buffer, which grows by need.
#[derive(Debug)]
pub(super) struct BufferVec<T> {
    pub buffer: wgpu::Buffer,
    usage: wgpu::BufferUsages,
    /// Bytes that the buffer has beyond the list, where there is room for them.
    spare: u64,
    /// Bytes of the longest list that it takes.
    room: u64,
    /// To be filled before [`BufferVec::write_buffer`].
    pub next: Vec<T>,
    /// What the buffer holds.
    held: Vec<T>,
}

impl<T: bytemuck::NoUninit> BufferVec<T> {
    /// Empty, with room for a list of `room` bytes. Behind the list the buffer keeps `spare` bytes that may be bound, but hold
    /// nothing: all of them now, later where the device has room for them.
    pub fn new(gpu: &Gpu, what: &str, usage: wgpu::BufferUsages, [room, spare]: [u64; 2]) -> Result<Self, GpuError> {
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        let room = room.max(MIN_BUFFER);
        let buffer = gpu.empty_buffer(what, room + spare, usage)?;
        Ok(Self { buffer, usage, spare, room, next: Vec::new(), held: Vec::new() })
    }

    /// Writes `next`, where it is another list than the last one, into the buffer or into a larger one that takes its place;
    /// true where it did that.
    pub fn write_buffer(&mut self, gpu: &Gpu, what: &dyn Fn() -> String) -> Result<bool, GpuError> {
        let bytes: &[u8] = bytemuck::cast_slice(&self.next);
        let grows = bytes.len() as u64 > self.room;
        if !grows && bytes == bytemuck::cast_slice::<T, u8>(&self.held) {
            return Ok(false);
        }
        if grows {
            // Half as much again, so that it grows seldom; exactly, where only that fits.
            let need = (bytes.len() as u64).next_multiple_of(4).max(MIN_BUFFER);
            let what = what();
            let make = |room: u64, spare| Ok((gpu.empty_buffer(&what, room + spare, self.usage)?, room));
            let roomy = make((need + need / 2).next_multiple_of(4), self.spare);
            let made = roomy.or_else(|_: GpuError| make(need, self.spare)).or_else(|_| make(need, 0));
            (self.buffer, self.room) = made?;
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
