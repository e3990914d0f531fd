//! Room for the picture: panels are stacked where they would leave it too little, controls in it do not cover each other, and names stay
//! readable in a narrow bar.

use skinscope::app::ui::AskedFile;
use skinscope::app::ui::AskedStage;
use skinscope::session::{ExportKind, FileUse, Panel, PictureLayers, ToolCommand};

use super::*;

fn sized(session: Session, saved: Saved, size: egui::Vec2) -> Harness<'static, App> {
    let mut harness = window(session, UiState::new(saved), Status::default());
    // The test's window has a margin.
    harness.set_size(size + vec2(16.0, 16.0));
    harness.run();
    harness.run();
    harness
}

fn shows(harness: &Harness<'_, App>, label: &str) -> bool {
    harness.query_all_by_label(label).next().is_some()
}

/// Tools, tables and statistics are open beside what is always open.
fn crowded(size: egui::Vec2) -> Harness<'static, App> {
    let mut session = session(3);
    session.apply(ToolCommand::TogglePanel);
    sized(session, Saved { tables: true, statistics: true, ..Saved::default() }, size)
}

#[test]
fn the_picture_keeps_half_of_the_window_however_many_panels_are_open() {
    // 1280×720 points are 2560×1440 pixels at 200 % too; the tables keep some rows there, and the columns their width.
    for (size, part) in [
        (vec2(1280.0, 720.0), 0.37),
        (vec2(1440.0, 900.0), 0.44),
        (vec2(1600.0, 900.0), 0.47),
        (vec2(1920.0, 1080.0), 0.5),
        (vec2(2560.0, 1440.0), 0.5),
        (vec2(3840.0, 2160.0), 0.5),
    ] {
        let picture = crowded(size).state().picture;
        // The lines at its edges are its own.
        let share = picture.expand(1.0).area() / (size.x * size.y);
        assert!(share >= part, "{size:?}: {share}, {picture:?}");
    }
    let mut harness = crowded(vec2(1280.0, 720.0));
    harness.set_pixels_per_point(2.0);
    harness.run();
    harness.run();
    let share = harness.state().picture.expand(1.0).area() / (1280.0 * 720.0);
    assert!(share >= 0.37, "{share}");
}

#[test]
fn tables_take_height_alone() {
    for size in [vec2(1067.0, 600.0), vec2(1280.0, 720.0), vec2(1600.0, 900.0)] {
        let of = |tables: bool| sized(session(3), Saved { tables, ..Saved::default() }, size).state().picture;
        let (without, with) = (of(false), of(true));
        assert_eq!((with.left(), with.right()), (without.left(), without.right()), "{size:?}");
        assert!(with.height() < without.height(), "{size:?}");
    }
}

#[test]
fn tables_that_are_stacked_show_some_rows() {
    for size in [vec2(1280.0, 720.0), vec2(1600.0, 900.0), vec2(1920.0, 1080.0)] {
        let mut session = session(12);
        session.apply(ToolCommand::TogglePanel);
        let mut harness = sized(session, Saved { tables: true, statistics: true, ..Saved::default() }, size);
        if shows(&harness, "Next frame") && !shows(&harness, "Vertices") {
            harness.key_press_modifiers(Modifiers::COMMAND, Key::Num4);
            harness.run();
            harness.run();
        }
        let first = harness.get_by_label("Palette").rect().bottom();
        let names = painted_texts(&harness).into_iter().filter(|(text, rect)| {
            text.starts_with("joint ") && rect.left() < 120.0 && rect.top() > first && rect.bottom() < size.y
        });
        let seen = names.count();
        assert!(seen >= 4, "{size:?}: {seen} rows");
    }
}

/// The tables in front, in a window of so many points.
fn with_tables(size: egui::Vec2) -> Harness<'static, App> {
    let mut harness = sized(session(12), Saved { tables: true, ..Saved::default() }, size);
    if !shows(&harness, "Vertices") {
        harness.key_press_modifiers(Modifiers::COMMAND, Key::Num4);
        harness.run();
        harness.run();
    }
    harness
}

#[test]
fn what_a_row_of_filters_has_no_room_for_is_in_a_list() {
    let mut harness = with_tables(vec2(1280.0, 720.0));
    tables::tab(&mut harness, "Vertices");
    let row = harness.get_by_role_and_label(Role::Button, "Palette").rect().center().y;
    for filter in ["Pairs", "Selected joint", "Marked", "More"] {
        let at = harness.get_by_label(filter).rect().center().y;
        assert!((at - row).abs() < 4.0, "{filter}: {at} and {row}");
    }
    // What is hidden can be chosen, and the switch of the list says so.
    assert!(!shows(&harness, "Influences: Any count") && !shows(&harness, "No influence"));
    click(&mut harness, "More");
    click(&mut harness, "No influence");
    assert!(painted_texts(&harness).iter().any(|(text, _)| text == "No vertex is like that."));
    let more = harness.get_by_label("More").accesskit_node().toggled();
    assert_eq!(more, Some(egui::accesskit::Toggled::True));
}

