//! Finds for each welded vertex of a surface the point of another surface whose weights it may take.
//!
//! A point counts where the surface there faces as the welded vertex does, within 60°, and lies near. A welded vertex without such a point,
//! or whose point is of another limb than its surroundings, has none; its weights come from around it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use glam::DVec3;
use skinscope_base::parallel::JobContext;
use skinscope_weights::RestSurface;

use super::closest::{Found, TriangleTree};
use super::limbs::Limbs;
use super::surface::StoredVertex;

/// The cosine of the angle within which a point must face as the welded vertex does: 60°.
const ALIKE: f64 = 0.5;
/// Where the triangles around a welded vertex face apart so much that this share of their area is left, it faces no way.
const NO_WAY: f64 = 0.05;
/// How far a point may lie, as a share of the size of the surface, or in the distance of the closest point of all.
const NEAR: f64 = 0.05;
const TIMES: f64 = 2.0;
/// A point that lies no farther than this share of the size is not doubted, in a piece of which half of the points lie as near.
const CERTAIN: f64 = 0.01;
/// A piece of which fewer of the welded vertices have a point takes points that lie anywhere.
const FEW: f64 = 0.05;
/// A piece faces the other way where fewer of its welded vertices face as their closest points do.
const TURNED: f64 = 0.25;
/// A piece is of one limb if this share of its welded vertices that have a point is. A third of the way around a limb lies within 60°, so
/// that no more of a piece is drawn to a limb beside it.
const BY_FAR: f64 = 0.6;
/// A patch of one limb amid another one is small if it has less than this share of the largest patch of its limb, which by the same is
/// two thirds of the way around.
const SMALL: f64 = 0.6;
/// A patch is amid another limb if this share of its sides is towards limbs that do not adjoin its own.
const AMID: f64 = 0.75;

/// Points that are no farther from a welded vertex than this share of the size beyond the closest one are as near.
const TIED: f64 = 2e-6;

/// A surface as it rests in the world.
pub(super) struct Rest<'s> {
    pub surface: &'s RestSurface,
    pub positions: Vec<DVec3>,
    /// The unit normal of each welded vertex; zero where it faces no way.
    pub normals: Vec<DVec3>,
    /// The connected piece of each welded vertex.
    pub piece: Vec<u32>,
    pub pieces: usize,
    /// How far a point may lie, metres; `None`: as far as the size of the surface says.
    pub reach: Option<f64>,
    size: f64,
}

impl<'s> Rest<'s> {
    /// Takes a surface with the positions of its welded vertices in the world. `turned`: its triangles face the other way, as those of a
    /// mirrored mesh do.
    pub fn new(surface: &'s RestSurface, positions: Vec<DVec3>, turned: bool) -> Self {
        let mut sums = vec![(DVec3::ZERO, 0.0); positions.len()];
        for triangle in &surface.triangles {
            let [a, b, c] = triangle.map(|welded| positions[welded as usize]);
            let normal = if turned { (c - a).cross(b - a) } else { (b - a).cross(c - a) };
            for welded in triangle.iter().filter(|_| normal.is_finite()) {
                let sum = &mut sums[*welded as usize];
                (sum.0, sum.1) = (sum.0 + normal, sum.1 + normal.length());
            }
        }
        let unit = |(sum, area): (DVec3, f64)| {
            if sum.length() > NO_WAY * area { sum.normalize_or_zero() } else { DVec3::ZERO }
        };
        let normals = sums.into_iter().map(unit).collect();
        let finite = || positions.iter().filter(|p| p.is_finite());
        let low = finite().fold(DVec3::INFINITY, |low, p| low.min(*p));
        let high = finite().fold(DVec3::NEG_INFINITY, |high, p| high.max(*p));
        let size = if low.x <= high.x { (high - low).length() } else { 0.0 };
        let (piece, pieces) = surface.mesh.shells();
        Self { surface, positions, normals, piece, pieces, reach: None, size }
    }
}

/// The surface whose weights are taken.
pub(super) struct Source {
    pub tree: TriangleTree,
    /// The normals at the corners of each triangle, and its own.
    pub normals: Vec<([DVec3; 3], DVec3)>,
    /// The connected piece of each triangle.
    pub pieces: Vec<u32>,
    /// The stored vertices of each triangle.
    pub stored: Vec<[StoredVertex; 3]>,
}

