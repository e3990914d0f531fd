//! A picture as plain data, which the session fills and the renderer draws. This crate knows nothing of the GPU, of
//! windows, or of how the data was computed.

#![forbid(unsafe_code)]

mod bone_shape;
mod environment;
mod fields;
mod look;
mod overlay;
mod overlay_table;
mod vertex;

use std::sync::Arc;

use glam::{Affine3A, Vec3, Vec4};
use skinscope_base::math::Projection;
pub use skinscope_base::math::Ramp;
use skinscope_deform::{Deformer, METHODS, Method, PaletteBuffer, PaletteRows, ParameterValues, Surface};
use skinscope_model::{Change, Environment, InstanceId, LightKind, Model, NodeId};

pub use self::bone_shape::BoneShape;
pub use self::environment::EnvironmentSettings;
pub use self::look::{ENVIRONMENT, LOOKS, Look, LookGroup, MaterialMap, TONE_MAPS, ToneMap, look, tone_map};
pub use self::overlay::{
    Counted, InspectedList, InspectedValues, Overlay, SCALE_ROWS, Scale, Step, VertexMeasure, VertexValues,
};
pub use self::overlay_table::{AS_STORED, OVERLAYS, overlay};
pub use self::vertex::{PerVertex, VertexPart, VertexRef, VertexSet};

/// A complete description of one picture: everything that the renderer needs.
#[derive(Debug)]
pub struct Frame {
    /// The model that is drawn; the renderer reuses its GPU copy as long as this is the same `Arc`.
    pub model: Option<Arc<Model>>,
    /// The viewpoint.
    pub camera: Camera,
    /// The method that deforms vertices.
    pub method: &'static Method,
    /// The values of the parameters of the method.
    pub parameters: ParameterValues,
    /// Why only the processor can deform, in words for the user; `None`: shaders can deform too.
    pub needs_processor: Option<&'static str>,
    /// What deforms the vertices: the vertex shader, a compute shader or the processor.
    pub deformer: Deformer,
    /// The deformed surface of each member of the crowd, where the processor deforms; empty otherwise.
    pub surfaces: Vec<Arc<Surface>>,
    /// The skinning matrices `model_from_mesh`, in the order of [`Model::palette_layout`]; for a crowd, those of all
    /// members one after the other.
    pub palettes: Vec<Affine3A>,
    /// The morph weights, by [`skinscope_model::Instance::morph_offset`]; of a crowd, those of all members one after the
    /// other.
    pub morph_weights: Vec<f32>,
    /// The number of members of the crowd, each with its own palette and morph weights: 1 or more.
    pub members: u32,
    /// The instances that are drawn, in depth-first node order.
    pub draws: Vec<InstanceId>,
    /// The index of the file's variant whose materials are shown ([`skinscope_model::Primitive::material_in`]).
    pub variant: Option<usize>,
    /// The material properties that the clip animates, and their values.
    pub changes: Vec<Change>,
    /// The lights of the file that are used.
    pub lights: Vec<Light>,
    /// Whether the lights of the studio are on, or that of the environment in its look.
    pub studio: bool,
    /// What the look *Environment* lights materials by; `None`: the program's own room.
    pub environment: Option<Arc<Environment>>,
    /// The bones that are drawn over the surface.
    pub bones: Vec<Bone>,
    /// Lines over the surface, such as joint axes.
    pub lines: Vec<Line>,
    /// The marked vertices.
    pub marked: Arc<VertexSet>,
    /// The numbers of vertices that the overlay shows, where a shader cannot compute them ([`Overlay::values`]); without them it is not
    /// drawn.
    pub values: Option<Arc<PerVertex>>,
    /// All other settings of the picture.
    pub display: Display,
    /// Translucent surfaces of the same model in other poses, each in the colour of its own [`Display::ghost`], behind
    /// the surface of this frame. Nothing else of these frames is drawn. There are none where two surfaces are
    /// compared.
    pub ghosts: Vec<Frame>,
    /// Other models that stand in the same picture. The camera of each is the camera of this frame as that model's own space has it; planes
    /// and projection are the same. Their backgrounds are not drawn, and their own `ghosts`, `beside` and `compared` are ignored. There
    /// are none where two surfaces are compared.
    pub beside: Vec<Frame>,
    /// The second side of the picture, where two surfaces are compared; this frame is then the first side.
    pub compared: Option<Box<Compared>>,
}

/// The second side of a picture that compares two surfaces.
#[derive(Debug)]
pub struct Compared {
    /// The picture of this side: another method, other weights or another model. Its own field `compared` is ignored.
    pub frame: Frame,
    /// The division of the picture between the two sides.
    pub layout: SideLayout,
}

