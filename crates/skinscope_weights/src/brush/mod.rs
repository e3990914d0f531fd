//! Brushes: what becomes of the weights of one vertex that a dab of a stroke touches.
//!
//! A brush says what it wants of a row for a strength from 0 to 1 (one row of [`BRUSHES`] each). What is locked, what the weights are to sum to
//! and how many joints a vertex may have is the same for all of them, and is seen to in one place ([`Task::paint`]). Rows are in double
//! precision and are rounded once, where they are stored.

mod falloff;
mod few;
mod rules;
#[cfg(test)]
mod tests;
mod usual;

pub use falloff::{FALLOFFS, Falloff, falloff};
pub use few::{FewShares, FewTask, UsualShares};
pub use rules::{Effect, Painted, Stuck, Task};

use crate::{Shares, share_of};

/// What a brush has to be told, beside where and how strongly it paints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The joint whose weight it changes.
    Joint,
    /// The joint that gets what the first one loses.
    To,
    /// A weight, 0 to 1.
    Value,
    /// A factor, 0 or more.
    Factor,
}

/// What a brush reads beside the row itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toward {
    /// Nothing.
    Nothing,
    /// The mean of the rows that an edge of the welded surface joins with it.
    Neighbours,
    /// The same mean, weighted by one over the length of each edge at rest.
    NeighboursByLength,
    /// The mean of all rows that the dab, or the stroke, touches, weighted by their strengths.
    Touched,
    /// What lies below the layer that is painted in.
    Below,
}

/// A way to change the weights of the vertices under the pointer.
#[derive(Debug)]
pub struct Brush {
    /// Its name in files and on the command line.
    pub id: &'static str,
    /// Its name in the window.
    pub label: &'static str,
    /// Its name among all commands, where the bare one may be that of a tool.
    pub command: &'static str,
    /// What it does, in a sentence without a full stop.
    pub help: &'static str,
    /// What it has to be told. A brush that names no joint changes the whole row.
    pub needs: &'static [Need],
    /// What it reads beside the row.
    pub toward: Toward,
    /// What weights a row is to have; locks, sums and the number of joints do not concern it.
    aim: Aim,
}

/// What the new weight of a joint is found from, beside what is the same for all rows.
#[derive(Clone, Copy, Debug)]
struct Weighed {
    before: f64,
    strength: f64,
}

/// What weights a brush wants a row to have.
#[derive(Clone, Copy, Debug)]
enum Aim {
    /// Another weight of the painted joint, from the one that it has, between floor and ceiling.
    Weight(fn(&Asked<'_>, Weighed) -> f64),
    /// Some of the weight of the painted joint for another one.
    Give,
    /// So many times the strength of the way to what the brush reads.
    Toward(f64),
}

impl Brush {
    /// Whether it changes the weight of one joint, and not the whole row.
    #[must_use]
    pub fn is_of_joint(&self) -> bool {
        self.needs.contains(&Need::Joint)
    }

    /// Writes the weights that a row is to have into the list, which is empty before.
    fn wish(&self, asked: &Asked<'_>, out: &mut Shares) {
        match self.aim {
            Aim::Weight(wanted) => {
                let weighed = Weighed { before: weight(asked), strength: asked.strength };
                set(asked, wanted(asked, weighed), out);
            }
            Aim::Give => {
                let moved = weight(asked).min(asked.strength);
                out.extend_from_slice(asked.own);
                put(out, asked.joint, weight(asked) - moved);
                let there = share_of(out, asked.to);
                put(out, asked.to, there + moved);
            }
            Aim::Toward(times) => go(asked, times * asked.strength, out),
        }
    }
}

/// What a brush is asked for at one vertex.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The joints that move the vertex, each once, with their weights, which are above zero.
    pub own: &'a [(u32, f64)],
    /// The mean that the brush reads ([`Brush::toward`]); empty for one that reads none.
    pub toward: &'a [(u32, f64)],
    /// The strength, 0 to 1.
    pub strength: f64,
    /// The joint that is painted; any number for a brush of the whole row.
    pub joint: u32,
    /// The joint that gets what the first one loses.
    pub to: u32,
    /// The weight that `replace` goes towards.
    pub value: f64,
    /// What `scale` multiplies with.
    pub factor: f64,
    /// The least weight that the painted joint is brought to; one that is lower already stays.
    pub floor: f64,
    /// The greatest weight that it is brought to; one that is greater already stays.
    pub ceiling: f64,
}

/// All brushes, in the order in which they are shown.
pub static BRUSHES: &[&Brush] = &[&ADD, &SUBTRACT, &REPLACE, &SCALE, &GIVE, &SMOOTH, &SHARPEN, &RELAX, &AVERAGE];

/// Brushes that work on a layer of weights, in the order in which they are shown after the others. A file of strokes knows no layers, so that it
/// cannot name them.
pub static LAYER_BRUSHES: &[&Brush] = &[&ERASE];

/// Finds the brush with an id, be it of layers or not.
#[must_use]
pub fn brush(id: &str) -> Option<&'static Brush> {
    BRUSHES.iter().chain(LAYER_BRUSHES).copied().find(|brush| brush.id == id)
}

