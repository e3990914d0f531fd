//! Printed formulas as LaTeX and MathML, for slides and texts.

use super::{Fence, Ink, Printed};

/// Writes the parts of a formula, with "=" between them, as LaTeX for mathematics mode. It needs the package amsmath.
#[must_use]
pub fn latex(parts: &[Printed]) -> String {
    parts.iter().map(to_latex).collect::<Vec<_>>().join(" = ")
}

/// Writes the parts of a formula, with "=" between them, as a MathML element `math` that is a block of its own.
#[must_use]
pub fn mathml(parts: &[Printed]) -> String {
    let inside = parts.iter().map(to_mathml).collect::<Vec<_>>().join("<mo>=</mo>");
    format!("<math xmlns=\"http://www.w3.org/1998/Math/MathML\" display=\"block\"><mrow>{inside}</mrow></math>")
}

fn to_latex(printed: &Printed) -> String {
    match printed {
        Printed::Text { text, ink, .. } => text_to_latex(text, *ink),
        Printed::Row(parts) => parts.iter().map(to_latex).collect(),
        Printed::Fraction(above, below) => format!("\\frac{{{}}}{{{}}}", to_latex(above), to_latex(below)),
        Printed::Script { base, above, below } => {
            let written = to_latex(base);
            // A letter with a prime has something above it already, and so has an angle.
            let is_taken = matches!(**base, Printed::Text { .. }) && written.contains(['\'', '^']);
            let base = if is_taken { format!("{{{written}}}") } else { written };
            let part = |sign: &str, part: &Option<Box<Printed>>| {
                part.as_ref().map_or_else(String::new, |part| format!("{sign}{{{}}}", to_latex(part)))
            };
            format!("{base}{}{}", part("_", below), part("^", above))
        }
        Printed::Root(inside) => format!("\\sqrt{{{}}}", to_latex(inside)),
        Printed::Fenced(Fence::Round, inside) => format!("\\left({}\\right)", to_latex(inside)),
        Printed::Fenced(Fence::Bars, inside) => format!("\\left|{}\\right|", to_latex(inside)),
        Printed::Matrix(rows) => {
            let row = |cells: &Vec<Printed>| cells.iter().map(to_latex).collect::<Vec<_>>().join(" & ");
            let rows = rows.iter().map(row).collect::<Vec<_>>().join(" \\\\ ");
            format!("\\begin{{bmatrix}} {rows} \\end{{bmatrix}}")
        }
    }
}

/// The functions that LaTeX has a command for.
const LATEX_FUNCTIONS: [&str; 6] = ["cos", "sin", "arccos", "exp", "max", "min"];

fn text_to_latex(text: &str, ink: Ink) -> String {
    match ink {
        Ink::Plain if LATEX_FUNCTIONS.contains(&text) => format!("\\{text}"),
        Ink::Plain
            if text.chars().count() > 1 && text.chars().all(char::is_alphanumeric) && !starts_as_number(text) =>
        {
            format!("\\operatorname{{{}}}", escaped(text))
        }
        Ink::Plain | Ink::Number => escaped(text),
        // Indices that are numbers are not bold, whatever letter they stand at.
        Ink::Bold if starts_as_number(text) => escaped(text),
        Ink::Symbol if text.chars().filter(|c| c.is_alphabetic()).count() > 1 => {
            format!("\\mathit{{{}}}", escaped(text))
        }
        Ink::Symbol => escaped(text),
        Ink::Bold if text.chars().any(|c| GREEK.contains(c)) => format!("\\boldsymbol{{{}}}", escaped(text)),
        Ink::Bold => match text.strip_suffix('′') {
            Some(letter) => format!("\\mathbf{{{}}}'", escaped(letter)),
            None => format!("\\mathbf{{{}}}", escaped(text)),
        },
    }
}

