//! Options for the picture of the surroundings that lights a model.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::session::{EnvironmentCommand, EnvironmentView};

/// Which environment lights the model, and how.
#[derive(Clone, Debug, Args)]
pub(super) struct EnvironmentArgs {
    /// Light the model by this picture of its surroundings, twice as wide as high, in Radiance (.hdr) or OpenEXR (.exr); its look is environment
    #[arg(long, value_name = "FILE")]
    environment: Option<PathBuf>,
    /// Turn the environment about the vertical axis, degrees [default: 0]
    #[arg(long, value_name = "DEG", allow_negative_numbers = true, value_parser = parse_rotation)]
    environment_rotation: Option<f32>,
    /// Brighten the environment by so many stops, each of which doubles it, -8 to 8 [default: 0]
    #[arg(long, value_name = "STOPS", allow_negative_numbers = true, value_parser = parse_exposure)]
    environment_exposure: Option<f32>,
}

impl EnvironmentArgs {
    /// Returns the file, if one is given.
    pub fn file(&self) -> Option<&Path> {
        self.environment.as_deref()
    }

    /// Returns the first option that is given, without dashes.
    pub fn given(&self) -> Option<&'static str> {
        let options = [
            ("environment", self.environment.is_some()),
            ("environment-rotation", self.environment_rotation.is_some()),
            ("environment-exposure", self.environment_exposure.is_some()),
        ];
        options.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
    }

    /// Returns what the options ask for.
    pub fn commands(&self) -> Vec<EnvironmentCommand> {
        let file = self.environment.as_ref().map(|file| EnvironmentCommand::Show(Some(file.clone())));
        let rotation = self.environment_rotation.map(EnvironmentCommand::Turn);
        file.into_iter().chain(rotation).chain(self.environment_exposure.map(EnvironmentCommand::Expose)).collect()
    }
}

fn parse_rotation(text: &str) -> Result<f32, String> {
    let degrees = text.parse().ok().filter(|degrees: &f32| degrees.is_finite());
    degrees.ok_or_else(|| "expected an angle in degrees, such as 90".to_owned())
}

fn parse_exposure(text: &str) -> Result<f32, String> {
    let [least, most] = EnvironmentView::EXPOSURES;
    let stops = text.parse().ok().filter(|stops: &f32| (least..=most).contains(stops));
    stops.ok_or_else(|| format!("expected stops from {least} to {most}, such as 1.5"))
}
