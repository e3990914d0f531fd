//! Compressed primitives: `KHR_draco_mesh_compression`.
//!
//! Owns the meaning of a primitive's extension, the bound on a stream's decoded size, and the conversion of decoded
//! values to those of the accessors that describe them. The codec itself is the crate `draco-core`, which is called
//! only within these bounds, and whose panics are caught.
//!
//! A stream contains vertices and triangles; the accessors' component types and counts describe them. Encoders split
//! vertices at seams without always correcting the counts, so that the counts of the stream are used where nothing else
//! depends on them.

use std::collections::BTreeMap;

use draco_core::{DataType, DecodeLimits, DecoderBuffer, ErrorKind, MeshDecoder, PointAttribute, PointIndex};
use gltf::json;
use gltf::json::accessor::ComponentType;
use gltf::json::mesh::{Mode, Semantic};
use gltf::json::validation::Checked;
use serde_json::Value;
use skinscope_base::words::counted;
use skinscope_model::DracoStream;

use super::accessor::Accessor;
use super::bytes::Bytes;
use super::error::{guarded, quoted};
use super::fields::whole;
use super::{ImportError, Reader};

const NAME: &str = "KHR_draco_mesh_compression";

const DAMAGED: &str = "the compressed data is damaged: export the model again, or without Draco compression";

/// The most bytes that a stream may decode to for each of its own bytes. The format itself knows no bound: one value
/// repeated costs the same at any count. A flat grid of a million vertices, the mesh that compresses best, decodes to
/// 149 bytes for each.
const MOST_RATIO: u64 = 1024;
const MOST_ALWAYS: u64 = 64 << 20;

/// The decoded values of a primitive, stored as its accessors say.
#[derive(Debug)]
pub(super) struct Decoded {
    vertices: usize,
    attributes: Vec<Attribute>,
    triangles: Vec<u32>,
}

/// One attribute of a decoded primitive.
#[derive(Debug)]
struct Attribute {
    semantic: Semantic,
    accessor: json::Index<json::Accessor>,
    /// The number of the attribute in the stream.
    id: u32,
    bytes: Vec<u8>,
}

/// A decoded primitive in the form of accessors.
#[derive(Debug)]
pub(super) struct Unpacked<'a> {
    pub attributes: BTreeMap<Semantic, Accessor<'a>>,
    /// The number of each attribute in the stream.
    pub ids: BTreeMap<Semantic, u32>,
    pub vertices: usize,
    /// The indices, three for each triangle.
    pub indices: &'a [u32],
}

/// A primitive whose data may be compressed.
struct Packed<'r, 'a> {
    reader: &'r Reader<'a>,
    primitive: &'r json::mesh::Primitive,
    location: String,
    /// The members of the extension.
    described: &'r Value,
}

