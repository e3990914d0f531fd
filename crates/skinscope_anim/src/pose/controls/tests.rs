//! Controls against closed forms, on a chain of joints and on a model with mirrored, sheared and morphed nodes.

use std::sync::Arc;

use glam::{Quat, Vec3};
use skinscope_base::math::quat_from_euler_xyz_degrees;
use skinscope_base::math::test_random::Random;
use skinscope_model::test_shapes::{Tube, obstacle_course, tube};
use skinscope_model::{LocalPose, Model, NodeId};

use super::parse::parse;
use super::{Channel, Controls, DriveScratch, Preset, Program, Slider, quoted, renamed, renamed_target};
use crate as anim;
use crate::pose::Limits;

fn controls(lines: &[&str]) -> Controls {
    let flex = Slider { value: 0.5, ..Slider::named("Flex") };
    let wide = Slider { least: -10.0, most: 10.0, value: 3.0, ..Slider::named("Wide") };
    let drivers = Arc::new(lines.iter().map(|line| (*line).to_owned()).collect());
    Controls { sliders: vec![flex, wide], drivers }
}

fn chain() -> Model {
    let mut parts = (*tube(Tube { joints: 5, ..Tube::default() })).clone();
    parts.skeleton.names =
        ["root", "a", "b", "c", "d", "e"][..parts.skeleton.len()].iter().map(|n| (*n).into()).collect();
    for (i, transform) in parts.skeleton.rest.transforms.iter_mut().enumerate() {
        transform.rotation = Quat::from_rotation_y(0.3 * i as f32);
    }
    Model::build(parts).unwrap()
}

fn driven_at(model: &Model, controls: &Controls, secs: f32, before: &LocalPose) -> (LocalPose, Program, DriveScratch) {
    let program = Program::build(model, controls);
    let (mut pose, mut scratch) = (before.clone(), DriveScratch::default());
    program.drive(model, &controls.sliders, secs, &mut scratch, &mut pose);
    (pose, program, scratch)
}

/// A number below another one.
fn below(random: &mut Random, count: usize) -> usize {
    ((random.unit() * count as f32) as usize).min(count - 1)
}

/// The number that a value comes to.
fn value(text: &str) -> f64 {
    let model = chain();
    let line = format!("slider('Wide') = ({text}) / 1000");
    let (_, program, scratch) = driven_at(&model, &controls(&[&line]), 2.0, &model.skeleton.rest);
    assert_eq!(program.fault(0), None, "{text}");
    scratch.value(0).unwrap() * 1000.0
}

#[test]
fn values_are_computed_as_they_are_written() {
    let cases = [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("8 - 2 - 3", 3.0),
        ("24 / 4 / 2", 3.0),
        ("-2 * -3 - -1", 7.0),
        ("--.5e1", 5.0),
        ("clamp(1.5) + clamp(-3)", 1.0),
        ("clamp(50, -10, 20) + clamp(-50, -10, 20)", 10.0),
        ("min(3, 1, 2) + max(3, 1, 2)", 4.0),
        ("abs(-2.5) + sqrt(9)", 5.5),
        ("10 * sin(30) + cos(180)", 4.0),
        ("smooth(2.5, 0, 10)", 0.15625),
        ("smooth(-1, 0, 10) + smooth(11, 0, 10)", 1.0),
        ("mix(10, 20, 0.25)", 12.5),
        ("time() * 4", 8.0),
        ("slider(\"Flex\") * 8", 4.0),
        ("posed(slider(\"Wide\"))", 3.0),
    ];
    for (text, want) in cases {
        let got = value(text);
        assert!((got - want).abs() < 1e-12, "{text}: {got}");
    }
}

