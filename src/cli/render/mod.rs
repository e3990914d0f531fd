//! `skinscope render`: draws pictures without a window.

mod film;
mod parse;
mod report;
mod scene;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use glam::DVec3;
use serde_json::json;

use self::film::FilmArgs;
use self::parse::{parse_background, parse_part, parse_samples};
use self::report::{device, names, palette};
use self::scene::Scene;
use super::beside::{self, BesideArgs};
use super::camera::parse_fov;
use super::clips::{ClipsArgs, paths};
use super::device_args::{DeviceArgs, TextureArgs};
use super::example::ExampleArgs;
use super::left_file::read_left;
use super::line::ProgressLine;
use super::look::LookArgs;
use super::picture_args::{AFTER_HELP, crowd_sizes, parse_size};
use super::pose::PoseArgs;
use super::skeleton::SkeletonArgs;
use super::subdivide::levels;
use super::{CliError, ModelArgs, compare_with, other_file, parse_point, parse_side, print, tell_warnings, unwritable};
use crate::app::ui::NameCount;
use crate::app::{MOST_SUPERSAMPLING, PicturePainter, PictureStyle};
use crate::deform::{Deformer, PaletteBuffer, PaletteFit};
use crate::export::film::Film;
use crate::export::picture::encode_png;
use crate::film::{FilmError, Reel, Target, check, record};
use crate::frame::Background;
use crate::model::BlockFormats;
use crate::output::{self, overwritten, overwritten_by_stdout, say};
use crate::render::{Gpu, GpuError, Renderer, on_device, render_rows};
use crate::session::frame::shown_bounds;
use crate::session::{ComparisonCommand, PlaybackCommand, Session, SideWeights, Toggle, ViewCommand};

