//! The panel of tools that change weights: every control, by name.

use skinscope::edit::{Align, Amount, Axis, Donor, Group, OPERATIONS, ParameterKind, Settings, dress_align};
use skinscope::inspect::Inspection;
use skinscope::inspect::check::CheckOptions;
use skinscope::model::{WeightChange, WeightFormat};
use skinscope::session::{MarkCommand, MarkMode, MarkShape, MarkTool, Scope, ToolCommand};

use super::*;

/// The panel with the controls that mark.
fn marking() -> Harness<'static, App> {
    let mut harness = tools(None);
    harness.get_by_role_and_label(Role::Button, "Marked").click();
    harness.run();
    harness
}

fn tools(id: Option<&'static str>) -> Harness<'static, App> {
    let mut session = session(6);
    session.apply(SelectionCommand::Select(Some(NodeId(3))));
    session.apply(ToolCommand::TogglePanel);
    if id.is_some() {
        session.apply(ToolCommand::Choose(id));
    }
    window(session, UiState::default(), Status::default())
}

fn settings(harness: &Harness<'_, App>) -> Settings {
    Settings::clone(&harness.state().session.tools().settings)
}

/// Types a number and presses Enter.
fn enter(harness: &mut Harness<'_, App>, field: &str, text: &str) {
    click(harness, field);
    harness.event(Event::Text(text.to_owned()));
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
}

#[test]
fn the_menu_has_the_tools_in_the_order_and_the_groups_of_the_panel() {
    let tools: Vec<_> = COMMANDS
        .iter()
        .filter_map(|row| match &row.command {
            Command::Tool(ToolCommand::Choose(Some(id))) => Some((*id, row.starts_group)),
            _ => None,
        })
        .collect();
    let ids: Vec<&str> = tools.iter().map(|(id, _)| *id).collect();
    let groups = Group::ALL.map(|group| group.operations().iter().map(|operation| operation.id).collect::<Vec<_>>());
    assert_eq!(ids, groups.concat());
    let firsts: Vec<&str> = tools.iter().filter(|(_, line)| *line).map(|(id, _)| *id).collect();
    assert_eq!(firsts, groups[1..].iter().map(|tools| tools[0]).collect::<Vec<_>>());
    let clean = ["normalise", "prune", "limit", "quantise"];
    let joint = ["set", "remove-joint", "replace-joint"];
    assert_eq!((&groups[0][..], &groups[4][..]), (&clean[..], &joint[..]));
}

#[test]
fn tools_that_need_a_skin_are_off_in_a_file_without_one_and_say_why() {
    let mut parts: ModelParts = (*tube(Tube { joints: 6, rings: 12, ..Tube::default() })).clone();
    parts.skins.clear();
    parts.instances[0].skin = None;
    parts.meshes[0].primitives[0].stored_influences = None;
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
    session.apply(ToolCommand::TogglePanel);
    let mut harness = window(session, UiState::default(), Status::default());
    // What gives meshes a skin needs none.
    for operation in OPERATIONS.iter().filter(|operation| !operation.finds_weights()) {
        let button = harness.get_by_role_and_label(Role::Button, operation.tool);
        assert!(button.accesskit_node().is_disabled(), "{}", operation.tool);
        button.click();
        harness.run();
        assert!(harness.state().commands.is_empty(), "{}", operation.tool);
    }
    harness.get_by_label("The model has no skin. Tools work on vertices that a skin moves.");
    // One that a session file has chosen does not say that anything is bound.
    harness.state_mut().session.apply(ToolCommand::Choose(Some("bind-here")));
    harness.run();
    harness.get_by_label_contains("the file has no skin");
    assert!(harness.query_by_label_contains("The mesh is bound").is_none());
}

#[test]
fn every_tool_has_a_button_and_a_row_of_the_menu() {
    let mut harness = tools(None);
    for operation in OPERATIONS {
        harness.get_by_role_and_label(Role::Button, operation.tool).click();
        harness.run();
        assert!(has(&harness, &Command::Tool(ToolCommand::Choose(Some(operation.id)))), "{}", operation.id);
        harness.get_by_label(operation.help);
        assert!(harness.state().session.tools().outcome().is_some(), "{}", operation.id);
        let row = Command::Tool(ToolCommand::Choose(Some(operation.id)));
        assert!(COMMANDS.iter().any(|r| r.command == row && r.label == operation.tool && r.help == operation.help));
    }
    // Pressed again it is put away.
    harness.get_by_role_and_label(Role::Button, OPERATIONS[OPERATIONS.len() - 1].tool).click();
    harness.run();
    assert!(harness.state().session.tools().operation.is_none());
    click(&mut harness, "Tools");
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Smooth").click();
    harness.run();
    assert_eq!(harness.state().session.tools().operation.unwrap().id, "smooth");
}

#[test]
fn the_mesh_is_bound_in_the_pose_that_is_shown() {
    let mut harness = tools(None);
    let bend = |harness: &mut Harness<'_, App>, degrees: f32| {
        let turned = ChannelValue::Rotation(Vec3::new(0.0, 0.0, degrees));
        harness.state_mut().session.apply(EditCommand::Edit(NodeId(1), turned));
        harness.state_mut().session.update_pose();
        harness.run();
    };
    bend(&mut harness, 40.0);
    harness.get_by_role_and_label(Role::Button, "Bind here").click();
    harness.run();
    let label = |harness: &Harness<'_, App>| {
        let binds = harness.state().session.tools().outcome().unwrap().binds.len();
        let joints = harness.state().session.model().unwrap().skins[0].joints.len();
        assert!(binds > 0);
        format!("Bind matrices changed: {binds} of {joints}")
    };
    harness.get_by_label(&label(&harness));
    assert!(harness.get_by_role_and_label(Role::Button, "Take this pose").accesskit_node().is_disabled());
    bend(&mut harness, 70.0);
    harness.get_by_role_and_label(Role::Button, "Take this pose").click();
    harness.run();
    assert!(!harness.state().session.edited_weights().binds_elsewhere());
    harness.get_by_role_and_label(Role::Button, "Apply").click();
    harness.run();
    assert!(harness.state().session.unsaved().unsaved_binds() > 0 && harness.state().session.history().can_undo());
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run();
    assert_eq!(harness.state().session.unsaved().unsaved_binds(), 0);
}

