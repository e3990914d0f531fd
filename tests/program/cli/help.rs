//! Checks that the help says what the program has.

use crate::cli::ok;
use skinscope::frame::{LOOKS, TONE_MAPS};

#[test]
fn help_reads_like_documentation() {
    let help = ok(&["--help"]);
    for word in ["render", "bake", "info", "view", "Exit codes", "MODEL"] {
        assert!(help.contains(word), "{word}");
    }
    for sub in ["render", "bake", "pose", "info", "view"] {
        assert!(ok(&[sub, "--help"]).len() > 500, "{sub}");
    }
}

/// Words of `text` however its lines are broken.
fn flowing(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn help_lists_what_the_program_has() {
    // Operations stand in the order in which they run.
    let (fix, mut after) = (flowing(&ok(&["help", "fix"])), 0);
    for operation in skinscope::edit::OPERATIONS {
        let argument = if operation.argument.is_empty() { String::new() } else { format!(" <{}>", operation.argument) };
        let words = flowing(&format!("--{}{argument} {}", operation.id, operation.help));
        let at = fix[after..].find(&words);
        assert!(at.is_some(), "`help fix` does not have, or not in its place: {words}\n{fix}");
        after += at.unwrap();
    }
    for rule in skinscope::edit::REPAIRED {
        assert!(fix.contains(rule), "{rule}");
    }
    let render = flowing(&ok(&["help", "render"]));
    for overlay in skinscope::inspect::OVERLAYS {
        assert!(render.contains(&flowing(&format!("- {}: {}", overlay.id, overlay.help))), "{}: {render}", overlay.id);
    }
    for (id, help) in LOOKS.iter().map(|l| (l.id, l.help)).chain(TONE_MAPS.iter().map(|map| (map.id, map.help))) {
        assert!(render.contains(&flowing(&format!("- {id}: {help}"))), "{id}: {render}");
    }
    for (name, help) in [("render", &render), ("bake", &flowing(&ok(&["help", "bake"])))] {
        for method in skinscope::deform::METHODS {
            assert!(help.contains(&flowing(&format!("- {}: {}", method.id, method.help))), "{name}: {}", method.id);
        }
        for words in ["Exit codes: 0", "`skinscope info MODEL` lists the names", "never over one"] {
            assert!(help.contains(words), "{name}: {words}");
        }
    }
    for side in [
        "front: From the side that a character faces: +Z, in VRM 0.x −Z",
        "back: From behind",
        "left: From the side that is left",
        "right: From the side that is right",
        "top: From above (+Y)",
        "persp: From the front",
    ] {
        assert!(render.contains(side), "{side}");
    }
    assert!(render.contains("Examples: skinscope render character.glb"));
}
