//! F1 over anything says what it is. The tree for screen readers has the name and the tooltip of every control, and so the card shows what a
//! screen reader says, with what the tables add to it ([`Topic`]): the equation, its source, the keys and the page of the manual.

use egui::accesskit::{Node, Role};
use egui::{
    Area, Context, Id, Key, Label, Layout, Modifiers, Order, Pos2, Rect, RichText, Ui, UiKind, Vec2, pos2, vec2,
};
use skinscope_base::words::sentence_case;
use skinscope_session::{Command, Session, WindowCommand, refusal};

use super::theme::{self, BODY, SMALL, colors};
use super::topics::{Topic, page_about, topic_of};
use super::widgets::{icon_button, link};
use super::{UiState, icons, page};

/// The width of the card, points.
const WIDTH: f32 = 340.0;
/// How far the card stands from the pointer at most, points, twice.
const NEAR: f32 = 160.0;
/// The distance of the card from what it explains, points.
const APART: f32 = 6.0;

/// The card, and the question that it will answer.
#[derive(Debug, Default)]
pub(super) struct HelpCard {
    asked: Option<Asked>,
    shown: Option<Explanation>,
    /// The delay of tooltips, seconds, while none are shown because the card is.
    held_tooltips: Option<f32>,
}

/// F1 was pressed. The answer waits for a pass in which all controls say what they are.
#[derive(Clone, Copy, Debug)]
struct Asked {
    /// Where the pointer is.
    pointer: Option<Pos2>,
    /// The widget that has the focus.
    focus: Option<Id>,
    /// Whether the focus was moved by a key, so that it counts before the pointer.
    focus_first: bool,
    /// Whether something covered the panels, such as a menu: the list of keys does not open then.
    covered: bool,
    /// Whether controls say what they are for this question alone, since no screen reader listens.
    alone: bool,
}

/// What is known about a control.
#[derive(Debug)]
struct Explanation {
    name: String,
    text: String,
    topic: Option<&'static Topic>,
    /// The rectangle of the control, points.
    rect: Rect,
    /// The rectangle of the formula of which it is a letter, points; `None`: it is something else.
    formula: Option<Rect>,
    /// Whether this is the first pass that shows it.
    is_new: bool,
}

/// Takes F1, and Escape where the card is open, before anything else has them.
pub(super) fn begin(ui: &Ui, state: &mut UiState) {
    let ctx = ui.ctx();
    let take = |key| ctx.input_mut(|i| i.consume_key(Modifiers::NONE, key));
    if (state.help.shown.is_some() || state.help.asked.is_some()) && take(Key::Escape) {
        (state.help.asked, state.help.shown) = (None, None);
    }
    if !take(Key::F1) {
        return;
    }
    state.help.shown = None;
    let alone = !ctx.has_accesskit_node(egui::accesskit_root_id());
    if alone {
        ctx.enable_accesskit();
        ctx.request_repaint();
    }
    let covered = state.dialog.is_some() || state.finder.open || egui::Popup::is_any_open(ctx);
    let focus = ctx.memory(|m| m.focused());
    let pointer = ctx.input(|i| i.pointer.latest_pos());
    let focus_first = state.focus.by_key && focus.is_some();
    state.help.asked = Some(Asked { pointer, focus, focus_first, covered, alone });
}

/// Answers the question, once all controls of a pass are there, and shows the card.
pub(super) fn show(ui: &Ui, session: &Session, state: &mut UiState, commands: &mut Vec<Command>) {
    let ctx = ui.ctx();
    let can_answer = ctx.has_accesskit_node(egui::accesskit_root_id());
    if let Some(asked) = state.help.asked.take_if(|_| can_answer) {
        state.help.shown = find(ctx, asked);
        if asked.alone {
            ctx.disable_accesskit();
        }
        if state.help.shown.is_none() && !asked.covered {
            commands.push(WindowCommand::ShowShortcuts.into());
        }
    }
    if let Some(delay) = state.help.held_tooltips.take_if(|_| state.help.shown.is_none()) {
        ctx.global_style_mut(|style| style.interaction.tooltip_delay = delay);
    }
    let Some(shown) = &mut state.help.shown else { return };
    // The tooltip of what is explained says the same, and would cover the card.
    if state.help.held_tooltips.is_none() {
        let mut before = 0.0;
        ctx.global_style_mut(|style| before = std::mem::replace(&mut style.interaction.tooltip_delay, f32::INFINITY));
        state.help.held_tooltips = Some(before);
        ctx.request_repaint();
    }
    let frame = egui::Frame::window(ui.style());
    let at = place(shown, WIDTH + frame.total_margin().sum().x, ctx.content_rect());
    let area =
        Area::new(Id::unique("help card")).kind(UiKind::Window).order(Order::Tooltip).fixed_pos(at).constrain(true);
    let response = area.show(ctx, |ui| frame.show(ui, |ui| card(ui, session, shown)).inner);
    let pressed_elsewhere = ctx.input(|i| i.pointer.any_pressed())
        && ctx.input(|i| i.pointer.interact_pos()).is_some_and(|at| !response.response.rect.contains(at));
    let leaves = pressed_elsewhere && !shown.is_new;
    shown.is_new = false;
    match response.inner {
        Some(Answer::Read(id)) => {
            commands.push(WindowCommand::ShowManual(id.to_owned()).into());
            egui::Popup::close_all(ctx);
            state.finder.open = false;
            state.help.shown = None;
        }
        Some(Answer::Close) => state.help.shown = None,
        None if leaves => state.help.shown = None,
        None => {}
    }
}

