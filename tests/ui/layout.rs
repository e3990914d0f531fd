//! What panels remember, how small they may get, and what the window says about itself.

use super::*;

#[test]
fn what_takes_long_says_what_it_does_and_can_be_stopped() {
    let work = |fraction, cancel| ui::BackgroundStatus { what: "Collecting the edges".into(), fraction, cancel };
    let cancel = Command::View(ViewCommand::Toggle(Toggle::Wireframe));
    let status = |work| Status { work: Some(work), ..Status::default() };
    let mut harness = window(session(2), UiState::default(), status(work(Some(0.25), Some(cancel.clone()))));
    harness.get_by_label("Collecting the edges · 25 %");
    click(&mut harness, "Cancel");
    assert!(has(&harness, &cancel));
    let harness = window(session(2), UiState::default(), status(work(Some(1.0), None)));
    harness.get_by_label("Collecting the edges · 100 %");
    assert!(harness.query_by_label("Cancel").is_none());
}

#[test]
fn about_names_version_and_licences() {
    let mut harness = open(3);
    harness.state_mut().ui.carry_out(&WindowCommand::ShowAbout);
    harness.run();
    harness.get_by_label_contains(env!("CARGO_PKG_VERSION"));
    harness.get_by_label_contains("SIL Open Font License");
    harness.key_press(Key::Escape);
    harness.run();
    assert!(harness.query_by_label_contains("SIL Open Font License").is_none());
}

#[test]
fn panels_are_hidden_shown_and_remembered() {
    let mut harness = open(3);
    let before = harness.state().picture;
    for panel in
        [skinscope::session::Panel::Outliner, skinscope::session::Panel::Inspector, skinscope::session::Panel::Timeline]
    {
        harness.state_mut().ui.carry_out(&WindowCommand::TogglePanel(panel));
    }
    harness.run();
    let after = harness.state().picture;
    assert!(after.width() > before.width() + 400.0 && after.height() > before.height() + 100.0);
    assert!(has(
        &harness,
        &Command::Camera(CameraCommand::SetViewport(glam::Vec2::new(after.width(), after.height())))
    ));
    harness.state_mut().ui.carry_out(&WindowCommand::ToggleTheme);
    harness.run();
    let saved = harness.state().ui.saved();
    assert!(saved.light && !saved.outliner && !saved.inspector && !saved.timeline);
    let text = serde_json::to_string(&saved).unwrap();
    assert_eq!(serde_json::from_str::<Saved>(&text).unwrap(), saved);
    assert_eq!(serde_json::from_str::<Saved>("{}").unwrap(), Saved::default());
}

#[test]
fn remembered_sizes_come_back() {
    let saved = Saved { outliner_width: 300.0, inspector_width: 340.0, viridis: true, ..Saved::default() };
    let harness = window(session(3), UiState::new(saved), Status::default());
    let picture = harness.state().picture;
    let usual = open(3).state().picture;
    let (left, right) = (300.0 - Saved::default().outliner_width, 340.0 - Saved::default().inspector_width);
    let moved = [picture.left() - usual.left() - left, usual.right() - picture.right() - right];
    assert!(moved.iter().all(|m| m.abs() < 1.0), "{picture:?}, usually {usual:?}");
    assert_eq!(harness.state().session.view().ramp, skinscope::math::Ramp::Viridis);
    let saved = harness.state().ui.saved();
    assert_eq!((saved.ramp.as_str(), saved.viridis), ("viridis", false));
    let again = UiState::new(Saved { ramp: "maya".into(), ..Saved::default() });
    let harness = window(session(3), again, Status::default());
    assert_eq!(harness.state().session.view().ramp, skinscope::math::Ramp::Maya);
}

