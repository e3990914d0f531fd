//! Names that have no room are cut so that no two of a model look alike: the letters stay in which they differ.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};

use egui::cache::{ComputerMut, FrameCache};
use egui::{Id, Ui};
use skinscope_model::Model;

/// Makes the names of this model the ones that are told apart, in all panels that are shown after it.
pub(crate) fn tell_apart(ui: &Ui, model: Option<&Arc<Model>>) {
    let names: Weak<Model> = model.map(Arc::downgrade).unwrap_or_default();
    ui.data_mut(|d| d.insert_temp(Id::unique("names to tell apart"), names));
}

/// A name of which only the beginning and the end are shown, in letters.
#[derive(Clone, Copy)]
struct CutName<'a> {
    model: &'a Model,
    name: &'a str,
    head: usize,
    tail: usize,
}

impl Hash for CutName<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.model).hash(state);
        (self.name, self.head, self.tail).hash(state);
    }
}

#[derive(Default)]
struct Differences;

impl ComputerMut<CutName<'_>, Arc<[usize]>> for Differences {
    fn compute(&mut self, cut: CutName<'_>) -> Arc<[usize]> {
        let model = cut.model;
        let meshes = model.meshes.iter().map(|mesh| &mesh.name);
        let names = model.skeleton.names.iter().chain(meshes).chain(model.skins.iter().map(|skin| &skin.name));
        differences(cut.name, names.map(String::as_str), cut.head, cut.tail).into()
    }
}

/// Returns the places of the letters by which a name differs from those of the model that would look like it, where only `head` letters
/// of its beginning and `tail` letters of its end are shown.
pub(super) fn differences_of(ui: &Ui, name: &str, head: usize, tail: usize) -> Arc<[usize]> {
    let names: Option<Weak<Model>> = ui.data(|d| d.get_temp(Id::unique("names to tell apart")));
    let Some(model) = names.and_then(|names| names.upgrade()) else { return Arc::default() };
    let cut = CutName { model: &model, name, head, tail };
    ui.memory_mut(|m| m.caches.cache::<FrameCache<Arc<[usize]>, Differences>>().get(cut).clone())
}

/// Returns letters by which `name` differs from all other names, those that tell it from the most similar ones first. There are none where
/// no other name begins and ends as it does.
fn differences<'a>(name: &str, names: impl Iterator<Item = &'a str>, head: usize, tail: usize) -> Vec<usize> {
    let byte = |at: usize| name.char_indices().nth(at).map_or(name.len(), |(byte, _)| byte);
    let letters: Vec<char> = name.chars().collect();
    let (start, end) = (&name[..byte(head)], &name[byte(letters.len().saturating_sub(tail))..]);
    let first = |other: &str| letters.iter().zip(other.chars()).take_while(|(a, b)| **a == *b).count();
    let mut others: Vec<(usize, &str)> = names.filter(|other| *other != name).map(|o| (first(o), o)).collect();
    if !others.iter().any(|(_, other)| other.starts_with(start) && other.ends_with(end)) {
        return Vec::new();
    }
    others.sort_unstable_by(|a, b| b.cmp(a));
    let mut telling: Vec<usize> = Vec::new();
    for (at, other) in others.into_iter().filter(|(at, _)| *at < letters.len()) {
        // One letter tells a name from several others, if it differs from theirs counted from the beginning and from the end.
        let chars: Vec<char> = other.chars().collect();
        let from_end = |i: usize| (chars.len() + i).checked_sub(letters.len()).and_then(|i| chars.get(i));
        let tells = |i: &usize| {
            let letter = letters.get(*i);
            chars.get(*i) != letter && from_end(*i) != letter
        };
        if !telling.iter().any(tells) && !telling.contains(&at) {
            telling.push(at);
        }
    }
    telling
}

/// Returns how many letters of the beginning of a name fit, and the letter from which on its end does, where the beginning takes two
/// fifths of the room. `ends` are the right edges of its letters.
pub(super) fn middle(ends: &[f32], room: f32) -> (usize, usize) {
    let total = ends.last().copied().unwrap_or(0.0);
    let head = ends.iter().filter(|x| **x <= 0.4 * room).count();
    let used = head.checked_sub(1).map_or(0.0, |i| ends[i]);
    let tail = ends.iter().filter(|x| total - **x <= room - used).count();
    // The glyph that ends first within the tail's room starts before it.
    (head, (ends.len() + 1).saturating_sub(tail).max(head).min(ends.len()))
}