#[test]
fn the_panel_opens_by_its_key_takes_the_place_of_the_inspector_and_closes() {
    let mut harness = selected(4, 2);
    harness.get_by_label("Reset joint");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num5);
    harness.run();
    harness.get_by_role_and_label(Role::Tab, "Weight tools");
    assert!(harness.query_by_label("Reset joint").is_none());
    click(&mut harness, "Close the panel Weight tools");
    assert!(!harness.state().session.tools().open);
    harness.get_by_label("Reset joint");
}

#[test]
fn vertices_are_chosen_and_counted() {
    let mut harness = tools(Some("smooth"));
    for (scope, name) in [(Scope::Joint, "Of joint"), (Scope::Marked, "Marked"), (Scope::Finding, "Finding")] {
        harness.get_by_role_and_label(Role::Button, name).click();
        harness.run();
        assert_eq!(harness.state().session.tools().scope, scope);
    }
    harness.get_by_label("Show a finding that names vertices.");
    harness.get_by_role_and_label(Role::Button, "Marked").click();
    harness.run();
    harness.get_by_label_contains("No vertex is marked");
    harness.get_by_role_and_label(Role::Button, "Of joint").click();
    harness.run();
    let count = harness.state().session.edited_weights().vertices_of(Scope::Joint).unwrap().len();
    assert!(count > 0);
    harness.get_by_label(&format!("Works on {count} vertices."));
    harness.get_by_role_and_label(Role::Button, "All").click();
    harness.run();
    assert_eq!(harness.state().session.tools().scope, Scope::All);
}

