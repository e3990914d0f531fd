//! A twin in f64 of sampling, forward kinematics, palettes and morphing. It is written from the definitions, shares no
//! code with the crate, and is compared with the f32 reference on procedural rigs. The result of a method is compared
//! with the method's own definition in f64 ([`deform::Method::exact`]); [`DEFINITIONS`] are further definitions,
//! written independently.
#![expect(clippy::unwrap_used, reason = "a test that finds nothing fails")]

use glam::{DAffine3, DMat3, DMat4, DQuat, DVec3, DVec4, Mat4, Vec3};
use skinscope::anim::{self, SampleScratch};
use skinscope::deform::{self, Deformation, Deformed, ExactInfluence, MethodInput};
use skinscope::math::Aabb;
use skinscope::model::test_shapes::{Tube, obstacle_course, tube};
use skinscope::model::{Clip, InstanceId, Interpolation, LocalPose, Model, NodeId, Path, Topology, Values};
use skinscope::parallel::JobContext;

/// A pose in f64.
#[derive(Clone)]
struct Pose {
    translation: Vec<DVec3>,
    rotation: Vec<DVec4>,
    scale: Vec<DVec3>,
    weights: Vec<f64>,
}

fn rest(model: &Model) -> Pose {
    let t = &model.skeleton.rest.transforms;
    Pose {
        translation: t.iter().map(|t| t.translation.as_dvec3()).collect(),
        rotation: t.iter().map(|t| DVec4::from(t.rotation.as_dquat())).collect(),
        scale: t.iter().map(|t| t.scale.as_dvec3()).collect(),
        weights: model.skeleton.rest.morph_weights.iter().map(|w| f64::from(*w)).collect(),
    }
}

/// Reads four numbers of entry `index` (key, or in-tangent, value, out-tangent); shorter values are padded with zeros.
fn entry(values: &Values, index: usize, part: usize) -> DVec4 {
    match values {
        Values::Vec3(v) => v.get(index).as_dvec3().extend(0.0),
        Values::Quat(q) => DVec4::from(q.get(index).as_dquat()),
        Values::Weights { count, values } => DVec4::splat(f64::from(values[index * count + part])),
    }
}

fn slerp(a: DVec4, b: DVec4, t: f64) -> DVec4 {
    let cos = a.dot(b) / (a.length() * b.length());
    let (b, cos) = if cos < 0.0 { (-b, -cos) } else { (b, cos) };
    let angle = cos.min(1.0).acos();
    if angle < 1e-9 {
        return a;
    }
    (a * ((1.0 - t) * angle).sin() + b * (t * angle).sin()) / angle.sin()
}

/// Appendix C of glTF 2.0.
fn interpolate(clip: &Clip, sampler: usize, time: f64, part: usize) -> DVec4 {
    let s = &clip.samplers[sampler];
    let times: Vec<f64> = clip.times[s.times].iter().map(|t| f64::from(*t)).collect();
    let cubic = s.interpolation == Interpolation::CubicSpline;
    let value = |key: usize| entry(&s.values, if cubic { key * 3 + 1 } else { key }, part);
    let last = times.len() - 1;
    if time <= times[0] {
        return value(0);
    }
    if time >= times[last] {
        return value(last);
    }
    let k = (0..last).find(|k| times[*k] <= time && time < times[k + 1]).unwrap();
    let span = times[k + 1] - times[k];
    let t = (time - times[k]) / span;
    match s.interpolation {
        Interpolation::Step => value(k),
        Interpolation::Linear if matches!(s.values, Values::Quat(_)) => slerp(value(k), value(k + 1), t),
        Interpolation::Linear => value(k) + (value(k + 1) - value(k)) * t,
        Interpolation::CubicSpline => {
            let out_tangent = entry(&s.values, k * 3 + 2, part) * span;
            let in_tangent = entry(&s.values, (k + 1) * 3, part) * span;
            let (t2, t3) = (t.powi(2), t.powi(3));
            value(k) * (2.0 * t3 - 3.0 * t2 + 1.0)
                + out_tangent * (t3 - 2.0 * t2 + t)
                + value(k + 1) * (-2.0 * t3 + 3.0 * t2)
                + in_tangent * (t3 - t2)
        }
    }
}

