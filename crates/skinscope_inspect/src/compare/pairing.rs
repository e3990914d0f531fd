//! Pairs the vertices of two meshes: by order where both have as many and the same triangles, however far they have moved, else by place.

use glam::Vec3;
use skinscope_base::math::{Aabb, DisjointSets, Weld, WeldRule};

use super::places::{self, Space, same_uv};
use super::vertices::{Shape, Vertices, in_order, width};

/// Positions that are nearer to each other than this are one, as a share of the surface's size.
const SAME_PLACE: f32 = 2e-6;
/// Two primitives with as many vertices may be one whose triangles were changed if they share this share of them.
const MOSTLY: f64 = 0.5;
/// The share of the vertices that must lie where vertices lie for the order of all to be another one.
const RULE: f64 = 0.9;

/// The vertices of two meshes in pairs.
#[derive(Debug)]
pub(super) struct Matched {
    /// The numbers of the two vertices of each pair, by that in the first mesh. A vertex may be in several pairs where the other mesh has
    /// several at its place.
    pub pairs: Vec<[u32; 2]>,
    /// For each pair whether the two are at different places.
    pub is_moved: Vec<bool>,
    /// The vertices of each mesh that have no counterpart.
    pub lost: [Vec<u32>; 2],
    /// The triangles, lines and points of each mesh that the other does not have, among those whose corners all have counterparts.
    pub unlike: [Vec<Shape>; 2],
    /// The mean distance of pairs, as a share of the size.
    spread: f64,
}

impl Matched {
    /// Returns whether all is where it is in the other mesh.
    pub fn is_same(&self) -> bool {
        self.is_exact() && self.unlike.iter().all(Vec::is_empty)
    }

    /// Returns whether all vertices have counterparts at their places.
    pub fn is_exact(&self) -> bool {
        self.is_complete() && !self.is_moved.contains(&true)
    }

    fn is_complete(&self) -> bool {
        self.lost.iter().all(Vec::is_empty)
    }

    fn unlike_count(&self) -> usize {
        self.unlike.iter().map(Vec::len).sum()
    }

    /// Returns whether this is better than what was found in another space: more vertices have counterparts, or as many nearer ones.
    pub(crate) fn is_better_than(&self, other: &Self) -> bool {
        let lost = |matched: &Self| matched.lost.iter().map(Vec::len).sum::<usize>();
        let (own, theirs) = (lost(self), lost(other));
        own < theirs || own == theirs && self.spread < 0.5 * other.spread
    }
}

/// What two primitives of one number have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Alike {
    /// They do not have as many vertices.
    No,
    /// They have as many vertices, and this share of their triangles.
    Triangles(f64),
    /// They have the same vertices in the same order, as far as triangles or texture coordinates tell.
    Order { has_all_triangles: bool },
}

/// What the primitives of two meshes have in common, one with the other of its number.
#[derive(Debug)]
pub(super) struct Order(Vec<Alike>);

impl Order {
    pub fn of(lists: &[Vertices; 2]) -> Self {
        let count = lists.iter().map(|list| list.mesh.primitives.len()).min().unwrap_or_default();
        Self((0..count).map(|p| alike(lists, p)).collect())
    }
}

fn alike(lists: &[Vertices; 2], p: usize) -> Alike {
    let [a, b] = [0, 1].map(|side| &lists[side].mesh.primitives[p]);
    if a.stored_vertices != b.stored_vertices || width(a) != width(b) {
        return Alike::No;
    }
    let shapes = [a, b].map(|primitive| {
        let stored = |vertex: &u32| primitive.stored_vertex(*vertex);
        primitive.indices.iter().map(stored)
    });
    let [own, other] = shapes;
    if own.clone().eq(other.clone()) {
        return Alike::Order { has_all_triangles: true };
    }
    let sorted = |corners: Vec<u32>| {
        let shape = |corners: &[u32]| in_order([0, 1, 2].map(|i| corners.get(i).copied().unwrap_or(u32::MAX)));
        let mut out: Vec<[u32; 3]> = corners.chunks_exact(width(a)).filter_map(shape).collect();
        out.sort_unstable();
        out
    };
    let (own, other) = (sorted(own.collect()), sorted(other.collect()));
    let most = own.len().max(other.len());
    let shared = shared(&own, &other);
    if shared == most {
        return Alike::Order { has_all_triangles: true };
    }
    let has_uvs = a.uvs.iter().zip(&b.uvs).any(|(own, other)| !own.is_empty() && !other.is_empty());
    match has_uvs && (0..a.stored_vertices).all(|v| same_uv(a, v, b, v)) {
        true => Alike::Order { has_all_triangles: false },
        false => Alike::Triangles(shared as f64 / most.max(1) as f64),
    }
}

/// Returns how many items two sorted lists have in common.
fn shared<T: Ord>(own: &[T], other: &[T]) -> usize {
    let (mut x, mut y, mut count) = (0, 0, 0);
    while let (Some(here), Some(there)) = (own.get(x), other.get(y)) {
        count += usize::from(here == there);
        (x, y) = (x + usize::from(here <= there), y + usize::from(there <= here));
    }
    count
}

