//! Numbers of a method or pass that the user sets: a slider in the window, an option of the command line, a component
//! of a uniform in the shader.

use std::collections::BTreeMap;

/// The largest number of parameters of a method or pass; the shader has them in one vector.
const MOST_PARAMETERS: usize = 4;

/// The values of the parameters of one method or pass, in the order of its list; unused ones are 0.
pub type ParameterValues = [f32; MOST_PARAMETERS];

/// A number of a method or pass that the user sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The name, unique among all methods and passes, such as `mix`. For the parameter of a method it is also the name
    /// of an option of the command line.
    pub id: &'static str,
    /// The label of the slider.
    pub label: &'static str,
    /// A sentence that says what it does.
    pub help: &'static str,
    /// The least and the largest value.
    pub range: [f32; 2],
    /// The value before the user sets one.
    pub default: f32,
    /// Whether only whole numbers make sense.
    pub is_whole: bool,
}

impl Parameter {
    /// Returns the nearest value in the range, whole where that is required; `None` where `value` is not a number.
    #[must_use]
    pub fn fitted(&self, value: f32) -> Option<f32> {
        let [least, most] = self.range;
        let value = value.is_finite().then(|| value.clamp(least, most))?;
        Some(if self.is_whole { value.round() } else { value })
    }
}

/// The values that the user set, by [`Parameter::id`]; all other parameters have their defaults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParameterSettings(BTreeMap<&'static str, f32>);

impl ParameterSettings {
    /// Sets a value, or the nearest that the parameter allows ([`Parameter::fitted`]). NaN is ignored.
    pub fn set(&mut self, parameter: &Parameter, value: f32) {
        if let Some(value) = parameter.fitted(value) {
            self.0.insert(parameter.id, value);
        }
    }

    /// Returns the value of a parameter.
    #[must_use]
    pub fn get(&self, parameter: &Parameter) -> f32 {
        self.0.get(parameter.id).copied().unwrap_or(parameter.default)
    }

    /// Returns the values of all parameters of a method or pass.
    #[must_use]
    pub fn values(&self, parameters: &[Parameter]) -> ParameterValues {
        let mut out = [0.0; MOST_PARAMETERS];
        for (value, parameter) in out.iter_mut().zip(parameters) {
            *value = self.get(parameter);
        }
        out
    }
}
