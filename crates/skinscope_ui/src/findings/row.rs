//! Lays out and paints one entry of the list of findings.

use std::sync::Arc;

use egui::accesskit::Role;
use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{
    Align, Align2, Color32, Galley, Layout, Pos2, Rect, Response, RichText, Sense, Ui, UiBuilder, WidgetInfo, pos2,
    vec2,
};
use skinscope_inspect::check::{Finding, Measure, Severity};
use skinscope_inspect::rule_words;
use skinscope_model::{MaterialId, Model};
use skinscope_session::repair_of;

use crate::icons;
use crate::repair_words::repair_words;
use crate::theme::{self, BODY, Colors, MARGIN, SMALL, colors};
use crate::widgets::{counted, describe, focus_ring, grouped, paint_line, row_background, shortened, text_button};

/// The height of a folded finding without the lines of its title, points.
pub(super) const FOLDED: f32 = 24.0;
/// The height of a line of a title, points.
pub(super) const TITLE_LINE: f32 = 16.0;
/// Distance of texts from the left edge, points.
const INDENT: f32 = 34.0;
/// Font size of an unfolded finding and of import warnings, points.
pub(super) const TEXT: f32 = 12.0;

pub(super) fn mark(severity: Severity, c: &Colors) -> (&'static str, Color32) {
    match severity {
        Severity::Error => (icons::ERROR, c.red),
        Severity::Warning => (icons::WARNING, c.amber),
        Severity::Info => (icons::INFO, c.dim),
    }
}

/// Lays out a text, wrapped at `width` points.
pub(super) fn wrapped(ui: &Ui, text: &str, color: Color32, width: f32) -> Arc<Galley> {
    let text_width = (width - INDENT - f32::from(MARGIN)).max(40.0);
    ui.painter().layout(text.to_owned(), theme::regular(TEXT), color, text_width)
}

/// Returns the label of the finding's rule.
fn label_of(finding: &Finding) -> &'static str {
    rule_words(finding.rule).map_or(finding.rule, |(label, _)| label)
}

/// Lays out the finding's measure, which is at the right of the title.
fn measured(ui: &Ui, finding: &Finding) -> Arc<Galley> {
    let words = finding.measure.map(measure_words).unwrap_or_default();
    ui.painter().layout_no_wrap(words, theme::regular(TEXT), colors(ui).dim)
}

/// Lays out the name of the rule, in two lines where one is too short.
pub(super) fn title(ui: &Ui, finding: &Finding, width: f32) -> Arc<Galley> {
    let text_width = width - INDENT - f32::from(MARGIN) - measured(ui, finding).size().x - 8.0;
    let format =
        TextFormat { line_height: Some(TITLE_LINE), ..TextFormat::simple(theme::regular(BODY), colors(ui).text) };
    let mut job = LayoutJob::single_section(label_of(finding).to_owned(), format);
    job.wrap = TextWrapping { max_rows: 2, ..TextWrapping::wrap_at_width(text_width.max(40.0)) };
    ui.painter().layout_job(job)
}

/// Lays out the text that says what is wrong and the text that says what to do.
pub(super) fn body(ui: &Ui, finding: &Finding, width: f32) -> [Arc<Galley>; 2] {
    let c = colors(ui);
    [wrapped(ui, &finding.message, c.text, width), wrapped(ui, &finding.fix, c.dim, width)]
}

/// Returns the height of an open finding's buttons and of the text below them, points.
pub(super) fn body_height(ui: &Ui, finding: &Finding, width: f32) -> f32 {
    let [message, fix] = body(ui, finding, width);
    let note = repair_note(ui, finding, width).map_or(0.0, |note| note.size().y + GAP);
    BUTTONS + message.size().y + fix.size().y + note + 2.0 * GAP
}

/// The height of the line with the buttons of an open finding, points.
const BUTTONS: f32 = 34.0;
/// The distance between its texts, points.
const GAP: f32 = 6.0;

