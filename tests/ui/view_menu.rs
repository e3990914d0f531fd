//! The switches in the bar and the choices of the View menu: overlays, cameras, lights, crowd, samples, bones.

use skinscope::session::ComparisonCommand;

use super::*;

#[test]
fn weights_and_dominant_are_switched_in_the_menu_bar() {
    let mut harness = open(3);
    click(&mut harness, "Weights");
    assert!(has(&harness, &Command::View(ViewCommand::ToggleOverlay("weights"))));
    harness.get_by_label_contains("Weight of joint ");
    click(&mut harness, "Dominant");
    assert!(has(&harness, &Command::View(ViewCommand::ToggleOverlay("dominant"))));
    click(&mut harness, "Shared in black");
    assert!(
        has(&harness, &Command::View(ViewCommand::Toggle(Toggle::SharedBlack)))
            && harness.state().session.view().is_on(Toggle::SharedBlack)
    );
}

#[test]
fn changes_of_the_view_are_undone_by_key_and_in_the_menu() {
    let mut harness = open(3);
    let shows_axes = |harness: &Harness<'_, App>| harness.state().session.view().is_on(Toggle::Axes);
    let row = |harness: &Harness<'_, App>, label: &str| {
        harness.get_by_role_and_label(Role::MenuItem, label).accesskit_node().is_disabled()
    };
    click(&mut harness, "Edit");
    assert!(row(&harness, "Undo view change") && row(&harness, "Redo view change"), "nothing was changed");
    harness.key_press(Key::Escape);
    harness.run();
    harness.key_press(Key::A);
    harness.run();
    assert!(shows_axes(&harness));
    harness.key_press(Key::U);
    harness.run();
    assert!(!shows_axes(&harness));
    harness.key_press_modifiers(Modifiers::SHIFT, Key::U);
    harness.run();
    assert!(shows_axes(&harness));
    click(&mut harness, "Edit");
    assert!(!row(&harness, "Undo view change"));
    click(&mut harness, "Undo view change");
    assert!(!shows_axes(&harness) && has(&harness, &Command::View(ViewCommand::Undo)));
}

/// Thirty cameras make a menu that no window holds: its last row is reached by scrolling, and it stays inside the window.
#[test]
fn a_menu_longer_than_the_window_scrolls() {
    let mut parts: ModelParts = (*tube(Tube { joints: 32, rings: 12, ..Tube::default() })).clone();
    let lens = Lens::Perspective { fov_y: 0.8, aspect: None, near: 0.1, far: None };
    parts.cameras = (0..30).map(|i| Camera { name: format!("Camera of shot {i}"), lens }).collect();
    parts.camera_nodes = (0..30).map(|i| (NodeId(i + 1), CameraId(i))).collect();
    let mut harness = open_model(parts);
    harness.set_size(vec2(1280.0, 500.0));
    harness.run();
    click(&mut harness, "View");
    click(&mut harness, "Views");
    const LAST: &str = "Camera of shot 11";
    let last = |harness: &Harness<'_, App>| harness.get_by_label(LAST).rect();
    assert!(last(&harness).bottom() > 500.0, "the menu is long enough to show something");
    harness.get_by_label("Camera of shot 7");
    harness.get_by_label(LAST).scroll_to_me();
    harness.run();
    harness.run();
    assert!(last(&harness).bottom() <= 500.0, "{}", last(&harness));
    click(&mut harness, LAST);
    assert!(has(&harness, &Command::Camera(CameraCommand::SetCamera(Some(11)))), "the click landed");
}

