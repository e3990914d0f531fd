//! How panels share the window, and how much fits into them.

use skinscope::inspect::check::{Finding, FindingPose, Measure, Report, Severity};
use skinscope::inspect::rom::RomReport;
use skinscope::inspect::{Inspection, rule_words};
use skinscope::model::{MeshId, MorphTarget};

use super::*;

pub(super) fn finding(rule: &'static str, joint: u32) -> Finding {
    Finding {
        rule,
        severity: Severity::Info,
        mesh: Some(MeshId(0)),
        primitive: Some(0),
        vertices: vec![3, 4],
        joints: vec![NodeId(joint)],
        message: format!("What {rule} says."),
        fix: "What to do.".into(),
        measure: Some(Measure { what: "so much", value: 12.345, unit: "mm" }),
        pose: FindingPose::Rest,
    }
}

/// A tube with these findings.
pub(super) fn inspected(findings: Vec<Finding>) -> Session {
    let mut session = session(3);
    let model = Arc::clone(session.model().unwrap());
    session.inspected(&model, Inspection { report: Report { findings, ..Report::default() }, ..Inspection::default() });
    session
}

#[test]
fn the_button_of_the_range_of_motion_is_whole_however_narrow_and_low_the_panel_is() {
    for rom in [None, Some(0.42)] {
        for (width, height) in [(180.0, 720.0), (210.0, 720.0), (256.0, 720.0), (180.0, 400.0), (256.0, 400.0)] {
            for count in [0, 1, 40] {
                let saved = Saved { outliner_width: width, findings_height: 100.0, ..Saved::default() };
                let status = Status { rom, ..Status::default() };
                let session = inspected((0..count).map(|_| finding("rogue-vertices", 1)).collect());
                let mut harness = window(session, UiState::new(saved), status);
                harness.set_size(vec2(1280.0, height));
                harness.run();
                let name = if rom.is_some() { "Cancel" } else { "Run range of motion" };
                let inside = harness.state().picture;
                // Eight points above the edge of the panel what is shown is cut.
                let bottom = inside.bottom() - 8.0;
                let mut last = 0.0;
                let labels = if rom.is_some() { vec![name] } else { vec![name, "Reach: ±90°"] };
                for label in labels {
                    let rect = harness.get_by_label(label).rect();
                    let place = format!("{label} at {rect:?} in {width} × {height}, {count} findings");
                    assert!(rect.left() >= 8.0 && rect.right() <= inside.left() - 8.0, "{place}");
                    assert!(rect.bottom() <= bottom && rect.top() >= last, "{place}, above {bottom}");
                    last = rect.top();
                }
            }
        }
    }
}

#[test]
fn the_list_jumps_to_what_the_range_of_motion_found() {
    let session = inspected((0..60).map(|_| finding("rogue-vertices", 1)).collect());
    let mut harness = window(session, UiState::default(), Status::default());
    let stretched = "Edge stretch, joint 2 · 2 vertices";
    click(&mut harness, "Run range of motion");
    assert!(harness.query_by_label(stretched).is_none());
    let model = Arc::clone(harness.state().session.model().unwrap());
    let findings = (0..40).map(|_| finding("rom-stretch", 3)).collect();
    let report = RomReport { findings, poses: 54, driven: 3, ..RomReport::default() };
    harness.state_mut().session.measured(&model, report);
    harness.run();
    harness.run();
    let rows: Vec<_> = harness.get_all_by_label(stretched).map(|n| n.rect()).collect();
    let footer = harness.get_by_label("Run range of motion").rect();
    let seen = rows.iter().filter(|r| r.bottom() < footer.top()).count();
    assert!(seen >= 3, "{seen} of the new findings are seen: {rows:?}");
}

