//! What a shape adds to normals and tangents, so that light falls on the surface as it is sculpted.

use glam::{DMat3, DQuat, DVec3, Mat3A, Vec3};
use skinscope_deform::Deformed;
use skinscope_model::{InstanceId, Model, NormalGroups, Topology};

use super::take_back::{PosedSkin, inverse};

/// Where a sculpt turns the surface by less than this, radians, its normals count in part only: so they pass into those of what it leaves alone.
const SLIGHT: f64 = 0.035;

/// A primitive in the pose of a sculpt, and what the shape adds to it.
#[derive(Clone, Copy, Debug)]
pub struct ShapedSkin<'s> {
    /// The instance, and the primitive of its mesh.
    pub of: (InstanceId, usize),
    /// How it is posed.
    pub skin: &'s PosedSkin<'s>,
    /// What is added to the places of its vertices at rest; empty where nothing is.
    pub offsets: &'s [Vec3],
}

/// What a shape adds to the normals and to the tangents of the vertices of the file at rest, in mesh space. Each list is empty where the
/// primitive has none of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DirectionOffsets {
    /// Of the normals.
    pub normals: Vec<Vec3>,
    /// Of xyz of the tangents.
    pub tangents: Vec<Vec3>,
}

/// Finds what a shape adds to normals and tangents: in its pose, with all of the shape, normals are those of the sculpted triangles around a
/// vertex, weighted by area, as far as those at rest are that of the triangles at rest. Where the file has others, such as the normals of a
/// rounded edge, they lean away from these as much as at rest. Nothing is added where no triangle of a vertex is sculpted.
///
/// `parts` are all primitives that share vertices with those that are sculpted, so that nothing is seen of the borders between materials.
#[must_use]
pub fn direction_offsets(model: &Model, parts: &[ShapedSkin<'_>]) -> Vec<DirectionOffsets> {
    let groups = model.normal_groups();
    let mut sums = vec![[DVec3::ZERO; 3]; groups.count()];
    let mut carries = Vec::with_capacity(parts.len());
    for part in parts {
        let [before, after] = [part.skin.surface(&[]), part.skin.surface(part.offsets)];
        add_triangles(model, groups, part, [&before, &after], &mut sums);
        carries.push(before.carries);
    }
    let of_part = |(part, carries): (&ShapedSkin<'_>, &Vec<Mat3A>)| {
        let of = groups.of(part.of.0, part.of.1).unwrap_or_default();
        offsets(part.skin, carries, &|vertex| of.get(vertex).and_then(|group| sums.get(*group as usize)).copied())
    };
    parts.iter().zip(&carries).map(of_part).collect()
}

/// Adds the normals of the triangles of a primitive, each as long as twice its area, to those of the groups of its corners: at rest, in the
/// pose, and sculpted.
fn add_triangles(
    model: &Model,
    groups: &NormalGroups,
    part: &ShapedSkin<'_>,
    posed: [&Deformed; 2],
    sums: &mut [[DVec3; 3]],
) {
    let (instance, primitive) = part.of;
    let source = &model.meshes[model.instances[instance.index()].mesh.index()].primitives[primitive];
    let Some(of) = groups.of(instance, primitive).filter(|_| source.topology == Topology::Triangles) else { return };
    for corners in source.indices.as_chunks::<3>().0 {
        let stored = corners.map(|corner| source.stored_vertex(corner));
        let side = |surface: &Deformed| if surface.is_mirrored(stored) { -1.0 } else { 1.0 };
        let [before, after] = posed.map(|surface| normal(&surface.positions, stored) * side(surface));
        let normals = [normal(part.skin.rest(), stored), before, after];
        for corner in corners {
            for (sum, normal) in sums[of[*corner as usize] as usize].iter_mut().zip(normals) {
                *sum += normal;
            }
        }
    }
}

fn normal(positions: &[Vec3], triangle: [u32; 3]) -> DVec3 {
    let [a, b, c] = triangle.map(|vertex| positions[vertex as usize].as_dvec3());
    (b - a).cross(c - a)
}

/// Makes the offsets of a primitive. `carries` transform its normals from rest to the pose; `sums` returns those of a vertex.
fn offsets(skin: &PosedSkin<'_>, carries: &[Mat3A], sums: &dyn Fn(usize) -> Option<[DVec3; 3]>) -> DirectionOffsets {
    let [normals, tangents] = skin.directions();
    let mut out = DirectionOffsets { normals: vec![Vec3::ZERO; normals.len()], tangents: Vec::new() };
    out.tangents.resize(tangents.len(), Vec3::ZERO);
    for (vertex, (stored, carry)) in normals.iter().zip(carries).enumerate() {
        let carry = carry.as_dmat3();
        let (Some(back), Some(sums)) = (inverse(carry), sums(vertex)) else { continue };
        let Some(turn) = turn(carry, stored.as_dvec3(), sums) else { continue };
        out.normals[vertex] = change(*stored, back * turn * carry);
        if let (Some(tangent), Some(out)) = (tangents.get(vertex), out.tangents.get_mut(vertex)) {
            // Tangents follow the surface itself, whose matrix is the inverse transpose of that of normals but for its length.
            *out = change(*tangent, carry.transpose() * turn * back.transpose());
        }
    }
    out
}

/// Returns by which rotation a normal gets from where the method has it in the pose to where it should be; `None` where it stays.
fn turn(carry: DMat3, stored: DVec3, [rest, before, after]: [DVec3; 3]) -> Option<DMat3> {
    if before == after {
        return None;
    }
    let all = [carry * stored, carry * rest, before, after].map(DVec3::normalize_or_zero);
    if all.contains(&DVec3::ZERO) {
        return None;
    }
    let [plain, rest, before, after] = all;
    let there = DQuat::from_rotation_arc(rest, after) * plain;
    let share = (before.angle_between(after) / SLIGHT).min(1.0);
    let share = share * share * (3.0 - 2.0 * share);
    let wanted = (plain * (1.0 - share) + there * share).normalize_or_zero();
    (wanted != DVec3::ZERO).then(|| DMat3::from_quat(DQuat::from_rotation_arc(plain, wanted)))
}

/// Returns what is added to a direction, so that it is as this matrix has it, and as long as before.
fn change(direction: Vec3, by: DMat3) -> Vec3 {
    let from = direction.as_dvec3();
    let to = (by * from).normalize_or_zero() * from.length();
    let change = (to - from).as_vec3();
    if to == DVec3::ZERO || !change.is_finite() { Vec3::ZERO } else { change }
}

#[cfg(test)]
mod tests {
    use skinscope_anim::pose::rotate;
    use skinscope_base::parallel::JobContext;
    use skinscope_deform::METHODS;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{LocalPose, NodeId};

    use super::*;

    const OF: (InstanceId, usize) = (InstanceId(0), 0);

    fn bent() -> (Model, LocalPose) {
        let model = tube(Tube { joints: 4, rings: 25, influences: 3, ..Tube::default() });
        let mut pose = model.skeleton.rest.clone();
        rotate(&mut pose, NodeId(3), Vec3::new(50.0, 20.0, -10.0));
        (model, pose)
    }

    /// The normal of the triangles around a vertex, and around all others at its place with its normal.
    fn around(model: &Model, positions: &[Vec3], vertex: usize) -> DVec3 {
        let source = &model.meshes[0].primitives[0];
        let is_one = |other: u32| {
            let other = other as usize;
            source.positions[other] == source.positions[vertex] && source.normals[other] == source.normals[vertex]
        };
        let of = |triangle: [u32; 3]| {
            normal(positions, triangle) * triangle.iter().filter(|corner| is_one(**corner)).count() as f64
        };
        source.stored_triangles().map(of).sum::<DVec3>().normalize()
    }

    #[test]
    fn normals_lean_away_from_the_sculpted_triangles_as_they_do_at_rest() {
        let (model, pose) = bent();
        let source = &model.meshes[0].primitives[0];
        let offsets: Vec<Vec3> =
            source.positions.iter().map(|p| Vec3::new(p.x, 0.0, p.z) * 0.5 * (9.0 * p.y).sin()).collect();
        for method in METHODS {
            let skin = PosedSkin::new(&model, &pose, OF, method.into(), &JobContext::of_waiting()).unwrap();
            let part = ShapedSkin { of: OF, skin: &skin, offsets: &offsets };
            let found = direction_offsets(&model, &[part]).remove(0);
            let [before, after] = [skin.surface(&[]), skin.surface(&offsets)];
            let mut checked = 0;
            for vertex in 0..source.stored_vertices {
                let [was, is] = [&before, &after].map(|surface| around(&model, &surface.positions, vertex));
                if was.angle_between(is) < SLIGHT {
                    continue;
                }
                let carry = before.carries[vertex].as_dmat3();
                let stored = source.normals[vertex].as_dvec3();
                let rest = around(&model, &source.positions, vertex);
                let leans = (carry * stored).angle_between(carry * rest);
                let sculpted = carry * (stored + found.normals[vertex].as_dvec3());
                let apart = (sculpted.angle_between(is) - leans).abs();
                assert!(apart < 1e-3, "{}: vertex {vertex} {apart}", method.id);
                checked += 1;
            }
            assert!(checked * 2 > source.stored_vertices, "{}: {checked}", method.id);
        }
    }

    #[test]
    fn normals_far_from_what_is_sculpted_stay_to_the_bit() {
        let (model, pose) = bent();
        let source = &model.meshes[0].primitives[0];
        let mut offsets = vec![Vec3::ZERO; source.stored_vertices];
        let moved = source.stored_vertices / 2;
        let place = source.positions[moved];
        for copy in (0..offsets.len()).filter(|vertex| source.positions[*vertex] == place) {
            offsets[copy] = source.normals[moved] * 0.1;
        }
        let skin = PosedSkin::new(&model, &pose, OF, METHODS[0].into(), &JobContext::of_waiting()).unwrap();
        let part = ShapedSkin { of: OF, skin: &skin, offsets: &offsets };
        let found = direction_offsets(&model, &[part]).remove(0);
        let near: Vec<Vec3> = source
            .stored_triangles()
            .filter(|triangle| triangle.iter().any(|corner| source.positions[*corner as usize] == place))
            .flat_map(|triangle| triangle.map(|corner| source.positions[corner as usize]))
            .collect();
        let turned = (0..offsets.len()).filter(|vertex| found.normals[*vertex] != Vec3::ZERO);
        let turned: Vec<Vec3> = turned.map(|vertex| source.positions[vertex]).collect();
        assert!(turned.len() > 3 && turned.iter().all(|place| near.contains(place)), "{}", turned.len());
        // Nothing is sculpted: nothing is added, and lists are as long as the file has vertices.
        let none = direction_offsets(&model, &[ShapedSkin { offsets: &[], ..part }]).remove(0);
        assert!(none.normals.len() == offsets.len() && none.normals.iter().all(|by| *by == Vec3::ZERO));
        assert!(none.tangents.is_empty());
    }

    #[test]
    fn a_tangent_turns_with_its_normal() {
        let carry = DMat3::from_cols(DVec3::new(2.0, 0.1, 0.0), DVec3::new(0.0, 0.8, 0.3), DVec3::new(0.2, 0.0, 1.1));
        let (stored, tangent) = (DVec3::Z, DVec3::X);
        let posed = (carry * stored).normalize();
        let sculpted = DQuat::from_axis_angle(DVec3::X, 0.5) * posed;
        let turn = turn(carry, stored, [stored, posed, sculpted]).unwrap();
        let back = carry.inverse();
        let normal = stored + change(stored.as_vec3(), back * turn * carry).as_dvec3();
        assert!((carry * normal).angle_between(sculpted) < 1e-5);
        let tangent = tangent + change(tangent.as_vec3(), carry.transpose() * turn * back.transpose()).as_dvec3();
        assert!(normal.dot(tangent).abs() < 1e-5 && (tangent.length() - 1.0).abs() < 1e-5);
        assert!((back.transpose() * tangent).dot(sculpted).abs() < 1e-5);
    }
}
