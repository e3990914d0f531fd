//! Finds the sides left and right in names of joints.

/// A side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Side {
    Left,
    Right,
}

impl Side {
    /// Returns the opposite side.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

/// Words for left and for right.
type Words = [(Side, &'static [&'static str]); 2];

/// Words that stand alone in a name, such as the `L` of `Bip01 L Hand`.
const ALONE: Words = [(Side::Left, &["l", "left", "lft"]), (Side::Right, &["r", "right", "rgt", "rght"])];

/// Words that may begin or end a word without capitals, such as `leftarm`.
const AT_ENDS: Words = [(Side::Left, &["left"]), (Side::Right, &["right"])];

/// Words of other languages and rarer tools that stand alone. Since some of them mean something else too, they count only
/// in a name without the words above.
const ALONE_ELSEWHERE: Words = [
    (
        Side::Left,
        &[
            "lt",
            "lf",
            "links",
            "linke",
            "linker",
            "linkes",
            "gauche",
            "izq",
            "izquierda",
            "izquierdo",
            "sx",
            "sinistra",
            "sinistro",
            "esquerda",
            "esquerdo",
            "hidari",
        ],
    ),
    (
        Side::Right,
        &[
            "rt", "rf", "rechts", "rechte", "rechter", "rechtes", "droit", "droite", "der", "derecha", "derecho", "dx",
            "destra", "destro", "direita", "direito", "migi",
        ],
    ),
];

/// Words of scripts without spaces, and those that have endings; they count wherever they stand, as those before.
const ANYWHERE: Words = [
    (Side::Left, &["左", "ひだり", "ヒダリ", "왼쪽", "왼", "лев", "лів"]),
    (Side::Right, &["右", "みぎ", "ミギ", "오른쪽", "오른", "прав"]),
];

/// Returns the side in a name, and the name without it, which is the same for both joints of a pair. `None` for a name
/// without a side, or with both. It understands `arm.L`, `L_arm`, `arm_l_01`, `LeftArm`, `mixamorig:LeftArm`, `Bip01 L
/// Hand`, `J_Bip_L_Hand`, `lShldr`, `ShoulderL`, `leftarm` and `Arm [Lft]`, and words of other languages in `左腕`, `Arm
/// links`, `mano_izq` and the like.
#[must_use]
pub fn side(name: &str) -> Option<(Side, String)> {
    let words: Vec<String> = words(name).into_iter().map(str::to_lowercase).collect();
    let usual = |word: &str| alone(word, &ALONE).or_else(|| at_ends(word));
    if words.iter().any(|word| usual(word).is_some()) {
        return side_and_rest(&words, &usual);
    }
    side_and_rest(&words, &|word| alone(word, &ALONE_ELSEWHERE).or_else(|| anywhere(word)))
}

/// A side that a word tells, and what else the word says.
type SideAndRest = Option<(Side, String)>;

/// Returns the side that some words tell, and all words without it; `None` where they tell none, or both.
fn side_and_rest(words: &[String], of_word: &dyn Fn(&str) -> SideAndRest) -> SideAndRest {
    let (mut side, mut rest) = (None, String::new());
    for word in words {
        match of_word(word) {
            Some((found, left_over)) => {
                if side.is_some_and(|side| side != found) {
                    return None;
                }
                side = Some(found);
                rest.push('\u{0}');
                rest.push_str(&left_over);
            }
            None => rest.push_str(word),
        }
    }
    Some((side?, rest))
}

/// Understands a word that is one of `sides`.
fn alone(word: &str, sides: &Words) -> SideAndRest {
    sides.iter().find(|(_, texts)| texts.contains(&word)).map(|(side, _)| (*side, String::new()))
}

/// Understands a word that begins or ends with one of [`AT_ENDS`].
fn at_ends(word: &str) -> SideAndRest {
    AT_ENDS.iter().find_map(|(side, texts)| {
        let rest = texts.iter().find_map(|text| word.strip_prefix(text).or_else(|| word.strip_suffix(text)))?;
        Some((*side, rest.to_owned()))
    })
}

