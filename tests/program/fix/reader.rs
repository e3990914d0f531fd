//! Reads what a file stores, with code that shares nothing with the program: every accessor as numbers, and the JSON
//! text.

use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

use crate::fix::made::{F32, Pairs, U8, U16};

/// A file taken apart.
pub struct File {
    pub text: String,
    pub root: Value,
    pub buffers: Vec<Vec<u8>>,
}

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

/// The chunks of a GLB: kind and bytes; and what follows the container.
pub fn chunks(bytes: &[u8]) -> (Vec<(usize, Vec<u8>)>, Vec<u8>) {
    let (length, mut at, mut out) = (word(bytes, 8), 12, Vec::new());
    while at < length {
        let size = word(bytes, at);
        assert!(size.is_multiple_of(4) && at + 8 + size <= length, "chunk of {size} at {at} of {length}");
        out.push((word(bytes, at + 4), bytes[at + 8..at + 8 + size].to_vec()));
        at += 8 + size;
    }
    (out, bytes[length..].to_vec())
}

impl File {
    pub fn open(path: &Path) -> Self {
        Self::of(std::fs::read(path).unwrap(), path.parent().unwrap())
    }

    /// Takes the bytes of a file apart; buffers in files of their own lie in a folder.
    pub fn of(bytes: Vec<u8>, folder: &Path) -> Self {
        let (text, bin) = if bytes.starts_with(b"glTF") {
            let (chunks, _) = chunks(&bytes);
            let text = String::from_utf8(chunks[0].1.clone()).unwrap();
            (text, chunks.iter().find(|c| c.0 == 0x004E_4942).map(|c| c.1.clone()))
        } else {
            (String::from_utf8(bytes).unwrap(), None)
        };
        let mut root: Value = serde_json::from_str(text.trim_end()).unwrap();
        write_integers(&mut root);
        let buffer = |buffer: &Value| {
            let length = buffer["byteLength"].as_u64().unwrap() as usize;
            let all = match buffer["uri"].as_str() {
                None => bin.clone().unwrap_or_default(),
                Some(uri) if uri.starts_with("data:") => {
                    BASE64_STANDARD.decode(uri.split_once(',').unwrap().1).unwrap()
                }
                Some(uri) => {
                    let name = percent_encoding::percent_decode_str(uri).decode_utf8().unwrap();
                    std::fs::read(folder.join(name.as_ref())).unwrap_or_default()
                }
            };
            let fallback = all.len() < length;
            if fallback { Vec::new() } else { all[..length].to_vec() }
        };
        let buffers = root["buffers"].as_array().map(|b| b.iter().map(buffer).collect()).unwrap_or_default();
        Self { text, root, buffers }
    }

    fn list(&self, key: &str) -> usize {
        self.root[key].as_array().map_or(0, Vec::len)
    }

    pub fn accessors(&self) -> usize {
        self.list("accessors")
    }

    /// The bytes of each element of an accessor; `None`: compressed.
    pub fn elements(&self, accessor: usize) -> Option<Vec<Vec<u8>>> {
        let accessor = &self.root["accessors"][accessor];
        let component = accessor["componentType"].as_u64().unwrap() as u32;
        let width = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let size = width * bytes_of(component);
        let count = accessor["count"].as_u64().unwrap() as usize;
        let mut out = match accessor["bufferView"].as_u64() {
            None => vec![vec![0; size]; count],
            Some(_) => self.strided(accessor, size, count)?,
        };
        if !accessor["sparse"].is_null() {
            let (at, by) = (&accessor["sparse"]["indices"], &accessor["sparse"]["values"]);
            let replaced = accessor["sparse"]["count"].as_u64().unwrap() as usize;
            let wide = bytes_of(at["componentType"].as_u64().unwrap() as u32);
            for (index, value) in self.strided(at, wide, replaced)?.iter().zip(self.strided(by, size, replaced)?) {
                let index = index.iter().rev().fold(0, |n, b| n << 8 | usize::from(*b));
                out[index] = value;
            }
        }
        Some(out)
    }

    fn strided(&self, place: &Value, size: usize, count: usize) -> Option<Vec<Vec<u8>>> {
        let view = &self.root["bufferViews"][place["bufferView"].as_u64()? as usize];
        if !view["extensions"].is_null() {
            return None;
        }
        let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
        let (start, length) = (number(&view["byteOffset"]), number(&view["byteLength"]));
        let bytes = &self.buffers[number(&view["buffer"])][start..start + length];
        let stride = view["byteStride"].as_u64().map_or(size, |s| s as usize);
        Some((0..count).map(|i| bytes[number(&place["byteOffset"]) + i * stride..][..size].to_vec()).collect())
    }

