//! Procedural rigs for tests, benches and demos: small, exact, known in closed form.

use glam::{Affine3A, Quat, Vec3};

use super::{
    Channel, Clip, Influences, Instance, Interpolation, LocalPose, Mesh, MeshId, Model, ModelParts, NodeId, Path,
    Primitive, Sampler, Scene, Skeleton, Skin, SkinId, SourceInfo, Topology, Values, WeightFormat,
};
use crate::math::Transform;

/// How a [`tube`] is made.
#[derive(Clone, Copy, Debug)]
pub struct Tube {
    /// Joints along +Y, evenly spaced over `length`.
    pub joints: usize,
    /// Rings of vertices.
    pub rings: usize,
    /// Vertices in a ring.
    pub sides: usize,
    /// Metres.
    pub length: f32,
    /// Metres.
    pub radius: f32,
    /// Influences of a vertex, nearest joints first, weights by distance.
    pub influences: usize,
}

impl Default for Tube {
    fn default() -> Self {
        Self { joints: 2, rings: 9, sides: 16, length: 2.0, radius: 0.25, influences: 2 }
    }
}

/// An open tube along +Y on a chain of joints, with one clip "Bend" (1 s) that turns every joint but the first about X
/// by up to 30°.
///
/// ```text
/// root(0) ── joint 0 (1) ── joint 1 (2) ── …
/// ```
///
/// # Panics
/// Never for sizes of one or more: the parts are built to hold every invariant.
#[must_use]
pub fn tube(shape: Tube) -> Model {
    let Tube { joints, rings, sides, .. } = shape;
    let (joints, rings, sides) = (joints.max(1), rings.max(2), sides.max(3));
    let spacing = shape.length / joints as f32;
    let mut transforms = vec![Transform::IDENTITY; joints + 1];
    for t in &mut transforms[2..] {
        t.translation.y = spacing;
    }
    let skeleton = Skeleton {
        parents: (0..=joints).map(|i| i.checked_sub(1).map(NodeId::from_index)).collect(),
        names: (0..=joints).map(|i| if i == 0 { "root".into() } else { format!("joint {}", i - 1) }).collect(),
        file_index: (0..=joints as u32).collect(),
        rest: LocalPose { transforms, morph_weights: Vec::new() },
        residuals: Vec::new(),
    };
    let inverse_bind = (0..joints).map(|j| Affine3A::from_translation(Vec3::NEG_Y * spacing * j as f32)).collect();
    let skin =
        Skin { name: "tube".into(), joints: (1..=joints).map(NodeId::from_index).collect(), inverse_bind, root: None };
    let parts = ModelParts {
        source: SourceInfo { name: "tube".into(), version: "2.0".into(), ..SourceInfo::default() },
        scenes: vec![Scene { name: String::new(), roots: vec![NodeId(0)], contains: vec![true; joints + 1] }],
        skins: vec![skin],
        meshes: vec![Mesh {
            name: "tube".into(),
            primitives: vec![tube_mesh(shape, joints, rings, sides)],
            morph_names: vec![],
        }],
        instances: vec![Instance {
            node: NodeId(0),
            mesh: MeshId(0),
            skin: Some(SkinId(0)),
            morph_weights: Vec::new(),
            morph_offset: 0,
        }],
        clips: vec![bend(joints)],
        skeleton,
        ..ModelParts::default()
    };
    build(parts)
}

fn tube_mesh(shape: Tube, joints: usize, rings: usize, sides: usize) -> Primitive {
    let spacing = shape.length / joints as f32;
    let per_vertex = shape.influences.max(1).div_ceil(4) * 4;
    let mut out = Primitive { topology: Topology::Triangles, ..Primitive::default() };
    let mut influences = Influences { per_vertex, format: WeightFormat::F32, ..Influences::default() };
    for ring in 0..rings {
        let y = shape.length * ring as f32 / (rings - 1) as f32;
        for side in 0..sides {
            let angle = std::f32::consts::TAU * side as f32 / sides as f32;
            let normal = Vec3::new(angle.sin(), 0.0, angle.cos());
            out.positions.push(normal * shape.radius + Vec3::Y * y);
            out.normals.push(normal);
            let mut near: Vec<(f32, u16)> =
                (0..joints).map(|j| ((y - spacing * (j as f32 + 0.5)).abs(), j as u16)).collect();
            near.sort_by(|a, b| a.0.total_cmp(&b.0));
            near.truncate(shape.influences.max(1));
            let raw: Vec<f32> = near.iter().map(|(d, _)| (-(d / spacing) * (d / spacing) * 2.0).exp()).collect();
            let sum: f32 = raw.iter().sum();
            for slot in 0..per_vertex {
                influences.joints.push(near.get(slot).map_or(0, |n| n.1));
                influences.weights.push(raw.get(slot).map_or(0.0, |w| w / sum));
            }
        }
    }
    for ring in 0..rings as u32 - 1 {
        for side in 0..sides as u32 {
            let next = (side + 1) % sides as u32;
            let (a, b) = (ring * sides as u32 + side, ring * sides as u32 + next);
            let (c, d) = (a + sides as u32, b + sides as u32);
            out.indices.extend([a, b, c, b, d, c]);
        }
    }
    out.stored_vertices = out.positions.len();
    out.influences = Some(influences);
    out
}

fn bend(joints: usize) -> Clip {
    let turn = |degrees: f32| Quat::from_rotation_x(degrees.to_radians());
    let keys = vec![turn(0.0), turn(30.0), turn(0.0)];
    Clip {
        name: "Bend".into(),
        channels: (2..=joints)
            .map(|n| Channel { node: NodeId::from_index(n), path: Path::Rotation, sampler: 0 })
            .collect(),
        samplers: vec![Sampler { times: 0, interpolation: Interpolation::Linear, values: Values::Quat(keys) }],
        times: vec![vec![0.0, 0.5, 1.0]],
        start_secs: 0.0,
        end_secs: 1.0,
    }
}

#[expect(clippy::panic, reason = "parts made here hold every invariant; a test builds each shape")]
fn build(parts: ModelParts) -> Model {
    match Model::build(parts) {
        Ok(model) => model,
        Err(error) => panic!("a built-in shape is broken: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tubes_build_and_weights_sum_to_one() {
        for influences in [1, 2, 4, 8] {
            let model = tube(Tube { joints: 9, influences, ..Tube::default() });
            let i = model.meshes[0].primitives[0].influences.as_ref().unwrap();
            assert_eq!(i.most_used(), influences);
            assert!(i.weights.chunks(i.per_vertex).all(|w| (w.iter().sum::<f32>() - 1.0).abs() < 1e-6));
        }
    }

    #[test]
    fn faces_look_outward() {
        let model = tube(Tube::default());
        let p = &model.meshes[0].primitives[0];
        for t in p.indices.chunks(3) {
            let [a, b, c] = [t[0], t[1], t[2]].map(|i| p.positions[i as usize]);
            assert!((b - a).cross(c - a).dot(p.normals[t[0] as usize]) > 0.0);
        }
    }

    #[test]
    fn bind_pose_of_an_untouched_rig_is_its_rest_pose() {
        let model = tube(Tube { joints: 5, ..Tube::default() });
        for (a, b) in model.bind_pose().transforms.iter().zip(&model.skeleton.rest.transforms) {
            assert!((a.translation - b.translation).length() < 1e-6 && a.rotation.angle_between(b.rotation) < 1e-3);
        }
    }
}
