//! `skinscope links`: puts bone links between joints and those above them, and writes them into the file.

use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use super::find::find_node;
use super::fix_report::written;
use super::opened::refuse_session;
use super::storage::Restored;
use super::write_args::{WriteArgs, tell_saved};
use super::{CliError, other_file, print, printable};
use crate::edit::{LinkPlan, LinkRefusal, LinkSettings, Sheet, plan_links};
use crate::inspect::check::{FindingPose, kept_volumes};
use crate::model::{ClipId, Model, NodeId};
use crate::output::overwritten_by_stdout;
use crate::parallel::JobContext;
use crate::words::counted;
use crate::writeback::{Origin, Recompression, Saved, Stamps, prepare};

/// The angle at which the volume is told, degrees.
const TOLD: f32 = 90.0;

/// Put joints between a joint and the one above it, so that the skin keeps its volume where the joint turns far
///
/// A link stands at the joint and makes a share of its turn, so that no two neighbours turn against each other by more than --degrees: there
/// are as many as the farthest turn of the clips needs, or that of --angle. What a vertex has of both joints is parted among those next to
/// where it stands between them, so that it has no more joints than before, and small turns leave the surface where it was. With --twist the
/// links stand along the bone above the joint, and make shares of its twist about that bone alone: what a vertex has of the joint above is
/// parted by its place along the bone.
///
/// Links get keys in every clip that turns the joint, so that every program plays them; their extras say what drives them, and Skinscope lets
/// them follow the joint in any pose. Joints keep their numbers: links come after them in their skins.
///
/// The JSON has the fields: schema (1), joints [{joint, above, twist, angle (the farthest turn, degrees), clip, time (where a clip makes it),
/// vertices (that get other weights), links [{link, share}], volume [{degrees or clip and time, before, after}] (the part of the volume that
/// the skin within two radii of the joint keeps, before and after; null where it encloses none)}], and changed {vertices, accessors, bytes,
/// json_values}.
#[derive(Debug, Args)]
#[command(after_help = "Files are written whole or not at all.\n\n\
    Exit codes: 0 all went well, 1 the file is bad, 2 wrong usage, a joint that cannot have links, or no place to write to.\n\n\
    Examples:\n  skinscope links hero.glb --joint LowerArm.L --joint LowerArm.R -o linked.glb\n  \
    skinscope links hero.glb --joint Hand.L --twist --degrees 45 --angle 150 -o linked.glb")]
pub(super) struct LinksArgs {
    #[command(flatten)]
    write: WriteArgs,
    /// The joint that turns; may be given several times
    #[arg(long, value_name = "JOINT", required = true, allow_hyphen_values = true)]
    joint: Vec<String>,
    /// The most degrees by which one turns against the next, 10 to 120
    #[arg(long, value_name = "DEGREES", default_value = "60", value_parser = parse_degrees)]
    degrees: f32,
    /// The farthest that the joint turns, up to 180 degrees [default: the farthest that a clip turns it]
    #[arg(long, value_name = "DEGREES", value_parser = parse_angle)]
    angle: Option<f32>,
    /// Make links for the twist about the bone above the joint, not for its bend
    #[arg(long)]
    twist: bool,
    /// Print JSON, and nothing else, to standard output
    #[arg(long)]
    json: bool,
}

fn parse_within(text: &str, [least, most]: [f32; 2]) -> Result<f32, String> {
    let number: f32 = text.parse().map_err(|_| format!("“{text}” is no number"))?;
    let is_within = (least..=most).contains(&number);
    is_within.then_some(number).ok_or_else(|| format!("expected {least} to {most} degrees"))
}

fn parse_degrees(text: &str) -> Result<f32, String> {
    parse_within(text, LinkSettings::DEGREES)
}

fn parse_angle(text: &str) -> Result<f32, String> {
    parse_within(text, [1.0, 180.0])
}

/// What was done to a joint.
struct Done {
    joint: String,
    above: String,
    plan: LinkPlan,
    /// The poses in which the volume is told, with the part that is kept before and after.
    volumes: Vec<(FindingPose, [Option<f64>; 2])>,
}

