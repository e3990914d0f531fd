//! From skeleton, surface and clips to the bytes of a GLB.

use std::collections::BTreeMap;

use glam::{Mat4, Quat, Vec3};
use serde_json::{Value, json};
use skinscope_export::glb::{Elements, GlbError, GlbWriter};

use crate::clips::Clip;
use crate::keys::Path;
use crate::mesh::{Mesh, Paint};
use crate::sdf::gradient;
use crate::skeleton::{Joint, Skeleton};

/// Most influences of a vertex.
const INFLUENCES: usize = 4;

/// Triangles of one material with their own vertices.
#[derive(Default)]
pub struct Part {
    pub positions: Vec<Vec3>,
    pub normals: Vec<Vec3>,
    pub joints: Vec<[u16; INFLUENCES]>,
    /// Fractions of 65 535 that sum to it.
    pub weights: Vec<[u16; INFLUENCES]>,
    pub indices: Vec<u32>,
}

/// The bytes of the file.
///
/// # Errors
/// What the writer refuses: it would be a mistake of this generator.
pub fn write(skeleton: &Skeleton, meshes: &[Mesh], clips: &[Clip]) -> Result<Vec<u8>, GlbError> {
    let mut writer = GlbWriter::new();
    let paints = [Paint::Shell, Paint::Accent, Paint::Joint, Paint::Visor, Paint::Light];
    let primitives: Vec<Value> = paints
        .iter()
        .enumerate()
        .map(|(m, paint)| primitive(&mut writer, &part(skeleton, meshes, *paint), m))
        .collect();
    let binds: Vec<Mat4> = (0..skeleton.joints.len()).map(|j| Mat4::from(skeleton.inverse_bind(j))).collect();
    let binds = writer.push(Elements::Matrices(&binds));
    let animations: Vec<Value> = clips.iter().map(|c| animation(&mut writer, c)).collect();
    let document = json!({
        "asset": { "generator": "skinscope make_assets", "copyright": "The Skinscope authors, MIT OR Apache-2.0" },
        "scene": 0,
        "scenes": [{ "name": "Character", "nodes": [0, 1] }],
        "nodes": nodes(skeleton),
        "meshes": [{ "name": "Body", "primitives": primitives }],
        "skins": [{
            "name": "Armature", "inverseBindMatrices": binds, "skeleton": FIRST_JOINT,
            "joints": (0..skeleton.joints.len()).map(|j| j + FIRST_JOINT).collect::<Vec<_>>(),
        }],
        "materials": materials(),
        "animations": animations,
    });
    writer.finish(document.as_object().cloned().unwrap_or_default())
}

/// Node 0 is the armature, node 1 the surface.
const FIRST_JOINT: usize = 2;

fn nodes(skeleton: &Skeleton) -> Vec<Value> {
    let mut out = vec![
        json!({ "name": "Armature", "children": [FIRST_JOINT] }),
        json!({ "name": "Character", "mesh": 0, "skin": 0 }),
    ];
    for (j, joint) in skeleton.joints.iter().enumerate() {
        let mut node = json!({ "name": joint.name, "translation": skeleton.local_translation(j).to_array() });
        let rotation = skeleton.local_rotation(j);
        if rotation.angle_between(Quat::IDENTITY) > 1e-4 {
            node["rotation"] = json!(rotation.to_array());
        }
        let is_child = |(i, o): (usize, &Joint)| (o.parent == Some(j)).then_some(i + FIRST_JOINT);
        let children: Vec<usize> = skeleton.joints.iter().enumerate().filter_map(is_child).collect();
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        out.push(node);
    }
    out
}

fn materials() -> Value {
    let material = |name: &str, color: [f32; 3], roughness: f32| {
        json!({ "name": name, "pbrMetallicRoughness": {
            "baseColorFactor": [color[0], color[1], color[2], 1.0], "metallicFactor": 0.0, "roughnessFactor": roughness,
        }})
    };
    let mut light = material("Light", [0.35, 0.85, 0.95], 0.4);
    light["emissiveFactor"] = json!([0.30, 0.80, 0.95]);
    json!([
        material("Shell", [0.80, 0.78, 0.74], 0.5),
        material("Accent", [0.84, 0.19, 0.085], 0.55),
        material("Joint", [0.045, 0.05, 0.06], 0.7),
        material("Visor", [0.010, 0.012, 0.016], 0.18),
        light,
    ])
}

