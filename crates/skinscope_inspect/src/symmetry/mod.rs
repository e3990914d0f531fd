//! Left and right: finds where the weights of a vertex differ from those of its mirror image.
//!
//! A body is what one skin moves, or several that bind the same joints alike, in the space in which they were bound.
//! Its mirror plane is found, not assumed; its joints are paired by place, and by name where several stand in one
//! place; then every vertex is compared with the vertex at its mirror image. Bodies that are not symmetric, in shape or
//! in joints, have no differences.

mod body;
mod plane;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use body::Part;

use std::sync::atomic::{AtomicBool, Ordering};

use super::PerVertex;
use body::Body;
use plane::{Mirror, POINT_REACH};
use skinscope_base::math::{Grid, Plane};
use skinscope_model::{MeshId, Model, NodeId};

/// Points that are nearer to each other than this are in one place, as a share of the size: vertices of a seam.
const SAME_POINT: f32 = 2e-5;

/// The difference of a vertex that was not compared: it has no mirror image, its body is not symmetric, or its weights
/// cannot be used. It is below every difference.
pub const NOT_JUDGED: f32 = -1.0;

/// Returns for every stored vertex that a skin moves the largest difference (0…1) between one of its weights and that
/// of its mirror image, both sides alike; [`NOT_JUDGED`] where nothing can be compared. Takes time linear in vertices.
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
                out.values[instance.mesh.index()][p].resize(primitive.stored_vertices, NOT_JUDGED);
            }
        }
    }
    for comparison in comparisons {
        for part in &comparison.parts {
            let values = &mut out.values[part.mesh.index()][part.primitive];
            for (value, new) in values.iter_mut().zip(&comparison.difference[part.start..]) {
                // Where several skins move a vertex, the largest difference counts.
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
    pub parts: Vec<Part>,
    /// The difference of each vertex of the body; [`NOT_JUDGED`] where it was compared with nothing.
    pub difference: Vec<f32>,
    /// For each vertex of the body that differs: the vertex that it was compared with.
    pub image: Vec<u32>,
    body: Body,
    partners: Vec<Option<u16>>,
}

impl Comparison {
    /// Returns the joint of a place.
    pub(crate) fn node(&self, place: u16) -> NodeId {
        self.body.nodes[usize::from(place)]
    }

    /// Returns the joints (by place) in whose weights a vertex differs from its image: each with its weight, its
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

/// Compares all bodies that are symmetric.
pub(crate) fn comparisons(model: &Model, cancel: &AtomicBool) -> Vec<Comparison> {
    let mut meshes: Vec<Vec<MeshId>> = vec![Vec::new(); model.skins.len()];
    for instance in &model.instances {
        if let Some(skin) = instance.skin {
            meshes[skin.index()].push(instance.mesh);
        }
    }
    let mut out = Vec::new();
    for of_skin in &mut meshes {
        of_skin.sort_unstable();
        of_skin.dedup();
    }
    for skins in body::bodies(model) {
        if cancel.load(Ordering::Relaxed) {
            break;
        }
        out.extend(Body::of(model, &skins, &meshes).and_then(|body| compare(model, body, cancel)));
    }
    out
}

fn compare(model: &Model, body: Body, cancel: &AtomicBool) -> Option<Comparison> {
    let grid = Grid::new(&body.points, body.size * POINT_REACH);
    let Mirror { plane, partners } = Mirror::of(model, &body, &grid)?;
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
    // It cannot be told which side is right: both differ.
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

/// Returns how far each vertex differs from the vertex at its mirror image, and which that is; [`NOT_JUDGED`] and
/// itself where there is none.
fn own_differences(
    body: &Body,
    grid: &Grid,
    plane: Plane,
    partners: &[Option<u16>],
    cancel: &AtomicBool,
) -> Vec<(f32, u32)> {
    let mut out: Vec<(f32, u32)> = (0..body.points.len()).map(|v| (NOT_JUDGED, v as u32)).collect();
    let (mut near, mut mirrored) = (Vec::new(), Vec::new());
    for (vertex, found) in out.iter_mut().enumerate() {
        if vertex.is_multiple_of(4096) && cancel.load(Ordering::Relaxed) {
            break;
        }
        if !mirror_weights(body, vertex, partners, &mut mirrored) {
            continue;
        }
        grid.near(plane.mirrored(body.points[vertex]), &mut near);
        let nearest = near.iter().fold(f32::INFINITY, |least, (d, _)| least.min(*d));
        // Of vertices in one place (seams, hard edges) the one that fits best is taken, since it cannot be told which
        // of them is the image.
        near.retain(|(d, _)| *d <= nearest + body.size * SAME_POINT);
        let fits = near.iter().filter_map(|(_, other)| Some((distance(body, &mirrored, *other, partners)?, *other)));
        if let Some(best) = fits.min_by(|a, b| a.0.total_cmp(&b.0)) {
            *found = best;
        }
    }
    out
}

/// Writes the weights that the image of a vertex ought to have, rising by place; returns false where the vertex has
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
