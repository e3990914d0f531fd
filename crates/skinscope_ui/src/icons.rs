//! The glyphs of the icon font (a subset of Phosphor Icons) by name. Nothing else of that font is bundled.

/// The font family that holds the icons.
pub(crate) const FAMILY: &str = "icons";

macro_rules! icons {
    ($($name:ident = $code:literal;)*) => {
        $(#[expect(missing_docs, reason = "named after the picture")] pub const $name: &str = $code;)*
        /// Every icon, for the test that the font has them.
        pub const ALL: &[&str] = &[$($name),*];

        /// Returns the icon whose constant has a name.
        pub(crate) fn named(name: &str) -> Option<&'static str> {
            let names = [$((stringify!($name), $name)),*];
            names.into_iter().find(|(constant, _)| *constant == name).map(|(_, icon)| icon)
        }
    };
}

icons! {
    CARET_RIGHT = "\u{e001}";
    CARET_DOWN = "\u{e002}";
    CARET_LEFT = "\u{e000}";
    PREVIOUS_KEY = "\u{e003}";
    NEXT_KEY = "\u{e004}";
    SEARCH = "\u{e005}";
    BONE = "\u{e006}";
    CUBE = "\u{e007}";
    WARNING = "\u{e008}";
    ERROR = "\u{e009}";
    INFO = "\u{e00a}";
    FOLDER = "\u{e00b}";
    RESET = "\u{e00c}";
    CLOSE = "\u{e00d}";
    CHECK = "\u{e00e}";
    CIRCLE = "\u{e015}";
    DOT = "\u{e016}";
    PERSON = "\u{e018}";
    GOOD = "\u{e019}";
    DROP_FILE = "\u{e01c}";
    PLAY = "\u{e01e}";
    PAUSE = "\u{e01f}";
    TO_START = "\u{e020}";
    TO_END = "\u{e021}";
    FILLED_CIRCLE = "\u{e022}";
    TREE_CLOSED = "\u{e026}";
    TREE_OPEN = "\u{e027}";
    SCALES = "\u{e028}";
    SCISSORS = "\u{e029}";
    LIST_NUMBERS = "\u{e02a}";
    HASH = "\u{e02b}";
    WRENCH = "\u{e02c}";
    BUG = "\u{e02d}";
    LINK = "\u{e02e}";
    WAVES = "\u{e02f}";
    HAMMER = "\u{e030}";
    APPROXIMATE_EQUALS = "\u{e031}";
    FLIP_HORIZONTAL = "\u{e032}";
    CLIPBOARD = "\u{e033}";
    PENCIL = "\u{e034}";
    MINUS_CIRCLE = "\u{e035}";
    SWAP = "\u{e036}";
    ANCHOR = "\u{e037}";
    BRACKETS = "\u{e038}";
    COOKING_POT = "\u{e039}";
    ARROWS_LEFT_RIGHT = "\u{e013}";
}
