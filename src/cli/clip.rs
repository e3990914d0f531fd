//! `skinscope clip`: adds clips to a model.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{ArgGroup, Args};
use glam::Vec3;
use serde_json::json;

use super::clips::{ClipsArgs, paths};
use super::find::{Two, find_clip, find_node, find_pairs, parse_two};
use super::opened::Opened;
use super::pose_steps::MirrorAxis;
use super::write_args::WriteArgs;
use super::{CliError, print, printable, read_pose, tell_unmatched, tell_warnings};
use crate::edit::Sheet;
use crate::inspect::symmetry;
use crate::math::Aabb;
use crate::model::{ClipId, LocalPose, Model};
use crate::output::{overwritten, overwritten_by_stdout, say};
use crate::pose::{Mirror, keyed_clip, resolve};
use crate::session::mirrored_clips;
use crate::writeback::Recompression;

/// Add clips to a model: those of other files, one made of pose files, mirrored ones
///
/// All else of the file stays as it is, to the byte: keys are appended to its buffer, and animations to its list. A .gltf whose buffer
/// grows gets a new .bin named after OUT; in another folder the other files that it names are copied along.
///
/// The JSON has the fields: schema (1), clips [names of those that were added], changed {accessors [indices in OUT], bytes (new in
/// buffers), json_values (new or different)}.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("what").required(true).multiple(true).args(["clips_from", "key", "mirror"]),
    after_help = "Exit codes: 0 all went well, 1 a file is bad, 2 wrong usage or no place to write to.\n\n\
        Examples:\n  skinscope clip knight.glb -o walking.glb --clips-from walks.glb\n  \
        skinscope clip knight.glb -o bowing.glb --name Bow --key 0=rest --key 0.5=bow.pose.json --key 1.5=rest\n  \
        skinscope clip knight.glb -o both.glb --mirror x --clip Punch",
)]
pub(super) struct ClipArgs {
    #[command(flatten)]
    write: WriteArgs,
    #[command(flatten)]
    clips: ClipsArgs,
    /// Show the pose of FILE (or `rest`) at this moment of a new clip, seconds; may be given several times, with rising moments. Rotations
    /// between two moments follow the shorter arc
    #[arg(long, value_name = "SECONDS=FILE", value_parser = parse_key, allow_hyphen_values = true)]
    key: Vec<(f32, PathBuf)>,
    /// Call the new clip so
    #[arg(long, value_name = "NAME", default_value = "Poses", requires = "key", allow_hyphen_values = true)]
    name: String,
    /// Add the mirror image of each clip, those of the other options included: left and right are exchanged for x, as by `pose --mirror`.
    /// Keys stay keys, with their times and interpolation
    #[arg(long, value_enum, value_name = "x|y|z")]
    mirror: Option<MirrorAxis>,
    /// Mirror this clip alone, by exact name or by number from 0; may be given several times
    #[arg(long, value_name = "NAME|N", requires = "mirror", allow_hyphen_values = true)]
    clip: Vec<String>,
    /// Take these two joints for partners, with --mirror, whatever their names and places say; may be given several times. A joint that is
    /// its own partner is exchanged with none
    #[arg(long, value_name = "JOINT=OTHER", requires = "mirror", allow_hyphen_values = true, value_parser = parse_two)]
    pair: Vec<Two>,
    /// Print JSON, and nothing else, to standard output
    #[arg(long)]
    json: bool,
}

fn parse_key(text: &str) -> Result<(f32, PathBuf), String> {
    let key = text.split_once('=').filter(|(_, file)| !file.is_empty());
    let key = key.and_then(|(secs, file)| Some((secs.trim().parse::<f32>().ok()?, PathBuf::from(file))));
    key.filter(|(secs, _)| secs.is_finite() && *secs >= 0.0)
        .ok_or_else(|| "expected SECONDS=FILE, seconds not below 0, such as 0.5=bow.pose.json".into())
}

