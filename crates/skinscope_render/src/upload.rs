//! Uploads what may change with every picture: one uniform buffer, the packed palettes with the morph weights, the
//! scale, lights, bones and lines.

use std::ops::Range;

use glam::{Affine3A, Mat4, Vec3, Vec4};
use skinscope_base::math::Projection;
use skinscope_base::words::counted;
use skinscope_deform::{PaletteRows, pack};
use skinscope_frame::{Background, BoneShape, Camera, Frame, SCALE_ROWS, Scale};
use skinscope_model::LightKind;

use super::bindings::entry;
use super::buffer_vec::BufferVec;
use super::environment::{self, EnvironmentMap};
use super::error::GpuError;
use super::gpu::Gpu;
use super::layouts::{Bone, Globals, Light, Line};
use super::pipelines::Pipelines;
use super::shader::PaletteIn;
use super::shadow::ShadowBindings;
use super::shown::Shown;
use super::srgb::{linear, linear_alpha};
use super::studio;
use super::target::{Columns, Rows};
use super::transmission::TransmissionTexture;

/// The buffers that are written for every picture, where they differ from those of the last one.
#[derive(Debug)]
pub(super) struct Upload {
    globals: BufferVec<Globals>,
    scale: BufferVec<[f32; 4]>,
    /// Packed skinning matrices, then morph weights.
    palette: BufferVec<Vec4>,
    lights: BufferVec<Light>,
    /// Binds the buffers above and the model's slots.
    pub group: wgpu::BindGroup,
    /// The groups that also bind the environment, or what lies behind glass, or both, once they are needed.
    more: Vec<(Textures, wgpu::BindGroup)>,
    /// The buffer of slots that the group binds.
    slots: wgpu::Buffer,
    /// The buffer that the group's palette is read from, and how many rows its matrices have.
    palette_in: (PaletteIn, PaletteRows),
    /// The shadows that the group binds.
    shadows: Option<ShadowBindings>,
    /// The bones that have a length.
    pub bones: BufferVec<Bone>,
    /// Reusable memory: a key for each bone, by which bones are ordered.
    bone_order: Vec<u64>,
    pub lines: BufferVec<Line>,
}

impl Upload {
    pub fn new(gpu: &Gpu, pipelines: &Pipelines) -> Result<Self, GpuError> {
        use wgpu::BufferUsages as U;
        let mut globals = BufferVec::new(gpu, "globals", U::UNIFORM, size_of::<Globals>() as u64)?;
        globals.next.push(Globals::default());
        let mut scale = BufferVec::new(gpu, "the scale", U::UNIFORM, size_of::<[[f32; 4]; SCALE_ROWS]>() as u64)?;
        scale.next.resize(SCALE_ROWS, [0.0; 4]);
        // The buffer has room for a uniform block only in pictures that read the palette from one.
        let usage = if gpu.palette_limits().uniform > 0 { U::STORAGE | U::UNIFORM } else { U::STORAGE };
        let palette = BufferVec::new(gpu, "the palette", usage, block_bytes(pipelines))?;
        let slots = gpu.buffer("slots", &[], U::STORAGE)?;
        let lights = BufferVec::new(gpu, "lights", U::STORAGE, size_of::<Light>() as u64)?;
        let palette_in = (pipelines.linking.palette, pipelines.linking.rows);
        let buffers = [&globals.buffer, &palette.buffer, &slots, &scale.buffer, &lights.buffer];
        let group = group(gpu, pipelines, buffers, (&Textures::default(), None));
        let bones = BufferVec::new(gpu, "bones", U::VERTEX, 0)?;
        let lines = BufferVec::new(gpu, "lines", U::VERTEX, 0)?;
        let bone_order = Vec::new();
        Ok(Self {
            globals,
            scale,
            palette,
            lights,
            group,
            more: Vec::new(),
            slots,
            palette_in,
            shadows: None,
            bones,
            bone_order,
            lines,
        })
    }