/// Lays out the reason why a finding has no automatic repair; `None` where it has one.
fn repair_note(ui: &Ui, finding: &Finding, width: f32) -> Option<Arc<Galley>> {
    let repair = repair_of(finding);
    let why_not = repair.why_not?;
    let reason = format!("{}{}", why_not[..1].to_lowercase(), &why_not[1..]);
    let text = match repair.may_be_meant {
        true => format!("To be repaired only where it is a fault: {reason}"),
        false => format!("No automatic repair: {reason} The tool above comes nearest."),
    };
    Some(wrapped(ui, &text, colors(ui).dim, width))
}

/// Paints where a finding is, of which the name at the beginning is cut before how many vertices it has; returns whether it was cut.
fn paint_place(ui: &Ui, at: &str, from: Pos2, width: f32, ink: Color32) -> bool {
    let font = || theme::regular(SMALL);
    let (name, rest) = at.split_once(" · ").unwrap_or((at, ""));
    let rest = if rest.is_empty() { String::new() } else { format!(" · {rest}") };
    let rest = ui.painter().layout_no_wrap(rest, font(), ink);
    let room = width - rest.size().x;
    if room < 24.0 {
        let (line, cut) = shortened(ui, at, font(), ink, width);
        paint_line(ui, line, from.x, from.y, ink);
        return cut;
    }
    let (name, cut) = shortened(ui, name, font(), ink, room);
    let after = from.x + name.size().x;
    paint_line(ui, name, from.x, from.y, ink);
    paint_line(ui, rest, after, from.y, ink);
    cut
}

/// The part of a finding that was pressed.
#[derive(Clone, Debug)]
pub(super) enum RowPress {
    /// The finding with the other button, so that its menu opens.
    Menu(Response),
    /// The finding itself.
    Row,
    /// The button of its repair; with `true` the button that repairs all findings of its rule.
    Repair(bool),
}

