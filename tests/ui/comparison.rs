//! The comparison of two surfaces: its row in the menu, the line over the picture, and the plate that says how far they are apart.

use glam::Vec3;
use skinscope::edit::{Packing, RUNTIMES};
use skinscope::session::{ComparedFile, ComparisonCommand, ComparisonLayout, SideWeights};

use super::*;

/// A tube whose upper half is turned, compared by the key.
fn comparing() -> Harness<'static, App> {
    let mut session = session(3);
    session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::Y * 80.0)));
    session.apply(ViewCommand::SetMethod("linear"));
    session.update_pose();
    let mut harness = window(session, UiState::default(), Status::default());
    harness.key_press(Key::X);
    harness.run();
    assert!(harness.state().session.deforming().comparison().is_some());
    // In a window of this width it is a bar below the picture at first.
    click(&mut harness, "Unfold the comparison");
    harness
}

fn compared(harness: &Harness<'_, App>) -> skinscope::session::Comparison {
    *harness.state().session.deforming().comparison().unwrap()
}

#[test]
fn the_plate_says_what_is_compared_and_how_far_it_is_apart() {
    let mut harness = comparing();
    let distance = harness.state().session.surfaces().compared_surfaces().unwrap().distance;
    assert!(distance.worst > 1e-3);
    for label in ["Worst: ", "Mean: ", "RMS: "] {
        let node = harness.get_by_label_contains(label);
        let text = node.accesskit_node().value().unwrap();
        assert!(text.contains(" mm") && text.contains(" %"), "{text}");
    }
    let worst = harness.get_by_label_contains("Worst: ").accesskit_node().value().unwrap();
    let said: f64 = worst["Worst: ".len()..].split(' ').next().unwrap().parse().unwrap();
    assert!((said - 1e3 * distance.worst).abs() <= 0.01 * said, "{worst}: {distance:?}");
    click(&mut harness, "To the worst");
    assert_eq!(harness.state().session.view().pinned, distance.at);
    click(&mut harness, "Distance");
    assert_eq!(harness.state().session.view().overlay.map(|overlay| overlay.id), Some("distance"));
    click(&mut harness, "Stop comparing");
    assert!(
        harness.state().session.deforming().comparison().is_none() && harness.query_by_label("To the worst").is_none()
    );
    harness.get_by_label_contains("Shown while two methods are compared");
}

#[test]
fn layout_method_weights_and_sides_are_chosen_on_the_plate() {
    let mut harness = comparing();
    for layout in [ComparisonLayout::SideBySide, ComparisonLayout::Split] {
        click(&mut harness, layout.label());
        assert_eq!(compared(&harness).layout, layout);
    }
    click(&mut harness, "Weights of the other side: As shown");
    click(&mut harness, "Stored weights");
    click(&mut harness, "Swap");
    assert!(compared(&harness).weights == SideWeights::Stored && compared(&harness).swapped);
    let drop_down = format!("Compare with: {}", compared(&harness).choice.method.label);
    click(&mut harness, &drop_down);
    click(&mut harness, "Dominant joint");
    assert_eq!(compared(&harness).choice.method.id, "dominant");
    click(&mut harness, "View");
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Compare").click();
    harness.run();
    assert!(harness.state().session.deforming().comparison().is_none());
}

#[test]
fn another_file_is_asked_for_in_the_menu_and_left_on_the_plate() {
    let mut harness = comparing();
    click(&mut harness, "File");
    harness.get_by_role_and_label(Role::MenuItem, "Compare with file…").click();
    harness.run();
    assert!(harness.state().commands.contains(&FileCommand::CompareDialog.into()));
    let model = Arc::clone(harness.state().session.document().unwrap().stored());
    let file = ComparedFile { model, name: "other.glb".to_owned() };
    harness.state_mut().session.compare_file(file).unwrap();
    harness.run();
    harness.get_by_label("File: other.glb");
    assert_eq!(compared(&harness).weights, SideWeights::Stored);
    click(&mut harness, "Other file");
    assert!(
        compared(&harness).weights == SideWeights::Shown
            && harness.state().session.deforming().compared_file().is_some()
    );
    click(&mut harness, "Leave this file");
    assert!(harness.state().session.deforming().compared_file().is_none());
    harness.get_by_label("Weights of the other side: As shown");
}

