//! `skinscope pose`: makes a pose file, step by step.

use std::path::PathBuf;
use std::sync::Arc;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use glam::{DVec3, Vec3};
use serde_json::json;

use super::find::find_clip;
use super::layers::LayerArgs;
use super::pose::parse_secs;
use super::{CliError, ModelArgs, parse_point, print, printable, read_pose, tell_unmatched, tell_warnings, unwritable};
use crate::anim::{self, LayerScratch, SampleScratch};
use crate::model::{LocalPose, Model, NodeId};
use crate::output::{self, is_stdout, overwritten, overwritten_by_stdout, say};
use crate::pose::{self, Aim, Axis, Keys, Mirror, Reach, ReachError, Reached, Resolved};
use crate::session::{Document, PlaybackCommand, Session};

/// Make a pose file: turn, reach, look, mirror, blend
///
/// Begins with the pose that the model stores (or that of --from, or of a clip) and does what the other options say, in the
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
    /// Correct the poses of --from and --blend for the rest pose of the model that they were made on
    #[arg(long, value_name = "MODEL", allow_hyphen_values = true)]
    made_on: Option<PathBuf>,
    #[command(flatten)]
    steps: Steps,
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

/// The options whose order counts, as clap reads them.
#[derive(Debug, Args)]
struct StepArgs {
    /// Turn a node by degrees about its own X, then Y, then Z, on top of the rotation that it has. May be given several
    /// times, as may all that follow
    #[arg(long, value_name = "JOINT=X,Y,Z", allow_hyphen_values = true, value_parser = parse_placed)]
    rotate: Vec<(String, DVec3)>,
    /// Turn the joints above JOINT so that it comes to this place (world, metres)
    #[arg(long, value_name = "JOINT=X,Y,Z", allow_hyphen_values = true, value_parser = parse_placed)]
    reach: Vec<(String, DVec3)>,
    /// Begin the limb of the --reach before at this joint
    #[arg(long, value_name = "JOINT", allow_hyphen_values = true)]
    root: Vec<String>,
    /// Bend the limb of the --reach before to the side of this place (world, metres)
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = parse_point)]
    pole: Vec<Vec3>,
    /// Keep the place and rotation of this joint during the --reach before, by its own limb, such as feet while the hips move
    #[arg(long, value_name = "JOINT", allow_hyphen_values = true)]
    pin: Vec<String>,
    /// Turn a joint so that its front, which points to +Z at rest, looks at this place (world, metres)
    #[arg(long, value_name = "JOINT=X,Y,Z", allow_hyphen_values = true, value_parser = parse_placed)]
    look: Vec<(String, DVec3)>,
    /// Exchange both sides about the plane through the middle of the model at rest: left and right for x, front and back of
    /// each joint for z
    #[arg(long, value_enum, value_name = "x|y|z")]
    mirror: Vec<MirrorAxis>,
    /// Exchange the limb below JOINT with that on the other side, as seen from what they hang on, and leave the rest
    #[arg(long, value_name = "JOINT", allow_hyphen_values = true)]
    flip: Vec<String>,
    /// Go a part (0 to 1) of the way to the pose of another file; nodes that it does not name stay
    #[arg(long, value_name = "FILE=PART", allow_hyphen_values = true, value_parser = parse_blend)]
    blend: Vec<(PathBuf, f32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MirrorAxis {
    /// Left and right
    X,
    /// Up and down
    Y,
    /// Front and back
    Z,
}

/// One step of making a pose.
#[derive(Clone, Debug)]
enum Step {
    Rotate(String, DVec3),
    Reach(ReachStep),
    Look(String, DVec3),
    Mirror(Axis),
    Flip(String),
    Blend(PathBuf, f32),
}

#[derive(Clone, Debug)]
struct ReachStep {
    joint: String,
    target: DVec3,
    root: Option<String>,
    pole: Option<Vec3>,
    pins: Vec<String>,
}

/// All steps in the order in which they were given.
#[derive(Clone, Debug, Default)]
struct Steps(Vec<Step>);

impl Args for Steps {
    fn augment_args(command: Command) -> Command {
        StepArgs::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        StepArgs::augment_args_for_update(command)
    }
}

/// An option that belongs to the step before it.
enum Part {
    Step(Step),
    Root(String),
    Pole(Vec3),
    Pin(String),
}

impl FromArgMatches for Steps {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let args = StepArgs::from_arg_matches(matches)?;
        let mut parts: Vec<(usize, Part)> = Vec::new();
        let mut add = |id: &str, found: Vec<Part>| {
            parts.extend(matches.indices_of(id).into_iter().flatten().zip(found));
        };
        let steps = |list: Vec<(String, DVec3)>, make: fn(String, DVec3) -> Step| {
            list.into_iter().map(|(joint, value)| Part::Step(make(joint, value))).collect::<Vec<_>>()
        };
        let reach = |joint, target| Step::Reach(ReachStep { joint, target, root: None, pole: None, pins: Vec::new() });
        add("rotate", steps(args.rotate, Step::Rotate));
        add("reach", steps(args.reach, reach));
        add("look", steps(args.look, Step::Look));
        add("root", args.root.into_iter().map(Part::Root).collect());
        add("pole", args.pole.into_iter().map(Part::Pole).collect());
        add("pin", args.pin.into_iter().map(Part::Pin).collect());
        let axis = |axis| match axis {
            MirrorAxis::X => Axis::X,
            MirrorAxis::Y => Axis::Y,
            MirrorAxis::Z => Axis::Z,
        };
        add("mirror", args.mirror.into_iter().map(|a| Part::Step(Step::Mirror(axis(a)))).collect());
        add("flip", args.flip.into_iter().map(|joint| Part::Step(Step::Flip(joint))).collect());
        add("blend", args.blend.into_iter().map(|(file, part)| Part::Step(Step::Blend(file, part))).collect());
        parts.sort_by_key(|(index, _)| *index);
        let mut out = Self::default();
        for (_, part) in parts {
            out.take(part)?;
        }
        Ok(out)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Steps {
    fn take(&mut self, part: Part) -> Result<(), clap::Error> {
        let last = self.0.iter_mut().rev().find_map(|step| match step {
            Step::Reach(reach) => Some(reach),
            _ => None,
        });
        let alone =
            |name: &str| wrong(ErrorKind::MissingRequiredArgument, &format!("{name} belongs to a --reach before it"));
        let twice = |name: &str| wrong(ErrorKind::ArgumentConflict, &format!("a --reach has one {name} at most"));
        match part {
            Part::Step(step) => self.0.push(step),
            Part::Root(root) => {
                if last.ok_or_else(|| alone("--root"))?.root.replace(root).is_some() {
                    return Err(twice("--root"));
                }
            }
            Part::Pole(pole) => {
                if last.ok_or_else(|| alone("--pole"))?.pole.replace(pole).is_some() {
                    return Err(twice("--pole"));
                }
            }
            Part::Pin(pin) => last.ok_or_else(|| alone("--pin"))?.pins.push(pin),
        }
        Ok(())
    }

    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.0.iter().filter_map(|step| match step {
            Step::Blend(file, _) => Some(file),
            _ => None,
        })
    }
}

fn wrong(kind: ErrorKind, why: &str) -> clap::Error {
    clap::Error::raw(kind, format!("{why}\n\nFor more information, try '--help'.\n"))
}

/// Parses `NAME=X,Y,Z`; the name may hold `=` itself.
fn parse_placed(text: &str) -> Result<(String, DVec3), String> {
    let split = text.rsplit_once('=').filter(|(name, _)| !name.is_empty());
    let (name, point) = split.ok_or("expected JOINT=X,Y,Z, such as Hand.L=0.4,1.2,-0.3")?;
    // The numbers must also fit into f32.
    parse_point(point)?;
    let numbers: Vec<f64> = point.split(',').filter_map(|n| n.trim().parse().ok()).collect();
    Ok((name.to_owned(), DVec3::from_slice(&numbers)))
}

fn parse_blend(text: &str) -> Result<(PathBuf, f32), String> {
    let expected = || "expected FILE=PART, a part from 0 to 1, such as smile.pose.json=0.5".to_owned();
    let (file, part) = text.rsplit_once('=').filter(|(file, _)| !file.is_empty()).ok_or_else(expected)?;
    let part = part.trim().parse().ok().filter(|part| (0.0..=1.0).contains(part)).ok_or_else(expected)?;
    Ok((PathBuf::from(file), part))
}

pub(super) fn run(args: &MakePoseArgs) -> Result<(), CliError> {
    if args.output.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("json")) {
        return Err(CliError::Usage(format!("{}: poses are written as .pose.json", args.output.display())));
    }
    let read = || args.from.iter().chain(args.steps.files()).chain(&args.made_on).map(PathBuf::as_path);
    overwritten(&args.output, read().chain(args.model.model.as_deref()))?;
    let document = args.model.load()?;
    let inputs = || document.files().chain(read());
    overwritten(&args.output, inputs())?;
    if args.json {
        overwritten_by_stdout(inputs())?;
        if is_stdout(&args.output) {
            let why = "standard output goes to this file too; give one of them another name";
            return Err(CliError::Usage(format!("{}: {why}", args.output.display())));
        }
    }
    tell_warnings(&document);
    let mut making = Making::new(&document);
    if let Some(path) = &args.made_on {
        let other = args.model.load_another(path)?;
        overwritten(&args.output, other.files())?;
        making.made_on = Some(other.model);
    }
    making.begin(args)?;
    for step in &args.steps.0 {
        making.take(step)?;
    }
    let name = args.output.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.strip_suffix(".json").map(|stem| stem.strip_suffix(".pose").unwrap_or(stem)).unwrap_or(&name);
    let file = pose::capture(&document.model, &making.pose, name);
    output::write(&args.output, file.text().as_bytes()).map_err(|e| unwritable(&args.output, e))?;
    making.tell(args.json)
}

