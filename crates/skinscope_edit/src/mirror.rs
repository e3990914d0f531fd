//! The operation that copies the weights of one side to the other.

use std::collections::{BTreeSet, HashMap, HashSet};

use glam::Vec3;
use skinscope_inspect::symmetry::{BodyPart, Mirrored};
use skinscope_model::{MeshId, Model, NodeId, PrimitiveId};
use skinscope_weights::{TableRow, difference, mean, unit_shares};

use super::mirrored::{MirrorPlane, Mirroring};
use super::refusal::{is_joint, mesh_name, name};
use super::weld::RowShares;
use super::{
    Axis, ChoiceKind, ChoiceWord, Group, JointNumbers, Kept, Operation, OptionForm, Parameter, ParameterKind, Refusal,
    Settings, Sheet,
};

/// The axes, in the order of their words.
const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

/// The axis that the mirror plane is at right angles to.
static AXIS: Parameter = Parameter {
    id: "axis",
    label: "Axis",
    help: "The axis that the plane of symmetry is at right angles to",
    kind: ParameterKind::Choice(ChoiceKind {
        words: &[
            ChoiceWord { id: "x", label: "X", help: "About the plane of symmetry at right angles to X" },
            ChoiceWord { id: "y", label: "Y", help: "About the plane of symmetry at right angles to Y" },
            ChoiceWord { id: "z", label: "Z", help: "About the plane of symmetry at right angles to Z" },
        ],
        kept: Some(Kept {
            get: |settings| AXES.iter().position(|axis| *axis == settings.axis).unwrap_or_default(),
            set: |settings, chosen| settings.axis = AXES.get(chosen).copied().unwrap_or(settings.axis),
        }),
        ..ChoiceKind::ROW
    }),
    ..Parameter::ROW
};

/// The side that is copied.
static SIDE: Parameter = Parameter {
    id: "from-negative",
    label: "Side",
    help: "Which side is copied to the other",
    kind: ParameterKind::Choice(ChoiceKind {
        words: &[
            ChoiceWord { id: "+", label: "+ to −", help: "Copy the positive side to the negative one" },
            ChoiceWord { id: "-", label: "− to +", help: "Copy the negative side to the positive one" },
        ],
        kept: Some(Kept {
            get: |settings| usize::from(settings.from_negative),
            set: |settings, chosen| settings.from_negative = chosen == 1,
        }),
        ..ChoiceKind::ROW
    }),
    ..Parameter::ROW
};

/// Joints that are partners.
static PAIRS: Parameter = Parameter {
    id: "pairs",
    label: "Pairs of joints",
    help: "Joints that are partners whatever their names and places say",
    kind: ParameterKind::Pairs,
    option: OptionForm::Own {
        name: "pair",
        value: "JOINT=OTHER",
        help: "Take these two joints for partners, with --mirror, whatever their names and places say; may be given several times. A joint \
               that is its own partner is exchanged with none",
    },
};

/// The operation that copies the weights of one side to the other.
pub(crate) static MIRROR: Operation = Operation {
    id: "mirror",
    label: "Mirror weights",
    tool: "Mirror",
    icon: "FLIP_HORIZONTAL",
    group: Group::Copy,
    place: 0,
    help: "Copy the weights of one side of the mesh to the other, about its plane of symmetry, with the joints that are their partners there",
    more: ", by their names, else by their places: across x, y or z, with :+ (from + to −, as without) or :- (from − to +). Vertices of a \
           joint at one side without a partner stay; without a plane it is refused",
    argument: "AXIS",
    repairs: &["asymmetry"],
    parameters: &[&AXIS, &SIDE, &PAIRS],
    refuse: |sheet, settings| {
        has_plane(sheet, settings)?;
        are_paired(sheet, settings)
    },
    numbers: JointNumbers::Any,
    report_refused: Some(report),
    run: mirror,
    ..Operation::ROW
};