/// Draw a picture of the posed model, or a film, without a display
///
/// Only the model is drawn unless asked: no grid, ground, shadow or skeleton. The camera frames the deformed model, with
/// --clip all that it fills from the start of the clip to its end, so that all pictures of a clip have one camera; --eye looks
/// from a place of your own. Up is +Y, and near and far planes fit by themselves.
///
/// With --frames, --whole-clip or --turntable a film is drawn, which goes on for ever: NAME.gif (256 colours a picture), .webp and .apng
/// (lossless), .mp4 and .webm (by ffmpeg, where it is installed), or frames/%04d.png, a picture each: picture n is that of --time with
/// n / --fps. A turntable frames all that the model fills while it turns. A film appears whole or not at all.
///
/// With --json one line is printed once the picture is written: schema (1), file, size [width, height], samples (of a pixel),
/// device {name, type (discrete, integrated, virtual, cpu, other), backend}, palette {asked, used (uniform or storage: the kind of
/// buffer that joint matrices were read from), why, matrices, bytes_per_matrix, bytes, uniform {bytes, matrices}, storage {bytes,
/// matrices} (what one buffer of this device holds)}, names {shown, all} (of joints, in the last picture; null without --names), warnings
/// [text]; of a film also film {format, pictures, first (its number),
/// fps, seconds, turntable (degrees or null)}.
#[derive(Debug, Args)]
#[command(after_long_help = after_help())]
#[command(mut_arg("model", super::or_session))]
pub(super) struct RenderArgs {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    example: ExampleArgs,
    /// Write the picture into this file (.png), or the film (.gif, .webp, .apng, .mp4, .webm, or frames/%04d.png)
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Draw a picture of this size, pixels; 1080p is 1920x1080, 4k is 3840x2160
    #[arg(long, value_name = "WxH", value_parser = parse_size, default_value = "1280x720")]
    size: [u32; 2],
    #[command(flatten)]
    pose: PoseArgs,
    #[command(flatten)]
    film: FilmArgs,
    #[command(flatten)]
    clips: ClipsArgs,
    /// Look from this side; a character faces the front [default: persp]
    #[arg(long, value_enum, conflicts_with = "eye")]
    view: Option<Side>,
    /// Look through a camera of the file, by exact name (its own, else its node's) or by number from 0
    #[arg(long, value_name = "NAME|N", allow_hyphen_values = true, conflicts_with_all = ["eye", "view"])]
    camera: Option<String>,
    /// Light the model by these lights; where those of the file are brighter than white can show, all are dimmed alike [default: studio]
    #[arg(long, value_enum)]
    lights: Option<Lights>,
    /// Look from this point (world, metres)
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true)]
    eye: Option<DVec3>,
    /// Look at this point (world, metres), with --eye; without it, at the middle of the model
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true, requires = "eye")]
    target: Option<DVec3>,
    /// See this vertical angle of view, degrees, with --eye [default: 31.5]
    #[arg(long, value_name = "DEG", allow_negative_numbers = true, value_parser = parse_fov, requires = "eye")]
    fov: Option<f32>,
    /// Draw in parallel projection; what the camera looks at is as large as it is in perspective
    #[arg(long, conflicts_with = "camera")]
    ortho: bool,
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
    /// Leave out the names of the two sides at the lower edge, with --compare or --compare-file, or of the two models, with --beside
    #[arg(long)]
    no_side_names: bool,
    /// Subdivide the posed surface so often (Loop), 1 to 3: the model is the cage, which is skinned first
    #[arg(long, value_name = "LEVELS", value_parser = levels(), conflicts_with_all = ["compare", "compare_file", "beside", "crowd"])]
    subdivide: Option<u32>,
    /// Subdivide the model at rest, with its weights, and skin it after, with --subdivide
    #[arg(long, requires = "subdivide")]
    subdivide_first: bool,
    #[command(flatten)]
    beside: BesideArgs,
    #[command(flatten)]
    look: LookArgs,
    /// Draw with this material variant of the file (its name, or its number from 0)
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    variant: Option<String>,
    /// Bring into the picture what lies far outside of the model too (vertices that `check` calls stray-vertices)
    #[arg(long, conflicts_with_all = ["eye", "camera"])]
    frame_everything: bool,
    /// Bring this joint into the picture, with what it moves and some of what is around it (its name, or `#12`, its index in the file)
    #[arg(long, value_name = "JOINT", allow_hyphen_values = true, conflicts_with_all = ["eye", "camera", "frame_everything"])]
    frame_joint: Option<String>,
    /// Show N of the model in a square, each at its own time of the clip; how many there may be depends on the model [default: 1]
    #[arg(long, value_name = "N", value_parser = crowd_sizes())]
    crowd: Option<u32>,
    #[command(flatten)]
    skeleton: SkeletonArgs,
    /// Take four samples of each pixel, which smooth edges, or one (off)
    #[arg(long, value_name = "4|off", value_parser = parse_samples, default_value = "4")]
    msaa: u32,
    /// Draw this many times as wide and high, 1 to 4, and take the mean of the pixels; the picture has the size of --size
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_SUPERSAMPLING)))]
    supersample: u32,
    /// Paint the legend of the overlay into the lower left corner
    #[arg(long)]
    legend: bool,
    /// Write the page of the example beside the picture, in the right part of --size, with its formulas and their numbers
    #[arg(long, requires = "example")]
    page: bool,
    /// Draw the model alone, also where a session file or an example shows more; what other options name is drawn
    #[arg(long)]
    clean: bool,
    /// Leave out the letters and words that an example writes into its picture
    #[arg(long, requires = "example")]
    no_words: bool,
    /// Fill the background with this colour: #rrggbb, or transparent (straight alpha)
    #[arg(long, value_name = "COLOUR", value_parser = parse_background, default_value = "#2a2e37")]
    background: Background,
    /// Let the vertices be deformed by the vertex shader in each pass, or once for all passes by a compute shader or the processor; the
    /// picture is the same
    #[arg(long, value_name = "BY", value_parser = deformers(), default_value = "auto")]
    deform: String,
    #[command(flatten)]
    device: DeviceArgs,
    /// Print as JSON what drew the picture, and how
    #[arg(long)]
    json: bool,
    /// Compare the model with this file, which has the same vertices (such as the model before `fix`), for --overlay changed and
    /// changed-surface
    #[arg(long, value_name = "ORIGINAL")]
    stored: Option<PathBuf>,
    /// Take how far the weights leave each vertex from a method from this file of `bake-weights --left`, for --overlay bake-left and
    /// bake-left-largest
    #[arg(long, value_name = "FILE", allow_hyphen_values = true)]
    left: Option<PathBuf>,
    #[command(flatten)]
    textures: TextureArgs,
}

