//! Reads the numbers of a model again from the bytes of its files, using nothing but the places that the model names.

use std::path::Path as FilePath;

use draco_core::{DecoderBuffer, MeshDecoder, PointIndex};
use glam::{Affine3A, Mat4, Quat};
use serde_json::Value;
use skinscope::math::decompose;
use skinscope::model::{
    AccessorOrigin, AttributeOrigin, BufferSource, ByteLocation, ComponentType, DracoStream, Interpolation,
    MeshoptStream, Model, Origins, Path, PrimitiveOrigin, SamplerOrigin, Values,
};

use crate::origins::made::base64;

/// What does not fit, in words.
pub type Checked<T> = Result<T, String>;

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Checked<()> {
    if holds { Ok(()) } else { Err(what()) }
}

/// The files of one model and where its numbers stand in them.
pub struct Reader<'a> {
    model: &'a Model,
    origins: &'a Origins,
    json: Value,
    buffers: Vec<Vec<u8>>,
}

impl<'a> Reader<'a> {
    /// `opened` are the bytes of the opened file.
    pub fn new(model: &'a Model, origins: &'a Origins, opened: &[u8]) -> Checked<Self> {
        let cut = |from: u64, to: u64| opened.get(from as usize..to as usize).ok_or("beyond the opened file");
        let text = cut(origins.json.start, origins.json.end)?;
        let json: Value = serde_json::from_slice(text).map_err(|e| e.to_string())?;
        let mut buffers = Vec::new();
        for (i, buffer) in origins.buffers.iter().enumerate() {
            let mut bytes = match &buffer.source {
                BufferSource::GlbChunk { range } => cut(range.start, range.end)?.to_vec(),
                BufferSource::File(path) => std::fs::read(path).map_err(|e| e.to_string())?,
                BufferSource::DataUri => {
                    let uri = json["buffers"][i]["uri"].as_str().ok_or("no URI")?;
                    base64(uri.split_once(',').ok_or("no data URI")?.1)
                }
                BufferSource::Unread => Vec::new(),
            };
            ensure(json["buffers"][i]["byteLength"] == buffer.length, || format!("buffer {i} has another length"))?;
            bytes.truncate(buffer.length as usize);
            buffers.push(bytes);
        }
        Ok(Self { model, origins, json, buffers })
    }

    /// Compares everything, and says how many numbers that were.
    pub fn compare(&self) -> Checked<usize> {
        Ok(self.influences()? + self.inverse_binds()? + self.nodes()? + self.clips()?)
    }

    fn part(&self, buffer: usize, offset: u64, length: u64) -> Checked<&[u8]> {
        let bytes = self.buffers.get(buffer).ok_or("no such buffer")?;
        let end = offset.checked_add(length).ok_or("beyond any buffer")? as usize;
        bytes.get(offset as usize..end).ok_or_else(|| format!("{offset} and {length} bytes are not in buffer {buffer}"))
    }

    fn bytes(&self, place: &ByteLocation) -> Checked<Vec<u8>> {
        match place {
            ByteLocation::Buffer { buffer, range } => {
                self.part(*buffer, range.start, range.end - range.start).map(<[u8]>::to_vec)
            }
            ByteLocation::Decoded { view, range } => {
                let stream = self.origins.views[*view].meshopt.as_ref().ok_or("no stream")?;
                let decoded = decode(stream, self.part(stream.buffer, stream.offset, stream.length)?)?;
                let part = decoded.get(range.start as usize..range.end as usize);
                part.map(<[u8]>::to_vec).ok_or_else(|| "beyond the decoded stream".to_owned())
            }
        }
    }

    fn accessor(&self, index: usize) -> Checked<&AccessorOrigin> {
        let stated = &self.json["accessors"][index];
        let found = self.origins.accessors.get(index).ok_or("no such accessor")?;
        let same = stated["type"] == found.element.name() && stated["count"] == found.count;
        ensure(same, || format!("accessor {index} has another type or count"))?;
        Ok(found)
    }

