//! The weights of a vertex that its menu copies, and gives to others.

use std::sync::Arc;

use egui::Ui;
use skinscope_edit::{Amount, CellEdit, Settings, set_cells};
use skinscope_inspect::VertexRef;
use skinscope_model::{InstanceId, MeshId, Model, NodeId};
use skinscope_session::{Command, EditCommand, Session, ToolCommand};

use super::card::influences_of;
use super::copied::{say, warn};
use super::widgets::counted;

/// Keeps the weights of a vertex, for [`paste`] and for the tool of that name.
pub(super) fn copy(ui: &Ui, session: &Session, vertex: VertexRef, commands: &mut Vec<Command>) {
    let Some(model) = session.edited_weights().edited_model() else { return };
    let mut copied = weights_of(model, vertex).unwrap_or_default();
    let sum: f64 = copied.iter().map(|(_, weight)| weight).sum();
    if sum <= 0.0 {
        return warn(ui, "This vertex has no weights.".to_owned());
    }
    copied.iter_mut().for_each(|(_, weight)| *weight /= sum);
    copied.sort_by(|a, b| b.1.total_cmp(&a.1));
    say(ui, format!("Copied {}", counted(copied.len(), "weight", "weights")));
    let settings = Settings { copied, ..Settings::clone(&session.tools().settings) };
    commands.push(ToolCommand::Set(Arc::new(settings)).into());
}

/// Gives the weights that were copied to a vertex, or to all marked ones where it is marked.
pub(super) fn paste(ui: &Ui, session: &Session, vertex: VertexRef, commands: &mut Vec<Command>) {
    let Some(model) = session.edited_weights().edited_model() else { return };
    let copied = &session.tools().settings.copied;
    let mut cells = Vec::new();
    for target in targets(session, model, vertex) {
        let (Some(own), Some(instance)) = (weights_of(model, target), model.instances.get(target.instance.index()))
        else {
            continue;
        };
        let others = own.into_iter().filter(|(node, _)| copied.iter().all(|(other, _)| other != node));
        let given = others.map(|(joint, _)| (joint, 0.0)).chain(copied.iter().copied());
        cells.extend(given.map(|(joint, weight)| CellEdit {
            mesh: instance.mesh,
            primitive: target.primitive,
            vertex: target.vertex as u32,
            joint,
            amount: Amount::To(weight),
        }));
    }
    let out = set_cells(model, &cells, true, &session.tools().locked);
    let changed: usize = out.changes.iter().map(|change| change.vertices.len()).sum();
    if out.unchanged > 0 {
        let kept = counted(out.unchanged, "vertex stays", "vertices stay");
        warn(ui, format!("{kept} as before: a joint is locked, or its skin does not have these joints"));
    } else {
        say(ui, format!("Changed the weights of {}", counted(changed, "vertex", "vertices")));
    }
    if changed > 0 {
        commands.push(EditCommand::ChangeWeights(Arc::new(out.changes)).into());
    }
}

/// Returns the vertices that a paste into this one is for.
fn targets(session: &Session, model: &Model, vertex: VertexRef) -> Vec<VertexRef> {
    let marked = &session.view().marked;
    let mesh = model.instances.get(vertex.instance.index()).map(|instance| instance.mesh);
    if !mesh.is_some_and(|mesh| marked.contains(mesh, vertex.primitive, vertex.vertex as u32)) {
        return vec![vertex];
    }
    let of_mark = |(mesh, primitive, vertex): (MeshId, usize, u32)| {
        let instance = model.instances.iter().position(|one| one.mesh == mesh && one.skin.is_some())?;
        Some(VertexRef { instance: InstanceId::from_index(instance), primitive, vertex: vertex as usize })
    };
    marked.iter().filter_map(of_mark).collect()
}

/// Returns the joints of a vertex with their weights that are not zero; `None` where it is rigid.
pub(super) fn weights_of(model: &Model, vertex: VertexRef) -> Option<Vec<(NodeId, f64)>> {
    let skin = model.instances.get(vertex.instance.index())?.skin?;
    let joints = &model.skins.get(skin.index())?.joints;
    let (slots, weights) = influences_of(model, vertex)?.of(vertex.vertex);
    let mut out: Vec<(NodeId, f64)> = Vec::new();
    for (slot, weight) in slots.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
        let Some(node) = joints.get(usize::from(*slot)) else { continue };
        // A file may name a joint twice.
        match out.iter_mut().find(|(known, _)| known == node) {
            Some((_, sum)) => *sum += f64::from(*weight),
            None => out.push((*node, f64::from(*weight))),
        }
    }
    Some(out)
}
