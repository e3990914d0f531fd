//! A file while it is patched: its text, its buffers, and the new parts of both.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use skinscope_model::{BufferSource, ComponentType, Model, Origins, Primitive, ViewOrigin};

use super::buffers::{Buffers, encode};
use super::container::{self, Text, parsed};
use super::homes::NewMesh;
use super::json::{Node, PathStep, whole};
use super::{ChangedBuffer, Changes, Patched, WriteError};
use crate::Sheet;

/// A file while it is patched.
pub(super) struct Draft<'s> {
    pub model: &'s Model,
    pub origins: &'s Origins,
    /// The JSON of the text before it was changed, with the meshes that were added.
    pub root: Value,
    pub text: Node<'s>,
    around: Text<'s>,
    pub buffers: Buffers<'s>,
    views: usize,
    accessors: usize,
    pub changes: Changes,
    /// For each mesh that was added after those of the file: the mesh that it is a copy of.
    added_meshes: Vec<usize>,
    /// The bytes of buffers that were added, for files in which no buffer can grow.
    added: Vec<Vec<u8>>,
    /// The lengths of buffers without bytes, which only stand in for what views decode to, where they grow.
    stand_ins: BTreeMap<usize, u64>,
}

impl<'s> Draft<'s> {
    pub fn new(source: &'s [u8], sheet: &Sheet<'s>) -> Result<Self, WriteError> {
        let origins: &Origins = &sheet.model.source.origins;
        let range = origins.json.start as usize..origins.json.end as usize;
        let around = Text::of(source.get(range).ok_or_else(|| WriteError::Json("as many bytes".to_owned()))?)?;
        let root: Value = parsed(around.json)?;
        let uri = |b: usize| root["buffers"][b]["uri"].as_str().map(str::to_owned);
        let uris = (0..origins.buffers.len()).map(uri).collect();
        let count = |list: &str| root[list].as_array().map_or(0, Vec::len);
        Ok(Self {
            model: sheet.model,
            origins,
            views: count("bufferViews"),
            accessors: count("accessors"),
            text: Node::of(around.json),
            around,
            buffers: Buffers::new(source, &origins.buffers, uris),
            changes: Changes::default(),
            added_meshes: Vec::new(),
            added: Vec::new(),
            stand_ins: BTreeMap::new(),
            root,
        })
    }

    /// Replaces an existing value.
    pub fn set(&mut self, path: &[PathStep], text: String) -> Result<(), WriteError> {
        let node = self.text.find(path)?.ok_or_else(|| WriteError::Json(format!("{path:?}")))?;
        if node.to_text() != text {
            node.set(text);
            self.changes.json_values += 1;
        }
        Ok(())
    }

    /// Changes or adds a member of an object.
    pub(crate) fn set_member(&mut self, path: &[PathStep], key: &str, text: String) -> Result<(), WriteError> {
        let node = self.text.find(path)?.ok_or_else(|| WriteError::Json(format!("{path:?}")))?;
        let same = node.find(&[PathStep::Key(key)])?.is_some_and(|found| found.to_text() == text);
        if !same {
            node.set_member(key, text)?;
            self.changes.json_values += 1;
        }
        Ok(())
    }

    /// Removes a member of an object.
    pub(crate) fn remove_member(&mut self, path: &[PathStep], key: &str) -> Result<(), WriteError> {
        if let Some(node) = self.text.find(path)?
            && node.remove_member(key)?
        {
            self.changes.json_values += 1;
        }
        Ok(())
    }

    /// Removes an item of a list.
    pub(crate) fn remove_item(&mut self, path: &[PathStep], index: usize) -> Result<(), WriteError> {
        if let Some(node) = self.text.find(path)?
            && node.remove_item(index)?
        {
            self.changes.json_values += 1;
        }
        Ok(())
    }

    /// Adds a mesh that names the accessors of an old one, as it stands in the text, and lets some nodes show it.
    pub(crate) fn add_mesh(&mut self, mesh: &NewMesh) -> Result<(), WriteError> {
        let path = [PathStep::Key("meshes"), PathStep::At(mesh.from)];
        let old = self.text.find(&path)?.map(|old| old.to_text());
        let text = old.ok_or_else(|| WriteError::Json(format!("{path:?}")))?;
        let value = self.root["meshes"][mesh.from].clone();
        let meshes = self.root["meshes"].as_array_mut().ok_or_else(|| WriteError::Json("meshes".to_owned()))?;
        let new = meshes.len();
        meshes.push(value);
        self.added_meshes.push(mesh.from);
        self.push_text("meshes", text)?;
        for node in &mesh.nodes {
            let path = [PathStep::Key("nodes"), PathStep::At(*node as usize), PathStep::Key("mesh")];
            self.set(&path, new.to_string())?;
        }
        Ok(())
    }

