//! The list of findings of the checker, the range of motion and the import, worst first, and the button that runs the range
//! of motion.

use std::sync::{Arc, Weak};

use egui::accesskit::Role;
use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{
    Align, Align2, Color32, CornerRadius, Frame, Galley, Label, Layout, Margin, Rect, Response, RichText, ScrollArea,
    Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};

use super::theme::{self, BODY, Colors, MARGIN, ROW, SMALL, colors};
use super::widgets::{
    counted, drop_down, focus_ring, grouped, link, paint_line, paint_switch, press, progress_bar, shortened,
    text_button,
};
use super::{Status, UiState, icons, want_size, was_dragged};
use crate::inspect::check::{Finding, Measure, Severity};
use crate::inspect::rom::{RomOptions, RomReport};
use crate::inspect::{Inspection, rule_words};
use crate::model::Model;
use crate::session::{Command, Document, FindingCommand, InspectionCommand, Session};

/// State of the panel for the open model.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Severities that are left out, by [`place_of`].
    hidden: [bool; 3],
    /// The finding that was last brought into view.
    shown: Option<usize>,
    reach: MotionRange,
    items: Vec<Item>,
    /// The top of each item, and the bottom of the last one, points.
    tops: Vec<f32>,
    built_for: Option<Key>,
    /// The range of motion that was listed last.
    listed: Weak<RomReport>,
    /// The item to jump to.
    jump: Option<usize>,
}

/// How far joints are driven.
#[derive(Clone, Copy, Debug, PartialEq)]
enum MotionRange {
    /// To both sides.
    Degrees(f32),
    /// The motion of the file's clips.
    Clips,
}

/// Choices of [`MotionRange::Degrees`].
const DEGREES: [f32; 6] = [30.0, 45.0, 60.0, 90.0, 120.0, 180.0];

impl Default for MotionRange {
    fn default() -> Self {
        Self::Degrees(RomOptions::default().degrees)
    }
}

impl MotionRange {
    fn label(self) -> String {
        match self {
            Self::Degrees(degrees) => format!("±{degrees:.0}°"),
            Self::Clips => "Clips".to_owned(),
        }
    }

    fn options(self) -> RomOptions {
        let defaults = RomOptions::default();
        match self {
            // At least three steps to each side.
            Self::Degrees(degrees) => {
                RomOptions { degrees, step_degrees: (degrees / 3.0).min(defaults.step_degrees), ..defaults }
            }
            Self::Clips => RomOptions { clips: true, ..defaults },
        }
    }
}

/// One entry of the list.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Item {
    /// By its place in [`Document::findings`].
    Finding(usize),
    /// The head of what the import said.
    ImportHead,
    /// By its place in [`Document::warnings`].
    Warning(usize),
}

/// The data that the items were built for.
#[derive(Debug)]
struct Key {
    inspection: Weak<Inspection>,
    rom: Weak<RomReport>,
    warnings: usize,
    hidden: [bool; 3],
    open: Option<usize>,
    width: f32,
}

impl Key {
    fn is(&self, other: &Self) -> bool {
        self.inspection.ptr_eq(&other.inspection)
            && self.rom.ptr_eq(&other.rom)
            && (self.warnings, self.hidden, self.open, self.width)
                == (other.warnings, other.hidden, other.open, other.width)
    }
}

/// Height of a finding that is folded, without the lines of its title, points.
const FOLDED: f32 = 24.0;
/// Points that a line of a title takes.
const TITLE_LINE: f32 = 16.0;
/// Distance of texts from the left edge, points.
const INDENT: f32 = 34.0;
/// Font size of an unfolded finding and of import warnings, points.
const TEXT: f32 = 12.0;

/// Errors, warnings, notes.
fn place_of(severity: Severity) -> usize {
    match severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Info => 2,
    }
}

const SEVERITIES: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Info];

fn mark(severity: Severity, c: &Colors) -> (&'static str, Color32) {
    match severity {
        Severity::Error => (icons::ERROR, c.red),
        Severity::Warning => (icons::WARNING, c.amber),
        Severity::Info => (icons::INFO, c.dim),
    }
}

