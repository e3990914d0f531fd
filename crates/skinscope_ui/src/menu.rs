//! The menu bar: menus from the table of commands, the name of the open file, what colours the surface, and how it is
//! deformed.

use egui::accesskit::Role;
use egui::containers::menu::{MenuConfig, SubMenu};
use egui::{
    Align, Align2, Color32, CornerRadius, Frame, Layout, Margin, PopupCloseBehavior, Rect, Response, RichText, Sense,
    Ui, WidgetInfo, pos2, vec2,
};
use skinscope_deform::{Deformer, METHODS, Method};
use skinscope_session::{
    Antialiasing, COMMANDS, CameraCommand, Command, CommandRow, FileCommand, Menu, Session, Shortcut, Submenu,
    ViewCommand, WindowCommand, refusal,
};

use super::menu_scroll::{scrolled, scrolled_beside};
use super::menu_state::is_on;
use super::menu_surface::{LIST_WIDTH, SURFACE_WIDTH, surface, surface_list};
use super::theme::{self, BODY, ROW, colors};
use super::tour::Named;
use super::widgets::{counted, describe, focus_ring, paint_line, scaled_drop_down, segments, shortened};
use super::{UiState, bones, crowd, deformation, environment, icons, recent};

/// The menus, each with what its rows do.
const MENUS: [(Menu, &str, &str); 9] = [
    (Menu::File, "File", "Open, save and export models, sessions and poses"),
    (Menu::Edit, "Edit", "Undo, selection, search and preferences"),
    (Menu::Pose, "Pose", "Pose joints, and make keys of poses"),
    (Menu::View, "View", "What is drawn, from where, and which panels are shown"),
    (Menu::Look, "Look", "How surfaces are drawn that no overlay colours"),
    (Menu::Overlay, "Overlay", "What colours the skin: weights, measures of the pose, comparisons"),
    (Menu::Tools, "Tools", "Change weights and binds, and mark vertices"),
    (Menu::Playback, "Playback", "Play clips and walk through them"),
    (Menu::Help, "Help", "Keys, the manual, first steps and what a report of a bug needs"),
];

/// The most cameras that the View menu names.
const MOST_CAMERAS: usize = 12;

/// Bars less wide than this leave out the program's name, which the title of the window has too, points.
const NAME_WIDTH: f32 = 1400.0;
/// The room that the name of the open file has beside the choice of surface, points.
const FILE_WIDTH: f32 = 96.0;

/// Bars less wide than these have their menus closer together, points.
const NARROW_WIDTH: f32 = 700.0;
const WIDE_WIDTH: f32 = 1240.0;

pub(super) fn show(ui: &mut Ui, session: &Session, state: &UiState, commands: &mut Vec<Command>) {
    let c = colors(ui);
    let frame = Frame::NONE.fill(c.panel).inner_margin(Margin::symmetric(theme::MARGIN, 6));
    egui::Panel::top("menu").frame(frame).exact_size(38.0).show(ui, |ui| {
        egui::MenuBar::new().ui(ui, |ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            let padding = match ui.available_width() {
                width if width < NARROW_WIDTH => 4.0,
                width if width < WIDE_WIDTH => 6.0,
                _ => 8.0,
            };
            ui.spacing_mut().button_padding = vec2(padding, 3.0);
            // The menus come first.
            if ui.available_width() >= NAME_WIDTH {
                ui.label(RichText::new("Skinscope").font(theme::strong(14.0)));
                ui.add_space(8.0);
            }
            for (menu, title, help) in MENUS {
                let button = ui.menu_button(title, |ui| list(ui, menu, session, state, commands));
                describe(&button.response, help);
                if menu == Menu::Overlay {
                    Named::Overlays.is_at(ui, button.response.rect);
                }
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                // The bar's own buttons have no frame; these do.
                ui.reset_style();
                ui.spacing_mut().item_spacing.x = 12.0;
                deformation::caret(ui, session, commands);
                ui.spacing_mut().item_spacing.x = 4.0;
                method(ui, session, 1.0, commands);
                ui.spacing_mut().item_spacing.x = 12.0;
                // In a narrow window the menus come first, and the name of the file: these controls are in the Overlay menu too.
                if ui.available_width() >= SURFACE_WIDTH + FILE_WIDTH {
                    surface(ui, session, commands);
                } else if ui.available_width() >= LIST_WIDTH {
                    surface_list(ui, session, commands);
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| open_file(ui, session));
            });
        });
    });
}

