//! The body of a standing figure, without props that stand apart from it: they would tell sections and sides another height and width.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};

use glam::Vec3;
use skinscope_base::math::{Aabb, DisjointSets, Weld, WeldRule};
use skinscope_model::Model;

use super::middle::{bare_bounds_of, bare_points, bare_triangles};

/// Pieces whose boxes are nearer to each other than this share of the size of the piece with the most triangles belong together.
const NEAR: f32 = 0.05;
/// The body has more than this share of all triangles. Where nothing has, nothing is left out.
const MOST: f64 = 0.5;
/// Of a figure with more pieces than this nothing is left out: all of them would have to be compared.
const MOST_PIECES: usize = 4000;
/// Hands that float are as many triangles on both sides, in boxes that are as alike as this share of the body's size and no farther from it than
/// that one.
const ALIKE: f32 = 0.02;
const BESIDE: f32 = 0.3;

/// The meshes without a skin of a model, as they stand at rest in the scene, without what stands apart from the body.
pub(super) struct MainBody {
    pub points: Vec<Vec3>,
    pub triangles: Vec<[Vec3; 3]>,
    /// The box around them.
    pub bounds: Aabb,
}

impl MainBody {
    /// Takes the meshes with these numbers of the file; `None`: all.
    pub fn of(model: &Model, meshes: Option<&BTreeSet<u32>>) -> Self {
        let (mut points, mut triangles) = (bare_points(model, meshes), bare_triangles(model, meshes));
        let Some(is_body) = body_of(&triangles) else {
            return Self { points, triangles, bounds: bare_bounds_of(model, meshes) };
        };
        let key = |at: &Vec3| (*at + Vec3::ZERO).to_array().map(f32::to_bits);
        let apart = triangles.iter().zip(&is_body).filter(|(_, is_body)| !**is_body);
        let apart: HashSet<[u32; 3]> = apart.flat_map(|(corners, _)| corners.iter().map(key)).collect();
        points.retain(|at| !apart.contains(&key(at)));
        let mut is_body = is_body.into_iter();
        triangles.retain(|_| is_body.next().unwrap_or(true));
        let bounds = Aabb::from_points(points.iter().copied());
        Self { points, triangles, bounds }
    }
}

/// Triangles that belong together.
#[derive(Clone, Copy)]
struct Piece {
    triangles: usize,
    bounds: Aabb,
}

/// Returns for each triangle whether it belongs to the body; `None` where all do.
fn body_of(triangles: &[[Vec3; 3]]) -> Option<Vec<bool>> {
    let (piece, pieces) = pieces_of(triangles)?;
    if pieces.len() < 2 || pieces.len() > MOST_PIECES {
        return None;
    }
    let near = NEAR * pieces.get(largest(&pieces)?)?.bounds.diagonal();
    let mut sets = DisjointSets::new(pieces.len());
    for (number, one) in (0_u32..).zip(&pieces) {
        for (other, _) in (0..number).zip(&pieces).filter(|(_, other)| touch(one.bounds, other.bounds, near)) {
            sets.join(number, other);
        }
    }
    let (group, count) = sets.numbered();
    let groups = merged(group.iter().zip(&pieces).map(|(group, piece)| (*group as usize, *piece)), count);
    let body = *groups.get(largest(&groups)?)?;
    if body.triangles as f64 <= MOST * triangles.len() as f64 {
        return None;
    }
    let keeps: Vec<bool> = groups.iter().map(|group| belongs(group, &body, &groups)).collect();
    if keeps.iter().all(|keeps| *keeps) {
        return None;
    }
    Some(piece.iter().map(|piece| keeps[group[*piece] as usize]).collect())
}

/// Returns for each triangle the number of its piece, and the pieces: triangles that have corners at one place hang together.
fn pieces_of(triangles: &[[Vec3; 3]]) -> Option<(Vec<usize>, Vec<Piece>)> {
    let weld = Weld::new(triangles.as_flattened(), WeldRule::Exact, &|| false)?;
    let mut sets = DisjointSets::new(weld.first.len());
    let (corners, _) = weld.group.as_chunks::<3>();
    for [a, b, c] in corners {
        sets.join(*a, *b);
        sets.join(*a, *c);
    }
    let (number, count) = sets.numbered();
    let piece: Vec<usize> = corners.iter().map(|[first, ..]| number[*first as usize] as usize).collect();
    let alone = |corners: &[Vec3; 3]| Piece { triangles: 1, bounds: Aabb::from_points(*corners) };
    let pieces = merged(piece.iter().copied().zip(triangles.iter().map(alone)), count);
    Some((piece, pieces))
}

/// Puts pieces together that have one number.
fn merged(all: impl Iterator<Item = (usize, Piece)>, count: usize) -> Vec<Piece> {
    let mut out = vec![Piece { triangles: 0, bounds: Aabb::EMPTY }; count];
    for (number, piece) in all {
        let whole = &mut out[number];
        whole.triangles += piece.triangles;
        whole.bounds = whole.bounds.union(piece.bounds);
    }
    out
}

/// Returns the number of the piece with the most triangles, of equal ones the first.
fn largest(pieces: &[Piece]) -> Option<usize> {
    (0..pieces.len()).max_by_key(|number| (pieces[*number].triangles, Reverse(*number)))
}

/// Whether two boxes are no farther from each other than `near` along any axis.
fn touch(one: Aabb, other: Aabb, near: f32) -> bool {
    let near = Vec3::splat(near);
    (one.min - near).cmple(other.max).all() && (other.min - near).cmple(one.max).all()
}

/// Whether a group is the body, lies over or under it, or is one of two on both of its sides.
fn belongs(group: &Piece, body: &Piece, groups: &[Piece]) -> bool {
    let flat = |bounds: Aabb| Aabb { min: bounds.min.with_y(0.0), max: bounds.max.with_y(0.0) };
    if touch(flat(group.bounds), flat(body.bounds), 0.0) {
        return true;
    }
    let size = body.bounds.diagonal();
    let twice = 2.0 * body.bounds.center();
    let is_partner = |other: &Piece| {
        [Vec3::X, Vec3::Z].into_iter().any(|axis| {
            // Across the axis the lower side becomes the upper one.
            let mirrored = |from: Vec3, across: Vec3| from * (Vec3::ONE - axis) + (twice - across) * axis;
            let Aabb { min, max } = group.bounds;
            let off = [mirrored(min, max) - other.bounds.min, mirrored(max, min) - other.bounds.max];
            off.iter().all(|off| off.abs().max_element() <= ALIKE * size)
        })
    };
    let is_other_side =
        |other: &Piece| other.triangles == group.triangles && other.bounds != group.bounds && is_partner(other);
    touch(group.bounds, body.bounds, BESIDE * size) && groups.iter().any(is_other_side)
}
