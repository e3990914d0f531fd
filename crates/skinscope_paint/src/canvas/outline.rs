//! What a dab would touch: its border as lines on the posed surface, and the joints that move it.

use std::collections::BTreeMap;

use glam::Vec3;
use skinscope_deform::pack;
use skinscope_inspect::PosedModel;
use skinscope_model::NodeId;
use skinscope_weights::Shares;

use super::mirrored::Images;
use super::posed::PosedSurfaces;
use super::rows::{Place, WeightedMean};
use super::scratch::Scratch;
use super::stuck::by_weight;
use super::{Canvas, Distance, Region};
use crate::MirrorAxis;

/// How much farther than the border distances are measured, since the border lies between points on both of its sides.
const BEYOND: f64 = 1.25;

/// How far a dab reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// The joint whose meshes it touches; `None`: those of all skins.
    pub joint: Option<NodeId>,
    /// How far it reaches, metres.
    pub radius: f64,
    /// How that distance is measured.
    pub distance: Distance,
    /// Whether it acts on the other side of the model too.
    pub mirror: Option<MirrorAxis>,
}

/// A line on a surface, as pieces across its triangles; model space, metres.
type Line = Vec<[Vec3; 2]>;

/// The distances of points from where a dab touches, by surface.
type Known = Vec<BTreeMap<u32, f32>>;

impl Canvas {
    /// Returns for each of some shares of the radius the line on the surface up to which a dab at a place of it reaches, and where both sides are
    /// painted the same line on the other side. The lines lie on the surface as it is drawn, which is that of this model with any weights; `centre`
    /// is in model space, metres. A line is empty where nothing is that near. `None` where the dab would touch no mesh, or no surface is
    /// at hand.
    #[must_use]
    pub fn outline(&self, reach: &Reach, posed: &PosedModel, centre: Vec3, shares: &[f64]) -> Option<Vec<Line>> {
        if !self.model.shares_all_but_edits(posed.model) {
            return None;
        }
        let mut packed = Vec::new();
        pack(&posed.method, posed.palettes, &mut packed);
        let regions = self.regions(reach.joint);
        let mut scratch = self.scratch(&regions);
        let Scratch { distances, seen } = &mut *scratch;
        let surfaces = PosedSurfaces::drawn(self.ground(posed.model, &regions), posed.clone(), &packed, seen)?;
        let start = surfaces.nearest(centre.as_dvec3())?;
        let mut known: Known = vec![BTreeMap::new(); self.surfaces.len()];
        surfaces.each_within(distances, (reach.distance, BEYOND * reach.radius), &start, &mut |place, distance| {
            known[place.surface].insert(place.point, distance);
        });
        let straight = |region: usize, point: u32| {
            let is_straight = reach.distance == Distance::Volume;
            is_straight.then(|| surfaces.point(region, point).distance(start.at))
        };
        let levels: Vec<f32> = shares.iter().map(|share| (share * reach.radius) as f32).collect();
        let mut out: Vec<Line> = vec![Vec::new(); levels.len()];
        self.add_lines((&surfaces, &regions), &known, (&levels, &straight), &mut out);
        drop(surfaces);
        let Some(images) = reach.mirror.and_then(|axis| self.mirrors.across(&self.model, &self.surfaces, axis).ok())
        else {
            return Some(out);
        };
        // The partner of the joint may move other meshes.
        let regions = self.regions(None);
        scratch.begin(&self.surfaces, &regions);
        let ground = self.ground(posed.model, &regions);
        if let Some(surfaces) = PosedSurfaces::drawn(ground, posed.clone(), &packed, &scratch.seen) {
            let unknown = |_: usize, _: u32| None;
            let there = mirrored(&known, &images);
            self.add_lines((&surfaces, &regions), &there, (&levels, &unknown), &mut out);
        }
        Some(out)
    }

