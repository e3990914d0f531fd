//! What is said at the pointer where a dab changes nothing, and what can be done about it.

use skinscope_model::NodeId;
use skinscope_paint::{Canvas, LayerStack, MirrorAxis, PaintError, StuckPlace};
use skinscope_weights::{Brush, Need, Stuck, Toward};

use super::hand::Hand;
use super::mask;
use super::{LayerCommand, PaintCommand, PaintNote, PaintSettings};
use crate::{Brushwork, Command, MarkCommand, SelectionCommand, ToolCommand};

/// How many joints are offered to give weight to.
const MOST_TAKERS: usize = 3;

/// How many joints are offered to get what the painted one loses, of those that move what the brush is over.
const MOST_RECEIVERS: usize = 4;

/// A label and the command that it stands for.
type Way = (String, Command);

/// Says what an error of the canvas says.
pub(super) fn refused(why: &str) -> PaintNote {
    let mut letters = why.chars();
    let text = letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect());
    PaintNote { text, ways: Vec::new() }
}

/// Says why a stroke cannot begin.
pub(super) fn cannot_begin(brushwork: Brushwork<'_>, why: &PaintError) -> PaintNote {
    let mut note = refused(&why.to_string());
    if *why == PaintError::NoMesh {
        note.ways.extend(under_pointer(brushwork).map(|node| select(brushwork, node)));
    }
    if let PaintError::NoMirror(_) = why {
        let (mirror, canvas) = (brushwork.painting.settings.mirror, brushwork.painting.easel.canvas.as_ref());
        // The axes are those of the mesh, which may stand another way in the scene.
        let other = canvas.and_then(Canvas::symmetric_across).filter(|axis| Some(*axis) != mirror);
        if let Some(axis) = other.filter(|_| mirror != Some(MirrorAxis::Auto)) {
            let label = format!("Mirror across {} instead", axis.id().to_uppercase());
            note.ways.push((label, set(brushwork, |settings| settings.mirror = Some(axis))));
        }
        note.ways.push(("Paint one side alone".to_owned(), set(brushwork, |settings| settings.mirror = None)));
    }
    note
}

/// Returns what the brush needs that is not there.
pub(super) fn lacks(brushwork: Brushwork<'_>, hand: Hand) -> Option<PaintNote> {
    let said = |text: &str, ways: Vec<Way>| Some(PaintNote { text: text.to_owned(), ways });
    let model = brushwork.model?;
    let has_weights = || model.meshes.iter().flat_map(|mesh| &mesh.primitives).any(|p| p.stored_influences.is_some());
    if model.skins.is_empty() || !has_weights() {
        return said("The model has no weights", Vec::new());
    }
    let paints_mask = brushwork.painting.paints_mask();
    if paints_mask && !mask::can_paint(hand.brush) {
        let way: Way = ("Take the brush Add".to_owned(), PaintCommand::Hold(Some("add".to_owned())).into());
        return said("A mask has no other joint to give to", vec![way, paint_weights(brushwork)]);
    }
    if hand.joint.is_none() && hand.brush.is_of_joint() && !paints_mask {
        let mut offered: Vec<NodeId> = under_pointer(brushwork).into_iter().collect();
        if let Some(selected) = brushwork.view.selected.filter(|node| node.index() < model.skeleton.len()) {
            let beside = model.joint_above(selected).or_else(|| model.joints_below(selected).next());
            offered.extend(beside.filter(|node| !offered.contains(node)));
        }
        let ways = offered.into_iter().map(|node| select(brushwork, node));
        let selected = brushwork.view.selected.map(|node| format!("{} is no joint of a skin", name(brushwork, node)));
        let text = selected.unwrap_or_else(|| "No joint is selected".to_owned());
        return said(&text, ways.collect());
    }
    if hand.to.is_none() && hand.brush.needs.contains(&Need::To) && !paints_mask {
        let ways = receivers(brushwork, hand.joint).into_iter().map(|node| {
            let label = format!("Give to {}", name(brushwork, node));
            (label, set(brushwork, |settings| settings.to = Some(node)))
        });
        return said("Give to which joint?", ways.collect());
    }
    if brushwork.painting.settings.only_marked && brushwork.view.marked.is_empty() {
        return said("No vertex is marked", vec![paint_all(brushwork)]);
    }
    match hand.brush.toward {
        Toward::Below => nothing_to_erase(brushwork).or_else(|| layer_lacks(brushwork)),
        _ => layer_lacks(brushwork),
    }
}

