//! Options of `skinscope paint` that need no file of strokes: a brush over all vertices at once.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use glam::DVec3;

use super::find::{find_clip, find_node};
use super::pose::parse_secs;
use super::{CliError, parse_point, printable};
use crate::edit::{Refusal, Sheet, check_moves};
use crate::inspect::VertexSet;
use crate::model::Model;
use crate::paint::{self, Gradient, GradientKind, Named, PaintedOn, Script, StrokeForm, StrokesError};
use crate::weights::{BRUSHES, FALLOFFS, LAYER_BRUSHES};

/// A brush over all vertices, with the settings that a stroke of a file has too.
#[derive(Clone, Debug, Args)]
pub(super) struct FloodArgs {
    /// Paint all vertices at once with this brush, in place of strokes of a file
    #[arg(long, value_name = "BRUSH", value_parser = brushes())]
    flood: Option<String>,
    /// The joint whose weight changes, for all brushes but smooth, sharpen, relax, average and erase
    #[arg(long, value_name = "JOINT", requires = "flood", allow_hyphen_values = true)]
    joint: Option<String>,
    /// A joint that is painted as one with --joint: the sum of their weights changes, and each keeps its share; may be given several times
    #[arg(long, value_name = "JOINT", requires = "joint", allow_hyphen_values = true)]
    with: Vec<String>,
    /// The joint that gets what the other one loses, for give
    #[arg(long, value_name = "JOINT", requires = "flood", allow_hyphen_values = true)]
    to: Option<String>,
    /// The weight that replace goes to
    #[arg(long, value_name = "W", requires = "flood", allow_negative_numbers = true)]
    value: Option<f64>,
    /// The number by which scale multiplies
    #[arg(long, value_name = "N", requires = "flood", allow_negative_numbers = true)]
    factor: Option<f64>,
    /// How much of the change is done [default: 1]
    #[arg(long, value_name = "S", requires = "flood", allow_negative_numbers = true)]
    strength: Option<f64>,
    /// Let the strength fall from 1 at --from to 0 at --until, by planes across the line between them or by spheres about --from
    #[arg(
        long,
        value_name = "linear|radial",
        value_parser = gradients(),
        requires = "flood",
        requires = "from",
        requires = "until"
    )]
    gradient: Option<String>,
    /// The place where a gradient is 1 (scene, metres, in the pose)
    #[arg(long, value_name = "X,Y,Z", requires = "gradient", allow_hyphen_values = true, value_parser = parse_point)]
    from: Option<DVec3>,
    /// The place from which on a gradient is 0
    #[arg(long, value_name = "X,Y,Z", requires = "gradient", allow_hyphen_values = true, value_parser = parse_point)]
    until: Option<DVec3>,
    /// How a gradient falls [default: linear]
    #[arg(long, value_name = "CURVE", requires = "gradient", value_parser = falloffs())]
    falloff: Option<String>,
    /// Measure a gradient in this clip, by exact name or by number from 0
    #[arg(long, value_name = "NAME|N", requires = "gradient", allow_hyphen_values = true)]
    clip: Option<String>,
    /// Measure it at this time of the clip, in seconds on its timeline, clamped to the clip
    #[arg(long, value_name = "S", requires = "clip", allow_negative_numbers = true, value_parser = parse_secs)]
    time: Option<f32>,
    /// Measure it in the pose of this file; what it says replaces the values of the clip
    #[arg(long, value_name = "FILE", requires = "gradient", allow_hyphen_values = true)]
    pose: Option<PathBuf>,
    /// Leave the weights of this joint as they are; may be given several times
    #[arg(long, value_name = "JOINT", requires = "flood", allow_hyphen_values = true)]
    lock: Vec<String>,
    /// Change only vertices that this joint moves; may be given several times
    #[arg(long, value_name = "JOINT", requires = "flood", allow_hyphen_values = true)]
    only_joint: Vec<String>,
    /// Keep at most N joints of each changed vertex
    #[arg(long, value_name = "N", requires = "flood", value_parser = clap::value_parser!(u16).range(1..))]
    max_influences: Option<u16>,
    /// Let no other joint follow, so that sums of weights change
    #[arg(long, requires = "flood")]
    no_normalise: bool,
}

