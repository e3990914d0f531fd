//! The view of the model: the orbit camera, the selection, and what is shown. It has an undo history of its own ([`ViewHistory`]), apart from
//! that of edits.

pub(crate) mod camera;
pub(crate) mod environment;
mod framing;
pub(crate) mod hiding;
pub(crate) mod lighting;
pub(crate) mod orbit;
pub(crate) mod projector;
pub(crate) mod queries;
pub(crate) mod selection;
pub(crate) mod view_commands;
pub(crate) mod view_history;

pub use self::camera::Extents;
pub use self::environment::{EnvironmentCommand, EnvironmentView};
pub use self::hiding::Bones;
pub use self::lighting::{FileLights, PosedLight};
pub use self::orbit::{FOV_Y, Orbit};
pub use self::projector::Projector;
pub use self::queries::{Picking, WeightsJointSource};
pub(crate) use self::view_history::ViewHistory;

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::{Affine3A, Vec2, Vec3};
use skinscope_base::math::{Aabb, Projection, Ramp, Ray};
use skinscope_deform::{
    Deformer, METHODS, Method, NORMAL_MODES, NormalMode, PaletteBuffer, PaletteRows, ParameterSettings, Pass,
};
use skinscope_frame::{LOOKS, Look, TONE_MAPS, ToneMap};
use skinscope_inspect::{BoneShape, Overlay, VertexRef, VertexSet};
use skinscope_model::{Lens, NodeId};

use crate::comparison::Comparison;
use crate::menus::toggles::{Toggle, Toggles};
use crate::{MethodChoice, Onion, Orientation, PoseTool, Standing, Subdivide};

/// Whether edges are smoothed, by four samples of each pixel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Antialiasing {
    /// Always on a graphics card; where the processor draws, only while nothing moves.
    #[default]
    Auto,
    /// Never.
    Off,
    /// Always.
    Four,
}

/// The lights that light the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Lighting {
    /// A studio that turns with the camera.
    #[default]
    Studio,
    /// The lights of the file, and nothing else.
    File,
    /// The studio and the lights of the file.
    Both,
}

/// A camera of the file that is looked through, as its node stands now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActiveCamera {
    /// The index in [`skinscope_model::ModelParts::camera_nodes`].
    pub index: usize,
    /// The camera's frame, without scale or shear.
    pub world_from_view: Affine3A,
    /// The lens as the clip has changed it.
    pub lens: Lens,
}

/// Directions that pictures and the window can be looked at from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[expect(missing_docs, reason = "the words of every 3D program")]
pub enum ViewFrom {
    Front,
    Back,
    Left,
    Right,
    Top,
    Bottom,
    /// From the front, a little to the side and above, as a file is seen when it is opened.
    Corner,
}

impl ViewFrom {
    /// Returns yaw and pitch of the [`Orbit`], radians, for a character that faces `front`
    /// ([`skinscope_model::Model::front`]). *Front* looks from there, *Right* from the side that is right in the front
    /// view: +X for a character that faces +Z. The front is at the bottom of *Top*.
    #[must_use]
    pub fn angles(self, front: Vec3) -> (f32, f32) {
        use std::f32::consts::{FRAC_PI_2, PI, TAU};
        let (yaw, pitch) = match self {
            Self::Front => (0.0, 0.0),
            Self::Back => (PI, 0.0),
            Self::Right => (FRAC_PI_2, 0.0),
            Self::Left => (3.0 * FRAC_PI_2, 0.0),
            Self::Top => (0.0, FRAC_PI_2),
            Self::Bottom => (0.0, -FRAC_PI_2),
            Self::Corner => {
                let Orbit { yaw, pitch, .. } = Orbit::default();
                (yaw, pitch)
            }
        };
        ((yaw + front.x.atan2(front.z)).rem_euclid(TAU), pitch)
    }

