//! `skinscope bind`: finds the weights of meshes from their shape and their joints, and writes them back into the file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};

use super::bind_from::{DressArgs, Prints};
use super::bind_placed::{Made, PlacedArgs, Told};
use super::check::bound::{Looked, look};
use super::find::find_node;
use super::fix::tell_current;
use super::fix_report::written;
use super::opened::refuse_session;
use super::storage::Restored;
use super::write_args::{WriteArgs, tell_saved};
use super::{CliError, other_file, print, printable};
use crate::bind::{BINDERS, BindSettings, Binder, ENVELOPE_RANGES, RULES, binder};
use crate::edit::{
    BIND, BareBinding, BareScope, BoundSkin, Refusal, Settings, Sheet, apply, bare_joints, bind_bare, bind_placed,
    check, check_applied, check_joint, put_bind_settings,
};
use crate::inspect::VertexSet;
use crate::model::{MeshId, Model, NodeId, PrimitiveId};
use crate::output::overwritten_by_stdout;
use crate::parallel::JobContext;
use crate::words::counted;
use crate::writeback::{Origin, Recompression, Saved, Stamps, prepare};

/// The model whose meshes have gained a skin, the report of each skin, and what is said of joints that were placed.
type Gained = (Model, Vec<BoundSkin>, Option<Told>);

/// Find the weights of a mesh from its shape and its joints alone
///
/// Of a mesh with a skin the weights are replaced; nodes, joints, inverse bind matrices and clips stay to the byte. A mesh without a skin
/// gains one with --joints: the joints are ROOT and the nodes below it that show no mesh. Or its joints are made: those of a file with
/// --skeleton, or the 19 of a standing figure, placed by sections through the meshes, with --humanoid. Every vertex gets weights that sum to 1,
/// and points of one place get the same.
///
/// Rules hold for every method: --without switches one off, and the report says which applied where.
///
/// The JSON has the fields: schema (1), method, seconds, skins [{skin (number in OUT), vertices, joints, joints_used, islands (pieces that no
/// edge joins), fallback [{island, vertices, method, reason}] (pieces that the method could not bind by itself, counted from the largest),
/// rules [{rule, joint or island}]}], and changed (vertices whose stored joints or weights differ from those of MODEL). With --humanoid there is
/// placed {symmetry (mesh or bounds: what tells the plane of symmetry), faces (+Z, -Z, +X or -X: where the figure looks), faces_by (feet, or
/// default: nothing tells), sections (parts that sections tell of)}. With --check there is
/// check: what `check --rom --json` says of the file, and shares [{share, percent, vertices}] of its surface.
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub(super) struct BindArgs {
    #[command(flatten)]
    write: WriteArgs,
    #[command(flatten)]
    dress: DressArgs,
    /// How weights are found
    #[arg(long, value_name = "METHOD", value_parser = methods(), default_value = BINDERS[0].id)]
    method: String,
    /// Bind the meshes that have no skin to this node and those below it
    #[arg(long, value_name = "ROOT", allow_hyphen_values = true)]
    joints: Option<String>,
    #[command(flatten)]
    placed: PlacedArgs,
    /// Bind this mesh of the file alone, by number from 0; may be given several times
    #[arg(long, value_name = "N")]
    mesh: Vec<u32>,
    /// The most joints of a vertex
    #[arg(long, value_name = "N", default_value = "4", value_parser = clap::value_parser!(u64).range(1..=255))]
    max_influences: u64,
    /// Smooth the weights that were found N times over the surface
    #[arg(long, value_name = "N", default_value = "0", value_parser = clap::value_parser!(u64).range(0..=1000))]
    smooth: u64,
    /// Let every loose piece follow one joint as a whole
    #[arg(long)]
    rigid_pieces: bool,
    /// Switch a rule off; may be given several times
    #[arg(long, value_name = "RULE", value_parser = rules())]
    without: Vec<String>,
    /// Set a number of a method, as listed below; may be given several times
    #[arg(long, value_name = "NAME=N", value_parser = parse_number)]
    set: Vec<(String, f64)>,
    /// With --method envelope: give the envelopes of this joint these radii, as shares of the distance of the surface; may be given several
    /// times
    #[arg(long, value_name = "JOINT=INNER,OUTER", value_parser = parse_envelope, allow_hyphen_values = true)]
    envelope: Vec<(String, [f64; 2])>,
    /// Leave the weights of this joint as they are; with --joints it gets none; may be given several times
    #[arg(long, value_name = "JOINT", conflicts_with_all = ["skeleton", "humanoid"], allow_hyphen_values = true)]
    lock: Vec<String>,
    /// Check the file that was written, drive its joints through their range of motion (up to 10 s), and say what to look at first
    #[arg(long)]
    check: bool,
    /// Print JSON, and nothing else, to standard output
    #[arg(long)]
    json: bool,
}

