//! `skinscope diff`: says what differs between two files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use super::markup::{TAIL, head, shown};
use super::{CliError, OpenArgs, open_models, other_file, print, printable, unwritable};
use crate::compare::{AttributeDifference, Differences, Named, PrimitiveDifference, Shown, SurfaceDifference, compare};
use crate::output::{overwritten, overwritten_by_stdout, write};
use crate::session::Document;
use crate::words::counted;

/// Say what differs between two files: nodes, weights, matrices, clips, materials, the posed surface
///
/// Order alone is no difference, nor is the way in which weights are stored: nodes, clips and materials are matched by name,
/// weights by joint; vertices by order where a mesh has as many and the same triangles in both, however far they were moved, else by
/// place, the nearest first, within half the mean edge. A vertex without a counterpart is a difference. A node with another name in the
/// same place of the tree, with the same rest transform or the same inverse bind matrix, was renamed, and counts as one difference.
/// Nodes that show another mesh, or the same by another skin, differ. Clips are compared by what their channels drive. Pixels of images,
/// tangents, cameras and lights are not compared.
///
/// The JSON has the fields: schema (1), same, identical_bytes (of the files and their buffers), nodes {added, removed, moved
/// [names], renamed [{from, to}]}, shown {added, removed, other_mesh, other_skin, other_copies
/// [names of nodes]}, weights {vertices, largest, primitives [{mesh, primitive, vertices, largest}]}, surface {vertices, primitives [{mesh,
/// primitive, vertices, moved, unmatched, triangles}]} (vertices that lie elsewhere, each once, and triangles), unmatched {before, after} (how
/// many vertices of A and of B have no counterpart, so that neither their place nor their weights were compared), attributes [{mesh,
/// primitive, what, count, largest}] (normals, texture coordinates, colours, morph targets and materials that differ), inverse_binds
/// {changed}, clips and materials {added, removed, changed [names]}, posed
/// {largest_mm, clip, time, mesh, primitive, vertex, compared, not_finite}: the largest distance over the rest pose (clip and time are
/// null) and 33 moments of each clip that both have, more where it differs; vertex is null where nothing is apart, and largest_mm where
/// nothing was compared. Meshes, primitives and vertices are those of A.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 nothing differs, 1 a file does not load, 2 wrong usage, 3 something differs.")]
pub(super) struct DiffArgs {
    /// The first .gltf or .glb file
    #[arg(value_name = "A")]
    a: PathBuf,
    /// The second .gltf or .glb file
    #[arg(value_name = "B")]
    b: PathBuf,
    #[command(flatten)]
    open: OpenArgs,
    /// Print JSON, and nothing else, to standard output
    #[arg(long)]
    json: bool,
    /// Also write what differs into this file, as a page (HTML)
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

pub(super) fn run(args: &DiffArgs) -> Result<(), CliError> {
    if let Some(path) = args.html.as_ref().filter(|path| path.extension().is_none_or(|e| e != "html" && e != "htm")) {
        return Err(CliError::Usage(format!("{}: pages are written as .html", path.display())));
    }
    let (a, b) = (other_file(&args.a, &args.open)?, other_file(&args.b, &args.open)?);
    let files = || a.files().chain(b.files());
    overwritten_by_stdout(files())?;
    if let Some(html) = &args.html {
        overwritten(html, files())?;
    }
    let identical = identical([(&args.a, &a), (&args.b, &b)]);
    // Two identical files are the same, even where they contain NaN.
    let found = if identical { Differences::default() } else { compare(a.stored(), b.stored()) };
    let same = identical || found.is_empty();
    if let Some(html) = &args.html {
        let page = page(args, &found, same);
        write(html, page.as_bytes()).map_err(|error| unwritable(html, error))?;
    }
    print(&if args.json { format!("{}\n", report(&found, same, identical)) } else { text(args, &found, same) })?;
    if same { Ok(()) } else { Err(CliError::Differ) }
}

/// Returns whether both files, and the buffers and images that they name, hold the same bytes.
fn identical([a, b]: [(&Path, &Document); 2]) -> bool {
    let kept = [a, b].map(|(path, _)| open_models::bytes_of(path));
    if kept.iter().any(Option::is_some) {
        let read = |file: &Path| std::fs::read(file).ok().map(Arc::from);
        let all = |(kept, (_, document)): (Option<Arc<[u8]>>, (&Path, &Document))| match kept {
            Some(bytes) => vec![Some(bytes)],
            None => document.files().map(read).collect(),
        };
        let [x, y] = kept;
        return all((x, a)) == all((y, b));
    }
    let (a, b) = (a.1, b.1);
    let (own, other): (Vec<&Path>, Vec<&Path>) = (a.files().collect(), b.files().collect());
    own.len() == other.len()
        && own.iter().zip(&other).all(|(x, y)| x == y || std::fs::read(x).ok() == std::fs::read(y).ok())
}

fn report(found: &Differences, same: bool, identical: bool) -> Value {
    let parts = |parts: &[PrimitiveDifference]| {
        let part = |p: &PrimitiveDifference| json!({ "mesh": p.mesh, "primitive": p.primitive, "vertices": p.vertices, "largest": p.largest });
        parts.iter().map(part).collect::<Vec<_>>()
    };
    let count = |parts: &[PrimitiveDifference]| parts.iter().map(|p| p.vertices).sum::<usize>();
    let largest = found.weights.iter().map(|p| p.largest).fold(0.0, f64::max);
    let named = |n: &Named| json!({ "added": n.added, "removed": n.removed, "changed": n.changed });
    let sides = |[before, after]: [usize; 2]| json!({ "before": before, "after": after });
    let surface: Vec<Value> = found
        .surface
        .iter()
        .map(|p| {
            json!({
                "mesh": p.mesh,
                "primitive": p.primitive,
                "vertices": p.count(),
                "moved": p.moved,
                "unmatched": sides(p.unmatched),
                "triangles": p.shapes,
            })
        })
        .collect();
    let attribute = |p: &AttributeDifference| json!({ "mesh": p.mesh, "primitive": p.primitive, "what": p.what, "count": p.count, "largest": p.largest });
    let (mesh, primitive, vertex) =
        found.posed.vertex.map_or((None, None, None), |(at, v)| (Some(at.mesh.index()), Some(at.primitive), Some(v)));
    json!({
        "schema": 1,
        "same": same,
        "identical_bytes": identical,
        "nodes": {
            "added": found.nodes.added,
            "removed": found.nodes.removed,
            "moved": found.nodes.changed,
            "renamed": found.nodes.renamed.iter().map(|[from, to]| json!({ "from": from, "to": to })).collect::<Vec<_>>(),
        },
        "shown": {
            "added": found.shown.added,
            "removed": found.shown.removed,
            "other_mesh": found.shown.other_mesh,
            "other_skin": found.shown.other_skin,
            "other_copies": found.shown.other_copies,
        },
        "weights": { "vertices": count(&found.weights), "largest": largest, "primitives": parts(&found.weights) },
        "surface": { "vertices": found.surface.iter().map(SurfaceDifference::count).sum::<usize>(), "primitives": surface },
        "unmatched": sides(found.unmatched()),
        "attributes": found.attributes.iter().map(attribute).collect::<Vec<_>>(),
        "inverse_binds": { "changed": found.inverse_binds },
        "clips": named(&found.clips),
        "materials": named(&found.materials),
        "posed": {
            "largest_mm": (!compared_nothing(found)).then_some(found.posed.metres * 1e3),
            "clip": found.posed.clip.as_ref().map(|(name, _)| name),
            "time": found.posed.clip.as_ref().map(|(_, time)| time),
            "mesh": mesh,
            "primitive": primitive,
            "vertex": vertex,
            "compared": found.posed.compared,
            "not_finite": found.posed.not_finite,
        },
    })
}

/// Returns whether there are vertices, but none that both files have.
fn compared_nothing(found: &Differences) -> bool {
    found.posed.compared == 0 && found.unmatched() != [0, 0]
}

/// Returns the differences as lines, each with its subject and its text.
fn lines(found: &Differences) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut names = |what: &str, how: &str, list: &[String]| {
        if !list.is_empty() {
            let few: Vec<&str> = list.iter().take(12).map(String::as_str).collect();
            let more =
                if list.len() > few.len() { format!(" and {} more", list.len() - few.len()) } else { String::new() };
            out.push((format!("{what} {how}"), format!("{}{more}", few.join(", "))));
        }
    };
    let quoted = |list: &[String]| list.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>();
    for (what, named, changed) in [
        ("nodes", &found.nodes, "moved"),
        ("clips", &found.clips, "changed"),
        ("materials", &found.materials, "changed"),
    ] {
        names(what, "added", &quoted(&named.added));
        names(what, "removed", &quoted(&named.removed));
        names(what, changed, &quoted(&named.changed));
        let renamed = named.renamed.iter().map(|[from, to]| format!("\"{from}\" → \"{to}\""));
        names(what, "renamed", &renamed.collect::<Vec<_>>());
    }
    let Shown { added, removed, other_mesh, other_skin, other_copies } = &found.shown;
    names("mesh", "added to", &quoted(added));
    names("mesh", "removed from", &quoted(removed));
    names("other", "mesh at", &quoted(other_mesh));
    names("other", "skin at", &quoted(other_skin));
    names("other", "copies at", &quoted(other_copies));
    out.extend(found.surface.iter().map(surface_line));
    for p in &found.attributes {
        let (what, count) = match p.what.as_str() {
            "materials" => ("materials", counted(p.count, "triangle has another one", "triangles have another one")),
            what => (what, counted(p.count, "vertex", "vertices")),
        };
        let largest = if p.largest > 0.0 { format!(", by up to {:.6}", p.largest) } else { String::new() };
        out.push((what.to_owned(), format!("mesh {}, primitive {}: {count}{largest}", p.mesh, p.primitive)));
    }
    for p in &found.weights {
        let PrimitiveDifference { mesh, primitive, vertices, largest } = p;
        let vertices = counted(*vertices, "vertex", "vertices");
        out.push(("weights".into(), format!("mesh {mesh}, primitive {primitive}: {vertices}, by up to {largest:.4}")));
    }
    if found.inverse_binds > 0 {
        out.push(("inverse binds".into(), counted(found.inverse_binds, "matrix", "matrices")));
    }
    out.push(farthest(found));
    out
}

