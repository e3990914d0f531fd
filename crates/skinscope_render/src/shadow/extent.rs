//! The sphere around a posed model, from boxes around the vertices of each joint.

use glam::{Affine3A, Vec3};
use skinscope_base::math::Aabb;
use skinscope_frame::Frame;
use skinscope_model::{MeshId, Model, PrimitiveRef};

use super::super::scene::GpuModel;

/// A joint moves the boxes of vertices that it has at least this weight of.
const LEAST_WEIGHT: f32 = 0.02;

/// For each joint (index in the skin) that moves some of a primitive, the box around the stored vertices that it moves.
pub(crate) fn joint_boxes(p: &PrimitiveRef<'_>) -> Vec<(u16, Aabb)> {
    let Some(influences) = &p.influences else { return Vec::new() };
    let mut boxes: Vec<Aabb> = Vec::new();
    for (vertex, position) in p.positions.iter().enumerate() {
        let (joints, weights) = influences.of(vertex);
        for (joint, _) in joints.iter().zip(weights).filter(|(_, weight)| **weight >= LEAST_WEIGHT) {
            let joint = usize::from(*joint);
            if boxes.len() <= joint {
                boxes.resize(joint + 1, Aabb::EMPTY);
            }
            boxes[joint].include(*position);
        }
    }
    let moved = |(joint, bounds): (u16, Aabb)| (!bounds.is_empty()).then_some((joint, bounds));
    (0..=u16::MAX).zip(boxes).filter_map(moved).collect()
}

/// The centre and the radius of a sphere around everything that `frame` draws of a model, world space, metres. A blend of
/// matrices moves a vertex to between where each of them alone would, so that boxes around the vertices of each joint are
/// enough; methods that bulge may reach out of the sphere a little. `None` where nothing is drawn.
pub(crate) fn sphere(frame: &Frame, model: &Model, copy: &GpuModel) -> Option<(Vec3, f32)> {
    let palette = |at: u32| frame.palettes.get(at as usize).copied().unwrap_or(Affine3A::IDENTITY);
    let mut all = Aabb::EMPTY;
    for id in &frame.draws {
        let mesh = model.instances[id.index()].mesh.index();
        for (n, draw) in copy.draws[id.index()].iter().enumerate() {
            let (primitive, source) = (&copy.meshes[mesh][n], &model.meshes[mesh].primitives[n]);
            let reach = source.morphs.iter().flat_map(|target| &target.positions);
            let grown = Vec3::splat(primitive.morph_reach(|| reach.map(|p| p.length()).fold(0.0, f32::max)));
            if draw.rigid {
                let bounds = primitive.bounds.grown(grown);
                all = (0..draw.copies).fold(all, |all, i| all.union(bounds.transformed(palette(draw.joint + i))));
                continue;
            }
            let boxes = primitive.influences.boxes(|| joint_boxes(&model.primitive(MeshId::from_index(mesh), n)));
            let moved =
                boxes.iter().map(|(joint, b)| b.grown(grown).transformed(palette(draw.joint + u32::from(*joint))));
            all = moved.fold(all, Aabb::union);
        }
    }
    let radius = 0.5 * all.diagonal();
    (!all.is_empty() && radius.is_finite() && radius > 0.0).then(|| (all.center(), radius * MARGIN))
}

/// How much larger the sphere is than what it surrounds, so that the texels at the edge of a view stay empty.
const MARGIN: f32 = 1.04;
