//! The rule about vertices far outside of the model.

use glam::{Affine3A, Vec3};
use skinscope_anim::drawn_at_rest;
use skinscope_base::math::{Aabb, BEYOND_SENSE, length, lengths};
use skinscope_base::words::counted;
use skinscope_deform::{Extent, METHODS, StrayVertices, extent, palettes};
use skinscope_model::{Model, NodeId, Primitive};

use super::{Finding, FindingPose, Measure, Repair, RepairTool, Rule, Severity, Subject};

/// The rule that finds stray vertices.
pub static STRAY: Rule = Rule {
    id: "stray-vertices",
    label: "Vertices far outside",
    help: "A few vertices lie so far outside of the model at rest that nothing of it is seen where all is framed",
    severity: Severity::Warning,
    run: strays,
    overlay: Some("weights"),
    repair: |finding| {
        if finding.joints.is_empty() {
            let why = "Positions are not changed here; the table names the vertices.";
            return Repair::table(RepairTool::Vertices, why);
        }
        let why = "A joint carries the vertices away, and whether its place or its bind matrix is wrong is not known.";
        Repair::nearest("inverse-binds", why)
    },
    ..Rule::ROW
};

/// Returns the extent of a model at rest, as the file's default scene shows it. `rest`: `model_from_node` by node.
#[must_use]
pub fn extent_at_rest(model: &Model, rest: &[Affine3A]) -> Extent {
    let mut matrices = Vec::new();
    palettes(model, rest, &mut matrices);
    let draws = drawn_at_rest(model, model.default_scene);
    extent(model, &draws, &matrices, &model.skeleton.rest.morph_weights, METHODS[0])
}

/// Returns the warning that import gives of stray vertices, if there are any.
#[must_use]
pub fn stray_warning(model: &Model, extent: &Extent) -> Option<String> {
    let first = extent.strays.first()?;
    let count = extent.stray_count();
    let mesh = model.instances[first.instance.index()].mesh;
    let more = if extent.strays.len() > 1 { " and others" } else { "" };
    let lie = counted(count, "vertex lies", "vertices lie");
    Some(format!(
        "mesh {}, primitive {}{more}: {lie} far outside of the model, {}; framing and sizes leave {} out",
        model.file_mesh(mesh).0,
        first.primitive,
        away(extent.farthest, count),
        if count == 1 { "it" } else { "them" },
    ))
}

/// Writes a distance: `1000 km away` or, for several, `up to 1000 km away`.
fn away(farthest: f64, count: usize) -> String {
    let up_to = if count > 1 && farthest < BEYOND_SENSE { "up to " } else { "" };
    if farthest.is_finite() { format!("{up_to}{} away", length(farthest)) } else { "where no number can tell".into() }
}

fn strays(subject: &Subject, out: &mut Vec<Finding>) {
    let extent = extent_at_rest(subject.model, &subject.rest);
    let mut known = Vec::new();
    for part in &extent.strays {
        let mesh = subject.model.instances[part.instance.index()].mesh;
        // A mesh that is drawn several times is reported once.
        let primitive_key = (subject.model.file_mesh(mesh), part.primitive);
        if !known.contains(&primitive_key) && !part.vertices.is_empty() {
            known.push(primitive_key);
            out.push(of_part(subject, &extent, part));
        }
    }
}

