//! `skinscope info`: reports what a file holds.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Instant;

use clap::Args;
use serde_json::{Value, json};

use super::{CliError, ModelArgs, load, origins, print, printable, tell_warnings};
use crate::anim;
use crate::deform::{METHODS, Method, PaletteBuffer, PaletteFit, PaletteLimits};
use crate::inspect::tables::{BOOK_SHARES, SkinSummary, VertexTable, share_percent, skin_summaries};
use crate::math::{length, lengths};
use crate::model::{
    Camera, Clip, Image, Lens, Light, LightKind, Material, Model, NodeId, Path, Pixels, Primitive, WeightFormat,
};
use crate::output::overwritten_by_stdout;
use crate::session::{Document, PlaybackCommand, PoseSource, Session};

/// Say what a file holds: nodes, skins, joints, influences, clips, materials, extensions, warnings
///
/// The JSON has the fields: schema (1), file, asset {version, generator, copyright}, extensions {used, required},
/// counts {scenes, nodes, joints, skins, meshes, primitives, vertices, triangles, clips, materials, textures, images,
/// morph_targets}, bounds {min, max} (metres, of the rest pose as deformed; null without vertices), strays {vertices, farthest}
/// (what lies far outside and is no part of bounds: how many vertices, and how far in metres, null where no number can tell;
/// null where there are none), influences {most,
/// mean, by_count [vertices with 0, 1, 2, 3, 4 and more], percent [the same in percent], used, stored (pairs of joint and weight)},
/// nodes [{index, name, parent, joint, humanoid, mesh, skin, copies, members [matrix, translation, rotation, scale, weights: those
/// that the file has]}],
/// skins [{index, name, joints [node indices], skeleton, inverse_binds (whether the file stores them), inverse_bind_accessor, shared_with (how many other
/// skins have joints in common with it), primitives, vertices, influences {most, mean, by_count, percent, used, stored}, over_4
/// (vertices with more than four), sum_not_one (vertices), bytes (joint numbers, weights, 64 for each inverse bind matrix)}], meshes [{index, name, primitives [{mode, vertices, indices, influences,
/// weights, morph_targets, material, variants [{variant, material}], sets [{joints {accessor, draco}, weights {accessor, draco}}]
/// (JOINTS_n and WEIGHTS_n by n; draco is the attribute's id in the stream that it was decoded from), draco {view, vertices}}]}], lights [{index, name, type, color, intensity, range,
/// cone, nodes}], palette {matrices (of all skins and rigid parts), methods [{method, bytes_per_matrix, bytes, uniform_16_kib,
/// uniform_64_kib (whether a uniform buffer of that size, the least of Vulkan and WebGPU's usual limit, holds all of them)}]}, cameras [{index, name, type, nodes}], clips [{index, name, duration_secs, start_secs, channels, keys,
/// interpolations, stored {samplers [{index, input, output, keys}], channels, properties} (accessors of key times and values; keys are
/// the places of the stored keys that are used, null: all; the animation's channels that move nodes, and those that change other
/// properties)}], materials [{index, name, alpha, double_sided, layers, textures}], variants [text], images [{index, name,
/// width, height}] (of what textures show), storage {json {offset, length} (the text in the file, bytes), buffers [{index, length,
/// source (glb, file, data, unread), file, file_offset (where its bytes begin in the file)}], views [{index, buffer, offset, length,
/// meshopt {extension, buffer, offset, length, mode, filter, stride, count}}], accessors [{index, type, component, normalized, count,
/// elements {view, buffer, offset, stride}, sparse {count, component, indices, values}}] (offset is that of element 0 in the buffer; where
/// buffer is null, in what the compressed view decodes to)}, warnings [text]. Indices are the file's own; parent, humanoid, mesh, skin and
/// skeleton may be null, and so are width and height of an image that cannot be read.
///
/// With --load the JSON is one line: schema (1), file, load_ms (from the start of the program until everything is read,
/// checked, decoded and laid out for the graphics device), peak_mib (the most memory that took; null where the system does not tell), upload_mib (of vertices and indices for the device), vertices, indices, keys,
/// pixels.
#[derive(Debug, Args)]
pub(super) struct InfoArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Load all of it, images included, and say only how long that took and how much memory
    #[arg(long)]
    load: bool,
}

