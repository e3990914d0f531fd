//! The fonts of the system: finds those that draw given letters. Files are memory-mapped during the search; only the
//! chosen ones are read.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use egui::FontData;
use egui::epaint::text::Tag;
use fontdb::{Database, FaceInfo, Source, Stretch, Style};
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider as _};

use super::script::Script;
use super::{Fallback, FontSearch, picture};

/// The most bytes of a font file that is read: a font stays in memory for as long as the window is open.
const MOST_BYTES: u64 = 96 << 20;

/// The most fonts for one script.
const MOST_FONTS: usize = 4;

/// The folders that are searched for fonts.
#[derive(Clone, Debug, Default)]
pub enum FontFolders {
    /// The folders where the system and the user keep their fonts.
    #[default]
    System,
    /// One folder and all below it.
    Folder(PathBuf),
}

/// Returns whether a font has an outline for a letter. `index`: the number of the face in the file.
#[must_use]
pub(super) fn draws(file: &[u8], index: u32, letter: char) -> bool {
    FontRef::from_index(file, index).is_ok_and(|font| has_outline(&font, letter))
}

fn has_outline(font: &FontRef<'_>, letter: char) -> bool {
    let Some(glyph) = font.charmap().map(letter).filter(|g| *g != GlyphId::NOTDEF) else { return false };
    let Some(outline) = font.outline_glyphs().get(glyph) else { return false };
    // Fonts that paint layers leave the outline itself empty.
    let mut ink = InkDetector(false);
    let settings = DrawSettings::unhinted(Size::unscaled(), LocationRef::default());
    letter.is_whitespace() || outline.draw(settings, &mut ink).is_ok() && ink.0
}

/// An outline pen that notes whether anything was drawn.
struct InkDetector(bool);

impl OutlinePen for InkDetector {
    fn move_to(&mut self, _: f32, _: f32) {}

    fn line_to(&mut self, _: f32, _: f32) {
        self.0 = true;
    }

    fn quad_to(&mut self, _: f32, _: f32, _: f32, _: f32) {
        self.0 = true;
    }

    fn curve_to(&mut self, _: f32, _: f32, _: f32, _: f32, _: f32, _: f32) {
        self.0 = true;
    }

    fn close(&mut self) {}
}

thread_local! {
    static SEARCHES: Cell<usize> = const { Cell::new(0) };
}

/// Returns how often this thread has searched. The thread of a window never does, since a search takes long.
#[must_use]
pub fn searches() -> usize {
    SEARCHES.get()
}

/// Looks for fonts that have `letters` between them: few, and of each script the plainest. It looks into every font
/// file, which takes its time.
#[must_use]
pub fn search(folders: &FontFolders, letters: &BTreeSet<char>) -> FontSearch {
    SEARCHES.set(SEARCHES.get() + 1);
    let mut database = Database::new();
    match folders {
        FontFolders::System => database.load_system_fonts(),
        FontFolders::Folder(folder) => database.load_fonts_dir(folder),
    }
    let mut found = FontSearch::default();
    let mut chosen: Vec<Candidate> = Vec::new();
    let mut candidates: Vec<Candidate> =
        database.faces().filter_map(|f| Candidate::of(&database, f, letters)).collect();
    for (script, mut open) in by_script(letters) {
        for candidate in &chosen {
            open.retain(|c| !candidate.has.contains(c));
        }
        for _ in 0..MOST_FONTS {
            let rank = |c: &Candidate| c.rank(script, &open);
            let useful = (0..candidates.len()).filter(|i| candidates[*i].has.iter().any(|c| open.contains(c)));
            let Some(best) = useful.min_by_key(|i| rank(&candidates[*i])) else { break };
            let best = candidates.swap_remove(best);
            if let Some(font) = best.read() {
                open.retain(|c| !best.has.contains(c));
                found.fonts.push(font);
                chosen.push(best);
            }
        }
        found.missing.extend(open);
    }
    found
}

/// Groups letters by what one font is chosen for. Where there is kana, Han characters are Japanese.
fn by_script(letters: &BTreeSet<char>) -> BTreeMap<Script, BTreeSet<char>> {
    let japanese = letters.iter().any(|c| Script::of(*c) == Script::Japanese);
    let mut out: BTreeMap<Script, BTreeSet<char>> = BTreeMap::new();
    for letter in letters {
        let script = match Script::of(*letter) {
            Script::Han if japanese => Script::Japanese,
            script => script,
        };
        out.entry(script).or_default().insert(*letter);
    }
    out
}

