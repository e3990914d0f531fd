//! Options of the subcommands that find weights from where the surface should be, and what they have in common.

use std::collections::BTreeSet;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::find::find_node;
use super::{CliError, printable};
use crate::edit::{ComparedExample, Refusal, Sheet, check_joint};
use crate::model::{MeshId, Model, PrimitiveId};
use crate::solve::{Deviation, Gain, Joints, PullSettings, SolveSettings, Solved};
use crate::weights::Falloff;
use crate::words::counted;

/// How weights are looked for.
#[derive(Debug, Args)]
pub(super) struct SearchArgs {
    /// The most joints of a vertex
    #[arg(long, value_name = "N", default_value = "4", value_parser = clap::value_parser!(u64).range(1..=255))]
    max_influences: u64,
    /// The joints that a vertex may have
    #[arg(long, value_name = "JOINTS", value_enum, default_value = "near")]
    joints: Among,
    /// How strongly the weights of before are kept: this times the square of their change is added to the squares of the distances, which are
    /// measured by the diagonal of the surface's bounds
    #[arg(long, value_name = "LAMBDA", default_value = "1e-6", value_parser = parse_keep)]
    keep: f64,
    /// Leave the weights of this joint as they are; may be given several times
    #[arg(long, value_name = "JOINT", allow_hyphen_values = true)]
    lock: Vec<String>,
    /// Take this primitive of the file alone, by the numbers of the mesh and of the primitive in it, from 0
    #[arg(long, value_name = "MESH,PRIMITIVE", value_parser = parse_primitive)]
    primitive: Option<[u32; 2]>,
}

/// The joints among which weights are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Among {
    /// Those that the vertex has
    Kept,
    /// Also those of its neighbours, and the parents and children of all these
    Near,
    /// All of the skin
    All,
}

fn parse_keep(text: &str) -> Result<f64, String> {
    let keep = text.parse().ok().filter(|keep: &f64| *keep >= 0.0 && keep.is_finite());
    keep.ok_or_else(|| "expected a number, 0 or more".into())
}

/// Reads the numbers of a mesh and of a primitive in it.
pub(super) fn parse_primitive(text: &str) -> Result<[u32; 2], String> {
    let numbers = text.split_once(',').and_then(|(m, p)| Some([m.trim().parse().ok()?, p.trim().parse().ok()?]));
    numbers.ok_or_else(|| "expected MESH,PRIMITIVE, such as 0,0".into())
}

impl SearchArgs {
    /// Returns the primitive that is asked for, if one is.
    pub fn primitive(&self, model: &Model) -> Result<Option<PrimitiveId>, CliError> {
        self.primitive.map(|numbers| Self::find_primitive(model, numbers, "--primitive")).transpose()
    }

    /// Returns the primitive with these numbers of mesh and primitive in the file; `option` has asked for it. Where it shares the vertices of
    /// another one, that is meant.
    pub fn find_primitive(model: &Model, [mesh, primitive]: [u32; 2], option: &str) -> Result<PrimitiveId, CliError> {
        let holder = |m: usize| model.meshes[m].holder(primitive as usize);
        let at = |m: usize| PrimitiveId::new(MeshId::from_index(m), holder(m));
        let is_asked = |m: &usize| {
            let has = model.meshes[*m].primitives.get(holder(*m));
            model.file_mesh(MeshId::from_index(*m)).0 == mesh && has.is_some_and(|p| p.stored_influences.is_some())
        };
        match (0..model.meshes.len()).find(is_asked) {
            Some(m) => Ok(at(m)),
            None => {
                let why = format!("{option}: the file has no primitive {mesh},{primitive} with weights");
                Err(CliError::Usage(why))
            }
        }
    }

    /// Returns the locked joints.
    pub fn locked(&self, sheet: &Sheet) -> Result<BTreeSet<u32>, CliError> {
        let mut out = BTreeSet::new();
        for joint in &self.lock {
            let joint = find_node(sheet.model, joint)?;
            check_joint(sheet, joint).map_err(|why| CliError::Usage(printable(&format!("--lock: {why}"))))?;
            out.insert(joint.0);
        }
        Ok(out)
    }

    /// Returns the joints that a vertex may have.
    fn among(&self) -> Joints {
        match self.joints {
            Among::Kept => Joints::Kept,
            Among::Near => Joints::Near,
            Among::All => Joints::All,
        }
    }

    /// Returns how a vertex is put somewhere, whose change reaches so far, metres.
    pub fn pull_settings(&self, radius: f64, falloff: &'static Falloff) -> PullSettings {
        PullSettings { most: self.max_influences as usize, joints: self.among(), keep: self.keep, radius, falloff }
    }

