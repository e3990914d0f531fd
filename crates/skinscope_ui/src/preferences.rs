//! The preferences: settings that the user chooses, each with its words and its choices. The dialog, the search of all, the command line
//! and the manual have them from this table.

use skinscope_base::math::Units;
use skinscope_frame::LOOKS;
use skinscope_inspect::OVERLAYS;

use super::saved::{AtStart, MouseHabit, Saved};

/// A setting that the user chooses among a few values.
pub struct Preference {
    /// Its word on the command line and in commands.
    pub id: &'static str,
    /// Its name in the dialog.
    pub label: &'static str,
    /// A sentence about what it does.
    pub help: &'static str,
    /// Returns what can be chosen.
    choices: fn() -> Vec<PreferenceChoice>,
    /// Returns the word of what is chosen.
    get: fn(&Saved) -> &'static str,
    /// Takes a word of the choices.
    set: fn(&mut Saved, &'static str),
}

/// A value that a preference can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreferenceChoice {
    /// Its word on the command line and in commands.
    pub id: &'static str,
    /// Its name in the dialog.
    pub label: &'static str,
}

impl Preference {
    /// Returns what can be chosen, in the order of the dialog.
    #[must_use]
    pub fn choices(&self) -> Vec<PreferenceChoice> {
        (self.choices)()
    }

    /// Returns what is chosen in `saved`.
    #[must_use]
    pub fn chosen(&self, saved: &Saved) -> PreferenceChoice {
        let id = (self.get)(saved);
        let known = self.choices().into_iter().find(|choice| choice.id == id);
        known.unwrap_or(PreferenceChoice { id, label: id })
    }

    /// Chooses a value by its word. Returns false, and changes nothing, where there is no such choice.
    pub fn choose(&self, saved: &mut Saved, word: &str) -> bool {
        let choice = self.choices().into_iter().find(|choice| choice.id == word);
        if let Some(choice) = choice {
            (self.set)(saved, choice.id);
        }
        choice.is_some()
    }
}

impl std::fmt::Debug for Preference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id)
    }
}

/// Returns the preference of this word.
#[must_use]
pub fn preference(id: &str) -> Option<&'static Preference> {
    PREFERENCES.iter().find(|preference| preference.id == id)
}

fn of<const N: usize>(choices: [(&'static str, &'static str); N]) -> Vec<PreferenceChoice> {
    choices.map(|(id, label)| PreferenceChoice { id, label }).to_vec()
}

const OFF: &str = "off";
const ON: &str = "on";

/// The sizes of the interface, per cent.
const SCALES: [(u32, &str, &str); 10] = [
    (75, "75", "75 %"),
    (90, "90", "90 %"),
    (100, "100", "100 %"),
    (110, "110", "110 %"),
    (125, "125", "125 %"),
    (150, "150", "150 %"),
    (175, "175", "175 %"),
    (200, "200", "200 %"),
    (250, "250", "250 %"),
    (300, "300", "300 %"),
];

/// Returns the size of the interface that is one step larger (1) or smaller (−1) than `scale`, or the usual one (0); per cent.
pub(super) fn stepped_scale(scale: u32, steps: i32) -> u32 {
    let mut sizes = SCALES.iter().map(|(size, ..)| *size);
    match steps {
        0 => 100,
        1.. => sizes.find(|size| *size > scale).unwrap_or(scale),
        _ => sizes.rfind(|size| *size < scale).unwrap_or(scale),
    }
}

/// Returns a scale that the interface can have, per cent.
pub(super) fn usable_scale(scale: u32) -> u32 {
    scale.clamp(SCALES[0].0, SCALES[SCALES.len() - 1].0)
}

