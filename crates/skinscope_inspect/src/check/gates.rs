//! Gates: how much of the surface is at fault, as a share that a pipeline can limit.
//!
//! A gate is a row of [`GATES`]. Most measure the surface at the vertices that some rules name; such a row lists the rules and has no
//! function of its own. The surface is what the skins of the model move, at rest: each vertex has a third of the area of each triangle
//! around it. Where nothing has an area, as with points and lines, each vertex counts alike. Bleeding counts a vertex by the weight that
//! is wrong there, so that a trace on a large triangle is not taken for a fault of all of it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use glam::{Affine3A, DVec3, Vec3};
use skinscope_model::{MeshId, Model, NodeId, Primitive};

use super::bleeding::BLEEDING;
use super::{Finding, ROGUE, Rule, SkinPart, Skinned, Subject, asymmetry, far, limit, seams, weights};

/// A share of the surface that can be limited.
#[derive(Debug)]
pub struct Gate {
    /// The name for `--fail-over` and in JSON.
    pub id: &'static str,
    /// The name in texts.
    pub label: &'static str,
    /// A sentence that says what is measured.
    pub help: &'static str,
    /// The rules whose findings it reads; they run when the gate is asked for.
    pub rules: &'static [&'static Rule],
    /// Measures it.
    pub(crate) measure: fn(&Gate, &Surveyed) -> Share,
}

impl Gate {
    /// What most gates have in common: a row names what differs and ends in `..Gate::ROW`.
    const ROW: Self = Self { id: "", label: "", help: "", rules: &[], measure: named };
}

/// Every gate, in the order in which they are shown.
pub static GATES: &[&Gate] = &[
    &Gate {
        id: "unweighted",
        label: "Unweighted surface",
        help: "The surface on which no joint has any weight, and the primitives below a skin that have no weights at all",
        measure: unweighted,
        ..Gate::ROW
    },
    &Gate {
        id: "bleeding",
        label: "Bleeding weights",
        help: "The weight that joints have where they have no business, as a share of all weight on the surface: of rogue vertices, \
               from afar, and across a gap",
        rules: &[&ROGUE, &far::FAR, &BLEEDING],
        measure: misplaced,
    },
    &Gate {
        id: "seams",
        label: "Open seams",
        help: "The surface at vertices of one place that have different weights",
        rules: &[&seams::SEAM],
        ..Gate::ROW
    },
    &Gate {
        id: "asymmetric",
        label: "Asymmetric weights",
        help: "The surface of symmetric meshes whose weights differ from those of its mirror image",
        rules: &[&asymmetry::ASYMMETRY],
        ..Gate::ROW
    },
    &Gate {
        id: "sums",
        label: "Wrong sums",
        help: "The surface whose stored weights do not sum to one",
        rules: &[&weights::SUM, &weights::SUM_255],
        ..Gate::ROW
    },
    &Gate {
        id: "over-limit",
        label: "Too many joints",
        help: "The surface moved by more joints than --limit says",
        rules: &[&limit::TOO_MANY],
        ..Gate::ROW
    },
];

/// Returns the gate of this id.
#[must_use]
pub fn gate(id: &str) -> Option<&'static Gate> {
    GATES.iter().copied().find(|gate| gate.id == id)
}

/// How much of the surface a gate found.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// The id of the gate.
    pub gate: &'static str,
    /// The share of the surface, percent; 0 where there is no surface.
    pub percent: f64,
    /// How many stored vertices of the surface are at fault.
    pub vertices: usize,
}

