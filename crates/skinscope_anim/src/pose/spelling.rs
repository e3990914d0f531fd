//! The different spellings of a joint's name that programs write: with a prefix, without its colon, with a number at
//! the end.

use std::collections::HashMap;

use skinscope_model::joined;

/// What some programs write before every name. A number may follow, and must where `true` stands.
const PREFIXES: [(&str, bool); 4] = [("mixamorig", false), ("ccbase", false), ("bip", true), ("character", true)];

/// The part of a name that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The whole name.
    Whole,
    /// The name without a number after a separator at its end, such as the `_07` of `Hips_07`.
    WithoutNumber,
}

/// The parts of two names that are compared, the strictest first: of the other file's names, and of the model's.
pub(super) const WAYS: [(Part, Part); 4] = [
    (Part::Whole, Part::Whole),
    (Part::WithoutNumber, Part::Whole),
    (Part::Whole, Part::WithoutNumber),
    (Part::WithoutNumber, Part::WithoutNumber),
];

/// Returns the form in which a name is compared: in lower case, without a prefix (up to the last `:` or `|`, or one of
/// a known program) and without separators, except those between two digits. `None` where nothing is left.
pub(super) fn spelled(name: &str, part: Part) -> Option<String> {
    let name = name.rsplit_once([':', '|']).map_or(name, |(_, rest)| rest);
    let name = if part == Part::WithoutNumber { without_number(name) } else { name };
    let out = joined(name, &|letter| matches!(letter, '_' | '-' | '.' | ' '));
    let bare = PREFIXES.iter().find_map(|(prefix, is_numbered)| {
        let rest = out.strip_prefix(prefix)?;
        let bare = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        (!bare.is_empty() && (!is_numbered || bare.len() < rest.len())).then(|| bare.to_owned())
    });
    Some(bare.unwrap_or(out)).filter(|name| !name.is_empty())
}

/// Returns a name without digits at its end that stand behind a separator.
fn without_number(name: &str) -> &str {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_number = bare.len() < name.len() && bare.ends_with(['_', '.', ' ']);
    let rest = bare.trim_end_matches(['_', '.', ' ']);
    if is_number && !rest.is_empty() { rest } else { name }
}

/// Returns the index of each name by its spelling; `None` where several names have the same spelling.
pub(super) fn by_spelling<'n>(
    names: impl Iterator<Item = (usize, &'n str)>,
    part: Part,
) -> HashMap<String, Option<usize>> {
    let mut out: HashMap<String, Option<usize>> = HashMap::new();
    for (at, name) in names {
        if let Some(name) = spelled(name, part) {
            out.entry(name).and_modify(|only| *only = None).or_insert(Some(at));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_joint_has_one_spelling_whichever_program_wrote_it() {
        let whole = |name| spelled(name, Part::Whole).unwrap_or_default();
        for name in [
            "mixamorig:LeftArm",
            "mixamorigLeftArm",
            "mixamorig1LeftArm",
            "Armature|mixamorig_Left_Arm",
            "left arm",
            "Character1_LeftArm",
        ] {
            assert_eq!(whole(name), "leftarm", "{name}");
        }
        assert_eq!(
            (whole("Bip01 L Thigh"), whole("Biped"), whole("bip"), whole("Character_Root"), whole("Character1")),
            ("lthigh".into(), "biped".into(), "bip".into(), "characterroot".into(), "character1".into())
        );
        // A separator between digits tells two names apart.
        assert_eq!((whole("Finger1_1"), whole("Finger_11")), ("finger1_1".into(), "finger11".into()));
        assert_eq!((whole("mixamorig"), spelled("_", Part::Whole)), ("mixamorig".into(), None));
        let bare = |name| spelled(name, Part::WithoutNumber).unwrap_or_default();
        assert_eq!(
            (bare("mixamorig:LeftArm_07"), bare("Spine1_03"), bare("Tail.001")),
            ("leftarm".into(), "spine1".into(), "tail".into())
        );
        assert_eq!((bare("Spine1"), bare("_01")), ("spine1".into(), "01".into()));
    }
}
