//! A picture as plain data: everything that the renderer is told. Knows nothing of the GPU, of windows, or of how it
//! was made.

#![forbid(unsafe_code)]

mod bone_shape;
mod fields;
mod overlay;
mod overlay_table;
mod vertex;

use std::sync::Arc;

use glam::{Affine3A, Vec3, Vec4};
use skinscope_base::math::Projection;
pub use skinscope_base::math::Ramp;
use skinscope_deform::{Deformer, METHODS, Method, PaletteBuffer, ParameterValues, Surface};
use skinscope_model::{Change, InstanceId, LightKind, Model, NodeId};

pub use self::bone_shape::BoneShape;
pub use self::overlay::{
    Counted, InspectedList, InspectedValues, Overlay, SCALE_ROWS, Scale, Step, VertexMeasure, VertexValues,
};
pub use self::overlay_table::{AS_STORED, OVERLAYS, overlay};
pub use self::vertex::{PerVertex, VertexPart, VertexRef, VertexSet};

/// Everything that the renderer needs to know to draw one picture.
#[derive(Debug)]
pub struct Frame {
    /// The model that is drawn; the renderer keeps its GPU copy as long as this stays the same `Arc`.
    pub model: Option<Arc<Model>>,
    /// The viewpoint.
    pub camera: Camera,
    /// The method that deforms vertices.
    pub method: &'static Method,
    /// The values of the method's parameters.
    pub parameters: ParameterValues,
    /// Why only the processor can deform; `None`: shaders can too.
    pub needs_processor: Option<&'static str>,
    /// The deformer: vertex shader, compute shader or processor.
    pub deformer: Deformer,
    /// The surface of each member of the crowd, where the processor deforms; else none.
    pub surfaces: Vec<Arc<Surface>>,
    /// The skinning matrices `model_from_mesh`, laid out by [`Model::palette_layout`]; of a crowd, those of all members
    /// one after the other.
    pub palettes: Vec<Affine3A>,
    /// The morph weights, by [`skinscope_model::Instance::morph_offset`]; of a crowd, those of all members one after the
    /// other.
    pub morph_weights: Vec<f32>,
    /// How many copies of the model are drawn, each by its own palette and morph weights: 1 or more.
    pub members: u32,
    /// Instances to draw, in depth-first node order.
    pub draws: Vec<InstanceId>,
    /// The number of the file's variant whose materials are shown ([`skinscope_model::Primitive::material_in`]).
    pub variant: Option<usize>,
    /// The material properties that the clip changes, and their values.
    pub changes: Vec<Change>,
    /// The lights of the file that are used.
    pub lights: Vec<Light>,
    /// Whether the studio lights are on.
    pub studio: bool,
    /// The bones that are drawn over the surface.
    pub bones: Vec<Bone>,
    /// Lines over the surface, such as joint axes.
    pub lines: Vec<Line>,
    /// The vertices that are marked.
    pub marked: Arc<VertexSet>,
    /// Numbers for each vertex that some overlays show; an overlay that lacks its numbers is not drawn.
    pub inspected: Option<Arc<InspectedValues>>,
    /// The numbers of vertices that differ from what is stored, where the overlay shows them.
    pub changed: Option<Arc<PerVertex>>,
    /// All other settings of the picture.
    pub display: Display,
    /// Faint surfaces of the same model in other poses, each in the colour of [`Display::ghost`]: of these pictures nothing but the surface
    /// is drawn, behind what the surface of this one hides. Where two surfaces are compared there are none.
    pub ghosts: Vec<Frame>,
    /// The second side of the picture, where two surfaces are compared; this frame is then the first.
    pub compared: Option<Box<Compared>>,
}

/// The second side of a picture that compares two surfaces.
#[derive(Debug)]
pub struct Compared {
    /// The picture that this side is part of: another method, other weights, another model. What it is compared with itself is
    /// not shown.
    pub frame: Frame,
    /// How the two sides share the picture.
    pub layout: SideLayout,
}

/// How the two sides of a comparison share the width of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SideLayout {
    /// Both sides see the same; the first one is shown left of this share of the width, 0…1, and the second one right of it.
    Split(f32),
    /// Each side has a half of the width for all that its camera sees.
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
            bones: Vec::new(),
            lines: Vec::new(),
            marked: Arc::default(),
            inspected: None,
            changed: None,
            display: Display::default(),
            ghosts: Vec::new(),
            compared: None,
        }
    }
}

impl Frame {
    /// Draws the line between the two sides of a split picture into both, `width` pixels wide; `aspect` is that of the picture.
    /// Where the picture is not split there is no line.
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

    /// Does the same as [`Frame::add_divider`] with the usual lines, for a picture of `size` pixels.
    pub fn add_divider_for(&mut self, size: [u32; 2]) {
        let [width, height] = size.map(|side| side as f32);
        for (wide, color) in DIVIDER {
            self.add_divider(width / height, wide * (height / 720.0).max(1.0), color);
        }
    }

    /// Returns whether two sides have a half of the picture each.
    #[must_use]
    pub fn is_in_halves(&self) -> bool {
        self.compared.as_ref().is_some_and(|other| other.layout == SideLayout::SideBySide)
    }

    /// Returns whether two frames show the same model.
    #[must_use]
    pub fn shows_model_of(&self, other: &Self) -> bool {
        fields::is_one(&self.model, &other.model)
    }

