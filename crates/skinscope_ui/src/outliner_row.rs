//! A row of the node tree: its triangle, icon, name, eye and padlock.

use egui::accesskit::Role;
use egui::{Align2, Color32, CornerRadius, Id, Rect, Response, Sense, Ui, WidgetInfo, pos2, vec2};
use skinscope_frame::joint_color;
use skinscope_inspect::Scale;
use skinscope_model::{Model, NodeId};
use skinscope_session::Session;

use super::theme::{self, BODY, Colors, MARGIN, ROW, SMALL, colors};
use super::widgets::{describe, focus_ring, paint_line, row_background, shortened};
use super::{focus, icons};

/// How many letters a cut name of a humanoid bone has at least; with fewer it is left out.
const LEAST_LETTERS: usize = 8;

#[derive(Clone, Copy, Debug)]
pub(super) struct NodeLook {
    pub(super) depth: u32,
    pub(super) has_children: bool,
    pub(super) has_mesh: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) node: NodeId,
    /// Whether it matches the search; false for ancestors of a match.
    pub(super) found: bool,
}

/// What the user did to a row.
pub(super) enum RowAction {
    Select,
    Frame,
    Fold,
    Hover,
    Hide,
    Lock,
}

/// Returns the id of a node's row, wherever it is in the list.
pub(super) fn row_id(base: Id, node: NodeId) -> Id {
    base.with(node.0)
}

