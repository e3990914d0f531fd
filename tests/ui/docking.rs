//! Panels are moved, stacked, floated, closed and put back, by drags, by menus and by commands; layouts are saved and chosen.

use egui::Rect;
use skinscope::session::{DockPanel, Panel, PanelPosition};

use super::*;

/// Drags the grip or the tab of this name to a point, in two steps.
fn drag_to(harness: &mut Harness<'_, App>, name: &str, to: Pos2) {
    let from = harness.get_by_label(name).rect().center();
    drag(harness, &[from, from + vec2(12.0, 12.0), to], PointerButton::Primary);
    harness.run();
}

fn grip(panel: DockPanel) -> String {
    format!("Move the panel {}", panel.title())
}

/// Everything that is painted, as text.
fn painted(harness: &Harness<'_, App>) -> String {
    format!("{:?}", harness.output().shapes)
}

fn tabs(harness: &Harness<'_, App>) -> Vec<String> {
    harness.query_all_by_role(Role::Tab).filter_map(|node| node.accesskit_node().label()).collect()
}

fn rect(harness: &Harness<'_, App>, label: &str) -> Rect {
    harness.get_all_by_label(label).next().unwrap().rect()
}

fn is_shown(harness: &Harness<'_, App>, label: &str) -> bool {
    harness.query_all_by_label(label).next().is_some()
}

fn command(harness: &mut Harness<'_, App>, command: WindowCommand) {
    harness.state_mut().ui.carry_out(&command);
    harness.run();
    // A panel that the session opens is there a frame later.
    harness.run();
}

fn move_panel(harness: &mut Harness<'_, App>, panel: DockPanel, to: PanelPosition) {
    command(harness, WindowCommand::MovePanel(Some(panel), to));
}

/// The rectangles that the picture had before panels could be moved, with what was open then.
#[test]
fn while_nobody_has_moved_a_panel_columns_are_beside_each_other_or_stacked() {
    let open = |size: egui::Vec2, saved: Saved, tools: bool, measures: bool| {
        let mut session = session(3);
        if tools {
            session.apply(skinscope::session::ToolCommand::TogglePanel);
        }
        if measures {
            session.apply(skinscope::session::MeasureCommand::TogglePanel);
        }
        let mut harness = window(session, UiState::new(saved), Status::default());
        harness.set_size(size);
        harness.run();
        (harness.state().picture, tabs(&harness).len())
    };
    let usual = Saved::default();
    let tables = Saved { tables: true, ..Saved::default() };
    let log = Saved { log: true, ..Saved::default() };
    let (small, wide, huge) = (vec2(1280.0, 720.0), vec2(1600.0, 900.0), vec2(2560.0, 1440.0));
    // The test's window has a margin.
    const MARGIN: f32 = 8.0;
    const TIMELINE: f32 = 139.0;
    /// Tables and timeline as tabs of one row.
    const STACKED: f32 = 172.0 + 24.0;
    for (size, saved, tools, measures, (left, right), below, stacked) in [
        (small, &usual, false, false, (256.0, 312.0), TIMELINE, 0),
        (small, &tables, false, false, (256.0, 312.0), STACKED, 2),
        (small, &tables, true, false, (256.0, 312.0), STACKED, 4),
        (small, &usual, true, true, (256.0, 312.0), TIMELINE, 3),
        (small, &log, false, true, (256.0, 312.0), TIMELINE, 3),
        (wide, &usual, true, false, (256.0, 312.0), TIMELINE, 2),
        (wide, &usual, true, true, (256.0, 312.0), TIMELINE, 3),
        (huge, &usual, true, true, (400.0, 624.0), TIMELINE, 2),
        (huge, &tables, false, false, (400.0, 312.0), TIMELINE + 240.0, 0),
    ] {
        let (picture, shown_tabs) = open(size, saved.clone(), tools, measures);
        assert_eq!(shown_tabs, stacked, "{size:?}");
        let (min, right) = (egui::pos2(MARGIN + left, MARGIN + 38.0), size.x - MARGIN - right);
        let wanted = Rect::from_min_max(min, egui::pos2(right, size.y - MARGIN - below));
        let apart = (picture.min - wanted.min).abs() + (picture.max - wanted.max).abs();
        assert!(apart.max_elem() <= 1.5, "{picture:?}, wanted {wanted:?}");
    }
}