/// The panel below the nodes.
pub(super) fn show(ui: &mut Ui, session: &Session, state: &mut UiState, status: &Status, commands: &mut Vec<Command>) {
    let Some(document) = session.document() else { return };
    let counts = counts(document);
    let has_skin = !document.model.skins.is_empty();
    let empty = counts == [0; 3];
    let frame = Frame::NONE.inner_margin(Margin { left: 0, right: 0, top: 8, bottom: 8 });
    let said = status.rom.is_none() && document.rom.is_some();
    let narrow = stacks(ui);
    let rows = if status.rom.is_none() && narrow { 2.0 } else { 1.0 };
    let below = if status.rom.is_some() {
        10.0
    } else if said {
        18.0
    } else {
        0.0
    };
    let footer_height = 10.0 + rows * (ROW + 6.0) + below;
    let panel = if empty {
        let footer = if has_skin { footer_height } else { 0.0 };
        egui::Panel::bottom("no findings").exact_size(50.0 + footer)
    } else {
        // Head, filter, some of a row, and all of the footer.
        let least = 100.0 + footer_height;
        let most = (0.66 * ui.available_height()).max(least);
        want_size(ui, "findings", vec2(0.0, state.saved.findings_height.clamp(least, most)));
        egui::Panel::bottom("findings").resizable(true).size_range(least..=most)
    };
    let shown = panel.frame(frame).show(ui, |ui| {
        head(ui, document, counts, status.checking, commands);
        if !empty {
            filter(ui, &mut state.findings, counts);
        }
        if has_skin {
            footer(ui, footer_height, |ui| match status.rom {
                Some(fraction) => measuring(ui, fraction, commands),
                None => ready(ui, document, narrow, &mut state.findings, commands),
            });
        }
        if !empty {
            list(ui, session, document, &mut state.findings, commands);
        }
    });
    if !empty && was_dragged(ui, "findings") {
        state.saved.findings_height = shown.response.rect.height();
    }
}

/// How many findings of each severity there are; what the import said counts as warnings.
fn counts(document: &Document) -> [usize; 3] {
    let mut out = [0, document.warnings.len(), 0];
    for finding in document.findings() {
        out[place_of(finding.severity)] += 1;
    }
    out
}

fn head(ui: &mut Ui, document: &Document, counts: [usize; 3], checking: bool, commands: &mut Vec<Command>) {
    let c = colors(ui);
    inset(ui, |ui| {
        ui.horizontal(|ui| {
            ui.label(RichText::new("Findings").font(theme::strong(BODY)));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let [errors, warnings, notes] = counts;
                let said = [
                    (errors, counted(errors, "error", "errors")),
                    (warnings, counted(warnings, "warning", "warnings")),
                    (if errors + warnings == 0 { notes } else { 0 }, counted(notes, "note", "notes")),
                ];
                let said: Vec<String> = said.into_iter().filter(|(n, _)| *n > 0).map(|(_, text)| text).collect();
                let waits = document.inspection.is_none();
                if waits && checking {
                    if link(ui, "Stop", "Stop checking").on_hover_text("Stop looking for faults").clicked() {
                        commands.push(InspectionCommand::CancelInspect.into());
                    }
                } else if waits && link(ui, "Check", "Check the model").on_hover_text("Look for faults").clicked() {
                    commands.push(InspectionCommand::Inspect.into());
                }
                let (text, color) = match (&said[..], waits) {
                    ([], true) if checking => ("checking…".to_owned(), c.dim),
                    ([], true) => ("not checked".to_owned(), c.dim),
                    ([], _) => ("nothing found".to_owned(), c.dim),
                    (said, _) => {
                        let color = if errors > 0 { c.red } else { c.amber };
                        (said.join(" · "), if errors + warnings > 0 { color } else { c.dim })
                    }
                };
                ui.label(RichText::new(text).font(theme::regular(TEXT)).color(color));
            });
        });
    });
}

fn inset<R>(ui: &mut Ui, content: impl FnOnce(&mut Ui) -> R) -> R {
    Frame::NONE.inner_margin(Margin::symmetric(MARGIN, 0)).show(ui, content).inner
}

/// Which severities are listed: a choice only where there are several.
fn filter(ui: &mut Ui, findings: &mut Findings, counts: [usize; 3]) {
    if counts.iter().filter(|n| **n > 0).count() < 2 {
        findings.hidden = [false; 3];
        return;
    }
    inset(ui, |ui| {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            for severity in SEVERITIES {
                let place = place_of(severity);
                if counts[place] > 0 && severity_chip(ui, severity, counts[place], !findings.hidden[place]).clicked() {
                    findings.hidden[place] = !findings.hidden[place];
                }
            }
        });
    });
    ui.add_space(2.0);
}

