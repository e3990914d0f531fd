//! Words by which people look for things: what other programs call them, words that say nothing, and words with a letter wrong.

use std::sync::LazyLock;

/// What a word of another program leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ours {
    /// The command of this label.
    Command(&'static str),
    /// The page of the manual with this id.
    Page(&'static str),
}

use Ours::{Command as C, Page as P};

/// Words of other programs, with what they lead to here.
pub(super) static THEIRS: LazyLock<Vec<(&'static str, Vec<Ours>)>> = LazyLock::new(|| {
    let lines = include_str!("../../../assets/finder_words.txt").lines().filter(|line| !line.starts_with('#'));
    let rows = lines.filter_map(|line| line.split_once(" = "));
    rows.flat_map(|(theirs, ours)| {
        let ours = ours.split("; ").map(|ours| ours.strip_prefix("page ").map_or(C(ours), P));
        let ours: Vec<Ours> = ours.collect();
        theirs.split(" | ").map(move |theirs| (theirs, ours.clone()))
    })
    .collect()
});

/// Words that say nothing about what is looked for.
const EMPTY: &[&str] = &[
    "a", "an", "and", "are", "at", "by", "can", "do", "does", "for", "from", "how", "i", "in", "is", "it", "max", "my",
    "of", "on", "per", "the", "this", "to", "vertex", "what", "where", "with",
];

/// Returns words as they are compared: in small letters, parted at spaces, hyphens and underscores.
pub(super) fn words_of(text: &str) -> Vec<String> {
    let parted = text.to_lowercase().replace(['-', '_', '/', '…', ','], " ");
    parted.split_whitespace().map(str::to_owned).collect()
}

/// Returns the words that say something, where there are any and others too: no number, and none of [`EMPTY`].
pub(super) fn telling(words: &[String]) -> Option<Vec<String>> {
    let tells = |word: &&String| !EMPTY.contains(&word.as_str()) && !word.chars().all(|c| c.is_ascii_digit());
    let kept: Vec<String> = words.iter().filter(tells).cloned().collect();
    (!kept.is_empty() && kept.len() < words.len()).then_some(kept)
}

/// Returns a word without the sign of the plural.
pub(super) fn singular(word: &str) -> &str {
    // Focus, axis and kinematics are no plurals.
    let bare = word.strip_suffix('s').filter(|bare| bare.len() > 2 && !bare.ends_with(['s', 'u', 'i', 'c']));
    bare.unwrap_or(word)
}

/// Returns how well a name fits: 0 for the name itself, more for less; `None` where a word is not in it. A word of several finds that of one.
pub(super) fn rank(name: &str, words: &[String]) -> Option<u32> {
    let name = name.to_lowercase();
    let mut worst = 0;
    for word in words {
        let word = if name.contains(word.as_str()) { word.as_str() } else { singular(word) };
        let at = name.find(word)?;
        let begins = |at: usize| !name[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        let any_begins = name.match_indices(word).any(|(at, _)| begins(at));
        worst = worst.max(match (at, any_begins) {
            (0, _) if name.len() == word.len() => 0,
            (0, _) => 10,
            (_, true) => 20,
            (_, false) => 30,
        });
    }
    Some(worst)
}

/// Returns what searched words lead to that another program uses, each with how well they fit: 0 for its name, more for less.
pub(super) fn meant(words: &[String]) -> Vec<(u32, Ours)> {
    let ones: Vec<&str> = words.iter().map(|word| singular(word)).collect();
    let joined = ones.join(" ");
    let mut out = Vec::new();
    for (theirs, ours) in THEIRS.iter() {
        let fits = match () {
            () if *theirs == joined => 0,
            // What is typed of it so far.
            () if joined.len() > 2 && theirs.starts_with(&joined) => 8,
            () if theirs.split(' ').all(|word| ones.contains(&word)) => 10,
            () => continue,
        };
        // A longer name says more.
        let longer = 4_u32.saturating_sub(theirs.split(' ').count() as u32);
        // What comes first in the table is meant first.
        out.extend(ours.iter().zip(0_u32..).map(|(ours, later)| (fits + longer + later, *ours)));
    }
    out
}

/// Returns how far a name is from words of which some letters are wrong, 0 for none; `None` where a word is like no word of the name.
pub(super) fn misspelt(name: &[String], words: &[String]) -> Option<u32> {
    let mut sum = 0;
    for word in words {
        let most = match word.chars().count() {
            0..=3 => 0,
            4..=6 => 1,
            _ => 2,
        };
        let nearest = name.iter().map(|of_name| edits(word, of_name)).min()?;
        if nearest > most {
            return None;
        }
        sum += nearest;
    }
    Some(sum)
}

/// Returns how many letters must be put in, taken out, replaced or exchanged with the next to make a word of another, or the beginning of it.
fn edits(word: &str, other: &str) -> u32 {
    let (a, b): (Vec<char>, Vec<char>) = (word.chars().collect(), other.chars().collect());
    let mut rows = vec![(0..=b.len() as u32).collect::<Vec<u32>>()];
    for i in 1..=a.len() {
        let mut row = vec![i as u32; b.len() + 1];
        for j in 1..=b.len() {
            let same = u32::from(a[i - 1] != b[j - 1]);
            row[j] = (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + same);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(rows[i - 2][j - 2] + 1);
            }
        }
        rows.push(row);
    }
    // The beginning of a word counts where several letters of it are there.
    let last = &rows[a.len()];
    let whole = last[b.len()];
    if a.len() < 4 { whole } else { last.iter().copied().min().unwrap_or(whole).max(u32::from(whole > 0)).min(whole) }
}

