//! Finds the plane that mirrors a body and its joints.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use glam::{Vec3, Vec3Swizzles};
use skinscope_base::math::{Aabb, Grid, Plane};
use skinscope_model::{JointPairs, Model};

use super::body::Body;

/// How near a point must be to the mirror image of another, as a share of the size: nearer than the spacing of
/// vertices, so that weights which change along the surface are not compared from one vertex to the next.
pub(super) const POINT_REACH: f32 = 1e-3;
/// Points that are nearer to each other than this are at one position, as a share of the size: vertices of a seam.
pub(super) const SAME_POINT: f32 = 2e-5;
/// A body is symmetric if at least this share of its points has a mirror image; the rest is what it carries on one
/// side.
const LEAST_POINTS: f32 = 0.6;
/// The same share for the joints that move something.
pub(super) const LEAST_JOINTS: f32 = 0.8;
/// How many points planes are tried on.
const TRIED: usize = 2048;
/// How many points are asked for the plane halfway between two of them, about.
const ASKED: usize = 1 << 15;
/// So many points in one line across the plane are asked.
const IN_LINE: usize = 32;

/// A mirror plane and the pairs of joints.
#[derive(Debug)]
pub(super) struct Mirror {
    pub plane: Plane,
    /// For each joint: the joint on the other side, itself for one of the middle; `None` for one that has none.
    pub partners: Vec<Option<u16>>,
    /// Whether joints stand on both sides, and most of those that move something have a partner. A body without left and
    /// right is not asymmetric.
    pub is_sided: bool,
}

impl Mirror {
    /// Returns whether any joint has another one for its partner.
    fn has_pairs(&self) -> bool {
        self.partners.iter().enumerate().any(|(joint, partner)| partner.is_some_and(|p| usize::from(p) != joint))
    }
}

/// The plane that comes nearest to mirroring a body: what is said where there is none that does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The plane's position along the axis, in the space of the body's first mesh.
    pub offset: f32,
    /// The share of the vertices that have a mirror image about it, 0 to 1.
    pub share: f32,
}

/// Returns the plane at right angles to `normal`, a unit vector, that mirrors most of some points, with the share of them that it mirrors, 0 to 1:
/// points of a mesh without a skin, in any space. `None` where none mirrors enough of them. It is found as that of a mesh whose joints say
/// nothing, in a time linear in points.
#[must_use]
pub fn plane_of_points(model: &Model, points: Vec<Vec3>, normal: Vec3) -> Option<(Plane, f32)> {
    let body = Body::of_points(points)?;
    let grid = Grid::new(&body.points, body.size * POINT_REACH);
    Search::new(model, &body, &grid).best(normal).ok().map(|tried| (tried.mirror.plane, tried.share))
}

/// What planes are tried on.
pub(super) struct Search<'b> {
    body: &'b Body,
    grid: &'b Grid<'b>,
    joints: JointPairs,
}

/// A plane that was tried.
struct Tried {
    mirror: Mirror,
    /// The share of points that have an image.
    share: f32,
    /// How far away the images are from where they should be, in the mean: a share of what counts as near.
    off: f32,
}

impl Tried {
    /// Returns how good it is. Points count more than joints, since a plane that is a little off is no use for them.
    fn worth(&self) -> f32 {
        self.share + if self.mirror.is_sided { 0.1 } else { 0.0 }
    }

    /// Returns whether it is better than another one that is more usual.
    fn is_better_than(&self, other: &Self) -> bool {
        let more = self.worth() - other.worth();
        more >= 1e-3 || more > -1e-3 && self.off < other.off - 0.1
    }
}

impl<'b> Search<'b> {
    pub(super) fn new(model: &Model, body: &'b Body, grid: &'b Grid<'b>) -> Self {
        Self { body, grid, joints: JointPairs::of_model(model, &body.nodes, body.joints.clone()) }
    }

    /// Finds the plane at right angles to an axis that mirrors most of a body's points; fails with the plane that comes
    /// nearest where none mirrors enough of them.
    pub(super) fn across(&self, normal: Vec3) -> Result<Mirror, Nearest> {
        self.best(normal).map(|tried| tried.mirror)
    }

    /// Finds the plane that mirrors most of a body's points and joints, across any axis, or across none where the names of
    /// joints make pairs across none. Where no plane mirrors enough joints, it is one that pairs some: a round head with most
    /// of the vertices has planes of its own. Where none does, it is the plane across the first axis that mirrors the
    /// points. `None` where there is no plane.
    pub(super) fn any(&self) -> Option<Mirror> {
        let mut best: Option<Tried> = None;
        let across = [Vec3::X, Vec3::Z, Vec3::Y].into_iter().filter_map(|normal| self.best(normal).ok());
        let slanted = self.slanted().map(|plane| self.tried(plane)).filter(|tried| tried.share >= LEAST_POINTS);
        for tried in across.chain(slanted) {
            let is_better = best.as_ref().is_none_or(|best| match (best.mirror.is_sided, tried.mirror.is_sided) {
                (true, true) => tried.share >= best.share + 1e-3,
                (false, false) => tried.mirror.has_pairs() && !best.mirror.has_pairs(),
                (was, is) => is && !was,
            });
            if is_better {
                best = Some(tried);
            }
        }
        best.map(|tried| tried.mirror)
    }

