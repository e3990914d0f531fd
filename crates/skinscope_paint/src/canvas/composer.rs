//! What layers make together where effects change what they have.
//!
//! A layer has weights where it was painted. Its effects change those one after the other, and what they read beside them, such as the vertices
//! around, is the layer's too or, where it has nothing, lies below it. Effects of all layers do the same with what the layers make together:
//! where none of them has anything, the base shows. What tools have changed lies over that ([`LayerStack::effected_count`]).

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

use skinscope_weights::{Around, Change, Kernel, Reads, Shares, TableRow, difference, mean, share_of};

use super::vicinity::{Across, Vicinity};
use crate::layers::{EffectWork, LayerEffect, LayerRow, LayerStack};

/// A row after so many effects of a layer; the layer after the last one stands for all of them.
type Step = (usize, usize, TableRow);

/// So many steps are known at most: they are forgotten where there are more.
const MOST_KNOWN: usize = 1 << 18;

/// Steps of layers below the one that is painted in, which stay as long as another layer is not chosen and nothing but a brush changes layers. Each
/// row that a dab touches begins with them, and they come from many rows around.
#[derive(Debug, Default)]
pub(super) struct KnownSteps(Mutex<HashMap<Step, Option<LayerRow>>>);

impl Clone for KnownSteps {
    /// Knows nothing: the steps are made again where they are needed.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl KnownSteps {
    /// Forgets all of them.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// Composes rows of a stack, of which none changes meanwhile.
pub(super) struct Composer<'a> {
    stack: &'a LayerStack,
    near: &'a Vicinity,
    /// The effects of each layer, as often as each is done, and last those of all layers together.
    steps: Vec<Vec<&'a LayerEffect>>,
    /// How many of these come before the first mirror, or all where there is none.
    before_mirror: Vec<usize>,
    known: RefCell<HashMap<Step, Option<LayerRow>>>,
}

impl<'a> Composer<'a> {
    pub fn new(stack: &'a LayerStack, near: &'a Vicinity) -> Self {
        let layers = stack.layers().iter().map(|layer| match stack.is_shown(layer) {
            true => steps_of(layer.effects()),
            false => Vec::new(),
        });
        let steps: Vec<Vec<&LayerEffect>> = layers.chain([steps_of(stack.effects())]).collect();
        let first =
            |steps: &Vec<&LayerEffect>| steps.iter().position(|effect| effect.is_mirror()).unwrap_or(steps.len());
        let before_mirror = steps.iter().map(first).collect();
        Self { stack, near, steps, before_mirror, known: RefCell::default() }
    }

    /// Returns what lies below a layer, by its number, by steps that are known and with those that are not known yet.
    pub(crate) fn over_known(&self, known: &KnownSteps, count: usize, at: TableRow) -> Option<LayerRow> {
        let mut known = known.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() > MOST_KNOWN {
            known.clear();
        }
        *self.known.borrow_mut() = std::mem::take(&mut *known);
        let out = self.over(count, at);
        *known = self.known.take();
        out
    }