/// The division of the width of a picture between the two sides of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SideLayout {
    /// Both sides have the same camera. The first is shown left of this share of the width, 0…1, and the second right
    /// of it.
    Split(f32),
    /// Each side is a whole picture of half the width.
    SideBySide,
}

/// The line between two sides: widths in pixels of a picture 720 high, and colours. It is drawn on a wider dark one, which sets it off
/// from a light background.
const DIVIDER: [(f32, [f32; 4]); 2] = [(5.0, [0.06, 0.07, 0.09, 0.65]), (2.0, [1.0, 1.0, 1.0, 0.9])];

impl Default for Frame {
    fn default() -> Self {
        Self {
            model: None,
            camera: Camera::default(),
            method: METHODS[0],
            parameters: ParameterValues::default(),
            needs_processor: None,
            deformer: Deformer::Auto,
            surfaces: Vec::new(),
            palettes: Vec::new(),
            morph_weights: Vec::new(),
            members: 1,
            draws: Vec::new(),
            variant: None,
            changes: Vec::new(),
            lights: Vec::new(),
            studio: true,
            environment: None,
            bones: Vec::new(),
            lines: Vec::new(),
            marked: Arc::default(),
            values: None,
            display: Display::default(),
            ghosts: Vec::new(),
            beside: Vec::new(),
            compared: None,
        }
    }
}

impl Frame {
    /// Adds the line between the two sides of a split picture to both sides. `aspect` is width over height of the
    /// picture, `width` that of the line in pixels, and `color` is sRGB with straight alpha. Where the picture is not
    /// split there is no line.
    pub fn add_divider(&mut self, aspect: f32, width: f32, color: [f32; 4]) {
        let Camera { world_from_view, projection, near, far } = self.camera;
        let Some(Compared { frame, layout: SideLayout::Split(share) }) = self.compared.as_deref_mut() else { return };
        // Any depth between the planes will do: lines are seen through all of the scene.
        let depth = (near * far).sqrt();
        let half_height = match projection {
            Projection::Perspective { fov_y } => depth * (0.5 * fov_y).tan(),
            Projection::Orthographic { height } => 0.5 * height,
        };
        let x = (2.0 * *share - 1.0) * half_height * aspect;
        let end = |y: f32| world_from_view.transform_point3(Vec3::new(x, y * half_height, -depth));
        let line = Line { from: end(-1.1), to: end(1.1), width, color };
        self.lines.push(line);
        frame.lines.push(line);
    }

    /// Adds the line as [`Frame::add_divider`] does, in its usual colours, to a picture of `size` (width and height)
    /// pixels.
    pub fn add_divider_for(&mut self, size: [u32; 2]) {
        let [width, height] = size.map(|side| side as f32);
        for (wide, color) in DIVIDER {
            self.add_divider(width / height, wide * (height / 720.0).max(1.0), color);
        }
    }

    /// Takes background and floor away, so that alpha is written. `has_partial_alpha`: whether pixels may be partly
    /// transparent where the picture goes; without that the shadow is taken away too, which would be black.
    pub fn make_transparent(&mut self, has_partial_alpha: bool) {
        self.display.background = Background::Transparent;
        if let Some(grid) = self.display.grid.as_mut().filter(|_| !has_partial_alpha) {
            grid.shadow = Vec4::ZERO;
        }
        self.beside.iter_mut().for_each(|other| other.make_transparent(has_partial_alpha));
    }

    /// Gives the picture another camera, which the models beside share, each in its own space ([`Camera::in_space`]).
    pub fn set_camera(&mut self, camera: Camera) {
        let before = std::mem::replace(&mut self.camera, camera);
        for other in &mut self.beside {
            let now = other.camera;
            let scale = before.near / now.near;
            let offset = before.world_from_view.translation - scale * now.world_from_view.translation;
            other.camera = camera.in_space(offset, scale);
        }
    }

    /// Returns whether each side of a comparison has half of the picture.
    #[must_use]
    pub fn is_in_halves(&self) -> bool {
        self.compared.as_ref().is_some_and(|other| other.layout == SideLayout::SideBySide)
    }

    /// Returns whether two frames have the same model in memory.
    #[must_use]
    pub fn shows_model_of(&self, other: &Self) -> bool {
        fields::is_one(&self.model, &other.model)
    }

    /// Returns the overlay that colours the surface; `None` where there is none, or the numbers that it needs are
    /// missing.
    #[must_use]
    pub fn overlay(&self) -> Option<&'static Overlay> {
        self.display.overlay.filter(|overlay| overlay.values.is_none() || self.values.is_some())
    }

    /// Returns the look that the surface is drawn in, with its index among those of [`LOOKS`] that have a shader; `None` where
    /// an overlay colours the surface, or its materials are shown.
    #[must_use]
    pub fn look(&self) -> Option<(usize, &'static Look)> {
        let mut shaded = LOOKS.iter().filter(|look| look.wgsl.is_some()).enumerate();
        shaded.find(|(_, look)| *look == self.display.look).filter(|_| self.overlay().is_none())
    }
}

