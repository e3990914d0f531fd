//! The plane that mirrors a body and its joints.

use std::collections::HashMap;
use std::ops::Range;

use glam::Vec3;

use super::body::Body;
use super::grid::Grid;
use super::names::{Side, side};
use crate::math::Aabb;
use crate::model::Model;

/// Points that mirror each other are this near, as a share of the size: nearer than the spacing of vertices, so that
/// weights which change along the surface are not compared from one vertex to the next.
pub(super) const POINT_REACH: f32 = 1e-3;
/// Joints that mirror each other are this near, as a share of the size.
const JOINT_REACH: f32 = 3e-3;
/// Points of which at least this share has a mirror image make a symmetric body: the rest is what it carries on one
/// side.
const LEAST_POINTS: f32 = 0.6;
/// The same of the joints that move something.
const LEAST_JOINTS: f32 = 0.8;
/// Points on which planes are tried.
const TRIED: usize = 2048;

/// Points `p` with `normal · p = offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plane {
    /// Unit.
    pub normal: Vec3,
    /// Mesh space.
    pub offset: f32,
}

impl Plane {
    pub(super) fn mirrored(self, p: Vec3) -> Vec3 {
        p - self.normal * (2.0 * (self.normal.dot(p) - self.offset))
    }
}

/// A plane and what it does to the joints.
#[derive(Debug)]
pub(super) struct Mirror {
    pub plane: Plane,
    /// By place: the joint on the other side, itself for one on the plane; `None` for one that has none.
    pub partners: Vec<Option<u16>>,
}

impl Mirror {
    /// The plane that mirrors most of a body's points and joints; `None` where none does, or where it leaves no joint
    /// on either side: what has no left and right is not asymmetric.
    pub(super) fn of(model: &Model, body: &Body, grid: &Grid) -> Option<Self> {
        let joints = Joints::of(model, body);
        let mut best: Option<(f32, Self)> = None;
        for plane in candidates(body, &joints.named_pairs()) {
            let share = mirrored_share(body, grid, plane);
            // Planes that do as well come in the order of how usual they are.
            if share < LEAST_POINTS || best.as_ref().is_some_and(|(most, _)| share < most + 1e-3) {
                continue;
            }
            let partners = joints.partners(body, plane);
            let moving = || partners.iter().enumerate().filter(|(j, _)| body.moves[*j]);
            let paired = moving().filter(|(_, p)| p.is_some()).count();
            let sided = moving().any(|(j, p)| p.is_some_and(|p| usize::from(p) != j));
            if sided && paired as f32 >= LEAST_JOINTS * moving().count() as f32 {
                best = Some((share, Self { plane, partners }));
            }
        }
        best.map(|(_, mirror)| mirror)
    }
}

/// Of some points, evenly picked, the share that has a point at its mirror image.
fn mirrored_share(body: &Body, grid: &Grid, plane: Plane) -> f32 {
    let step = body.points.len().div_ceil(TRIED);
    let (mut found, mut all, mut near) = (0, 0, Vec::new());
    for point in body.points.iter().step_by(step) {
        grid.near(plane.mirrored(*point), &mut near);
        found += usize::from(!near.is_empty());
        all += 1;
    }
    found as f32 / all as f32
}

/// Planes to try: across each axis at 0, through the middle of the points, of the joints, and of the pairs that names
/// tell; and the one that those pairs tell where it lies across no axis.
fn candidates(body: &Body, pairs: &[[Vec3; 2]]) -> Vec<Plane> {
    let middle = |points: &mut dyn Iterator<Item = Vec3>| {
        let first = points.next()?;
        let (least, most) = points.fold((first, first), |(a, b), p| (a.min(p), b.max(p)));
        Some((least + most) * 0.5)
    };
    let moving = body.joints.iter().zip(&body.moves).filter(|(_, moves)| **moves);
    let middles =
        [Some(Vec3::ZERO), Some(Aabb::around_mass(&body.points).center()), middle(&mut moving.filter_map(|(p, _)| *p))];
    let told = |normal: Vec3| median(pairs.iter().map(|[a, b]| normal.dot(*a + *b) * 0.5).collect());
    let mut out: Vec<Plane> = Vec::new();
    for normal in [Vec3::X, Vec3::Z, Vec3::Y] {
        for offset in middles.iter().flatten().map(|m| normal.dot(*m)).chain(told(normal)) {
            let same = |p: &Plane| p.normal == normal && (p.offset - offset).abs() < body.size * POINT_REACH * 0.1;
            if !out.iter().any(same) {
                out.push(Plane { normal, offset });
            }
        }
    }
    let across: Vec3 = pairs.iter().map(|[left, right]| (*right - *left).normalize_or_zero()).sum();
    if let Some(normal) = across.try_normalize().filter(|n| n.abs().max_element() < 0.999_99) {
        out.extend(told(normal).map(|offset| Plane { normal, offset }));
    }
    out
}

fn median(mut values: Vec<f32>) -> Option<f32> {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied()
}

/// What pairs the joints of a body.
struct Joints {
    /// By place.
    at: Vec<Option<Vec3>>,
    /// By place: the joint of the same name on the other side.
    named: Vec<Option<u16>>,
    /// By place: steps from the root.
    depth: Vec<usize>,
    /// By place: the nodes from it to the last one below it.
    subtree: Vec<Range<usize>>,
}

