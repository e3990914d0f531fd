//! Who has the pointer over the picture. Each tool is a row of `POINTER_TOOLS`, with what it does in a file beside this one. The first row
//! that is chosen takes the drags of the left button, and says so by the cursor and by a line of text; what it does not take moves the
//! camera.

mod camera;
mod envelopes;
mod gradient;
mod handle_shapes;
mod handles;
mod joints;
mod limbs;
mod marking;
mod paint;
mod paint_marks;
mod stroke_way;
mod tool_column;
mod vertex;

pub(super) use camera::{from_corner, ignores_bones};
use egui::{Context, CursorIcon, Event, PointerButton, Popup, Pos2, Rect, Response, Ui, UiBuilder, vec2};
use glam::{Vec2, Vec3};
use skinscope_session::{BrushKey, Command, EditCommand, LookDrag, PoseTool, Pull, Session, VertexGrip};
use skinscope_weights::Need;
pub(super) use tool_column::show as show_tools;

use self::gradient::GradientDrag;
use self::handles::HandleDrag;
use self::paint::{BrushDrag, StrokeHold};
use super::saved::MouseHabit;
use super::{marks, rules};

/// The width that a line about a tool needs beside the tools over the picture, points.
const LEAST_LINE: f32 = 160.0;
/// The width that the tools over the picture need at most, with the gap after them, points.
const MOST_TOOLS: f32 = 140.0;

/// What the hints of brushes say of those alone that set a weight.
const TAKES: &str = "Alt-click takes the weight, ";

