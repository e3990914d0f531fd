//! The steps of `skinscope pose`: options whose order counts.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use glam::DVec3;

use super::parse_point;
use crate::pose::Axis;

/// The options whose order counts, as clap reads them.
#[derive(Debug, Args)]
struct StepArgs {
    /// Turn a node by degrees about its own X, then Y, then Z, on top of the rotation that it has. May be given several
    /// times, as may all that follow
    #[arg(long, value_name = "JOINT=X,Y,Z", allow_hyphen_values = true, value_parser = parse_joint_point)]
    rotate: Vec<(String, DVec3)>,
    /// Turn the joints above JOINT so that it comes to this place (world, metres)
    #[arg(long, value_name = "JOINT=X,Y,Z", allow_hyphen_values = true, value_parser = parse_joint_point)]
    reach: Vec<(String, DVec3)>,
    /// Begin the limb of the --reach before at this joint
    #[arg(long, value_name = "JOINT", allow_hyphen_values = true)]
    root: Vec<String>,
    /// Bend the limb of the --reach before to the side of this place (world, metres)
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = parse_point)]
    pole: Vec<DVec3>,
    /// Keep the place and rotation of this joint during the --reach before, by its own limb, such as feet while the hips move
    #[arg(long, value_name = "JOINT", allow_hyphen_values = true)]
    pin: Vec<String>,
    /// Turn a joint so that its front, which points at rest where the character faces (+Z, in VRM 0.x −Z), looks at this place
    /// (world, metres)
    #[arg(long, value_name = "JOINT=X,Y,Z", allow_hyphen_values = true, value_parser = parse_joint_point)]
    look: Vec<(String, DVec3)>,
    /// Exchange both sides about the plane of symmetry of the mesh, or of its joints: left and right for x; without a plane it is
    /// refused. Across y and z, where a model has no left and right, each joint is mirrored by itself about its middle
    #[arg(long, value_enum, value_name = "x|y|z")]
    mirror: Vec<MirrorAxis>,
    /// Exchange the limb below JOINT with that on the other side, as seen from what they hang on, and leave the rest
    #[arg(long, value_name = "JOINT", allow_hyphen_values = true)]
    flip: Vec<String>,
    /// Go a part (0 to 1) of the way to the pose of another file; nodes that it does not name stay
    #[arg(long, value_name = "FILE=PART", allow_hyphen_values = true, value_parser = parse_blend)]
    blend: Vec<(PathBuf, f32)>,
    /// Add a part (0 to 1) of that by which the pose of another file differs from rest
    #[arg(long, value_name = "FILE=PART", allow_hyphen_values = true, value_parser = parse_blend)]
    add: Vec<(PathBuf, f32)>,
    /// Let the --blend or --add before act on this joint and all below it alone
    #[arg(long, value_name = "JOINT", allow_hyphen_values = true)]
    only: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MirrorAxis {
    /// Left and right
    X,
    /// Up and down
    Y,
    /// Front and back
    Z,
}

impl MirrorAxis {
    /// Returns the axis across which is mirrored.
    pub fn axis(self) -> Axis {
        match self {
            Self::X => Axis::X,
            Self::Y => Axis::Y,
            Self::Z => Axis::Z,
        }
    }
}

/// One step of making a pose.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Rotate(String, DVec3),
    Reach(ReachStep),
    Look(String, DVec3),
    Mirror(Axis),
    Flip(String),
    Layer(LayerStep),
}

/// A pose file that is blended with the pose or added to it.
#[derive(Clone, Debug)]
pub(super) struct LayerStep {
    pub file: PathBuf,
    pub part: f32,
    pub added: bool,
    pub only: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) struct ReachStep {
    pub joint: String,
    pub target: DVec3,
    pub root: Option<String>,
    pub pole: Option<DVec3>,
    pub pins: Vec<String>,
}

/// All steps in the order in which they were given.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps(pub Vec<Step>);

impl Args for Steps {
    fn augment_args(command: Command) -> Command {
        StepArgs::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        StepArgs::augment_args_for_update(command)
    }
}

