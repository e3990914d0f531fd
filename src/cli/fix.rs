//! `skinscope fix`: changes weights and writes them back into the file that they came from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::clips::paths;
use super::find::{Two, find_node, find_pairs, parse_two};
use super::fix_report::{Done, report, text};
use super::map::MapArgs;
use super::pose::{PoseArgs, parse_secs};
use super::storage::Restored;
use super::write_args::{WriteArgs, tell_saved};
use super::{CliError, other_file, print, printable, tell_warnings, unwritable};
use crate::edit::{
    Amount, Axis, Donor, OPERATIONS, Operation, REPAIRED, Refusal, Settings, Sheet, apply, check as check_operation,
    check_applied, check_joint, check_moves, transfer_pairs,
};
use crate::inspect::VertexSet;
use crate::model::{Model, WeightFormat};
use crate::output::{self, overwritten, overwritten_by_stdout, say};
use crate::pose::NameMap;
use crate::session::Document;
use crate::writeback::{Origin, Recompression, Stamps, prepare};

/// Repair weights and write back only what changed
///
/// Operations run in the order in which they are listed here, whatever their order on the command line; weights are rounded to
/// what the file stores once, at the end. Only the bytes that must change do: names, extras, images, white space and the order
/// of everything stay. Where the layout of the file cannot hold the result (another type, sparse or compressed
/// accessors, what several share) new bytes are appended, and the old ones stay. A mesh that nodes show with skins of other joints is
/// edited for each: where their weights differ, OUT has one mesh more. Without an operation OUT has the same bytes.
///
/// Weights that were compressed by meshopt or Draco are stored plain once they change; with --recompress those of meshopt are
/// compressed again. A .gltf whose buffer changes gets a new .bin named after OUT; in another folder the other files that it names are
/// copied along.
///
/// The JSON has the fields: schema (1), changed {vertices, accessors [indices in OUT], bytes (of buffers, that differ or are
/// new), json_values (that differ, are new or gone), stored [{from, to (types of weights), vertices}] (where weights get another type)}, operations [{op, vertices (whose stored values changed)}], one for each
/// that was asked for, in their order; kept is there where vertices had to stay because of locked
/// joints, stuck where others had to, since no joint can take the weight, and partly where others got only a part of what was asked for,
/// with partly_because {no_pair (the file has no room for another joint of a vertex), locked, no_room (no weight is left to give)}; matrices_kept are those that
/// could not be set. transfer also has distance_mm {mean, largest} (from each vertex to the point of FILE whose weights it takes),
/// largest_change (of the weight of a joint) and unmatched (vertices that stay,
/// since no joint has a name of those that move FILE there), inpainted (vertices that took their weights from those around them) and
/// missing (the joints of FILE whose weights had no joint to go to). mirror also has planes [{mesh, name, axis, offset (in the unit of the
/// mesh's positions)}], without_plane [{mesh, name}] (meshes that stay) and unpaired (vertices that stay, since a joint of one side has no
/// partner).
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub(super) struct FixArgs {
    #[command(flatten)]
    write: WriteArgs,
    /// Compress by meshopt again what was compressed by it and changes, in place of storing it plain
    #[arg(long)]
    recompress: bool,
    /// Divide the weights of every vertex by their sum, over all sets; negative weights and those that are no numbers become 0
    #[arg(long)]
    normalise: bool,
    /// Take away the joints whose weight for a vertex is below W, but not its largest, and normalise what is left
    #[arg(long, value_name = "W", value_parser = weight)]
    prune: Option<f64>,
    /// Keep the N largest joints of every vertex, in its first pairs, and normalise them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    limit: Option<u16>,
    /// Choose joints and weights that keep the surface nearest over the clips and the range of motion, with --limit
    #[arg(long, requires = "limit")]
    best: bool,
    /// Store all weights as u8, u16 or f32; integers sum exactly to 255 or 65535, the largest remainders are rounded up
    #[arg(long, value_name = "TYPE", value_parser = format_of)]
    quantise: Option<WeightFormat>,
    /// Take joints off the vertices that are cut off from where they move the rest, and share their weight among the others
    #[arg(long)]
    remove_rogues: bool,
    /// Give vertices of one place, where the surface goes on, the mean of their weights
    #[arg(long)]
    weld_seams: bool,
    /// Copy the weights of one side of the mesh to the other, about its plane of symmetry, with the joints that are their partners there, by
    /// their names, else by their places: across x, y or z, with :+ (from + to −, as without) or :- (from − to +). Vertices of a joint at
    /// one side without a partner stay; without a plane it is refused
    #[arg(long, value_name = "AXIS", value_parser = side)]
    mirror: Option<(Axis, bool)>,
    /// Take these two joints for partners, with --mirror, whatever their names and places say; may be given several times. A joint that is its
    /// own partner is exchanged with none
    #[arg(long, value_name = "JOINT=OTHER", value_parser = parse_two, requires = "mirror")]
    pair: Vec<Two>,
    /// Move the weights of every vertex half way to the mean of its neighbours on the surface, N times
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    smooth: Option<u16>,
    /// Give vertices without any weight those of the nearest vertex that has some, along the edges of the surface
    #[arg(long)]
    hammer: bool,
    /// Set the inverse bind matrices from the rest pose, with the factor that the skin's joints share; only those that differ
    #[arg(long)]
    inverse_binds: bool,
    /// Repair what these rules of the checker find: their names with commas between, or `all` of them that can be repaired
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = rule)]
    rules: Option<Vec<Rules>>,
    /// Take a joint off all vertices: its weight goes to the nearest joint above it, or to the other joints of the vertex; one that
    /// it moved alone then takes the weights of the nearest vertex (with :spread after the name)
    #[arg(long, value_name = "JOINT")]
    remove_joint: Option<String>,
    /// Give the weight of a joint to another one
    #[arg(long, value_name = "JOINT=OTHER", value_parser = parse_two)]
    replace_joint: Option<Two>,
    /// Give all vertices the mean of their weights
    #[arg(long)]
    average: bool,
    /// Give all vertices these weights: JOINT=WEIGHT, with commas between
    #[arg(long, value_name = "WEIGHTS", value_parser = given)]
    paste: Option<Given>,
    /// Set the weight of a joint: 0.3 or 30%, +0.1, -0.1, *2; the other joints of a vertex follow, so that its sum stays
    #[arg(long, value_name = "JOINT=VALUE", value_parser = typed)]
    set: Option<(String, Amount)>,
    /// Give every vertex the weights of the closest point on the surface of another file that faces as it does, or of the vertices around
    /// it; joints are matched by the bones of humanoids and by name. Both are compared where they rest
    #[arg(long, value_name = "FILE")]
    transfer: Option<PathBuf>,
    #[command(flatten)]
    map: MapArgs,
    /// Write which joint of the file of --transfer is which of the model into a new FILE, which --map reads
    #[arg(long, value_name = "FILE", requires = "transfer", allow_hyphen_values = true)]
    write_map: Option<PathBuf>,
    /// Set the inverse bind matrices from this pose: in it the mesh then has the shape that the file stores. The pose is that of
    /// --clip and --time or of --pose, else the rest pose
    #[arg(long)]
    bind_here: bool,
    /// Bind in this clip, with --bind-here: by exact name or by number from 0
    #[arg(long, value_name = "NAME|N", requires = "bind_here", allow_hyphen_values = true)]
    clip: Option<String>,
    /// Bind at this time of the clip, in seconds on its timeline, clamped to the clip
    #[arg(long, value_name = "S", requires = "clip", default_value = "0", allow_negative_numbers = true, value_parser = parse_secs)]
    time: f32,
    /// Bind in the pose of this file, with --bind-here; what it says replaces the values of clip or rest pose
    #[arg(long, value_name = "FILE", requires = "bind_here", allow_hyphen_values = true)]
    pose: Option<PathBuf>,
    /// Leave the weights of this joint as they are, whatever else is done: the other joints of a vertex make room, and how many vertices had to
    /// stay as they are is reported. May be given several times; refused for a node that is no joint, and where no operation changes weights
    #[arg(long, value_name = "JOINT")]
    lock: Vec<String>,
    /// Change only vertices that this joint moves; inverse bind matrices have no vertices. May be given several times; refused for a joint that
    /// moves none, and where no operation changes weights
    #[arg(long, value_name = "JOINT")]
    only_joint: Vec<String>,
    /// Print JSON, and nothing else, to standard output
    #[arg(long)]
    json: bool,
}

