//! What of a binding is chosen beside its parameters, among the values of the settings: the rules that are switched off, the node that
//! meshes without a skin are bound to, the meshes that are bound, and the radii of the envelopes of single joints.

use std::collections::{BTreeMap, BTreeSet};

use skinscope_bind::{BINDERS, Binder, ENVELOPE_RANGES};
use skinscope_model::{MeshId, Model, NodeId, PrimitiveId};

use super::METHOD;
use crate::{Settings, Sheet};

/// The name of the value that has the node below which the joints of meshes without a skin are.
const ROOT: &str = "bind-root";
/// How the names of the values begin that say that a mesh is bound; its number in the file follows.
const MESH: &str = "bind-mesh:";
/// The outer radius of an envelope is larger than the inner one by this at least.
const LEAST_GAP: f64 = 0.01;

/// Returns the method that is chosen.
#[must_use]
pub fn bind_method(settings: &Settings) -> &'static Binder {
    BINDERS.get(METHOD.choice(settings)).copied().unwrap_or(BINDERS[0])
}

/// The name of the value that says that a rule is switched off.
fn rule_id(rule: &str) -> String {
    format!("without-{rule}")
}

/// Returns whether a rule of [`skinscope_bind::RULES`] holds, by its id.
#[must_use]
pub fn has_bind_rule(settings: &Settings, rule: &str) -> bool {
    settings.values.get(&rule_id(rule)).is_none_or(|value| *value <= 0.0)
}

/// Switches a rule on or off.
pub fn set_bind_rule(settings: &mut Settings, rule: &str, is_on: bool) {
    match is_on {
        true => _ = settings.values.remove(&rule_id(rule)),
        false => _ = settings.values.insert(rule_id(rule), 1.0),
    }
}

/// How the names of the values begin that have the inner and the outer radius of the envelopes of a joint; its name follows.
const ENVELOPE: [&str; 2] = ["envelope-inner:", "envelope-outer:"];

/// Returns the joints whose envelopes have radii of their own, by name: the inner and the outer one, as shares of the distance of the surface.
#[must_use]
pub fn bind_envelopes(settings: &Settings) -> BTreeMap<String, [f64; 2]> {
    let [inner, outer] = ENVELOPE;
    let named = settings.values.iter().filter_map(|(id, value)| Some((id.strip_prefix(inner)?, *value)));
    let both = named.filter_map(|(joint, value)| {
        let outer = settings.values.get(&format!("{outer}{joint}"))?;
        Some((joint.to_owned(), [value, *outer]))
    });
    both.collect()
}

/// Gives the envelopes of a joint radii of their own, within what is allowed; `None`: those of the method.
pub fn set_bind_envelope(settings: &mut Settings, joint: &str, radii: Option<[f64; 2]>) {
    let [inner, outer] = ENVELOPE.map(|word| format!("{word}{joint}"));
    match radii.filter(|radii| radii.iter().all(|radius| radius.is_finite())) {
        Some([least, most]) => {
            let [inner_range, outer_range] = ENVELOPE_RANGES;
            let least = least.clamp(inner_range[0], inner_range[1]);
            let most = most.max(least + LEAST_GAP).clamp(outer_range[0], outer_range[1]);
            settings.values.extend([(inner, least), (outer, most)]);
        }
        None => {
            settings.values.remove(&inner);
            settings.values.remove(&outer);
        }
    }
}

/// Takes the radii of all joints away.
pub fn clear_bind_envelopes(settings: &mut Settings) {
    settings.values.retain(|id, _| ENVELOPE.iter().all(|word| !id.starts_with(word)));
}

/// Returns whether a mesh of a model is shown without a skin, so that it could gain one.
#[must_use]
pub fn has_bare_mesh(model: &Model) -> bool {
    model.instances.iter().any(|instance| instance.skin.is_none())
}

/// Returns the node that meshes without a skin are bound to; `None` where the weights of those with a skin are found, or where no mesh is
/// without one.
#[must_use]
pub fn bind_root(model: &Model, settings: &Settings) -> Option<NodeId> {
    let index = settings.values.get(ROOT).filter(|index| **index >= 0.0).map(|index| *index as usize);
    index.filter(|index| *index < model.skeleton.len() && has_bare_mesh(model)).map(NodeId::from_index)
}

/// Chooses the node that meshes without a skin are bound to; `None`: find the weights of those that have a skin.
pub fn set_bind_root(settings: &mut Settings, root: Option<NodeId>) {
    match root {
        Some(root) => _ = settings.values.insert(ROOT.to_owned(), f64::from(root.0)),
        None => _ = settings.values.remove(ROOT),
    }
}

