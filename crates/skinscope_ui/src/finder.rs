//! The command palette: a list in which every command, node and clip is found by typing. Enter takes the first, arrows walk,
//! Escape closes. Overlays are commands too.

use egui::accesskit::Role;
use egui::{Align2, Color32, CornerRadius, Id, Key, Modal, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};
use skinscope_inspect::check::Finding;
use skinscope_inspect::rule_words;
use skinscope_model::{ClipId, NodeId};
use skinscope_session::{
    COMMANDS, Command, Document, FileCommand, FindingCommand, Menu, PlaybackCommand, SelectionCommand, Session,
    Submenu, WindowCommand, refusal,
};

use super::dialogs::take_key;
use super::finder_words::{self as words, Ours};
use super::manual::{Block, PAGES};
use super::preferences::PREFERENCES;
use super::saved::Saved;
use super::search_list::index_of;
use super::theme::{self, BODY, ROW, SMALL, colors};
use super::widgets::{elided, mark_row, paint_line, search_field};
use super::{Status, UiState, icons, recent};

/// The width of the list, points.
const WIDTH: f32 = 560.0;
/// The distance of the list from the upper edge, points.
const TOP: f32 = 72.0;
/// The most rows that are visible at once.
const MOST_ROWS: f32 = 13.0;

/// What can be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// A command, by its index in [`COMMANDS`].
    Command(usize),
    Node(NodeId),
    Clip(ClipId),
    /// A file that was opened last, by its index in that list.
    Recent(usize),
    /// A value of a preference, by the indices of both.
    Preference(usize, usize),
    /// A finding, by its index in the document.
    Finding(usize),
    /// A page of the manual, by its index.
    Page(usize),
    /// A layout that the user has saved, by its index.
    Layout(usize),
}

/// The state of the palette.
#[derive(Debug, Default)]
pub(super) struct Finder {
    /// Whether it is shown.
    pub open: bool,
    was_open: bool,
    search: String,
    found: Vec<Entry>,
    /// The row that Enter takes.
    at: usize,
    /// The scroll offset of the list, points.
    offset: f32,
    /// Whether nothing has the words, and what is most like them is listed.
    is_nearest: bool,
}

impl Finder {
    fn find(&mut self, session: &Session, saved: &Saved) {
        let words: Vec<String> = self.search.split_whitespace().map(str::to_lowercase).collect();
        let mut found = named(session, saved, &words, &|name, words| rank(name, words));
        if !words.is_empty() {
            found.extend(meant_commands(session, &words));
        }
        if let Some(telling) = words::telling(&words).filter(|_| found.len() < FEW) {
            let fewer = named(session, saved, &telling, &|name, words| rank(name, words));
            found.extend(fewer.into_iter().map(|(rank, length, entry)| (rank + 30, length, entry)));
            found.extend(meant_commands(session, &telling).into_iter().map(|(rank, l, entry)| (rank + 30, l, entry)));
        }
        if found.len() < FEW && !words.is_empty() {
            let parted = words::words_of(&self.search);
            let near = |name: &str, _: &[String]| words::misspelt(&words::words_of(name), &parted).map(|n| 50 + 10 * n);
            found.extend(named(session, saved, &words, &near));
        }
        self.is_nearest = found.is_empty();
        if found.is_empty() {
            found = nearest(session, saved, &self.search);
        }
        // Without words the commands have the order of the menus.
        if !words.is_empty() {
            found.sort_by_key(|(rank, length, _)| (*rank, *length));
        }
        self.found.clear();
        for (.., entry) in found {
            if !self.found.contains(&entry) {
                self.found.push(entry);
            }
        }
        (self.at, self.offset) = (0, 0.0);
    }
}

/// Something that was found, after how well it fits (0 is best) and how long its name is.
type Found = (u32, usize, Entry);

/// Where no more than so many were found, words that say nothing are left out, and then letters may be wrong.
const FEW: usize = 4;
/// How many are named where nothing has the words.
const NEAREST: usize = 6;

