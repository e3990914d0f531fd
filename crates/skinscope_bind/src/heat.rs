//! Heat that flows from the bones over the surface.
//!
//! Each place is warmed by the nearest bone that it sees ([`crate::system`]). Pieces that no heat reaches are bound by voxels.

use crate::binder::{Binder, BinderParameter, Body, Found};
use crate::bones::Bone;
use crate::islands::NONE;
use crate::progress::Progress;
use crate::system::{ALSO, Source, Warmed, warmed};
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
/// A bone is never nearer to a place than this.
const NEAREST: f64 = 1e-4;
/// So many of the nearest bones are looked for from each place.
const TRIED: usize = 12;

fn run(body: &Body, settings: &BindSettings, progress: Progress) -> Result<Found, BindError> {
    let sources = sources(body, settings.value(&STRENGTH), progress.part(0.0, 0.25))?;
    let Warmed { rows, is_cold } = warmed(body, &sources, progress.part(0.25, 0.9))?;
    let mut found = Found { rows, fallback: Vec::new() };
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
            Source::of(&seen, warmth)
        };
        range.map(one).collect()
    };
    progress.by_chunk(body.shape.points.len(), 256, &of)
}

/// Finds the nearest bones that a place sees: their distances and joints.
fn see(body: &Body, place: usize, near: &mut Vec<(f64, u32)>, seen: &mut Vec<(f64, u32)>) {
    let at = body.shape.points[place];
    let bones: &[Bone] = &body.bones.list;
    seen.clear();
    near.clear();
    near.extend((0..).zip(bones).map(|(number, bone)| (bone.nearest(at).distance(at).max(NEAREST), number)));
    let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if near.len() > 2 * TRIED {
        near.select_nth_unstable_by(2 * TRIED, order);
        near.truncate(2 * TRIED);
    }
    near.sort_unstable_by(order);
    for (tried, (distance, bone)) in near.iter().enumerate() {
        if seen.first().map_or(tried >= TRIED, |(best, _)| *distance > best * ALSO) {
            break;
        }
        let bone = bones[*bone as usize];
        if !body.surface.is_between(place as u32, at, bone.nearest(at)) {
            seen.push((*distance, bone.joint));
        }
    }
}

/// Binds the pieces that no heat reaches by another method.
fn take_from_other_method(
    body: &Body,
    settings: &BindSettings,
    cold: &[bool],
    found: &mut Found,
    progress: Progress,
) -> Result<(), BindError> {
    if !cold.contains(&true) {
        return Ok(());
    }
    let other = &crate::voxel::VOXEL;
    let mut rows = (other.run)(body, settings, progress)?.rows;
    for (island, piece) in body.islands.places.iter().enumerate().filter(|(island, _)| cold[*island]) {
        piece.iter().for_each(|place| found.rows[*place as usize] = std::mem::take(&mut rows[*place as usize]));
        let reason = "none of its places sees a bone, nor lies near a piece that does".to_owned();
        found.fallback.push(Fallback { island, vertices: piece.len(), method: other.id, reason });
    }
    Ok(())
}
