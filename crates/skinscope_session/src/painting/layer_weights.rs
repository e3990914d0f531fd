//! Where the layer that is painted in has weights and how much it changes there, as the overlay of its weights shows it.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use skinscope_edit::Sheet;
use skinscope_inspect::PerVertex;
use skinscope_model::{Model, PrimitiveId};
use skinscope_paint::LayerStack;

use super::Painting;

/// The numbers that were shown last.
#[derive(Debug, Default)]
pub(super) struct ShownWeights(Mutex<Option<Shown>>);

impl Clone for ShownWeights {
    /// Returns an empty cache: the numbers are found again where they are needed.
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Numbers with what they were found from.
#[derive(Debug)]
struct Shown {
    /// The model as the file stores it, and how many of its primitives have weights.
    stored: Weak<Model>,
    weighted: usize,
    /// The primitives of each table of weights.
    tables: Arc<Vec<Vec<PrimitiveId>>>,
    layers: LayerStack,
    values: Arc<PerVertex>,
}

impl Painting {
    /// Returns how much the layer that is painted in changes at each vertex of a model, which is the edited one of the file; below zero where it has no
    /// weights, or no layer is painted in.
    pub(crate) fn layer_weight_values(&self, stored: &Arc<Model>, model: &Model) -> Arc<PerVertex> {
        let layers = self.layers();
        let parts = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
        let weighted = parts.filter(|part| part.stored_influences.is_some()).count();
        let mut shown = self.shown_weights.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_of_model =
            |shown: &&Shown| std::ptr::eq(shown.stored.as_ptr(), Arc::as_ptr(stored)) && shown.weighted == weighted;
        let known = shown.as_ref().filter(is_of_model);
        let has_same = |known: &&Shown| known.layers.active() == layers.active() && known.layers.is_same_as(layers);
        if let Some(known) = known.filter(has_same) {
            return Arc::clone(&known.values);
        }
        let tables = match known {
            Some(known) => Arc::clone(&known.tables),
            None => Arc::new(Sheet::of(model).tables.into_iter().map(|table| table.primitives).collect::<Vec<_>>()),
        };
        let values = Arc::new(values_of(layers, model, &tables));
        let (stored, layers) = (Arc::downgrade(stored), layers.clone());
        *shown = Some(Shown { stored, weighted, tables, layers, values: Arc::clone(&values) });
        values
    }
}

/// Returns the numbers of all vertices with weights.
fn values_of(layers: &LayerStack, model: &Model, tables: &[Vec<PrimitiveId>]) -> PerVertex {
    let mut out = PerVertex::empty(model);
    for PrimitiveId { mesh, primitive } in tables.iter().flatten() {
        let vertices = model.meshes[mesh.index()].primitives[*primitive].stored_vertices;
        out.values[mesh.index()][*primitive] = vec![-1.0; vertices];
    }
    for (at, change) in layers.changes_of_active() {
        for PrimitiveId { mesh, primitive } in tables.get(at.table).into_iter().flatten() {
            if let Some(value) = out.values[mesh.index()][*primitive].get_mut(at.row) {
                *value = change.min(1.0) as f32;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use skinscope_inspect::OVERLAYS;

    use super::super::tests::{holding, now, touch};
    use crate::{EditCommand, LayerCommand, PaintCommand, Session};

    fn shown(session: &Session) -> Vec<f32> {
        let overlay = OVERLAYS.iter().find(|overlay| overlay.id == "layer-weights").unwrap();
        session.vertex_values(overlay).unwrap().values[0][0].clone()
    }

    #[test]
    fn the_overlay_shows_where_the_layer_was_painted_and_how_much_it_changes_there() {
        let mut session = holding("add");
        let base = now(&session);
        assert!(shown(&session).iter().all(|value| *value < 0.0), "no layer is painted in");
        session.apply(PaintCommand::Layer(LayerCommand::Add(String::new())));
        assert!(shown(&session).iter().all(|value| *value < 0.0), "nothing is painted in it");
        touch(&mut session, 40);
        let (painted, whole) = (now(&session), shown(&session));
        assert!(base != painted && whole.iter().any(|value| *value < 0.0));
        assert!((0..base.len()).all(|vertex| base[vertex] == painted[vertex] || whole[vertex] > 0.0));
        // Half of the layer changes half as much; the base has no layer.
        let id = session.painting().layers().active().unwrap();
        session.apply(PaintCommand::Layer(LayerCommand::SetOpacity(id, 0.5)));
        let half = shown(&session);
        assert!(whole.iter().zip(&half).all(|(whole, half)| *whole < 0.0 || (0.5 * whole - half).abs() < 1e-6));
        session.apply(PaintCommand::Layer(LayerCommand::Select(None)));
        assert!(shown(&session).iter().all(|value| *value < 0.0));
        session.apply(PaintCommand::Layer(LayerCommand::Select(Some(id))));
        assert!(shown(&session) == half);
        (0..2).for_each(|_| _ = session.apply(EditCommand::Undo));
        assert!(now(&session) == base && shown(&session).iter().all(|value| *value < 0.0));
    }
}
