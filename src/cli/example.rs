//! `skinscope examples`: lists the teaching examples, or prints the page of one; and the options that open one.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::{CliError, print, tell_warnings};
use crate::app::ui::formula_svg;
use crate::examples::{
    self, Block, Example, Form, Formula, Lesson, Moment, SCENES, Slider, Start, Unit, formula_lines, latex, letter,
    mathml, typeset, written,
};
use crate::import::{Options, Progress};
use crate::session::{Document, Source, is_page};

/// Which example is opened in place of a file.
#[derive(Clone, Debug, Args)]
pub(super) struct ExampleArgs {
    /// Show this teaching example in place of a file (`skinscope examples` lists them), or a page of your own: a file that ends in .md
    #[arg(long, value_name = "NAME|FILE.md", value_parser = Names, conflicts_with = "model")]
    example: Option<ExampleName>,
    /// Put a slider of the example at this value, in its unit (degrees, metres, …). May be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_slider, requires = "example")]
    slider: Vec<(String, f32)>,
    /// Show in the picture what this symbol of the example's formulas is (`skinscope examples NAME` lists them)
    #[arg(long, value_name = "NAME", requires = "example")]
    symbol: Option<String>,
}

/// Which example: one of ours, or a page that is a file.
#[derive(Clone, Debug)]
enum ExampleName {
    Own(&'static Example),
    File(PathBuf),
}

impl ExampleName {
    /// Opens the example with these sliders moved and this symbol pointed at.
    fn document(
        &self,
        sliders: &[(String, f32)],
        symbol: Option<&str>,
        options: &Options,
    ) -> Result<Document, CliError> {
        let source = match self {
            Self::Own(example) => {
                return Ok(Document::of_lesson(Lesson::new(moved(example, sliders, symbol)?)));
            }
            Self::File(path) => Source::Page(path.clone()),
        };
        let unread = |error| CliError::Import { file: source.path().unwrap_or_default().display().to_string(), error };
        let document = source.load(options, &Progress::silent()).map_err(unread)?;
        let Some(lesson) = document.lesson() else { return Ok(document) };
        let start = moved(lesson.example(), sliders, symbol)?;
        Ok(document.with_lesson(lesson.moved(start)))
    }
}

/// Reads the name of an example. What ends in `.md` is a file; the names of ours are offered, and their questions are read only then.
#[derive(Clone)]
struct Names;

impl TypedValueParser for Names {
    type Value = ExampleName;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<ExampleName, clap::Error> {
        if is_page(Path::new(value)) {
            return Ok(ExampleName::File(value.into()));
        }
        let own = value.to_str().and_then(examples::example);
        own.map(ExampleName::Own).ok_or_else(|| {
            let names = PossibleValuesParser::new(SCENES.iter().map(|scene| scene.id));
            let refused = names.parse_ref(command, argument, value).err();
            refused.unwrap_or_else(|| clap::Error::new(clap::error::ErrorKind::InvalidValue))
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(SCENES.iter().map(|scene| PossibleValue::new(scene.id).help(scene.example().question))))
    }
}

fn parse_slider(text: &str) -> Result<(String, f32), String> {
    super::named_number(text, "NAME=VALUE", "theta=90")
}

impl ExampleArgs {
    /// Returns whether an example is named.
    pub(super) fn is_given(&self) -> bool {
        self.example.is_some()
    }

    /// Returns what is to be opened; `None` where no example is named.
    pub(super) fn source(&self, options: &Options) -> Result<Option<Source>, CliError> {
        let symbol = self.symbol.as_deref();
        Ok(match &self.example {
            None => None,
            Some(ExampleName::Own(example)) => Some(Source::Example(moved(example, &self.slider, symbol)?)),
            // The window says itself what is wrong with a page, and waits until it is mended.
            Some(ExampleName::File(path)) if self.slider.is_empty() && symbol.is_none() => {
                Some(Source::Page(path.clone()))
            }
            Some(name @ ExampleName::File(_)) => Some(name.document(&self.slider, symbol, options)?.source()),
        })
    }

