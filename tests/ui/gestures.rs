//! Drags that are given up by Escape in the middle of them, and drags that are not.

use skinscope::pose::Limits;
use skinscope::session::{ControlCommand, KeyingCommand, MarkTool, PosingCommand};

use super::*;

/// A drag: what it is of, the window that it is in, where it begins, and where it leads from there.
type Drag = (&'static str, Harness<'static, App>, Pos2, egui::Vec2);

/// Everything that these drags change, and what Escape does where nothing is dragged.
fn state(harness: &Harness<'_, App>) -> [String; 6] {
    let session = &harness.state().session;
    let (view, lesson) = (session.view(), session.lesson());
    let sliders = lesson.map(|lesson| {
        let sliders = lesson.example().sliders.iter();
        sliders.map(|slider| lesson.moment().slider(slider.id).to_bits()).collect::<Vec<_>>()
    });
    [
        format!("{:?} {:?}", session.edits(), session.rules()),
        format!("{:?} {:?}", session.playback(), session.model().unwrap().added_clips()),
        format!("{:?} {:?} {:?}", view.bone_size.to_bits(), view.skin_opacity.to_bits(), view.comparison),
        format!("{:?} {:?} {sliders:?}", view.marked, session.marking().tool),
        format!("{:?} {} {}", view.selected, session.history().can_undo(), session.has_gesture()),
        format!("{:?}", session.posing().blended_pose(session.edits())),
    ]
}

/// Fails where the states differ, and says in which part.
#[track_caller]
fn assert_same(now: &[String; 6], want: &[String; 6], case: &str) {
    let differs = now.iter().zip(want).position(|(now, want)| now != want);
    assert!(differs.is_none(), "{case}: part {differs:?} is another");
}

fn slider(mut harness: Harness<'static, App>, name: &'static str) -> Drag {
    harness.get_by_role_and_label(Role::Slider, name).scroll_to_me();
    harness.run();
    let at = harness.get_by_role_and_label(Role::Slider, name).rect().center();
    (name, harness, at, vec2(24.0, 0.0))
}

/// Drags of limbs over the picture. The bone that is pulled is not the one that is selected.
fn drags_of_limbs() -> Vec<Drag> {
    let mut pulled = selected(5, 1);
    click(&mut pulled, "Pull tool");
    let session = &pulled.state().session;
    let seen = session.view().project(Vec3::from(session.pose().model[4].translation)).unwrap();
    let pull_at = pulled.state().picture.min + vec2(seen.x, seen.y);

    let mut looking = rules::character("Head");
    looking.state_mut().session.apply(CameraCommand::LookFrom(ViewFrom::Front));
    looking.state_mut().session.apply(CameraCommand::FrameAll);
    click(&mut looking, "Look tool");
    // Where the bone of the neck ends, the head begins.
    let head = rules::position(&looking, "Head") + 0.1 * Vec3::Y;
    let seen = looking.state().session.view().project(head).unwrap();
    let look_at = looking.state().picture.min + vec2(seen.x, seen.y);

    let mut bent = rules::character("Hand.L");
    click(&mut bent, "Pull tool");
    click(&mut bent, "Pole");
    let pole_at = bent.get_by_label("Pole of limbs").rect().center();

    vec![
        ("a pull", pulled, pull_at, vec2(-40.0, 25.0)),
        ("a look", looking, look_at, vec2(150.0, -20.0)),
        ("the pole of limbs", bent, pole_at, vec2(20.0, -160.0)),
    ]
}