    /// Returns the view from a side of the world, for a character that faces `front`; `axis` is a unit vector along an
    /// axis.
    #[must_use]
    pub fn of_axis(axis: Vec3, front: Vec3) -> Self {
        let right = Vec3::Y.cross(front);
        if axis.y.abs() > 0.5 {
            return if axis.y > 0.0 { Self::Top } else { Self::Bottom };
        }
        match (axis.dot(front), axis.dot(right)) {
            (forward, _) if forward > 0.5 => Self::Front,
            (forward, _) if forward < -0.5 => Self::Back,
            (_, aside) if aside > 0.0 => Self::Right,
            _ => Self::Left,
        }
    }
}

/// What was framed, and the camera that framed it.
#[derive(Clone, Copy, Debug)]
struct Framed {
    orbit: Orbit,
    bounds: Aabb,
    /// Whether it fills the clear part of the picture, not all of it.
    in_clear: bool,
}

/// The settings by which the model is looked at.
#[derive(Clone, Debug)]
pub struct View {
    /// The user's own camera.
    pub orbit: Orbit,
    /// The file's camera that is looked through instead, if any.
    pub through: Option<ActiveCamera>,
    /// The lights that light the model; the file's lights only where it has some.
    pub lighting: Lighting,
    /// Whether edges are smoothed.
    pub antialiasing: Antialiasing,
    /// The kind of buffer that shaders read the palette from.
    pub palette_buffer: PaletteBuffer,
    /// How many rows each matrix of the palette has.
    pub palette_rows: PaletteRows,
    /// How what is shown is subdivided.
    pub subdivision: Subdivide,
    /// What was framed last.
    framed: Option<Framed>,
    /// The part of the viewport that nothing over the picture covers, by its least and its greatest corner, pixels from the top left;
    /// `None`: all of it.
    clear: Option<[Vec2; 2]>,
    /// The size of the viewport in pixels; its aspect is the camera's.
    pub viewport: Vec2,
    /// The scene that is shown, as its index in [`skinscope_model::ModelParts::scenes`].
    pub scene: usize,
    /// The number of the file's material variant that is shown; `None`: its materials without a variant.
    pub variant: Option<usize>,
    /// How many members of a crowd are asked for (as many are shown as the model allows); 1 for the model alone.
    pub crowd: u32,
    /// The node whose sliders, weights and matrices are shown.
    pub selected: Option<NodeId>,
    /// The node under the pointer.
    pub hovered: Option<NodeId>,
    /// The vertex that is explained.
    pub pinned: Option<VertexRef>,
    /// Vertices that are marked.
    pub marked: Arc<VertexSet>,
    /// The finding that is shown, by its index in the report; its vertices are those marked.
    pub finding: Option<usize>,
    /// The number of the instance's copy that the pinned vertex belongs to.
    pub pinned_copy: usize,
    /// Whether the vertex was pinned in the second side of a comparison, and is explained as that side has it.
    pub pinned_second: bool,
    /// The overlay that colours the surface; `None`: it is drawn in its look.
    pub overlay: Option<&'static Overlay>,
    /// How a surface that no overlay colours is drawn.
    pub look: &'static Look,
    /// The curve that brings light into the range of the picture.
    pub tone_map: &'static ToneMap,
    /// Which environment lights the surface in that look, and how.
    pub environment: EnvironmentView,
    /// The colours of weights.
    pub ramp: Ramp,
    /// What a drag in the picture does.
    pub pose_tool: PoseTool,
    /// The axes along which it acts.
    pub orientation: Orientation,
    /// The method that deforms vertices.
    pub method: &'static Method,
    /// The pass that comes after it, if any.
    pub pass: Option<&'static Pass>,
    /// Where normals come from.
    pub normals: &'static NormalMode,
    /// The values of the parameters of methods and passes.
    pub parameters: ParameterSettings,
    /// Who deforms vertices before they are drawn; methods that need neighbours are left to the processor in any case.
    pub deformer: Deformer,
    /// What is compared with what is shown, if anything is.
    pub comparison: Option<Comparison>,
    /// Which switches are on, but that of [`View::onion`].
    toggles: Toggles,
    /// The shape in which bones are drawn.
    pub bone_shape: BoneShape,
    /// Their thickness, as a factor of the usual: [`View::BONE_SIZES`].
    pub bone_size: f32,
    /// Whether joints that move no vertex have no bone; `None`: where there are many of them
    /// ([`crate::Bones::deforming_only`]).
    pub deforming_only: Option<bool>,
    /// The nodes that the user hides, with all below them: [`crate::Bones::is_hidden`].
    pub hidden: Arc<BTreeSet<NodeId>>,
    /// The opacity of the surface, 0…1.
    pub skin_opacity: f32,
    /// Whether the model is drawn at moments of the clip before and after the one that is shown, and at which.
    pub onion: Onion,
    /// The most influences of a vertex that a runtime can use, 1…8; overlays and checks use it.
    pub influence_limit: usize,
    /// The greatest distance on the scale of the overlay *Distance of two methods*, metres; `None`: it follows the height of the model
    /// ([`crate::Extents::distance_scale`]).
    pub distance_scale: Option<f32>,
}

