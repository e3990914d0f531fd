//! `check --fail-over`: the shares of the surface that a pipeline limits, and whether a file keeps to them.

use serde_json::{Value, json};

use super::super::CliError;
use crate::inspect::check::{GATES, Gate, Report, gate, percent_text};

/// A share of the surface with the most that is allowed of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    gate: &'static Gate,
    /// The most that is allowed, percent.
    percent: f64,
}

/// Reads `NAME=PERCENT`, with or without the sign.
pub(super) fn limit(text: &str) -> Result<Limit, String> {
    let names = || GATES.iter().map(|gate| gate.id).collect::<Vec<_>>().join(", ");
    let (id, value) = text.split_once('=').ok_or_else(|| format!("say NAME=PERCENT; the names are {}", names()))?;
    let gate = gate(id).ok_or_else(|| format!("no share is called “{id}”; there are {}", names()))?;
    let number: Option<f64> = value.strip_suffix('%').unwrap_or(value).trim().parse().ok();
    match number.filter(|percent| (0.0..=100.0).contains(percent)) {
        Some(percent) => Ok(Limit { gate, percent }),
        None => Err(format!("“{value}” is no share from 0% to 100%")),
    }
}

/// Returns the gates that are limited.
pub(super) fn asked(limits: &[Limit]) -> Result<Vec<&'static Gate>, CliError> {
    let mut out: Vec<&'static Gate> = Vec::new();
    for Limit { gate, .. } in limits {
        if out.iter().any(|known| known.id == gate.id) {
            return Err(CliError::Usage(format!("--fail-over limits {} twice", gate.id)));
        }
        out.push(*gate);
    }
    Ok(out)
}

/// Returns the list of all gates for the help text.
pub(super) fn help() -> String {
    let width = GATES.iter().map(|gate| gate.id.len()).max().unwrap_or(0);
    let rows = GATES.iter().map(|gate| format!("  {:width$}  {}\n", gate.id, gate.help));
    format!("\nShares of --fail-over, in percent of the area of all skinned surface:\n{}", rows.collect::<String>())
}

/// Whether a file keeps to a limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    limit: Limit,
    /// The share that was measured, percent.
    percent: f64,
    vertices: usize,
}

/// Returns how a file stands to each of some limits.
pub(super) fn judged(limits: &[Limit], report: &Report) -> Vec<Judged> {
    let of_report = |limit: &Limit| {
        let share = report.shares.iter().find(|share| share.gate == limit.gate.id)?;
        Some(Judged { limit: *limit, percent: share.percent, vertices: share.vertices })
    };
    limits.iter().filter_map(of_report).collect()
}

impl Judged {
    /// Returns whether no more is at fault than the limit allows.
    pub(super) fn passed(&self) -> bool {
        self.percent <= self.limit.percent
    }

    /// Returns the name of the test and of the rule in reports.
    pub(super) fn rule(&self) -> String {
        rule(self.limit.gate)
    }

    /// Returns the figure as JSON.
    pub(super) fn json(&self) -> Value {
        json!({
            "gate": self.limit.gate.id,
            "percent": self.percent,
            "limit": self.limit.percent,
            "passed": self.passed(),
            "vertices": self.vertices,
        })
    }

    /// Reads the figure that [`Judged::json`] has written.
    pub(super) fn of_json(value: &Value) -> Option<Self> {
        let limit = Limit { gate: gate(value["gate"].as_str()?)?, percent: value["limit"].as_f64()? };
        let vertices = usize::try_from(value["vertices"].as_u64()?).ok()?;
        Some(Self { limit, percent: value["percent"].as_f64()?, vertices })
    }

    /// Returns the figure as a sentence for people.
    pub(super) fn text(&self) -> String {
        let (label, limit) = (self.limit.gate.label, percent_text(self.limit.percent));
        // What is over a limit does not look like it.
        let percent = match percent_text(self.percent) {
            same if same == limit && !self.passed() => format!("{} %", self.percent),
            percent => percent,
        };
        let relation = if self.passed() { "within" } else { "over" };
        format!("{label}: {percent} of the surface, {relation} the limit of {limit}")
    }
}

/// Returns how a file stands to its limits, of its JSON.
pub(super) fn of_item(item: &Value) -> Vec<Judged> {
    item["gates"].as_array().into_iter().flatten().filter_map(Judged::of_json).collect()
}

/// Returns the name of the test and of the rule of a gate in reports.
pub(super) fn rule(gate: &Gate) -> String {
    format!("gate-{}", gate.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_name_and_a_percentage_with_or_without_its_sign() {
        for (text, percent) in [("unweighted=0.5%", 0.5), ("unweighted=0.5", 0.5), ("bleeding=0%", 0.0)] {
            let read = limit(text).unwrap();
            assert_eq!((read.gate.id, read.percent), (text.split('=').next().unwrap(), percent));
        }
        for wrong in ["unweighted", "unweighted=", "unweighted=x", "bleeding=-1%", "bleeding=101%", "bleeding=NaN"] {
            assert!(limit(wrong).is_err(), "{wrong}");
        }
        let over = |percent: f64| Judged { limit: limit("seams=0.5%").unwrap(), percent, vertices: 1 }.text();
        assert!(over(0.75).contains("0.75 % of the surface, over the limit of 0.5 %"), "{}", over(0.75));
        assert!(over(0.50004).contains("0.50004 % of the surface, over the limit of 0.5 %"), "{}", over(0.50004));
        assert!(over(0.5).contains("0.5 % of the surface, within the limit of 0.5 %"), "{}", over(0.5));
        let why = limit("weightless=1%").unwrap_err();
        assert!(GATES.iter().all(|gate| why.contains(gate.id)), "{why}");
        assert!(asked(&[limit("seams=1").unwrap(), limit("seams=2").unwrap()]).is_err());
    }
}
