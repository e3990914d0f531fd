//! The types in which `fix` stores weights: another type changes bytes of the file, and no weight.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::edit::Sheet;
use crate::model::WeightFormat;
use crate::words::counted;
use crate::writeback::Saved;

/// The vertices whose weights get another type, by the type before and after.
#[derive(Debug, Default)]
pub(super) struct Restored(BTreeMap<[&'static str; 2], usize>);

impl Restored {
    /// Compares what a sheet stores with its file, where something of that was written anew.
    pub fn of(saved: &Saved, sheet: &Sheet) -> Self {
        if saved.changes.accessors.is_empty() {
            return Self::default();
        }
        let before = Sheet::of_file(sheet.model).tables;
        let mut out = Self::default();
        for (old, new) in before.iter().zip(&sheet.tables) {
            let differing = old.formats.iter().zip(&new.formats).find(|(from, to)| from != to);
            if let Some((from, to)) = differing {
                *out.0.entry([id(*from), id(*to)]).or_default() += new.vertices();
            }
        }
        out
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Describes it for people, a line for each.
    pub fn text(&self) -> String {
        let line = |([old, new], vertices): (&[&str; 2], &usize)| {
            let vertices = counted(*vertices, "vertex", "vertices");
            format!("the weights of {vertices} are stored as {new} from now on, not as {old}\n")
        };
        self.0.iter().map(line).collect()
    }

    /// Describes it for programs.
    pub fn json(&self) -> Value {
        let one =
            |([old, new], vertices): (&[&str; 2], &usize)| json!({ "from": old, "to": new, "vertices": vertices });
        self.0.iter().map(one).collect()
    }
}

fn id(format: WeightFormat) -> &'static str {
    match format {
        WeightFormat::U8 => "u8",
        WeightFormat::U16 => "u16",
        WeightFormat::F32 => "f32",
    }
}
