//! `skinscope render`: draws a picture without a window.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use glam::{Vec2, Vec3};
use serde_json::{Value, json};

use super::camera::{find_camera, look_at, parse_fov, planes};
use super::look::LookArgs;
use super::pose::PoseArgs;
use super::skeleton::SkeletonArgs;
use super::{
    AFTER_HELP, CliError, ModelArgs, bytes_of, compare_with, crowd_sizes, other_file, parse_backend, parse_palette,
    parse_point, parse_side, parse_size, print, printable, tell_warnings, unwritable,
};
use crate::deform::{Deformer, PaletteBuffer, PaletteFit};
use crate::export::picture::encode_png;
use crate::frame::{Background, Frame, SceneColors};
use crate::math::{Aabb, Projection};
use crate::model::{BlockFormats, Model};
use crate::output::{self, overwritten, overwritten_by_stdout, say};
use crate::render::{Backend, Gpu, GpuError, Renderer, SAMPLES, on_device, render_rows};
use crate::session::{
    CameraCommand, ComparisonCommand, ComparisonLayout, FOV_Y, Lighting, MethodChoice, Session, SideWeights, Toggle,
    ViewCommand, ViewFrom,
};

/// Draw a picture of the posed model, without a display
///
/// Only the model is drawn unless asked: no grid, ground, shadow or skeleton. The camera frames the deformed model;
/// --eye looks from a place of your own. Up is +Y, and near and far planes fit by themselves.
///
/// With --json one line is printed once the picture is written: schema (1), file, size [width, height], samples (of a pixel),
/// device {name, type (discrete, integrated, virtual, cpu, other), backend}, palette {asked, used (uniform or storage: the kind of
/// buffer that joint matrices were read from), why, matrices, bytes_per_matrix, bytes, uniform {bytes, matrices}, storage {bytes,
/// matrices} (what one buffer of this device holds)}, warnings [text].
#[derive(Debug, Args)]
#[command(after_long_help = after_help())]
pub(super) struct RenderArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Write the picture into this file (PNG)
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Draw a picture of this size, pixels
    #[arg(long, value_name = "WxH", value_parser = parse_size, default_value = "1280x720")]
    size: [u32; 2],
    #[command(flatten)]
    pose: PoseArgs,
    /// Look from this side; a glTF character faces the front (+Z)
    #[arg(long, value_enum, default_value_t = Side::Persp, conflicts_with = "eye")]
    view: Side,
    /// Look through a camera of the file, by exact name (its own, else its node's) or by number from 0
    #[arg(long, value_name = "NAME|N", allow_hyphen_values = true, conflicts_with_all = ["eye", "view"])]
    camera: Option<String>,
    /// Light the model by these lights; where those of the file are brighter than white can show, all are dimmed alike
    #[arg(long, value_enum, default_value = "studio")]
    lights: Lights,
    /// Look from this point (world, metres)
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true)]
    eye: Option<Vec3>,
    /// Look at this point (world, metres), with --eye; without it, at the middle of the model
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true, requires = "eye")]
    target: Option<Vec3>,
    /// See this vertical angle of view, degrees, with --eye [default: 31.5]
    #[arg(long, value_name = "DEG", allow_negative_numbers = true, value_parser = parse_fov, requires = "eye")]
    fov: Option<f32>,
    /// Compare with this method, which deforms the right side of the picture; METHOD+mush has delta mush after it
    #[arg(long, value_name = "METHOD", value_parser = parse_side)]
    compare: Option<String>,
    /// Compare with this file, which has the same nodes and vertices and is on the right side of the picture
    #[arg(long, value_name = "FILE", conflicts_with = "stored")]
    compare_file: Option<PathBuf>,
    /// Give this part of the width to the left side, with --compare or --compare-file [default: 0.5]
    #[arg(long, value_name = "0-1", value_parser = parse_part)]
    split: Option<f32>,
    /// Show each side in a half of the picture of its own, with --compare or --compare-file
    #[arg(long, conflicts_with = "split")]
    side_by_side: bool,
    #[command(flatten)]
    look: LookArgs,
    /// Draw with this material variant of the file (its name, or its number from 0)
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    variant: Option<String>,
    /// Bring into the picture what lies far outside of the model too (vertices that `check` calls stray-vertices)
    #[arg(long, conflicts_with_all = ["eye", "camera"])]
    frame_everything: bool,
    /// Show N of the model in a square, each at its own time of the clip; how many there may be depends on the model
    #[arg(long, value_name = "N", default_value = "1", value_parser = crowd_sizes())]
    crowd: u32,
    #[command(flatten)]
    skeleton: SkeletonArgs,
    /// Draw the edges of the triangles
    #[arg(long)]
    wireframe: bool,
    /// Take four samples of each pixel, which smooth edges, or one (off)
    #[arg(long, value_name = "4|off", value_parser = parse_samples, default_value = "4")]
    msaa: u32,
    /// Fill the background with this colour: #rrggbb, or transparent (straight alpha)
    #[arg(long, value_name = "COLOUR", value_parser = parse_background, default_value = "#2a2e37")]
    background: Background,
    /// Let the vertices be deformed by the vertex shader in each pass, or once for all passes by a compute shader or the processor; the
    /// picture is the same
    #[arg(long, value_name = "BY", value_parser = deformers(), default_value = "auto")]
    deform: String,
    /// Draw with this graphics interface; auto takes the first that there is
    #[arg(long, value_name = "auto|vulkan|gl", value_parser = parse_backend, default_value = "auto")]
    backend: Backend,
    /// Let shaders read joint matrices from this kind of buffer; those that do not fit into a uniform buffer are read from a storage buffer
    #[arg(long, value_name = "auto|uniform|storage", value_parser = parse_palette, default_value = "auto")]
    palette: PaletteBuffer,
    /// Print as JSON what drew the picture, and how
    #[arg(long)]
    json: bool,
    /// Compare the model with this file, which has the same vertices (such as the model before `fix`), for --overlay changed and
    /// changed-surface
    #[arg(long, value_name = "ORIGINAL")]
    stored: Option<PathBuf>,
    /// Use this much memory for textures, MiB; textures that need more are drawn smaller [default: 4096 with a graphics card's own memory, else 1024]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
    texture_memory: Option<u32>,
}

