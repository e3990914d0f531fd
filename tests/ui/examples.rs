//! Teaching examples in the window: the page, its sliders, its letters, and points that are dragged in the picture.

use skinscope::examples::{self, Lesson, Start};
use skinscope::frame::{Frame, SceneColors};
use skinscope::import::{Options, Progress};
use skinscope::session::{ExampleCommand, Source};

use super::*;

fn open(session: &mut Session, id: &str) {
    let start = Start::of(examples::example(id).unwrap());
    session.open(Document::of_lesson(Lesson::new(start)));
    // The window has the data of methods worked out in the background.
    session.prepare();
    session.update_pose();
}

pub(super) fn shown(id: &str) -> Harness<'static, App> {
    let mut session = Session::default();
    open(&mut session, id);
    window(session, UiState::default(), Status::default())
}

fn slider(harness: &Harness<'_, App>, id: &str) -> f32 {
    harness.state().session.lesson().unwrap().moment().settings().get(id)
}

#[test]
fn a_page_follows_its_sliders_and_says_what_its_letters_are() {
    let mut harness = shown("twist-bar");
    harness.get_by_label("Why does a wrist that is turned far become thin like the wrapper of a candy?");
    // Half of the radius is left at 120°.
    harness.get_by_label("r_½/R = cos(θ/2) = cos(120.0°/2) = 0.500");
    harness.state_mut().session.apply(ExampleCommand::SetSlider("theta", 90.0));
    harness.run();
    harness.get_by_label("r_½/R = cos(θ/2) = cos(90.0°/2) = 0.707");
    // A press on a letter shows it in the picture, and a second one puts it away.
    let words = "θ is the angle by which the upper joint is turned, drawn on the upper end. Now 90.0°.";
    let before = harness.state().session.example_marks().len();
    // The formula is below what to try.
    harness.get_all_by_label(words).next().unwrap().scroll_to_me();
    harness.run();
    harness.get_all_by_label(words).next().unwrap().click();
    harness.run();
    assert_eq!(harness.state().session.lesson().unwrap().shown().map(|s| s.id), Some("theta"));
    assert!(harness.state().session.example_marks().len() > before);
    harness.get_all_by_label(words).next().unwrap().click();
    harness.run();
    assert!(harness.state().session.lesson().unwrap().shown().is_none());
    harness.get_by_label("Reset the sliders").click();
    harness.run();
    assert_eq!(slider(&harness, "theta"), 120.0);
}

#[test]
fn f1_over_a_letter_is_titled_by_it_and_stands_beside_the_page() {
    let mut harness = shown("twist-bar");
    let words = "w is the weight that the marked ring has";
    harness.get_all_by_label_contains(words).next().unwrap().scroll_to_me();
    harness.run();
    let letter = harness.get_all_by_label_contains(words).next().unwrap().rect();
    harness.hover_at(letter.center());
    harness.run();
    harness.key_press(Key::F1);
    harness.run();
    let close = harness.get_by_label("Close the explanation").rect();
    let texts = painted_texts(&harness);
    let is_beside = |rect: &egui::Rect| rect.right() < close.right() && (rect.top() - close.top()).abs() < 20.0;
    assert!(texts.iter().any(|(text, rect)| text == "w" && is_beside(rect)), "the title is the letter");
    assert!(texts.iter().any(|(text, _)| text.starts_with("The weight that the marked ring has")));
    let page = harness.get_by_label(examples::example("twist-bar").unwrap().question).rect();
    assert!(close.right() < page.left(), "{close:?} covers the page {page:?}");
}

#[test]
fn the_words_of_a_presentation_grow_with_the_screen() {
    let mut harness = shown("three-bones");
    let height = |harness: &Harness<'_, App>, words: &str| {
        painted_texts(harness).into_iter().find(|(text, _)| text == words).unwrap().1.height()
    };
    let all = ["c: bone 3", examples::example("three-bones").unwrap().title, "Reset"];
    let usual = all.map(|words| height(&harness, words));
    harness.key_press(Key::F11);
    harness.set_size(vec2(1920.0, 1080.0));
    harness.run();
    for (words, usual) in all.into_iter().zip(usual) {
        let now = height(&harness, words);
        assert!(now > 1.7 * usual, "{words}: {usual} and {now}");
    }
}

