//! Procedural rigs for tests, benches and demos. They are small, and their exact values are known in closed form.

mod test_rigs;

use glam::{Affine3A, Mat3A, Quat, Vec3};
use skinscope_base::math::Transform;
pub use test_rigs::{Joint, rigged};

use super::{
    Channel, Clip, Influences, Instance, Interpolation, LocalPose, Mesh, MeshId, Model, ModelParts, MorphTarget,
    NodeId, Path, Primitive, Sampler, Scene, Skeleton, Skin, SkinId, SourceInfo, Topology, Values, WeightFormat,
    part_meshes,
};

/// The parameters of a [`tube`].
#[derive(Clone, Copy, Debug)]
pub struct Tube {
    /// The number of joints, evenly spaced along +Y over `length`.
    pub joints: usize,
    /// The number of rings of vertices.
    pub rings: usize,
    /// The number of vertices of a ring.
    pub sides: usize,
    /// The length in metres.
    pub length: f32,
    /// The radius in metres.
    pub radius: f32,
    /// The number of influences of a vertex: the nearest joints, with weights by distance.
    pub influences: usize,
}

impl Default for Tube {
    fn default() -> Self {
        Self { joints: 2, rings: 9, sides: 16, length: 2.0, radius: 0.25, influences: 2 }
    }
}

/// Makes an open tube along +Y on a chain of joints, with one clip "Bend" (1 s) that turns every joint but the first
/// about X by up to 30°.
///
/// ```text
/// root(0) ── joint 0 (1) ── joint 1 (2) ── …
/// ```
///
/// # Panics
/// It does not panic for sizes of 1 or more.
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
        rest: LocalPose { transforms, ..LocalPose::default() },
        residuals: Vec::new(),
        far: None,
    };
    let inverse_bind = (0..joints).map(|j| Affine3A::from_translation(Vec3::NEG_Y * spacing * j as f32)).collect();
    let skin = Skin {
        name: "tube".into(),
        joints: (1..=joints).map(NodeId::from_index).collect(),
        inverse_bind,
        ..Skin::default()
    };
    let parts = ModelParts {
        source: SourceInfo { name: "tube".into(), version: "2.0".into(), ..SourceInfo::default() },
        scenes: vec![Scene { name: String::new(), roots: vec![NodeId(0)], contains: vec![true; joints + 1] }],
        skins: vec![skin],
        meshes: vec![Mesh {
            name: "tube".into(),
            primitives: vec![tube_mesh(shape, joints, rings, sides)],
            ..Mesh::default()
        }],
        instances: vec![Instance { node: NodeId(0), mesh: MeshId(0), skin: Some(SkinId(0)), ..Instance::default() }],
        clips: vec![bend(joints)],
        skeleton,
        ..ModelParts::default()
    };
    build(parts)
}

/// Returns `model` with other vertices in the first primitive of its first mesh: `vertices` has for each new vertex the
/// index of the stored one that it copies. All indices in another order make the same model as exported anew. An index
/// that occurs twice makes a split vertex, whose triangles use the copies in turn; one that does not occur takes its
/// triangles along.
///
/// # Panics
/// An index is outside of the list of vertices.
#[must_use]
pub fn with_vertices(model: &Model, vertices: &[u32]) -> Model {
    fn pick<T: Copy>(all: &[T], vertices: &[u32]) -> Vec<T> {
        if all.is_empty() { Vec::new() } else { vertices.iter().map(|v| all[*v as usize]).collect() }
    }
    let mut parts: ModelParts = (**model).clone();
    let p = &mut parts.meshes[0].primitives[0];
    let indices: Vec<Vec<u32>> = (0..p.stored_vertices as u32)
        .map(|old| (0..vertices.len() as u32).filter(|new| vertices[*new as usize] == old).collect())
        .collect();
    let corner = |triangle: usize, old: u32| {
        let copies = &indices[old as usize];
        (!copies.is_empty()).then(|| copies[triangle % copies.len()])
    };
    let triangles = p.indices.as_chunks::<3>().0.iter().enumerate();
    let kept = triangles.filter_map(|(i, [a, b, c])| Some([corner(i, *a)?, corner(i, *b)?, corner(i, *c)?]));
    p.indices = kept.flatten().collect();
    p.positions = pick(&p.positions, vertices);
    p.normals = pick(&p.normals, vertices);
    p.uvs = [pick(&p.uvs[0], vertices), pick(&p.uvs[1], vertices)];
    p.colors = pick(&p.colors, vertices);
    p.tangents.clear();
    p.split_from.clear();
    p.stored_vertices = vertices.len();
    if let Some(stored) = &mut p.stored_influences {
        let slots = stored.per_vertex;
        let row = |v: &u32| *v as usize * slots..(*v as usize + 1) * slots;
        stored.joints = vertices.iter().flat_map(|v| stored.joints[row(v)].to_vec()).collect();
        stored.weights = vertices.iter().flat_map(|v| stored.weights[row(v)].to_vec()).collect();
    }
    build(parts)
}

