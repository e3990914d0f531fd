//! The target that a picture is drawn into: multisampled colour and depth, resolved into one texture, and the passes
//! over them.

use skinscope_frame::{Background, SideLayout};

use super::error::GpuError;
use super::gpu::{Gpu, TextureKind};
use super::srgb::linear;

/// The format of a picture in memory. It is sRGB-encoded, so blending and resolving are done in linear light.
pub const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
/// The format of depths, which are reversed: what is nearer has the larger depth.
pub(super) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// The format of the depths that shadows are computed from; what is nearer to the light has the smaller depth.
pub(super) const SHADOW_DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth16Unorm;
/// The number of samples per pixel where edges are smoothed; every adapter supports it.
pub const SAMPLES: u32 = 4;

/// The format and the samples of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TargetFormat {
    /// A format that encodes sRGB.
    pub format: wgpu::TextureFormat,
    /// The number of samples in a pixel: [`SAMPLES`], or one.
    pub samples: u32,
}

/// A picture of a certain size, or some rows of one.
#[derive(Debug)]
pub struct SceneTarget {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// The rows of the picture that the target has.
    pub(super) rows: Rows,
    /// The finished picture, premultiplied where the background is transparent.
    pub picture: wgpu::Texture,
    /// A view of all of `picture`.
    pub view: wgpu::TextureView,
    pub(super) target_format: TargetFormat,
    /// The multisampled colour; with one sample per pixel this is `view` itself.
    pub(super) color: wgpu::TextureView,
    pub(super) depth: wgpu::TextureView,
}

/// The rows of a picture that a target has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rows {
    /// How many rows of the picture are above it.
    pub first: u32,
    /// How many rows the whole picture has.
    pub of: u32,
}

/// The columns of a picture that one side of it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Columns {
    /// The first column that is drawn, and how many are.
    drawn: [u32; 2],
    /// The first column of the camera's picture, and how many it has.
    seen: [u32; 2],
}

impl Columns {
    /// All columns of a picture.
    pub fn whole(width: u32) -> Self {
        Self { drawn: [0, width], seen: [0, width] }
    }

    /// The columns of the two sides of a comparison.
    pub fn of(layout: SideLayout, width: u32) -> [Self; 2] {
        let at = |share: f32| (width as f32 * share.clamp(0.0, 1.0)).round() as u32;
        let parts = |at: u32| [[0, at], [at, width - at]];
        match layout {
            SideLayout::Split(share) => parts(at(share)).map(|drawn| Self { drawn, seen: [0, width] }),
            SideLayout::SideBySide => parts(at(0.5)).map(|drawn| Self { drawn, seen: drawn }),
        }
    }

    /// True where there is no column to draw.
    pub fn is_empty(self) -> bool {
        self.drawn[1] == 0 || self.seen[1] == 0
    }

    /// True where the camera's picture is as wide as the target.
    pub fn spans(self, target: &SceneTarget) -> bool {
        self.seen == [0, target.size[0]]
    }

    /// The first column of the camera's picture, and how many it has.
    pub fn seen(self) -> [u32; 2] {
        self.seen
    }

    /// Restricts the draws that follow in a pass over the target to these columns.
    pub(crate) fn restrict(self, pass: &mut wgpu::RenderPass<'_>, target: &SceneTarget) {
        let [first, count] = self.drawn;
        pass.set_scissor_rect(first, 0, count, target.size[1]);
        set_depths(pass, target, self, Depths::Scene);
    }
}

impl SceneTarget {
    /// Creates a target of `size` pixels, at least one each way. The whole picture too must fit the device, since the
    /// viewport spans it.
    pub(super) fn new(gpu: &Gpu, size: [u32; 2], rows: Rows, target_format: TargetFormat) -> Result<Self, GpuError> {
        let limit = gpu.device.limits().max_texture_dimension_2d;
        if size[0].max(rows.of) > limit {
            return Err(GpuError::TooLarge {
                what: "a picture".into(),
                need: format!("{} × {} pixels", size[0], rows.of),
                limit: format!("{limit} pixels each way"),
            });
        }
        let texture = |label, format, samples, usage| {
            gpu.texture(label, size, TextureKind { samples, ..TextureKind::plain(format, usage) })
        };
        use wgpu::TextureUsages as U;
        let whole = wgpu::TextureViewDescriptor::default();
        let make = || {
            let TargetFormat { format, samples } = target_format;
            let depth = texture("scene depth", DEPTH, samples, U::RENDER_ATTACHMENT).create_view(&whole);
            let usage = U::RENDER_ATTACHMENT | U::TEXTURE_BINDING | U::COPY_SRC | U::COPY_DST;
            let picture = texture("picture", format, 1, usage);
            let view = picture.create_view(&whole);
            let color = match samples {
                1 => view.clone(),
                _ => texture("scene color", format, samples, U::RENDER_ATTACHMENT).create_view(&whole),
            };
            Self { size, rows, picture, view, target_format, color, depth }
        };
        gpu.scope(make).map_err(|e| e.of(&format!("a picture of {} × {} pixels", size[0], size[1])))
    }
}