#[test]
fn a_panel_is_dragged_to_the_other_side_below_another_and_to_the_edge_of_the_window() {
    let mut harness = open(3);
    let before = harness.state().picture;
    drag_to(&mut harness, &grip(DockPanel::Inspector), before.left_center() + vec2(20.0, 0.0));
    let after = harness.state().picture;
    assert!(after.right() > 1270.0 && after.left() > before.left() + 300.0, "{after:?}");
    let inspector = rect(&harness, "Rest pose");
    assert!(inspector.right() < after.left() && inspector.left() > rect(&harness, "Search nodes").right());
    // Below the outliner, in the same column.
    let outliner = rect(&harness, &grip(DockPanel::Outliner)).center_top() + vec2(0.0, 500.0);
    drag_to(&mut harness, &grip(DockPanel::Inspector), outliner);
    assert!((harness.state().picture.left() - before.left()).abs() < 1.0);
    let (above, below) = (rect(&harness, "Search nodes"), rect(&harness, "Rest pose"));
    assert!(below.top() > above.bottom() + 150.0 && below.left() < 256.0, "{below:?}");
    // The line between them is dragged.
    let line = rect(&harness, "Between Outliner and Inspector").center();
    drag(&mut harness, &[line, line - vec2(0.0, 50.0), line - vec2(0.0, 90.0)], PointerButton::Primary);
    let moved = below.top() - rect(&harness, "Rest pose").top();
    assert!((moved - 90.0).abs() < 12.0, "{moved}");
    // Neither of them is dragged away.
    let line = rect(&harness, "Between Outliner and Inspector").center();
    let ways = [100.0, 200.0, 300.0, 400.0, 500.0, 600.0].map(|way| line - vec2(0.0, way));
    drag(&mut harness, &[&[line][..], &ways].concat(), PointerButton::Primary);
    let room =
        rect(&harness, "Between Outliner and Inspector").center().y - rect(&harness, &grip(DockPanel::Outliner)).top();
    assert!((59.0..300.0).contains(&room), "{room}");
    // Along the whole left edge, beside the timeline too.
    drag_to(&mut harness, &grip(DockPanel::Inspector), egui::pos2(3.0, 400.0));
    assert!(rect(&harness, "Play").left() > 264.0 && rect(&harness, "Rest pose").left() < 100.0);
    // Esc leaves it where it is.
    let from = rect(&harness, &grip(DockPanel::Inspector)).center();
    let press = |pos, pressed| Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    let was = harness.state().ui.saved().layout;
    for event in [Event::PointerMoved(from), press(from, true), Event::PointerMoved(from + vec2(20.0, 20.0))] {
        harness.event(event);
        harness.run();
    }
    harness.event(Event::PointerMoved(harness.state().picture.center()));
    harness.run();
    assert!(painted_texts(&harness).iter().any(|(text, _)| text == "Inspector: float"), "it says where it would go");
    harness.key_press(Key::Escape);
    harness.run();
    harness.event(press(harness.state().picture.center(), false));
    harness.run();
    assert_eq!(harness.state().ui.saved().layout, was);
}