/// Returns `model` with its first instance a second time, at the same node, with a second skin that has the joints of
/// the first one in reversed order. `change` is called before the mesh of both is copied ([`super::part_meshes`]).
///
/// # Panics
/// The model has no skin or no instance, or `change` breaks an invariant.
#[must_use]
pub fn with_two_skins(model: &Model, change: impl FnOnce(&mut ModelParts)) -> Model {
    let mut parts: ModelParts = (**model).clone();
    let mut skin = parts.skins[0].clone();
    skin.joints.reverse();
    skin.inverse_bind.reverse();
    let second = SkinId(parts.skins.len() as u32);
    parts.skins.push(skin);
    parts.instances.push(Instance { skin: Some(second), ..parts.instances[0].clone() });
    change(&mut parts);
    let ModelParts { skins, meshes, instances, .. } = &mut parts;
    parts.parted = part_meshes(skins, meshes, instances, &mut |_, _| true);
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
    out.stored_influences = Some(influences);
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
        samplers: vec![Sampler { times: 0, interpolation: Interpolation::Linear, values: Values::Quat(keys.into()) }],
        times: vec![vec![0.0, 0.5, 1.0]],
        start_secs: 0.0,
        end_secs: 1.0,
        ..Clip::default()
    }
}

/// How many joints [`obstacle_course`] has.
const COURSE_JOINTS: usize = 8;