    /// Opens it.
    pub(super) fn document(&self, options: &Options) -> Result<Option<Document>, CliError> {
        let name = self.example.as_ref();
        name.map(|name| name.document(&self.slider, self.symbol.as_deref(), options)).transpose()
    }
}

fn find_symbol(example: &'static Example, id: &str) -> Result<&'static str, CliError> {
    let known = || example.symbols.iter().map(|symbol| symbol.id).collect::<Vec<_>>().join(", ");
    let found = example.symbols.iter().find(|symbol| symbol.id == id).map(|symbol| symbol.id);
    found.ok_or_else(|| CliError::Usage(format!("{} has no symbol \"{id}\"; it has {}", example.id, known())))
}

/// Returns an example with these sliders moved and this symbol pointed at.
fn moved(example: &'static Example, sliders: &[(String, f32)], symbol: Option<&str>) -> Result<Start, CliError> {
    let symbol = symbol.map(|id| find_symbol(example, id)).transpose()?;
    Ok(Start { symbol, ..start(example, sliders)? })
}

/// Returns an example with these sliders moved.
fn start(example: &'static Example, sliders: &[(String, f32)]) -> Result<Start, CliError> {
    let mut start = Start::of(example);
    for (id, value) in sliders {
        let Some(slider) = example.sliders.iter().find(|slider| slider.id == id) else {
            let known = example.sliders.iter().map(|slider| slider.id).collect::<Vec<_>>().join(", ");
            return Err(CliError::Usage(format!("{} has no slider \"{id}\"; it has {known}", example.id)));
        };
        let [least, most] = slider.range;
        if !(least..=most).contains(value) {
            return Err(CliError::Usage(format!("the slider {id} of {} goes from {least} to {most}", example.id)));
        }
        start.settings.set(slider.id, *value);
    }
    // Of several that are given for one slider the last counts.
    for (i, (id, value)) in sliders.iter().enumerate() {
        let Some(slider) = example.sliders.iter().find(|slider| slider.id == id) else { continue };
        let is_last = sliders[i + 1..].iter().all(|(other, _)| other != id);
        if is_last && slider.is_share && slider.fitted(*value) != Some(start.settings.get(id)) {
            let shares = example.sliders.iter().filter(|slider| slider.is_share).map(|slider| slider.id);
            let shares = shares.collect::<Vec<_>>().join(" and ");
            return Err(CliError::Usage(format!("the sliders {shares} of {} are 1 together at most", example.id)));
        }
    }
    Ok(start)
}

/// List the teaching examples, or print the page of one with its numbers
///
/// `skinscope --example NAME` opens one, `skinscope render --example NAME -o picture.png` draws it. The JSON of the list is one object
/// with the fields schema (1) and examples [{name, title, question, sliders [{name, label, unit, range, default, step, choices}]}]. The JSON of
/// one example has in addition symbols [{name, letter, words, value}] (a number, or the rows of a matrix; angles in radians, lengths
/// in metres), formulas [{formula, numbers, value}], charts [{title, slider, curves [{name, is_formula, points [[slider, value]]}]}],
/// try_this, what_to_see and sources [{text, place}], at the positions that --slider says.
#[derive(Debug, Args)]
pub(super) struct ExamplesArgs {
    /// Print the page of this example, or of a file that ends in .md
    #[arg(value_name = "NAME|FILE.md", value_parser = Names)]
    name: Option<ExampleName>,
    /// Put a slider at this value, in its unit. May be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_slider, requires = "name")]
    slider: Vec<(String, f32)>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print this formula of the page alone, counted from 1
    #[arg(long, value_name = "N", requires = "name", conflicts_with = "json")]
    formula: Option<usize>,
    /// Print the formula as LaTeX (for amsmath), MathML or SVG (a drawing that needs no font) [default: latex]
    #[arg(long, value_enum, requires = "formula")]
    format: Option<FormulaFormat>,
    /// Print the formula with the numbers that it has at these sliders too
    #[arg(long, requires = "formula")]
    numbers: bool,
}

/// How a formula is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FormulaFormat {
    /// For texts and slides that LaTeX sets
    #[default]
    Latex,
    /// For web pages and office programs
    Mathml,
    /// A drawing
    Svg,
}

/// Writes a formula of a page, counted from 1, in one of the formats.
fn formula(moment: &Moment, at: usize, args: &ExamplesArgs) -> Result<String, CliError> {
    let all: Vec<&Formula> = formulas(moment.example()).collect();
    let Some(formula) = at.checked_sub(1).and_then(|at| all.get(at)) else {
        let (id, count) = (moment.example().id, all.len());
        return Err(CliError::Usage(format!("{id} has the formulas 1 to {count}, and no formula {at}")));
    };
    let mut parts = formula_lines(formula, moment, 0);
    if !args.numbers {
        parts.truncate(formula.terms.len());
    }
    Ok(match args.format.unwrap_or_default() {
        FormulaFormat::Latex => latex(&parts) + "\n",
        FormulaFormat::Mathml => mathml(&parts) + "\n",
        FormulaFormat::Svg => formula_svg(&parts),
    })
}

pub(super) fn run(args: &ExamplesArgs) -> Result<(), CliError> {
    let report = match &args.name {
        Some(name) => {
            let document = name.document(&args.slider, None, &Options::default())?;
            tell_warnings(&document);
            let Some(lesson) = document.lesson() else { return Ok(()) };
            let moment = lesson.moment();
            if let Some(at) = args.formula {
                return print(&formula(moment, at, args)?);
            }
            if !args.json {
                return print(&page(moment));
            }
            let mut report = describe(lesson.example());
            report["schema"] = json!(1);
            for (key, value) in details(moment) {
                report[key] = value;
            }
            report
        }
        None if args.json => {
            json!({ "schema": 1, "examples": examples::examples().map(describe).collect::<Vec<_>>() })
        }
        None => return print(&list()),
    };
    print(&format!("{report:#}\n"))
}

fn unit(slider: &Slider) -> &'static str {
    match slider.unit {
        Unit::Number | Unit::Decimals(_) | Unit::Percent => "",
        Unit::Degrees => "°",
        Unit::Metres => " m",
        Unit::Seconds => " s",
        Unit::MetresPerSecond => " m/s",
    }
}

fn list() -> String {
    let mut out = String::new();
    for example in examples::examples() {
        out += &format!("{:<20} {}\n{:21}{}\n", example.id, example.title, "", example.question);
        for slider in example.sliders {
            let ([least, most], unit) = (slider.range, unit(slider));
            let values: Vec<String> = slider.values().map(|(_, value)| value.to_string()).collect();
            let range = if values.is_empty() { format!("{least}…{most}{unit}") } else { values.join("|") };
            out += &format!("{:21}--slider {}={range}: {}\n", "", slider.id, slider.label);
        }
    }
    out + "\n`skinscope --example NAME` opens one, `skinscope examples NAME` prints its page.\n"
}

fn describe(example: &Example) -> Value {
    let slider = |slider: &Slider| {
        json!({
            "name": slider.id,
            "label": slider.label,
            "unit": unit(slider).trim(),
            "range": slider.range,
            "default": slider.default,
            "step": slider.step,
            "choices": slider.choices,
        })
    };
    json!({
        "name": example.id,
        "title": example.title,
        "question": example.question,
        "sliders": example.sliders.iter().map(slider).collect::<Vec<_>>(),
    })
}

/// The formulas of a page.
fn formulas(example: &'static Example) -> impl Iterator<Item = &'static Formula> {
    example
        .page
        .blocks
        .iter()
        .filter_map(|block| if let Block::Formula(formula) = block { Some(formula) } else { None })
}

fn value_of(value: &examples::Value) -> Value {
    match value.number() {
        Some(number) => json!(number),
        None => json!((0..value.size()[0]).map(|row| value.row(row)).collect::<Vec<_>>()),
    }
}

fn details(moment: &Moment) -> [(&'static str, Value); 6] {
    let example = moment.example();
    let symbol = |symbol: &examples::Symbol| {
        let value = value_of(&symbol.value(moment));
        json!({ "name": symbol.id, "letter": letter(symbol).line(), "words": symbol.words, "value": value })
    };
    let formula = |formula: &Formula| {
        let terms = formula.terms.iter().map(|term| typeset(term, Form::Letters, moment).line());
        let lines = formula_lines(formula, moment, 0);
        let numbers = lines[formula.terms.len()..].iter().map(examples::Printed::line);
        let value = formula.terms.last().and_then(|term| term.value(moment).ok());
        json!({
            "formula": terms.collect::<Vec<_>>().join(" = "),
            "numbers": numbers.collect::<Vec<_>>(),
            "value": value.as_ref().map(value_of),
        })
    };
    let charts = example.page.blocks.iter().filter_map(|block| {
        let Block::Chart(chart) = block else { return None };
        let curves = chart.all_curves(moment);
        let curves = curves.iter().map(|c| json!({ "name": c.name, "is_formula": c.is_formula, "points": c.points }));
        Some(json!({ "title": chart.title, "slider": chart.slider, "curves": curves.collect::<Vec<_>>() }))
    });
    let sources = example.page.sources.iter().map(|s| json!({ "text": s.text, "place": s.section }));
    [
        ("symbols", json!(example.symbols.iter().map(symbol).collect::<Vec<_>>())),
        ("formulas", json!(formulas(example).map(formula).collect::<Vec<_>>())),
        ("charts", json!(charts.collect::<Vec<_>>())),
        ("try_this", json!(example.page.try_this)),
        ("what_to_see", json!(example.page.what_to_see)),
        ("sources", json!(sources.collect::<Vec<_>>())),
    ]
}

/// Writes the page of an example as text.
fn page(moment: &Moment) -> String {
    let example = moment.example();
    let mut out = format!("{}\n{}\n\n", example.title, example.question);
    for slider in example.sliders {
        out += &format!("{} ({}): {}{}\n", slider.label, slider.id, moment.settings().get(slider.id), unit(slider));
    }
    for block in example.page.blocks {
        out.push('\n');
        match block {
            Block::Text(text) => out += &format!("{text}\n"),
            Block::Formula(formula) => {
                let lines: Vec<String> =
                    formula_lines(formula, moment, 0).iter().map(examples::Printed::line).collect();
                out += &format!("    {}\n", lines.join(" = "));
                if !formula.note.is_empty() {
                    out += &format!("    {}\n", formula.note);
                }
            }
            Block::Chart(chart) => out += &format!("(a chart: {})\n", chart.title),
        }
    }
    out += "\nSymbols\n";
    for symbol in example.symbols {
        let value = symbol.value(moment).number().map(|number| format!(": {}", written(number, symbol.unit, 0)));
        let name = format!("{} ({})", letter(symbol).line(), symbol.id);
        out += &format!("  {name:<14} {}{}\n", symbol.words, value.unwrap_or_default());
    }
    for (title, lines) in [("Try this", example.page.try_this), ("What to see", example.page.what_to_see)] {
        out += &format!("\n{title}\n");
        lines.iter().for_each(|line| out += &format!("  {line}\n"));
    }
    out += "\nWhere it comes from\n";
    example.page.sources.iter().for_each(|source| out += &format!("  {}: {}\n", source.text, source.section));
    out
}
