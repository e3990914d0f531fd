//! Camera moves that the session makes itself: framing, zooming, and a check whether a reloaded file is still in view.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use skinscope_base::math::Aabb;
use skinscope_inspect as inspect;
use skinscope_model::NodeId;

use crate::view::lighting;
use crate::{Bones, CameraCommand, Document, Model, Pose, Session, Surfaces, View, ViewFrom};

impl View {
    /// Turns the orbit camera to a side of the open character.
    pub(crate) fn look_from(&mut self, side: ViewFrom, front: Vec3) {
        let orbit = &mut self.orbit;
        (orbit.yaw, orbit.pitch) = side.angles(front);
    }

    /// Comes nearer by `steps` of the wheel. The point that is seen at `at` (pixels from the viewport's top left) stays
    /// there: a point of the surface `surface` metres away, or where there is none one as deep as the point that the camera turns about.
    pub(crate) fn zoom(&mut self, steps: f32, at: Vec2, surface: Option<f32>) {
        let view = self;
        let ray = view.ray(at);
        let ahead = view.orbit.rotation() * Vec3::NEG_Z;
        // The angle between them is at most that to a corner of the picture, so that this never divides by nearly nothing.
        let depth = (view.orbit.target - ray.origin).dot(ahead) / ray.direction.dot(ahead);
        let focus = ray.origin + ray.direction * surface.unwrap_or(depth);
        let before = view.orbit.distance;
        view.orbit.zoom(steps);
        // Everything shrinks towards the point, the distance from the eye to the target too.
        let target = focus + (view.orbit.target - focus) * (view.orbit.distance / before);
        if target.is_finite() {
            view.orbit.target = target;
        }
    }

    /// Frames a reloaded model that fitted into the view before (its box was `before`) and no longer does, or whose
    /// size is now quite another. A view of a part of it stays.
    pub(crate) fn keep_in_view(&mut self, before: Aabb, now: Aabb) {
        let (aspect, orbit) = (self.aspect(), self.orbit);
        if now.is_empty() || before.is_empty() {
            return;
        }
        let was_in_view = orbit.holds(before, aspect);
        let lost = match orbit.holds(now, aspect) {
            true => orbit.is_far_from(now, aspect) && !orbit.is_far_from(before, aspect),
            false => was_in_view || !alike(before, now),
        };
        if lost {
            self.frame(now);
        }
    }
}

/// Carries out a command of its family.
pub(crate) fn apply(session: &mut Session, command: CameraCommand) {
    if leaves_camera(&command) {
        session.view.leave_camera(session.pose.opened_bounds.center());
    }
    let view = &mut session.view;
    match command {
        CameraCommand::SetViewport(size) => {
            if size.is_finite() {
                view.set_viewport(size);
            }
        }
        CameraCommand::SetClearPart(part) => {
            let part = part.filter(|part| part.iter().all(|number| number.is_finite()));
            view.set_clear_part(
                part.map(|[left, top, right, bottom]| [Vec2::new(left, top), Vec2::new(right, bottom)]),
            );
        }
        CameraCommand::Orbit(delta) => view.orbit.orbit(delta),
        CameraCommand::Pan(delta) => view.orbit.pan(delta, view.viewport.y),
        CameraCommand::Zoom(steps, at) => {
            if steps.is_finite() && at.is_finite() {
                let surface = session.picking().vertex_near_at_hand(at).map(|hit| hit.distance);
                session.view.zoom(steps, at, surface);
            }
        }
        CameraCommand::FrameSelected => {
            let bounds = session.extents().selected_bounds();
            session.view.frame(bounds);
        }
        CameraCommand::FrameMarked => {
            let bounds = session.extents().marked_bounds();
            session.view.frame_in_clear(bounds);
        }
        CameraCommand::FrameAll => {
            let bounds = session.with_beside(|session| session.extents().posed_bounds());
            session.view.frame(bounds);
        }
        CameraCommand::FrameEverything => {
            let bounds = session.with_beside(|session| session.extents().whole_bounds());
            session.view.frame(bounds);
        }
        CameraCommand::FrameBox(bounds) => view.frame(bounds),
        CameraCommand::LookFrom(side) => {
            let front = session.model().map_or(Vec3::Z, |model| model.front());
            session.view.look_from(side, front);
        }
        CameraCommand::ToggleOrthographic => view.orbit.orthographic = !view.orbit.orthographic,
        // A camera of the file, or the user's own camera, which is where it was.
        CameraCommand::SetCamera(_) | CameraCommand::NextCamera => {
            let next = view.through.map_or(0, |t| t.index + 1);
            let count = session.model().map_or(0, |m| m.camera_nodes.len());
            let next = Some(next).filter(|n| *n < count);
            let index = if let CameraCommand::SetCamera(index) = command { index } else { next };
            session.update_pose();
            let Some(document) = &session.document else { return };
            session.view.through = index.and_then(|i| lighting::through(&document.model, &session.pose, i));
        }
    }
}

