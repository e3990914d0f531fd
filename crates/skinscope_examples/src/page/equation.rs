//! Reads formulas such as `p' = w_1 (M_1 p) + (1 - w_1) p`: the same expression is printed and computed.

use super::lexer::{Lexer, Token};
use super::{Known, PageError, TextPosition, intern_list, intern_one, unknown};
use crate::formula::{Expr, Function};
use crate::measured::{Argument, Given, MEASURES, Measured};

/// Parentheses within each other go so deep.
const DEEPEST: usize = 40;

/// The functions by the names that a page has for them.
const FUNCTIONS: &[(&str, Function)] = &[
    ("cos", Function::Cos),
    ("sin", Function::Sin),
    ("arccos", Function::Acos),
    ("atan2", Function::Atan2),
    ("exp", Function::Exp),
    ("round", Function::Round),
    ("max", Function::Max),
    ("min", Function::Min),
];

/// The names that no symbol can have.
pub(super) fn is_reserved(name: &str) -> bool {
    name == "sqrt" || FUNCTIONS.iter().any(|(n, _)| *n == name) || MEASURES.iter().any(|m| m.name == name)
}

/// Reads expressions with "=" between them.
pub(super) fn terms(text: &str, position: TextPosition, known: &Known) -> Result<&'static [Expr], PageError> {
    let mut lexer = Lexer::new(text, position)?;
    let mut out = vec![expression(&mut lexer, known)?];
    while lexer.takes("=") {
        out.push(expression(&mut lexer, known)?);
    }
    if *lexer.peek() != Token::End {
        return Err(lexer.instead_of("\"=\", an operator or the end of the formula"));
    }
    Ok(intern_list(out))
}

/// Reads one expression, up to what cannot belong to it.
pub(super) fn expression(lexer: &mut Lexer, known: &Known) -> Result<Expr, PageError> {
    Reader { lexer, known, depth: 0, is_in_bars: false }.sum()
}

struct Reader<'r, 'a> {
    lexer: &'r mut Lexer<'a>,
    known: &'r Known<'r>,
    depth: usize,
    /// A bar ends what is between bars, and begins nothing.
    is_in_bars: bool,
}