#[test]
fn what_is_wrong_is_reported_at_its_column() {
    let model = chain();
    let cases = [
        ("", 1, "Expected here is what is driven"),
        ("bend('a') = 1", 1, "\"bend\" cannot be driven"),
        ("anlge('a', 'x') = 1", 1, "cannot be driven"),
        ("angle('a') = 1", 10, "\",\" is expected here"),
        ("angle('a', 'w') = 1", 12, "An axis is"),
        ("angle('ä', 'x') = foo(1)", 19, "There is no \"foo\""),
        ("angle('a, x) = 1", 7, "quote that ends"),
        ("angle(a, 'x') = 1", 7, "in quotes"),
        ("angle('a', 'x') 1", 17, "\"=\" is expected"),
        ("angle('a', 'x') = ", 19, "a number, or a word"),
        ("angle('a', 'x') = 1 2", 21, "An operator is expected"),
        ("angle('a', 'x') = 1 + * 2", 23, "a number, or a word"),
        ("angle('a', 'x') = (1 + 2", 25, "\")\" is expected"),
        ("angle('a', 'x') = 1.2.3", 19, "This is no number"),
        ("angle('a', 'x') = Flex", 19, "slider(\"Flex\")"),
        ("angle('a', 'x') = clamp(1, 2)", 19, "clamp takes 1 or 3 numbers, not 2"),
        ("angle('a', 'x') = mix(1, 2)", 19, "mix takes 3 numbers, not 2"),
        ("angle('a', 'x') = posed(bend('a'))", 25, "posed is for"),
        ("angle('a', 'x') = slider('Other')", 26, "There is no slider \"Other\""),
        ("angle('nobody', 'x') = 1", 7, "The model has no joint \"nobody\""),
        ("angle('a', 'x') = place('#99', 'y')", 25, "The model has no joint \"#99\""),
        ("morph('a', 'smile') = 1", 12, "has no morph target \"smile\""),
    ];
    for (text, column, words) in cases {
        let program = Program::build(&model, &controls(&[text]));
        let fault = program.fault(0).unwrap_or_else(|| panic!("{text}"));
        assert_eq!((fault.column(text), fault.what.contains(words)), (column, true), "{text}: {fault:?}");
        assert!(program.is_idle());
    }
    let deep = format!("angle('a', 'x') = {}1{}", "(".repeat(5000), ")".repeat(5000));
    assert!(parse(&deep).unwrap_err().what.contains("4096"));
    let deep = format!("angle('a', 'x') = {}1{}", "abs(".repeat(500), ")".repeat(500));
    assert!(parse(&deep).unwrap_err().what.contains("nested"));
    assert!(parse(&format!("angle('a', 'x') = {}1", "-".repeat(4000))).is_ok());
}

/// Texts made of pieces of controls: whatever they are, they are read or refused at a column within them, and what is computed is written
/// as finite numbers only.
#[test]
fn no_text_stops_the_program() {
    let pieces = [
        "angle(",
        "'a'",
        "\"b\"",
        ", ",
        "'x'",
        ")",
        " = ",
        "1",
        "0",
        "1e308",
        "/",
        "*",
        "-",
        "+",
        "(",
        "clamp(",
        "min(",
        "sqrt(",
        "slider('Flex')",
        "place('c', 'y')",
        "bend('b')",
        "twist('a', 'z')",
        "time()",
        "posed(",
        "morph(",
        "é",
        "−",
        "'",
        "scale(",
        "translation('b', 'y')",
        "angle('a', 'x') = ",
        "scale('b', 'y') = ",
        "slider('Wide') = ",
        "smooth(",
        ".",
        "e5",
    ];
    let (model, mut random) = (chain(), Random(7));
    let mut acted = 0;
    for _ in 0..20_000 {
        let count = 1 + below(&mut random, 12);
        let line = |random: &mut Random| (0..count).map(|_| pieces[below(random, pieces.len())]).collect::<String>();
        let texts = [line(&mut random), format!("angle('b', 'x') = {}", line(&mut random))];
        let all = controls(&[&texts[0], &texts[1]]);
        let (pose, program, scratch) = driven_at(&model, &all, 1.0, &model.skeleton.rest);
        for (i, text) in texts.iter().enumerate() {
            if let Some(fault) = program.fault(i) {
                assert!(text.get(fault.at.clone()).is_some() && scratch.value(i).is_none(), "{text}: {fault:?}");
            }
            acted += usize::from(scratch.value(i).is_some());
        }
        let finite = |t: &skinscope_base::math::Transform| {
            t.translation.is_finite() && t.rotation.is_finite() && t.scale.is_finite()
        };
        assert!(pose.transforms.iter().all(finite), "{texts:?}");
    }
    assert!(acted > 300, "only {acted} texts were controls");
}

