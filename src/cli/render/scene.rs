//! The contents of a picture: the session with all options of `render`, and the camera, which is the same for all
//! pictures of a clip.

use glam::{Affine3A, DVec3, Vec2, Vec3};

use super::super::CliError;
use super::super::camera::{find_camera, look_at, planes};
use super::super::find::{find_named, find_node};
use super::super::subdivide::subdivide;
use super::{Lights, RenderArgs, Side};
use crate::deform::Deformer;
use crate::film::{Reel, Target, swept, turned};
use crate::frame::{Frame, Grid, SceneColors};
use crate::math::{Aabb, Projection};
use crate::model::{Model, NodeId};
use crate::session::{
    BesideCommand, CameraCommand, ComparisonCommand, ComparisonLayout, FOV_Y, Lighting, MethodChoice, PictureLayers,
    PlaybackCommand, PoseSource, Session, TOGGLES, Toggle, ViewCommand, ViewFrom,
};

/// The pictures of a session by the arguments.
pub(super) struct Scene<'a> {
    args: &'a RenderArgs,
    /// The camera of `--eye`.
    own: Option<(Affine3A, Projection)>,
    /// A point on the vertical axis of a turntable.
    pivot: Vec3,
    bones: bool,
    /// Whether an example or a session file was opened, whose settings remain where no argument replaces them.
    has_own_look: bool,
}

impl<'a> Scene<'a> {
    /// Gives `session` the camera and the overlays of the arguments and nothing else; where an example or a session file was opened
    /// (`has_own_look`), it keeps what the arguments do not say.
    ///
    /// # Errors
    /// The arguments do not fit the file.
    pub fn prepare(
        args: &'a RenderArgs,
        has_own_look: bool,
        session: &mut Session,
        reel: Option<&Reel>,
    ) -> Result<Self, CliError> {
        // A layer that is not asked for is shown where an example or a session file has it.
        for row in TOGGLES.iter().filter(|row| row.option.is_some() && (!has_own_look || args.clean)) {
            session.apply(ViewCommand::Set(row.toggle, false));
        }
        if args.clean {
            for command in PictureLayers::default().commands(session.view()) {
                session.apply(command);
            }
        }
        args.look.apply(session)?;
        // Each model has an overlay of its own.
        if session.beside().is_some() {
            session.apply(BesideCommand::Activate);
            args.look.apply(session)?;
            session.apply(BesideCommand::Activate);
        }
        if args.legend && session.view().overlay.is_none() {
            let why =
                "--legend explains the colours of an overlay: say --overlay ID, --heatmap JOINT or --dominant too";
            return Err(CliError::Usage(why.into()));
        }
        // A file without a mesh is shown by its skeleton.
        let is_bare = |session: &Session| session.model().is_some_and(|m| m.instances.is_empty());
        let is_bare = is_bare(session) || session.beside().is_some_and(|beside| is_bare(beside.other()));
        let bones = is_bare || session.view().is_on(Toggle::Bones);
        session.apply(ViewCommand::Set(Toggle::Bones, bones));
        args.skeleton.apply(session)?;
        if let Some(crowd) = args.crowd {
            session.apply(ViewCommand::SetCrowd(crowd));
        }
        if let Some(why) = session.extents().crowd_refusal() {
            return Err(CliError::Usage(why));
        }
        let deformer = Deformer::ALL.into_iter().find(|by| by.id() == args.deform);
        session.apply(ViewCommand::SetDeformer(deformer.unwrap_or_default()));
        let model = session.model().cloned();
        if let (Some(name), Some(model)) = (&args.variant, &model) {
            session.apply(ViewCommand::SetVariant(Some(find_variant(model, name)?)));
        }
        let framed = args.frame_joint.as_ref().zip(model.as_ref());
        let framed = framed.map(|(name, model)| find_node(model, name)).transpose()?;
        let mut scene = Self { args, own: None, pivot: Vec3::ZERO, bones, has_own_look };
        let bounds = scene.whole(session, framed);
        let bounds = if reel.is_some_and(|reel| reel.turn.is_some()) { swept(bounds) } else { bounds };
        scene.look(session, bounds)?;
        if let Some(lights) = args.lights {
            light(lights, session)?;
        }
        session.apply(ViewCommand::SetPaletteBuffer(args.device.palette));
        session.apply(ViewCommand::SetPaletteRows(args.device.palette_rows));
        scene.compare(session);
        if let Some(levels) = args.subdivide {
            subdivide(session, levels, args.subdivide_first)?;
        }
        Ok(scene)
    }

