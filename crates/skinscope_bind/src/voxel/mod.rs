//! Heat by the way through the body: the distance to a bone is that of the shortest way through a solid of voxels.
//!
//! A bone warms what it sees, as for heat, and also what it reaches inside of the body, so that open, nested and crossing surfaces do no harm. All
//! else is as for heat ([`crate::system`]). After Dionne and de Lasa, "Geodesic voxel binding for production character meshes" (2013).

mod grid;
mod paths;

use crate::binder::{Binder, BinderParameter, Body, Found};
use crate::islands::NONE;
use crate::progress::Progress;
use crate::sight::{NEAREST, see};
use crate::source::Source;
use crate::system::{ALSO, Warmed, warmed};
use crate::{BindError, BindSettings, Fallback};
use grid::Grid;
use paths::Paths;

/// The method *voxel*.
pub(crate) static VOXEL: Binder = Binder {
    id: "voxel",
    label: "Voxels",
    help: "As heat, but a bone warms what it reaches inside of the body; for open, nested and crossing surfaces",
    source: "Dionne, de Lasa: Geodesic voxel binding for production character meshes (2013)",
    parameters: &[STRENGTH, RESOLUTION],
    run,
};

const STRENGTH: BinderParameter = BinderParameter {
    id: "voxel-heat",
    label: "Heat",
    help: "How strongly a bone warms what is near it: more makes narrower blends",
    range: [0.1, 50.0],
    default: 6.0,
    decimals: 1,
};
const RESOLUTION: BinderParameter = BinderParameter {
    id: "resolution",
    label: "Resolution",
    help: "How many voxels the body is long",
    range: [32.0, 256.0],
    default: 96.0,
    decimals: 0,
};

/// Ways that are not straight are longer than what the steps from voxel to voxel add up to.
const BENT: f64 = 1.3;

fn run(body: &mut Body, settings: &BindSettings, progress: Progress) -> Result<Found, BindError> {
    let grid = Grid::of(body, settings.value(&RESOLUTION), progress.part(0.0, 0.2))?;
    let paths = Paths::of(&grid, body.bones, progress.part(0.2, 0.4))?;
    let warmth = settings.value(&STRENGTH);
    let of = |range: std::ops::Range<usize>| {
        let (mut found, mut near, mut seen) = (Vec::new(), Vec::new(), Vec::new());
        let one = |place: usize| {
            if body.islands.of[place] == NONE {
                return Source::default();
            }
            see(body, place, &mut near, &mut seen);
            reach(body, (&grid, &paths), place, &mut found);
            let sees = !seen.is_empty();
            found.append(&mut seen);
            keep_nearest(&mut found);
            Source::of(&found, warmth, sees)
        };
        range.map(one).collect()
    };
    let sources = progress.part(0.4, 0.5).by_chunk(body.shape.points.len(), 256, &of)?;
    // The equations need the room.
    drop((grid, paths));
    let (shape, bones) = (body.shape, body.bones);
    let nearest = |place: u32| {
        let at = shape.points[place as usize];
        let mut found: Vec<(f64, u32)> =
            bones.list.iter().map(|bone| (bone.nearest(at).distance(at), bone.joint)).collect();
        keep_nearest(&mut found);
        Source::of(&found, warmth, false)
    };
    let Warmed { rows, is_cold } = warmed(body, sources, Some(&nearest), progress.part(0.5, 1.0))?;
    let pieces = body.islands.places.iter().enumerate().filter(|(island, _)| is_cold[*island]);
    let reason = || "no way leads through the body from a bone to it; the nearest bones warm it".to_owned();
    let fallback =
        pieces.map(|(island, piece)| Fallback { island, vertices: piece.len(), method: "nearest", reason: reason() });
    Ok(Found { rows, fallback: fallback.collect(), ..Found::default() })
}

/// Finds the bones that a place reaches: their distances and joints.
fn reach(body: &Body, (grid, paths): (&Grid, &Paths), place: usize, found: &mut Vec<(f64, u32)>) {
    let at = body.shape.points[place];
    found.clear();
    grid.around(at, &mut |voxel, centre| {
        for (joint, distance) in paths.labels(voxel) {
            let distance = BENT * (f64::from(*distance) + at.distance(centre));
            match found.iter_mut().find(|(_, other)| other == joint) {
                Some((before, _)) => *before = before.min(distance),
                None => found.push((distance, *joint)),
            }
        }
    });
}

/// Leaves those joints that are about as near as the nearest.
fn keep_nearest(found: &mut Vec<(f64, u32)>) {
    let least = found.iter().map(|(distance, _)| *distance).fold(f64::INFINITY, f64::min);
    found.retain(|(distance, _)| *distance <= least * ALSO);
    found.iter_mut().for_each(|(distance, _)| *distance = distance.max(NEAREST));
}
