//! Which vertex of an example mesh is which vertex of the model.

use glam::DVec3;
use skinscope_anim::drawn_at_rest;
use skinscope_base::math::BoxTree;
use skinscope_model::{InstanceId, Model, PrimitiveId};
use skinscope_weights::Table;

use crate::example::Example;
use crate::motion::{Posed, diagonal, shown_by};

/// Vertices are at one place where they are no farther apart than this share of the diagonal of the bounds.
const NEAR: f64 = 1e-4;

/// Where the vertices of a model's primitives are in the example meshes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// The primitives that the meshes show, each as an instance draws it.
    segments: Vec<Segment>,
    /// How many vertices each mesh has.
    vertices: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct Segment {
    instance: InstanceId,
    at: PrimitiveId,
    /// The number in the mesh of each vertex of the primitive.
    vertices: Vec<u32>,
}

/// Why example meshes do not fit the model.
#[derive(Clone, Debug, PartialEq)]
pub enum LayoutError {
    /// The model has no such primitive with a skin.
    NoPrimitive,
    /// A mesh has another number of vertices than is needed.
    Vertices {
        /// How many it has.
        found: usize,
        /// How many it would need.
        needed: Vec<usize>,
    },
    /// Several primitives, by their numbers in the file, have as many vertices as the meshes.
    Several(Vec<PrimitiveId>),
    /// A vertex of the model rests where the mesh of the rest pose has none.
    NoPlace {
        /// The primitive, by its numbers in the file, and the vertex.
        at: (PrimitiveId, usize),
        /// How far the nearest vertex of the mesh is, metres.
        distance: f64,
    },
}

impl std::fmt::Display for LayoutError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = |at: &PrimitiveId| format!("{},{}", at.mesh.0, at.primitive);
        match self {
            Self::NoPrimitive => write!(f, "the model has no such primitive that a skin moves"),
            Self::Vertices { found, needed } => {
                let needed = needed.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
                write!(f, "it has {found} vertices, and {needed} are needed")
            }
            Self::Several(all) => {
                let all = all.iter().map(name).collect::<Vec<_>>().join(" and ");
                write!(f, "the primitives {all} have as many vertices: say which is meant")
            }
            Self::NoPlace { at: (at, vertex), distance } => {
                let at = name(at);
                write!(f, "vertex {vertex} of primitive {at} rests {distance:.6} m from the nearest vertex of the mesh")
            }
        }
    }
}

impl std::error::Error for LayoutError {}

impl Layout {
    /// Finds the vertices of meshes that have them in the order of the file: those of one primitive, or those of everything that the scene
    /// shows, as `bake` writes it. Without `at` the number of vertices tells which.
    ///
    /// # Errors
    /// No primitive fits, or several do.
    pub fn in_order(model: &Model, at: Option<PrimitiveId>, vertices: usize) -> Result<Self, LayoutError> {
        let (all, whole) = shown(model);
        let skinned: Vec<&Shown> = all.iter().filter(|shown| at.is_none_or(|at| at == shown.at)).collect();
        if skinned.is_empty() {
            return Err(LayoutError::NoPrimitive);
        }
        let one = |shown: &Shown, first: u32| Segment {
            instance: shown.instance,
            at: shown.at,
            vertices: (first..first + shown.count as u32).collect(),
        };
        let fitting: Vec<&Shown> = skinned.iter().filter(|shown| shown.count == vertices).copied().collect();
        let segments = match (&fitting[..], at) {
            ([only], _) => vec![one(only, 0)],
            ([], None) if whole == vertices => all.iter().map(|shown| one(shown, shown.first)).collect(),
            ([], _) => {
                let mut needed: Vec<usize> = skinned.iter().map(|shown| shown.count).collect();
                if at.is_none() {
                    needed.push(whole);
                }
                needed.sort_unstable();
                needed.dedup();
                return Err(LayoutError::Vertices { found: vertices, needed });
            }
            (several, _) => {
                return Err(LayoutError::Several(several.iter().map(|shown| in_file(model, shown.at)).collect()));
            }
        };
        Ok(Self { segments, vertices })
    }

