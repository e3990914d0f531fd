//! Letters that the bundled fonts lack. Missing letters are collected here, looked for among the fonts of the system on
//! another thread ([`search`]), and handed to egui. A model whose names are Latin searches nothing.

mod picture;
mod script;
mod system;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use egui::epaint::text::FallbackRequest;
use egui::{
    Color32, ColorImage, Context, FontData, FontInsert, FontProvider, GlyphBitmap, GlyphRasterizer,
    GlyphRasterizerRequest, RasterizedGlyph, Vec2,
};

pub use self::script::Script;
pub use self::system::{FontFolders, search, searches};

/// A font that draws letters which the bundled ones lack.
#[derive(Clone, Debug)]
pub struct Fallback {
    /// The file, and its number in the file.
    pub name: String,
    /// The contents of the file.
    pub data: FontData,
}

/// The result of a search among the fonts of the system.
#[derive(Clone, Debug, Default)]
pub struct FontSearch {
    /// The fonts, in the order in which they are to be used.
    pub fonts: Vec<Fallback>,
    /// The letters that were looked for and that none of the fonts has.
    pub missing: BTreeSet<char>,
}

/// The fonts found so far, and the letters that were asked for. Clones share all of it.
#[derive(Clone, Debug, Default)]
pub struct FallbackFonts(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    fonts: Vec<Fallback>,
    /// The letters that were asked for since the last search began.
    wanted: BTreeSet<char>,
    /// The letters of the search under way.
    sought: BTreeSet<char>,
    /// The letters that no font has.
    missing: BTreeSet<char>,
}

impl State {
    /// Draws a picture for a character that egui has no outline for. It draws nothing while a search may still find it,
    /// since boxes would flash. Of several characters that make one emoji, the first is drawn.
    fn draw(&self, request: &GlyphRasterizerRequest<'_>) -> Option<RasterizedGlyph> {
        let letter = request.cluster.chars().next()?;
        if self.wanted.contains(&letter) || self.sought.contains(&letter) {
            let image = ColorImage::filled([1, 1], Color32::TRANSPARENT);
            let bitmap = GlyphBitmap { image, offset_px: Vec2::ZERO, is_color: false };
            return Some(RasterizedGlyph { bitmap, advance_px: 0.6 * request.font_size_px });
        }
        let draw = |font: &Fallback| picture::draw(font.data.bytes(), font.data.index, letter, request.font_size_px);
        self.fonts.iter().find_map(draw)
    }

    /// Returns whether a font found so far has a picture for the letter.
    fn has_picture(&self, letter: char) -> bool {
        let has = |font: &Fallback| {
            let font = skrifa::FontRef::from_index(font.data.bytes(), font.data.index);
            font.is_ok_and(|font| picture::find(&font, letter, 16.0).is_some())
        };
        self.fonts.iter().any(has)
    }
}

impl FallbackFonts {
    /// Lets egui ask for letters that its fonts lack.
    pub fn install(&self, ctx: &Context) {
        ctx.set_font_providers(vec![Arc::new(self.clone())]);
        let fonts = self.clone();
        let draw = move |request: &GlyphRasterizerRequest<'_>| fonts.lock().draw(request);
        ctx.set_glyph_rasterizers(vec![GlyphRasterizer::new("skinscope::fonts", draw)]);
    }

    /// Returns the letters to look for now: those asked for since the last call. `None` where there are none, or while
    /// an earlier search is under way.
    pub fn take_wanted(&self) -> Option<BTreeSet<char>> {
        let mut state = self.lock();
        if state.wanted.is_empty() || !state.sought.is_empty() {
            return None;
        }
        state.sought = std::mem::take(&mut state.wanted);
        Some(state.sought.clone())
    }

    /// Takes the result of a search. All text is laid out anew.
    pub fn add(&self, ctx: &Context, found: FontSearch) {
        {
            let mut state = self.lock();
            state.sought.clear();
            let known: BTreeSet<String> = state.fonts.iter().map(|f| f.name.clone()).collect();
            state.fonts.extend(found.fonts.into_iter().filter(|f| !known.contains(&f.name)));
            state.missing.extend(found.missing);
        }
        self.install(ctx);
    }

