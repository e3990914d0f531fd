//! The connected regions of a surface that a joint moves, and their distances from its bone.

use std::collections::HashSet;

use glam::Vec3;
use skinscope_model::NodeId;

use super::SkinSurface;
use super::motion::from_segment;
use crate::BoneSegment;

/// A connected region of the welded vertices that a joint moves.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// The connected piece of the surface that it lies in.
    pub shell: u32,
    /// Its welded vertices with the joint's weights there, in rising order.
    pub vertices: Vec<(u32, f32)>,
    /// The sum of the weights.
    pub mass: f64,
    /// The largest weight.
    pub strongest: f32,
    /// The least distance from the joint's bones, in units of the surface.
    pub nearest: f32,
    /// The greatest distance from the joint's bones, in units of the surface.
    pub farthest: f32,
    /// The mean distance from the joint's bones, by weight.
    pub typical: f32,
}

impl Region {
    /// Returns all regions of a joint, sorted by shell. `moved`: the welded vertices that it moves ([`SkinSurface::joints`]);
    /// `weights` holds zeros for all welded vertices before and after the call.
    pub fn all(surface: &SkinSurface, node: NodeId, moved: &[(u32, f32)], weights: &mut [f32]) -> Vec<Self> {
        let bones = surface.bones_of(node);
        for (welded, weight) in moved {
            weights[*welded as usize] = *weight;
        }
        let mut out: Vec<Self> = Vec::new();
        let mut open = Vec::new();
        for (start, weight) in moved {
            if std::mem::take(&mut weights[*start as usize]) == 0.0 {
                continue;
            }
            let mut vertices = vec![(*start, *weight)];
            open.push(*start);
            while let Some(at) = open.pop() {
                for to in surface.mesh.neighbours(at) {
                    let weight = std::mem::take(&mut weights[*to as usize]);
                    if weight > 0.0 {
                        vertices.push((*to, weight));
                        open.push(*to);
                    }
                }
            }
            vertices.sort_unstable_by_key(|p| p.0);
            out.push(Self::new(surface, bones, vertices));
        }
        out.sort_by_key(|r| r.shell);
        out
    }

    fn new(surface: &SkinSurface, bones: &[BoneSegment], vertices: Vec<(u32, f32)>) -> Self {
        let (mut nearest, mut farthest, mut mass, mut moment) = (f32::INFINITY, 0.0_f32, 0.0, 0.0);
        for (welded, weight) in &vertices {
            let distance = from_bones(bones, surface.positions[*welded as usize]);
            nearest = nearest.min(distance);
            farthest = farthest.max(distance);
            mass += f64::from(*weight);
            moment += f64::from(*weight) * f64::from(distance);
        }
        let strongest = vertices.iter().map(|p| p.1).fold(0.0, f32::max);
        let shell = surface.shell[vertices[0].0 as usize];
        Self { shell, vertices, mass, strongest, nearest, farthest, typical: (moment / mass) as f32 }
    }

    /// Returns whether it has a neighbour whose weights are broken, where its connection to the rest may have been
    /// lost.
    pub fn is_torn(&self, surface: &SkinSurface) -> bool {
        let is_broken = |welded: &u32| surface.mesh.members(*welded).iter().any(|v| !surface.is_sound(*v));
        // Each neighbour is looked at once: one that many welded vertices share may have many vertices.
        let around: HashSet<&u32> =
            self.vertices.iter().flat_map(|(welded, _)| surface.mesh.neighbours(*welded)).collect();
        around.into_iter().any(is_broken)
    }

    /// Returns a vertex to which the joint gives its largest weight in this region.
    pub(crate) fn strongest_vertex(&self, surface: &SkinSurface, node: NodeId) -> Option<u32> {
        let (welded, weight) = self.vertices.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        surface.mesh.members(*welded).iter().copied().find(|v| surface.weights(*v).contains(&(node, *weight)))
    }

    /// Returns its welded vertices and those next to them.
    pub(crate) fn fringe(&self, surface: &SkinSurface) -> HashSet<u32> {
        let around = |(welded, _): &(u32, f32)| surface.mesh.neighbours(*welded).iter().copied().chain([*welded]);
        self.vertices.iter().flat_map(around).collect()
    }

    /// Returns whether one of its welded vertices has a neighbour in the fringe of another region.
    pub fn touches(&self, surface: &SkinSurface, fringe: &HashSet<u32>) -> bool {
        self.vertices.iter().any(|(welded, _)| surface.mesh.neighbours(*welded).iter().any(|p| fringe.contains(p)))
    }
}

/// Returns the distance from the nearest of some bones; zero where there are none.
pub(super) fn from_bones(bones: &[BoneSegment], point: Vec3) -> f32 {
    let nearest = bones.iter().map(|b| from_segment(point, b.head, b.tail)).fold(f32::INFINITY, f32::min);
    if nearest.is_finite() { nearest } else { 0.0 }
}