fn sample(model: &Model, clip: &Clip, time: f64) -> Pose {
    let mut pose = rest(model);
    for channel in &clip.channels {
        let (node, value) = (channel.node.index(), |part| interpolate(clip, channel.sampler, time, part));
        match channel.path {
            Path::Translation => pose.translation[node] = value(0).truncate(),
            Path::Scale => pose.scale[node] = value(0).truncate(),
            Path::Rotation => pose.rotation[node] = value(0).normalize(),
            Path::Weights => {
                let instance = model.instances.iter().find(|i| i.node == channel.node).unwrap();
                for i in 0..instance.morph_weights.len() {
                    pose.weights[instance.morph_offset + i] = value(i).x;
                }
            }
        }
    }
    pose
}

fn local(model: &Model, pose: &Pose, node: usize) -> DMat4 {
    let DVec4 { x, y, z, w } = pose.rotation[node].normalize();
    let r = DMat3::from_cols(
        DVec3::new(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
        DVec3::new(2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)),
        DVec3::new(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)),
    );
    let shear = model.skeleton.residuals.iter().find(|(n, _)| n.index() == node);
    let shear = shear.map_or(DMat3::IDENTITY, |(_, m)| m.as_dmat3());
    let mut m = DMat4::from_mat3(r * DMat3::from_diagonal(pose.scale[node]) * shear);
    m.w_axis = pose.translation[node].extend(1.0);
    m
}

fn global(model: &Model, pose: &Pose, node: NodeId) -> DMat4 {
    let here = local(model, pose, node.index());
    model.skeleton.parents[node.index()].map_or(here, |parent| global(model, pose, parent) * here)
}

/// Matrices and weights of one vertex.
fn movers(model: &Model, pose: &Pose, instance: usize, primitive: usize, vertex: usize) -> Vec<(DMat4, f64)> {
    let instance = &model.instances[instance];
    let p = &model.meshes[instance.mesh.index()].primitives[primitive];
    let (Some(skin), Some(influences)) = (instance.skin, &p.stored_influences) else {
        return vec![(global(model, pose, instance.node), 1.0)];
    };
    let skin = &model.skins[skin.index()];
    let (joints, weights) = influences.of(vertex);
    let matrix = |j: usize| global(model, pose, skin.joints[j]) * Mat4::from(skin.inverse_bind[j]).as_dmat4();
    joints.iter().zip(weights).map(|(j, w)| (matrix(usize::from(*j)), f64::from(*w))).collect()
}

/// Position, normal and tangent.
type Vertex = [DVec3; 3];

/// As the file has it, displaced.
fn morphed(model: &Model, pose: &Pose, instance: usize, primitive: usize, vertex: usize) -> Vertex {
    let instance = &model.instances[instance];
    let p = &model.meshes[instance.mesh.index()].primitives[primitive];
    let at = |list: &[Vec3]| list.get(vertex).map_or(DVec3::ZERO, |v| v.as_dvec3());
    let (mut position, mut normal) = (at(&p.positions), at(&p.normals));
    for (i, target) in p.morphs.iter().enumerate() {
        position += at(&target.positions) * pose.weights[instance.morph_offset + i];
        normal += at(&target.normals) * pose.weights[instance.morph_offset + i];
    }
    let tangent = p.tangents.get(vertex).map_or(DVec3::ZERO, |t| t.truncate().as_dvec3());
    [position, normal, tangent]
}

/// By a linear map and a shift.
fn moved(m: DMat3, by: DVec3, [position, normal, tangent]: Vertex) -> Vertex {
    let normal = m.inverse().transpose() * normal;
    [m * position + by, normal.normalize_or_zero(), (m * tangent).normalize_or_zero()]
}

/// By what `method` says of these influences, by joints with these numbers.
fn exact(method: &Deformation, input: &MethodInput, joints: &[u16], movers: &[(DMat4, f64)], v: Vertex) -> Vertex {
    let all: Vec<ExactInfluence> = joints
        .iter()
        .zip(movers)
        .map(|(joint, (m, w))| ExactInfluence {
            joint: usize::from(*joint),
            weight: *w,
            matrix: DAffine3::from_mat4(*m),
        })
        .collect();
    let exact = (method.exact)(&all, v[0], input);
    let [position, _, tangent] = moved(exact.map.matrix3, exact.map.translation, v);
    [position, exact.normal(v[1]), tangent]
}