impl Source {
    /// Returns how nearly the surface at a point faces a direction, in steps; nothing is known of what faces no way.
    fn likeness(&self, found: &Found, way: DVec3) -> i32 {
        let (corners, _) = &self.normals[found.triangle as usize];
        let mixed: DVec3 = corners.iter().zip(found.shares).map(|(normal, share)| *normal * share).sum();
        (mixed.normalize_or_zero().dot(way) * 1e3) as i32
    }

    /// Returns which of some points that are equally near is taken: one of the piece that is the same part, then the one that faces most
    /// as the welded vertex does, then the first.
    fn best(&self, tied: Vec<Found>, same: Option<u32>, way: DVec3) -> Option<Found> {
        let rank = |found: &Found| {
            let is_same = same == Some(self.pieces[found.triangle as usize]);
            (is_same, self.likeness(found, way), Reverse(found.triangle))
        };
        tied.into_iter().max_by_key(rank)
    }

    /// Returns whether the surface at a point faces a direction; so it does where either of them faces no way.
    fn faces(&self, found: &Found, way: DVec3) -> bool {
        let (corners, own) = &self.normals[found.triangle as usize];
        let mixed: DVec3 = corners.iter().zip(found.shares).map(|(normal, share)| *normal * share).sum();
        let mixed = mixed.normalize_or_zero();
        let alike = |normal: DVec3| normal.dot(way) >= ALIKE;
        way == DVec3::ZERO || *own == DVec3::ZERO || alike(mixed) || alike(*own)
    }
}

/// The points that the welded vertices of a surface may take weights from.
pub(super) struct Matches {
    /// For each welded vertex its point.
    pub of: Vec<Option<Found>>,
    /// The closest point of all.
    pub closest: Vec<Option<Found>>,
    /// The direction that each welded vertex faces; zero where it faces no way.
    pub ways: Vec<DVec3>,
    /// For each piece the piece of the other surface that is the same part of the body.
    pub same: Vec<Option<u32>>,
    /// For each piece whether hardly any point lies near, so that its points lie anywhere.
    pub loose: Vec<bool>,
}

impl Rest<'_> {
    /// Returns how much farther than the closest point one may lie to be as near.
    pub(crate) fn tie(&self) -> f64 {
        TIED * self.size
    }
}

/// Returns whether two directions are alike, as far as both are known.
pub(super) fn is_alike(one: DVec3, other: DVec3) -> bool {
    one == DVec3::ZERO || other == DVec3::ZERO || one.dot(other) >= ALIKE
}

/// Returns for each piece of a surface the piece of the other one that is the same part: the one that most of its welded vertices lie on
/// that face alike, of several the one that has most of their numbers, then the first. Parts of a body touch, and lie on each other.
fn same_pieces(rest: &Rest, source: &Source, ways: &[DVec3], context: &JobContext) -> Vec<Option<u32>> {
    let mut votes: Vec<BTreeMap<u32, [usize; 2]>> = vec![BTreeMap::new(); rest.pieces];
    for (welded, way) in ways.iter().enumerate().take_while(|_| !context.is_cancelled()) {
        let is_right = |found: &Found| source.faces(found, *way);
        let mut tied: BTreeMap<u32, bool> = BTreeMap::new();
        for found in source.tree.tied_where(rest.positions[welded], rest.tie(), &is_right) {
            let is_own = |corner: &StoredVertex| {
                rest.surface.members(welded as u32).iter().any(|vertex| {
                    let (part, number) = rest.surface.stored(*vertex);
                    (part.primitive, number as u32) == *corner
                })
            };
            let has_number = source.stored[found.triangle as usize].iter().any(is_own);
            *tied.entry(source.pieces[found.triangle as usize]).or_default() |= has_number;
        }
        for (piece, has_number) in tied {
            let votes = votes[rest.piece[welded] as usize].entry(piece).or_default();
            (votes[0], votes[1]) = (votes[0] + 1, votes[1] + usize::from(has_number));
        }
    }
    let most = |votes: &BTreeMap<u32, [usize; 2]>| {
        votes.iter().max_by_key(|(piece, votes)| (**votes, Reverse(**piece))).map(|(piece, _)| *piece)
    };
    votes.iter().map(most).collect()
}