#[test]
fn panels_are_stacked_as_tabs_and_one_that_opens_comes_to_the_front() {
    let mut harness = open(3);
    let outliner = rect(&harness, "Search nodes").center() + vec2(0.0, 200.0);
    drag_to(&mut harness, &grip(DockPanel::Inspector), outliner);
    assert_eq!(tabs(&harness), ["Outliner", "Inspector"]);
    assert!(is_shown(&harness, "Rest pose") && !is_shown(&harness, "Search nodes"));
    harness.get_by_role_and_label(Role::Tab, "Outliner").click();
    harness.run();
    assert!(!is_shown(&harness, "Rest pose") && is_shown(&harness, "Search nodes"));
    // It is closed and opened again by its command: it is in the same stack, in front.
    for is_open in [false, true] {
        command(&mut harness, WindowCommand::TogglePanel(Panel::Inspector));
        assert_eq!(is_shown(&harness, "Rest pose"), is_open);
        assert_eq!(tabs(&harness).len(), if is_open { 2 } else { 0 });
    }
    // A tab is closed by its own button, and dragged out of the stack.
    click(&mut harness, "Close the panel Inspector");
    assert!(!harness.state().ui.saved().inspector && is_shown(&harness, "Search nodes"));
    command(&mut harness, WindowCommand::TogglePanel(Panel::Inspector));
    let right = harness.state().picture.right_center() - vec2(20.0, 0.0);
    let tab = harness.get_by_role_and_label(Role::Tab, "Inspector").rect().center();
    drag(&mut harness, &[tab, tab + vec2(12.0, 12.0), right], PointerButton::Primary);
    assert!(tabs(&harness).is_empty() && rect(&harness, "Rest pose").left() > 900.0);
}

#[test]
fn a_panel_floats_is_moved_resized_and_used_there() {
    let mut harness = open(3);
    let before = harness.state().picture;
    let centre = before.center();
    drag_to(&mut harness, &grip(DockPanel::Inspector), centre);
    let picture = harness.state().picture;
    assert!(picture.right() > 1270.0, "its column is gone");
    let at = rect(&harness, "Rest pose");
    assert!(picture.contains_rect(at) && tabs(&harness) == ["Inspector"]);
    // A click in it is no click on the picture, and a drag turns no camera.
    harness.state_mut().commands.clear();
    click(&mut harness, "Bind pose");
    assert!(has(&harness, &Command::Playback(PlaybackCommand::SetPose(PoseSource::Bind))));
    let cameras = |harness: &Harness<'_, App>| {
        harness.state().commands.iter().filter(|c| matches!(c, Command::Camera(CameraCommand::Orbit(_)))).count()
    };
    let inside = at.center() + vec2(0.0, 120.0);
    drag(&mut harness, &[inside, inside + vec2(10.0, 10.0), inside + vec2(20.0, 20.0)], PointerButton::Primary);
    assert_eq!(cameras(&harness), 0);
    // Its bar moves it, its corner makes it larger, and the settings have both.
    let bar = rect(&harness, "Move Inspector over the picture").right_center() - vec2(60.0, 0.0);
    drag(&mut harness, &[bar, bar + vec2(-40.0, 20.0), bar + vec2(-80.0, 40.0)], PointerButton::Primary);
    let moved = rect(&harness, "Rest pose").min - at.min;
    assert!((moved - vec2(-80.0, 40.0)).abs().max_elem() < 12.0, "{moved}");
    let corner = rect(&harness, "Change the size of Inspector").center();
    let width = rect(&harness, "Move Inspector over the picture").width();
    drag(&mut harness, &[corner, corner + vec2(20.0, 10.0), corner + vec2(40.0, 20.0)], PointerButton::Primary);
    let grown = rect(&harness, "Move Inspector over the picture").width() - width;
    assert!((grown - 40.0).abs() < 12.0, "{grown}");
    let saved = harness.state().ui.saved();
    let text = serde_json::to_string(&saved).unwrap();
    let read: Saved = serde_json::from_str(&text).unwrap();
    assert_eq!(read, saved);
    let again = window(session(3), UiState::new(read), Status::default());
    assert_eq!(rect(&again, "Rest pose").min, rect(&harness, "Rest pose").min, "the next window has it there");
    // Tab goes on through all panels, and into the one that floats.
    let mut stops = Vec::new();
    for _ in 0..120 {
        harness.key_press(Key::Tab);
        harness.run();
        let focused = harness.ctx.memory(|m| m.focused()).and_then(|id| harness.ctx.read_response(id));
        stops.push(focused.map(|response| response.rect.center()));
    }
    let float = rect(&harness, "Move Inspector over the picture");
    let in_float = |at: &Option<Pos2>| at.is_some_and(|at| float.x_range().contains(at.x) && at.y > float.bottom());
    assert!(stops.iter().any(in_float) && stops.iter().any(|at| at.is_some_and(|at| at.x < 250.0)), "{stops:?}");
    // It stays inside a window that becomes small.
    harness.set_size(vec2(640.0, 400.0));
    harness.run();
    let bar = rect(&harness, "Move Inspector over the picture");
    assert!(bar.left() >= 0.0 && bar.right() <= 640.5 && bar.top() >= 37.0 && bar.bottom() < 400.0, "{bar:?}");
}

