//! The lines of a head that describe a slider or a symbol.

use glam::Vec3;
use skinscope_model::Model;

use crate::control::Control;
use crate::page::lexer::{Lexer, Token};
use crate::page::{Known, PageError, equation, intern, intern_list, node, unknown};
use crate::{Slider, Symbol, Unit};

/// Reads what a slider does with a model; returns it with the usual unit and range of that.
pub(super) fn control(lexer: &mut Lexer, model: &Model) -> Result<(Control, Slider), PageError> {
    if lexer.takes_word("clip") {
        let position = lexer.position();
        let name = lexer.text("the name of a clip between double quotes")?;
        let names = model.clips.iter().map(|clip| clip.name.as_str());
        let at = model.clips.iter().position(|clip| clip.name == name);
        let at = at.ok_or_else(|| unknown(position, "clip", &name, names))?;
        let range = [model.clips[at].start_secs, model.clips[at].end_secs];
        return Ok((Control::Time(at), Slider { unit: Unit::Seconds, range, default: range[0], ..Slider::PLAIN }));
    }
    if !lexer.takes_word("joint") {
        return Err(lexer.instead_of("joint \"NAME\" or clip \"NAME\""));
    }
    let position = lexer.position();
    let name = node(model, &lexer.text("the name of a joint between double quotes")?, position)?;
    let position = lexer.position();
    let what = lexer.word("turn, move or scale")?;
    let axes_at = lexer.position();
    let axes = lexer.word("an axis: x, y or z")?;
    let one = match axes {
        "x" => Vec3::X,
        "y" => Vec3::Y,
        "z" => Vec3::Z,
        "xyz" if what == "scale" => Vec3::ONE,
        _ => return Err(unknown(axes_at, "axis", axes, ["x", "y", "z"].into_iter())),
    };
    let plain = |unit, range, default| Slider { unit, range, default, ..Slider::PLAIN };
    Ok(match what {
        "turn" => (Control::Turn(name, one), plain(Unit::Degrees, [-180.0, 180.0], 0.0)),
        "move" => (Control::Move(name, one), plain(Unit::Metres, [-1.0, 1.0], 0.0)),
        "scale" => (Control::Scale(name, one), plain(Unit::Number, [0.0, 2.0], 1.0)),
        _ => return Err(unknown(position, "change of a joint", what, ["turn", "move", "scale"].into_iter())),
    })
}

/// Reads the rest of a slider's line: range, unit, step, first value and words. What is not said stays as in `slider`; `within` is the
/// range that it cannot leave.
pub(super) fn slider(lexer: &mut Lexer, mut slider: Slider, within: Option<[f32; 2]>) -> Result<Slider, PageError> {
    let at = lexer.position();
    if matches!(lexer.peek(), Token::Number(_) | Token::Sign("-")) {
        let least = lexer.number()? as f32;
        lexer.expect("..")?;
        slider.range = [least, lexer.number()? as f32];
        if let Some([least, most]) = within
            && (slider.range[0] < least || slider.range[1] > most)
        {
            return Err(at.error(format!("expected a range within {least}..{most}, which the rig has")));
        }
    }
    if slider.range[0] >= slider.range[1] {
        return Err(at.error("expected a range from the least to the greatest value, such as 0..90"));
    }
    slider.default = slider.default.clamp(slider.range[0], slider.range[1]);
    let unit_at = lexer.position();
    if let Some(unit) = unit(lexer)? {
        if within.is_some() && unit != slider.unit {
            return Err(unit_at.error("a slider of a rig has the unit that the rig gives it"));
        }
        slider.unit = unit;
    }
    if lexer.takes_word("step") {
        let position = lexer.position();
        slider.step = lexer.number()? as f32;
        if !(slider.step > 0.0 && slider.step <= slider.range[1] - slider.range[0]) {
            return Err(position.error("expected a step that is above 0 and no wider than the range"));
        }
    }
    slider.is_share |= lexer.takes_word("share");
    if lexer.takes_word("names") {
        let mut names = Vec::new();
        while matches!(lexer.peek(), Token::Text(_)) {
            names.push(intern(&lexer.text("a name")?));
        }
        if slider.count() != Some(names.len()) {
            return Err(lexer.position().error("expected a name for each value of the slider, which needs a step"));
        }
        slider.choices = intern_list(names);
    }
    if lexer.takes("=") {
        let position = lexer.position();
        slider.default = lexer.number()? as f32;
        if slider.fitted(slider.default) != Some(slider.default) {
            let [least, most] = slider.range;
            return Err(position.error(format!("expected a value that the slider can have, from {least} to {most}")));
        }
    }
    if matches!(lexer.peek(), Token::Text(_)) || slider.label.is_empty() {
        slider.label = intern(&lexer.text("the slider's name between double quotes")?);
        slider.help = slider.label;
    }
    if matches!(lexer.peek(), Token::Text(_)) {
        slider.help = intern(&lexer.text("what the slider changes")?);
    }
    lexer.end()?;
    Ok(slider)
}

