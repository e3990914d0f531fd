//! `skinscope fix`: changes weights and writes them back into the file that they came from.

use clap::Args;

use super::find::find_node;
use super::fix_operations::OperationArgs;
use super::fix_report::{Done, report, text};
use super::storage::Restored;
use super::write_args::{WriteArgs, tell_saved};
use super::{CliError, other_file, print, printable, tell_warnings};
use crate::edit::{
    Operation, REPAIRED, Refusal, Settings, Sheet, apply, check as check_operation, check_applied, check_joint,
    check_moves,
};
use crate::inspect::VertexSet;
use crate::output::{overwritten_by_stdout, say};
use crate::session::Document;
use crate::writeback::{Origin, Recompression, Stamps, prepare};

/// Repair weights and write back only what changed
///
/// Operations run in the order in which they are listed here, whatever their order on the command line; weights are rounded to
/// what the file stores once, at the end. Only the bytes that must change do: names, extras, images, white space and the order
/// of everything stay. Where the layout of the file cannot hold the result (another type, sparse or compressed
/// accessors, what several share) new bytes are appended, and the old ones stay. A mesh that nodes show with skins of other joints is
/// edited for each: where their weights differ, OUT has one mesh more. Without an operation OUT has the same bytes.
///
/// Weights that were compressed by meshopt or Draco are stored plain once they change; with --recompress those of meshopt are
/// compressed again. A .gltf whose buffer changes gets a new .bin named after OUT; in another folder the other files that it names are
/// copied along.
///
/// The JSON has the fields: schema (1), changed {vertices, accessors [indices in OUT], bytes (of buffers, that differ or are
/// new), json_values (that differ, are new or gone), stored [{from, to (types of weights), vertices}] (where weights get another type)}, operations [{op, vertices (whose stored values changed)}], one for each
/// that was asked for, in their order; kept is there where vertices had to stay because of locked
/// joints, stuck where others had to, since no joint can take the weight, and partly where others got only a part of what was asked for,
/// with partly_because {no_pair (the file has no room for another joint of a vertex), locked, no_room (no weight is left to give)}; matrices_kept are those that
/// could not be set. transfer also has distance_mm {mean, largest} (from each vertex to the point of FILE whose weights it takes),
/// largest_change (of the weight of a joint) and unmatched (vertices that stay,
/// since no joint has a name of those that move FILE there), inpainted (vertices that took their weights from those around them) and
/// missing (the joints of FILE whose weights had no joint to go to). mirror also has planes [{mesh, name, axis, offset (in the unit of the
/// mesh's positions)}], without_plane [{mesh, name}] (meshes that stay) and unpaired (vertices that stay, since a joint of one side has no
/// partner). solve also has examples and hold_out (empty) as `skinscope solve` has them, and unproven (places whose choice of joints is not proven
/// to be the best). bake-method also has from, poses and what `bake-weights` tells of the gain.
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub(super) struct FixArgs {
    #[command(flatten)]
    write: WriteArgs,
    /// Compress by meshopt again what was compressed by it and changes, in place of storing it plain
    #[arg(long)]
    recompress: bool,
    #[command(flatten)]
    operations: OperationArgs,
    /// Leave the weights of this joint as they are, whatever else is done: the other joints of a vertex make room, and how many vertices had to
    /// stay as they are is reported. May be given several times; refused for a node that is no joint, and where no operation changes weights
    #[arg(long, value_name = "JOINT")]
    lock: Vec<String>,
    /// Change only vertices that this joint moves; inverse bind matrices have no vertices. May be given several times; refused for a joint that
    /// moves none, and where no operation changes weights
    #[arg(long, value_name = "JOINT")]
    only_joint: Vec<String>,
    /// Print JSON, and nothing else, to standard output
    #[arg(long)]
    json: bool,
}

fn after_help() -> String {
    format!(
        "Rules that can be repaired: {}.\n\n\
         Files are written whole or not at all.\n\n\
         Exit codes: 0 all went well, 1 the file is bad, 2 wrong usage or no place to write to.",
        REPAIRED.join(", ")
    )
}

