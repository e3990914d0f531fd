//! From a [`Frame`] to a picture. Owns the device, the shaders and the device's copy of the model; sees nothing but
//! frames: no session, no files, no window.
//!
//! A picture takes two passes into one multisampled target: the scene, then what lies over it (bones, lines) with a depth
//! of its own. The vertex shader deforms; per picture only palettes, morph weights and one uniform are uploaded.

mod behind;
mod budget;
mod deform;
mod error;
mod gpu;
mod guard;
mod headless;
pub mod layouts;
mod material;
mod needs;
mod numbers;
mod pipelines;
mod scene;
pub mod shader;
mod studio;
mod target;
mod texture;
mod upload;

use std::sync::Arc;

pub use deform::{DeformedOnGpu, deform_on_gpu};
pub use error::GpuError;
pub use gpu::{Backend, Gpu, Uploads};
pub use guard::guarded;
pub use headless::{Picture, on_device, render_image};
use target::Rows;
pub use target::{COLOR, SceneTarget};

use crate::deform::keep_sides;
use crate::frame::{Background, Frame};
use crate::model::{InstanceId, Model};
use behind::Behind;
use material::{Groups, Traits};
use numbers::Numbers;
use pipelines::{Cull, Kind, Look, Pipelines, entry};
use scene::{GpuDraw, GpuModel, GpuPrimitive};
use upload::Upload;

/// Draws frames. Keeps what it has compiled and uploaded from one to the next.
#[derive(Debug)]
pub struct Renderer {
    pipelines: Pipelines,
    upload: Option<Upload>,
    /// The model that was drawn last, and its copy on the device (or why there is none).
    model: Option<(Arc<Model>, Result<GpuModel, GpuError>)>,
    /// Numbers and marks of its vertices.
    numbers: Numbers,
    target: Option<SceneTarget>,
    /// Where glass finds what lies behind it, once there was some.
    behind: Option<Behind>,
    /// What the target shows.
    drawn: Option<Frame>,
    present: Option<PresentGroup>,
    /// Bytes.
    texture_step: u64,
}

/// Binds a certain picture for presenting.
#[derive(Debug)]
struct PresentGroup {
    picture: wgpu::Texture,
    format: wgpu::TextureFormat,
    pipeline: wgpu::RenderPipeline,
    group: wgpu::BindGroup,
}

/// One primitive of one instance, or of several that are drawn at once.
#[derive(Clone, Copy)]
struct Item<'a> {
    primitive: &'a GpuPrimitive,
    source: &'a crate::model::Primitive,
    draw: &'a GpuDraw,
    /// How many times: each copy is moved by the next matrix of the palette.
    copies: u32,
    groups: &'a Groups,
    traits: &'a Traits,
    /// Mesh, and primitive of it.
    place: (usize, usize),
}

