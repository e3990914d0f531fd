//! What a screen reader and F1 meet: every control has a name and says what it does, and the program can be used by accessibility actions
//! alone.

use std::collections::BTreeSet;

use skinscope::app::ui::{AskedFile, AskedStage, topic_of};
use skinscope::inspect::Inspection;
use skinscope::inspect::check::{Report, Severity};
use skinscope::session::{ExportKind, FileUse, MeasureCommand, Panel, Submenu, ToolCommand};

use super::*;

/// Roles of what can be pressed, typed into or set.
const CONTROLS: [Role; 14] = [
    Role::Button,
    Role::Canvas,
    Role::CheckBox,
    Role::RadioButton,
    Role::ComboBox,
    Role::ColumnHeader,
    Role::MenuItem,
    Role::MenuItemCheckBox,
    Role::Slider,
    Role::SpinButton,
    Role::TextInput,
    Role::ListBoxOption,
    Role::TreeItem,
    Role::Link,
];

/// Adds the controls that have no name or about which F1 would say nothing.
fn look(harness: &Harness<'_, App>, state: &str, out: &mut BTreeSet<String>) {
    for role in CONTROLS {
        for found in harness.query_all_by_role(role) {
            let node = found.accesskit_node();
            let name = node.label().or_else(|| node.value()).unwrap_or_default();
            let said = node.description().unwrap_or_default();
            if name.trim().is_empty() || said.is_empty() && topic_of(&name, "").is_none() {
                out.insert(format!("{role:?} “{name}” ({state})"));
            }
        }
    }
}

/// What shows something in the window.
type Preparation = Box<dyn Fn(&mut App)>;

/// A model with edits, a selected joint and an overlay, in which `prepare` shows something.
fn showing(prepare: impl Fn(&mut App)) -> Harness<'static, App> {
    let mut session = session(3);
    session.apply(SelectionCommand::Select(Some(NodeId(2))));
    session.apply(ViewCommand::ToggleOverlay("weights"));
    let mut harness = window(session, UiState::default(), Status::default());
    prepare(harness.state_mut());
    harness.run();
    harness
}

