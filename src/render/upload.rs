//! What goes to the device with every picture: one uniform, the packed palettes with the morph weights, bones and lines.

use std::ops::Range;

use glam::{Affine3A, Mat4, Vec3, Vec4};

use super::behind::Behind;
use super::error::GpuError;
use super::gpu::{Gpu, MIN_BUFFER};
use super::layouts::{Bone, Globals, Light, Line, scale, shown};
use super::pipelines::{Pipelines, entry};
use super::studio;
use super::target::Rows;
use crate::deform::pack;
use crate::frame::{Background, Camera, Frame, OVERLAYS, SCALE_ROWS, Scale};
use crate::math::Projection;
use crate::model::LightKind;

/// Buffers that are written for every picture; they grow by need.
#[derive(Debug)]
pub(super) struct Upload {
    globals: wgpu::Buffer,
    scale: wgpu::Buffer,
    palette: wgpu::Buffer,
    lights: wgpu::Buffer,
    /// Binds the above and the model's slots.
    pub group: wgpu::BindGroup,
    /// The same and what lies behind glass, once there is glass.
    behind: Option<(wgpu::TextureView, wgpu::BindGroup)>,
    /// What the group holds.
    slots: wgpu::Buffer,
    pub bones: wgpu::Buffer,
    /// Bones that have a length.
    pub bone_count: u32,
    pub lines: wgpu::Buffer,
    packed: Vec<Vec4>,
}

impl Upload {
    pub fn new(gpu: &Gpu, pipelines: &Pipelines) -> Result<Self, GpuError> {
        use wgpu::BufferUsages as U;
        let globals = gpu.buffer("globals", bytemuck::bytes_of(&Globals::default()), U::UNIFORM)?;
        let scale = gpu.buffer("the scale", bytemuck::cast_slice(&[[0.0_f32; 4]; SCALE_ROWS]), U::UNIFORM)?;
        let palette = gpu.buffer("the palette", &[], U::STORAGE)?;
        let slots = gpu.buffer("slots", &[], U::STORAGE)?;
        let lights = gpu.buffer("lights", bytemuck::bytes_of(&Light::default()), U::STORAGE)?;
        let group = group(gpu, pipelines, [&globals, &palette, &slots, &scale, &lights]);
        let bones = gpu.buffer("bones", &[], U::VERTEX)?;
        let lines = gpu.buffer("lines", &[], U::VERTEX)?;
        Ok(Self {
            globals,
            scale,
            palette,
            lights,
            group,
            behind: None,
            slots,
            bones,
            bone_count: 0,
            lines,
            packed: Vec::new(),
        })
    }

    /// Writes `frame` for so many rows of a picture, `width` pixels each. `slots` is the model's.
    pub fn write(
        &mut self,
        gpu: &Gpu,
        pipelines: &Pipelines,
        frame: &Frame,
        width: u32,
        rows: Rows,
        slots: Option<&wgpu::Buffer>,
    ) -> Result<(), GpuError> {
        pack(frame.method, &frame.palettes, &mut self.packed);
        let morph_base = self.packed.len();
        self.packed.extend(frame.morph_weights.chunks(4).map(|w| {
            let mut row = [0.0; 4];
            row[..w.len()].copy_from_slice(w);
            Vec4::from_array(row)
        }));
        let globals = globals(frame, width, rows, morph_base as u32);
        gpu.write(&self.globals, bytemuck::bytes_of(&globals));
        if let Some(overlay) = frame.overlay() {
            let rows = overlay.scale.rows(frame.display.ramp);
            gpu.write(&self.scale, bytemuck::cast_slice(&rows));
        }
        let what = format!("the palette ({} joints)", frame.palettes.len());
        let usage = wgpu::BufferUsages::STORAGE;
        let mut moved = write(gpu, &mut self.palette, &what, bytemuck::cast_slice(&self.packed), usage)?;
        let lights: Vec<Light> = frame.lights.iter().map(light).collect();
        moved |= write(gpu, &mut self.lights, "lights", bytemuck::cast_slice(&lights), usage)?;
        if let Some(slots) = slots.filter(|s| **s != self.slots) {
            self.slots = slots.clone();
            moved = true;
        }
        if moved {
            self.group = group(gpu, pipelines, [&self.globals, &self.palette, &self.slots, &self.scale, &self.lights]);
            self.behind = None;
        }
        let usage = wgpu::BufferUsages::VERTEX;
        let bones = bones(frame);
        self.bone_count = bones.len() as u32;
        write(gpu, &mut self.bones, "bones", bytemuck::cast_slice(&bones), usage)?;
        let lines: Vec<Line> = frame.lines.iter().map(line).collect();
        write(gpu, &mut self.lines, "lines", bytemuck::cast_slice(&lines), usage)?;
        Ok(())
    }

