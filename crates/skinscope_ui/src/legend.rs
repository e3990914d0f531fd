//! The legend in the lower left corner, which says what the colours of the surface mean. It never covers the middle of
//! the picture, where the model is, and can be folded.

use egui::accesskit::Role;
use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{
    Align, Align2, Color32, CornerRadius, Layout, Rect, Response, RichText, ScrollArea, Sense, Stroke, StrokeKind, Ui,
    WidgetInfo, pos2, vec2,
};
use skinscope_base::math::{Ramp, tick_length};
use skinscope_inspect::symmetry::{REASONS, why_not_judged};
use skinscope_inspect::{AS_STORED, Counted, InspectedList, LIMITS, Overlay, Scale, Step, VertexMeasure};
use skinscope_model::NodeId;
use skinscope_session::{Command, Session, Toggle, ViewCommand, WeightsJointSource};

use super::legend_place::{Place, WIDTH};
use super::legend_scale::{color32, gradient, strip, weights_gradient};
use super::measures::{self, MeasureLine};
use super::theme::{self, BODY, SMALL, colors};
use super::widgets::{
    INSET, NumberField, chip, corner_plate, counted, drop_down, figure, focus_ring, grouped, paint_line, press,
    shortened, tip,
};
use super::{comparison, icons};

/// The width of a column of figures where two sides are compared, points.
const COLUMN: f32 = 68.0;
/// Shows the legend in a picture that is no window: whole, and without its controls.
pub(super) fn show_still(ui: &mut Ui, rect: Rect, session: &Session) {
    let Some(overlay) = session.view().overlay else { return };
    corner_plate(ui, rect, Align2::LEFT_BOTTOM, WIDTH.min(rect.width() - 2.0 * INSET), "legend", |ui| {
        head(ui, session, overlay);
        ui.add_space(4.0);
        explain(ui, session, overlay, None);
    });
}

/// Shows the legend within a panel, whole.
pub(super) fn show_within(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let Some(overlay) = session.view().overlay else { return };
    head(ui, session, overlay);
    explain(ui, session, overlay, Some(commands));
}

/// Shows the legend in the picture `rect`, clear of the `controls` in its upper left corner. In a small picture it has title and
/// colours alone until somebody unfolds it.
pub(super) fn show(
    ui: &mut Ui,
    (rect, controls): (Rect, Rect),
    session: &Session,
    folded: &mut bool,
    commands: &mut Vec<Command>,
) {
    let Some(overlay) = session.view().overlay else { return };
    let place = Place::of(rect, controls);
    let id = ui.scope_id().with("legend unfolded");
    let is_brief = place.is_brief && !ui.data(|data| data.get_temp(id).unwrap_or(false));
    corner_plate(ui, place.rect, Align2::LEFT_BOTTOM, place.size.x, "legend", |ui| {
        let top = ui.cursor().top();
        let unfolds = *folded || is_brief;
        let shows = place.fits && !*folded;
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            if place.fits && fold(ui, unfolds) {
                ui.data_mut(|data| data.insert_temp(id, unfolds && !*folded));
                *folded = !unfolds;
            }
            head(ui, session, overlay);
        });
        if !shows {
            return;
        }
        ui.add_space(4.0);
        if is_brief {
            explain_briefly(ui, session, overlay);
            return;
        }
        let contents = place.left_below(top, ui.cursor().top());
        let area = ScrollArea::vertical().max_height(contents).min_scrolled_height(contents);
        area.id_salt("legend contents").show(ui, |ui| {
            explain(ui, session, overlay, Some(commands));
        });
    });
}

