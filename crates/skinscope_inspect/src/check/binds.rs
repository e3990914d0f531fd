//! Rules about inverse bind matrices: whether they can be inverted, keep shapes and belong to the rest pose.

use skinscope_base::math::{Stretch, factor, length};
use skinscope_model::{NodeId, Skin, SkinId};

use super::joints::{by_skins, finding, joints, skins};
use super::{DependsOn, Finding, Measure, Repair, Rule, Severity, Subject};
use crate::rig::{self, Drift, SAME_SCALE, SkinBinding};

/// The rule that finds inverse bind matrices that cannot be inverted.
pub(crate) static SINGULAR: Rule = Rule {
    id: "inverse-bind-singular",
    label: "Inverse bind that cannot be inverted",
    help: "The inverse bind matrix of a joint cannot be inverted, or is not finite",
    severity: Severity::Error,
    run: singular,
    depends_on: DependsOn::ItsBinds,
    repair: |_| {
        Repair::nearest("inverse-binds", "Where these joints were bound is lost; the rest pose is only a guess at it.")
    },
    ..Rule::ROW
};

/// The rule that finds inverse bind matrices that scale unevenly or shear.
pub(crate) static NON_RIGID: Rule = Rule {
    id: "inverse-bind-non-rigid",
    label: "Inverse bind with shear or uneven scale",
    help: "The inverse bind matrix of a joint shears, or its singular values differ by more than 1 %",
    severity: Severity::Warning,
    run: non_rigid,
    depends_on: DependsOn::ItsBinds,
    repair: |_| {
        Repair::nearest("inverse-binds", "The stretch may be meant, and without it the mesh has another shape.")
    },
    ..Rule::ROW
};

/// The rule that finds joints that do not rest where they were bound.
pub(crate) static MISMATCH: Rule = Rule {
    id: "inverse-bind-mismatch",
    label: "Joint bound elsewhere",
    help: "Joints do not rest where they were bound: off by more than 1 % of the skin's size, 1° or 1 % of scale",
    severity: Severity::Warning,
    run: mismatch,
    depends_on: DependsOn::ItsBinds,
    repair: |finding| {
        // Where a skin as a whole was bound in another pose, the rule only informs.
        if finding.severity == Severity::Info { BOUND_ELSEWHERE } else { Repair::SOUND }
    },
    ..Rule::ROW
};

/// What can be done about a skin that was bound in another pose.
const BOUND_ELSEWHERE: Repair = Repair {
    may_be_meant: true,
    ..Repair::nearest(
        "inverse-binds",
        "The skin may be meant to rest in another pose than it was bound in, and clips that were made for it would move the \
         mesh otherwise.",
    )
};

fn singular(subject: &Subject, out: &mut Vec<Finding>) {
    let of_skin = |id: SkinId| {
        let skin = &subject.model.skins[id.index()];
        let at = |j: &usize| skin.joints[*j];
        let not_finite: Vec<NodeId> = skin.not_finite.iter().map(at).collect();
        let is_flat = |j: &usize| rig::inverse_bind(skin, *j).is_some_and(|m| rig::is_singular(&m));
        let flat: Vec<NodeId> = (0..skin.joints.len()).filter(is_flat).map(|j| at(&j)).collect();
        (!not_finite.is_empty() || !flat.is_empty()).then_some((not_finite, flat))
    };
    for ((not_finite, flat), ids) in by_skins(subject, of_skin) {
        let mut said = Vec::new();
        if !flat.is_empty() {
            let matrices = if flat.len() == 1 { "matrix" } else { "matrices" };
            said.push(format!(
                "The inverse bind {matrices} of {} in {} cannot be inverted: what {} moves collapses onto a plane, a \
                 line or a point in every pose, and no bind pose can be found.",
                subject.names(&flat),
                skins(&ids),
                if flat.len() == 1 { "it" } else { "they" },
            ));
        }
        if !not_finite.is_empty() {
            let (matrices, have) = if not_finite.len() == 1 { ("matrix", "holds") } else { ("matrices", "hold") };
            said.push(format!(
                "The inverse bind {matrices} of {} in {} {have} numbers that are not finite: programs draw nothing \
                 there, or triangles across the whole picture; here the identity stands in its place.",
                subject.names(&not_finite),
                skins(&ids),
            ));
        }
        let fix = "Bind the skin again: the matrix is the inverse of the joint's world matrix in the pose in which the \
             mesh was modelled. Look for a joint or an ancestor with a scale of zero.";
        let count = flat.len() + not_finite.len();
        let measure = Measure { what: "joints", value: count as f64, unit: "" };
        let all = flat.into_iter().chain(not_finite).collect();
        out.push(finding(&SINGULAR, SINGULAR.severity, all, (said.join(" "), fix), Some(measure)));
    }
}

