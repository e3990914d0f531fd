//! The list of findings of the checker, the range of motion and the import, worst first, and the button that runs the range
//! of motion.

mod doubts;
mod motion;
mod row;
mod shares;

use std::sync::{Arc, Weak};

use egui::{Align, Align2, Frame, Layout, Margin, Rect, Response, RichText, ScrollArea, Ui, pos2, vec2};
use skinscope_inspect::check::{Finding, FindingPose, RepairTool, Severity};
use skinscope_inspect::rom::{ROM_RULES, RomReport};
use skinscope_inspect::{Inspection, repair_of};
use skinscope_model::{Model, NodeId};
use skinscope_session::{
    Command, DockPanel, Document, DocumentWarning, FindingCommand, InspectionCommand, Session, ToolCommand,
};

use self::doubts::Doubts;
use self::motion::{MotionRange, measuring, ready, stacks};
use self::row::{
    FOLDED, RowPress, TEXT, TITLE_LINE, body_height, joint_head, mark, messages_head, row, title, warning, wrapped,
};
use super::context_menu::{self, About};
use super::panel_size::{want_size, was_dragged};
use super::theme::{self, BODY, MARGIN, ROW, colors};
use super::widgets::{counted, focus_ring, grouped, link, paint_line, paint_switch, press};
use super::{Status, UiState};
use crate::saved::FINDINGS_HEIGHT;

/// State of the panel for the open model.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// The severities that are left out, by [`severity_index`].
    hidden: [bool; 3],
    /// The finding that was last brought into view.
    shown: Option<usize>,
    range: MotionRange,
    items: Vec<Item>,
    /// The top of each item, and the bottom of the last one, in points.
    tops: Vec<f32>,
    built_for: Option<Key>,
    doubts: Doubts,
    /// The range of motion that was listed last.
    listed: Weak<RomReport>,
    /// The item to jump to.
    jump: Option<usize>,
}

/// One entry of the list.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Item {
    /// A finding, by its index in [`Document::findings`].
    Finding(usize),
    /// The heading of what the range of motion found where a joint turns, with how much that is.
    JointHead(NodeId, usize),
    /// The heading of the import's warnings.
    ImportHead,
    /// A warning, by its index in [`Document::warnings`].
    Warning(usize),
}

/// The data that the items were built for.
#[derive(Debug)]
struct Key {
    inspection: Weak<Inspection>,
    rom: Weak<RomReport>,
    warnings: usize,
    model: Weak<Model>,
    hidden: [bool; 3],
    open: Option<usize>,
    width: f32,
}

impl Key {
    fn is(&self, other: &Self) -> bool {
        self.inspection.ptr_eq(&other.inspection)
            && self.rom.ptr_eq(&other.rom)
            && self.model.ptr_eq(&other.model)
            && (self.warnings, self.hidden, self.open, self.width)
                == (other.warnings, other.hidden, other.open, other.width)
    }
}

/// Returns the index of a severity in lists of three: errors, warnings, notes.
fn severity_index(severity: Severity) -> usize {
    match severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Info => 2,
    }
}

const SEVERITIES: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Info];

/// The room that is left for the search of nodes and some of their rows, where there is that much, points.
const LEAST_NODES: f32 = 48.0 + 5.0 * ROW;

/// The height of the column below which findings leave half of it to the nodes, points.
const LOW: f32 = 500.0;

