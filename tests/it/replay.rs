//! Scripts of commands give the same as often as they are replayed, and touch everything that a user can ask for.
#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;
use skinscope::session::{Command, Session, command_line};

use crate::replays::{Script, differs, scripts};

/// What has come out of a script, as texts by the endings of their files.
fn outputs(script: &Script) -> [(&'static str, String); 3] {
    let replayed = script.replay();
    let snapshot = replayed.session.unsaved().snapshot().map(|snapshot| snapshot.file().text().unwrap());
    let found = findings(&replayed.session);
    [("trace.txt", replayed.trace), ("skinscope.json", snapshot.unwrap_or_default()), ("findings.txt", found)]
}

/// Every finding, on a line.
fn findings(session: &Session) -> String {
    let mut out = String::new();
    for finding in session.document().into_iter().flat_map(|document| document.findings()) {
        writeln!(out, "{finding:?}").unwrap();
    }
    out
}

#[test]
fn scripts_give_the_same_again() {
    let scripts = scripts();
    assert!(scripts.len() >= 40, "{} scripts", scripts.len());
    for script in &scripts {
        let (first, again) = (outputs(script), outputs(script));
        for ((ending, first), (_, again)) in first.iter().zip(&again) {
            let how = differs(first.as_bytes(), again.as_bytes());
            assert!(how.is_none(), "replayed again, {}.{ending} is another: {}", script.name, how.unwrap_or_default());
        }
        let difference = script.difference(&first.each_ref().map(|(ending, text)| (*ending, text.as_bytes())));
        assert!(difference.is_none(), "{}", difference.unwrap_or_default());
    }
}

#[test]
fn a_binding_that_was_recorded_is_found_and_done_again_with_its_settings() {
    let script = scripts().into_iter().find(|script| script.name == "tools_bound_gained").unwrap();
    let session = script.replay().session;
    let model = session.edited_weights().edited_model().unwrap();
    assert_eq!(model.skins.len(), 1, "the second mesh joins the skin of the first");
    assert!(model.instances.iter().all(|instance| instance.skin.is_some()));
    // What was bound last has a skin already: its weights are others.
    assert!(session.unsaved().unsaved_vertices() > 0);
    assert!(session.history().can_undo() && !session.tools().is_trying());
}

/// The names that an enum has, out of what serde says about one that it does not have.
fn variants(text: &str) -> Vec<String> {
    let said = serde_json::from_str::<Command>(text).unwrap_err().to_string();
    let known = said.split_once("expected ").map_or(said.as_str(), |(_, known)| known);
    known.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Family and name of a command's line.
fn name_of(line: &str) -> (String, String) {
    let value: Value = serde_json::from_str(line).unwrap();
    let (family, command) = value.as_object().unwrap().iter().next().unwrap();
    let name = command.as_str().or_else(|| Some(command.as_object()?.keys().next()?.as_str()));
    (family.clone(), name.unwrap().to_owned())
}

#[test]
fn scripts_touch_every_command() {
    let scripts = scripts();
    let touched: BTreeSet<(String, String)> =
        scripts.iter().flat_map(|script| &script.lines).map(|line| name_of(line)).collect();
    let families = variants("{\"?\":0}");
    assert!(families.len() > 15, "{families:?}");
    let mut missing = Vec::new();
    for family in families {
        let names = variants(&format!("{{\"{family}\":\"?\"}}"));
        assert!(!names.is_empty(), "{family}");
        let untouched = names.iter().filter(|name| !touched.contains(&(family.clone(), (*name).clone())));
        missing.extend(untouched.map(|name| format!("{family} {name}")));
    }
    assert!(missing.is_empty(), "no script has these commands: {missing:#?}");
}

#[test]
fn scripts_have_the_form_of_recordings() {
    for script in scripts() {
        assert!((3..=60).contains(&script.lines.len()), "{}: {} commands", script.name, script.lines.len());
        for (line, command) in script.lines.iter().zip(script.commands("@FOLDER@")) {
            // Settings are written whole, and scripts give those that they change.
            if !line.starts_with(r#"{"Tool":{"Set":"#) {
                assert_eq!(*line, command_line(&command), "{}", script.name);
            }
        }
    }
}