/// One of the names after `--rules`.
#[derive(Clone, Copy, Debug)]
enum Rules {
    All,
    One(&'static str),
}

/// Weights by the names of their joints.
#[derive(Clone, Debug)]
struct Given(Vec<(String, f64)>);

fn typed(text: &str) -> Result<(String, Amount), String> {
    let (joint, value) = text.rsplit_once('=').ok_or_else(|| "expected JOINT=VALUE".to_owned())?;
    let amount = Amount::parse(value)
        .ok_or_else(|| format!("{value}: expected 0.3, 30%, +0.1, -0.1 or *2; a weight is 0 to 1"))?;
    Ok((joint.to_owned(), amount))
}

fn given(text: &str) -> Result<Given, String> {
    let (mut out, mut part) = (Vec::new(), String::new());
    for piece in text.split(',') {
        // A comma that does not follow a weight belongs to a name.
        let comma = if part.is_empty() { "" } else { "," };
        part = format!("{part}{comma}{piece}");
        let one = part.rsplit_once('=').and_then(|(joint, number)| Some((joint.to_owned(), weight(number).ok()?)));
        if let Some(one) = one {
            out.push(one);
            part.clear();
        }
    }
    if part.is_empty() { Ok(Given(out)) } else { Err(format!("{part}: expected JOINT=WEIGHT, a weight from 0 to 1")) }
}

fn after_help() -> String {
    format!(
        "Rules that can be repaired: {}.\n\n\
         Files are written whole or not at all.\n\n\
         Exit codes: 0 all went well, 1 the file is bad, 2 wrong usage or no place to write to.",
        REPAIRED.join(", ")
    )
}

fn weight(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|w| (0.0..=1.0).contains(w)).ok_or_else(|| "not a weight from 0 to 1".to_owned())
}