fn severity_chip(ui: &mut Ui, severity: Severity, count: usize, on: bool) -> Response {
    let c = colors(ui);
    let (icon, color) = mark(severity, c);
    let name = match severity {
        Severity::Error => "Show errors",
        Severity::Warning => "Show warnings",
        Severity::Info => "Show notes",
    };
    let ink = if on { c.text } else { c.dim };
    let galley = ui.painter().layout_no_wrap(grouped(count), theme::regular(TEXT), ink);
    let (rect, response) = press(ui, vec2(galley.size().x + 34.0, ROW), name, Some(on));
    paint_switch(ui, rect, on, response.hovered(), c.raised);
    let icon_ink = if on { color } else { c.dim };
    let at = pos2(rect.left() + 15.0, rect.center().y);
    ui.painter().text(at, Align2::CENTER_CENTER, icon, theme::icon(14.0), icon_ink);
    paint_line(ui, galley, rect.left() + 26.0, rect.center().y, ink);
    focus_ring(ui, rect, &response);
    response.on_hover_text(name)
}

/// The strip at the lower edge that holds the range of motion.
fn footer(ui: &mut Ui, height: f32, content: impl FnOnce(&mut Ui)) {
    egui::Panel::bottom("range of motion").exact_size(height).frame(Frame::NONE).show(ui, |ui| {
        ui.add_space(8.0);
        inset(ui, content);
    });
}

/// The button that runs the range of motion.
const RUN: &str = "Run range of motion";
/// Points that the choice of its reach takes, and the least.
const REACH_WIDTH: f32 = 84.0;
const LEAST_REACH: f32 = 72.0;

/// The panel is too narrow for the button and the choice beside it: they stand one below the other.
fn stacks(ui: &Ui) -> bool {
    let text = ui.painter().layout_no_wrap(RUN.to_owned(), theme::regular(BODY), Color32::WHITE).size().x;
    // Around the text, and around the choice.
    let button = text + 20.0;
    let room = ui.max_rect().width().min(ui.clip_rect().width());
    room < button + ui.spacing().item_spacing.x + LEAST_REACH + 2.0 * f32::from(MARGIN)
}

fn measuring(ui: &mut Ui, fraction: f32, commands: &mut Vec<Command>) {
    let c = colors(ui);
    ui.horizontal(|ui| {
        // The button has its room first: a narrow panel cuts the words.
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if text_button(ui, None, "Cancel", false).on_hover_text("Stop measuring").clicked() {
                commands.push(InspectionCommand::CancelRom.into());
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let text = format!("Range of motion · {:.0} %", 100.0 * fraction.clamp(0.0, 1.0));
                ui.add(Label::new(RichText::new(text).font(theme::regular(TEXT)).color(c.text)).truncate());
            });
        });
    });
    progress_bar(ui, "Range of motion", fraction);
}

fn ready(ui: &mut Ui, document: &Document, narrow: bool, findings: &mut Findings, commands: &mut Vec<Command>) {
    let c = colors(ui);
    let has_clips = !document.model.clips.is_empty();
    if !has_clips && findings.reach == MotionRange::Clips {
        findings.reach = MotionRange::default();
    }
    let tip = match findings.reach {
        MotionRange::Degrees(degrees) => format!(
            "Turn every joint by up to {degrees:.0}° to both sides about each of its axes, and list where the skin suffers most"
        ),
        MotionRange::Clips => "Play every clip of the file, and list where the skin suffers most".to_owned(),
    };
    let choice = |ui: &mut Ui| {
        if text_button(ui, None, RUN, false).on_hover_text(tip).clicked() {
            commands.push(InspectionCommand::RunRom(findings.reach.options()).into());
            // What it finds are notes, which must not come unseen.
            findings.hidden[place_of(Severity::Info)] = false;
        }
        let width = ui.available_width().clamp(LEAST_REACH, REACH_WIDTH);
        drop_down(ui, "Reach", &findings.reach.label(), width, |ui| {
            let clips = has_clips.then_some(MotionRange::Clips);
            for reach in DEGREES.map(MotionRange::Degrees).into_iter().chain(clips) {
                if ui.selectable_label(reach == findings.reach, reach.label()).clicked() {
                    findings.reach = reach;
                }
            }
        });
    };
    if narrow {
        ui.vertical(choice);
    } else {
        ui.horizontal(choice);
    }
    if let Some(report) = &document.rom {
        let driven = if report.clips { ("clip", "clips") } else { ("joint", "joints") };
        let text = format!(
            "{} of {} measured",
            counted(report.poses, "pose", "poses"),
            counted(report.driven, driven.0, driven.1)
        );
        ui.label(RichText::new(text).size(SMALL).color(c.dim));
    }
}

