//! The rule about more influences than a runtime uses, and what the vertices lose by it.

use std::f32::consts::FRAC_PI_2;

use glam::{Affine3A, Quat, Vec3, Vec3A};
use skinscope_anim::{SampleScratch, evaluate_clip};
use skinscope_base::math::length;
use skinscope_base::parallel;
use skinscope_base::words::counted;
use skinscope_model::{ClipId, LocalPose, Model, NodeId};

use super::weighted::{Weighted, vertices_have, weighted};
use super::{DependsOn, Finding, FindingPose, Measure, ROGUE, Repair, Rule, Severity, Skinned, Subject};

/// The rule that finds vertices with too many influences.
pub(crate) static TOO_MANY: Rule = Rule {
    id: "too-many-influences",
    label: "More influences than the limit",
    help: "More joints move a vertex than --limit says, 4 unless told otherwise",
    severity: Severity::Warning,
    run: too_many,
    overlay: Some("alarms"),
    depends_on: DependsOn::OwnVertices,
    // Vertices with too many joints are not looked at for cut off parts.
    repair: |_| Repair { also: Some(ROGUE.id), ..Repair::SOUND },
    ..Rule::ROW
};

/// How many moments of the file's clips are looked at; in large meshes fewer, so that no more than this many pairs are
/// moved.
const MOMENTS: usize = 24;
const MOST_MOVED: usize = 64_000_000;

/// How many vertices a thread takes at once.
const PIECE: usize = 2048;

fn too_many(subject: &Subject, out: &mut Vec<Finding>) {
    for w in weighted(subject).filter(|w| w.influences.per_vertex > subject.limit) {
        let cut = Cut::of(&w, subject.limit);
        if cut.vertices.is_empty() {
            continue;
        }
        let clips = &subject.model.clips;
        let moments = (MOST_MOVED / cut.pairs.len().max(1)).clamp(1, MOMENTS);
        let moments = if clips.is_empty() { Vec::new() } else { moments_of(subject.model, moments) };
        let mut worst = None;
        for s in w.skinned {
            worst = worse(worst, cut.bent(subject, &w, s));
            worst = worse(worst, cut.in_clips(subject, &w, s, &moments));
        }
        let in_clips = match (moments.len(), clips.len()) {
            (0, _) => String::new(),
            (moments, clips) => {
                let of = if clips == 1 { "clip".to_owned() } else { format!("{clips} clips") };
                format!(", and {} of the file's {of}", counted(moments, "moment", "moments"))
            }
        };
        let lost = worst.map_or_else(String::new, |loss: Loss| {
            format!(
                " and draws vertex {} up to {} from its place (tried: the rest pose with each of its joints turned by 90° \
                 about each axis{in_clips})",
                loss.vertex,
                length(loss.metres.into()),
            )
        });
        let message = format!(
            "{} more than {}, up to {}: a runtime with that limit keeps the largest and normalises them, which \
             drops up to {:.1} % of a vertex's weight{lost}.",
            vertices_have(cut.vertices.len()),
            counted(subject.limit, "influence", "influences"),
            cut.most,
            cut.dropped * 100.0,
        );
        let fix = format!(
            "Limit the weights to {} in the tool that paints them, normalise, and look at the result; or say --limit {} if \
             the runtime takes that many.",
            subject.limit, cut.most,
        );
        let measure = worst.map(|l| Measure { what: "largest loss", value: f64::from(l.metres) * 1e3, unit: "mm" });
        let mut finding = w.finding(&TOO_MANY, (cut.vertices, Vec::new()), (message, fix.as_str()), measure);
        finding.pose = worst.map_or(FindingPose::Rest, |loss| loss.pose);
        out.push(finding);
    }
}

/// How far the limit moves a vertex.
#[derive(Clone, Copy, Debug)]
struct Loss {
    metres: f32,
    vertex: u32,
    pose: FindingPose,
}

