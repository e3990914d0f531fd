//! What is said at the pointer where a dab changes nothing, and what can be done about it.

use skinscope_model::NodeId;
use skinscope_paint::PaintError;
use skinscope_weights::{Brush, Need, Stuck, Toward};

use super::hand::Hand;
use super::{PaintCommand, PaintNote, PaintSettings};
use crate::{Command, SelectionCommand, Session, ToolCommand};

/// A label and the command that it stands for.
type Way = (String, Command);

/// Says what an error of the canvas says.
pub(super) fn refused(why: &str) -> PaintNote {
    let mut letters = why.chars();
    let text = letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect());
    PaintNote { text, ways: Vec::new() }
}

/// Says why a stroke cannot begin.
pub(super) fn cannot_begin(session: &Session, why: &PaintError) -> PaintNote {
    let mut note = refused(&why.to_string());
    if *why == PaintError::NoMesh {
        note.ways.extend(under_pointer(session).map(|node| select(session, node)));
    }
    note
}

/// Returns what the brush needs that is not there.
pub(super) fn lacks(session: &Session, hand: Hand) -> Option<PaintNote> {
    let said = |text: &str, ways: Vec<Way>| Some(PaintNote { text: text.to_owned(), ways });
    let model = session.model()?;
    let has_weights = || model.meshes.iter().flat_map(|mesh| &mesh.primitives).any(|p| p.stored_influences.is_some());
    if model.skins.is_empty() || !has_weights() {
        return said("The model has no weights", Vec::new());
    }
    if hand.joint.is_none() && hand.brush.is_of_joint() {
        let ways = under_pointer(session).map(|node| select(session, node));
        let selected = session.view.selected.map(|node| format!("{} is no joint of a skin", name(session, node)));
        let text = selected.unwrap_or_else(|| "No joint is selected".to_owned());
        return said(&text, ways.into_iter().collect());
    }
    if hand.to.is_none() && hand.brush.needs.contains(&Need::To) {
        let above = hand.joint.and_then(|node| model.joint_above(node));
        let mut offered: Vec<NodeId> = under_pointer(session).into_iter().chain(above).collect();
        offered.dedup();
        let ways = offered.into_iter().filter(|node| Some(*node) != hand.joint).map(|node| {
            let label = format!("Give to {}", name(session, node));
            (label, set(session, |settings| settings.to = Some(node)))
        });
        return said("Give to which joint?", ways.collect());
    }
    if session.painting.settings.only_marked && session.view.marked.is_empty() {
        return said("No vertex is marked", vec![paint_all(session)]);
    }
    None
}

/// Returns why the stroke that is under way has changed nothing so far; `None` where it has, or where there is no stroke.
pub(super) fn of_stroke(session: &Session) -> Option<PaintNote> {
    let easel = &session.painting.easel;
    let stroke = easel.stroke.as_ref()?;
    let report = easel.canvas.as_ref()?.report(&stroke.brushing);
    if report.changed > 0 {
        return None;
    }
    let hand = Hand::of(session, stroke.flips, stroke.smooths)?;
    let settings = &session.painting.settings;
    let mut note = PaintNote::default();
    if report.vertices == 0 {
        note.text = "No vertex here can be painted".to_owned();
        if settings.only_marked {
            note.ways.push(paint_all(session));
        }
        if settings.front_only {
            note.ways.push(("Paint what looks away too".to_owned(), set(session, |all| all.front_only = false)));
        }
        let wider = 2.0 * session.paint_radius();
        note.ways.push(("Make the brush twice as wide".to_owned(), set(session, |all| all.radius = wider)));
        return Some(note);
    }
    let stuck = report.stuck.iter().max_by_key(|(_, vertices)| *vertices);
    match stuck {
        Some((why, _)) => say_stuck(session, hand, *why, &mut note),
        None => note.text = rests(session, hand),
    }
    Some(note)
}

fn say_stuck(session: &Session, hand: Hand, why: Stuck, note: &mut PaintNote) {
    let locked = &session.tools.locked;
    let painted = [hand.joint, hand.to].into_iter().flatten().find(|node| locked.contains(node));
    let joint = hand.joint.map_or_else(String::new, |node| name(session, node));
    match (why, painted) {
        (Stuck::Locked, Some(node)) => {
            note.text = format!("{} is locked", name(session, node));
            note.ways.push((format!("Unlock {}", name(session, node)), ToolCommand::ToggleLock(node).into()));
        }
        (Stuck::Locked, None) => note.text = "All joints here are locked".to_owned(),
        (Stuck::OnlyJoint, _) if hand.joint.is_some() => {
            note.text = format!("{joint} is the only joint here that may change: give its weight to which?");
            let give = skinscope_weights::brush::GIVE.id.to_owned();
            note.ways.push(("Give to another joint".to_owned(), PaintCommand::Hold(Some(give)).into()));
        }
        (Stuck::OnlyJoint, _) => note.text = "Only one joint moves what is here".to_owned(),
        (Stuck::NoRoom, _) => note.text = "Locked joints have the rest of the weight".to_owned(),
        (Stuck::NoSlot, _) => {
            note.text = "Locked joints leave no slot for another joint".to_owned();
            if session.painting.settings.max_influences.is_some() {
                let label = "Allow as many joints as the file has room for".to_owned();
                note.ways.push((label, set(session, |all| all.max_influences = None)));
            }
        }
    }
    if !locked.is_empty() {
        note.ways.push(("Unlock all joints".to_owned(), ToolCommand::UnlockAll.into()));
    }
}

/// Says why a vertex has what is asked for already.
fn rests(session: &Session, hand: Hand) -> String {
    let settings = &session.painting.settings;
    let Some(joint) = hand.joint.map(|node| name(session, node)) else {
        return match hand.brush.toward {
            Toward::Nothing | Toward::Neighbours => "The weights here are even already".to_owned(),
            Toward::Touched => "The weights here are all the same already".to_owned(),
        };
    };
    let is = |brush: &Brush| brush.id == hand.brush.id;
    if is(&skinscope_weights::brush::ADD) {
        return format!("{joint} is at the ceiling, {}", settings.ceiling);
    }
    if is(&skinscope_weights::brush::REPLACE) {
        return format!("{joint} has {} here already", settings.value.clamp(settings.floor, settings.ceiling));
    }
    if hand.brush.needs.contains(&Need::To) || settings.floor <= 0.0 {
        return format!("{joint} has no weight here");
    }
    format!("{joint} is at the floor, {}", settings.floor)
}

fn name(session: &Session, node: NodeId) -> String {
    let names = session.model().map(|model| &model.skeleton.names);
    names.and_then(|names| names.get(node.index())).cloned().unwrap_or_default()
}

fn select(session: &Session, node: NodeId) -> Way {
    (format!("Select {}", name(session, node)), SelectionCommand::Select(Some(node)).into())
}

/// The joint that moves most what is under the pointer.
fn under_pointer(session: &Session) -> Option<NodeId> {
    let hit = session.picking().vertex_near_at_hand(session.painting.hover?)?;
    session.picking().mover(hit)
}

fn paint_all(session: &Session) -> Way {
    ("Paint all vertices".to_owned(), set(session, |settings| settings.only_marked = false))
}

/// Returns the command that changes the settings.
fn set(session: &Session, change: impl FnOnce(&mut PaintSettings)) -> Command {
    let mut settings = session.painting.settings.clone();
    change(&mut settings);
    PaintCommand::Set(settings).into()
}
