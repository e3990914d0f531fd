//! `view --controls FILE`: lists where the controls of the window are, for programs that drive it by mouse and keys
//! (tests, tours). The file is written anew whenever that changes, and has what a screen reader is told.

use std::cmp::Ordering;
use std::path::PathBuf;

use egui::accesskit::{Node, TreeUpdate};
use serde::Serialize;

use crate::output;

/// The contents of the file.
#[derive(Debug, Serialize)]
struct Listing<'a> {
    schema: u32,
    controls: Vec<Control<'a>>,
}

/// A control: a button, a value, a text, or anything else that has words and a place.
#[derive(Debug, Serialize)]
struct Control<'a> {
    /// The role that accesskit gives it: `Button`, `SpinButton`, `TextInput`, `Label` …
    role: String,
    /// The name of the control.
    label: Option<&'a str>,
    /// The value in it; for a text, the text.
    value: Option<&'a str>,
    /// Whether it can be used.
    enabled: bool,
    /// Left, top, width and height, in pixels of the window.
    rect: [f64; 4],
}

/// Writes the list of controls.
#[derive(Debug)]
pub(crate) struct Controls {
    path: PathBuf,
    /// The bytes that the file holds.
    written: Vec<u8>,
}

impl Controls {
    /// Makes a writer for `path`, which does not exist yet.
    pub fn new(path: PathBuf) -> Self {
        Self { path, written: Vec::new() }
    }

    /// Writes the controls of `update`, which holds all nodes, if they have changed; `scale` is pixels per point.
    /// Returns an error message.
    pub fn write(&mut self, update: &TreeUpdate, scale: f32) -> Option<String> {
        let nodes = update.nodes.iter().filter_map(|(_, node)| control(node, f64::from(scale)));
        let mut controls: Vec<Control<'_>> = nodes.collect();
        // egui has them in no order; they are sorted from top to bottom, and from left to right.
        let position = |c: &Control<'_>| [c.rect[1], c.rect[0]];
        controls.sort_by(|a, b| {
            position(a)
                .partial_cmp(&position(b))
                .unwrap_or(Ordering::Equal)
                .then_with(|| (a.label, a.value).cmp(&(b.label, b.value)))
        });
        let text = serde_json::to_vec(&Listing { schema: 1, controls }).ok().filter(|text| *text != self.written)?;
        let error = output::write(&self.path, &text).err();
        self.written = text;
        error.map(|error| format!("{}: {error}", self.path.display()))
    }
}

fn control(node: &Node, scale: f64) -> Option<Control<'_>> {
    let bounds = node.bounds().filter(|_| !node.is_hidden())?;
    let (label, value) = (node.label(), node.value());
    if label.is_none() && value.is_none() {
        return None;
    }
    let rect = [bounds.x0, bounds.y0, bounds.x1 - bounds.x0, bounds.y1 - bounds.y0].map(|v| v * scale);
    Some(Control { role: format!("{:?}", node.role()), label, value, enabled: !node.is_disabled(), rect })
}
