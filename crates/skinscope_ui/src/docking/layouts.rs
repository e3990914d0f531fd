//! Layouts: arrangements with names, the program's own and those of the user; and what commands about panels do to them.

use egui::{Rect, pos2};
use skinscope_session::{DockPanel, LAYOUTS, PanelPosition, WindowCommand};

use super::arrangement::{Arrangement, NamedLayout, Target};
use crate::saved::Saved;
use crate::{Dialog, UiState};

/// The longest name of a layout, letters.
const LONGEST_NAME: usize = 40;
/// The most layouts that a user can have.
const MOST: usize = 50;

/// The panels that a layout shows or hides; the page belongs to the example.
pub(crate) const SWITCHED: [DockPanel; 8] = [
    DockPanel::Outliner,
    DockPanel::Inspector,
    DockPanel::Timeline,
    DockPanel::Tables,
    DockPanel::Tools,
    DockPanel::Paint,
    DockPanel::Deformation,
    DockPanel::Statistics,
];

/// Returns a layout that the program has.
pub(super) fn built_in(name: &str) -> Option<NamedLayout> {
    use DockPanel::{Deformation, Inspector, Outliner, Tables, Timeline, Tools};
    let (text, shown) = match name {
        "Default" => ("", vec![Outliner, Inspector, Timeline]),
        "Weighting" => {
            ("bottom timeline; left outliner; right tools+inspector", vec![Outliner, Inspector, Timeline, Tools])
        }
        "Measuring" => (
            "bottom timeline; left outliner; right deformation+inspector",
            vec![Inspector, Timeline, Tables, Deformation],
        ),
        _ => return None,
    };
    let arrangement = Arrangement::parse(text).ok()?;
    Some(NamedLayout { name: name.to_owned(), arrangement, shown, sizes: sizes(&Saved::default()) })
}

fn sizes(saved: &Saved) -> [f32; 3] {
    [saved.outliner_width, saved.inspector_width, saved.tables_height]
}

/// Returns the names of all layouts: those of the program, then those of the user.
pub fn layout_names(saved: &Saved) -> Vec<String> {
    let own = saved.layouts.iter().map(|layout| layout.name.clone());
    LAYOUTS.iter().map(|layout| layout.name.to_owned()).chain(own).collect()
}

/// Returns the layout of a name, in whatever case it is written.
fn layout(saved: &Saved, name: &str) -> Option<NamedLayout> {
    let is_it = |known: &str| known.to_lowercase() == name.trim().to_lowercase();
    let own = saved.layouts.iter().find(|layout| is_it(&layout.name)).cloned();
    own.or_else(|| LAYOUTS.iter().find(|layout| is_it(layout.name)).and_then(|layout| built_in(layout.name)))
}

/// Chooses a layout for the next window, which opens its panels too. Returns false, and changes nothing, where none has this name.
pub fn choose_layout(saved: &mut Saved, name: &str) -> bool {
    let chosen = layout(saved, name);
    if let Some(layout) = &chosen {
        take(saved, layout);
        saved.layout_opens = true;
    }
    chosen.is_some()
}

/// Takes arrangement, sizes and the switches that settings have.
fn take(saved: &mut Saved, layout: &NamedLayout) {
    saved.layout = layout.arrangement.clone();
    [saved.outliner_width, saved.inspector_width, saved.tables_height] = layout.sizes;
    let shows = |panel| layout.shown.contains(&panel);
    (saved.outliner, saved.inspector) = (shows(DockPanel::Outliner), shows(DockPanel::Inspector));
    (saved.timeline, saved.tables) = (shows(DockPanel::Timeline), shows(DockPanel::Tables));
    // One panel has both.
    if !shows(DockPanel::Statistics) {
        (saved.statistics, saved.log) = (false, false);
    } else if !saved.log {
        saved.statistics = true;
    }
    saved.layout_name.clone_from(&layout.name);
}

