//! Heat that flows from the bones over the surface.
//!
//! Each place is warmed by the nearest bone that it sees ([`crate::system`]). Pieces that no heat reaches are bound by voxels.

use crate::binder::{Binder, BinderParameter, Body, Found};
use crate::islands::NONE;
use crate::progress::Progress;
use crate::sight::see;
use crate::source::Source;
use crate::surface::Surface;
use crate::system::{Warmed, warmed};
use crate::{BindError, BindSettings, Fallback};

/// The method *heat*.
pub static HEAT: Binder = Binder {
    id: "heat",
    label: "Heat",
    help: "Each place is warmed by the nearest bone that it sees, and heat flows over the surface; smooth weights for bodies",
    source: "Baran, Popović: Automatic rigging and animation of 3D characters (2007)",
    parameters: &[STRENGTH],
    run,
};

const STRENGTH: BinderParameter = BinderParameter {
    id: "heat",
    label: "Heat",
    help: "How strongly a bone warms what is near it: more makes narrower blends",
    range: [0.1, 50.0],
    default: 6.0,
    decimals: 1,
};

fn run(body: &mut Body, settings: &BindSettings, progress: Progress) -> Result<Found, BindError> {
    let sources = sources(body, settings.value(&STRENGTH), progress.part(0.0, 0.25))?;
    let Warmed { rows, is_cold } = warmed(body, sources, None, progress.part(0.25, 0.9))?;
    let mut found = Found { rows, ..Found::default() };
    take_from_other_method(body, settings, &is_cold, &mut found, progress.part(0.9, 1.0))?;
    Ok(found)
}

/// Finds what warms each place: the nearest bones that it sees.
fn sources(body: &Body, warmth: f64, progress: Progress) -> Result<Vec<Source>, BindError> {
    let of = |range: std::ops::Range<usize>| {
        let (mut near, mut seen) = (Vec::new(), Vec::new());
        let one = |place: usize| {
            if body.islands.of[place] == NONE {
                return Source::default();
            }
            see(body, place, &mut near, &mut seen);
            Source::of(&seen, warmth, !seen.is_empty())
        };
        range.map(one).collect()
    };
    progress.by_chunk(body.shape.points.len(), 256, &of)
}

/// Binds the pieces that no heat reaches by another method.
fn take_from_other_method(
    body: &mut Body,
    settings: &BindSettings,
    cold: &[bool],
    found: &mut Found,
    progress: Progress,
) -> Result<(), BindError> {
    if !cold.contains(&true) {
        return Ok(());
    }
    let other = &crate::voxel::VOXEL;
    body.surface = Surface::of(body.shape, |_| true);
    let mut rows = (other.run)(body, settings, progress)?.rows;
    for (island, piece) in body.islands.places.iter().enumerate().filter(|(island, _)| cold[*island]) {
        piece.iter().for_each(|place| found.rows[*place as usize] = std::mem::take(&mut rows[*place as usize]));
        let reason = "none of its places sees a bone, nor lies near a piece that does".to_owned();
        found.fallback.push(Fallback { island, vertices: piece.len(), method: other.id, reason });
    }
    Ok(())
}
