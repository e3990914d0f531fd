//! A defect in a file, and the findings that the checker must have for it.

use std::collections::BTreeMap;

use super::document::Document;
use super::random::Random;
use super::rig::Rig;
use super::weights::Weights;

/// What was planted.
#[derive(Clone, Debug, Default)]
pub struct Plant {
    /// The rule that must find it; of a near miss, the one that it nearly breaks.
    pub rule: &'static str,
    /// Nothing may be found.
    pub near_miss: bool,
    /// Vertices that must be named, by mesh and primitive.
    pub vertices: BTreeMap<(usize, usize), Vec<u32>>,
    /// Nodes that must be named.
    pub joints: Vec<usize>,
    /// Rules that the plant rightly triggers as well.
    pub also: Vec<&'static str>,
    /// The finding's severity, where it is not that of the rule.
    pub severity: Option<&'static str>,
}

/// Makes a case of a rig; `None` where the rig has no place for it.
pub type Planter = fn(&Rig, &mut Random) -> Option<(Document, Plant)>;

/// One kind of defect or near miss.
pub struct Kind {
    pub rule: &'static str,
    pub name: &'static str,
    pub plant: Planter,
    pub near_miss: bool,
}

pub const fn defect(rule: &'static str, name: &'static str, plant: Planter) -> Kind {
    Kind { rule, name, plant, near_miss: false }
}

pub const fn near_miss(rule: &'static str, name: &'static str, plant: Planter) -> Kind {
    Kind { rule, name, plant, near_miss: true }
}

/// A copy of a rig's file whose weights are being changed.
pub struct Edit<'a> {
    pub rig: &'a Rig,
    pub file: Document,
    pub plant: Plant,
    weights: BTreeMap<usize, Weights>,
}

impl<'a> Edit<'a> {
    pub fn new(rig: &'a Rig) -> Self {
        Self { rig, file: rig.file.clone(), plant: Plant::default(), weights: BTreeMap::new() }
    }

    /// The weights of a part, written back at the end.
    pub fn weights(&mut self, part: usize) -> &mut Weights {
        self.weights.entry(part).or_insert_with(|| self.rig.parts[part].weights.clone())
    }

    /// Changes a vertex, and says that it must be named.
    pub fn change(&mut self, (part, vertex): (usize, u32), change: impl FnOnce(&mut Weights, u32)) {
        change(self.weights(part), vertex);
        self.must_name(part, vertex);
    }

    pub fn must_name(&mut self, part: usize, vertex: u32) {
        let list = self.plant.vertices.entry(self.rig.parts[part].place).or_default();
        if let Err(at) = list.binary_search(&vertex) {
            list.insert(at, vertex);
        }
    }

    pub fn done(mut self) -> Option<(Document, Plant)> {
        for (part, weights) in &self.weights {
            weights.write(&mut self.file, self.rig.parts[*part].place);
        }
        Some((self.file, self.plant))
    }
}
