//! `skinscope bake-weights`: finds the weights whose linear blending comes nearest to another method, and writes them back into the file.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::fix_report::written;
use super::left_file::left_text;
use super::method::begun_method;
use super::posed::read_named_pose;
use super::sculpts::read_poses;
use super::solve_args::{SearchArgs, gain_text, put_gain, refused, remarks};
use super::write_args::WriteArgs;
use super::{CliError, print, unwritable};
use crate::deform::{Deformation, METHODS, PASSES, ParameterSettings};
use crate::edit::{BakedWeights, Baking, Refusal, Sheet};
use crate::model::{LocalPose, Model};
use crate::output::{self, overwritten, say};
use crate::session::MethodChoice;
use crate::solve::{Gain, LeftOver, PoseKind, ShownPrimitive, Solved, method_poses, shown_primitives};
use crate::writeback::Saved;

/// Find the weights whose linear blending comes nearest to another method, for engines that do not have it
///
/// Poses are chosen by the program, up to 360: each joint turned by 45° and 90° to both sides about each of its axes, as many of these turns as
/// there is room for, and moments of all clips, or one of these kinds alone; or they are those that are given: pose files, moments of clips. In each of them the surface by the method is the target of linear blending. How much of the way to it
/// the new weights go is told in percent: 100 % would be the method itself.
///
/// The JSON has the fields: schema (1), from, poses (how many), rms_before, rms_after, p95_before, p95_after, largest_before, largest_after (how
/// far linear blending is from the method, metres), gain_percent (of rms; null where there was nothing to gain), joints [{joint, rms_before,
/// rms_after, gain_percent}] (at the vertices of each joint, counted by its weight), changed (vertices whose stored joints or weights differ from
/// those of MODEL), stuck (places that stay because of locked joints) and unproven (places whose choice of joints is not proven to be the best).
/// The file of --left has: schema (1), from, poses and primitives [{mesh, primitive (their numbers in the file), rms_mm, largest_mm (of each
/// vertex, over the poses)}].
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
    /// Take this pose: a pose file, or a clip at a time, CLIP@SECONDS; may be given several times
    #[arg(long, value_name = "POSE", allow_hyphen_values = true)]
    pose: Vec<String>,
    /// Choose poses of this kind
    #[arg(long, value_name = "KIND", value_enum, default_value = "all", conflicts_with_all = ["poses", "pose"])]
    over: Over,
    /// Choose no more poses than this; fewer where the model has so many vertices that they would take too much memory
    #[arg(long, value_name = "N", default_value = "360", conflicts_with_all = ["poses", "pose"], value_parser = clap::value_parser!(u64).range(1..=360))]
    most_poses: u64,
    #[command(flatten)]
    search: SearchArgs,
    /// Write how far the new weights leave each vertex from the method into this file, JSON, which `render --left` draws
    #[arg(long, value_name = "FILE", allow_hyphen_values = true)]
    left: Option<PathBuf>,
    /// Print JSON, and nothing else, to standard output
    #[arg(long)]
    json: bool,
}

/// The poses that are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Over {
    /// Joints that are turned, and moments of all clips
    All,
    /// Joints that are turned
    Turns,
    /// Moments of all clips
    Clips,
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

pub(super) fn run(args: &BakeWeightsArgs) -> Result<(), CliError> {
    let (document, stamps) = args.write.open_model()?;
    args.spares(&document.files().map(|file| file.to_owned()).collect::<Vec<_>>())?;
    let model: &Model = document.stored();
    let mut sheet = Sheet::of(model);
    let of = args.primitives(model, &sheet)?;
    let poses = args.poses(model, &of)?;
    let search = args.search.begin(&mut sheet)?;
    let baking = Baking { deformation: args.deformation()?, of: &of, poses: &poses, search };
    baking.check(&sheet).map_err(refused)?;
    let BakedWeights { gain, solved, left } = baking.run(&mut sheet).ok_or_else(|| args.unknown())?;
    let (saved, restored) = args.write.write_weights((&document, &stamps), &sheet, args.json)?;
    args.write_left(model, poses.len(), &left)?;
    print(&match args.json {
        true => args.report(model, poses.len(), &gain, &solved, &saved),
        false => {
            gain_text(model, (args.from.as_str(), poses.len()), &gain) + &remarks(&solved) + &written(&saved, &restored)
        }
    })
}

