//! Sliders of morph targets: those of the selected node's mesh, or of the whole model. Targets of one name move
//! together, since a face often has several meshes; they can be split, so that each mesh has sliders of its own.

use std::collections::HashMap;

use egui::Ui;
use skinscope_anim::pose::controls::Channel;
use skinscope_model::{Instance, Model, NodeId};
use skinscope_session::{Command, EditCommand, Session};

use super::focus;
use super::theme::{self, ROW, colors};
use super::value_row::ValueRow;
use super::widgets::{link, section};

/// One slider, and all the morph weights that it moves.
struct Slider<'a> {
    name: &'a str,
    /// The indices in [`skinscope_model::LocalPose::morph_weights`]; the value of the first one is shown.
    indices: Vec<usize>,
}

/// Sliders under one head.
struct Group<'a> {
    /// The node of the only mesh that they move; `None` where there are several.
    owner: Option<&'a str>,
    sliders: Vec<Slider<'a>>,
}

/// Shows the sliders, if there is a target. `split`: each mesh has sliders of its own.
pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    node: Option<NodeId>,
    split: &mut bool,
    commands: &mut Vec<Command>,
) {
    let Some(model) = session.model() else { return };
    let shared = shared_names(model);
    let groups = if *split || shared.is_empty() { apart(model, node) } else { together(model, node, &shared) };
    for (i, group) in groups.iter().enumerate() {
        let title = match group.owner {
            Some(owner) if node.is_none() => format!("Morph targets of {owner}"),
            _ => "Morph targets".to_owned(),
        };
        let of = group.owner.map(|owner| format!(" of {owner}")).unwrap_or_default();
        let all = group.sliders.iter().flat_map(|s| &s.indices);
        let edited: Vec<usize> = all.copied().filter(|index| session.edits().morphs.contains_key(index)).collect();
        section(ui, &title, |ui| {
            if !edited.is_empty() {
                let reset = link(ui, "Reset", &format!("Reset morph targets{of}"));
                // Tab goes from value to value.
                focus::pass_over(ui, reset.id);
                if reset.clicked() {
                    commands.extend(edited.iter().map(|index| Command::Edit(EditCommand::ResetMorph(*index))));
                }
            }
            if i == 0 && !shared.is_empty() {
                let (text, name) = match *split {
                    true => ("Join", "Move morph targets of one name together"),
                    false => ("Split", "Give each mesh morph targets of its own"),
                };
                if link(ui, text, name).on_hover_text(name).clicked() {
                    *split = !*split;
                }
            }
        });
        group.sliders.iter().for_each(|slider| row(ui, session, slider, &of, commands));
    }
}

fn row(ui: &mut Ui, session: &Session, slider: &Slider, of: &str, commands: &mut Vec<Command>) {
    let c = colors(ui);
    let first = slider.indices.first().copied();
    let reads_posed = first.is_some_and(|index| session.pose().control_program().reads_posed(Channel::Morph(index)));
    let pose = if reads_posed { session.pose().undriven() } else { &session.pose().local };
    let Some((first, &value)) = first.and_then(|p| Some((p, pose.morph_weights.get(p)?))) else {
        return;
    };
    let value = if value.is_finite() { value } else { 0.0 };
    // Hundreds of rows cost nothing where they are not visible. Those just out of sight are laid out for Tab.
    let rect = egui::Rect::from_min_size(ui.cursor().min, egui::vec2(ui.available_width(), ROW));
    if !ui.is_rect_visible(rect.expand(2.0 * ROW)) {
        ui.allocate_space(rect.size());
        return;
    }
    let is_edited = slider.indices.iter().any(|index| session.edits().morphs.contains_key(index));
    let of = match slider.indices.len() {
        1 => of.to_owned(),
        n => format!(" of {n} meshes"),
    };
    let row = ValueRow {
        name: &format!("{}{of}", slider.name),
        help: "The weight of a morph target: 0 leaves the shape as it is, 1 adds all that the target moves",
        label: slider.name,
        label_width: 92.0,
        color: if is_edited { c.amber } else { c.text },
        value,
        range: value.min(0.0)..=value.max(1.0),
        home: 0.0,
        decimals: 2,
        unit: "",
        edited: is_edited,
    };
    // Two nodes may have one name.
    let change = ui.push_id(first, |ui| row.show(ui)).inner;
    if let Some(line) = session.pose().control_program().driver_of(Channel::Morph(first)) {
        let words = format!("Driven by line {} of the controls", line + 1);
        ui.label(egui::RichText::new(words).font(theme::regular(theme::SMALL)).color(c.accent));
    }
    if let Some(joints) = brought_in_by(session, first).filter(|_| !is_edited) {
        let words = format!("Brought in by {joints}");
        ui.label(egui::RichText::new(words).font(theme::regular(theme::SMALL)).color(c.accent));
    }
    if let Some(weight) = change.value {
        commands.extend(slider.indices.iter().map(|index| Command::Edit(EditCommand::EditMorph(*index, weight))));
    }
    if change.ended {
        commands.push(EditCommand::EndEdit.into());
    }
}