impl Renderer {
    /// Compiles nothing yet.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        Self {
            pipelines: Pipelines::new(gpu),
            upload: None,
            model: None,
            numbers: Numbers::default(),
            target: None,
            behind: None,
            drawn: None,
            present: None,
            texture_step: u64::MAX,
        }
    }

    /// How many bytes of textures go to the device with one picture (one texture at least), so that no picture waits for
    /// all of them; the rest comes with the next ([`Renderer::has_news`]). Without this all come at once.
    pub fn set_texture_step(&mut self, bytes: u64) {
        self.texture_step = bytes;
    }

    /// Draws `frame` into the renderer's own target of `size` pixels (at least one each way) and submits it. What the
    /// target shows already is not drawn again.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] where the model or the picture does not fit the adapter. Errors of the device itself come
    /// later, from [`Gpu::take_error`].
    pub fn draw(&mut self, gpu: &Gpu, frame: &Frame, size: [u32; 2]) -> Result<&SceneTarget, GpuError> {
        let size = size.map(|s| s.max(1));
        self.draw_rows(gpu, frame, size, Rows { first: 0, of: size[1] })
    }

    /// As [`Renderer::draw`], but of a picture of `rows.of` rows only as many as `size` has, from `rows.first` on: so a
    /// large picture is drawn in bands, in the memory of one. Glass must not be drawn so: it sees all that lies behind it.
    fn draw_rows(&mut self, gpu: &Gpu, frame: &Frame, size: [u32; 2], rows: Rows) -> Result<&SceneTarget, GpuError> {
        let fits = self.target.take_if(|t| t.size == size);
        if fits.is_none() {
            // Gone before another takes its room.
            self.target = None;
            self.behind = None;
        }
        let target = match fits {
            Some(target)
                if target.rows == rows
                    && !self.has_news()
                    && self.drawn.as_ref().is_some_and(|d| shows_the_same(d, frame)) =>
            {
                return Ok(self.target.insert(target));
            }
            Some(target) => SceneTarget { rows, ..target },
            None => SceneTarget::new(gpu, size, rows)?,
        };
        // Until all went well, nobody knows what the target shows.
        let mut drawn = self.drawn.take().unwrap_or_default();
        let recorded = self.record(gpu, frame, &target);
        if recorded.is_ok() {
            drawn.clone_from(frame);
            self.drawn = Some(drawn);
        }
        let target = self.target.insert(target);
        recorded.map(|()| &*target)
    }

    fn record(&mut self, gpu: &Gpu, frame: &Frame, target: &SceneTarget) -> Result<(), GpuError> {
        self.prepare(gpu, frame, target.size[0], target.rows)?;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("picture") });
        self.scene_pass(gpu, frame, target, &mut encoder)?;
        self.overlay_pass(gpu, frame, target, &mut encoder);
        gpu.queue.submit([encoder.finish()]);
        Ok(())
    }

    /// True when another picture of the same frame would show more: images of the model have arrived.
    #[must_use]
    pub fn has_news(&self) -> bool {
        self.model.as_ref().is_some_and(|(model, copy)| copy.as_ref().is_ok_and(|c| c.materials.has_news(model)))
    }

    /// What the current model could not be drawn with as its file has it, for people to read.
    #[must_use]
    pub fn notices(&self) -> &[String] {
        match &self.model {
            Some((_, Ok(model))) => model.materials.notices(),
            _ => &[],
        }
    }

    /// Copies the last picture into `pass`, whose one target (without depth, single-sampled) has `format`. `rect` is
    /// x, y, width and height in pixels of that target; viewport and scissor stay there.
    pub fn present(&mut self, gpu: &Gpu, pass: &mut wgpu::RenderPass<'_>, format: wgpu::TextureFormat, rect: [u32; 4]) {
        let Some(target) = &self.target else { return };
        let fits = |p: &PresentGroup| p.picture == target.picture && p.format == format;
        if !self.present.as_ref().is_some_and(fits) {
            let pipeline = self.pipelines.present(gpu, format);
            let filter = wgpu::FilterMode::Linear;
            let how = wgpu::SamplerDescriptor { mag_filter: filter, min_filter: filter, ..Default::default() };
            let sampler = gpu.device.create_sampler(&how);
            let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("present"),
                layout: &pipeline.get_bind_group_layout(0),
                entries: &[
                    entry(0, wgpu::BindingResource::TextureView(&target.view)),
                    entry(1, wgpu::BindingResource::Sampler(&sampler)),
                ],
            });
            self.present = Some(PresentGroup { picture: target.picture.clone(), format, pipeline, group });
        }
        let Some(present) = &self.present else { return };
        let [x, y, width, height] = rect;
        pass.set_viewport(x as f32, y as f32, width as f32, height as f32, 0.0, 1.0);
        pass.set_scissor_rect(x, y, width, height);
        pass.set_pipeline(&present.pipeline);
        pass.set_bind_group(0, &present.group, &[]);
        pass.draw(0..3, 0..1);
    }

    /// Uploads the model if it is another one, and everything of this frame.
    fn prepare(&mut self, gpu: &Gpu, frame: &Frame, width: u32, rows: Rows) -> Result<(), GpuError> {
        let is_kept = |held: &Arc<Model>| frame.model.as_ref().is_some_and(|m| Arc::ptr_eq(m, held));
        if !self.model.as_ref().is_some_and(|(held, _)| is_kept(held)) {
            // The old one goes first, so that both never need room together.
            self.model = None;
            self.numbers = Numbers::default();
            if let Some(model) = &frame.model {
                let uploaded = GpuModel::new(gpu, &mut self.pipelines, model);
                self.model = Some((Arc::clone(model), uploaded));
            }
        }
        let slots = match &mut self.model {
            Some((model, Ok(copy))) => {
                copy.materials.take_news(gpu, &mut self.pipelines, model, self.texture_step)?;
                copy.materials.change(gpu, model, &frame.changes);
                self.numbers.follow(gpu, model, frame)?;
                Some(&copy.slots)
            }
            Some((_, Err(error))) => return Err(error.clone()),
            None => None,
        };
        let upload = match &mut self.upload {
            Some(upload) => upload,
            None => self.upload.insert(Upload::new(gpu, &self.pipelines)?),
        };
        upload.write(gpu, &self.pipelines, frame, width, rows, slots)
    }

    fn scene_pass(
        &mut self,
        gpu: &Gpu,
        frame: &Frame,
        target: &SceneTarget,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), GpuError> {
        let Some(upload) = &mut self.upload else { return Ok(()) };
        let display = &frame.display;
        let is_last = frame.bones.is_empty() && frame.lines.is_empty();
        let items = match &self.model {
            Some((model, Ok(copy))) => items(frame, model, copy),
            _ => Vec::new(),
        };
        let order = Order::of(frame, &items);
        let (pipelines, numbers) = (&mut self.pipelines, &self.numbers);
        let clear = wgpu::LoadOp::Clear(clear_color(display.background));
        let Some(glass) = order.sorted.iter().position(|i| i.traits.transmits) else {
            let mut pass = begin(encoder, target, clear, is_last.then_some(&target.view), Depth::Own);
            pass.set_bind_group(0, &upload.group, &[]);
            let mut painter = Painter { gpu, pipelines, numbers, frame, pass: &mut pass, groups: [&upload.group; 2] };
            painter.ground(&order.solid);
            return painter.rest(&order.sorted, &items);
        };
        // All that lies behind the farthest glass is seen through it, resolved and blurred on the way.
        let behind = match self.behind.take() {
            Some(behind) => self.behind.insert(behind),
            None => self.behind.insert(Behind::new(gpu, pipelines, target.size)),
        };
        let through = upload.group_with(gpu, pipelines, behind);
        let groups = [&upload.group, &through];
        {
            let mut pass = begin(encoder, target, clear, Some(&behind.first), Depth::Kept);
            pass.set_bind_group(0, &upload.group, &[]);
            let mut painter = Painter { gpu, pipelines, numbers, frame, pass: &mut pass, groups };
            painter.ground(&order.solid);
            painter.surfaces(&order.sorted[..glass], true);
        }
        behind.make_levels(encoder);
        let resolved = is_last.then_some(&target.view);
        let mut pass = begin(encoder, target, wgpu::LoadOp::Load, resolved, Depth::Taken);
        pass.set_bind_group(0, &upload.group, &[]);
        let mut painter = Painter { gpu, pipelines, numbers, frame, pass: &mut pass, groups };
        painter.rest(&order.sorted[glass..], &items)
    }

    /// Bones hide one another, but nothing of the scene hides them.
    fn overlay_pass(&mut self, gpu: &Gpu, frame: &Frame, target: &SceneTarget, encoder: &mut wgpu::CommandEncoder) {
        let Some(upload) = &self.upload else { return };
        if frame.bones.is_empty() && frame.lines.is_empty() {
            return;
        }
        let mut pass = begin(encoder, target, wgpu::LoadOp::Load, Some(&target.view), Depth::Own);
        pass.set_bind_group(0, &upload.group, &[]);
        if upload.bone_count > 0 {
            pass.set_pipeline(&self.pipelines.draw(gpu, Kind::Bones, frame.method));
            pass.set_vertex_buffer(0, upload.bones.slice(..));
            pass.draw(0..24, 0..upload.bone_count);
        }
        if !frame.lines.is_empty() {
            pass.set_pipeline(&self.pipelines.draw(gpu, Kind::Lines, frame.method));
            pass.set_vertex_buffer(0, upload.lines.slice(..));
            pass.draw(0..4, 0..frame.lines.len() as u32);
        }
    }
}

