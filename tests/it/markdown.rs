//! What a page in Markdown has in it: fenced blocks, pieces of code, command lines, links and headings.

use std::collections::BTreeSet;

/// The lines of a page, each with whether it belongs to a fenced block.
fn lines(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let mut is_within = false;
    text.lines().map(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_within ^= is_fence;
        (is_within || is_fence, line)
    })
}

/// A page without its fenced blocks.
fn prose(text: &str) -> String {
    lines(text).map(|(is_fenced, line)| if is_fenced { "\n" } else { line }.to_owned() + "\n").collect()
}

/// The pieces of code in the prose of a page.
pub(crate) fn code_spans(text: &str) -> Vec<String> {
    let prose = prose(text);
    let of_paragraph = |paragraph: &str| -> Vec<String> {
        paragraph.split('`').skip(1).step_by(2).map(|span| span.replace('\n', " ")).collect()
    };
    prose.split("\n\n").flat_map(of_paragraph).collect()
}

/// The words of a command line as a shell splits them, up to a comment, a pipe or a redirection.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None::<char>);
    for c in line.chars() {
        match (quote, c) {
            (Some(end), _) if c == end => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (None, '|' | '>' | '<' | '&' | ';') => break,
            (None, '#') if word.is_none() => break,
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// A word with `1` for each variable of a shell and for each `{}` that a program fills before it is a word.
fn filled(word: &str) -> String {
    let mut parts = word.split('$');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out += "1";
        out += part.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    }
    out.replace("{}", "1")
}

/// The arguments of each command line of the program in the fenced blocks of a page: what follows `skinscope`, or
/// `cargo run --`.
pub(crate) fn command_lines(text: &str) -> Vec<Vec<String>> {
    let fenced = lines(text).filter(|(is_fenced, _)| *is_fenced).map(|(_, line)| line);
    let of_line = |line: &str| -> Vec<Vec<String>> {
        let named = line.match_indices("skinscope ").filter(|(at, _)| *at == 0 || line[..*at].ends_with(' '));
        let built =
            line.match_indices("cargo run ").filter_map(|(at, _)| Some((at + line[at..].find(" -- ")?, " -- ")));
        let all = named.chain(built).map(|(at, name)| words(&line[at + name.len()..]));
        all.map(|words| words.iter().map(|word| filled(word)).collect()).collect()
    };
    fenced.flat_map(of_line).collect()
}

/// Where the links of a page lead.
pub(crate) fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()).map(str::to_owned).collect()
}

/// The names by which links lead to the headings of a page.
pub(crate) fn anchors(text: &str) -> BTreeSet<String> {
    let prose = prose(text);
    let headings = prose.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_matches('#').trim());
    let anchor = |heading: &str| -> String {
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}
