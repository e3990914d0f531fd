//! Decides for each accessor whether its numbers fit where they stand, and carries that out.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

use super::buffers::{Buffers, encode};
use super::container::{self, Text};
use super::json::{Node, Step};
use super::streams;
use super::uses::{self, Bytes};
use super::wants::{Data, User, Want};
use super::{ChangedBuffer, Changes, Patched, WriteError};
use crate::edit::Sheet;
use crate::model::{BufferSource, ComponentType, Model, Origins};

/// The `target` of views that hold vertex attributes.
const ARRAY_BUFFER: u64 = 34962;

/// A file while it is patched.
pub(super) struct Plan<'s> {
    pub model: &'s Model,
    pub origins: &'s Origins,
    /// The text as data, as it was.
    pub root: Value,
    pub text: Node<'s>,
    around: Text<'s>,
    pub buffers: Buffers<'s>,
    users: HashMap<usize, Vec<User>>,
    meant: Vec<Bytes>,
    views: usize,
    accessors: usize,
    pub changes: Changes,
    /// Buffers that were added, as bytes: for files in which nothing can grow.
    added: Vec<Vec<u8>>,
}

impl<'s> Plan<'s> {
    pub fn new(source: &'s [u8], sheet: &Sheet<'s>) -> Result<Self, WriteError> {
        let origins: &Origins = &sheet.model.source.origins;
        let range = origins.json.start as usize..origins.json.end as usize;
        let around = Text::of(source.get(range).ok_or_else(|| WriteError::Json("as many bytes".to_owned()))?)?;
        let root: Value = serde_json::from_str(around.json).map_err(|e| WriteError::Json(e.to_string()))?;
        let uri = |b: usize| root["buffers"][b]["uri"].as_str().map(str::to_owned);
        let uris = (0..origins.buffers.len()).map(uri).collect();
        let users = uses::users(&root);
        let meant = uses::all_bytes(origins, &root);
        let count = |list: &str| root[list].as_array().map_or(0, Vec::len);
        Ok(Self {
            model: sheet.model,
            origins,
            users,
            meant,
            views: count("bufferViews"),
            accessors: count("accessors"),
            text: Node::of(around.json),
            around,
            buffers: Buffers::new(source, &origins.buffers, uris),
            changes: Changes::default(),
            added: Vec::new(),
            root,
        })
    }

    pub fn carry_out(&mut self, wants: &[Want]) -> Result<(), WriteError> {
        let mut by_accessor: BTreeMap<usize, Vec<&Want>> = BTreeMap::new();
        for want in wants {
            match want.accessor {
                Some(accessor) => by_accessor.entry(accessor).or_default().push(want),
                None => self.add_accessor(want)?,
            }
        }
        let mut moved: Vec<usize> = Vec::new();
        for (accessor, wants) in &by_accessor {
            if !wants.iter().any(|want| want.changes()) {
                continue;
            }
            if !self.is_agreed(*accessor, wants) {
                for group in alike(wants) {
                    self.add_accessor(&group)?;
                }
            } else if let Some(bytes) = self.in_place(*accessor, wants, &by_accessor) {
                self.put(*accessor, wants, &bytes)?;
            } else {
                moved.push(*accessor);
            }
        }
        for accessor in moved {
            let wants = &by_accessor[&accessor];
            let Some(want) = wants.first() else { continue };
            let data = self.complete(&want.data, Some(accessor), &want.changed)?;
            self.repoint(accessor, &data)?;
            for user in wants.iter().filter(|want| want.is_draco).flat_map(|want| &want.users) {
                streams::leave(self, user)?;
            }
        }
        Ok(())
    }

    /// Whether all that reads an accessor wants the same of it.
    fn is_agreed(&self, accessor: usize, wants: &[&Want]) -> bool {
        let wanting: usize = wants.iter().map(|want| want.users.len()).sum();
        let users = self.users.get(&accessor).map_or(0, Vec::len);
        wanting == users && wants.windows(2).all(|two| two[0].data == two[1].data)
    }