/// Drags in panels: shares of poses, sliders that drive joints, morph targets, boxes of numbers, and the curves in the tables.
fn drags_in_panels() -> Vec<Drag> {
    let mut shared = poses::library();
    click(&mut shared, "Pose wave");

    let mut controlled = controls::character(None, &[]);
    controlled.state_mut().session.apply(ControlCommand::AddSlider);
    controlled.state_mut().session.update_pose();
    controlled.run();

    let morphed = open_model(editing::with_morph_targets());

    let mut typed = selected(3, 2);
    typed.get_by_label("Rotation X value").scroll_to_me();
    typed.run();
    let box_at = typed.get_by_label("Rotation X value").rect().center();

    let curves = curves::curves();
    let name = curves.state().session.model().unwrap().skeleton.names[2].clone();
    let curve_at = curves.get_by_label(&format!("Curves of {name}")).rect().center();

    vec![
        slider(shared, "Share of the pose"),
        slider(controlled, "Slider"),
        slider(morphed, "Blink of root"),
        ("a box of a number", typed, box_at, vec2(24.0, 0.0)),
        ("the curves of a joint", curves, curve_at, vec2(60.0, 0.0)),
    ]
}

fn drags() -> Vec<Drag> {
    let mut drags = drags_of_windows();
    drags.extend(drags_of_limbs());
    drags.extend(drags_in_panels());
    drags
}

fn drags_of_windows() -> Vec<Drag> {
    let ring = selected(3, 2);
    let ring_at = ring.get_by_label("Turn about the line of sight").rect().center();

    let mut keyed = session(3);
    keyed.apply(KeyingCommand::KeyPose);
    keyed.apply(PlaybackCommand::Seek(0.5));
    keyed.apply(KeyingCommand::KeyPose);
    let keyed = window(keyed, UiState::default(), Status::default());
    let ruler = keyed.get_by_role_and_label(Role::Slider, "Time").rect();
    let key_at = Pos2::new(ruler.left() + 12.0 + 0.5 / 1.5 * (ruler.width() - 24.0), ruler.top() + 38.0);

    let mut marking = session(3);
    marking.apply(skinscope::session::MarkCommand::Use(Some(MarkTool::Lasso)));
    let marking = window(marking, UiState::default(), Status::default());
    let mark_at = marking.state().picture.center() - vec2(150.0, 100.0);

    let mut limited = session(3);
    limited.apply(SelectionCommand::Select(Some(NodeId(2))));
    let limits = Limits { least: Vec3::new(-20.0, -90.0, -180.0), most: Vec3::new(45.0, 90.0, 180.0) };
    limited.apply(PosingCommand::SetLimits(NodeId(2), Some(limits)));
    let limited = window(limited, UiState::default(), Status::default());
    let limit_at = limited.get_by_label("Most angle about X").rect().center();

    let mut bones = selected(3, 2);
    click(&mut bones, "Bones and skin");

    let mut compared = session(3);
    compared.apply(ViewCommand::SetMethod("linear"));
    let mut compared = window(compared, UiState::default(), Status::default());
    compared.key_press(Key::X);
    compared.run();
    let line_at = compared.get_by_label("Comparison line").rect().center();

    vec![
        slider(selected(3, 2), "Rotation X"),
        ("a ring", ring, ring_at, vec2(50.0, 50.0)),
        ("a key", keyed, key_at, vec2(120.0, 0.0)),
        slider(open(3), "Time"),
        ("a lasso", marking, mark_at, vec2(200.0, 160.0)),
        ("the end of a limit", limited, limit_at, vec2(12.0, 18.0)),
        slider(bones, "Bone size"),
        slider(examples::shown("twist-bar"), "Turn of the upper end, θ"),
        ("the comparison line", compared, line_at, vec2(60.0, 0.0)),
    ]
}

fn button(harness: &mut Harness<'_, App>, pos: Pos2, pressed: bool) {
    let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
    harness.event(Event::PointerButton { pos, button, pressed, modifiers });
    harness.run();
}

fn move_to(harness: &mut Harness<'_, App>, at: Pos2) {
    harness.event(Event::PointerMoved(at));
    harness.run();
}