#[test]
fn every_control_of_every_panel_and_dialog_has_a_name_and_says_what_it_does() {
    let shows = |panel: Panel| move |app: &mut App| app.ui.carry_out(&WindowCommand::TogglePanel(panel));
    let film = |kind: ExportKind| {
        move |app: &mut App| {
            let (path, offered) = ("/films/a.webp".into(), Vec::new());
            let (stage, usage) = (AskedStage::Writable { replaces: false }, FileUse::Export(kind));
            app.status.asked_file = Some(AskedFile { usage, path, has_dialog: true, offered, stage });
        }
    };
    let applies = |command: Command| move |app: &mut App| _ = app.session.apply(command.clone());
    let arranges = |app: &mut App| {
        let text = "left inspector+outliner; float@300,100,640,260 timeline";
        app.ui.carry_out(&WindowCommand::ArrangePanels(text.to_owned()));
    };
    let saves = |app: &mut App| {
        app.ui.carry_out(&WindowCommand::SaveLayout("Mine".to_owned()));
        app.ui.carry_out(&WindowCommand::ShowLayouts);
    };
    let other = || Document::new(Arc::new(tube(Tube { joints: 4, ..Tube::default() })), vec![], None);
    let states: [(&str, Preparation); 17] = [
        ("the usual window", Box::new(|_| ())),
        ("tables", Box::new(shows(Panel::Tables))),
        ("panels in stacks and over the picture", Box::new(arranges)),
        ("layouts", Box::new(saves)),
        ("tools", Box::new(applies(ToolCommand::TogglePanel.into()))),
        ("brushes", Box::new(shows(Panel::Paint))),
        ("deformation", Box::new(applies(MeasureCommand::TogglePanel.into()))),
        ("statistics", Box::new(shows(Panel::Statistics))),
        ("log", Box::new(shows(Panel::Log))),
        ("preferences", Box::new(|app| app.ui.carry_out(&WindowCommand::ShowPreferences))),
        ("manual", Box::new(|app| app.ui.carry_out(&WindowCommand::ShowManual(String::new())))),
        ("first steps", Box::new(|app| app.ui.carry_out(&WindowCommand::ShowFirstSteps))),
        ("all commands", Box::new(|app| app.ui.carry_out(&WindowCommand::FindAnything))),
        ("keys", Box::new(|app| app.ui.carry_out(&WindowCommand::ShowShortcuts))),
        ("about", Box::new(|app| app.ui.carry_out(&WindowCommand::ShowAbout))),
        ("a film", Box::new(film(ExportKind::Film))),
        ("a second model", Box::new(move |app| app.session.open_beside(other()))),
    ];
    let mut silent = BTreeSet::new();
    for (name, prepare) in &states {
        look(&showing(prepare), name, &mut silent);
    }
    for name in ["Vertices", "Palette", "Skins", "Curves", "Poses", "Benchmark"] {
        let mut harness = showing(shows(Panel::Tables));
        tables::tab(&mut harness, name);
        look(&harness, name, &mut silent);
    }
    for operation in skinscope::edit::OPERATIONS {
        look(&showing(applies(ToolCommand::Choose(Some(operation.id)).into())), operation.tool, &mut silent);
    }
    for example in ["twist-bar", "three-bones"] {
        look(&examples::shown(example), example, &mut silent);
    }
    look(&findings::shown(findings::three()), "findings", &mut silent);
    let mut comparing = showing(|_| ());
    comparing.key_press(Key::X);
    comparing.run();
    look(&comparing, "a comparison", &mut silent);
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn every_row_of_every_menu_and_list_has_a_name_and_says_what_it_does() {
    let mut silent = BTreeSet::new();
    for menu in ["File", "Edit", "Pose", "View", "Look", "Overlay", "Tools", "Playback", "Help"] {
        let mut harness = open(3);
        click(&mut harness, menu);
        let rows = [Role::MenuItem, Role::MenuItemCheckBox].map(|role| harness.query_all_by_role(role).count());
        assert!(rows.iter().sum::<usize>() > 0, "{menu}");
        look(&harness, menu, &mut silent);
    }
    let mut submenus: Vec<(&str, Submenu)> = Vec::new();
    for row in COMMANDS.iter() {
        let Some(submenu) = row.submenu.filter(|of| submenus.iter().all(|(_, known)| known != of)) else { continue };
        submenus.push((&*format!("{:?}", row.menu).leak(), submenu));
    }
    for (menu, submenu) in submenus {
        let mut harness = open(3);
        click(&mut harness, menu);
        harness.get_by_role_and_label(Role::MenuItem, submenu.title()).click();
        harness.run();
        look(&harness, submenu.title(), &mut silent);
    }
    let harness = showing(|app| app.ui.carry_out(&WindowCommand::TogglePanel(Panel::Tables)));
    let lists = harness.query_all_by_role(Role::ComboBox).filter_map(|node| node.accesskit_node().label());
    for list in lists.collect::<BTreeSet<String>>() {
        let mut harness = showing(|app| app.ui.carry_out(&WindowCommand::TogglePanel(Panel::Tables)));
        harness.query_all_by_label(&list).next().unwrap().click();
        harness.run();
        look(&harness, &list, &mut silent);
    }
    assert!(silent.is_empty(), "{silent:#?}");
}

/// Puts the pointer over a control and presses F1.
fn ask(harness: &mut Harness<'_, App>, at: Pos2) {
    harness.hover_at(at);
    harness.run();
    harness.key_press(Key::F1);
    harness.run();
}

fn says(harness: &Harness<'_, App>, text: &str) -> bool {
    painted_texts(harness).iter().any(|(painted, _)| painted.replace('\n', " ").contains(text))
}

#[test]
fn f1_says_what_is_under_the_pointer_with_its_equation_its_source_and_its_keys() {
    let mut harness = open(3);
    let at = |harness: &Harness<'_, App>, name: &str| harness.get_by_label(name).rect().center();
    let place = at(&harness, "Deformation method: Linear blend");
    ask(&mut harness, place);
    assert!(says(&harness, "Deformation method") && says(&harness, "Source: Larsen"));
    harness.get_by_label("p = Σ\u{2009}w\u{2009}M\u{2009}v");
    harness.key_press(Key::Escape);
    harness.run();
    assert!(!says(&harness, "Source: Larsen"), "Escape closes the card");
    // A row of an open menu, which stays open.
    click(&mut harness, "Overlay");
    let place = harness.get_by_role_and_label(Role::MenuItemCheckBox, "Weights").rect().center();
    ask(&mut harness, place);
    assert!(says(&harness, "Key: W") && says(&harness, "Colour the skin by its weight for the selected joint"));
    click(&mut harness, "Read in the manual: See which joint moves what");
    // Bold words are pieces of their own.
    assert!(says(&harness, "Select a joint and press") && says(&harness, "The skin takes the colours of the weights"));
    harness.key_press(Key::Escape);
    harness.run();
    // A joint of the outliner, and the picture.
    let place = at(&harness, "joint 1");
    ask(&mut harness, place);
    harness.get_by_label("Close the explanation");
    click(&mut harness, "Close the explanation");
    let place = harness.state().picture.center();
    ask(&mut harness, place);
    assert!(says(&harness, "3D view"));
    assert!(harness.state().commands.iter().all(|c| *c != WindowCommand::ShowShortcuts.into()));
    // A press elsewhere closes it too.
    let elsewhere = harness.state().picture.left_bottom() + vec2(30.0, -30.0);
    drag(&mut harness, &[elsewhere], PointerButton::Primary);
    assert!(harness.query_by_label("Close the explanation").is_none());
}

#[test]
fn f1_over_nothing_opens_the_list_of_keys_and_the_focus_of_the_keyboard_counts_before_the_pointer() {
    let mut harness = open(3);
    harness.key_press(Key::F1);
    harness.run();
    assert!(has_command(&harness, &WindowCommand::ShowShortcuts.into()) && says(&harness, "Ctrl+Page Down"));
    harness.key_press(Key::Escape);
    harness.run();
    let picture = harness.state().picture.center();
    harness.hover_at(picture);
    harness.key_press(Key::Tab);
    harness.run();
    harness.key_press(Key::F1);
    harness.run();
    harness.get_by_label("Close the explanation");
    assert!(!says(&harness, "3D view"));
}

#[test]
fn names_are_collected_for_one_question_alone_where_no_screen_reader_listens() {
    let ctx = egui::Context::default();
    ui::install(&ctx);
    let (mut session, mut state, status) = (session(3), UiState::default(), Status::default());
    let mut pass = |events: Vec<Event>| {
        let mut commands = Vec::new();
        let screen_rect = Some(egui::Rect::from_min_size(Pos2::ZERO, vec2(1280.0, 720.0)));
        let mut area = ui::ViewportArea::default();
        let input = egui::RawInput { events, screen_rect, ..Default::default() };
        let mut output = ctx.run_ui(input, |ui| area = ui::show(ui, &session, &mut state, &status, &mut commands));
        output.textures_delta.clear();
        commands.into_iter().for_each(|command| _ = session.apply(command));
        session.update_pose();
        (area.rect.center(), output.platform_output.accesskit_update.is_some(), output.shapes.len())
    };
    let (middle, ..) = (pass(vec![]), pass(vec![])).1;
    pass(vec![Event::PointerMoved(middle)]);
    let before = pass(vec![]);
    let key = Event::Key { key: Key::F1, physical_key: None, pressed: true, repeat: false, modifiers: Modifiers::NONE };
    assert!(!pass(vec![key]).1, "the pass of the key has no names yet");
    assert!(pass(vec![]).1, "the next one has them");
    let after = (pass(vec![]), pass(vec![])).1;
    assert!(!after.1 && after.2 > before.2, "then the card is there, and no names any more");
}

/// Looks at the weights of a joint, poses it, checks the model and sets a preference, without pointer and keys.
#[test]
fn one_tour_by_accessibility_actions_alone() {
    let press = |harness: &mut Harness<'_, App>, name: &str| {
        harness.get_by_label(name).click_accesskit();
        harness.run();
    };
    let begins = |harness: &Harness<'_, App>, role: Role, start: &str| {
        let labels = harness.query_all_by_role(role).filter_map(|node| node.accesskit_node().label());
        labels.into_iter().find(|label| label.starts_with(start)).unwrap()
    };
    let mut harness = window(Session::default(), UiState::default(), Status::default());
    press(&mut harness, "Open built-in character");
    assert!(has_command(&harness, &FileCommand::OpenBuiltIn.into()));
    let model = skinscope::session::Source::BuiltIn;
    let document = model.load(&skinscope::import::Options::default(), &skinscope::import::Progress::silent()).unwrap();
    harness.state_mut().session.open(document);
    harness.state_mut().session.apply(PlaybackCommand::SetPlaying(false));
    harness.run();
    press(&mut harness, "UpperArm.L");
    let selected = harness.state().session.view().selected.unwrap();
    press(&mut harness, "Overlay");
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Weights").click_accesskit();
    harness.run();
    assert_eq!(harness.state().session.view().overlay.map(|overlay| overlay.id), Some("weights"));
    let slider = begins(&harness, Role::Slider, "Rotation Z");
    harness.get_by_role_and_label(Role::Slider, &slider).increment_accesskit();
    harness.run();
    assert!(harness.state().session.edits().nodes.contains_key(&selected), "the joint is posed");
    let before = harness.state().session.playback().time_secs;
    harness.get_by_role_and_label(Role::Slider, "Time").increment_accesskit();
    harness.run();
    harness.run();
    assert!(harness.state().session.playback().time_secs > before, "the time goes on");
    press(&mut harness, "Check the model");
    assert!(has_command(&harness, &InspectionCommand::Inspect.into()));
    let model = Arc::clone(harness.state().session.model().unwrap());
    let report =
        Report { findings: vec![findings::finding("weights-zero", Severity::Error, vec![3], 1)], ..Report::default() };
    harness.state_mut().session.inspected(&model, Inspection { report, ..Inspection::default() });
    harness.run();
    let finding = begins(&harness, Role::ListBoxOption, "No weights");
    press(&mut harness, &finding);
    let read = begins(&harness, Role::ListBoxOption, "No weights");
    assert!(read.len() > finding.len() && harness.state().session.view().finding.is_some(), "it is open: {read}");
    press(&mut harness, "Edit");
    press(&mut harness, "Preferences…");
    let theme = begins(&harness, Role::ComboBox, "Theme");
    press(&mut harness, &theme);
    press(&mut harness, "Light");
    assert!(!harness.state().ui.is_dark(), "the theme is light");
    press(&mut harness, "Close");
}

fn has_command(harness: &Harness<'_, App>, command: &Command) -> bool {
    harness.state().commands.contains(command)
}

#[test]
fn no_tooltip_covers_the_card() {
    let mut harness = open(3);
    let delay = |harness: &Harness<'_, App>| harness.ctx.global_style().interaction.tooltip_delay;
    let usual = delay(&harness);
    let place = harness.get_by_label("Deformation method: Linear blend").rect().center();
    ask(&mut harness, place);
    assert!(delay(&harness).is_infinite());
    harness.key_press(Key::Escape);
    harness.run();
    harness.run();
    assert_eq!(delay(&harness), usual, "later tooltips come again");
}
