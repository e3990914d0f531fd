//! What a stroke has touched so far.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use skinscope_weights::{Effect, RestSurface, Shares, Stuck, TableRow};

use super::StrokeReport;
use super::rows::{Member, Place, Rows};

/// What is known of a place that a stroke has touched.
#[derive(Clone, Debug)]
pub(super) struct Touched {
    /// The greatest strengths so far, of the dabs and of their mirror images.
    pub strengths: [f64; 2],
    /// Its weights before the stroke.
    pub before: Shares,
    /// Its vertices, as each skin moves them.
    pub members: Vec<Member>,
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

impl Touched {
    /// Begins with the weights that a place has, or with its mask.
    pub fn new(rows: &Rows, surfaces: &[RestSurface], place: Place, is_of_mask: bool) -> Self {
        let mut space = Shares::new();
        let (members, before) = match is_of_mask {
            true => (rows.mask_members(surfaces, place), rows.mask_of_place(surfaces, place, &mut space).to_vec()),
            false => (rows.members(surfaces, place), rows.of_place(surfaces, place, &mut space).to_vec()),
        };
        Self { strengths: [0.0; 2], before, members, is_set: false, effect: Effect::Same }
    }

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

    /// Returns what is known of a place; `None` where it was not touched.
    pub fn get(&self, place: Place) -> Option<&Touched> {
        Some(&self.all.get(self.index(place)?)?.1)
    }

    /// Returns what is known of a place, to be changed.
    pub fn get_mut(&mut self, place: Place) -> Option<&mut Touched> {
        let index = self.index(place)?;
        Some(&mut self.all.get_mut(index)?.1)
    }

    /// Returns what is known of a place; `begin` says it where it was not touched before.
    pub fn touch(&mut self, surfaces: &[RestSurface], place: Place, begin: impl FnOnce() -> Touched) -> &mut Touched {
        let index = self.index(place).unwrap_or_else(|| {
            self.numbers.resize_with(surfaces.len(), Vec::new);
            let numbers = &mut self.numbers[place.surface];
            if numbers.is_empty() {
                *numbers = vec![0; surfaces[place.surface].mesh.point_count() as usize];
            }
            self.all.push((place, begin()));
            numbers[place.point as usize] = self.all.len() as u32;
            self.all.len() - 1
        });
        &mut self.all[index].1
    }

    /// Notes that places with some of these rows stay as they were before a dab, since a locked joint would have changed otherwise.
    pub(crate) fn note_held(&mut self, rows: &[TableRow], accumulates: bool) {
        let rows: HashSet<&TableRow> = rows.iter().collect();
        for (_, known) in &mut self.all {
            if known.members.iter().any(|member| rows.contains(&member.at)) {
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
    pub(crate) fn are_all(&self, is_one: &dyn Fn(TableRow) -> bool) -> bool {
        !self.all.is_empty() && self.all.iter().flat_map(|(_, known)| &known.members).all(|member| is_one(member.at))
    }

    /// Counts the vertices of the file at the touched places of which something is true.
    pub fn count(&self, rows: &Rows, is_one: &dyn Fn(Place, &Touched) -> bool) -> usize {
        let places = self.all.iter().filter(|(place, known)| is_one(*place, known));
        let members = places.flat_map(|(_, known)| known.members.iter());
        let vertices = members.map(|Member { at, .. }| TableRow { table: rows.stored_with(at.table), row: at.row });
        vertices.collect::<BTreeSet<_>>().len()
    }

    /// Counts the vertices of the file that were touched, and what became of them.
    pub fn report(&self, rows: &Rows, is_of_mask: bool) -> StrokeReport {
        let mut out = StrokeReport::default();
        let (mut seen, mut stuck) = (HashSet::new(), BTreeMap::<Stuck, usize>::new());
        for (_, known) in self.in_order() {
            for Member { at, before, .. } in &known.members {
                if !seen.insert(TableRow { table: rows.stored_with(at.table), row: at.row }) {
                    continue;
                }
                out.vertices += 1;
                out.changed += usize::from(match is_of_mask {
                    true => rows.has_other_mask(*at, before.as_ref()),
                    false => rows.has_changed(*at, before.as_ref()),
                });
                match known.effect {
                    Effect::Partial(_) => out.partial += 1,
                    Effect::Stuck(why) => *stuck.entry(why).or_default() += 1,
                    Effect::Same | Effect::Changed => {}
                }
            }
        }
        out.stuck = stuck.into_iter().collect();
        out
    }
}