/// Finds all that has a name that fits, by a function that returns how well it does.
fn named(
    session: &Session,
    saved: &Saved,
    words: &[String],
    fits: &dyn Fn(&str, &[String]) -> Option<u32>,
) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for (i, row) in COMMANDS.iter().enumerate() {
        let rank = fits(row.label, words).or_else(|| Some(rank(row.help, words)? + 40));
        found.extend(rank.and_then(|rank| command(session, i, rank)));
    }
    if words.is_empty() {
        return found;
    }
    if let Some(model) = session.model() {
        for (i, name) in model.skeleton.names.iter().enumerate() {
            let rank = fits(name, words);
            found.extend(rank.map(|rank| (rank + 2, name.len(), Entry::Node(NodeId::from_index(i)))));
        }
        for (i, clip) in model.clips.iter().enumerate() {
            let rank = fits(&clip.name, words);
            found.extend(rank.map(|rank| (rank + 1, clip.name.len(), Entry::Clip(ClipId::from_index(i)))));
        }
    }
    others(session, saved, words, fits, &mut found);
    found
}

/// Returns the entry of a command, of this index; `None` for the one that opens the list itself. What cannot be done now comes later.
fn command(session: &Session, index: usize, rank: u32) -> Option<Found> {
    let row = COMMANDS.get(index).filter(|row| row.command != Command::Window(WindowCommand::FindAnything))?;
    let later = if refusal(&row.command, session).is_none() { 0 } else { 100 };
    Some((rank + later, row.label.len(), Entry::Command(index)))
}

/// Finds what words of other programs lead to.
fn meant_commands(session: &Session, words: &[String]) -> Vec<Found> {
    let entry = |(rank, ours): (u32, Ours)| match ours {
        Ours::Command(label) => {
            let index = COMMANDS.iter().position(|row| row.label == label)?;
            command(session, index, rank + 5)
        }
        Ours::Page(id) => {
            let index = PAGES.iter().position(|page| page.id == id)?;
            Some((rank + 8, PAGES[index].title.len(), Entry::Page(index)))
        }
    };
    words::meant(&words::words_of(&words.join(" "))).into_iter().filter_map(entry).collect()
}

/// Returns what has a name that is most like a text; where nothing is like it, the pages of the manual that say what there is.
fn nearest(session: &Session, saved: &Saved, text: &str) -> Vec<Found> {
    let like = |name: &str, _: &[String]| {
        let likeness = words::likeness(name, text);
        (likeness > 0.15).then_some((1000.0 * (1.0 - likeness)) as u32)
    };
    let mut found = named(session, saved, &["\0".to_owned()], &like);
    found.sort_by_key(|(rank, length, _)| (*rank, *length));
    found.truncate(NEAREST);
    if found.is_empty() {
        let pages = ["window", "keys", "commands"].map(|id| PAGES.iter().position(|page| page.id == id));
        found.extend(pages.into_iter().flatten().enumerate().map(|(i, page)| (i as u32, 0, Entry::Page(page))));
    }
    found
}

