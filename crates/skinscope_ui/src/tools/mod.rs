//! The panel of tools that change weights or inverse bind matrices: one is chosen, with its settings and the vertices that it works on. What it would do
//! is shown on the model and in figures until it is applied or given up.

mod baking;
mod binding;
mod donor;
mod envelope;
mod examples;
mod figures;
mod fold;
mod groups;
mod joint;
mod pairs;
pub(super) mod settings;

use egui::{Align, Frame, Label, Layout, Margin, RichText, ScrollArea, Ui};
use skinscope_edit::OPERATIONS;
use skinscope_session::{BrushKey, Command, Scope, Session, ToolCommand, WindowCommand, refusal};

use super::theme::{self, MARGIN, colors};
use super::widgets::{counted, icon_button, link, section, segments, text_button, tip};
use super::{Status, copied, icons, marks, placing};

/// The width of the labels, points: that of the longest one.
const LABEL: f32 = 80.0;
/// The height of the strip with the buttons, points.
const FOOT: f32 = 46.0;
/// The height of the panel below which it shows the chosen tool alone, and the others when they are asked for, points.
const LOW: f32 = 400.0;

/// The choices of vertices that a tool works on, with the name and the tooltip of each.
const SCOPES: [(Scope, &str, &str); 4] = [
    (Scope::All, "All", "Work on all vertices"),
    (Scope::Joint, "Of joint", "Work on the vertices that the selected joint moves"),
    (Scope::Marked, "Marked", "Work on the marked vertices"),
    (Scope::Finding, "Finding", "Work on the vertices of the finding that is shown"),
];

/// Shows the panel. `has_tabs`: tabs above it close it.
pub(super) fn show(ui: &mut Ui, session: &Session, (status, has_tabs): (&Status, bool), commands: &mut Vec<Command>) {
    // Under a tab the head of the first section brings its own distance.
    let margin = Margin { left: MARGIN, right: MARGIN, top: if has_tabs { 0 } else { 10 }, bottom: 8 };
    let has_line = session.tools().operation.is_some() && session.model().is_some();
    let height = if has_line { FOOT + figures::LINE } else { FOOT };
    egui::Panel::bottom("apply").exact_size(height).frame(Frame::NONE).show(ui, |ui| {
        Frame::NONE.inner_margin(Margin::symmetric(MARGIN, 8)).show(ui, |ui| {
            if has_line {
                ui.spacing_mut().item_spacing.y = 0.0;
                figures::line(ui, session);
            }
            foot(ui, session, commands);
        });
    });
    let is_low = ui.available_height() < LOW;
    ScrollArea::vertical().auto_shrink(false).id_salt("tools").show(ui, |ui| {
        Frame::NONE.inner_margin(margin).show(ui, |ui| {
            ui.set_width(ui.available_width());
            head(ui, has_tabs, commands);
            if session.model().is_none() {
                ui.add(Label::new(RichText::new("Open a file to change its weights.").color(colors(ui).dim)).wrap());
                return;
            }
            scope(ui, session, commands);
            if session.tools().scope == Scope::Marked {
                marks::panel(ui, session, commands);
            }
            groups::show(ui, session, is_low, commands);
            match session.tools().operation {
                Some(operation) => {
                    quiet_text(ui, operation.help);
                    settings::show(ui, session, operation, commands);
                    figures::show(ui, session, status.work.as_ref());
                    baking::report(ui, session, commands);
                    binding::report(ui, session);
                    binding::next(ui, session, operation, commands);
                }
                None => {
                    // What gives meshes a skin needs none.
                    let first = OPERATIONS.iter().find(|operation| !operation.finds_weights());
                    let first = first.map(|operation| Command::from(ToolCommand::Choose(Some(operation.id))));
                    match first.and_then(|first| refusal(&first, session)) {
                        Some(why) => {
                            quiet_text(ui, &format!("{why} Tools work on vertices that a skin moves."));
                            give_skin(ui, session, commands);
                        }
                        None => quiet_text(ui, "What a tool would do is shown on the model before it is done."),
                    }
                    binding::next_of_given(ui, session, commands);
                    brush(ui, session, commands);
                    donor::dress(ui, session, commands);
                }
            }
            locks(ui, session, commands);
        });
    });
}

