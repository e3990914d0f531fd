//! Paints the cells of the vertex spreadsheet and describes them in words.

use egui::{CornerRadius, Rect, Ui, pos2, vec2};
use skinscope_inspect::PerVertex;
use skinscope_inspect::check::SAME_WEIGHT;
use skinscope_inspect::tables::{Pair, Row};
use skinscope_model::{Model, WeightFormat};
use skinscope_session::Session;

use super::vertex_columns::ColumnKind;
use super::{TableContext, skin_name};
use crate::table::{PAD, cell_text};
use crate::theme::{self, BODY, colors};
use crate::widgets::{grouped, paint_line, shortened, whole_on_hover};

/// Describes a row for screen readers.
pub(super) fn label(session: &Session, model: &Model, row: &Row) -> String {
    let name = |p: &Pair| format!("{} {:.3}", model.skeleton.names[p.node.index()], p.weight);
    let pairs: Vec<String> = row.pairs(model).iter().map(name).collect();
    let mesh = mesh_name(model, row);
    let mirrored = match asymmetry(session).map(|values| row.asymmetry(values)) {
        None => String::new(),
        Some(Err(why)) => format!("; {why}"),
        Some(Ok(difference)) => format!("; asymmetry {difference:.3}"),
    };
    format!("Vertex {} of {mesh}: {}; sum {:.3}{mirrored}", row.vertex, pairs.join(", "), row.sum(model))
}

/// Returns the differences between vertices and their mirror images as they are with the weights that are shown, once the
/// model is checked.
pub(super) fn asymmetry(session: &Session) -> Option<&PerVertex> {
    session.edited_weights().inspected_values().map(|values| &*values.asymmetry)
}

/// Returns the name of the mesh in the file, with the primitive where it has several, and with the node that shows it where other nodes
/// show it with other joints.
fn mesh_name(model: &Model, row: &Row) -> String {
    let part = row.part;
    let mesh = &model.meshes[part.mesh.index()];
    let mut out =
        if mesh.name.is_empty() { format!("mesh {}", model.file_mesh(part.mesh).0) } else { mesh.name.clone() };
    if mesh.primitives.len() > 1 {
        out += &format!(" · {}", part.primitive);
    }
    if model.is_parted(part.mesh) {
        let node = model.instances[part.instance.index()].node;
        out += &format!(" · {}", model.skeleton.names[node.index()]);
    }
    out
}

pub(super) fn cell(ui: &Ui, rect: Rect, given: TableContext<'_>, row: &Row, shows: ColumnKind) {
    let TableContext { session, model, base } = given;
    let c = colors(ui);
    let weight_of = |node| base.slot(row.part.skin, node).map_or(0.0, |slot| row.weight(model, slot));
    match shows {
        ColumnKind::Mesh => cell_text(ui, rect, &mesh_name(model, row), false, c.dim),
        ColumnKind::Skin => cell_text(ui, rect, &skin_name(model, row.part.skin), false, c.dim),
        ColumnKind::Number => cell_text(ui, rect, &grouped(row.vertex), true, c.text),
        ColumnKind::Count => {
            let count = row.count(model);
            let ink = if count == 0 { c.amber } else { c.text };
            cell_text(ui, rect, &count.to_string(), true, ink);
        }
        ColumnKind::Sum => {
            let ink = if row.sums_to_one(model) { c.dim } else { c.amber };
            cell_text(ui, rect, &weight_text(row.sum(model)), true, ink);
        }
        ColumnKind::Asymmetry => match asymmetry(session).map(|values| row.asymmetry(values)) {
            None => {}
            Some(Err(why)) => {
                let short = why.trim_end_matches(" image").trim_end_matches(" joint");
                cell_text(ui, rect, short, true, c.dim);
            }
            Some(Ok(difference)) => {
                let ink = if difference > SAME_WEIGHT { c.amber } else { c.dim };
                cell_text(ui, rect, &weight_text(difference.into()), true, ink);
            }
        },
        ColumnKind::Selected(node) | ColumnKind::Joint(node) => {
            let weight = weight_of(node);
            if weight != 0.0 {
                share(ui, rect, weight);
                let ink = if session.tools().locked.contains(&node) { c.amber } else { c.text };
                cell_text(ui, rect, &weight_text(f64::from(weight)), true, ink);
            }
        }
        ColumnKind::Rank(rank) => {
            if let Some(pair) = row.pairs(model).get(rank) {
                paired(ui, rect, &model.skeleton.names[pair.node.index()], pair.weight);
            }
        }
    }
}

/// Writes a weight with three decimals; a weight that is not one must not read so.
fn weight_text(weight: f64) -> String {
    let text = format!("{weight:.3}");
    text.replace('-', "−")
}

