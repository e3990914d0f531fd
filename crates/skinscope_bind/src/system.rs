//! The equations that heat and voxels share: each place is warmed by bones, and heat flows over the surface.
//!
//! The share of a joint is the temperature where its bones are warm and all others are cold: `(L + M H) w = M H p`. `L` is the cotangent
//! Laplacian, `M` the area around a place, `H` is `c / d²` at the distance `d` from the nearest bone, and `p` says how much of the warmth is
//! of the joint. One factorisation of the matrix serves all joints. Pieces that no edge joins are coupled by springs to the surface next to
//! them, so that cloth follows what it lies on.

use crate::BindError;
use crate::binder::Body;
use crate::couplings::{Spring, springs};
use crate::fills::fills;
use crate::islands::NONE;
use crate::progress::Progress;
use crate::rows::Rows;
use crate::solver::Equations;
use crate::source::Source;

/// Temperatures below this are nothing.
const COLD: f64 = 1e-4;
/// A bone takes part in warming a place up to this many times the distance of the nearest one, and the more the nearer it is.
pub(crate) const ALSO: f64 = 1.0077;

/// The weights, and for each piece whether no heat reaches it.
pub(crate) struct Warmed {
    pub rows: Rows,
    pub is_cold: Vec<bool>,
}

/// Finds the weights that sources give, and forgets the surface. `last` gives sources to the places of pieces that no heat would reach.
pub(crate) fn warmed(
    body: &mut Body,
    mut sources: Vec<Source>,
    last: Option<&dyn Fn(u32) -> Source>,
    progress: Progress,
) -> Result<Warmed, BindError> {
    let springs = springs(body, &sources, progress.part(0.0, 0.15))?;
    let is_cold = cold_islands(body, &sources, &springs);
    let mut is_out = is_cold.clone();
    if let Some(last) = last {
        for (piece, _) in body.islands.places.iter().zip(&is_cold).filter(|(_, is_cold)| **is_cold) {
            piece.iter().for_each(|place| sources[*place as usize] = last(*place));
        }
        is_out.fill(false);
    }
    // Nothing is asked of it any more, and the factor needs the room.
    body.surface.forget();
    let rows = solved(body, sources, springs, &is_out, progress.part(0.15, 1.0))?;
    Ok(Warmed { rows, is_cold })
}

/// Returns for each piece whether no heat reaches it, not even from another piece.
fn cold_islands(body: &Body, sources: &[Source], springs: &[Spring]) -> Vec<bool> {
    let mut sets = skinscope_base::math::DisjointSets::new(body.islands.len());
    for spring in springs {
        let island = |place: u32| body.islands.of[place as usize];
        sets.join(island(spring.place), island(spring.target[0]));
    }
    let (group_of, groups) = sets.numbered();
    let mut is_warm = vec![false; groups];
    for (piece, group) in body.islands.places.iter().zip(&group_of) {
        is_warm[*group as usize] |= piece.iter().any(|place| sources[*place as usize].strength > 0.0);
    }
    group_of.iter().map(|group| !is_warm[*group as usize]).collect()
}

fn solved(
    body: &Body,
    sources: Vec<Source>,
    springs: Vec<Spring>,
    cold: &[bool],
    progress: Progress,
) -> Result<Rows, BindError> {
    let equations = equations(body, &sources, &springs, cold);
    let mut used: Vec<u32> = sources.iter().flat_map(|source| source.joints().map(|(joint, _)| joint)).collect();
    used.sort_unstable();
    used.dedup();
    // For each joint the places that its bones warm.
    let number = |joint: u32| used.binary_search(&joint).ok();
    let mut counts = vec![0_usize; used.len()];
    for at in sources.iter().flat_map(Source::joints).filter_map(|(joint, _)| number(joint)) {
        counts[at] += 1;
    }
    let mut right: Vec<Vec<(u32, f64)>> = counts.into_iter().map(Vec::with_capacity).collect();
    for (place, source) in (0..).zip(&sources) {
        for (joint, share) in source.joints() {
            let Some(at) = number(joint) else { continue };
            right[at].push((place, body.shape.mass(place) * source.strength * share));
        }
    }
    // The factor needs the room.
    drop((sources, springs));
    // Behind the places come the middles of holes.
    let columns = equations.solve(&right, (body.shape.points.len(), COLD), progress)?;
    drop(right);
    let mut counts = vec![0_usize; body.shape.points.len()];
    columns.iter().flatten().for_each(|(place, _)| counts[*place as usize] += 1);
    let mut rows: Rows = counts.into_iter().map(Vec::with_capacity).collect();
    for (joint, column) in used.into_iter().zip(columns) {
        column.into_iter().for_each(|(place, value)| rows[place as usize].push((joint, f64::from(value))));
    }
    Ok(rows)
}

/// Makes the equations: a row for each place, and for each middle of a small hole that is closed.
fn equations(body: &Body, sources: &[Source], springs: &[Spring], cold: &[bool]) -> Equations {
    let shape = body.shape;
    let count = shape.points.len();
    let fills = fills(shape);
    let mut equations = Equations::with_room(count + fills.middles, 4 * count + 10 * springs.len());
    for (place, source) in (0..).zip(sources) {
        let island = body.islands.of[place as usize];
        let mut own = shape.mass(place) * source.strength;
        if island == NONE || cold[island as usize] {
            // Nothing is asked of it, but the matrix has to be regular.
            own += shape.mean_area;
        }
        for (next, weight) in shape.edges.row(place as usize) {
            let weight = f64::from(*weight);
            own += weight;
            if *next > place {
                equations.add(place, *next, -weight);
            }
        }
        equations.add(place, place, own);
    }
    for (a, b, weight) in fills.edges {
        equations.add(a, b, -weight);
        equations.add(a, a, weight);
        equations.add(b, b, weight);
    }
    for spring in springs {
        let target = spring.target.into_iter().zip(spring.shares.map(|share| -share));
        let ends: Vec<(u32, f64)> = std::iter::once((spring.place, 1.0)).chain(target).collect();
        for (i, (a, share)) in ends.iter().enumerate() {
            for (b, other) in &ends[i..] {
                equations.add(*a, *b, spring.stiffness * share * other);
            }
        }
    }
    equations
}
