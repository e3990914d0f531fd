//! The area of the picture: it turns the mouse into camera moves and selections, and shows the plates in its corners.

use std::ops::Range;

use egui::accesskit::Role;
use egui::{CursorIcon, Popup, PopupCloseBehavior, Rect, Response, Sense, Ui, UiBuilder, WidgetInfo, vec2};
use glam::Vec2;
use skinscope_frame::LOOKS;
use skinscope_inspect::Hit;
use skinscope_session::frame::shown_bounds;
use skinscope_session::{CameraCommand, Command, ComparisonLayout, Session, Submenu, Toggle, ViewCommand};

use super::names::{self, NameCount};
use super::pointer::{self, Pointing};
use super::saved::MouseHabit;
use super::widgets::{INSET, chip, chip_width, describe, plates_of_pass, tip};
use super::{
    Status, UiState, beside, bones, card, clear_part, comparison, context_menu, copied, crowd, ghosts, legend, marks,
    menu, page, placing, status, tour, triad,
};

/// The state of the picture's area.
#[derive(Debug, Default)]
pub(super) struct Viewport {
    /// The vertex under the pointer.
    pub(super) vertex: Option<Hit>,
    /// Whether it is in the second side of a comparison.
    is_second: bool,
    pub(super) pointer: pointer::PointerState,
    /// What the menu of the last right click is about.
    about: context_menu::About,
    /// Whether the buttons that are down move the camera, since Alt was held as they went down.
    is_camera_drag: bool,
}

/// The rectangle in which the picture is drawn, and whether the pointer is over it.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewportArea {
    /// The rectangle in points.
    pub rect: Rect,
    /// A part of it that an opaque plate covers, points; empty where there is none.
    pub opaque: Rect,
    /// Whether the pointer is over it, with no panel, plate or dialog between.
    pub hovered: bool,
    /// Those of the shapes of the window that move with what the picture shows: rings, names, marks.
    pub in_picture: Range<usize>,
}

impl Default for ViewportArea {
    fn default() -> Self {
        Self { rect: Rect::ZERO, opaque: Rect::ZERO, hovered: false, in_picture: 0..0 }
    }
}

/// The width of the corner of the switches below which most of them are in a list, points.
const NARROW: f32 = 300.0;

/// What the picture is.
const ABOUT: &str = "The model in its pose, as the deformation method has it. A drag turns the camera, the wheel comes nearer; a click \
                     selects the bone, or pins the vertex of the skin and selects the joint that moves it most.";

