//! A formula as it is printed: boxes beside, above and within each other, without sizes. Windows lay it out, command lines write it
//! as one line.

/// A part of a printed formula.
#[derive(Clone, Debug, PartialEq)]
pub enum Printed {
    /// Letters or digits. Those of a symbol can be clicked, and have its id.
    Text {
        /// What is written.
        text: String,
        /// How it is written.
        ink: Ink,
        /// The symbol that it stands for.
        symbol: Option<&'static str>,
    },
    /// Parts from left to right.
    Row(Vec<Printed>),
    /// One over the other, with a line between.
    Fraction(Box<Printed>, Box<Printed>),
    /// A base with what stands above and below it at its right.
    Script {
        /// The base.
        base: Box<Printed>,
        /// What stands above.
        above: Option<Box<Printed>>,
        /// What stands below.
        below: Option<Box<Printed>>,
    },
    /// Under the sign of a root.
    Root(Box<Printed>),
    /// Between a pair of signs that is as high as what is in it.
    Fenced(Fence, Box<Printed>),
    /// Rows of cells between square brackets.
    Matrix(Vec<Vec<Printed>>),
}

/// How letters are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Names of functions and operators.
    Plain,
    /// A symbol that is a number.
    Symbol,
    /// A symbol that is a vector or a matrix.
    Bold,
    /// A number that follows the sliders.
    Number,
}

/// A pair of signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fence {
    /// ( and ).
    Round,
    /// | and |.
    Bars,
}

impl Printed {
    /// Makes letters that are no symbol.
    #[must_use]
    pub fn plain(text: &str) -> Self {
        Self::Text { text: text.to_owned(), ink: Ink::Plain, symbol: None }
    }

    /// Makes a row.
    #[must_use]
    pub fn row(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::Row(parts.into_iter().collect())
    }

    /// Writes it as one line of text, such as `cos(θ/2)` or `[1, 0; 0, 1]`.
    #[must_use]
    pub fn line(&self) -> String {
        match self {
            Self::Text { text, .. } => text.clone(),
            Self::Row(parts) => parts.iter().map(Self::line).collect(),
            Self::Fraction(above, below) => format!("{}/{}", above.tight(), below.tight()),
            Self::Script { base, above, below } => {
                let index = below.as_ref().map_or_else(String::new, |part| {
                    let text = part.line();
                    text.chars()
                        .map(lowered)
                        .collect::<Option<String>>()
                        .unwrap_or_else(|| format!("_{}", part.tight()))
                });
                let power = above.as_ref().map_or_else(String::new, |part| match &*part.line() {
                    // A prime belongs to its letter.
                    prime if prime.chars().all(|c| matches!(c, '′' | '″')) => prime.to_owned(),
                    "2" => "²".to_owned(),
                    "3" => "³".to_owned(),
                    "−1" => "⁻¹".to_owned(),
                    _ => format!("^{}", part.tight()),
                });
                format!("{}{index}{power}", base.line())
            }
            Self::Root(part) => format!("√({})", part.line()),
            Self::Fenced(Fence::Round, part) => format!("({})", part.line()),
            Self::Fenced(Fence::Bars, part) => format!("|{}|", part.line()),
            Self::Matrix(rows) => {
                let row = |cells: &Vec<Self>| cells.iter().map(Self::line).collect::<Vec<_>>().join(", ");
                format!("[{}]", rows.iter().map(row).collect::<Vec<_>>().join("; "))
            }
        }
    }

    /// Writes it so that a stroke or a sign beside it takes all of it.
    fn tight(&self) -> String {
        let line = self.line();
        let parts = if let Self::Row(parts) = self { parts.len() } else { 1 };
        let is_one = parts == 1 && !matches!(self, Self::Fraction(..));
        if is_one { line } else { format!("({line})") }
    }
}

/// Returns a digit or letter as it stands below the line, where there is such a character.
fn lowered(letter: char) -> Option<char> {
    const PLAIN: &str = "0123456789aehijklmnoprstuvx";
    const LOWERED: &str = "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ";
    PLAIN.chars().zip(LOWERED.chars()).find(|(plain, _)| *plain == letter).map(|(_, lowered)| lowered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_belongs_together() {
        let text = |t: &str| Printed::plain(t);
        let sum = Printed::row([text("a"), text(" + "), text("b")]);
        let fraction = Printed::Fraction(Box::new(sum.clone()), Box::new(text("2")));
        assert_eq!(fraction.line(), "(a + b)/2");
        let twice = Printed::Fraction(Box::new(text("1")), Box::new(fraction));
        assert_eq!(twice.line(), "1/((a + b)/2)");
        let script = |above: &str, below: &str| Printed::Script {
            base: Box::new(text("W")),
            above: Some(Box::new(text(above))),
            below: Some(Box::new(text(below))),
        };
        assert_eq!(script("R", "2").line(), "W₂^R");
        assert_eq!(script("′", "i").line(), "Wᵢ′");
        assert_eq!(script("−1", "dq").line(), "W_dq⁻¹", "no character stands for a d below the line");
        assert_eq!(Printed::Root(Box::new(sum.clone())).line(), "√(a + b)");
        assert_eq!(Printed::Fenced(Fence::Bars, Box::new(sum)).line(), "|a + b|");
        assert_eq!(
            Printed::Matrix(vec![vec![text("1"), text("0")], vec![text("0"), text("1")]]).line(),
            "[1, 0; 0, 1]"
        );
    }
}