fn starts_as_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// Greek letters, in the order of [`GREEK_NAMES`].
const GREEK: &str = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ";
const GREEK_NAMES: [&str; 33] = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "varepsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "pi",
    "rho",
    "sigma",
    "tau",
    "upsilon",
    "varphi",
    "chi",
    "psi",
    "omega",
    "Gamma",
    "Delta",
    "Theta",
    "Lambda",
    "Xi",
    "Pi",
    "Sigma",
    "Phi",
    "Psi",
    "Omega",
];

/// Writes text letter by letter, so that LaTeX takes none of them for a command.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if let Some(i) = GREEK.chars().position(|greek| greek == c) {
            out += &format!("\\{}{{}}", GREEK_NAMES[i]);
            continue;
        }
        match c {
            '−' => out.push('-'),
            '·' => out += "\\cdot ",
            '\u{2009}' => out += "\\,",
            '′' => out.push('\''),
            '°' => out += "^{\\circ}",
            '½' => out += "\\frac{1}{2}",
            '%' | '#' | '&' | '_' | '{' | '}' | '$' => out.extend(['\\', c]),
            '\\' => out += "\\backslash ",
            '^' => out += "\\hat{}",
            '~' => out += "\\sim ",
            c => out.push(c),
        }
    }
    out
}

fn to_mathml(printed: &Printed) -> String {
    let row = |inside: &Printed| format!("<mrow>{}</mrow>", to_mathml(inside));
    match printed {
        Printed::Text { text, ink, .. } => text_to_mathml(text, *ink),
        Printed::Row(parts) => parts.iter().map(to_mathml).collect(),
        Printed::Fraction(above, below) => format!("<mfrac>{}{}</mfrac>", row(above), row(below)),
        Printed::Script { base, above, below } => match (above, below) {
            (Some(above), Some(below)) => format!("<msubsup>{}{}{}</msubsup>", row(base), row(below), row(above)),
            (Some(above), None) => format!("<msup>{}{}</msup>", row(base), row(above)),
            (None, Some(below)) => format!("<msub>{}{}</msub>", row(base), row(below)),
            (None, None) => to_mathml(base),
        },
        Printed::Root(inside) => format!("<msqrt>{}</msqrt>", to_mathml(inside)),
        Printed::Fenced(Fence::Round, inside) => format!("<mrow><mo>(</mo>{}<mo>)</mo></mrow>", to_mathml(inside)),
        Printed::Fenced(Fence::Bars, inside) => format!("<mrow><mo>|</mo>{}<mo>|</mo></mrow>", to_mathml(inside)),
        Printed::Matrix(rows) => {
            let cell = |cell: &Printed| format!("<mtd>{}</mtd>", to_mathml(cell));
            let row = |cells: &Vec<Printed>| format!("<mtr>{}</mtr>", cells.iter().map(cell).collect::<String>());
            let rows: String = rows.iter().map(row).collect();
            format!("<mrow><mo>[</mo><mtable>{rows}</mtable><mo>]</mo></mrow>")
        }
    }
}

