//! The values of the options of `skinscope fix`, as they are typed: a parser for each kind of parameter.

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, RangedI64ValueParser, StringValueParser, TypedValueParser, ValueParser};

use super::find::{Two, parse_two};
use crate::edit::{Amount, ChoiceKind, NumberKind, Parameter, ParameterKind, REPAIRED};

/// What was typed after an option. Joints are found once the model is open.
#[derive(Clone, Debug)]
pub(super) enum Typed {
    /// A number.
    Number(f64),
    /// The index of a word of a choice.
    Choice(usize),
    /// The indices of words of two choices.
    Choices([usize; 2]),
    /// The name of a joint, which a word of a choice may follow.
    Joint(String),
    /// The names of two joints.
    Two(Two),
    /// The name of a joint, and a weight or a change of its weight.
    Amount(String, Amount),
    /// The name of a joint, and a number.
    JointNumber(String, f64),
    /// Weights by the names of their joints.
    Given(Vec<(String, f64)>),
    /// A rule of the checker.
    Rule(Rules),
    /// A file.
    File(PathBuf),
}

/// One of the names after `--rules`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rules {
    /// Every rule that can be repaired.
    All,
    /// The rule with this id.
    One(&'static str),
}

/// Returns the parser of the value of an option that stands for these parameters; `None`: it takes no value.
pub(super) fn parser(argument: &'static str, parameters: &[&'static Parameter]) -> Option<ValueParser> {
    let kinds: Vec<&'static ParameterKind> = parameters.iter().map(|parameter| &parameter.kind).collect();
    Some(match kinds[..] {
        [ParameterKind::Number(kind)] if kind.is_whole() => {
            let [least, most] = kind.range.map(|end| end as i64);
            let whole = RangedI64ValueParser::<i64>::new().range(least..=most);
            ValueParser::new(whole.map(|number| Typed::Number(number as f64)))
        }
        [ParameterKind::Number(kind)] => ValueParser::new(move |text: &str| number(kind, text).map(Typed::Number)),
        [ParameterKind::Choice(kind)] => ValueParser::new(move |text: &str| {
            let expected = || format!("expected {}", either(kind, ""));
            word(kind, text).map(Typed::Choice).ok_or_else(expected)
        }),
        [ParameterKind::Choice(first), ParameterKind::Choice(second)] => {
            let label = parameters.first().map_or("", |parameter| parameter.label);
            ValueParser::new(move |text: &str| two_words([first, second], label, text))
        }
        [ParameterKind::Joint(_)] | [ParameterKind::Joint(_), ParameterKind::Choice(_)] => {
            ValueParser::new(StringValueParser::new().map(Typed::Joint))
        }
        [ParameterKind::Joint(_), ParameterKind::Joint(_)] | [ParameterKind::Pairs] => {
            ValueParser::new(|text: &str| parse_two(text).map(Typed::Two))
        }
        [ParameterKind::Joint(_), ParameterKind::Amount] => ValueParser::new(move |text: &str| typed(argument, text)),
        [ParameterKind::Joint(_), ParameterKind::Number(kind)] => ValueParser::new(move |text: &str| {
            let (joint, value) = text.rsplit_once('=').ok_or_else(|| format!("expected {argument}"))?;
            number(kind, value).map(|value| Typed::JointNumber(joint.to_owned(), value))
        }),
        [ParameterKind::Copied] => ValueParser::new(given),
        [ParameterKind::Rules] => ValueParser::new(|text: &str| rule(text).map(Typed::Rule)),
        [ParameterKind::Donor | ParameterKind::Examples] => {
            ValueParser::new(PathBufValueParser::new().map(Typed::File))
        }
        _ => return None,
    })
}

fn number(kind: &NumberKind, text: &str) -> Result<f64, String> {
    let [least, most] = kind.range;
    let number: Option<f64> = text.parse().ok().filter(|number| (least..=most).contains(number));
    number
        .filter(|number| kind.fitted(*number) == *number)
        .ok_or_else(|| format!("not a {} from {least} to {most}", kind.noun))
}

/// Returns the index of a word.
fn word(kind: &ChoiceKind, text: &str) -> Option<usize> {
    kind.words.iter().position(|word| word.id == text)
}

/// Returns the words of a choice as a list whose last two have an *or* between them, each with what stands before it.
fn either(kind: &ChoiceKind, before: &str) -> String {
    let words: Vec<String> = kind.words.iter().map(|word| format!("{before}{}", word.id)).collect();
    match &words[..] {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => words.concat(),
    }
}

/// Parses two words with a colon between; the second may be left out.
fn two_words([first, second]: [&ChoiceKind; 2], label: &str, text: &str) -> Result<Typed, String> {
    let (one, other) = text.split_once(':').map_or((text, None), |(one, other)| (one, Some(other)));
    let marks = either(second, ":");
    let one = word(first, one).ok_or_else(|| format!("expected {}, with {marks} after it", either(first, "")))?;
    let other = match other {
        Some(other) => word(second, &other.replace('−', "-"))
            .ok_or_else(|| format!("expected {marks} after the {}", label.to_lowercase()))?,
        None => second.default,
    };
    Ok(Typed::Choices([one, other]))
}

fn typed(argument: &str, text: &str) -> Result<Typed, String> {
    let (joint, value) = text.rsplit_once('=').ok_or_else(|| format!("expected {argument}"))?;
    let amount = Amount::parse(value)
        .ok_or_else(|| format!("{value}: expected 0.3, 30%, +0.1, -0.1 or *2; a weight is 0 to 1"))?;
    Ok(Typed::Amount(joint.to_owned(), amount))
}

fn given(text: &str) -> Result<Typed, String> {
    let weight = |text: &str| text.parse::<f64>().ok().filter(|weight| (0.0..=1.0).contains(weight));
    let (mut out, mut part) = (Vec::new(), String::new());
    for piece in text.split(',') {
        // A comma that does not follow a weight belongs to a name.
        let comma = if part.is_empty() { "" } else { "," };
        part = format!("{part}{comma}{piece}");
        let one = part.rsplit_once('=').and_then(|(joint, number)| Some((joint.to_owned(), weight(number)?)));
        if let Some(one) = one {
            out.push(one);
            part.clear();
        }
    }
    if part.is_empty() {
        Ok(Typed::Given(out))
    } else {
        Err(format!("{part}: expected JOINT=WEIGHT, a weight from 0 to 1"))
    }
}

fn rule(text: &str) -> Result<Rules, String> {
    if text == "all" {
        return Ok(Rules::All);
    }
    let known = REPAIRED.iter().find(|id| **id == text).map(|id| Rules::One(id));
    known.ok_or_else(|| format!("no rule that can be repaired; those are {}", REPAIRED.join(", ")))
}
