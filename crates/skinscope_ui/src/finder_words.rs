//! Words by which people look for things: what other programs call them, words that say nothing, and words with a letter wrong.

/// What a word of another program leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ours {
    /// The command of this label.
    Command(&'static str),
    /// The page of the manual with this id.
    Page(&'static str),
}

use Ours::{Command as C, Page as P};

/// Words of other programs (Blender, Maya, 3ds Max, Unity, Unreal and others), in small letters, with what they lead to here. Words with hyphens
/// stand with spaces, and those of several in the singular.
pub(super) const THEIRS: &[(&str, &[Ours])] = &[
    // Weights.
    ("limit", &[C("Limit"), C("Zero or over limit"), C("Preview as a runtime")]),
    ("limit total", &[C("Limit")]),
    ("limit influence", &[C("Limit")]),
    ("max influence", &[C("Limit")]),
    ("maximum influence", &[C("Limit")]),
    ("bone influence", &[C("Limit"), C("Influences")]),
    ("skin weight quality", &[C("Preview as a runtime"), C("Limit")]),
    ("four bone", &[C("Limit")]),
    ("prune", &[C("Prune")]),
    ("prune small weight", &[C("Prune")]),
    ("remove unused influence", &[C("Prune"), C("Remove joint")]),
    ("clean weight", &[C("Prune"), C("Repair")]),
    ("clean vertex group", &[C("Prune")]),
    ("zero weight", &[C("Hammer"), C("Zero or over limit")]),
    ("soften", &[C("Smooth")]),
    ("soften weight", &[C("Smooth")]),
    ("blur weight", &[C("Smooth")]),
    ("relax weight", &[C("Smooth")]),
    ("weight hammer", &[C("Hammer")]),
    ("flood", &[C("Set weight")]),
    ("brush", &[C("Set weight"), C("Mark by circle"), P("fix")]),
    ("paint", &[C("Set weight"), C("Mark by circle"), P("fix")]),
    ("weight paint", &[C("Set weight"), C("Weights"), P("fix")]),
    ("paint skin weight", &[C("Set weight"), C("Weights"), P("fix")]),
    ("weight table", &[C("Tables"), C("Set weight")]),
    ("component editor", &[C("Tables")]),
    ("vertex group", &[C("Weights"), C("Tables")]),
    ("normalize", &[C("Normalise"), C("Normalise weights")]),
    ("normalize all", &[C("Normalise"), C("Normalise weights")]),
    ("copy weight", &[C("Transfer"), C("Paste")]),
    ("copy skin weight", &[C("Transfer")]),
    ("transfer weight", &[C("Transfer")]),
    ("data transfer", &[C("Transfer")]),
    ("paste weight", &[C("Paste")]),
    ("average weight", &[C("Average")]),
    ("mirror weight", &[C("Mirror")]),
    ("mirror skin weight", &[C("Mirror")]),
    ("mirror vertex group", &[C("Mirror")]),
    ("symmetrize", &[C("Mirror"), C("Mirror pose"), C("Symmetric editing")]),
    ("symmetry", &[C("Left/right asymmetry"), C("Symmetric editing"), C("Mirror")]),
    ("quantize", &[C("Round"), C("Preview as a runtime")]),
    ("compress weight", &[C("Round"), C("Preview as a runtime")]),
    ("move weight", &[C("Replace joint")]),
    ("merge bone", &[C("Replace joint"), C("Remove joint")]),
    ("delete bone", &[C("Remove joint")]),
    ("remove influence", &[C("Remove joint")]),
    ("add influence", &[C("Set weight"), P("fix")]),
    ("weld", &[C("Weld seams")]),
    ("seam", &[C("Weld seams")]),
    ("fix", &[C("Repair"), P("fix")]),
    ("heat map", &[C("Weights"), C("Edge stretch"), P("overlays")]),
    ("heatmap", &[C("Weights"), C("Edge stretch"), P("overlays")]),
    ("weight color", &[C("Weights"), C("Dominant joint"), P("overlays")]),
    ("color feedback", &[C("Weights")]),
    ("lock weight", &[C("Weight tools"), P("fix")]),
    ("hold weight", &[C("Weight tools"), P("fix")]),
    // Binding.
    ("bind skin", &[C("Bind here"), C("Transfer"), P("fix")]),
    ("smooth bind", &[C("Bind here"), C("Transfer"), P("fix")]),
    ("rebind", &[C("Bind here"), C("Inverse binds")]),
    ("auto weight", &[C("Transfer"), C("Hammer"), P("fix")]),
    ("automatic weight", &[C("Transfer"), C("Hammer"), P("fix")]),
    ("envelope", &[C("Transfer"), C("Weights"), P("fix")]),
    ("geodesic voxel", &[C("Transfer"), P("fix")]),
    ("skin cluster", &[C("Weights"), C("Tables")]),
    ("skin modifier", &[C("Weight tools"), C("Weights")]),
    ("skin wrap", &[C("Transfer")]),
    ("apply pose as rest pose", &[C("Bind here"), C("Inverse binds")]),
    ("go to bind pose", &[C("Bind pose")]),
    ("move skinned joint", &[C("Bind here")]),
    ("reset bind pose", &[C("Bind pose"), C("Inverse binds")]),
    ("t pose", &[C("Bind pose"), C("Rest pose")]),
    ("a pose", &[C("Bind pose"), C("Rest pose")]),
    // Shapes.
    ("shape key", &[C("Inspector"), P("poses"), P("controls")]),
    ("blend shape", &[C("Inspector"), P("poses"), P("controls")]),
    ("blendshape", &[C("Inspector"), P("poses"), P("controls")]),
    ("morph", &[C("Inspector"), P("poses"), P("controls")]),
    ("morpher", &[C("Inspector"), P("poses"), P("controls")]),
    ("morph target", &[C("Inspector"), P("poses"), P("controls")]),
    ("expression", &[C("Inspector"), P("poses"), P("controls")]),
    ("corrective", &[P("controls"), P("methods")]),
    ("corrective shape", &[P("controls"), P("methods")]),
    ("pose space deformation", &[P("controls"), P("methods")]),
    ("driver", &[P("controls")]),
    ("driven key", &[P("controls")]),
    ("set driven key", &[P("controls")]),
    ("constraint", &[C("Pin joint"), C("Hold joint"), P("controls")]),
    ("expression editor", &[P("controls")]),
    // Methods.
    ("delta mush", &[P("methods")]),
    ("corrective smooth", &[P("methods")]),
    ("dual quaternion", &[P("methods")]),
    ("preserve volume", &[P("methods"), C("Deformation")]),
    ("candy wrapper", &[P("methods"), P("examples")]),
    ("linear blend", &[P("methods")]),
    ("lbs", &[P("methods")]),
    ("skinning method", &[P("methods")]),
    // Posing.
    ("ik", &[C("Pull tool"), C("Pin joint"), P("poses")]),
    ("ik handle", &[C("Pull tool"), P("poses")]),
    ("inverse kinematics", &[C("Pull tool"), C("Pin joint"), P("poses")]),
    ("fk", &[C("Turn tool"), P("poses")]),
    ("pole vector", &[P("poses")]),
    ("aim", &[C("Look tool")]),
    ("look at", &[C("Look tool")]),
    ("rotate", &[C("Turn"), C("Turn tool")]),
    ("translate", &[C("Move"), C("Move tool")]),
    ("gizmo", &[C("Turn tool"), C("Move tool"), C("Scale tool")]),
    ("manipulator", &[C("Turn tool"), C("Move tool"), C("Scale tool")]),
    ("pose asset", &[C("Pose library"), C("Save pose…")]),
    ("pose mode", &[C("Turn tool"), P("poses")]),
    ("clear rotation", &[C("Reset joint")]),
    ("clear transform", &[C("Reset joint"), C("Reset all")]),
    ("zero out", &[C("Reset joint"), C("Reset all")]),
    ("paste flipped pose", &[C("Paste mirrored")]),
    ("x mirror", &[C("Symmetric editing")]),
    ("joint limit", &[C("Obey limits"), P("poses")]),
    ("degree of freedom", &[C("Obey limits"), P("poses")]),
    ("range of motion", &[P("check"), C("Deformation")]),
    ("rom", &[P("check"), C("Deformation")]),
    // Clips.
    ("animation", &[C("Timeline"), P("clips")]),
    ("action", &[C("Timeline"), P("clips")]),
    ("take", &[C("Take clips from file…"), P("clips")]),
    ("retarget", &[C("Take clips from file…"), C("Joints of taken clips…"), P("clips")]),
    ("ik retargeter", &[C("Take clips from file…"), C("Joints of taken clips…")]),
    ("mixamo", &[C("Take clips from file…"), P("clips")]),
    ("humanoid", &[C("Joints of taken clips…"), P("clips")]),
    ("avatar", &[C("Joints of taken clips…"), P("clips")]),
    ("keyframe", &[C("Key this pose"), C("Timeline")]),
    ("insert keyframe", &[C("Key this pose")]),
    ("graph editor", &[C("Tables"), P("clips")]),
    ("f curve", &[C("Tables"), P("clips")]),
    ("dope sheet", &[C("Timeline"), P("clips")]),
    ("animation layer", &[C("Timeline"), P("clips")]),
    ("blend tree", &[C("Timeline"), P("clips")]),
    ("crossfade", &[C("Timeline"), P("clips")]),
    ("root motion", &[C("In place"), P("clips")]),
    ("motion path", &[C("Motion trail")]),
    ("trajectory", &[C("Motion trail")]),
    ("ghosting", &[C("Onion skins")]),
    // Looking.
    ("screenshot", &[C("Save picture…"), C("Copy picture")]),
    ("snapshot", &[C("Save picture…")]),
    ("image", &[C("Save picture…")]),
    ("render", &[C("Save picture…"), P("pictures")]),
    ("playblast", &[C("Record film…")]),
    ("movie", &[C("Record film…")]),
    ("video", &[C("Record film…")]),
    ("gif", &[C("Record film…")]),
    ("turntable", &[C("Record film…")]),
    ("hdri", &[C("Open environment…"), C("Environment")]),
    ("hdr", &[C("Open environment…"), C("Environment")]),
    ("exr", &[C("Open environment…"), C("Environment")]),
    ("ibl", &[C("Open environment…"), C("Environment")]),
    ("exposure", &[C("Open environment…"), C("Environment")]),
    ("sky", &[C("Open environment…"), C("Environment behind the model")]),
    ("fps", &[C("Statistics")]),
    ("performance", &[C("Statistics"), P("speed")]),
    ("profiler", &[C("Statistics"), P("speed")]),
    ("matcap", &[C("Ceramic"), C("Red wax"), C("Jade"), C("Chrome"), C("Pearl"), C("Zebra stripes")]),
    ("unlit", &[C("Base colour")]),
    ("albedo", &[C("Base colour")]),
    ("diffuse", &[C("Base colour")]),
    ("checker", &[C("UV checker")]),
    ("uv", &[C("UV checker")]),
    ("flip normal", &[C("Back faces"), C("Normals"), C("Normal colours")]),
    ("face orientation", &[C("Back faces"), C("Normal colours")]),
    ("culling", &[C("Back faces")]),
    ("xray", &[C("Bones"), C("Mesh")]),
    ("x ray", &[C("Bones"), C("Mesh")]),
    ("ghost", &[C("Onion skins"), C("Mesh")]),
    ("skeleton", &[C("Bones")]),
    ("armature", &[C("Bones")]),
    ("wire", &[C("Wireframe")]),
    ("isolate", &[C("Hide selection"), C("Show all")]),
    ("local view", &[C("Hide selection"), C("Frame selection")]),
    ("unhide", &[C("Show all")]),
    ("zoom to fit", &[C("Frame all"), C("Frame selection")]),
    ("zoom extent", &[C("Frame all"), C("Frame selection")]),
    ("focus", &[C("Frame selection")]),
    ("numpad", &[P("keys")]),
    ("camera", &[C("Next camera"), C("Orthographic")]),
    ("tessellation", &[C("Wireframe")]),
    ("poly count", &[C("Inspector"), C("Statistics")]),
    ("triangle count", &[C("Inspector"), C("Statistics")]),
    ("bone name", &[C("Joint names")]),
    ("dark mode", &[C("Light theme"), C("Preferences…")]),
    ("font size", &[C("Larger interface"), C("Smaller interface")]),
    ("full screen", &[C("Presentation")]),
    ("fullscreen", &[C("Presentation")]),
    // Files.
    ("import", &[C("Open…"), C("Open second model…"), P("formats")]),
    ("export", &[C("Export posed mesh…"), C("Save as…"), P("pictures")]),
    ("fbx", &[P("formats"), C("Open…")]),
    ("usd", &[P("formats"), C("Open…")]),
    ("obj", &[C("Export posed mesh…"), P("formats")]),
    ("stl", &[C("Export posed mesh…"), P("formats")]),
    ("bake", &[C("Export posed mesh…"), P("pictures")]),
    ("merge", &[C("Open second model…")]),
    ("project", &[C("Save session…"), C("Open session…"), P("sessions")]),
    ("auto save", &[P("sessions")]),
    ("history", &[C("Undo"), C("Undo view change")]),
    ("diff", &[C("Compare with file…"), P("compare")]),
    ("hotkey", &[C("Keys"), P("keys")]),
    ("shortcut", &[C("Keys"), P("keys")]),
    ("setting", &[C("Preferences…")]),
    ("option", &[C("Preferences…")]),
    ("tutorial", &[C("First steps"), P("window"), P("examples")]),
    ("help", &[C("Keys"), C("Manual…"), P("window")]),
    ("validate", &[P("check"), C("Repair")]),
    ("lint", &[P("check"), C("Repair")]),
    ("script", &[P("commands")]),
    ("command line", &[P("commands")]),
    ("python", &[P("commands")]),
    ("mel", &[P("commands")]),
];

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
    for (theirs, ours) in THEIRS {
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
        for (theirs, ours) in THEIRS {
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