#[test]
fn what_is_tried_is_shown_in_figures_and_applied_or_given_up() {
    let mut harness = tools(Some("limit"));
    let shown = |harness: &Harness<'_, App>| harness.state().session.tools().outcome().map(|o| o.vertices);
    assert_eq!(shown(&harness), Some(0));
    // What changes nothing cannot be applied.
    assert!(harness.get_by_role_and_label(Role::Button, "Apply").accesskit_node().is_disabled());
    enter(&mut harness, "Joints value", "1");
    assert_eq!(settings(&harness).limit, 1);
    let changed = shown(&harness).unwrap();
    assert!(changed > 0 && harness.state().session.tools().is_trying());
    harness.get_by_label(&format!("Vertices changed: {changed}"));
    harness.get_by_label("Most of one vertex: 2, then 1");
    assert!(!harness.state().session.history().can_undo());
    harness.get_by_role_and_label(Role::Button, "Cancel").click();
    harness.run();
    assert!(!harness.state().session.tools().is_trying() && harness.state().session.tools().operation.is_none());
    harness.get_by_role_and_label(Role::Button, "Limit").click();
    harness.run();
    harness.get_by_role_and_label(Role::Button, "Apply").click();
    harness.run();
    let session = &harness.state().session;
    assert!(session.history().can_undo() && !session.tools().is_trying());
    assert_eq!(session.document().unwrap().stats().most, 1);
    // It is not applied twice by mistake.
    harness.get_by_label(&format!("{changed} vertices changed. Ctrl+Z takes it back."));
    assert!(harness.get_by_role_and_label(Role::Button, "Apply").accesskit_node().is_disabled());
    let said = format!("{changed} vertices changed");
    assert!(painted_texts(&harness).iter().any(|(text, _)| *text == said), "{said}");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run();
    assert!(harness.state().session.model().unwrap().weight_edits().is_empty());
    // Escape gives up what is tried.
    harness.get_by_role_and_label(Role::Button, "Smooth").click();
    harness.run();
    assert!(harness.state().session.tools().is_trying());
    harness.key_press(Key::Escape);
    harness.run();
    assert!(!harness.state().session.tools().is_trying());
}

#[test]
fn what_would_change_stands_above_apply_however_low_the_panel_is() {
    let mut harness = tools(Some("smooth"));
    harness.set_size(vec2(1280.0, 560.0));
    harness.run();
    let changed = harness.state().session.tools().outcome().unwrap().vertices;
    let line = harness.get_by_label_contains(&format!("{changed} vertices · largest")).rect();
    let button = harness.get_by_role_and_label(Role::Button, "Apply").rect();
    assert!(line.bottom() <= button.top() && button.top() - line.bottom() < 12.0, "{line:?} {button:?}");
    // The groups of other tools are folded there, and come when they are asked for.
    assert!(harness.query_by_role_and_label(Role::Button, "Mirror").is_none());
    harness.get_by_role_and_label(Role::Button, "Average");
    click(&mut harness, "Show all tools");
    harness.get_by_role_and_label(Role::Button, "Mirror");
}

#[test]
fn every_setting_is_set_by_its_control() {
    let mut harness = tools(Some("mirror"));
    // High enough for all of the panel.
    harness.set_size(vec2(1280.0, 1400.0));
    harness.run();
    for (name, axis) in [("Y", Axis::Y), ("Z", Axis::Z), ("X", Axis::X)] {
        harness.get_by_role_and_label(Role::Button, name).click();
        harness.run();
        assert_eq!(settings(&harness).axis, axis);
    }
    for (name, back) in [("− to +", true), ("+ to −", false)] {
        harness.get_by_role_and_label(Role::Button, name).click();
        harness.run();
        assert_eq!(settings(&harness).from_negative, back);
    }
    harness.get_by_role_and_label(Role::Button, "Round").click();
    harness.run();
    for (name, format) in [("u16", WeightFormat::U16), ("f32", WeightFormat::F32), ("u8", WeightFormat::U8)] {
        harness.get_by_role_and_label(Role::Button, name).click();
        harness.run();
        assert_eq!(settings(&harness).format, format);
    }
    harness.get_by_role_and_label(Role::Button, "Limit").click();
    harness.run();
    for (name, best) in [("Best", true), ("Largest", false)] {
        harness.get_by_role_and_label(Role::Button, name).click();
        harness.run();
        assert_eq!(settings(&harness).best, best);
    }
    let mut tried = |tool: &str, field: &str, text: &str| {
        if harness.state().session.tools().operation.is_none_or(|o| o.tool != tool) {
            harness.get_by_role_and_label(Role::Button, tool).click();
            harness.run();
        }
        enter(&mut harness, field, text);
        settings(&harness)
    };
    assert!((tried("Prune", "Threshold value", "0.05").threshold - 0.05).abs() < 1e-6);
    assert_eq!(tried("Smooth", "Times value", "4").times, 4);
    assert!((tried("Smooth", "Strength value", "0.25").strength - 0.25).abs() < 1e-6);
    harness.get_by_role_and_label(Role::Button, "Repair").click();
    harness.run();
    let label = skinscope::inspect::rule_words("weights-zero").unwrap().0;
    assert!(harness.query_by_role_and_label(Role::Button, label).is_none(), "it finds nothing");
    harness.get_by_label_contains("rules without findings").click();
    harness.run();
    harness.get_by_role_and_label(Role::Button, label).click();
    harness.run();
    assert!(!settings(&harness).rules.contains(&"weights-zero"));
}