/// Returns the stretch of a joint's inverse bind matrix; `None` for one that keeps shapes (to 1 %) or is singular.
fn unevenness(skin: &Skin, joint: usize) -> Option<Stretch> {
    let m = rig::inverse_bind(skin, joint).filter(|m| !rig::is_singular(m))?;
    Some(Stretch::of(m.matrix3)).filter(|s| s.unevenness() > SAME_SCALE)
}

fn non_rigid(subject: &Subject, out: &mut Vec<Finding>) {
    let of_skin = |id: SkinId| {
        let skin = &subject.model.skins[id.index()];
        let uneven = |j: &usize| unevenness(skin, *j).is_some();
        let at: Vec<NodeId> = (0..skin.joints.len()).filter(uneven).map(|j| skin.joints[j]).collect();
        (!at.is_empty()).then_some(at)
    };
    for (at, ids) in by_skins(subject, of_skin) {
        let skin = &subject.model.skins[ids[0].index()];
        let all = (0..skin.joints.len()).filter_map(|j| Some((j, unevenness(skin, j)?)));
        let Some((worst, stretch)) = all.max_by(|a, b| a.1.unevenness().total_cmp(&b.1.unevenness())) else { continue };
        let [most, _, least] = stretch.lengths;
        let how = if is_sheared(skin, worst) { "shears" } else { "scales unevenly" };
        let others = if at.len() == 1 { String::new() } else { format!(" {} do so in all.", joints(at.len())) };
        let message = format!(
            "The inverse bind matrix of {} in {} {how}: lengths become {} to {} times as long, by \
             direction.{others} Unless the joint's rest scale undoes it, the mesh is bound distorted; normals tilt, \
             and methods that keep only rotation (dual quaternions, retargeting) show another shape.",
            subject.name(skin.joints[worst]),
            skins(&ids),
            factor(least),
            factor(most),
        );
        let fix = "Apply scale to the armature and the mesh before binding, then bind again, so that the matrices hold a \
             rotation, a translation and at most one scale for all directions.";
        let measure = Measure { what: "unevenness", value: stretch.unevenness() * 100.0, unit: "%" };
        out.push(finding(&NON_RIGID, NON_RIGID.severity, at, (message, fix), Some(measure)));
    }
}

/// Returns whether the columns are not at right angles, which is more than an uneven scale along the joint's own axes.
fn is_sheared(skin: &Skin, joint: usize) -> bool {
    let m = skin.inverse_bind[joint].matrix3.as_dmat3();
    let [x, y, z] = [m.x_axis, m.y_axis, m.z_axis].map(|c| c.normalize_or_zero());
    [x.dot(y), y.dot(z), z.dot(x)].into_iter().any(|cosine| cosine.abs() > SAME_SCALE / 2.0)
}

fn mismatch(subject: &Subject, out: &mut Vec<Finding>) {
    let bindings = SkinBinding::of_all(subject.model, &subject.rest);
    let drifts = |b: &SkinBinding, j: usize| b.drift[j].is_some_and(|d| !d.is_small(b.size));
    let of_skin = |id: SkinId| {
        let (skin, binding) = (&subject.model.skins[id.index()], &bindings[id.index()]);
        let at: Vec<NodeId> = (0..skin.joints.len()).filter(|j| drifts(binding, *j)).map(|j| skin.joints[j]).collect();
        (!at.is_empty()).then(|| (at, is_other_pose(skin, binding), has_no_matrices(skin)))
    };
    for ((at, other_pose, no_matrices), ids) in by_skins(subject, of_skin) {
        let (skin, binding) = (&subject.model.skins[ids[0].index()], &bindings[ids[0].index()]);
        let found = Mismatch { subject, skin, binding, skins: skins(&ids), at: &at };
        let (severity, said) = match (other_pose, no_matrices) {
            (_, true) => (Severity::Info, found.without_matrices()),
            (true, false) => (Severity::Info, found.other_pose()),
            (false, false) => (MISMATCH.severity, found.some_joints()),
        };
        out.push(finding(&MISMATCH, severity, at.clone(), said, Some(found.measure())));
    }
}

