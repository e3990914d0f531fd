//! Binding in the panel of tools: what can be set, what is said of it, and meshes that have no skin yet.

use std::collections::BTreeSet;

use skinscope::app::ui::BackgroundStatus;
use skinscope::edit::{BIND_RULES, DressSettings, bind_envelopes, bind_method, bind_root, dress, has_bind_rule};
use skinscope::model::{Instance, MeshId};
use skinscope::parallel::JobContext;
use skinscope::session::{BrushKey, Examination, ToolCommand, Work};

use super::rules::type_into;
use super::*;

/// The parts of a tube without a skin.
fn bare(joints: usize) -> ModelParts {
    let mut parts: ModelParts = (*tube(Tube { joints, rings: 12, ..Tube::default() })).clone();
    parts.skins.clear();
    parts.instances[0].skin = None;
    parts.meshes[0].primitives[0].stored_influences = None;
    parts
}

fn panel(session: Session) -> Harness<'static, App> {
    let mut session = session;
    session.apply(ToolCommand::TogglePanel);
    let mut harness = window(session, UiState::default(), Status::default());
    // High enough for all of the panel.
    harness.set_size(vec2(1280.0, 1600.0));
    harness.run();
    harness
}

fn choose(harness: &mut Harness<'_, App>) {
    harness.get_by_role_and_label(Role::Button, "Auto bind").click();
    harness.run();
}

fn press(harness: &mut Harness<'_, App>, name: &str) {
    harness.get_by_role_and_label(Role::Button, name).click();
    harness.run();
}

#[test]
fn the_numbers_of_the_chosen_method_and_every_rule_are_shown_and_set() {
    let mut harness = panel(session(6));
    choose(&mut harness);
    let parameters = bind_method(&harness.state().session.tools().settings).parameters;
    for number in parameters {
        harness.get_by_role_and_label(Role::Slider, number.label);
    }
    for rule in BIND_RULES {
        press(&mut harness, rule.label);
        assert!(!has_bind_rule(&harness.state().session.tools().settings, rule.id), "{}", rule.id);
        press(&mut harness, rule.label);
        assert!(has_bind_rule(&harness.state().session.tools().settings, rule.id), "{}", rule.id);
    }
}

/// In a panel as wide as it is at first every choice and every figure is there to read.
#[test]
fn nothing_of_the_panel_runs_out_of_the_window() {
    let mut harness = panel(session(6));
    choose(&mut harness);
    let skin = harness.state().session.tools().outcome().unwrap().bound[0].clone();
    let edge = harness.ctx.content_rect().right();
    let methods = ["Heat", "Voxels", "Envelopes", "Planes at joints", "Nearest bone"];
    let figure = format!("Pieces: {}", skin.islands);
    for name in methods.into_iter().chain(["Pieces rigid", "Loose pieces"]) {
        let rect = harness.get_by_role_and_label(Role::Button, name).rect();
        assert!(rect.right() <= edge - 8.0, "{name} at {rect:?}");
    }
    let rect = harness.get_by_label(&figure).rect();
    assert!(rect.right() <= edge, "{rect:?}");
    press(&mut harness, "Nearest bone");
    assert_eq!(bind_method(&harness.state().session.tools().settings).label, "Nearest bone");
    press(&mut harness, "Envelopes");
    assert_eq!(bind_method(&harness.state().session.tools().settings).label, "Envelopes");
}

#[test]
fn what_was_bound_is_told_and_what_comes_next_is_offered() {
    let mut harness = panel(session(6));
    choose(&mut harness);
    let skin = harness.state().session.tools().outcome().unwrap().bound[0].clone();
    harness.get_by_label(&format!("Pieces: {}", skin.islands));
    harness.get_by_label(&format!("Joints with weight: {} of {}", skin.joints_used, skin.joints));
    press(&mut harness, "Apply");
    assert!(harness.state().session.history().can_undo());
    harness.get_by_label(&format!("Joints with weight: {} of {}", skin.joints_used, skin.joints));
    harness.get_by_label("The checker and the range of motion look at it; what they find comes below the nodes.");
    assert_eq!(harness.state_mut().session.take_examination(), Some(Examination::CheckAndMotion));
    assert_eq!(harness.state_mut().session.take_examination(), None, "it is looked at once");
    click(&mut harness, "Show how much the weights differ from those before they were found");
    assert_eq!(harness.state().session.view().overlay.unwrap().id, "changed");
    assert_eq!(harness.state().session.deforming().compared_file(), None, "the file has the weights from before");
    click(&mut harness, "Go on with a brush");
    assert!(has(&harness, &Command::Window(WindowCommand::Brush(BrushKey::Take))));
}

