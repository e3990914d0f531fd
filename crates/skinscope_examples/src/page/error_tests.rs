//! A page that is broken in each way is refused with the line and the character where it is.

use skinscope_model::test_shapes::{Tube, tube};

use super::*;
use crate::Slider;

/// A page about a model, without fault.
const PAGE: &str = "\
---
title: T
model: x.glb
slider bend: joint \"joint 1\" turn x 0..90 = 30 \"Bend\"
slider time: clip \"Bend\" = 0 \"Time\"
symbol p: bold = joint(\"joint 1\") \"p\"
---
# Q?

```formula
bend = 1
```
```chart
title: c
slider: bend
range: 0..1
curve \"a\": bend
```
";

fn on_model(text: &str) -> Result<&'static Example, PageError> {
    let model = tube(Tube::default());
    named(text).and_then(|_| read(text, "x.md", None, Ground::Model(&model)))
}

/// Reads the page with one thing changed; returns the position and whether the message has `what`.
fn refused(from: &str, to: &str, position: &str, what: &str) {
    assert_eq!(PAGE.matches(from).count(), 1, "{from}");
    let Err(error) = on_model(&PAGE.replacen(from, to, 1)) else { panic!("{from} as {to} is taken") };
    assert_eq!(format!("{}:{}", error.line, error.column), position, "{from} as {to}: {error}");
    assert!(error.what.contains(what), "{from} as {to}: {error}");
}

#[test]
fn heads_are_refused_where_they_are_broken() {
    assert!(on_model(PAGE).is_ok());
    for (from, to, position, what) in [
        ("---\ntitle", "--\ntitle", "1:1", "head of a page begins"),
        ("\n---\n# Q?", "\n# Q?", "7:1", "key: value"),
        ("title: T\n", "", "1:1", "title"),
        ("title: T", "title:", "2:7", "expected a title"),
        ("title: T", "title x: T", "2:7", "\":\""),
        ("title: T", "titel: T", "2:1", "nearest: title"),
        ("title: T", "title: T\ntitle: U", "3:1", "a second \"title\""),
        ("model: x.glb\n", "", "1:1", "rig: NAME"),
        ("model: x.glb", "model:", "3:7", "the file of a model"),
        ("model: x.glb", "model: x.glb\nrig: twist-bar", "3:1", "not about both"),
        ("model: x.glb", "rig: twist-ba", "3:6", "nearest: twist-bar"),
        ("title: T", "title: T\nopacity: 2", "3:10", "from 0 to 1"),
        ("title: T", "title: T\nbones: maybe", "3:8", "\"yes\" or \"no\""),
        ("title: T", "title: T\nview: 1", "3:8", "a number, found the end"),
        ("title: T", "title: T\nmethod: linea", "3:9", "nearest: linear"),
        ("title: T", "title: T\nselect: joint 9", "3:9", "no joint"),
    ] {
        refused(from, to, position, what);
    }
    let cut: String = PAGE.lines().take(6).map(|line| format!("{line}\n")).collect();
    assert_eq!(on_model(&cut).unwrap_err().to_string(), "6:1: expected \"---\", with which the head of a page ends");
}

#[test]
fn sliders_and_symbols_are_refused_where_they_are_broken() {
    let turn = "joint \"joint 1\" turn x 0..90 = 30";
    for (to, position, what) in [
        ("joint \"joint 9\" turn x", "4:20", "nearest: joint 0, joint 1"),
        ("bone \"joint 1\" turn x", "4:14", "joint \"NAME\" or clip"),
        ("joint \"joint 1\" spin x", "4:30", "nearest: turn"),
        ("joint \"joint 1\" turn w", "4:35", "no axis \"w\""),
        ("joint \"joint 1\" turn x 90..0", "4:37", "least to the greatest"),
        ("joint \"joint 1\" turn x 0..90 step 100", "4:48", "no wider than the range"),
        ("joint \"joint 1\" turn x 0..90 step 45 names \"a\" = 45", "4:61", "a name for each value"),
        ("joint \"joint 1\" turn x 0..90 = 91", "4:45", "from 0 to 90"),
    ] {
        refused(turn, to, position, what);
    }
    let point = "joint(\"joint 1\")";
    for (to, position, what) in [
        ("joint(joint)", "6:24", "between double quotes"),
        ("joint", "6:24", "expected \"(\""),
        ("vertex(99999, \"linear\")", "6:25", "no vertex 99999"),
        ("vertex(1.5, \"linear\")", "6:25", "a whole number"),
        ("vertex(1, \"linea\")", "6:28", "nearest: linear"),
        ("vertex(1; \"linear\")", "6:26", "expected \",\""),
    ] {
        refused(point, to, position, what);
    }
    for (from, to, position, what) in [
        ("clip \"Bend\"", "clip \"Bent\"", "5:19", "nearest: Bend"),
        ("= 30 \"Bend\"", "= 30", "4:47", "the slider's name"),
        ("slider bend", "slider cos", "4:8", "the name of a function"),
        ("slider bend", "slider 7", "4:8", "letters and digits"),
        ("symbol p", "symbol sin", "6:8", "is taken"),
        ("symbol p", "symbol bend", "6:8", "is taken"),
        ("bold =", "bold decimals 12 =", "6:25", "fewer than ten"),
        ("bold =", "bold", "6:16", "expected \"=\""),
        ("\"Time\"", "\"Time", "5:30", "no second \""),
    ] {
        refused(from, to, position, what);
    }
    let many: String = (0..5).map(|i| format!("slider s{i}: clip \"Bend\" \"S\"\n")).collect();
    refused("symbol p", &format!("{many}symbol p"), "10:1", "6 sliders at most");
}