    /// The accessor's bytes, if the new numbers can stand there and nobody else reads those that change.
    fn in_place(&self, accessor: usize, wants: &[&Want], all: &BTreeMap<usize, Vec<&Want>>) -> Option<Bytes> {
        let bytes = self.plain(accessor)?;
        if wants.iter().any(|want| want.is_retyped || want.is_draco) {
            return None;
        }
        // Another accessor of the same bytes that wants the same of them is no other.
        let same = |other: usize| {
            let there = self.plain(other).map(|b| Bytes { accessor: None, ..b });
            let others = all.get(&other).map_or(&[][..], |others| &others[..]);
            there == Some(Bytes { accessor: None, ..bytes })
                && self.is_agreed(other, others)
                && others.first().is_some_and(|w| w.data == wants[0].data && !w.is_draco && !w.is_retyped)
        };
        let read_by = |want: &Want, other: &Bytes| bytes.overlaps(&want.changed, other);
        let foreign = self.meant.iter().filter(|other| other.accessor != Some(accessor));
        let taken = foreign
            .filter(|other| wants.iter().any(|want| read_by(want, other)))
            .any(|other| !other.accessor.is_some_and(same));
        (!taken).then_some(bytes)
    }

    /// The bytes of an accessor that has neither compression nor sparse elements.
    fn plain(&self, accessor: usize) -> Option<Bytes> {
        let origin = self.origins.accessors.get(accessor).filter(|a| a.sparse.is_none())?;
        let size = origin.element.bytes(origin.component);
        let bytes = uses::elements(self.origins, &origin.base?, size, origin.count)?;
        // Elements that lie in one another cannot be set one by one.
        (bytes.stride >= bytes.size && self.buffers.can_grow(bytes.buffer)).then_some(bytes)
    }

    fn put(&mut self, accessor: usize, wants: &[&Want], bytes: &Bytes) -> Result<(), WriteError> {
        for want in wants {
            for element in &want.changed {
                let start = bytes.element(u64::from(*element)).start;
                self.buffers.put(bytes.buffer, start, want.data.element(*element as usize))?;
            }
        }
        if let Some(want) = wants.first() {
            let data = self.complete(&want.data, Some(accessor), &want.changed)?;
            self.set_bounds(accessor, &data)?;
        }
        self.changes.accessors.insert(accessor);
        Ok(())
    }

    /// The data with what only the file has: elements beyond the last one that is read, and numbers that import repairs.
    fn complete(&mut self, data: &Data, accessor: Option<usize>, changed: &[u32]) -> Result<Data, WriteError> {
        let mut out = data.clone();
        let Some(bytes) = accessor.and_then(|a| self.plain(a)).filter(|b| b.size == data.size() as u64) else {
            return Ok(out);
        };
        if data.width == 4 {
            return Ok(out);
        }
        for element in 0..bytes.count {
            let known = changed.binary_search(&(element as u32)).is_ok();
            if !known {
                let stored = self.buffers.get(bytes.buffer, bytes.element(element))?;
                let at = element as usize * data.size();
                if at < out.bytes.len() {
                    out.bytes[at..at + data.size()].copy_from_slice(stored);
                } else {
                    out.bytes.extend_from_slice(stored);
                }
            }
        }
        Ok(out)
    }

    /// Makes `min` and `max` of an accessor what its numbers say, where it has them.
    fn set_bounds(&mut self, accessor: usize, data: &Data) -> Result<(), WriteError> {
        for (name, values) in ["min", "max"].into_iter().zip(data.bounds()) {
            for (i, value) in values.into_iter().enumerate() {
                let stated = &self.root["accessors"][accessor][name][i];
                // Readers of floats take the nearest one.
                let same = |stated: f64| match data.component {
                    ComponentType::F32 => stated as f32 == value as f32,
                    _ => stated == value,
                };
                if stated.is_null() || stated.as_f64().is_some_and(same) || !value.is_finite() {
                    continue;
                }
                let path = [Step::Key("accessors"), Step::At(accessor), Step::Key(name), Step::At(i)];
                self.set(&path, number(value).to_string())?;
            }
        }
        Ok(())
    }