fn list(ui: &mut Ui, menu: Menu, session: &Session, state: &UiState, commands: &mut Vec<Command>) {
    scrolled(ui, 252.0, |ui| {
        let mut inside = None;
        for row in COMMANDS.iter().filter(|row| row.menu == menu) {
            let now = row.submenu;
            match now {
                Some(submenu) if now != inside => submenu_item(ui, submenu, session, state, commands),
                Some(_) => {}
                None => {
                    if row.starts_group {
                        line(ui);
                    }
                    command_item(ui, row, session, state, commands);
                    if row.command == Command::File(FileCommand::OpenDialog) {
                        recent_files(ui, state, commands);
                    }
                }
            }
            inside = now;
        }
    });
}

/// Shows the row that opens a submenu, and the submenu.
fn submenu_item(ui: &mut Ui, submenu: Submenu, session: &Session, state: &UiState, commands: &mut Vec<Command>) {
    if COMMANDS.iter().find(|row| row.submenu == Some(submenu)).is_some_and(|first| first.starts_group) {
        line(ui);
    }
    let response = item(ui, submenu.title(), RowSuffix::Submenu(chosen(submenu, session, state)), None);
    describe(&response, submenu.help());
    let has_cameras = submenu == Submenu::Views && session.model().is_some_and(|m| !m.camera_nodes.is_empty());
    // Names of cameras come from the file, and may be long.
    let width = match submenu {
        Submenu::Environment => SURROUNDINGS_WIDTH,
        _ if has_cameras => 340.0,
        _ => 252.0,
    };
    // A click on a slider or a number closes nothing.
    let stays = matches!(
        submenu,
        Submenu::Bones
            | Submenu::Crowd
            | Submenu::Environment
            | Submenu::Directions
            | Submenu::Motion
            | Submenu::Bounds
    );
    let closes = if stays { PopupCloseBehavior::CloseOnClickOutside } else { PopupCloseBehavior::CloseOnClick };
    SubMenu::new().config(MenuConfig::new().close_behavior(closes)).show(ui, &response, |ui| {
        scrolled_beside(ui, width, |ui| {
            let before = commands.len();
            rows_of(ui, submenu, session, state, commands);
            if commands.len() > before {
                ui.close();
            }
            match submenu {
                Submenu::Bones => bones::sliders(ui, session, commands),
                Submenu::Views => cameras(ui, session, commands),
                Submenu::Crowd => crowd::field(ui, session, commands),
                Submenu::Layout => own_layouts(ui, state, commands),
                Submenu::Environment => environment::controls(ui, session, commands),
                Submenu::Examples
                | Submenu::Beside
                | Submenu::Lights
                | Submenu::Matcaps
                | Submenu::SurfaceData
                | Submenu::ToneMap
                | Submenu::Subdivision
                | Submenu::Panels
                | Submenu::PoseTools
                | Submenu::Marks
                | Submenu::Brushes
                | Submenu::Binding
                | Submenu::ChangeOverlays
                | Submenu::LayerOverlays
                | Submenu::Directions
                | Submenu::Motion
                | Submenu::Bounds => {}
            }
        });
    });
    if submenu == Submenu::Lights {
        antialiasing(ui, session, commands);
        deformer(ui, session, commands);
    }
}

/// Returns the label of the row that is chosen in a submenu of alternatives.
fn chosen(submenu: Submenu, session: &Session, state: &UiState) -> Option<&'static str> {
    let has_alternatives = matches!(submenu, Submenu::Matcaps | Submenu::SurfaceData | Submenu::ToneMap);
    let mut rows = COMMANDS.iter().filter(|row| has_alternatives && row.submenu == Some(submenu));
    rows.find(|row| is_on(&row.command, session, state) == Some(true)).map(|row| row.label)
}