    pub fn component(&self, accessor: usize) -> u32 {
        self.root["accessors"][accessor]["componentType"].as_u64().unwrap() as u32
    }

    /// Writes a component of an element into the bytes of the GLB that this was read from.
    pub fn put(&self, bytes: &mut [u8], accessor: usize, element: usize, component: usize, new: &[u8]) {
        let (json, place) = (word(bytes, 12), &self.root["accessors"][accessor]);
        let view = &self.root["bufferViews"][place["bufferView"].as_u64().unwrap() as usize];
        let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
        let stride = view["byteStride"].as_u64().map_or(4 * new.len(), |s| s as usize);
        let start = 20 + json + 8 + number(&view["byteOffset"]) + number(&place["byteOffset"]);
        bytes[start + element * stride + component * new.len()..][..new.len()].copy_from_slice(new);
    }

    pub fn attribute(&self, mesh: usize, primitive: usize, name: &str) -> Option<usize> {
        self.root["meshes"][mesh]["primitives"][primitive]["attributes"][name].as_u64().map(|a| a as usize)
    }

    /// Every primitive that has joints: mesh and number.
    pub fn skinned(&self) -> Vec<(usize, usize)> {
        let mut out = Vec::new();
        for mesh in 0..self.list("meshes") {
            for primitive in 0..self.root["meshes"][mesh]["primitives"].as_array().unwrap().len() {
                out.extend(self.attribute(mesh, primitive, "JOINTS_0").map(|_| (mesh, primitive)));
            }
        }
        out
    }

    /// The pairs of a primitive as stored; `None`: compressed.
    pub fn pairs(&self, mesh: usize, primitive: usize) -> Option<Pairs> {
        let sets = (0..).take_while(|n| self.attribute(mesh, primitive, &format!("WEIGHTS_{n}")).is_some()).count();
        let mut lists = Vec::new();
        let mut component = 0;
        for set in 0..sets {
            let of = |name: &str| self.attribute(mesh, primitive, &format!("{name}_{set}"));
            let (joints, weights) = (of("JOINTS")?, of("WEIGHTS")?);
            let types = [joints, weights].map(|a| self.root["accessors"][a]["componentType"].as_u64().unwrap() as u32);
            component = types[1];
            lists.push([(self.elements(joints)?, types[0]), (self.elements(weights)?, types[1])]);
        }
        let mut out = Pairs { slots: sets * 4, component, joints: Vec::new(), numbers: Vec::new() };
        for vertex in 0..lists[0][0].0.len() {
            for [(joints, of_joints), (weights, of_weights)] in &lists {
                out.joints.extend(numbers(&joints[vertex], *of_joints).iter().map(|n| *n as u16));
                out.numbers.extend(numbers(&weights[vertex], *of_weights));
            }
        }
        Some(out)
    }
}

/// Writes numbers without a fraction, such as `5126.0` and `1e2`, as the integers that they are.
fn write_integers(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(write_integers),
        Value::Object(fields) => fields.values_mut().for_each(write_integers),
        Value::Number(number) => {
            let whole = number.as_f64().filter(|n| number.is_f64() && n.fract() == 0.0 && (0.0..9e15).contains(n));
            *value = whole.map_or_else(|| value.clone(), |n| (n as u64).into());
        }
        _ => {}
    }
}

pub fn bytes_of(component: u32) -> usize {
    match component {
        5120 | U8 => 1,
        5122 | U16 => 2,
        _ => 4,
    }
}

pub fn numbers(bytes: &[u8], component: u32) -> Vec<f64> {
    let one = |b: &[u8]| match component {
        U8 => f64::from(b[0]),
        U16 => f64::from(u16::from_le_bytes([b[0], b[1]])),
        F32 => f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        _ => f64::NAN,
    };
    bytes.chunks_exact(bytes_of(component)).map(one).collect()
}

/// The paths at which two JSON values differ.
pub fn differences(a: &Value, b: &Value) -> Vec<String> {
    let mut out = Vec::new();
    differ(a, b, String::new(), &mut out);
    out
}

fn differ(a: &Value, b: &Value, path: String, out: &mut Vec<String>) {
    match (a, b) {
        (Value::Object(x), Value::Object(y)) => {
            let keys: std::collections::BTreeSet<&String> = x.keys().chain(y.keys()).collect();
            for key in keys {
                differ(&a[key.as_str()], &b[key.as_str()], format!("{path}/{key}"), out);
            }
        }
        (Value::Array(x), Value::Array(y)) => {
            for i in 0..x.len().max(y.len()) {
                differ(x.get(i).unwrap_or(&Value::Null), y.get(i).unwrap_or(&Value::Null), format!("{path}/{i}"), out);
            }
        }
        _ if a != b => out.push(path),
        _ => {}
    }
}