fn format_of(text: &str) -> Result<WeightFormat, String> {
    match text {
        "u8" => Ok(WeightFormat::U8),
        "u16" => Ok(WeightFormat::U16),
        "f32" => Ok(WeightFormat::F32),
        _ => Err("expected u8, u16 or f32".to_owned()),
    }
}

fn side(text: &str) -> Result<(Axis, bool), String> {
    let (axis, side) = text.split_once(':').unwrap_or((text, "+"));
    let axis = match axis {
        "x" => Axis::X,
        "y" => Axis::Y,
        "z" => Axis::Z,
        _ => return Err("expected x, y or z, with :+ or :- after it".to_owned()),
    };
    match side {
        "+" => Ok((axis, false)),
        "-" | "−" => Ok((axis, true)),
        _ => Err("expected :+ or :- after the axis".to_owned()),
    }
}

fn rule(text: &str) -> Result<Rules, String> {
    if text == "all" {
        return Ok(Rules::All);
    }
    let known = REPAIRED.iter().find(|id| **id == text).map(|id| Rules::One(id));
    known.ok_or_else(|| format!("no rule that can be repaired; those are {}", REPAIRED.join(", ")))
}

impl FixArgs {
    /// Returns whether an operation was asked for.
    fn wants(&self, operation: &Operation) -> bool {
        match operation.id {
            "normalise" => self.normalise,
            "prune" => self.prune.is_some(),
            "limit" => self.limit.is_some(),
            "quantise" => self.quantise.is_some(),
            "remove-rogues" => self.remove_rogues,
            "weld-seams" => self.weld_seams,
            "mirror" => self.mirror.is_some(),
            "smooth" => self.smooth.is_some(),
            "hammer" => self.hammer,
            "inverse-binds" => self.inverse_binds,
            "rules" => self.rules.is_some(),
            "remove-joint" => self.remove_joint.is_some(),
            "replace-joint" => self.replace_joint.is_some(),
            "average" => self.average,
            "paste" => self.paste.is_some(),
            "set" => self.set.is_some(),
            "transfer" => self.transfer.is_some(),
            "bind-here" => self.bind_here,
            _ => false,
        }
    }

