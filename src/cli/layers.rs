//! Clips that are blended with another one, for commands that show or write poses.

use clap::Args;

use super::CliError;
use super::find::find_clip;
use crate::anim::{Additive, Crossfade, Layers};
use crate::model::Model;

/// The clips that are laid over that of --clip.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct LayerArgs {
    /// Go this part (0 to 1) of the way over into another clip, by exact name or by number from 0: rotations along the shorter arc
    #[arg(long, value_name = "NAME|N=PART", requires = "clip", value_parser = parse_layer, allow_hyphen_values = true)]
    blend_clip: Option<(String, f32)>,
    /// Let the part of --blend-clip rise from 0, beginning at this time of the timeline and in so long a time, seconds
    #[arg(long, value_name = "START,LENGTH", requires = "blend_clip", value_parser = parse_rise)]
    fade_in: Option<[f32; 2]>,
    /// Add this part (0 to 1) of that by which another clip differs from its own first moment
    #[arg(long, value_name = "NAME|N=PART", requires = "clip", value_parser = parse_layer, allow_hyphen_values = true)]
    add_clip: Option<(String, f32)>,
}

fn parse_layer(text: &str) -> Result<(String, f32), String> {
    let expected = || "expected NAME=PART, a part from 0 to 1, such as Run=0.5".to_owned();
    let (name, part) = text.rsplit_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(expected)?;
    let part = part.trim().parse().ok().filter(|part| (0.0..=1.0).contains(part)).ok_or_else(expected)?;
    Ok((name.to_owned(), part))
}

fn parse_rise(text: &str) -> Result<[f32; 2], String> {
    let (start, length) = text.split_once(',').unwrap_or((text, ""));
    let secs = |text: &str| text.trim().parse().ok().filter(|secs: &f32| secs.is_finite() && *secs >= 0.0);
    let both = secs(start).zip(secs(length)).map(|(start, length)| [start, length]);
    both.ok_or_else(|| "expected START,LENGTH in seconds, such as 0.5,0.3".into())
}

impl LayerArgs {
    /// Returns the clips of a model that are named.
    pub fn find(&self, model: &Model) -> Result<Layers, CliError> {
        let find = |layer: &Option<(String, f32)>| -> Result<_, CliError> {
            layer.as_ref().map(|(name, part)| Ok((find_clip(model, name)?, *part))).transpose()
        };
        Ok(Layers {
            fade: find(&self.blend_clip)?.map(|(clip, weight)| Crossfade { clip, weight, rise: self.fade_in }),
            add: find(&self.add_clip)?.map(|(clip, weight)| Additive { clip, weight }),
        })
    }
}
