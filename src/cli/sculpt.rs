//! `skinscope sculpt`: makes corrective shapes of sculpts of a posed surface, and stores them as morph targets that the clips play.

use std::path::{Path, PathBuf};

use clap::Args;
use glam::DVec3;

use super::find::{find_node, splits};
use super::fix_report::written;
use super::method::begun_method;
use super::posed::{NamedPose, read_named_pose};
use super::sculpt_report::{Changed, Named, report, text};
use super::sculpt_vertex::{DraggedArgs, VertexSculpt};
use super::sculpts::read_mesh;
use super::solve_args::{SearchArgs, parse_primitive};
use super::storage::Restored;
use super::write_args::{WriteArgs, tell_current};
use super::{CliError, print, printable};
use crate::deform::{Deformation, METHODS, ParameterSettings};
use crate::edit::{Sheet, mirrored_name};
use crate::model::{LocalPose, Model, PrimitiveId};
use crate::parallel::JobContext;
use crate::session::MethodChoice;
use crate::session::shaping::{
    Shape, ShapeError, Sides, TargetName, Targets, add_shapes, bring_in, drivers, mirror_image, remove_shapes,
    rename_shape, shape, targets_of_mesh, targets_of_method, without_unfit_drivers,
};
use crate::solve::{DrivenShapes, KeptShapesError, Layout, LayoutError, ShapeDriver, kept_shapes, table_of};
use crate::writeback::Recompression;

