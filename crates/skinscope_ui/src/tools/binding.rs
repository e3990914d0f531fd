//! What of a binding no other row of the panel sets: the numbers of the chosen method, the rules, which meshes are bound and to what, and
//! whether the result is a layer. Below the figures, what was bound, and what to look at next.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use egui::{Label, RichText, ScrollArea, Ui, vec2};
use skinscope_edit::{
    BIND_RULES, BindRule, BoundSkin, Operation, Parameter, Settings, bind_meshes, bind_method, bind_root,
    bindable_meshes, clear_bind_meshes, has_bare_mesh, has_bind_rule, likely_bind_root, set_bind_mesh, set_bind_root,
    set_bind_rule,
};
use skinscope_inspect::check::Finding;
use skinscope_model::{Model, NodeId};
use skinscope_session::{
    BrushKey, Command, ComparisonCommand, FindingCommand, Session, ToolCommand, ViewCommand, WindowCommand, refusal,
};

use super::fold::fold;
use super::{LABEL, envelope, quiet_text};
use crate::search_list::{SearchList, SearchListOptions, index_of};
use crate::theme::{self, ROW, colors};
use crate::value_row::ValueRow;
use crate::widgets::{
    counted, figure, focus_ring, link, paint_line, paint_switch, press, section, segments, shortened, tip,
};

/// How many rows the list of meshes shows at once.
const MOST_ROWS: usize = 9;
/// How many joints or pieces are named on one line.
const NAMED: usize = 6;
/// The overlay that shows how much the weights differ from those of the file, or those that the model is compared with.
const CHANGED: &str = "changed";

/// Shows what is set of a binding.
pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    parameter: &Parameter,
    now: &mut Settings,
    commands: &mut Vec<Command>,
) {
    numbers(ui, now);
    envelope::show(ui, session, now);
    if let Some(model) = session.edited_weights().edited_model() {
        meshes(ui, session, model, now);
        if bind_root(model, now).is_none() {
            as_layer(ui, session, commands);
        }
    }
    rules(ui, parameter, now);
}

/// Shows the numbers of the chosen method.
fn numbers(ui: &mut Ui, now: &mut Settings) {
    for number in bind_method(now).parameters {
        let value = now.values.get(number.id).copied().unwrap_or(number.default);
        let [least, most] = number.range;
        let row = ValueRow {
            name: number.label,
            help: number.help,
            label: number.label,
            label_width: LABEL,
            color: colors(ui).dim,
            value: value as f32,
            range: least as f32..=most as f32,
            home: number.default as f32,
            decimals: usize::from(number.decimals),
            unit: "",
            edited: false,
        };
        if let Some(value) = row.show(ui).value {
            let typed: f64 = value.to_string().parse().unwrap_or(f64::from(value));
            now.values.insert(number.id.to_owned(), typed.clamp(least, most));
        }
    }
}

/// Shows which meshes are bound, where there is a choice, and the node whose joints those without a skin are bound to.
fn meshes(ui: &mut Ui, session: &Session, model: &Model, now: &mut Settings) {
    let has_bare = has_bare_mesh(model);
    if !has_bare && bindable_meshes(model, now).len() < 2 {
        return;
    }
    section(ui, "Meshes", |_| {});
    if has_bare {
        joints(ui, session, model, now);
    }
    let all = bindable_meshes(model, now);
    choose_meshes(ui, &all, now);
    let Some(root) = bind_root(model, now) else { return };
    let name = model.skeleton.names.get(root.index()).map_or("", String::as_str);
    let text = format!(
        "{} a skin, whose joints are “{name}” and the nodes below it that show no mesh. Vertices that the tool does not work on follow “{name}” as a whole; locked joints get no weight.",
        counted(chosen_of(&all, &bind_meshes(now)), "mesh gains", "meshes gain")
    );
    quiet_text(ui, &text);
}

/// Returns how many of some meshes are bound.
fn chosen_of(all: &BTreeMap<u32, String>, chosen: &BTreeSet<u32>) -> usize {
    if chosen.is_empty() { all.len() } else { all.keys().filter(|mesh| chosen.contains(*mesh)).count() }
}

