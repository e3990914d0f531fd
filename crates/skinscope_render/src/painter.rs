//! Records draws into a render pass. Knows how each item is drawn, but not why.

use std::ops::Range;

use skinscope_base::trace;
use skinscope_frame::{Background, Frame};

use super::error::GpuError;
use super::gpu::Gpu;
use super::items::{Item, winding_of_backs};
use super::layouts::nature;
use super::numbers::Numbers;
use super::pipeline_kind::{Cull, Kind, SurfaceShading, SurfaceWrites};
use super::pipelines::{Pipelines, slot};
use super::predeformed::PredeformedVertices;
use super::primitive::Indices;
use super::shadow::VIEWS_PER_COPY;
use super::software::late_depth;
use super::triangle_order::TriangleOrder;
use super::vertices::Shape;

/// Records the draws of one side of a picture into a pass. A draw that lacks its pipeline is left out, and the picture is then not
/// shown.
pub(super) struct Painter<'a, 'p> {
    pub gpu: &'a Gpu,
    pub pipelines: &'a mut Pipelines,
    pub numbers: &'a Numbers,
    /// The vertices that were deformed before they are drawn.
    pub predeformed: &'a PredeformedVertices,
    /// The order of the triangles of surfaces that blend.
    pub order: &'a TriangleOrder,
    pub frame: &'a Frame,
    /// The pass; `None`: nothing is recorded, and only the pipelines are asked for.
    pub pass: Option<&'a mut wgpu::RenderPass<'p>>,
    /// The bind groups of the whole frame. The second is for what an environment lights, and binds it too. The third is for
    /// glass, and binds what the second does, and the picture of what lies behind the glass.
    pub groups: [&'a wgpu::BindGroup; 3],
    /// True where the picture has its background already.
    pub has_backdrop: bool,
    /// True where jobs make the edges of large meshes, which are not drawn until they are there.
    pub waits: bool,
}

impl<'p> Painter<'_, 'p> {
    /// Draws everything that nothing is seen through: solid surfaces, background and grid. Where the surface is
    /// translucent, background and grid come before it, and only its nearest layer is drawn: first its depth, then its
    /// colour.
    pub fn ground(&mut self, solid: &[Item<'_>]) {
        let is_translucent = self.frame.display.skin_opacity < 1.0;
        if !is_translucent {
            self.solid(solid);
        }
        // The background is at the farthest depth, so it is drawn only where nothing is in front of it.
        if self.frame.shows_surroundings() {
            self.screen(Kind::Surroundings { tone_map: self.pipelines.linking.tone_map }, 3);
        } else if matches!(self.frame.display.background, Background::Studio { .. }) && !self.has_backdrop {
            self.screen(Kind::Background, 3);
        }
        if self.frame.display.grid.is_some() {
            self.screen(Kind::Grid { shadowed: self.pipelines.linking.shadowed }, 4);
        }
        if is_translucent {
            solid.iter().for_each(|item| self.surface(item, SurfaceWrites::Depth));
            solid.iter().for_each(|item| self.surface(item, SurfaceWrites::Color));
        }
    }

    /// Draws the solid surfaces of a model beside the one that has background and grid, before those; a translucent surface comes after them.
    pub(crate) fn solid_ahead(&mut self, solid: &[Item<'_>]) {
        if self.frame.display.skin_opacity >= 1.0 {
            self.solid(solid);
        }
    }

    /// Draws what is left of that model's solid surfaces once background and grid of the other one are drawn, and its own shadow.
    pub(crate) fn ground_behind(&mut self, solid: &[Item<'_>]) {
        let is_translucent = self.frame.display.skin_opacity < 1.0;
        self.ground(if is_translucent { solid } else { &[] });
    }

    /// Draws the items that show what lies behind them, then the edges, dots and marked vertices of all items.
    pub fn rest(&mut self, sorted: &[Item<'_>], all: &[Item<'_>]) -> Result<(), GpuError> {
        self.sorted(sorted);
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

    /// Draws the surfaces of a ghost where nothing that has a depth was drawn.
    pub fn ghost(&mut self, items: &[Item<'_>]) {
        for item in items.iter().filter(|item| item.primitive.topology == wgpu::PrimitiveTopology::TriangleList) {
            self.draw(item, Kind::Ghost, (&item.primitive.indices, item.range()));
        }
    }

    /// Draws surfaces that hide what lies behind them.
    pub fn solid(&mut self, items: &[Item<'_>]) {
        items.iter().for_each(|item| self.surface(item, SurfaceWrites::All));
    }

    /// Draws the items that show what lies behind them, farthest first.
    pub fn sorted(&mut self, items: &[Item<'_>]) {
        let is_translucent = self.frame.display.skin_opacity < 1.0;
        for item in items {
            let blends = item.traits.blends || is_translucent;
            self.surface(item, if blends { SurfaceWrites::Color } else { SurfaceWrites::All });
        }
    }

    /// The index of the bind group of the frame that a pipeline needs.
    fn group_of(&self, kind: Kind) -> usize {
        match kind {
            _ if kind.is_glass() => 2,
            Kind::Surroundings { .. } => 1,
            _ => usize::from(kind.is_lit() && self.pipelines.linking.environment),
        }
    }

    /// Draws the depths of an item from the views with these numbers.
    pub fn cast(&mut self, item: &Item<'_>, views: &Range<u32>) {
        let range = item.range();
        let masked = (item.traits.parts.textures & nature::MASKED != 0).then(|| item.traits.parts.holes());
        if range.is_empty() || item.primitive.topology != wgpu::PrimitiveTopology::TriangleList {
            return;
        }
        if self.deformed(item, Kind::Caster { masked }).is_none() {
            return;
        }
        let Some(pass) = self.pass.as_deref_mut() else { return };
        bind(pass, item, &item.primitive.indices);
        for copy in item.instances(1) {
            let first = copy * VIEWS_PER_COPY;
            trace::count_draws(1);
            pass.draw_indexed(range.clone(), 0, first + views.start..first + views.end);
        }
    }

    /// Draws something that has no vertex buffer.
    fn screen(&mut self, kind: Kind, vertices: u32) {
        let group = self.group_of(kind);
        if let (Some(pipeline), Some(pass)) = (self.pipelines.plain(self.gpu, kind), self.pass.as_deref_mut()) {
            pass.set_pipeline(&pipeline);
            if group != 0 {
                pass.set_bind_group(0, self.groups[group], &[]);
            }
            trace::count_draws(1);
            pass.draw(0..vertices, 0..1);
            if group != 0 {
                pass.set_bind_group(0, self.groups[0], &[]);
            }
        }
    }

    fn surface(&mut self, item: &Item<'_>, leaves: SurfaceWrites) {
        let chosen = self.frame.look();
        let look = match chosen {
            _ if self.frame.overlay().is_some() => SurfaceShading::Readout,
            Some((index, _)) => SurfaceShading::Look(index as u8),
            None => SurfaceShading::Shaded,
        };
        let topology = item.primitive.topology;
        let mut indices = (&item.primitive.indices, item.range());
        let double_sided = item.traits.double_sided || chosen.is_some_and(|(_, look)| look.shows_backs);
        let sorted = self.order.indices(item.draw).filter(|_| leaves == SurfaceWrites::Color);
        let in_two = sorted.is_none()
            && double_sided
            && leaves == SurfaceWrites::Color
            && topology == wgpu::PrimitiveTopology::TriangleList;
        // The pose decides on the pipeline only where a surface is drawn in two steps, and on a software device, which
        // gains by it.
        let is_asked = in_two || !double_sided && self.gpu.software.winding_cull;
        let mut backs = if is_asked { winding_of_backs(self.frame, item) } else { Cull::None };
        if let Some(sorted) = sorted {
            indices.0 = sorted;
        } else if !in_two
            && backs == Cull::CounterClockwise
            && let Some(reversed) = item.primitive.reversed(self.gpu, item.source)
        {
            (backs, indices.0) = (Cull::Clockwise, reversed);
        }
        let parts = match chosen {
            Some((_, chosen)) => item.traits.parts.of_look(chosen),
            None if look == SurfaceShading::Readout => item.traits.parts.holes(),
            None => item.traits.parts,
        };
        let mut draw = |cull| self.draw(item, Kind::Surface { look, topology, leaves, cull, parts }, indices.clone());
        if !in_two {
            return draw(backs);
        }
        // The far side of something hollow has to be drawn before the near side. Where only parts of a surface are
        // turned inside out, this is right for most of it.
        let backs = if backs == Cull::None { Cull::Clockwise } else { backs };
        draw(backs.other());
        draw(backs);
    }

    /// Draws all vertices of the file. Those that were split off for tangents lie at the same positions and are left out.
    fn dots(&mut self, item: &Item<'_>) {
        let (count, numbers) = (item.source.stored_vertices as u32, self.numbers);
        if count > 0
            && item.is_first
            && let Some(pass) = self.deformed(item, Kind::Dots)
        {
            pass.set_vertex_buffer(slot::VERTICES, item.primitive.vertices.slice());
            pass.set_vertex_buffer(slot::INFLUENCES, item.primitive.influences.rows.slice());
            pass.set_vertex_buffer(slot::VALUES, values(numbers, item));
            trace::count_draws(1);
            pass.draw(item.instances(3), 0..count);
        }
    }

    fn marks(&mut self, item: &Item<'_>, hidden: bool) {
        if item.is_first
            && let Some((marks, count)) = self.numbers.marks(item.key)
            && let Some(pass) = self.deformed(item, Kind::Marks { hidden })
        {
            pass.set_vertex_buffer(slot::VERTICES, marks.slice(..));
            trace::count_draws(1);
            pass.draw(item.instances(3), 0..*count);
        }
    }

    /// Sets the pipeline and the bind groups for drawing vertices of `item` in any way, and returns the pass; `None` where nothing
    /// can be recorded.
    fn deformed(&mut self, item: &Item<'_>, kind: Kind) -> Option<&mut wgpu::RenderPass<'p>> {
        let predeformed = self.predeformed.group(item.draw);
        let shape = Shape { predeformed: predeformed.is_some(), ..item.draw.shape(self.frame) };
        let pipeline = self.pipelines.draw(self.gpu, kind, self.frame.method, shape)?;
        let group = self.group_of(kind);
        let pass = self.pass.as_deref_mut()?;
        pass.set_pipeline(&pipeline);
        if group != 0 {
            pass.set_bind_group(0, self.groups[group], &[]);
        }
        pass.set_bind_group(1, predeformed.unwrap_or(&item.primitive.influences.group), &[item.draw.offset]);
        Some(pass)
    }

    fn edges(&mut self, item: &Item<'_>) -> Result<(), GpuError> {
        if item.is_first
            && item.primitive.topology == wgpu::PrimitiveTopology::TriangleList
            && let Some(edges) = item.primitive.edges(self.gpu, item.source, self.waits)
        {
            let edges = edges?;
            self.draw(item, Kind::Edges, (edges, 0..edges.count));
        }
        Ok(())
    }

    fn draw(&mut self, item: &Item<'_>, kind: Kind, (indices, range): (&Indices, Range<u32>)) {
        if range.is_empty() {
            return;
        }
        if self.deformed(item, kind).is_none() {
            return;
        }
        let group = self.group_of(kind);
        let Some(pass) = self.pass.as_deref_mut() else { return };
        if let (Kind::Surface { .. }, true) = (kind, self.pipelines.linking.late_depth)
            && let Some(late_depth) = &self.pipelines.late_depth
        {
            pass.set_bind_group(late_depth::GROUP, late_depth.take_group(), &[]);
        }
        bind(pass, item, indices);
        if let Some(layers) = &item.groups.layers {
            pass.set_bind_group(3, layers, &[]);
        }
        pass.set_vertex_buffer(slot::VALUES, values(self.numbers, item));
        trace::count_draws(1);
        pass.draw_indexed(range, 0, item.instances(1));
        if group != 0 {
            pass.set_bind_group(0, self.groups[0], &[]);
        }
    }
}

/// Binds the material of an item, its vertices and a list of its indices.
fn bind(pass: &mut wgpu::RenderPass<'_>, item: &Item<'_>, indices: &Indices) {
    pass.set_bind_group(2, &item.groups.core, &[]);
    pass.set_vertex_buffer(slot::VERTICES, item.primitive.vertices.slice());
    pass.set_vertex_buffer(slot::INFLUENCES, item.primitive.influences.rows.slice());
    pass.set_vertex_buffer(slot::PAINT, item.primitive.paint.slice());
    pass.set_index_buffer(indices.piece.slice(), wgpu::IndexFormat::Uint32);
}

/// The buffer with a number for each vertex. Where the overlay needs none, another buffer is bound that nothing reads.
fn values<'a>(numbers: &'a Numbers, item: &'a Item<'_>) -> wgpu::BufferSlice<'a> {
    numbers.values(item.key).map_or_else(|| item.primitive.vertices.slice(), |values| values.slice(..))
}
