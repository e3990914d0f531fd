//! `skinscope pose`: makes a pose file, step by step.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use glam::{DVec3, Vec3};
use serde_json::json;

use super::find::{Two, find_clip, find_pairs, parse_two};
use super::layers::LayerArgs;
use super::opened::Opened;
use super::pose::parse_secs;
use super::pose_steps::{LayerStep, ReachStep, Step, Steps};
use super::{CliError, ModelArgs, print, printable, read_pose, tell_unmatched, tell_warnings, unwritable};
use crate::anim::{self, LayerScratch, SampleScratch};
use crate::inspect::symmetry;
use crate::model::{LocalPose, Model, NodeId};
use crate::output::{self, is_stdout, overwritten, overwritten_by_stdout, say};
use crate::pose::{self, Aim, Axis, Keys, Limits, Mirror, Reach, ReachError, Reached, Resolved};
use crate::session::{Document, Session};

/// Make a pose file: turn, reach, look, mirror, blend, add
///
/// Begins with the pose that the model stores (or that a session file shows, or that of --from, or of a clip) and does what the other options say, in the
/// order in which they are given. A pose file holds the local values of every node that differs from rest; `view`, `render`,
/// `bake` and `check --rom` take it with --pose.
///
/// JOINT is the name of any node; where several nodes have that name, or it has none, `#12`, its index in the file. What
/// stands after the last `=` is the value.
///
/// The JSON has the fields schema (1), reached [{joint, target, at (where it is), error_m, within_reach}] (one for each --reach)
/// and unmatched (keys of the pose files that the model has nothing for).
#[derive(Debug, Args)]
#[command(after_long_help = AFTER_HELP)]
#[command(mut_arg("model", super::or_session))]
pub(super) struct MakePoseArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Write the pose into this file; its name ends in .json, best in .pose.json
    #[arg(short, long, value_name = "OUT.pose.json")]
    output: PathBuf,
    /// Begin with the pose of this file; nodes that it does not name rest
    #[arg(long, value_name = "FILE", allow_hyphen_values = true, conflicts_with = "clip")]
    from: Option<PathBuf>,
    /// Begin with this clip, by exact name or by number from 0
    #[arg(long, value_name = "NAME|N", allow_hyphen_values = true)]
    clip: Option<String>,
    /// Take the clip at this time of its timeline, seconds; times outside of the clip are clamped to it
    #[arg(long, value_name = "S", requires = "clip", default_value = "0", allow_negative_numbers = true, value_parser = parse_secs)]
    time: f32,
    #[command(flatten)]
    layers: LayerArgs,
    /// Correct the poses of --from, --blend and --add for the rest pose of the model that they were made on
    #[arg(long, value_name = "MODEL", allow_hyphen_values = true)]
    made_on: Option<PathBuf>,
    #[command(flatten)]
    steps: Steps,
    /// Take these two joints for partners, with --mirror and --flip, whatever their names and places say; may be given several times. A
    /// joint that is its own partner is exchanged with none
    #[arg(long, value_name = "JOINT=OTHER", allow_hyphen_values = true, value_parser = parse_two)]
    pair: Vec<Two>,
    /// Print JSON to standard output: what was reached, and what had no counterpart
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
A limb that reaches turns its joints from --root down to the parent of JOINT; bones keep their lengths, JOINT keeps its own \
rotation. Without --root the limb has two bones, twist joints not counted: of a hand it begins at the upper arm. Where the \
target is too far the limb points straight at it, and the rest is said.\n\n\
`skinscope info MODEL --json` lists nodes and clips.\n\n\
Files are written whole or not at all, and never over one that was read.\n\n\
Exit codes: 0 all went well, 1 the model or a pose file is bad, 2 wrong usage or no place to write to.\n\n\
Examples:\n  skinscope pose character.glb -o raise.pose.json --rotate UpperArm.L=0,0,40 --rotate LowerArm.L=0,-30,0\n  \
skinscope pose character.glb -o wave.pose.json --reach Hand.R=-0.5,1.6,0.2 --pole -1,1,-1 --look Head=0,1.6,3\n  \
skinscope pose character.glb -o other.pose.json --from wave.pose.json --mirror x";

