//! The rule that compares the weights of left and right.

use skinscope_base::math::Plane;
use skinscope_model::NodeId;

use super::joints::number;
use super::{Finding, FindingPose, Measure, Repair, Rule, Severity, Subject};
use crate::symmetry::{BodyPart, Comparison};

/// The largest difference of weights that counts as none: rounding to 8 bits makes 0.004, normalising after it 0.01.
pub const SAME_WEIGHT: f32 = 0.05;

/// The rule that finds vertices whose weights differ from those of their mirror image.
pub static ASYMMETRY: Rule = Rule {
    id: "asymmetry",
    label: "Left/right asymmetry",
    help: "Vertices of a symmetric mesh whose weights differ from those of their mirror images by more than 0.05",
    severity: Severity::Warning,
    run: asymmetry,
    overlay: Some("asymmetry"),
    repair: |_| Repair::nearest("mirror", "Nobody but you knows which side is right."),
    ..Rule::ROW
};

fn asymmetry(subject: &Subject, out: &mut Vec<Finding>) {
    let mut found: Vec<Finding> = Vec::new();
    for comparison in subject.comparisons() {
        for part in &comparison.parts {
            let known = |f: &Finding| f.mesh == Some(part.mesh) && f.primitive == Some(part.primitive);
            // A mesh may have several skins: the first that has a difference is described.
            if let Some(finding) = of_part(subject, comparison, part)
                && !found.iter().any(known)
            {
                found.push(finding);
            }
        }
    }
    found.sort_by_key(|f| (f.mesh, f.primitive));
    out.append(&mut found);
}

fn of_part(subject: &Subject, comparison: &Comparison, part: &BodyPart) -> Option<Finding> {
    let of = |vertex: &usize| comparison.difference[part.start + vertex];
    let at: Vec<usize> = (0..part.len).filter(|v| of(v) > SAME_WEIGHT).collect();
    let worst = at.iter().copied().max_by(|a, b| of(a).total_cmp(&of(b)).then(b.cmp(a)))?;
    let differs = |(_, here, _, there): &(u16, f32, u16, f32)| (here - there).abs() > SAME_WEIGHT;
    let mut joints: Vec<NodeId> = Vec::new();
    for vertex in &at {
        for (joint, _, partner, _) in comparison.joints(part.start + vertex).into_iter().filter(differs) {
            joints.extend([joint, partner].map(|j| comparison.node(j)));
        }
    }
    joints.sort_unstable();
    joints.dedup();
    let n = at.len();
    let (differ, them) =
        if n == 1 { ("vertex differs", "its mirror image") } else { ("vertices differ", "their mirror images") };
    let message = format!(
        "{n} {differ} in weight from {them} across the plane {}, by up to {:.3}. {} A pose and its mirror image do \
         not look alike there.",
        plane(part.in_mesh(comparison.plane)),
        of(&worst),
        example(subject, comparison, part, worst)
    );
    Some(Finding {
        rule: ASYMMETRY.id,
        severity: ASYMMETRY.severity,
        mesh: Some(part.mesh),
        primitive: Some(part.primitive),
        vertices: at.iter().map(|v| *v as u32).collect(),
        joints,
        message,
        fix: "Mirror the weights from the side that is right to the other, unless the difference is meant.".into(),
        measure: Some(Measure { what: "largest difference", value: f64::from(of(&worst)), unit: "" }),
        pose: FindingPose::Rest,
    })
}

/// Writes a plane as `x = 0`, or as its normal and offset where it lies across no axis.
fn plane(Plane { normal, offset }: Plane) -> String {
    let axis = normal.to_array().iter().position(|v| *v == 1.0);
    match axis {
        Some(axis) => format!("{} = {}", ["x", "y", "z"][axis], number(offset)),
        None => {
            let [x, y, z] = normal.to_array().map(number);
            format!("{x} x + {y} y + {z} z = {}", number(offset))
        }
    }
}