#[test]
fn escape_in_the_middle_of_a_drag_leaves_everything_as_it_was_and_does_nothing_else() {
    for (case, mut harness, from, by) in drags() {
        move_to(&mut harness, from);
        let before = state(&harness);
        button(&mut harness, from, true);
        for share in [0.3, 0.7, 1.0] {
            move_to(&mut harness, from + share * by);
        }
        // A key and marks change as the button is let go.
        let is_late = ["a key", "a lasso"].contains(&case);
        assert!(is_late || state(&harness) != before, "{case}: the drag changes something");
        harness.key_press(Key::Escape);
        harness.run();
        assert_same(&state(&harness), &before, case);
        // The button is still down: nothing follows the pointer any more, and a second Escape is for the drag too.
        move_to(&mut harness, from + 0.5 * by);
        harness.key_press(Key::Escape);
        harness.run();
        button(&mut harness, from + 0.5 * by, false);
        move_to(&mut harness, from);
        assert_same(&state(&harness), &before, case);
        // The next drag is one as ever.
        button(&mut harness, from, true);
        // Not along a straight line, in which a lasso would have no room.
        move_to(&mut harness, from + vec2(by.x, 0.0));
        move_to(&mut harness, from + by);
        button(&mut harness, from + by, false);
        assert!(state(&harness) != before, "{case}: the next drag changes something");
        assert!(!harness.state().session.has_gesture(), "{case}");
    }
}

#[test]
fn a_lasso_that_is_given_up_is_no_part_of_the_next_one() {
    let lasso = |gives_up: bool| {
        let mut harness = open(3);
        harness.state_mut().session.apply(skinscope::session::MarkCommand::Use(Some(MarkTool::Lasso)));
        harness.run();
        let picture = harness.state().picture;
        if gives_up {
            let from = picture.center() - vec2(200.0, 200.0);
            move_to(&mut harness, from);
            button(&mut harness, from, true);
            move_to(&mut harness, from + vec2(300.0, 20.0));
            harness.key_press(Key::Escape);
            harness.run();
            button(&mut harness, from + vec2(300.0, 20.0), false);
        }
        let at = picture.center();
        drag(&mut harness, &[at, at + vec2(60.0, 0.0), at + vec2(0.0, 60.0)], PointerButton::Primary);
        let lassos = harness.state().commands.iter().filter(|c| matches!(c, Command::Mark(_))).cloned();
        lassos.collect::<Vec<_>>()
    };
    let (own, after) = (lasso(false), lasso(true));
    assert!(own.len() == 1 && own == after, "{} and {} drags marked", own.len(), after.len());
}

#[test]
fn a_drag_is_one_step_and_begins_one_gesture() {
    for (case, mut harness, from, by) in
        drags().into_iter().filter(|(case, ..)| ["Rotation X", "a ring"].contains(case))
    {
        let before = state(&harness);
        drag(&mut harness, &[from, from + 0.3 * by, from + 0.7 * by, from + by], PointerButton::Primary);
        let count = |command: EditCommand| {
            let command = Command::from(command);
            harness.state().commands.iter().filter(|c| **c == command).count()
        };
        assert_eq!((count(EditCommand::BeginEdit), count(EditCommand::EndEdit)), (1, 1), "{case}");
        assert!(state(&harness) != before, "{case}");
        harness.state_mut().session.apply(EditCommand::Undo);
        harness.run();
        assert_same(&state(&harness), &before, case);
    }
}

#[test]
fn escape_in_a_camera_drag_ends_it_and_keeps_what_is_selected() {
    let mut harness = selected(3, 2);
    let from = harness.state().picture.left_bottom() + vec2(60.0, -60.0);
    move_to(&mut harness, from);
    button(&mut harness, from, true);
    move_to(&mut harness, from + vec2(40.0, 0.0));
    harness.key_press(Key::Escape);
    harness.run();
    let orbit = format!("{:?}", harness.state().session.view().orbit);
    move_to(&mut harness, from + vec2(90.0, 0.0));
    button(&mut harness, from + vec2(90.0, 0.0), false);
    let session = &harness.state().session;
    assert!(orbit == format!("{:?}", session.view().orbit), "the camera went on");
    assert_eq!(session.view().selected, Some(NodeId(2)));
    assert!(!harness.state().commands.iter().any(|c| matches!(c, Command::Edit(_))));
    // With no button down it selects nothing, as ever.
    harness.key_press(Key::Escape);
    harness.run();
    assert_eq!(harness.state().session.view().selected, None);
}
