//! `skinscope bench`: what textbooks say about the speed of skinning, measured now on a model.

use std::sync::atomic::AtomicBool;

use clap::Args;
use serde_json::{Value, json};

use super::device_args::parse_backend;
use super::pose::PoseArgs;
use super::{CliError, ModelArgs, print, tell_warnings};
use crate::app::compare_on_device;
use crate::inspect::benchmark::{Benchmark, Cost, CostOf, Measured, NotMeasured, Root};
use crate::output::overwritten_by_stdout;
use crate::render::Backend;

/// Measure what rigid parts, loops, small matrices, a fast inverse square root and kinds of buffers save on this model
///
/// Two ways of each are run in turns, now, on one core: plain loops over all vertices, as a textbook writes them. A ratio says how many times as
/// fast the faster way is, or that the turns do not agree; beside the median stand the quartiles and the least and greatest of all turns, and
/// the times are those of the turn with the median. What else the machine does makes the spread larger. In the last two rows the graphics device moves all vertices and draws nothing: with a palette in a uniform
/// buffer against one in a storage buffer, and against the program's own way on all cores. Where there is no device, or the palette does not
/// fit into a uniform buffer, the row says so. A table says what each method and each mode of normals costs for a vertex, on all cores, and
/// how far its positions are from the definition of the method in double precision. Another one says how fast directions are scaled to
/// length one, and with which error: by a square root and a division, by the bits of the number with one and with two steps of Newton's
/// method, and by the functions inverseSqrt and normalize of the device. All scale the same 65 536 directions.
///
/// The JSON has the fields: schema (1), vertices {rigid, blended (of skins, as the overlay partition counts them), unskinned}, triangles {rigid,
/// blended}, draw_calls {whole, parted (one for what is blended of each primitive and one for each joint that rigid triangles of it follow)}, pairs_per_vertex, palette {matrices, bytes_3x4, bytes_4x4}, measured [{id, first, second (the ways in words), first_secs,
/// second_secs (in the turn with the median ratio), ratio (first over second) {least, lower, median, upper, greatest}, better (first, second or
/// null), apart (the largest distance of both results), from_exact (that of each from double precision, metres, or null), runs_on (what ran
/// them, and how it was timed)}], not_measured [{id, first, second, why}], costs [{of (method or normals), id, ns (of a vertex) {least,
/// lower, median, upper, greatest}, from_exact}] and roots [{id, way, ns (of a direction) {least, lower, median, upper, greatest}, error (the
/// largest distance from double precision), runs_on, why (where it was not measured; the others are null then)}].
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  skinscope bench character.glb\n  skinscope bench character.glb --clip Walk --time 0.5 --json"
)]
#[command(mut_arg("model", super::or_session))]
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
        let mut benchmark = Benchmark::of(model, (&pose.palettes, &pose.local.morph_weights), &goes_on)?;
        compare_on_device(&mut benchmark, args.backend, model, (&pose.palettes, &pose.local), &goes_on)?;
        Some(benchmark)
    });
    let Some(benchmark) = measured else {
        return Err(CliError::Usage("the model has no vertices, so that there is nothing to measure".into()));
    };
    print(&if args.json { format!("{}\n", report(&benchmark)) } else { text(&benchmark) })
}

fn report(benchmark: &Benchmark) -> Value {
    let five = |[least, lower, median, upper, greatest]: [f64; 5]| json!({ "least": least, "lower": lower, "median": median, "upper": upper, "greatest": greatest });
    let [rigid, blended] = benchmark.vertices;
    let [rigid_triangles, blended_triangles] = benchmark.triangles;
    let cost = |cost: &Cost| {
        let of = if cost.of == CostOf::Method { "method" } else { "normals" };
        json!({ "of": of, "id": cost.id, "ns": five(cost.ns), "from_exact": cost.from_exact })
    };
    let measured = |one: &Measured| {
        json!({
            "id": one.id,
            "first": one.ways[0],
            "second": one.ways[1],
            "first_secs": one.secs[0],
            "second_secs": one.secs[1],
            "ratio": five(one.ratio),
            "better": one.better().map(|way| ["first", "second"][way]),
            "apart": one.apart,
            "from_exact": one.from_exact,
            "runs_on": one.runs_on,
        })
    };
    let not_measured =
        |one: &NotMeasured| json!({ "id": one.id, "first": one.ways[0], "second": one.ways[1], "why": one.why });
    let root = |root: &Root| {
        let figures = root.measured.as_ref().ok();
        json!({
            "id": root.id,
            "way": root.way,
            "ns": figures.map(|figures| five(figures.ns)),
            "error": figures.map(|figures| figures.error),
            "runs_on": figures.map(|figures| &figures.runs_on),
            "why": root.measured.as_ref().err(),
        })
    };
    let (matrices, [three, four]) = benchmark.palette;
    let [whole, parted] = benchmark.draw_calls;
    json!({
        "schema": 1,
        "vertices": { "rigid": rigid, "blended": blended, "unskinned": benchmark.unskinned },
        "triangles": { "rigid": rigid_triangles, "blended": blended_triangles },
        "draw_calls": { "whole": whole, "parted": parted },
        "pairs_per_vertex": benchmark.per_vertex,
        "palette": { "matrices": matrices, "bytes_3x4": three, "bytes_4x4": four },
        "measured": benchmark.measured.iter().map(measured).collect::<Vec<Value>>(),
        "not_measured": benchmark.not_measured.iter().map(not_measured).collect::<Vec<Value>>(),
        "costs": benchmark.costs.iter().map(cost).collect::<Vec<Value>>(),
        "roots": benchmark.roots.iter().map(root).collect::<Vec<Value>>(),
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
    for (of, title) in
        [(CostOf::Method, "a vertex by each method"), (CostOf::Normals, "a vertex by each mode of normals")]
    {
        out += &format!("\n{title}, on all cores\n");
        for cost in benchmark.costs.iter().filter(|cost| cost.of == of) {
            let exact =
                cost.from_exact.map_or_else(String::new, |m| format!("; {m:.1e} m from double precision at most"));
            out += &format!("  {:<26} {}{exact}\n", cost.id, cost.text());
        }
    }
    out += "\na direction scaled to length one\n";
    for root in &benchmark.roots {
        out += &format!("  {:<26} {}\n", root.way, root.text());
    }
    out
}