impl BakeWeightsArgs {
    /// Returns the primitives whose weights are looked for, each with the instance that shows it, and warns of those that the scene does not show.
    fn primitives(&self, model: &Model, sheet: &Sheet) -> Result<Vec<ShownPrimitive>, CliError> {
        let asked = self.search.primitive(model)?;
        let [mut shown, mut hidden] = shown_primitives(model, &sheet.tables);
        for of in [&mut shown, &mut hidden] {
            of.retain(|(_, at)| asked.is_none_or(|asked| asked == *at));
        }
        for (_, at) in hidden {
            let (mesh, primitive) = (model.file_mesh(at.mesh).0, at.primitive);
            say(format_args!(
                "warning: mesh {mesh}, primitive {primitive}: the scene does not show it, so that it keeps its weights"
            ));
        }
        if shown.is_empty() {
            return Err(refused(Refusal::NothingShown));
        }
        Ok(shown)
    }

    /// Returns the poses in which linear blending is to come near the method.
    fn poses(&self, model: &Model, of: &[ShownPrimitive]) -> Result<Vec<LocalPose>, CliError> {
        if self.poses.is_some() || !self.pose.is_empty() {
            return self.given(model);
        }
        let kind = match self.over {
            Over::All => PoseKind::All,
            Over::Turns => PoseKind::Turned,
            Over::Clips => PoseKind::Clips,
        };
        let poses = method_poses(model, of, kind, self.most_poses as usize);
        if poses.is_empty() {
            return Err(CliError::Usage("--over clips: the file has no clip, so that there is no pose".to_owned()));
        }
        Ok(poses)
    }

    /// Reads the poses that are given.
    fn given(&self, model: &Model) -> Result<Vec<LocalPose>, CliError> {
        let (mut files, mut out): (Vec<PathBuf>, Vec<LocalPose>) = (Vec::new(), Vec::new());
        if let Some(folder) = &self.poses {
            (files, out) = read_poses(folder, model)?.into_iter().unzip();
        }
        for text in &self.pose {
            let one = read_named_pose(model, text)?;
            files.extend(one.file);
            out.push(one.pose);
        }
        self.write.spares(files.iter().map(PathBuf::as_path))?;
        self.spares(&files)?;
        Ok(out)
    }

    /// Returns the method.
    fn deformation(&self) -> Result<Deformation<'static>, CliError> {
        let choice = MethodChoice::named(&self.from).ok_or_else(|| self.unknown())?;
        let deformation = Deformation::from(choice.method);
        Ok(choice.pass.map_or(deformation, |pass| deformation.then(pass, &ParameterSettings::default())))
    }

    /// Makes the error that a model has no such surface.
    fn unknown(&self) -> CliError {
        CliError::Usage(format!("--from: {} cannot be worked out for this model", self.from))
    }

    /// Returns what was done as JSON.
    fn report(&self, model: &Model, poses: usize, gain: &Gain, solved: &Solved, saved: &Saved) -> String {
        let mut out = json!({ "schema": 1, "from": self.from, "poses": poses });
        put_gain(&mut out, model, gain);
        out["changed"] = json!(saved.changes.vertices);
        out["stuck"] = json!(solved.stuck);
        out["unproven"] = json!(solved.unproven);
        format!("{out}\n")
    }

    /// Refuses a place for what is left that is that of a file which is read or written.
    fn spares(&self, files: &[PathBuf]) -> Result<(), CliError> {
        let Some(left) = &self.left else { return Ok(()) };
        overwritten(left, files.iter().map(PathBuf::as_path))?;
        if overwritten(left, self.write.output.as_deref()).is_err() {
            return Err(CliError::Usage(format!("{}: --left and --output name one file", left.display())));
        }
        Ok(())
    }

    /// Writes how far the weights leave each vertex from the method, where that is asked for.
    fn write_left(&self, model: &Model, poses: usize, left: &[LeftOver]) -> Result<(), CliError> {
        let Some(path) = &self.left else { return Ok(()) };
        let text = left_text(model, (self.from.as_str(), poses), left);
        output::write(path, text.as_bytes()).map_err(|error| unwritable(path, error))
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
            let found = args.primitives(model, &Sheet::of(model));
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
