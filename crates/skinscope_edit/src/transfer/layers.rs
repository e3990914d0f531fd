//! Pieces that lie on other pieces of the same surface, as a brooch does on a coat, and a coat on a shirt.

use glam::DVec3;
use skinscope_weights::Shares;

use super::report::Taken;
use crate::closest::{Found, TriangleTree};
use crate::matching::{Matches, Rest, is_alike};

/// What lies below a welded vertex lies there within 60° of the way that it faces: the cosine of that.
const BELOW: f64 = 0.5;

/// Lets the pieces that the donor is hardly anywhere near follow the pieces that it is near, where those lie nearer than the donor, and then
/// every piece what lies between it and the donor.
pub(super) fn follow(rest: &Rest, matches: &Matches, taken: &mut [Taken]) {
    follow_near(rest, matches, taken);
    follow_below(rest, matches, taken);
}

/// Lets the pieces that the donor is hardly anywhere near follow the pieces that it is near, where those lie nearer than the donor.
fn follow_near(rest: &Rest, matches: &Matches, taken: &mut [Taken]) {
    let is_loose = |welded: u32| matches.loose[rest.piece[welded as usize] as usize];
    let carries =
        |triangle: &&[u32; 3]| triangle.iter().all(|w| !is_loose(*w) && !taken[*w as usize].shares.is_empty());
    let below: Vec<[u32; 3]> = rest.surface.triangles.iter().filter(carries).copied().collect();
    if below.is_empty() || !matches.loose.contains(&true) {
        return;
    }
    let at = |triangle: &[u32; 3]| -> [DVec3; 3] { triangle.map(|welded| rest.positions[welded as usize]) };
    let tree = TriangleTree::new(below.iter().map(at).collect());
    for welded in (0..taken.len() as u32).filter(|welded| is_loose(*welded)) {
        let Some(found) = tree.closest(rest.positions[welded as usize]) else { continue };
        let is_nearer = matches.closest[welded as usize].is_none_or(|donor| found.distance < donor.distance);
        if is_nearer {
            let shares = mixed(&found, &below[found.triangle as usize], taken);
            let entry = &mut taken[welded as usize];
            (entry.shares, entry.is_inpainted, entry.is_partial) = (shares, true, false);
            entry.own.clear();
        }
    }
}

/// Lets welded vertices follow the layer directly below them: the closest point of another piece that lies between them and the donor and
/// faces alike. What lies nearest to the donor is known first, so that a layer over layers follows the uppermost of them.
fn follow_below(rest: &Rest, matches: &Matches, taken: &mut [Taken]) {
    if rest.pieces < 2 {
        return;
    }
    let triangles = &rest.surface.triangles;
    let at = |triangle: &[u32; 3]| -> [DVec3; 3] { triangle.map(|welded| rest.positions[welded as usize]) };
    let tree = TriangleTree::new(triangles.iter().map(at).collect());
    let distance = |welded: u32| matches.closest[welded as usize].map_or(f64::INFINITY, |found| found.distance);
    let mut order: Vec<u32> = (0..taken.len() as u32).filter(|welded| distance(*welded).is_finite()).collect();
    order.sort_by(|a, b| distance(*a).total_cmp(&distance(*b)).then(a.cmp(b)));
    for welded in order {
        let (point, way) = (rest.positions[welded as usize], matches.ways[welded as usize]);
        let (piece, reach) = (rest.piece[welded as usize], distance(welded) - rest.tie());
        let is_below = |found: &Found| {
            let corners = triangles[found.triangle as usize];
            let mix = |of: &[DVec3]| -> DVec3 {
                corners.iter().zip(found.shares).map(|(corner, share)| of[*corner as usize] * share).sum()
            };
            let is_inner = |corner: &u32| {
                rest.piece[*corner as usize] != piece
                    && distance(*corner) < reach
                    && !taken[*corner as usize].shares.is_empty()
            };
            let up = (point - mix(&rest.positions)).dot(way);
            corners.iter().all(is_inner)
                && is_alike(mix(&matches.ways).normalize_or_zero(), way)
                && (way == DVec3::ZERO || up >= BELOW * found.distance)
        };
        let Some(found) = tree.closest_within(point, reach, &is_below) else { continue };
        let shares = mixed(&found, &triangles[found.triangle as usize], taken);
        let entry = &mut taken[welded as usize];
        entry.is_inpainted = matches.loose[piece as usize];
        (entry.shares, entry.is_partial, entry.is_layered) = (shares, false, true);
        entry.own.clear();
    }
}

/// Returns the shares at a point of a triangle, the largest first.
fn mixed(found: &Found, corners: &[u32; 3], taken: &[Taken]) -> Shares {
    let mut out = Shares::new();
    for (corner, part) in corners.iter().zip(found.shares).filter(|(_, part)| *part > 0.0) {
        for (key, share) in &taken[*corner as usize].shares {
            match out.iter_mut().find(|(known, _)| known == key) {
                Some((_, sum)) => *sum += share * part,
                None => out.push((*key, share * part)),
            }
        }
    }
    out.sort_by(|a, b| b.1.total_cmp(&a.1));
    out
}