/// Returns the joints that could get what the painted one loses: first those that move what the brush is over, then the one above.
fn receivers(brushwork: Brushwork<'_>, joint: Option<NodeId>) -> Vec<NodeId> {
    let group = brushwork.painted_with(joint);
    let may_get =
        |node: &NodeId| Some(*node) != joint && !group.contains(node) && !brushwork.tools.locked.contains(node);
    let movers = brushwork.under_brush();
    let movers = if movers.is_empty() { under_pointer(brushwork).into_iter().collect() } else { movers };
    let mut out: Vec<NodeId> = movers.into_iter().filter(may_get).take(MOST_RECEIVERS).collect();
    let above = joint.and_then(|node| brushwork.model?.joint_above(node)).filter(may_get);
    out.extend(above.filter(|node| !out.contains(node)));
    out
}

/// Returns why there is no layer from which anything could be erased.
fn nothing_to_erase(brushwork: Brushwork<'_>) -> Option<PaintNote> {
    let layers = brushwork.painting.layers();
    if layers.active().is_some() {
        return None;
    }
    let way = |label: String, command: LayerCommand| (label, PaintCommand::Layer(command).into());
    if layers.is_empty() {
        let text = "There is no layer to erase: brushes paint the weights themselves".to_owned();
        return Some(PaintNote { text, ways: vec![way("Add a layer".to_owned(), LayerCommand::Add(String::new()))] });
    }
    let shown = layers.layers().iter().rev().filter(|layer| layers.is_shown(layer)).take(MOST_TAKERS);
    let ways = shown.map(|layer| way(format!("Erase in {}", layer.name()), LayerCommand::Select(Some(layer.id()))));
    Some(PaintNote { text: "The base is no layer: nothing lies below it".to_owned(), ways: ways.collect() })
}

/// Returns why nothing that is painted in the layer could be seen.
pub(super) fn layer_lacks(brushwork: Brushwork<'_>) -> Option<PaintNote> {
    let layers = brushwork.painting.layers();
    let layer = layers.layer(layers.active()?)?;
    let (id, name) = (layer.id(), layer.name());
    let said = |text: String, label: &str, command: LayerCommand| {
        let ways = vec![(label.to_owned(), PaintCommand::Layer(command).into())];
        Some(PaintNote { text, ways })
    };
    if !layers.is_shown(layer) {
        let alone = layers.solo().and_then(|solo| layers.layer(solo));
        return match alone {
            Some(alone) => {
                let text = format!("{name} is not shown, but {} alone", alone.name());
                said(text, "Show all layers", LayerCommand::Solo(None))
            }
            None => said(format!("{name} is off"), "Switch the layer on", LayerCommand::SetOn(id, true)),
        };
    }
    if layer.opacity() <= 0.0 {
        let text = format!("{name} has an opacity of 0");
        return said(text, "Make the layer opaque", LayerCommand::SetOpacity(id, 1.0));
    }
    None
}

/// Returns why the stroke that is under way has changed nothing so far; `None` where it has, or where there is no stroke.
pub(super) fn of_stroke(brushwork: Brushwork<'_>) -> Option<PaintNote> {
    let easel = &brushwork.painting.easel;
    let stroke = easel.stroke.as_ref()?;
    let report = easel.canvas.as_ref()?.report(&stroke.brushing);
    if report.changed > 0 {
        return hidden_by_mirror(brushwork);
    }
    let hand = Hand::of(brushwork, stroke.flips, stroke.smooths)?;
    let settings = &brushwork.painting.settings;
    let mut note = PaintNote::default();
    if report.vertices == 0 && settings.strength <= 0.0 {
        note.text = "The brush has no strength".to_owned();
        note.ways.push(("Set the strength to 0.5".to_owned(), set(brushwork, |all| all.strength = 0.5)));
        return Some(note);
    }
    if report.vertices == 0 {
        note.text = "No vertex here can be painted".to_owned();
        if settings.only_marked {
            note.ways.push(paint_all(brushwork));
        }
        if settings.front_only {
            note.ways.push(("Paint what looks away too".to_owned(), set(brushwork, |all| all.front_only = false)));
        }
        let wider = 2.0 * brushwork.paint_radius();
        note.ways.push(("Make the brush twice as wide".to_owned(), set(brushwork, |all| all.radius = wider)));
        return Some(note);
    }
    let stuck = report.stuck.iter().max_by_key(|(_, vertices)| *vertices);
    if brushwork.painting.paints_mask() {
        mask_rests(brushwork, hand, stuck.is_some(), &mut note);
        return Some(note);
    }
    match stuck {
        Some((why, _)) => say_stuck(brushwork, hand, *why, &mut note),
        None => rests(brushwork, hand, &mut note),
    }
    Some(note)
}

