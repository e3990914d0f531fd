//! What a dab changes: rows of the places that it touches, and of those on the other side.

use std::ops::Range;

use skinscope_base::memory::prefer_large_pages;
use skinscope_base::parallel;
use skinscope_weights::brush::{Asked, Painted, Task};
use skinscope_weights::{Effect, Need, RestSurface, Shares, Stuck, TableRow, Toward, difference, mean, share_of};

use super::group::paint_as_one;
use super::mask::paint_mask;
use super::rows::{Member, NewRows, PaintedRow, Place, WeightedMean};
use super::touched::then;
use super::{Brushing, Canvas, Pass, Strengths};
use crate::layers::RowShares;

/// The weights of a row, and those that it goes towards.
type OwnAndToward<'a> = (&'a [(u32, f64)], &'a [(u32, f64)]);
/// How many places one thread paints at a time: a dab has some thousand.
const CHUNK: usize = 1 << 10;
/// How many places are painted before their rows are written.
const AT_ONCE: usize = 1 << 15;
/// Where an erased row differs from what lies below by no more than this, nothing is left of it.
const NOTHING_LEFT: f64 = 1e-6;

/// Memory that is kept from one place to the next.
#[derive(Default)]
struct Space {
    own: Shares,
    near: Shares,
    row: Shares,
    mean: WeightedMean,
}

impl Canvas {
    /// Changes the rows of places, and returns those that have other weights now, rising.
    pub(super) fn apply(&mut self, brushing: &mut Brushing, strengths: Vec<Strengths>) -> Vec<TableRow> {
        // Effects follow all that a dab changes at once.
        let before = self.rows.layers.has_effects().then(|| self.rows.layers.clone());
        let list = self.grown(brushing, brushing.both_sides(&self.surfaces, strengths));
        let means: Vec<Shares> = match brushing.stroke.brush.toward {
            Toward::Touched => (0..brushing.passes.len()).map(|side| self.mean_of(brushing, &list, side)).collect(),
            Toward::Nothing | Toward::Neighbours | Toward::NeighboursByLength | Toward::Below => {
                vec![Shares::new(); brushing.passes.len()]
            }
        };
        let mut out = match !brushing.is_of_mask && self.rows.notes(&brushing.locked) {
            true => self.paint_together(brushing, &list, &means),
            false => self.paint_in_turn(brushing, &list, &means),
        };
        out.sort_unstable();
        out.dedup();
        match before {
            Some(before) => self.follow_effects(brushing, &before, out),
            None => out,
        }
    }

    /// Paints places, and gives all of them their weights together. Returns the rows that were set.
    fn paint_together(&mut self, brushing: &mut Brushing, list: &[Strengths], means: &[Shares]) -> Vec<TableRow> {
        let mut out = Vec::with_capacity(list.len());
        prefer_large_pages(&mut out);
        let toward = brushing.stroke.brush.toward;
        if list.len() <= AT_ONCE || self.rows.is_layered() || toward == Toward::Below {
            self.paint_part(brushing, list, means, &mut out);
            return out;
        }
        // New rows of a part are written where those of the part before have been: fresh memory costs more than the painting. Places that read
        // others see them as they were before the dab.
        let reads_own = toward == Toward::Nothing && self.rows.are_of_one_place(&self.surfaces);
        brushing.before_dab = (!reads_own).then(|| self.rows.clone());
        for part in list.chunks(AT_ONCE) {
            self.paint_part(brushing, part, means, &mut out);
        }
        brushing.before_dab = None;
        out
    }