/// Returns the layout that the settings name, so that its panels are opened.
pub(crate) fn chosen(saved: &Saved) -> Option<NamedLayout> {
    layout(saved, &saved.layout_name)
}

/// Returns the reason why a layout cannot have this name; `renamed` is the layout that would get it in place of its own.
pub(crate) fn refused_name(saved: &Saved, name: &str, renamed: Option<&str>) -> Option<String> {
    let name = name.trim();
    let same = |other: &str| other.to_lowercase() == name.to_lowercase();
    if name.is_empty() {
        return Some("A layout needs a name.".to_owned());
    }
    if name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
        return Some(format!("The name of a layout has at most {LONGEST_NAME} letters."));
    }
    if LAYOUTS.iter().any(|layout| same(layout.name)) {
        return Some(format!("{name} is a layout of the program."));
    }
    let is_taken = saved.layouts.iter().any(|layout| same(&layout.name));
    match renamed {
        Some(before) if is_taken && !same(before) => Some(format!("There is a layout {name} already.")),
        None if !is_taken && saved.layouts.len() >= MOST => Some(format!("There are {MOST} layouts already.")),
        _ => None,
    }
}

/// Carries out a command about how panels are arranged.
pub(crate) fn carry_out(state: &mut UiState, command: &WindowCommand) {
    let said = match command {
        WindowCommand::MovePanel(panel, to) => move_panel(state, *panel, *to),
        WindowCommand::ArrangePanels(text) => match Arrangement::parse(text) {
            Ok(arrangement) => {
                state.saved.layout = arrangement;
                Ok(String::new())
            }
            Err(why) => Err(format!("The panels stay where they are: {why}")),
        },
        WindowCommand::ChooseLayout(name) => match layout(&state.saved, name) {
            Some(layout) => {
                take(&mut state.saved, &layout);
                state.dock.wanted = Some(layout.shown);
                Ok(format!("Layout {}", layout.name))
            }
            None => Err(format!("There is no layout {name}")),
        },
        WindowCommand::SaveLayout(name) => save(state, name.trim()),
        WindowCommand::RenameLayout(before, name) => rename(&mut state.saved, before, name.trim()),
        WindowCommand::DeleteLayout(name) => {
            let count = state.saved.layouts.len();
            state.saved.layouts.retain(|layout| layout.name != *name);
            if state.saved.layout_name == *name {
                state.saved.layout_name.clear();
            }
            if state.saved.layouts.len() < count {
                Ok(format!("Deleted the layout {name}"))
            } else {
                Err(format!("There is no own layout {name}"))
            }
        }
        WindowCommand::ResetLayout => {
            let usual = Saved::default();
            let saved = &mut state.saved;
            saved.layout = Arrangement::default();
            [saved.outliner_width, saved.inspector_width, saved.tables_height] = sizes(&usual);
            saved.layout_name.clear();
            Ok("Every panel is where it is at first".to_owned())
        }
        WindowCommand::ShowLayouts => {
            state.dialog = Some(Dialog::Layouts);
            Ok(String::new())
        }
        _ => return,
    };
    let (text, is_warning) = match said {
        Ok(text) => (text, false),
        Err(why) => (why, true),
    };
    state.dock.notice = Some((text, is_warning)).filter(|(text, _)| !text.is_empty());
}