/// The boxes around the model and its parts as posed, by which the camera frames them.
#[derive(Clone, Copy, Debug)]
pub struct Extents<'a> {
    pub(crate) document: Option<&'a Document>,
    pub(crate) model: Option<&'a Arc<Model>>,
    pub(crate) surfaces: Surfaces<'a>,
    pub(crate) bones: Bones<'a>,
    pub(crate) view: &'a View,
    pub(crate) pose: &'a Pose,
    pub(crate) stage: Option<Aabb>,
}

impl Extents<'_> {
    /// Returns the box that F frames: that of [`crate::Extents::bounds_of`] for the selected node, or the whole model.
    pub(crate) fn selected_bounds(self) -> Aabb {
        self.view.selected.map_or_else(|| self.bounds(), |node| self.bounds_of(node))
    }

    /// Returns a box to frame a node by (world, metres): the vertices that it moves by more than a tenth, the node itself, the
    /// joints next to it, and a quarter more on each side, or a tenth of the model where that is more; but never more than
    /// the whole model.
    #[must_use]
    pub fn bounds_of(self, node: NodeId) -> Aabb {
        let whole = self.bounds();
        let Some(posed) = self.surfaces.posed() else { return whole };
        let (model, mut bounds) = (posed.model, inspect::moved_bounds(&posed, &self.pose.draws, node, 0.1));
        let parent = model.joint_above(node);
        for near in model.skeleton.children(node).chain(parent).chain([node]) {
            let at = Vec3::from(self.pose.model[near.index()].translation);
            if at.is_finite() {
                bounds.include(at);
            }
        }
        if bounds.is_empty() {
            return whole;
        }
        let (extent, size) = (bounds.size().max_element(), whole.diagonal());
        let around = (0.25 * extent).max(0.1 * size - 0.5 * extent).max(1e-3 * size).max(1e-6);
        let (grown, all) = (bounds.grown(Vec3::splat(around)), whole.union(bounds));
        if whole.is_empty() || size <= 0.0 {
            return grown;
        }
        Aabb { min: grown.min.max(all.min), max: grown.max.min(all.max) }
    }
}

/// Returns whether a command moves the camera by hand, which leaves a camera of the file.
fn leaves_camera(command: &CameraCommand) -> bool {
    match command {
        CameraCommand::Orbit(_)
        | CameraCommand::Pan(_)
        | CameraCommand::Zoom(..)
        | CameraCommand::FrameAll
        | CameraCommand::FrameEverything
        | CameraCommand::FrameBox(_)
        | CameraCommand::FrameSelected
        | CameraCommand::LookFrom(_)
        | CameraCommand::ToggleOrthographic => true,
        CameraCommand::SetViewport(_)
        | CameraCommand::SetClearPart(_)
        | CameraCommand::FrameMarked
        | CameraCommand::SetCamera(_)
        | CameraCommand::NextCamera => false,
    }
}