    /// The elements of an accessor, each as its bytes.
    fn elements(&self, index: usize, attribute: Option<(DracoStream, u32)>) -> Checked<Vec<Vec<u8>>> {
        let accessor = self.accessor(index)?;
        let size = accessor.element.bytes(accessor.component);
        let mut out = match attribute {
            Some((stream, id)) => self.decoded_attribute(stream, id, accessor)?,
            // All at once: decoding a stream for each element would take minutes.
            None => match self.whole_decoded(accessor)? {
                Some(elements) => elements,
                None => {
                    let element = |i| match self.origins.element(index, i) {
                        Some(place) => self.bytes(&place),
                        None => Ok(vec![0; size]),
                    };
                    (0..accessor.count).map(element).collect::<Checked<Vec<_>>>()?
                }
            },
        };
        for entry in 0..accessor.sparse.as_ref().map_or(0, |s| s.count) {
            let (which, value) = self.origins.sparse_entry(index, entry).ok_or("no sparse entry")?;
            let which = self.bytes(&which)?.iter().rev().fold(0, |n, byte| n << 8 | usize::from(*byte));
            *out.get_mut(which).ok_or("a sparse index beyond the accessor")? = self.bytes(&value)?;
        }
        ensure(out.iter().all(|e| e.len() == size), || format!("accessor {index} has elements of another size"))?;
        Ok(out)
    }

    /// The elements of an accessor whose base lies in a compressed view.
    fn whole_decoded(&self, accessor: &AccessorOrigin) -> Checked<Option<Vec<Vec<u8>>>> {
        let Some(base) = accessor.base else { return Ok(None) };
        let view = self.origins.views.get(base.view).ok_or("no such view")?;
        let Some(stream) = &view.meshopt else { return Ok(None) };
        let decoded = decode(stream, self.part(stream.buffer, stream.offset, stream.length)?)?;
        let size = accessor.element.bytes(accessor.component);
        let element = |i: usize| {
            // Wrong origins may lead anywhere.
            let start = (base.offset as usize).wrapping_add(i.wrapping_mul(base.stride));
            decoded
                .get(start..start.saturating_add(size))
                .map(<[u8]>::to_vec)
                .ok_or_else(|| "beyond the decoded stream".to_owned())
        };
        let out = (0..accessor.count).map(element).collect::<Checked<Vec<_>>>()?;
        // What the model itself says of one of them is the same.
        let last = accessor.count - 1;
        let index = self.origins.accessors.iter().position(|a| std::ptr::eq(a, accessor)).ok_or("no such accessor")?;
        let place = self.origins.element(index, last).ok_or("no place")?;
        ensure(self.bytes(&place)? == out[last], || "the last element stands elsewhere".to_owned())?;
        Ok(Some(out))
    }

    /// What a Draco stream has of an attribute, as numbers of the accessor's type.
    fn decoded_attribute(&self, stream: DracoStream, id: u32, accessor: &AccessorOrigin) -> Checked<Vec<Vec<u8>>> {
        let view = self.origins.views.get(stream.view).ok_or("no such view")?;
        let mut mesh = draco_core::Mesh::new();
        let mut bytes = DecoderBuffer::new(self.part(view.buffer, view.offset, view.length)?);
        MeshDecoder::new().decode(&mut bytes, &mut mesh).map_err(|e| e.to_string())?;
        ensure(Some(mesh.num_points()) == stream.vertices, || "the stream has other vertices".to_owned())?;
        let attribute = mesh.attribute_by_unique_id(id).ok_or("no such attribute")?;
        let components = usize::from(attribute.num_components());
        let width = attribute.data_type().byte_length();
        let value = |vertex: u32| {
            let at = attribute.mapped_index(PointIndex(vertex)).0 as usize * width * components;
            let bytes = &attribute.buffer().data()[at..at + width * components];
            // Integers may have another width in the stream than in the accessor.
            bytes.chunks(width).flat_map(|c| c.iter().copied().chain([0; 4]).take(accessor.component.bytes())).collect()
        };
        Ok((0..mesh.num_points() as u32).map(value).collect())
    }

