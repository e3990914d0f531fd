//! The joints of painting: the painted one, the one that is given to, and those that are locked.

use std::borrow::Cow;

use egui::{Label, RichText, Ui, vec2};
use skinscope_model::{Model, NodeId};
use skinscope_session::{Command, PaintSettings, SelectionCommand, Session, ToolCommand};
use skinscope_weights::Need;

use crate::outliner_row::paint_padlock;
use crate::search_list::{SearchList, SearchListOptions, index_of};
use crate::theme::{self, ROW, colors};
use crate::widgets::{counted, focus_ring, link, paint_line, paint_switch, press, section, shortened};

/// The most locked joints that have a chip.
const MOST_CHIPS: usize = 12;
/// The width of the name of a drop-down, points.
const NAME: f32 = 66.0;
/// The tooltip of what unlocks all joints.
const ALL: &str = "Let brushes and tools change the weights of all joints again";
/// The room of the padlock in a chip, points.
const LOCK: f32 = 22.0;

/// Shows the painted joint, which is the selected one, and the joint that is given to where the brush gives.
pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    now: &mut PaintSettings,
    (painted, to): (&mut SearchList, &mut SearchList),
    commands: &mut Vec<Command>,
) {
    let Some(model) = session.model() else { return };
    let joints: Vec<NodeId> =
        (0..model.skeleton.len()).map(NodeId::from_index).filter(|node| model.is_joint(*node)).collect();
    let selected = session.view().selected.filter(|node| joints.contains(node));
    section(ui, "Joint", |ui| {
        let Some(node) = selected else { return };
        let is_locked = session.tools().locked.contains(&node);
        let (text, name) =
            if is_locked { ("Unlock", "Unlock the painted joint") } else { ("Lock", "Lock the painted joint") };
        let help = "The weights of a locked joint stay to the bit, whatever is painted";
        if link(ui, text, name).on_hover_text(help).clicked() {
            commands.push(ToolCommand::ToggleLock(node).into());
        }
    });
    let help = "The joint whose weight is painted: the one that is selected";
    if let Some(node) = choice(ui, (model, &joints), painted, ("Painted", help), selected) {
        commands.push(SelectionCommand::Select(Some(node)).into());
    }
    let below = session.painted_joints().len().saturating_sub(1);
    if below > 0 {
        let text =
            format!("With children is on: {} below painted as one with it.", counted(below, "joint is", "joints are"));
        ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).dim)).wrap());
    }
    if session.painting().brush().is_some_and(|brush| brush.needs.contains(&Need::To)) {
        ui.add_space(4.0);
        let help = "The joint that gets what the painted one loses";
        // The painted joint keeps what it gives to itself.
        let others: Vec<NodeId> = joints.iter().copied().filter(|node| Some(*node) != selected).collect();
        let given = now.to.filter(|node| others.contains(node));
        now.to = choice(ui, (model, &others), to, ("Gives to", help), given).or(now.to);
    }
}

/// Shows a joint with its name before it; returns the one that becomes chosen.
fn choice(
    ui: &mut Ui,
    (model, joints): (&Model, &[NodeId]),
    list: &mut SearchList,
    (label, help): (&str, &str),
    now: Option<NodeId>,
) -> Option<NodeId> {
    let names = &model.skeleton.names;
    let shown = now.and_then(|node| names.get(node.index())).map_or("None", String::as_str);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        let (rect, _) = ui.allocate_exact_size(vec2(NAME, ROW), egui::Sense::hover());
        let ink = colors(ui).dim;
        let (galley, _) = shortened(ui, label, theme::regular(theme::BODY), ink, NAME);
        paint_line(ui, galley, rect.left(), rect.center().y, ink);
        let width = ui.available_width();
        let options = SearchListOptions {
            id: label,
            search: "Search joints",
            none: "No joint is called that.",
            width,
            list_width: width.max(220.0),
            count: joints.len(),
            now: now.and_then(|node| joints.iter().position(|joint| *joint == node)),
            shown,
        };
        let name = |i: usize| joints.get(i).and_then(|node| names.get(node.index())).map_or("", String::as_str);
        let index = |i: usize| index_of(model, *joints.get(i)?);
        let (response, chosen) = list.show(ui, &options, |i| Cow::Borrowed(name(i)), index);
        response.accessible_name(format!("{label}: {shown}")).on_hover_text(help);
        chosen.and_then(|i| joints.get(i).copied())
    })
    .inner
}

/// Shows a chip with a padlock for each locked joint, which unlocks it.
pub(super) fn locks(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let locked = &session.tools().locked;
    section(ui, "Locked joints", |ui| {
        if !locked.is_empty() && link(ui, "Unlock all", "Unlock all joints").on_hover_text(ALL).clicked() {
            commands.push(ToolCommand::UnlockAll.into());
        }
    });
    let Some(model) = session.model() else { return };
    let c = colors(ui);
    if locked.is_empty() {
        let text = "None. The padlocks in the list of nodes lock joints: no brush changes their weights.";
        ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(c.dim)).wrap());
        return;
    }
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 4.0);
        for node in locked.iter().take(MOST_CHIPS) {
            let name = model.skeleton.names.get(node.index()).map_or("", String::as_str);
            let room = ui.max_rect().width() - LOCK - 10.0;
            let (galley, _) = shortened(ui, name, theme::regular(12.0), c.text, room);
            let (rect, response) =
                press(ui, vec2(LOCK + galley.size().x + 8.0, ROW), &format!("Unlock the weights of {name}"), None);
            paint_switch(ui, rect, false, response.hovered(), c.raised);
            paint_padlock(ui, rect.left_center() + vec2(0.5 * LOCK, 0.0), true, c.amber);
            paint_line(ui, galley, rect.left() + LOCK, rect.center().y, c.text);
            focus_ring(ui, rect, &response);
            if response
                .on_hover_text(format!("{name}\nUnlock it, so that brushes and tools change its weights"))
                .clicked()
            {
                commands.push(ToolCommand::ToggleLock(*node).into());
            }
        }
        if locked.len() > MOST_CHIPS {
            let more = format!("and {} more", locked.len() - MOST_CHIPS);
            ui.label(RichText::new(more).font(theme::regular(12.0)).color(c.dim));
        }
    });
}
