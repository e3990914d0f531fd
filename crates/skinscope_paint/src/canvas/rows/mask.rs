//! The mask of the layer that is painted in, as brushes see it: a row whose share is the weight of one joint that no skin has. So what adds,
//! scales or smooths weights does the same to a mask.

use std::collections::BTreeSet;

use skinscope_weights::{RestSurface, Shares, TableRow, share_of};

use super::{Member, Place, Rows};

/// The key of the joint that stands for the mask: that of a stroke which names no joint.
pub(in crate::canvas) const MASK: u32 = u32::MAX;

impl Rows {
    /// Returns the mask of a place: that of its first vertex. It is written to `space`.
    pub(crate) fn mask_of_place<'a>(
        &self,
        surfaces: &[RestSurface],
        Place { surface, point }: Place,
        space: &'a mut Shares,
    ) -> &'a [(u32, f64)] {
        let surface = &surfaces[surface];
        *space = self.mask_row(surface.row(surface.mesh.weld.first[point as usize]));
        space
    }

    /// Returns the mask of a vertex, 0 to 1.
    pub fn mask_share(&self, at: TableRow) -> f32 {
        self.layers.mask_share(at)
    }

    fn mask_row(&self, at: TableRow) -> Shares {
        let share = f64::from(self.mask_share(at));
        if share > 0.0 { vec![(MASK, share)] } else { Shares::new() }
    }

    /// Whether the mask of a vertex is another one than it was before.
    pub(crate) fn has_other_mask(&self, at: TableRow, before: &Self) -> bool {
        before.mask_before(at).to_bits() != self.mask_share(at).to_bits()
    }

    /// Whether the layer that is painted in has weights for a vertex, or may have some there by its effects, so that its mask matters there.
    pub(crate) fn is_masked_row(&self, at: TableRow) -> bool {
        self.layers.active_row(at).is_some() || self.layers.has_effects()
    }

    /// Gives all vertices of a place the same mask. Returns whether locked joints have kept their weights; else nothing has changed.
    pub fn set_mask(&mut self, members: &[Member], row: &[(u32, f64)], locked: &BTreeSet<u32>) -> bool {
        let before = |member: &Member| (member.at, self.mask_share(member.at), self.of_locked(member.at, locked));
        let before: Vec<(TableRow, f32, Vec<u64>)> = members.iter().map(before).collect();
        let share = share_of(row, MASK) as f32;
        members.iter().for_each(|member| self.set_mask_share(member.at, share));
        let keeps = before.iter().all(|(at, _, kept)| self.of_locked(*at, locked) == *kept);
        if !keeps {
            before.into_iter().for_each(|(at, share, _)| self.set_mask_share(at, share));
        }
        keeps
    }

    /// Gives a vertex the mask that it had before.
    pub(crate) fn give_back_mask(&mut self, at: TableRow, before: &Self) {
        self.set_mask_share(at, before.mask_before(at));
    }

    /// Returns the mask of a vertex as a brush gives it back: nothing where it is not above nothing.
    fn mask_before(&self, at: TableRow) -> f32 {
        Some(self.mask_share(at)).filter(|share| *share > 0.0).unwrap_or(0.0)
    }

    fn set_mask_share(&mut self, at: TableRow, share: f32) {
        self.layers.set_mask_share(at, share);
        // Effects follow later, for the whole dab.
        if self.layers.base_row(at).is_some() && !self.layers.has_effects() {
            let flat = self.layers.flat(at, self.tables[at.table].per_vertex);
            self.painted[at.table].set(at.row, flat);
        }
    }
}