#[test]
fn the_list_of_methods_of_a_presentation_grows_with_its_text() {
    let mut harness = shown("twist-bar");
    let height = |harness: &Harness<'_, App>, words: &str| {
        harness.get_all_by_label_contains(words).map(|node| node.rect().height()).fold(0.0_f32, f32::max)
    };
    let usual = height(&harness, "Deformation method: ");
    harness.key_press(Key::F11);
    harness.set_size(vec2(1920.0, 1080.0));
    harness.run();
    let now = height(&harness, "Deformation method: ");
    assert!(usual > 20.0 && now > 1.7 * usual, "{usual} and {now}");
    harness.get_by_label_contains("Deformation method: ").click();
    harness.run();
    let row = height(&harness, "Dual quaternion");
    assert!(row > 1.5 * usual, "{usual} and {row}");
    let text = painted_texts(&harness).into_iter().filter(|(text, _)| text == "Dual quaternion");
    assert!(text.map(|(_, rect)| rect.height()).fold(0.0_f32, f32::max) > 18.0, "its letters are as large");
}

#[test]
fn the_names_of_two_sides_grow_in_a_presentation() {
    let mut harness = shown("twist-bar");
    harness.state_mut().session.apply(skinscope::session::ComparisonCommand::Set(true));
    harness.run();
    let height = |harness: &Harness<'_, App>| harness.get_by_label_contains("Left side: ").rect().height();
    let usual = height(&harness);
    harness.key_press(Key::F11);
    harness.set_size(vec2(1920.0, 1080.0));
    harness.run();
    assert!(height(&harness) > 1.3 * usual, "{usual} and {}", height(&harness));
}

#[test]
fn the_page_takes_the_place_of_other_panels_until_it_is_put_away() {
    let mut harness = shown("twist-bar");
    assert!(harness.query_by_label("Search nodes").is_none());
    let narrow = harness.state().picture.width();
    harness.key_press(Key::T);
    harness.run();
    assert!(harness.state().picture.width() < narrow, "large text has a wider page");
    harness.key_press(Key::T);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num7);
    harness.run();
    assert!(harness.query_by_label("Large text").is_none() && !harness.state().session.shows_page());
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num7);
    harness.run();
    harness.get_by_label("Large text");
}

#[test]
fn a_presentation_says_for_three_seconds_how_to_leave_it() {
    let mut harness = window(session(3), UiState::default(), Status::default());
    let says = |harness: &Harness<'_, App>| harness.query_by_label("Esc leaves").is_some();
    assert!(!says(&harness));
    harness.key_press(Key::F11);
    harness.run();
    assert!(harness.state().ui.presents() && says(&harness));
    // A step is 0.05 s.
    (0..70).for_each(|_| harness.step());
    assert!(harness.state().ui.presents() && !says(&harness));
    // Whoever leaves at once need not be told any longer.
    for _ in 0..2 {
        harness.key_press(Key::Escape);
        harness.run();
        assert!(!harness.state().ui.presents() && !says(&harness));
        harness.key_press(Key::F11);
        harness.run();
        assert!(says(&harness), "each time");
    }
}

#[test]
fn a_presentation_has_the_picture_the_page_and_the_sliders_alone_and_keys_of_its_own() {
    let mut harness = shown("twist-bar");
    harness.state_mut().session.apply(SelectionCommand::Select(Some(NodeId(0))));
    let step = |steps| Command::File(FileCommand::StepExample(steps));
    let question = examples::example("twist-bar").unwrap().question;
    harness.key_press(Key::PageDown);
    harness.run();
    assert!(!has(&harness, &step(1)), "Page Down selects a joint otherwise");
    let narrow = harness.get_by_label(question).rect().width();
    let top = harness.state().picture.top();
    harness.key_press(Key::F11);
    harness.run();
    assert!(harness.state().ui.presents());
    for absent in ["File", "Wireframe", "Close the page", "Large text", "Stop comparing"] {
        assert!(harness.query_by_label(absent).is_none(), "{absent}");
    }
    assert!(top - harness.state().picture.top() > 30.0, "the picture has the room of the menus");
    assert!(harness.state().picture.height() > 700.0 && harness.state().picture.width() > 600.0);
    assert!(harness.get_by_label(question).rect().width() > narrow, "its text is large");
    harness.get_by_label("Turn of the upper end, θ value");
    harness.get_by_label("Reset the sliders");
    // The page asks for another method, and its formulas come before what to try.
    harness.get_by_label_contains("Deformation method: ");
    harness.key_press(Key::PageDown);
    harness.run();
    harness.key_press(Key::PageUp);
    harness.run();
    assert!(has(&harness, &step(1)) && has(&harness, &step(-1)));
    let selected = harness.state().session.view().selected;
    assert!(selected.is_some());
    harness.key_press(Key::Escape);
    harness.run();
    assert!(!harness.state().ui.presents() && harness.state().session.view().selected == selected);
    for shown in ["File", "Wireframe", "Close the page"] {
        harness.get_by_label(shown);
    }
}

