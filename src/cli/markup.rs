//! What the pages (HTML) and reports (XML) of several subcommands share: escaped text, and the page around it.

use super::printable;

/// Escapes a text for XML and HTML. Control characters, which XML 1.0 cannot hold (section 2.2), are replaced; line ends and tabs stay, as
/// references.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' => out += "&#10;",
            '\t' => out += "&#9;",
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Escapes a text that people read on a page: names come from files, and nothing in them is obeyed.
pub(super) fn shown(text: &str) -> String {
    escaped(&printable(text))
}

/// Returns a page (HTML) up to its first section.
pub(super) fn head(title: &str) -> String {
    let style = include_str!("page.css");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
        <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
        <style>\n{style}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
    )
}

/// The end of a page.
pub(super) const TAIL: &str = "</main>\n</body>\n</html>\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_break_a_document_and_are_not_obeyed() {
        assert_eq!(escaped("<a & \"b\">\u{1}\n\t\u{ffff}"), "&lt;a &amp; &quot;b&quot;&gt;\u{fffd}&#10;&#9;\u{fffd}");
        assert_eq!(escaped("right to left: \u{202e}"), "right to left: \u{202e}");
        assert_eq!(shown("<a>\u{202e}\u{1b}\n"), "&lt;a&gt;\u{fffd}\u{fffd}\u{fffd}");
    }
}
