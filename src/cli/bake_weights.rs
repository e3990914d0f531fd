//! `skinscope bake-weights`: finds the weights whose linear blending comes nearest to another method, and writes them back into the file.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::fix::tell_current;
use super::fix_report::written;
use super::method::begun_method;
use super::opened::refuse_session;
use super::sculpts::read_poses;
use super::solve_args::{SearchArgs, deviations, put_deviations, remarks};
use super::storage::Restored;
use super::write_args::{WriteArgs, tell_saved};
use super::{CliError, other_file, print, printable};
use crate::deform::{Deformation, METHODS, PASSES, ParameterSettings};
use crate::edit::Sheet;
use crate::model::{InstanceId, LocalPose, Model, PrimitiveId};
use crate::output::{overwritten, overwritten_by_stdout, say};
use crate::parallel::JobContext;
use crate::session::MethodChoice;
use crate::solve::{Gain, MethodSurface, PrimitiveExamples, Solved, as_stored, shown_by, table_of, typical_poses};
use crate::weights::Table;
use crate::words::counted;
use crate::writeback::{Origin, Recompression, Saved, Stamps, prepare};

/// No more poses are chosen than this.
const MOST_POSES: usize = 360;
/// No fewer, whatever memory they take.
const LEAST_POSES: usize = 24;
/// The targets of all poses take about this much memory at most, bytes.
const MEMORY: usize = 256 << 20;