#[test]
fn cameras_and_lights_of_the_file_are_chosen_in_the_view_menu() {
    let mut parts: ModelParts = (*tube(Tube { joints: 3, rings: 12, ..Tube::default() })).clone();
    let lens = Lens::Perspective { fov_y: 0.8, aspect: None, near: 0.1, far: None };
    parts.cameras = vec![Camera { name: "close".into(), lens }, Camera { name: String::new(), lens }];
    parts.camera_nodes = vec![(NodeId(1), CameraId(0)), (NodeId(2), CameraId(1))];
    let (name, kind, color) = (String::new(), LightKind::Point, Vec3::ONE);
    parts.lights = vec![Light { name, kind, color, intensity: 1.0, range: None }];
    parts.light_nodes = vec![(NodeId(1), LightId(0))];
    let mut harness = open_model(parts);
    harness.set_size(vec2(1280.0, 1400.0));
    harness.run();
    click(&mut harness, "View");
    click(&mut harness, "Views");
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Camera joint 1");
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Camera close").click();
    harness.run();
    assert_eq!(harness.state().session.view().through.map(|t| t.index), Some(0));
    click(&mut harness, "View");
    click(&mut harness, "Lights");
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Lights of the file").click();
    harness.run();
    assert_eq!(harness.state().session.view().lighting, Lighting::File);
    click(&mut harness, "Look");
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Clay").click();
    harness.run();
    assert_eq!(harness.state().session.view().look.id, "clay");
    click(&mut harness, "Look");
    click(&mut harness, "Tone map");
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "AgX").click();
    harness.run();
    assert_eq!(harness.state().session.view().tone_map.id, "agx");
    // Under the triad stands what is looked through; a click leaves it.
    harness.get_by_role_and_label(Role::Button, "Camera close").click();
    harness.run();
    assert_eq!(harness.state().session.view().through, None);
    harness.get_by_role_and_label(Role::Button, "Perspective");
    // A file without lights is lit by the studio, whatever was chosen before.
    let mut harness = open(3);
    harness.set_size(vec2(1280.0, 1400.0));
    harness.run();
    click(&mut harness, "View");
    click(&mut harness, "Lights");
    assert!(
        harness.get_by_role_and_label(Role::MenuItemCheckBox, "Lights of the file").accesskit_node().is_disabled(),
        "nothing to choose"
    );
}

#[test]
fn the_environment_is_chosen_turned_and_brightened_in_the_look_menu() {
    let mut harness = open(3);
    harness.set_size(vec2(1280.0, 900.0));
    harness.run();
    let path = std::env::temp_dir().join("no such sunset.hdr");
    harness.state_mut().session.apply(ViewCommand::Environment(EnvironmentCommand::Show(Some(path))));
    click(&mut harness, "Look");
    // The picture has a button of the same name.
    harness.get_by_role_and_label(Role::MenuItem, "Surroundings").click();
    harness.run();
    harness.get_by_label("Open environment…");
    for (name, key) in [("Rotation", Key::ArrowRight), ("Exposure", Key::ArrowLeft)] {
        harness.get_by_role_and_label(Role::Slider, name).focus();
        harness.run();
        harness.key_press(key);
        harness.run();
    }
    let now = harness.state().session.view().environment.clone();
    assert!(now.rotation > 0.0 && now.exposure < 0.0, "{now:?}");
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Built-in room").click();
    harness.run();
    let view = harness.state().session.view();
    assert!(view.environment.file.is_none() && view.look.is_environment() && view.environment.rotation == now.rotation);
}

#[test]
fn the_method_is_chosen_from_its_table() {
    let other = skinscope::deform::METHODS[1];
    // In the menu bar and nowhere else, whatever is selected.
    let mut harness = open(3);
    assert!(harness.query_by_label(other.label).is_none() && harness.query_by_label("Linear blend").is_none());
    click(&mut harness, "Deformation method: Linear blend");
    click(&mut harness, other.label);
    assert_eq!(harness.state().session.view().method.id, other.id);
}