/// Returns whether some joints of a skin do not rest where they were bound, while the others do, which is a fault and
/// not another bind pose.
#[must_use]
pub fn is_bound_elsewhere(skin: &Skin, binding: &SkinBinding) -> bool {
    let drifts = binding.drift.iter().flatten().any(|d| !d.is_small(binding.size));
    drifts && !is_other_pose(skin, binding) && !has_no_matrices(skin)
}

/// Returns whether the skin as a whole was bound in another pose: less than half of its joints share one matrix. Where
/// half or more do, the others are the odd ones.
fn is_other_pose(skin: &Skin, binding: &SkinBinding) -> bool {
    skin.joints.len() > 1 && binding.agreeing * 2 < binding.compared()
}

/// Returns whether the file stores no inverse bind matrices: each is the identity then (glTF 2.0, 3.7.3.1).
fn has_no_matrices(skin: &Skin) -> bool {
    skin.not_finite.is_empty() && skin.inverse_bind.iter().all(|m| *m == glam::Affine3A::IDENTITY)
}

/// The joint of a skin that drifts most, in the quantity that exceeds its tolerance most.
#[derive(Clone, Copy)]
struct Worst {
    joint: usize,
    drift: Drift,
    size: f64,
}

impl Worst {
    /// Writes the drift: `turned by 12.0°, moved by 3.4 cm (2.1 % of the skin's size)`.
    fn text(&self) -> String {
        let Drift { metres, degrees, scale: [least, most], is_mirrored } = self.drift;
        let mut parts = Vec::new();
        if degrees > rig::SAME_DIRECTION {
            parts.push(format!("turned by {degrees:.1}°"));
        }
        if metres > rig::SAME_POSITION * self.size {
            let share = metres / self.size;
            let of_size = match share {
                // A distance of most of the size and more is far, whatever the number.
                s if s > 10.0 => "many times the skin's size".to_owned(),
                _ => format!("{:.1} % of the skin's size", share * 100.0),
            };
            parts.push(format!("moved by {} ({of_size})", length(metres)));
        }
        if least < 1.0 - SAME_SCALE || most > 1.0 + SAME_SCALE {
            let even = most - least < SAME_SCALE || factor(least) == factor(most);
            parts.push(if even {
                format!("scaled by {}", factor(most))
            } else {
                format!("scaled by {} to {}", factor(least), factor(most))
            });
        }
        if is_mirrored {
            parts.push("mirrored".into());
        }
        parts.join(", ")
    }

    /// Returns by how many times its tolerance the worst quantity is exceeded.
    fn excess(&self) -> f64 {
        let Drift { metres, degrees, scale: [least, most], is_mirrored } = self.drift;
        let distance = if self.size > 0.0 { metres / (rig::SAME_POSITION * self.size) } else { 0.0 };
        let scale = (1.0 - least).max(most - 1.0) / SAME_SCALE;
        let mirror = if is_mirrored { 180.0 / rig::SAME_DIRECTION } else { 0.0 };
        distance.max(degrees / rig::SAME_DIRECTION).max(scale).max(mirror)
    }
}

/// The joints of a skin that drift, for the message of a finding.
struct Mismatch<'a> {
    subject: &'a Subject<'a>,
    skin: &'a Skin,
    binding: &'a SkinBinding,
    skins: String,
    at: &'a [NodeId],
}

