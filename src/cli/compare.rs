//! `skinscope compare`: measures how far two methods, or two sets of weights, carry a model apart.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::check::{packing, unskinned};
use super::method::{MethodArgs, MethodSettings};
use super::pose::{PoseArgs, parse_secs};
use super::subdivide::{Difference, levels, subdivide};
use super::{CliError, ModelArgs, compare_with, other_file, parse_side, print, printable, tell_warnings};
use crate::deform::METHODS;
use crate::edit::Packing;
use crate::inspect::check::FindingPose;
use crate::model::{ClipId, Topology};
use crate::output::overwritten_by_stdout;
use crate::parallel::JobContext;
use crate::session::{ComparisonCommand, MethodChoice, PlaybackCommand, Session, SideWeights, WorstPose};

/// Say how far two deformation methods carry the vertices of a model apart
///
/// Distances are those between the stored vertices of the two surfaces in one pose, in the world. With --over, many poses are looked at,
/// and the figures are those of the pose in which some vertex is farthest apart.
///
/// The JSON has the fields: schema (1), a and b (methods), worst_mm, mean_mm, rms_mm, height_m (of the model at rest), at {clip, time
/// (null in the rest pose), mesh, primitive, vertex (the one that is farthest apart, as the file numbers it; null where nothing is drawn)};
/// with --over rom at also has joint, axis and degrees; with --stored-weights or --runtime there is b_weights ("stored",
/// or the runtime), with --runtime also unskinned_copies (how many nodes with copies of a skinned mesh it draws without the skin),
/// with --b-file b_file (the path as given). With --subdivide the fields are: schema (1), a, subdivide (levels), worst_mm, rms_mm (over
/// all poses), p95_mm (which 95 of 100 vertices never exceed), vertices, triangles, poses, height_m, and at, likewise, with the nearest vertex
/// of the file.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  skinscope compare character.glb --a linear --b dual-quaternion --clip Walk --time 0.5\n  \
    skinscope compare character.glb --b dual-quaternion --over clip --json"
)]
#[command(mut_arg("model", super::or_session))]
pub(super) struct CompareArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Deform the first side by this method; METHOD+mush has delta mush after it
    #[arg(long, value_name = "METHOD", value_parser = parse_side, default_value = METHODS[0].id)]
    a: String,
    /// Deform the second side by this method, likewise; without it, by that of --a
    #[arg(long, value_name = "METHOD", value_parser = parse_side, required_unless_present_any = ["stored_weights", "b_file", "runtime", "subdivide"])]
    b: Option<String>,
    /// Take the second side from this file, which has the same nodes and vertices, in the same pose
    #[arg(long, value_name = "FILE", conflicts_with = "stored_weights")]
    b_file: Option<PathBuf>,
    /// Compare both orders of skinning and subdividing: the first side is skinned and then subdivided so often (Loop), 1 to 3, the second is
    /// subdivided first, with its weights
    #[arg(long, value_name = "LEVELS", value_parser = levels(), conflicts_with_all = ["b", "b_file", "stored_weights", "runtime"])]
    subdivide: Option<u32>,
    #[command(flatten)]
    settings: MethodSettings,
    /// Give the second side the weights as the file stores them; with --normalise-weights those of the first side differ from them
    #[arg(long, requires = "normalise_weights")]
    stored_weights: bool,
    /// Give the second side the weights that a runtime would use: a name of `skinscope check --runtime`, or N:TYPE
    #[arg(long, value_name = "NAME", value_parser = packing, conflicts_with = "stored_weights")]
    runtime: Option<Packing>,
    /// Divide the weights of every vertex by their sum
    #[arg(long)]
    normalise_weights: bool,
    /// Compare in this clip, by exact name or by number from 0; without it, in the rest pose of the file
    #[arg(long, value_name = "NAME|N", allow_hyphen_values = true)]
    clip: Option<String>,
    /// Compare at this time of the clip, seconds; times outside of the clip are clamped to it
    #[arg(long, value_name = "S", requires = "clip", default_value = "0", allow_negative_numbers = true, value_parser = parse_secs)]
    time: f32,
    /// Compare in many poses: 30 a second of the clip (of all clips where none is named), or each joint turned through its limits
    #[arg(long, value_enum, value_name = "clip|rom")]
    over: Option<Over>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Over {
    /// Moments of the clip
    Clip,
    /// The range of motion
    Rom,
}

