//! `skinscope view`: opens the window.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;

use super::device_args::{DeviceArgs, TextureArgs};
use super::environment::EnvironmentArgs;
use super::example::ExampleArgs;
use super::look::{look_names, overlay_names, tone_map_names};
use super::map::MapArgs;
use super::method::MethodArgs;
use super::picture_args::{crowd_sizes, parse_size};
use super::pose::SliderArgs;
use super::{CliError, ModelArgs, print, read_pose};
use crate::app::{self, AppError, Benchmark, Options};
use crate::frame::{look, tone_map};
use crate::import::ImportError;
use crate::inspect::overlay;
use crate::session::{Antialiasing, Source, is_session};

/// Open a window: play, scrub, pose, see the weights
///
/// With --benchmark N the first clip plays at 1/60 s a frame, unthrottled and with all panels drawn, for N presented
/// frames; then one line is printed and the program ends. Its JSON has the fields schema (1), frames, first_frame_ms
/// (since the process started), frame_ms_median, frame_ms_p95, cpu_ms_per_frame (user and system, all threads),
/// peak_rss_mib, instances (how many of the model are shown), samples (of a pixel, in the last frame) and palette (uniform or
/// storage: the kind of buffer that joint matrices were read from) and measured_per_s (how many poses a second were measured for
/// an overlay of measures or the panel Deformation); cpu_ms_per_frame and peak_rss_mib are null where the system does not tell.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("model", super::or_session))]
pub(super) struct ViewArgs {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    example: ExampleArgs,
    #[command(flatten)]
    method: MethodArgs,
    /// Colour the surface by this overlay
    #[arg(long, value_name = "ID", value_parser = overlay_names())]
    overlay: Option<String>,
    /// Draw surfaces in this look, where no overlay colours them
    #[arg(long, value_name = "NAME", value_parser = look_names())]
    look: Option<String>,
    /// Bring light into the range of the picture by this tone map
    #[arg(long, value_name = "NAME", value_parser = tone_map_names())]
    tone_map: Option<String>,
    #[command(flatten)]
    environment: EnvironmentArgs,
    /// Show the panel Deformation, which measures what the pose does to the surface
    #[arg(long)]
    deformation: bool,
    /// Arrange the panels as this layout does: Default, Weighting, Measuring or one that was saved
    #[arg(long, value_name = "NAME")]
    layout: Option<String>,
    /// Fill the screen with the picture and the page of an example, in large text: Page Down shows the next example, Esc leaves
    #[arg(long, conflicts_with = "benchmark")]
    present: bool,
    /// Divide the weights of every vertex by their sum, in the file that is opened first
    #[arg(long)]
    normalise_weights: bool,
    /// Show this pose of the file that is opened first (`skinscope pose` makes such files), in place of its clips
    #[arg(long, value_name = "FILE", allow_hyphen_values = true, conflicts_with = "benchmark")]
    pose: Option<PathBuf>,
    #[command(flatten)]
    sliders: SliderArgs,
    /// Play the clips of this file too, on the model that is opened first: joints are found by the humanoid names of VRM, then by their own
    /// names in all spellings
    #[arg(long, value_name = "FILE", allow_hyphen_values = true, conflicts_with = "benchmark")]
    clips_from: Option<PathBuf>,
    #[command(flatten)]
    map: MapArgs,
    /// Open this file too, beside the one that is opened first: any model, with a clip, pose and selection of its own
    #[arg(long, value_name = "FILE", allow_hyphen_values = true, conflicts_with = "benchmark")]
    beside: Option<PathBuf>,
    /// Compare the file that is opened first with this one, which has the same nodes and vertices
    #[arg(long, value_name = "FILE", conflicts_with = "benchmark")]
    compare_file: Option<PathBuf>,
    /// Show N of the model in a square, each at its own time of the clip; how many there may be depends on the model
    #[arg(long, value_name = "N", default_value = "1", value_parser = crowd_sizes())]
    crowd: u32,
    /// Draw N frames as fast as possible, print what they cost, and end
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    benchmark: Option<u32>,
    /// Open the window with this inner size, pixels, in place of the remembered one (with --benchmark: of 1280x720)
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<[u32; 2]>,
    /// Print the benchmark's line as JSON
    #[arg(long, requires = "benchmark")]
    json: bool,
    /// Smooth edges always (4) or never (off); auto smooths them always on a graphics card, and only while nothing moves where the processor draws
    #[arg(long, value_name = "auto|off|4", value_parser = parse_antialiasing, default_value = "auto")]
    msaa: Antialiasing,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    textures: TextureArgs,
    /// Write down edits that are in no file every so many seconds, to offer them again after a crash; 0 never does
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = clap::value_parser!(u32).range(0..=86_400))]
    autosave: u32,
    /// Read the open file again by itself once another program has changed it, or not, from now on; without it as the menu was left
    #[arg(long, value_name = "on|off", value_parser = parse_switch)]
    watch: Option<bool>,
    /// Write the role, words and rectangle (pixels of the window) of every control into a new file as JSON, and again whenever they
    /// change, for programs that drive the window
    #[arg(long, value_name = "FILE", value_parser = parse_new_file)]
    controls: Option<PathBuf>,
    /// Write every command that the window carries out into a new file, a line of JSON each, so that what was done can be done again; strokes of
    /// brushes beside it, as NAME.strokes.json
    #[arg(long, value_name = "FILE", value_parser = parse_new_file, conflicts_with = "benchmark")]
    record: Option<PathBuf>,
    /// Write what each frame costs into a new file as it ends: JSON that Perfetto and chrome://tracing open, or a table where it ends in .csv
    #[arg(long, value_name = "FILE", value_parser = parse_new_file)]
    trace: Option<PathBuf>,
}

