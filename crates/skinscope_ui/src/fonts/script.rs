//! The script that a letter belongs to, its English name, and the package that brings a font for it.

/// A set of letters that one font is looked for: a script, or a group of signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Script {
    /// Hebrew letters and points.
    Hebrew,
    /// Arabic letters, also those of Persian and Urdu.
    Arabic,
    /// The letters of Hindi, Marathi and Nepali.
    Devanagari,
    /// Thai letters and marks.
    Thai,
    /// Hangul.
    Korean,
    /// Hiragana and katakana.
    Japanese,
    /// Han characters, which Chinese, Japanese and Korean share.
    Han,
    /// Pictures in colour.
    Emoji,
    /// Anything else.
    Other,
}

impl Script {
    /// Returns the script of a letter.
    #[must_use]
    pub fn of(letter: char) -> Self {
        match letter as u32 {
            0x0590..=0x05ff | 0xfb1d..=0xfb4f => Self::Hebrew,
            0x0600..=0x06ff | 0x0750..=0x077f | 0x0870..=0x08ff | 0xfb50..=0xfdff | 0xfe70..=0xfefe => Self::Arabic,
            0x0900..=0x097f | 0xa8e0..=0xa8ff => Self::Devanagari,
            0x0e00..=0x0e7f => Self::Thai,
            0x1100..=0x11ff | 0x3130..=0x318f | 0xa960..=0xa97f | 0xac00..=0xd7ff => Self::Korean,
            0x3040..=0x30ff | 0x31f0..=0x31ff | 0xff66..=0xff9f => Self::Japanese,
            0x2e80..=0x303f | 0x3105..=0x312f | 0x31a0..=0x31bf | 0x3200..=0x4dbf | 0x4e00..=0x9fff => Self::Han,
            0xf900..=0xfaff | 0xff01..=0xff65 | 0x20000..=0x3ffff => Self::Han,
            0x1f1e6..=0x1f1ff | 0x1f300..=0x1f64f | 0x1f680..=0x1f6ff | 0x1f900..=0x1faff => Self::Emoji,
            _ => Self::Other,
        }
    }

    /// Returns the English name of the script.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Hebrew => "Hebrew",
            Self::Arabic => "Arabic",
            Self::Devanagari => "Devanagari",
            Self::Thai => "Thai",
            Self::Korean => "Korean",
            Self::Japanese => "Japanese",
            Self::Han => "Chinese",
            Self::Emoji => "emoji",
            Self::Other => "other",
        }
    }

    /// Returns the package of Debian and Ubuntu that has a font for it.
    #[must_use]
    pub fn package(self) -> &'static str {
        match self {
            Self::Korean | Self::Japanese | Self::Han => "fonts-noto-cjk",
            Self::Emoji => "fonts-noto-color-emoji",
            Self::Hebrew | Self::Arabic | Self::Devanagari | Self::Thai => "fonts-noto-core",
            Self::Other => "fonts-noto",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_know_their_script() {
        let examples = [
            ("זרוע", Script::Hebrew),
            ("ذراع", Script::Arabic),
            ("बाँह", Script::Devanagari),
            ("แขน", Script::Thai),
            ("팔", Script::Korean),
            ("ボーンひじ", Script::Japanese),
            ("左腕骨骼", Script::Han),
            ("🦴💪", Script::Emoji),
            ("க★", Script::Other),
        ];
        for (text, script) in examples {
            assert!(text.chars().all(|c| Script::of(c) == script), "{text}");
        }
    }
}