/// Writes a percentage for people, with as many digits as limits have.
#[must_use]
pub fn percent_text(percent: f64) -> String {
    if percent > 0.0 && percent < 0.001 {
        return "less than 0.001 %".to_owned();
    }
    let decimals = if percent >= 10.0 { 1 } else { 3 };
    let digits = format!("{percent:.decimals$}");
    format!("{} %", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// The surface of a model, as gates measure it.
#[derive(Debug)]
pub(crate) struct Surveyed<'a> {
    subject: &'a Subject<'a>,
    findings: &'a [Finding],
    /// The area around each stored vertex that a skin moves or is to move, by mesh and primitive.
    areas: BTreeMap<(MeshId, usize), Vec<f64>>,
}

/// Returns the shares of some gates; `findings` are all that their rules found.
pub(super) fn measured(subject: &Subject, gates: &[&'static Gate], findings: &[Finding]) -> Vec<Share> {
    if gates.is_empty() {
        return Vec::new();
    }
    let surveyed = Surveyed { subject, findings, areas: areas(subject) };
    gates.iter().map(|gate| (gate.measure)(gate, &surveyed)).collect()
}

impl Surveyed<'_> {
    /// Adds up the surface, of each vertex the part that `at_fault` says, by mesh, primitive and vertex: 0 for none and 1 for all of it.
    fn share(&self, gate: &Gate, at_fault: impl Fn((MeshId, usize), u32) -> f64) -> Share {
        let (mut part, mut whole, mut vertices) = (0.0_f64, 0.0_f64, 0);
        for (at, areas) in &self.areas {
            for (vertex, area) in (0..).zip(areas) {
                let fault = at_fault(*at, vertex);
                whole += *area;
                part += *area * fault;
                vertices += usize::from(fault > 0.0);
            }
        }
        let percent = if whole > 0.0 { 100.0 * part / whole } else { 0.0 };
        Share { gate: gate.id, percent, vertices }
    }

    /// Returns what the rules of a gate found on vertices, with the place of each.
    fn found(&self, gate: &Gate) -> Vec<((MeshId, usize), &Finding)> {
        let of_gate = self.findings.iter().filter(|f| gate.rules.iter().any(|rule| rule.id == f.rule));
        of_gate.filter_map(|finding| Some(((finding.mesh?, finding.primitive?), finding))).collect()
    }
}

/// Measures the surface at the vertices that the rules of a gate name.
fn named(gate: &Gate, surveyed: &Surveyed) -> Share {
    let mut at_fault: BTreeMap<(MeshId, usize), HashSet<u32>> = BTreeMap::new();
    for (at, finding) in surveyed.found(gate) {
        at_fault.entry(at).or_default().extend(&finding.vertices);
    }
    surveyed.share(gate, |at, vertex| {
        let is_named = at_fault.get(&at).is_some_and(|vertices| vertices.contains(&vertex));
        if is_named { 1.0 } else { 0.0 }
    })
}

/// Measures the weight of the joints that the rules of a gate name, at the vertices that they name with them.
fn misplaced(gate: &Gate, surveyed: &Surveyed) -> Share {
    let mut pairs: BTreeMap<(MeshId, usize), BTreeSet<(u32, NodeId)>> = BTreeMap::new();
    for (at, finding) in surveyed.found(gate) {
        let of_vertex = |vertex: &u32| finding.joints.iter().map(|joint| (*vertex, *joint)).collect::<Vec<_>>();
        pairs.entry(at).or_default().extend(finding.vertices.iter().flat_map(of_vertex));
    }
    let mut wrong: HashMap<((MeshId, usize), u32), f64> = HashMap::new();
    for (at, pairs) in pairs {
        let skinned: Vec<&Skinned> = surveyed.subject.skinned.iter().filter(|s| (s.mesh, s.primitive) == at).collect();
        for (vertex, joint) in pairs {
            let weight = skinned.iter().map(|skinned| weight_of(skinned, vertex, joint)).fold(0.0, f32::max);
            *wrong.entry((at, vertex)).or_default() += f64::from(weight);
        }
    }
    surveyed.share(gate, |at, vertex| wrong.get(&(at, vertex)).map_or(0.0, |weight| weight.min(1.0)))
}

/// Returns the weight of a joint at a stored vertex.
fn weight_of(skinned: &Skinned, vertex: u32, joint: NodeId) -> f32 {
    let (joints, weights) = skinned.influences.of(vertex as usize);
    let of_joint = joints.iter().zip(weights).filter(|(j, _)| skinned.skin.joints[usize::from(**j)] == joint);
    of_joint.map(|(_, weight)| *weight).filter(|weight| weight.is_finite() && *weight > 0.0).sum()
}

/// Measures the surface that no joint moves.
fn unweighted(gate: &Gate, surveyed: &Surveyed) -> Share {
    let model = surveyed.subject.model;
    surveyed.share(gate, |(mesh, primitive), vertex| {
        let influences = model.influences(mesh, primitive);
        let is_weight = |weight: &f32| *weight != 0.0 && weight.is_finite();
        let is_moved = influences.is_some_and(|all| all.of(vertex as usize).1.iter().any(is_weight));
        if is_moved { 0.0 } else { 1.0 }
    })
}

/// Returns the area around each stored vertex of what skins move, and of the primitives without weights below a skin; one for each vertex
/// where nothing has an area.
fn areas(subject: &Subject) -> BTreeMap<(MeshId, usize), Vec<f64>> {
    let mut out: BTreeMap<(MeshId, usize), Vec<f64>> = BTreeMap::new();
    for surface in subject.surfaces() {
        let scale = f64::from(surface.world_scale);
        for SkinPart { mesh, primitive, skinned, first } in surface.parts.iter().copied() {
            let source = subject.skinned[skinned].source;
            let areas = out.entry((mesh, primitive)).or_insert_with(|| vec![0.0; source.stored_vertices]);
            add(areas, source, scale, |vertex| surface.positions[surface.mesh.point(first + vertex) as usize]);
        }
    }
    for (mesh, primitive, world_from_mesh) in without_weights(subject.model, &subject.rest) {
        let source = &subject.model.meshes[mesh.index()].primitives[primitive];
        let areas = out.entry((mesh, primitive)).or_insert_with(|| vec![0.0; source.stored_vertices]);
        add(areas, source, 1.0, |vertex| world_from_mesh.transform_point3(source.positions[vertex as usize]));
    }
    if out.values().flatten().all(|area| *area == 0.0) {
        out.values_mut().flatten().for_each(|area| *area = 1.0);
    }
    out
}

/// Gives each vertex of a primitive a third of the area of each of its triangles. `at`: where a stored vertex lies; `scale`: metres for
/// each unit there.
fn add(areas: &mut [f64], source: &Primitive, scale: f64, at: impl Fn(u32) -> Vec3) {
    for corners in source.stored_triangles() {
        let [a, b, c] = corners.map(|vertex| at(vertex).as_dvec3() * scale);
        let area = DVec3::cross(b - a, c - a).length() / 6.0;
        if area.is_finite() {
            corners.iter().for_each(|vertex| areas[*vertex as usize] += area);
        }
    }
}

/// Returns the primitives that a node with a skin shows and that have no weights, each with the `world_from_mesh` of the first such node.
fn without_weights<'a>(model: &'a Model, rest: &'a [Affine3A]) -> impl Iterator<Item = (MeshId, usize, Affine3A)> + 'a {
    let skinned = model.instances.iter().filter(|instance| instance.skin.is_some());
    let mut known: HashSet<(MeshId, usize)> = HashSet::new();
    skinned
        .flat_map(move |instance| {
            let primitives = 0..model.meshes[instance.mesh.index()].primitives.len();
            primitives.map(move |primitive| (instance.mesh, primitive, rest[instance.node.index()]))
        })
        .filter(move |(mesh, primitive, _)| {
            model.influences(*mesh, *primitive).is_none() && known.insert((*mesh, *primitive))
        })
}
