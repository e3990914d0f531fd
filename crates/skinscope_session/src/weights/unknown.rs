//! The numbers of vertices of which nothing is known, kept from one picture to the next.

use std::sync::{Arc, Mutex, PoisonError};

use skinscope_edit::nothing_left;
use skinscope_inspect::PerVertex;
use skinscope_model::{Mesh, Model};

/// The numbers that were made last.
#[derive(Debug, Default)]
pub(super) struct Unknown(Mutex<Arc<PerVertex>>);

impl Clone for Unknown {
    /// Returns an empty cache: the numbers are made again where they are needed.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Unknown {
    /// Returns the numbers of a model; models of as many vertices that follow each other have the same.
    pub fn of(&self, model: &Model) -> Arc<PerVertex> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !fits(&known, model) {
            *known = Arc::new(nothing_left(model));
        }
        Arc::clone(&known)
    }
}

/// Returns whether there is a number for each vertex of a model.
fn fits(numbers: &PerVertex, model: &Model) -> bool {
    let of_mesh = |(own, mesh): (&Vec<Vec<f32>>, &Mesh)| {
        let counts = mesh.primitives.iter().map(|primitive| primitive.stored_vertices);
        own.iter().map(Vec::len).eq(counts)
    };
    numbers.values.len() == model.meshes.len() && numbers.values.iter().zip(&model.meshes).all(of_mesh)
}
