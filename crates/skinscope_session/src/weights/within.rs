//! Which vertices lie in a part of the picture: those that are seen, or all. Only the pieces of the surface that may be in that part are deformed
//! and looked at, so that the rest of the model costs next to nothing.

use glam::{Vec2, Vec3};
use skinscope_base::math::Aabb;
use skinscope_inspect::VertexSet;
use skinscope_model::MeshId;

use super::marks::MarkShape;
use crate::{Picking, Projector};

/// What lies behind the surface by no more than this part of its distance lies on it.
const THICKNESS: f32 = 1e-3;

/// A vertex that was found: its point of the picture, how near it is there, and its mesh, primitive and number.
pub(crate) type Seen = (Vec2, f32, (MeshId, usize, u32));

impl Picking<'_> {
    /// The vertices with weights in a part of the picture: those that are seen, or all.
    pub(crate) fn within(self, shape: &MarkShape, through: bool) -> VertexSet {
        let found = self.seen_within(shape, through);
        if let MarkShape::Point(point) = shape {
            let distance = |found: &Seen| found.0.distance(*point);
            let nearest = found.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.2.cmp(&b.2)));
            return VertexSet::from_vertices(nearest.map(|(.., vertex)| *vertex).into_iter().collect());
        }
        VertexSet::from_vertices(found.into_iter().map(|(.., vertex)| vertex).collect())
    }

    /// The same vertices, each with where it is seen. One that is drawn several times comes as often.
    pub(crate) fn seen_within(self, shape: &MarkShape, through: bool) -> Vec<Seen> {
        let (Some(posed), Some(document)) = (self.surfaces.posed(), self.document) else { return Vec::new() };
        let (index, draws) = (document.pick_index(), &self.pose.draws);
        let (model, projector) = (posed.model, self.view.projector());
        let mut found: Vec<Seen> = Vec::new();
        let part = shape.bounds();
        _ = index.visit(&posed, draws, &|bounds| may_show(bounds, part, &projector), &mut |piece| {
            let mesh = model.instances[piece.instance.index()].mesh;
            let primitive = &model.meshes[mesh.index()].primitives[piece.primitive];
            if primitive.stored_influences.is_none() {
                return;
            }
            for ((vertex, world), counts) in piece.vertices.iter().zip(&piece.positions).zip(&piece.counts) {
                if let Some(at) = projector.project(*world).filter(|at| *counts && shape.has(*at)) {
                    let stored = primitive.stored_vertex(*vertex);
                    found.push((at, projector.nearness(*world), (mesh, piece.primitive, stored)));
                }
            }
        });
        if !through && !found.is_empty() {
            let mut front = Front::around(found.iter().map(|(at, ..)| *at));
            let part = front.bounds();
            _ = index.visit(&posed, draws, &|bounds| may_show(bounds, part, &projector), &mut |piece| {
                let seen = |p: &Vec3| projector.project(*p).map(|at| (at, projector.nearness(*p)));
                let corners: Vec<_> = piece.positions.iter().map(seen).collect();
                for triangle in &piece.triangles {
                    if let [Some(a), Some(b), Some(c)] = triangle.map(|corner| corners[usize::from(corner)]) {
                        front.draw([a, b, c]);
                    }
                }
            });
            found.retain(|(at, nearness, _)| front.shows(*at, *nearness, &projector));
        }
        found
    }
}

/// Returns whether something in a box may be seen in a part of the picture, given by its least and its greatest coordinates.
fn may_show(bounds: Aabb, [least, most]: [Vec2; 2], projector: &Projector) -> bool {
    let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
    for corner in 0..8 {
        let pick = |bit: u32, axis: usize| if corner & bit == 0 { bounds.min[axis] } else { bounds.max[axis] };
        // What reaches behind the eye may be anywhere.
        let Some(at) = projector.project(Vec3::new(pick(1, 0), pick(2, 1), pick(4, 2))) else { return true };
        (low, high) = (low.min(at), high.max(at));
    }
    // A pixel more to each side: positions are rounded.
    low.cmple(most + 1.0).all() && high.cmpge(least - 1.0).all()
}

/// How near the surface is in some pixels of the picture.
#[derive(Debug)]
struct Front {
    left: i32,
    top: i32,
    width: usize,
    nearness: Vec<f32>,
}

/// The most pixels to each side: parts of the picture are never larger.
const MOST: f32 = 16_384.0;

impl Front {
    fn around(points: impl Iterator<Item = Vec2> + Clone) -> Self {
        let least = points.clone().fold(Vec2::splat(MOST), Vec2::min).max(Vec2::splat(-MOST)).floor() - 2.0;
        let most = points.fold(Vec2::splat(-MOST), Vec2::max).min(Vec2::splat(MOST)).ceil() + 2.0;
        let size = (most - least).max(Vec2::ONE);
        let (width, height) = (size.x as usize + 1, size.y as usize + 1);
        Self { left: least.x as i32, top: least.y as i32, width, nearness: vec![f32::NEG_INFINITY; width * height] }
    }

    /// The least and the greatest coordinates that it has.
    fn bounds(&self) -> [Vec2; 2] {
        let least = Vec2::new(self.left as f32, self.top as f32);
        [least, least + Vec2::new(self.width as f32, self.height() as f32)]
    }

    fn height(&self) -> usize {
        self.nearness.len() / self.width
    }

    /// Draws a triangle: what is nearest in each pixel counts.
    fn draw(&mut self, [a, b, c]: [(Vec2, f32); 3]) {
        let origin = Vec2::new(self.left as f32, self.top as f32);
        let [p, q, r] = [a.0 - origin, b.0 - origin, c.0 - origin];
        let area = (q - p).perp_dot(r - p);
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let last = Vec2::new(self.width as f32 - 1.0, self.height() as f32 - 1.0);
        let least = p.min(q).min(r).max(Vec2::ZERO).floor();
        let most = p.max(q).max(r).min(last).ceil().min(last);
        if least.x > most.x || least.y > most.y {
            return;
        }
        for y in least.y as usize..=most.y as usize {
            for x in least.x as usize..=most.x as usize {
                let at = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                let shares = [(q - at).perp_dot(r - at), (r - at).perp_dot(p - at), (p - at).perp_dot(q - at)];
                let shares = shares.map(|share| share / area);
                if shares.iter().all(|share| *share >= 0.0) {
                    let nearness = shares[0] * a.1 + shares[1] * b.1 + shares[2] * c.1;
                    let pixel = &mut self.nearness[y * self.width + x];
                    *pixel = pixel.max(nearness);
                }
            }
        }
    }

    /// Whether nothing lies before a point in its pixel, or in one beside it that shows a part of the surface.
    fn shows(&self, at: Vec2, nearness: f32, projector: &Projector) -> bool {
        let (x, y) = (at.x.floor() as i32 - self.left, at.y.floor() as i32 - self.top);
        let at = |x: i32, y: i32| {
            let is_inside = x >= 0 && y >= 0 && (x as usize) < self.width && (y as usize) < self.height();
            is_inside.then(|| self.nearness[y as usize * self.width + x as usize])
        };
        let mut farthest = at(x, y).unwrap_or(f32::NEG_INFINITY);
        for (dx, dy) in (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))) {
            if let Some(beside) = at(x + dx, y + dy).filter(|nearness| nearness.is_finite()) {
                farthest = farthest.min(beside);
            }
        }
        projector.is_no_nearer(farthest, nearness, THICKNESS)
    }
}
