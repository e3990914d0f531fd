//! Keeps the background by itself from one picture to the next: where the processor draws, copying it costs a fraction
//! of drawing it. This works only for pictures of one sample per pixel, which can be copied into.

use skinscope_frame::{Background, Display};

use super::super::gpu::{Gpu, TextureKind};
use super::super::pipeline_kind::Kind;
use super::super::pipelines::Pipelines;
use super::super::target::{Depth, Rows, SceneTarget, begin, clear_color};

/// A background that was drawn.
#[derive(Debug)]
pub(in super::super) struct Backdrop {
    of: Background,
    rows: Rows,
    texture: wgpu::Texture,
}

impl Backdrop {
    /// Puts the background of `display` into the picture of `target`. It is drawn again only where `cached` is another
    /// one. Nothing is cached where the picture lacks the pipeline.
    pub fn put(
        cached: &mut Option<Self>,
        gpu: &Gpu,
        pipelines: &mut Pipelines,
        display: &Display,
        (target, frame): (&SceneTarget, &wgpu::BindGroup),
        encoder: &mut wgpu::CommandEncoder,
    ) {
        let same = |b: &Self| b.of == display.background && b.rows == target.rows;
        let fits = |b: &Self| same(b) && b.texture.size() == target.picture.size();
        let size = target.picture.size();
        if let Some(cached) = cached.as_ref().filter(|b| fits(b)) {
            encoder.copy_texture_to_texture(cached.texture.as_image_copy(), target.picture.as_image_copy(), size);
            return;
        }
        *cached = None;
        let Some(pipeline) = pipelines.plain(gpu, Kind::Background) else { return };
        {
            let clear = wgpu::LoadOp::Clear(clear_color(display.background));
            let mut pass = begin(encoder, target, clear, None, Depth::Own);
            pass.set_bind_group(0, frame, &[]);
            pass.set_pipeline(&pipeline);
            pass.draw(0..3, 0..1);
        }
        let usage = wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::COPY_DST;
        let kind = TextureKind::plain(target.target_format.format, usage);
        let texture = gpu.texture("backdrop", [size.width, size.height], kind);
        encoder.copy_texture_to_texture(target.picture.as_image_copy(), texture.as_image_copy(), size);
        *cached = Some(Self { of: display.background, rows: target.rows, texture });
    }
}