/// Returns why a gradient has touched nothing; `None` where it has, or where the brush has no strength.
pub(super) fn of_gradient(brushwork: Brushwork<'_>) -> Option<PaintNote> {
    let easel = &brushwork.painting.easel;
    let report = easel.canvas.as_ref()?.report(&easel.stroke.as_ref()?.brushing);
    if report.vertices > 0 || brushwork.painting.settings.strength <= 0.0 {
        return None;
    }
    let (text, ways) = match brushwork.view.marked.is_empty() {
        true => ("The gradient touches no vertex that can be painted", Vec::new()),
        false => {
            let none: Way = ("Mark none".to_owned(), MarkCommand::None.into());
            ("The gradient touches none of the marked vertices", vec![none])
        }
    };
    Some(PaintNote { text: text.to_owned(), ways })
}

/// Returns that an effect shows the other side where the layer has been painted; `None` where what was painted is seen.
fn hidden_by_mirror(brushwork: Brushwork<'_>) -> Option<PaintNote> {
    let layers = brushwork.painting.easel.canvas.as_ref()?.layers();
    if !layers.has_effects() || layers.is_same_as(brushwork.painting.layers()) {
        return None;
    }
    let ways = ways_of_mirror(layers);
    (!ways.is_empty()).then(|| PaintNote { text: "A mirror shows the other side here".to_owned(), ways })
}

/// Returns what can be done where a mirror among the effects of layers shows the other side; nothing where there is none.
pub(super) fn ways_of_mirror(layers: &LayerStack) -> Vec<Way> {
    let mirror = layers.acting_effects().find(|(_, _, effect)| effect.is_mirror());
    let Some((of, place, effect)) = mirror else { return Vec::new() };
    let side = effect.values().get(1).copied().unwrap_or(0.0);
    vec![
        way("Mirror this side instead", LayerCommand::SetEffect(of, place, "side".to_owned(), 1.0 - side)),
        way("Switch the mirror off", LayerCommand::SwitchEffect(of, place, false)),
    ]
}

/// Returns a label with what it does to layers.
pub(super) fn way(label: &str, command: LayerCommand) -> Way {
    (label.to_owned(), PaintCommand::Layer(command).into())
}

fn say_stuck(brushwork: Brushwork<'_>, hand: Hand, why: Stuck, note: &mut PaintNote) {
    let easel = &brushwork.painting.easel;
    let place = easel.canvas.as_ref().zip(easel.stroke.as_ref());
    let place = place.and_then(|(canvas, stroke)| canvas.stuck_place(&stroke.brushing, why)).unwrap_or_default();
    let locked = &brushwork.tools.locked;
    let painted = [hand.joint, hand.to].into_iter().flatten().find(|node| locked.contains(node));
    let group = brushwork.painted_with(hand.joint);
    let is_painted = |node: &NodeId| Some(*node) == hand.joint || group.contains(node);
    let others: Vec<NodeId> = place.joints.iter().copied().filter(|node| !is_painted(node)).collect();
    let are_locked = !others.is_empty() && others.iter().all(|node| locked.contains(node));
    match (why, painted) {
        (Stuck::Locked, Some(node)) => say_locked(brushwork, &[node], "", note),
        (Stuck::Locked | Stuck::NoRoom | Stuck::OnlyJoint, None) if are_locked => {
            let other = if others.len() < place.joints.len() { "other " } else { "" };
            say_locked(brushwork, &others, other, note);
            if let Some(joint) = hand.joint.filter(|_| why == Stuck::OnlyJoint) {
                note.ways.extend(takers(brushwork, joint, &place).into_iter().map(|node| give(brushwork, node)));
            }
        }
        (Stuck::Locked, None) => note.text = "All joints here are locked".to_owned(),
        (Stuck::OnlyJoint, _) => match hand.joint {
            Some(joint) => {
                note.text = match group.is_empty() {
                    true => format!("{} is the only joint of this vertex: give to which?", name(brushwork, joint)),
                    false => {
                        format!("{} and those below have this vertex alone: give to which?", name(brushwork, joint))
                    }
                };
                note.ways.extend(takers(brushwork, joint, &place).into_iter().map(|node| give(brushwork, node)));
            }
            None => note.text = "Only one joint moves what is here".to_owned(),
        },
        (Stuck::NoRoom, _) => note.text = "Locked joints have the rest of the weight".to_owned(),
        (Stuck::OtherSkin, _) => {
            let missing = hand.to.or(hand.joint).map(|node| name(brushwork, node)).unwrap_or_default();
            note.text = format!("The skin here does not have {missing}");
        }
        (Stuck::NoSlot, _) => {
            note.text = match locked.is_empty() {
                true => "The joints with more weight leave no slot for another one".to_owned(),
                false => "Locked joints leave no slot for another joint".to_owned(),
            };
            if brushwork.painting.settings.max_influences.is_some() {
                let label = "Allow as many joints as the file has room for".to_owned();
                note.ways.push((label, set(brushwork, |all| all.max_influences = None)));
            }
        }
    }
    if !locked.is_empty() {
        note.ways.push(("Unlock all joints".to_owned(), ToolCommand::UnlockAll.into()));
    }
}