#[test]
fn padlocks_stand_in_the_node_tree_and_keep_joints() {
    let mut harness = selected(6, 3);
    assert!(harness.query_by_label("Lock joint 2").is_none());
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num5);
    harness.run();
    click(&mut harness, "Lock joint 2");
    assert!(harness.state().session.tools().locked.iter().count() == 1);
    harness.get_by_role_and_label(Role::Label, "joint 2");
    // A locked joint keeps its padlock where the tools are away.
    click(&mut harness, "Close the panel Weight tools");
    harness.get_by_label("Unlock joint 2");
    assert!(harness.query_by_label("Lock joint 3").is_none());
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num5);
    harness.run();
    click(&mut harness, "Unlock all joints");
    assert!(harness.state().session.tools().locked.is_empty());
}

#[test]
fn every_control_of_marks_marks() {
    let mut harness = marking();
    for (name, tool) in [("Box", MarkTool::Box), ("Lasso", MarkTool::Lasso), ("Circle", MarkTool::Circle)] {
        harness.get_by_role_and_label(Role::Button, name).click();
        harness.run();
        assert_eq!(harness.state().session.marking().tool, Some(tool));
    }
    harness.get_by_role_and_label(Role::Button, "Camera").click();
    harness.run();
    assert_eq!(harness.state().session.marking().tool, None);
    click(&mut harness, "Through");
    assert!(harness.state().session.marking().through);
    for (name, command) in [
        ("Mark all", MarkCommand::All),
        ("Shrink marks", MarkCommand::Shrink),
        ("Invert marks", MarkCommand::Invert),
        ("Grow marks", MarkCommand::Grow),
        ("Mark whole pieces", MarkCommand::Pieces),
        ("Mark the same material", MarkCommand::SameMaterial),
        ("Mark what the joint moves", MarkCommand::OfJoint),
        ("Mark none", MarkCommand::None),
    ] {
        click(&mut harness, name);
        assert!(has(&harness, &Command::Mark(command)), "{name}");
    }
    assert!(harness.state().session.view().marked.is_empty());
}

#[test]
fn a_drag_over_the_picture_marks_and_shift_adds() {
    let mut harness = marking();
    click(&mut harness, "Through");
    harness.key_press(Key::K);
    harness.run();
    assert_eq!(harness.state().session.marking().tool, Some(MarkTool::Box));
    harness.get_by_label_contains("Marking by box");
    let picture = harness.state().picture;
    let orbit = harness.state().session.view().orbit;
    let (a, b) = (picture.center() - vec2(150.0, 150.0), picture.center() + vec2(150.0, 0.0));
    drag(&mut harness, &[a, picture.center(), b], PointerButton::Primary);
    let first = harness.state().session.view().marked.len();
    assert!(first > 0);
    assert_eq!(harness.state().session.view().orbit, orbit);
    assert!(
        harness
            .state()
            .commands
            .iter()
            .any(|c| matches!(c, Command::Mark(MarkCommand::In(MarkShape::Box(..), MarkMode::Replace))))
    );
    // Middle-drag turns.
    drag(&mut harness, &[picture.center(), picture.center() + vec2(40.0, 0.0)], PointerButton::Middle);
    assert_ne!(harness.state().session.view().orbit, orbit);
    harness.key_press(Key::Escape);
    harness.run();
    assert_eq!(harness.state().session.marking().tool, None);
    drag(&mut harness, &[a, b], PointerButton::Primary);
    assert_eq!(harness.state().session.view().marked.len(), first);
}