    /// Returns the joints that move what a dab at a place of the surface would touch on this side, the one with the greatest weight first, as the
    /// brush sees their weights: in a layer those of the layer. Distances in the picture count as straight ones. `centre` is in model space,
    /// metres. `None` where the dab would touch no mesh, or no surface is at hand.
    #[must_use]
    pub fn movers(&self, reach: &Reach, posed: &PosedModel, centre: Vec3) -> Option<Vec<NodeId>> {
        if !self.model.shares_all_but_edits(posed.model) {
            return None;
        }
        let mut packed = Vec::new();
        pack(&posed.method, posed.palettes, &mut packed);
        let regions = self.regions(reach.joint);
        let mut scratch = self.scratch(&regions);
        let Scratch { distances, seen } = &mut *scratch;
        let surfaces = PosedSurfaces::drawn(self.ground(posed.model, &regions), posed.clone(), &packed, seen)?;
        let start = surfaces.nearest(centre.as_dvec3())?;
        let distance = if reach.distance == Distance::Screen { Distance::Volume } else { reach.distance };
        let (mut mean, mut space) = (WeightedMean::default(), Shares::new());
        surfaces.each_within(distances, (distance, reach.radius), &start, &mut |place, _| {
            mean.add(self.rows.of_place(&self.surfaces, place, &mut space), 1.0);
        });
        Some(by_weight(mean.finish()))
    }

    /// Adds the lines at some distances; `beyond` tells the distance of a point that is not known.
    fn add_lines(
        &self,
        (surfaces, regions): (&PosedSurfaces<'_>, &[Region]),
        known: &Known,
        (levels, beyond): (&[f32], &dyn Fn(usize, u32) -> Option<f32>),
        out: &mut [Line],
    ) {
        for (region, Region { surface, .. }) in regions.iter().enumerate() {
            let mesh = &self.surfaces[*surface].mesh;
            let at = |point: u32| surfaces.point(region, point);
            let known = &known[*surface];
            for (level, line) in levels.iter().zip(&mut *out) {
                for (point, _) in known.iter().filter(|(_, distance)| **distance <= *level) {
                    for [b, c] in mesh.opposite(*point) {
                        let far = |point: u32| beyond(region, point);
                        line.extend(across([*point, *b, *c], known, *level, (&at, &far)));
                    }
                }
            }
        }
    }
}

/// Returns the distances of the mirror images of points.
fn mirrored(known: &Known, images: &Images) -> Known {
    let mut out: Known = vec![BTreeMap::new(); known.len()];
    for (surface, points) in known.iter().enumerate() {
        for (point, distance) in points {
            if let Some(image) = images.of(Place { surface, point: *point }) {
                out[image.surface].insert(image.point, *distance);
            }
        }
    }
    out
}

/// The positions of points, and the distances of those that are not known otherwise.
type AtAndBeyond<'a> = (&'a dyn Fn(u32) -> Vec3, &'a dyn Fn(u32) -> Option<f32>);

/// Returns the piece of a line across a triangle: between the sides that have one end within a distance and one beyond it. The first corner is
/// within it; `None` too where another corner within it has a lower number, so that each triangle counts once.
fn across(
    corners: [u32; 3],
    known: &BTreeMap<u32, f32>,
    level: f32,
    (at, beyond): AtAndBeyond<'_>,
) -> Option<[Vec3; 2]> {
    let within = corners.map(|point| known.get(&point).copied().filter(|distance| *distance <= level));
    let is_first = corners.iter().zip(within).all(|(point, distance)| distance.is_none() || *point >= corners[0]);
    if !is_first {
        return None;
    }
    let crossing = |near: u32, near_distance: f32, far: u32| {
        let (from, to) = (at(near), at(far));
        // What is not known is reached along the side.
        let far_distance =
            known.get(&far).copied().or_else(|| beyond(far)).unwrap_or(near_distance + from.distance(to));
        let way = far_distance - near_distance;
        let share = if way > 0.0 { ((level - near_distance) / way).clamp(0.0, 1.0) } else { 0.0 };
        from.lerp(to, share)
    };
    let mut ends = [0, 1, 2].into_iter().filter_map(|corner| {
        let next = (corner + 1) % 3;
        match (within[corner], within[next]) {
            (Some(distance), None) => Some(crossing(corners[corner], distance, corners[next])),
            (None, Some(distance)) => Some(crossing(corners[next], distance, corners[corner])),
            _ => None,
        }
    });
    let ends = [ends.next()?, ends.next()?];
    ends.iter().all(|end| end.is_finite()).then_some(ends)
}