    /// Changes a value that is there.
    pub fn set(&mut self, path: &[Step], text: String) -> Result<(), WriteError> {
        let node = self.text.find(path)?.ok_or_else(|| WriteError::Json(format!("{path:?}")))?;
        if node.to_text() != text {
            node.set(text);
            self.changes.json_values += 1;
        }
        Ok(())
    }

    /// Changes or adds a member of an object.
    pub fn set_member(&mut self, path: &[Step], key: &str, text: String) -> Result<(), WriteError> {
        let node = self.text.find(path)?.ok_or_else(|| WriteError::Json(format!("{path:?}")))?;
        let same = node.find(&[Step::Key(key)])?.is_some_and(|found| found.to_text() == text);
        if !same {
            node.set_member(key, text)?;
            self.changes.json_values += 1;
        }
        Ok(())
    }

    /// Removes a member of an object.
    pub fn remove_member(&mut self, path: &[Step], key: &str) -> Result<(), WriteError> {
        if let Some(node) = self.text.find(path)?
            && node.remove_member(key)?
        {
            self.changes.json_values += 1;
        }
        Ok(())
    }

    fn push(&mut self, list: &str, item: &Value) -> Result<(), WriteError> {
        if self.text.find(&[Step::Key(list)])?.is_none() {
            self.text.set_member(list, "[]".to_owned())?;
        }
        let node = self.text.find(&[Step::Key(list)])?.ok_or_else(|| WriteError::Json(list.to_owned()))?;
        node.push(item.to_string())?;
        self.changes.json_values += 1;
        Ok(())
    }