/// Records into a pass.
struct Painter<'a, 'p> {
    gpu: &'a Gpu,
    pipelines: &'a mut Pipelines,
    numbers: &'a Numbers,
    frame: &'a Frame,
    pass: &'a mut wgpu::RenderPass<'p>,
    /// What the whole frame binds; the second is for glass, and knows what lies behind it.
    groups: [&'a wgpu::BindGroup; 2],
}

/// What is drawn when.
struct Order<'a, 'b> {
    solid: Vec<&'b Item<'a>>,
    /// What shows something behind it, farthest first.
    sorted: Vec<&'b Item<'a>>,
}

impl<'a: 'b, 'b> Order<'a, 'b> {
    fn of(frame: &Frame, items: &'b [Item<'a>]) -> Self {
        if !frame.display.mesh {
            return Self { solid: Vec::new(), sorted: Vec::new() };
        }
        // Readouts show everything as solid.
        let shows = |i: &&Item<'_>| frame.overlay().is_none() && (i.traits.blends || i.traits.transmits);
        let (sorted, solid): (Vec<_>, Vec<_>) = items.iter().partition(shows);
        Self { solid, sorted: back_to_front(frame, sorted.into_iter()) }
    }
}

impl Painter<'_, '_> {
    /// Everything that nothing is seen through.
    fn ground(&mut self, solid: &[&Item<'_>]) {
        if matches!(self.frame.display.background, Background::Studio { .. }) {
            self.screen(Kind::Background, 3);
        }
        self.surfaces(solid, false);
        if self.frame.display.grid.is_some() {
            self.screen(Kind::Grid, 4);
        }
    }

    /// What shows something behind it, then the edges of all.
    fn rest(&mut self, sorted: &[&Item<'_>], all: &[Item<'_>]) -> Result<(), GpuError> {
        self.surfaces(sorted, true);
        if self.frame.display.wireframe {
            for item in all {
                self.edges(item)?;
            }
        }
        if self.frame.display.dots.is_some() {
            all.iter().for_each(|item| self.dots(item));
        }
        for hidden in [true, false] {
            all.iter().for_each(|item| self.marks(item, hidden));
        }
        Ok(())
    }

    fn surfaces(&mut self, items: &[&Item<'_>], blend: bool) {
        items.iter().for_each(|item| self.surface(item, blend && item.traits.blends));
    }

    fn screen(&mut self, kind: Kind, vertices: u32) {
        self.pass.set_pipeline(&self.pipelines.draw(self.gpu, kind, self.frame.method));
        self.pass.draw(0..vertices, 0..1);
    }

    fn surface(&mut self, item: &Item<'_>, blend: bool) {
        let look = if self.frame.overlay().is_some() { Look::Readout } else { Look::Shaded };
        let topology = item.primitive.topology;
        let indices = &item.primitive.indices;
        let backs = winding_of_backs(self.frame, item);
        let parts = if look == Look::Shaded { item.traits.parts } else { item.traits.parts.holes() };
        let mut draw = |cull| self.draw(item, Kind::Surface { look, topology, blend, cull, parts }, indices);
        match (item.traits.double_sided, blend) {
            (false, _) => draw(backs),
            // The far side of something hollow comes before the near one.
            (true, true) if backs != Cull::None => {
                draw(backs.other());
                draw(backs);
            }
            (true, _) => draw(Cull::None),
        }
    }

    /// All vertices of the file; those split off for tangents lie where these do.
    fn dots(&mut self, item: &Item<'_>) {
        let count = item.source.stored_vertices as u32;
        let values = self.numbers.values(item.place).unwrap_or(&item.primitive.source);
        if count > 0 {
            self.deformed(item, Kind::Dots);
            self.pass.set_vertex_buffer(0, item.primitive.source.slice(..));
            self.pass.set_vertex_buffer(1, values.slice(..));
            self.pass.draw(0..3 * item.copies, 0..count);
        }
    }

    fn marks(&mut self, item: &Item<'_>, hidden: bool) {
        if let Some((marks, count)) = self.numbers.marks(item.place) {
            self.deformed(item, Kind::Marks { hidden });
            self.pass.set_vertex_buffer(0, marks.slice(..));
            self.pass.draw(0..3 * item.copies, 0..*count);
        }
    }

    /// Sets what every way to draw vertices of `item` needs.
    fn deformed(&mut self, item: &Item<'_>, kind: Kind) {
        self.pass.set_pipeline(&self.pipelines.draw(self.gpu, kind, self.frame.method));
        self.pass.set_bind_group(1, &item.primitive.group, &[item.draw.offset]);
    }

    fn edges(&mut self, item: &Item<'_>) -> Result<(), GpuError> {
        if item.primitive.topology == wgpu::PrimitiveTopology::TriangleList {
            let edges = item.primitive.edges(self.gpu, item.source)?;
            self.draw(item, Kind::Edges, edges);
        }
        Ok(())
    }

    fn draw(&mut self, item: &Item<'_>, kind: Kind, indices: &scene::Indices) {
        if indices.count == 0 {
            return;
        }
        self.deformed(item, kind);
        let pass = &mut *self.pass;
        let is_glass = kind.is_glass();
        if is_glass {
            pass.set_bind_group(0, self.groups[1], &[]);
        }
        pass.set_bind_group(2, &item.groups.core, &[]);
        if let Some(layers) = &item.groups.layers {
            pass.set_bind_group(3, layers, &[]);
        }
        pass.set_vertex_buffer(0, item.primitive.source.slice(..));
        pass.set_vertex_buffer(1, item.primitive.paint.slice(..));
        // Where the overlay needs no numbers it reads anything.
        let values = self.numbers.values(item.place).unwrap_or(&item.primitive.source);
        pass.set_vertex_buffer(2, values.slice(..));
        pass.set_index_buffer(indices.buffer.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..indices.count, 0, 0..item.copies);
        if is_glass {
            pass.set_bind_group(0, self.groups[0], &[]);
        }
    }
}

/// True where two frames make the same picture.
fn shows_the_same(a: &Frame, b: &Frame) -> bool {
    let same_model = match (&a.model, &b.model) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (a, b) => a.is_none() && b.is_none(),
    };
    same_model
        && std::ptr::eq(a.method, b.method)
        && a.camera == b.camera
        && a.display == b.display
        && a.draws == b.draws
        && a.variant == b.variant
        && a.lights == b.lights
        && a.changes == b.changes
        && a.studio == b.studio
        && a.palettes == b.palettes
        && a.morph_weights == b.morph_weights
        && a.bones == b.bones
        && a.lines == b.lines
        && Arc::ptr_eq(&a.marked, &b.marked)
        && match (&a.inspection, &b.inspection) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        }
}