impl Findings {
    /// The entries, anew where what is to be listed or the width has changed.
    fn build(&mut self, ui: &Ui, document: &Document, open: Option<usize>, width: f32) {
        let weak = |i: &Option<Arc<Inspection>>| i.as_ref().map(Arc::downgrade).unwrap_or_default();
        let key = Key {
            inspection: weak(&document.inspection),
            rom: document.rom.as_ref().map(Arc::downgrade).unwrap_or_default(),
            warnings: document.warnings.len(),
            hidden: self.hidden,
            open,
            width,
        };
        if self.built_for.as_ref().is_some_and(|k| k.is(&key)) {
            return;
        }
        let findings: Vec<&Finding> = document.findings().collect();
        let mut order: Vec<usize> = (0..findings.len()).collect();
        order.retain(|i| !self.hidden[place_of(findings[*i].severity)]);
        // Those of the checker first among equals.
        order.sort_by_key(|i| std::cmp::Reverse(findings[*i].severity));
        self.items.clear();
        self.items.extend(order.into_iter().map(Item::Finding));
        if !document.warnings.is_empty() && !self.hidden[place_of(Severity::Warning)] {
            self.items.push(Item::ImportHead);
            self.items.extend((0..document.warnings.len()).map(Item::Warning));
        }
        self.tops.clear();
        let mut top = 0.0;
        for item in &self.items {
            self.tops.push(top);
            top += match item {
                Item::Finding(place) => {
                    let finding = findings[*place];
                    let body = if Some(*place) == open { body_height(&body(ui, finding, width)) } else { 0.0 };
                    FOLDED + TITLE_LINE * title(ui, finding, width).rows.len() as f32 + body
                }
                Item::ImportHead => ROW + 4.0,
                Item::Warning(i) => wrapped(ui, &document.warnings[*i], colors(ui).dim, width).size().y + 8.0,
            };
        }
        self.tops.push(top);
        self.built_for = Some(key);
    }
}

impl Findings {
    /// The top of the first finding that has just come from the range of motion; the list jumps there.
    fn news(&mut self, ui: &Ui, document: &Document) -> Option<f32> {
        let now = document.rom.as_ref().map(Arc::downgrade).unwrap_or_default();
        if self.listed.ptr_eq(&now) {
            return self.jump.take().and_then(|item| self.tops.get(item).copied());
        }
        self.listed = now;
        let checked = document.inspection.as_ref().map_or(0, |i| i.report.findings.len());
        self.jump = self.items.iter().position(|i| matches!(i, Item::Finding(place) if *place >= checked));
        // In this frame the area still has the height of the old list, and would spring back to its end.
        ui.ctx().request_repaint();
        None
    }
}

/// A text as wide as there is room for it.
fn wrapped(ui: &Ui, text: &str, color: Color32, width: f32) -> Arc<Galley> {
    let room = (width - INDENT - f32::from(MARGIN)).max(40.0);
    ui.painter().layout(text.to_owned(), theme::regular(TEXT), color, room)
}

/// The label of the finding's rule.
fn label_of(finding: &Finding) -> &'static str {
    rule_words(finding.rule).map_or(finding.rule, |(label, _)| label)
}

/// How much, as it stands at the right of the title.
fn measured(ui: &Ui, finding: &Finding) -> Arc<Galley> {
    let words = finding.measure.map(measure_words).unwrap_or_default();
    ui.painter().layout_no_wrap(words, theme::regular(TEXT), colors(ui).dim)
}