/// Gives the joint more weight.
pub static ADD: Brush = Brush {
    id: "add",
    label: "Add",
    command: "Add brush",
    help: "Give the joint more weight",
    needs: &[Need::Joint],
    toward: Toward::Nothing,
    aim: Aim::Weight(|_, Weighed { before, strength }| before + strength),
};

/// Takes weight from the joint.
pub static SUBTRACT: Brush = Brush {
    id: "subtract",
    label: "Subtract",
    command: "Subtract brush",
    help: "Take weight from the joint",
    needs: &[Need::Joint],
    toward: Toward::Nothing,
    aim: Aim::Weight(|_, Weighed { before, strength }| before - strength),
};

/// Brings the weight of the joint towards a value.
pub static REPLACE: Brush = Brush {
    id: "replace",
    label: "Replace",
    command: "Replace brush",
    help: "Bring the weight of the joint towards a value",
    needs: &[Need::Joint, Need::Value],
    toward: Toward::Nothing,
    aim: Aim::Weight(|asked, Weighed { before, strength }| before + strength * (asked.value - before)),
};

/// Multiplies the weight of the joint.
pub static SCALE: Brush = Brush {
    id: "scale",
    label: "Scale",
    command: "Scale brush",
    help: "Multiply the weight of the joint by a factor",
    needs: &[Need::Joint, Need::Factor],
    toward: Toward::Nothing,
    aim: Aim::Weight(|asked, Weighed { before, strength }| before * (1.0 + strength * (asked.factor - 1.0))),
};

/// Moves weight from one joint to another, and touches no third one.
pub static GIVE: Brush = Brush {
    id: "give",
    label: "Give to another joint",
    command: "Give brush",
    help: "Move weight from the joint to another one, and leave all others alone",
    needs: &[Need::Joint, Need::To],
    toward: Toward::Nothing,
    aim: Aim::Give,
};

/// Brings a row towards the mean of its neighbours.
pub static SMOOTH: Brush = Brush {
    id: "smooth",
    label: "Smooth",
    command: "Smooth brush",
    help: "Bring the weights of all joints towards those of the vertices around",
    needs: &[],
    toward: Toward::Neighbours,
    aim: Aim::Toward(1.0),
};

/// Takes a row away from the mean of its neighbours.
pub static SHARPEN: Brush = Brush {
    id: "sharpen",
    label: "Sharpen",
    command: "Sharpen brush",
    help: "Take the weights of all joints away from those of the vertices around",
    needs: &[],
    toward: Toward::Neighbours,
    aim: Aim::Toward(-1.0),
};

/// Brings a row towards the mean of its neighbours, in which near ones count more, so that weights come to change evenly along the surface,
/// however its vertices are spaced.
static RELAX: Brush = Brush {
    id: "relax",
    label: "Relax",
    command: "Relax brush",
    help: "Let the weights of all joints change evenly along the surface, however its vertices are spaced",
    needs: &[],
    toward: Toward::NeighboursByLength,
    aim: Aim::Toward(1.0),
};

/// Brings rows towards the mean of all that are touched.
pub static AVERAGE: Brush = Brush {
    id: "average",
    label: "Average",
    command: "Average brush",
    help: "Bring the weights of all joints towards the mean of what the brush touches",
    needs: &[],
    toward: Toward::Touched,
    aim: Aim::Toward(1.0),
};

/// Takes what a layer has towards what lies below it.
pub static ERASE: Brush = Brush {
    id: "erase",
    label: "Erase the layer",
    command: "Erase brush",
    help: "Take what the layer has painted away again, so that what lies below shows",
    needs: &[],
    toward: Toward::Below,
    aim: Aim::Toward(1.0),
};

/// The weight of the painted joint.
fn weight(asked: &Asked<'_>) -> f64 {
    share_of(asked.own, asked.joint)
}

/// Writes the row with another weight of the painted joint.
fn set(asked: &Asked<'_>, wanted: f64, out: &mut Shares) {
    let wanted = within_bounds(asked, weight(asked), wanted);
    out.extend_from_slice(asked.own);
    put(out, asked.joint, wanted);
}

/// Returns a weight between floor and ceiling, which one that was beyond them before does not have to leave.
fn within_bounds(asked: &Asked<'_>, before: f64, wanted: f64) -> f64 {
    wanted.min(asked.ceiling.max(before)).max(asked.floor.min(before))
}

/// Sets the weight of a joint in a list of shares.
fn put(shares: &mut Shares, joint: u32, weight: f64) {
    match shares.iter().position(|(key, _)| *key == joint) {
        Some(at) if weight > 0.0 => shares[at].1 = weight,
        Some(at) => _ = shares.remove(at),
        None if weight > 0.0 => shares.push((joint, weight)),
        None => {}
    }
}

/// Writes `own + share · (toward − own)`, without what would be below zero.
fn go(asked: &Asked<'_>, share: f64, out: &mut Shares) {
    out.extend(asked.own.iter().map(|(key, own)| (*key, own + share * (share_of(asked.toward, *key) - own))));
    let new = asked.toward.iter().filter(|(key, _)| share_of(asked.own, *key) <= 0.0);
    out.extend(new.map(|(key, toward)| (*key, share * toward)));
    out.retain(|(_, weight)| *weight > 0.0);
}
