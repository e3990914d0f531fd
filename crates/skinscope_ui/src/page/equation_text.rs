//! Reads an equation that is written as one line of text, such as `p = Σ w M v`, so that it is printed as formulas are.

use std::iter::Peekable;
use std::str::Chars;

use skinscope_examples::{Fence, Ink, Printed};

/// The letters that are vectors and matrices; all others are numbers.
const BOLD: &str = "MRSGpvtcxynm";
/// The digits that stand below the line.
const LOWERED: &str = "₀₁₂₃₄₅₆₇₈₉";

/// Returns the parts of an equation between its signs of equality.
pub(super) fn printed(text: &str) -> Vec<Printed> {
    text.split(" = ").map(|part| row(&mut part.chars().peekable(), None)).collect()
}

/// Reads up to the sign that ends a fence, or to the end of the text.
fn row(chars: &mut Peekable<Chars<'_>>, end: Option<char>) -> Printed {
    let mut parts: Vec<Printed> = Vec::new();
    let mut divides = false;
    while let Some(c) = chars.next() {
        if Some(c) == end {
            break;
        }
        let part = match c {
            ' ' => continue,
            '/' => {
                divides = true;
                continue;
            }
            '(' => Printed::Fenced(Fence::Round, Box::new(row(chars, Some(')')))),
            '|' => Printed::Fenced(Fence::Bars, Box::new(row(chars, Some('|')))),
            '+' | '−' | '·' => Printed::plain(&format!(" {c} ")),
            c if c.is_alphabetic() && c != 'Σ' => word(c, chars),
            c => Printed::plain(&c.to_string()),
        };
        if std::mem::take(&mut divides) {
            let above = parts.pop().unwrap_or_else(|| Printed::plain(""));
            parts.push(Printed::Fraction(Box::new(above), Box::new(part)));
            continue;
        }
        // Factors stand a little apart; signs have their room already.
        let is_sign = |part: &Printed| matches!(part, Printed::Text { text, .. } if text.starts_with(' '));
        if parts.last().is_some_and(|last| !is_sign(last)) && !is_sign(&part) {
            parts.push(Printed::plain("\u{2009}"));
        }
        parts.push(part);
    }
    Printed::row(parts)
}

/// Reads a letter with its marks and its index, or the name of a function.
fn word(first: char, chars: &mut Peekable<Chars<'_>>) -> Printed {
    let mut text = String::from(first);
    while let Some(c) = chars.next_if(|c| c.is_alphabetic() && *c != 'Σ' || matches!(c, '°' | '′')) {
        text.push(c);
    }
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let ink = match () {
        () if letters > 1 => Ink::Plain,
        () if BOLD.contains(first) => Ink::Bold,
        () => Ink::Symbol,
    };
    let base = Printed::Text { text, ink, symbol: None };
    match chars.peek().and_then(|c| LOWERED.chars().position(|digit| digit == *c)) {
        Some(digit) => {
            chars.next();
            let below = Some(Box::new(Printed::plain(&digit.to_string())));
            Printed::Script { base: Box::new(base), above: None, below }
        }
        None => base,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> String {
        printed(text).iter().map(Printed::line).collect::<Vec<_>>().join(" = ").replace('\u{2009}', " ")
    }

    #[test]
    fn an_equation_is_printed_as_it_is_written() {
        for text in ["p = Σ w M v", "p = y° + h G (x − x°)", "½ Σ |w − w₀|", "arccos (n · m)", "l/l₀"] {
            assert_eq!(line(text), text);
        }
        let [Printed::Row(parts)] = &printed("|p₁ − p₂| / h")[..] else { panic!("one part") };
        assert!(
            matches!(&parts[..], [Printed::Fraction(above, _)] if matches!(**above, Printed::Fenced(Fence::Bars, _)))
        );
        let [Printed::Row(parts)] = &printed("w M")[..] else { panic!("one part") };
        let inks: Vec<Ink> = parts
            .iter()
            .filter_map(|part| if let Printed::Text { ink, .. } = part { Some(*ink) } else { None })
            .collect();
        assert_eq!(inks, [Ink::Symbol, Ink::Plain, Ink::Bold]);
    }
}