#[test]
fn long_titles_have_two_lines() {
    let (long, _) = rule_words("weights-sum-255").unwrap();
    assert!(long.len() > 24, "{long}");
    let saved = Saved { outliner_width: 190.0, ..Saved::default() };
    let session = inspected(vec![finding("weights-sum-255", 1), finding("weights-zero", 1)]);
    let harness = window(session, UiState::new(saved), Status::default());
    let [first, second] = ["weights-sum-255", "weights-zero"].map(|rule| {
        let (label, _) = rule_words(rule).unwrap();
        harness.get_by_label(&format!("{label}, joint 0 · 2 vertices")).rect()
    });
    assert!(first.height() >= second.height() + 12.0, "{first:?} and {second:?}");
    assert!(second.top() >= first.bottom() - 0.5);
}

#[test]
fn tables_take_their_room_from_the_picture_alone() {
    let mut harness = selected(3, 2);
    // A smaller window has no room for all of them, and stacks tables and timeline.
    harness.set_size(vec2(2560.0, 1440.0));
    harness.run();
    let of = |harness: &Harness<'_, App>| {
        ["Search nodes", "Run range of motion", "Rotation X", "Next frame"].map(|l| harness.get_by_label(l).rect())
    };
    let (before, picture) = (of(&harness), harness.state().picture);
    harness.state_mut().ui.carry_out(&WindowCommand::TogglePanel(skinscope::session::Panel::Tables));
    harness.run();
    let after = harness.state().picture;
    assert_eq!(of(&harness), before, "all else stays");
    assert_eq!((after.left(), after.right(), after.top()), (picture.left(), picture.right(), picture.top()));
    assert!(after.height() < picture.height() - 150.0 && after.height() > 100.0, "{after:?}");
}

#[test]
fn narrow_tables_keep_their_filters() {
    let saved = Saved { tables: true, ..Saved::default() };
    let mut harness = window(session(3), UiState::new(saved), Status::default());
    harness.set_size(vec2(760.0, 720.0));
    harness.run();
    harness.get_by_role_and_label(Role::Button, "Vertices").click();
    harness.run();
    let edge = egui::Rect::from_min_max(egui::pos2(8.0, 8.0), egui::pos2(752.0, 712.0));
    for filter in ["Pairs", "All joints", "Selected joint", "Marked", "Sums: Any sum", "Influences: Any count"] {
        let rect = harness.get_by_label(filter).rect();
        assert!(rect.left() >= edge.left() && rect.right() <= edge.right(), "{filter} at {rect:?}");
    }
}

#[test]
fn every_menu_fits_720_points() {
    let items = |harness: &Harness<'_, App>| -> Vec<egui::Rect> {
        [Role::MenuItem, Role::MenuItemCheckBox]
            .into_iter()
            .flat_map(|role| harness.query_all_by_role(role).map(|n| n.rect()).collect::<Vec<_>>())
            .collect()
    };
    let lowest = |rects: &[egui::Rect]| rects.iter().fold(0.0_f32, |low, r| low.max(r.bottom()));
    let submenus: [(&str, &[(&str, &str)]); 9] = [
        ("File", &[("Examples", "Twist bar")]),
        ("Edit", &[]),
        ("Pose", &[("Tool and axes", "World axes")]),
        (
            "View",
            &[
                ("Views", "Front"),
                ("Lights", "Studio light"),
                ("Crowd", "No crowd"),
                ("Subdivide", "Subdivide twice"),
                ("Panels", "Tables"),
            ],
        ),
        (
            "Look",
            &[
                ("Matcaps", "Jade"),
                ("Normals, UV and maps", "Base colour"),
                ("Tone map", "ACES"),
                ("Surroundings", "Built-in room"),
            ],
        ),
        (
            "Overlay",
            &[
                ("Changes of weights", "Left after baking"),
                ("Layers of weights", "Layer weights"),
                ("Normals and tangents", "Tangents"),
                ("Motion", "Onion skins"),
                ("Bounds", "Of the pose"),
            ],
        ),
        ("Tools", &[("Bind and bake", "Bake method"), ("Marks", "Grow marks"), ("Paint", "Smooth brush")]),
        ("Playback", &[]),
        ("Help", &[]),
    ];
    for (menu, submenus) in submenus {
        let mut harness = open(3);
        click(&mut harness, menu);
        assert!(lowest(&items(&harness)) < 700.0, "{menu}: {}", lowest(&items(&harness)));
        for (submenu, has) in submenus {
            assert!(harness.query_by_label(has).is_none(), "{has} is not in the menu itself");
            click(&mut harness, submenu);
            harness.get_by_label(has);
            assert!(lowest(&items(&harness)) <= 720.0, "{submenu}: {}", lowest(&items(&harness)));
        }
    }
}