/// Lets the node that meshes without a skin are bound to follow a model whose nodes have other ids, which `find` finds.
pub fn follow_bind_root(settings: &mut Settings, find: &dyn Fn(NodeId) -> Option<NodeId>) {
    let root =
        settings.values.get(ROOT).filter(|index| **index >= 0.0).map(|index| NodeId::from_index(*index as usize));
    set_bind_root(settings, root.and_then(find));
}

/// Returns the meshes that are bound, by their numbers in the file; where it is empty, all are.
#[must_use]
pub fn bind_meshes(settings: &Settings) -> BTreeSet<u32> {
    let named = settings.values.iter().filter(|(_, value)| **value > 0.0);
    named.filter_map(|(id, _)| id.strip_prefix(MESH)?.parse().ok()).collect()
}

/// Chooses a mesh, or no longer. Where none is chosen, all are bound.
pub fn set_bind_mesh(settings: &mut Settings, mesh: u32, is_on: bool) {
    let id = format!("{MESH}{mesh}");
    match is_on {
        true => _ = settings.values.insert(id, 1.0),
        false => _ = settings.values.remove(&id),
    }
}

/// Lets all meshes be bound.
pub fn clear_bind_meshes(settings: &mut Settings) {
    settings.values.retain(|id, _| !id.starts_with(MESH));
}

/// Forgets what is chosen by numbers of nodes and meshes, which another model has for others.
pub fn forget_bind_numbers(settings: &mut Settings) {
    set_bind_root(settings, None);
    clear_bind_meshes(settings);
}

/// Returns the meshes that could be bound with these settings, by their numbers in the file, with their names: those without a skin where
/// these gain one, and else those that have one.
#[must_use]
pub fn bindable_meshes(model: &Model, settings: &Settings) -> BTreeMap<u32, String> {
    shown_meshes(model, bind_root(model, settings).is_some())
}

/// Returns the meshes that are shown without a skin, by their numbers in the file, with their names.
#[must_use]
pub fn bare_meshes(model: &Model) -> BTreeMap<u32, String> {
    shown_meshes(model, true)
}

/// Returns the meshes that are shown without a skin, or those that are shown with one.
fn shown_meshes(model: &Model, is_bare: bool) -> BTreeMap<u32, String> {
    let instances = model.instances.iter().filter(|instance| instance.skin.is_none() == is_bare);
    let named = instances.map(|instance| {
        let (number, name) = (model.file_mesh(instance.mesh).0, &model.meshes[instance.mesh.index()].name);
        (number, if name.is_empty() { format!("mesh {number}") } else { name.clone() })
    });
    named.collect()
}

/// Returns whether a primitive is of a mesh that is bound, where these are chosen.
pub(super) fn is_chosen(model: &Model, meshes: &BTreeSet<u32>, primitive: &PrimitiveId) -> bool {
    let number = |mesh: MeshId| model.file_mesh(mesh).0;
    meshes.is_empty() || meshes.contains(&number(primitive.mesh))
}

/// Limits a sheet to the meshes that are chosen, where these have a skin.
pub(crate) fn limit_to_meshes(sheet: &mut Sheet, settings: &Settings) {
    let (model, meshes) = (sheet.model, bind_meshes(settings));
    if meshes.is_empty() || bind_root(model, settings).is_some() {
        return;
    }
    if sheet.bounds.rows.is_empty() {
        sheet.bounds.rows = sheet.tables.iter().map(|table| vec![true; table.vertices()]).collect();
    }
    for (table, rows) in sheet.tables.iter().zip(&mut sheet.bounds.rows) {
        if !table.primitives.iter().any(|primitive| is_chosen(model, &meshes, primitive)) {
            rows.fill(false);
        }
    }
}

/// Returns the node that meshes without a skin most likely hang on: of the nodes that show no mesh the one with most of them at and below it,
/// and of equal ones the first. A skin that the model has goes before: its first joint.
#[must_use]
pub fn likely_bind_root(model: &Model) -> Option<NodeId> {
    if let Some(first) = model.skins.iter().find_map(|skin| skin.joints.first()) {
        return Some(*first);
    }
    let count = model.skeleton.len();
    let mut shows_none = vec![true; count];
    model.instances.iter().for_each(|instance| shows_none[instance.node.index()] = false);
    // Children come after their parents.
    let mut below: Vec<usize> = shows_none.iter().map(|shows_none| usize::from(*shows_none)).collect();
    for node in (0..count).rev() {
        if let Some(parent) = model.skeleton.parents[node] {
            below[parent.index()] += below[node];
        }
    }
    let first = |best: Option<usize>, node: usize| match best {
        Some(best) if below[best] >= below[node] => Some(best),
        _ => Some(node),
    };
    (0..count).filter(|node| shows_none[*node]).fold(None, first).map(NodeId::from_index)
}

