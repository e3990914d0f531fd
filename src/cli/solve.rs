//! `skinscope solve`: finds the weights that bring the surface nearest to example meshes, and writes them back into the file.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::fix::tell_current;
use super::fix_report::written;
use super::opened::refuse_session;
use super::sculpts::{Sculpt, read_sculpts};
use super::solve_args::{SearchArgs, deviations, put_deviations, remarks, table_of};
use super::solve_vertex::VertexArgs;
use super::storage::Restored;
use super::write_args::{WriteArgs, tell_saved};
use super::{CliError, other_file, print, printable};
use crate::edit::Sheet;
use crate::model::{Model, PrimitiveId};
use crate::output::{overwritten, overwritten_by_stdout};
use crate::solve::{Deviation, Example, Layout, LayoutError, Posed, PrimitiveExamples, Solved, as_stored};
use crate::weights::Table;
use crate::writeback::{Origin, Recompression, Saved, Stamps, prepare};

/// Find the weights that bring the posed surface nearest to example meshes
///
/// DIR has examples: NAME.pose.json with NAME.ply, NAME.obj or NAME.glb, the mesh that the surface should be in that pose, in the scene, metres.
/// The pose may be a moment of a clip: {"skinscope_pose": 1, "clip": "Walk", "time": 0.5}, the clip by its name or number.
/// A mesh has the vertices of one primitive in the order of the file, or those of everything that is shown, as `bake` writes them; with
/// --by-place in any order. Of all weights that are not negative and sum to 1, of at most N joints, those are taken that leave the least sum of
/// squares over all examples. Points of one place get the same weights. Only joints and weights change in the file, as by `fix`. In place of
/// examples --vertex says where one vertex should be, as a drag in the window does.
///
/// The JSON has the fields: schema (1), examples [{name, rms_before, rms_after, p95_before, p95_after, largest_before, largest_after}] (how far
/// the vertices are from where they should be, metres), hold_out (the same, of the examples that were not used), changed (vertices whose stored
/// joints or weights differ from those of MODEL), stuck (places that stay because of locked joints) and unproven (places whose choice of joints
/// is not proven to be the best). With --vertex it has: schema (1), pins [{pose, away (how far the vertex is from there, metres), outside (how far
/// its joints can take it from there, metres)}] and changed.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct SolveArgs {
    #[command(flatten)]
    write: WriteArgs,
    /// Take the examples of this folder
    #[arg(long, value_name = "DIR", allow_hyphen_values = true, required_unless_present = "vertex")]
    poses: Option<PathBuf>,
    /// Match the vertices by where they are in the example whose pose is the rest pose; the others have its order
    #[arg(long)]
    by_place: bool,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    vertices: VertexArgs,
    /// Keep this example aside: it is told, and not used; may be given several times
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    hold_out: Vec<String>,
    /// Print JSON, and nothing else, to standard output
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "Files are written whole or not at all, and never over one that was read.\n\n\
    Exit codes: 0 all went well, 1 the model, a pose file or a mesh is bad, 2 wrong usage, examples that do not fit the model, or no \
    place to write to.\n\n\
    Examples:\n  skinscope solve character.glb --poses sculpts -o solved.glb\n  \
    skinscope solve character.glb --poses scans --by-place --joints all --hold-out Crouch -o solved.glb\n  \
    skinscope solve character.glb --vertex 0,0,120=0.5,1.3,0.1@elbow.pose.json --radius 0.1 -o solved.glb";

/// An example of each primitive, of one pose.
struct Shown<'m> {
    name: String,
    is_held_out: bool,
    parts: Vec<(PrimitiveId, Example<'m>)>,
}

impl Shown<'_> {
    /// Returns how far the weights of these tables leave the surface from where it should be.
    fn deviation(&self, tables: &[Table]) -> Deviation {
        let mut distances = Vec::new();
        for (at, example) in &self.parts {
            if let Some(table) = table_of(tables, *at) {
                example.distances(table, &mut distances);
            }
        }
        Deviation::of(&mut distances)
    }
}

/// What is told of an example.
struct Told {
    name: String,
    is_held_out: bool,
    before: Deviation,
    after: Deviation,
}

pub(super) fn run(args: &SolveArgs) -> Result<(), CliError> {
    let Some(poses) = &args.poses else { return args.vertices.run(&args.write, &args.search, args.json) };
    let WriteArgs { model: path, open, .. } = &args.write;
    refuse_session(path)?;
    let mut stamps = Stamps::of(path);
    let document = other_file(path, open)?;
    overwritten_by_stdout(document.files())?;
    stamps.add(document.files());
    let model: &Model = document.stored();
    let mut sheet = Sheet::of(model);
    let sculpts = read_sculpts(poses, model, open)?;
    let files = || sculpts.iter().flat_map(|sculpt| sculpt.files.iter().map(PathBuf::as_path));
    overwritten_by_stdout(files())?;
    args.write.output.as_deref().map_or(Ok(()), |out| overwritten(out, files()))?;
    let shown = args.shown(model, &sheet, &sculpts)?;
    let before: Vec<Deviation> = shown.iter().map(|shown| shown.deviation(&sheet.tables)).collect();
    let solved = args.search.solve(&mut sheet, &used(&shown))?;
    let after: Vec<Table> = sheet.tables.iter().map(as_stored).collect();
    let told: Vec<Told> = shown
        .iter()
        .zip(before)
        .map(|(shown, before)| {
            let name = shown.name.clone();
            Told { name, is_held_out: shown.is_held_out, before, after: shown.deviation(&after) }
        })
        .collect();
    if !args.json {
        tell_current(&document, &sheet);
    }
    let saved = prepare(Origin::File(path, &stamps), &sheet, Recompression::None, args.write.destination())?
        .keeping_links(args.write.keep_links)
        .write()?;
    tell_saved(&saved);
    let restored = if saved.changes.accessors.is_empty() { Restored::default() } else { Restored::of(&sheet) };
    print(&match args.json {
        true => report(&told, &solved, &saved),
        false => text(&told) + &remarks(&solved) + &written(&saved, &restored),
    })
}

