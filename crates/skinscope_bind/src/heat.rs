//! Heat that flows from the bones over the surface.
//!
//! Each place is warmed by the nearest bone that it sees, and heat flows along the surface until nothing changes any more. The share of a joint
//! is the temperature where its bones are warm and all others are cold: `(L + M H) w = M H p`. `L` is the cotangent Laplacian, `M` the area
//! around a place, `H` is `c / d²` at the distance `d` from the bone, and `p` is 1 for the joint of that bone. One factorisation of the matrix
//! serves all joints. Pieces that no edge joins are coupled by springs to the surface next to them, so that cloth follows what it lies on.

use crate::binder::{Binder, BinderParameter, Body, Found};
use crate::bones::Bone;
use crate::couplings::{Spring, springs};
use crate::islands::NONE;
use crate::progress::Progress;
use crate::rows::Rows;
use crate::solver::Equations;
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
/// Bones count as equally near within this share of the distance.
const ALIKE: f64 = 1e-4;
/// Temperatures below this are nothing.
const COLD: f64 = 1e-4;

/// What warms a place.
#[derive(Clone, Copy, Debug)]
struct Source {
    /// `c / d²`; 0 where it sees no bone.
    strength: f64,
    /// The joints that share it, as a range of a list.
    first: u32,
    count: u32,
}

fn run(body: &Body, settings: &BindSettings, progress: Progress) -> Result<Found, BindError> {
    let (sources, joints) = sources(body, settings.value(&STRENGTH), progress.part(0.0, 0.25))?;
    let heated: Vec<bool> = sources.iter().map(|source| source.strength > 0.0).collect();
    let springs = springs(body, &heated, progress.part(0.25, 0.35))?;
    let cold = cold_islands(body, &heated, &springs);
    let rows = solved(body, (&sources, &joints), &springs, &cold, progress.part(0.35, 1.0))?;
    let mut found = Found { rows, fallback: Vec::new() };
    take_from_other_method(body, settings, &cold, &mut found, progress)?;
    Ok(found)
}

/// Finds what warms each place, and the list of joints that the sources name.
fn sources(body: &Body, strength: f64, progress: Progress) -> Result<(Vec<Source>, Vec<u32>), BindError> {
    let count = body.shape.points.len();
    let of = |range: std::ops::Range<usize>| {
        let mut near: Vec<(f64, u32)> = Vec::new();
        let mut seen: Vec<u32> = Vec::new();
        let one = |place: usize| {
            let distance = if body.islands.of[place] == NONE { None } else { see(body, place, &mut near, &mut seen) };
            (distance.map_or(0.0, |d| strength / (d * d)), seen.clone())
        };
        range.map(one).collect()
    };
    let all: Vec<(f64, Vec<u32>)> = progress.by_chunk(count, 256, &of)?;
    let (mut out, mut joints) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for (strength, seen) in all {
        let seen = if strength > 0.0 { &seen[..] } else { &[] };
        out.push(Source { strength, first: joints.len() as u32, count: seen.len() as u32 });
        joints.extend_from_slice(seen);
    }
    Ok((out, joints))
}

/// Finds the nearest bones that a place sees: returns their distance, and writes their joints.
fn see(body: &Body, place: usize, near: &mut Vec<(f64, u32)>, seen: &mut Vec<u32>) -> Option<f64> {
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
    let mut best: Option<f64> = None;
    for (tried, (distance, bone)) in near.iter().enumerate() {
        if best.map_or(tried >= TRIED, |best| *distance > best * (1.0 + ALIKE)) {
            break;
        }
        let Bone { joint, .. } = bones[*bone as usize];
        if !seen.contains(&joint) && !body.surface.is_between(place as u32, at, bones[*bone as usize].nearest(at)) {
            best.get_or_insert(*distance);
            seen.push(joint);
        }
    }
    best
}

/// Returns for each piece whether no heat reaches it, not even from another piece.
fn cold_islands(body: &Body, heated: &[bool], springs: &[Spring]) -> Vec<bool> {
    let mut sets = skinscope_base::math::DisjointSets::new(body.islands.len());
    for spring in springs {
        let island = |place: u32| body.islands.of[place as usize];
        sets.join(island(spring.place), island(spring.target[0]));
    }
    let (group_of, groups) = sets.numbered();
    let mut is_warm = vec![false; groups];
    for (piece, group) in body.islands.places.iter().zip(&group_of) {
        is_warm[*group as usize] |= piece.iter().any(|place| heated[*place as usize]);
    }
    group_of.iter().map(|group| !is_warm[*group as usize]).collect()
}

fn solved(
    body: &Body,
    (sources, joints): (&[Source], &[u32]),
    springs: &[Spring],
    cold: &[bool],
    progress: Progress,
) -> Result<Rows, BindError> {
    let shape = body.shape;
    let count = shape.points.len();
    let mean = shape.areas.iter().sum::<f64>() / count as f64;
    let mass = |place: usize| shape.areas[place].max(1e-9 * mean);
    let mut equations = Equations::with_room(count, 2 * count + 10 * springs.len());
    for place in 0..count {
        let island = body.islands.of[place];
        let mut own = mass(place) * sources[place].strength;
        if island == NONE || cold[island as usize] {
            // Nothing is asked of it, but the matrix has to be regular.
            own += mean;
        }
        for (next, weight) in shape.edges.row(place) {
            own += weight;
            if *next as usize > place {
                equations.add(place as u32, *next, -weight);
            }
        }
        equations.add(place as u32, place as u32, own);
    }
    for spring in springs {
        let stiffness = spring.stiffness * mass(spring.place as usize);
        let ends = [(spring.place, 1.0)].into_iter().chain(spring.target.into_iter().zip(spring.shares.map(|s| -s)));
        let ends: Vec<(u32, f64)> = ends.collect();
        for (i, (a, share)) in ends.iter().enumerate() {
            for (b, other) in &ends[i..] {
                equations.add(*a, *b, stiffness * share * other);
            }
        }
    }
    let mut used = joints.to_vec();
    used.sort_unstable();
    used.dedup();
    // For each joint the places that its bones warm.
    let mut right: Vec<Vec<(u32, f64)>> = vec![Vec::new(); used.len()];
    for (place, source) in sources.iter().enumerate() {
        for joint in &joints[source.first as usize..(source.first + source.count) as usize] {
            let Ok(at) = used.binary_search(joint) else { continue };
            right[at].push((place as u32, mass(place) * source.strength / f64::from(source.count)));
        }
    }
    let mut rows: Rows = vec![Vec::new(); count];
    equations.solve(&right, progress, &mut |column, values| {
        for (row, value) in rows.iter_mut().zip(values) {
            if *value > COLD {
                row.push((used[column], *value));
            }
        }
    })?;
    Ok(rows)
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
    let other = &crate::nearest::NEAREST;
    let mut rows = (other.run)(body, settings, progress.part(0.95, 1.0))?.rows;
    for (island, piece) in body.islands.places.iter().enumerate().filter(|(island, _)| cold[*island]) {
        piece.iter().for_each(|place| found.rows[*place as usize] = std::mem::take(&mut rows[*place as usize]));
        let reason = "none of its places sees a bone, nor lies near a piece that does".to_owned();
        found.fallback.push(Fallback { island, vertices: piece.len(), method: other.id, reason });
    }
    Ok(())
}
