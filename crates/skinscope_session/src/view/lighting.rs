//! The file's cameras and lights as posed: the camera that is looked through, and the brightness of the picture.

use std::sync::Arc;

use glam::{Vec3, Vec3A};
use skinscope_anim as anim;
use skinscope_base::math::Aabb;
use skinscope_model::{Light, LightKind, Model};

use crate::{ActiveCamera, Pose, View};

/// A light of the file, as posed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PosedLight {
    /// The shape of its beam.
    pub kind: LightKind,
    /// The position in the world, metres; directional lights do not use it.
    pub position: Vec3,
    /// The direction of the light's −Z in the world, unit length.
    pub direction: Vec3,
    /// The linear RGB colour times the intensity, lux or candela.
    pub color: Vec3,
    /// The range in metres; infinite where the light has none.
    pub range: f32,
}

/// Returns camera number `index` with its node and lens as posed; `None` where the node has no direction.
pub(crate) fn through(model: &Model, pose: &Pose, index: usize) -> Option<ActiveCamera> {
    let (node, camera) = *model.camera_nodes.get(index)?;
    let world_from_view = anim::looking(pose.model.get(node.index())?)?;
    Some(ActiveCamera { index, world_from_view, lens: anim::lens(model, camera, &pose.changes) })
}

/// The illuminance at which a white surface that faces the light is as bright as white can be drawn: π lux.
const FULL: f32 = std::f32::consts::PI;

/// The cameras and lights of the file, as posed.
#[derive(Clone, Copy, Debug)]
pub struct FileLights<'a> {
    pub(crate) model: Option<&'a Arc<Model>>,
    pub(crate) view: &'a View,
    pub(crate) pose: &'a Pose,
}

impl<'a> FileLights<'a> {
    /// Returns the name of a camera: its own, else its node's.
    #[must_use]
    pub fn camera_name(self, index: usize) -> Option<&'a str> {
        let model = self.model?;
        let (node, camera) = *model.camera_nodes.get(index)?;
        let own = model.cameras[camera.index()].name.as_str();
        Some(if own.is_empty() { &model.skeleton.names[node.index()] } else { own })
    }

    /// Returns the name of a camera for menus.
    #[must_use]
    pub fn camera_label(self, index: usize) -> Option<String> {
        let name = self.camera_name(index)?;
        let says_so = name.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("cam"));
        Some(if says_so { name.to_owned() } else { format!("Camera {name}") })
    }

    /// Returns whether the shown scene has lights of its own.
    #[must_use]
    pub fn has_lights(self) -> bool {
        self.light_nodes().next().is_some()
    }

    fn light_nodes(self) -> impl Iterator<Item = (skinscope_model::NodeId, skinscope_model::LightId)> {
        let model = self.model;
        let shown = model.and_then(|m| m.scenes.get(self.view.scene)).map(|s| s.contains.as_slice());
        let inside = move |n: skinscope_model::NodeId| shown.is_none_or(|s| s[n.index()]);
        model.into_iter().flat_map(|m| &m.light_nodes).copied().filter(move |(n, _)| inside(*n))
    }

    /// Returns the lights of the shown scene that nothing hides, as posed, in the file's own units.
    pub(crate) fn posed_lights(self) -> impl Iterator<Item = PosedLight> {
        let shown = |n: skinscope_model::NodeId| self.pose.hidden.get(n.index()).is_none_or(|hidden| !hidden);
        self.light_nodes().filter(move |(n, _)| shown(*n)).filter_map(move |(node, id)| {
            let Light { kind, color, intensity, range, .. } = anim::light(self.model?, id, &self.pose.changes);
            let world = self.pose.model.get(node.index())?;
            let direction = (-world.matrix3.z_axis).try_normalize().unwrap_or(Vec3A::NEG_Z).into();
            let range = range.unwrap_or(f32::INFINITY);
            let position = Vec3::from(world.translation);
            position.is_finite().then_some(PosedLight { kind, position, direction, color: color * intensity, range })
        })
    }

    pub(crate) fn measure_exposure(self) -> f32 {
        let lux: f32 = self.posed_lights().map(|light| illuminance(&light, self.pose.opened_bounds)).sum();
        if lux > FULL && lux.is_finite() { FULL / lux } else { 1.0 }
    }
}