#[test]
fn pages_are_refused_where_they_are_broken() {
    for (from, to, position, what) in [
        ("# Q?\n", "", "8:1", "the question of the page"),
        ("# Q?\n", "# Q?\n# R?\n", "9:1", "a second question"),
        ("# Q?\n", "# Q?\n> note\n", "9:1", "below a formula"),
        ("# Q?\n", "# Q?\n- point\n", "9:1", "a paragraph or a formula"),
        ("# Q?\n", "# Q?\n## Try that\n", "9:4", "nearest: Try this"),
        ("# Q?\n", "# Q?\n## Try this\n\ntext\n", "11:1", "of the list \"Try this\""),
        ("# Q?\n", "# Q?\n## Sources\n- a book\n", "10:1", "text — place"),
        ("```formula", "```formulas", "10:4", "nearest: formula"),
        ("```formula", "```formula lettres", "10:12", "the end of the line"),
        ("bend\n```\n", "bend\n", "13:1", "ends this block"),
        ("title: c", "title", "14:1", "key: value"),
        ("title: c\n", "", "13:1", "a chart needs"),
        ("slider: bend", "slider: bent", "15:9", "nearest: bend"),
        ("range: 0..1", "range: 1..0", "16:8", "least to the greatest"),
        ("range: 0..1", "range: 0-1", "16:9", "expected \"..\""),
        ("range: 0..1", "rangs: 0..1", "16:1", "nearest: range"),
        ("range: 0..1", "unit: feet", "16:7", "degrees"),
        ("range: 0..1", "curves: measured", "16:9", "no curves of its own"),
        ("range: 0..1", "curves: mine", "16:9", "no set of curves"),
        ("curve \"a\"", "curve a", "17:7", "between double quotes"),
        ("\"a\": bend", "\"a\": bend )", "17:17", "the end of the line"),
    ] {
        refused(from, to, position, what);
    }
}

#[test]
fn formulas_are_refused_where_they_are_broken() {
    for (to, position, what) in [
        ("bend = bent", "11:8", "nearest: bend"),
        ("bend = sine(1)", "11:8", "nearest: sin"),
        ("bend = max(1)", "11:8", "takes 2 arguments"),
        ("bend = sqrt(1, 2)", "11:8", "one argument"),
        ("bend = 1^7", "11:10", "^-T"),
        ("bend = [1, 2; 3]", "11:9", "differ in length"),
        ("bend = [1, 2", "11:13", "expected \"]\""),
        ("bend = (1", "11:10", "expected \")\""),
        ("bend = 1 ?", "11:10", "found \"?\""),
        ("bend = 1 +", "11:11", "found the end"),
        ("bend = \"1", "11:8", "no second \""),
        ("bend = joint(\"joint 1\")", "11:8", "where a page defines a symbol"),
        ("bend =\n1 + * 2", "12:5", "found \"*\""),
    ] {
        refused("bend = 1", to, position, what);
    }
    refused("bend = 1", &format!("bend = {}", "9".repeat(400)), "11:8", "too large");
}

#[test]
fn a_page_on_a_rig_keeps_to_the_sliders_of_the_rig() {
    let scene = SCENES[0];
    let on_rig = |line: &str| {
        let text = format!("---\ntitle: T\nrig: {}\n{line}\n---\n# Q?\n", scene.id);
        read(&text, "x.md", None, Ground::Rig(scene)).map_err(|error| error.to_string())
    };
    assert!(on_rig("slider theta: 0..90 = 45 \"Turn\"").is_ok());
    for (line, message) in [
        ("slider thet: 0..90", "4:8: there is no slider \"thet\"; nearest: theta, w"),
        ("slider theta: 0..200", "4:15: expected a range within 0..180, which the rig has"),
        ("slider theta: 0..90 metres", "4:21: a slider of a rig has the unit that the rig gives it"),
    ] {
        assert_eq!(on_rig(line).unwrap_err(), message);
    }
    // The rig's own page has all of them.
    let text = format!("---\ntitle: T\nrig: {}\n---\n# Q?\n", scene.id);
    let error = read(&text, scene.id, None, Ground::Own(scene)).unwrap_err().to_string();
    assert_eq!(error, "1:1: the rig has a slider \"theta\", which is missing");
    assert!(scene.example().sliders.iter().map(|slider: &Slider| slider.id).eq(scene.sliders.iter().copied()));
}
