//! Computes what `skinscope info` reports of a file.

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};
use serde::Serialize;
use serde_json::{Value, json};

use super::origins;
use crate::deform::{METHODS, Method, PaletteBuffer, PaletteFit, PaletteLimits};
use crate::inspect::tables::{SkinSummary, VertexTable, share_percent, skin_summaries};
use crate::model::{
    Camera, Image, Interpolation, Lens, Light, LightKind, Material, Model, NodeId, Pixels, Primitive, WeightFormat,
};
use crate::session::{Document, Session};
use crate::solve::{DrivenShapes, kept_shapes};
use crate::{anim, export};

fn primitives(model: &Model) -> impl Iterator<Item = &Primitive> {
    model.file_meshes().flat_map(|(_, mesh)| &mesh.primitives)
}

fn triangles(model: &Model) -> usize {
    primitives(model).filter(|p| p.topology == crate::model::Topology::Triangles).map(|p| p.indices.len() / 3).sum()
}

/// The whole report, from which text output is made too, so that both say the same. Data of which a file has little is
/// a [`Value`]; the long lists are structures (see [`origins`]). Fields are in alphabetical order, as those of a
/// `Value` are.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    asset: Value,
    pub bounds: Value,
    pub cameras: Vec<Value>,
    clips: Vec<ClipRow<'a>>,
    pub counts: Value,
    extensions: Value,
    file: &'a str,
    humanoid: Value,
    images: Vec<Value>,
    influences: Value,
    pub lights: Vec<Value>,
    materials: Vec<Value>,
    meshes: Vec<MeshRow<'a>>,
    nodes: Vec<NodeRow<'a>>,
    pub origin: [f64; 3],
    palette: Value,
    schema: u32,
    shapes: Value,
    skins: Vec<Value>,
    storage: Option<origins::Storage>,
    pub strays: Value,
    variants: &'a [String],
    warnings: &'a [String],
}

#[derive(Serialize)]
struct NodeRow<'a> {
    copies: usize,
    humanoid: Option<&'a str>,
    index: u32,
    joint: bool,
    members: Vec<&'static str>,
    mesh: Option<u32>,
    name: &'a str,
    parent: Option<u32>,
    skin: Option<u32>,
}

#[derive(Serialize)]
struct MeshRow<'a> {
    index: usize,
    name: &'a str,
    primitives: Vec<PrimitiveRow>,
}

#[derive(Serialize)]
struct PrimitiveRow {
    draco: Option<origins::Draco>,
    indices: usize,
    influences: usize,
    material: Option<u32>,
    mode: String,
    morph_targets: usize,
    sets: Vec<origins::InfluenceSet>,
    /// The primitive of the mesh that has the vertices which this one names too.
    shares: Option<usize>,
    variants: Vec<Value>,
    vertices: usize,
    weights: Option<&'static str>,
}

#[derive(Serialize)]
struct ClipRow<'a> {
    channels: usize,
    duration_secs: f64,
    index: usize,
    interpolations: Vec<String>,
    keys: usize,
    name: &'a str,
    start_secs: f64,
    stored: Option<origins::StoredClip<'a>>,
}

/// Returns the corners of the box around figures that stand so far from each other that they are not shown at their distance, in the
/// file's world, metres; `None` for all other models.
fn bounds_of_figures(model: &Model, scene: usize) -> Option<[DVec3; 2]> {
    if model.skeleton.other_figures().is_empty() {
        return None;
    }
    let surface = export::baked_surface(model, &anim::drawn_at_rest(model, scene), &model.skeleton.rest, METHODS[0]);
    let positions = surface.iter().flat_map(|p| p.positions.iter().map(|position| position.as_dvec3() + p.origin));
    positions.map(|p| [p; 2]).reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])
}

