//! The passes of a picture: what is recorded after what. The two sides of a comparison are drawn in the same passes, each into its
//! own columns.

use super::Renderer;
use super::error::GpuError;
use super::gpu::Gpu;
use super::held::HeldModel;
use super::items::{Item, Items};
use super::numbers::Numbers;
use super::painter::Painter;
use super::pipeline_kind::Kind;
use super::pipelines::Pipelines;
use super::placed::PlacedVertices;
use super::side::Side;
use super::software::backdrop::Backdrop;
use super::software::late_depth::DRAWS_AT_ONCE;
use super::software::nearest::nearest_first;
use super::software::portions::{Queue, portions};
use super::target::{Columns, Depth, Depths, SceneTarget, begin, clear_color, set_depths};
use super::transmission::TransmissionTexture;
use super::upload::Upload;
use crate::frame::{Background, Frame};

/// A side of the picture that is recorded.
struct SidePicture<'a> {
    frame: &'a Frame,
    upload: &'a mut Upload,
    numbers: &'a Numbers,
    placed: &'a PlacedVertices,
    columns: Columns,
    items: Items<'a>,
    /// The solid items in another order, where that is faster.
    nearest: Option<Vec<Item<'a>>>,
    /// The group that glass binds, where there is some.
    through: Option<wgpu::BindGroup>,
}

/// What both sides of a picture are drawn with.
#[derive(Clone, Copy)]
struct Setting<'a> {
    gpu: &'a Gpu,
    target: &'a SceneTarget,
    /// The background is there already.
    has_backdrop: bool,
    /// Edges of large meshes are made elsewhere; until then they are not drawn.
    waits: bool,
}

impl<'a> SidePicture<'a> {
    /// `held`: the model that the side shows, which may be that of the other side. `expected`: about how many items there are.
    fn new(frame: &'a Frame, held: &'a HeldModel, side: Kept<'a>, expected: usize) -> Option<Self> {
        let (upload, numbers, placed, columns) = side;
        let items = Items::of(frame, held.get(), expected);
        Some(Self { frame, upload: upload?, numbers, placed, columns, items, nearest: None, through: None })
    }

    /// The items that hide what lies behind them, in the order in which they are drawn.
    fn solid(&self) -> &[Item<'a>] {
        self.nearest.as_deref().unwrap_or(self.items.surfaces(self.frame).0)
    }

    /// The items that show what lies behind them: those behind the farthest glass, and the others from that glass on.
    fn sorted(&self) -> (&[Item<'a>], &[Item<'a>]) {
        let (_, sorted) = self.items.surfaces(self.frame);
        sorted.split_at(sorted.iter().position(|item| item.traits.transmits).unwrap_or(0))
    }

    fn has_glass(&self) -> bool {
        self.items.surfaces(self.frame).1.iter().any(|item| item.traits.transmits)
    }

    /// Draws into the side's own columns.
    fn paint<T>(
        &self,
        setting: Setting<'_>,
        pipelines: &mut Pipelines,
        pass: &mut wgpu::RenderPass<'_>,
        work: impl FnOnce(&mut Painter<'_, '_>) -> T,
    ) -> T {
        let Setting { gpu, target, has_backdrop, waits } = setting;
        let Self { frame, upload, numbers, placed, columns, .. } = self;
        pipelines.linking.palette = upload.palette_in();
        columns.restrict(pass, target);
        pass.set_bind_group(0, &upload.group, &[]);
        let groups = [&upload.group, self.through.as_ref().unwrap_or(&upload.group)];
        work(&mut Painter { gpu, pipelines, numbers, placed, frame, pass, groups, has_backdrop, waits })
    }

    /// Draws bones and lines: they hide one another, but nothing of the scene hides them.
    fn over(&self, setting: Setting<'_>, pipelines: &mut Pipelines, pass: &mut wgpu::RenderPass<'_>) {
        let Self { frame, upload, .. } = self;
        set_depths(pass, setting.target, self.columns, Depths::Over);
        if upload.bones.count() > 0 {
            pass.set_pipeline(&pipelines.plain(setting.gpu, Kind::Bones));
            pass.set_vertex_buffer(0, upload.bones.buffer.slice(..));
            pass.draw(0..4, 0..upload.bones.count());
        }
        if !frame.lines.is_empty() {
            pass.set_pipeline(&pipelines.plain(setting.gpu, Kind::Lines));
            pass.set_vertex_buffer(0, upload.lines.buffer.slice(..));
            pass.draw(0..4, 0..frame.lines.len() as u32);
        }
    }
}

/// What is kept of a side beside its model.
type Kept<'a> = (Option<&'a mut Upload>, &'a Numbers, &'a PlacedVertices, Columns);

