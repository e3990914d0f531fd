//! The tables below the picture.

use std::sync::Arc;

use egui::accesskit::{Role, Toggled};
use egui::{Event, Key, Modifiers, OutputCommand, PointerButton, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use skinscope::app::ui::{Saved, Status, UiState};
use skinscope::inspect::VertexSet;
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{InstanceId, MeshId, Model, ModelParts, NodeId, WeightChange};
use skinscope::session::{
    CameraCommand, ChannelValue, Command, Document, EditCommand, Panel, PlaybackCommand, PoseSource, SelectionCommand,
    Session, ViewCommand, WindowCommand,
};

use super::{App, click, has, window};

/// The rows that are seen, from the top: what screen readers hear.
fn rows(harness: &Harness<'_, App>) -> Vec<String> {
    let mut rows: Vec<_> = harness.get_all_by_role(Role::Row).collect();
    rows.sort_by(|a, b| a.rect().top().total_cmp(&b.rect().top()));
    rows.iter().filter_map(|r| r.accesskit_node().label()).collect()
}

/// The first words of every row.
fn starts(harness: &Harness<'_, App>) -> Vec<String> {
    let first = |row: String| row.split([',', ':']).next().unwrap_or_default().to_owned();
    rows(harness).into_iter().map(first).collect()
}

/// A window of `height` points that shows `model` and the tables.
pub(super) fn shown(model: Model, height: f32) -> Harness<'static, App> {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(model), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    let saved = Saved { tables: true, tables_height: 0.5 * height, ..Saved::default() };
    let mut harness = window(session, UiState::new(saved), Status::default());
    harness.set_size(vec2(1440.0, height));
    harness.run();
    harness.state_mut().commands.clear();
    harness
}

/// Four joints of a metre each, one influence for each vertex: 12, 8, 8 and 8 vertices.
fn one_each() -> Tube {
    Tube { joints: 4, rings: 9, sides: 4, length: 4.0, radius: 0.5, influences: 1 }
}

pub(super) fn tab(harness: &mut Harness<'_, App>, name: &str) {
    harness.get_by_role_and_label(Role::Button, name).click();
    harness.run();
}

fn head(harness: &mut Harness<'_, App>, name: &str) {
    harness.get_by_role_and_label(Role::ColumnHeader, name).click();
    harness.run();
}

/// What went to the clipboard in the last frame.
fn copied(harness: &Harness<'_, App>) -> Option<String> {
    harness.output().platform_output.commands.iter().find_map(|c| match c {
        OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    })
}

/// Runs one frame after another until something is copied.
pub(super) fn copy(harness: &mut Harness<'_, App>) -> String {
    for _ in 0..20 {
        harness.step();
        if let Some(text) = copied(harness) {
            return text;
        }
    }
    unreachable!("nothing was copied")
}

#[test]
fn the_panel_is_opened_by_its_command_and_remembered() {
    let mut harness = super::open(3);
    harness.set_size(vec2(2560.0, 1440.0));
    harness.run();
    assert!(harness.query_by_label("Joint table").is_none(), "hidden at first");
    let before = harness.state().picture;
    harness.state_mut().ui.carry_out(&WindowCommand::TogglePanel(Panel::Tables));
    harness.run();
    harness.get_by_label("Joint table");
    let after = harness.state().picture;
    assert!(after.height() < before.height() - 150.0 && after.width() == before.width());
    assert!(harness.state().ui.saved().tables);
    // Its upper edge is dragged, and that is remembered too.
    let edge = egui::pos2(1000.0, after.bottom() + 1.0);
    super::drag(&mut harness, &[edge, edge - vec2(0.0, 20.0), edge - vec2(0.0, 40.0)], PointerButton::Primary);
    let height = harness.state().ui.saved().tables_height;
    assert!((height - Saved::default().tables_height - 40.0).abs() < 4.0, "{height}");
}

#[test]
fn without_a_model_or_a_skin_the_tables_say_so() {
    let state = || UiState::new(Saved { tables: true, ..Saved::default() });
    let harness = window(Session::default(), state(), Status::default());
    harness.get_by_label("Open a file to see its joints and weights as tables.");
    let mut parts = ModelParts::clone(&tube(one_each()));
    parts.skins.clear();
    parts.instances[0].skin = None;
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    let harness = window(session, state(), Status::default());
    harness.get_by_label("This model has no skin, so there are no joints and no weights to list.");
}

