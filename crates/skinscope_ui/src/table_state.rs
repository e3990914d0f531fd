//! The input and output of a table: its rows, the user's actions in it, and its scroll state.

use egui::{Modifiers, Rect, Response, Ui};

/// The look of a row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RowStyle {
    pub selected: bool,
    /// Whether it is the one of the selected rows that other panels show.
    pub leads: bool,
    /// Whether the object of the row is under the pointer elsewhere.
    pub hovered: bool,
}

/// The rows, by number.
pub(super) struct Rows<'a> {
    pub count: usize,
    /// The height of a row, points.
    pub height: f32,
    /// Returns the text of a row for screen readers.
    pub label: &'a dyn Fn(usize) -> String,
    pub look: &'a dyn Fn(usize) -> RowStyle,
    /// Paints the cell of a row and a column.
    pub cell: &'a dyn Fn(&Ui, Rect, usize, usize),
    /// Returns the tooltip of a cell.
    pub tip: &'a dyn Fn(usize, usize) -> Option<String>,
    /// Returns the text that editing a cell begins with; `None` where it cannot be edited.
    pub edit: Option<&'a dyn Fn(usize, usize) -> Option<String>>,
    /// Returns what is said at a cell of a row while it is edited; `None`: nothing.
    pub note: Option<&'a dyn Fn(usize) -> Option<String>>,
}

/// The user's actions in the table in this frame.
#[derive(Clone, Debug, Default)]
pub(super) struct TableResponse {
    /// The row under the pointer.
    pub hovered: Option<usize>,
    /// The row that was clicked, or reached with the arrows; with the modifiers that were held.
    pub chosen: Option<(usize, Modifiers)>,
    /// The row that was right-clicked, with what was.
    pub menu: Option<(usize, Response)>,
    /// The row that was double-clicked, or on which Enter was pressed.
    pub opened: Option<usize>,
    /// The column to sort by.
    pub head: Option<usize>,
    /// Whether Ctrl+C was pressed.
    pub copy: bool,
    /// The column of the cell that was clicked.
    pub column: Option<usize>,
    /// The text that was typed into a cell.
    pub typed: Option<TypedText>,
    /// The text that was pasted at the cursor.
    pub pasted: Option<String>,
}

/// Text that was typed into a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TypedText {
    pub row: usize,
    pub column: usize,
    pub text: String,
    /// The text that the cell began with.
    before: String,
    /// Whether Enter ended it; else the focus has gone elsewhere.
    by_enter: bool,
}

/// The reason why the text of a cell was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub row: usize,
    pub column: usize,
    pub why: String,
}

/// The state of a table.
#[derive(Debug, Default)]
pub(super) struct TableState {
    /// How many rows are above the view.
    pub top: f64,
    /// How many points of width are left of the view.
    pub left: f32,
    /// The row that the arrows start from.
    pub cursor: Option<usize>,
    /// The column of the cell that keys edit, where cells can be edited.
    pub column: Option<usize>,
    /// The cell that is being edited.
    pub editor: Option<CellEditor>,
    /// The cell whose text was refused last, until the next press of a key or a button.
    pub refusal: Option<Refusal>,
    /// Whether the focus came with a click.
    pub by_pointer: bool,
    /// A row to scroll into view.
    pub reveal: Option<usize>,
    /// A column to scroll into view.
    pub reveal_column: Option<usize>,
}

impl TableState {
    /// Shows at a cell why the text that was typed into it is not taken. Text that Enter has ended stays open, so that it can be
    /// corrected.
    pub(crate) fn refuse(&mut self, typed: TypedText, why: String) {
        let TypedText { row, column, text, before, by_enter } = typed;
        if by_enter {
            (self.cursor, self.column, self.reveal) = (Some(row), Some(column), None);
            self.editor = Some(CellEditor { row, column, text, before, fresh: true, shown: true });
        }
        self.refuse_at(row, column, why);
    }

    /// Shows at a cell why nothing was pasted there.
    pub(crate) fn refuse_at(&mut self, row: usize, column: usize, why: String) {
        self.refusal = Some(Refusal { row, column, why });
    }
}

/// A cell while it is edited.
#[derive(Clone, Debug)]
pub(super) struct CellEditor {
    pub row: usize,
    pub column: usize,
    pub text: String,
    /// The text that it began with; the same text changes nothing.
    pub before: String,
    /// Whether it was not shown yet.
    pub fresh: bool,
    /// Whether it was shown in this frame.
    pub shown: bool,
}

impl CellEditor {
    /// Returns the text that was typed; `None` where it is the same as before.
    pub fn typed(self, by_enter: bool) -> Option<TypedText> {
        let Self { row, column, text, before, .. } = self;
        (text != before).then_some(TypedText { row, column, text, before, by_enter })
    }
}