/// Shows a finding; returns what was pressed of it. One that is in doubt says why and is dimmed.
pub(super) fn row(
    ui: &mut Ui,
    rect: Rect,
    (model, finding): (&Model, &Finding),
    index: usize,
    (open, doubt): (bool, Option<&str>),
) -> Option<RowPress> {
    let c = colors(ui);
    let response = ui.interact(rect, ui.scope_id().with(("finding", index)), Sense::click());
    let label = label_of(finding);
    let mut at = location_text(model, finding);
    if let Some(doubt) = doubt {
        at = format!("{doubt} · {at}");
    }
    response.widget_info(|| {
        let spoken = if open { format!("{label}, {at}. {}", finding.message) } else { format!("{label}, {at}") };
        WidgetInfo::selected(Role::ListBoxOption, true, open, spoken)
    });
    if let Some((_, help)) = rule_words(finding.rule) {
        let size = finding.measure.map(|measure| format!(" Here: {} {}.", measure.what, measure_words(measure)));
        describe(&response, &format!("{help}{}", size.unwrap_or_default()));
    }
    row_background(ui.painter(), rect, open, response.hovered(), open, c);
    let mut pressed = None;
    let (icon, ink) = mark(finding.severity, c);
    let (ink, title_ink) = if doubt.is_some() { (c.dim, c.dim) } else { (ink, c.text) };
    let (left, right) = (rect.left() + INDENT, rect.right() - f32::from(MARGIN));
    let y = rect.top() + 13.0;
    ui.painter().text(pos2(rect.left() + 20.0, y), Align2::CENTER_CENTER, icon, theme::icon(15.0), ink);
    // Dim letters are hard to read on the ground of the selected row.
    let quiet = if open { c.text } else { c.dim };
    let paint = |ui: &Ui, galley: Arc<Galley>, x: f32, top: f32, ink: Color32| {
        ui.painter().galley_with_override_text_color(pos2(x, top), galley, ink);
    };
    let measure = measured(ui, finding);
    let (width, height) = (measure.size().x, measure.size().y);
    paint(ui, measure, right - width, y - 0.5 * height, quiet);
    let title = title(ui, finding, rect.width());
    let (title_cut, title_height) = (title.elided, TITLE_LINE * title.rows.len() as f32);
    ui.painter().galley_with_override_text_color(pos2(left, y - 0.5 * TITLE_LINE), title, title_ink);
    // What the number at the right is of stands below it.
    let of = finding.measure.map_or("", |measure| measure.what);
    let below = rect.top() + 13.0 + title_height;
    let of_galley = ui.painter().layout_no_wrap(of.to_owned(), theme::regular(SMALL), quiet);
    let of_width = of_galley.size().x;
    // Where it is comes first; the tooltip has both.
    let at_width = ui.painter().layout_no_wrap(at.clone(), theme::regular(SMALL), quiet).size().x;
    let fits = of_width + 8.0 + at_width.min(0.5 * (right - left)) <= right - left;
    let room = if of.is_empty() || !fits { 0.0 } else { of_width + 8.0 };
    if room > 0.0 {
        paint_line(ui, of_galley, right - of_width, below, quiet);
    }
    let where_cut = paint_place(ui, &at, pos2(left, below), right - left - room, quiet);
    if open {
        // Above long texts the buttons are in sight.
        let top = rect.top() + FOLDED + title_height;
        let line = Rect::from_min_max(pos2(left, top + 2.0), pos2(right, top + BUTTONS));
        pressed = buttons(ui, line, finding);
        let [message, fix] = body(ui, finding, rect.width());
        let mut y = top + BUTTONS;
        let texts = [Some(message), Some(fix), repair_note(ui, finding, rect.width())];
        for text in texts.into_iter().flatten() {
            let height = text.size().y;
            paint(ui, text, left, y, c.text);
            y += height + GAP;
        }
    }
    focus_ring(ui, rect, &response);
    if response.gained_focus() {
        response.scroll_to_me(None);
    }
    pressed = pressed.or(response.clicked().then_some(RowPress::Row));
    pressed = pressed.or_else(|| response.secondary_clicked().then(|| RowPress::Menu(response.clone())));
    let measured = finding.measure.map(|measure| format!("\n{}: {}", measure.what, measure_words(measure)));
    if !open && (title_cut || where_cut || measured.is_some()) {
        response.on_hover_text(format!("{label}\n{at}{}", measured.unwrap_or_default()));
    }
    pressed
}

/// Shows the buttons of an open finding; returns which was pressed.
fn buttons(ui: &mut Ui, rect: Rect, finding: &Finding) -> Option<RowPress> {
    let mut pressed = None;
    ui.scope_builder(UiBuilder::new().max_rect(rect).layout(Layout::left_to_right(Align::Min)), |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        for (all, label, help) in repair_words(finding) {
            if text_button(ui, None, &label, false).on_hover_text(help).clicked() {
                pressed = Some(RowPress::Repair(all));
            }
        }
    });
    pressed
}

fn measure_words(measure: Measure) -> String {
    let Measure { value, unit, .. } = measure;
    if unit.is_empty() && value.fract() == 0.0 && (0.0..1e9).contains(&value) {
        return grouped(value as usize);
    }
    measure.text().replace(' ', "\u{2009}")
}

/// Describes the location of a finding: joints, how many vertices, which mesh.
fn location_text(model: &Model, finding: &Finding) -> String {
    let mut parts = Vec::new();
    let name = |n: &skinscope_model::NodeId| model.skeleton.names[n.index()].as_str();
    match &finding.joints[..] {
        [] => {}
        [one] => parts.push(name(one).to_owned()),
        [a, b] => parts.push(format!("{}, {}", name(a), name(b))),
        [a, rest @ ..] => parts.push(format!("{} and {} more", name(a), grouped(rest.len()))),
    }
    if !finding.vertices.is_empty() {
        parts.push(counted(finding.vertices.len(), "vertex", "vertices"));
    }
    if let Some(mesh) = finding.mesh.filter(|_| model.file_meshes().nth(1).is_some() || parts.is_empty()) {
        let source = &model.meshes[mesh.index()];
        let part = part_text(model, finding).map(|part| format!(" ({part})")).unwrap_or_default();
        parts.push(match source.name.as_str() {
            "" => format!("mesh {}{part}", model.file_mesh(mesh).0),
            name => format!("{name}{part}"),
        });
    }
    parts.join(" · ")
}