#[cfg(test)]
mod tests {
    use skinscope_model::ModelParts;
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;

    #[test]
    fn a_mesh_without_a_skin_hangs_on_the_node_with_most_joints_below_it() {
        let skinned = tube(Tube { joints: 4, ..Tube::default() });
        let mut settings = Settings::default();
        set_bind_root(&mut settings, Some(NodeId(1)));
        assert_eq!(likely_bind_root(&skinned), Some(skinned.skins[0].joints[0]));
        assert_eq!(bind_root(&skinned, &settings), None, "no mesh is without a skin");
        let mut parts: ModelParts = (*skinned).clone();
        parts.skins.clear();
        parts.instances[0].skin = None;
        parts.meshes[0].primitives[0].stored_influences = None;
        let bare = Model::build(parts).unwrap();
        let root = likely_bind_root(&bare).unwrap();
        let is_at_or_below = |node: NodeId| {
            std::iter::successors(Some(node), |node| bare.skeleton.parents[node.index()]).any(|node| node == root)
        };
        assert!(skinned.skins[0].joints.iter().all(|joint| is_at_or_below(*joint)));
        assert!(bare.instances.iter().all(|instance| instance.node != root));
        assert_eq!(bind_root(&bare, &settings), Some(NodeId(1)));
        follow_bind_root(&mut settings, &|node| Some(NodeId(node.0 + 1)));
        assert_eq!(bind_root(&bare, &settings), Some(NodeId(2)));
        follow_bind_root(&mut settings, &|_| None);
        assert!(settings == Settings::default());
        set_bind_root(&mut settings, Some(NodeId(99)));
        assert_eq!(bind_root(&bare, &settings), None, "there is no such node");
        set_bind_root(&mut settings, None);
        assert!(settings == Settings::default());
    }

    #[test]
    fn meshes_are_chosen_by_their_numbers_until_those_of_another_model_are_forgotten() {
        let model = tube(Tube { joints: 4, ..Tube::default() });
        let mut settings = Settings::default();
        assert_eq!(bindable_meshes(&model, &settings), [(0, "tube".to_owned())].into());
        set_bind_mesh(&mut settings, 12, true);
        set_bind_mesh(&mut settings, 3, true);
        set_bind_rule(&mut settings, "helpers", false);
        assert_eq!(bind_meshes(&settings), [3, 12].into());
        set_bind_mesh(&mut settings, 3, false);
        assert_eq!(bind_meshes(&settings), [12].into());
        forget_bind_numbers(&mut settings);
        assert!(bind_meshes(&settings).is_empty() && !has_bind_rule(&settings, "helpers"));
    }

    #[test]
    fn a_rule_is_switched_off_and_on_again() {
        let mut settings = Settings::default();
        set_bind_rule(&mut settings, "helpers", false);
        assert!(!has_bind_rule(&settings, "helpers") && has_bind_rule(&settings, "roots"));
        set_bind_rule(&mut settings, "helpers", true);
        assert!(has_bind_rule(&settings, "helpers") && settings == Settings::default());
    }

    #[test]
    fn the_radii_of_a_joint_are_kept_by_its_name_within_what_is_allowed() {
        let mut settings = Settings::default();
        set_bind_envelope(&mut settings, "Arm.L", Some([0.8, 1.6]));
        set_bind_envelope(&mut settings, "Hand", Some([9.0, 1.0]));
        set_bind_envelope(&mut settings, "Head", Some([f64::NAN, 1.0]));
        let all = bind_envelopes(&settings);
        assert_eq!(all.get("Arm.L"), Some(&[0.8, 1.6]));
        assert_eq!(all.get("Hand"), Some(&[3.0, 3.0 + LEAST_GAP]));
        assert_eq!(all.len(), 2);
        set_bind_envelope(&mut settings, "Arm.L", None);
        assert_eq!(bind_envelopes(&settings).len(), 1);
        clear_bind_envelopes(&mut settings);
        assert!(settings == Settings::default());
    }
}
