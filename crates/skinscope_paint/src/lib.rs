//! Painting weights: a [`Stroke`] says where a brush touches the surface of a posed model and what it does there, and a
//! [`Canvas`] carries strokes out, one after the other.
//!
//! Strokes are written in files ([`StrokesFile`]), which name joints, clips and poses by what people call them. [`read`] finds what
//! they name in a model. Nothing here knows of windows.

#![forbid(unsafe_code)]

mod canvas;
mod copied;
mod file;
mod gradient;
mod kept;
mod layers;
mod located;
mod posing;
mod stroke;
mod strokes;

pub use canvas::{
    Brushing, Canvas, Fit, LayerDrag, LayerDragged, PaintError, Painted, Reach, StrokeReport, StuckPlace,
};
pub use copied::CopiedLayer;
pub use file::{DabForm, EyeForm, Marked, MaskForm, Named, StrokeForm, StrokesFile, written};
pub use gradient::{Gradient, GradientKind};
pub use kept::{KeptChoice, KeptError, KeptLayers, kept_layers, kept_text};
pub use layers::{EFFECTS, EffectKind, Layer, LayerEffect, LayerId, LayerMask, LayerStack, LayersForm};
pub use located::StrokesError;
pub use posing::{Posing, scene_origin};
pub use stroke::{Centre, Dab, Distance, FrontFaces, MirrorAxis, Stroke, Touch};
pub use strokes::{PaintedOn, Script, of_all, parse, read};
