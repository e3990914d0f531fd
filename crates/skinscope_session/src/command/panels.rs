//! Panels: which can be hidden, which can be moved and where to, and the layouts that the program has.

/// Panels that can be hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[expect(missing_docs, reason = "the labels of the menu")]
pub enum Panel {
    Outliner,
    Inspector,
    Timeline,
    Tables,
    Statistics,
    Log,
    Manual,
    Paint,
}

/// Panels that can be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[expect(missing_docs, reason = "each has a title")]
pub enum DockPanel {
    Outliner,
    Inspector,
    Timeline,
    Tables,
    Tools,
    Deformation,
    Statistics,
    Page,
    Manual,
    Paint,
}

skinscope_base::choices! {
    DockPanel {
        /// Returns the word of the panel in texts of arrangements.
        id = 0;
        /// Returns the name that its tab has.
        title = 1;
    }
    Outliner: "outliner", "Outliner";
    Inspector: "inspector", "Inspector";
    Timeline: "timeline", "Timeline";
    Tables: "tables", "Tables";
    Tools: "tools", "Weight tools";
    Deformation: "deformation", "Deformation";
    Statistics: "statistics", "Statistics";
    Page: "page", "Example page";
    Manual: "manual", "Manual";
    Paint: "paint", "Paint weights";
}

/// Where a command moves a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum PanelPosition {
    /// A column of its own at the left of the picture.
    Left,
    /// A column of its own at the right of the picture.
    Right,
    /// A row of its own below the picture.
    Bottom,
    /// Over the picture.
    Float,
    /// A tab beside the panel that is next to it.
    Tab,
}

/// A layout that the program has.
#[derive(Clone, Copy, Debug)]
pub struct LayoutRow {
    /// Its name.
    pub name: &'static str,
    /// The label of its command.
    pub label: &'static str,
    /// A sentence about what it is for.
    pub help: &'static str,
}

/// The layouts that the program has.
pub const LAYOUTS: [LayoutRow; 3] = [
    LayoutRow {
        name: "Default",
        label: "Default layout",
        help: "Nodes at the left, the inspector at the right, the timeline below: every panel where it is at first",
    },
    LayoutRow {
        name: "Weighting",
        label: "Weighting layout",
        help: "The weight tools at the right with the inspector as a tab behind them, the table of vertices as a tab behind the timeline",
    },
    LayoutRow {
        name: "Measuring",
        label: "Measuring layout",
        help: "The measures at the right with the inspector as a tab behind them, the tables below the picture; no list of nodes",
    },
];