#[test]
fn joints_are_sorted_by_a_click_on_a_head() {
    let mut harness = shown(tube(one_each()), 900.0);
    assert_eq!(starts(&harness), ["Joint joint 0", "Joint joint 1", "Joint joint 2", "Joint joint 3"]);
    assert!(rows(&harness)[0].contains("Vertices 12, Sum 12.0, Largest 1.000, Mean 1.000"), "{}", rows(&harness)[0]);
    // Numbers the largest first, then round, then as they were.
    head(&mut harness, "Depth");
    assert_eq!(starts(&harness)[0], "Joint joint 3");
    head(&mut harness, "Depth, largest first");
    assert_eq!(starts(&harness)[0], "Joint joint 0");
    head(&mut harness, "Vertices");
    assert_eq!(starts(&harness)[0], "Joint joint 0", "with twelve of them");
    head(&mut harness, "Vertices, largest first");
    assert_eq!(starts(&harness), ["Joint joint 1", "Joint joint 2", "Joint joint 3", "Joint joint 0"]);
    head(&mut harness, "Vertices, smallest first");
    harness.get_by_role_and_label(Role::ColumnHeader, "Vertices");
}

#[test]
fn joints_are_searched_selected_and_highlighted() {
    let mut harness = shown(tube(one_each()), 900.0);
    harness.get_by_label("Search joints").focus();
    harness.run();
    harness.get_by_label("Search joints").type_text("t 2");
    harness.run();
    assert_eq!(starts(&harness), ["Joint joint 2"]);
    harness.get_by_label("1 of 4 joints");
    harness.get_by_role(Role::Row).click();
    harness.run();
    assert!(has(&harness, &Command::Selection(SelectionCommand::Select(Some(NodeId(3))))));
    assert!(
        has(&harness, &Command::Selection(SelectionCommand::Hover(Some(NodeId(3))))),
        "what the pointer is over is said"
    );
    assert_eq!(harness.get_by_role(Role::Row).accesskit_node().toggled(), Some(Toggled::True));
    // The arrows go on from there.
    click(&mut harness, "Clear search");
    harness.get_all_by_role(Role::Row).nth(1).unwrap().click();
    harness.run();
    harness.key_press(Key::ArrowDown);
    harness.run();
    assert_eq!(harness.state().session.view().selected, Some(NodeId(3)));
    harness.key_press(Key::End);
    harness.run();
    assert_eq!(harness.state().session.view().selected, Some(NodeId(4)));
    // It needs these keys, and leaves the others to the shortcuts.
    harness.state_mut().commands.clear();
    harness.key_press(Key::W);
    harness.run();
    harness.key_press(Key::Space);
    harness.run();
    assert_eq!(
        harness.state().commands,
        [Command::View(ViewCommand::ToggleOverlay("weights")), Command::Playback(PlaybackCommand::TogglePlay)]
    );
    harness.state_mut().session.apply(PlaybackCommand::SetPlaying(false));
    harness.state_mut().commands.clear();
    harness.key_press(Key::Enter);
    harness.run();
    assert!(has(&harness, &Command::Camera(CameraCommand::FrameSelected)));
    harness.key_press(Key::Escape);
    harness.run();
    harness.state_mut().commands.clear();
    harness.key_press(Key::ArrowDown);
    harness.run();
    assert_eq!(harness.state().commands, [Command::Playback(PlaybackCommand::PreviousKey)], "the focus is elsewhere");
}

#[test]
fn what_was_copied_is_said_for_a_moment() {
    let mut harness = shown(tube(one_each()), 900.0);
    for (table, what) in
        [("Vertices", "36 vertices"), ("Palette", "4 joints"), ("Skins", "1 skin"), ("Joints", "4 joints")]
    {
        tab(&mut harness, table);
        harness.get_by_label("Copy").click();
        copy(&mut harness);
        harness.run();
        let plate = harness.get_by_role_and_label(Role::Status, &format!("Copied {what}")).rect();
        assert!(harness.state().picture.contains_rect(plate), "{table}: {plate:?}");
    }
    harness.get_all_by_role(Role::Row).nth(2).unwrap().click();
    harness.run();
    harness.event(Event::Copy);
    copy(&mut harness);
    harness.step();
    harness.get_by_label("Copied 1 joint");
    // It goes by itself: three seconds later it is gone.
    (0..60).for_each(|_| harness.step());
    assert!(harness.query_by_role(Role::Status).is_none());
}

