//! `skinscope solve --vertex`: puts one vertex where it should be in some poses, as a drag in the window does.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use clap::builder::PossibleValuesParser;
use glam::DVec3;
use serde_json::json;

use super::fix_report::written as told_of_saved;
use super::paint_layers::{IntoLayerArgs, LayerArgs};
use super::posed::{NamedPose, moment_of, read_named_pose};
use super::solve_args::SearchArgs;
use super::write_args::WriteArgs;
use super::{CliError, OpenArgs, print, printable};
use crate::anim::pose::Mirror;
use crate::edit::Sheet;
use crate::model::Model;
use crate::paint::{Canvas, LayerDrag, written};
use crate::solve::{Pin, PullField, PullSettings, Pulled};
use crate::weights::brush::falloff;
use crate::weights::{FALLOFFS, Table};
use crate::writeback::Saved;

/// In so many poses a vertex can be held.
const MOST: usize = 8;

/// A vertex, and how far the change reaches.
#[derive(Debug, Args)]
pub(super) struct VertexArgs {
    /// Put this vertex of the file there, in the scene, metres, in a pose: a pose file, or CLIP@SECONDS; may be given several times for one
    /// vertex in up to eight poses, which are solved at once
    #[arg(
        long,
        value_name = "MESH,PRIMITIVE,VERTEX=X,Y,Z@POSE",
        value_parser = parse_vertex,
        allow_hyphen_values = true,
        conflicts_with_all = ["poses", "by_place", "hold_out", "primitive"]
    )]
    vertex: Vec<HeldVertex>,
    /// Let the vertices around it follow, so far along the surface at rest, metres
    #[arg(long, value_name = "METRES", requires = "vertex", default_value = "0", value_parser = parse_radius)]
    radius: f64,
    /// How they follow the less the farther away they are
    #[arg(long, value_name = "CURVE", requires = "vertex", value_parser = falloffs())]
    falloff: Option<String>,
    #[command(flatten)]
    into: IntoLayerArgs,
}

/// What a vertex was put by, and what came of it.
struct Found {
    field: PullField,
    pins: Vec<Pin>,
    locked: BTreeSet<u32>,
    settings: PullSettings,
    /// The weights from before.
    tables: Vec<Table>,
    pulled: Pulled,
}

/// The layers of a file, and how they are asked for.
struct Layered {
    args: LayerArgs,
    canvas: Canvas,
}

impl Layered {
    /// Puts up the layers that are asked for.
    fn new(args: LayerArgs, model: &Arc<Model>, open: &OpenArgs) -> Result<Self, CliError> {
        let mut canvas = Canvas::new(Arc::clone(model));
        args.put_up(&mut canvas, model, open)?;
        Ok(Self { args, canvas })
    }

    /// Lets the layer make the weights that put the vertex where it should be. Where it cannot, `found` says where the vertex is; returns why.
    fn take(&mut self, found: &mut Found) -> Result<Option<String>, CliError> {
        let (before, base) = (self.canvas.painted(), Arc::clone(self.canvas.model()));
        let Found { field, pins, locked, settings, tables, pulled } = found;
        let (before, base) = (&before, &*base);
        let mut asked = LayerDrag { field, base, tables, pins, locked, settings, before, reached: &[] };
        let dragged = self.canvas.drag(&mut asked);
        let dragged = dragged.map_err(|why| CliError::Usage(printable(&format!("--layer: {why}"))))?;
        (pulled.landed, pulled.away, pulled.outside) = (dragged.landed, dragged.away, dragged.outside);
        let layers = self.canvas.layers();
        let layer = layers.active().and_then(|id| layers.layer(id));
        Ok(dragged.fit.why(layer.map_or("", |layer| layer.name()), layers.has_effects()))
    }
}

/// A vertex, by the numbers of mesh, primitive and vertex in the file, and where it should be in a pose.
#[derive(Clone, Debug)]
pub(super) struct HeldVertex {
    pub vertex: [u32; 3],
    pub target: [f64; 3],
    pub pose: String,
}

pub(super) fn falloffs() -> PossibleValuesParser {
    PossibleValuesParser::new(FALLOFFS.iter().map(|falloff| falloff.id))
}

pub(super) fn parse_radius(text: &str) -> Result<f64, String> {
    let radius = text.parse().ok().filter(|radius: &f64| *radius >= 0.0 && radius.is_finite());
    radius.ok_or_else(|| "expected a length in metres, 0 or more".into())
}

pub(super) fn parse_vertex(text: &str) -> Result<HeldVertex, String> {
    let parsed = text.split_once('=').and_then(|(vertex, rest)| {
        let (target, pose) = rest.split_once('@').filter(|(_, pose)| !pose.is_empty())?;
        let vertex: Vec<u32> = numbers(vertex)?;
        let target: Vec<f64> = numbers(target)?;
        let target = <[f64; 3]>::try_from(target).ok().filter(|target| target.iter().all(|n| n.is_finite()))?;
        Some(HeldVertex { vertex: vertex.try_into().ok()?, target, pose: pose.to_owned() })
    });
    parsed.ok_or_else(|| "expected MESH,PRIMITIVE,VERTEX=X,Y,Z@POSE, such as 0,0,120=0.1,1.2,0@elbow.pose.json".into())
}