    /// Paints some of the places of a dab, and adds the rows that were set to a list.
    fn paint_part(&mut self, brushing: &mut Brushing, list: &[Strengths], means: &[Shares], out: &mut Vec<TableRow>) {
        let of_chunk = |chunk: Range<usize>| {
            let (mut space, mut new) = (Space::default(), self.rows.new_rows());
            let mut effects = Vec::with_capacity(chunk.len());
            for at in &list[chunk] {
                let effect = self.painted_evenly(brushing, *at, means, &mut space);
                self.note_place(brushing, (at.0, effect.changes().then_some(&space.row)), &mut new);
                effects.push(effect);
            }
            (effects, new)
        };
        let made = parallel::by_chunk(list.len(), CHUNK, &of_chunk);
        let accumulates = brushing.stroke.accumulate;
        let mut lists: Vec<Vec<NewRows>> = self.rows.new_rows().iter().map(|_| Vec::new()).collect();
        let mut places = list.iter();
        for (effects, new) in made {
            for (effect, (place, _)) in effects.into_iter().zip(&mut places) {
                let Some(known) = brushing.touched.get_mut(*place) else { continue };
                known.note(effect, accumulates);
                known.is_set = effect.changes() || accumulates && known.is_set;
            }
            for ((table, rows), list) in new.into_iter().enumerate().zip(&mut lists) {
                out.extend(rows.iter().map(|(row, _)| TableRow { table, row: *row }));
                list.push(rows);
            }
        }
        self.rows.set_all(lists);
    }

    /// Notes what becomes of a place with its new weights. Where there are none, it gets those from before the stroke: what was asked for before
    /// is asked for no more, and a stronger dab gets nothing.
    fn note_place(&self, brushing: &Brushing, (place, row): (Place, Option<&Shares>), new: &mut [NewRows]) {
        let Brushing { stroke, touched, before, .. } = brushing;
        if let Some(row) = row {
            let row = self.is_left(stroke.brush.toward, place, row).then_some((&row[..], stroke.normalise));
            self.rows.note(&self.rows.members(&self.surfaces, place), row, new);
        } else if !stroke.accumulate && touched.get(place).is_some_and(|known| known.is_set) {
            let members = self.rows.members(&self.surfaces, place);
            members.iter().for_each(|Member { at, .. }| {
                new[at.table].push((at.row, before.painted(*at).map(PaintedRow::to_row)))
            });
        }
    }

    /// Paints places, and gives them their masks or their weights one after the other, each as far as locked joints keep theirs. Returns the
    /// rows that were set.
    fn paint_in_turn(&mut self, brushing: &mut Brushing, list: &[Strengths], means: &[Shares]) -> Vec<TableRow> {
        let of_chunk = |chunk: Range<usize>| {
            let mut space = Space::default();
            let of_place = |at: &Strengths| {
                let effect = self.painted_evenly(brushing, *at, means, &mut space);
                (at.0, effect, effect.changes().then(|| RowShares::from(&space.row[..])))
            };
            list[chunk].iter().map(of_place).collect::<Vec<_>>()
        };
        let painted = parallel::by_chunk(list.len(), CHUNK, &of_chunk);
        let Brushing { stroke, locked, touched, before, is_of_mask, .. } = brushing;
        let (accumulates, is_of_mask) = (stroke.accumulate, *is_of_mask);
        let mut out = Vec::new();
        for (place, effect, row) in painted.into_iter().flatten() {
            let Some(known) = touched.get_mut(place) else { continue };
            let members = self.rows.members(&self.surfaces, place);
            let asks = row.is_some();
            let changes = row.is_some_and(|row| match is_of_mask {
                true => self.rows.set_mask(&members, &row, locked),
                false => {
                    let row = self.is_left(stroke.brush.toward, place, &row).then_some((&row[..], stroke.normalise));
                    self.rows.set_in_layer(&members, row, locked)
                }
            });
            known.note(if asks && !changes { Effect::Stuck(Stuck::NoSlot) } else { effect }, accumulates);
            if !changes {
                if accumulates || !known.is_set {
                    continue;
                }
                // What was asked for before is asked for no more: a stronger dab gets nothing.
                members.iter().for_each(|Member { at, .. }| match is_of_mask {
                    true => self.rows.give_back_mask(*at, before),
                    false => self.rows.give_back(*at, before),
                });
            }
            known.is_set = changes || accumulates && known.is_set;
            // A mask changes nothing where its layer has no weights.
            let rows = members.iter().map(|member| member.at);
            out.extend(rows.filter(|at| !is_of_mask || self.rows.is_masked_row(*at)));
        }
        out
    }

    /// Whether something is left of a place with new weights: it was not erased to the last of it, so that it would be no more in the layer.
    fn is_left(&self, toward: Toward, place: Place, row: &[(u32, f64)]) -> bool {
        toward != Toward::Below || difference(row, &self.rows.below_place(&self.surfaces, place)) > NOTHING_LEFT
    }

