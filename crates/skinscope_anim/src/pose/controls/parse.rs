//! Parses a control: `TARGET = VALUE` becomes the target, the numbers that it reads, and the steps that compute the
//! value.

use std::ops::Range;

/// The reason why a control does not act, and its location in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The range of bytes that is wrong; empty at the end of the text, where something is missing.
    pub at: Range<usize>,
    /// What is wrong, as a sentence without a full stop.
    pub what: String,
}

impl Fault {
    pub(super) fn new(at: Range<usize>, what: impl Into<String>) -> Self {
        Self { at, what: what.into() }
    }

    /// Returns the column of the fault, in characters counted from 1.
    #[must_use]
    pub fn column(&self, text: &str) -> usize {
        text.get(..self.at.start).map_or(0, |before| before.chars().count()) + 1
    }
}

/// What a number is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    Angle,
    Translation,
    Scale,
    Morph,
    Slider,
    Bend,
    Twist,
    Place,
    Time,
}

/// The words of quantities, each with the number of names in its parentheses.
const QUANTITIES: [(&str, Quantity, usize); 9] = [
    ("angle", Quantity::Angle, 2),
    ("translation", Quantity::Translation, 2),
    ("scale", Quantity::Scale, 2),
    ("morph", Quantity::Morph, 2),
    ("slider", Quantity::Slider, 1),
    ("bend", Quantity::Bend, 1),
    ("twist", Quantity::Twist, 2),
    ("place", Quantity::Place, 2),
    ("time", Quantity::Time, 0),
];

impl Quantity {
    /// Whether a control can set it.
    pub fn is_driven(self) -> bool {
        !matches!(self, Self::Bend | Self::Twist | Self::Place | Self::Time)
    }

    pub fn word(self) -> &'static str {
        QUANTITIES.iter().find(|(_, quantity, _)| *quantity == self).map_or("", |row| row.0)
    }
}

/// A number of the model or of a slider, as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Named {
    pub quantity: Quantity,
    /// The first name, and its bytes with quotes.
    pub name: String,
    pub name_at: Range<usize>,
    /// The axis 0…2, where it has one.
    pub axis: usize,
    /// The name of a morph target, and its bytes with quotes.
    pub target: String,
    pub target_at: Range<usize>,
    /// All bytes.
    pub at: Range<usize>,
    /// Whether it stands in `posed(…)`.
    pub is_posed: bool,
}

/// A function of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Clamp,
    Min,
    Max,
    Abs,
    Sqrt,
    Sin,
    Cos,
    Smooth,
    Mix,
}

/// The words of functions, each with how many numbers it takes at least and at most.
const FUNCTIONS: [(&str, Function, [usize; 2]); 9] = [
    ("clamp", Function::Clamp, [1, 3]),
    ("min", Function::Min, [2, 16]),
    ("max", Function::Max, [2, 16]),
    ("abs", Function::Abs, [1, 1]),
    ("sqrt", Function::Sqrt, [1, 1]),
    ("sin", Function::Sin, [1, 1]),
    ("cos", Function::Cos, [1, 1]),
    ("smooth", Function::Smooth, [3, 3]),
    ("mix", Function::Mix, [3, 3]),
];

/// A step of a computation on a stack of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    Number(f64),
    /// The index of this reference in [`Line::reads`].
    Read(usize),
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    /// A function of so many numbers.
    Call(Function, usize),
}

/// A control that could be read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub target: Named,
    pub reads: Vec<Named>,
    pub steps: Vec<Step>,
}

/// The most bytes of a line, and how deep it may be nested.
const MOST_BYTES: usize = 4096;
const DEEPEST: usize = 64;

