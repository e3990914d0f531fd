//! The weights of a canvas at one moment, to go back to.

use std::sync::Arc;

use skinscope_edit::Sheet;
use skinscope_model::Model;

use super::Canvas;
use super::rows::Rows;

/// The weights that a canvas had at one moment. It shares what it has in common with those of other moments.
#[derive(Clone, Debug)]
pub struct Painted(Rows);

impl Painted {
    /// Writes the rows that were painted into the sheet of a model that has the same weights in single precision.
    pub fn write_into(&self, sheet: &mut Sheet<'_>) {
        self.0.write_into(&mut sheet.tables);
    }
}

impl Canvas {
    /// Returns the weights as they are now, to go back to ([`Canvas::restore`]).
    #[must_use]
    pub fn painted(&self) -> Painted {
        Painted(self.rows.clone())
    }

    /// Goes back to the weights of another moment. `model` has them in single precision; it is the model of then or one that differs from
    /// it at most in clips and inverse bind matrices.
    pub fn restore(&mut self, painted: &Painted, model: Arc<Model>) {
        self.rows = painted.0.clone();
        self.model = model;
        self.locator.follow(&self.model, &self.surfaces);
    }

    /// Begins anew with the weights of a model that differs from [`Canvas::model`] at most in weights, clips and inverse bind matrices. What
    /// lies next to what is known already.
    pub fn renew(&mut self, model: Arc<Model>) {
        self.rows = Rows::new(Sheet::of(&model).tables);
        self.model = model;
        self.locator.follow(&self.model, &self.surfaces);
    }

    /// Goes on with a model that has the same weights as [`Canvas::model`].
    pub fn adopt(&mut self, model: &Arc<Model>) {
        if !Arc::ptr_eq(&self.model, model) {
            self.model = Arc::clone(model);
        }
    }
}