/// Shows the layouts that the user has saved.
fn own_layouts(ui: &mut Ui, state: &UiState, commands: &mut Vec<Command>) {
    for (i, layout) in state.saved.layouts.iter().enumerate() {
        if i == 0 {
            line(ui);
        }
        let on = state.saved.layout_name == layout.name;
        if item(ui, &layout.name, RowSuffix::None, Some(on)).on_hover_text("Arrange the panels so").clicked() {
            commands.push(WindowCommand::ChooseLayout(layout.name.clone()).into());
        }
    }
}

/// Shows the submenu of files that were opened last.
fn recent_files(ui: &mut Ui, state: &UiState, commands: &mut Vec<Command>) {
    let files = &state.saved.recent;
    if files.is_empty() {
        return;
    }
    let response = item(ui, "Open recent", RowSuffix::Submenu(None), None);
    describe(&response, "The files that were opened last, with a small picture of each");
    SubMenu::new().show(ui, &response, |ui| {
        scrolled_beside(ui, 300.0, |ui| {
            recent::show_in_menu(ui, files, &state.recent_pictures, commands);
        });
    });
}

fn rows_of(ui: &mut Ui, submenu: Submenu, session: &Session, state: &UiState, commands: &mut Vec<Command>) {
    for (i, row) in COMMANDS.iter().filter(|row| row.submenu == Some(submenu)).enumerate() {
        if row.starts_group && i > 0 {
            line(ui);
        }
        command_item(ui, row, session, state, commands);
    }
}

/// Shows the rows of the submenu *Bones and skin*, which open from a button over the picture too.
pub(super) fn bones_and_skin(ui: &mut Ui, session: &Session, state: &UiState, commands: &mut Vec<Command>) {
    ui.set_width(252.0);
    ui.spacing_mut().item_spacing.y = 0.0;
    rows_of(ui, Submenu::Bones, session, state, commands);
    bones::sliders(ui, session, commands);
}

/// Shows the rows of the submenu *Surroundings*, which open from a button over the picture too.
pub(super) fn surroundings(ui: &mut Ui, session: &Session, state: &UiState, commands: &mut Vec<Command>) {
    ui.set_width(SURROUNDINGS_WIDTH);
    ui.spacing_mut().item_spacing.y = 0.0;
    rows_of(ui, Submenu::Environment, session, state, commands);
    environment::controls(ui, session, commands);
}

/// The width of the submenu *Surroundings*, which has room for long sliders, points.
const SURROUNDINGS_WIDTH: f32 = 380.0;

fn line(ui: &mut Ui) {
    ui.add_space(4.0);
    ui.separator();
    ui.add_space(4.0);
}

pub(super) fn command_item(
    ui: &mut Ui,
    row: &CommandRow,
    session: &Session,
    state: &UiState,
    commands: &mut Vec<Command>,
) {
    let on = is_on(&row.command, session, state);
    let tail = row.keys().map_or(RowSuffix::None, RowSuffix::Keys);
    let why = refusal(&row.command, session);
    let response = ui.add_enabled_ui(why.is_none(), |ui| item(ui, row.label, tail, on)).inner;
    let response = match why {
        Some(why) => response.on_disabled_hover_text(format!("{}\n{why}", row.help)),
        None => response.on_hover_text(row.help),
    };
    if response.clicked() {
        commands.push(row.command.clone());
    }
}

/// Shows the choice whether edges are smoothed.
fn antialiasing(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let choices = [
        (Antialiasing::Auto, "Auto", "Smooth edges; without a graphics card, only while nothing moves"),
        (Antialiasing::Four, "4×", "Smooth edges always, by four samples of each pixel"),
        (Antialiasing::Off, "Off", "Never smooth edges"),
    ];
    let shown = choices.map(|(choice, name, help)| (name, session.view().antialiasing == choice, help.to_owned()));
    ui.horizontal(|ui| {
        ui.add_space(28.0);
        ui.label("Anti-aliasing");
        if let Some(chosen) = segments(ui, &shown) {
            commands.push(ViewCommand::SetAntialiasing(choices[chosen].0).into());
        }
    });
}

