//! The page below its head: paragraphs, formulas, charts and lists.

use super::head::unit_of;
use super::lexer::{Lexer, Token};
use super::{Known, PageError, TextPosition, equation, intern, intern_list, unknown};
use crate::formula::{Expr, Formula};
use crate::moment::{Curve, Moment};
use crate::{Block, Chart, Citation, Page, Unit};

/// The lists at the end of a page.
const LISTS: [&str; 3] = ["Try this", "What to see", "Sources"];

/// What is read of a page below its head.
pub(super) struct Body<'a> {
    pub(super) text: &'a str,
    /// The first line, from 1 on, and where it begins.
    pub(super) first: (usize, usize),
    pub(super) known: &'a Known<'a>,
    /// The curves of the rig's own chart.
    pub(super) curves: Option<fn(&Moment) -> Vec<Curve>>,
}

/// Lines that belong together, with the number of the first.
struct Lines<'a> {
    lines: Vec<&'a str>,
    number: usize,
}

impl Lines<'_> {
    /// Writes them as one.
    fn joined(&self) -> String {
        self.lines.iter().map(|line| line.trim_ascii()).collect::<Vec<_>>().join(" ")
    }

    fn position(&self) -> TextPosition {
        TextPosition { line: self.number, column: 1 }
    }
}

