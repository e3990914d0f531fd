//! `skinscope measure`: what a clip does to a surface, in numbers.

use clap::Args;
use serde_json::{Map, Value, json};

use super::clips::{ClipsArgs, paths};
use super::method::MethodArgs;
use super::pose::{PoseArgs, parse_secs};
use super::{CliError, ModelArgs, print, printable, tell_warnings};
use crate::inspect::VertexRef;
use crate::inspect::measure::{MEASURES, NormalModeMeasures, SurfaceMeasures, Wanted};
use crate::output::overwritten_by_stdout;
use crate::parallel::JobContext;
use crate::pose::Keys;
use crate::session::{MEASURES_PER_SECOND, MOST_MEASURED, MeasureCurves, PlaybackCommand, PoseSource, Session};

/// Measure what a clip does to the surface, against the surface at rest
///
/// Edge stretch, change of area, volume of what is closed and of each joint's region, inverted triangles, folds and normal error, at
/// evenly spaced moments of the clip: the worst of each, or with --json the whole curves. Ratios are posed over rest. Only what is skinned
/// is measured; all of a mesh is one surface, however it is cut into primitives.
///
/// The JSON has the fields: schema (1), method, normals (their mode), clip (null in the rest pose), times (seconds), curves {stretch_max, stretch_min, stretch_mean,
/// triangle_max, triangle_min, area, volume, region_volume, inverted, folds, normal_error_max, normal_error_mean, zero_normals: a list as long as
/// times, null where there is none}, worst {by the same names: time, value, mesh, primitive, vertex (as the file numbers it)}, normal_modes {by
/// the modes of --normals, for linear blending without a pass: max, mean (degrees), zero (normals of length zero): lists}, regions [{joint,
/// volume: a list}] and parts [{mesh, primitive, triangles, closed, rest_m3 (null where it encloses nothing), volume_m3: a list}].
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  skinscope measure character.glb --clip Walk\n  \
    skinscope measure character.glb --clip Walk --method dual-quaternion --json > walk.json")]
#[command(mut_arg("model", super::or_session))]
pub(super) struct MeasureArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Measure this clip, by exact name or by number from 0; without it, the first one, or the rest pose of a file without clips
    #[arg(long, value_name = "NAME|N", allow_hyphen_values = true)]
    clip: Option<String>,
    /// Measure this moment of the clip alone, seconds on its timeline
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = parse_secs)]
    time: Option<f32>,
    /// Measure so many moments of each second of the clip [default: 30]
    #[arg(long, value_name = "N", conflicts_with = "time", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rate: Option<u32>,
    #[command(flatten)]
    clips: ClipsArgs,
    #[command(flatten)]
    method: MethodArgs,
    /// Divide the weights of every vertex by their sum; without it they are used as stored
    #[arg(long)]
    normalise_weights: bool,
    /// Measure each primitive of the file alone, so that a cut between materials is a border; without it all skinned primitives of a mesh
    /// are one surface
    #[arg(long)]
    by_primitive: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &MeasureArgs) -> Result<(), CliError> {
    let mut opened = args.model.load_with_session(None)?;
    let others = args.clips.add(&mut opened, &args.model.open, None, None)?;
    overwritten_by_stdout(opened.files().chain(paths(&others)))?;
    tell_warnings(&opened.document);
    let has_session = opened.session_file.is_some();
    let first = opened.document.model.clips.first().map(|_| "0".to_owned());
    if args.time.is_some() && args.clip.is_none() && first.is_none() {
        return Err(CliError::Usage("the file has no clip, so that --time says nothing".into()));
    }
    let clip = args.clip.clone().or(first.filter(|_| !has_session));
    let pose = PoseArgs::of(clip, args.time.unwrap_or(0.0), args.method.clone(), args.normalise_weights);
    let mut session = pose.session(opened)?;
    if let Some(time) = args.time.filter(|_| has_session && args.clip.is_none()) {
        session.apply(PlaybackCommand::Seek(time));
        session.update_pose();
    }
    // What is asked of every moment.
    let by_primitive = args.by_primitive;
    let wanted = Wanted { normal_error: true, normal_modes: true, vertices: None, overlay_only: false, by_primitive };
    let clip = session.playback().clip.filter(|_| session.playback().source == PoseSource::Clip);
    let name = clip.and_then(|clip| Some(session.model()?.clips[clip.index()].name.clone()));
    let nothing = || CliError::Usage("the model has nothing to measure".into());
    let context = JobContext::of_waiting();
    let rate = args.rate.map_or(MEASURES_PER_SECOND, |rate| rate as f32);
    let curves = match args.time {
        // The moment alone is that of the pose.
        Some(_) => {
            let time_secs = session.playback().time_secs;
            session.apply(PlaybackCommand::SetPlaying(false));
            let measures = session.measurements().measure_as(wanted).ok_or_else(nothing)?.measures.clone();
            MeasureCurves { key: None, moments: vec![(time_secs, measures)], complete: true }
        }
        None if args.rate.is_some() && clip.is_none() => {
            let why = "the pose stands still, so that --rate says nothing";
            return Err(CliError::Usage(why.into()));
        }
        None => session.measure_clip(rate, wanted, &mut |_| !context.is_cancelled()).ok_or_else(nothing)?,
    };
    if curves.moments.iter().all(|(_, measures)| measures.primitives.is_empty()) {
        let why = match session.model().is_some_and(|model| !model.skins.is_empty()) {
            true => "nothing that is drawn follows a skin, so that there is nothing to measure",
            false => "the model has no skin, so that there is nothing to measure",
        };
        return Err(CliError::Usage(why.into()));
    }
    if args.json {
        return print(&format!("{}\n", report(&session, session.view().method.id, name.as_deref(), &curves)));
    }
    print(&text(&session, session.view().method.id, name.as_deref(), &curves))
}