pub(super) fn run(args: ViewArgs, started: Instant) -> Result<(), CliError> {
    let session = args.model.model.clone().filter(|path| is_session(path));
    if session.is_some() && args.benchmark.is_some() {
        return Err(CliError::Usage("--benchmark measures a model; give it the model of the session".into()));
    }
    if let Some(layout) = &args.layout {
        let (known, _) = app::layouts();
        if !known.iter().any(|name| name.to_lowercase() == layout.trim().to_lowercase()) {
            return Err(CliError::Usage(format!("there is no layout {layout}; there are {}", known.join(", "))));
        }
    }
    let file = args.model.model.clone().filter(|_| session.is_none());
    let is_about_model =
        args.pose.is_some() || args.clips_from.is_some() || args.compare_file.is_some() || args.beside.is_some();
    let is_default_source = file.is_none() && session.is_none() && !is_about_model;
    let source = args.example.source(&args.model.open.options())?.unwrap_or_else(|| Source::of(file));
    let missing = match &source {
        Source::File(path) | Source::Page(path) => {
            std::fs::metadata(path).err().map(|error| (path.display().to_string(), error))
        }
        Source::BuiltIn | Source::Example(_) => None,
    };
    let pose = args.pose.as_deref().map(read_pose).transpose()?;
    let map = args.map.read_for("--clips-from", args.clips_from.is_some())?;
    let benchmark = args.benchmark.map(|frames| Benchmark { frames, json: args.json });
    let size = args.size.or_else(|| benchmark.as_ref().map(|_| [1280, 720]));
    let ended = app::run(Options {
        is_default_source: is_default_source && source == Source::BuiltIn,
        opens_nothing: false,
        offers_first_steps: false,
        source,
        session,
        import: args.model.open.options(),
        autosave: Some(Duration::from_secs(args.autosave.into())).filter(|every| !every.is_zero()),
        watch: args.watch,
        benchmark,
        size,
        backend: args.device.backend,
        texture_memory: args.textures.bytes(),
        palette_buffer: args.device.palette,
        palette_rows: args.device.palette_rows,
        method: args.method.method,
        pass: args.method.settings.pass,
        normals: args.method.settings.normals,
        parameters: args.method.settings.parameters,
        overlay: args.overlay.as_deref().and_then(overlay).map(|overlay| overlay.id),
        look: args.look.as_deref().and_then(look).map(|look| look.id),
        tone_map: args.tone_map.as_deref().and_then(tone_map).map(|map| map.id),
        environment: args.environment.commands(),
        deformation: args.deformation,
        layout: args.layout,
        present: args.present,
        clips_from: args.clips_from.clone(),
        map,
        compare_file: args.compare_file.clone(),
        beside: args.beside.clone(),
        normalise_weights: args.normalise_weights,
        pose,
        sliders: args.sliders.all().to_vec(),
        crowd: args.crowd,
        antialiasing: args.msaa,
        controls: args.controls,
        record: args.record,
        trace: args.trace,
        started,
    });
    match (ended, missing) {
        // The window shows what is missing. Without a window it is written here, before a display is looked for in
        // vain.
        (Err(AppError::NoDisplay(_)), Some((path, source))) => {
            Err(CliError::Import { file: path.clone(), error: ImportError::Read { path, source } })
        }
        (ended, _) => ended?.map_or(Ok(()), |line| print(&(line + "\n"))),
    }
}

/// Refuses a file that exists already, since it may be the user's.
fn parse_new_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.symlink_metadata().is_ok() { Err("the file exists already".into()) } else { Ok(path) }
}

fn parse_switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("expected on or off".into()),
    }
}

fn parse_antialiasing(text: &str) -> Result<Antialiasing, String> {
    match text {
        "auto" => Ok(Antialiasing::Auto),
        "off" => Ok(Antialiasing::Off),
        "4" => Ok(Antialiasing::Four),
        _ => Err("expected auto, off or 4".into()),
    }
}