/// What the settings file can say at most (see `app/settings.rs`).
#[test]
fn panels_of_any_remembered_size_leave_room_for_the_picture() {
    for size in [0.0, -32_767.0, 32_767.0, 1e-30] {
        let saved = Saved {
            tables: true,
            outliner_width: size,
            inspector_width: size,
            tables_height: size,
            findings_height: size,
            ..Saved::default()
        };
        let mut harness = window(session(3), UiState::new(saved), Status::default());
        let picture = harness.state().picture;
        assert!(picture.width() > 200.0 && picture.height() > 119.0, "{size}: {picture:?}");
        // A panel can be dragged back to a usual size.
        let height = picture.center().y;
        let edge = egui::pos2(picture.left() - 2.0, height);
        drag(&mut harness, &[edge, egui::pos2(200.0, height), egui::pos2(300.0, height)], PointerButton::Primary);
        let width = harness.state().ui.saved().outliner_width;
        assert!((width - 300.0).abs() < 20.0, "{size}: {width}");
    }
}

#[test]
fn a_small_window_does_not_change_what_sizes_are_remembered() {
    let wanted = Saved { outliner_width: 300.0, inspector_width: 340.0, ..Saved::default() };
    let mut harness = window(session(3), UiState::new(wanted.clone()), Status::default());
    let picture = harness.state().picture;
    harness.set_size(vec2(300.0, 200.0));
    harness.run();
    harness.set_size(vec2(1280.0, 720.0));
    harness.run();
    assert_eq!(harness.state().ui.saved(), wanted);
    assert_eq!(harness.state().picture, picture);
    // What is dragged is remembered.
    let edge = egui::pos2(picture.left() - 2.0, 300.0);
    drag(&mut harness, &[edge, edge + vec2(20.0, 0.0), edge + vec2(40.0, 0.0)], PointerButton::Primary);
    let width = harness.state().ui.saved().outliner_width;
    assert!((width - 340.0).abs() < 4.0, "{width}");
    assert!((harness.state().picture.left() - picture.left() - (width - 300.0)).abs() < 1.0);
}

#[test]
fn in_the_smallest_window_nothing_lies_over_anything_else() {
    let mut harness = open(3);
    harness.set_size(vec2(640.0, 400.0));
    harness.run();
    let rows: [&[&str]; 2] = [
        &[
            "File",
            "Edit",
            "Pose",
            "View",
            "Look",
            "Overlay",
            "Tools",
            "Playback",
            "Help",
            "Deformation method: Linear blend",
        ],
        &["To end", "Clip: ", "0.000 s / ", "Frame rate: 30 fps", "At the end: Loop", "Speed: 1×"],
    ];
    for row in rows {
        let mut end = 0.0;
        for label in row {
            let rect = harness.get_all_by_label_contains(label).next().unwrap().rect();
            assert!(rect.left() >= end && rect.right() <= 640.0, "{label} at {rect:?}, after {end}");
            end = rect.right();
        }
    }
    assert!(harness.query_by_label("Shaded").is_none(), "the menu has it too");
}

#[test]
fn the_folder_of_the_last_file_is_remembered() {
    let mut session = session(3);
    let mut document = session.document().cloned().unwrap();
    document.path = Some("/models/hero/hero.glb".into());
    session.open(document);
    let mut harness = window(session, UiState::default(), Status::default());
    let folder = Some(std::path::PathBuf::from("/models/hero"));
    assert_eq!(harness.state().ui.saved().last_folder, folder);
    // The built-in character lies in no folder.
    harness.state_mut().session = self::session(4);
    harness.run();
    assert_eq!(harness.state().ui.saved().last_folder, folder);
}

#[test]
fn nothing_open_says_what_to_do() {
    let mut harness = window(Session::default(), UiState::default(), Status::default());
    harness.get_by_label("Drop a .glb here, or File › Open");
    click(&mut harness, "Open built-in character");
    assert!(has(&harness, &Command::File(FileCommand::OpenBuiltIn)));
}