impl Joints {
    fn of(model: &Model, body: &Body) -> Self {
        let nodes = &body.nodes;
        let sides: Vec<Option<(Side, String)>> = nodes.iter().map(|n| side(&model.skeleton.names[n.index()])).collect();
        let mut places: HashMap<(Side, &str), u16> = HashMap::new();
        for (j, said) in sides.iter().enumerate().take(1 << 16) {
            if let Some((side, rest)) = said {
                places.entry((*side, rest)).or_insert(j as u16);
            }
        }
        let other = |said: &Option<(Side, String)>| {
            let (side, rest) = said.as_ref()?;
            places.get(&(side.other(), rest.as_str())).copied()
        };
        let parents = &model.skeleton.parents;
        let mut depths: Vec<usize> = Vec::with_capacity(parents.len());
        for parent in parents {
            depths.push(parent.map_or(0, |p| depths[p.index()] + 1));
        }
        let mut ends: Vec<usize> = (1..=parents.len()).collect();
        for i in (0..parents.len()).rev() {
            if let Some(parent) = parents[i] {
                ends[parent.index()] = ends[parent.index()].max(ends[i]);
            }
        }
        let depth = nodes.iter().map(|n| depths[n.index()]).collect();
        let subtree = nodes.iter().map(|n| n.index()..ends[n.index()]).collect();
        Self { at: body.joints.clone(), named: sides.iter().map(other).collect(), depth, subtree }
    }

    /// Where the joints of each named pair were bound, once for each pair.
    fn named_pairs(&self) -> Vec<[Vec3; 2]> {
        let pair = |(j, other): (usize, &Option<u16>)| {
            let other = usize::from((*other)?);
            let back = self.named[other].map(usize::from);
            (j < other && back == Some(j)).then_some([self.at[j]?, self.at[other]?])
        };
        self.named.iter().enumerate().filter_map(pair).collect()
    }

    /// Whether one of two joints stands above the other: left and right never do.
    fn are_in_line(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.subtree[a], &self.subtree[b]);
        a.contains(&b.start) || b.contains(&a.start)
    }

    /// The joint of the same name on the other side, if each names the other.
    fn told(&self, j: usize) -> Option<u16> {
        self.named[j].filter(|k| self.named[usize::from(*k)].map(usize::from) == Some(j))
    }

    /// The partner of each joint: of those at its mirror image the one that its name tells, else itself, else the
    /// nearest one of the same depth. Names alone are not believed: they may be wrong, places are not. But where a
    /// third of the named pairs stand where they should, one that does not is bound wrongly, and has no partner by chance.
    fn partners(&self, body: &Body, plane: Plane) -> Vec<Option<u16>> {
        let reach = body.size * JOINT_REACH;
        let placed: Vec<u16> =
            (0..self.at.len().min(1 << 16)).filter(|j| self.at[*j].is_some()).map(|j| j as u16).collect();
        let points: Vec<Vec3> = placed.iter().filter_map(|j| self.at[usize::from(*j)]).collect();
        let grid = Grid::new(&points, reach);
        let fits = |j: usize, k: u16| {
            let image = self.at[j].map(|at| plane.mirrored(at));
            let there = image.zip(self.at[usize::from(k)]).is_some_and(|(image, p)| p.distance(image) <= reach);
            there && !self.are_in_line(j, usize::from(k))
        };
        let told = || (0..self.at.len()).filter_map(|j| Some((j, self.told(j)?)));
        let names_are_right = told().filter(|(j, k)| fits(*j, *k)).count() * 3 >= told().count();
        let mut near = Vec::new();
        let mut find = |j: usize| {
            let at = self.at[j]?;
            let image = plane.mirrored(at);
            if let Some(named) = self.named[j].filter(|k| fits(j, *k)) {
                return Some(named);
            }
            if names_are_right && self.told(j).is_some() {
                return None;
            }
            if at.distance(image) <= reach {
                return u16::try_from(j).ok();
            }
            grid.near(image, &mut near);
            let beside = near.iter().map(|(distance, i)| ((distance / reach * 8.0) as u32, placed[*i as usize]));
            let like = |(_, k): &(u32, u16)| fits(j, *k) && self.depth[usize::from(*k)] == self.depth[j];
            beside.filter(like).min().map(|(_, k)| k)
        };
        let found: Vec<Option<u16>> = (0..self.at.len()).map(&mut find).collect();
        let mutual = |(j, partner): (usize, &Option<u16>)| {
            partner.filter(|k| found[usize::from(*k)].is_some_and(|back| usize::from(back) == j))
        };
        found.iter().enumerate().map(mutual).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_mirrors_across_its_offset() {
        let plane = Plane { normal: Vec3::X, offset: 0.5 };
        assert_eq!(plane.mirrored(Vec3::new(2.0, 3.0, 4.0)), Vec3::new(-1.0, 3.0, 4.0));
        let slanted = Plane { normal: Vec3::new(0.6, 0.0, 0.8), offset: 0.0 };
        assert!((slanted.mirrored(Vec3::new(0.6, 1.0, 0.8)) - Vec3::new(-0.6, 1.0, -0.8)).length() < 1e-6);
    }
}