#[test]
fn what_was_found_becomes_a_layer_where_that_is_chosen() {
    let mut harness = panel(session(6));
    choose(&mut harness);
    press(&mut harness, "A layer");
    assert!(harness.state().session.tools().as_layer);
    press(&mut harness, "Apply");
    let session = &harness.state().session;
    let names: Vec<&str> = session.painting().layers().layers().iter().map(|layer| layer.name()).collect();
    assert_eq!(names, ["Auto bind"]);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run();
    let session = &harness.state().session;
    assert!(session.painting().layers().is_empty() && !session.history().can_undo());
}

#[test]
fn a_mesh_without_a_skin_is_bound_to_the_node_that_is_chosen() {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(bare(6)).unwrap()), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(SelectionCommand::Select(Some(NodeId(2))));
    let mut harness = panel(session);
    choose(&mut harness);
    let root = |harness: &Harness<'_, App>| {
        let session = &harness.state().session;
        bind_root(session.edited_weights().edited_model().unwrap(), &session.tools().settings)
    };
    assert!(root(&harness).is_some_and(|root| root != NodeId(2)));
    assert_eq!(harness.state().session.model().unwrap().skins.len(), 1, "it is previewed");
    assert!(!harness.state().session.history().can_undo());
    let vertices = harness.state().session.tools().outcome().unwrap().vertices;
    assert!(vertices > 0);
    harness.get_by_label(&format!("Vertices bound: {vertices}"));
    click(&mut harness, "Root of the joints: take the selected node");
    assert_eq!(root(&harness), Some(NodeId(2)));
    let joints = harness.state().session.model().unwrap().skins[0].joints.clone();
    assert_eq!(joints[0], NodeId(2));
    press(&mut harness, "Apply");
    let session = &harness.state().session;
    assert!(session.history().can_undo() && session.model().unwrap().skins[0].joints == joints);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run();
    assert!(harness.state().session.model().unwrap().skins.is_empty());
}

#[test]
fn the_envelopes_of_the_selected_joint_are_scored_typed_and_dragged() {
    let mut session = session(6);
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    let mut harness = panel(session);
    choose(&mut harness);
    assert!(harness.query_by_label("Inner radius of the joint").is_none(), "heat knows no envelopes");
    press(&mut harness, "Envelopes");
    harness.get_by_label_contains("Select a joint with an envelope");
    harness.state_mut().session.apply(SelectionCommand::Select(Some(NodeId(3))));
    harness.run();
    let radii =
        |harness: &Harness<'_, App>| bind_envelopes(&harness.state().session.tools().settings).get("joint 2").copied();
    assert_eq!(radii(&harness), None);
    let score = harness.state().session.edited_weights().envelope_score(NodeId(3)).unwrap();
    harness.get_by_label(&format!("Vertices within: {:.0} % of {}", score.percent(), score.next));
    type_into(&mut harness, "Inner radius of the joint", "0.8");
    assert_eq!(radii(&harness), Some([0.8, 1.2]));
    // The outer radius is dragged away from the bone, by as much as the two radii are apart.
    let [inner, outer] =
        ["Inner", "Outer"].map(|word| harness.get_by_label(&format!("{word} radius of envelope 1")).rect().center());
    let to = outer + (outer - inner);
    harness.drag_at(outer);
    harness.run();
    harness.hover_at(to);
    harness.run();
    harness.drop_at(to);
    harness.run();
    let [inner, outer] = radii(&harness).unwrap();
    assert!(inner == 0.8 && (outer - 1.6).abs() < 0.1, "{inner}, {outer}");
    click(&mut harness, "As others");
    assert_eq!(radii(&harness), None);
}

