//! Lays out printed formulas: boxes beside, above and within each other, each with a baseline. Symbols can be pressed.

use egui::accesskit::Role;
use egui::{Color32, CornerRadius, CursorIcon, Pos2, Rect, Response, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};
use skinscope_examples::{Fence, Ink, Printed};

use super::math_box::MathBox;
use crate::focus;
use crate::theme::{self, colors};
use crate::widgets::{describe, focus_ring};

/// Indices, and fractions within fractions, are not written smaller than this, as a part of the size of the formula.
const LEAST: f32 = 0.62;
/// The height of the middle of signs over the baseline, in sizes of the letters.
const AXIS: f32 = 0.29;
/// What fits on one line where it is smaller by no more than this is not broken.
const LITTLE: f32 = 0.85;
/// How much room an "=" has at each side, in sizes of the letters.
const GAP: f32 = 0.42;
/// The distance between two lines of a formula, in sizes of the letters.
pub(super) const LEADING: f32 = 0.45;
/// The width of drawn strokes, in sizes of the letters.
pub(super) const STROKE: f32 = 0.075;
/// What every letter that can be pressed says of itself.
pub(crate) const ABOUT_LETTER: &str = "A letter of the formula; a click marks what it stands for in the picture";

/// The sizes with which a formula is laid out.
#[derive(Clone, Copy)]
struct Sizes {
    /// The size of the letters in this part, points.
    now: f32,
    /// The least size of letters, points.
    least: f32,
}

impl Sizes {
    fn smaller(self, by: f32) -> Self {
        Self { now: (self.now * by).max(self.least), ..self }
    }
}

fn letters(ui: &Ui, text: &str, ink: Ink, symbol: Option<&'static str>, size: f32) -> MathBox {
    let c = colors(ui);
    let color = match ink {
        _ if symbol.is_some() && ink != Ink::Number => c.accent,
        Ink::Plain => c.dim,
        Ink::Symbol | Ink::Bold | Ink::Number => c.text,
    };
    let font = if ink == Ink::Bold { theme::strong(size) } else { theme::regular(size) };
    let galley = ui.painter().layout_no_wrap(text.to_owned(), font, color);
    let row = galley.rows.first();
    let baseline = row.and_then(|row| Some(row.pos.y + row.glyphs.first()?.pos.y)).unwrap_or(galley.size().y * 0.8);
    let (width, height) = (galley.size().x, galley.size().y);
    // Rows of text have air over their letters, which would push parts of formulas apart.
    let (ascent, descent) = ((0.78 * size).min(baseline), (0.22 * size).min(height - baseline));
    let symbol_rect = Rect::from_min_max(pos2(0.0, -ascent), pos2(width, descent));
    MathBox {
        width,
        ascent,
        descent,
        letters: vec![(pos2(0.0, -baseline), galley)],
        lines: Vec::new(),
        symbols: symbol.map(|id| (symbol_rect, id)).into_iter().collect(),
    }
}

fn layout(ui: &Ui, printed: &Printed, sizes: Sizes) -> MathBox {
    let size = sizes.now;
    match printed {
        Printed::Text { text, ink, symbol } => letters(ui, text, *ink, *symbol, size),
        Printed::Row(parts) => {
            let mut out = MathBox::default();
            parts.iter().for_each(|part| out.append(layout(ui, part, sizes)));
            out
        }
        Printed::Fraction(above, below) => fraction(ui, above, below, sizes),
        Printed::Script { base, above, below } => {
            let mut out = layout(ui, base, sizes);
            let (top, bottom, x) = (out.ascent, out.descent, out.width + 0.04 * size);
            let small = sizes.smaller(0.68);
            if let Some(part) = below {
                let part = layout(ui, part, small);
                out.put(part, vec2(x, (0.2 * size).max(bottom - 0.1 * size)));
            }
            if let Some(part) = above {
                let part = layout(ui, part, small);
                out.put(part, vec2(x, -(0.36 * size).max(top - 0.42 * size)));
            }
            if matches!(**base, Printed::Text { .. }) {
                out.unite_symbols();
            }
            out
        }
        Printed::Root(inside) => root(ui, inside, sizes),
        Printed::Fenced(fence, inside) => fenced(ui, *fence, layout(ui, inside, sizes), [true; 2], size),
        Printed::Matrix(rows) => matrix(ui, rows, sizes),
    }
}

