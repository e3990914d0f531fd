//! `skinscope paint`: carries out strokes on weights, and writes them back into the file that they came from.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{ArgGroup, Args};
use serde_json::json;

use super::fix_report::written;
use super::flood::FloodArgs;
use super::paint_layers::LayerArgs;
use super::write_args::WriteArgs;
use super::{CliError, print, printable, tell_unmatched};
use crate::model::Model;
use crate::paint::{self, Canvas, PaintError, Script, Stroke, StrokeReport, StrokesError};
use crate::words::counted;
use crate::writeback::Saved;

/// Paint weights by strokes, and write back only what changed
///
/// A stroke is a brush, a joint and a row of dabs on the surface as a pose and a method draw it. Strokes are carried out in their order, each
/// on what those before it have left, and weights are rounded to what the file stores once, at the end. Only the bytes that must change do,
/// as by `fix`. --flood paints all vertices at once, with full strength or by a gradient. --layer paints in a layer, which the result keeps in
/// its extras, so that it can be switched off or taken out again in the window.
///
/// FILE is `{"schema": 1, "strokes": [{"brush": "add", "joint": "LeftArm", "radius": 0.1, "dabs": [{"vertex": [0, 0, 1239]}]}]}`;
/// docs/paint.md explains each key. A key, name or number in it that cannot be is refused with the number of the stroke, and nothing is
/// written. Joints are named as everywhere: by the name of the node, or by `#12`, its index in the file.
///
/// The JSON has the fields: schema (1), strokes [{vertices (of the file, that the brush touched), changed (those that have other weights
/// after the stroke), partial (those that got only a part of the change), stuck [{reason, vertices}] (those that stay, and why), and of a
/// stroke with `mirror` unpaired (those that have no partner on the other side)}], one for each stroke, and changed (vertices whose stored joints or weights differ from those of MODEL).
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("what").required(true).multiple(true).args(["strokes", "flood", "layers_from"]),
    after_help = AFTER_HELP
)]
pub(super) struct PaintArgs {
    #[command(flatten)]
    write: WriteArgs,
    /// Carry out the strokes of this file; the paths of pose files in it begin at its folder
    #[arg(long, value_name = "FILE", conflicts_with = "flood", allow_hyphen_values = true)]
    strokes: Option<PathBuf>,
    #[command(flatten)]
    flood: FloodArgs,
    #[command(flatten)]
    layers: LayerArgs,
    /// Print JSON, and nothing else, to standard output
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "Files are written whole or not at all, and never over one that was read.\n\n\
    Exit codes: 0 all went well, 1 the model or a pose file is bad, 2 wrong usage, strokes that cannot be carried out, or no place to \
    write to.\n\n\
    Examples:\n  skinscope paint character.glb --strokes elbow.strokes.json -o painted.glb\n  \
    skinscope paint character.glb --flood smooth --strength 0.5 --only-joint LowerArm.L -o painted.glb\n  \
    skinscope paint character.glb --flood add --joint Chest --gradient linear --from 0,1.4,0 --until 0,1.2,0 -o painted.glb";

pub(super) fn run(args: &PaintArgs) -> Result<(), CliError> {
    let (document, stamps) = args.write.open_model()?;
    let model = document.stored();
    let (script, gradient) = (args.script(model)?, args.flood.gradient()?);
    tell_unmatched(&script.unmatched);
    let mut canvas = Canvas::new(Arc::clone(model));
    args.layers.put_up(&mut canvas, model, &args.write.open)?;
    let mut done = Vec::with_capacity(script.strokes.len());
    for (number, stroke) in script.strokes.iter().enumerate() {
        let painted = match &gradient {
            gradient if args.layers.paints_mask() => canvas.paint_mask(stroke, gradient.as_ref()),
            _ if !stroke.dabs.is_empty() => canvas.paint(stroke),
            Some(gradient) => canvas.gradient(stroke, gradient),
            None => canvas.flood(stroke),
        };
        done.push(painted.map_err(|why| args.refused(number, &why))?);
    }
    let mut sheet = canvas.sheet(model);
    sheet.layers = args.layers.in_file(&canvas, model);
    let (saved, restored) = args.write.write_weights((&document, &stamps), &sheet, args.json)?;
    print(&match args.json {
        true => report(&done, &saved),
        false => text(&script.strokes, &done) + &written(&saved, &restored),
    })
}

impl PaintArgs {
    /// Finds the strokes for a model. The result is not written over a file that they are read from.
    fn script(&self, model: &Model) -> Result<Script, CliError> {
        let script = match &self.strokes {
            Some(file) => paint::read(file, model, self.layers.painted_on()).map_err(|error| match error {
                StrokesError::Pose { file, error } => CliError::Unreadable { file: file.display().to_string(), error },
                other => CliError::Usage(printable(&format!("{}: {other}", file.display()))),
            })?,
            None if self.flood.is_asked() => self.flood.script(model, self.layers.painted_on())?,
            None => Script::default(),
        };
        let files = script.poses.iter().chain(&self.strokes).chain(&self.layers.layers_from);
        self.write.spares(files.map(PathBuf::as_path))?;
        Ok(script)
    }

    /// Makes the error that a stroke cannot be carried out.
    fn refused(&self, number: usize, why: &PaintError) -> CliError {
        let text = match &self.strokes {
            Some(file) => format!("{}: strokes[{number}]: {why}", file.display()),
            None => format!("--flood: {why}"),
        };
        CliError::Usage(printable(&text))
    }
}

/// Returns what was done as JSON.
fn report(done: &[StrokeReport], saved: &Saved) -> String {
    let strokes = done.iter().map(|done| {
        let stuck = done.stuck.iter().map(|(reason, vertices)| json!({ "reason": reason.id(), "vertices": vertices }));
        let mut out = json!({
            "vertices": done.vertices,
            "changed": done.changed,
            "partial": done.partial,
            "stuck": stuck.collect::<Vec<_>>(),
        });
        if let (Some(unpaired), Some(fields)) = (done.unpaired, out.as_object_mut()) {
            fields.insert("unpaired".to_owned(), json!(unpaired));
        }
        out
    });
    let strokes: Vec<_> = strokes.collect();
    format!("{}\n", json!({ "schema": 1, "strokes": strokes, "changed": saved.changes.vertices }))
}

/// Returns what each stroke has done as lines of text.
fn text(strokes: &[Stroke], done: &[StrokeReport]) -> String {
    let mut out = String::new();
    for (number, (stroke, done)) in strokes.iter().zip(done).enumerate() {
        let touched = counted(done.vertices, "vertex", "vertices");
        out += &format!("stroke {number}, {}: {} of {touched} changed\n", stroke.brush.label, done.changed);
        if done.partial > 0 {
            let vertices = counted(done.partial, "vertex", "vertices");
            out += &format!("  {vertices} only in part, as far as the other joints have weight to take or to give\n");
        }
        for (reason, count) in &done.stuck {
            let vertices = counted(*count, "vertex stays", "vertices stay");
            out += &format!("  {vertices}: {}\n", reason.text());
        }
        if let Some(unpaired) = done.unpaired.filter(|unpaired| *unpaired > 0) {
            let vertices = counted(unpaired, "vertex has", "vertices have");
            out += &format!("  {vertices} no partner on the other side\n");
        }
    }
    out
}
