//! Pairs vertices by place: the nearest first, within a radius that grows. Of places that are about as near texture coordinates and
//! neighbours decide, and of vertices at one place normals and weights as well.

use std::collections::HashMap;

use glam::{Vec2, Vec3};
use skinscope_base::math::{BoxTree, Csr, Weld, WeldRule};
use skinscope_model::Primitive;

use super::vertices::Vertices;

/// Texture coordinates that differ by less than this are equal.
const SAME_UV: f32 = 1e-5;
/// Stands for no place.
const NONE: u32 = u32::MAX;
/// So many of the nearest places are looked at for each.
const MOST_NEAR: usize = 32;
/// Distances within a radius count as equal where they are in the same part of it, of so many.
const PARTS: f32 = 4.0;
/// The share of the pairs whose distances say how far places are displaced as a rule.
const RULE: f64 = 0.9;
/// Vertices at one place are compared each with each up to so many pairs, and are paired in order beyond.
const MOST_PAIRS: usize = 4096;

/// Where the vertices of two meshes are, in a space that both share.
#[derive(Debug)]
pub(super) struct Space {
    /// The positions of the vertices of each mesh, by their numbers.
    pub points: [Vec<Vec3>; 2],
    /// The size of the larger one.
    pub size: f32,
    /// Positions that are nearer than this are one.
    pub reach: f32,
    /// The distance within which vertices are paired by place: half the mean length of an edge.
    pub limit: f32,
}

impl Space {
    /// Returns whether two vertices are at one place; what is not finite is where the same bits are.
    pub fn is_near(&self, [v, w]: [u32; 2]) -> bool {
        let (x, y) = (self.points[0][v as usize], self.points[1][w as usize]);
        x.to_array().map(f32::to_bits) == y.to_array().map(f32::to_bits) || x.distance(y) <= self.reach
    }
}

/// The places of some vertices of a mesh.
struct Places<'v, 'm> {
    list: &'v Vertices<'m>,
    /// The place of every vertex.
    group: Vec<u32>,
    /// Where each place is; not a number where it has none of the vertices.
    points: Vec<Vec3>,
    /// The vertices at each place.
    members: Csr,
    /// The vertices that share a side with each vertex.
    next: Csr,
}

impl<'v, 'm> Places<'v, 'm> {
    fn of(list: &'v Vertices<'m>, positions: &[Vec3], is_member: &dyn Fn(u32) -> bool) -> Self {
        let weld = Weld::new(positions, WeldRule::Near, &|| false).unwrap_or_default();
        let own = (0..positions.len() as u32).filter(|v| is_member(*v));
        let pairs: Vec<(u32, u32)> = own.map(|v| (weld.group[v as usize], v)).collect();
        let members = Csr::new(weld.first.len(), pairs.iter().copied());
        let at = |(place, first): (usize, &u32)| match members.row(place) {
            [] => Vec3::NAN,
            _ => positions[*first as usize],
        };
        let points = weld.first.iter().enumerate().map(at).collect();
        let sides: Vec<(u32, u32)> = list.sides().flat_map(|[a, b]| [(a, b), (b, a)]).collect();
        let next = Csr::new(positions.len(), sides.iter().copied());
        Self { list, group: weld.group, points, members, next }
    }

    /// Returns the places beside a vertex.
    fn beside(&self, vertex: u32) -> impl Iterator<Item = u32> {
        self.next.row(vertex as usize).iter().map(|v| self.group[*v as usize])
    }
}

/// The search for pairs.
struct Search<'v, 'm> {
    sides: [Places<'v, 'm>; 2],
    /// The partner of each place of each side; [`NONE`] where it has none.
    partner: [Vec<u32>; 2],
    /// The vertices of each side that are in a pair.
    is_paired: [Vec<bool>; 2],
}

/// How well two vertices at one place fit: whether their texture coordinates differ, how far their normals are turned, and which share of
/// their neighbours differs.
type Fit = (bool, i32, u32);

/// So many vertices say whether it is worth while to look at all.
const SAMPLED: usize = 256;