    /// Returns the box that the camera frames: of the model, or of a joint and its surroundings. With a clip it
    /// contains everything that is seen from its start to its end, so that the camera does not move.
    fn whole(&self, session: &mut Session, framed: Option<NodeId>) -> Aabb {
        /// The moments of a clip that are looked at, beside its start.
        const MOMENTS: u32 = 16;
        let seen = |session: &Session| match framed {
            Some(node) => session.extents().bounds_of(node),
            None => self.seen(session),
        };
        let has_own_view = self.args.eye.is_some() && self.args.target.is_some();
        let is_used = !self.keeps_camera() && self.args.camera.is_none() && !has_own_view;
        let playback = session.playback();
        let (now, is_clip) = (playback.time_secs, playback.source == PoseSource::Clip);
        let duration = session.model().map_or(0.0, |model| playback.duration_secs(model));
        if !is_used || !is_clip || duration <= 0.0 {
            return seen(session);
        }
        let mut bounds = Aabb::EMPTY;
        for moment in 0..=MOMENTS {
            session.apply(PlaybackCommand::Seek(duration * moment as f32 / MOMENTS as f32));
            session.update_pose();
            bounds = bounds.union(seen(session));
        }
        session.apply(PlaybackCommand::Seek(now));
        session.update_pose();
        bounds
    }

    /// Returns whether the camera is that of the example or session file.
    fn keeps_camera(&self) -> bool {
        let asks = self.args.frame_everything || self.args.frame_joint.is_some();
        self.has_own_look && self.args.view.is_none() && !asks
    }

    /// Returns the box of what is seen now.
    fn seen(&self, session: &Session) -> Aabb {
        session.with_beside(|session| {
            let model = if self.args.frame_everything {
                session.extents().whole_bounds()
            } else {
                session.extents().posed_bounds()
            };
            if self.bones { model.union(session.bones().skeleton_bounds()) } else { model }
        })
    }

    /// Sets the camera.
    fn look(&mut self, session: &mut Session, bounds: Aabb) -> Result<(), CliError> {
        let args = self.args;
        let side = args.view.map(|side| match side {
            Side::Front => ViewFrom::Front,
            Side::Back => ViewFrom::Back,
            Side::Left => ViewFrom::Left,
            Side::Right => ViewFrom::Right,
            Side::Top => ViewFrom::Top,
            Side::Persp => ViewFrom::Corner,
        });
        if let Some(side) = side {
            session.apply(CameraCommand::LookFrom(side));
        }
        if args.ortho && !session.view().orbit.orthographic {
            session.apply(CameraCommand::ToggleOrthographic);
        }
        let [width, height] = args.style(session).picture_size().map(|side| side as f32);
        let halved = args.side_by_side
            || session.deforming().comparison().is_some_and(|c| c.layout == ComparisonLayout::SideBySide);
        session.apply(CameraCommand::SetViewport(Vec2::new(if halved { 0.5 * width } else { width }, height)));
        if !self.keeps_camera() {
            session.apply(CameraCommand::FrameBox(bounds));
        }
        self.pivot = if bounds.is_empty() { Vec3::ZERO } else { bounds.center() };
        if let Some(name) = &args.camera {
            let camera = find_camera(session, name)?;
            session.apply(CameraCommand::SetCamera(Some(camera)));
        }
        if let Some(eye) = args.eye {
            let eye = near(session, eye);
            self.pivot = args.target.map_or(self.pivot, |target| near(session, target));
            let fov_y = args.fov.map_or(FOV_Y, f32::to_radians);
            let projection = match args.ortho {
                true => Projection::Orthographic { height: 2.0 * eye.distance(self.pivot) * (0.5 * fov_y).tan() },
                false => Projection::Perspective { fov_y },
            };
            self.own = Some((look_at(eye, self.pivot)?, projection));
        }
        Ok(())
    }

    /// Sets the second side of the picture.
    fn compare(&self, session: &mut Session) {
        if let Some(side) = self.args.compare.as_deref().and_then(MethodChoice::named) {
            session.apply(ComparisonCommand::Set(true));
            session.apply(ComparisonCommand::SetMethod(side.method.id));
            if let Some(pass) = side.pass {
                // Named for the right side, it is that side's alone.
                session.apply(ViewCommand::SetPass(None));
                session.apply(ComparisonCommand::SetPass(Some(pass.id)));
            }
        }
        if session.deforming().comparison().is_some() {
            let layout = match self.args.side_by_side {
                true => Some(ComparisonLayout::SideBySide),
                false => Some(ComparisonLayout::Split).filter(|_| !self.has_own_look || self.args.split.is_some()),
            };
            let layout = layout.or(session.deforming().comparison().map(|c| c.layout)).unwrap_or_default();
            session.apply(ComparisonCommand::SetLayout(layout));
            let split = self.args.split.or(Some(0.5).filter(|_| !self.has_own_look));
            split.map(|split| session.apply(ComparisonCommand::SetSplit(split)));
            session.prepare();
        }
    }