/// Finds the points for all welded vertices; `limb` returns the limb that moves a point most, `None` where that is not known here. `context` hears
/// of the progress; once it is cancelled no more points are found.
pub(super) fn find(
    rest: &Rest,
    source: &Source,
    limbs: &Limbs,
    limb: &dyn Fn(&Found) -> Option<u32>,
    context: &JobContext,
) -> Matches {
    let goes_on = || !context.is_cancelled();
    let nearest = |point: &DVec3| if goes_on() { source.tree.closest(*point) } else { None };
    let closest: Vec<Option<Found>> = rest.positions.iter().map(nearest).collect();
    context.set_fraction(0.25);
    let ways = ways(rest, source, &closest, context);
    context.set_fraction(0.5);
    let same = same_pieces(rest, source, &ways, context);
    context.set_fraction(0.75);
    let facing = |welded: usize| {
        if !goes_on() {
            return None;
        }
        let way = ways[welded];
        let is_right = |found: &Found| source.faces(found, way);
        let tied = source.tree.tied_where(rest.positions[welded], rest.tie(), &is_right);
        source.best(tied, same[rest.piece[welded] as usize], way)
    };
    let all: Vec<Option<Found>> = (0..closest.len()).map(facing).collect();
    let is_near = |welded: usize, found: &Found| {
        let most = closest[welded].map_or(0.0, |near| TIMES * near.distance);
        found.distance <= rest.reach.unwrap_or(most.max(NEAR * rest.size))
    };
    let mut of: Vec<Option<Found>> = all.iter().enumerate().map(|(p, found)| found.filter(|f| is_near(p, f))).collect();
    // A piece that has hardly any point takes those farther away, and where nothing faces as it does the closest ones.
    let loose = with_few(rest, &of);
    for farther in [&all, &closest] {
        let few = with_few(rest, &of);
        for (welded, found) in of.iter_mut().enumerate().filter(|(_, found)| found.is_none()) {
            if few[rest.piece[welded] as usize] {
                *found = farther[welded];
            }
        }
    }
    let limb = |found: &Found| if goes_on() { limb(found) } else { None };
    leave_other_limbs(rest, limbs, &limb, &mut of);
    Matches { of, closest, ways, same, loose }
}

/// Returns for each piece whether hardly any of its welded vertices has a point.
fn with_few(rest: &Rest, of: &[Option<Found>]) -> Vec<bool> {
    let mut counts = vec![[0_usize; 2]; rest.pieces];
    for (found, piece) in of.iter().zip(&rest.piece) {
        let count = &mut counts[*piece as usize];
        (count[0], count[1]) = (count[0] + 1, count[1] + usize::from(found.is_some()));
    }
    counts.into_iter().map(|[total, found]| (found as f64) < FEW * total as f64).collect()
}

/// Returns the direction that each welded vertex faces: its normal, or the opposite in a piece that is inside out.
fn ways(rest: &Rest, source: &Source, closest: &[Option<Found>], context: &JobContext) -> Vec<DVec3> {
    let mut counts = vec![[0_usize; 2]; rest.pieces];
    // Where parts lie on each other one of the points that are equally near faces as the welded vertex does.
    let faces = |welded: usize| {
        closest[welded].filter(|_| !context.is_cancelled())?;
        let tied = source.tree.tied_where(rest.positions[welded], rest.tie(), &|_| true);
        Some(tied.iter().any(|found| source.faces(found, rest.normals[welded])))
    };
    for (welded, faces) in (0..closest.len()).filter_map(|welded| Some((welded, faces(welded)?))) {
        let count = &mut counts[rest.piece[welded] as usize];
        (count[0], count[1]) = (count[0] + 1, count[1] + usize::from(faces));
    }
    let way = |(normal, piece): (&DVec3, &u32)| {
        let [total, alike] = counts[*piece as usize];
        if (alike as f64) < TURNED * total as f64 { -*normal } else { *normal }
    };
    rest.normals.iter().zip(&rest.piece).map(way).collect()
}

