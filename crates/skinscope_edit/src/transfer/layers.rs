//! Loose pieces that lie on other pieces of the same surface, as a brooch does on a coat.

use glam::DVec3;
use skinscope_weights::Shares;

use super::report::Taken;
use crate::closest::{Found, TriangleTree};
use crate::matching::{Matches, Rest};

/// Lets the pieces that the donor is hardly anywhere near follow the pieces that it is near, where those lie nearer than the donor.
pub(super) fn follow(rest: &Rest, matches: &Matches, taken: &mut [Taken]) {
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
