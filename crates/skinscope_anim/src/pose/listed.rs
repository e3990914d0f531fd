//! Finds what has a name or a number in a list, such as a clip: what the user writes names one of them.

use super::named::nearest_names;

/// The most names that a message lists.
const MOST_LISTED: usize = 16;

/// Finds the thing of this name, else that of this number (`3` or `#3`); a name that several have is refused with their numbers. `what` is
/// the word for one such thing and for several.
///
/// # Errors
/// None has the name or the number, or several have the name: the reason in words.
pub fn find_named([one, many]: [&str; 2], names: &[&str], wanted: &str) -> Result<usize, String> {
    let named: Vec<usize> = (0..names.len()).filter(|index| names[*index] == wanted).collect();
    let digits = wanted.strip_prefix('#').unwrap_or(wanted);
    let numbered = || digits.parse().ok().filter(|number| *number < names.len());
    match named[..] {
        [index] => Ok(index),
        [] => match numbered() {
            Some(number) => Ok(number),
            None if names.is_empty() => Err(format!("there is no {one} \"{wanted}\"; the file has no {one}")),
            None => Err(format!("there is no {one} \"{wanted}\"; {}", known_names(many, names, wanted))),
        },
        [first, ..] => {
            // Where the name is a number itself, the number needs its sign.
            let sign = if wanted.parse::<usize>().is_ok() { "#" } else { "" };
            let numbers = first_few(&named);
            Err(format!(
                "several {many} are called \"{wanted}\"; say which by its number, such as {sign}{first}: {numbers}"
            ))
        }
    }
}

/// Says which names there are: all of a few, of many the nearest to the one that was wanted.
#[must_use]
pub fn known_names(many: &str, names: &[&str], wanted: &str) -> String {
    if names.len() <= MOST_LISTED {
        return format!("{many}: {}", names.join(", "));
    }
    let nearest = nearest_names(wanted, names.iter().copied());
    format!("the nearest of {} {many} are {}", names.len(), nearest.join(", "))
}

/// Returns the first of some numbers, and how many more there are.
fn first_few(numbers: &[usize]) -> String {
    let first = numbers.iter().take(MOST_LISTED).map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if numbers.len() > MOST_LISTED { format!("{first} and {} more", numbers.len() - MOST_LISTED) } else { first }
}