/// A pose while it is being made.
struct Making<'a> {
    document: &'a Document,
    model: &'a Arc<Model>,
    keys: Keys,
    /// The model that pose files were made on, where that has another rest pose.
    made_on: Option<Arc<Model>>,
    pose: LocalPose,
    reached: Vec<(String, DVec3, Reached)>,
    unmatched: Vec<String>,
}

impl<'a> Making<'a> {
    fn new(document: &'a Document) -> Self {
        let model = &document.model;
        let pose = model.skeleton.rest.clone();
        let keys = Keys::of(model);
        Self { document, model, keys, made_on: None, pose, reached: Vec::new(), unmatched: Vec::new() }
    }

    fn begin(&mut self, args: &MakePoseArgs) -> Result<(), CliError> {
        if let Some(path) = &args.from {
            self.read(path)?.apply(&mut self.pose);
        }
        if let Some(clip) = &args.clip {
            let clip = find_clip(self.model, clip)?;
            // The session clamps the time as the timeline does.
            let mut session = Session::default();
            session.open(self.document.clone());
            session.apply(PlaybackCommand::SetPlaying(false));
            session.apply(PlaybackCommand::SetClip(clip));
            session.apply(PlaybackCommand::Seek(args.time));
            let time = session.playback().time_secs;
            let clip = &self.model.clips[clip.index()];
            anim::sample(self.model, clip, time, &mut SampleScratch::default(), &mut self.pose);
            let layers = args.layers.find(self.model)?;
            layers.lay(self.model, time, &mut LayerScratch::default(), &mut self.pose);
        }
        Ok(())
    }

