//! The topics of the program: everything that has a row in a table, such as commands, overlays, methods, looks, measures, rules and
//! preferences, with the words of that table. The card of F1 and the command line look them up here; no text stands here itself.

use std::sync::LazyLock;

use skinscope_deform::{METHODS, MethodText, NORMAL_MODES, PASSES, Parameter};
use skinscope_edit::OPERATIONS;
use skinscope_examples::examples;
use skinscope_frame::{LOOKS, TONE_MAPS};
use skinscope_inspect::check::RULES;
use skinscope_inspect::measure::MEASURES;
use skinscope_inspect::rom::ROM_RULES;
use skinscope_inspect::{OVERLAYS, overlay};
use skinscope_session::{COMMANDS, CommandRow};

use super::manual::{Block, ManualPage, PAGES};
use super::preferences::PREFERENCES;

/// Something that the program has a sentence about.
#[derive(Clone, Debug)]
pub struct Topic {
    /// The kind of thing that it is, such as `overlay`.
    pub kind: &'static str,
    /// Its word on the command line; empty for a command of the menus.
    pub id: &'static str,
    /// Its name in the window.
    pub name: &'static str,
    /// Its name where there is little room; empty: the same.
    short: &'static str,
    /// What it does, in a sentence or two.
    pub text: &'static str,
    /// The equation that it stands for; empty: none.
    pub equation: &'static str,
    /// What the terms of the equation are; empty where the text says so.
    pub terms: &'static str,
    /// The paper, book or program that it comes from; empty: none.
    pub source: String,
    /// Its row in the menus, if it has one.
    pub row: Option<&'static CommandRow>,
}

impl Topic {
    /// Returns the keys that send its command, as they are printed on the keyboard.
    #[must_use]
    pub fn keys(&self) -> Option<String> {
        self.row?.keys().map(|keys| keys.to_string())
    }

    /// Returns id and title of the page of the manual that is about it.
    #[must_use]
    pub fn page(&self) -> Option<(&'static str, &'static str)> {
        let of_kind = match self.kind {
            OVERLAY => "overlays",
            METHOD | PASS | PARAMETER | NORMALS => "methods",
            LOOK | TONE_MAP => "looks",
            MEASURE => "measure",
            RULE => "check",
            OPERATION => "fix",
            EXAMPLE => "examples",
            PREFERENCE => "window",
            _ => page_about(self.name).map_or("window", |page| page.id),
        };
        PAGES.iter().find(|page| page.id == of_kind).map(|page| (page.id, page.title.as_str()))
    }

    /// Returns whether it is called `name`, in whatever case.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        let known = [self.id, self.name, self.short].into_iter().filter(|known| !known.is_empty());
        known
            .map(|known| known.trim_end_matches('…'))
            .any(|known| known.to_lowercase() == name.trim_end_matches('…').to_lowercase())
    }
}

const COMMAND: &str = "command";
const OVERLAY: &str = "overlay";
const METHOD: &str = "deformation method";
const PASS: &str = "pass after a method";
const PARAMETER: &str = "parameter of a method";
const NORMALS: &str = "formula for normals";
const LOOK: &str = "look";
const TONE_MAP: &str = "tone map";
const MEASURE: &str = "measure";
const RULE: &str = "rule of check";
const OPERATION: &str = "tool for weights and binds";
const PREFERENCE: &str = "preference";
const EXAMPLE: &str = "example";

/// All topics; commands of the menus that choose one of the others are that topic.
pub static TOPICS: LazyLock<Vec<Topic>> = LazyLock::new(|| {
    let mut out = Vec::new();
    for of in OVERLAYS {
        out.push(Topic { equation: of.equation, ..topic(OVERLAY, [of.id, of.label, of.short.unwrap_or("")], of.help) });
    }
    for method in METHODS {
        out.push(explained(topic(METHOD, [method.id, method.label, ""], method.help), &method.text));
        out.extend(method.parameters.iter().map(parameter));
    }
    for pass in PASSES {
        out.push(explained(topic(PASS, [pass.id, pass.label, ""], pass.help), &pass.text));
        out.extend(pass.parameters.iter().map(parameter));
    }
    out.extend(NORMAL_MODES.iter().map(|mode| topic(NORMALS, [mode.id, mode.label, ""], mode.help)));
    out.extend(LOOKS.iter().map(|look| topic(LOOK, [look.id, look.label, ""], look.help)));
    out.extend(TONE_MAPS.iter().map(|map| topic(TONE_MAP, [map.id, map.label, ""], map.help)));
    for measure in MEASURES {
        let shown_by = measure.overlay.and_then(overlay).map_or("", |overlay| overlay.equation);
        let equation = if measure.equation.is_empty() { shown_by } else { measure.equation };
        out.push(Topic { equation, ..topic(MEASURE, [measure.id, measure.label, ""], measure.help) });
    }
    out.extend(RULES.iter().map(|rule| topic(RULE, [rule.id, rule.label, ""], rule.help)));
    out.extend(ROM_RULES.iter().map(|rule| topic(RULE, [rule.id, rule.label, ""], rule.help)));
    out.extend(OPERATIONS.iter().map(|op| topic(OPERATION, [op.id, op.label, op.tool], op.help)));
    out.extend(PREFERENCES.iter().map(|of| topic(PREFERENCE, [of.id, of.label, ""], of.help)));
    for example in examples() {
        let sources = example.page.sources.iter().map(|source| format!("{}: {}", source.text, source.section));
        let source = sources.collect::<Vec<_>>().join("; ");
        out.push(Topic { source, ..topic(EXAMPLE, [example.id, example.title, ""], example.question) });
    }
    let is_new =
        |row: &&CommandRow| !out.iter().any(|topic| topic.row.is_some_and(|known| known.command == row.command));
    let commands: Vec<Topic> =
        COMMANDS.iter().filter(is_new).map(|row| topic(COMMAND, ["", row.label, ""], row.help)).collect();
    out.extend(commands);
    out
});