#[test]
fn a_panel_has_one_close_button_wherever_it_is() {
    let mut session = session(3);
    session.apply(skinscope::session::ToolCommand::TogglePanel);
    session.apply(skinscope::session::MeasureCommand::TogglePanel);
    let mut harness = window(session, UiState::default(), Status::default());
    // So wide that both stand beside the inspector.
    harness.set_size(vec2(3840.0, 2160.0));
    harness.run();
    for (panel, own) in [(DockPanel::Tools, "Close the weight tools"), (DockPanel::Deformation, "Close the measures")] {
        let tab = format!("Close the panel {}", panel.title());
        assert!(is_shown(&harness, own) && !is_shown(&harness, &tab), "{panel:?}");
        for to in [PanelPosition::Float, PanelPosition::Tab] {
            move_panel(&mut harness, panel, to);
            assert!(!is_shown(&harness, own) && is_shown(&harness, &tab), "{panel:?} {to:?}");
        }
        move_panel(&mut harness, panel, PanelPosition::Right);
        command(&mut harness, WindowCommand::ResetLayout);
    }
    move_panel(&mut harness, DockPanel::Tools, PanelPosition::Float);
    click(&mut harness, "Close the panel Weight tools");
    assert!(!harness.state().session.tools().open);
}

#[test]
fn a_panel_is_scrolled_as_far_wherever_it_is_moved() {
    let mut harness = open(120);
    let first = |harness: &Harness<'_, App>| {
        let rows = harness.query_all_by_label_contains("joint ");
        rows.filter_map(|row| row.accesskit_node().label()).next().unwrap()
    };
    assert_eq!(first(&harness), "joint 0");
    harness.event(Event::PointerMoved(rect(&harness, "joint 4").center()));
    for _ in 0..4 {
        harness.event(Event::MouseWheel {
            unit: egui::MouseWheelUnit::Line,
            delta: vec2(0.0, -5.0),
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Wheel,
            modifiers: Modifiers::NONE,
        });
        harness.run();
    }
    let scrolled = first(&harness);
    assert_ne!(scrolled, "joint 0");
    for to in [PanelPosition::Right, PanelPosition::Float, PanelPosition::Left] {
        move_panel(&mut harness, DockPanel::Outliner, to);
        assert_eq!(first(&harness), scrolled, "{to:?}");
    }
}

#[test]
fn a_reset_gives_back_to_the_last_shape_what_was_there() {
    let mut harness = open(3);
    harness.event(Event::PointerGone);
    harness.run();
    let before = painted(&harness);
    move_panel(&mut harness, DockPanel::Inspector, PanelPosition::Left);
    move_panel(&mut harness, DockPanel::Timeline, PanelPosition::Float);
    move_panel(&mut harness, DockPanel::Outliner, PanelPosition::Tab);
    assert_ne!(painted(&harness), before);
    click(&mut harness, "View");
    harness.get_by_role_and_label(Role::MenuItem, "Layout").click();
    harness.run();
    click(&mut harness, "Reset layout");
    harness.event(Event::PointerGone);
    // The message about it goes.
    harness.run_steps(80);
    assert_eq!(harness.state().ui.saved().layout, ui::Arrangement::default());
    let fresh = {
        let mut fresh = open(3);
        fresh.event(Event::PointerGone);
        fresh.run();
        painted(&fresh)
    };
    assert_eq!(fresh, before, "nothing about it depends on chance");
    let rects = |harness: &Harness<'_, App>| {
        let labels = ["Search nodes", "Rest pose", "Play", "Next frame"];
        labels.map(|label| rect(harness, label))
    };
    assert_eq!(rects(&harness), rects(&open(3)));
    assert_eq!(harness.state().picture, open(3).state().picture);
}