pub(super) fn run(args: &LinksArgs) -> Result<(), CliError> {
    let WriteArgs { model: path, open, .. } = &args.write;
    refuse_session(path)?;
    let mut stamps = Stamps::of(path);
    let document = other_file(path, open)?;
    overwritten_by_stdout(document.files())?;
    stamps.add(document.files());
    let settings = LinkSettings { degrees: args.degrees, angle: args.angle, twist: args.twist };
    let mut model = Arc::clone(document.stored());
    let mut all: Vec<Done> = Vec::new();
    for joint in &args.joint {
        let (linked, done) = linked(&model, joint, &settings)?;
        model = Arc::new(linked);
        all.push(done);
    }
    let sheet = Sheet::of(&model);
    let saved = prepare(Origin::File(path, &stamps), &sheet, Recompression::None, args.write.destination())?
        .keeping_links(args.write.keep_links)
        .write()?;
    tell_saved(&saved);
    print(&match args.json {
        true => report(&model, args.twist, &all, &saved),
        false => all.iter().map(|done| text(&model, done)).collect::<String>() + &written(&saved, &Restored::default()),
    })
}

/// Gives a joint its links.
fn linked(model: &Model, joint: &str, settings: &LinkSettings) -> Result<(Model, Done), CliError> {
    let refused = |why: LinkRefusal| CliError::Usage(printable(&why.to_string()));
    let joint = find_node(model, joint)?;
    let plan = plan_links(model, joint, settings).map_err(refused)?;
    let linked = model.with_links(&plan.change).map_err(|why| refused(why.into()))?;
    let turned = FindingPose::Turned { joint, axis: plan.axis, angle: TOLD.to_radians() };
    let farthest = plan.moment.map(|(clip, time_secs)| FindingPose::Clip { clip, time_secs });
    let poses: Vec<FindingPose> = std::iter::once(turned).chain(farthest).collect();
    let kept = kept_volumes([model, &linked], [plan.above, joint], &poses, &JobContext::of_waiting());
    let name = |node: NodeId| model.skeleton.names[node.index()].clone();
    let volumes = poses.into_iter().zip(kept.unwrap_or_default()).collect();
    let done = Done { joint: name(joint), above: name(plan.above), plan, volumes };
    Ok((linked, done))
}

fn clip_name(model: &Model, clip: ClipId) -> &str {
    model.clips.get(clip.index()).map_or("", |clip| clip.name.as_str())
}

/// Describes a joint for people.
fn text(model: &Model, done: &Done) -> String {
    let Done { joint, above, plan, volumes } = done;
    let links = counted(plan.change.links.len(), "link", "links");
    let vertices = counted(plan.vertices, "vertex", "vertices");
    let farthest = match plan.moment {
        Some((clip, time)) => format!("in {} at {time:.2} s", printable(clip_name(model, clip))),
        None => "as was said".to_owned(),
    };
    let mut out = format!(
        "{}: {links} between it and {}, for a turn of {:.0}° {farthest}; {vertices}\n",
        printable(joint),
        printable(above),
        plan.angle,
    );
    for (pose, kept) in volumes {
        let [Some(before), Some(after)] = kept else { continue };
        let pose = match pose {
            FindingPose::Clip { time_secs, .. } => format!("there ({time_secs:.2} s)"),
            _ => format!("turned by {TOLD:.0}°"),
        };
        out += &format!("  volume {pose}: {:.0} % before, {:.0} % after\n", 100.0 * before, 100.0 * after);
    }
    if volumes.iter().all(|(_, kept)| kept.iter().any(Option::is_none)) {
        out += "  volume: the skin encloses none around the joint\n";
    }
    out
}

/// Describes all joints for programs.
fn report(model: &Model, twist: bool, all: &[Done], saved: &Saved) -> String {
    let moment = |clip: ClipId, time: f32| json!({ "clip": clip_name(model, clip), "time": time });
    let joints = all.iter().map(|done| {
        let Done { joint, above, plan, volumes } = done;
        let links = plan.change.links.iter().map(|link| json!({ "link": link.name, "share": link.drive.share }));
        let volume = volumes.iter().map(|(pose, [before, after])| {
            let mut out = match pose {
                FindingPose::Clip { clip, time_secs } => moment(*clip, *time_secs),
                _ => json!({ "degrees": TOLD }),
            };
            (out["before"], out["after"]) = (json!(before), json!(after));
            out
        });
        let mut out = plan.moment.map_or_else(|| json!({}), |(clip, time)| moment(clip, time));
        (out["joint"], out["above"], out["twist"]) = (json!(joint), json!(above), json!(twist));
        (out["angle"], out["vertices"]) = (json!(plan.angle), json!(plan.vertices));
        (out["links"], out["volume"]) = (links.collect::<Value>(), volume.collect::<Value>());
        out
    });
    let changes = &saved.changes;
    let report = json!({
        "schema": 1,
        "joints": joints.collect::<Vec<Value>>(),
        "changed": {
            "vertices": changes.vertices,
            "accessors": changes.accessors,
            "bytes": changes.bytes,
            "json_values": changes.json_values,
        },
    });
    format!("{report}\n")
}