pub(super) fn run(args: &MakePoseArgs) -> Result<(), CliError> {
    if args.output.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("json")) {
        return Err(CliError::Usage(format!("{}: poses are written as .pose.json", args.output.display())));
    }
    let read = || args.from.iter().chain(args.steps.files()).chain(&args.made_on).map(PathBuf::as_path);
    overwritten(&args.output, read().chain(args.model.model.as_deref()))?;
    let opened = args.model.load_with_session(None)?;
    let inputs = || opened.files().chain(read());
    overwritten(&args.output, inputs())?;
    if args.json {
        overwritten_by_stdout(inputs())?;
        if is_stdout(&args.output) {
            let why = "standard output goes to this file too; give one of them another name";
            return Err(CliError::Usage(format!("{}: {why}", args.output.display())));
        }
    }
    tell_warnings(&opened.document);
    let document = opened.document.clone();
    let mut making = Making::new(&document, opened);
    if let Some(path) = &args.made_on {
        let other = args.model.load_another(path)?;
        overwritten(&args.output, other.files())?;
        making.made_on = Some(other.model);
    }
    if !args.pair.is_empty() && !args.steps.0.iter().any(|step| matches!(step, Step::Mirror(_) | Step::Flip(_))) {
        return Err(CliError::Usage("--pair belongs to a --mirror or --flip".into()));
    }
    let given_pairs = find_pairs(&making.model, &args.pair, |name| making.find(name))?;
    making.pairs.extend(given_pairs);
    making.begin(args)?;
    for step in &args.steps.0 {
        making.take(step)?;
    }
    let name = args.output.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.strip_suffix(".json").map(|stem| stem.strip_suffix(".pose").unwrap_or(stem)).unwrap_or(&name);
    let file = pose::capture(&making.model, &making.pose, name);
    output::write(&args.output, file.text().as_bytes()).map_err(|e| unwritable(&args.output, e))?;
    making.tell(args.json)
}

/// A pose while it is being made.
struct Making<'a> {
    document: &'a Document,
    /// The model, with the clips that a session file adds.
    model: Arc<Model>,
    keys: Keys,
    /// The limits of a session file, which the inverse kinematics of reaching limbs obeys.
    limits: Vec<(NodeId, Limits)>,
    /// The model that pose files were made on, where that has another rest pose.
    made_on: Option<Arc<Model>>,
    /// The pairs of nodes on both sides: those of a session file, then those of --pair.
    pairs: Vec<[NodeId; 2]>,
    pose: LocalPose,
    reached: Vec<(String, DVec3, Reached)>,
    unmatched: Vec<String>,
}

impl<'a> Making<'a> {
    /// Begins with the rest pose, or with the pose that a session file shows.
    fn new(document: &'a Document, opened: Opened) -> Self {
        let (mut model, mut limits, mut pairs) = (Arc::clone(&document.model), Vec::new(), Vec::new());
        let mut pose = model.skeleton.rest.clone();
        if opened.session_file.is_some() {
            let mut session = Session::default();
            opened.show(&mut session);
            session.update_pose();
            pose = session.pose().local.clone();
            limits = session.rules().obeyed_limits();
            pairs = session.edit_rules().changed_pairs();
            model = session.model().map_or(model, Arc::clone);
        }
        let keys = Keys::of(&model);
        Self { document, model, keys, limits, made_on: None, pairs, pose, reached: Vec::new(), unmatched: Vec::new() }
    }

    fn begin(&mut self, args: &MakePoseArgs) -> Result<(), CliError> {
        if let Some(path) = &args.from {
            self.pose = self.model.skeleton.rest.clone();
            self.read(path)?.apply(&mut self.pose);
        }
        if let Some(clip) = &args.clip {
            let clip = &self.model.clips[find_clip(&self.model, clip)?.index()];
            // As the timeline does.
            let time = args.time.clamp(0.0, clip.duration_secs());
            self.pose = self.model.skeleton.rest.clone();
            anim::sample(&self.model, clip, time, &mut SampleScratch::default(), &mut self.pose);
            let layers = args.layers.find(&self.model)?;
            layers.lay(&self.model, time, &mut LayerScratch::default(), &mut self.pose);
        }
        Ok(())
    }

    fn read(&mut self, path: &std::path::Path) -> Result<Resolved, CliError> {
        let file = read_pose(path)?;
        let resolved = match &self.made_on {
            Some(other) => pose::carry(other, &self.model, &file),
            None => pose::resolve(&self.model, &file),
        };
        let new: Vec<String> = resolved.unmatched.iter().filter(|key| !self.unmatched.contains(key)).cloned().collect();
        self.unmatched.extend(new);
        Ok(resolved)
    }

    fn find(&self, key: &str) -> Result<NodeId, CliError> {
        pose::find_key(&self.model, &self.keys, key).map_err(|error| CliError::Usage(printable(&error.to_string())))
    }

