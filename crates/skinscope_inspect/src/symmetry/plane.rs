//! Finds the plane that mirrors a body and its joints.

use glam::Vec3;

use super::body::Body;
use skinscope_base::math::{Aabb, Grid, Plane};
use skinscope_model::{Doubt, JointPairs, Model};

/// How near a point must be to the mirror image of another, as a share of the size: nearer than the spacing of
/// vertices, so that weights which change along the surface are not compared from one vertex to the next.
pub(super) const POINT_REACH: f32 = 1e-3;
/// A body is symmetric if at least this share of its points has a mirror image; the rest is what it carries on one
/// side.
const LEAST_POINTS: f32 = 0.6;
/// The same share for the joints that move something.
const LEAST_JOINTS: f32 = 0.8;
/// How many points planes are tried on.
const TRIED: usize = 2048;

/// A mirror plane and the pairs of joints.
#[derive(Debug)]
pub(super) struct Mirror {
    pub plane: Plane,
    /// For each joint: the joint on the other side, itself for one on the plane; `None` for one that has none.
    pub partners: Vec<Option<u16>>,
}

impl Mirror {
    /// Finds the plane that mirrors most of a body's points and joints; `None` where none does, or where it leaves no
    /// joint on either side: a body without left and right is not asymmetric.
    pub(super) fn of(model: &Model, body: &Body, grid: &Grid) -> Option<Self> {
        let joints = JointPairs::of(&model.skeleton, &body.nodes, body.joints.clone());
        let mut best: Option<(f32, Self)> = None;
        for plane in candidates(body, &joints.named_pairs()) {
            let share = mirrored_share(body, grid, plane);
            // Planes that are equally good come in the order of how usual they are.
            if share < LEAST_POINTS || best.as_ref().is_some_and(|(most, _)| share < most + 1e-3) {
                continue;
            }
            let partners = joints.partners(plane, body.size, Doubt::LikeNames);
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

/// Returns the share of points, evenly picked, that have a point at their mirror image.
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

/// Returns planes to try: across each axis at 0, through the middle of the points, of the joints, and of the pairs that
/// names make; and the plane of those pairs where it lies across no axis.
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
