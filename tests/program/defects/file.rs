//! Reads and writes just enough of a glTF file to plant a defect into its bytes: accessors as columns of numbers.
//!
//! It shares no code with the importer. New data goes to the end of the buffer, as a new accessor with a view of its
//! own, so that nothing else of the file changes.

use serde_json::{Value, json};

use super::document::Document;

pub const U8: u32 = 5121;
pub const U16: u32 = 5123;
pub const U32: u32 = 5125;
pub const F32: u32 = 5126;

/// The numbers of an accessor as stored: integers stay integers, also where they are normalised.
#[derive(Clone, Debug)]
pub struct Column {
    pub component: u32,
    pub normalized: bool,
    /// Numbers in an element.
    pub width: usize,
    pub values: Vec<f64>,
}

impl Column {
    pub fn new(component: u32, width: usize, values: Vec<f64>) -> Self {
        Self { component, normalized: false, width, values }
    }

    pub fn count(&self) -> usize {
        self.values.len() / self.width
    }

    fn bytes(&self) -> Vec<u8> {
        let number = |v: &f64| match self.component {
            U8 => vec![*v as u8],
            U16 => (*v as u16).to_le_bytes().to_vec(),
            U32 => (*v as u32).to_le_bytes().to_vec(),
            _ => (*v as f32).to_le_bytes().to_vec(),
        };
        self.values.iter().flat_map(number).collect()
    }
}

fn size(component: u32) -> usize {
    match component {
        5120 | U8 => 1,
        5122 | U16 => 2,
        _ => 4,
    }
}

fn number(component: u32, bytes: &[u8]) -> f64 {
    let two = || [bytes[0], bytes[1]];
    let four = || [bytes[0], bytes[1], bytes[2], bytes[3]];
    match component {
        5120 => f64::from(bytes[0] as i8),
        U8 => f64::from(bytes[0]),
        5122 => f64::from(i16::from_le_bytes(two())),
        U16 => f64::from(u16::from_le_bytes(two())),
        U32 => f64::from(u32::from_le_bytes(four())),
        _ => f64::from(f32::from_le_bytes(four())),
    }
}

fn width(kind: &str) -> usize {
    match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        _ => 16,
    }
}

pub fn at(value: &Value) -> Option<usize> {
    value.as_u64().map(|v| v as usize)
}

impl Document {
    /// One of the file's top lists.
    pub fn list(&self, key: &str) -> &[Value] {
        self.root[key].as_array().map_or(&[], Vec::as_slice)
    }

    pub fn push(&mut self, key: &str, item: Value) -> usize {
        if self.root[key].is_null() {
            self.root[key] = json!([]);
        }
        let list = self.root[key].as_array_mut().unwrap();
        list.push(item);
        list.len() - 1
    }

    /// `None`: compressed, sparse or without bytes.
    pub fn column(&self, accessor: usize) -> Option<Column> {
        let accessor = self.list("accessors").get(accessor)?;
        let view = &self.list("bufferViews")[at(&accessor["bufferView"])?];
        if !view["extensions"].is_null() || !accessor["sparse"].is_null() || at(&view["buffer"]) != Some(0) {
            return None;
        }
        let component = at(&accessor["componentType"])? as u32;
        let (width, size) = (width(accessor["type"].as_str()?), size(component));
        let stride = at(&view["byteStride"]).unwrap_or(width * size);
        let start = at(&view["byteOffset"]).unwrap_or(0) + at(&accessor["byteOffset"]).unwrap_or(0);
        let mut values = Vec::new();
        for element in 0..at(&accessor["count"])? {
            for i in 0..width {
                values.push(number(component, self.bin.get(start + element * stride + i * size..)?));
            }
        }
        Some(Column { component, normalized: accessor["normalized"].as_bool() == Some(true), width, values })
    }

    /// A new accessor; `bounds` for positions, which must have them.
    pub fn add(&mut self, column: &Column, bounds: bool) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let (offset, bytes) = (self.bin.len(), column.bytes());
        self.bin.extend_from_slice(&bytes);
        self.root["buffers"] = json!([{ "byteLength": self.bin.len() }]);
        let view = self.push("bufferViews", json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }));
        let kind = ["", "SCALAR", "VEC2", "VEC3", "VEC4"].get(column.width).unwrap_or(&"MAT4");
        let mut accessor = json!({
            "bufferView": view, "componentType": column.component, "type": kind, "count": column.count(),
        });
        if column.normalized {
            accessor["normalized"] = json!(true);
        }
        if bounds {
            let of = |i: usize| column.values.iter().skip(i).step_by(column.width).copied();
            let all = 0..column.width;
            accessor["min"] = all.clone().map(|i| json!(of(i).fold(f64::INFINITY, f64::min))).collect();
            accessor["max"] = all.map(|i| json!(of(i).fold(f64::NEG_INFINITY, f64::max))).collect();
        }
        self.push("accessors", accessor)
    }

    pub fn primitive(&self, mesh: usize, primitive: usize) -> &Value {
        &self.root["meshes"][mesh]["primitives"][primitive]
    }

    pub fn attribute(&self, (mesh, primitive): (usize, usize), name: &str) -> Option<Column> {
        self.column(at(&self.primitive(mesh, primitive)["attributes"][name])?)
    }

    /// Gives a primitive an attribute of its own: others that shared the accessor keep it.
    pub fn set_attribute(&mut self, (mesh, primitive): (usize, usize), name: &str, column: &Column) {
        let accessor = self.add(column, name == "POSITION");
        self.root["meshes"][mesh]["primitives"][primitive]["attributes"][name] = json!(accessor);
    }

    pub fn set_triangles(&mut self, (mesh, primitive): (usize, usize), triangles: &[[u32; 3]]) {
        let values = triangles.as_flattened().iter().map(|i| f64::from(*i)).collect();
        let accessor = self.add(&Column::new(U32, 1, values), false);
        self.root["meshes"][mesh]["primitives"][primitive]["indices"] = json!(accessor);
    }

    /// The names of a primitive's attributes.
    pub fn attribute_names(&self, (mesh, primitive): (usize, usize)) -> Vec<String> {
        let attributes = self.primitive(mesh, primitive)["attributes"].as_object();
        attributes.map(|a| a.keys().cloned().collect()).unwrap_or_default()
    }
}