/// Returns which share of some vertices of the first mesh that are `open` have one of the second within the limit of the space.
pub(super) fn share_near(space: &Space, open: &[Vec<bool>; 2]) -> f64 {
    let numbers = |side: usize| (0..open[side].len()).filter(|v| open[side][*v]).collect::<Vec<_>>();
    let (own, other) = (numbers(0), numbers(1));
    let there = |item: u32| space.points[1][other[item as usize]];
    let tree = BoxTree::of_points((0..other.len() as u32).map(there));
    let (mut near, mut count, mut found) = (Vec::new(), 0, 0);
    for v in own.iter().step_by(own.len().div_ceil(SAMPLED).max(1)) {
        nearest(&tree, space.points[0][*v], space.limit, &there, &mut near);
        (count, found) = (count + 1, found + usize::from(!near.is_empty()));
    }
    found as f64 / count.max(1) as f64
}

/// Pairs the vertices of two meshes that are `open`, one to one as far as their numbers allow. A vertex that is in no pair has no
/// counterpart. Those of `known` pairs are the neighbours of others, and the counterparts of those that lie at their places and have
/// nothing better.
pub(super) fn pair(lists: &[Vertices; 2], space: &Space, known: &[[u32; 2]], open: &[Vec<bool>; 2]) -> Vec<[u32; 2]> {
    if known.is_empty() && (open.iter().any(|open| !open.contains(&true)) || share_near(space, open) == 0.0) {
        // Nothing is near where one mesh is stored in another unit, such as.
        return Vec::new();
    }
    let mut is_paired = [0, 1].map(|side| vec![false; lists[side].len()]);
    known.iter().for_each(|pair| (0..2).for_each(|side| is_paired[side][pair[side] as usize] = true));
    let sides = [0, 1].map(|side| {
        let is_member = |v: u32| open[side][v as usize] || is_paired[side][v as usize];
        Places::of(&lists[side], &space.points[side], &is_member)
    });
    let partner = [0, 1].map(|side| vec![NONE; sides[side].points.len()]);
    let mut search = Search { sides, partner, is_paired };
    for [v, w] in known {
        search.join([search.sides[0].group[*v as usize], search.sides[1].group[*w as usize]]);
    }
    let rule = search.grow(space);
    let partners = (0..).zip(&search.partner[0]).filter(|(_, there)| **there != NONE);
    let mut pairs: Vec<[u32; 2]> = partners.map(|(here, there)| [here, *there]).collect();
    pairs.extend(search.shared(rule));
    let mut out = Vec::new();
    pairs.into_iter().for_each(|pair| search.members(pair, &mut out));
    out.sort_unstable();
    out.dedup();
    out
}

impl Search<'_, '_> {
    /// Makes two places partners where neither has one; returns whether it did.
    fn join(&mut self, [here, there]: [u32; 2]) -> bool {
        let is_free = self.partner[0][here as usize] == NONE && self.partner[1][there as usize] == NONE;
        if is_free {
            (self.partner[0][here as usize], self.partner[1][there as usize]) = (there, here);
        }
        is_free
    }

    /// Pairs places within a radius that doubles up to the limit of the space. Returns how far most of them are displaced.
    fn grow(&mut self, space: &Space) -> f32 {
        let mut radius = space.reach;
        let mut found: Vec<(f32, usize)> = Vec::new();
        while let Some(count) = self.round(radius) {
            found.push((radius, count));
            if radius >= space.limit {
                break;
            }
            radius = (2.0 * radius).min(space.limit);
        }
        let all: usize = found.iter().map(|(_, count)| count).sum();
        let mut sum = 0;
        let reached = found.iter().find(|(_, count)| {
            sum += count;
            sum as f64 >= RULE * all as f64
        });
        reached.map_or(space.reach, |(radius, _)| *radius)
    }

