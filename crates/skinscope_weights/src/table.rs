//! The weights of a primitive as numbers that operations change.

use skinscope_model::{PrimitiveId, WeightFormat};

use crate::brush::FewShares;
use crate::rounding;

/// Sums that differ from one by no more than this count as one: it is the error of adding weights that were rounded to
/// 32-bit floats.
const ROUNDING: f64 = 6e-8;

/// Weights that differ by no more than this are equal.
pub const SAME: f64 = 1e-6;

/// A row of one of several tables: the weights of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableRow {
    /// The index of the table in the sheet.
    pub table: usize,
    /// The index of the row in the table: the number of the vertex in the file.
    pub row: usize,
}

/// The (joint, weight) pairs of a list of vertices. Primitives that share accessors share one table.
///
/// Weights are doubles until they are stored, so operations follow one another without rounding in between.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The primitives that the table belongs to.
    pub primitives: Vec<PrimitiveId>,
    /// How many pairs each vertex has: four for each set.
    pub per_vertex: usize,
    /// Joint numbers, vertex after vertex: indices in the skin, as the file stores them.
    pub joints: Vec<u16>,
    /// Weights, as many as `joints`, as the file stores them, even if they are negative or not finite.
    pub weights: Vec<f64>,
    /// The format in which each set is to be stored.
    pub formats: Vec<WeightFormat>,
    /// For each joint of the skin, by index, a key. A joint that comes twice has one key, whatever the skin.
    pub keys: Vec<u32>,
    /// For each vertex, whether its pairs are no longer those of the file; if so, integers must sum to one.
    pub touched: Vec<bool>,
    /// The number of the first table of the sheet whose weights the file stores at the same location. Tables of one location differ in
    /// what their joint numbers mean.
    pub first_stored_there: usize,
}

/// The numbers that a file stores for a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// Joint numbers, as in [`Table::joints`].
    pub joints: Vec<u16>,
    /// The weights, as many as joint numbers: integers, or the bits of floats.
    pub numbers: Vec<u32>,
    /// The format in which each set is stored.
    pub formats: Vec<WeightFormat>,
}

/// Returns the weight as it is used: 0 where it is negative or not finite.
pub fn clean(weight: f64) -> f64 {
    if weight.is_finite() && weight > 0.0 { weight } else { 0.0 }
}

impl Table {
    /// Makes room for `per_vertex` pairs of each vertex. New pairs are empty and stored in the format of the last set;
    /// room is never taken away.
    pub fn widen(&mut self, per_vertex: usize) {
        if per_vertex <= self.per_vertex {
            return;
        }
        let before = self.clone();
        self.per_vertex = per_vertex;
        let count = per_vertex * self.vertices();
        (self.joints, self.weights) = (vec![0; count], vec![0.0; count]);
        for vertex in 0..self.vertices() {
            let start = vertex * per_vertex;
            let pairs = start..start + before.per_vertex;
            self.joints[pairs.clone()].copy_from_slice(&before.joints[before.slots(vertex)]);
            self.weights[pairs].copy_from_slice(&before.weights[before.slots(vertex)]);
        }
        let last = before.formats.last().copied().unwrap_or_default();
        self.formats.resize(per_vertex / 4, last);
    }

    /// Takes the pairs of an edited vertex, unless an edit of another primitive with this table gave it some. Weights that were
    /// edited so that their sum is off by more than rounding can make it are stored as they are.
    pub fn take_edited(&mut self, vertex: usize, (joints, weights): (&[u16], &[f32])) {
        let coarsest = self.formats.iter().filter_map(|format| format.one()).min();
        let rounding = coarsest.map_or(0.0, |one| 0.5 * self.per_vertex as f64 / f64::from(one)) + 1e-6;
        let sum: f64 = weights.iter().map(|weight| clean(f64::from(*weight))).sum();
        if std::mem::replace(&mut self.touched[vertex], (sum - 1.0).abs() <= rounding) {
            return;
        }
        let slots = self.slots(vertex);
        for (i, slot) in slots.enumerate() {
            self.joints[slot] = joints.get(i).copied().unwrap_or(0);
            self.weights[slot] = f64::from(weights.get(i).copied().unwrap_or(0.0));
        }
    }