#[test]
fn the_text_of_a_page_keeps_two_thirds_of_its_height() {
    for example in examples::examples() {
        let harness = shown(example.id);
        let picture = harness.state().picture;
        let head = harness.get_by_label("TRY THIS").rect().top() - picture.top();
        assert!(head <= picture.height() / 3.0, "{}: {head}", example.id);
    }
}

/// The rectangles of all words that are painted in the picture.
fn words_of_picture(harness: &Harness<'_, App>) -> Vec<(String, egui::Rect)> {
    let mut out = painted_texts(harness);
    out.retain(|(_, rect)| harness.state().picture.contains(rect.center()));
    out
}

#[test]
fn no_joint_of_the_shoulder_loses_its_name_and_no_line_goes_through_one() {
    let mut harness = shown("shoulder");
    for degrees in (-80..=90).step_by(10) {
        harness.state_mut().session.apply(ExampleCommand::SetSlider("theta", degrees as f32));
        harness.run();
        let words = words_of_picture(&harness);
        let session = &harness.state().session;
        let corner = harness.state().picture.min;
        for name in ["ball joint", "clavicle", "scapula", "shoulder", "s₁", "s₂", "one ball joint"] {
            let found = words.iter().find(|(text, _)| text == name);
            let (_, rect) = found.unwrap_or_else(|| panic!("{degrees}°: {name} is not written"));
            for mark in session.example_marks().iter().filter(|mark| mark.width > 0.0 && !mark.leads) {
                let at = |p: &Vec3| session.view().project(*p).map(|p| corner + vec2(p.x, p.y)).unwrap();
                for ends in mark.points.windows(2) {
                    let [a, b] = [at(&ends[0]), at(&ends[1])];
                    let on_line = (0..=40).map(|i| a.lerp(b, i as f32 / 40.0));
                    assert!(on_line.into_iter().all(|p| !rect.contains(p)), "{degrees}°: a line through {name}");
                }
            }
        }
    }
}

#[test]
fn the_clocks_between_two_turns_have_their_names_below_them_in_every_window() {
    for size in [vec2(1280.0, 720.0), vec2(1600.0, 900.0)] {
        for turn in [10.0, 90.0, 200.0, 350.0] {
            let mut harness = shown("between-turns");
            harness.set_size(size);
            harness.state_mut().session.apply(ExampleCommand::SetSlider("turn", turn));
            harness.run();
            harness.run();
            let picture = harness.state().picture;
            let texts = painted_texts(&harness);
            let clock =
                |x: f32| harness.state().session.view().project(Vec3::new(x, -1.0, 0.0)).unwrap().x + picture.left();
            let half = 0.5 * (clock(2.1) - clock(0.0));
            for (name, x) in [("slerp", -2.1), ("quaternions", 0.0), ("matrices", 2.1)] {
                let found = texts.iter().find(|(text, rect)| text == name && picture.contains_rect(*rect));
                let (_, rect) = found.unwrap_or_else(|| panic!("{size:?}, {turn}°: {name} is not written"));
                let off = (rect.center().x - clock(x)).abs();
                assert!(off < half, "{size:?}, {turn}°: {name} is {off} points from its clock");
            }
        }
    }
}

#[test]
fn every_example_is_in_the_menu_and_its_page_shows_whole() {
    for example in examples::examples() {
        let command = Command::File(FileCommand::OpenExample(example.id));
        assert!(COMMANDS.iter().any(|row| row.command == command && row.label == example.title), "{}", example.id);
        let harness = shown(example.id);
        harness.get_by_label(example.question);
        for step in example.page.try_this {
            harness.get_by_label(step);
        }
        assert!(harness.state().picture.width() > 500.0);
    }
}

#[test]
fn a_slider_of_two_values_is_a_switch_and_shares_say_what_is_used() {
    let mut harness = shown("between-turns");
    assert_eq!(slider(&harness, "way"), 1.0);
    harness.get_by_label("s = −1").click();
    harness.run();
    assert_eq!(slider(&harness, "way"), -1.0);
    let mut harness = shown("three-weights");
    harness.state_mut().session.apply(ExampleCommand::SetSlider("w1", 0.9));
    harness.run();
    assert!((slider(&harness, "w2") - 0.1).abs() < 1e-6, "the rail shows what is left");
}