fn mirror(sheet: &mut Sheet, settings: &Settings) {
    let mut new: Vec<RowShares> = Vec::new();
    let (mut seen, mut unpaired) = (HashSet::new(), HashSet::new());
    for body in &sheet.mirrored(settings.axis).0 {
        let partners = body.partners(&settings.pairs);
        let rows = Rows::of(sheet, body);
        body.each_image(|vertex, images| {
            let Some(row) = rows.of_vertex(vertex).filter(|row| sheet.bounds.has(row.table, row.row)) else { return };
            match copied(sheet, settings, (body, &rows, &partners), vertex, images) {
                Copied::Shares(shares) if seen.insert(row) => {
                    unpaired.remove(&row);
                    new.push((row, shares));
                }
                Copied::Unpaired if !seen.contains(&row) => _ = unpaired.insert(row),
                _ => {}
            }
        });
    }
    let mut mirroring = report(sheet, settings);
    mirroring.unpaired = unpaired.len();
    sheet.mirroring = Some(mirroring);
    for (TableRow { table, row }, shares) in new {
        let new = &mut sheet.tables[table];
        // Weights that are already right stay as they are stored.
        if difference(&unit_shares(new, row), &shares) > 1e-9 && new.put_in_order(row, &shares) {
            sheet.lacks.pairs.insert(TableRow { table, row });
        }
    }
}

/// Returns the report on mirroring before any vertex is looked at: planes, meshes without one, and pairs.
fn report(sheet: &Sheet, settings: &Settings) -> Mirroring {
    let (bodies, without) = sheet.mirrored(settings.axis);
    let mut out = Mirroring::default();
    let mut pairs: BTreeSet<[NodeId; 2]> = BTreeSet::new();
    for body in bodies {
        let meshes: BTreeSet<_> = body.parts().iter().map(|part| part.mesh).collect();
        for mesh in meshes {
            let Some(part) = body.parts().iter().find(|part| part.mesh == mesh) else { continue };
            let offset = part.in_mesh(body.plane()).offset;
            out.planes.push(MirrorPlane { mesh, axis: settings.axis, offset });
        }
        let is_alone = |a: NodeId| settings.pairs.contains(&[a, a]);
        let partners = body.partners(&settings.pairs);
        pairs.extend(partners.iter().filter(|(a, b)| a < b || a == b && is_alone(**a)).map(|(a, b)| [*a, *b]));
    }
    out.pairs = pairs.into_iter().collect();
    out.planes.sort_by_key(|plane| plane.mesh);
    out.without_plane = without.iter().map(|without| without.mesh).collect();
    // Primitives whose weights no skin uses belong to no body.
    let skinless = sheet.tables.iter().flat_map(|table| &table.primitives).map(|p| p.mesh);
    let is_known = |mesh: &MeshId| sheet.model.instances.iter().any(|i| i.mesh == *mesh && i.skin.is_some());
    out.without_plane.extend(skinless.filter(|mesh| !is_known(mesh)));
    out.without_plane.sort_unstable();
    out.without_plane.dedup();
    out
}

/// The rows of the vertices of a body.
struct Rows {
    /// For each part the number of its first vertex, and its table.
    parts: Vec<(usize, Option<usize>)>,
}

impl Rows {
    fn of(sheet: &Sheet, body: &Mirrored) -> Self {
        let table = |part: &BodyPart| sheet.table_of(PrimitiveId::new(part.mesh, part.primitive));
        Self { parts: body.parts().iter().map(|part| (part.start, table(part))).collect() }
    }

    /// Returns the row of a vertex.
    fn of_vertex(&self, vertex: usize) -> Option<TableRow> {
        let (start, table) = self.parts[self.parts.partition_point(|(start, _)| *start <= vertex).checked_sub(1)?];
        Some(TableRow { table: table?, row: vertex - start })
    }
}

/// What a vertex gets.
enum Copied {
    Shares(Vec<(u32, f64)>),
    /// A joint has no partner.
    Unpaired,
    /// It is on the side that is copied, or has no mirror image with weights.
    Nothing,
}