    fn settings(&self, document: &Document) -> Result<Settings, CliError> {
        let model = document.stored();
        let mut out = Settings { best: self.best, ..Settings::default() };
        out.threshold = self.prune.unwrap_or(out.threshold);
        out.limit = self.limit.map_or(out.limit, usize::from);
        out.format = self.quantise.unwrap_or(out.format);
        (out.axis, out.from_negative) = self.mirror.unwrap_or((out.axis, out.from_negative));
        out.times = self.smooth.map_or(out.times, usize::from);
        if let Some(rules) = &self.rules {
            let named = |id: &str| {
                rules.iter().any(|rule| match rule {
                    Rules::All => true,
                    Rules::One(one) => *one == id,
                })
            };
            out.rules = REPAIRED.iter().copied().filter(|id| named(id)).collect();
        }
        if let Some(two) = &self.replace_joint {
            let [joint, other] = two.find(|name| find_node(model, name))?;
            (out.joint, out.other) = (Some(joint), Some(other));
        }
        out.pairs = find_pairs(model, &self.pair, |name| find_node(model, name))?;
        if let (Some(out), Some(pose)) = (&self.write.output, &self.pose) {
            overwritten(out, [pose.as_path()])?;
        }
        if self.bind_here {
            let pose = PoseArgs::plain(self.clip.clone(), self.time, self.pose.clone());
            out.pose = Some(Arc::new(pose.session(document.clone())?.pose().local.clone()));
        }
        if let Some(path) = &self.transfer {
            out.donor = Some(self.donor(path)?);
        }
        out.names = self.map.read_for("--transfer", self.transfer.is_some())?;
        if let (Some(map), Some(Donor(donor))) = (&self.write_map, &out.donor) {
            self.write_pairs(map, model, donor, &out.names)?;
        }
        for (joint, weight) in self.paste.iter().flat_map(|given| &given.0) {
            out.copied.push((find_node(model, joint)?, *weight));
        }
        Ok(out)
    }

    /// Writes which joint of the file of --transfer is which of the model. It replaces no file that is read or written.
    fn write_pairs(&self, map: &Path, model: &Model, donor: &Model, names: &NameMap) -> Result<(), CliError> {
        let read = self.map.files().chain(self.transfer.clone()).chain([self.write.model.clone()]);
        let files: Vec<PathBuf> = read.chain(donor.source.files.clone()).chain(model.source.files.clone()).collect();
        overwritten(map, paths(&files))?;
        if overwritten(map, self.write.output.as_deref()).is_err() {
            return Err(CliError::Usage(format!("{}: --write-map and --output name one file", map.display())));
        }
        let pairs = transfer_pairs(model, donor, names).map_err(|why| CliError::Usage(printable(&why.to_string())))?;
        let mut out = NameMap::default();
        pairs.iter().for_each(|(there, here)| out.set(there, here.as_deref()));
        output::write(map, out.text().as_bytes()).map_err(|error| unwritable(map, error))
    }

    /// Reads the file whose weights are taken. The result is not written over it.
    fn donor(&self, path: &Path) -> Result<Donor, CliError> {
        let document = other_file(path, &self.write.open)?;
        overwritten_by_stdout(document.files())?;
        if let Some(out) = &self.write.output {
            overwritten(out, document.files())?;
        }
        let model = document.stored();
        let has_weights = model.meshes.iter().flat_map(|mesh| &mesh.primitives).any(|p| p.stored_influences.is_some());
        if !has_weights {
            return Err(CliError::Usage(format!("{}: it has no weights to transfer", path.display())));
        }
        Ok(Donor(Arc::clone(model)))
    }

    /// Returns the settings for one operation, since two operations may name joints.
    fn settings_for(&self, operation: &Operation, model: &Model, all: &Settings) -> Result<Settings, CliError> {
        let mut out = all.clone();
        if let Some(joint) = self.remove_joint.as_deref().filter(|_| operation.id == "remove-joint") {
            // A joint may really be called so.
            let is_name = find_node(model, joint).is_ok();
            let (name, spread) = match joint.strip_suffix(":spread").filter(|_| !is_name) {
                Some(name) => (name, true),
                None => (joint, false),
            };
            (out.joint, out.spread) = (Some(find_node(model, name)?), spread);
        }
        if let Some((joint, amount)) = self.set.as_ref().filter(|_| operation.id == "set") {
            (out.joint, out.amount) = (Some(find_node(model, joint)?), *amount);
        }
        Ok(out)
    }

