//! Text that runs from right to left. egui shapes each run of one font in its own direction but sets the runs side by
//! side from left to right, so that `זרוע שמאל` would show its words in the wrong order. Here the glyphs of a line are
//! moved, by the rules of Unicode (UAX #9) for a line that runs from left to right, as the window does. Only the
//! painted glyphs change: text that is searched, copied and read aloud stays as the file has it.

use std::sync::Arc;

use egui::epaint::text::{Galley, Glyph, Row};
use egui::{Context, FullOutput, Plugin, Rect, Shape};
use unicode_bidi::{BidiInfo, Level, ParagraphBidiInfo};

/// An egui plugin that reorders the glyphs of all text in a frame that needs it.
#[derive(Debug, Default)]
pub(super) struct RightToLeft;

impl Plugin for RightToLeft {
    fn debug_name(&self) -> &'static str {
        "right to left"
    }

    fn output_hook(&mut self, _: &Context, output: &mut FullOutput) {
        for shape in &mut output.shapes {
            set_anew(&mut shape.shape);
        }
    }
}

fn set_anew(shape: &mut Shape) {
    match shape {
        Shape::Text(text) if runs_left(&text.galley.job.text) => text.galley = Arc::new(visual(&text.galley)),
        Shape::Vec(shapes) => shapes.iter_mut().for_each(set_anew),
        _ => {}
    }
}

/// Returns whether any letter of a text is written from right to left.
pub(super) fn runs_left(text: &str) -> bool {
    // The first byte of the first such letter, U+0590, in UTF-8.
    text.bytes().any(|b| b >= 0xd6) && text.chars().any(is_from_right)
}

/// Returns whether a character is a letter, digit or mark of a script that is written from right to left. The bundled
/// fonts have none of them, so that they are shaped as a run of their own.
fn is_from_right(c: char) -> bool {
    matches!(c as u32, 0x0590..=0x08ff | 0xfb1d..=0xfdff | 0xfe70..=0xfefe | 0x10800..=0x10fff | 0x1e800..=0x1efff)
}

/// Returns the galley with the glyphs of each line in visual order.
fn visual(galley: &Galley) -> Galley {
    let mut galley = galley.clone();
    galley.mesh_bounds = Rect::NOTHING;
    for placed in &mut galley.rows {
        let row = Arc::make_mut(&mut placed.row);
        set_row(row, galley.pixels_per_point);
        galley.mesh_bounds |= row.visuals.mesh_bounds.translate(placed.pos.to_vec2());
    }
    galley
}

fn set_row(row: &mut Row, pixels_per_point: f32) {
    let logical = logical_order(&row.glyphs);
    let text: String = logical.iter().map(|i| row.glyphs[*i].chr).collect();
    let paragraph = ParagraphBidiInfo::new(&text, Some(Level::ltr()));
    let levels = paragraph.reordered_levels_per_char(0..text.len());
    let order = BidiInfo::reorder_visual(&levels);
    // The pen moves on by the widths of glyphs, whatever marks above letters are shifted by.
    let mut pen = 0.0;
    let mut step = |glyph: &Glyph| {
        pen += glyph.advance_width;
        pen - glyph.advance_width
    };
    let before: Vec<f32> = row.glyphs.iter().map(&mut step).collect();
    let mut pen = 0.0;
    // The glyph that was moved last, and by how much. Glyphs that remain next to it move by the same distance, or
    // joined letters would part.
    let mut last: Option<(usize, f32)> = None;
    for position in order {
        let i = logical[position];
        let shift = match last {
            Some((left, shift)) if left + 1 == i => shift,
            _ => ((pen - before[i]) * pixels_per_point).round() / pixels_per_point,
        };
        pen += row.glyphs[i].advance_width;
        last = Some((i, shift));
        move_glyph(row, i, shift, levels[position].is_rtl());
    }
    row.visuals.mesh_bounds = row.visuals.mesh.calc_bounds();
}

/// Returns the indices of the glyphs of a line, in the order in which they are read. Runs from right to left are stored
/// with their last letter first.
fn logical_order(glyphs: &[Glyph]) -> Vec<usize> {
    let mut out: Vec<usize> = Vec::with_capacity(glyphs.len());
    let mut i = 0;
    while i < glyphs.len() {
        let length = glyphs[i..].iter().take_while(|g| is_from_right(g.chr)).count();
        let run = i..i + length.max(1);
        i = run.end;
        // Where letters were joined into one glyph, the other letters have empty glyphs, which are at the wrong end.
        let shown =
            run.clone().filter(|n| length == 0 || glyphs[*n].advance_width > 0.0 || !glyphs[*n].uv_rect.is_nothing());
        out.extend(shown.rev());
    }
    out
}

/// Moves a glyph of a line to the right by `shift` points. In text from right to left a bracket is mirrored.
fn move_glyph(row: &mut Row, index: usize, shift: f32, from_right: bool) {
    let glyph = &mut row.glyphs[index];
    let mirror = from_right && "()[]{}<>«»‹›≤≥".contains(glyph.chr);
    // The glyph is mirrored about the middle of its width.
    let middle = glyph.pos.x + shift + 0.5 * glyph.advance_width;
    glyph.pos.x += shift;
    if glyph.uv_rect.is_nothing() {
        return;
    }
    let first = glyph.first_vertex as usize;
    let Some(corners) = row.visuals.mesh.vertices.get_mut(first..first + 4) else { return };
    for corner in corners {
        corner.pos.x += shift;
        if mirror {
            corner.pos.x = 2.0 * middle - corner.pos.x;
        }
    }
}