/// Takes points away that are of another limb than what is around their welded vertices.
fn leave_other_limbs(rest: &Rest, limbs: &Limbs, limb: &dyn Fn(&Found) -> Option<u32>, of: &mut [Option<Found>]) {
    let own: Vec<Option<u32>> = of.iter().map(|found| found.as_ref().and_then(limb)).collect();
    let close = close_pieces(rest, of);
    let is_certain =
        |welded: usize| close[rest.piece[welded] as usize] && of[welded].is_some_and(|f| lies_close(rest, &f));
    let mut counts: Vec<BTreeMap<u32, usize>> = vec![BTreeMap::new(); rest.pieces];
    for (welded, limb) in own.iter().enumerate().filter_map(|(welded, limb)| Some((welded, (*limb)?))) {
        *counts[rest.piece[welded] as usize].entry(limb).or_default() += 1;
    }
    let main = |counts: &BTreeMap<u32, usize>| {
        let all: usize = counts.values().sum();
        let (limb, most) = counts.iter().max_by_key(|(_, count)| **count)?;
        (*most as f64 >= BY_FAR * all as f64).then_some(*limb)
    };
    let mains: Vec<Option<u32>> = counts.iter().map(main).collect();
    let lost = patches(rest, limbs, &own);
    let wrong: Vec<usize> = (0..of.len())
        .filter(|welded| {
            let other = own[*welded].zip(mains[rest.piece[*welded] as usize]).is_some_and(|(a, b)| !limbs.adjoin(a, b));
            (other || lost[*welded]) && !is_certain(*welded)
        })
        .collect();
    wrong.into_iter().for_each(|welded| of[welded] = None);
}

fn lies_close(rest: &Rest, found: &Found) -> bool {
    found.distance <= CERTAIN * rest.size
}

/// Returns for each piece whether half of its points lie close.
fn close_pieces(rest: &Rest, of: &[Option<Found>]) -> Vec<bool> {
    let mut counts = vec![[0_usize; 2]; rest.pieces];
    for (found, piece) in of.iter().zip(&rest.piece).filter_map(|(found, piece)| Some((found.as_ref()?, *piece))) {
        let count = &mut counts[piece as usize];
        (count[0], count[1]) = (count[0] + 1, count[1] + usize::from(lies_close(rest, found)));
    }
    counts.into_iter().map(|[all, close]| 2 * close >= all).collect()
}

/// Returns for each welded vertex whether it is in a small patch of one limb amid another limb that does not adjoin it.
fn patches(rest: &Rest, limbs: &Limbs, own: &[Option<u32>]) -> Vec<bool> {
    let limb = |welded: u32| own[welded as usize];
    let (patch, count) = rest.surface.mesh.components(&|welded| limb(welded).is_some(), &|a, b| limb(a) == limb(b));
    // Of each patch its welded vertices, and its sides towards others and towards limbs that do not adjoin.
    let mut figures = vec![[0_usize; 3]; count];
    let mut largest: BTreeMap<u32, usize> = BTreeMap::new();
    for welded in (0..own.len() as u32).filter(|welded| limb(*welded).is_some()) {
        let figure = &mut figures[patch[welded as usize] as usize];
        figure[0] += 1;
        let others = rest.surface.neighbours(welded).iter().filter_map(|next| Some((*next, limb(*next)?)));
        for (_, other) in others.filter(|(next, _)| patch[*next as usize] != patch[welded as usize]) {
            figure[1] += 1;
            figure[2] += usize::from(limb(welded).is_some_and(|limb| !limbs.adjoin(limb, other)));
        }
    }
    for (welded, limb) in own.iter().enumerate().filter_map(|(welded, limb)| Some((welded, (*limb)?))) {
        let size = figures[patch[welded] as usize][0];
        largest.entry(limb).and_modify(|most| *most = size.max(*most)).or_insert(size);
    }
    let is_lost = |welded: usize| {
        let limb = own[welded]?;
        let [size, sides, foreign] = figures[patch[welded] as usize];
        let is_small = (size as f64) < SMALL * largest.get(&limb).copied().unwrap_or(0) as f64;
        Some(is_small && sides > 0 && foreign as f64 >= AMID * sides as f64)
    };
    (0..own.len()).map(|welded| is_lost(welded).unwrap_or(false)).collect()
}