#[test]
fn the_joint_table_is_copied_as_text() {
    let mut harness = shown(tube(one_each()), 900.0);
    harness.get_by_label("Copy").click();
    let text = copy(&mut harness);
    let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split('\t').collect()).collect();
    assert_eq!(lines.len(), 5, "a header and four rows");
    assert!(lines.iter().all(|l| l.len() == lines[0].len()));
    let column = |name: &str| lines[0].iter().position(|c| *c == name).unwrap();
    assert_eq!(lines[4][..4], ["joint 3", "0", "3", "4"]);
    assert_eq!((lines[4][column("vertices")], lines[4][column("parent")]), ("8", "joint 2"));
    assert_eq!((lines[4][column("min y")], lines[4][column("max y")]), ("3.5", "4"));
    // Ctrl+C copies what is selected.
    harness.get_all_by_role(Role::Row).nth(2).unwrap().click();
    harness.run();
    harness.event(Event::Copy);
    let text = copy(&mut harness);
    assert_eq!(text.lines().count(), 2);
    assert!(text.lines().nth(1).unwrap().starts_with("joint 2\t0\t2\t3"), "{text}");
}

#[test]
fn a_click_on_a_vertex_pins_and_marks_it() {
    let mut harness = shown(tube(Tube { influences: 2, ..one_each() }), 900.0);
    tab(&mut harness, "Vertices");
    harness.get_by_label("36 vertices");
    assert!(rows(&harness)[0].starts_with("Vertex 0 of tube: joint 0 0."), "{}", rows(&harness)[0]);
    let row = |harness: &mut Harness<'_, App>, at: usize, held: Modifiers| {
        let pos = harness.get_all_by_role(Role::Row).nth(at).unwrap().rect().center();
        harness.event(Event::PointerMoved(pos));
        harness.run();
        for pressed in [true, false] {
            let button = PointerButton::Primary;
            harness.event_modifiers(Event::PointerButton { pos, button, pressed, modifiers: held }, held);
        }
        harness.run();
    };
    let marked = |harness: &Harness<'_, App>| harness.state().session.view().marked.of(MeshId(0), 0).to_vec();
    row(&mut harness, 2, Modifiers::NONE);
    let pinned = harness.state().session.view().pinned.unwrap();
    assert_eq!((pinned.instance, pinned.primitive, pinned.vertex), (InstanceId(0), 0, 2));
    assert!(marked(&harness).is_empty());
    row(&mut harness, 6, Modifiers::SHIFT);
    assert_eq!(marked(&harness), [2, 3, 4, 5, 6]);
    // A range is made smaller again.
    row(&mut harness, 5, Modifiers::SHIFT);
    assert_eq!(marked(&harness), [2, 3, 4, 5]);
    row(&mut harness, 3, Modifiers::COMMAND);
    row(&mut harness, 7, Modifiers::COMMAND);
    row(&mut harness, 9, Modifiers::NONE);
    assert_eq!(marked(&harness), [2, 4, 5, 7]);
    assert_eq!(harness.state().session.view().pinned.unwrap().vertex, 9);
    // Only those, and then as text.
    click(&mut harness, "Marked");
    assert_eq!(starts(&harness).len(), 4);
    harness.get_by_label("4 of 36 vertices");
    harness.get_by_label("Copy").click();
    let text = copy(&mut harness);
    assert!(text.starts_with("mesh\tmesh name\tprimitive\tskin\tvertex\tcount\tsum\t"), "{text}");
    let numbers: Vec<&str> = text.lines().skip(1).map(|l| l.split('\t').nth(4).unwrap()).collect();
    assert_eq!(numbers, ["2", "4", "5", "7"]);
}