/// Reads a line.
pub(super) fn parse(text: &str) -> Result<Line, Fault> {
    if text.len() > MOST_BYTES {
        return Err(Fault::new(0..0, format!("A control has {MOST_BYTES} characters at most")));
    }
    let mut parser = Parser { text, at: 0, depth: 0, reads: Vec::new(), steps: Vec::new() };
    let (at, word) = parser.word("what is driven, such as angle(\"LowerArm.L\", \"x\")")?;
    let target = parser.quantity(&at, word)?;
    let Some(target) = target.filter(|target| target.quantity.is_driven()) else {
        let all = "angle, translation, scale, morph and slider";
        return Err(Fault::new(at, format!("\"{word}\" cannot be driven; {all} can")));
    };
    parser.expect('=')?;
    parser.sum()?;
    parser.skip_space();
    if parser.at < text.len() {
        let at = parser.next_bytes();
        return Err(Fault::new(at, "An operator is expected here, + - * or /, or the end"));
    }
    Ok(Line { target, reads: parser.reads, steps: parser.steps })
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    reads: Vec<Named>,
    steps: Vec<Step>,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// The bytes of the next character; none at the end.
    fn next_bytes(&self) -> Range<usize> {
        self.at..self.at + self.rest().chars().next().map_or(0, char::len_utf8)
    }

    fn peek(&mut self) -> Option<char> {
        self.skip_space();
        self.rest().chars().next()
    }

    /// Takes a character where it is the next one.
    fn take(&mut self, wanted: char) -> bool {
        let is_next = self.peek() == Some(wanted);
        if is_next {
            self.at += wanted.len_utf8();
        }
        is_next
    }

    fn expect(&mut self, wanted: char) -> Result<(), Fault> {
        if self.take(wanted) {
            Ok(())
        } else {
            Err(Fault::new(self.next_bytes(), format!("\"{wanted}\" is expected here")))
        }
    }

    /// Takes a word; `expected` says what should stand there.
    fn word(&mut self, expected: &str) -> Result<(Range<usize>, &'t str), Fault> {
        self.skip_space();
        let rest = self.rest();
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if length == 0 || rest.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(Fault::new(self.next_bytes(), format!("Expected here is {expected}")));
        }
        let at = self.at..self.at + length;
        self.at = at.end;
        Ok((at, &rest[..length]))
    }

    /// Takes a name in quotes; returns it with its bytes, quotes included.
    fn name(&mut self, what: &str) -> Result<(String, Range<usize>), Fault> {
        let quote = self.peek().filter(|c| matches!(c, '"' | '\''));
        let Some(quote) = quote else {
            return Err(Fault::new(self.next_bytes(), format!("{what} is expected here, in quotes")));
        };
        let start = self.at;
        let inside = &self.rest()[1..];
        let Some(length) = inside.find(quote) else {
            return Err(Fault::new(start..self.text.len(), "The quote that ends this name is missing"));
        };
        self.at = start + length + 2;
        Ok((inside[..length].to_owned(), start..self.at))
    }

    /// Reads the names of a quantity whose word has been read; `None` where it is the word of none.
    fn quantity(&mut self, at: &Range<usize>, word: &str) -> Result<Option<Named>, Fault> {
        let Some((_, quantity, names)) = QUANTITIES.iter().copied().find(|(known, ..)| *known == word) else {
            return Ok(None);
        };
        self.expect('(')?;
        let mut out = Named {
            quantity,
            name: String::new(),
            name_at: 0..0,
            axis: 0,
            target: String::new(),
            target_at: 0..0,
            at: at.clone(),
            is_posed: false,
        };
        if names > 0 {
            let what = match quantity {
                Quantity::Slider => "The name of a slider",
                Quantity::Morph => "The name of a node with a mesh",
                _ => "The name of a joint",
            };
            (out.name, out.name_at) = self.name(what)?;
        }
        if names > 1 {
            self.expect(',')?;
            if quantity == Quantity::Morph {
                (out.target, out.target_at) = self.name("The name of a morph target")?;
            } else {
                let (axis, axis_at) = self.name("An axis, \"x\", \"y\" or \"z\",")?;
                let index = ["x", "y", "z"].iter().position(|known| axis.eq_ignore_ascii_case(known));
                out.axis = index.ok_or_else(|| Fault::new(axis_at, "An axis is \"x\", \"y\" or \"z\""))?;
            }
        }
        self.expect(')')?;
        out.at.end = self.at;
        Ok(Some(out))
    }

    fn sum(&mut self) -> Result<(), Fault> {
        self.series(Self::product, [('+', Step::Add), ('-', Step::Subtract)])
    }

    fn product(&mut self) -> Result<(), Fault> {
        self.series(Self::signed, [('*', Step::Multiply), ('/', Step::Divide)])
    }

    /// Reads parts with these signs between them, from the left to the right.
    fn series(&mut self, part: fn(&mut Self) -> Result<(), Fault>, signs: [(char, Step); 2]) -> Result<(), Fault> {
        part(self)?;
        while let Some((_, step)) = signs.into_iter().find(|(sign, _)| self.take(*sign)) {
            part(self)?;
            self.steps.push(step);
        }
        Ok(())
    }

    fn signed(&mut self) -> Result<(), Fault> {
        let mut is_negative = false;
        while self.take('-') {
            is_negative = !is_negative;
        }
        self.atom()?;
        if is_negative {
            self.steps.push(Step::Negate);
        }
        Ok(())
    }

    fn atom(&mut self) -> Result<(), Fault> {
        match self.peek() {
            Some('(') => {
                self.deeper()?;
                self.at += 1;
                self.sum()?;
                self.expect(')')?;
                self.depth -= 1;
                Ok(())
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            _ => {
                let (at, word) = self.word("a number, or a word such as slider or clamp")?;
                self.named(at, word)
            }
        }
    }

    fn deeper(&mut self) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Fault::new(self.next_bytes(), format!("Parentheses are nested {DEEPEST} deep at most")));
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), Fault> {
        let rest = self.rest().as_bytes();
        let digits = |from: usize| rest[from..].iter().take_while(|c| c.is_ascii_digit() || **c == b'.').count();
        let mut length = digits(0);
        if matches!(rest.get(length), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(rest.get(length + 1), Some(b'+' | b'-')));
            let exponent = digits(length + 1 + sign);
            length += if exponent > 0 { 1 + sign + exponent } else { 0 };
        }
        let at = self.at..self.at + length;
        let number = self.text[at.clone()].parse().ok().filter(|number: &f64| number.is_finite());
        let Some(number) = number else { return Err(Fault::new(at, "This is no number")) };
        self.at = at.end;
        self.steps.push(Step::Number(number));
        Ok(())
    }

    /// Reads what follows a word in a value.
    fn named(&mut self, at: Range<usize>, word: &str) -> Result<(), Fault> {
        if let Some(named) = self.quantity(&at, word)? {
            return self.read(named);
        }
        if word == "posed" {
            self.expect('(')?;
            let (inner_at, inner) = self.word("what is read, such as angle(\"LowerArm.L\", \"x\")")?;
            let named = self.quantity(&inner_at, inner)?;
            let Some(named) = named.filter(|named| named.quantity.is_driven()) else {
                let all = "angle, translation, scale, morph and slider";
                return Err(Fault::new(inner_at, format!("posed is for {all}")));
            };
            self.expect(')')?;
            return self.read(Named { is_posed: true, at: at.start..self.at, ..named });
        }
        let Some((_, function, [least, most])) = FUNCTIONS.iter().copied().find(|(known, ..)| *known == word) else {
            let what = match self.peek() {
                Some('(') => {
                    let known =
                        QUANTITIES.iter().map(|row| row.0).chain(["posed"]).chain(FUNCTIONS.iter().map(|row| row.0));
                    format!("There is no \"{word}\"; there are {}", known.collect::<Vec<_>>().join(", "))
                }
                _ => format!("\"{word}\" alone means nothing; a slider is written slider(\"{word}\")"),
            };
            return Err(Fault::new(at, what));
        };
        self.expect('(')?;
        self.deeper()?;
        let mut count = 0;
        loop {
            self.sum()?;
            count += 1;
            if !self.take(',') {
                break;
            }
        }
        self.expect(')')?;
        self.depth -= 1;
        let fits = (least..=most).contains(&count) && !(function == Function::Clamp && count == 2);
        if !fits {
            let wanted = match (function, least) {
                (Function::Clamp, _) => "1 or 3 numbers".to_owned(),
                (_, 1) => "1 number".to_owned(),
                _ if least == most => format!("{least} numbers"),
                _ => format!("{least} to {most} numbers"),
            };
            return Err(Fault::new(at, format!("{word} takes {wanted}, not {count}")));
        }
        self.steps.push(Step::Call(function, count));
        Ok(())
    }

    fn read(&mut self, named: Named) -> Result<(), Fault> {
        self.steps.push(Step::Read(self.reads.len()));
        self.reads.push(named);
        Ok(())
    }
}