    /// Returns a primitive of the model by its indices in the text.
    pub fn primitive(&self, mesh: usize, primitive: usize) -> &'s Primitive {
        let in_file = self.root["meshes"].as_array().map_or(0, Vec::len) - self.added_meshes.len();
        let of_file = mesh.checked_sub(in_file).and_then(|added| self.added_meshes.get(added)).copied().unwrap_or(mesh);
        &self.model.meshes[of_file].primitives[primitive]
    }

    /// Adds an item to a list of the file.
    pub fn push(&mut self, list: &str, item: &Value) -> Result<(), WriteError> {
        self.push_text(list, item.to_string())
    }

    /// Adds an item to a list that the file has.
    pub(crate) fn push_at(&mut self, path: &[PathStep], item: String) -> Result<(), WriteError> {
        let node = self.text.find(path)?.ok_or_else(|| WriteError::Json(format!("{path:?}")))?;
        node.push(item)?;
        self.changes.json_values += 1;
        Ok(())
    }

    fn push_text(&mut self, list: &str, item: String) -> Result<(), WriteError> {
        if self.text.find(&[PathStep::Key(list)])?.is_none() {
            self.text.set_member(list, "[]".to_owned())?;
        }
        let node = self.text.find(&[PathStep::Key(list)])?.ok_or_else(|| WriteError::Json(list.to_owned()))?;
        node.push(item)?;
        self.changes.json_values += 1;
        Ok(())
    }

    /// Adds a view of new bytes, appended to the buffer that holds the old ones where that can grow.
    pub(crate) fn add_view(
        &mut self,
        bytes: &[u8],
        near: Option<usize>,
        target: Option<u64>,
    ) -> Result<usize, WriteError> {
        let known = near.filter(|b| self.buffers.can_grow(*b)).or_else(|| self.buffers.usual());
        let (buffer, offset) = match known {
            Some(buffer) => (buffer, self.buffers.append(buffer, bytes)?),
            None => self.append_to_new(bytes),
        };
        let mut view = json!({ "buffer": buffer, "byteOffset": offset, "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.push("bufferViews", &view)?;
        self.views += 1;
        Ok(self.views - 1)
    }

    /// Adds a view of new bytes that are compressed by meshopt, as those of `old` are: its stream is appended to the same buffer.
    /// `stride` is the size of an element, in bytes.
    pub(crate) fn add_compressed_view(
        &mut self,
        bytes: &[u8],
        stride: usize,
        old: &ViewOrigin,
        target: Option<u64>,
    ) -> Result<usize, WriteError> {
        let stream = old.meshopt.as_deref().and_then(|stream| Some((stream, meshopt_stream(bytes, stride)?)));
        let Some((stream, packed)) = stream.filter(|(stream, _)| self.buffers.can_grow(stream.buffer)) else {
            return self.add_view(bytes, None, target);
        };
        let offset = self.buffers.append(stream.buffer, &packed)?;
        // Readers that do not know the extension read the bytes themselves, if the file has them at all.
        let plain = match self.buffers.can_grow(old.buffer) {
            true => self.buffers.append(old.buffer, bytes)?,
            false => self.stand_in(old.buffer, bytes.len() as u64),
        };
        let mut view = json!({
            "buffer": old.buffer, "byteOffset": plain, "byteLength": bytes.len(), "byteStride": stride,
            "extensions": { stream.extension: {
                "buffer": stream.buffer, "byteOffset": offset, "byteLength": packed.len(), "byteStride": stride,
                "mode": "ATTRIBUTES", "count": bytes.len() / stride,
            } },
        });
        match target {
            Some(target) => view["target"] = json!(target),
            // Matrices are no vertex attributes, whose views alone have a stride.
            None => _ = view.as_object_mut().and_then(|view| view.remove("byteStride")),
        }
        self.push("bufferViews", &view)?;
        self.views += 1;
        Ok(self.views - 1)
    }

    /// Lets a buffer without bytes stand in for some more; returns the first.
    fn stand_in(&mut self, buffer: usize, length: u64) -> u64 {
        let stated = whole(&self.root["buffers"][buffer]["byteLength"]).unwrap_or(0);
        let end = self.stand_ins.entry(buffer).or_insert(stated);
        let start = end.next_multiple_of(4);
        *end = start + length;
        start
    }

    fn append_to_new(&mut self, bytes: &[u8]) -> (usize, u64) {
        if self.added.is_empty() {
            self.added.push(Vec::new());
        }
        let new = &mut self.added[0];
        new.resize(new.len().next_multiple_of(4), 0);
        let offset = new.len() as u64;
        new.extend_from_slice(bytes);
        self.changes.bytes += bytes.len() as u64;
        (self.origins.buffers.len(), offset)
    }

    /// Returns the buffer that holds an accessor's elements.
    pub(crate) fn buffer_of(&self, accessor: Option<usize>) -> Option<usize> {
        let base = self.origins.accessors.get(accessor?)?.base?;
        self.origins.views.get(base.view).filter(|view| view.meshopt.is_none()).map(|view| view.buffer)
    }

    /// Adds an accessor with this JSON, as it is; returns its index.
    pub(crate) fn add_plain_accessor(&mut self, item: &Value) -> Result<usize, WriteError> {
        self.push("accessors", item)?;
        self.accessors += 1;
        self.changes.accessors.insert(self.accessors - 1);
        Ok(self.accessors - 1)
    }

    /// Returns the files that result.
    pub fn finish(
        mut self,
        source: &[u8],
        rename: &mut dyn FnMut(usize) -> Option<String>,
    ) -> Result<Patched, WriteError> {
        let mut out = Patched::default();
        self.changes.bytes += self.buffers.changed;
        let added = std::mem::take(&mut self.added);
        for (buffer, length) in std::mem::take(&mut self.stand_ins) {
            self.set_member(&[PathStep::Key("buffers"), PathStep::At(buffer)], "byteLength", length.to_string())?;
        }
        let is_glb = self.origins.json.start > 0;
        let mut bin = None;
        for bytes in added {
            // The binary chunk of a GLB is its first buffer.
            if is_glb && self.origins.buffers.is_empty() && container::lacks_binary(source, &self.origins.json) {
                self.push("buffers", &json!({ "byteLength": bytes.len() }))?;
                bin = Some((self.origins.json.clone(), bytes));
                continue;
            }
            let uri = encode("data:application/octet-stream;base64,", &bytes);
            self.push("buffers", &json!({ "byteLength": bytes.len(), "uri": uri }))?;
        }
        let empty = Buffers::new(&[], &[], Vec::new());
        let changed = std::mem::replace(&mut self.buffers, empty).into_changed();
        for (buffer, bytes, length) in changed {
            let path = [PathStep::Key("buffers"), PathStep::At(buffer)];
            if let Some(length) = length {
                self.set_member(&path, "byteLength", length.to_string())?;
            }
            match &self.origins.buffers[buffer].source {
                BufferSource::GlbChunk { range } => bin = Some((range.clone(), bytes)),
                BufferSource::File(file) => {
                    let uri = rename(buffer);
                    let file = file.clone();
                    if let Some(uri) = &uri
                        && self.root["buffers"][buffer]["uri"].as_str() != Some(uri)
                    {
                        self.set_member(&path, "uri", Value::from(uri.as_str()).to_string())?;
                    }
                    out.buffers.push(ChangedBuffer { path: file, uri, bytes });
                }
                BufferSource::DataUri => {
                    let old = self.root["buffers"][buffer]["uri"].as_str().unwrap_or_default();
                    let uri = Value::from(encode(old, &bytes)).to_string();
                    self.set_member(&path, "uri", uri)?;
                }
                BufferSource::Unread => {}
            }
        }
        let text = (self.changes.json_values > 0).then(|| self.text.to_text());
        out.main = Some(match is_glb {
            true => {
                let bin = bin.as_ref().map(|(range, bytes)| (range, &bytes[..]));
                container::glb(source, (&self.origins.json, text.as_deref()), bin)?
            }
            false => {
                let text = text.as_deref().unwrap_or(self.around.json);
                [self.around.before, text.as_bytes(), self.around.after].concat()
            }
        });
        out.changes = self.changes;
        Ok(out)
    }
}

/// Compresses elements of `stride` bytes in the form that both extensions know; `None` where no attribute has such elements.
fn meshopt_stream(bytes: &[u8], stride: usize) -> Option<Vec<u8>> {
    fn of<T>(elements: &[T]) -> Option<Vec<u8>> {
        // The levels are those of the newer form alone.
        ::meshopt::encode_vertex_buffer_level(elements, 2, Some(0)).ok().filter(|stream| !stream.is_empty())
    }
    if bytes.is_empty() || !bytes.len().is_multiple_of(stride) {
        return None;
    }
    match stride {
        4 => of(bytes.as_chunks::<4>().0),
        8 => of(bytes.as_chunks::<8>().0),
        16 => of(bytes.as_chunks::<16>().0),
        64 => of(bytes.as_chunks::<64>().0),
        _ => None,
    }
}

pub(super) const fn component(component: ComponentType) -> u64 {
    match component {
        ComponentType::I8 => 5120,
        ComponentType::U8 => 5121,
        ComponentType::I16 => 5122,
        ComponentType::U16 => 5123,
        ComponentType::U32 => 5125,
        ComponentType::F32 => 5126,
    }
}

/// Returns a number as JSON writes it: whole numbers without a point.
pub(super) fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 { Value::from(value as i64) } else { Value::from(value) }
}