#[test]
fn scenes_are_chosen_above_the_tree() {
    let model = tube(Tube { joints: 3, ..Tube::default() });
    let mut parts = ModelParts::clone(&model);
    let mut other = parts.scenes[0].clone();
    other.name = "Backstage".into();
    other.contains = vec![true, true, false, false];
    let mut empty = other.clone();
    empty.name = "Empty".into();
    empty.roots.clear();
    empty.contains = vec![false; 4];
    parts.scenes.extend([other, empty]);
    let mut harness = open_model(parts);
    harness.get_by_label("joint 2");
    click(&mut harness, "Scene: Scene 0");
    click(&mut harness, "Backstage");
    assert_eq!(harness.state().session.view().scene, 1);
    harness.get_by_label("joint 0");
    assert!(harness.query_by_label("joint 2").is_none());
    click(&mut harness, "Scene: Backstage");
    click(&mut harness, "Empty");
    harness.get_by_label("This scene has no nodes.");
}

#[test]
fn material_variants_are_chosen_while_nothing_is_selected() {
    let shown = |harness: &Harness<'_, App>| harness.state().session.view().variant;
    let mut parts: ModelParts = (*tube(Tube::default())).clone();
    assert!(open(2).query_by_label_contains("Material variant").is_none(), "a file without variants has no list");
    parts.variants = vec!["Leather".into(), "Velvet".into()];
    let mut harness = open_model(parts);
    click(&mut harness, "Material variant: As stored");
    click(&mut harness, "Velvet");
    assert!(has(&harness, &Command::View(ViewCommand::SetVariant(Some(1)))) && shown(&harness) == Some(1));
    click(&mut harness, "Material variant: Velvet");
    click(&mut harness, "Leather");
    assert_eq!(shown(&harness), Some(0));
    click(&mut harness, "Material variant: Leather");
    click(&mut harness, "As stored");
    assert_eq!(shown(&harness), None);
}

#[test]
fn menus_hold_every_command_with_its_key() {
    let mut harness = open(3);
    for title in ["File", "Edit", "Pose", "View", "Look", "Overlay", "Tools", "Playback", "Help"] {
        click(&mut harness, title);
        let menu: Vec<_> = COMMANDS.iter().filter(|row| format!("{:?}", row.menu) == title).collect();
        assert!(!menu.is_empty());
        let mut found: Vec<String> = Vec::new();
        let listed = |harness: &Harness<'_, App>| {
            let items = [Role::MenuItem, Role::MenuItemCheckBox].map(|role| harness.query_all_by_role(role));
            items.into_iter().flatten().filter_map(|n| n.accesskit_node().label()).collect::<Vec<_>>()
        };
        found.extend(listed(&harness));
        let submenus: &[&str] = match title {
            "File" => &["Examples", "Second model"],
            "Pose" => &["Tool and axes"],
            "View" => &["Views", "Lights", "Crowd", "Subdivide", "Panels", "Layout", "Bones and skin"],
            "Look" => &["Matcaps", "Normals, UV and maps", "Tone map", "Surroundings"],
            "Overlay" => &["Changes of weights", "Layers of weights", "Normals and tangents", "Motion", "Bounds"],
            "Tools" => &["Bind and bake", "Marks", "Paint"],
            _ => &[],
        };
        for submenu in submenus {
            // The picture has a button of the same name.
            harness.get_by_role_and_label(Role::MenuItem, submenu).click();
            harness.run();
            found.extend(listed(&harness));
        }
        for row in menu {
            assert!(found.iter().any(|f| f == row.label), "{title} › {}", row.label);
        }
        harness.key_press(Key::Escape);
        harness.run();
    }
    click(&mut harness, "View");
    let item = harness.get_by_role_and_label(Role::MenuItemCheckBox, "Wireframe");
    item.click();
    harness.run();
    assert!(harness.state().session.view().is_on(Toggle::Wireframe));
    assert!(harness.query_by_role_and_label(Role::MenuItemCheckBox, "Wireframe").is_none(), "the menu closes");
}

