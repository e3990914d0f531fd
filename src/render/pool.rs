//! Many small things in few buffers. Each buffer costs the device about as much as the drawing of what is in it, and a model may
//! have ten thousand parts of five lists each.

use super::error::GpuError;
use super::gpu::{Gpu, MOST_AT_ONCE};

/// A part of a buffer.
#[derive(Clone, Debug)]
pub(super) struct BufferRange {
    buffer: wgpu::Buffer,
    /// Bytes.
    offset: u64,
    size: u64,
}

impl BufferRange {
    /// A buffer of its own.
    pub fn alone(gpu: &Gpu, what: &str, bytes: &[u8], usage: wgpu::BufferUsages) -> Result<Self, GpuError> {
        let buffer = gpu.buffer(what, bytes, usage)?;
        Ok(Self { offset: 0, size: buffer.size(), buffer })
    }

    pub fn slice(&self) -> wgpu::BufferSlice<'_> {
        self.buffer.slice(self.offset..self.offset + self.size)
    }

    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Where a byte of the range stands in the buffer.
    pub fn byte(&self, byte: usize) -> u64 {
        self.offset + byte as u64
    }

    pub fn binding(&self) -> wgpu::BindingResource<'_> {
        let size = wgpu::BufferSize::new(self.size);
        wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: &self.buffer, offset: self.offset, size })
    }
}

/// Makes pieces. What is large gets a buffer of its own.
#[derive(Debug)]
pub(super) struct Pool {
    usage: wgpu::BufferUsages,
    /// Bytes of a buffer of several pieces, and where in it they may begin.
    size: u64,
    step: u64,
    /// The one that is being filled, and what is to be in it.
    open: Option<(wgpu::Buffer, Vec<u8>)>,
    /// The one range for all lists of no bytes.
    nothing: Option<BufferRange>,
}

/// So many pieces fit into a buffer at least.
const PIECES: u64 = 8;

impl Pool {
    /// Without any buffer yet.
    pub fn new(gpu: &Gpu, usage: wgpu::BufferUsages) -> Self {
        let limits = gpu.device.limits();
        let most = limits.max_buffer_size.min(limits.max_storage_buffer_binding_size);
        let step = u64::from(limits.min_storage_buffer_offset_alignment).max(4);
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        Self { usage, size: most.min(MOST_AT_ONCE as u64) & !3, step, open: None, nothing: None }
    }

    /// A piece with `bytes` (a multiple of four) in it, once the pool is finished; `what` is for the message where there is no
    /// room.
    pub fn put(&mut self, gpu: &Gpu, what: &str, bytes: &[u8]) -> Result<BufferRange, GpuError> {
        let size = bytes.len() as u64;
        if let Some(nothing) = self.nothing.as_ref().filter(|_| size == 0) {
            return Ok(nothing.clone());
        }
        if size == 0 || size > self.size / PIECES {
            let piece = BufferRange::alone(gpu, what, bytes, self.usage)?;
            if size == 0 {
                self.nothing = Some(piece.clone());
            }
            return Ok(piece);
        }
        let end = |held: &[u8]| (held.len() as u64).next_multiple_of(self.step) + size;
        if self.open.as_ref().is_some_and(|(_, held)| end(held) > self.size) {
            self.finish(gpu);
        }
        let (buffer, held) = match &mut self.open {
            Some(open) => open,
            None => self.open.insert((gpu.empty_buffer(what, self.size, self.usage)?, Vec::new())),
        };
        held.resize(held.len().next_multiple_of(self.step as usize), 0);
        let offset = held.len() as u64;
        held.extend_from_slice(bytes);
        Ok(BufferRange { buffer: buffer.clone(), offset, size })
    }

    /// Writes what has not been written yet.
    pub fn finish(&mut self, gpu: &Gpu) {
        if let Some((buffer, held)) = self.open.take() {
            gpu.write(&buffer, &held);
        }
    }
}
