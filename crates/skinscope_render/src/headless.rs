//! Draws a picture into memory, without a window. It is drawn in bands, so that its samples, which take eight times the
//! memory of the picture, need not all be there at once.

use skinscope_frame::{Background, Frame};

use super::error::GpuError;
use super::gpu::Gpu;
use super::target::Rows;
use super::{Renderer, SceneTarget, guarded};

/// Pixels in memory: RGBA, 8 bits each, sRGB, straight alpha, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// `width * height * 4` bytes.
    pub rgba: Vec<u8>,
}

impl Picture {
    /// The RGBA values of the pixel in column `x` and row `y`, counted from the top left.
    #[must_use]
    pub fn at(&self, x: u32, y: u32) -> [u8; 4] {
        let i = (y as usize * self.width as usize + x as usize) * 4;
        [self.rgba[i], self.rgba[i + 1], self.rgba[i + 2], self.rgba[i + 3]]
    }
}

/// Does `work` on a device: `first`, or one that `open` opens. If the device is lost, the work is done once more on
/// another; that one has half the memory for textures if the device was lost for lack of memory.
///
/// # Errors
/// The errors of `open` and of `work`.
pub fn on_device<T>(
    first: Option<&Gpu>,
    open: impl Fn() -> Result<Gpu, GpuError>,
    mut work: impl FnMut(&Gpu, &mut Renderer) -> Result<T, GpuError>,
) -> Result<T, GpuError> {
    let mut on = |gpu: &Gpu| guarded(|| work(gpu, &mut Renderer::new(gpu)));
    let done = match first {
        Some(gpu) => on(gpu),
        None => on(&open()?),
    };
    match done {
        Err(error @ GpuError::Lost(_)) => {
            let mut gpu = open()?;
            if error.is_of_memory() {
                gpu.texture_memory /= 2;
            }
            on(&gpu)
        }
        done => done,
    }
}

/// Draws `frame` at `size` (width and height in pixels) and reads the picture back.
///
/// # Errors
/// The errors of [`Renderer::draw`] and of the device.
pub fn render_image(gpu: &Gpu, renderer: &mut Renderer, frame: &Frame, size: [u32; 2]) -> Result<Picture, GpuError> {
    let [width, height] = size.map(|s| s.max(1));
    let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
    render_rows(gpu, renderer, frame, [width, height], &mut |rows| rgba.extend_from_slice(rows))?;
    Ok(Picture { width, height, rgba })
}

/// Does the same as [`render_image`], but hands the picture to `take` while it is drawn: some whole rows at a time,
/// from the top. An error may come after all rows were handed over.
///
/// # Errors
/// The same as those of [`render_image`].
pub fn render_rows(
    gpu: &Gpu,
    renderer: &mut Renderer,
    frame: &Frame,
    size: [u32; 2],
    take: &mut dyn FnMut(&[u8]),
) -> Result<(), GpuError> {
    guarded(|| {
        let [width, height] = size.map(|s| s.max(1));
        let step = band_rows(frame, width, height);
        renderer.prepare_in_memory(gpu, frame, [width, height]);
        let mut rgba = Vec::with_capacity(width as usize * step as usize * 4);
        let mut first = 0;
        while first < height {
            // The last band starts further up, so that all bands have the same size; only the missing rows of it are
            // taken.
            let rows = Rows { first: first.min(height - step), of: height };
            let skipped = first - rows.first;
            let target = renderer.draw_rows(gpu, frame, [width, step], rows)?;
            rgba.clear();
            read_rows(gpu, target, skipped, &mut rgba)?;
            if frame.display.background == Background::Transparent {
                rgba.as_chunks_mut().0.iter_mut().for_each(straighten);
            }
            take(&rgba);
            first = rows.first + step;
        }
        gpu.take_error().map_or(Ok(()), Err)
    })
}

/// How many pixels a band has: with four samples of eight bytes each, they take 3 MiB.
const BAND_PIXELS: u32 = 96 << 10;
/// How many pixels a band may have where the model is so large that deforming it again for each band costs more than
/// the memory is worth.
const WIDE_BAND_PIXELS: u32 = 4 << 20;
/// The most vertices that are deformed a second time for the sake of small bands.
const SPARE_VERTICES: usize = 200_000;
/// The height of the blocks in which most drivers draw a picture: bands are multiples of it.
const BLOCK_ROWS: u32 = 64;