    fn influences(&self) -> Checked<usize> {
        let mut compared = 0;
        for (id, mesh) in self.model.file_meshes() {
            let m = id.index();
            for (p, primitive) in mesh.primitives.iter().enumerate() {
                let place = format!("mesh {m}, primitive {p}");
                let PrimitiveOrigin { sets, draco } =
                    self.origins.primitives.get(m).and_then(|list| list.get(p)).ok_or("no such primitive")?;
                let Some(read) = &primitive.stored_influences else {
                    ensure(sets.is_empty(), || format!("{place} has sets and no influences"))?;
                    continue;
                };
                ensure(sets.len() * 4 == read.per_vertex, || format!("{place} has {} sets", sets.len()))?;
                let all = primitive.stored_vertices + primitive.split_from.len();
                ensure(read.joints.len() == all * read.per_vertex, || format!("{place} has other vertices"))?;
                for (n, set) in sets.iter().enumerate() {
                    let attributes = &self.json["meshes"][m]["primitives"][p]["attributes"];
                    let of = |attribute: AttributeOrigin, name: &str| -> Checked<Vec<Vec<u8>>> {
                        ensure(attributes[format!("{name}_{n}")] == attribute.accessor, || {
                            format!("{place} has another {name}_{n}")
                        })?;
                        self.elements(attribute.accessor, draco.as_ref().copied().zip(attribute.draco))
                    };
                    let (joints, weights) = (of(set.joints, "JOINTS")?, of(set.weights, "WEIGHTS")?);
                    ensure(joints.len() == primitive.stored_vertices, || format!("{place} has other joints"))?;
                    ensure(weights.len() == primitive.stored_vertices, || format!("{place} has other weights"))?;
                    for vertex in 0..primitive.stored_vertices {
                        let joint = numbers(&joints[vertex], self.accessor(set.joints.accessor)?);
                        let weight = numbers(&weights[vertex], self.accessor(set.weights.accessor)?);
                        for c in 0..4 {
                            let slot = n * 4 + c;
                            let at = |v: u32, s: u32| (v as usize, s as usize) == (vertex, slot);
                            let beyond = read.out_of_range.iter().find(|o| at(o.vertex, o.slot));
                            let held = beyond.map_or(read.of(vertex).0[slot], |o| o.joint);
                            ensure(joint[c] == f32::from(held), || {
                                format!("{place}, vertex {vertex}, slot {slot}: joint {held}, stored {}", joint[c])
                            })?;
                            let broken = read.not_finite.iter().find(|b| at(b.vertex, b.slot));
                            let held = broken.map_or(read.of(vertex).1[slot], |b| b.value);
                            ensure(weight[c].to_bits() == held.to_bits(), || {
                                format!("{place}, vertex {vertex}, slot {slot}: weight {held}, stored {}", weight[c])
                            })?;
                            compared += 2;
                        }
                    }
                }
            }
        }
        Ok(compared)
    }

    fn inverse_binds(&self) -> Checked<usize> {
        let mut compared = 0;
        for (s, skin) in self.model.skins.iter().enumerate() {
            let accessor = *self.origins.skins.get(s).ok_or("no such skin")?;
            ensure(accessor.is_none() == skin.binds_missing, || format!("skin {s}: matrices stored, or not"))?;
            let Some(accessor) = accessor else { continue };
            let elements = self.elements(accessor, None)?;
            for (j, held) in skin.inverse_bind.iter().enumerate().filter(|(j, _)| !skin.not_finite.contains(j)) {
                let stored = numbers(&elements[j], self.accessor(accessor)?);
                let held = Mat4::from(*held).to_cols_array();
                // The last row is read as 0 0 0 1.
                let same = (0..16).filter(|i| i % 4 != 3).all(|i| held[i].to_bits() == stored[i].to_bits());
                ensure(same, || format!("skin {s}, joint {j}: {held:?}, stored {stored:?}"))?;
                compared += 12;
            }
        }
        Ok(compared)
    }

