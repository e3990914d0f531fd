//! The model that the tool *Transfer* takes weights from, and which of its joints are which of the open model.

use std::borrow::Cow;
use std::sync::Arc;

use egui::{Align, Label, Layout, Role, ScrollArea, TextEdit, Ui, WidgetInfo, vec2};
use skinscope_anim::pose::{Keys, NameMap};
use skinscope_edit::{Align as Way, Donor, Settings, dress_align, set_dress_align, transfer_pairs};
use skinscope_model::{Model, NodeId};
use skinscope_session::{Command, FileCommand, Session, ToolCommand, refusal};

use super::quiet_text;
use crate::search_list::{SearchList, SearchListOptions};
use crate::theme::ROW;
use crate::widgets::{counted, describe, figure, link, section, segments, text_button, tip};

/// The greatest height of the table, points.
const HEIGHT: f32 = 200.0;
/// The choices of a drop-down before the joints of the model.
const FIRST: [&str; 2] = ["As found", "None"];

/// The ways to bring a garment to where the model beside wears it, with the name and the tooltip of each.
const WAYS: [(Way, &str, &str); 3] = [
    (Way::None, "As it stands", "The garment stands in its file where it is worn"),
    (
        Way::Humanoid,
        "By joints",
        "Turn, scale and move the garment until nodes of the same names lie on the joints of the model beside",
    ),
    (
        Way::Bounds,
        "By boxes",
        "Turn, scale and move the garment until the boxes around both lie on each other, for one that covers all of it",
    ),
];

/// What is chosen for a joint of the other model.
enum Choice {
    /// Its name says what it is.
    AsFound,
    /// It is this joint, or none.
    Is(Option<String>),
}

/// Joints of the other model by their keys, with those of their counterparts.
type Rows = [(String, Option<String>)];

/// The pairs of joints of two models, computed once for them and what is said of names.
#[derive(Clone)]
struct Found {
    donor: Arc<Model>,
    model: Arc<Model>,
    names: NameMap,
    rows: Result<Arc<Rows>, String>,
    lists: Vec<SearchList>,
}

pub(super) fn show(ui: &mut Ui, session: &Session, now: &mut Settings, commands: &mut Vec<Command>) {
    match &now.donor {
        Some(Donor(model)) => _ = figure(ui, "From", &model.source.name),
        None => quiet_text(ui, "No file is chosen yet: type its path, or browse."),
    }
    let id = ui.scope_id().with("donor path");
    let mut text: String = ui.data(|d| d.get_temp(id)).unwrap_or_default();
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        let width = ui.available_width() - 96.0;
        let field = ui.add(TextEdit::singleline(&mut text).desired_width(width).hint_text("Path of a file"));
        field.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "File to transfer from"));
        describe(&field, "The path of the model whose weights are taken, where the surfaces are nearest");
        if field.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter)) && !text.trim().is_empty() {
            commands.push(FileCommand::ReadDonor(text.trim().into()).into());
        }
        let browse = text_button(ui, None, "Browse…", false).on_hover_text("Choose the file whose weights are taken");
        if browse.clicked() {
            commands.push(FileCommand::ChooseDonor.into());
        }
    });
    ui.data_mut(|d| d.insert_temp(id, text));
    beside(ui, session, now);
    let pair = now.donor.clone().zip(session.model().map(Arc::clone));
    if let Some((Donor(donor), model)) = pair {
        table(ui, now, [donor, model], commands);
    }
}

/// Shows the button that takes the weights of the model that stands beside the open one.
fn beside(ui: &mut Ui, session: &Session, now: &mut Settings) {
    let Some(other) = session.beside().and_then(|beside| beside.other().model().map(Arc::clone)) else { return };
    let has_weights = other.meshes.iter().flat_map(|mesh| &mesh.primitives).any(|p| p.stored_influences.is_some());
    let is_it = now.donor.as_ref().is_some_and(|Donor(donor)| Arc::ptr_eq(donor, &other));
    ui.add_space(4.0);
    let why = match (has_weights, is_it) {
        (false, _) => "It has no weights to transfer",
        (_, true) => "Its weights are taken",
        _ => "",
    };
    let button = ui.add_enabled_ui(why.is_empty(), |ui| text_button(ui, None, "The model beside", false)).inner;
    let button = button.on_disabled_hover_text(why).on_hover_text(format!("Take the weights of {}", other.source.name));
    if button.clicked() {
        now.donor = Some(Donor(other));
    }
}

/// Offers the weights of the model that stands beside the open one, which may have no skin for a tool to work on.
pub(super) fn dress(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let take = Command::File(FileCommand::WeightsFromBeside);
    if refusal(&take, session).is_some() {
        return;
    }
    let now = dress_align(&session.tools().settings);
    let choices = WAYS.map(|(way, name, help)| (name, way == now, help.to_owned()));
    if let Some(chosen) = segments(ui, &choices) {
        let mut settings = Settings::clone(&session.tools().settings);
        set_dress_align(&mut settings, WAYS[chosen].0);
        commands.push(ToolCommand::Set(Arc::new(settings)).into());
    }
    let name = "Weights from the model beside…";
    if link(ui, name, name).on_hover_text(tip(&take)).clicked() {
        commands.push(take);
    }
}