impl RenderArgs {
    /// Returns how pictures of `session` are drawn.
    fn style(&self, session: &Session) -> PictureStyle {
        let Self { size, supersample: supersampling, legend, page, no_words, .. } = *self;
        let words = self.example.is_given() && !no_words && !self.clean;
        let names = self.look.toggles.has(Toggle::Names);
        let light = self.is_light();
        let sides = !self.no_side_names && session.deforming().comparison().is_some();
        let models = !self.no_side_names && session.beside().is_some();
        PictureStyle { size, supersampling, legend, sides, models, names, words, page, light, letters: None }
    }

    /// Returns whether the background is nearer to the light theme than to the dark one. Floor, bones and the plates of texts are of that.
    fn is_light(&self) -> bool {
        matches!(self.background, Background::Solid(color) if color.iter().sum::<f32>() > 1.5)
    }

    fn is_transparent(&self) -> bool {
        self.background == Background::Transparent
    }
}

/// The largest side of what is drawn, pixels.
const MOST_PIXELS: u32 = 8192;

fn deformers() -> PossibleValuesParser {
    PossibleValuesParser::new(Deformer::ALL.map(|by| PossibleValue::new(by.id()).help(by.help())))
}

fn after_help() -> String {
    let examples = [
        "skinscope render character.glb -o picture.png --clip Walk --time 0.5",
        "skinscope render character.glb -o weights.png --heatmap Head --skeleton --view front",
        "skinscope render character.glb -o limits.png --overlay alarms --limit 4 --background transparent",
        "skinscope render character.glb -o walk.webp --clip Walk --whole-clip --size 480x640",
        "skinscope render old.glb -o both.png --beside new.glb --clip Walk --time 0.5",
        "skinscope render character.glb -o turn.gif --turntable --size 480x640",
    ];
    format!("{AFTER_HELP}\n\nExamples:\n  {}", examples.join("\n  "))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Side {
    /// From the side that a character faces: +Z, in VRM 0.x −Z
    Front,
    /// From behind
    Back,
    /// From the side that is left in the front view: −X, in VRM 0.x +X
    Left,
    /// From the side that is right in the front view: +X, in VRM 0.x −X
    Right,
    /// From above (+Y)
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
    let film = args.film.target(&args.output, args.pose.has_clip())?;
    if args.size.iter().any(|side| side * args.supersample > MOST_PIXELS) {
        let most = MOST_PIXELS / args.supersample;
        let why = format!("with --supersample {} a side of --size has {most} pixels at most", args.supersample);
        return Err(CliError::Usage(why));
    }
    match &film {
        Some(target) => check(target, args.size, args.film.fps(), args.is_transparent()).map_err(failed)?,
        None => {
            let kind = args.output.extension().map(|e| e.to_ascii_lowercase());
            if kind.as_deref() != Some("png".as_ref()) {
                let name = args.output.display();
                return Err(CliError::Usage(format!("{name}: pictures are written as .png; {}", Target::endings())));
            }
        }
    }
    let (shared_gpu, backend, memory) = (Arc::new(OnceLock::new()), args.device.backend, args.textures.bytes());
    let open = move || Ok(Gpu::headless(backend)?.with_texture_memory(memory));
    // The device starts while the file is read. The program waits for it in any case: a driver that is still starting
    // when the program ends may hang it.
    std::thread::scope(|scope| {
        scope.spawn(|| _ = shared_gpu.get_or_init(open));
        draw(args, film.as_ref(), &shared_gpu, open)
    })
}

/// Converts the error of a film to one of the command line.
fn failed(error: FilmError) -> CliError {
    match error {
        FilmError::Output { path, reason } => CliError::Output { path, reason },
        FilmError::Unfit(_) | FilmError::Cancelled => CliError::Usage(error.to_string()),
    }
}

/// Reads the file of `--stored`, which the overlays *Changed weights* and *Changed surface* compare the model with, or that of
/// `--compare-file`, which is the other side.
fn compare(
    args: &RenderArgs,
    session: &mut Session,
    spare: &dyn Fn(&Path) -> Result<(), CliError>,
) -> Result<(), CliError> {
    // An example or a session file may compare already.
    let is_compared =
        args.compare.is_some() || args.compare_file.is_some() || session.deforming().comparison().is_some();
    let names_models = args.no_side_names && args.beside.is_given();
    if (args.split.is_some() || args.side_by_side || args.no_side_names && !names_models) && !is_compared {
        let why = "--split, --side-by-side and --no-side-names say how two sides are shown; say --compare or --compare-file too";
        return Err(CliError::Usage(why.into()));
    }
    let Some(path) = args.stored.as_ref().or(args.compare_file.as_ref()) else { return Ok(()) };
    let other = other_file(path, &args.model.open)?;
    other.files().try_for_each(spare)?;
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

/// Reads the file of `--left`, which the overlays of what baking a method leaves show.
fn keep_left(
    args: &RenderArgs,
    session: &mut Session,
    spare: &dyn Fn(&Path) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let is_asked = args.look.overlay().is_some_and(|id| id.starts_with("bake-left"));
    let Some(path) = &args.left else {
        let why = "--overlay bake-left: --left FILE says what baking has left; bake-weights --left writes it";
        return if is_asked { Err(CliError::Usage(why.to_owned())) } else { Ok(()) };
    };
    spare(path)?;
    if args.json {
        overwritten_by_stdout([path.as_path()])?;
    }
    let Some(model) = session.model().map(Arc::clone) else { return Ok(()) };
    session.keep_left(read_left(path, &model)?);
    Ok(())
}

type SharedGpu = Arc<OnceLock<Result<Gpu, GpuError>>>;

/// Draws with the device in `shared_gpu`, or one that `open` returns.
fn draw(
    args: &RenderArgs,
    film: Option<&Target>,
    shared_gpu: &SharedGpu,
    open: impl Fn() -> Result<Gpu, GpuError> + Copy + Send + Sync + 'static,
) -> Result<(), CliError> {
    let for_import = Arc::clone(shared_gpu);
    let formats =
        move || for_import.get_or_init(open).as_ref().map_or_else(|_| BlockFormats::default(), Gpu::block_formats);
    let mut opened = match args.example.document(&args.model.open.options())? {
        Some(document) => document.into(),
        None => args.model.load_with_session(Some(Arc::new(formats)))?,
    };
    tell_warnings(&opened.document);
    let later = args.pose.file().into_iter().chain(args.compare_file.as_deref()).chain(args.stored.as_deref());
    let others = args.clips.add(&mut opened, &args.model.open, later, Some(&args.output))?;
    let read = opened.files().chain(args.pose.file()).chain(paths(&others));
    let files: Vec<PathBuf> = read.map(Path::to_owned).collect();
    if args.json {
        overwritten_by_stdout(files.iter().map(PathBuf::as_path))?;
    }
    let has_session_file = opened.session_file.is_some();
    let other = beside::of_session(&mut opened)?;
    let mut session = args.pose.session(opened)?;
    // An example has a look of its own, as a session file has.
    let has_own_look = has_session_file || session.lesson().is_some();
    if session.lesson().is_some() {
        session.apply(ViewCommand::Set(Toggle::Grid, false));
    }
    let reel = film.map(|_| args.film.reel(&session, args.pose.has_clip())).transpose()?;
    let outputs: Vec<PathBuf> = match film.zip(reel) {
        Some((target, reel)) => target.files(reel.first..reel.first + reel.count).collect(),
        None => vec![args.output.clone()],
    };
    let spare = |input: &Path| outputs.iter().try_for_each(|output| Ok(overwritten(output, [input])?));
    files.iter().try_for_each(|input| spare(input))?;
    compare(args, &mut session, &spare)?;
    keep_left(args, &mut session, &spare)?;
    if let Some(other) = other.filter(|_| !args.beside.is_given()) {
        beside::open_of_session(&mut session, other, &args.model.open, &spare)?;
    }
    args.beside.open(&mut session, &args.pose, &args.model.open, (&spare, args.json))?;
    let scene = Scene::prepare(args, has_own_look, &mut session, reel.as_ref())?;
    if let Some(note) = session.picking().tangents_note() {
        say(format_args!("{note}"));
    }
    if let Some(note) = session.picking().texel_density_note() {
        say(format_args!("{note}"));
    }
    shown_bounds(session.surfaces()).iter().for_each(|shown| say(format_args!("{}", shown.note())));
    let gpu = shared_gpu.get_or_init(open).as_ref().map_err(Clone::clone)?;
    let line = ProgressLine::new(Some(1));
    let drawn = on_device(Some(gpu), open, |gpu, renderer| {
        renderer.set_samples(args.msaa);
        let (written, fit, named) = match film.zip(reel) {
            Some((target, reel)) => draw_film(args, &scene, &mut session, (target, &reel), (gpu, renderer), &line)?,
            None => draw_picture(args, &scene, &session, (gpu, renderer))?,
        };
        Ok((written, fit, named, renderer.notices(), device(gpu)))
    });
    line.end(0);
    let (written, fit, named, mut notices, device) = drawn?;
    if fit.asked == PaletteBuffer::Uniform && !fit.is_uniform() {
        notices.push(format!("joint matrices are read from a storage buffer: {}", fit.why()));
    }
    notices.iter().for_each(|notice| say(format_args!("warning: {notice}")));
    if let Some(note) = named.and_then(NameCount::note) {
        say(format_args!("{note}"));
    }
    written?;
    if !args.json {
        return Ok(());
    }
    let mut report = json!({
        "schema": 1,
        "file": args.output,
        "size": args.size,
        "samples": args.msaa,
        "device": device,
        "palette": palette(&fit),
        "names": names(named),
        "warnings": notices,
    });
    if let Some((target, reel)) = film.zip(reel) {
        report["film"] = film::report(target, &reel);
    }
    print(&format!("{report}\n"))
}

/// Whether the output was written, or why not; the buffer that the device has read the palette from; and how many names the last picture has.
type Drawn = (Result<(), CliError>, PaletteFit, Option<NameCount>);

/// Draws and writes one picture.
fn draw_picture(
    args: &RenderArgs,
    scene: &Scene<'_>,
    session: &Session,
    (gpu, renderer): (&Gpu, &mut Renderer),
) -> Result<Drawn, GpuError> {
    let mut frame = scene.frame(session, 0.0);
    let mut painter = PicturePainter::new(gpu, args.style(session));
    // A plain picture is compressed while it is drawn.
    let png = if args.style(session).is_plain() {
        encode_png(args.size, |take| render_rows(gpu, renderer, &frame, args.size, take))?
    } else {
        let rgba = painter.draw(gpu, renderer, &mut frame, session)?;
        encode_png(args.size, |take| {
            take(&rgba);
            Ok::<_, GpuError>(())
        })?
    };
    let write = |png: Vec<u8>| output::write(&args.output, &png).map_err(|error| unwritable(&args.output, error));
    let written = png.map_err(|error| unwritable(&args.output, error)).and_then(write);
    Ok((written, Renderer::palette_fit(gpu, &frame), painter.names()))
}

/// Draws and writes a film.
fn draw_film(
    args: &RenderArgs,
    scene: &Scene<'_>,
    session: &mut Session,
    (target, reel): (&Target, &Reel),
    (gpu, renderer): (&Gpu, &mut Renderer),
    line: &ProgressLine,
) -> Result<Drawn, GpuError> {
    let film = Film { size: args.size, count: reel.count, fps: reel.fps, transparent: args.is_transparent() };
    let (name, mut fit) = (args.output.display().to_string(), None);
    let mut painter = PicturePainter::new(gpu, args.style(session));
    let mut draw = |index| {
        if reel.plays {
            session.apply(PlaybackCommand::Seek(reel.time_secs(index)));
            session.update_pose();
        }
        let mut frame = scene.frame(session, reel.turned(index));
        fit.get_or_insert_with(|| Renderer::palette_fit(gpu, &frame));
        painter.draw(gpu, renderer, &mut frame, session)
    };
    let mut go_on = |index| {
        line.say(0, &name, &format!("picture {} of {}", index + 1, reel.count));
        true
    };
    let written = record(target, &film, reel.first, &mut draw, &mut go_on)?.map_err(failed);
    let fit = fit.unwrap_or_else(|| Renderer::palette_fit(gpu, &scene.frame(session, 0.0)));
    Ok((written, fit, painter.names()))
}