#[test]
fn weights_are_copied_and_pasted_and_joints_are_taken() {
    let mut harness = tools(Some("paste"));
    click(&mut harness, "Copy from these vertices");
    assert!(!settings(&harness).copied.is_empty());
    harness.get_by_role_and_label(Role::Button, "Remove joint").click();
    harness.run();
    assert_eq!(settings(&harness).joint, Some(NodeId(3)));
    harness.get_by_role_and_label(Role::Button, "Spread").scroll_to_me();
    harness.run();
    harness.get_by_role_and_label(Role::Button, "Spread").click();
    harness.run();
    assert!(settings(&harness).spread);
    harness.get_by_role_and_label(Role::Button, "To parent").click();
    harness.run();
    harness.get_by_role_and_label(Role::Button, "Replace joint").click();
    harness.run();
    click(&mut harness, "By: take the selected joint");
    assert_eq!(settings(&harness).other, Some(NodeId(3)));
}

#[test]
fn a_weight_is_typed_for_many_vertices_at_once() {
    let mut harness = tools(Some("set"));
    assert_eq!(settings(&harness).joint, Some(NodeId(3)));
    harness.get_by_role_and_label(Role::TextInput, "Weight").click();
    harness.run();
    harness.event(Event::Text("+0.25".to_owned()));
    harness.run();
    assert_eq!(settings(&harness).amount, Amount::Add(0.25));
    assert!(harness.state().session.tools().outcome().unwrap().vertices > 0);
    click(&mut harness, "Keep sum");
    assert!(!settings(&harness).follow);
    harness.get_by_role_and_label(Role::TextInput, "Weight").click();
    harness.run();
    harness.event(Event::Text("x".to_owned()));
    harness.run();
    harness.get_by_label_contains("Not a weight");
}

#[test]
fn an_open_finding_has_buttons_that_repair_it() {
    let mut session = session(6);
    let mut change = WeightChange::new(skinscope::model::MeshId(0), 0, 4);
    change.push(30, &[0], &[0.0]);
    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    let model = Arc::clone(session.model().unwrap());
    let flag = std::sync::atomic::AtomicBool::new(false);
    session.inspected(&model, Inspection::of(&model, &CheckOptions::default(), &flag).unwrap());
    let zero = session.document().unwrap().findings().position(|f| f.rule == "weights-zero").unwrap();
    session.apply(FindingCommand::ShowFinding(zero));
    let mut harness = window(session, UiState::default(), Status::default());
    click(&mut harness, "Repair all…");
    assert!(has(&harness, &Command::Tool(ToolCommand::Repair { finding: zero, all: true })));
    click(&mut harness, "Repair…");
    assert!(has(&harness, &Command::Tool(ToolCommand::Repair { finding: zero, all: false })));
    let session = &harness.state().session;
    assert_eq!((session.tools().scope, session.tools().outcome().unwrap().vertices), (Scope::Finding, 1));
    harness.get_by_label("Vertices changed: 1");
    // The rule that finds something is shown, and those that find nothing are folded below it.
    let quiet = skinscope::inspect::rule_words("weights-not-finite").unwrap().0;
    assert!(harness.query_by_role_and_label(Role::Button, quiet).is_none());
    harness.get_by_label_contains("rules without findings").click();
    harness.run();
    let top = |rule| {
        let label = skinscope::inspect::rule_words(rule).unwrap().0;
        harness.get_by_role_and_label(Role::Button, label).rect().top()
    };
    assert!(top("weights-zero") < top("weights-not-finite"));
    assert_eq!(settings(&harness).rules, ["weights-zero"]);
    // Opened from elsewhere, the tool has all rules chosen, whatever was repaired before.
    harness.key_press(Key::Escape);
    harness.run();
    click(&mut harness, "Tools");
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Repair").click();
    harness.run();
    assert_eq!(settings(&harness).rules, Settings::default().rules);
}