#[test]
fn vertices_are_filtered_and_ordered_by_their_weights() {
    let mut parts = ModelParts::clone(&tube(one_each()));
    let weights = &mut parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().weights;
    // One vertex has half of what it should, another more, a third nothing.
    (weights[4 * 7], weights[4 * 9], weights[4 * 11]) = (0.5, 1.25, 0.0);
    let mut harness = shown(Model::build(parts).unwrap(), 900.0);
    tab(&mut harness, "Vertices");
    head(&mut harness, "Sum");
    assert_eq!(starts(&harness)[0], "Vertex 9 of tube");
    head(&mut harness, "Sum, largest first");
    assert_eq!(starts(&harness)[..3], ["Vertex 11 of tube", "Vertex 7 of tube", "Vertex 0 of tube"]);
    for (choice, want) in [("Sum ≠ 1", vec![11, 7, 9]), ("Sum < 1", vec![11, 7]), ("Sum > 1", vec![9])] {
        harness.get_by_label_contains("Sums: ").click();
        harness.run();
        click(&mut harness, choice);
        let want: Vec<String> = want.iter().map(|v| format!("Vertex {v} of tube")).collect();
        assert_eq!(starts(&harness), want, "{choice}");
    }
    harness.get_by_label_contains("Sums: ").click();
    harness.run();
    click(&mut harness, "Any sum");
    harness.get_by_label_contains("Influences: ").click();
    harness.run();
    click(&mut harness, "No influence");
    assert_eq!(starts(&harness), ["Vertex 11 of tube"]);
}

#[test]
fn the_selected_joint_narrows_the_vertices_and_orders_them() {
    let mut harness = shown(tube(Tube { influences: 2, ..one_each() }), 900.0);
    tab(&mut harness, "Vertices");
    assert!(harness.get_by_label("Selected joint").accesskit_node().is_disabled());
    harness.state_mut().session.apply(SelectionCommand::Select(Some(NodeId(4))));
    harness.run();
    click(&mut harness, "Selected joint");
    // Joint 3 is one of the two nearest from y = 3 on: three rings of four.
    harness.get_by_label("12 of 36 vertices");
    assert!(rows(&harness).iter().all(|r| r.contains("joint 3 ")), "{:?}", rows(&harness));
    let head =
        harness.get_all_by_role(Role::ColumnHeader).find(|h| h.accesskit_node().label().as_deref() == Some("joint 3"));
    head.unwrap().click();
    harness.run();
    // The ring at 4 is 0.5 from its middle and 1.5 from that of joint 2: 1 / (1 + e⁻⁴) of it.
    assert_eq!(rows(&harness)[0], "Vertex 32 of tube: joint 3 0.982, joint 2 0.018; sum 1.000");
    // All joints are columns in the other view.
    click(&mut harness, "All joints");
    let heads: Vec<String> =
        harness.get_all_by_role(Role::ColumnHeader).filter_map(|h| h.accesskit_node().label()).collect();
    assert!(
        ["joint 0", "joint 1", "joint 2", "joint 3"].iter().all(|j| heads.iter().any(|h| h.starts_with(j))),
        "{heads:?}"
    );
    harness.get_by_label("Copy").click();
    let text = copy(&mut harness);
    assert!(
        text.starts_with("mesh\tmesh name\tprimitive\tskin\tvertex\tcount\tsum\tjoint 0\tjoint 1\tjoint 2\tjoint 3\n")
    );
    let sums = text.lines().skip(1).map(|l| {
        let cells: Vec<&str> = l.split('\t').collect();
        cells[7..].iter().map(|c| c.parse::<f32>().unwrap()).sum::<f32>()
    });
    assert!(sums.into_iter().all(|s| (s - 1.0).abs() < 1e-6));
}

/// A tube of 80 000 vertices is sorted on a thread: the rows from before stay until it is done.
#[test]
fn a_large_table_is_ordered_in_the_background() {
    let mut harness = shown(tube(Tube { joints: 40, rings: 1001, sides: 80, influences: 4, ..Tube::default() }), 900.0);
    tab(&mut harness, "Vertices");
    // Its weights are counted on a thread as well.
    let wait = |harness: &mut Harness<'_, App>, label: &str| {
        for _ in 0..40_000 {
            harness.run();
            if harness.query_by_label(label).is_some() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        unreachable!("{label} never came");
    };
    wait(&mut harness, "80\u{2009}080 vertices");
    let seen = rows(&harness).len();
    assert!((5..40).contains(&seen), "only what is seen is made: {seen}");
    head(&mut harness, "Vertex");
    head(&mut harness, "Vertex, smallest first");
    wait(&mut harness, "80\u{2009}080 vertices");
    assert_eq!(starts(&harness)[0], "Vertex 80079 of tube");
    // To the end and back by keys.
    harness.get_by_label("Vertex table").focus();
    harness.run();
    harness.key_press(Key::End);
    harness.run();
    assert_eq!(starts(&harness).last().map(String::as_str), Some("Vertex 0 of tube"));
    assert!(harness.state().session.view().marked.is_empty());
    harness.key_press(Key::Home);
    harness.run();
    assert_eq!(harness.state().session.view().pinned.unwrap().vertex, 80_079);
    let none = Arc::new(VertexSet::default());
    harness.state_mut().session.apply(SelectionCommand::Mark(none));
    // A vertex that is pinned elsewhere comes into view.
    harness.state_mut().session.apply(SelectionCommand::Pin(Some(skinscope::inspect::VertexRef {
        instance: InstanceId(0),
        primitive: 0,
        vertex: 40_000,
    })));
    harness.run();
    assert!(starts(&harness).iter().any(|r| r == "Vertex 40000 of tube"), "{:?}", starts(&harness));
}

