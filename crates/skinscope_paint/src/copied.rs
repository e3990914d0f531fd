//! A layer of weights that comes from elsewhere: copied to another model, where what it changes over the layers below it is carried as weights
//! are transferred, or made of what a tool would do.

use std::collections::{BTreeMap, BTreeSet};

use skinscope_base::parallel::JobContext;
use skinscope_edit::{CarriedChange, Sheet, carry_change};
use skinscope_model::{Model, WeightChange};
use skinscope_weights::{Shares, Table, TableRow};

use super::canvas::{Canvas, Painted};
use super::layers::{LayerId, LayerStack};

/// The share of the work of copying a layer that it takes to compose it.
const COMPOSED: f32 = 0.2;

/// A layer for another model than the one that it was painted on, or of what a tool would do.
#[derive(Clone, Debug)]
pub struct CopiedLayer {
    name: String,
    opacity: f64,
    is_on: bool,
    change: CarriedChange,
}

impl CopiedLayer {
    /// Carries a layer of a model to another one. What its mask hides is left out; the copy has its opacity, and is on or off as it is. Joints that
    /// are locked there, by their nodes, keep their weights. `context` hears of the progress. `None` where there is no such layer, and where the work
    /// was cancelled.
    #[must_use]
    pub fn of(
        (from, layers): (&Model, &LayerStack),
        id: LayerId,
        (to, locked): (&Model, &BTreeSet<u32>),
        context: &JobContext,
    ) -> Option<Self> {
        let layer = layers.layer(id)?;
        let [below, with] = layers.around(id)?;
        let below = with_layers(from, below, context)?;
        context.set_fraction(COMPOSED / 2.0);
        let with = with_layers(from, with, context)?;
        let change = carry_change(to, [&below, &with], locked, &context.part(COMPOSED, 1.0));
        if context.is_cancelled() {
            return None;
        }
        let (name, opacity, is_on) = (layer.name().to_owned(), layer.opacity(), layer.is_on());
        Some(Self { name, opacity, is_on, change })
    }

    /// Makes a layer of the weights that a tool would give some vertices of a model.
    #[must_use]
    pub fn of_changes(name: &str, model: &Model, changes: &[WeightChange]) -> Self {
        let tables = Sheet::of(model).tables;
        let mut rows: BTreeMap<TableRow, Shares> = BTreeMap::new();
        for change in changes {
            let is_it = |table: &Table| {
                table.primitives.iter().any(|p| (p.mesh, p.primitive) == (change.mesh, change.primitive))
            };
            let Some((number, table)) = tables.iter().enumerate().find(|(_, table)| is_it(table)) else { continue };
            for (i, vertex) in change.vertices.iter().enumerate() {
                let (joints, weights) = change.row(i);
                let mut shares = Shares::new();
                for (joint, weight) in joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
                    let (key, weight) = (table.key(*joint), f64::from(*weight));
                    match shares.iter_mut().find(|(known, _)| *known == key) {
                        Some((_, sum)) => *sum += weight,
                        None => shares.push((key, weight)),
                    }
                }
                rows.insert(TableRow { table: number, row: *vertex as usize }, shares);
            }
        }
        let change = CarriedChange { rows: rows.into_iter().collect(), ..CarriedChange::default() };
        Self { name: name.to_owned(), opacity: 1.0, is_on: true, change }
    }

    /// Returns how many vertices the copy has weights for.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.change.rows.len()
    }

    /// Says what was copied, and what could not be.
    #[must_use]
    pub fn report(&self) -> String {
        let counted = skinscope_base::words::counted::<usize>;
        let mut out = format!("{}: copied to {}", self.name, counted(self.vertices(), "vertex", "vertices"));
        if !self.change.missing.is_empty() {
            out += &format!("; without a counterpart there: {}", self.change.missing.join(", "));
        }
        if self.change.unmatched > 0 {
            out += &format!("; {} as before", counted(self.change.unmatched, "place stays", "places stay"));
        }
        out
    }
}

impl Canvas {
    /// Returns the layers with a copy of one from another model over them, which brushes paint in.
    #[must_use]
    pub fn layers_with(&self, copied: &CopiedLayer) -> LayerStack {
        self.layers_with_rows((&copied.name, copied.opacity, copied.is_on), &copied.change.rows)
    }
}

/// Returns a model with the weights that layers make; `None` where the work is cancelled.
fn with_layers(model: &Model, layers: LayerStack, context: &JobContext) -> Option<Model> {
    let goes_on = || (!context.is_cancelled()).then_some(());
    let tables = Sheet::of(model).tables;
    goes_on()?;
    let painted = Painted::of_layers(model, tables, layers);
    goes_on()?;
    let changes = painted.changes();
    goes_on()?;
    model.with_weights(&changes).ok().filter(|_| !context.is_cancelled())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::layers::LayerRow;

    #[test]
    fn a_layer_comes_to_another_model_with_its_name_its_opacity_and_what_it_changes() {
        let from = tube(Tube { joints: 4, ..Tube::default() });
        let to = tube(Tube { joints: 4, rings: 17, ..Tube::default() });
        let sheet = Sheet::of(&from);
        let table = &sheet.tables[0];
        let mut layers = LayerStack::default();
        let id = layers.add("Sleeve");
        for row in 0..40 {
            let painted = LayerRow::painted(vec![(table.keys[3], 1.0)], true);
            layers.set_row(TableRow { table: 0, row }, Some(painted), || LayerRow::of_table(table, row));
        }
        layers.set_opacity(id, 0.5);
        let (nothing, context) = (BTreeSet::new(), JobContext::of_waiting());
        let copied = CopiedLayer::of((&from, &layers), id, (&to, &nothing), &context).unwrap();
        assert!(copied.vertices() > 40 && copied.report().starts_with("Sleeve: copied to "));
        let mut canvas = Canvas::new(Arc::new(to));
        let stack = canvas.layers_with(&copied);
        let layer = stack.layers().last().unwrap();
        assert_eq!((layer.name(), layer.opacity(), stack.active()), ("Sleeve", 0.5, Some(layer.id())));
        let changes = canvas.set_layers(stack.clone()).unwrap();
        assert_eq!(changes.len(), 1);
        let mut off = stack;
        let id = off.active().unwrap();
        off.set_on(id, false);
        canvas.set_layers(off).unwrap();
        let plain = tube(Tube { joints: 4, rings: 17, ..Tube::default() });
        let (model, mesh) = (canvas.model(), skinscope_model::MeshId(0));
        let (now, before) = (model.influences(mesh, 0).unwrap(), plain.influences(mesh, 0).unwrap());
        assert!(
            (0..before.vertices()).all(|v| now.of(v).1[..2] == before.of(v).1[..2]),
            "off, it is as if it had not been"
        );
        assert!(CopiedLayer::of((&from, &layers), LayerId(7), (canvas.model().as_ref(), &nothing), &context).is_none());
    }
}
