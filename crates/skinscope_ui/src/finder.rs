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
use super::finder_words::{self as words, Ours, rank};
use super::manual::{Block, ManualPage, PAGES};
use super::preferences::PREFERENCES;
use super::saved::Saved;
use super::search_list::index_of;
use super::theme::{self, BODY, ROW, SMALL, colors};
use super::widgets::{elided, mark_row, paint_line, search_field};
use super::{Status, UiState, finder_places, icons, recent};

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
    /// A table or a section of the inspector, by its index among [`finder_places::places`].
    Place(usize),
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

/// How much later than by its own name a command is found by that of its menu: before what has the words in its explanation.
const OF_MENU: u32 = 21;
/// How much later than commands the values of preferences are found: what shows something comes before what chooses it for every start.
const OF_PREFERENCE: u32 = 32;
/// How much later than commands tables and sections of the inspector are found: after names that begin with the words.
const OF_PLACE: u32 = 12;
/// Where pages of the manual come that have the words somewhere in their text: after all that has them in its name, also what cannot be done now.
const IN_TEXT: u32 = 170;
/// In how many places a page has the words that is about them and nothing else; a heading counts as several places.
const MOST_PLACES: usize = 40;

/// Finds all that has a name that fits, by a function that returns how well it does.
fn named(
    session: &Session,
    saved: &Saved,
    words: &[String],
    fits: &dyn Fn(&str, &[String]) -> Option<u32>,
) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for (i, row) in COMMANDS.iter().enumerate() {
        let name = row.name();
        let of_menu = || Some(rank(&format!("{} {name}", menu_name(row.menu)), words)? + OF_MENU);
        let rank = fits(&name, words).or_else(of_menu).or_else(|| Some(rank(row.help, words)? + 40));
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
    Some((rank + later, row.name().len(), Entry::Command(index)))
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
            look(&value_name(preference.label, choice.label), preference.help, OF_PREFERENCE, Entry::Preference(i, j));
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
        // The name of its file is the one word that it is about.
        look(page.id, "", 4, Entry::Page(i));
    }
    for (i, (name, help)) in finder_places::places().enumerate() {
        look(name, help, OF_PLACE, Entry::Place(i));
    }
    for (i, page) in PAGES.iter().enumerate() {
        let places = places_with(page, words);
        if places > 0 {
            let rank = IN_TEXT + (MOST_PLACES - places.min(MOST_PLACES)) as u32;
            found.push((rank, page.title.len(), Entry::Page(i)));
        }
    }
}

/// Returns in how many places a page has all of the words; a heading counts as four.
fn places_with(page: &ManualPage, words: &[String]) -> usize {
    let has = page.blocks.iter().filter(|block| rank(&block.text(), words).is_some());
    has.map(|block| if matches!(block, Block::Heading(_)) { 4 } else { 1 }).sum()
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
        // It is shown by the window itself.
        Entry::Place(_) => return None,
    })
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
    if let Some(Entry::Place(place)) = taken {
        finder_places::show(place, session, state, commands);
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
    // The list is no longer than what was found.
    room = room.min(finder.found.len().max(1) as f32 * ROW);
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
            other = row.name().into_owned();
            ("", other.as_str(), kind, keys)
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
        Entry::Place(i) => {
            let name = finder_places::places().nth(i).map_or("", |(name, _)| name);
            ("", name, finder_places::kind(i), String::new())
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
        Entry::Place(i) => finder_places::places().nth(i).map_or("", |(_, help)| help),
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
