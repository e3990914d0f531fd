//! `skinscope explain`: says what something is that the window shows, as F1 does there.

use clap::Args;

use super::{CliError, print};
use crate::app::ui::{TOPICS, Topic};
use crate::pose;

/// Say what something is: a command, an overlay, a method, a look, a measure, a rule, a preference …
///
/// What F1 says in the window: what it does, the equation that it stands for, where it comes from, its keys and its page of the manual.
/// Without a name it lists all of them. With --json: schema (1) and topics, an array of objects with kind, name and text, and where there
/// are any id, equation, terms, source, keys and page.
#[derive(Clone, Debug, Args)]
pub(super) struct ExplainArgs {
    /// The name in the window or the word on the command line, such as "Edge stretch" or dual-quaternion
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ExplainArgs) -> Result<(), CliError> {
    let is_meant = |topic: &&Topic| args.name.as_ref().is_none_or(|name| topic.is_called(name));
    let found: Vec<&Topic> = TOPICS.iter().filter(is_meant).collect();
    if let Some(name) = args.name.as_ref().filter(|_| found.is_empty()) {
        let names = TOPICS.iter().flat_map(|topic| [topic.name, topic.id]).filter(|known| !known.is_empty());
        let nearest = pose::nearest_names(name, names).join(", ");
        return Err(CliError::Usage(format!(
            "nothing is called \"{}\"; the nearest names are {nearest}",
            super::printable(name)
        )));
    }
    if args.json {
        let topics: Vec<_> = found.into_iter().map(object).collect();
        return print(&format!("{:#}\n", serde_json::json!({ "schema": 1, "topics": topics })));
    }
    if args.name.is_none() {
        return print(
            &found.iter().map(|topic| format!("{} ({}): {}\n", topic.name, topic.kind, topic.text)).collect::<String>(),
        );
    }
    print(&found.into_iter().map(text).collect::<Vec<_>>().join("\n"))
}

fn text(topic: &Topic) -> String {
    let page = topic.page().map_or("", |(_, title)| title);
    let lines = [
        ("", topic.equation),
        ("", topic.terms),
        ("Source: ", &topic.source),
        ("Keys: ", &topic.keys().unwrap_or_default()),
        ("Manual: ", page),
    ];
    let lines = lines.iter().filter(|(_, text)| !text.is_empty()).map(|(what, text)| format!("  {what}{text}\n"));
    format!("{} ({}): {}\n{}", topic.name, topic.kind, topic.text, lines.collect::<String>())
}

fn object(topic: &Topic) -> serde_json::Value {
    let mut object = serde_json::json!({ "kind": topic.kind, "name": topic.name, "text": topic.text });
    let more = [
        ("id", topic.id.to_owned()),
        ("equation", topic.equation.to_owned()),
        ("terms", topic.terms.to_owned()),
        ("source", topic.source.clone()),
        ("keys", topic.keys().unwrap_or_default()),
        ("page", topic.page().map_or("", |(id, _)| id).to_owned()),
    ];
    for (field, text) in more.into_iter().filter(|(_, text)| !text.is_empty()) {
        object[field] = text.into();
    }
    object
}

#[cfg(test)]
mod tests {
    use crate::cli::captured;

    fn said(arguments: &[&str]) -> (u8, String, String) {
        let (code, captured) = captured(["skinscope", "explain"].iter().chain(arguments).map(Into::into));
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (code, text(captured.stdout), text(captured.stderr))
    }

    #[test]
    fn a_name_is_explained_as_by_f1() {
        let (code, text, _) = said(&["dual-quaternion"]);
        assert_eq!(code, 0);
        for part in
            ["Dual quaternion (deformation method)", "p = R v + t", "Source: Kavan", "Manual: Choose how joints"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        let (_, text, _) = said(&["--json", "edge stretch"]);
        let object: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(object["topics"][0]["equation"], "l / l₀");
        assert_eq!((&object["topics"][0]["id"], &object["topics"][0]["page"]), (&"stretch".into(), &"overlays".into()));
        let (_, text, _) = said(&["open"]);
        assert!(text.contains("Keys: Ctrl+O"), "{text}");
    }

    #[test]
    fn without_a_name_all_are_listed_and_an_unknown_one_is_answered_with_the_nearest() {
        let (code, text, _) = said(&[]);
        assert!(code == 0 && text.lines().count() > 150, "{}", text.lines().count());
        let (code, _, error) = said(&["dual-quarternion"]);
        assert!(code == 2 && error.contains("dual-quaternion"), "{code} {error}");
    }
}