fn of_part(subject: &Subject, extent: &Extent, part: &StrayVertices) -> Finding {
    let mesh = subject.model.instances[part.instance.index()].mesh;
    let source = &subject.model.meshes[mesh.index()].primitives[part.primitive];
    let Cause { joints, farthest, is_stored } = cause(subject, extent, part, source);
    let count = part.vertices.len();
    let lie = counted(count, "vertex lies", "vertices lie");
    let it = if count == 1 { "it" } else { "them" };
    let size = if extent.mass.is_empty() {
        String::new()
    } else {
        let size = extent.mass.size().to_array().map(f64::from);
        format!(" The rest of the model measures {}.", lengths(size))
    };
    let why = match (&joints[..], is_stored) {
        ([], _) => " The file stores such positions.".to_owned(),
        (joints, false) => format!(" What carries {it} there is {}.", subject.names(joints)),
        (joints, true) => {
            format!(" The file stores some such positions; what carries others there is {}.", subject.names(joints))
        }
    };
    let message = format!(
        "{lie} far outside, {}.{size}{why} Triangles there are drawn out to needles, and what goes by the box of the \
         model (framing, culling, shadows, physics) takes it for that large; here it is framed without {it}.",
        away(farthest, count),
    );
    let fix = if joints.is_empty() {
        "Move these vertices back to their neighbours, or delete them."
    } else {
        "Look at the rest transforms of these joints and of the nodes above them, and at their inverse bind matrices: one \
         of them holds a number that is far too large."
    };
    let measure = Measure { what: "farthest from the rest", value: farthest * 1e3, unit: "mm" };
    Finding {
        rule: STRAY.id,
        severity: STRAY.severity,
        mesh: Some(mesh),
        primitive: Some(part.primitive),
        vertices: part.vertices.clone(),
        joints,
        message,
        fix: fix.into(),
        measure: Some(measure).filter(|m| m.value.is_finite()),
        pose: FindingPose::Rest,
    }
}

/// The reason why vertices are far away.
struct Cause {
    /// The joints that carry them away, sorted.
    joints: Vec<NodeId>,
    /// Their greatest distance from the mass, metres; infinite where some positions are not finite.
    farthest: f64,
    /// Whether some are far outside of their mesh as stored.
    is_stored: bool,
}

fn cause(subject: &Subject, extent: &Extent, part: &StrayVertices, source: &Primitive) -> Cause {
    let instance = &subject.model.instances[part.instance.index()];
    let own = Aabb::around_mass(&source.positions[..source.stored_vertices]);
    let mut out = Cause { joints: Vec::new(), farthest: 0.0, is_stored: false };
    let skin = instance.skin.map(|skin| &subject.model.skins[skin.index()]);
    let influences = subject.model.influences(instance.mesh, part.primitive);
    for vertex in &part.vertices {
        let position = source.positions[*vertex as usize];
        // A mesh whose mass is not known, or that is far away as a whole, tells nothing.
        let is_stored = own.distance(position) > f64::from(own.diagonal());
        out.is_stored |= is_stored;
        let mut posed = Vec3::ZERO;
        match (skin, influences) {
            (Some(skin), Some(influences)) => {
                let (joints, weights) = influences.of(*vertex as usize);
                for (joint, weight) in joints.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
                    let node = skin.joints[usize::from(*joint)];
                    let alone = subject.rest[node.index()] * skin.inverse_bind[usize::from(*joint)];
                    let there = alone.transform_point3(position);
                    posed += there * *weight;
                    if !is_stored && extent.mass.distance(there) > f64::from(extent.mass.diagonal()) {
                        out.joints.push(culprit(subject, extent, node));
                    }
                }
            }
            _ => {
                let matrix = subject.rest[instance.node.index()];
                posed = matrix.transform_point3(position);
                // Copies have positions of their own.
                if !is_stored {
                    out.joints.push(culprit(subject, extent, instance.node));
                }
            }
        }
        out.farthest = out.farthest.max(extent.mass.distance(posed));
    }
    if !instance.copies.is_empty() {
        out.farthest = extent.farthest;
    }
    out.joints.sort_unstable();
    out.joints.dedup();
    out
}

/// A rest scale from which on it counts as broken.
const WILD_SCALE: f32 = 1e6;
/// A rest translation from which on it counts as broken, in diagonals of the model's box.
const WILD_TRANSLATION: f32 = 1e3;