    /// Limits which vertices may change; all may where no joint is named.
    fn bounds(&self, sheet: &mut Sheet) -> Result<(), CliError> {
        let model = sheet.model;
        let refused = |option: &'static str| move |why: Refusal| CliError::Usage(format!("--{option}: {why}"));
        for joint in &self.lock {
            let joint = find_node(model, joint)?;
            check_joint(sheet, joint).map_err(refused("lock"))?;
            sheet.bounds.locked.insert(joint.0);
        }
        let mut within = Vec::new();
        for joint in &self.only_joint {
            let joint = find_node(model, joint)?;
            check_moves(sheet, joint).map_err(refused("only-joint"))?;
            within.extend(VertexSet::moved_by(model, joint).iter());
        }
        if !self.only_joint.is_empty() {
            sheet.limit_to(&VertexSet::from_vertices(within));
        }
        Ok(())
    }

    /// Refuses options that change nothing on this model, whatever the operations do.
    fn has_effects(&self, sheet: &Sheet) -> Result<(), CliError> {
        if !OPERATIONS.iter().any(|operation| operation.is_of_weights() && self.wants(operation)) {
            for (option, is_given) in [("lock", !self.lock.is_empty()), ("only-joint", !self.only_joint.is_empty())] {
                if is_given {
                    let why = format!("--{option} is about weights, and no operation that changes them was asked for");
                    return Err(CliError::Usage(why));
                }
            }
        }
        let find = |name: &str| find_node(sheet.model, name);
        let mut joints = Vec::new();
        for two in &self.pair {
            joints.extend(two.find(find)?);
        }
        for (joint, _) in self.paste.iter().flat_map(|given| &given.0) {
            joints.push(find(joint)?);
        }
        for joint in joints {
            check_joint(sheet, joint).map_err(|why| CliError::Usage(why.to_string()))?;
        }
        if self.recompress && sheet.model.source.origins.views.iter().all(|view| view.meshopt.is_none()) {
            say(format_args!(
                "warning: the file has nothing that meshopt compressed, so that --recompress changes nothing"
            ));
        }
        Ok(())
    }
}

pub(super) fn run(args: &FixArgs) -> Result<(), CliError> {
    let path = &args.write.model;
    let mut stamps = Stamps::of(path);
    let document = other_file(path, &args.write.open)?;
    overwritten_by_stdout(document.files())?;
    stamps.add(document.files());
    let mut sheet = Sheet::of(document.stored());
    let settings = args.settings(&document)?;
    args.bounds(&mut sheet)?;
    args.has_effects(&sheet)?;
    let mut done: Vec<Done> = Vec::new();
    for operation in OPERATIONS.iter().copied().filter(|operation| args.wants(operation)) {
        let settings = args.settings_for(operation, document.stored(), &settings)?;
        let refused = |why: Refusal| CliError::Usage(format!("--{}: {why}", operation.id));
        check_operation(operation, &sheet, &settings).map_err(refused)?;
        let applied = apply(operation, &mut sheet, &settings);
        check_applied(operation, &sheet, &settings, &applied).map_err(refused)?;
        let (transferred, mirrored) = (sheet.transferred.take(), sheet.mirroring.take());
        done.push(Done { operation, applied, transferred, mirrored });
    }
    if !args.json {
        tell_current(&document, &sheet);
    }
    let recompression = if args.recompress { Recompression::Meshopt } else { Recompression::None };
    let saved = prepare(Origin::File(path, &stamps), &sheet, recompression, args.write.destination())?
        .keeping_links(args.write.keep_links)
        .write()?;
    tell_saved(&saved);
    let restored = if saved.changes.accessors.is_empty() { Restored::default() } else { Restored::of(&sheet) };
    print(&if args.json {
        report(document.stored(), &done, &saved, &restored)
    } else {
        text(document.stored(), &done, &saved, &restored)
    })
}

/// Writes the warnings of import to standard error, and says which of those about weights are repaired by now.
pub(super) fn tell_current(document: &Document, sheet: &Sheet) {
    let fixed = Some(sheet).filter(|_| !document.warnings.is_empty()).and_then(Sheet::to_model);
    let Some(fixed) = fixed else { return tell_warnings(document) };
    let (repaired, left): (Vec<_>, Vec<_>) =
        document.warnings_of(&fixed).into_iter().partition(|warning| warning.is_repaired);
    let mut shown = document.clone();
    shown.warnings = left.into_iter().map(|warning| warning.text.into_owned()).collect();
    tell_warnings(&shown);
    for warning in repaired {
        say(format_args!("repaired: {}", printable(&warning.text)));
    }
}