#[test]
fn loading_can_be_cancelled_and_errors_closed() {
    let loading = Loading { name: "dragon.glb".into(), fraction: 0.4, stage: "Decoding images".into(), is_open: false };
    let status = Status { loading: Some(loading), ..Status::default() };
    let mut harness = window(session(3), UiState::default(), status);
    harness.get_by_label("Decoding images · 40 %");
    click(&mut harness, "Cancel");
    assert!(has(&harness, &Command::File(FileCommand::CancelLoad)));
    harness.state_mut().commands.clear();
    let error = "dragon.glb: accessor 12 lies beyond its buffer; export the file again";
    harness.state_mut().status = Status { error: Some(error.into()), ..Status::default() };
    harness.run();
    harness.get_by_label(error);
    // Low in the picture, so that the figure stands clear of it.
    let (plate, picture) = (harness.get_by_label(error).rect(), harness.state().picture);
    assert!(plate.top() > picture.bottom() - 80.0 && plate.bottom() < picture.bottom(), "{plate:?} in {picture:?}");
    // The old model is still there.
    harness.get_by_label("joint 1");
    click(&mut harness, "Close the message");
    assert!(has(&harness, &Command::File(FileCommand::CancelLoad)));
}

#[test]
fn warnings_of_the_import_are_listed() {
    let mut session = session(3);
    session.warn(&["skin 0: one weight was negative".into(), "clip 2: has no keys".into()]);
    let harness = window(session, UiState::default(), Status::default());
    harness.get_by_label("2 warnings");
    harness.get_by_label("skin 0: one weight was negative");
}

#[test]
fn a_name_of_eighty_characters_moves_no_panel() {
    let model = tube(Tube::default());
    let mut parts = ModelParts::clone(&model);
    let long = "a".repeat(76) + "_end";
    parts.skeleton.names[1] = long.clone();
    parts.source.name = long.clone();
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(SelectionCommand::Select(Some(NodeId(1))));
    session.apply(ViewCommand::ToggleOverlay("weights"));
    session.apply(ViewCommand::Toggle(Toggle::Names));
    let harness = window(session, UiState::default(), Status::default());
    assert_eq!(harness.state().picture, open(3).state().picture);
}

#[test]
fn everything_that_can_be_clicked_has_a_name() {
    let mut all: Vec<(&str, Harness<'static, App>)> = vec![
        ("nothing selected", open(3)),
        ("a joint selected", selected(3, 2)),
        ("nothing open", window(Session::default(), UiState::default(), Status::default())),
    ];
    let mut keys = open(3);
    keys.state_mut().ui.carry_out(&WindowCommand::ShowShortcuts);
    keys.run();
    all.push(("keys", keys));
    for (what, harness) in &all {
        let mut seen = 0;
        for node in harness.root().children_recursive() {
            let node = node.accesskit_node();
            if node.is_hidden()
                || !(node.data().supports_action(Action::Click) || egui::accessibility::is_input(node.role()))
            {
                continue;
            }
            seen += 1;
            // What a text says is its value.
            let text = if node.role() == Role::Label { node.value() } else { node.label() };
            let named = text.is_some_and(|text| !text.trim().is_empty());
            // The backdrop of a dialog takes clicks and is no control; scroll bars belong to what they scroll.
            let is_no_control = matches!(node.role(), Role::GenericContainer | Role::Unknown | Role::ScrollBar);
            assert!(named || is_no_control, "{what}: a {:?} at {:?} has no name", node.role(), node.raw_bounds());
        }
        assert!(seen >= 10, "{what}: only {seen} controls were seen");
    }
}

#[test]
fn an_idle_window_asks_for_no_frame() {
    for (what, mut harness) in
        [("open", selected(3, 2)), ("empty", window(Session::default(), UiState::default(), Status::default()))]
    {
        // Long after the last input.
        for _ in 0..20 {
            harness.step();
        }
        let delay = harness.output().viewport_output[&egui::ViewportId::ROOT].repaint_delay;
        assert_eq!(delay, std::time::Duration::MAX, "{what}");
        assert!(harness.state().commands.is_empty(), "{what}: {:?}", harness.state().commands);
    }
}