impl FixArgs {
    /// Limits which vertices may change; all may where no joint is named.
    fn bounds(&self, sheet: &mut Sheet) -> Result<(), CliError> {
        let model = sheet.model;
        let refused = |option: &'static str| move |why: Refusal| CliError::Usage(format!("--{option}: {why}"));
        for joint in &self.lock {
            let joint = find_node(model, joint)?;
            check_joint(sheet, joint).map_err(refused("lock"))?;
            sheet.bounds.locked.insert(joint.0);
        }
        let mut within = Vec::new();
        for joint in &self.only_joint {
            let joint = find_node(model, joint)?;
            check_moves(sheet, joint).map_err(refused("only-joint"))?;
            within.extend(VertexSet::moved_by(model, joint).iter());
        }
        if !self.only_joint.is_empty() {
            sheet.limit_to(&VertexSet::from_vertices(within));
        }
        Ok(())
    }

    /// Refuses options that change nothing on this model, whatever the operations do.
    fn has_effects(&self, sheet: &Sheet, asked: &[(&Operation, Settings)]) -> Result<(), CliError> {
        if !asked.iter().any(|(operation, _)| operation.is_of_weights()) {
            for (option, is_given) in [("lock", !self.lock.is_empty()), ("only-joint", !self.only_joint.is_empty())] {
                if is_given {
                    let why = format!("--{option} is about weights, and no operation that changes them was asked for");
                    return Err(CliError::Usage(why));
                }
            }
        }
        let paired = asked.iter().flat_map(|(_, settings)| settings.pairs.iter().flatten());
        let given = asked.iter().flat_map(|(_, settings)| settings.copied.iter().map(|(joint, _)| joint));
        for joint in paired.chain(given) {
            check_joint(sheet, *joint).map_err(|why| CliError::Usage(why.to_string()))?;
        }
        if self.recompress && sheet.model.source.origins.views.iter().all(|view| view.meshopt.is_none()) {
            say(format_args!(
                "warning: the file has nothing that meshopt compressed, so that --recompress changes nothing"
            ));
        }
        Ok(())
    }
}

pub(super) fn run(args: &FixArgs) -> Result<(), CliError> {
    let path = &args.write.model;
    let mut stamps = Stamps::of(path);
    let document = other_file(path, &args.write.open)?;
    overwritten_by_stdout(document.files())?;
    stamps.add(document.files());
    let mut sheet = Sheet::of(document.stored());
    let asked = args.operations.settings(&args.write, &document)?;
    args.bounds(&mut sheet)?;
    args.has_effects(&sheet, &asked)?;
    let mut done: Vec<Done> = Vec::new();
    for (operation, settings) in asked {
        let refused = |why: Refusal| CliError::Usage(format!("--{}: {why}", operation.id));
        check_operation(operation, &sheet, &settings).map_err(refused)?;
        let applied = apply(operation, &mut sheet, &settings);
        check_applied(operation, &sheet, &settings, &applied).map_err(refused)?;
        done.push(Done {
            operation,
            applied,
            transferred: sheet.transferred.take(),
            mirrored: sheet.mirroring.take(),
            solved: sheet.solved.take(),
            baked: sheet.baked.take(),
        });
    }
    if !args.json {
        tell_current(&document, &sheet);
    }
    let recompression = if args.recompress { Recompression::Meshopt } else { Recompression::None };
    let saved = prepare(Origin::File(path, &stamps), &sheet, recompression, args.write.destination())?
        .keeping_links(args.write.keep_links)
        .write()?;
    tell_saved(&saved);
    let restored = if saved.changes.accessors.is_empty() { Restored::default() } else { Restored::of(&sheet) };
    print(&if args.json {
        report(document.stored(), &done, &saved, &restored)
    } else {
        text(document.stored(), &done, &saved, &restored)
    })
}

/// Writes the warnings of import to standard error, and says which of those about weights are repaired by now.
pub(super) fn tell_current(document: &Document, sheet: &Sheet) {
    let fixed = Some(sheet).filter(|_| !document.warnings.is_empty()).and_then(Sheet::to_model);
    let Some(fixed) = fixed else { return tell_warnings(document) };
    let (repaired, left): (Vec<_>, Vec<_>) =
        document.warnings_of(&fixed).into_iter().partition(|warning| warning.is_repaired);
    let mut shown = document.clone();
    shown.warnings = left.into_iter().map(|warning| warning.text.into_owned()).collect();
    tell_warnings(&shown);
    for warning in repaired {
        say(format_args!("repaired: {}", printable(&warning.text)));
    }
}
