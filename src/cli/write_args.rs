//! Options of the subcommands that write an edited model back into a file.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::{OpenArgs, printable};
use crate::output::say;
use crate::words::counted;
use crate::writeback::{Destination, Saved};

/// The file that is edited, and where the result goes.
#[derive(Clone, Debug, Args)]
#[command(group = ArgGroup::new("place").required(true).args(["output", "in_place"]))]
pub(super) struct WriteArgs {
    /// A .gltf or .glb file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    #[command(flatten)]
    pub open: OpenArgs,
    /// Write into this file: a .glb for a .glb, a .gltf for a .gltf; never MODEL
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Replace MODEL, and keep what it was as MODEL.bak; so too for each .bin that changes
    #[arg(long)]
    in_place: bool,
    /// Write into a file that has other names (hard links), so that it stays one; without, they keep what was there
    #[arg(long)]
    pub keep_links: bool,
}

impl WriteArgs {
    /// Returns where the result goes: clap asks for --output or --in-place.
    pub(super) fn destination(&self) -> Destination<'_> {
        self.output.as_deref().map_or(Destination::InPlace, Destination::To)
    }
}

/// Warns of what was not copied, and of clips whose keys are stored more coarsely than they were.
pub(super) fn tell_saved(saved: &Saved) {
    for left in &saved.left {
        say(format_args!("warning: {}: its name leads out of the folder, so it was not copied", left.display()));
    }
    if !saved.kept_links {
        for (path, count) in &saved.links {
            let links = counted(*count, "other hard link, which keeps", "other hard links, which keep");
            say(format_args!(
                "warning: {}: it has {links} what was there; with --keep-links it stays one file",
                path.display()
            ));
        }
    }
    for coarse in &saved.changes.coarse {
        say(format_args!("warning: {}", printable(coarse)));
    }
}