fn brushes() -> PossibleValuesParser {
    PossibleValuesParser::new(
        BRUSHES.iter().chain(LAYER_BRUSHES).map(|brush| PossibleValue::new(brush.id).help(brush.help)),
    )
}

fn falloffs() -> PossibleValuesParser {
    PossibleValuesParser::new(FALLOFFS.iter().map(|falloff| falloff.id))
}

fn gradients() -> PossibleValuesParser {
    PossibleValuesParser::new(GradientKind::ALL.iter().map(|kind| kind.id()))
}

impl FloodArgs {
    /// Whether a brush is named.
    pub(super) fn is_asked(&self) -> bool {
        self.flood.is_some()
    }

    /// Returns the brush as a stroke without dabs.
    pub(super) fn script(&self, model: &Model, on: PaintedOn) -> Result<Script, CliError> {
        let mut script = paint::of_all(&self.form(model)?, model, on).map_err(|error| match error {
            StrokesError::Pose { file, error } => CliError::Unreadable { file: file.display().to_string(), error },
            StrokesError::Content { location, reason } => {
                let option = match location.as_str() {
                    "locked" => "lock".to_owned(),
                    "brush" => "flood".to_owned(),
                    _ => location.replace('_', "-"),
                };
                CliError::Usage(printable(&format!("--{option}: {reason}")))
            }
            other @ StrokesError::Unreadable(_) => CliError::Usage(printable(&other.to_string())),
        })?;
        let mask = self.mask(model)?;
        script.strokes.iter_mut().for_each(|stroke| stroke.mask.clone_from(&mask));
        Ok(script)
    }

    /// Returns the gradient, if one is named.
    pub(super) fn gradient(&self) -> Result<Option<Gradient>, CliError> {
        let kind = GradientKind::ALL.into_iter().find(|kind| self.gradient.as_deref() == Some(kind.id()));
        // Both places are there where a gradient is.
        let Some(((kind, from), until)) = kind.zip(self.from).zip(self.until) else { return Ok(None) };
        match from == until {
            true => {
                Err(CliError::Usage("--until: this is the place of --from, so that the gradient has no length".into()))
            }
            false => Ok(Some(Gradient { kind, from, until })),
        }
    }

    /// Returns what a file would say.
    fn form(&self, model: &Model) -> Result<StrokeForm, CliError> {
        let clip = self.clip.as_ref().map(|name| find_clip(model, name)).transpose()?;
        let locked = (!self.lock.is_empty()).then(|| self.lock.clone());
        Ok(StrokeForm {
            brush: self.flood.clone(),
            joint: self.joint.clone(),
            with: self.with.clone(),
            to: self.to.clone(),
            value: self.value,
            factor: self.factor,
            strength: self.strength,
            falloff: Some(self.falloff.clone().unwrap_or_else(|| "linear".to_owned())),
            clip: clip.map(|clip| Named::Number(u64::from(clip.0))),
            time: self.time.map(f64::from),
            pose: self.pose.as_ref().map(|pose| pose.to_string_lossy().into_owned()),
            locked,
            max_influences: self.max_influences.map(i64::from),
            normalise: Some(!self.no_normalise),
            ..StrokeForm::default()
        })
    }

    /// Returns the vertices that --only-joint leaves; all where it is not given.
    fn mask(&self, model: &Model) -> Result<Option<VertexSet>, CliError> {
        let sheet = Sheet::of(model);
        let mut within = Vec::new();
        for name in &self.only_joint {
            let joint = find_node(model, name)?;
            let refused = |why: Refusal| CliError::Usage(printable(&format!("--only-joint: {why}")));
            check_moves(&sheet, joint).map_err(refused)?;
            within.extend(VertexSet::moved_by(model, joint).iter());
        }
        Ok((!self.only_joint.is_empty()).then(|| VertexSet::from_vertices(within)))
    }
}
