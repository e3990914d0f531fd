//! Formulas for slides and texts: as LaTeX and MathML, and as a drawing (SVG) whose letters are outlines, so that it needs no font.

use std::fmt::Write;

use egui::{Color32, Pos2, Response, Theme, Ui};
use skinscope_examples::{Printed, latex, mathml};
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, MetadataProvider as _};

use super::equation;
use super::math_box::MathBox;
use crate::copied::copy;
use crate::theme;

/// The size of the letters of a drawing, points.
const SIZE: f32 = 24.0;
/// The width from which a drawing is broken into lines, points.
const WIDTH: f32 = 760.0;
/// The margin around a drawing, points.
const MARGIN: f32 = 8.0;

/// A form in which a formula is copied: its name, and what writes the parts of a formula in it.
type Form = (&'static str, fn(&mut Ui, &[Printed]) -> String);

/// Shows a menu at a formula that copies it, once it is clicked with the second button. `letters`: its terms without numbers; `all`:
/// with them.
pub(super) fn menu(ui: &Ui, response: &Response, letters: &[Printed], all: &[Printed]) {
    response.context_menu(|menu| {
        menu.set_min_width(190.0);
        let kinds: [Form; 3] = [("LaTeX", |_, parts| latex(parts)), ("MathML", |_, parts| mathml(parts)), ("SVG", svg)];
        for (parts, with) in [(letters, ""), (all, " with numbers")] {
            for (kind, write) in kinds {
                if menu.button(format!("Copy as {kind}{with}")).clicked() {
                    copy(ui, write(menu, parts), &format!("the formula as {kind}"));
                    menu.close();
                }
            }
            if parts.len() == all.len() {
                break;
            }
        }
    });
}

/// Draws the parts of a formula, with "=" between them, as SVG: in the colours of the light theme, on a transparent ground.
#[must_use]
pub fn formula_svg(parts: &[Printed]) -> String {
    let ctx = egui::Context::default();
    crate::install(&ctx);
    ctx.set_theme(Theme::Light);
    let mut out = String::new();
    // The fonts are there after the first pass.
    for _ in 0..2 {
        let mut output = ctx.run_ui(egui::RawInput::default(), |ui| out = svg(ui, parts));
        output.textures_delta.clear();
    }
    out
}

fn svg(ui: &mut Ui, parts: &[Printed]) -> String {
    let mut ui = ui.new_child(egui::UiBuilder::new().invisible());
    ui.set_style(ui.ctx().style_of(Theme::Light));
    let lines = equation::broken(&ui, parts, SIZE, WIDTH);
    let leading = equation::LEADING * SIZE;
    let width = lines.iter().map(|line| line.width).fold(0.0, f32::max) + 2.0 * MARGIN;
    let height: f32 = lines.iter().map(|line| line.ascent + line.descent + leading).sum::<f32>() - leading;
    let height = height + 2.0 * MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.2}\" height=\"{height:.2}\" viewBox=\"0 0 {width:.2} {height:.2}\">\n"
    );
    let title = parts.iter().map(Printed::line).collect::<Vec<_>>().join(" = ");
    // Writing to text cannot fail.
    _ = writeln!(out, "<title>{}</title>", title.replace('&', "&amp;").replace('<', "&lt;"));
    let mut y = MARGIN;
    for line in &lines {
        add_line(&mut out, line, Pos2::new(MARGIN, y + line.ascent));
        y += line.ascent + line.descent + leading;
    }
    out + "</svg>\n"
}

/// Adds the letters and strokes of a line whose baseline begins at `origin`.
fn add_line(out: &mut String, line: &MathBox, origin: Pos2) {
    for (at, galley) in &line.letters {
        let Some(format) = galley.job.sections.first().map(|section| &section.format) else { continue };
        for row in &galley.rows {
            let mut path = PathPen::default();
            for glyph in &row.glyphs {
                path.origin = origin + at.to_vec2() + row.pos.to_vec2() + glyph.pos.to_vec2();
                outline(glyph.chr, format.font_id.family == theme::strong(1.0).family, format.font_id.size, &mut path);
            }
            if !path.data.is_empty() {
                _ = writeln!(out, "<path fill=\"{}\" d=\"{}\"/>", hex(format.color), path.data.trim_end());
            }
        }
    }
    for (points, color) in &line.lines {
        let points: Vec<String> =
            points.iter().map(|p| format!("{:.2},{:.2}", origin.x + p.x, origin.y + p.y)).collect();
        let width = equation::STROKE * SIZE;
        _ = writeln!(
            out,
            "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{width:.2}\" points=\"{}\"/>",
            hex(*color),
            points.join(" ")
        );
    }
}