#[test]
fn every_glyph_is_in_the_bundled_fonts() {
    let harness = open(3);
    let fonts = [theme::regular(13.0), theme::strong(13.0)];
    harness.ctx.fonts_mut(|f| {
        for icon in icons::ALL {
            assert!(f.has_glyphs(&theme::icon(14.0), icon), "icon {icon:?}");
        }
        for row in COMMANDS.iter() {
            let keys = row.shortcut.map(|s| s.to_string()).unwrap_or_default();
            for font in &fonts {
                assert!(f.has_glyphs(font, &format!("{}{}{keys}", row.label, row.help)), "{}", row.label);
            }
        }
        for font in &fonts {
            assert!(f.has_glyphs(font, "−×°·›…–\u{2009}°ÄéßŁżΩλЖя→"), "signs and letters");
            assert!(!f.has_glyph(font, '\u{1F600}'), "a missing glyph is seen as missing");
            let widths: Vec<f32> = ('0'..='9').map(|c| f.glyph_width(font, c)).collect();
            assert!(widths.iter().all(|w| (w - widths[0]).abs() < 0.03), "figures are tabular: {widths:?}");
        }
    });
}

/// What is closed costs nothing: nothing of it is laid out, painted or told to screen readers, however large the model is.
#[test]
fn closed_panels_are_not_built() {
    use skinscope::session::Panel;
    let closed = Saved { outliner: false, inspector: false, timeline: false, tables: false, ..Saved::default() };
    let size =
        |harness: &Harness<'_, App>| (harness.root().children_recursive().count(), harness.output().shapes.len());
    let none = |joints| window(session(joints), UiState::new(closed.clone()), Status::default());
    let (small, large) = (none(3), none(300));
    assert_eq!(size(&small), size(&large), "nothing grows with the model");
    for (panel, label) in [
        (Panel::Outliner, "joint 1"),
        (Panel::Inspector, "Rest pose"),
        (Panel::Timeline, "Next frame"),
        (Panel::Tables, "Vertices"),
    ] {
        assert!(large.query_all_by_label(label).next().is_none(), "{label}");
        let mut ui = UiState::new(closed.clone());
        ui.carry_out(&WindowCommand::TogglePanel(panel));
        let opened = window(session(300), ui, Status::default());
        assert!(opened.query_all_by_label(label).next().is_some(), "{label}");
        let (nodes, shapes) = size(&opened);
        assert!(nodes > size(&large).0 && shapes > size(&large).1, "{panel:?}");
    }
}

#[test]
fn nothing_in_the_bars_covers_what_is_beside_it() {
    let saved = Saved { tables: true, ..Saved::default() };
    let mut harness = window(session(3), UiState::new(saved), Status::default());
    harness.get_by_role_and_label(Role::Button, "Vertices").click();
    harness.run();
    let button = |harness: &Harness<'_, App>, label: &str| harness.get_by_role_and_label(Role::Button, label).rect();
    let list = |harness: &Harness<'_, App>, label: &str| harness.get_by_label_contains(label).rect();
    let apart = |left: egui::Rect, right: egui::Rect, width: f32| {
        let is_beside = left.right() <= right.left() + 0.5 || left.bottom() <= right.top();
        assert!(is_beside, "{left:?} and {right:?}, {width} points");
    };
    for overlay in ["weights", "asymmetry", "changed-surface"] {
        harness.state_mut().session.apply(ViewCommand::SetOverlay(Some(overlay)));
        for width in [1010.0, 1100.0, 1152.0, 1200.0, 1280.0, 1920.0] {
            harness.set_size(vec2(width, 720.0));
            harness.run();
            if harness.query_by_role_and_label(Role::Button, "Shaded").is_some() {
                apart(button(&harness, "Help"), button(&harness, "Shaded"), width);
                let more = list(&harness, "More overlays: ");
                apart(button(&harness, "Influences"), more, width);
                apart(more, list(&harness, "Deformation method: "), width);
            }
            let rows = harness.get_by_label("192 vertices").rect();
            apart(button(&harness, "Benchmark"), rows, width);
        }
    }
}