impl Clone for Compared {
    fn clone(&self) -> Self {
        Self { frame: self.frame.clone(), layout: self.layout }
    }

    fn clone_from(&mut self, from: &Self) {
        let Self { frame, layout } = from;
        self.frame.clone_from(frame);
        self.layout = *layout;
    }
}

/// The camera, which looks along its −Z. The aspect ratio is that of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The frame of the camera in the world, without scale or shear.
    pub world_from_view: Affine3A,
    /// The projection, perspective or orthographic.
    pub projection: Projection,
    /// The distance of the near plane in front of the eye, metres.
    pub near: f32,
    /// The distance of the far plane in front of the eye, metres.
    pub far: f32,
}

impl Camera {
    /// Returns the camera that sees the same at the same depths in another space, the points of which are at `offset + scale * point` in
    /// that of this camera (metres).
    #[must_use]
    pub fn in_space(self, offset: glam::Vec3A, scale: f32) -> Self {
        let mut out = self;
        out.world_from_view.translation = (self.world_from_view.translation - offset) / scale;
        (out.near, out.far) = (self.near / scale, self.far / scale);
        if let Projection::Orthographic { height } = &mut out.projection {
            *height /= scale;
        }
        out
    }
}

impl Default for Camera {
    fn default() -> Self {
        Self {
            world_from_view: Affine3A::from_translation(Vec3::new(0.0, 0.0, 4.0)),
            projection: Projection::Perspective { fov_y: 0.6 },
            near: 0.1,
            far: 100.0,
        }
    }
}

/// A light of the file (`KHR_lights_punctual`), in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// The shape of its beam.
    pub kind: LightKind,
    /// The position in the world, metres; directional lights do not use it.
    pub position: Vec3,
    /// The direction of the light's beam in the world, unit length.
    pub direction: Vec3,
    /// The colour, linear RGB: the irradiance of a surface that faces the light. For point and spot lights it is that
    /// at a distance of one metre.
    pub color: Vec3,
    /// The distance at which the light has faded to nothing, metres; infinite where it never does.
    pub range: f32,
}

/// The settings of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Display {
    /// The overlay that colours the surface; `None`: the surface is drawn in its look.
    pub overlay: Option<&'static Overlay>,
    /// How a surface that no overlay colours is drawn.
    pub look: &'static Look,
    /// The curve that brings light into the range of the picture.
    pub tone_map: &'static ToneMap,
    /// How the environment is shown, in its look.
    pub environment: EnvironmentSettings,
    /// The size of the model, metres, which looks that show curvature relate it to.
    pub model_size: f32,
    /// The colour ramp of overlays that let the user choose one.
    pub ramp: Ramp,
    /// The numbers at the ends of the overlay's ramp, where they depend on the model; `None`: those of the overlay's row.
    pub scale_ends: Option<[f32; 2]>,
    /// The selected joint, whose weights are shown.
    pub selected: Option<NodeId>,
    /// Whether the weights of all nodes below the selected joint are added to its own.
    pub with_children: bool,
    /// Whether parts that the selected joint does not move are dimmed.
    pub influenced_only: bool,
    /// Whether triangles of which several joints have a tenth or more each are black, in overlays whose colours
    /// represent joints. Otherwise the colours are mixed by weight, with dark seams where another joint becomes the
    /// dominant one.
    pub shared_black: bool,
    /// The largest number of influences of a vertex that a runtime supports.
    pub influence_limit: usize,
    /// Dots at all vertices: in the colours of the overlay, or without an overlay in their own colour. `None`: no dots.
    pub dots: Option<Dots>,
    /// The dots at marked vertices.
    pub marks: Dots,
    /// Whether triangle edges are drawn over the surface.
    pub wireframe: bool,
    /// The colour (sRGB, straight alpha) of a surface in [`Frame::ghosts`], which is strong at its outline and faint
    /// where it faces the camera. `None`: the frame is no ghost.
    pub ghost: Option<[f32; 4]>,
    /// Whether the surface is drawn; without it skeleton, lines and wireframe remain.
    pub mesh: bool,
    /// The opacity of the surface, 0…1. Below 1 the background and other objects shine through it, but its own hidden
    /// layers do not.
    pub skin_opacity: f32,
    /// Whether the model casts soft shadows on itself and on the ground, and hides some of its surroundings from itself
    /// (ambient occlusion).
    pub shadows: bool,
    /// The ground plane, which fades out; `None`: no ground.
    pub grid: Option<Grid>,
    /// The background.
    pub background: Background,
    /// The kind of buffer that shaders read the palette from; it does not change the picture.
    pub palette_buffer: PaletteBuffer,
    /// How many rows each matrix of the palette has; it does not change the picture either.
    pub palette_rows: PaletteRows,
}