#[test]
fn the_line_is_dragged_and_moved_by_arrows() {
    let mut harness = comparing();
    let line = harness.get_by_label("Comparison line").rect();
    let picture = harness.state().picture;
    let at = Pos2::new(line.center().x, picture.top() + 0.8 * picture.height());
    let to = Pos2::new(picture.left() + 0.25 * picture.width(), at.y);
    drag(&mut harness, &[at, to], PointerButton::Primary);
    assert!((compared(&harness).split - 0.25).abs() < 0.01, "{}", compared(&harness).split);
    assert!(!harness.state().commands.iter().any(|c| matches!(c, Command::Camera(CameraCommand::Orbit(_)))));
    harness.get_by_label("Comparison line").focus();
    harness.run();
    let before = compared(&harness).split;
    harness.key_press(Key::ArrowRight);
    harness.run();
    assert!((compared(&harness).split - before - 0.02).abs() < 1e-4);
}

#[test]
fn a_blinking_picture_takes_turns() {
    let mut harness = comparing();
    harness.get_by_label("Blink").click();
    harness.run_steps(40);
    let turns =
        harness.state().commands.iter().filter(|c| **c == Command::Comparison(ComparisonCommand::Blink)).count();
    assert!((2..=6).contains(&turns), "{turns} in two seconds");
}

#[test]
fn figures_of_a_runtime_are_never_cut() {
    let mut session = Session::default();
    let model = tube(Tube { joints: 4, rings: 120, sides: 30, influences: 4, ..Tube::default() });
    session.open(Document::new(Arc::new(model), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    let packing = RUNTIMES.iter().find(|runtime| runtime.packing.influences == 1).unwrap().packing;
    session.apply(ComparisonCommand::PreviewAs(packing));
    let mut harness = window(session, UiState::default(), Status::default());
    click(&mut harness, "Unfold the comparison");
    let figures = *harness.state().session.deforming().packed_figures().unwrap();
    assert!(figures.losing > 1000 && figures.vertices > 3000, "{figures:?}");
    let grouped = |n: usize| format!("{}\u{2009}{:03}", n / 1000, n % 1000);
    assert_eq!(signs(&harness, &format!("{} of {}", grouped(figures.losing), grouped(figures.vertices))), 1);
}

#[test]
fn a_runtime_is_previewed_and_its_numbers_are_changed() {
    let mut harness = window(session(3), UiState::default(), Status::default());
    click(&mut harness, "Tools");
    harness.get_by_label_contains("Preview as a runtime").click();
    harness.run();
    assert_eq!(compared(&harness).weights, SideWeights::Packed(RUNTIMES[0].packing));
    click(&mut harness, "Unfold the comparison");
    harness.get_by_label_contains("Vertices that lose joints: 0 of");
    click(&mut harness, "Weights of the other side: three.js");
    click(&mut harness, "Unity, 1 bone");
    let told = *harness.state().session.deforming().packed_figures().unwrap();
    assert!(told.losing > 0 && told.vertex_bytes == 5, "{told:?}");
    harness.get_by_label(&format!("Vertices that lose joints: {} of {}", told.losing, told.vertices));
    harness.get_by_label("Bytes of a vertex: 5");
    assert!(harness.query_by_label("u8").is_none());
    click(&mut harness, "Own numbers");
    harness.get_by_role_and_label(Role::Button, "u8").click();
    harness.run();
    let own = Packing::parse("1:u8").unwrap();
    assert_eq!(compared(&harness).weights, SideWeights::Packed(own));
    harness.get_by_label("Bytes of a vertex: 2");
    // The wheel scrolls the plate and leaves the camera alone.
    let (orbit, at) = (harness.state().session.view().orbit, harness.get_by_label("Own numbers").rect());
    harness.event(Event::PointerMoved(at.center()));
    harness.run();
    harness.event(Event::MouseWheel {
        unit: egui::MouseWheelUnit::Line,
        delta: vec2(0.0, -1.0),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Wheel,
        modifiers: Modifiers::NONE,
    });
    harness.run();
    assert_eq!(harness.state().session.view().orbit, orbit);
    assert!(harness.get_by_label("Own numbers").rect().top() < at.top(), "the plate scrolls");
    // The plate ends within the picture, and its last control is reached by scrolling.
    let picture = harness.state().picture;
    let last = |harness: &Harness<'_, App>| harness.get_by_role_and_label(Role::Button, "To the worst").rect();
    harness.get_by_role_and_label(Role::Button, "To the worst").scroll_to_me();
    harness.run();
    assert!(last(&harness).bottom() <= picture.bottom(), "{:?} in {picture:?}", last(&harness));
    click(&mut harness, "To the worst");
    assert!(has(&harness, &Command::Comparison(ComparisonCommand::ToWorst)));
}

/// A window of this size in which two sides are compared and the legend of their distance is open.
fn comparing_in(size: egui::Vec2, split: f32, layout: ComparisonLayout) -> Harness<'static, App> {
    let mut harness = comparing();
    harness.set_size(size);
    harness.run();
    let session = &mut harness.state_mut().session;
    session.apply(ViewCommand::ToggleOverlay("distance"));
    session.apply(ComparisonCommand::SetMethod("centres-of-rotation"));
    session.apply(ComparisonCommand::SetLayout(layout));
    session.apply(ComparisonCommand::SetSplit(split));
    harness.run();
    harness
}

/// The rectangles of everything in the picture that has a name or a text, with that, other than the picture, the line and the ground of the plate.
fn labelled(harness: &Harness<'_, App>) -> Vec<(String, egui::Rect)> {
    let picture = harness.state().picture;
    let text = |n: &egui_kittest::Node<'_>| {
        let node = n.accesskit_node();
        node.label().or_else(|| node.value()).map(|text| (text, n.rect()))
    };
    let all = harness.root().children_recursive().filter_map(|n| text(&n));
    let ground = ["3D view", "Comparison line", "Comparison"];
    all.filter(|(text, rect)| picture.contains_rect(*rect) && !ground.contains(&text.as_str())).collect()
}

