//! The weights of a primitive as its file stores them, to be read, changed and written back.

use std::collections::BTreeMap;

use super::document::Document;
use super::file::{Column, F32, U8, U16};

/// All sets of a primitive. Vertex `v` owns the slots from `v · 4 · sets`.
#[derive(Clone, Debug)]
pub struct Weights {
    pub sets: usize,
    /// [`F32`], [`U8`] or [`U16`].
    pub component: u32,
    pub joints: Vec<u32>,
    /// As stored: integers as integers.
    pub raw: Vec<f64>,
    joint_component: u32,
}

impl Weights {
    pub fn read(file: &Document, place: (usize, usize)) -> Option<Self> {
        let column = |name: &str, set| file.attribute(place, &format!("{name}_{set}"));
        let sets = (0..).take_while(|set| column("JOINTS", *set).is_some()).count();
        let all: Option<Vec<_>> =
            (0..sets).map(|set| Some((column("JOINTS", set)?, column("WEIGHTS", set)?))).collect();
        let all = all.filter(|a| !a.is_empty())?;
        let component = all[0].1.component;
        if all.iter().any(|(_, w)| w.component != component) {
            return None;
        }
        let rows = |column: &Column, v: usize| column.values[v * 4..v * 4 + 4].to_vec();
        let vertices = 0..all[0].0.count();
        let joints = vertices.clone().flat_map(|v| all.iter().flat_map(move |(j, _)| rows(j, v)).collect::<Vec<_>>());
        let joints = joints.map(|j| j as u32).collect();
        let raw = vertices.flat_map(|v| all.iter().flat_map(move |(_, w)| rows(w, v)).collect::<Vec<_>>()).collect();
        Some(Self { sets, component, joints, raw, joint_component: all[0].0.component })
    }

    /// Of vertices that each have some (joint, share) pairs, as many sets as they need.
    pub fn of(vertices: &[Vec<(u32, f64)>], component: u32) -> Self {
        let sets = vertices.iter().map(|v| v.len().div_ceil(4)).max().unwrap_or(1).max(1);
        let n = vertices.len() * sets * 4;
        let mut out = Self { sets, component, joints: vec![0; n], raw: vec![0.0; n], joint_component: U16 };
        for (v, pairs) in vertices.iter().enumerate() {
            let stored = out.stored(pairs, out.one());
            out.set(v, &stored);
        }
        out
    }

    /// What stands for a weight of one.
    pub fn one(&self) -> f64 {
        match self.component {
            U8 => 255.0,
            U16 => 65_535.0,
            _ => 1.0,
        }
    }

    pub fn slots(&self) -> usize {
        self.sets * 4
    }

    pub fn vertices(&self) -> usize {
        self.raw.len() / self.slots()
    }

    /// Place of a vertex' first slot.
    pub fn first(&self, v: u32) -> usize {
        v as usize * self.slots()
    }

    /// Pairs with weight, as stored, largest first.
    pub fn pairs(&self, v: u32) -> Vec<(u32, f64)> {
        let slots = self.first(v)..self.first(v) + self.slots();
        let mut out: Vec<_> = slots.map(|s| (self.joints[s], self.raw[s])).filter(|(_, w)| *w != 0.0).collect();
        out.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        out
    }

    /// Share of each joint, duplicates added up.
    pub fn shares(&self, v: u32) -> BTreeMap<u32, f64> {
        let mut out = BTreeMap::new();
        for (joint, weight) in self.pairs(v) {
            *out.entry(joint).or_insert(0.0) += weight / self.one();
        }
        out
    }

    pub fn set(&mut self, v: usize, pairs: &[(u32, f64)]) {
        assert!(pairs.len() <= self.slots(), "no room for {} pairs", pairs.len());
        let first = v * self.slots();
        for slot in 0..self.slots() {
            let (joint, weight) = pairs.get(slot).copied().unwrap_or((0, 0.0));
            self.joints[first + slot] = joint;
            self.raw[first + slot] = weight;
        }
    }

