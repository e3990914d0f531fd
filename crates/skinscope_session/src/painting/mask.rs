//! The mask of the layer that is painted in: whether brushes paint it, and its numbers as the overlay shows them.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use skinscope_edit::Sheet;
use skinscope_inspect::PerVertex;
use skinscope_model::{Model, PrimitiveId};
use skinscope_paint::{Layer, LayerMask};
use skinscope_weights::{Brush, Need, TableRow};

use super::Painting;

/// The numbers that were shown last.
#[derive(Debug, Default)]
pub(super) struct ShownMask(Mutex<Option<Shown>>);

impl Clone for ShownMask {
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
    extent: Extent,
    values: Arc<PerVertex>,
}

/// Where the layer is that is painted in.
#[derive(Clone, Debug)]
enum Extent {
    /// No layer is painted in.
    NoLayer,
    /// It has no mask.
    Everywhere,
    /// It is where its mask says.
    Masked(LayerMask),
}

impl Extent {
    fn of(painting: &Painting) -> Self {
        let layers = painting.layers();
        let layer = layers.active().and_then(|id| layers.layer(id));
        match layer.map(Layer::mask) {
            None => Self::NoLayer,
            Some(None) => Self::Everywhere,
            Some(Some(mask)) => Self::Masked(mask.clone()),
        }
    }

    fn is_same_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::NoLayer, Self::NoLayer) | (Self::Everywhere, Self::Everywhere) => true,
            (Self::Masked(one), Self::Masked(other)) => one.is_same_as(other),
            _ => false,
        }
    }

    /// Returns how much of the layer there is at a vertex; below zero where there is no layer.
    fn share(&self, at: TableRow) -> f32 {
        match self {
            Self::NoLayer => -1.0,
            Self::Everywhere => 1.0,
            Self::Masked(mask) => mask.share(at),
        }
    }

    /// Returns the shares of all vertices with weights.
    fn values(&self, model: &Model, tables: &[Vec<PrimitiveId>]) -> PerVertex {
        let mut out = PerVertex::empty(model);
        for (table, primitives) in tables.iter().enumerate() {
            for PrimitiveId { mesh, primitive } in primitives {
                let rows = 0..model.meshes[mesh.index()].primitives[*primitive].stored_vertices;
                out.values[mesh.index()][*primitive] = rows.map(|row| self.share(TableRow { table, row })).collect();
            }
        }
        out
    }
}

impl Painting {
    /// Whether brushes paint the mask of the layer that is worked on, and not weights.
    #[must_use]
    pub fn paints_mask(&self) -> bool {
        self.settings.mask && self.layers.active().is_some()
    }

    /// Returns how much there is of the layer that is painted in at each vertex of a model, which is the edited one of the file, by its mask: 1
    /// everywhere without a mask, below zero where no layer is painted in.
    pub(crate) fn mask_values(&self, stored: &Arc<Model>, model: &Model) -> Arc<PerVertex> {
        let extent = Extent::of(self);
        let parts = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
        let weighted = parts.filter(|part| part.stored_influences.is_some()).count();
        let mut shown = self.shown_mask.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_of_model =
            |shown: &&Shown| std::ptr::eq(shown.stored.as_ptr(), Arc::as_ptr(stored)) && shown.weighted == weighted;
        let known = shown.as_ref().filter(is_of_model);
        if let Some(known) = known.filter(|known| known.extent.is_same_as(&extent)) {
            return Arc::clone(&known.values);
        }
        let tables = match known {
            Some(known) => Arc::clone(&known.tables),
            None => Arc::new(Sheet::of(model).tables.into_iter().map(|table| table.primitives).collect::<Vec<_>>()),
        };
        let values = Arc::new(extent.values(model, &tables));
        let stored = Arc::downgrade(stored);
        *shown = Some(Shown { stored, weighted, tables, extent, values: Arc::clone(&values) });
        values
    }
}

/// Whether a brush can paint a mask: one that gives to another joint has nothing to give a mask to.
pub(super) fn can_paint(brush: &Brush) -> bool {
    !brush.needs.contains(&Need::To)
}