/// Returns a name in quotes, as controls write it. A name with both kinds of quotes loses one of them.
#[must_use]
pub fn quoted(name: &str) -> String {
    match (name.contains('"'), name.contains('\'')) {
        (false, _) => format!("\"{name}\""),
        (true, false) => format!("'{name}'"),
        (true, true) => format!("\"{}\"", name.replace('"', "")),
    }
}

/// Returns the text of a control after a slider was renamed; the same text where it does not name the slider, or cannot
/// be parsed.
#[must_use]
pub fn renamed(text: &str, slider: &str, to: &str) -> String {
    let is_it = |named: &Named| named.quantity == Quantity::Slider && named.name == slider;
    replaced(text, to, |named| is_it(named).then(|| named.name_at.clone()))
}

/// Returns the text of a control after a morph target was renamed; the same text where it does not name the target, or cannot be parsed. `is_of`
/// says of the name of a node whether it shows the target.
#[must_use]
pub fn renamed_target(text: &str, target: &str, to: &str, is_of: &dyn Fn(&str) -> bool) -> String {
    let is_it = |named: &Named| named.quantity == Quantity::Morph && named.target == target && is_of(&named.name);
    replaced(text, to, |named| is_it(named).then(|| named.target_at.clone()))
}

/// Writes a name in quotes in place of others.
fn replaced(text: &str, to: &str, place: impl Fn(&Named) -> Option<Range<usize>>) -> String {
    let mut out = text.to_owned();
    let Ok(line) = parse(text) else { return out };
    let mut ranges: Vec<Range<usize>> = std::iter::once(&line.target).chain(&line.reads).filter_map(place).collect();
    ranges.sort_by_key(|at| std::cmp::Reverse(at.start));
    for at in ranges {
        out.replace_range(at, &quoted(to));
    }
    out
}
