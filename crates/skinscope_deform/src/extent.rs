//! The extent of a posed scene: the box around the mass of its surface, which framing uses, and the vertices far
//! outside of it.
//!
//! The mass is found by the distances of all vertices from their centre (see [`skinscope_base::math::DistanceSpread`]):
//! vertices beyond a gap in these distances are *far*. Most far vertices are intended: another object, a ground, a sky.
//! Far vertices that triangles or lines join are judged together, and are *stray* if both of this holds:
//!
//! 1. They are few, the fewer the nearer they are ([`are_few`]).
//! 2. They are no object of their own: a triangle or line connects them with the mass (and is stretched to a needle),
//!    or no triangle or line has them, or neither they nor the mass would be visible if both were framed: each would be
//!    [`UNSEEN`] times smaller than the picture.
//!
//! A vertex beyond [`Aabb::FAR`], or whose position is not finite, is always stray.

use glam::{Affine3A, Vec3};
use skinscope_base::math::{Aabb, DisjointSets, DistanceSpread, Distances, Weld, WeldRule, are_few, sample_of};
use skinscope_model::{InstanceId, Model, Primitive, Topology};

use super::drawn_primitives::DrawnPrimitives;
use super::{Method, Surface, SurfaceInput};

/// An object that is this many times smaller than the picture covers less than half a pixel.
const UNSEEN: f32 = 2000.0;

/// The extent of a posed scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extent {
    /// The box around all vertices except stray ones, in model space, metres; a camera frames it.
    pub mass: Aabb,
    /// The box around all vertices, stray ones included, but without those beyond [`Aabb::FAR`].
    pub all: Aabb,
    /// The stray vertices, in the order of drawing.
    pub strays: Vec<StrayVertices>,
    /// The distance of the farthest stray vertex from [`Extent::mass`], metres: infinite where its position is not
    /// finite, 0 where there is no stray vertex.
    pub farthest: f64,
}

/// Stray vertices of one primitive.
#[derive(Clone, Debug, PartialEq)]
pub struct StrayVertices {
    /// The instance that draws it.
    pub instance: InstanceId,
    /// The index of the primitive in the instance's mesh.
    pub primitive: usize,
    /// The indices of the vertices in the file, rising.
    pub vertices: Vec<u32>,
}

impl Extent {
    /// Returns the number of stray vertices.
    #[must_use]
    pub fn stray_count(&self) -> usize {
        self.strays.iter().map(|s| s.vertices.len()).sum()
    }
}

/// Measures the extent of what is drawn, posed and deformed. The arguments are those of [`super::bounds`]. Most scenes
/// are deformed once; those with a wide gap between their vertices several times.
#[must_use]
pub fn extent(
    model: &Model,
    draws: &[InstanceId],
    palettes: &[Affine3A],
    morph_weights: &[f32],
    method: &Method,
) -> Extent {
    extent_of(&SurfaceInput { model, draws, palettes, morph_weights, method: method.into() }, None)
}

