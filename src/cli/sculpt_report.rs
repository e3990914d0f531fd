//! What `skinscope sculpt` says that it has done, as JSON and as lines of text.

use serde_json::{Value, json};

use super::printable;
use crate::model::{Model, NodeId};
use crate::session::shaping::{Reshaped, Shape, TargetName, remarks};
use crate::solve::ShapeDriver;

fn names<'m>(model: &'m Model, joints: &[NodeId]) -> Vec<&'m str> {
    joints.iter().map(|joint| model.skeleton.names[joint.index()].as_str()).collect()
}

/// A morph target of the file that was named.
pub(super) struct Named {
    name: String,
    /// Its numbers, where these said which it is.
    target: Option<String>,
}

impl Named {
    pub fn of(model: &Model, named: &TargetName) -> Self {
        let target = matches!(named, TargetName::At(_)).then(|| named.to_string());
        Self { name: named.in_model(model).unwrap_or_default().to_owned(), target }
    }
}

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.target {
            Some(target) => write!(f, "{} ({target})", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// What was done to the morph targets that the file has.
#[derive(Default)]
pub(super) struct Changed {
    /// Each with its new name.
    pub renamed: Vec<(Named, String)>,
    pub removed: Vec<Named>,
    /// Whether drivers that do not fit were left out.
    pub has_dropped: bool,
}

/// Returns what was done as JSON.
pub(super) fn report((shapes, drivers): (&[Shape], &[ShapeDriver]), made: &Reshaped, done: &Changed) -> String {
    let model = &made.model;
    let shape = |(at, shape): (usize, &Shape)| {
        let own = drivers.iter().find(|of| of.shapes.contains(&at));
        json!({
            "name": made.names[at],
            "joints": names(model, own.map_or(&[][..], |of| of.driver.joints())),
            "vertices": shape.moved(),
            "flat": shape.flat(),
            "largest_before": shape.largest(|part| part.before),
            "largest_after": shape.largest(|part| part.back.left),
            "longest_offset": shape.largest(|part| part.back.longest()),
            "most": made.most(at),
        })
    };
    let shapes: Vec<Value> = shapes.iter().enumerate().map(shape).collect();
    let clips = made.clips.iter();
    let clips = clips.map(|of| json!({ "clip": model.clips[of.clip].name, "keys": of.keys, "error": of.error }));
    let clips: Vec<Value> = clips.collect();
    let renamed = |(from, to): &(Named, String)| match &from.target {
        Some(target) => json!({ "from": from.name, "to": to, "target": target }),
        None => json!({ "from": from.name, "to": to }),
    };
    let renamed: Vec<Value> = done.renamed.iter().map(renamed).collect();
    let removed: Vec<&str> = done.removed.iter().map(|named| named.name.as_str()).collect();
    let out = json!({
        "schema": 1, "shapes": shapes, "clips": clips, "renamed": renamed, "removed": removed,
        "warnings": warnings(model, done),
    });
    format!("{out}\n")
}

/// Returns what was done as lines of text.
pub(super) fn text((shapes, drivers): (&[Shape], &[ShapeDriver]), made: &Reshaped, done: &Changed) -> String {
    let mut out = String::new();
    for (from, to) in &done.renamed {
        out += &printable(&format!("renamed: {from} → {to}"));
        out.push('\n');
    }
    for named in &done.removed {
        out += &printable(&format!("{named}: removed, with its weights in all clips"));
        out.push('\n');
    }
    for line in made.lines(shapes, drivers) {
        out += &printable(&line);
        out.push('\n');
    }
    for remark in warnings(&made.model, done) {
        out += &printable(&format!("warning: {remark}"));
        out.push('\n');
    }
    out
}

/// Returns what has to be known of the file that was made.
fn warnings(model: &Model, done: &Changed) -> Vec<String> {
    let dropped = "what drives shapes of the file and does not fit it was left out: their morph targets and keys stay";
    let dropped = done.has_dropped.then(|| dropped.to_owned());
    dropped.into_iter().chain(remarks(model)).collect()
}