/// Describes one difference: `Vertex 7 has 0.620 of "arm.L", but vertex 12 opposite has 0.210 of "arm.R".`
fn example(subject: &Subject, comparison: &Comparison, part: &BodyPart, vertex: usize) -> String {
    let name = |joint: u16| subject.name(comparison.node(joint));
    let all = comparison.joints(part.start + vertex);
    let gap = |j: &(u16, f32, u16, f32)| (j.1 - j.3).abs();
    let Some((joint, here, partner, there)) = all.into_iter().max_by(|a, b| gap(a).total_cmp(&gap(b))) else {
        return String::new();
    };
    let image = comparison.image[part.start + vertex] as usize;
    let Some(other) = comparison.parts.iter().find(|p| (p.start..p.start + p.len).contains(&image)) else {
        return String::new();
    };
    let in_part = if other == part {
        String::new()
    } else {
        match subject.model.meshes[other.mesh.index()].primitives.len() {
            1 => format!(" of {}", subject.mesh_name(other.mesh)),
            _ => format!(" of {}, primitive {},", subject.mesh_name(other.mesh), other.primitive),
        }
    };
    let number = image - other.start;
    if number == vertex && other == part {
        return format!(
            "Vertex {vertex} on the plane has {here:.3} of {}, but {there:.3} of {}.",
            name(joint),
            name(partner)
        );
    }
    format!(
        "Vertex {vertex} has {here:.3} of {}, but vertex {number}{in_part} opposite has {there:.3} of {}.",
        name(joint),
        name(partner),
    )
}

#[cfg(test)]
mod tests {
    use glam::Affine3A;
    use skinscope_model::{Instance, Mesh, MeshId, ModelParts, SkinId};

    use super::super::test_rigs::found_in;
    use super::*;
    use crate::symmetry::tests::{figure, halves, plant};

    /// Returns the findings in the figure after a change; nodes 1, 2 and 3 are hips, left and right arm.
    fn changed(change: impl FnOnce(&mut ModelParts)) -> Vec<Finding> {
        let mut parts = figure(Affine3A::IDENTITY);
        change(&mut parts);
        found_in(&ASYMMETRY, parts)
    }

    #[test]
    fn both_sides_of_what_differs_are_listed() {
        assert_eq!(changed(|_| {}), []);
        let findings = changed(|p| {
            plant(p, 9, 0.3);
            plant(p, 20, 0.06);
            plant(p, 30, 0.04);
        });
        assert_eq!((findings.len(), &findings[0].vertices[..]), (1, &[8, 9, 20, 21][..]));
        assert_eq!((findings[0].mesh, findings[0].primitive), (Some(MeshId(0)), Some(0)));
        assert_eq!((findings[0].severity, &findings[0].joints[..]), (Severity::Warning, &[1, 2, 3].map(NodeId)[..]));
        assert!((findings[0].measure.unwrap().value - 0.3).abs() < 1e-6);
        let text = &findings[0].message;
        let start = "4 vertices differ in weight from their mirror images across the plane x = 0, by up to 0.300.";
        assert!(text.starts_with(start), "{text}");
        // At x = ±0.9 hips and arm have 0.1 and 0.9 on the left, 0.4 and 0.6 on the right.
        assert!(
            text.contains("Vertex 8 has 0.900 of \"arm.L\", but vertex 9 opposite has 0.600 of \"arm.R\"."),
            "{text}"
        );
    }

    #[test]
    fn joints_bound_at_each_others_position_have_no_other_partner() {
        // Legs beside the arms: two named pairs stand where they should. Then the matrix of one arm is that of a leg.
        let legs = |p: &mut ModelParts| {
            for (node, name, x) in [(4, "leg.L", 0.5), (5, "leg.R", -0.5), (6, "foot.L", 0.7), (7, "foot.R", -0.7)] {
                p.skeleton.parents.push(Some(NodeId(1)));
                p.skeleton.names.push(name.into());
                p.skeleton.file_index.push(node);
                p.skeleton.rest.transforms.push(skinscope_base::math::Transform::IDENTITY);
                p.scenes[0].contains.push(true);
                p.skins[0].joints.push(NodeId(node));
                p.skins[0].inverse_bind.push(Affine3A::from_translation(glam::Vec3::new(-x, 0.0, 0.0)));
            }
        };
        assert_eq!(changed(legs), []);
        let findings = changed(|p| {
            legs(p);
            p.skins[0].inverse_bind.swap(1, 3);
        });
        assert_eq!(findings, []);
    }