    /// Pairs places within a radius that have no partner yet; returns how many pairs that made, `None` where one side has no place left.
    fn round(&mut self, radius: f32) -> Option<usize> {
        let left = |side: usize| -> Vec<u32> {
            let is_left = |at: &u32| {
                self.partner[side][*at as usize] == NONE && self.sides[side].points[*at as usize].is_finite()
            };
            (0..self.partner[side].len() as u32).filter(is_left).collect()
        };
        let (own, other) = (left(0), left(1));
        if own.is_empty() || other.is_empty() {
            return None;
        }
        let there = |at: &u32| self.sides[1].points[*at as usize];
        let tree = BoxTree::of_points(other.iter().map(there));
        let mut near: Vec<(f32, u32)> = Vec::new();
        let mut found: Vec<(f32, [u32; 2])> = Vec::new();
        let mut counts = [0, 1].map(|side| vec![0_u32; self.partner[side].len()]);
        for here in own {
            let at = self.sides[0].points[here as usize];
            nearest(&tree, at, radius, &|item| there(&other[item as usize]), &mut near);
            for (distance, item) in &near {
                let pair = [here, other[*item as usize]];
                (0..2).for_each(|side| counts[side][pair[side] as usize] += 1);
                found.push((*distance, pair));
            }
        }
        let is_alone = |pair: [u32; 2]| (0..2).all(|side| counts[side][pair[side] as usize] == 1);
        let mut made = 0;
        found.retain(|(_, pair)| {
            let is_alone = is_alone(*pair);
            if is_alone {
                made += usize::from(self.join(*pair));
            }
            !is_alone
        });
        let mut ranked: Vec<_> = found
            .into_iter()
            .map(|(distance, pair)| {
                let part = (distance / radius * PARTS) as u32;
                (part, !self.has_same_uv(pair), self.strangers(pair), distance.to_bits(), pair)
            })
            .collect();
        ranked.sort_unstable();
        for (.., pair) in ranked {
            made += usize::from(self.join(pair));
        }
        Some(made)
    }

    /// Returns whether two places have vertices with the same texture coordinates.
    fn has_same_uv(&self, [here, there]: [u32; 2]) -> bool {
        let others = self.sides[1].members.row(there as usize);
        let own = self.sides[0].members.row(here as usize);
        own.iter().take(8).any(|v| others.iter().take(8).any(|w| self.same_uv([*v, *w])))
    }

    fn same_uv(&self, [v, w]: [u32; 2]) -> bool {
        let ((a, v), (b, w)) = (self.vertex(0, v), self.vertex(1, w));
        same_uv(a, v, b, w)
    }

    fn vertex(&self, side: usize, number: u32) -> (&Primitive, usize) {
        let list = self.sides[side].list;
        let (primitive, vertex) = list.at(number);
        (&list.mesh.primitives[primitive], vertex)
    }

    /// Returns the share of the places beside one, of those that have a partner, whose partners are not beside the other, in eighths.
    fn strangers(&self, [here, there]: [u32; 2]) -> u32 {
        let [own, other] = [(0, here), (1, there)].map(|(side, at)| self.sides[side].members.row(at as usize));
        let beside = |w: &u32| self.sides[1].beside(*w);
        let own = own.iter().flat_map(|v| self.sides[0].beside(*v));
        self.foreign(own, &other.iter().flat_map(beside).collect::<Vec<_>>())
    }

    fn foreign(&self, own: impl Iterator<Item = u32>, beside: &[u32]) -> u32 {
        let (mut known, mut foreign) = (0, 0);
        for partner in own.map(|place| self.partner[0][place as usize]).filter(|partner| *partner != NONE) {
            known += 1;
            foreign += u32::from(!beside.contains(&partner));
        }
        // Where nothing is known neither speaks for the other.
        (foreign * 8_u32).checked_div(known).unwrap_or(4)
    }

    /// Returns pairs for the places of either side that are left over, with the nearest place of the other side where that is no farther than
    /// most partners are from each other: places that were one in the other file.
    fn shared(&self, rule: f32) -> Vec<[u32; 2]> {
        let mut out = Vec::new();
        let mut near = Vec::new();
        for side in 0..2 {
            let others = &self.sides[1 - side].points;
            let is_left = |at: &u32| self.partner[side][*at as usize] == NONE;
            let left: Vec<u32> = (0..self.partner[side].len() as u32).filter(is_left).collect();
            if left.is_empty() {
                continue;
            }
            let tree = BoxTree::of_points(others.iter().copied());
            for place in left {
                let at = self.sides[side].points[place as usize];
                nearest(&tree, at, rule, &|item| others[item as usize], &mut near);
                let first = near.iter().min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                out.extend(first.map(|(_, other)| if side == 0 { [place, *other] } else { [*other, place] }));
            }
        }
        out
    }

    /// Notes a pair, unless both have counterparts.
    fn note(&mut self, [v, w]: [u32; 2], out: &mut Vec<[u32; 2]>) {
        if !(self.is_paired[0][v as usize] && self.is_paired[1][w as usize]) {
            (self.is_paired[0][v as usize], self.is_paired[1][w as usize]) = (true, true);
            out.push([v, w]);
        }
    }