/// Shows a row at the cursor of `ui`; `folded` where the nodes below it are not shown.
pub(super) fn show_row(
    ui: &mut Ui,
    model: &Model,
    session: &Session,
    row: Row,
    look: NodeLook,
    folded: bool,
    id: Id,
) -> Option<RowAction> {
    let name = &model.skeleton.names[row.node.index()];
    let selected = session.view().selected == Some(row.node);
    let c = colors(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let response = ui.interact(rect, id, Sense::click());
    let humanoid = model.humanoid(row.node);
    response.widget_info(|| {
        // A bone that is known by the name of the node adds nothing to it.
        let declared = humanoid.filter(|_| !model.humanoid.is_empty());
        let label = declared.map_or_else(|| name.clone(), |h| format!("{name}, {h}"));
        WidgetInfo::selected(Role::TreeItem, ui.is_enabled(), selected, label)
    });
    about(&response, model, row.node);
    let hovered = response.hovered() || session.view().hovered == Some(row.node);
    row_background(ui.painter(), rect, selected, hovered, selected, c);
    let y = rect.center().y;
    let left = rect.left() + f32::from(MARGIN) - 6.0 + indent(look.depth, rect.width());
    let mut answer = response.hovered().then_some(RowAction::Hover);
    if response.double_clicked() {
        answer = Some(RowAction::Frame);
    } else if response.clicked() {
        answer = Some(RowAction::Select);
    }
    if look.has_children && triangle(ui, row.node, name, pos2(left + 6.0, y), folded) {
        answer = Some(RowAction::Fold);
    }
    let hidden = session.bones().is_hidden(row.node);
    let over_row = response.hovered() || response.has_focus();
    let eye_at = pos2(rect.right() - 18.0, y);
    if eye(ui, session, row.node, name, eye_at, (hidden, over_row)) {
        answer = Some(RowAction::Hide);
    }
    // Names keep the room of padlocks that are open, except where one is about to be pressed.
    let is_locked = session.tools().locked.contains(&row.node);
    let has_use = session.tools().open || session.painting().brush().is_some();
    let lockable = is_locked || model.is_joint(row.node) && has_use;
    let shows_lock = is_locked || lockable && (selected || over_row || ui.rect_contains_pointer(rect));
    if lockable && padlock(ui, session, row.node, name, pos2(rect.right() - 38.0, y), (over_row, shows_lock)) {
        answer = Some(RowAction::Lock);
    }
    let dominant = session.view().overlay.is_some_and(|o| matches!(o.scale, Scale::Joints));
    let (icon, ink) = match (model.is_joint(row.node), look.has_mesh) {
        (true, _) if dominant => {
            let [r, g, b] = joint_color(row.node).map(|v| (v * 255.0).round() as u8);
            (icons::FILLED_CIRCLE, Color32::from_rgb(r, g, b))
        }
        (true, _) => (icons::BONE, c.accent),
        (false, true) => (icons::CUBE, c.dim),
        (false, false) => (icons::CIRCLE, c.dim),
    };
    let size = if icon == icons::CIRCLE { 11.0 } else { 14.0 };
    ui.painter().text(pos2(left + 22.0, y), Align2::CENTER_CENTER, icon, theme::icon(size), ink);
    let edited = session.edits().nodes.contains_key(&row.node);
    let lock_room = if shows_lock { 18.0 } else { 0.0 };
    let end = rect.right() - lock_room - if edited { 50.0 } else { 32.0 };
    let color = if row.found && !hidden { c.text } else { c.dim };
    let (galley, cut) = shortened(ui, name, theme::regular(BODY), color, end - left - 34.0);
    let after_name = left + 34.0 + galley.size().x + 8.0;
    paint_line(ui, galley, left + 34.0, y, color);
    let mut whole = if cut { name.clone() } else { String::new() };
    if let Some(humanoid) = humanoid.filter(|_| end - after_name > 24.0) {
        let (galley, cut) = shortened(ui, humanoid, theme::regular(SMALL), c.dim, end - after_name);
        // A few letters of a name say nothing.
        if !cut || galley.text().chars().count() > LEAST_LETTERS {
            paint_line(ui, galley, after_name, y, c.dim);
        }
        if cut {
            whole = format!("{name}, {humanoid}");
        }
    }
    if edited {
        ui.painter().circle_filled(pos2(rect.right() - lock_room - 38.0, y), 4.0, c.amber);
    }
    focus_ring(ui, rect, &response);
    if !whole.is_empty() {
        response.on_hover_text(whole);
    }
    answer
}

/// Says what the node of a row is.
fn about(response: &Response, model: &Model, node: NodeId) {
    if !response.ctx.has_accesskit_node(response.id) {
        return;
    }
    let kind = if model.is_joint(node) { "A joint of the skin" } else { "A node of the file that is no joint" };
    let parent = model.skeleton.parents[node.index()].map(|parent| &model.skeleton.names[parent.index()]);
    let below = parent.map_or_else(String::new, |parent| format!(" below {parent}"));
    describe(response, &format!("{kind}{below}; a click selects it, a double click brings it into view"));
}

/// Returns the indent in points at `depth` in a list `width` points wide: 14 a level, less in a narrow list and where that would
/// leave no room for names.
fn indent(depth: u32, width: f32) -> f32 {
    let plain = depth as f32 * (width / 16.0).clamp(9.0, 14.0);
    let limit = 0.45 * width;
    let soft = 0.5 * limit;
    if plain <= soft { plain } else { soft + (limit - soft) * (1.0 - (-(plain - soft) / (limit - soft)).exp()) }
}

/// Returns the ink of a sign that is quiet until the pointer is over its row.
fn quiet_ink(session: &Session, node: NodeId, c: &Colors) -> Color32 {
    // The ground of rows that stand out is lighter in the dark theme, and darker in the light one.
    let stands_out = [session.view().selected, session.view().hovered].contains(&Some(node));
    if stands_out { c.dim } else { c.faint }
}

/// Shows the eye that hides a node with all below it; returns true when it was pressed. Open eyes are faint, except in
/// the row under the pointer.
fn eye(ui: &Ui, session: &Session, node: NodeId, name: &str, at: egui::Pos2, (hidden, over_row): (bool, bool)) -> bool {
    let c = colors(ui);
    let rect = Rect::from_center_size(at, vec2(20.0, ROW));
    let response = ui.interact(rect, ui.scope_id().with(("eye", node.0)), Sense::click());
    // The key H does the same for the selected node.
    focus::pass_over(ui, response.id);
    let own = session.view().hidden.contains(&node);
    let verb = if own { "Show" } else { "Hide" };
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, !own, format!("{verb} {name}")));
    let faint = quiet_ink(session, node, c);
    let ink = match (hidden, over_row || response.hovered() || response.has_focus()) {
        (_, true) => c.text,
        (true, false) => c.dim,
        (false, false) => faint,
    };
    let stroke = egui::Stroke::new(1.2, ink);
    let bow = |rise: f32| {
        let ends = [at - vec2(6.0, 0.0), at + vec2(6.0, 0.0)];
        let points = [ends[0], at + vec2(0.0, rise), ends[1]];
        let curve = egui::epaint::QuadraticBezierShape::from_points_stroke(points, false, Color32::TRANSPARENT, stroke);
        ui.painter().add(curve);
    };
    bow(7.0);
    if hidden {
        // This is the closed eye: the lower lid, with lashes.
        for x in [-4.0, 0.0, 4.0_f32] {
            let from = at + vec2(x, 3.5 - 0.08 * x * x);
            ui.painter().line_segment([from, from + vec2(0.4 * x, 2.5)], stroke);
        }
    } else {
        bow(-7.0);
        ui.painter().circle_filled(at, 1.8, ink);
    }
    let help = match (own, hidden) {
        (true, _) => "Show it and all below it",
        (false, true) => "Hidden with what it hangs on",
        (false, false) => "Hide it and all below it: mesh, bones and their picking",
    };
    response.on_hover_text(help).clicked()
}

