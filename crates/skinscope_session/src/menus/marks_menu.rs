//! The rows of the Tools menu that apply a tool and mark vertices, and the one that shows what a runtime makes of their weights.

use skinscope_edit::RUNTIMES;

use crate::menus::command_row::{key, row};
use crate::{Command, CommandRow, ComparisonCommand, Key, MarkCommand, MarkTool, Menu, Submenu, ToolCommand};

/// They follow the tools that change weights.
pub(crate) static ROWS: &[CommandRow] = &[
    row(
        Menu::Tools,
        "Apply the tool",
        key(Key::Enter),
        Command::Tool(ToolCommand::Apply),
        "Make the change that the chosen tool shows, in one step that can be undone",
    )
    .after_line(),
    row(
        Menu::Tools,
        "Mark by box",
        key(Key::Char('k')),
        Command::Mark(MarkCommand::Use(Some(MarkTool::Box))),
        "Let a drag over the picture mark the vertices in a box, and a click the nearest one",
    )
    .in_submenu(Submenu::Marks)
    .after_line(),
    row(
        Menu::Tools,
        "Mark by lasso",
        None,
        Command::Mark(MarkCommand::Use(Some(MarkTool::Lasso))),
        "Let a drag over the picture mark the vertices inside of the line",
    )
    .in_submenu(Submenu::Marks),
    row(
        Menu::Tools,
        "Mark by circle",
        None,
        Command::Mark(MarkCommand::Use(Some(MarkTool::Circle))),
        "Let a drag over the picture mark the vertices in a circle",
    )
    .in_submenu(Submenu::Marks),
    row(
        Menu::Tools,
        "Mark through",
        None,
        Command::Mark(MarkCommand::ToggleThrough),
        "Mark also vertices that the surface hides",
    )
    .in_submenu(Submenu::Marks),
    row(Menu::Tools, "Mark all", None, Command::Mark(MarkCommand::All), "Mark every vertex with weights")
        .in_submenu(Submenu::Marks)
        .after_line(),
    row(Menu::Tools, "Mark none", None, Command::Mark(MarkCommand::None), "Mark nothing").in_submenu(Submenu::Marks),
    row(
        Menu::Tools,
        "Invert marks",
        None,
        Command::Mark(MarkCommand::Invert),
        "Mark what is not marked, and nothing else",
    )
    .in_submenu(Submenu::Marks),
    row(
        Menu::Tools,
        "Grow marks",
        None,
        Command::Mark(MarkCommand::Grow),
        "Mark the neighbours of marked vertices too",
    )
    .in_submenu(Submenu::Marks),
    row(
        Menu::Tools,
        "Shrink marks",
        None,
        Command::Mark(MarkCommand::Shrink),
        "Unmark vertices that have a neighbour without a mark",
    )
    .in_submenu(Submenu::Marks),
    row(
        Menu::Tools,
        "Mark what the joint moves",
        None,
        Command::Mark(MarkCommand::OfJoint),
        "Mark the vertices that the selected joint moves",
    )
    .in_submenu(Submenu::Marks),
    row(
        Menu::Tools,
        "Preview as a runtime",
        None,
        Command::Comparison(ComparisonCommand::PreviewAs(RUNTIMES[0].packing)),
        "Compare with the weights that a game engine would use: fewer joints for each vertex, in fewer bits",
    ),
];