/// Shows which of several meshes are bound, folded: a row for all of them, and one for each.
fn choose_meshes(ui: &mut Ui, all: &BTreeMap<u32, String>, now: &mut Settings) {
    let chosen = bind_meshes(now);
    if all.len() < 2 && chosen.is_empty() {
        return;
    }
    let name = match chosen_of(all, &chosen) {
        count if count == all.len() => format!("All {count} meshes"),
        count => format!("{count} of {} meshes", all.len()),
    };
    let id = ui.scope_id().with("meshes to bind");
    if !folded(ui, id, &name, "Which meshes are bound") {
        return;
    }
    let height = (ROW + 3.0) * (1 + all.len()).min(MOST_ROWS) as f32;
    let rows = ScrollArea::vertical().id_salt("meshes to bind").max_height(height);
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 3.0;
        rows.show_rows(ui, ROW, 1 + all.len(), |ui, shown| {
            for at in shown {
                // The first row is the one for all.
                let Some((mesh, name)) = at.checked_sub(1).and_then(|at| all.iter().nth(at)) else {
                    if switch_row(ui, "All meshes", "Bind every mesh", chosen.is_empty()) {
                        clear_bind_meshes(now);
                    }
                    continue;
                };
                let is_on = chosen.contains(mesh);
                let help = format!("Bind mesh {mesh} of the file; meshes that are not chosen stay as they are");
                if switch_row(ui, name, &help, is_on) {
                    set_bind_mesh(now, *mesh, !is_on);
                }
            }
        });
    });
}

/// Shows whether meshes with a skin are bound or those without one, and the node whose joints the latter gain.
fn joints(ui: &mut Ui, session: &Session, model: &Model, now: &mut Settings) {
    let root = bind_root(model, now);
    if !model.skins.is_empty() {
        let choices = [
            ("With a skin", root.is_none(), "Find the weights of the meshes that have a skin anew".to_owned()),
            ("Without", root.is_some(), "Give the meshes without a skin one, with weights".to_owned()),
        ];
        match segments(ui, &choices) {
            Some(0) if root.is_some() => {
                set_bind_root(now, None);
                clear_bind_meshes(now);
            }
            Some(1) if root.is_none() => {
                set_bind_root(now, likely_bind_root(model));
                clear_bind_meshes(now);
            }
            _ => {}
        }
    }
    let Some(root) = bind_root(model, now) else { return };
    if let Some(chosen) = root_list(ui, model, root) {
        set_bind_root(now, Some(chosen));
    }
    let selected = session.view().selected.filter(|node| *node != root);
    ui.add_enabled_ui(selected.is_some(), |ui| {
        let button = link(ui, "Take the selected node", "Root of the joints: take the selected node");
        if button.on_disabled_hover_text("Select another node").clicked() {
            set_bind_root(now, selected.or(Some(root)));
        }
    });
}

/// Shows the node below which the joints are, in a list; returns the one that becomes chosen.
fn root_list(ui: &mut Ui, model: &Model, root: NodeId) -> Option<NodeId> {
    let id = ui.scope_id().with("root of the joints");
    let mut list: SearchList = ui.data(|d| d.get_temp(id)).unwrap_or_default();
    let names = &model.skeleton.names;
    let name = |index: usize| Cow::Borrowed(names.get(index).map_or("", String::as_str));
    let shown = name(root.index());
    let mut chosen = None;
    ui.horizontal(|ui| {
        let label = ui.label("Joints of");
        let width = ui.available_width();
        let options = SearchListOptions {
            id: "root of the joints",
            search: "Search nodes",
            none: "No node has that in its name.",
            width,
            list_width: width.max(220.0),
            count: names.len(),
            now: Some(root.index()),
            shown: &shown,
        };
        let (response, picked) = list.show(ui, &options, name, |index| index_of(model, NodeId::from_index(index)));
        response.labelled_by(label.id).on_hover_text("The node that the joints are at and below");
        chosen = picked.map(NodeId::from_index);
    });
    ui.data_mut(|d| d.insert_temp(id, list));
    chosen
}