impl Mismatch<'_> {
    fn worst(&self) -> Option<Worst> {
        let size = self.binding.size;
        let of = |(joint, drift): (usize, &Option<Drift>)| Some(Worst { joint, drift: (*drift)?, size });
        let all = self.binding.drift.iter().enumerate().filter_map(of);
        all.max_by(|a, b| a.excess().total_cmp(&b.excess()))
    }

    /// Returns the largest angle where any joint is turned, else the largest distance, else the largest change of
    /// scale.
    fn measure(&self) -> Measure {
        let most = |of: &dyn Fn(&Drift) -> f64| self.binding.drift.iter().flatten().map(of).fold(0.0, f64::max);
        let (degrees, metres) = (most(&|d| d.degrees), most(&|d| d.metres));
        if degrees > rig::SAME_DIRECTION {
            return Measure { what: "largest angle", value: degrees, unit: "°" };
        }
        if metres > rig::SAME_POSITION * self.binding.size {
            return Measure { what: "largest distance", value: metres * 1000.0, unit: "mm" };
        }
        let scale = most(&|d| (1.0 - d.scale[0]).max(d.scale[1] - 1.0));
        Measure { what: "largest scale", value: scale * 100.0, unit: "%" }
    }

    fn worst_text(&self) -> String {
        self.worst().map_or(String::new(), |w| format!("{} {}", self.subject.name(self.skin.joints[w.joint]), w.text()))
    }

    fn some_joints(&self) -> (String, &'static str) {
        let (n, all) = (self.at.len(), self.binding.compared());
        let what = match n {
            1 => format!(
                "One of {} of {} does not rest where it was bound: {}.",
                joints(all),
                self.skins,
                self.worst_text()
            ),
            _ => format!(
                "{n} of {all} joints of {} do not rest where they were bound ({}); the worst is {}.",
                self.skins,
                self.subject.names(self.at),
                self.worst_text()
            ),
        };
        let they_move = if n == 1 { "it moves" } else { "they move" };
        let message = format!(
            "{what} The vertices that {they_move} stand off by as much before anything is animated, and every pose \
             keeps the error; the other {} {} as bound.",
            joints(self.binding.agreeing),
            if self.binding.agreeing == 1 { "rests" } else { "rest" },
        );
        let fix = "Bind the skin again in the pose in which its joints rest: each inverse bind matrix is the inverse of \
             the joint's world matrix. If these joints were posed after binding, store the bind pose as the rest \
             pose instead.";
        (message, fix)
    }

    fn other_pose(&self) -> (String, &'static str) {
        let message = format!(
            "The rest pose of {} is another than the pose in which it was bound: {} of {} {} elsewhere; \
             the farthest is {}. Clips are not harmed by that, but at rest the mesh does not look as it was \
             modelled, and tools that take the rest pose for the bind pose (rebinding, retargeting, weight transfer) \
             go wrong.",
            self.skins,
            self.at.len(),
            joints(self.binding.compared()),
            if self.at.len() == 1 { "stands" } else { "stand" },
            self.worst_text(),
        );
        (message, "Nothing, if clips always pose it. Otherwise export with the bind pose as the rest pose.")
    }

    fn without_matrices(&self) -> (String, &'static str) {
        let message = format!(
            "Inverse bind matrices of {}: none are stored, so that every joint counts as bound at the origin of the \
             mesh, but {} of {} {} elsewhere; the farthest is {}. That is right only for a mesh whose \
             vertices are already given in the spaces of its joints.",
            self.skins,
            self.at.len(),
            joints(self.binding.compared()),
            if self.at.len() == 1 { "rests" } else { "rest" },
            self.worst_text(),
        );
        (message, "If the mesh looks torn at rest, export it again with inverse bind matrices.")
    }
}

#[cfg(test)]
mod tests {
    use glam::{Affine3A, Mat3A, Quat, Vec3};
    use skinscope_model::ModelParts;

    use super::super::test_rigs::{found, joints};
    use super::*;

    fn bind(p: &mut ModelParts, joint: usize) -> &mut Affine3A {
        &mut p.skins[0].inverse_bind[joint]
    }

    #[test]
    fn a_clean_rig_has_no_findings_on_binds() {
        for rule in [&SINGULAR, &NON_RIGID, &MISMATCH] {
            assert_eq!(found(rule, |_| {}), []);
        }
    }