    /// Writes the data of `frame` for some columns and rows of a picture. `slots` is the buffer of the model.
    pub fn write(
        &mut self,
        gpu: &Gpu,
        pipelines: &Pipelines,
        frame: &Frame,
        (columns, rows): (Columns, Rows),
        (slots, shadows): (Option<&wgpu::Buffer>, Option<ShadowBindings>),
    ) -> Result<(), GpuError> {
        let morph_base = pack_palette(frame, &mut self.palette.next);
        self.palette.least = block_bytes(pipelines);
        let mut moved = self.palette.write_buffer(gpu, &|| match frame.members {
            1 => format!("the palette ({})", counted(frame.palettes.len(), "joint", "joints")),
            members => format!("a crowd of {members} ({})", counted(frame.palettes.len(), "joint", "joints")),
        })?;
        self.globals.next.clear();
        self.globals.next.push(globals(frame, columns, rows, morph_base));
        moved |= self.globals.write_buffer(gpu, &|| "globals".into())?;
        if let Some(overlay) = frame.overlay() {
            self.scale.next.clear();
            self.scale.next.extend(overlay.scale.rows(frame.display.ramp));
            moved |= self.scale.write_buffer(gpu, &|| "the scale".into())?;
        }
        self.lights.next.clear();
        self.lights.next.extend(frame.lights.iter().map(light));
        moved |= self.lights.write_buffer(gpu, &|| "lights".into())?;
        if let Some(slots) = slots.filter(|s| **s != self.slots) {
            self.slots = slots.clone();
            moved = true;
        }
        let palette_in = (pipelines.linking.palette, pipelines.linking.rows);
        if moved || self.palette_in != palette_in || self.shadows != shadows {
            (self.palette_in, self.shadows) = (palette_in, shadows);
            self.group = group(gpu, pipelines, self.buffers(), (&Textures::default(), self.shadows.as_ref()));
            self.more.clear();
        }
        bones(frame, &mut self.bone_order, &mut self.bones.next);
        self.bones.write_buffer(gpu, &|| "bones".into())?;
        self.lines.next.clear();
        self.lines.next.extend(frame.lines.iter().map(line));
        self.lines.write_buffer(gpu, &|| "lines".into())?;
        Ok(())
    }

    /// The kind of buffer that the group's palette is read from, and how many rows its matrices have.
    pub(crate) fn palette_in(&self) -> (PaletteIn, PaletteRows) {
        self.palette_in
    }

    /// A number that changes whenever matrices or morph weights do.
    pub(crate) fn palette_revision(&self) -> u64 {
        self.palette.revision()
    }

    /// The buffers that the frame's group binds.
    fn buffers(&self) -> Buffers<'_> {
        let Self { globals, palette, slots, scale, lights, .. } = self;
        [&globals.buffer, &palette.buffer, slots, &scale.buffer, &lights.buffer]
    }

    /// Makes the same group as `group`, with these textures added.
    pub(crate) fn group_with(&mut self, gpu: &Gpu, pipelines: &Pipelines, textures: Textures) -> wgpu::BindGroup {
        if let Some((_, group)) = self.more.iter().find(|(of, _)| *of == textures) {
            return group.clone();
        }
        let made = group(gpu, pipelines, self.buffers(), (&textures, self.shadows.as_ref()));
        // Those of earlier textures are of no use any more.
        let is_behind = textures.behind.is_some();
        self.more.retain(|(of, _)| of.behind.is_some() != is_behind);
        self.more.push((textures, made.clone()));
        made
    }
}

impl Upload {
    /// Makes the same group as `group` for drawing the depths that it binds, which it leaves out; `None` where there are
    /// no shadows.
    pub(crate) fn group_of_casters(&self, gpu: &Gpu, pipelines: &Pipelines) -> Option<wgpu::BindGroup> {
        let shadows = self.shadows.as_ref()?;
        let [globals, palette, slots, _, lights] = self.buffers();
        let bound = [(0, globals), (1, palette), (2, slots), (4, lights), (10, &shadows.uniform)];
        let mut entries: Vec<_> = bound.into_iter().map(|(n, buffer)| entry(n, buffer.as_entire_binding())).collect();
        entries.extend(palette_block(gpu, pipelines, [globals, palette]));
        let layout = &pipelines.factory.frame_casters;
        let descriptor = wgpu::BindGroupDescriptor { label: Some("frame of casters"), layout, entries: &entries };
        Some(gpu.device.create_bind_group(&descriptor))
    }
}

/// Textures that only some pictures bind, with their samplers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Textures {
    /// What lies behind glass.
    pub behind: Option<(wgpu::TextureView, wgpu::Sampler)>,
    /// The environment.
    pub around: Option<(wgpu::TextureView, wgpu::Sampler)>,
}

