//! The shortest ways through the solid from the bones.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::grid::Grid;
use crate::BindError;
use crate::bones::{Bone, Bones};
use crate::progress::Progress;

/// So many joints are remembered in each voxel: those that are nearest.
const KEPT: usize = 4;
/// A bone outside of the solid begins at the nearest voxel, no farther away than this.
const OUTSIDE: f64 = 0.1;
/// The way from there to the bone counts so many times.
const DETOUR: f64 = 1.5;

/// The nearest joints of each solid voxel.
pub struct Paths {
    labels: Vec<[(u32, f32); KEPT]>,
    counts: Vec<u8>,
}

/// The ways that were kept and not followed yet: the bits of a distance, a voxel and a joint, the nearest first.
type Open = BinaryHeap<Reverse<(u32, u32, u32)>>;

impl Paths {
    /// Finds the ways from all bones.
    pub fn of(grid: &Grid, bones: &Bones, progress: Progress) -> Result<Self, BindError> {
        let count = grid.voxels.len();
        let mut out = Self { labels: vec![[(0, 0.0); KEPT]; count], counts: vec![0; count] };
        let mut open: Open = BinaryHeap::new();
        for bone in &bones.list {
            progress.at(0.1)?;
            begin(grid, bone, &mut |start, voxel| out.offer((start.to_bits(), voxel, bone.joint), &mut open));
        }
        let mut steps = 0_usize;
        // Distances are not negative, so that their bits are in their order.
        while let Some(Reverse((bits, voxel, joint))) = open.pop() {
            let distance = f32::from_bits(bits);
            if !out.labels(voxel).contains(&(joint, distance)) {
                continue;
            }
            steps += 1;
            if steps.is_multiple_of(1 << 14) {
                progress.at(0.1 + 0.9 * (steps as f32 / (KEPT * count) as f32).min(1.0))?;
            }
            grid.touching(voxel, |next, length| {
                out.offer(((distance + length as f32).to_bits(), next, joint), &mut open);
            });
        }
        Ok(out)
    }

    /// Keeps a way to a voxel that is shorter than the known one from the same joint, and among the shortest. Of equally long ones that of the
    /// first joint is the shorter.
    fn offer(&mut self, way: (u32, u32, u32), open: &mut Open) {
        let (bits, voxel, joint) = way;
        let (labels, count) = (&mut self.labels[voxel as usize], &mut self.counts[voxel as usize]);
        let known = usize::from(*count);
        let is_longer = |(other, distance): &(u32, f32)| (distance.to_bits(), *other) > (bits, joint);
        // The last label that is not needed any more, or the first place that is free.
        let end = match labels[..known].iter().position(|(other, _)| *other == joint) {
            Some(own) => own,
            None if known < KEPT => known,
            None => KEPT - 1,
        };
        if end < known && !is_longer(&labels[end]) {
            return;
        }
        *count = known.max(end + 1) as u8;
        let at = labels[..end].partition_point(|label| !is_longer(label));
        labels.copy_within(at..end, at + 1);
        labels[at] = (joint, f32::from_bits(bits));
        open.push(Reverse(way));
    }

    /// Returns the nearest joints of a solid voxel with their distances.
    pub fn labels(&self, voxel: u32) -> &[(u32, f32)] {
        &self.labels[voxel as usize][..usize::from(self.counts[voxel as usize])]
    }
}

/// Begins the ways of a bone in the voxels that it goes through: calls `offer` with how far they are from it.
fn begin(grid: &Grid, bone: &Bone, offer: &mut dyn FnMut(f32, u32)) {
    let [from, to] = bone.ends;
    let steps = (from.distance(to) / (0.5 * grid.size)).ceil().clamp(1.0, 1e4) as usize;
    let mut last = None;
    for step in 0..=steps {
        let at = from.lerp(to, step as f64 / steps as f64);
        let (voxel, start) = match grid.solid_at(at) {
            Some(voxel) => {
                let middle = grid.middle(voxel);
                (voxel, bone.nearest(middle).distance(middle))
            }
            None if grid.has(at) => {
                let Some((voxel, distance)) = grid.nearest_solid(at, OUTSIDE) else { continue };
                (voxel, DETOUR * distance)
            }
            None => continue,
        };
        if last != Some((voxel, start.to_bits())) {
            last = Some((voxel, start.to_bits()));
            offer(start as f32, voxel);
        }
    }
}