#[test]
fn the_names_of_the_sides_stand_below_everything_else_and_on_their_own_side() {
    let sizes = [vec2(1280.0, 720.0), vec2(1920.0, 1080.0), vec2(900.0, 600.0)];
    let cases = sizes.into_iter().flat_map(|size| [0.04, 0.2, 0.5, 0.9].map(|split| (size, split)));
    for (size, split) in cases {
        let mut harness = comparing_in(size, split, ComparisonLayout::Split);
        harness.event(Event::PointerMoved(beside_the_bones(harness.state())));
        harness.run();
        let all = labelled(&harness);
        let sides = ["Left side: ", "Right side: "].map(|side| all.iter().find(|(text, _)| text.starts_with(side)));
        let picture = harness.state().picture;
        let line = harness.get_by_label("Comparison line").rect().center().x;
        assert!(harness.query_all_by_label("Distance of two methods").next().is_some(), "no legend, {size}");
        // In the least window the tools lie over the skin.
        assert!(size.x < 1000.0 || all.iter().any(|(text, _)| text.starts_with("Vertex ")), "no card: {all:?}");
        let rooms = [picture.with_max_x(line), picture.with_min_x(line)];
        for (room, side) in rooms.into_iter().zip(sides) {
            match side {
                Some((_, name)) => assert!(room.contains_rect(*name), "{side:?} beside the line at {line}, {size}"),
                // A name of two letters is no name.
                None => assert!(room.width() < 70.0, "no name beside the line at {line} in {picture:?}, {size}"),
            }
        }
        assert!(!(0.1..=0.8).contains(&split) || size.x < 1000.0 || sides.iter().all(Option::is_some));
        for (side, name) in sides.into_iter().flatten() {
            for (text, rect) in all.iter().filter(|(text, _)| !text.contains(" side: ")) {
                assert!(rect.bottom() <= name.top() + 0.5, "{text:?} {rect:?} reaches {side:?} {name:?}, {size}");
            }
        }
    }
    let harness = comparing_in(vec2(1280.0, 720.0), 0.5, ComparisonLayout::Blink);
    harness.get_by_label_contains("Shown side: ");
}