/// Does the same as [`extent`]. Where `surface` is given, which was deformed from `input`, its vertices are used.
#[must_use]
pub fn extent_of(input: &SurfaceInput, surface: Option<&Surface>) -> Extent {
    let (drawn, draws) = (DrawnPrimitives::new(input, surface), input.draws);
    let primitives = drawn.primitives(draws);
    let seen = primitives.iter().map(|which| drawn.fold(*which, &Seen::look, &Seen::joined));
    let Seen { bounds: all, near } = seen.fold(Seen::default(), Seen::joined);
    let total = primitives.iter().map(|which| drawn.primitive(*which).positions.len() * drawn.copies(*which)).sum();
    let spread = DistanceSpread::of(&sample(&drawn, &primitives, total)).filter(|spread| !spread.is_close(all));
    let reach = spread.as_ref().and_then(|spread| {
        let look = |distances: &mut Distances, _: usize, points: &[Vec3]| spread.count(points, distances);
        let of = |which: &(InstanceId, usize)| drawn.fold(*which, &look, &Distances::joined);
        spread.reach(&primitives.iter().map(of).fold(Distances::default(), Distances::joined))
    });
    if reach.is_none() && near == total {
        return Extent { mass: all, all, ..Extent::default() };
    }
    let limits = Limits { spread: spread.as_ref().zip(reach), total: near };
    let mut out = Extent { all, ..Extent::default() };
    let mut strays: Vec<(usize, u32, Vec3)> = Vec::new();
    for (p, which) in primitives.iter().enumerate() {
        let look = |sorted: &mut Sorted, first: usize, points: &[Vec3]| limits.sort(sorted, first, points);
        let Sorted { inner, far } = drawn.fold(*which, &look, &Sorted::joined);
        out.mass = out.mass.union(inner);
        let source = drawn.primitive(*which);
        let count = source.positions.len().max(1);
        for copy in far.chunk_by(|a, b| a.0 / count == b.0 / count) {
            let copy: Vec<(u32, Vec3)> = copy.iter().map(|(v, at)| ((v % count) as u32, *at)).collect();
            for cluster in clusters(source, &copy) {
                let is_stray = limits.is_stray(&cluster);
                if !is_stray {
                    out.mass = out.mass.union(cluster.bounds);
                }
                let members = cluster.members.iter().map(|m| copy[*m]);
                strays.extend(members.filter(|(_, at)| is_stray || !Aabb::is_near(*at)).map(|(v, at)| (p, v, at)));
            }
        }
    }
    // Other objects may reach as far as a stray does.
    strays.retain(|(.., at)| out.mass.distance(*at) > 0.0);
    out.farthest = strays.iter().map(|(.., at)| out.mass.distance(*at)).fold(0.0, f64::max);
    out.strays = by_primitive(&drawn, &primitives, &strays);
    out
}

/// Groups the stray vertices by primitive, as stored vertices.
fn by_primitive(
    drawn: &DrawnPrimitives,
    primitives: &[(InstanceId, usize)],
    strays: &[(usize, u32, Vec3)],
) -> Vec<StrayVertices> {
    let of_primitive = |found: &[(usize, u32, Vec3)]| {
        let (instance, primitive) = primitives[found[0].0];
        let stored = drawn.primitive((instance, primitive)).stored_vertices as u32;
        // A vertex that was split off for tangents lies where the one that it copies does.
        let mut vertices: Vec<u32> = found.iter().map(|(_, v, _)| *v).filter(|v| *v < stored).collect();
        vertices.sort_unstable();
        vertices.dedup();
        StrayVertices { instance, primitive, vertices }
    };
    strays.chunk_by(|a, b| a.0 == b.0).map(of_primitive).collect()
}

/// The result of the first pass over all vertices.
#[derive(Default)]
struct Seen {
    bounds: Aabb,
    /// How many vertices lie in the box.
    near: usize,
}

impl Seen {
    fn look(&mut self, _: usize, points: &[Vec3]) {
        self.bounds = self.bounds.union(Aabb::from_points(points.iter().copied()));
        self.near += points.iter().filter(|p| Aabb::is_near(**p)).count();
    }

    fn joined(self, other: Self) -> Self {
        Self { bounds: self.bounds.union(other.bounds), near: self.near + other.near }
    }
}

/// Returns the positions of an evenly spaced sample of all vertices.
fn sample(drawn: &DrawnPrimitives, primitives: &[(InstanceId, usize)], total: usize) -> Vec<Vec3> {
    let mut wanted = sample_of(total).peekable();
    let (mut out, mut first) = (Vec::new(), 0);
    for which in primitives {
        let end = first + drawn.primitive(*which).positions.len() * drawn.copies(*which);
        let mut vertices = Vec::new();
        while let Some(at) = wanted.next_if(|at| *at < end) {
            vertices.push(at - first);
        }
        if !vertices.is_empty() {
            out.extend(drawn.positions(*which, &vertices));
        }
        first = end;
    }
    out
}

/// The vertices of a primitive: the box around those of the mass, and a list of the others.
#[derive(Default)]
struct Sorted {
    inner: Aabb,
    /// The other vertices, numbered as in [`DrawnPrimitives::fold`], rising.
    far: Vec<(usize, Vec3)>,
}

impl Sorted {
    fn joined(mut self, other: Self) -> Self {
        self.far.extend(other.far);
        Self { inner: self.inner.union(other.inner), far: self.far }
    }
}