fn move_panel(state: &mut UiState, panel: Option<DockPanel>, to: PanelPosition) -> Result<String, String> {
    let open = &state.dock.open;
    let is_open = |panel: DockPanel| open.contains(&panel);
    let panel = panel.or(state.dock.last.filter(|last| is_open(*last))).or(open.first().copied());
    let panel = panel.ok_or("No panel is open")?;
    let title = panel.title();
    let usual = Rect::from_min_max(pos2(256.0, 38.0), pos2(968.0, 600.0));
    let picture = state.dock.picture.unwrap_or(usual);
    // What the window has stacked is what the user sees and moves.
    let mut arrangement = state.dock.stacked.as_ref().unwrap_or(&state.saved.layout).clone();
    let target = arrangement.target(panel, to, picture, is_open);
    let target = target.ok_or_else(|| match to {
        PanelPosition::Tab => format!("{title}: no other panel is open that it can be stacked with"),
        _ => format!("{title} is there already"),
    })?;
    if !arrangement.place(panel, target) {
        return Err(format!("{title} is too wide for a column; it can be at the bottom or float"));
    }
    state.saved.layout = arrangement;
    state.dock.stacked = None;
    state.dock.last = Some(panel);
    Ok(match (target, to) {
        (Target::Tab(of), _) => format!("{title} is stacked with {}", of.title()),
        (_, PanelPosition::Left) => format!("{title} is at the left"),
        (_, PanelPosition::Right) => format!("{title} is at the right"),
        (_, PanelPosition::Bottom) => format!("{title} is at the bottom"),
        _ => format!("{title} floats"),
    })
}

fn save(state: &mut UiState, name: &str) -> Result<String, String> {
    if let Some(why) = refused_name(&state.saved, name, None) {
        return Err(why);
    }
    let shown = SWITCHED.into_iter().filter(|panel| state.dock.open.contains(panel)).collect();
    let saved = &mut state.saved;
    let layout = NamedLayout { name: name.to_owned(), arrangement: saved.layout.clone(), shown, sizes: sizes(saved) };
    match saved.layouts.iter_mut().find(|other| other.name.to_lowercase() == name.to_lowercase()) {
        Some(other) => *other = layout,
        None => saved.layouts.push(layout),
    }
    name.clone_into(&mut saved.layout_name);
    Ok(format!("Saved the layout {name}"))
}

fn rename(saved: &mut Saved, before: &str, name: &str) -> Result<String, String> {
    if let Some(why) = refused_name(saved, name, Some(before)) {
        return Err(why);
    }
    let layout = saved.layouts.iter_mut().find(|layout| layout.name == before);
    let layout = layout.ok_or_else(|| format!("There is no own layout {before}"))?;
    name.clone_into(&mut layout.name);
    if saved.layout_name == before {
        name.clone_into(&mut saved.layout_name);
    }
    Ok(format!("{before} is now called {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_of_the_program_can_be_read_and_is_found_in_any_case() {
        let saved = Saved::default();
        for row in LAYOUTS {
            let found = layout(&saved, &row.name.to_uppercase()).unwrap();
            assert!(found.name == row.name && !found.shown.is_empty());
        }
        assert_eq!(built_in("Default").unwrap().arrangement, Arrangement::default());
        assert!(layout(&saved, "none").is_none());
    }

    #[test]
    fn names_are_unique_short_and_not_those_of_the_program() {
        let mut state = UiState::default();
        let saved = |state: &UiState| state.saved.layouts.iter().map(|l| l.name.clone()).collect::<Vec<_>>();
        for name in ["", "  ", "default", "MEASURING", &"x".repeat(41), "two\nlines"] {
            assert!(save(&mut state, name.trim()).is_err(), "{name}");
        }
        save(&mut state, "Mine").unwrap();
        save(&mut state, "mine").unwrap();
        save(&mut state, "Other").unwrap();
        assert_eq!(saved(&state), ["mine", "Other"], "the second one takes the place of the first");
        assert!(rename(&mut state.saved, "Other", "MINE").unwrap_err().contains("already"));
        assert!(rename(&mut state.saved, "none", "Third").is_err());
        rename(&mut state.saved, "Other", "OTHER").unwrap();
        assert_eq!((saved(&state), state.saved.layout_name.as_str()), (vec!["mine".into(), "OTHER".into()], "OTHER"));
        for i in 0..MOST {
            assert_eq!(save(&mut state, &format!("layout {i}")).is_ok(), i + 2 < MOST, "{i}");
        }
        carry_out(&mut state, &WindowCommand::DeleteLayout("OTHER".to_owned()));
        assert!(!saved(&state).contains(&"OTHER".to_owned()));
    }
}