    fn read(&mut self, path: &std::path::Path) -> Result<Resolved, CliError> {
        let file = read_pose(path)?;
        let said = match &self.made_on {
            Some(other) => pose::carry(other, self.model, &file),
            None => pose::resolve(self.model, &file),
        };
        let new: Vec<String> = said.unmatched.iter().filter(|key| !self.unmatched.contains(key)).cloned().collect();
        self.unmatched.extend(new);
        Ok(said)
    }

    fn find(&self, key: &str) -> Result<NodeId, CliError> {
        let numbered = || {
            let index: u32 = key.strip_prefix('#')?.parse().ok()?;
            let place = self.model.skeleton.file_index.iter().position(|i| *i == index)?;
            Some(NodeId::from_index(place))
        };
        self.keys.find(key).or_else(numbered).ok_or_else(|| {
            let names = &self.model.skeleton.names;
            let nodes = || (0..names.len()).map(NodeId::from_index);
            let same: Vec<&str> = nodes().filter(|n| names[n.index()] == key).map(|n| self.keys.key(n)).collect();
            let known: Vec<&str> = nodes().filter(|n| self.model.is_joint(*n)).map(|n| self.keys.key(n)).collect();
            let what = if same.len() > 1 {
                format!("several nodes are called \"{key}\"; say which: {}", same.join(", "))
            } else if known.is_empty() {
                format!("there is no node \"{key}\"")
            } else {
                format!("there is no joint \"{key}\"; joints: {}", known.join(", "))
            };
            CliError::Usage(printable(&what))
        })
    }