    /// A new view of new bytes, appended to the buffer that the old ones stand in where that can grow.
    pub fn add_view(&mut self, bytes: &[u8], near: Option<usize>, target: Option<u64>) -> Result<usize, WriteError> {
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

    /// The buffer that an accessor's elements stand in.
    fn buffer_of(&self, accessor: Option<usize>) -> Option<usize> {
        let base = self.origins.accessors.get(accessor?)?.base?;
        self.origins.views.get(base.view).filter(|view| view.meshopt.is_none()).map(|view| view.buffer)
    }

    /// Lets an accessor that only its wants read describe new bytes.
    fn repoint(&mut self, accessor: usize, data: &Data) -> Result<(), WriteError> {
        let view = self.add_view(&data.bytes, self.buffer_of(Some(accessor)), target(data))?;
        let path = [Step::Key("accessors"), Step::At(accessor)];
        let stated = self.root["accessors"][accessor].clone();
        self.set_member(&path, "bufferView", view.to_string())?;
        if stated["byteOffset"].as_f64().is_some_and(|offset| offset != 0.0) {
            self.set_member(&path, "byteOffset", "0".to_owned())?;
        }
        let component = component(data.component);
        if stated["componentType"].as_u64() != Some(component) {
            self.set_member(&path, "componentType", component.to_string())?;
        }
        let is_normalized = stated["normalized"].as_bool() == Some(true);
        match is_unit(data, stated["normalized"].as_bool(), self.is_weights(accessor)) {
            true if !is_normalized => self.set_member(&path, "normalized", "true".to_owned())?,
            false if is_normalized => self.remove_member(&path, "normalized")?,
            _ => {}
        }
        if stated["count"].as_u64() != Some(data.count() as u64) {
            self.set_member(&path, "count", data.count().to_string())?;
        }
        if !stated["sparse"].is_null() {
            self.remove_member(&path, "sparse")?;
        }
        self.set_bounds(accessor, data)?;
        self.changes.accessors.insert(accessor);
        Ok(())
    }

    fn is_weights(&self, accessor: usize) -> bool {
        let users = self.users.get(&accessor).map_or(&[][..], |users| &users[..]);
        users.iter().any(|u| matches!(u, User::Attribute(_, _, name) if name.starts_with("WEIGHTS_")))
    }

    /// A new accessor for some users of an old one, or where there was none.
    fn add_accessor(&mut self, want: &Want) -> Result<(), WriteError> {
        let data = self.complete(&want.data, want.accessor, &want.changed)?;
        let view = self.add_view(&data.bytes, self.buffer_of(want.accessor), target(&data))?;
        let component = component(data.component);
        let mut item = json!({
            "bufferView": view, "componentType": component, "count": data.count(), "type": data.kind,
        });
        let old = want.accessor.map_or(&Value::Null, |accessor| &self.root["accessors"][accessor]);
        let weights = |user: &User| matches!(user, User::Attribute(_, _, name) if name.starts_with("WEIGHTS_"));
        if is_unit(&data, None, want.users.iter().any(weights)) {
            item["normalized"] = json!(true);
        }
        for (name, values) in ["min", "max"].into_iter().zip(data.bounds()) {
            if !old[name].is_null() {
                item[name] = values.into_iter().map(number).collect();
            }
        }
        let new = self.add_plain_accessor(&item)?;
        for user in &want.users {
            match user {
                User::Attribute(mesh, primitive, name) => {
                    let path = [
                        Step::Key("meshes"),
                        Step::At(*mesh),
                        Step::Key("primitives"),
                        Step::At(*primitive),
                        Step::Key("attributes"),
                    ];
                    self.set_member(&path, name, new.to_string())?;
                    if want.is_draco {
                        streams::leave(self, user)?;
                    }
                }
                User::Binds(skin) => {
                    let path = [Step::Key("skins"), Step::At(*skin)];
                    self.set_member(&path, "inverseBindMatrices", new.to_string())?;
                }
                User::Other => {}
            }
        }
        Ok(())
    }

    /// A new accessor as it stands in the text; its index.
    pub fn add_plain_accessor(&mut self, item: &Value) -> Result<usize, WriteError> {
        self.push("accessors", item)?;
        self.accessors += 1;
        self.changes.accessors.insert(self.accessors - 1);
        Ok(self.accessors - 1)
    }

    /// The files that come of it.
    pub fn finish(
        mut self,
        source: &[u8],
        rename: &mut dyn FnMut(usize) -> Option<String>,
    ) -> Result<Patched, WriteError> {
        let mut out = Patched::default();
        self.changes.bytes += self.buffers.changed;
        let added = std::mem::take(&mut self.added);
        for bytes in added {
            let uri = encode("data:application/octet-stream;base64,", &bytes);
            self.push("buffers", &json!({ "byteLength": bytes.len(), "uri": uri }))?;
        }
        let empty = Buffers::new(&[], &[], Vec::new());
        let changed = std::mem::replace(&mut self.buffers, empty).into_changed();
        let mut bin = None;
        for (buffer, bytes, length) in changed {
            let path = [Step::Key("buffers"), Step::At(buffer)];
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
        let is_glb = self.origins.json.start > 0;
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

/// The wants that change something, each with all others that want the same and change too.
fn alike(wants: &[&Want]) -> Vec<Want> {
    let mut out: Vec<Want> = Vec::new();
    for want in wants.iter().filter(|want| want.changes()) {
        let same = |o: &&mut Want| o.data == want.data && o.is_draco == want.is_draco;
        match out.iter_mut().find(same) {
            Some(known) => known.users.extend(want.users.iter().cloned()),
            None => out.push((*want).clone()),
        }
    }
    out
}

/// Whether integers stand for 0 to 1.
fn is_unit(data: &Data, stated: Option<bool>, weights: bool) -> bool {
    match (data.component, weights) {
        (ComponentType::F32, _) => false,
        (_, true) => true,
        (_, false) => stated == Some(true),
    }
}

fn target(data: &Data) -> Option<u64> {
    (data.width == 4).then_some(ARRAY_BUFFER)
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

/// A number as JSON has it; whole ones without a point.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 { Value::from(value as i64) } else { Value::from(value) }
}
