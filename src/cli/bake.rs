//! `skinscope bake`: writes the posed mesh to a file.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::clips::{ClipsArgs, paths};
use super::picture_args::AFTER_HELP;
use super::pose::PoseArgs;
use super::{CliError, ModelArgs, tell_warnings, unwritable};
use crate::export::{self, BakedPrimitive, MeshFormat, MissingNormals};
use crate::frame::{Frame, SceneColors};
use crate::output::{NewFile, overwritten, say};
use crate::render::{Backend, DeformedOnGpu, Gpu, deform_on_gpu, on_device};
use crate::session::Session;

/// Write the posed mesh in world space: .ply, .obj, .glb or .stl
///
/// Vertices stand in file order, primitives in depth-first node order of the shown scene. PLY is binary, little-endian,
/// with x y z nx ny nz. Where the file has no normals none are written (PLY has zeros beside others), so that other programs show flat
/// faces, or those of the triangles with --flat-normals. GLB has vertex colours, tangents and textures too; with --keep-skin it is no
/// frozen surface, but the model with the pose as its new rest pose.
#[derive(Debug, Args)]
#[command(after_long_help = AFTER_HELP)]
#[command(mut_arg("model", super::or_session))]
pub(super) struct BakeArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Write the mesh into this file; its ending says the format
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    pose: PoseArgs,
    #[command(flatten)]
    clips: ClipsArgs,
    /// Keep nodes, skins and morph targets in a GLB, with the pose as its new rest pose; clips are left out
    #[arg(long)]
    keep_skin: bool,
    /// Where the file has no normals, write those of the triangles, each of which has three vertices of its own then
    #[arg(long)]
    flat_normals: bool,
    /// Let the vertices be deformed by this processor
    #[arg(long, value_enum, default_value = "cpu")]
    backend: Deformer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Deformer {
    /// The reference on the CPU
    Cpu,
    /// The vertex shader's own function, run as a compute shader
    Gpu,
}

pub(super) fn run(args: &BakeArgs) -> Result<(), CliError> {
    let Some(format) = MeshFormat::of(&args.output) else {
        let name = args.output.display();
        return Err(CliError::Usage(format!("{name}: its name must end in .ply, .obj, .glb or .stl")));
    };
    if args.keep_skin && args.backend == Deformer::Gpu {
        return Err(CliError::Usage("--keep-skin deforms no vertex, so that --backend says nothing".into()));
    }
    if args.keep_skin && args.pose.has_method() {
        return Err(CliError::Usage("--keep-skin deforms no vertex, so that no method is used".into()));
    }
    if args.keep_skin && args.flat_normals {
        return Err(CliError::Usage(
            "--keep-skin keeps the vertices of the file, so that --flat-normals says nothing".into(),
        ));
    }
    if args.keep_skin && format != MeshFormat::Glb {
        return Err(CliError::Usage(format!("{}: only .glb can keep a skin", args.output.display())));
    }
    let mut opened = args.model.load_with_session(None)?;
    tell_warnings(&opened.document);
    let others = args.clips.add(&mut opened, &args.model.open, args.pose.file(), Some(&args.output))?;
    overwritten(&args.output, opened.files().chain(args.pose.file()).chain(paths(&others)))?;
    let session = args.pose.session(opened)?;
    if args.keep_skin {
        return keep_skin(&args.output, &session).map_err(|e| unwritable(&args.output, e));
    }
    let missing = if args.flat_normals { MissingNormals::Flat } else { MissingNormals::None };
    let surface = missing.apply(pose(args, &session)?);
    if let Some(lacks) = session.model().and_then(|model| format.lacks(model, session.pose().shift)) {
        say(format_args!("warning: {}: {lacks}", args.output.display()));
    }
    write(&args.output, format, &session, &surface).map_err(|e| unwritable(&args.output, e))
}

fn pose(args: &BakeArgs, session: &Session) -> Result<Vec<BakedPrimitive>, CliError> {
    let Some(model) = session.model() else { return Ok(Vec::new()) };
    let shift = session.pose().shift;
    if args.backend == Deformer::Cpu {
        return Ok(session
            .surfaces()
            .surface()
            .map_or_else(Vec::new, |surface| export::baked_primitives(model, shift, &surface)));
    }
    let deformation = session.deforming().deformation();
    if let Some(why) = deformation.needs_processor() {
        let what = deformation.pass.map_or(deformation.method.label, |applied| applied.pass.label);
        return Err(CliError::Usage(format!("{what} is not for --backend gpu: {why}")));
    }
    let mut frame = Frame::default();
    session.build_frame(&mut frame, &SceneColors::DARK);
    let open = || Gpu::headless(Backend::Auto);
    let surface = on_device(None, open, |gpu, renderer| deform_on_gpu(gpu, renderer, &frame))?;
    let baked = |d: &DeformedOnGpu| {
        let parts = export::baked_primitive(model, shift, (d.instance, d.copy), d.primitive, &d.deformed);
        parts.into_iter().map(|part| ((d.instance, d.copy, part.primitive), part)).collect::<Vec<_>>()
    };
    let mut parts: Vec<_> = surface.iter().flat_map(baked).collect();
    parts.sort_by_key(|(at, _)| *at);
    Ok(parts.into_iter().map(|(_, part)| part).collect())
}

fn keep_skin(path: &Path, session: &Session) -> std::io::Result<()> {
    let Some(model) = session.model() else { return Ok(()) };
    let mut out = NewFile::create(path)?;
    export::write_skinned_glb(model, session.view().scene, &session.pose().local, &mut out)?;
    out.commit()
}

fn write(path: &Path, format: MeshFormat, session: &Session, surface: &[BakedPrimitive]) -> std::io::Result<()> {
    let Some(model) = session.model() else { return Ok(()) };
    let mut out = NewFile::create(path)?;
    format.write(model, surface, &mut out)?;
    out.commit()
}
