//! The pages of the manual, as the window shows them: the same texts as in `docs/`.

use std::sync::LazyLock;

/// A page.
#[derive(Debug)]
pub(super) struct ManualPage {
    /// The name of its file, without the ending.
    pub id: &'static str,
    /// Its first heading.
    pub title: String,
    pub blocks: Vec<Block>,
}

/// A part of a page. Texts have no marks of Markdown any more.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// A heading below that of the page.
    Heading(String),
    Paragraph(String),
    /// An entry of a list.
    Entry(String),
    /// Lines that are shown as they are.
    Code(String),
    /// A row of a table; the head of a table is left out.
    Row(Vec<String>),
}

macro_rules! pages {
    ($($id:literal),*) => { [$(($id, include_str!(concat!("../../../docs/", $id, ".md")))),*] };
}

/// All pages for users, in the order of the manual.
pub(super) static PAGES: LazyLock<Vec<ManualPage>> = LazyLock::new(|| {
    let texts = pages!(
        "window",
        "keys",
        "overlays",
        "looks",
        "examples",
        "writing-examples",
        "methods",
        "compare",
        "measure",
        "poses",
        "clips",
        "controls",
        "sessions",
        "check",
        "fix",
        "pictures",
        "commands",
        "formats",
        "speed"
    );
    texts.into_iter().map(|(id, text)| page(id, text)).collect()
});

/// Takes a page apart.
fn page(id: &'static str, text: &str) -> ManualPage {
    let (mut title, mut blocks) = (String::new(), Vec::new());
    let mut code: Option<String> = None;
    let mut open = false;
    let lines: Vec<&str> = text.lines().collect();
    for (i, line) in lines.iter().enumerate() {
        if line.starts_with("```") {
            blocks.extend(code.take().map(Block::Code).or_else(|| {
                code = Some(String::new());
                None
            }));
            open = false;
        } else if let Some(code) = &mut code {
            *code += line;
            *code += "\n";
        } else if let Some(heading) = line.strip_prefix("# ") {
            title = plain(heading);
        } else if line.starts_with('#') {
            blocks.push(Block::Heading(plain(line.trim_start_matches('#'))));
            open = false;
        } else if line.starts_with('|') {
            let is_head = lines.get(i + 1).is_some_and(|next| next.starts_with("|--"));
            if !is_head && !line.starts_with("|--") {
                let cells = line.trim_matches('|').replace("\\|", "\u{1}");
                blocks.push(Block::Row(cells.split('|').map(|cell| plain(&cell.replace('\u{1}', "|"))).collect()));
            }
            open = false;
        } else if line.trim().is_empty() || line.starts_with("<!--") {
            open = false;
        } else if let Some(entry) = line.strip_prefix("- ") {
            blocks.push(Block::Entry(plain(entry)));
            open = true;
        } else if open && let Some(Block::Paragraph(text) | Block::Entry(text)) = blocks.last_mut() {
            *text += " ";
            *text += &plain(line);
        } else {
            blocks.push(Block::Paragraph(plain(line)));
            open = true;
        }
    }
    ManualPage { id, title, blocks }
}

/// Returns a line without the marks of emphasis, code and links.
fn plain(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line.trim();
    while let Some(at) = rest.find("](") {
        let (before, after) = rest.split_at(at);
        let Some((text_start, end)) = before.rfind('[').zip(after.find(')')) else { break };
        out += &before[..text_start];
        out += &before[text_start + 1..];
        rest = &after[end + 1..];
    }
    out += rest;
    out.replace("**", "").replace(['*', '`'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_a_title_and_text_without_marks() {
        for page in PAGES.iter() {
            assert!(!page.title.is_empty() && page.blocks.len() > 3, "{}", page.id);
            for block in &page.blocks {
                if let Block::Paragraph(text) | Block::Entry(text) | Block::Heading(text) = block {
                    let has_marks = text.contains("](") || text.contains('`') || text.starts_with(['#', '|']);
                    assert!(!has_marks && !text.is_empty(), "{}: {text}", page.id);
                }
            }
        }
    }

    #[test]
    fn all_pages_for_users_are_in_it() {
        let contents = include_str!("../../../docs/README.md");
        let links = contents.split("](").skip(1).filter_map(|rest| rest.split_once(".md)"));
        let named: std::collections::BTreeSet<&str> = links.map(|(id, _)| id).filter(|id| !id.contains('/')).collect();
        let for_users = named.iter().copied().filter(|id| !["extending", "packaging", "testing"].contains(id));
        let shown: std::collections::BTreeSet<&str> = PAGES.iter().map(|page| page.id).collect();
        assert_eq!(for_users.collect::<std::collections::BTreeSet<_>>(), shown);
    }

    #[test]
    fn a_page_is_taken_apart_into_its_blocks() {
        let text = "# Title\n\nOne **strong**\nline, [see](a.md#b) `x`.\n\n- first\n  goes on\n- second\n\n| a | b |\n|---|---|\n| `c` | d \\| e |\n\n```sh\n$ run *\n```\n## Part\n";
        let page = page("x", text);
        let block = |text: &str| text.to_owned();
        assert_eq!(page.title, "Title");
        assert_eq!(
            page.blocks,
            [
                Block::Paragraph(block("One strong line, see x.")),
                Block::Entry(block("first goes on")),
                Block::Entry(block("second")),
                Block::Row(vec![block("c"), block("d | e")]),
                Block::Code(block("$ run *\n")),
                Block::Heading(block("Part")),
            ]
        );
    }
}
