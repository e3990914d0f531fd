//! Paints the gizmo over the picture, and turns pointer and keys into drags of it.

mod limbs;

use egui::accesskit::Role;
use egui::{
    Align2, Color32, Context, CursorIcon, Event, Key, Painter, PointerButton, Rect, Response, Sense, Shape, Stroke, Ui,
    WidgetInfo, pos2, vec2,
};
use glam::Vec2;
use skinscope_session::{
    Command, Drag, EditCommand, Gizmo, Handle, HandleShape, Orientation, PoseTool, Pull, SelectionCommand, Session,
    Snap, ViewCommand, row_of,
};

use super::rules;
use super::theme::{self, BODY, SMALL, colors};
use super::widgets::{focus_ring, paint_line, paint_switch, press, tip};

/// The state of the gizmo that pointer and keys change.
#[derive(Debug, Default)]
pub(super) struct GizmoState {
    drag: Option<ActiveDrag>,
    /// The pull of a bone or of the skin that is under way.
    pull: Option<Pull>,
    /// The drag of the gaze of a joint or of a pole that is under way.
    limbs: limbs::LimbDrags,
    /// The tool whose key was pressed: its drag begins where the pointer is.
    asked: Option<PoseTool>,
    hovered: Option<Handle>,
    /// Whether a drag ended while a button was still down: until it is released, the pointer does nothing else.
    until_released: bool,
}

/// A drag under way.
#[derive(Debug)]
struct ActiveDrag {
    drag: Drag,
    /// Whether it was begun by a key. It then follows the pointer without a button until a click.
    by_key: bool,
    /// Where the pointer was last, in pixels from the viewport's top left.
    at: Vec2,
    /// The last value in words.
    label: String,
    /// Whether it is to end: applied (`true`) or cancelled (`false`).
    ends: Option<bool>,
}

impl GizmoState {
    /// Asks for a drag of the selected node with a tool, because its key was pressed.
    pub(super) fn ask(&mut self, tool: PoseTool) {
        if self.drag.is_none() {
            self.asked = Some(tool);
        }
    }

    /// Returns whether a drag that a key began follows the pointer.
    pub(super) fn is_by_key(&self) -> bool {
        self.drag.as_ref().is_some_and(|active| active.by_key)
    }

    /// Gives up the drag that is under way. What it has changed is given back by who asks for this.
    pub(super) fn give_up(&mut self) {
        let is_on = self.drag.is_some() || self.pull.is_some() || self.limbs.is_active();
        (self.drag, self.pull, self.limbs) = (None, None, limbs::LimbDrags::default());
        self.until_released |= is_on;
    }

    /// Takes the keys of a pass for the drag that is under way: numbers, axes, and keys that end it. Other keys are
    /// swallowed, so that none of them does something else during the drag.
    pub(super) fn take_keys(&mut self, ctx: &Context) {
        let Some(active) = &mut self.drag else { return };
        ctx.input_mut(|i| {
            i.events.retain(|event| {
                match event {
                    Event::Text(text) => text.chars().for_each(|c| {
                        active.drag.type_char(c);
                    }),
                    Event::Key { key, pressed: true, modifiers, .. } => active.key(*key, modifiers.shift),
                    Event::Key { .. } | Event::Paste(_) | Event::Copy | Event::Cut => {}
                    _ => return true,
                }
                false
            });
        });
    }
}

impl ActiveDrag {
    fn key(&mut self, key: Key, shift: bool) {
        match key {
            Key::Escape => self.ends = Some(false),
            Key::Enter | Key::Space => self.ends = Some(true),
            Key::Backspace => {
                self.drag.erase_char();
            }
            Key::X => self.constrain(0, shift),
            Key::Y => self.constrain(1, shift),
            Key::Z => self.constrain(2, shift),
            _ => {}
        }
    }

    /// Constrains the drag to an axis: to that of the world at first, with the same key again to the node's own, and
    /// with it a third time to none. With `shift`, a move is constrained to the plane across the axis instead.
    fn constrain(&mut self, axis: usize, shift: bool) {
        let drag = &mut self.drag;
        let can_be_plane = drag.gizmo().tool == PoseTool::Move;
        let handle = if shift && can_be_plane { Handle::Plane(axis) } else { Handle::Axis(axis) };
        if drag.handle() != handle {
            drag.constrain(handle, Orientation::World);
        } else if drag.orientation() == Orientation::World {
            drag.constrain(handle, Orientation::Local);
        } else {
            drag.constrain(Handle::View, Orientation::World);
        }
    }
}

