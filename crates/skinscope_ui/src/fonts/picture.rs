//! Emoji fonts that hold pictures instead of outlines (`CBDT`, `sbix`), which egui does not draw by itself.

use egui::{ColorImage, GlyphBitmap, RasterizedGlyph, vec2};
use image::imageops::{FilterType, resize};
use skrifa::bitmap::{BitmapData, BitmapGlyph};
use skrifa::instance::Size;
use skrifa::{FontRef, MetadataProvider as _};

/// The share of a picture's height that is above the baseline.
const ABOVE: f32 = 0.8;

/// Returns the picture that a font has for a letter, at about `size` pixels an em.
pub(super) fn find<'a>(font: &FontRef<'a>, letter: char, size: f32) -> Option<BitmapGlyph<'a>> {
    let glyph = font.charmap().map(letter)?;
    let found = font.bitmap_strikes().glyph_for_size(Size::new(size), glyph)?;
    matches!(found.data, BitmapData::Png(_)).then_some(found)
}

/// Does the same, decodes the picture and scales it to text of `size` pixels an em.
pub(super) fn draw(file: &[u8], index: u32, letter: char, size: f32) -> Option<RasterizedGlyph> {
    let font = FontRef::from_index(file, index).ok()?;
    let found = find(&font, letter, size)?;
    let BitmapData::Png(png) = found.data else { return None };
    let picture = image::load_from_memory_with_format(png, image::ImageFormat::Png).ok()?.into_rgba8();
    let scale = size / found.ppem_y.max(1.0);
    let pixels = |length: u32| (length as f32 * scale).round().clamp(1.0, 512.0) as u32;
    let (width, height) = (pixels(picture.width()), pixels(picture.height()));
    let small = resize(&picture, width, height, FilterType::Triangle);
    Some(RasterizedGlyph {
        bitmap: GlyphBitmap {
            image: ColorImage::from_rgba_unmultiplied([width as usize, height as usize], small.as_raw()),
            offset_px: vec2(0.0, -(ABOVE * height as f32).round()),
            is_color: true,
        },
        advance_px: width as f32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emoji_is_as_large_as_the_text_and_in_its_colours() {
        let font = include_bytes!("../../../../tests/fixtures/fonts/emoji.ttf");
        let [small, large] = [13.0, 26.0].map(|size| draw(font, 0, '💪', size).unwrap());
        assert!((1.0..1.6).contains(&(small.advance_px / 13.0)), "{}", small.advance_px);
        assert!((large.advance_px - 2.0 * small.advance_px).abs() <= 2.0);
        let yellow = |p: &&egui::Color32| p.a() > 200 && p.r() > 200 && p.g() > 130 && p.b() < 110;
        let share =
            large.bitmap.image.pixels.iter().filter(yellow).count() as f32 / large.bitmap.image.pixels.len() as f32;
        assert!(share > 0.2, "{share}");
        assert!(draw(font, 0, 'a', 13.0).is_none() && draw(b"no font", 0, '💪', 13.0).is_none());
    }
}
