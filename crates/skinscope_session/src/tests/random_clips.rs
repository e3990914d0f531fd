//! Clips of random rigs are taken to others that call their joints otherwise and rest in other axes, written into the file of these, and
//! read back. Where the joints must stand is computed here, in doubles and by the formulas of glTF 2.0, appendix C.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::{DAffine3, DQuat, DVec3};
use serde_json::{Value, json};
use skinscope_anim::pose::NameMap;
use skinscope_anim::{SampleScratch, local_to_model, sample};
use skinscope_edit::Sheet;
use skinscope_edit::writeback::{Recompression, patch};
use skinscope_import::{Options, Progress, import_bytes};
use skinscope_model::Model;

use crate::TakenClips;

/// How far a joint may be from its position, metres; axes of joints are compared at this distance from them.
const NEAR: f64 = 1e-5;
const NAMES: [&str; 9] = ["Hips", "Spine", "Neck", "Head", "LeftArm", "RightArm", "LeftHand", "LeftLeg", "RightFoot"];

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / f64::from(1_u32 << 24)
    }

    fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f64) as usize).min(n - 1)
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit()) * 2.0 - 1.0
    }

    fn turn(&mut self) -> DQuat {
        let axis = (self.vector() + DVec3::splat(1e-3)).normalize();
        DQuat::from_axis_angle(axis, 6.0 * self.unit())
    }
}

/// A tree of joints below a node that is none: where they stand at rest, and with which axes.
#[derive(Clone)]
struct Rig {
    names: Vec<String>,
    parents: Vec<Option<usize>>,
    positions: Vec<DVec3>,
    axes: Vec<DQuat>,
}

impl Rig {
    fn random(random: &mut Random) -> Self {
        let joints = 3 + random.below(NAMES.len() - 2);
        let mut out = Self {
            names: vec!["Armature".into()],
            parents: vec![None],
            positions: vec![DVec3::ZERO],
            axes: vec![DQuat::IDENTITY],
        };
        for (i, name) in (1..).zip(&NAMES[..joints]) {
            let parent = if i == 1 { 0 } else { 1 + random.below(i - 1) };
            out.names.push((*name).into());
            out.parents.push(Some(parent));
            out.positions.push(out.positions[parent] + random.vector() * 0.5 + DVec3::Y * 0.3);
            out.axes.push(random.turn());
        }
        out
    }

    /// Returns the same joints as another program has them: with other axes, and names in one of its spellings.
    fn elsewhere(&self, random: &mut Random) -> Self {
        let mut out = self.clone();
        let spelling = random.below(7);
        for i in 1..out.names.len() {
            out.names[i] = spelled(&self.names[i], spelling, i);
            out.axes[i] = random.turn();
        }
        out
    }

    /// Returns rotation and translation of a node against its parent.
    fn local(&self, i: usize) -> (DQuat, DVec3) {
        let (axes, position) =
            self.parents[i].map_or((DQuat::IDENTITY, DVec3::ZERO), |p| (self.axes[p], self.positions[p]));
        ((axes.inverse() * self.axes[i]).normalize(), axes.inverse() * (self.positions[i] - position))
    }