impl Default for View {
    fn default() -> Self {
        Self {
            orbit: Orbit::default(),
            through: None,
            lighting: Lighting::Studio,
            antialiasing: Antialiasing::Auto,
            palette_buffer: PaletteBuffer::Auto,
            palette_rows: PaletteRows::Three,
            subdivision: Subdivide::default(),
            framed: None,
            clear: None,
            viewport: Vec2::new(1280.0, 720.0),
            scene: 0,
            variant: None,
            crowd: 1,
            selected: None,
            hovered: None,
            pinned: None,
            marked: Arc::default(),
            finding: None,
            pinned_copy: 0,
            pinned_second: false,
            overlay: None,
            look: &LOOKS[0],
            tone_map: &TONE_MAPS[0],
            environment: EnvironmentView::default(),
            ramp: Ramp::default(),
            pose_tool: PoseTool::default(),
            orientation: Orientation::default(),
            method: METHODS[0],
            pass: None,
            normals: NORMAL_MODES[0],
            parameters: ParameterSettings::default(),
            deformer: Deformer::Auto,
            comparison: None,
            toggles: Toggles::default(),
            bone_shape: BoneShape::default(),
            bone_size: 1.0,
            deforming_only: None,
            hidden: Arc::default(),
            skin_opacity: 1.0,
            onion: Onion::default(),
            influence_limit: 4,
            distance_scale: None,
        }
    }
}

impl View {
    /// The least and the greatest [`View::bone_size`].
    pub const BONE_SIZES: [f32; 2] = [0.25, 4.0];

    /// Returns width over height.
    #[must_use]
    pub fn aspect(&self) -> f32 {
        (self.viewport.x / self.viewport.y.max(1.0)).clamp(0.01, 100.0)
    }

    /// Returns the rigid transform from the camera's space to the world; the camera looks along its −Z.
    #[must_use]
    pub fn world_from_view(&self) -> Affine3A {
        self.through.map_or_else(|| self.orbit.world_from_view(), |t| t.world_from_view)
    }

    /// Returns the projection of the camera.
    #[must_use]
    pub fn projection(&self) -> Projection {
        self.through.map_or_else(|| self.orbit.projection(), |t| t.lens.projection(self.aspect()).0)
    }

    /// Returns the depths of near and far planes, metres: the file camera's own, or those that hold `bounds`.
    #[must_use]
    pub fn planes(&self, bounds: Aabb) -> (f32, f32) {
        let own = |t: ActiveCamera| {
            let (_, near, far) = t.lens.projection(self.aspect());
            (near, far)
        };
        self.through.map_or_else(|| self.orbit.planes(bounds), own)
    }

