//! What a stroke has touched so far.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use skinscope_base::memory::prefer_large_pages;
use skinscope_base::parallel;
use skinscope_weights::{Effect, RestSurface, Stuck, TableRow};

use super::StrokeReport;
use super::rows::{Member, Place, Rows};

/// How many places one thread looks at at a time.
const CHUNK: usize = 1 << 12;

/// What is known of a place that a stroke has touched.
#[derive(Clone, Debug)]
pub(super) struct Touched {
    /// The greatest strengths so far, of the dabs and of their mirror images.
    pub strengths: [f64; 2],
    /// Whether the stroke has given it other weights.
    pub is_set: bool,
    /// What the last dab has done there, or where dabs add up, all of them together.
    effect: Effect,
}

/// The places that a stroke has touched.
#[derive(Clone, Debug, Default)]
pub(super) struct TouchedPlaces {
    /// In the order in which they were touched first.
    all: Vec<(Place, Touched)>,
    /// For each surface and each of its points one more than the index in that list, 0 where it is not there; empty for a surface that was
    /// not touched.
    numbers: Vec<Vec<u32>>,
}

impl Default for Touched {
    fn default() -> Self {
        Self { strengths: [0.0; 2], is_set: false, effect: Effect::Same }
    }
}

impl Touched {
    /// Notes what a dab has done.
    pub fn note(&mut self, effect: Effect, accumulates: bool) {
        self.effect = if accumulates { then(self.effect, effect) } else { effect };
    }
}

/// Returns what two changes have done together, one after the other.
pub(super) fn then(before: Effect, now: Effect) -> Effect {
    match (before, now) {
        (before, Effect::Same) => before,
        (Effect::Partial(why), _) => Effect::Partial(why),
        (Effect::Changed, Effect::Stuck(why)) | (Effect::Stuck(why), Effect::Changed) => Effect::Partial(why),
        (_, now) => now,
    }
}

impl TouchedPlaces {
    fn index(&self, Place { surface, point }: Place) -> Option<usize> {
        let number = self.numbers.get(surface)?.get(point as usize)?;
        (*number as usize).checked_sub(1)
    }

    /// Makes room where many places will be touched that are not known yet.
    pub fn expect(&mut self, count: usize) {
        if self.all.is_empty() {
            self.all.reserve(count);
            prefer_large_pages(&mut self.all);
        }
    }

    /// Returns what is known of a place; `None` where it was not touched.
    pub fn get(&self, place: Place) -> Option<&Touched> {
        Some(&self.all.get(self.index(place)?)?.1)
    }

    /// Returns what is known of a place, to be changed.
    pub fn get_mut(&mut self, place: Place) -> Option<&mut Touched> {
        let index = self.index(place)?;
        Some(&mut self.all.get_mut(index)?.1)
    }

    /// Returns what is known of a place, which may not have been touched before.
    pub fn touch(&mut self, surfaces: &[RestSurface], place: Place) -> &mut Touched {
        let index = self.index(place).unwrap_or_else(|| {
            self.numbers.resize_with(surfaces.len(), Vec::new);
            let numbers = &mut self.numbers[place.surface];
            if numbers.is_empty() {
                *numbers = vec![0; surfaces[place.surface].mesh.point_count() as usize];
                prefer_large_pages(numbers);
            }
            self.all.push((place, Touched::default()));
            numbers[place.point as usize] = self.all.len() as u32;
            self.all.len() - 1
        });
        &mut self.all[index].1
    }

    /// Notes that places with some of these rows stay as they were before a dab, since a locked joint would have changed otherwise.
    pub(crate) fn note_held(
        &mut self,
        (rows, surfaces): (&Rows, &[RestSurface]),
        held: &[TableRow],
        accumulates: bool,
    ) {
        let held: HashSet<&TableRow> = held.iter().collect();
        for (place, known) in &mut self.all {
            if rows.members(surfaces, *place).iter().any(|member| held.contains(&member.at)) {
                known.note(Effect::Stuck(Stuck::NoSlot), accumulates);
            }
        }
    }

