//! What a dab changes: rows of the places that it touches, and of those on the other side.

use std::ops::Range;

use skinscope_base::parallel;
use skinscope_weights::brush::{Asked, Painted, Task};
use skinscope_weights::{Effect, Need, RestSurface, Shares, Stuck, TableRow, Toward, difference, mean, share_of};

use super::group::paint_as_one;
use super::mask::paint_mask;
use super::rows::{Place, WeightedMean};
use super::touched::{Touched, then};
use super::{Brushing, Canvas, Pass, Strengths};

/// The weights of a row, and those that it goes towards.
pub(super) type OwnAndToward<'a> = (&'a [(u32, f64)], &'a [(u32, f64)]);
/// How many places one thread paints at a time; a dab has fewer.
const CHUNK: usize = 1 << 13;
/// Where an erased row differs from what lies below by no more than this, nothing is left of it.
const NOTHING_LEFT: f64 = 1e-6;

impl Canvas {
    /// Changes the rows of places, and returns those that have other weights now, rising.
    pub(super) fn apply(&mut self, brushing: &mut Brushing, strengths: Vec<(Place, f64)>) -> Vec<TableRow> {
        let (accumulates, is_of_mask) = (brushing.stroke.accumulate, brushing.is_of_mask);
        // Effects follow all that a dab changes at once.
        let before = self.rows.layers.has_effects().then(|| self.rows.layers.clone());
        let list = self.grown(brushing, brushing.both_sides(&self.surfaces, strengths));
        let means: Vec<Shares> = match brushing.stroke.brush.toward {
            Toward::Touched => (0..brushing.passes.len()).map(|side| self.mean_of(brushing, &list, side)).collect(),
            Toward::Nothing | Toward::Neighbours | Toward::NeighboursByLength | Toward::Below => {
                vec![Shares::new(); brushing.passes.len()]
            }
        };
        let painted = {
            let brushing = &*brushing;
            let of_place =
                |(place, strengths): &Strengths| (*place, self.painted_evenly(brushing, *place, *strengths, &means));
            let of_chunk = |chunk: Range<usize>| list[chunk].iter().map(of_place).collect::<Vec<(Place, Painted)>>();
            parallel::by_chunk(list.len(), CHUNK, &of_chunk)
        };
        let mut out = Vec::new();
        for (place, done) in painted.into_iter().flatten() {
            let Some(known) = brushing.touched.get_mut(place) else { continue };
            let asks = matches!(done.effect, Effect::Changed | Effect::Partial(_));
            let (members, locked) = (&known.members, &brushing.locked);
            let row = (&done.row[..], brushing.stroke.normalise);
            // What was erased to the last of it is no more in the layer.
            let is_gone = asks && !is_of_mask && brushing.stroke.brush.toward == Toward::Below && {
                difference(row.0, &self.rows.below_place(&self.surfaces, place)) <= NOTHING_LEFT
            };
            let row = (!is_gone).then_some(row);
            let changes = asks
                && match is_of_mask {
                    true => self.rows.set_mask(members, &done.row, locked),
                    false => self.rows.set(members, row, locked),
                };
            known.note(if asks && !changes { Effect::Stuck(Stuck::NoSlot) } else { done.effect }, accumulates);
            if !changes {
                if accumulates || !known.is_set {
                    continue;
                }
                // What was asked for before is asked for no more: a stronger dab gets nothing.
                match is_of_mask {
                    true => self.rows.give_back_mask(&known.members),
                    false => self.rows.give_back(&known.members),
                }
            }
            known.is_set = changes || accumulates && known.is_set;
            // A mask changes nothing where its layer has no weights.
            let rows = known.members.iter().map(|member| member.at);
            out.extend(rows.filter(|at| !is_of_mask || before.is_some() || self.rows.is_masked_row(*at)));
        }
        out.sort_unstable();
        out.dedup();
        match before {
            Some(before) => self.follow_effects(brushing, &before, out),
            None => out,
        }
    }

    /// Notes the strengths of a dab, and returns the places whose rows have to be painted, with the strengths with which they are.
    fn grown(&self, brushing: &mut Brushing, strengths: Vec<Strengths>) -> Vec<Strengths> {
        let Brushing { stroke, touched, is_of_mask, .. } = brushing;
        let mut list = Vec::with_capacity(strengths.len());
        for (place, new) in strengths {
            let begun = || Touched::new(&self.rows, &self.surfaces, place, *is_of_mask);
            let known = touched.touch(&self.surfaces, place, begun);
            let before = known.strengths;
            known.strengths = [0, 1].map(|side| new[side].max(before[side]));
            if stroke.accumulate {
                list.push((place, new));
            } else if known.strengths != before {
                list.push((place, known.strengths));
            }
        }
        if stroke.brush.toward == Toward::Touched && !stroke.accumulate && !list.is_empty() {
            // The mean of all that the stroke has touched is another one now.
            list = touched.in_order().into_iter().map(|(place, known)| (*place, known.strengths)).collect();
        }
        list
    }