/// Decodes a primitive if it is compressed. Returns `None` where it is not, or where the plain data that the file has
/// beside the stream is used instead.
pub(super) fn read(
    reader: &Reader,
    primitive: &json::mesh::Primitive,
    location: String,
) -> Result<Option<Decoded>, ImportError> {
    let Some(described) = primitive.extensions.as_ref().and_then(|e| e.others.get(NAME)) else { return Ok(None) };
    let packed = Packed { reader, primitive, location: format!("{location}, {NAME}"), described };
    match packed.decode() {
        Ok(decoded) => Ok(Some(decoded)),
        Err(error @ (ImportError::Limit { .. } | ImportError::Cancelled)) => Err(error),
        Err(error) if packed.has_plain_data() => {
            reader.warnings.add(location, format!("is shown from its data without compression ({error})"));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Returns the buffer view that a primitive's extension names.
fn view_of(described: &Value) -> Option<u32> {
    described.get("bufferView").and_then(whole).and_then(|view| u32::try_from(view).ok())
}

/// Returns the location of a primitive's stream, if it names one; `unpacked` is what it decoded to.
pub(super) fn origin(primitive: &json::mesh::Primitive, unpacked: Option<&Unpacked>) -> Option<DracoStream> {
    let view = view_of(primitive.extensions.as_ref()?.others.get(NAME)?)? as usize;
    Some(DracoStream { view, vertices: unpacked.map(|u| u.vertices) })
}

impl Packed<'_, '_> {
    fn invalid(&self, expected: impl Into<String>, found: impl Into<String>) -> ImportError {
        ImportError::invalid(self.location.clone(), expected, found)
    }

    fn damaged(&self, expected: impl Into<String>, found: impl Into<String>) -> ImportError {
        self.invalid(expected, found).advise(DAMAGED)
    }

    fn accessor(&self, index: json::Index<json::Accessor>) -> Result<&Accessor<'_>, ImportError> {
        self.reader.store.accessor(index, &|| self.location.clone())
    }

    /// Returns whether a program without the extension could show the primitive.
    fn has_plain_data(&self) -> bool {
        let required = self.reader.root.extensions_required.iter().any(|name| name == NAME);
        let mut accessors = self.primitive.attributes.values().chain(&self.primitive.indices);
        !required && accessors.all(|index| self.accessor(*index).is_ok_and(Accessor::is_stored))
    }

    /// Returns the accessors that the stream fills, each with the number of its attribute there.
    fn attributes(&self) -> Result<Vec<(Semantic, json::Index<json::Accessor>, u32)>, ImportError> {
        let Some(members) = self.described.get("attributes").and_then(Value::as_object) else {
            return Err(self.invalid("an object \"attributes\"", "none"));
        };
        let mut out = Vec::new();
        for (name, id) in members {
            let Some(id) = whole(id).and_then(|id| u32::try_from(id).ok()) else {
                return Err(self.invalid(format!("a number for attribute {}", quoted(name)), "something else"));
            };
            let mut attributes = self.primitive.attributes.iter();
            let of_name = |(s, _): &(&Checked<Semantic>, _)| matches!(s, Checked::Valid(s) if s.to_string() == *name);
            match attributes.find(of_name) {
                Some((Checked::Valid(semantic), index)) => out.push((semantic.clone(), *index, id)),
                _ => {
                    let message = format!("holds {}, which the primitive does not have; it was ignored", quoted(name));
                    self.reader.warnings.add(self.location.clone(), message);
                }
            }
        }
        Ok(out)
    }

    /// Decodes the stream, if its counts are within what its length allows.
    fn mesh(&self, view: u32) -> Result<draco_core::Mesh, ImportError> {
        let location = || self.location.clone();
        let stored = self.reader.store.view(json::Index::new(view), &location)?.keep(self.reader.decoded, &location)?;
        let bytes = &stored[..];
        let most = MOST_ALWAYS.max(MOST_RATIO.saturating_mul(bytes.len() as u64)).min(self.reader.limits.decoded_bytes);
        // A face costs the decoder some hundred bytes while it works.
        let limits =
            DecodeLimits::default().with_max_faces(most / 64).with_max_points(most / 64).with_max_decoded_bytes(most);
        let decoded = guarded(|| {
            let mut mesh = draco_core::Mesh::new();
            let mut buffer = DecoderBuffer::new(bytes).with_limits(limits);
            MeshDecoder::new().decode(&mut buffer, &mut mesh).map(|()| mesh)
        });
        let problem = match decoded {
            Some(Ok(mesh)) => return Ok(mesh),
            Some(Err(error)) if error.kind() == ErrorKind::LimitExceeded => {
                let expected = format!("at most {most} bytes of geometry in the {} of buffer view {view}", bytes.len());
                return Err(self.damaged(expected, "more"));
            }
            Some(Err(error)) => error.to_string().chars().filter(|c| !c.is_control()).take(160).collect(),
            None => "numbers that the decoder cannot follow".to_owned(),
        };
        let expected = format!("a Draco stream in the {} of buffer view {view}", counted(bytes.len(), "byte", "bytes"));
        Err(self.damaged(expected, format!("another ({problem})")))
    }

    fn decode(&self) -> Result<Decoded, ImportError> {
        if !matches!(self.primitive.mode, Checked::Valid(Mode::Triangles | Mode::TriangleStrip)) {
            return Err(self.invalid("mode 4 (triangles) or 5 (triangle strip)", "another"));
        }
        let described = self.attributes()?;
        let view = view_of(self.described).ok_or_else(|| self.invalid("a number for bufferView", "something else"))?;
        let mesh = self.mesh(view)?;
        let vertices = mesh.num_points();
        let mut attributes = Vec::with_capacity(described.len());
        for (semantic, index, id) in described {
            let accessor = self.accessor(index)?;
            let Some(attribute) = mesh.attribute_by_unique_id(id) else {
                return Err(self.damaged(format!("an attribute {id} for {}", semantic.to_string()), "none"));
            };
            self.note_count(&semantic.to_string(), accessor.count, vertices);
            let bytes = self.values(&semantic, accessor, attribute, vertices)?;
            attributes.push(Attribute { semantic, accessor: index, id, bytes });
        }
        let stated = self.primitive.indices.map(|index| self.accessor(index)).transpose()?;
        if let Some(accessor) = stated {
            self.note_count("indices", accessor.count, mesh.num_faces() * 3);
        }
        self.reader.decoded.charge(&|| self.location.clone(), mesh.num_faces() as u64, size_of::<[u32; 3]>())?;
        let triangles = mesh.faces().iter().flat_map(|face| face.map(|point| point.0)).collect();
        Ok(Decoded { vertices, attributes, triangles })
    }

    fn note_count(&self, name: &str, stated: usize, found: usize) {
        if stated != found {
            let found = counted(found, "element", "elements");
            let message = format!("{name} has {found} in the stream, its accessor states {stated}");
            self.reader.warnings.add(self.location.clone(), message);
        }
    }

    /// Returns the values of an attribute, vertex by vertex, as numbers of the accessor's type.
    fn values(
        &self,
        semantic: &Semantic,
        accessor: &Accessor,
        attribute: &PointAttribute,
        vertices: usize,
    ) -> Result<Vec<u8>, ImportError> {
        let name = semantic.to_string();
        let components = usize::from(attribute.num_components());
        if components != accessor.kind.multiplicity() {
            let expected = format!("{} in {name}", counted(accessor.kind.multiplicity(), "component", "components"));
            return Err(self.damaged(expected, components.to_string()));
        }
        let (from, to) = (attribute.data_type(), accessor.component);
        let stride = components * from.byte_length();
        if attribute.byte_stride() != stride as i64 {
            let expected = format!("{} for a value of {name}", counted(stride, "byte", "bytes"));
            return Err(self.damaged(expected, attribute.byte_stride().to_string()));
        }
        let size = components * to.size();
        self.reader.decoded.charge(&|| self.location.clone(), vertices as u64, size)?;
        let data = attribute.buffer().data();
        let mut out = Vec::with_capacity(vertices * size);
        for vertex in 0..vertices {
            let value = attribute.mapped_index(PointIndex(vertex as u32)).0 as usize;
            let bytes = value.checked_mul(stride).and_then(|at| data.get(at..at.checked_add(stride)?));
            let Some(bytes) = bytes.filter(|_| value < attribute.size()) else {
                let all = counted(vertices, "vertex", "vertices");
                return Err(self.damaged(format!("a value of {name} for each of {all}"), "fewer"));
            };
            if is_same(from, to) {
                out.extend_from_slice(bytes);
            } else {
                let width = from.byte_length().max(1);
                bytes.chunks_exact(width).for_each(|b| write(number(from, b), to, &mut out));
            }
        }
        Ok(out)
    }
}

impl Decoded {
    /// Returns the decoded attributes as accessors, which replace those of the file.
    pub(super) fn unpack<'b>(&'b self, reader: &Reader<'b>, location: &str) -> Result<Unpacked<'b>, ImportError> {
        let (mut attributes, mut ids) = (BTreeMap::new(), BTreeMap::new());
        for Attribute { semantic, accessor, id, bytes } in &self.attributes {
            let location = || format!("{location}, {}", semantic.to_string());
            let stored = reader.store.accessor(*accessor, &location)?;
            ids.insert(semantic.clone(), *id);
            attributes.insert(semantic.clone(), stored.with_base(Bytes::Memory(bytes), self.vertices, &location)?);
        }
        Ok(Unpacked { attributes, ids, vertices: self.vertices, indices: &self.triangles })
    }
}

/// Returns whether values of the stream already have the accessor's type.
fn is_same(from: DataType, to: ComponentType) -> bool {
    matches!(
        (from, to),
        (DataType::Float32, ComponentType::F32)
            | (DataType::Int8, ComponentType::I8)
            | (DataType::Uint8, ComponentType::U8)
            | (DataType::Int16, ComponentType::I16)
            | (DataType::Uint16, ComponentType::U16)
            | (DataType::Uint32, ComponentType::U32)
    )
}

/// Reads a little-endian number of the stream; `bytes` has the width of the type. The result is exact up to 53 bits.
fn number(from: DataType, bytes: &[u8]) -> f64 {
    let mut word = [0; 8];
    let width = bytes.len().min(8);
    word[..width].copy_from_slice(&bytes[..width]);
    let unsigned = u64::from_le_bytes(word);
    let short = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
    match from {
        DataType::Int8 => f64::from(word[0].cast_signed()),
        DataType::Int16 => f64::from(i16::from_le_bytes([word[0], word[1]])),
        DataType::Int32 => f64::from(short.cast_signed()),
        DataType::Int64 => unsigned.cast_signed() as f64,
        DataType::Float32 => f64::from(f32::from_bits(short)),
        DataType::Float64 => f64::from_bits(unsigned),
        DataType::Invalid | DataType::Bool | DataType::Uint8 => f64::from(word[0]),
        DataType::Uint16 | DataType::Uint32 | DataType::Uint64 => unsigned as f64,
    }
}

/// Appends a number as a component; a number that does not fit becomes the nearest that does.
fn write(value: f64, to: ComponentType, out: &mut Vec<u8>) {
    match to {
        ComponentType::I8 => out.extend((value as i8).to_le_bytes()),
        ComponentType::U8 => out.push(value as u8),
        ComponentType::I16 => out.extend((value as i16).to_le_bytes()),
        ComponentType::U16 => out.extend((value as u16).to_le_bytes()),
        ComponentType::U32 => out.extend((value as u32).to_le_bytes()),
        ComponentType::F32 => out.extend((value as f32).to_le_bytes()),
    }
}