/// A small model with everything that a pose can do to a surface.
///
/// ```text
/// root (0, scaled unevenly) ─┬─ mesh (1, skinned and morphed) ── box (2, rigid)
///                            └─ joint 0 (3) ── joint 1 (4, scaled unevenly) ── joint 2 (5, mirrored)
///                                 ── joint 3 (6, sheared) ── … ── joint 7 (10)
/// ```
///
/// The skinned mesh has a primitive with 8 influences for each vertex and two morph targets, and one without influences
/// and normals. The clip "All kinds" animates translations, rotations, scales and morph weights by STEP, LINEAR and
/// CUBICSPLINE, with keys from 0.25 s to 1.75 s; from 1.5 s on the root mirrors everything.
#[must_use]
pub fn obstacle_course() -> Model {
    let shape = Tube { joints: COURSE_JOINTS, rings: 17, sides: 8, influences: 8, ..Tube::default() };
    let skeleton = course_skeleton();
    let mut world: Vec<Affine3A> = Vec::new();
    for (i, t) in skeleton.rest.transforms.iter().enumerate() {
        let local = skeleton.local_matrix(i, *t);
        world.push(skeleton.parents[i].map_or(local, |p| world[p.index()] * local));
    }
    let joints: Vec<NodeId> = (3..3 + COURSE_JOINTS).map(NodeId::from_index).collect();
    let inverse_bind = joints.iter().map(|j| world[j.index()].inverse()).collect();
    let skin = Skin { name: "course".into(), joints, inverse_bind, ..Skin::default() };
    let mut skinned = tube_mesh(shape, COURSE_JOINTS, shape.rings, shape.sides);
    skinned.tangents = skinned.normals.iter().map(|n| n.cross(Vec3::Y).extend(1.0)).collect();
    let swell = skinned.positions.iter().map(|p| Vec3::new(p.x, 0.0, p.z) * (0.5 + p.y)).collect();
    let lean = skinned.positions.iter().map(|p| Vec3::X * p.y * p.y * 0.1).collect();
    let tilt = skinned.normals.iter().map(|n| Vec3::Y * n.x * -0.2).collect();
    skinned.morphs = vec![
        MorphTarget { positions: swell, ..MorphTarget::default() },
        MorphTarget { positions: lean, normals: tilt, ..MorphTarget::default() },
    ];
    let rigid = Primitive { stored_influences: None, normals: Vec::new(), tangents: Vec::new(), ..skinned.clone() };
    let alone = Primitive { morphs: Vec::new(), ..rigid.clone() };
    let mesh = |name: &str, primitives, morphs: &[&str]| Mesh {
        name: name.into(),
        primitives,
        morph_names: morphs.iter().map(|m| (*m).to_owned()).collect(),
        ..Mesh::default()
    };
    let rest = skeleton.rest.morph_weights.clone();
    let instance = |node, mesh, skin, morph_weights, morph_offset| Instance {
        node: NodeId(node),
        mesh: MeshId(mesh),
        skin,
        morph_weights,
        morph_offset,
        copies: Vec::new(),
    };
    let parts = ModelParts {
        source: SourceInfo { name: "obstacle course".into(), version: "2.0".into(), ..SourceInfo::default() },
        scenes: vec![Scene { name: String::new(), roots: vec![NodeId(0)], contains: vec![true; skeleton.len()] }],
        skins: vec![skin],
        meshes: vec![mesh("tube", vec![skinned, rigid], &["swell", "lean"]), mesh("box", vec![alone], &[])],
        instances: vec![
            instance(1, 0, Some(SkinId(0)), rest, 0),
            instance(2, 1, None, Vec::new(), skeleton.rest.morph_weights.len()),
        ],
        clips: vec![course_clip()],
        skeleton,
        ..ModelParts::default()
    };
    build(parts)
}

fn course_skeleton() -> Skeleton {
    let spacing = Tube::default().length / COURSE_JOINTS as f32;
    let mut transforms = vec![Transform { translation: Vec3::Y * spacing, ..Transform::IDENTITY }; 3 + COURSE_JOINTS];
    transforms[0] = Transform {
        translation: Vec3::new(0.5, -1.0, 2.0),
        rotation: Quat::from_rotation_z(0.4),
        scale: Vec3::new(1.5, 0.8, 1.1),
    };
    transforms[1].rotation = Quat::from_rotation_x(1.2);
    transforms[2].scale = Vec3::new(-0.5, 0.25, 0.5);
    transforms[3].translation = Vec3::ZERO;
    transforms[4].scale = Vec3::new(1.0, 1.3, 0.6);
    transforms[5].scale = Vec3::new(-1.0, 1.0, 1.0);
    transforms[5].rotation = Quat::from_rotation_y(0.7);
    let shear = Mat3A::from_cols_array(&[1.0, 0.2, 0.0, -0.3, 1.0, 0.1, 0.0, 0.0, 1.0]);
    let parent = |i: usize| match i {
        0 => None,
        1 | 3 => Some(NodeId(0)),
        _ => Some(NodeId::from_index(i - 1)),
    };
    let name = |i: usize| match i {
        0..3 => ["root", "mesh", "box"][i].to_owned(),
        _ => format!("joint {}", i - 3),
    };
    Skeleton {
        parents: (0..transforms.len()).map(parent).collect(),
        names: (0..transforms.len()).map(name).collect(),
        file_index: (0..transforms.len() as u32).collect(),
        rest: LocalPose { transforms, morph_weights: vec![0.25, 0.0], ..LocalPose::default() },
        residuals: vec![(NodeId(6), shear)],
        far: None,
    }
}