fn fraction(ui: &Ui, above: &Printed, below: &Printed, sizes: Sizes) -> MathBox {
    let (size, part) = (sizes.now, sizes.smaller(0.9));
    let (above, below) = (layout(ui, above, part), layout(ui, below, part));
    let (pad, gap) = (0.14 * size, 0.14 * size);
    let width = above.width.max(below.width) + 2.0 * pad;
    let axis = -AXIS * size;
    let mut out = MathBox { width: width + 2.0 * pad, ..MathBox::default() };
    let middle = 0.5 * out.width;
    let (up, down) = (axis - gap - above.descent, axis + gap + below.ascent);
    let (left, right) = (middle - 0.5 * above.width, middle - 0.5 * below.width);
    out.put(above, vec2(left, up));
    out.put(below, vec2(right, down));
    out.lines.push((vec![pos2(pad, axis), pos2(pad + width, axis)], colors(ui).text));
    out
}

fn root(ui: &Ui, inside: &Printed, sizes: Sizes) -> MathBox {
    let size = sizes.now;
    let inside = layout(ui, inside, sizes);
    let (hook, gap) = (0.62 * size, 0.14 * size);
    let (top, bottom) = (-inside.ascent - gap, inside.descent);
    let width = inside.width;
    let mut out = MathBox::default();
    out.put(inside, vec2(hook + 0.06 * size, 0.0));
    let low = pos2(0.34 * hook, bottom);
    let path = vec![
        pos2(0.06 * size, low.y - 0.42 * (bottom - top)),
        pos2(0.16 * size, low.y - 0.46 * (bottom - top)),
        low,
        pos2(hook - 0.1 * size, top),
        pos2(hook + width + 0.12 * size, top),
    ];
    out.lines.push((path, colors(ui).text));
    (out.ascent, out.width) = (-top + 0.06 * size, hook + width + 0.2 * size);
    out
}

/// Puts a fence around a box, on the sides that are true.
fn fenced(ui: &Ui, fence: Fence, inside: MathBox, [left, right]: [bool; 2], size: f32) -> MathBox {
    let (ascent, descent) = (inside.ascent, inside.descent);
    let color = colors(ui).dim;
    if fence == Fence::Round && ascent + descent < 1.3 * size {
        let sign = |text: &str| letters(ui, text, Ink::Plain, None, size);
        let mut out = if left { sign("(") } else { MathBox::default() };
        out.append(inside);
        if right {
            out.append(sign(")"));
        }
        return out;
    }
    let (top, bottom) = (-ascent - 0.06 * size, descent + 0.06 * size);
    let sign = 0.34 * size;
    let [before, after] = [left, right].map(|has| if has { sign } else { 0.0 });
    let width = inside.width;
    let mut out = MathBox::default();
    out.put(inside, vec2(before, 0.0));
    out.width = before + width + after;
    // A parenthesis is an arc that is as deep as a third of a letter.
    let bend = |x: f32, deep: f32| {
        let at = |i: i32| {
            let t = i as f32 / 12.0;
            pos2(x + deep * (1.0 - (2.0 * t - 1.0).powi(2)), top + t * (bottom - top))
        };
        (0..=12).map(at).collect::<Vec<_>>()
    };
    let (deep, inset) = match fence {
        Fence::Round => (0.2 * size, 0.26 * size),
        Fence::Bars => (0.0, 0.16 * size),
    };
    if left {
        out.lines.push((bend(inset, -deep), color));
    }
    if right {
        out.lines.push((bend(out.width - inset, deep), color));
    }
    (out.ascent, out.descent) = (-top, bottom);
    out
}

fn matrix(ui: &Ui, rows: &[Vec<Printed>], sizes: Sizes) -> MathBox {
    let (size, part) = (sizes.now, sizes.smaller(0.92));
    let cells: Vec<Vec<MathBox>> =
        rows.iter().map(|row| row.iter().map(|cell| layout(ui, cell, part)).collect()).collect();
    let columns = cells.iter().map(Vec::len).max().unwrap_or(0);
    let width_of = |column: usize| cells.iter().filter_map(|row| row.get(column)).map(|c| c.width).fold(0.0, f32::max);
    let widths: Vec<f32> = (0..columns).map(width_of).collect();
    let (between, line) = (0.75 * size, 0.34 * size);
    let heights: Vec<[f32; 2]> = cells
        .iter()
        .map(|row| {
            [row.iter().map(|c| c.ascent).fold(0.0, f32::max), row.iter().map(|c| c.descent).fold(0.0, f32::max)]
        })
        .collect();
    let whole: f32 = heights.iter().map(|[up, down]| up + down).sum::<f32>() + line * (heights.len().max(1) - 1) as f32;
    let (sign, axis) = (0.34 * size, -AXIS * size);
    let top = axis - 0.5 * whole;
    let mut out = MathBox::default();
    let mut y = top;
    for (row, [up, down]) in cells.into_iter().zip(heights) {
        let mut x = sign;
        for (cell, width) in row.into_iter().zip(&widths) {
            // Numbers of a column end below each other.
            let left = x + width - cell.width;
            out.put(cell, vec2(left, y + up));
            x += width + between;
        }
        y += up + down + line;
    }
    out.width = 2.0 * sign + widths.iter().sum::<f32>() + between * (columns.max(1) - 1) as f32;
    let (over, under) = (top - 0.14 * size, top + whole + 0.14 * size);
    for (x, foot) in [(0.12 * size, 0.14 * size), (out.width - 0.12 * size, -0.14 * size)] {
        let path = vec![pos2(x + foot, over), pos2(x, over), pos2(x, under), pos2(x + foot, under)];
        out.lines.push((path, colors(ui).dim));
    }
    (out.ascent, out.descent) = (-over, under);
    out
}