/// The faces of one colour.
fn part(skeleton: &Skeleton, meshes: &[Mesh], paint: Paint) -> Part {
    let mut out = Part::default();
    for mesh in meshes {
        out.add(skeleton, mesh, paint);
    }
    out
}

impl Part {
    fn add(&mut self, skeleton: &Skeleton, mesh: &Mesh, paint: Paint) {
        let mut index: BTreeMap<usize, u32> = BTreeMap::new();
        for face in mesh.all_faces().filter(|f| f.paint == paint) {
            let corners = face.corners.map(|v| {
                *index.entry(v).or_insert_with(|| {
                    let (joints, weights) = influences(&mesh.weights[v], skeleton);
                    self.positions.push(mesh.positions[v]);
                    self.normals.push(gradient(mesh.solid, mesh.positions[v]).normalize());
                    self.joints.push(joints);
                    self.weights.push(weights);
                    self.positions.len() as u32 - 1
                })
            });
            let [a, b, c, d] = corners;
            let [pa, pb, pc, pd] = face.corners.map(|v| mesh.positions[v]);
            if pa.distance_squared(pc) <= pb.distance_squared(pd) {
                self.indices.extend([a, b, c, a, c, d]);
            } else {
                self.indices.extend([b, c, d, b, d, a]);
            }
        }
    }
}

/// The largest weights, as fractions of 65 535 whose sum is exact.
fn influences(weights: &[f32], skeleton: &Skeleton) -> ([u16; INFLUENCES], [u16; INFLUENCES]) {
    // Taken off every weight, so that faint ones end in nothing without a step, and limbs belong to one joint.
    const LEAST: f32 = 0.05;
    let mut all: Vec<(usize, f32)> = weights.iter().map(|w| w - LEAST).enumerate().filter(|(_, w)| *w > 1e-4).collect();
    // Middle joints before sides where weights are equal, so that mirrored vertices choose alike.
    all.sort_by(|a, b| {
        b.1.total_cmp(&a.1).then((skeleton.joints[a.0].mirror != a.0).cmp(&(skeleton.joints[b.0].mirror != b.0)))
    });
    all.truncate(INFLUENCES);
    let sum: f32 = all.iter().map(|(_, w)| w).sum();
    let (mut joints, mut fixed) = ([0; INFLUENCES], [0_u16; INFLUENCES]);
    for (slot, (joint, w)) in all.iter().enumerate() {
        joints[slot] = *joint as u16;
        fixed[slot] = (w / sum * 65_535.0).round() as u16;
    }
    let rest: i32 = 65_535 - fixed.iter().map(|w| i32::from(*w)).sum::<i32>();
    fixed[0] = (i32::from(fixed[0]) + rest) as u16;
    (joints, fixed)
}

fn primitive(writer: &mut GlbWriter, part: &Part, material: usize) -> Value {
    json!({
        "attributes": {
            "POSITION": writer.push(Elements::Attribute3(&part.positions)),
            "NORMAL": writer.push(Elements::Attribute3(&part.normals)),
            "JOINTS_0": writer.push(Elements::Joints(&part.joints)),
            "WEIGHTS_0": writer.push(Elements::Weights(&part.weights)),
        },
        "indices": writer.push(Elements::Indices(&part.indices)),
        "material": material,
    })
}

fn animation(writer: &mut GlbWriter, clip: &Clip) -> Value {
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    let mut inputs: Vec<(&[f32], usize)> = Vec::new();
    for track in &clip.tracks {
        let known = inputs.iter().find(|(times, _)| *times == track.times);
        let input = known.map_or_else(|| writer.push(Elements::Scalars(&track.times)), |(_, index)| *index);
        inputs.push((&track.times, input));
        let (path, output) = match track.path {
            Path::Translation | Path::Scale => {
                let values: Vec<Vec3> = track.values.iter().map(|v| v.truncate()).collect();
                let path = if track.path == Path::Scale { "scale" } else { "translation" };
                (path, writer.push(Elements::Vec3s(&values)))
            }
            Path::Rotation => {
                let values: Vec<Quat> = track.values.iter().map(|v| Quat::from_vec4(*v)).collect();
                ("rotation", writer.push(Elements::Quats(&values)))
            }
        };
        let node = track.joint + FIRST_JOINT;
        channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
        let interpolation = if track.splines { "CUBICSPLINE" } else { "LINEAR" };
        samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
    }
    json!({ "name": clip.name, "samplers": samplers, "channels": channels })
}