/// Returns how like two texts are, 0…1: the share of the pairs of letters that both have.
pub(super) fn likeness(a: &str, b: &str) -> f32 {
    let pairs = |text: &str| {
        let chars: Vec<char> = text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
        chars.windows(2).map(|pair| (pair[0], pair[1])).collect::<std::collections::BTreeSet<_>>()
    };
    let (a, b) = (pairs(a), pairs(b));
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    2.0 * a.intersection(&b).count() as f32 / (a.len() + b.len()) as f32
}

#[cfg(test)]
mod tests {
    use skinscope_session::COMMANDS;

    use super::*;
    use crate::manual::PAGES;

    #[test]
    fn a_name_is_better_than_its_beginning_a_word_in_it_and_letters_within() {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(rank("Grid", &words("grid")), Some(0));
        assert_eq!(rank("Grid lines", &words("gr")), Some(10));
        assert_eq!(rank("LowerArm.L", &words("l")), Some(10));
        assert_eq!(rank("Hand.L", &words("l")), Some(20));
        assert_eq!(rank("Mirror pose", &words("pose mirr")), Some(20));
        assert_eq!(rank("Mirror pose", &words("irr")), Some(30));
        assert_eq!(rank("Mirror pose", &words("mirror x")), None);
        assert_eq!(rank("Overlay at the start", &words("overlays")), Some(10), "several find one");
        assert_eq!(rank("anything", &[]), Some(0));
    }

    #[test]
    fn each_word_of_another_program_leads_to_something_that_is_there() {
        let text = include_str!("../../../assets/finder_words.txt");
        let of_words = |line: &&str| !line.is_empty() && !line.starts_with('#');
        let words: usize = text.lines().filter(of_words).map(|line| line.matches(" | ").count() + 1).sum();
        assert!(words == THEIRS.len() && words > 200, "{words}");
        for (theirs, ours) in THEIRS.iter() {
            assert_eq!(words_of(theirs).join(" "), *theirs);
            let ones: Vec<&str> = theirs.split(' ').map(singular).collect();
            assert_eq!(ones.join(" "), *theirs, "in the singular");
            for ours in ours.iter() {
                let is_there = match ours {
                    C(label) => COMMANDS.iter().any(|row| row.label == *label),
                    P(id) => PAGES.iter().any(|page| page.id == *id),
                };
                assert!(is_there, "{theirs}: {ours:?}");
            }
            assert_eq!(THEIRS.iter().filter(|(other, _)| other == theirs).count(), 1, "{theirs}");
        }
    }

    #[test]
    fn what_is_typed_of_a_word_is_enough_and_plurals_and_hyphens_are_no_matter() {
        let first = |text: &str| meant(&words_of(text)).into_iter().min_by_key(|(rank, _)| *rank).map(|(_, ours)| ours);
        assert_eq!(first("Shape-Keys"), Some(C("Inspector")));
        assert_eq!(first("screensh"), Some(C("Save picture…")));
        assert_eq!(first("limit 4"), Some(C("Limit")));
        assert_eq!(first("copy skin weights"), Some(C("Transfer")));
        assert_eq!(first("sc"), None);
    }

    #[test]
    fn a_wrong_letter_is_no_matter_but_another_word_is() {
        let near = |name: &str, text: &str| misspelt(&words_of(name), &words_of(text));
        assert_eq!(near("Mirror pose", "miror"), Some(1));
        assert_eq!(near("Wireframe", "wierframe"), Some(1));
        assert_eq!(near("Dominant joint", "dominent jiont"), Some(2));
        assert_eq!(near("Preferences…", "prefrences"), Some(1));
        assert_eq!(near("Mirror pose", "wireframe"), None);
        assert_eq!(near("Grid", "gird"), Some(1));
        assert_eq!(near("Grid", "xyz"), None);
        assert!(likeness("normalise", "Normalise weights") > 0.6 && likeness("qqq", "Grid") == 0.0);
        assert_eq!(telling(&words_of("how do I limit to 4")), Some(vec!["limit".to_owned()]));
        assert_eq!((telling(&words_of("limit")), telling(&words_of("4"))), (None, None));
    }
}