/// Returns a name of which one part is left out that has none of the letters at `differ`, its beginning taking about two fifths of the room;
/// `None` where none is short enough.
fn one_gap(name: &[char], ends: &[f32], differ: &[usize], room: f32) -> Option<String> {
    let total = *ends.last()?;
    let width = |letters: usize| letters.checked_sub(1).map_or(0.0, |last| ends[last]);
    let cut = |head: usize| {
        let from = (head + 1..=name.len()).find(|from| width(head) + total - width(*from) <= room)?;
        let lost = differ.iter().any(|at| (head..from).contains(at));
        (!lost && width(head) <= room).then_some((head, from))
    };
    // A number is rather left whole.
    let splits = |from: usize| name[from - 1..].iter().take(2).all(char::is_ascii_digit);
    let apart =
        |(head, from): (usize, usize)| (width(head) - 0.4 * room).abs() + if splits(from) { 0.2 * room } else { 0.0 };
    let cuts = (0..name.len()).filter_map(cut);
    let (head, from) = cuts.min_by(|a, b| apart(*a).total_cmp(&apart(*b)))?;
    Some(name[..head].iter().chain(&['…']).chain(&name[from..]).collect())
}

/// Returns a name cut to its most telling letters: those at `differ` with the beginning and the end around one gap, where that has room;
/// else those letters with what is around them and the end. `dots` is the width of an ellipsis.
pub(super) fn telling(name: &[char], ends: &[f32], differ: &[usize], room: f32, dots: f32) -> String {
    if let Some(text) = one_gap(name, ends, differ, room - dots) {
        return text;
    }
    let width = |i: usize| ends[i] - i.checked_sub(1).map_or(0.0, |before| ends[before]);
    let is_gap = |shown: &[bool], i: usize| !shown[i] && (i == 0 || shown[i - 1]);
    let mut shown = vec![false; name.len()];
    let mut show = |at: usize| {
        if at >= shown.len() || std::mem::replace(&mut shown[at], true) {
            return;
        }
        let letters: f32 = (0..shown.len()).filter(|i| shown[*i]).map(width).sum();
        let gaps = (0..shown.len()).filter(|i| is_gap(&shown, *i)).count();
        shown[at] = letters + gaps as f32 * dots <= room;
    };
    differ.iter().copied().for_each(&mut show);
    for far in 0..name.len() {
        for at in differ {
            show(at + far);
        }
        show(name.len() - 1 - far);
        for at in differ {
            show(at.wrapping_sub(far));
        }
    }
    (0..name.len()).for_each(&mut show);
    let letter = |i: usize| if shown[i] { Some(name[i]) } else { is_gap(&shown, i).then_some('…') };
    (0..name.len()).filter_map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cuts a name as panels do, where all letters are equally wide.
    fn cut(name: &str, names: &[String], letters: f32) -> String {
        let chars: Vec<char> = name.chars().collect();
        if chars.len() as f32 <= letters {
            return name.to_owned();
        }
        let ends: Vec<f32> = (1..=chars.len()).map(|n| n as f32).collect();
        let room = letters - 1.0;
        let (head, from) = middle(&ends, room);
        let differ = differences(name, names.iter().map(String::as_str), head, chars.len() - from);
        if differ.is_empty() {
            return chars[..head].iter().chain(&['…']).chain(&chars[from..]).collect();
        }
        telling(&chars, &ends, &differ, letters, 1.0)
    }

    #[test]
    fn no_two_names_that_are_cut_look_alike_and_each_fits() {
        let mut names = Vec::new();
        for side in ["Left", "Right"] {
            for finger in ["Thumb", "Index", "Middle", "Ring", "Pinky"] {
                names.extend(
                    (1..=4).map(|bone| format!("character_rig_mixamorig:{side}Hand{finger}{bone}_deform_joint")),
                );
            }
        }
        names.extend((0..30).map(|i| format!("spine_segment_{i:03}_of_the_long_tail_jnt")));
        for letters in [14.0, 18.0, 24.0, 32.0] {
            let all: Vec<String> = names.iter().map(|name| cut(name, &names, letters)).collect();
            for (i, a) in all.iter().enumerate() {
                assert!(a.chars().count() as f32 <= letters, "{a}");
                assert!(!all[..i].contains(a), "{a} stands for {} too", names[i]);
            }
        }
    }

    #[test]
    fn the_part_that_differs_stays_with_the_ends() {
        let names = ["upper_arm_twist_01_left_side_jnt", "upper_arm_twist_02_left_side_jnt"].map(str::to_owned);
        assert_eq!(cut(&names[0], &names[..1], 16.0), "upper_…_side_jnt");
        assert_eq!(names.each_ref().map(|name| cut(name, &names, 16.0)), ["…1_left_side_jnt", "…2_left_side_jnt"]);
        assert_eq!(
            names.each_ref().map(|name| cut(name, &names, 22.0)),
            ["upper…01_left_side_jnt", "upper…02_left_side_jnt"]
        );
        // Names of which no beginning and end have the letters are cut to the parts that do.
        let fingers = [1, 2].map(|i| format!("character_rig_finger_{i}_of_the_left_hand_joint"));
        assert_eq!(cut(&fingers[1], &fingers, 14.0), "…er_2_of_…oint");
    }
}
