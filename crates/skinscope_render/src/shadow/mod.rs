//! Soft shadow of the key light and ambient occlusion. The depths of the model are drawn from many directions, each into
//! a tile of one of two layers of a texture: all around for what the model hides of its surroundings, and in a cone for what it
//! hides of the key light. Surface and ground look them up (shaders/light/shadowed.wgsl). What is drawn stays for as long
//! as the pose does, and, for the key light, the camera, which it turns with.

mod extent;
mod views;

use std::ops::Range;

pub use self::views::ShadowViews;
use self::views::{MOST_AMBIENT, MOST_KEY, all_projections, key_axes};
use glam::{Mat3, Vec3};
use skinscope_base::parallel;
use skinscope_deform::ParameterValues;
use skinscope_frame::Frame;
use skinscope_model::{InstanceId, Model};

use super::Renderer;
use super::buffer_vec::BufferVec;
use super::error::GpuError;
use super::gpu::{Gpu, TextureKind};
use super::layouts::Shadows;
use super::resident::Revision;
use super::scene::GpuModel;
use super::software::casting::{self, Casters};
use super::studio;
use super::target::SHADOW_DEPTH;

/// An instance's index in a draw of casters is that of its copy times this number, plus that of its view; the same
/// number is in shaders/shadow/caster.wgsl.
pub(super) const VIEWS_PER_COPY: u32 = 256;

/// For the surroundings and for the key light: how many views lie side by side and below one another, and how many texels
/// each side of a view has. Both fill a layer of the same size.
const TILES: [([u32; 2], u32); 2] = [([16, 8], 96), ([8, 4], 192)];
/// Width and height of a layer, texels.
const LAYER: [u32; 2] = [16 * 96, 8 * 96];
const _: () = assert!(LAYER[0] == 8 * 192 && LAYER[1] == 4 * 192);

/// Everything that the views of a map were drawn from.
#[derive(Clone, Debug, PartialEq)]
struct Source {
    vertices: Revision,
    /// How many times matrices and morph weights were uploaded, and how many times vertices were deformed ahead.
    poses: (u64, usize),
    method: (&'static str, ParameterValues),
    draws: Vec<InstanceId>,
    sphere: (Vec3, f32),
    /// The direction of the key light; the same for all cameras where the map is not that of the key light.
    towards: Vec3,
}

/// One layer of the texture with its views.
#[derive(Debug)]
struct Map {
    /// The layer alone.
    layer: wgpu::TextureView,
    /// `None` where nothing has been drawn yet.
    source: Option<Source>,
    /// How many views are there.
    drawn: u32,
    /// How many there are to be after this picture.
    wanted: u32,
}

/// The shadows of one side of a picture.
#[derive(Debug)]
pub(super) struct ShadowState {
    uniform: BufferVec<Shadows>,
    texture: wgpu::Texture,
    /// Both layers of the texture.
    depths: wgpu::TextureView,
    maps: [Map; 2],
    /// What there is room for.
    room: ShadowRoom,
}

/// What the texture of depths has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShadowRoom {
    /// Whether the processor draws the depths, and not the device.
    pub by_processor: bool,
    /// The most views of a picture.
    pub most: ShadowViews,
}

impl ShadowRoom {
    pub fn of(gpu: &Gpu, frame: &Frame) -> Self {
        Self { by_processor: is_cast_by_processor(gpu, frame), most: ShadowViews::finest(gpu, frame) }
    }

    /// Width and height of a layer, texels. The device draws into layers of full size, as shaders/shadow/caster.wgsl has them.
    fn layer(self) -> [u32; 2] {
        let [width, height] = LAYER;
        let is_half = self.by_processor && self.most == ShadowViews::HALF;
        [width, if is_half { height / 2 } else { height }]
    }
}

/// What a picture's bind group binds of shadows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ShadowBindings {
    pub uniform: wgpu::Buffer,
    /// The depths, in a layer for the surroundings and in one for the key light.
    pub depths: wgpu::TextureView,
}

/// What of the state of a side decides on its shadows.
pub(super) struct SideRevisions {
    pub vertices: Revision,
    pub palette: u64,
    pub deformed: usize,
}

/// Whether a picture shows shadows: on the surface, or on the ground.
pub(super) fn has_shadows(frame: &Frame) -> bool {
    let display = &frame.display;
    let on_surface = frame.studio && frame.overlay().is_none() && display.look.is_lit;
    let on_ground = display.grid.is_some_and(|grid| grid.shadow.z.min(grid.shadow.w) > 0.0);
    let is_solid = display.mesh && display.skin_opacity >= 1.0 && display.ghost.is_none();
    // The members of a crowd would need a view each.
    display.shadows && is_solid && frame.members <= 1 && (on_surface || on_ground)
}