/// Returns where the card stands, which is `width` points wide: beside what it explains where there is room, else below it. That of a letter
/// is beside the whole formula, whose lines it leaves uncovered, on whichever side there is room.
fn place(shown: &Explanation, width: f32, screen: Rect) -> Pos2 {
    let around = shown.formula.unwrap_or(shown.rect);
    let right = around.right() + APART;
    // A formula is as wide as its page, but for the margins of that.
    let left = around.left() - f32::from(theme::MARGIN) - APART - width;
    if right + width <= screen.right() {
        pos2(right, shown.rect.top())
    } else if shown.formula.is_some() && left >= screen.left() {
        pos2(left, shown.rect.top())
    } else {
        pos2((shown.rect.right() - WIDTH).max(screen.left()), around.bottom() + APART)
    }
}

/// Finds what F1 was pressed over.
fn find(ctx: &Context, asked: Asked) -> Option<Explanation> {
    let of_focus = || asked.focus.and_then(|id| explained(ctx, id));
    let of_pointer = || {
        let at = asked.pointer?;
        let found = under(ctx, at).into_iter().find_map(|id| explained(ctx, id))?;
        // The card stands near the pointer, however large the control is.
        let near = found.rect.intersect(Rect::from_center_size(at, Vec2::splat(NEAR)));
        Some(Explanation { rect: near, ..found })
    };
    if asked.focus_first { of_focus().or_else(of_pointer) } else { of_pointer().or_else(of_focus) }
}

/// Returns the widgets at a point, the smallest first.
fn under(ctx: &Context, at: Pos2) -> Vec<Id> {
    let Some(layer) = ctx.layer_id_at(at) else { return Vec::new() };
    let mut found: Vec<(f32, Id)> = ctx.viewport(|viewport| {
        let widgets = viewport.this_pass.widgets.get_layer(layer);
        let at_point = widgets.filter(|widget| widget.visible && widget.interact_rect.contains(at));
        at_point.map(|widget| (widget.interact_rect.area(), widget.id)).collect()
    });
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.into_iter().map(|(_, id)| id).collect()
}

/// Returns what a widget says of itself, and what the tables know about that; `None` where neither says anything.
fn explained(ctx: &Context, id: Id) -> Option<Explanation> {
    if !ctx.has_accesskit_node(id) {
        return None;
    }
    let rect = ctx.viewport(|viewport| viewport.this_pass.widgets.get(id).map(|widget| widget.interact_rect))?;
    let said = |node: &mut Node| {
        let name = node.label().or_else(|| node.value()).unwrap_or_default().to_owned();
        (name, node.description().unwrap_or_default().to_owned())
    };
    let (name, said) = ctx.accesskit_node_builder(id, said)?;
    if said == page::ABOUT_LETTER {
        let (name, text) = parts_of_letter(&name, &said);
        return Some(Explanation { name, text, topic: None, rect, formula: formula_around(ctx, rect), is_new: true });
    }
    let topic = topic_of(&name, &said);
    if said.is_empty() && topic.is_none() {
        return None;
    }
    let mut text = if said.is_empty() { topic.map(|topic| topic.text.to_owned()).unwrap_or_default() } else { said };
    if let Some(keys) = topic.and_then(Topic::keys) {
        // They have a line of their own.
        text = text.replace(&format!("  ({keys})"), "");
    }
    let name = without_value(&name).to_owned();
    Some(Explanation { name, text, topic, rect, formula: None, is_new: true })
}