/// Shows whether the weights become a layer of their own.
pub(super) fn as_layer(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    section(ui, "Result", |_| {});
    let on = session.tools().as_layer;
    let choices = [
        ("Weights", !on, "Apply replaces the weights".to_owned()),
        ("A layer", on, "Apply adds a layer of weights, which can be faded, masked, and painted over".to_owned()),
    ];
    if segments(ui, &choices).is_some_and(|chosen| (chosen == 1) != on) {
        commands.push(ToolCommand::ToggleAsLayer.into());
    }
}

/// Shows which rules hold, a row each.
fn rules(ui: &mut Ui, parameter: &Parameter, now: &mut Settings) {
    section(ui, parameter.label, |_| {});
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 3.0;
        for rule in BIND_RULES {
            let on = has_bind_rule(now, rule.id);
            if switch_row(ui, rule.label, rule.help, on) {
                set_bind_rule(now, rule.id, !on);
            }
        }
    });
}

/// Shows a row that is switched on and off; returns true when it was pressed.
fn switch_row(ui: &mut Ui, name: &str, help: &str, on: bool) -> bool {
    let c = colors(ui);
    let (rect, response) = press(ui, vec2(ui.available_width(), ROW), name, Some(on));
    paint_switch(ui, rect, on, response.hovered(), c.raised);
    let ink = if on { c.text } else { c.dim };
    let (galley, _) = shortened(ui, name, theme::regular(12.0), ink, rect.width() - 20.0);
    paint_line(ui, galley, rect.left() + 10.0, rect.center().y, ink);
    focus_ring(ui, rect, &response);
    response.on_hover_text(help).clicked()
}

/// Shows what is bound or was just bound: pieces, joints with weight, what another method had to do, and which rules applied.
pub(super) fn report(ui: &mut Ui, session: &Session) {
    let bound = session.edited_weights().bound_skins();
    let Some(model) = session.model().filter(|_| !bound.is_empty()) else { return };
    section(ui, "Binding", |_| {});
    for skin in bound {
        if bound.len() > 1 {
            let name = model.skins.get(skin.skin.index()).map_or("", |skin| skin.name.as_str());
            figure(ui, "Skin", name);
        }
        ui.scope(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            figure(ui, "Pieces", &skin.islands.to_string());
            figure(ui, "Joints with weight", &format!("{} of {}", skin.joints_used, skin.joints));
        });
        fallbacks(ui, skin);
        applied(ui, model, skin);
    }
}

/// Shows the pieces that the method could not bind by itself, folded.
fn fallbacks(ui: &mut Ui, skin: &BoundSkin) {
    if skin.fallback.is_empty() {
        return;
    }
    let id = ui.scope_id().with(("fallbacks", skin.skin.0));
    let name = format!("{} by another method", counted(skin.fallback.len(), "piece", "pieces"));
    if !folded(ui, id, &name, "Which pieces the method could not bind by itself, and why") {
        return;
    }
    for fallback in &skin.fallback {
        let vertices = counted(fallback.vertices, "vertex", "vertices");
        let text = format!("Piece {} ({vertices}) by {}: {}.", fallback.island, fallback.method, fallback.reason);
        ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).amber)).wrap());
    }
}

/// Shows which rules applied where, folded.
fn applied(ui: &mut Ui, model: &Model, skin: &BoundSkin) {
    let of = |rule: &BindRule| skin.rules.iter().filter(|(applied, _)| applied.rule == rule.id).count();
    let rules: Vec<&BindRule> = BIND_RULES.iter().filter(|rule| of(rule) > 0).collect();
    if rules.is_empty() {
        return;
    }
    let id = ui.scope_id().with(("applied rules", skin.skin.0));
    let name = counted(rules.len(), "rule applied", "rules applied");
    if !folded(ui, id, &name, "Which rules have changed something, and where") {
        return;
    }
    for rule in rules {
        let applied = skin.rules.iter().filter(|(applied, _)| applied.rule == rule.id);
        let mut about: Vec<String> = Vec::new();
        let mut pieces = 0;
        for (applied, node) in applied {
            let name = node.and_then(|node| model.skeleton.names.get(node.index()));
            // Several pieces may follow one joint.
            let name = name.filter(|name| !about.contains(*name));
            about.extend(name.cloned());
            pieces += usize::from(applied.island.is_some());
        }
        let more = about.len().saturating_sub(NAMED);
        about.truncate(NAMED);
        if more > 0 {
            about.push(format!("{more} more"));
        }
        if pieces > 0 {
            about.push(counted(pieces, "piece", "pieces"));
        }
        let text =
            if about.is_empty() { rule.label.to_owned() } else { format!("{}: {}", rule.label, about.join(", ")) };
        ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).dim)).wrap())
            .on_hover_text(rule.help);
    }
}