/// Shows the triangle that folds the legend; returns true when it was pressed.
fn fold(ui: &mut Ui, folded: bool) -> bool {
    let name = if folded { "Unfold legend" } else { "Fold legend" };
    let (rect, response) = press(ui, vec2(16.0, 18.0), name, None);
    let c = colors(ui);
    let ink = if response.hovered() || response.has_focus() { c.text } else { c.dim };
    let icon = if folded { icons::TREE_CLOSED } else { icons::TREE_OPEN };
    ui.painter().text(rect.center(), Align2::CENTER_CENTER, icon, theme::icon(9.0), ink);
    focus_ring(ui, rect, &response);
    response.on_hover_text(name).clicked()
}

/// Returns why the overlay colours nothing yet; `None` where it does.
fn not_shown(session: &Session, overlay: &Overlay) -> Option<&'static str> {
    let is_distance = overlay.id == "distance";
    if is_distance && session.deforming().comparison().is_none() && session.deforming().subdivision().is_none() {
        return Some("Shown while two methods are compared, or the model is subdivided");
    }
    let is_left = overlay.id == "bake-left" || overlay.id == "bake-left-largest";
    if is_left && session.edited_weights().left().is_none() {
        return Some("Shown once a method is baked into the weights");
    }
    let is_measure = session.measurements().shown_measure().is_some();
    if is_measure && session.model().is_some_and(|model| model.skins.is_empty()) {
        return Some("There is no skin, so that nothing is measured");
    }
    let waits = overlay.needs_inspection() && session.document().is_none_or(|d| d.inspection.is_none());
    (waits && !is_distance).then_some("Shown once the model is checked")
}

/// Shows the colours alone, with the numbers of a ramp.
fn explain_briefly(ui: &mut Ui, session: &Session, overlay: &Overlay) {
    if let Some(text) = not_shown(session, overlay) {
        ui.label(RichText::new(text).color(colors(ui).text));
        return;
    }
    match &overlay.scale {
        Scale::Ramp { ramp, .. } if overlay.id == "distance" => {
            distance_gradient(ui, session, shown_ramp(session, *ramp).0);
        }
        Scale::Ramp { ramp, ends, ticks, .. } if overlay.id == "weights" => {
            weights_gradient(ui, session, shown_ramp(session, *ramp), *ends, ticks);
        }
        Scale::Ramp { ramp, ends, ticks, .. } => _ = gradient(ui, shown_ramp(session, *ramp), *ends, ticks),
        Scale::Steps(steps) => strip(ui, steps),
        Scale::Joints => {}
    }
}

/// Returns the ramp that is shown, and the colour of exactly zero where that is different.
fn shown_ramp(session: &Session, ramp: Option<Ramp>) -> (Ramp, Option<[f32; 3]>) {
    let own = session.view().ramp;
    ramp.map_or_else(|| (own, own.zero()), |ramp| (ramp, None))
}

/// Explains the colours. Without `commands` there are no controls.
fn explain(ui: &mut Ui, session: &Session, overlay: &Overlay, mut commands: Option<&mut Vec<Command>>) {
    let view = session.view();
    if let Some(text) = not_shown(session, overlay) {
        ui.label(RichText::new(text).color(colors(ui).text));
        return;
    }
    if overlay.id == "distance" {
        distance_sides(ui, session);
    }
    let is_measure = session.measurements().shown_measure().is_some();
    let count = |step: &Step| session.document()?.stats().counted(&step.counted, view.influence_limit);
    match &overlay.scale {
        Scale::Ramp { .. } => explain_ramp(ui, session, overlay, commands.as_deref_mut()),
        Scale::Steps(steps) => {
            for step in *steps {
                let vertices = count(step);
                // Most models have no rigid parts.
                if step.counted != Counted::Rigid || vertices.is_some_and(|n| n > 0) {
                    swatch(ui, step, step.label, vertices);
                }
            }
        }
        Scale::Joints => {
            let text = match view.is_on(Toggle::SharedBlack) {
                true => "Each joint has its colour, as in the outliner; black where several share.",
                false => {
                    "Each joint has its colour, as in the outliner, mixed by weight; seams where another takes over."
                }
            };
            let text = RichText::new(text).font(theme::regular(12.0));
            ui.add(egui::Label::new(text.color(colors(ui).text)).wrap());
            if let Some(commands) = commands.as_deref_mut() {
                ui.add_space(4.0);
                toggle(ui, "Shared in black", Toggle::SharedBlack, session, commands);
            }
        }
    }
    if is_measure {
        explain_measure(ui, session, overlay);
    }
    if let Some(commands) = commands.as_deref_mut().filter(|_| overlay.id == "distance") {
        fix_scale(ui, session, commands);
    }
    if let Some(commands) = commands.filter(|_| overlay.has_limit) {
        ui.add_space(4.0);
        limit(ui, session, commands);
    }
}

