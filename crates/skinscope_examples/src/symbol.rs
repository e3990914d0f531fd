//! The letters of formulas, and how their numbers are written.

use super::{Mark, Moment, Value};

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
}

/// A letter of the formulas.
#[derive(Debug)]
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
    };

    /// What a symbol for a length has, in metres; rows of tables start from it.
    #[must_use]
    pub const fn metres(id: &'static str, letter: &'static str, below: &'static str, words: &'static str) -> Self {
        Self { id, letter, below, words, unit: Unit::Metres, ..Self::PLAIN }
    }
}