/// A method's definition, written down independently: where influences take a position.
type Definition = fn(&[(DMat4, f64)], DVec3) -> DVec3;

/// By [`deform::Method::id`].
const DEFINITIONS: [(&str, Definition); 3] =
    [("linear", linear), ("dual-quaternion", dual_quaternion), ("mixed", mixed)];

/// Half of each.
fn mixed(movers: &[(DMat4, f64)], v: DVec3) -> DVec3 {
    (linear(movers, v) + dual_quaternion(movers, v)) * 0.5
}

fn linear(movers: &[(DMat4, f64)], v: DVec3) -> DVec3 {
    movers.iter().map(|(m, w)| m.transform_point3(v) * *w).sum()
}

/// Kavan et al. 2008 of the rigid motions that take the vertex where each joint takes it; the polar decomposition by plain
/// Newton steps.
fn dual_quaternion(movers: &[(DMat4, f64)], v: DVec3) -> DVec3 {
    let (mut real, mut dual) = (DVec4::ZERO, DVec4::ZERO);
    let mut first = None;
    for (m, w) in movers.iter().filter(|(_, w)| *w != 0.0) {
        let m3 = DMat3::from_mat4(*m);
        let mut r = m3 * m3.determinant().signum();
        for _ in 0..60 {
            r = (r + r.inverse().transpose()) * 0.5;
        }
        let q = DQuat::from_mat3(&r);
        // What turns by `r` and takes `v` to `m v`.
        let t = m.transform_point3(v) - r * v;
        let d = DQuat::from_xyzw(t.x * 0.5, t.y * 0.5, t.z * 0.5, 0.0) * q;
        let q4 = DVec4::from(q);
        let side = if q4.dot(*first.get_or_insert(q4)) < 0.0 { -1.0 } else { 1.0 };
        real += q4 * (w * side);
        dual += DVec4::from(d) * (w * side);
    }
    let q = DQuat::from_vec4(real).normalize();
    q * v + (DQuat::from_vec4(dual / real.length()) * q.inverse()).xyz() * 2.0
}

/// Normals of a primitive that stores none: of each triangle the cross product of its edges, turned to the side that
/// the inverse transpose would turn it to.
fn triangle_normals(model: &Model, pose: &Pose, instance: usize, primitive: usize, positions: &[DVec3]) -> Vec<DVec3> {
    let p = &model.meshes[model.instances[instance].mesh.index()].primitives[primitive];
    assert_eq!(p.topology, Topology::Triangles);
    let mut out = vec![DVec3::ZERO; positions.len()];
    for t in p.indices.chunks(3) {
        let [a, b, c] = [t[0], t[1], t[2]].map(|v| positions[v as usize]);
        let side = movers(model, pose, instance, primitive, t[0] as usize)[0].0.determinant().signum();
        for v in t {
            out[*v as usize] += (b - a).cross(c - a) * side;
        }
    }
    out.into_iter().map(DVec3::normalize_or_zero).collect()
}