/// Shows which joints of the other model are which of the open one, each with a drop-down, and the file that keeps that.
fn table(ui: &mut Ui, now: &mut Settings, [donor, model]: [Arc<Model>; 2], commands: &mut Vec<Command>) {
    let id = ui.scope_id().with("donor pairs");
    let known: Option<Found> = ui.data(|d| d.get_temp(id));
    let is_same = |found: &Found| {
        Arc::ptr_eq(&found.donor, &donor) && found.model.shares_all_but_edits(&model) && found.names == now.names
    };
    let before = known.as_ref().map_or_else(Vec::new, |found| found.lists.clone());
    let mut found = known.filter(is_same).unwrap_or_else(|| {
        let rows: Result<Arc<Rows>, String> =
            transfer_pairs(&model, &donor, &now.names).map(Arc::from).map_err(|why| why.to_string());
        let count = rows.as_ref().map_or(0, |rows| rows.len());
        let mut lists = before;
        lists.resize_with(count, SearchList::default);
        Found { donor, model, names: now.names.clone(), rows, lists }
    });
    section(ui, "Joints", |ui| {
        if !now.names.is_empty() && link(ui, "As found", "Match joints by bones and names alone").clicked() {
            now.names = NameMap::default();
        }
    });
    match found.rows.clone() {
        Ok(rows) => {
            let matched = rows.iter().filter(|(_, here)| here.is_some()).count();
            let all = counted(rows.len(), "joint there has", "joints there have");
            quiet_text(ui, &format!("{matched} of {all} a counterpart here."));
            if let Some((there, choice)) = list(ui, &mut found, &rows, &now.names) {
                match choice {
                    Choice::AsFound => now.names.forget(&there),
                    Choice::Is(here) => {
                        let mut said = NameMap::default();
                        said.set(&there, here.as_deref());
                        now.names.correct(said);
                    }
                }
            }
        }
        Err(why) => quiet_text(ui, &why),
    }
    map_file(ui, &found.donor, commands);
    ui.data_mut(|d| d.insert_temp(id, found));
}

/// Shows the rows; returns a joint there with what was chosen for it.
fn list(ui: &mut Ui, found: &mut Found, rows: &Rows, names: &NameMap) -> Option<(String, Choice)> {
    let keys = Keys::of(&found.model);
    let joints: Vec<&str> = (0..found.model.skeleton.len())
        .map(NodeId::from_index)
        .filter(|node| found.model.is_joint(*node))
        .map(|node| keys.key(node))
        .collect();
    let lists = &mut found.lists;
    let mut answer = None;
    ScrollArea::vertical().max_height(HEIGHT).id_salt("donor joints").show_rows(
        ui,
        ROW + 2.0,
        rows.len(),
        |ui, range| {
            for i in range {
                let (there, here) = &rows[i];
                let at = here.as_ref().and_then(|here| joints.iter().position(|joint| joint == here));
                let is_said = names.pairs().any(|(name, _)| name == there);
                let now = at.map_or(usize::from(is_said), |at| at + FIRST.len());
                ui.horizontal(|ui| {
                    let half = (0.5 * ui.available_width() - 6.0).max(60.0);
                    let label =
                        ui.allocate_ui_with_layout(vec2(half, ROW), Layout::left_to_right(Align::Center), |ui| {
                            ui.set_width(half);
                            ui.add(Label::new(there.as_str()).truncate())
                        });
                    let id = format!("donor joint {i}");
                    let choice = SearchListOptions {
                        id: &id,
                        search: "Search joints",
                        none: "No joint has that in its name.",
                        width: half - 12.0,
                        list_width: 240.0,
                        count: joints.len() + FIRST.len(),
                        now: Some(now),
                        shown: here.as_deref().unwrap_or("None"),
                    };
                    let name =
                        |i: usize| Cow::Borrowed(FIRST.get(i).copied().unwrap_or_else(|| joints[i - FIRST.len()]));
                    let (response, chosen) = lists[i].show(ui, &choice, name, |_| None);
                    response.labelled_by(label.inner.id);
                    if let Some(chosen) = chosen {
                        let here = match chosen {
                            0 => Choice::AsFound,
                            1 => Choice::Is(None),
                            at => Choice::Is(Some(joints[at - FIRST.len()].to_owned())),
                        };
                        answer = Some((there.clone(), here));
                    }
                });
            }
        },
    );
    answer
}

/// Shows the file of the mapping, which is read and written.
fn map_file(ui: &mut Ui, donor: &Model, commands: &mut Vec<Command>) {
    let id = ui.scope_id().with("donor map");
    let usual = || std::path::Path::new(&donor.source.name).with_extension("map.json").display().to_string();
    let mut typed: String = ui.data(|d| d.get_temp(id)).unwrap_or_else(usual);
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        let width = ui.available_width() - 116.0;
        let field = ui.add(TextEdit::singleline(&mut typed).desired_width(width));
        field.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "File of the joints"));
        let path = || typed.trim().into();
        if text_button(ui, None, "Load", false).on_hover_text("Match joints as this file says").clicked() {
            commands.push(FileCommand::ReadDonorMap(path()).into());
        }
        if text_button(ui, None, "Save", false).on_hover_text("Write which joint is which into this file").clicked() {
            commands.push(FileCommand::WriteDonorMap(path()).into());
        }
    });
    ui.data_mut(|d| d.insert_temp(id, typed));
}