    /// Returns the effects of all layers from one on, and of those together.
    pub(crate) fn effects_from(&self, layer: usize) -> Vec<&'a LayerEffect> {
        self.steps.iter().skip(layer).flatten().copied().collect()
    }

    /// Returns the flat weights of a row; `None` where the stack knows nothing of it.
    pub fn flat(&self, at: TableRow) -> Option<LayerRow> {
        self.over(self.stack.layers().len(), at)
    }

    /// Returns what lies below a layer, by its number.
    pub fn over(&self, count: usize, at: TableRow) -> Option<LayerRow> {
        let effected = self.stack.effected_count();
        if count < effected || count < self.stack.layers().len() && self.steps_of_all() == 0 {
            return self.below(count, at);
        }
        let all = self.stack.layers().len();
        let mut out = self.row(all, self.steps_of_all(), at).or_else(|| self.stack.base_row(at).cloned())?;
        for number in effected..count {
            if let Some((row, strength)) = self.shown(number, at) {
                out = out.under(&row, strength);
            }
        }
        Some(out)
    }

    fn steps_of_all(&self) -> usize {
        self.steps.last().map_or(0, Vec::len)
    }

    /// Returns the weights of a row with the lowest layers, without effects of all of them.
    pub fn below(&self, count: usize, at: TableRow) -> Option<LayerRow> {
        let mut out = self.stack.base_row(at)?.clone();
        for number in 0..count {
            if let Some((row, strength)) = self.shown(number, at) {
                out = out.under(&row, strength);
            }
        }
        Some(out)
    }

    /// Returns what a layer that is shown has for a row after its effects, and how much of it there is.
    pub fn shown(&self, number: usize, at: TableRow) -> Option<(LayerRow, f64)> {
        let layer = self.stack.layers().get(number).filter(|layer| self.stack.is_shown(layer))?;
        let strength = layer.strength(at);
        if strength <= 0.0 {
            return None;
        }
        Some((self.row(number, self.steps.get(number)?.len(), at)?, strength))
    }

    /// Whether nothing is seen of what a layer has for a row, since a mirror of its own or of all layers shows the other side there.
    pub fn shows_other_side(&self, layer: usize, at: TableRow) -> bool {
        let of_all = (layer < self.stack.effected_count()).then_some(self.stack.layers().len());
        let numbers = [Some(layer), of_all].into_iter().flatten();
        let mut mirrors = numbers.filter_map(|number| self.steps.get(number)).flatten().filter_map(|e| e.across());
        mirrors.any(|across| matches!(self.near.across(across, at), Across::ImageOf(_)))
    }

    /// Returns what a layer has for a row after so many of its effects; `None` where it has nothing. It comes back to this for each effect, so that
    /// closures and iterators are left out on the way.
    fn row(&self, layer: usize, steps: usize, at: TableRow) -> Option<LayerRow> {
        let Some(before) = steps.checked_sub(1) else { return self.own(layer, at) };
        let is_painted = self.stack.layers().get(layer).is_none_or(|layer| layer.row(at).is_some());
        if !is_painted && self.before_mirror.get(layer).is_some_and(|first| steps <= *first) {
            // Mirrors alone give a layer something where it was not painted.
            return None;
        }
        let step = (layer, steps, at);
        let known = self.known.borrow().get(&step).cloned();
        if let Some(known) = known {
            return known;
        }
        let out = self.changed(layer, before, at);
        self.known.borrow_mut().insert(step, out.clone());
        out
    }

    /// Returns what a layer has before its effects, or what all have together where any of them has something.
    fn own(&self, layer: usize, at: TableRow) -> Option<LayerRow> {
        if let Some(layer) = self.stack.layers().get(layer) {
            return layer.row(at).cloned();
        }
        let effected = self.stack.effected_count();
        let has_any = (0..effected).any(|number| self.shown(number, at).is_some());
        if has_any { self.below(effected, at) } else { None }
    }

    /// Returns what a layer has for a row after so many of its effects or, where it has nothing, what lies below it.
    fn seen(&self, layer: usize, steps: usize, at: TableRow) -> Option<LayerRow> {
        let row = self.row(layer, steps, at);
        if row.is_some() {
            return row;
        }
        match layer < self.stack.layers().len() {
            true => self.below(layer, at),
            false => self.stack.base_row(at).cloned(),
        }
    }

    /// Returns what the next effect of a layer makes of a row.
    fn changed(&self, layer: usize, before: usize, at: TableRow) -> Option<LayerRow> {
        let effect = *self.steps.get(layer)?.get(before)?;
        match &effect.kind().work {
            EffectWork::Mirror(across) => self.mirrored(effect, across(effect.values()), (layer, before, at)),
            EffectWork::Kernel { kernel, strength, .. } => {
                let row = self.row(layer, before, at)?;
                let mut around: Vec<LayerRow> = Vec::new();
                if kernel.reads == Reads::Neighbours {
                    for next in self.near.around(at) {
                        if let Some(row) = self.seen(layer, before, next) {
                            around.push(row);
                        }
                    }
                }
                Some(worked(effect, (*kernel, strength(effect.values())), row, &around))
            }
        }
    }

    fn mirrored(
        &self,
        effect: &LayerEffect,
        across: (skinscope_anim::pose::Axis, bool),
        (layer, before, at): Step,
    ) -> Option<LayerRow> {
        let own = || self.row(layer, before, at);
        match self.near.across(across, at) {
            Across::Alone => own(),
            Across::Middle => {
                let row = own()?;
                let even = self.near.opposite(across.0, &row.shares);
                let Some(other) = even.filter(|other| difference(&row.shares, other) > 0.0) else { return Some(row) };
                let even = mean([&row.shares[..], &other[..]].into_iter());
                Some(LayerRow::painted(kept(&row.shares, even, effect.held()), row.is_whole))
            }
            Across::ImageOf(image) => {
                let row = self.row(layer, before, image)?;
                let Some(shares) = self.near.opposite(across.0, &row.shares) else { return own() };
                let shares = match self.seen(layer, before, at).filter(|_| !effect.held().is_empty()) {
                    Some(own) if !has_same(&own.shares, &shares, effect.held()) => {
                        kept(&own.shares, shares, effect.held())
                    }
                    _ => shares,
                };
                Some(LayerRow::painted(shares, row.is_whole))
            }
        }
    }
}