    /// Notes the strengths of a dab, and returns the places whose rows have to be painted, with the strengths with which they are.
    fn grown(&self, brushing: &mut Brushing, mut list: Vec<Strengths>) -> Vec<Strengths> {
        let Brushing { stroke, touched, .. } = brushing;
        touched.expect(list.len());
        list.retain_mut(|(place, new)| {
            let known = touched.touch(&self.surfaces, *place);
            let before = known.strengths;
            known.strengths = [0, 1].map(|side| new[side].max(before[side]));
            if !stroke.accumulate {
                *new = known.strengths;
            }
            stroke.accumulate || known.strengths != before
        });
        if stroke.brush.toward == Toward::Touched && !stroke.accumulate && !list.is_empty() {
            // The mean of all that the stroke has touched is another one now.
            list = touched.in_order().into_iter().map(|(place, known)| (*place, known.strengths)).collect();
        }
        list
    }

    /// Returns the weights that a place had before the dab, or where dabs do not add up, before the stroke. They may be written to `space`.
    fn before<'a>(&'a self, brushing: &'a Brushing, place: Place, space: &'a mut Shares) -> &'a [(u32, f64)] {
        let rows = match brushing.stroke.accumulate {
            true => brushing.before_dab.as_ref().unwrap_or(&self.rows),
            false => &brushing.before,
        };
        match brushing.is_of_mask {
            true => rows.mask_of_place(&self.surfaces, place, space),
            false => self.rows.of_place_in(rows, &self.surfaces, place, space),
        }
    }

    /// Returns the mean of what one side of a dab touches.
    fn mean_of(&self, brushing: &Brushing, list: &[Strengths], side: usize) -> Shares {
        let (mut out, mut space) = (WeightedMean::default(), Shares::new());
        for (place, strengths) in list.iter().filter(|(_, strengths)| strengths[side] > 0.0) {
            out.add(self.before(brushing, *place, &mut space), strengths[side]);
        }
        out.finish()
    }

    /// Does the same as [`Canvas::painted_place`]; in the middle of a model whose both sides are painted, a row stays its own mirror image. Where
    /// the row changes, `space.row` has its new weights afterwards.
    fn painted_evenly(
        &self,
        brushing: &Brushing,
        (place, strengths): Strengths,
        means: &[Shares],
        space: &mut Space,
    ) -> Effect {
        let Some(images) = &brushing.images else {
            return self.painted_alone(brushing, (place, strengths[0]), means, space);
        };
        let mut painted = self.painted_place(brushing, place, strengths, means);
        if images.of(place) == Some(place) {
            let own = self.before(brushing, place, &mut space.own);
            let limits = (self.most(brushing, place), brushing.stroke.normalise, &brushing.locked);
            painted = images.evened(own, painted, limits);
        }
        space.row = painted.row;
        painted.effect
    }

    /// Paints a row where one side alone is painted.
    fn painted_alone(
        &self,
        brushing: &Brushing,
        (place, strength): (Place, f64),
        means: &[Shares],
        space: &mut Space,
    ) -> Effect {
        let Some(pass) = brushing.passes.first() else { return Effect::Same };
        let Space { own, near, row, mean } = space;
        let own = self.before(brushing, place, own);
        let found;
        let toward = match (brushing.stroke.brush.toward, means.first()) {
            (Toward::Neighbours | Toward::NeighboursByLength, _) => {
                self.mean_around(brushing, place, (mean, near)).unwrap_or(own)
            }
            (Toward::Touched, Some(mean)) if brushing.is_of_mask => &mean[..],
            (Toward::Touched, Some(mean)) => {
                found = self.of_skin_of(place, own, mean);
                &found[..]
            }
            (Toward::Below, _) if !brushing.is_of_mask => {
                found = self.rows.below_place(&self.surfaces, place);
                &found[..]
            }
            // Below a mask there is none.
            (Toward::Nothing | Toward::Touched | Toward::Below, _) => &[],
        };
        self.paint_row_into(brushing, place, pass, ((own, toward), strength), row)
    }

    /// Returns how many joints a place may have after the stroke.
    fn most(&self, brushing: &Brushing, place: Place) -> usize {
        let room = self.rows.room(&self.surfaces[place.surface], place.point);
        brushing.stroke.max_influences.map_or(room, |most| most.min(room))
    }

    /// Paints a row with the strengths of a dab and of its mirror image: with the stronger one first. Where both are equally strong, it gets the
    /// mean of both orders, so that neither side is the first.
    fn painted_place(&self, brushing: &Brushing, place: Place, strengths: [f64; 2], means: &[Shares]) -> Painted {
        let mut space = Shares::new();
        let own = self.before(brushing, place, &mut space);
        let near = match brushing.stroke.brush.toward {
            Toward::Neighbours | Toward::NeighboursByLength => {
                let (mut mean, mut space) = (WeightedMean::default(), Shares::new());
                self.mean_around(brushing, place, (&mut mean, &mut space)).unwrap_or(own).to_vec()
            }
            // Below a mask there is none.
            Toward::Below if brushing.is_of_mask => Shares::new(),
            Toward::Below => self.rows.below_place(&self.surfaces, place),
            Toward::Nothing | Toward::Touched => Shares::new(),
        };
        let touched: Vec<Shares> = match brushing.stroke.brush.toward {
            Toward::Touched if brushing.is_of_mask => means.to_vec(),
            Toward::Touched => means.iter().map(|mean| self.of_skin_of(place, own, mean)).collect(),
            Toward::Nothing | Toward::Neighbours | Toward::NeighboursByLength | Toward::Below => Vec::new(),
        };
        let toward = |side: usize| touched.get(side).unwrap_or(&near);
        let paint = |own: &[(u32, f64)], side: usize| {
            self.paint_row(brushing, place, &brushing.passes[side], (own, toward(side)), strengths[side])
        };
        let in_turn = |first: usize, second: usize| {
            let Painted { effect, row } = paint(own, first);
            let next = paint(&row, second);
            Painted { effect: then(effect, next.effect), row: next.row }
        };
        let [here, there] = strengths;
        let is_one = brushing.passes.len() == 1 || brushing.passes[0] == brushing.passes[1];
        match (here > 0.0, there > 0.0) {
            (_, false) => paint(own, 0),
            (false, true) => paint(own, 1),
            // Both sides ask for the same: where dabs do not add up, the stronger one counts.
            _ if is_one && !brushing.stroke.accumulate && means.iter().all(Vec::is_empty) => {
                paint(own, usize::from(there > here))
            }
            _ if here > there => in_turn(0, 1),
            _ if there > here => in_turn(1, 0),
            _ => {
                let (a, b) = (in_turn(0, 1), in_turn(1, 0));
                let row = mean([&a.row[..], &b.row[..]].into_iter());
                let fits = row.len() <= self.rows.room(&self.surfaces[place.surface], place.point);
                Painted { effect: a.effect, row: if fits { row } else { a.row } }
            }
        }
    }

    /// Returns the part of a mean of several skins that a place can have, with the sum of the whole; its own row where it can have none of it.
    fn of_skin_of(&self, place: Place, own: &[(u32, f64)], mean: &Shares) -> Shares {
        let surface = &self.surfaces[place.surface];
        let can_have = |key: u32| self.rows.has_joint(surface, place.point, key) || share_of(own, key) > 0.0;
        if mean.iter().all(|(key, _)| can_have(*key)) {
            return mean.clone();
        }
        let sum = |shares: &Shares| shares.iter().map(|(_, weight)| weight).sum::<f64>();
        let mut out: Shares = mean.iter().copied().filter(|(key, _)| can_have(*key)).collect();
        let factor = sum(mean) / sum(&out);
        if !factor.is_finite() {
            return own.to_vec();
        }
        out.iter_mut().for_each(|(_, weight)| *weight *= factor);
        out
    }

    /// Returns the mean of the rows around a place; `None` where there are none.
    fn mean_around<'s>(
        &self,
        brushing: &Brushing,
        place: Place,
        (mean, space): (&'s mut WeightedMean, &mut Shares),
    ) -> Option<&'s [(u32, f64)]> {
        let surface = &self.surfaces[place.surface];
        let by_length = brushing.stroke.brush.toward == Toward::NeighboursByLength;
        let share = |point: u32| if by_length { over_length(surface, [place.point, point]) } else { 1.0 };
        mean.clear();
        let mut is_empty = true;
        for point in surface.neighbours(place.point) {
            let share = share(*point);
            if share > 0.0 {
                is_empty = false;
                mean.add(self.before(brushing, Place { point: *point, ..place }, space), share);
            }
        }
        (!is_empty).then(|| mean.mean())
    }

    fn paint_row(
        &self,
        brushing: &Brushing,
        place: Place,
        pass: &Pass,
        own_and_toward: OwnAndToward<'_>,
        strength: f64,
    ) -> Painted {
        let mut row = Shares::new();
        let effect = self.paint_row_into(brushing, place, pass, (own_and_toward, strength), &mut row);
        Painted { effect, row: if effect.changes() { row } else { own_and_toward.0.to_vec() } }
    }

    /// Does the same with memory that is there: where the row changes, `row` has its new weights afterwards.
    fn paint_row_into(
        &self,
        brushing: &Brushing,
        place: Place,
        pass: &Pass,
        ((own, toward), strength): (OwnAndToward<'_>, f64),
        row: &mut Shares,
    ) -> Effect {
        let Brushing { stroke, locked, .. } = brushing;
        if brushing.is_of_mask {
            let painted = paint_mask(stroke, (own, toward), strength);
            *row = painted.row;
            return painted.effect;
        }
        let (number, room) = self.rows.home(&self.surfaces[place.surface], place.point);
        let lacks = |need: Need, key: u32| stroke.brush.needs.contains(&need) && !self.rows.table_has(number, key);
        if lacks(Need::Joint, pass.joint) || lacks(Need::To, pass.to) {
            // Its row could not hold what the brush puts there: of a mirror image, or of a mesh of another skin.
            return Effect::Stuck(Stuck::OtherSkin);
        }
        let table = &self.rows.tables[number];
        let task = Task {
            brush: stroke.brush,
            locked,
            normalise: stroke.normalise,
            most: stroke.max_influences.map_or(room, |most| most.min(room)),
            is_integer: table.formats.iter().any(|format| format.one().is_some()),
            joints: &table.keys,
        };
        let asked = Asked {
            own,
            toward,
            strength,
            joint: pass.joint,
            to: pass.to,
            value: stroke.value,
            factor: stroke.factor,
            floor: stroke.floor,
            ceiling: stroke.ceiling,
        };
        if !stroke.brush.is_of_joint() || pass.with.is_empty() {
            return task.paint_into(&asked, row);
        }
        let painted = paint_as_one(&task, &asked, &pass.with);
        *row = painted.row;
        painted.effect
    }
}