/// Two tubes, both with a target "Smile", one with "Blink" too.
fn smiling() -> Session {
    let mut parts = ModelParts::clone(&tube(Tube { rings: 12, ..Tube::default() }));
    parts.meshes.push(parts.meshes[0].clone());
    for (mesh, names) in [(0, vec!["Smile", "Blink"]), (1, vec!["Smile"])] {
        parts.meshes[mesh].primitives[0].morphs = vec![MorphTarget::default(); names.len()];
        parts.meshes[mesh].morph_names = names.into_iter().map(String::from).collect();
    }
    parts.instances.push(parts.instances[0].clone());
    parts.instances[1].mesh = MeshId(1);
    parts.instances[1].node = NodeId(1);
    parts.instances[0].morph_weights = vec![0.0, 0.0];
    parts.instances[1].morph_weights = vec![0.0];
    parts.instances[1].morph_offset = 2;
    parts.skeleton.rest.morph_weights = vec![0.0; 3];
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    session
}

#[test]
fn morph_targets_of_one_name_move_together_unless_they_are_split() {
    let mut harness = window(smiling(), UiState::default(), Status::default());
    let weights = |harness: &Harness<'_, App>| harness.state().session.pose().local.morph_weights.clone();
    let rail = harness.get_by_label("Smile of 2 meshes").rect();
    drag(&mut harness, &[rail.center(), rail.right_center()], PointerButton::Primary);
    assert_eq!(weights(&harness), [1.0, 0.0, 1.0]);
    harness.get_by_label("Blink");
    harness.state_mut().session.apply(EditCommand::Undo);
    harness.run();
    assert_eq!(weights(&harness), [0.0; 3], "one drag is one step");
    click(&mut harness, "Give each mesh morph targets of its own");
    let rail = harness.get_by_label("Smile of joint 0").rect();
    drag(&mut harness, &[rail.center(), rail.right_center()], PointerButton::Primary);
    assert_eq!(weights(&harness), [0.0, 0.0, 1.0]);
    click(&mut harness, "Move morph targets of one name together");
    harness.get_by_label("Smile of 2 meshes");
    click(&mut harness, "Reset morph targets");
    assert_eq!(weights(&harness), [0.0; 3]);
}

#[test]
fn the_timeline_is_as_high_as_its_rows_and_gone_without_a_clip() {
    let mut harness = open(3);
    let ruler = harness.get_by_label("Time").rect();
    assert!((690.0..=720.0).contains(&ruler.bottom()), "{ruler:?} ends at the window's edge");
    let rows = 3.0 * 18.0;
    assert!(ruler.height() > 25.0 + rows && ruler.height() < 25.0 + rows + 28.0, "{ruler:?}");
    // A click on a joint moves nothing.
    let before = harness.state().picture;
    harness.state_mut().session.apply(SelectionCommand::Select(Some(NodeId(2))));
    harness.run();
    assert_eq!(harness.state().picture, before);
    let mut session = Session::default();
    session.open(Document::new(Arc::new(with_clips(0)), vec![], None));
    let harness = window(session, UiState::default(), Status::default());
    assert!(harness.query_by_label("Time").is_none() && harness.query_by_label("Next frame").is_none());
    assert!(harness.state().picture.bottom() > 710.0, "{:?}", harness.state().picture);
}