#[test]
fn the_distribution_of_a_skin_has_its_caption_in_low_tables() {
    let mut harness = with_tables(vec2(1280.0, 720.0));
    tables::tab(&mut harness, "Skins");
    let table = harness.get_by_label("Skin table").rect();
    let texts = painted_texts(&harness);
    // The inspector may have one too.
    let caption = texts.iter().find(|(text, rect)| text.starts_with("vertices by") && rect.top() > table.top());
    let lowest = caption.map(|(_, rect)| rect.bottom());
    assert!(lowest.is_some_and(|lowest| lowest <= table.bottom()), "{lowest:?} and {table:?}");
}

#[test]
fn panels_that_are_stacked_come_to_the_front_by_their_keys_and_lose_nothing() {
    let mut harness = crowded(vec2(1600.0, 900.0));
    harness.state_mut().session.apply(ToolCommand::Choose(Some("smooth")));
    harness.run();
    let press = |harness: &mut Harness<'_, App>, key| {
        harness.key_press_modifiers(Modifiers::COMMAND, key);
        harness.run();
        harness.run();
    };
    // The inspector is behind.
    assert!(!shows(&harness, "Rest pose"));
    press(&mut harness, Key::Num2);
    assert!(shows(&harness, "Rest pose") && harness.state().ui.saved().inspector);
    // The tools come back with the tool that was tried, whatever was in front.
    press(&mut harness, Key::Num5);
    assert!(shows(&harness, "Times value") && !shows(&harness, "Rest pose"));
    assert!(harness.state().session.tools().operation.is_some_and(|tool| tool.id == "smooth"));
    // Pressed once more it closes the panel, as ever.
    press(&mut harness, Key::Num5);
    assert!(!harness.state().session.tools().open);
    // Tables and timeline are tabs of one row; both keep their height.
    let before = harness.state().picture;
    let hidden = if shows(&harness, "Next frame") { Panel::Tables } else { Panel::Timeline };
    harness.state_mut().ui.carry_out(&WindowCommand::TogglePanel(hidden));
    harness.run();
    harness.run();
    let shown = if hidden == Panel::Timeline { "Next frame" } else { "Vertices" };
    assert!(shows(&harness, shown));
    assert_eq!(harness.state().picture, before);
}

#[test]
fn the_left_column_grows_with_the_window_until_its_edge_is_moved() {
    let left = |width: f32, saved: Saved| sized(session(3), saved, vec2(width, 900.0)).state().picture.left();
    let widths = [1280.0, 1600.0, 2000.0, 2560.0].map(|width| left(width, Saved::default()));
    // The edges of columns take some points.
    let is_alike = (widths[0] - widths[1]).abs() <= 4.0;
    assert!(is_alike && widths[1] + 40.0 < widths[2] && widths[2] + 40.0 < widths[3], "{widths:?}");
    let moved = Saved { outliner_width: 280.0, ..Saved::default() };
    assert_eq!(left(1280.0, moved.clone()), left(2560.0, moved));
}

#[test]
fn open_padlocks_take_no_room_from_names() {
    let named = || {
        let mut parts: ModelParts = (*tube(Tube { joints: 4, rings: 12, ..Tube::default() })).clone();
        for i in 1..=4 {
            parts.skeleton.names[i] = format!("character_left_hand_{i}_end");
        }
        let mut session = Session::default();
        session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
        session.apply(PlaybackCommand::SetPlaying(false));
        session
    };
    let in_tree = |harness: &Harness<'_, App>| -> Vec<String> {
        let texts = painted_texts(harness).into_iter();
        texts.filter(|(text, rect)| rect.right() < 264.0 && text.contains("_end")).map(|(text, _)| text).collect()
    };
    let size = vec2(1280.0, 720.0);
    let names = in_tree(&sized(named(), Saved::default(), size));
    assert_eq!(names.len(), 4, "{names:?}");
    let mut session = named();
    session.apply(ToolCommand::TogglePanel);
    let mut harness = sized(session, Saved::default(), size);
    assert_eq!(in_tree(&harness), names);
    // It is there to be pressed nevertheless, and one that is locked is seen.
    click(&mut harness, "Lock character_left_hand_2_end");
    assert_eq!(harness.state().session.tools().locked.len(), 1);
}

