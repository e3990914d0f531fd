//! The nearest bone, by topology: a place follows a bone only if the surface leads there from where the bone is nearest.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::binder::{Binder, BinderParameter, Body, Found};
use crate::islands::NONE;
use crate::progress::Progress;
use crate::rows::{self, Rows};
use crate::{BindError, BindSettings};

/// The method *nearest*.
pub static NEAREST: Binder = Binder {
    id: "nearest",
    label: "Nearest bone",
    help: "Each place follows the bone that is nearest to it, in pieces that hang together; then weights are blended over the surface",
    source: "",
    parameters: &[BLEND],
    run,
};

const BLEND: BinderParameter = BinderParameter {
    id: "blend",
    label: "Blend",
    help: "How far from the border of two bones both move the surface, in percent of the size",
    range: [0.0, 20.0],
    default: 3.0,
    decimals: 1,
};

fn run(body: &Body, settings: &BindSettings, progress: Progress) -> Result<Found, BindError> {
    let shape = body.shape;
    let of = |range: std::ops::Range<usize>| {
        range.map(|place| body.bones.nearest(shape.points[place]).map_or(NONE, |bone| bone.0)).collect()
    };
    let nearest: Vec<u32> = progress.part(0.0, 0.4).by_chunk(shape.points.len(), 1024, &of)?;
    let joint_of = connected(body, nearest);
    progress.at(0.5)?;
    let reach = settings.value(&BLEND) / 100.0;
    let rows = blended(body, &joint_of, reach, progress.part(0.5, 1.0))?;
    Ok(Found { rows, ..Found::default() })
}

/// Leaves each joint, in each piece of the surface, the one connected part that comes nearest to its bones; other parts get the joints around
/// them.
fn connected(body: &Body, nearest: Vec<u32>) -> Vec<u32> {
    let shape = body.shape;
    let count = shape.points.len();
    let distance = |place: usize| {
        body.bones.nearest(shape.points[place]).map_or(f64::INFINITY, |(_, at)| at.distance(shape.points[place]))
    };
    // The parts: places with one joint that edges join.
    let (mut part_of, mut parts): (Vec<u32>, Vec<(f64, u32, u32)>) = (vec![NONE; count], Vec::new());
    for start in 0..count {
        if part_of[start] != NONE {
            continue;
        }
        let number = parts.len() as u32;
        let (mut open, mut least) = (vec![start], f64::INFINITY);
        part_of[start] = number;
        while let Some(place) = open.pop() {
            least = least.min(distance(place));
            for next in shape.neighbours(place as u32).map(|next| next as usize) {
                if part_of[next] == NONE && nearest[next] == nearest[start] {
                    part_of[next] = number;
                    open.push(next);
                }
            }
        }
        parts.push((least, nearest[start], body.islands.of[start]));
    }
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by(|a, b| {
        let key = |part: usize| (parts[part].1, parts[part].2);
        key(*a).cmp(&key(*b)).then(parts[*a].0.total_cmp(&parts[*b].0))
    });
    let mut is_kept = vec![false; parts.len()];
    for group in order.chunk_by(|a, b| (parts[*a].1, parts[*a].2) == (parts[*b].1, parts[*b].2)) {
        is_kept[group[0]] = true;
    }
    let mut out = nearest;
    (0..count).filter(|place| !is_kept[part_of[*place] as usize]).for_each(|place| out[place] = NONE);
    spread(body, &mut out);
    out
}

/// Gives places without a joint that of the nearest place that has one, along edges.
fn spread(body: &Body, joint_of: &mut [u32]) {
    let shape = body.shape;
    let mut open: BinaryHeap<Reverse<(Ordered, u32, u32)>> = BinaryHeap::new();
    let push = |open: &mut BinaryHeap<_>, from: f64, place: u32, joint: u32, joint_of: &[u32]| {
        for next in shape.neighbours(place).filter(|next| joint_of[*next as usize] == NONE) {
            let way = from + shape.points[next as usize].distance(shape.points[place as usize]);
            open.push(Reverse((Ordered(way), next, joint)));
        }
    };
    for place in 0..joint_of.len() as u32 {
        let joint = joint_of[place as usize];
        if joint != NONE {
            push(&mut open, 0.0, place, joint, joint_of);
        }
    }
    while let Some(Reverse((Ordered(way), place, joint))) = open.pop() {
        if joint_of[place as usize] == NONE {
            joint_of[place as usize] = joint;
            push(&mut open, way, place, joint, joint_of);
        }
    }
}

/// A distance that can be compared.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ordered(f64);

impl Eq for Ordered {}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Blends the joints over the surface: each place takes the mean of what lies within `reach` of it along edges, nearer ones more.
fn blended(body: &Body, joint_of: &[u32], reach: f64, progress: Progress) -> Result<Rows, BindError> {
    let shape = body.shape;
    let of = |range: std::ops::Range<usize>| {
        let mut found: Vec<(u32, f64)> = Vec::new();
        let row = |place: usize| {
            within(body, place as u32, reach, &mut found);
            let share = |(near, way): &(u32, f64)| {
                let t = if reach > 0.0 { 1.0 - way / reach } else { 1.0 };
                ([(joint_of[*near as usize], 1.0)], t * t * shape.areas[*near as usize].max(1e-12))
            };
            let parts: Vec<([(u32, f64); 1], f64)> = found.iter().map(share).collect();
            let mut row = rows::sum(parts.iter().map(|(row, factor)| (&row[..], *factor)));
            row.retain(|(joint, _)| *joint != NONE);
            row
        };
        range.map(row).collect()
    };
    progress.by_chunk(shape.points.len(), 256, &of)
}

/// Lists the places within `reach` of a place along edges, with their distances; itself first.
fn within(body: &Body, place: u32, reach: f64, out: &mut Vec<(u32, f64)>) {
    let shape = body.shape;
    out.clear();
    out.push((place, 0.0));
    let mut open = BinaryHeap::from([Reverse((Ordered(0.0), place))]);
    let mut least: std::collections::HashMap<u32, f64> = std::collections::HashMap::from([(place, 0.0)]);
    while let Some(Reverse((Ordered(way), at))) = open.pop() {
        if way > least[&at] {
            continue;
        }
        if at != place {
            out.push((at, way));
        }
        for next in shape.neighbours(at) {
            let way = way + shape.points[next as usize].distance(shape.points[at as usize]);
            if way < reach && least.get(&next).is_none_or(|before| way < *before) {
                least.insert(next, way);
                open.push(Reverse((Ordered(way), next)));
            }
        }
    }
}
