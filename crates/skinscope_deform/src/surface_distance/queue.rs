//! What a search has still to do, about the nearest first.

use super::window::Window;

/// Windows and points, about the nearest first: in stripes of distance.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    /// The first entry of each stripe.
    stripes: Vec<u32>,
    /// The stripe that is emptied.
    stripe: usize,
    /// The number of stripes in the unit of the positions.
    density: f64,
    pub entries: Vec<Entry>,
    /// The first entry that is not in use.
    free: u32,
}

/// A window on a side, or a point that was reached.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub is_point: bool,
    /// Where the point is in `points`; or three times where the triangle is in `triangles`, plus the corner where the side begins.
    pub place: u32,
    pub next: u32,
    /// The next window on the same side.
    pub beside: u32,
    /// Of a point only `before` counts: its distance.
    pub window: Window,
}

pub(super) const NO_ENTRY: u32 = u32::MAX;

const STRIPES: usize = 1024;

impl Queue {
    pub fn begin(&mut self, radius: f64) {
        self.stripes.clear();
        self.stripes.resize(STRIPES, NO_ENTRY);
        (self.stripe, self.free) = (0, NO_ENTRY);
        self.entries.clear();
        self.density = STRIPES as f64 / (1.25 * radius);
    }

    #[inline]
    pub fn put(&mut self, distance: f64, entry: Entry) -> u32 {
        let least = if entry.is_point { self.stripe } else { (self.stripe + 1).min(STRIPES - 1) };
        let stripe = ((distance * self.density) as usize).clamp(least, STRIPES - 1);
        let entry = Entry { next: self.stripes[stripe], ..entry };
        if self.free == NO_ENTRY {
            self.stripes[stripe] = self.entries.len() as u32;
            self.entries.push(entry);
        } else {
            self.stripes[stripe] = self.free;
            let free = &mut self.entries[self.free as usize];
            self.free = free.next;
            *free = entry;
        }
        self.stripes[stripe]
    }

    #[inline]
    pub fn take(&mut self) -> Option<(u32, Entry)> {
        while self.stripes[self.stripe] == NO_ENTRY {
            if self.stripe + 1 == STRIPES {
                return None;
            }
            self.stripe += 1;
        }
        let place = self.stripes[self.stripe];
        let entry = self.entries[place as usize];
        self.stripes[self.stripe] = entry.next;
        self.entries[place as usize].next = self.free;
        self.free = place;
        Some((place, entry))
    }
}
