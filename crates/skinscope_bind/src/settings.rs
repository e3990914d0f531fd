//! What a binding is asked for.

use std::collections::{BTreeMap, BTreeSet};

use crate::{BINDERS, BindError, Binder, BinderParameter, RULES, binder};

/// The method, its numbers, and what holds for all methods.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct BindSettings {
    /// [`Binder::id`].
    pub method: String,
    /// The most joints of a point, 1 or more.
    pub most: usize,
    /// How many times the weights are smoothed over the surface at the end.
    pub smooth: usize,
    /// Whether every loose piece follows one joint as a whole.
    pub rigid_pieces: bool,
    /// The ids of the rules that are switched off.
    pub rules_off: BTreeSet<String>,
    /// The numbers of the method that differ from their defaults, by [`BinderParameter::id`].
    pub values: BTreeMap<String, f64>,
}

impl Default for BindSettings {
    fn default() -> Self {
        Self {
            method: BINDERS[0].id.to_owned(),
            most: 4,
            smooth: 0,
            rigid_pieces: false,
            rules_off: BTreeSet::new(),
            values: BTreeMap::new(),
        }
    }
}

impl BindSettings {
    /// Returns the value of a parameter, within its range.
    #[must_use]
    pub fn value(&self, parameter: &BinderParameter) -> f64 {
        let value = self.values.get(parameter.id).copied().filter(|value| value.is_finite());
        value.map_or(parameter.default, |value| value.clamp(parameter.range[0], parameter.range[1]))
    }

    /// Whether a rule holds.
    pub(crate) fn has_rule(&self, id: &str) -> bool {
        !self.rules_off.contains(id)
    }

    /// Returns the method, or says what is wrong with the settings.
    pub(crate) fn check(&self) -> Result<&'static Binder, BindError> {
        let found = binder(&self.method).ok_or_else(|| BindError::UnknownMethod(self.method.clone()))?;
        if self.most == 0 {
            return Err(BindError::Setting("a point needs at least one joint".to_owned()));
        }
        if let Some(rule) = self.rules_off.iter().find(|id| RULES.iter().all(|rule| rule.id != **id)) {
            return Err(BindError::UnknownRule(rule.clone()));
        }
        for (id, value) in &self.values {
            let Some(parameter) = BINDERS.iter().flat_map(|b| b.parameters).find(|p| p.id == *id) else {
                return Err(BindError::Setting(format!("no method has a number \"{id}\"")));
            };
            let [least, most] = parameter.range;
            if !(least..=most).contains(value) {
                return Err(BindError::Setting(format!("{} is from {least} to {most}, not {value}", parameter.label)));
            }
        }
        Ok(found)
    }
}