/// Returns the illuminance (lux) at the middle of `bounds`, without regard to cones. Lights inside of the model count
/// as if they stood at its skin.
fn illuminance(light: &PosedLight, bounds: Aabb) -> f32 {
    let strength = light.color.max_element();
    if light.kind == LightKind::Directional {
        return strength;
    }
    let distance = light.position.distance(bounds.center()).max(0.25 * bounds.diagonal()).max(1e-6);
    if distance < light.range { strength / (distance * distance) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::Vec2;
    use skinscope_base::math::Transform;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{Camera, CameraId, Lens, LightId, NodeId};

    use super::*;
    use crate::{CameraCommand, Document, EditCommand, PlaybackCommand, PoseSource, Session, ViewCommand};

    /// Opens a tube with a camera and a lamp on the node of its second joint, which stands at (0, 1, 0).
    fn open(lens: Lens, intensity: f32) -> Session {
        let mut parts = (*tube(Tube { joints: 2, ..Tube::default() })).clone();
        parts.cameras = vec![Camera { name: "eye".into(), lens }];
        parts.camera_nodes = vec![(NodeId(2), CameraId(0))];
        let (name, color, range) = (String::new(), Vec3::ONE, None);
        parts.lights = vec![Light { name, kind: LightKind::Point, color, intensity, range }];
        parts.light_nodes = vec![(NodeId(2), LightId(0))];
        let rest = &mut parts.skeleton.rest.transforms[2];
        *rest = Transform { scale: Vec3::new(2.0, 3.0, 0.5), ..*rest };
        let mut session = Session::default();
        session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
        session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
        session.apply(CameraCommand::SetViewport(Vec2::new(800.0, 400.0)));
        session
    }

    const WIDE: Lens = Lens::Perspective { fov_y: 1.0, aspect: None, near: 0.25, far: None };

    #[test]
    fn a_camera_of_the_file_is_looked_through_and_moves_with_its_node() {
        let mut session = open(WIDE, 1.0);
        session.apply(CameraCommand::SetCamera(Some(0)));
        session.update_pose();
        // The light points straight along −Z of the world, whatever the node's scale.
        let eye = session.view.world_from_view();
        assert!((eye.matrix3 * Vec3A::NEG_Z - Vec3A::NEG_Z).length() < 1e-6 && eye.matrix3.determinant() > 0.999);
        let at = Vec3::from(eye.translation);
        assert_eq!(session.view.planes(Aabb::EMPTY), (0.25, f32::INFINITY));
        // Half the angle up is the edge of the picture.
        let edge = session.view.project(at + Vec3::new(0.0, 0.5_f32.tan(), -1.0)).unwrap();
        assert!((edge - Vec2::new(400.0, 0.0)).length() < 1e-2, "{edge}");
        assert_eq!(session.view.project(at + Vec3::NEG_Z * 0.2), None, "before the near plane");
        let turned = Vec3::new(0.0, 90.0, 0.0);
        session.apply(EditCommand::Edit(NodeId(2), crate::ChannelValue::Rotation(turned)));
        session.update_pose();
        assert!((session.view.world_from_view().matrix3 * Vec3A::NEG_Z - Vec3A::NEG_X).length() < 1e-6);
        session.apply(CameraCommand::NextCamera);
        assert_eq!(session.view.through, None, "after the last camera comes the user's own camera");
        session.apply(ViewCommand::SetOverlay(None));
        session.apply(CameraCommand::NextCamera);
        assert_eq!(session.view.through.map(|t| t.index), Some(0));
    }

    #[test]
    fn leaving_a_camera_by_hand_starts_from_what_it_saw() {
        let flat = Lens::Orthographic { half_width: 6.0, half_height: 1.0, near: 0.0, far: 9.0 };
        for lens in [WIDE, flat] {
            let mut session = open(lens, 1.0);
            let own = session.view.orbit;
            session.apply(CameraCommand::SetCamera(Some(0)));
            let turned = Vec3::new(20.0, -70.0, 0.0);
            session.apply(EditCommand::Edit(NodeId(2), crate::ChannelValue::Rotation(turned)));
            session.update_pose();
            session.apply(CameraCommand::SetCamera(None));
            assert_eq!(session.view.orbit, own, "looking through a camera leaves the user's own camera alone");
            session.apply(CameraCommand::SetCamera(Some(0)));
            let before = session.view.clone();
            session.apply(CameraCommand::Orbit(Vec2::ZERO));
            assert_eq!(session.view.through, None);
            // A point in the plane that the camera turns about is seen where it was.
            let across = session.view.orbit.rotation();
            for offset in [Vec3::ZERO, Vec3::X * 0.3, Vec3::Y * 0.3] {
                let p = session.view.orbit.target + across * offset;
                let (was, is) = (before.project(p).unwrap(), session.view.project(p).unwrap());
                assert!(was.distance(is) < 0.1, "{lens:?}: {was} to {is}");
            }
        }
    }

    #[test]
    fn narrow_pictures_still_show_all_that_the_camera_must() {
        // The lens must show twice as wide as high, and the picture is a square: the angle across stays, that upwards
        // grows.
        let wanted = Lens::Perspective { fov_y: 0.6, aspect: Some(2.0), near: 0.1, far: Some(5.0) };
        let skinscope_base::math::Projection::Perspective { fov_y } = wanted.projection(1.0).0 else {
            panic!("no perspective")
        };
        assert!(((0.5 * fov_y).tan() - 2.0 * 0.3_f32.tan()).abs() < 1e-6);
        assert_eq!(
            wanted.projection(3.0).0,
            skinscope_base::math::Projection::Perspective { fov_y: 2.0 * 0.3_f32.tan().atan() }
        );
        let flat = Lens::Orthographic { half_width: 6.0, half_height: 1.0, near: 0.0, far: 9.0 };
        assert_eq!(flat.projection(2.0).0, skinscope_base::math::Projection::Orthographic { height: 6.0 });
    }

    #[test]
    fn light_beyond_white_is_dimmed_and_weaker_light_stays() {
        let at_middle = |s: &Session| {
            illuminance(&s.file_lights().posed_lights().next().unwrap(), s.pose().opened_bounds) * s.pose().exposure
        };
        let dim = open(WIDE, 0.1);
        assert_eq!(dim.pose().exposure, 1.0);
        for intensity in [50.0, 54_351.0] {
            let bright = open(WIDE, intensity);
            assert!((at_middle(&bright) - FULL).abs() < 1e-4 && bright.pose().exposure < 1.0, "{intensity} cd");
        }
        let light = dim.file_lights().posed_lights().next().unwrap();
        assert_eq!(light.position, Vec3::from(dim.pose.model[2].translation));
    }
}
