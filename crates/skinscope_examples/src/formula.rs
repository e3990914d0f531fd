//! Expressions of symbols: from the same one the printed formula and its number are made.

use super::measured::{Given, Measured};
use super::{Moment, Value};

/// An expression. The parts are static, so that a page is data.
#[derive(Clone, Copy, Debug)]
pub enum Expr {
    /// A number as it stands in the text.
    Number(f64),
    /// A symbol of the example, by [`super::Symbol::id`].
    Of(&'static str),
    /// The sum of its parts; a [`Expr::Minus`] among them is taken away.
    Sum(&'static [Expr]),
    /// The negative of an expression.
    Minus(&'static Expr),
    /// The product of its parts, in their order.
    Product(&'static [Expr]),
    /// A fraction.
    Over(&'static Expr, &'static Expr),
    /// The square of a number.
    Squared(&'static Expr),
    /// The third power of a number.
    Cubed(&'static Expr),
    /// The square root of a number.
    Root(&'static Expr),
    /// The inverse of a matrix.
    Inverse(&'static Expr),
    /// The transpose of a matrix.
    Transposed(&'static Expr),
    /// The transpose of the inverse of a matrix.
    InverseTransposed(&'static Expr),
    /// A part between parentheses, to show what is done first.
    Group(&'static Expr),
    /// The length of a vector, or the absolute value of a number.
    Length(&'static Expr),
    /// A function of numbers.
    Call(Function, &'static [Expr]),
    /// A matrix, row by row.
    Matrix(&'static [&'static [Expr]]),
    /// What is measured of the model.
    Measured(&'static Measured, &'static [Given]),
    /// The value of a slider, by its id; angles are in radians.
    Slider(&'static str),
}

/// A function of numbers; angles are in radians.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the usual names")]
pub enum Function {
    Cos,
    Sin,
    Acos,
    /// The angle of the point whose y and x are given.
    Atan2,
    Exp,
    /// The nearest whole number.
    Round,
    Max,
    Min,
}

impl Function {
    /// The name in formulas.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cos => "cos",
            Self::Sin => "sin",
            Self::Acos => "arccos",
            Self::Atan2 => "atan2",
            Self::Exp => "exp",
            Self::Round => "round",
            Self::Max => "max",
            Self::Min => "min",
        }
    }

    /// Computes the function; `None` where the arguments are too few or too many.
    #[must_use]
    pub fn of(self, arguments: &[f64]) -> Option<f64> {
        Some(match (self, arguments) {
            (Self::Cos, [x]) => x.cos(),
            (Self::Sin, [x]) => x.sin(),
            // Rounding may lead a little beyond.
            (Self::Acos, [x]) if x.abs() < 1.0 + 1e-9 => x.clamp(-1.0, 1.0).acos(),
            (Self::Acos, [_]) => f64::NAN,
            (Self::Atan2, [y, x]) => y.atan2(*x),
            (Self::Exp, [x]) => x.exp(),
            (Self::Round, [x]) => x.round(),
            (Self::Max, [a, b]) => a.max(*b),
            (Self::Min, [a, b]) => a.min(*b),
            _ => return None,
        })
    }
}

/// Why an expression has no value: a fault of the example.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormulaError {
    /// The example has no such symbol.
    #[error("there is no symbol \"{0}\"")]
    Unknown(&'static str),
    /// The sizes of parts of an expression do not fit each other.
    #[error("the sizes of the parts of {0} do not fit")]
    Sizes(&'static str),
}

/// Expressions of one value, with "=" between them.
#[derive(Clone, Copy, Debug)]
pub struct Formula {
    /// The expressions, two or more; the first is most often the symbol that is explained.
    pub terms: &'static [Expr],
    /// Whether the last of them is written once more with numbers in place of its symbols.
    pub numbers: bool,
    /// How far the values of the terms may be apart: what is measured on a surface has single precision.
    pub tolerance: f64,
    /// A sentence below it; empty: none.
    pub note: &'static str,
}

impl Formula {
    /// What most formulas have; rows of pages start from it.
    pub const PLAIN: Self = Self { terms: &[], numbers: true, tolerance: 1e-4, note: "" };
}

impl Expr {
    /// Computes the value at a moment.
    ///
    /// # Errors
    /// A symbol is not there, or parts do not fit each other.
    pub fn value(&self, moment: &Moment) -> Result<Value, FormulaError> {
        let numbers = |parts: &[Self], name| {
            let one = |part: &Self| part.value(moment)?.number().ok_or(FormulaError::Sizes(name));
            parts.iter().map(one).collect::<Result<Vec<f64>, _>>()
        };
        let number = |part: &Self, name| part.value(moment)?.number().ok_or(FormulaError::Sizes(name));
        Ok(match self {
            Self::Number(n) => (*n).into(),
            Self::Of(id) => moment.value_of(id).ok_or(FormulaError::Unknown(id))?,
            Self::Sum(parts) => {
                let mut values = parts.iter().map(|part| part.value(moment));
                let first = values.next().unwrap_or(Ok(0.0.into()))?;
                values.try_fold(first, |sum, part| sum.plus(&part?).ok_or(FormulaError::Sizes("a sum")))?
            }
            Self::Minus(part) => part.value(moment)?.scaled(-1.0),
            Self::Group(part) => part.value(moment)?,
            Self::Product(parts) => {
                let mut values = parts.iter().map(|part| part.value(moment));
                let first = values.next().unwrap_or(Ok(1.0.into()))?;
                values.try_fold(first, |product, part| product.times(&part?).ok_or(FormulaError::Sizes("a product")))?
            }
            Self::Over(above, below) => above.value(moment)?.scaled(1.0 / number(below, "a fraction")?),
            Self::Squared(part) => number(part, "a square")?.powi(2).into(),
            Self::Cubed(part) => number(part, "a third power")?.powi(3).into(),
            Self::Root(part) => number(part, "a root")?.max(0.0).sqrt().into(),
            Self::Inverse(part) => part.value(moment)?.inverse().ok_or(FormulaError::Sizes("an inverse"))?,
            Self::Transposed(part) => part.value(moment)?.transposed(),
            Self::InverseTransposed(part) => {
                part.value(moment)?.inverse().ok_or(FormulaError::Sizes("an inverse"))?.transposed()
            }
            Self::Length(part) => part.value(moment)?.length().into(),
            Self::Call(function, parts) => {
                let name = function.name();
                function.of(&numbers(parts, name)?).ok_or(FormulaError::Sizes(name))?.into()
            }
            Self::Measured(measured, given) => measured.value(moment, given),
            Self::Slider(id) => moment.slider_in_radians(id).into(),
            Self::Matrix(rows) => {
                let rows = rows.iter().map(|row| numbers(row, "a matrix")).collect::<Result<Vec<_>, _>>()?;
                Value::of_rows(&rows).ok_or(FormulaError::Sizes("a matrix"))?
            }
        })
    }

    /// Calls `see` with every symbol, in reading order.
    pub fn symbols(&self, see: &mut dyn FnMut(&'static str)) {
        match self {
            Self::Number(_) | Self::Measured(..) | Self::Slider(_) => {}
            Self::Of(id) => see(id),
            Self::Sum(parts) | Self::Product(parts) | Self::Call(_, parts) => parts.iter().for_each(|p| p.symbols(see)),
            Self::Over(above, below) => {
                above.symbols(see);
                below.symbols(see);
            }
            Self::Minus(part)
            | Self::Group(part)
            | Self::Squared(part)
            | Self::Cubed(part)
            | Self::Root(part)
            | Self::Inverse(part)
            | Self::Transposed(part)
            | Self::InverseTransposed(part)
            | Self::Length(part) => part.symbols(see),
            Self::Matrix(rows) => rows.iter().copied().flatten().for_each(|p| p.symbols(see)),
        }
    }
}
