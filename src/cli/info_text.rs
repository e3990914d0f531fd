//! Writes the report of `skinscope info` for people.

use std::fmt::Write;

use serde_json::Value;

use super::info_report::{Report, in_uniform, layers};
use super::{origins, printable};
use crate::anim;
use crate::deform::{METHODS, Method};
use crate::inspect::tables::{BOOK_SHARES, SkinSummary, VertexTable, share_percent, skin_summaries};
use crate::math::{length, lengths};
use crate::model::{Clip, Image, Light, LightKind, Material, Model, NodeId, Path};
use crate::session::Document;
use crate::solve::{DrivenShapes, kept_shapes};
use crate::words::counted;

/// Returns a line that says how large the palette is as a method packs it.
fn palette_line(method: &Method, matrices: usize) -> String {
    let [least, usual] = in_uniform(method, matrices);
    let holds = match (least.is_uniform(), usual.is_uniform()) {
        (true, _) => "fits into any uniform buffer",
        (false, true) => "fits into a uniform buffer of 64 KiB, not of 16",
        (false, false) => "needs a storage buffer",
    };
    let (bytes, each) = (usual.bytes(), usual.joint_bytes);
    let are = if matrices == 1 { "is" } else { "are" };
    let matrices = counted(matrices, "joint matrix", "joint matrices");
    format!("{}: {matrices} of {each} bytes {are} {bytes} bytes, which {holds}", method.id)
}

/// Describes a skin in a line.
fn skin_line(model: &Model, s: &SkinSummary) -> String {
    let skin = &model.skins[s.skin.index()];
    let mut out = format!("{} \"{}\": {}", s.skin.0, skin.name, counted(s.joints, "joint", "joints"));
    if s.vertices > 0 {
        let vertices = counted(s.vertices, "vertex", "vertices");
        out += &format!(", moves {vertices} with {:.2} influences on average", s.mean());
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

/// Describes the corrective shapes, a line for each driver.
fn shape_lines(model: &Model) -> Vec<String> {
    let line = |shapes: &DrivenShapes| {
        let names = shapes.targets.iter().map(|(_, name)| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        let joints = shapes.driver.joints().iter().map(|joint| model.skeleton.names[joint.index()].as_str());
        format!("{names}: brought in by {}", joints.collect::<Vec<_>>().join(", "))
    };
    match kept_shapes(model) {
        Ok(all) => all.iter().map(line).collect(),
        Err(why) => vec![why.to_string()],
    }
}

/// The lines of a report, each a label and its text.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn line(&mut self, label: &str, value: String) {
        // Writing to a String cannot fail.
        let _infallible = writeln!(self.0, "{label:<12}{}", printable(&value));
    }

    /// Writes a line for each value; the first has the label before it.
    fn list(&mut self, label: &str, values: impl Iterator<Item = String>) {
        values.enumerate().for_each(|(i, value)| self.line(if i == 0 { label } else { "" }, value));
    }
}

/// Writes the report for people.
pub(super) fn text(document: &Document, report: &Report<'_>) -> String {
    let mut out = Lines::default();
    summary(document, report, &mut out);
    lists(document, report, &mut out);
    out.0
}

/// Writes what kind of file it is, and how much it has of everything.
fn summary(document: &Document, report: &Report<'_>, out: &mut Lines) {
    let model = &document.model;
    let count = |name: &str| report.counts[name].as_u64().unwrap_or(0);
    out.line("file", model.source.name.clone());
    let generator = model.source.generator.as_ref().map(|g| format!(", {g}")).unwrap_or_default();
    out.line("asset", format!("glTF {}{generator}", model.source.version));
    if !model.source.extensions_used.is_empty() {
        out.line("extensions", model.source.extensions_used.join(", "));
    }
    out.line("scenes", count("scenes").to_string());
    out.line("nodes", format!("{}, {} of them joints", count("nodes"), count("joints")));
    if let Some(rig) = model.rig() {
        let mut bones: Vec<(NodeId, &str)> = rig.bones().map(|(bone, node)| (node, bone)).collect();
        bones.sort_unstable();
        let name = |(node, bone): &(NodeId, &str)| format!("{bone} {}", model.skeleton.names[node.index()]);
        let list = bones.iter().map(name).collect::<Vec<_>>().join(", ");
        out.line("humanoid", format!("{}: {list}", rig.family().name()));
    }
    let [meshes, primitives] = ["meshes", "primitives"].map(count);
    let [vertices, triangles] = ["vertices", "triangles"].map(count);
    let contents = [
        counted(primitives, "primitive", "primitives"),
        counted(vertices, "vertex", "vertices"),
        counted(triangles, "triangle", "triangles"),
    ];
    out.line("meshes", format!("{meshes}: {}", contents.join(", ")));
    if let (Some(min), Some(max)) = (report.bounds["min"].as_array(), report.bounds["max"].as_array()) {
        let size = |i: usize| max[i].as_f64().unwrap_or(0.0) - min[i].as_f64().unwrap_or(0.0);
        let size = lengths([0, 1, 2].map(size));
        out.line("size", format!("{size} at rest, as deformed{}", left_out(&report.strays)));
    }
    if report.origin != [0.0; 3] {
        let [x, y, z] = report.origin;
        out.line(
            "origin",
            format!("stands far away, at {x}, {y}, {z}; it is posed, measured and shown near that place"),
        );
    }
    out.list("skins", skin_summaries(model, &VertexTable::of(model), 4).iter().map(|skin| skin_line(model, skin)));
    out.list("shapes", shape_lines(model).into_iter());
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
    let vertices = counted(count, "vertex", "vertices");
    match strays["farthest"].as_f64() {
        Some(metres) => format!(", without {vertices} far outside ({} away)", length(metres)),
        None => format!(", without {vertices} that have no place"),
    }
}

/// Writes the lists of the file one after the other, and then the warnings.
fn lists(document: &Document, report: &Report<'_>, out: &mut Lines) {
    let model = &document.model;
    out.list("clips", model.clips.iter().enumerate().map(|(i, clip)| format!("{i} {}", clip_line(model, clip))));
    let kind = |list: &[Value], i: usize| list[i]["type"].as_str().unwrap_or("").to_owned();
    let light = |(i, light): (usize, &Light)| {
        let unit = if light.kind == LightKind::Directional { "lx" } else { "cd" };
        format!("{i} \"{}\": {}, {} {unit}", light.name, kind(&report.lights, i), light.intensity)
    };
    out.list("lights", model.lights.iter().enumerate().map(light));
    let cameras = model.cameras.iter().enumerate();
    out.list("cameras", cameras.map(|(i, camera)| format!("{i} \"{}\": {}", camera.name, kind(&report.cameras, i))));
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
    let channels = counted(clip.channels.len(), "channel", "channels");
    let (secs, nodes) = (clip.duration_secs(), counted(keyed, "node", "nodes"));
    format!("\"{}\": {secs:.3} s, {channels} on {nodes} ({})", clip.name, moved.join(", "))
}