#[test]
fn panels_move_by_keyboard_and_a_message_says_where() {
    let mut harness = open(3);
    // The panel that has the focus is moved.
    harness.get_by_label("Rest pose").focus();
    harness.run();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::P);
    harness.run();
    harness.event(Event::Text("move panel left".to_owned()));
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert!(has(&harness, &Command::Window(WindowCommand::MovePanel(None, PanelPosition::Left))));
    harness.get_by_label("Inspector is at the left");
    assert!(rect(&harness, "Rest pose").right() < harness.state().picture.left());
    move_panel(&mut harness, DockPanel::Inspector, PanelPosition::Left);
    harness.get_by_label("Inspector is there already");
    move_panel(&mut harness, DockPanel::Timeline, PanelPosition::Right);
    harness.get_by_label_contains("Timeline is too wide for a column");
    move_panel(&mut harness, DockPanel::Timeline, PanelPosition::Float);
    harness.get_by_label("Timeline floats");
    assert!(harness.state().picture.bottom() > 705.0);
    // The menu of a grip does it too, without a drag.
    harness.get_by_label(&grip(DockPanel::Outliner)).click();
    harness.run();
    click(&mut harness, "Move right");
    assert!(rect(&harness, "Search nodes").left() > harness.state().picture.right());
}

#[test]
fn layouts_are_saved_chosen_renamed_and_deleted_and_those_of_the_program_open_their_panels() {
    let mut harness = open(3);
    move_panel(&mut harness, DockPanel::Inspector, PanelPosition::Left);
    command(&mut harness, WindowCommand::TogglePanel(Panel::Tables));
    command(&mut harness, WindowCommand::ShowLayouts);
    harness.event(Event::Text("Mine".to_owned()));
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert!(has(&harness, &Command::Window(WindowCommand::SaveLayout("Mine".to_owned()))));
    let mine = harness.state().ui.saved();
    assert_eq!((mine.layouts.len(), mine.layout_name.as_str()), (1, "Mine"));
    // The program's own: the tools are opened, with the inspector behind them.
    command(&mut harness, WindowCommand::ChooseLayout("Weighting".to_owned()));
    assert!(harness.state().session.tools().open && !harness.state().ui.saved().tables);
    assert_eq!(tabs(&harness), ["Weight tools", "Inspector"]);
    command(&mut harness, WindowCommand::ChooseLayout("Measuring".to_owned()));
    assert!(harness.state().session.measuring().open && !harness.state().session.tools().open);
    assert!(!is_shown(&harness, "Search nodes") && is_shown(&harness, "Vertices"));
    // One's own comes back, from the menu.
    click(&mut harness, "View");
    harness.get_by_role_and_label(Role::MenuItem, "Layout").click();
    harness.run();
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Mine").click();
    harness.run();
    harness.run();
    let now = harness.state().ui.saved();
    assert!((now.layout == mine.layout) && now.tables && now.outliner && !harness.state().session.measuring().open);
    // Any text that is no arrangement changes nothing, and says so.
    command(&mut harness, WindowCommand::ArrangePanels("left nothing".to_owned()));
    harness.get_by_label_contains("there is no panel \"nothing\"");
    assert_eq!(harness.state().ui.saved().layout, mine.layout);
    // It is renamed and deleted in the dialog.
    command(&mut harness, WindowCommand::ShowLayouts);
    click(&mut harness, "Rename…");
    harness.get_by_label("New name of Mine").focus();
    harness.run();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.event(Event::Text("Ours".to_owned()));
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(harness.state().ui.saved().layouts[0].name, "Ours");
    click(&mut harness, "Delete…");
    assert_eq!(harness.state().ui.saved().layouts.len(), 1, "it asks first");
    click(&mut harness, "Delete it for good");
    let after = harness.state().ui.saved();
    assert!(after.layouts.is_empty() && after.layout == mine.layout, "the panels stay where they are");
}