/// Returns why nothing can be seen of what the stroke has painted so far: the mask of the layer is empty wherever it has touched.
pub(super) fn under_mask(brushwork: Brushwork<'_>) -> Option<PaintNote> {
    let layers = brushwork.painting.layers();
    let layer = layers.layer(layers.active()?).filter(|layer| layer.has_mask())?;
    let easel = &brushwork.painting.easel;
    if !easel.canvas.as_ref()?.is_masked_out(&easel.stroke.as_ref()?.brushing) {
        return None;
    }
    let remove = PaintCommand::Layer(LayerCommand::RemoveMask(layer.id()));
    let ways = vec![
        ("Paint the mask".to_owned(), set(brushwork, |settings| settings.mask = true)),
        ("Remove the mask".to_owned(), remove.into()),
    ];
    Some(PaintNote { text: format!("The mask of {} is empty here", layer.name()), ways })
}

/// Says why the mask stays as it is.
fn mask_rests(brushwork: Brushwork<'_>, hand: Hand, is_stuck: bool, note: &mut PaintNote) {
    let settings = &brushwork.painting.settings;
    let is = |brush: &Brush| brush.id == hand.brush.id;
    note.text = if is_stuck {
        note.ways.push(("Unlock all joints".to_owned(), ToolCommand::UnlockAll.into()));
        "Locked joints would get other weights by this mask".to_owned()
    } else if is(&skinscope_weights::brush::ADD) && settings.ceiling >= 1.0 {
        "The mask is full here already".to_owned()
    } else if is(&skinscope_weights::brush::ADD) {
        format!("The mask is at the ceiling of {}", share(settings.ceiling))
    } else if is(&skinscope_weights::brush::SUBTRACT) && settings.floor <= 0.0 {
        "The mask is empty here already".to_owned()
    } else {
        "The mask is here already as the brush makes it".to_owned()
    };
    note.ways.push(paint_weights(brushwork));
}

fn paint_weights(brushwork: Brushwork<'_>) -> Way {
    ("Paint weights".to_owned(), set(brushwork, |settings| settings.mask = false))
}

/// Says that joints are locked: `other` is said of those beside the painted one.
fn say_locked(brushwork: Brushwork<'_>, joints: &[NodeId], other: &str, note: &mut PaintNote) {
    match joints {
        [node] => {
            note.text = format!("{} is locked", name(brushwork, *node));
            note.ways.push((format!("Unlock {}", name(brushwork, *node)), ToolCommand::ToggleLock(*node).into()));
        }
        _ => note.text = format!("All {} {other}influences are locked", joints.len()),
    }
}