/// Shows the gizmo and drags it, but begins no drag where the pointer is only for the camera (`is_camera`). Returns true where the gizmo
/// has the pointer, which then neither turns the camera nor selects.
pub(super) fn show(
    ui: &Ui,
    response: &Response,
    rect: Rect,
    session: &Session,
    (state, is_camera): (&mut GizmoState, bool),
    commands: &mut Vec<Command>,
) -> bool {
    let scale = ui.pixels_per_point();
    let pixel = |at: egui::Pos2| Vec2::new(at.x - rect.min.x, at.y - rect.min.y) * scale;
    let point = |at: Vec2| rect.min + vec2(at.x, at.y) / scale;
    if rules::paint(ui, session, rect, &point, commands) {
        return true;
    }
    let selected = session.view().selected;
    if state.drag.as_ref().is_some_and(|active| Some(active.drag.gizmo().node) != selected) {
        state.drag = None;
        commands.push(EditCommand::EndEdit.into());
    }
    let picture = limbs::Picture { pixel: &pixel, point: &point };
    if (!is_camera || state.limbs.is_active()) && limbs::drag(ui, response, session, state, &picture, commands) {
        return true;
    }
    if (!is_camera || state.pull.is_some()) && pull(ui, response, session, state, &pixel, commands) {
        return true;
    }
    if !is_camera {
        begin(ui, response, session, state, &pixel);
    }
    let owns = state.drag.is_some() || state.until_released;
    if state.until_released && !ui.input(|i| i.pointer.any_down()) {
        state.until_released = false;
    }
    if let Some(active) = &mut state.drag {
        follow(ui, response, active, &pixel, commands);
        paint_drag(ui, session, active, &point, rect);
        if active.ends.is_some() {
            state.drag = None;
            state.until_released = true;
        }
        ui.set_cursor_icon(CursorIcon::Grabbing);
        return true;
    }
    let Some(gizmo) = session.gizmos().gizmo(scale) else {
        state.hovered = None;
        return owns;
    };
    let hover = response.hover_pos().filter(|_| !is_camera && !ui.input(|i| i.pointer.any_down()));
    state.hovered = hover.and_then(|at| gizmo.handle_at(pixel(at)));
    let shapes = gizmo.shapes();
    for shape in &shapes {
        paint_shape(ui.painter(), &gizmo, shape, state.hovered == Some(shape.handle), &point, ui);
        announce(ui, &gizmo, shape, &point, rect);
    }
    if state.hovered.is_some() {
        ui.set_cursor_icon(CursorIcon::Grab);
    }
    owns
}

/// Pulls what the button went down on, with the tool for pulling. Returns true while that goes on.
fn pull(
    ui: &Ui,
    response: &Response,
    session: &Session,
    state: &mut GizmoState,
    pixel: &dyn Fn(egui::Pos2) -> Vec2,
    commands: &mut Vec<Command>,
) -> bool {
    if session.view().pose_tool == PoseTool::Pull && response.drag_started_by(PointerButton::Primary) {
        let at = ui.input(|i| i.pointer.press_origin()).map(pixel);
        state.pull = at.and_then(|at| session.gizmos().begin_pull(at));
        if let Some(pull) = &state.pull {
            commands.push(SelectionCommand::Select(Some(pull.joint())).into());
        }
    }
    let Some(pull) = &state.pull else { return false };
    ui.set_cursor_icon(CursorIcon::Grabbing);
    if ui.input(|i| i.pointer.button_pressed(PointerButton::Secondary)) {
        commands.push(EditCommand::CancelEdit.into());
        state.pull = None;
        state.until_released = true;
        return true;
    }
    let at = ui.input(|i| i.pointer.latest_pos()).map(pixel);
    commands.extend(at.and_then(|at| session.gizmos().pull_to(pull, at)).map(Command::Edit));
    if response.drag_stopped() || !ui.input(|i| i.pointer.primary_down()) {
        commands.push(EditCommand::EndEdit.into());
        state.pull = None;
    }
    true
}

