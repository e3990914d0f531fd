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

/// A text without marks of Markdown, and what the marks said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text {
    plain: String,
    /// Its parts, one after the other; together they are the whole text.
    pub spans: Vec<Span>,
}

/// A part of a text of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub text: String,
    pub bold: bool,
    pub code: bool,
    /// The target of a link, as the page has it: `fix.md#know-the-rules`, `#part`, or an address.
    pub link: Option<String>,
}

/// A part of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// A heading below that of the page.
    Heading(Text),
    Paragraph(Text),
    /// An entry of a list.
    Entry(Text),
    /// Lines that are shown as they are.
    Code(String),
    /// A row of a table; the head of a table is left out.
    Row(Vec<Text>),
    /// A picture: what it shows, and its file.
    Picture(String, String),
}

impl std::ops::Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.plain
    }
}

impl Block {
    /// Returns all its text.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        match self {
            Self::Heading(text) | Self::Paragraph(text) | Self::Entry(text) => (**text).into(),
            Self::Code(text) | Self::Picture(text, _) => text.into(),
            Self::Row(cells) => cells.iter().map(|cell| &**cell).collect::<Vec<_>>().join(" ").into(),
        }
    }

    /// Returns the name by which links lead to it; `None` where it is no heading.
    pub fn anchor(&self) -> Option<String> {
        let Self::Heading(text) = self else { return None };
        let kept =
            text.to_lowercase().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-')).collect::<String>();
        Some(kept.trim().replace(' ', "-"))
    }
}

impl Text {
    /// Reads a text with marks.
    fn of(marked: &str) -> Self {
        let mut spans = Vec::new();
        read_marks(marked.trim(), &Span::default(), &mut spans);
        let plain = spans.iter().map(|span| span.text.as_str()).collect();
        Self { plain, spans }
    }
}

/// Adds the parts of a text with marks, within a part that has the marks of `around`. A mark without its end is left out.
fn read_marks(marked: &str, around: &Span, out: &mut Vec<Span>) {
    let push = |text: &str, span: &Span, out: &mut Vec<Span>| {
        if text.is_empty() {
            return;
        }
        match out.last_mut().filter(|last| (last.bold, last.code, &last.link) == (span.bold, span.code, &span.link)) {
            Some(last) => last.text += text,
            None => out.push(Span { text: text.to_owned(), ..span.clone() }),
        }
    };
    let mut rest = marked;
    while let Some(at) = rest.find(['*', '`', '[']) {
        push(&rest[..at], around, out);
        rest = &rest[at..];
        let here = rest;
        let between = |mark: &str| here.strip_prefix(mark).and_then(|inner| inner.split_once(mark));
        if let Some((inner, after)) = between("**").filter(|(inner, _)| !inner.is_empty()) {
            read_marks(inner, &Span { bold: true, ..around.clone() }, out);
            rest = after;
        } else if let Some((inner, after)) = between("`") {
            push(inner, &Span { code: true, ..around.clone() }, out);
            rest = after;
        } else if let Some((inner, after)) = between("*").filter(|(inner, _)| !inner.starts_with(' ')) {
            // Names of commands and controls are set so; without a mark they would read as words of the sentence.
            read_marks(inner, &Span { bold: true, ..around.clone() }, out);
            rest = after;
        } else if let Some((inner, target, after)) = link(rest) {
            read_marks(inner, &Span { link: Some(target.to_owned()), ..around.clone() }, out);
            rest = after;
        } else {
            // A bracket alone is text.
            push(if rest.starts_with('[') { "[" } else { "" }, around, out);
            rest = &rest[1..];
        }
    }
    push(rest, around, out);
}

/// Returns the text and the target of a link that a text begins with, and what comes after it.
fn link(marked: &str) -> Option<(&str, &str, &str)> {
    let (inner, after) = marked.strip_prefix('[')?.split_once("](")?;
    let (target, after) = after.split_once(')')?;
    (!inner.contains('[')).then_some((inner, target, after))
}