/// Largest position error over the diagonal of the whole, largest angle between normals or tangents in degrees.
///
/// `model` is the one whose vertices the method deforms.
fn compare(model: &Model, pose: &LocalPose, twin: &Pose, method: Deformation) -> (f64, f64) {
    let (mut matrices, mut palettes, mut packed) = (Vec::new(), Vec::new(), Vec::new());
    anim::local_to_model(&model.skeleton, pose, &mut matrices);
    deform::palettes(model, &matrices, &mut palettes);
    deform::pack(&method, &palettes, &mut packed);
    let definition = DEFINITIONS.iter().find(|(id, _)| *id == method.id).map(|(_, definition)| definition);
    let mut got = Deformed::default();
    let (mut distance, mut turn, mut bounds) = (0.0_f64, 0.0_f64, Aabb::EMPTY);
    for (i, instance) in model.instances.iter().enumerate() {
        for (p, primitive) in model.meshes[instance.mesh.index()].primitives.iter().enumerate() {
            let id = InstanceId::from_index(i);
            deform::deform_primitive(model, id, p, &packed, &pose.morph_weights, method, &mut got);
            let (first, influences) = model.binding(id, p);
            let vectors = method.data.map_or(&[][..], |data| data.vectors_of(id, p));
            let one = |v| {
                let (movers, from) = (movers(model, twin, i, p, v), morphed(model, twin, i, p, v));
                let joints = influences.map_or(&[0][..], |influences| influences.of(v).0);
                let vector = vectors.get(v).copied().filter(|_| influences.is_some());
                let input = MethodInput { values: method.values, vector, matrices: &palettes[first as usize..] };
                let vertex = exact(&method, &input, joints, &movers, from);
                let again = definition.map_or(vertex[0], |definition| definition(&movers, from[0]));
                assert!(
                    again.distance(vertex[0]) < 1e-12 * (1.0 + again.length()),
                    "{}: {again} {vertex:?}",
                    method.id
                );
                vertex
            };
            let vertices: Vec<Vertex> = (0..primitive.vertex_count()).map(one).collect();
            let positions: Vec<DVec3> = vertices.iter().map(|v| v[0]).collect();
            let normals: Vec<DVec3> = match primitive.normals.is_empty() {
                true => triangle_normals(model, twin, i, p, &positions),
                false => vertices.iter().map(|v| v[1]).collect(),
            };
            for (v, want) in positions.iter().enumerate() {
                distance = distance.max((got.positions[v].as_dvec3() - want).length());
                let normal = got.normals[v].as_dvec3();
                assert!((normal.length() - 1.0).abs() < 1e-6 && normals[v].length() > 0.5);
                turn = turn.max(degrees(normal, normals[v]));
                if let Some(tangent) = got.tangents.get(v) {
                    turn = turn.max(degrees(tangent.truncate().as_dvec3(), vertices[v][2]));
                    let mirrored = movers(model, twin, i, p, v)[0].0.determinant() < 0.0;
                    assert_eq!(tangent.w, if mirrored { -1.0 } else { 1.0 });
                }
                bounds.include(want.as_vec3());
            }
        }
    }
    let framed = deform::bounds(model, &anim::drawn_at_rest(model, 0), &palettes, &pose.morph_weights, method);
    assert!((framed.min - bounds.min).length() + (framed.max - bounds.max).length() < 1e-5 * bounds.diagonal());
    (distance / f64::from(bounds.diagonal()), turn)
}

fn degrees(a: DVec3, b: DVec3) -> f64 {
    a.cross(b).length().atan2(a.dot(b)).to_degrees()
}

/// `tolerance`: of normals and tangents, degrees.
fn check(model: &Model, tolerance: f64) {
    let (mut pose, mut scratch) = (LocalPose::default(), SampleScratch::default());
    for row in deform::METHODS {
        let data = row.data.map(|source| (source.make)(model, &JobContext::of_waiting()).unwrap());
        let method = Deformation { data: data.as_ref(), ..Deformation::from(*row) };
        let split = data.as_ref().and_then(|data| data.split.as_ref());
        let model = split.map_or(model, |split| &split.model);
        let (mut worst, mut worst_turn) = (0.0_f64, 0.0_f64);
        for step in -2..=24 {
            let time = step as f32 * 0.083;
            anim::reset_to_rest(&model.skeleton, &mut pose);
            anim::sample(model, &model.clips[0], time, &mut scratch, &mut pose);
            let twin = sample(model, &model.clips[0], f64::from(time));
            let (distance, turn) = compare(model, &pose, &twin, method);
            worst = worst.max(distance);
            worst_turn = worst_turn.max(turn);
        }
        eprintln!("{} {}: {worst:.2e} of the diagonal, {worst_turn:.2e}°", model.source.name, method.id);
        assert!(worst < 1e-6, "{}: positions are {worst:e} off", method.id);
        assert!(worst_turn < tolerance, "{}: normals are {worst_turn}° off", method.id);
    }
}

#[test]
fn f32_follows_f64_on_tubes() {
    check(&tube(Tube { joints: 2, ..Tube::default() }), 1e-3);
    check(&tube(Tube { joints: 5, influences: 1, rings: 12, sides: 6, ..Tube::default() }), 1e-3);
    check(&tube(Tube { joints: 9, influences: 8, rings: 12, sides: 6, ..Tube::default() }), 1e-3);
}

#[test]
fn f32_follows_f64_through_the_obstacle_course() {
    // Where scales nearly flatten the surface its normals hang on the last digits.
    check(&obstacle_course(), 0.01);
}