    /// Puts the orbit camera where the file's camera is, which is then left, so that the next turn starts from what was
    /// seen. `focus` (world) is the point that it turns about, as far as it lies ahead. A camera that leans to a side
    /// is set upright.
    pub(super) fn leave_camera(&mut self, focus: Vec3) {
        let Some(ActiveCamera { world_from_view, .. }) = self.through else { return };
        let projection = self.projection();
        self.through = None;
        let (eye, back) = (Vec3::from(world_from_view.translation), Vec3::from(world_from_view.matrix3.z_axis));
        let ahead = (eye - focus).dot(back);
        let distance = if ahead > 0.0 && ahead.is_finite() { ahead } else { 1.0 };
        let height = match projection {
            Projection::Perspective { fov_y } => 2.0 * distance * (0.5 * fov_y).tan(),
            Projection::Orthographic { height } => height,
        };
        self.orbit = Orbit {
            target: eye - back * distance,
            yaw: back.x.atan2(back.z).rem_euclid(std::f32::consts::TAU),
            pitch: back.y.clamp(-1.0, 1.0).asin(),
            // The height that is seen at the target stays the same, through another angle.
            distance: height / (2.0 * (0.5 * FOV_Y).tan()),
            orthographic: matches!(projection, Projection::Orthographic { .. }),
        };
        self.orbit.zoom(0.0);
    }

    /// Returns the ray under a point of the viewport, in pixels from its top left.
    #[must_use]
    pub fn ray(&self, at: Vec2) -> Ray {
        let ndc = (at / self.viewport.max(Vec2::ONE)) * Vec2::new(2.0, -2.0) + Vec2::new(-1.0, 1.0);
        self.projection().ray(self.world_from_view(), self.aspect(), ndc)
    }

    /// Projects a world point to pixels from the viewport's top left; `None` behind the eye. For many points,
    /// [`View::projector`] does the common part once.
    #[must_use]
    pub fn project(&self, world: Vec3) -> Option<Vec2> {
        self.projector().project(world)
    }

    /// Returns a projector, which projects many points.
    #[must_use]
    pub fn projector(&self) -> Projector {
        let projection = self.projection();
        let nearest = self.through.map_or(self.orbit.distance * 1e-3, |t| t.lens.projection(self.aspect()).1);
        let is_perspective = matches!(projection, Projection::Perspective { .. });
        Projector {
            view_from_world: self.world_from_view().inverse(),
            clip_from_view: projection.clip_from_view(self.aspect(), 0.1, 10.0),
            farthest: if is_perspective { -nearest } else { f32::INFINITY },
            distance: self.orbit.distance,
            viewport: self.viewport,
        }
    }

    /// How the picture's surface is deformed.
    #[must_use]
    pub fn choice(&self) -> MethodChoice {
        MethodChoice { method: self.method, pass: self.pass, normals: self.normals }
    }

    /// Gives the view of another model that stands in the same picture this camera and this look. `standing` is where that
    /// model stands in the world of this view. What belongs to a model stays: its overlay, its method, what is selected and hidden.
    pub(crate) fn share(&mut self, shown: &Self, standing: Standing) {
        let orbit = shown.orbit;
        let (target, distance) = (standing.place_back(orbit.target), orbit.distance / standing.scale);
        self.orbit = Orbit { target, distance, ..orbit };
        (self.through, self.framed) = (None, None);
        (self.viewport, self.clear) = (shown.viewport, shown.clear);
        self.toggles = shown.toggles;
        (self.look, self.tone_map, self.ramp) = (shown.look, shown.tone_map, shown.ramp);
        (self.lighting, self.antialiasing, self.palette_buffer) =
            (shown.lighting, shown.antialiasing, shown.palette_buffer);
        self.palette_rows = shown.palette_rows;
        (self.bone_shape, self.bone_size, self.skin_opacity) = (shown.bone_shape, shown.bone_size, shown.skin_opacity);
        (self.pose_tool, self.orientation, self.deformer) = (shown.pose_tool, shown.orientation, shown.deformer);
        self.influence_limit = shown.influence_limit;
    }