    /// Whether every vertex has the pairs that it has in another table, to the bit, to be stored in the same formats.
    pub fn has_same(&self, other: &Self) -> bool {
        self.formats == other.formats
            && self.vertices() == other.vertices()
            && (0..self.vertices()).all(|v| self.touched[v] == other.touched[v] && self.has_same_pairs(v, other))
    }

    /// Whether a vertex has the pairs that it has in `before`, to the bit.
    pub fn has_same_pairs(&self, vertex: usize, before: &Self) -> bool {
        let bits = |table: &Self, slot: usize| (table.joints[slot], table.weights[slot].to_bits());
        self.slots(vertex).zip(before.slots(vertex)).all(|(new, old)| bits(self, new) == bits(before, old))
    }

    /// Gives a vertex the pairs that it has in `before`, which has as many for each.
    pub fn give_back(&mut self, vertex: usize, before: &Self) {
        let slots = self.slots(vertex);
        self.joints[slots.clone()].copy_from_slice(&before.joints[slots.clone()]);
        self.weights[slots.clone()].copy_from_slice(&before.weights[slots]);
        self.touched[vertex] = before.touched[vertex];
    }

    /// Returns the joint of a pair as the picture shows it: joint 0 in place of one that the skin does not have.
    pub fn shown_joint(&self, slot: usize) -> u16 {
        let joint = self.joints[slot];
        if usize::from(joint) < self.keys.len() { joint } else { 0 }
    }

