//! The node tree and its search. The findings are below it.

use std::collections::HashSet;

use egui::{Context, Frame, Id, Key, Margin, Modifiers, Popup, RichText, ScrollArea, Ui};
use skinscope_model::{Model, NodeId};
use skinscope_session::{CameraCommand, Command, SelectionCommand, Session, ToolCommand, ViewCommand};

use super::outliner_row::{NodeLook, Row, RowAction, row_id, show_row};
use super::theme::{MARGIN, ROW, colors};
use super::widgets::{SearchResponse, drop_down, open_field, search_field, steps_down};
use super::{Status, UiState, beside, context_menu, findings, focus};

/// State of the outliner for the open model.
#[derive(Debug, Default)]
pub(super) struct Outliner {
    search: String,
    /// Whether the search gets the focus when it is shown next.
    find: bool,
    /// Whether the arrows have led to the selected match.
    walked: bool,
    collapsed: HashSet<NodeId>,
    nodes: Vec<NodeLook>,
    rows: Vec<Row>,
    /// The search text and the scene that `rows` was built for.
    built_for: Option<(String, usize)>,
    /// The selection that was last brought into view.
    shown: Option<NodeId>,
    /// The height of the list when it was last shown, points.
    height: f32,
    offset: f32,
}

impl Outliner {
    /// Gives the focus to the search in the next pass.
    pub(super) fn find(&mut self) {
        self.find = true;
    }

    /// Gives the focus to the search where that was asked for. It is called before the first widget of a pass.
    pub(super) fn begin(&mut self, ctx: &Context) {
        if std::mem::take(&mut self.find) {
            open_field(ctx, search_id(), &self.search);
        }
    }

    /// Returns the node to which a key in the search leads: arrows walk through the matches, or through all nodes while
    /// nothing is searched for; Enter takes the first match, or stays where the arrows have led.
    fn search_leads_to(&mut self, searched: SearchResponse, selected: Option<NodeId>) -> Option<NodeId> {
        self.walked &= !searched.changed;
        if searched.steps == 0 && !searched.taken {
            return None;
        }
        let searching = !self.search.trim().is_empty();
        let found: Vec<NodeId> = self.rows.iter().filter(|r| r.found).map(|r| r.node).collect();
        if searched.steps != 0 && !found.is_empty() {
            let at = found.iter().position(|n| Some(*n) == selected).filter(|_| self.walked || !searching);
            let from = at.map_or(if searched.steps > 0 { -1 } else { found.len() as i64 }, |at| at as i64);
            self.walked = true;
            let to = (from + searched.steps).clamp(0, found.len() as i64 - 1);
            return found.get(to as usize).copied();
        }
        found.first().copied().filter(|_| searched.taken && searching && !self.walked)
    }

