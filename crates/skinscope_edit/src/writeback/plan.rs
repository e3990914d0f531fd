//! Decides for each accessor whether its new numbers fit where the old ones stand, and carries that out.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};
use skinscope_model::{Clip, ComponentType, ViewOrigin};

use super::bindings;
use super::clips;
use super::draft::{Draft, component, number};
use super::homes::NewMesh;
use super::json::{PathStep, whole};
use super::layers;
use super::shapes;
use super::streams;
use super::uses::{self, Bytes};
use super::wants::{Data, User, Want};
use super::{Patched, Recompression, WriteError};
use crate::{AddedShapes, LayersInFile, Sheet};

/// The `target` of views that hold vertex attributes.
const ARRAY_BUFFER: u64 = 34962;

/// The plan for each accessor.
pub(super) struct Plan<'s> {
    draft: Draft<'s>,
    users: HashMap<usize, Vec<User>>,
    meant: Vec<Bytes>,
    recompression: Recompression,
}

impl<'s> Plan<'s> {
    pub fn new(
        source: &'s [u8],
        (sheet, new_meshes): (&Sheet<'s>, &[NewMesh]),
        recompression: Recompression,
    ) -> Result<Self, WriteError> {
        let mut draft = Draft::new(source, sheet)?;
        new_meshes.iter().try_for_each(|mesh| draft.add_mesh(mesh))?;
        bindings::append(&mut draft)?;
        let users = uses::users(&draft.root);
        let meant = uses::all_bytes(draft.origins, &draft.root);
        Ok(Self { draft, users, meant, recompression })
    }

    /// Carries the plan out and returns the files that result.
    pub fn finish(self, source: &[u8], rename: &mut dyn FnMut(usize) -> Option<String>) -> Result<Patched, WriteError> {
        self.draft.finish(source, rename)
    }

    /// Appends clips after those of the file, and returns sentences about those whose keys floats are too coarse for.
    pub fn add_clips(&mut self, added: &[&Clip]) -> Result<Vec<String>, WriteError> {
        clips::append(&mut self.draft, added)
    }

    /// Keeps layers of weights in the extras of the file, or takes them out of there.
    pub fn set_layers(&mut self, layers: &LayersInFile) -> Result<(), WriteError> {
        layers::write(layers, &mut self.draft)
    }

    /// Gives meshes other morph targets, with the keys of their weights and with what drives them.
    pub(crate) fn set_shapes(&mut self, all: &[AddedShapes]) -> Result<(), WriteError> {
        shapes::write(&mut self.draft, all)
    }

    pub fn carry_out(&mut self, wants: &[Want]) -> Result<(), WriteError> {
        let mut by_accessor: BTreeMap<usize, Vec<&Want>> = BTreeMap::new();
        for want in wants {
            match want.accessor {
                Some(accessor) => by_accessor.entry(accessor).or_default().push(want),
                None => self.add_accessor(want)?,
            }
        }
        let mut moved: Vec<(usize, Vec<&Want>)> = Vec::new();
        let parted: Vec<(usize, Vec<Want>)> = by_accessor
            .iter()
            .filter(|(accessor, wants)| wants.iter().any(|want| want.changes()) && !self.is_agreed(**accessor, wants))
            .map(|(accessor, wants)| (*accessor, alike(wants)))
            .collect();
        let mut agreed: Vec<(usize, Vec<&Want>)> = Vec::new();
        for (accessor, groups) in &parted {
            // Where nothing reads the old numbers any more, the first new ones take their place.
            let is_left = self.has_users(*accessor, &by_accessor[accessor])
                && by_accessor[accessor].iter().all(|want| want.changes());
            let stays = usize::from(is_left && groups.first().is_some_and(|group| !group.is_draco));
            for group in &groups[stays..] {
                self.add_accessor(group)?;
            }
            agreed.extend(groups[..stays].iter().map(|group| (*accessor, vec![group])));
        }
        for (accessor, wants) in &by_accessor {
            if wants.iter().any(|want| want.changes()) && self.is_agreed(*accessor, wants) {
                agreed.push((*accessor, wants.clone()));
            }
        }
        agreed.sort_by_key(|(accessor, _)| *accessor);
        for (accessor, wants) in agreed {
            match self.in_place(accessor, &wants, &by_accessor) {
                Some(bytes) => self.put(accessor, &wants, &bytes)?,
                None => moved.push((accessor, wants)),
            }
        }
        for (accessor, wants) in moved {
            let Some(want) = wants.first() else { continue };
            let data = self.complete(&want.data, Some(accessor), &want.changed)?;
            self.note_packing(accessor, wants.iter().any(|want| want.is_draco));
            self.repoint(accessor, &data)?;
            for user in wants.iter().filter(|want| want.is_draco).flat_map(|want| &want.users) {
                streams::leave(&mut self.draft, user)?;
            }
        }
        Ok(())
    }

    /// Returns whether all users of an accessor are among those who want something.
    fn has_users(&self, accessor: usize, wants: &[&Want]) -> bool {
        let wanting: usize = wants.iter().map(|want| want.users.len()).sum();
        wanting == self.users.get(&accessor).map_or(0, Vec::len)
    }

    /// Returns whether all users of an accessor want the same numbers.
    fn is_agreed(&self, accessor: usize, wants: &[&Want]) -> bool {
        self.has_users(accessor, wants) && wants.windows(2).all(|two| two[0].data == two[1].data)
    }

    /// Returns the accessor's bytes, if the new numbers fit there and nothing else reads those that change.
    fn in_place(&self, accessor: usize, wants: &[&Want], all: &BTreeMap<usize, Vec<&Want>>) -> Option<Bytes> {
        let bytes = self.plain(accessor)?;
        if wants.iter().any(|want| want.is_retyped || want.is_draco) {
            return None;
        }
        // An accessor of the same bytes that wants the same numbers is no obstacle.
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

    /// Returns the bytes of an accessor that has neither compression nor sparse elements.
    fn plain(&self, accessor: usize) -> Option<Bytes> {
        let origin = self.draft.origins.accessors.get(accessor).filter(|a| a.sparse.is_none())?;
        let size = origin.element.bytes(origin.component);
        let bytes = uses::elements(self.draft.origins, &origin.base?, size, origin.count)?;
        // Elements that overlap cannot be set one by one.
        (bytes.stride >= bytes.size && self.draft.buffers.can_grow(bytes.buffer)).then_some(bytes)
    }

    fn put(&mut self, accessor: usize, wants: &[&Want], bytes: &Bytes) -> Result<(), WriteError> {
        for want in wants {
            for element in &want.changed {
                let start = bytes.element(u64::from(*element)).start;
                self.draft.buffers.put(bytes.buffer, start, want.data.element(*element as usize))?;
            }
        }
        if let Some(want) = wants.first() {
            let data = self.complete(&want.data, Some(accessor), &want.changed)?;
            self.set_bounds(accessor, &data)?;
        }
        self.draft.changes.accessors.insert(accessor);
        Ok(())
    }

    /// Completes the data with numbers that only the file has: elements beyond the last one that is read, and numbers
    /// that import replaces.
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
                let stored = self.draft.buffers.get(bytes.buffer, bytes.element(element))?;
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

    /// Sets `min` and `max` of an accessor from its numbers, where it has them.
    fn set_bounds(&mut self, accessor: usize, data: &Data) -> Result<(), WriteError> {
        for (name, values) in ["min", "max"].into_iter().zip(data.bounds()) {
            for (i, value) in values.into_iter().enumerate() {
                let stated = &self.draft.root["accessors"][accessor][name][i];
                // Readers of floats take the nearest one.
                let same = |stated: f64| match data.component {
                    ComponentType::F32 => stated as f32 == value as f32,
                    _ => stated == value,
                };
                if stated.is_null() || stated.as_f64().is_some_and(same) || !value.is_finite() {
                    continue;
                }
                let path = [PathStep::Key("accessors"), PathStep::At(accessor), PathStep::Key(name), PathStep::At(i)];
                self.draft.set(&path, number(value).to_string())?;
            }
        }
        Ok(())
    }

    /// Counts an accessor whose elements are stored plain from now on, where they were not before.
    fn note_packing(&mut self, accessor: usize, is_draco: bool) {
        let origins = self.draft.origins;
        let origin = origins.accessors.get(accessor);
        let view = origin.and_then(|a| a.base).and_then(|base| origins.views.get(base.view));
        let packing = match origin {
            _ if is_draco => "Draco",
            _ if self.packed(Some(accessor)).is_some() => return self.draft.changes.recompressed += 1,
            _ if view.is_some_and(|view| view.meshopt.is_some()) => "meshopt",
            Some(origin) if origin.sparse.is_some() => "sparse",
            _ => return,
        };
        *self.draft.changes.unpacked.entry(packing).or_default() += 1;
    }

    /// Returns the compressed view that an accessor's bytes come from, where the new ones are compressed too.
    fn packed(&self, accessor: Option<usize>) -> Option<&'s ViewOrigin> {
        let origins = self.draft.origins;
        let base = origins.accessors.get(accessor?).filter(|a| a.sparse.is_none())?.base?;
        let view = origins.views.get(base.view).filter(|_| self.recompression == Recompression::Meshopt)?;
        view.meshopt.is_some().then_some(view)
    }

    /// Adds a view of the new bytes of an accessor.
    fn add_view(&mut self, accessor: Option<usize>, data: &Data) -> Result<usize, WriteError> {
        match self.packed(accessor) {
            Some(view) => self.draft.add_compressed_view(&data.bytes, data.size(), view, target(data)),
            None => self.draft.add_view(&data.bytes, self.draft.buffer_of(accessor), target(data)),
        }
    }

    /// Makes an accessor that has no other users describe new bytes.
    fn repoint(&mut self, accessor: usize, data: &Data) -> Result<(), WriteError> {
        let view = self.add_view(Some(accessor), data)?;
        let path = [PathStep::Key("accessors"), PathStep::At(accessor)];
        let stated = self.draft.root["accessors"][accessor].clone();
        self.draft.set_member(&path, "bufferView", view.to_string())?;
        if stated["byteOffset"].as_f64().is_some_and(|offset| offset != 0.0) {
            self.draft.set_member(&path, "byteOffset", "0".to_owned())?;
        }
        let component = component(data.component);
        if whole(&stated["componentType"]) != Some(component) {
            self.draft.set_member(&path, "componentType", component.to_string())?;
        }
        let is_normalized = stated["normalized"].as_bool() == Some(true);
        match is_unit(data, stated["normalized"].as_bool(), self.is_weights(accessor)) {
            true if !is_normalized => self.draft.set_member(&path, "normalized", "true".to_owned())?,
            false if is_normalized => self.draft.remove_member(&path, "normalized")?,
            _ => {}
        }
        if whole(&stated["count"]) != Some(data.count() as u64) {
            self.draft.set_member(&path, "count", data.count().to_string())?;
        }
        if !stated["sparse"].is_null() {
            self.draft.remove_member(&path, "sparse")?;
        }
        self.set_bounds(accessor, data)?;
        self.draft.changes.accessors.insert(accessor);
        Ok(())
    }

    fn is_weights(&self, accessor: usize) -> bool {
        let users = self.users.get(&accessor).map_or(&[][..], |users| &users[..]);
        users.iter().any(|u| matches!(u, User::Attribute(_, _, name) if name.starts_with("WEIGHTS_")))
    }

    /// Adds an accessor for some users of an old one, or where there was none.
    fn add_accessor(&mut self, want: &Want) -> Result<(), WriteError> {
        let data = self.complete(&want.data, want.accessor, &want.changed)?;
        let view = self.add_view(want.accessor, &data)?;
        let component = component(data.component);
        let mut item = json!({
            "bufferView": view, "componentType": component, "count": data.count(), "type": data.kind,
        });
        let old = want.accessor.map_or(&Value::Null, |accessor| &self.draft.root["accessors"][accessor]);
        let weights = |user: &User| matches!(user, User::Attribute(_, _, name) if name.starts_with("WEIGHTS_"));
        if is_unit(&data, None, want.users.iter().any(weights)) {
            item["normalized"] = json!(true);
        }
        for (name, values) in ["min", "max"].into_iter().zip(data.bounds()) {
            if !old[name].is_null() {
                item[name] = values.into_iter().map(number).collect();
            }
        }
        if let Some(accessor) = want.accessor {
            self.note_packing(accessor, want.is_draco);
        }
        let new = self.draft.add_plain_accessor(&item)?;
        for user in &want.users {
            match user {
                User::Attribute(mesh, primitive, name) => {
                    let path = [
                        PathStep::Key("meshes"),
                        PathStep::At(*mesh),
                        PathStep::Key("primitives"),
                        PathStep::At(*primitive),
                        PathStep::Key("attributes"),
                    ];
                    self.draft.set_member(&path, name, new.to_string())?;
                    if want.is_draco {
                        streams::leave(&mut self.draft, user)?;
                    }
                }
                User::Binds(skin) => {
                    let path = [PathStep::Key("skins"), PathStep::At(*skin)];
                    self.draft.set_member(&path, "inverseBindMatrices", new.to_string())?;
                }
                User::Other => {}
            }
        }
        Ok(())
    }
}

/// Groups the wants that change something with all others that want the same and change too.
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

/// Returns whether integers stand for 0 to 1.
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
