//! The rows of the View menu: what is drawn, from where, in which light, and which panels are open.

use skinscope_inspect::BoneShape;

use crate::menus::command_row::{ctrl, key, row, shift};
use crate::{
    CameraCommand, Command, CommandRow, ComparisonCommand, ExampleCommand, Key, Lighting, MeasureCommand, Menu, Panel,
    PanelPosition, Submenu, ToolCommand, ViewCommand, ViewFrom, WindowCommand,
};

/// They follow the switches ([`crate::TOGGLES`]) of the View menu.
pub(crate) static ROWS: &[CommandRow] = &[
    row(
        Menu::View,
        "Octahedra",
        None,
        Command::View(ViewCommand::SetBoneShape(BoneShape::Octahedra)),
        "Draw bones thick near the joint, pointed at the next one",
    )
    .in_submenu(Submenu::Bones),
    row(
        Menu::View,
        "Sticks",
        None,
        Command::View(ViewCommand::SetBoneShape(BoneShape::Sticks)),
        "Draw bones as sticks",
    )
    .in_submenu(Submenu::Bones),
    row(
        Menu::View,
        "Lines",
        None,
        Command::View(ViewCommand::SetBoneShape(BoneShape::Lines)),
        "Draw bones as thin lines",
    )
    .in_submenu(Submenu::Bones),
    row(
        Menu::View,
        "Deforming joints only",
        None,
        Command::View(ViewCommand::ToggleDeformingOnly),
        "Leave out the bones of joints that move no vertex",
    )
    .in_submenu(Submenu::Bones)
    .after_line(),
    row(
        Menu::View,
        "Frame selection",
        key(Key::Char('f')),
        Command::Camera(CameraCommand::FrameSelected),
        "Bring the selected joint into view",
    )
    .after_line(),
    row(
        Menu::View,
        "Frame all",
        key(Key::Home),
        Command::Camera(CameraCommand::FrameAll),
        "Bring the whole posed model into view",
    ),
    row(
        Menu::View,
        "Frame everything",
        shift(Key::Home),
        Command::Camera(CameraCommand::FrameEverything),
        "Bring into view what lies far outside of the model too",
    ),
    row(
        Menu::View,
        "Front",
        key(Key::Numpad(1)),
        Command::Camera(CameraCommand::LookFrom(ViewFrom::Front)),
        "Look from the front: from +Z, which a glTF character faces, or −Z where it is of VRM 0.x",
    )
    .in_submenu(Submenu::Views)
    .after_line(),
    row(
        Menu::View,
        "Back",
        ctrl(Key::Numpad(1)),
        Command::Camera(CameraCommand::LookFrom(ViewFrom::Back)),
        "Look from the back",
    )
    .in_submenu(Submenu::Views),
    row(
        Menu::View,
        "Right",
        key(Key::Numpad(3)),
        Command::Camera(CameraCommand::LookFrom(ViewFrom::Right)),
        "Look from the side that is right in the front view",
    )
    .in_submenu(Submenu::Views),
    row(
        Menu::View,
        "Left",
        ctrl(Key::Numpad(3)),
        Command::Camera(CameraCommand::LookFrom(ViewFrom::Left)),
        "Look from the side that is left in the front view",
    )
    .in_submenu(Submenu::Views),
    row(
        Menu::View,
        "Top",
        key(Key::Numpad(7)),
        Command::Camera(CameraCommand::LookFrom(ViewFrom::Top)),
        "Look from above",
    )
    .in_submenu(Submenu::Views),
    row(
        Menu::View,
        "Bottom",
        ctrl(Key::Numpad(7)),
        Command::Camera(CameraCommand::LookFrom(ViewFrom::Bottom)),
        "Look from below",
    )
    .in_submenu(Submenu::Views),
    row(
        Menu::View,
        "Orthographic",
        key(Key::Numpad(5)),
        Command::Camera(CameraCommand::ToggleOrthographic),
        "Switch between perspective and orthographic",
    )
    .in_submenu(Submenu::Views)
    .after_line(),
    row(
        Menu::View,
        "Next camera",
        key(Key::Numpad(0)),
        Command::Camera(CameraCommand::NextCamera),
        "Look through the next camera of the file; after the last one, from your own place",
    )
    .in_submenu(Submenu::Views)
    .after_line(),
    row(
        Menu::View,
        "Studio light",
        None,
        Command::View(ViewCommand::SetLighting(Lighting::Studio)),
        "Light the model by a studio that turns with you",
    )
    .in_submenu(Submenu::Lights),
    row(
        Menu::View,
        "Lights of the file",
        None,
        Command::View(ViewCommand::SetLighting(Lighting::File)),
        "Light the model by the lights of the file alone",
    )
    .in_submenu(Submenu::Lights),
    row(
        Menu::View,
        "Studio and file lights",
        None,
        Command::View(ViewCommand::SetLighting(Lighting::Both)),
        "Light the model by the studio and the lights of the file",
    )
    .in_submenu(Submenu::Lights),
    row(Menu::View, "No crowd", None, Command::View(ViewCommand::SetCrowd(1)), "Show the model alone")
        .in_submenu(Submenu::Crowd),
    row(
        Menu::View,
        "Crowd of 10",
        None,
        Command::View(ViewCommand::SetCrowd(10)),
        "Show ten of it, each at its own time of the clip",
    )
    .in_submenu(Submenu::Crowd),
    row(
        Menu::View,
        "Crowd of 100",
        None,
        Command::View(ViewCommand::SetCrowd(100)),
        "Show a hundred, each at its own time of the clip",
    )
    .in_submenu(Submenu::Crowd),
    row(
        Menu::View,
        "Crowd of 500",
        None,
        Command::View(ViewCommand::SetCrowd(500)),
        "Show five hundred, each at its own time of the clip",
    )
    .in_submenu(Submenu::Crowd),
    row(
        Menu::View,
        "Crowd of 1000",
        None,
        Command::View(ViewCommand::SetCrowd(1000)),
        "Show a thousand of it, each at its own time of the clip",
    )
    .in_submenu(Submenu::Crowd),
    row(
        Menu::View,
        "Compare",
        key(Key::Char('x')),
        Command::Comparison(ComparisonCommand::Toggle),
        "Compare two deformation methods, or edited weights with stored ones, in one picture",
    ),
    row(
        Menu::View,
        "Outliner",
        ctrl(Key::Char('1')),
        Command::Window(WindowCommand::TogglePanel(Panel::Outliner)),
        "Show or hide the list of nodes",
    )
    .in_submenu(Submenu::Panels),
    row(
        Menu::View,
        "Inspector",
        ctrl(Key::Char('2')),
        Command::Window(WindowCommand::TogglePanel(Panel::Inspector)),
        "Show or hide the sliders and figures",
    )
    .in_submenu(Submenu::Panels),
    row(
        Menu::View,
        "Timeline",
        ctrl(Key::Char('3')),
        Command::Window(WindowCommand::TogglePanel(Panel::Timeline)),
        "Show or hide the timeline",
    )
    .in_submenu(Submenu::Panels),
    row(
        Menu::View,
        "Tables",
        ctrl(Key::Char('4')),
        Command::Window(WindowCommand::TogglePanel(Panel::Tables)),
        "Show or hide the tables of joints, vertices, matrices and skins",
    )
    .in_submenu(Submenu::Panels),
    row(
        Menu::View,
        "Weight tools",
        ctrl(Key::Char('5')),
        Command::Tool(ToolCommand::TogglePanel),
        "Show or hide the tools that change weights",
    )
    .in_submenu(Submenu::Panels),
    row(
        Menu::View,
        "Example page",
        ctrl(Key::Char('7')),
        Command::Example(ExampleCommand::TogglePage),
        "Show or hide the page of the example",
    )
    .in_submenu(Submenu::Panels),
    row(
        Menu::View,
        "Large page text",
        key(Key::Char('t')),
        Command::Window(WindowCommand::ToggleLargeText),
        "Write the page of an example large, for a projector, or as usual",
    )
    .in_submenu(Submenu::Panels),
    row(
        Menu::View,
        "Larger interface",
        ctrl(Key::Char('+')),
        Command::Window(WindowCommand::StepScale(1)),
        "Make text and controls one step larger",
    )
    .in_submenu(Submenu::Panels),
    row(
        Menu::View,
        "Smaller interface",
        ctrl(Key::Char('-')),
        Command::Window(WindowCommand::StepScale(-1)),
        "Make text and controls one step smaller",
    )
    .in_submenu(Submenu::Panels),
    row(
        Menu::View,
        "Usual size of the interface",
        ctrl(Key::Char('0')),
        Command::Window(WindowCommand::StepScale(0)),
        "Make text and controls as large as usual",
    )
    .in_submenu(Submenu::Panels),
    row(
        Menu::View,
        "Presentation",
        key(Key::F11),
        Command::Window(WindowCommand::TogglePresentation),
        "Fill the screen with the picture and the page of an example, in large text; Page Down shows the next example, Esc leaves",
    )
    .in_submenu(Submenu::Panels),
    row(
        Menu::View,
        "Reset layout",
        None,
        Command::Window(WindowCommand::ResetLayout),
        "Put every panel where it is at first, as large as usual",
    )
    .after_line()
    .in_submenu(Submenu::Layout),
    row(
        Menu::View,
        "Save layout…",
        None,
        Command::Window(WindowCommand::ShowLayouts),
        "Keep the panels as they are now under a name; rename and delete own layouts",
    )
    .in_submenu(Submenu::Layout),
    row(
        Menu::View,
        "Move panel left",
        None,
        Command::Window(WindowCommand::MovePanel(None, PanelPosition::Left)),
        "Move the panel that was used last to the left of the picture",
    )
    .after_line()
    .in_submenu(Submenu::Layout),
    row(
        Menu::View,
        "Move panel right",
        None,
        Command::Window(WindowCommand::MovePanel(None, PanelPosition::Right)),
        "Move the panel that was used last to the right of the picture",
    )
    .in_submenu(Submenu::Layout),
    row(
        Menu::View,
        "Move panel to the bottom",
        None,
        Command::Window(WindowCommand::MovePanel(None, PanelPosition::Bottom)),
        "Move the panel that was used last below the picture",
    )
    .in_submenu(Submenu::Layout),
    row(
        Menu::View,
        "Float panel",
        None,
        Command::Window(WindowCommand::MovePanel(None, PanelPosition::Float)),
        "Let the panel that was used last float over the picture",
    )
    .in_submenu(Submenu::Layout),
    row(
        Menu::View,
        "Stack panel",
        None,
        Command::Window(WindowCommand::MovePanel(None, PanelPosition::Tab)),
        "Make the panel that was used last a tab beside the panel next to it",
    )
    .in_submenu(Submenu::Layout),
    row(
        Menu::View,
        "Deformation",
        ctrl(Key::Char('6')),
        Command::Measure(MeasureCommand::TogglePanel),
        "Show or hide the measures of what poses do to the surface",
    ),
    row(
        Menu::View,
        "Light theme",
        ctrl(Key::Char('t')),
        Command::Window(WindowCommand::ToggleTheme),
        "Switch between dark and light",
    )
    .after_line(),
];