/// Shows the panel below the nodes.
pub(super) fn show(ui: &mut Ui, session: &Session, state: &mut UiState, status: &Status, commands: &mut Vec<Command>) {
    let Some(document) = session.document() else { return };
    let counts = counts(document);
    let has_skin = !document.model.skins.is_empty();
    // A warning that edits have repaired is still listed: undo brings it back.
    let empty = counts == [0; 3] && document.warnings.is_empty();
    let frame = Frame::NONE.inner_margin(Margin { left: 0, right: 0, top: 8, bottom: 8 });
    let was_run = status.rom.is_none() && document.rom.is_some();
    let narrow = stacks(ui);
    let rows = if status.rom.is_none() && narrow { 2.0 } else { 1.0 };
    let below = if status.rom.is_some() {
        10.0
    } else if was_run {
        18.0
    } else {
        0.0
    };
    let footer_height = 10.0 + rows * (ROW + 6.0) + below;
    let shares = shares::of(document);
    let line = if shares.is_some() { shares::LINE } else { 0.0 };
    let panel = if empty {
        let footer = if has_skin { footer_height } else { 0.0 };
        egui::Panel::bottom("no findings").exact_size(50.0 + line + footer)
    } else {
        // The panel keeps room for head, filter, some of a row, and all of the footer.
        let least = 100.0 + line + footer_height;
        let room = ui.available_height();
        // No room is taken from the nodes for rows that there are not.
        let all = least + state.findings.tops.last().copied().unwrap_or(f32::INFINITY);
        let most = (0.66 * room).min(room - LEAST_NODES).min(all).max(least);
        // An open finding is seen whole where there is room, down to its buttons.
        let whole = least + state.findings.height_of(session.view().finding);
        // While nobody has moved the edge, nodes have as much room as they in a low window.
        let own = state.saved.findings_height;
        let usual = if own == FINDINGS_HEIGHT && room < LOW { own.min(0.5 * room) } else { own };
        want_size(ui, "findings", vec2(0.0, usual.max(whole).clamp(least, most)));
        egui::Panel::bottom("findings").resizable(true).size_range(least..=most)
    };
    let shown = panel.frame(frame).show(ui, |ui| {
        head(ui, document, counts, status.checking, commands);
        if let Some(shares) = &shares {
            inset(ui, |ui| shares::show(ui, shares));
        }
        if !empty {
            filter(ui, &mut state.findings, counts);
        }
        if has_skin {
            footer(ui, footer_height, |ui| match status.rom {
                Some(fraction) => measuring(ui, fraction, commands),
                None => {
                    if ready(ui, document, narrow, &mut state.findings.range, commands) {
                        // A range of motion finds notes, which must not be hidden when they come.
                        state.findings.hidden[severity_index(Severity::Info)] = false;
                    }
                }
            });
        }
        if !empty {
            let tool = list(ui, session, (document, status.checking), &mut state.findings, commands);
            if let Some(table @ (RepairTool::Joints | RepairTool::Vertices)) = tool {
                state.tables.choose_for(table);
                state.saved.tables = true;
                state.dock.ask(DockPanel::Tables);
            }
        }
    });
    if !empty && was_dragged(ui, "findings") {
        state.saved.findings_height = shown.response.rect.height();
    }
}

/// Counts the findings of each severity; the import's warnings count as warnings unless edits have repaired what they say.
fn counts(document: &Document) -> [usize; 3] {
    let mut out = [0, document.warnings_that_hold(), 0];
    for finding in document.findings() {
        out[severity_index(finding.severity)] += 1;
    }
    out
}

/// Returns a warning of the import as it is after edits. The text says so where they have repaired what it says.
fn shown_warning(document: &Document, index: usize) -> DocumentWarning<'_> {
    let warning = document.current_warning(index);
    match warning.is_repaired {
        true => DocumentWarning { text: format!("Repaired by your edits: {}", warning.text).into(), ..warning },
        false => warning,
    }
}