impl<'a> Body<'a> {
    /// Reads the question and the page.
    pub(super) fn read(&self) -> Result<(&'static str, Page), PageError> {
        let (number, start) = self.first;
        let lines: Vec<&str> = self.text[start..].lines().collect();
        let mut question = None;
        let mut blocks: Vec<Block> = Vec::new();
        let mut lists: [Vec<Lines>; 3] = Default::default();
        let mut list = None;
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            let position = TextPosition { line: number + at, column: 1 };
            // A paragraph ends before an empty line and before what is no paragraph.
            let is_other = |line: &&str| line.is_empty() || line.starts_with(['#', '>', '`']) || line.starts_with("- ");
            let length = 1 + lines[at + 1..].iter().take_while(|line| !is_other(&line.trim_ascii())).count();
            let part = || Lines { lines: lines[at..at + length].to_vec(), number: number + at };
            let mut taken = 1;
            if let Some(title) = line.strip_prefix("## ") {
                let found = LISTS.iter().position(|name| *name == title.trim_ascii());
                list =
                    Some(found.ok_or_else(|| {
                        unknown(position.after("## "), "list", title.trim_ascii(), LISTS.into_iter())
                    })?);
            } else if let Some(text) = line.strip_prefix("# ") {
                if question.replace(intern(text.trim_ascii())).is_some() {
                    return Err(position.error("a second question"));
                }
            } else if line.starts_with("```") {
                let end = lines[at + 1..].iter().position(|line| line.trim_ascii_end() == "```");
                let end = end.ok_or_else(|| position.error("expected a line ``` that ends this block"))?;
                let inside = Lines { lines: lines[at + 1..at + 1 + end].to_vec(), number: number + at + 1 };
                blocks.push(self.fenced(line, position, &inside)?);
                taken = end + 2;
            } else if let Some(list) = list {
                if line.starts_with("- ") {
                    lists[list].push(part());
                    taken = length;
                } else if !line.trim_ascii().is_empty() {
                    return Err(position.error(format!("expected a line \"- …\" of the list \"{}\"", LISTS[list])));
                }
            } else if let Some(note) = line.strip_prefix('>') {
                let note = note.trim_ascii();
                match blocks.last_mut() {
                    Some(Block::Formula(formula)) if formula.note.is_empty() => formula.note = intern(note),
                    _ => return Err(position.error("a note stands below a formula")),
                }
            } else if line.starts_with('#') || line.starts_with("- ") {
                return Err(position.error("expected \"# question\", \"## list\", a paragraph or a formula"));
            } else if !line.trim_ascii().is_empty() {
                blocks.push(Block::Text(intern(&part().joined())));
                taken = length;
            }
            at += taken;
        }
        let end = TextPosition { line: number.min(number + lines.len().saturating_sub(1)), column: 1 };
        let question = question.ok_or_else(|| end.error("expected a line \"# …?\", the question of the page"))?;
        Ok((question, page(blocks, &lists)?))
    }

    /// Reads what stands between lines of three backticks.
    fn fenced(&self, line: &str, position: TextPosition, inside: &Lines) -> Result<Block, PageError> {
        let kind_at = position.after("```");
        let mut lexer = Lexer::new(&line[3..], kind_at)?;
        let kind = lexer.word("formula or chart")?;
        match kind {
            "formula" => {
                let mut formula = Formula::PLAIN;
                formula.numbers = !lexer.takes_word("letters");
                if lexer.takes_word("tolerance") {
                    formula.tolerance = lexer.number()?;
                }
                lexer.end()?;
                let text = inside.lines.join("\n");
                formula.terms = equation::terms(&text, inside.position(), self.known)?;
                Ok(Block::Formula(formula))
            }
            "chart" => {
                lexer.end()?;
                self.chart(position, inside).map(Block::Chart)
            }
            _ => Err(unknown(kind_at, "block", kind, ["formula", "chart"].into_iter())),
        }
    }

    fn chart(&self, position: TextPosition, inside: &Lines) -> Result<Chart, PageError> {
        const KEYS: [&str; 5] = ["title", "slider", "range", "unit", "curves"];
        let mut out =
            Chart { title: "", slider: "", range: [0.0, 1.0], unit: Unit::Number, curves: |_| Vec::new(), drawn: &[] };
        let mut drawn = Vec::new();
        for (i, line) in inside.lines.iter().enumerate().filter(|(_, line)| !line.trim_ascii().is_empty()) {
            let at = TextPosition { line: inside.number + i, column: 1 };
            if line.starts_with("curve ") {
                drawn.push(self.curve(line, at)?);
                continue;
            }
            let (key, value) = line.split_once(':').ok_or_else(|| at.error("expected a line \"key: value\""))?;
            let value_at = at.after(&line[..line.len() - value.trim_ascii_start().len()]);
            let value = value.trim_ascii();
            match key {
                "title" => out.title = intern(value),
                "slider" => {
                    let ids = self.known.sliders.iter().map(|slider| slider.id);
                    let found = ids.clone().find(|id| *id == value);
                    out.slider = found.ok_or_else(|| unknown(value_at, "slider", value, ids))?;
                }
                "range" => {
                    let mut lexer = Lexer::new(value, value_at)?;
                    let least = lexer.number()?;
                    lexer.expect("..")?;
                    out.range = [least, lexer.number()?];
                    lexer.end()?;
                    if out.range[0] >= out.range[1] {
                        return Err(value_at.error("expected a range from the least to the greatest number"));
                    }
                }
                "unit" => out.unit = unit_of(value, value_at)?,
                "curves" if value == "measured" => {
                    out.curves = self.curves.ok_or_else(|| value_at.error("the rig has no curves of its own"))?;
                }
                "curves" => return Err(unknown(value_at, "set of curves", value, ["measured"].into_iter())),
                _ => return Err(unknown(at, "key", key, KEYS.into_iter().chain(["curve"]))),
            }
        }
        if out.title.is_empty() || out.slider.is_empty() {
            return Err(position.error("a chart needs the lines \"title: …\" and \"slider: …\""));
        }
        out.drawn = intern_list(drawn);
        Ok(out)
    }

    /// Reads a line `curve "name": expression`.
    fn curve(&self, line: &str, at: TextPosition) -> Result<(&'static str, Expr), PageError> {
        let mut lexer = Lexer::new(line, at)?;
        lexer.word("curve")?;
        let name = intern(&lexer.text("the name of the curve between double quotes")?);
        lexer.expect(":")?;
        let expr = equation::expression(&mut lexer, self.known)?;
        if *lexer.peek() != Token::End {
            return Err(lexer.instead_of("an operator or the end of the line"));
        }
        Ok((name, expr))
    }
}

fn page(blocks: Vec<Block>, [try_this, what_to_see, sources]: &[Vec<Lines>; 3]) -> Result<Page, PageError> {
    let items = |list: &[Lines]| -> &'static [&'static str] {
        intern_list(list.iter().map(|item| intern(item.joined()[1..].trim_ascii_start())).collect())
    };
    let source = |item: &Lines| {
        let text = item.joined();
        let parts = text[1..]
            .trim_ascii_start()
            .split_once(" — ")
            .ok_or_else(|| item.position().error("expected \"- text — place\""))?;
        Ok(Citation { text: intern(parts.0), section: intern(parts.1) })
    };
    Ok(Page {
        blocks: intern_list(blocks),
        try_this: items(try_this),
        what_to_see: items(what_to_see),
        sources: intern_list(sources.iter().map(source).collect::<Result<_, _>>()?),
    })
}