/// The joint of a skin with a turned pose: matrices by hand.
#[test]
fn the_palette_and_the_chain_follow_the_pose() {
    let mut harness = shown(tube(one_each()), 900.0);
    tab(&mut harness, "Palette");
    let turn = ChannelValue::Rotation(glam::Vec3::new(0.0, 0.0, 90.0));
    harness.state_mut().session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    harness.state_mut().session.apply(EditCommand::Edit(NodeId(1), turn));
    harness.run();
    harness.get_by_label("Copy").click();
    let text = copy(&mut harness);
    let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split('\t').collect()).collect();
    let value = |row: usize, title: &str| -> f32 {
        lines[row][lines[0].iter().position(|c| *c == title).unwrap()].parse().unwrap()
    };
    // A quarter turn about Z at the root joint carries joint 2, which stood at +2 Y, to −2 X; its skinning matrix turns
    // about the origin.
    let near = |a: f32, b: f32| (a - b).abs() < 1e-5;
    assert!(near(value(3, "world 03"), -2.0) && near(value(3, "world 13"), 0.0), "{text}");
    assert!(near(value(3, "inverse bind 13"), -2.0) && near(value(3, "skinning 03"), 0.0), "{text}");
    assert!(near(value(3, "skinning 01"), -1.0) && near(value(3, "determinant"), 1.0), "{text}");
    click(&mut harness, "Chain");
    harness.get_by_label("Select a joint to see the product that makes its world matrix.");
    harness.state_mut().session.apply(SelectionCommand::Select(Some(NodeId(3))));
    harness.run();
    harness.get_by_label("World of joint 2 = root · joint 0 · joint 1 · joint 2,  each T · R · S");
    assert_eq!(starts(&harness).len(), 4);
    harness.get_by_label("Copy").click();
    let text = copy(&mut harness);
    let last: Vec<&str> = text.lines().last().unwrap().split('\t').collect();
    let titles: Vec<&str> = text.lines().next().unwrap().split('\t').collect();
    let x: f32 = last[titles.iter().position(|t| *t == "product 03").unwrap()].parse().unwrap();
    assert!(near(x, -2.0), "{text}");
}

#[test]
fn skins_are_summed_up_beside_the_books_shares() {
    let mut harness = shown(tube(Tube { influences: 2, ..one_each() }), 900.0);
    tab(&mut harness, "Skins");
    let row = &rows(&harness)[0];
    assert!(row.contains("Skin tube, Joints 4") && row.contains("Vertices 36, Mean 2.00, Most 2, Over 4 0"), "{row}");
    harness.get_by_label("Vertices of this skin by influences: 0: 0 %, 1: 0 %, 2: 100 %, 3: 0 %, 4: 0 %, 5+: 0 %");
    // The inspector has the same of the whole model: 36 vertices of four pairs of a byte and a float, and four matrices.
    for label in ["vertices by influences; lines: 60, 35, 5 % are usual", "Skinning data: 976 B"] {
        assert_eq!(harness.get_all_by_label(label).count(), 2, "{label}");
    }
    harness.get_by_label("Copy").click();
    let text = copy(&mut harness);
    assert!(text.lines().nth(1).unwrap().starts_with("0\ttube\t4\t\t0\t1\t36\t2\t2\t0\t0\t36"), "{text}");
}

