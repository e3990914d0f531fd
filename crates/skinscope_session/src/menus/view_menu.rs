//! The rows of the View menu: what is drawn, from where, in which light, and which panels are open.

use skinscope_inspect::BoneShape;

use crate::menus::command_row::{ctrl, key, row, rows, shift};
use crate::{
    CameraCommand, Command, CommandRow, ComparisonCommand, ExampleCommand, Key, Lighting, MeasureCommand, Menu, Panel,
    PanelPosition, Submenu, ToolCommand, ViewCommand, ViewFrom, WindowCommand,
};

/// They follow the switches ([`crate::TOGGLES`]) of the View menu.
pub(crate) static ROWS: &[CommandRow] = rows! {
    View "Octahedra", None, View(ViewCommand::SetBoneShape(BoneShape::Octahedra)) in Bones:
        "Draw bones thick near the joint, pointed at the next one";
    View "Sticks", None, View(ViewCommand::SetBoneShape(BoneShape::Sticks)) in Bones: "Draw bones as sticks";
    View "Lines", None, View(ViewCommand::SetBoneShape(BoneShape::Lines)) in Bones: "Draw bones as thin lines";
    View "Deforming joints only", None, View(ViewCommand::ToggleDeformingOnly) in Bones, after_line:
        "Leave out the bones of joints that move no vertex";
    View "Frame selection", key(Key::Char('f')), Camera(CameraCommand::FrameSelected), after_line:
        "Bring the selected joint into view";
    View "Frame all", key(Key::Home), Camera(CameraCommand::FrameAll): "Bring the whole posed model into view";
    View "Frame everything", shift(Key::Home), Camera(CameraCommand::FrameEverything):
        "Bring into view what lies far outside of the model too";
    View "Front", key(Key::Numpad(1)), Camera(CameraCommand::LookFrom(ViewFrom::Front)) in Views, after_line:
        "Look from the front: from +Z, which a glTF character faces, or −Z where it is of VRM 0.x";
    View "Back", ctrl(Key::Numpad(1)), Camera(CameraCommand::LookFrom(ViewFrom::Back)) in Views: "Look from the back";
    View "Right", key(Key::Numpad(3)), Camera(CameraCommand::LookFrom(ViewFrom::Right)) in Views:
        "Look from the side that is right in the front view";
    View "Left", ctrl(Key::Numpad(3)), Camera(CameraCommand::LookFrom(ViewFrom::Left)) in Views:
        "Look from the side that is left in the front view";
    View "Top", key(Key::Numpad(7)), Camera(CameraCommand::LookFrom(ViewFrom::Top)) in Views: "Look from above";
    View "Bottom", ctrl(Key::Numpad(7)), Camera(CameraCommand::LookFrom(ViewFrom::Bottom)) in Views: "Look from below";
    View "Orthographic", key(Key::Numpad(5)), Camera(CameraCommand::ToggleOrthographic) in Views, after_line:
        "Switch between perspective and orthographic";
    View "Next camera", key(Key::Numpad(0)), Camera(CameraCommand::NextCamera) in Views, after_line:
        "Look through the next camera of the file; after the last one, from your own place";
    View "Studio light", None, View(ViewCommand::SetLighting(Lighting::Studio)) in Lights:
        "Light the model by a studio that turns with you";
    View "Lights of the file", None, View(ViewCommand::SetLighting(Lighting::File)) in Lights:
        "Light the model by the lights of the file alone";
    View "Studio and file lights", None, View(ViewCommand::SetLighting(Lighting::Both)) in Lights:
        "Light the model by the studio and the lights of the file";
    View "No crowd", None, View(ViewCommand::SetCrowd(1)) in Crowd: "Show the model alone";
    View "Crowd of 10", None, View(ViewCommand::SetCrowd(10)) in Crowd:
        "Show ten of it, each at its own time of the clip";
    View "Crowd of 100", None, View(ViewCommand::SetCrowd(100)) in Crowd:
        "Show a hundred, each at its own time of the clip";
    View "Crowd of 500", None, View(ViewCommand::SetCrowd(500)) in Crowd:
        "Show five hundred, each at its own time of the clip";
    View "Crowd of 1000", None, View(ViewCommand::SetCrowd(1000)) in Crowd:
        "Show a thousand of it, each at its own time of the clip";
    View "Not subdivided", None, View(ViewCommand::SetSubdivision(0)) in Subdivision: "Show the triangles of the file";
    View "Subdivide once", None, View(ViewCommand::SetSubdivision(1)) in Subdivision:
        "Show a smooth surface in place of the triangles, each of which becomes four (Loop)";
    View "Subdivide twice", None, View(ViewCommand::SetSubdivision(2)) in Subdivision:
        "Show a smooth surface, for which each triangle becomes sixteen";
    View "Subdivide three times", None, View(ViewCommand::SetSubdivision(3)) in Subdivision:
        "Show a smooth surface, for which each triangle becomes sixty-four";
    View "Subdivide first, then skin", None, View(ViewCommand::ToggleSubdivideFirst) in Subdivision, after_line:
        "Subdivide the model at rest, with its weights, and let the joints move that; else what they have moved is subdivided";
    View "Compare", key(Key::Char('x')), Comparison(ComparisonCommand::Toggle):
        "Compare two deformation methods, or edited weights with stored ones, in one picture";
    View "Outliner", ctrl(Key::Char('1')), Window(WindowCommand::TogglePanel(Panel::Outliner)) in Panels:
        "Show or hide the list of nodes";
    View "Inspector", ctrl(Key::Char('2')), Window(WindowCommand::TogglePanel(Panel::Inspector)) in Panels:
        "Show or hide the sliders and figures";
    View "Timeline", ctrl(Key::Char('3')), Window(WindowCommand::TogglePanel(Panel::Timeline)) in Panels:
        "Show or hide the timeline";
    View "Tables", ctrl(Key::Char('4')), Window(WindowCommand::TogglePanel(Panel::Tables)) in Panels:
        "Show or hide the tables of joints, vertices, matrices and skins";
    View "Weight tools", ctrl(Key::Char('5')), Tool(ToolCommand::TogglePanel) in Panels:
        "Show or hide the tools that change weights";
    View "Example page", ctrl(Key::Char('7')), Example(ExampleCommand::TogglePage) in Panels:
        "Show or hide the page of the example";
    View "Large page text", key(Key::Char('t')), Window(WindowCommand::ToggleLargeText) in Panels:
        "Write the page of an example large, for a projector, or as usual";
    View "Larger interface", ctrl(Key::Char('+')), Window(WindowCommand::StepScale(1)) in Panels:
        "Make text and controls one step larger";
    View "Smaller interface", ctrl(Key::Char('-')), Window(WindowCommand::StepScale(-1)) in Panels:
        "Make text and controls one step smaller";
    View "Usual size of the interface", ctrl(Key::Char('0')), Window(WindowCommand::StepScale(0)) in Panels:
        "Make text and controls as large as usual";
    View "Presentation", key(Key::F11), Window(WindowCommand::TogglePresentation) in Panels:
        "Fill the screen with the picture and the page of an example, in large text; Page Down shows the next example, Esc leaves";
    View "Reset layout", None, Window(WindowCommand::ResetLayout) in Layout, after_line:
        "Put every panel where it is at first, as large as usual";
    View "Save layout…", None, Window(WindowCommand::ShowLayouts) in Layout:
        "Keep the panels as they are now under a name; rename and delete own layouts";
    View "Move panel left", None, Window(WindowCommand::MovePanel(None, PanelPosition::Left)) in Layout, after_line:
        "Move the panel that was used last to the left of the picture";
    View "Move panel right", None, Window(WindowCommand::MovePanel(None, PanelPosition::Right)) in Layout:
        "Move the panel that was used last to the right of the picture";
    View "Move panel to the bottom", None, Window(WindowCommand::MovePanel(None, PanelPosition::Bottom)) in Layout:
        "Move the panel that was used last below the picture";
    View "Float panel", None, Window(WindowCommand::MovePanel(None, PanelPosition::Float)) in Layout:
        "Let the panel that was used last float over the picture";
    View "Stack panel", None, Window(WindowCommand::MovePanel(None, PanelPosition::Tab)) in Layout:
        "Make the panel that was used last a tab beside the panel next to it";
    View "Deformation", ctrl(Key::Char('6')), Measure(MeasureCommand::TogglePanel):
        "Show or hide the measures of what poses do to the surface";
    View "Light theme", ctrl(Key::Char('t')), Window(WindowCommand::ToggleTheme), after_line:
        "Switch between dark and light";
};
