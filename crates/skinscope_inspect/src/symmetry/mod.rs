//! Left and right: finds where the weights of a vertex differ from those of its mirror image.
//!
//! A body is what one skin moves, or several that bind the same joints alike, in the space in which they were bound.
//! Its mirror plane is found, not assumed; its joints are paired by position, and by name where several stand at one
//! position; then every vertex is compared with the vertex at its mirror image. Bodies that are not symmetric, in shape or
//! in joints, have no differences.

mod body;
mod mirrored;
mod plane;
#[cfg(test)]
mod plane_tests;
#[cfg(test)]
mod pose_plane_tests;
#[cfg(test)]
mod pose_tests;
mod poses;
#[cfg(test)]
pub(crate) mod tests;

use std::sync::atomic::{AtomicBool, Ordering};

use body::Body;
pub use body::BodyPart;
pub use mirrored::{Mirrored, WithoutPlane};
use plane::{Mirror, POINT_REACH, SAME_POINT, Search};
pub use plane::{Nearest, plane_of_points};
pub use poses::{NoPlane, of_poses};
use skinscope_base::math::{Grid, Plane};
use skinscope_model::{Model, NodeId};

use super::PerVertex;

/// The difference of a vertex that was not compared because neither its body nor its mesh has a plane of symmetry. It is
/// below every difference, as are those after it.
pub const NO_PLANE: f32 = -1.0;
/// The difference of a vertex that was not compared because no vertex lies at its mirror image.
pub const NO_IMAGE: f32 = -0.875;
/// The difference of a vertex that was not compared because its weights, or those at its mirror image, cannot be used.
pub const NO_WEIGHTS: f32 = -0.75;
/// The difference of a vertex that was not compared because a joint that moves it, or its mirror image, has no partner on
/// the other side, or since no joint has one.
pub const NO_PARTNER: f32 = -0.5;

/// All reasons for which a vertex is not compared.
pub const REASONS: [f32; 4] = [NO_PLANE, NO_IMAGE, NO_PARTNER, NO_WEIGHTS];

/// Says in a few words why a vertex was not compared; `None` for the difference of one that was.
#[must_use]
pub fn why_not_judged(difference: f32) -> Option<&'static str> {
    match difference {
        d if d >= 0.0 => None,
        NO_PARTNER => Some("no partner joint"),
        NO_WEIGHTS => Some("no usable weights"),
        NO_IMAGE => Some("no mirror image"),
        _ => Some("no plane of symmetry"),
    }
}

/// Returns for every stored vertex that a skin moves the largest difference (0…1) between one of its weights and that
/// of its mirror image, both sides alike; one of [`REASONS`] where nothing can be compared.
/// Takes time linear in vertices.
/// Ends early, with what is known by then, once `cancel` is set.
#[must_use]
pub fn differences(model: &Model, cancel: &AtomicBool) -> PerVertex {
    differences_of(model, &comparisons(model, cancel))
}

/// Does the same as [`differences`] for bodies that were compared before.
pub(crate) fn differences_of(model: &Model, comparisons: &[Comparison]) -> PerVertex {
    let mut out = PerVertex::empty(model);
    for instance in model.instances.iter().filter(|i| i.skin.is_some()) {
        for (p, primitive) in model.meshes[instance.mesh.index()].primitives.iter().enumerate() {
            if primitive.stored_influences.is_some() {
                out.values[instance.mesh.index()][p].resize(primitive.stored_vertices, NO_PLANE);
            }
        }
    }
    for comparison in comparisons {
        for part in &comparison.parts {
            let values = &mut out.values[part.mesh.index()][part.primitive];
            for (value, new) in values.iter_mut().zip(&comparison.difference[part.start..]) {
                // Where several skins move a vertex, the largest difference counts, and of reasons the last.
                *value = value.max(*new);
            }
        }
    }
    out
}

/// A body compared with its mirror image.
#[derive(Debug)]
pub(crate) struct Comparison {
    pub plane: Plane,
    pub parts: Vec<BodyPart>,
    /// The difference of each vertex of the body; below 0 where it was compared with nothing.
    pub difference: Vec<f32>,
    /// For each vertex of the body that differs: the vertex that it was compared with.
    pub image: Vec<u32>,
    body: Body,
    partners: Vec<Option<u16>>,
}

impl Comparison {
    /// Returns the joint with an index among the joints of the body.
    pub(crate) fn node(&self, index: u16) -> NodeId {
        self.body.nodes[usize::from(index)]
    }

    /// Returns the joints (by index) in whose weights a vertex differs from its image: each with its weight, its
    /// partner, and the partner's weight at the image. Both joints of a pair may be among them.
    pub(crate) fn joints(&self, vertex: usize) -> Vec<(u16, f32, u16, f32)> {
        let mut mirrored = Vec::new();
        let image = self.image[vertex] as usize;
        if !mirror_weights(&self.body, vertex, &self.partners, &mut mirrored) {
            return Vec::new();
        }
        let mut out = Vec::new();
        merge(&mirrored, self.body.weights(image), |partner, here, there| {
            if let Some(joint) = self.partners[usize::from(partner)] {
                out.push((joint, here, partner, there));
            }
        });
        out
    }
}

/// Compares all bodies that are symmetric; of one that is not as a whole, the meshes that are.
pub(crate) fn comparisons(model: &Model, cancel: &AtomicBool) -> Vec<Comparison> {
    let is_cancelled = || cancel.load(Ordering::Relaxed);
    body::each_found(model, |body| if is_cancelled() { Err(()) } else { compare(model, body, cancel).ok_or(()) }).0
}