/// Returns the page that a target leads to, by its index, and the block in it; `None` for what is no page of the manual.
pub(super) fn target(link: &str, from: usize) -> Option<(usize, Option<usize>)> {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let page = match file.strip_suffix(".md") {
        None if file.is_empty() => from,
        id => PAGES.iter().position(|page| Some(page.id) == id)?,
    };
    let block =
        PAGES[page].blocks.iter().position(|block| block.anchor().is_some_and(|a| !anchor.is_empty() && a == anchor));
    Some((page, block))
}

macro_rules! pictures {
    ($($file:literal),* $(,)?) => { [$(($file, include_bytes!(concat!("../../../docs/", $file)).as_slice())),*] };
}

/// The pictures of the pages, with the files by which the pages name them.
pub(super) static PICTURES: [(&str, &[u8]); 16] = pictures!(
    "images/brush-add.png",
    "images/brush-subtract.png",
    "images/brush-replace.png",
    "images/brush-scale.png",
    "images/brush-give.png",
    "images/brush-smooth.png",
    "images/brush-sharpen.png",
    "images/brush-relax.png",
    "images/brush-average.png",
    "images/paint-skirt.png",
    "images/window.webp",
    "images/looks.png",
    "images/onion.png",
    "../assets/readme_weights.png",
    "../assets/readme_methods.png",
    "../assets/readme_stretch.png",
);

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
        "many-files",
        "fix",
        "paint",
        "bind",
        "solve",
        "pictures",
        "commands",
        "formats",
        "blender",
        "python",
        "speed"
    );
    texts.into_iter().map(|(id, text)| page(id, text)).collect()
});

