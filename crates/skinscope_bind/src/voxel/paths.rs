//! The shortest ways through the solid from the bones.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::grid::Grid;
use crate::BindError;
use crate::bones::Bones;
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

/// A distance of a voxel to a joint, the nearest first.
type Open = BinaryHeap<Reverse<(u32, u32, u32)>>;

impl Paths {
    /// Finds the ways from all bones.
    pub fn of(grid: &Grid, bones: &Bones, progress: Progress) -> Result<Self, BindError> {
        let count = grid.voxels.len();
        let mut out = Self { labels: vec![[(0, 0.0); KEPT]; count], counts: vec![0; count] };
        let mut open: Open = BinaryHeap::new();
        for bone in &bones.list {
            progress.at(0.1)?;
            begin(grid, bone, &mut open);
        }
        let mut steps = 0_usize;
        // Distances are not negative, so that their bits are in their order.
        while let Some(Reverse((bits, voxel, joint))) = open.pop() {
            steps += 1;
            if steps.is_multiple_of(1 << 14) {
                progress.at(0.1 + 0.9 * (steps as f32 / (KEPT * count) as f32).min(1.0))?;
            }
            let (known, labels) = (&mut out.counts[voxel as usize], &mut out.labels[voxel as usize]);
            let before = usize::from(*known);
            if before == KEPT || labels[..before].iter().any(|(other, _)| *other == joint) {
                continue;
            }
            labels[before] = (joint, f32::from_bits(bits));
            *known += 1;
            grid.touching(voxel, &mut |next, length| {
                let there = &out.labels[next as usize][..usize::from(out.counts[next as usize])];
                if there.len() < KEPT && there.iter().all(|(other, _)| *other != joint) {
                    open.push(Reverse(((f32::from_bits(bits) + length as f32).to_bits(), next, joint)));
                }
            });
        }
        Ok(out)
    }

    /// Returns the nearest joints of a solid voxel with their distances.
    pub fn labels(&self, voxel: u32) -> &[(u32, f32)] {
        &self.labels[voxel as usize][..usize::from(self.counts[voxel as usize])]
    }
}

/// Begins the ways of a bone in the voxels that it goes through.
fn begin(grid: &Grid, bone: &crate::bones::Bone, open: &mut Open) {
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
            open.push(Reverse(((start as f32).to_bits(), voxel, bone.joint)));
        }
    }
}