/// Shows a row that folds what follows; returns whether that is shown.
pub(super) fn folded(ui: &mut Ui, id: egui::Id, name: &str, help: &str) -> bool {
    let mut is_open: bool = ui.data(|d| d.get_temp(id)).unwrap_or_default();
    if fold(ui, name, help, is_open) {
        is_open = !is_open;
        ui.data_mut(|d| d.insert_temp(id, is_open));
    }
    is_open
}

/// Offers an overlay of how much the weights differ from those before, and where the file has others also from those. What gains a skin had no
/// weights before.
pub(super) fn changes(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let Some(document) = session.document() else { return };
    let before = session.edited_weights().weights_before();
    let is_other = before.is_some_and(|before| !Arc::ptr_eq(before, document.stored()));
    let is_shown = session.view().overlay.is_some_and(|overlay| overlay.id == CHANGED);
    let compares = session.deforming().compared_file().is_some();
    let of_file = "Show how much the weights differ from those of the file";
    let help = before.map_or(of_file, |_| "Show how much the weights differ from those before they were found");
    let is_to_show = !is_shown || is_other && !compares;
    if is_to_show && link(ui, "Show what has changed", help).on_hover_text(help).clicked() {
        commands.push(match is_other {
            true => ToolCommand::CompareBefore.into(),
            false => ViewCommand::SetOverlay(Some(CHANGED)).into(),
        });
    }
    if is_shown && compares && link(ui, "Compare with the file", of_file).on_hover_text(of_file).clicked() {
        commands.push(ComparisonCommand::LeaveFile.into());
    }
}

/// Shows what comes next once a mesh was bound: what the checker and the range of motion found, what has changed, and a brush.
pub(super) fn next(ui: &mut Ui, session: &Session, operation: &Operation, commands: &mut Vec<Command>) {
    if operation.finds_weights() && !session.edited_weights().just_bound().is_empty() {
        look(ui, session, commands);
    }
}

/// Shows the same where meshes were given skins without a tool, as dressing a body does.
pub(super) fn next_of_given(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    if session.edited_weights().was_given_skins() {
        section(ui, "New skin", |_| {});
        look(ui, session, commands);
    }
}

/// Says what the checker and the range of motion have found, and offers to look at the worst of it and to go on.
fn look(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let Some(document) = session.document() else { return };
    let is_done = session.edited_weights().edited_model().is_some_and(|model| document.is_examined(model));
    let found = document.findings().count();
    // Of those that are equally bad the first that shows on the surface: helpers move nothing on purpose.
    let badness = |at: usize, finding: &Finding| (finding.severity, !finding.vertices.is_empty(), Reverse(at));
    let worst = document.findings().enumerate().max_by_key(|(at, finding)| badness(*at, finding));
    let worst = worst.map(|(at, _)| at).filter(|_| is_done);
    let text = match (is_done, found) {
        (false, _) => {
            "The checker and the range of motion look at it; what they find comes below the nodes.".to_owned()
        }
        (true, 0) => "The checker and the range of motion find nothing.".to_owned(),
        (true, _) => format!("{} below the nodes, the worst one first.", counted(found, "finding is", "findings are")),
    };
    quiet_text(ui, &text);
    ui.horizontal_wrapped(|ui| {
        if let Some(worst) = worst {
            let help = "Show the finding to look at first, in its pose";
            if link(ui, "Show the worst finding", help).on_hover_text(help).clicked() {
                commands.push(FindingCommand::ShowFinding(worst).into());
            }
        }
        changes(ui, session, commands);
        let take = Command::Window(WindowCommand::Brush(BrushKey::Take));
        let name = "Go on with a brush";
        if refusal(&take, session).is_none() && link(ui, name, name).on_hover_text(tip(&take)).clicked() {
            commands.push(take);
        }
    });
}