    /// Returns the overlay that colours the surface, once the numbers that it needs are there.
    #[must_use]
    pub fn overlay(&self) -> Option<&'static Overlay> {
        self.display.overlay.filter(|overlay| match overlay.values {
            None => true,
            Some(VertexValues::Inspected(_)) => self.inspected.is_some(),
            Some(VertexValues::ChangedWeights | VertexValues::ChangedSurface | VertexValues::Measured(_)) => {
                self.changed.is_some()
            }
        })
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

/// The viewpoint; the camera looks along its −Z. The aspect ratio comes from the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The camera's frame, without scale or shear.
    pub world_from_view: Affine3A,
    /// Perspective or orthographic.
    pub projection: Projection,
    /// The distance of the near plane in front of the eye, metres.
    pub near: f32,
    /// The distance of the far plane in front of the eye, metres.
    pub far: f32,
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

/// A light of the file (`KHR_lights_punctual`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// The shape of its beam.
    pub kind: LightKind,
    /// The position in the world, metres; directional lights do not use it.
    pub position: Vec3,
    /// The direction of the light's beam in the world, unit length.
    pub direction: Vec3,
    /// The colour, linear RGB: the irradiance of a surface that faces the light, at one metre where the light has a
    /// place.
    pub color: Vec3,
    /// The distance at which it has faded out, metres; infinite where it never does.
    pub range: f32,
}

/// The settings of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Display {
    /// The overlay that colours the surface; `None`: materials and light.
    pub overlay: Option<&'static Overlay>,
    /// The ramp of overlays that leave the colours to the user.
    pub ramp: Ramp,
    /// The joint whose weights are shown.
    pub selected: Option<NodeId>,
    /// Whether the weights of all nodes below it are added.
    pub with_children: bool,
    /// Whether parts that the selected joint does not move are dimmed.
    pub influenced_only: bool,
    /// In overlays whose colours stand for joints, triangles that several joints share, by a tenth or more each, are black
    /// (as in the lecture). Otherwise the colours are mixed by weight, with dark seams where another joint becomes the
    /// dominant one.
    pub shared_black: bool,
    /// The most influences that a runtime can use.
    pub influence_limit: usize,
    /// Draws all vertices as dots: in the colours of the overlay, else in this colour.
    pub dots: Option<Dots>,
    /// The dots of marked vertices.
    pub marks: Dots,
    /// Whether triangle edges are drawn over the surface.
    pub wireframe: bool,
    /// The colour (sRGB, straight alpha) of a surface of [`Frame::ghosts`]: strong at its outline, faint where it faces the eye. `None`: the
    /// frame is no ghost.
    pub ghost: Option<[f32; 4]>,
    /// Whether the surface itself is drawn; without it skeleton, lines and wireframe remain.
    pub mesh: bool,
    /// The opacity of the surface, 0…1: below 1 what lies behind it shines through, but none of its own other layers.
    pub skin_opacity: f32,
    /// The ground at y = `height`, which fades out; `None`: no ground.
    pub grid: Option<Grid>,
    /// The background.
    pub background: Background,
    /// The kind of buffer that the palette is read from; the picture is the same.
    pub palette_buffer: PaletteBuffer,
}

impl Default for Display {
    fn default() -> Self {
        Self {
            overlay: None,
            ramp: Ramp::Heat,
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
            grid: None,
            background: Background::Solid([0.0, 0.0, 0.0]),
            palette_buffer: PaletteBuffer::Auto,
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

/// The lines, floor and shadow of the ground plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// The distance between lines, metres; every tenth is stronger.
    pub spacing: f32,
    /// The y of the plane, metres.
    pub height: f32,
    /// The distance from the origin at which the ground has faded out, metres.
    pub radius: f32,
    /// The box of the deformed model on the ground, for the contact shadow: centre xz and radii xz; zero radii for
    /// none.
    pub shadow: Vec4,
    /// The colour of the lines, sRGB.
    pub color: [f32; 3],
    /// The colour of the floor, on which the shadow lies: sRGB, straight alpha under the model, fading out around it.
    pub floor: [f32; 4],
}

/// The background of the picture. Colours are sRGB, 0…1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Background {
    /// One colour.
    Solid([f32; 3]),
    /// No background: alpha is written.
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
    /// The position of the joint, world space.
    pub head: Vec3,
    /// The position of the next joint, world space.
    pub tail: Vec3,
    /// Half of its greatest width, metres; bones that are lines have a width of their own.
    pub radius: f32,
    /// The colour: sRGB, straight alpha.
    pub color: [f32; 4],
    /// The shape that is drawn.
    pub shape: BoneShape,
    /// Whether it is drawn opaque, over all other bones, with a white and a black outline, as the selected one is.
    pub outlined: bool,
    /// Whether it is fainter the farther away it is.
    pub fades: bool,
}

/// A line with round ends, drawn over the surface; where `from` is `to`, a dot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// The start, world space.
    pub from: Vec3,
    /// The end, world space.
    pub to: Vec3,
    /// The width in pixels.
    pub width: f32,
    /// The colour: sRGB, straight alpha.
    pub color: [f32; 4],
}

/// Returns the sRGB colour that stands for a joint: neighbours in the list differ well (hues step by the golden ratio).
#[must_use]
pub fn joint_color(node: NodeId) -> [f32; 3] {
    let hue = (node.0 as f32 * 0.618_034).fract() * 6.0;
    let bright = if node.0.is_multiple_of(2) { 0.95 } else { 0.75 };
    let channel = |shift: f32| {
        let k = (shift + hue) % 6.0;
        bright * (1.0 - 0.65 * k.min(4.0 - k).clamp(0.0, 1.0))
    };
    [channel(5.0), channel(3.0), channel(1.0)]
}
