//! Describes where the numbers of a file stand, for `skinscope info`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::model::{
    AccessorOrigin, AttributeOrigin, BufferOrigin, BufferSource, ByteLocation, ElementsOrigin, Model, Origins,
    ViewOrigin,
};

/// Describes the JSON text, buffers, views and accessors of the file. Null for a model that was not read from a file.
pub(super) fn storage(origins: &Origins) -> Value {
    if *origins == Origins::default() {
        return Value::Null;
    }
    let accessors = origins.accessors.iter().enumerate().map(|(i, a)| accessor(origins, i, a));
    json!({
        "json": { "offset": origins.json.start, "length": origins.json.end - origins.json.start },
        "buffers": origins.buffers.iter().enumerate().map(buffer).collect::<Vec<_>>(),
        "views": origins.views.iter().enumerate().map(view).collect::<Vec<_>>(),
        "accessors": accessors.collect::<Vec<_>>(),
    })
}

fn buffer((index, buffer): (usize, &BufferOrigin)) -> Value {
    let (source, file, offset) = match &buffer.source {
        BufferSource::GlbChunk { range } => ("glb", None, Some(range.start)),
        BufferSource::File(path) => ("file", Some(path.display().to_string()), Some(0)),
        BufferSource::DataUri => ("data", None, None),
        BufferSource::Unread => ("unread", None, None),
    };
    json!({ "index": index, "length": buffer.length, "source": source, "file": file, "file_offset": offset })
}

fn view((index, view): (usize, &ViewOrigin)) -> Value {
    let meshopt = view.meshopt.as_ref().map(|s| {
        json!({
            "extension": s.extension, "buffer": s.buffer, "offset": s.offset, "length": s.length, "mode": s.mode,
            "filter": s.filter, "stride": s.stride, "count": s.count,
        })
    });
    json!({
        "index": index, "buffer": view.buffer, "offset": view.offset, "length": view.length, "meshopt": meshopt,
    })
}

fn accessor(origins: &Origins, index: usize, accessor: &AccessorOrigin) -> Value {
    let size = accessor.element.bytes(accessor.component);
    let sparse = accessor.sparse.as_ref().map(|s| {
        json!({
            "count": s.count,
            "component": s.index_type.name(),
            "indices": elements(origins, &s.indices, s.index_type.bytes()),
            "values": elements(origins, &s.values, size),
        })
    });
    json!({
        "index": index,
        "type": accessor.element.name(),
        "component": accessor.component.name(),
        "normalized": accessor.normalized,
        "count": accessor.count,
        "elements": accessor.base.map(|base| elements(origins, &base, size)),
        "sparse": sparse,
    })
}

/// Describes a list of elements of `size` bytes each.
fn elements(origins: &Origins, list: &ElementsOrigin, size: usize) -> Value {
    let (buffer, offset) = match origins.place(list, size, 0) {
        Some(ByteLocation::Buffer { buffer, range }) => (Some(buffer), range.start),
        Some(ByteLocation::Decoded { range, .. }) => (None, range.start),
        None => (None, list.offset),
    };
    json!({ "view": list.view, "buffer": buffer, "offset": offset, "stride": list.stride })
}

/// Describes the sets of joints and weights of a primitive, and its Draco stream.
pub(super) fn influences(origins: &Origins, mesh: usize, primitive: usize) -> (Value, Value) {
    let Some(origin) = origins.primitives.get(mesh).and_then(|list| list.get(primitive)) else {
        return (json!([]), Value::Null);
    };
    let attribute = |a: AttributeOrigin| json!({ "accessor": a.accessor, "draco": a.draco });
    let set = origin.sets.iter().map(|s| json!({ "joints": attribute(s.joints), "weights": attribute(s.weights) }));
    let draco = origin.draco.map(|d| json!({ "view": d.view, "vertices": d.vertices }));
    (set.collect(), draco.into())
}

/// Returns the members that a node has in the file.
pub(super) fn node(origins: &Origins, node: usize) -> Vec<&'static str> {
    origins.nodes.get(node).into_iter().flat_map(|members| members.names()).collect()
}

/// Describes the samplers of a clip, and which channels of its animation it has: those that move nodes, and those that
/// change other properties.
pub(super) fn clip(model: &Model, clip: usize) -> Value {
    let Some(origin) = model.source.origins.clips.get(clip) else { return Value::Null };
    let samplers = origin
        .samplers
        .iter()
        .map(|s| json!({ "index": s.sampler, "input": s.input, "output": s.output, "keys": s.kept.as_deref() }));
    json!({
        "samplers": samplers.collect::<Vec<_>>(), "channels": origin.channels, "properties": origin.properties,
    })
}

/// Describes in a line how joints and weights are stored; `None` where there are none.
pub(super) fn line(origins: &Origins) -> Option<String> {
    let sets = || origins.primitives.iter().flatten().flat_map(|p| &p.sets);
    let mut named: BTreeMap<usize, usize> = BTreeMap::new();
    for attribute in sets().flat_map(|s| [s.joints, s.weights]) {
        *named.entry(attribute.accessor).or_default() += 1;
    }
    let accessor = |index: usize| origins.accessors.get(index);
    let types = |of: &mut dyn Iterator<Item = usize>| {
        let names: BTreeSet<&str> = of.filter_map(accessor).map(|a| a.component.name()).collect();
        names.into_iter().collect::<Vec<_>>().join(" and ")
    };
    let joints = types(&mut sets().map(|s| s.joints.accessor));
    let weights = types(&mut sets().map(|s| s.weights.accessor));
    let all = || named.keys().filter_map(|a| accessor(*a));
    let is_compressed = |view: usize| origins.views.get(view).is_some_and(|v| v.meshopt.is_some());
    let decoded: BTreeSet<usize> =
        sets().flat_map(|s| [s.joints, s.weights]).filter(|a| a.draco.is_some()).map(|a| a.accessor).collect();
    let counts = [
        (
            all().filter(|a| a.base.is_some_and(|b| b.stride > a.element.bytes(a.component))).count(),
            "interleaved or padded",
        ),
        (all().filter(|a| a.sparse.is_some()).count(), "sparse"),
        (all().filter(|a| a.base.is_some_and(|b| is_compressed(b.view))).count(), "compressed by meshopt"),
        (decoded.len(), "compressed by Draco"),
        (named.values().filter(|times| **times > 1).count(), "used more than once"),
    ];
    let counts: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    let rest = if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
    (!named.is_empty()).then(|| format!("joints {joints} and weights {weights} in {} accessors{rest}", named.len()))
}