/// What becomes of the depth of a pass.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// Begins empty and ends with the pass.
    Own,
    /// Begins empty; the next pass goes on with it.
    Kept,
    /// The one that the pass before kept.
    Taken,
}

/// Begins a pass over the target; `resolved`: what its samples become at the end.
fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    target: &SceneTarget,
    load: wgpu::LoadOp<wgpu::Color>,
    resolved: Option<&wgpu::TextureView>,
    depth: Depth,
) -> wgpu::RenderPass<'a> {
    // The samples need not outlive the pass that resolves them into the picture.
    let is_last = resolved == Some(&target.view);
    let store = if is_last { wgpu::StoreOp::Discard } else { wgpu::StoreOp::Store };
    // Reversed: nothing is farther than zero.
    let empty = wgpu::LoadOp::Clear(0.0);
    let depth_ops = wgpu::Operations {
        load: if depth == Depth::Taken { wgpu::LoadOp::Load } else { empty },
        store: if depth == Depth::Kept { wgpu::StoreOp::Store } else { wgpu::StoreOp::Discard },
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
    let Rows { first, of } = target.rows;
    pass.set_viewport(0.0, -(first as f32), target.size[0] as f32, of as f32, 0.0, 1.0);
    pass
}

fn clear_color(background: Background) -> wgpu::Color {
    let opaque = |c: [f32; 3]| {
        let [r, g, b] = upload::linear(c).map(f64::from);
        wgpu::Color { r, g, b, a: 1.0 }
    };
    match background {
        Background::Solid(c) => opaque(c),
        Background::Studio { outer, .. } => opaque(outer),
        Background::Transparent => wgpu::Color::TRANSPARENT,
    }
}

