//! The camera of pictures without a window: one of the file, or a position that the user gives.

use glam::{Affine3A, Vec3};

use super::CliError;
use super::find::find_named;
use crate::math::Aabb;
use crate::session::Session;

/// Finds a camera by its name or number.
pub(super) fn find_camera(session: &Session, wanted: &str) -> Result<usize, CliError> {
    let count = session.model().map_or(0, |m| m.camera_nodes.len());
    let names: Vec<&str> = (0..count).map(|i| session.file_lights().camera_name(i).unwrap_or_default()).collect();
    find_named(["camera", "cameras"], &names, wanted)
}

/// Returns a frame without scale whose −Z points towards `target`, with +Y up; when it looks straight up or down, −Z of
/// the world is up in the picture.
pub(super) fn look_at(eye: Vec3, target: Vec3) -> Result<Affine3A, CliError> {
    let Some(back) = (eye - target).try_normalize() else {
        return Err(CliError::Usage("--eye and --target are the same point".into()));
    };
    let up = if back.cross(Vec3::Y).length() > 1e-4 { Vec3::Y } else { Vec3::NEG_Z * back.y.signum() };
    let right = up.cross(back).normalize();
    let up = back.cross(right);
    Ok(Affine3A::from_mat3_translation(glam::Mat3::from_cols(right, up, back), eye))
}

/// Returns depths (metres) just around the corners of `bounds`, and never behind the eye.
pub(super) fn planes(world_from_view: Affine3A, bounds: Aabb) -> (f32, f32) {
    let seen = bounds.transformed(world_from_view.inverse());
    let size = bounds.diagonal().max(1e-6);
    if seen.is_empty() || -seen.min.z <= 0.0 {
        return (0.01 * size, 10.0 * size);
    }
    let far = -seen.min.z + 0.01 * size;
    let near = (-seen.max.z - 0.01 * size).max(far * 1e-5);
    (near, far)
}

pub(super) fn parse_fov(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|d| (1.0..=175.0).contains(d)).ok_or_else(|| "expected degrees, 1 to 175".into())
}