    /// Returns how weights are looked for, and keeps the locked joints of a sheet.
    pub fn begin(&self, sheet: &mut Sheet) -> Result<SolveSettings, CliError> {
        sheet.bounds.locked = self.locked(sheet)?;
        Ok(SolveSettings { most: self.max_influences as usize, joints: self.among(), keep: self.keep })
    }
}

/// Makes the error that weights cannot be found.
pub(super) fn refused(why: Refusal) -> CliError {
    CliError::Usage(printable(&why.to_string()))
}

/// Adds how far points are from where they should be before and after, metres, to a JSON object.
pub(super) fn put_deviations(out: &mut Value, before: &Deviation, after: &Deviation) {
    for (when, Deviation { rms, p95, largest }) in [("before", before), ("after", after)] {
        out[format!("rms_{when}")] = json!(rms);
        out[format!("p95_{when}")] = json!(p95);
        out[format!("largest_{when}")] = json!(largest);
    }
}

/// Adds how much of the way to a method weights go, in all and for each joint, to a JSON object.
pub(super) fn put_gain(out: &mut Value, model: &Model, gain: &Gain) {
    let joints = gain.joints.iter().map(|joint| {
        json!({
            "joint": model.skeleton.names.get(joint.key as usize),
            "rms_before": joint.before,
            "rms_after": joint.after,
            "gain_percent": joint.percent(),
        })
    });
    let joints: Vec<Value> = joints.collect();
    put_deviations(out, &gain.before, &gain.after);
    out["gain_percent"] = json!(gain.percent());
    out["joints"] = json!(joints);
}

/// Says the same for people, of this method in so many poses.
pub(super) fn gain_text(model: &Model, (from, poses): (&str, usize), gain: &Gain) -> String {
    let percent = |percent: Option<f64>| {
        percent.map_or_else(|| "nothing to gain".to_owned(), |percent| format!("{percent:.1} % of the gain"))
    };
    let poses = counted(poses, "pose", "poses");
    let apart = deviations(&gain.before, &gain.after);
    let mut out = format!("{from} in {poses}: {}; {apart}\n", percent(gain.percent()));
    for joint in &gain.joints {
        let name = model.skeleton.names.get(joint.key as usize).map_or("", String::as_str);
        let (before, after) = (1e3 * joint.before, 1e3 * joint.after);
        let share = percent(joint.percent());
        out += &format!("  {}: {share}; {before:.3} → {after:.3} mm\n", printable(name));
    }
    out
}

/// Adds how far the surface is from each example before and after to a JSON object.
pub(super) fn put_examples(out: &mut Value, told: &[ComparedExample]) {
    let list = |is_held_out: bool| -> Vec<Value> {
        let one = |told: &ComparedExample| {
            let mut out = json!({ "name": told.name });
            put_deviations(&mut out, &told.before, &told.after);
            out
        };
        told.iter().filter(|told| told.is_held_out == is_held_out).map(one).collect()
    };
    (out["examples"], out["hold_out"]) = (json!(list(false)), json!(list(true)));
}

/// Says the same for people, a line for each example.
pub(super) fn examples_text(told: &[ComparedExample]) -> String {
    let line = |told: &ComparedExample| {
        let aside = if told.is_held_out { ", kept aside" } else { "" };
        format!("{}{aside}: {}\n", printable(&told.name), deviations(&told.before, &told.after))
    };
    told.iter().map(line).collect()
}

/// Says how far points are from where they should be before and after, for people.
pub(super) fn deviations(before: &Deviation, after: &Deviation) -> String {
    let change = |before: f64, after: f64| format!("{:.3} → {:.3} mm", 1e3 * before, 1e3 * after);
    format!(
        "{} (95 % below {}, at most {})",
        change(before.rms, after.rms),
        change(before.p95, after.p95),
        change(before.largest, after.largest)
    )
}

/// Says which places have not been solved as they might have, and why none has other weights where that is so.
pub(super) fn remarks(solved: &Solved) -> String {
    let mut out = String::new();
    if solved.changed == 0 {
        out += "no place comes nearer with the joints that it may have than with the weights before\n";
    }
    if solved.stuck > 0 {
        let stays = counted(solved.stuck, "place stays", "places stay");
        out += &format!(
            "{stays}: locked joints leave nothing, or no room for another joint, or have other weights at the same place\n"
        );
    }
    if solved.unproven > 0 {
        let have = counted(solved.unproven, "place has", "places have");
        out += &format!("{have} a good choice of joints that is not proven to be the best\n");
    }
    out
}