/// A face that has some of the letters.
struct Candidate {
    has: BTreeSet<char>,
    family: String,
    path: PathBuf,
    index: u32,
    bytes: u64,
    /// Whether it is upright and of normal width.
    plain: bool,
    weight: u16,
    monospaced: bool,
}

impl Candidate {
    fn of(database: &Database, face: &FaceInfo, letters: &BTreeSet<char>) -> Option<Self> {
        let Source::File(path) = &face.source else { return None };
        let family = face.families.first().map_or_else(String::new, |(name, _)| name.clone());
        // These have a box or nothing for every letter there is.
        if ["LastResort", "Last Resort", "Adobe Blank"].iter().any(|name| family.contains(name)) {
            return None;
        }
        let (has, bytes, axis) = database.with_face_data(face.id, |file, index| {
            let font = FontRef::from_index(file, index).ok()?;
            let has: BTreeSet<char> = letters
                .iter()
                .copied()
                .filter(|c| has_outline(&font, *c) || picture::find(&font, *c, 16.0).is_some())
                .collect();
            Some((has, file.len() as u64, font.axes().iter().any(|a| a.tag() == WEIGHT)))
        })??;
        if has.is_empty() || bytes > MOST_BYTES {
            return None;
        }
        Some(Self {
            has,
            family,
            path: path.clone(),
            index: face.index,
            bytes,
            plain: face.style == Style::Normal && face.stretch == Stretch::Normal,
            weight: if axis { REGULAR } else { face.weight.0 },
            monospaced: face.monospaced,
        })
    }

    /// Returns the rank, of which the least is the best: most of the letters first, then made for the script, plain, of
    /// regular weight, without serifs, small.
    fn rank(&self, script: Script, open: &BTreeSet<char>) -> impl Ord + use<> {
        let covered = open.iter().filter(|c| self.has.contains(c)).count();
        let mut likeness = [
            !self.plain,
            self.monospaced || self.has_word(&["Mono"]),
            !self.has_word(&["Sans", "Gothic", "Hei", "UI"]),
        ];
        if script == Script::Emoji {
            likeness = [!self.has_word(&["Emoji"]), false, false];
        }
        (
            (Reverse(covered), !self.is_for(script), likeness[0], self.weight.abs_diff(REGULAR)),
            (likeness[1], likeness[2], self.bytes, self.path.clone(), self.index),
        )
    }

    fn has_word(&self, words: &[&str]) -> bool {
        words.iter().any(|w| self.family.contains(w))
    }

    /// Returns whether the font is made for the language of the script: fonts of East Asia come once for each language,
    /// which draws shared characters its own way.
    fn is_for(&self, script: Script) -> bool {
        let ends = |language: &str| self.family.split(' ').any(|word| word.eq_ignore_ascii_case(language));
        match script {
            Script::Japanese => !["KR", "SC", "TC", "HK", "CN", "TW"].iter().any(|l| ends(l)),
            Script::Korean => !["JP", "SC", "TC", "HK", "CN", "TW"].iter().any(|l| ends(l)),
            Script::Han => !["JP", "KR", "TC", "HK", "TW"].iter().any(|l| ends(l)),
            _ => true,
        }
    }

    fn read(&self) -> Option<Fallback> {
        let mut data = FontData::from_owned(std::fs::read(&self.path).ok()?);
        data.index = self.index;
        // The default of a variable font may be its thinnest form.
        if let Some(axis) = data.variation_axes().iter().find(|a| a.tag == WEIGHT) {
            data.tweak.coords.push(b"wght", f32::from(REGULAR).clamp(axis.range.min, axis.range.max));
        }
        Some(Fallback { name: face_name(&self.path, self.index), data })
    }
}

const REGULAR: u16 = 400;
const WEIGHT: Tag = Tag::new(b"wght");