fn hex(color: Color32) -> String {
    let [r, g, b, _] = color.to_srgba_unmultiplied();
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Adds the outline of a letter; nothing for one that the font of formulas lacks.
fn outline(letter: char, is_strong: bool, size: f32, path: &mut PathPen) {
    let bytes = if is_strong { theme::INTER_STRONG } else { theme::INTER };
    let Ok(font) = FontRef::new(bytes) else { return };
    let Some(glyph) = font.charmap().map(letter).and_then(|id| font.outline_glyphs().get(id)) else { return };
    let settings = DrawSettings::unhinted(Size::new(size), LocationRef::default());
    // A glyph without an outline leaves the path as it is.
    _ = glyph.draw(settings, path);
}

/// Collects outlines as the data of a path of SVG, whose y axis points down.
#[derive(Default)]
struct PathPen {
    origin: Pos2,
    data: String,
}

impl PathPen {
    fn add(&mut self, command: char, points: &[[f32; 2]]) {
        self.data.push(command);
        for [x, y] in points {
            _ = write!(self.data, "{:.2} {:.2} ", self.origin.x + x, self.origin.y - y);
        }
    }
}

impl OutlinePen for PathPen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.add('M', &[[x, y]]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.add('L', &[[x, y]]);
    }

    fn quad_to(&mut self, cx0: f32, cy0: f32, x: f32, y: f32) {
        self.add('Q', &[[cx0, cy0], [x, y]]);
    }

    fn curve_to(&mut self, cx0: f32, cy0: f32, cx1: f32, cy1: f32, x: f32, y: f32) {
        self.add('C', &[[cx0, cy0], [cx1, cy1], [x, y]]);
    }

    fn close(&mut self) {
        self.data.push('Z');
    }
}

#[cfg(test)]
mod tests {
    use skinscope_examples::Ink;

    use super::*;

    #[test]
    fn a_drawing_has_an_outline_for_each_letter_within_its_box() {
        let text = |text: &str, ink| Printed::Text { text: text.into(), ink, symbol: None };
        let half = Printed::Fraction(Box::new(text("θ", Ink::Symbol)), Box::new(text("2", Ink::Plain)));
        let drawing = formula_svg(&[text("W", Ink::Bold), half]);
        assert_eq!(drawing.matches("<path").count(), 4, "W, =, θ and 2: {drawing}");
        assert_eq!(drawing.matches("<polyline").count(), 1, "the stroke of the fraction");
        assert!(drawing.contains("<title>W = θ/2</title>"));
        let number = |name: &str| -> f32 {
            let (_, rest) = drawing.split_once(&format!(" {name}=\"")).unwrap();
            rest.split('"').next().unwrap().parse().unwrap()
        };
        let (width, height) = (number("width"), number("height"));
        for data in drawing.split(" d=\"").skip(1) {
            let data = data.split('"').next().unwrap();
            let numbers: Vec<f32> =
                data.split(|c: char| c.is_ascii_alphabetic() || c == ' ').filter_map(|n| n.parse().ok()).collect();
            assert!(numbers.len() > 8 && numbers.len().is_multiple_of(2));
            for p in numbers.as_chunks::<2>().0 {
                assert!((0.0..=width).contains(&p[0]) && (0.0..=height).contains(&p[1]), "{p:?} in {width} {height}");
            }
        }
        // The numerator is above the stroke, and the denominator below it.
        let top = |path: usize| -> f32 {
            let data = drawing.split(" d=\"").nth(path + 1).unwrap().split('"').next().unwrap();
            let first = data.trim_start_matches('M').split(' ').nth(1).unwrap();
            first.parse().unwrap()
        };
        let stroke: f32 = drawing.split("points=\"").nth(1).unwrap().split([',', ' ']).nth(1).unwrap().parse().unwrap();
        assert!(top(2) < stroke && top(3) > stroke, "{drawing}");
    }
}
