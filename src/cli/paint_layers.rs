//! Options of `skinscope paint` about layers of weights, which the file keeps in its extras.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{ArgGroup, Args};

use super::{CliError, OpenArgs, other_file, printable};
use crate::edit::{LayersInFile, ParameterKind};
use crate::model::Model;
use crate::output::say;
use crate::paint::{
    Canvas, CopiedLayer, EFFECTS, KeptChoice, LayerStack, PaintError, PaintedOn, kept_layers, kept_text,
};
use crate::parallel::JobContext;
use crate::session::Document;

/// The layer that is painted in, and layers of another file.
#[derive(Clone, Debug, Args)]
#[command(group = ArgGroup::new("layered").args(["layer", "base", "layers_from"]).multiple(true))]
pub(super) struct LayerArgs {
    /// Paint in the layer of this name, over the others that MODEL keeps, and let the result keep all of them in its extras; a layer that is
    /// not there is added
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    layer: Option<String>,
    /// Paint the mask of that layer, which says how much of it there is at each vertex, and not weights: what a brush does to the weight of a
    /// joint it does to the mask, and no joint has to be named
    #[arg(long, requires = "layer")]
    mask: bool,
    /// Paint in the base below the layers that MODEL keeps, and let the result keep them over it, so that all layers together make the weights
    #[arg(long, conflicts_with = "layer")]
    base: bool,
    /// Copy the layers that this file keeps to MODEL, over its own: what each changes goes to the nearest surface, by the names of joints; the
    /// result keeps all of them in its extras
    #[arg(long, value_name = "FILE", allow_hyphen_values = true)]
    pub layers_from: Option<PathBuf>,
    /// What becomes of layers that MODEL keeps although another program has changed the weights that they make
    #[arg(long, value_name = "CHOICE", requires = "layered", value_parser = choices())]
    kept_layers: Option<String>,
    /// Add an effect to the layer, which works on all that is painted in it: mirror, smooth, prune or limit, with settings such as
    /// smooth:strength=0.5,passes=2 or mirror:axis=x,side=-; a mirror without an axis takes the plane across which MODEL is symmetric; may be
    /// given several times
    #[arg(long, value_name = "EFFECT", requires = "layer", value_parser = read_effect)]
    layer_effect: Vec<WantedEffect>,
    /// Add an effect to what all layers make together, as by --layer-effect
    #[arg(long, value_name = "EFFECT", requires = "layer", value_parser = read_effect)]
    layers_effect: Vec<WantedEffect>,
}

/// The layer that something goes into that is no stroke.
#[derive(Clone, Debug, Args)]
pub(super) struct IntoLayerArgs {
    /// Let the change go into the layer of this name, over the others that MODEL keeps, so that all layers together make the weights, and let the
    /// result keep all of them in its extras; a layer that is not there is added
    #[arg(long, value_name = "NAME", requires = "vertex", allow_hyphen_values = true)]
    layer: Option<String>,
    /// What becomes of layers that MODEL keeps although another program has changed the weights that they make
    #[arg(long, value_name = "CHOICE", requires = "layer", value_parser = choices())]
    kept_layers: Option<String>,
}

impl IntoLayerArgs {
    /// Returns the same as strokes ask for it; `None` where no layer is named.
    pub(super) fn asked(&self) -> Option<LayerArgs> {
        self.layer.as_ref()?;
        Some(LayerArgs {
            layer: self.layer.clone(),
            mask: false,
            base: false,
            layers_from: None,
            kept_layers: self.kept_layers.clone(),
            layer_effect: Vec::new(),
            layers_effect: Vec::new(),
        })
    }
}

/// An effect of layers with its settings, as it is asked for.
#[derive(Clone, Debug)]
struct WantedEffect {
    kind: &'static str,
    settings: Vec<(&'static str, f64)>,
}

/// Reads an effect: its name and, after a colon, its settings.
fn read_effect(text: &str) -> Result<WantedEffect, String> {
    let (kind, settings) = text.split_once(':').unwrap_or((text, ""));
    let known = || EFFECTS.iter().map(|row| row.id).collect::<Vec<_>>().join(", ");
    let row = EFFECTS.iter().find(|row| row.id == kind);
    let row = row.ok_or_else(|| format!("there is no effect \"{kind}\"; expected one of {}", known()))?;
    let setting = |text: &str| {
        let (name, value) = text.split_once('=').ok_or_else(|| format!("expected NAME=VALUE, found \"{text}\""))?;
        let names = || row.parameters.iter().map(|parameter| parameter.id).collect::<Vec<_>>().join(", ");
        let parameter = row.parameters.iter().find(|parameter| parameter.id == name);
        let parameter =
            parameter.ok_or_else(|| format!("{kind} has no setting \"{name}\"; expected one of {}", names()))?;
        let number = match &parameter.kind {
            ParameterKind::Choice(choice) => {
                choice.words.iter().position(|word| word.id == value).map(|place| place as f64)
            }
            _ => value.parse().ok().filter(|number: &f64| number.is_finite()),
        };
        Ok::<_, String>((parameter.id, number.ok_or_else(|| format!("{name} cannot be \"{value}\""))?))
    };
    let settings = settings.split(',').filter(|setting| !setting.is_empty()).map(setting);
    Ok(WantedEffect { kind: row.id, settings: settings.collect::<Result<_, _>>()? })
}

/// The words for what becomes of layers, with what each means.
const CHOICES: [(&str, KeptChoice, &str); 3] = [
    ("changes", KeptChoice::Changes, "What was changed is a layer over the others"),
    ("bottom", KeptChoice::Bottom, "The layers lie over what the file has now"),
    ("drop", KeptChoice::Drop, "The layers go"),
];

fn choices() -> PossibleValuesParser {
    PossibleValuesParser::new(CHOICES.map(|(word, _, help)| PossibleValue::new(word).help(help)))
}

impl LayerArgs {
    /// Whether the mask of the layer is painted, and not weights.
    pub(super) fn paints_mask(&self) -> bool {
        self.mask
    }

