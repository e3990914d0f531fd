//! Arrangements as texts, in the settings and in commands.
//!
//! As a text, docks are separated by `;`, from the outermost to the innermost: `bottom timeline; left@300 outliner; right inspector+!tools/page;
//! float@400,120,320,400 statistics`. `@` gives a width or height in points, `+` stacks panels, `!` is the tab in front, `/` separates the cells
//! of a dock, and `%` gives a cell a part of it (100 is usual).

use egui::{Pos2, Rect, pos2, vec2};
use skinscope_session::DockPanel;

use super::arrangement::{Arrangement, Cell, Dock, Edge, Float, rounded, tenths};

/// The longest text that is read, bytes.
const LONGEST: usize = 2048;
/// The largest number in a text: no window system has larger windows, points.
const LARGEST: f32 = 32_767.0;

impl Arrangement {
    /// Reads the text of an arrangement. Panels that it does not name come where they are at first.
    ///
    /// # Errors
    /// The message says which word cannot be read.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!("the arrangement of panels is longer than {LONGEST} bytes"));
        }
        let mut out = Self::empty();
        let mut seen = Vec::new();
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let (place, cells) = part.split_once(' ').ok_or_else(|| format!("{part:?} names no panel"))?;
            let (word, size) = place.split_once('@').map_or((place, None), |(word, size)| (word, Some(size)));
            let cells: Vec<Cell> = cells.split('/').map(|cell| read_cell(cell, &mut seen)).collect::<Result<_, _>>()?;
            if word == "float" {
                let rect = read_rect(size.unwrap_or_default())?;
                out.floats.extend(cells.into_iter().map(|cell| Float { rect, cell }));
                continue;
            }
            let known = Edge::ALL.iter().find(|(_, name)| *name == word);
            let edge = known.map(|(edge, _)| *edge).ok_or_else(|| format!("there is no edge {word:?}"))?;
            let tabs = cells.iter().flat_map(|cell| &cell.tabs);
            if let Some(wide) = tabs.copied().find(|tab| !edge.has_room_for(*tab)) {
                return Err(format!("{} is too wide for a column", wide.id()));
            }
            let size = size.map(|size| read_number(size, 1.0)).transpose()?;
            out.docks.push(Dock { edge, size, cells });
        }
        let missing = Self::default().docks.into_iter().filter(|dock| !seen.contains(&dock.cells[0].active));
        out.docks.extend(missing);
        Ok(out)
    }
}

fn read_number(text: &str, least: f32) -> Result<f32, String> {
    let number = text.trim().parse().ok().filter(|n: &f32| n.is_finite() && *n >= least);
    number.map(|n| n.min(LARGEST)).ok_or_else(|| format!("{text:?} is no size of a panel"))
}

fn read_rect(text: &str) -> Result<Rect, String> {
    let numbers: Vec<f32> = text.split(',').map(|n| read_number(n, -LARGEST)).collect::<Result<_, _>>()?;
    match numbers[..] {
        [x, y, width, height] => Ok(rounded(Rect::from_min_size(pos2(x, y), vec2(width, height)))),
        _ => Err(format!("{text:?} is no rectangle of a panel: four numbers are")),
    }
}

/// Reads panels that are stacked; `seen` has all panels that were read.
fn read_cell(text: &str, seen: &mut Vec<DockPanel>) -> Result<Cell, String> {
    let (tabs, share) = text.split_once('%').map_or((text, None), |(tabs, share)| (tabs, Some(share)));
    let share = share.map(|share| read_number(share, 1.0)).transpose()?;
    let (mut panels, mut front) = (Vec::new(), None);
    for word in tabs.split('+').map(str::trim) {
        let (word, is_front) = word.strip_prefix('!').map_or((word, false), |word| (word, true));
        let known = DockPanel::ALL.into_iter().find(|panel| panel.id() == word);
        let panel = known.ok_or_else(|| format!("there is no panel {word:?}"))?;
        if seen.contains(&panel) {
            return Err(format!("{word} stands twice"));
        }
        seen.push(panel);
        front = front.or(is_front.then_some(panel));
        panels.push(panel);
    }
    let active = front.unwrap_or(panels[0]);
    Ok(Cell { tabs: panels, active, share: share.unwrap_or(100.0) })
}

fn cell_text(cell: &Cell) -> String {
    let tab = |panel: &DockPanel| match *panel == cell.active && *panel != cell.tabs[0] {
        true => format!("!{}", panel.id()),
        false => panel.id().to_owned(),
    };
    let mut text = cell.tabs.iter().map(tab).collect::<Vec<_>>().join("+");
    if cell.share != 100.0 {
        text += &format!("%{}", cell.share);
    }
    text
}

impl std::fmt::Display for Arrangement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let dock = |dock: &Dock| {
            let (_, word) = Edge::ALL[dock.edge as usize];
            let size = dock.size.map_or_else(String::new, |size| format!("@{size}"));
            let cells: Vec<String> = dock.cells.iter().map(cell_text).collect();
            format!("{word}{size} {}", cells.join("/"))
        };
        let float = |float: &Float| {
            let (Pos2 { x, y }, size) = (float.rect.min, float.rect.size());
            format!("float@{x},{y},{},{} {}", tenths(size.x), tenths(size.y), cell_text(&float.cell))
        };
        let parts: Vec<String> = self.docks.iter().map(dock).chain(self.floats.iter().map(float)).collect();
        f.write_str(&parts.join("; "))
    }
}

impl From<Arrangement> for String {
    fn from(arrangement: Arrangement) -> Self {
        arrangement.to_string()
    }
}

impl TryFrom<String> for Arrangement {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::super::arrangement::LEAST_FLOAT;
    use super::*;

    #[test]
    fn the_text_of_an_arrangement_is_read_again_as_it_was_and_what_it_does_not_name_is_where_it_is_at_first() {
        let text =
            "bottom timeline; left@300 outliner; right inspector+!tools/page%50; float@400,120.5,320,400 statistics";
        let read = Arrangement::parse(text).unwrap();
        assert_eq!(
            read.to_string(),
            text.replace("; float", "; right deformation; bottom tables; right manual; right paint; float")
        );
        assert_eq!(Arrangement::parse("").unwrap(), Arrangement::default());
        assert_eq!(Arrangement::parse(&Arrangement::default().to_string()).unwrap(), Arrangement::default());
    }

    #[test]
    fn what_cannot_be_read_says_which_word_it_is() {
        for (text, why) in [
            ("left outliner; top inspector", "there is no edge \"top\""),
            ("left inspektor", "there is no panel \"inspektor\""),
            ("left outliner+outliner", "outliner stands twice"),
            ("left outliner; right inspector/outliner", "outliner stands twice"),
            ("left", "\"left\" names no panel"),
            ("left@wide outliner", "\"wide\" is no size"),
            ("left@NaN outliner", "\"NaN\" is no size"),
            ("left@-3 outliner", "\"-3\" is no size"),
            ("float outliner", "is no size"),
            ("float@1,2,3 outliner", "is no rectangle"),
            ("left tables", "tables is too wide for a column"),
            ("left ", "names no panel"),
        ] {
            let error = Arrangement::parse(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
        assert!(Arrangement::parse(&"left outliner;".repeat(500)).is_err());
        let far = Arrangement::parse("float@1e30,-1e4,1e30,1 outliner").unwrap();
        assert_eq!(far.floats[0].rect.size(), vec2(LARGEST, LEAST_FLOAT.y));
    }
}