/// Returns title and text about a letter of a formula: the letter alone, and the rest of the sentence that says what it is.
fn parts_of_letter(sentence: &str, about: &str) -> (String, String) {
    match sentence.split_once(" is ") {
        Some((letter, meaning)) => (letter.to_owned(), format!("{}\n{about}", sentence_case(meaning))),
        None => (sentence.to_owned(), about.to_owned()),
    }
}

/// Returns the rectangle of the formula that the letter in `rect` belongs to.
fn formula_around(ctx: &Context, rect: Rect) -> Option<Rect> {
    let is_formula = |id: &Id| {
        ctx.has_accesskit_node(*id) && ctx.accesskit_node_builder(*id, |node| node.role()) == Some(Role::Label)
    };
    let formula = under(ctx, rect.center()).into_iter().find(is_formula)?;
    ctx.viewport(|viewport| viewport.this_pass.widgets.get(formula).map(|widget| widget.interact_rect))
}

/// Returns a name without the value that it may end with, which changes while the card is read.
fn without_value(name: &str) -> &str {
    let value = name.rsplit_once(": ").filter(|(_, value)| value.starts_with(|c: char| c.is_ascii_digit()));
    value.map_or(name, |(name, _)| name)
}

/// What was pressed in the card.
enum Answer {
    Close,
    /// The page of the manual of this id.
    Read(&'static str),
}

fn card(ui: &mut Ui, session: &Session, shown: &Explanation) -> Option<Answer> {
    ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 48.0));
    let c = colors(ui);
    let topic = shown.topic;
    let mut answer = None;
    ui.horizontal_top(|ui| {
        ui.with_layout(Layout::right_to_left(egui::Align::TOP), |ui| {
            if icon_button(ui, icons::CLOSE, "Close the explanation", 20.0, false).clicked() {
                answer = Some(Answer::Close);
            }
            ui.with_layout(Layout::top_down(egui::Align::LEFT), |ui| {
                let name = if shown.name.is_empty() { topic.map_or("", |topic| topic.name) } else { &shown.name };
                ui.add(Label::new(RichText::new(name).font(theme::strong(15.0)).color(c.text)).wrap());
                if let Some(topic) = topic {
                    ui.label(RichText::new(sentence_case(topic.kind)).font(theme::regular(SMALL)).color(c.dim));
                }
            });
        });
    });
    let wrapped = |ui: &mut Ui, text: &str, color| {
        ui.add(Label::new(RichText::new(text).font(theme::regular(BODY)).color(color)).wrap());
    };
    wrapped(ui, &shown.text, c.text);
    if let Some(topic) = topic {
        if !topic.equation.is_empty() {
            page::show_equation(ui, topic.equation);
        }
        if !topic.terms.is_empty() {
            wrapped(ui, topic.terms, c.dim);
        }
        let refused = topic.row.and_then(|row| refusal(&row.command, session));
        let lines = [
            ("Source", (!topic.source.is_empty()).then(|| topic.source.clone())),
            (if topic.keys().is_some_and(|keys| keys.contains('+')) { "Keys" } else { "Key" }, topic.keys()),
            ("Not now", refused.map(|why| why.to_string()).filter(|why| !shown.text.contains(why.as_str()))),
        ];
        for (what, text) in lines.into_iter().filter_map(|(what, text)| Some((what, text?))) {
            wrapped(ui, &format!("{what}: {text}"), c.dim);
        }
    }
    // The pages of the manual do not know letters of formulas.
    let has_page = shown.formula.is_none();
    let about = || page_about(&shown.name).filter(|_| has_page).map(|page| (page.id, page.title.as_str()));
    if let Some((id, title)) = topic.and_then(Topic::page).or_else(about) {
        ui.allocate_space(vec2(0.0, 2.0));
        let name = format!("Read in the manual: {title}");
        if link(ui, &name, &name).clicked() {
            answer = Some(Answer::Read(id));
        }
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_of_the_card_has_no_value() {
        assert_eq!(without_value("Palette: 0.00 · 0.00 ms"), "Palette");
        assert_eq!(without_value("Deformation method: Linear blend"), "Deformation method: Linear blend");
        assert_eq!(without_value("Reach"), "Reach");
    }

    #[test]
    fn the_title_about_a_letter_is_the_letter() {
        let parts = parts_of_letter("p₀ is the place that is marked. Now 2.", "A letter");
        assert_eq!(parts, ("p₀".to_owned(), "The place that is marked. Now 2.\nA letter".to_owned()));
    }
}