    #[test]
    fn left_and_right_may_be_two_meshes_of_one_skin() {
        let findings = changed(|p| {
            plant(p, 9, 0.3);
            // Mesh 1 gets the right side, mesh 0 keeps the left and the plane.
            p.meshes = halves(&p.meshes[0].primitives[0]);
            p.meshes[1].name = "Right half".into();
            p.instances.push(Instance { mesh: MeshId(1), skin: Some(SkinId(0)), ..Instance::default() });
        });
        let found_at: Vec<_> = findings.iter().map(|f| (f.mesh.unwrap().0, f.vertices.clone())).collect();
        assert_eq!(found_at, [(0, vec![4]), (1, vec![4])]);
        assert!(
            findings[0].message.contains("but vertex 4 of \"Right half\" opposite has 0.600"),
            "{}",
            findings[0].message
        );
        let back = &findings[1].message;
        assert!(back.contains("but vertex 4 of mesh 0 opposite has 0."), "a mesh without a name: {back}");
    }

    /// One skin for each side, of which neither has the arm of the other; both bind the hips at the same position.
    #[test]
    fn left_and_right_may_have_a_skin_each() {
        let halves = |hips: f32| {
            changed(|p| {
                plant(p, 9, 0.3);
                let whole = &p.meshes[0].primitives[0];
                let part = |keep: &dyn Fn(usize) -> bool, arm: u16| {
                    let retained: Vec<usize> = (0..whole.stored_vertices).filter(|v| keep(*v)).collect();
                    let mut out = whole.clone();
                    out.positions = retained.iter().map(|v| whole.positions[*v]).collect();
                    let (all, i) = (whole.stored_influences.as_ref().unwrap(), out.stored_influences.as_mut().unwrap());
                    let own = |(j, w): (&u16, &f32)| {
                        if *w == 0.0 || *j == 0 {
                            0
                        } else {
                            assert_eq!(*j, arm);
                            1
                        }
                    };
                    i.joints = retained.iter().flat_map(|v| all.of(*v).0.iter().zip(all.of(*v).1).map(own)).collect();
                    i.weights = retained.iter().flat_map(|v| all.of(*v).1.to_vec()).collect();
                    out.stored_vertices = retained.len();
                    Mesh { primitives: vec![out], ..Mesh::default() }
                };
                p.meshes = vec![part(&|v| v % 2 == 0 || v >= 36, 1), part(&|v| v % 2 == 1 && v < 36, 2)];
                let mut right = p.skins[0].clone();
                p.skins[0].joints.remove(2);
                p.skins[0].inverse_bind.remove(2);
                right.joints.remove(1);
                right.inverse_bind.remove(1);
                right.inverse_bind[0].translation.y += hips;
                p.skins.push(right);
                p.instances.push(Instance { mesh: MeshId(1), skin: Some(SkinId(1)), ..Instance::default() });
            })
        };
        let found_at: Vec<_> = halves(0.0).iter().map(|f| (f.mesh.unwrap().0, f.vertices.clone())).collect();
        assert_eq!(found_at, [(0, vec![4]), (1, vec![4])]);
        assert_eq!(halves(0.5), [], "bound elsewhere, the two are no body");
    }

    #[test]
    fn a_mesh_that_is_symmetric_is_compared_though_its_body_is_not() {
        let findings = changed(|p| {
            plant(p, 9, 0.3);
            // A cloak of as many vertices, which the same joints move, has no plane.
            let mut cloak = p.meshes[0].clone();
            for (i, position) in cloak.primitives[0].positions.iter_mut().enumerate() {
                *position = glam::Vec3::new(0.05 * i as f32, 1.0 + (1.7 * i as f32).sin(), (2.3 * i as f32).cos());
            }
            p.meshes.push(cloak);
            p.instances.push(Instance { mesh: MeshId(1), skin: Some(SkinId(0)), ..Instance::default() });
        });
        let found_at: Vec<_> = findings.iter().map(|f| (f.mesh.unwrap().0, &f.vertices[..])).collect();
        assert_eq!(found_at, [(0, &[8, 9][..])]);
    }

    #[test]
    fn a_mesh_of_two_skins_is_reported_once() {
        let findings = changed(|p| {
            plant(p, 9, 0.3);
            p.skins.push(p.skins[0].clone());
            p.instances.push(Instance { skin: Some(SkinId(1)), ..Instance::default() });
        });
        assert_eq!(findings.len(), 1);
    }
}