/// The rectangle of the plate, and whether all its figures and the way to the worst vertex are in the window.
fn plate(harness: &Harness<'_, App>) -> egui::Rect {
    let window = harness.ctx.content_rect();
    for label in ["Worst: ", "Mean: ", "RMS: "] {
        let rect = harness.get_by_label_contains(label).rect();
        assert!(window.contains_rect(rect), "{label:?} at {rect:?} in {window:?}");
    }
    let rect = harness.get_by_role_and_label(Role::Button, "To the worst").rect();
    assert!(window.contains_rect(rect), "the way to the worst vertex at {rect:?} in {window:?}");
    harness.get_by_label("Comparison").rect()
}

#[test]
fn the_plate_covers_no_side_and_shows_all_its_figures_open_and_folded() {
    for layout in ComparisonLayout::ALL.into_iter().take(2) {
        for size in [vec2(1280.0, 720.0), vec2(1920.0, 1080.0)] {
            let mut harness = comparing_in(size, 0.5, layout);
            for label in ["Fold the comparison", "Unfold the comparison"] {
                let (picture, plate) = (harness.state().picture, plate(&harness));
                assert!(!plate.shrink(0.5).intersects(picture), "{plate:?} over the picture {picture:?}, {size}");
                assert!(picture.width() > 400.0 && picture.height() > 400.0, "{picture:?}, {size}");
                click(&mut harness, label);
            }
        }
    }
}

#[test]
fn the_plate_is_dragged_over_the_picture_and_back_beside_it() {
    let mut harness = comparing_in(vec2(1280.0, 720.0), 0.5, ComparisonLayout::Split);
    let beside = harness.state().picture;
    let title = |harness: &Harness<'_, App>| harness.get_by_label("Title of the comparison").rect().center();
    let from = title(&harness);
    let to = from - vec2(300.0, -40.0);
    drag(&mut harness, &[from, from - vec2(30.0, 0.0), to], PointerButton::Primary);
    let (picture, floating) = (harness.state().picture, harness.get_by_label("Comparison").rect());
    assert!(picture.width() > beside.width() + 200.0, "the picture has all the room: {picture:?}, {beside:?}");
    assert!(picture.contains_rect(floating), "{floating:?} in {picture:?}");
    let at = title(&harness);
    assert!((at - to).length() < 40.0, "the title is at {at:?}, where the pointer left it: {to:?}");
    assert!(!harness.state().commands.iter().any(|c| matches!(c, Command::Camera(CameraCommand::Orbit(_)))));
    // It stays where it is, inside, and its controls work there.
    click(&mut harness, "Swap");
    assert!(compared(&harness).swapped);
    harness.run();
    assert_eq!(harness.get_by_label("Comparison").rect(), floating);
    // Dropped at the right end it is a panel again; so does the button.
    let end = egui::pos2(picture.right() - 4.0, at.y);
    drag(&mut harness, &[at, at + vec2(30.0, 0.0), end], PointerButton::Primary);
    assert_eq!(harness.state().picture, beside);
    click(&mut harness, "Let the comparison float over the picture");
    assert!(harness.state().picture.contains_rect(harness.get_by_label("Comparison").rect()));
    click(&mut harness, "Put the comparison beside the picture");
    assert_eq!(harness.state().picture, beside);
}

#[test]
fn the_way_to_the_worst_vertex_moves_the_camera_there() {
    let mut harness = comparing_in(vec2(1280.0, 720.0), 0.5, ComparisonLayout::Split);
    click(&mut harness, "Fold the comparison");
    let before = harness.state().session.view().orbit;
    click(&mut harness, "To the worst");
    let view = harness.state().session.view();
    let worst = harness.state().session.surfaces().compared_surfaces().unwrap().distance.at.unwrap();
    assert_eq!(view.pinned, Some(worst));
    let surface = harness.state().session.surfaces().surface().unwrap();
    let at = surface.part(worst.instance, worst.primitive).unwrap().position(worst.vertex, 0).unwrap();
    let moved = view.orbit.target.distance(before.target);
    assert!(view.orbit.distance < 0.5 * before.distance && moved > 0.1, "{:?} from {before:?}", view.orbit);
    let seen = view.project(at).unwrap();
    let middle = 0.5 * view.viewport;
    assert!((seen - middle).abs().cmplt(0.2 * middle).all(), "{seen} around {middle}");
}