fn items<'a>(frame: &Frame, model: &'a Model, copy: &'a GpuModel) -> Vec<Item<'a>> {
    let mut out = Vec::new();
    let mut rest = &frame.draws[..];
    while let Some(id) = rest.first() {
        let (run, after) = rest.split_at(alike(model, rest));
        rest = after;
        let mesh = model.instances[id.index()].mesh.index();
        for (n, draw) in copy.draws[id.index()].iter().enumerate() {
            let source = &model.meshes[mesh].primitives[n];
            let material = source.material_in(frame.variant).map_or(model.materials.len(), |m| m.index());
            let (groups, traits) = (&copy.materials.groups[material], &copy.materials.traits[material]);
            let item = |draw: &'a GpuDraw, copies| Item {
                primitive: &copy.meshes[mesh][n],
                source,
                draw,
                copies,
                groups,
                traits,
                place: (mesh, n),
            };
            let each = run.iter().map(|id| &copy.draws[id.index()][n]);
            if traits.blends || traits.transmits {
                // What shows something behind it is sorted by depth, one by one.
                out.extend(each.map(|draw| item(draw, draw.copies)));
            } else {
                out.push(item(draw, each.map(|draw| draw.copies).sum()));
            }
        }
    }
    out
}

/// How many of the first instances of `draws` can be drawn at once: the same mesh, rigid, without morph targets, and their
/// matrices one after the other.
fn alike(model: &Model, draws: &[InstanceId]) -> usize {
    let instance = |id: &InstanceId| &model.instances[id.index()];
    let fits = |pair: &[InstanceId]| {
        let (a, b) = (instance(&pair[0]), instance(&pair[1]));
        let rigid = a.skin.is_none() && b.skin.is_none() && a.morph_weights.is_empty();
        let place = |id: &InstanceId| model.palette_layout().instances[id.index()];
        a.mesh == b.mesh && rigid && place(&pair[0]) + a.copy_count() as u32 == place(&pair[1])
    };
    1 + draws.windows(2).take_while(|pair| fits(pair)).count()
}

