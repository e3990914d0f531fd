//! Prints expressions: with their symbols, or with numbers in their place.

use super::{Expr, Fence, Formula, Function, Ink, Moment, Printed, Symbol, Unit, Value};

/// What is printed of symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Their letters.
    Letters,
    /// Their numbers, with so many decimals more than usual.
    Numbers(u8),
}

/// How tightly an expression holds together: the parts of one that holds tighter need parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    Sum,
    Product,
    Atom,
}

/// Prints a formula at a moment: each part begins a new "=", and all are worth the same. The last one is the value.
#[must_use]
pub fn formula_lines(formula: &Formula, moment: &Moment, more: u8) -> Vec<Printed> {
    let mut out: Vec<Printed> = formula.terms.iter().map(|term| typeset(term, Form::Letters, moment)).collect();
    let Some(last) = formula.terms.last() else { return out };
    let unit = formula.terms.iter().find_map(|term| moment.symbol_in(term)).map_or(Unit::Number, |s| s.unit);
    let is_plain = matches!(last, Expr::Of(_) | Expr::Number(_));
    if formula.numbers && !is_plain {
        out.push(typeset(last, Form::Numbers(more), moment));
    }
    // A number that stands in the text says its value itself.
    if let (Ok(value), false) = (last.value(moment), matches!(last, Expr::Number(_))) {
        out.push(print_value(&value, unit, more, None));
    }
    out
}

/// Prints an expression.
#[must_use]
pub fn typeset(expr: &Expr, form: Form, moment: &Moment) -> Printed {
    print(expr, form, moment).0
}

fn print(expr: &Expr, form: Form, moment: &Moment) -> (Printed, Tightness) {
    let inner = |part: &Expr| print(part, form, moment).0;
    let power = |part: &Expr, above: &str| {
        let base = Box::new(parenthesised(part, form, moment, Tightness::Atom, true));
        (Printed::Script { base, above: Some(Box::new(Printed::plain(above))), below: None }, Tightness::Atom)
    };
    match expr {
        Expr::Number(n) => (Printed::plain(&plain_number(*n)), if *n < 0.0 { Tightness::Sum } else { Tightness::Atom }),
        Expr::Of(id) => symbol(id, form, moment),
        Expr::Measured(measured, given) => (Printed::plain(&measured.written(given)), Tightness::Atom),
        Expr::Slider(id) => (Printed::plain(id), Tightness::Atom),
        Expr::Sum(parts) => (print_sum(parts, form, moment), Tightness::Sum),
        Expr::Minus(part) => (
            Printed::row([Printed::plain("−"), parenthesised(part, form, moment, Tightness::Product, false)]),
            Tightness::Sum,
        ),
        Expr::Product(parts) => (print_product(parts, form, moment), Tightness::Product),
        Expr::Over(above, below) => {
            (Printed::Fraction(Box::new(inner(above)), Box::new(inner(below))), Tightness::Product)
        }
        Expr::Group(part) => (Printed::Fenced(Fence::Round, Box::new(inner(part))), Tightness::Atom),
        Expr::Squared(Expr::Call(function @ (Function::Cos | Function::Sin), parts)) => {
            let base = Box::new(Printed::plain(function.name()));
            let name = Printed::Script { base, above: Some(Box::new(Printed::plain("2"))), below: None };
            (Printed::row([name, arguments(parts, form, moment)]), Tightness::Atom)
        }
        Expr::Squared(part) => power(part, "2"),
        Expr::Cubed(part) => power(part, "3"),
        Expr::Inverse(part) => power(part, "−1"),
        Expr::Transposed(part) => power(part, "T"),
        Expr::InverseTransposed(part) => power(part, "−T"),
        Expr::Root(part) => (Printed::Root(Box::new(inner(part))), Tightness::Atom),
        Expr::Length(part) => (Printed::Fenced(Fence::Bars, Box::new(inner(part))), Tightness::Atom),
        Expr::Call(function, parts) => {
            (Printed::row([Printed::plain(function.name()), arguments(parts, form, moment)]), Tightness::Atom)
        }
        Expr::Matrix(rows) => {
            let cells = rows.iter().map(|row| row.iter().map(inner).collect()).collect();
            (Printed::Matrix(cells), Tightness::Atom)
        }
    }
}

fn arguments(parts: &[Expr], form: Form, moment: &Moment) -> Printed {
    let mut row = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            row.push(Printed::plain(", "));
        }
        row.push(print(part, form, moment).0);
    }
    let inside = if row.len() == 1 { row.swap_remove(0) } else { Printed::Row(row) };
    Printed::Fenced(Fence::Round, Box::new(inside))
}

/// Prints a part between parentheses where it would fall apart without. `is_base`: something stands above it at its right, which would
/// be taken for a part of a fraction, or of an index that stands there already.
fn parenthesised(part: &Expr, form: Form, moment: &Moment, least: Tightness, is_base: bool) -> Printed {
    let (printed, tightness) = print(part, form, moment);
    let falls_apart = tightness < least
        || is_base && matches!(printed, Printed::Fraction(..) | Printed::Script { above: Some(_), .. });
    if falls_apart { Printed::Fenced(Fence::Round, Box::new(printed)) } else { printed }
}