/// Says how the surface of a primitive differs.
fn surface_line(p: &SurfaceDifference) -> (String, String) {
    let mut parts = Vec::new();
    let mut add = |count: usize, text: String| parts.extend((count > 0).then_some(text));
    let vertices = |count: usize| counted(count, "vertex", "vertices");
    add(p.moved, format!("{} elsewhere", vertices(p.moved)));
    for (side, count) in ["the first", "the second"].into_iter().zip(p.unmatched) {
        add(count, format!("{} of {side} file without counterpart", vertices(count)));
    }
    add(p.shapes, counted(p.shapes, "triangle or line", "triangles or lines"));
    ("surface".into(), format!("mesh {}, primitive {}: {}", p.mesh, p.primitive, parts.join(", ")))
}

/// Says where the posed surfaces are farthest apart, or that they are not, and of what that is said.
fn farthest(found: &Differences) -> (String, String) {
    let [before, after] = found.unmatched();
    let has_all = [before, after] == [0, 0] && found.shown.added.is_empty() && found.shown.removed.is_empty();
    let not_finite = match found.posed.not_finite {
        0 => String::new(),
        count => format!("; {} without a finite place in one file", counted(count, "vertex", "vertices")),
    };
    let left_out = match [before, after] {
        [0, 0] => String::new(),
        _ => {
            format!("; {before} of the first file and {after} of the second have no counterpart and were not compared")
        }
    };
    let left_out = left_out + &not_finite;
    if compared_nothing(found) {
        return ("posed surface".into(), format!("nothing was compared: no vertex has a counterpart{left_out}"));
    }
    let Some((at, vertex)) = found.posed.vertex else {
        let what = if has_all { "no vertex" } else { "no vertex of what both show" };
        let text = format!("{what} is elsewhere, in the rest pose and in all clips that both have{left_out}");
        return ("posed surface".into(), text);
    };
    let clip = found.posed.clip.as_ref();
    let pose = clip.map_or("in the rest pose".to_owned(), |(clip, time)| format!("in \"{clip}\" at {time:.3} s"));
    let distance = crate::math::length(found.posed.metres);
    let which = format!("mesh {}, primitive {}, vertex {vertex}", at.mesh.index(), at.primitive);
    ("farthest apart".into(), format!("{distance} {pose}: {which}{left_out}"))
}