/// Reports what a file holds, as `session` shows it.
pub(super) fn describe<'a>(document: &'a Document, session: &Session) -> Report<'a> {
    let model = &*document.model;
    let bounds = session.extents().bounds();
    let extent = session.surfaces().extent();
    let strays = (extent.stray_count() > 0).then(|| {
        let farthest = Some(extent.farthest).filter(|metres| metres.is_finite());
        json!({ "vertices": extent.stray_count(), "farthest": farthest })
    });
    let joints = (0..model.skeleton.len()).filter(|n| model.is_joint(NodeId::from_index(*n))).count();
    let origin = session.surfaces().origin();
    let corner = |corner: Vec3| match origin == DVec3::ZERO {
        true => json!(corner.to_array()),
        false => json!((corner.as_dvec3() + origin).to_array()),
    };
    let bounds = match bounds_of_figures(model, session.view().scene) {
        Some([min, max]) => Some(json!({ "min": min.to_array(), "max": max.to_array() })),
        None if bounds.is_empty() => None,
        None => Some(json!({ "min": corner(bounds.min), "max": corner(bounds.max) })),
    };
    let image = |(i, image): (usize, &Image)| {
        let pixels = image.pixels();
        let [width, height] = [Pixels::width, Pixels::height].map(|of| pixels.as_deref().map(of));
        json!({ "index": i, "name": image.name, "width": width, "height": height })
    };
    Report {
        asset: json!({
            "version": model.source.version,
            "generator": model.source.generator,
            "copyright": model.source.copyright,
        }),
        bounds: bounds.into(),
        cameras: cameras(model),
        clips: clips(model),
        counts: json!({
            "scenes": model.scenes.len(),
            "nodes": model.skeleton.len(),
            "joints": joints,
            "skins": model.skins.len(),
            "meshes": model.file_meshes().count(),
            "primitives": primitives(model).count(),
            "vertices": primitives(model).filter(|p| p.repeats.is_none()).map(|p| p.stored_vertices).sum::<usize>(),
            "triangles": triangles(model),
            "clips": model.clips.len(),
            "materials": model.materials.len(),
            "textures": model.textures.len(),
            "images": model.images.len(),
            "morph_targets": model.file_meshes().map(|(_, mesh)| mesh.morph_names.len()).sum::<usize>(),
        }),
        extensions: json!({ "used": model.source.extensions_used, "required": model.source.extensions_required }),
        file: &model.source.name,
        humanoid: humanoid(model),
        images: model.images.iter().enumerate().map(image).collect(),
        influences: json!({
            "most": document.stats().most,
            "mean": document.stats().data.mean(),
            "by_count": document.stats().by_influences,
            "percent": share_percent(&document.stats().by_influences),
            "used": document.stats().data.used,
            "stored": document.stats().data.stored,
        }),
        lights: lights(model),
        materials: materials(model),
        meshes: meshes(model),
        nodes: nodes(model),
        origin: origin.to_array(),
        palette: palette(model),
        schema: 1,
        shapes: shapes(model),
        skins: skins(model),
        storage: origins::storage(&model.source.origins),
        strays: strays.into(),
        variants: &model.variants,
        warnings: &document.warnings,
    }
}

/// Returns the family of names by which a model is a humanoid, and which node is which bone; null where it is none.
fn humanoid(model: &Model) -> Value {
    let Some(rig) = model.rig() else { return Value::Null };
    let node = |node: NodeId| model.skeleton.file_index[node.index()];
    let bones: serde_json::Map<String, Value> =
        rig.bones().map(|(bone, of)| (bone.to_owned(), node(of).into())).collect();
    json!({ "family": rig.family().name(), "bones": bones })
}

/// Returns the corrective shapes, with the joints whose rotations bring them in; null where what the file keeps of them cannot be used.
fn shapes(model: &Model) -> Value {
    let Ok(all) = kept_shapes(model) else { return Value::Null };
    let node = |node: NodeId| model.skeleton.file_index[node.index()];
    let one = |shapes: &DrivenShapes| {
        let targets = shapes.targets.iter().map(|(target, name)| json!({ "target": target, "name": name }));
        json!({
            "node": node(model.instances[shapes.instance.index()].node),
            "joints": shapes.driver.joints().iter().map(|joint| node(*joint)).collect::<Vec<_>>(),
            "targets": targets.collect::<Vec<_>>(),
        })
    };
    all.iter().map(one).collect()
}

