//! Writes over single rows of buffers: all of them with one upload, from which they are copied to their locations.

use super::error::GpuError;
use super::gpu::Gpu;
use super::pool::BufferRange;

/// Words that are uploaded together, and the locations that they are then copied to.
#[derive(Default)]
pub(super) struct Patches {
    words: Vec<u32>,
    copies: Vec<BufferCopy>,
}

/// Some words that stand one after the other, in the upload and in their buffer.
struct BufferCopy {
    buffer: wgpu::Buffer,
    /// The first byte of the buffer that is written.
    at: u64,
    /// The first of [`Patches::words`].
    first: usize,
    count: usize,
}

impl Patches {
    pub fn is_empty(&self) -> bool {
        self.copies.is_empty()
    }

    /// Adds rows of one range, each of as many words: `rows` holds the index of each, `words` their words in the same order. Rows that
    /// follow each other in the range are copied together.
    pub fn add(&mut self, range: &BufferRange, mut rows: Vec<(usize, usize)>, words: &[u32], per_row: usize) {
        rows.sort_unstable();
        for (row_index, row) in rows {
            let (at, first) = (range.byte(4 * per_row * row_index), self.words.len());
            self.words.extend_from_slice(&words[row * per_row..][..per_row]);
            match self.copies.last_mut() {
                Some(last) if last.at + 4 * last.count as u64 == at && last.buffer == *range.buffer() => {
                    last.count += per_row;
                }
                _ => self.copies.push(BufferCopy { buffer: range.buffer().clone(), at, first, count: per_row }),
            }
        }
    }

    /// Uploads the words and copies them to their locations, before anything that is submitted later.
    pub fn send(&self, gpu: &Gpu, label: &str) -> Result<(), GpuError> {
        if self.is_empty() {
            return Ok(());
        }
        let staging = gpu.buffer(label, bytemuck::cast_slice(&self.words), wgpu::BufferUsages::COPY_SRC)?;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some(label) });
        for BufferCopy { buffer, at, first, count } in &self.copies {
            encoder.copy_buffer_to_buffer(&staging, 4 * *first as u64, buffer, *at, 4 * *count as u64);
        }
        gpu.queue.submit([encoder.finish()]);
        Ok(())
    }
}
