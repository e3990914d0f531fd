//! The vertex spreadsheet as text for the clipboard.

use std::sync::atomic::{AtomicBool, Ordering};

use skinscope_anim::pose::Keys;
use skinscope_inspect::tables::{Pair, Row, Tsv, VertexTable};
use skinscope_inspect::{PerVertex, VertexSet};
use skinscope_model::{Model, NodeId, WeightFormat};

use super::TableContext;
use super::vertex_columns::{ColumnKind, RowIndices};

/// The bytes that a cell takes on average.
pub(super) const CELL_BYTES: usize = 6;
/// The most bytes that are copied: clipboards and spreadsheets have trouble with more.
pub(super) const MOST_BYTES: usize = 256 << 20;

/// Returns how many cells the whole table has.
pub(super) fn cells(given: TableContext<'_>, found: &RowIndices, shows: &[ColumnKind]) -> usize {
    let integers = has_integers(given.model, &given.base.vertices);
    let of = |s: &ColumnKind| if matches!(s, ColumnKind::Rank(_)) { 2 + usize::from(integers) } else { 1 };
    found.len().saturating_mul(4 + shows.iter().map(of).sum::<usize>())
}

fn has_integers(model: &Model, table: &VertexTable) -> bool {
    table.parts.iter().filter_map(|p| p.influences(model)).any(|i| i.format != WeightFormat::F32)
}

/// Writes the rows with all their digits; only those of `only` where there is such a set. `None` once `cancel` is set.
/// `asymmetry` is there once the model is checked.
pub(super) fn tsv(
    (model, asymmetry): (&Model, Option<&PerVertex>),
    table: &VertexTable,
    found: &RowIndices,
    shows: &[ColumnKind],
    only: Option<&VertexSet>,
    cancel: &AtomicBool,
) -> Option<String> {
    let integers = has_integers(model, table);
    // Joints are named as they are read again when the text is pasted.
    let keys = Keys::of(model);
    let header = header(&keys, shows, integers);
    let mut out = Tsv::new(header.iter().map(String::as_str));
    for at in 0..found.len() {
        if at % 4096 == 0 && cancel.load(Ordering::Relaxed) {
            return None;
        }
        let row = table.row(found.at(at));
        if only.is_none_or(|set| set.contains(row.part.mesh, row.part.primitive, row.vertex as u32)) {
            write((model, &keys, asymmetry), &row, shows, integers, &mut out);
        }
    }
    Some(out.into_text())
}

fn header(keys: &Keys, shows: &[ColumnKind], integers: bool) -> Vec<String> {
    let name = |node: NodeId| keys.key(node).to_owned();
    let mut out: Vec<String> =
        ["mesh", "mesh name", "primitive", "skin", "vertex", "count", "sum"].map(str::to_owned).into();
    for shows in shows {
        match *shows {
            ColumnKind::Selected(node) => out.push(format!("weight of {}", name(node))),
            ColumnKind::Joint(node) => out.push(name(node)),
            ColumnKind::Rank(rank) => {
                let n = rank + 1;
                out.extend([format!("joint {n}"), format!("weight {n}")]);
                out.extend(integers.then(|| format!("stored {n}")));
            }
            ColumnKind::Asymmetry => out.push("asymmetry".to_owned()),
            ColumnKind::Mesh | ColumnKind::Skin | ColumnKind::Number | ColumnKind::Count | ColumnKind::Sum => {}
        }
    }
    out
}

fn write(
    (model, keys, asymmetry): (&Model, &Keys, Option<&PerVertex>),
    row: &Row,
    shows: &[ColumnKind],
    integers: bool,
    out: &mut Tsv,
) {
    let part = row.part;
    out.number(model.file_mesh(part.mesh).0).cell(&model.meshes[part.mesh.index()].name).number(part.primitive);
    out.number(part.skin.0).number(row.vertex).number(row.count(model)).number(row.sum(model));
    let pairs = row.pairs(model);
    // A vertex may name some joint twice.
    let weight_of = |node: NodeId| pairs.iter().filter(|p| p.node == node).map(|p| p.weight).sum::<f32>();
    for shows in shows {
        match *shows {
            ColumnKind::Selected(node) | ColumnKind::Joint(node) => {
                out.number(weight_of(node));
            }
            ColumnKind::Rank(rank) => {
                let pair = pairs.get(rank);
                match pair {
                    Some(pair) => out.cell(keys.key(pair.node)).number(pair.weight),
                    None => out.blank().blank(),
                };
                if integers {
                    match pair.and_then(Pair::integer) {
                        Some(n) => out.number(n),
                        None => out.blank(),
                    };
                }
            }
            ColumnKind::Asymmetry => {
                match asymmetry.map_or(Err("no mirror image"), |values| row.asymmetry(values)) {
                    Ok(difference) => out.number(difference),
                    Err(why) => out.cell(why),
                };
            }
            ColumnKind::Mesh | ColumnKind::Skin | ColumnKind::Number | ColumnKind::Count | ColumnKind::Sum => {}
        }
    }
    out.end_row();
}
