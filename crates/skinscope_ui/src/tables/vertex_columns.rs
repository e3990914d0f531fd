//! The columns and rows that the vertex spreadsheet shows, for the table and for its text.

use std::sync::Arc;

use skinscope_model::{Model, NodeId};

use super::{number_column, text_column};
use crate::table::Column;

/// A column that the rows can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SortKey {
    Mesh,
    Number,
    Count,
    Sum,
    Asymmetry,
    /// The weight of the selected joint, whichever that is.
    Selected,
    Joint(NodeId),
}

/// The content of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnKind {
    Mesh,
    Skin,
    Number,
    Count,
    Sum,
    /// The difference of its weights from those of its mirror image, or that it has none.
    Asymmetry,
    /// The weight of the selected joint.
    Selected(NodeId),
    /// The influence of this rank, the heaviest first.
    Rank(usize),
    Joint(NodeId),
}

impl ColumnKind {
    /// Returns the order that a click on the head chooses.
    pub(super) fn orders(self) -> Option<SortKey> {
        match self {
            Self::Mesh | Self::Skin => Some(SortKey::Mesh),
            Self::Number => Some(SortKey::Number),
            Self::Count => Some(SortKey::Count),
            Self::Sum => Some(SortKey::Sum),
            Self::Asymmetry => Some(SortKey::Asymmetry),
            Self::Selected(_) => Some(SortKey::Selected),
            Self::Joint(node) => Some(SortKey::Joint(node)),
            Self::Rank(_) => None,
        }
    }
}

/// The rows that were found, as indices in the file's order.
#[derive(Clone, Debug)]
pub(super) enum RowIndices {
    All(usize),
    These(Arc<Vec<u32>>),
}

impl RowIndices {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::All(count) => *count,
            Self::These(rows) => rows.len(),
        }
    }

    pub(super) fn at(&self, row: usize) -> usize {
        match self {
            Self::All(_) => row,
            Self::These(rows) => rows[row] as usize,
        }
    }
}

pub(super) fn column(model: &Model, shows: ColumnKind) -> Column {
    let name = |node: NodeId| model.skeleton.names[node.index()].clone();
    match shows {
        ColumnKind::Mesh => text_column("Mesh", 150.0, "Its name, and the number of the primitive"),
        ColumnKind::Skin => text_column("Skin", 110.0, "The skin that moves it"),
        ColumnKind::Number => number_column("Vertex", 76.0, "Its number in the file, within its primitive"),
        ColumnKind::Count => number_column("Count", 60.0, "Joints with a weight other than zero"),
        ColumnKind::Sum => number_column("Sum", 68.0, "Of its weights, as stored"),
        ColumnKind::Asymmetry => number_column(
            "Asymmetry",
            90.0,
            "The largest difference between one of its weights and that of the mirrored vertex",
        ),
        ColumnKind::Selected(node) => number_column(&name(node), 110.0, "Weight of the selected joint"),
        ColumnKind::Rank(rank) => {
            let title = format!("Influence {}", rank + 1);
            let help =
                if rank == 0 { "The joint that moves it most" } else { "A joint that moves it less than those before" };
            Column { sorts: false, ..text_column(&title, 190.0, help) }
        }
        ColumnKind::Joint(node) => number_column(&name(node), 76.0, "Weights of this joint"),
    }
}