fn text_to_mathml(text: &str, ink: Ink) -> String {
    let trimmed = text.trim_matches(' ');
    let safe = trimmed.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    match ink {
        _ if text == "\u{2009}" => "<mspace width=\"0.17em\"/>".to_owned(),
        Ink::Plain if trimmed.chars().all(char::is_alphabetic) || trimmed == "atan2" => format!("<mi>{safe}</mi>"),
        Ink::Plain if starts_as_number(trimmed) => format!("<mn>{safe}</mn>"),
        Ink::Plain => match trimmed.strip_prefix('−').filter(|rest| !rest.is_empty()) {
            Some(rest) => format!("<mo>−</mo>{}", text_to_mathml(rest, ink)),
            None => format!("<mo>{safe}</mo>"),
        },
        Ink::Number => match safe.strip_prefix('−') {
            Some(positive) => format!("<mrow><mo>−</mo><mn>{positive}</mn></mrow>"),
            None => format!("<mn>{safe}</mn>"),
        },
        Ink::Symbol => format!("<mi>{safe}</mi>"),
        Ink::Bold => format!("<mi mathvariant=\"bold\">{safe}</mi>"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Block, Form, Moment, Settings, example, examples, formula_lines, typeset};

    fn terms(id: &str, formula: usize) -> Vec<Printed> {
        let moment = Moment::new(Settings::of(example(id).unwrap()));
        let formulas = moment.example().page.blocks.iter().filter_map(|block| match block {
            Block::Formula(formula) => Some(formula),
            _ => None,
        });
        let terms = formulas.into_iter().nth(formula).unwrap().terms;
        terms.iter().map(|term| typeset(term, Form::Letters, &moment)).collect()
    }

    #[test]
    fn formulas_are_written_as_one_would_write_them_by_hand() {
        let elbow = terms("elbow", 0);
        assert_eq!(
            latex(&elbow),
            "\\mathbf{B} = \\begin{bmatrix} \\cos\\left(\\theta{}\\right) & -\\sin\\left(\\theta{}\\right) \\\\ \
             \\sin\\left(\\theta{}\\right) & \\cos\\left(\\theta{}\\right) \\end{bmatrix}"
        );
        let stretched = Printed::Fraction(Box::new(Printed::plain("1")), Box::new(Printed::plain("2")));
        assert_eq!(
            latex(&[stretched.clone(), Printed::Root(Box::new(stretched))]),
            "\\frac{1}{2} = \\sqrt{\\frac{1}{2}}"
        );
        let number = |text: &str| Printed::Text { text: text.into(), ink: Ink::Number, symbol: None };
        let times = Printed::row([number("−0.5"), Printed::plain(" · "), number("120.0°")]);
        assert_eq!(latex(std::slice::from_ref(&times)), "-0.5 \\cdot  120.0^{\\circ}");
        let math = mathml(&[times]);
        assert!(math.contains("<mrow><mo>−</mo><mn>0.5</mn></mrow><mo>·</mo><mn>120.0°</mn>"), "{math}");
        // An inverse of a letter with an index above it stands outside of parentheses.
        let inverse = terms("three-bones", 4);
        assert!(
            latex(&inverse).starts_with("\\left(\\mathbf{W}_{2}^{\\mathbf{R}}\\right)^{-1} = "),
            "{}",
            latex(&inverse)
        );
        assert!(mathml(&inverse).contains("<msup><mrow><mrow><mo>(</mo><msubsup>"), "{}", mathml(&inverse));
    }

    /// Every formula of every page: groups and elements are closed in the order in which they were opened, no letter is left that LaTeX
    /// does not know, and no `^` follows another one.
    #[test]
    fn all_formulas_are_well_formed() {
        for example in examples() {
            let moment = Moment::new(Settings::of(example));
            for block in example.page.blocks {
                let Block::Formula(formula) = block else { continue };
                let lines = formula_lines(formula, &moment, 0);
                let tex = latex(&lines);
                assert!(tex.is_ascii(), "{}: {tex}", example.id);
                let mut depth = 0;
                let mut escapes = false;
                for c in tex.chars() {
                    match c {
                        _ if escapes => {}
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        _ => {}
                    }
                    escapes = c == '\\' && !escapes;
                    assert!(depth >= 0, "{}: {tex}", example.id);
                }
                assert_eq!(depth, 0, "{}: {tex}", example.id);
                assert_eq!(tex.matches("\\left").count(), tex.matches("\\right").count());
                let math = mathml(&lines);
                let mut open = Vec::new();
                for tag in math.split('<').skip(1) {
                    let (tag, _) = tag.split_once('>').unwrap();
                    match tag.strip_prefix('/') {
                        Some(name) => assert_eq!(open.pop(), Some(name), "{}: {math}", example.id),
                        None if tag.ends_with('/') => {}
                        None => open.push(tag.split(' ').next().unwrap()),
                    }
                }
                assert!(open.is_empty(), "{}: {math}", example.id);
            }
        }
    }
}