/// Shows the ramp of an overlay, the vertices that have no number, and what chooses the joint and the colours.
fn explain_ramp(ui: &mut Ui, session: &Session, overlay: &Overlay, commands: Option<&mut Vec<Command>>) {
    let Scale::Ramp { ramp, ends, ticks, none, rigid } = &overlay.scale else { return };
    let view = session.view();
    let count = |step: &Step| session.document()?.stats().counted(&step.counted, view.influence_limit);
    let (shown, zero) = shown_ramp(session, *ramp);
    let is_distance = overlay.id == "distance";
    if is_distance {
        distance_gradient(ui, session, shown);
        none.iter().for_each(|step| less_than_scale(ui, session, step));
    } else if overlay.id == "weights" && commands.is_some() {
        weights_gradient(ui, session, (shown, zero), *ends, ticks);
    } else {
        gradient(ui, (shown, zero), *ends, ticks);
    }
    let list = overlay.values.and_then(|values| values.list);
    let missing = || {
        if session.measurements().shown_measure() == Some(VertexMeasure::NormalError) {
            // The legend has one number of what has no normal: the measure's.
            let measures = session.measurements().measures();
            return measures.filter(|pose| pose.measures.normal_error.is_some()).map(|pose| pose.measures.zero_normals);
        }
        session.vertex_values(overlay).map(|values| values.missing())
    };
    let without = |step: &Step| missing().or_else(|| count(step));
    let none = none.iter().filter(|_| !is_distance).flat_map(|step| match list {
        Some(InspectedList::Asymmetry) => not_judged(session, step),
        _ => vec![(step, label_of(session, step), without(step))],
    });
    let rigid = rigid.iter().map(|step| (step, label_of(session, step), count(step)));
    for (step, label, vertices) in none.chain(rigid).filter(|(.., vertices)| vertices.is_some_and(|n| n > 0)) {
        ui.add_space(2.0);
        swatch(ui, step, &label, vertices);
    }
    if overlay.of_joint {
        moves_nothing(ui, session);
        let is_heaviest = session.picking().weights_joint().is_some_and(|(_, why)| why == WeightsJointSource::Heaviest);
        if is_heaviest && commands.is_some() {
            let text = "The joint that moves most. Point at another, or select one.";
            let text = RichText::new(text).font(theme::regular(12.0)).color(colors(ui).dim);
            ui.add(egui::Label::new(text).wrap());
        }
        if let Some(commands) = commands {
            ui.add_space(4.0);
            ui.horizontal_wrapped(|ui| {
                if ramp.is_none() {
                    ramps(ui, session, commands);
                }
                toggle(ui, "With children", Toggle::WithChildren, session, commands);
            });
        }
    }
}

/// Says where the joint whose weights are shown has none, so that nobody takes the bare surface for a fault of the picture.
fn moves_nothing(ui: &mut Ui, session: &Session) {
    let Some(((node, _), document)) = session.picking().weights_joint().zip(session.document()) else { return };
    let moves = |node: NodeId| document.stats().nodes.get(node.index()).is_some_and(|stats| stats.vertices > 0);
    if moves(node) {
        return;
    }
    let skeleton = &document.model.skeleton;
    let below = || (node.index() + 1..skeleton.subtree_end(node)).filter(|n| moves(NodeId::from_index(*n))).count();
    let text = match (session.view().is_on(Toggle::WithChildren), below()) {
        (true, 0) => "It moves no vertex, and neither does any joint below it.".to_owned(),
        (true, _) => return,
        (false, 0) => "It moves no vertex.".to_owned(),
        (false, n) => format!(
            "It moves no vertex; {} below it {}.",
            counted(n, "joint", "joints"),
            if n == 1 { "does" } else { "do" }
        ),
    };
    ui.add_space(2.0);
    ui.add(egui::Label::new(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).amber)).wrap());
}