/// Returns whether two boxes are about as large and at the same position.
fn alike(a: Aabb, b: Aabb) -> bool {
    let (small, large) = (a.diagonal().min(b.diagonal()), a.diagonal().max(b.diagonal()));
    large <= 2.0 * small && (a.center() - b.center()).length() <= 0.5 * small
}

impl Extents<'_> {
    /// The height of the model in its rest pose, metres: distances are given as a part of it too.
    #[must_use]
    pub fn rest_height(self) -> f32 {
        let bounds = self.document.map(|document| document.rest_bounds());
        bounds.filter(|bounds| !bounds.is_empty()).map_or(0.0, |bounds| bounds.size().y)
    }

    /// The distances at the ends of the scale of the overlay *Distance of two methods*, metres: from 1/10 000 to 1/10 of the height of the
    /// model in its rest pose, or three decades up to [`crate::View::distance_scale`]. A model without height is measured by its largest
    /// side, and one without any size has the scale of a model one metre high.
    #[must_use]
    pub fn distance_scale(self) -> [f32; 2] {
        let largest = || {
            let bounds = self.document.map(|document| document.rest_bounds()).filter(|bounds| !bounds.is_empty());
            bounds.map_or(0.0, |bounds| bounds.size().max_element())
        };
        let size = [self.rest_height(), largest(), 1.0].into_iter().find(|size| *size > 1e-12).unwrap_or(1.0);
        let most = self.view.distance_scale.unwrap_or(0.1 * size);
        [1e-3 * most, most]
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use skinscope_model::Model;
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::{CameraCommand, Document, Orbit, SelectionCommand};

    fn document(scale: f32) -> Document {
        let mut parts = (*tube(Tube { joints: 5, ..Tube::default() })).clone();
        for transform in parts.skeleton.rest.transforms.iter_mut().take(1) {
            transform.scale *= scale;
        }
        Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), Some("tube.glb".into()))
    }

    fn open() -> Session {
        let mut session = Session::default();
        session.open(document(1.0));
        session.playback.playing = false;
        session
    }

    /// Returns how far a point moves on the screen when one zooms at it, pixels.
    fn drift(session: &mut Session, world: Vec3, steps: f32) -> f32 {
        let at = session.view.project(world).unwrap();
        session.apply(CameraCommand::Zoom(steps, at));
        session.view.project(world).unwrap().distance(at)
    }

    #[test]
    fn zoom_goes_to_the_pointer_from_every_side() {
        for orthographic in [false, true] {
            for (yaw, pitch) in [(0.0, 0.0), (0.7, 0.2), (2.0, 1.57), (0.3, -1.57), (0.0, 0.001)] {
                for steps in [1.0, 7.0, -3.0] {
                    let mut session = open();
                    session.view.orbit = Orbit { yaw, pitch, orthographic, ..session.view.orbit };
                    let side = session.view.orbit.rotation() * Vec3::new(0.9, 0.4, 0.0);
                    let beside = session.view.orbit.target + side;
                    let before = session.view.orbit.distance;
                    let drift = drift(&mut session, beside, steps);
                    assert!(drift < 0.5, "{orthographic} {yaw} {pitch} {steps}: {drift} pixels");
                    let ratio = session.view.orbit.distance / before;
                    assert!((ratio - 0.9_f32.powf(steps)).abs() < 1e-5, "{ratio}");
                }
            }
        }
    }

    #[test]
    fn the_surface_under_the_pointer_stays_there_and_is_never_passed() {
        let mut session = open();
        session.apply(CameraCommand::LookFrom(ViewFrom::Front));
        let centre = session.view.viewport * 0.5;
        let at = centre + Vec2::new(6.0, -40.0);
        let ray = session.view.ray(at);
        let hit = ray.origin + ray.direction * session.picking().vertex_at(at).unwrap().distance;
        for _ in 0..60 {
            assert!(drift(&mut session, hit, 1.0) < 1.0);
        }
        let eye = Vec3::from(session.view.world_from_view().translation);
        assert!(eye.z > hit.z, "still in front of it");
        assert!((eye - hit).length() < 0.02, "and near");
    }

    #[test]
    fn a_zoom_back_is_where_it_began() {
        let mut session = open();
        let (before, at) = (session.view.orbit, Vec2::new(100.0, 650.0));
        session.apply(CameraCommand::Zoom(5.0, at));
        assert!((session.view.orbit.target - before.target).length() > 0.1);
        session.apply(CameraCommand::Zoom(-5.0, at));
        let after = session.view.orbit;
        assert!((after.target - before.target).length() < 1e-3 && (after.distance - before.distance).abs() < 1e-3);
        session.apply(CameraCommand::Zoom(f32::NAN, at));
        session.apply(CameraCommand::Zoom(1.0, Vec2::NAN));
        assert_eq!(session.view.orbit, after);
    }

    #[test]
    fn a_reloaded_file_that_no_longer_fits_is_framed_and_one_that_fits_is_not() {
        let reloaded = |session: &mut Session, scale: f32| {
            let before = session.view.orbit;
            session.open(document(scale));
            let now = session.extents().posed_bounds();
            assert!(session.view.orbit.holds(now, session.view.aspect()) || session.view.orbit == before);
            session.view.orbit != before
        };
        let mut session = open();
        assert!(!reloaded(&mut session, 1.0) && !reloaded(&mut session, 0.6) && !reloaded(&mut session, 1.02));
        assert!(reloaded(&mut session, 100.0), "it grew a hundredfold");
        assert!((session.view.orbit.target.y - 100.0).abs() < 5.0 && !reloaded(&mut session, 100.0));
        assert!(reloaded(&mut session, 1.0), "it shrank again: a dot in the distance");
        // A view of a part of the model stays.
        session.apply(CameraCommand::Zoom(20.0, session.view.viewport * 0.5));
        assert!(!reloaded(&mut session, 1.2));
        assert!(reloaded(&mut session, 100.0));
        // So does a view from far off.
        session.apply(CameraCommand::Zoom(-20.0, session.view.viewport * 0.5));
        assert!(!reloaded(&mut session, 100.0));
    }

    #[test]
    fn framing_a_joint_shows_its_neighbours_and_never_more_than_all() {
        let mut session = open();
        let whole = session.extents().bounds();
        let height = |session: &Session| session.view.orbit.distance;
        session.apply(CameraCommand::FrameAll);
        let all = height(&session);
        for node in 2..6 {
            session.apply(SelectionCommand::Select(Some(NodeId(node))));
            session.apply(CameraCommand::FrameSelected);
            let seen = |n: u32| {
                let at = session.view.project(session.pose.model[n as usize].translation.into()).unwrap();
                at.cmpge(Vec2::ZERO).all() && at.cmple(session.view.viewport).all()
            };
            assert!(seen(node) && seen(node - 1) && (node == 5 || seen(node + 1)), "joint {node}");
            assert!(height(&session) <= 1.01 * all, "joint {node}");
            let bounds = session.extents().selected_bounds();
            assert!(bounds.size().max_element() >= 0.15 * whole.diagonal(), "joint {node}: {bounds:?}");
        }
        assert!(height(&session) < 0.9 * all, "the last joint is a part of it");
        // For a joint in the middle more is framed than it and its neighbours, and what they move.
        session.apply(SelectionCommand::Select(Some(NodeId(3))));
        let moved = inspect::moved_bounds(&session.surfaces().posed().unwrap(), &session.pose.draws, NodeId(3), 0.1);
        let ends = [2, 4].map(|n: usize| session.pose.model[n].translation.y);
        let (low, high) = (moved.min.y.min(ends[0]), moved.max.y.max(ends[1]));
        let (seen, around) = (session.extents().selected_bounds(), 0.2 * (high - low));
        assert!(seen.min.y < low - around && seen.max.y > high + around, "{seen:?} around {low} to {high}");
    }
}
