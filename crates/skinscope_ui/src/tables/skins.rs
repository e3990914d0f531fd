//! A summary of each skin, and the distribution of its influences.

use egui::{Frame, Margin, Rect, ScrollArea, Ui, UiBuilder, vec2};
use skinscope_inspect::tables::{SkinSummary, Tsv, share_percent};
use skinscope_model::Model;
use skinscope_session::Command;

use super::{StatusText, Tab, TableContext, bar, number_column, skin_name, text_column};
use crate::context_menu::{self, About};
use crate::copied::copy_rows;
use crate::summary::bytes;
use crate::table::{Column, RowStyle, Rows, Table, TableState, cell_text};
use crate::theme::{MARGIN, colors};
use crate::widgets::{BY_INFLUENCES, counted, figure, grouped, histogram, section};

/// State of the table for the open model.
#[derive(Debug, Default)]
pub(super) struct SkinTableState {
    /// The row whose figures are shown next to the table.
    chosen: usize,
    table_state: TableState,
}

const TITLES: [(&str, f32, &str); 12] = [
    ("Skin", 120.0, "The name of the skin, with its number"),
    ("Joints", 60.0, "How many joints it has"),
    ("Root", 120.0, "skin.skeleton of the file"),
    ("Skeleton", 76.0, "How many other skins have joints in common with it"),
    ("Primitives", 78.0, "That it moves"),
    ("Vertices", 72.0, "Stored vertices of these"),
    ("Mean", 56.0, "Influences of a vertex on average"),
    ("Most", 56.0, "The most influences of a vertex"),
    ("Over 4", 62.0, "Vertices with more than four influences"),
    ("Sum ≠ 1", 66.0, "Vertices whose weights do not sum to one"),
    ("Stored", 76.0, "Pairs of joint and weight in the file, those without weight included"),
    ("Bytes", 78.0, "Joint numbers, weights as stored, and 64 bytes for each inverse bind matrix"),
];
const DETAILS: f32 = 320.0;

/// Shows the table; returns true while it has the keyboard.
pub(super) fn show(
    ui: &mut Ui,
    given: TableContext<'_>,
    tab: &mut Tab,
    skins: &mut SkinTableState,
    commands: &mut Vec<Command>,
) {
    let list = &given.base.skins;
    let status = StatusText { rows: counted(list.len(), "skin", "skins"), no_copy: None };
    let copy = bar(ui, tab, 0.0, |_| {}, Some(&status));
    skins.chosen = skins.chosen.min(list.len() - 1);
    let whole = ui.available_rect_before_wrap();
    let split = if whole.width() > 2.0 * DETAILS { whole.right() - DETAILS } else { whole.right() };
    let mut left = ui.new_child(UiBuilder::new().max_rect(whole.with_max_x(split)));
    let answer = table(&mut left, given, skins);
    if let Some((row, _)) = answer.chosen {
        skins.chosen = row;
    }
    if let Some((row, response)) = &answer.menu {
        skins.chosen = *row;
        let about = About { skin: list.get(*row).map(|summary| summary.skin), ..About::default() };
        context_menu::ask(ui, response, about, given.session, commands);
    }
    if split < whole.right() {
        let side = Rect::from_min_max(egui::pos2(split, whole.top()), whole.max);
        let mut right = ui.new_child(UiBuilder::new().max_rect(side));
        details(&mut right, given.model, &list[skins.chosen]);
    }
    ui.take_available_space();
    if copy || answer.copy {
        copy_rows(ui, tsv(given.model, list), "skin", "skins");
    }
}

