//! The surface that a skin moves, over all of its primitives.
//!
//! Rules that walk over the surface use this one, in the space of the mesh as it was bound, where coincident vertices still coincide
//! whatever their weights do to them.

use std::collections::{HashMap, HashSet};

use glam::{Affine3A, DAffine3, Vec3};
use skinscope_base::math::{Aabb, Weld, WeldRule};
use skinscope_deform::MeshTopology;
use skinscope_model::{MeshId, Model, NodeId, Skin};

use super::{Skinned, Subject};
use crate::{BoneChoice, BoneSegment, bones};

/// All primitives that one skin moves, or several skins that bind the same joints in the same way.
#[derive(Debug)]
pub struct SkinSurface {
    /// Its primitives; their stored vertices are numbered consecutively from part to part.
    pub parts: Vec<SkinPart>,
    /// Its numbered vertices, welded where they lie near each other ([`WeldRule::Near`]), and its triangles.
    pub mesh: MeshTopology,
    /// The position of each welded vertex, in the space of the first part's mesh.
    pub positions: Vec<Vec3>,
    /// For each welded vertex: the connected piece it belongs to.
    pub shell: Vec<u32>,
    /// For each numbered vertex: the start of its weights in `weights`.
    weight_starts: Vec<usize>,
    weights: Vec<(NodeId, f32)>,
    sound: Vec<bool>,
    /// For each node, rising: the welded vertices that it moves, rising, with the largest weight of the vertices there.
    pub joints: Vec<(NodeId, Vec<(u32, f32)>)>,
    /// The bones of the surface's joints as they were bound, sorted by node.
    pub bones: Vec<BoneSegment>,
    /// The diagonal of the box around it, in the space of `positions`.
    pub size: f32,
    /// Metres in the world for each unit of `positions`, at rest.
    pub world_scale: f32,
}

/// The vertices of a [`SkinSurface`], without what their weights tell.
#[derive(Debug)]
pub struct WeldedSurface {
    /// The same as [`SkinSurface::parts`].
    pub parts: Vec<SkinPart>,
    /// The same as [`SkinSurface::mesh`].
    pub mesh: MeshTopology,
    /// The same as [`SkinSurface::positions`].
    pub positions: Vec<Vec3>,
}

/// A primitive of a surface.
#[derive(Clone, Copy, Debug)]
pub struct SkinPart {
    /// The mesh in the model.
    pub mesh: MeshId,
    /// The primitive's number in the mesh.
    pub primitive: usize,
    /// Its index in [`Subject::skinned`].
    pub skinned: usize,
    /// The number of its first vertex.
    pub first: u32,
}

impl SkinSurface {
    /// Returns the surfaces of all skins, in the order of [`Subject::skinned`].
    pub(super) fn all(subject: &Subject) -> Vec<Self> {
        groups(subject.model, &subject.skinned).into_iter().map(|group| Self::new(subject, &group)).collect()
    }

    fn new(subject: &Subject, group: &Group) -> Self {
        let WeldedSurface { parts, mesh, positions } = WeldedSurface::new(subject, group);
        let (world_scale, bones) = bound(subject, group);
        let mut out = Self {
            size: Aabb::around_mass(&positions).diagonal(),
            shell: mesh.shells().0,
            joints: Vec::new(),
            parts,
            mesh,
            positions,
            bones,
            world_scale,
            weight_starts: vec![0],
            weights: Vec::new(),
            sound: Vec::new(),
        };
        out.take_weights(subject);
        out.joints = out.moved();
        out
    }

    /// Returns the part of a numbered vertex, and the number that the file gives the vertex there.
    #[must_use]
    pub fn stored(&self, vertex: u32) -> (&SkinPart, u32) {
        let part = &self.parts[self.parts.partition_point(|p| p.first <= vertex) - 1];
        (part, vertex - part.first)
    }

    /// Returns the joints that move a numbered vertex, rising, each once, with their weights. Weights that are not
    /// positive numbers are left out.
    #[must_use]
    pub fn weights(&self, vertex: u32) -> &[(NodeId, f32)] {
        &self.weights[self.weight_starts[vertex as usize]..self.weight_starts[vertex as usize + 1]]
    }

    /// Returns whether all stored weights of a numbered vertex could be used: no weight is negative or not finite, and
    /// no joint lies beyond the skin. Consequences of such faults are not reported as well.
    #[must_use]
    pub fn is_sound(&self, vertex: u32) -> bool {
        self.sound[vertex as usize]
    }

    /// Returns the bones of a joint, as bound.
    #[must_use]
    pub fn bones_of(&self, node: NodeId) -> &[BoneSegment] {
        let first = self.bones.partition_point(|b| b.node < node);
        let bones = &self.bones[first..];
        &bones[..bones.partition_point(|b| b.node == node)]
    }