/// Takes a page apart.
fn page(id: &'static str, text: &str) -> ManualPage {
    /// A block whose text still has its marks.
    enum Raw {
        Heading(String),
        Paragraph(String),
        Entry(String),
        Code(String),
        Row(Vec<String>),
        Picture(String, String),
    }
    let (mut title, mut blocks) = (String::new(), Vec::new());
    let mut code: Option<String> = None;
    let mut open = false;
    let lines: Vec<&str> = text.lines().collect();
    for (i, line) in lines.iter().enumerate() {
        if line.starts_with("```") {
            blocks.extend(code.take().map(Raw::Code).or_else(|| {
                code = Some(String::new());
                None
            }));
            open = false;
        } else if let Some(code) = &mut code {
            *code += line;
            *code += "\n";
        } else if let Some(heading) = line.strip_prefix("# ") {
            title = Text::of(heading).to_string();
        } else if line.starts_with('#') {
            blocks.push(Raw::Heading(line.trim_start_matches('#').to_owned()));
            open = false;
        } else if line.starts_with('|') {
            let is_head = lines.get(i + 1).is_some_and(|next| next.starts_with("|--"));
            if !is_head && !line.starts_with("|--") {
                let cells = line.trim_matches('|').replace("\\|", "\u{1}");
                blocks.push(Raw::Row(cells.split('|').map(|cell| cell.replace('\u{1}', "|")).collect()));
            }
            open = false;
        } else if let Some((text, file, _)) = line.strip_prefix('!').and_then(link) {
            blocks.push(Raw::Picture(text.to_owned(), file.to_owned()));
            open = false;
        } else if line.trim().is_empty() || line.starts_with("<!--") {
            open = false;
        } else if let Some(entry) = line.strip_prefix("- ") {
            blocks.push(Raw::Entry(entry.to_owned()));
            open = true;
        } else if open && let Some(Raw::Paragraph(text) | Raw::Entry(text)) = blocks.last_mut() {
            *text += " ";
            *text += line.trim();
        } else {
            blocks.push(Raw::Paragraph(line.trim().to_owned()));
            open = true;
        }
    }
    let block = |raw: Raw| match raw {
        Raw::Heading(text) => Block::Heading(Text::of(&text)),
        Raw::Paragraph(text) => Block::Paragraph(Text::of(&text)),
        Raw::Entry(text) => Block::Entry(Text::of(&text)),
        Raw::Code(text) => Block::Code(text),
        Raw::Row(cells) => Block::Row(cells.iter().map(|cell| Text::of(cell)).collect()),
        Raw::Picture(text, file) => Block::Picture(text, file),
    };
    let blocks = blocks.into_iter().map(block).collect();
    ManualPage { id, title, blocks }
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
                    assert!(!has_marks && !text.is_empty(), "{}: {text:?}", page.id);
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
        let text = "# Title\n\nOne **strong\none**, [see](a.md#b) `x`.\n\n- first\n  goes on\n- second\n\n| a | b |\n|---|---|\n| `c` | d \\| e |\n\n```sh\n$ run *\n```\n## Part\n";
        let page = page("x", text);
        assert_eq!(page.title, "Title");
        let texts: Vec<String> = page.blocks.iter().map(|block| block.text().into_owned()).collect();
        assert_eq!(texts, ["One strong one, see x.", "first goes on", "second", "c d | e", "$ run *\n", "Part"]);
        let [
            Block::Paragraph(first),
            Block::Entry(_),
            Block::Entry(_),
            Block::Row(cells),
            Block::Code(_),
            Block::Heading(_),
        ] = &page.blocks[..]
        else {
            unreachable!("{:?}", page.blocks)
        };
        assert!(cells.len() == 2 && first.spans.iter().any(|span| span.bold && span.text == "strong one"));
        assert_eq!(page.blocks[5].anchor().as_deref(), Some("part"));
    }

    #[test]
    fn every_picture_of_a_page_is_there_small_and_can_be_read() {
        let named = PAGES.iter().flat_map(|page| &page.blocks).filter_map(|block| match block {
            Block::Picture(text, file) => Some((text, file)),
            _ => None,
        });
        let mut count = 0;
        for (text, file) in named {
            let (_, bytes) = PICTURES.iter().find(|(name, _)| name == file).expect(file);
            let picture = image::load_from_memory(bytes).unwrap();
            assert!(picture.width() >= 300 && bytes.len() < 60_000 && text.len() > 20, "{file}: {} bytes", bytes.len());
            count += 1;
        }
        assert_eq!(count, PICTURES.len());
    }

    #[test]
    fn links_lead_to_pages_and_headings_that_are_there() {
        let mut count = 0;
        for (from, page) in PAGES.iter().enumerate() {
            let texts = page.blocks.iter().flat_map(|block| match block {
                Block::Heading(text) | Block::Paragraph(text) | Block::Entry(text) => vec![text],
                Block::Row(cells) => cells.iter().collect(),
                Block::Code(_) | Block::Picture(..) => Vec::new(),
            });
            for link in texts.flat_map(|text| &text.spans).filter_map(|span| span.link.as_deref()) {
                let is_within =
                    link.starts_with('#') || PAGES.iter().any(|page| link.starts_with(&format!("{}.md", page.id)));
                if !is_within {
                    continue;
                }
                let found = target(link, from);
                assert!(found.is_some_and(|(_, block)| block.is_some() || !link.contains('#')), "{}: {link}", page.id);
                count += 1;
            }
        }
        assert!(count > 40, "{count} links");
    }

    #[test]
    fn marks_become_parts_of_a_text() {
        let text = Text::of("One **strong [see](a.md#b)** `x * y`, *so* [alone");
        assert_eq!(&*text, "One strong see x * y, so [alone");
        let bold: Vec<&str> = text.spans.iter().filter(|span| span.bold).map(|span| span.text.as_str()).collect();
        assert_eq!(bold, ["strong ", "see", "so"]);
        let link = text.spans.iter().find(|span| span.link.is_some()).unwrap();
        assert_eq!((link.text.as_str(), link.link.as_deref()), ("see", Some("a.md#b")));
        assert!(text.spans.iter().any(|span| span.code && span.text == "x * y"));
    }
}