#[test]
fn a_driven_number_is_read_back_and_what_is_not_driven_stays() {
    let model = obstacle_course();
    let name = |i: usize| quoted(&model.skeleton.names[i]);
    let mut before = model.skeleton.rest.clone();
    before.transforms[3].rotation *= quat_from_euler_xyz_degrees(Vec3::new(10.0, -20.0, 30.0));
    before.transforms[3].scale *= Vec3::new(1.0, 2.0, 3.0);
    let lines = [
        format!("angle({}, 'x') = 55", name(3)),
        format!("scale({}, 'y') = 1.5", name(3)),
        format!("translation({}, 'z') = -0.25", name(3)),
    ];
    let all = controls(&lines.each_ref().map(String::as_str));
    let (pose, program, _) = driven_at(&model, &all, 0.0, &before);
    let read = |channel: Channel| channel.read(&model, &pose, &all.sliders);
    let node = NodeId(3);
    let was = Limits::angles(model.skeleton.rest.transforms[3].rotation, before.transforms[3].rotation);
    assert!((read(Channel::Angle(node, 0)) - 55.0).abs() < 1e-4);
    for axis in [1, 2] {
        assert!((read(Channel::Angle(node, axis)) - f64::from(was[axis])).abs() < 1e-4, "{was}");
    }
    assert!((read(Channel::Scale(node, 1)) - 1.5).abs() < 1e-6 && (read(Channel::Scale(node, 2)) - 3.0).abs() < 1e-6);
    assert!((read(Channel::Translation(node, 2)) + 0.25).abs() < 1e-6);
    assert_eq!(pose.transforms[3].translation.x, before.transforms[3].translation.x);
    for i in (0..model.skeleton.len()).filter(|i| *i != 3) {
        assert_eq!(pose.transforms[i], before.transforms[i], "to the bit");
    }
    assert_eq!(
        (program.driver_of(Channel::Scale(node, 1)), program.driver_of(Channel::Scale(node, 0))),
        (Some(1), None)
    );
    // Applied again, nothing changes any more.
    let (again, ..) = driven_at(&model, &all, 0.0, &pose);
    for (a, b) in again.transforms.iter().zip(&pose.transforms) {
        assert!(a.rotation.angle_between(b.rotation) < 1e-3 && a.scale.distance(b.scale) < 1e-6);
    }
}

#[test]
fn places_bends_and_twists_are_those_of_the_driven_pose() {
    let model = chain();
    let lines = [
        "slider('Wide') = place('d', 'x')",
        "angle('b', 'y') = 40 * slider('Flex')",
        "angle('b', 'z') = 30",
        "translation('c', 'x') = 0.2",
        "scale('a', 'y') = 2",
        "scale('d', 'x') = 1 + bend('b') / 100",
        "scale('d', 'y') = 1 + twist('b', 'y') / 100",
    ];
    let (pose, program, scratch) = driven_at(&model, &controls(&lines), 0.0, &model.skeleton.rest);
    assert!((0..lines.len()).all(|i| program.fault(i).is_none()));
    let mut world = Vec::new();
    anim::local_to_model(&model.skeleton, &pose, &mut world);
    let at = NodeId::from_index(model.skeleton.names.iter().position(|n| n == "d").unwrap());
    assert!((scratch.value(0).unwrap() - f64::from(world[at.index()].translation.x)).abs() < 1e-5);
    assert!(world[at.index()].translation.x.abs() > 0.05);
    // Half angles: cos(β/2) of Rz(30°) · Ry(20°) is cos 15° cos 10°, and its twist about Y is atan2(cos 15° sin 10°, cos 15° cos 10°).
    let bend = 2.0 * (15_f64.to_radians().cos() * 10_f64.to_radians().cos()).acos().to_degrees();
    assert!((scratch.value(5).unwrap() - 1.0 - bend / 100.0).abs() < 1e-6);
    assert!((scratch.value(6).unwrap() - 1.2).abs() < 1e-6);
}