/// Lays out a part of a formula so that it has room: in one box, else in pieces that may begin lines of their own, else smaller. Sums
/// are broken before their signs, those between parentheses only where that is not enough.
fn fitting(ui: &Ui, part: &Printed, size: f32, room: f32) -> Vec<MathBox> {
    let sizes = |now: f32| Sizes { now, least: LEAST * now };
    let whole = layout(ui, part, sizes(size));
    // What is a little too long is better a little smaller than in two lines.
    let shrunk = |width: f32| size * (room / width).clamp(LEAST, 1.0);
    if whole.width <= room {
        return vec![whole];
    }
    let widest = |pieces: &[MathBox]| pieces.iter().map(|piece| piece.width).fold(0.0, f32::max);
    let mut best = vec![whole];
    for breaks_fences in [false, true] {
        if shrunk(widest(&best)) >= LITTLE * size {
            break;
        }
        let pieces = pieces(ui, part, sizes(size), breaks_fences);
        if widest(&pieces) < widest(&best) {
            best = pieces;
        }
    }
    let now = shrunk(widest(&best));
    match (now < size, best.len()) {
        (false, _) => best,
        (true, 1) => vec![layout(ui, part, sizes(now))],
        (true, _) => {
            let again = [false, true].map(|breaks_fences| pieces(ui, part, sizes(now), breaks_fences));
            let [outer, inner] = again;
            if outer.len() == best.len() { outer } else { inner }
        }
    }
}

/// Lays out a part of a formula in pieces, of which each but the first begins with the sign of a sum.
fn pieces(ui: &Ui, part: &Printed, sizes: Sizes, breaks_fences: bool) -> Vec<MathBox> {
    match part {
        Printed::Row(parts) => {
            let mut out = vec![MathBox::default()];
            for part in parts {
                let (first, rest) = match part {
                    Printed::Text { text, ink: Ink::Plain, symbol: None } if matches!(text.as_str(), " + " | " − ") => {
                        (MathBox::default(), vec![letters(ui, &text[1..], Ink::Plain, None, sizes.now)])
                    }
                    part => {
                        let mut own = pieces(ui, part, sizes, breaks_fences);
                        (own.remove(0), own)
                    }
                };
                if let Some(last) = out.last_mut() {
                    last.append(first);
                }
                out.extend(rest);
            }
            out
        }
        Printed::Fenced(fence, inside) if breaks_fences => {
            let own = pieces(ui, inside, sizes, true);
            let last = own.len() - 1;
            let fence = |(i, piece)| fenced(ui, *fence, piece, [i == 0, i == last], sizes.now);
            own.into_iter().enumerate().map(fence).collect()
        }
        part => vec![layout(ui, part, sizes)],
    }
}

/// Lays out the parts of a formula with "=" between them, in as many lines as they need in so much room (points).
pub(super) fn broken(ui: &Ui, parts: &[Printed], size: f32, room: f32) -> Vec<MathBox> {
    let indent = 1.1 * size;
    let mut lines: Vec<MathBox> = vec![MathBox::default()];
    for (i, part) in parts.iter().enumerate() {
        let mut sign = MathBox::default();
        if i > 0 {
            sign.width = GAP * size;
            sign.append(letters(ui, "=", Ink::Plain, None, size));
            sign.width += GAP * size;
        }
        let own = sign.width;
        for (j, piece) in fitting(ui, part, size, room - indent - own).into_iter().enumerate() {
            let mut next = std::mem::take(&mut sign);
            next.append(piece);
            let at = lines.len() - 1;
            if (i > 0 || j > 0) && lines[at].width + next.width > room {
                // A line that continues a sum begins to the right of the "=" before it.
                let width = if j > 0 { indent + own } else { indent };
                let mut line = MathBox { width, ..MathBox::default() };
                line.append(next);
                lines.push(line);
            } else {
                lines[at].append(next);
            }
        }
    }
    lines
}