fn nodes(model: &Model) -> Vec<NodeRow<'_>> {
    let mut mesh_of = BTreeMap::new();
    for instance in &model.instances {
        mesh_of.insert(
            instance.node,
            (model.file_mesh(instance.mesh).0, instance.skin.map(|s| s.0), instance.copy_count()),
        );
    }
    let row = |n: usize| {
        let node = NodeId::from_index(n);
        let carried = mesh_of.get(&node);
        NodeRow {
            copies: carried.map_or(0, |c| c.2),
            humanoid: model.humanoid(node),
            index: model.skeleton.file_index[n],
            joint: model.is_joint(node),
            members: origins::node(&model.source.origins, n),
            mesh: carried.map(|c| c.0),
            name: &model.skeleton.names[n],
            parent: model.skeleton.parents[n].map(|p| model.skeleton.file_index[p.index()]),
            skin: carried.and_then(|c| c.1),
        }
    };
    let mut out: Vec<NodeRow<'_>> = (0..model.skeleton.len()).map(row).collect();
    out.sort_by_key(|row| row.index);
    out
}

fn meshes(model: &Model) -> Vec<MeshRow<'_>> {
    let row = |index: usize| MeshRow {
        index,
        name: &model.meshes[index].name,
        primitives: (0..model.meshes[index].primitives.len()).map(|p| primitive(model, index, p)).collect(),
    };
    model.file_meshes().map(|(id, _)| row(id.index())).collect()
}

fn skins(model: &Model) -> Vec<Value> {
    let file_index = |n: NodeId| model.skeleton.file_index[n.index()];
    let describe = |s: &SkinSummary| {
        let skin = &model.skins[s.skin.index()];
        json!({
            "index": s.skin.0,
            "name": skin.name,
            "joints": skin.joints.iter().map(|j| file_index(*j)).collect::<Vec<_>>(),
            "skeleton": skin.root.map(file_index),
            "inverse_binds": !skin.binds_missing,
            "inverse_bind_accessor": model.source.origins.skins.get(s.skin.index()).copied().flatten(),
            "shared_with": s.shared_with,
            "primitives": s.primitives,
            "vertices": s.vertices,
            "influences": {
                "most": s.most,
                "mean": s.mean(),
                "by_count": s.by_influences,
                "percent": share_percent(&s.by_influences),
                "used": s.used,
                "stored": s.stored,
            },
            "over_4": s.over_limit,
            "sum_not_one": s.uneven,
            "bytes": s.bytes,
        })
    };
    skin_summaries(model, &VertexTable::of(model), 4).iter().map(describe).collect()
}

fn primitive(model: &Model, mesh: usize, index: usize) -> PrimitiveRow {
    let of = &model.meshes[mesh];
    let (p, (holder, indices)) = (&of.primitives[index], of.part_of(index));
    // Its vertices may be in another primitive.
    let vertices = &of.primitives[holder];
    let (sets, draco) = origins::influences(&model.source.origins, mesh, index);
    PrimitiveRow {
        draco,
        indices: indices.len(),
        influences: vertices.stored_influences.as_ref().map_or(0, |i| i.per_vertex),
        material: p.material.map(|m| m.0),
        mode: format!("{:?}", p.source_mode),
        morph_targets: p.morphs.len(),
        sets,
        variants: p.variants.iter().map(|(v, m)| json!({ "variant": v, "material": m.0 })).collect(),
        shares: p.shares,
        vertices: vertices.stored_vertices,
        weights: vertices.stored_influences.as_ref().map(|i| match i.format {
            WeightFormat::U8 => "u8",
            WeightFormat::U16 => "u16",
            WeightFormat::F32 => "f32",
        }),
    }
}

/// Summarises the joint matrices of one picture.
fn palette(model: &Model) -> Value {
    let matrices = model.palette_layout().len as usize;
    let methods = METHODS.iter().map(|method| {
        let [least, usual] = in_uniform(method, matrices);
        json!({
            "method": method.id,
            "bytes_per_matrix": usual.joint_bytes,
            "bytes": usual.bytes(),
            "uniform_16_kib": least.is_uniform(),
            "uniform_64_kib": usual.is_uniform(),
        })
    });
    json!({ "matrices": matrices, "methods": methods.collect::<Vec<_>>() })
}

/// Sizes of uniform buffers in bytes: the size that every Vulkan device can bind at once, and the one that nearly every
/// device can.
const UNIFORM_BYTES: [u64; 2] = [16 << 10, 64 << 10];