fn methods() -> PossibleValuesParser {
    PossibleValuesParser::new(BINDERS.iter().map(|binder| binder.id))
}

fn rules() -> PossibleValuesParser {
    PossibleValuesParser::new(RULES.iter().map(|rule| rule.id))
}

fn after_help() -> String {
    let mut out = "Methods:\n".to_owned();
    for binder in BINDERS {
        out += &format!("  {:9} {}\n", binder.id, binder.help);
        for parameter in binder.parameters {
            let [least, most] = parameter.range;
            out += &format!(
                "            {}={} ({least} to {most}): {}\n",
                parameter.id, parameter.default, parameter.help
            );
        }
    }
    out += "\nRules:\n";
    for rule in RULES {
        out += &format!("  {:16} {}\n", rule.id, rule.help);
    }
    out + "\nFiles are written whole or not at all.\n\n\
        Exit codes: 0 all went well, 1 the file is bad, 2 wrong usage, a mesh that cannot be bound, or no place to write to.\n\n\
        Examples:\n  skinscope bind character.glb --method heat -o bound.glb\n  \
        skinscope bind statue.glb --joints Hips --method voxel --smooth 2 -o skinned.glb\n  \
        skinscope bind shirt.glb --from body.vrm --drop-unused -o worn.glb"
}

fn parse_number(text: &str) -> Result<(String, f64), String> {
    let (id, value) = text.split_once('=').ok_or("expected NAME=N")?;
    let parameter = BINDERS.iter().flat_map(|binder| binder.parameters).find(|parameter| parameter.id == id);
    let parameter = parameter.ok_or_else(|| format!("no method has a number “{id}”"))?;
    let value: f64 = value.parse().map_err(|_| format!("“{value}” is no number"))?;
    let [least, most] = parameter.range;
    match value >= least && value <= most {
        true => Ok((id.to_owned(), value)),
        false => Err(format!("{id} is from {least} to {most}")),
    }
}

fn parse_envelope(text: &str) -> Result<(String, [f64; 2]), String> {
    let parts = text.rsplit_once('=').and_then(|(joint, radii)| Some((joint, radii.split_once(',')?)));
    let (joint, (inner, outer)) = parts.ok_or("expected JOINT=INNER,OUTER")?;
    let [[inner_least, inner_most], [outer_least, outer_most]] = ENVELOPE_RANGES;
    let number = |text: &str, least: f64, most: f64, word: &str| {
        let value: f64 = text.trim().parse().map_err(|_| format!("“{text}” is no number"))?;
        let is_within = value >= least && value <= most;
        is_within.then_some(value).ok_or_else(|| format!("the {word} radius is from {least} to {most}"))
    };
    let inner = number(inner, inner_least, inner_most, "inner")?;
    let outer = number(outer, outer_least, outer_most, "outer")?;
    match inner < outer {
        true => Ok((joint.to_owned(), [inner, outer])),
        false => Err("the outer radius is larger than the inner one".to_owned()),
    }
}

