//! The rows of the Tools menu that apply a tool and mark vertices, and the one that shows what a runtime makes of their weights.

use skinscope_edit::RUNTIMES;

use crate::menus::command_row::{key, row, rows};
use crate::{Command, CommandRow, ComparisonCommand, Key, MarkCommand, MarkTool, Menu, Submenu, ToolCommand};

/// They follow the tools that change weights.
pub(crate) static ROWS: &[CommandRow] = rows! {
    Tools "Apply the tool", key(Key::Enter), Tool(ToolCommand::Apply), after_line:
        "Make the change that the chosen tool shows, in one step that can be undone";
    Tools "Mark by box", key(Key::Char('k')), Mark(MarkCommand::Use(Some(MarkTool::Box))) in Marks, after_line:
        "Let a drag over the picture mark the vertices in a box, and a click the nearest one";
    Tools "Mark by lasso", None, Mark(MarkCommand::Use(Some(MarkTool::Lasso))) in Marks:
        "Let a drag over the picture mark the vertices inside of the line";
    Tools "Mark by circle", None, Mark(MarkCommand::Use(Some(MarkTool::Circle))) in Marks:
        "Let a drag over the picture mark the vertices in a circle";
    Tools "Mark through", None, Mark(MarkCommand::ToggleThrough) in Marks: "Mark also vertices that the surface hides";
    Tools "Mark all", None, Mark(MarkCommand::All) in Marks, after_line: "Mark every vertex with weights";
    Tools "Mark none", None, Mark(MarkCommand::None) in Marks: "Mark nothing";
    Tools "Invert marks", None, Mark(MarkCommand::Invert) in Marks: "Mark what is not marked, and nothing else";
    Tools "Grow marks", None, Mark(MarkCommand::Grow) in Marks: "Mark the neighbours of marked vertices too";
    Tools "Shrink marks", None, Mark(MarkCommand::Shrink) in Marks:
        "Unmark vertices that have a neighbour without a mark";
    Tools "Mark whole pieces", None, Mark(MarkCommand::Pieces) in Marks:
        "Mark all that hangs together with marked vertices";
    Tools "Mark the same material", None, Mark(MarkCommand::SameMaterial) in Marks:
        "Mark all vertices that have the material of marked ones";
    Tools "Mark what the joint moves", None, Mark(MarkCommand::OfJoint) in Marks:
        "Mark the vertices that the selected joint moves";
    Tools "Preview as a runtime", None, Comparison(ComparisonCommand::PreviewAs(RUNTIMES[0].packing)):
        "Compare with the weights that a game engine would use: fewer joints for each vertex, in fewer bits";
};
