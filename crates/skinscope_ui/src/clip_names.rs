//! The dialog that maps the joints of another file's clips to those of the open model, and lets the user change the
//! mapping.

use std::borrow::Cow;
use std::path::PathBuf;

use egui::{Align, Id, Label, Layout, Role, ScrollArea, TextEdit, Ui, WidgetInfo, vec2};
use skinscope_anim::pose::{Keys, find_key};
use skinscope_model::{Model, NodeId};
use skinscope_session::{ClipNames, ClipNamesCommand, Command, FileCommand, Session};

use super::dialogs::question;
use super::saving::{buttons, text, title};
use super::search_list::{SearchList, SearchListOptions};
use super::theme::ROW;
use super::widgets::{counted, text_button};
use super::{Status, UiState};

/// The width of the drop-down of a joint, points.
const LIST_WIDTH: f32 = 210.0;
/// The greatest height of the rows, points.
const MOST_HEIGHT: f32 = 320.0;
/// The choices of a drop-down before the joints of the model.
const FIRST: [&str; 2] = ["By its name", "None"];

/// The state of the dialog.
#[derive(Debug, Default)]
pub(super) struct NamesDialog {
    /// The file of the mapping, as typed.
    typed: String,
    lists: Vec<SearchList>,
    /// Whether the dialog was shown in the last frame.
    open: bool,
}

pub(super) fn show(ui: &Ui, session: &Session, state: &mut UiState, status: &Status, commands: &mut Vec<Command>) {
    let dialog = &mut state.clip_names;
    let shown = status.clip_names.as_ref().filter(|names| names.is_shown);
    let (Some(names), Some(model)) = (shown, session.model()) else {
        dialog.open = false;
        return;
    };
    if !std::mem::replace(&mut dialog.open, true) {
        dialog.typed = names.map_path().display().to_string();
        dialog.lists.clear();
    }
    dialog.lists.resize_with(names.rows.len(), SearchList::default);
    let answer = question(ui, Id::unique("clip names"), Some(ClipNamesCommand::Leave), |ui, entered| {
        contents(ui, names, model, dialog, entered)
    });
    commands.extend(answer.map(|command| Command::from(FileCommand::ClipNames(command))));
}

fn contents(
    ui: &mut Ui,
    names: &ClipNames,
    model: &Model,
    dialog: &mut NamesDialog,
    entered: bool,
) -> Option<ClipNamesCommand> {
    title(ui, &format!("Joints of the clips of {}", names.name()));
    let found = names.rows.iter().filter(|(_, here)| here.is_some()).count();
    let all = counted(names.rows.len(), "joint that the clips move", "joints that the clips move");
    let have = if found == 1 { "has" } else { "have" };
    text(ui, &format!("{found} of {all} {have} a counterpart in the open model."));
    if let Some(families) = names.families(model) {
        text(ui, &families);
    }
    if let Some(message) = &names.message {
        ui.add_space(4.0);
        ui.add(Label::new(message.as_str()).wrap());
    }
    ui.add_space(8.0);
    let mut answer = rows(ui, names, model, &mut dialog.lists);
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        let field = TextEdit::singleline(&mut dialog.typed).desired_width(ui.available_width() - 230.0);
        let field = ui.add(field);
        field.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "File of the mapping"));
        let path = || PathBuf::from(dialog.typed.trim());
        if text_button(ui, None, "Load", false).clicked() {
            answer = Some(ClipNamesCommand::Read(path()));
        }
        if text_button(ui, None, "Save", false).clicked() {
            answer = Some(ClipNamesCommand::Write(path()));
        }
        let propose = text_button(ui, None, "Propose", false);
        let propose = propose.on_hover_text(
            "Say of joints without a counterpart what the shapes of both bodies and words in names tell",
        );
        if propose.clicked() {
            answer = Some(ClipNamesCommand::Propose);
        }
    });
    if found == 0 {
        text(ui, "Say of one joint at least which it is: clips that move no joint of this model cannot be taken.");
    }
    let names: &[&str] = if found == 0 { &["Cancel"] } else { &["Take the clips", "Cancel"] };
    let pressed = buttons(ui, names, entered && found > 0);
    let pressed = pressed.map(|i| if names[i] == "Cancel" { ClipNamesCommand::Leave } else { ClipNamesCommand::Take });
    answer.or(pressed)
}

/// Shows the joints of the clips, each with the drop-down of its counterpart.
fn rows(ui: &mut Ui, names: &ClipNames, model: &Model, lists: &mut [SearchList]) -> Option<ClipNamesCommand> {
    let (keys, theirs) = (Keys::of(model), Keys::of(&names.other));
    let joint = |i: usize| keys.key(NodeId::from_index(i));
    let count = model.skeleton.len();
    let mut answer = None;
    let height = (0.5 * ui.ctx().content_rect().height()).min(MOST_HEIGHT);
    ScrollArea::vertical().max_height(height).show_rows(ui, ROW + 2.0, names.rows.len(), |ui, range| {
        for i in range {
            let (there, here) = &names.rows[i];
            let is_mapped = names.mapping.pairs().any(|(name, _)| name == there);
            let at = here.as_ref().and_then(|here| (0..count).find(|i| joint(*i) == here));
            let now = match (at, is_mapped) {
                (Some(at), _) => at + FIRST.len(),
                (None, true) => 1,
                (None, false) => 0,
            };
            ui.horizontal(|ui| {
                let size = vec2((ui.available_width() - LIST_WIDTH - 24.0).max(80.0), ROW);
                let label = ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
                    ui.set_width(size.x);
                    let node = find_key(&names.other, &theirs, there).ok();
                    let label = match node.and_then(|node| names.other.humanoid(node)) {
                        Some(bone) => format!("{there} · {bone}"),
                        None => there.clone(),
                    };
                    ui.add(Label::new(label).truncate())
                });
                let id = format!("counterpart {i}");
                let choice = SearchListOptions {
                    id: &id,
                    search: "Search joints",
                    none: "No joint has that in its name.",
                    width: LIST_WIDTH,
                    list_width: 260.0,
                    count: count + FIRST.len(),
                    now: Some(now),
                    shown: here.as_deref().unwrap_or("None"),
                };
                let name = |i: usize| Cow::Borrowed(FIRST.get(i).copied().unwrap_or_else(|| joint(i - FIRST.len())));
                let (response, chosen) = lists[i].show(ui, &choice, name, |_| None);
                response.labelled_by(label.inner.id);
                answer = match chosen {
                    None => answer.take(),
                    Some(0) => Some(ClipNamesCommand::Forget(there.clone())),
                    Some(1) => Some(ClipNamesCommand::Say(there.clone(), None)),
                    Some(at) => Some(ClipNamesCommand::Say(there.clone(), Some(joint(at - FIRST.len()).to_owned()))),
                };
            });
        }
    });
    answer
}
