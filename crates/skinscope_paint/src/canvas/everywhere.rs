//! All points of the posed surfaces at once, on all cores.

use std::ops::Range;

use glam::Vec3;
use skinscope_base::memory::prefer_large_pages;
use skinscope_base::parallel;
use skinscope_weights::RestSurface;

use super::Strengths;
use super::posed::{PosedPart, PosedSurfaces};
use super::rows::Place;

/// How many points one thread poses at a time.
const CHUNK: usize = 1 << 12;
/// How many points are posed before what was found of them is put together: memory is used again from one part to the next.
const PART: usize = 1 << 16;

impl PosedSurfaces<'_> {
    /// Finds the positions of all points of a region, where vertices are deformed one by one, so that they are known when they are asked for.
    /// Points whose first vertex the stroke does not touch stay unknown.
    pub(super) fn see_all(&self, region: usize) {
        if self.whole.is_some() {
            return;
        }
        let (surface, parts) = (self.surface(region), &self.parts[region]);
        let of_chunk = |points: Range<usize>| first_positions(surface, parts, points);
        let found = parallel::by_chunk(surface.mesh.point_count() as usize, CHUNK, &of_chunk);
        let seen = &self.seen[self.ground.regions[region].surface];
        for (point, position) in (0..).zip(found.into_iter().flatten()).filter(|(_, position)| !position.is_nan()) {
            seen.put(point, position);
        }
    }

    /// Returns all places with a strength above nothing, rising; a function says it, from the place and its position, model space, metres.
    pub(super) fn strengths(&self, strength: &(dyn Fn(Place, Vec3) -> f64 + Sync)) -> Vec<Strengths> {
        let mut out = Vec::with_capacity(self.point_count());
        prefer_large_pages(&mut out);
        for (region, surface) in self.ground.regions.iter().map(|region| region.surface).enumerate() {
            let (rest, parts, first) = (self.surface(region), &self.parts[region], out.len());
            let count = rest.mesh.point_count() as usize;
            let mut unknown: Vec<u32> = Vec::new();
            let of = |point: u32, at: Vec3| {
                let place = Place { surface, point };
                let strength = strength(place, at);
                (strength > 0.0).then_some((place, [strength, 0.0]))
            };
            for start in (0..count).step_by(PART) {
                let of_chunk = |chunk: Range<usize>| {
                    let points = start + chunk.start..start + chunk.end;
                    let (mut known, mut others) = (Vec::with_capacity(points.len()), Vec::new());
                    for (point, at) in (points.start as u32..).zip(first_positions(rest, parts, points)) {
                        match at.is_nan() {
                            true => others.push(point),
                            false => known.extend(of(point, at)),
                        }
                    }
                    (known, others)
                };
                for (known, others) in parallel::by_chunk(PART.min(count - start), CHUNK, &of_chunk) {
                    out.extend_from_slice(&known);
                    unknown.extend(others);
                }
            }
            // Points whose first vertex the stroke does not touch, and all points where vertices cannot be deformed one by one.
            if !unknown.is_empty() {
                self.each_of((region, surface), unknown.into_iter(), &mut |place, at| out.extend(of(place.point, at)));
                out[first..].sort_unstable_by_key(|(place, _)| *place);
            }
        }
        out
    }
}

/// Returns where the first vertices of some points are; no numbers for those that are not deformed one by one.
fn first_positions(surface: &RestSurface, parts: &[Option<PosedPart<'_>>], points: Range<usize>) -> Vec<Vec3> {
    let part_of = |vertex: u32| surface.parts.partition_point(|part| part.first <= vertex).saturating_sub(1);
    let (mut out, mut space) = (Vec::with_capacity(points.len()), Vec::new());
    for run in surface.mesh.weld.first[points].chunk_by(|a, b| part_of(*a) == part_of(*b)) {
        let number = run.first().map_or(0, |vertex| part_of(*vertex));
        match parts[number].as_ref().and_then(|part| part.deformer.as_ref()) {
            Some(deformer) => {
                let start = surface.parts[number].first;
                let vertices: Vec<u32> = run.iter().map(|vertex| vertex - start).collect();
                deformer.positions(&vertices, &mut space);
                out.extend_from_slice(&space);
            }
            None => out.resize(out.len() + run.len(), Vec3::NAN),
        }
    }
    out
}
