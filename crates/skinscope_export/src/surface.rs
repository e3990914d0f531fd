//! The posed surface that a bake writes, whichever way it was deformed.

use glam::{DVec3, Vec2, Vec3, Vec4};
use skinscope_anim as anim;
use skinscope_deform::{self as deform, Deformation, Deformed, Surface, SurfaceInput, SurfacePart};
use skinscope_model::{InstanceId, LocalPose, MaterialId, Model, Part, Topology};

/// A primitive frozen in a pose, in world space, with its vertices in file order.
#[derive(Clone, Debug, Default)]
pub struct BakedPrimitive {
    /// The index of the primitive in its mesh.
    pub primitive: usize,
    /// The node's name, numbered where it carries several copies or primitives; never empty.
    pub name: String,
    /// The positions in world space, metres, without [`BakedPrimitive::origin`].
    pub positions: Vec<Vec3>,
    /// What to add to the positions, metres: zero but for models far from the origin of their file ([`skinscope_model::Far`]).
    pub origin: DVec3,
    /// The normals, one for each vertex, of unit length. Where nothing is left of a blended normal it is that of the posed triangles around the
    /// vertex, weighted by area; zero where these have no area either, and for points and lines without normals.
    pub normals: Vec<Vec3>,
    /// Whether the file has no normals, so that those above were made of the posed triangles ([`crate::MissingNormals`]).
    pub made_normals: bool,
    /// The tangents, one for each vertex: xyz of unit length or zero, w the handedness. Empty where the file stores none.
    pub tangents: Vec<Vec4>,
    /// Both texture coordinate sets, each may be empty.
    pub uvs: [Vec<Vec2>; 2],
    /// Vertex colours, linear RGBA with straight alpha; may be empty.
    pub colors: Vec<Vec4>,
    /// A list of points, lines or triangles, by `topology`. The winding of triangles of mirrored parts is reversed, so
    /// that outsides stay outside.
    pub indices: Vec<u32>,
    /// The kind of primitive that the indices describe.
    pub topology: Topology,
    /// The material; `None`: the default material.
    pub material: Option<MaterialId>,
}

/// Poses all primitives of the drawn instances on the CPU, in that order, with all copies of an instance one after the
/// other. Callers that already have the [`Surface`] use [`baked_primitives`].
#[must_use]
pub fn baked_surface<'a>(
    model: &'a Model,
    draws: &'a [InstanceId],
    pose: &'a LocalPose,
    method: impl Into<Deformation<'a>>,
) -> Vec<BakedPrimitive> {
    let (mut matrices, mut palettes) = (Vec::new(), Vec::new());
    anim::local_to_model(&model.skeleton, pose, &mut matrices);
    deform::palettes(model, &matrices, &mut palettes);
    let shift = anim::origin_shift(&model.skeleton, pose);
    let input =
        SurfaceInput { model, draws, palettes: &palettes, morph_weights: &pose.morph_weights, method: method.into() };
    baked_primitives(model, shift, &Surface::of(&input))
}

/// Returns where the vertices of everything that a model shows at rest are, in the scene, metres: as they stand in a mesh that is exported.
#[must_use]
pub fn resting_points(model: &Model) -> Vec<DVec3> {
    let draws = anim::drawn_at_rest(model, model.default_scene);
    let parts = baked_surface(model, &draws, &model.skeleton.rest, deform::METHODS[0]);
    let points = parts.iter().flat_map(|part| part.positions.iter().map(move |point| point.as_dvec3() + part.origin));
    points.collect()
}

/// Returns all primitives of a surface in its order, with all copies of an instance one after the other. `shift` is that of the origin of
/// its pose ([`anim::origin_shift`]).
#[must_use]
pub fn baked_primitives(model: &Model, shift: DVec3, surface: &Surface) -> Vec<BakedPrimitive> {
    let (model, is_split) = (surface.model(model), surface.split_model().is_some());
    let mut out = Vec::new();
    for parts in surface.parts.chunk_by(|a, b| a.instance == b.instance) {
        for copy in 0..parts[0].copies.len().max(1) {
            let freeze = |part: &SurfacePart| match part.copies.is_empty() {
                true => frozen(model, shift, (part.instance, 0), part.primitive, &part.deformed, is_split),
                false => frozen(model, shift, (part.instance, copy), part.primitive, &part.copy(copy), is_split),
            };
            let first = out.len();
            out.extend(parts.iter().flat_map(freeze));
            out[first..].sort_by_key(|baked: &BakedPrimitive| baked.primitive);
        }
    }
    out
}

