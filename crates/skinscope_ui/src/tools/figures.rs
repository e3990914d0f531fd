//! What the chosen tool would do, in figures before and after.

use egui::accesskit::Role;
use egui::{Label, RichText, Sense, Ui, WidgetInfo, vec2};
use skinscope_edit::{Operation, Outcome, explain_unchanged};
use skinscope_inspect::rule_words;
use skinscope_session::{Command, Session, ToolCommand};

use super::examples;
use crate::BackgroundStatus;
use crate::theme::{self, BODY, colors};
use crate::widgets::{counted, elided, figure, grouped, paint_line, section, shortened};

/// The height of the line above the button, points.
pub(super) const LINE: f32 = 20.0;

/// Shows the figures; `work`: what goes on in the background.
pub(super) fn show(ui: &mut Ui, session: &Session, work: Option<&BackgroundStatus>) {
    section(ui, "Before and after", |_| {});
    if session.tools().rests() {
        // How much was changed stands above the button.
        let text = match session.edited_weights().just_changed() {
            Some(_) => "Other settings or vertices are tried as they are chosen.",
            None => "It was applied, and the weights are others since. Apply does the same with them.",
        };
        ui.add(Label::new(RichText::new(text).color(colors(ui).dim)).wrap());
        return;
    }
    if is_searching(session) {
        let text = progress(session, work);
        ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).amber)).wrap());
    }
    let Some(outcome) = session.tools().outcome() else {
        if !is_searching(session) {
            ui.label(RichText::new("Working it out…").color(colors(ui).dim));
        }
        return;
    };
    if let Some(refusal) = &outcome.refused {
        let text = RichText::new(format!("This cannot be done: {refusal}.")).font(theme::regular(12.0));
        ui.add(Label::new(text.color(colors(ui).amber)).wrap());
        return;
    }
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let is_of_weights = session.tools().operation.is_none_or(|operation| operation.is_of_weights());
        if !is_of_weights || !outcome.binds.is_empty() {
            let all: usize = session.model().map_or(0, |model| model.skins.iter().map(|skin| skin.joints.len()).sum());
            let changed = format!("{} of {}", grouped(outcome.binds.len()), grouped(all));
            figure(ui, "Bind matrices changed", &changed);
        }
        if outcome.gained.is_some() {
            figure(ui, "Vertices bound", &grouped(outcome.vertices));
        } else if is_of_weights {
            weights(ui, outcome);
        }
        for (rule, [before, after]) in outcome.found.iter().filter(|(_, found)| *found != [0, 0]) {
            let label = rule_words(rule).map_or(*rule, |(label, _)| label);
            two(ui, label, *before, *after);
        }
    });
    if let Some(transferred) = &outcome.transferred {
        section(ui, "To the other surface", |_| {});
        ui.scope(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            figure(ui, "Mean distance", &format!("{:.3} mm", 1e3 * transferred.mean));
            figure(ui, "Largest distance", &format!("{:.3} mm", 1e3 * transferred.largest));
        });
        if transferred.inpainted > 0 {
            ui.scope(|ui| figure(ui, "From those around", &grouped(transferred.inpainted)));
        }
        if !transferred.missing.is_empty() {
            let joints = counted(transferred.missing.len(), "joint has", "joints have");
            let text = format!("{joints} no counterpart here: {}.", shortened_list(&transferred.missing));
            ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).amber)).wrap());
        }
        if transferred.unmatched > 0 {
            let vertices = counted(transferred.unmatched, "vertex stays", "vertices stay");
            let text = format!("{vertices} as they are: no joint has a name of those that move the other file there.");
            ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).amber)).wrap());
        }
    }
    if let Some(found) = &outcome.solved {
        examples::report(ui, found);
    }
    if let Some(mirrored) = outcome.mirrored.as_ref().filter(|mirrored| mirrored.unpaired > 0) {
        let vertices = counted(mirrored.unpaired, "vertex stays", "vertices stay");
        let text = format!("{vertices} as they are: a joint of one side has no partner on the other.");
        ui.add_space(4.0);
        ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).amber)).wrap());
    }
    let explain = |operation| explain_unchanged(operation, outcome.unchanged, outcome.stuck, &outcome.partly);
    let notes = session.tools().operation.map(explain);
    for line in notes.into_iter().flatten() {
        let text = format!("{line}.");
        ui.add_space(4.0);
        ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).amber)).wrap());
    }
}

/// Returns whether weights are still to be found by what is set now; that takes long, and what was found before is shown until then.
fn is_searching(session: &Session) -> bool {
    session.tools().operation.is_some_and(Operation::takes_long) && session.edited_weights().awaits_outcome()
}

/// Says how far the search for weights is, and that what is shown is older.
fn progress(session: &Session, work: Option<&BackgroundStatus>) -> String {
    let work = work.filter(|work| work.cancel == Some(Command::from(ToolCommand::Cancel)));
    let mut text = match work {
        _ if session.waits_to_find() => "It is worked out once the drag ends.".to_owned(),
        Some(BackgroundStatus { what, fraction: Some(done), .. }) => format!("{what} · {:.0} %.", 100.0 * *done),
        _ => "Working it out…".to_owned(),
    };
    if session.tools().outcome().is_some() {
        text += " What is shown was found before.";
    }
    text
}

