//! Reads meshes, and the nodes that show them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use glam::Affine3A;
use gltf::json;
use gltf::json::mesh::Semantic;
use gltf::json::validation::Checked;
use skinscope_base::words::counted;
use skinscope_model::{
    Instance, Material, Mesh, MeshId, NodeId, Primitive, PrimitiveId, PrimitiveOrigin, Skin, SkinId, Topology,
};

use super::attributes::PrimitiveSource;
use super::error::Warnings;
use super::nodes::Nodes;
use super::{ImportError, Reader, copies, draco, influences, topology};

/// All meshes, and the locations of the influences of each primitive in the file.
pub(super) type MeshesAndOrigins = (Vec<Mesh>, Vec<Vec<PrimitiveOrigin>>);

/// Reads all meshes, in file order; their primitives on all cores.
pub(super) fn read(reader: &Reader, materials: &[Material], variants: usize) -> Result<MeshesAndOrigins, ImportError> {
    let mut origins: Vec<Vec<PrimitiveOrigin>> = Vec::with_capacity(reader.root.meshes.len());
    let mut out = Vec::with_capacity(reader.root.meshes.len());
    let mut work: Vec<Group> = Vec::new();
    let mut known = Known::new();
    for (i, mesh) in reader.root.meshes.iter().enumerate() {
        let targets = check(i, mesh)?;
        let count = mesh.primitives.len();
        work.extend(groups(i, mesh, targets, &mut known));
        let (name, morph_names) = (mesh.name.clone().unwrap_or_default(), target_names(mesh, targets));
        origins.push(vec![PrimitiveOrigin::default(); count]);
        out.push(Mesh { name, primitives: vec![Primitive::default(); count], morph_names, ..Mesh::default() });
    }
    let (done, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let read = reader.progress.map(work.len(), &|turn| {
        // Pieces of work are begun in order, so a mesh that is left out here comes after one that failed.
        if failed.load(Ordering::Relaxed) {
            return None;
        }
        let warnings = Warnings::default();
        let reader = Reader { warnings: &warnings, ..*reader };
        let primitives = read_group(&reader, (materials, variants), &work[turn]);
        failed.fetch_or(primitives.is_err(), Ordering::Relaxed);
        let fraction = (done.fetch_add(1, Ordering::Relaxed) + 1) as f32 / work.len() as f32;
        (reader.progress.report)(0.1 + 0.5 * fraction, "Reading meshes");
        Some((primitives, warnings))
    })?;
    for (group, (primitives, warnings)) in work.iter().zip(read.into_iter().flatten()) {
        reader.warnings.append(warnings);
        for (p, (primitive, origin)) in group.primitives.iter().zip(primitives?) {
            out[group.mesh].primitives[*p] = primitive;
            origins[group.mesh][*p] = origin;
        }
    }
    Ok((out, origins))
}

/// Primitives of a mesh that name the same vertices.
struct Group {
    mesh: usize,
    /// Their indices in the mesh, rising.
    primitives: Vec<usize>,
    /// How many morph targets each must have.
    targets: usize,
    /// The first vertex list of the file that names the same positions and influences.
    repeats: Option<PrimitiveId>,
}

/// The accessors of the positions and influences of vertex lists, each with the first list that names them.
type Known = HashMap<Vec<(String, usize)>, PrimitiveId>;

/// Returns the primitives of a mesh in groups that name the same vertices, ordered by their first ones.
fn groups(mesh: usize, of: &json::Mesh, targets: usize, lists: &mut Known) -> Vec<Group> {
    let mut out: Vec<Group> = Vec::new();
    let mut known: HashMap<VerticesKey, usize> = HashMap::new();
    let mut repeats = None;
    for (p, primitive) in of.primitives.iter().enumerate() {
        if let Some(key) = vertices_key(primitive) {
            let is_moved = |(name, _): &&(String, usize)| {
                name == "POSITION" || name.starts_with("JOINTS_") || name.starts_with("WEIGHTS_")
            };
            let moved: Vec<(String, usize)> = key.1.iter().filter(is_moved).cloned().collect();
            match known.entry(key) {
                Entry::Occupied(group) => {
                    out[*group.get()].primitives.push(p);
                    continue;
                }
                Entry::Vacant(entry) => _ = entry.insert(out.len()),
            }
            let own = PrimitiveId::new(MeshId::from_index(mesh), p);
            repeats = Some(*lists.entry(moved).or_insert(own)).filter(|first| *first != own);
        }
        out.push(Group { mesh, primitives: vec![p], targets, repeats: repeats.take() });
    }
    out
}

/// What two primitives have alike that name the same vertices: the kind of list that their mode unrolls to, the accessor of
/// each attribute, and those of the morph targets.
type VerticesKey = (Topology, Vec<(String, usize)>, Vec<[Option<usize>; 3]>);

/// Returns what primitives are compared by. `None` where a primitive shares with no other: its vertices are in a stream of its
/// own, or something about them is not valid.
fn vertices_key(primitive: &json::mesh::Primitive) -> Option<VerticesKey> {
    let compressed = |name: &String| name.ends_with("_mesh_compression");
    if primitive.extensions.iter().flat_map(|e| e.others.keys()).any(compressed) {
        return None;
    }
    primitive.attributes.get(&Checked::Valid(Semantic::Positions))?;
    let Checked::Valid(mode) = primitive.mode else { return None };
    let attribute = |(semantic, accessor): (&Checked<Semantic>, &json::Index<json::Accessor>)| match semantic {
        Checked::Valid(semantic) => Some((semantic.to_string(), accessor.value())),
        Checked::Invalid => None,
    };
    let attributes = primitive.attributes.iter().map(attribute).collect::<Option<Vec<_>>>()?;
    let target = |t: &json::mesh::MorphTarget| [t.positions, t.normals, t.tangents].map(|i| i.map(|i| i.value()));
    Some((topology::of_mode(mode).1, attributes, primitive.targets.iter().flatten().map(target).collect()))
}

fn read_group(
    reader: &Reader,
    (materials, variants): (&[Material], usize),
    group: &Group,
) -> Result<Vec<(Primitive, PrimitiveOrigin)>, ImportError> {
    let of = &reader.root.meshes[group.mesh].primitives;
    let source = |p: usize, unpacked| PrimitiveSource {
        reader,
        primitive: &of[p],
        at: (group.mesh, p),
        repeats: group.repeats,
        unpacked,
        materials,
        variants,
    };
    let Some((first, others)) = group.primitives.split_first() else { return Ok(Vec::new()) };
    let location = format!("mesh {}, primitive {first}", group.mesh);
    let decoded = draco::read(reader, &of[*first], location.clone())?;
    let unpacked = decoded.as_ref().map(|d| d.unpack(reader, &location)).transpose()?;
    let first = source(*first, unpacked);
    let others: Vec<PrimitiveSource> = others.iter().map(|p| source(*p, None)).collect();
    let read = first.read(group.targets, &others)?;
    let holder = first.origin(&read[0]);
    let origins: Vec<PrimitiveOrigin> = others.iter().map(|other| other.origin(&read[0])).collect();
    Ok(read.into_iter().zip(std::iter::once(holder).chain(origins)).collect())
}

/// Returns the number of morph targets, which all primitives must share.
fn check(index: usize, mesh: &json::Mesh) -> Result<usize, ImportError> {
    let location = || format!("mesh {index}");
    let Some(first) = mesh.primitives.first() else {
        return Err(ImportError::invalid(location(), "one primitive at least", "none"));
    };
    let targets = first.targets.as_ref().map_or(0, Vec::len);
    if let Some(weights) = &mesh.weights {
        check_target_count(&location, targets, weights.len(), || format!("{} default weights", weights.len()))?;
    }
    Ok(targets)
}

/// Refuses morph weights that are fewer or more than the morph targets; `found` says in words how many there are.
fn check_target_count(
    location: &dyn Fn() -> String,
    targets: usize,
    weights: usize,
    found: impl FnOnce() -> String,
) -> Result<(), ImportError> {
    if weights == targets {
        return Ok(());
    }
    let expected = format!("one weight for each of {}", counted(targets, "morph target", "morph targets"));
    Err(ImportError::invalid(location(), expected, found()))
}

/// Returns the names of morph targets: `extras.targetNames`, which is a convention of exporters; made up where missing.
fn target_names(mesh: &json::Mesh, count: usize) -> Vec<String> {
    #[derive(Default, serde::Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    struct Extras {
        target_names: Vec<String>,
    }
    let extras = mesh.extras.as_ref().and_then(|raw| serde_json::from_str::<Extras>(raw.get()).ok());
    let mut names = extras.unwrap_or_default().target_names.into_iter();
    (0..count).map(|i| names.next().filter(|n| !n.is_empty()).unwrap_or_else(|| format!("target {i}"))).collect()
}