/// The name of the rule, in two lines where one is too short.
fn title(ui: &Ui, finding: &Finding, width: f32) -> Arc<Galley> {
    let room = width - INDENT - f32::from(MARGIN) - measured(ui, finding).size().x - 8.0;
    let format =
        TextFormat { line_height: Some(TITLE_LINE), ..TextFormat::simple(theme::regular(BODY), colors(ui).text) };
    let mut job = LayoutJob::single_section(label_of(finding).to_owned(), format);
    job.wrap = TextWrapping { max_rows: 2, ..TextWrapping::wrap_at_width(room.max(40.0)) };
    ui.painter().layout_job(job)
}

/// Lays out the text that says what is wrong and the text that says what to do.
fn body(ui: &Ui, finding: &Finding, width: f32) -> [Arc<Galley>; 2] {
    let c = colors(ui);
    [wrapped(ui, &finding.message, c.text, width), wrapped(ui, &finding.fix, c.dim, width)]
}

fn body_height([message, fix]: &[Arc<Galley>; 2]) -> f32 {
    message.size().y + fix.size().y + 14.0
}

fn list(ui: &mut Ui, session: &Session, document: &Document, findings: &mut Findings, commands: &mut Vec<Command>) {
    let width = ui.available_width();
    findings.build(ui, document, session.view().finding, width);
    let mut area = ScrollArea::vertical().auto_shrink(false).id_salt("findings");
    if let Some(top) = findings.news(ui, document) {
        area = area.vertical_scroll_offset(top);
    }
    if findings.shown != session.view().finding {
        findings.shown = session.view().finding;
        let item = findings.items.iter().position(|i| findings.shown.is_some_and(|place| *i == Item::Finding(place)));
        if let Some(top) = item.and_then(|i| follow(ui, findings, i)) {
            area = area.vertical_scroll_offset(top);
        }
    }
    let id = ui.scope_id().with("seen");
    let output = area.show_viewport(ui, |ui, seen| {
        let total = findings.tops.last().copied().unwrap_or_default();
        let origin = ui.max_rect().min;
        ui.set_height(total);
        // One more to both sides, so that Tab finds what is out of sight.
        let first = findings.tops.partition_point(|top| *top <= seen.min.y).saturating_sub(2);
        let last = (findings.tops.partition_point(|top| *top < seen.max.y) + 1).min(findings.items.len());
        let all: Vec<&Finding> = document.findings().collect();
        for i in first..last {
            let rect = Rect::from_min_max(
                pos2(origin.x, origin.y + findings.tops[i]),
                pos2(origin.x + width, origin.y + findings.tops[i + 1]),
            );
            match findings.items[i] {
                Item::Finding(place) => {
                    let open = session.view().finding == Some(place);
                    if row(ui, rect, &document.model, all[place], place, open) {
                        commands.push(if open {
                            Command::Finding(FindingCommand::LeaveFinding)
                        } else {
                            Command::Finding(FindingCommand::ShowFinding(place))
                        });
                    }
                }
                Item::ImportHead => import_head(ui, rect),
                Item::Warning(place) => warning(ui, rect, &document.warnings[place]),
            }
        }
    });
    let seen = (output.state.clamped_offset().y, output.inner_rect.height());
    ui.data_mut(|d| d.insert_temp(id, seen));
}

/// The scroll offset at which an item is seen; `None` where it is seen already.
fn follow(ui: &Ui, findings: &Findings, item: usize) -> Option<f32> {
    let id = ui.scope_id().with("seen");
    let (offset, height): (f32, f32) = ui.data(|d| d.get_temp(id))?;
    let (top, bottom) = (findings.tops[item], findings.tops[item + 1]);
    if top < offset || bottom - top > height {
        Some(top)
    } else {
        (bottom > offset + height).then_some(bottom - height)
    }
}