/// The distance from which on vertices are far, and how many of them may be stray.
struct Limits<'a> {
    /// The spread of distances and how far the mass reaches; `None` where only vertices that are not finite are far.
    spread: Option<(&'a DistanceSpread, f32)>,
    /// How many vertices have a finite position.
    total: usize,
}

impl Limits<'_> {
    fn sort(&self, out: &mut Sorted, first: usize, points: &[Vec3]) {
        for (i, p) in points.iter().enumerate() {
            let is_far = self.spread.is_some_and(|(spread, reach)| spread.distance(*p) > reach);
            if is_far || !Aabb::is_near(*p) {
                out.far.push((first + i, *p));
            } else {
                out.inner.include(*p);
            }
        }
    }

    fn is_stray(&self, cluster: &Cluster) -> bool {
        let Some((spread, reach)) = self.spread else { return false };
        let nearest = cluster.nearest(spread);
        let (ratio, width) = (nearest / reach, cluster.bounds.diagonal());
        let are_few = are_few(cluster.members.len(), self.total, ratio.into());
        let is_unseen = ratio > UNSEEN && width < nearest / UNSEEN;
        are_few && (cluster.is_torn || !cluster.is_drawn || is_unseen)
    }
}

/// Far vertices that triangles or lines join with one another.
#[derive(Debug, Default)]
struct Cluster {
    /// Indices in the list of far vertices.
    members: Vec<usize>,
    points: Vec<Vec3>,
    /// The box around those whose position is finite.
    bounds: Aabb,
    /// Whether a triangle or line joins it with a vertex that is not far.
    is_torn: bool,
    /// Whether a triangle, line or point draws it.
    is_drawn: bool,
}

impl Cluster {
    /// Returns the least distance of its vertices from the middle of all.
    fn nearest(&self, spread: &DistanceSpread) -> f32 {
        self.points.iter().filter(|p| Aabb::is_near(**p)).map(|p| spread.distance(*p)).fold(f32::INFINITY, f32::min)
    }
}