    /// As `group`, with what lies behind glass.
    pub fn group_with(&mut self, gpu: &Gpu, pipelines: &Pipelines, behind: &Behind) -> wgpu::BindGroup {
        if let Some((_, group)) = self.behind.as_ref().filter(|(view, _)| *view == behind.view) {
            return group.clone();
        }
        let buffers = [&self.globals, &self.palette, &self.slots, &self.scale, &self.lights];
        let mut entries: Vec<_> = (0..).zip(buffers).map(|(i, b)| entry(i, b.as_entire_binding())).collect();
        entries.push(entry(5, wgpu::BindingResource::TextureView(&behind.view)));
        entries.push(entry(6, wgpu::BindingResource::Sampler(&behind.sampler)));
        let made = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("frame and behind"),
            layout: &pipelines.frame_behind,
            entries: &entries,
        });
        self.behind = Some((behind.view.clone(), made.clone()));
        made
    }
}

/// Writes `bytes` into `buffer`, or into a larger one that takes its place; true where it did.
fn write(
    gpu: &Gpu,
    buffer: &mut wgpu::Buffer,
    what: &str,
    bytes: &[u8],
    usage: wgpu::BufferUsages,
) -> Result<bool, GpuError> {
    let grows = bytes.len() as u64 > buffer.size();
    if grows {
        // Half as much again, so that it grows seldom; exactly, where only that fits.
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        let need = (bytes.len() as u64).next_multiple_of(4).max(MIN_BUFFER);
        let roomy = gpu.empty_buffer(what, (need + need / 2).next_multiple_of(4), usage);
        *buffer = roomy.or_else(|_| gpu.empty_buffer(what, need, usage))?;
    }
    if !bytes.is_empty() {
        gpu.write(buffer, bytes);
    }
    Ok(grows)
}

fn group(gpu: &Gpu, pipelines: &Pipelines, buffers: [&wgpu::Buffer; 5]) -> wgpu::BindGroup {
    let entries: Vec<_> = (0..).zip(buffers).map(|(i, b)| entry(i, b.as_entire_binding())).collect();
    let layout = &pipelines.frame;
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some("frame"), layout, entries: &entries })
}

/// `clip_from_world` of a camera, depth reversed.
pub(super) fn clip_from_world(camera: &Camera, size: [u32; 2]) -> Mat4 {
    let aspect = size[0].max(1) as f32 / size[1].max(1) as f32;
    let clip_from_view = camera.projection.clip_from_view(aspect, camera.near, camera.far);
    clip_from_view * Mat4::from(camera.world_from_view.inverse())
}

fn globals(frame: &Frame, width: u32, rows: Rows, morph_base: u32) -> Globals {
    let size = [width, rows.of];
    let Affine3A { matrix3: axes, translation: eye } = frame.camera.world_from_view;
    let [width, height] = size.map(|s| s as f32);
    let display = &frame.display;
    let (inner, outer) = match display.background {
        Background::Solid(c) => (c, c),
        Background::Studio { inner, outer } => (inner, outer),
        Background::Transparent => ([0.0; 3], [0.0; 3]),
    };
    let is_perspective = matches!(frame.camera.projection, Projection::Perspective { .. });
    let axis = |v: glam::Vec3A| v.extend(0.0).to_array();
    let nodes = selected(frame);
    let scale = frame.overlay().map(|o| &o.scale);
    Globals {
        clip_from_world: clip_from_world(&frame.camera, size).to_cols_array_2d(),
        view_x: axis(axes.x_axis),
        view_y: axis(axes.y_axis),
        view_z: axis(axes.z_axis),
        eye: eye.extend(f32::from(u8::from(is_perspective))).to_array(),
        viewport: [width, height, 1.0 / width, 1.0 / height],
        background_inner: with_w(inner),
        background_outer: with_w(outer),
        grid: display.grid.map_or([1.0, 0.0, 0.0, 0.0], |g| [g.spacing, g.height, g.radius, 0.0]),
        grid_color: display.grid.map_or([0.0; 4], |g| with_w(linear(g.color))),
        shadow: display.grid.map_or([0.0; 4], |g| g.shadow.to_array()),
        wire_color: wire_color(display.mesh),
        dot_color: linear_alpha(display.dots.map_or([0.0; 4], |d| d.color)),
        mark_color: linear_alpha(display.marks.color),
        boxes: studio::boxes(frame.camera.world_from_view),
        selected: nodes.start,
        selected_end: nodes.end,
        morph_base,
        light_count: frame.lights.len() as u32,
        overlay: OVERLAYS.iter().position(|o| frame.overlay() == Some(*o)).unwrap_or(0) as u32,
        scale_kind: match scale {
            Some(Scale::Ramp { .. }) | None => scale::RAMP,
            Some(Scale::Steps(_)) => scale::STEPS,
            Some(Scale::Joints) => scale::JOINTS,
        },
        influence_limit: display.influence_limit as u32,
        flags: flags(frame),
        scale_ends: scale.map_or([0.0, 1.0], Scale::ends),
        dot_radius: [display.dots.map_or(0.0, |d| d.radius), display.marks.radius],
        studio: [f32::from(u8::from(frame.studio)), rows.first as f32, 0.0, 0.0],
        zeros: [[0; 4]; 2],
    }
}