    #[test]
    fn what_cannot_be_inverted_or_is_not_finite_is_an_error() {
        let findings = found(&SINGULAR, |p| {
            *bind(p, 1) = Affine3A::from_rotation_x(0.4) * Affine3A::from_scale(Vec3::new(1.0, 0.0, 1.0)) * *bind(p, 1);
            *bind(p, 5) = Affine3A::IDENTITY;
            p.skins[0].not_finite = vec![5];
        });
        assert_eq!(joints(&findings), [[2, 6]]);
        assert_eq!((findings[0].severity, findings[0].mesh), (Severity::Error, None));
        let text = &findings[0].message;
        assert!(text.contains("matrix of \"joint 1\" in skin 0 cannot be inverted"), "{text}");
        assert!(text.contains("matrix of \"joint 5\" in skin 0 holds numbers that are not finite"), "{text}");
        // Small units and strong but honest flattening are no defect.
        let near = |s: Vec3| found(&SINGULAR, |p| *bind(p, 1) = Affine3A::from_scale(s) * *bind(p, 1));
        assert_eq!((near(Vec3::splat(1e-9)), near(Vec3::new(1.0, 1e-4, 1.0))), (vec![], vec![]));
        assert_eq!(joints(&near(Vec3::new(1.0, 1e-8, 1.0))), [[2]]);
    }

    #[test]
    fn singular_matrices_are_reported_by_one_rule_only() {
        let flat = |p: &mut ModelParts| *bind(p, 2) = Affine3A::from_scale(Vec3::new(1.0, 0.0, 1.0)) * *bind(p, 2);
        assert_eq!(
            (found(&SINGULAR, flat).len(), found(&NON_RIGID, flat), found(&MISMATCH, flat)),
            (1, vec![], vec![])
        );
    }

    #[test]
    fn shear_and_uneven_scale_are_warnings_but_not_uniform_scale_or_a_mirror() {
        let with = |m: Mat3A| {
            let findings = found(&NON_RIGID, |p| {
                let before = *bind(p, 3);
                *bind(p, 3) = Affine3A { matrix3: m * before.matrix3, translation: before.translation };
            });
            findings.first().map(|f| (f.joints[0].0, f.measure.unwrap().value, f.message.contains("shears")))
        };
        let scale = |x, y, z| Mat3A::from_diagonal(Vec3::new(x, y, z));
        assert_eq!(
            (with(scale(3.0, 3.0, 3.0)), with(scale(-1.0, 1.0, 1.0)), with(scale(1.0, 1.009, 1.0))),
            (None, None, None)
        );
        let (joint, measure, sheared) = with(scale(1.0, 1.02, 1.0)).unwrap();
        assert!(joint == 4 && (measure - 2.0).abs() < 1e-4 && !sheared);
        // x' = x + y: the singular values are the golden ratio, 1 and its inverse; most by least is its square.
        let (_, measure, sheared) =
            with(Mat3A::from_cols_array(&[1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0])).unwrap();
        assert!((measure - 161.803_4).abs() < 1e-3 && sheared);
        assert_eq!(with(Mat3A::from_cols_array(&[1.0, 0.0, 0.0, 0.009, 1.0, 0.0, 0.0, 0.0, 1.0])), None);
    }

    /// Binds the joint `metres` along +X and turned by `degrees` from where it rests.
    fn bound_elsewhere(p: &mut ModelParts, joint: usize, metres: f32, degrees: f32) {
        let bound = Affine3A::from_translation(Vec3::X * metres) * bind(p, joint).inverse();
        *bind(p, joint) = (bound * Affine3A::from_rotation_z(degrees.to_radians())).inverse();
    }

    #[test]
    fn a_joint_bound_elsewhere_is_named_alone() {
        // The skin is √36.5 = 6.0415 m large: 1 % is 60 mm.
        for (joint, metres, degrees, measure) in [
            (0, 0.5, 0.0, (500.0, "mm")),
            (3, 0.062, 0.0, (62.0, "mm")),
            (5, 0.0, 1.2, (1.2, "°")),
            (2, 0.3, 12.0, (12.0, "°")),
        ] {
            let findings = found(&MISMATCH, |p| bound_elsewhere(p, joint, metres, degrees));
            assert_eq!(joints(&findings), [[joint as u32 + 1]]);
            let found = findings[0].measure.unwrap();
            assert!((found.value - measure.0).abs() < 1e-3 && found.unit == measure.1, "{found:?}");
            assert_eq!(findings[0].severity, Severity::Warning);
        }
        for (metres, degrees) in [(0.058, 0.0), (0.0, 0.9), (0.03, 0.5)] {
            assert_eq!(found(&MISMATCH, |p| bound_elsewhere(p, 3, metres, degrees)), []);
        }
        let text = found(&MISMATCH, |p| bound_elsewhere(p, 3, 0.3, 12.0)).remove(0).message;
        let want = "One of 6 joints of skin 0 does not rest where it was bound: \"joint 3\" turned by 12.0°, moved by 30 \
             cm (5.0 % of the skin's size).";
        assert!(text.starts_with(want), "{text}");
    }

