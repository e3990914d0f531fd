//! Compares every method with an independent implementation on real models (`corpus/methods`; numpy in double
//! precision).
//!
//! The corpus is outside the repository: `SKINSCOPE_CORPUS`, else `../shared/corpus`. Without it this is skipped.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{Affine3A, DMat3, DVec3, Quat, Vec3};
use skinscope::anim::{self, SampleScratch};
use skinscope::deform::{self, Deformation, METHODS, NORMAL_MODES, PASSES, ParameterSettings, Surface, SurfaceInput};
use skinscope::export::{BakedPrimitive, baked_surface};
use skinscope::inspect::{Explanation, PosedModel, VertexRef};
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{InstanceId, LocalPose, MeshId, Model};

use crate::common;
use crate::common::methods_index::{Pose, ROUNDED, methods_index};
use crate::common::{floats, open};

/// The error that is allowed after delta mush, as a share of the diagonal.
const MUSH: f64 = 1e-4;
/// The angle that is allowed between normals, degrees.
const NORMAL: f64 = 0.1;
/// What is allowed of the diagonal for [`ROUNDED`].
const ROUNDED_ERROR: f64 = 1e-3;

/// All methods, and those that the reference has with a pass after them.
fn all() -> Vec<(String, Deformation<'static>)> {
    let settings = ParameterSettings::default();
    let alone = METHODS.iter().map(|method| (method.id.to_owned(), Deformation::from(*method)));
    let mushed = ["linear", "dual-quaternion"]
        .iter()
        .filter_map(|id| deform::method(id))
        .flat_map(|method| PASSES.iter().map(move |pass| (format!("{}+{}", method.id, pass.id), method, *pass)));
    let mushed = mushed.map(|(id, method, pass)| (id, Deformation::from(method).then(pass, &settings)));
    alone.chain(mushed).collect()
}

fn surface(model: &Model, pose: &Pose, method: Deformation<'_>) -> Vec<BakedPrimitive> {
    let mut local = LocalPose::default();
    anim::reset_to_rest(&model.skeleton, &mut local);
    anim::sample(model, &model.clips[pose.clip], pose.time, &mut SampleScratch::default(), &mut local);
    let out = baked_surface(model, &anim::drawn_at_rest(model, model.default_scene), &local, method);
    let got: Vec<usize> = out.iter().map(|p| p.positions.len()).collect();
    let want: Vec<usize> = pose.primitives.iter().map(|p| p.vertices).collect();
    assert!(method.id == "rigid" || got == want, "{}: vertices of each primitive", pose.model);
    out
}

fn vectors(data: &[f32], offset: usize, count: usize) -> impl Iterator<Item = Vec3> {
    data[offset..offset + 3 * count].as_chunks().0.iter().map(|v| Vec3::from_array(*v))
}

fn degrees(a: Vec3, b: Vec3) -> f64 {
    let (a, b) = (a.as_dvec3(), b.as_dvec3());
    a.cross(b).length().atan2(a.dot(b)).to_degrees()
}

#[test]
fn every_method_is_where_the_reference_has_it() {
    let Some(corpus) = common::corpus() else { return };
    let folder = corpus.join("methods");
    let index = methods_index(&corpus);
    let mut models: BTreeMap<&str, Arc<Model>> = BTreeMap::new();
    let mut compared = 0;
    for pose in &index.poses {
        let model = models.entry(&pose.model).or_insert_with(|| open(&corpus, &pose.model));
        let data = floats(&folder.join(&pose.file));
        for (id, deformation) in all() {
            let method = deformation.method;
            let name = format!("{} {} s, {id}", pose.model, pose.time);
            // The reference may lack a method that is newer than it.
            let Some(offset) = pose.positions.get(&id) else { continue };
            let surface = surface(model, pose, deformation);
            // A method that has vertices in several places is compared by the corners of triangles.
            let by_corner = method.id == "rigid";
            let corners: Vec<Vec3> =
                surface.iter().flat_map(|p| p.indices.iter().map(|i| p.positions[*i as usize])).collect();
            let places: Vec<Vec3> = surface.iter().flat_map(|p| p.positions.iter().copied()).collect();
            let got = if by_corner { corners } else { places };
            let count = if by_corner { 3 * pose.triangles } else { pose.vertices };
            assert_eq!(got.len(), count, "{name}");
            let off = got.iter().zip(vectors(&data, *offset, count)).map(|(got, want)| {
                let off = got.as_dvec3().distance(want.as_dvec3()) / pose.diagonal;
                if off.is_finite() { off } else { f64::INFINITY }
            });
            let worst = off.fold(0.0, f64::max);
            let mut turned = 0.0_f64;
            if let Some(offset) = pose.normals.get(&id) {
                let got = surface.iter().flat_map(|p| &p.normals);
                let pairs = got.zip(vectors(&data, *offset, pose.vertices));
                turned = pairs.map(|(got, want)| degrees(*got, want)).fold(0.0, f64::max);
            }
            eprintln!("{name:48} {worst:9.2e} of the diagonal, {turned:.4}°");
            let allowed = if deformation.pass.is_some() { MUSH } else { method.expects.reference_error };
            let allowed = if pose.model == ROUNDED { ROUNDED_ERROR } else { allowed };
            assert!(worst <= allowed, "{name}: {worst:e} of the diagonal off");
            assert!(turned <= NORMAL, "{name}: normals {turned}° off");
            compared += 1;
        }
    }
    let known = index.poses.iter().map(|pose| pose.positions.len()).sum::<usize>();
    assert!(compared == known && known > 100, "{compared} surfaces of {known}");
}

