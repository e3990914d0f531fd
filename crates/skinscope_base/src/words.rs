//! Numbers with the nouns that they count.

use std::fmt::Display;

/// Returns a number followed by its noun, singular or plural: `1 key`, `3 keys`.
#[must_use]
pub fn counted<N: Display + PartialEq + From<u8>>(n: N, one: &str, many: &str) -> String {
    let word = if n == N::from(1) { one } else { many };
    format!("{n} {word}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_no_several() {
        assert_eq!([0_usize, 1, 2].map(|n| counted(n, "vertex", "vertices")), ["0 vertices", "1 vertex", "2 vertices"]);
        assert_eq!(counted(1_u64, "key", "keys"), "1 key");
    }
}
