//! Sculpts by dragged vertices: each is put somewhere in a pose, and those around it go along.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DVec3, Vec3};
use skinscope_base::parallel::JobContext;
use skinscope_deform::Deformation;
use skinscope_model::{InstanceId, LocalPose, Model, PrimitiveId};
use skinscope_weights::{RestSurface, Table, TableRow};

use super::PosedSkin;
use crate::motion::{Posed, shown_by};
use crate::pull::{PullField, PullSettings};

/// What is left of the whole way is no less than this, so that what goes along all of the way has a bound.
const LEAST: f64 = 1e-9;

/// A vertex, and where a sculpt has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DraggedVertex {
    /// The primitive of the model.
    pub at: PrimitiveId,
    /// The vertex of the file.
    pub vertex: usize,
    /// The place in the scene of the file, metres.
    pub target: DVec3,
}

/// Why vertices make no sculpt. They are told by their numbers in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraggedError {
    /// No skin moves the vertex by this method, or there is none.
    NoSkin(usize),
    /// Both are at one place of the surface.
    OnePlace(usize, usize),
}

/// A primitive in the pose, and where its vertices should be: all places are counted from the origin of its motion ([`crate::Motion::origin`]).
#[derive(Clone, Debug, PartialEq)]
pub struct DraggedPart {
    /// The instance that shows it, and the primitive.
    pub of: (InstanceId, PrimitiveId),
    /// Where the vertices of the file are.
    pub now: Vec<Vec3>,
    /// Where they should be; those that stay are at no number.
    pub targets: Vec<DVec3>,
}

/// What a vertex takes along.
struct Field {
    own: TableRow,
    /// The rows at its place.
    together: Vec<TableRow>,
    strengths: BTreeMap<TableRow, f64>,
}