fn course_clip() -> Clip {
    let wave = |i: usize, phase: f32| (1.7 * i as f32 + phase).sin();
    let vector = |i: usize| Vec3::new(wave(i, 0.0), wave(i, 2.0), wave(i, 4.0));
    let moves = |n: usize| Values::Vec3((0..n).map(|i| vector(i) * 0.3).collect());
    let scales = |n: usize| Values::Vec3((0..n).map(|i| vector(i) * 0.3 + Vec3::ONE).collect());
    // Signs alternate, so that the shorter way between keys leads through -q.
    let turn = |i: usize| Quat::from_scaled_axis(vector(i) * 1.4) * if i.is_multiple_of(2) { 1.0 } else { -1.0 };
    let turns = |n: usize| Values::Quat((0..n).map(turn).collect());
    let tangents = |q: Quat, i: usize| [q * wave(i, 1.0), q, Quat::from_vec4(vector(i).extend(0.2))];
    let curves = |n: usize| {
        let keys = (0..n).map(|i| Quat::from_scaled_axis(vector(i)));
        Values::Quat(keys.enumerate().flat_map(|(i, q)| tangents(q, i)).collect())
    };
    let weights = |n: usize| Values::Weights { count: 2, values: (0..n * 2).map(|i| wave(i, 0.5)).collect() };
    let times = vec![vec![0.25, 0.5, 1.0, 1.75], vec![0.5, 1.5], vec![1.0]];
    let (step, linear, cubic) = (Interpolation::Step, Interpolation::Linear, Interpolation::CubicSpline);
    let table = [
        (0, Path::Translation, linear, 0, moves(4)),
        (0, Path::Scale, step, 1, Values::Vec3(vec![Vec3::new(1.5, 0.8, 1.1), Vec3::new(0.9, -1.2, 1.0)].into())),
        (1, Path::Weights, linear, 0, weights(4)),
        (3, Path::Rotation, linear, 0, turns(4)),
        (4, Path::Rotation, cubic, 0, curves(4)),
        (5, Path::Rotation, step, 0, turns(4)),
        (6, Path::Translation, cubic, 1, moves(6)),
        (7, Path::Scale, linear, 0, scales(4)),
        (8, Path::Scale, cubic, 1, scales(6)),
        (9, Path::Translation, step, 1, moves(2)),
        (9, Path::Rotation, linear, 1, turns(2)),
        (10, Path::Rotation, cubic, 2, curves(1)),
        (10, Path::Scale, linear, 2, scales(1)),
    ];
    let channel =
        |(sampler, row): (usize, &(u32, Path, _, _, _))| Channel { node: NodeId(row.0), path: row.1, sampler };
    Clip {
        name: "All kinds".into(),
        channels: table.iter().enumerate().map(channel).collect(),
        samplers: table.map(|(_, _, interpolation, times, values)| Sampler { times, interpolation, values }).to_vec(),
        times,
        start_secs: 0.25,
        end_secs: 1.75,
        ..Clip::default()
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
            let i = model.meshes[0].primitives[0].stored_influences.as_ref().unwrap();
            assert_eq!(i.as_stored().most_used(), influences);
            assert!(i.weights.chunks(i.per_vertex).all(|w| (w.iter().sum::<f32>() - 1.0).abs() < 1e-6));
        }
    }

    #[test]
    fn the_obstacle_course_holds_what_it_promises() {
        let model = obstacle_course();
        let [skinned, rigid] = &model.meshes[0].primitives[..] else { panic!("two primitives") };
        assert_eq!(skinned.stored_influences.as_ref().unwrap().as_stored().most_used(), 8);
        assert!(rigid.stored_influences.is_none() && rigid.normals.is_empty());
        let kinds: std::collections::BTreeSet<_> =
            model.clips[0].samplers.iter().map(|s| format!("{:?}", s.interpolation)).collect();
        assert_eq!(kinds.len(), 3);
        assert_eq!(model.palette_layout().rigid, [Some(8), Some(9)]);
        assert_eq!(model.palette_layout().instances, [0, 9]);
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