/// Makes a topic by its word on the command line, its name and its short name.
fn topic(kind: &'static str, [id, name, short]: [&'static str; 3], text: &'static str) -> Topic {
    let row = COMMANDS.iter().find(|row| row.help == text && (row.label == name || row.label == short));
    Topic { kind, id, name, short, text, equation: "", terms: "", source: String::new(), row }
}

fn explained(topic: Topic, text: &MethodText) -> Topic {
    Topic { equation: text.equation, terms: text.explanation, source: text.source.to_owned(), ..topic }
}

fn parameter(of: &'static Parameter) -> Topic {
    topic(PARAMETER, [of.id, of.label, ""], of.help)
}

/// Returns the topic that a control is about, by its name and by what its tooltip says; `None` where no table has it.
#[must_use]
pub fn topic_of(name: &str, text: &str) -> Option<&'static Topic> {
    // A list is called by what it chooses and by what is chosen.
    let (before, after) = name.split_once(": ").unwrap_or((name, name));
    let has_name = |topic: &&Topic| [name, after, before].iter().any(|name| topic.is_called(name));
    let says = |topic: &&Topic| !topic.text.is_empty() && text.contains(topic.text);
    let named = || TOPICS.iter().filter(has_name);
    let said = || TOPICS.iter().filter(says).max_by_key(|topic| topic.text.len());
    if text.is_empty() { named().next() } else { named().find(says).or_else(said) }
}

/// Returns the page of the manual, beside the list of keys, that names something first.
pub(super) fn page_about(name: &str) -> Option<&'static ManualPage> {
    let name = name.trim_end_matches('…');
    let has = |block: &Block| match block {
        Block::Heading(text) | Block::Paragraph(text) | Block::Entry(text) => text.contains(name),
        Block::Row(cells) => cells.iter().any(|cell| cell.contains(name)),
        Block::Code(_) | Block::Picture(..) => false,
    };
    let lists = ["keys", "commands"];
    let of = |is_list: bool| {
        let mut pages = PAGES.iter().filter(move |page| lists.contains(&page.id) == is_list);
        pages.find(|page| page.blocks.iter().any(has))
    };
    of(false).or_else(|| of(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_every_table_is_one_topic() {
        let count = |kind: &str| TOPICS.iter().filter(|topic| topic.kind == kind).count();
        assert_eq!(count(OVERLAY), OVERLAYS.len());
        assert_eq!(
            (count(METHOD), count(RULE), count(MEASURE)),
            (METHODS.len(), RULES.len() + ROM_RULES.len(), MEASURES.len())
        );
        for row in COMMANDS.iter() {
            let of_row = TOPICS.iter().filter(|topic| topic.row.is_some_and(|known| known.command == row.command));
            assert_eq!(of_row.count(), 1, "{}", row.label);
        }
        for topic in TOPICS.iter() {
            assert!(!topic.text.is_empty() && topic.page().is_some(), "{topic:?}");
        }
    }

    #[test]
    fn a_control_is_about_what_its_tooltip_says_and_else_about_what_it_is_called() {
        let of = |name: &str, text: &str| topic_of(name, text).map(|topic| (topic.kind, topic.id));
        assert_eq!(of("Dominant joint", ""), Some((OVERLAY, "dominant")));
        let method = METHODS.iter().find(|method| method.id == "dominant").unwrap();
        let tip = format!("How joints move vertices: {}", method.help);
        assert_eq!(of("Deformation method: Dominant joint", &tip), Some((METHOD, "dominant")));
        assert_eq!(of("Preferences", "Something else"), None);
        let weights = topic_of("Weights", "").unwrap();
        assert_eq!((weights.keys().as_deref(), weights.equation), (Some("W"), "w"));
        assert_eq!(topic_of("Open", "").unwrap().keys().as_deref(), Some("Ctrl+O"));
        // Where the tooltip has the words of two, it is about the one that has the name.
        let longest = TOPICS.iter().max_by_key(|topic| topic.text.len()).unwrap();
        let both = format!("{} {}", weights.text, longest.text);
        assert_eq!(of("Weights", &both), Some((OVERLAY, "weights")));
        assert_eq!(of("Something else", &both), Some((longest.kind, longest.id)));
        assert_eq!(weights.page().map(|(id, _)| id), Some("overlays"));
    }
}