impl Renderer {
    pub(super) fn record(&mut self, gpu: &Gpu, frame: &Frame, target: &SceneTarget) -> Result<(), GpuError> {
        self.prepare(gpu, frame, target.size[0], target.rows)?;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("picture") });
        self.scene(gpu, frame, target, &mut encoder)?;
        gpu.queue.submit([encoder.finish()]);
        Ok(())
    }

    fn scene(
        &mut self,
        gpu: &Gpu,
        frame: &Frame,
        target: &SceneTarget,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), GpuError> {
        let Self { first, second, pipelines, in_memory, surfaces: expected, .. } = self;
        let Side { held, upload, numbers, placed, columns, .. } = first;
        let held = &*held;
        let left = SidePicture::new(frame, held, (upload.as_mut(), numbers, placed, *columns), *expected);
        let compared = frame.compared.as_deref().zip(second.as_deref_mut());
        let right = compared.and_then(|(compared, side)| {
            let Side { held: own, upload, numbers, placed, columns, .. } = side;
            let held = if compared.frame.shows_model_of(frame) { held } else { &*own };
            SidePicture::new(&compared.frame, held, (upload.as_mut(), numbers, placed, *columns), *expected)
        });
        let mut sides = [left, right].map(|side| side.filter(|side| !side.columns.is_empty()));
        let surfaces = sides.iter().flatten().map(|side| side.items.all.len()).sum();
        for side in sides.iter_mut().flatten().filter(|_| *in_memory && gpu.software.nearest_first) {
            side.nearest = nearest_first(side.frame, side.solid());
        }
        let display = &frame.display;
        let mut load = wgpu::LoadOp::Clear(clear_color(display.background));
        // Through OpenGL, Mesa's software driver now and then loses what is drawn after such a copy.
        let copies =
            gpu.software.backdrop && target.target_format.samples == 1 && gpu.info.backend != wgpu::Backend::Gl;
        let is_alike =
            |side: &SidePicture<'_>| side.frame.display.background == display.background && side.columns.spans(target);
        let is_studio = matches!(display.background, Background::Studio { .. });
        let has_backdrop = copies && is_studio && sides.iter().flatten().all(is_alike);
        if let Some(side) = sides.iter().flatten().next().filter(|_| has_backdrop) {
            Backdrop::put(&mut self.backdrop, gpu, pipelines, display, (target, &side.upload.group), encoder);
            load = wgpu::LoadOp::Load;
        }
        let ends_by_itself = pipelines.linking.late_depth && target.target_format.samples > 1;
        let at_once = ends_by_itself.then_some(DRAWS_AT_ONCE);
        let setting = Setting { gpu, target, has_backdrop, waits: self.jobs.is_some() };
        let has_glass = sides.iter().flatten().any(SidePicture::has_glass);
        if has_glass {
            // All that lies behind the farthest glass is seen through it, resolved and blurred on the way.
            let transmission = match self.transmission.take() {
                Some(transmission) => self.transmission.insert(transmission),
                None => self.transmission.insert(TransmissionTexture::new(gpu, pipelines, target.size)),
            };
            {
                let mut pass = begin(encoder, target, load, Some(&transmission.first), Depth::Kept);
                for side in sides.iter().flatten() {
                    side.paint(setting, pipelines, &mut pass, |painter| {
                        painter.ground(side.solid());
                        painter.sorted(side.sorted().0);
                    });
                }
                release(&mut pass, target);
            }
            transmission.take(target, encoder);
            for side in sides.iter_mut().flatten().filter(|side| side.has_glass()) {
                pipelines.linking.palette = side.upload.palette_in();
                side.through = Some(side.upload.group_with(gpu, pipelines, transmission));
            }
            load = wgpu::LoadOp::Load;
        }
        let mut depth = if has_glass { Depth::Taken } else { Depth::Own };
        let mut queue = Queue::default();
        // The last portion of each side; all of what is solid where it is not divided.
        let mut last = [None, None];
        for (side, last) in sides.iter().zip(&mut last) {
            let Some(side) = side else { continue };
            // Of a translucent surface all depth comes before any colour.
            let is_opaque = side.frame.display.skin_opacity >= 1.0;
            let divides = *in_memory && gpu.software.portions && !has_glass && is_opaque;
            let mut portions = if divides { portions(side.solid(), held.is_part(), at_once) } else { Vec::new() };
            *last = portions.pop();
            for portion in &portions {
                let kept = if depth == Depth::Own { Depth::Kept } else { Depth::Passed };
                {
                    let mut pass = begin(encoder, target, load, None, kept);
                    side.paint(setting, pipelines, &mut pass, |painter| painter.solid(portion));
                    release(&mut pass, target);
                }
                queue.submit(gpu, encoder)?;
                (depth, load) = (Depth::Taken, wgpu::LoadOp::Load);
            }
        }
        let mut pass = begin(encoder, target, load, Some(&target.view), depth);
        for (side, last) in sides.iter().zip(&last) {
            let Some(side) = side else { continue };
            side.paint(setting, pipelines, &mut pass, |painter| {
                if !has_glass {
                    painter.ground(last.as_deref().unwrap_or(side.solid()));
                }
                painter.rest(side.sorted().1, &side.items.all)
            })?;
            side.over(setting, pipelines, &mut pass);
        }
        release(&mut pass, target);
        drop(pass);
        drop(sides);
        self.surfaces = surfaces;
        Ok(())
    }
}

/// Lets the end of a pass write the whole target: OpenGL resolves samples within the last scissor rectangle alone.
fn release(pass: &mut wgpu::RenderPass<'_>, target: &SceneTarget) {
    pass.set_scissor_rect(0, 0, target.size[0], target.size[1]);
}