fn copied(
    sheet: &Sheet,
    settings: &Settings,
    (body, rows, partners): (&Mirrored, &Rows, &HashMap<NodeId, NodeId>),
    vertex: usize,
    images: &[u32],
) -> Copied {
    let shares = |vertex: usize| rows.of_vertex(vertex).map(|row| unit_shares(&sheet.tables[row.table], row.row));
    let across = |shares: &[(u32, f64)]| -> Option<Vec<(u32, f64)>> {
        let partner = |key: u32| match NodeId(key) {
            // A number beyond the skin is no joint, and stays.
            node if node.index() >= sheet.model.skeleton.len() => Some(key),
            node => partners.get(&node).map(|partner| partner.0),
        };
        shares.iter().map(|(key, weight)| Some((partner(*key)?, *weight))).collect()
    };
    let (Some(first), Some(own)) = (images.first(), shares(vertex)) else { return Copied::Nothing };
    let side = body.side(vertex);
    if images.contains(&(vertex as u32)) || side * body.side(*first as usize) > 0.0 {
        return match across(&own) {
            Some(other) if !own.is_empty() => Copied::Shares(mean([&own[..], &other[..]].into_iter())),
            Some(_) => Copied::Nothing,
            None => Copied::Unpaired,
        };
    }
    if (side < 0.0) == settings.from_negative {
        return Copied::Nothing;
    }
    let from = alike(sheet, (body, rows), vertex, images, settings.axis).and_then(shares);
    let Some(from) = from.filter(|shares| !shares.is_empty()) else { return Copied::Nothing };
    match across(&from).filter(|_| across(&own).is_some()) {
        Some(shares) => Copied::Shares(shares),
        None => Copied::Unpaired,
    }
}

/// Returns the vertex with weights at a position whose normal fits best. Of several the first is taken, but one of the same mesh before all
/// others: a mesh that is shown with two skins stands twice at each position, each with joints of its own.
fn alike(sheet: &Sheet, (body, rows): (&Mirrored, &Rows), vertex: usize, images: &[u32], axis: Axis) -> Option<usize> {
    let wanted = normal(sheet.model, body, vertex).map(|n| n * (Vec3::ONE - 2.0 * axis.direction()));
    let fit =
        |other: usize| wanted.zip(normal(sheet.model, body, other)).map_or(0, |(a, b)| (a.dot(b) * 1000.0) as i32);
    let has_weight = |other: &usize| rows.of_vertex(*other).is_some_and(|at| sheet.tables[at.table].sum(at.row) > 0.0);
    let members = images.iter().map(|image| *image as usize).filter(has_weight);
    let mesh_of = |vertex: usize| part_of(body, vertex).map(|part| part.mesh);
    let own = mesh_of(vertex);
    members.rev().max_by_key(|other| (fit(*other), mesh_of(*other) == own))
}

/// Returns the part that has a vertex of a body.
fn part_of(body: &Mirrored, vertex: usize) -> Option<&BodyPart> {
    let parts = body.parts();
    parts.get(parts.partition_point(|part| part.start <= vertex).checked_sub(1)?)
}

fn normal(model: &Model, body: &Mirrored, vertex: usize) -> Option<Vec3> {
    let part = part_of(body, vertex)?;
    let primitive = &model.meshes[part.mesh.index()].primitives[part.primitive];
    primitive.normals.get(vertex - part.start).copied()
}

/// Checks that some mesh has a plane of symmetry.
fn has_plane(sheet: &Sheet, settings: &Settings) -> Result<(), Refusal> {
    let (found, without) = sheet.mirrored(settings.axis);
    if !found.is_empty() || sheet.tables.is_empty() {
        return Ok(());
    }
    let axis = settings.axis.name();
    let nearest = without.iter().filter_map(|without| Some((without.mesh, without.nearest?)));
    let why = match nearest.max_by(|a, b| a.1.share.total_cmp(&b.1.share)) {
        Some((mesh, nearest)) => format!(
            "no plane of symmetry was found across {axis}: about {}, which comes nearest, {:.0} % of the vertices of mesh “{}” \
             have a mirror image",
            MirrorPlane { mesh, axis: settings.axis, offset: nearest.offset },
            (100.0 * nearest.share).floor(),
            mesh_name(sheet.model, mesh.index())
        ),
        None => format!("no plane of symmetry was found across {axis}: no skin moves vertices that have a size"),
    };
    Err(Refusal::NoPlane(why))
}

/// Checks that the joints that are given as partners move one body that has a plane. A joint may be its own partner.
fn are_paired(sheet: &Sheet, settings: &Settings) -> Result<(), Refusal> {
    let (bodies, _) = sheet.mirrored(settings.axis);
    for [a, b] in settings.pairs.iter().copied() {
        is_joint(sheet, Some(a))?;
        is_joint(sheet, Some(b))?;
        let has = |node: NodeId| bodies.iter().any(|body| body.joints().contains(&node));
        let has_both = bodies.iter().any(|body| body.joints().contains(&a) && body.joints().contains(&b));
        if !has_both && has(a) && has(b) {
            return Err(Refusal::Strangers(name(sheet.model, a), name(sheet.model, b)));
        }
    }
    Ok(())
}
