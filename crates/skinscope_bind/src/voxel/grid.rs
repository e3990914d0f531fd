//! The body as a solid of voxels.

use std::collections::VecDeque;

use glam::{DMat3, DVec3};

use crate::BindError;
use crate::binder::Body;
use crate::frame;
use crate::progress::Progress;

/// A box of voxels, each of which is solid or not.
pub struct Grid {
    /// The length of a voxel.
    pub size: f64,
    axes: DMat3,
    corner: DVec3,
    counts: [usize; 3],
    /// For each voxel the number of the solid voxel, or [`EMPTY`].
    solid: Vec<u32>,
    /// The index of each solid voxel in the box.
    pub voxels: Vec<u32>,
}

/// Stands for no solid voxel.
pub const EMPTY: u32 = u32::MAX;

/// Voxels around the body, on both sides together.
const MARGIN: f64 = 5.0;
/// No more voxels than this are made.
const MOST: f64 = 12e6;
/// Where less than this share of the bones is in the solid the surface leaks.
const LEAKING: f64 = 0.5;
/// In how many of 26 directions a voxel has to meet the surface to be inside where it leaks: less and less, until enough bones are.
const DIRECTIONS: [u8; 4] = [22, 19, 16, 13];

impl Grid {
    /// Makes the solid of a body that is `resolution` voxels long.
    pub fn of(body: &Body, resolution: f64, progress: Progress) -> Result<Self, BindError> {
        let axes = frame::axes(body.shape);
        let own: Vec<DVec3> = body.shape.points.iter().map(|point| axes * *point).collect();
        let low = own.iter().fold(DVec3::INFINITY, |low, point| low.min(*point));
        let high = own.iter().fold(DVec3::NEG_INFINITY, |high, point| high.max(*point));
        let extent = high - low;
        let mut size = extent.max_element() / resolution;
        let cells = |size: f64| (extent / size + MARGIN).element_product();
        while cells(size) > MOST {
            size *= 1.02;
        }
        // An odd number, so that planes of symmetry are in the middle of voxels, and it does not matter which way an axis runs.
        let odd = |length: f64| 2 * ((length / size - 1e-6) / 2.0).ceil() as usize + MARGIN as usize;
        let counts = extent.to_array().map(odd);
        let counted = DVec3::from_array(counts.map(|count| count as f64));
        let corner = (low + high - counted * size) / 2.0;
        let all = counts.iter().product();
        let mut out = Self { size, axes, corner, counts, solid: vec![EMPTY; all], voxels: Vec::new() };
        let surface = out.surface(body, &own);
        progress.at(0.6)?;
        let mut is_solid = out.enclosed(&surface);
        progress.at(0.8)?;
        if out.share_of_bones(body, &is_solid) < LEAKING {
            let met = out.met(&surface);
            for least in DIRECTIONS {
                is_solid.iter_mut().zip(&met).for_each(|(is_solid, met)| *is_solid |= *met >= least);
                if out.share_of_bones(body, &is_solid) >= LEAKING {
                    break;
                }
            }
        }
        progress.at(1.0)?;
        for (at, is_solid) in is_solid.into_iter().enumerate().filter(|(_, is_solid)| *is_solid) {
            out.solid[at] = out.voxels.len() as u32 * u32::from(is_solid);
            out.voxels.push(at as u32);
        }
        Ok(out)
    }