/// Finds where the vertices should be in a pose if some of them are put somewhere. Those around them, along the surface at rest as far as the
/// settings say, go along by their share of the way; where several take one along, the nearest count most, so that all of them come to where
/// they should be. `method` is what the surface is shown by.
///
/// # Errors
/// A vertex is moved by no skin, or two are one.
pub fn dragged_targets(
    (model, pose): (&Model, &LocalPose),
    (surfaces, tables): (&[RestSurface], &[Table]),
    vertices: &[DraggedVertex],
    (method, settings): (Deformation<'_>, &PullSettings),
) -> Result<Vec<DraggedPart>, DraggedError> {
    let mut fields: Vec<Field> = Vec::new();
    for (number, vertex) in vertices.iter().enumerate() {
        let field = Field::of(model, (surfaces, tables), vertex, settings).ok_or(DraggedError::NoSkin(number))?;
        if let Some(other) = fields.iter().position(|other| other.together.contains(&field.own)) {
            return Err(DraggedError::OnePlace(other, number));
        }
        fields.push(field);
    }
    let rows: BTreeSet<TableRow> = fields.iter().flat_map(|field| field.strengths.keys()).copied().collect();
    let posed = Posed::new(model, pose);
    let mut shown: BTreeMap<usize, (DraggedPart, DVec3)> = BTreeMap::new();
    for number in rows.iter().map(|at| at.table).collect::<BTreeSet<usize>>() {
        let Some(table) = tables.get(number) else { continue };
        let own = vertices.iter().map(|vertex| vertex.at).find(|at| table.primitives.contains(at));
        let Some(at) = own.or_else(|| table.primitives.first().copied()) else { continue };
        shown.extend(part_of((model, pose), &posed, at, method).map(|part| (number, part)));
    }
    let mut moves = Vec::new();
    for (number, (vertex, field)) in vertices.iter().zip(&fields).enumerate() {
        let (part, origin) = shown.get(&field.own.table).ok_or(DraggedError::NoSkin(number))?;
        let now = part.now.get(field.own.row).ok_or(DraggedError::NoSkin(number))?;
        moves.push(vertex.target - *origin - now.as_dvec3());
    }
    for at in rows {
        let Some((DraggedPart { now, targets, .. }, _)) = shown.get_mut(&at.table) else { continue };
        let own = fields.iter().position(|field| field.together.contains(&at)).and_then(|own| moves.get(own)).copied();
        let shares = fields.iter().zip(&moves).filter_map(|(field, by)| Some((*field.strengths.get(&at)?, *by)));
        if let Some((target, now)) = targets.get_mut(at.row).zip(now.get(at.row)) {
            *target = now.as_dvec3() + own.unwrap_or_else(|| moved(shares));
        }
    }
    Ok(shown.into_values().map(|(part, _)| part).collect())
}

impl Field {
    fn of(
        model: &Model,
        (surfaces, tables): (&[RestSurface], &[Table]),
        vertex: &DraggedVertex,
        settings: &PullSettings,
    ) -> Option<Self> {
        let table = tables.iter().position(|table| table.primitives.contains(&vertex.at))?;
        let field = PullField::new(model, (surfaces, tables), (vertex.at, vertex.vertex), settings, None)?;
        let (own, together) = (TableRow { table, row: vertex.vertex }, field.own_rows().to_vec());
        Some(Self { own, together, strengths: field.reach().collect() })
    }
}

/// Returns a primitive in the pose, and the origin of its motion; `None` where no skin moves it by this method.
fn part_of(
    (model, pose): (&Model, &LocalPose),
    posed: &Posed<'_>,
    at: PrimitiveId,
    method: Deformation<'_>,
) -> Option<(DraggedPart, DVec3)> {
    let instance = shown_by(model, at)?;
    let origin = posed.motion(instance, at.primitive)?.origin();
    let skin = PosedSkin::new(model, pose, (instance, at.primitive), method, &JobContext::of_waiting())?;
    let now = skin.as_it_is();
    let targets = vec![DVec3::NAN; now.len()];
    Some((DraggedPart { of: (instance, at), now, targets }, origin))
}

/// Returns by how much a place is moved that goes along with several vertices: the shares of the way, and the ways.
fn moved(shares: impl Iterator<Item = (f64, DVec3)>) -> DVec3 {
    let (mut most, mut total, mut sum) = (0.0_f64, 0.0, DVec3::ZERO);
    for (share, by) in shares {
        // Nearly without bounds near a vertex, so that it alone counts there.
        let counts = share / (1.0 - share).max(LEAST);
        most = most.max(share);
        total += counts;
        sum += by * counts;
    }
    if total > 0.0 { sum * (most / total) } else { DVec3::ZERO }
}

#[cfg(test)]
mod tests {
    use skinscope_anim::pose::rotate;
    use skinscope_deform::METHODS;
    use skinscope_model::NodeId;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_weights::FALLOFFS;

    use super::*;
    use crate::Joints;
    use crate::tests::{surface_of, table_of};

    #[test]
    fn dragged_vertices_are_met_in_the_pose_and_those_around_go_along() {
        let model = tube(Tube { joints: 3, rings: 25, ..Tube::default() });
        let (tables, surfaces) = ([table_of(&model)], [surface_of(&model)]);
        let mut pose = model.skeleton.rest.clone();
        rotate(&mut pose, NodeId(2), Vec3::X * 60.0);
        let at = tables[0].primitives[0];
        let settings = PullSettings { most: 4, joints: Joints::Kept, keep: 1e-6, radius: 0.3, falloff: FALLOFFS[0] };
        for method in [METHODS[0], METHODS[1]] {
            let instance = shown_by(&model, at).unwrap();
            let skin = PosedSkin::new(&model, &pose, (instance, 0), method.into(), &JobContext::of_waiting()).unwrap();
            let now: Vec<DVec3> = skin.as_it_is().iter().map(|point| point.as_dvec3()).collect();
            // Two that are near each other, and one far away.
            let by = [(200, DVec3::new(0.0, 0.05, 0.02)), (216, DVec3::new(0.03, 0.0, 0.0)), (20, DVec3::Z * 0.1)];
            let vertices = by.map(|(vertex, by)| DraggedVertex { at, vertex, target: now[vertex] + by });
            let how = (method.into(), &settings);
            let targets = dragged_targets((&model, &pose), (&surfaces, &tables), &vertices, how).unwrap();
            let DraggedPart { of, targets, now: posed } = &targets[0];
            assert!((*of, targets.len()) == ((instance, at), now.len()) && *posed == skin.as_it_is());
            for vertex in &vertices {
                assert!(targets[vertex.vertex].distance(vertex.target) < 1e-6, "{}", method.id);
            }
            let ways: Vec<f64> = targets.iter().zip(&now).map(|(to, now)| to.distance(*now)).collect();
            assert!(ways.iter().filter(|way| way.is_nan()).count() > now.len() / 2, "most of the surface stays");
            let along = ways.iter().filter(|way| **way > 1e-4).count();
            assert!(along > 10 && ways.iter().all(|way| way.is_nan() || *way < 0.1 + 1e-6), "{along}");
            // Taken back it is an offset at rest that puts them there.
            let stays = |(to, now): (&DVec3, &DVec3)| if to.is_nan() { *now } else { *to };
            let all: Vec<DVec3> = targets.iter().zip(&now).map(stays).collect();
            let posed = skin.posed(&skin.take_back(&all).offsets);
            for vertex in &vertices {
                assert!(posed[vertex.vertex].as_dvec3().distance(vertex.target) < 1e-5, "{}", method.id);
            }
        }
        let one = DraggedVertex { at, vertex: 200, target: DVec3::ZERO };
        let refused = |vertices: &[DraggedVertex]| {
            let how = (METHODS[0].into(), &settings);
            dragged_targets((&model, &pose), (&surfaces, &tables), vertices, how).unwrap_err()
        };
        assert_eq!(refused(&[one, one]), DraggedError::OnePlace(0, 1));
        assert_eq!(refused(&[one, DraggedVertex { vertex: 99_999, ..one }]), DraggedError::NoSkin(1));
    }
}