fn compare(model: &Model, body: Body, cancel: &AtomicBool) -> Option<Comparison> {
    let grid = Grid::new(&body.points, body.size * POINT_REACH);
    let Mirror { plane, mut partners, is_sided } = Search::new(model, &body, &grid).any()?;
    if !is_sided {
        partners.fill(None);
    }
    let own = own_differences(&body, &grid, plane, &partners, cancel);
    let mut out: Vec<(f32, u32)> = own.clone();
    let mut near = Vec::new();
    for (vertex, (difference, image)) in out.iter_mut().enumerate().filter(|(_, (d, _))| *d > 0.0) {
        // Copies of a vertex that disagree are a torn seam, or shells that touch: it is enough that one fits.
        grid.near(body.points[vertex], &mut near);
        let copies = near.iter().filter(|(d, _)| *d <= body.size * SAME_POINT).map(|(_, copy)| own[*copy as usize]);
        if let Some(least) = copies.filter(|(d, _)| (0.0..*difference).contains(d)).min_by(|a, b| a.0.total_cmp(&b.0)) {
            (*difference, *image) = least;
        }
    }
    // It cannot be known which side is right: both differ.
    for vertex in 0..out.len() {
        let (difference, image) = out[vertex];
        let other = &mut out[image as usize];
        if difference > other.0 {
            *other = (difference, vertex as u32);
        }
    }
    let (difference, image) = out.into_iter().unzip();
    Some(Comparison { plane, parts: body.parts.clone(), difference, image, body, partners })
}

/// Returns how far each vertex differs from the vertex at its mirror image, and which that is; itself, and why, where
/// there is nothing to compare.
fn own_differences(
    body: &Body,
    grid: &Grid,
    plane: Plane,
    partners: &[Option<u16>],
    cancel: &AtomicBool,
) -> Vec<(f32, u32)> {
    let mut out: Vec<(f32, u32)> = (0..body.points.len()).map(|v| (NO_IMAGE, v as u32)).collect();
    let (mut near, mut mirrored) = (Vec::new(), Vec::new());
    for (vertex, found) in out.iter_mut().enumerate() {
        if vertex.is_multiple_of(4096) && cancel.load(Ordering::Relaxed) {
            break;
        }
        grid.near(plane.mirrored(body.points[vertex]), &mut near);
        if near.is_empty() {
            continue;
        }
        if !mirror_weights(body, vertex, partners, &mut mirrored) {
            found.0 = if body.weights(vertex).is_empty() { NO_WEIGHTS } else { NO_PARTNER };
            continue;
        }
        let nearest = near.iter().fold(f32::INFINITY, |least, (d, _)| least.min(*d));
        // Of vertices at one position (seams, hard edges) the one that fits best is taken, since it cannot be known which
        // of them is the image.
        near.retain(|(d, _)| *d <= nearest + body.size * SAME_POINT);
        let fits = near.iter().filter_map(|(_, other)| Some((distance(body, &mirrored, *other, partners)?, *other)));
        if let Some(best) = fits.min_by(|a, b| a.0.total_cmp(&b.0)) {
            *found = best;
        } else {
            let has_weights = near.iter().any(|(_, other)| !body.weights(*other as usize).is_empty());
            found.0 = if has_weights { NO_PARTNER } else { NO_WEIGHTS };
        }
    }
    out
}

/// Writes the weights that the image of a vertex ought to have, rising by index; returns false where the vertex has
/// none that could be compared, or one of its joints has no partner.
fn mirror_weights(body: &Body, vertex: usize, partners: &[Option<u16>], out: &mut Vec<(u16, f32)>) -> bool {
    out.clear();
    for (joint, weight) in body.weights(vertex) {
        let Some(partner) = partners[usize::from(*joint)] else { return false };
        out.push((partner, *weight));
    }
    out.sort_unstable_by_key(|(joint, _)| *joint);
    !out.is_empty()
}

/// Returns the largest difference between wanted weights and those of a vertex; `None` where it has none that could be
/// compared, or one of its joints has no partner.
fn distance(body: &Body, wanted: &[(u16, f32)], vertex: u32, partners: &[Option<u16>]) -> Option<f32> {
    let there = body.weights(vertex as usize);
    if there.is_empty() || there.iter().any(|(joint, _)| partners[usize::from(*joint)].is_none()) {
        return None;
    }
    let mut most = 0.0_f32;
    merge(wanted, there, |_, a, b| most = most.max((a - b).abs()));
    Some(most)
}

/// Walks two lists of weights by rising joint: joint, weight in the first, weight in the second.
fn merge(a: &[(u16, f32)], b: &[(u16, f32)], mut each: impl FnMut(u16, f32, f32)) {
    let (mut i, mut j) = (0, 0);
    loop {
        match (a.get(i), b.get(j)) {
            (Some((x, w)), Some((y, v))) if x == y => {
                each(*x, *w, *v);
                (i, j) = (i + 1, j + 1);
            }
            (Some((x, w)), other) if other.is_none_or(|(y, _)| x < y) => {
                each(*x, *w, 0.0);
                i += 1;
            }
            (_, Some((y, v))) => {
                each(*y, 0.0, *v);
                j += 1;
            }
            _ => return,
        }
    }
}