    #[test]
    fn a_scale_beyond_sense_is_reported_for_the_joints_that_have_it_in_words() {
        let findings = found(&MISMATCH, |p| p.skeleton.rest.transforms[3].scale = Vec3::splat(1e20));
        assert_eq!(joints(&findings), [[3, 4, 5, 6]]);
        let text = &findings[0].message;
        assert!(text.contains("moved by more than a million km (many times the skin's size)"), "{text}");
        assert!(text.contains("scaled by more than a million."), "{text}");
        assert!(!text.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() > 6), "{text}");
        assert_eq!(findings[0].measure.unwrap().text(), "more than a million km");
    }

    #[test]
    fn scale_of_one_joint_is_a_mismatch_too() {
        let findings = found(&MISMATCH, |p| *bind(p, 2) = Affine3A::from_scale(Vec3::splat(0.5)) * *bind(p, 2));
        assert_eq!((joints(&findings), findings[0].measure.unwrap().unit), (vec![vec![3]], "%"));
        assert!(findings[0].message.contains("\"joint 2\" scaled by 0.500."), "{}", findings[0].message);
    }

    #[test]
    fn what_all_joints_share_is_no_fault() {
        let odd =
            Affine3A::from_scale_rotation_translation(Vec3::splat(0.01), Quat::from_rotation_x(1.0), Vec3::Y * 3.0);
        assert_eq!(found(&MISMATCH, |p| p.skins[0].inverse_bind.iter_mut().for_each(|m| *m *= odd)), []);
        // The root rests elsewhere: all joints go with it.
        assert_eq!(found(&MISMATCH, |p| p.skeleton.rest.transforms[0].rotation = Quat::from_rotation_z(1.0)), []);
    }

    #[test]
    fn less_than_half_are_odd_and_more_are_another_pose() {
        let turned = |node: usize| {
            move |p: &mut ModelParts| {
                p.skeleton.rest.transforms[node].rotation = Quat::from_rotation_z(40_f32.to_radians())
            }
        };
        // Node 5 turns and node 6 hangs on it: two of six drift.
        let some = found(&MISMATCH, turned(5));
        assert_eq!((joints(&some), some[0].severity), (vec![vec![5, 6]], Severity::Warning));
        // Nodes 2 and 5 both turn: three clusters of 1, 3 and 2 joints; 3 of 6 agree.
        let half = found(&MISMATCH, |p| (turned(2)(p), turned(5)(p)).1);
        assert_eq!((joints(&half), half[0].severity), (vec![vec![1, 5, 6]], Severity::Warning));
        // All joints turn.
        let all = found(&MISMATCH, |p| (2..7).for_each(|n| turned(n)(p)));
        assert_eq!((joints(&all), all[0].severity), (vec![vec![2, 3, 4, 5, 6]], Severity::Info));
        assert!(all[0].message.contains("5 of 6 joints stand elsewhere"), "{}", all[0].message);
    }

    #[test]
    fn a_skin_without_matrices_is_reported_as_such() {
        let findings = found(&MISMATCH, |p| p.skins[0].inverse_bind.fill(Affine3A::IDENTITY));
        assert_eq!((findings[0].severity, joints(&findings)), (Severity::Info, vec![vec![2, 3, 4, 5, 6]]));
        assert!(findings[0].message.contains("none are stored"), "{}", findings[0].message);
    }

    #[test]
    fn skins_with_the_same_fault_are_reported_together() {
        let findings = found(&MISMATCH, |p| {
            bound_elsewhere(p, 3, 0.5, 0.0);
            p.skins.push(p.skins[0].clone());
        });
        assert_eq!(joints(&findings), [[4]]);
        assert!(findings[0].message.contains("skins 0 and 1"), "{}", findings[0].message);
    }
}