/// Returns one over the length of an edge at rest; 0 where it has none.
pub(super) fn over_length(surface: &RestSurface, ends: [u32; 2]) -> f64 {
    let [a, b] = ends.map(|point| surface.positions[point as usize].as_dvec3());
    let length = a.distance(b);
    if length > 0.0 && length.is_finite() { 1.0 / length } else { 0.0 }
}

impl Brushing {
    /// Whether what is known of each place says whether it has other weights than before the stroke: all places were painted at once, with one
    /// joint on one side.
    pub(super) fn is_at_once(&self) -> bool {
        let is_of_one_joint = matches!(&self.passes[..], [pass] if pass.with.is_empty());
        self.dabs == 0 && !self.is_of_mask && self.images.is_none() && is_of_one_joint
    }

    /// Adds the places on the other side, where both are painted, and leaves what the mask has of both sides.
    fn both_sides(&self, surfaces: &[RestSurface], strengths: Vec<Strengths>) -> Vec<Strengths> {
        let Some(images) = &self.images else { return strengths };
        let mut out: std::collections::BTreeMap<Place, [f64; 2]> = std::collections::BTreeMap::new();
        for (place, [strength, _]) in strengths {
            let is_listed = |place: &Place| self.stroke.lists(&surfaces[place.surface], place.point);
            if is_listed(&place) {
                out.entry(place).or_default()[0] = strength;
            }
            if let Some(image) = images.of(place).filter(is_listed) {
                out.entry(image).or_default()[1] = strength;
            }
        }
        out.into_iter().collect()
    }
}