    fn take_weights(&mut self, subject: &Subject) {
        let mut of_vertex: Vec<(NodeId, f32)> = Vec::new();
        for SkinPart { skinned, .. } in &self.parts {
            let Skinned { skin, influences, source, .. } = subject.skinned[*skinned];
            let first = self.sound.len();
            for vertex in 0..source.stored_vertices {
                let start = self.weights.len();
                let (joints, weights) = influences.of(vertex);
                let used = joints.iter().zip(weights).filter(|(_, w)| **w > 0.0 && w.is_finite());
                of_vertex.clear();
                of_vertex.extend(used.map(|(j, w)| (skin.joints[*j as usize], *w)));
                of_vertex.sort_by_key(|(node, _)| *node);
                for (node, weight) in of_vertex.iter().copied() {
                    match self.weights[start..].last_mut() {
                        Some(last) if last.0 == node => last.1 += weight,
                        _ => self.weights.push((node, weight)),
                    }
                }
                self.weight_starts.push(self.weights.len());
                self.sound.push(weights.iter().all(|w| *w >= 0.0));
            }
            let lost = influences.not_finite.iter().map(|n| n.vertex);
            for vertex in lost.chain(influences.out_of_range.iter().map(|o| o.vertex)) {
                self.sound[first + vertex as usize] = false;
            }
        }
    }

    fn moved(&self) -> Vec<(NodeId, Vec<(u32, f32)>)> {
        let mut joints: HashMap<NodeId, Vec<(u32, f32)>> = HashMap::new();
        for welded in 0..self.positions.len() as u32 {
            for vertex in self.mesh.members(welded) {
                for (node, weight) in self.weights(*vertex).iter().copied() {
                    let of_joint = joints.entry(node).or_default();
                    match of_joint.last_mut() {
                        Some(last) if last.0 == welded => last.1 = last.1.max(weight),
                        _ => of_joint.push((welded, weight)),
                    }
                }
            }
        }
        let mut out: Vec<_> = joints.into_iter().collect();
        out.sort_by_key(|(node, _)| *node);
        out
    }
}

impl WeldedSurface {
    /// Returns the surfaces of all skins, in the order of [`Subject::skinned`].
    pub(super) fn all(subject: &Subject) -> Vec<Self> {
        groups(subject.model, &subject.skinned).into_iter().map(|group| Self::new(subject, &group)).collect()
    }

    fn new(subject: &Subject, group: &Group) -> Self {
        let mut parts = Vec::new();
        let mut points = Vec::new();
        for (i, surface_from_mesh) in &group.parts {
            let skinned = &subject.skinned[*i];
            let Skinned { mesh, primitive, .. } = *skinned;
            parts.push(SkinPart { mesh, primitive, skinned: *i, first: points.len() as u32 });
            let stored = &skinned.source.positions[..skinned.source.stored_vertices];
            points.extend(stored.iter().map(|p| surface_from_mesh.map_or(*p, |m| m.transform_point3(*p))));
        }
        for point in points.iter_mut().filter(|p| !p.is_finite()) {
            *point = Vec3::ZERO;
        }
        let mesh = topology(subject, &parts, &points);
        let positions: Vec<Vec3> = mesh.weld.first.iter().map(|vertex| points[*vertex as usize]).collect();
        Self { parts, mesh, positions }
    }
}

/// Welds the vertices of all parts, which lie at `points`, and joins their triangles.
fn topology(subject: &Subject, parts: &[SkinPart], points: &[Vec3]) -> MeshTopology {
    let of_part = |part: &SkinPart| {
        let (source, first) = (subject.skinned[part.skinned].source, part.first);
        source.stored_triangles().map(move |corners| corners.map(|vertex| first + vertex))
    };
    let weld = Weld::new(points, WeldRule::Near, &|| false);
    let mesh = weld.and_then(|weld| MeshTopology::new(weld, parts.iter().flat_map(of_part).collect(), &|| false));
    mesh.unwrap_or_default()
}

/// Primitives that share a surface, each with `surface_from_mesh` where that is not the identity.
struct Group {
    /// The primitives, as indices into [`Subject::skinned`].
    parts: Vec<(usize, Option<Affine3A>)>,
    /// `joint_from_surface` of all joints of all its skins.
    binds: HashMap<NodeId, Affine3A>,
    shown: HashSet<(u32, usize)>,
}