    /// Returns the weights that a place had before the dab, or where dabs do not add up, before the stroke. They may be written to `space`.
    fn before<'a>(&'a self, brushing: &'a Brushing, place: Place, space: &'a mut Shares) -> &'a [(u32, f64)] {
        match brushing.touched.get(place).filter(|_| !brushing.stroke.accumulate) {
            Some(known) => &known.before,
            None if brushing.is_of_mask => self.rows.mask_of_place(&self.surfaces, place, space),
            None => self.rows.of_place(&self.surfaces, place, space),
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

    /// Does the same as [`Canvas::painted_place`]; in the middle of a model whose both sides are painted, a row stays its own mirror image.
    fn painted_evenly(&self, brushing: &Brushing, place: Place, strengths: [f64; 2], means: &[Shares]) -> Painted {
        let painted = self.painted_place(brushing, place, strengths, means);
        let images = brushing.images.as_ref().filter(|images| images.of(place) == Some(place));
        let Some(images) = images else { return painted };
        let mut space = Shares::new();
        let own = self.before(brushing, place, &mut space);
        images.evened(own, painted, (self.most(brushing, place), brushing.stroke.normalise, &brushing.locked))
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
            Toward::Neighbours | Toward::NeighboursByLength => self.mean_around(brushing, place, own),
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

    /// Returns the mean of the rows around a place; its own where there are none.
    fn mean_around(&self, brushing: &Brushing, place: Place, own: &[(u32, f64)]) -> Shares {
        let surface = &self.surfaces[place.surface];
        let by_length = brushing.stroke.brush.toward == Toward::NeighboursByLength;
        let share = |point: u32| if by_length { over_length(surface, [place.point, point]) } else { 1.0 };
        let (mut out, mut space) = (WeightedMean::default(), Shares::new());
        let mut is_empty = true;
        for point in surface.neighbours(place.point) {
            let share = share(*point);
            if share > 0.0 {
                is_empty = false;
                out.add(self.before(brushing, Place { point: *point, ..place }, &mut space), share);
            }
        }
        if is_empty { own.to_vec() } else { out.finish() }
    }

    fn paint_row(
        &self,
        brushing: &Brushing,
        place: Place,
        pass: &Pass,
        (own, toward): OwnAndToward<'_>,
        strength: f64,
    ) -> Painted {
        let Brushing { stroke, locked, .. } = brushing;
        if brushing.is_of_mask {
            return paint_mask(stroke, (own, toward), strength);
        }
        let surface = &self.surfaces[place.surface];
        let lacks = |need: Need, key: u32| {
            stroke.brush.needs.contains(&need) && !self.rows.has_joint(surface, place.point, key)
        };
        if lacks(Need::Joint, pass.joint) || lacks(Need::To, pass.to) {
            // Its row could not hold what the brush puts there: of a mirror image, or of a mesh of another skin.
            return Painted { effect: Effect::Stuck(Stuck::OtherSkin), row: own.to_vec() };
        }
        let table = self.rows.table_of(surface, place.point);
        let task = Task {
            brush: stroke.brush,
            locked,
            normalise: stroke.normalise,
            most: self.most(brushing, place),
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
        match stroke.brush.is_of_joint() && !pass.with.is_empty() {
            true => paint_as_one(&task, &asked, &pass.with),
            false => task.paint(&asked),
        }
    }
}

/// Returns one over the length of an edge at rest; 0 where it has none.
fn over_length(surface: &RestSurface, ends: [u32; 2]) -> f64 {
    let [a, b] = ends.map(|point| surface.positions[point as usize].as_dvec3());
    let length = a.distance(b);
    if length > 0.0 && length.is_finite() { 1.0 / length } else { 0.0 }
}

impl Brushing {
    /// Adds the places on the other side, where both are painted, and leaves what the mask has of both sides.
    fn both_sides(&self, surfaces: &[RestSurface], strengths: Vec<(Place, f64)>) -> Vec<Strengths> {
        let Some(images) = &self.images else {
            return strengths.into_iter().map(|(at, here)| (at, [here, 0.0])).collect();
        };
        let mut out: std::collections::BTreeMap<Place, [f64; 2]> = std::collections::BTreeMap::new();
        for (place, strength) in strengths {
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
