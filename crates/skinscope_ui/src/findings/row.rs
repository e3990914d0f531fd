//! Lays out and paints one entry of the list of findings.

use std::sync::Arc;

use egui::accesskit::Role;
use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{
    Align, Align2, Color32, Galley, Layout, Pos2, Rect, Response, RichText, Sense, Ui, UiBuilder, WidgetInfo, pos2,
    vec2,
};
use skinscope_inspect::check::{Finding, Measure, Severity};
use skinscope_inspect::{repair_of, rule_words};
use skinscope_model::{MaterialId, Model};

use crate::icons;
use crate::repair_words::repair_words;
use crate::theme::{self, BODY, Colors, MARGIN, SMALL, colors};
use crate::widgets::{
    counted, describe, focus_ring, grouped, paint_line, row_background, shortened, shortened_text, text_button,
};

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
/// What stands between the parts of the text that says where a finding is.
const BETWEEN: &str = " · ";
/// The least room in which the cut name of a joint can be read, points.
const LEAST_NAME: f32 = 56.0;
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

/// Returns on one line where a finding is, and whether something of it was left out. How many vertices it has, `count`, stays whole:
/// what stands before it, the name of a joint, is cut, and where that has no room the mesh after it goes.
fn place_text(ui: &Ui, at: &str, count: &str, width: f32) -> (String, bool) {
    let font = || theme::regular(SMALL);
    let wide = |text: &str| ui.painter().layout_no_wrap(text.to_owned(), font(), Color32::WHITE).size().x;
    if wide(at) <= width {
        return (at.to_owned(), false);
    }
    let pieces: Vec<&str> = at.split(BETWEEN).collect();
    let place = pieces.iter().position(|piece| *piece == count);
    let Some((before, [_, after @ ..])) = place.and_then(|place| pieces.split_at_checked(place)) else {
        return shortened_text(ui, at, font(), width);
    };
    if after.is_empty() && before.is_empty() {
        return shortened_text(ui, at, font(), width);
    }
    if before.is_empty() {
        let start = format!("{count}{BETWEEN}");
        let (end, cut) = shortened_text(ui, &after.join(BETWEEN), font(), width - wide(&start));
        return (format!("{start}{end}"), cut);
    }
    let mut end = format!("{BETWEEN}{count}");
    let full = after.iter().fold(end.clone(), |line, piece| line + BETWEEN + piece);
    if width - wide(&full) >= LEAST_NAME {
        end = full;
    }
    let (name, _) = shortened_text(ui, &before.join(BETWEEN), font(), width - wide(&end));
    (format!("{name}{end}"), true)
}

/// Paints where a finding is at the left of a line, and what its measure is of at the right where both have room; returns whether
/// something of the first was left out.
fn place(ui: &Ui, finding: &Finding, at: &str, (from, width): (Pos2, f32), ink: Color32) -> bool {
    let line = |text: &str| ui.painter().layout_no_wrap(text.to_owned(), theme::regular(SMALL), ink);
    let brief = brief_joints(at, finding);
    let of = line(finding.measure.map_or("", |measure| measure.what));
    // Where it is comes first; the tooltip has both.
    let of_width = of.size().x;
    if of_width > 0.0 && of_width + 8.0 + line(&brief).size().x <= width {
        paint_line(ui, of, from.x + width - of_width, from.y, ink);
    }
    let (text, cut) = place_text(ui, &brief, &count_text(finding), width);
    paint_line(ui, line(&text), from.x, from.y, ink);
    cut
}

/// Returns how many vertices a finding names, in words.
fn count_text(finding: &Finding) -> String {
    counted(finding.vertices.len(), "vertex", "vertices")
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
    let below = pos2(left, rect.top() + 13.0 + title_height);
    let where_cut = place(ui, finding, &at, (below, right - left), quiet);
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
        parts.push(count_text(finding));
    }
    if let Some(mesh) = finding.mesh.filter(|_| model.file_meshes().nth(1).is_some() || parts.is_empty()) {
        let source = &model.meshes[mesh.index()];
        let part = part_text(model, finding).map(|part| format!(" ({part})")).unwrap_or_default();
        parts.push(match source.name.as_str() {
            "" => format!("mesh {}{part}", model.file_mesh(mesh).0),
            name => format!("{name}{part}"),
        });
    }
    parts.join(BETWEEN)
}

/// Returns the location of a finding with fewer letters for the joints after the first.
fn brief_joints(at: &str, finding: &Finding) -> String {
    match &finding.joints[..] {
        [_, _, _, ..] => {
            let others = grouped(finding.joints.len() - 1);
            at.replacen(&format!(" and {others} more"), &format!(" +{others}"), 1)
        }
        _ => at.to_owned(),
    }
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
    fn the_number_of_vertices_stays_whole_however_narrow_the_row_is() {
        let ctx = egui::Context::default();
        crate::install(&ctx);
        let mut shown = Vec::new();
        let mut output = ctx.run_ui(egui::RawInput::default(), |ui| {
            let at = "Skeleton_arm_joint_L__4_ +11 · 22 vertices · a mesh with a name";
            shown = [600.0, 280.0, 150.0].map(|width| place_text(ui, at, "22 vertices", width)).to_vec();
            shown.push(place_text(ui, "22 vertices · a mesh with a long name", "22 vertices", 120.0));
        });
        output.textures_delta.clear();
        let (all, cut) = shown.split_first().unwrap();
        assert_eq!(all.0, "Skeleton_arm_joint_L__4_ +11 · 22 vertices · a mesh with a name");
        assert!(!all.1 && cut.iter().all(|(text, cut)| *cut && text.contains("22 vertices")), "{cut:?}");
        assert!(cut[0].0.ends_with("a mesh with a name") && cut[1].0.ends_with("22 vertices"), "{cut:?}");
    }

    #[test]
    fn measures_read_with_their_units() {
        let words = |value, unit| measure_words(Measure { what: "", value, unit });
        assert_eq!(words(1234.0, ""), "1\u{2009}234");
        assert_eq!((words(12.345, "mm"), words(0.5, "%")), ("1.23\u{2009}cm".into(), "0.50\u{2009}%".into()));
        assert_eq!((words(-37.06, "%"), words(178.0, "°")), ("−37.1\u{2009}%".into(), "178°".into()));
    }
}
