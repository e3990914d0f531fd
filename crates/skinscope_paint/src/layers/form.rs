//! Layers as a session file has them. Joints are named by their keys; all else is numbers that are read back to the bit.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use skinscope_weights::{Shares, Table, TableRow, exact};

use super::changes::put;
use super::row::Pairs;
use super::{Layer, LayerEffect, LayerId, LayerMask, LayerRow, LayerStack, OfTables};

/// What begins the name of a joint that the skin does not have; its key follows.
const BEYOND: char = '\u{1}';

/// Numbers of layers are below this, so that there are some left for new ones.
const MOST_IDS: u32 = u32::MAX / 2;

/// The layers of a stack, as they are written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LayersForm {
    /// The joints that rows name by their place in this list.
    joints: Vec<String>,
    layers: Vec<LayerForm>,
    base: Vec<RowForm>,
    active: Option<LayerId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    solo: Option<LayerId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    effects: Vec<EffectForm>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct LayerForm {
    id: LayerId,
    name: String,
    on: bool,
    #[serde(with = "exact")]
    opacity: f64,
    /// Table, row and share of each vertex of the mask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mask: Option<Vec<(usize, usize, Weight)>>,
    /// The share of all other vertices; 0 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mask_rest: Option<Weight>,
    rows: Vec<RowForm>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    effects: Vec<EffectForm>,
}

/// An effect of a layer, or of all layers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct EffectForm {
    effect: String,
    on: bool,
    /// The parameters with their values; a word by its place.
    values: Vec<(String, Weight)>,
    /// The joints whose weights it leaves, as places in the list of joints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    held: Vec<u32>,
}

/// The weights of a vertex.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct RowForm {
    /// Its table and its row there.
    at: (usize, usize),
    /// Places in the list of joints, with weights.
    shares: Vec<(u32, Weight)>,
    whole: bool,
    /// The pairs of the file, where nothing has touched the vertex.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pairs: Vec<(u16, Weight)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
