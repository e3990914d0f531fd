//! `skinscope bind --from`: gives a garment the joints and the weights of the body that wears it.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};

use super::check::bound::{Looked, look};
use super::clips::paths;
use super::fix::tell_current;
use super::fix_report::written;
use super::map::MapArgs;
use super::opened::refuse_session;
use super::storage::Restored;
use super::write_args::{WriteArgs, tell_saved};
use super::{CliError, other_file, print, printable};
use crate::edit::{
    ALIGNS, Align, Deepest, Depths, DressSettings, Dressed, DressedGarment, DressedSkin, LeftOut, Sheet, dress,
    words_of_pose,
};
use crate::inspect::check::FindingPose;
use crate::math::length;
use crate::model::{Model, PrimitiveId};
use crate::output::{overwritten, overwritten_by_stdout};
use crate::parallel::JobContext;
use crate::words::counted;
use crate::writeback::{Origin, Recompression, Saved, Stamps, prepare};

/// What is printed of what was done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prints {
    /// Whether it is printed as JSON.
    pub json: bool,
    /// Whether the file is checked that was written.
    pub check: bool,
}

/// The body, and how a garment is laid over it.
#[derive(Debug, Args)]
pub(super) struct DressArgs {
    /// Dress this body: give the garment MODEL its joints and the weights of its surface
    ///
    /// A garment without a skin gains the joints as nodes, with the names, hierarchy and rest pose that they have in BODY, so that both play
    /// one clip. Of one that has a skin the weights are replaced: its joints stay, and are matched by bones and names. The two stand where they
    /// stand in their files. Each skin of the garment is reported. With --json, method is `from`, and a skin has in place of fallback and rules: inpainted (vertices that took their
    /// weights from those around them), layered (vertices that took those of another piece between them and the body), unmatched,
    /// distance_mm {mean, largest}, aligned {by, degrees, scale, moved_m}, deepest {percent, clip, time, vertex} (how much deeper than at
    /// rest the clips of BODY take a vertex into it, in percent of the diagonal of its box), turned {percent, joint, degrees, vertex} (the
    /// same with one joint turned), moments and turns (how many poses were compared), missing, known_names, joined (meshes without a skin that gained the joints of the garment) and left_out [{mesh, why}].
    #[arg(
        long,
        value_name = "BODY",
        allow_hyphen_values = true,
        conflicts_with_all = ["method", "joints", "skeleton", "humanoid", "axes", "mesh", "smooth", "rigid_pieces", "without", "set", "envelope", "lock"]
    )]
    from: Option<PathBuf>,
    /// With --from: take weights from no point of the body that is farther away, in metres; what lies farther follows from what it hangs on
    /// [default: 5 % of the diagonal of the box around the body]
    #[arg(long, value_name = "M", requires = "from", value_parser = parse_distance)]
    distance: Option<f64>,
    /// With --from: where the garment is worn, if not where it stands: by the joints of both, or by the boxes around both [default: none]
    #[arg(long, value_name = "HOW", requires = "from", value_parser = ways())]
    align: Option<String>,
    /// With --from: leave joints out that no vertex follows, with the nodes that only they hang on
    #[arg(long, requires = "from")]
    drop_unused: bool,
    #[command(flatten)]
    map: MapArgs,
}

fn ways() -> PossibleValuesParser {
    PossibleValuesParser::new(ALIGNS.iter().map(|(_, word)| *word))
}

fn parse_distance(text: &str) -> Result<f64, String> {
    let metres = text.parse().ok().filter(|metres: &f64| *metres > 0.0 && metres.is_finite());
    metres.ok_or_else(|| "expected a length in metres, above 0".into())
}

fn usage(why: &dyn std::fmt::Display) -> CliError {
    CliError::Usage(printable(&why.to_string()))
}

impl DressArgs {
    /// Dresses the body if one is named; returns whether one is.
    pub fn run(&self, write: &WriteArgs, most: usize, prints: Prints) -> Result<bool, CliError> {
        let names = self.map.read_for("--from", self.from.is_some())?;
        let Some(from) = &self.from else { return Ok(false) };
        let word = self.align.as_deref();
        let align = ALIGNS.iter().find(|(_, known)| Some(*known) == word).map_or(Align::None, |(align, _)| *align);
        let settings = DressSettings { distance: self.distance, align, drops_unused: self.drop_unused, most, names };
        self.dress(write, from, &settings, prints)?;
        Ok(true)
    }