/// Freezes one deformed vertex list of a copy of an instance, whichever way it was deformed, in a pose with that shift of its
/// origin. Returns a primitive for each that the file stores with these vertices ([`skinscope_model::Mesh::parts`]).
#[must_use]
pub fn baked_primitive(
    model: &Model,
    shift: DVec3,
    (instance, copy): (InstanceId, usize),
    primitive: usize,
    deformed: &Deformed,
) -> Vec<BakedPrimitive> {
    frozen(model, shift, (instance, copy), primitive, deformed, false)
}

/// `keeps_copies`: vertices that were split off stand where those that they copy do not.
fn frozen(
    model: &Model,
    shift: DVec3,
    (instance, copy): (InstanceId, usize),
    primitive: usize,
    deformed: &Deformed,
    keeps_copies: bool,
) -> Vec<BakedPrimitive> {
    let origin = model.origin_of_instance(instance) + shift;
    let instance = &model.instances[instance.index()];
    let mesh = &model.meshes[instance.mesh.index()];
    let source = &mesh.primitives[primitive];
    let mut name = model.skeleton.names[instance.node.index()].clone();
    if !instance.copies.is_empty() {
        name += &format!("#{copy}");
    }
    let stored = if keeps_copies { source.vertex_count() } else { source.stored_vertices };
    let mut indices = source.indices.clone();
    if source.topology == Topology::Triangles {
        for triangle in indices.as_chunks_mut().0 {
            if deformed.is_mirrored(*triangle) {
                triangle.swap(1, 2);
            }
        }
    }
    if !keeps_copies {
        indices.iter_mut().for_each(|index| *index = source.stored_vertex(*index));
    }
    let uvs = |set: &Vec<Vec2>| set.iter().take(stored).copied().collect();
    let whole = BakedPrimitive {
        name,
        positions: deformed.positions[..stored].to_vec(),
        origin,
        normals: deformed.normals[..stored].to_vec(),
        made_normals: source.normals.is_empty(),
        // Tangents that import has made are made again by whoever reads the bake.
        tangents: match source.split_from.is_empty() && deformed.tangents.len() >= stored {
            true => deformed.tangents[..stored].to_vec(),
            false => Vec::new(),
        },
        uvs: [uvs(&source.uvs[0]), uvs(&source.uvs[1])],
        colors: source.colors.iter().take(stored).copied().collect(),
        topology: source.topology,
        ..BakedPrimitive::default()
    };
    let several = mesh.primitives.len() > 1;
    let part = |Part { primitive, indices: range }: Part| BakedPrimitive {
        primitive,
        name: if several { format!("{}.{primitive}", whole.name) } else { whole.name.clone() },
        indices: indices[range].to_vec(),
        material: mesh.primitives[primitive].material,
        ..whole.clone()
    };
    mesh.parts(primitive).map(part).collect()
}

#[cfg(test)]
mod tests {
    use glam::Quat;
    use skinscope_deform::METHODS;
    use skinscope_model::ModelParts;
    use skinscope_model::test_shapes::{Tube, obstacle_course, tube};

    use super::*;

    #[test]
    fn outsides_stay_outside_of_mirrored_parts() {
        let model = obstacle_course();
        let surface = baked_surface(&model, &anim::drawn_at_rest(&model, 0), &model.skeleton.rest, METHODS[0]);
        assert_eq!(surface.iter().map(|p| &p.name[..]).collect::<Vec<_>>(), ["mesh.0", "mesh.1", "box"]);
        let mirrored = &surface[2];
        let source = &model.meshes[1].primitives[0];
        assert_ne!(mirrored.indices, source.indices, "the box is mirrored, so its triangles are turned");
        for (p, own_normals) in surface.iter().zip([true, false, false]) {
            assert_eq!(p.positions.len(), p.normals.len());
            for t in p.indices.chunks(3) {
                let [a, b, c] = [t[0], t[1], t[2]].map(|v| p.positions[v as usize]);
                // The tube's axis lies within it: a face's normal leads away from the middle of its ring.
                let ring = t[0] as usize / 8 * 8;
                let middle = p.positions[ring..ring + 8].iter().sum::<Vec3>() / 8.0;
                assert!((b - a).cross(c - a).dot(p.normals[t[0] as usize]) > 0.0, "{}", p.name);
                assert!(own_normals || (a - middle).dot(p.normals[t[0] as usize]) > 0.0, "{}", p.name);
            }
        }
    }