impl Default for Display {
    fn default() -> Self {
        Self {
            overlay: None,
            look: &LOOKS[0],
            tone_map: &TONE_MAPS[0],
            environment: EnvironmentSettings::default(),
            model_size: 1.0,
            ramp: Ramp::Heat,
            scale_ends: None,
            selected: None,
            with_children: false,
            influenced_only: false,
            shared_black: false,
            influence_limit: 4,
            dots: None,
            marks: Dots { radius: 4.5, color: [0.302, 0.639, 1.0, 1.0] },
            wireframe: false,
            ghost: None,
            mesh: true,
            skin_opacity: 1.0,
            shadows: false,
            grid: None,
            background: Background::Solid([0.0, 0.0, 0.0]),
            palette_buffer: PaletteBuffer::Auto,
            palette_rows: PaletteRows::Three,
        }
    }
}

/// The size and colour of dots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dots {
    /// The radius in pixels.
    pub radius: f32,
    /// The colour: sRGB, straight alpha.
    pub color: [f32; 4],
}

/// The ground plane, with its lines, floor and shadow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// The distance between lines, metres; every tenth is stronger.
    pub spacing: f32,
    /// The y of the plane in the world, metres.
    pub height: f32,
    /// The distance from the origin at which the ground has faded out, metres.
    pub radius: f32,
    /// The contact shadow, from the box of the deformed model: xz of its centre, then half of its size in x and z,
    /// metres; zero sizes for no shadow.
    pub shadow: Vec4,
    /// The colour of the lines, sRGB.
    pub color: [f32; 3],
    /// Whether the lines are drawn; without them there are floor and shadow.
    pub lines: bool,
    /// The colour of the floor under the shadow: sRGB, straight alpha under the model, from which it fades out.
    pub floor: [f32; 4],
}

/// The background of the picture. Colours are sRGB, 0…1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Background {
    /// One colour.
    Solid([f32; 3]),
    /// No background: alpha is written, and the ground has no floor.
    Transparent,
    /// A radial gradient: `inner` in the middle, `outer` at the corners.
    Studio {
        /// The colour in the middle.
        inner: [f32; 3],
        /// The colour at the corners.
        outer: [f32; 3],
    },
}

/// A bone that is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bone {
    /// The position of the joint, world space, metres.
    pub head: Vec3,
    /// The position of the next joint, world space, metres.
    pub tail: Vec3,
    /// Half of its largest width, metres; bones that are drawn as lines ignore it.
    pub radius: f32,
    /// The colour: sRGB, straight alpha.
    pub color: [f32; 4],
    /// The shape that is drawn.
    pub shape: BoneShape,
    /// Whether it is drawn opaque over all other bones, with a white and a black outline, as for the selected joint.
    pub outlined: bool,
    /// Whether it becomes fainter with distance from the camera.
    pub fades: bool,
}

/// A line with round ends, drawn over the surface; a dot where `from` equals `to`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// The start, world space, metres.
    pub from: Vec3,
    /// The end, world space, metres.
    pub to: Vec3,
    /// The width in pixels.
    pub width: f32,
    /// The colour: sRGB, straight alpha.
    pub color: [f32; 4],
}

/// Returns the sRGB colour that represents a joint. Consecutive nodes have very different colours (hues step by the
/// golden ratio), and nodes whose hues come near each other again differ in how bright and how strong they are.
#[must_use]
pub fn joint_color(node: NodeId) -> [f32; 3] {
    let hue = (node.0 as f32 * 0.618_034).fract() * 6.0;
    // Hues are alike at distances that are Fibonacci numbers, of which 21 is the first that is a multiple of three.
    let (bright, strong) = [(0.95, 0.72), (0.68, 0.8), (1.0, 0.42)][(node.0 % 3) as usize];
    let channel = |shift: f32| {
        let k = (shift + hue) % 6.0;
        bright * (1.0 - strong * k.min(4.0 - k).clamp(0.0, 1.0))
    };
    [channel(5.0), channel(3.0), channel(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_that_are_near_in_a_hierarchy_have_different_colours() {
        for a in 0..200 {
            for b in a + 1..a + 21 {
                let (first, second) = (joint_color(NodeId(a)), joint_color(NodeId(b)));
                let apart = (0..3).map(|i| (first[i] - second[i]).powi(2)).sum::<f32>().sqrt();
                assert!(apart > 0.2, "{a} {first:?} and {b} {second:?}: {apart}");
            }
        }
    }
}