#[test]
fn the_target_is_dragged_in_the_picture() {
    let mut harness = shown("two-link-ik");
    let place = |harness: &Harness<'_, App>, at: Vec3| {
        let session = &harness.state().session;
        let pixel = session.view().project(at).unwrap();
        harness.state().picture.min + vec2(pixel.x, pixel.y)
    };
    let from = place(&harness, Vec3::new(slider(&harness, "x"), slider(&harness, "y"), 0.0));
    let to = place(&harness, Vec3::new(-0.5, 0.9, 0.0));
    let orbit = harness.state().session.view().orbit;
    harness.hover_at(from);
    harness.run();
    harness.drag_at(from);
    harness.run();
    harness.hover_at(to);
    harness.run();
    harness.drop_at(to);
    harness.run();
    let (x, y) = (slider(&harness, "x"), slider(&harness, "y"));
    assert!((x + 0.5).abs() < 0.02 && (y - 0.9).abs() < 0.02, "{x} {y}");
    assert_eq!(harness.state().session.view().orbit, orbit, "the camera stays");
}

#[test]
fn what_was_looked_at_before_comes_back_with_the_next_file() {
    let mut plain = session(3);
    plain.apply(ViewCommand::SetMethod("mixed"));
    plain.apply(ViewCommand::SetOverlay(Some("influences")));
    open(&mut plain, "twist-bar");
    assert!(
        plain.deforming().comparison().is_some()
            && plain.view().method.id == "linear"
            && plain.view().overlay.is_none()
    );
    open(&mut plain, "elbow");
    assert!(plain.deforming().comparison().is_none() && plain.view().is_on(Toggle::Wireframe));
    plain.open(Document::new(Arc::new(tube(Tube::default())), vec![], None));
    assert!(plain.lesson().is_none() && plain.example_marks().is_empty());
    assert_eq!((plain.view().method.id, plain.view().overlay.map(|o| o.id)), ("mixed", Some("influences")));
    assert!(plain.deforming().comparison().is_none() && !plain.view().is_on(Toggle::Wireframe));
}

#[test]
fn a_slider_that_makes_another_rig_keeps_camera_and_page() {
    let mut session = Session::default();
    open(&mut session, "three-bones");
    session.apply(CameraCommand::Orbit(glam::Vec2::new(30.0, 10.0)));
    let (orbit, before) = (session.view().orbit, Arc::clone(session.model().unwrap()));
    session.apply(ExampleCommand::SetSlider("r1", 33.0));
    assert!(Arc::ptr_eq(&before, session.model().unwrap()), "turns need no other rig");
    session.apply(ExampleCommand::SetSlider("rest", 40.0));
    assert!(!Arc::ptr_eq(&before, session.model().unwrap()) && session.shows_page());
    assert_eq!((session.view().orbit, session.lesson().unwrap().moment().settings().get("r1")), (orbit, 33.0));
    // The picture has what the page says.
    let shown = session.surfaces().surface().unwrap().parts[0].deformed.positions[20];
    assert!(shown.as_dvec3().distance(session.lesson().unwrap().moment().vertex("linear", 0, 20)) < 1e-6);
}

#[test]
fn the_inspector_says_which_joints_are_turned_at_rest() {
    let mut harness = shown("three-bones");
    let session = &mut harness.state_mut().session;
    session.apply(ExampleCommand::SetSlider("rest", 40.0));
    session.apply(ExampleCommand::TogglePage);
    let node = |name: &str| session.model().unwrap().skeleton.names.iter().position(|n| n == name).unwrap();
    let [first, second] = ["bone 1", "bone 2"].map(|name| NodeId::from_index(node(name)));
    session.apply(SelectionCommand::Select(Some(second)));
    harness.run();
    harness.get_by_label("Turned by 40.0° at rest");
    harness.state_mut().session.apply(SelectionCommand::Select(Some(first)));
    harness.run();
    assert!(harness.query_by_label_contains("at rest").is_none());
}

#[test]
fn lines_that_lead_to_words_are_left_to_those_who_write_the_words() {
    let mut session = Session::default();
    open(&mut session, "muscle");
    session.update_pose();
    let marks = session.example_marks();
    let mut frame = Frame::default();
    session.build_frame(&mut frame, &SceneColors::DARK);
    let is_drawn = |ends: &[Vec3]| frame.lines.iter().any(|line| ends == [line.from, line.to]);
    assert!(marks.iter().any(|mark| mark.leads), "the example has a name that stands aside");
    for mark in marks.iter().filter(|mark| mark.points.len() > 1) {
        assert!(mark.points.windows(2).all(|ends| is_drawn(ends) != mark.leads), "{mark:?}");
    }
}

/// A page in a folder of its own, with the character beside it.
struct OwnPage(std::path::PathBuf);