#[test]
fn a_layout_that_was_chosen_without_a_window_opens_its_panels_in_the_next_one() {
    let mut saved = Saved::default();
    assert!(!ui::choose_layout(&mut saved, "no such layout") && saved == Saved::default());
    assert!(ui::choose_layout(&mut saved, "weighting"));
    let mut harness = window(session(3), UiState::new(saved), Status::default());
    harness.run();
    assert!(harness.state().session.tools().open && tabs(&harness) == ["Weight tools", "Inspector"]);
    // Once only: what is closed then stays closed.
    harness.state_mut().session.apply(skinscope::session::ToolCommand::TogglePanel);
    let mut again = window(session(3), UiState::new(harness.state().ui.saved()), Status::default());
    again.run();
    assert!(!again.state().session.tools().open);
}

#[test]
fn a_narrow_window_leaves_out_a_column_and_no_panel_that_needs_no_room_of_its_own() {
    const REPORT: &str = "Copy for a bug report";
    let statistics = Saved { statistics: true, ..Saved::default() };
    let mut harness = window(session(3), UiState::new(statistics), Status::default());
    assert!(!is_shown(&harness, "Rest pose") && is_shown(&harness, REPORT), "two columns at the right");
    // In the column of the outliner, and as a tab behind the inspector.
    for place in ["left outliner/statistics; right inspector", "left outliner; right inspector+statistics"] {
        command(&mut harness, WindowCommand::ArrangePanels(place.to_owned()));
        assert!(is_shown(&harness, "Rest pose") && is_shown(&harness, "Search nodes"), "{place}");
    }
    move_panel(&mut harness, DockPanel::Statistics, PanelPosition::Float);
    assert!(is_shown(&harness, "Rest pose") && is_shown(&harness, REPORT));
}

#[test]
fn in_the_smallest_window_tables_give_way_to_the_picture() {
    // Below the timeline and above it, as somebody has arranged them.
    for places in [
        "bottom tables; bottom timeline; left inspector; right outliner",
        "bottom timeline; bottom tables; left inspector; right outliner",
    ] {
        let saved = Saved { tables: true, ..Saved::default() };
        let mut harness = window(session(3), UiState::new(saved), Status::default());
        harness.set_size(vec2(640.0, 400.0));
        command(&mut harness, WindowCommand::ArrangePanels(places.to_owned()));
        harness.run();
        assert!(is_shown(&harness, "Next frame") && is_shown(&harness, "Joint table"), "{places}");
        let picture = harness.state().picture;
        assert!(picture.height() >= 80.0, "{places}: {picture:?}");
        // A larger window gives the tables what they had.
        harness.set_size(vec2(1280.0, 720.0));
        harness.run();
        harness.run();
        let table = harness.get_by_label("Joint table").rect();
        assert!(table.height() > 150.0, "{places}: {table:?}");
    }
}

/// Whatever is moved wherever, in a small and in a large window: nothing fails, and the picture keeps some room.
#[test]
fn every_panel_can_be_at_every_place() {
    use PanelPosition::{Bottom, Float, Left, Right, Tab};
    for size in [vec2(640.0, 400.0), vec2(1280.0, 720.0)] {
        let saved = Saved { tables: true, statistics: true, log: true, ..Saved::default() };
        let mut session = session(3);
        session.apply(skinscope::session::ToolCommand::TogglePanel);
        session.apply(skinscope::session::MeasureCommand::TogglePanel);
        let mut harness = window(session, UiState::new(saved), Status::default());
        harness.set_size(size);
        harness.run();
        for (i, panel) in DockPanel::ALL.into_iter().enumerate() {
            for to in [Left, Right, Bottom, Float, Tab] {
                move_panel(&mut harness, panel, to);
                let picture = harness.state().picture;
                // In the smallest window many rows may take all of the height.
                let is_small = size.y < 500.0;
                let has_room = picture.width() > 100.0 && (is_small || picture.height() > 100.0);
                assert!(has_room && picture.height() >= 0.0, "{size:?} {panel:?} {to:?} {picture:?}");
            }
            // They do not come back before the next one is moved.
            move_panel(&mut harness, panel, [Left, Float, Bottom, Right][i % 4]);
        }
        let text = serde_json::to_string(&harness.state().ui.saved()).unwrap();
        assert_eq!(serde_json::from_str::<Saved>(&text).unwrap(), harness.state().ui.saved());
    }
}