    fn dress(&self, write: &WriteArgs, from: &Path, settings: &DressSettings, prints: Prints) -> Result<(), CliError> {
        let WriteArgs { model: path, open, .. } = write;
        refuse_session(path)?;
        refuse_session(from)?;
        let mut stamps = Stamps::of(path);
        let garment = other_file(path, open)?;
        overwritten_by_stdout(garment.files())?;
        stamps.add(garment.files());
        let body = other_file(from, open)?;
        overwritten_by_stdout(body.files())?;
        if let Some(out) = &write.output {
            overwritten(out, body.files())?;
            overwritten(out, paths(&self.map.files().collect::<Vec<_>>()))?;
        }
        let model = garment.stored();
        let body: &Model = body.stored();
        let began = Instant::now();
        if self.drop_unused && model.instances.iter().any(|instance| instance.skin.is_some()) {
            return Err(usage(&"--drop-unused: the garment has a skin already, and its joints stay"));
        }
        let found = dress(model, body, settings, &JobContext::of_waiting()).map_err(|why| usage(&why))?;
        let gained = found.on(model).map_err(|why| usage(&why))?;
        let (sheet, DressedGarment { dressed, .. }) = (Sheet::of(&gained), found);
        let skins = dressed.skins(&gained);
        let seconds = began.elapsed().as_secs_f64();
        if !prints.json {
            tell_current(&garment, &sheet);
        }
        let saved = prepare(Origin::File(path, &stamps), &sheet, Recompression::None, write.destination())?
            .keeping_links(write.keep_links)
            .write()?;
        tell_saved(&saved);
        let restored = if saved.changes.accessors.is_empty() { Restored::default() } else { Restored::of(&sheet) };
        let out = write.output.as_deref().unwrap_or(path);
        let looked = if prints.check { Some(look(out, open, settings.most)?) } else { None };
        print(&match prints.json {
            true => report([sheet.model, body], (&dressed, skins.as_slice()), seconds, (&saved, looked.as_ref())),
            false => {
                let looked = looked.as_ref().map_or_else(String::new, Looked::text);
                text([sheet.model, body], (&dressed, skins.as_slice())) + &written(&saved, &restored) + &looked
            }
        })
    }
}

/// Returns a vertex as the mesh of the file, the primitive and the number there.
fn place(model: &Model, (id, vertex): (PrimitiveId, usize)) -> [usize; 3] {
    [model.file_mesh(id.mesh).index(), id.primitive, vertex]
}

/// Returns what was found in poses that `what` and `where_to` name, such as a clip and its time; null where no pose was compared.
fn deepest([model, body]: [&Model; 2], found: Option<Deepest>, poses: usize, [what, value]: [&str; 2]) -> Value {
    if poses == 0 {
        return Value::Null;
    }
    let Some(Deepest { percent, pose, at }) = found else {
        return json!({ "percent": 0.0, what: null, value: null, "vertex": null });
    };
    let (name, number) = words_of_pose(body, pose);
    json!({ "percent": percent, what: name, value: number, "vertex": place(model, at) })
}

/// Returns a mesh that stays as it is, with the reason.
fn left_out(LeftOut { mesh, why }: &LeftOut) -> Value {
    json!({ "mesh": mesh, "why": why })
}

/// Returns what was done to one skin as JSON, with what is said of the garment as a whole.
fn skin_report(models: [&Model; 2], dressed: &Dressed, skin: &DressedSkin) -> Value {
    let DressedSkin { transferred, depths, .. } = skin;
    let (aligned, Depths { in_clips, moments, turned, turns }) = (&dressed.aligned, *depths);
    let by = ALIGNS.iter().find(|(align, _)| *align == aligned.by).map(|(_, word)| *word);
    json!({
        "skin": skin.skin.0,
        "vertices": skin.vertices,
        "joints": skin.joints,
        "joints_used": skin.joints_used,
        "islands": transferred.islands,
        "inpainted": transferred.inpainted,
        "layered": transferred.layered,
        "unmatched": transferred.unmatched,
        "distance_mm": { "mean": 1e3 * transferred.mean, "largest": 1e3 * transferred.largest },
        "aligned": { "by": by, "degrees": aligned.degrees, "scale": aligned.scale, "moved_m": aligned.moved },
        "deepest": deepest(models, in_clips, moments, ["clip", "time"]),
        "turned": deepest(models, turned, turns, ["joint", "degrees"]),
        "moments": moments,
        "turns": turns,
        "missing": transferred.missing,
        "known_names": dressed.known_names,
        "joined": skin.joined,
        "left_out": dressed.left_out.iter().map(left_out).collect::<Vec<_>>(),
    })
}