    /// Returns all of them in their order, not in that in which they were touched.
    pub fn in_order(&self) -> Vec<&(Place, Touched)> {
        let mut out: Vec<&(Place, Touched)> = self.all.iter().collect();
        out.sort_unstable_by_key(|(place, _)| *place);
        out
    }

    /// Returns the place with the greatest strength of those that stay for a reason; of several the first.
    pub(super) fn strongest_stuck(&self, why: Stuck) -> Option<Place> {
        let mut best: Option<(f64, Place)> = None;
        for (place, known) in self.in_order().into_iter().filter(|(_, known)| known.effect == Effect::Stuck(why)) {
            let strength = known.strengths[0].max(known.strengths[1]);
            if best.is_none_or(|(before, _)| strength > before) {
                best = Some((strength, *place));
            }
        }
        best.map(|(_, place)| place)
    }

    /// Whether something is true of all rows that were touched, of which there are some.
    pub(crate) fn are_all(&self, (rows, surfaces): (&Rows, &[RestSurface]), is_one: &dyn Fn(TableRow) -> bool) -> bool {
        let are = |place: Place| rows.members(surfaces, place).iter().all(|member| is_one(member.at));
        !self.all.is_empty() && self.all.iter().all(|(place, _)| are(*place))
    }

    /// Counts the vertices of the file at the touched places of which something is true.
    pub fn count(&self, (rows, surfaces): (&Rows, &[RestSurface]), is_one: &dyn Fn(Place, &Touched) -> bool) -> usize {
        let mut out = BTreeSet::new();
        for (place, _) in self.all.iter().filter(|(place, known)| is_one(*place, known)) {
            let members = rows.members(surfaces, *place);
            out.extend(members.iter().map(|member| rows.stored_at(member.at)));
        }
        out.len()
    }

    /// Does the same as [`TouchedPlaces::report`] where all places were painted at once, without layers, and have no rows in common: what was
    /// set has changed.
    pub fn report_at_once(&self, surfaces: &[RestSurface]) -> StrokeReport {
        let mut out = StrokeReport::default();
        let mut stuck = BTreeMap::<Stuck, usize>::new();
        for (place, known) in &self.all {
            let count = surfaces[place.surface].members(place.point).len();
            out.vertices += count;
            out.changed += if known.is_set { count } else { 0 };
            match known.effect {
                Effect::Partial(_) => out.partial += count,
                Effect::Stuck(why) => *stuck.entry(why).or_default() += count,
                Effect::Same | Effect::Changed => {}
            }
        }
        out.stuck = stuck.into_iter().collect();
        out
    }

    /// Counts the vertices of the file that were touched, and what became of them; `before` are the rows before the stroke.
    pub fn report(&self, (rows, before): (&Rows, &Rows), surfaces: &[RestSurface], is_of_mask: bool) -> StrokeReport {
        let list = self.in_order();
        let has_changed = |at: TableRow| match is_of_mask {
            true => rows.has_other_mask(at, before),
            false => rows.has_changed(at, before.painted(at)),
        };
        let of_chunk = |chunk: Range<usize>| {
            let mut out = Vec::with_capacity(chunk.len());
            for (place, known) in &list[chunk] {
                for Member { at, .. } in rows.members(surfaces, *place).iter() {
                    out.push((*at, known.effect, has_changed(*at)));
                }
            }
            out
        };
        let mut out = StrokeReport::default();
        let (mut seen, mut stuck) =
            (rows.counts().map(|count| vec![false; count]).collect::<Vec<_>>(), BTreeMap::<Stuck, usize>::new());
        for (at, effect, has_changed) in parallel::by_chunk(list.len(), CHUNK, &of_chunk).into_iter().flatten() {
            let TableRow { table, row } = rows.stored_at(at);
            if seen[table].get_mut(row).is_some_and(|seen| std::mem::replace(seen, true)) {
                continue;
            }
            out.vertices += 1;
            out.changed += usize::from(has_changed);
            match effect {
                Effect::Partial(_) => out.partial += 1,
                Effect::Stuck(why) => *stuck.entry(why).or_default() += 1,
                Effect::Same | Effect::Changed => {}
            }
        }
        out.stuck = stuck.into_iter().collect();
        out
    }
}