fn text(args: &DiffArgs, found: &Differences, same: bool) -> String {
    let [a, b] = [&args.a, &args.b].map(|path| printable(&path.display().to_string()));
    let mut out = format!("{a}\n{b}\n\n");
    if same {
        return out + "  nothing differs\n";
    }
    for (what, text) in lines(found) {
        out += &format!("  {:<18} {}\n", printable(&what), printable(&text));
    }
    out
}

fn page(args: &DiffArgs, found: &Differences, same: bool) -> String {
    let [a, b] = [&args.a, &args.b].map(|path| shown(&path.display().to_string()));
    let mut out = head("Skinscope diff") + &format!("<section>\n<h2>{a}<br>{b}</h2>\n");
    if same {
        out += "<p>Nothing differs.</p>\n";
    }
    for (what, text) in lines(found).iter().filter(|_| !same) {
        let (what, text) = (shown(what), shown(text));
        out += &format!("<article class=\"warning\"><div><h3>{what}</h3><p>{text}</p></div></article>\n");
    }
    out + "</section>\n" + TAIL
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::commands::Commands;
    use super::super::program::{Cli, Subcommands};
    use super::*;

    #[test]
    fn page_and_text_show_the_paths_of_both_files_and_obey_nothing_in_them() {
        let words = ["skinscope", "diff", "a<b>\u{1b}[2J.glb", "c&d\u{202e}.glb"];
        let Some(Subcommands::Others(Commands::Diff(args))) = Cli::try_parse_from(words).unwrap().command else {
            unreachable!()
        };
        let plain = text(&args, &Differences::default(), true);
        assert_eq!(plain, "a<b>\u{fffd}[2J.glb\nc&d\u{fffd}.glb\n\n  nothing differs\n");
        let page = page(&args, &Differences::default(), true);
        let both = "<h2>a&lt;b&gt;\u{fffd}[2J.glb<br>c&amp;d\u{fffd}.glb</h2>\n<p>Nothing differs.</p>";
        assert!(page.contains(both), "{page}");
        for tag in ["section", "main", "body", "html", "style"] {
            assert_eq!((page.matches(&format!("<{tag}")).count(), page.matches(&format!("</{tag}>")).count()), (1, 1));
        }
    }
}