#[test]
fn every_number_and_every_word_of_a_choice_is_shown_as_its_row_says() {
    for operation in OPERATIONS {
        let harness = tools(Some(operation.id));
        let has = |role: Role, label: &str| harness.query_all_by_role_and_label(role, label).next().is_some();
        for parameter in operation.parameters {
            match &parameter.kind {
                ParameterKind::Number(_) => assert!(has(Role::Slider, parameter.label), "{}", parameter.id),
                ParameterKind::Choice(kind) => {
                    for word in kind.words {
                        assert!(has(Role::Button, word.label), "{}: {}", parameter.id, word.label);
                    }
                }
                _ => {}
            }
        }
    }
}

#[test]
fn enter_applies_the_tool_where_it_has_no_other_use() {
    let mut harness = tools(Some("limit"));
    let changed = |harness: &Harness<'_, App>| harness.state().session.unsaved().has_unsaved_skinning();
    // There is nothing to apply yet, and the tool stays.
    harness.key_press(Key::Enter);
    harness.run();
    assert!(harness.state().session.tools().operation.is_some());
    // Enter ends the number that is typed, and no more than that.
    enter(&mut harness, "Joints value", "1");
    assert!(!changed(&harness) && harness.state().session.tools().is_trying());
    // A button that has the focus is pressed.
    harness.get_by_role_and_label(Role::Button, "Best").focus();
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert!(!changed(&harness) && settings(&harness).best);
    harness.key_press(Key::Escape);
    harness.run();
    harness.get_by_role_and_label(Role::Button, "Limit").click();
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert!(changed(&harness) && harness.state().session.tools().rests());
}

#[test]
fn pairs_that_names_make_are_parted_and_come_back() {
    let mut parts = (*tube(Tube { joints: 4, ..Tube::default() })).clone();
    for (node, name) in [(1, "arm.L"), (2, "arm.R")] {
        name.clone_into(&mut parts.skeleton.names[node]);
    }
    // Both hang on one joint and stand in one place of the middle, where their names tell them apart.
    parts.skeleton.parents[2] = parts.skeleton.parents[1];
    let place = |node| parts.skins[0].joints.iter().position(|joint| *joint == NodeId(node)).unwrap();
    let (first, second) = (place(1), place(2));
    parts.skins[0].inverse_bind[second] = parts.skins[0].inverse_bind[first];
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
    session.apply(ToolCommand::Choose(Some("mirror")));
    let mut harness = window(session, UiState::default(), Status::default());
    harness.get_by_label_contains("Plane of symmetry: x = 0");
    // In a low window the list of pairs is reached by scrolling.
    harness.set_size(vec2(1280.0, 1000.0));
    harness.run();
    click(&mut harness, "Part arm.L ↔ arm.R");
    assert_eq!(settings(&harness).pairs, [[NodeId(1); 2], [NodeId(2); 2]]);
    harness.get_by_label("arm.L alone");
    click(&mut harness, "Pair joints by their names and places alone");
    assert!(settings(&harness).pairs.is_empty());
    harness.get_by_label("arm.L ↔ arm.R");
}

#[test]
fn the_weights_of_the_model_beside_are_offered_where_no_tool_is_in_the_hand() {
    let mut harness = tools(None);
    let name = "Weights from the model beside…";
    assert!(harness.query_by_label(name).is_none());
    let other = Arc::new(tube(Tube { joints: 3, ..Tube::default() }));
    harness.state_mut().session.open_beside(Document::new(other, vec![], None));
    harness.set_size(vec2(1280.0, 1000.0));
    harness.run();
    // How the garment is brought to where it is worn is chosen there too.
    for (label, align) in [("By boxes", Align::Bounds), ("By joints", Align::Humanoid), ("As it stands", Align::None)] {
        click(&mut harness, label);
        assert_eq!(dress_align(&settings(&harness)), align, "{label}");
    }
    click(&mut harness, name);
    assert!(has(&harness, &Command::File(FileCommand::WeightsFromBeside)));
}

