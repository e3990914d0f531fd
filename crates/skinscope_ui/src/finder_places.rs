//! Tables and sections of the inspector, as Find anything lists them: people look for what a panel says as well as for commands.

use skinscope_model::NodeId;
use skinscope_session::{Command, DockPanel, SelectionCommand, Session};

use super::UiState;
use super::tables::{COUNT, names};

/// A section of the inspector.
struct Section {
    name: &'static str,
    help: &'static str,
    of: Of,
}

/// What a section is about, which has to be selected before it is there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// The whole model: nothing is selected.
    Model,
    /// A joint.
    Joint,
    /// A joint; one of the matrices that unfold, by its index.
    Matrix(usize),
}

static SECTIONS: [Section; 12] = [
    Section { name: "World matrix", help: "From the space of a joint to the world", of: Of::Matrix(0) },
    Section { name: "Inverse bind matrix", help: "From the space of the mesh to that of a joint", of: Of::Matrix(1) },
    Section { name: "Skinning matrix", help: "What a joint does to a vertex: M = T B⁻¹", of: Of::Matrix(2) },
    Section { name: "Translation", help: "Sliders that move a joint", of: Of::Joint },
    Section { name: "Rotation", help: "Sliders that turn a joint", of: Of::Joint },
    Section { name: "Scale", help: "Sliders that scale a joint", of: Of::Joint },
    Section { name: "Vertices moved", help: "How many vertices a joint moves, and its largest weight", of: Of::Joint },
    Section { name: "Model", help: "Numbers of nodes, joints, vertices and triangles", of: Of::Model },
    Section {
        name: "Skinning",
        help: "Influences of the vertices, and what the data of skinning takes",
        of: Of::Model,
    },
    Section { name: "Heat map colours", help: "The colours in which weights are shown", of: Of::Model },
    Section { name: "Joint matrices on the device", help: "The palette that the graphics device reads", of: Of::Model },
    Section { name: "File", help: "What the file says about itself: version, generator, copyright", of: Of::Model },
];

/// Returns names of all places with what they show, the tables first.
pub(super) fn places() -> impl Iterator<Item = (&'static str, &'static str)> {
    names().chain(SECTIONS.iter().map(|section| (section.name, section.help)))
}

/// Returns what kind of place this is, by its index.
pub(super) fn kind(place: usize) -> &'static str {
    if place < COUNT { "Table" } else { "Inspector" }
}

/// Shows a place, by its index: opens its panel, brings it to the front, and selects what it is about, for which commands are added.
pub(super) fn show(place: usize, session: &Session, state: &mut UiState, commands: &mut Vec<Command>) {
    let panel = match place.checked_sub(COUNT) {
        None => {
            state.saved.tables = true;
            state.tables.choose_at(place);
            DockPanel::Tables
        }
        Some(section) => {
            state.saved.inspector = true;
            if let Some(section) = SECTIONS.get(section) {
                commands.extend(selection(section.of, session).map(Command::from));
                if let Of::Matrix(i) = section.of
                    && let Some(is_open) = state.saved.matrices.get_mut(i)
                {
                    *is_open = true;
                }
            }
            DockPanel::Inspector
        }
    };
    state.saved.layout.bring_to_front(panel);
    state.dock.ask(panel);
}

/// Returns the command that selects what a section is about; `None` where that is selected, or the model has none.
fn selection(of: Of, session: &Session) -> Option<SelectionCommand> {
    let model = session.model()?;
    let selected = session.view().selected;
    if of == Of::Model {
        return selected.map(|_| SelectionCommand::Select(None));
    }
    if selected.is_some_and(|node| model.is_joint(node)) {
        return None;
    }
    let first: NodeId = model.skins.iter().find_map(|skin| skin.joints.first().copied())?;
    Some(SelectionCommand::Select(Some(first)))
}