    /// Returns the file of the rig with the tracks as its clip `name`: a triangle that hangs on all joints.
    fn file(&self, name: &str, tracks: &[Track]) -> Vec<u8> {
        let mut buffer = Buffer::default();
        let joints = 1..self.names.len();
        let binds: Vec<f32> = joints
            .clone()
            .flat_map(|i| {
                let rest = DAffine3::from_rotation_translation(self.axes[i], self.positions[i]).inverse();
                glam::DMat4::from(rest).as_mat4().to_cols_array()
            })
            .collect();
        let binds = buffer.add("MAT4", &binds);
        let positions = buffer.add("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        let weights = buffer.add("VEC4", &[1.0, 0.0, 0.0, 0.0].repeat(3));
        let indices = buffer.add_joints(&[[0_u8, 0, 0, 0]; 3]);
        let nodes: Vec<Value> = (0..self.names.len())
            .map(|i| {
                let (rotation, translation) = self.local(i);
                let children: Vec<usize> = joints.clone().filter(|child| self.parents[*child] == Some(i)).collect();
                let mut node = json!({ "name": self.names[i], "rotation": rotation.as_quat().to_array(), "translation": translation.as_vec3().to_array() });
                if !children.is_empty() {
                    node["children"] = json!(children);
                }
                node
            })
            .chain([json!({ "name": "Body", "mesh": 0, "skin": 0 })])
            .collect();
        let mut samplers = Vec::new();
        for track in tracks {
            let (input, kind) = (buffer.add("SCALAR", &track.times), if track.turns { "VEC4" } else { "VEC3" });
            let output = buffer.add(kind, &track.values.concat());
            samplers.push(json!({ "input": input, "output": output, "interpolation": track.way }));
        }
        let path = |track: &Track| if track.turns { "rotation" } else { "translation" };
        let channel = |(i, track): (usize, &Track)| json!({ "sampler": i, "target": { "node": track.node, "path": path(track) } });
        let channels: Vec<Value> = tracks.iter().enumerate().map(channel).collect();
        let mut root = json!({
            "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0, self.names.len()] }], "nodes": nodes,
            "skins": [{ "joints": joints.collect::<Vec<_>>(), "inverseBindMatrices": binds }],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": positions, "JOINTS_0": indices, "WEIGHTS_0": weights } }] }],
            "accessors": buffer.accessors, "bufferViews": buffer.views,
            "buffers": [{
                "byteLength": buffer.bytes.len(),
                "uri": format!("data:application/octet-stream;base64,{}", STANDARD.encode(&buffer.bytes)),
            }],
        });
        root["accessors"][positions]["min"] = json!([0.0, 0.0, 0.0]);
        root["accessors"][positions]["max"] = json!([1.0, 1.0, 0.0]);
        if !tracks.is_empty() {
            root["animations"] = json!([{ "name": name, "samplers": samplers, "channels": channels }]);
        }
        root.to_string().into_bytes()
    }

    /// Returns where all nodes stand at a moment of the clip.
    fn posed(&self, tracks: &[Track], secs: f32) -> Vec<DAffine3> {
        let mut out: Vec<DAffine3> = Vec::new();
        for i in 0..self.names.len() {
            let (mut rotation, mut translation) = self.local(i);
            for track in tracks.iter().filter(|track| track.node == i) {
                let [x, y, z, w] = track.at(secs);
                match track.turns {
                    true => rotation = DQuat::from_xyzw(x, y, z, w).normalize(),
                    false => translation = DVec3::new(x, y, z),
                }
            }
            let own = DAffine3::from_rotation_translation(rotation, translation);
            out.push(self.parents[i].map_or(own, |parent| out[parent] * own));
        }
        out
    }
}

/// Returns a name as one of several programs writes it.
fn spelled(name: &str, spelling: usize, number: usize) -> String {
    let apart = |between: &str| {
        let mut out = String::new();
        for letter in name.chars() {
            if letter.is_uppercase() && !out.is_empty() {
                out.push_str(between);
            }
            out.push(letter);
        }
        out
    };
    match spelling {
        0 => name.to_owned(),
        1 => format!("mixamorig:{name}"),
        2 => format!("mixamorig1{name}"),
        3 => apart("_").to_lowercase(),
        4 => format!("{name}_{:02}", number + 2),
        5 => format!("Armature|{}", apart(" ")),
        _ => format!("Bip01 {}", apart(" ")),
    }
}

/// The keys of one property of a node.
struct Track {
    node: usize,
    /// Whether they are rotations, in place of translations.
    turns: bool,
    way: &'static str,
    times: Vec<f32>,
    /// A value for each key; with CUBICSPLINE the tangent before it, the value, and the tangent after it.
    values: Vec<Vec<f32>>,
}

impl Track {
    fn random(random: &mut Random, node: usize, turns: bool, rest: (DQuat, DVec3)) -> Self {
        let way = ["STEP", "LINEAR", "CUBICSPLINE"][random.below(3)];
        let mut secs = random.unit() as f32;
        let times: Vec<f32> = (0..2 + random.below(4))
            .map(|_| {
                secs += 0.1 + random.unit() as f32;
                secs
            })
            .collect();
        let per_key = if way == "CUBICSPLINE" { 3 } else { 1 };
        let mut value = |entry: usize| {
            let is_tangent = per_key == 3 && entry % 3 != 1;
            let numbers = match (turns, is_tangent) {
                (true, true) => random.vector().extend(random.unit() - 0.5).to_array().map(|v| 0.4 * v).to_vec(),
                (true, false) => (rest.0 * DQuat::IDENTITY.slerp(random.turn(), 0.4)).normalize().to_array().to_vec(),
                (false, true) => (random.vector() * 0.3).to_array().to_vec(),
                (false, false) => (rest.1 + random.vector() * 0.3).to_array().to_vec(),
            };
            numbers.into_iter().map(|v| v as f32).collect()
        };
        let values = (0..times.len() * per_key).map(&mut value).collect();
        Self { node, turns, way, times, values }
    }