/// Says which two sides the distance lies between.
fn distance_sides(ui: &mut Ui, session: &Session) {
    let names = session.deforming().comparison().map(|comparison| comparison::side_names(session, comparison));
    let [shown, other] = names.unwrap_or_else(|| ["Skinned first", "subdivided first"].map(String::from));
    let text = RichText::new(format!("{shown} against {other}")).font(theme::regular(12.0)).color(colors(ui).dim);
    ui.add(egui::Label::new(text).wrap());
    ui.add_space(2.0);
}

/// Shows the scale of the distance between two sides, whose ends follow the height of the model.
fn distance_gradient(ui: &mut Ui, session: &Session, ramp: Ramp) {
    let [low, high] = session.extents().distance_scale().map(f64::from);
    let ends = [low.log10() as f32, high.log10() as f32];
    let labels = [0, 1, 2, 3].map(|decade| tick_length(low * 10_f64.powi(decade)));
    let ticks: Vec<(f32, &str)> = (0_u8..).zip(&labels).map(|(i, text)| (ends[0] + f32::from(i), &**text)).collect();
    gradient(ui, (ramp, None), ends, &ticks);
}

/// Shows the colour of distances below the scale.
fn less_than_scale(ui: &mut Ui, session: &Session, step: &Step) {
    let [low, _] = session.extents().distance_scale().map(f64::from);
    swatch(ui, step, &format!("Less than {}", tick_length(0.1 * low)), None);
}

/// Shows the switch that keeps the scale of distances as it is, whatever model is shown next.
fn fix_scale(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let is_fixed = session.view().distance_scale.is_some();
    let [_, most] = session.extents().distance_scale();
    let help = match is_fixed {
        true => "The scale is fixed. Click to let it go from 1/10 000 to 1/10 of the model's height",
        false => "The scale goes from 1/10 000 to 1/10 of the model's height. Click to keep it for other models",
    };
    ui.add_space(4.0);
    if chip(ui, "Fixed scale", is_fixed).on_hover_text(help).clicked() {
        commands.push(ViewCommand::SetDistanceScale((!is_fixed).then_some(most)).into());
    }
}

/// Shows the numbers of the measures that an overlay shows, and those of the other side of a comparison.
fn explain_measure(ui: &mut Ui, session: &Session, overlay: &Overlay) {
    ui.add_space(4.0);
    let lines = measures::legend_lines(session, overlay.id);
    let sides = session.deforming().comparison().map(|comparison| comparison::side_names(session, comparison));
    if lines.is_empty() {
        ui.label(RichText::new("Measuring…").font(theme::regular(12.0)).color(colors(ui).dim));
    }
    if lines.iter().any(|line| line.other.is_some()) {
        column_heads(ui, session);
    }
    for MeasureLine { label, now, other } in lines {
        match other {
            None => figure(ui, label, &now),
            Some(other) => {
                let response = columns(ui, label, [&now, &other], colors(ui).text);
                let name = match &sides {
                    Some([a, b]) => format!("{label}: {a} {now}, {b} {other}"),
                    None => format!("{label}: {now}, {other}"),
                };
                response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &name));
                response
            }
        };
    }
}

