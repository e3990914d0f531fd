//! Values of keys: either a list that belongs to one sampler, or a lane of rows that several samplers share.
//!
//! A shared row has, for one entry (a key, or a tangent of one), the values of all its samplers side by side, so that
//! the values that are read for one time lie together in memory, however many samplers there are. Each value is stored
//! once, in a list or in a row.

use std::sync::Arc;

use glam::{Quat, Vec3};
use skinscope_base::memory::prefer_large_pages;

/// The type of the values of a sampler: a vector or a quaternion.
pub trait KeyValue: bytemuck::Pod + PartialEq + std::fmt::Debug {
    /// How many numbers a value has.
    const COMPONENTS: usize;
    /// Makes a value; `component` returns the number at an index.
    fn of(component: impl Fn(usize) -> f32) -> Self;
}

impl KeyValue for Vec3 {
    const COMPONENTS: usize = 3;
    fn of(component: impl Fn(usize) -> f32) -> Self {
        Self::new(component(0), component(1), component(2))
    }
}

impl KeyValue for Quat {
    const COMPONENTS: usize = 4;
    fn of(component: impl Fn(usize) -> f32) -> Self {
        Self::from_xyzw(component(0), component(1), component(2), component(3))
    }
}

/// The values of one sampler: one for each key, or with splines three (in-tangent, value, out-tangent). An index into
/// them is an *entry*.
#[derive(Clone, Debug)]
pub struct Keys<T>(Stored<T>);

#[derive(Clone, Debug)]
enum Stored<T> {
    Own(Vec<T>),
    Lane { rows: Arc<Rows>, at: usize, step: usize },
}

/// The entries of several samplers, one row for each entry.
#[derive(Debug)]
pub(super) struct Rows {
    /// The numbers of all rows, row after row.
    numbers: Vec<f32>,
    /// How many numbers a row has; never zero.
    width: usize,
}

impl Rows {
    /// How many lanes a block has. The numbers of a block lie transposed: four x, four y, four z, four w.
    pub(super) const BLOCK: usize = 4;

    /// Moves the values of samplers with equally many entries into shared rows, in which lane follows lane. With
    /// `blocks` the lanes that fill blocks of four are stored transposed.
    pub(super) fn share<T: KeyValue>(samplers: &mut [&mut Keys<T>], blocks: bool) -> Arc<Self> {
        let entries = samplers.first().map_or(0, |s| s.len());
        let (parts, width) = (T::COMPONENTS, samplers.len() * T::COMPONENTS);
        let transposed = if blocks { samplers.len() / Self::BLOCK * Self::BLOCK } else { 0 };
        let start_and_step = |lane: usize| {
            if lane < transposed {
                (lane / Self::BLOCK * Self::BLOCK * parts + lane % Self::BLOCK, Self::BLOCK)
            } else {
                (lane * parts, 1)
            }
        };
        let mut numbers = vec![0.0; entries * width];
        prefer_large_pages(&mut numbers);
        // A few rows stay in the cache while all lanes write to them.
        const ROWS: usize = 16;
        for (part, rows) in numbers.chunks_mut(ROWS * width.max(1)).enumerate() {
            for (lane, sampler) in samplers.iter().enumerate() {
                let (at, step) = start_and_step(lane);
                for (row, entry) in rows.chunks_exact_mut(width).zip(part * ROWS..) {
                    let value = sampler.get(entry);
                    for (i, number) in bytemuck::cast_slice(std::slice::from_ref(&value)).iter().enumerate() {
                        row[at + i * step] = *number;
                    }
                }
            }
        }
        let rows = Arc::new(Self { numbers, width });
        for (lane, sampler) in samplers.iter_mut().enumerate() {
            let (at, step) = start_and_step(lane);
            sampler.0 = Stored::Lane { rows: Arc::clone(&rows), at, step };
        }
        rows
    }

    /// Returns the numbers of one entry of all lanes.
    #[inline]
    pub(super) fn row(&self, entry: usize) -> &[f32] {
        &self.numbers[entry * self.width..][..self.width]
    }
}

impl<T: KeyValue> Keys<T> {
    /// Returns how many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Stored::Own(values) => values.len(),
            Stored::Lane { rows, .. } => rows.numbers.len() / rows.width,
        }
    }

    /// Returns whether there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value of an entry.
    #[must_use]
    pub fn get(&self, entry: usize) -> T {
        match &self.0 {
            Stored::Own(values) => values[entry],
            Stored::Lane { rows, at, step } => {
                let row = rows.row(entry);
                T::of(|i| row[at + i * step])
            }
        }
    }

    /// Returns all values in order.
    pub fn iter(&self) -> impl Iterator<Item = T> {
        (0..self.len()).map(|entry| self.get(entry))
    }

    /// Returns whether all numbers are finite.
    pub(super) fn is_finite(&self) -> bool {
        match &self.0 {
            Stored::Own(values) => super::builder::is_finite(bytemuck::cast_slice(values)),
            Stored::Lane { .. } => {
                self.iter().all(|v| super::builder::is_finite(bytemuck::cast_slice(std::slice::from_ref(&v))))
            }
        }
    }
}

impl<T> From<Vec<T>> for Keys<T> {
    fn from(values: Vec<T>) -> Self {
        Self(Stored::Own(values))
    }
}

impl<T> FromIterator<T> for Keys<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self(Stored::Own(values.into_iter().collect()))
    }
}

impl<T: KeyValue> PartialEq for Keys<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}
