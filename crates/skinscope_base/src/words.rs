//! Numbers with the nouns that they count, and words at the start of a sentence.

use std::fmt::Display;

/// Returns a number followed by its noun, singular or plural: `1 key`, `3 keys`.
#[must_use]
pub fn counted<N: Display + PartialEq + From<u8>>(n: N, one: &str, many: &str) -> String {
    let word = if n == N::from(1) { one } else { many };
    format!("{n} {word}")
}

/// Returns each of several counts with its noun (singular, then plural), without those that are zero.
#[must_use]
pub fn counted_all(counts: &[(usize, &str, &str)]) -> Vec<String> {
    counts.iter().filter(|(n, ..)| *n > 0).map(|(n, one, many)| counted(*n, one, many)).collect()
}

/// Returns `words` with a capital at their start.
#[must_use]
pub fn sentence_case(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_no_several() {
        assert_eq!([0_usize, 1, 2].map(|n| counted(n, "vertex", "vertices")), ["0 vertices", "1 vertex", "2 vertices"]);
        assert_eq!(counted(1_u64, "key", "keys"), "1 key");
    }

    #[test]
    fn a_list_of_counts_leaves_out_what_there_is_none_of() {
        let counts = [(2, "pin", "pins"), (0, "limit", "limits"), (1, "clip", "clips")];
        assert_eq!(counted_all(&counts), ["2 pins", "1 clip"]);
        assert!(counted_all(&[]).is_empty());
    }
}