    /// Shares as stored numbers whose sum is `total`: integers are rounded, and the largest takes what is left.
    fn stored(&self, shares: &[(u32, f64)], total: f64) -> Vec<(u32, f64)> {
        let sum: f64 = shares.iter().map(|s| s.1).sum();
        let round = |w: f64| if self.component == F32 { f64::from(w as f32) } else { w.round() };
        let mut out: Vec<_> = shares.iter().map(|(j, s)| (*j, round(s / sum * total))).collect();
        let left = total - out.iter().map(|p| p.1).sum::<f64>();
        if let Some(largest) = out.iter_mut().max_by(|a, b| a.1.total_cmp(&b.1)).filter(|_| self.component != F32) {
            largest.1 += left;
        }
        out.retain(|p| p.1 != 0.0);
        out
    }

    /// Gives a joint a share of a vertex; the others keep their proportions, and the sum stays. The least gives way where
    /// there is no room.
    pub fn give(&mut self, v: u32, joint: u32, share: f64) {
        let total: f64 = self.pairs(v).iter().map(|p| p.1).sum();
        let mut others: Vec<_> = self.shares(v).into_iter().filter(|(j, _)| *j != joint).collect();
        others.sort_by(|a, b| b.1.total_cmp(&a.1));
        others.truncate(self.slots() - 1);
        let sum: f64 = others.iter().map(|p| p.1).sum();
        let mut shares = vec![(joint, if others.is_empty() { 1.0 } else { share })];
        if share < 1.0 {
            shares.extend(others.iter().map(|(j, s)| (*j, s / sum * (1.0 - share))));
        }
        let stored = self.stored(&shares, total);
        self.set(v as usize, &stored);
    }

    /// Room for more pairs.
    pub fn widen(&mut self, sets: usize) {
        let (old, new) = (self.slots(), sets * 4);
        let mut wide = Self { sets, joints: Vec::new(), raw: Vec::new(), ..*self };
        for v in 0..self.vertices() {
            wide.joints.extend_from_slice(&self.joints[v * old..(v + 1) * old]);
            wide.raw.extend_from_slice(&self.raw[v * old..(v + 1) * old]);
            wide.joints.resize((v + 1) * new, 0);
            wide.raw.resize((v + 1) * new, 0.0);
        }
        *self = wide;
    }

    /// The same shares stored in another way.
    pub fn stored_as(&self, component: u32) -> Self {
        let mut out = Self { component, ..self.clone() };
        for v in 0..self.vertices() {
            let shares: Vec<_> = self.pairs(v as u32);
            let stored = out.stored(&shares, out.one());
            out.set(v, &stored);
        }
        out
    }

    /// Another vertex at the end, with the pairs of `v`.
    pub fn copy(&mut self, v: u32) -> u32 {
        let slots = self.first(v)..self.first(v) + self.slots();
        self.joints.extend_from_within(slots.clone());
        self.raw.extend_from_within(slots);
        self.vertices() as u32 - 1
    }

    pub fn write(&self, file: &mut Document, place: (usize, usize)) {
        let wide = self.joints.iter().any(|j| *j > 255);
        let joint_component = if wide { U16 } else { self.joint_component };
        for set in 0..self.sets {
            let places = || (0..self.vertices()).flat_map(|v| (0..4).map(move |i| v * self.slots() + set * 4 + i));
            let joints = places().map(|s| f64::from(self.joints[s])).collect();
            file.set_attribute(place, &format!("JOINTS_{set}"), &Column::new(joint_component, 4, joints));
            let mut weights = Column::new(self.component, 4, places().map(|s| self.raw[s]).collect());
            weights.normalized = self.component != F32;
            file.set_attribute(place, &format!("WEIGHTS_{set}"), &weights);
        }
    }
}