/// Returns the examples that are used, by primitive.
fn used<'m>(shown: &[Shown<'m>]) -> Vec<PrimitiveExamples<'m>> {
    let mut out: Vec<PrimitiveExamples<'m>> = Vec::new();
    for (at, example) in shown.iter().filter(|shown| !shown.is_held_out).flat_map(|shown| &shown.parts) {
        match out.iter_mut().find(|(known, _)| known == at) {
            Some((_, examples)) => examples.push(example.clone()),
            None => out.push((*at, vec![example.clone()])),
        }
    }
    out
}

impl SolveArgs {
    /// Finds the vertices of the model in the meshes.
    fn shown<'m>(&self, model: &'m Model, sheet: &Sheet, sculpts: &[Sculpt]) -> Result<Vec<Shown<'m>>, CliError> {
        if let Some(name) = self.hold_out.iter().find(|name| !sculpts.iter().any(|sculpt| sculpt.name == **name)) {
            let why = format!("--hold-out: there is no example “{name}”");
            return Err(CliError::Usage(printable(&why)));
        }
        let is_held_out = |sculpt: &Sculpt| self.hold_out.contains(&sculpt.name);
        if sculpts.iter().all(is_held_out) {
            return Err(CliError::Usage("--hold-out: no example is left to solve from".to_owned()));
        }
        let unfit = |file: &Path, why: LayoutError| {
            CliError::Usage(printable(&format!("{}: {why} (--primitive says which primitive)", file.display())))
        };
        let at = self.search.primitive(model)?;
        let first = if self.by_place { resting(model, sculpts)? } else { &sculpts[0] };
        let layout = match self.by_place {
            true => Layout::by_place(model, at, &|at| table_of(&sheet.tables, at), &first.points),
            false => Layout::in_order(model, at, first.points.len()),
        };
        let layout = layout.map_err(|why| unfit(&first.files[1], why))?;
        let mut out = Vec::new();
        for sculpt in sculpts {
            let parts = layout.examples(&Posed::new(model, &sculpt.pose), &sculpt.points);
            let parts = parts.map_err(|why| unfit(&sculpt.files[1], why))?;
            out.push(Shown { name: sculpt.name.clone(), is_held_out: is_held_out(sculpt), parts });
        }
        Ok(out)
    }
}

/// Returns the example whose pose is the rest pose.
fn resting<'s>(model: &Model, sculpts: &'s [Sculpt]) -> Result<&'s Sculpt, CliError> {
    let rest = &model.skeleton.rest;
    let is_rest = |sculpt: &&Sculpt| {
        let mut pairs = sculpt.pose.transforms.iter().zip(&rest.transforms);
        let mut weights = sculpt.pose.morph_weights.iter().zip(&rest.morph_weights);
        pairs.all(|(a, b)| {
            a.translation.distance(b.translation) <= 1e-6 * (1.0 + b.translation.length())
                && a.scale.distance(b.scale) <= 1e-6
                && a.rotation.dot(b.rotation).abs() >= 1.0 - 1e-6
        }) && weights.all(|(a, b)| (a - b).abs() <= 1e-6)
    };
    sculpts.iter().find(is_rest).ok_or_else(|| {
        CliError::Usage("--by-place: no example has the rest pose, in which the places are compared".to_owned())
    })
}

/// Returns what was done as JSON.
fn report(told: &[Told], solved: &Solved, saved: &Saved) -> String {
    let list = |is_held_out: bool| -> Vec<Value> {
        let of_list = told.iter().filter(|told| told.is_held_out == is_held_out);
        let one = |told: &Told| {
            let mut out = json!({ "name": told.name });
            put_deviations(&mut out, &told.before, &told.after);
            out
        };
        of_list.map(one).collect()
    };
    let out = json!({
        "schema": 1,
        "examples": list(false),
        "hold_out": list(true),
        "changed": saved.changes.vertices,
        "stuck": solved.stuck,
        "unproven": solved.unproven,
    });
    format!("{out}\n")
}

/// Returns what was done as lines of text.
fn text(told: &[Told]) -> String {
    let line = |told: &Told| {
        let aside = if told.is_held_out { ", kept aside" } else { "" };
        format!("{}{aside}: {}\n", printable(&told.name), deviations(&told.before, &told.after))
    };
    told.iter().map(line).collect()
}