/// Paints a name and its weight.
fn paired(ui: &Ui, rect: Rect, name: &str, weight: f32) {
    let c = colors(ui);
    share(ui, rect, weight);
    let figure = ui.painter().layout_no_wrap(weight_text(f64::from(weight)), theme::regular(BODY), c.text);
    let x = rect.right() - PAD - figure.size().x;
    let (galley, cut) = shortened(ui, name, theme::regular(BODY), c.dim, x - rect.left() - 2.0 * PAD);
    if cut {
        whole_on_hover(ui, rect, name);
    }
    paint_line(ui, galley, rect.left() + PAD, rect.center().y, c.dim);
    paint_line(ui, figure, x, rect.center().y, c.text);
}

/// Paints a line under a cell, as long as its weight.
fn share(ui: &Ui, rect: Rect, weight: f32) {
    let whole = rect.shrink2(vec2(PAD, 0.0));
    let from = pos2(whole.left(), rect.bottom() - 3.0);
    let long = if weight.is_finite() { weight.clamp(0.0, 1.0) * whole.width() } else { 0.0 };
    let line = Rect::from_min_size(from, vec2(long, 2.0));
    ui.painter().rect_filled(line, CornerRadius::same(1), colors(ui).accent.gamma_multiply(0.6));
}

/// Returns the tooltip of a cell: weights in full, and as the file stores them.
pub(super) fn tip(given: TableContext<'_>, row: &Row, shows: ColumnKind) -> Option<String> {
    let model = given.model;
    let of_pair = |pair: &Pair| {
        let stored = match (pair.integer(), pair.format) {
            (Some(n), WeightFormat::U8) => format!(", stored as {n} of 255"),
            (Some(n), _) => format!(", stored as {n} of 65535"),
            (None, _) => String::new(),
        };
        let name = &model.skeleton.names[pair.node.index()];
        let is_locked = given.session.tools().locked.contains(&pair.node);
        let lock = if is_locked { "\nLocked: its weights stay" } else { "" };
        format!("{name}\n{}{stored}\nSlot {} of {}{lock}", pair.weight, pair.slot, skin_name(model, row.part.skin))
    };
    match shows {
        ColumnKind::Mesh => Some(mesh_name(model, row)),
        ColumnKind::Sum => {
            let integers: Option<Vec<u32>> = row.pairs(model).iter().map(Pair::integer).collect();
            let total = integers.filter(|all| !all.is_empty()).map(|all| all.iter().sum::<u32>());
            let stored = total.map(|n| format!("\nThe stored integers sum to {n}")).unwrap_or_default();
            Some(format!("{}{stored}", row.sum(model)))
        }
        ColumnKind::Rank(rank) => row.pairs(model).get(rank).map(of_pair),
        ColumnKind::Selected(node) | ColumnKind::Joint(node) => {
            let pairs = row.pairs(model);
            let of: Vec<String> = pairs.iter().filter(|p| p.node == node).map(of_pair).collect();
            (!of.is_empty()).then(|| of.join("\n"))
        }
        ColumnKind::Asymmetry => Some(match row.asymmetry(asymmetry(given.session)?) {
            Err(why) => format!("It is not compared with a mirror image: {why}"),
            Ok(difference) => difference.to_string(),
        }),
        ColumnKind::Skin => Some(skin_name(model, row.part.skin)),
        ColumnKind::Number | ColumnKind::Count => None,
    }
}

#[cfg(test)]
mod tests {
    use skinscope_inspect::tables::VertexTable;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{Instance, MeshId, ModelParts, NodeId, SkinId};

    use super::*;

    #[test]
    fn a_mesh_has_the_number_that_the_file_gives_it_and_its_node_where_it_is_shown_with_other_joints() {
        let mut parts = ModelParts::clone(&tube(Tube { joints: 4, ..Tube::default() }));
        parts.meshes[0].name.clear();
        let mut skin = parts.skins[0].clone();
        skin.joints.reverse();
        parts.skins.push(skin);
        parts.meshes.push(parts.meshes[0].clone());
        parts.parted = vec![(MeshId(1), MeshId(0))];
        let other = Instance { node: NodeId(1), mesh: MeshId(1), skin: Some(SkinId(1)), ..parts.instances[0].clone() };
        let nodes = [parts.instances[0].node, other.node].map(|node| parts.skeleton.names[node.index()].clone());
        parts.instances.push(other);
        let model = Model::build(parts).unwrap();
        let table = VertexTable::of(&model);
        let names = [0, table.len() - 1].map(|row| mesh_name(&model, &table.row(row)));
        assert_eq!(names, nodes.map(|node| format!("mesh 0 · {node}")));
    }
}