/// The nodes that are selected: one, or all of its subtree.
fn selected(frame: &Frame) -> Range<u32> {
    let (Some(model), Some(node)) = (&frame.model, frame.display.selected) else { return 0..0 };
    if !frame.display.with_children {
        return node.0..node.0 + 1;
    }
    node.0..model.skeleton.subtree_end(node) as u32
}

fn flags(frame: &Frame) -> u32 {
    let display = &frame.display;
    let bit = |on, bit| if on { bit } else { 0 };
    bit(frame.overlay().is_some(), shown::HAS_OVERLAY)
        | bit(display.influenced_only && display.selected.is_some(), shown::INFLUENCED_ONLY)
        | bit(display.shared_black, shown::SHARED_BLACK)
}

/// Dark over the surface; light where there is none.
fn wire_color(over_mesh: bool) -> [f32; 4] {
    if over_mesh { [0.006, 0.008, 0.012, 0.5] } else { [0.42, 0.48, 0.60, 0.32] }
}

fn with_w([x, y, z]: [f32; 3]) -> [f32; 4] {
    [x, y, z, 1.0]
}

/// sRGB to linear; alpha stays.
fn linear_alpha([r, g, b, a]: [f32; 4]) -> [f32; 4] {
    let [r, g, b] = linear([r, g, b]);
    [r, g, b, a]
}

/// sRGB to linear.
pub(super) fn linear(srgb: [f32; 3]) -> [f32; 3] {
    srgb.map(|c| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) })
}

/// Nearest first: with the depth test on, only the nearest facet of each pixel is drawn, so none shines through another.
fn bones(frame: &Frame) -> Vec<Bone> {
    let eye = Vec3::from(frame.camera.world_from_view.translation);
    let forward = -Vec3::from(frame.camera.world_from_view.matrix3.z_axis);
    let depth = |b: &crate::frame::Bone| ((b.head + b.tail) * 0.5 - eye).dot(forward);
    let real = |b: &&crate::frame::Bone| b.head.is_finite() && b.tail.is_finite() && b.head != b.tail;
    let mut sorted: Vec<_> = frame.bones.iter().filter(real).collect();
    sorted.sort_by(|a, b| depth(a).total_cmp(&depth(b)));
    let bone = |b: &crate::frame::Bone| Bone {
        head: b.head.extend(b.radius).to_array(),
        tail: b.tail.extend(0.0).to_array(),
        color: b.color,
    };
    sorted.into_iter().map(bone).collect()
}

fn light(l: &crate::frame::Light) -> Light {
    let (has_place, cone) = match l.kind {
        LightKind::Directional => (0.0, [0.0, 1.0]),
        LightKind::Point => (1.0, [0.0, 1.0]),
        // As KHR_lights_punctual has it: a straight line in the cosine, squared in the shader.
        LightKind::Spot { inner, outer } => {
            let factor = 1.0 / (inner.cos() - outer.cos()).max(1e-3);
            (1.0, [factor, -outer.cos() * factor])
        }
    };
    Light {
        position: l.position.extend(1.0 / (l.range * l.range)).to_array(),
        direction: l.direction.extend(has_place).to_array(),
        color: l.color.extend(0.0).to_array(),
        cone: [cone[0], cone[1], 0.0, 0.0],
    }
}

fn line(l: &crate::frame::Line) -> Line {
    Line { start: l.from.extend(l.width).to_array(), end: l.to.extend(0.0).to_array(), color: l.color }
}
