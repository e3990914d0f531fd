//! Every sentence of the pages that claims a number or a relation is checked, or marked as an opinion ([`super::claim_list_tests`]).

use super::claim_list_tests::CLAIMS;
use super::claim_list_tests::Check::{Description, Holds, Opinion, Test};
use super::{Block, Moment, Settings, example, examples};

/// The sentences of a text.
fn sentences(text: &str) -> impl Iterator<Item = String> + '_ {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.find(". ").into_iter().chain(rest.find("? ")).min().map_or(rest.len(), |at| at + 1);
        let (sentence, after) = rest.split_at(end);
        rest = after.trim_start();
        (!sentence.is_empty()).then(|| sentence.to_owned())
    })
}

/// Words with which a sentence claims something.
const WORDS: &[&str] = &["always", "never", "nothing", "exactly", "only", "whatever", "same"];

fn claims(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphabetic());
    sentence.chars().any(|c| c.is_ascii_digit()) || words.any(|word| WORDS.contains(&word))
}

#[test]
fn every_sentence_that_claims_something_is_checked_or_marked() {
    let mut found = Vec::new();
    for example in examples() {
        let claimed = CLAIMS.iter().find(|(id, _)| *id == example.id).map_or(&[][..], |(_, claims)| claims);
        let page = &example.page;
        let texts = page.blocks.iter().filter_map(|block| match block {
            Block::Text(text) => Some(*text),
            Block::Formula(formula) if !formula.note.is_empty() => Some(formula.note),
            _ => None,
        });
        let texts = texts.flat_map(sentences).filter(|sentence| claims(sentence));
        for sentence in texts.chain(page.what_to_see.iter().flat_map(|text| sentences(text))) {
            if !claimed.iter().any(|(words, _)| sentence.contains(words)) {
                found.push(format!("{}: nothing checks \"{sentence}\"", example.id));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn what_the_pages_claim_is_true() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| std::fs::read_to_string(entry.unwrap().path()));
    let sources: String = files.filter_map(Result::ok).collect();
    let mut found = Vec::new();
    for (id, claimed) in CLAIMS {
        let first = Moment::new(Settings::of(example(id).unwrap()));
        let page = &first.example().page;
        let texts = page.blocks.iter().filter_map(|block| match block {
            Block::Text(text) => Some(*text),
            Block::Formula(formula) => Some(formula.note),
            Block::Chart(_) => None,
        });
        let all: Vec<&str> =
            texts.chain(page.try_this.iter().copied()).chain(page.what_to_see.iter().copied()).collect();
        for (words, check) in *claimed {
            if !all.iter().any(|text| text.contains(words)) {
                found.push(format!("{id}: the page does not say \"{words}\""));
            }
            let holds = match check {
                Holds(holds) => holds(&first),
                Test(name) => sources.contains(&format!("fn {name}()")),
                Description | Opinion => true,
            };
            if !holds {
                found.push(format!("{id}: \"{words}\" does not hold"));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