#[cfg(test)]
mod tests {
    use egui::{Color32, FontData, FontFamily, FontId};

    use super::*;

    /// Returns Inter, then fonts with Hebrew and Arabic letters.
    fn fonts() -> egui::epaint::text::Fonts {
        let mut fonts = super::super::theme::fonts();
        let files: [(&str, &[u8]); 2] = [
            ("hebrew", include_bytes!("../../../tests/fixtures/fonts/hebrew.ttf")),
            ("arabic", include_bytes!("../../../tests/fixtures/fonts/arabic.ttf")),
        ];
        for (name, bytes) in files {
            fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(bytes)));
            fonts.families.entry(FontFamily::Proportional).or_default().push(name.to_owned());
        }
        egui::epaint::text::Fonts::new(egui::epaint::TextOptions::default(), fonts)
    }

    /// Returns the galley as egui lays it out.
    fn laid_out(text: &str) -> Galley {
        let font = FontId::new(32.0, FontFamily::Proportional);
        let galley = fonts().with_pixels_per_point(1.0).layout_no_wrap(text.to_owned(), font, Color32::WHITE);
        (*galley).clone()
    }

    /// Returns the letters of a galley from left to right, as they are painted.
    fn read(galley: &Galley) -> String {
        let row = &galley.rows[0].row;
        let mut seen: Vec<(f32, char)> = Vec::new();
        for glyph in row.glyphs.iter().filter(|g| g.advance_width > 0.0) {
            seen.push((glyph.pos.x, glyph.chr));
        }
        seen.sort_by(|a, b| a.0.total_cmp(&b.0));
        seen.into_iter().map(|(_, c)| c).collect()
    }

    #[test]
    fn words_from_right_to_left_stand_where_they_are_read() {
        let cases = [
            ("זרוע שמאל", "לאמש עורז"),
            ("זרוע.L", "עורז.L"),
            // A number belongs to the letters before it, with the characters between.
            ("Arm זרוע 2 שמאל.001", "Arm 001.לאמש 2 עורז"),
            ("plain", "plain"),
        ];
        for (text, wanted) in cases {
            assert_eq!(read(&visual(&laid_out(text))), wanted, "{text}");
        }
        // Without this, egui leaves the words in the order of a language that runs from left to right.
        assert_eq!(read(&laid_out("זרוע שמאל")), "עורז לאמש");
    }

    #[test]
    fn letters_stay_joined_and_digits_run_from_left_to_right() {
        // Each letter but those that join to none has another form inside a word than alone.
        let (alone, joined) = (laid_out("ي"), visual(&laid_out("يسى")));
        let first = joined.rows[0].row.glyphs.iter().find(|g| g.chr == 'ي').unwrap();
        assert_ne!(first.uv_rect.size, alone.rows[0].row.glyphs[0].uv_rect.size, "it was joined to the next");
        assert_eq!(read(&joined), "ىسي");
        assert_eq!(read(&visual(&laid_out("ذراع ١٢"))), "١٢ عارذ");
        assert_eq!(read(&visual(&laid_out("ذراع١٢"))), "١٢عارذ");
    }

    #[test]
    fn nothing_gets_wider_and_pictures_of_letters_move_with_them() {
        for text in ["זרוע שמאל", "Arm (זרוע) ذراع", "ذراع١٢"] {
            let (before, after) = (laid_out(text), visual(&laid_out(text)));
            assert!((before.mesh_bounds.width() - after.mesh_bounds.width()).abs() < 6.0, "{text}");
            assert!(after.mesh_bounds.left() > -3.0 && after.mesh_bounds.right() < before.rect.right() + 3.0);
            for glyph in after.rows[0].row.glyphs.iter().filter(|g| !g.uv_rect.is_nothing()) {
                let corner = after.rows[0].row.visuals.mesh.vertices[glyph.first_vertex as usize].pos.x;
                let bracket = "()".contains(glyph.chr);
                let offset = corner - glyph.pos.x - glyph.uv_rect.offset.x;
                assert!(bracket || offset.abs() <= 0.51, "{text}: {:?} is {offset} off", glyph.chr);
            }
        }
    }

    #[test]
    fn brackets_inside_open_the_other_way() {
        let galley = visual(&laid_out("זרוע (ל) שמאל"));
        let row = &galley.rows[0].row;
        let texels: Vec<_> = row.glyphs.iter().filter(|g| "()".contains(g.chr)).map(|g| (g.chr, g.pos.x)).collect();
        let [('(', open), (')', close)] = texels[..] else { panic!("{texels:?}") };
        assert!(open > close, "what is read first stands to the right");
        let glyph = row.glyphs.iter().find(|g| g.chr == '(').unwrap();
        let corners = &row.visuals.mesh.vertices[glyph.first_vertex as usize..][..2];
        assert!(corners[0].pos.x > corners[1].pos.x, "its picture is turned round");
    }

    #[test]
    fn only_text_that_needs_it_is_touched() {
        assert!(runs_left("a זרוע") && runs_left("ذراع"));
        assert!(["Arm.L", "Ärmel − 3 °", "左腕", "แขน", "🦴", "क्षेत्र"].iter().all(|t| !runs_left(t)));
    }
}