/// Shows everything over the picture, and turns pointer and wheel into commands. Returns the area of the picture.
pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    state: &mut UiState,
    status: &Status,
    commands: &mut Vec<Command>,
) -> ViewportArea {
    let plate_has_legend =
        !state.presents && comparison::shows_legend(session, state.comparison, ui.available_rect_before_wrap().width());
    // A plate that begins to float in this pass was shown beside the picture already.
    let plate_floats = state.comparison.floats();
    if !state.presents {
        comparison::show_panel(ui, session, status, &mut state.comparison, commands);
    }
    let rect = ui.available_rect_before_wrap();
    let scale = ui.pixels_per_point();
    // Side by side, each half is a picture of its own, and both have the same camera.
    let halves =
        session.deforming().comparison().is_some_and(|comparison| comparison.layout == ComparisonLayout::SideBySide);
    let seen = if halves { rect.with_max_x(rect.center().x) } else { rect };
    let pixels = Vec2::new(seen.width(), seen.height()) * scale;
    let pixels = pixels.round().max(Vec2::ONE);
    if rect.is_positive() && pixels != session.view().viewport {
        commands.push(CameraCommand::SetViewport(pixels).into());
    }
    let response = ui.interact(rect, ui.scope_id().with("viewport"), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, "3D view"));
    describe(&response, ABOUT);
    let mut ui = ui.new_child(UiBuilder::new().max_rect(rect));
    ui.set_clip_rect(rect);
    let (mut opaque, mut controls) = (Rect::ZERO, Rect::from_min_size(rect.min, egui::Vec2::ZERO));
    let mut plates = Vec::new();
    let first = shape_count(&ui);
    let mut in_picture = first..first;
    let window = ui.ctx().content_rect().size();
    let names_scale = if state.presents { page::TextSize::of(false, true, window).of_words() } else { 1.0 };
    let above = comparison::above_names(rect, session, names_scale);
    if session.document().is_some() {
        point(&ui, &response, seen, session, state, commands);
        let mut names = None;
        let other = halves.then(|| seen.translate(vec2(seen.width(), 0.0)));
        for picture in [Some(seen), other].into_iter().flatten() {
            let size = ui.ctx().content_rect().size();
            let text = page::TextSize::of(state.saved.large_text, state.presents, size);
            let shown = show_words(&ui, session, picture, text);
            names = names.or(shown);
        }
        page::show_handles(&ui, session, seen, commands);
        in_picture.end = shape_count(&ui);
        if !state.presents {
            // What the pointer is over is described above it.
            let mut corner = ui.new_child(UiBuilder::new().max_rect(rect));
            tour::show(&mut corner, above, session, state, commands);
        }
        // It has a scope of its own, so that the controls after it keep their ids, and the focus, whether or not it is shown.
        let mut corner = ui.new_child(UiBuilder::new().max_rect(rect));
        card::show(&mut corner, above, session, state.viewport.vertex, state.viewport.is_second);
        let mut corner = ui.new_child(UiBuilder::new().max_rect(rect));
        placing::show(&mut corner, above, session, &mut state.placing, commands);
        // The switches are drawn over the line between the sides.
        comparison::show_sides(&mut ui, rect, session, names_scale, commands);
        if !state.presents {
            if plate_floats {
                comparison::show_plate(&mut ui, rect, session, status, &mut state.comparison, commands);
            }
            let shown = toggles(&mut ui, rect, (session, names), state, commands);
            (opaque, controls) = (shown.opaque, shown.whole);
            triad::show(&mut ui, rect, session, commands);
            plates.extend([shown.switches, shown.whole, triad::covered(rect)]);
        }
        if !plate_has_legend {
            plates.extend(show_legend(&mut ui, (above, controls), session, state, commands));
        }
        clear_part::tell(seen, &plates, scale, session, commands);
    } else if status.loading.is_none() {
        status::empty(&mut ui, rect, state, commands);
    }
    status::show(&mut ui, above, status, session.document().is_some(), commands);
    copied::follow_presentation(&ui, state.presents);
    // Short messages stay clear of the messages of the application.
    let is_taken = status.loading.is_some() || status.error.is_some();
    copied::show(&ui, above, if is_taken { 104.0 } else { 0.0 });
    ViewportArea { rect, opaque, hovered: response.hovered(), in_picture }
}

/// Shows the legend in the picture beside the controls (both points). Returns the rectangle of its plate.
fn show_legend(
    ui: &mut Ui,
    (picture, controls): (Rect, Rect),
    session: &Session,
    state: &mut UiState,
    commands: &mut Vec<Command>,
) -> Option<Rect> {
    let before = plates_of_pass(ui.ctx()).len();
    // While sides are compared it is folded until somebody unfolds it, so that it covers none of them.
    let is_compared = session.deforming().comparison().is_some();
    let folded = if is_compared { state.comparison.folds_legend() } else { &mut state.saved.legend_folded };
    legend::show(ui, (picture, controls), session, folded, commands);
    plates_of_pass(ui.ctx()).get(before).copied()
}

/// Returns how many shapes the window itself has so far; they are painted before those of all other layers.
fn shape_count(ui: &Ui) -> usize {
    ui.ctx().graphics(|graphics| graphics.get(ui.layer_id()).map_or(0, |list| list.next_idx().0))
}

/// Handles the pointer over the picture: the tool that has it, and what is under it where no tool has it alone.
fn point(
    ui: &Ui,
    response: &Response,
    seen: Rect,
    session: &Session,
    state: &mut UiState,
    commands: &mut Vec<Command>,
) {
    let is_camera_only = is_camera_only(ui, response, state);
    let pointing = Pointing { ui, response, seen, session, habit: habit(state), is_camera_only };
    if pointer::show(&pointing, &mut state.viewport.pointer, commands) {
        state.viewport.vertex = None;
        return;
    }
    hover(ui, response, seen, session, state);
    if response.secondary_clicked() {
        let vertex = state.viewport.vertex.map(|hit| hit.vertex_ref());
        state.viewport.about = context_menu::About { node: state.hovered, vertex, ..context_menu::About::default() };
        context_menu::begin(state.viewport.about, session, commands);
    }
    context_menu::show(response, state.viewport.about, session, state, commands);
    if response.clicked() && state.viewport.vertex.is_some() {
        state.inspector.show_vertex();
    }
    if !response.dragged() && response.hovered() && state.hovered.is_some() {
        ui.set_cursor_icon(CursorIcon::PointingHand);
    }
}