    fn nodes(&self) -> Checked<usize> {
        let mut compared = 0;
        for (n, file) in self.model.skeleton.file_index.iter().enumerate() {
            let members: Vec<&str> = self.origins.nodes.get(n).ok_or("no such node")?.names().collect();
            let held = self.model.skeleton.rest.transforms[n];
            for name in ["matrix", "translation", "rotation", "scale", "weights"] {
                let stored = self.json.pointer(&format!("/nodes/{file}/{name}"));
                ensure(stored.is_some() == members.contains(&name), || {
                    format!("node {file}: {name} is there, or not")
                })?;
                let Some(stored) = stored else { continue };
                let stored: Vec<f32> = serde_json::from_value(stored.clone()).map_err(|e| e.to_string())?;
                let same = match name {
                    "matrix" => {
                        let matrix = Affine3A::from_mat4(Mat4::from_cols_slice(&stored));
                        decompose(matrix) == (held, self.model.skeleton.residual(n))
                    }
                    "translation" => stored == held.translation.to_array(),
                    "rotation" => unit(Quat::from_slice(&stored)) == held.rotation,
                    "scale" => stored == held.scale.to_array(),
                    _ => self.model.instances.iter().any(|i| i.node.index() == n && i.morph_weights == stored),
                };
                ensure(same, || format!("node {file}: {name} is {stored:?} in the file"))?;
                compared += stored.len();
            }
        }
        Ok(compared)
    }

    fn clips(&self) -> Checked<usize> {
        let mut compared = 0;
        for (c, clip) in self.model.clips.iter().enumerate() {
            let stored = &self.json["animations"][c];
            let origin = self.origins.clips.get(c).ok_or("no such clip")?;
            let counts = [origin.samplers.len(), origin.channels.len(), origin.properties.len()];
            let want = [clip.samplers.len(), clip.channels.len(), clip.properties.len()];
            ensure(counts == want, || format!("clip {c} has other lists"))?;
            for (channel, index) in clip.channels.iter().zip(&origin.channels) {
                let stored = &stored["channels"][*index];
                let pointer = stored["target"]["extensions"]["KHR_animation_pointer"]["pointer"].as_str();
                let path = match channel.path {
                    Path::Translation => "translation",
                    Path::Rotation => "rotation",
                    Path::Scale => "scale",
                    Path::Weights => "weights",
                };
                let node = self.model.skeleton.file_index[channel.node.index()];
                let same = match pointer {
                    Some(pointer) => pointer == format!("/nodes/{node}/{path}"),
                    None => stored["target"]["node"] == node && stored["target"]["path"] == path,
                };
                let sampler = origin.samplers[channel.sampler].sampler;
                ensure(same && stored["sampler"] == sampler, || format!("clip {c}: channel {index} is {stored}"))?;
            }
            for (property, index) in clip.properties.iter().zip(&origin.properties) {
                let sampler = origin.samplers[property.sampler].sampler;
                ensure(stored["channels"][*index]["sampler"] == sampler, || format!("clip {c}: property {index}"))?;
            }
            for (sampler, origin) in clip.samplers.iter().zip(&origin.samplers) {
                let place = || format!("clip {c}, sampler {}", origin.sampler);
                let stored = &stored["samplers"][origin.sampler];
                let same = stored["input"] == origin.input && stored["output"] == origin.output;
                ensure(same, || format!("{} is {stored}", place()))?;
                let spline = sampler.interpolation == Interpolation::CubicSpline;
                compared += self.keys(&clip.times[sampler.times], (&sampler.values, spline), origin, &place)?;
            }
        }
        Ok(compared)
    }

    fn keys(
        &self,
        times: &[f32],
        (values, spline): (&Values, bool),
        origin: &SamplerOrigin,
        place: &dyn Fn() -> String,
    ) -> Checked<usize> {
        let input = self.elements(origin.input, None)?;
        let output = self.elements(origin.output, None)?;
        let flat: Vec<f32> =
            output.iter().map(|e| Ok(numbers(e, self.accessor(origin.output)?))).collect::<Checked<Vec<_>>>()?.concat();
        let (per_key, width) = (
            if spline { 3 } else { 1 },
            match values {
                Values::Vec3(_) => 3,
                Values::Quat(_) => 4,
                Values::Weights { count, .. } => *count,
            },
        );
        ensure(flat.len() == input.len() * per_key * width, || format!("{} has other values", place()))?;
        for (key, time) in times.iter().enumerate() {
            let at = origin.stored_key(key);
            let read = |at: usize| {
                let stored = input.get(at).ok_or("a key beyond the file")?;
                Ok::<f32, String>(numbers(stored, self.accessor(origin.input)?)[0])
            };
            let stored = read(at)?;
            // Of two keys at one moment the first stands just before it.
            let is_first = key + 1 < times.len() && read(origin.stored_key(key + 1))? == stored;
            let expected = if is_first { stored.next_down() } else { stored };
            ensure(expected.to_bits() == time.to_bits(), || {
                format!("{}, key {key}: {time} s, stored {stored}", place())
            })?;
            for part in 0..per_key {
                let stored = &flat[(at * per_key + part) * width..][..width];
                let entry = key * per_key + part;
                let is_rotation = !spline || part == 1;
                let held = match values {
                    Values::Vec3(keys) => keys.get(entry).to_array().to_vec(),
                    Values::Quat(keys) => keys.get(entry).to_array().to_vec(),
                    Values::Weights { values, .. } => values[entry * width..][..width].to_vec(),
                };
                let stored = match values {
                    Values::Quat(_) if is_rotation => unit(Quat::from_slice(stored)).to_array().to_vec(),
                    _ => stored.to_vec(),
                };
                let same = stored.iter().zip(&held).all(|(a, b)| a.to_bits() == b.to_bits());
                ensure(same, || format!("{}, key {key}: {held:?}, stored {stored:?}", place()))?;
            }
        }
        Ok(times.len() * (1 + per_key * width))
    }
}