/// Returns the meshes that nodes show, in node order.
pub(super) fn instances(reader: &Reader, nodes: &Nodes, meshes: &[Mesh]) -> Result<Vec<Instance>, ImportError> {
    let mut out = Vec::new();
    let mut morph_offset = 0;
    for (i, file) in nodes.skeleton.file_index.iter().enumerate() {
        let node = &reader.root.nodes[*file as usize];
        let location = || format!("node {file}");
        check_references(reader, node, &location)?;
        let Some(mesh) = node.mesh.map(|m| m.value()) else {
            if node.skin.is_some() {
                reader.warnings.add(location(), "has a skin and no mesh; the skin moves nothing here");
            }
            continue;
        };
        let skin = effective_skin(reader, node, &meshes[mesh], &location);
        let copies = copies(reader, node, skin, &location)?;
        if copies.as_ref().is_some_and(Vec::is_empty) {
            reader.warnings.add(location(), "shows its mesh no time at all");
            continue;
        }
        let copies = copies.unwrap_or_default();
        let morph_weights = rest_weights(reader, node, mesh, meshes[mesh].morph_names.len(), &location)?;
        let count = morph_weights.len();
        let skin = skin.map(SkinId::from_index);
        let (node, mesh) = (NodeId::from_index(i), MeshId::from_index(mesh));
        out.push(Instance { node, mesh, skin, morph_weights, morph_offset, copies });
        morph_offset += count;
    }
    Ok(out)
}