    /// Returns the value at a moment; that of a translation has a 0 at its end.
    fn at(&self, secs: f32) -> [f64; 4] {
        let after = self.times.partition_point(|time| *time <= secs);
        let (last, cubic) = (self.times.len() - 1, self.way == "CUBICSPLINE");
        let entry = |i: usize| {
            let mut out = [0.0; 4];
            self.values[i].iter().zip(&mut out).for_each(|(v, out)| *out = f64::from(*v));
            out
        };
        let key = |i: usize| entry(if cubic { 3 * i + 1 } else { i });
        if after == 0 || after > last || self.way == "STEP" {
            return key(after.saturating_sub(1));
        }
        let [from, to] = [after - 1, after].map(|i| f64::from(self.times[i]));
        let (t, span) = ((f64::from(secs) - from) / (to - from), to - from);
        let sum = |all: &[(f64, [f64; 4])]| {
            std::array::from_fn(|i| all.iter().map(|(factor, value)| factor * value[i]).sum())
        };
        let (a, b) = (key(after - 1), key(after));
        if cubic {
            let (out, into) = (entry(3 * (after - 1) + 2), entry(3 * after));
            let (t2, t3) = (t * t, t * t * t);
            return sum(&[
                (2.0 * t3 - 3.0 * t2 + 1.0, a),
                (span * (t3 - 2.0 * t2 + t), out),
                (3.0 * t2 - 2.0 * t3, b),
                (span * (t3 - t2), into),
            ]);
        }
        if !self.turns {
            return sum(&[(1.0 - t, a), (t, b)]);
        }
        let dot: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        let angle = dot.abs().min(1.0).acos();
        if angle < 1e-9 {
            return a;
        }
        let of = |share: f64| (share * angle).sin() / angle.sin();
        sum(&[(of(1.0 - t), a), (of(t) * dot.signum(), b)])
    }
}

/// The bytes of a file, with the accessors in them.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    fn add(&mut self, kind: &str, numbers: &[f32]) -> usize {
        let each = match kind {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let of = |f: fn(f32, f32) -> f32| numbers.iter().copied().reduce(f).unwrap_or_default();
        let mut accessor = json!({ "componentType": 5126, "type": kind, "count": numbers.len() / each });
        if kind == "SCALAR" {
            (accessor["min"], accessor["max"]) = (json!([of(f32::min)]), json!([of(f32::max)]));
        }
        self.put(accessor, numbers.iter().flat_map(|v| v.to_le_bytes()).collect())
    }