    /// Finds the vertices of meshes by place: `rest` is the mesh of the rest pose, in the scene, metres. It is compared with where the weights
    /// put the vertices then; `table_of` returns those of a primitive.
    ///
    /// # Errors
    /// The model has no such primitive, or a vertex of it is where the mesh has none.
    pub fn by_place<'t>(
        model: &Model,
        at: Option<PrimitiveId>,
        table_of: &dyn Fn(PrimitiveId) -> Option<&'t Table>,
        rest: &[DVec3],
    ) -> Result<Self, LayoutError> {
        let posed = Posed::new(model, &model.skeleton.rest);
        let near = NEAR * diagonal(rest.iter().copied());
        // Boxes are in double precision, so that models far from the origin are told apart too.
        let tree = BoxTree::new(&rest.iter().map(|point| [*point; 2]).collect::<Vec<_>>());
        let mut segments = Vec::new();
        for shown in shown(model).0.iter().filter(|shown| at.is_none_or(|at| at == shown.at)) {
            let Some(motion) = posed.motion(shown.instance, shown.at.primitive) else { continue };
            let Some(table) = table_of(shown.at) else { continue };
            let mut vertices = Vec::with_capacity(shown.count);
            for vertex in 0..shown.count {
                let place = motion.blended(table, vertex) + motion.origin();
                let mut best = (f64::INFINITY, 0);
                tree.nearest(place, |number| {
                    let distance = rest[number as usize].distance(place);
                    // Of several at one place the first.
                    if distance < best.0 || distance == best.0 && number < best.1 {
                        best = (distance, number);
                    }
                    best.0
                });
                if best.0.is_nan() || best.0 > near {
                    return Err(LayoutError::NoPlace { at: (in_file(model, shown.at), vertex), distance: best.0 });
                }
                vertices.push(best.1);
            }
            segments.push(Segment { instance: shown.instance, at: shown.at, vertices });
        }
        if segments.is_empty() {
            return Err(LayoutError::NoPrimitive);
        }
        Ok(Self { segments, vertices: rest.len() })
    }

    /// Returns the primitives whose vertices the meshes have, each with the instance that draws it.
    pub fn primitives(&self) -> impl Iterator<Item = (InstanceId, PrimitiveId)> {
        self.segments.iter().map(|segment| (segment.instance, segment.at))
    }

    /// Makes an example of each primitive, of the mesh of one pose: its vertices in the scene, metres.
    ///
    /// # Errors
    /// The mesh has another number of vertices.
    pub fn examples<'m>(
        &self,
        posed: &Posed<'m>,
        points: &[DVec3],
    ) -> Result<Vec<(PrimitiveId, Example<'m>)>, LayoutError> {
        if points.len() != self.vertices {
            return Err(LayoutError::Vertices { found: points.len(), needed: vec![self.vertices] });
        }
        let mut out = Vec::new();
        for Segment { instance, at, vertices } in &self.segments {
            let targets: Vec<DVec3> = vertices.iter().map(|number| points[*number as usize]).collect();
            let motion = posed.motion(*instance, at.primitive).ok_or(LayoutError::NoPrimitive)?;
            out.push((*at, Example::new(motion, &targets)));
        }
        Ok(out)
    }
}

/// Returns the numbers of a primitive in the file.
fn in_file(model: &Model, at: PrimitiveId) -> PrimitiveId {
    PrimitiveId::new(model.file_mesh(at.mesh), at.primitive)
}

/// A primitive that a skin moves, and where its vertices begin in a mesh of everything that is shown.
#[derive(Clone, Copy, Debug)]
struct Shown {
    instance: InstanceId,
    at: PrimitiveId,
    first: u32,
    count: usize,
}