#[test]
fn the_list_of_keys_uses_the_width_and_says_that_it_goes_on() {
    let mut harness = open(3);
    harness.state_mut().ui.carry_out(&WindowCommand::ShowShortcuts);
    // 1600×900 pixels at 150 %, and 1280×720 at 200 %.
    for (size, count) in [(vec2(1067.0, 600.0), 3), (vec2(640.0, 360.0), 2)] {
        harness.set_size(size);
        harness.run();
        harness.run();
        let rows = COMMANDS.iter().filter_map(|row| Some(format!("{}: {}", row.shortcut?, row.label)));
        let rects: Vec<egui::Rect> = rows.map(|row| harness.get_by_label(&row).rect()).collect();
        let columns: std::collections::BTreeSet<i32> = rects.iter().map(|rect| rect.left() as i32).collect();
        assert_eq!(columns.len(), count, "{size:?}: {columns:?}");
        assert!(rects.iter().all(|rect| rect.right() <= size.x), "{size:?}");
        let sign = harness.get_by_label("More rows below").rect();
        assert!(sign.bottom() <= size.y, "{size:?}: {sign:?}");
    }
}

#[test]
fn the_list_of_keys_is_complete() {
    let mut harness = open(3);
    harness.state_mut().ui.carry_out(&WindowCommand::ShowShortcuts);
    harness.run();
    for row in COMMANDS.iter() {
        let Some(shortcut) = row.shortcut else { continue };
        harness.get_by_label(&format!("{shortcut}: {}", row.label));
    }
    // Nothing behind it answers to keys.
    harness.key_press(Key::W);
    harness.run();
    assert!(harness.state().commands.is_empty());
    click(&mut harness, "Close");
    assert!(harness.query_by_label("F1: Keys").is_none());
    harness.key_press(Key::W);
    harness.run();
    assert_eq!(harness.state().commands, [Command::View(ViewCommand::ToggleOverlay("weights"))]);
}

#[test]
fn a_crowd_is_chosen_in_the_view_menu_and_says_whose_pose_is_shown() {
    let mut harness = open(3);
    assert!(harness.query_by_label_contains("is the one you pose").is_none());
    click(&mut harness, "View");
    click(&mut harness, "Crowd");
    click(&mut harness, "Crowd of 10");
    assert!(has(&harness, &Command::View(ViewCommand::SetCrowd(10))));
    assert_eq!(harness.state().session.pose().formation.members, 10);
    harness.get_by_label("Crowd of 10: the first is the one you pose");
    click(&mut harness, "View");
    click(&mut harness, "Crowd");
    let item = harness.get_by_role_and_label(Role::MenuItemCheckBox, "Crowd of 10");
    assert_eq!(item.accesskit_node().toggled(), Some(egui::accesskit::Toggled::True));
    // Any other number, by keyboard.
    let field = harness.get_by_role_and_label(Role::SpinButton, "Crowd of");
    field.focus();
    harness.run();
    harness.key_press(Key::ArrowUp);
    harness.run();
    assert_eq!(harness.state().session.pose().formation.members, 11);
    click(&mut harness, "No crowd");
    assert_eq!(harness.state().session.pose().formation.members, 1);
    assert!(harness.query_by_label_contains("is the one you pose").is_none());
    // More than there may be of this model.
    let most = skinscope::session::most_members(&tube(Tube { joints: 4096, rings: 64, sides: 3, ..Tube::default() }));
    assert!(most < 1000);
    let mut large = Session::default();
    let model = tube(Tube { joints: 4096, rings: 64, sides: 3, ..Tube::default() });
    large.open(Document::new(Arc::new(model), vec![], None));
    large.apply(PlaybackCommand::SetPlaying(false));
    large.apply(ViewCommand::SetCrowd(1000));
    let mut harness = window(large, UiState::default(), Status::default());
    harness.get_by_label_contains(&format!("at most {most} of it can be shown"));
    click(&mut harness, "View");
    click(&mut harness, "Crowd");
    assert!(harness.get_by_label("Crowd of 1000").accesskit_node().is_disabled());
}

