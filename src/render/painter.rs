//! Records what is drawn into a pass. Knows how each item is drawn, not what for.

use std::ops::Range;

use super::error::GpuError;
use super::gpu::Gpu;
use super::items::{Item, winding_of_backs};
use super::numbers::Numbers;
use super::pipeline_kind::{Cull, Kind, SurfaceShading, SurfaceWrites};
use super::pipelines::{Pipelines, slot};
use super::placed::PlacedVertices;
use super::primitive::Indices;
use super::software::late_depth;
use super::vertices::Shape;
use crate::frame::{Background, Frame};

/// Records into a pass.
pub(super) struct Painter<'a, 'p> {
    pub gpu: &'a Gpu,
    pub pipelines: &'a mut Pipelines,
    pub numbers: &'a Numbers,
    /// Vertices that were deformed before.
    pub placed: &'a PlacedVertices,
    pub frame: &'a Frame,
    pub pass: &'a mut wgpu::RenderPass<'p>,
    /// The bind groups of the whole frame; the second is for glass, and knows what lies behind it.
    pub groups: [&'a wgpu::BindGroup; 2],
    /// The background is there already.
    pub has_backdrop: bool,
    /// Edges of large meshes are made elsewhere; until then they are not drawn.
    pub waits: bool,
}

impl Painter<'_, '_> {
    /// Everything that nothing is seen through. What a translucent surface shows behind it comes before that, and of the
    /// surface only the nearest layer is drawn: first its depth, then its colour.
    pub fn ground(&mut self, solid: &[Item<'_>]) {
        let is_translucent = self.frame.display.skin_opacity < 1.0;
        if !is_translucent {
            self.solid(solid);
        }
        // As far as can be: only where nothing is in front of it.
        if matches!(self.frame.display.background, Background::Studio { .. }) && !self.has_backdrop {
            let pipeline = self.pipelines.plain(self.gpu, Kind::Background);
            Self::screen(self.pass, &pipeline, 3);
        }
        if self.frame.display.grid.is_some() {
            let pipeline = self.pipelines.plain(self.gpu, Kind::Grid);
            Self::screen(self.pass, &pipeline, 4);
        }
        if is_translucent {
            solid.iter().for_each(|item| self.surface(item, SurfaceWrites::Depth));
            solid.iter().for_each(|item| self.surface(item, SurfaceWrites::Color));
        }
    }

    /// Draws the items that show something behind them, then the edges of all.
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

    /// Surfaces that hide what lies behind them.
    pub fn solid(&mut self, items: &[Item<'_>]) {
        items.iter().for_each(|item| self.surface(item, SurfaceWrites::All));
    }

    /// Draws the items that show something behind them, farthest first.
    pub fn sorted(&mut self, items: &[Item<'_>]) {
        let is_translucent = self.frame.display.skin_opacity < 1.0;
        for item in items {
            let blends = item.traits.blends || is_translucent;
            self.surface(item, if blends { SurfaceWrites::Color } else { SurfaceWrites::All });
        }
    }

    /// Draws something that has no vertex buffer.
    pub fn screen(pass: &mut wgpu::RenderPass<'_>, pipeline: &wgpu::RenderPipeline, vertices: u32) {
        pass.set_pipeline(pipeline);
        pass.draw(0..vertices, 0..1);
    }

    fn surface(&mut self, item: &Item<'_>, leaves: SurfaceWrites) {
        let look = if self.frame.overlay().is_some() { SurfaceShading::Readout } else { SurfaceShading::Shaded };
        let topology = item.primitive.topology;
        let indices = (&item.primitive.indices, item.range());
        let double_sided = item.traits.double_sided;
        let in_two =
            double_sided && leaves == SurfaceWrites::Color && topology == wgpu::PrimitiveTopology::TriangleList;
        // The pose chooses pipelines only where a software device gains by it.
        let is_asked = in_two || !double_sided && self.gpu.software.winding_cull;
        let backs = if is_asked { winding_of_backs(self.frame, item) } else { Cull::None };
        let parts = if look == SurfaceShading::Shaded { item.traits.parts } else { item.traits.parts.holes() };
        let mut draw = |cull| self.draw(item, Kind::Surface { look, topology, leaves, cull, parts }, indices.clone());
        if !in_two {
            return draw(backs);
        }
        // The far side of something hollow comes before the near one; where parts of it are turned inside out, of most of it.
        let backs = if backs == Cull::None { Cull::Clockwise } else { backs };
        draw(backs.other());
        draw(backs);
    }

    /// All vertices of the file; those split off for tangents lie where these do.
    fn dots(&mut self, item: &Item<'_>) {
        let count = item.source.stored_vertices as u32;
        if count > 0 {
            self.deformed(item, Kind::Dots);
            self.pass.set_vertex_buffer(slot::VERTICES, item.primitive.vertices.slice());
            self.pass.set_vertex_buffer(slot::INFLUENCES, item.primitive.influences.rows.slice());
            self.pass.set_vertex_buffer(slot::VALUES, values(self.numbers, item));
            self.pass.draw(item.instances(3), 0..count);
        }
    }

    fn marks(&mut self, item: &Item<'_>, hidden: bool) {
        if let Some((marks, count)) = self.numbers.marks(item.place) {
            self.deformed(item, Kind::Marks { hidden });
            self.pass.set_vertex_buffer(slot::VERTICES, marks.slice(..));
            self.pass.draw(item.instances(3), 0..*count);
        }
    }

    /// Sets what every way to draw vertices of `item` needs.
    fn deformed(&mut self, item: &Item<'_>, kind: Kind) {
        let placed = self.placed.group(item.draw);
        let shape = Shape { placed: placed.is_some(), ..item.draw.shape(self.frame) };
        self.pass.set_pipeline(&self.pipelines.draw(self.gpu, kind, self.frame.method, shape));
        if kind.is_glass() {
            self.pass.set_bind_group(0, self.groups[1], &[]);
        }
        self.pass.set_bind_group(1, placed.unwrap_or(&item.primitive.influences.group), &[item.draw.offset]);
    }

    fn edges(&mut self, item: &Item<'_>) -> Result<(), GpuError> {
        if item.primitive.topology == wgpu::PrimitiveTopology::TriangleList
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
        self.deformed(item, kind);
        if let (Kind::Surface { .. }, true) = (kind, self.pipelines.linking.late_depth)
            && let Some(late_depth) = &self.pipelines.late_depth
        {
            self.pass.set_bind_group(late_depth::GROUP, late_depth.take_group(), &[]);
        }
        let pass = &mut *self.pass;
        pass.set_bind_group(2, &item.groups.core, &[]);
        if let Some(layers) = &item.groups.layers {
            pass.set_bind_group(3, layers, &[]);
        }
        pass.set_vertex_buffer(slot::VERTICES, item.primitive.vertices.slice());
        pass.set_vertex_buffer(slot::INFLUENCES, item.primitive.influences.rows.slice());
        pass.set_vertex_buffer(slot::PAINT, item.primitive.paint.slice());
        pass.set_vertex_buffer(slot::VALUES, values(self.numbers, item));
        pass.set_index_buffer(indices.piece.slice(), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(range, 0, item.instances(1));
        if kind.is_glass() {
            pass.set_bind_group(0, self.groups[0], &[]);
        }
    }
}

/// A number for each vertex. Where the overlay needs none it reads anything.
fn values<'a>(numbers: &'a Numbers, item: &'a Item<'_>) -> wgpu::BufferSlice<'a> {
    numbers.values(item.place).map_or_else(|| item.primitive.vertices.slice(), |values| values.slice(..))
}
