//! The prediction of how a runtime changes the weights of a file: `skinscope check --runtime`.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::edit::{PackedFigures, Packing, RUNTIMES};
use crate::inspect::check::FindingPose;
use crate::model::{ClipId, Model};
use crate::parallel::JobContext;
use crate::session::{ComparisonCommand, Document, PlaybackCommand, PoseSource, Session, WorstPose};
use crate::words::counted;

/// Reads the name of a runtime or its numbers.
pub(in crate::cli) fn packing(text: &str) -> Result<Packing, String> {
    Packing::parse(text).ok_or_else(|| {
        let names: Vec<&str> = RUNTIMES.iter().map(|runtime| runtime.id).collect();
        format!("expected {}, or N:TYPE:JOINTS, where TYPE is u8, u16, f32 or stored", names.join(", "))
    })
}

/// The prediction of how a runtime changes the weights of a file.
#[derive(Debug)]
pub(super) struct Prediction {
    packing: Packing,
    figures: PackedFigures,
    /// The pose in which the surface is farthest from that of the weights as they are; `None` where nothing is skinned.
    worst: Option<WorstPose>,
    /// The name of that pose's clip.
    clip: Option<String>,
    clips: bool,
}

/// Predicts how a runtime changes a model, by linear blending over all clips, or over the range of motion where there
/// is no clip.
pub(super) fn predict(model: &Arc<Model>, packing: Packing) -> Option<Prediction> {
    let mut session = Session::default();
    session.open(Document::new(Arc::clone(model), Vec::new(), None));
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(ComparisonCommand::PreviewAs(packing));
    session.update_pose();
    let figures = *session.deforming().packed_figures()?;
    let clips = model.clips.len();
    let mut worst: Option<WorstPose> = None;
    let context = JobContext::of_waiting();
    let mut keep = |found: Option<WorstPose>| {
        let is_worse = |found: &WorstPose| worst.is_none_or(|w| found.distance.worst > w.distance.worst);
        worst = found.filter(is_worse).or(worst);
    };
    for clip in (0..clips).map(ClipId::from_index) {
        session.apply(PlaybackCommand::SetClip(clip));
        session.apply(PlaybackCommand::SetPlaying(false));
        keep(session.worst_moment(&mut |_| !context.is_cancelled()));
    }
    if clips == 0 {
        session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
        keep(session.worst_of_motion(&mut |_| !context.is_cancelled()));
    }
    let clip = worst.and_then(|worst| match worst.pose {
        FindingPose::Clip { clip, .. } => Some(model.clips[clip.index()].name.clone()),
        _ => None,
    });
    Some(Prediction { packing, figures, worst, clip, clips: clips > 0 })
}

/// Says that the runtime draws copies of a mesh without their skin; `None` where it draws none so.
pub(in crate::cli) fn unskinned(figures: &PackedFigures) -> Option<String> {
    let nodes =
        counted(figures.unskinned, "node with copies of a skinned mesh is", "nodes with copies of a skinned mesh are");
    (figures.unskinned > 0).then(|| format!("{nodes} drawn without the skin, which the distances do not show"))
}

impl Prediction {
    /// Returns the prediction as a field of a file's JSON.
    pub(super) fn json(&self, model: &Model) -> Value {
        let Self { packing, figures, worst, clip, clips } = self;
        let millimetres = |of: fn(&WorstPose) -> f64| worst.as_ref().map(|worst| 1e3 * of(worst));
        let time = worst.and_then(|worst| match worst.pose {
            FindingPose::Clip { time_secs, .. } => Some(time_secs),
            _ => None,
        });
        let at = worst.and_then(|worst| worst.distance.at);
        json!({
            "name": packing.id(),
            "influences": packing.influences,
            "joints_per_draw": packing.joints,
            "vertices": figures.vertices,
            "losing": figures.losing,
            "largest_loss": figures.largest_loss,
            "normalised": figures.normalised,
            "vertex_bytes": figures.vertex_bytes,
            "vertex_bytes_implied": figures.implied_bytes,
            "vertex_bits": {
                "plain": figures.vertex_bits,
                "implied": figures.implied_bits,
                "index": figures.index_bits,
                "count": figures.count_bits,
                "counted": figures.counted_bits,
            },
            "joints": figures.joints,
            "palette_bytes": figures.palette_bytes,
            "fits": !figures.overflows,
            "unskinned_copies": figures.unskinned,
            "over": if *clips { "clips" } else { "rom" },
            "worst_mm": millimetres(|worst| worst.distance.worst),
            "mean_mm": millimetres(|worst| worst.distance.mean),
            "rms_mm": millimetres(|worst| worst.distance.rms),
            "clip": clip,
            "time": time,
            "mesh": at.map(|at| model.file_mesh(model.instances[at.instance.index()].mesh).index()),
            "primitive": at.map(|at| at.primitive),
            "vertex": at.map(|at| at.vertex),
        })
    }

    /// Returns the prediction as lines of text.
    pub(super) fn text(&self) -> String {
        let Self { packing, figures, worst, clip, .. } = self;
        let mut out = format!("  as {}: ", packing.label());
        let (all, lose) =
            (counted(figures.vertices, "vertex", "vertices"), if figures.losing == 1 { "loses" } else { "lose" });
        out += &format!("{} of {all} {lose} joints", figures.losing);
        if figures.losing > 0 {
            out += &format!(", at most {:.4} of their weight", figures.largest_loss);
        }
        if figures.normalised > 0 {
            out += &format!("; {} divided by their sum", counted(figures.normalised, "is", "are"));
        }
        out += &format!(
            "; {} a vertex, {} of {} bytes",
            counted(figures.vertex_bytes, "byte", "bytes"),
            counted(figures.joints, "joint", "joints"),
            figures.palette_bytes
        );
        out += &format!(
            "; {} bits, {} with the last weight implied, {:.1} on average with N in {} bits; {}-bit indices",
            figures.vertex_bits, figures.implied_bits, figures.counted_bits, figures.count_bits, figures.index_bits
        );
        if let Some(worst) = worst {
            out += &format!("; off by up to {:.4} mm", 1e3 * worst.distance.worst);
            if let (Some(clip), FindingPose::Clip { time_secs, .. }) = (clip, worst.pose) {
                out += &format!(" (clip \"{}\", {time_secs:.3} s)", super::super::printable(clip));
            }
        }
        if let Some(text) = unskinned(figures) {
            out += &format!("; {text}");
        }
        if figures.overflows {
            out += &format!("; {} joints are more than one draw can have", figures.joints);
        }
        out + "\n"
    }
}