    /// Returns the frame of what `session` shows now, of a model that has turned by `radians` about the vertical.
    pub fn frame(&self, session: &Session, radians: f32) -> Frame {
        let args = self.args;
        let mut frame = Frame::default();
        let colors = if args.is_light() { SceneColors::LIGHT } else { SceneColors::DARK };
        session.build_frame(&mut frame, &colors);
        frame.display.background = args.background;
        frame.beside.iter_mut().for_each(|other| other.display.background = args.background);
        if args.is_transparent() {
            frame.make_transparent(Target::of(&args.output).is_none_or(|target| target.has_partial_alpha()));
        }
        let mut camera = frame.camera;
        if let Some((world_from_view, projection)) = self.own {
            (camera.world_from_view, camera.projection) = (world_from_view, projection);
        }
        camera.world_from_view = turned(camera.world_from_view, self.pivot, radians);
        // The planes of a session's own camera contain its grid too.
        if args.eye.is_some() || !self.has_own_look && args.camera.is_none() {
            // The target is always seen, even if it is far outside.
            let target = args.target.map_or(Aabb::EMPTY, |target| Aabb::from_points([near(session, target)]));
            let seen = self.seen(session).union(target);
            let (near, far) = planes(camera.world_from_view, seen);
            (camera.near, camera.far) = (near, far);
            if let Some(Grid { height, radius, .. }) = frame.display.grid {
                // The ground goes on beside the model and below the camera.
                let reach = Vec3::new(radius, 0.0, radius);
                let ground = Aabb::from_points([Vec3::Y * height - reach, Vec3::Y * height + reach]);
                let (_, far) = planes(camera.world_from_view, seen.union(ground));
                (camera.near, camera.far) = (near.min(1e-3 * far), far);
            }
        }
        frame.set_camera(camera);
        if let Some(other) = frame.compared.as_deref_mut() {
            let display = &mut other.frame.display;
            (display.background, display.grid) = (frame.display.background, frame.display.grid);
            other.frame.camera = frame.camera;
            frame.add_divider_for(args.style(session).picture_size());
        }
        frame
    }
}

/// Finds a variant by name. A number that is no variant's name is an index in the list.
fn find_variant(model: &Model, name: &str) -> Result<usize, CliError> {
    let names: Vec<&str> = model.variants.iter().map(String::as_str).collect();
    find_named(["variant", "variants"], &names, name)
}

fn light(lights: Lights, session: &mut Session) -> Result<(), CliError> {
    if lights != Lights::Studio && !session.file_lights().has_lights() {
        return Err(CliError::Usage("the file has no lights; leave --lights away, or say --lights studio".into()));
    }
    session.apply(ViewCommand::SetLighting(match lights {
        Lights::Studio => Lighting::Studio,
        Lights::File => Lighting::File,
        Lights::Both => Lighting::Both,
    }));
    Ok(())
}

/// Returns a point in the world of the model, for one in that of its file.
fn near(session: &Session, point: DVec3) -> Vec3 {
    let shift = session.pose().shift;
    let origin = session.model().map_or(DVec3::ZERO, |model| model.skeleton.origin_near(point - shift));
    (point - shift - origin).as_vec3()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_camera_looks_at_its_target_from_anywhere() {
        for eye in [Vec3::new(-1.0, 2.0, 3.0), Vec3::new(0.0, 9.0, 0.0), Vec3::new(0.0, -9.0, 0.0)] {
            let m = look_at(eye, Vec3::ZERO).unwrap();
            assert!((m.matrix3.determinant() - 1.0).abs() < 1e-5);
            let seen = m.inverse().transform_point3(Vec3::ZERO);
            assert!((seen - Vec3::new(0.0, 0.0, -eye.length())).length() < 1e-4, "{seen}");
        }
        assert!(look_at(Vec3::X, Vec3::X).is_err());
    }

    #[test]
    fn planes_hold_the_box() {
        let bounds = Aabb { min: Vec3::NEG_ONE, max: Vec3::ONE };
        let (near, far) = planes(look_at(Vec3::new(0.0, 0.0, 10.0), Vec3::ZERO).unwrap(), bounds);
        assert!(near < 9.0 && near > 8.0 && far > 11.0 && far < 12.0);
        let (near, far) = planes(look_at(Vec3::new(0.0, 0.0, 0.5), Vec3::ZERO).unwrap(), bounds);
        assert!(near > 0.0 && near < 0.01 && far > 1.5);
    }
}