/// Returns the number of a vertex in the file, with its mesh and primitive.
fn file_vertex(session: &Session, at: VertexRef) -> Option<(usize, usize, usize)> {
    let model = session.model()?;
    let mesh = model.instances[at.instance.index()].mesh;
    let vertex = at.stored(&model.meshes[mesh.index()].primitives[at.primitive]);
    Some((model.file_mesh(mesh).index(), at.primitive, vertex))
}

fn report(session: &Session, method: &str, clip: Option<&str>, curves: &MeasureCurves) -> Value {
    let moments = &curves.moments;
    let (mut lists, mut worst) = (Map::new(), Map::new());
    for measure in MEASURES {
        let values: Vec<Option<f64>> = moments.iter().map(|(_, m)| (measure.value)(m)).collect();
        lists.insert(measure.id.into(), json!(values));
        let at = curves.worst(measure).map(|(i, value)| {
            let vertex = (measure.at)(&moments[i].1).and_then(|at| file_vertex(session, at));
            json!({
                "time": moments[i].0,
                "value": value,
                "mesh": vertex.map(|v| v.0),
                "primitive": vertex.map(|v| v.1),
                "vertex": vertex.map(|v| v.2),
            })
        });
        worst.insert(measure.id.into(), at.unwrap_or_default());
    }
    let keys = session.model().map(|model| Keys::of(model));
    let first = moments.first().map(|(_, m)| m);
    let regions: Vec<Value> = first
        .map_or(&[][..], |m| &m.regions)
        .iter()
        .map(|(joint, _)| {
            let of = |m: &SurfaceMeasures| m.regions.iter().find(|r| r.0 == *joint).map(|r| r.1);
            let volumes: Vec<Option<f64>> = moments.iter().map(|(_, m)| of(m)).collect();
            json!({ "joint": keys.as_ref().map(|keys| keys.key(*joint)), "volume": volumes })
        })
        .collect();
    let mut parts = Vec::new();
    for (i, primitive) in first.map_or(&[][..], |m| &m.primitives).iter().enumerate() {
        let mesh =
            session.model().map(|model| model.file_mesh(model.instances[primitive.instance.index()].mesh).index());
        for (j, part) in primitive.parts.iter().enumerate() {
            let of = |m: &SurfaceMeasures| Some(m.primitives.get(i)?.parts.get(j)?.posed);
            let volumes: Vec<Option<f64>> = moments.iter().map(|(_, m)| of(m)).collect();
            parts.push(json!({
                "mesh": mesh,
                "primitive": part.primitive,
                "triangles": part.triangles,
                "closed": part.closed,
                "rest_m3": part.rest,
                "volume_m3": volumes,
            }));
        }
    }
    let modes: Map<String, Value> =
        first.map_or(&[][..], |m| &m.normal_modes).iter().map(|m| mode(moments, m)).collect();
    json!({
        "schema": 1,
        "method": method,
        "normals": session.view().normals.id,
        "clip": clip,
        "times": moments.iter().map(|(time, _)| *time).collect::<Vec<f32>>(),
        "curves": lists,
        "worst": worst,
        "normal_modes": modes,
        "regions": regions,
        "parts": parts,
    })
}