/// All preferences, in the order of the dialog.
pub static PREFERENCES: &[Preference] = &[
    Preference {
        id: "theme",
        label: "Theme",
        help: "The colours of the panels and of the ground of the picture; System is that of the desktop, where it says one",
        choices: || of([("system", "System"), ("dark", "Dark"), ("light", "Light")]),
        get: |saved| match (saved.system_theme, saved.light) {
            (true, _) => "system",
            (false, false) => "dark",
            (false, true) => "light",
        },
        set: |saved, id| (saved.system_theme, saved.light) = (id == "system", id == "light"),
    },
    Preference {
        id: "scale",
        label: "Size of the interface",
        help: "How large text and controls are; Ctrl+plus, Ctrl+minus and Ctrl+0 change it too",
        choices: || SCALES.iter().map(|(_, id, label)| PreferenceChoice { id, label }).collect(),
        get: |saved| SCALES.iter().rfind(|(size, ..)| *size <= saved.scale).map_or("100", |(_, id, _)| id),
        set: |saved, id| saved.scale = SCALES.iter().find(|(_, known, _)| *known == id).map_or(100, |(size, ..)| *size),
    },
    Preference {
        id: "keys",
        label: "Keys of the tools",
        help: "As in Blender G, R and S move, turn and scale; as in Maya W, E and R choose the tools for that",
        choices: || of([("blender", "As in Blender"), ("maya", "As in Maya")]),
        get: |saved| if saved.maya_keys { "maya" } else { "blender" },
        set: |saved, id| saved.maya_keys = id == "maya",
    },
    Preference {
        id: "mouse",
        label: "Mouse over the picture",
        help: "The buttons that turn and move the camera: left and middle; in Blender middle, with Shift to move and with Ctrl to zoom; in Maya Alt with left, middle and right",
        choices: || of([("skinscope", "Usual"), ("blender", "As in Blender"), ("maya", "As in Maya")]),
        get: |saved| match saved.mouse {
            MouseHabit::Skinscope => "skinscope",
            MouseHabit::Blender => "blender",
            MouseHabit::Maya => "maya",
        },
        set: |saved, id| {
            saved.mouse = match id {
                "blender" => MouseHabit::Blender,
                "maya" => MouseHabit::Maya,
                _ => MouseHabit::Skinscope,
            }
        },
    },
    Preference {
        id: "start",
        label: "Opens at the start",
        help: "What a start without a file shows: the built-in character, the file that was opened last, or nothing",
        choices: || of([("built-in", "Built-in character"), ("last", "Last file"), ("nothing", "Nothing")]),
        get: |saved| match saved.at_start {
            AtStart::BuiltIn => "built-in",
            AtStart::Last => "last",
            AtStart::Nothing => "nothing",
        },
        set: |saved, id| {
            saved.at_start = match id {
                "last" => AtStart::Last,
                "nothing" => AtStart::Nothing,
                _ => AtStart::BuiltIn,
            }
        },
    },
    Preference {
        id: "follow",
        label: "Follow changes of the file",
        help: "Read the open file again, by itself, once another program has changed it",
        choices: || of([(ON, "On"), (OFF, "Off")]),
        get: |saved| if saved.watch { ON } else { OFF },
        set: |saved, id| saved.watch = id == ON,
    },
    Preference {
        id: "overlay",
        label: "Overlay at the start",
        help: "What colours the surface when the window opens",
        choices: || {
            let none = PreferenceChoice { id: "none", label: "Shaded" };
            let overlays = OVERLAYS.iter().map(|overlay| PreferenceChoice { id: overlay.id, label: overlay.label });
            std::iter::once(none).chain(overlays).collect()
        },
        get: |saved| OVERLAYS.iter().find(|overlay| overlay.id == saved.overlay).map_or("none", |overlay| overlay.id),
        set: |saved, id| saved.overlay = if id == "none" { String::new() } else { id.to_owned() },
    },
    Preference {
        id: "look",
        label: "Look at the start",
        help: "How surfaces are drawn that no overlay colours, when the window opens",
        choices: || LOOKS.iter().map(|look| PreferenceChoice { id: look.id, label: look.label }).collect(),
        get: |saved| LOOKS.iter().find(|look| look.id == saved.look).map_or("studio", |look| look.id),
        set: |saved, id| saved.look = if id == "studio" { String::new() } else { id.to_owned() },
    },
    Preference {
        id: "units",
        label: "Lengths in",
        help: "The units of lengths in panels and legends; files are in metres",
        choices: || of([("metric", "mm, cm, m, km"), ("imperial", "inches, feet, miles")]),
        get: |saved| match saved.units {
            Units::Metric => "metric",
            Units::Imperial => "imperial",
        },
        set: |saved, id| saved.units = if id == "imperial" { Units::Imperial } else { Units::Metric },
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_is_what_is_chosen_then_and_no_word_stands_twice() {
        for (i, preference) in PREFERENCES.iter().enumerate() {
            assert!(
                PREFERENCES[i + 1..].iter().all(|other| other.id != preference.id && other.label != preference.label)
            );
            let mut saved = Saved::default();
            let others = |saved: &Saved| -> Vec<_> {
                PREFERENCES.iter().filter(|p| p.id != preference.id).map(|p| p.chosen(saved).id).collect()
            };
            let before = others(&saved);
            for choice in preference.choices() {
                assert!(preference.choose(&mut saved, choice.id), "{} {}", preference.id, choice.id);
                assert_eq!(preference.chosen(&saved), choice, "{}", preference.id);
                assert_eq!(others(&saved), before, "{} changes no other", preference.id);
            }
            let before = saved.clone();
            assert!(!preference.choose(&mut saved, "no such word") && saved == before);
        }
    }

    #[test]
    fn the_scale_steps_through_all_sizes_and_back() {
        let mut scale = 100;
        let mut seen = vec![scale];
        for _ in 0..20 {
            scale = stepped_scale(scale, 1);
            seen.push(scale);
        }
        assert_eq!((seen[1], seen[2], scale), (110, 125, 300));
        for _ in 0..20 {
            scale = stepped_scale(scale, -1);
        }
        assert_eq!((scale, stepped_scale(scale, 0), usable_scale(7), usable_scale(7000)), (75, 100, 75, 300));
    }
}