/// Returns joints that could take the weight of one that is alone at a place: those of the places around, or else those next to it in the
/// skeleton.
fn takers(brushwork: Brushwork<'_>, joint: NodeId, place: &StuckPlace) -> Vec<NodeId> {
    let group = brushwork.painted_with(Some(joint));
    let is_painted = |node: &NodeId| *node == joint || group.contains(node);
    let mut out: Vec<NodeId> = place.around.iter().copied().filter(|node| !is_painted(node)).collect();
    if let Some(model) = brushwork.model.filter(|_| out.is_empty()) {
        let beside = model.joint_above(joint).into_iter().chain(model.joints_below(joint));
        out.extend(beside.filter(|node| !is_painted(node) && !brushwork.tools.locked.contains(node)));
    }
    out.truncate(MOST_TAKERS);
    out
}

fn give(brushwork: Brushwork<'_>, node: NodeId) -> Way {
    (format!("Give to {}", name(brushwork, node)), PaintCommand::GiveTo(node).into())
}

/// Says why a vertex has what is asked for already, and how it could get more.
fn rests(brushwork: Brushwork<'_>, hand: Hand, note: &mut PaintNote) {
    let settings = &brushwork.painting.settings;
    let Some(joint) = hand.joint.map(|node| name(brushwork, node)) else {
        let even = match hand.brush.toward {
            Toward::Touched => "The weights here are all the same already",
            Toward::Below => "The layer has nothing here",
            Toward::Nothing | Toward::Neighbours | Toward::NeighboursByLength => "The weights here are even already",
        };
        even.clone_into(&mut note.text);
        return;
    };
    let is = |brush: &Brush| brush.id == hand.brush.id;
    let is_scaled = hand.brush.needs.contains(&Need::Factor);
    let wanted = if is(&skinscope_weights::brush::REPLACE) { settings.value } else { f64::NAN };
    if is(&skinscope_weights::brush::ADD) && settings.ceiling >= 1.0 {
        note.text = format!("{joint} has all of the weight here");
    } else if is(&skinscope_weights::brush::ADD) || wanted > settings.ceiling {
        note.text = format!("{joint} is at the ceiling of {}", share(settings.ceiling));
        note.ways.push(("Raise the ceiling to 1".to_owned(), set(brushwork, |all| all.ceiling = 1.0)));
    } else if settings.floor > 0.0 && (is(&skinscope_weights::brush::SUBTRACT) || wanted < settings.floor) {
        note.text = format!("{joint} is at the floor of {}", share(settings.floor));
        note.ways.push(("Lower the floor to 0".to_owned(), set(brushwork, |all| all.floor = 0.0)));
    } else if !wanted.is_nan() {
        note.text = format!("{joint} has {} here already", share(wanted));
    } else if is_scaled && hand.factor == 1.0 {
        note.text = "A factor of 1 changes nothing".to_owned();
    } else if is_scaled && hand.factor > 1.0 && settings.ceiling < 1.0 {
        note.text = format!("{joint} has no weight here, or is at the ceiling of {}", share(settings.ceiling));
    } else if is_scaled && hand.factor < 1.0 && settings.floor > 0.0 {
        note.text = format!("{joint} has no weight here, or is at the floor of {}", share(settings.floor));
    } else {
        note.text = format!("{joint} has no weight here");
    }
}

/// Writes a weight with two digits, or with three where it has them.
fn share(weight: f64) -> String {
    let has_two = ((weight * 100.0).round() - weight * 100.0).abs() < 1e-6;
    if has_two { format!("{weight:.2}") } else { format!("{weight:.3}") }
}

fn name(brushwork: Brushwork<'_>, node: NodeId) -> String {
    let names = brushwork.model.map(|model| &model.skeleton.names);
    names.and_then(|names| names.get(node.index())).cloned().unwrap_or_default()
}

fn select(brushwork: Brushwork<'_>, node: NodeId) -> Way {
    (format!("Select {}", name(brushwork, node)), SelectionCommand::Select(Some(node)).into())
}

/// The joint that moves most what is under the pointer.
fn under_pointer(brushwork: Brushwork<'_>) -> Option<NodeId> {
    let hit = brushwork.picking.vertex_near_at_hand(brushwork.painting.hover?)?;
    brushwork.picking.mover(hit)
}

fn paint_all(brushwork: Brushwork<'_>) -> Way {
    ("Paint all vertices".to_owned(), set(brushwork, |settings| settings.only_marked = false))
}

/// Returns the command that changes the settings.
fn set(brushwork: Brushwork<'_>, change: impl FnOnce(&mut PaintSettings)) -> Command {
    let mut settings = brushwork.painting.settings.clone();
    change(&mut settings);
    PaintCommand::Set(settings).into()
}