/// Returns the primitives that skins move, each as it is first drawn, and how many vertices a mesh of everything that the scene shows has.
/// Vertices stand there by instance, then by primitive; primitives that share their vertices each have them again.
fn shown(model: &Model) -> (Vec<Shown>, usize) {
    let mut out: Vec<Shown> = Vec::new();
    let mut vertices = 0;
    for id in drawn_at_rest(model, model.default_scene) {
        let instance = &model.instances[id.index()];
        let mesh = &model.meshes[instance.mesh.index()];
        let own = (0..mesh.primitives.len()).filter(|p| mesh.primitives[*p].shares.is_none());
        let mut parts: Vec<(usize, usize)> =
            own.flat_map(|p| mesh.parts(p).map(move |part| (part.primitive, p))).collect();
        parts.sort_unstable();
        for _ in 0..instance.copy_count() {
            for (_, primitive) in &parts {
                let at = PrimitiveId::new(instance.mesh, *primitive);
                let source = &mesh.primitives[*primitive];
                let (first, count) = (vertices as u32, source.stored_vertices);
                let is_first = !out.iter().any(|other| other.at == at);
                let is_moved = source.stored_influences.is_some() && shown_by(model, at) == Some(id);
                if is_first && is_moved && count > 0 {
                    out.push(Shown { instance: id, at, first, count });
                }
                vertices += count;
            }
        }
    }
    (out, vertices)
}

#[cfg(test)]
mod tests {
    use skinscope_model::MeshId;
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::tests::table_of;

    fn rest_of(model: &Model) -> Vec<DVec3> {
        let motion = Posed::new(model, &model.skeleton.rest).motion(InstanceId::from_index(0), 0).unwrap();
        let table = table_of(model);
        (0..table.vertices()).map(|vertex| motion.blended(&table, vertex)).collect()
    }

    #[test]
    fn the_order_of_the_file_is_told_by_the_number_of_vertices() {
        let model = tube(Tube::default());
        let at = PrimitiveId::new(MeshId::from_index(0), 0);
        let count = model.meshes[0].primitives[0].stored_vertices;
        let layout = Layout::in_order(&model, None, count).unwrap();
        assert_eq!(layout, Layout::in_order(&model, Some(at), count).unwrap());
        assert_eq!(layout.primitives().collect::<Vec<_>>(), [(InstanceId::from_index(0), at)]);
        let posed = Posed::new(&model, &model.skeleton.rest);
        let points = rest_of(&model);
        let examples = layout.examples(&posed, &points).unwrap();
        assert!((0..count).all(|vertex| examples[0].1.target(vertex).distance(points[vertex]) < 1e-6));
        let few = layout.examples(&posed, &points[1..]).unwrap_err();
        assert_eq!(few, LayoutError::Vertices { found: count - 1, needed: vec![count] });
        assert_eq!(few.to_string(), format!("it has {} vertices, and {count} are needed", count - 1));
        assert!(matches!(Layout::in_order(&model, None, count + 1), Err(LayoutError::Vertices { .. })));
        let absent = PrimitiveId::new(MeshId::from_index(0), 1);
        assert_eq!(Layout::in_order(&model, Some(absent), count), Err(LayoutError::NoPrimitive));
    }

    #[test]
    fn vertices_in_another_order_are_found_by_their_places() {
        let model = tube(Tube::default());
        let table = table_of(&model);
        let points = rest_of(&model);
        // Each place once, in reverse: a sculpting program has no seams.
        let mut mixed: Vec<DVec3> = Vec::new();
        for point in points.iter().rev() {
            if !mixed.iter().any(|other| other.distance(*point) < 1e-6) {
                mixed.push(*point);
            }
        }
        assert!(mixed.len() <= points.len());
        let layout = Layout::by_place(&model, None, &|_| Some(&table), &mixed).unwrap();
        let posed = Posed::new(&model, &model.skeleton.rest);
        let examples = layout.examples(&posed, &mixed).unwrap();
        assert!((0..points.len()).all(|vertex| examples[0].1.target(vertex).distance(points[vertex]) < 1e-5));
        mixed[3] += DVec3::X;
        let error = Layout::by_place(&model, None, &|_| Some(&table), &mixed).unwrap_err();
        assert!(matches!(error, LayoutError::NoPlace { distance, .. } if distance > 0.01), "{error}");
    }
}