/// How many rows of the picture are drawn at once.
fn band_rows(frame: &Frame, width: u32, height: u32) -> u32 {
    let model = frame.model.as_ref();
    if model.is_some_and(|m| m.materials.iter().any(|m| m.transmission.is_some())) {
        return height;
    }
    let rows = |pixels: u32| (pixels / width / BLOCK_ROWS * BLOCK_ROWS).max(BLOCK_ROWS).min(height);
    let most = 1 + SPARE_VERTICES / model.map_or(0, |m| m.drawn_vertices()).max(1);
    let narrow = rows(BAND_PIXELS).max(height.div_ceil(most as u32).next_multiple_of(BLOCK_ROWS));
    narrow.min(rows(WIDE_BAND_PIXELS))
}

/// Returns all pixels of a texture of four bytes a pixel, which may be copied from.
///
/// # Errors
/// The errors of the device.
pub fn read_texture(gpu: &Gpu, texture: &wgpu::Texture) -> Result<Vec<u8>, GpuError> {
    let mut out = Vec::new();
    read_below(gpu, texture, [texture.width(), texture.height()], 0, &mut out)?;
    Ok(out)
}

/// Appends the rows of the target, from row `skipped` on, to `rgba`.
pub(super) fn read_rows(gpu: &Gpu, target: &SceneTarget, skipped: u32, rgba: &mut Vec<u8>) -> Result<(), GpuError> {
    read_below(gpu, &target.picture, target.size, skipped, rgba)
}

/// Appends the rows of a texture of this size, from row `skipped` on, to `rgba`.
fn read_below(
    gpu: &Gpu,
    texture: &wgpu::Texture,
    size: [u32; 2],
    skipped: u32,
    rgba: &mut Vec<u8>,
) -> Result<(), GpuError> {
    let [width, height] = [size[0], size[1] - skipped];
    let row = width as usize * 4;
    let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT as usize);
    let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
    let buffer = gpu.empty_buffer("the picture in memory", padded as u64 * u64::from(height), usage)?;
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("readback") });
    encoder.copy_texture_to_buffer(
        wgpu::TexelCopyTextureInfo { origin: wgpu::Origin3d { x: 0, y: skipped, z: 0 }, ..texture.as_image_copy() },
        wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(padded as u32), rows_per_image: None },
        },
        wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
    );
    gpu.queue.submit([encoder.finish()]);
    read(gpu, &buffer, |bytes| bytes.chunks_exact(padded).for_each(|r| rgba.extend_from_slice(&r[..row])))
}

/// Waits for all submitted work, maps `buffer` and passes its bytes to `take`.
pub(super) fn read<T>(gpu: &Gpu, buffer: &wgpu::Buffer, take: impl FnOnce(&[u8]) -> T) -> Result<T, GpuError> {
    let (send, receive) = std::sync::mpsc::channel();
    buffer.map_async(wgpu::MapMode::Read, .., move |result| {
        // The receiver waits below; if it is gone, nobody needs the result.
        drop(send.send(result));
    });
    let failed = |what: String| gpu.take_error().unwrap_or(GpuError::Device(what));
    gpu.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| failed(e.to_string()))?;
    match receive.recv() {
        Ok(Ok(())) => {}
        Ok(Err(e)) => return Err(failed(e.to_string())),
        Err(e) => return Err(failed(e.to_string())),
    }
    let taken = take(&buffer.get_mapped_range(..).map_err(|e| failed(e.to_string()))?);
    buffer.unmap();
    Ok(taken)
}