impl Textures {
    pub fn of(environment: Option<&EnvironmentMap>, behind: Option<&TransmissionTexture>) -> Self {
        Self {
            behind: behind.map(|behind| (behind.view.clone(), behind.sampler.clone())),
            around: environment.map(|map| (map.view.clone(), map.sampler.clone())),
        }
    }
}

/// Packs the matrices, then the morph weights, four to a vector; those of each member of a crowd begin with a new
/// vector. Returns the index of the vector at which morph weights begin.
fn pack_palette(frame: &Frame, out: &mut Vec<Vec4>) -> u32 {
    pack(frame.method, &frame.palettes, out);
    frame.display.palette_rows.widen(frame.method, out);
    let morph_base = out.len() as u32;
    let of_member = frame.morph_weights.len() / frame.members.max(1) as usize;
    for weights in frame.morph_weights.chunks(of_member.max(1)) {
        out.extend(weights.chunks(4).map(|w| {
            let mut row = [0.0; 4];
            row[..w.len()].copy_from_slice(w);
            Vec4::from_array(row)
        }));
    }
    morph_base
}

/// Globals, palette, slots, scale and lights.
type Buffers<'a> = [&'a wgpu::Buffer; 5];

fn group(
    gpu: &Gpu,
    pipelines: &Pipelines,
    buffers: Buffers<'_>,
    (textures, shadows): (&Textures, Option<&ShadowBindings>),
) -> wgpu::BindGroup {
    let mut entries: Vec<_> = (0..).zip(&buffers).map(|(i, b)| entry(i, b.as_entire_binding())).collect();
    // Without shadows nothing reads these bindings, and any buffer and texture will do.
    let nothing = &pipelines.factory.nothing;
    let uniform = shadows.map_or(buffers[0], |shadows| &shadows.uniform);
    let depths = shadows.map_or(nothing, |shadows| &shadows.depths);
    entries.push(entry(10, uniform.as_entire_binding()));
    entries.push(entry(11, wgpu::BindingResource::TextureView(depths)));
    for (binding, texture) in [(5, &textures.behind), (8, &textures.around)] {
        if let Some((view, sampler)) = texture {
            entries.push(entry(binding, wgpu::BindingResource::TextureView(view)));
            entries.push(entry(binding + 1, wgpu::BindingResource::Sampler(sampler)));
        }
    }
    entries.extend(palette_block(gpu, pipelines, [buffers[0], buffers[1]]));
    let layout = pipelines.factory.frame(textures.around.is_some(), textures.behind.is_some());
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some("frame"), layout, entries: &entries })
}

/// The entry of the palette as a uniform block, where the device has room for one.
fn palette_block<'a>(
    gpu: &Gpu,
    pipelines: &Pipelines,
    [globals, palette]: [&'a wgpu::Buffer; 2],
) -> Option<wgpu::BindGroupEntry<'a>> {
    if gpu.palette_limits().uniform == 0 {
        return None;
    }
    // Where the palette is read from a storage buffer, nothing reads this binding, and any buffer will do.
    let block = wgpu::BufferSize::new(block_bytes(pipelines));
    let block = block.map(|size| wgpu::BufferBinding { buffer: palette, offset: 0, size: Some(size) });
    Some(entry(7, block.map_or_else(|| globals.as_entire_binding(), wgpu::BindingResource::Buffer)))
}

/// How many bytes of the palette are bound as a uniform buffer; 0 where it is read from the storage buffer.
fn block_bytes(pipelines: &Pipelines) -> u64 {
    match pipelines.linking.palette {
        PaletteIn::Storage => 0,
        PaletteIn::Uniform(vec4s) => u64::from(vec4s) * size_of::<Vec4>() as u64,
    }
}

/// The matrix that takes world space to the clip space of a picture of `size` pixels, with reversed depth.
pub(super) fn clip_from_world(camera: &Camera, size: [u32; 2]) -> Mat4 {
    let aspect = size[0].max(1) as f32 / size[1].max(1) as f32;
    let clip_from_view = camera.projection.clip_from_view(aspect, camera.near, camera.far);
    clip_from_view * Mat4::from(camera.world_from_view.inverse())
}

