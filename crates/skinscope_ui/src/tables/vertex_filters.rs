//! What the bar of the table of vertices chooses rows by; what has no room there is in a list that opens.

use egui::{Popup, PopupCloseBehavior, RichText, ScrollArea, Ui};
use skinscope_inspect::tables::{CountFilter, SumFilter};
use skinscope_model::{Model, SkinId};

use super::{TableContext, choose_skin, name_of_choice, skin_rows};
use crate::theme::{self, SMALL, colors};
use crate::tools::settings::FOLLOW;
use crate::widgets::{chip, chip_width, drop_down, segments};

/// A control by which rows are chosen, or the way in which they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filter {
    Mode,
    Skin,
    OfJoint,
    Marked,
    Follow,
    Sums,
    Counts,
}

/// The texts of switches in the bar.
const OF_JOINT: &str = "Selected joint";
const MARKED: &str = "Marked";
const KEEP_SUM: &str = "Keep sum";
/// The text of the switch that opens the list of what the bar has no room for.
const MORE: &str = "More";

const SUMS: [(SumFilter, &str); 4] = [
    (SumFilter::Any, "Any sum"),
    (SumFilter::NotOne, "Sum ≠ 1"),
    (SumFilter::Below, "Sum < 1"),
    (SumFilter::Above, "Sum > 1"),
];

const COUNTS: [(CountFilter, &str); 7] = [
    (CountFilter::Any, "Any count"),
    (CountFilter::Exactly(0), "No influence"),
    (CountFilter::Exactly(1), "1 influence"),
    (CountFilter::Exactly(2), "2 influences"),
    (CountFilter::Exactly(3), "3 influences"),
    (CountFilter::Exactly(4), "4 influences"),
    (CountFilter::AtLeast(5), "More than 4"),
];

/// Which rows the table of vertices shows, and in what way.
#[derive(Debug, Default)]
pub(super) struct Filters {
    pub skin: Option<SkinId>,
    /// Whether only vertices that the selected joint moves are shown.
    pub of_joint: bool,
    /// Whether only marked vertices are shown.
    pub marked: bool,
    pub sums: SumFilter,
    pub counts: CountFilter,
    /// Whether there is a column for each joint, instead of the pairs.
    pub matrix: bool,
    /// Whether the other weights of a vertex remain where one is typed.
    pub stays: bool,
}

impl Filters {
    /// Returns the controls that have room in the bar, the others, and how wide the bar's are, points.
    pub fn divided(&self, ui: &Ui, given: TableContext<'_>, room: f32) -> (Vec<Filter>, Vec<Filter>, f32) {
        const GAP: f32 = 8.0;
        let all =
            [Filter::Mode, Filter::Skin, Filter::OfJoint, Filter::Marked, Filter::Follow, Filter::Sums, Filter::Counts];
        let mut in_row: Vec<Filter> = all.to_vec();
        in_row.retain(|filter| *filter != Filter::Skin || given.model.skins.len() > 1);
        let width = |of: &[Filter]| of.iter().map(|filter| self.width(ui, given.model, *filter) + GAP).sum::<f32>();
        let mut in_menu = Vec::new();
        let mut wanted = width(&in_row);
        while wanted > room
            && let Some(last) = in_row.pop()
        {
            in_menu.insert(0, last);
            wanted = width(&in_row) + chip_width(ui, MORE);
        }
        (in_row, in_menu, wanted)
    }

    /// Returns about how wide a control is in the bar, points.
    fn width(&self, ui: &Ui, model: &Model, filter: Filter) -> f32 {
        match filter {
            Filter::Mode => 130.0,
            Filter::Skin => (chip_width(ui, &name_of_choice(model, self.skin)) + 30.0).max(140.0),
            Filter::OfJoint => chip_width(ui, OF_JOINT),
            Filter::Marked => chip_width(ui, MARKED),
            Filter::Follow => chip_width(ui, KEEP_SUM),
            Filter::Sums => 100.0,
            Filter::Counts => 120.0,
        }
    }

    /// Returns whether a control leaves rows out.
    fn is_on(&self, filter: Filter) -> bool {
        match filter {
            Filter::Mode | Filter::Follow => false,
            Filter::Skin => self.skin.is_some(),
            Filter::OfJoint => self.of_joint,
            Filter::Marked => self.marked,
            Filter::Sums => self.sums != SumFilter::Any,
            Filter::Counts => self.counts != CountFilter::Any,
        }
    }