/// Reads numbers that commas part.
fn numbers<T: std::str::FromStr>(text: &str) -> Option<Vec<T>> {
    text.split(',').map(|number| number.trim().parse().ok()).collect()
}

impl VertexArgs {
    /// Carries the command out.
    pub fn run(&self, write: &WriteArgs, search: &SearchArgs, is_json: bool) -> Result<(), CliError> {
        let (document, stamps) = write.open_model()?;
        let of_files = self.vertex.iter().filter(|held| moment_of(&held.pose).is_none());
        write.spares(of_files.map(|held| Path::new(&held.pose)))?;
        let model = document.stored();
        let mut layered = self.into.asked().map(|args| Layered::new(args, model, &write.open)).transpose()?;
        let shown = Arc::clone(layered.as_ref().map_or(model, |layered| layered.canvas.model()));
        let mut found = self.found(&shown, document.mirror(), search)?;
        let why = layered.as_mut().map_or(Ok(None), |layered| layered.take(&mut found))?;
        let changed;
        let sheet = match &layered {
            Some(Layered { args, canvas }) => {
                let mut sheet = canvas.sheet(model);
                sheet.layers = args.in_file(canvas, model);
                sheet
            }
            None => {
                // As the window saves what was dragged there.
                let made = model.with_weights(&found.pulled.changes(&found.tables));
                changed = made.map_err(|why| CliError::Usage(printable(&format!("--vertex: {why}"))))?;
                Sheet::of(&changed)
            }
        };
        let (saved, restored) = write.write_weights((&document, &stamps), &sheet, is_json)?;
        print(&match is_json {
            true => self.report(&found.pulled, why.as_deref(), &saved),
            false => self.text(&found.pulled, why.as_deref()) + &told_of_saved(&saved, &restored),
        })
    }

    /// Solves the weights of the vertex and of those around it.
    fn found(&self, model: &Model, mirror: &Mirror, search: &SearchArgs) -> Result<Found, CliError> {
        let wrong = |why: &str| CliError::Usage(format!("--vertex: {why}"));
        let Some(first) = self.vertex.first() else { return Err(wrong("no vertex is given")) };
        if self.vertex.iter().any(|held| held.vertex != first.vertex) {
            return Err(wrong("all have to be of one vertex"));
        }
        if self.vertex.len() > MOST {
            return Err(wrong("a vertex can be held in eight poses at most"));
        }
        let mut pins: Vec<Pin> = Vec::new();
        for held in &self.vertex {
            let NamedPose { pose, .. } = read_named_pose(model, &held.pose)?;
            pins.push(Pin { pose, target: DVec3::from_array(held.target.map(written)) });
        }
        let [mesh, primitive, vertex] = first.vertex;
        let at = SearchArgs::find_primitive(model, [mesh, primitive], "--vertex")?;
        let shape = self.falloff.as_deref().and_then(falloff).unwrap_or(FALLOFFS[0]);
        let settings = search.pull_settings(written(self.radius), shape);
        let sheet = Sheet::of(model);
        let locked = search.locked(&sheet)?;
        let (tables, surfaces) = sheet.into_parts();
        let field = PullField::new(model, (&surfaces, &tables), (at, vertex as usize), &settings, Some(mirror));
        let Some(mut field) = field else {
            return Err(wrong(&format!("no skin moves vertex {vertex} of primitive {mesh},{primitive}")));
        };
        let pulled = field.pull(model, &pins, &locked, &settings);
        Ok(Found { field, pins, locked, settings, tables, pulled })
    }

    /// Returns what was done as JSON, with why layers have kept the vertex from where it should be.
    fn report(&self, pulled: &Pulled, why: Option<&str>, saved: &Saved) -> String {
        let figures = pulled.away.iter().zip(&pulled.outside);
        let pins = self
            .vertex
            .iter()
            .zip(figures)
            .map(|(held, (away, outside))| json!({ "pose": held.pose, "away": away, "outside": outside }));
        let pins: Vec<_> = pins.collect();
        let out = json!({ "schema": 1, "pins": pins, "why": why, "changed": saved.changes.vertices });
        format!("{out}\n")
    }

    /// Returns what was done as lines of text, with why layers have kept the vertex from where it should be.
    fn text(&self, pulled: &Pulled, why: Option<&str>) -> String {
        let figures = pulled.away.iter().zip(&pulled.outside);
        let line = |(held, (away, outside)): (&HeldVertex, (&f64, &f64))| {
            let name = printable(&held.pose);
            format!("{name}: {:.3} mm away; its joints reach no nearer than {:.3} mm\n", 1e3 * away, 1e3 * outside)
        };
        let lines = self.vertex.iter().zip(figures).map(line);
        let why = why.map(|why| format!("{}\n", printable(why)));
        lines.chain(why).collect()
    }
}