fn deformers() -> PossibleValuesParser {
    PossibleValuesParser::new(Deformer::ALL.map(|by| PossibleValue::new(by.id()).help(by.help())))
}

fn after_help() -> String {
    let examples = [
        "skinscope render character.glb -o picture.png --clip Walk --time 0.5",
        "skinscope render character.glb -o weights.png --heatmap Head --skeleton --view front",
        "skinscope render character.glb -o limits.png --overlay alarms --limit 4 --background transparent",
    ];
    format!("{AFTER_HELP}\n\nExamples:\n  {}", examples.join("\n  "))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Side {
    /// From +Z, which a character faces
    Front,
    /// From −Z
    Back,
    /// From −X
    Left,
    /// From +X
    Right,
    /// From +Y
    Top,
    /// From the front, a little to the side and above
    Persp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Lights {
    /// A studio that turns with the camera
    Studio,
    /// The lights of the file alone
    File,
    /// Both together
    Both,
}

pub(super) fn run(args: &RenderArgs) -> Result<(), CliError> {
    let kind = args.output.extension().map(|e| e.to_ascii_lowercase());
    if kind.as_deref() != Some("png".as_ref()) {
        return Err(CliError::Usage(format!("{}: pictures are written as .png", args.output.display())));
    }
    let (held, backend, memory) = (Arc::new(OnceLock::new()), args.backend, bytes_of(args.texture_memory));
    let open = move || Ok(Gpu::headless(backend)?.with_texture_memory(memory));
    // The device starts while the file is read. The program waits for it in any case: a driver that is still starting
    // when the program ends may hang it.
    std::thread::scope(|scope| {
        scope.spawn(|| _ = held.get_or_init(open));
        draw(args, &held, open)
    })
}

/// Reads the file of `--stored`, which the overlays *Changed weights* and *Changed surface* compare the model with, or that of
/// `--compare-file`, which is the other side.
fn compare(args: &RenderArgs, session: &mut Session) -> Result<(), CliError> {
    let is_compared = args.compare.is_some() || args.compare_file.is_some();
    if (args.split.is_some() || args.side_by_side) && !is_compared {
        let why = "--split and --side-by-side say how two sides share the picture; say --compare or --compare-file too";
        return Err(CliError::Usage(why.into()));
    }
    let Some(path) = args.stored.as_ref().or(args.compare_file.as_ref()) else { return Ok(()) };
    let other = other_file(path, &args.model.open)?;
    overwritten(&args.output, other.files())?;
    if args.json {
        overwritten_by_stdout(other.files())?;
    }
    compare_with(session, path, &other)?;
    if args.compare_file.is_some() {
        let choice = session.view().choice();
        session.apply(ComparisonCommand::Set(true));
        session.apply(ComparisonCommand::SetMethod(choice.method.id));
        session.apply(ComparisonCommand::SetWeights(SideWeights::Stored));
    }
    Ok(())
}

type SharedGpu = Arc<OnceLock<Result<Gpu, GpuError>>>;

/// Draws with the device in `held`, or one that `open` returns.
fn draw(
    args: &RenderArgs,
    held: &SharedGpu,
    open: impl Fn() -> Result<Gpu, GpuError> + Copy + Send + Sync + 'static,
) -> Result<(), CliError> {
    let for_import = Arc::clone(held);
    let formats =
        move || for_import.get_or_init(open).as_ref().map_or_else(|_| BlockFormats::default(), Gpu::block_formats);
    let opened = args.model.load_kept(Some(Arc::new(formats)))?;
    overwritten(&args.output, opened.files().chain(args.pose.file()))?;
    if args.json {
        overwritten_by_stdout(opened.files().chain(args.pose.file()))?;
    }
    tell_warnings(&opened.document);
    let is_kept = opened.kept.is_some();
    let mut session = args.pose.session(opened)?;
    compare(args, &mut session)?;
    let frame = describe(args, is_kept, &mut session)?;
    let gpu = held.get_or_init(open).as_ref().map_err(Clone::clone)?;
    let draw = |gpu: &Gpu, renderer: &mut Renderer| {
        renderer.set_samples(args.msaa);
        let png = encode_png(args.size, |take| render_rows(gpu, renderer, &frame, args.size, take))?;
        Ok((png, renderer.notices().to_vec(), Renderer::palette_fit(gpu, &frame), device(gpu)))
    };
    let (png, mut notices, fit, device) = on_device(Some(gpu), open, draw)?;
    if fit.asked == PaletteBuffer::Uniform && !fit.is_uniform() {
        notices.push(format!("joint matrices are read from a storage buffer: {}", fit.why()));
    }
    notices.iter().for_each(|notice| say(format_args!("warning: {notice}")));
    let png = png.map_err(|error| unwritable(&args.output, error))?;
    output::write(&args.output, &png).map_err(|error| unwritable(&args.output, error))?;
    if !args.json {
        return Ok(());
    }
    let report = json!({
        "schema": 1,
        "file": args.output,
        "size": args.size,
        "samples": args.msaa,
        "device": device,
        "palette": palette(&fit),
        "warnings": notices,
    });
    print(&format!("{report}\n"))
}

/// Describes the device that drew.
fn device(gpu: &Gpu) -> Value {
    let kind = match gpu.info.device_type {
        wgpu::DeviceType::DiscreteGpu => "discrete",
        wgpu::DeviceType::IntegratedGpu => "integrated",
        wgpu::DeviceType::VirtualGpu => "virtual",
        wgpu::DeviceType::Cpu => "cpu",
        wgpu::DeviceType::Other => "other",
    };
    json!({ "name": gpu.info.name, "type": kind, "backend": gpu.info.backend.to_str() })
}

/// Describes the buffer that the palette was read from, and what others would hold.
fn palette(fit: &PaletteFit) -> Value {
    json!({
        "asked": fit.asked.id(),
        "used": fit.used(),
        "why": fit.why(),
        "matrices": fit.joints,
        "bytes_per_matrix": fit.joint_bytes,
        "bytes": fit.bytes(),
        "uniform": { "bytes": fit.limits.uniform, "matrices": fit.most_in_uniform() },
        "storage": { "bytes": fit.limits.storage, "matrices": fit.most_in_storage() },
    })
}

/// Returns the session's frame, with the camera and the overlays of the arguments and nothing else; where a session file was opened
/// (`is_kept`), with all that it keeps but for what the arguments say.
fn describe(args: &RenderArgs, is_kept: bool, session: &mut Session) -> Result<Frame, CliError> {
    args.look.apply(session)?;
    // A file without a mesh is shown by its skeleton.
    let is_bare = session.model().is_some_and(|m| m.instances.is_empty());
    let bones = args.skeleton.skeleton || is_bare || is_kept && session.view().is_on(Toggle::Bones);
    session.apply(ViewCommand::Set(Toggle::Bones, bones));
    args.skeleton.apply(session)?;
    let bones_too = if bones { session.skeleton_bounds() } else { Aabb::EMPTY };
    if args.crowd > 1 {
        session.apply(ViewCommand::SetCrowd(args.crowd));
    }
    if let Some(why) = session.crowd_refusal() {
        return Err(CliError::Usage(why));
    }
    let framed = if args.frame_everything { session.whole_bounds() } else { session.posed_bounds() };
    let bounds = framed.union(bones_too);
    let deformer = Deformer::ALL.into_iter().find(|by| by.id() == args.deform);
    session.apply(ViewCommand::SetDeformer(deformer.unwrap_or_default()));
    let model = session.model().cloned();
    let keeps = |layer, session: &Session| is_kept && session.view().is_on(layer);
    let layers = [(Toggle::Grid, keeps(Toggle::Grid, session)), (Toggle::Wireframe, keeps(Toggle::Wireframe, session))];
    for (layer, on) in layers {
        session.apply(ViewCommand::Set(layer, on || layer == Toggle::Wireframe && args.wireframe));
    }
    if let (Some(name), Some(model)) = (&args.variant, &model) {
        session.apply(ViewCommand::SetVariant(Some(find_variant(model, name)?)));
    }
    let side = match args.view {
        Side::Front => Some(ViewFrom::Front),
        Side::Back => Some(ViewFrom::Back),
        Side::Left => Some(ViewFrom::Left),
        Side::Right => Some(ViewFrom::Right),
        Side::Top => Some(ViewFrom::Top),
        // This is the side from which a file is seen when it is opened.
        Side::Persp => None,
    };
    if let Some(side) = side {
        session.apply(CameraCommand::LookFrom(side));
    }
    let [width, height] = args.size.map(|side| side as f32);
    let halved = args.side_by_side || session.comparison().is_some_and(|c| c.layout == ComparisonLayout::SideBySide);
    session.apply(CameraCommand::SetViewport(Vec2::new(if halved { 0.5 * width } else { width }, height)));
    let keeps_camera = is_kept && side.is_none() && !args.frame_everything;
    if !keeps_camera {
        session.apply(CameraCommand::FrameBox(bounds));
    }
    if !is_kept || args.lights != Lights::Studio {
        light(args.lights, session)?;
    }
    session.apply(ViewCommand::SetPaletteBuffer(args.palette));
    if let Some(name) = &args.camera {
        let camera = find_camera(session, name)?;
        session.apply(CameraCommand::SetCamera(Some(camera)));
    }
    if let Some(side) = args.compare.as_deref().and_then(MethodChoice::named) {
        session.apply(ComparisonCommand::Set(true));
        session.apply(ComparisonCommand::SetMethod(side.method.id));
        if let Some(pass) = side.pass {
            // Named for the right side, it is that side's alone.
            session.apply(ViewCommand::SetPass(None));
            session.apply(ComparisonCommand::SetPass(Some(pass.id)));
        }
    }
    if session.comparison().is_some() {
        let layout = match args.side_by_side {
            true => Some(ComparisonLayout::SideBySide),
            false => Some(ComparisonLayout::Split).filter(|_| !is_kept || args.split.is_some()),
        };
        session
            .apply(ComparisonCommand::SetLayout(layout.or(session.comparison().map(|c| c.layout)).unwrap_or_default()));
        let split = args.split.or(Some(0.5).filter(|_| !is_kept));
        split.map(|split| session.apply(ComparisonCommand::SetSplit(split)));
        session.prepare();
    }
    let mut frame = Frame::default();
    frame.build(session, &SceneColors::DARK);
    frame.display.background = args.background;
    if let Some(eye) = args.eye {
        frame.camera.world_from_view = look_at(eye, args.target.unwrap_or(bounds.center()))?;
        frame.camera.projection = Projection::Perspective { fov_y: args.fov.map_or(FOV_Y, f32::to_radians) };
    }
    // The planes of a session's own camera hold its grid too.
    if args.eye.is_some() || !is_kept && args.camera.is_none() {
        // The target is always seen, even if it is far outside.
        let target = args.target.map_or(Aabb::EMPTY, |target| Aabb::from_points([target]));
        (frame.camera.near, frame.camera.far) = planes(frame.camera.world_from_view, bounds.union(target));
    }
    if let Some(other) = frame.compared.as_deref_mut() {
        (other.frame.camera, other.frame.display.background) = (frame.camera, frame.display.background);
        let [width, height] = args.size.map(|side| side as f32);
        frame.add_divider(width / height, DIVIDER * (height / 720.0).max(1.0), DIVIDER_COLOR);
    }
    Ok(frame)
}

/// Finds a variant by name. A number that is no variant's name is an index in the list.
fn find_variant(model: &Model, name: &str) -> Result<usize, CliError> {
    let named = model.variants.iter().position(|v| v == name);
    let numbered = || name.parse().ok().filter(|v| *v < model.variants.len());
    named.or_else(numbered).ok_or_else(|| {
        let known = match model.variants.as_slice() {
            [] => "the file has no variants".to_owned(),
            all => format!("variants: {}", all.join(", ")),
        };
        CliError::Usage(printable(&format!("there is no variant \"{name}\"; {known}")))
    })
}

fn light(lights: Lights, session: &mut Session) -> Result<(), CliError> {
    if lights != Lights::Studio && !session.has_lights() {
        return Err(CliError::Usage("the file has no lights; leave --lights away, or say --lights studio".into()));
    }
    session.apply(ViewCommand::SetLighting(match lights {
        Lights::Studio => Lighting::Studio,
        Lights::File => Lighting::File,
        Lights::Both => Lighting::Both,
    }));
    Ok(())
}

/// The line between two sides: its width in pixels of a picture 720 high, and its colour.
const DIVIDER: f32 = 2.0;
const DIVIDER_COLOR: [f32; 4] = [1.0, 1.0, 1.0, 0.9];

fn parse_part(text: &str) -> Result<f32, String> {
    text.parse()
        .ok()
        .filter(|part| (0.0..=1.0).contains(part))
        .ok_or_else(|| "expected a part of the width, 0 to 1".into())
}

fn parse_samples(text: &str) -> Result<u32, String> {
    match text {
        "4" => Ok(SAMPLES),
        "off" => Ok(1),
        _ => Err("expected 4 or off".into()),
    }
}

fn parse_background(text: &str) -> Result<Background, String> {
    if text.eq_ignore_ascii_case("transparent") {
        return Ok(Background::Transparent);
    }
    let hex = text.strip_prefix('#').filter(|h| h.len() == 6 && h.is_ascii());
    let channel = |i: usize| hex.and_then(|h| u8::from_str_radix(&h[i..i + 2], 16).ok()).map(|v| f32::from(v) / 255.0);
    match (channel(0), channel(2), channel(4)) {
        (Some(r), Some(g), Some(b)) => Ok(Background::Solid([r, g, b])),
        _ => Err("expected #rrggbb or transparent".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_may_be_negative() {
        assert_eq!(parse_point("-1,2,3.5"), Ok(Vec3::new(-1.0, 2.0, 3.5)));
        assert!(parse_point("1,2").is_err() && parse_point("1,2,nan").is_err());
    }

    #[test]
    fn backgrounds_parse() {
        assert_eq!(parse_background("#ff0080"), Ok(Background::Solid([1.0, 0.0, 128.0 / 255.0])));
        assert_eq!(parse_background("transparent"), Ok(Background::Transparent));
        assert!(
            parse_background("#12345").is_err()
                && parse_background("#ä1234").is_err()
                && parse_background("red").is_err()
        );
    }

    #[test]
    fn a_camera_looks_at_its_target_from_anywhere() {
        for eye in [Vec3::new(-1.0, 2.0, 3.0), Vec3::new(0.0, 9.0, 0.0), Vec3::new(0.0, -9.0, 0.0)] {
            let m = look_at(eye, Vec3::ZERO).unwrap();
            assert!((m.matrix3.determinant() - 1.0).abs() < 1e-5);
            let seen = m.inverse().transform_point3(Vec3::ZERO);
            assert!((seen - Vec3::new(0.0, 0.0, -eye.length())).length() < 1e-4, "{seen}");
        }
        assert!(look_at(Vec3::X, Vec3::X).is_err());
    }

    #[test]
    fn planes_hold_the_box() {
        let bounds = Aabb { min: Vec3::NEG_ONE, max: Vec3::ONE };
        let (near, far) = planes(look_at(Vec3::new(0.0, 0.0, 10.0), Vec3::ZERO).unwrap(), bounds);
        assert!(near < 9.0 && near > 8.0 && far > 11.0 && far < 12.0);
        let (near, far) = planes(look_at(Vec3::new(0.0, 0.0, 0.5), Vec3::ZERO).unwrap(), bounds);
        assert!(near > 0.0 && near < 0.01 && far > 1.5);
    }
}
