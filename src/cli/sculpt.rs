//! `skinscope sculpt`: makes corrective shapes of sculpts of a posed surface, and stores them as morph targets that the clips play.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::find::{find_node, splits};
use super::fix::tell_current;
use super::fix_report::written;
use super::method::begun_method;
use super::opened::refuse_session;
use super::posed::{NamedPose, read_named_pose};
use super::sculpt_drivers::drivers;
use super::sculpt_mirror::Sides;
use super::sculpt_shapes::{Shape, Stored, Surface, Wanted, shape, stored, targets};
use super::sculpts::read_mesh;
use super::solve_args::{SearchArgs, parse_primitive};
use super::storage::Restored;
use super::write_args::{WriteArgs, tell_saved};
use super::{CliError, other_file, print, printable};
use crate::deform::METHODS;
use crate::edit::{Sheet, mirrored_name};
use crate::model::{Model, NodeId};
use crate::output::{overwritten, overwritten_by_stdout};
use crate::session::MethodChoice;
use crate::solve::{DrivenShapes, KeptShapesError, ShapeDriver, kept_shapes};
use crate::words::counted;
use crate::writeback::{Origin, Recompression, Saved, Stamps, prepare};

/// A shape that no clip brings in by more than this is told.
const HARDLY: f64 = 0.01;