/// Returns the rows of vertices that are not compared with a mirror image, one for each reason.
fn not_judged<'s>(session: &Session, step: &'s Step) -> Vec<(&'s Step, String, Option<usize>)> {
    let values = session.edited_weights().inspected_values().map(|values| &*values.asymmetry);
    let count =
        |reason| values.map(|values| values.values.iter().flatten().flatten().filter(|v| **v == reason).count());
    let label = |reason| {
        let why = why_not_judged(reason).unwrap_or_default();
        format!("{}{}: not judged", why[..1].to_uppercase(), &why[1..])
    };
    REASONS.iter().map(|reason| (step, label(*reason), count(*reason))).collect()
}

/// Returns the label of a row of the legend. Vertices that are as stored are called "As in FILE" where a file is compared.
fn label_of(session: &Session, step: &Step) -> String {
    match session.deforming().compared_file().filter(|_| step.label == AS_STORED) {
        Some(file) => format!("As in {file}"),
        None => step.label.to_owned(),
    }
}

/// Shows the names of the sides of a comparison over the columns of their figures, each in two lines at most.
fn column_heads(ui: &mut Ui, session: &Session) {
    let Some(comparison) = session.deforming().comparison() else { return };
    let names = comparison::side_names(session, comparison);
    let dim = colors(ui).dim;
    let galleys = names.each_ref().map(|name| {
        let mut job = LayoutJob::single_section(name.clone(), TextFormat::simple(theme::regular(SMALL), dim));
        job.wrap = TextWrapping { max_rows: 2, ..TextWrapping::wrap_at_width(COLUMN - 4.0) };
        job.halign = Align::RIGHT;
        ui.painter().layout_job(job)
    });
    let height = galleys.iter().map(|galley| galley.size().y).fold(0.0, f32::max);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    for (galley, right) in galleys.into_iter().zip([rect.right() - COLUMN, rect.right()]) {
        let top = rect.bottom() - galley.size().y;
        ui.painter().galley(pos2(right, top), galley, dim);
    }
    let text = format!("First {}, then {}", names[0], names[1]);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &text));
    response.on_hover_text(text);
}

/// Shows a label at the left, and at the right the figures of what is shown and of the other side of a comparison, below each other in
/// two columns.
fn columns(ui: &mut Ui, label: &str, figures: [&str; 2], ink: Color32) -> Response {
    const LINE: f32 = 20.0;
    let (dim, width) = (colors(ui).dim, ui.available_width());
    let galleys = figures.map(|figure| ui.painter().layout_no_wrap(figure.to_owned(), theme::regular(12.0), ink));
    let is_wide = galleys.iter().any(|galley| galley.size().x > COLUMN - 4.0);
    let column = if is_wide { 0.5 * width } else { COLUMN };
    let (name, _) = shortened(ui, label, theme::regular(12.0), dim, width);
    // Figures are not cut: they go below a label that leaves them no room.
    let is_below = name.size().x + 8.0 > width - 2.0 * column && !label.is_empty();
    let height = if is_below { 2.0 * LINE - 4.0 } else { LINE };
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    paint_line(ui, name, rect.left(), rect.top() + 0.5 * LINE, dim);
    for (galley, right) in galleys.into_iter().zip([rect.right() - column, rect.right()]) {
        let x = right - galley.size().x;
        paint_line(ui, galley, x, rect.bottom() - 0.5 * LINE, ink);
    }
    response
}

/// Shows the choice of colours for weights.
pub(super) fn ramps(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let now = session.view().ramp;
    drop_down(ui, "Colours", now.label(), 104.0, now.help(), |ui| {
        for ramp in Ramp::CHOICES {
            if ui.selectable_label(now == ramp, ramp.label()).on_hover_text(ramp.help()).clicked() {
                commands.push(ViewCommand::SetRamp(ramp).into());
            }
        }
    });
}

fn head(ui: &mut Ui, session: &Session, overlay: &Overlay) {
    let weights_joint = overlay.of_joint.then(|| session.picking().weights_joint()).flatten();
    let name = weights_joint.zip(session.model()).map(|((n, _), m)| m.skeleton.names[n.index()].as_str());
    match name {
        None => title(ui, overlay.label, overlay.help),
        Some(name) if session.view().is_on(Toggle::WithChildren) => joint_head(ui, "Weight at and below ", name),
        Some(name) => joint_head(ui, "Weight of ", name),
    }
}