/// Converts colours that were multiplied by alpha in linear light to straight alpha.
fn straighten(pixel: &mut [u8; 4]) {
    let alpha = pixel[3];
    if alpha == 0 {
        *pixel = [0; 4];
    } else if alpha < 255 {
        let alpha = f32::from(alpha) / 255.0;
        for c in &mut pixel[..3] {
            let linear = super::srgb::linear([f32::from(*c) / 255.0; 3])[0] / alpha;
            let srgb = if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
            *c = (srgb * 255.0 + 0.5).clamp(0.0, 255.0) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use skinscope_frame::{Bone, Line};

    use super::super::Backend;
    use super::*;

    /// A gradient with noise, a bone and thick lines: each of them depends on where it lies in the picture.
    fn busy() -> Frame {
        let line = |x: f32| Line {
            from: Vec3::new(x, -1.4, 0.0),
            to: Vec3::new(-x, 1.4, 0.0),
            width: 9.0,
            color: [1.0, 0.5, 0.1, 0.8],
        };
        let (head, tail) = (Vec3::new(-0.4, -1.2, 0.0), Vec3::new(0.3, 1.2, 0.2));
        let mut frame = Frame {
            lines: vec![line(0.7), line(-0.2)],
            bones: vec![Bone { head, tail, radius: 0.2, color: [0.3, 0.6, 0.9, 0.7], ..Bone::default() }],
            ..Frame::default()
        };
        frame.display.background = Background::Studio { inner: [0.3, 0.32, 0.36], outer: [0.1, 0.1, 0.12] };
        frame
    }

    #[test]
    fn a_picture_in_portions_is_the_one_drawn_at_once() {
        use skinscope_model::test_shapes::{Tube, tube};
        for backend in [Backend::Vulkan, Backend::Gl] {
            let Ok(gpu) = Gpu::headless(backend) else { continue };
            // The model has 409 600 triangles, which are drawn in two portions.
            let model = std::sync::Arc::new(tube(Tube { rings: 801, sides: 256, ..Tube::default() }));
            let mut frame = busy();
            let mut palettes = Vec::new();
            let mut matrices = Vec::new();
            skinscope_anim::local_to_model(&model.skeleton, &model.skeleton.rest, &mut matrices);
            skinscope_deform::palettes(&model, &matrices, &mut palettes);
            (frame.palettes, frame.draws) = (palettes, vec![skinscope_model::InstanceId(0)]);
            frame.model = Some(model);
            let size = [96, 64];
            let draw = |frame: &Frame, in_memory: bool| {
                let mut renderer = Renderer::new(&gpu);
                renderer.in_memory = in_memory;
                let rows = Rows { first: 0, of: size[1] };
                let mut rgba = Vec::new();
                read_rows(&gpu, renderer.draw_rows(&gpu, frame, size, rows).unwrap(), 0, &mut rgba).unwrap();
                rgba
            };
            let whole = draw(&frame, false);
            assert!(draw(&frame, true) == whole, "{backend:?}");
            frame.draws.clear();
            assert!(draw(&frame, false) != whole, "the model is drawn");
        }
    }

    #[test]
    fn the_palette_is_read_from_the_buffer_that_is_chosen() {
        use skinscope_deform::PaletteBuffer;

        use super::super::shader::PaletteIn;
        for backend in [Backend::Vulkan, Backend::Gl] {
            let Ok(gpu) = Gpu::headless(backend) else { continue };
            let (mut frame, mut renderer) = (busy(), Renderer::new(&gpu));
            for buffer in PaletteBuffer::ALL {
                frame.display.palette_buffer = buffer;
                render_image(&gpu, &mut renderer, &frame, [16, 16]).unwrap();
                let is_uniform = renderer.pipelines.linking.palette != PaletteIn::Storage;
                assert_eq!(is_uniform, buffer == PaletteBuffer::Uniform, "{backend:?}");
                assert_eq!(Renderer::palette_fit(&gpu, &frame).is_uniform(), is_uniform);
            }
        }
    }

    #[test]
    fn a_picture_in_bands_is_the_one_drawn_at_once() {
        for backend in [Backend::Vulkan, Backend::Gl] {
            let Ok(gpu) = Gpu::headless(backend) else { continue };
            let (frame, [width, height]) = (busy(), [400, 600]);
            let step = band_rows(&frame, width, height);
            assert_eq!((step, height % step), (192, 24), "four bands, the last one cut");
            let mut renderer = Renderer::new(&gpu);
            let mut whole = Vec::new();
            let rows = Rows { first: 0, of: height };
            read_rows(&gpu, renderer.draw_rows(&gpu, &frame, [width, height], rows).unwrap(), 0, &mut whole).unwrap();
            let banded = render_image(&gpu, &mut renderer, &frame, [width, height]).unwrap();
            let differ = banded.rgba.as_chunks::<4>().0.iter().zip(whole.as_chunks::<4>().0).filter(|(a, b)| a != b);
            // The matrix of a band rounds differently: an edge that passes close by a sample may fall on its other
            // side.
            assert!(differ.count() < 24, "{backend:?}: of 240 000 pixels");
            let colours: std::collections::BTreeSet<_> = whole.as_chunks::<4>().0.iter().collect();
            assert!(colours.len() > 500, "something is drawn");
        }
    }
}