/// Groups some vertices of a primitive into connected parts, in the order of the first vertex of each. Vertices at one
/// position are connected too: a file may store the corners of each triangle anew.
fn clusters(source: &Primitive, far: &[(u32, Vec3)]) -> Vec<Cluster> {
    let mut far_index = vec![None; source.positions.len()];
    for (i, (vertex, _)) in far.iter().enumerate() {
        far_index[*vertex as usize] = Some(i);
    }
    let mut sets = DisjointSets::new(far.len());
    let points: Vec<Vec3> = far.iter().map(|(_, p)| *p).collect();
    let weld = Weld::new(&points, WeldRule::Exact, &|| false).unwrap_or_default();
    for (i, group) in (0..).zip(&weld.group) {
        sets.join(weld.first[*group as usize], i);
    }
    let (mut torn, mut drawn) = (vec![false; far.len()], vec![false; far.len()]);
    let corners = match source.topology {
        Topology::Points => 1,
        Topology::Lines => 2,
        Topology::Triangles => 3,
    };
    for element in source.indices.chunks_exact(corners) {
        let mut members = element.iter().filter_map(|v| far_index[*v as usize]);
        let Some(first) = members.next() else { continue };
        let mut count = 1;
        for member in members {
            sets.join(first as u32, member as u32);
            count += 1;
        }
        drawn[first] = true;
        torn[first] |= count < corners;
    }
    let (cluster_of, count) = sets.numbered();
    let mut out: Vec<Cluster> = Vec::new();
    out.resize_with(count, Cluster::default);
    for (i, (_, p)) in far.iter().enumerate() {
        let cluster = &mut out[cluster_of[i] as usize];
        cluster.members.push(i);
        cluster.points.push(*p);
        cluster.bounds.include(*p);
        cluster.is_torn |= torn[i];
        cluster.is_drawn |= drawn[i];
    }
    out
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, obstacle_course, tube};
    use skinscope_model::{Instance, Mesh, MeshId, ModelParts, NodeId};

    use super::*;
    use crate::{METHODS, palettes};

    /// Makes a tube of 400 vertices, 2 m high, 0.5 m wide.
    fn parts() -> ModelParts {
        (*tube(Tube { joints: 4, rings: 20, sides: 20, ..Tube::default() })).clone()
    }

    /// Measures the extent at rest.
    fn extent_of(parts: ModelParts) -> Extent {
        let model = Model::build(parts).unwrap();
        let mut pose: Vec<Affine3A> = Vec::new();
        for (parent, local) in model.skeleton.parents.iter().zip(&model.skeleton.rest.transforms) {
            let above = parent.map_or(Affine3A::IDENTITY, |p| pose[p.index()]);
            pose.push(above * local.to_affine());
        }
        let mut matrices = Vec::new();
        palettes(&model, &pose, &mut matrices);
        let draws: Vec<InstanceId> = (0..model.instances.len()).map(InstanceId::from_index).collect();
        let morphs = &model.skeleton.rest.morph_weights;
        let out = extent(&model, &draws, &matrices, morphs, METHODS[0]);
        assert_eq!(out.all, super::super::bounds(&model, &draws, &matrices, morphs, METHODS[0]));
        out
    }

    fn changed(change: impl FnOnce(&mut ModelParts)) -> Extent {
        let mut parts = parts();
        change(&mut parts);
        extent_of(parts)
    }

    fn move_vertex(parts: &mut ModelParts, vertex: usize, to: Vec3) {
        parts.meshes[0].primitives[0].positions[vertex] = to;
    }

    /// Adds a mesh of its own, drawn where the file has it.
    fn add(parts: &mut ModelParts, positions: Vec<Vec3>, indices: Vec<u32>) {
        let stored_vertices = positions.len();
        let primitive = Primitive { positions, indices, stored_vertices, ..Primitive::default() };
        let mesh = MeshId::from_index(parts.meshes.len());
        parts.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
        parts.instances.push(Instance { node: NodeId(0), mesh, ..Instance::default() });
    }

    fn quad(half: f32, at: Vec3) -> Vec<Vec3> {
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, z)| at + Vec3::new(x, 0.0, z) * half).to_vec()
    }

    const QUAD: [u32; 6] = [0, 1, 2, 0, 2, 3];

    #[test]
    fn a_torn_vertex_is_left_out_and_named() {
        let own = extent_of(parts());
        assert_eq!((own.mass, own.strays.len(), own.farthest), (own.all, 0, 0.0));
        for far in [60.0, 1e3, 1e6, 1e15] {
            let found = changed(|p| move_vertex(p, 210, Vec3::X * far));
            assert_eq!((found.mass.max.y, found.strays[0].vertices.as_slice()), (2.0, &[210][..]), "{far}");
            assert!(found.mass.max.x < 0.3 && found.all.max.x == far && found.stray_count() == 1);
            assert!((found.farthest / f64::from(far) - 1.0).abs() < 0.01, "{far}: {}", found.farthest);
        }
        // Nearer than a gap it is part of the model, as a sword is.
        let near = changed(|p| move_vertex(p, 210, Vec3::X * 15.0));
        assert_eq!((near.mass, near.strays.len()), (near.all, 0));
        // Many vertices together are part of the model too, though farther away: a cape on a pole, of a tenth of all
        // vertices.
        let many = changed(|p| (200..240).for_each(|v| move_vertex(p, v, Vec3::X * 60.0)));
        assert_eq!((many.mass, many.strays.len()), (many.all, 0));
    }

    #[test]
    fn what_has_no_position_is_always_stray() {
        let found = changed(|p| {
            move_vertex(p, 7, Vec3::X * 1e20);
            move_vertex(p, 9, Vec3::splat(-3e30));
        });
        assert_eq!((found.strays[0].vertices.as_slice(), found.mass), (&[7, 9][..], found.all));
        assert!(found.farthest > 1e30 && found.all.max.x < 0.3);
        // A joint whose scale overflows throws its vertices out.
        let found = changed(|p| p.skeleton.rest.transforms[4].scale = Vec3::splat(1e20));
        assert!(found.stray_count() > 100 && found.mass.max.y < 2.0, "{}", found.stray_count());
        let all = changed(|p| p.meshes[0].primitives[0].positions.fill(Vec3::splat(1e30)));
        assert!(all.mass.is_empty() && all.stray_count() == 400 && all.farthest == f64::INFINITY);
    }

    #[test]
    fn a_joint_that_throws_its_vertices_away_leaves_the_rest_in_view() {
        let found = changed(|p| {
            // The fourth joint has a quarter of the vertices, and shares more with the third.
            let influences = p.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
            for (j, w) in influences.joints.iter_mut().zip(&mut influences.weights) {
                (*j, *w) = if *j == 3 { (0, *w) } else { (*j, *w) };
            }
            for vertex in 380..400 {
                influences.joints[4 * vertex..4 * vertex + 4].fill(3);
            }
            p.skeleton.rest.transforms[4].translation = Vec3::X * 1e6;
        });
        assert_eq!(found.strays[0].vertices, (380..400).collect::<Vec<u32>>());
        assert!(found.mass.diagonal() < 3.0 && found.all.max.x > 9e5);
    }

    #[test]
    fn other_objects_and_wide_grounds_belong_to_the_scene() {
        let ground = changed(|p| add(p, quad(1000.0, Vec3::ZERO), QUAD.into()));
        assert_eq!((ground.mass, ground.mass.max.x), (ground.all, 1000.0));
        let beside = changed(|p| add(p, quad(1.0, Vec3::X * 300.0), QUAD.into()));
        assert_eq!((beside.mass, beside.strays.len()), (beside.all, 0));
        // It is a stray beside other objects too, unless they reach as far.
        let both = changed(|p| {
            add(p, quad(1000.0, Vec3::ZERO), QUAD.into());
            move_vertex(p, 210, Vec3::X * 1e6);
            move_vertex(p, 211, Vec3::X * 500.0);
        });
        assert_eq!((both.mass.max.x, both.strays[0].vertices.as_slice()), (1000.0, &[210][..]));
        // Where nothing would be seen of either, the smaller part is stray.
        let speck = changed(|p| add(p, quad(1.0, Vec3::X * 1e5), QUAD.into()));
        assert_eq!((speck.strays[0].vertices.len(), speck.strays[0].instance), (4, InstanceId(1)));
        let sky = changed(|p| add(p, quad(1e5, Vec3::ZERO), QUAD.into()));
        assert_eq!(sky.mass, sky.all);
        let course = obstacle_course();
        let found = extent_of((*course).clone());
        assert_eq!((found.mass, found.strays.len()), (found.all, 0));
    }

    #[test]
    fn corners_that_are_stored_anew_hang_together() {
        let found = changed(|p| {
            let primitive = &mut p.meshes[0].primitives[0];
            move_vertex_of(primitive, 210, Vec3::X * 1e4);
            let corners = primitive.indices.clone();
            let influences = primitive.stored_influences.clone().unwrap();
            primitive.positions = corners.iter().map(|v| primitive.positions[*v as usize]).collect();
            primitive.normals.clear();
            let new = primitive.stored_influences.as_mut().unwrap();
            new.joints = corners.iter().flat_map(|v| influences.of(*v as usize).0.to_vec()).collect();
            new.weights = corners.iter().flat_map(|v| influences.of(*v as usize).1.to_vec()).collect();
            primitive.stored_vertices = corners.len();
            primitive.indices = (0..corners.len() as u32).collect();
        });
        assert_eq!((found.stray_count(), found.mass.diagonal() < 3.0), (6, true));
    }

    fn move_vertex_of(primitive: &mut Primitive, vertex: usize, to: Vec3) {
        primitive.positions[vertex] = to;
    }

    #[test]
    fn a_loose_vertex_far_away_is_drawn_by_nothing() {
        let found = changed(|p| {
            let primitive = &mut p.meshes[0].primitives[0];
            let alone = primitive.indices.as_chunks::<3>().0.iter().filter(|t| !t.contains(&0)).flatten();
            primitive.indices = alone.copied().collect();
            move_vertex_of(primitive, 0, Vec3::Z * -100.0);
        });
        assert_eq!(found.strays[0].vertices, [0]);
    }

    #[test]
    fn every_copy_counts() {
        let found = changed(|p| {
            add(p, quad(0.5, Vec3::ZERO), QUAD.into());
            let at = |x: f32| Affine3A::from_translation(Vec3::X * x);
            p.instances[1].copies = vec![at(0.0), at(3.0), at(90_000.0)];
        });
        assert_eq!((found.strays[0].instance, found.stray_count()), (InstanceId(1), 4));
        assert_eq!(found.mass.max.x, 3.5);
    }
}