#[test]
fn normals_of_linear_blending_are_those_of_the_reference_in_every_mode() {
    let Some(corpus) = common::corpus() else { return };
    let folder = corpus.join("methods");
    let index = methods_index(&corpus);
    let mut compared = 0;
    for pose in index.poses.iter().filter(|pose| !pose.normal_modes.is_empty()) {
        let (model, data) = (open(&corpus, &pose.model), floats(&folder.join(&pose.file)));
        for mode in NORMAL_MODES {
            let surface = surface(&model, pose, Deformation { normals: mode, ..METHODS[0].into() });
            let got = surface.iter().flat_map(|p| &p.normals);
            let pairs = got.zip(vectors(&data, pose.normal_modes[mode.id], pose.vertices));
            let turned = pairs.map(|(got, want)| degrees(*got, want)).fold(0.0, f64::max);
            eprintln!("{} {} s, {:28} {turned:.4}°", pose.model, pose.time, mode.id);
            assert!(turned <= NORMAL, "{} {} s, {}: {turned}° off", pose.model, pose.time, mode.id);
            compared += 1;
        }
    }
    assert!(compared >= 4 * NORMAL_MODES.len(), "only {compared}");
}

/// The other form of the weighted sum (Larsen et al. 2001, eq. 2 and 3): every vertex of the corpus's poses stands where the
/// quaternions and places of its joints have it, as the matrices that draw it say.
#[test]
fn a_sum_of_quaternions_is_where_the_matrices_have_each_vertex() {
    let Some(corpus) = common::corpus() else { return };
    let (mut compared, mut models) = (0, BTreeMap::new());
    for pose in &methods_index(&corpus).poses {
        let model: &Arc<Model> = models.entry(pose.model.clone()).or_insert_with(|| open(&corpus, &pose.model));
        let mut local = LocalPose::default();
        anim::reset_to_rest(&model.skeleton, &mut local);
        anim::sample(model, &model.clips[pose.clip], pose.time, &mut SampleScratch::default(), &mut local);
        let (mut matrices, mut palettes) = (Vec::new(), Vec::new());
        anim::local_to_model(&model.skeleton, &local, &mut matrices);
        deform::palettes(model, &matrices, &mut palettes);
        let (morph_weights, method) = (&local.morph_weights, METHODS[0].into());
        let posed = PosedModel { model, palettes: &palettes, morph_weights, method, surface: None };
        let (mut worst, mut without) = (0.0_f64, 0);
        for instance in anim::drawn_at_rest(model, model.default_scene) {
            let primitives = &model.meshes[model.instances[instance.index()].mesh.index()].primitives;
            for (primitive, source) in primitives.iter().enumerate() {
                for vertex in 0..source.positions.len() {
                    let said = Explanation::of(&posed, VertexRef { instance, primitive, vertex }, 0).unwrap();
                    let Some(sum) = said.quaternion_sum() else {
                        without += 1;
                        continue;
                    };
                    worst = worst.max(sum.distance(said.position) / pose.diagonal);
                    compared += 1;
                }
            }
        }
        eprintln!("{} {} s: {worst:.2e} of the diagonal, {without} vertices without", pose.model, pose.time);
        assert!(worst <= 1e-6, "{} {} s: {worst:e} of the diagonal", pose.model, pose.time);
        assert_eq!(without, 0, "{} {} s: no joint of the corpus shears or mirrors", pose.model, pose.time);
    }
    assert!(compared > 10_000, "only {compared}");
}