#[test]
fn what_gained_a_skin_without_a_tool_is_looked_at_and_that_is_said() {
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(bare(6)).unwrap()), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    let model = Arc::clone(session.model().unwrap());
    let body = tube(Tube { joints: 6, rings: 12, ..Tube::default() });
    let found = dress(&model, &body, &DressSettings::default(), &JobContext::of_waiting()).unwrap();
    session.apply(EditCommand::Bind(Arc::new(found.gained.unwrap())));
    let mut harness = panel(session);
    harness.get_by_label("The checker and the range of motion look at it; what they find comes below the nodes.");
    assert_eq!(harness.state_mut().session.take_examination(), Some(Examination::CheckAndMotion));
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run();
    assert!(!harness.state().session.edited_weights().was_given_skins());
}

#[test]
fn the_meshes_that_are_bound_are_chosen_in_a_list() {
    let mut parts: ModelParts = (*tube(Tube { joints: 6, rings: 12, ..Tube::default() })).clone();
    let mut again = parts.meshes[0].clone();
    again.name = "second tube".into();
    parts.meshes.push(again);
    parts.instances.push(Instance { mesh: MeshId(1), ..parts.instances[0].clone() });
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    let mut harness = panel(session);
    choose(&mut harness);
    let changed = |harness: &Harness<'_, App>| -> BTreeSet<u32> {
        let outcome = harness.state().session.tools().outcome().unwrap();
        outcome.changes.iter().map(|change| change.mesh.0).collect()
    };
    assert_eq!(changed(&harness), [0, 1].into());
    click(&mut harness, "All 2 meshes");
    press(&mut harness, "second tube");
    assert_eq!(changed(&harness), [1].into());
    harness.get_by_label("1 of 2 meshes");
    press(&mut harness, "All meshes");
    assert_eq!(changed(&harness), [0, 1].into());
}

#[test]
fn a_slider_that_is_dragged_says_that_weights_are_found_when_it_is_let_go() {
    let mut session = session(6);
    session.defer_work();
    let mut harness = panel(session);
    choose(&mut harness);
    harness.get_by_label("Being worked out.");
    harness.state_mut().session.do_wanted();
    harness.run();
    assert!(harness.query_by_label("Being worked out.").is_none());
    let tries = |harness: &mut Harness<'_, App>| {
        let wanted = harness.state_mut().session.wanted();
        wanted.iter().any(|work| matches!(work, Work::TryTool(..)))
    };
    let at = harness.get_by_role_and_label(Role::Slider, "Smooth").rect().center();
    harness.drag_at(at);
    harness.run();
    harness.hover_at(at + vec2(30.0, 0.0));
    harness.run();
    harness.get_by_label("It is worked out once the drag ends. What is shown was found before.");
    assert!(!tries(&mut harness));
    harness.drop_at(at + vec2(30.0, 0.0));
    harness.run();
    assert!(tries(&mut harness));
    // How far it is stands in the panel too.
    let (what, cancel) = ("Bind automatically: heat".to_owned(), Some(ToolCommand::Cancel.into()));
    harness.state_mut().status.work = Some(BackgroundStatus { what, fraction: Some(0.4), cancel });
    harness.run();
    harness.get_by_label("Bind automatically: heat · 40 %. What is shown was found before.");
    harness.state_mut().status.work = None;
    harness.state_mut().session.do_wanted();
    harness.run();
    assert!(harness.query_by_label_contains("What is shown was found before.").is_none());
}

#[test]
fn what_has_changed_is_shown_beside_the_weights_from_before_and_beside_those_of_the_file() {
    let mut session = session(6);
    session.apply(ToolCommand::Choose(Some("smooth")));
    session.apply(ToolCommand::Apply);
    session.apply(ToolCommand::TogglePanel);
    let mut harness = panel(session);
    choose(&mut harness);
    press(&mut harness, "Apply");
    click(&mut harness, "Show how much the weights differ from those before they were found");
    let session = &harness.state().session;
    assert_eq!(session.view().overlay.unwrap().id, "changed");
    assert_eq!(session.deforming().compared_file(), Some("the weights before Auto bind"));
    click(&mut harness, "Show how much the weights differ from those of the file");
    let session = &harness.state().session;
    assert!(session.deforming().compared_file().is_none() && session.view().overlay.unwrap().id == "changed");
}