    /// Returns how many vertices it has.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.touched.len()
    }

    /// Returns the range of a vertex's pairs in the lists.
    #[inline]
    #[must_use]
    pub fn slots(&self, vertex: usize) -> std::ops::Range<usize> {
        vertex * self.per_vertex..(vertex + 1) * self.per_vertex
    }

    /// Returns the key of a joint number; a number beyond the skin has a key of its own.
    #[inline]
    #[must_use]
    pub fn key(&self, joint: u16) -> u32 {
        self.keys.get(usize::from(joint)).copied().unwrap_or(u32::MAX - u32::from(joint))
    }

    /// Returns the joint number of a key: the first index of the skin that has it.
    #[must_use]
    pub fn joint_of(&self, key: u32) -> Option<u16> {
        let at = self.keys.iter().position(|k| *k == key);
        at.map_or_else(|| u16::try_from(u32::MAX - key).ok(), |at| u16::try_from(at).ok())
    }

    /// Writes the joints that move a vertex, each once in the order of its first pair, with their weights.
    pub fn shares(&self, vertex: usize, out: &mut Vec<(u32, f64)>) {
        self.shares_of(vertex, self.per_vertex, out);
    }

    /// Does the same for the first `slots` pairs of a vertex.
    pub fn shares_of(&self, vertex: usize, slots: usize, out: &mut Vec<(u32, f64)>) {
        out.clear();
        for slot in self.slots(vertex).take(slots) {
            let weight = clean(self.weights[slot]);
            if weight > 0.0 {
                let key = self.key(self.joints[slot]);
                match out.iter_mut().find(|(k, _)| *k == key) {
                    Some((_, sum)) => *sum += weight,
                    None => out.push((key, weight)),
                }
            }
        }
    }

    /// Does the same as [`Table::shares`] for a vertex that few joints move; `None` where there are more.
    #[must_use]
    pub fn few_shares(&self, vertex: usize) -> Option<FewShares> {
        let mut out = FewShares::NONE;
        for slot in self.slots(vertex) {
            let weight = clean(self.weights[slot]);
            if weight > 0.0 && !out.add_weight(self.key(self.joints[slot]), weight) {
                return None;
            }
        }
        Some(out)
    }

    /// Returns the sum of the weights, without those that are negative or not finite.
    #[must_use]
    pub fn sum(&self, vertex: usize) -> f64 {
        self.slots(vertex).map(|slot| clean(self.weights[slot])).sum()
    }

    /// Returns whether all weights are finite and not negative, and they sum to one but for rounding.
    #[must_use]
    pub fn is_normal(&self, vertex: usize) -> bool {
        let slots = &self.weights[self.slots(vertex)];
        let is_integer = self.formats.iter().all(|f| *f != WeightFormat::F32);
        // The sum of integers is right, or off by a whole step.
        let tolerance = if is_integer { 0.5 / 65_535.0 } else { ROUNDING };
        slots.iter().all(|w| *w >= 0.0 && w.is_finite()) && (slots.iter().sum::<f64>() - 1.0).abs() <= tolerance
    }

    /// Sets weights that are negative or not finite to 0 and divides by the sum. Where the sum is 0 all stay 0.
    pub fn normalise(&mut self, vertex: usize) {
        if self.is_normal(vertex) {
            return;
        }
        let sum = self.sum(vertex);
        for slot in self.slots(vertex) {
            let weight = clean(self.weights[slot]);
            if weight > 0.0 {
                self.weights[slot] = weight / sum;
            } else if self.weights[slot] != 0.0 {
                self.empty(vertex, slot);
            }
        }
        self.touched[vertex] = true;
    }

    /// Empties a pair.
    pub fn empty(&mut self, vertex: usize, slot: usize) {
        (self.joints[slot], self.weights[slot]) = (0, 0.0);
        self.touched[vertex] = true;
    }

    /// Gives a vertex other joints and weights, and divides the weights by their sum. If there are more than the vertex
    /// has pairs, the largest are taken. Joints that the vertex had stay in their pairs. Joints that its skin does not
    /// have are left out; where no weight is left, the vertex stays as it is. Returns whether it has no pair for some of the weight.
    pub fn put(&mut self, vertex: usize, shares: &[(u32, f64)]) -> bool {
        let mut new: Vec<(u32, u16, f64)> = shares
            .iter()
            .filter(|(_, weight)| clean(*weight) > 0.0)
            .filter_map(|(key, weight)| Some((*key, self.joint_of(*key)?, *weight)))
            .collect();
        let whole: f64 = new.iter().map(|(_, _, weight)| *weight).sum();
        if new.len() > self.per_vertex {
            let mut ranked: Vec<usize> = (0..new.len()).collect();
            ranked.sort_by(|a, b| new[*b].2.total_cmp(&new[*a].2).then(a.cmp(b)));
            ranked.truncate(self.per_vertex);
            ranked.sort_unstable();
            new = ranked.into_iter().map(|i| new[i]).collect();
        }
        let sum: f64 = new.iter().map(|(_, _, weight)| *weight).sum();
        if new.is_empty() || !(sum > 0.0 && sum.is_finite()) {
            return false;
        }
        let divisor = if (sum - 1.0).abs() <= ROUNDING { 1.0 } else { sum };
        let mut free = Vec::new();
        for slot in self.slots(vertex) {
            let key = self.key(self.joints[slot]);
            let existing = new.iter().position(|(k, ..)| *k == key).filter(|_| clean(self.weights[slot]) > 0.0);
            match existing.map(|at| new.remove(at)) {
                Some((_, _, weight)) => self.weights[slot] = weight / divisor,
                None => {
                    if self.weights[slot] != 0.0 {
                        (self.joints[slot], self.weights[slot]) = (0, 0.0);
                    }
                    free.push(slot);
                }
            }
        }
        for ((_, joint, weight), slot) in new.into_iter().zip(free) {
            (self.joints[slot], self.weights[slot]) = (joint, weight / divisor);
        }
        self.touched[vertex] = true;
        whole - sum > SAME * whole
    }

    /// Does the same as [`Table::put`], but the joints stand in the given order, from the first pair on, so that
    /// vertices that get the same shares get them in the same pairs, and are rounded alike.
    pub fn put_in_order(&mut self, vertex: usize, shares: &[(u32, f64)]) -> bool {
        let known: Vec<(u32, f64)> = shares.iter().copied().filter(|s| self.joint_of(s.0).is_some()).collect();
        if known.iter().all(|(_, weight)| clean(*weight) == 0.0) {
            return false;
        }
        for slot in self.slots(vertex) {
            (self.joints[slot], self.weights[slot]) = (0, 0.0);
        }
        self.put(vertex, &known)
    }

    /// Writes the weights of a vertex as they are, of which each joint has one pair; joints that it had stay in their pairs. What its skin does
    /// not have, and what finds no pair, is left out.
    pub fn write(&mut self, vertex: usize, shares: &[(u32, f64)]) {
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        self.arrange(vertex, shares, &|key| self.joint_of(key), (&mut joints, &mut weights));
        let slots = self.slots(vertex);
        self.joints[slots.clone()].copy_from_slice(&joints);
        self.weights[slots].copy_from_slice(&weights);
        self.touched[vertex] = true;
    }

    /// Adds the pairs that a vertex would have with other weights to two lists, as [`Table::write`] puts them. `joint_of` does what
    /// [`Table::joint_of`] does.
    pub fn arrange(
        &self,
        vertex: usize,
        shares: &[(u32, f64)],
        joint_of: &impl Fn(u32) -> Option<u16>,
        (joints, weights): (&mut Vec<u16>, &mut Vec<f64>),
    ) {
        let start = weights.len();
        // A bit for each of the first shares that has its pair; few vertices have more of them.
        let (mut placed, mut placed_beyond) = (0_u64, Vec::new());
        for slot in self.slots(vertex) {
            let key = self.key(self.joints[slot]);
            let is_free = |at: &usize| if *at < 64 { placed >> at & 1 == 0 } else { !placed_beyond.contains(at) };
            let mut of_key = (0..shares.len()).filter(|at| shares[*at].0 == key);
            let existing = of_key.find(is_free).filter(|_| clean(self.weights[slot]) > 0.0);
            match existing {
                Some(at) if at < 64 => placed |= 1 << at,
                Some(at) => placed_beyond.push(at),
                None => {}
            }
            joints.push(if existing.is_some() { self.joints[slot] } else { 0 });
            weights.push(existing.map_or(0.0, |at| shares[at].1));
        }
        let is_left = |at: &usize| if *at < 64 { placed >> at & 1 == 0 } else { !placed_beyond.contains(at) };
        let new = (0..shares.len()).filter(is_left).map(|at| shares[at]);
        let mut next = start;
        for (joint, weight) in new.filter_map(|(key, weight)| Some((joint_of(key)?, weight))) {
            // What a pair was given here is not free, whatever the weight.
            let Some(at) = (next..weights.len()).find(|at| weights[*at] == 0.0) else { break };
            (joints[at], weights[at], next) = (joint, weight, at + 1);
        }
    }

    /// Returns how many of its first pairs hold all of a vertex's weight.
    #[must_use]
    pub fn filled(&self, vertex: usize) -> usize {
        self.weights[self.slots(vertex)].iter().rposition(|weight| clean(*weight) > 0.0).map_or(0, |last| last + 1)
    }

    /// Returns the pairs of a vertex as they would be stored: joint and number of each.
    fn store_vertex(&self, vertex: usize, numbers: &mut Vec<u32>, out: &mut Stored) {
        let slots = self.slots(vertex);
        let weights = &self.weights[slots.clone()];
        let sound = weights.iter().all(|w| *w >= 0.0 && w.is_finite());
        if self.touched[vertex] && sound {
            rounding::exact(weights, &self.formats, numbers);
        } else {
            rounding::each(weights, &self.formats, numbers);
        }
        for (slot, number) in slots.zip(numbers.iter()) {
            // A pair that rounding emptied names no joint.
            let emptied = *number == 0 && self.weights[slot] > 0.0;
            out.joints.push(if emptied { 0 } else { self.joints[slot] });
        }
        out.numbers.extend_from_slice(numbers);
    }

    /// Returns the numbers to be stored.
    #[must_use]
    pub fn stored(&self) -> Stored {
        let mut out = Stored { formats: self.formats.clone(), ..Stored::default() };
        let mut numbers = Vec::new();
        (0..self.vertices()).for_each(|vertex| self.store_vertex(vertex, &mut numbers, &mut out));
        out
    }
}

impl Stored {
    /// Returns the vertices whose joints or weights differ from those of `other`, which has as many pairs; the format
    /// in which they are written does not count.
    #[must_use]
    pub fn changed_vertices(&self, other: &Self, per_vertex: usize) -> Vec<u32> {
        let same = |at: usize| {
            let format = |stored: &Self| stored.formats.get(at % per_vertex / 4).copied().unwrap_or_default();
            let value = |stored: &Self| rounding::value(stored.numbers[at], format(stored)) as f32;
            let (here, there) = (value(self), value(other));
            self.joints[at] == other.joints[at] && (here == there || here.is_nan() && there.is_nan())
        };
        let vertices = self.joints.len() / per_vertex.max(1);
        (0..vertices).filter(|v| !(v * per_vertex..(v + 1) * per_vertex).all(same)).map(|v| v as u32).collect()
    }
}