/// Returns the width of a formula in one line, points.
pub(super) fn width(ui: &Ui, parts: &[Printed], size: f32) -> f32 {
    broken(ui, parts, size, f32::INFINITY).iter().map(|line| line.width).fold(0.0, f32::max)
}

/// Shows the parts of a formula with "=" between them, in as many lines as they need. `shown`: the symbol that is pointed at. Returns
/// the symbol that was pressed, and the response of the whole formula. `words` says what a symbol is, for people who cannot see it, and
/// `explain` shows that.
pub(super) fn show(
    ui: &mut Ui,
    parts: &[Printed],
    size: f32,
    shown: Option<&str>,
    words: &dyn Fn(&str) -> String,
    explain: &dyn Fn(&mut Ui, &str),
) -> (Option<&'static str>, Response) {
    let lines = broken(ui, parts, size, ui.available_width() - 8.0);
    let leading = LEADING * size;
    let height: f32 = lines.iter().map(|line| line.ascent + line.descent + leading).sum();
    let (rect, mut whole) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::CLICK);
    let spoken = parts.iter().map(Printed::line).collect::<Vec<_>>().join(" = ");
    whole.widget_info(|| WidgetInfo::labeled(Role::Label, true, &spoken));
    let mut pressed = None;
    let mut seen: Vec<&str> = Vec::new();
    let mut y = rect.top() + 0.5 * leading;
    for line in lines {
        let origin = pos2(rect.left() + 4.0, y + line.ascent);
        for (i, (symbol_rect, id)) in line.symbols.iter().enumerate() {
            let symbol_rect = symbol_rect.translate(origin.to_vec2()).expand2(vec2(2.0, 2.0));
            let id_of = ui.scope_id().with((rect.left().to_bits(), rect.top().to_bits(), y.to_bits(), i));
            let response = ui.interact(symbol_rect, id_of, Sense::click()).on_hover_cursor(CursorIcon::PointingHand);
            let text = words(id);
            response.widget_info(|| WidgetInfo::selected(Role::Button, true, shown == Some(*id), &text));
            describe(&response, ABOUT_LETTER);
            if seen.contains(id) {
                // The keyboard reaches each letter once.
                focus::pass_over(ui, response.id);
            }
            seen.push(id);
            let fill = match (shown == Some(*id), response.hovered()) {
                (true, _) => colors(ui).selection,
                (false, true) => colors(ui).hovered,
                (false, false) => Color32::TRANSPARENT,
            };
            ui.painter().rect_filled(symbol_rect, CornerRadius::same(3), fill);
            focus_ring(ui, symbol_rect, &response);
            let response = response.on_hover_ui(|ui| explain(ui, id));
            if response.clicked() {
                pressed = Some(*id);
            }
            // A click with the second button on a letter is one on the formula.
            whole |= response;
        }
        for (at, galley) in line.letters {
            ui.painter().galley(origin + at.to_vec2(), galley, colors(ui).text);
        }
        for (path, color) in line.lines {
            let points: Vec<Pos2> = path.into_iter().map(|p| origin + p.to_vec2()).collect();
            ui.painter().add(Shape::line(points, Stroke::new((STROKE * size).max(1.0), color)));
        }
        y += line.ascent + line.descent + leading;
    }
    (pressed, whole)
}