/// A tool that can have the pointer over the picture.
#[derive(Debug)]
struct PointerTool {
    /// Its name in the code.
    id: &'static str,
    /// What is done with it, as the line over the picture begins.
    label: &'static str,
    /// How it is used, in the same line. Empty where no line is shown, since what the window begins with needs none.
    hint: &'static str,
    /// What else the line says after the label, such as how many vertices are marked.
    note: fn(&Session) -> String,
    /// The cursor while it has the pointer.
    cursor: CursorIcon,
    /// Whether the whole picture is the tool's: drags of the left button wherever they begin, and clicks. Nothing is found under the
    /// pointer, the middle button turns the camera, the right one moves it, and the wheel zooms at any time. Other tools have the left
    /// button where they take hold of something, and until it is released all else waits; the right button then gives up what they do.
    owns_picture: bool,
    /// Whether it begins as soon as the button goes down, and not once the pointer has moved.
    at_once: bool,
    /// Whether it is chosen.
    is_chosen: fn(&Session) -> bool,
    /// Takes hold of what the left button went down on, which is at this point of the screen. `None`: the drag is the camera's.
    press: fn(&Pointing<'_>, Pos2, &mut Vec<Command>) -> Option<Held>,
    /// Follows the pointer with what it holds, in every pass up to the one of the release.
    moved: fn(&Pointing<'_>, &mut Held, &mut Vec<Command>),
    /// Ends a drag that was not given up.
    release: fn(&Pointing<'_>, Held, &mut Vec<Command>),
    /// Returns whether it keeps what it holds, though something else was chosen or selected meanwhile; if not, it ends what it has done.
    keeps: fn(&Session, &Held, &mut Vec<Command>) -> bool,
    /// Does what a click asks for.
    click: fn(&Pointing<'_>, &mut Vec<Command>),
    /// Does what the wheel asks for.
    wheel: fn(&Pointing<'_>, &mut Vec<Command>),
    /// Paints what can be taken hold of, or what is held.
    paint: fn(&Pointing<'_>, Option<&Held>),
}

/// The tools by their precedence: the first one that is chosen has the pointer. The camera, which always is, is the last.
static POINTER_TOOLS: &[&PointerTool] = &[
    &gradient::GRADIENT,
    &paint::PAINT,
    &marking::BOX,
    &marking::LASSO,
    &marking::CIRCLE,
    &joints::PLACE,
    &vertex::VERTEX,
    &handles::MOVE,
    &handles::TURN,
    &handles::SCALE,
    &limbs::PULL,
    &limbs::LOOK,
    &camera::CAMERA,
];

/// What a tool holds while the button is down, or after a key has asked for it.
#[derive(Debug)]
enum Held {
    /// The way of the pointer around what is to be marked, points.
    Marks(Vec<Pos2>),
    Handle(Box<HandleDrag>),
    /// A placed joint, by its index.
    Joint(usize),
    Pull(Pull),
    Look(LookDrag),
    /// The position of the pole of limbs: world space, metres.
    Pole(Vec3),
    Stroke(Box<StrokeHold>),
    Gradient(Box<GradientDrag>),
    Brush(Box<BrushDrag>),
    Vertex(VertexGrip),
}

/// A drag under way.
#[derive(Debug)]
struct Hold {
    tool: &'static PointerTool,
    held: Held,
    /// Whether it was begun by a key. It then follows the pointer without a button until a click.
    by_key: bool,
    /// Whether a key has asked that it ends: kept (`true`) or given up (`false`).
    ends: Option<bool>,
}

/// What the pointer does over the picture, from pass to pass.
#[derive(Debug, Default)]
pub(super) struct PointerState {
    hold: Option<Hold>,
    /// The tool whose key was pressed: its drag begins where the pointer is.
    asked: Option<PoseTool>,
    /// What of the brush is to follow the pointer, because its key was pressed.
    asked_brush: Option<BrushKey>,
    /// Whether a drag ended while a button was still down: until it is released, the pointer does nothing else.
    until_released: bool,
}

/// The pointer in a pass, and the picture that it is over.
pub(super) struct Pointing<'a> {
    pub ui: &'a Ui,
    /// What egui tells of the area of the picture.
    pub response: &'a Response,
    /// What the camera sees, points.
    pub seen: Rect,
    pub session: &'a Session,
    pub habit: MouseHabit,
    /// Whether the pointer moves the camera and nothing else, whichever tool is chosen.
    pub is_camera_only: bool,
}

impl Pointing<'_> {
    /// Returns a point of the screen in pixels from the top left of what the camera sees.
    fn pixel(&self, at: Pos2) -> Vec2 {
        Vec2::new(at.x - self.seen.min.x, at.y - self.seen.min.y) * self.scale()
    }

    /// Returns the same; where sides are beside each other, points of the second one have the pixels of the first.
    fn pixel_in_half(&self, at: Pos2) -> Vec2 {
        from_corner(at, self.seen) * self.scale()
    }

    /// Returns the point of the screen of a pixel.
    fn point(&self, at: Vec2) -> Pos2 {
        self.seen.min + vec2(at.x, at.y) / self.scale()
    }

    /// Returns how many pixels a point has.
    fn scale(&self) -> f32 {
        self.ui.pixels_per_point()
    }

    /// Returns where the pointer is, or was last, in pixels.
    fn latest(&self) -> Option<Vec2> {
        self.ui.input(|i| i.pointer.latest_pos()).map(|at| self.pixel(at))
    }

    /// Returns whether the left button went down on the picture in this pass, even if it is up again. One that closes a menu does no more.
    fn pressed_here(&self) -> bool {
        let is_here = self.response.is_pointer_button_down_on() || self.response.clicked();
        is_here && self.pressed(PointerButton::Primary) && !Popup::is_any_open(self.ui.ctx())
    }

    /// Returns whether a button went down in this pass.
    fn pressed(&self, button: PointerButton) -> bool {
        self.ui.input(|i| i.pointer.button_pressed(button))
    }
}

impl PointerState {
    /// Asks for a drag of the selected node with a tool, because its key was pressed.
    pub(super) fn ask(&mut self, tool: PoseTool) {
        if !self.hold.as_ref().is_some_and(|hold| matches!(hold.held, Held::Handle(_))) {
            self.asked = Some(tool);
        }
    }

    /// Asks that the radius or the strength of the brush follows the pointer, because its key was pressed.
    pub(super) fn ask_brush(&mut self, key: BrushKey) {
        if self.hold.is_none() {
            self.asked_brush = Some(key);
        }
    }

    /// Returns whether a drag that a key began follows the pointer.
    pub(super) fn is_by_key(&self) -> bool {
        self.hold.as_ref().is_some_and(|hold| hold.by_key)
    }

    /// Gives up the drag that is under way. What it has changed is given back by who asks for this.
    pub(super) fn give_up(&mut self) {
        self.until_released |= self.hold.take().is_some();
    }

    /// Takes the keys of a pass for the handle or the brush that follows the pointer: numbers, axes, and keys that end it. Other keys are
    /// swallowed, so that none of them does something else during the drag.
    pub(super) fn take_keys(&mut self, ctx: &Context) {
        let Some(Hold { held, ends, .. }) = &mut self.hold else { return };
        if !matches!(held, Held::Handle(_) | Held::Brush(_)) {
            return;
        }
        ctx.input_mut(|i| {
            i.events.retain(|event| {
                match event {
                    Event::Text(text) => {
                        if let Held::Handle(drag) = held {
                            text.chars().for_each(|c| drag.type_char(c));
                        }
                    }
                    Event::Key { key, pressed: true, modifiers, .. } => {
                        let end = match held {
                            Held::Handle(drag) => drag.key(*key, modifiers.shift),
                            _ => paint::end_of_key(*key),
                        };
                        *ends = end.or(*ends);
                    }
                    Event::Key { .. } | Event::Paste(_) | Event::Copy | Event::Cut => {}
                    _ => return true,
                }
                false
            });
        });
    }
}

/// Returns the tool that has the pointer.
fn tool_of(session: &Session, is_camera_only: bool) -> &'static PointerTool {
    let mut tools = POINTER_TOOLS.iter().copied();
    tools.find(|tool| !is_camera_only && (tool.is_chosen)(session)).unwrap_or(&camera::CAMERA)
}

/// Lets the tool that has the pointer follow it, and paints its handles. Returns whether the pointer is the tool's alone, so that nothing is
/// to be found under it.
pub(super) fn show(pointing: &Pointing<'_>, state: &mut PointerState, commands: &mut Vec<Command>) -> bool {
    let (ui, session) = (pointing.ui, pointing.session);
    let tool = tool_of(session, pointing.is_camera_only);
    if !tool.owns_picture {
        if rules::paint(ui, session, pointing.seen, &|at| pointing.point(at), commands) {
            return true;
        }
        if envelopes::paint(pointing, commands) {
            return true;
        }
        limbs::paint_pole(pointing, state.hold.as_ref().map(|hold| &hold.held));
    }
    if state.hold.as_ref().is_some_and(|hold| !(hold.tool.keeps)(session, &hold.held, commands)) {
        state.hold = None;
    }
    if state.hold.is_none() && !pointing.is_camera_only {
        begin(pointing, tool, state, commands);
    }
    let waits = state.until_released && !tool.owns_picture;
    state.until_released &= ui.input(|i| i.pointer.any_down());
    if state.hold.is_some() {
        follow(pointing, state, commands);
        return true;
    }
    if pointing.is_camera_only {
        // They stay in sight, but cannot be taken hold of.
        handles::paint(pointing, None);
    } else {
        (tool.paint)(pointing, None);
    }
    if !waits {
        beside(pointing, tool, commands);
    } else if !state.until_released {
        // What is shown beside the pointer after a drag does not wait for its next move.
        ui.ctx().request_repaint();
    }
    waits || tool.owns_picture
}

/// Begins a drag: where the pointer is because a key asked for it, or of what the button went down on.
fn begin(pointing: &Pointing<'_>, tool: &'static PointerTool, state: &mut PointerState, commands: &mut Vec<Command>) {
    if !tool.owns_picture
        && let Some(asked) = state.asked.take()
    {
        let begun = handles::begin_by_key(pointing, asked);
        state.hold = begun.map(|(tool, held)| Hold { tool, held, by_key: true, ends: None });
    } else if tool.owns_picture {
        // It is not to begin once the tool is given up.
        state.asked = None;
    }
    if let Some(asked) = state.asked_brush.take() {
        let begun = paint::begin_by_key(pointing, asked);
        state.hold = begun.map(|held| Hold { tool: &paint::PAINT, held, by_key: true, ends: None });
    }
    // A tool that has the whole picture may be chosen in the middle of a drag.
    let begins = match (tool.at_once, tool.owns_picture) {
        (true, _) => pointing.pressed_here(),
        (false, true) => pointing.response.dragged_by(PointerButton::Primary),
        (false, false) => pointing.response.drag_started_by(PointerButton::Primary),
    };
    if state.hold.is_some() || !begins {
        return;
    }
    // A button that went down and up again in this pass has no place any more where it went down.
    let at = pointing.ui.input(|i| i.pointer.press_origin().or(i.pointer.latest_pos()));
    let Some(at) = at else { return };
    let held = (tool.press)(pointing, at, commands);
    state.hold = held.map(|held| Hold { tool, held, by_key: false, ends: None });
}

/// Follows the pointer with what is held, and ends the drag where it is to end.
fn follow(pointing: &Pointing<'_>, state: &mut PointerState, commands: &mut Vec<Command>) {
    let Some(hold) = &mut state.hold else { return };
    let tool = hold.tool;
    let is_given_up = (!tool.owns_picture || hold.by_key) && pointing.pressed(PointerButton::Secondary);
    let is_done = match hold.by_key {
        true => pointing.pressed(PointerButton::Primary),
        false => pointing.response.drag_stopped() || !pointing.ui.input(|i| i.pointer.primary_down()),
    };
    let ends = if is_given_up { Some(false) } else { hold.ends.or(is_done.then_some(true)) };
    if ends == Some(false) {
        match &hold.held {
            Held::Brush(drag) => commands.push(drag.give_up()),
            _ => commands.push(EditCommand::CancelEdit.into()),
        }
    } else {
        (tool.moved)(pointing, &mut hold.held, commands);
    }
    (tool.paint)(pointing, Some(&hold.held));
    pointing.ui.set_cursor_icon(tool.cursor);
    if let Some(is_kept) = ends
        && let Some(hold) = state.hold.take()
    {
        state.until_released |= !tool.owns_picture;
        if is_kept {
            (tool.release)(pointing, hold.held, commands);
        }
    }
    if tool.owns_picture {
        (tool.wheel)(pointing, commands);
    }
}

/// Does what the pointer does where no tool holds anything: it moves the camera, and clicks.
fn beside(pointing: &Pointing<'_>, tool: &PointerTool, commands: &mut Vec<Command>) {
    if tool.owns_picture {
        camera::drag_of_other_buttons(pointing, commands);
    } else {
        camera::drag(pointing, commands);
    }
    (tool.click)(pointing, commands);
    (tool.wheel)(pointing, commands);
    if tool.owns_picture && pointing.response.contains_pointer() {
        pointing.ui.set_cursor_icon(tool.cursor);
    } else if !tool.owns_picture && pointing.response.dragged() {
        pointing.ui.set_cursor_icon(camera::CAMERA.cursor);
    }
}

/// Says below the switches over the picture which tool has all of it, where a corner of this width has no room for that beside the tools.
pub(super) fn line(ui: &mut Ui, session: &Session, width: f32) {
    let tool = tool_of(session, false);
    if let Some(text) = words(session, tool).filter(|_| is_above(tool, width)) {
        marks::line_over_picture(ui, &text);
    }
}

/// Says which tool has the pointer in the `room` to the right of their buttons, which keep still as one of them is chosen or a brush is taken. The
/// corner in which all of it stands is of this `width`.
pub(super) fn line_beside_tools(ui: &mut Ui, room: Rect, session: &Session, width: f32) {
    let tool = tool_of(session, false);
    let has_room = if tool.owns_picture { !is_above(tool, width) } else { room.width() >= LEAST_LINE };
    if let Some(text) = words(session, tool).filter(|_| has_room) {
        let place = UiBuilder::new().max_rect(room).id_salt(tool.id);
        ui.scope_builder(place, |ui| marks::line_over_picture(ui, &text));
    }
}

/// Whether the line about a tool stands above the buttons of the tools, which it pushes down: that of one that has the whole picture is not left out
/// where the corner is narrow.
fn is_above(tool: &PointerTool, width: f32) -> bool {
    tool.owns_picture && width < LEAST_LINE + MOST_TOOLS
}

/// Returns what the line over the picture says of a tool, where it has one.
fn words(session: &Session, tool: &PointerTool) -> Option<String> {
    let is_said = !tool.hint.is_empty();
    let painting = session.painting();
    // What brushes paint is also what they take, where the brush sets what was taken.
    let sets = painting.brush().is_none_or(|brush| brush.needs.contains(&Need::Value));
    let hint = match (sets, painting.paints_mask()) {
        (false, _) => tool.hint.replace(TAKES, ""),
        (true, true) => tool.hint.replace("the weight", "the mask"),
        (true, false) => tool.hint.to_owned(),
    };
    is_said.then(|| format!("{}{}. {hint}", tool.label, (tool.note)(session)))
}

/// What the line says beside label and hint, of tools that have nothing else to say.
fn no_note(_session: &Session) -> String {
    String::new()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{Model, ModelParts};
    use skinscope_session::{
        Document, MarkCommand, MarkTool, PaintCommand, PaintDrag, PaintSettings, PlaceCommand, VertexDragCommand,
        ViewCommand,
    };

    use super::*;

    fn session() -> Session {
        let mut session = Session::default();
        session.open(Document::new(Arc::new(tube(Tube::default())), vec![], None));
        session
    }

    /// A tube without a skin.
    fn bare_session() -> Session {
        let mut parts: ModelParts = (*tube(Tube::default())).clone();
        parts.skins.clear();
        parts.instances[0].skin = None;
        parts.meshes[0].primitives[0].stored_influences = None;
        let mut session = Session::default();
        session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
        session
    }

    #[test]
    fn ids_are_unique_and_the_last_row_is_the_camera_which_is_always_chosen() {
        let ids: BTreeSet<&str> = POINTER_TOOLS.iter().map(|tool| tool.id).collect();
        assert_eq!(ids.len(), POINTER_TOOLS.len());
        let last = POINTER_TOOLS[POINTER_TOOLS.len() - 1];
        assert_eq!(last.id, "camera");
        assert!((last.is_chosen)(&session()) && (last.is_chosen)(&Session::default()));
    }

    #[test]
    fn every_tool_that_can_be_chosen_has_the_pointer_then() {
        let mut session = session();
        let mut seen = BTreeSet::new();
        for tool in [PoseTool::Select, PoseTool::Move, PoseTool::Turn, PoseTool::Scale, PoseTool::Pull, PoseTool::Look]
        {
            session.apply(ViewCommand::SetPoseTool(tool));
            seen.insert(tool_of(&session, false).id);
        }
        for tool in [MarkTool::Box, MarkTool::Lasso, MarkTool::Circle] {
            session.apply(MarkCommand::Use(Some(tool)));
            seen.insert(tool_of(&session, false).id);
        }
        session.apply(PaintCommand::Hold(Some("add".to_owned())));
        seen.insert(tool_of(&session, false).id);
        let settings = PaintSettings { drag: PaintDrag::Radial, ..PaintSettings::default() };
        session.apply(PaintCommand::Set(settings));
        seen.insert(tool_of(&session, false).id);
        session.apply(PaintCommand::DragVertex(VertexDragCommand::Use(true)));
        seen.insert(tool_of(&session, false).id);
        let mut bare = bare_session();
        bare.apply(PlaceCommand::Use(true));
        seen.insert(tool_of(&bare, false).id);
        // Another one takes the place of that which places joints.
        bare.apply(ViewCommand::SetPoseTool(PoseTool::Turn));
        assert_eq!(tool_of(&bare, false).id, "turn");
        assert_eq!(seen, POINTER_TOOLS.iter().map(|tool| tool.id).collect::<BTreeSet<_>>());
    }

    #[test]
    fn marking_comes_before_a_tool_that_poses_and_the_camera_alone_before_both() {
        let mut session = session();
        session.apply(ViewCommand::SetPoseTool(PoseTool::Pull));
        assert_eq!(tool_of(&session, false).id, "pull");
        session.apply(MarkCommand::Use(Some(MarkTool::Lasso)));
        assert_eq!(tool_of(&session, false).id, "mark-lasso");
        session.apply(PaintCommand::Hold(Some("smooth".to_owned())));
        assert_eq!(tool_of(&session, false).id, "paint");
        session.apply(PaintCommand::Hold(None));
        session.apply(MarkCommand::Use(Some(MarkTool::Lasso)));
        assert_eq!(tool_of(&session, true).id, "camera");
        session.apply(MarkCommand::Use(None));
        assert_eq!(tool_of(&session, false).id, "pull");
    }
}