/// The winding of back faces, where every part of the surface is known to have kept or changed it alike.
fn winding_of_backs(frame: &Frame, item: &Item<'_>) -> Cull {
    let Some(pairs) = &item.primitive.meeting else { return Cull::None };
    if item.primitive.topology != wgpu::PrimitiveTopology::TriangleList {
        return Cull::None;
    }
    let matrix = |place: u16| frame.palettes.get(item.draw.joint as usize + usize::from(place));
    let determinant = |place| matrix(place).map_or(0.0, |m| m.matrix3.determinant());
    let pairs = if item.draw.rigid { &[(0, 0)][..] } else { pairs };
    let Some((first, _)) = pairs.first() else { return Cull::None };
    let side = determinant(*first);
    let first_copy = item.draw.joint as usize;
    let copies = frame.palettes.get(first_copy..first_copy + item.copies as usize).filter(|_| item.draw.rigid);
    if copies.is_some_and(|all| all.iter().any(|m| m.matrix3.determinant() * side <= 0.0)) {
        return Cull::None;
    }
    let alike = pairs.iter().all(|(a, b)| {
        let agree = a == b && determinant(*a) * side > 0.0;
        agree || a != b && matrix(*a).zip(matrix(*b)).is_some_and(|(a, b)| keep_sides(a, b))
    });
    match alike {
        true if side > 0.0 => Cull::Clockwise,
        true => Cull::CounterClockwise,
        false => Cull::None,
    }
}

/// Farthest first, by where the middle of each has moved.
fn back_to_front<'a, 'b>(frame: &Frame, items: impl Iterator<Item = &'b Item<'a>>) -> Vec<&'b Item<'a>>
where
    'a: 'b,
{
    let view_from_world = frame.camera.world_from_view.inverse();
    let depth = |item: &Item<'_>| {
        let (center, joint) = item.primitive.center;
        let joint = if item.source.influences.is_some() { joint } else { 0 };
        let at = frame.palettes.get((item.draw.joint + joint) as usize).map_or(center, |m| m.transform_point3(center));
        view_from_world.transform_point3(at).z
    };
    let mut sorted: Vec<_> = items.map(|i| (depth(i), i)).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    sorted.into_iter().map(|(_, i)| i).collect()
}