#[test]
fn the_legend_covers_no_control_of_the_picture() {
    let mut seen_legends = 0;
    for size in [vec2(1280.0, 500.0), vec2(1280.0, 620.0), vec2(1600.0, 900.0), vec2(900.0, 640.0)] {
        let mut session = session(3);
        session.apply(SelectionCommand::Select(Some(NodeId(2))));
        session.apply(ViewCommand::ToggleOverlay("weights"));
        session.apply(ViewCommand::SetPoseTool(skinscope::session::PoseTool::Turn));
        let harness = sized(session, Saved::default(), size);
        let picture = harness.state().picture;
        let inside = |label: &str| {
            let all = harness.query_all_by_label(label).map(|node| node.rect());
            all.filter(|rect| picture.contains_rect(*rect)).collect::<Vec<_>>()
        };
        let [head] = [inside("Fold legend"), inside("Unfold legend")].concat()[..] else { continue };
        seen_legends += 1;
        let plate =
            egui::Rect::from_min_max(head.min - vec2(12.0, 10.0), egui::pos2(head.left() + 120.0, picture.bottom()));
        let controls =
            ["Camera only", "Move tool", "Local axes", "World axes", "Symmetric", "Bones", "Wireframe", "Dots"];
        let mut seen = 0;
        for rect in controls.iter().flat_map(|label| inside(label)) {
            seen += 1;
            assert!(!rect.intersects(plate), "{size:?}: {rect:?} and the legend {plate:?}");
        }
        // In a narrow picture tools and switches are lists.
        assert!(seen >= if size.x < 1000.0 { 1 } else { 4 }, "{size:?}: {seen} controls");
    }
    assert!(seen_legends >= 3, "{seen_legends} legends have room");
}

#[test]
fn in_a_narrow_picture_the_tools_are_one_button_with_a_list() {
    // 1280×720 and 1600×900 pixels at 150 %.
    for size in [vec2(853.0, 480.0), vec2(1067.0, 600.0)] {
        let mut session = session(3);
        session.apply(SelectionCommand::Select(Some(NodeId(2))));
        session.apply(ViewCommand::SetPoseTool(skinscope::session::PoseTool::Turn));
        let mut harness = sized(session, Saved::default(), size);
        let picture = harness.state().picture;
        let button = harness.get_by_label("Tool: Turn").rect();
        assert!(picture.contains_rect(button) && button.height() < 30.0, "{size:?}: {button:?}");
        assert!(!shows(&harness, "Camera only") && !shows(&harness, "World axes"), "{size:?}");
        // A tool that is chosen closes the list; what belongs to it is chosen there too.
        click(&mut harness, "Tool: Turn");
        click(&mut harness, "Move tool");
        harness.run();
        assert_eq!(harness.state().session.view().pose_tool, skinscope::session::PoseTool::Move);
        assert!(!shows(&harness, "Camera only"), "{size:?}");
        click(&mut harness, "Tool: Move");
        click(&mut harness, "World axes");
        assert_eq!(harness.state().session.view().orientation, skinscope::session::Orientation::World);
    }
}

#[test]
fn in_a_small_picture_the_legend_is_flat_until_it_is_unfolded() {
    // 1600×900 pixels at 150 %, with the tables open too.
    for (tables, overlay, colours) in [
        (false, "influences", "Steps: None, 1 joint"),
        (true, "sum", "Scale: −100 %"),
        (true, "weights", "Scale: 0, 0.5, 1"),
    ] {
        let mut session = session(3);
        session.apply(SelectionCommand::Select(Some(NodeId(2))));
        session.apply(ViewCommand::SetOverlay(Some(overlay)));
        session.apply(ViewCommand::SetPoseTool(skinscope::session::PoseTool::Turn));
        let saved = Saved { tables, ..Saved::default() };
        let mut harness = sized(session, saved, vec2(1067.0, 600.0));
        let picture = harness.state().picture;
        let flat = harness.get_by_label_contains(colours).rect();
        let head = harness.get_by_label("Unfold legend").rect();
        assert!(head.left() < picture.left() + 40.0 && head.top() > picture.bottom() - 100.0, "{overlay}: {head:?}");
        assert!(flat.width() > 200.0 && flat.bottom() <= picture.bottom(), "{overlay}: {flat:?}");
        let tools = harness.get_by_label("Tool: Turn").rect();
        assert!(tools.bottom() < head.top(), "{overlay}: {tools:?}");
        assert!(
            harness.query_by_label("With children").is_none() && harness.query_by_label("None: 0 vertices").is_none()
        );
        // Unfolded it has everything, folded its title alone; then it is flat again.
        click(&mut harness, "Unfold legend");
        assert_eq!(harness.query_all_by_label("With children").count(), usize::from(overlay == "weights"));
        assert_eq!(harness.query_all_by_label("None: 0 vertices").count(), usize::from(overlay == "influences"));
        click(&mut harness, "Fold legend");
        assert!(harness.query_all_by_label_contains(colours).next().is_none(), "{overlay}");
        click(&mut harness, "Unfold legend");
        harness.get_by_label_contains(colours);
        harness.get_by_label("Unfold legend");
    }
}