#[test]
fn a_file_to_transfer_from_is_typed_or_chosen_and_its_distance_is_said() {
    let mut harness = tools(Some("transfer"));
    harness.get_by_label_contains("No file is chosen yet");
    click(&mut harness, "Browse…");
    assert!(has(&harness, &Command::File(FileCommand::ChooseDonor)));
    harness.get_by_label("File to transfer from").focus();
    harness.run();
    harness.event(Event::Text("/models/other.glb".to_owned()));
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert!(has(&harness, &Command::File(FileCommand::ReadDonor("/models/other.glb".into()))));
    // It has been read: a tube like this one, but half a metre beside it.
    let model = Arc::clone(harness.state().session.model().unwrap());
    let mut parts: ModelParts = (**model).clone();
    parts.meshes[0].primitives[0].positions.iter_mut().for_each(|p| p.y += 100.0);
    let donor = Donor(Arc::new(Model::build(parts).unwrap()));
    let all = Settings { donor: Some(donor), ..settings(&harness) };
    harness.state_mut().session.apply(ToolCommand::Set(Arc::new(all)));
    harness.run();
    let told = harness.state().session.tools().outcome().unwrap().transferred.clone().unwrap();
    assert!(told.mean > 90.0 && told.largest >= told.mean && told.vertices > 0, "{told:?}");
    harness.get_by_label(&format!("Mean distance: {:.3} mm", 1e3 * told.mean));
    harness.get_by_label(&format!("Largest distance: {:.3} mm", 1e3 * told.largest));
}

#[test]
fn weights_are_taken_of_the_model_beside_by_pairs_of_joints_that_can_be_changed() {
    let mut session = session(3);
    let mut parts: ModelParts = (*tube(Tube { joints: 3, ..Tube::default() })).clone();
    parts.skeleton.names[2] = "Elbow".into();
    session.open_beside(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
    session.apply(ToolCommand::TogglePanel);
    session.apply(ToolCommand::Choose(Some("transfer")));
    let mut harness = window(session, UiState::default(), Status::default());
    harness.set_size(vec2(1280.0, 1400.0));
    harness.run();
    assert!(settings(&harness).donor.is_none());
    click(&mut harness, "The model beside");
    assert!(settings(&harness).donor.is_some());
    harness.run();
    harness.get_by_label("2 of 3 joints there have a counterpart here.");
    harness.get_by_role_and_label(Role::ComboBox, "Elbow").click();
    harness.run();
    harness.get_by_role_and_label(Role::Button, "joint 1").click();
    harness.run();
    assert_eq!(settings(&harness).names.pairs().collect::<Vec<_>>(), [("Elbow", Some("joint 1"))]);
    harness.run();
    harness.get_by_label("3 of 3 joints there have a counterpart here.");
    let file = || "tube.map.json".into();
    for (label, command) in [("Load", FileCommand::ReadDonorMap(file())), ("Save", FileCommand::WriteDonorMap(file()))]
    {
        click(&mut harness, label);
        assert!(has(&harness, &Command::File(command)), "{label}");
    }
    click(&mut harness, "Match joints by bones and names alone");
    assert!(settings(&harness).names.is_empty());
}

#[test]
fn no_tick_stands_beside_a_refusal() {
    let refused = |id| {
        let harness = tools(Some(id));
        harness.state().session.tools().outcome().is_some_and(|outcome| outcome.refused.is_some())
    };
    let (refused, done): (Vec<_>, Vec<_>) =
        OPERATIONS.iter().map(|operation| operation.id).partition(|id| refused(*id));
    assert!(!refused.is_empty() && done.contains(&"smooth"), "{refused:?}");
    assert!(signs(&tools(Some("smooth")), icons::CHECK) == 1);
    for id in refused {
        assert_eq!(signs(&tools(Some(id)), icons::CHECK), 0, "{id}");
    }
    assert_eq!(signs(&tools(None), icons::CHECK), 0, "no tool is chosen");
}
