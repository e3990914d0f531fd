//! How the handles of a node look, and what is painted while one of them is dragged.

use egui::accesskit::Role;
use egui::{Align2, Color32, Painter, Rect, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};
use glam::Vec2;
use skinscope_session::{Drag, Gizmo, Handle, HandleShape, PoseTool, Session};

use crate::theme::{self, BODY, SMALL, colors};

fn color_of(handle: Handle, ui: &Ui) -> Color32 {
    let c = colors(ui);
    match handle {
        Handle::Axis(i) | Handle::Plane(i) => c.axes[i],
        Handle::View | Handle::Free => c.text,
    }
}

/// Paints a handle.
pub(super) fn paint_shape(
    painter: &Painter,
    gizmo: &Gizmo,
    shape: &HandleShape,
    hovered: bool,
    point: &dyn Fn(Vec2) -> egui::Pos2,
    ui: &Ui,
) {
    let own = color_of(shape.handle, ui);
    let c = colors(ui);
    let width = if hovered { 3.5 } else { 2.25 };
    let color = if hovered { own.lerp_to_gamma(c.text, 0.45) } else { own };
    let area: Vec<_> = shape.area.iter().map(|p| point(*p)).collect();
    // Large filled areas let the skin show through.
    let opacity = match (shape.handle, gizmo.tool, hovered) {
        (Handle::Free, _, false) => 0.0,
        (Handle::Free, _, true) => 0.18,
        (Handle::Plane(_), _, false) => 0.45,
        (Handle::View, _, false) => 0.7,
        _ => 1.0,
    };
    if area.len() > 2 && opacity > 0.0 {
        painter.add(Shape::convex_polygon(area, color.gamma_multiply(opacity), Stroke::NONE));
    }
    for line in &shape.lines {
        let points: Vec<_> = line.iter().map(|p| point(*p)).collect();
        let color = if shape.handle == Handle::View && !hovered { color.gamma_multiply(0.55) } else { color };
        // A dark edge below thin lines sets them off from any skin.
        painter.add(Shape::line(points.clone(), Stroke::new(width + 2.0, Color32::from_black_alpha(70))));
        painter.add(Shape::line(points, Stroke::new(width, color)));
    }
}

/// Gives a handle a name for screen readers, and for tests that look for its position.
pub(super) fn announce(ui: &Ui, gizmo: &Gizmo, shape: &HandleShape, point: &dyn Fn(Vec2) -> egui::Pos2, rect: Rect) {
    let line = shape.lines.iter().max_by_key(|line| line.len());
    let at = match line {
        Some(line) if line.len() > 2 => line[line.len() / 2],
        Some(line) => line[0].lerp(line[1], 0.85),
        None => shape.area.iter().copied().sum::<Vec2>() / shape.area.len().max(1) as f32,
    };
    let at = point(at);
    if !rect.contains(at) {
        return;
    }
    let verb = match gizmo.tool {
        PoseTool::Move => "Move",
        PoseTool::Scale => "Scale",
        PoseTool::Select | PoseTool::Turn | PoseTool::Pull | PoseTool::Look => "Turn",
    };
    let way = match (shape.handle, gizmo.tool) {
        (Handle::Axis(i), PoseTool::Turn) => format!("about {}", ["X", "Y", "Z"][i]),
        (Handle::Axis(i), _) => format!("along {}", ["X", "Y", "Z"][i]),
        (Handle::Plane(i), _) => format!("along {}", ["Y and Z", "Z and X", "X and Y"][i]),
        (Handle::View, PoseTool::Turn) => "about the line of sight".to_owned(),
        (Handle::View, PoseTool::Scale) => "along all axes".to_owned(),
        (Handle::View, _) => "in the plane of the picture".to_owned(),
        (Handle::Free, _) => "freely".to_owned(),
    };
    let mark = Rect::from_center_size(at, vec2(4.0, 4.0));
    let response = ui.interact(mark, ui.scope_id().with(("gizmo", &way)), Sense::empty());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{verb} {way}")));
}

/// Paints the line that a node is moved along or the angle that it is turned by, and a plate with the number. `at` is where the pointer is,
/// `words` are the value.
pub(super) fn paint_drag(
    ui: &Ui,
    session: &Session,
    (drag, at, words): (&Drag, Vec2, &str),
    point: &dyn Fn(Vec2) -> egui::Pos2,
    rect: Rect,
) {
    let painter = ui.painter();
    let c = colors(ui);
    let handle = drag.handle();
    let tool = drag.gizmo().tool;
    let axes: &[usize] = match handle {
        Handle::Axis(0) => &[0],
        Handle::Axis(1) => &[1],
        Handle::Axis(_) => &[2],
        Handle::Plane(0) => &[1, 2],
        Handle::Plane(1) => &[2, 0],
        Handle::Plane(_) => &[0, 1],
        Handle::View | Handle::Free => &[],
    };
    for i in axes {
        if let Some([a, b]) = drag.gizmo().axis_line(*i) {
            painter.line_segment([point(a), point(b)], Stroke::new(1.5, c.axes[*i].gamma_multiply(0.8)));
        }
    }
    if tool == PoseTool::Turn
        && let Some(shape) = drag.gizmo().shapes().iter().find(|s| s.handle == handle)
    {
        paint_shape(painter, drag.gizmo(), shape, true, point, ui);
    }
    let middle = drag.gizmo().middle().map(point);
    if let Some(middle) = middle.filter(|_| matches!(handle, Handle::View | Handle::Axis(_)) && tool != PoseTool::Move)
    {
        let to = point(at);
        painter.add(Shape::dashed_line(&[middle, to], Stroke::new(1.0, c.dim), 4.0, 4.0));
    }
    let name = session.model().map_or("", |m| m.skeleton.names[drag.gizmo().node.index()].as_str());
    let label = painter.layout_no_wrap(words.to_owned(), theme::strong(BODY), c.text);
    let under = painter.layout_no_wrap(
        format!("{name}  ·  X Y Z axis  ·  Ctrl snaps  ·  type a number  ·  Esc gives up"),
        theme::regular(SMALL),
        c.dim,
    );
    let size = vec2(label.size().x.max(under.size().x) + 20.0, 44.0);
    let at = pos2(rect.center().x - 0.5 * size.x, rect.bottom() - size.y - 16.0);
    let plate = Rect::from_min_size(at, size);
    painter.rect_filled(plate, theme::RADIUS, c.plate);
    let heading = Align2::CENTER_TOP.align_size_within_rect(label.size(), plate.shrink2(vec2(0.0, 6.0)));
    painter.galley(heading.min, label, c.text);
    let foot = Align2::CENTER_BOTTOM.align_size_within_rect(under.size(), plate.shrink2(vec2(0.0, 6.0)));
    painter.galley(foot.min, under, c.dim);
    let info = ui.interact(plate, ui.scope_id().with("gizmo figure"), Sense::empty());
    info.widget_info(|| WidgetInfo::labeled(Role::Status, true, words));
}