/// Returns how a palette fits into uniform buffers of these sizes.
pub(super) fn in_uniform(method: &Method, matrices: usize) -> [PaletteFit; 2] {
    UNIFORM_BYTES.map(|uniform| {
        let limits = PaletteLimits { uniform, storage: u64::MAX };
        PaletteFit::new(PaletteBuffer::Uniform, method, matrices, limits)
    })
}

fn lights(model: &Model) -> Vec<Value> {
    let describe = |(i, light): (usize, &Light)| {
        let carried = model.light_nodes.iter().filter(|(_, l)| l.index() == i);
        let (kind, cone) = match light.kind {
            LightKind::Directional => ("directional", None),
            LightKind::Point => ("point", None),
            LightKind::Spot { inner, outer } => ("spot", Some([inner, outer])),
        };
        json!({
            "index": i,
            "name": light.name,
            "type": kind,
            "color": light.color.to_array(),
            "intensity": light.intensity,
            "range": light.range,
            "cone": cone,
            "nodes": carried.map(|(n, _)| model.skeleton.file_index[n.index()]).collect::<Vec<_>>(),
        })
    };
    model.lights.iter().enumerate().map(describe).collect()
}

fn cameras(model: &Model) -> Vec<Value> {
    let describe = |(i, camera): (usize, &Camera)| {
        let carried = model.camera_nodes.iter().filter(|(_, c)| c.index() == i);
        json!({
            "index": i,
            "name": camera.name,
            "type": if matches!(camera.lens, Lens::Perspective { .. }) { "perspective" } else { "orthographic" },
            "nodes": carried.map(|(n, _)| model.skeleton.file_index[n.index()]).collect::<Vec<_>>(),
        })
    };
    model.cameras.iter().enumerate().map(describe).collect()
}

fn clips(model: &Model) -> Vec<ClipRow<'_>> {
    let row = |index: usize| {
        let clip = &model.clips[index];
        let samplers = || clip.channels.iter().map(|c| &clip.samplers[c.sampler]);
        let mut used: Vec<Interpolation> = Vec::new();
        samplers().for_each(|s| {
            if !used.contains(&s.interpolation) {
                used.push(s.interpolation)
            }
        });
        let mut interpolations: Vec<String> = used.iter().map(|i| format!("{i:?}")).collect();
        interpolations.sort();
        ClipRow {
            channels: clip.channels.len() + clip.properties.len(),
            duration_secs: clip.duration_secs().into(),
            index,
            interpolations,
            keys: samplers().map(|s| clip.times[s.times].len()).sum(),
            name: &clip.name,
            start_secs: clip.start_secs.into(),
            stored: origins::clip(model, index),
        }
    };
    (0..model.clips.len()).map(row).collect()
}

fn materials(model: &Model) -> Vec<Value> {
    let describe = |(i, m): (usize, &Material)| {
        let textures: Vec<String> = m.textures().map(|(name, _)| snake(name)).collect();
        let alpha = match m.alpha {
            crate::model::AlphaMode::Opaque => "opaque",
            crate::model::AlphaMode::Mask { .. } => "mask",
            crate::model::AlphaMode::Blend => "blend",
        };
        json!({ "index": i, "name": m.name, "alpha": alpha, "double_sided": m.double_sided, "layers": layers(m),
            "textures": textures })
    };
    model.materials.iter().enumerate().map(describe).collect()
}

/// Writes a name such as `baseColorTexture` as `base_color`.
fn snake(name: &str) -> String {
    let name = name.trim_end_matches("Texture");
    name.chars().flat_map(|c| [c.is_uppercase().then_some('_'), Some(c.to_ascii_lowercase())]).flatten().collect()
}

/// Names the extensions that add to a material or replace it.
pub(super) fn layers(m: &Material) -> Vec<&'static str> {
    let all = [
        ("unlit", m.unlit),
        ("specular_glossiness", m.specular_glossiness.is_some()),
        ("specular", m.specular.is_some()),
        ("transmission", m.transmission.is_some()),
        ("sheen", m.sheen.is_some()),
        ("clearcoat", m.clearcoat.is_some()),
        ("volume", m.volume.is_some()),
        ("dispersion", m.dispersion.is_some()),
        ("iridescence", m.iridescence.is_some()),
        ("anisotropy", m.anisotropy.is_some()),
    ];
    all.into_iter().filter(|(_, has)| *has).map(|(name, _)| name).collect()
}