fn title(ui: &mut Ui, label: &str, help: &str) {
    let c = colors(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
    let (galley, _) = shortened(ui, label, theme::strong(BODY), c.text, rect.width());
    paint_line(ui, galley, rect.left(), rect.center().y, c.text);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, label));
    response.on_hover_text(help);
}

fn toggle(ui: &mut Ui, label: &str, toggle: Toggle, session: &Session, commands: &mut Vec<Command>) {
    let command = Command::View(ViewCommand::Toggle(toggle));
    if chip(ui, label, session.view().is_on(toggle)).on_hover_text(tip(&command)).clicked() {
        commands.push(command);
    }
}

/// Shows a colour, its label and how many vertices have it, where that is counted.
fn swatch(ui: &mut Ui, step: &Step, label: &str, count: Option<usize>) {
    let c = colors(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
    let y = rect.center().y;
    let square = Rect::from_center_size(pos2(rect.left() + 6.0, y), vec2(12.0, 12.0));
    let edge = Stroke::new(1.0, c.faint);
    ui.painter().rect(square, CornerRadius::same(3), color32(step.color), edge, StrokeKind::Inside);
    let ink = if count != Some(0) { c.text } else { c.dim };
    let number = count.map(grouped).unwrap_or_default();
    let figure = ui.painter().layout_no_wrap(number, theme::regular(12.0), ink);
    let room = rect.width() - 26.0 - figure.size().x;
    let (galley, cut) = shortened(ui, label, theme::regular(12.0), ink, room);
    paint_line(ui, galley, rect.left() + 20.0, y, ink);
    let x = rect.right() - figure.size().x;
    paint_line(ui, figure, x, y, ink);
    let vertices = count.map(|count| format!(": {}", counted(count, "vertex", "vertices"))).unwrap_or_default();
    let name = format!("{label}{vertices}");
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &name));
    if cut {
        response.on_hover_text(label);
    }
}

/// Shows how many influences a runtime can use, and how much of the weights it loses.
fn limit(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let now = session.view().influence_limit;
    ui.horizontal(|ui| {
        ui.label(RichText::new("Limit").font(theme::regular(12.0)).color(colors(ui).dim));
        let field = NumberField {
            name: "Influence limit",
            help: "The most influences of a vertex that the runtime can use: 1 to 8",
            value: now as f32,
            range: 1.0..=LIMITS as f32,
            is_bounded: true,
            per_point: 0.04,
            decimals: 0,
            is_short: false,
            unit: "",
            width: 34.0,
            edited: false,
        };
        if let Some(limit) = field.show(ui).value {
            commands.push(ViewCommand::SetInfluenceLimit(limit.round() as usize).into());
        }
        let lost = session.document().map_or(0.0, |d| d.stats().lost[now.clamp(1, LIMITS) - 1]);
        let text = if lost > 0.0 { format!("loses up to {:.1} %", 100.0 * lost) } else { "loses nothing".to_owned() };
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let tip = "The largest part of a vertex' weights beyond the limit";
            ui.label(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).text)).on_hover_text(tip);
        });
    });
}

fn joint_head(ui: &mut Ui, before: &str, name: &str) {
    let c = colors(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
    let first = ui.painter().layout_no_wrap(before.to_owned(), theme::regular(BODY), c.text);
    let width = first.size().x;
    let (galley, cut) = shortened(ui, name, theme::strong(BODY), c.text, rect.width() - width);
    paint_line(ui, first, rect.left(), rect.center().y, c.text);
    paint_line(ui, galley, rect.left() + width, rect.center().y, c.text);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{before}{name}")));
    if cut {
        response.on_hover_text(name);
    }
}