pub(super) fn run(args: &CompareArgs) -> Result<(), CliError> {
    let opened = args.model.load_with_session(None)?;
    overwritten_by_stdout(opened.files())?;
    tell_warnings(&opened.document);
    let side = |id: &str| MethodChoice::named(id).unwrap_or(MethodChoice::of(METHODS[0]));
    let (a, b) = (side(&args.a), side(args.b.as_deref().unwrap_or(&args.a)));
    args.settings.fits(&[a.method, b.method]).map_err(CliError::Usage)?;
    let mut settings = args.settings.clone();
    // Where a side names its pass, the other one goes without unless it names one too.
    settings.pass = settings.pass.filter(|_| a.pass.is_none() && b.pass.is_none());
    let pass = settings.pass;
    let method = MethodArgs { compared: Some(b), ..MethodArgs::of(a, settings) };
    let pose = PoseArgs::of(args.clip.clone(), args.time, method, args.normalise_weights);
    let mut session = pose.session(opened)?;
    if let Some(levels) = args.subdivide {
        return both_orders(args, &mut session, levels);
    }
    session.apply(ComparisonCommand::Set(true));
    session.apply(ComparisonCommand::SetMethod(b.method.id));
    session.apply(ComparisonCommand::SetPass(b.pass.map(|p| p.id).or(pass)));
    if let Some(path) = &args.b_file {
        let other = other_file(path, &args.model.open)?;
        overwritten_by_stdout(other.files())?;
        compare_with(&mut session, path, &other)?;
    }
    session.apply(ComparisonCommand::SetWeights(match args.runtime {
        Some(packing) => SideWeights::Packed(packing),
        None if args.stored_weights || args.b_file.is_some() => SideWeights::Stored,
        None => SideWeights::Shown,
    }));
    session.prepare();
    let worst = worst(args, &mut session)?;
    let found = Found::new(&session, worst);
    print(&if args.json { found.json(args, &session) } else { found.text(args, &session) })
}

/// The result of a comparison.
struct Found {
    /// The ids of the methods of both sides.
    sides: [String; 2],
    worst: WorstPose,
    /// The mesh of the vertex that is farthest apart.
    mesh: Option<usize>,
    /// The height of the model at rest, metres.
    height: f64,
}

impl Found {
    fn new(session: &Session, worst: WorstPose) -> Self {
        let choices = [Some(session.view().choice()), session.deforming().comparison().map(|c| c.choice)];
        let at = worst.distance.at;
        Self {
            sides: choices.map(|c| c.map_or_else(String::new, |c| c.id())),
            mesh: session.model().zip(at).map(|(m, at)| m.file_mesh(m.instances[at.instance.index()].mesh).index()),
            height: f64::from(session.extents().rest_height()),
            worst,
        }
    }

    /// Returns the report as JSON.
    fn json(&self, args: &CompareArgs, session: &Session) -> String {
        let WorstPose { pose, distance } = &self.worst;
        let mut at = pose_json(session, *pose);
        at["mesh"] = json!(self.mesh);
        at["primitive"] = json!(distance.at.map(|at| at.primitive));
        at["vertex"] = json!(distance.at.map(|at| at.vertex));
        let mut report = json!({
            "schema": 1,
            "a": self.sides[0],
            "b": self.sides[1],
            "worst_mm": 1e3 * distance.worst,
            "mean_mm": 1e3 * distance.mean,
            "rms_mm": 1e3 * distance.rms,
            "height_m": self.height,
            "at": at,
        });
        if args.stored_weights {
            report["b_weights"] = json!("stored");
        }
        if let Some(path) = &args.b_file {
            report["b_file"] = json!(path);
        }
        if let Some(packing) = args.runtime {
            report["b_weights"] = json!(packing.id());
            report["unskinned_copies"] = json!(session.deforming().packed_figures().map_or(0, |f| f.unskinned));
        }
        format!("{report}\n")
    }

    /// Returns the report as text.
    fn text(&self, args: &CompareArgs, session: &Session) -> String {
        let WorstPose { pose, distance } = &self.worst;
        let (height, [a, b]) = (self.height, &self.sides);
        let of = match (&args.b_file, args.runtime) {
            (Some(path), _) => format!(" of {}", printable(&path.display().to_string())),
            (None, Some(packing)) => format!(", weights of {}", packing.id()),
            (None, None) if args.stored_weights => ", stored weights".to_owned(),
            (None, None) => String::new(),
        };
        let mut text = format!("{a} against {b}{of}\n");
        for (name, metres) in [("worst", distance.worst), ("mean", distance.mean), ("rms", distance.rms)] {
            text += &format!("{name:6} {:10.4} mm{}\n", 1e3 * metres, share_of_height(metres, height));
        }
        text += &format!("height {height:10.4} m\n");
        text += &pose_text(session, *pose);
        if let (Some(at), Some(mesh)) = (distance.at, self.mesh) {
            text += &format!(", mesh {mesh}, primitive {}, vertex {}", at.primitive, at.vertex);
        }
        text.push('\n');
        if let Some(note) = session.deforming().packed_figures().and_then(unskinned) {
            text += &format!("{note}\n");
        }
        text
    }
}

