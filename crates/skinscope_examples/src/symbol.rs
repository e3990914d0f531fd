//! The letters of formulas, and how their numbers are written.

use super::{Expr, Mark, Moment, Value};

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A plain number with three decimals.
    Number,
    /// A plain number with this many decimals.
    Decimals(u8),
    /// An angle: computed with in radians, written in degrees. Sliders have degrees.
    Degrees,
    /// A length in metres.
    Metres,
    /// A share, written in percent; sliders have it from 0 to 1.
    Percent,
    /// A time in seconds.
    Seconds,
    /// A velocity in metres a second.
    MetresPerSecond,
}

/// Rows of symbols. Of each: its name, its letter, what else it has between brackets, and its words; or a symbol that it is like. Then, behind an
/// arrow, its value and what it is in the picture.
macro_rules! symbols {
    (@base) => {
        Symbol::PLAIN
    };
    (@base $base:expr) => {
        $base
    };
    ($(
        $($id:literal $letter:literal $([$($field:ident: $extra:expr),*])? $words:literal)? $(like $base:expr)?
        $(=> $value:expr, $marks:expr)?;
    )*) => {
        &[$(Symbol {
            $(id: $id, letter: $letter, $($($field: $extra,)*)? words: $words,)?
            $(value: $value, marks: $marks,)?
            ..$crate::symbol::symbols!(@base $($base)?)
        }),*]
    };
}
pub(crate) use symbols;

/// A letter of the formulas.
#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    /// The name in expressions and on the command line.
    pub id: &'static str,
    /// The letter, such as "θ".
    pub letter: &'static str,
    /// What stands below it at its right.
    pub below: &'static str,
    /// What stands above it at its right.
    pub above: &'static str,
    /// Whether it is a vector or a matrix, which are bold.
    pub bold: bool,
    /// How its number is written.
    pub unit: Unit,
    /// What it is, as the end of a sentence that begins with the letter: "the angle by which …".
    pub words: &'static str,
    /// Its value: angles in radians, lengths in metres.
    pub value: fn(&Moment) -> Value,
    /// What it is in the picture: drawn once the letter is clicked.
    pub marks: fn(&Moment) -> Vec<Mark>,
    /// What it is worth where a page says so, in place of [`Symbol::value`].
    pub expr: Option<Expr>,
}

impl Symbol {
    /// What most symbols have: a plain number without index. Rows of tables start from it.
    pub const PLAIN: Self = Self {
        id: "",
        letter: "",
        below: "",
        above: "",
        bold: false,
        unit: Unit::Number,
        words: "",
        value: |_| Value::from(f64::NAN),
        marks: |_| Vec::new(),
        expr: None,
    };

    /// Returns its value: angles in radians, lengths in metres. NaN where the parts of its expression do not fit each other.
    #[must_use]
    pub fn value(&self, moment: &Moment) -> Value {
        match &self.expr {
            Some(expr) => expr.value(moment).unwrap_or_else(|_| f64::NAN.into()),
            None => (self.value)(moment),
        }
    }

    /// Returns what it is in the picture: what is measured is shown where it is.
    #[must_use]
    pub fn marks(&self, moment: &Moment) -> Vec<Mark> {
        match &self.expr {
            Some(Expr::Measured(measured, given)) => measured.marks(moment, given, self.letter),
            _ => (self.marks)(moment),
        }
    }
}