/// Begins a drag: of the handle that the button went down on, or where the pointer is because a key asked for it.
fn begin(ui: &Ui, response: &Response, session: &Session, state: &mut GizmoState, pixel: &dyn Fn(egui::Pos2) -> Vec2) {
    let scale = ui.pixels_per_point();
    if let Some(tool) = state.asked.take() {
        let from = if tool == PoseTool::Scale { Orientation::Local } else { Orientation::World };
        let gizmo = session.gizmos().gizmo_of(tool, from, scale);
        let at = ui.input(|i| i.pointer.latest_pos()).unwrap_or(response.rect.center());
        let drag = gizmo.and_then(|gizmo| session.gizmos().begin_drag(gizmo, Handle::View, from, pixel(at)));
        state.drag =
            drag.map(|drag| ActiveDrag { drag, by_key: true, at: pixel(at), label: String::new(), ends: None });
    }
    if state.drag.is_some() || !response.drag_started_by(PointerButton::Primary) {
        return;
    }
    let Some(at) = ui.input(|i| i.pointer.press_origin()).map(pixel) else { return };
    let Some(gizmo) = session.gizmos().gizmo(scale) else { return };
    let Some(handle) = gizmo.handle_at(at) else { return };
    let drag = session.gizmos().begin_drag(gizmo, handle, session.view().orientation, at);
    state.drag = drag.map(|drag| ActiveDrag { drag, by_key: false, at, label: String::new(), ends: None });
}

/// Applies the pointer's position to the pose, and ends the drag where it is to end.
fn follow(
    ui: &Ui,
    response: &Response,
    active: &mut ActiveDrag,
    pixel: &dyn Fn(egui::Pos2) -> Vec2,
    commands: &mut Vec<Command>,
) {
    if let Some(at) = ui.input(|i| i.pointer.latest_pos()) {
        active.at = pixel(at);
    }
    let snap = ui.input(|i| match (i.modifiers.command, i.modifiers.shift) {
        (false, _) => Snap::Off,
        (true, false) => Snap::Fine,
        (true, true) => Snap::Coarse,
    });
    let value = active.drag.to(active.at, snap);
    active.label = value.label;
    if ui.input(|i| i.pointer.button_pressed(PointerButton::Secondary)) {
        active.ends = Some(false);
    }
    let done = if active.by_key {
        ui.input(|i| i.pointer.button_pressed(PointerButton::Primary))
    } else {
        response.drag_stopped() || !ui.input(|i| i.pointer.primary_down())
    };
    if done && active.ends.is_none() {
        active.ends = Some(true);
    }
    if active.ends == Some(false) {
        commands.push(EditCommand::CancelEdit.into());
        return;
    }
    commands.push(EditCommand::Edit(active.drag.gizmo().node, value.value).into());
    if active.ends == Some(true) {
        commands.push(EditCommand::EndEdit.into());
    }
}

fn color_of(handle: Handle, ui: &Ui) -> Color32 {
    let c = colors(ui);
    match handle {
        Handle::Axis(i) | Handle::Plane(i) => c.axes[i],
        Handle::View | Handle::Free => c.text,
    }
}

fn paint_shape(
    painter: &Painter,
    gizmo: &Gizmo,
    shape: &HandleShape,
    hovered: bool,
    point: &dyn Fn(Vec2) -> egui::Pos2,
    ui: &Ui,
) {
    let own = color_of(shape.handle, ui);
    let c = colors(ui);
    let width = if hovered { 3.5 } else { 2.25 };
    let color = if hovered { own.lerp_to_gamma(c.text, 0.45) } else { own };
    let area: Vec<_> = shape.area.iter().map(|p| point(*p)).collect();
    // Large filled areas let the skin show through.
    let opacity = match (shape.handle, gizmo.tool, hovered) {
        (Handle::Free, _, false) => 0.0,
        (Handle::Free, _, true) => 0.18,
        (Handle::Plane(_), _, false) => 0.45,
        (Handle::View, _, false) => 0.7,
        _ => 1.0,
    };
    if area.len() > 2 && opacity > 0.0 {
        painter.add(Shape::convex_polygon(area, color.gamma_multiply(opacity), Stroke::NONE));
    }
    for line in &shape.lines {
        let points: Vec<_> = line.iter().map(|p| point(*p)).collect();
        let color = if shape.handle == Handle::View && !hovered { color.gamma_multiply(0.55) } else { color };
        // A dark edge below thin lines sets them off from any skin.
        painter.add(Shape::line(points.clone(), Stroke::new(width + 2.0, Color32::from_black_alpha(70))));
        painter.add(Shape::line(points, Stroke::new(width, color)));
    }
}