/// Shows the title of the panel, and what closes it, unless the tabs above it do.
fn head(ui: &mut Ui, has_tabs: bool, commands: &mut Vec<Command>) {
    // A tab names the panel too.
    if has_tabs {
        return;
    }
    ui.horizontal(|ui| {
        ui.set_min_height(20.0);
        ui.label(RichText::new("Weight tools").font(theme::strong(15.0)));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let close = icon_button(ui, icons::CLOSE, "Close the weight tools", 20.0, false);
            if close.on_hover_text("Put the tools away; what is not applied is given up").clicked() {
                commands.push(ToolCommand::TogglePanel.into());
            }
        });
    });
}

/// Says which tool gives meshes a skin, where there are some without one, and lets joints be placed for it.
fn give_skin(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let gives = OPERATIONS.iter().find(|operation| operation.finds_weights());
    if let Some(operation) = gives.filter(|tool| refusal(&ToolCommand::Choose(Some(tool.id)).into(), session).is_none())
    {
        quiet_text(ui, &format!("{} gives its meshes one.", operation.tool));
    }
    placing::offer(ui, session, commands);
}

/// Offers a brush in place of a tool, where none is in the hand.
fn brush(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let take = Command::Window(WindowCommand::Brush(BrushKey::Take));
    if session.painting().brush().is_some() || refusal(&take, session).is_some() {
        return;
    }
    let name = "Paint weights with a brush";
    if link(ui, name, name).on_hover_text(tip(&take)).clicked() {
        commands.push(take);
    }
}

/// Shows dim text, which is wrapped.
fn quiet_text(ui: &mut Ui, text: &str) {
    ui.add_space(2.0);
    ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).dim)).wrap());
}

/// Shows the choice of the vertices that tools work on.
fn scope(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    section(ui, "Vertices", |_| {});
    let now = session.tools().scope;
    let choices = SCOPES.map(|(scope, name, help)| (name, scope == now, help.to_owned()));
    if let Some(chosen) = segments(ui, &choices) {
        commands.push(ToolCommand::SetScope(SCOPES[chosen].0).into());
    }
    let c = colors(ui);
    let count = session.edited_weights().vertices_of(now).map(|vertices| vertices.len());
    let (text, ink) = match (now, count) {
        (Scope::All, _) | (_, None) => ("Works on every vertex of the model.".to_owned(), c.dim),
        (Scope::Joint, Some(0)) => ("Select a joint that moves vertices.".to_owned(), c.amber),
        (Scope::Marked, Some(0)) => {
            ("No vertex is marked: mark some in the picture or in the table.".to_owned(), c.amber)
        }
        (Scope::Finding, Some(0)) => ("Show a finding that names vertices.".to_owned(), c.amber),
        (_, Some(count)) => (format!("Works on {}.", counted(count, "vertex", "vertices")), c.dim),
    };
    ui.add_space(2.0);
    ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(ink)).wrap());
}

/// Lists the joints that no tool changes.
fn locks(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let locked = &session.tools().locked;
    section(ui, "Locked joints", |ui| {
        if !locked.is_empty() && link(ui, "Unlock all", "Unlock all joints").clicked() {
            commands.push(ToolCommand::UnlockAll.into());
        }
    });
    let Some(model) = session.model() else { return };
    let names: Vec<&str> =
        locked.iter().take(4).filter_map(|node| Some(model.skeleton.names.get(node.index())?.as_str())).collect();
    let text = match locked.len() {
        0 => "None. The padlocks in the list of nodes lock joints: no tool changes their weights.".to_owned(),
        n if n > names.len() => format!("{} and {} more", names.join(", "), n - names.len()),
        _ => names.join(", "),
    };
    quiet_text(ui, &text);
}

fn foot(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let chosen = session.tools().operation.is_some();
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        let apply = Command::Tool(ToolCommand::Apply);
        let why = refusal(&apply, session);
        let possible = why.is_none();
        let tick = possible.then_some(icons::CHECK);
        let response = ui.add_enabled_ui(possible, |ui| text_button(ui, tick, "Apply", possible)).inner;
        if response.on_hover_text(tip(&apply)).on_disabled_hover_text(why.unwrap_or_default()).clicked() {
            // The bind matrices that a tool changes are counted in its figures.
            if let Some(changed) = session.tools().outcome().map(|outcome| outcome.vertices).filter(|n| *n > 0) {
                copied::say(ui, format!("{} changed", counted(changed, "vertex", "vertices")));
            }
            commands.push(apply);
        }
        let response = ui.add_enabled_ui(chosen, |ui| text_button(ui, None, "Cancel", false)).inner;
        if response.on_hover_text("Give the tool up; all stays as it is").clicked() {
            commands.push(ToolCommand::Cancel.into());
        }
    });
}
