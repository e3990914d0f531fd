//! Describes where a file stores its numbers, for `skinscope info`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::model::{
    AccessorOrigin, AttributeOrigin, BufferOrigin, BufferSource, ByteLocation, ElementsOrigin, Model, Origins,
    SamplerOrigin, ViewOrigin,
};
use crate::words::counted;

// A file can have thousands of accessors and samplers. So these are structures, which are written as they are: a
// `serde_json::Value` of the same content takes 25 times the memory of its text. Their fields are in alphabetical
// order, as those of a `Value` are.

/// The JSON text, buffers, views and accessors of a file.
#[derive(Serialize)]
pub(super) struct Storage {
    accessors: Vec<Accessor>,
    buffers: Vec<Buffer>,
    json: Text,
    views: Vec<View>,
}

#[derive(Serialize)]
struct Text {
    length: u64,
    offset: u64,
}

#[derive(Serialize)]
struct Buffer {
    file: Option<String>,
    file_offset: Option<u64>,
    index: usize,
    length: u64,
    source: &'static str,
}

#[derive(Serialize)]
struct View {
    buffer: usize,
    index: usize,
    length: u64,
    meshopt: Option<Meshopt>,
    offset: u64,
}

#[derive(Serialize)]
struct Meshopt {
    buffer: usize,
    count: usize,
    extension: &'static str,
    filter: &'static str,
    length: u64,
    mode: &'static str,
    offset: u64,
    stride: usize,
}

#[derive(Serialize)]
struct Accessor {
    component: &'static str,
    count: usize,
    elements: Option<Elements>,
    index: usize,
    normalized: bool,
    sparse: Option<Sparse>,
    #[serde(rename = "type")]
    element: &'static str,
}

#[derive(Serialize)]
struct Elements {
    buffer: Option<usize>,
    offset: u64,
    stride: usize,
    view: usize,
}

#[derive(Serialize)]
struct Sparse {
    component: &'static str,
    count: usize,
    indices: Elements,
    values: Elements,
}

/// The joints and weights `n` of a primitive.
#[derive(Serialize)]
pub(super) struct InfluenceSet {
    joints: Attribute,
    weights: Attribute,
}

#[derive(Serialize)]
struct Attribute {
    accessor: usize,
    draco: Option<u32>,
}

/// The Draco stream of a primitive.
#[derive(Serialize)]
pub(super) struct Draco {
    vertices: Option<usize>,
    view: usize,
}

/// The samplers of a clip, and which channels of its animation it has: those that move nodes, and those that change other
/// properties.
#[derive(Serialize)]
pub(super) struct StoredClip<'a> {
    channels: &'a [usize],
    properties: &'a [usize],
    samplers: Vec<Sampler<'a>>,
}

#[derive(Serialize)]
struct Sampler<'a> {
    index: usize,
    input: usize,
    keys: Option<&'a [u32]>,
    output: usize,
}

/// Describes the JSON text, buffers, views and accessors of the file. `None` for a model that was not read from a file.
pub(super) fn storage(origins: &Origins) -> Option<Storage> {
    if *origins == Origins::default() {
        return None;
    }
    let accessors = origins.accessors.iter().enumerate().map(|(i, a)| accessor(origins, i, a));
    Some(Storage {
        accessors: accessors.collect(),
        buffers: origins.buffers.iter().enumerate().map(buffer).collect(),
        json: Text { length: origins.json.end - origins.json.start, offset: origins.json.start },
        views: origins.views.iter().enumerate().map(view).collect(),
    })
}

fn buffer((index, buffer): (usize, &BufferOrigin)) -> Buffer {
    let (source, file, file_offset) = match &buffer.source {
        BufferSource::GlbChunk { range } => ("glb", None, Some(range.start)),
        BufferSource::File(path) => ("file", Some(path.display().to_string()), Some(0)),
        BufferSource::DataUri => ("data", None, None),
        BufferSource::Unread => ("unread", None, None),
    };
    Buffer { file, file_offset, index, length: buffer.length, source }
}

fn view((index, view): (usize, &ViewOrigin)) -> View {
    let meshopt = view.meshopt.as_ref().map(|s| Meshopt {
        buffer: s.buffer,
        count: s.count,
        extension: s.extension,
        filter: s.filter,
        length: s.length,
        mode: s.mode,
        offset: s.offset,
        stride: s.stride,
    });
    View { buffer: view.buffer, index, length: view.length, meshopt, offset: view.offset }
}

fn accessor(origins: &Origins, index: usize, accessor: &AccessorOrigin) -> Accessor {
    let size = accessor.element.bytes(accessor.component);
    let sparse = accessor.sparse.as_ref().map(|s| Sparse {
        component: s.index_type.name(),
        count: s.count,
        indices: elements(origins, &s.indices, s.index_type.bytes()),
        values: elements(origins, &s.values, size),
    });
    Accessor {
        component: accessor.component.name(),
        count: accessor.count,
        elements: accessor.base.map(|base| elements(origins, &base, size)),
        index,
        normalized: accessor.normalized,
        sparse,
        element: accessor.element.name(),
    }
}

/// Describes a list of elements of `size` bytes each.
fn elements(origins: &Origins, list: &ElementsOrigin, size: usize) -> Elements {
    let (buffer, offset) = match origins.location(list, size, 0) {
        Some(ByteLocation::Buffer { buffer, range }) => (Some(buffer), range.start),
        Some(ByteLocation::Decoded { range, .. }) => (None, range.start),
        None => (None, list.offset),
    };
    Elements { buffer, offset, stride: list.stride, view: list.view }
}

/// Describes the sets of joints and weights of a primitive, and its Draco stream.
pub(super) fn influences(origins: &Origins, mesh: usize, primitive: usize) -> (Vec<InfluenceSet>, Option<Draco>) {
    let Some(origin) = origins.primitives.get(mesh).and_then(|list| list.get(primitive)) else {
        return (Vec::new(), None);
    };
    let attribute = |a: AttributeOrigin| Attribute { accessor: a.accessor, draco: a.draco };
    let sets = origin.sets.iter().map(|s| InfluenceSet { joints: attribute(s.joints), weights: attribute(s.weights) });
    (sets.collect(), origin.draco.map(|d| Draco { vertices: d.vertices, view: d.view }))
}

/// Returns the members that a node has in the file.
pub(super) fn node(origins: &Origins, node: usize) -> Vec<&'static str> {
    origins.nodes.get(node).into_iter().flat_map(|members| members.names()).collect()
}

/// Describes where the keys of a clip are stored; `None` for a clip that was not read from a file.
pub(super) fn clip(model: &Model, clip: usize) -> Option<StoredClip<'_>> {
    let origin = model.source.origins.clips.get(clip)?;
    Some(StoredClip {
        channels: &origin.channels,
        properties: &origin.properties,
        samplers: origin.samplers.iter().map(Sampler::of).collect(),
    })
}

impl<'a> Sampler<'a> {
    fn of(origin: &'a SamplerOrigin) -> Self {
        Self { index: origin.sampler, input: origin.input, keys: origin.kept.as_deref(), output: origin.output }
    }
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
    (!named.is_empty()).then(|| {
        format!("joints {joints} and weights {weights} in {}{rest}", counted(named.len(), "accessor", "accessors"))
    })
}