/// A step, or an option that belongs to the step before it.
enum Part {
    Step(Step),
    Root(String),
    Pole(DVec3),
    Pin(String),
    Only(String),
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
        add("mirror", args.mirror.into_iter().map(|a| Part::Step(Step::Mirror(a.axis()))).collect());
        add("flip", args.flip.into_iter().map(|joint| Part::Step(Step::Flip(joint))).collect());
        let layer = |list: Vec<(PathBuf, f32)>, added| {
            let step = move |(file, part)| Part::Step(Step::Layer(LayerStep { file, part, added, only: None }));
            list.into_iter().map(step).collect::<Vec<_>>()
        };
        add("blend", layer(args.blend, false));
        add("add", layer(args.add, true));
        add("only", args.only.into_iter().map(Part::Only).collect());
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
        if let Part::Only(joint) = part {
            let last =
                self.0.iter_mut().rev().find_map(|step| if let Step::Layer(layer) = step { Some(layer) } else { None });
            let Some(last) = last else {
                return Err(wrong(
                    ErrorKind::MissingRequiredArgument,
                    "--only belongs to a --blend or --add before it",
                ));
            };
            return match last.only.replace(joint) {
                None => Ok(()),
                Some(_) => Err(wrong(ErrorKind::ArgumentConflict, "a --blend or --add has one --only at most")),
            };
        }
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
            Part::Only(_) => {}
            Part::Pin(pin) => last.ok_or_else(|| alone("--pin"))?.pins.push(pin),
        }
        Ok(())
    }

    /// The pose files that steps read.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.0.iter().filter_map(|step| match step {
            Step::Layer(layer) => Some(&layer.file),
            _ => None,
        })
    }
}

fn wrong(kind: ErrorKind, why: &str) -> clap::Error {
    clap::Error::raw(kind, format!("{why}\n\nFor more information, try '--help'.\n"))
}

/// Parses `NAME=X,Y,Z`; the name may hold `=` itself.
fn parse_joint_point(text: &str) -> Result<(String, DVec3), String> {
    let split = text.rsplit_once('=').filter(|(name, _)| !name.is_empty());
    let (name, point) = split.ok_or("expected JOINT=X,Y,Z, such as Hand.L=0.4,1.2,-0.3")?;
    Ok((name.to_owned(), parse_point(point)?))
}

fn parse_blend(text: &str) -> Result<(PathBuf, f32), String> {
    let expected = || "expected FILE=PART, a part from 0 to 1, such as smile.pose.json=0.5".to_owned();
    let (file, part) = text.rsplit_once('=').filter(|(file, _)| !file.is_empty()).ok_or_else(expected)?;
    let part = part.trim().parse().ok().filter(|part| (0.0..=1.0).contains(part)).ok_or_else(expected)?;
    Ok((PathBuf::from(file), part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_split_at_its_last_equals_sign() {
        let point = DVec3::new(1.0, -2.0, 3.5);
        assert_eq!(parse_joint_point("a=b=1,-2,3.5"), Ok(("a=b".into(), point)));
        assert_eq!(parse_joint_point("-lead=1,-2,3.5"), Ok(("-lead".into(), point)));
        assert!(
            parse_joint_point("=1,2,3").is_err()
                && parse_joint_point("a").is_err()
                && parse_joint_point("a=1,2").is_err()
        );
        assert!(parse_joint_point("a=1,2,nan").is_err());
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
            Step::Layer(layer) => {
                let what = if layer.added { "add" } else { "blend" };
                format!("{what} {} {:?}", layer.file.display(), layer.only)
            }
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
            "--add",
            "k=0.2",
            "--only",
            "-l",
            "--rotate",
            "h=0,0,0",
            "--look",
            "-i=0,0,1",
            "--mirror=z",
        ];
        let wanted = "mirror X, reach a Some(\"-b\") false 0, rotate -c, reach d None true 2, blend g None, add k Some(\"-l\"), rotate h, look -i, \
                      mirror Z";
        assert_eq!(steps(&line).unwrap(), wanted);
        for alone in [["--root", "a"], ["--pole", "1,2,3"], ["--pin", "a"]] {
            assert_eq!(steps(&alone).unwrap_err().exit_code(), 2);
            let after = [&alone[..], &["--reach", "a=1,2,3"]].concat();
            assert_eq!(steps(&after).unwrap_err().exit_code(), 2);
        }
        assert_eq!(steps(&["--only", "a", "--blend", "b=1"]).unwrap_err().exit_code(), 2);
        assert!(steps(&["--blend", "b=1", "--only", "a", "--only", "c"]).is_err());
        assert!(steps(&["--reach", "a=1,2,3", "--root", "b", "--root", "c"]).is_err());
    }
}