#[test]
fn a_joint_selected_elsewhere_brings_its_column_into_view() {
    let mut harness = shown(tube(Tube { joints: 60, rings: 61, sides: 4, influences: 2, ..Tube::default() }), 900.0);
    tab(&mut harness, "Vertices");
    click(&mut harness, "All joints");
    let heads = |harness: &Harness<'_, App>| -> Vec<String> {
        harness.get_all_by_role(Role::ColumnHeader).filter_map(|h| h.accesskit_node().label()).collect()
    };
    assert!(heads(&harness).contains(&"joint 0".to_owned()) && heads(&harness).len() < 25, "only what is seen is made");
    harness.state_mut().session.apply(SelectionCommand::Select(Some(NodeId(51))));
    harness.run();
    assert!(heads(&harness).contains(&"joint 50".to_owned()), "{:?}", heads(&harness));
    assert!(heads(&harness).contains(&"Vertex".to_owned()), "the first columns stay");
}

#[test]
fn vertices_say_how_they_differ_from_their_mirror_images_and_which_have_none() {
    let mut harness = shown(tube(one_each()), 900.0);
    tab(&mut harness, "Vertices");
    let heads = |harness: &Harness<'_, App>| -> Vec<String> {
        harness.get_all_by_role(Role::ColumnHeader).filter_map(|h| h.accesskit_node().label()).collect()
    };
    assert!(!heads(&harness).contains(&"Asymmetry".to_owned()), "not before the model is checked");
    let mut values = vec![0.0; 36];
    (values[5], values[7], values[9]) = (0.25, skinscope::inspect::symmetry::NO_IMAGE, 0.0625);
    let asymmetry = Arc::new(skinscope::inspect::PerVertex { values: vec![vec![values]] });
    let values = Arc::new(skinscope::inspect::InspectedValues { asymmetry, ..Default::default() });
    let inspection = skinscope::inspect::Inspection { values, ..Default::default() };
    let model = Arc::clone(harness.state().session.model().unwrap());
    harness.state_mut().session.inspected(&model, inspection);
    harness.run();
    let row = |harness: &Harness<'_, App>, vertex: usize| {
        rows(harness).into_iter().find(|r| r.starts_with(&format!("Vertex {vertex} of"))).unwrap()
    };
    assert!(row(&harness, 5).ends_with("; asymmetry 0.250"), "{}", row(&harness, 5));
    assert!(row(&harness, 7).ends_with("; no mirror image") && row(&harness, 6).ends_with("; asymmetry 0.000"));
    // A click puts those first that differ most, another those that have none.
    head(&mut harness, "Asymmetry");
    assert_eq!(starts(&harness)[..3], ["Vertex 5 of tube", "Vertex 9 of tube", "Vertex 0 of tube"]);
    head(&mut harness, "Asymmetry, largest first");
    assert_eq!(starts(&harness)[0], "Vertex 7 of tube");
    harness.get_by_label("Copy").click();
    let text = copy(&mut harness);
    let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split('\t').collect()).collect();
    let at = lines[0].iter().position(|c| *c == "asymmetry").unwrap();
    let of = |vertex: &str| lines.iter().find(|l| l[4] == vertex).unwrap()[at];
    assert_eq!((of("7"), of("5"), of("9"), of("0")), ("no mirror image", "0.25", "0.0625", "0"));
    assert!(lines.iter().all(|l| l.len() == lines[0].len()));
}

#[test]
fn the_figures_of_joints_follow_edits_of_weights() {
    let mut harness = shown(tube(one_each()), 900.0);
    let vertices = |harness: &mut Harness<'_, App>| {
        harness.get_by_label("Copy").click();
        let text = copy(harness);
        let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split('\t').collect()).collect();
        let column = lines[0].iter().position(|c| *c == "vertices").unwrap();
        lines[1..].iter().map(|l| l[column].parse().unwrap()).collect::<Vec<usize>>()
    };
    assert_eq!(vertices(&mut harness), [12, 8, 8, 8]);
    let mut change = WeightChange::new(MeshId(0), 0, 4);
    (0..10).for_each(|vertex| change.push(vertex, &[2], &[1.0]));
    harness.state_mut().session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    harness.run();
    assert_eq!(vertices(&mut harness), [2, 8, 18, 8]);
    harness.state_mut().session.apply(EditCommand::Undo);
    harness.run();
    assert_eq!(vertices(&mut harness), [12, 8, 8, 8]);
}