/// Shows the padlock that keeps tools from changing the weights of a joint; returns true when it was pressed. Open ones
/// are faint, except in the row under the pointer. One that is not `shown` is there for its key and for screen readers.
pub(super) fn padlock(
    ui: &Ui,
    session: &Session,
    node: NodeId,
    name: &str,
    at: egui::Pos2,
    (over_row, shown): (bool, bool),
) -> bool {
    let c = colors(ui);
    let rect = Rect::from_center_size(at, vec2(18.0, ROW));
    let response = ui.interact(rect, ui.scope_id().with(("padlock", node.0)), Sense::click());
    focus::pass_over(ui, response.id);
    let locked = session.tools().locked.contains(&node);
    let verb = if locked { "Unlock" } else { "Lock" };
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, locked, format!("{verb} {name}")));
    let faint = quiet_ink(session, node, c);
    let ink = match (locked, over_row || response.hovered() || response.has_focus()) {
        (true, _) => c.amber,
        (false, true) => c.text,
        (false, false) => faint,
    };
    let ink = if shown || response.has_focus() { ink } else { Color32::TRANSPARENT };
    paint_padlock(ui, at, locked, ink);
    let help = if locked { "Tools leave its weights alone: unlock it" } else { "Keep tools from changing its weights" };
    response.on_hover_text(help).clicked()
}

/// Paints a padlock around a point.
pub(super) fn paint_padlock(ui: &Ui, at: egui::Pos2, locked: bool, ink: Color32) {
    let stroke = egui::Stroke::new(1.4, ink);
    let body = Rect::from_center_size(at + vec2(0.0, 2.0), vec2(9.0, 7.0));
    ui.painter().rect_filled(body, CornerRadius::same(1), ink);
    // The shackle of an open lock is beside its body.
    let shift = if locked { 0.0 } else { 4.5 };
    let (left, right, top) = (at.x - 3.0 + shift, at.x + 3.0 + shift, at.y - 5.5);
    let foot = body.top();
    let points = [
        pos2(left, foot),
        pos2(left, top + 2.0),
        pos2(left + 1.2, top),
        pos2(right - 1.2, top),
        pos2(right, top + 2.0),
        pos2(right, if locked { foot } else { top + 3.5 }),
    ];
    ui.painter().line(points.to_vec(), stroke);
}

/// Shows the folding triangle; returns true when it was pressed.
fn triangle(ui: &Ui, node: NodeId, name: &str, at: egui::Pos2, folded: bool) -> bool {
    let c = colors(ui);
    let rect = Rect::from_center_size(at, vec2(16.0, ROW));
    let response = ui.interact(rect, ui.scope_id().with(("fold", node.0)), Sense::click());
    // The arrow keys do the same.
    focus::pass_over(ui, response.id);
    let verb = if folded { "Unfold" } else { "Fold" };
    response.widget_info(|| WidgetInfo::labeled(Role::DisclosureTriangle, true, format!("{verb} {name}")));
    let ink = if response.hovered() || response.has_focus() { c.text } else { c.dim };
    let icon = if folded { icons::TREE_CLOSED } else { icons::TREE_OPEN };
    ui.painter().text(at, Align2::CENTER_CENTER, icon, theme::icon(9.0), ink);
    response.clicked()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_rows_stay_inside() {
        let mut last = -1.0;
        for depth in 0..300 {
            let now = indent(depth, 256.0);
            assert!(now >= last && now <= 0.45 * 256.0);
            last = now;
        }
        assert_eq!(indent(3, 256.0), 42.0);
    }
}