/// Make corrective shapes of sculpts of the posed surface: morph targets that the rotations of joints bring in
///
/// POSE is a pose file, or CLIP@SECONDS. FILE is the surface as it should be in that pose: PLY, OBJ or GLB in the scene, metres, with the
/// vertices of one primitive in the order of the file, or those of everything that is shown, as `bake` writes them. Each sculpt is taken back
/// through the skin and becomes a morph target. How much of it there is follows from the rotations of the driving joints: all of it in its
/// pose, nothing at rest and in the poses of the other sculpts. That is written as keys of `weights` into every clip, since no program that
/// plays glTF reads drivers; the drivers themselves are kept in the extras of the file, where the next call finds them. Normals are not
/// changed by the shapes.
///
/// The JSON has the fields: schema (1), shapes [{name, joints (those that bring it in), vertices (with an offset), flat (vertices that stay, since
/// the skin is folded flat there), largest_before, largest_after (how far the surface is from the sculpt in its pose, metres),
/// longest_offset (metres, at rest), most (the largest weight of it in any clip)}] and clips [{clip, keys, error (how far the surface may be
/// from where the driver would have it between keys, metres)}].
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct SculptArgs {
    #[command(flatten)]
    write: WriteArgs,
    /// In this pose the surface should be as this file has it; may be given several times
    #[arg(long, value_name = "POSE=FILE", allow_hyphen_values = true, required_unless_present = "from")]
    sculpt: Vec<String>,
    /// In this pose the surface should be as another method has it, such as mush or dual-quaternion; may be given several times
    #[arg(long, value_name = "POSE=METHOD", allow_hyphen_values = true)]
    from: Vec<String>,
    /// Make the mirror image of each sculpt too, in the mirrored pose: vertices that have no mirror image stay
    #[arg(long)]
    mirror: bool,
    /// Take the sculpts back through this method, the one that the model is shown with
    #[arg(long, value_name = "METHOD", default_value = METHODS[0].id, value_parser = parse_method)]
    method: String,
    /// Let these joints bring all the shapes in; without, those that its pose turns and that its vertices follow bring in each shape
    #[arg(long, value_name = "JOINT,...", value_delimiter = ',', allow_hyphen_values = true)]
    driver: Vec<String>,
    /// Call the shapes so, in the order of the sculpts, those of --from last; without, they are called after the poses
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    name: Vec<String>,
    /// Make shapes of this primitive of the file alone, by the numbers of the mesh and of the primitive in it, from 0
    #[arg(long, value_name = "MESH,PRIMITIVE", value_parser = parse_primitive)]
    primitive: Option<[u32; 2]>,
    /// Print JSON, and nothing else, to standard output
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "Files are written whole or not at all, and never over one that was read.\n\n\
    Exit codes: 0 all went well, 1 the model, a pose file or a mesh is bad, 2 wrong usage, a sculpt that does not fit the model or would \
    never show, or no place to write to.\n\n\
    Examples:\n  skinscope sculpt character.glb --sculpt bent.pose.json=elbow.ply --driver LeftForeArm -o corrected.glb\n  \
    skinscope sculpt character.glb --from Crouch@0.8=mush -o corrected.glb";

/// Checks the name of a method that moves each vertex alone.
fn parse_method(text: &str) -> Result<String, String> {
    let is_alone = |choice: &MethodChoice| choice.pass.is_none() && choice.method.pass.is_none();
    let known = METHODS.iter().filter(|method| method.pass.is_none()).map(|method| method.id);
    let found = MethodChoice::named(text).filter(is_alone);
    found.map(|choice| choice.id()).ok_or_else(|| format!("expected one of {}", known.collect::<Vec<_>>().join(", ")))
}

pub(super) fn run(args: &SculptArgs) -> Result<(), CliError> {
    let WriteArgs { model: path, open, .. } = &args.write;
    refuse_session(path)?;
    let mut stamps = Stamps::of(path);
    let document = other_file(path, open)?;
    overwritten_by_stdout(document.files())?;
    stamps.add(document.files());
    let model: &Model = document.stored();
    let kept = kept_shapes(model).map_err(|why: KeptShapesError| CliError::Usage(printable(&why.to_string())))?;
    let wanted = args.wanted(model, &kept)?;
    let at = args.primitive.map(|numbers| SearchArgs::find_primitive(model, numbers, "--primitive")).transpose()?;
    let files: Vec<PathBuf> = wanted.iter().flat_map(|wanted| wanted.files.iter().cloned()).collect();
    overwritten_by_stdout(files.iter().map(PathBuf::as_path))?;
    args.write.output.as_deref().map_or(Ok(()), |out| overwritten(out, files.iter().map(PathBuf::as_path)))?;
    let method = MethodChoice::named(&args.method).unwrap_or_else(|| MethodChoice::of(METHODS[0]));
    let sides = args.mirror.then(|| Sides::of(&document)).transpose()?;
    let mut shapes: Vec<Shape> = Vec::new();
    for one in wanted {
        let targets = targets(model, at, &one)?;
        let mirrored = sides.as_ref().and_then(|sides| sides.mirrored(model, &one.pose, &targets));
        let name = mirrored_name(&one.name).unwrap_or_else(|| format!("{} mirrored", one.name));
        shapes.push(shape(model, (one.name, one.pose), &targets, method)?);
        if let Some((pose, targets)) = mirrored {
            shapes.push(shape(model, (name, pose), &targets, method)?);
        }
    }
    let named = match args.driver.is_empty() {
        true => None,
        false => Some(args.driver.iter().map(|joint| find_node(model, joint)).collect::<Result<Vec<_>, _>>()?),
    };
    let drivers = drivers(model, &shapes, named)?;
    let made = stored(model, &shapes, &drivers, kept)?;
    let mut sheet = Sheet::of(model);
    sheet.shapes.clone_from(&made.added);
    if !args.json {
        tell_current(&document, &sheet);
    }
    let saved = prepare(Origin::File(path, &stamps), &sheet, Recompression::None, args.write.destination())?
        .keeping_links(args.write.keep_links)
        .write()?;
    tell_saved(&saved);
    print(&match args.json {
        true => report(model, &shapes, &drivers, &made),
        false => text(model, &shapes, &drivers, &made, &saved),
    })
}

impl SculptArgs {
    /// Reads all poses and sculpts.
    fn wanted(&self, model: &Model, kept: &[DrivenShapes]) -> Result<Vec<Wanted>, CliError> {
        let mut out = Vec::new();
        for text in &self.sculpt {
            let is_file = |(_, file): &(&str, &str)| Path::new(file).is_file();
            let wrong =
                || CliError::Usage(printable(&format!("--sculpt {text}: expected POSE=FILE; there is no such file")));
            let (pose, file) = splits(text, '=').find(is_file).ok_or_else(wrong)?;
            let mut wanted = posed(model, kept, pose)?;
            wanted.surface = Surface::Points(read_mesh(Path::new(file), &self.write.open)?);
            wanted.files.push(PathBuf::from(file));
            out.push(wanted);
        }
        for text in &self.from {
            let named = text.rsplit_once('=').and_then(|(pose, method)| Some((pose, begun_method(method)?)));
            let known = || METHODS.iter().map(|method| method.id).collect::<Vec<_>>().join(", ");
            let wrong = || {
                let why = format!(
                    "--from {text}: expected POSE=METHOD, one of {}, and +mush after it where wanted, or mush alone",
                    known()
                );
                CliError::Usage(printable(&why))
            };
            let (pose, method) = named.ok_or_else(wrong)?;
            let mut wanted = posed(model, kept, pose)?;
            wanted.surface = Surface::Method(method);
            out.push(wanted);
        }
        if self.name.len() > out.len() {
            return Err(CliError::Usage("--name: there are more names than sculpts".to_owned()));
        }
        out.iter_mut().zip(&self.name).for_each(|(wanted, name)| wanted.name.clone_from(name));
        Ok(out)
    }
}

/// Reads a pose: a file, or a clip at a time. The shapes that the model has already are as much there as their drivers say.
fn posed(model: &Model, kept: &[DrivenShapes], text: &str) -> Result<Wanted, CliError> {
    let NamedPose { name, file, mut pose } = read_named_pose(model, text)?;
    let mut weights = Vec::new();
    for shapes in kept {
        shapes.driver.weights(&pose, &mut weights);
        let first = model.instances[shapes.instance.index()].morph_offset;
        for ((target, _), weight) in shapes.targets.iter().zip(&weights) {
            pose.morph_weights[first + target] = *weight as f32;
        }
    }
    Ok(Wanted { name, pose, surface: Surface::Points(Vec::new()), files: file.into_iter().collect() })
}

/// Returns the largest weight of a shape in any clip.
fn most(made: &Stored, shape: usize) -> f64 {
    made.clips.iter().filter_map(|clip| clip.most.get(shape)).copied().fold(0.0, f64::max)
}

fn names<'m>(model: &'m Model, joints: &[NodeId]) -> Vec<&'m str> {
    joints.iter().map(|joint| model.skeleton.names[joint.index()].as_str()).collect()
}