/// Checks the joint indices of each mesh against the smallest of the skins that show it. `parted` lists the meshes that
/// are copies of others in the file.
pub(super) fn check_joints(
    reader: &Reader,
    skins: &[Skin],
    instances: &[Instance],
    (meshes, parted): (&mut [Mesh], &[(MeshId, MeshId)]),
) -> Result<(), ImportError> {
    let mut smallest: Vec<Option<usize>> = vec![None; meshes.len()];
    for Instance { mesh, skin, .. } in instances {
        let Some(skin) = skin.map(SkinId::index) else { continue };
        let joints = |s: usize| skins[s].joints.len();
        let least = smallest[mesh.index()].filter(|s| joints(*s) <= joints(skin)).unwrap_or(skin);
        smallest[mesh.index()] = Some(least);
    }
    for (m, mesh) in meshes.iter_mut().enumerate() {
        if let Some(skin) = smallest[m] {
            let of_file = parted.iter().find(|(own, _)| own.index() == m).map_or(m, |(_, file)| file.index());
            influences::check_joints(reader, mesh, (of_file, skin, skins[skin].joints.len()))?;
        }
    }
    Ok(())
}

/// Returns the transforms of the copies of a mesh, if the node shows several. A skinned mesh stands where its skin says
/// and has no copies.
fn copies(
    reader: &Reader,
    node: &json::Node,
    skin: Option<usize>,
    location: &dyn Fn() -> String,
) -> Result<Option<Vec<Affine3A>>, ImportError> {
    let copies = copies::read(reader, node, location)?;
    if let (Some(copies), Some(_)) = (&copies, skin) {
        let copies = counted(copies.len(), "copy", "copies");
        let text = format!("asks for {copies} of a mesh that a skin moves; it is drawn once");
        reader.warnings.add(location(), text);
        return Ok(None);
    }
    Ok(copies)
}

fn check_references(reader: &Reader, node: &json::Node, location: &dyn Fn() -> String) -> Result<(), ImportError> {
    let root = reader.root;
    let references = [
        ("mesh", node.mesh.map(|m| m.value()), root.meshes.len()),
        ("skin", node.skin.map(|s| s.value()), root.skins.len()),
        ("camera", node.camera.map(|c| c.value()), root.cameras.len()),
    ];
    for (what, index, have) in references {
        if let Some(index) = index.filter(|i| *i >= have) {
            return Err(ImportError::invalid(location(), format!("a {what} below {have}"), format!("{what} {index}")));
        }
    }
    Ok(())
}

/// Returns the node's skin, unless the mesh has nothing that a skin could move.
fn effective_skin(reader: &Reader, node: &json::Node, mesh: &Mesh, location: &dyn Fn() -> String) -> Option<usize> {
    let skin = node.skin?.value();
    let rigid = mesh.vertex_lists().filter(|(_, p)| p.stored_influences.is_none());
    // Primitives that share the vertices of another count too.
    let rigid: usize = rigid.map(|(p, _)| mesh.parts(p).count()).sum();
    if rigid == mesh.primitives.len() {
        reader.warnings.add(location(), "has a skin, but its mesh has no JOINTS and WEIGHTS; it follows the node");
        return None;
    }
    if rigid > 0 {
        let primitives = match rigid {
            1 => "1 primitive of its mesh has no JOINTS and WEIGHTS and follows",
            n => &format!("{n} primitives of its mesh have no JOINTS and WEIGHTS and follow"),
        };
        let message = format!("has a skin, but {primitives} the node");
        reader.warnings.add(location(), message);
    }
    Some(skin)
}

/// Returns the default morph weights: the node's, else the mesh's, else zeros.
fn rest_weights(
    reader: &Reader,
    node: &json::Node,
    mesh: usize,
    targets: usize,
    location: &dyn Fn() -> String,
) -> Result<Vec<f32>, ImportError> {
    reader.decoded.charge(location, targets as u64, 2 * size_of::<f32>())?;
    let stored = node.weights.as_ref().or(reader.root.meshes[mesh].weights.as_ref());
    let mut weights = stored.cloned().unwrap_or_else(|| vec![0.0; targets]);
    check_target_count(location, targets, weights.len(), || counted(weights.len(), "weight", "weights"))?;
    let bad = super::attributes::make_finite(&mut weights);
    if bad > 0 {
        reader.warnings.add(
            location(),
            format!("has {} not finite; read as 0", counted(bad, "morph weight that is", "morph weights that are")),
        );
    }
    Ok(weights)
}