/// The models of the reference do not scale, where several formulas are one. Here two joints scale unevenly, and then mirror too.
#[test]
fn every_mode_of_normals_follows_its_formula_where_joints_scale_unevenly_and_mirror() {
    let model = tube(Tube { joints: 2, rings: 9, sides: 12, influences: 2, ..Tube::default() });
    let (source, influences) = (&model.meshes[0].primitives[0], model.influences(MeshId(0), 0).unwrap());
    let axis = Vec3::new(1.0, 2.0, -1.0).normalize();
    for side in [1.0, -1.0] {
        let joint = |x: f32, y: f32, z: f32, angle: f32| {
            let turn = Quat::from_axis_angle(axis, angle);
            Affine3A::from_scale_rotation_translation(Vec3::new(side * x, y, z), turn, Vec3::new(x, 0.0, y))
        };
        let palettes = [joint(2.0, 0.5, 1.5, 0.4), joint(0.3, 1.0, 4.0, 0.9)];
        let double = palettes.map(|m| DMat3::from_cols_array(&m.matrix3.to_cols_array().map(f64::from)));
        let carrier = double.map(|a| a.inverse().transpose());
        let blend = |vertex: usize| {
            let (joints, weights) = influences.of(vertex);
            joints.iter().zip(weights).fold(DMat3::ZERO, |sum, (j, w)| sum + double[usize::from(*j)] * f64::from(*w))
        };
        for mode in NORMAL_MODES {
            let method = Deformation { normals: mode, ..METHODS[0].into() };
            let draws = [InstanceId(0)];
            let input = SurfaceInput { model: &model, draws: &draws, palettes: &palettes, morph_weights: &[], method };
            let posed = &Surface::of(&input).parts[0].deformed;
            let mut blended = 0;
            for (vertex, normal) in source.normals.iter().enumerate() {
                let n = normal.as_dvec3();
                let (joints, weights) = influences.of(vertex);
                let sum = |of: &dyn Fn(usize) -> DVec3| -> DVec3 {
                    joints.iter().zip(weights).map(|(j, w)| of(usize::from(*j)) * f64::from(*w)).sum()
                };
                let want = match mode.id {
                    "cofactor" => blend(vertex).inverse().transpose() * n,
                    "blended-inverse-transpose" => sum(&|j| carrier[j] * n),
                    "normalise-before-blend" => sum(&|j| (carrier[j] * n).normalize()),
                    "rotation-only" => sum(&|j| double[j] * n),
                    "largest-weight" => {
                        let of = |joint: u16| {
                            joints.iter().zip(weights).filter(|(j, _)| **j == joint).map(|(_, w)| *w).sum::<f32>()
                        };
                        let first = joints.iter().copied().rev().max_by(|a, b| of(*a).total_cmp(&of(*b))).unwrap();
                        carrier[usize::from(first)] * n
                    }
                    "from-triangles" => {
                        let is_here = |v: &u32| {
                            let v = *v as usize;
                            source.positions[v] == source.positions[vertex] && source.normals[v] == *normal
                        };
                        let around = source.indices.as_chunks::<3>().0.iter().filter(|t| t.iter().any(is_here));
                        let cross = around.map(|t| {
                            let [a, b, c] = t.map(|v| posed.positions[v as usize].as_dvec3());
                            let mirrored = t.iter().filter(|v| blend(**v as usize).determinant() < 0.0).count() >= 2;
                            (b - a).cross(c - a) * if mirrored { -1.0 } else { 1.0 }
                        });
                        cross.sum()
                    }
                    other => panic!("{other} has no formula here"),
                };
                let off = degrees(posed.normals[vertex], want.normalize().as_vec3());
                assert!(off < 0.05, "{}, side {side}, vertex {vertex}: {off}°", mode.id);
                blended += usize::from(weights.iter().filter(|w| **w > 0.1).count() == 2);
            }
            assert!(blended > 20, "only {blended} vertices follow both joints");
        }
    }
}