/// Gives a handle a name for screen readers, and for tests that look for its position.
fn announce(ui: &Ui, gizmo: &Gizmo, shape: &HandleShape, point: &dyn Fn(Vec2) -> egui::Pos2, rect: Rect) {
    let line = shape.lines.iter().max_by_key(|line| line.len());
    let at = match line {
        Some(line) if line.len() > 2 => line[line.len() / 2],
        Some(line) => line[0].lerp(line[1], 0.85),
        None => shape.area.iter().copied().sum::<Vec2>() / shape.area.len().max(1) as f32,
    };
    let at = point(at);
    if !rect.contains(at) {
        return;
    }
    let verb = match gizmo.tool {
        PoseTool::Move => "Move",
        PoseTool::Scale => "Scale",
        PoseTool::Select | PoseTool::Turn | PoseTool::Pull | PoseTool::Look => "Turn",
    };
    let way = match (shape.handle, gizmo.tool) {
        (Handle::Axis(i), PoseTool::Turn) => format!("about {}", ["X", "Y", "Z"][i]),
        (Handle::Axis(i), _) => format!("along {}", ["X", "Y", "Z"][i]),
        (Handle::Plane(i), _) => format!("along {}", ["Y and Z", "Z and X", "X and Y"][i]),
        (Handle::View, PoseTool::Turn) => "about the line of sight".to_owned(),
        (Handle::View, PoseTool::Scale) => "along all axes".to_owned(),
        (Handle::View, _) => "in the plane of the picture".to_owned(),
        (Handle::Free, _) => "freely".to_owned(),
    };
    let mark = Rect::from_center_size(at, vec2(4.0, 4.0));
    let response = ui.interact(mark, ui.scope_id().with(("gizmo", &way)), Sense::empty());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{verb} {way}")));
}

/// Paints the line that a node is moved along or the angle that it is turned by, and a plate with the number.
fn paint_drag(ui: &Ui, session: &Session, active: &ActiveDrag, point: &dyn Fn(Vec2) -> egui::Pos2, rect: Rect) {
    let drag = &active.drag;
    let painter = ui.painter();
    let c = colors(ui);
    let handle = drag.handle();
    let tool = drag.gizmo().tool;
    let axes: &[usize] = match handle {
        Handle::Axis(0) => &[0],
        Handle::Axis(1) => &[1],
        Handle::Axis(_) => &[2],
        Handle::Plane(0) => &[1, 2],
        Handle::Plane(1) => &[2, 0],
        Handle::Plane(_) => &[0, 1],
        Handle::View | Handle::Free => &[],
    };
    for i in axes {
        if let Some([a, b]) = drag.gizmo().axis_line(*i) {
            painter.line_segment([point(a), point(b)], Stroke::new(1.5, c.axes[*i].gamma_multiply(0.8)));
        }
    }
    if tool == PoseTool::Turn
        && let Some(shape) = drag.gizmo().shapes().iter().find(|s| s.handle == handle)
    {
        paint_shape(painter, drag.gizmo(), shape, true, point, ui);
    }
    let middle = drag.gizmo().middle().map(point);
    if let Some(middle) = middle.filter(|_| matches!(handle, Handle::View | Handle::Axis(_)) && tool != PoseTool::Move)
    {
        let to = point(active.at);
        painter.add(Shape::dashed_line(&[middle, to], Stroke::new(1.0, c.dim), 4.0, 4.0));
    }
    let name = session.model().map_or("", |m| m.skeleton.names[drag.gizmo().node.index()].as_str());
    let label = painter.layout_no_wrap(active.label.clone(), theme::strong(BODY), c.text);
    let under = painter.layout_no_wrap(
        format!("{name}  ·  X Y Z axis  ·  Ctrl snaps  ·  type a number  ·  Esc gives up"),
        theme::regular(SMALL),
        c.dim,
    );
    let size = vec2(label.size().x.max(under.size().x) + 20.0, 44.0);
    let at = pos2(rect.center().x - 0.5 * size.x, rect.bottom() - size.y - 16.0);
    let plate = Rect::from_min_size(at, size);
    painter.rect_filled(plate, theme::RADIUS, c.plate);
    let heading = Align2::CENTER_TOP.align_size_within_rect(label.size(), plate.shrink2(vec2(0.0, 6.0)));
    painter.galley(heading.min, label, c.text);
    let foot = Align2::CENTER_BOTTOM.align_size_within_rect(under.size(), plate.shrink2(vec2(0.0, 6.0)));
    painter.galley(foot.min, under, c.dim);
    let info = ui.interact(plate, ui.scope_id().with("gizmo figure"), Sense::empty());
    info.widget_info(|| WidgetInfo::labeled(Role::Status, true, &active.label));
}

