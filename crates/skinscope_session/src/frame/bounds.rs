//! The boxes around what the file stores and around what the pose shows, as lines.

use glam::{Affine3A, Vec3};
use skinscope_base::math::{Aabb, lengths};
use skinscope_frame::{Frame, Line};

use super::SceneColors;
use crate::{Surfaces, Toggle};

/// The width of the edges, pixels.
const WIDTH: f32 = 1.5;

/// A box that is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShownBounds {
    /// Whether it is around the vertices as they are posed; else around the stored positions.
    pub is_posed: bool,
    /// The box, in the space of the picture, metres.
    pub bounds: Aabb,
}

impl ShownBounds {
    /// Says what it is around, and how large it is.
    #[must_use]
    pub fn note(&self) -> String {
        let size = lengths(self.bounds.size().to_array().map(f64::from));
        match self.is_posed {
            true => format!("Bounds of the pose (blue): {size}"),
            false => format!("Bounds of the file (amber): {size}"),
        }
    }
}

/// Returns the boxes that are shown and are not empty: that of the file, then that of the pose.
#[must_use]
pub fn shown_bounds(surfaces: Surfaces<'_>) -> Vec<ShownBounds> {
    let is_on = |toggle| surfaces.view.is_on(toggle);
    let file = is_on(Toggle::FileBounds).then(|| ShownBounds { is_posed: false, bounds: of_file(surfaces) });
    let all = || surfaces.extent().all;
    let pose = is_on(Toggle::PoseBounds).then(|| ShownBounds { is_posed: true, bounds: all() });
    file.into_iter().chain(pose).filter(|shown| !shown.bounds.is_empty()).collect()
}

/// Returns the box around the stored positions of all meshes that are drawn, each where its node stands, as a viewer takes it that decides
/// without a pose whether the model is in the picture: `POSITION` has it as `min` and `max`. Skin and morph targets move no vertex of it.
fn of_file(surfaces: Surfaces<'_>) -> Aabb {
    let Some(model) = surfaces.deforming.shown_model() else { return Aabb::EMPTY };
    let mut out = Aabb::EMPTY;
    for instance in surfaces.pose.draws.iter().map(|id| &model.instances[id.index()]) {
        let positions = model.meshes[instance.mesh.index()].primitives.iter().flat_map(|p| p.positions.iter().copied());
        let stored = Aabb::from_points(positions);
        let Some(node) = surfaces.pose.model.get(instance.node.index()).filter(|_| !stored.is_empty()) else {
            continue;
        };
        let copies: &[Affine3A] = if instance.copies.is_empty() { &[Affine3A::IDENTITY] } else { &instance.copies };
        for copy in copies {
            let world = *node * *copy;
            corners(stored).into_iter().for_each(|corner| out.include(world.transform_point3(corner)));
        }
    }
    out
}

/// Returns the corners of a box: bit 0 of the index says the side of x, bit 1 of y, bit 2 of z.
fn corners(bounds: Aabb) -> [Vec3; 8] {
    std::array::from_fn(|i| {
        let side = |bit: usize, least: f32, most: f32| if i >> bit & 1 == 1 { most } else { least };
        Vec3::new(
            side(0, bounds.min.x, bounds.max.x),
            side(1, bounds.min.y, bounds.max.y),
            side(2, bounds.min.z, bounds.max.z),
        )
    })
}

/// Adds the edges of the boxes that are shown.
pub(super) fn add_bounds(frame: &mut Frame, surfaces: Surfaces<'_>, colors: &SceneColors) {
    for shown in shown_bounds(surfaces) {
        let color = if shown.is_posed { colors.selected } else { colors.edited };
        let corners = corners(shown.bounds);
        for from in 0..8_usize {
            for bit in (0..3).filter(|bit| from >> bit & 1 == 0) {
                let (from, to) = (corners[from], corners[from | 1 << bit]);
                frame.lines.push(Line { from, to, width: WIDTH, color });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sessions::tube_session;
    use crate::{PlaybackCommand, PoseSource, Session, ViewCommand};

    #[test]
    fn the_box_of_the_file_stays_and_that_of_the_pose_follows_the_clip() {
        let mut session = tube_session();
        session.apply(PlaybackCommand::SetPlaying(false));
        session.apply(ViewCommand::Set(Toggle::Bones, false));
        session.update_pose();
        assert!(shown_bounds(session.surfaces()).is_empty());
        session.apply(ViewCommand::Set(Toggle::FileBounds, true));
        session.apply(ViewCommand::Set(Toggle::PoseBounds, true));
        let at = |session: &mut Session, secs: f32| {
            session.apply(PlaybackCommand::Seek(secs));
            session.update_pose();
            let [file, pose] = shown_bounds(session.surfaces())[..] else { panic!("two boxes") };
            assert!(!file.is_posed && pose.is_posed);
            (file.bounds, pose.bounds)
        };
        let (file, bent) = at(&mut session, 0.5);
        assert_eq!(at(&mut session, 0.2).0, file);
        assert_ne!(bent, at(&mut session, 0.2).1);
        let mut frame = Frame::default();
        session.build_frame(&mut frame, &SceneColors::DARK);
        assert_eq!(frame.lines.len(), 24, "twelve edges each");
        // At rest the tube is as it is stored.
        session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
        session.update_pose();
        let [file, pose] = shown_bounds(session.surfaces())[..] else { panic!("two boxes") };
        assert!((file.bounds.min - pose.bounds.min).length() + (file.bounds.max - pose.bounds.max).length() < 1e-4);
        assert!(file.note().starts_with("Bounds of the file") && pose.note().contains('×'), "{}", pose.note());
    }
}