    /// Returns whether a switch is on.
    #[must_use]
    pub fn is_on(&self, toggle: Toggle) -> bool {
        if toggle == Toggle::Onion { self.onion.shown } else { self.toggles.is_on(toggle) }
    }

    /// Switches a switch on or off.
    pub fn set(&mut self, toggle: Toggle, on: bool) {
        match toggle {
            Toggle::Onion => self.onion.shown = on,
            _ => self.toggles.set(toggle, on),
        }
    }

    /// Switches a switch.
    pub fn toggle(&mut self, toggle: Toggle) {
        self.set(toggle, !self.is_on(toggle));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn framing_holds_every_corner_with_air() {
        let bounds = Aabb { min: Vec3::new(-3.0, 0.0, -1.0), max: Vec3::new(1.0, 2.0, 7.0) };
        for orthographic in [false, true] {
            let mut view = View { viewport: Vec2::new(900.0, 600.0), ..View::default() };
            view.orbit.orthographic = orthographic;
            view.orbit.frame(bounds, view.aspect());
            let mut reach = 0.0_f32;
            for i in 0..8 {
                let pick = |bit: u32, a: usize| if i & bit == 0 { bounds.min[a] } else { bounds.max[a] };
                let at = view.project(Vec3::new(pick(1, 0), pick(2, 1), pick(4, 2))).unwrap();
                let ndc = (at / view.viewport * 2.0 - 1.0).abs();
                reach = reach.max(ndc.max_element());
            }
            assert!((0.75..0.97).contains(&reach), "{reach}");
        }
    }

    #[test]
    fn what_was_framed_fills_every_viewport_until_one_looks_elsewhere() {
        let bounds = Aabb { min: Vec3::new(-4.0, 0.0, -1.0), max: Vec3::new(4.0, 2.0, 1.0) };
        let in_tall = |view: &mut View| {
            view.set_viewport(Vec2::new(300.0, 600.0));
            view.orbit
        };
        let mut view = View::default();
        view.frame(bounds);
        let mut wanted = view.orbit;
        wanted.frame(bounds, 0.5);
        assert!(wanted.distance > 1.5 * view.orbit.distance);
        assert_eq!(in_tall(&mut view), wanted);
        view.set_viewport(Vec2::new(1280.0, 720.0));
        view.orbit.zoom(1.0);
        let zoomed = view.orbit;
        assert_eq!(in_tall(&mut view), zoomed);
    }

    #[test]
    fn a_ray_through_a_projected_point_passes_it() {
        let view = View { viewport: Vec2::new(640.0, 480.0), ..View::default() };
        let p = Vec3::new(0.3, 1.2, -0.4);
        let ray = view.ray(view.project(p).unwrap());
        let along = (p - ray.origin).dot(ray.direction);
        assert!((ray.origin + ray.direction * along - p).length() < 1e-4);
    }

    #[test]
    fn the_front_is_where_the_character_faces() {
        for front in [Vec3::Z, Vec3::NEG_Z] {
            let eye = |side: ViewFrom| {
                let (yaw, pitch) = side.angles(front);
                let orbit = Orbit { yaw, pitch, ..Orbit::default() };
                let eye = Vec3::from(orbit.world_from_view().translation);
                (eye - orbit.target) / orbit.distance
            };
            for axis in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|axis| [axis, -axis]) {
                let side = ViewFrom::of_axis(axis, front);
                assert!((eye(side) - axis).length() < 1e-5, "{axis} is {side:?} of what faces {front}");
            }
            assert_eq!(ViewFrom::of_axis(front, front), ViewFrom::Front);
            assert_eq!(ViewFrom::of_axis(Vec3::Y.cross(front), front), ViewFrom::Right);
            assert!(eye(ViewFrom::Corner).dot(front) > 0.8);
        }
        assert_eq!(ViewFrom::Front.angles(Vec3::Z), (0.0, 0.0));
    }
}
