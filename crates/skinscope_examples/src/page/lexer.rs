//! The words, numbers, texts and signs of a line of a page, each with its place.

use super::{PageError, TextPosition};

/// A part of a line.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// A name.
    Word(&'a str),
    /// A number without sign.
    Number(f64),
    /// What stands between double quotes.
    Text(String),
    /// A sign of one character, or `..`.
    Sign(&'a str),
    /// A character that no page uses.
    Other(char),
    /// There is nothing more.
    End,
}

impl Token<'_> {
    /// How an error calls it.
    fn name(&self) -> String {
        match self {
            Self::Word(word) => format!("\"{word}\""),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => format!("the text \"{text}\""),
            Self::Sign(sign) => format!("\"{sign}\""),
            Self::Other(c) => format!("\"{c}\""),
            Self::End => "the end".into(),
        }
    }
}

/// Reads tokens one after the other.
pub(super) struct Lexer<'a> {
    tokens: Vec<(Token<'a>, TextPosition)>,
    at: usize,
}

impl<'a> Lexer<'a> {
    /// Takes a text of one or more lines apart, the first character of which stands at `position`.
    pub(super) fn new(text: &'a str, position: TextPosition) -> Result<Self, PageError> {
        let mut tokens = Vec::new();
        let (mut rest, mut position) = (text, position);
        while let Some(c) = rest.chars().next() {
            let length = if c.is_whitespace() {
                c.len_utf8()
            } else {
                let (token, length) = token(rest, c).map_err(|what| position.error(what))?;
                tokens.push((token, position));
                length
            };
            let (taken, left) = rest.split_at(length);
            (rest, position) = (left, position.after(taken));
        }
        tokens.push((Token::End, position));
        Ok(Self { tokens, at: 0 })
    }

    pub(super) fn peek(&self) -> &Token<'a> {
        &self.tokens[self.at].0
    }

    pub(super) fn position(&self) -> TextPosition {
        self.tokens[self.at].1
    }

    pub(super) fn next(&mut self) -> Token<'a> {
        let token = self.tokens[self.at].0.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Takes this sign if it stands next.
    pub(super) fn takes(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.peek(), Token::Sign(next) if *next == sign);
        if is_next {
            self.next();
        }
        is_next
    }

    /// Takes this word if it stands next.
    pub(super) fn takes_word(&mut self, word: &str) -> bool {
        let is_next = matches!(self.peek(), Token::Word(next) if *next == word);
        if is_next {
            self.next();
        }
        is_next
    }

    pub(super) fn expect(&mut self, sign: &str) -> Result<(), PageError> {
        if self.takes(sign) { Ok(()) } else { Err(self.instead_of(&format!("\"{sign}\""))) }
    }

    pub(super) fn word(&mut self, what: &str) -> Result<&'a str, PageError> {
        if let Token::Word(word) = *self.peek() {
            self.next();
            return Ok(word);
        }
        Err(self.instead_of(what))
    }

    pub(super) fn text(&mut self, what: &str) -> Result<String, PageError> {
        if !matches!(self.peek(), Token::Text(_)) {
            return Err(self.instead_of(what));
        }
        match self.next() {
            Token::Text(text) => Ok(text),
            _ => Ok(String::new()),
        }
    }

    /// Takes a number with its sign.
    pub(super) fn number(&mut self) -> Result<f64, PageError> {
        let sign = if self.takes("-") { -1.0 } else { 1.0 };
        if let Token::Number(number) = *self.peek() {
            self.next();
            return Ok(sign * number);
        }
        Err(self.instead_of("a number"))
    }

    /// Takes a whole number.
    pub(super) fn count(&mut self) -> Result<usize, PageError> {
        match *self.peek() {
            Token::Number(number) if number.fract() == 0.0 && number < 4e9 => {
                self.next();
                Ok(number as usize)
            }
            _ => Err(self.instead_of("a whole number")),
        }
    }

    pub(super) fn end(&self) -> Result<(), PageError> {
        if *self.peek() == Token::End { Ok(()) } else { Err(self.instead_of("the end of the line")) }
    }

    /// Says that something else stands next than was expected.
    pub(super) fn instead_of(&self, expected: &str) -> PageError {
        self.position().error(format!("expected {expected}, found {}", self.peek().name()))
    }
}

/// Takes the first token of a text that begins with `first`; returns it with its length in bytes.
fn token(text: &str, first: char) -> Result<(Token<'_>, usize), String> {
    let while_is = |is: &dyn Fn(char) -> bool| text.find(|c| !is(c)).unwrap_or(text.len());
    if first.is_alphabetic() {
        let length = while_is(&|c| c.is_alphanumeric() || matches!(c, '_' | '\''));
        return Ok((Token::Word(&text[..length]), length));
    }
    if first.is_ascii_digit() {
        let mut length = while_is(&|c| c.is_ascii_digit());
        // Two dots stand between the ends of a range.
        if text[length..].starts_with('.') && text[length + 1..].starts_with(|c: char| c.is_ascii_digit()) {
            let decimals = &text[length + 1..];
            length += 1 + decimals.find(|c: char| !c.is_ascii_digit()).unwrap_or(decimals.len());
        }
        let number = text[..length].parse::<f64>().ok().filter(|number| number.is_finite());
        return Ok((Token::Number(number.ok_or("this number is too large")?), length));
    }
    if first == '"' {
        let end = text[1..].find(['"', '\n']).filter(|end| text[1 + end..].starts_with('"'));
        let end = end.ok_or("this text has no second \" on its line")?;
        return Ok((Token::Text(text[1..=end].to_owned()), end + 2));
    }
    let length = first.len_utf8();
    Ok((
        match first {
            '.' if text.starts_with("..") => return Ok((Token::Sign(".."), 2)),
            '−' => Token::Sign("-"),
            '·' => Token::Sign("*"),
            '=' | '+' | '-' | '*' | '/' | '^' | '|' | '(' | ')' | '[' | ']' | ',' | ';' | ':' => {
                Token::Sign(&text[..length])
            }
            other => Token::Other(other),
        },
        length,
    ))
}