fn head(ui: &mut Ui, document: &Document, counts: [usize; 3], checking: bool, commands: &mut Vec<Command>) {
    let c = colors(ui);
    inset(ui, |ui| {
        ui.horizontal(|ui| {
            ui.label(RichText::new("Findings").font(theme::strong(BODY)));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let [errors, warnings, notes] = counts;
                let texts = [
                    (errors, counted(errors, "error", "errors")),
                    (warnings, counted(warnings, "warning", "warnings")),
                    (if errors + warnings == 0 { notes } else { 0 }, counted(notes, "note", "notes")),
                ];
                let texts: Vec<String> = texts.into_iter().filter(|(n, _)| *n > 0).map(|(_, text)| text).collect();
                let waits = document.inspection.is_none();
                if waits && checking {
                    if link(ui, "Stop", "Stop checking").on_hover_text("Stop looking for faults").clicked() {
                        commands.push(InspectionCommand::CancelInspect.into());
                    }
                } else if waits && link(ui, "Check", "Check the model").on_hover_text("Look for faults").clicked() {
                    commands.push(InspectionCommand::Inspect.into());
                }
                let (text, color) = match (&texts[..], waits) {
                    ([], true) if checking => ("checking…".to_owned(), c.dim),
                    ([], true) => ("not checked".to_owned(), c.dim),
                    ([], _) => ("nothing found".to_owned(), c.dim),
                    (texts, _) => {
                        let color = if errors > 0 { c.red } else { c.amber };
                        (texts.join(" · "), if errors + warnings > 0 { color } else { c.dim })
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

/// Shows the choice of severities, where there are several.
fn filter(ui: &mut Ui, findings: &mut Findings, counts: [usize; 3]) {
    if counts.iter().filter(|n| **n > 0).count() < 2 {
        findings.hidden = [false; 3];
        return;
    }
    inset(ui, |ui| {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            for severity in SEVERITIES {
                let index = severity_index(severity);
                if counts[index] > 0 && severity_chip(ui, severity, counts[index], !findings.hidden[index]).clicked() {
                    findings.hidden[index] = !findings.hidden[index];
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

/// Shows the strip at the lower edge that holds the range of motion.
fn footer(ui: &mut Ui, height: f32, content: impl FnOnce(&mut Ui)) {
    egui::Panel::bottom("range of motion").exact_size(height).frame(Frame::NONE).show(ui, |ui| {
        ui.add_space(8.0);
        inset(ui, content);
    });
}

/// Returns the joint whose turn a finding of the range of motion is about; `None` for findings of the checker and of clips.
fn turned_joint(finding: &Finding) -> Option<NodeId> {
    match finding.pose {
        FindingPose::Turned { joint, .. } if ROM_RULES.iter().any(|rule| rule.id == finding.rule) => Some(joint),
        _ => None,
    }
}

/// Returns the entries of some findings, worst first. What the range of motion found stands together for each joint, below its name, where
/// the worst of it would stand; among equals the checker's findings come first.
fn in_order(findings: &[&Finding], shown: impl Iterator<Item = usize>) -> Vec<Item> {
    let mut groups: Vec<(Option<NodeId>, Vec<usize>)> = Vec::new();
    for i in shown {
        let joint = turned_joint(findings[i]);
        match joint.and_then(|joint| groups.iter_mut().find(|(of, _)| *of == Some(joint))) {
            Some((_, group)) => group.push(i),
            None => groups.push((joint, vec![i])),
        }
    }
    let worst = |group: &[usize]| group.iter().map(|i| findings[*i].severity).max();
    groups.sort_by_key(|(_, group)| std::cmp::Reverse(worst(group)));
    let mut items = Vec::new();
    for (joint, mut group) in groups {
        group.sort_by_key(|i| std::cmp::Reverse(findings[*i].severity));
        items.extend(joint.map(|joint| Item::JointHead(joint, group.len())));
        items.extend(group.into_iter().map(Item::Finding));
    }
    items
}

impl Findings {
    /// Builds the entries anew where the list or the width has changed.
    fn build(&mut self, ui: &Ui, document: &Document, open: Option<usize>, width: f32) {
        let weak = |i: &Option<Arc<Inspection>>| i.as_ref().map(Arc::downgrade).unwrap_or_default();
        let key = Key {
            inspection: weak(&document.inspection),
            rom: document.rom.as_ref().map(Arc::downgrade).unwrap_or_default(),
            warnings: document.warnings.len(),
            model: Arc::downgrade(&document.model),
            hidden: self.hidden,
            open,
            width,
        };
        if self.built_for.as_ref().is_some_and(|k| k.is(&key)) {
            return;
        }
        let findings: Vec<&Finding> = document.findings().collect();
        let shown = (0..findings.len()).filter(|i| !self.hidden[severity_index(findings[*i].severity)]);
        self.items = in_order(&findings, shown);
        if !document.warnings.is_empty() && !self.hidden[severity_index(Severity::Warning)] {
            self.items.push(Item::ImportHead);
            self.items.extend((0..document.warnings.len()).map(Item::Warning));
        }
        self.tops.clear();
        let mut top = 0.0;
        for item in &self.items {
            self.tops.push(top);
            top += match item {
                Item::Finding(index) => {
                    let finding = findings[*index];
                    let body = if Some(*index) == open { body_height(ui, finding, width) } else { 0.0 };
                    FOLDED + TITLE_LINE * title(ui, finding, width).rows.len() as f32 + body
                }
                Item::JointHead(..) => ROW - 2.0,
                Item::ImportHead => ROW + 4.0,
                Item::Warning(i) => {
                    wrapped(ui, &shown_warning(document, *i).text, colors(ui).dim, width).size().y + 8.0
                }
            };
        }
        self.tops.push(top);
        self.built_for = Some(key);
    }
}

impl Findings {
    /// Returns how high a finding was in the last frame; 0 where none is meant.
    fn height_of(&self, finding: Option<usize>) -> f32 {
        let item = finding.and_then(|index| self.items.iter().position(|i| *i == Item::Finding(index)));
        item.map_or(0.0, |i| self.tops[i + 1] - self.tops[i])
    }

    /// Returns the top of the first finding that has just come from the range of motion, to which the list jumps.
    fn news(&mut self, ui: &Ui, document: &Document) -> Option<f32> {
        let now = document.rom.as_ref().map(Arc::downgrade).unwrap_or_default();
        if self.listed.ptr_eq(&now) {
            return self.jump.take().and_then(|item| self.tops.get(item).copied());
        }
        self.listed = now;
        let checked = document.inspection.as_ref().map_or(0, |i| i.report.findings.len());
        let news = self.items.iter().position(|i| matches!(i, Item::Finding(index) if *index >= checked));
        // The name of its joint stands above it.
        let has_head = |at: &usize| matches!(self.items.get(at.wrapping_sub(1)), Some(Item::JointHead(..)));
        self.jump = news.map(|at| if has_head(&at) { at - 1 } else { at });
        // In this frame the area still has the height of the old list, and would jump back to its end.
        ui.ctx().request_repaint();
        None
    }
}

/// Shows the entries; returns the tool for the finding whose repair was pressed.
fn list(
    ui: &mut Ui,
    session: &Session,
    (document, checking): (&Document, bool),
    findings: &mut Findings,
    commands: &mut Vec<Command>,
) -> Option<RepairTool> {
    let mut asked = None;
    findings.doubts.follow(session, document);
    let width = ui.available_width();
    findings.build(ui, document, session.view().finding, width);
    let mut area = ScrollArea::vertical().auto_shrink(false).min_scrolled_height(0.0).id_salt("findings");
    if let Some(top) = findings.news(ui, document) {
        area = area.vertical_scroll_offset(top);
    }
    if findings.shown != session.view().finding {
        findings.shown = session.view().finding;
        let item = findings.items.iter().position(|i| findings.shown.is_some_and(|index| *i == Item::Finding(index)));
        if let Some(top) = item.and_then(|i| follow(ui, findings, i)) {
            area = area.vertical_scroll_offset(top);
        }
    }
    let id = ui.scope_id().with("seen");
    let output = area.show_viewport(ui, |ui, seen| {
        let total = findings.tops.last().copied().unwrap_or_default();
        let origin = ui.max_rect().min;
        ui.set_height(total);
        // One more is shown on both sides, so that Tab finds rows that are out of sight.
        let first = findings.tops.partition_point(|top| *top <= seen.min.y).saturating_sub(2);
        let last = (findings.tops.partition_point(|top| *top < seen.max.y) + 1).min(findings.items.len());
        let all_findings: Vec<&Finding> = document.findings().collect();
        for i in first..last {
            let rect = Rect::from_min_max(
                pos2(origin.x, origin.y + findings.tops[i]),
                pos2(origin.x + width, origin.y + findings.tops[i + 1]),
            );
            match findings.items[i] {
                Item::Finding(index) => {
                    let open = session.view().finding == Some(index);
                    let doubt = findings.doubts.about(document, index, checking);
                    match row(ui, rect, (&document.model, all_findings[index]), index, (open, doubt)) {
                        Some(RowPress::Row) if open => commands.push(FindingCommand::LeaveFinding.into()),
                        Some(RowPress::Row) => commands.push(FindingCommand::ShowFinding(index).into()),
                        Some(RowPress::Menu(response)) => {
                            let about = About { finding: Some(index), ..About::default() };
                            context_menu::ask(ui, &response, about, session, commands);
                        }
                        Some(RowPress::Repair(all)) => {
                            commands.push(ToolCommand::Repair { finding: index, all }.into());
                            asked = Some(repair_of(all_findings[index]).tool);
                        }
                        None => {}
                    }
                }
                Item::JointHead(joint, count) => {
                    let name = document.model.skeleton.names.get(joint.index()).map_or("", String::as_str);
                    let head = joint_head(ui, rect, name, count);
                    context_menu::ask(ui, &head, About::node(joint), session, commands);
                }
                Item::ImportHead => messages_head(ui, rect),
                Item::Warning(index) => {
                    let DocumentWarning { text, is_repaired } = shown_warning(document, index);
                    warning(ui, rect, &text, is_repaired);
                }
            }
        }
    });
    let seen = (output.state.clamped_offset().y, output.inner_rect.height());
    ui.data_mut(|d| d.insert_temp(id, seen));
    asked
}

/// Returns the scroll offset at which an item is visible; `None` where it is visible already.
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
