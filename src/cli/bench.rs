//! `skinscope bench`: what textbooks say about the speed of skinning, measured now on a model.

use std::sync::atomic::AtomicBool;

use clap::Args;
use serde_json::{Value, json};

use super::device_args::parse_backend;
use super::pose::PoseArgs;
use super::{CliError, ModelArgs, print, tell_warnings};
use crate::app::compare_on_device;
use crate::inspect::benchmark::{Benchmark, Measured, NotMeasured};
use crate::output::overwritten_by_stdout;
use crate::render::Backend;

/// Measure what rigid parts, loops, small matrices, a fast inverse square root and kinds of buffers save on this model
///
/// Two ways of each are run in turns, now, on one core: plain loops over all vertices, as a textbook writes them. A ratio is the time of the
/// first way over that of the second; beside the median stand the quartiles and the least and greatest of all turns. What else the machine
/// does makes the spread larger. In the last two rows the graphics device moves all vertices and draws nothing: with a palette in a uniform
/// buffer against one in a storage buffer, and against the program's own way on all cores. Where there is no device, or the palette does not
/// fit into a uniform buffer, the row says so.
///
/// The JSON has the fields: schema (1), vertices {rigid, blended}, triangles {rigid, blended}, pairs_per_vertex, palette {matrices, bytes_3x4,
/// bytes_4x4}, measured [{id, first, second (the ways in words), first_secs, second_secs, ratio {least, lower, median, upper, greatest},
/// apart (the largest distance of both results), runs_on (what ran them, and how it was timed)}] and not_measured [{id, first, second, why}].
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  skinscope bench character.glb\n  skinscope bench character.glb --clip Walk --time 0.5 --json"
)]
pub(super) struct BenchArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Pose the model by this clip, by exact name or by number from 0; without it, the rest pose of the file
    #[arg(long, value_name = "NAME|N", allow_hyphen_values = true)]
    clip: Option<String>,
    /// Take the clip at this time of its timeline, seconds
    #[arg(long, value_name = "S", requires = "clip", default_value = "0", allow_negative_numbers = true, value_parser = super::pose::parse_secs)]
    time: f32,
    /// Use this graphics interface for what the graphics device runs
    #[arg(long, value_name = "auto|vulkan|gl", value_parser = parse_backend, default_value = "auto")]
    backend: Backend,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &BenchArgs) -> Result<(), CliError> {
    let opened = args.model.load_with_session(None)?;
    overwritten_by_stdout(opened.files())?;
    tell_warnings(&opened.document);
    let session = PoseArgs::plain(args.clip.clone(), args.time, None).session(opened)?;
    let model = session.model();
    let (pose, goes_on) = (session.pose(), AtomicBool::new(false));
    let measured = model.and_then(|model| {
        let mut benchmark = Benchmark::of(model, &pose.palettes, &goes_on)?;
        compare_on_device(&mut benchmark, args.backend, model, (&pose.palettes, &pose.local), &goes_on)?;
        Some(benchmark)
    });
    let Some(benchmark) = measured else {
        return Err(CliError::Usage("the model has no vertices, so that there is nothing to measure".into()));
    };
    print(&if args.json { format!("{}\n", report(&benchmark)) } else { text(&benchmark) })
}

fn report(benchmark: &Benchmark) -> Value {
    let parts = |[rigid, blended]: [usize; 2]| json!({ "rigid": rigid, "blended": blended });
    let (matrices, [three, four]) = benchmark.palette;
    let measured = |one: &Measured| {
        let [least, lower, median, upper, greatest] = one.ratio;
        json!({
            "id": one.id,
            "first": one.ways[0],
            "second": one.ways[1],
            "first_secs": one.secs[0],
            "second_secs": one.secs[1],
            "ratio": { "least": least, "lower": lower, "median": median, "upper": upper, "greatest": greatest },
            "apart": one.apart,
            "runs_on": one.runs_on,
        })
    };
    let not_measured =
        |one: &NotMeasured| json!({ "id": one.id, "first": one.ways[0], "second": one.ways[1], "why": one.why });
    json!({
        "schema": 1,
        "vertices": parts(benchmark.vertices),
        "triangles": parts(benchmark.triangles),
        "pairs_per_vertex": benchmark.per_vertex,
        "palette": { "matrices": matrices, "bytes_3x4": three, "bytes_4x4": four },
        "measured": benchmark.measured.iter().map(measured).collect::<Vec<Value>>(),
        "not_measured": benchmark.not_measured.iter().map(not_measured).collect::<Vec<Value>>(),
    })
}

fn text(benchmark: &Benchmark) -> String {
    let mut out = String::new();
    for line in benchmark.counts() {
        out += &line;
        out.push('\n');
    }
    for one in &benchmark.measured {
        out += &format!(
            "\n{} against {}: {}\n  {}\n  The text: {}.\n",
            one.ways[0],
            one.ways[1],
            one.ratio_text(),
            one.times_text(),
            one.claim
        );
    }
    for one in &benchmark.not_measured {
        out += &format!("\n{} against {}: {}\n  The text: {}.\n", one.ways[0], one.ways[1], one.text(), one.claim);
    }
    out
}