struct Weight(#[serde(with = "exact")] f64);

/// The joints that were named so far.
#[derive(Default)]
struct Names {
    list: Vec<String>,
    numbers: BTreeMap<u32, u32>,
}

impl LayersForm {
    /// Writes a stack; `None` where it has no layers. `name` returns the name of a joint by its key.
    #[must_use]
    pub fn of(stack: &LayerStack, name: &dyn Fn(u32) -> Option<String>) -> Option<Self> {
        if stack.is_empty() {
            return None;
        }
        let mut names = Names::default();
        let mut out = Self { active: stack.active, solo: stack.solo, ..Self::default() };
        out.base = rows_form(&stack.base, &mut names, name);
        for layer in &stack.layers {
            out.layers.push(LayerForm {
                id: layer.id,
                name: layer.name.clone(),
                on: layer.is_on,
                opacity: layer.opacity,
                mask: layer.mask.as_ref().map(mask_rows),
                mask_rest: layer.mask.as_ref().and_then(mask_rest),
                rows: rows_form(&layer.rows, &mut names, name),
                effects: effects_form(&layer.effects, &mut names, name),
            });
        }
        out.effects = effects_form(&stack.effects, &mut names, name);
        out.joints = names.list;
        Some(out)
    }

    /// Reads a stack. `key` returns the key of a joint by its name, `has` whether there is such a row. `None` where a joint or a row is not
    /// there, or a number is none that a layer can have.
    #[must_use]
    pub fn stack(
        &self,
        key: &mut dyn FnMut(&str) -> Option<u32>,
        has: &dyn Fn(TableRow) -> bool,
    ) -> Option<LayerStack> {
        let mut of_name = |name: &String| match name.strip_prefix(BEYOND) {
            Some(number) => number.parse().ok(),
            None => key(name.as_str()),
        };
        let keys: Vec<u32> = self.joints.iter().map(&mut of_name).collect::<Option<_>>()?;
        let mut out = LayerStack { base: rows_of_form(&self.base, &keys, has)?, ..LayerStack::default() };
        for layer in &self.layers {
            let rest = layer.mask_rest.map_or(0.0, |rest| rest.0);
            let rest = Some(rest as f32).filter(|_| (0.0..=1.0).contains(&rest))?;
            let mut mask = layer.mask.as_ref().map(|_| LayerMask::new(rest));
            for (table, row, share) in layer.mask.iter().flatten() {
                let at = TableRow { table: *table, row: *row };
                let is_share = has(at) && (0.0..=1.0).contains(&share.0);
                mask.as_mut()?.set(at, Some(share.0 as f32).filter(|_| is_share)?);
            }
            let rows = rows_of_form(&layer.rows, &keys, has)?;
            let has_base = super::rows_of(&rows).all(|at| out.base_row(at).is_some());
            let is_new = out.layer(layer.id).is_none() && layer.id.0 < MOST_IDS;
            if !(has_base && is_new && (0.0..=1.0).contains(&layer.opacity)) {
                return None;
            }
            out.next = out.next.max(layer.id.0 + 1);
            let (id, name) = (layer.id, layer.name.clone());
            let effects = effects_of_form(&layer.effects, &keys)?;
            out.may_have_effects |= !effects.is_empty();
            let layer = Layer { id, name, is_on: layer.on, opacity: layer.opacity, mask, rows, effects };
            out.layers.push(Arc::new(layer));
        }
        out.effects = effects_of_form(&self.effects, &keys)?;
        out.may_have_effects |= !out.effects.is_empty();
        out.select(self.active);
        out.set_solo(self.solo);
        Some(out).filter(|out| !out.has_too_many_effects())
    }
}

impl LayerStack {
    /// Leaves the weights of rows alone whose pairs say something else in these tables: another program has given the joints of a skin other
    /// numbers since, or the file lies. The weights name joints by their nodes.
    pub fn keep_pairs_of(&mut self, tables: &[Table]) {
        let other = |rows: &OfTables<LayerRow>| -> Vec<(TableRow, LayerRow)> {
            let known =
                super::rows_of(rows).filter_map(|at| Some((at, super::row_of(rows, at)?, tables.get(at.table)?)));
            let other = known.filter(|(_, row, table)| !row.fits(table));
            other.map(|(at, row, _)| (at, LayerRow { pairs: None, ..row.clone() })).collect()
        };
        other(&self.base).into_iter().for_each(|(at, row)| put(&mut self.base, at, Some(row)));
        for layer in &mut self.layers {
            for (at, row) in other(&layer.rows) {
                put(&mut Arc::make_mut(layer).rows, at, Some(row));
            }
        }
    }
}

impl Names {
    /// Returns the place of a joint in the list.
    fn number(&mut self, key: u32, name: &dyn Fn(u32) -> Option<String>) -> u32 {
        let next = self.list.len() as u32;
        *self.numbers.entry(key).or_insert_with(|| {
            self.list.push(name(key).unwrap_or_else(|| format!("{BEYOND}{key}")));
            next
        })
    }
}

fn mask_rows(mask: &LayerMask) -> Vec<(usize, usize, Weight)> {
    mask.listed().map(|(at, share)| (at.table, at.row, Weight(f64::from(share)))).collect()
}

fn mask_rest(mask: &LayerMask) -> Option<Weight> {
    Some(Weight(f64::from(mask.rest()))).filter(|rest| rest.0 != 0.0)
}

fn rows_form(tables: &OfTables<LayerRow>, names: &mut Names, name: &dyn Fn(u32) -> Option<String>) -> Vec<RowForm> {
    let mut out = Vec::new();
    for (table, rows) in tables.iter().enumerate() {
        for (row, weights) in rows.iter() {
            let pairs = weights.pairs.iter().flat_map(|pairs| pairs.joints.iter().zip(&pairs.weights));
            out.push(RowForm {
                at: (table, row),
                shares: weights.shares.iter().map(|(key, w)| (names.number(*key, name), Weight(*w))).collect(),
                whole: weights.is_whole,
                pairs: pairs.map(|(joint, weight)| (*joint, Weight(*weight))).collect(),
            });
        }
    }
    out
}

fn effects_form(effects: &[LayerEffect], names: &mut Names, name: &dyn Fn(u32) -> Option<String>) -> Vec<EffectForm> {
    let form = |effect: &LayerEffect| EffectForm {
        effect: effect.kind().id.to_owned(),
        on: effect.is_on(),
        values: effect
            .kind()
            .parameters
            .iter()
            .zip(effect.values())
            .map(|(p, v)| (p.id.to_owned(), Weight(*v)))
            .collect(),
        held: effect.held().iter().map(|key| names.number(*key, name)).collect(),
    };
    effects.iter().map(form).collect()
}

/// Reads effects; `None` where there is no such effect or no such joint.
fn effects_of_form(effects: &[EffectForm], keys: &[u32]) -> Option<Vec<LayerEffect>> {
    let read = |form: &EffectForm| {
        let held = form.held.iter().map(|place| keys.get(*place as usize).copied()).collect::<Option<_>>()?;
        let mut out = LayerEffect::new(&form.effect, held)?;
        out.set_on(form.on);
        for (parameter, value) in &form.values {
            out.set(parameter, value.0);
        }
        Some(out)
    };
    effects.iter().map(read).collect()
}

fn rows_of_form(rows: &[RowForm], keys: &[u32], has: &dyn Fn(TableRow) -> bool) -> Option<OfTables<LayerRow>> {
    let mut out = OfTables::new();
    for RowForm { at: (table, row), shares, whole, pairs } in rows {
        let at = TableRow { table: *table, row: *row };
        let share = |(place, weight): &(u32, Weight)| {
            let weight = Some(weight.0).filter(|weight| weight.is_finite() && *weight > 0.0)?;
            Some((*keys.get(*place as usize)?, weight))
        };
        let shares: Shares = shares.iter().map(share).collect::<Option<_>>().filter(|_| has(at))?;
        let (joints, weights): (Vec<u16>, Vec<f64>) = pairs.iter().map(|(joint, weight)| (*joint, weight.0)).unzip();
        let pairs = (!pairs.is_empty()).then(|| Arc::new(Pairs { joints, weights }));
        put(&mut out, at, Some(LayerRow { shares: shares.into(), is_whole: *whole, pairs }));
    }
    Some(out)
}