/// Understands a word that has one of [`ANYWHERE`] in it, but not for both sides.
fn anywhere(word: &str) -> SideAndRest {
    let found = |(side, texts): &(Side, &[&str])| {
        let (before, after) = texts.iter().find_map(|text| word.split_once(text))?;
        Some((*side, format!("{before}\u{0}{after}")))
    };
    let [left, right] = ANYWHERE.each_ref().map(found);
    left.xor(right)
}

/// Splits a name where letters, digits and other signs meet, and where a capital begins a word; nothing is left out.
fn words(name: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = name.char_indices().collect();
    let kind = |c: char| {
        if c.is_alphabetic() {
            0
        } else if c.is_numeric() {
            1
        } else {
            2
        }
    };
    let mut out = Vec::new();
    let mut start = 0;
    for i in 1..chars.len() {
        let (before, (at, here)) = (chars[i - 1].1, chars[i]);
        let next_is_lower = chars.get(i + 1).is_some_and(|(_, c)| c.is_lowercase());
        let capital = here.is_uppercase() && (before.is_lowercase() || (before.is_uppercase() && next_is_lower));
        if kind(before) != kind(here) || capital {
            out.push(&name[start..at]);
            start = at;
        }
    }
    out.push(&name[start..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_many_tools_have_one_name_and_two_sides() {
        let pairs = [
            ("arm.L", "arm.R"),
            ("L_arm", "R_arm"),
            ("upperarm_l", "upperarm_r"),
            ("thigh_twist_01_l", "thigh_twist_01_r"),
            ("finger.L.001", "finger.R.001"),
            ("mixamorig:LeftArm", "mixamorig:RightArm"),
            ("Bip01 L Hand", "Bip01 R Hand"),
            ("J_Bip_L_UpperArm", "J_Bip_R_UpperArm"),
            ("lShldr", "rShldr"),
            ("LArm", "RArm"),
            ("ShoulderL", "ShoulderR"),
            ("Thumb2L", "Thumb2R"),
            ("leftarm", "rightarm"),
            ("hand-left", "hand-right"),
            ("LEFT_EYE", "RIGHT_EYE"),
            ("Index1_Left", "Index1_Right"),
            ("L", "R"),
            ("Bip Arm [Lft]", "Bip Arm [Rgt]"),
            ("arm_lt", "arm_rt"),
            ("LfArm", "RtArm"),
            ("左腕", "右腕"),
            ("左足ＩＫ", "右足ＩＫ"),
            ("親指１.左", "親指１.右"),
            ("腕_左_01", "腕_右_01"),
            ("왼팔", "오른팔"),
            ("왼쪽 팔", "오른쪽 팔"),
            ("левая рука", "правая рука"),
            ("Arm links", "Arm rechts"),
            ("linker Arm", "rechter Arm"),
            ("bras_gauche", "bras_droite"),
            ("mano_izq", "mano_der"),
            ("Brazo Izquierdo", "Brazo Derecho"),
            ("Braccio SX", "Braccio DX"),
            ("der_arm.L", "der_arm.R"),
        ];
        for (left, right) in pairs {
            let (l, r) = (side(left).unwrap(), side(right).unwrap());
            assert_eq!((l.0, r.0), (Side::Left, Side::Right), "{left}");
            assert_eq!(l.1, r.1, "{left}");
        }
    }

    #[test]
    fn other_names_have_no_side() {
        for name in [
            "",
            "Spine1",
            "Leg",
            "Roll",
            "ball",
            "Hips",
            "lower",
            "RootL_to_R",
            "ULNA",
            "node 7",
            "Körper",
            "左右",
            "首",
            "腕",
        ] {
            assert_eq!(side(name), None, "{name}");
        }
    }

    #[test]
    fn different_joints_have_different_names() {
        assert_ne!(side("Finger1.L").unwrap().1, side("Finger2.L").unwrap().1);
        assert_ne!(side("L_Arm").unwrap().1, side("Arm_L").unwrap().1);
    }
}