/// Returns a name of the face that no bundled font has.
fn face_name(path: &Path, index: u32) -> String {
    format!("{}#{index}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixtures() -> FontFolders {
        FontFolders::Folder(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/fixtures/fonts"))
    }

    fn chosen(text: &str) -> (Vec<String>, String) {
        let found = search(&fixtures(), &text.chars().collect());
        let file = |f: &Fallback| Path::new(&f.name).file_name().unwrap().to_str().unwrap().to_owned();
        (found.fonts.iter().map(file).collect(), found.missing.iter().collect())
    }

    #[test]
    fn each_script_gets_the_font_that_has_it() {
        let only = |file: &str| (vec![format!("{file}#0")], String::new());
        assert_eq!(chosen("ذراع"), only("arabic.ttf"));
        assert_eq!(chosen("क्षेत्र"), only("devanagari.ttf"));
        assert_eq!(chosen("🦴"), only("emoji.ttf"));
        assert_eq!(chosen("팔"), only("korean.ttf"));
        assert_eq!(chosen("左ひじ头"), only("cjk.ttf"));
        // One file for two scripts is taken once, and its letters of the second script are not reported as missing.
        assert_eq!(chosen("가人"), only("korean_and_han.ttf"));
        assert_eq!(chosen("זרוע"), only("hebrew.ttf"));
    }

    #[test]
    fn what_no_font_has_is_said_and_what_others_have_is_found_nevertheless() {
        let (fonts, missing) = chosen("แขนக★");
        assert_eq!((fonts, missing), (vec!["thai.ttf#0".into()], "க★".into()));
        assert_eq!(chosen(""), (vec![], String::new()));
        let nowhere = FontFolders::Folder("/nonexistent".into());
        let found = search(&nowhere, &BTreeSet::from(['ש']));
        assert!(found.fonts.is_empty() && found.missing.contains(&'ש'));
    }

    #[test]
    fn han_characters_beside_kana_are_japanese() {
        let scripts = |text: &str| by_script(&text.chars().collect()).into_keys().collect::<Vec<_>>();
        assert_eq!(scripts("左手"), [Script::Han]);
        assert_eq!(scripts("左ひじ"), [Script::Japanese]);
        assert_eq!(scripts("左팔"), [Script::Korean, Script::Han]);
    }

    #[test]
    fn a_face_inside_a_collection_is_found_by_its_number() {
        let folder = std::env::temp_dir().join(format!("skinscope_fonts_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let FontFolders::Folder(from) = fixtures() else { unreachable!() };
        std::fs::copy(from.join("thai_hebrew.ttc"), folder.join("both.ttc")).unwrap();
        let found = search(&FontFolders::Folder(folder.clone()), &"זแ".chars().collect());
        std::fs::remove_dir_all(&folder).unwrap();
        let faces: Vec<u32> = found.fonts.iter().map(|f| f.data.index).collect();
        assert_eq!(faces, [1, 0], "Hebrew is the second face, Thai the first");
        assert!(draws(found.fonts[0].data.bytes(), 1, 'ז') && !draws(found.fonts[0].data.bytes(), 0, 'ז'));
    }

    fn candidate(family: &str, weight: u16, bytes: u64) -> Candidate {
        let has = "左手".chars().collect();
        let (family, path) = (family.to_owned(), PathBuf::from(family));
        Candidate { has, family, path, index: 0, bytes, plain: true, weight, monospaced: false }
    }

    #[test]
    fn of_several_fonts_the_plainest_of_the_right_language_is_taken() {
        let all = [
            candidate("Noto Serif CJK JP", 400, 10),
            candidate("Noto Sans CJK JP", 400, 20),
            candidate("Noto Sans CJK JP Black", 900, 1),
            candidate("Noto Sans CJK KR", 400, 20),
            candidate("Noto Sans CJK SC", 400, 20),
            candidate("Noto Sans Mono CJK SC", 400, 20),
        ];
        let open: BTreeSet<char> = "左手".chars().collect();
        let best = |script| {
            let best = all.iter().min_by_key(|c| c.rank(script, &open)).unwrap();
            best.family.clone()
        };
        assert_eq!(best(Script::Japanese), "Noto Sans CJK JP");
        assert_eq!(best(Script::Korean), "Noto Sans CJK KR");
        assert_eq!(best(Script::Han), "Noto Sans CJK SC");
        let mut less = candidate("Noto Sans CJK JP", 400, 1);
        less.has.remove(&'手');
        assert!(less.rank(Script::Japanese, &open) > all[0].rank(Script::Japanese, &open), "most letters first");
    }
}