#[test]
fn the_size_of_the_model_and_the_unit_of_the_grid_are_said() {
    let mut harness = open(3);
    harness.get_by_label("Size of the model: 0.50 × 2.00 × 0.50 m");
    harness.get_by_label("Grid 10 cm");
    // From afar the finest lines are left out.
    harness.state_mut().session.apply(CameraCommand::Zoom(-25.0, glam::Vec2::new(400.0, 300.0)));
    harness.run();
    harness.get_by_label("Grid 1 m");
    harness.state_mut().session.apply(ViewCommand::Toggle(Toggle::Grid));
    harness.run();
    assert!(harness.query_by_label_contains("Grid 1").is_none());
}

/// What is painted where a widget is.
fn fill(harness: &Harness<'_, App>, label: &str) -> egui::Color32 {
    let place = harness.get_by_label(label).rect();
    let mut fills = harness.output().shapes.iter().filter_map(|s| match &s.shape {
        egui::Shape::Rect(r) if r.rect == place && r.fill != egui::Color32::TRANSPARENT => Some(r.fill),
        _ => None,
    });
    fills.next_back().unwrap()
}

#[test]
fn a_chip_that_is_on_is_filled_in_both_themes() {
    for light in [false, true] {
        let mut harness = window(session(3), UiState::new(Saved { light, ..Saved::default() }), Status::default());
        // The pointer leaves each chip, which would be lit up under it.
        let away = |harness: &mut Harness<'_, App>| {
            harness.event(Event::PointerMoved(harness.state().picture.center()));
            harness.run();
        };
        away(&mut harness);
        for chip in ["Bones", "Wireframe", "Dots"] {
            let before = fill(&harness, chip);
            click(&mut harness, chip);
            away(&mut harness);
            let after = fill(&harness, chip);
            let apart = |a: egui::Color32, b: egui::Color32| (0..3).map(|i| a[i].abs_diff(b[i])).max();
            assert!(apart(before, after) >= Some(24), "{chip}, light: {light}: {before:?} and {after:?}");
        }
    }
}

#[test]
fn a_panel_that_had_no_room_is_shown_when_it_is_asked_for() {
    let mut harness = selected(3, 2);
    let has = |harness: &Harness<'_, App>, label: &str| harness.query_by_label(label).is_some();
    assert!(has(&harness, "Rotation X"));
    for keys in [Key::Num5, Key::Num6] {
        harness.key_press_modifiers(Modifiers::COMMAND, keys);
        harness.run();
        harness.run();
        assert!(!has(&harness, "Rotation X"), "{keys:?}: the window is narrow");
        harness.key_press_modifiers(Modifiers::COMMAND, Key::Num2);
        harness.run();
        harness.run();
        assert!(has(&harness, "Rotation X"), "{keys:?}: the inspector was asked for");
        // What it covers comes back the same way.
        harness.key_press_modifiers(Modifiers::COMMAND, keys);
        harness.run();
        harness.run();
        assert!(!has(&harness, "Rotation X"), "{keys:?}: once more");
        harness.key_press_modifiers(Modifiers::COMMAND, keys);
        harness.run();
        harness.run();
        assert!(has(&harness, "Rotation X"), "{keys:?}: closed");
    }
}

#[test]
fn few_findings_leave_the_room_to_the_nodes() {
    let top = |count: usize| {
        let session = inspected((0..count).map(|_| finding("rogue-vertices", 1)).collect());
        let mut harness = window(session, UiState::default(), Status::default());
        harness.run();
        harness.get_by_label("Findings").rect().top()
    };
    let (one, two, many) = (top(1), top(2), top(40));
    assert!(one > two + 20.0 && two > many + 60.0, "{one}, {two}, {many}");
    // In a low window some nodes are in sight.
    let session = inspected((0..40).map(|_| finding("rogue-vertices", 1)).collect());
    let mut harness = window(session, UiState::default(), Status::default());
    harness.set_size(vec2(1280.0, 460.0));
    harness.run();
    let nodes = harness.get_by_label("Search nodes").rect();
    let findings = harness.get_by_label("Findings").rect();
    assert!(findings.top() > nodes.bottom() + 4.0 * 24.0, "{nodes:?}, {findings:?}");
}