/// Finds the node that carries vertices away: of `node` and the nodes above it, the topmost whose own rest transform does
/// so; `node` itself where none does.
fn culprit(subject: &Subject, extent: &Extent, node: NodeId) -> NodeId {
    let skeleton = &subject.model.skeleton;
    let size = extent.mass.diagonal();
    let is_wild = |node: &NodeId| {
        let rest = skeleton.rest.transforms[node.index()];
        let far = rest.translation.abs().max_element();
        rest.scale.abs().max_element() > WILD_SCALE || (size > 0.0 && far > WILD_TRANSLATION * size)
    };
    let above = std::iter::successors(Some(node), |n| skeleton.parents[n.index()]);
    above.filter(is_wild).last().unwrap_or(node)
}

#[cfg(test)]
mod tests {
    use skinscope_model::ModelParts;

    use super::super::test_rigs::found;
    use super::*;

    fn positions(parts: &mut ModelParts) -> &mut Vec<Vec3> {
        &mut parts.meshes[0].primitives[0].positions
    }

    #[test]
    fn stored_strays_are_named_with_how_far_they_are() {
        assert_eq!(found(&STRAY, |_| {}), []);
        assert_eq!(found(&STRAY, |p| positions(p)[5] = Vec3::X * 50.0), [], "a sword");
        let findings = found(&STRAY, |p| positions(p)[5] = Vec3::X * 1e6);
        assert_eq!((findings.len(), &findings[0].vertices[..], &findings[0].joints[..]), (1, &[5][..], &[][..]));
        let Finding { message, fix, measure, .. } = &findings[0];
        assert!(
            message.starts_with("1 vertex lies far outside, 1000 km away. The rest of the model measures"),
            "{message}"
        );
        assert!(message.contains("0.50 × 6.00 × 0.50 m. The file stores such positions."), "{message}");
        assert!(fix.contains("Move these vertices back") && (measure.unwrap().value / 1e9 - 1.0).abs() < 1e-3);
    }

    #[test]
    fn a_joint_of_a_scale_beyond_sense_is_the_one_to_blame() {
        let findings = found(&STRAY, |p| p.skeleton.rest.transforms[6].scale = Vec3::splat(1e20));
        assert_eq!((findings.len(), &findings[0].joints[..]), (1, &[NodeId(6)][..]));
        let text = &findings[0].message;
        assert!(text.contains("32 vertices lie far outside, more than a million km away."), "{text}");
        assert!(text.contains("What carries them there is \"joint 5\"."), "{text}");
        assert!(findings[0].fix.contains("far too large"));
        // No number in the message is longer than people read.
        assert!(!text.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() > 6), "{text}");
        // Of a chain the message names the node that has the wild number, not those below it.
        let findings = found(&STRAY, |p| p.skeleton.rest.transforms[3].scale = Vec3::splat(1e20));
        assert_eq!((findings.len(), &findings[0].joints[..]), (1, &[NodeId(3)][..]));
        let findings = found(&STRAY, |p| p.skeleton.rest.transforms[6].translation = Vec3::X * 1e7);
        assert_eq!(findings.iter().flat_map(|f| f.joints.clone()).collect::<Vec<_>>(), [NodeId(6)]);
    }

    #[test]
    fn the_warning_of_import_says_how_many_and_how_far() {
        let warning = |count: usize| {
            let parts = super::super::test_rigs::changed(|p| {
                (0..count).for_each(|v| positions(p)[v] = Vec3::X * 1e6);
            });
            let model = Model::build(parts).unwrap();
            let mut rest = Vec::new();
            skinscope_anim::local_to_model(&model.skeleton, &model.skeleton.rest, &mut rest);
            stray_warning(&model, &extent_at_rest(&model, &rest))
        };
        assert_eq!(warning(0), None);
        let one =
            "mesh 0, primitive 0: 1 vertex lies far outside of the model, 1000 km away; framing and sizes leave it out";
        assert_eq!(warning(1).as_deref(), Some(one));
        assert!(warning(3).unwrap().contains("3 vertices lie far outside of the model, up to 1000 km away"));
    }
}
