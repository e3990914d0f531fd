//! Puts many small lists into few buffers. A buffer costs the device about as much as drawing what is in it, and a
//! model may have ten thousand primitives of five lists each.

use super::error::GpuError;
use super::gpu::{Gpu, MOST_AT_ONCE};

/// A part of a buffer.
#[derive(Clone, Debug)]
pub(super) struct BufferRange {
    buffer: wgpu::Buffer,
    /// In bytes, like the size.
    offset: u64,
    size: u64,
}

impl BufferRange {
    /// Creates a buffer for `bytes` alone. `what` is its label, and names it in errors.
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

    /// The offset in the buffer of a byte of the range.
    pub fn byte(&self, byte: usize) -> u64 {
        self.offset + byte as u64
    }

    pub fn binding(&self) -> wgpu::BindingResource<'_> {
        let size = wgpu::BufferSize::new(self.size);
        wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: &self.buffer, offset: self.offset, size })
    }
}

/// Allocates ranges in shared buffers. A large list gets a buffer of its own.
#[derive(Debug)]
pub(super) struct Pool {
    usage: wgpu::BufferUsages,
    /// In bytes: the largest size of a shared buffer, the size of the next one, and the alignment of ranges.
    size: u64,
    next: u64,
    step: u64,
    /// The buffer that is being filled.
    open: Option<wgpu::Buffer>,
    /// The bytes that will be written to the open buffer. Their memory is used again for the next buffer.
    staged: Vec<u8>,
    /// The one range that all empty lists share.
    nothing: Option<BufferRange>,
}

/// The least number of ranges that fit into a buffer of the largest size; a list that is too long for that gets its own
/// buffer. The first buffer holds one such range, and each further one is twice as large, so that a small model takes
/// little memory.
const PIECES: u64 = 8;

impl Pool {
    /// Creates a pool without any buffer. Its buffers have `usage`.
    pub fn new(gpu: &Gpu, usage: wgpu::BufferUsages) -> Self {
        let limits = gpu.device.limits();
        let most = limits.max_buffer_size.min(limits.max_storage_buffer_binding_size);
        let step = u64::from(limits.min_storage_buffer_offset_alignment).max(4);
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        let size = most.min(MOST_AT_ONCE as u64) & !3;
        Self { usage, size, next: (size / PIECES) & !3, step, open: None, staged: Vec::new(), nothing: None }
    }

    /// Allocates a range for `bytes` (a multiple of four), which it holds once the pool is finished. `what` names it in
    /// errors.
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
        let end = (self.staged.len() as u64).next_multiple_of(self.step) + size;
        if self.open.as_ref().is_some_and(|buffer| end > buffer.size()) {
            self.finish(gpu);
        }
        let buffer = match &self.open {
            Some(open) => open,
            None => {
                let buffer = gpu.empty_buffer(what, self.next, self.usage)?;
                self.staged.reserve_exact(self.next as usize);
                self.next = (self.next * 2).min(self.size);
                self.open.insert(buffer)
            }
        };
        self.staged.resize(self.staged.len().next_multiple_of(self.step as usize), 0);
        let offset = self.staged.len() as u64;
        self.staged.extend_from_slice(bytes);
        Ok(BufferRange { buffer: buffer.clone(), offset, size })
    }

    /// Writes the bytes that have not been written yet.
    pub fn finish(&mut self, gpu: &Gpu) {
        if let Some(buffer) = self.open.take() {
            gpu.write(&buffer, &self.staged);
            self.staged.clear();
        }
    }
}
