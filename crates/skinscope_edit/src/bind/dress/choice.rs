//! How the window brings a garment to where it is worn, among the values of the settings of its tools.

use super::{ALIGNS, Align};
use crate::Settings;

/// The name of the value that has the way, as its place in [`ALIGNS`].
const ALIGN: &str = "dress-align";

/// Returns how a garment is brought to where it is worn.
#[must_use]
pub fn dress_align(settings: &Settings) -> Align {
    let index = settings.values.get(ALIGN).map_or(0, |index| *index as usize);
    ALIGNS.get(index).map_or(Align::None, |(align, _)| *align)
}

/// Chooses how a garment is brought to where it is worn.
pub fn set_dress_align(settings: &mut Settings, align: Align) {
    match ALIGNS.iter().position(|(known, _)| *known == align) {
        Some(index) if align != Align::None => _ = settings.values.insert(ALIGN.to_owned(), index as f64),
        _ => _ = settings.values.remove(ALIGN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_is_kept_among_the_values_of_the_settings() {
        let mut settings = Settings::default();
        assert_eq!(dress_align(&settings), Align::None);
        for (align, _) in ALIGNS {
            set_dress_align(&mut settings, align);
            assert_eq!(dress_align(&settings), align);
        }
        set_dress_align(&mut settings, Align::None);
        assert!(settings == Settings::default());
    }
}
