//! Memory that is kept from one search on the posed surfaces to the next, so that a search costs what it touches.

use std::cell::Cell;

use glam::Vec3;
use skinscope_deform::SurfaceDistances;
use skinscope_weights::RestSurface;

use super::Region;

/// What searches on the surfaces of a model keep, by surface.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub distances: Vec<SurfaceDistances>,
    pub seen: Vec<Seen>,
}

/// The positions of the points of a surface that were asked for since the last [`Scratch::begin`].
#[derive(Debug, Default)]
pub(super) struct Seen {
    stamp: u32,
    /// Each with the stamp of when it was asked for.
    points: Vec<Cell<(u32, Vec3)>>,
}

impl Scratch {
    /// Forgets all positions of the surfaces of some regions.
    pub fn begin(&mut self, surfaces: &[RestSurface], regions: &[Region]) {
        self.distances.resize_with(surfaces.len(), SurfaceDistances::default);
        self.seen.resize_with(surfaces.len(), Seen::default);
        for surface in regions.iter().map(|region| region.surface) {
            self.seen[surface].begin(surfaces[surface].mesh.point_count() as usize);
        }
    }
}

impl Seen {
    fn begin(&mut self, count: usize) {
        if self.points.len() != count || self.stamp == u32::MAX {
            self.stamp = 0;
            self.points = vec![Cell::new((0, Vec3::ZERO)); count];
        }
        self.stamp += 1;
    }

    /// Returns the position of a point, which `find` finds where nobody has asked for it yet.
    pub fn get(&self, point: u32, find: impl FnOnce() -> Vec3) -> Vec3 {
        let known = &self.points[point as usize];
        let (stamp, position) = known.get();
        if stamp == self.stamp {
            return position;
        }
        let position = find();
        self.put(point, position);
        position
    }

    /// Notes the position of a point.
    pub fn put(&self, point: u32, position: Vec3) {
        self.points[point as usize].set((self.stamp, position));
    }
}
