//! The plane in which a skeleton, and maybe its mesh, is its own mirror image.

use std::collections::HashMap;

use glam::DVec3;

use crate::BindProblem;
use crate::shape::Shape;

/// A plane with the partners of all joints and of those places that have one.
#[derive(Clone, Debug)]
pub struct Mirror {
    /// The unit normal of the plane.
    pub normal: DVec3,
    /// The plane is where the product with the normal is this.
    pub offset: f64,
    /// For each joint the one at its mirror image; itself in the plane.
    pub joints: Vec<u32>,
    /// For each place the one at its mirror image; [`NONE`] where there is none.
    pub places: Vec<u32>,
    /// How many places have one.
    pub paired: usize,
}

/// Stands for no partner.
pub const NONE: u32 = u32::MAX;

/// How far a joint may be from the mirror image of its partner.
const JOINT_REACH: f64 = 1e-3;
/// The same for a place.
const PLACE_REACH: f64 = 1e-4;
/// Planes whose normals and places differ by less are one.
const SAME_PLANE: f64 = 1e-3;
/// So many pairs of joints are looked at.
const MOST_PAIRS: usize = 4000;

impl Mirror {
    /// Finds the plane in which every joint has a partner and most places have one.
    pub fn of(problem: &BindProblem, shape: &Shape) -> Option<Self> {
        let mut known: Vec<(DVec3, f64)> = Vec::new();
        let mut out: Option<Self> = None;
        let mut cells: Option<Cells> = None;
        for [a, b] in siblings(problem).into_iter().take(MOST_PAIRS) {
            let [a, b] = [a, b].map(|joint| shape.heads[joint]);
            let normal = (b - a).normalize_or_zero();
            if a.distance(b) <= JOINT_REACH || normal == DVec3::ZERO {
                continue;
            }
            let offset = normal.dot(a + b) / 2.0;
            let is_same = |(n, o): &(DVec3, f64)| {
                let turn = n.dot(normal).signum();
                (normal * turn - *n).length() < SAME_PLANE && (offset * turn - o).abs() < SAME_PLANE
            };
            if known.iter().any(is_same) {
                continue;
            }
            known.push((normal, offset));
            let Some(joints) = joint_partners(problem, &shape.heads, (normal, offset)) else { continue };
            let cells = cells.get_or_insert_with(|| Cells::of(&shape.points));
            let places = cells.partners(&shape.points, (normal, offset));
            let paired = places.iter().filter(|place| **place != NONE).count();
            if out.as_ref().is_none_or(|best| paired > best.paired) {
                out = Some(Self { normal, offset, joints, places, paired });
            }
        }
        out
    }

    /// Returns how far a point is from the plane, to the side of the normal.
    pub fn side(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }
}

fn mirrored(point: DVec3, (normal, offset): (DVec3, f64)) -> DVec3 {
    point - normal * (2.0 * (normal.dot(point) - offset))
}

/// Returns every two joints that have one parent, or none both, in the order of their numbers.
fn siblings(problem: &BindProblem) -> Vec<[usize; 2]> {
    let mut below: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for (joint, row) in problem.joints.iter().enumerate() {
        below.entry(row.parent).or_default().push(joint);
    }
    let mut out: Vec<[usize; 2]> = Vec::new();
    for row in below.values() {
        for (at, a) in row.iter().enumerate().take(MOST_PAIRS) {
            out.extend(row[at + 1..].iter().take(MOST_PAIRS / 16).map(|b| [*a, *b]));
        }
    }
    out.sort_unstable();
    out
}

/// Returns the partner of each joint; `None` where one has none.
fn joint_partners(problem: &BindProblem, heads: &[DVec3], plane: (DVec3, f64)) -> Option<Vec<u32>> {
    let joints = &problem.joints;
    let depth = |joint: usize| std::iter::successors(Some(joint), |at| joints[*at].parent).count();
    let mut order: Vec<usize> = (0..joints.len()).collect();
    order.sort_by_key(|joint| (depth(*joint), *joint));
    let mut out = vec![NONE; joints.len()];
    for joint in order {
        if out[joint] != NONE {
            continue;
        }
        let image = mirrored(heads[joint], plane);
        let is_near = |other: &usize| heads[*other].distance(image) <= JOINT_REACH && out[*other] == NONE;
        let parent = joints[joint].parent.map(|parent| out[parent]);
        // Of several at one place the one below the partner of the parent, then the one whose name is most like.
        let fits = |other: &usize| {
            let is_below = joints[*other].parent.map(|parent| parent as u32) == parent;
            (is_below, likeness(&joints[joint].name, &joints[*other].name), std::cmp::Reverse(*other))
        };
        let partner = (0..joints.len()).filter(is_near).max_by_key(fits)?;
        (out[joint], out[partner]) = (partner as u32, joint as u32);
    }
    Some(out)
}

/// Returns how many letters two names have in common from their ends on; a name is less like itself than like that of the other side.
fn likeness(a: &str, b: &str) -> usize {
    let before = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let after = a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b).count();
    let longest = a.chars().count().max(b.chars().count());
    2 * (before + after).min(longest) + usize::from(a.len() == b.len())
}

/// The places by cells of a grid.
struct Cells(HashMap<[i64; 3], Vec<u32>>);

/// The side of a cell.
const CELL: f64 = 8.0 * PLACE_REACH;

impl Cells {
    fn of(points: &[DVec3]) -> Self {
        let mut out: HashMap<[i64; 3], Vec<u32>> = HashMap::with_capacity(points.len());
        for (place, point) in (0..).zip(points) {
            out.entry(cell(*point)).or_default().push(place);
        }
        Self(out)
    }

    /// Returns the place that is nearest to a point within the reach.
    fn nearest(&self, points: &[DVec3], at: DVec3) -> Option<u32> {
        let (low, high) = (cell(at - PLACE_REACH), cell(at + PLACE_REACH));
        let mut best: Option<(f64, u32)> = None;
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    for place in self.0.get(&[x, y, z]).into_iter().flatten() {
                        let distance = points[*place as usize].distance(at);
                        if distance <= PLACE_REACH && best.is_none_or(|best| (distance, *place) < best) {
                            best = Some((distance, *place));
                        }
                    }
                }
            }
        }
        best.map(|best| best.1)
    }

    /// Returns the partner of each place that is its partner's too.
    fn partners(&self, points: &[DVec3], plane: (DVec3, f64)) -> Vec<u32> {
        let of = |range: std::ops::Range<usize>| -> Vec<u32> {
            range.map(|place| self.nearest(points, mirrored(points[place], plane)).unwrap_or(NONE)).collect()
        };
        let mut out = skinscope_base::parallel::by_chunk(points.len(), 4096, &of).concat();
        let is_mutual = |place: usize| out[place] != NONE && out[out[place] as usize] == place as u32;
        let mutual: Vec<bool> = (0..points.len()).map(is_mutual).collect();
        out.iter_mut().zip(mutual).filter(|(_, is_mutual)| !is_mutual).for_each(|(partner, _)| *partner = NONE);
        out
    }
}

fn cell(point: DVec3) -> [i64; 3] {
    (point / CELL).floor().to_array().map(|c| c as i64)
}