pub(super) fn run(args: &BindArgs) -> Result<(), CliError> {
    if !args.envelope.is_empty() && args.method != "envelope" {
        return Err(CliError::Usage("--envelope needs --method envelope".to_owned()));
    }
    let prints = Prints { json: args.json, check: args.check };
    if args.dress.run(&args.write, args.max_influences as usize, prints)? {
        return Ok(());
    }
    args.check_numbers()?;
    args.placed.check()?;
    let WriteArgs { model: path, open, .. } = &args.write;
    refuse_session(path)?;
    let mut stamps = Stamps::of(path);
    let document = other_file(path, open)?;
    overwritten_by_stdout(document.files())?;
    stamps.add(document.files());
    let began = Instant::now();
    let model = document.stored();
    let gained;
    let (sheet, bound, told) = match args.gained(model)? {
        Some((model, bound, told)) => {
            gained = model;
            (Sheet::of(&gained), bound, told)
        }
        None => {
            let (sheet, bound) = args.replace(model)?;
            (sheet, bound, None)
        }
    };
    let seconds = began.elapsed().as_secs_f64();
    if !args.json {
        tell_current(&document, &sheet);
    }
    let saved = prepare(Origin::File(path, &stamps), &sheet, Recompression::None, args.write.destination())?
        .keeping_links(args.write.keep_links)
        .write()?;
    tell_saved(&saved);
    let restored = if saved.changes.accessors.is_empty() { Restored::default() } else { Restored::of(&sheet) };
    let model = sheet.model;
    let out = args.write.output.as_deref().unwrap_or(path);
    let looked = if args.check { Some(look(out, open, args.max_influences as usize)?) } else { None };
    print(&match args.json {
        true => args.report((model, told.as_ref()), &bound, seconds, (&saved, looked.as_ref())),
        false => {
            let looked = looked.as_ref().map_or_else(String::new, Looked::text);
            args.text((model, told.as_ref()), &bound) + &written(&saved, &restored) + &looked
        }
    })
}

impl BindArgs {
    /// Refuses numbers that only other methods have: they would do nothing.
    fn check_numbers(&self) -> Result<(), CliError> {
        for (id, _) in &self.set {
            let has = |method: &Binder| method.parameters.iter().any(|parameter| parameter.id == id.as_str());
            if binder(&self.method).is_some_and(has) {
                continue;
            }
            let of = BINDERS.iter().find(|method| has(method)).map_or("another method", |method| method.id);
            let why = format!("--set {id}: that is a number of {of}, and the method is {}", self.method);
            return Err(CliError::Usage(why));
        }
        Ok(())
    }

    fn settings(&self) -> BindSettings {
        BindSettings {
            method: self.method.clone(),
            most: self.max_influences as usize,
            smooth: self.smooth as usize,
            rigid_pieces: self.rigid_pieces,
            rules_off: self.without.iter().cloned().collect(),
            values: self.set.iter().cloned().collect::<BTreeMap<_, _>>(),
            envelopes: self.envelope.iter().cloned().collect(),
        }
    }

    /// Returns the numbers of the meshes that are asked for; `None`: all.
    fn meshes(&self, model: &Model) -> Result<Option<BTreeSet<u32>>, CliError> {
        let there: BTreeSet<u32> = (0..model.meshes.len()).map(|m| model.file_mesh(MeshId::from_index(m)).0).collect();
        if let Some(wrong) = self.mesh.iter().find(|mesh| !there.contains(mesh)) {
            return Err(CliError::Usage(format!("--mesh: the file has no mesh {wrong}")));
        }
        Ok((!self.mesh.is_empty()).then(|| self.mesh.iter().copied().collect()))
    }