impl Reader<'_, '_> {
    fn sum(&mut self) -> Result<Expr, PageError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.lexer.position().error("parentheses are nested too deeply"));
        }
        let is_negative = self.lexer.takes("-");
        let first = self.product()?;
        let mut parts = vec![if is_negative { Expr::Minus(intern_one(first)) } else { first }];
        loop {
            if self.lexer.takes("+") {
                parts.push(self.product()?);
            } else if self.lexer.takes("-") {
                let part = self.product()?;
                parts.push(Expr::Minus(intern_one(part)));
            } else {
                break;
            }
        }
        self.depth -= 1;
        Ok(if parts.len() == 1 { parts[0] } else { Expr::Sum(intern_list(parts)) })
    }

    fn product(&mut self) -> Result<Expr, PageError> {
        let mut parts = vec![self.fraction()?];
        while self.lexer.takes("*") || self.begins_factor() {
            parts.push(self.fraction()?);
        }
        Ok(if parts.len() == 1 { parts[0] } else { Expr::Product(intern_list(parts)) })
    }

    fn begins_factor(&self) -> bool {
        match self.lexer.peek() {
            Token::Word(_) | Token::Number(_) | Token::Sign("(" | "[") => true,
            Token::Sign("|") => !self.is_in_bars,
            _ => false,
        }
    }

    /// A stroke takes one factor on each side. Parentheses around all of a side are not printed, since the stroke is as wide as it.
    fn fraction(&mut self) -> Result<Expr, PageError> {
        let bare = |expr| if let Expr::Group(inner) = expr { *inner } else { expr };
        let mut out = self.power()?;
        while self.lexer.takes("/") {
            let below = self.power()?;
            out = Expr::Over(intern_one(bare(out)), intern_one(bare(below)));
        }
        Ok(out)
    }

    fn power(&mut self) -> Result<Expr, PageError> {
        let mut out = self.atom()?;
        while self.lexer.takes("^") {
            let position = self.lexer.position();
            let is_negative = self.lexer.takes("-");
            let power = match (is_negative, self.lexer.next()) {
                (false, Token::Number(2.0)) => Expr::Squared,
                (false, Token::Number(3.0)) => Expr::Cubed,
                (true, Token::Number(1.0)) => Expr::Inverse,
                (false, Token::Word("T")) => Expr::Transposed,
                (true, Token::Word("T")) => Expr::InverseTransposed,
                _ => return Err(position.error("expected one of the powers ^2, ^3, ^-1, ^T and ^-T")),
            };
            out = power(intern_one(out));
        }
        Ok(out)
    }

    /// Reads what stands before the closing sign.
    fn inside(&mut self, end: &str) -> Result<Expr, PageError> {
        let before = std::mem::replace(&mut self.is_in_bars, end == "|");
        let out = self.sum()?;
        self.is_in_bars = before;
        self.lexer.expect(end)?;
        Ok(out)
    }

    fn atom(&mut self) -> Result<Expr, PageError> {
        match *self.lexer.peek() {
            Token::Number(number) => {
                self.lexer.next();
                Ok(Expr::Number(number))
            }
            Token::Word(word) => self.named(word),
            Token::Sign("(") => {
                self.lexer.next();
                Ok(Expr::Group(intern_one(self.inside(")")?)))
            }
            Token::Sign("|") if !self.is_in_bars => {
                self.lexer.next();
                Ok(Expr::Length(intern_one(self.inside("|")?)))
            }
            Token::Sign("[") => {
                self.lexer.next();
                self.matrix()
            }
            _ => Err(self.lexer.instead_of("a number, a symbol or a parenthesis")),
        }
    }

    /// A symbol, or a function of what stands between parentheses.
    fn named(&mut self, word: &str) -> Result<Expr, PageError> {
        let position = self.lexer.position();
        self.lexer.next();
        let known = self.known;
        if let Some(id) = known.symbols.iter().map(|s| s.id).find(|id| *id == word) {
            return Ok(Expr::Of(id));
        }
        if !is_reserved(word) {
            let functions = FUNCTIONS.iter().map(|(name, _)| *name).chain(MEASURES.iter().map(|m| m.name));
            let symbols = known.symbols.iter().map(|s| s.id);
            return Err(match self.lexer.peek() {
                Token::Sign("(") => {
                    unknown(position, "symbol or function", word, symbols.chain(functions).chain(["sqrt"]))
                }
                _ => unknown(position, "symbol", word, symbols),
            });
        }
        self.lexer.expect("(")?;
        if let Some(measure) = MEASURES.iter().find(|m| m.name == word) {
            return self.measure(measure, position);
        }
        let before = std::mem::take(&mut self.is_in_bars);
        let mut arguments = vec![self.sum()?];
        while self.lexer.takes(",") {
            arguments.push(self.sum()?);
        }
        self.is_in_bars = before;
        self.lexer.expect(")")?;
        let Some((_, function)) = FUNCTIONS.iter().find(|(name, _)| *name == word) else {
            return match arguments[..] {
                [one] => Ok(Expr::Root(intern_one(one))),
                _ => Err(position.error("sqrt takes one argument")),
            };
        };
        let takes = 1 + usize::from(matches!(function, Function::Atan2 | Function::Max | Function::Min));
        if arguments.len() != takes {
            return Err(position.error(format!("{word} takes {takes} arguments, found {}", arguments.len())));
        }
        Ok(Expr::Call(*function, intern_list(arguments)))
    }

    fn measure(&mut self, measure: &'static Measured, position: TextPosition) -> Result<Expr, PageError> {
        let Some(model) = self.known.model else {
            return Err(position.error(format!("{} can be used where a page defines a symbol", measure.name)));
        };
        let mut given = Vec::new();
        for (i, argument) in measure.takes.iter().enumerate() {
            if i > 0 {
                self.lexer.expect(",")?;
            }
            let position = self.lexer.position();
            given.push(match argument {
                Argument::Node => {
                    let name = self.lexer.text("the name of a joint between double quotes")?;
                    Given::Name(super::node(model, &name, position)?)
                }
                Argument::Method => {
                    let id = self.lexer.text("a method between double quotes")?;
                    Given::Name(super::method(&id, position)?)
                }
                Argument::Vertex => {
                    let vertex = self.lexer.count()?;
                    let count = crate::measured::vertices(model);
                    if vertex >= count {
                        return Err(position.error(format!("there is no vertex {vertex}; the mesh has {count}")));
                    }
                    Given::Vertex(vertex)
                }
            });
        }
        self.lexer.expect(")")?;
        Ok(Expr::Measured(measure, intern_list(given)))
    }

    fn matrix(&mut self) -> Result<Expr, PageError> {
        let position = self.lexer.position();
        let before = std::mem::take(&mut self.is_in_bars);
        let mut rows: Vec<Vec<Expr>> = vec![vec![self.sum()?]];
        loop {
            let is_new_row = self.lexer.takes(";");
            if !is_new_row && !self.lexer.takes(",") {
                break;
            }
            let cell = self.sum()?;
            match rows.last_mut().filter(|_| !is_new_row) {
                Some(row) => row.push(cell),
                None => rows.push(vec![cell]),
            }
        }
        self.is_in_bars = before;
        self.lexer.expect("]")?;
        if rows.iter().any(|row| row.len() != rows[0].len()) {
            return Err(position.error("the rows of this matrix differ in length"));
        }
        Ok(Expr::Matrix(intern_list(rows.into_iter().map(intern_list).collect())))
    }
}