    #[test]
    fn split_vertices_fold_back_into_those_of_the_file() {
        let source = tube(Tube::default());
        let mut meshes = source.meshes.clone();
        let p = &mut meshes[0].primitives[0];
        let stored = p.positions.len();
        let copied = p.indices[4] as usize;
        p.indices[4] = stored as u32;
        p.split_from = vec![copied as u32];
        p.positions.push(p.positions[copied]);
        p.normals.push(p.normals[copied]);
        let influences = p.stored_influences.as_mut().unwrap();
        let range = copied * influences.per_vertex..(copied + 1) * influences.per_vertex;
        influences.joints.extend_from_within(range.clone());
        influences.weights.extend_from_within(range);
        let split = Model::build(ModelParts { meshes, ..clone_parts(&source) }).unwrap();
        let surface = |m: &Model| baked_surface(m, &anim::drawn_at_rest(m, 0), &m.skeleton.rest, METHODS[0]).remove(0);
        let (whole, folded) = (surface(&source), surface(&split));
        assert_eq!(folded.positions.len(), stored);
        assert_eq!((folded.indices, folded.positions), (whole.indices, whole.positions));
    }

    #[test]
    fn where_nothing_is_left_of_a_normal_it_is_that_of_the_triangles() {
        let mut parts = clone_parts(&tube(Tube { joints: 2, rings: 9, ..Tube::default() }));
        let influences = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
        let (slots, ring) = (influences.per_vertex, 4 * 8 * influences.per_vertex..5 * 8 * influences.per_vertex);
        let halves =
            (0..8 * slots).map(|slot| (u16::from(slot % slots == 1), if slot % slots < 2 { 0.5 } else { 0.0 }));
        for (slot, (joint, weight)) in ring.zip(halves) {
            (influences.joints[slot], influences.weights[slot]) = (joint, weight);
        }
        let model = Model::build(parts).unwrap();
        let mut pose = model.skeleton.rest.clone();
        // Half way of half a turn the tube is a point, and the matrix there has no inverse.
        pose.transforms.last_mut().unwrap().rotation = Quat::from_xyzw(0.0, 1.0, 0.0, 0.0);
        let draws = anim::drawn_at_rest(&model, 0);
        let (mut matrices, mut palettes) = (Vec::new(), Vec::new());
        anim::local_to_model(&model.skeleton, &pose, &mut matrices);
        deform::palettes(&model, &matrices, &mut palettes);
        let (morph_weights, method) = (&pose.morph_weights[..], METHODS[0].into());
        let input = SurfaceInput { model: &model, draws: &draws, palettes: &palettes, morph_weights, method };
        let surface = Surface::of(&input);
        let (normals, lost) = (&surface.parts[0].deformed.normals, &surface.parts[0].deformed.filled);
        let baked = baked_primitives(&model, DVec3::ZERO, &surface).remove(0);
        assert!(!lost.is_empty() && lost.len() < normals.len());
        for (vertex, normal) in baked.normals.iter().enumerate() {
            assert_eq!(*normal, normals[vertex]);
            if !lost.contains(&(vertex as u32)) {
                continue;
            }
            let around = baked.indices.chunks(3).filter(|t| t.contains(&(vertex as u32)));
            let sum: Vec3 = around
                .map(|t| {
                    let [a, b, c] = [t[0], t[1], t[2]].map(|v| baked.positions[v as usize]);
                    (b - a).cross(c - a)
                })
                .sum();
            assert!(normal.distance(sum.normalize()) < 1e-5, "{vertex}: {normal}");
        }
    }

    fn clone_parts(model: &Model) -> ModelParts {
        (**model).clone()
    }
}