    /// Whether the layers that MODEL keeps are painted in, or others are added to them.
    fn concerns_layers(&self) -> bool {
        self.layer.is_some() || self.layers_from.is_some() || self.base
    }

    /// Returns the option that an error about the layers is told of.
    fn option(&self) -> &'static str {
        if self.base { "--base" } else { "--layer" }
    }

    /// Returns what strokes are carried out on.
    pub(super) fn painted_on(&self) -> PaintedOn {
        match (&self.layer, self.mask) {
            (_, true) => PaintedOn::Mask,
            (Some(_), false) => PaintedOn::Layer,
            (None, false) => PaintedOn::Weights,
        }
    }

    /// Gives a canvas the layers that were asked for, if any, and lets it paint in the one that is named.
    pub(super) fn put_up(&self, canvas: &mut Canvas, model: &Model, open: &OpenArgs) -> Result<(), CliError> {
        if !self.concerns_layers() {
            return Ok(());
        }
        let usage = |text: &str| CliError::Usage(printable(text));
        let name = self.layer.as_deref().map(str::trim);
        if name == Some("") {
            return Err(usage("--layer: a layer needs a name"));
        }
        let refused = |why: PaintError| usage(&format!("{}: {why}", self.option()));
        canvas.set_layers(self.layers_of(model)?).map_err(refused)?;
        if let Some(from) = &self.layers_from {
            let (document, given) = layers_of_file(from, open)?;
            let other: &Model = document.stored();
            for layer in given.layers() {
                // Each lies over those that were copied before it.
                let to = Arc::clone(canvas.model());
                let (locked, context) = (BTreeSet::new(), JobContext::of_waiting());
                let copied = CopiedLayer::of((other, &given), layer.id(), (to.as_ref(), &locked), &context);
                let Some(copied) = copied else { continue };
                say(format_args!("{}", printable(&copied.report())));
                canvas.set_layers(canvas.layers_with(&copied)).map_err(refused)?;
            }
        }
        if self.base {
            canvas.select_layer(None);
        }
        let Some(name) = name else { return Ok(()) };
        let mut layers = canvas.layers().clone();
        let known = layers.layers().iter().find(|layer| layer.name() == name).map(|layer| layer.id());
        if known.is_some() {
            layers.select(known);
        } else {
            layers.select(layers.layers().last().map(|layer| layer.id()));
            layers.add(name);
        }
        let wanted = [(layers.active(), &self.layer_effect), (None, &self.layers_effect)];
        for (of, effect) in wanted.into_iter().flat_map(|(of, all)| all.iter().map(move |effect| (of, effect))) {
            let place = layers.effects_of(of).len();
            let mut has_room = layers.add_effect(of, effect.kind, BTreeSet::new());
            // As in the window, a mirror begins across the plane of symmetry; an axis that is named comes after that.
            canvas.begin_across(&mut layers, of);
            for (setting, value) in &effect.settings {
                let is_set = layers.set_effect(of, place, setting, *value);
                has_room &= is_set || *value <= 1.0 + layers.room_for_effects() as f64;
            }
            if !has_room {
                return Err(usage("--layer-effect: the layers have as many effects as there can be"));
            }
        }
        canvas.set_layers(layers).map_err(refused)?;
        Ok(())
    }

    /// Returns the layers that a model's file keeps, as far as they are taken.
    fn layers_of(&self, model: &Model) -> Result<LayerStack, CliError> {
        let word = self.kept_layers.as_deref();
        let choice = CHOICES.iter().find(|(of, ..)| word == Some(*of)).map(|(_, choice, _)| *choice);
        let refused = |text: &str| Err(CliError::Usage(printable(&format!("{}: {text}", self.option()))));
        match (kept_layers(model), choice) {
            (Ok(None), _) | (_, Some(KeptChoice::Drop)) => Ok(LayerStack::default()),
            (Ok(Some(kept)), _) if kept.fits() => Ok(kept.layers),
            (Ok(Some(kept)), Some(choice)) => Ok(kept.chosen(choice, model)),
            (Ok(Some(kept)), None) => refused(&format!(
                "the file keeps layers, but was changed since: {}; say by --kept-layers what becomes of them: changes, bottom or drop",
                kept.difference()
            )),
            (Err(why), _) => refused(&format!("{why}; --kept-layers drop takes them out of the file")),
        }
    }

    /// Returns what the file keeps of the layers of a canvas.
    pub(super) fn in_file(&self, canvas: &Canvas, model: &Model) -> LayersInFile {
        match self.concerns_layers() {
            true => kept_text(model, canvas.layers()).map_or(LayersInFile::Removed, LayersInFile::Kept),
            false => LayersInFile::AsTheyAre,
        }
    }
}

/// Reads another file, and returns the layers that it keeps.
fn layers_of_file(from: &Path, open: &OpenArgs) -> Result<(Document, LayerStack), CliError> {
    let document = other_file(from, open)?;
    let usage = |text: &str| CliError::Usage(printable(&format!("{}: {text}", from.display())));
    let kept = kept_layers(document.stored()).map_err(|why| usage(&why.to_string()))?;
    let kept = kept.ok_or_else(|| usage("the file keeps no layers"))?;
    if !kept.fits() {
        return Err(usage(&format!("the file keeps layers, but was changed since: {}", kept.difference())));
    }
    Ok((document, kept.layers))
}