/// Says which shadows pictures have.
impl Renderer {
    /// True where the target shows `frame`, with whatever shadows.
    #[must_use]
    pub fn is_same_picture(&self, frame: &Frame) -> bool {
        self.drawn.as_ref().is_some_and(|drawn| drawn.is_same_picture(frame))
    }

    /// True where the target shows the model of `frame` in the same pose and from the same camera.
    #[must_use]
    pub fn is_same_scene(&self, frame: &Frame) -> bool {
        self.drawn.as_ref().is_some_and(|drawn| is_same_scene(drawn, frame))
    }

    /// Sets how many directions the next picture computes shadows from, where its frame wants shadows. Without this call
    /// it is [`ShadowViews::ALL`].
    pub fn set_shadows(&mut self, views: ShadowViews) {
        self.shadows = views;
    }

    /// The directions that the shadows of the last picture were computed from; `None` where `frame` has no shadows.
    #[must_use]
    pub fn drawn_shadows(&self, frame: &Frame) -> Option<ShadowViews> {
        has_shadows(frame).then_some(self.drawn_shadows)
    }
}

/// How much of the light on the ground comes from the key light, and how much from its surroundings. Where the studio
/// does not shine there is no key light.
fn ground_shares(frame: &Frame) -> [f32; 2] {
    if frame.studio && frame.surroundings().is_none() { [0.42, 0.58] } else { [0.0, 0.85] }
}

/// Whether two frames show the same models in the same poses and from the same camera.
fn is_same_scene(a: &Frame, b: &Frame) -> bool {
    a.shows_model_of(b)
        && a.camera == b.camera
        && a.palettes == b.palettes
        && a.morph_weights == b.morph_weights
        && a.draws == b.draws
        && a.beside.len() == b.beside.len()
        && a.beside.iter().zip(&b.beside).all(|(a, b)| is_same_scene(a, b))
}

/// Whether the processor draws the depths of a model's shadows on this device.
pub(super) fn is_cast_by_processor(gpu: &Gpu, frame: &Frame) -> bool {
    gpu.software.casting && frame.model.as_ref().is_some_and(|model| casting::can_cast(frame, model))
}

impl ShadowState {
    /// Makes the texture.
    pub fn new(gpu: &Gpu, room: ShadowRoom) -> Result<Self, GpuError> {
        let size = size_of::<Shadows>() as u64;
        let uniform = BufferVec::new(gpu, "shadows", wgpu::BufferUsages::UNIFORM, size)?;
        use wgpu::TextureUsages as U;
        let kind = match room.by_processor {
            // Tiles cannot be written into a texture of depths one by one.
            true => TextureKind::plain(wgpu::TextureFormat::Rg8Unorm, U::COPY_DST | U::TEXTURE_BINDING),
            false => TextureKind::plain(SHADOW_DEPTH, U::RENDER_ATTACHMENT | U::TEXTURE_BINDING),
        };
        let texture = gpu.scope(|| gpu.texture("shadow depths", room.layer(), TextureKind { layers: 2, ..kind }))?;
        let view = |dimension, base_array_layer, count| {
            texture.create_view(&wgpu::TextureViewDescriptor {
                dimension: Some(dimension),
                base_array_layer,
                array_layer_count: Some(count),
                ..wgpu::TextureViewDescriptor::default()
            })
        };
        let layer = |n| view(wgpu::TextureViewDimension::D2, n, 1);
        let maps = [0, 1].map(|n| Map { layer: layer(n), source: None, drawn: 0, wanted: 0 });
        let depths = view(wgpu::TextureViewDimension::D2Array, 0, 2);
        Ok(Self { uniform, texture, depths, maps, room })
    }

    /// What the texture has room for.
    pub fn room(&self) -> ShadowRoom {
        self.room
    }

    pub fn bindings(&self) -> ShadowBindings {
        ShadowBindings { uniform: self.uniform.buffer.clone(), depths: self.depths.clone() }
    }

