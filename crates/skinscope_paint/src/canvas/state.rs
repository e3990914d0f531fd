//! The weights of a canvas at one moment, to go back to.

use std::sync::Arc;

use skinscope_edit::Sheet;
use skinscope_inspect::VertexSet;
use skinscope_model::{MeshId, Model, PrimitiveId, WeightChange};
use skinscope_weights::{Shares, Table, TableRow};

use super::by_skin::by_skin;
use super::mirrored::Mirrors;
use super::rows::Rows;
use super::{Canvas, PaintError};
use crate::layers::{LayerId, LayerStack};

/// The weights that a canvas had at one moment. It shares what it has in common with those of other moments.
#[derive(Clone, Debug)]
pub struct Painted(Rows);

impl Painted {
    /// Makes the weights that layers make over those of some tables of a model.
    pub(crate) fn of_layers(model: &Model, tables: Vec<Table>, layers: LayerStack) -> Self {
        let mut rows = Rows::new(tables);
        if layers.has_effects() {
            let surfaces = Arc::new(by_skin(model, Sheet::of_file(model).into_parts().1));
            rows = rows.with_surfaces(&surfaces);
            // Without a plane of symmetry a mirror does nothing.
            _ = rows.look_across(&Mirrors::default(), (model, &surfaces), &layers);
        }
        rows.take_layers(layers);
        Self(rows)
    }

    /// Returns the rows that were painted as changes of a model, in single precision.
    pub(crate) fn changes(&self) -> Vec<WeightChange> {
        self.0.changes(&self.0.painted_rows())
    }

    /// Returns the rows of then.
    pub(super) fn rows(&self) -> &Rows {
        &self.0
    }

    /// Writes the rows that were painted into the sheet of a model that has the same weights in single precision.
    pub fn write_into(&self, sheet: &mut Sheet<'_>) {
        self.0.write_into(&mut sheet.tables);
    }
}

impl Canvas {
    /// Returns the weights as they are now, to go back to ([`Canvas::restore`]).
    #[must_use]
    pub fn painted(&self) -> Painted {
        let mut rows = self.rows.clone();
        // It would be kept for each moment.
        rows.layers.forget_present();
        Painted(rows)
    }

    /// Goes back to the weights of another moment. `model` has them in single precision; it is the model of then or one that differs from
    /// it at most in clips and inverse bind matrices.
    pub fn restore(&mut self, painted: &Painted, model: Arc<Model>) {
        self.rows = painted.0.clone();
        self.model = model;
        self.locator.follow(&self.model, &self.surfaces);
    }

    /// Begins anew with the weights of a model that differs from [`Canvas::model`] at most in weights, clips and inverse bind matrices, and
    /// with the layers that make them. What lies next to what is known already.
    pub fn renew(&mut self, model: Arc<Model>, layers: LayerStack) {
        self.rows = Rows::new(Sheet::of(&model).tables).with_surfaces(&self.surfaces);
        self.model = model;
        self.locator.follow(&self.model, &self.surfaces);
        self.adopt_layers(layers);
    }

    /// Goes on with a model that has the same weights as [`Canvas::model`].
    pub fn adopt(&mut self, model: &Arc<Model>) {
        if !Arc::ptr_eq(&self.model, model) {
            self.model = Arc::clone(model);
        }
    }

    /// Returns the layers that are painted in.
    #[must_use]
    pub fn layers(&self) -> &LayerStack {
        &self.rows.layers
    }

    /// Takes layers that say the same as those of the canvas, but share what they have in common with the states from before.
    pub fn put_back_layers(&mut self, layers: &LayerStack) {
        self.rows.layers = layers.clone();
    }

    /// Takes the layers that make the weights that the model has. Where those are others, something else than a brush has changed them, and the
    /// layers take them as they are.
    pub fn adopt_layers(&mut self, layers: LayerStack) {
        if !layers.is_empty() {
            // Without a plane of symmetry a mirror does nothing.
            _ = self.look_across(&layers);
            self.rows.adopt_layers(layers);
        } else {
            self.rows.layers.number_after(&layers);
        }
    }

    /// Gives the model the weights that other layers make, and returns what changes, in single precision.
    ///
    /// # Errors
    /// The model has refused new weights.
    pub fn set_layers(&mut self, layers: LayerStack) -> Result<Vec<WeightChange>, PaintError> {
        self.look_across(&layers)?;
        let changed = self.rows.take_layers(layers);
        let changes = self.change_rows(&changed)?;
        // Vertices of one place may have other weights than each other again.
        self.locator.follow(&self.model, &self.surfaces);
        Ok(changes)
    }

    /// Returns the layers with another one over them, which has weights for some rows and which brushes paint in.
    pub(crate) fn layers_with_rows(&self, about: (&str, f64, bool), rows: &[(TableRow, Shares)]) -> LayerStack {
        let mut out = self.rows.clone();
        out.add_layer(about, rows);
        out.layers
    }

    /// Says in which layer brushes paint; `None`: in the base.
    pub fn select_layer(&mut self, id: Option<LayerId>) {
        let before = self.rows.layers.active();
        self.rows.layers.select(id);
        if self.rows.layers.active() != before {
            self.rows.below.forget();
        }
    }

    /// Returns the rows of some vertices, each once.
    #[must_use]
    pub fn rows_of(&self, vertices: &VertexSet) -> Vec<TableRow> {
        let row = |(mesh, primitive, vertex): (MeshId, usize, u32)| {
            let table = self.rows.number_of(PrimitiveId::new(mesh, primitive))?;
            Some(TableRow { table, row: vertex as usize })
        };
        let mut out: Vec<TableRow> = vertices.iter().filter_map(row).filter(|row| self.rows.has(*row)).collect();
        out.sort_unstable();
        out.dedup();
        out
    }
}