fn print_sum(parts: &[Expr], form: Form, moment: &Moment) -> Printed {
    let mut row = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        let (sign, part) = match part {
            Expr::Minus(part) => ("−", *part),
            part => ("+", part),
        };
        match (i, sign) {
            (0, "+") => {}
            (0, sign) => row.push(Printed::plain(sign)),
            (_, sign) => row.push(Printed::plain(&format!(" {sign} "))),
        }
        row.push(parenthesised(part, form, moment, Tightness::Product, false));
    }
    Printed::Row(row)
}

fn print_product(parts: &[Expr], form: Form, moment: &Moment) -> Printed {
    let mut row: Vec<Printed> = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        let printed = parenthesised(part, form, moment, Tightness::Product, false);
        if i > 0 {
            let before = row.last().is_some_and(ends_with_number);
            // Two numbers beside each other would read as one.
            row.push(Printed::plain(if before && begins_with_number(&printed) { " · " } else { "\u{2009}" }));
        }
        row.push(printed);
    }
    Printed::Row(row)
}

fn is_number(printed: &Printed) -> bool {
    match printed {
        Printed::Text { text, .. } => text.starts_with(|c: char| c.is_ascii_digit()),
        Printed::Script { base, .. } => is_number(base),
        _ => false,
    }
}

fn begins_with_number(printed: &Printed) -> bool {
    match printed {
        Printed::Row(parts) => parts.first().is_some_and(begins_with_number),
        Printed::Fraction(..) => true,
        other => is_number(other),
    }
}

fn ends_with_number(printed: &Printed) -> bool {
    match printed {
        Printed::Row(parts) => parts.last().is_some_and(ends_with_number),
        Printed::Fraction(..) => true,
        other => is_number(other),
    }
}

fn symbol(id: &'static str, form: Form, moment: &Moment) -> (Printed, Tightness) {
    let Some(symbol) = moment.symbol(id) else { return (Printed::plain("?"), Tightness::Atom) };
    let more = match form {
        Form::Letters => return (letter(symbol), Tightness::Atom),
        Form::Numbers(more) => more,
    };
    let Some(value) = moment.value_of(id) else { return (Printed::plain("?"), Tightness::Atom) };
    let printed = print_value(&value, symbol.unit, more, Some(id));
    let is_negative = matches!(&printed, Printed::Text { text, .. } if text.starts_with('−'));
    (printed, if is_negative { Tightness::Sum } else { Tightness::Atom })
}

/// Prints a symbol's letter with its index.
#[must_use]
pub fn letter(symbol: &Symbol) -> Printed {
    let of = |text: &str| Printed::Text {
        text: text.to_owned(),
        ink: if symbol.bold { Ink::Bold } else { Ink::Symbol },
        symbol: Some(symbol.id),
    };
    let part = |text: &str| (!text.is_empty()).then(|| Box::new(of(text)));
    match (part(symbol.above), part(symbol.below)) {
        (None, None) => of(symbol.letter),
        (above, below) => Printed::Script { base: Box::new(of(symbol.letter)), above, below },
    }
}

/// Prints a value, with so many decimals more than usual.
fn print_value(value: &Value, unit: Unit, more: u8, symbol: Option<&'static str>) -> Printed {
    // Units between the signs of a formula would be taken for letters; what a letter is says its unit.
    let unit = match unit {
        Unit::Metres | Unit::MetresPerSecond => Unit::Number,
        Unit::Seconds | Unit::Percent => Unit::Decimals(2),
        unit => unit,
    };
    let of = |number: &f64| Printed::Text { text: written(*number, unit, more), ink: Ink::Number, symbol };
    match value.number() {
        Some(number) => of(&number),
        None => {
            let [rows, _] = value.size();
            Printed::Matrix((0..rows).map(|row| value.row(row).iter().map(of).collect()).collect())
        }
    }
}

/// Writes a number of the text: as few digits as it has.
fn plain_number(n: f64) -> String {
    format!("{n}").replace('-', "−")
}

/// Writes a number with its unit, with so many decimals more than usual.
#[must_use]
pub fn written(number: f64, unit: Unit, more: u8) -> String {
    let (number, decimals, sign) = match unit {
        Unit::Number => (number, 3, ""),
        Unit::Decimals(decimals) => (number, decimals, ""),
        Unit::Degrees => (number.to_degrees(), 1, "°"),
        Unit::Metres => (number, 3, " m"),
        Unit::Percent => (number * 100.0, 0, " %"),
        Unit::Seconds => (number, 2, " s"),
        Unit::MetresPerSecond => (number, 3, " m/s"),
    };
    let decimals = usize::from(decimals + more);
    let text = format!("{number:.decimals$}");
    let text = match text.strip_prefix('-') {
        Some(zero) if zero.chars().all(|c| matches!(c, '0' | '.')) => zero.to_owned(),
        Some(positive) => format!("−{positive}"),
        None => text,
    };
    format!("{text}{sign}")
}