/// How a pass treats depth.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// The depth begins empty and is dropped with the pass.
    Own,
    /// The depth begins empty; the next pass goes on with it.
    Stored,
    /// The pass goes on with the depth of the pass before, and so does the next one.
    Passed,
    /// The pass goes on with the depth of the pass before, which is dropped with it.
    Taken,
}

/// Begins a pass over the target. `resolved`: the texture that its samples are resolved into at the end, where a pixel
/// has several.
pub(super) fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    target: &SceneTarget,
    load: wgpu::LoadOp<wgpu::Color>,
    resolved: Option<&wgpu::TextureView>,
    depth: Depth,
) -> wgpu::RenderPass<'a> {
    let resolved = resolved.filter(|_| target.target_format.samples > 1);
    // Samples that are resolved into the finished picture are not needed any more.
    let is_last = resolved == Some(&target.view);
    let store = if is_last { wgpu::StoreOp::Discard } else { wgpu::StoreOp::Store };
    // Depths are reversed: nothing is farther than zero.
    let empty = wgpu::LoadOp::Clear(0.0);
    let depth_ops = wgpu::Operations {
        load: if matches!(depth, Depth::Taken | Depth::Passed) { wgpu::LoadOp::Load } else { empty },
        store: match depth {
            Depth::Stored | Depth::Passed => wgpu::StoreOp::Store,
            Depth::Own | Depth::Taken => wgpu::StoreOp::Discard,
        },
    };
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("scene"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: &target.color,
            depth_slice: None,
            resolve_target: resolved,
            ops: wgpu::Operations { load, store },
        })],
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: &target.depth,
            depth_ops: Some(depth_ops),
            stencil_ops: None,
        }),
        ..wgpu::RenderPassDescriptor::default()
    });
    set_depths(&mut pass, target, Columns::whole(target.size[0]), Depths::Scene);
    pass
}

/// Begins a pass that draws depths alone. `goes_on`: the layer has some already.
pub(super) fn begin_depths<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    depths: &wgpu::TextureView,
    goes_on: bool,
) -> wgpu::RenderPass<'a> {
    let load = if goes_on { wgpu::LoadOp::Load } else { wgpu::LoadOp::Clear(1.0) };
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("shadow depths"),
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: depths,
            depth_ops: Some(wgpu::Operations { load, store: wgpu::StoreOp::Store }),
            stencil_ops: None,
        }),
        ..wgpu::RenderPassDescriptor::default()
    })
}

/// A part of the range of depths. What is drawn over the scene has depths nearer than all of it, and so needs no pass
/// of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Depths {
    Scene,
    Over,
}

/// Sets the viewport and the range of depths for the draws that follow.
pub(super) fn set_depths(pass: &mut wgpu::RenderPass<'_>, target: &SceneTarget, columns: Columns, depths: Depths) {
    // Halving a depth is exact, and reversed depths are most precise near zero, which the scene has.
    let [far, near] = if depths == Depths::Scene { [0.0, 0.5] } else { [0.5, 1.0] };
    let Rows { first, of } = target.rows;
    let [left, width] = columns.seen;
    pass.set_viewport(left as f32, -(first as f32), width as f32, of as f32, far, near);
}

pub(super) fn clear_color(background: Background) -> wgpu::Color {
    let opaque = |c: [f32; 3]| {
        let [r, g, b] = linear(c).map(f64::from);
        wgpu::Color { r, g, b, a: 1.0 }
    };
    match background {
        Background::Solid(c) => opaque(c),
        Background::Studio { outer, .. } => opaque(outer),
        Background::Transparent => wgpu::Color::TRANSPARENT,
    }
}