    /// Says which joint of --envelope is not among those of these names.
    fn check_envelopes<'n>(&self, names: impl Iterator<Item = &'n str>) -> Result<(), CliError> {
        let names: BTreeSet<&str> = names.collect();
        match self.envelope.iter().find(|(joint, _)| !names.contains(joint.as_str())) {
            Some((joint, _)) => Err(CliError::Usage(printable(&format!("--envelope: no joint is called “{joint}”")))),
            None => Ok(()),
        }
    }

    /// Replaces the weights of meshes that have a skin.
    fn replace<'m>(&self, model: &'m Model) -> Result<(Sheet<'m>, Vec<BoundSkin>), CliError> {
        self.check_envelopes(model.skeleton.names.iter().map(String::as_str))?;
        let bind = &BIND;
        let mut sheet = Sheet::of(model);
        let meshes = self.meshes(model)?;
        for joint in &self.lock {
            let joint = find_node(model, joint)?;
            check_joint(&sheet, joint).map_err(|why| CliError::Usage(printable(&format!("--lock: {why}"))))?;
            sheet.bounds.locked.insert(joint.0);
        }
        let mut skinned = sheet.tables.iter().flat_map(|table| &table.primitives);
        let is_asked = |at: &PrimitiveId| meshes.as_ref().is_none_or(|m| m.contains(&model.file_mesh(at.mesh).0));
        if !skinned.any(is_asked) {
            let why = "no mesh that is asked for has a skin: --joints ROOT, --skeleton FILE or --humanoid gives it one";
            return Err(CliError::Usage(why.to_owned()));
        }
        if meshes.is_some() {
            let asked = sheet.tables.iter().flat_map(|table| table.primitives.iter().map(|at| (at, table.vertices())));
            let vertices = asked
                .filter(|(at, _)| is_asked(at))
                .flat_map(|(at, count)| (0..count as u32).map(|vertex| (at.mesh, at.primitive, vertex)));
            let vertices = VertexSet::from_vertices(vertices.collect());
            sheet.limit_to(&vertices);
        }
        let mut settings = Settings::default();
        put_bind_settings(&mut settings, &self.settings());
        check(bind, &sheet, &settings).map_err(|why| refused(&why))?;
        let applied = apply(bind, &mut sheet, &settings);
        check_applied(bind, &sheet, &settings, &applied).map_err(|why| refused(&why))?;
        let bound = std::mem::take(&mut sheet.bound);
        Ok((sheet, bound))
    }

    /// Gives meshes that have none a skin, where joints for them are asked for.
    fn gained(&self, model: &Arc<Model>) -> Result<Option<Gained>, CliError> {
        let (settings, context) = (self.settings(), JobContext::of_waiting());
        let mut told = None;
        let bound = if let Some(root) = &self.joints {
            self.check_envelopes(model.skeleton.names.iter().map(String::as_str))?;
            let root = find_node(model, root)?;
            let (meshes, locked) = (self.meshes(model)?, self.locked_below(model, root)?);
            let scope = BareScope { meshes: meshes.as_ref(), locked: Some(&locked), ..BareScope::default() };
            bind_bare(model, root, scope, &settings, &context)
        } else if let Some(made) = self.made(model)? {
            self.check_envelopes(made.joints.iter().map(|joint| joint.name.as_str()))?;
            told = made.told;
            let asked = (&made.joints[..], made.axes);
            bind_placed(model, asked, self.meshes(model)?.as_ref(), &settings, &context)
        } else {
            return Ok(None);
        };
        let BareBinding { change, bound } = bound.map_err(|why| refused(&why))?;
        let gained = model.with_bindings(&change).map_err(|why| CliError::Usage(printable(&why.to_string())))?;
        Ok(Some((gained, bound, told)))
    }

    /// Returns the joints at and below a node that get no weight.
    fn locked_below(&self, model: &Model, root: NodeId) -> Result<BTreeSet<u32>, CliError> {
        let joints = bare_joints(model, root);
        let mut locked = BTreeSet::new();
        for name in &self.lock {
            let joint = find_node(model, name)?;
            if !joints.contains(&joint) {
                let why = format!("--lock: “{name}” is none of the joints that the meshes gain");
                return Err(CliError::Usage(printable(&why)));
            }
            locked.insert(joint.0);
        }
        Ok(locked)
    }

    /// Returns the joints that are to be made; `None` where none are.
    fn made(&self, model: &Model) -> Result<Option<Made>, CliError> {
        self.placed.made(model, self.meshes(model)?.as_ref(), self.write.output.as_deref())
    }

    /// Returns what was done as JSON.
    fn report(
        &self,
        (model, told): (&Model, Option<&Told>),
        bound: &[BoundSkin],
        seconds: f64,
        (saved, looked): (&Saved, Option<&Looked>),
    ) -> String {
        let skins: Vec<Value> = bound.iter().map(|skin| skin_report(model, skin)).collect();
        let changed = saved.changes.vertices;
        let mut out =
            json!({ "schema": 1, "method": self.method, "seconds": seconds, "skins": skins, "changed": changed });
        if let Some(told) = told {
            out["placed"] = told.json();
        }
        if let Some(looked) = looked {
            out["check"] = looked.json();
        }
        format!("{out}\n")
    }

    /// Returns what was done as lines of text.
    fn text(&self, (model, told): (&Model, Option<&Told>), bound: &[BoundSkin]) -> String {
        let mut out = String::new();
        for skin in bound {
            let BoundSkin { vertices, joints, joints_used, islands, .. } = skin;
            out += &format!(
                "skin {}, {}: {} in {}, {joints_used} of {}\n",
                skin.skin.0,
                self.method,
                counted(*vertices, "vertex", "vertices"),
                counted(*islands, "piece", "pieces"),
                counted(*joints, "joint has weight", "joints have weight"),
            );
            for fallback in &skin.fallback {
                let vertices = counted(fallback.vertices, "vertex", "vertices");
                out += &format!(
                    "  piece {} ({vertices}) by {}: {}\n",
                    fallback.island,
                    fallback.method,
                    printable(&fallback.reason)
                );
            }
            out += &rules_text(model, skin);
        }
        out += &told.map(Told::text).unwrap_or_default();
        out
    }
}