#[test]
fn edges_are_smoothed_as_the_view_menu_says() {
    let mut harness = open(3);
    assert_eq!(harness.state().session.view().antialiasing, Antialiasing::Auto);
    for (choice, then) in [("4×", Antialiasing::Four), ("Off", Antialiasing::Off), ("Auto", Antialiasing::Auto)] {
        if harness.query_by_label("Anti-aliasing").is_none() {
            click(&mut harness, "View");
        }
        click(&mut harness, choice);
        assert_eq!(harness.state().session.view().antialiasing, then);
    }
}

#[test]
fn the_buffer_of_the_palette_is_chosen_in_the_inspector_which_says_what_fits() {
    let limits = Some(PaletteLimits { uniform: 16_384, storage: 1 << 27 });
    let status = Status { palette_limits: limits, ..Status::default() };
    // 300 matrices of 48 bytes are 14 400 bytes; of 80 bytes (dual quaternions), 24 000.
    let mut harness = window(session(300), UiState::default(), status);
    let says = |harness: &Harness<'_, App>, text: &str| harness.query_by_label_contains(text).is_some();
    assert!(says(&harness, "Read from: a storage buffer"));
    assert!(says(&harness, "Uniform holds: 341 in 16.0 KiB"));
    harness.get_by_label("Uniform").scroll_to_me();
    harness.run();
    click(&mut harness, "Uniform");
    assert_eq!(harness.state().session.view().palette_buffer, PaletteBuffer::Uniform);
    assert!(says(&harness, "Read from: a uniform buffer"));
    // Four rows of a matrix are 64 bytes, and 300 of them 19 200.
    harness.get_by_label("4×4").scroll_to_me();
    harness.run();
    click(&mut harness, "4×4");
    assert_eq!(harness.state().session.view().palette_rows, PaletteRows::Four);
    assert!(says(&harness, "× 64 B") && says(&harness, "Read from: a storage buffer"));
    click(&mut harness, "3×4");
    assert!(says(&harness, "× 48 B") && says(&harness, "Read from: a uniform buffer"));
    harness.state_mut().session.apply(ViewCommand::SetMethod("dual-quaternion"));
    harness.run();
    assert!(says(&harness, "Read from: a storage buffer") && says(&harness, "Not in a uniform buffer"));
}

#[test]
fn eyes_hide_joints_and_meshes_with_all_below_them() {
    let mut harness = open(4);
    let bones = |harness: &Harness<'_, App>| harness.state().session.pose().bones.len();
    assert_eq!(bones(&harness), 4);
    click(&mut harness, "Hide joint 1");
    assert!(has(&harness, &Command::View(ViewCommand::ToggleHidden(NodeId(2)))));
    harness.run();
    assert_eq!(bones(&harness), 1);
    assert_eq!(harness.state().session.view().selected, None, "a click on the eye is none on the row");
    // What hangs on it has an eye of its own.
    harness.get_by_label("Hide joint 2");
    click(&mut harness, "Show joint 1");
    harness.run();
    assert_eq!(bones(&harness), 4);
    click(&mut harness, "Hide root");
    harness.run();
    assert!(bones(&harness) == 0 && harness.state().session.pose().draws.is_empty());
}

#[test]
fn bones_and_skin_are_set_beside_the_switch() {
    let mut harness = open(3);
    click(&mut harness, "Bones and skin");
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Sticks").click();
    harness.run();
    assert!(has(&harness, &Command::View(ViewCommand::SetBoneShape(skinscope::inspect::BoneShape::Sticks))));
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Deforming joints only").click();
    harness.run();
    assert!(harness.state().session.bones().deforming_only());
    for (name, key) in [("Skin opacity", Key::ArrowLeft), ("Bone size", Key::ArrowRight)] {
        harness.get_by_role_and_label(Role::Slider, name).focus();
        harness.run();
        harness.key_press(key);
        harness.run();
    }
    let view = harness.state().session.view();
    assert!(view.skin_opacity < 1.0 && view.bone_size > 1.0, "{} {}", view.skin_opacity, view.bone_size);
}

