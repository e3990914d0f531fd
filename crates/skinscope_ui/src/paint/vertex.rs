//! What the panel of brushes shows while vertices are dragged: among which joints their weights are looked for, and the poses in which the pinned
//! one is held. Radius, falloff and the most joints are those of the brushes below.

use egui::{Ui, vec2};
use skinscope_base::math::length;
use skinscope_session::{
    Command, DRAG_JOINTS, DragJoints, DragPin, EditCommand, PaintCommand, Session, ShapeCommand, VertexDrag,
    VertexDragCommand,
};

use super::quiet_text;
use crate::theme::{self, BODY, ROW, colors};
use crate::widgets::{
    counted, focus_ring, link, paint_line, paint_switch, press, section, shortened, wrapped_segments,
};

const HELP_OF_ONE: &str = "Put the vertex there in this pose by a corrective shape, with the surface around it: a morph target that the joints \
                           bring in as they turn. The weights are those from before the drags again. Name, joints and sides are those of \
                           the shapes in the inspector.";
const HELP_OF_ALL: &str = "Put the vertices there in each of their poses by a corrective shape of its own, in one step: morph targets that the \
                           joints bring in as they turn. The weights are those from before the drags again. Name, joints and sides are \
                           those of the shapes in the inspector.";

/// No more joints than these are named.
const MOST_NAMES: usize = 6;

/// Shows the section.
pub(super) fn show(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let drag: &VertexDrag = session.painting().vertex_drag();
    let mut push = |command: VertexDragCommand| commands.push(PaintCommand::DragVertex(command).into());
    let about = "Drag a vertex to where it should be. Its joints can take it anywhere in the hull that is drawn; those around it follow \
                 within the radius.";
    quiet_text(ui, about);
    section(ui, "Joints", |_| {});
    let help = "Among these joints the weights of the vertex and of those around it are looked for";
    let choices = DRAG_JOINTS.map(|joints: DragJoints| (joints.label(), drag.joints() == joints, help.to_owned()));
    if let Some(joints) = wrapped_segments(ui, &choices).and_then(|chosen| DRAG_JOINTS.get(chosen)) {
        push(VertexDragCommand::SetJoints(*joints));
    }
    let others = drag.others();
    if drag.pins().is_empty() && others == 0 {
        return;
    }
    section(ui, "Held in poses", |ui| {
        let help = "Forget all of them; the weights stay";
        if link(ui, "Forget all", "Forget all poses of the vertex").on_hover_text(help).clicked() {
            push(VertexDragCommand::ForgetAll);
        }
    });
    for (number, pin) in drag.pins().iter().enumerate() {
        held(ui, session, (number, pin), commands);
    }
    if others > 0 {
        let held = counted(others, "vertex that was dragged before is", "vertices that were dragged before are");
        quiet_text(ui, &format!("{held} held too."));
    }
    let (name, help) = match drag.pins().len() + others {
        0 | 1 => ("Make a shape of the drag", HELP_OF_ONE),
        _ => ("Make shapes of the drags", HELP_OF_ALL),
    };
    brought_in(ui, session);
    if link(ui, name, name).on_hover_text(help).clicked() {
        let settings = session.tools().shape_settings.clone();
        commands.push(EditCommand::Shape(ShapeCommand::OfDrag(settings)).into());
    }
}

/// Says which joints would bring the shapes in.
fn brought_in(ui: &mut Ui, session: &Session) {
    let (joints, Some(model)) = (session.joints_of_drags(), session.model()) else { return };
    let mut names: Vec<&str> =
        joints.iter().filter_map(|joint| model.skeleton.names.get(joint.index())).map(String::as_str).collect();
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    quiet_text(
        ui,
        &match names.is_empty() {
            true => "No joint that moves it is turned in its pose, so that its shape would never show.".to_owned(),
            false => format!("Brought in by {}{rest}.", names.join(", ")),
        },
    );
}

/// Shows a pose in which the vertex is held; a press goes there.
fn held(ui: &mut Ui, session: &Session, (number, pin): (usize, &DragPin), commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        let help = "Forget this pose; the weights stay";
        let name = format!("Forget pose {} of the vertex", number + 1);
        if link(ui, "Forget", &name).on_hover_text(help).clicked() {
            commands.push(PaintCommand::DragVertex(VertexDragCommand::Forget(number)).into());
        }
        let moment = pin.moment();
        let help = match moment {
            Some(_) => "Go to this moment of the clip, where the vertex is held too",
            None => "Show this pose, in which the vertex is held too",
        };
        let title = moment.unwrap_or_else(|| format!("Pose {}", number + 1));
        let said = format!("{} away", length(pin.away()));
        let (c, on) = (colors(ui), pin.is_of(&session.pose().local));
        let (rect, response) = press(ui, vec2(ui.available_width(), ROW), &format!("{title}: {said}"), Some(on));
        paint_switch(ui, rect, on, response.hovered(), c.raised);
        let inner = rect.shrink2(vec2(6.0, 0.0));
        let far = ui.painter().layout_no_wrap(said, theme::regular(BODY), c.text);
        let (left, right) = (inner.left(), inner.right() - far.size().x);
        let (near, _) = shortened(ui, &title, theme::regular(BODY), c.text, (right - left - 8.0).max(0.0));
        paint_line(ui, near, left, rect.center().y, c.text);
        paint_line(ui, far, right, rect.center().y, c.text);
        focus_ring(ui, rect, &response);
        if response.on_hover_text(format!("{title}\n{help}")).clicked() {
            let has_edits = !session.edits().is_empty();
            let way = session.model().map(|model| pin.way_there(model, session.playback(), has_edits));
            commands.extend(way.into_iter().flatten());
        }
    });
}