/// Returns the greater of two losses; the first of equals, so that the order of threads does not matter.
fn worse(a: Option<Loss>, b: Option<Loss>) -> Option<Loss> {
    match (a, b) {
        (Some(x), Some(y)) if y.metres > x.metres => b,
        (Some(_), _) => a,
        (None, _) => b,
    }
}

/// The vertices with too many influences, and by how much the limit changes each of their weights.
#[derive(Default)]
struct Cut {
    vertices: Vec<u32>,
    /// For each vertex: the end of its pairs.
    ends: Vec<usize>,
    /// Joints, each with the stored weight less the limited one. Those of a vertex sum to zero, so that nothing is lost
    /// where all joints are at one position.
    pairs: Vec<(u16, f32)>,
    /// The most influences of a vertex.
    most: usize,
    /// The largest share of a vertex's weight that is dropped.
    dropped: f32,
}

impl Cut {
    fn of(w: &Weighted, limit: usize) -> Self {
        let mut out = Self::default();
        let mut used: Vec<(u16, f32)> = Vec::new();
        for vertex in 0..w.source.stored_vertices {
            let (joints, weights) = w.influences.of(vertex);
            used.clear();
            used.extend(joints.iter().copied().zip(weights.iter().copied()).filter(|(_, weight)| *weight > 0.0));
            if used.len() <= limit {
                continue;
            }
            out.most = out.most.max(used.len());
            // The sort is stable: of equal weights the first remain.
            used.sort_by(|a, b| b.1.total_cmp(&a.1));
            let (retained, dropped) = used.split_at(limit);
            let sum = |pairs: &[(u16, f32)]| pairs.iter().map(|p| f64::from(p.1)).sum::<f64>();
            let (retained_sum, all) = (sum(retained), sum(retained) + sum(dropped));
            out.dropped = out.dropped.max((1.0 - retained_sum / all) as f32);
            let grown = |weight: f32| (f64::from(weight) * (1.0 - all / retained_sum)) as f32;
            out.pairs.extend(retained.iter().map(|(joint, weight)| (*joint, grown(*weight))));
            out.pairs.extend_from_slice(dropped);
            out.vertices.push(vertex as u32);
            out.ends.push(out.pairs.len());
        }
        out
    }

    /// Returns the greatest loss of all vertices. `loss` gets a vertex's index in the mesh and its pairs.
    fn worst(&self, subject: &Subject, w: &Weighted, loss: &Worst) -> Option<Loss> {
        let pieces = self.vertices.len().div_ceil(PIECE);
        let found = parallel::map(pieces, subject.cancel, &|piece| {
            let turns = piece * PIECE..((piece + 1) * PIECE).min(self.vertices.len());
            turns.fold(None, |worst, turn| {
                let start = turn.checked_sub(1).map_or(0, |before| self.ends[before]);
                let vertex = self.vertices[turn];
                let position = Vec3A::from(w.source.positions[vertex as usize]);
                let (metres, pose) = loss(position, &self.pairs[start..self.ends[turn]]);
                worse(worst, metres.is_finite().then_some(Loss { metres, vertex, pose }))
            })
        });
        found.into_iter().flatten().fold(None, worse)
    }

    /// Returns the greatest loss in the rest pose with one joint turned, for each joint of the vertex and each of its
    /// axes. Everything below the joint turns with it, by a matrix that is multiplied from the left.
    fn bent(&self, subject: &Subject, w: &Weighted, s: &Skinned) -> Option<Loss> {
        let rest = palette(s, &subject.rest);
        let turned: Vec<Turned> = s.skin.joints.iter().map(|joint| Turned::of(subject, *joint)).collect();
        self.worst(subject, w, &|position, pairs| {
            let mut worst = (0.0, FindingPose::Rest);
            for (bent, _) in pairs {
                let joint = s.skin.joints[usize::from(*bent)];
                let Turned { end, axes } = &turned[usize::from(*bent)];
                let hangs = |node: NodeId| (joint.index()..*end).contains(&node.index());
                let (mut moved, mut moved_weight, mut still) = (Vec3A::ZERO, 0.0, Vec3A::ZERO);
                for (index, weight) in pairs {
                    let at = rest[usize::from(*index)].transform_point3a(position) * *weight;
                    if hangs(s.skin.joints[usize::from(*index)]) {
                        (moved, moved_weight) = (moved + at, moved_weight + weight);
                    } else {
                        still += at;
                    }
                }
                for (axis, turn) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().zip(axes) {
                    let metres = (turn.matrix3 * moved + turn.translation * moved_weight + still).length();
                    if metres > worst.0 {
                        worst = (metres, FindingPose::Turned { joint, axis, angle: FRAC_PI_2 });
                    }
                }
            }
            worst
        })
    }

