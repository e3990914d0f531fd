//! Finds left and right in the names of joints.

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

/// Returns the side that a name tells, and the name without it, which is the same for both joints of a pair. It
/// understands `arm.L`, `L_arm`, `arm_l_01`, `LeftArm`, `mixamorig:LeftArm`, `Bip01 L Hand`, `J_Bip_L_Hand`, `lShldr`,
/// `ShoulderL` and `leftarm`; `None` for a name without a side, or with both.
#[must_use]
pub fn side(name: &str) -> Option<(Side, String)> {
    let (mut side, mut rest) = (None, String::with_capacity(name.len()));
    for word in words(name) {
        let lower = word.to_lowercase();
        let (found, left_over) = match lower.as_str() {
            "l" | "left" => (Some(Side::Left), ""),
            "r" | "right" => (Some(Side::Right), ""),
            _ => within(&lower),
        };
        if found.is_some() {
            if side.is_some() && side != found {
                return None;
            }
            side = found;
            rest.push('\u{0}');
        }
        rest.push_str(if found.is_some() { left_over } else { &lower });
    }
    Some((side?, rest))
}

/// Finds "left" or "right" at the start or the end of a word without capitals; returns the side and the rest of the
/// word.
fn within(word: &str) -> (Option<Side>, &str) {
    for (side, text) in [(Side::Left, "left"), (Side::Right, "right")] {
        if let Some(rest) = word.strip_prefix(text).or_else(|| word.strip_suffix(text)) {
            return (Some(side), rest);
        }
    }
    (None, word)
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
        ];
        for (left, right) in pairs {
            let (l, r) = (side(left).unwrap(), side(right).unwrap());
            assert_eq!((l.0, r.0), (Side::Left, Side::Right), "{left}");
            assert_eq!(l.1, r.1, "{left}");
        }
    }

    #[test]
    fn other_names_have_no_side() {
        for name in ["", "Spine1", "Leg", "Roll", "ball", "Hips", "lower", "RootL_to_R", "ULNA", "node 7", "Körper"] {
            assert_eq!(side(name), None, "{name}");
        }
    }

    #[test]
    fn different_joints_have_different_names() {
        assert_ne!(side("Finger1.L").unwrap().1, side("Finger2.L").unwrap().1);
        assert_ne!(side("L_Arm").unwrap().1, side("Arm_L").unwrap().1);
    }
}