/// A joint is turned about one of its own axes by any angle, as a quaternion of either sign: its bend is the shorter way from rest, and
/// its twist about that axis the same with a sign.
#[test]
fn bends_and_twists_are_the_shorter_way_from_rest_about_the_joints_own_axes() {
    let model = chain();
    let node = model.skeleton.names.iter().position(|n| n == "d").unwrap();
    for (axis, letter) in [(Vec3::X, 'x'), (Vec3::Y, 'y'), (Vec3::Z, 'z')] {
        for degrees in [-290.0_f32, -170.0, -30.0, 0.0, 20.0, 130.0, 200.0, 350.0] {
            for sign in [1.0, -1.0] {
                let mut before = model.skeleton.rest.clone();
                let turn = Quat::from_axis_angle(axis, degrees.to_radians());
                before.transforms[node].rotation = before.transforms[node].rotation * turn * sign;
                let lines = [
                    "scale('a', 'x') = 1 + bend('d') / 100".to_owned(),
                    format!("scale('a', 'y') = 9 + twist('d', '{letter}') / 100"),
                ];
                let (_, _, scratch) = driven_at(&model, &controls(&lines.each_ref().map(String::as_str)), 0.0, &before);
                let want = f64::from(degrees - 360.0 * (degrees / 360.0).round());
                let [bend, twist] =
                    [100.0 * (scratch.value(0).unwrap() - 1.0), 100.0 * (scratch.value(1).unwrap() - 9.0)];
                assert!(
                    (bend - want.abs()).abs() < 1e-3 && (twist - want).abs() < 1e-3,
                    "{degrees}° about {letter}: {bend} {twist}"
                );
            }
        }
    }
}

/// Translations and scales count from those at rest, whatever these are.
#[test]
fn translations_and_scales_are_read_and_written_from_rest() {
    let mut parts = (*chain()).clone();
    let rest = &mut parts.skeleton.rest.transforms[3];
    (rest.translation, rest.scale) = (Vec3::new(0.5, -1.25, 2.0), Vec3::new(2.0, 4.0, -0.5));
    let model = Model::build(parts).unwrap();
    let name = model.skeleton.names[3].clone();
    let mut before = model.skeleton.rest.clone();
    before.transforms[3].translation.y += 0.75;
    before.transforms[3].scale.z *= 3.0;
    let lines = [
        format!("translation('{name}', 'x') = 0.25"),
        format!("scale('{name}', 'x') = 1.5"),
        format!("translation('{name}', 'z') = translation('{name}', 'y')"),
        format!("scale('{name}', 'y') = scale('{name}', 'z')"),
    ];
    let (pose, program, _) = driven_at(&model, &controls(&lines.each_ref().map(String::as_str)), 0.0, &before);
    assert!((0..4).all(|i| program.fault(i).is_none()));
    let now = pose.transforms[3];
    assert_eq!((now.translation, now.scale), (Vec3::new(0.75, -0.5, 2.75), Vec3::new(3.0, 12.0, -1.5)));
}