/// Make corrective shapes of sculpts of the posed surface: morph targets that the rotations of joints bring in
///
/// POSE is a pose file, or CLIP@SECONDS. FILE is the surface as it should be in that pose: PLY, OBJ or GLB in the scene, metres, with the
/// vertices of one primitive in the order of the file, or those of everything that is shown, as `bake` writes them; with --by-place in any
/// order. In place of a file --vertex says where single vertices should be, and how far the surface goes along. Each sculpt is taken back
/// through the skin and becomes a morph target. How much of it there is follows from the rotations of the
/// driving joints: all of it in its pose, nothing at rest and in the poses of the other sculpts. That is written as keys of `weights` into
/// every clip, since no program that plays glTF reads drivers; the drivers themselves are kept in the extras of the file, where the next call
/// finds them. Shapes turn normals and tangents too, where the file has some.
///
/// The JSON has the fields: schema (1), shapes [{name, joints (those that bring it in), vertices (with an offset), flat (vertices that stay, since
/// the skin is folded flat there), largest_before, largest_after (how far the surface is from the sculpt in its pose, metres),
/// longest_offset (at rest, in the space of the mesh), most (the largest weight of it in any clip)}], clips [{clip, keys, error (how far the surface may be
/// from where the driver would have it between keys, metres)}], renamed [{from, to}], removed (the names of the shapes that went) and warnings
/// [text] (of programs that play the keys elsewhere than the file has them).
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct SculptArgs {
    #[command(flatten)]
    write: WriteArgs,
    /// In this pose the surface should be as this file has it; may be given several times
    #[arg(long, value_name = "POSE=FILE", allow_hyphen_values = true, required_unless_present_any = ["from", "vertex", "mirror_of", "rename", "remove"])]
    sculpt: Vec<String>,
    /// In this pose the surface should be as another method has it, such as mush or dual-quaternion; may be given several times
    #[arg(long, value_name = "POSE=METHOD", allow_hyphen_values = true)]
    from: Vec<String>,
    #[command(flatten)]
    vertices: DraggedArgs,
    /// Make the mirror image of each sculpt too, in the mirrored pose: vertices that have no mirror image stay
    #[arg(long)]
    mirror: bool,
    /// Make the mirror image of a shape that the file has, in the mirrored pose; may be given several times
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    mirror_of: Vec<String>,
    /// Match the vertices by where they are in this mesh: the surface at rest, with the vertices in the order of the sculpts
    #[arg(long, value_name = "FILE", allow_hyphen_values = true, requires = "sculpt")]
    by_place: Option<PathBuf>,
    /// Take the sculpts back through this method, the one that the model is shown with
    #[arg(long, value_name = "METHOD", default_value = METHODS[0].id, value_parser = parse_method)]
    method: String,
    /// Let these joints bring all the shapes in; without, those that its pose turns and that its vertices follow bring in each shape
    #[arg(long, value_name = "JOINT,...", value_delimiter = ',', allow_hyphen_values = true)]
    driver: Vec<String>,
    /// Call the shapes so, in the order of the sculpts, then those of --from and of --vertex; without, they are called after the poses
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    name: Vec<String>,
    /// Give a morph target that the file has another name; may be given several times. It is done before anything else. Targets of one name in
    /// several meshes get it together; MESH,TARGET in place of the name, by their numbers from 0, means one of them, and is needed where a mesh
    /// has several of the name
    #[arg(long, value_name = "OLD=NEW", allow_hyphen_values = true)]
    rename: Vec<String>,
    /// Take a morph target of the file away by its name, and its weights out of every clip; may be given several times. MESH,TARGET means one as
    /// with --rename. All are looked for in the file with its new names. New shapes come after
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    remove: Vec<String>,
    /// Leave out what drives shapes of the file and does not fit it any more, since no shape can be made beside it: their morph targets and
    /// keys stay, and nothing brings them in by joints
    #[arg(long)]
    drop_drivers: bool,
    /// Make shapes of this primitive of the file alone, by the numbers of the mesh and of the primitive in it, from 0
    #[arg(long, value_name = "MESH,PRIMITIVE", value_parser = parse_primitive)]
    primitive: Option<[u32; 2]>,
    /// Leave normals and tangents as they are: the shapes move positions alone
    #[arg(long)]
    no_normals: bool,
    /// Print JSON, and nothing else, to standard output
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "Files are written whole or not at all, and never over one that was read.\n\n\
    Exit codes: 0 all went well, 1 the model, a pose file or a mesh is bad, 2 wrong usage, a sculpt that does not fit the model or would \
    never show, or no place to write to.\n\n\
    Examples:\n  skinscope sculpt character.glb --sculpt bent.pose.json=elbow.ply --driver LeftForeArm -o corrected.glb\n  \
    skinscope sculpt character.glb --from Crouch@0.8=mush -o corrected.glb\n  \
    skinscope sculpt character.glb --vertex 0,0,120=0.5,1.3,0.1@bent.pose.json --radius 0.1 -o corrected.glb\n  \
    skinscope sculpt corrected.glb --remove elbow --rename crouch=hips -o fewer.glb";

/// Checks the name of a method that moves each vertex alone.
fn parse_method(text: &str) -> Result<String, String> {
    let is_alone = |choice: &MethodChoice| choice.pass.is_none() && choice.method.pass.is_none();
    let known = METHODS.iter().filter(|method| method.pass.is_none()).map(|method| method.id);
    let found = MethodChoice::named(text).filter(is_alone);
    found.map(|choice| choice.id()).ok_or_else(|| format!("expected one of {}", known.collect::<Vec<_>>().join(", ")))
}

pub(super) fn run(args: &SculptArgs) -> Result<(), CliError> {
    let (document, stamps) = args.write.open_model()?;
    let (changed, done) = args.changed(document.stored())?;
    let model: &Model = changed.as_ref().unwrap_or(document.stored());
    let unusable = |why: KeptShapesError| {
        let way_out = "--drop-drivers leaves out what does not fit; its morph targets and their keys stay";
        CliError::Usage(printable(&format!("{why} ({way_out})")))
    };
    let kept = match kept_shapes(model) {
        Ok(kept) => kept,
        // Targets can be named and removed all the same.
        Err(_) if !args.makes_shapes() => Vec::new(),
        Err(why) => return Err(unusable(why)),
    };
    let wanted = args.wanted(model, &kept)?;
    let at = args.primitive.map(|numbers| SearchArgs::find_primitive(model, numbers, "--primitive")).transpose()?;
    let sculpts = wanted.iter().flat_map(|wanted| wanted.files.iter().cloned());
    let files: Vec<PathBuf> = sculpts.chain(args.by_place.clone()).collect();
    args.write.spares(files.iter().map(PathBuf::as_path))?;
    let no_sides = |why: ShapeError| CliError::Usage(printable(&format!("--mirror: {why}")));
    let has_sides = args.mirror || !args.mirror_of.is_empty();
    let sides = has_sides.then(|| Sides::of(model, document.rest_bounds()).map_err(no_sides)).transpose()?;
    let context = JobContext::of_waiting();
    let mut shapes = args.shapes((model, at), wanted, sides.as_ref().filter(|_| args.mirror), &context)?;
    let named = match args.driver.is_empty() {
        true => None,
        false => Some(args.driver.iter().map(|joint| find_node(model, joint)).collect::<Result<Vec<_>, _>>()?),
    };
    let mut drivers = if shapes.is_empty() { Vec::new() } else { drivers(model, &shapes, named).map_err(refused)? };
    for (name, sides) in args.mirror_of.iter().filter_map(|name| Some((name, sides.as_ref()?))) {
        let (image, driver) = mirror_image(model, sides, name, &context).map_err(refused)?;
        drivers.push(ShapeDriver { driver, shapes: vec![shapes.len()] });
        shapes.push(image);
    }
    let made = add_shapes(model, &shapes, &drivers, &context).map_err(refused)?;
    let sheet = Sheet::of(&made.model);
    if !args.json {
        tell_current(&document, &sheet);
    }
    let saved = args.write.write(&stamps, &sheet, Recompression::None)?;
    print(&match args.json {
        true => report((&shapes, &drivers), &made, &done),
        false => text((&shapes, &drivers), &made, &done) + &written(&saved, &Restored::default()),
    })
}

/// Makes the error that a shape cannot be made.
fn refused(why: ShapeError) -> CliError {
    CliError::Usage(printable(&why.0))
}

/// Where the surface should be in a pose.
enum Surface {
    /// The vertices, in the scene, metres.
    Points(Vec<DVec3>),
    /// Where this method puts it.
    Method(MethodChoice),
    /// Where single vertices are put, with those around them.
    Vertices(VertexSculpt),
}

/// A shape that is asked for.
struct Wanted {
    name: String,
    pose: LocalPose,
    surface: Surface,
    /// The files that it was read from.
    files: Vec<PathBuf>,
}

/// Finds where the vertices of each primitive should be, or where `at` is given those of this one alone. Without a layout the vertices of a
/// sculpt are in the order of the file.
fn targets(
    model: &Model,
    (at, layout): (Option<PrimitiveId>, Option<&Layout>),
    wanted: &Wanted,
    method: Deformation<'_>,
) -> Result<Vec<Targets>, CliError> {
    match &wanted.surface {
        Surface::Vertices(vertices) => {
            let mut all = vertices.targets(model, &wanted.pose, method)?;
            all.retain(|((_, primitive), _)| at.is_none_or(|at| at == *primitive));
            Ok(all)
        }
        Surface::Points(points) => {
            let file = wanted.files.last().map(|file| file.display().to_string()).unwrap_or_default();
            let unfit = |why: LayoutError| {
                CliError::Usage(printable(&format!("{file}: {why} (--primitive says which primitive)")))
            };
            targets_of_mesh(model, &wanted.pose, (at, layout), points).map_err(unfit)
        }
        Surface::Method(choice) => {
            let mut deformation = Deformation::from(choice.method);
            if let Some(pass) = choice.pass {
                deformation = deformation.then(pass, &ParameterSettings::default());
            }
            let unknown = || CliError::Usage(format!("{} cannot be worked out for this model", choice.id()));
            targets_of_method(model, &wanted.pose, at, deformation, &JobContext::of_waiting()).ok_or_else(unknown)
        }
    }
}

impl SculptArgs {
    /// Returns whether shapes are to be made.
    fn makes_shapes(&self) -> bool {
        let others = [&self.sculpt, &self.from, &self.mirror_of];
        others.iter().any(|all| !all.is_empty()) || !self.vertices.by_pose().is_empty()
    }

    /// Returns the model with the morph targets that are left of those that it has, under their new names, and without drivers that do not fit
    /// where these are to go; `None` where all of it stays. Says what was done too.
    fn changed(&self, model: &Model) -> Result<(Option<Model>, Changed), CliError> {
        let (mut out, mut done): (Option<Model>, Changed) = Default::default();
        for text in &self.rename {
            let now = out.as_ref().unwrap_or(model);
            let has = |(old, _): &(&str, &str)| {
                let named = TargetName::read(now, old);
                matches!(named, TargetName::At(_))
                    || now.meshes.iter().any(|mesh| mesh.morph_names.iter().any(|name| name == old))
            };
            // A name may have the sign in it.
            let two = splits(text, '=').find(has).or_else(|| text.split_once('='));
            let (old, new) =
                two.ok_or_else(|| CliError::Usage(printable(&format!("--rename {text}: expected OLD=NEW"))))?;
            let old = TargetName::read(now, old);
            let renamed = rename_shape(now, &old, new).map_err(refused)?;
            done.renamed.push((Named::of(now, &old), new.to_owned()));
            out = Some(renamed);
        }
        if !self.remove.is_empty() {
            let now = out.as_ref().unwrap_or(model);
            let names: Vec<TargetName> = self.remove.iter().map(|text| TargetName::read(now, text)).collect();
            let less = remove_shapes(now, &names, &JobContext::of_waiting()).map_err(refused)?;
            done.removed = names.iter().map(|name| Named::of(now, name)).collect();
            out = Some(less);
        }
        if self.drop_drivers {
            let fitting = without_unfit_drivers(out.as_ref().unwrap_or(model)).map_err(refused)?;
            done.has_dropped = fitting.is_some();
            out = fitting.or(out);
        }
        Ok((out, done))
    }

    /// Takes all sculpts back through the skin, and with `sides` their mirror images.
    fn shapes(
        &self,
        (model, at): (&Model, Option<PrimitiveId>),
        all: Vec<Wanted>,
        sides: Option<&Sides>,
        context: &JobContext,
    ) -> Result<Vec<Shape>, CliError> {
        let method = MethodChoice::named(&self.method).unwrap_or_else(|| MethodChoice::of(METHODS[0])).method;
        let how = (Deformation::from(method), !self.no_normals);
        let layout = self.layout(model, at)?;
        let mut out: Vec<Shape> = Vec::new();
        for one in all {
            let targets = targets(model, (at, layout.as_ref()), &one, how.0)?;
            let dragged: Vec<_> = match &one.surface {
                Surface::Vertices(of) => of.vertices(model)?.iter().map(|vertex| (vertex.at, vertex.vertex)).collect(),
                _ => Vec::new(),
            };
            let images = sides.map(|sides| sides.images_of(&dragged)).unwrap_or_default();
            let mirrored = sides.and_then(|sides| sides.mirrored(model, &one.pose, &targets));
            let name = mirrored_name(&one.name).unwrap_or_else(|| format!("{} mirrored", one.name));
            let made = shape(model, (one.name, one.pose), &targets, how, context).map_err(refused)?;
            out.push(Shape { dragged, ..made });
            if let Some((pose, targets)) = mirrored {
                let made = shape(model, (name, pose), &targets, how, context).map_err(refused)?;
                out.push(Shape { dragged: images, ..made });
            }
        }
        Ok(out)
    }

    /// Finds which vertices of the sculpts are those of the model, where that is asked for by place.
    fn layout(&self, model: &Model, at: Option<PrimitiveId>) -> Result<Option<Layout>, CliError> {
        let Some(file) = &self.by_place else { return Ok(None) };
        let rest = read_mesh(file, &self.write.open)?;
        let sheet = Sheet::of(model);
        let layout = Layout::by_place(model, at, &|at| table_of(&sheet.tables, at), &rest);
        layout.map(Some).map_err(|why| CliError::Usage(printable(&format!("--by-place {}: {why}", file.display()))))
    }

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
        for (pose, vertices) in self.vertices.by_pose() {
            let mut wanted = posed(model, kept, &pose)?;
            wanted.surface = Surface::Vertices(vertices);
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
    bring_in(model, kept, &mut pose);
    Ok(Wanted { name, pose, surface: Surface::Points(Vec::new()), files: file.into_iter().collect() })
}