    /// Allows letters that no font had to be searched again when they are shown again: a font may have been installed.
    pub fn forget_missing(&self, ctx: &Context) {
        let was_empty = {
            let mut state = self.lock();
            std::mem::take(&mut state.missing).is_empty()
        };
        if !was_empty {
            self.install(ctx);
        }
    }

    /// Returns a notice for each script with letters that no font has: its name, and the package to install.
    #[must_use]
    pub fn notices(&self) -> Vec<String> {
        let missing = self.lock().missing.clone();
        let scripts: BTreeSet<Script> = missing.iter().map(|c| Script::of(*c)).collect();
        scripts.into_iter().map(|s| notice(s, &missing)).collect()
    }

    /// Returns the names of the fonts found so far.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.lock().fonts.iter().map(|f| f.name.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn notice(script: Script, missing: &BTreeSet<char>) -> String {
    let what = match script {
        Script::Other => {
            let first = missing.iter().find(|c| Script::of(**c) == script).map_or(0, |c| *c as u32);
            format!("signs like U+{first:04X}")
        }
        _ => format!("{} letters", script.label()).replace("emoji letters", "emoji"),
    };
    let package = script.package();
    format!(
        "Names show boxes for {what}: no font here has them. Install one (Debian, Ubuntu: `sudo apt install {package}`) and reload."
    )
}

impl FontProvider for FallbackFonts {
    fn font_for(&self, request: &FallbackRequest<'_>) -> Option<FontInsert> {
        let letter = request.cluster.chars().next()?;
        let mut state = self.lock();
        let draws = |font: &Fallback, letter: char| system::draws(font.data.bytes(), font.data.index, letter);
        let found = state.fonts.iter().find(|f| draws(f, letter)).cloned();
        // egui asks for the first letter only; those joined to it must come from the same font.
        let joined = request.cluster.chars().skip(1).filter(|c| c.is_alphabetic());
        for letter in std::iter::once(letter).chain(joined) {
            let is_drawn = found.as_ref().is_some_and(|f| draws(f, letter)) || state.has_picture(letter);
            if !is_drawn && !state.sought.contains(&letter) && !state.missing.contains(&letter) {
                state.wanted.insert(letter);
            }
        }
        found.map(|f| FontInsert::new(&f.name, f.data, Vec::new()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_is_sought_once_and_then_either_drawn_or_told_of() {
        let fonts = FallbackFonts::default();
        let ask = |text: &str| {
            let family = egui::FontFamily::Proportional;
            fonts.font_for(&FallbackRequest { cluster: text, family: &family }).is_some()
        };
        assert!(fonts.take_wanted().is_none());
        assert!(!ask("ש") && !ask("ก") && !ask("क्षे"));
        let mut wanted = fonts.take_wanted().unwrap();
        assert_eq!(wanted, BTreeSet::from(['ש', 'ก', 'क', 'ष', 'े']), "all letters of a conjunct");
        wanted.retain(|c| Script::of(*c) != Script::Devanagari);
        // While that is under way, other letters wait.
        assert!(!ask("ש") && !ask("左") && fonts.take_wanted().is_none());
        let ctx = Context::default();
        fonts.add(&ctx, FontSearch { fonts: vec![], missing: wanted });
        assert_eq!(fonts.take_wanted(), Some(BTreeSet::from(['左'])));
        let notices = fonts.notices();
        assert_eq!(notices.len(), 2, "{notices:?}");
        assert!(notices[0].contains("Hebrew letters") && notices[0].contains("apt install fonts-noto-core"));
        assert!(notices[1].contains("Thai letters"));
        fonts.add(&ctx, FontSearch { fonts: vec![], missing: BTreeSet::from(['左']) });
        assert!(fonts.notices().iter().any(|n| n.contains("Chinese") && n.contains("fonts-noto-cjk")));
        assert!(!ask("左") && fonts.take_wanted().is_none(), "known to be missing");
        fonts.forget_missing(&ctx);
        assert!(fonts.notices().is_empty() && !ask("左") && fonts.take_wanted().is_some());
    }
}