/// Helpers between two joints take their share of the twist of the lower one by where they stand, back where their axis points back; what
/// stands at an end or aside is no helper.
#[test]
fn the_twist_of_a_joint_is_spread_along_its_helpers() {
    let mut parts = (*tube(Tube { joints: 6, ..Tube::default() })).clone();
    let names = ["root", "arm", "quarter", "half", "end", "aside", "hand"];
    assert_eq!(parts.skeleton.len(), names.len());
    parts.skeleton.names = names.map(Into::into).to_vec();
    let arm = NodeId(1);
    for (i, parent) in parts.skeleton.parents.iter_mut().enumerate().skip(2) {
        *parent = Some(arm);
        let at = [Vec3::Y * 0.5, Vec3::Y, Vec3::Y * 1.98, Vec3::new(1.5, 1.0, 0.0), Vec3::Y * 2.0][i - 2];
        parts.skeleton.rest.transforms[i].translation = at;
    }
    parts.skeleton.rest.transforms[3].rotation = Quat::from_rotation_x(std::f32::consts::PI);
    let model = Model::build(parts).unwrap();
    let made = Preset::Twist.lines(&model, &Controls::default(), NodeId(6), false).unwrap();
    let want = [("quarter", 0.25), ("half", -0.5)];
    let want = want.map(|(name, share)| format!("angle(\"{name}\", \"y\") = {share} * twist(\"hand\", \"y\")"));
    assert_eq!(made.lines, want);
}

/// Numbers flow from a slider to a slider to joints, whatever the order of lines, and morphs too.
#[test]
fn the_order_of_lines_makes_no_difference() {
    let model = chain();
    let lines = [
        "angle('d', 'x') = 2 * angle('c', 'x') + angle('b', 'z')",
        "angle('c', 'x') = slider('Wide')",
        "slider('Wide') = 8 * slider('Flex') + place('b', 'y')",
        "angle('b', 'z') = posed(angle('b', 'z')) / 3",
        "scale('b', 'x') = 1 + abs(angle('d', 'x')) / 100",
        "angle('a', 'y') = 12 * slider('Flex')",
    ];
    let mut before = model.skeleton.rest.clone();
    before.transforms[2].rotation *= Quat::from_rotation_z(1.5);
    let (want, program, _) = driven_at(&model, &controls(&lines), 0.0, &before);
    assert!((0..lines.len()).all(|i| program.fault(i).is_none()) && want != before);
    let mut random = Random(3);
    for _ in 0..40 {
        let mut mixed = lines;
        (0..mixed.len()).for_each(|i| mixed.swap(i, below(&mut random, lines.len())));
        let (got, ..) = driven_at(&model, &controls(&mixed), 0.0, &before);
        assert_eq!(got, want, "{mixed:?}");
    }
}

#[test]
fn cycles_are_named_and_the_others_act() {
    let model = chain();
    let lines = [
        "angle('b', 'x') = 40 * slider('Flex')",
        "slider('Flex') = angle('b', 'x') / 40",
        "angle('c', 'x') = angle('b', 'x') + 7",
        "angle('d', 'x') = angle('d', 'x') + 1",
        "translation('e', 'x') = place('e', 'x')",
        "angle('a', 'x') = place('c', 'y')",
        "angle('c', 'y') = angle('c', 'x')",
        "angle('c', 'z') = twist('c', 'z')",
    ];
    let mut before = model.skeleton.rest.clone();
    before.transforms[2].rotation *= Quat::from_rotation_x(0.25);
    let (pose, program, scratch) = driven_at(&model, &controls(&lines), 0.0, &before);
    let cycle =
        |line: usize| program.fault(line).map(|fault| fault.what.split(": ").nth(1).unwrap_or_default().to_owned());
    assert_eq!(cycle(0).as_deref(), Some("b angle x → Flex → b angle x"));
    assert_eq!(cycle(1).as_deref(), Some("Flex → b angle x → Flex"));
    assert_eq!(cycle(3).as_deref(), Some("d angle x → d angle x"));
    assert_eq!(cycle(4).as_deref(), Some("e translation x → e translation x"));
    assert_eq!(cycle(5).as_deref(), Some("a angle x → a angle x"));
    assert_eq!(cycle(7).as_deref(), Some("c angle z → c angle z"));
    assert_eq!((cycle(2), cycle(6)), (None, None), "one axis may follow another");
    // What reads a cycle reads the pose as it is without it.
    let want = 0.25_f64.to_degrees() + 7.0;
    assert!((scratch.value(2).unwrap() - want).abs() < 1e-4 && scratch.value(0).is_none());
    assert!((scratch.value(6).unwrap() - want).abs() < 1e-4);
    assert_eq!(pose.transforms[2], before.transforms[2]);
}