/// Groups the skins that move one surface. Exporters write a skin for each mesh, though all hang on one skeleton: skins
/// whose joints are bound at the same position move one surface.
fn groups(model: &Model, skinned: &[Skinned]) -> Vec<Group> {
    // A mesh that was parted from another one has its vertices.
    let of_file = |s: &Skinned| (model.file_mesh(s.mesh).0, s.primitive);
    let mut by_skin: Vec<(usize, &Skinned)> = skinned.iter().enumerate().collect();
    by_skin.sort_by_key(|(_, s)| s.skin_id);
    let mut out: Vec<Group> = Vec::new();
    // The last surface that each joint belongs to, so that a skin is compared with one other at most.
    let mut latest: HashMap<NodeId, usize> = HashMap::new();
    for parts in by_skin.chunk_by(|a, b| a.1.skin_id == b.1.skin_id) {
        let skin = parts[0].1.skin;
        let found = skin.joints.iter().find_map(|j| latest.get(j).copied()).and_then(|group| {
            let shown_twice = parts.iter().any(|(_, s)| out[group].shown.contains(&of_file(s)));
            let from_first = shift(&out[group].binds, skin, bounds(parts))?;
            (!shown_twice).then_some((group, from_first))
        });
        let (group, from_first) = found.unwrap_or_else(|| {
            out.push(Group { parts: Vec::new(), binds: HashMap::new(), shown: HashSet::new() });
            (out.len() - 1, None)
        });
        let to_mesh = from_first.map_or(Affine3A::IDENTITY, |m| m.inverse());
        for (joint, bind) in skin.joints.iter().zip(&skin.inverse_bind) {
            out[group].binds.entry(*joint).or_insert(*bind * to_mesh);
            latest.insert(*joint, group);
        }
        out[group].shown.extend(parts.iter().map(|(_, s)| of_file(s)));
        out[group].parts.extend(parts.iter().map(|(i, _)| (*i, from_first)));
    }
    out
}

fn bounds(parts: &[(usize, &Skinned)]) -> Aabb {
    Aabb::from_points(parts.iter().flat_map(|(_, s)| s.source.positions.iter().copied()))
}

/// Returns `surface_from_mesh` of a skin whose joints are bound as they are elsewhere (inner `None`: the identity);
/// `None` where they are not.
fn shift(binds: &HashMap<NodeId, Affine3A>, skin: &Skin, bounds: Aabb) -> Option<Option<Affine3A>> {
    let shared = || skin.joints.iter().zip(&skin.inverse_bind).filter_map(|(j, b)| Some((*binds.get(j)?, *b)));
    if shared().all(|(there, here)| there == here) {
        return Some(None);
    }
    let double = |m: Affine3A| DAffine3::from_cols_array(&m.to_cols_array().map(f64::from));
    let mut all = shared().map(|(there, here)| double(there).inverse() * double(here));
    let first = all.next()?;
    let corners = [bounds.min, bounds.max, bounds.center()].map(|p| p.as_dvec3());
    let size = first.transform_vector3(bounds.size().as_dvec3()).length();
    let agree = |m: DAffine3| {
        corners.iter().all(|c| m.transform_point3(*c).distance(first.transform_point3(*c)) <= 1e-4 * size)
    };
    let single = Affine3A::from_cols_array(&first.to_cols_array().map(|v| v as f32));
    (single.is_finite() && all.all(agree)).then_some(Some(single))
}

/// Returns the world's metres for each unit of the surface at rest, and its bones as bound, in its own space.
fn bound(subject: &Subject, group: &Group) -> (f32, Vec<BoneSegment>) {
    let first = group.binds.iter().min_by_key(|(node, _)| **node);
    let world_from_surface = first.map_or(Affine3A::IDENTITY, |(node, bind)| subject.rest[node.index()] * *bind);
    let surface_from_world = world_from_surface.inverse();
    let at = |(i, rest): (usize, &Affine3A)| {
        let bind = group.binds.get(&NodeId::from_index(i)).map(|b| b.inverse());
        bind.filter(|b| b.is_finite()).unwrap_or(surface_from_world * *rest)
    };
    let pose: Vec<Affine3A> = subject.rest.iter().enumerate().map(at).collect();
    let mut bones = bones(subject.model, usize::MAX, &pose, BoneChoice::to_measure());
    bones.retain(|b| group.binds.contains_key(&b.node));
    let scale = world_from_surface.matrix3.determinant().abs().cbrt();
    (if scale.is_finite() && scale > 0.0 { scale } else { 1.0 }, bones)
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::obstacle_course;

    use crate::check::{surfaces, welded_surfaces};

    #[test]
    fn what_is_welded_without_weights_is_what_the_whole_surface_has() {
        let model = obstacle_course();
        let (whole, welded) = (surfaces(&model), welded_surfaces(&model));
        assert!(!whole.is_empty() && whole.len() == welded.len());
        for (whole, welded) in whole.iter().zip(&welded) {
            let firsts = |parts: &[super::SkinPart]| parts.iter().map(|part| part.first).collect::<Vec<_>>();
            assert_eq!(firsts(&whole.parts), firsts(&welded.parts));
            assert!(whole.mesh.weld == welded.mesh.weld && whole.mesh.triangles == welded.mesh.triangles);
            assert!(whole.positions == welded.positions);
        }
    }
}