/// Says which part of its mesh a finding is in, where there are several: the materials that its vertices touch, or the number of
/// the primitive where these have no names.
fn part_text(model: &Model, finding: &Finding) -> Option<String> {
    let source = &model.meshes[finding.mesh?.index()];
    let primitive = finding.primitive.filter(|_| source.primitives.len() > 1)?;
    let name = |material: Option<MaterialId>| Some(model.materials[material?.index()].name.as_str());
    let names: Option<Vec<&str>> = finding.materials(model).into_iter().map(name).collect();
    match names.as_deref() {
        Some([one]) if !one.is_empty() => Some((*one).to_owned()),
        Some([one, rest @ ..]) if !one.is_empty() => Some(format!("{one} and {} more", rest.len())),
        _ => Some(primitive.to_string()),
    }
}

/// Shows the heading of what the range of motion found where one joint turns.
pub(super) fn joint_head(ui: &mut Ui, rect: Rect, name: &str, count: usize) -> Response {
    let c = colors(ui);
    let response = ui.interact(rect, ui.scope_id().with(("turned", name)), Sense::CLICK);
    let y = rect.bottom() - 9.0;
    let (left, right) = (rect.left() + f32::from(MARGIN), rect.right() - f32::from(MARGIN));
    let number = ui.painter().layout_no_wrap(grouped(count), theme::regular(SMALL), c.dim);
    let number_left = right - number.size().x;
    let (name_galley, cut) = shortened(ui, name, theme::strong(SMALL), c.dim, number_left - left - 8.0);
    paint_line(ui, name_galley, left, y, c.dim);
    paint_line(ui, number, number_left, y, c.dim);
    let spoken = format!("Range of motion of {name}: {}", counted(count, "finding", "findings"));
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &spoken));
    if cut { response.on_hover_text(name) } else { response }
}

pub(super) fn messages_head(ui: &mut Ui, rect: Rect) {
    let inner = rect.shrink2(vec2(f32::from(MARGIN), 0.0));
    ui.scope_builder(UiBuilder::new().max_rect(inner).layout(Layout::left_to_right(Align::Center)), |ui| {
        let text = RichText::new("MESSAGES").font(theme::strong(SMALL)).color(colors(ui).dim);
        ui.label(text.extra_letter_spacing(0.6));
    });
}

pub(super) fn warning(ui: &mut Ui, rect: Rect, text: &str, is_repaired: bool) {
    let c = colors(ui);
    let (icon, ink) = if is_repaired { (icons::CHECK, c.dim) } else { mark(Severity::Warning, c) };
    let at = pos2(rect.left() + 20.0, rect.top() + 11.0);
    ui.painter().text(at, Align2::CENTER_CENTER, icon, theme::icon(14.0), ink);
    let galley = wrapped(ui, text, c.dim, rect.width());
    let response = ui.interact(rect, ui.scope_id().with(("warning", text)), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
    ui.painter().galley(pos2(rect.left() + INDENT, rect.top() + 3.0), galley, c.dim);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_read_with_their_units() {
        let words = |value, unit| measure_words(Measure { what: "", value, unit });
        assert_eq!(words(1234.0, ""), "1\u{2009}234");
        assert_eq!((words(12.345, "mm"), words(0.5, "%")), ("1.23\u{2009}cm".into(), "0.50\u{2009}%".into()));
        assert_eq!((words(-37.06, "%"), words(178.0, "°")), ("−37.1\u{2009}%".into(), "178°".into()));
    }
}