/// Returns what was done as JSON.
fn report(model: &Model, shapes: &[Shape], drivers: &[ShapeDriver], made: &Stored) -> String {
    let shape = |(at, shape): (usize, &Shape)| {
        let own = drivers.iter().find(|of| of.shapes.contains(&at));
        json!({
            "name": shape.name,
            "joints": names(model, own.map_or(&[][..], |of| of.driver.joints())),
            "vertices": shape.moved(),
            "flat": shape.flat(),
            "largest_before": shape.largest(|part| part.before),
            "largest_after": shape.largest(|part| part.back.left),
            "longest_offset": shape.largest(|part| part.back.longest()),
            "most": most(made, at),
        })
    };
    let shapes: Vec<Value> = shapes.iter().enumerate().map(shape).collect();
    let clips = made.clips.iter();
    let clips = clips.map(|of| json!({ "clip": model.clips[of.clip].name, "keys": of.keys, "error": of.error }));
    let clips: Vec<Value> = clips.collect();
    let out = json!({ "schema": 1, "shapes": shapes, "clips": clips });
    format!("{out}\n")
}

/// Returns what was done as lines of text.
fn text(model: &Model, shapes: &[Shape], drivers: &[ShapeDriver], made: &Stored, saved: &Saved) -> String {
    let mut out = String::new();
    for of in drivers {
        let own: Vec<&str> = of.shapes.iter().map(|at| shapes[*at].name.as_str()).collect();
        let joints = names(model, of.driver.joints());
        out += &printable(&format!("{}: brought in by {}", own.join(", "), joints.join(", ")));
        out.push('\n');
    }
    for (at, shape) in shapes.iter().enumerate() {
        let name = printable(&shape.name);
        let vertices = counted(shape.moved(), "vertex", "vertices");
        let [before, after] = [shape.largest(|part| part.before), shape.largest(|part| part.back.left)];
        out += &format!("{name}: {vertices}, at most {:.3} → {:.6} mm from the sculpt\n", 1e3 * before, 1e3 * after);
        if shape.flat() > 0 {
            let stay = counted(shape.flat(), "vertex stays", "vertices stay");
            out += &format!("{name}: {stay} as skinning has them: the skin is folded flat there in this pose\n");
        }
        let largest = most(made, at);
        if largest < HARDLY {
            let clips = if model.file_clips() == 0 { "the file has no clip" } else { "no clip comes near its pose" };
            out += &format!("{name}: {clips}, so that programs that read no drivers never show it\n");
        }
    }
    for of in &made.clips {
        let (name, keys) = (printable(&model.clips[of.clip].name), counted(of.keys, "key", "keys"));
        out += &format!("clip {name}: {keys} of weights, at most {:.3} mm off between them\n", 1e3 * of.error);
    }
    out + &written(saved, &Restored::default())
}