#[test]
fn the_second_control_of_a_number_does_not_act_and_what_is_no_number_neither() {
    let model = chain();
    let lines = [
        "angle('b', 'x') = 10",
        "angle('b', 'X') = 20",
        "angle('c', 'x') = 1 / 0",
        "angle('d', 'x') = 5 + angle('c', 'x')",
        "scale('a', 'x') = min(sqrt(-1), 2)",
    ];
    let (pose, program, scratch) = driven_at(&model, &controls(&lines), 0.0, &model.skeleton.rest);
    assert!(program.fault(1).unwrap().what.contains("Line 1 drives this already"));
    assert_eq!([0, 1, 2, 4].map(|i| scratch.value(i)), [Some(10.0), None, None, None]);
    assert!((scratch.value(3).unwrap() - 5.0).abs() < 1e-9, "the pose before is read in its place");
    assert_eq!(pose.transforms[3], model.skeleton.rest.transforms[3]);
}

#[test]
fn sliders_stay_within_their_ranges_and_can_be_renamed() {
    let model = chain();
    let mut all = controls(&["slider('Wide') = 99", "angle('b', 'x') = slider('Flex')"]);
    all.sliders[0].value = 7.0;
    let (_, _, scratch) = driven_at(&model, &all, 0.0, &model.skeleton.rest);
    assert_eq!([0, 1].map(|i| scratch.value(i)), [Some(10.0), Some(1.0)]);
    let text = "slider('Flex') = slider(\"Wide\") + posed(slider('Flex')) + bend('Flex')";
    let want = "slider(\"Bend it\") = slider(\"Wide\") + posed(slider(\"Bend it\")) + bend('Flex')";
    assert_eq!(renamed(text, "Flex", "Bend it"), want);
    assert_eq!(renamed("slider('Flex') = (", "Flex", "Other"), "slider('Flex') = (");
    let text = "morph('Flex', 'Flex') = slider('Flex') + morph('Flex', 'Wide')";
    let want = "morph('Flex', \"Bend it\") = slider('Flex') + morph('Flex', 'Wide')";
    assert_eq!(renamed_target(text, "Flex", "Bend it", &|_| true), want);
    assert_eq!(renamed_target(text, "Flex", "Bend it", &|_| false), text, "of another node");
    assert_eq!([quoted("a"), quoted("a\"b"), quoted("a\"b'c")], ["\"a\"", "'a\"b'", "\"ab'c\""]);
}

/// A joint that is turned about Y alone shows that angle on both sides of 90°, and what drives one axis leaves the others there too.
#[test]
fn angles_about_y_go_beyond_a_right_angle() {
    let model = chain();
    let all = controls(&["angle('b', 'y') = posed(angle('b', 'y')) / 3"]);
    for degrees in [-170.0_f32, -120.0, -60.0, 30.0, 89.0, 91.0, 150.0, 179.0] {
        let mut before = model.skeleton.rest.clone();
        let rest = before.transforms[2].rotation;
        before.transforms[2].rotation = rest * Quat::from_rotation_y(degrees.to_radians());
        let (pose, ..) = driven_at(&model, &all, 0.0, &before);
        let want = rest * Quat::from_rotation_y((degrees / 3.0).to_radians());
        assert!(pose.transforms[2].rotation.angle_between(want) < 1e-3, "{degrees}°");
    }
    let mut random = Random(5);
    for _ in 0..1000 {
        let mut before = model.skeleton.rest.clone();
        before.transforms[2].rotation = Quat::from_scaled_axis(3.1 * random.vector());
        let same = controls(&["angle('b', 'z') = posed(angle('b', 'z'))"]);
        let (pose, ..) = driven_at(&model, &same, 0.0, &before);
        assert!(pose.transforms[2].rotation.angle_between(before.transforms[2].rotation) < 1e-3, "the same rotation");
    }
}