/// Finds files that were opened last, preferences, findings and pages of the manual.
fn others(
    session: &Session,
    saved: &Saved,
    words: &[String],
    fits: &dyn Fn(&str, &[String]) -> Option<u32>,
    found: &mut Vec<Found>,
) {
    let mut look = |name: &str, text: &str, later: u32, entry: Entry| {
        let rank = fits(name, words).or_else(|| Some(rank(text, words)? + 40));
        found.extend(rank.map(|rank| (rank + later, name.len(), entry)));
    };
    for (i, path) in saved.recent.iter().enumerate() {
        look(&recent::name(&saved.recent, path), &path.display().to_string(), 1, Entry::Recent(i));
    }
    for (i, preference) in PREFERENCES.iter().enumerate() {
        for (j, choice) in preference.choices().iter().enumerate() {
            look(&value_name(preference.label, choice.label), preference.help, 5, Entry::Preference(i, j));
        }
    }
    for (i, finding) in session.document().into_iter().flat_map(Document::findings).enumerate() {
        look(finding_name(finding), &finding.message, 3, Entry::Finding(i));
    }
    for (i, layout) in saved.layouts.iter().enumerate() {
        look(&layout.name, "Layout of the panels", 2, Entry::Layout(i));
    }
    for (i, page) in PAGES.iter().enumerate() {
        let headings =
            page.blocks.iter().filter_map(|block| if let Block::Heading(text) = block { Some(&**text) } else { None });
        look(&page.title, &headings.collect::<Vec<_>>().join(" "), 4, Entry::Page(i));
    }
    for (i, page) in PAGES.iter().enumerate() {
        if page.blocks.iter().any(|block| rank(&block.text(), words).is_some()) {
            // After all that has the words in its name, also what cannot be done now.
            found.push((170, page.title.len(), Entry::Page(i)));
        }
    }
}

/// Returns the name under which a value of a preference is found.
fn value_name(preference: &str, choice: &str) -> String {
    format!("{preference}: {choice}")
}

fn finding_name(finding: &Finding) -> &'static str {
    rule_words(finding.rule).map_or(finding.rule, |(label, _)| label)
}

/// Returns the command of an entry; `None` where what it was is gone.
fn command_of(entry: Entry, saved: &Saved) -> Option<Command> {
    Some(match entry {
        Entry::Command(i) => COMMANDS.get(i)?.command.clone(),
        Entry::Node(node) => SelectionCommand::Select(Some(node)).into(),
        Entry::Clip(clip) => PlaybackCommand::SetClip(clip).into(),
        Entry::Recent(i) => FileCommand::Open(saved.recent.get(i)?.clone()).into(),
        Entry::Preference(i, j) => {
            let preference = PREFERENCES.get(i)?;
            let choice = *preference.choices().get(j)?;
            WindowCommand::SetPreference(preference.id.to_owned(), choice.id.to_owned()).into()
        }
        Entry::Finding(i) => FindingCommand::ShowFinding(i).into(),
        Entry::Page(i) => WindowCommand::ShowManual(PAGES.get(i)?.id.to_owned()).into(),
        Entry::Layout(i) => WindowCommand::ChooseLayout(saved.layouts.get(i)?.name.clone()).into(),
    })
}

