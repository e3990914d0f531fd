//! Rules about morph targets: those that move nothing, and those whose normals were cut off where they turn far.

use std::collections::BTreeSet;
use std::f32::consts::PI;

use glam::Vec3;
use skinscope_base::words::counted;
use skinscope_model::{Instance, Mesh, MeshId, NodeId, Primitive};

use super::joints::{finding, quoted, some_of};
use super::{DependsOn, Finding, FindingPose, Measure, Repair, RepairTool, Rule, Severity, Subject};

/// The rule that finds morph targets without any effect.
pub(crate) static EMPTY: Rule = Rule {
    id: "morph-empty",
    label: "Morph target that moves nothing",
    help: "A morph target moves no vertex and turns no normal, nor does one of its name in any other mesh",
    severity: Severity::Info,
    run: empty,
    depends_on: DependsOn::Nothing,
    repair: |_| {
        Repair::table(
            RepairTool::Joints,
            "Morph targets are not taken out here; a program may keep a place for one on purpose.",
        )
    },
    ..Rule::ROW
};

/// The rule that finds normals of morph targets that were cut off.
pub(crate) static CUT: Rule = Rule {
    id: "morph-normals-cut",
    label: "Normals of shapes cut off",
    help: "What a morph target adds to normals is cut off at 1 where it turns them far, as quantising does",
    severity: Severity::Warning,
    run: cut,
    overlay: Some("normal-error"),
    depends_on: DependsOn::Nothing,
    repair: |_| Repair::table(RepairTool::Vertices, "The file no longer has what was cut off."),
    ..Rule::ROW
};

/// A normal is of unit length within this: integers of 8 bits are off by less.
const UNIT: f32 = 0.02;
/// At least so many normals of a primitive have to be of unit length with a target, and so many times as many as are not, so that its targets
/// are known to be differences of unit normals.
const KNOWN: [usize; 2] = [3, 10];

fn empty(subject: &Subject, out: &mut Vec<Finding>) {
    let model = subject.model;
    let targets = |mesh: &Mesh| -> Vec<bool> { (0..mesh.morph_names.len()).map(|at| moves(mesh, at)).collect() };
    let all: Vec<(MeshId, &Mesh, Vec<bool>)> =
        model.file_meshes().map(|(id, mesh)| (id, mesh, targets(mesh))).collect();
    // A set of shapes may be spread over the meshes of a head, each of which has all of their names.
    let mut moving: BTreeSet<&str> = BTreeSet::new();
    for (_, mesh, moves) in &all {
        moving.extend(mesh.morph_names.iter().zip(moves).filter(|(_, moves)| **moves).map(|(name, _)| name.as_str()));
    }
    for (id, mesh, _) in &all {
        let names = mesh.morph_names.iter().filter(|name| !moving.contains(name.as_str()));
        let idle: Vec<String> = names.map(|name| quoted(name)).collect();
        let shows = |instance: &&Instance| model.file_mesh(instance.mesh) == *id;
        let nodes: Vec<NodeId> = model.instances.iter().filter(shows).map(|instance| instance.node).collect();
        if idle.is_empty() || nodes.is_empty() {
            continue;
        }
        let (count, move_) = (idle.len(), if idle.len() == 1 { "moves" } else { "move" });
        let message = format!(
            "{} of the {} of {} {move_} nothing: {}. Changes of colours and texture coordinates, which are not read \
             here, do not count.",
            counted(count, "morph target", "morph targets"),
            mesh.morph_names.len(),
            subject.mesh_name(*id),
            some_of(idle),
        );
        let fix = "Export the shape again, or leave the target out.";
        let measure = Measure { what: "morph targets", value: count as f64, unit: "" };
        out.push(finding(&EMPTY, EMPTY.severity, nodes, (message, fix), Some(measure)));
    }
}

/// Returns whether a morph target changes anything of a mesh.
fn moves(mesh: &Mesh, target: usize) -> bool {
    let is_any = |list: &[Vec3]| list.iter().any(|by| *by != Vec3::ZERO);
    let mut own = mesh.primitives.iter().filter_map(|primitive| primitive.morphs.get(target));
    own.any(|morph| is_any(&morph.positions) || is_any(&morph.normals) || is_any(&morph.tangents))
}