    fn take(&mut self, step: &Step) -> Result<(), CliError> {
        match step {
            Step::Rotate(joint, degrees) => {
                let node = self.find(joint)?;
                pose::rotate(&mut self.pose, node, degrees.as_vec3());
            }
            Step::Reach(step) => self.reach(step)?,
            Step::Look(joint, target) => {
                let joint = self.find(joint)?;
                let aim = Aim { joint, target: *target - self.origin_of(joint) };
                pose::look(&self.model, &mut self.pose, aim);
            }
            Step::Mirror(axis) => {
                let option = format!("--mirror {}", axis.name());
                self.mirror(&option, Some(*axis))?.exchange(&self.model, &mut self.pose);
            }
            Step::Flip(joint) => {
                let limb = self.find(joint)?;
                self.pose = self.mirror("--flip", None)?.flipped(&self.model, &self.pose, limb);
            }
            Step::Layer(layer) => self.layer(layer)?,
        }
        Ok(())
    }

    /// Returns the vector from the position of a joint in the pose to that in the file's world, metres.
    fn origin_of(&self, joint: NodeId) -> DVec3 {
        let skeleton = &self.model.skeleton;
        skeleton.origin_of(joint) + anim::origin_shift(skeleton, &self.pose)
    }

    fn layer(&mut self, layer: &LayerStep) -> Result<(), CliError> {
        let mut resolved = self.read(&layer.file)?;
        if let Some(joint) = &layer.only {
            resolved = resolved.of_limb(&self.model, self.find(joint)?);
        }
        match layer.added {
            true => pose::add(&mut self.pose, &self.model.skeleton.rest, &resolved, layer.part),
            false => pose::blend(&mut self.pose, &resolved, layer.part),
        }
        Ok(())
    }

    /// Finds the plane of symmetry for an option: across an axis, or the one between left and right.
    fn mirror(&self, option: &str, axis: Option<Axis>) -> Result<Mirror, CliError> {
        let bounds = self.document.rest_bounds();
        let middle = if bounds.is_empty() { Vec3::ZERO } else { bounds.center() };
        let mut mirror = match symmetry::of_poses(&self.model, axis, middle) {
            Ok(mirror) => mirror,
            Err(_) if !self.pairs.is_empty() => Mirror::alone(&self.model, Axis::X, middle),
            Err(why) => return Err(CliError::Usage(format!("{option}: {why}"))),
        };
        self.pairs.iter().for_each(|[a, b]| mirror.pair(*a, *b));
        Ok(mirror)
    }

    fn reach(&mut self, step: &ReachStep) -> Result<(), CliError> {
        let pins = step.pins.iter().map(|pin| self.find(pin)).collect::<Result<Vec<_>, _>>()?;
        let joint = self.find(&step.joint)?;
        let origin = self.origin_of(joint);
        let goal = Reach {
            joint,
            target: step.target - origin,
            root: step.root.as_deref().map(|root| self.find(root)).transpose()?,
            pole: step.pole.map(|pole| pole - origin),
            pins: &pins,
            limits: &self.limits,
        };
        let wrong = |error: ReachError| {
            let root = step.root.as_ref().map(|root| format!(" --root {root}")).unwrap_or_default();
            CliError::Usage(printable(&format!("--reach {}{root}: {error}", step.joint)))
        };
        let mut done = pose::reach(&self.model, &mut self.pose, &goal).map_err(wrong)?;
        done.at += origin;
        for (pin, off) in &done.moved {
            let name = printable(self.keys.key(*pin));
            say(format_args!("warning: \"{name}\" is pinned, but its limb does not reach back: it is {off:.4} m off"));
        }
        self.reached.push((self.keys.key(goal.joint).to_owned(), step.target, done));
        Ok(())
    }

    /// Reports what was reached and what had no counterpart.
    fn tell(&self, json: bool) -> Result<(), CliError> {
        if json {
            let reached = |(joint, target, done): &(String, DVec3, Reached)| {
                json!({
                    "joint": joint,
                    "target": target.to_array(),
                    "at": done.at.to_array(),
                    "error_m": done.error_m,
                    "within_reach": done.within_reach,
                })
            };
            let reached: Vec<_> = self.reached.iter().map(reached).collect();
            return print(&format!("{}\n", json!({ "schema": 1, "reached": reached, "unmatched": self.unmatched })));
        }
        tell_unmatched(&self.unmatched);
        for (joint, _, done) in self.reached.iter().filter(|(.., done)| !done.within_reach) {
            let name = printable(joint);
            say(format_args!("\"{name}\" does not reach its target: it is {:.4} m away", done.error_m));
        }
        Ok(())
    }
}
