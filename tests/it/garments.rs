//! Garments of real characters, which lose their skin and are dressed again: they do not go into the body, and move as the artist's do.
//!
//! The corpus stands outside the repository: `SKINSCOPE_CORPUS`, else `../shared/corpus`. Without it this is skipped.
#![expect(clippy::unwrap_used, reason = "a test that cannot build its garment fails")]

use std::collections::BTreeMap;

use glam::{DAffine3, DVec3};
use skinscope::anim::{self, SampleScratch};
use skinscope::edit::{DressSettings, Sheet, dress};
use skinscope::inspect::rig::SkinBinding;
use skinscope::math::Transform;
use skinscope::model::{
    Instance, InstanceId, LocalPose, Mesh, MeshId, Model, ModelParts, NodeId, Primitive, PrimitiveId, Scene, Skeleton,
    SourceInfo,
};
use skinscope::parallel::JobContext;

use crate::common::{self, open};

/// How many moments of each clip are compared with the artist's weights.
const MOMENTS: usize = 4;

/// A piece of cloth as it stands at rest in the world.
struct Cloth {
    points: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// For each point the vertex of the character that it was made of.
    made_of: Vec<(PrimitiveId, usize)>,
}

/// Returns what brings the mesh of an instance to where it rests in the world.
fn place(model: &Model, instance: &Instance) -> DAffine3 {
    let mut rest = Vec::new();
    anim::local_to_model(&model.skeleton, &model.skeleton.rest, &mut rest);
    SkinBinding::of_all(model, &rest)[instance.skin.unwrap().index()].common.unwrap()
}

/// Returns the first primitive that an instance shows, and its stored vertices where they rest in the world.
fn resting(model: &Model, id: InstanceId) -> (PrimitiveId, Vec<DVec3>) {
    let instance = &model.instances[id.index()];
    let (world, primitive) = (place(model, instance), &model.meshes[instance.mesh.index()].primitives[0]);
    let stored = primitive.positions.iter().take(primitive.stored_vertices);
    (PrimitiveId::new(instance.mesh, 0), stored.map(|point| world.transform_point3(point.as_dvec3())).collect())
}

fn size(points: &[DVec3]) -> f64 {
    let low = points.iter().fold(DVec3::INFINITY, |low, point| low.min(*point));
    let high = points.iter().fold(DVec3::NEG_INFINITY, |high, point| high.max(*point));
    (high - low).length()
}

/// Returns for each vertex the first one at its place.
fn places(points: &[DVec3]) -> Vec<usize> {
    let mut known: BTreeMap<[i64; 3], usize> = BTreeMap::new();
    let key = |point: &DVec3| point.to_array().map(|x| (x * 1e5).round() as i64);
    points.iter().enumerate().map(|(at, point)| *known.entry(key(point)).or_insert(at)).collect()
}

/// The suit: the whole surface of a character, a hundredth of its size farther out.
fn suit(model: &Model) -> Cloth {
    let (id, mut points) = resting(model, InstanceId(0));
    let triangles: Vec<[u32; 3]> = model.meshes[id.mesh.index()].primitives[0].stored_triangles().collect();
    let (first, out) = (places(&points), 0.01 * size(&points));
    let mut normals = vec![DVec3::ZERO; points.len()];
    for triangle in &triangles {
        let [a, b, c] = triangle.map(|corner| points[corner as usize]);
        triangle.iter().for_each(|corner| normals[first[*corner as usize]] += (b - a).cross(c - a));
    }
    for (point, first) in points.iter_mut().zip(&first) {
        *point += normals[*first].normalize_or_zero() * out;
    }
    let made_of = (0..points.len()).map(|vertex| (id, vertex)).collect();
    Cloth { points, triangles, made_of }
}

/// The loose pieces of what a node shows, all but the largest one, and the character without them.
fn pieces(model: &Model, node: &str) -> (Cloth, Model) {
    let is_it = |instance: &Instance| model.skeleton.names[instance.node.index()] == node;
    let at = InstanceId::from_index(model.instances.iter().position(is_it).unwrap());
    let (id, points) = resting(model, at);
    let primitive = &model.meshes[id.mesh.index()].primitives[0];
    let all: Vec<[u32; 3]> = primitive.stored_triangles().collect();
    // What hangs together gets the least number of all.
    let mut piece = places(&points);
    loop {
        let before = piece.clone();
        for triangle in &all {
            let least = triangle.iter().map(|corner| piece[*corner as usize]).min().unwrap();
            for corner in triangle {
                let of = piece[*corner as usize];
                piece[of] = piece[of].min(least);
                piece[*corner as usize] = least;
            }
        }
        (0..piece.len()).for_each(|vertex| piece[vertex] = piece[piece[vertex]]);
        if piece == before {
            break;
        }
    }
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    piece.iter().for_each(|of| *counts.entry(*of).or_default() += 1);
    let largest = *counts.iter().max_by_key(|(_, count)| **count).unwrap().0;
    let is_loose = |triangle: &[u32; 3]| piece[triangle[0] as usize] != largest;
    let vertices: Vec<usize> = (0..points.len()).filter(|vertex| piece[*vertex] != largest).collect();
    let number = |corner: u32| vertices.binary_search(&(corner as usize)).unwrap() as u32;
    let triangles = all.iter().filter(|triangle| is_loose(triangle)).map(|triangle| triangle.map(number)).collect();
    let mut parts: ModelParts = (**model).clone();
    let own = &mut parts.meshes[id.mesh.index()].primitives[0];
    let kept =
        own.indices.as_chunks::<3>().0.iter().filter(|corners| !is_loose(&corners.map(|v| primitive.stored_vertex(v))));
    own.indices = kept.flatten().copied().collect();
    let cloth = Cloth {
        points: vertices.iter().map(|vertex| points[*vertex]).collect(),
        triangles,
        made_of: vertices.iter().map(|vertex| (id, *vertex)).collect(),
    };
    (cloth, Model::build(parts).unwrap())
}