/// A rotation normalised as import does it, which is no writing back to the last bit but the same for the same bytes.
fn unit(q: Quat) -> Quat {
    let q = q.as_dquat();
    (q / q.length()).as_quat()
}

/// The components of an element, integers as the accessor means them.
fn numbers(element: &[u8], accessor: &AccessorOrigin) -> Vec<f32> {
    let width = accessor.component.bytes();
    let number = |bytes: &[u8]| {
        let unsigned = bytes.iter().rev().fold(0_u32, |n, byte| n << 8 | u32::from(*byte));
        let (value, one) = match accessor.component {
            ComponentType::F32 => return f32::from_bits(unsigned),
            ComponentType::U32 => (unsigned as f32, u32::MAX as f32),
            ComponentType::U8 => (unsigned as f32, 255.0),
            ComponentType::U16 => (unsigned as f32, 65_535.0),
            ComponentType::I8 => (f32::from(unsigned as u8 as i8), 127.0),
            ComponentType::I16 => (f32::from(unsigned as u16 as i16), 32_767.0),
        };
        if accessor.normalized { (value / one).max(-1.0) } else { value }
    };
    element.chunks(width).map(number).collect()
}

/// What a stream of attributes becomes.
fn decode(stream: &MeshoptStream, bytes: &[u8]) -> Checked<Vec<u8>> {
    fn elements<const N: usize>(bytes: &[u8], count: usize) -> Checked<Vec<u32>>
    where
        [u32; N]: Default,
    {
        meshopt::decode_vertex_buffer::<[u32; N]>(bytes, count).map(|v| v.into_flattened()).map_err(|e| e.to_string())
    }
    ensure(stream.mode == "ATTRIBUTES", || format!("a stream of {}", stream.mode))?;
    let mut words = match stream.stride {
        4 => elements::<1>(bytes, stream.count),
        8 => elements::<2>(bytes, stream.count),
        12 => elements::<3>(bytes, stream.count),
        16 => elements::<4>(bytes, stream.count),
        64 => meshopt::decode_vertex_buffer::<[[u32; 4]; 4]>(bytes, stream.count)
            .map(|v| v.into_flattened().into_flattened())
            .map_err(|e| e.to_string()),
        other => Err(format!("a stride of {other}")),
    }?;
    match (stream.filter, stream.stride) {
        ("NONE", _) => {}
        ("QUATERNION", 8) => meshopt::decode_filter_quat(bytemuck::cast_slice_mut(&mut words)),
        ("EXPONENTIAL", _) => meshopt::decode_filter_exp::<1>(bytemuck::cast_slice_mut(&mut words)),
        other => return Err(format!("{other:?} is not for what is compared here")),
    }
    Ok(bytemuck::cast_slice(&words).to_vec())
}

/// Opens a file, reads it again through what the model says, and says how many numbers were compared.
pub fn compare(model: &Model, path: &FilePath) -> Checked<usize> {
    let opened = std::fs::read(path).map_err(|e| e.to_string())?;
    Reader::new(model, &model.source.origins, &opened)?.compare()
}