/// Shows one letter with its index, as part of a line of text.
pub(super) fn letter(ui: &mut Ui, printed: &Printed, size: f32) {
    let line = layout(ui, printed, Sizes { now: size, least: LEAST * size });
    let (rect, _) = ui.allocate_exact_size(vec2(line.width, 1.2 * size), Sense::hover());
    let origin = pos2(rect.left(), rect.top() + 0.92 * size);
    for (at, galley) in line.letters {
        ui.painter().galley(origin + at.to_vec2(), galley, colors(ui).text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_ui<T>(mut work: impl FnMut(&Ui) -> T) -> T {
        let ctx = egui::Context::default();
        crate::install(&ctx);
        let mut out = None;
        // The fonts are there after the first pass.
        for _ in 0..2 {
            let mut output = ctx.run_ui(egui::RawInput::default(), |ui| out = Some(work(ui)));
            output.textures_delta.clear();
        }
        out.unwrap()
    }

    fn laid_out(printed: &Printed) -> MathBox {
        with_ui(|ui| layout(ui, printed, Sizes { now: 20.0, least: 12.0 }))
    }

    fn symbol(id: &'static str) -> Printed {
        Printed::Text { text: id.to_owned(), ink: Ink::Symbol, symbol: Some(id) }
    }

    fn symbol_rect(math: &MathBox, id: &str) -> Rect {
        math.symbols.iter().find(|(_, other)| *other == id).unwrap().0
    }

    #[test]
    fn a_sum_that_is_too_long_is_broken_at_its_signs_before_it_is_made_small() {
        let number = |text: &str| Printed::Text { text: text.into(), ink: Ink::Number, symbol: None };
        let matrix = || Printed::Matrix(vec![vec![number("0.500"), number("−0.866")]; 2]);
        let sum = || Printed::row([number("0.250"), matrix(), Printed::plain(" + "), number("0.750"), matrix()]);
        let whole = laid_out(&sum());
        let fitted = |printed: &Printed, room: f32| with_ui(|ui| fitting(ui, printed, 20.0, room));
        let height = |math: &MathBox| math.ascent + math.descent;
        assert_eq!(fitted(&sum(), whole.width + 1.0).len(), 1);
        // A little too long: one line, a little smaller.
        let little = fitted(&sum(), 0.9 * whole.width);
        assert!(little.len() == 1 && little[0].width <= 0.9 * whole.width + 1.0 && height(&little[0]) < height(&whole));
        // Far too long: two lines of the usual size.
        let broken = fitted(&sum(), 0.6 * whole.width);
        assert_eq!(broken.len(), 2);
        assert!(broken.iter().all(|piece| piece.width <= 0.6 * whole.width && height(piece) > 0.99 * height(&whole)));
        // Between parentheses each line has one of both signs: the first the left one, the last the right one.
        let fenced = Printed::row([Printed::Fenced(Fence::Round, Box::new(sum())), number("2")]);
        let [first, last] = <[MathBox; 2]>::try_from(fitted(&fenced, 0.7 * whole.width)).ok().unwrap();
        let signs = |math: &MathBox, part: &MathBox| math.lines.len() - part.lines.len();
        assert_eq!([signs(&first, &broken[0]), signs(&last, &broken[1])], [1, 1]);
        assert!(first.lines.last().unwrap().0[0].x < 10.0 && last.lines.last().unwrap().0[0].x > 0.5 * last.width);
    }

    #[test]
    fn parts_stand_where_the_hand_would_write_them() {
        let fraction = laid_out(&Printed::Fraction(Box::new(symbol("a")), Box::new(symbol("b"))));
        let (a, b) = (symbol_rect(&fraction, "a"), symbol_rect(&fraction, "b"));
        let stroke = fraction.lines[0].0[0].y;
        assert!(a.bottom() < stroke && stroke < b.top() && (a.center().x - b.center().x).abs() < 1.0);
        assert!(fraction.ascent > 20.0 && fraction.descent > 5.0, "{} {}", fraction.ascent, fraction.descent);
        let part = |id| Some(Box::new(symbol(id)));
        let script = laid_out(&Printed::Script { base: Box::new(symbol("W")), above: part("A"), below: part("n") });
        let (base, above, below) = (symbol_rect(&script, "W"), symbol_rect(&script, "A"), symbol_rect(&script, "n"));
        assert!(above.left() >= base.right() && below.left() >= base.right());
        assert!(above.bottom() < below.bottom() && above.height() < base.height() && above.top() < base.center().y);
        // A letter and its index are one symbol, which is marked by one rectangle.
        let indexed = laid_out(&Printed::Script { base: Box::new(symbol("p")), above: None, below: part("p") });
        assert_eq!(indexed.symbols.len(), 1);
        assert!(symbol_rect(&indexed, "p").right() >= indexed.width - 0.5);
        let row = |ids: [&'static str; 2]| ids.map(symbol).to_vec();
        let matrix = laid_out(&Printed::Matrix(vec![row(["a", "b"]), row(["c", "d"])]));
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|id| symbol_rect(&matrix, id));
        assert!(a.right() < b.left() && a.bottom() < c.top() && (b.right() - d.right()).abs() < 1.0);
        assert_eq!(matrix.lines.len(), 2);
        let root = laid_out(&Printed::Root(Box::new(symbol("x"))));
        let bar = root.lines[0].0.last().unwrap();
        assert!(bar.y < symbol_rect(&root, "x").top() && bar.x >= symbol_rect(&root, "x").right());
        let tall = Printed::Fraction(Box::new(symbol("a")), Box::new(symbol("b")));
        let fence = laid_out(&Printed::Fenced(Fence::Round, Box::new(tall)));
        assert!(fence.lines.len() == 3 && fence.width > fraction.width, "two signs that are drawn, and the stroke");
    }
}