/// The normals of a primitive that were cut off.
#[derive(Default)]
struct Cut {
    vertices: BTreeSet<u32>,
    /// The morph targets that cut them.
    targets: BTreeSet<usize>,
    /// The farthest that one points from where it should, radians.
    farthest: f32,
}

fn cut(subject: &Subject, out: &mut Vec<Finding>) {
    for (id, mesh) in subject.model.file_meshes() {
        for (primitive, source) in mesh.vertex_lists() {
            let Some(found) = cut_of(source) else { continue };
            let name = |target: &usize| quoted(mesh.morph_names.get(*target).map_or("", String::as_str));
            let names = found.targets.iter().map(name);
            let (n, degrees) = (found.vertices.len(), found.farthest.to_degrees());
            let message = format!(
                "{} of {} {} cut off at 1 in {}: with all of the shape they point up to {degrees:.0}° from where they \
                 should, and light falls wrong there. Quantising does that where a shape turns the surface by more \
                 than 90°.",
                counted(n, "normal", "normals"),
                subject.mesh_name(id),
                if n == 1 { "is" } else { "are" },
                some_of(names.collect()),
            );
            out.push(Finding {
                rule: CUT.id,
                severity: CUT.severity,
                mesh: Some(id),
                primitive: Some(primitive),
                vertices: found.vertices.into_iter().collect(),
                joints: Vec::new(),
                message,
                fix: "Write the file again with floats for the normals of morph targets; for quantize() of \
                      glTF-Transform that is patternTargets: /^POSITION$/."
                    .into(),
                measure: Some(Measure { what: "largest error of a normal", value: f64::from(degrees), unit: "°" }),
                pose: FindingPose::Rest,
            });
        }
    }
}

/// Looks for normals that were cut off. A target holds the difference of two unit normals, so that a normal and all of the difference are of
/// unit length. Where a number of the difference is exactly 1 or −1, the normal points the other way along that axis, and the sum is shorter,
/// more was there; and nothing beyond 1 is left anywhere.
fn cut_of(source: &Primitive) -> Option<Cut> {
    let mut out = Cut::default();
    let (mut unit, mut others) = (0, 0);
    for (target, morph) in source.morphs.iter().enumerate() {
        let pairs = source.normals.iter().zip(&morph.normals).take(source.stored_vertices);
        for (vertex, (normal, by)) in pairs.enumerate().filter(|(_, (_, by))| **by != Vec3::ZERO) {
            let largest = by.abs().max_element();
            if largest > 1.0 {
                return None;
            }
            let is_unit = ((*normal + *by).length() - 1.0).abs() <= UNIT;
            if largest == 1.0 && !is_unit && is_shortened(*normal, *by) {
                out.vertices.insert(vertex as u32);
                out.targets.insert(target);
                out.farthest = out.farthest.max(lost(*normal, *by));
            } else if is_unit {
                unit += 1;
            } else {
                others += 1;
            }
        }
    }
    (!out.vertices.is_empty() && unit >= KNOWN[0].max(KNOWN[1] * others)).then_some(out)
}

/// Returns whether each number of a difference that is 1 or −1 may have been more: it goes against that of the normal, and the sum is short.
fn is_shortened(normal: Vec3, by: Vec3) -> bool {
    let is_against = |axis: usize| by[axis].abs() < 1.0 || by[axis] * normal[axis] < 0.0;
    (0..3).all(is_against) && (normal + by).length() < 1.0
}

/// Returns by which angle a normal is off for what was cut off, radians, where that is known: one number is missing, which makes it of unit
/// length again.
fn lost(normal: Vec3, by: Vec3) -> f32 {
    let cut: Vec<usize> = (0..3).filter(|axis| by[*axis].abs() >= 1.0).collect();
    let [axis] = cut[..] else { return 0.0 };
    let sum = normal + by;
    let mut whole = sum;
    whole[axis] = 0.0;
    whole[axis] = (1.0 - whole.length_squared()).max(0.0).sqrt().copysign(by[axis]);
    if sum.length() < UNIT { PI } else { sum.angle_between(whole) }
}

#[cfg(test)]
mod tests {
    use skinscope_model::{ModelParts, MorphTarget};

    use super::super::test_rigs::{found, joints};
    use super::*;