#[test]
fn the_scale_of_distances_follows_the_model_until_it_is_fixed() {
    let mut harness = comparing_in(vec2(1280.0, 720.0), 0.5, ComparisonLayout::Split);
    let height = f64::from(harness.state().session.extents().rest_height());
    assert!(height > 0.1);
    let scale = |harness: &Harness<'_, App>| {
        let node = harness.get_by_label_contains("Scale: ").accesskit_node();
        node.label().or_else(|| node.value()).unwrap()
    };
    let of = |height: f64| {
        let marks = [1e-4, 1e-3, 1e-2, 1e-1].map(|part| skinscope::math::tick_length(part * height));
        format!("Scale: {}", marks.join(", "))
    };
    assert_eq!(scale(&harness), of(height));
    click(&mut harness, "Fixed scale");
    let fixed = harness.state().session.view().distance_scale.unwrap();
    assert!((f64::from(fixed) - 0.1 * height).abs() < 1e-6);
    harness.state_mut().session.apply(ViewCommand::SetDistanceScale(Some(2.0)));
    harness.run();
    assert_eq!(scale(&harness), of(20.0));
    // No two marks of a small scale read alike.
    harness.state_mut().session.apply(ViewCommand::SetDistanceScale(Some(2e-4)));
    harness.run();
    assert_eq!(scale(&harness), "Scale: 200 nm, 2 µm, 20 µm, 200 µm");
    click(&mut harness, "Fixed scale");
    assert_eq!(scale(&harness), of(height));
    // The renderer has the same ends, in powers of ten of millimetres.
    let session = &harness.state().session;
    let mut frame = skinscope::frame::Frame::default();
    session.build_frame(&mut frame, &skinscope::frame::SceneColors::DARK);
    let [low, high] = frame.display.scale_ends.unwrap();
    let wanted = (1e3 * 0.1 * height).log10() as f32;
    assert!((high - wanted).abs() < 1e-4 && (high - low - 3.0).abs() < 1e-4, "{low} {high}, {wanted}");
}

#[test]
fn legends_name_both_sides_by_what_they_are() {
    let mut harness = comparing_in(vec2(1280.0, 720.0), 0.5, ComparisonLayout::Split);
    harness.get_by_label("Linear blend against Centres of rotation");
    harness.state_mut().session.apply(ViewCommand::SetOverlay(Some("stretch")));
    harness.run();
    harness.get_by_label("First Linear blend, then Centres of rotation");
    let model = Arc::clone(harness.state().session.document().unwrap().stored());
    let file = ComparedFile { model, name: "other.glb".to_owned() };
    harness.state_mut().session.compare_file(file).unwrap();
    harness.run();
    let heads = harness.get_by_label_contains("First ").accesskit_node();
    let heads = heads.label().or_else(|| heads.value()).unwrap();
    assert!(heads.contains("other.glb"), "{heads}");
}

#[test]
fn a_picture_names_both_sides_above_which_the_legend_ends() {
    let mut harness = comparing();
    harness.state_mut().session.apply(ViewCommand::SetOverlay(Some("distance")));
    for (layout, named) in [(ComparisonLayout::Split, true), (ComparisonLayout::SideBySide, false)] {
        harness.state_mut().session.apply(ComparisonCommand::SetLayout(layout));
        let session = harness.state().session.clone();
        let projector = session.view().projector();
        let over =
            ui::Over { legend: true, sides: named, models: false, names: false, words: false, page: 0.0, projector };
        let mut still = Harness::builder()
            .with_size(vec2(1280.0, 720.0))
            .with_context_setup(ui::install)
            .build_ui(move |ui| _ = ui::show_over(ui, &session, &over, false));
        still.run();
        assert_eq!(still.query_by_label("Left side: Linear blend").is_some(), named, "{layout:?}");
        assert_eq!(still.query_by_label("Right side: Dual quaternion").is_some(), named, "{layout:?}");
        let legend = still.get_by_label_contains("Less than ").rect();
        if named {
            let name = still.get_by_label("Left side: Linear blend").rect();
            assert!(legend.bottom() <= name.top(), "{legend:?} {name:?}");
            assert!(name.right() < 640.0 && still.get_by_label("Right side: Dual quaternion").rect().left() > 640.0);
        }
    }
}