fn table(ui: &mut Ui, given: TableContext<'_>, skins: &mut SkinTableState) -> crate::table::TableResponse {
    let TableContext { model, base, .. } = given;
    let columns = TITLES.map(|(title, width, help)| {
        let of = if matches!(title, "Skin" | "Root") { text_column } else { number_column };
        Column { sorts: false, grows: title == "Skin", ..of(title, width, help) }
    });
    let list = &base.skins;
    let chosen = skins.chosen;
    let rows = Rows {
        count: list.len(),
        height: 24.0,
        label: &|row| {
            let cells = TITLES.iter().enumerate().map(|(i, t)| format!("{} {}", t.0, text(model, &list[row], i)));
            cells.collect::<Vec<_>>().join(", ")
        },
        look: &|row| RowStyle { selected: row == chosen, leads: row == chosen, hovered: false },
        cell: &|ui, rect, row, column| {
            let (c, skin) = (colors(ui), &list[row]);
            let ink = match column {
                8 if skin.over_limit > 0 => c.amber,
                9 if skin.uneven > 0 => c.amber,
                2 | 3 => c.dim,
                _ => c.text,
            };
            cell_text(ui, rect, &text(model, skin, column), columns[column].right, ink);
        },
        tip: &|row, column| matches!(column, 0 | 2).then(|| text(model, &list[row], column)).filter(|t| !t.is_empty()),
        edit: None,
        note: None,
    };
    Table { name: "Skin table", columns: &columns, frozen: 1, sorted: None }.show(ui, &rows, &mut skins.table_state)
}

/// Returns the text of a cell, by the column's index in [`TITLES`].
fn text(model: &Model, skin: &SkinSummary, column: usize) -> String {
    match column {
        0 => skin_name(model, skin.skin),
        1 => grouped(skin.joints),
        2 => skin.root.map_or_else(String::new, |n| model.skeleton.names[n.index()].clone()),
        3 if skin.shared_with == 0 => "its own".to_owned(),
        3 => format!("of {} skins", grouped(skin.shared_with + 1)),
        4 => grouped(skin.primitives),
        5 => grouped(skin.vertices),
        6 => format!("{:.2}", skin.mean()),
        7 => grouped(skin.most),
        8 => grouped(skin.over_limit),
        9 => grouped(skin.uneven),
        10 => grouped(skin.stored),
        _ => grouped(skin.bytes),
    }
}

fn details(ui: &mut Ui, model: &Model, skin: &SkinSummary) {
    ui.painter().vline(ui.max_rect().left(), ui.max_rect().y_range(), (1.0, colors(ui).line));
    ScrollArea::vertical().auto_shrink(false).id_salt("skin details").show(ui, |ui| {
        Frame::NONE.inner_margin(Margin { left: MARGIN + 4, right: MARGIN, top: 0, bottom: 8 }).show(ui, |ui| {
            ui.set_width(ui.available_width());
            // The distribution with its caption has room in the lowest tables.
            ui.spacing_mut().item_spacing.y = 0.0;
            section(ui, &skin_name(model, skin.skin), |_| {});
            histogram(ui, "Vertices of this skin by influences", &BY_INFLUENCES, &skin.by_influences);
            section(ui, "Data needed", |_| {});
            ui.spacing_mut().item_spacing = vec2(8.0, 0.0);
            figure(ui, "Joints", &grouped(skin.joints));
            figure(ui, "Vertices", &grouped(skin.vertices));
            figure(ui, "Influences used", &grouped(skin.used));
            figure(ui, "Influences stored", &grouped(skin.stored));
            figure(ui, "Skinning data", &bytes(skin.bytes));
        });
    });
}

fn tsv(model: &Model, skins: &[SkinSummary]) -> String {
    let mut out = Tsv::new([
        "skin",
        "name",
        "joints",
        "root",
        "skeleton shared with",
        "primitives",
        "vertices",
        "mean",
        "most",
        "0",
        "1",
        "2",
        "3",
        "4",
        "5+",
        "0 %",
        "1 %",
        "2 %",
        "3 %",
        "4 %",
        "5+ %",
        "over 4",
        "sum not 1",
        "used",
        "stored",
        "bytes",
    ]);
    for skin in skins {
        out.number(skin.skin.0).cell(&model.skins[skin.skin.index()].name).number(skin.joints);
        out.cell(skin.root.map_or("", |n| &model.skeleton.names[n.index()])).number(skin.shared_with);
        out.number(skin.primitives).number(skin.vertices).number(skin.mean()).number(skin.most);
        skin.by_influences.iter().for_each(|n| _ = out.number(n));
        share_percent(&skin.by_influences).iter().for_each(|p| _ = out.number(p));
        out.number(skin.over_limit).number(skin.uneven).number(skin.used).number(skin.stored).number(skin.bytes);
        out.end_row();
    }
    out.into_text()
}