    /// Gives a mesh morph targets of these names and normals, whose vertices move by so much.
    fn add(parts: &mut ModelParts, targets: Vec<(&str, Vec3, Vec<Vec3>)>) {
        let mesh = &mut parts.meshes[0];
        for (name, by, normals) in targets {
            let positions = vec![by; mesh.primitives[0].positions.len()];
            mesh.morph_names.push(name.to_owned());
            mesh.primitives[0].morphs.push(MorphTarget { positions, normals, ..MorphTarget::default() });
        }
        let count = mesh.morph_names.len();
        parts.instances[0].morph_weights = vec![0.0; count];
        parts.skeleton.rest.morph_weights = vec![0.0; count];
    }

    #[test]
    fn a_target_that_moves_nothing_is_named_unless_another_mesh_moves_by_it() {
        let named = |targets: Vec<(&str, Vec3, Vec<Vec3>)>| found(&EMPTY, |parts| add(parts, targets));
        let findings = named(vec![("smile", Vec3::X, vec![]), ("frown", Vec3::ZERO, vec![])]);
        assert_eq!(joints(&findings), [[0]]);
        let text = &findings[0].message;
        assert!(
            text.starts_with("1 morph target of the 2 of ") && text.contains("moves nothing: \"frown\"."),
            "{text}"
        );
        // A target may turn normals alone.
        assert_eq!(named(vec![("lit", Vec3::ZERO, vec![Vec3::X; 144])]), []);
        assert_eq!(named(vec![]), []);
        // The teeth have the names of all shapes of the head.
        let spread = |name: &str| {
            found(&EMPTY, |parts| {
                add(parts, vec![("smile", Vec3::X, vec![]), ("frown", Vec3::ZERO, vec![])]);
                let mut teeth = parts.meshes[0].clone();
                teeth.morph_names[1] = name.to_owned();
                teeth.primitives[0].morphs[1].positions.fill(Vec3::Y);
                parts.meshes.push(teeth);
                let mut instance = parts.instances[0].clone();
                (instance.mesh, instance.morph_offset) = (MeshId(1), 2);
                parts.instances.push(instance);
                parts.skeleton.rest.morph_weights = vec![0.0; 4];
            })
        };
        assert_eq!(spread("frown"), []);
        assert_eq!(spread("other").len(), 1);
    }

    /// Differences that turn each normal by an angle about an axis across it.
    fn turned(parts: &ModelParts, degrees: impl Fn(usize) -> f32) -> Vec<Vec3> {
        let normals = parts.meshes[0].primitives[0].normals.iter().enumerate();
        let turn = |(vertex, normal): (usize, &Vec3)| {
            let (sine, cosine) = degrees(vertex).to_radians().sin_cos();
            *normal * cosine + Vec3::Y * sine - *normal
        };
        normals.map(turn).collect()
    }

    #[test]
    fn normals_that_were_cut_off_are_found_and_whole_ones_are_not() {
        let with = |change: &dyn Fn(&mut Vec<Vec3>)| {
            found(&CUT, |parts| {
                // Every eighth normal is turned far: of a tube, the first one of each ring lies along an axis.
                let mut normals = turned(parts, |vertex| if vertex % 8 == 0 { 150.0 } else { 20.0 });
                change(&mut normals);
                add(parts, vec![("shut", Vec3::X, normals)]);
            })
        };
        let clamp = |normals: &mut Vec<Vec3>| {
            normals.iter_mut().for_each(|by| *by = by.clamp(Vec3::NEG_ONE, Vec3::ONE));
        };
        let findings = with(&clamp);
        assert_eq!((findings.len(), findings[0].severity), (1, Severity::Warning));
        let cut = &findings[0].vertices;
        assert!(!cut.is_empty() && cut.iter().all(|vertex| vertex % 8 == 0), "{cut:?}");
        let degrees = findings[0].measure.map_or(0.0, |measure| measure.value);
        assert!((50.0..70.0).contains(&degrees) && findings[0].message.contains("\"shut\""), "{degrees}");
        // As floats they are whole, and what lies at 1 by chance or is no difference of unit normals is no such fault.
        assert_eq!(with(&|_| {}), []);
        let absolute = |normals: &mut Vec<Vec3>| normals.fill(Vec3::NEG_X);
        assert_eq!(with(&absolute), []);
        let half = |normals: &mut Vec<Vec3>| {
            clamp(normals);
            normals.iter_mut().for_each(|by| *by *= 0.5);
        };
        assert_eq!(with(&half), []);
    }
}