fn globals(frame: &Frame, columns: Columns, rows: Rows, morph_base: u32) -> Globals {
    let [left, width] = columns.seen();
    let size = [width, rows.of];
    let Affine3A { matrix3: axes, translation: eye } = frame.camera.world_from_view;
    let [width, height] = size.map(|s| s as f32);
    let display = &frame.display;
    let (inner, outer) = match display.background {
        Background::Solid(c) => (c, c),
        Background::Studio { inner, outer } => (inner, outer),
        Background::Transparent => ([0.0; 3], [0.0; 3]),
    };
    // What is behind the model elsewhere is behind it on the ground too.
    let has_floor = display.background != Background::Transparent && !frame.shows_surroundings();
    let is_perspective = matches!(frame.camera.projection, Projection::Perspective { .. });
    let axis = |v: glam::Vec3A| v.extend(0.0).to_array();
    let nodes = selected(frame);
    let scale = frame.overlay().map(|o| &o.scale);
    let shown = Shown::of(frame);
    let members = frame.members.max(1);
    let morphs = frame.morph_weights.len() as u32 / members;
    Globals {
        clip_from_world: clip_from_world(&frame.camera, size).to_cols_array_2d(),
        view_x: axes.x_axis.extend(display.model_size).to_array(),
        view_y: axis(axes.y_axis),
        view_z: axis(axes.z_axis),
        eye: eye.extend(f32::from(u8::from(is_perspective))).to_array(),
        viewport: [width, height, 1.0 / width, 1.0 / height],
        background_inner: with_w(inner),
        background_outer: with_w(outer),
        grid: display.grid.map_or([1.0, 0.0, 0.0, 0.0], |g| [g.spacing, g.height, g.radius, 0.0]),
        grid_color: display
            .grid
            .map_or([0.0; 4], |g| Vec3::from(linear(g.color)).extend(f32::from(u8::from(g.lines))).to_array()),
        floor_color: linear_alpha(display.grid.filter(|_| has_floor).map_or([0.0; 4], |g| g.floor)),
        shadow: display.grid.map_or([0.0; 4], |g| g.shadow.to_array()),
        wire_color: display.ghost.map_or(wire_color(display.mesh), linear_alpha),
        dot_color: linear_alpha(display.dots.map_or([0.0; 4], |d| d.color)),
        mark_color: linear_alpha(display.marks.color),
        boxes: studio::boxes(frame.camera.world_from_view),
        selected: nodes.start,
        selected_end: nodes.end,
        morph_base,
        light_count: frame.lights.len() as u32,
        overlay: shown.overlay,
        scale_kind: shown.scale,
        influence_limit: display.influence_limit as u32,
        flags: shown.flags,
        scale_ends: display.scale_ends.unwrap_or_else(|| scale.map_or([0.0, 1.0], Scale::ends)),
        dot_radius: [display.dots.map_or(0.0, |d| d.radius), display.marks.radius],
        studio: [f32::from(u8::from(frame.studio)), rows.first as f32, display.skin_opacity, left as f32],
        crowd: [members, frame.palettes.len() as u32 / members, morphs.div_ceil(4), 0],
        parameters: frame.parameters,
        environment: environment::uniform(frame),
        lens: lens(frame, width / height),
    }
}

/// The tangents of half the angles of view, across and up. All rays of a parallel camera go one way, so that it would see one
/// colour; it sees the environment as the usual lens does.
fn lens(frame: &Frame, aspect: f32) -> [f32; 4] {
    const USUAL: f32 = 0.55;
    let fov_y = match frame.camera.projection {
        Projection::Perspective { fov_y } => fov_y,
        Projection::Orthographic { .. } => USUAL,
    };
    let up = (0.5 * fov_y).tan();
    [aspect * up, up, 0.0, 0.0]
}

/// The nodes that are selected: one, or all of its subtree.
fn selected(frame: &Frame) -> Range<u32> {
    let (Some(model), Some(node)) = (&frame.model, frame.display.selected) else { return 0..0 };
    if !frame.display.with_children {
        return node.0..node.0 + 1;
    }
    node.0..model.skeleton.subtree_end(node) as u32
}

/// The colour of edges: dark over the surface, light where there is none. Linear, straight alpha.
fn wire_color(over_mesh: bool) -> [f32; 4] {
    if over_mesh { [0.006, 0.008, 0.012, 0.5] } else { [0.42, 0.48, 0.60, 0.32] }
}

fn with_w([x, y, z]: [f32; 3]) -> [f32; 4] {
    [x, y, z, 1.0]
}