/// Shows the choice of who deforms vertices.
fn deformer(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let response = item(ui, "Deformed by", RowSuffix::Submenu(Some(session.view().deformer.label())), None);
    describe(&response, "Whether the graphics device or the processor computes where vertices are");
    SubMenu::new().show(ui, &response, |ui| {
        scrolled_beside(ui, 252.0, |ui| {
            for by in Deformer::ALL {
                let on = session.view().deformer == by;
                if item(ui, by.label(), RowSuffix::None, Some(on)).on_hover_text(by.help()).clicked() {
                    commands.push(ViewCommand::SetDeformer(by).into());
                }
            }
        });
    });
}

/// Shows the cameras of the file, by name.
fn cameras(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let through = session.view().through.map(|t| t.index);
    let count = session.model().map_or(0, |m| m.camera_nodes.len());
    // A menu of hundreds could not be used; the others are reached one after the other.
    for i in 0..count.min(MOST_CAMERAS) {
        let Some(name) = session.file_lights().camera_label(i) else { continue };
        let on = through == Some(i);
        let response =
            item(ui, &name, RowSuffix::None, Some(on)).on_hover_text(format!("Look through {name}, of the file"));
        if response.clicked() {
            commands.push(CameraCommand::SetCamera((!on).then_some(i)).into());
        }
    }
}

/// The mark at the right end of a row.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowSuffix {
    None,
    Keys(Shortcut),
    /// The sign of a submenu, and the label of what is chosen in it.
    Submenu(Option<&'static str>),
}

pub(super) fn item(ui: &mut Ui, name: &str, tail: RowSuffix, on: Option<bool>) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let enabled = ui.is_enabled();
    response.widget_info(|| match on {
        Some(on) => WidgetInfo::selected(Role::MenuItemCheckBox, enabled, on, name),
        None => WidgetInfo::labeled(Role::MenuItem, enabled, name),
    });
    let c = colors(ui);
    let fill = if response.hovered() { c.hovered } else { Color32::TRANSPARENT };
    ui.painter().rect_filled(rect, CornerRadius::same(4), fill);
    let y = rect.center().y;
    if on == Some(true) {
        let at = pos2(rect.left() + 14.0, y);
        ui.painter().text(at, Align2::CENTER_CENTER, icons::CHECK, theme::icon(14.0), c.accent);
    }
    let (label, _) = shortened(ui, name, theme::regular(BODY), c.text, rect.width() - 40.0);
    paint_line(ui, label, rect.left() + 28.0, y, c.text);
    match tail {
        RowSuffix::None => {}
        RowSuffix::Keys(shortcut) => {
            let keys = ui.painter().layout_no_wrap(shortcut.to_string(), theme::regular(12.0), c.dim);
            let x = rect.right() - 10.0 - keys.size().x;
            paint_line(ui, keys, x, y, c.dim);
        }
        RowSuffix::Submenu(chosen) => {
            let at = pos2(rect.right() - 14.0, y);
            ui.painter().text(at, Align2::CENTER_CENTER, icons::CARET_RIGHT, theme::icon(12.0), c.dim);
            let chosen =
                ui.painter().layout_no_wrap(chosen.unwrap_or_default().to_owned(), theme::regular(12.0), c.dim);
            let x = rect.right() - 26.0 - chosen.size().x;
            paint_line(ui, chosen, x, y, c.dim);
        }
    }
    focus_ring(ui, rect, &response);
    response
}