    fn add_joints(&mut self, joints: &[[u8; 4]]) -> usize {
        let accessor = json!({ "componentType": 5121, "type": "VEC4", "count": joints.len() });
        self.put(accessor, joints.as_flattened().to_vec())
    }

    fn put(&mut self, mut accessor: Value, bytes: Vec<u8>) -> usize {
        accessor["bufferView"] = json!(self.views.len());
        self.views.push(json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() }));
        self.bytes.extend(bytes);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}

fn read(bytes: &[u8]) -> Arc<Model> {
    let read = import_bytes(bytes, "rig.gltf", &Options::default(), &Progress::silent()).unwrap();
    assert!(read.warnings.is_empty(), "{:?}", read.warnings);
    read.model
}

/// Returns where the nodes of a file stand at a moment of its last clip, in the order of the file.
fn shown(model: &Model, secs: f32) -> Vec<DAffine3> {
    let (mut pose, mut out) = (model.skeleton.rest.clone(), Vec::new());
    sample(model, model.clips.last().unwrap(), secs, &mut SampleScratch::default(), &mut pose);
    local_to_model(&model.skeleton, &pose, &mut out);
    let at = |i: usize| model.skeleton.file_index.iter().position(|index| *index as usize == i).unwrap();
    (0..out.len()).map(|i| DAffine3::from_mat4(glam::Mat4::from(out[at(i)]).as_dmat4())).collect()
}

#[test]
fn clips_of_random_rigs_are_the_same_in_the_files_of_others() {
    for seed in 0..80 {
        let random = &mut Random(seed);
        let plain = Rig::random(random);
        let (mut there, here) = (plain.elsewhere(random), plain.elsewhere(random));
        // Of one joint nobody can tell by its name which it is.
        let mut said = NameMap::default();
        if seed % 3 == 0 {
            let unknown = 1 + random.below(plain.names.len() - 1);
            there.names[unknown] = "Control".into();
            said.set("Control", Some(&here.names[unknown]));
        }
        let mut tracks = Vec::new();
        for node in 1..plain.names.len() {
            for (turns, share) in [(true, 0.8), (false, 0.3)] {
                if random.unit() < share || node == 1 && turns {
                    tracks.push(Track::random(random, node, turns, there.local(node)));
                }
            }
        }
        let own: Vec<Track> = (0..seed % 2).map(|_| Track::random(random, 1, true, here.local(1))).collect();
        let file = here.file("Own", &own);
        let (model, other) = (read(&file), read(&there.file("Move", &tracks)));
        let taken = TakenClips::of(&model, &other, "other.glb", &said).unwrap();
        assert_eq!((taken.lines(), taken.clips.len()), (Vec::new(), 1), "seed {seed}");
        let longer = Arc::new(taken.onto(&model).unwrap());
        let written = patch(&file, &Sheet::of(&longer), Recompression::None, &mut |_| None).unwrap().main.unwrap();
        let back = read(&written);
        assert_eq!((back.clips.len(), back.clips.last().unwrap().name.as_str()), (1 + own.len(), "Move"));
        let mut moments: Vec<f32> = tracks.iter().flat_map(|track| track.times.iter().copied()).collect();
        moments.extend(moments.clone().into_iter().map(f32::next_down));
        moments.extend((0..20).map(|_| 6.0 * random.unit() as f32));
        for secs in moments {
            let (wanted, got) = (there.posed(&tracks, secs), shown(&back, secs));
            for i in 1..wanted.len() {
                let axes = DAffine3::from_quat(there.axes[i].inverse() * here.axes[i]);
                for at in [DVec3::ZERO, DVec3::X, DVec3::Y] {
                    let (wanted, got) = ((wanted[i] * axes).transform_point3(at), got[i].transform_point3(at));
                    let name = &here.names[i];
                    assert!(wanted.distance(got) < NEAR, "seed {seed}, {name} at {secs} s: {got}, not {wanted}");
                }
            }
        }
    }
}