/// Returns how well a name fits: 0 for the name itself, more for less; `None` where a word is not in it.
fn rank(name: &str, words: &[String]) -> Option<u32> {
    let name = name.to_lowercase();
    let mut worst = 0;
    for word in words {
        let at = name.find(word.as_str())?;
        let begins = |at: usize| !name[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        let any_begins = name.match_indices(word.as_str()).any(|(at, _)| begins(at));
        worst = worst.max(match (at, any_begins) {
            (0, _) if name.len() == word.len() => 0,
            (0, _) => 10,
            (_, true) => 20,
            (_, false) => 30,
        });
    }
    Some(worst)
}

pub(super) fn show(ui: &Ui, session: &Session, state: &mut UiState, status: &Status, commands: &mut Vec<Command>) {
    let finder = &mut state.finder;
    // A question of the program comes before it.
    finder.open &= !(UiState::is_asked(status) || state.dialog.is_some());
    let opens = finder.open && !std::mem::replace(&mut finder.was_open, finder.open);
    finder.was_open = finder.open;
    if !finder.open {
        return;
    }
    if opens {
        finder.search.clear();
        finder.find(session, &state.saved);
    }
    let escaped = take_key(ui, Key::Escape);
    let id = Id::unique("command palette");
    let area = Modal::default_area(id).anchor(Align2::CENTER_TOP, vec2(0.0, TOP));
    let frame = egui::Frame::window(ui.style()).inner_margin(8);
    let shown =
        Modal::new(id).area(area).frame(frame).show(ui.ctx(), |ui| list(ui, session, &state.saved, finder, opens));
    let taken = shown.inner;
    if taken.is_some() || escaped || shown.should_close() {
        finder.open = false;
        finder.was_open = false;
    }
    commands.extend(taken.and_then(|entry| command_of(entry, &state.saved)));
}

/// Shows the search and what it finds; returns the entry that was chosen.
fn list(ui: &mut Ui, session: &Session, saved: &Saved, finder: &mut Finder, opens: bool) -> Option<Entry> {
    ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 48.0));
    let id = ui.make_persistent_id("search");
    let name = "Find a command, node or clip";
    let searched = search_field(ui, id, &mut finder.search, name, f32::INFINITY, opens);
    if searched.changed {
        finder.find(session, saved);
    }
    let last = finder.found.len().saturating_sub(1) as i64;
    let before = finder.at;
    finder.at = (finder.at as i64 + searched.steps).clamp(0, last) as usize;
    let entry = |entry: Entry| can_be_taken(entry, session).then_some(entry);
    let mut taken = finder.found.get(finder.at).copied().filter(|_| searched.taken).and_then(entry);
    if searched.taken && taken.is_none() {
        ui.memory_mut(|m| m.request_focus(id));
    }
    ui.add_space(6.0);
    let room = (ui.ctx().content_rect().height() - TOP - 120.0).clamp(3.0 * ROW, MOST_ROWS * ROW);
    let mut room = room;
    if finder.is_nearest {
        let line = "Nothing is called that. Nearest to it:";
        let shown = ui.label(egui::RichText::new(line).color(colors(ui).dim));
        room -= shown.rect.height() + ui.spacing().item_spacing.y;
    }
    let mut area = ScrollArea::vertical().auto_shrink(false).max_height(room).min_scrolled_height(room);
    let top = finder.at as f32 * ROW;
    if searched.changed {
        area = area.vertical_scroll_offset(0.0);
    } else if finder.at != before {
        area = area.vertical_scroll_offset(finder.offset.clamp((top + ROW - room).max(0.0), top));
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    let shown = area.show_rows(ui, ROW, finder.found.len(), |ui, rows| {
        for i in rows {
            let Some(found) = finder.found.get(i).copied() else { continue };
            if row(ui, found, session, saved, i == finder.at) {
                taken = Some(found);
            }
        }
    });
    finder.offset = shown.state.clamped_offset().y;
    taken
}

fn can_be_taken(entry: Entry, session: &Session) -> bool {
    match entry {
        Entry::Command(i) => COMMANDS.get(i).is_some_and(|row| refusal(&row.command, session).is_none()),
        _ => true,
    }
}