    /// Returns the node to which an arrow key leads from the row that has the focus: the next or the previous one, one
    /// inside the node or the one around it. Folds and unfolds rows as the key asks.
    fn keys_lead_to(&mut self, ui: &Ui, model: &Model, base: Id) -> Option<NodeId> {
        let keys = [Key::ArrowUp, Key::ArrowDown, Key::ArrowLeft, Key::ArrowRight];
        let focused = ui.memory(|m| m.focused()).filter(|_| ui.input(|i| keys.iter().any(|k| i.key_pressed(*k))))?;
        let at = self.rows.iter().position(|r| row_id(base, r.node) == focused)?;
        let (down, out, into) = (
            steps_down(ui),
            ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::ArrowLeft)),
            ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::ArrowRight)),
        );
        let node = self.rows[at].node;
        let can_fold = self.nodes[node.index()].has_children && self.search.trim().is_empty();
        let folded = self.collapsed.contains(&node);
        if out && can_fold && !folded {
            self.collapsed.insert(node);
        } else if into && can_fold && folded {
            self.collapsed.remove(&node);
        } else if out {
            return model.skeleton.parents[node.index()];
        } else {
            let to = (at as i64 + down + i64::from(into)).clamp(0, self.rows.len() as i64 - 1);
            return (down != 0 || into).then(|| self.rows[to as usize].node);
        }
        self.built_for = None;
        None
    }

    fn describe(&mut self, model: &Model) {
        if self.nodes.len() == model.skeleton.len() {
            return;
        }
        self.nodes.clear();
        for parent in &model.skeleton.parents {
            let depth = parent.map_or(0, |p| self.nodes[p.index()].depth + 1);
            if let Some(parent) = parent {
                self.nodes[parent.index()].has_children = true;
            }
            self.nodes.push(NodeLook { depth, has_children: false, has_mesh: false });
        }
        for instance in &model.instances {
            self.nodes[instance.node.index()].has_mesh = true;
        }
    }

    /// Builds the rows anew where search, scene or folding changed.
    fn build(&mut self, model: &Model, scene: usize) {
        let key = (self.search.clone(), scene);
        if self.built_for.as_ref() == Some(&key) {
            return;
        }
        let wanted = self.search.trim().to_lowercase();
        let contains = model.scenes.get(scene).map(|s| s.contains.as_slice());
        let inside = |n: usize| contains.is_none_or(|c| c[n]);
        let has = |name: &str| name.to_lowercase().contains(&wanted);
        let humanoid = |n: usize| model.humanoid(NodeId::from_index(n));
        let found = |n: usize| wanted.is_empty() || has(&model.skeleton.names[n]) || humanoid(n).is_some_and(has);
        let mut listed = vec![wanted.is_empty(); self.nodes.len()];
        if !wanted.is_empty() {
            // Children come after their parents, so one pass backwards keeps every ancestor of a match.
            for n in (0..listed.len()).rev() {
                listed[n] |= found(n);
                if let (true, Some(parent)) = (listed[n], model.skeleton.parents[n]) {
                    listed[parent.index()] = true;
                }
            }
        }
        self.rows.clear();
        let mut hidden_below = u32::MAX;
        for n in (0..self.nodes.len()).filter(|n| inside(*n) && listed[*n]) {
            let depth = self.nodes[n].depth;
            if depth > hidden_below {
                continue;
            }
            let node = NodeId::from_index(n);
            let folded = wanted.is_empty() && self.collapsed.contains(&node);
            hidden_below = if folded { depth } else { u32::MAX };
            self.rows.push(Row { node, found: found(n) });
        }
        self.built_for = Some(key);
    }

    /// Returns the scroll offset at which a selection made elsewhere is visible; `None` where nothing has to move.
    fn follow(&mut self, model: &Model, session: &Session) -> Option<f32> {
        if self.shown == session.view().selected {
            return None;
        }
        self.shown = session.view().selected;
        let node = self.shown?;
        let mut up = model.skeleton.parents[node.index()];
        while let Some(parent) = up {
            if self.collapsed.remove(&parent) {
                self.built_for = None;
            }
            up = model.skeleton.parents[parent.index()];
        }
        self.build(model, session.view().scene);
        let row = self.rows.iter().position(|r| r.node == node)?;
        let top = row as f32 * ROW;
        let seen = top >= self.offset && top + ROW <= self.offset + self.height;
        (!seen).then(|| (top - 0.5 * (self.height - ROW)).max(0.0))
    }
}

pub(super) fn show(ui: &mut Ui, session: &Session, state: &mut UiState, status: &Status, commands: &mut Vec<Command>) {
    findings::show(ui, session, state, status, commands);
    beside::show_list(ui, session, commands);
    Frame::NONE.inner_margin(Margin { left: MARGIN, right: MARGIN, top: 10, bottom: 6 }).show(ui, |ui| {
        let Some(model) = session.model() else {
            ui.set_width(ui.available_width());
            ui.label(RichText::new("Open a file to see its nodes.").color(colors(ui).dim));
            return;
        };
        if model.scenes.len() > 1 {
            scenes(ui, model, session, commands);
        }
        let outliner = &mut state.outliner;
        let searched = search_field(ui, search_id(), &mut outliner.search, "Search nodes", f32::INFINITY, false);
        outliner.describe(model);
        outliner.build(model, session.view().scene);
        if let Some(node) = outliner.search_leads_to(searched, session.view().selected) {
            commands.push(SelectionCommand::Select(Some(node)).into());
        }
    });
    if let Some(model) = session.model() {
        tree(ui, model, session, state, commands);
    }
}

fn scenes(ui: &mut Ui, model: &Model, session: &Session, commands: &mut Vec<Command>) {
    let name = |i: usize| match model.scenes[i].name.as_str() {
        "" => format!("Scene {i}"),
        name => name.to_owned(),
    };
    let now = session.view().scene.min(model.scenes.len() - 1);
    let width = ui.available_width();
    drop_down(ui, "Scene", &name(now), width, "Show another scene of the file", |ui| {
        for i in 0..model.scenes.len() {
            if ui.selectable_label(i == now, name(i)).clicked() {
                commands.push(ViewCommand::SetScene(i).into());
            }
        }
    });
    ui.add_space(4.0);
}