/// The least half widths of bones in pixels: of kites and sticks, then of lines; first those of most bones, then those
/// of the selected one.
const LEAST: [[f32; 2]; 2] = [[1.2, 0.7], [3.0, 1.5]];
/// The position of an octahedron's collar, as a share of the way from head to tail.
const COLLAR: f32 = 0.12;
/// The share of its colour that the farthest bone keeps, where bones fade.
const FARTHEST: f32 = 0.4;

/// Lists the bones: the selected one first, then by depth, the nearest first. With the depth test on, only the nearest
/// bone of each pixel is drawn, so none shines through another. Bones that fade do so evenly from the nearest to the
/// farthest.
fn bones(frame: &Frame, order: &mut Vec<u64>, out: &mut Vec<Bone>) {
    let eye = Vec3::from(frame.camera.world_from_view.translation);
    let forward = -Vec3::from(frame.camera.world_from_view.matrix3.z_axis);
    let depth = |b: &skinscope_frame::Bone| ((b.head + b.tail) * 0.5 - eye).dot(forward);
    let (mut near, mut far) = (f32::MAX, f32::MIN);
    order.clear();
    for (b, number) in frame.bones.iter().zip(0_u32..) {
        if b.head.is_finite() && b.tail.is_finite() && b.head != b.tail {
            let depth = depth(b);
            (near, far) = (near.min(depth), far.max(depth));
            order.push(bone_key(b.outlined, depth, number));
        }
    }
    order.sort_unstable();
    out.clear();
    out.extend(order.iter().map(|key| {
        let b = &frame.bones[*key as u32 as usize];
        let is_line = b.shape == BoneShape::Lines;
        let least = LEAST[usize::from(b.outlined)][usize::from(is_line)];
        let share = if b.fades && far > near { (depth(b) - near) / (far - near) } else { 0.0 };
        let [red, green, blue, alpha] = b.color;
        let ball = if b.shape == BoneShape::Octahedra { 0.5 } else { 1.5 };
        Bone {
            head: b.head.extend(if is_line { 0.0 } else { b.radius }).to_array(),
            tail: b.tail.extend(if b.shape == BoneShape::Octahedra { COLLAR } else { -0.5 }).to_array(),
            color: [red, green, blue, alpha * (1.0 - (1.0 - FARTHEST) * share)],
            look: [least, ball, f32::from(u8::from(b.outlined)), depth(b)],
        }
    }));
}

/// Returns a number by which bones are ordered: outlined ones, then the nearest, then those that the frame lists first.
/// Sorting such numbers moves an eighth of the memory that sorting bones would.
fn bone_key(outlined: bool, depth: f32, number: u32) -> u64 {
    let bits = depth.to_bits();
    // As integers, these numbers have the order of `f32::total_cmp`. One bit of depth makes room for the flag.
    let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
    u64::from(!outlined) << 63 | u64::from(ordered >> 1) << 32 | u64::from(number)
}

fn light(l: &skinscope_frame::Light) -> Light {
    let (has_position, cone) = match l.kind {
        LightKind::Directional => (0.0, [0.0, 1.0]),
        LightKind::Point => (1.0, [0.0, 1.0]),
        // As in KHR_lights_punctual, the brightness is linear in the cosine; the shader squares it.
        LightKind::Spot { inner, outer } => {
            let factor = 1.0 / (inner.cos() - outer.cos()).max(1e-3);
            (1.0, [factor, -outer.cos() * factor])
        }
    };
    Light {
        position: l.position.extend(1.0 / (l.range * l.range)).to_array(),
        direction: l.direction.extend(has_position).to_array(),
        color: l.color.extend(0.0).to_array(),
        cone: [cone[0], cone[1], 0.0, 0.0],
    }
}

fn line(l: &skinscope_frame::Line) -> Line {
    Line { start: l.from.extend(l.width).to_array(), end: l.to.extend(0.0).to_array(), color: l.color }
}

#[cfg(test)]
mod tests {
    use super::bone_key;

    #[test]
    fn outlined_bones_come_first_then_the_nearest_then_the_first() {
        let ordered = [
            (true, -2.0, 9),
            (true, 7.0, 8),
            (false, f32::NEG_INFINITY, 7),
            (false, -1.5, 6),
            (false, -1.0, 5),
            (false, 1e-20, 1),
            (false, 0.5, 2),
            (false, 0.5, 4),
            (false, 3.0, 0),
        ];
        assert!(ordered.map(|(outlined, depth, number)| bone_key(outlined, depth, number)).is_sorted());
    }
}