/// Returns the measures of a mode of normals at one moment.
fn of_mode<'a>(measures: &'a SurfaceMeasures, mode: &str) -> Option<&'a NormalModeMeasures> {
    measures.normal_modes.iter().find(|m| m.mode == mode)
}

/// The curves of a mode of normals.
fn mode(moments: &[(f32, SurfaceMeasures)], mode: &NormalModeMeasures) -> (String, Value) {
    let list = |value: &dyn Fn(&NormalModeMeasures) -> Value| -> Vec<Option<Value>> {
        moments.iter().map(|(_, m)| of_mode(m, mode.mode).map(value)).collect()
    };
    let (max, mean) = (list(&|m| json!(m.worst)), list(&|m| json!(m.mean)));
    (mode.mode.into(), json!({ "max": max, "mean": mean, "zero": list(&|m| json!(m.zero)) }))
}

/// The modes of normals below each other: the worst moment of each, the mean over all moments, and normals of length zero.
fn modes(moments: &[(f32, SurfaceMeasures)]) -> String {
    let Some((_, first)) = moments.first().filter(|(_, m)| !m.normal_modes.is_empty()) else { return String::new() };
    let mut out = "errors of the normals of linear blending, by --normals:\n".to_owned();
    for NormalModeMeasures { mode, .. } in &first.normal_modes {
        let all: Vec<&NormalModeMeasures> = moments.iter().filter_map(|(_, m)| of_mode(m, mode)).collect();
        let worst = all.iter().map(|m| m.worst).fold(0.0, f64::max);
        let mean = all.iter().map(|m| m.mean).sum::<f64>() / all.len().max(1) as f64;
        let zero = all.iter().map(|m| m.zero).max().unwrap_or(0);
        out += &format!("{mode:26} worst {worst:>6.1}°, mean {mean:>6.2}°, {zero} of length zero\n");
    }
    out
}

fn text(session: &Session, method: &str, clip: Option<&str>, curves: &MeasureCurves) -> String {
    let moments = &curves.moments;
    let over = match (clip, moments.len()) {
        (Some(clip), 1) => format!("clip \"{}\" at {:.3} s", printable(clip), moments[0].0),
        (Some(clip), count) => format!("clip \"{}\", {count} moments", printable(clip)),
        (None, _) => "the rest pose".to_owned(),
    };
    let mut out = format!("{method}, {over}: the worst of each, posed over rest\n");
    if moments.len() == MOST_MEASURED {
        out += &format!("the clip is long: {MOST_MEASURED} moments of it were measured\n");
    }
    for measure in MEASURES {
        let Some((i, value)) = curves.worst(measure) else { continue };
        out += &format!("{:22} {:>10}", measure.label, measure.text(value));
        let is_fault = measure.badness(value) > 1e-6;
        if is_fault {
            out += &format!("  at {:.3} s", moments[i].0);
            if measure.id == "region_volume"
                && let (Some((joint, _)), Some(model)) = (moments[i].1.worst_region(), session.model())
            {
                out += &format!(", joint \"{}\"", printable(Keys::of(model).key(joint)));
            } else if let Some((mesh, primitive, vertex)) =
                (measure.at)(&moments[i].1).and_then(|at| file_vertex(session, at))
            {
                out += &format!(", mesh {mesh}, primitive {primitive}, vertex {vertex}");
            }
        }
        out.push('\n');
    }
    out + &modes(moments)
}