/// Shows the choice of the tool and of its axes. Returns the rectangle that the plate of the tools covers.
pub(super) fn tools(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) -> Rect {
    let view = session.view();
    let tools = [
        ("Camera", PoseTool::Select),
        ("Move", PoseTool::Move),
        ("Turn", PoseTool::Turn),
        ("Scale", PoseTool::Scale),
        ("Pull", PoseTool::Pull),
        ("Look", PoseTool::Look),
    ];
    let choices = tools.map(|(text, tool)| (text, view.pose_tool == tool, ViewCommand::SetPoseTool(tool).into()));
    if !is_low(ui) {
        let covered = column(ui, &choices, commands);
        settings(ui, session, commands);
        return covered;
    }
    // A low picture has no room for all of it below each other.
    let both = ui.horizontal_top(|ui| {
        let covered = ui.vertical(|ui| column(ui, &choices, commands)).inner;
        ui.vertical(|ui| settings(ui, session, commands));
        covered
    });
    both.inner
}

/// Returns whether the picture is lower than the tools and their settings.
fn is_low(ui: &Ui) -> bool {
    ui.clip_rect().height() < 440.0
}

/// Shows what belongs to the chosen tool.
fn settings(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let view = session.view();
    if view.selected.is_some() && matches!(view.pose_tool, PoseTool::Move | PoseTool::Turn) {
        axes(ui, session, commands);
    }
    if view.pose_tool == PoseTool::Pull {
        limbs::settings(ui, session, commands);
    }
    rules::symmetric(ui, session, commands);
}

/// Leaves room above settings that stand below the tools.
fn space(ui: &mut Ui) {
    if !is_low(ui) {
        ui.add_space(8.0);
    }
}

/// Shows the choice of the axes of tools.
fn axes(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let view = session.view();
    space(ui);
    let axes = [("Local", Orientation::Local), ("Parent", Orientation::Parent), ("World", Orientation::World)];
    let choices = axes.map(|(text, axes)| (text, view.orientation == axes, ViewCommand::SetOrientation(axes).into()));
    column(ui, &choices, commands);
}

/// Shows a choice of one among few, one below the other, each with whether it is chosen. Name and tooltip are those of
/// its command. Returns the rectangle that its plate covers: all but its edges, which are smooth, and its round corners.
fn column(ui: &mut Ui, choices: &[(&str, bool, Command)], commands: &mut Vec<Command>) -> Rect {
    let c = colors(ui);
    ui.spacing_mut().item_spacing.y = 0.0;
    let size = vec2(68.0, if is_low(ui) { theme::ROW - 4.0 } else { theme::ROW });
    let well = Rect::from_min_size(ui.cursor().min, vec2(size.x, size.y * choices.len() as f32));
    let plate = theme::opaque(c.plate);
    ui.painter().rect_filled(well, theme::RADIUS, plate);
    for (text, on, command) in choices {
        let (rect, response) = press(ui, size, row_of(command).map_or(text, |row| row.label), Some(*on));
        let ink = if *on { c.text } else { c.dim };
        if *on || response.hovered() {
            paint_switch(ui, rect, *on, response.hovered(), plate);
        }
        let galley = ui.painter().layout_no_wrap((*text).to_owned(), theme::regular(12.0), ink);
        paint_line(ui, galley, rect.left() + 9.0, rect.center().y, ink);
        focus_ring(ui, rect, &response);
        if response.on_hover_text(tip(command)).clicked() && !on {
            commands.push(command.clone());
        }
    }
    well.shrink2(vec2(1.0, f32::from(theme::RADIUS)))
}
