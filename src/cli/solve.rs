//! `skinscope solve`: finds the weights that bring the surface nearest to example meshes, and writes them back into the file.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::fix_report::written;
use super::sculpts::{Sculpt, read_sculpts};
use super::solve_args::{SearchArgs, examples_text, put_examples, refused, remarks};
use super::solve_vertex::VertexArgs;
use super::write_args::WriteArgs;
use super::{CliError, print, printable};
use crate::edit::{ComparedExample, Sheet, SolvedExamples};
use crate::model::Model;
use crate::solve::{ExampleError, ExampleMesh, ExampleSet, MeshOrder, Solved};
use crate::writeback::Saved;

/// Find the weights that bring the posed surface nearest to example meshes
///
/// DIR has examples: NAME.pose.json with NAME.ply, NAME.obj or NAME.glb, the mesh that the surface should be in that pose, in the scene, metres.
/// The pose may be a moment of a clip: {"skinscope_pose": 1, "clip": "Walk", "time": 0.5}, the clip by its name or number.
/// A mesh has the vertices of one primitive in the order of the file, or those of everything that is shown, as `bake` writes them; with
/// --by-place in any order. Of all weights that are not negative and sum to 1, of at most N joints, those are taken that leave the least sum of
/// squares over all examples. Points of one place get the same weights. Only joints and weights change in the file, as by `fix`. In place of
/// examples --vertex says where one vertex should be, as a drag in the window does.
///
/// The JSON has the fields: schema (1), examples [{name, rms_before, rms_after, p95_before, p95_after, largest_before, largest_after}] (how far
/// the vertices are from where they should be, metres), hold_out (the same, of the examples that were not used), changed (vertices whose stored
/// joints or weights differ from those of MODEL), stuck (places that stay because of locked joints) and unproven (places whose choice of joints
/// is not proven to be the best). With --vertex it has: schema (1), pins [{pose, away (how far the vertex is from there, metres), outside (how far
/// its joints can take it from there, metres)}] and changed.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct SolveArgs {
    #[command(flatten)]
    write: WriteArgs,
    /// Take the examples of this folder
    #[arg(long, value_name = "DIR", allow_hyphen_values = true, required_unless_present = "vertex")]
    poses: Option<PathBuf>,
    /// Match the vertices by where they are in the example whose pose is the rest pose; the others have its order
    #[arg(long)]
    by_place: bool,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    vertices: VertexArgs,
    /// Keep this example aside: it is told, and not used; may be given several times
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    hold_out: Vec<String>,
    /// Print JSON, and nothing else, to standard output
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "Files are written whole or not at all, and never over one that was read.\n\n\
    Exit codes: 0 all went well, 1 the model, a pose file or a mesh is bad, 2 wrong usage, examples that do not fit the model, or no \
    place to write to.\n\n\
    Examples:\n  skinscope solve character.glb --poses sculpts -o solved.glb\n  \
    skinscope solve character.glb --poses scans --by-place --joints all --hold-out Crouch -o solved.glb\n  \
    skinscope solve character.glb --vertex 0,0,120=0.5,1.3,0.1@elbow.pose.json --radius 0.1 -o solved.glb";

pub(super) fn run(args: &SolveArgs) -> Result<(), CliError> {
    let Some(poses) = &args.poses else { return args.vertices.run(&args.write, &args.search, args.json) };
    let (document, stamps) = args.write.open_model()?;
    let model: &Model = document.stored();
    let mut sheet = Sheet::of(model);
    let sculpts = read_sculpts(poses, model, &args.write.open)?;
    args.write.spares(sculpts.iter().flat_map(|sculpt| sculpt.files.iter().map(PathBuf::as_path)))?;
    let examples = args.examples(&sculpts)?;
    let set = args.set(model, &sheet, (&sculpts, &examples))?;
    let search = args.search.begin(&mut sheet)?;
    let found = SolvedExamples::find(&mut sheet, (&examples, &set), &search).map_err(refused)?;
    // Nothing cancels it.
    let SolvedExamples { examples: told, solved } = found.unwrap_or_default();
    let (saved, restored) = args.write.write_weights((&document, &stamps), &sheet, args.json)?;
    print(&match args.json {
        true => report(&told, &solved, &saved),
        false => examples_text(&told) + &remarks(&solved) + &written(&saved, &restored),
    })
}

impl SolveArgs {
    /// Returns the examples, of which some are kept aside.
    fn examples(&self, sculpts: &[Sculpt]) -> Result<Vec<ExampleMesh>, CliError> {
        if let Some(name) = self.hold_out.iter().find(|name| !sculpts.iter().any(|sculpt| sculpt.mesh.name == **name)) {
            let why = format!("--hold-out: there is no example “{name}”");
            return Err(CliError::Usage(printable(&why)));
        }
        let example = |sculpt: &Sculpt| {
            let is_held_out = self.hold_out.contains(&sculpt.mesh.name);
            ExampleMesh { is_held_out, ..sculpt.mesh.clone() }
        };
        Ok(sculpts.iter().map(example).collect())
    }

    /// Finds the vertices of the model in the meshes.
    fn set<'m>(
        &self,
        model: &'m Model,
        sheet: &Sheet,
        (sculpts, examples): (&[Sculpt], &[ExampleMesh]),
    ) -> Result<ExampleSet<'m>, CliError> {
        let order = MeshOrder { primitive: self.search.primitive(model)?, by_place: self.by_place };
        let wrong = |why: ExampleError| match why {
            ExampleError::NoneLeft => "--hold-out: no example is left to solve from".to_owned(),
            ExampleError::NoRest => {
                "--by-place: no example has the rest pose, in which the places are compared".to_owned()
            }
            ExampleError::OtherPose(example) => {
                format!("{}: the pose is one of another model", sculpts[example].files[0].display())
            }
            ExampleError::Unfit { mesh, why } => {
                format!("{}: {why} (--primitive says which primitive)", sculpts[mesh].files[1].display())
            }
        };
        ExampleSet::new(model, &sheet.tables, examples, order).map_err(|why| CliError::Usage(printable(&wrong(why))))
    }
}

/// Returns what was done as JSON.
fn report(told: &[ComparedExample], solved: &Solved, saved: &Saved) -> String {
    let mut out = json!({
        "schema": 1,
        "changed": saved.changes.vertices,
        "stuck": solved.stuck,
        "unproven": solved.unproven,
    });
    put_examples(&mut out, told);
    format!("{out}\n")
}