/// Shows the names of joints and the words of an example over the rectangle of a picture. Returns how many names there are.
fn show_words(ui: &Ui, session: &Session, picture: Rect, text: page::TextSize) -> Option<NameCount> {
    let projector = session.view().projector();
    let shows_names = session.view().is_on(Toggle::Names);
    let count = if shows_names { names::show(ui, session, picture, &projector) } else { None };
    ghosts::show(ui, session, picture);
    beside::show_names(ui, session, picture, &projector);
    page::show_marks(ui, session, &projector, picture, text);
    count
}

/// Returns whether the pointer moves the camera and nothing else: with the mouse of Maya, while Alt is held, and until the buttons are
/// released that went down then.
fn is_camera_only(ui: &Ui, response: &Response, state: &mut UiState) -> bool {
    let is_maya = habit(state) == MouseHabit::Maya;
    let (alt, pressed, down) =
        ui.input(|i| (i.modifiers.alt && is_maya, i.pointer.any_pressed(), i.pointer.any_down()));
    let begins = alt && pressed && response.contains_pointer();
    // The frame that releases the button still belongs to the drag.
    let goes_on = state.viewport.is_camera_drag && (down || response.drag_stopped());
    state.viewport.is_camera_drag = begins || goes_on;
    state.viewport.is_camera_drag || alt && !down
}

/// Returns what the mouse does. With the keys of Maya the usual mouse is that of Maya too.
fn habit(state: &UiState) -> MouseHabit {
    if state.saved.maya_keys && state.saved.mouse == MouseHabit::Skinscope {
        MouseHabit::Maya
    } else {
        state.saved.mouse
    }
}

/// Looks up what a click would select: a bone, or the vertex of the skin and the joint that moves it most. It does so
/// in every frame while something moves, or while the skin may lie elsewhere than before.
fn hover(ui: &Ui, response: &Response, rect: Rect, session: &Session, state: &mut UiState) {
    let pointer = response.hover_pos().filter(|_| !response.dragged());
    let viewport = &mut state.viewport;
    viewport.vertex = None;
    let Some(at) = pointer else { return };
    let pixel = pointer::from_corner(at, rect) * ui.pixels_per_point();
    let bone = if pointer::ignores_bones(ui) { None } else { session.bones().bone_at(pixel) };
    if bone.is_none() {
        viewport.vertex = session.picking().vertex_near_at_hand(pixel);
        viewport.is_second = session.deforming().is_second_at(pixel);
    }
    state.hovered = bone.or_else(|| session.picking().mover(viewport.vertex?));
}

/// The controls in the upper left corner of the picture, points.
struct Corner {
    /// A rectangle that an opaque plate covers.
    opaque: Rect,
    /// The switches.
    switches: Rect,
    /// The tools and what belongs to them, below the switches.
    whole: Rect,
}

