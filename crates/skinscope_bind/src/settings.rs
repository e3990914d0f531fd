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
    /// The inner and the outer radius of the envelopes of single joints, by their names, in place of the numbers of the method *envelope*. A
    /// name that no joint has does no harm.
    pub envelopes: BTreeMap<String, [f64; 2]>,
}

/// The ranges of the inner and of the outer radius of envelopes, as shares of the distance of the surface.
pub const ENVELOPE_RANGES: [[f64; 2]; 2] = [[0.0, 3.0], [0.1, 6.0]];

impl Default for BindSettings {
    fn default() -> Self {
        Self {
            method: BINDERS[0].id.to_owned(),
            most: 4,
            smooth: 0,
            rigid_pieces: false,
            rules_off: BTreeSet::new(),
            values: BTreeMap::new(),
            envelopes: BTreeMap::new(),
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
        for (joint, [inner, outer]) in &self.envelopes {
            let is_within = |value: &f64, [least, most]: [f64; 2]| *value >= least && *value <= most;
            let [inner_range, outer_range] = ENVELOPE_RANGES;
            if !(is_within(inner, inner_range) && is_within(outer, outer_range) && inner < outer) {
                let why = format!("the radii {inner} and {outer} of {joint} are no envelope: the inner one is from");
                let [[a, b], [c, d]] = ENVELOPE_RANGES;
                return Err(BindError::Setting(format!(
                    "{why} {a} to {b}, the outer one, which is larger, from {c} to {d}"
                )));
            }
        }
        Ok(found)
    }
}