    /// Returns the greatest loss at moments of the file's clips.
    fn in_clips(&self, subject: &Subject, w: &Weighted, s: &Skinned, moments: &[(ClipId, f32)]) -> Option<Loss> {
        let model = subject.model;
        let (mut scratch, mut pose, mut nodes) = (SampleScratch::default(), LocalPose::default(), Vec::new());
        let mut worst = None;
        for (clip, time_secs) in moments {
            if subject.is_cancelled() {
                break;
            }
            evaluate_clip(model, &model.clips[clip.index()], *time_secs, &mut scratch, &mut pose, &mut nodes);
            let palette = palette(s, &nodes);
            let pose = FindingPose::Clip { clip: *clip, time_secs: *time_secs };
            let found = self.worst(subject, w, &|position, pairs| {
                let at =
                    |(index, weight): &(u16, f32)| palette[usize::from(*index)].transform_point3a(position) * *weight;
                (pairs.iter().map(at).sum::<Vec3A>().length(), pose)
            });
            worst = worse(worst, found);
        }
        worst
    }
}

type Worst<'a> = dyn Fn(Vec3A, &[(u16, f32)]) -> (f32, FindingPose) + Sync + 'a;

/// A joint turned by 90°.
struct Turned {
    /// One past the last node below it.
    end: usize,
    /// The matrices that turn those nodes, one for each of the joint's axes.
    axes: [Affine3A; 3],
}

impl Turned {
    fn of(subject: &Subject, joint: NodeId) -> Self {
        let skeleton = &subject.model.skeleton;
        let rest = skeleton.rest.transforms[joint.index()];
        let parent = skeleton.parents[joint.index()].map_or(Affine3A::IDENTITY, |p| subject.rest[p.index()]);
        // Scale and shear are applied before the turn.
        let frame = parent * Affine3A::from_rotation_translation(rest.rotation, rest.translation);
        let back = frame.inverse();
        let about = |axis| frame * Affine3A::from_quat(Quat::from_axis_angle(axis, FRAC_PI_2)) * back;
        Self { end: skeleton.subtree_end(joint), axes: [Vec3::X, Vec3::Y, Vec3::Z].map(about) }
    }
}

fn palette(s: &Skinned, nodes: &[Affine3A]) -> Vec<Affine3A> {
    s.skin.joints.iter().zip(&s.skin.inverse_bind).map(|(j, inverse)| nodes[j.index()] * *inverse).collect()
}

/// Returns so many moments, spread evenly over the clips as if one followed the other.
fn moments_of(model: &Model, count: usize) -> Vec<(ClipId, f32)> {
    let total: f64 = model.clips.iter().map(|clip| f64::from(clip.duration_secs())).sum();
    let mut clips = model.clips.iter().enumerate();
    let (mut clip, mut before) = (clips.next(), 0.0);
    let mut out = Vec::with_capacity(count);
    for turn in 0..count {
        let at = total * (turn as f64 + 0.5) / count as f64;
        while let Some((i, current)) = clip {
            let duration = f64::from(current.duration_secs());
            if at <= before + duration || i + 1 == model.clips.len() {
                out.push((ClipId::from_index(i), current.start_secs + (at - before).clamp(0.0, duration) as f32));
                break;
            }
            before += duration;
            clip = clips.next();
        }
    }
    out
}