    fn take(&mut self, step: &Step) -> Result<(), CliError> {
        match step {
            Step::Rotate(joint, degrees) => {
                let node = self.find(joint)?;
                pose::rotate(&mut self.pose, node, degrees.as_vec3());
            }
            Step::Reach(step) => self.reach(step)?,
            Step::Look(joint, target) => {
                let aim = Aim { joint: self.find(joint)?, target: *target };
                pose::look(self.model, &mut self.pose, aim);
            }
            Step::Mirror(axis) => self.mirror(*axis).exchange(self.model, &mut self.pose),
            Step::Flip(joint) => {
                let limb = self.find(joint)?;
                self.pose = self.mirror(Axis::X).flipped(self.model, &self.pose, limb);
            }
            Step::Blend(path, part) => {
                let said = self.read(path)?;
                pose::blend(&mut self.pose, &said, *part);
            }
        }
        Ok(())
    }

    fn mirror(&self, axis: Axis) -> Mirror {
        let bounds = self.document.rest_bounds();
        let middle = if bounds.is_empty() { Vec3::ZERO } else { bounds.center() };
        Mirror::of(self.model, axis, middle)
    }

    fn reach(&mut self, step: &ReachStep) -> Result<(), CliError> {
        let pins = step.pins.iter().map(|pin| self.find(pin)).collect::<Result<Vec<_>, _>>()?;
        let goal = Reach {
            joint: self.find(&step.joint)?,
            target: step.target,
            root: step.root.as_deref().map(|root| self.find(root)).transpose()?,
            pole: step.pole.map(|pole| pole.as_dvec3()),
            pins: &pins,
            limits: &[],
        };
        let wrong = |error: ReachError| {
            let root = step.root.as_ref().map(|root| format!(" --root {root}")).unwrap_or_default();
            CliError::Usage(printable(&format!("--reach {}{root}: {error}", step.joint)))
        };
        let done = pose::reach(self.model, &mut self.pose, &goal).map_err(wrong)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_split_at_its_last_equals_sign() {
        let point = DVec3::new(1.0, -2.0, 3.5);
        assert_eq!(parse_placed("a=b=1,-2,3.5"), Ok(("a=b".into(), point)));
        assert_eq!(parse_placed("-lead=1,-2,3.5"), Ok(("-lead".into(), point)));
        assert!(parse_placed("=1,2,3").is_err() && parse_placed("a").is_err() && parse_placed("a=1,2").is_err());
        assert!(parse_placed("a=1,2,nan").is_err());
        assert_eq!(parse_blend("x=y.pose.json=0.5"), Ok((PathBuf::from("x=y.pose.json"), 0.5)));
        assert!(parse_blend("x=1.5").is_err() && parse_blend("x=-0.1").is_err() && parse_blend("0.5").is_err());
    }

    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        steps: Steps,
    }

    fn steps(line: &[&str]) -> Result<String, clap::Error> {
        let parsed = <Line as clap::Parser>::try_parse_from(["pose"].iter().chain(line))?;
        let name = |step: &Step| match step {
            Step::Rotate(joint, _) => format!("rotate {joint}"),
            Step::Reach(r) => format!("reach {} {:?} {} {}", r.joint, r.root, r.pole.is_some(), r.pins.len()),
            Step::Look(joint, _) => format!("look {joint}"),
            Step::Mirror(axis) => format!("mirror {axis:?}"),
            Step::Flip(joint) => format!("flip {joint}"),
            Step::Blend(file, _) => format!("blend {}", file.display()),
        };
        Ok(parsed.steps.0.iter().map(name).collect::<Vec<_>>().join(", "))
    }

    #[test]
    fn steps_keep_their_order_and_what_belongs_to_a_reach_stays_with_it() {
        let line = [
            "--mirror",
            "x",
            "--reach",
            "a=1,2,3",
            "--root",
            "-b",
            "--rotate=-c=1,0,0",
            "--reach=d=0,0,-1",
            "--pole",
            "-1,0,0",
            "--pin",
            "e",
            "--pin=-f",
            "--blend",
            "g=0.5",
            "--rotate",
            "h=0,0,0",
            "--look",
            "-i=0,0,1",
            "--mirror=z",
        ];
        let wanted = "mirror X, reach a Some(\"-b\") false 0, rotate -c, reach d None true 2, blend g, rotate h, look -i, \
                      mirror Z";
        assert_eq!(steps(&line).unwrap(), wanted);
        for alone in [["--root", "a"], ["--pole", "1,2,3"], ["--pin", "a"]] {
            assert_eq!(steps(&alone).unwrap_err().exit_code(), 2);
            let after = [&alone[..], &["--reach", "a=1,2,3"]].concat();
            assert_eq!(steps(&after).unwrap_err().exit_code(), 2);
        }
        assert!(steps(&["--reach", "a=1,2,3", "--root", "b", "--root", "c"]).is_err());
    }
}