/// Shows on one line, which stays in sight above the button, what the chosen tool would change or has just changed.
pub(super) fn line(ui: &mut Ui, session: &Session) {
    let c = colors(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), LINE), Sense::hover());
    let texts = line_texts(session);
    let lay_out = |text: &String| ui.painter().layout_no_wrap(text.clone(), theme::regular(12.0), c.text);
    // What says most of those that have room.
    let fitting = texts.iter().find(|text| lay_out(text).size().x <= rect.width());
    let Some(whole) = texts.first() else { return };
    let (galley, _) = elided(ui, fitting.unwrap_or(whole), theme::regular(12.0), c.text, rect.width());
    paint_line(ui, galley, rect.left(), rect.center().y, c.text);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, whole));
    if fitting != Some(whole) {
        response.on_hover_text(whole.as_str());
    }
}

/// Returns what the line above the button says, the longest first.
fn line_texts(session: &Session) -> Vec<String> {
    let amount = |vertices: usize, binds: usize| match (vertices, binds) {
        (0, binds) if binds > 0 => counted(binds, "bind matrix", "bind matrices"),
        (vertices, _) => counted(vertices, "vertex", "vertices"),
    };
    if session.tools().rests() {
        return match session.edited_weights().just_changed() {
            Some(changed) => {
                let done = format!("{} changed", amount(changed.vertices, changed.binds));
                vec![format!("{done}. Ctrl+Z takes it back."), format!("{done}.")]
            }
            None => vec!["Applied before the last edit.".to_owned()],
        };
    }
    let Some(outcome) = session.tools().outcome().filter(|_| !is_searching(session)) else {
        return vec!["Being worked out.".to_owned()];
    };
    if outcome.refused.is_some() {
        return vec!["Nothing can be changed, for the reason above.".to_owned()];
    }
    if outcome.is_empty() {
        let tools = session.tools();
        if tools.operation.is_some_and(|operation| operation.takes_examples()) && tools.settings.examples.is_empty() {
            return vec!["There is no example yet.".to_owned()];
        }
        return vec!["Nothing would change.".to_owned()];
    }
    let changed = amount(outcome.vertices, outcome.binds.len());
    let mut line = changed.clone();
    let mut texts = vec![changed.clone()];
    if outcome.largest > 0.0 {
        line += &format!(" · largest {:.3}", outcome.largest);
        texts.push(line.clone());
    }
    if let Some((rule, [before, after])) = outcome.found.iter().find(|(_, [before, after])| before != after) {
        let label = rule_words(rule).map_or(*rule, |(label, _)| label);
        let found = format!("{label} {} → {}", grouped(*before), grouped(*after));
        texts.push(format!("{changed} · {found}"));
        texts.push(format!("{line} · {found}"));
    }
    texts.reverse();
    texts
}

/// Returns the first few of some names as text.
fn shortened_list(names: &[String]) -> String {
    const MOST: usize = 8;
    let mut out = names.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > MOST {
        out += &format!(" and {} more", names.len() - MOST);
    }
    out
}

fn weights(ui: &mut Ui, outcome: &Outcome) {
    figure(ui, "Vertices changed", &grouped(outcome.vertices));
    // A change that is there does not read as none.
    let is_tiny = outcome.largest > 0.0 && outcome.largest < 0.000_05;
    let largest = if is_tiny { "below 0.0001".to_owned() } else { format!("{:.4}", outcome.largest) };
    figure(ui, "Largest change", &largest);
    let [before, after] = outcome.figures;
    two(ui, "Joints of all vertices", before.influences, after.influences);
    two(ui, "Most of one vertex", before.most, after.most);
    two(ui, "Sum is not one", before.off, after.off);
    two(ui, "Without weight", before.none, after.none);
}

/// Shows a figure before and after, the second in the accent colour where it differs.
fn two(ui: &mut Ui, label: &str, before: usize, after: usize) {
    let c = colors(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 22.0), Sense::hover());
    response.widget_info(|| {
        WidgetInfo::labeled(Role::Label, true, format!("{label}: {}, then {}", grouped(before), grouped(after)))
    });
    let ink = if before == after { c.text } else { c.accent };
    let after = ui.painter().layout_no_wrap(grouped(after), theme::regular(BODY), ink);
    let before = ui.painter().layout_no_wrap(format!("{} → ", grouped(before)), theme::regular(BODY), c.dim);
    let y = rect.center().y;
    let x = rect.right() - after.size().x;
    let left = x - before.size().x;
    paint_line(ui, after, x, y, ink);
    paint_line(ui, before, left, y, c.dim);
    let (name, cut) = shortened(ui, label, theme::regular(BODY), c.dim, left - rect.left() - 8.0);
    paint_line(ui, name, rect.left(), y, c.dim);
    if cut {
        response.on_hover_text(label);
    }
}