    /// Shows what the bar has no room for as a list that opens; its switch is on where something in it leaves rows out.
    pub fn more(&mut self, ui: &mut Ui, given: TableContext<'_>, filters: &[Filter]) {
        if filters.is_empty() {
            return;
        }
        let is_on = filters.iter().any(|filter| self.is_on(*filter));
        let help = "What else rows are chosen by; it is lit while some of that leaves rows out";
        let shown = chip(ui, MORE, is_on).on_hover_text(help);
        Popup::menu(&shown).close_behavior(PopupCloseBehavior::CloseOnClickOutside).show(|ui| {
            for of in filters {
                self.show(ui, given, *of, true);
            }
        });
    }

    /// Shows one control. `in_menu`: in a list that opens, where no other list can open.
    pub fn show(&mut self, ui: &mut Ui, given: TableContext<'_>, filter: Filter, in_menu: bool) {
        let TableContext { session, model, .. } = given;
        match filter {
            Filter::Mode => {
                let modes = [
                    ("Pairs", !self.matrix, "The influences of a vertex, the heaviest first".to_owned()),
                    ("All joints", self.matrix, "A column for each joint".to_owned()),
                ];
                if let Some(chosen) = segments(ui, &modes) {
                    self.matrix = chosen == 1;
                }
            }
            Filter::Skin if in_menu => {
                head(ui, "Skin");
                let list = ScrollArea::vertical().max_height(160.0).id_salt("skins");
                list.show(ui, |ui| skin_rows(ui, model, &mut self.skin));
            }
            Filter::Skin => choose_skin(ui, model, &mut self.skin),
            Filter::OfJoint => {
                let selected = session.view().selected.map(|n| model.skeleton.names[n.index()].as_str());
                let of_joint = ui.add_enabled_ui(selected.is_some(), |ui| chip(ui, OF_JOINT, self.of_joint)).inner;
                let tip = format!("Only the vertices that {} moves", selected.unwrap_or_default());
                let why = "Select a joint to see only what it moves";
                if of_joint.on_hover_text(tip).on_disabled_hover_text(why).clicked() {
                    self.of_joint = !self.of_joint;
                }
            }
            Filter::Marked => {
                let any = !session.view().marked.is_empty();
                let marked = ui.add_enabled_ui(any || self.marked, |ui| chip(ui, MARKED, self.marked)).inner;
                let why = "Mark vertices by Ctrl and a click on their rows, or by a click on a finding";
                if marked.on_hover_text("Only the vertices that are marked").on_disabled_hover_text(why).clicked() {
                    self.marked = !self.marked;
                }
            }
            Filter::Follow => {
                if chip(ui, KEEP_SUM, !self.stays).on_hover_text(FOLLOW).clicked() {
                    self.stays = !self.stays;
                }
            }
            Filter::Sums => pick(ui, ("Sums", 76.0), &SUMS, &mut self.sums, in_menu),
            Filter::Counts => pick(ui, ("Influences", 96.0), &COUNTS, &mut self.counts, in_menu),
        }
    }
}

/// Shows the name of a choice above its rows in a list that is open.
fn head(ui: &mut Ui, name: &str) {
    ui.label(RichText::new(name).font(theme::strong(SMALL)).color(colors(ui).dim));
}

/// Shows a choice by name, as a list that opens and is so wide (points), or in a list that is open.
fn pick<T: Copy + PartialEq>(
    ui: &mut Ui,
    (name, width): (&str, f32),
    choices: &[(T, &str)],
    now: &mut T,
    in_menu: bool,
) {
    let help = "Show only the vertices to which this applies";
    let shown = choices.iter().find(|c| c.0 == *now).map_or("", |c| c.1);
    let mut rows = |ui: &mut Ui| {
        for (value, text) in choices {
            let row = ui.selectable_label(value == now, *text);
            let row = if in_menu { row.on_hover_text(help) } else { row };
            if row.clicked() {
                *now = *value;
            }
        }
    };
    if in_menu {
        head(ui, name);
        rows(ui);
    } else {
        drop_down(ui, name, shown, width, help, rows);
    }
}