    /// Pairs the vertices of two places: first each with another one as long as nothing fits either of them better, then those that are
    /// left over with what fits best, though that has a counterpart.
    fn members(&mut self, [here, there]: [u32; 2], out: &mut Vec<[u32; 2]>) {
        let [own, other] = [(0, here), (1, there)].map(|(side, at)| self.sides[side].members.row(at as usize).to_vec());
        if own.len() * other.len() > MOST_PAIRS {
            let most = own.len().max(other.len());
            (0..most).for_each(|i| self.note([own[i % own.len()], other[i % other.len()]], out));
            return;
        }
        if let ([v], [w]) = (&own[..], &other[..]) {
            self.note([*v, *w], out);
            return;
        }
        let mut ranked = Vec::with_capacity(own.len() * other.len());
        for w in &other {
            let beside: Vec<u32> = self.sides[1].beside(*w).collect();
            for v in &own {
                let ((a, at), (b, to)) = (self.vertex(0, *v), self.vertex(1, *w));
                let strangers = self.foreign(self.sides[0].beside(*v), &beside);
                let fit: Fit = (!same_uv(a, at, b, to), turn(a, at, b, to), strangers);
                ranked.push((fit, weight_gap(a, at, b, to), *v, *w));
            }
        }
        ranked.sort_unstable();
        let mut best = [HashMap::new(), HashMap::new()];
        for (fit, _, v, w) in &ranked {
            best[0].entry(*v).or_insert(*fit);
            best[1].entry(*w).or_insert(*fit);
        }
        for (fit, _, v, w) in &ranked {
            let is_free = !self.is_paired[0][*v as usize] && !self.is_paired[1][*w as usize];
            if is_free && (best[0][v] == *fit || best[1][w] == *fit) {
                self.note([*v, *w], out);
            }
        }
        ranked.iter().for_each(|(.., v, w)| self.note([*v, *w], out));
    }
}

/// Writes the items of a tree of points within a radius of a point, with their distances: those that are nearest where they are many.
fn nearest(tree: &BoxTree, at: Vec3, radius: f32, point: &dyn Fn(u32) -> Vec3, out: &mut Vec<(f32, u32)>) {
    out.clear();
    let mut most = radius;
    tree.nearest(at.as_dvec3(), |item| {
        let distance = point(item).distance(at);
        if distance <= most {
            out.push((distance, item));
        }
        if out.len() >= 2 * MOST_NEAR {
            out.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            out.truncate(MOST_NEAR);
            most = out[MOST_NEAR - 1].0;
        }
        // The tree is asked for a little more than what rounding adds to a distance.
        f64::from(most) * 1.001
    });
}

/// Returns whether two vertices have the same texture coordinates, as far as both have any.
pub(super) fn same_uv(a: &Primitive, v: usize, b: &Primitive, w: usize) -> bool {
    let near = |x: Option<&Vec2>, y: Option<&Vec2>| match (x, y) {
        (Some(x), Some(y)) => x.distance(*y) <= SAME_UV,
        _ => true,
    };
    (0..2).all(|set| near(a.uvs[set].get(v), b.uvs[set].get(w)))
}

/// Returns how far two normals are turned against each other, in steps.
fn turn(a: &Primitive, v: usize, b: &Primitive, w: usize) -> i32 {
    let normals = a.normals.get(v).zip(b.normals.get(w));
    normals.map_or(0, |(x, y)| ((1.0 - x.dot(*y)) * 1e3) as i32)
}

/// Returns how far apart the weights of two vertices are slot by slot, in steps.
fn weight_gap(a: &Primitive, v: usize, b: &Primitive, w: usize) -> i64 {
    let (Some(x), Some(y)) = (&a.stored_influences, &b.stored_influences) else { return 0 };
    let ((joints, weights), (other_joints, others)) = (x.of(v), y.of(w));
    let there = |joint: u16| {
        let pairs = other_joints.iter().zip(others);
        pairs.filter(|(j, _)| **j == joint).map(|(_, weight)| *weight).sum::<f32>()
    };
    let gap: f32 = joints.iter().zip(weights).map(|(j, weight)| (weight - there(*j)).abs()).sum();
    (f64::from(gap) * 1e6) as i64
}