fn steps_of(effects: &[LayerEffect]) -> Vec<&LayerEffect> {
    let on = effects.iter().filter(|effect| effect.is_on());
    on.flat_map(|effect| std::iter::repeat_n(effect, effect.times())).collect()
}

fn whole(shares: &[(u32, f64)]) -> f64 {
    shares.iter().map(|(_, weight)| *weight).sum()
}

/// Returns shares with a sum of one; `None` where they have no weight.
fn unit(row: &LayerRow) -> Option<Shares> {
    let sum = whole(&row.shares);
    let has_sum = sum.is_finite() && sum > 0.0;
    has_sum.then(|| row.shares.iter().map(|(key, weight)| (*key, weight / sum)).collect())
}

/// Returns what a kernel makes of a row, with the sum that it had.
fn worked(effect: &LayerEffect, (kernel, strength): (&Kernel, f64), row: LayerRow, around: &[LayerRow]) -> LayerRow {
    let Some(unit_row) = unit(&row) else { return row };
    let around: Vec<Shares> = around.iter().filter_map(unit).collect();
    let neighbours: Vec<&[(u32, f64)]> = around.iter().map(|shares| &shares[..]).collect();
    let mut arguments = [0.0; 4];
    arguments.iter_mut().zip(effect.values()).for_each(|(argument, value)| *argument = *value);
    let asked = Around {
        own: &unit_row,
        neighbours: &neighbours,
        locked: effect.held(),
        filled: unit_row.len(),
        arguments,
        ..Around::default()
    };
    let mut out = Shares::new();
    match kernel.wish(&asked, strength, &mut out).change {
        Change::Changed => LayerRow::painted(kept(&row.shares, out, effect.held()), row.is_whole),
        Change::Same | Change::Stuck => row,
    }
}

fn has_same(own: &[(u32, f64)], other: &[(u32, f64)], held: &BTreeSet<u32>) -> bool {
    held.iter().all(|key| share_of(own, *key).to_bits() == share_of(other, *key).to_bits())
}

/// Returns other weights for a row, with its own ones for joints that are held and with its sum. Where those leave nothing it stays.
fn kept(own: &[(u32, f64)], wanted: Shares, held: &BTreeSet<u32>) -> Shares {
    let is_held = |share: &&(u32, f64)| held.contains(&share.0);
    let mut out: Shares = own.iter().filter(is_held).copied().collect();
    let left = whole(own) - whole(&out);
    let mut others: Shares = wanted.iter().filter(|share| !is_held(share)).copied().collect();
    let sum = whole(&others);
    if left <= 0.0 || sum <= 0.0 {
        return own.to_vec();
    }
    others.iter_mut().for_each(|(_, weight)| *weight *= left / sum);
    out.extend(others);
    out
}