/// Returns what was done as JSON.
fn report(
    models: [&Model; 2],
    (dressed, skins): (&Dressed, &[DressedSkin]),
    seconds: f64,
    (saved, looked): (&Saved, Option<&Looked>),
) -> String {
    let skins: Vec<Value> = skins.iter().map(|skin| skin_report(models, dressed, skin)).collect();
    let changed = saved.changes.vertices;
    let mut out = json!({ "schema": 1, "method": "from", "seconds": seconds, "skins": skins, "changed": changed });
    if let Some(looked) = looked {
        out["check"] = looked.json();
    }
    format!("{out}\n")
}

/// Returns what was done to one skin as lines of text.
fn skin_text([model, body]: [&Model; 2], skin: &DressedSkin) -> String {
    let DressedSkin { transferred, depths, joints, joints_used, .. } = skin;
    let mut out = format!(
        "skin {}, from the body: {} in {}, {joints_used} of {}\n",
        skin.skin.0,
        counted(skin.vertices, "vertex", "vertices"),
        counted(transferred.islands, "piece", "pieces"),
        counted(*joints, "joint has weight", "joints have weight"),
    );
    let (mean, largest) = (length(transferred.mean), length(transferred.largest));
    out += &format!("distance to the body: {mean} in the mean, {largest} at most\n");
    for (count, what) in [
        (transferred.inpainted, "took the weights of those around"),
        (transferred.layered, "took the weights of the layer below"),
        (transferred.unmatched, "kept what was there: no joint here answers to those of the body"),
    ] {
        if count > 0 {
            out += &format!("{} {what}\n", counted(count, "vertex", "vertices"));
        }
    }
    let in_clips = counted(depths.moments, "moment of the clips", "moments of the clips");
    let turned = counted(depths.turns, "turn of a joint", "turns of joints");
    let poses = [(depths.in_clips, depths.moments, in_clips), (depths.turned, depths.turns, turned)];
    for (found, _, what) in poses.into_iter().filter(|(_, count, _)| *count > 0) {
        let Some(Deepest { percent, pose, at }) = found else {
            out += &format!("in {what} no vertex goes deeper into the body than at rest\n");
            continue;
        };
        let (name, number) = words_of_pose(body, pose);
        let (name, [mesh, primitive, vertex]) = (printable(&name), place(model, at));
        let when = match pose {
            FindingPose::Turned { .. } => format!("\"{name}\" turned by {number:.0}°"),
            _ => format!("\"{name}\" at {number:.3} s"),
        };
        out += &format!(
            "in {what} up to {percent:.2} % of its size deeper into the body than at rest: {when}, \
             mesh {mesh}, primitive {primitive}, vertex {vertex}\n"
        );
    }
    out
}

/// Returns what was done as lines of text.
fn text(models: [&Model; 2], (dressed, skins): (&Dressed, &[DressedSkin])) -> String {
    let Dressed { transferred, aligned, .. } = dressed;
    let mut out: String = skins.iter().map(|skin| skin_text(models, skin)).collect();
    if aligned.by != Align::None {
        let (turn, moved) = (aligned.degrees, length(aligned.moved));
        out += &format!("aligned: turned by {turn:.1}°, scaled by {:.4}, moved by {moved}\n", aligned.scale);
    }
    if !dressed.known_names.is_empty() {
        let names = printable(&dressed.known_names.join(", "));
        out += &format!("other nodes have the names of joints too, so that a clip may mean either: {names}\n");
    }
    if !dressed.joined.is_empty() {
        let names = printable(&dressed.joined.join(", "));
        out += &format!("meshes without a skin gained the joints of the garment: {names}\n");
    }
    for LeftOut { mesh, why } in &dressed.left_out {
        out += &format!("mesh \"{}\" stays as it is: {}\n", printable(mesh), printable(why));
    }
    if !transferred.missing.is_empty() {
        out += &format!("without a counterpart here: {}\n", printable(&transferred.missing.join(", ")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_is_a_length_above_nothing() {
        assert_eq!(parse_distance("0.02"), Ok(0.02));
        for wrong in ["0", "-1", "inf", "nan", "5cm", ""] {
            assert!(parse_distance(wrong).is_err(), "{wrong}");
        }
    }
}
