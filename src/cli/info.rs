//! `skinscope info`: reports what a file holds.

use std::time::Instant;

use clap::Args;
use skinscope_base::memory::processor_secs;

use super::load::Imported;
use super::{CliError, ModelArgs, info_report, info_text, load, print, tell_warnings};
use crate::output::overwritten_by_stdout;
use crate::session::{PlaybackCommand, PoseSource, Session};

/// Say what a file holds: nodes, skins, joints, influences, clips, materials, extensions, warnings
///
/// The JSON has the fields: schema (1), file, asset {version, generator, copyright}, extensions {used, required},
/// counts {scenes, nodes, joints, skins, meshes, primitives, vertices, triangles, clips, materials, textures, images,
/// morph_targets}, bounds {min, max} (metres, of the rest pose as deformed; null without vertices), strays {vertices, farthest}
/// (what lies far outside and is no part of bounds: how many vertices, and how far in metres, null where no number can tell;
/// null where there are none), influences {most,
/// mean, by_count [vertices with 0, 1, 2, 3, 4 and more], percent [the same in percent], used, stored (pairs of joint and weight)},
/// nodes [{index, name, parent, joint, humanoid, mesh, skin, copies, members [matrix, translation, rotation, scale, weights: those
/// that the file has]}], origin (three numbers, metres: where a model stands that is far from the origin of its file, and what other
/// commands and the window count places from, but for OBJ, GLB, pose files and bounds; zeros for all others),
/// shapes [{node, joints [node indices], targets [{target, name}]}] (corrective shapes, and the joints whose rotations bring them in; null
/// where what the file keeps of them cannot be used),
/// skins [{index, name, joints [node indices], skeleton, inverse_binds (whether the file stores them), inverse_bind_accessor, shared_with (how many other
/// skins have joints in common with it), primitives, vertices, influences {most, mean, by_count, percent, used, stored}, over_4
/// (vertices with more than four), sum_not_one (vertices), bytes (joint numbers, weights, 64 for each inverse bind matrix)}], meshes [{index, name, primitives [{mode, vertices, shares (the primitive of the mesh whose vertices it names
/// too, so that they count once; else null), indices, influences,
/// weights, morph_targets, material, variants [{variant, material}], sets [{joints {accessor, draco}, weights {accessor, draco}}]
/// (JOINTS_n and WEIGHTS_n by n; draco is the attribute's id in the stream that it was decoded from), draco {view, vertices}}]}], humanoid {family, bones {bone: node index}} (a humanoid by the
/// bones that the file names, else by the names of a family of programs; null where it is none), lights [{index, name, type, color, intensity, range,
/// cone, nodes}], palette {matrices (of all skins and rigid parts), methods [{method, bytes_per_matrix, bytes, uniform_16_kib,
/// uniform_64_kib (whether a uniform buffer of that size, the least of Vulkan and WebGPU's usual limit, holds all of them)}]}, cameras [{index, name, type, nodes}], clips [{index, name, duration_secs, start_secs, channels, keys,
/// interpolations, stored {samplers [{index, input, output, keys}], channels, properties} (accessors of key times and values; keys are
/// the places of the stored keys that are used, null: all; the animation's channels that move nodes, and those that change other
/// properties)}], materials [{index, name, alpha, double_sided, layers, textures}], variants [text], images [{index, name,
/// width, height}] (of what textures show), storage {json {offset, length} (the text in the file, bytes), buffers [{index, length,
/// source (glb, file, data, unread), file, file_offset (where its bytes begin in the file)}], views [{index, buffer, offset, length,
/// meshopt {extension, buffer, offset, length, mode, filter, stride, count}}], accessors [{index, type, component, normalized, count,
/// elements {view, buffer, offset, stride}, sparse {count, component, indices, values}}] (offset is that of element 0 in the buffer; where
/// buffer is null, in what the compressed view decodes to)}, warnings [text]. Indices are the file's own; parent, humanoid, mesh, skin and
/// skeleton may be null, and so are width and height of an image that cannot be read.
///
/// With --load the JSON is one line: schema (1), file, import_ms (from the start of the program until everything is read, checked and
/// decoded), import_cpu_ms (the processor time of all threads until then; null where the system does not tell), load_ms (from the start of the program until everything is read,
/// checked, decoded and laid out for the graphics device), peak_mib (the most memory that took; null where the system does not tell), upload_mib (of vertices and indices for the device), vertices, indices, keys,
/// pixels.
#[derive(Debug, Args)]
pub(super) struct InfoArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Load all of the file, images included, and say only how long that took and how much memory it needed
    #[arg(long)]
    load: bool,
}

pub(super) fn run(args: &InfoArgs, started: Instant) -> Result<(), CliError> {
    let document = args.model.load()?;
    let imported = Imported { secs: started.elapsed().as_secs_f64(), processor_secs: processor_secs() };
    overwritten_by_stdout(document.files())?;
    if args.load {
        tell_warnings(&document);
        let report = load::report(&document, started, imported);
        return print(&if args.json { format!("{report}\n") } else { load::text(&report) });
    }
    let mut session = Session::default();
    session.open(document);
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    session.update_pose();
    let Some(document) = session.document() else { return Ok(()) };
    let report = info_report::describe(document, &session);
    if args.json {
        let text = serde_json::to_string_pretty(&report).map_err(|e| CliError::Usage(e.to_string()))?;
        print(&(text + "\n"))
    } else {
        print(&info_text::text(document, &report))
    }
}