/// Reads a unit, if one stands next.
fn unit(lexer: &mut Lexer) -> Result<Option<Unit>, PageError> {
    for (word, unit) in [
        ("degrees", Unit::Degrees),
        ("metres", Unit::Metres),
        ("velocity", Unit::MetresPerSecond),
        ("seconds", Unit::Seconds),
        ("percent", Unit::Percent),
        ("number", Unit::Number),
    ] {
        if lexer.takes_word(word) {
            return Ok(Some(unit));
        }
    }
    if !lexer.takes_word("decimals") {
        return Ok(None);
    }
    let position = lexer.position();
    match u8::try_from(lexer.count()?) {
        Ok(count) if count < 10 => Ok(Some(Unit::Decimals(count))),
        _ => Err(position.error("expected fewer than ten decimals")),
    }
}

/// Reads a unit, or the usual one where a chart says none.
pub(in crate::page) fn unit_of(text: &str, position: crate::page::TextPosition) -> Result<Unit, PageError> {
    let mut lexer = Lexer::new(text, position)?;
    let found = unit(&mut lexer)?.ok_or_else(|| lexer.instead_of("degrees, metres, seconds, percent or decimals N"))?;
    lexer.end()?;
    Ok(found)
}

/// Reads a symbol's line: its letter, its unit, "=" and what it is worth, and its words.
pub(super) fn symbol(lexer: &mut Lexer, id: &'static str, known: &Known) -> Result<Symbol, PageError> {
    let mut out = Symbol { id, ..lettered(id) };
    if matches!(lexer.peek(), Token::Text(_)) {
        let text = lexer.text("a letter")?;
        let (letter, below) = text.split_once('_').unwrap_or((&text, ""));
        (out.letter, out.below) = (intern(letter), intern(below));
    }
    out.bold = lexer.takes_word("bold");
    out.unit = unit(lexer)?.unwrap_or(Unit::Number);
    lexer.expect("=")?;
    out.expr = Some(equation::expression(lexer, known)?);
    out.words = intern(&lexer.text("what the symbol is, between double quotes")?);
    lexer.end()?;
    Ok(out)
}

/// The symbol of a slider, by which formulas call it.
pub(super) fn symbol_of_slider(slider: &Slider) -> Symbol {
    let expr = Some(crate::Expr::Slider(slider.id));
    Symbol { id: slider.id, unit: slider.unit, words: slider.help, expr, ..lettered(slider.id) }
}

/// A symbol with the letter that its name says: `theta_1` and `theta1` are θ₁.
fn lettered(id: &'static str) -> Symbol {
    const GREEK: &[(&str, &str)] = &[
        ("alpha", "α"),
        ("beta", "β"),
        ("gamma", "γ"),
        ("delta", "δ"),
        ("epsilon", "ε"),
        ("theta", "θ"),
        ("kappa", "κ"),
        ("lambda", "λ"),
        ("mu", "μ"),
        ("rho", "ρ"),
        ("sigma", "σ"),
        ("tau", "τ"),
        ("phi", "φ"),
        ("psi", "ψ"),
        ("omega", "ω"),
    ];
    let stem = id.trim_end_matches(|c: char| c.is_ascii_digit());
    let below = &id[stem.len()..];
    let (stem, below) = match stem.split_once('_') {
        Some((stem, _)) => (stem, &id[stem.len() + 1..]),
        None => (stem, below),
    };
    let letter = GREEK.iter().find(|(name, _)| *name == stem).map_or(stem, |(_, letter)| letter);
    Symbol { id, letter, below, ..Symbol::PLAIN }
}