/// Says which rules applied, each once.
fn rules_text(model: &Model, skin: &BoundSkin) -> String {
    let mut out = String::new();
    for rule in RULES {
        let applied: Vec<_> = skin.rules.iter().filter(|(applied, _)| applied.rule == rule.id).collect();
        if applied.is_empty() {
            continue;
        }
        let mut names: Vec<&str> = Vec::new();
        for name in applied.iter().filter_map(|(_, node)| model.skeleton.names.get((*node)?.index())) {
            // Several pieces may follow one joint.
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let pieces = applied.iter().filter(|(applied, _)| applied.island.is_some()).count();
        let mut about: Vec<String> = Vec::new();
        if !names.is_empty() {
            about.push(names.join(", "));
        }
        if pieces > 0 {
            about.push(counted(pieces, "piece", "pieces"));
        }
        let about = if about.is_empty() { String::new() } else { format!(": {}", printable(&about.join("; "))) };
        out += &format!("  {}{about}\n", rule.label);
    }
    for rule in RULES.iter().filter(|rule| skin.given_way.contains(&rule.id)) {
        out += &format!("  not {}: it would have left no joint\n", rule.label);
    }
    out
}

fn skin_report(model: &Model, skin: &BoundSkin) -> Value {
    let rules = skin.rules.iter().map(|(applied, node)| {
        let mut out = json!({ "rule": applied.rule });
        if let Some(node) = node {
            out["joint"] = json!(model.skeleton.names.get(node.index()));
        }
        if let Some(island) = applied.island {
            out["island"] = json!(island);
        }
        out
    });
    let mut out = json!({
        "skin": skin.skin.0,
        "vertices": skin.vertices,
        "joints": skin.joints,
        "joints_used": skin.joints_used,
        "islands": skin.islands,
        "fallback": skin.fallback,
        "rules": rules.collect::<Vec<_>>(),
    });
    if !skin.given_way.is_empty() {
        out["given_way"] = json!(skin.given_way);
    }
    out
}

/// Makes the error that a mesh cannot be bound.
fn refused(why: &Refusal) -> CliError {
    CliError::Usage(printable(&why.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bind::Applied;
    use crate::model::SkinId;
    use crate::model::test_shapes::{Tube, tube};

    #[test]
    fn a_joint_that_several_pieces_follow_is_named_once() {
        let model = tube(Tube::default());
        let piece = |island| {
            (Applied { rule: "loose-pieces", joint: Some(0), island: Some(island) }, Some(NodeId::from_index(1)))
        };
        let skin = BoundSkin {
            skin: SkinId(0),
            vertices: 3,
            joints: 1,
            joints_used: 1,
            islands: 3,
            fallback: Vec::new(),
            rules: vec![piece(1), piece(2)],
            shapes: Vec::new(),
            given_way: Vec::new(),
        };
        assert_eq!(rules_text(&model, &skin), "  Loose pieces: joint 0; 2 pieces\n");
    }
}