    fn best(&self, normal: Vec3) -> Result<Tried, Nearest> {
        let (mut best, mut nearest): (Option<Tried>, Option<Nearest>) = (None, None);
        // Planes that are equally good come in the order of how usual they are.
        for offset in self.offsets(normal) {
            let tried = self.tried(Plane { normal, offset });
            if nearest.is_none_or(|nearest| tried.share > nearest.share) {
                nearest = Some(Nearest { offset, share: tried.share });
            }
            if tried.share >= LEAST_POINTS && best.as_ref().is_none_or(|best| tried.is_better_than(best)) {
                best = Some(tried);
            }
        }
        best.ok_or(nearest.unwrap_or(Nearest { offset: 0.0, share: 0.0 }))
    }

    /// Tries a plane on points, evenly picked, and on the joints.
    fn tried(&self, plane: Plane) -> Tried {
        let body = self.body;
        let step = body.points.len().div_ceil(TRIED);
        let (mut found, mut all, mut near, mut off) = (0, 0, Vec::new(), 0.0);
        for point in body.points.iter().step_by(step) {
            self.grid.near(plane.mirrored(*point), &mut near);
            if let Some(nearest) = near.iter().map(|(distance, _)| *distance).reduce(f32::min) {
                found += 1;
                off += nearest;
            }
            all += 1;
        }
        let off = off / (found.max(1) as f32 * body.size * POINT_REACH);
        if body.nodes.is_empty() {
            let mirror = Mirror { plane, partners: Vec::new(), is_sided: false };
            return Tried { mirror, share: found as f32 / all as f32, off };
        }
        let strict = self.joints.partners(plane, body.size);
        let moving = || strict.iter().enumerate().filter(|(j, _)| body.moves[*j]);
        let paired = moving().filter(|(_, p)| p.is_some()).count();
        let sided = moving().any(|(j, p)| p.is_some_and(|p| usize::from(p) != j));
        let is_sided = sided && paired as f32 >= LEAST_JOINTS * moving().count() as f32;
        let partners = self.joints.settled(plane, body.size);
        Tried { mirror: Mirror { plane, partners, is_sided }, share: found as f32 / all as f32, off }
    }

    /// Returns where planes across an axis are tried: at 0, through the middle of the points, of the joints, and of the
    /// pairs that names make, and where most points have another one opposite.
    fn offsets(&self, normal: Vec3) -> Vec<f32> {
        let body = self.body;
        let moving = body.joints.iter().zip(&body.moves).filter(|(_, moves)| **moves);
        let joints = Aabb::from_points(moving.filter_map(|(p, _)| *p));
        let middle = |bounds: Aabb| (!bounds.is_empty()).then(|| normal.dot(bounds.center()));
        let usual = [Some(0.0), middle(Aabb::around_mass(&body.points)), middle(joints), self.offset_by_names(normal)];
        let mut out: Vec<f32> = Vec::new();
        for offset in usual.into_iter().chain([halfway(body, normal)]).flatten().filter(|offset| offset.is_finite()) {
            if !out.iter().any(|other| (other - offset).abs() < body.size * POINT_REACH * 0.1) {
                out.push(offset);
            }
        }
        out
    }

    /// Returns the position of the plane in the middle of the pairs that names make.
    fn offset_by_names(&self, normal: Vec3) -> Option<f32> {
        median(self.joints.named_pairs().iter().map(|[a, b]| normal.dot(*a + *b) * 0.5).collect())
    }

    /// Returns the plane of the pairs that names make, where it lies across no axis.
    fn slanted(&self) -> Option<Plane> {
        let across: Vec3 =
            self.joints.named_pairs().iter().map(|[left, right]| (*right - *left).normalize_or_zero()).sum();
        let normal = across.try_normalize().filter(|n| n.abs().max_element() < 0.999_99)?;
        self.offset_by_names(normal).map(|offset| Plane { normal, offset })
    }
}

/// Returns where the plane lies that is halfway between the most points which lie opposite to each other, however many
/// others have none opposite. Takes time linear in points, but for sorting some of them.
fn halfway(body: &Body, normal: Vec3) -> Option<f32> {
    let reach = body.size * POINT_REACH;
    let [u, v] = [normal.zxy(), normal.yzx()];
    let cell = |p: &Vec3| [u.dot(*p), v.dot(*p)].map(|c| (c / reach).round() as i64);
    let share = body.points.len().div_ceil(ASKED) as u64;
    let is_asked = |cell: &[i64; 2]| {
        let mut hasher = DefaultHasher::new();
        cell.hash(&mut hasher);
        share == 1 || hasher.finish().is_multiple_of(share)
    };
    // Points that lie opposite to each other lie in one line across the plane.
    let finite = body.points.iter().filter(|p| p.is_finite());
    let mut lines: Vec<([i64; 2], f32)> =
        finite.map(|p| (cell(p), normal.dot(*p))).filter(|(cell, _)| is_asked(cell)).collect();
    lines.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut middles: Vec<f32> = Vec::new();
    for line in lines.chunk_by(|a, b| a.0 == b.0) {
        let mut along: Vec<f32> = line.iter().map(|(_, at)| *at).collect();
        along.dedup_by(|a, b| (*a - *b).abs() < reach);
        let along = &along[..along.len().min(IN_LINE)];
        for (i, a) in along.iter().enumerate() {
            middles.extend(along[i + 1..].iter().map(|b| (a + b) * 0.5));
        }
    }
    middles.sort_unstable_by(f32::total_cmp);
    // The most of them within a window as wide as what counts as near.
    let (mut first, mut best) = (0, 0..0);
    for last in 0..middles.len() {
        while middles[last] - middles[first] > reach {
            first += 1;
        }
        if last + 1 - first > best.len() {
            best = first..last + 1;
        }
    }
    middles.get(best.start + best.len() / 2).copied()
}

fn median(mut values: Vec<f32>) -> Option<f32> {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied()
}