/// Shows one row; returns whether it was clicked.
fn row(ui: &mut Ui, entry: Entry, session: &Session, saved: &Saved, marked: bool) -> bool {
    let model = session.model();
    let other: String;
    let (icon, label, kind, keys) = match entry {
        Entry::Command(i) => {
            let Some(row) = COMMANDS.get(i) else { return false };
            let keys = row.keys().map_or_else(String::new, |shortcut| shortcut.to_string());
            let kind = if row.submenu == Some(Submenu::Examples) { "Example" } else { menu_name(row.menu) };
            ("", row.label, kind, keys)
        }
        Entry::Node(node) => {
            let name = model.and_then(|m| m.skeleton.names.get(node.index())).map_or("", String::as_str);
            let is_joint = model.is_some_and(|m| m.is_joint(node));
            (
                if is_joint { icons::BONE } else { icons::CIRCLE },
                name,
                if is_joint { "Joint" } else { "Node" },
                model.and_then(|model| index_of(model, node)).unwrap_or_default(),
            )
        }
        Entry::Clip(clip) => {
            let name = model.and_then(|m| m.clips.get(clip.index())).map_or("", |clip| clip.name.as_str());
            (icons::PLAY, name, "Clip", String::new())
        }
        Entry::Recent(i) => {
            other = saved.recent.get(i).map(|path| recent::name(&saved.recent, path)).unwrap_or_default();
            (icons::FOLDER, other.as_str(), "Opened last", String::new())
        }
        Entry::Preference(i, j) => {
            let preference = PREFERENCES.get(i);
            let choice = preference.and_then(|p| p.choices().get(j).copied());
            other = preference.zip(choice).map(|(p, c)| value_name(p.label, c.label)).unwrap_or_default();
            ("", other.as_str(), "Preference", String::new())
        }
        Entry::Finding(i) => {
            let finding = session.document().and_then(|document| document.findings().nth(i));
            (icons::WARNING, finding.map_or("", finding_name), "Finding", String::new())
        }
        Entry::Page(i) => {
            other = PAGES.get(i).map(|page| page.title.clone()).unwrap_or_default();
            ("", other.as_str(), "Manual", String::new())
        }
        Entry::Layout(i) => {
            ("", saved.layouts.get(i).map_or("", |layout| layout.name.as_str()), "Layout", String::new())
        }
    };
    let enabled = can_be_taken(entry, session);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    // The search keeps the focus.
    super::focus::pass_over(ui, response.id);
    let spoken = if keys.is_empty() { format!("{label}, {kind}") } else { format!("{label}, {kind}, {keys}") };
    response.widget_info(|| WidgetInfo::selected(Role::ListBoxOption, enabled, marked, spoken.as_str()));
    let c = colors(ui);
    let fill = if response.hovered() && enabled { c.hovered } else { Color32::TRANSPARENT };
    let painter = ui.painter();
    painter.rect_filled(rect, CornerRadius::same(4), fill);
    if marked {
        mark_row(ui, rect);
    }
    let y = rect.center().y;
    let ink = if enabled { c.text } else { c.dim };
    ui.painter().text(pos2(rect.left() + 16.0, y), Align2::CENTER_CENTER, icon, theme::icon(14.0), c.dim);
    // Keys are at the right end, in a column of their own; the kind of the entry is before them.
    let keys = ui.painter().layout_no_wrap(keys, theme::regular(SMALL), c.text);
    let kind = ui.painter().layout_no_wrap(kind.to_owned(), theme::regular(SMALL), c.dim);
    let kind_x = rect.right() - 200.0;
    let (label, cut) = elided(ui, label, theme::regular(BODY), ink, kind_x - rect.left() - 40.0);
    paint_line(ui, label, rect.left() + 32.0, y, ink);
    paint_line(ui, kind, kind_x, y, c.dim);
    let keys_x = rect.right() - 12.0 - keys.size().x;
    paint_line(ui, keys, keys_x, y, ink);
    let clicked = response.clicked() && enabled;
    let help = help_of(entry, session, cut);
    if !help.is_empty() {
        response.on_hover_text(help);
    }
    clicked
}

/// Returns what is said of an entry while the pointer is over it: for a node only where its name is `cut`.
fn help_of(entry: Entry, session: &Session, cut: bool) -> &str {
    match entry {
        Entry::Command(i) => COMMANDS.get(i).map_or("", |row| row.help),
        Entry::Preference(i, _) => PREFERENCES.get(i).map_or("", |preference| preference.help),
        Entry::Finding(i) => session
            .document()
            .and_then(|document| document.findings().nth(i))
            .map_or("", |finding| finding.message.as_str()),
        Entry::Node(node) if cut => {
            session.model().and_then(|m| m.skeleton.names.get(node.index())).map_or("", String::as_str)
        }
        _ => "",
    }
}

fn menu_name(menu: Menu) -> &'static str {
    match menu {
        Menu::File => "File",
        Menu::Edit => "Edit",
        Menu::Pose => "Pose",
        Menu::View => "View",
        Menu::Look => "Look",
        Menu::Overlay => "Overlay",
        Menu::Tools => "Tools",
        Menu::Playback => "Playback",
        Menu::Help => "Help",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(rank("anything", &[]), Some(0));
    }
}