/// Returns the names of the joints whose rotations bring in a corrective shape, by the index of its weight; `None` for any other target.
fn brought_in_by(session: &Session, index: usize) -> Option<String> {
    let model = session.model()?;
    let target = |instance: &Instance| index.checked_sub(instance.morph_offset);
    let all = session.document()?.kept_shapes();
    let own = all.iter().find(|shapes| {
        let target = model.instances.get(shapes.instance.index()).and_then(target);
        shapes.targets.iter().any(|(of, _)| Some(*of) == target)
    })?;
    let names = own.driver.joints().iter().map(|joint| model.skeleton.names[joint.index()].as_str());
    Some(names.collect::<Vec<_>>().join(", "))
}

/// Returns the targets of an instance, each with the index of its weight.
fn targets<'a>(model: &'a Model, instance: &Instance) -> impl Iterator<Item = (usize, &'a str)> {
    let names = &model.meshes[instance.mesh.index()].morph_names;
    (instance.morph_offset..).zip(names.iter().map(String::as_str))
}

/// Returns the names that several targets have, with the indices of all their weights. Names that import made up do not
/// count.
fn shared_names(model: &Model) -> HashMap<&str, Vec<usize>> {
    let mut indices: HashMap<&str, Vec<usize>> = HashMap::new();
    for instance in &model.instances {
        for (i, (index, name)) in targets(model, instance).enumerate() {
            let is_number = name.strip_prefix("target ").is_some_and(|n| n.parse() == Ok(i));
            if !is_number {
                indices.entry(name).or_default().push(index);
            }
        }
    }
    indices.retain(|_, indices| indices.len() > 1);
    indices
}

fn shown(model: &Model, node: Option<NodeId>) -> impl Iterator<Item = &Instance> {
    let has_some = |i: &&Instance| !model.meshes[i.mesh.index()].morph_names.is_empty();
    model.instances.iter().filter(move |i| node.is_none_or(|n| i.node == n)).filter(has_some)
}

/// Makes a group for each mesh.
fn apart(model: &Model, node: Option<NodeId>) -> Vec<Group<'_>> {
    let group = |instance: &Instance| Group {
        owner: Some(model.skeleton.names[instance.node.index()].as_str()),
        sliders: targets(model, instance).map(|(index, name)| Slider { name, indices: vec![index] }).collect(),
    };
    shown(model, node).map(group).collect()
}

/// Makes one group, with a slider for each name in the order in which the file has them first.
fn together<'a>(model: &'a Model, node: Option<NodeId>, shared: &HashMap<&str, Vec<usize>>) -> Vec<Group<'a>> {
    let mut sliders: Vec<Slider> = Vec::new();
    let mut moved = std::collections::HashSet::new();
    for (index, name) in shown(model, node).flat_map(|instance| targets(model, instance)) {
        if moved.insert(index) {
            let indices = shared.get(name).cloned().unwrap_or_else(|| vec![index]);
            moved.extend(indices.iter().copied());
            sliders.push(Slider { name, indices });
        }
    }
    if sliders.is_empty() { Vec::new() } else { vec![Group { owner: None, sliders }] }
}