    /// Uploads the views of the pose that `frame` shows, and notes which of them are to be drawn. Returns false where
    /// there is nothing that could cast a shadow.
    pub fn follow(
        &mut self,
        gpu: &Gpu,
        frame: &Frame,
        (model, copy): (&Model, &GpuModel),
        revisions: &SideRevisions,
        views: ShadowViews,
    ) -> Result<bool, GpuError> {
        let Some(sphere) = extent::sphere(frame, model, copy) else { return Ok(false) };
        let key = studio::towards_key(frame.camera.world_from_view);
        let source = Source {
            vertices: revisions.vertices,
            poses: (revisions.palette, revisions.deformed),
            method: (frame.method.id, frame.parameters),
            draws: frame.draws.clone(),
            sphere,
            towards: Vec3::ZERO,
        };
        let wanted = [views.ambient.min(MOST_AMBIENT), views.key.min(MOST_KEY)];
        let sources = [source.clone(), Source { towards: key, ..source }];
        for ((map, source), wanted) in self.maps.iter_mut().zip(sources).zip(wanted) {
            if map.source.as_ref() != Some(&source) {
                (map.source, map.drawn) = (Some(source), 0);
            }
            map.wanted = wanted;
        }
        // A depth is one number, or the two bytes of one, the lower one first.
        let digits = if self.room.by_processor { [255.0 / 65535.0, 65280.0 / 65535.0] } else { [1.0, 0.0] };
        let ground = ground_shares(frame);
        let axes = key_axes(key);
        let shadows = Shadows {
            counts: [wanted[0] / 8, wanted[1] / 4, 0, 0],
            sphere: sphere.0.extend(sphere.1).to_array(),
            sides: [TILES[0].1 as f32, TILES[1].1 as f32, 0.0, 0.0],
            digits: [digits[0], digits[1], ground[0], ground[1]],
            key: [axes.x_axis, axes.y_axis, axes.z_axis].map(|axis| axis.extend(0.0).to_array()),
        };
        if self.room.by_processor {
            self.cast(gpu, frame, &all_projections(axes).collect::<Vec<_>>(), sphere);
        }
        self.uniform.next.clear();
        self.uniform.next.push(shadows);
        self.uniform.write_buffer(gpu, &|| "shadows".into())?;
        Ok(true)
    }

    /// Draws what is missing on the processor, and writes it into the texture.
    fn cast(&mut self, gpu: &Gpu, frame: &Frame, projections: &[Mat3], sphere: (Vec3, f32)) {
        let Some(model) = frame.model.as_ref().filter(|_| self.missing().next().is_some()) else { return };
        let casters = Casters::of(frame, model, sphere, 2.0 / TILES[1].1 as f32);
        for (n, (map, ([across, _], side))) in self.maps.iter().zip(TILES).enumerate() {
            let numbers = ShadowViews::numbers(n, map.drawn, map.wanted);
            let first = ShadowViews::numbers(n, 0, 0).start;
            // Whole rows of tiles are drawn, so that each is one write, as many of them at once as there are cores.
            let rows = (numbers.start - first) / across..(numbers.end - first).div_ceil(across);
            let projections =
                &projections[(first + rows.start * across) as usize..(first + rows.end * across) as usize];
            let (mut row, width) = (rows.start, across * side);
            for projections in projections.chunks(across as usize * parallel::cores()) {
                for depths in casters.depths(projections, [across, side], n == 0) {
                    let origin = wgpu::Origin3d { x: 0, y: row * side, z: n as u32 };
                    gpu.queue.write_texture(
                        wgpu::TexelCopyTextureInfo { origin, ..self.texture.as_image_copy() },
                        bytemuck::cast_slice(&depths),
                        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(2 * width), rows_per_image: None },
                        wgpu::Extent3d { width, height: side, depth_or_array_layers: 1 },
                    );
                    row += 1;
                }
                // The copies on their way to the device are freed before the next ones are made. A device that is lost says so later.
                drop(gpu.wait());
            }
        }
        self.drawn();
    }

    /// For each layer that lacks views: the layer, whether it has some already, and the numbers of those to draw.
    pub fn missing(&self) -> impl Iterator<Item = (&wgpu::TextureView, bool, Range<u32>)> {
        let missing = |(n, map): (usize, &'_ Map)| (n, map.drawn, map.wanted);
        self.maps.iter().enumerate().filter_map(move |at| {
            let (n, drawn, wanted) = missing(at);
            (drawn < wanted).then(|| (&at.1.layer, drawn > 0, ShadowViews::numbers(n, drawn, wanted)))
        })
    }

    /// Notes that all views are drawn that were wanted.
    pub fn drawn(&mut self) {
        self.maps.iter_mut().for_each(|map| map.drawn = map.drawn.max(map.wanted));
    }
}