/// The name of the clip of a pose; `None` where it is of none.
fn clip_name(session: &Session, pose: FindingPose) -> Option<String> {
    match pose {
        FindingPose::Clip { clip, .. } => session.model().map(|model| model.clips[clip.index()].name.clone()),
        FindingPose::Rest | FindingPose::Turned { .. } => None,
    }
}

/// Says for programs in which pose something was found.
fn pose_json(session: &Session, pose: FindingPose) -> Value {
    let time = match pose {
        FindingPose::Clip { time_secs, .. } => Some(time_secs),
        FindingPose::Rest | FindingPose::Turned { .. } => None,
    };
    let mut out = json!({ "clip": clip_name(session, pose), "time": time });
    if let FindingPose::Turned { joint, axis, angle } = pose {
        out["joint"] = json!(session.model().map(|model| model.skeleton.names[joint.index()].clone()));
        out["axis"] = json!(axis.to_array());
        out["degrees"] = json!(angle.to_degrees());
    }
    out
}

/// Says for people in which pose something was found.
fn pose_text(session: &Session, pose: FindingPose) -> String {
    match pose {
        FindingPose::Rest => "at     the rest pose".to_owned(),
        FindingPose::Clip { time_secs, .. } => {
            let clip = clip_name(session, pose).unwrap_or_default();
            format!("at     clip \"{}\", {time_secs:.3} s", printable(&clip))
        }
        FindingPose::Turned { joint, axis, angle } => {
            let names = session.model().map(|model| &model.skeleton.names);
            let name = names.map_or(String::new(), |names| printable(&names[joint.index()]));
            let axis = ["X", "Y", "Z"][axis.abs().max_position()];
            format!("at     \"{name}\" turned by {:.0}° about {axis}", angle.to_degrees())
        }
    }
}

/// Returns the pose that is reported: the one that was asked for, or the worst of many.
fn worst(args: &CompareArgs, session: &mut Session) -> Result<WorstPose, CliError> {
    let nothing = || CliError::Usage("the model has nothing to compare".into());
    let context = JobContext::of_waiting();
    match args.over {
        None => {
            let compared = session.surfaces().compared_surfaces().ok_or_else(nothing)?;
            let playback = session.playback();
            let time_secs = playback.time_secs;
            let pose = match playback.clip.filter(|_| args.clip.is_some()) {
                Some(clip) => FindingPose::Clip { clip, time_secs },
                None => FindingPose::Rest,
            };
            Ok(WorstPose { pose, distance: compared.distance })
        }
        Some(Over::Rom) => session.worst_of_motion(&mut |_| !context.is_cancelled()).ok_or_else(nothing),
        Some(Over::Clip) => {
            let mut worst: Option<WorstPose> = None;
            for clip in clips(args, session) {
                session.apply(PlaybackCommand::SetClip(clip));
                session.apply(PlaybackCommand::SetPlaying(false));
                let found = session.worst_moment(&mut |_| !context.is_cancelled());
                let is_worse = |found: &WorstPose| worst.is_none_or(|w| found.distance.worst > w.distance.worst);
                worst = found.filter(is_worse).or(worst);
            }
            worst.ok_or_else(|| CliError::Usage("the file has no clip; --over rom turns each joint".into()))
        }
    }
}

/// Returns the clips that are looked at: the one that is named, or all.
fn clips(args: &CompareArgs, session: &Session) -> impl Iterator<Item = ClipId> + use<> {
    let count = session.model().map_or(0, |model| model.clips.len());
    let all = match session.playback().clip.filter(|_| args.clip.is_some()) {
        Some(clip) => clip.index()..clip.index() + 1,
        None => 0..count,
    };
    all.map(ClipId::from_index)
}

/// How many moments of a clip are looked at in a second of it, and how many at the most.
const MOMENTS_PER_SECOND: f32 = 30.0;
const MOST_MOMENTS: usize = 1800;