/// Returns a model that has the cloth alone, without a skin.
fn garment(cloth: &Cloth) -> Model {
    let primitive = Primitive {
        indices: cloth.triangles.iter().flatten().copied().collect(),
        positions: cloth.points.iter().map(|point| point.as_vec3()).collect(),
        stored_vertices: cloth.points.len(),
        ..Primitive::default()
    };
    let parts = ModelParts {
        source: SourceInfo { name: "garment".into(), version: "2.0".into(), ..SourceInfo::default() },
        skeleton: Skeleton {
            parents: vec![None],
            names: vec!["garment".into()],
            file_index: vec![0],
            rest: LocalPose { transforms: vec![Transform::IDENTITY], ..LocalPose::default() },
            residuals: Vec::new(),
            far: None,
        },
        scenes: vec![Scene { name: String::new(), roots: vec![NodeId(0)], contains: vec![true] }],
        meshes: vec![Mesh { name: "garment".into(), primitives: vec![primitive], ..Mesh::default() }],
        instances: vec![Instance { node: NodeId(0), mesh: MeshId(0), ..Instance::default() }],
        ..ModelParts::default()
    };
    Model::build(parts).unwrap()
}

/// The shares of the nodes of the body.
type Rows = Vec<Vec<(usize, f64)>>;

/// Returns the weights of vertices, by the nodes of a body that have the names of the joints.
fn rows(model: &Model, body: &Model, vertices: &[(PrimitiveId, usize)]) -> Rows {
    let sheet = Sheet::of(model);
    let node = |key: u32| body.skeleton.names.iter().position(|name| *name == model.skeleton.names[key as usize]);
    let row = |(id, vertex): &(PrimitiveId, usize)| {
        let mut shares = Vec::new();
        let table = sheet.tables.iter().find(|table| table.primitives.contains(id)).unwrap();
        table.shares(*vertex, &mut shares);
        shares.iter().map(|(key, share)| (node(*key).unwrap(), *share)).collect()
    };
    vertices.iter().map(row).collect()
}

/// Returns how far two bindings of the same points are apart over the clips of a body: the root of the mean square, in percent of a size.
fn apart(body: &Model, points: &[DVec3], [own, other]: [&Rows; 2], size: f64) -> f64 {
    let rest = body.skeleton.worlds(&body.skeleton.rest);
    let (mut sum, mut count) = (0.0, 0);
    for clip in &body.clips {
        for moment in 0..MOMENTS {
            let mut local = LocalPose::default();
            anim::reset_to_rest(&body.skeleton, &mut local);
            let time = clip.start_secs + (clip.end_secs - clip.start_secs) * moment as f32 / MOMENTS as f32;
            anim::sample(body, clip, time, &mut SampleScratch::default(), &mut local);
            let posed = body.skeleton.worlds(&local);
            let moved = |point: DVec3, row: &[(usize, f64)]| -> DVec3 {
                let at = |(node, share): &(usize, f64)| {
                    (posed[*node] * rest[*node].inverse()).transform_point3(point) * *share
                };
                row.iter().map(at).sum()
            };
            for (point, (own, other)) in points.iter().zip(own.iter().zip(other)) {
                sum += moved(*point, own).distance_squared(moved(*point, other));
                count += 1;
            }
        }
    }
    100.0 * (sum / f64::from(count.max(1))).sqrt() / size
}

/// Dresses a body in a piece of cloth, and compares it with the artist's weights of `artist`.
fn wears(what: &str, (artist, body): (&Model, &Model), cloth: &Cloth, most_apart: f64) {
    let bare = garment(cloth);
    let found = dress(&bare, body, &DressSettings::default(), &JobContext::of_waiting()).unwrap();
    let depths = found.dressed.depths;
    assert!(depths.moments > 10, "{what}: {} moments", depths.moments);
    let deepest = depths.in_clips.map_or(0.0, |deepest| deepest.percent);
    assert!(deepest <= 2.0, "{what}: {deepest} % of the size deeper than at rest");
    let worn = found.on(&bare).unwrap();
    let own: Vec<(PrimitiveId, usize)> =
        (0..cloth.points.len()).map(|vertex| (PrimitiveId::new(MeshId(0), 0), vertex)).collect();
    let (own, theirs) = (rows(&worn, body, &own), rows(artist, body, &cloth.made_of));
    let shown = (0..artist.instances.len()).filter(|at| artist.instances[*at].skin.is_some());
    let whole: Vec<DVec3> = shown.flat_map(|at| resting(artist, InstanceId::from_index(at)).1).collect();
    let off = apart(body, &cloth.points, [&own, &theirs], size(&whole));
    assert!(off <= most_apart, "{what}: {off} % off the artist's weights, and {deepest} % deeper than at rest");
}

#[test]
fn the_loose_pieces_of_a_knight_are_worn_by_what_is_left_of_him() {
    let Some(corpus) = common::corpus() else { return };
    let knight = open(&corpus, "models/KayKit_Knight.glb");
    let (cloth, body) = pieces(&knight, "Knight_Body");
    assert!(cloth.points.len() > 50 && !cloth.triangles.is_empty());
    // An independent count finds 0.1 %.
    wears("the knight", (&knight, &body), &cloth, 0.4);
}

#[test]
#[ignore = "full: a suit of thousands of vertices is compared in hundreds of poses"]
fn a_suit_over_a_man_does_not_go_into_him() {
    let Some(corpus) = common::corpus() else { return };
    let man = open(&corpus, "models/CesiumMan.glb");
    wears("the man", (&man, &man), &suit(&man), 0.4);
}