    /// Returns the voxel of a point of the shape, by its number along each axis; `None` outside of the box.
    fn cell(&self, point: DVec3) -> Option<[usize; 3]> {
        let at = ((self.axes * point - self.corner) / self.size).floor().to_array();
        let is_inside = at.iter().zip(self.counts).all(|(at, count)| *at >= 0.0 && *at < count as f64);
        is_inside.then(|| at.map(|at| at as usize))
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.counts[1] + y) * self.counts[0] + x
    }

    fn place(&self, index: usize) -> [usize; 3] {
        let [x, y, _] = self.counts;
        [index % x, index / x % y, index / (x * y)]
    }

    /// Returns the middle of a voxel of the box.
    fn centre(&self, [x, y, z]: [usize; 3]) -> DVec3 {
        let at = self.corner + (DVec3::new(x as f64, y as f64, z as f64) + 0.5) * self.size;
        self.axes.transpose() * at
    }

    /// Returns the middle of a solid voxel.
    pub fn middle(&self, voxel: u32) -> DVec3 {
        self.centre(self.place(self.voxels[voxel as usize] as usize))
    }

    /// Returns the solid voxel that a point is in.
    pub(crate) fn solid_at(&self, point: DVec3) -> Option<u32> {
        let cell = self.cell(point)?;
        Some(self.solid[self.index(cell)]).filter(|voxel| *voxel != EMPTY)
    }

    /// Returns the solid voxel whose middle is nearest to a point of the box, no farther than `reach`, and how far it is.
    pub(crate) fn nearest_solid(&self, point: DVec3, reach: f64) -> Option<(u32, f64)> {
        let cell = self.cell(point)?;
        let rings = (reach / self.size).ceil() as usize;
        let mut best: Option<(f64, u32)> = None;
        for ring in 1..=rings {
            if best.is_some_and(|(least, _)| least < (ring as f64 - 1.0) * self.size) {
                break;
            }
            let range = |axis: usize| cell[axis].saturating_sub(ring)..=(cell[axis] + ring).min(self.counts[axis] - 1);
            for z in range(2) {
                for y in range(1) {
                    for x in range(0) {
                        let far = [x, y, z].iter().zip(cell).map(|(a, b)| a.abs_diff(b)).max();
                        let voxel = self.solid[self.index([x, y, z])];
                        if far == Some(ring) && voxel != EMPTY {
                            let distance = self.centre([x, y, z]).distance(point);
                            if distance <= reach && best.is_none_or(|best| (distance, voxel) < best) {
                                best = Some((distance, voxel));
                            }
                        }
                    }
                }
            }
        }
        best.map(|(distance, voxel)| (voxel, distance))
    }

    /// Whether a point is within the box.
    pub fn has(&self, point: DVec3) -> bool {
        self.cell(point).is_some()
    }

    /// Calls `visit` for the solid voxels among the 27 around a point, with their middles.
    pub fn around(&self, point: DVec3, visit: &mut dyn FnMut(u32, DVec3)) {
        let Some(cell) = self.cell(point) else { return };
        self.neighbours(cell, |other, _| {
            let voxel = self.solid[self.index(other)];
            if voxel != EMPTY {
                visit(voxel, self.centre(other));
            }
        });
    }

    /// Calls `visit` for the solid voxels that touch a solid voxel, with the distance of their middles.
    pub fn touching(&self, voxel: u32, mut visit: impl FnMut(u32, f64)) {
        let cell = self.place(self.voxels[voxel as usize] as usize);
        let lengths = [0.0, 1.0, 2.0, 3.0].map(|steps: f64| self.size * steps.sqrt());
        self.neighbours(cell, |other, steps| {
            let next = self.solid[self.index(other)];
            if next != EMPTY && steps > 0 {
                visit(next, lengths[steps]);
            }
        });
    }

    /// Visits a voxel of the box and those around it, with how many axes they differ in.
    fn neighbours(&self, [x, y, z]: [usize; 3], mut visit: impl FnMut([usize; 3], usize)) {
        let range = |at: usize, count: usize| at.saturating_sub(1)..=(at + 1).min(count - 1);
        for c in range(z, self.counts[2]) {
            for b in range(y, self.counts[1]) {
                for a in range(x, self.counts[0]) {
                    visit([a, b, c], usize::from(a != x) + usize::from(b != y) + usize::from(c != z));
                }
            }
        }
    }

    /// Returns which voxels the surface goes through.
    fn surface(&self, body: &Body, own: &[DVec3]) -> Vec<bool> {
        let mut out = vec![false; self.solid.len()];
        for triangle in &body.shape.triangles {
            let [a, b, c] = triangle.map(|place| (own[place as usize] - self.corner) / self.size);
            // Samples closer than a voxel along both sides.
            let steps = ((b - a).length().max((c - a).length()).max((c - b).length()) / 0.45).ceil().max(1.0) as usize;
            for i in 0..=steps {
                for j in 0..=steps - i {
                    let (u, v) = (i as f64 / steps as f64, j as f64 / steps as f64);
                    let at = (a + (b - a) * u + (c - a) * v).to_array().map(|at| at.max(0.0) as usize);
                    let index = self.index(at);
                    if let Some(flag) = out.get_mut(index) {
                        *flag = true;
                    }
                }
            }
        }
        out
    }

    /// Returns the voxels that are not outside: a flood from a corner of the box does not reach them, or they are the surface.
    fn enclosed(&self, surface: &[bool]) -> Vec<bool> {
        let mut out = vec![true; surface.len()];
        let mut open = VecDeque::from([0_usize]);
        out[0] = false;
        let [width, height, depth] = self.counts;
        while let Some(index) = open.pop_front() {
            let [x, y, z] = self.place(index);
            let mut step = |is_there: bool, next: usize| {
                if is_there && out[next] && !surface[next] {
                    out[next] = false;
                    open.push_back(next);
                }
            };
            step(x > 0, index.wrapping_sub(1));
            step(x + 1 < width, index + 1);
            step(y > 0, index.wrapping_sub(width));
            step(y + 1 < height, index + width);
            step(z > 0, index.wrapping_sub(width * height));
            step(z + 1 < depth, index + width * height);
        }
        out
    }

    /// Returns the share of the bones that is in the solid, of what is within the box.
    fn share_of_bones(&self, body: &Body, is_solid: &[bool]) -> f64 {
        let (mut inside, mut all) = (0, 0);
        for bone in &body.bones.list {
            let [from, to] = bone.ends;
            let steps = (from.distance(to) / (0.5 * self.size)).ceil().clamp(1.0, 1e4) as usize;
            for step in 0..=steps {
                if let Some(cell) = self.cell(from.lerp(to, step as f64 / steps as f64)) {
                    all += 1;
                    inside += usize::from(is_solid[self.index(cell)]);
                }
            }
        }
        if all == 0 { 1.0 } else { f64::from(inside as u32) / f64::from(all) }
    }

    /// Returns in how many of the 26 directions of the grid each voxel meets the surface.
    fn met(&self, surface: &[bool]) -> Vec<u8> {
        let mut out = vec![0_u8; surface.len()];
        let mut hit = vec![false; surface.len()];
        let steps = || [-1_isize, 0, 1];
        let directions =
            steps().into_iter().flat_map(|z| steps().into_iter().flat_map(move |y| steps().map(|x| [x, y, z])));
        for step in directions.filter(|step| *step != [0, 0, 0]) {
            let order = |axis: usize| -> Vec<usize> {
                let all = 0..self.counts[axis];
                if step[axis] > 0 { all.rev().collect() } else { all.collect() }
            };
            let [xs, ys, zs] = [order(0), order(1), order(2)];
            for z in &zs {
                for y in &ys {
                    for x in &xs {
                        let from = [*x, *y, *z];
                        let next = [0, 1, 2].map(|axis| from[axis].wrapping_add_signed(step[axis]));
                        let is_inside = next.iter().zip(self.counts).all(|(at, count)| *at < count);
                        let (at, there) = (self.index(from), self.index(if is_inside { next } else { from }));
                        hit[at] = is_inside && (surface[there] || hit[there]);
                        out[at] += u8::from(hit[at]);
                    }
                }
            }
            hit.fill(false);
        }
        out
    }
}
