//! Finds the users of each accessor, and the bytes of buffers that are in use.

use std::collections::HashMap;

use serde_json::Value;
use skinscope_model::{ElementsOrigin, Origins};

use super::json::whole;
use super::wants::User;

/// Returns the users of each accessor.
pub(super) fn users(root: &Value) -> HashMap<usize, Vec<User>> {
    let mut out: HashMap<usize, Vec<User>> = HashMap::new();
    let mut note = |value: &Value, user: User| {
        if let Some(index) = index(value) {
            out.entry(index).or_default().push(user);
        }
    };
    for (m, mesh) in list(root, "meshes") {
        for (p, primitive) in list(mesh, "primitives") {
            for (name, accessor) in members(&primitive["attributes"]) {
                note(accessor, User::Attribute(m, p, name.clone()));
            }
            note(&primitive["indices"], User::Other);
            for (_, target) in list(primitive, "targets") {
                members(target).for_each(|(_, accessor)| note(accessor, User::Other));
            }
        }
    }
    for (s, skin) in list(root, "skins") {
        note(&skin["inverseBindMatrices"], User::Binds(s));
    }
    for (_, animation) in list(root, "animations") {
        for (_, sampler) in list(animation, "samplers") {
            note(&sampler["input"], User::Other);
            note(&sampler["output"], User::Other);
        }
    }
    for (_, node) in list(root, "nodes") {
        for (_, extension) in members(&node["extensions"]) {
            members(&extension["attributes"]).for_each(|(_, accessor)| note(accessor, User::Other));
        }
    }
    out
}

pub(super) fn index(value: &Value) -> Option<usize> {
    whole(value).and_then(|index| usize::try_from(index).ok())
}

fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = (usize, &'v Value)> {
    value.get(key).and_then(Value::as_array).into_iter().flatten().enumerate()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// Bytes in use: elements at a fixed distance from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bytes {
    pub buffer: usize,
    pub start: u64,
    pub stride: u64,
    /// The bytes of an element.
    pub size: u64,
    pub count: u64,
    /// The accessor that reads them; `None` for an image, a stream or the like.
    pub accessor: Option<usize>,
}

impl Bytes {
    fn end(&self) -> u64 {
        self.start + self.count.saturating_sub(1) * self.stride + self.size
    }

    /// Returns the bytes of an element.
    pub fn element(&self, index: u64) -> std::ops::Range<u64> {
        self.start + index * self.stride..self.start + index * self.stride + self.size
    }

    /// Returns whether some of the bytes `of` are among these.
    fn holds_some(&self, of: &std::ops::Range<u64>) -> bool {
        if of.end <= self.start || of.start >= self.end() {
            return false;
        }
        let stride = self.stride.max(1);
        // This element is the last one that starts before the end of `of`, and so it ends last.
        let index = ((of.end - 1 - self.start.min(of.end - 1)) / stride).min(self.count.saturating_sub(1));
        self.element(index).end > of.start
    }

    /// Returns whether `other` reads some of these elements.
    pub(crate) fn overlaps(&self, elements: &[u32], other: &Self) -> bool {
        let apart = self.buffer != other.buffer || self.end() <= other.start || other.end() <= self.start;
        !apart && elements.iter().any(|e| other.holds_some(&self.element(u64::from(*e))))
    }
}

/// Returns the bytes of a list of elements, where they stand in a buffer as they are.
pub(super) fn elements(origins: &Origins, list: &ElementsOrigin, size: usize, count: usize) -> Option<Bytes> {
    let view = origins.views.get(list.view).filter(|view| view.meshopt.is_none())?;
    Some(Bytes {
        buffer: view.buffer,
        start: view.offset + list.offset,
        stride: list.stride as u64,
        size: size as u64,
        count: count as u64,
        accessor: None,
    })
}

/// Returns all bytes of buffers that something reads.
pub(super) fn all_bytes(origins: &Origins, root: &Value) -> Vec<Bytes> {
    let mut out = Vec::new();
    for (index, accessor) in origins.accessors.iter().enumerate() {
        let size = accessor.element.bytes(accessor.component);
        let mut add = |list: &ElementsOrigin, size: usize, count: usize| {
            out.extend(elements(origins, list, size, count).map(|bytes| Bytes { accessor: Some(index), ..bytes }));
        };
        accessor.base.iter().for_each(|base| add(base, size, accessor.count));
        for sparse in accessor.sparse.iter() {
            add(&sparse.indices, sparse.index_type.bytes(), sparse.count);
            add(&sparse.values, size, sparse.count);
        }
    }
    let whole = |buffer: usize, start: u64, length: u64| Bytes {
        buffer,
        start,
        stride: length,
        size: length,
        count: 1,
        accessor: None,
    };
    for stream in origins.views.iter().filter_map(|view| view.meshopt.as_ref()) {
        out.push(whole(stream.buffer, stream.offset, stream.length));
    }
    let mut views = Vec::new();
    for (key, value) in members(root).filter(|(key, _)| !matches!(key.as_str(), "accessors" | "bufferViews")) {
        named_views(key, value, &mut views);
    }
    for view in views.into_iter().filter_map(|view| origins.views.get(view)) {
        out.push(whole(view.buffer, view.offset, view.length));
    }
    out
}

/// Collects the views that images, streams and extensions name.
fn named_views(key: &str, value: &Value, out: &mut Vec<usize>) {
    if key == "bufferView" {
        out.extend(index(value));
    }
    // The depth is bounded by what import accepts.
    members(value).for_each(|(key, value)| named_views(key, value, out));
    value.as_array().into_iter().flatten().for_each(|value| named_views("", value, out));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interleaved_elements_do_not_overlap_and_others_do() {
        let at = |start, size| Bytes { buffer: 0, start, stride: 32, size, count: 10, accessor: None };
        let weights = at(116, 16);
        assert!(!weights.overlaps(&[0, 9], &at(100, 12)) && !weights.overlaps(&[0, 9], &at(132, 4)));
        assert!(!weights.overlaps(&[0, 9], &at(100, 16)));
        assert!(weights.overlaps(&[0], &at(100, 17)) && weights.overlaps(&[9], &at(131, 1)));
        // Nothing reads the element after the last one.
        let short = Bytes { count: 5, ..at(116, 16) };
        assert!(weights.overlaps(&[4], &short) && !weights.overlaps(&[5], &short));
        let image = Bytes { stride: 40, size: 40, count: 1, ..at(150, 0) };
        assert!(weights.overlaps(&[1], &image) && weights.overlaps(&[2], &image) && !weights.overlaps(&[0, 3], &image));
        assert!(!weights.overlaps(&[1], &Bytes { buffer: 1, ..image }));
    }
}