/// Compares the model that is skinned and then subdivided with the one that is subdivided first.
fn both_orders(args: &CompareArgs, session: &mut Session, levels: u32) -> Result<(), CliError> {
    subdivide(session, levels, false)?;
    let mut difference = Difference::default();
    match args.over {
        Some(Over::Rom) => session.each_of_motion(&mut |posed, pose| difference.add(posed, pose)),
        None => {
            session.update_pose();
            let playback = session.playback();
            let time_secs = playback.time_secs;
            let clip = playback.clip.filter(|_| args.clip.is_some());
            difference.add(session, clip.map_or(FindingPose::Rest, |clip| FindingPose::Clip { clip, time_secs }));
        }
        Some(Over::Clip) => {
            for clip in clips(args, session) {
                session.apply(PlaybackCommand::SetClip(clip));
                session.apply(PlaybackCommand::SetPlaying(false));
                let range = session.model().map(|model| {
                    let clip = &model.clips[clip.index()];
                    [clip.start_secs.max(0.0), clip.end_secs]
                });
                let [start, end] = range.unwrap_or_default();
                let length = (end - start).max(0.0);
                let steps = ((length * MOMENTS_PER_SECOND).ceil() as usize).clamp(1, MOST_MOMENTS);
                for step in 0..=steps {
                    let time_secs = start + length * step as f32 / steps as f32;
                    session.apply(PlaybackCommand::Seek(time_secs));
                    session.update_pose();
                    difference.add(session, FindingPose::Clip { clip, time_secs });
                }
            }
        }
    }
    if difference.moments == 0 {
        let why = match args.over {
            Some(Over::Rom) => "nothing of the model turns",
            _ => "the file has no clip; without --over the rest pose is compared, and --over rom turns each joint",
        };
        return Err(CliError::Usage(why.into()));
    }
    print(&orders_report(args, session, levels, &difference))
}

/// Returns what was found of both orders, as JSON or text.
fn orders_report(args: &CompareArgs, session: &Session, levels: u32, difference: &Difference) -> String {
    let pose = difference.at.map_or(FindingPose::Rest, |(pose, _)| pose);
    let vertex = difference.at.zip(session.model()).map(|((_, at), model)| {
        let mesh = model.instances[at.instance.index()].mesh;
        let primitive = &model.meshes[mesh.index()].primitives[at.primitive];
        (model.file_mesh(mesh).index(), at.primitive, at.stored(primitive))
    });
    let fine = session.deforming().subdivision().map(|subdivision| subdivision.model());
    let primitives = fine.into_iter().flat_map(|model| &model.meshes).flat_map(|mesh| &mesh.primitives);
    let primitives = primitives.filter(|p| p.topology == Topology::Triangles);
    let triangles: usize = primitives.map(|p| p.indices.len() / 3).sum();
    let height = f64::from(session.extents().rest_height());
    let figures = [("worst", difference.worst), ("p95", difference.p95()), ("rms", difference.rms())];
    let method = session.view().choice().id();
    if args.json {
        let mut at = pose_json(session, pose);
        at["mesh"] = json!(vertex.map(|(mesh, _, _)| mesh));
        at["primitive"] = json!(vertex.map(|(_, primitive, _)| primitive));
        at["vertex"] = json!(vertex.map(|(_, _, vertex)| vertex));
        let report = json!({
            "schema": 1,
            "a": method,
            "subdivide": levels,
            "worst_mm": 1e3 * figures[0].1,
            "p95_mm": 1e3 * figures[1].1,
            "rms_mm": 1e3 * figures[2].1,
            "vertices": difference.vertices(),
            "triangles": triangles,
            "poses": difference.moments,
            "height_m": height,
            "at": at,
        });
        return format!("{report}\n");
    }
    let times = if levels == 1 { "once".to_owned() } else { format!("{levels} times") };
    let mut text = format!("{method}, subdivided {times}: skinned first against subdivided first\n");
    for (name, metres) in figures {
        text += &format!("{name:6} {:10.4} mm{}\n", 1e3 * metres, share_of_height(metres, height));
    }
    text += &format!("height {height:10.4} m\n");
    text +=
        &format!("of     {} vertices, {triangles} triangles, {} poses\n", difference.vertices(), difference.moments);
    text += &pose_text(session, pose);
    if let Some((mesh, primitive, vertex)) = vertex {
        text += &format!(", mesh {mesh}, primitive {primitive}, vertex {vertex}");
    }
    text.push('\n');
    text
}

/// Returns a length as a part of the height of the model, in words; nothing where it has no height.
fn share_of_height(metres: f64, height: f64) -> String {
    if height > 0.0 { format!(" ({:.3} % of the height)", 100.0 * metres / height) } else { String::new() }
}