/// Makes a space of the positions of the vertices of two meshes, by their numbers.
pub(super) fn space(lists: &[Vertices; 2], points: [Vec<Vec3>; 2]) -> Space {
    let sizes = [0, 1].map(|side| Aabb::around_mass(&points[side]).diagonal());
    let size = sizes[0].max(sizes[1]);
    let size = if size.is_finite() { size } else { 0.0 };
    let reach = (size * SAME_PLACE).max(f32::MIN_POSITIVE);
    let edges = [0, 1].map(|side| mean_side(&lists[side], &points[side]).unwrap_or(f32::INFINITY));
    let count = lists[0].len().max(1) as f32;
    let edge = edges[0].min(edges[1]);
    let edge = if edge.is_finite() { edge } else { size / count.sqrt() };
    Space { points, size, reach, limit: (edge / 2.0).max(reach) }
}

/// Returns the mean length of the sides of all triangles and lines; `None` where there is none.
fn mean_side(list: &Vertices, points: &[Vec3]) -> Option<f32> {
    let lengths = list.sides().map(|[a, b]| f64::from(points[a as usize].distance(points[b as usize])));
    let (sum, count) = lengths.filter(|l| l.is_finite()).fold((0.0, 0_u64), |(sum, count), l| (sum + l, count + 1));
    (count > 0).then(|| (sum / count as f64) as f32)
}

/// Pairs the vertices of two meshes in one space.
pub(super) fn matched(lists: &[Vertices; 2], order: &Order, space: &Space) -> Matched {
    let mut by_order: Vec<usize> = Vec::new();
    let mut far: Vec<usize> = Vec::new();
    for (p, alike) in order.0.iter().enumerate() {
        let (is_same_order, has_all_triangles) = match alike {
            Alike::No => continue,
            Alike::Triangles(_) => (false, false),
            Alike::Order { has_all_triangles } => (true, *has_all_triangles),
        };
        let pairs = || lists[0].numbers(p).zip(lists[1].numbers(p)).map(|(v, w)| [v as u32, w as u32]);
        let apart = |[v, w]: [u32; 2]| space.points[0][v as usize].distance(space.points[1][w as usize]);
        let is_near = is_same_order && pairs().all(|pair| space.is_near(pair))
            || has_all_triangles && pairs().all(|pair| apart(pair) <= space.limit);
        if is_near {
            by_order.push(p);
        } else if has_all_triangles || matches!(alike, Alike::Triangles(share) if *share >= MOSTLY) {
            far.push(p);
        }
    }
    if !far.is_empty() && !may_be_reordered(lists, space, (&by_order, &far)) {
        by_order.extend(far);
        return with_order(lists, space, &by_order);
    }
    let by_place = with_order(lists, space, &by_order);
    if far.is_empty() || by_place.is_complete() && by_place.unlike_count() == 0 {
        return by_place;
    }
    by_order.extend(far);
    let ordered = with_order(lists, space, &by_order);
    let keeps_place = by_place.is_complete() && by_place.unlike_count() <= ordered.unlike_count();
    if keeps_place { by_place } else { ordered }
}

/// Returns whether primitives whose vertices are far from those of the same number may have them in another order: most of them lie where
/// some vertex lies. It says nothing where there are others.
fn may_be_reordered(lists: &[Vertices; 2], space: &Space, (near, far): (&[usize], &[usize])) -> bool {
    let has_others = lists.iter().any(|list| list.mesh.primitives.len() > near.len() + far.len());
    let mut open = [0, 1].map(|side| vec![false; lists[side].len()]);
    far.iter().for_each(|p| (0..2).for_each(|side| open[side][lists[side].numbers(*p)].fill(true)));
    has_others || places::share_near(space, &open) >= RULE
}