impl OwnPage {
    fn new(folder: &str, text: &str) -> Self {
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages").join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        let character = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
        std::fs::copy(character, folder.join("character.glb")).unwrap();
        let out = Self(folder.join("page.md"));
        out.write(text);
        out
    }

    fn write(&self, text: &str) {
        std::fs::write(&self.0, text).unwrap();
    }
}

const RING: &str = "\
---
title: A ring
rig: twist-bar
slider theta: 0..90 = 45
---
# How wide is the ring?

```formula
h/R = cos(theta/2)
```
";

/// Reads what is open again, as the window does once it has changed.
fn read_again(session: &mut Session) -> Result<(), String> {
    let source = Source::Example(session.lesson().unwrap().start());
    let document = source.load(&Options::default(), &Progress::silent()).map_err(|error| error.to_string())?;
    session.open(document);
    session.prepare();
    session.update_pose();
    Ok(())
}

#[test]
fn a_page_of_ones_own_is_read_again_with_sliders_and_camera_where_they_were() {
    let page = OwnPage::new("read_again", RING);
    let mut session = Session::default();
    session.open(Source::Page(page.0.clone()).load(&Options::default(), &Progress::silent()).unwrap());
    session.apply(CameraCommand::Orbit(glam::Vec2::new(30.0, 10.0)));
    let orbit = session.view().orbit;
    let at = |session: &Session, id: &str| session.lesson().unwrap().moment().settings().get(id);
    assert_eq!(at(&session, "theta"), 45.0);
    // What stands where the page put it follows the page.
    page.write(&RING.replace("= 45", "= 60"));
    read_again(&mut session).unwrap();
    assert_eq!((at(&session, "theta"), session.view().orbit), (60.0, orbit));
    session.apply(ExampleCommand::SetSlider("theta", 77.0));
    page.write(&RING.replace("# How", "# Why"));
    read_again(&mut session).unwrap();
    assert_eq!((at(&session, "theta"), session.view().orbit), (77.0, orbit));
    assert_eq!(session.lesson().unwrap().example().question, "Why wide is the ring?");
    // What is broken leaves all as it is.
    page.write(&RING.replace("cos(", "cost("));
    let error = read_again(&mut session).unwrap_err();
    assert!(error.contains("page.md:9:7: there is no symbol or function \"cost\"; nearest: cos"), "{error}");
    assert_eq!((at(&session, "theta"), session.view().orbit), (77.0, orbit));
    // Another look is shown.
    assert!(!session.view().is_on(Toggle::Wireframe));
    page.write(&RING.replace("title", "edges: yes\ntitle"));
    read_again(&mut session).unwrap();
    assert!(session.view().is_on(Toggle::Wireframe) && at(&session, "theta") == 77.0);
    let mut harness = window(session, UiState::default(), Status::default());
    harness.run();
    harness.get_by_label("How wide is the ring?");
    assert_eq!(harness.state().ui.saved().recent, [page.0]);
}

#[test]
fn a_page_about_a_model_poses_it_by_its_sliders() {
    let text = "---\ntitle: An arm\nmodel: character.glb\nslider bend: joint \"LowerArm.L\" turn z -60..60 = 30 \"Bend\"\n\
                symbol h: bold = joint(\"Hand.L\") \"where the hand is\"\nselect: Hand.L\n---\n# Where is the hand?\n";
    let page = OwnPage::new("on_model", text);
    let source = Source::Page(page.0.clone());
    let document = source.load(&Options::default(), &Progress::silent()).unwrap();
    let character = page.0.with_file_name("character.glb");
    assert_eq!(document.files().collect::<Vec<_>>(), [&page.0, &character]);
    assert_eq!(source.named_files(&Options::default()), std::slice::from_ref(&character));
    let mut session = Session::default();
    session.open(document);
    assert!(!session.playback().playing && session.playback().source == PoseSource::Rest);
    let hand = |session: &mut Session| {
        session.update_pose();
        let node = session.view().selected.unwrap();
        let shown = Vec3::from(session.pose().model[node.index()].translation);
        let marked = session.lesson().unwrap().moment().joint_position("Hand.L");
        assert!(shown.distance(marked) < 1e-5, "{shown} {marked}");
        shown
    };
    let before = hand(&mut session);
    session.apply(ExampleCommand::SetSlider("bend", -30.0));
    assert!(hand(&mut session).distance(before) > 0.05);
    // The model itself is another document, which plays.
    session.open(Source::File(character).load(&Options::default(), &Progress::silent()).unwrap());
    assert!(session.lesson().is_none() && session.playback().playing);
}