fn tree(ui: &mut Ui, model: &Model, session: &Session, state: &mut UiState, commands: &mut Vec<Command>) {
    let outliner = &mut state.outliner;
    outliner.describe(model);
    let base = ui.scope_id().with("row");
    if let Some(node) = outliner.keys_lead_to(ui, model, base) {
        commands.push(SelectionCommand::Select(Some(node)).into());
        ui.memory_mut(|m| m.request_focus(row_id(base, node)));
    }
    outliner.build(model, session.view().scene);
    let scroll_to = outliner.follow(model, session);
    if outliner.rows.is_empty() {
        let text = match (model.skeleton.is_empty(), outliner.search.trim().is_empty()) {
            (true, _) => "This file has no nodes.",
            (false, true) => "This scene has no nodes.",
            (false, false) => "No node has that in its name.",
        };
        Frame::NONE
            .inner_margin(Margin::symmetric(MARGIN, 4))
            .show(ui, |ui| ui.label(RichText::new(text).color(colors(ui).dim)));
        return;
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut area = ScrollArea::vertical().auto_shrink(false).min_scrolled_height(0.0).id_salt("tree");
    if let Some(offset) = scroll_to {
        area = area.vertical_scroll_offset(offset);
    }
    let mut hovered = None;
    let mut fold = None;
    let mut asked_menu = None;
    let output = area.show_rows(ui, ROW, outliner.rows.len(), |ui, range| {
        let rows = &outliner.rows[range];
        // Tab goes to one row, and the arrows go on from there.
        let stop = rows.iter().find(|r| Some(r.node) == session.view().selected).or(rows.first()).map(|r| r.node);
        for row in rows {
            let look = outliner.nodes[row.node.index()];
            let folded = outliner.collapsed.contains(&row.node);
            let id = row_id(base, row.node);
            if stop != Some(row.node) {
                focus::pass_over(ui, id);
            }
            let answer = show_row(ui, model, session, *row, look, folded, id);
            let response = ui.ctx().read_response(id);
            if let Some(response) =
                response.filter(|r| r.secondary_clicked() || Popup::is_id_open(ui.ctx(), Popup::default_response_id(r)))
            {
                asked_menu = Some((response, row.node));
            }
            match answer {
                Some(RowAction::Select) => {
                    outliner.shown = Some(row.node);
                    commands.push(SelectionCommand::Select(Some(row.node)).into());
                }
                Some(RowAction::Frame) => commands.push(CameraCommand::FrameSelected.into()),
                Some(RowAction::Fold) => fold = Some(row.node),
                Some(RowAction::Hover) => hovered = Some(row.node),
                Some(RowAction::Hide) => commands.push(ViewCommand::ToggleHidden(row.node).into()),
                Some(RowAction::Lock) => commands.push(ToolCommand::ToggleLock(row.node).into()),
                None => {}
            }
        }
    });
    outliner.height = output.inner_rect.height();
    outliner.offset = output.state.clamped_offset().y;
    if let Some(node) = fold {
        if !outliner.collapsed.remove(&node) {
            outliner.collapsed.insert(node);
        }
        outliner.built_for = None;
        ui.ctx().request_repaint();
    }
    state.hovered = hovered.or(state.hovered);
    if let Some((response, node)) = asked_menu {
        let about = context_menu::About::node(node);
        if response.secondary_clicked() {
            context_menu::begin(about, session, commands);
        }
        context_menu::show(&response, about, session, state, commands);
    }
}

/// Returns the id of the field above the list.
fn search_id() -> Id {
    Id::unique("search for nodes")
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;

    fn names(outliner: &Outliner, model: &Model) -> Vec<String> {
        outliner.rows.iter().map(|r| model.skeleton.names[r.node.index()].clone()).collect()
    }

    #[test]
    fn folding_hides_what_is_below() {
        let model = tube(Tube { joints: 4, ..Tube::default() });
        let mut outliner = Outliner::default();
        outliner.describe(&model);
        outliner.build(&model, 0);
        assert_eq!(names(&outliner, &model), ["root", "joint 0", "joint 1", "joint 2", "joint 3"]);
        outliner.collapsed.insert(NodeId(2));
        outliner.built_for = None;
        outliner.build(&model, 0);
        assert_eq!(names(&outliner, &model), ["root", "joint 0", "joint 1"]);
    }

    #[test]
    fn a_search_keeps_matches_and_their_ancestors() {
        let model = tube(Tube { joints: 4, ..Tube::default() });
        let mut outliner = Outliner { search: "JOINT 2".into(), ..Outliner::default() };
        outliner.describe(&model);
        outliner.build(&model, 0);
        assert_eq!(names(&outliner, &model), ["root", "joint 0", "joint 1", "joint 2"]);
        assert_eq!(outliner.rows.iter().filter(|r| r.found).count(), 1);
    }
}