/// Pairs the vertices of some primitives by order, and all others by place. A vertex that no triangle uses has a counterpart by order or
/// none at all, and is not missed.
fn with_order(lists: &[Vertices; 2], space: &Space, by_order: &[usize]) -> Matched {
    let mut pairs: Vec<[u32; 2]> = Vec::new();
    for p in by_order {
        pairs.extend(lists[0].numbers(*p).zip(lists[1].numbers(*p)).map(|(v, w)| [v as u32, w as u32]));
    }
    let mut lost = [0, 1].map(|side| without_pair(&lists[side], &pairs, side));
    if lost.iter().any(|lost| !lost.is_empty()) {
        let is_used = [0, 1].map(|side| lists[side].used());
        (0..2).for_each(|side| lost[side].retain(|v| is_used[side][*v as usize]));
        let mut open = [0, 1].map(|side| vec![false; lists[side].len()]);
        (0..2).for_each(|side| lost[side].iter().for_each(|v| open[side][*v as usize] = true));
        let by_place = places::pair(lists, space, &pairs, &open);
        let mut has_other = [0, 1].map(|side| vec![false; lists[side].len()]);
        by_place.iter().for_each(|pair| (0..2).for_each(|side| has_other[side][pair[side] as usize] = true));
        // One that is used in one mesh alone stands for the other until that has a counterpart that is used.
        pairs.retain(|pair| {
            let is_spare =
                |side: usize| !is_used[1 - side][pair[1 - side] as usize] && has_other[side][pair[side] as usize];
            !(0..2).any(is_spare)
        });
        pairs.extend(by_place);
        pairs.sort_unstable();
        (0..2).for_each(|side| {
            lost[side] = without_pair(&lists[side], &pairs, side);
            lost[side].retain(|v| is_used[side][*v as usize]);
        });
    }
    let distances = pairs.iter().map(|[v, w]| space.points[0][*v as usize].distance(space.points[1][*w as usize]));
    let finite = distances.map(f64::from).filter(|d| d.is_finite());
    let (sum, count) = finite.fold((0.0, 0_u64), |(sum, count), d| (sum + d, count + 1));
    let spread = sum / count.max(1) as f64 / f64::from(space.size).max(f64::MIN_POSITIVE);
    let is_moved = pairs.iter().map(|pair| !space.is_near(*pair)).collect();
    let unlike = unlike(lists, space, &pairs);
    Matched { pairs, is_moved, lost, unlike, spread }
}

/// Returns the vertices of a mesh that are in no pair.
fn without_pair(list: &Vertices, pairs: &[[u32; 2]], side: usize) -> Vec<u32> {
    let mut is_known = vec![false; list.len()];
    pairs.iter().for_each(|pair| is_known[pair[side] as usize] = true);
    (0..list.len() as u32).filter(|v| !is_known[*v as usize]).collect()
}

/// Numbers the places of both meshes: those of a pair have one number, and so have the vertices of a mesh that lie at one place.
pub(super) fn shared_places(lists: &[Vertices; 2], space: &Space, pairs: &[[u32; 2]]) -> [Vec<u32>; 2] {
    let counts = [0, 1].map(|side| lists[side].len());
    let firsts = [0, counts[0] as u32];
    let mut sets = DisjointSets::new(counts[0] + counts[1]);
    for (start, points) in firsts.into_iter().zip(&space.points) {
        let weld = Weld::new(points, WeldRule::Near, &|| false).unwrap_or_default();
        for (v, group) in (0..).zip(&weld.group) {
            let first = weld.first[*group as usize];
            if first != v {
                sets.join(start + first, start + v);
            }
        }
    }
    pairs.iter().for_each(|[v, w]| sets.join(*v, firsts[1] + *w));
    let (mut own, _) = sets.numbered();
    let other = own.split_off(counts[0]);
    [own, other]
}

/// Returns the shapes that only one of two meshes has; their corners are compared by place. One with a corner that has no counterpart is none
/// of them.
fn unlike(lists: &[Vertices; 2], space: &Space, pairs: &[[u32; 2]]) -> [Vec<Shape>; 2] {
    let all = |side: usize| lists[side].shapes().map(|shape| shape.corners);
    let is_order = |(i, pair): (usize, &[u32; 2])| pair[0] as usize == i && pair[1] as usize == i;
    let has_all = pairs.len() == lists[0].len() && lists[0].len() == lists[1].len();
    if has_all && pairs.iter().enumerate().all(is_order) && all(0).eq(all(1)) {
        return [Vec::new(), Vec::new()];
    }
    let places = shared_places(lists, space, pairs);
    let mut is_known = [0, 1].map(|side| vec![false; lists[side].len()]);
    pairs.iter().for_each(|pair| (0..2).for_each(|side| is_known[side][pair[side] as usize] = true));
    let sorted = |side: usize| {
        let is_corner = |corner: u32| corner != u32::MAX;
        let place = |corner: u32| if is_corner(corner) { places[side][corner as usize] } else { corner };
        let has_partners = |shape: &Shape| shape.corners.iter().all(|c| !is_corner(*c) || is_known[side][*c as usize]);
        let placed = |shape: Shape| Some((in_order(shape.corners.map(place))?, shape));
        let mut out: Vec<([u32; 3], Shape)> = lists[side].shapes().filter(has_partners).filter_map(placed).collect();
        out.sort_unstable();
        out
    };
    let (own, other) = (sorted(0), sorted(1));
    let (mut x, mut y, mut out) = (0, 0, [Vec::new(), Vec::new()]);
    while x < own.len() || y < other.len() {
        match (own.get(x), other.get(y)) {
            (Some(here), Some(there)) if here.0 == there.0 => (x, y) = (x + 1, y + 1),
            (Some(here), there) if there.is_none_or(|there| here.0 < there.0) => {
                out[0].push(here.1);
                x += 1;
            }
            (_, Some(there)) => {
                out[1].push(there.1);
                y += 1;
            }
            (_, None) => break,
        }
    }
    out
}
