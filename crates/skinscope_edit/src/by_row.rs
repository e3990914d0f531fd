//! Runs a kernel on every row of a sheet that may change: what an operation on single rows is.

use skinscope_weights::kernels::Part;
use skinscope_weights::{Arguments, Kernel, RowTask, Table, TableRow};

use super::Sheet;

/// Runs a kernel that is given nothing on every row that may change.
pub(super) fn run(kernel: &Kernel, sheet: &mut Sheet, arguments: Arguments) {
    run_given(kernel, sheet, arguments, &|_| Some(Part::default()));
}

/// Runs a kernel on every row that may change; `part_of` returns what the rows of a table are given, or `None` where they stay as they are.
/// Notes the rows that get only a part of what is asked for.
pub(super) fn run_given(
    kernel: &Kernel,
    sheet: &mut Sheet,
    arguments: Arguments,
    part_of: &dyn Fn(&Table) -> Option<Part>,
) {
    let Sheet { tables, bounds, lacks, .. } = sheet;
    for (number, table) in tables.iter_mut().enumerate() {
        let Some(part) = part_of(table) else { continue };
        let task = RowTask { neighbours: &[], given: part.given(), locked: &bounds.locked, arguments };
        for row in (0..table.vertices()).filter(|row| bounds.has(number, *row)) {
            let wish = kernel.change_row(table, row, &task);
            let at = TableRow { table: number, row };
            lacks.pairs.extend(wish.has_lost.then_some(at));
            lacks.room.extend(wish.is_unmet.then_some(at));
        }
    }
}