#[test]
fn a_row_that_would_do_nothing_says_why() {
    let mut harness = open(3);
    click(&mut harness, "Edit");
    harness.get_by_label("Undo").hover();
    harness.run_steps(60);
    harness.get_by_label_contains("There is no edit to take back.");
}

#[test]
fn the_picture_says_which_look_it_is_in_and_its_surroundings_are_adjusted_beside_it() {
    let mut harness = open(3);
    assert!(harness.query_by_label("Studio").is_none());
    harness.state_mut().session.apply(ViewCommand::SetLook("jade"));
    harness.run();
    click(&mut harness, "Jade");
    assert_eq!(harness.state().session.view().look.id, "studio", "a click goes back");
    assert!(harness.query_by_label("Jade").is_none() && harness.query_by_label("Surroundings").is_none());
    harness.state_mut().session.apply(ViewCommand::SetLook("environment"));
    harness.run();
    let rotation = |harness: &Harness<'_, App>| harness.state().session.view().environment.rotation;
    // Over the picture, then in the menu: a click on the rail closes neither.
    for from_menu in [false, true] {
        if from_menu {
            click(&mut harness, "Look");
            harness.get_by_role_and_label(Role::MenuItem, "Surroundings").click();
            harness.run();
        } else {
            click(&mut harness, "Surroundings");
        }
        let before = rotation(&harness);
        let rail = harness.get_by_role_and_label(Role::Slider, "Rotation").rect();
        assert!(rail.width() > 180.0, "{rail:?}");
        let place = egui::pos2(rail.left() + if from_menu { 0.2 } else { 0.7 } * rail.width(), rail.center().y);
        drag(&mut harness, &[place], PointerButton::Primary);
        assert_ne!(rotation(&harness), before);
        harness.get_by_role_and_label(Role::Slider, "Exposure");
        if from_menu {
            // What is chosen by name closes the menu.
            harness.get_by_role_and_label(Role::MenuItemCheckBox, "Built-in room").click();
            harness.run();
            assert!(harness.query_by_role_and_label(Role::Slider, "Exposure").is_none());
        }
        harness.key_press(Key::Escape);
        harness.run();
        harness.key_press(Key::Escape);
        harness.run();
    }
    // The row of a submenu says what is chosen in it.
    let says = |harness: &Harness<'_, App>, text: &str| painted_texts(harness).iter().any(|(t, _)| t == text);
    harness.state_mut().session.apply(ViewCommand::SetToneMap("agx"));
    harness.state_mut().session.apply(ViewCommand::SetLook("jade"));
    harness.run();
    assert!(!says(&harness, "AgX"));
    click(&mut harness, "Look");
    assert!(says(&harness, "AgX"));
}

#[test]
fn the_surface_is_subdivided_in_the_view_menu_unless_something_is_compared() {
    let mut harness = open(3);
    let choose = |harness: &mut Harness<'_, App>, label: &str| {
        click(harness, "View");
        harness.get_by_role_and_label(Role::MenuItem, "Subdivide").click();
        harness.run();
        harness.get_by_role_and_label(Role::MenuItemCheckBox, label).click();
        harness.run();
    };
    choose(&mut harness, "Subdivide twice");
    assert!(has(&harness, &Command::View(ViewCommand::SetSubdivision(2))));
    assert_eq!(harness.state().session.view().subdivision.levels, 2);
    choose(&mut harness, "Subdivide first, then skin");
    assert!(harness.state().session.view().subdivision.is_first);
    choose(&mut harness, "Not subdivided");
    harness.state_mut().session.apply(ComparisonCommand::Set(true));
    harness.run();
    click(&mut harness, "View");
    harness.get_by_role_and_label(Role::MenuItem, "Subdivide").click();
    harness.run();
    let row = harness.get_by_role_and_label(Role::MenuItemCheckBox, "Subdivide once");
    assert!(row.accesskit_node().is_disabled());
}