/// Shows what can be switched on and off over the picture, and the tools.
fn toggles(
    ui: &mut Ui,
    rect: Rect,
    (session, names): (&Session, Option<NameCount>),
    state: &UiState,
    commands: &mut Vec<Command>,
) -> Corner {
    let corner = Rect::from_min_size(rect.min + vec2(INSET, 14.0), vec2(rect.width() - 2.0 * INSET - 96.0, 60.0));
    ui.scope_builder(UiBuilder::new().max_rect(corner), |ui| {
        ui.spacing_mut().item_spacing.y = 8.0;
        let row = ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(8.0, 8.0);
            let mut all = vec![
                ("Bones", Toggle::Bones),
                ("Axes", Toggle::Axes),
                ("Names", Toggle::Names),
                ("Grid", Toggle::Grid),
                ("Wireframe", Toggle::Wireframe),
                ("Mesh", Toggle::Mesh),
                ("Dots", Toggle::Vertices),
            ];
            if session.view().selected.is_some() || session.view().is_on(Toggle::InfluencedOnly) {
                all.push(("Influenced only", Toggle::InfluencedOnly));
            }
            if session.unsaved().has_unsaved_skinning() || session.view().is_on(Toggle::Stored) {
                // Where another file is compared it is what this shows.
                all.push((
                    session.deforming().compared_file().map_or("As stored", |_| "As in the other file"),
                    Toggle::Stored,
                ));
            }
            let (bones, others) = all.split_at(1);
            switches(ui, bones, session, state, commands);
            let room = corner.right() - ui.cursor().left();
            let count = if corner.width() >= NARROW { fitting(ui, others, room) } else { 0 };
            let (in_row, others) = others.split_at(count);
            switches(ui, in_row, session, state, commands);
            if !others.is_empty() {
                // In a second row they would push the tools down, and leave the legend no room.
                let shown = chip(ui, "Show", false).on_hover_text("What else is drawn over the skin");
                let menu = Popup::menu(&shown).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
                menu.show(|ui| switches(ui, others, session, state, commands));
            }
            look(ui, session, state, commands);
            crowd::line(ui, session);
            pointer::line(ui, session, corner.width());
            notes(ui, session, names);
        });
        let tools = ui.scope(|ui| pointer::show_tools(ui, session, commands));
        let place = tools.response.rect;
        let room = Rect::from_min_max(place.right_top() + vec2(8.0, 0.0), corner.with_max_y(rect.bottom()).max);
        pointer::line_beside_tools(ui, room, session, corner.width());
        Corner { opaque: tools.inner, switches: row.response.rect, whole: place }
    })
    .inner
}

/// Returns how many switches fit into `room` points beside each other, with the list of the others where some do not.
fn fitting(ui: &Ui, rows: &[(&str, Toggle)], room: f32) -> usize {
    // Each has a gap after it but the last one; a point is left for rounding.
    let ends = |room: f32| {
        let ends = rows.iter().scan(0.0_f32, |end, (label, _)| {
            *end += chip_width(ui, label) + 8.0;
            Some(*end)
        });
        ends.take_while(|end| *end - 8.0 + 1.0 <= room).count()
    };
    if ends(room) == rows.len() { rows.len() } else { ends(room - chip_width(ui, "Show") - 8.0) }
}

/// Shows switches of the view; beside that of the bones the list of how they look.
fn switches(ui: &mut Ui, rows: &[(&str, Toggle)], session: &Session, state: &UiState, commands: &mut Vec<Command>) {
    for (label, toggle) in rows {
        let command = Command::View(ViewCommand::Toggle(*toggle));
        if chip(ui, label, session.view().is_on(*toggle)).on_hover_text(tip(&command)).clicked() {
            commands.push(command);
        }
        if *toggle == Toggle::Bones {
            // Both are one control of two parts.
            ui.add_space(-6.0);
            let help = "How bones look, and how opaque the skin is";
            bones::caret(ui, "Bones and skin", help, |ui| menu::bones_and_skin(ui, session, state, commands));
        }
    }
}

/// Says what is to be known of what is drawn over the surface.
fn notes(ui: &mut Ui, session: &Session, names: Option<NameCount>) {
    if let Some(note) = names.and_then(NameCount::note) {
        marks::line_over_picture(ui, &note);
    }
    for shown in shown_bounds(session.surfaces()) {
        marks::line_over_picture(ui, &shown.note());
    }
    if let Some(note) = session.picking().tangents_note() {
        marks::line_over_picture(ui, note);
    }
    if let Some(note) = session.picking().texel_density_note() {
        marks::line_over_picture(ui, &note);
    }
}

/// Shows which look the surface is drawn in, where it is not the studio, and beside *Environment* the controls of its surroundings.
fn look(ui: &mut Ui, session: &Session, state: &UiState, commands: &mut Vec<Command>) {
    let look = session.view().look;
    let studio = &LOOKS[0];
    if look == studio || session.view().overlay.is_some() {
        return;
    }
    let help = format!("{}. A click goes back to {}", look.help, studio.label);
    if chip(ui, look.label, true).on_hover_text(help).clicked() {
        commands.push(ViewCommand::SetLook(studio.id).into());
    }
    if look.is_environment() {
        ui.add_space(-6.0);
        let rows = Submenu::Environment;
        bones::caret(ui, rows.title(), rows.help(), |ui| menu::surroundings(ui, session, state, commands));
    }
}