pub(super) fn run(args: &InfoArgs, started: Instant) -> Result<(), CliError> {
    let document = args.model.load()?;
    overwritten_by_stdout(document.files())?;
    if args.load {
        tell_warnings(&document);
        let report = load::report(&document, started);
        return print(&if args.json { format!("{report}\n") } else { load::text(&report) });
    }
    let mut session = Session::default();
    session.open(document);
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    session.update_pose();
    let Some(document) = session.document() else { return Ok(()) };
    let report = describe(document, &session);
    if args.json {
        let text = serde_json::to_string_pretty(&report).map_err(|e| CliError::Usage(e.to_string()))?;
        print(&(text + "\n"))
    } else {
        print(&text(document, &report))
    }
}

fn primitives(model: &Model) -> impl Iterator<Item = &Primitive> {
    model.meshes.iter().flat_map(|m| &m.primitives)
}

fn triangles(model: &Model) -> usize {
    primitives(model).filter(|p| p.topology == crate::model::Topology::Triangles).map(|p| p.indices.len() / 3).sum()
}

/// Returns the whole report; text output is made from it too, so that both say the same.
fn describe(document: &Document, session: &Session) -> Value {
    let model = &document.model;
    let bounds = session.bounds();
    let extent = session.extent();
    let strays = (extent.stray_count() > 0).then(|| {
        let farthest = Some(extent.farthest).filter(|metres| metres.is_finite());
        json!({ "vertices": extent.stray_count(), "farthest": farthest })
    });
    let joints = (0..model.skeleton.len()).filter(|n| model.is_joint(NodeId::from_index(*n))).count();
    let has_bounds = !bounds.is_empty();
    json!({
        "schema": 1,
        "file": model.source.name,
        "asset": {
            "version": model.source.version,
            "generator": model.source.generator,
            "copyright": model.source.copyright,
        },
        "extensions": { "used": model.source.extensions_used, "required": model.source.extensions_required },
        "counts": {
            "scenes": model.scenes.len(),
            "nodes": model.skeleton.len(),
            "joints": joints,
            "skins": model.skins.len(),
            "meshes": model.meshes.len(),
            "primitives": primitives(model).count(),
            "vertices": primitives(model).map(|p| p.stored_vertices).sum::<usize>(),
            "triangles": triangles(model),
            "clips": model.clips.len(),
            "materials": model.materials.len(),
            "textures": model.textures.len(),
            "images": model.images.len(),
            "morph_targets": model.meshes.iter().map(|m| m.morph_names.len()).sum::<usize>(),
        },
        "bounds": has_bounds.then(|| json!({ "min": bounds.min.to_array(), "max": bounds.max.to_array() })),
        "strays": strays,
        "influences": {
            "most": document.stats().most,
            "mean": document.stats().data.mean(),
            "by_count": document.stats().by_influences,
            "percent": share_percent(&document.stats().by_influences),
            "used": document.stats().data.used,
            "stored": document.stats().data.stored,
        },
        "nodes": nodes(model),
        "skins": skins(model),
        "meshes": model.meshes.iter().enumerate().map(|(i, m)| json!({
            "index": i,
            "name": m.name,
            "primitives": (0..m.primitives.len()).map(|p| primitive(model, i, p)).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "palette": palette(model),
        "lights": lights(model),
        "cameras": cameras(model),
        "clips": clips(model),
        "materials": materials(model),
        "variants": model.variants,
        "images": model.images.iter().enumerate().map(|(i, image)| json!({
            "index": i, "name": image.name, "width": image.pixels().map(Pixels::width),
            "height": image.pixels().map(Pixels::height),
        })).collect::<Vec<_>>(),
        "storage": origins::storage(&model.source.origins),
        "warnings": document.warnings,
    })
}

fn nodes(model: &Model) -> Vec<Value> {
    let mut mesh_of = BTreeMap::new();
    for instance in &model.instances {
        mesh_of.insert(instance.node, (instance.mesh.0, instance.skin.map(|s| s.0), instance.copy_count()));
    }
    let mut out: Vec<(u32, Value)> = (0..model.skeleton.len())
        .map(|n| {
            let node = NodeId::from_index(n);
            let index = model.skeleton.file_index[n];
            let carried = mesh_of.get(&node);
            let value = json!({
                "index": index,
                "name": model.skeleton.names[n],
                "parent": model.skeleton.parents[n].map(|p| model.skeleton.file_index[p.index()]),
                "joint": model.is_joint(node),
                "humanoid": model.humanoid(node),
                "mesh": carried.map(|c| c.0),
                "skin": carried.and_then(|c| c.1),
                "copies": carried.map_or(0, |c| c.2),
                "members": origins::node(&model.source.origins, n),
            });
            (index, value)
        })
        .collect();
    out.sort_by_key(|(index, _)| *index);
    out.into_iter().map(|(_, value)| value).collect()
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

fn primitive(model: &Model, mesh: usize, index: usize) -> Value {
    let p = &model.meshes[mesh].primitives[index];
    let (sets, draco) = origins::influences(&model.source.origins, mesh, index);
    json!({
        "mode": format!("{:?}", p.source_mode),
        "vertices": p.stored_vertices,
        "indices": p.indices.len(),
        "influences": p.stored_influences.as_ref().map_or(0, |i| i.per_vertex),
        "weights": p.stored_influences.as_ref().map(|i| match i.format {
            WeightFormat::U8 => "u8",
            WeightFormat::U16 => "u16",
            WeightFormat::F32 => "f32",
        }),
        "morph_targets": p.morphs.len(),
        "material": p.material.map(|m| m.0),
        "variants": p.variants.iter().map(|(v, m)| json!({ "variant": v, "material": m.0 })).collect::<Vec<_>>(),
        "sets": sets,
        "draco": draco,
    })
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

/// Sizes of uniform buffers, bytes: what every Vulkan device can bind at once, and what nearly every device can.
const UNIFORM_BYTES: [u64; 2] = [16 << 10, 64 << 10];

/// Returns how a palette fits into uniform buffers of these sizes.
fn in_uniform(method: &Method, matrices: usize) -> [PaletteFit; 2] {
    UNIFORM_BYTES.map(|uniform| {
        let limits = PaletteLimits { uniform, storage: u64::MAX };
        PaletteFit::new(PaletteBuffer::Uniform, method, matrices, limits)
    })
}

/// A line that says how large the palette is as a method packs it.
fn palette_line(method: &Method, matrices: usize) -> String {
    let [least, usual] = in_uniform(method, matrices);
    let holds = match (least.is_uniform(), usual.is_uniform()) {
        (true, _) => "fits into any uniform buffer",
        (false, true) => "fits into a uniform buffer of 64 KiB, not of 16",
        (false, false) => "needs a storage buffer",
    };
    let (bytes, each) = (usual.bytes(), usual.joint_bytes);
    format!("{}: {matrices} joint matrices of {each} bytes are {bytes} bytes, which {holds}", method.id)
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

fn clips(model: &Model) -> Vec<Value> {
    let describe = |(i, clip): (usize, &Clip)| {
        let mut interpolations: Vec<String> =
            clip.channels.iter().map(|c| format!("{:?}", clip.samplers[c.sampler].interpolation)).collect();
        interpolations.sort();
        interpolations.dedup();
        let keys: usize = clip.channels.iter().map(|c| clip.times[clip.samplers[c.sampler].times].len()).sum();
        json!({
            "index": i,
            "name": clip.name,
            "duration_secs": clip.duration_secs(),
            "start_secs": clip.start_secs,
            "channels": clip.channels.len() + clip.properties.len(),
            "keys": keys,
            "interpolations": interpolations,
            "stored": origins::clip(model, i),
        })
    };
    model.clips.iter().enumerate().map(describe).collect()
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
fn layers(m: &Material) -> Vec<&'static str> {
    let all = [
        ("unlit", m.unlit),
        ("specular_glossiness", m.specular_glossiness.is_some()),
        ("specular", m.specular.is_some()),
        ("transmission", m.transmission.is_some()),
        ("sheen", m.sheen.is_some()),
        ("clearcoat", m.clearcoat.is_some()),
    ];
    all.into_iter().filter(|(_, has)| *has).map(|(name, _)| name).collect()
}

/// Describes a skin in a line.
fn skin_line(model: &Model, s: &SkinSummary) -> String {
    let skin = &model.skins[s.skin.index()];
    let mut out = format!("{} \"{}\": {} joints", s.skin.0, skin.name, s.joints);
    if s.vertices > 0 {
        out += &format!(", moves {} vertices with {:.2} influences on average", s.vertices, s.mean());
    }
    if s.over_limit > 0 {
        out += &format!(", {} with more than 4", s.over_limit);
    }
    if s.uneven > 0 {
        out += &format!(", {} whose weights do not sum to one", s.uneven);
    }
    if s.shared_with > 0 {
        out += &format!(", skeleton shared with {} more", s.shared_with);
    }
    if skin.binds_missing {
        out += ", no inverse bind matrices stored";
    }
    out
}

/// The lines of a report, each a label and its text.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn line(&mut self, label: &str, value: String) {
        // Writing to a String cannot fail.
        let _infallible = writeln!(self.0, "{label:<12}{}", printable(&value));
    }

    /// Writes a line for each value; the label stands before the first.
    fn list(&mut self, label: &str, values: impl Iterator<Item = String>) {
        values.enumerate().for_each(|(i, value)| self.line(if i == 0 { label } else { "" }, value));
    }
}

/// Writes the report for people.
fn text(document: &Document, report: &Value) -> String {
    let mut out = Lines::default();
    summary(document, report, &mut out);
    lists(document, report, &mut out);
    out.0
}

/// Writes what kind of file it is, and how much it has of everything.
fn summary(document: &Document, report: &Value, out: &mut Lines) {
    let model = &document.model;
    let count = |name: &str| report["counts"][name].as_u64().unwrap_or(0);
    out.line("file", model.source.name.clone());
    let generator = model.source.generator.as_ref().map(|g| format!(", {g}")).unwrap_or_default();
    out.line("asset", format!("glTF {}{generator}", model.source.version));
    if !model.source.extensions_used.is_empty() {
        out.line("extensions", model.source.extensions_used.join(", "));
    }
    out.line("scenes", count("scenes").to_string());
    out.line("nodes", format!("{}, {} of them joints", count("nodes"), count("joints")));
    if !model.humanoid.is_empty() {
        let name = |(node, humanoid): &(NodeId, String)| format!("{humanoid} {}", model.skeleton.names[node.index()]);
        out.line("humanoid", model.humanoid.iter().map(name).collect::<Vec<_>>().join(", "));
    }
    let [meshes, primitives] = ["meshes", "primitives"].map(count);
    let [vertices, triangles] = ["vertices", "triangles"].map(count);
    out.line("meshes", format!("{meshes}: {primitives} primitives, {vertices} vertices, {triangles} triangles"));
    if let (Some(min), Some(max)) = (report["bounds"]["min"].as_array(), report["bounds"]["max"].as_array()) {
        let size = |i: usize| max[i].as_f64().unwrap_or(0.0) - min[i].as_f64().unwrap_or(0.0);
        let size = lengths([0, 1, 2].map(size));
        out.line("size", format!("{size} at rest, as deformed{}", left_out(&report["strays"])));
    }
    out.list("skins", skin_summaries(model, &VertexTable::of(model), 4).iter().map(|skin| skin_line(model, skin)));
    let matrices = model.palette_layout().len as usize;
    out.list("palette", METHODS.iter().map(|method| palette_line(method, matrices)));
    out.list("stored", origins::line(&model.source.origins).into_iter());
    let by = document.stats().by_influences;
    if by.iter().sum::<usize>() > 0 {
        let list = format!("none {}, 1: {}, 2: {}, 3: {}, 4: {}, more: {}", by[0], by[1], by[2], by[3], by[4], by[5]);
        out.line("influences", format!("vertices with {list}; the most is {}", document.stats().most));
        let percent = share_percent(&by);
        let [one, two, three] = BOOK_SHARES;
        let list = format!("1: {:.1}, 2: {:.1}, 3: {:.1}, 4: {:.1}", percent[1], percent[2], percent[3], percent[4]);
        out.line("", format!("percent with {list}; production characters average {one:.0}, {two:.0}, {three:.0}"));
    }
    if count("morph_targets") > 0 {
        out.line("morphs", count("morph_targets").to_string());
    }
}

/// Writes what the bounds leave out: `, without 3 vertices up to 1000 km away`.
fn left_out(strays: &Value) -> String {
    let Some(count) = strays["vertices"].as_u64() else { return String::new() };
    let vertices = if count == 1 { "1 vertex".to_owned() } else { format!("{count} vertices") };
    match strays["farthest"].as_f64() {
        Some(metres) => format!(", without {vertices} far outside ({} away)", length(metres)),
        None => format!(", without {vertices} that have no place"),
    }
}

/// Writes the lists of the file one after the other, and then the warnings.
fn lists(document: &Document, report: &Value, out: &mut Lines) {
    let model = &document.model;
    out.list("clips", model.clips.iter().enumerate().map(|(i, clip)| format!("{i} {}", clip_line(model, clip))));
    let kind = |list: &str, i: usize| report[list][i]["type"].as_str().unwrap_or("").to_owned();
    let light = |(i, light): (usize, &Light)| {
        let unit = if light.kind == LightKind::Directional { "lx" } else { "cd" };
        format!("{i} \"{}\": {}, {} {unit}", light.name, kind("lights", i), light.intensity)
    };
    out.list("lights", model.lights.iter().enumerate().map(light));
    let cameras = model.cameras.iter().enumerate();
    out.list("cameras", cameras.map(|(i, camera)| format!("{i} \"{}\": {}", camera.name, kind("cameras", i))));
    let material = |(i, material): (usize, &Material)| {
        let layers = layers(material).join(", ").replace('_', " ");
        let layers = if layers.is_empty() { layers } else { format!(": {layers}") };
        format!("{i} \"{}\"{layers}", material.name)
    };
    out.list("materials", model.materials.iter().enumerate().map(material));
    out.list("variants", model.variants.iter().enumerate().map(|(i, variant)| format!("{i} \"{variant}\"")));
    let image = |(i, image): (usize, &Image)| {
        let size = image.pixels().map_or("not readable".into(), |p| format!("{}×{}", p.width(), p.height()));
        format!("{i} \"{}\": {size}", image.name)
    };
    out.list("images", model.images.iter().enumerate().map(image));
    if document.warnings.is_empty() {
        out.line("warnings", "none".into());
    }
    out.list("warnings", document.warnings.iter().cloned());
}

fn clip_line(model: &Model, clip: &Clip) -> String {
    let moved: Vec<_> = [Path::Translation, Path::Rotation, Path::Scale, Path::Weights]
        .into_iter()
        .filter(|path| clip.channels.iter().any(|c| c.path == *path))
        .map(|path| format!("{path:?}").to_lowercase())
        .collect();
    let nodes = (0..model.skeleton.len()).map(NodeId::from_index);
    let keyed = nodes.filter(|node| !anim::key_times(clip, *node).is_empty()).count();
    let (secs, channels) = (clip.duration_secs(), clip.channels.len());
    format!("\"{}\": {secs:.3} s, {channels} channels on {keyed} nodes ({})", clip.name, moved.join(", "))
}