/// Returns a model with the mirror images of its clips after them.
fn mirrored(args: &ClipArgs, axis: MirrorAxis, model: &Model, bounds: Aabb) -> Result<Model, CliError> {
    let wanted: Vec<ClipId> = match args.clip.is_empty() {
        true => (0..model.clips.len()).map(ClipId::from_index).collect(),
        false => args.clip.iter().map(|name| find_clip(model, name)).collect::<Result<_, _>>()?,
    };
    if wanted.is_empty() {
        return Err(CliError::Usage("--mirror: the model has no clip".into()));
    }
    let axis = axis.axis();
    let middle = if bounds.is_empty() { Vec3::ZERO } else { bounds.center() };
    let pairs = find_pairs(model, &args.pair, |name| find_node(model, name))?;
    let mut mirror = match symmetry::of_poses(model, Some(axis), middle) {
        Ok(mirror) => mirror,
        Err(_) if !pairs.is_empty() => Mirror::alone(model, axis, middle),
        Err(why) => return Err(CliError::Usage(format!("--mirror {}: {why}", axis.name()))),
    };
    pairs.iter().for_each(|[a, b]| mirror.pair(*a, *b));
    let (images, lines) = mirrored_clips(model, &mirror, &wanted);
    lines.iter().for_each(|line| say(format_args!("warning: {}", printable(line))));
    model.with_clips(images).map_err(|error| CliError::Usage(error.to_string()))
}

pub(super) fn run(args: &ClipArgs) -> Result<(), CliError> {
    let WriteArgs { open, output, .. } = &args.write;
    let (document, stamps) = args.write.open_model()?;
    let mut opened = Opened::from(document);
    if !args.json {
        tell_warnings(&opened.document);
    }
    let own = opened.document.stored().clips.len();
    let keyed = args.key.iter().map(|(_, file)| file.as_path());
    let mut read = args.clips.add(&mut opened, open, keyed, output.as_deref())?;
    let mut model = std::sync::Arc::clone(opened.document.stored());
    if !args.key.is_empty() {
        let mut poses: Vec<(f32, LocalPose)> = Vec::with_capacity(args.key.len());
        for (secs, file) in &args.key {
            let mut pose = model.skeleton.rest.clone();
            if file.as_os_str() != "rest" {
                let resolved = resolve(&model, &read_pose(file)?);
                tell_unmatched(&resolved.unmatched);
                resolved.apply(&mut pose);
                read.push(file.clone());
            }
            poses.push((*secs, pose));
        }
        let taken: BTreeSet<&str> = model.clips.iter().map(|clip| clip.name.as_str()).collect();
        if taken.contains(args.name.as_str()) {
            return Err(CliError::Usage(printable(&format!("there is a clip \"{}\"; say --name", args.name))));
        }
        let why = "the moments of --key do not rise, or no pose differs from rest";
        let clip = keyed_clip(&model, &args.name, &poses).ok_or_else(|| CliError::Usage(why.into()))?;
        let built = model.with_clips(vec![clip]).map_err(|error| CliError::Usage(error.to_string()))?;
        model = std::sync::Arc::new(built);
    }
    if let Some(axis) = args.mirror {
        model = std::sync::Arc::new(mirrored(args, axis, &model, opened.document.rest_bounds())?);
    }
    overwritten_by_stdout(opened.files().chain(paths(&read)))?;
    if let Some(out) = output {
        overwritten(out, opened.files().chain(paths(&read)))?;
    }
    let saved = args.write.write(&stamps, &Sheet::of(&model), Recompression::None)?;
    let names: Vec<&str> = model.clips[own..].iter().map(|clip| clip.name.as_str()).collect();
    let changes = &saved.changes;
    if args.json {
        let changed =
            json!({ "accessors": changes.accessors, "bytes": changes.bytes, "json_values": changes.json_values });
        return print(&format!("{}\n", json!({ "schema": 1, "clips": names, "changed": changed })));
    }
    let lines: Vec<String> = names.iter().map(|name| format!("added the clip \"{}\"\n", printable(name))).collect();
    print(&format!("{}{} new bytes\n", lines.concat(), changes.bytes))
}