/// Find the weights whose linear blending comes nearest to another method, for engines that do not have it
///
/// Poses are chosen by the program, up to 360: each joint turned by 45° and 90° to both sides about each of its axes, as many of these turns as
/// there is room for, and moments of all clips; or they are those of the pose files of a folder. In each of them the surface by the method is the target of linear blending. How much of the way to it
/// the new weights go is told in percent: 100 % would be the method itself.
///
/// The JSON has the fields: schema (1), from, poses (how many), rms_before, rms_after, p95_before, p95_after, largest_before, largest_after (how
/// far linear blending is from the method, metres), gain_percent (of rms; null where there was nothing to gain), joints [{joint, rms_before,
/// rms_after, gain_percent}] (at the vertices of each joint, counted by its weight), changed (vertices whose stored joints or weights differ from
/// those of MODEL), stuck (places that stay because of locked joints) and unproven (places whose choice of joints is not proven to be the best).
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct BakeWeightsArgs {
    #[command(flatten)]
    write: WriteArgs,
    /// The method that linear blending is to come near: its name or the beginning of it, with +mush after it where wanted; mush alone comes
    /// after linear blending
    #[arg(long, value_name = "METHOD", value_parser = parse_method)]
    from: String,
    /// Take the poses of the files NAME.pose.json of this folder
    #[arg(long, value_name = "DIR", allow_hyphen_values = true)]
    poses: Option<PathBuf>,
    #[command(flatten)]
    search: SearchArgs,
    /// Print JSON, and nothing else, to standard output
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "Files are written whole or not at all, and never over one that was read.\n\n\
    Exit codes: 0 all went well, 1 the model or a pose file is bad, 2 wrong usage or no place to write to.\n\n\
    Examples:\n  skinscope bake-weights character.glb --from mush -o baked.glb\n  \
    skinscope bake-weights character.glb --from dual --max-influences 8 -o baked.glb";

/// Finds the method that a text names, and returns its whole name.
fn parse_method(text: &str) -> Result<String, String> {
    let known = || {
        let methods = METHODS.iter().skip(1).map(|method| method.id);
        methods.chain(PASSES.iter().map(|pass| pass.id)).collect::<Vec<_>>().join(", ")
    };
    let wrong = || format!("expected one of {}, and +{} after it where wanted", known(), PASSES[0].id);
    let choice = begun_method(text).ok_or_else(wrong)?;
    match choice.pass.is_none() && std::ptr::eq(choice.method, METHODS[0]) {
        true => Err(format!("linear blending is what the weights are for; {}", wrong())),
        false => Ok(choice.id()),
    }
}

/// Makes the error that there are no weights to look for.
fn nothing_shown() -> CliError {
    CliError::Usage("no mesh that is shown has a skin, so that there are no weights".to_owned())
}

pub(super) fn run(args: &BakeWeightsArgs) -> Result<(), CliError> {
    let WriteArgs { model: path, open, .. } = &args.write;
    refuse_session(path)?;
    let mut stamps = Stamps::of(path);
    let document = other_file(path, open)?;
    overwritten_by_stdout(document.files())?;
    stamps.add(document.files());
    let model: &Model = document.stored();
    let mut sheet = Sheet::of(model);
    let of = args.primitives(model, &sheet)?;
    let poses = args.poses(model, &of)?;
    let examples = args.examples(model, &of, &poses)?;
    let before: Vec<Table> = sheet.tables.clone();
    let solved = args.search.solve(&mut sheet, &examples)?;
    let after: Vec<Table> = sheet.tables.iter().map(as_stored).collect();
    let gain = Gain::of(
        examples
            .iter()
            .filter_map(|(at, examples)| Some((&examples[..], table_of(&before, *at)?, table_of(&after, *at)?))),
    );
    if !args.json {
        tell_current(&document, &sheet);
    }
    let saved = prepare(Origin::File(path, &stamps), &sheet, Recompression::None, args.write.destination())?
        .keeping_links(args.write.keep_links)
        .write()?;
    tell_saved(&saved);
    let restored = if saved.changes.accessors.is_empty() { Restored::default() } else { Restored::of(&sheet) };
    print(&match args.json {
        true => args.report(model, poses.len(), &gain, &solved, &saved),
        false => args.text(model, poses.len(), &gain) + &remarks(&solved) + &written(&saved, &restored),
    })
}

impl BakeWeightsArgs {
    /// Returns the primitives whose weights are looked for, each with the instance that shows it.
    fn primitives(&self, model: &Model, sheet: &Sheet) -> Result<Vec<(InstanceId, PrimitiveId)>, CliError> {
        let asked = self.search.primitive(model)?;
        let all = sheet.tables.iter().flat_map(|table| &table.primitives).copied();
        let all = all.filter(|at| asked.is_none_or(|asked| asked == *at));
        let of: Vec<_> = all.filter_map(|at| Some((shown_by(model, at)?, at))).collect();
        if of.is_empty() {
            return Err(nothing_shown());
        }
        Ok(of)
    }

    /// Returns the poses in which linear blending is to come near the method.
    fn poses(&self, model: &Model, of: &[(InstanceId, PrimitiveId)]) -> Result<Vec<LocalPose>, CliError> {
        if let Some(folder) = &self.poses {
            let poses = read_poses(folder, model)?;
            let files = || poses.iter().map(|pose| pose.file.as_path());
            overwritten_by_stdout(files())?;
            self.write.output.as_deref().map_or(Ok(()), |out| overwritten(out, files()))?;
            return Ok(poses.into_iter().map(|pose| pose.pose).collect());
        }
        let count = |at: &PrimitiveId| model.meshes[at.mesh.index()].primitives[at.primitive].stored_vertices;
        let vertices: usize = of.iter().map(|(_, at)| count(at)).sum();
        let fitting = MEMORY / (vertices.max(1) * size_of::<glam::Vec3>());
        Ok(typical_poses(model, fitting.clamp(LEAST_POSES, MOST_POSES)))
    }

    /// Deforms the primitives by the method in all poses.
    fn examples<'m>(
        &self,
        model: &'m Model,
        of: &[(InstanceId, PrimitiveId)],
        poses: &[LocalPose],
    ) -> Result<Vec<PrimitiveExamples<'m>>, CliError> {
        let unknown = || CliError::Usage(format!("--from: {} cannot be worked out for this model", self.from));
        let choice = MethodChoice::named(&self.from).ok_or_else(unknown)?;
        let mut deformation = Deformation::from(choice.method);
        if let Some(pass) = choice.pass {
            deformation = deformation.then(pass, &ParameterSettings::default());
        }
        let mut surface = MethodSurface::new(model, deformation, &JobContext::of_waiting()).ok_or_else(unknown)?;
        let drawn: Vec<(InstanceId, usize)> = of.iter().map(|(instance, at)| (*instance, at.primitive)).collect();
        let mut out: Vec<PrimitiveExamples<'m>> = of.iter().map(|(_, at)| (*at, Vec::new())).collect();
        for pose in poses {
            for ((_, examples), example) in out.iter_mut().zip(surface.examples(pose, &drawn)) {
                examples.extend(example);
            }
        }
        for (at, _) in out.iter().filter(|(_, examples)| examples.is_empty()) {
            let (mesh, primitive) = (model.file_mesh(at.mesh).0, at.primitive);
            say(format_args!(
                "warning: mesh {mesh}, primitive {primitive}: the scene does not show it, so that it keeps its weights"
            ));
        }
        out.retain(|(_, examples)| !examples.is_empty());
        if out.is_empty() { Err(nothing_shown()) } else { Ok(out) }
    }

    /// Returns what was done as JSON.
    fn report(&self, model: &Model, poses: usize, gain: &Gain, solved: &Solved, saved: &Saved) -> String {
        let joints = gain.joints.iter().map(|joint| {
            json!({
                "joint": model.skeleton.names.get(joint.key as usize),
                "rms_before": joint.before,
                "rms_after": joint.after,
                "gain_percent": joint.percent(),
            })
        });
        let joints: Vec<Value> = joints.collect();
        let mut out = json!({ "schema": 1, "from": self.from, "poses": poses });
        put_deviations(&mut out, &gain.before, &gain.after);
        out["gain_percent"] = json!(gain.percent());
        out["joints"] = json!(joints);
        out["changed"] = json!(saved.changes.vertices);
        out["stuck"] = json!(solved.stuck);
        out["unproven"] = json!(solved.unproven);
        format!("{out}\n")
    }

    /// Returns what was done as lines of text.
    fn text(&self, model: &Model, poses: usize, gain: &Gain) -> String {
        let percent = |percent: Option<f64>| {
            percent.map_or_else(|| "nothing to gain".to_owned(), |percent| format!("{percent:.1} % of the gain"))
        };
        let poses = counted(poses, "pose", "poses");
        let apart = deviations(&gain.before, &gain.after);
        let mut out = format!("{} in {poses}: {}; {apart}\n", self.from, percent(gain.percent()));
        for joint in &gain.joints {
            let name = model.skeleton.names.get(joint.key as usize).map_or("", String::as_str);
            let (before, after) = (1e3 * joint.before, 1e3 * joint.after);
            let share = percent(joint.percent());
            out += &format!("  {}: {share}; {before:.3} → {after:.3} mm\n", printable(name));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::model::test_shapes::{Tube, tube};
    use crate::model::{ModelParts, Scene};

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        args: BakeWeightsArgs,
    }

    #[test]
    fn where_the_scene_shows_no_mesh_with_a_skin_that_is_an_error() {
        let Command { args } = Command::parse_from(["bake-weights", "a.glb", "--from", "mush", "-o", "b.glb"]);
        let shown = tube(Tube::default());
        let mut parts = ModelParts::clone(&shown);
        parts.scenes[0] = Scene { contains: vec![false; shown.skeleton.len()], ..Scene::default() };
        let hidden = Model::build(parts).unwrap();
        for (model, is_shown) in [(&shown, true), (&hidden, false)] {
            let sheet = Sheet::of(model);
            let of = args.primitives(model, &sheet).unwrap();
            let found = args.examples(model, &of, &typical_poses(model, 2));
            assert!(found.is_ok() == is_shown, "{is_shown}");
        }
    }

    #[test]
    fn methods_are_named_by_their_beginnings() {
        let named = |text| parse_method(text).unwrap_or_else(|_| "refused".to_owned());
        for (text, id) in [
            ("mush", "linear+mush"),
            ("dual", "dual-quaternion"),
            ("centres", "centres-of-rotation"),
            ("polar", "polar"),
            ("polar+mush", "polar+mush"),
            ("dual+mush", "dual-quaternion+mush"),
        ] {
            assert_eq!(named(text), id, "{text}");
        }
        for text in ["", "linear", "l", "+mush", "nothing", "polar+nothing"] {
            assert_eq!(named(text), "refused", "{text}");
        }
    }
}
