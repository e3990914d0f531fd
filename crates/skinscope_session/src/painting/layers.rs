//! Layers of weights in a session: commands about them, each of which is one step, and how they follow what else changes weights.

use skinscope_anim::pose::Keys;
use skinscope_edit::Sheet;
use skinscope_model::{Model, NodeId};
use skinscope_paint::{CopiedLayer, KeptChoice, LayerId, LayerStack, LayersForm};
use skinscope_weights::{TableRow, exact};

use super::{Painter, layer_steps, notes, stroke};

/// Commands about layers of weights.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum LayerCommand {
    /// Add a layer over the one that brushes paint in, which they paint in from now on. Without a name it gets a number.
    Add(String),
    /// Remove a layer with its weights.
    Remove(LayerId),
    /// Give a layer another name.
    Rename(LayerId, String),
    /// Move a layer to another place from the bottom, 0 being the lowest.
    Move(LayerId, usize),
    /// Switch a layer on or off.
    SetOn(LayerId, bool),
    /// Say how much of a layer there is, 0 to 1.
    SetOpacity(LayerId, #[serde(with = "exact")] f64),
    /// Show one layer without the others, or all that are on.
    Solo(Option<LayerId>),
    /// Make one layer of a layer and the one below it, or of the lowest one and the base.
    MergeDown(LayerId),
    /// Put a copy over a layer, which brushes paint in from now on.
    Duplicate(LayerId),
    /// Say in which layer brushes paint; `None`: in the base. This is no step.
    Select(Option<LayerId>),
    /// Let a layer be at the marked vertices alone.
    MaskMarked(LayerId),
    /// Take the weights of the marked vertices out of a layer.
    EraseMarked(LayerId),
    /// Let a layer be everywhere.
    RemoveMask(LayerId),
    /// Copy a layer to the model beside this one: what it changes is carried as weights are transferred. It is a step there.
    CopyToOther(LayerId),
    /// Copy a layer of the model beside this one to this one, in the same way. It is a step here.
    CopyFromOther(LayerId),
    /// Give up the copies of layers that are not there yet.
    CancelCopy,
    /// Say what becomes of the layers that the file keeps although another program has changed what they make.
    Kept(KeptChoice),
    /// Add an effect ([`skinscope_paint::EFFECTS`]) to a layer or, for `None`, to what all layers make together, where it works after the others.
    /// Joints that are locked now keep their weights under it.
    AddEffect(Option<LayerId>, String),
    /// Remove an effect of a layer, or of all together, by its place.
    RemoveEffect(Option<LayerId>, usize),
    /// Move an effect to another place: the first one works first.
    MoveEffect(Option<LayerId>, usize, usize),
    /// Switch an effect on or off.
    SwitchEffect(Option<LayerId>, usize, bool),
    /// Give a parameter of an effect, by its id, a value: a number, or the place of a word.
    SetEffect(Option<LayerId>, usize, String, #[serde(with = "exact")] f64),
}

/// Carries out a command about layers.
pub(super) fn apply(painter: &mut Painter<'_>, command: &LayerCommand) {
    if painter.model().is_none() {
        return;
    }
    stroke::end(painter.painting);
    (painter.painting.note, painter.painting.copied) = (None, None);
    if let LayerCommand::Select(id) = command {
        let painting = &mut *painter.painting;
        painting.layers.select(*id);
        painting.easel.canvas.iter_mut().for_each(|canvas| canvas.select_layer(*id));
        return;
    }
    if *command == LayerCommand::Kept(KeptChoice::Drop) {
        return drop_asked(painter);
    }
    // Who works with layers sees the weights that they make.
    if painter.skinning.tools.is_trying() {
        painter.skinning.choose(None);
    }
    stroke::put_up(painter);
    let Some(layers) = changed(painter, command) else { return };
    if let LayerCommand::MergeDown(merged) = command {
        painter.painting.note_merged(|id| id == *merged);
    }
    set(painter, layers);
}

/// Takes the layers that the file keeps out of it, in one step.
fn drop_asked(painter: &mut Painter<'_>) {
    let asked = painter.painting.drop_asked();
    asked.into_iter().for_each(|asked| painter.skinning.history.asked_layers_changed(asked));
}

/// Takes a layer that was not painted here, over all that are there: a copy of one of another model, or what a tool would do.
pub(crate) fn take_copy(painter: &mut Painter<'_>, copied: &CopiedLayer) {
    stroke::end(painter.painting);
    if painter.skinning.tools.is_trying() {
        painter.skinning.choose(None);
    }
    stroke::put_up(painter);
    let layers = painter.painting.easel.canvas.as_ref().map(|canvas| canvas.layers_with(copied));
    layers.into_iter().for_each(|layers| set(painter, layers));
}

/// Takes other layers, with the weights that they make, in one step.
fn set(painter: &mut Painter<'_>, layers: LayerStack) {
    let Some(canvas) = &mut painter.painting.easel.canvas else { return };
    match canvas.set_layers(layers) {
        Ok(changes) if changes.is_empty() => {
            // What was said of the layers as they were may be so no more.
            painter.painting.note = None;
            layer_steps::note(painter, false);
        }
        Ok(changes) => stroke::take_changes(painter, &changes),
        Err(why) => painter.painting.note = Some(notes::refused(&why.to_string())),
    }
    let strokes = painter.painting.recorded_count();
    painter.painting.easel.note_stroke(strokes);
}

/// Returns the layers that a command makes; `None` where it changes nothing.
fn changed(painter: &Painter<'_>, command: &LayerCommand) -> Option<LayerStack> {
    let canvas = painter.painting.easel.canvas.as_ref()?;
    let mut layers = canvas.layers().clone();
    let is_other = match command {
        LayerCommand::Add(name) => {
            layers.add(name);
            true
        }
        LayerCommand::Remove(id) => layers.remove(*id),
        LayerCommand::Rename(id, name) => layers.rename(*id, name),
        LayerCommand::Move(id, place) => layers.move_to(*id, *place),
        LayerCommand::SetOn(id, is_on) => layers.set_on(*id, *is_on),
        LayerCommand::SetOpacity(id, opacity) => layers.set_opacity(*id, *opacity),
        LayerCommand::Solo(id) => layers.set_solo(*id),
        LayerCommand::MergeDown(id) => return canvas.merged_down(*id),
        LayerCommand::Duplicate(id) => layers.duplicate(*id),
        LayerCommand::MaskMarked(id) => {
            let rows = marked_rows(painter)?;
            !rows.is_empty() && layers.set_mask(*id, Some(&rows))
        }
        LayerCommand::EraseMarked(id) => layers.erase(*id, &marked_rows(painter)?),
        LayerCommand::RemoveMask(id) => layers.set_mask(*id, None),
        LayerCommand::Kept(choice) => {
            layers = painter.painting.asked_layers()?.chosen(*choice, painter.skinning.edited().edited_model()?);
            true
        }
        LayerCommand::AddEffect(of, kind) => {
            let locked = &painter.skinning.tools.locked;
            let is_added = layers.add_effect(*of, kind, locked.iter().map(|node| node.0).collect());
            if is_added {
                canvas.begin_across(&mut layers, *of);
            }
            is_added
        }
        LayerCommand::RemoveEffect(of, place) => layers.remove_effect(*of, *place),
        LayerCommand::MoveEffect(of, place, to) => layers.move_effect(*of, *place, *to),
        LayerCommand::SwitchEffect(of, place, is_on) => layers.switch_effect(*of, *place, *is_on),
        LayerCommand::SetEffect(of, place, parameter, value) => layers.set_effect(*of, *place, parameter, *value),
        LayerCommand::Select(_)
        | LayerCommand::CopyToOther(_)
        | LayerCommand::CopyFromOther(_)
        | LayerCommand::CancelCopy => false,
    };
    is_other.then_some(layers)
}

/// Returns the rows of the marked vertices.
fn marked_rows(painter: &Painter<'_>) -> Option<Vec<TableRow>> {
    let model = painter.skinning.edited().edited_model()?;
    let marked = stroke::mask_of(model, &painter.skinning.view.marked);
    Some(painter.painting.easel.canvas.as_ref()?.rows_of(&marked))
}

/// Lets layers follow the weights of the model, which something else than a brush may have changed: a layer takes what it has done.
pub(super) fn follow(painter: &mut Painter<'_>) {
    let painting = &mut *painter.painting;
    if painting.layers.is_empty() {
        return;
    }
    if painting.easel.canvas.is_none() {
        // Other vertices have weights now. The step that has done that has brought the layers that fit, or none.
        return;
    }
    if !painting.easel.is_current {
        stroke::put_up(painter);
    } else if let Some(canvas) = &mut painting.easel.canvas {
        canvas.select_layer(painting.layers.active());
    }
}

/// Returns the layers that a session file has, where they fit the model that is open.
pub(crate) fn fitting(model: &Model, form: &LayersForm) -> Option<LayerStack> {
    let keys = Keys::of(model);
    let tables = Sheet::of_file(model).tables;
    let has = |at: TableRow| tables.get(at.table).is_some_and(|table| at.row < table.vertices());
    let mut layers = form.stack(&mut |name: &str| keys.find(name).map(|node| node.0), &has)?;
    layers.keep_pairs_of(&tables);
    Some(layers)
}

/// Returns layers as a session file has them; `None` where there are none.
pub(crate) fn form_of(model: &Model, layers: &LayerStack) -> Option<LayersForm> {
    let keys = Keys::of(model);
    let name = |key: u32| {
        let node = NodeId(key);
        (node.index() < model.skeleton.len()).then(|| keys.key(node).to_owned())
    };
    LayersForm::of(layers, &name)
}
