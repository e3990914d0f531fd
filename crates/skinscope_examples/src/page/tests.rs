use skinscope_model::test_shapes::{Tube, tube};

use super::*;
use crate::{Moment, examples};

const MANUAL: &str = include_str!("../../../../docs/writing-examples.md");

/// The page in the manual.
fn manual() -> &'static str {
    MANUAL.split_once("````markdown\n").unwrap().1.split_once("````").unwrap().0
}

fn on_twist_bar(text: &str) -> Result<&'static Example, PageError> {
    let Named::Rig(scene) = named(text)? else { panic!("{text}") };
    read(text, "page.md", None, Ground::Rig(scene))
}

#[test]
fn every_page_that_is_built_in_can_be_read() {
    assert_eq!(examples().count(), SCENES.len());
}

#[test]
fn the_page_of_the_manual_is_right_wherever_its_sliders_stand() {
    let example = on_twist_bar(manual()).unwrap();
    let first = Moment::new(Settings::of(example));
    assert_eq!([first.slider("theta"), first.slider("w")], [45.0, 0.25]);
    let crate::Block::Formula(formula) = &example.page.blocks[1] else { panic!("{:?}", example.page.blocks) };
    assert!(!formula.note.is_empty());
    for (theta, w) in [(0.0, 0.5), (90.0, 0.5), (60.0, 0.25)] {
        let moment = first.with("theta", theta).with("w", w);
        let [a, b] = [0, 1].map(|i| formula.terms[i].value(&moment).unwrap().number().unwrap());
        assert!((a - b).abs() < 1e-4, "{theta} {w}: {a} {b}");
    }
    let crate::Block::Chart(chart) = &example.page.blocks[2] else { panic!("{:?}", example.page.blocks) };
    let curves = chart.all_curves(&first);
    assert!(curves.len() == 1 && curves[0].points.iter().all(|p| p[1] > 0.5 && p[1] <= 1.0001), "{curves:?}");
}

#[test]
fn a_page_of_a_model_turns_its_joints_and_measures_it() {
    let model = std::sync::Arc::new(tube(Tube::default()));
    let joints: Vec<&String> = model.skins[0].joints.iter().map(|joint| &model.skeleton.names[joint.index()]).collect();
    let [a, b] = [joints[0], joints[joints.len() - 1]];
    let text = format!(
        "---\ntitle: T\nmodel: x.glb\nslider bend: joint \"{a}\" turn x 0..90 = 30 \"Bend\"\n\
         symbol p: bold = joint(\"{b}\") \"p\"\nsymbol q: bold = joint_rest(\"{b}\") \"q\"\n---\n# Q?\n\n```formula\nbend = 1\n```\n"
    );
    let example = read(&text, "x.md", None, Ground::Model(&model)).unwrap();
    let first = Moment::of_model(Settings::of(example), model);
    let points = |moment: &Moment| ["p", "q"].map(|id| moment.value_of(id).unwrap());
    let [p, q] = points(&first);
    assert!(p.distance(&q).unwrap() > 0.05, "{p:?} {q:?}");
    let [p, q] = points(&first.with("bend", 0.0));
    assert!(p.distance(&q).unwrap() < 1e-5, "{p:?} {q:?}");
    assert!((first.value_of("bend").unwrap().number().unwrap() - 30_f64.to_radians()).abs() < 1e-6);
}

#[test]
fn what_is_wrong_is_said_with_its_position() {
    let says = |from: &str, to: &str, position: &str, what: &str| {
        assert!(manual().contains(from), "{from}");
        let error = on_twist_bar(&manual().replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.starts_with(position) && error.contains(what), "{error}");
    };
    says("sin(theta/2)", "sin(thta/2)", "14:30: ", "nearest: theta");
    says("rig: twist-bar", "rig: twist-bars", "3:6: ", "nearest: twist-bar");
    says("slider w", "slider ww", "5:8: ", "nearest: w");
    says("= 45", "= 100", "4:31: ", "from 0 to 90");
    says("0..90", "0..900", "4:15: ", "within 0..180");
    says("title:", "titel:", "2:1: ", "nearest: title");
    says("r/R \"", "r/ \"", "6:20: ", "expected a number");
    says("(1 - w)", "(1 - w", "14:40: ", "expected \")\"");
    says("^2)", "^7)", "14:39: ", "^-T");
    says("slider: theta", "slider: phi", "21:9: ", "slider");
    says("## Try this", "## Try that", "26:4: ", "nearest: Try this");
    says(" — limits", ", limits", "37:1: ", "text — place");
    says("# How much", "How much", "8:1: ", "question");
    // The manual shows one of these messages.
    let error = on_twist_bar(&manual().replacen("sin(theta/2)", "sin(thta/2)", 1)).unwrap_err();
    assert!(MANUAL.contains(&format!("`ring.md:{error}`")), "{error}");
}

/// Damage of any kind is an error within the page, or none.
#[test]
fn damaged_pages_are_refused_with_a_position_within_them() {
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    let mut refused = 0;
    for _ in 0..4000 {
        let mut lines: Vec<String> = manual().lines().map(str::to_owned).collect();
        for _ in 0..=random(3) {
            let at = random(lines.len());
            let mut letters: Vec<char> = lines[at].chars().collect();
            match random(5) {
                0 => drop(lines.remove(at)),
                1 => lines.insert(at, "```".into()),
                kind if !letters.is_empty() => {
                    let (i, j) = (random(letters.len()), random(letters.len()));
                    match kind {
                        2 => letters.swap(i, j),
                        3 => drop(letters.remove(i)),
                        _ => letters.insert(i, ['(', '"', '|', '−', '0', '#', '^'][random(7)]),
                    }
                    lines[at] = letters.into_iter().collect();
                }
                _ => {}
            }
        }
        if let Err(error) = on_twist_bar(&lines.join("\n")) {
            refused += 1;
            let line = lines.get(error.line - 1).unwrap_or_else(|| panic!("{error}"));
            assert!((1..=line.chars().count() + 1).contains(&error.column), "{error}: {line}");
        }
    }
    assert!(refused > 1000, "{refused}");
    for deep in ["(", "[", "|(", "sin("] {
        let text = manual().replace("k = sqrt", &format!("k = {}sqrt", deep.repeat(5000)));
        assert!(on_twist_bar(&text).unwrap_err().what.contains("nested too deeply"));
    }
}