/// True when pressed.
fn row(ui: &mut Ui, rect: Rect, model: &Model, finding: &Finding, place: usize, open: bool) -> bool {
    let c = colors(ui);
    let response = ui.interact(rect, ui.scope_id().with(("finding", place)), Sense::click());
    let label = label_of(finding);
    let at = place_words(model, finding);
    response.widget_info(|| {
        let said = if open { format!("{label}, {at}. {}", finding.message) } else { format!("{label}, {at}") };
        WidgetInfo::selected(Role::ListBoxOption, true, open, said)
    });
    let fill = match (open, response.hovered()) {
        (true, _) => c.selection,
        (false, true) => c.raised,
        (false, false) => Color32::TRANSPARENT,
    };
    ui.painter().rect_filled(rect, CornerRadius::ZERO, fill);
    if open {
        let bar = Rect::from_min_size(rect.min, vec2(2.0, rect.height()));
        ui.painter().rect_filled(bar, CornerRadius::ZERO, c.accent);
    }
    let (icon, ink) = mark(finding.severity, c);
    let (left, right) = (rect.left() + INDENT, rect.right() - f32::from(MARGIN));
    let y = rect.top() + 13.0;
    ui.painter().text(pos2(rect.left() + 20.0, y), Align2::CENTER_CENTER, icon, theme::icon(15.0), ink);
    let measure = measured(ui, finding);
    paint_line(ui, measure.clone(), right - measure.size().x, y, c.dim);
    let title = title(ui, finding, rect.width());
    let (title_cut, title_height) = (title.elided, TITLE_LINE * title.rows.len() as f32);
    ui.painter().galley(pos2(left, y - 0.5 * TITLE_LINE), title, c.text);
    let (where_, where_cut) = shortened(ui, &at, theme::regular(SMALL), c.dim, right - left);
    paint_line(ui, where_, left, rect.top() + 13.0 + title_height, c.dim);
    if open {
        let [message, fix] = body(ui, finding, rect.width());
        let top = rect.top() + FOLDED + title_height;
        let below = top + message.size().y + 6.0;
        ui.painter().galley(pos2(left, top), message, c.text);
        ui.painter().galley(pos2(left, below), fix, c.dim);
    }
    focus_ring(ui, rect, &response);
    if response.gained_focus() {
        response.scroll_to_me(None);
    }
    let pressed = response.clicked();
    if !open && (title_cut || where_cut) {
        response.on_hover_text(format!("{label}\n{at}"));
    }
    pressed
}

fn measure_words(measure: Measure) -> String {
    let Measure { value, unit, .. } = measure;
    if unit.is_empty() && value.fract() == 0.0 && (0.0..1e9).contains(&value) {
        return grouped(value as usize);
    }
    measure.text().replace(' ', "\u{2009}")
}

/// Whom it concerns: joints, how many vertices, which mesh.
fn place_words(model: &Model, finding: &Finding) -> String {
    let mut parts = Vec::new();
    let name = |n: &crate::model::NodeId| model.skeleton.names[n.index()].as_str();
    match &finding.joints[..] {
        [] => {}
        [one] => parts.push(name(one).to_owned()),
        [a, b] => parts.push(format!("{}, {}", name(a), name(b))),
        [a, rest @ ..] => parts.push(format!("{} and {} more", name(a), grouped(rest.len()))),
    }
    if !finding.vertices.is_empty() {
        parts.push(counted(finding.vertices.len(), "vertex", "vertices"));
    }
    if let Some(mesh) = finding.mesh.filter(|_| model.meshes.len() > 1 || parts.is_empty()) {
        let source = &model.meshes[mesh.index()];
        let several = source.primitives.len() > 1;
        let part = finding.primitive.filter(|_| several).map(|p| format!(" ({p})")).unwrap_or_default();
        parts.push(match source.name.as_str() {
            "" => format!("mesh {}{part}", mesh.0),
            name => format!("{name}{part}"),
        });
    }
    parts.join(" · ")
}

fn import_head(ui: &mut Ui, rect: Rect) {
    let place = rect.shrink2(vec2(f32::from(MARGIN), 0.0));
    ui.scope_builder(UiBuilder::new().max_rect(place).layout(Layout::left_to_right(Align::Center)), |ui| {
        let text = RichText::new("FROM THE IMPORT").font(theme::strong(SMALL)).color(colors(ui).dim);
        ui.label(text.extra_letter_spacing(0.6));
    });
}

fn warning(ui: &mut Ui, rect: Rect, text: &str) {
    let c = colors(ui);
    let (icon, ink) = mark(Severity::Warning, c);
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

    #[test]
    fn ninety_degrees_are_driven_as_on_the_command_line() {
        assert_eq!(MotionRange::default().options(), RomOptions::default());
        assert_eq!(MotionRange::Degrees(45.0).options().step_degrees, 15.0);
        assert!(MotionRange::Clips.options().clips);
    }
}
