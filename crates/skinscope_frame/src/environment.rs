//! The environment of a picture: which one lights it, and how it is shown.

use std::sync::Arc;

use skinscope_model::Environment;

use super::{Background, Frame};

/// How an environment lights a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnvironmentSettings {
    /// The angle by which it is turned about +Y, radians: what was at −Z comes to −X after a quarter of a turn.
    pub rotation: f32,
    /// Its brightness in stops: each doubles it.
    pub exposure: f32,
    /// Whether it is seen behind the model, a little out of focus, in place of any other background.
    pub is_background: bool,
}

impl Frame {
    /// Returns the environment that lights the picture; `None` where another look or an overlay is shown.
    #[must_use]
    pub fn surroundings(&self) -> Option<&Arc<Environment>> {
        let is_lit = self.display.look.is_environment() && self.overlay().is_none();
        is_lit.then(|| self.environment.as_ref().unwrap_or_else(|| Environment::own()))
    }

    /// Returns the environment that lights this side of a picture, or else the other one in a comparison.
    #[must_use]
    pub fn any_surroundings(&self) -> Option<&Arc<Environment>> {
        self.surroundings().or_else(|| self.compared.as_ref()?.frame.surroundings())
    }

    /// Returns whether the environment is drawn behind the model; a transparent background stays transparent.
    #[must_use]
    pub fn shows_surroundings(&self) -> bool {
        let display = &self.display;
        let is_wanted = display.environment.is_background && display.background != Background::Transparent;
        is_wanted && self.surroundings().is_some()
    }
}