/// Shows file name and counts.
fn open_file(ui: &mut Ui, session: &Session) {
    let Some(model) = session.model() else { return };
    let c = colors(ui);
    ui.add_space(16.0);
    let joints = (0..model.skeleton.len()).filter(|n| model.is_joint(skinscope_model::NodeId::from_index(*n))).count();
    let about = format!(
        " · {} · {} · {}",
        counted(model.drawn_vertices(), "vertex", "vertices"),
        counted(joints, "joint", "joints"),
        counted(model.clips.len(), "clip", "clips"),
    );
    let counts = ui.painter().layout_no_wrap(about.clone(), theme::regular(BODY), c.dim);
    let width = ui.available_width() - 16.0;
    // In less room no name can be recognised; the inspector has it too.
    if width < 48.0 {
        return;
    }
    let with_counts = width > counts.size().x + 120.0;
    let name_width = if with_counts { width - counts.size().x } else { width };
    // A dot tells of what no file has, as in the title of the window.
    let shown = if session.unsaved().has_unsaved_work() {
        format!("• {}", model.source.name)
    } else {
        model.source.name.clone()
    };
    let (name, cut) = shortened(ui, &shown, theme::strong(BODY), c.text, name_width);
    let size = vec2(name.size().x + if with_counts { counts.size().x } else { 0.0 }, ROW);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let at = Rect::from_min_size(rect.min, name.size());
    paint_line(ui, name, rect.left(), rect.center().y, c.text);
    if with_counts {
        paint_line(ui, counts, at.right(), rect.center().y, c.dim);
    }
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{}{about}", model.source.name)));
    if cut || !with_counts {
        response.on_hover_text(format!("{}{about}", model.source.name));
    }
}

/// Shows a drop-down of `methods`, however many, `scale` times as large as usual; it scrolls where they are more than fit.
fn chosen_method(ui: &mut Ui, methods: &[&'static Method], now: &Method, scale: f32) -> Option<&'static Method> {
    let mut chosen = None;
    let help = format!("How joints move vertices: {}", now.help);
    scaled_drop_down(ui, ("Deformation method", now.label), (132.0, scale), &help, |ui| {
        for method in methods {
            let row = ui.selectable_label(method.id == now.id, method.label).on_hover_text(method.help);
            chosen = row.clicked().then_some(*method).or(chosen);
        }
    });
    chosen
}

/// Shows the choice of the deformation method, `scale` times as large as usual.
pub(super) fn method(ui: &mut Ui, session: &Session, scale: f32, commands: &mut Vec<Command>) {
    if let Some(method) = chosen_method(ui, METHODS, session.view().method, scale) {
        commands.push(ViewCommand::SetMethod(method.id).into());
    }
}

#[cfg(test)]
mod tests {
    use egui::vec2;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;

    /// Makes methods that differ in id and label only.
    fn many(count: usize) -> Vec<&'static Method> {
        let leaked = |text: String| -> &'static str { text.leak() };
        let first = METHODS[0];
        let one = |i: usize| Method {
            id: leaked(format!("method-{i}")),
            label: leaked(format!("Method {i}")),
            help: leaked(format!("Help of {i}")),
            ..*first
        };
        (0..count).map(|i| -> &'static Method { Box::leak(Box::new(one(i))) }).collect()
    }

    #[test]
    fn any_number_of_methods_can_be_chosen() {
        let methods = many(60);
        let (all, first) = (methods.clone(), methods[0]);
        let setup = Harness::builder().with_size(vec2(400.0, 300.0)).with_context_setup(crate::install);
        let mut harness = setup.build_ui_state(
            move |ui, chosen: &mut Option<&'static str>| {
                if let Some(method) = chosen_method(ui, &all, first, 1.0) {
                    *chosen = Some(method.id);
                }
            },
            None,
        );
        harness.get_by_label("Deformation method: Method 0").click();
        harness.run();
        // The list ends within the window, and the last row is reached by scrolling.
        let row =
            |harness: &Harness<'_, Option<&'static str>>, i: usize| harness.get_by_label(&format!("Method {i}")).rect();
        let visible = |rect: Rect| rect.bottom() <= 300.0 && rect.top() >= 0.0;
        assert!(visible(row(&harness, 1)) && !visible(row(&harness, 59)));
        harness.get_by_label("Method 59").scroll_to_me();
        harness.run();
        assert!(visible(row(&harness, 59)), "{:?}", row(&harness, 59));
        harness.get_by_label("Method 59").hover();
        harness.run_steps(60);
        harness.get_by_label("Help of 59");
        harness.get_by_label("Method 59").click();
        harness.run();
        assert_eq!(*harness.state(), Some("method-59"));
    }
}