#[test]
fn file_and_overlays_are_in_a_narrow_bar() {
    // 853 points are 1280 pixels at 150 %.
    for width in [853.0, 1000.0, 1280.0, 1600.0] {
        let mut harness = sized(session(3), Saved::default(), vec2(width, 600.0));
        let name = harness.state().session.model().unwrap().source.name.clone();
        let label = harness.get_by_label_contains(&format!("{name} · ")).rect();
        assert!(label.width() >= 24.0 && label.right() <= width + 16.0, "{width}: {label:?}");
        let is_wide = shows(&harness, "Dominant");
        if is_wide {
            click(&mut harness, "Dominant");
        } else {
            click(&mut harness, "Overlay: Shaded");
            click(&mut harness, "Dominant joint");
        }
        assert_eq!(harness.state().session.view().overlay.map(|overlay| overlay.id), Some("dominant"), "{width}");
    }
}

#[test]
fn names_that_have_no_room_are_counted() {
    let mut dense = session(60);
    dense.apply(ViewCommand::Set(Toggle::Names, true));
    let harness = window(dense, UiState::default(), Status::default());
    harness.get_by_label_contains(" of 60 names, the others would overlap");
    let mut few = session(3);
    few.apply(ViewCommand::Set(Toggle::Names, true));
    let harness = window(few, UiState::default(), Status::default());
    assert!(harness.query_by_label_contains("the others would overlap").is_none());
}

#[test]
fn bounds_are_named_over_the_picture() {
    let mut session = session(3);
    session.apply(ViewCommand::Set(Toggle::PoseBounds, true));
    let mut harness = window(session, UiState::default(), Status::default());
    harness.get_by_label_contains("Bounds of the pose (blue): ");
    click(&mut harness, "Overlay");
    harness.get_by_label("Bounds").scroll_to_me();
    harness.run();
    click(&mut harness, "Bounds");
    click(&mut harness, "Of the file");
    assert!(harness.state().session.view().is_on(Toggle::FileBounds));
}

#[test]
fn a_joint_that_moves_nothing_says_so_in_the_legend() {
    let mut session = session(3);
    session.apply(ViewCommand::ToggleOverlay("weights"));
    session.apply(SelectionCommand::Select(Some(NodeId(0))));
    let mut harness = window(session, UiState::default(), Status::default());
    harness.get_by_label_contains("It moves no vertex; 3 joints below it do.");
    harness.state_mut().session.apply(SelectionCommand::Select(Some(NodeId(2))));
    harness.run();
    assert!(harness.query_by_label_contains("It moves no vertex").is_none());
}

#[test]
fn a_picture_has_what_was_chosen_and_one_switch_leaves_all_out() {
    let asked = AskedFile {
        usage: FileUse::Export(ExportKind::Picture),
        path: "/pictures/tube.png".into(),
        has_dialog: false,
        offered: Vec::new(),
        stage: AskedStage::Writable { replaces: false },
    };
    let mut harness = open(3);
    harness.state_mut().status.asked_file = Some(asked);
    harness.run();
    // No row is wider than the dialog, whose width the field of the path fills; the switch of all stands above the others.
    let rect = |label: &str| harness.get_by_label(label).rect();
    assert!(rect("Colour behind the model").right() <= rect("Save").right() + 0.5);
    assert!(rect("Colour behind the model").top() > rect("Transparent").bottom());
    assert!(rect("Clean").bottom() < rect("With grid").top());
    let saved = |harness: &mut Harness<'_, App>| {
        click(harness, "Save");
        let exported = harness.state().commands.iter().rev().find_map(|command| match command {
            Command::File(FileCommand::ExportTo(_, settings)) => Some((**settings).clone()),
            _ => None,
        });
        exported.unwrap()
    };
    let shown = PictureLayers { grid: true, bones: true, ..PictureLayers::default() };
    let first = saved(&mut harness);
    assert_eq!((first.layers, first.background, first.transparent), (Some(shown), None, false));
    for label in ["With grid", "With names", "White", "4K"] {
        click(&mut harness, label);
    }
    let second = saved(&mut harness);
    let layers = PictureLayers { grid: false, names: true, ..shown };
    assert_eq!((second.layers, second.background, second.size), (Some(layers), Some([255; 3]), [3840, 2160]));
    for label in ["Clean", "Transparent", "As the window"] {
        click(&mut harness, label);
    }
    let third = saved(&mut harness);
    assert_eq!((third.layers, third.transparent, third.size), (Some(PictureLayers::default()), true, first.size));
}
